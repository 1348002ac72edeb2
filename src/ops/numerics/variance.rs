//! The two variances of PyTorch, both in float64 (`ReduceOps.cpp`, `SharedReduceOps.h`).

use super::iterator::{Group, Reduced, Walk};
use super::lanes::Float;
use crate::cpu::{self, Level, widest};
use crate::tensor::DType;
use crate::tensor::transpose::{Shuffles, lines_to_lanes};

/// Sum of squared distances from `mean`, one partial sum per block of the walk; no fused
/// multiply-add. This is the way of a full reduction in float32 and float64.
pub(crate) fn squared_distances<T: Float>(data: &[T], walk: &Walk, mean: f64) -> f64 {
    let mut total = 0.0;
    for block in walk.blocks() {
        let mut partial = 0.0;
        for j in 0..block.size[1] {
            for i in 0..block.size[0] {
                let at = block.input + i * block.input_strides[0] + j * block.input_strides[1];
                let distance = data[at].to_f64() - mean;
                partial += distance * distance;
            }
        }
        total += partial;
    }
    total
}

/// Welford's running mean and sum of squared distances of every output of a walk, in the walk's
/// order; calls `each` with its position. The recurrence is serial in one output, so many of them
/// go side by side.
pub(crate) fn welford_of_outputs<T: Float>(data: &[T], walk: &Walk, mut each: impl FnMut(usize, Welford)) {
    let (groups, reduced) = walk.groups();
    // Values of float64 may be so small that a quotient's error is lost.
    let float32 = T::DTYPE != DType::Float64;
    let fused = cfg!(target_arch = "aarch64") || cpu::level() > Level::Portable;
    let shuffles = Shuffles::new();
    widest(
        #[inline(always)]
        || {
            for group in groups {
                let mut quick = float32 && fused;
                let [mut mean, mut squares] = [[0.0; LANES]; 2];
                if quick {
                    [mean, squares] = side_by_side::<T, true>(data, &group, &reduced, shuffles);
                    quick = !mean.iter().any(|mean| mean.is_nan());
                }
                if !quick {
                    [mean, squares] = side_by_side::<T, false>(data, &group, &reduced, shuffles);
                }
                let count = reduced.starts.len() * reduced.length;
                for lane in 0..group.len {
                    let state = Welford { mean: mean[lane], squares: squares[lane], count };
                    each(group.outputs[lane], state);
                }
            }
        },
    );
}

/// Outputs side by side: enough to hide how long a division takes.
const LANES: usize = 32;

/// Elements of each output that are read before the recurrence goes over them.
const STEPS: usize = 16;

/// Mean and squares in every lane. With `QUICK` they are NaN where a value is infinite.
#[inline(always)]
fn side_by_side<T: Float, const QUICK: bool>(
    data: &[T],
    group: &Group<LANES>,
    reduced: &Reduced,
    shuffles: Shuffles,
) -> [[f64; LANES]; 2] {
    let (mut mean, mut squares, mut count) = ([0.0; LANES], [0.0; LANES], 0);
    let mut tile = [[T::default(); LANES]; STEPS];
    for start in &reduced.starts {
        for from in (0..reduced.length).step_by(STEPS) {
            let steps = STEPS.min(reduced.length - from);
            let from = start + from * reduced.stride;
            read(data, &group.inputs, from, reduced.stride, &mut tile[..steps], shuffles);
            for values in &tile[..steps] {
                count += 1;
                let (divisor, inverse) = (count as f64, 1.0 / count as f64);
                for lane in 0..LANES {
                    let value = values[lane].to_f64();
                    let delta = value - mean[lane];
                    mean[lane] += if QUICK { quotient(delta, divisor, inverse) } else { delta / divisor };
                    squares[lane] += delta * (value - mean[lane]);
                }
            }
        }
    }
    [mean, squares]
}

/// The quotient's very bits, from the nearest float to the divisor's inverse: a product, corrected
/// by its own error to 1 ULP, then to the nearest (Markstein's theorem). The error is exact, if it
/// is not too small for a float.
#[inline(always)]
fn quotient(x: f64, divisor: f64, inverse: f64) -> f64 {
    let near = x * inverse;
    let near = (-near).mul_add(divisor, x).mul_add(inverse, near);
    (-near).mul_add(divisor, x).mul_add(inverse, near)
}

