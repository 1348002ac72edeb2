//! Tensors as JSON, exactly: every value that is read is the value that was written, and a text
//! that stands for no value of its dtype is refused rather than rounded.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use half::{bf16, f16};
use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::problem::{Fault, FaultKind};
use crate::tensor::{DType, Element, LayoutError, Scalar, Tensor, layout};
use crate::{with_data, with_type};

/// Above this many elements of storage, data travels as base64.
pub const LIST_LIMIT: usize = 1024;

/// The largest number of elements that a tensor may have unless the caller says otherwise.
pub const MAX_ELEMENTS: usize = 1 << 26;

/// A tensor as it stands in a file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTensor<'a> {
    #[serde(borrow)]
    dtype: Cow<'a, str>,
    shape: Vec<u64>,
    strides: Option<Vec<u64>>,
    offset: Option<u64>,
    encoding: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Debug)]
enum Data<'a> {
    List(Vec<Scalar>),
    Text(Cow<'a, str>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Data<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DataVisitor;
        impl<'de> Visitor<'de> for DataVisitor {
            type Value = Data<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a flat list of elements or a base64 string")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::with_capacity(seq.size_hint().unwrap_or(0));
                while let Some(ListItem(value)) = seq.next_element()? {
                    list.push(value);
                }
                Ok(Data::List(list))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Data::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Data::Text(Cow::Owned(text.to_string())))
            }
        }
        deserializer.deserialize_any(DataVisitor)
    }
}

/// One element of a list: a number, a bool, or one of the three words for what JSON lacks.
struct ListItem(Scalar);

