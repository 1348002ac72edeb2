//! `maximum`, `minimum`, `fmax`, `fmin` of two operands.
//!
//! Every dtype is accepted. `maximum` and `minimum` propagate NaN, `fmax` and `fmin` pass over it.

use super::number::Computed;
use super::operands::Operands;
use crate::ops::call::{Call, Result};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::extremes::End;
use crate::ops::numerics::product::Fold as _;
use crate::ops::promotion::Operand;
use crate::ops::{Backward, Op};
use crate::tensor::{DType, Tensor};
use crate::with_type;

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "maximum",
        parameters: &["input", "other"],
        forward: |call| propagating(call, End::Max),
        backward: Backward::Unwritten,
    },
    Op {
        name: "minimum",
        parameters: &["input", "other"],
        forward: |call| propagating(call, End::Min),
        backward: Backward::Unwritten,
    },
    Op {
        name: "fmax",
        parameters: &["input", "other"],
        forward: |call| passing_over(call, End::Max),
        backward: Backward::Unwritten,
    },
    Op {
        name: "fmin",
        parameters: &["input", "other"],
        forward: |call| passing_over(call, End::Min),
        backward: Backward::Unwritten,
    },
];

fn tensors(call: &Call) -> Result<[Operand<'_>; 2]> {
    Ok([Operand::Tensor(call.tensor("input")?), Operand::Tensor(call.tensor("other")?)])
}

fn propagating(call: &Call, end: End) -> Result {
    Ok(extreme(end, &tensors(call)?)?.into())
}

/// `maximum` and `minimum` of two operands: NaN propagates. On a tie (of zeros) PyTorch's vector
/// code keeps the second operand and its scalar code the first, so the sign depends on where the
/// element lies.
pub(crate) fn extreme(end: End, operands: &[Operand; 2]) -> Result<Tensor> {
    let together = Operands::together(operands)?;
    Ok(with_type!(together.dtype, T => together.map_parts(|[a, b]: [T; 2], in_vector| {
        if in_vector { end.vector(a, b) } else { end.scalar(a, b) }
    })))
}

/// The other operand where one is NaN: scalar code everywhere. On a tie the first, but the second
/// of bfloat16, whose function compares the other way round.
fn passing_over(call: &Call, end: End) -> Result {
    let operands = tensors(call)?;
    let together = Operands::together(&operands)?;
    fn floats<T: Computed>(end: End, [a, b]: [T; 2]) -> T {
        let tie = T::DTYPE == DType::BFloat16 && a == b;
        if a.is_nan() || end.beats(b, a) || tie { b } else { a }
    }
    Ok(with_float_type!(together.dtype,
        T => together.map(|pair: [T; 2]| floats(end, pair)),
        _ => extreme(end, &operands)?,
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Scalar;

    #[test]
    fn tied_zeros_are_the_second_in_vectors_and_the_first_after_them() {
        let [plus, minus] = [0.0, -0.0].map(|zero| Tensor::full(&[17], Scalar::Float(zero), DType::Float32));
        let largest = extreme(End::Max, &[Operand::Tensor(&plus), Operand::Tensor(&minus)]).unwrap();
        let signs: Vec<bool> = largest.values::<f32>().iter().map(|zero| zero.is_sign_negative()).collect();
        assert_eq!(signs, [[true; 16].as_slice(), &[false]].concat());
    }
}
