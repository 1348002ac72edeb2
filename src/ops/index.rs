//! Reading by index: `select`, `narrow`, `index_select`, `gather`, `take`, `take_along_dim`,
//! `embedding`.
//!
//! Indices are int32 or int64 and never wrap, except in `select`, `narrow` and `take`; one out of
//! range is refused with the words of the kernel that would have read it.

use super::call::{Call, Failure, Result, refuse_uint32};
use super::dims;
use super::eager;
use super::index_into::flat;
use super::numerics::accumulate::Arithmetic;
use super::numerics::elementwise::VectorPart;
use super::pointwise::broadcast_shapes;
use super::promotion::Operand;
use super::scatter::{at_least_1d, first_outside, has_rows};
use super::shape::{from_cotangent, shown, zeros};
use super::{Backward, Gradients, Op, Pass};
use crate::tensor::layout::Positions;
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::{with_data, with_type};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "select",
        parameters: &["input", "dim", "index"],
        forward: select,
        backward: Backward::Rule(shown),
    },
    Op {
        name: "narrow",
        parameters: &["input", "dim", "start", "length"],
        forward: narrow,
        backward: Backward::Rule(shown),
    },
    Op {
        name: "index_select",
        parameters: &["input", "dim", "index"],
        forward: index_select,
        backward: Backward::Rule(index_select_backward),
    },
    Op {
        name: "gather",
        parameters: &["input", "dim", "index", "sparse_grad"],
        forward: gather,
        backward: Backward::Rule(gather_backward),
    },
    Op {
        name: "take",
        parameters: &["input", "index"],
        forward: take,
        backward: Backward::Rule(take_backward),
    },
    Op {
        name: "take_along_dim",
        parameters: &["input", "indices", "dim"],
        forward: take_along_dim,
        backward: Backward::Rule(take_along_dim_backward),
    },
    Op {
        name: "embedding",
        parameters: &["input", "weight", "padding_idx", "scale_grad_by_freq", "sparse"],
        forward: embedding,
        backward: Backward::Rule(embedding_backward),
    },
];

fn select(call: &Call) -> Result {
    let (input, dim, index) = (call.tensor("input")?, call.required_int("dim")?, call.required_int("index")?);
    Ok(selected(input, dim, index)?.into())
}

/// The checked view with one dimension fixed at an index; negative ones count from the end.
pub(crate) fn selected(input: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    if input.dim() == 0 {
        return Err(Failure::index("select() cannot be applied to a 0-dim tensor."));
    }
    let wrapped = dims::wrap(dim, input.dim())?;
    let size = input.shape()[wrapped] as i64;
    if !(-size..size).contains(&index) {
        return Err(Failure::index(format!(
            "select(): index {index} out of range for tensor of size {:?} at dimension {wrapped}",
            input.shape()
        )));
    }
    Ok(input.selected(wrapped, index.rem_euclid(size) as usize))
}

fn narrow(call: &Call) -> Result {
    let (input, dim) = (call.tensor("input")?, call.required_int("dim")?);
    let length = call.required_int("length")?;
    let start = match call.operand("start")? {
        Operand::Tensor(start) if start.dim() > 0 || !start.dtype().is_integer() => {
            return Err(Failure::runtime("start must be an 0-dim integral Tensor."));
        }
        Operand::Tensor(start) => start.scalars().next().map_or(0, Scalar::to_i64),
        Operand::Number(start) => start.to_i64(),
    };
    if input.dim() == 0 {
        return Err(Failure::runtime("narrow() cannot be applied to a 0-dim tensor."));
    }
    if length < 0 {
        return Err(Failure::runtime("narrow(): length must be non-negative."));
    }
    let dim = dims::wrap(dim, input.dim())?;
    let size = input.shape()[dim] as i64;
    if !(-size..=size).contains(&start) {
        return Err(Failure::index(format!(
            "start out of range (expected to be in range of [-{size}, {size}], but got {start})"
        )));
    }
    let start = if start < 0 { start + size } else { start };
    if length > size - start {
        return Err(Failure::runtime(format!(
            "start ({start}) + length ({length}) exceeds dimension size ({size})."
        )));
    }
    Ok(input.sliced(dim, start as usize, length as usize, 1).into())
}

fn is_index(tensor: &Tensor) -> bool {
    matches!(tensor.dtype(), DType::Int32 | DType::Int64)
}

