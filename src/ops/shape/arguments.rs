//! Arguments that the ops on shapes share.

use crate::ops::call::{Call, Failure, Result, Value};
use crate::ops::dims;
use crate::tensor::layout::{self, Positions};
use crate::tensor::{Scalar, Tensor};

/// A list of tensors that must be there; a single tensor is a list of one.
pub(crate) fn tensors<'a>(call: &'a Call, parameter: &str) -> Result<Vec<&'a Tensor>> {
    let listed = match call.get(parameter) {
        Some(Value::Tensors(tensors)) => tensors.iter().map(Option::as_ref).collect(),
        Some(Value::Tensor(tensor)) => Some(vec![tensor]),
        _ => None,
    };
    listed.ok_or_else(|| {
        Failure::Unsupported(format!("{}: parameter '{parameter}' that is not a list of tensors", call.op))
    })
}

/// A list of integers that must be there.
pub(crate) fn required_ints(call: &Call, parameter: &str) -> Result<Vec<i64>> {
    call.ints(parameter)?
        .ok_or_else(|| Failure::Unsupported(format!("{}: without parameter '{parameter}'", call.op)))
}

/// PyTorch's refusal to allocate a tensor of a negative size.
pub(crate) fn negative_dimension(sizes: &[i64]) -> Result<Vec<usize>> {
    if let Some(negative) = sizes.iter().find(|&&size| size < 0) {
        return Err(Failure::runtime(format!(
            "Trying to create tensor with negative dimension {negative}: {sizes:?}"
        )));
    }
    Ok(sizes.iter().map(|&size| size as usize).collect())
}

/// A dimension of a tensor that has some; a 0-d tensor has none to name.
pub(super) fn wrap_own(dim: i64, input: &Tensor) -> Result<usize> {
    if input.dim() == 0 {
        return Err(Failure::index(format!("Dimension specified as {dim} but tensor has no dimensions")));
    }
    dims::wrap(dim, input.dim())
}

/// A row-major copy of the elements that a layout over the input's storage picks out.
pub(super) fn laid_out(input: &Tensor, shape: &[usize], strides: &[usize], offset: usize) -> Tensor {
    if layout::numel(shape) == Some(0) {
        return Tensor::full(shape, Scalar::Int(0), input.dtype());
    }
    input.picked(shape, Positions::new(shape, strides, offset))
}

/// A row-major copy in which position `i` along dimension `d` comes from position `sources[d][i]`
/// of the input; every source is inside.
pub(super) fn reindexed(input: &Tensor, sources: &[Vec<usize>]) -> Result<Tensor> {
    let shape: Vec<usize> = sources.iter().map(Vec::len).collect();
    dims::check_size(&shape)?;
    if layout::numel(&shape) == Some(0) {
        return Ok(Tensor::full(&shape, Scalar::Int(0), input.dtype()));
    }
    let mut positions = vec![input.offset()];
    for (source, stride) in sources.iter().zip(input.strides()) {
        positions = positions.iter().flat_map(|at| source.iter().map(move |i| at + i * stride)).collect();
    }
    Ok(input.picked(&shape, positions.into_iter()))
}