/// Reads as many elements of every lane as the tile has rows.
#[inline(always)]
fn read<T: Float>(
    data: &[T],
    lanes: &[usize; LANES],
    from: usize,
    stride: usize,
    tile: &mut [[T; LANES]],
    shuffles: Shuffles,
) {
    let mut neighbours = true;
    for (lane, &at) in lanes.iter().enumerate() {
        neighbours &= at == lanes[0] + lane;
    }
    if neighbours {
        for (i, values) in tile.iter_mut().enumerate() {
            values.copy_from_slice(&data[lanes[0] + from + i * stride..][..LANES]);
        }
    } else if stride == 1 {
        lines_to_lanes(|lane| &data[lanes[lane] + from..], tile, shuffles);
    } else {
        for (i, values) in tile.iter_mut().enumerate() {
            for (value, at) in values.iter_mut().zip(lanes) {
                *value = data[at + from + i * stride];
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    /// The recurrence of one output alone.
    fn one_by_one(values: impl Iterator<Item = f64>) -> Welford {
        let mut state = Welford { mean: 0.0, squares: 0.0, count: 0 };
        for value in values {
            let delta = value - state.mean;
            state.count += 1;
            state.mean += delta / state.count as f64;
            state.squares += delta * (value - state.mean);
        }
        state
    }

    #[test]
    fn quotients_have_the_bits_of_divisions() {
        let (mut x, mut divisor) = (1u64, 1u64);
        for i in 0..200_000u64 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            divisor = if i % 3 == 0 { divisor % 100_000 + 1 } else { (x >> 12) % (1 << (i % 40)) + 1 };
            // Exponents from -300 to 300.
            let bits = x & ((1 << 52) - 1) | ((1023 - 300 + (x >> 54) % 600) << 52);
            let (value, divisor) = (f64::from_bits(bits), divisor as f64);
            for value in [value, -value, divisor * value.trunc(), f64::from(value as f32)] {
                if value.is_finite() {
                    let quick = quotient(value, divisor, 1.0 / divisor);
                    assert_eq!(quick, value / divisor, "{value:e} / {divisor}");
                }
            }
        }
    }

    #[test]
    fn outputs_side_by_side_are_those_that_are_made_one_by_one() {
        check::<f64>([f64::NAN, f64::INFINITY, -0.0, 1e-310, 1e300, f64::NEG_INFINITY]);
        check::<f32>([f32::NAN, f32::INFINITY, -0.0, 1e-45, f32::MAX, f32::NEG_INFINITY].map(f64::from));
    }

    fn check<T: Float>(special: [f64; 6]) {
        let memory: Vec<T> =
            (0..6000)
                .map(|i| {
                    if i % 997 == 5 { special[i / 997 % 6] } else { f64::from(i as u32 * 7919 % 1000) * 0.37 }
                })
                .map(T::from_f64)
                .collect();
        for (shape, strides, reduced) in [
            ([1, 33, 40], [0, 40, 1], [false, false, true]),
            ([1, 33, 40], [0, 40, 1], [false, true, false]),
            ([7, 17, 16], [272, 16, 1], [true, false, true]),
            ([7, 17, 16], [272, 16, 1], [false, true, false]),
            ([5, 20, 31], [1, 5, 100], [true, false, true]),
            ([5, 20, 31], [2, 15, 150], [true, false, false]),
            ([1, 1, 100], [0, 0, 1], [true, true, true]),
            ([3, 1, 1], [1, 1, 1], [false, true, false]),
        ] {
            let x = Tensor::strided(&shape, &strides, 0, T::store(memory.clone())).unwrap();
            let mut places = Vec::new();
            welford_of_outputs(&memory, &Walk::reduction(&x, &reduced), |place, state| {
                places.push(place);
                let mut positions = Vec::new();
                for block in Walk::reduction(&x, &reduced).blocks() {
                    for j in 0..block.size[1] {
                        for i in 0..block.size[0] {
                            let at =
                                |start: usize, strides: [usize; 2]| start + i * strides[0] + j * strides[1];
                            if at(block.output, block.output_strides) == place {
                                positions.push(at(block.input, block.input_strides));
                            }
                        }
                    }
                }
                let expected = one_by_one(positions.into_iter().map(|at| memory[at].to_f64()));
                assert_eq!(state.count, expected.count);
                let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                assert!(same(state.mean, expected.mean) && same(state.squares, expected.squares));
            });
            places.sort_unstable();
            assert!(places.iter().copied().eq(0..places.len()), "{shape:?} {reduced:?}");
        }
    }
}