fn index_select(call: &Call) -> Result {
    let (input, dim, index) = (call.tensor("input")?, call.required_int("dim")?, call.tensor("index")?);
    let dim = dims::wrap(dim, input.dim())?;
    if index.dim() > 1 {
        return Err(Failure::index("index_select(): Index is supposed to be a vector"));
    }
    if !is_index(index) {
        return Err(Failure::runtime("index_select(): Expected dtype int32 or int64 for index"));
    }
    if input.dim() == 0 && index.numel() != 1 {
        return Err(Failure::runtime(format!(
            "index_select(): Index to scalar can have only 1 value, got {} value(s)",
            index.numel()
        )));
    }
    let picked = pick(&at_least_1d(input), dim, &index.values::<i64>())?;
    Ok(if input.dim() == 0 { picked.reshaped(&[]) } else { picked }.into())
}

/// The slices of `dim` at some positions, in their order, row-major.
fn pick(source: &Tensor, dim: usize, indices: &[i64]) -> Result<Tensor> {
    let size = source.shape()[dim];
    let empty = source.dim() > 1 && source.numel() == 0;
    if empty && size == 0 && !indices.is_empty() {
        return Err(Failure::runtime("index_select(): self indexing axis dim should be positive"));
    }
    if let Some(&outside) = indices.iter().find(|&&index| index < 0 || index >= size as i64) {
        // Rows of dimension 1, and of nothing, are checked by code that complains in its own words.
        return Err(if dim == 1 || empty {
            Failure::runtime(format!("INDICES element is out of DATA bounds, id={outside} axis_dim={size}"))
        } else {
            Failure::index("index out of range in self")
        });
    }
    let mut shape = source.shape().to_vec();
    shape[dim] = indices.len();
    dims::check_size(&shape)?;
    let inner: usize = shape[dim + 1..].iter().product();
    fn copy<T: Element>(
        source: &Tensor,
        shape: &[usize],
        size: usize,
        inner: usize,
        indices: &[i64],
    ) -> Tensor {
        let values = source.values::<T>();
        let mut output = Vec::with_capacity(shape.iter().product());
        // `max` keeps an empty source from having chunks of no elements.
        for slab in values.chunks((size * inner).max(1)) {
            for &index in indices {
                output.extend_from_slice(&slab[index as usize * inner..][..inner]);
            }
        }
        Tensor::collect(shape, output)
    }
    if source.numel() == 0 {
        return Ok(Tensor::full(&shape, Scalar::Int(0), source.dtype()));
    }
    Ok(with_type!(source.dtype(), T => copy::<T>(source, &shape, size, inner, indices)))
}

/// Added to zeros where it was read.
fn index_select_backward(pass: &Pass) -> Result<Gradients> {
    let (call, shape) = (pass.call, pass.call.tensor("input")?.shape());
    from_cotangent(pass, |cotangent| {
        let start = zeros(shape, cotangent.dtype());
        eager::call(
            "index_add",
            [
                ("input", (&start).into()),
                ("dim", call.required_int("dim")?.into()),
                ("index", call.tensor("index")?.into()),
                ("source", (&cotangent).into()),
            ],
        )
    })
}

fn gather(call: &Call) -> Result {
    let (input, dim, index) = (call.tensor("input")?, call.required_int("dim")?, call.tensor("index")?);
    Ok(gathered(input, dim, index)?.into())
}

fn gathered(input: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let dim = dims::wrap(dim, input.dim())?;
    if index.numel() == 0 {
        return Ok(Tensor::full(index.shape(), Scalar::Int(0), input.dtype()));
    }
    if !is_index(index) {
        return Err(Failure::runtime("gather(): Expected dtype int32/int64 for index"));
    }
    let (source, wide_index) = (at_least_1d(input), at_least_1d(index));
    if source.dim() != wide_index.dim() {
        return Err(Failure::runtime("Index tensor must have the same number of dimensions as input tensor"));
    }
    let fits = |d: usize| d == dim || wide_index.shape()[d] <= source.shape()[d];
    if let Some(d) = (0..source.dim()).find(|&d| !fits(d)) {
        return Err(Failure::runtime(format!(
            "Size does not match at dimension {d} expected index {:?} to be no larger than self {:?} apart from \
             dimension {dim}",
            index.shape(),
            input.shape()
        )));
    }
    let mut indices = wide_index.values::<i64>();
    if index.dtype() == DType::Int32 && input.dim() > 0 && has_rows(dim, input.dtype(), index, input) {
        // PyTorch's kernel for rows reads one index per row, but from a copy to int64 that has
        // all of them in memory: row i gets the i-th of these.
        let row = indices.len() / wide_index.shape()[0];
        indices = (0..indices.len()).map(|at| indices[at / row]).collect();
    }
    let chosen = with_data!(source.storage(), data => {
        chosen_by(&indices, wide_index.shape(), data, &source, dim)
            .map(|chosen| Tensor::collect(index.shape(), chosen))
    });
    chosen.ok_or_else(|| {
        let size = source.shape()[dim];
        let output = Tensor::full(wide_index.shape(), Scalar::Bool(false), DType::Bool);
        let visited = Tensor::collect(wide_index.shape(), indices.iter().copied());
        let outside = first_outside(size, dim, &visited, [&output, &source]);
        Failure::runtime(format!("index {outside} is out of bounds for dimension {dim} with size {size}"))
    })
}

