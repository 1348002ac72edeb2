//! Truth and counts: `any`, `all`, `count_nonzero`. NaN is true, zeros of both signs are false.

use super::super::call::{Call, Result, refuse_uint32};
use super::Plan;
use crate::tensor::{DType, Scalar};

pub(super) fn any(call: &Call) -> Result {
    logical(call, false, |so_far, x| so_far || x)
}

pub(super) fn all(call: &Call) -> Result {
    logical(call, true, |so_far, x| so_far && x)
}

fn logical(call: &Call, identity: bool, f: fn(bool, bool) -> bool) -> Result {
    let input = call.tensor("input")?;
    let plan = match call.ints("dim")? {
        // Here an empty list names no dimension, not all of them.
        Some(dims) if dims.is_empty() => Plan::over(vec![false; input.dim()], call, input)?,
        _ => Plan::new(call, input)?,
    };
    let truth = plan.fold(input, identity, |so_far, x| f(so_far, x.to_bool()));
    Ok(match input.dtype() {
        DType::UInt8 => truth.to_dtype(DType::UInt8),
        _ => truth,
    }
    .into())
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
