//! Triangles and diagonals: `tril`, `triu`, `diagonal`, `diag`, `diag_embed`, `diagflat`, `trace`.

use super::arguments::laid_out;
use super::gradients::{self, numbered, placed};
use super::views::reshaped_in_place;
use crate::ops::call::{Call, Failure, Result, refuse_uint32};
use crate::ops::{Backward, Gradients, Op, Pass, dims};
use crate::tensor::layout::{self, Positions};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "tril",
        parameters: &["input", "diagonal"],
        forward: |call| triangle(call, |k, at| at <= k),
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "triu",
        parameters: &["input", "diagonal"],
        forward: |call| triangle(call, |k, at| at >= k),
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "diagonal",
        parameters: &["input", "offset", "dim1", "dim2"],
        forward: diagonal,
        backward: Backward::Rule(gradients::shown),
    },
    Op {
        name: "diag",
        parameters: &["input", "diagonal"],
        forward: diag,
        backward: Backward::Rule(diag_backward),
    },
    Op {
        name: "diag_embed",
        parameters: &["input", "offset", "dim1", "dim2"],
        forward: diag_embed,
        backward: Backward::Rule(diag_embed_backward),
    },
    Op {
        name: "diagflat",
        parameters: &["input", "offset"],
        forward: diagflat,
        backward: Backward::Rule(diagflat_backward),
    },
    Op { name: "trace", parameters: &["input"], forward: trace, backward: Backward::Rule(trace_backward) },
];

/// The elements whose diagonal (column minus row) is kept, and zeros.
fn triangle(call: &Call, kept: fn(i64, i64) -> bool) -> Result {
    let (input, k) = (call.tensor("input")?, call.int("diagonal")?.unwrap_or(0));
    let &[.., rows, columns] = input.shape() else {
        return Err(Failure::runtime(format!("{}: input tensor must have at least 2 dimensions", call.op)));
    };
    if input.numel() > 0 {
        refuse_uint32(&call.op, input.dtype())?;
    }
    fn mask<T: Element>(input: &Tensor, holds: impl Fn(usize) -> bool) -> Tensor {
        let values = input.values::<T>();
        let each = values.iter().enumerate();
        Tensor::collect(input.shape(), each.map(|(at, &value)| if holds(at) { value } else { T::default() }))
    }
    let holds = |at: usize| kept(k, (at % columns) as i64 - (at / columns % rows) as i64);
    Ok(with_type!(input.dtype(), T => mask::<T>(input, holds)).into())
}

/// Where a diagonal lies: its length, the position of its first element, the distance between
/// its elements, and the two dimensions that it runs through.
struct Diagonal {
    length: usize,
    start: usize,
    step: usize,
    dims: [usize; 2],
}

fn wrapped(dims: [i64; 2], rank: usize) -> Result<[usize; 2]> {
    let [a, b] = [dims::wrap(dims[0], rank)?, dims::wrap(dims[1], rank)?];
    if a == b {
        return Err(Failure::runtime(format!(
            "diagonal dimensions cannot be identical {}, {}",
            dims[0], dims[1]
        )));
    }
    Ok([a, b])
}

impl Diagonal {
    fn new(shape: &[usize], strides: &[usize], offset: i64, dims: [usize; 2]) -> Diagonal {
        let [(rows, down), (columns, right)] = dims.map(|dim| (shape[dim], strides[dim]));
        let away = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
        let (length, outside) = match offset >= 0 {
            true => (rows.min(columns.saturating_sub(away)), right),
            false => (rows.saturating_sub(away).min(columns), down),
        };
        // A diagonal outside the matrix has no first element.
        let start = if length == 0 { 0 } else { away * outside };
        Diagonal { length, start, step: down.wrapping_add(right), dims }
    }

    /// Sizes or strides of the tensor of diagonals: the two dimensions go, one comes last.
    fn replaced(&self, values: &[usize], last: usize) -> Vec<usize> {
        let others = values.iter().enumerate().filter(|(dim, _)| !self.dims.contains(dim));
        others.map(|(_, &value)| value).chain([last]).collect()
    }
}

fn diagonal(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dims = wrapped([call.int("dim1")?.unwrap_or(0), call.int("dim2")?.unwrap_or(1)], input.dim())?;
    Ok(along(input, call.int("offset")?.unwrap_or(0), dims).into())
}

fn along(input: &Tensor, offset: i64, dims: [usize; 2]) -> Tensor {
    let found = Diagonal::new(input.shape(), input.strides(), offset, dims);
    let shape = found.replaced(input.shape(), found.length);
    let strides = found.replaced(input.strides(), found.step);
    laid_out(input, &shape, &strides, input.offset() + found.start)
}

/// The same diagonals as a view of the tensor.
fn view_along(tensor: &Tensor, offset: i64, dims: [usize; 2]) -> Tensor {
    let found = Diagonal::new(tensor.shape(), tensor.strides(), offset, dims);
    let away = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let start = if found.length == 0 { 0 } else { away };
    let outside = dims[usize::from(offset >= 0)];
    let (shape, strides) =
        (found.replaced(tensor.shape(), found.length), found.replaced(tensor.strides(), found.step));
    tensor.sliced(outside, start, found.length, 1).restrided(&shape, &strides)
}

