//! The error function as glibc had it up to 2.40: FreeBSD's, with polynomials evaluated from
//! their lowest coefficient in float32, and in pairs of terms in float64.
//!
//! Ported in our own words from the published method and its constants (SunPro, 1993). Later
//! versions of glibc round correctly instead.

/// erf(1) to 24 bits.
const ERX: f64 = 8.450_629_115_104_675e-1;
/// 2/sqrt(pi) - 1.
const EFX: f64 = 1.283_791_670_955_125_9e-1;

/// A quotient of polynomials, from the lowest coefficient to the highest.
struct Quotient {
    over: [f64; 8],
    under: [f64; 9],
}

/// erf(x)/x - 1 in x^2, for |x| < 0.84375.
const NEAR: Quotient = Quotient {
    over: [
        1.28379167095512558561e-01,
        -3.25042107247001499370e-01,
        -2.84817495755985104766e-02,
        -5.77027029648944159157e-03,
        -2.37630166566501626084e-05,
        0.0,
        0.0,
        0.0,
    ],
    under: [
        1.0,
        3.97917223959155352819e-01,
        6.50222499887672944485e-02,
        5.08130628187576562776e-03,
        1.32494738004321644526e-04,
        -3.96022827877536812320e-06,
        0.0,
        0.0,
        0.0,
    ],
};

/// erf(x) - erf(1) in |x| - 1, for |x| < 1.25.
const AROUND_ONE: Quotient = Quotient {
    over: [
        -2.36211856075265944077e-03,
        4.14856118683748331666e-01,
        -3.72207876035701323847e-01,
        3.18346619901161753674e-01,
        -1.10894694282396677476e-01,
        3.54783043256182359371e-02,
        -2.16637559486879084300e-03,
        0.0,
    ],
    under: [
        1.0,
        1.06420880400844228286e-01,
        5.40397917702171048937e-01,
        7.18286544141962662868e-02,
        1.26171219808761642112e-01,
        1.36370839120290507362e-02,
        1.19844998467991074170e-02,
        0.0,
        0.0,
    ],
};

/// log(|x| erfc(|x|)) + x^2 + 0.5625 in 1/x^2, for |x| < 1/0.35.
const TAIL: Quotient = Quotient {
    over: [
        -9.86494403484714822705e-03,
        -6.93858572707181764372e-01,
        -1.05586262253232909814e+01,
        -6.23753324503260060396e+01,
        -1.62396669462573470355e+02,
        -1.84605092906711035994e+02,
        -8.12874355063065934246e+01,
        -9.81432934416914548592e+00,
    ],
    under: [
        1.0,
        1.96512716674392571292e+01,
        1.37657754143519042600e+02,
        4.34565877475229228821e+02,
        6.45387271733267880336e+02,
        4.29008140027567833386e+02,
        1.08635005541779435134e+02,
        6.57024977031928170135e+00,
        -6.04244152148580987438e-02,
    ],
};

/// The same beyond.
const FAR_TAIL: Quotient = Quotient {
    over: [
        -9.86494292470009928597e-03,
        -7.99283237680523006574e-01,
        -1.77579549177547519889e+01,
        -1.60636384855821916062e+02,
        -6.37566443368389627722e+02,
        -1.02509513161107724954e+03,
        -4.83519191608651397019e+02,
        0.0,
    ],
    under: [
        1.0,
        3.03380607434824582924e+01,
        3.25792512996573918826e+02,
        1.53672958608443695994e+03,
        3.19985821950859553908e+03,
        2.55305040643316442583e+03,
        4.74528541206955367215e+02,
        -2.24409524465858183362e+01,
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
        return if a < 3.725_290_298_461_914e-9 {
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
