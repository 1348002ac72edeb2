//! The arithmetic that element-wise kernels are written in: wrapping integers, and the real types
//! in which floats are computed.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use crate::ops::numerics::lanes::Float;
use crate::tensor::Element;

/// An integer dtype. Everything wraps, as C++'s does on x86-64.
pub(crate) trait Integer: Element + Ord {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Number of bits.
    const BITS: u32;
    /// The smallest value.
    const LOWEST: Self;
    /// The largest value.
    const HIGHEST: Self;

    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// Division towards zero; `None` by zero. The smallest over -1 wraps to itself.
    fn quotient(self, other: Self) -> Option<Self>;
    /// What division towards zero leaves, with the sign of the dividend; `None` by zero.
    fn rest(self, other: Self) -> Option<Self>;
    fn is_below_zero(self) -> bool;
    /// The smallest stays as it is.
    fn magnitude(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// By 0 to `BITS - 1` places.
    fn left(self, places: u32) -> Self;
    /// By 0 to `BITS - 1` places, filled with the sign.
    fn right(self, places: u32) -> Self;
}

macro_rules! integers {
    ($($type:ty, $magnitude:expr;)*) => {$(
        impl Integer for $type {
            const ZERO: $type = 0;
            const ONE: $type = 1;
            const BITS: u32 = <$type>::BITS;
            const LOWEST: $type = <$type>::MIN;
            const HIGHEST: $type = <$type>::MAX;

            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn quotient(self, other: $type) -> Option<$type> {
                (other != 0).then(|| self.wrapping_div(other))
            }
            #[inline(always)]
            fn rest(self, other: $type) -> Option<$type> {
                (other != 0).then(|| self.wrapping_rem(other))
            }
            #[inline(always)]
            fn is_below_zero(self) -> bool {
                self < <$type>::ZERO
            }
            #[inline(always)]
            fn magnitude(self) -> $type {
                $magnitude(self)
            }
            #[inline(always)]
            fn and(self, other: $type) -> $type {
                self & other
            }
            #[inline(always)]
            fn or(self, other: $type) -> $type {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: $type) -> $type {
                self ^ other
            }
            #[inline(always)]
            fn not(self) -> $type {
                !self
            }
            #[inline(always)]
            fn left(self, places: u32) -> $type {
                self.wrapping_shl(places)
            }
            #[inline(always)]
            fn right(self, places: u32) -> $type {
                self.wrapping_shr(places)
            }
        }
    )*};
}

integers! {
    i64, i64::wrapping_abs;
    i32, i32::wrapping_abs;
    i16, i16::wrapping_abs;
    i8, i8::wrapping_abs;
    u8, std::convert::identity;
    u32, std::convert::identity;
}

/// The types in which floats are computed.
pub(crate) trait Wide:
    Element
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
    const HALF: Self;
    const ONE: Self;
    const NAN: Self;
    /// The smallest positive normal value.
    const TINY: Self;
    /// 2 to the power of the number of stored bits of the mantissa plus 2.
    const UP: Self;

    /// `self * factor + summand`, rounded once.
    fn fused(self, factor: Self, summand: Self) -> Self;
    fn magnitude(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    /// To the nearest integer, half to even.
    fn rint(self) -> Self;
    fn with_sign_of(self, sign: Self) -> Self;
    fn has_sign(self) -> bool;
    fn is_infinite(self) -> bool;
    /// The neighbour nearer to zero; zero stays, and infinity becomes the largest value.
    fn towards_zero(self) -> Self;
}

macro_rules! wide {
    ($($type:ty, $up:expr;)*) => {$(
        impl Wide for $type {
            const ZERO: $type = 0.0;
            const HALF: $type = 0.5;
            const ONE: $type = 1.0;
            const NAN: $type = <$type>::NAN;
            const TINY: $type = <$type>::MIN_POSITIVE;
            const UP: $type = $up;

            #[inline(always)]
            fn fused(self, factor: $type, summand: $type) -> $type {
                self.mul_add(factor, summand)
            }
            #[inline(always)]
            fn magnitude(self) -> $type {
                self.abs()
            }
            #[inline(always)]
            fn floor(self) -> $type {
                self.floor()
            }
            #[inline(always)]
            fn ceil(self) -> $type {
                self.ceil()
            }
            #[inline(always)]
            fn trunc(self) -> $type {
                self.trunc()
            }
            #[inline(always)]
            fn rint(self) -> $type {
                self.round_ties_even()
            }
            #[inline(always)]
            fn with_sign_of(self, sign: $type) -> $type {
                self.copysign(sign)
            }
            #[inline(always)]
            fn has_sign(self) -> bool {
                self.is_sign_negative()
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                <$type>::is_infinite(self)
            }
            #[inline(always)]
            fn towards_zero(self) -> $type {
                if self == 0.0 { self } else { <$type>::from_bits(self.to_bits() - 1) }
            }
        }
    )*};
}

wide! {
    f32, 33554432.0;
    f64, 18014398509481984.0;
}

/// A float dtype with the real type in which it is computed.
pub(crate) trait Computed: Float<Acc = Self::Real> {
    /// `f32` for the 16-bit types, else the type itself.
    type Real: Wide + crate::ops::numerics::lanes::Real;

    /// Rounds to this dtype and widens again.
    #[inline(always)]
    fn rounded(value: Self::Real) -> Self::Real {
        Self::narrow(value).widen()
    }
}

impl<T: Float> Computed for T
where
    T::Acc: Wide,
{
    type Real = T::Acc;
}

/// Runs one of three generic expressions, by the kind of a dtype: `with_kind!(dtype,
/// integer I => f::<I>(), float F => g::<F>(), bool => h())`.
macro_rules! with_kind {
    ($dtype:expr, integer $I:ident => $integer:expr, float $F:ident => $float:expr, bool => $bool:expr $(,)?) => {
        with_kind!(@ $dtype, $I, $integer, $F, $float, $bool,
            [Int64 i64, Int32 i32, Int16 i16, Int8 i8, UInt8 u8, UInt32 u32],
            [Float64 f64, Float32 f32, Float16 half::f16, BFloat16 half::bf16])
    };
    (@ $dtype:expr, $I:ident, $integer:expr, $F:ident, $float:expr, $bool:expr,
        [$($int:ident $int_type:ty),*], [$($real:ident $real_type:ty),*]) => {
        match $dtype {
            $($crate::tensor::DType::$int => {
                type $I = $int_type;
                $integer
            })*
            $($crate::tensor::DType::$real => {
                type $F = $real_type;
                $float
            })*
            $crate::tensor::DType::Bool => $bool,
        }
    };
}
pub(super) use with_kind;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap() {
        assert_eq!(i8::MIN.quotient(-1), Some(i8::MIN));
        assert_eq!(i64::MIN.rest(-1), Some(0));
        assert_eq!(7i32.quotient(0), None);
        assert_eq!(i16::MIN.magnitude(), i16::MIN);
    }

    #[test]
    fn towards_zero_leaves_infinity() {
        assert_eq!(f32::INFINITY.towards_zero(), f32::MAX);
        assert_eq!(Wide::towards_zero(0.0f64), 0.0);
    }
}
