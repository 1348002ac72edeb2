//! `lerp`, `addcmul`, `addcdiv`.
//!
//! | op | computes | accepts |
//! |---|---|---|
//! | `lerp` | from the nearer end: `start + w * (end - start)` for `abs(w) < 1/2`, else `end - (1 - w) * (end - start)` | floats of one dtype |
//! | `addcmul` | `input + (value * tensor1) * tensor2` | every dtype but bool and uint32 |
//! | `addcdiv` | `input + (value * tensor1) / tensor2` | floats |
//!
//! The last multiplication and addition are fused, in vector and scalar code. 16-bit floats are
//! computed in float32 throughout.

use super::number::{Computed, Integer, Wide, with_kind};
use super::operands::Operands;
use super::rules;
use crate::ops::call::{Call, Failure, Result, Value, refuse_uint32};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::lanes::Float as _;
use crate::ops::promotion::{Operand, check_overflow};
use crate::ops::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Element, Scalar, Tensor};

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "lerp",
        parameters: &["input", "end", "weight"],
        forward: lerp,
        backward: Backward::Rule(lerp_backward),
    },
    Op {
        name: "addcmul",
        parameters: &["input", "tensor1", "tensor2", "value"],
        forward: addcmul,
        backward: Backward::Rule(addcmul_backward),
    },
    Op {
        name: "addcdiv",
        parameters: &["input", "tensor1", "tensor2", "value"],
        forward: addcdiv,
        backward: Backward::Rule(addcdiv_backward),
    },
];

/// The dtype in which a float dtype is computed.
fn computed_in(dtype: DType) -> DType {
    if dtype == DType::Float64 { dtype } else { DType::Float32 }
}

fn lerp(call: &Call) -> Result {
    let (start, end) = (call.tensor("input")?, call.tensor("end")?);
    same_dtype("end", start, end)?;
    let [start, end] = [start, end].map(Operand::Tensor);
    Ok(match call.get("weight") {
        Some(Value::Tensor(weight)) => {
            // A weight without dimensions takes part in promotion, as a number would not.
            if weight.dim() > 0 {
                same_dtype("weight", call.tensor("input")?, weight)?;
            }
            let together = Operands::together(&[start, end, Operand::Tensor(weight)])?;
            with_float_type!(together.dtype,
                T => together.map_parts(|[start, end, weight]: [T; 3], in_vector| {
                    mixed(start, end, weight.widen(), in_vector)
                }),
                _ => return Err(Failure::no_kernel("lerp_kernel_tensor", together.dtype)),
            )
        }
        _ => {
            let weight = call.scalar("weight")?.unwrap_or(Scalar::Int(1));
            let together = Operands::together(&[start, end])?;
            fn by_number<T: Computed>(together: &Operands<2>, weight: Scalar) -> Tensor {
                let weight = T::Real::from_scalar(weight);
                together
                    .map_parts(move |[start, end]: [T; 2], in_vector| mixed(start, end, weight, in_vector))
            }
            with_float_type!(together.dtype,
                T => {
                    check_overflow(weight, computed_in(together.dtype))?;
                    by_number::<T>(&together, weight)
                },
                _ => return Err(Failure::no_kernel("lerp_kernel_scalar", together.dtype)),
            )
        }
    }
    .into())
}

fn same_dtype(name: &str, input: &Tensor, other: &Tensor) -> Result<()> {
    if input.dtype() == other.dtype() {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "expected dtype {} for `{name}` but got dtype {}",
        type_name(input.dtype()),
        type_name(other.dtype())
    )))
}

/// What C++ prints for a dtype's element type.
fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Float64 => "double",
        DType::Float32 => "float",
        DType::Float16 => "c10::Half",
        DType::BFloat16 => "c10::BFloat16",
        DType::Int64 => "long int",
        DType::Int32 => "int",
        DType::Int16 => "short int",
        DType::Int8 => "signed char",
        DType::UInt8 => "unsigned char",
        DType::UInt32 => "unsigned int",
        DType::Bool => "bool",
    }
}

/// The two parts of the code put the minus sign to different factors, which shows in the sign of a
/// zero.
fn mixed<T: Computed>(start: T, end: T, weight: T::Real, in_vector: bool) -> T {
    let (start, end) = (start.widen(), end.widen());
    let distance = end - start;
    T::narrow(match weight.magnitude() < T::Real::HALF {
        true => weight.fused(distance, start),
        false if in_vector => (weight - T::Real::ONE).fused(distance, end),
        false => (-distance).fused(T::Real::ONE - weight, end),
    })
}

fn lerp_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let [start, end] = [pass.call.tensor("input")?, pass.call.tensor("end")?];
    let weight = rules::operand(pass, "weight")?;
    let rest = match &weight {
        Value::Scalar(number) => Value::Scalar(Scalar::Float(1.0 - number.to_f64())),
        weight => (&eager::call("sub", [("input", 1.into()), ("other", weight.clone())])?).into(),
    };
    pass.each(&[
        ("input", &|| eager::mul(&cotangent, rest.clone())),
        ("end", &|| eager::mul(&cotangent, weight.clone())),
        ("weight", &|| eager::mul(&cotangent, &eager::sub(end, start)?)),
    ])
}

