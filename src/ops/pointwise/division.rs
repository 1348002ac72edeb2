//! `div` with its rounding modes, `floor_divide`, `remainder`, `fmod`.
//!
//! | op | integers | floats |
//! |---|---|---|
//! | `div` | in float32 | IEEE |
//! | `div`, `rounding_mode="trunc"` | towards zero | the quotient, truncated |
//! | `div`, `rounding_mode="floor"`, `floor_divide` | towards minus infinity | [`floored`] |
//! | `fmod` | sign of the dividend | exact rest, sign of the dividend |
//! | `remainder` | sign of the divisor | `fmod`, plus the divisor where the signs differ |
//!
//! Integers refuse zero as a divisor; the smallest over -1 wraps (int64's ends PyTorch's process,
//! so there is nothing to follow). The vector code of `fmod` and `remainder` is Sleef's `fmod`, which
//! gives NaN where the quotient overflows ([`vector_rest`]); scalar code takes libm's, which is
//! exact.

use super::number::{Computed, Integer, Wide, with_kind};
use super::operands::{Operands, unrounded};
use super::rules;
use crate::ops::call::{Call, Failure, Result, Value, refuse_uint32};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::promotion::Operand;
use crate::ops::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Element, Tensor};

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "div",
        parameters: &["input", "other", "rounding_mode"],
        forward: div,
        backward: Backward::Rule(div_backward),
    },
    Op {
        name: "divide",
        parameters: &["input", "other", "rounding_mode"],
        forward: div,
        backward: Backward::Rule(div_backward),
    },
    Op {
        name: "true_divide",
        parameters: &["input", "other"],
        forward: div,
        backward: Backward::Rule(div_backward),
    },
    Op {
        name: "floor_divide",
        parameters: &["input", "other"],
        forward: floor_divide,
        backward: Backward::Rule(rules::refused),
    },
    Op {
        name: "remainder",
        parameters: &["input", "other"],
        forward: remainder,
        backward: Backward::Rule(remainder_backward),
    },
    Op {
        name: "fmod",
        parameters: &["input", "other"],
        forward: fmod,
        backward: Backward::Rule(fmod_backward),
    },
];

fn operands(call: &Call) -> Result<[Operand<'_>; 2]> {
    Ok([call.operand("input")?, call.operand("other")?])
}

fn div(call: &Call) -> Result {
    let operands = operands(call)?;
    let mode = match call.get("rounding_mode") {
        None => return Ok(quotient(&operands)?.into()),
        Some(Value::Str(mode)) => mode.as_str(),
        Some(_) => return Err(Failure::Unsupported("div: a rounding_mode that is no string".into())),
    };
    match mode {
        "trunc" => Rounding::Trunc.divide(&operands),
        "floor" => Rounding::Floor.divide(&operands),
        other => Err(Failure::runtime(format!(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'"
        ))),
    }
    .map(Into::into)
}

fn floor_divide(call: &Call) -> Result {
    Ok(Rounding::Floor.divide(&operands(call)?)?.into())
}

/// True division.
fn quotient(operands: &[Operand; 2]) -> Result<Tensor> {
    let together = Operands::floating(operands)?;
    let divisor = unrounded(together.dtype, &operands[1]);
    with_float_type!(together.dtype,
        T => Ok(by_divisor::<T>(together, divisor, |a, b, _| a / b)),
        _ => Err(Failure::no_kernel("div_cpu", together.dtype)),
    )
}

/// A true division by its formula; a rounded one is a step function.
fn div_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    if pass.call.get("rounding_mode").is_some() {
        let zero = || eager::zeros_like(&cotangent);
        return pass.each(&[("input", &zero), ("other", &zero)]);
    }
    let [input, other] = [rules::operand(pass, "input")?, rules::operand(pass, "other")?];
    pass.each(&[
        ("input", &|| eager::div(&cotangent, other.clone())),
        ("other", &|| {
            let ratio = eager::div(&eager::quotient(input.clone(), other.clone(), None)?, other.clone())?;
            eager::mul(&eager::neg(&cotangent)?, &ratio)
        }),
    ])
}