impl<'de> Deserialize<'de> for ListItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor;
        impl Visitor<'_> for ItemVisitor {
            type Value = ListItem;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, a bool, or \"NaN\", \"Infinity\", \"-Infinity\"")
            }
            fn visit_bool<E>(self, value: bool) -> Result<ListItem, E> {
                Ok(ListItem(Scalar::Bool(value)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<ListItem, E> {
                Ok(ListItem(Scalar::Int(value)))
            }
            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<ListItem, E> {
                i64::try_from(value)
                    .map(|value| ListItem(Scalar::Int(value)))
                    .map_err(|_| E::custom(format!("{value} is outside int64")))
            }
            fn visit_f64<E>(self, value: f64) -> Result<ListItem, E> {
                Ok(ListItem(Scalar::Float(value)))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ListItem, E> {
                word(text)
                    .map(|value| ListItem(Scalar::Float(value)))
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(ItemVisitor)
    }
}

/// The float that one of the three words stands for.
pub(crate) fn word(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

impl RawTensor<'_> {
    /// The tensor, or what is wrong with it and where.
    pub(crate) fn decode(&self, max_elements: usize) -> Result<Tensor, Fault> {
        let dtype = DType::from_name(&self.dtype).ok_or_else(|| {
            let known = super::functions::is_dtype(&self.dtype);
            let kind = if known { FaultKind::ForeignDtype } else { FaultKind::Dtype };
            Fault::of(kind, "dtype", format!("unknown dtype '{}'", self.dtype))
        })?;
        let sizes = |field: &str, list: &[u64]| -> Result<Vec<usize>, Fault> {
            let convert =
                |&size: &u64| isize::try_from(size).ok().and_then(|size| usize::try_from(size).ok());
            list.iter()
                .map(convert)
                .collect::<Option<Vec<usize>>>()
                .ok_or_else(|| Fault::of(FaultKind::Shape, field, "a size beyond this machine's words"))
        };
        let shape = sizes("shape", &self.shape)?;
        let count = layout::numel(&shape).filter(|_| layout::is_measurable(&shape)).ok_or_else(|| {
            Fault::of(FaultKind::Shape, "shape", LayoutError::Overflow(shape.clone()).to_string())
        })?;
        if count > max_elements {
            let what = format!("{count} elements, more than the limit of {max_elements} (--max-elements)");
            return Err(Fault::of(FaultKind::Shape, "shape", what));
        }
        let storage = with_type!(dtype, T => self.elements::<T>().map(T::store))?;
        let at_shape = |error: LayoutError| {
            let field = if matches!(error, LayoutError::Length { .. }) { "data" } else { "strides" };
            Fault::of(FaultKind::Shape, field, error.to_string())
        };
        match &self.strides {
            Some(strides) => {
                let strides = sizes("strides", strides)?;
                let offset = sizes("offset", &[self.offset.unwrap_or(0)])?[0];
                Tensor::strided(&shape, &strides, offset, storage).map_err(at_shape)
            }
            None if self.offset.is_some() => {
                Err(Fault::of(FaultKind::Shape, "offset", "an offset without strides"))
            }
            None => Tensor::from_storage(&shape, storage).map_err(at_shape),
        }
    }

    fn elements<T: Packed>(&self) -> Result<Vec<T>, Fault> {
        match (&self.data, self.encoding.as_deref()) {
            (Data::List(list), None) => list
                .iter()
                .enumerate()
                .map(|(i, &value)| T::exactly(value).map_err(|what| Fault::new(format!("data[{i}]"), what)))
                .collect(),
            (Data::Text(text), Some("base64")) => {
                let bytes = BASE64_STANDARD
                    .decode(text.as_bytes())
                    .map_err(|error| Fault::new("data", format!("not base64: {error}")))?;
                let size = T::DTYPE.size();
                if bytes.len() % size != 0 {
                    let what = format!("{} bytes are no whole number of {} elements", bytes.len(), T::DTYPE);
                    return Err(Fault::of(FaultKind::Shape, "data", what));
                }
                bytes
                    .chunks_exact(size)
                    .map(T::unpack)
                    .collect::<Option<_>>()
                    .ok_or_else(|| Fault::new("data", "a byte that is neither 0 nor 1 in a bool tensor"))
            }
            (Data::List(_), Some(other)) => {
                Err(Fault::new("encoding", format!("a list of elements under '{other}'")))
            }
            (Data::Text(_), Some(other)) => {
                Err(Fault::new("encoding", format!("unknown encoding '{other}'")))
            }
            (Data::Text(_), None) => Err(Fault::new("data", "a string without \"encoding\": \"base64\"")),
        }
    }
}

/// How the elements of a dtype are written.
pub(crate) trait Packed: Element {
    /// The value that a JSON element stands for, if this type has exactly that value.
    fn exactly(value: Scalar) -> Result<Self, String>;
    /// The value of its little-endian bytes; there are as many as the type has.
    fn unpack(bytes: &[u8]) -> Option<Self>;
    /// The little-endian bytes.
    fn pack(self, bytes: &mut Vec<u8>);
}

macro_rules! packed_integers {
    ($($type:ty),*) => {$(
        impl Packed for $type {
            fn exactly(value: Scalar) -> Result<Self, String> {
                match value {
                    Scalar::Int(value) => <$type>::try_from(value)
                        .map_err(|_| format!("{value} is outside {}", Self::DTYPE)),
                    other => Err(format!("{other} is no {}", Self::DTYPE)),
                }
            }
            fn unpack(bytes: &[u8]) -> Option<Self> {
                Some(<$type>::from_le_bytes(bytes.try_into().ok()?))
            }
            fn pack(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}

packed_integers!(i64, i32, i16, i8, u8, u32);

macro_rules! packed_floats {
    ($($type:ty),*) => {$(
        impl Packed for $type {
            fn exactly(value: Scalar) -> Result<Self, String> {
                let float = match value {
                    Scalar::Float(float) => float,
                    Scalar::Int(int) if (int as f64) as i128 == i128::from(int) => int as f64,
                    other => return Err(format!("{other} is no {}", Self::DTYPE)),
                };
                let narrowed = Self::from_scalar(Scalar::Float(float));
                match Scalar::to_f64(narrowed.to_scalar()).identical(float) {
                    true => Ok(narrowed),
                    false => Err(format!("{float:?} is no value of {}", Self::DTYPE)),
                }
            }
            fn unpack(bytes: &[u8]) -> Option<Self> {
                Some(<$type>::from_le_bytes(bytes.try_into().ok()?))
            }
            fn pack(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}

packed_floats!(f64, f32, f16, bf16);

impl Packed for bool {
    fn exactly(value: Scalar) -> Result<Self, String> {
        match value {
            Scalar::Bool(value) => Ok(value),
            other => Err(format!("{other} is no bool")),
        }
    }
    fn unpack(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}

/// A number or bool as JSON.
pub(crate) struct Json(pub(crate) Scalar);

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Scalar::Bool(value) => serializer.serialize_bool(value),
            Scalar::Int(value) => serializer.serialize_i64(value),
            Scalar::Float(value) if value.is_nan() => serializer.serialize_str("NaN"),
            Scalar::Float(f64::INFINITY) => serializer.serialize_str("Infinity"),
            Scalar::Float(f64::NEG_INFINITY) => serializer.serialize_str("-Infinity"),
            Scalar::Float(value) => serializer.serialize_f64(value),
        }
    }
}

/// Serializes as the format has it: a tensor that is not row-major keeps its layout and carries
/// its whole storage.
impl Serialize for Tensor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("dtype", self.dtype().name())?;
        map.serialize_entry("shape", self.shape())?;
        let memory = if self.is_contiguous() {
            let start = if self.numel() == 0 { 0 } else { self.offset() };
            start..start + self.numel()
        } else {
            map.serialize_entry("strides", self.strides())?;
            map.serialize_entry("offset", &self.offset())?;
            0..self.storage().len()
        };
        with_data!(self.storage(), data => {
            let data = &data[memory];
            if data.len() > LIST_LIMIT {
                let mut bytes = Vec::with_capacity(data.len() * self.dtype().size());
                data.iter().for_each(|value| value.pack(&mut bytes));
                map.serialize_entry("encoding", "base64")?;
                map.serialize_entry("data", &BASE64_STANDARD.encode(bytes))?;
            } else {
                map.serialize_entry("data", &data.iter().map(|v| Json(v.to_scalar())).collect::<Vec<_>>())?;
            }
        });
        map.end()
    }
}

/// Reads one tensor object of the format.
pub fn tensor_from_json(json: &str) -> Result<Tensor, Fault> {
    super::problem::parse::<RawTensor>(json)?.decode(MAX_ELEMENTS)
}

impl<'de> Deserialize<'de> for Tensor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawTensor::deserialize(deserializer)?;
        raw.decode(MAX_ELEMENTS).map_err(|fault| D::Error::custom(format!("{}: {}", fault.field, fault.what)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(json: &str) -> String {
        let fault = tensor_from_json(json).unwrap_err();
        format!("{}: {}", fault.field, fault.what)
    }

    #[test]
    fn values_that_the_dtype_has_not_are_refused() {
        insta::assert_snapshot!(
            [
                r#"{"dtype": "float32", "shape": [1], "data": [0.1]}"#,
                r#"{"dtype": "float16", "shape": [1], "data": [65505.0]}"#,
                r#"{"dtype": "float32", "shape": [1], "data": [16777217]}"#,
                r#"{"dtype": "int8", "shape": [1], "data": [128]}"#,
                r#"{"dtype": "int8", "shape": [1], "data": [1.0]}"#,
                r#"{"dtype": "int64", "shape": [1], "data": [9223372036854775808]}"#,
                r#"{"dtype": "bool", "shape": [1], "data": [1]}"#,
                r#"{"dtype": "float32", "shape": [1], "data": ["nan"]}"#,
                r#"{"dtype": "float32", "shape": [1], "data": [true]}"#,
                r#"{"dtype": "float32", "shape": [1], "data": "AACAPw=="}"#,
                r#"{"dtype": "float32", "shape": [1], "encoding": "base64", "data": "AACAPw=" }"#,
                r#"{"dtype": "float32", "shape": [1], "encoding": "base64", "data": "AACAPx==" }"#,
                r#"{"dtype": "float32", "shape": [1], "encoding": "hex", "data": "00" }"#,
            ]
            .map(refusal)
            .join("\n"),
            @r#"
        data[0]: 0.1 is no value of float32
        data[0]: 65505.0 is no value of float16
        data[0]: 16777217.0 is no value of float32
        data[0]: 128 is outside int8
        data[0]: 1.0 is no int8
        data[0]: 9223372036854775808 is outside int64
        data[0]: 1 is no bool
        data[0]: invalid value: string "nan", expected a number, a bool, or "NaN", "Infinity", "-Infinity"
        data[0]: true is no float32
        data: a string without "encoding": "base64"
        data: not base64: Invalid padding
        data: not base64: Invalid last symbol 120, offset 5.
        encoding: unknown encoding 'hex'
        "#
        );
    }

    #[test]
    fn every_sixteen_bit_pattern_survives() {
        let text = |tensor: &Tensor| serde_json::to_string(tensor).unwrap();
        for chunk in (0..=u16::MAX).collect::<Vec<_>>().chunks(LIST_LIMIT) {
            let halves: Vec<f16> = chunk.iter().map(|&bits| f16::from_bits(bits)).collect();
            let brains: Vec<bf16> = chunk.iter().map(|&bits| bf16::from_bits(bits)).collect();
            let tensors = [Tensor::new(&[chunk.len()], halves), Tensor::new(&[chunk.len()], brains)];
            for tensor in tensors.map(Result::unwrap) {
                let back = tensor_from_json(&text(&tensor)).unwrap();
                with_data!(tensor.storage(), data => {
                    assert!(data.iter().zip(back.values().iter()).all(|(&a, &b)| a.identical(b)));
                });
            }
        }
    }

    #[test]
    fn base64_keeps_the_bits_of_nan() {
        let bits: Vec<u32> = (0..2000u32).map(|i| 0x7f80_0001 + i * 4099).collect();
        let tensor = Tensor::new(&[2000], bits.iter().map(|&b| f32::from_bits(b)).collect()).unwrap();
        let back = tensor_from_json(&serde_json::to_string(&tensor).unwrap()).unwrap();
        assert_eq!(back.values::<f32>().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), bits);
    }

    proptest::proptest! {
        #[test]
        fn every_float_survives(bits: u64, narrow: u32) {
            for tensor in [Tensor::scalar(f64::from_bits(bits)), Tensor::scalar(f32::from_bits(narrow))] {
                let back = tensor_from_json(&serde_json::to_string(&tensor).unwrap()).unwrap();
                with_data!(tensor.storage(), data => assert!(data[0].identical(back.values()[0])));
            }
        }
    }
}
