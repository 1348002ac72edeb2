//! The float32 functions.

use super::pair::{Pair, horner};

/// ln 2 in two parts, the first with zeros at its end, so that small multiples of it are exact.
const LN2_UPPER: f32 = 0.693_145_75;
const LN2_LOWER: f32 = 1.428_606_8e-6;
/// ln 2 to twice the precision.
const LN2: Pair<f32> = Pair::new(std::f32::consts::LN_2, -1.904_654_3e-9);
const TWO_64: f32 = 1.844_674_4e19;

/// The coefficients 1/7! to 1/2! of exp, fitted.
const EXP: [f32; 6] = [0.000_198_527_62, 0.001_393_043_6, 0.008_333_361, 0.041_666_485, 0.166_666_67, 0.5];

/// To the nearest integer, ties to even; what does not fit becomes the smallest, as in x86.
#[inline(always)]
fn nearest(x: f32) -> i32 {
    // The comparison is false for NaN as well.
    if x.abs() < 2_147_483_648.0 { x.round_ties_even() as i32 } else { i32::MIN }
}

/// As [`nearest`], also as a float, for |x| below 2^22; elsewhere anything. The sum has no bits
/// left behind the point.
#[inline(always)]
fn nearest_small(x: f32) -> (i32, f32) {
    const SHIFT: f32 = 12_582_912.0;
    let shifted = x + SHIFT;
    (shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32, shifted - SHIFT)
}

/// 2^q for a normal result.
#[inline(always)]
fn power_of_two(q: i32) -> f32 {
    f32::from_bits((q.wrapping_add(127) as u32) << 23)
}

/// `x * 2^q` in two steps.
#[inline(always)]
fn scale(x: f32, q: i32) -> f32 {
    x * power_of_two(q >> 1) * power_of_two(q.wrapping_sub(q >> 1))
}

/// `x * 2^q` in five steps, for any `q`.
#[inline(always)]
fn scale_far(x: f32, q: i32) -> f32 {
    let sign = q >> 31;
    let quarter = ((sign.wrapping_add(q) >> 6).wrapping_sub(sign)) << 4;
    let rest = q.wrapping_sub(quarter << 2);
    let step = f32::from_bits((quarter.wrapping_add(127).clamp(0, 255) as u32) << 23);
    x * step * step * step * step * power_of_two(rest)
}

/// `d` without the multiple of ln 2 that lies nearest, and that multiple's factor; for |d| up to a
/// million.
#[inline(always)]
fn reduced(d: f32) -> (f32, i32) {
    let (q, whole) = nearest_small(d * std::f32::consts::LOG2_E);
    let s = whole.mul_add(-LN2_UPPER, d);
    (whole.mul_add(-LN2_LOWER, s), q)
}

#[inline(always)]
fn reduced_pair(d: Pair<f32>) -> (Pair<f32>, i32) {
    let q = nearest(d.sum() * std::f32::consts::LOG2_E);
    (d.plus(q as f32 * -LN2_UPPER).plus(q as f32 * -LN2_LOWER), q)
}

/// e^d, 1 ULP.
#[inline(always)]
pub(crate) fn exp(d: f32) -> f32 {
    let (s, q) = reduced(d);
    let u = scale(1.0 + (s * s).mul_add(horner(s, EXP), s), q);
    let u = if d < -104.0 { 0.0 } else { u };
    if d > 100.0 { f32::INFINITY } else { u }
}

/// 2^d, 1 ULP.
#[inline]
pub(crate) fn exp2(d: f32) -> f32 {
    let whole = d.round_ties_even();
    let s = d - whole;
    let u = horner(
        s,
        [
            0.000_153_592_09,
            0.001_339_262_7,
            0.009_618_385,
            0.055_503_473,
            0.240_226_45,
            std::f32::consts::LN_2,
            1.0,
        ],
    );
    if d >= 128.0 {
        f32::INFINITY
    } else if d < -150.0 {
        0.0
    } else {
        scale(u, nearest(whole))
    }
}

/// e^d of a pair, as one float.
#[inline(always)]
fn exp_of_pair(d: Pair<f32>) -> f32 {
    let (s, q) = reduced_pair(d);
    let s = s.normalized();
    let u = horner(s.hi, [0.001_363_246_5, 0.008_365_969, 0.041_671_082, 0.166_665_52, 0.499_999_85]);
    let t = s.quick_plus_pair(s.squared().times(u)).quick_added_to(1.0);
    if d.hi < -104.0 { 0.0 } else { scale_far(t.sum(), q) }
}

