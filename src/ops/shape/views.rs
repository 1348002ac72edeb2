//! Views: `reshape`, `view`, `flatten`, `permute`, `squeeze`, `expand`, `unfold` and their kin.
//!
//! A result has PyTorch's values; whether it shares memory with the input does not show in it,
//! so some of these copy. Only `view` depends on the input's strides: it refuses what no strides
//! could express.

use super::arguments::{laid_out, required_ints, tensors};
use super::gradients;
use crate::ops::call::{Call, Failure, Result, Returned, Value};
use crate::ops::numerics::accumulate::{Arithmetic, Combine};
use crate::ops::{Backward, Gradients, Op, Pass, dims};
use crate::tensor::layout::Positions;
use crate::tensor::{DType, Tensor, layout};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "reshape",
        parameters: &["input", "shape"],
        forward: |call| reshape(call, "shape"),
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "reshape_as",
        parameters: &["input", "other"],
        forward: reshape_as,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "view",
        parameters: &["input", "size"],
        forward: view,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "view_as",
        parameters: &["input", "other"],
        forward: view_as,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "flatten",
        parameters: &["input", "start_dim", "end_dim"],
        forward: flatten,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "unflatten",
        parameters: &["input", "dim", "sizes"],
        forward: unflatten,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "ravel",
        parameters: &["input"],
        forward: ravel,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "permute",
        parameters: &["input", "dims"],
        forward: permute,
        backward: Backward::Rule(permute_backward),
    },
    Op {
        name: "transpose",
        parameters: &["input", "dim0", "dim1"],
        forward: |call| swap(call, ["dim0", "dim1"]),
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "swapdims",
        parameters: &["input", "dim0", "dim1"],
        forward: |call| swap(call, ["dim0", "dim1"]),
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "swapaxes",
        parameters: &["input", "axis0", "axis1"],
        forward: |call| swap(call, ["axis0", "axis1"]),
        backward: Backward::Rule(gradients::once_more),
    },
    Op { name: "t", parameters: &["input"], forward: t, backward: Backward::Rule(gradients::once_more) },
    Op {
        name: "adjoint",
        parameters: &["input"],
        forward: adjoint,
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "movedim",
        parameters: &["input", "source", "destination"],
        forward: movedim,
        backward: Backward::Rule(movedim_backward),
    },
    Op {
        name: "moveaxis",
        parameters: &["input", "source", "destination"],
        forward: movedim,
        backward: Backward::Rule(movedim_backward),
    },
    Op {
        name: "squeeze",
        parameters: &["input", "dim"],
        forward: squeeze,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "unsqueeze",
        parameters: &["input", "dim"],
        forward: unsqueeze,
        backward: Backward::Rule(gradients::reshaped),
    },
    Op {
        name: "expand",
        parameters: &["input", "size", "implicit"],
        forward: expand,
        backward: Backward::Rule(gradients::as_it_is),
    },
    Op {
        name: "expand_copy",
        parameters: &["input", "size", "implicit"],
        forward: expand_copy,
        backward: Backward::Rule(gradients::as_it_is),
    },
    Op {
        name: "expand_as",
        parameters: &["input", "other"],
        forward: expand_as,
        backward: Backward::Rule(gradients::as_it_is),
    },
    Op {
        name: "broadcast_to",
        parameters: &["input", "size"],
        forward: expand,
        backward: Backward::Rule(gradients::as_it_is),
    },
    Op {
        name: "Tensor.unfold",
        parameters: &["input", "dimension", "size", "step"],
        forward: unfold,
        backward: Backward::Rule(unfold_backward),
    },
    Op {
        name: "clone",
        parameters: &["input", "memory_format"],
        forward: clone,
        backward: Backward::Rule(gradients::as_it_is),
    },
    Op {
        name: "contiguous",
        parameters: &["input", "memory_format"],
        forward: contiguous,
        backward: Backward::Rule(gradients::as_it_is),
    },
    Op {
        name: "atleast_1d",
        parameters: &["tensors"],
        forward: |call| atleast(call, 1),
        backward: Backward::Rule(atleast_backward),
    },
    Op {
        name: "atleast_2d",
        parameters: &["tensors"],
        forward: |call| atleast(call, 2),
        backward: Backward::Rule(atleast_backward),
    },
    Op {
        name: "atleast_3d",
        parameters: &["tensors"],
        forward: |call| atleast(call, 3),
        backward: Backward::Rule(atleast_backward),
    },
];

