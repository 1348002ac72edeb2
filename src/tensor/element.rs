//! The Rust types behind the dtypes, and PyTorch's conversions between them.

use std::fmt;

use half::{bf16, f16};

use super::transpose::Transpose;
use super::{DType, Storage};

/// A number as Python sees it; the kind takes part in promotion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant is the Python type of the same name")]
pub enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
}

/// One more than the largest int64; exact in float64.
pub(crate) const TWO_63: f64 = (1u64 << 63) as f64;

const TWO_31: f64 = (1u32 << 31) as f64;

impl Scalar {
    /// The value in float64; integers beyond 2^53 are rounded to nearest, as in Python.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(i) => i as f64,
            Scalar::Float(f) => f,
        }
    }

    /// The value in 32 bits, as x86-64's instruction for them converts a float (compare
    /// [`to_i64`](Scalar::to_i64)). PyTorch reaches the signed types of up to 32 bits by it.
    fn to_i32(self) -> i32 {
        match self {
            Scalar::Float(f) if f > -TWO_31 - 1.0 && f < TWO_31 => f as i32,
            Scalar::Float(_) => i32::MIN,
            other => other.to_i64() as i32,
        }
    }

    /// The value as an integer. A float is truncated; where it does not fit, x86-64's conversion
    /// instruction gives the smallest integer, and so does PyTorch there.
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(i) => i,
            Scalar::Float(f) if (-TWO_63..TWO_63).contains(&f) => f as i64,
            Scalar::Float(_) => i64::MIN,
        }
    }

    /// Python's truth: NaN is true, both zeros are false.
    pub fn to_bool(self) -> bool {
        match self {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(f) => f != 0.0,
        }
    }
}

/// As the corpus writes it, with NaN and the infinities by their Rust names.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "{value}"),
            Scalar::Float(value) => write!(f, "{value:?}"),
        }
    }
}

/// An element of a tensor.
pub trait Element:
    Copy + Default + PartialEq + PartialOrd + Send + Sync + fmt::Debug + Transpose + 'static
{
    /// The dtype that has this element.
    const DTYPE: DType;

    /// The value as a Python number; exact.
    fn to_scalar(self) -> Scalar;

    /// Conversion as PyTorch does it: integers wrap, floats truncate towards zero on their way
    /// to integers (by way of int32 or int64, where what does not fit becomes the smallest), and
    /// everything reaches a 16-bit float by way of float32 (two roundings).
    fn from_scalar(scalar: Scalar) -> Self;

    /// NaN; false for every type that is not floating.
    fn is_nan(self) -> bool {
        false
    }

    /// The same value to the bit, sign of zero included, where any NaN equals any NaN.
    fn identical(self, other: Self) -> bool {
        self == other
    }

    /// Wraps a vector as storage.
    fn store(data: Vec<Self>) -> Storage;

    /// The elements of a storage, if it holds this type.
    fn peek(storage: &Storage) -> Option<&[Self]>;
}

macro_rules! integers {
    ($($type:ty => $variant:ident, $by:ident);* $(;)?) => {$(
        impl Element for $type {
            const DTYPE: DType = DType::$variant;
            fn to_scalar(self) -> Scalar {
                Scalar::Int(i64::from(self))
            }
            fn from_scalar(scalar: Scalar) -> Self {
                scalar.$by() as $type
            }
            fn store(data: Vec<Self>) -> Storage {
                Storage::$variant(data)
            }
            fn peek(storage: &Storage) -> Option<&[Self]> {
                match storage {
                    Storage::$variant(data) => Some(data),
                    _ => None,
                }
            }
        }
    )*};
}

integers! {
    i64 => Int64, to_i64;
    i32 => Int32, to_i32;
    i16 => Int16, to_i32;
    i8 => Int8, to_i32;
    u8 => UInt8, to_i64;
    u32 => UInt32, to_i64;
}

macro_rules! floats {
    ($($type:ty => $variant:ident, $from_f64:expr, $from_i64:expr;)*) => {$(
        impl Element for $type {
            const DTYPE: DType = DType::$variant;
            fn to_scalar(self) -> Scalar {
                Scalar::Float(f64::from(self))
            }
            fn from_scalar(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Float(f) => $from_f64(f),
                    other => $from_i64(other.to_i64()),
                }
            }
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
            fn identical(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
            fn store(data: Vec<Self>) -> Storage {
                Storage::$variant(data)
            }
            fn peek(storage: &Storage) -> Option<&[Self]> {
                match storage {
                    Storage::$variant(data) => Some(data),
                    _ => None,
                }
            }
        }
    )*};
}

floats! {
    f64 => Float64, |f| f, |i| i as f64;
    f32 => Float32, |f| f as f32, |i| i as f32;
    f16 => Float16, |f| f16::from_f32(f as f32), |i| f16::from_f32(i as f32);
    bf16 => BFloat16, |f| bf16::from_f32(f as f32), |i| bf16::from_f32(i as f32);
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn to_scalar(self) -> Scalar {
        Scalar::Bool(self)
    }
    fn from_scalar(scalar: Scalar) -> Self {
        scalar.to_bool()
    }
    fn store(data: Vec<Self>) -> Storage {
        Storage::Bool(data)
    }
    fn peek(storage: &Storage) -> Option<&[Self]> {
        match storage {
            Storage::Bool(data) => Some(data),
            _ => None,
        }
    }
}

/// Converts one element as PyTorch's `to(dtype)` does.
pub fn convert<A: Element, B: Element>(value: A) -> B {
    B::from_scalar(value.to_scalar())
}