/// e^d of a pair, as a pair.
#[inline(always)]
fn pair_exp_of_pair(d: Pair<f32>) -> Pair<f32> {
    let (s, q) = reduced_pair(d);
    let u = horner(s.hi, [0.000_198_096_02, 0.001_394_256_5, 0.008_333_457, 0.041_666_374]);
    let t = s.times(u).plus(0.166_666_66);
    let t = s.times_pair(t).plus(0.5);
    let t = s.plus_pair(s.squared().times_pair(t)).quick_added_to(1.0);
    if d.hi < -104.0 { Pair::from(0.0) } else { Pair::new(scale(t.hi, q), scale(t.lo, q)) }
}

/// e^a - 1, 1 ULP.
#[inline]
pub(crate) fn expm1(a: f32) -> f32 {
    let x = pair_exp_of_pair(a.into()).plus(-1.0).sum();
    if a.to_bits() == (-0.0f32).to_bits() {
        -0.0
    } else if a < -16.635_532 {
        -1.0
    } else if a > 88.722_83 {
        f32::INFINITY
    } else {
        x
    }
}

#[inline(always)]
fn exponent_of(d: f32) -> i32 {
    (d.to_bits() >> 23 & 0xff) as i32 - 127
}

/// Adds to the exponent.
#[inline(always)]
fn shifted(d: f32, q: i32) -> f32 {
    f32::from_bits(d.to_bits().wrapping_add((q << 23) as u32))
}

/// `d` made normal, its exponent so that the mantissa lies in [0.75, 1.5), and what to add to it.
#[inline(always)]
fn split(d: f32) -> (f32, i32, i32) {
    let (d, missing) = if d < f32::MIN_POSITIVE { (d * TWO_64, 64) } else { (d, 0) };
    (d, exponent_of(d * (1.0 / 0.75)), missing)
}

/// (m - 1) / (m + 1), the argument of the series of log.
#[inline(always)]
fn ratio(m: f32) -> Pair<f32> {
    Pair::two_sum(-1.0, m).over(Pair::two_sum(1.0, m))
}

/// What a logarithm is outside its domain, else `r`.
#[inline(always)]
fn log_or(d: f32, r: f32) -> f32 {
    if d == 0.0 {
        f32::NEG_INFINITY
    } else if d < 0.0 || d.is_nan() {
        f32::NAN
    } else if d == f32::INFINITY {
        f32::INFINITY
    } else {
        r
    }
}

/// The natural logarithm, 1 ULP.
#[inline]
pub(crate) fn log(d: f32) -> f32 {
    let (d, e, missing) = split(d);
    let x = ratio(shifted(d, -e));
    log_or(d, log_series(x, e - missing))
}

/// e * ln 2 + 2 artanh x.
#[inline(always)]
fn log_series(x: Pair<f32>, e: i32) -> f32 {
    let x2 = x.hi * x.hi;
    let t = horner(x2, [0.302_729_5, 0.399_610_82, 0.666_669_5]);
    let s = LN2.times(e as f32).quick_plus_pair(x.scaled(2.0));
    s.quick_plus(x2 * x.hi * t).sum()
}

/// log(1 + d), 1 ULP.
#[inline]
pub(crate) fn log1p(d: f32) -> f32 {
    // Beyond it, 1 + d is d, and its product with 4/3 may overflow.
    const BOUND: f32 = 1e38;
    let (_, e, missing) = split(d + 1.0);
    let t = shifted(1.0, -e);
    let m = d.mul_add(t, t - 1.0);
    let x = Pair::from(m).over(Pair::quick_two_sum(2.0, m));
    if d.to_bits() == (-0.0f32).to_bits() {
        -0.0
    } else if d == -1.0 {
        f32::NEG_INFINITY
    } else if d < -1.0 {
        f32::NAN
    } else if d <= BOUND {
        log_series(x, e - missing)
    } else {
        log(d)
    }
}

/// The logarithm to base 2, 1 ULP.
#[inline]
pub(crate) fn log2(d: f32) -> f32 {
    let (d, e, missing) = split(d);
    let x = ratio(shifted(d, -e));
    let x2 = x.hi * x.hi;
    let t = horner(x2, [0.437_455_03, 0.576_479, 0.961_801_3]);
    let s = x.times_pair(Pair::new(2.885_39, 3.273_447_4e-8)).added_to((e - missing) as f32);
    log_or(d, s.plus(x2 * x.hi * t).sum())
}

