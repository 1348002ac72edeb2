//! The float64 functions.

use super::pair::{Pair, estrin, horner};

/// ln 2 in two parts, the first with zeros at its end, so that small multiples of it are exact.
const LN2_UPPER: f64 = 0.693147180559663;
const LN2_LOWER: f64 = 2.8235290563031577e-13;
/// ln 2 to twice the precision.
const LN2: Pair<f64> = Pair::new(std::f64::consts::LN_2, 2.3190468138462996e-17);
const TWO_64: f64 = 1.8446744073709552e+19;
/// The largest argument of exp with a finite result.
const LOG_MAX: f64 = 709.782712893384;

/// To the nearest integer of a value that is whole; what does not fit becomes the smallest.
#[inline(always)]
fn whole_to_int(x: f64) -> i32 {
    if x.abs() < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// To the nearest integer, ties to even, also as a float, for |x| below 2^31; elsewhere anything.
/// The sum has no bits left behind the point.
#[inline(always)]
fn nearest_small(x: f64) -> (i32, f64) {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x + SHIFT;
    (shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32, shifted - SHIFT)
}

/// 2^q for a normal result.
#[inline(always)]
fn power_of_two(q: i32) -> f64 {
    f64::from_bits(u64::from(q.wrapping_add(1023) as u32) << 52)
}

/// `x * 2^q` in two steps.
#[inline(always)]
fn scale(x: f64, q: i32) -> f64 {
    x * power_of_two(q >> 1) * power_of_two(q.wrapping_sub(q >> 1))
}

/// e^d, 1 ULP.
#[inline(always)]
pub(crate) fn exp(d: f64) -> f64 {
    let (q, whole) = nearest_small(d * std::f64::consts::LOG2_E);
    let s = whole.mul_add(-LN2_LOWER, whole.mul_add(-LN2_UPPER, d));
    let u = estrin(
        s,
        [
            2.0812763782371645e-09,
            2.511210703042288e-08,
            2.755762628169491e-07,
            2.7557234020253882e-06,
            2.4801586874796863e-05,
            0.00019841269898558658,
            0.0013888888889144978,
            0.008333333333314938,
            0.041666666666666026,
            0.1666666666666669,
        ],
    );
    let u = horner(s, [u, 0.5, 1.0, 1.0]);
    let u = scale(u, q);
    let u = if d < -1000.0 { 0.0 } else { u };
    if d > LOG_MAX { f64::INFINITY } else { u }
}

/// 2^d, 1 ULP.
#[inline]
pub(crate) fn exp2(d: f64) -> f64 {
    let whole = d.round_ties_even();
    let s = d - whole;
    let u = estrin(
        s,
        [
            4.4343590829265295e-10,
            7.0731645980857074e-09,
            1.0178192609217605e-07,
            1.3215438725113276e-06,
            1.5252733535175847e-05,
            0.00015403530451011478,
            0.001333355814670499,
            0.0096181291075976,
            0.055504108664820466,
            0.24022650695910122,
        ],
    );
    let u = horner(s, [u, std::f64::consts::LN_2, 1.0]);
    if d >= 1024.0 {
        f64::INFINITY
    } else if d < -2000.0 {
        0.0
    } else {
        scale(u, whole_to_int(whole))
    }
}

#[inline(always)]
fn reduced_pair(d: Pair<f64>) -> (Pair<f64>, i32) {
    let whole = (d.sum() * std::f64::consts::LOG2_E).round_ties_even();
    (d.plus(whole * -LN2_UPPER).plus(whole * -LN2_LOWER), whole_to_int(whole))
}

/// e^d of a pair, as one float.
#[inline(always)]
fn exp_of_pair(d: Pair<f64>) -> f64 {
    let (s, q) = reduced_pair(d);
    let s = s.normalized();
    let u = estrin(
        s.hi,
        [
            2.5106968342095042e-08,
            2.7628616677027065e-07,
            2.7557249672502357e-06,
            2.480149739898198e-05,
            0.0001984126988090698,
            0.001388888893997713,
            0.008333333333323714,
            0.04166666666654095,
            0.16666666666666674,
            0.500000000000001,
        ],
    );
    let t = s.quick_added_to(1.0).quick_plus_pair(s.squared().times(u));
    if d.hi < -1000.0 { 0.0 } else { scale(t.sum(), q) }
}

/// e^s of a reduced argument, as a pair.
#[inline(always)]
fn pair_exp_reduced(s: Pair<f64>) -> Pair<f64> {
    let s4 = s.squared().squared();
    let u = estrin(
        s.hi,
        [
            1.602472219709932e-10,
            2.092255183563157e-09,
            2.5052300237826445e-08,
            2.7557248009021353e-07,
            2.7557318923860444e-06,
            2.480158735605815e-05,
            0.00019841269841480719,
            0.0013888888888867633,
            0.008333333333333347,
            0.0416666666666667,
        ],
    );
    let t = s.times(0.16666666666666666).quick_added_to(0.5);
    let t = t.times_pair(s).quick_added_to(1.0);
    let t = t.times_pair(s).quick_added_to(1.0);
    t.quick_plus_pair(s4.times(u))
}

/// e^d of a pair, as a pair.
#[inline(always)]
fn pair_exp_of_pair(d: Pair<f64>) -> Pair<f64> {
    let (s, q) = reduced_pair(d);
    let t = pair_exp_reduced(s);
    if d.hi < -1000.0 { Pair::from(0.0) } else { Pair::new(scale(t.hi, q), scale(t.lo, q)) }
}

/// e^a - 1, 1 ULP.
#[inline]
pub(crate) fn expm1(a: f64) -> f64 {
    let x = pair_exp_of_pair(a.into()).plus(-1.0).sum();
    if a.to_bits() == (-0.0f64).to_bits() {
        -0.0
    } else if a < -36.7368005696771 {
        -1.0
    } else if a > LOG_MAX {
        f64::INFINITY
    } else {
        x
    }
}

#[inline(always)]
fn exponent_of(d: f64) -> i32 {
    (d.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Adds to the exponent.
#[inline(always)]
fn shifted(d: f64, q: i32) -> f64 {
    f64::from_bits(d.to_bits().wrapping_add((i64::from(q) << 52) as u64))
}

/// `d` made normal, its exponent so that the mantissa lies in [0.75, 1.5), and what to add to it.
#[inline(always)]
fn split(d: f64) -> (f64, i32, i32) {
    let (d, missing) = if d < f64::MIN_POSITIVE { (d * TWO_64, 64) } else { (d, 0) };
    (d, exponent_of(d * (1.0 / 0.75)), missing)
}

/// (m - 1) / (m + 1), the argument of the series of log.
#[inline(always)]
fn ratio(m: f64) -> Pair<f64> {
    Pair::two_sum(-1.0, m).over(Pair::two_sum(1.0, m))
}

/// The natural logarithm, 1 ULP.
#[inline]
pub(crate) fn log(d: f64) -> f64 {
    let (d, e, missing) = split(d);
    let x = ratio(shifted(d, -e));
    if d == 0.0 {
        f64::NEG_INFINITY
    } else if d < 0.0 || d.is_nan() {
        f64::NAN
    } else if d == f64::INFINITY {
        f64::INFINITY
    } else {
        log_series(x, e - missing)
    }
}

/// e * ln 2 + 2 artanh x.
#[inline(always)]
fn log_series(x: Pair<f64>, e: i32) -> f64 {
    let x2 = x.hi * x.hi;
    let t = estrin(
        x2,
        [
            0.15320769885027014,
            0.15256290510034287,
            0.1818605932937786,
            0.222221451983938,
            0.28571429327942993,
            0.3999999999635252,
            0.6666666666667334,
        ],
    );
    let s = LN2.times(f64::from(e)).quick_plus_pair(x.scaled(2.0));
    s.quick_plus(x2 * x.hi * t).sum()
}

/// log(1 + d), 1 ULP.
#[inline]
pub(crate) fn log1p(d: f64) -> f64 {
    // Beyond it, 1 + d is d, and its product with 4/3 may overflow.
    const BOUND: f64 = 1e307;
    let (_, e, missing) = split(d + 1.0);
    let t = shifted(1.0, -e);
    let m = d.mul_add(t, t - 1.0);
    let x = Pair::from(m).over(Pair::quick_two_sum(2.0, m));
    if d.to_bits() == (-0.0f64).to_bits() {
        -0.0
    } else if d == -1.0 {
        f64::NEG_INFINITY
    } else if d < -1.0 {
        f64::NAN
    } else if d <= BOUND {
        log_series(x, e - missing)
    } else {
        log(d)
    }
}

/// The natural logarithm as a pair, for positive finite `d`.
#[inline(always)]
fn pair_log(d: f64) -> Pair<f64> {
    let (d, e, missing) = split(d);
    let x = ratio(shifted(d, -e));
    let x2 = x.squared();
    let t = estrin(
        x2.hi,
        [
            0.11625552407993504,
            0.10323968090107295,
            0.117754809412464,
            0.13332981086846274,
            0.15384622711451226,
            0.18181818085005078,
            0.22222222223008356,
            0.28571428571424917,
            0.4000000000000001,
        ],
    );
    let c = Pair::new(0.6666666666666666, 3.8055496254241206e-17);
    let s = LN2.times(f64::from(e - missing)).quick_plus_pair(x.scaled(2.0));
    let x3 = x2.times_pair(x);
    s.quick_plus_pair(x3.times_pair(c)).quick_plus_pair(x2.times_pair(x3).times(t))
}

/// x to the power of y, 1 ULP, with C's special cases.
#[inline]
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    let d = pair_log(x.abs()).times(y);
    let power = if d.hi > LOG_MAX { f64::INFINITY } else { exp_of_pair(d) };
    let whole = y.trunc() == y;
    let odd = whole && y.abs() < 9007199254740992.0 && y as i64 & 1 == 1;
    super::special_powers(x, y, power, whole, odd)
}

/// The hyperbolic tangent, 1 ULP.
#[inline]
pub(crate) fn tanh(x: f64) -> f64 {
    let d = pair_exp_of_pair(x.abs().into());
    let e = d.inverse();
    let y = d.plus_pair(e.negated()).over(d.plus_pair(e)).sum();
    super::odd_with_limit(x, y, 18.714_973_875, 1.0)
}

/// The hyperbolic sine, 1 ULP; infinite from 710.
#[inline]
pub(crate) fn sinh(x: f64) -> f64 {
    let d = pair_exp_of_pair(x.abs().into());
    super::odd_with_limit(x, d.quick_minus_pair(d.inverse()).sum() * 0.5, 710.0, f64::INFINITY)
}

/// The hyperbolic cosine, 1 ULP; infinite from 710.
#[inline]
pub(crate) fn cosh(x: f64) -> f64 {
    let d = pair_exp_of_pair(x.abs().into());
    super::odd_with_limit(x, d.quick_plus_pair(d.inverse()).sum() * 0.5, 710.0, f64::INFINITY).abs()
}

/// The angle of (x, y) for y >= 0.
#[inline(always)]
fn pair_atan2(y: Pair<f64>, x: Pair<f64>) -> Pair<f64> {
    let (x, q) = if x.hi < 0.0 { (x.negated(), -2) } else { (x, 0) };
    let (s, t, q) = if x.hi < y.hi { (x.negated(), y, q + 1) } else { (y, x, q) };
    let s = s.over(t);
    let t = s.squared().normalized();
    let u = estrin(
        t.hi,
        [
            1.0629848419144875e-05,
            -0.00012562064996728687,
            0.0007055766429639341,
            -0.0025186561449871336,
            0.006462628990369912,
            -0.012828133366339903,
            0.02080247999241458,
            -0.02890023447847403,
            0.03597850050351046,
            -0.04184857970359251,
            0.0470843011653284,
            -0.05249142105884484,
            0.0587946590969581,
            -0.06666208847787955,
            0.07692253302962038,
            -0.09090904427733876,
        ],
    );
    let u = horner(
        t.hi,
        [u, 0.11111110837689624, -0.14285714275626857, 0.19999999999797735, -0.3333333333333176],
    );
    let t = s.quick_plus_pair(s.times_pair(t).times(u));
    Pair::new(std::f64::consts::FRAC_PI_2, 6.123233995736766e-17).times(f64::from(q)).quick_plus_pair(t)
}

/// The angle of (x, y), 1 ULP.
#[inline]
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    // Where the reciprocal of x overflows.
    let factor = if x.abs() < 5.56268464626801e-309 { 9007199254740992.0 } else { 1.0 };
    let (y, x) = (y * factor, x * factor);
    let r = pair_atan2(y.abs().into(), x.into()).sum();
    super::special_angles(y, x, r, std::f64::consts::PI)
}

/// sqrt(x^2 + y^2) without overflow on the way, 0.5 ULP.
#[inline]
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    super::hypot(x, y, f64::MIN_POSITIVE, 1.8014398509481984e+16)
}

