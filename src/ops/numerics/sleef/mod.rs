//! The vector functions that PyTorch's AVX2 kernels take from Sleef 3.8, one lane at a time.
//!
//! Each gives the bits of Sleef's AVX2 function of the same name and accuracy (`expf8_u10` and so
//! on), whatever the machine: these are ports, in our own words, of the published algorithms with
//! their constants (<https://sleef.org>, Boost Software License 1.0). Only the variants with fused
//! multiply-add exist, so `mul_add` stands exactly where Sleef has one.

mod double;
mod pair;
mod single;

use pair::Pair;
pub(crate) use pair::{Number, horner};

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
            #[inline(always)]
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
pub(crate) use single::{asin, erfc, log2, log10, sin};

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments with what PyTorch's vector functions answer, all bits.
    fn check<const N: usize>(f: fn(f32) -> f32, rows: [(u32, u32); N]) {
        for (argument, expected) in rows {
            let found = f(f32::from_bits(argument));
            assert_eq!(found.to_bits(), expected, "at {}", f32::from_bits(argument));
        }
    }

    #[test]
    fn expm1_gives_the_bits_of_the_vector_function() {
        check(
            Sleef::expm1,
            [
                (0x4172004d, 0x4a621ba4),
                (0x41732d23, 0x4a7356ff),
                (0x40fc42ad, 0x4525b2f6),
                (0x4009483f, 0x40f15ad2),
                (0xc069b5fc, 0xbf795b98),
                (0x4092b1f2, 0x42c1da9a),
            ],
        );
    }

    #[test]
    fn log1p_gives_the_bits_of_the_vector_function() {
        check(
            Sleef::log1p,
            [
                (0x419f215b, 0x4042846b),
                (0x3fb3c6e6, 0x3f6099b0),
                (0x3fca775b, 0x3f72cf35),
                (0x4247d50f, 0x407b958e),
                (0x420138ec, 0x40605dcd),
                (0x413095ca, 0x401f3a90),
            ],
        );
    }

    #[test]
    fn exp2_gives_the_bits_of_the_vector_function() {
        check(
            Sleef::exp2,
            [
                (0xc1d74f21, 0x3207e577),
                (0x42e293ab, 0x781c5375),
                (0x42bacad8, 0x6e287347),
                (0x429f0009, 0x67350728),
                (0xc217e62f, 0x2c8241a9),
                (0xc13d0635, 0x39919ca6),
            ],
        );
    }

    #[test]
    fn exp_gives_the_bits_of_the_vector_function_in_a_sigmoid() {
        check(
            |x| 1.0 / (1.0 + Sleef::exp(0.0 - x)),
            [
                (0x4034ee0e, 0x3f71b1cb),
                (0xc0e0de78, 0x3a686f0d),
                (0x3f63b8c1, 0x3f357394),
                (0xc06a0897, 0x3cce28e0),
                (0x40c261a3, 0x3f7f698d),
                (0xc0df1f49, 0x3a75765b),
            ],
        );
    }

    #[test]
    fn pow_gives_the_bits_of_the_vector_function() {
        check(
            |x| Sleef::pow(x, 2.75),
            [
                (0x4207f6f2, 0x467e2458),
                (0x422e11d6, 0x46faad2f),
                (0x41371753, 0x444badad),
                (0x423321a8, 0x47079e3e),
                (0x422e7d7f, 0x46fc5872),
                (0x3f8312bb, 0x3f88a13b),
            ],
        );
    }

    #[test]
    fn powers_of_special_operands_are_those_of_c() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for x in [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, inf, -inf, nan] {
            for y in [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, inf, -inf, nan] {
                let (own, std) = (Sleef::pow(x, y), f64::powf(x, y));
                let same = own.total_cmp(&std).is_eq() || (own.is_nan() && std.is_nan());
                // Ordinary powers may round another way.
                let near = std.is_finite() && std != 0.0 && (own / std - 1.0).abs() < 1e-15;
                assert!(same || near, "{x}^{y}: {own}, not {std}");
            }
        }
    }

    #[test]
    fn angles_of_special_operands_are_those_of_c() {
        let values = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY];
        for y in values {
            for x in values {
                let (own, std) = (Sleef::atan2(y, x), f32::atan2(y, x));
                // Ordinary angles may round another way.
                assert!(own.to_bits().abs_diff(std.to_bits()) <= 1, "{y} over {x}: {own}, not {std}");
            }
        }
    }

    #[test]
    fn subnormal_results_are_scaled_in_steps() {
        assert_eq!(Sleef::exp(-103.5f32).to_bits(), 1);
        assert_eq!(Sleef::exp(-104.5f32), 0.0);
        assert_eq!(Sleef::exp(-745.0f64).to_bits(), 1);
        assert_eq!(Sleef::exp(-1001.0f64), 0.0);
    }
}