/// The logarithm to base 10, 1 ULP.
#[inline]
pub(crate) fn log10(d: f32) -> f32 {
    let (d, e, missing) = split(d);
    let x = ratio(shifted(d, -e));
    let x2 = x.hi * x.hi;
    let t = horner(x2, [0.131_428_99, 0.173_549_35, 0.289_530_97]);
    let s = Pair::new(std::f32::consts::LOG10_2, -1.432_098_9e-8)
        .times((e - missing) as f32)
        .quick_plus_pair(x.times_pair(Pair::new(0.868_589, -2.170_757_3e-8)));
    log_or(d, s.quick_plus(x2 * x.hi * t).sum())
}

/// The natural logarithm as a pair, for positive finite `d`.
#[inline(always)]
fn pair_log(d: f32) -> Pair<f32> {
    let (d, e, missing) = split(d);
    let x = ratio(shifted(d, -e));
    let x2 = x.squared();
    let t = horner(x2.hi, [0.240_320_35, 0.285_112_68, 0.400_008]);
    let c = Pair::new(0.666_666_6, 3.691_838_6e-9);
    let s = LN2.times((e - missing) as f32).quick_plus_pair(x.scaled(2.0));
    s.quick_plus_pair(x2.times_pair(x).times_pair(x2.times(t).plus_pair(c)))
}

/// x to the power of y, 1 ULP, with C's special cases.
#[inline]
pub(crate) fn pow(x: f32, y: f32) -> f32 {
    let power = exp_of_pair(pair_log(x.abs()).times(y));
    let power = if power.is_nan() { f32::INFINITY } else { power };
    let whole = y.trunc() == y;
    let odd = whole && y.abs() < 16_777_216.0 && y as i32 & 1 == 1;
    super::special_powers(x, y, power, whole, odd)
}

/// The hyperbolic tangent, 1 ULP.
#[inline]
pub(crate) fn tanh(x: f32) -> f32 {
    let d = pair_exp_of_pair(x.abs().into());
    let e = d.inverse();
    let y = d.quick_plus_pair(e.negated()).over(d.quick_plus_pair(e)).sum();
    super::odd_with_limit(x, y, 8.664_34, 1.0)
}

/// The hyperbolic sine, 1 ULP; infinite from 89.
#[inline]
pub(crate) fn sinh(x: f32) -> f32 {
    let d = pair_exp_of_pair(x.abs().into());
    super::odd_with_limit(x, d.quick_minus_pair(d.inverse()).sum() * 0.5, 89.0, f32::INFINITY)
}

/// The hyperbolic cosine, 1 ULP; infinite from 89.
#[inline]
pub(crate) fn cosh(x: f32) -> f32 {
    let d = pair_exp_of_pair(x.abs().into());
    super::odd_with_limit(x, d.quick_plus_pair(d.inverse()).sum() * 0.5, 89.0, f32::INFINITY).abs()
}

/// The angle of (x, y) for y >= 0.
#[inline(always)]
fn pair_atan2(y: Pair<f32>, x: Pair<f32>) -> Pair<f32> {
    let (x, q) = if x.hi < 0.0 { (x.negated(), -2) } else { (x, 0) };
    let (s, t, q) = if x.hi < y.hi { (x.negated(), y, q + 1) } else { (y, x, q) };
    let s = s.over(t);
    let t = s.squared().normalized();
    let u = horner(
        t.hi,
        [
            -0.001_763_979_1,
            0.010_790_09,
            -0.030_956_46,
            0.057_736_51,
            -0.083_895_07,
            0.109_463_56,
            -0.142_626_82,
            0.199_983_2,
        ],
    );
    let t = t.times_pair(Pair::quick_two_sum(-0.333_332_87, u * t.hi));
    let t = s.times_pair(t.quick_added_to(1.0));
    Pair::new(1.570_796_4, -4.371_139e-8).times(q as f32).quick_plus_pair(t)
}

/// The angle of (x, y), 1 ULP.
#[inline]
pub(crate) fn atan2(y: f32, x: f32) -> f32 {
    // Where the reciprocal of x overflows.
    let factor = if x.abs() < 2.938_737e-39 { 16_777_216.0 } else { 1.0 };
    let (y, x) = (y * factor, x * factor);
    let r = pair_atan2(y.abs().into(), x.into()).sum();
    super::special_angles(y, x, r, std::f32::consts::PI)
}

/// sqrt(x^2 + y^2) without overflow on the way, 0.5 ULP.
#[inline]
pub(crate) fn hypot(x: f32, y: f32) -> f32 {
    super::hypot(x, y, f32::MIN_POSITIVE, 16_777_216.0)
}

