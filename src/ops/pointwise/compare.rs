//! Comparisons: `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `isclose`, and the answers for whole tensors,
//! `allclose` and `equal`.
//!
//! Comparisons take place in the promoted type and answer bool; every one but `ne` is false for
//! NaN. The ordering ones have no kernel for uint32.

use super::arithmetic::{product, scaled_difference};
use super::number::{Computed, Wide as _};
use super::operands::{Operands, streamed};
use crate::ops::call::{Call, Failure, Result, refuse_uint32};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::lanes::Float as _;
use crate::ops::promotion::Operand;
use crate::ops::{Backward, Op};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "eq",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Eq),
        backward: Backward::Never,
    },
    Op {
        name: "ne",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Ne),
        backward: Backward::Never,
    },
    Op {
        name: "not_equal",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Ne),
        backward: Backward::Never,
    },
    Op {
        name: "lt",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Lt),
        backward: Backward::Never,
    },
    Op {
        name: "less",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Lt),
        backward: Backward::Never,
    },
    Op {
        name: "le",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Le),
        backward: Backward::Never,
    },
    Op {
        name: "less_equal",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Le),
        backward: Backward::Never,
    },
    Op {
        name: "gt",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Gt),
        backward: Backward::Never,
    },
    Op {
        name: "greater",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Gt),
        backward: Backward::Never,
    },
    Op {
        name: "ge",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Ge),
        backward: Backward::Never,
    },
    Op {
        name: "greater_equal",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Ge),
        backward: Backward::Never,
    },
    Op {
        name: "isclose",
        parameters: &["input", "other", "rtol", "atol", "equal_nan"],
        forward: isclose,
        backward: Backward::Never,
    },
    Op {
        name: "allclose",
        parameters: &["input", "other", "rtol", "atol", "equal_nan"],
        forward: allclose,
        backward: Backward::Never,
    },
    Op { name: "equal", parameters: &["input", "other"], forward: equal, backward: Backward::Never },
];

#[derive(Clone, Copy)]
enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// Name of PyTorch's kernel, if it has none for uint32.
    fn kernel(self) -> Option<&'static str> {
        match self {
            Comparison::Eq | Comparison::Ne => None,
            Comparison::Lt => Some("lt_cpu"),
            Comparison::Le => Some("le_cpu"),
            Comparison::Gt => Some("gt_cpu"),
            Comparison::Ge => Some("ge_cpu"),
        }
    }

    fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }
    }
}

fn compare(call: &Call, comparison: Comparison) -> Result {
    Ok(compared(&[call.operand("input")?, call.operand("other")?], comparison)?.into())
}

fn compared(operands: &[Operand; 2], comparison: Comparison) -> Result<Tensor> {
    let together = Operands::together(operands)?;
    if let Some(kernel) = comparison.kernel() {
        refuse_uint32(kernel, together.dtype)?;
    }
    Ok(with_type!(together.dtype, T => together.map(move |[a, b]: [T; 2]| comparison.holds(a, b))))
}

/// Equal, or at most `atol + abs(rtol * other)` apart. Every step is a kernel of its own, so each
/// is rounded to the dtype; integers and bool are compared in float32.
fn isclose(call: &Call) -> Result {
    Ok(close(call)?.into())
}

fn close(call: &Call) -> Result<Tensor> {
    let (input, other) = (call.tensor("input")?, call.tensor("other")?);
    if input.dtype() != other.dtype() {
        let [a, b] = [input, other].map(|tensor| tensor.dtype().scalar_type());
        return Err(Failure::runtime(format!("{a} did not match {b}")));
    }
    let [rtol, atol] = [("rtol", 1e-5), ("atol", 1e-8)]
        .map(|(name, default)| Ok(call.scalar(name)?.map_or(default, Scalar::to_f64)));
    let (rtol, atol) = (rtol?, atol?);
    for (name, value) in [("rtol", rtol), ("atol", atol)] {
        if value.is_nan() || value < 0.0 {
            return Err(Failure::runtime(format!(
                "{name} must be greater than or equal to zero, but got {}",
                streamed(value)
            )));
        }
    }
    let equal_nan = call.flag("equal_nan")?;
    let equal = compared(&[input, other].map(Operand::Tensor), Comparison::Eq)?;
    let both_nan = Operands::together(&[input, other].map(Operand::Tensor))?;
    let both_nan = with_type!(both_nan.dtype, T => both_nan.map(|[a, b]: [T; 2]| a.is_nan() && b.is_nan()));
    let near = if rtol == 0.0 && atol == 0.0 { None } else { Some(near(input, other, rtol, atol)?) };
    let near = near.map(|near| near.values::<bool>().into_owned());
    let (equal_values, nan_values) = (equal.values::<bool>(), both_nan.values::<bool>());
    let elements =
        equal_values.iter().zip(nan_values.iter()).enumerate().map(|(i, (&equal, &nan))| {
            equal || (equal_nan && nan) || near.as_ref().is_some_and(|near| near[i])
        });
    Ok(Tensor::collect(equal.shape(), elements))
}

/// Where the difference is finite and within what is allowed.
fn near(input: &Tensor, other: &Tensor, rtol: f64, atol: f64) -> Result<Tensor> {
    let dtype = if input.dtype().is_floating() { input.dtype() } else { DType::Float32 };
    let [input, other] = [input, other].map(|tensor| tensor.to_dtype(dtype));
    let scaled = product(&[Operand::Tensor(&other), Operand::Number(Scalar::Float(rtol))])?;
    let difference = scaled_difference(&[&input, &other].map(Operand::Tensor), Scalar::Int(1))?;
    fn within<T: Computed>([difference, scaled]: [T; 2], atol: T::Real) -> bool {
        let difference = difference.widen().magnitude();
        let allowed = T::rounded(scaled.widen().magnitude() + atol);
        !difference.is_infinite() && difference <= allowed
    }
    let together = Operands::together(&[&difference, &scaled].map(Operand::Tensor))?;
    Ok(with_float_type!(dtype,
        T => {
            let atol = T::from_scalar(Scalar::Float(atol)).widen();
            together.map(|pair: [T; 2]| within(pair, atol))
        },
        _ => return Err(Failure::Unsupported(format!("isclose in {dtype}"))),
    ))
}

fn allclose(call: &Call) -> Result {
    let close = close(call)?;
    Ok(Tensor::scalar(close.values::<bool>().iter().all(|&close| close)).into())
}

/// One shape, and equal elements in the promoted type.
fn equal(call: &Call) -> Result {
    let (input, other) = (call.tensor("input")?, call.tensor("other")?);
    if input.shape() != other.shape() {
        return Ok(Tensor::scalar(false).into());
    }
    let equal = compared(&[input, other].map(Operand::Tensor), Comparison::Eq)?;
    Ok(Tensor::scalar(equal.values::<bool>().iter().all(|&equal| equal)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_near_in_float32() {
        let [a, b] = [1i64 << 62, (1 << 62) + 1].map(Tensor::scalar);
        assert_eq!(*near(&a, &b, 0.0, 0.5).unwrap().values::<bool>(), [true]);
        assert!(!Comparison::Eq.holds(1i64 << 62, (1 << 62) + 1));
    }

    #[test]
    fn an_infinite_difference_is_never_near() {
        let [a, b] = [f32::INFINITY, 1.0].map(Tensor::scalar);
        assert_eq!(*near(&a, &b, 0.0, f64::INFINITY).unwrap().values::<bool>(), [false]);
    }
}
