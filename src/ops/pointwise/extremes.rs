//! `maximum`, `minimum`, `fmax`, `fmin` of two operands.
//!
//! Every dtype is accepted. `maximum` and `minimum` propagate NaN, `fmax` and `fmin` pass over it.

use super::number::Computed;
use super::operands::Operands;
use super::rules;
use crate::ops::call::{Call, Result};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::extremes::End;
use crate::ops::numerics::product::Fold as _;
use crate::ops::promotion::Operand;
use crate::ops::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Tensor};
use crate::with_type;

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "maximum",
        parameters: &["input", "other"],
        forward: |call| propagating(call, End::Max),
        backward: Backward::Rule(|pass| propagating_backward(pass, End::Max, "other")),
    },
    Op {
        name: "minimum",
        parameters: &["input", "other"],
        forward: |call| propagating(call, End::Min),
        backward: Backward::Rule(|pass| propagating_backward(pass, End::Min, "other")),
    },
    Op {
        name: "fmax",
        parameters: &["input", "other"],
        forward: |call| passing_over(call, End::Max),
        backward: Backward::Rule(|pass| passing_over_backward(pass, End::Max)),
    },
    Op {
        name: "fmin",
        parameters: &["input", "other"],
        forward: |call| passing_over(call, End::Min),
        backward: Backward::Rule(|pass| passing_over_backward(pass, End::Min)),
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
    Ok(with_type!(together.dtype, T => together.map_parts(move |[a, b]: [T; 2], in_vector| {
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

/// The chosen one of `input` and another operand gets the cotangent, equal ones half each. A NaN
/// chooses nobody, so both get all of it.
pub(super) fn propagating_backward(pass: &Pass, end: End, other: &str) -> Result<Gradients> {
    let operands = [pass.call.tensor("input")?, pass.call.tensor(other)?];
    let less = eager::lt(operands[0], operands[1])?;
    let greater = eager::gt(operands[0], operands[1])?;
    let unchosen = match end {
        End::Max => [less, greater],
        End::Min => [greater, less],
    };
    shares(pass, other, unchosen)
}

/// The same, where a NaN in `other` chooses `input`, and one in `input` alone chooses `other`.
fn passing_over_backward(pass: &Pass, end: End) -> Result<Gradients> {
    let [input, other] = [pass.call.tensor("input")?, pass.call.tensor("other")?];
    let (beats, matches) = match end {
        End::Max => (eager::gt(input, other)?, eager::ge(input, other)?),
        End::Min => (eager::lt(input, other)?, eager::le(input, other)?),
    };
    let nan = eager::isnan(other)?;
    let input_unchosen = eager::logical_not(&eager::logical_or(&matches, &nan)?)?;
    shares(pass, "other", [input_unchosen, eager::logical_or(&beats, &nan)?])
}

/// The gradients of `input` and another operand, each of which is not chosen in places.
fn shares(pass: &Pass, other: &str, unchosen: [Tensor; 2]) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let tie = eager::eq(pass.call.tensor("input")?, pass.call.tensor(other)?)?;
    pass.each(&[
        ("input", &|| rules::shared(&cotangent, &tie, &unchosen[0])),
        (other, &|| rules::shared(&cotangent, &tie, &unchosen[1])),
    ])
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