/// erf(a), 1 ULP.
#[inline]
pub(crate) fn erf(a: f64) -> f64 {
    const NEAR: ([f64; 21], [Pair<f64>; 3]) = (
        [
            -2.083271002525222e-15,
            7.151909970790897e-14,
            -1.1622382201109994e-12,
            1.1864742308215853e-11,
            -8.499973178354613e-11,
            4.5076474625988416e-10,
            -1.808044474288849e-09,
            5.435081826716212e-09,
            -1.1439398957586285e-08,
            1.2154423626808892e-08,
            1.6698787561812504e-08,
            -9.808074602255194e-08,
            1.3890005578658372e-07,
            2.945514529987332e-07,
            -1.8429182730039983e-06,
            3.417987836115362e-06,
            3.860236356493129e-06,
            -3.3094030727499475e-05,
            0.00010608629225975795,
            0.00023232531552130762,
            0.00014901497191455447,
        ],
        [
            Pair::new(0.00928779583922756, 7.928755946396111e-19),
            Pair::new(0.04227553175878469, 1.3785226620501015e-19),
            Pair::new(0.07052369794346953, 9.58466280707921e-19),
        ],
    );
    const FAR: ([f64; 21], [Pair<f64>; 3]) = (
        [
            -4.024015130752622e-19,
            3.847193332817048e-17,
            -1.749316241455644e-15,
            5.029618322872873e-14,
            -1.0252214668514632e-12,
            1.5736955593319456e-11,
            -1.8846585580402037e-10,
            1.7981678530321593e-09,
            -1.3807453423550331e-08,
            8.525705726469103e-08,
            -4.1604480581013034e-07,
            1.5172726600085885e-06,
            -3.3416341273172017e-06,
            -2.5150233958797245e-06,
            6.539731269664908e-05,
            -0.00035510650974283887,
            0.0012107360979583689,
            -0.0026055669125799987,
            0.0012528232024360932,
            0.018201913952633132,
            -0.1021557155453466,
        ],
        [
            Pair::new(-0.6369104438364175, -2.4249477526539433e-17),
            Pair::new(-1.1282926061803962, -6.2970338860411e-17),
            Pair::new(-1.2261313785184805e-05, -5.532970751449011e-22),
        ],
    );
    let x = a.abs();
    let near = x <= 2.5;
    let (c, [p2, p1, p0]) = if near { NEAR } else { FAR };
    let high = p2.quick_plus_pair(Pair::from(estrin(x, c)).times(x));
    let low = p0.quick_plus_pair(p1.times(x));
    let t = low.quick_plus_pair(high.times(x * x));
    let complement = if near {
        t.times(x).quick_added_to(1.0).squared().squared().squared().squared().inverse()
    } else {
        Pair::from(exp_of_pair(t))
    };
    let z = if a == 0.0 {
        0.0
    } else if x >= 6.0 {
        1.0
    } else if x < 1e-8 {
        x * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        -complement.plus(-1.0).sum()
    };
    if a.is_nan() { f64::NAN } else { z.copysign(a) }
}