/// 1 - erf(a), 1.5 ULP.
#[inline]
pub(crate) fn erfc(a: f32) -> f32 {
    const TABLE: [[f64; 8]; 4] = [
        [
            -0.8638041618e-4,
            0.6000166177e-3,
            -0.1665703603e-2,
            0.1795156277e-3,
            0.1914106123e-1,
            -0.10277535934393028,
            -0.6366194832084819,
            -1.128379177905374,
        ],
        [
            -0.6236977242e-5,
            0.5749821503e-4,
            0.6002851478e-5,
            -0.2851036377e-2,
            0.2260518074e-1,
            -0.10524758345933863,
            -0.635609463574589,
            -1.1285598737666862,
        ],
        [
            -0.3869504035,
            0.1288077235e1,
            -0.1816803217e1,
            0.1249150872e1,
            -0.1328857988,
            -0.4823653103330453,
            -0.0013445020322453399,
            -0.572319781150473,
        ],
        [
            0.1115344167e1,
            -0.9454904199,
            -0.3667259514,
            0.7155663371,
            -0.1262947265e-1,
            -0.49896154625453765,
            -4.711995434228485e-05,
            -0.572364030327966,
        ],
    ];
    let x = a.abs();
    let range = [1.0, 2.2, 4.3].iter().filter(|&&limit| x >= limit).count();
    let [c0, c1, c2, c3, c4, p0, p1, p2] = TABLE[range];
    let wide = |c: f64| Pair::new(c as f32, (c - f64::from(c as f32)) as f32);
    let near = x < 2.2;
    let u = if near { Pair::from(x) } else { Pair::from(1.0).over(x.into()) };
    let t = horner(u.hi, [c0, c1, c2, c3, c4].map(|c| c as f32));
    let d = u.times(t).plus_pair(wide(p0));
    let d = d.times_pair(u).plus_pair(wide(p1));
    let d = d.times_pair(u).plus_pair(wide(p2));
    let tail = if near {
        pair_exp_of_pair(d.times(x))
    } else {
        pair_exp_of_pair(Pair::from(-x).times(x).plus_pair(d)).times_pair(u)
    };
    let r = if x < 10.1 { tail.sum() } else { 0.0 };
    if a.is_nan() {
        f32::NAN
    } else if a.is_sign_negative() {
        2.0 - r
    } else {
        r
    }
}

/// The arc sine, 1 ULP.
#[inline]
pub(crate) fn asin(d: f32) -> f32 {
    let a = d.abs();
    let near = a < 0.5;
    let x2 = if near { d * d } else { (1.0 - a) * 0.5 };
    let x = if a == 1.0 {
        Pair::from(0.0)
    } else if near {
        Pair::from(a)
    } else {
        Pair::from(x2).square_root()
    };
    let u = horner(x2, [0.041_974_55, 0.024_240_46, 0.045_474_24, 0.074_950_29, 0.166_667_73]);
    let u = u * (x2 * x.hi);
    let quarter = Pair::new(std::f32::consts::PI / 4.0, -8.742_278e-8 / 4.0);
    let r = if near { u + x.hi } else { quarter.quick_minus_pair(x).quick_minus(u).sum() * 2.0 };
    super::Number::turned_by(r, d)
}

/// erf(a) by Abramowitz and Stegun 7.1.26, whose error is up to 1.5e-7.
#[inline]
pub(crate) fn erf(a: f32) -> f32 {
    let t = 1.0 / 0.327_591_1f32.mul_add(a.abs(), 1.0);
    let r = horner(t, [1.061_405_4, -1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6]);
    let value = (-exp(-(a * a)) * t).mul_add(r, 1.0);
    super::Number::turned_by(value, a)
}

/// The sine of |d| < 39000, 3.5 ULP: the one less accurate function, which PyTorch takes for sin.
#[inline]
pub(crate) fn sin(d: f32) -> f32 {
    // Pi in three parts and in four, all but the last with zeros at their ends.
    const NEAR: [f32; 4] = [3.141_479_5, 0.000_113_159_42, 1.984_187_3e-9, 0.0];
    const FAR: [f32; 4] = [3.140_625, 0.000_967_025_76, 6.277_114e-7, 1.215_420_1e-10];
    let parts = if d.abs() < 125.0 { NEAR } else { FAR };
    let half_turns = nearest(d * std::f32::consts::FRAC_1_PI);
    let rest = parts.iter().fold(d, |rest, part| (half_turns as f32).mul_add(-part, rest));
    let s = rest * rest;
    let rest = if half_turns & 1 == 1 { -rest } else { rest };
    let u = horner(s, [2.608_316e-6, -0.000_198_106_9, 0.008_333_079, -0.166_666_6]);
    if d == 0.0 { d } else { s * (u * rest) + rest }
}