/// Why sizes do not describe a shape of so many elements.
enum Misfit {
    /// Their product is another number.
    Size,
    /// Anything else, in PyTorch's words.
    Malformed(String),
}

/// The shape that sizes describe, with one -1 replaced by what is left of the elements
/// (PyTorch's `infer_size`).
fn infer(sizes: &[i64], numel: usize) -> std::result::Result<Vec<usize>, Misfit> {
    let mut inferred = None;
    let mut product = Some(1usize);
    for (dim, &size) in sizes.iter().enumerate() {
        match usize::try_from(size) {
            Ok(size) => product = product.and_then(|product| product.checked_mul(size)),
            Err(_) if size == -1 && inferred.is_none() => inferred = Some(dim),
            Err(_) if size == -1 => {
                return Err(Misfit::Malformed("only one dimension can be inferred".into()));
            }
            Err(_) => {
                return Err(Misfit::Malformed(format!(
                    "invalid shape dimension {size} at index {dim} of shape {sizes:?}"
                )));
            }
        }
    }
    let divides = |product: &usize| *product > 0 && numel.is_multiple_of(*product);
    let fits = |product: &usize| numel == *product || (inferred.is_some() && divides(product));
    let product = product.filter(fits).ok_or(Misfit::Size)?;
    let mut shape: Vec<usize> = sizes.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
    if let Some(dim) = inferred {
        shape[dim] = numel.checked_div(product).ok_or_else(|| {
            Misfit::Malformed(format!(
                "cannot reshape tensor of 0 elements into shape {sizes:?} because the unspecified dimension size -1 \
                 can be any value and is ambiguous"
            ))
        })?;
    }
    Ok(shape)
}

fn inferred(sizes: &[i64], numel: usize) -> Result<Vec<usize>> {
    infer(sizes, numel).map_err(|misfit| {
        Failure::runtime(match misfit {
            Misfit::Size => format!("shape '{sizes:?}' is invalid for input of size {numel}"),
            Misfit::Malformed(message) => message,
        })
    })
}

fn as_sizes(tensor: &Tensor) -> Vec<i64> {
    tensor.shape().iter().map(|&size| size as i64).collect()
}

fn reshape(call: &Call, parameter: &str) -> Result {
    let input = call.tensor("input")?;
    let shape = inferred(&required_ints(call, parameter)?, input.numel())?;
    Ok(input.reshaped(&shape).into())
}

fn reshape_as(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let shape = inferred(&as_sizes(call.tensor("other")?), input.numel())?;
    Ok(input.reshaped(&shape).into())
}

fn view(call: &Call) -> Result {
    viewed(call.tensor("input")?, &required_ints(call, "size")?)
}

fn view_as(call: &Call) -> Result {
    viewed(call.tensor("input")?, &as_sizes(call.tensor("other")?))
}

fn viewed(input: &Tensor, sizes: &[i64]) -> Result {
    let shape = inferred(sizes, input.numel())?;
    if !has_view(input.shape(), input.strides(), &shape) {
        return Err(Failure::runtime(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across \
             two contiguous subspaces). Use .reshape(...) instead.",
        ));
    }
    Ok(input.reshaped(&shape).into())
}

/// Whether strides exist that show the elements of a layout, in order, under another shape of as
/// many elements.
pub(crate) fn has_view(shape: &[usize], strides: &[usize], wanted: &[usize]) -> bool {
    view_strides(shape, strides, wanted).is_some()
}

