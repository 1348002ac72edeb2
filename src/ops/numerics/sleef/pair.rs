//! Numbers carried as an unevaluated sum of two floats, and polynomials.
//!
//! The double-word arithmetic of Dekker and Knuth, in the variants and the order of operations
//! of Sleef 3.8 with fused multiply-add: every product error is one `mul_add`.

use std::ops::{Mul, Neg, Sub};

use super::super::lanes::Real;

/// `f32` or `f64`, where a multiply-add is rounded once.
pub(crate) trait Number: Real + Neg<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    const ONE: Self;
    const HALF: Self;
    const INFINITY: Self;
    const NAN: Self;

    /// `self * factor + term`, rounded once.
    fn fma(self, factor: Self, term: Self) -> Self;
    fn root(self) -> Self;
    fn magnitude(self) -> Self;
    fn negative(self) -> bool;

    /// `self` with its sign turned if `other` is negative.
    #[inline(always)]
    fn turned_by(self, other: Self) -> Self {
        if other.negative() { -self } else { self }
    }
}

macro_rules! number {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const ONE: $type = 1.0;
            const HALF: $type = 0.5;
            const INFINITY: $type = <$type>::INFINITY;
            const NAN: $type = <$type>::NAN;

            #[inline(always)]
            fn fma(self, factor: $type, term: $type) -> $type {
                self.mul_add(factor, term)
            }
            #[inline(always)]
            fn root(self) -> $type {
                self.sqrt()
            }
            #[inline(always)]
            fn magnitude(self) -> $type {
                self.abs()
            }
            #[inline(always)]
            fn negative(self) -> bool {
                self.is_sign_negative()
            }
        }
    )*};
}

number!(f32 f64);

/// `hi + lo`, where `lo` holds what `hi` had to round away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<R> {
    pub(crate) hi: R,
    pub(crate) lo: R,
}

impl<R: Number> From<R> for Pair<R> {
    #[inline(always)]
    fn from(hi: R) -> Pair<R> {
        Pair { hi, lo: R::ZERO }
    }
}

impl<R: Number> Pair<R> {
    #[inline(always)]
    pub(crate) const fn new(hi: R, lo: R) -> Pair<R> {
        Pair { hi, lo }
    }

    /// Both parts as one float.
    #[inline(always)]
    pub(crate) fn sum(self) -> R {
        self.hi + self.lo
    }

    #[inline(always)]
    pub(crate) fn normalized(self) -> Pair<R> {
        let hi = self.hi + self.lo;
        Pair { hi, lo: (self.hi - hi) + self.lo }
    }

    #[inline(always)]
    pub(crate) fn negated(self) -> Pair<R> {
        Pair { hi: -self.hi, lo: -self.lo }
    }

    /// Times a power of two.
    #[inline(always)]
    pub(crate) fn scaled(self, factor: R) -> Pair<R> {
        Pair { hi: self.hi * factor, lo: self.lo * factor }
    }

    /// `a + b` of two floats, exact.
    #[inline(always)]
    pub(crate) fn two_sum(a: R, b: R) -> Pair<R> {
        let hi = a + b;
        let part = hi - a;
        Pair { hi, lo: (a - (hi - part)) + (b - part) }
    }

    /// `a + b` of two floats, exact where `|a| >= |b|`.
    #[inline(always)]
    pub(crate) fn quick_two_sum(a: R, b: R) -> Pair<R> {
        let hi = a + b;
        Pair { hi, lo: (a - hi) + b }
    }

    /// `self + b`.
    #[inline(always)]
    pub(crate) fn plus(self, b: R) -> Pair<R> {
        let Pair { hi, lo } = Pair::two_sum(self.hi, b);
        Pair { hi, lo: lo + self.lo }
    }

    /// `self + b` where `self` is the larger.
    #[inline(always)]
    pub(crate) fn quick_plus(self, b: R) -> Pair<R> {
        let hi = self.hi + b;
        Pair { hi, lo: ((self.hi - hi) + b) + self.lo }
    }

    /// `self - b` where `self` is the larger.
    #[inline(always)]
    pub(crate) fn quick_minus(self, b: R) -> Pair<R> {
        let hi = self.hi - b;
        Pair { hi, lo: ((self.hi - hi) - b) + self.lo }
    }

    /// `a + self`.
    #[inline(always)]
    pub(crate) fn added_to(self, a: R) -> Pair<R> {
        let Pair { hi, lo } = Pair::two_sum(a, self.hi);
        Pair { hi, lo: lo + self.lo }
    }

