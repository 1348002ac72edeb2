//! The error function as glibc had it up to 2.40: FreeBSD's, with polynomials evaluated from
//! their lowest coefficient in float32, and in pairs of terms in float64.
//!
//! Ported in our own words from the published method and its constants (SunPro, 1993). Later
//! versions of glibc round correctly instead.

/// erf(1) to 24 bits.
const ERX: f64 = 0.8450629115104675;
/// 2/sqrt(pi) - 1.
const EFX: f64 = 0.1283791670955126;

/// A quotient of polynomials, from the lowest coefficient to the highest.
struct Quotient {
    over: [f64; 8],
    under: [f64; 9],
}

/// erf(x)/x - 1 in x^2, for |x| < 0.84375.
const NEAR: Quotient = Quotient {
    over: [
        0.12837916709551256,
        -0.3250421072470015,
        -0.02848174957559851,
        -0.005770270296489442,
        -2.3763016656650163e-05,
        0.0,
        0.0,
        0.0,
    ],
    under: [
        1.0,
        0.39791722395915535,
        0.0650222499887673,
        0.005081306281875766,
        0.00013249473800432164,
        -3.960228278775368e-06,
        0.0,
        0.0,
        0.0,
    ],
};

/// erf(x) - erf(1) in |x| - 1, for |x| < 1.25.
const AROUND_ONE: Quotient = Quotient {
    over: [
        -0.0023621185607526594,
        0.41485611868374833,
        -0.3722078760357013,
        0.31834661990116175,
        -0.11089469428239668,
        0.035478304325618236,
        -0.002166375594868791,
        0.0,
    ],
    under: [
        1.0,
        0.10642088040084423,
        0.540397917702171,
        0.07182865441419627,
        0.12617121980876164,
        0.01363708391202905,
        0.011984499846799107,
        0.0,
        0.0,
    ],
};

/// log(|x| erfc(|x|)) + x^2 + 0.5625 in 1/x^2, for |x| < 1/0.35.
const TAIL: Quotient = Quotient {
    over: [
        -0.009864944034847148,
        -0.6938585727071818,
        -10.558626225323291,
        -62.375332450326006,
        -162.39666946257347,
        -184.60509290671104,
        -81.2874355063066,
        -9.814329344169145,
    ],
    under: [
        1.0,
        19.651271667439257,
        137.65775414351904,
        434.56587747522923,
        645.3872717332679,
        429.00814002756783,
        108.63500554177944,
        6.570249770319282,
        -0.0604244152148581,
    ],
};

/// The same beyond.
const FAR_TAIL: Quotient = Quotient {
    over: [
        -0.0098649429247001,
        -0.799283237680523,
        -17.757954917754752,
        -160.63638485582192,
        -637.5664433683896,
        -1025.0951316110772,
        -483.5191916086514,
        0.0,
    ],
    under: [
        1.0,
        30.33806074348246,
        325.7925129965739,
        1536.729586084437,
        3199.8582195085955,
        2553.0504064331644,
        474.52854120695537,
        -22.44095244658582,
        0.0,
    ],
};

impl Quotient {
    fn single(&self, x: f32) -> f32 {
        fn horner(x: f32, coefficients: &[f64]) -> f32 {
            coefficients.iter().rev().fold(0.0, |sum, &coefficient| coefficient as f32 + x * sum)
        }
        horner(x, &self.over) / horner(x, &self.under)
    }

    fn double(&self, x: f64) -> f64 {
        /// (c0 + x c1) + x^2 (c2 + x c3) + x^4 (…) + …, from the left.
        fn in_pairs(x: f64, coefficients: &[f64]) -> f64 {
            let square = x * x;
            let fourth = square * square;
            let powers = [1.0, square, fourth, fourth * square, fourth * fourth];
            let pair = |pair: &[f64]| match *pair {
                [low, high] => low + x * high,
                [low] => low,
                _ => 0.0,
            };
            coefficients.chunks(2).zip(powers).fold(0.0, |sum, (terms, power)| sum + power * pair(terms))
        }
        in_pairs(x, &self.over) / in_pairs(x, &self.under)
    }
}

pub(super) fn single(x: f32) -> f32 {
    let a = x.abs();
    if a < 0.84375 {
        return if a < 3.725_290_3e-9 {
            if a < 1.504_632_8e-36 {
                // Not to underflow on the way.
                0.0625 * (16.0 * x + (16.0 * EFX as f32) * x)
            } else {
                x + EFX as f32 * x
            }
        } else {
            x + x * NEAR.single(x * x)
        };
    }
    let value = if a < 1.25 {
        ERX as f32 + AROUND_ONE.single(a - 1.0)
    } else if a < 6.0 {
        let tail = if a < 2.857_142_4 { TAIL } else { FAR_TAIL };
        let exponent = tail.single(1.0 / (a * a));
        let z = f32::from_bits(a.to_bits() & 0xffff_f000);
        1.0 - ((-z * z - 0.5625).exp() * ((z - a) * (z + a) + exponent).exp()) / a
    } else if x.is_nan() {
        x
    } else {
        1.0
    };
    value.copysign(x)
}

pub(super) fn double(x: f64) -> f64 {
    let a = x.abs();
    if a < 0.84375 {
        return if a < 3.725290298461914e-09 {
            if a < 128.0 * f64::MIN_POSITIVE {
                // Not to underflow on the way.
                0.0625 * (16.0 * x + (16.0 * EFX) * x)
            } else {
                x + EFX * x
            }
        } else {
            x + x * NEAR.double(x * x)
        };
    }
    let value = if a < 1.25 {
        ERX + AROUND_ONE.double(a - 1.0)
    } else if a < 6.0 {
        // 1/0.35 to the upper half of its bits.
        let tail = if a.to_bits() >> 32 < 0x4006_db6e { TAIL } else { FAR_TAIL };
        let exponent = tail.double(1.0 / (a * a));
        let z = f64::from_bits(a.to_bits() & 0xffff_ffff_0000_0000);
        1.0 - ((-z * z - 0.5625).exp() * ((z - a) * (z + a) + exponent).exp()) / a
    } else if x.is_nan() {
        x
    } else {
        1.0
    };
    value.copysign(x)
}
