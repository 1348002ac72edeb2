//! `clamp`, `clamp_min`, `clamp_max`: numbers or tensors as bounds.
//!
//! The lower bound is applied first, so the upper one wins where they cross. A NaN anywhere gives
//! NaN. Numbers do not promote a float input; an integer input takes part in promotion with them,
//! and a bound that its type cannot hold is dropped where it would change nothing and refused
//! elsewhere. bool has a kernel for one tensor bound only.

use super::extremes::{extreme, propagating_backward};
use super::number::{Integer, with_kind};
use super::operands::{Operands, is_nan, streamed};
use super::rules;
use crate::ops::call::{Call, Failure, Result, Value};
use crate::ops::numerics::extremes::End;
use crate::ops::numerics::product::Fold as _;
use crate::ops::promotion::{Operand, check_overflow, result_type};
use crate::ops::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Element, Scalar, Tensor};

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "clamp",
        parameters: &["input", "min", "max"],
        forward: clamp,
        backward: Backward::Rule(clamp_backward),
    },
    Op {
        name: "clip",
        parameters: &["input", "min", "max"],
        forward: clamp,
        backward: Backward::Rule(clamp_backward),
    },
    Op {
        name: "clamp_min",
        parameters: &["input", "min"],
        forward: clamp,
        backward: Backward::Rule(clamp_backward),
    },
    Op {
        name: "clamp_max",
        parameters: &["input", "max"],
        forward: clamp,
        backward: Backward::Rule(clamp_backward),
    },
];

fn clamp(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let clamped = match (call.get("min"), call.get("max")) {
        (None, None) => {
            return Err(Failure::runtime("torch.clamp: At least one of 'min' or 'max' must not be None"));
        }
        (Some(Value::Tensor(min)), Some(Value::Tensor(max))) => between(input, min, max)?,
        (Some(Value::Tensor(min)), None) => {
            extreme(End::Max, &[Operand::Tensor(input), Operand::Tensor(min)])?
        }
        (None, Some(Value::Tensor(max))) => {
            extreme(End::Min, &[Operand::Tensor(input), Operand::Tensor(max)])?
        }
        _ => by_numbers(input, call.scalar("min")?, call.scalar("max")?)?,
    };
    Ok(clamped.into())
}

/// Both bounds are tensors.
fn between(input: &Tensor, min: &Tensor, max: &Tensor) -> Result<Tensor> {
    let together = Operands::together(&[input, min, max].map(Operand::Tensor))?;
    fn each<T: Element>(together: &Operands<3>) -> Tensor {
        together.map_parts(|[x, min, max]: [T; 3], in_vector| match in_vector {
            true => End::Min.vector(End::Max.vector(x, min), max),
            false => End::Min.scalar(End::Max.scalar(x, min), max),
        })
    }
    Ok(with_kind!(together.dtype,
        integer T => each::<T>(&together),
        float T => each::<T>(&together),
        bool => return Err(Failure::no_kernel("clamp_cpu", DType::Bool)),
    ))
}

/// All bounds are numbers, and there is at least one.
fn by_numbers(input: &Tensor, min: Option<Scalar>, max: Option<Scalar>) -> Result<Tensor> {
    let mut operands = vec![Operand::Tensor(input)];
    operands.extend([min, max].into_iter().flatten().map(Operand::Number));
    let dtype = if input.dtype().is_floating() { input.dtype() } else { result_type(&operands)? };
    let (min, max) = (applied(min, dtype, End::Max)?, applied(max, dtype, End::Min)?);
    let nan = [min, max].into_iter().flatten().any(is_nan);
    let wide = Operands::in_dtype(&[Operand::Tensor(input)], input.shape().to_vec(), dtype);
    with_kind!(dtype,
        integer T => Ok(bounded::<T>(&wide, min, max)),
        float T => {
            if nan {
                return Ok(Tensor::full(input.shape(), Scalar::Float(f64::NAN), dtype));
            }
            for bound in [min, max].into_iter().flatten() {
                check_overflow(bound, dtype)?;
            }
            Ok(bounded::<T>(&wide, min, max))
        },
        bool => Err(Failure::no_kernel(
            match (min, max) {
                (Some(_), Some(_)) => "clamp_scalar_cpu",
                (Some(_), None) => "clamp_min_scalar_cpu",
                _ => "clamp_max_scalar_cpu",
            },
            DType::Bool,
        )),
    )
}

