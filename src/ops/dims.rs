//! Dimensions as arguments: wrapping, lists, and PyTorch's complaints about them.

use super::call::{Failure, Result};
use crate::tensor::{Tensor, layout};

/// A dimension counted from the front. PyTorch lets a 0-d tensor pass as 1-d here.
pub(crate) fn wrap(dim: i64, rank: usize) -> Result<usize> {
    let rank = rank.max(1) as i64;
    if (-rank..rank).contains(&dim) {
        return Ok(dim.rem_euclid(rank) as usize);
    }
    Err(Failure::index(format!(
        "Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
        -rank,
        rank - 1
    )))
}

/// Which dimensions of a tensor a list names; none or an empty list names all of them.
pub(crate) fn mask(dims: Option<&[i64]>, rank: usize) -> Result<Vec<bool>> {
    let dims = match dims {
        None | Some([]) => return Ok(vec![true; rank]),
        Some(dims) => dims,
    };
    let mut mask = vec![false; rank.max(1)];
    for &dim in dims {
        let dim = wrap(dim, rank)?;
        if std::mem::replace(&mut mask[dim], true) {
            return Err(Failure::runtime(format!("dim {dim} appears multiple times in the list of dims")));
        }
    }
    mask.truncate(rank);
    Ok(mask)
}

/// The shape that is left when the marked dimensions are reduced.
pub(crate) fn reduced_shape(shape: &[usize], reduced: &[bool], keepdim: bool) -> Vec<usize> {
    shape
        .iter()
        .zip(reduced)
        .filter_map(|(&size, &reduced)| match (reduced, keepdim) {
            (false, _) => Some(size),
            (true, true) => Some(1),
            (true, false) => None,
        })
        .collect()
}

/// The most elements that a result may have. Inputs are bounded when they are read, but two of
/// them can broadcast to far more than memory holds.
const MAX_RESULT: usize = 1 << 28;

/// Refuses a result that is too large to compute.
pub(crate) fn check_size(shape: &[usize]) -> Result<()> {
    match layout::numel(shape) {
        Some(count) if count <= MAX_RESULT && layout::is_measurable(shape) => Ok(()),
        _ => {
            Err(Failure::Unsupported(format!("a result of shape {shape:?}, more than {MAX_RESULT} elements")))
        }
    }
}

/// PyTorch's warning that an output that held elements was given another shape.
pub(crate) fn resize_warning(shape: &[usize], required: &[usize]) -> String {
    format!(
        "An output with one or more elements was resized since it had shape {shape:?}, which does not match the \
         required output shape {required:?}. This behavior is deprecated, and in a future PyTorch release outputs will \
         not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, \
         inplace, to zero elements with t.resize_(0)."
    )
}

/// PyTorch's complaint about a reduction of an empty tensor as a whole.
pub(crate) fn unspecified(op: &str) -> String {
    format!(
        "{op}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the \
         'dim' argument."
    )
}

/// Refuses to reduce nothing where the op has no identity: a named dimension of size 0, or an
/// empty tensor as a whole.
pub(crate) fn refuse_empty(op: &str, dims: Option<&[i64]>, input: &Tensor) -> Result<()> {
    let Some(dims) = dims.filter(|dims| !dims.is_empty()) else {
        return Err(Failure::runtime(unspecified(op)));
    };
    for &dim in dims {
        if input.shape().get(wrap(dim, input.dim())?) == Some(&0) {
            return Err(Failure::index(format!(
                "{op}(): Expected reduction dim {dim} to have non-zero size."
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dims_wrap_and_complain_as_in_pytorch() {
        assert_eq!(wrap(-1, 3), Ok(2));
        assert_eq!(wrap(0, 0), Ok(0));
        let message = "Dimension out of range (expected to be in range of [-2, 1], but got 2)";
        assert_eq!(wrap(2, 2), Err(Failure::index(message)));
        let message = "dim 1 appears multiple times in the list of dims";
        assert_eq!(mask(Some(&[1, -1]), 2), Err(Failure::runtime(message)));
        assert_eq!(mask(Some(&[]), 2), Ok(vec![true, true]));
        assert_eq!(mask(Some(&[0]), 0), Ok(vec![]));
    }
}