/// The strides that show the elements of a layout, in order, under another shape of as many
/// elements, if there are any (PyTorch's `computeStride`). Neighbouring dimensions that lie like
/// one form a block; a dimension of the new shape has to stay inside a block.
fn view_strides(shape: &[usize], strides: &[usize], wanted: &[usize]) -> Option<Vec<usize>> {
    if layout::numel(shape) == Some(0) || shape.is_empty() {
        return Some(layout::contiguous_strides(wanted));
    }
    let mut found = Vec::with_capacity(wanted.len());
    let mut wanted = wanted.iter().rev().peekable();
    let mut innermost = strides[shape.len() - 1];
    let mut block = 1;
    for dim in (0..shape.len()).rev() {
        block *= shape[dim];
        let ends = dim == 0 || (shape[dim - 1] != 1 && strides[dim - 1] != block * innermost);
        if !ends {
            continue;
        }
        let mut covered = 1;
        while let Some(&size) = wanted.next_if(|&&size| covered < block || size == 1) {
            found.push(covered * innermost);
            covered *= size;
        }
        if covered != block {
            return None;
        }
        if dim > 0 {
            innermost = strides[dim - 1];
            block = 1;
        }
    }
    found.reverse();
    wanted.next().is_none().then_some(found)
}

/// The same elements under another shape of as many elements with the strides that PyTorch's
/// `reshape` gives them: those of a view where there is one, else those of a row-major copy.
pub(crate) fn reshaped_in_place(input: &Tensor, shape: &[usize]) -> Tensor {
    match view_strides(input.shape(), input.strides(), shape) {
        Some(strides) => input.restrided(shape, &strides),
        None => input.reshaped(shape),
    }
}

fn flatten(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let start = dims::wrap(call.int("start_dim")?.unwrap_or(0), input.dim())?;
    let end = dims::wrap(call.int("end_dim")?.unwrap_or(-1), input.dim())?;
    if start > end {
        return Err(Failure::runtime("flatten() has invalid args: start_dim cannot come after end_dim"));
    }
    if input.dim() == 0 {
        return Ok(input.reshaped(&[1]).into());
    }
    let sizes = input.shape();
    let merged = sizes[start..=end].iter().product();
    let shape = [&sizes[..start], &[merged], &sizes[end + 1..]].concat();
    Ok(input.reshaped(&shape).into())
}

fn unflatten(call: &Call) -> Result {
    let (input, sizes) = (call.tensor("input")?, required_ints(call, "sizes")?);
    let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
    if sizes.is_empty() {
        return Err(Failure::runtime("unflatten: sizes must be non-empty"));
    }
    // PyTorch passes any other error on with a C++ stack trace in its text.
    let traced = || Failure::Unsupported("unflatten: an error that quotes a stack trace".into());
    let size = *input.shape().get(dim).ok_or_else(traced)?;
    let split = infer(&sizes, size).map_err(|misfit| match misfit {
        Misfit::Size => Failure::runtime(format!(
            "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {dim} ({size}) in the input tensor"
        )),
        Misfit::Malformed(_) => traced(),
    })?;
    let shape = [&input.shape()[..dim], &split, &input.shape()[dim + 1..]].concat();
    Ok(input.reshaped(&shape).into())
}

fn ravel(call: &Call) -> Result {
    let input = call.tensor("input")?;
    Ok(input.reshaped(&[input.numel()]).into())
}

fn permute(call: &Call) -> Result {
    let (input, order) = (call.tensor("input")?, required_ints(call, "dims")?);
    if order.len() != input.dim() {
        return Err(Failure::runtime(format!(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired \
             ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
            input.dim(),
            order.len()
        )));
    }
    let mut seen = vec![false; order.len()];
    let mut wrapped = Vec::with_capacity(order.len());
    for dim in order {
        let dim = dims::wrap(dim, input.dim())?;
        if std::mem::replace(&mut seen[dim], true) {
            return Err(Failure::runtime("permute(): duplicate dims are not allowed."));
        }
        wrapped.push(dim);
    }
    Ok(input.permuted(&wrapped).into())
}

/// By the inverse order.
fn permute_backward(pass: &Pass) -> Result<Gradients> {
    let order = required_ints(pass.call, "dims")?;
    let mut inverse = vec![0; order.len()];
    for (place, &dim) in order.iter().enumerate() {
        inverse[dims::wrap(dim, order.len())?] = place;
    }
    gradients::from_cotangent(pass, |cotangent| Ok(cotangent.permuted(&inverse)))
}

