//! Conversions: `to` with a dtype, `type_as`, and `item`.
//!
//! Integers wrap and floats truncate on their way to integers, 16-bit floats are reached by way of
//! float32 ([`Element::from_scalar`]). Only float to uint32 depends on where an element lies.

use super::rules;
use crate::ops::call::{Call, Failure, Result};
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::{Backward, Gradients, Op, Pass};
use crate::tensor::{DType, Tensor};

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    // Neither a copy nor its memory format shows in the values.
    Op {
        name: "to",
        parameters: &["input", "dtype", "copy", "memory_format"],
        forward: to,
        backward: Backward::Rule(rules::unchanged),
    },
    Op {
        name: "type_as",
        parameters: &["input", "other"],
        forward: type_as,
        backward: Backward::Rule(type_as_backward),
    },
    Op { name: "item", parameters: &["input"], forward: item, backward: Backward::Never },
];

fn to(call: &Call) -> Result {
    let input = call.tensor("input")?;
    Ok(converted(input, call.dtype("dtype")?.unwrap_or(input.dtype())).into())
}

fn type_as(call: &Call) -> Result {
    Ok(converted(call.tensor("input")?, call.tensor("other")?.dtype()).into())
}

fn converted(input: &Tensor, dtype: DType) -> Tensor {
    let converted = input.to_dtype(dtype);
    match (dtype, per_vector(input.dtype())) {
        (DType::UInt32, Some(step)) => in_vectors(input, &converted, step),
        _ => converted,
    }
}

/// How many elements the compiler's vector code for float to uint32 takes at once. float16 has
/// none.
fn per_vector(dtype: DType) -> Option<usize> {
    match dtype {
        DType::Float64 | DType::Float32 => Some(4),
        DType::BFloat16 => Some(8),
        _ => None,
    }
}

/// AVX2 has no conversion to unsigned integers. Scalar code converts to int64 and wraps; vector
/// code converts to int32, after taking 2^31 from what is not below it, and puts the bit back.
fn in_vectors(input: &Tensor, converted: &Tensor, step: usize) -> Tensor {
    let part = VectorPart::moving([converted, input], step);
    let pairs = input.scalars().zip(converted.values::<u32>().into_owned()).enumerate();
    Tensor::collect(
        input.shape(),
        pairs.map(|(i, (float, scalar))| if part.holds(i) { through_int32(float.to_f64()) } else { scalar }),
    )
}

fn through_int32(float: f64) -> u32 {
    const TOP: u32 = 1 << 31;
    let top = f64::from(TOP);
    let int32 = |float: f64| if (-top - 1.0 < float) && float < top { float as i32 } else { i32::MIN };
    if float >= top { int32(float - top) as u32 ^ TOP } else { int32(float) as u32 }
}

/// `other` gives its dtype only.
fn type_as_backward(pass: &Pass) -> Result<Gradients> {
    let mut gradients = rules::unchanged(pass)?;
    if pass.wants("other") {
        gradients.insert("other".into(), vec![None]);
    }
    Ok(gradients)
}

fn item(call: &Call) -> Result {
    let input = call.tensor("input")?;
    match input.numel() {
        1 => Ok(input.reshaped(&[]).into()),
        n => Err(Failure::runtime(format!("a Tensor with {n} elements cannot be converted to Scalar"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_code_keeps_what_fits_and_saturates_the_rest() {
        assert_eq!(through_int32(3e9), 3_000_000_000);
        assert_eq!(through_int32(-1.0), u32::MAX);
        assert_eq!(through_int32(5e9), 0);
        assert_eq!(through_int32(-3e9), 1 << 31);
        assert_eq!(through_int32(f64::NAN), 1 << 31);
    }
}
