//! `add`, `sub`, `rsub`, `mul`.
//!
//! | op | accepts | refuses |
//! |---|---|---|
//! | `add` | every dtype but uint32; of bools it is *or* | an alpha of a higher kind than the result |
//! | `sub`, `rsub` | as `add`, without bool | bool on either side |
//! | `mul` | every dtype; of bools it is *and* | – |
//!
//! Integers wrap. `add` and `sub` are `a + alpha * b` with one rounding. The product is rounded
//! before only in two places: in the scalar code of 16-bit floats, and where `b` stands still and
//! the compiler takes the product out of a loop ([`VectorPart::is_hoisted`]).

use super::number::{Computed, Integer, Wide, with_kind};
use super::operands::{Operands, unrounded};
use crate::ops::call::{Call, Failure, Result, refuse_uint32};
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::promotion::{Operand, check_overflow};
use crate::ops::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Element, Scalar, Tensor};

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "add",
        parameters: &["input", "other", "alpha"],
        forward: add,
        backward: Backward::Rule(add_backward),
    },
    Op {
        name: "sub",
        parameters: &["input", "other", "alpha"],
        forward: sub,
        backward: Backward::Rule(sub_backward),
    },
    Op {
        name: "subtract",
        parameters: &["input", "other", "alpha"],
        forward: sub,
        backward: Backward::Rule(sub_backward),
    },
    Op {
        name: "rsub",
        parameters: &["input", "other", "alpha"],
        forward: rsub,
        backward: Backward::Rule(rsub_backward),
    },
    Op { name: "mul", parameters: &["input", "other"], forward: mul, backward: Backward::Rule(mul_backward) },
    Op {
        name: "multiply",
        parameters: &["input", "other"],
        forward: mul,
        backward: Backward::Rule(mul_backward),
    },
];

fn add(call: &Call) -> Result {
    let operands = [call.operand("input")?, call.operand("other")?];
    Ok(scaled_sum(&operands, alpha(call)?)?.into())
}

fn sub(call: &Call) -> Result {
    Ok(scaled_difference(&[call.operand("input")?, call.operand("other")?], alpha(call)?)?.into())
}

/// `other - alpha * input`.
fn rsub(call: &Call) -> Result {
    Ok(scaled_difference(&[call.operand("other")?, call.operand("input")?], alpha(call)?)?.into())
}

/// The cotangent, and alpha times it for the second operand.
fn add_backward(pass: &Pass) -> Result<Gradients> {
    sum_backward(pass, eager::mul)
}

fn sub_backward(pass: &Pass) -> Result<Gradients> {
    sum_backward(pass, |cotangent, alpha| eager::mul(&eager::neg(cotangent)?, alpha))
}

fn sum_backward(pass: &Pass, second: fn(&Tensor, Scalar) -> Result<Tensor>) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let alpha = alpha(pass.call)?;
    pass.each(&[("input", &|| Ok(cotangent.clone())), ("other", &|| second(&cotangent, alpha))])
}

/// Minus alpha times the cotangent, and the cotangent.
fn rsub_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let alpha = alpha(pass.call)?;
    pass.each(&[
        ("input", &|| eager::mul(&eager::neg(&cotangent)?, alpha)),
        ("other", &|| Ok(cotangent.clone())),
    ])
}

fn mul_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let times = |factor: &str| eager::mul(&cotangent, pass.call.operand(factor)?.to_value());
    pass.each(&[("input", &|| times("other")), ("other", &|| times("input"))])
}

fn alpha(call: &Call) -> Result<Scalar> {
    Ok(call.scalar("alpha")?.unwrap_or(Scalar::Int(1)))
}