    /// `a + self` where `a` is the larger.
    #[inline(always)]
    pub(crate) fn quick_added_to(self, a: R) -> Pair<R> {
        let hi = a + self.hi;
        Pair { hi, lo: ((a - hi) + self.hi) + self.lo }
    }

    /// `self + b`.
    #[inline(always)]
    pub(crate) fn plus_pair(self, b: Pair<R>) -> Pair<R> {
        let Pair { hi, lo } = Pair::two_sum(self.hi, b.hi);
        Pair { hi, lo: lo + (self.lo + b.lo) }
    }

    /// `self + b` where `self` is the larger.
    #[inline(always)]
    pub(crate) fn quick_plus_pair(self, b: Pair<R>) -> Pair<R> {
        let hi = self.hi + b.hi;
        Pair { hi, lo: (((self.hi - hi) + b.hi) + self.lo) + b.lo }
    }

    /// `self - b` where `self` is the larger.
    #[inline(always)]
    pub(crate) fn quick_minus_pair(self, b: Pair<R>) -> Pair<R> {
        let hi = self.hi - b.hi;
        Pair { hi, lo: (((self.hi - hi) - b.hi) + self.lo) - b.lo }
    }

    /// `a * b` of two floats, exact.
    #[inline(always)]
    pub(crate) fn two_product(a: R, b: R) -> Pair<R> {
        let hi = a * b;
        Pair { hi, lo: a.fma(b, -hi) }
    }

    #[inline(always)]
    pub(crate) fn times(self, b: R) -> Pair<R> {
        let Pair { hi, lo } = Pair::two_product(self.hi, b);
        Pair { hi, lo: self.lo.fma(b, lo) }
    }

    #[inline(always)]
    pub(crate) fn times_pair(self, b: Pair<R>) -> Pair<R> {
        let Pair { hi, lo } = Pair::two_product(self.hi, b.hi);
        Pair { hi, lo: self.hi.fma(b.lo, self.lo.fma(b.hi, lo)) }
    }

    #[inline(always)]
    pub(crate) fn squared(self) -> Pair<R> {
        let Pair { hi, lo } = Pair::two_product(self.hi, self.hi);
        Pair { hi, lo: (self.hi + self.hi).fma(self.lo, lo) }
    }

    #[inline(always)]
    pub(crate) fn over(self, d: Pair<R>) -> Pair<R> {
        let inverse = R::ONE / d.hi;
        let hi = self.hi * inverse;
        let rest = inverse.fma(self.hi, -hi);
        let error = (-d.lo).fma(inverse, (-d.hi).fma(inverse, R::ONE));
        Pair { hi, lo: hi.fma(error, self.lo.fma(inverse, rest)) }
    }

    #[inline(always)]
    pub(crate) fn inverse(self) -> Pair<R> {
        let hi = R::ONE / self.hi;
        Pair { hi, lo: hi * (-self.lo).fma(hi, (-self.hi).fma(hi, R::ONE)) }
    }

    /// The square root, by one step of Heron's from that of the sum.
    #[inline(always)]
    pub(crate) fn square_root(self) -> Pair<R> {
        let root = self.sum().root();
        self.plus_pair(Pair::two_product(root, root)).times_pair(Pair::from(root).inverse()).scaled(R::HALF)
    }
}

/// A polynomial by Horner's rule; the highest coefficient comes first.
#[inline(always)]
pub(crate) fn horner<R: Number, const N: usize>(x: R, coefficients: [R; N]) -> R {
    let mut sum = coefficients[0];
    for &coefficient in &coefficients[1..] {
        sum = sum.fma(x, coefficient);
    }
    sum
}

/// A polynomial by Estrin's scheme: neighbours first, then neighbours of those with the square.
/// The highest coefficient comes first.
#[inline(always)]
pub(crate) fn estrin<R: Number, const N: usize>(mut x: R, mut coefficients: [R; N]) -> R {
    coefficients.reverse();
    let mut count = N;
    while count > 1 {
        for pair in 0..count / 2 {
            coefficients[pair] = x.fma(coefficients[2 * pair + 1], coefficients[2 * pair]);
        }
        if count % 2 == 1 {
            coefficients[count / 2] = coefficients[count - 1];
        }
        count = count.div_ceil(2);
        x = x * x;
    }
    coefficients[0]
}
