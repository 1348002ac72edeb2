//! How numbers are printed, and how they stand in JSON.

use std::fmt;

use half::{bf16, f16};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::corpus::Json;
use crate::tensor::{DType, Scalar};

/// A number of a JSON report: a JSON number or bool, or one of the words `"NaN"`, `"Infinity"`,
/// `"-Infinity"` for what JSON lacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub Scalar);

impl Number {
    /// As a float64.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64()
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number(Scalar::Float(value))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        struct NumberVisitor;
        impl de::Visitor<'_> for NumberVisitor {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, a bool, or \"NaN\", \"Infinity\", \"-Infinity\"")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Number, E> {
                Ok(Number(Scalar::Bool(value)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number(Scalar::Int(value)))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                // Some writers, JavaScript's among them, give a large float no fraction.
                Ok(i64::try_from(value)
                    .map_or_else(|_| (value as f64).into(), |int| Number(Scalar::Int(int))))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(value.into())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
                match text {
                    "NaN" => Ok(f64::NAN.into()),
                    "Infinity" => Ok(f64::INFINITY.into()),
                    "-Infinity" => Ok(f64::NEG_INFINITY.into()),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number or bool, or a word for what JSON lacks.",
            "anyOf": [
                {"type": ["number", "boolean"]},
                {"enum": ["NaN", "Infinity", "-Infinity"]},
            ],
        })
    }
}

/// A value of a dtype with as many digits as tell it from its neighbours, and no more; in
/// Python's words.
pub(crate) fn shortest(value: Scalar, dtype: DType) -> String {
    let number = match value {
        Scalar::Bool(true) => return "True".into(),
        Scalar::Bool(false) => return "False".into(),
        Scalar::Int(value) if !dtype.is_floating() => return value.to_string(),
        // JSON writers of other languages leave the fraction of a whole number out.
        Scalar::Int(value) => value as f64,
        Scalar::Float(number) if number.is_nan() => return "nan".into(),
        Scalar::Float(number) => number,
    };
    match dtype {
        DType::Float64 => format!("{number:?}"),
        DType::Float32 => format!("{:?}", number as f32),
        DType::Float16 => short(number, |text| text.parse().ok().map(|x: f32| f16::from_f32(x).to_f64())),
        DType::BFloat16 => short(number, |text| text.parse().ok().map(|x: f32| bf16::from_f32(x).to_f64())),
        _ => format!("{number:?}"),
    }
}

/// The decimal of fewest digits that reads back as the same number.
fn short(number: f64, read: impl Fn(&str) -> Option<f64>) -> String {
    let mut texts = (0..9).map(|digits| format!("{number:.digits$e}"));
    match texts.find(|text| read(text) == Some(number)).and_then(|text| text.parse::<f64>().ok()) {
        Some(decimal) => format!("{decimal:?}"),
        None => format!("{number:?}"),
    }
}

/// `1843` as `1,843`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two decimals and an exponent of two digits, as C's `%.2e` prints: `3.20e-06`.
pub(crate) fn c_exponent(number: f64) -> String {
    exponent(&format!("{number:.2e}"))
}

/// Every digit that the number needs, with an exponent of two digits: `1e-05`.
pub(crate) fn c_shortest(number: f64) -> String {
    exponent(&format!("{number:e}"))
}

fn exponent(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text.to_string(),
    }
}

/// A distance in ULP; the largest stands for "no distance at all". Where values cancel to nearly
/// zero the number says little, and only its size is printed.
pub(crate) fn ulp(distance: u64) -> String {
    match distance {
        u64::MAX => "∞".into(),
        0..10_000_000 => distance.to_string(),
        _ => format!("{:.0e}", distance as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_c_and_as_people_write_them() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.0, 3.2e-6, 12.0].map(c_exponent), ["0.00e+00", "3.20e-06", "1.20e+01"]);
        assert_eq!([1e-5, f64::INFINITY].map(c_shortest), ["1e-05", "inf"]);
    }

    #[test]
    fn as_short_as_the_dtype_allows() {
        let show = |value: f64, dtype| shortest(Scalar::Float(value), dtype);
        assert_eq!(show(f64::from(0.1f32), DType::Float32), "0.1");
        assert_eq!(show(0.1, DType::Float64), "0.1");
        assert_eq!(show(f16::from_f32(0.1).to_f64(), DType::Float16), "0.1");
        assert_eq!(show(bf16::from_f32(2.1).to_f64(), DType::BFloat16), "2.1");
        assert_eq!(show(65504.0, DType::Float16), "65500.0");
        assert_eq!(show(f64::NEG_INFINITY, DType::Float16), "-inf");
        assert_eq!(show(-0.0, DType::Float32), "-0.0");
        assert_eq!(shortest(Scalar::Bool(true), DType::Bool), "True");
    }

    #[test]
    fn json_has_words_for_what_it_lacks() {
        let texts = ["1", "-0.0", "true", "\"NaN\"", "\"-Infinity\""];
        for text in texts {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
        assert!(serde_json::from_str::<Number>("\"nan\"").is_err());
    }
}