/// What indices of a shape choose along a dimension of the source; nothing if one lies outside.
fn chosen_by<T: Element>(
    indices: &[i64],
    shape: &[usize],
    data: &[T],
    source: &Tensor,
    dim: usize,
) -> Option<Vec<T>> {
    let (size, stride) = (source.shape()[dim] as u64, source.strides()[dim]);
    // Walk the source over the indices' shape with the dimension held at 0, line by line.
    let mut walk = source.strides().to_vec();
    walk[dim] = 0;
    let (length, step) = (shape.last()?, walk.pop()?);
    let starts = Positions::new(&shape[..walk.len()], walk.as_slice(), source.offset());
    let mut chosen = Vec::with_capacity(indices.len());
    for (start, line) in starts.zip(indices.chunks_exact(*length)) {
        let from = &data[start..];
        match (step, stride) {
            (0, 1) => {
                let from = &from[..size as usize];
                let mut outside = false;
                chosen.extend(line.iter().map(|&index| {
                    let element = from.get(index as usize);
                    outside |= element.is_none();
                    element.copied().unwrap_or_default()
                }));
                if outside {
                    return None;
                }
            }
            _ => {
                // To the end, since an early exit would keep it from running in vectors.
                if line.iter().fold(false, |outside, &index| outside | (index as u64 >= size)) {
                    return None;
                }
                chosen.extend(
                    line.iter().enumerate().map(|(at, &index)| from[at * step + index as usize * stride]),
                );
            }
        }
    }
    Some(chosen)
}

fn gather_backward(pass: &Pass) -> Result<Gradients> {
    let (call, input) = (pass.call, pass.call.tensor("input")?);
    if call.flag("sparse_grad")? {
        return Err(Failure::Unsupported("gather: a sparse gradient".into()));
    }
    let dim = call.required_int("dim")?;
    from_cotangent(pass, |cotangent| scattered(&cotangent, input.shape(), dim, call.tensor("index")?))
}

/// A cotangent added to zeros of a shape where `gather` read.
fn scattered(cotangent: &Tensor, shape: &[usize], dim: i64, index: &Tensor) -> Result<Tensor> {
    let start = zeros(shape, cotangent.dtype());
    eager::call(
        "scatter_add",
        [("input", (&start).into()), ("dim", dim.into()), ("index", index.into()), ("src", cotangent.into())],
    )
}

fn take(call: &Call) -> Result {
    let (input, index) = (call.tensor("input")?, call.tensor("index")?);
    if index.dtype() != DType::Int64 {
        return Err(Failure::runtime(format!(
            "take(): Expected a long tensor for index, but got {}",
            index.dtype().scalar_type()
        )));
    }
    if index.numel() == 0 {
        return Ok(Tensor::full(index.shape(), Scalar::Int(0), input.dtype()).into());
    }
    if input.numel() == 0 {
        return Err(Failure::index("take(): tried to take from an empty tensor"));
    }
    refuse_uint32("take_cpu", input.dtype())?;
    let indices = index.values::<i64>();
    let places = indices.iter().map(|&index| flat(index, input.numel())).collect::<Result<Vec<_>>>()?;
    let flattened = input.contiguous();
    Ok(flattened.picked(index.shape(), places.into_iter().map(|place| flattened.offset() + place)).into())
}