/// The view with two dimensions, counted from the front, in each other's place.
pub(super) fn transposed(input: &Tensor, a: usize, b: usize) -> Tensor {
    let mut order: Vec<usize> = (0..input.dim()).collect();
    if a < order.len() && b < order.len() {
        order.swap(a, b);
    }
    input.permuted(&order)
}

fn swap(call: &Call, parameters: [&str; 2]) -> Result {
    let input = call.tensor("input")?;
    let [a, b] = parameters.map(|parameter| call.required_int(parameter));
    let (a, b) = (a?, b?);
    Ok(transposed(input, dims::wrap(a, input.dim())?, dims::wrap(b, input.dim())?).into())
}

fn t(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if input.dim() > 2 {
        return Err(Failure::runtime(format!(
            "t() expects a tensor with <= 2 dimensions, but self is {}D",
            input.dim()
        )));
    }
    Ok(transposed(input, 0, 1).into())
}

fn adjoint(call: &Call) -> Result {
    let input = call.tensor("input")?;
    match input.dim() {
        0 => Ok(Returned {
            outputs: vec![input.clone()],
            warnings: vec!["adjoint() is deprecated on 0-D tensors. Consider using x.conj().".into()],
        }),
        1 => Err(Failure::runtime(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.",
        )),
        rank => Ok(transposed(input, rank - 2, rank - 1).into()),
    }
}

fn movedim(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let (source, destination) = (required_ints(call, "source")?, required_ints(call, "destination")?);
    if source.len() != destination.len() {
        return Err(Failure::runtime(format!(
            "movedim: Invalid source or destination dims: source ({source:?} dims) should contain the same number of \
             dims as destination ({destination:?} dims)"
        )));
    }
    let wrapped = |dims: &[i64]| -> Result<Vec<usize>> {
        dims.iter().map(|&dim| dims::wrap(dim, input.dim())).collect()
    };
    let (from, to) = (wrapped(&source)?, wrapped(&destination)?);
    for (name, wrapped, given) in [("source", &from, &source), ("destination", &to, &destination)] {
        if (1..wrapped.len()).any(|i| wrapped[..i].contains(&wrapped[i])) {
            return Err(Failure::runtime(format!("movedim: repeated dim in `{name}` ({given:?})")));
        }
    }
    if input.dim() == 0 {
        return Ok(input.clone().into());
    }
    let mut others = (0..input.dim()).filter(|dim| !from.contains(dim));
    let order: Vec<usize> = (0..input.dim())
        .filter_map(|dim| match to.iter().position(|&target| target == dim) {
            Some(moved) => Some(from[moved]),
            None => others.next(),
        })
        .collect();
    Ok(input.permuted(&order).into())
}

/// The dimensions go back from where they went.
fn movedim_backward(pass: &Pass) -> Result<Gradients> {
    let [source, destination] =
        ["source", "destination"].map(|parameter| required_ints(pass.call, parameter).map(Value::from));
    gradients::once_more_with(pass, [("source", destination?), ("destination", source?)])
}

fn squeeze(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let chosen = match call.ints("dim")?.as_deref() {
        None => vec![true; input.dim()],
        // Unlike for a reduction, an empty list names no dimension.
        Some([]) => vec![false; input.dim()],
        dims => dims::mask(dims, input.dim())?,
    };
    let kept: Vec<usize> = input
        .shape()
        .iter()
        .zip(chosen)
        .filter(|&(&size, chosen)| !(chosen && size == 1))
        .map(|(&size, _)| size)
        .collect();
    Ok(input.reshaped(&kept).into())
}

fn unsqueeze(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dim = dims::wrap(call.required_int("dim")?, input.dim() + 1)?;
    Ok(input.unsqueezed(dim).into())
}

fn expand(call: &Call) -> Result {
    Ok(expand_to(call.tensor("input")?, &required_ints(call, "size")?)?.into())
}

/// `expand` with memory of its own.
fn expand_copy(call: &Call) -> Result {
    Ok(expand_to(call.tensor("input")?, &required_ints(call, "size")?)?.contiguous().into())
}

