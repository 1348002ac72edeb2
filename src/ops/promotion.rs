//! PyTorch's type promotion over tensors, 0-d tensors and numbers (`torch.result_type`).

use super::call::{Call, Failure, Result, Value};
use crate::tensor::{DType, Scalar, Tensor};

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
        (Some(higher), Some(lower)) if !higher.is_floating() && (higher == DType::Bool || lower.is_floating()) => {
            promote(higher, lower).map(Some)
        }
        (Some(higher), _) => Ok(Some(higher)),
        (None, lower) => Ok(lower),
    }
}

fn promote(a: DType, b: DType) -> Result<DType> {
    a.promote(b).ok_or_else(|| {
        Failure::runtime(format!("Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}", a.scalar_type(), b.scalar_type()))
    })
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