/// 1 - erf(a), 1.5 ULP.
#[inline]
pub(crate) fn nearest_erfc(a: f64) -> f64 {
    /// Per range of |a|: the coefficients, and the lowest three to twice the precision.
    const TABLE: [([f64; 18], [Pair<f64>; 3]); 4] = [
        (
            [
                6.801072401395386e-21,
                -2.1617662475700557e-19,
                4.695919173301596e-18,
                -9.049140419888007e-17,
                1.6340189035574107e-15,
                -2.7834857863334517e-14,
                4.463221276786416e-13,
                -6.7113666228501366e-12,
                9.422759050232662e-11,
                -1.229055530100229e-09,
                1.4807192815850865e-08,
                -1.6365844691233998e-07,
                1.6462114365889236e-06,
                -1.4925650358406235e-05,
                0.00012055332981789679,
                -0.000854832702345085,
                0.005223977625442188,
                -0.026866170645131252,
            ],
            [
                Pair::new(0.11283791670955126, -4.017569162593212e-18),
                Pair::new(-0.37612638903183754, 1.3391897206042552e-17),
                Pair::new(std::f64::consts::FRAC_2_SQRT_PI, 1.5335459613165823e-17),
            ],
        ),
        (
            [
                3.4380103413625853e-13,
                -1.2370211881605983e-11,
                2.1179858398776279e-10,
                -2.2905609291773695e-09,
                1.7489316216981495e-08,
                -9.956602606623249e-08,
                4.330010240640327e-07,
                -1.4350506009917633e-06,
                3.4601394796506957e-06,
                -4.988908180632898e-06,
                -1.308775976326352e-06,
                2.82508654085031e-05,
                -6.393913713069986e-05,
                -2.566436514695079e-05,
                0.000589579237565944,
                -0.0016957155791635886,
                0.00020891164349180551,
                0.019128559495849178,
            ],
            [
                Pair::new(-0.10277263343147647, -6.23387140834049e-18),
                Pair::new(-0.6366197674291636, 7.632101915908572e-18),
                Pair::new(-1.1283791674717296, 8.089684775596538e-17),
            ],
        ),
        (
            [
                -57.578195364207104,
                466.92896544981045,
                -1796.3298794613559,
                4355.892193699576,
                -7456.258884965765,
                9553.977358167022,
                -9470.01990544423,
                7387.344321849855,
                -4557.713054166383,
                2207.8669673540553,
                -821.7975658621755,
                226.86594835079174,
                -46.33361260318561,
                9.557380123733946,
                -2.9584293319396613,
                0.16703295080927655,
                0.6096615680115419,
                0.0010592124431935436,
            ],
            [
                Pair::new(-0.5000518047399902, 2.6362140569041996e-17),
                Pair::new(1.6011062739249634e-06, 1.1974001857764477e-23),
                Pair::new(-0.5723649664514543, 3.070455324587203e-17),
            ],
        ),
        (
            [
                23342.497296387013,
                -46956.61044933108,
                31734.031087486434,
                3242.982786959574,
                -20147.179997603478,
                15540.069709671183,
                -6150.874190563554,
                1240.0477656348157,
                -82.103254757527,
                32.42443880839931,
                -29.234188638331606,
                0.3457461732814383,
                5.489730155952393,
                0.0015599341322512941,
                -1.5417415668315206,
                2.823152230558364e-06,
                0.6249999184195343,
                1.7417494164087013e-09,
            ],
            [
                Pair::new(-0.5000000000258444, -4.007404471238699e-17),
                Pair::new(2.3761973137523365e-13, -1.1670076950531027e-29),
                Pair::new(-0.5723649429247011, -2.3984352208056898e-17),
            ],
        ),
    ];
    let x = a.abs();
    let range = [1.0, 2.2, 4.2].iter().filter(|&&limit| x >= limit).count();
    let (c, [p2, p1, p0]) = TABLE[range];
    let u = match range {
        0 => Pair::two_product(x, x),
        1 => Pair::from(x),
        _ => Pair::from(1.0).over(x.into()),
    };
    let d = u.times(horner(u.hi, c)).plus_pair(p2);
    let d = d.times_pair(u).plus_pair(p1);
    let d = d.times_pair(u).plus_pair(p0);
    let tail = match range {
        0 => Pair::from(1.0).quick_minus_pair(d.times(x)),
        1 => pair_exp_of_pair(d.times(x)),
        _ => pair_exp_of_pair(Pair::from(-x).times(x).plus_pair(d)).times_pair(u),
    };
    let r = if x < 27.3 { tail.sum() } else { 0.0 };
    if a.is_nan() {
        f64::NAN
    } else if a.is_sign_negative() {
        2.0 - r
    } else {
        r
    }
}

/// log(d) from a logarithm of twice the precision, times a factor of the same.
#[inline]
fn nearest_log_times(d: f64, factor: Pair<f64>) -> f64 {
    if d > 0.0 && d < f64::INFINITY { pair_log(d).times_pair(factor).sum() } else { log(d) }
}

/// The natural logarithm, nearer than 1 ULP.
pub(crate) fn nearest_log(d: f64) -> f64 {
    nearest_log_times(d, Pair::new(1.0, 0.0))
}

/// The logarithm to base 10, nearer than 1 ULP.
pub(crate) fn nearest_log10(d: f64) -> f64 {
    nearest_log_times(d, Pair::new(std::f64::consts::LOG10_E, 1.098319650216765e-17))
}

/// e^d, nearer than 1 ULP.
pub(crate) fn nearest_exp(d: f64) -> f64 {
    if d > LOG_MAX {
        return f64::INFINITY;
    }
    let (s, q) = reduced_pair(Pair::from(d));
    // The two parts meet before they are scaled, where a subnormal result would lose the lower.
    if d < -1000.0 { 0.0 } else { scale(pair_exp_reduced(s).sum(), q) }
}
