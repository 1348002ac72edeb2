//! The two variances of PyTorch, both in float64 (`ReduceOps.cpp`, `SharedReduceOps.h`).

use super::iterator::Walk;
use super::lanes::Float;

/// Sum of squared distances from `mean`, one partial sum per block of the walk; no fused
/// multiply-add. This is the way of a full reduction in float32 and float64.
pub(crate) fn squared_distances<T: Float>(data: &[T], walk: &Walk, mean: f64) -> f64 {
    let mut total = 0.0;
    walk.for_each_block(|block| {
        let mut partial = 0.0;
        for j in 0..block.size[1] {
            for i in 0..block.size[0] {
                let at = block.input + i * block.input_strides[0] + j * block.input_strides[1];
                let distance = data[at].to_f64() - mean;
                partial += distance * distance;
            }
        }
        total += partial;
    });
    total
}

/// Welford's running mean and sum of squared distances, in the order of the values.
pub(crate) fn welford(values: impl Iterator<Item = f64>) -> Welford {
    let mut state = Welford { mean: 0.0, squares: 0.0, count: 0 };
    for value in values {
        let delta = value - state.mean;
        state.count += 1;
        state.mean += delta / state.count as f64;
        state.squares += delta * (value - state.mean);
    }
    state
}

/// What Welford's recurrence ends with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Welford {
    pub(crate) mean: f64,
    pub(crate) squares: f64,
    pub(crate) count: usize,
}

/// Sum of squared distances over the degrees of freedom; division by 0 is IEEE's.
pub(crate) fn over_freedom(squares: f64, count: usize, correction: f64) -> f64 {
    squares / (count as f64 - correction).max(0.0)
}
