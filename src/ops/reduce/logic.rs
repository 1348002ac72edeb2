//! Truth and counts: `any`, `all`, `count_nonzero`. NaN is true, zeros of both signs are false.
//!
//! `out` may be bool or uint8. What is reduced into uint8 is converted to uint8 before the test,
//! as `TensorIterator` does, so 256 and 0.5 are false there; a single element is tested as it is.

use super::super::call::{Call, Failure, Result, Returned, refuse_uint32};
use super::{Plan, dims};
use crate::tensor::{DType, Scalar, Tensor};

pub(super) fn any(call: &Call) -> Result {
    logical(call, false, |so_far, x| so_far || x)
}

pub(super) fn all(call: &Call) -> Result {
    logical(call, true, |so_far, x| so_far && x)
}

fn logical(call: &Call, identity: bool, f: fn(bool, bool) -> bool) -> Result {
    let input = call.tensor("input")?;
    let out = call.optional_tensor("out")?;
    if let Some(out) = out {
        check_out(call, out)?;
    }
    let plan = match call.ints("dim")? {
        // Here an empty list names no dimension, not all of them.
        Some(dims) if dims.is_empty() => Plan::over(vec![false; input.dim()], call, input)?,
        _ => Plan::new(call, input)?,
    };
    let (dtype, warnings) = match out {
        Some(out) => (out.dtype(), resize_warning(out, &plan.shape)),
        None if input.dtype() == DType::UInt8 => (DType::UInt8, Vec::new()),
        None => (DType::Bool, Vec::new()),
    };
    let narrowed = dtype == DType::UInt8 && input.numel() > 1;
    let input = if narrowed { input.to_dtype(dtype) } else { input.clone() };
    let truth = plan.fold(&input, identity, |so_far, x| f(so_far, x.to_bool()));
    Ok(Returned { outputs: vec![truth.to_dtype(dtype)], warnings })
}

/// Refuses an `out` that cannot hold the answer; this comes before any check of the dims.
fn check_out(call: &Call, out: &Tensor) -> Result<()> {
    if !matches!(out.dtype(), DType::Bool | DType::UInt8) {
        return Err(Failure::runtime(format!(
            "{} only supports bool tensor for result, got: {}",
            call.op,
            out.dtype().scalar_type()
        )));
    }
    // Each write to one place would show in the others.
    if out.shape().iter().zip(out.strides()).any(|(&size, &stride)| size > 1 && stride == 0) {
        return Err(Failure::Unsupported(format!("{}: parameter 'out' that overlaps itself", call.op)));
    }
    Ok(())
}

/// What PyTorch says where `out` held elements and had another shape.
fn resize_warning(out: &Tensor, shape: &[usize]) -> Vec<String> {
    if out.numel() == 0 || out.shape() == shape {
        return Vec::new();
    }
    vec![dims::resize_warning(out.shape(), shape)]
}

pub(super) fn count_nonzero(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dims = call.ints("dim")?.unwrap_or_default();
    let plan = Plan::new(call, input)?;
    if dims.is_empty() {
        refuse_uint32("nonzero_count_cpu", input.dtype())?;
    }
    Ok(plan.fold(input, 0i64, |count, x: Scalar| count + i64::from(x.to_bool())).into())
}