/// Runs a division of floats in the type in which they are computed. The kernel is given both
/// operands and how intermediate results are rounded. With a divisor of one element, 16-bit floats
/// are rounded at the end only.
fn by_divisor<T: Computed>(
    together: Operands<2>,
    divisor: Option<f32>,
    kernel: impl Fn(T::Real, T::Real, fn(T::Real) -> T::Real) -> T::Real + Copy,
) -> Tensor {
    match divisor {
        Some(divisor) => {
            let divisor = T::Real::from_scalar(divisor.to_scalar());
            together
                .first()
                .map(move |[a]: [T; 1]| T::narrow(kernel(a.widen(), divisor, std::convert::identity)))
        }
        None => together.map(|[a, b]: [T; 2]| T::narrow(kernel(a.widen(), b.widen(), T::rounded))),
    }
}

#[derive(Clone, Copy)]
enum Rounding {
    Trunc,
    Floor,
}

impl Rounding {
    fn divide(self, operands: &[Operand; 2]) -> Result<Tensor> {
        let together = Operands::together(operands)?;
        let divisor = unrounded(together.dtype, &operands[1]);
        let kernel = match self {
            Rounding::Trunc => "div_trunc_cpu",
            Rounding::Floor => "div_floor_cpu",
        };
        refuse_uint32(kernel, together.dtype)?;
        with_kind!(together.dtype,
            integer T => self.integers::<T>(&together),
            float T => Ok(self.floats::<T>(together, divisor)),
            bool => Err(Failure::no_kernel(kernel, DType::Bool)),
        )
    }

    fn integers<T: Integer>(self, together: &Operands<2>) -> Result<Tensor> {
        together.try_map(|[a, b]: [T; 2]| {
            let (Some(quotient), Some(rest)) = (a.quotient(b), a.rest(b)) else { return Err(by_zero()) };
            let below = rest != T::ZERO && a.is_below_zero() != b.is_below_zero();
            Ok(match self {
                Rounding::Floor if below => quotient.minus(T::ONE),
                _ => quotient,
            })
        })
    }

    fn floats<T: Computed>(self, together: Operands<2>, divisor: Option<f32>) -> Tensor {
        match self {
            Rounding::Trunc => by_divisor::<T>(together, divisor, |a, b, round| round(a / b).trunc()),
            Rounding::Floor => by_divisor::<T>(together, divisor, floored),
        }
    }
}

fn by_zero() -> Failure {
    Failure::runtime("ZeroDivisionError")
}

/// Python's floor division of floats, as PyTorch computes it (`c10/util/generic_math.h`): by way
/// of the rest, so that the quotient of an exact division is exact. Every step is rounded. The rest
/// is libm's in the vector part as well.
fn floored<R: Wide>(a: R, b: R, round: fn(R) -> R) -> R {
    if b == R::ZERO {
        return round(a / b);
    }
    let rest = round(a % b);
    let mut quotient = round(round(a - rest) / b);
    if rest != R::ZERO && (b < R::ZERO) != (rest < R::ZERO) {
        quotient = round(quotient - R::ONE);
    }
    if quotient == R::ZERO {
        return R::ZERO.with_sign_of(round(a / b));
    }
    let floor = quotient.floor();
    if round(quotient - floor) > R::HALF { round(floor + R::ONE) } else { floor }
}

fn rest<R: Wide>(a: R, b: R, in_vector: bool) -> R {
    if in_vector { vector_rest(a, b) } else { a % b }
}

/// The rest of a division, as Sleef's `fmod` gives it. Its first step is a truncated product of
/// neighbours of the dividend and of the divisor's reciprocal; where that overflows, everything
/// after it is NaN. A subnormal divisor is scaled up with the dividend before.
fn vector_rest<R: Wide>(a: R, b: R) -> R {
    let (mut dividend, mut divisor) = (a.magnitude(), b.magnitude());
    if divisor < R::TINY {
        (dividend, divisor) = (dividend * R::UP, divisor * R::UP);
    }
    let estimate = dividend.towards_zero() * (R::ONE / divisor).towards_zero();
    let several = dividend >= divisor + divisor;
    if several && estimate.is_infinite() { R::NAN } else { a % b }
}

