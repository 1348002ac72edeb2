//! Steps between tensors and numbers that losses are composed of, each rounded as PyTorch's own
//! op rounds it and laid out in memory as its result.

use super::super::call::{Failure, Result, Value};
use super::super::eager;
use super::super::numerics::dispatch::with_float_type;
use super::super::numerics::lanes::Float;
use super::super::numerics::moments::Arithmetic;
use super::super::numerics::zip::{laid_out_like, zip};
use super::super::pointwise::broadcast_shapes;
use super::super::promotion::{Operand, result_type};
use crate::tensor::{DType, Scalar, Tensor};

#[derive(Clone, Copy)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
    Over,
}

/// An operation on two tensors that broadcast, in their common type, rounded once.
pub(super) fn binary(x: &Tensor, y: &Tensor, operation: Operation) -> Result<Tensor> {
    let shape = broadcast_shapes([x.shape(), y.shape()])?;
    let dtype = result_type(&[Operand::Tensor(x), Operand::Tensor(y)])?;
    // A factor without dimensions, which has no say in a 16-bit type, is not rounded to it.
    let lone = x.dim() > 0 && y.dim() == 0 && dtype.is_floating() && dtype.size() == 2;
    if let (true, Operation::Times | Operation::Over, Some(number)) = (lone, operation, y.scalars().next()) {
        return Ok(with_number(&x.to_dtype(dtype), number.to_f64(), operation));
    }
    let [x, y] = [x, y].map(|tensor| tensor.expanded(&shape).to_dtype(dtype));
    fn each<T: Float<Acc: Arithmetic>>(x: &Tensor, y: &Tensor, operation: Operation) -> Tensor {
        zip::<T, T, 2>([x, y], |[x, y]| {
            let (x, y) = (x.widen(), y.widen());
            T::narrow(match operation {
                Operation::Plus => x + y,
                Operation::Minus => x - y,
                Operation::Times => x * y,
                Operation::Over => x / y,
            })
        })
    }
    Ok(with_float_type!(dtype, T => each::<T>(&x, &y, operation), _ => x))
}

/// An operation on each element and a number, which is rounded to the type of the accumulator as a
/// factor, and to the element's own as a summand.
fn with_number(x: &Tensor, number: f64, operation: Operation) -> Tensor {
    fn each<T: Float<Acc: Arithmetic>>(x: &Tensor, number: f64, operation: Operation) -> Tensor {
        let number = match operation {
            Operation::Plus | Operation::Minus => T::narrow(T::Acc::number(number)).widen(),
            Operation::Times | Operation::Over => T::Acc::number(number),
        };
        zip::<T, T, 1>([x], |[x]| {
            T::narrow(match operation {
                Operation::Plus => x.widen() + number,
                Operation::Minus => x.widen() - number,
                Operation::Times => x.widen() * number,
                Operation::Over => x.widen() / number,
            })
        })
    }
    with_float_type!(x.dtype(), T => each::<T>(x, number, operation), _ => x.clone())
}

pub(super) fn plus(x: &Tensor, number: f64) -> Tensor {
    with_number(x, number, Operation::Plus)
}

pub(super) fn scaled(x: &Tensor, number: f64) -> Tensor {
    with_number(x, number, Operation::Times)
}

pub(super) fn divided(x: &Tensor, number: f64) -> Tensor {
    with_number(x, number, Operation::Over)
}

pub(super) fn negated(x: &Tensor) -> Tensor {
    scaled(x, -1.0)
}

/// Refuses a result that the type it is written to cannot take, as PyTorch's `canCast` does.
pub(super) fn check_cast(from: DType, to: DType) -> Result<()> {
    if (from.is_floating() && !to.is_floating()) || (from != DType::Bool && to == DType::Bool) {
        return Err(Failure::runtime(format!(
            "result type {} can't be cast to the desired output type {}",
            from.scalar_type(),
            to.scalar_type()
        )));
    }
    Ok(())
}

/// Refuses to enlarge a tensor that is written over.
pub(super) fn check_in_place(x: &Tensor, other: &Tensor) -> Result<()> {
    let shape = broadcast_shapes([x.shape(), other.shape()])?;
    if shape != x.shape() {
        return Err(Failure::runtime(format!(
            "output with shape {:?} doesn't match the broadcast shape {shape:?}",
            x.shape()
        )));
    }
    Ok(())
}

/// As [`binary`], but written over the first tensor, in its shape and type.
pub(super) fn in_place(x: &Tensor, y: &Tensor, operation: Operation) -> Result<Tensor> {
    check_in_place(x, y)?;
    let result = binary(x, y, operation)?;
    check_cast(result.dtype(), x.dtype())?;
    Ok(laid_out_like(&result.to_dtype(x.dtype()), x))
}

/// The sum over everything or over one dimension.
pub(super) fn sum(input: &Tensor, dim: Option<usize>) -> Result<Tensor> {
    match dim {
        None => eager::call("sum", [("input", Value::Tensor(input.clone()))]),
        Some(dim) => {
            let dim = Value::Scalar(Scalar::Int(dim as i64));
            eager::call("sum", [("input", Value::Tensor(input.clone())), ("dim", dim)])
        }
    }
}
