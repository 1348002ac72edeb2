//! Typed memory under a tensor.

use half::{bf16, f16};

use super::{DType, Element, Scalar};

/// The elements that one or more tensors view.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each variant holds the elements of the dtype of the same name")]
pub enum Storage {
    Float64(Vec<f64>),
    Float32(Vec<f32>),
    Float16(Vec<f16>),
    BFloat16(Vec<bf16>),
    Int64(Vec<i64>),
    Int32(Vec<i32>),
    Int16(Vec<i16>),
    Int8(Vec<i8>),
    UInt8(Vec<u8>),
    UInt32(Vec<u32>),
    Bool(Vec<bool>),
}

/// Runs one generic expression on the elements of a storage, whatever their type:
/// `with_data!(storage, data => f(data))`.
#[macro_export]
#[doc(hidden)]
macro_rules! with_data {
    ($storage:expr, $data:ident => $body:expr) => {
        match $storage {
            $crate::tensor::Storage::Float64($data) => $body,
            $crate::tensor::Storage::Float32($data) => $body,
            $crate::tensor::Storage::Float16($data) => $body,
            $crate::tensor::Storage::BFloat16($data) => $body,
            $crate::tensor::Storage::Int64($data) => $body,
            $crate::tensor::Storage::Int32($data) => $body,
            $crate::tensor::Storage::Int16($data) => $body,
            $crate::tensor::Storage::Int8($data) => $body,
            $crate::tensor::Storage::UInt8($data) => $body,
            $crate::tensor::Storage::UInt32($data) => $body,
            $crate::tensor::Storage::Bool($data) => $body,
        }
    };
}

/// Runs one generic expression with `T` standing for the Rust type of a dtype:
/// `with_type!(dtype, T => f::<T>())`.
#[macro_export]
#[doc(hidden)]
macro_rules! with_type {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::with_type!(@ $dtype, $T, $body,
            Float64 f64, Float32 f32, Float16 half::f16, BFloat16 half::bf16, Int64 i64,
            Int32 i32, Int16 i16, Int8 i8, UInt8 u8, UInt32 u32, Bool bool)
    };
    (@ $dtype:expr, $T:ident, $body:expr, $($variant:ident $type:ty),*) => {
        match $dtype {$(
            $crate::tensor::DType::$variant => {
                type $T = $type;
                $body
            }
        )*}
    };
}

impl Storage {
    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        fn of<T: Element>(_: &[T]) -> DType {
            T::DTYPE
        }
        with_data!(self, data => of(data))
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        with_data!(self, data => data.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at a position of the memory, if it is inside.
    pub fn get(&self, position: usize) -> Option<Scalar> {
        with_data!(self, data => data.get(position).map(|value| value.to_scalar()))
    }
}