fn tensors(call: &Call) -> Result<[&Tensor; 3]> {
    Ok([call.tensor("input")?, call.tensor("tensor1")?, call.tensor("tensor2")?])
}

fn value(call: &Call) -> Result<Scalar> {
    Ok(call.scalar("value")?.unwrap_or(Scalar::Int(1)))
}

fn addcmul(call: &Call) -> Result {
    let value = value(call)?;
    let together = Operands::together(&tensors(call)?.map(Operand::Tensor))?;
    let dtype = together.dtype;
    refuse_uint32("addcmul_cpu_out", dtype)?;
    fn integers<T: Integer>(together: &Operands<3>, value: Scalar) -> Tensor {
        let value = T::from_scalar(value);
        together.map(move |[x, a, b]: [T; 3]| x.plus(value.times(a).times(b)))
    }
    fn floats<T: Computed>(together: &Operands<3>, value: Scalar) -> Tensor {
        let value = T::Real::from_scalar(value);
        together
            .map_parts(move |[x, a, b]: [T; 3], _| T::narrow((value * a.widen()).fused(b.widen(), x.widen())))
    }
    Ok(with_kind!(dtype,
        integer T => {
            check_overflow(value, dtype)?;
            integers::<T>(&together, value)
        },
        float T => {
            check_overflow(value, computed_in(dtype))?;
            floats::<T>(&together, value)
        },
        bool => return Err(Failure::no_kernel("addcmul_cpu_out", dtype)),
    )
    .into())
}

fn addcmul_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let value = value(pass.call)?;
    let times = |factor: &str| eager::mul(&cotangent, &eager::mul(pass.call.tensor(factor)?, value)?);
    pass.each(&[
        ("input", &|| Ok(cotangent.clone())),
        ("tensor1", &|| times("tensor2")),
        ("tensor2", &|| times("tensor1")),
    ])
}

fn addcdiv(call: &Call) -> Result {
    let [input, numerator, denominator] = tensors(call)?;
    if !numerator.dtype().is_floating() && !denominator.dtype().is_floating() {
        return Err(Failure::runtime(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a \
             true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value \
             * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / \
             tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value \
             * tensor1 / tensor2), for all dtypes.",
        ));
    }
    let value = value(call)?;
    let together = Operands::together(&[input, numerator, denominator].map(Operand::Tensor))?;
    fn floats<T: Computed>(together: &Operands<3>, value: Scalar) -> Tensor {
        let value = T::Real::from_scalar(value);
        together.map(move |[x, a, b]: [T; 3]| T::narrow(x.widen() + value * a.widen() / b.widen()))
    }
    check_overflow(value, computed_in(together.dtype))?;
    Ok(with_float_type!(together.dtype,
        T => floats::<T>(&together, value),
        _ => return Err(Failure::no_kernel("addcdiv_cpu_out", together.dtype)),
    )
    .into())
}

fn addcdiv_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let value = value(pass.call)?;
    let [_, numerator, denominator] = tensors(pass.call)?;
    pass.each(&[
        ("input", &|| Ok(cotangent.clone())),
        ("tensor1", &|| eager::mul(&cotangent, &over(value, denominator)?)),
        ("tensor2", &|| {
            let square = eager::mul(denominator, denominator)?;
            let slope = eager::div(&eager::mul(numerator, value)?, &square)?;
            eager::mul(&eager::neg(&cotangent)?, &slope)
        }),
    ])
}

/// A number over a tensor as C++'s operator has it: a tensor of the number is divided in place, so
/// the number is rounded to the tensor's dtype, which has to be floating. It has to fit too, but
/// for the infinity that a single element of 16 bits takes instead.
fn over(number: Scalar, denominator: &Tensor) -> Result<Tensor> {
    let dtype = denominator.dtype();
    if !(denominator.numel() == 1 && dtype.is_floating() && dtype.size() == 2) {
        check_overflow(number, dtype)?;
    }
    let numerator = Tensor::full(denominator.shape(), number, dtype);
    let quotient = eager::div(&numerator, denominator)?;
    if quotient.dtype() != dtype {
        return Err(Failure::runtime(format!(
            "result type {} can't be cast to the desired output type {}",
            quotient.dtype().scalar_type(),
            dtype.scalar_type()
        )));
    }
    Ok(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_a_zero_depends_on_the_part() {
        assert!(mixed(3.0f32, -0.0, 1.0, true).is_sign_negative());
        assert!(mixed(3.0f32, -0.0, 1.0, false).is_sign_positive());
    }

    #[test]
    fn the_nearer_end_is_exact() {
        assert_eq!(mixed(1.0f64, 1e30, 0.0, true), 1.0);
        assert_eq!(mixed(1e30f64, 1.0, 1.0, true), 1.0);
    }
}
