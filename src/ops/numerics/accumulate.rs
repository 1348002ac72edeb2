//! What becomes of an element that is written more than once: the arithmetic of PyTorch's scatter
//! and index kernels over every dtype.

use half::{bf16, f16};

use crate::tensor::{Element, convert};

/// How a new value meets the one that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Assign,
    Add,
    Multiply,
    Maximum,
    Minimum,
    /// As vector code does it: a tie keeps the new value.
    VectorMaximum,
    VectorMinimum,
}

impl Combine {
    /// The element after one more value. NaN propagates through maximum and minimum; a tie keeps
    /// what is there, but in vector code.
    pub(crate) fn apply<T: Arithmetic>(self, old: T, new: T) -> T {
        match self {
            Combine::Assign => new,
            Combine::Add => old.plus(new),
            Combine::Multiply => old.times(new),
            Combine::Maximum if new.is_nan() || old < new => new,
            Combine::Minimum if new.is_nan() || new < old => new,
            Combine::VectorMaximum if !(old.is_nan() || old > new) => new,
            Combine::VectorMinimum if !(old.is_nan() || old < new) => new,
            Combine::Maximum | Combine::Minimum | Combine::VectorMaximum | Combine::VectorMinimum => old,
        }
    }
}

/// Addition, multiplication and division as the kernels of one dtype do them: integers wrap and
/// divide towards minus infinity, a bool is true where the number would not be 0, and the 16-bit
/// floats compute in float32 and round every result.
pub(crate) trait Arithmetic: Element {
    /// The type that the scatter kernels accumulate in (PyTorch's `opmath_type`).
    type Wide: Arithmetic;

    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// By a count, which is never 0.
    fn divided(self, count: Self) -> Self;
    /// `self + alpha * other` as the element-wise kernel computes it: fused in float32 and
    /// float64; for the 16-bit floats with one rounding in vectors, and two in scalar code.
    fn plus_scaled(self, other: Self, alpha: Self, in_vector: bool) -> Self;
    fn widen(self) -> Self::Wide {
        convert(self)
    }
    fn narrow(wide: Self::Wide) -> Self {
        convert(wide)
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Arithmetic for $type {
            type Wide = $type;
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn divided(self, count: Self) -> Self {
                let (sum, count) = (i64::from(self), i64::from(count));
                let quotient = sum.wrapping_div(count);
                let below = (sum < 0) != (count < 0) && quotient.wrapping_mul(count) != sum;
                (quotient - i64::from(below)) as $type
            }
            fn plus_scaled(self, other: Self, alpha: Self, _: bool) -> Self {
                self.plus(alpha.times(other))
            }
        }
    )*};
}

integers!(i64, i32, i16, i8, u8, u32);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Arithmetic for $type {
            type Wide = $type;
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            fn divided(self, count: Self) -> Self {
                self / count
            }
            fn plus_scaled(self, other: Self, alpha: Self, _: bool) -> Self {
                other.mul_add(alpha, self)
            }
        }
    )*};
}

floats!(f64, f32);

macro_rules! small_floats {
    ($($type:ty),*) => {$(
        impl Arithmetic for $type {
            type Wide = f32;
            fn plus(self, other: Self) -> Self {
                Self::from_f32(self.to_f32() + other.to_f32())
            }
            fn times(self, other: Self) -> Self {
                Self::from_f32(self.to_f32() * other.to_f32())
            }
            fn divided(self, count: Self) -> Self {
                Self::from_f32(self.to_f32() / count.to_f32())
            }
            fn plus_scaled(self, other: Self, alpha: Self, in_vector: bool) -> Self {
                if in_vector {
                    // The product of two 16-bit floats is exact in float32.
                    return Self::from_f32(self.to_f32() + other.to_f32() * alpha.to_f32());
                }
                self.plus(other.times(alpha))
            }
        }
    )*};
}

small_floats!(f16, bf16);

impl Arithmetic for bool {
    type Wide = bool;
    fn plus(self, other: Self) -> Self {
        self | other
    }
    fn times(self, other: Self) -> Self {
        self & other
    }
    fn divided(self, _: Self) -> Self {
        self
    }
    fn plus_scaled(self, other: Self, alpha: Self, _: bool) -> Self {
        self | (alpha & other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_divide_towards_minus_infinity() {
        assert_eq!((-1i64).divided(3), -1);
        assert_eq!(7i8.divided(-2), -4);
        assert_eq!(i8::MIN.divided(-1), i8::MIN);
        assert_eq!(200u8.divided(3), 66);
    }

    #[test]
    fn a_tie_keeps_what_is_there_and_nan_wins() {
        assert!(Combine::Maximum.apply(-0.0f32, 0.0).is_sign_negative());
        assert!(Combine::Minimum.apply(0.0f32, -0.0).is_sign_positive());
        assert!(Combine::Maximum.apply(f32::NAN, 1.0).is_nan());
        assert!(Combine::Minimum.apply(1.0, f64::NAN).is_nan());
    }

    #[test]
    fn small_floats_round_every_step() {
        let (start, one) = (f16::from_f32(2048.0), f16::from_f32(1.0));
        assert_eq!(start.plus(one).plus(one), start);
        assert_eq!(f16::narrow(start.widen().plus(one.widen()).plus(one.widen())).to_f32(), 2050.0);
    }
}
