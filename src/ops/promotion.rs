//! PyTorch's type promotion over tensors, 0-d tensors and numbers (`torch.result_type`).

use super::call::{Call, Failure, Result, Value};
use crate::tensor::{DType, Scalar, TWO_63, Tensor};

/// A tensor or a number, where PyTorch accepts either.
#[derive(Clone, Debug)]
pub(crate) enum Operand<'a> {
    Tensor(&'a Tensor),
    Number(Scalar),
}

impl Operand<'_> {
    /// The operand as a tensor of a dtype; a number is 0-d.
    pub(crate) fn to_tensor(&self, dtype: DType) -> Tensor {
        match self {
            Operand::Tensor(tensor) => tensor.to_dtype(dtype),
            Operand::Number(number) => Tensor::full(&[], *number, dtype),
        }
    }

    /// The operand as an argument.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Operand::Tensor(tensor) => Value::Tensor((*tensor).clone()),
            Operand::Number(number) => Value::Scalar(*number),
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Operand::Tensor(tensor) => tensor.shape(),
            Operand::Number(_) => &[],
        }
    }
}

impl Call {
    /// An argument that may be a tensor or a number, and must be there.
    pub(crate) fn operand(&self, parameter: &str) -> Result<Operand<'_>> {
        match self.get(parameter) {
            Some(Value::Tensor(tensor)) => Ok(Operand::Tensor(tensor)),
            Some(Value::Scalar(number)) => Ok(Operand::Number(*number)),
            _ => Err(Failure::Unsupported(format!("{}: parameter '{parameter}' of this kind", self.op))),
        }
    }
}

/// The common dtype of some operands. Tensors with dimensions decide within their kind (bool,
/// integer, float); 0-d tensors count only where they are of a higher kind, numbers after those.
pub(crate) fn result_type(operands: &[Operand]) -> Result<DType> {
    let mut by_priority: [Option<DType>; 3] = [None; 3];
    for operand in operands {
        let (priority, dtype) = match operand {
            Operand::Tensor(tensor) if tensor.dim() > 0 => (0, tensor.dtype()),
            Operand::Tensor(tensor) => (1, tensor.dtype()),
            Operand::Number(Scalar::Bool(_)) => (2, DType::Bool),
            Operand::Number(Scalar::Int(_)) => (2, DType::Int64),
            Operand::Number(Scalar::Float(_)) => (2, DType::Float32),
        };
        let slot = &mut by_priority[priority];
        *slot = Some(match *slot {
            Some(so_far) => promote(so_far, dtype)?,
            None => dtype,
        });
    }
    let [with_dims, without, numbers] = by_priority;
    let lower = combine(without, numbers)?;
    combine(with_dims, lower)?.ok_or_else(|| Failure::Unsupported("promotion of nothing".into()))
}

fn combine(higher: Option<DType>, lower: Option<DType>) -> Result<Option<DType>> {
    match (higher, lower) {
        (Some(higher), Some(lower))
            if !higher.is_floating() && (higher == DType::Bool || lower.is_floating()) =>
        {
            promote(higher, lower).map(Some)
        }
        (Some(higher), _) => Ok(Some(higher)),
        (None, lower) => Ok(lower),
    }
}

fn promote(a: DType, b: DType) -> Result<DType> {
    a.promote(b).ok_or_else(|| {
        Failure::runtime(format!(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}",
            a.scalar_type(),
            b.scalar_type()
        ))
    })
}

/// Refuses a number that a dtype cannot hold, as PyTorch's `Scalar::to` does. Infinity and NaN
/// are values of every float; an unsigned type takes the negative of an integer that it holds,
/// and wraps.
pub(crate) fn check_overflow(number: Scalar, dtype: DType) -> Result<()> {
    let (name, low, high) = match dtype {
        DType::Bool | DType::Float64 => return Ok(()),
        DType::Float32 => ("float", -f64::from(f32::MAX), f64::from(f32::MAX)),
        DType::Float16 => ("c10::Half", -65504.0, 65504.0),
        DType::BFloat16 => ("c10::BFloat16", -f64::from(half::bf16::MAX), f64::from(half::bf16::MAX)),
        // Compared in float64, where the largest int64 is 2^63.
        DType::Int64 => ("int64_t", -TWO_63, TWO_63),
        DType::Int32 => ("int", f64::from(i32::MIN), f64::from(i32::MAX)),
        DType::Int16 => ("int16_t", f64::from(i16::MIN), f64::from(i16::MAX)),
        DType::Int8 => ("int8_t", f64::from(i8::MIN), f64::from(i8::MAX)),
        DType::UInt8 => ("uint8_t", -f64::from(u8::MAX), f64::from(u8::MAX)),
        DType::UInt32 => ("uint32_t", -f64::from(u32::MAX), f64::from(u32::MAX)),
    };
    let value = number.to_f64();
    let unsigned = matches!(dtype, DType::UInt8 | DType::UInt32);
    let low = if unsigned && matches!(number, Scalar::Float(_)) { 0.0 } else { low };
    let fits = (dtype.is_floating() && !value.is_finite()) || (low..=high).contains(&value);
    if fits {
        return Ok(());
    }
    Err(Failure::runtime(format!("value cannot be converted to type {name} without overflow")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_dimensional_tensors_and_numbers_yield_within_their_kind() {
        let half = Tensor::full(&[2], Scalar::Float(1.0), DType::Float16);
        let double = Tensor::full(&[], Scalar::Float(1.0), DType::Float64);
        let bytes = Tensor::full(&[2], Scalar::Int(1), DType::UInt8);
        let of = |operands: &[Operand]| result_type(operands).unwrap();
        assert_eq!(of(&[Operand::Tensor(&half), Operand::Tensor(&double)]), DType::Float16);
        assert_eq!(of(&[Operand::Tensor(&bytes), Operand::Tensor(&double)]), DType::Float64);
        assert_eq!(of(&[Operand::Tensor(&bytes), Operand::Number(Scalar::Int(-1))]), DType::UInt8);
        assert_eq!(of(&[Operand::Tensor(&bytes), Operand::Number(Scalar::Float(0.5))]), DType::Float32);
        assert_eq!(of(&[Operand::Tensor(&double), Operand::Number(Scalar::Float(0.5))]), DType::Float64);
    }
}