fn diag(call: &Call) -> Result {
    let (input, offset) = (call.tensor("input")?, call.int("diagonal")?.unwrap_or(0));
    match input.dim() {
        1 => Ok(embedded(input, offset, [0, 1])?.into()),
        2 => Ok(along(input, offset, [0, 1]).into()),
        rank => Err(Failure::runtime(format!("diag(): Supports 1D or 2D tensors. Got {rank}D"))),
    }
}

/// A vector gets the diagonal of the cotangent, a matrix zeros with the cotangent as diagonal.
fn diag_backward(pass: &Pass) -> Result<Gradients> {
    if pass.call.tensor("input")?.dim() == 2 {
        return gradients::shown(pass);
    }
    let offset = pass.call.int("diagonal")?.unwrap_or(0);
    gradients::from_cotangent(pass, |cotangent| Ok(view_along(&cotangent, offset, [0, 1])))
}

fn diag_embed(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let given = [call.int("dim1")?.unwrap_or(-2), call.int("dim2")?.unwrap_or(-1)];
    let dims = wrapped(given, input.dim() + 1)?;
    Ok(embedded(input, call.int("offset")?.unwrap_or(0), dims)?.into())
}

fn diag_embed_backward(pass: &Pass) -> Result<Gradients> {
    let (call, offset) = (pass.call, pass.call.int("offset")?.unwrap_or(0));
    let given = [call.int("dim1")?.unwrap_or(-2), call.int("dim2")?.unwrap_or(-1)];
    let dims = wrapped(given, pass.output(0)?.dim())?;
    gradients::from_cotangent(pass, |cotangent| Ok(view_along(&cotangent, offset, dims)))
}

/// The last dimension of a tensor that has one, as diagonals of matrices that are zero elsewhere.
fn embedded(input: &Tensor, offset: i64, dims: [usize; 2]) -> Result<Tensor> {
    let Some((&length, others)) = input.shape().split_last() else {
        return Err(Failure::Unsupported("diag_embed of a tensor without dimensions".into()));
    };
    let away = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let side = length.saturating_add(away);
    let mut shape = others.to_vec();
    let [first, second] = if dims[0] < dims[1] { dims } else { [dims[1], dims[0]] };
    shape.insert(first, side);
    shape.insert(second, side);
    dims::check_size(&shape)?;
    let strides = layout::contiguous_strides(&shape);
    let place = Diagonal::new(&shape, &strides, offset, dims);
    let (own, steps) = (place.replaced(&shape, place.length), place.replaced(&strides, place.step));
    fn fill<T: Element>(input: &Tensor, shape: &[usize], targets: impl Iterator<Item = usize>) -> Tensor {
        let mut filled = vec![T::default(); shape.iter().product()];
        for (target, &value) in targets.zip(input.values::<T>().iter()) {
            filled[target] = value;
        }
        Tensor::collect(shape, filled)
    }
    let targets = Positions::new(own.as_slice(), steps.as_slice(), place.start);
    Ok(with_type!(input.dtype(), T => fill::<T>(input, &shape, targets)))
}

fn diagflat(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let flat = input.reshaped(&[input.numel()]);
    Ok(embedded(&flat, call.int("offset")?.unwrap_or(0), [0, 1])?.into())
}

fn diagflat_backward(pass: &Pass) -> Result<Gradients> {
    let shape = pass.call.tensor("input")?.shape();
    let offset = pass.call.int("offset")?.unwrap_or(0);
    gradients::from_cotangent(pass, |cotangent| {
        Ok(reshaped_in_place(&view_along(&cotangent, offset, [0, 1]), shape))
    })
}

/// The sum of a matrix's diagonal, element after element: in float64 for float32 and float64, in
/// float32 for the 16-bit floats, rounded once; in int64 for integers, which it stays.
fn trace(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dtype = input.dtype();
    if matches!(dtype, DType::Bool | DType::UInt32) {
        return Err(Failure::no_kernel("trace", dtype));
    }
    if input.dim() != 2 {
        return Err(Failure::runtime(format!(
            "trace: expected a matrix, but got tensor with dim {}",
            input.dim()
        )));
    }
    let diagonal = along(input, 0, [0, 1]);
    let sum = match dtype {
        DType::Float64 | DType::Float32 => {
            Scalar::Float(diagonal.values::<f64>().iter().fold(0.0, |sum, value| sum + value))
        }
        DType::Float16 | DType::BFloat16 => {
            Scalar::Float(diagonal.values::<f32>().iter().fold(0.0f32, |sum, value| sum + value).into())
        }
        _ => Scalar::Int(diagonal.values::<i64>().iter().fold(0, |sum: i64, &value| sum.wrapping_add(value))),
    };
    let output = if dtype.is_floating() { dtype } else { DType::Int64 };
    Ok(Tensor::full(&[], sum, output).into())
}

/// Zeros with the cotangent all along the diagonal.
fn trace_backward(pass: &Pass) -> Result<Gradients> {
    let shape = pass.call.tensor("input")?.shape();
    let diagonal = along(&numbered(shape), 0, [0, 1]);
    gradients::from_cotangent(pass, |cotangent| {
        Ok(placed(shape, &diagonal, &cotangent.expanded(diagonal.shape())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonals_outside_a_matrix_are_empty() {
        let length = |offset| Diagonal::new(&[2, 3], &[3, 1], offset, [0, 1]).length;
        assert_eq!([length(0), length(1), length(2), length(3), length(i64::MAX)], [2, 2, 1, 0, 0]);
        assert_eq!([length(-1), length(-2), length(i64::MIN)], [1, 0, 0]);
    }
}
