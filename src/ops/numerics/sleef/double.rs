//! The float64 functions.

use super::pair::{Pair, estrin, horner};

/// ln 2 in two parts, the first with zeros at its end, so that small multiples of it are exact.
const LN2_UPPER: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
const LN2_LOWER: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;
/// ln 2 to twice the precision.
const LN2: Pair<f64> = Pair::new(0.693_147_180_559_945_286_226_764, 2.319_046_813_846_299_558_417_771e-17);
const TWO_64: f64 = 18_446_744_073_709_551_616.0;
/// The largest argument of exp with a finite result.
const LOG_MAX: f64 = 709.782_712_893_383_996_732_223;

/// To the nearest integer of a value that is whole; what does not fit becomes the smallest.
#[inline(always)]
fn whole_to_int(x: f64) -> i32 {
    if x.abs() < 2_147_483_648.0 { x as i32 } else { i32::MIN }
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
#[inline]
pub(crate) fn exp(d: f64) -> f64 {
    let whole = (d * std::f64::consts::LOG2_E).round_ties_even();
    let s = whole.mul_add(-LN2_LOWER, whole.mul_add(-LN2_UPPER, d));
    let u = estrin(
        s,
        [
            0.2081276378237164457e-8,
            0.2511210703042288022e-7,
            0.2755762628169491192e-6,
            0.2755723402025388239e-5,
            0.2480158687479686264e-4,
            0.1984126989855865850e-3,
            0.1388888888914497797e-2,
            0.8333333333314938210e-2,
            0.4166666666666602598e-1,
            0.1666666666666669072,
        ],
    );
    let u = horner(s, [u, 0.5, 1.0, 1.0]);
    if d < -1000.0 {
        0.0
    } else if d > LOG_MAX {
        f64::INFINITY
    } else {
        scale(u, whole_to_int(whole))
    }
}

/// 2^d, 1 ULP.
#[inline]
pub(crate) fn exp2(d: f64) -> f64 {
    let whole = d.round_ties_even();
    let s = d - whole;
    let u = estrin(
        s,
        [
            0.4434359082926529454e-9,
            0.7073164598085707425e-8,
            0.1017819260921760451e-6,
            0.1321543872511327615e-5,
            0.1525273353517584730e-4,
            0.1540353045101147808e-3,
            0.1333355814670499073e-2,
            0.9618129107597600536e-2,
            0.5550410866482046596e-1,
            0.2402265069591012214,
        ],
    );
    let u = horner(s, [u, 0.6931471805599452862, 1.0]);
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
            2.51069683420950419527139e-08,
            2.76286166770270649116855e-07,
            2.75572496725023574143864e-06,
            2.48014973989819794114153e-05,
            0.000198412698809069797676111,
            0.0013888888939977128960529,
            0.00833333333332371417601081,
            0.0416666666665409524128449,
            0.166666666666666740681535,
            0.500000000000000999200722,
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
            0.1602472219709932072e-9,
            0.2092255183563157007e-8,
            0.2505230023782644465e-7,
            0.2755724800902135303e-6,
            0.2755731892386044373e-5,
            0.2480158735605815065e-4,
            0.1984126984148071858e-3,
            0.1388888888886763255e-2,
            0.8333333333333347095e-2,
            0.4166666666666669905e-1,
        ],
    );
    let t = s.times(0.1666666666666666574).quick_added_to(0.5);
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
    } else if a < -36.736_800_569_677_101_399_113_302_437 {
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
            0.1532076988502701353,
            0.1525629051003428716,
            0.1818605932937785996,
            0.2222214519839380009,
            0.2857142932794299317,
            0.3999999999635251990,
            0.6666666666667333541,
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
            0.116255524079935043668677,
            0.103239680901072952701192,
            0.117754809412463995466069,
            0.13332981086846273921509,
            0.153846227114512262845736,
            0.181818180850050775676507,
            0.222222222230083560345903,
            0.285714285714249172087875,
            0.400000000000000077715612,
        ],
    );
    let c = Pair::new(0.666666666666666629659233, 3.80554962542412056336616e-17);
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
    let odd = whole && y.abs() < 9_007_199_254_740_992.0 && y as i64 & 1 == 1;
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
            1.06298484191448746607415e-05,
            -0.000125620649967286867384336,
            0.00070557664296393412389774,
            -0.00251865614498713360352999,
            0.00646262899036991172313504,
            -0.0128281333663399031014274,
            0.0208024799924145797902497,
            -0.0289002344784740315686289,
            0.0359785005035104590853656,
            -0.041848579703592507506027,
            0.0470843011653283988193763,
            -0.0524914210588448421068719,
            0.0587946590969581003860434,
            -0.0666620884778795497194182,
            0.0769225330296203768654095,
            -0.0909090442773387574781907,
        ],
    );
    let u = horner(
        t.hi,
        [
            u,
            0.111111108376896236538123,
            -0.142857142756268568062339,
            0.199999999997977351284817,
            -0.333333333333317605173818,
        ],
    );
    let t = s.quick_plus_pair(s.times_pair(t).times(u));
    Pair::new(1.570796326794896557998982, 6.12323399573676603586882e-17)
        .times(f64::from(q))
        .quick_plus_pair(t)
}