fn expand_as(call: &Call) -> Result {
    Ok(expand_to(call.tensor("input")?, &as_sizes(call.tensor("other")?))?.into())
}

/// The name of a tensor's class; only the dtypes of PyTorch's first years have one in Python.
fn type_name(dtype: DType) -> String {
    let name = dtype.scalar_type();
    match dtype {
        DType::BFloat16 | DType::UInt32 | DType::Bool => format!("CPU{name}Type"),
        _ => format!("torch.{name}Tensor"),
    }
}

/// PyTorch's `expand`: -1 keeps a size, and only sizes of 1 can change.
pub(crate) fn expand_to(input: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    let Some(missing) = sizes.len().checked_sub(input.dim()) else {
        return Err(Failure::runtime(format!(
            "expand({}{{{:?}}}, size={sizes:?}): the number of sizes provided ({}) must be greater or equal to the number \
             of dimensions in the tensor ({})",
            type_name(input.dtype()),
            input.shape(),
            sizes.len(),
            input.dim()
        )));
    };
    let mut wanted = sizes.to_vec();
    // From the last to the first, and not at all for a 0-d tensor, whose -1 is an ordinary size.
    for dim in (0..sizes.len()).rev().filter(|_| input.dim() > 0) {
        let own = dim.checked_sub(missing).map(|own| input.shape()[own] as i64);
        if wanted[dim] == -1 {
            wanted[dim] = own.ok_or_else(|| {
                Failure::runtime(format!(
                    "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"
                ))
            })?;
        }
        let size = own.unwrap_or(1);
        if size != wanted[dim] && size != 1 {
            return Err(Failure::runtime(format!(
                "The expanded size of the tensor ({}) must match the existing size ({size}) at non-singleton dimension \
                 {dim}.  Target sizes: {sizes:?}.  Tensor sizes: {:?}",
                wanted[dim],
                input.shape()
            )));
        }
    }
    // A negative size is a huge one to the multiplication of the sizes.
    let shape: Option<Vec<usize>> = wanted.iter().map(|&size| usize::try_from(size).ok()).collect();
    let shape = shape.ok_or_else(|| Failure::runtime("numel: integer multiplication overflow"))?;
    dims::check_size(&shape)?;
    Ok(input.expanded(&shape))
}

fn unfold(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dim = dims::wrap(call.required_int("dimension")?, input.dim())?;
    let (size, step) = (call.required_int("size")?, call.required_int("step")?);
    let length = input.shape().get(dim).map_or(1, |&length| length as i64);
    let refusal = if size < 0 {
        Some(format!("size is {size} but must be >= 0"))
    } else if size > length {
        Some(format!("maximum size for tensor at dimension {dim} is {length} but size is {size}"))
    } else if step <= 0 {
        Some(format!("step is {step} but must be > 0"))
    } else {
        None
    };
    if let Some(message) = refusal {
        return Err(Failure::runtime(message));
    }
    let (mut shape, mut strides) = (input.shape().to_vec(), input.strides().to_vec());
    shape.push(size as usize);
    strides.push(strides.get(dim).copied().unwrap_or(1));
    if input.dim() > 0 {
        shape[dim] = ((length - size) / step + 1) as usize;
        strides[dim] = strides[dim].saturating_mul(step as usize);
    }
    dims::check_size(&shape)?;
    Ok(laid_out(input, &shape, &strides, input.offset()).into())
}

/// Refuses a memory format that the tensor's rank cannot have.
/// The elements of the windows back to where they were read. Windows that may overlap are added
/// up in their order, rounding every sum; those that lie apart are copied, zeros with their sign
/// (PyTorch's `unfold_backward`).
fn unfold_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    let dim = dims::wrap(pass.call.required_int("dimension")?, input.dim())?;
    let (size, step) = (pass.call.required_int("size")?, pass.call.required_int("step")?);
    let mut strides = layout::contiguous_strides(input.shape());
    strides.push(strides.get(dim).copied().unwrap_or(1));
    if input.dim() > 0 {
        strides[dim] = strides[dim].saturating_mul(step as usize);
    }
    let combine = if step >= size { Combine::Assign } else { Combine::Add };
    fn fold<T: Arithmetic>(
        shape: &[usize],
        cotangent: &Tensor,
        strides: &[usize],
        combine: Combine,
    ) -> Tensor {
        let mut sums = vec![T::default(); shape.iter().product()];
        let places = Positions::new(cotangent.shape(), strides, 0);
        for (place, &value) in places.zip(cotangent.values::<T>().iter()) {
            sums[place] = combine.apply(sums[place], value);
        }
        Tensor::collect(shape, sums)
    }
    gradients::from_cotangent(pass, |cotangent| {
        Ok(with_type!(cotangent.dtype(), T => fold::<T>(input.shape(), &cotangent, &strides, combine)))
    })
}

