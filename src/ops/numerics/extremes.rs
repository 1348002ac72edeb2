//! Maximum and minimum with PyTorch's NaN and signed zero.

use super::lanes::VECTOR_BYTES;
use super::product::Fold;
use crate::tensor::{DType, Element, Scalar};

/// Which end is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Max,
    Min,
}

impl End {
    /// The value that every other value beats or equals.
    pub(crate) fn identity(self, dtype: DType) -> Scalar {
        let (low, high) = match dtype {
            DType::Int64 => (i64::MIN, i64::MAX),
            DType::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            DType::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
            DType::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
            DType::UInt8 => (0, i64::from(u8::MAX)),
            DType::UInt32 => (0, i64::from(u32::MAX)),
            DType::Bool => (0, 1),
            _ => {
                return Scalar::Float(match self {
                    End::Max => f64::NEG_INFINITY,
                    End::Min => f64::INFINITY,
                });
            }
        };
        Scalar::Int(match self {
            End::Max => low,
            End::Min => high,
        })
    }

    /// Whether `a` beats `b`; false for ties and for NaN.
    #[inline(always)]
    pub(crate) fn beats<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            End::Max => a > b,
            End::Min => a < b,
        }
    }

    /// The first that is NaN, else the first that no other beats.
    #[inline(always)]
    pub(crate) fn takes_over<T: Element>(self, new: T, best: T) -> bool {
        !best.is_nan() && (new.is_nan() || self.beats(new, best))
    }
}

/// NaN propagates; on a tie (of zeros) the scalar step keeps its first operand and the vector
/// step its second, as C++'s `std::max` and x86's `maxps` do.
impl<T: Element> Fold<T> for End {
    #[inline(always)]
    fn scalar(self, a: T, b: T) -> T {
        if a.is_nan() || (!b.is_nan() && !self.beats(b, a)) { a } else { b }
    }

    #[inline(always)]
    fn vector(self, a: T, b: T) -> T {
        if a.is_nan() | self.beats(a, b) { a } else { b }
    }
}

/// One of the ends as a type, which is known where a loop is compiled.
#[derive(Clone, Copy)]
pub(crate) struct Always<const MAX: bool>;

impl<const MAX: bool> Always<MAX> {
    const END: End = if MAX { End::Max } else { End::Min };
}

impl<T: Element, const MAX: bool> Fold<T> for Always<MAX> {
    #[inline(always)]
    fn scalar(self, a: T, b: T) -> T {
        Self::END.scalar(a, b)
    }

    #[inline(always)]
    fn vector(self, a: T, b: T) -> T {
        Self::END.vector(a, b)
    }

    /// Without NaN a step is one comparison, of which the second operand is the outcome on a tie;
    /// another sees whether one of two elements is NaN.
    #[inline(always)]
    fn onto<const CHUNK: usize>(self, lanes: &mut [T; CHUNK], chunks: &[[T; CHUNK]]) {
        let (mut best, mut nan) = (*lanes, [0u32; CHUNK]);
        for k in 0..CHUNK {
            nan[k] = u32::from(lanes[k].is_nan());
        }
        for chunk in chunks {
            for k in 0..CHUNK {
                best[k] = if Self::END.beats(best[k], chunk[k]) { best[k] } else { chunk[k] };
            }
            for k in 0..CHUNK / 2 {
                nan[k] |= u32::from(chunk[k].is_nan() | chunk[k + CHUNK / 2].is_nan());
            }
        }
        let mut any = 0;
        for nan in nan {
            any |= nan;
        }
        match any {
            0 => *lanes = best,
            _ => Self::END.onto(lanes, chunks),
        }
    }
}

/// How the lanes of a vector meet at the end of a full reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Across {
    /// One after the other.
    InOrder,
    /// The upper half onto the lower, until one lane is left.
    Halving,
    /// 16-bit floats are compared in two float32 vectors of 8: the second onto the first, then
    /// as `Halving`; 8 elements or fewer, which never fill the first vector, in order.
    TwoVectors,
}

impl Across {
    /// What PyTorch does for a dtype; types without signed zeros give the same in any order.
    fn of(dtype: DType) -> Across {
        match dtype {
            DType::Float32 => Across::Halving,
            DType::Float16 | DType::BFloat16 => Across::TwoVectors,
            _ => Across::InOrder,
        }
    }
}

/// `max()` and `min()` over everything (`ReduceAllOpsKernel.cpp`): one vector of lanes, where the
/// elements after the last full vector touch only the first lanes, then across them. The order
/// shows only in the sign of a tied zero. `None` for no elements.
pub(crate) fn all<T: Element>(end: End, data: &[T]) -> Option<T> {
    let (vector, across) = (VECTOR_BYTES / T::DTYPE.size(), Across::of(T::DTYPE));
    let onto = |lanes: &mut [T], values: &[T]| {
        for (lane, &x) in lanes.iter_mut().zip(values) {
            *lane = end.vector(*lane, x);
        }
    };
    let (first, rest) = data.split_at(data.len().min(vector));
    let mut lanes = first.to_vec();
    for values in rest.chunks(vector) {
        onto(&mut lanes, values);
    }
    let in_order = match across {
        Across::InOrder => true,
        Across::Halving => lanes.len() < vector,
        Across::TwoVectors => lanes.len() <= vector / 2,
    };
    if in_order {
        return lanes.into_iter().reduce(|a, b| end.vector(a, b));
    }
    let mut half = vector / 2;
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        onto(low, high);
        lanes.truncate(half);
        half /= 2;
    }
    lanes.first().copied()
}

/// Position of the extreme: the first NaN, else the first of the best.
pub(crate) fn position<T: Element>(end: End, values: impl IntoIterator<Item = T>) -> Option<(usize, T)> {
    let mut values = values.into_iter().enumerate();
    let mut best = values.next()?;
    for (index, value) in values {
        if end.takes_over(value, best.1) {
            best = (index, value);
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step with all its questions is the oracle: signs of zero and NaN in every place.
    #[test]
    fn chunks_at_once_are_chunks_step_by_step() {
        fn check<T: Element>(of: impl Fn(usize) -> T) {
            const CHUNK: usize = 16;
            let mut state = 7usize;
            for kinds in [3, 6, 7] {
                for _ in 0..200 {
                    let mut draw = || {
                        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        of((state >> 33)
                            % if (state >> 40).is_multiple_of(29) { kinds } else { kinds.min(6) })
                    };
                    let chunks: [[T; CHUNK]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| draw()));
                    let start = std::array::from_fn(|_| draw());
                    for end in [End::Max, End::Min] {
                        let (mut lanes, mut expected) = (start, start);
                        match end {
                            End::Max => Always::<true>.onto(&mut lanes, &chunks),
                            End::Min => Always::<false>.onto(&mut lanes, &chunks),
                        }
                        end.onto(&mut expected, &chunks);
                        let same = lanes.iter().zip(&expected).all(|(a, b)| a.identical(*b));
                        assert!(same, "{end:?} of {chunks:?} onto {start:?}: {lanes:?}, not {expected:?}");
                    }
                }
            }
        }
        const FLOATS: [f64; 7] = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, -2.0, f64::NAN];
        check(|i| FLOATS[i] as f32);
        check(|i| FLOATS[i]);
        check(|i| half::f16::from_f64(FLOATS[i]));
        check(|i| [i64::MIN, i64::MAX, 0, 1][i % 4]);
        check(|i| i % 2 == 0);
    }
}
