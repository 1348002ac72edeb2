//! The activation that PyTorch hands to oneDNN, as its AVX2 code computes it.
//!
//! Ported in our own words from the published algorithm (`jit_uni_eltwise_injector.cpp` of
//! oneDNN, Apache License 2.0). With AVX-512 oneDNN uses another approximation; the corpus is
//! made with AVX2.

use super::sleef::horner;

const LN_2: f32 = std::f32::consts::LN_2;
/// The logarithms of the largest and the smallest normal float32.
const LN_MAX: f32 = 88.722_84;
const LN_MIN: f32 = -87.336_55;

/// e^x, good to 20 ULP; 0 where the result would be subnormal.
fn exp(x: f32) -> f32 {
    // As x86's minimum and maximum, which give their second operand for NaN.
    let clamped = if x < LN_MAX { x } else { LN_MAX };
    let clamped = if clamped > LN_MIN { clamped } else { LN_MIN };
    let n = (clamped * std::f32::consts::LOG2_E + 0.5).floor();
    let r = n.mul_add(-LN_2, clamped);
    let polynomial = horner(r, [0.008_289_291, 0.041_897_822, 0.166_676_52, 0.499_991_5, 0.999_999_7, 1.0]);
    // 2^128 is no float32: the last doubling comes apart.
    let scale = f32::from_bits(((n as i32 - 1 + 127) as u32) << 23);
    if x < LN_MIN { 0.0 } else { polynomial * scale * 2.0 }
}

/// erf by Abramowitz and Stegun 7.1.26, given e^(-x^2).
fn erf(x: f32, power: f32) -> f32 {
    let t = 1.0 / 0.327_591_1f32.mul_add(x.abs(), 1.0);
    let r = horner(t, [1.061_405_4, -1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6]);
    let magnitude = (-power * t).mul_add(r, 1.0);
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// x/2 (1 + erf(x / sqrt 2)).
pub(crate) fn gelu(x: f32) -> f32 {
    let scaled = x * std::f32::consts::FRAC_1_SQRT_2;
    let erf = erf(scaled, exp(-(scaled * scaled)));
    let half = 0.5 * x;
    erf.mul_add(half, half)
}

/// The derivative of [`gelu`]: x / sqrt(2 pi) e^(-x^2/2) + 1/2 + erf(x / sqrt 2) / 2.
pub(crate) fn gelu_slope(x: f32) -> f32 {
    let scaled = x * std::f32::consts::FRAC_1_SQRT_2;
    let power = exp(-(scaled * scaled));
    // 1 / sqrt(pi), rounded down.
    let density = scaled * f32::from_bits(0x3f10_6eba) * power;
    erf(scaled, power).mul_add(0.5, density + 0.5)
}
