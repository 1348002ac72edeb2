//! The way back through ops that return elements of their input: along a dimension each gradient
//! goes to the element that the returned index names, whatever it is equal to; of everything it is
//! shared by all elements equal to the one returned.

use super::autograd::{Gradients, Pass};
use super::call::{Call, Result};
use super::eager;
use crate::tensor::{Scalar, Tensor};

/// Back through values (output 0) that were picked along `dim` by indices (output 1)
/// (`value_selecting_reduction_backward`).
pub(crate) fn picked_backward(pass: &Pass, dim: i64, keepdim: bool) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let input = pass.call.tensor("input")?;
        let (mut cotangent, mut indices) = (pass.cotangent(0)?, pass.output(1)?.clone());
        if !keepdim && input.dim() > 0 {
            let dim = super::dims::wrap(dim, input.dim())?;
            (cotangent, indices) = (cotangent.unsqueezed(dim), indices.unsqueezed(dim));
        }
        let zeros = Tensor::full(input.shape(), Scalar::Int(0), cotangent.dtype());
        eager::scatter(&zeros, dim, &indices, &cotangent)
    })])
}

/// The same for reductions, with `keepdim` and a `dim` that is the last one by default.
pub(crate) fn reduced_backward(pass: &Pass) -> Result<Gradients> {
    picked_backward(pass, dim(pass.call)?, pass.call.flag("keepdim")?)
}

/// The same for ops that give an output per element or several per line.
pub(crate) fn kept_backward(pass: &Pass) -> Result<Gradients> {
    picked_backward(pass, dim(pass.call)?, true)
}

fn dim(call: &Call) -> Result<i64> {
    Ok(call.int("dim")?.unwrap_or(-1))
}

/// Back through one element of everything: all that are equal to it share evenly, and so do all
/// NaN if it is one (`evenly_distribute_backward`).
pub(crate) fn shared_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let (input, value) = (pass.call.tensor("input")?, pass.output(0)?);
        let is_nan = value.scalars().any(|value| value.to_f64().is_nan());
        let mask = if is_nan { eager::isnan(input)? } else { eager::eq(input, value)? };
        let share = eager::div(&pass.cotangent(0)?, eager::sum_all(&mask)?)?;
        eager::masked_fill(&eager::zeros_like(input)?, &mask, share)
    })])
}

/// As [`reduced_backward`] with a `dim`, and as [`shared_backward`] without.
pub(crate) fn reduced_or_shared_backward(pass: &Pass) -> Result<Gradients> {
    if pass.call.int("dim")?.is_some() { reduced_backward(pass) } else { shared_backward(pass) }
}
