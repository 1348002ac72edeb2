//! The element types of the corpus, under PyTorch's names, and PyTorch's promotion between them.

use std::fmt;

/// An element type. The names are PyTorch's (`torch.float32` is `float32`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is the PyTorch dtype of the same name")]
pub enum DType {
    Float64,
    Float32,
    Float16,
    BFloat16,
    Int64,
    Int32,
    Int16,
    Int8,
    UInt8,
    UInt32,
    Bool,
}

use DType::*;

/// What one dtype is called, in one row: the enum, PyTorch's Python name, the C++ name that its
/// error messages print, and the size in bytes.
const TABLE: [(DType, &str, &str, usize); 11] = [
    (Float64, "float64", "Double", 8),
    (Float32, "float32", "Float", 4),
    (Float16, "float16", "Half", 2),
    (BFloat16, "bfloat16", "BFloat16", 2),
    (Int64, "int64", "Long", 8),
    (Int32, "int32", "Int", 4),
    (Int16, "int16", "Short", 2),
    (Int8, "int8", "Char", 1),
    (UInt8, "uint8", "Byte", 1),
    (UInt32, "uint32", "UInt32", 4),
    (Bool, "bool", "Bool", 1),
];

impl DType {
    /// Every dtype of the corpus, in the order of the format's documentation.
    pub fn all() -> impl Iterator<Item = DType> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (DType, &'static str, &'static str, usize) {
        &TABLE[self as usize]
    }

    /// PyTorch's Python name without `torch.`: `float32`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The name that PyTorch's error messages print for the type: `Float`, `Long`, `Byte`.
    pub fn scalar_type(self) -> &'static str {
        self.row().2
    }

    /// Size of one element in bytes.
    pub fn size(self) -> usize {
        self.row().3
    }

    /// The dtype of that Python name, if the corpus has it.
    pub fn from_name(name: &str) -> Option<DType> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// `float64`, `float32`, `float16` or `bfloat16`.
    pub fn is_floating(self) -> bool {
        matches!(self, Float64 | Float32 | Float16 | BFloat16)
    }

    /// An integer type; `bool` is none.
    pub fn is_integer(self) -> bool {
        !self.is_floating() && self != Bool
    }

    /// Distance from 1 to the next larger value, in float64; 0 for types that are not floating.
    /// These are the formats' own constants: 2^-52, 2^-23, 2^-10, 2^-7.
    pub fn epsilon(self) -> f64 {
        match self {
            Float64 => f64::EPSILON,
            Float32 => f64::from(f32::EPSILON),
            Float16 => 9.765625e-4,
            BFloat16 => 7.8125e-3,
            _ => 0.0,
        }
    }

    /// The name that the compiler gives the C++ type, which PyTorch prints of a `TypeMeta`.
    pub(crate) fn cpp_name(self) -> &'static str {
        match self {
            Float64 => "double",
            Float32 => "float",
            Float16 => "c10::Half",
            BFloat16 => "c10::BFloat16",
            Int64 => "long int",
            Int32 => "int",
            Int16 => "short int",
            Int8 => "signed char",
            UInt8 => "unsigned char",
            UInt32 => "unsigned int",
            Bool => "bool",
        }
    }

    /// The type in which two tensors (of one dimension or more) are combined, or `None` where
    /// PyTorch refuses (its unsigned 32-bit integers promote only with floats).
    ///
    /// The lattice is the one documented under `torch.result_type`: bool < integers < floats;
    /// `uint8` with a signed type gives the next signed type that holds both, and the two 16-bit
    /// floats meet in `float32`.
    pub fn promote(self, other: DType) -> Option<DType> {
        if self == other {
            return Some(self);
        }
        let (narrow, wide) = if self.rank() <= other.rank() { (self, other) } else { (other, self) };
        match (narrow, wide) {
            (Float16, BFloat16) | (BFloat16, Float16) => Some(Float32),
            (UInt8, Int8) => Some(Int16),
            (UInt32, wide) if !wide.is_floating() => None,
            (narrow, UInt32) if !narrow.is_floating() => None,
            _ => Some(wide),
        }
    }

    fn rank(self) -> u8 {
        match self {
            Bool => 0,
            UInt8 => 1,
            Int8 => 2,
            Int16 => 3,
            Int32 => 4,
            UInt32 => 5,
            Int64 => 6,
            Float16 => 7,
            BFloat16 => 8,
            Float32 => 9,
            Float64 => 10,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_enum_order() {
        for dtype in DType::all() {
            assert_eq!(dtype.row().0, dtype);
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
    }

    #[test]
    fn promotion_is_symmetric_and_keeps_the_wider_kind() {
        for a in DType::all() {
            for b in DType::all() {
                assert_eq!(a.promote(b), b.promote(a), "{a} {b}");
            }
        }
        assert_eq!(UInt8.promote(Int8), Some(Int16));
        assert_eq!(Int64.promote(Float16), Some(Float16));
        assert_eq!(Float16.promote(BFloat16), Some(Float32));
        assert_eq!(UInt32.promote(Int64), None);
        assert_eq!(UInt32.promote(Bool), None);
    }
}