/// The bound that an integer kernel is given: none where every value meets it, and a refusal
/// where none does. `end` is what the bound does: a lower bound takes the maximum.
fn applied(bound: Option<Scalar>, dtype: DType, end: End) -> Result<Option<Scalar>> {
    let Some(number) = bound else { return Ok(None) };
    let Some((below, above)) = with_kind!(dtype,
        integer T => Some(outside::<T>(number)),
        float _T => None,
        bool => None,
    ) else {
        return Ok(bound);
    };
    let (harmless, name) = match end {
        End::Max => (below, "min"),
        End::Min => (above, "max"),
    };
    if harmless || !(below || above) {
        return Ok(bound.filter(|_| !harmless));
    }
    Err(Failure::runtime(format!(
        "Clamp {name} value {} is outside the representable range of {}",
        streamed(number.to_f64()),
        dtype.scalar_type()
    )))
}

/// Whether a number lies below all values of a type, and whether it lies above.
fn outside<T: Integer>(number: Scalar) -> (bool, bool) {
    let (low, high) = (T::LOWEST.to_scalar().to_i64(), T::HIGHEST.to_scalar().to_i64());
    (number.to_i64() < low, number.to_i64() > high)
}

/// The element stays on a tie, in vector and scalar code.
fn bounded<T: Element>(input: &Operands<1>, min: Option<Scalar>, max: Option<Scalar>) -> Tensor {
    let [min, max] = [min, max].map(|bound| bound.map(T::from_scalar));
    input.map(move |[x]: [T; 1]| {
        let above = min.map_or(x, |min| End::Max.scalar(x, min));
        max.map_or(above, |max| End::Min.scalar(above, max))
    })
}

/// A number as bound has no gradient, and leaves the input none where they are equal; a tensor as
/// bound shares with it there.
fn clamp_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    match (pass.call.get("min"), pass.call.get("max")) {
        (Some(Value::Tensor(min)), Some(Value::Tensor(max))) => between_backward(pass, input, min, max),
        (Some(Value::Tensor(_)), None) => propagating_backward(pass, End::Max, "min"),
        (None, Some(Value::Tensor(_))) => propagating_backward(pass, End::Min, "max"),
        _ => {
            let inside = match (pass.call.scalar("min")?, pass.call.scalar("max")?) {
                (Some(min), Some(max)) => {
                    eager::logical_and(&eager::gt(input, min)?, &eager::lt(input, max)?)?
                }
                (Some(min), None) => eager::gt(input, min)?,
                (None, Some(max)) => eager::lt(input, max)?,
                (None, None) => return Ok(Gradients::new()),
            };
            pass.each(&[("input", &|| eager::where_(&inside, &pass.cotangent(0)?, 0))])
        }
    }
}

/// Both bounds are tensors. Where the bounds cross the upper one wins alone, and where they are
/// equal the input has all of it if it is equal too.
fn between_backward(pass: &Pass, input: &Tensor, min: &Tensor, max: &Tensor) -> Result<Gradients> {
    use eager::{eq, ge, gt, le, logical_and as and, logical_not as not, logical_or as or, lt};
    let cotangent = pass.cotangent(0)?;
    let share = |tie: &Tensor, unchosen: &Tensor| rules::shared(&cotangent, tie, unchosen);
    let (apart, same) = (lt(min, max)?, eq(min, max)?);
    pass.each(&[
        ("input", &|| {
            let tie = and(&or(&eq(input, min)?, &eq(input, max)?)?, &apart)?;
            share(&tie, &or(&lt(input, min)?, &gt(input, max)?)?)
        }),
        ("min", &|| {
            let chosen = or(&and(&apart, &le(input, min)?)?, &and(&same, &lt(input, min)?)?)?;
            share(&eq(input, min)?, &not(&chosen)?)
        }),
        ("max", &|| {
            let chosen = or(&lt(max, min)?, &and(&apart, &ge(input, max)?)?)?;
            let chosen = or(&chosen, &and(&same, &gt(input, max)?)?)?;
            share(&and(&eq(input, max)?, &apart)?, &not(&chosen)?)
        }),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_outside_an_integer_type_are_dropped_or_refused() {
        let bytes = Tensor::new(&[2], vec![0u8, 200]).unwrap();
        let clamped = by_numbers(&bytes, Some(Scalar::Int(-1)), Some(Scalar::Int(100))).unwrap();
        assert_eq!(*clamped.values::<u8>(), [0, 100]);
        let message = "Clamp max value -1 is outside the representable range of Byte";
        let refused = by_numbers(&bytes, None, Some(Scalar::Int(-1)));
        assert_eq!(refused.err(), Some(Failure::runtime(message)));
    }

    #[test]
    fn the_upper_bound_wins_and_nan_takes_everything() {
        let x = Tensor::new(&[1], vec![0.0f32]).unwrap();
        let bounded = |min, max| {
            by_numbers(&x, Some(Scalar::Float(min)), Some(Scalar::Float(max))).unwrap().values::<f32>()[0]
        };
        assert_eq!(bounded(2.0, 1.0), 1.0);
        assert!(bounded(f64::NAN, 1e39).is_nan());
    }
}
