//! The vector functions that PyTorch's AVX2 kernels take from Sleef 3.8, one lane at a time.
//!
//! Each gives the bits of Sleef's AVX2 function of the same name and accuracy (`expf8_u10` and so
//! on), whatever the machine: these are ports, in our own words, of the published algorithms with
//! their constants (<https://sleef.org>, Boost Software License 1.0). Only the variants with fused
//! multiply-add exist, so `mul_add` stands exactly where Sleef has one.

mod double;
mod pair;
mod single;

pub(crate) use pair::Number;
use pair::Pair;

/// A type that Sleef's functions exist for: the float types in which PyTorch's kernels compute.
pub(crate) trait Sleef: Number {
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn expm1(self) -> Self;
    fn log(self) -> Self;
    fn log1p(self) -> Self;
    fn tanh(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn pow(self, exponent: Self) -> Self;
    /// The angle of the point whose height is `self`.
    fn atan2(self, x: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
    /// The error function as `Vectorized` has it: for float32 a short polynomial of PyTorch's own
    /// (Abramowitz and Stegun 7.1.26) that is good to 1.5e-7 only, for float64 Sleef's.
    fn erf(self) -> Self;
}

macro_rules! functions {
    ($type:ty, $module:ident) => {
        impl Sleef for $type {
            #[inline]
            fn exp(self) -> $type {
                $module::exp(self)
            }
            #[inline]
            fn exp2(self) -> $type {
                $module::exp2(self)
            }
            #[inline]
            fn expm1(self) -> $type {
                $module::expm1(self)
            }
            #[inline]
            fn log(self) -> $type {
                $module::log(self)
            }
            #[inline]
            fn log1p(self) -> $type {
                $module::log1p(self)
            }
            #[inline]
            fn tanh(self) -> $type {
                $module::tanh(self)
            }
            #[inline]
            fn sinh(self) -> $type {
                $module::sinh(self)
            }
            #[inline]
            fn cosh(self) -> $type {
                $module::cosh(self)
            }
            #[inline]
            fn pow(self, exponent: $type) -> $type {
                $module::pow(self, exponent)
            }
            #[inline]
            fn atan2(self, x: $type) -> $type {
                $module::atan2(self, x)
            }
            #[inline]
            fn hypot(self, other: $type) -> $type {
                $module::hypot(self, other)
            }
            #[inline]
            fn erf(self) -> $type {
                $module::erf(self)
            }
        }
    };
}

functions!(f32, single);
functions!(f64, double);

/// Where a result near to the correctly rounded one is wanted.
pub(crate) use double::{nearest_erfc, nearest_exp, nearest_log, nearest_log10};
/// Functions that PyTorch has from Sleef for its 16-bit types only, by way of float32: float32
/// and float64 go to Intel's library there.
pub(crate) use single::{asin, erfc, log2, log10};

/// C's rules for `pow` around `power`, which is that of the magnitude.
#[inline(always)]
fn special_powers<R: Number>(x: R, y: R, power: R, whole: bool, odd: bool) -> R {
    let infinite = |v: R| v.magnitude() == R::INFINITY;
    if y == R::ZERO || x == R::ONE {
        return R::ONE;
    }
    if x.is_nan() || y.is_nan() {
        return R::NAN;
    }
    if infinite(x) || x == R::ZERO {
        let size = if y.negative() != (x == R::ZERO) { R::ZERO } else { R::INFINITY };
        return if odd { size.turned_by(x) } else { size };
    }
    if infinite(y) {
        let towards = (x.magnitude() - R::ONE).turned_by(y);
        return if towards < R::ZERO {
            R::ZERO
        } else if towards == R::ZERO {
            R::ONE
        } else {
            R::INFINITY
        };
    }
    match (x > R::ZERO, whole, odd) {
        (true, ..) | (false, true, false) => power,
        (false, true, true) => -power,
        (false, false, _) => R::NAN,
    }
}

/// An odd function that has computed `y` at |x|, and is at its limit beyond some `x`.
#[inline(always)]
fn odd_with_limit<R: Number>(x: R, y: R, from: R, limit: R) -> R {
    if x.is_nan() {
        return R::NAN;
    }
    let y = if x.magnitude() > from || y.is_nan() { limit } else { y };
    y.turned_by(x)
}

/// C's rules for `atan2` around `r`, the angle for |y| and |x|'s side.
#[inline(always)]
fn special_angles<R: Number>(y: R, x: R, r: R, pi: R) -> R {
    if x.is_nan() || y.is_nan() {
        return R::NAN;
    }
    let half = pi * R::HALF;
    let infinite = |v: R| v.magnitude() == R::INFINITY;
    let from_side = |step: R| if infinite(x) { half - step.turned_by(x) } else { half };
    let angle = if y == R::ZERO {
        if x.negative() { pi } else { R::ZERO }
    } else if infinite(y) {
        from_side(half * R::HALF)
    } else if infinite(x) || x == R::ZERO {
        from_side(half)
    } else {
        r.turned_by(x)
    };
    angle.turned_by(y)
}

#[inline(always)]
fn hypot<R: Number>(x: R, y: R, smallest: R, factor: R) -> R {
    let (x, y) = (x.magnitude(), y.magnitude());
    if x == R::INFINITY || y == R::INFINITY {
        return R::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return R::NAN;
    }
    let (low, high) = if x < y { (x, y) } else { (y, x) };
    if low == R::ZERO {
        return high;
    }
    let factor = if high < smallest { factor } else { R::ONE };
    let ratio = Pair::from(low * factor).over(Pair::from(high * factor));
    let root = ratio.squared().plus(R::ONE).square_root().times(high).sum();
    if root.is_nan() { R::INFINITY } else { root }
}
