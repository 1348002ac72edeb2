//! Functions as near to the correctly rounded result as is cheap.
//!
//! They stand in where PyTorch calls Intel's closed-source vector library (MKL VML, high
//! accuracy), which promises less than 1 ULP: two results that near lie at most 1 ULP apart.
//! float32 is computed in float64 and rounded once, which misses the correctly rounded result
//! about once in 10^8; float64 comes from pairs of floats where such a function exists, else from
//! the C library of the system. 16-bit types go through float32 there as in PyTorch, and get
//! PyTorch's very bits ([`sleef`](super::sleef)).

use super::sleef;

/// A type that the functions exist for.
pub(crate) trait Nearest: Copy {
    fn exp(self) -> Self;
    /// [`exp`](Nearest::exp) of every value, to the same bits.
    fn exps(values: &[Self], out: &mut Vec<Self>);
    fn log(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn tanh(self) -> Self;
    fn erf(self) -> Self;
    fn erfc(self) -> Self;
}

macro_rules! nearest {
    ($($name:ident => $double:expr;)*) => {
        impl Nearest for f64 {
            #[inline(always)]
            fn exps(values: &[f64], out: &mut Vec<f64>) {
                out.extend(values.iter().map(|&x| sleef::nearest_exp(x)));
            }
            $(fn $name(self) -> f64 {
                $double(self)
            })*
        }
        impl Nearest for f32 {
            #[inline(always)]
            fn exps(values: &[f32], out: &mut Vec<f32>) {
                exps(values, out);
            }
            $(fn $name(self) -> f32 {
                $double(f64::from(self)) as f32
            })*
        }
    };
}

nearest! {
    exp => sleef::nearest_exp;
    log => sleef::nearest_log;
    log2 => f64::log2;
    log10 => sleef::nearest_log10;
    sin => f64::sin;
    cos => f64::cos;
    tan => f64::tan;
    asin => f64::asin;
    acos => f64::acos;
    atan => f64::atan;
    tanh => sleef::Sleef::tanh;
    erf => sleef::Sleef::erf;
    erfc => sleef::nearest_erfc;
}

/// Values that are computed together.
const CHUNK: usize = 32;

/// e^x in float32. What lies within [`DOUBT`] of a short polynomial in float64 nearly always rounds
/// to one and the same float32, and then that is the answer. Where one value of a chunk is in
/// doubt, or its result subnormal or infinite, the whole chunk goes the long way.
#[inline(always)]
fn exps(values: &[f32], out: &mut Vec<f32>) {
    let mut chunks = values.chunks_exact(CHUNK);
    for chunk in &mut chunks {
        let mut results = [0.0; CHUNK];
        let mut certain = true;
        for x in chunk {
            certain &= x.abs() < 87.0;
        }
        for (result, &x) in results.iter_mut().zip(chunk) {
            let (power, is_certain) = quick_exp(x);
            *result = power;
            certain &= is_certain;
        }
        if !certain {
            for (result, &x) in results.iter_mut().zip(chunk) {
                *result = Nearest::exp(x);
            }
        }
        out.extend_from_slice(&results);
    }
    out.extend(chunks.remainder().iter().map(|&x| Nearest::exp(x)));
}

/// e^x for |x| up to half of ln 2, to 2^-40.2 of it: the polynomial of least relative error.
const EXP: [f64; 9] = [
    2.4727201171509303e-05,
    0.0001991543683616294,
    0.0013889178760601282,
    0.008333267005469608,
    0.04166666421858137,
    0.16666666885578216,
    0.5000000000618722,
    0.9999999999806076,
    0.9999999999997621,
];

/// How far [`EXP`] may be from e^x in units of float64's last place, and a little more: at 1, where
/// that is 2^-53 from below, 2^-40.2 is 7000 of them.
const DOUBT: u64 = 8192;

/// e^x for |x| below 87, and whether it is certainly the nearest.
#[inline(always)]
fn quick_exp(x: f32) -> (f32, bool) {
    /// Adding it leaves no bits behind the point.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    /// What float64 has behind the last bit of float32, and half of the latter.
    const BEHIND: u64 = (1 << 29) - 1;
    const HALF: u64 = 1 << 28;
    let x = f64::from(x);
    let shifted = x.mul_add(std::f64::consts::LOG2_E, SHIFT);
    let rest = (shifted - SHIFT).mul_add(-std::f64::consts::LN_2, x);
    let power = sleef::horner(rest, EXP);
    // To the exponent goes the power of two; far from a tie, the rounding is certain.
    let bits = power.to_bits().wrapping_add(shifted.to_bits() << 52);
    let is_certain = bits.wrapping_add(HALF + DOUBT) & BEHIND >= 2 * DOUBT;
    (f64::from_bits(bits) as f32, is_certain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{self, Level};
    use crate::tensor::Element as _;

    #[test]
    fn exp_of_many_values_has_the_bits_of_exp_of_each() {
        let mut values: Vec<f32> = (0..400_000).map(|i| (i - 200_000) as f32 * 4.5e-4).collect();
        values.extend((0..=u32::MAX).step_by(20_011).map(f32::from_bits));
        values.extend([0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 88.722_83, 88.722_84, -103.97]);
        for level in [Level::Portable, Level::best()] {
            let mut many = Vec::new();
            cpu::at(
                level,
                #[inline(always)]
                || f32::exps(&values, &mut many),
            );
            for (&x, many) in values.iter().zip(many) {
                assert!(many.identical(Nearest::exp(x)), "{x:e} at {}", level.name());
            }
        }
    }

    #[test]
    fn short_rows_of_values_are_complete() {
        for n in [0, 1, 31, 32, 33, 64] {
            let mut many = Vec::new();
            f32::exps(&vec![1.0; n], &mut many);
            assert_eq!(many, vec![std::f32::consts::E; n]);
        }
    }
}