fn remainder(call: &Call) -> Result {
    let together = Operands::together(&operands(call)?)?;
    fn integers<T: Integer>([a, b]: [T; 2]) -> Result<T> {
        let rest = a.rest(b).ok_or_else(by_zero)?;
        let other_side = rest != T::ZERO && rest.is_below_zero() != b.is_below_zero();
        Ok(if other_side { rest.plus(b) } else { rest })
    }
    fn floats<T: Computed>([a, b]: [T; 2], in_vector: bool) -> T {
        let (a, b) = (a.widen(), b.widen());
        let rest = rest(a, b, in_vector);
        let other_side = rest != T::Real::ZERO && (b < T::Real::ZERO) != (rest < T::Real::ZERO);
        T::narrow(if other_side { rest + b } else { rest })
    }
    refuse_uint32("remainder_cpu", together.dtype)?;
    with_kind!(together.dtype,
        integer T => together.try_map(integers::<T>),
        float T => Ok(together.map_parts(floats::<T>)),
        bool => Err(Failure::no_kernel("remainder_cpu", DType::Bool)),
    )
    .map(Into::into)
}

fn fmod(call: &Call) -> Result {
    let together = Operands::together(&operands(call)?)?;
    fn floats<T: Computed>([a, b]: [T; 2], in_vector: bool) -> T {
        T::narrow(rest(a.widen(), b.widen(), in_vector))
    }
    refuse_uint32("fmod_cpu", together.dtype)?;
    with_kind!(together.dtype,
        integer T => together.try_map(|[a, b]: [T; 2]| a.rest(b).ok_or_else(by_zero)),
        float T => Ok(together.map_parts(floats::<T>)),
        bool => Err(Failure::no_kernel("fmod_cpu", DType::Bool)),
    )
    .map(Into::into)
}

/// The cotangent, and minus the rounded quotient times it for the divisor. PyTorch has no formula
/// for a number modulo a tensor.
fn remainder_backward(pass: &Pass) -> Result<Gradients> {
    match pass.call.operand("input")? {
        Operand::Tensor(_) => rest_backward(pass, "floor"),
        Operand::Number(_) => rules::refused(pass),
    }
}

fn fmod_backward(pass: &Pass) -> Result<Gradients> {
    rest_backward(pass, "trunc")
}

fn rest_backward(pass: &Pass, rounding_mode: &str) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let [input, other] = [rules::operand(pass, "input")?, rules::operand(pass, "other")?];
    pass.each(&[
        ("input", &|| Ok(cotangent.clone())),
        ("other", &|| {
            let quotient = eager::quotient(input.clone(), other.clone(), Some(rounding_mode))?;
            eager::mul(&eager::neg(&cotangent)?, &quotient)
        }),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor(a: f64, b: f64) -> f64 {
        floored(a, b, std::convert::identity)
    }

    #[test]
    fn floor_division_follows_python() {
        assert_eq!(floor(7.0, -2.0), -4.0);
        assert_eq!(floor(1.0, 0.1), 9.0);
        assert!(floor(-0.0, 5.0).is_sign_negative());
        assert_eq!(floor(1.0, 0.0), f64::INFINITY);
        assert!(floor(f64::INFINITY, 2.0).is_nan());
    }

    #[test]
    fn a_rest_in_vectors_is_nan_where_the_quotient_overflows() {
        assert!(vector_rest(3e38f32, 0.1).is_nan());
        assert_eq!(vector_rest(1e-45f32, 3e-45), 1e-45);
        assert_eq!(vector_rest(-7.0f64, 2.0), -1.0);
        assert!(!rest(3e38f32, 0.1, false).is_nan());
    }
}
