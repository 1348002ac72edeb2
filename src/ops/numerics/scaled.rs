//! Floats beyond float64's range of exponents: a mantissa in float64 and an exponent of its own.

use crate::tensor::DType;

/// The value `mantissa * 2^exponent`, with |mantissa| in [0.5, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scaled {
    mantissa: f64,
    exponent: i64,
}

/// A floating format: bits of precision, and the exponents of its smallest normal value and of
/// its smallest value (IEEE 754 binary64, binary32, binary16, and bfloat16).
struct Format {
    precision: i64,
    smallest_normal: i64,
    smallest: i64,
}

impl Format {
    fn of(dtype: DType) -> Format {
        let (precision, smallest_normal) = match dtype {
            DType::Float32 => (24, -126),
            DType::Float16 => (11, -14),
            DType::BFloat16 => (8, -126),
            _ => (53, -1022),
        };
        Format { precision, smallest_normal, smallest: smallest_normal - precision + 1 }
    }
}

impl Scaled {
    pub(crate) const ONE: Scaled = Scaled { mantissa: 0.5, exponent: 1 };

    /// C's `frexp`, for normal values.
    fn split(value: f64) -> Scaled {
        const EXPONENT: u64 = 0x7ff << 52;
        let bits = value.to_bits();
        let exponent = ((bits & EXPONENT) >> 52) as i64 - 1022;
        Scaled { mantissa: f64::from_bits(bits & !EXPONENT | 1022 << 52), exponent }
    }

    /// The product with a factor, whose mantissa is rounded to float64's precision. `None` for a
    /// factor that is zero, infinite, NaN, or subnormal in the dtype.
    pub(crate) fn times(self, factor: f64, dtype: DType) -> Option<Scaled> {
        let smallest = power_of_two(Format::of(dtype).smallest_normal);
        if !factor.is_finite() || factor.abs() < smallest {
            return None;
        }
        let factor = Scaled::split(factor);
        let product = Scaled::split(self.mantissa * factor.mantissa);
        Some(Scaled { exponent: self.exponent + factor.exponent + product.exponent, ..product })
    }

    /// The value rounded to a dtype, to nearest with ties to even, once: as a whole number of
    /// the dtype's units in the last place.
    pub(crate) fn rounded(self, dtype: DType) -> f64 {
        let format = Format::of(dtype);
        let unit = (self.exponent - format.precision).max(format.smallest);
        // Anything below a quarter of a unit is 0, and anything above 2^1100 infinite.
        let units = (self.mantissa * power_of_two((self.exponent - unit).max(-2))).round_ties_even();
        let unit = unit.min(1100);
        let half = unit.div_euclid(2);
        units * power_of_two(half) * power_of_two(unit - half)
    }
}

/// 2^exponent, for the exponents of float64's normal values.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(factors: &[f64], dtype: DType) -> Option<f64> {
        let product = factors.iter().try_fold(Scaled::ONE, |product, &x| product.times(x, dtype));
        product.map(|product| product.rounded(dtype))
    }

    #[test]
    fn partial_products_may_leave_the_range() {
        // One unit above 1, as the composition of PyTorch's calls gives it.
        let almost_one = Some(1.0 + f64::EPSILON);
        assert_eq!(product(&[1e300, 1e300, 1e-300, 1e-300], DType::Float64), almost_one);
        assert_eq!(product(&[1e30, 1e30, 1e-30, 1e-30], DType::Float32), Some(1.0));
        assert_eq!(product(&[1e300, 1e300], DType::Float64), Some(f64::INFINITY));
        assert_eq!(product(&[-1e-300, 1e-300], DType::Float64), Some(-0.0));
    }

    #[test]
    fn results_are_rounded_once() {
        let smallest = f64::from_bits(1);
        assert_eq!(product(&[power_of_two(-1000), power_of_two(-74)], DType::Float64), Some(smallest));
        // Half of the smallest value is a tie, and goes to 0; anything above it goes up.
        assert_eq!(product(&[power_of_two(-1000), power_of_two(-75)], DType::Float64), Some(0.0));
        assert_eq!(product(&[power_of_two(-1000), 1.5 * power_of_two(-75)], DType::Float64), Some(smallest));
        // Just above a tie of float16 that float32 would round onto the tie.
        let above = 1.0 + power_of_two(-11) + power_of_two(-40);
        assert_eq!(product(&[above], DType::Float16), Some(1.0 + power_of_two(-10)));
    }

    #[test]
    fn factors_without_a_mantissa_are_refused() {
        for factor in [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-40] {
            assert_eq!(product(&[2.0, factor], DType::Float32), None);
        }
    }
}