fn check_format(call: &Call, input: &Tensor) -> Result<()> {
    let Some(Value::Str(format)) = call.get("memory_format") else { return Ok(()) };
    let wanted = match format.as_str() {
        "channels_last" => 4,
        "channels_last_3d" => 5,
        "preserve_format" if call.op == "contiguous" && !input.is_contiguous() => {
            return Err(Failure::runtime("preserve memory format is unsupported by the contiguous operator"));
        }
        _ => return Ok(()),
    };
    if input.dim() == wanted {
        return Ok(());
    }
    Err(Failure::runtime(format!("required rank {wanted} tensor to use {format} format")))
}

fn clone(call: &Call) -> Result {
    contiguous(call)
}

fn contiguous(call: &Call) -> Result {
    let input = call.tensor("input")?;
    check_format(call, input)?;
    Ok(input.contiguous().into())
}

/// A tensor with dimensions of size 1 added until there are so many: `atleast_1d` and its kin.
pub(super) fn at_least(input: &Tensor, rank: usize) -> Tensor {
    match (rank, input.shape()) {
        (2, &[n]) => input.reshaped(&[1, n]),
        (3, &[n]) => input.reshaped(&[1, n, 1]),
        (3, &[n, m]) => input.reshaped(&[n, m, 1]),
        (_, &[]) => input.reshaped(&vec![1; rank]),
        _ => input.clone(),
    }
}

fn atleast(call: &Call, rank: usize) -> Result {
    let outputs = tensors(call, "tensors")?.into_iter().map(|tensor| at_least(tensor, rank)).collect();
    Ok(Returned { outputs, warnings: Vec::new() })
}

/// Every cotangent under the shape of its tensor.
fn atleast_backward(pass: &Pass) -> Result<Gradients> {
    let tensors = tensors(pass.call, "tensors")?;
    let back = |(tensor, cotangent): (&&Tensor, &Option<Tensor>)| {
        cotangent.as_ref().map(|cotangent| reshaped_in_place(cotangent, tensor.shape()))
    };
    let gradients = tensors.iter().zip(pass.cotangents).map(back).collect();
    Ok(Gradients::from([("tensors".to_string(), gradients)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_stay_inside_blocks() {
        assert!(has_view(&[2, 3, 4], &[12, 4, 1], &[6, 4]));
        assert!(!has_view(&[2, 3, 4], &[12, 1, 3], &[2, 12]));
        assert!(has_view(&[2, 3, 4], &[12, 1, 3], &[1, 2, 3, 2, 2]));
        assert!(has_view(&[2, 1, 3], &[6, 99, 2], &[6]));
        assert!(!has_view(&[2, 3], &[1, 2], &[6]));
        assert!(has_view(&[0, 3], &[1, 2], &[3, 0, 7]));
        assert!(has_view(&[], &[], &[1, 1]));
    }

    #[test]
    fn one_size_is_inferred() {
        assert_eq!(inferred(&[4, -1], 24), Ok(vec![4, 6]));
        assert_eq!(inferred(&[], 1), Ok(vec![]));
        let message = "shape '[4, -1]' is invalid for input of size 6";
        assert_eq!(inferred(&[4, -1], 6), Err(Failure::runtime(message)));
        assert_eq!(inferred(&[-1, 3], 0), Ok(vec![0, 3]));
        assert!(inferred(&[i64::MAX, i64::MAX], 1).is_err());
    }
}