/// The angle of (x, y), 1 ULP.
#[inline]
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    // Where the reciprocal of x overflows.
    let factor = if x.abs() < 5.562_684_646_268_008e-309 { 9_007_199_254_740_992.0 } else { 1.0 };
    let (y, x) = (y * factor, x * factor);
    let r = pair_atan2(y.abs().into(), x.into()).sum();
    super::special_angles(y, x, r, std::f64::consts::PI)
}

/// sqrt(x^2 + y^2) without overflow on the way, 0.5 ULP.
#[inline]
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    super::hypot(x, y, f64::MIN_POSITIVE, 18_014_398_509_481_984.0)
}

/// erf(a), 1 ULP.
#[inline]
pub(crate) fn erf(a: f64) -> f64 {
    const NEAR: ([f64; 21], [Pair<f64>; 3]) = (
        [
            -0.2083271002525222097e-14,
            0.7151909970790897009e-13,
            -0.1162238220110999364e-11,
            0.1186474230821585259e-10,
            -0.8499973178354613440e-10,
            0.4507647462598841629e-9,
            -0.1808044474288848915e-8,
            0.5435081826716212389e-8,
            -0.1143939895758628484e-7,
            0.1215442362680889243e-7,
            0.1669878756181250355e-7,
            -0.9808074602255194288e-7,
            0.1389000557865837204e-6,
            0.2945514529987331866e-6,
            -0.1842918273003998283e-5,
            0.3417987836115362136e-5,
            0.3860236356493129101e-5,
            -0.3309403072749947546e-4,
            0.1060862922597579532e-3,
            0.2323253155213076174e-3,
            0.1490149719145544729e-3,
        ],
        [
            Pair::new(0.0092877958392275604405, 7.9287559463961107493e-19),
            Pair::new(0.042275531758784692937, 1.3785226620501016138e-19),
            Pair::new(0.07052369794346953491, 9.5846628070792092842e-19),
        ],
    );
    const FAR: ([f64; 21], [Pair<f64>; 3]) = (
        [
            -0.4024015130752621932e-18,
            0.3847193332817048172e-16,
            -0.1749316241455644088e-14,
            0.5029618322872872715e-13,
            -0.1025221466851463164e-11,
            0.1573695559331945583e-10,
            -0.1884658558040203709e-9,
            0.1798167853032159309e-8,
            -0.1380745342355033142e-7,
            0.8525705726469103499e-7,
            -0.4160448058101303405e-6,
            0.1517272660008588485e-5,
            -0.3341634127317201697e-5,
            -0.2515023395879724513e-5,
            0.6539731269664907554e-4,
            -0.3551065097428388658e-3,
            0.1210736097958368864e-2,
            -0.2605566912579998680e-2,
            0.1252823202436093193e-2,
            0.1820191395263313222e-1,
            -0.1021557155453465954e+0,
        ],
        [
            Pair::new(-0.63691044383641748361, -2.4249477526539431839e-17),
            Pair::new(-1.1282926061803961737, -6.2970338860410996505e-17),
            Pair::new(-1.2261313785184804967e-05, -5.5329707514490107044e-22),
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
                0.6801072401395386139e-20,
                -0.2161766247570055669e-18,
                0.4695919173301595670e-17,
                -0.9049140419888007122e-16,
                0.1634018903557410728e-14,
                -0.2783485786333451745e-13,
                0.4463221276786415752e-12,
                -0.6711366622850136563e-11,
                0.9422759050232662223e-10,
                -0.1229055530100229098e-08,
                0.1480719281585086512e-07,
                -0.1636584469123399803e-06,
                0.1646211436588923575e-05,
                -0.1492565035840623511e-04,
                0.1205533298178967851e-03,
                -0.8548327023450850081e-03,
                0.5223977625442187932e-02,
                -0.2686617064513125222e-01,
            ],
            [
                Pair::new(0.11283791670955126141, -4.0175691625932118483e-18),
                Pair::new(-0.37612638903183753802, 1.3391897206042552387e-17),
                Pair::new(1.1283791670955125586, 1.5335459613165822674e-17),
            ],
        ),
        (
            [
                0.3438010341362585303e-12,
                -0.1237021188160598264e-10,
                0.2117985839877627852e-09,
                -0.2290560929177369506e-08,
                0.1748931621698149538e-07,
                -0.9956602606623249195e-07,
                0.4330010240640327080e-06,
                -0.1435050600991763331e-05,
                0.3460139479650695662e-05,
                -0.4988908180632898173e-05,
                -0.1308775976326352012e-05,
                0.2825086540850310103e-04,
                -0.6393913713069986071e-04,
                -0.2566436514695078926e-04,
                0.5895792375659440364e-03,
                -0.1695715579163588598e-02,
                0.2089116434918055149e-03,
                0.1912855949584917753e-01,
            ],
            [
                Pair::new(-0.10277263343147646779, -6.2338714083404900225e-18),
                Pair::new(-0.63661976742916359662, 7.6321019159085724662e-18),
                Pair::new(-1.1283791674717296161, 8.0896847755965377194e-17),
            ],
        ),
        (
            [
                -0.5757819536420710449e+2,
                0.4669289654498104483e+3,
                -0.1796329879461355858e+4,
                0.4355892193699575728e+4,
                -0.7456258884965764992e+4,
                0.9553977358167021521e+4,
                -0.9470019905444229153e+4,
                0.7387344321849855078e+4,
                -0.4557713054166382790e+4,
                0.2207866967354055305e+4,
                -0.8217975658621754746e+3,
                0.2268659483507917400e+3,
                -0.4633361260318560682e+2,
                0.9557380123733945965e+1,
                -0.2958429331939661289e+1,
                0.1670329508092765480e+0,
                0.6096615680115419211e+0,
                0.1059212443193543585e-2,
            ],
            [
                Pair::new(-0.50005180473999022439, 2.6362140569041995803e-17),
                Pair::new(1.601106273924963368e-06, 1.1974001857764476775e-23),
                Pair::new(-0.57236496645145429341, 3.0704553245872027258e-17),
            ],
        ),
        (
            [
                0.2334249729638701319e+5,
                -0.4695661044933107769e+5,
                0.3173403108748643353e+5,
                0.3242982786959573787e+4,
                -0.2014717999760347811e+5,
                0.1554006970967118286e+5,
                -0.6150874190563554293e+4,
                0.1240047765634815732e+4,
                -0.8210325475752699731e+2,
                0.3242443880839930870e+2,
                -0.2923418863833160586e+2,
                0.3457461732814383071e+0,
                0.5489730155952392998e+1,
                0.1559934132251294134e-2,
                -0.1541741566831520638e+1,
                0.2823152230558364186e-5,
                0.6249999184195342838e+0,
                0.1741749416408701288e-8,
            ],
            [
                Pair::new(-0.5000000000258444377, -4.0074044712386992281e-17),
                Pair::new(2.3761973137523364792e-13, -1.1670076950531026582e-29),
                Pair::new(-0.57236494292470108114, -2.3984352208056898003e-17),
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
    nearest_log_times(d, Pair::new(std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17))
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