/// `a - alpha * b`, which is `a + (-alpha) * b`: an alpha whose negative does not fit is refused.
pub(super) fn scaled_difference(operands: &[Operand; 2], alpha: Scalar) -> Result<Tensor> {
    let bools = operands.iter().filter(|operand| is_bool(operand)).count();
    if bools == 2 {
        return Err(Failure::not_implemented(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` \
             operator instead.",
        ));
    }
    if bools == 1 {
        return Err(Failure::not_implemented(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, \
             use the `~` or `logical_not()` operator instead.",
        ));
    }
    let negative = match alpha {
        Scalar::Bool(_) => alpha,
        Scalar::Int(alpha) => Scalar::Int(alpha.wrapping_neg()),
        Scalar::Float(alpha) => Scalar::Float(-alpha),
    };
    scaled_sum(operands, negative)
}

fn is_bool(operand: &Operand) -> bool {
    match operand {
        Operand::Tensor(tensor) => tensor.dtype() == DType::Bool,
        Operand::Number(number) => matches!(number, Scalar::Bool(_)),
    }
}

/// `a + alpha * b`.
fn scaled_sum(operands: &[Operand; 2], alpha: Scalar) -> Result<Tensor> {
    let operands = Operands::together(operands)?;
    check_alpha(alpha, operands.dtype)?;
    refuse_uint32("add_stub", operands.dtype)?;
    check_overflow(alpha, operands.dtype)?;
    Ok(with_kind!(operands.dtype,
        integer T => {
            let alpha = T::from_scalar(alpha);
            operands.map(move |[a, b]: [T; 2]| a.plus(alpha.times(b)))
        },
        float T => sum_floats::<T>(&operands, alpha),
        bool => operands.map(move |[a, b]: [bool; 2]| a || (alpha.to_bool() && b)),
    ))
}

fn sum_floats<T: Computed>(operands: &Operands<2>, alpha: Scalar) -> Tensor {
    let alpha = T::from_scalar(alpha).widen();
    let rounds_once = |part: &VectorPart, place: usize| {
        part.holds_place(place) || (T::DTYPE.size() > 2 && !part.is_hoisted(1, place))
    };
    operands.map_flagged(rounds_once, move |[a, b]: [T; 2], once| {
        let (a, b) = (a.widen(), b.widen());
        T::narrow(if once { alpha.fused(b, a) } else { a + T::rounded(alpha * b) })
    })
}

/// Whether alpha's kind fits the result's.
fn check_alpha(alpha: Scalar, dtype: DType) -> Result<()> {
    match alpha {
        Scalar::Bool(_) if dtype != DType::Bool => {
            Err(Failure::runtime("Boolean alpha only supported for Boolean results."))
        }
        Scalar::Float(_) if !dtype.is_floating() => Err(Failure::runtime(
            "For integral input tensors, argument alpha must not be a floating point number.",
        )),
        _ => Ok(()),
    }
}

fn mul(call: &Call) -> Result {
    Ok(product(&[call.operand("input")?, call.operand("other")?])?.into())
}

pub(super) fn product(operands: &[Operand; 2]) -> Result<Tensor> {
    let together = Operands::together(operands)?;
    let factor = unrounded(together.dtype, &operands[1]);
    fn floats<T: Computed>(together: Operands<2>, factor: Option<f32>) -> Tensor {
        match factor {
            Some(factor) => {
                let factor = T::Real::from_scalar(factor.to_scalar());
                together.first().map(move |[a]: [T; 1]| T::narrow(a.widen() * factor))
            }
            None => together.map(|[a, b]: [T; 2]| T::narrow(a.widen() * b.widen())),
        }
    }
    Ok(with_kind!(together.dtype,
        integer T => together.map(|[a, b]: [T; 2]| a.times(b)),
        float T => floats::<T>(together, factor),
        bool => together.map(|[a, b]: [bool; 2]| a && b),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_alpha_has_to_fit() {
        let ones = Tensor::full(&[1], Scalar::Int(1), DType::Int8);
        let operands = [Operand::Tensor(&ones), Operand::Tensor(&ones)];
        assert!(scaled_difference(&operands, Scalar::Int(-128)).is_err());
        let difference = scaled_difference(&operands, Scalar::Int(128)).unwrap();
        assert_eq!(*difference.values::<i8>(), [-127]);
    }

    #[test]
    fn a_factor_is_not_rounded_to_16_bits() {
        let halves = Tensor::full(&[2], Scalar::Float(3.0), DType::Float16);
        let [first, second] = [Operand::Tensor(&halves), Operand::Number(Scalar::Float(2049.0))];
        let times = |operands: [Operand; 2]| product(&operands).unwrap().values::<half::f16>()[0].to_f32();
        assert_eq!(times([first.clone(), second.clone()]), 6148.0);
        assert_eq!(times([second, first]), 6144.0);
    }
}
