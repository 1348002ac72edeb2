//! Pieces of Rust for [`Engine::snippet`](super::Engine::snippet).

use crate::ops::Value;
use crate::tensor::{DType, Scalar, Tensor};

/// Longer tensors are named, not written out.
const LONGEST: usize = 64;

/// The elements in row-major order as a `vec!`, whose first element has its type.
pub(super) fn vector(tensor: &Tensor) -> String {
    if tensor.numel() > LONGEST {
        return format!("vec![/* {} elements: in the fixture file */]", tensor.numel());
    }
    elements(tensor.dtype(), tensor.scalars())
}

/// Values of one dtype as a `vec!`.
fn elements(dtype: DType, values: impl Iterator<Item = Scalar>) -> String {
    let values: Vec<String> = values.map(|value| literal(value, dtype)).collect();
    if values.is_empty() {
        format!("Vec::<{}>::new()", rust_type(dtype))
    } else {
        format!("vec![{}]", values.join(", "))
    }
}

/// The Rust type of a dtype's elements.
pub(super) fn rust_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Float64 => "f64",
        DType::Float32 => "f32",
        DType::Float16 => "f16",
        DType::BFloat16 => "bf16",
        DType::Int64 => "i64",
        DType::Int32 => "i32",
        DType::Int16 => "i16",
        DType::Int8 => "i8",
        DType::UInt8 => "u8",
        DType::UInt32 => "u32",
        DType::Bool => "bool",
    }
}

/// A number as a literal of a dtype's type.
pub(super) fn literal(value: Scalar, dtype: DType) -> String {
    let name = rust_type(dtype);
    match (value, dtype) {
        (Scalar::Bool(value), _) => value.to_string(),
        (Scalar::Int(value), _) => format!("{value}{name}"),
        (Scalar::Float(value), _) if value.is_nan() => format!("{name}::NAN"),
        (Scalar::Float(value), _) if value.is_infinite() => {
            format!("{name}::{}INFINITY", if value < 0.0 { "NEG_" } else { "" })
        }
        (Scalar::Float(value), DType::Float16 | DType::BFloat16) => format!("{name}::from_f32({value:?})"),
        // The shortest text that gives the same float32, not the float64 that it widens to.
        (Scalar::Float(value), DType::Float32) => format!("{:?}f32", value as f32),
        (Scalar::Float(value), _) => format!("{value:?}{name}"),
    }
}

/// An argument as this crate's own engine takes it.
pub(super) fn value(value: &Value) -> String {
    let list = |items: Vec<String>| format!("vec![{}]", items.join(", "));
    match value {
        Value::None => "Value::None".into(),
        Value::Scalar(Scalar::Bool(flag)) => format!("Value::Scalar(Scalar::Bool({flag}))"),
        Value::Scalar(Scalar::Int(int)) => format!("Value::Scalar(Scalar::Int({int}))"),
        Value::Scalar(number) => {
            format!("Value::Scalar(Scalar::Float({}))", literal(*number, DType::Float64))
        }
        Value::Str(text) => format!("Value::Str({text:?}.into())"),
        Value::List(items) => format!("Value::List({})", list(items.iter().map(self::value).collect())),
        Value::Slice(bounds) => format!("Value::Slice({bounds:?})"),
        Value::Input(name) => format!("Value::Input({name:?}.into())"),
        Value::Step(step, output) => format!("Value::Step({step}, {output})"),
        Value::Tensor(tensor) => format!("Value::Tensor({})", own(tensor)),
        Value::Tensors(tensors) => {
            let item = |tensor: &Option<Tensor>| match tensor {
                Some(tensor) => format!("Some({})", own(tensor)),
                None => "None".into(),
            };
            format!("Value::Tensors({})", list(tensors.iter().map(item).collect()))
        }
    }
}

/// A tensor of this crate's, its layout included.
fn own(tensor: &Tensor) -> String {
    let shape = tensor.shape();
    if tensor.is_contiguous() || tensor.numel() > LONGEST || tensor.storage().len() > LONGEST {
        return format!("Tensor::new(&{shape:?}, {})?", vector(tensor));
    }
    let storage = tensor.storage();
    let data = elements(tensor.dtype(), (0..storage.len()).filter_map(|i| storage.get(i)));
    let (strides, offset) = (tensor.strides(), tensor.offset());
    format!("Tensor::strided(&{shape:?}, &{strides:?}, {offset}, Element::store({data}))?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::bf16;

    #[test]
    fn literals_read_back() {
        let texts = [
            vector(&Tensor::new(&[3], vec![0.1f32, f32::NAN, -0.0]).unwrap()),
            vector(&Tensor::new(&[2], vec![f64::NEG_INFINITY, 1e300]).unwrap()),
            vector(&Tensor::new(&[1], vec![bf16::from_f32(1.5)]).unwrap()),
            vector(&Tensor::new(&[2], vec![-3i64, 4]).unwrap()),
            vector(&Tensor::new(&[0], Vec::<bool>::new()).unwrap()),
            vector(&Tensor::new(&[65], vec![0u8; 65]).unwrap()),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r"
        vec![0.1f32, f32::NAN, -0.0f32]
        vec![f64::NEG_INFINITY, 1e300f64]
        vec![bf16::from_f32(1.5)]
        vec![-3i64, 4i64]
        Vec::<bool>::new()
        vec![/* 65 elements: in the fixture file */]
        ");
    }
}