/// Put into zeros where it was taken, adding up.
fn take_backward(pass: &Pass) -> Result<Gradients> {
    let (shape, index) = (pass.call.tensor("input")?.shape(), pass.call.tensor("index")?);
    from_cotangent(pass, |cotangent| {
        let start = zeros(shape, cotangent.dtype());
        eager::call(
            "put",
            [
                ("input", (&start).into()),
                ("index", index.into()),
                ("source", (&cotangent).into()),
                ("accumulate", true.into()),
            ],
        )
    })
}

fn take_along_dim(call: &Call) -> Result {
    let (input, dim, indices) = along_dim(call)?;
    Ok(gathered(&input, dim, &indices)?.into())
}

fn take_along_dim_backward(pass: &Pass) -> Result<Gradients> {
    let (input, dim, indices) = along_dim(pass.call)?;
    let shape = pass.call.tensor("input")?.shape();
    let flat = pass.call.get("dim").is_none();
    from_cotangent(pass, |cotangent| {
        let wide = scattered(&cotangent, input.shape(), dim, &indices)?;
        Ok(if flat { wide.reshaped(shape) } else { wide })
    })
}

/// What `take_along_dim` gathers from, along which dimension, and at which indices.
fn along_dim(call: &Call) -> Result<(Tensor, i64, Tensor)> {
    let (input, indices) = (call.tensor("input")?, call.tensor("indices")?);
    let Some(dim) = call.int("dim")? else {
        return Ok((flattened(input)?, 0, flattened(indices)?));
    };
    if input.dim() != indices.dim() {
        return Err(Failure::runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} \
             dimensions for input, and {} dimensions for indices",
            input.dim(),
            indices.dim()
        )));
    }
    if indices.dtype() != DType::Int64 {
        return Err(Failure::runtime(format!(
            "torch.take_along_dim(): dtype of indices should be Long but got {}",
            indices.dtype().scalar_type()
        )));
    }
    let dim = dims::wrap(dim, input.dim())?;
    if input.dim() == 0 {
        return Err(Failure::index(format!("Dimension specified as {dim} but tensor has no dimensions")));
    }
    // Each takes the other's shape but for its own length along `dim`.
    let mut wanted = input.shape().to_vec();
    wanted[dim] = indices.shape()[dim];
    let wide_indices = broadcast_shapes([&wanted, indices.shape()])?;
    wanted = indices.shape().to_vec();
    wanted[dim] = input.shape()[dim];
    let wide_input = input.expanded(&broadcast_shapes([&wanted, input.shape()])?);
    let size = input.shape()[dim] as i64;
    if size == 0 && indices.numel() > 0 {
        return Err(Failure::runtime("ZeroDivisionError"));
    }
    // Indices wrap any number of times.
    let wrapped = indices.values::<i64>().iter().map(|index| index.rem_euclid(size)).collect::<Vec<_>>();
    let wrapped = Tensor::collect(indices.shape(), wrapped).expanded(&wide_indices);
    Ok((wide_input, dim as i64, wrapped))
}

/// The view of one dimension, where the strides allow one.
fn flattened(tensor: &Tensor) -> Result<Tensor> {
    let dims: Vec<(usize, usize)> = tensor
        .shape()
        .iter()
        .copied()
        .zip(tensor.strides().iter().copied())
        .filter(|dim| dim.0 != 1)
        .collect();
    let continues = |pair: &[(usize, usize)]| pair[0].1 == pair[1].0 * pair[1].1;
    if tensor.numel() > 0 && !dims.windows(2).all(continues) {
        return Err(Failure::runtime(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two \
             contiguous subspaces). Use .reshape(...) instead.",
        ));
    }
    Ok(tensor.reshaped(&[tensor.numel()]))
}

/// What PyTorch calls a tensor's type: the younger types have no Python class.
pub(crate) fn type_name(dtype: DType) -> String {
    match dtype {
        DType::Bool | DType::BFloat16 | DType::UInt32 => format!("CPU{}Type", dtype.scalar_type()),
        _ => format!("torch.{}Tensor", dtype.scalar_type()),
    }
}

fn embedding(call: &Call) -> Result {
    let (indices, weight) = (call.tensor("input")?, call.tensor("weight")?);
    if let Some(padding) = call.int("padding_idx")? {
        let rows = weight.shape().first().map_or(0, |&rows| rows as i64);
        if padding >= rows || padding < -rows {
            return Err(Failure::Raised(
                super::Exception::AssertionError,
                "Padding_idx must be within num_embeddings".into(),
            ));
        }
    }
    if weight.dim() != 2 {
        return Err(Failure::runtime("'weight' must be 2-D"));
    }
    if !is_index(indices) {
        return Err(Failure::runtime(format!(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got \
             {} instead (while checking arguments for embedding)",
            type_name(indices.dtype())
        )));
    }
    let rows = pick(weight, 0, &indices.values::<i64>())?;
    let shape: Vec<usize> = indices.shape().iter().chain(&weight.shape()[1..]).copied().collect();
    Ok(rows.reshaped(&shape).into())
}

/// Rows of the cotangent added one after the other to the rows of zeros that they were looked up
/// in, by the element-wise kernel; a padding row gets nothing. `scale_grad_by_freq` divides by how
/// often a row was looked up (PyTorch's `embedding_dense_backward`).
fn embedding_backward(pass: &Pass) -> Result<Gradients> {
    let (call, indices, weight) = (pass.call, pass.call.tensor("input")?, pass.call.tensor("weight")?);
    if call.flag("sparse")? {
        return Err(Failure::Unsupported("embedding: a sparse gradient".into()));
    }
    let padding = call.int("padding_idx")?.map(|index| match index {
        0.. => index,
        _ => index + weight.shape()[0] as i64,
    });
    let by_frequency = call.flag("scale_grad_by_freq")?;
    let indices = indices.values::<i64>();
    pass.each(&[("weight", &|| {
        let cotangent = pass.cotangent(0)?;
        Ok(with_type!(cotangent.dtype(), T => {
            add_rows::<T>(weight.shape(), &indices, padding, by_frequency, &cotangent)
        }))
    })])
}

fn add_rows<T: Arithmetic>(
    shape: &[usize],
    indices: &[i64],
    padding: Option<i64>,
    by_frequency: bool,
    cotangent: &Tensor,
) -> Tensor {
    let (rows, width) = (shape[0], shape[1]);
    let mut counts = vec![0u32; rows];
    for &index in indices {
        counts[index as usize] += 1;
    }
    let row = zeros(&[width], T::DTYPE);
    let part = VectorPart::new([&row, &row, &row], T::DTYPE);
    let (mut sums, values) = (vec![T::default(); rows * width], cotangent.values::<T>());
    for (nth, &index) in indices.iter().enumerate().filter(|&(_, &index)| Some(index) != padding) {
        let scale = if by_frequency { 1.0 / f64::from(counts[index as usize]) } else { 1.0 };
        let alpha = T::from_scalar(Scalar::Float(scale));
        for position in 0..width {
            let sum = &mut sums[index as usize * width + position];
            *sum = sum.plus_scaled(values[nth * width + position], alpha, part.holds(position));
        }
    }
    Tensor::collect(shape, sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Element by element is the oracle, along memory and across it.
    #[test]
    fn gathered_lines_are_gathered_elements() {
        for (rows, columns) in [(1, 1), (3, 70), (5, 64), (17, 9)] {
            let data: Vec<i32> = (0..rows * columns).map(|i| (i * i) as i32).collect();
            let memory = Tensor::new(&[rows, columns], data).unwrap();
            for source in [memory.clone(), memory.permuted(&[1, 0])] {
                let ([height, width], values) =
                    ([source.shape()[0], source.shape()[1]], source.values::<i32>());
                for dim in 0..2 {
                    let size = source.shape()[dim];
                    let indices: Vec<i64> = (0..height * width).map(|i| (i * 7 % size) as i64).collect();
                    let expected: Vec<i32> = (0..height * width)
                        .map(|at| match dim {
                            0 => values[indices[at] as usize * width + at % width],
                            _ => values[at / width * width + indices[at] as usize],
                        })
                        .collect();
                    let index = |indices: &[i64]| Tensor::new(&[height, width], indices.to_vec()).unwrap();
                    let chosen = gathered(&source, dim as i64, &index(&indices)).unwrap();
                    assert_eq!(*chosen.values::<i32>(), expected, "{:?} along {dim}", source.shape());
                    for outside in [-1, size as i64, i64::MIN] {
                        let mut indices = indices.clone();
                        indices[height * width / 2] = outside;
                        let refusal = gathered(&source, dim as i64, &index(&indices)).unwrap_err();
                        assert!(
                            format!("{refusal:?}").contains(&format!("index {outside} is out of bounds"))
                        );
                    }
                }
            }
        }
    }
}
