//! Writes into a copy along one dimension or at flat positions: `index_add`, `index_reduce`,
//! `index_copy`, `index_fill`, `put`, `select_scatter`, `slice_scatter`, `diagonal_scatter`.
//!
//! Repeated indices meet in the order of the index. A one-dimensional target is computed in its
//! own type, one rounding per step; slices of a larger one by the element-wise kernels, except
//! that `index_add` of int64 indices, with an alpha of 1, along the first or last dimension is a
//! `scatter_add`.

use super::brackets::out_of_bounds;
use super::call::{Call, Failure, Result, Returned, refuse_uint32};
use super::dims;
use super::eager;
use super::numerics::accumulate::{Arithmetic, Combine};
use super::numerics::elementwise::VectorPart;
use super::numerics::extremes::End;
use super::promotion::{Operand, check_overflow};
use super::reduce_into::{self, Ways};
use super::scatter::{self, Reduction, at_least_1d};
use super::shape::zeros;
use super::visiting;
use super::{Backward, Gradients, Op, Pass};
use crate::tensor::{DType, Element, Scalar, Tensor, layout, layout::Positions};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "index_add",
        parameters: &["input", "dim", "index", "source", "alpha"],
        forward: index_add,
        backward: Backward::Rule(index_add_backward),
    },
    Op {
        name: "index_reduce",
        parameters: &["input", "dim", "index", "source", "reduce", "include_self"],
        forward: index_reduce,
        backward: Backward::Rule(index_reduce_backward),
    },
    Op {
        name: "index_copy",
        parameters: &["input", "dim", "index", "source"],
        forward: index_copy,
        backward: Backward::Rule(index_copy_backward),
    },
    Op {
        name: "index_fill",
        parameters: &["input", "dim", "index", "value"],
        forward: index_fill,
        backward: Backward::Rule(index_fill_backward),
    },
    Op {
        name: "put",
        parameters: &["input", "index", "source", "accumulate"],
        forward: put,
        backward: Backward::Rule(put_backward),
    },
    Op {
        name: "select_scatter",
        parameters: &["input", "src", "dim", "index"],
        forward: |call| embed(call, selected_part),
        backward: Backward::Rule(|pass| embed_backward(pass, selected_part)),
    },
    Op {
        name: "slice_scatter",
        parameters: &["input", "src", "dim", "start", "end", "step"],
        forward: |call| embed(call, sliced_part),
        backward: Backward::Rule(|pass| embed_backward(pass, sliced_part)),
    },
    Op {
        name: "diagonal_scatter",
        parameters: &["input", "src", "offset", "dim1", "dim2"],
        forward: |call| embed(call, diagonal_part),
        backward: Backward::Rule(|pass| embed_backward(pass, diagonal_part)),
    },
];

/// Checks that `index_add` and `index_reduce` share, in PyTorch's order; gives the dimension.
fn check_slices(call: &Call, input: &Tensor, index: &Tensor, source: &Tensor) -> Result<usize> {
    let op = &call.op;
    let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
    if index.dim() > 1 {
        return Err(Failure::index(format!(
            "{op}_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {:?}",
            index.dim(),
            index.dtype().scalar_type(),
            index.shape()
        )));
    }
    if !matches!(index.dtype(), DType::Int32 | DType::Int64) {
        return Err(Failure::runtime(format!(
            "{op}_(): Expected dtype int32/int64 for index but got: {}",
            index.dtype().scalar_type()
        )));
    }
    if input.dtype() != source.dtype() {
        return Err(Failure::runtime(format!(
            "{op}_(): self ({}) and source ({}) must have the same scalar type",
            input.dtype().scalar_type(),
            source.dtype().scalar_type()
        )));
    }
    if dim > 0 && dim >= source.dim() {
        return Err(Failure::runtime(format!(
            "{op}_(): Indexing dim {dim} is out of bounds of the source tensor with dim {}",
            source.dim()
        )));
    }
    let length = source.shape().get(dim).copied().unwrap_or(1);
    if index.numel() != length && source.dim() == 0 {
        // The complaint itself asks for a size that is not there.
        return Err(Failure::index(format!("Dimension specified as {dim} but tensor has no dimensions")));
    }
    if index.numel() != length {
        return Err(Failure::runtime(format!(
            "{op}_(): Number of indices ({}) should be equal to source.size(dim): ({length}), for dim: {dim}",
            index.numel()
        )));
    }
    let apart = |tensor: &Tensor| {
        let mut shape = tensor.shape().to_vec();
        if input.dim() > 0 && source.dim() > 0 {
            shape.remove(dim);
        }
        shape
    };
    if apart(input) != apart(source) {
        return Err(Failure::runtime(format!(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = \
             {:?} source.shape = {:?}",
            input.shape(),
            source.shape()
        )));
    }
    Ok(dim)
}

/// An index into one dimension, which does not wrap.
fn inside(index: i64, size: usize) -> Result<usize> {
    match usize::try_from(index) {
        Ok(index) if index < size => Ok(index),
        _ => Err(Failure::index("index out of range in self")),
    }
}

/// The first index is looked at before the kernel that would use it.
fn check_first(index: &Tensor, size: usize) -> Result<()> {
    index.values::<i64>().first().map_or(Ok(()), |&first| inside(first, size).map(drop))
}

fn index_add(call: &Call) -> Result {
    let (input, index, source) = (call.tensor("input")?, call.tensor("index")?, call.tensor("source")?);
    let alpha = call.scalar("alpha")?.unwrap_or(Scalar::Int(1));
    let dim = check_slices(call, input, index, source)?;
    if input.dim() > 1 {
        if index.numel() == 0 || input.numel() == 0 {
            return Ok(input.contiguous().into());
        }
        let at_an_end = dim == 0 || dim + 1 == input.dim();
        let alpha_is_1 = !matches!(alpha, Scalar::Bool(_)) && alpha.to_f64() == 1.0;
        if at_an_end && alpha_is_1 && index.dtype() == DType::Int64 {
            return Ok(scatter::add_slices(input, dim, index, source)?.into());
        }
        check_first(index, input.shape()[dim])?;
        refuse_uint32("add_stub", input.dtype())?;
        check_overflow(alpha, input.dtype())?;
        let part = slice_vectors(input, dim, source);
        return with_type!(input.dtype(), T => {
            let alpha = T::from_scalar(alpha);
            by_slices::<T>(input, dim, index, source, |position, old, new| {
                old.plus_scaled(new, alpha, part.holds(position))
            })
        })
        .map(Returned::from);
    }
    refuse_uint32("index_add_", input.dtype())?;
    check_overflow(alpha, input.dtype())?;
    with_type!(input.dtype(), T => {
        let alpha = T::from_scalar(alpha);
        by_slices::<T>(input, dim, index, source, |_, old, new| old.plus(new.times(alpha)))
    })
    .map(Returned::from)
}

/// The cotangent, and alpha times what lies at the index.
fn index_add_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let alpha = pass.call.scalar("alpha")?.unwrap_or(Scalar::Int(1));
    pass.each(&[
        ("input", &|| Ok(cotangent.clone())),
        ("source", &|| match alpha.to_f64() {
            1.0 => read_slices(pass.call, &cotangent),
            _ => eager::mul(&read_slices(pass.call, &cotangent)?, alpha),
        }),
    ])
}

/// What a source without dimensions or a slice for every index gets from a cotangent.
fn read_slices(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    let (index, source) = (call.tensor("index")?, call.tensor("source")?);
    let index = if source.dim() == 0 && index.numel() == 1 { index.reshaped(&[]) } else { index.clone() };
    let read = eager::call(
        "index_select",
        [("input", cotangent.into()), ("dim", call.required_int("dim")?.into()), ("index", (&index).into())],
    )?;
    if source.dim() == 0 { Ok(read) } else { super::shape::expand_to(&read, &as_sizes(source)) }
}

fn as_sizes(tensor: &Tensor) -> Vec<i64> {
    tensor.shape().iter().map(|&size| size as i64).collect()
}

/// Combines every slice of the source with the slice of the target that its index names, in
/// order; `step` also gets the element's row-major position in the slice.
fn by_slices<T: Arithmetic>(
    input: &Tensor,
    dim: usize,
    index: &Tensor,
    source: &Tensor,
    step: impl Fn(usize, T, T) -> T,
) -> Result<Tensor> {
    let shape = at_least_1d(input).shape().to_vec();
    let source = at_least_1d(source);
    let mut strides = layout::contiguous_strides(&shape);
    let along = strides.remove(dim);
    let mut slice = shape.clone();
    let size = slice.remove(dim);
    let mut target = input.values::<T>().into_owned();
    for (nth, &index) in index.values::<i64>().iter().enumerate() {
        let start = inside(index, size)? * along;
        let places = Positions::new(slice.as_slice(), strides.as_slice(), start);
        let values = source.selected(dim, nth);
        for (position, (place, &value)) in places.zip(values.values::<T>().iter()).enumerate() {
            target[place] = step(position, target[place], value);
        }
    }
    Ok(Tensor::collect(input.shape(), target))
}

fn index_reduce(call: &Call) -> Result {
    let (input, index, source) = (call.tensor("input")?, call.tensor("index")?, call.tensor("source")?);
    let name = call.text("reduce")?.unwrap_or_default();
    let reduction = match Reduction::from_name(name) {
        Some(Reduction::Sum) | None => {
            return Err(Failure::runtime(format!(
                "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {name}."
            )));
        }
        Some(reduction) => reduction,
    };
    let dim = check_slices(call, input, index, source)?;
    let include_self = call.flag_or("include_self", true)?;
    let dtype = input.dtype();
    let start = if include_self {
        input.contiguous()
    } else {
        if matches!(dtype, DType::Bool | DType::UInt32) {
            return Err(Failure::no_kernel("index_reduce_func_exclude_input_init", dtype));
        }
        refuse_restride(&at_least_1d(input), dim, index.numel())?;
        fill(input, dim, index, reduction.identity(dtype))?
    };
    let outputs = vec![reduce_slices(&start, dim, index, source, reduction, include_self)?];
    Ok(Returned {
        outputs,
        warnings: vec!["index_reduce() is in beta and the API may change at any time.".into()],
    })
}

fn index_reduce_backward(pass: &Pass) -> Result<Gradients> {
    reduce_into::backward(
        pass,
        &Ways {
            read: "index_select",
            add: "index_add",
            reduce: "index_reduce",
            clear: "index_fill",
            source: "source",
            node: "IndexReduce",
        },
    )
}

fn reduce_slices(
    start: &Tensor,
    dim: usize,
    index: &Tensor,
    source: &Tensor,
    reduction: Reduction,
    include_self: bool,
) -> Result<Tensor> {
    let dtype = start.dtype();
    let large = start.dim() > 1;
    if large {
        if index.numel() == 0 {
            return Ok(start.clone());
        }
        if start.shape()[dim] == 0 {
            return Err(Failure::index(format!(
                "select(): index 0 out of range for tensor of size {:?} at dimension {dim}",
                start.shape()
            )));
        }
        if reduction == Reduction::Mean {
            check_first(index, start.shape()[dim])?;
            refuse_uint32("add_stub", dtype)?;
        }
    } else if matches!(dtype, DType::Bool | DType::UInt32) {
        return Err(Failure::no_kernel("index_func_", dtype));
    }
    let combine = reduction.combine();
    let end = match reduction {
        Reduction::Amax => Some(End::Max),
        Reduction::Amin => Some(End::Min),
        _ => None,
    };
    if large && reduction == Reduction::Prod && dtype.is_floating() && dtype.size() == 2 {
        refuse_second_product(start, dim, index, source)?;
    }
    let reduced = match end.filter(|_| large) {
        Some(end) => extremes(start, dim, index, source, end)?,
        None => with_type!(dtype, T => {
            by_slices::<T>(start, dim, index, source, |_, old, new| combine.apply(old, new))
        })?,
    };
    if reduction != Reduction::Mean {
        return Ok(reduced);
    }
    let base = Tensor::full(start.shape(), Scalar::Bool(include_self), dtype);
    let ones = Tensor::full(source.shape(), Scalar::Int(1), dtype);
    let at_an_end = dim == 0 || dim + 1 == start.dim();
    let counts = if large && at_an_end && index.dtype() == DType::Int64 && start.numel() > 0 {
        scatter::add_slices(&base, dim, index, &ones)?
    } else {
        with_type!(dtype, T => by_slices::<T>(&base, dim, index, &ones, |_, old, new| old.plus(new)))?
    };
    if dtype == DType::Bool {
        scatter::refuse_count(dtype)?;
    }
    Ok(scatter::over_counts(&reduced, &counts))
}

/// The 16-bit multiplication drops a second operand that is one value from its iterator, which the
/// loop over slices uses again: the second slice fails an assertion of PyTorch's.
fn refuse_second_product(start: &Tensor, dim: usize, index: &Tensor, source: &Tensor) -> Result<()> {
    let slice = source.selected(dim, 0);
    let is_one = slice.shape().iter().zip(slice.strides()).all(|(&size, &stride)| size == 1 || stride == 0);
    if index.numel() < 2 || slice.numel() == 0 || !is_one {
        return Ok(());
    }
    for &index in index.values::<i64>().iter().take(2) {
        inside(index, start.shape()[dim])?;
    }
    Err(Failure::runtime(
        "iter.ninputs() == traits::arity INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/native/cpu/\
         Loops.h\":351, please report a bug to PyTorch. ",
    ))
}

/// Which elements of a slice are computed in vectors: the slice of a row-major copy is both the
/// first operand and the output.
fn slice_vectors(input: &Tensor, dim: usize, source: &Tensor) -> VectorPart {
    let target = input.contiguous().selected(dim, 0);
    VectorPart::new([&target, &target, &source.selected(dim, 0)], input.dtype())
}

/// `maximum` or `minimum` of slices, where the vector code keeps another operand on a tie than the
/// scalar code does.
fn extremes(start: &Tensor, dim: usize, index: &Tensor, source: &Tensor, end: End) -> Result<Tensor> {
    use super::numerics::product::Fold as _;
    let part = slice_vectors(start, dim, source);
    with_type!(start.dtype(), T => by_slices::<T>(start, dim, index, source, |position, old, new| {
        if part.holds(position) { end.vector(old, new) } else { end.scalar(old, new) }
    }))
}

/// PyTorch's complaint when a dimension without elements is laid out as if it had some.
pub(crate) fn refuse_restride(input: &Tensor, dim: usize, count: usize) -> Result<()> {
    let mut sizes = input.shape().to_vec();
    sizes[dim] = count;
    if input.shape()[dim] > 0 || sizes.contains(&0) {
        return Ok(());
    }
    let mut strides = input.strides().to_vec();
    strides[dim] = 0;
    let offset = input.offset();
    let last: usize = sizes.iter().zip(&strides).map(|(size, stride)| (size - 1) * stride).sum();
    let itemsize = input.dtype().size();
    Err(Failure::runtime(format!(
        "setStorage: sizes {sizes:?}, strides {strides:?}, storage offset {offset}, and itemsize {itemsize} requiring a \
         storage size of {} are out of bounds for storage of size 0",
        (offset + last + 1) * itemsize
    )))
}

fn index_copy(call: &Call) -> Result {
    let (input, index, source) = (call.tensor("input")?, call.tensor("index")?, call.tensor("source")?);
    let dim = check_copy(call, input, index, source)?;
    let target = at_least_1d(input);
    refuse_restride(&target, dim, index.numel())?;
    refuse_uint32("index_copy_cpu", input.dtype())?;
    let source = at_least_1d(source);
    let size = target.shape()[dim];
    if source.numel() > 0 {
        let outside = |&&index: &&i64| !(0..size as i64).contains(&index);
        if let Some(index) = index.values::<i64>().iter().find(outside) {
            return Err(Failure::index(format!(
                "index_copy_(): index {index} is out of bounds for dimension {dim} with size {size}"
            )));
        }
    }
    if source.numel() == 0 {
        return Ok(input.contiguous().into());
    }
    let copied = with_type!(input.dtype(), T => {
        by_slices::<T>(input, dim, index, &source, |_, _, new| new)
    })?;
    Ok(copied.into())
}

/// Zeros where the source was written, and what lies there for the source.
fn index_copy_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    pass.each(&[
        ("input", &|| cleared(pass.call, &cotangent)),
        ("source", &|| read_slices(pass.call, &cotangent)),
    ])
}

/// A cotangent with zeros at a call's index.
fn cleared(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    eager::call(
        "index_fill",
        [
            ("input", cotangent.into()),
            ("dim", call.required_int("dim")?.into()),
            ("index", call.tensor("index")?.into()),
            ("value", 0.into()),
        ],
    )
}

fn check_copy(call: &Call, input: &Tensor, index: &Tensor, source: &Tensor) -> Result<usize> {
    let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
    if index.dim() > 1 {
        return Err(Failure::index(format!(
            "index_copy_(): Index should have dimension 1 or 0 (got {})",
            index.dim()
        )));
    }
    if source.dim() == 0 && index.numel() != 1 {
        return Err(Failure::index(format!(
            "index_copy_(): When source is scalar, index should have one element (got {})",
            index.numel()
        )));
    }
    if source.dim() != input.dim() && source.dim() != 0 && input.dim() != 0 {
        return Err(Failure::index(format!(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source \
             dimensionality ({}), destination dimensionality ({})",
            source.dim(),
            input.dim()
        )));
    }
    if index.dtype() != DType::Int64 {
        return Err(Failure::runtime(format!(
            "index_copy_(): Expected a long tensor for index, but got {}",
            index.dtype().scalar_type()
        )));
    }
    if input.dtype() != source.dtype() {
        return Err(Failure::runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
            input.dtype().scalar_type(),
            source.dtype().scalar_type()
        )));
    }
    let apart = |tensor: &Tensor| {
        let mut shape = tensor.shape().to_vec();
        if dim < shape.len() {
            shape.remove(dim);
        }
        shape
    };
    let (target, given) = (apart(input), apart(source));
    if target != given {
        let spaced = |shape: &[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        return Err(Failure::runtime(format!(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at \
             dimension {dim} and source slice shape: {} at dimension 0.",
            spaced(&target),
            spaced(&given)
        )));
    }
    let length = source.shape().get(dim).copied();
    match length {
        Some(length) if length != index.numel() => Err(Failure::index(format!(
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({length})",
            index.numel()
        ))),
        _ => Ok(dim),
    }
}

fn index_fill(call: &Call) -> Result {
    let (input, index, value) = (call.tensor("input")?, call.tensor("index")?, call.operand("value")?);
    let number = match &value {
        Operand::Number(number) => *number,
        Operand::Tensor(tensor) if tensor.dim() > 0 => {
            return Err(Failure::runtime(format!(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
                tensor.dim()
            )));
        }
        Operand::Tensor(tensor) => tensor.scalars().next().unwrap_or(Scalar::Int(0)),
    };
    if index.dtype() != DType::Int64 {
        return Err(Failure::index("index_fill_(): Expected dtype int64 for index."));
    }
    let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
    if index.dim() > 1 {
        return Err(Failure::runtime("Index has to be a vector/scalar"));
    }
    refuse_restride(&at_least_1d(&visiting::cloned(input)), dim, index.numel())?;
    refuse_uint32("index_fill_cpu", input.dtype())?;
    check_overflow(number, input.dtype())?;
    Ok(fill(input, dim, index, number)?.into())
}

/// Zeros where the number was written; a value that is a tensor gets the sum of what lies there,
/// every index once, in rising order.
fn index_fill_backward(pass: &Pass) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    pass.each(&[
        ("input", &|| cleared(call, &cotangent)),
        ("value", &|| {
            let mut unique = call.tensor("index")?.values::<i64>().into_owned();
            unique.sort_unstable();
            unique.dedup();
            let unique = Tensor::collect(&[unique.len()], unique);
            let read = eager::call(
                "index_select",
                [
                    ("input", (&cotangent).into()),
                    ("dim", call.required_int("dim")?.into()),
                    ("index", (&unique).into()),
                ],
            )?;
            eager::call("sum", [("input", (&read).into())])
        }),
    ])
}

/// The target with one number at the indexed positions of a dimension.
fn fill(input: &Tensor, dim: usize, index: &Tensor, number: Scalar) -> Result<Tensor> {
    let target = at_least_1d(input);
    let index = wrapped(&target, dim, index)?;
    let mut shape = target.shape().to_vec();
    shape[dim] = index.numel();
    if layout::numel(&shape) == Some(0) {
        return Ok(input.contiguous());
    }
    let source = Tensor::full(&[], number, input.dtype()).expanded(&shape);
    with_type!(input.dtype(), T => by_slices::<T>(input, dim, &index, &source, |_, _, new| new))
}

/// A vector of indices into a dimension, where negative ones count from the end. Where the slices
/// are empty, nobody looks at them.
pub(crate) fn wrapped(target: &Tensor, dim: usize, index: &Tensor) -> Result<Tensor> {
    let size = target.shape()[dim] as i64;
    let empty = target.shape().iter().enumerate().any(|(d, &size)| d != dim && size == 0);
    let wrap = |&index: &i64| match (-size..size).contains(&index) || empty {
        true => Ok(index.rem_euclid(size.max(1))),
        false => Err(out_of_bounds(index, dim, target.shape()[dim])),
    };
    let indices = index.values::<i64>().iter().map(wrap).collect::<Result<Vec<i64>>>()?;
    Ok(Tensor::collect(&[indices.len()], indices))
}

fn put(call: &Call) -> Result {
    let (input, index, source) = (call.tensor("input")?, call.tensor("index")?, call.tensor("source")?);
    if index.dtype() != DType::Int64 {
        return Err(Failure::runtime(format!(
            "put_(): Expected a long tensor for index, but got {}",
            index.dtype().scalar_type()
        )));
    }
    if input.dtype() != source.dtype() {
        return Err(Failure::runtime(format!(
            "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}",
            input.dtype().scalar_type(),
            source.dtype().scalar_type()
        )));
    }
    if source.numel() != index.numel() {
        return Err(Failure::index(format!(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, \
             index.numel() = {}",
            source.numel(),
            index.numel()
        )));
    }
    if index.numel() == 0 {
        return Ok(input.contiguous().into());
    }
    if input.numel() == 0 {
        return Err(Failure::index("put_(): Tried to put elements into an empty tensor"));
    }
    refuse_uint32("take_put_cpu", input.dtype())?;
    let combine = if call.flag("accumulate")? { Combine::Add } else { Combine::Assign };
    with_type!(input.dtype(), T => put_as::<T>(input, index, source, combine)).map(Returned::from)
}

fn put_as<T: Arithmetic>(
    input: &Tensor,
    index: &Tensor,
    source: &Tensor,
    combine: Combine,
) -> Result<Tensor> {
    let index = if index.shape() == source.shape() { index.clone() } else { index.reshaped(source.shape()) };
    let (indices, values) = (index.values::<i64>(), source.values::<T>());
    let mut target = input.values::<T>().into_owned();
    for at in visiting::order(source.shape(), &[source.strides(), index.strides()]) {
        let place = flat(indices[at], target.len())?;
        target[place] = combine.apply(target[place], values[at]);
    }
    Ok(Tensor::collect(input.shape(), target))
}

/// What was put in place of elements takes their gradient; what was added to them shares it.
fn put_backward(pass: &Pass) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    let (index, source) = (call.tensor("index")?, call.tensor("source")?);
    pass.each(&[
        ("input", &|| match call.flag("accumulate")? {
            true => Ok(cotangent.clone()),
            false => eager::call(
                "put",
                [
                    ("input", (&cotangent).into()),
                    ("index", index.into()),
                    ("source", (&eager::zeros_like(source)?).into()),
                ],
            ),
        }),
        ("source", &|| {
            let taken = eager::call("take", [("input", (&cotangent).into()), ("index", index.into())])?;
            Ok(taken.reshaped(source.shape()))
        }),
    ])
}

/// A position in a flattened tensor of `count` elements; negative ones count from the end.
pub(crate) fn flat(index: i64, count: usize) -> Result<usize> {
    let size = count as i64;
    if (-size..size).contains(&index) {
        return Ok(index.rem_euclid(size) as usize);
    }
    Err(Failure::index(format!(
        "out of range: tried to access index {index} on a tensor of {count} elements."
    )))
}

/// A part of a row-major tensor.
struct Part {
    shape: Vec<usize>,
    positions: Positions<Vec<usize>>,
}

impl From<Tensor> for Part {
    fn from(view: Tensor) -> Part {
        let positions = Positions::new(view.shape().to_vec(), view.strides().to_vec(), view.offset());
        Part { shape: view.shape().to_vec(), positions }
    }
}

/// The part of a row-major tensor that a call writes.
type PartOf = fn(&Call, &Tensor) -> Result<Part>;

/// A copy of the input with `src` in place of the elements of a part of it.
fn embed(call: &Call, part: PartOf) -> Result {
    embedded(call, part, call.tensor("input")?, call.tensor("src")?).map(Returned::from)
}

fn embedded(call: &Call, part: PartOf, input: &Tensor, source: &Tensor) -> Result<Tensor> {
    // Made anew, the copy starts where its storage does, so positions are those of the copy.
    let target = input.picked(input.shape(), input.positions());
    let part = part(call, &target)?;
    if part.shape != source.shape() {
        return Err(Failure::runtime(format!(
            "expected src to have a size equal to the slice of self. src size = {:?}, slice size = {:?}",
            source.shape(),
            part.shape
        )));
    }
    fn write<T: Element>(target: &Tensor, part: Part, source: &Tensor) -> Tensor {
        let mut data = target.values::<T>().into_owned();
        for (place, &value) in part.positions.zip(source.values::<T>().iter()) {
            data[place] = value;
        }
        Tensor::collect(target.shape(), data)
    }
    Ok(with_type!(input.dtype(), T => write::<T>(&target, part, source)))
}

/// Zeros in place of the part for the input, and the part for the source.
fn embed_backward(pass: &Pass, part: PartOf) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    let source = call.tensor("src")?;
    pass.each(&[
        ("input", &|| embedded(call, part, &cotangent, &zeros(source.shape(), cotangent.dtype()))),
        ("src", &|| {
            let target = cotangent.picked(cotangent.shape(), cotangent.positions());
            let Part { shape, positions } = part(call, &target)?;
            Ok(target.picked(&shape, positions))
        }),
    ])
}

fn selected_part(call: &Call, target: &Tensor) -> Result<Part> {
    let (dim, index) = (call.required_int("dim")?, call.required_int("index")?);
    super::index::selected(target, dim, index).map(Part::from)
}

fn sliced_part(call: &Call, target: &Tensor) -> Result<Part> {
    let dim = call.int("dim")?.unwrap_or(0);
    let step = call.int("step")?.unwrap_or(1);
    let (start, end) = (call.int("start")?, call.int("end")?);
    if target.dim() == 0 {
        return Err(Failure::index("slice() cannot be applied to a 0-dim tensor."));
    }
    let dim = dims::wrap(dim, target.dim())?;
    if step <= 0 {
        return Err(Failure::runtime("slice step must be positive"));
    }
    Ok(super::brackets::sliced(target, dim, [start, end], step)?.into())
}

fn diagonal_part(call: &Call, target: &Tensor) -> Result<Part> {
    let offset = call.int("offset")?.unwrap_or(0);
    let (dim1, dim2) = (call.int("dim1")?.unwrap_or(0), call.int("dim2")?.unwrap_or(1));
    let (first, second) = (dims::wrap(dim1, target.dim())?, dims::wrap(dim2, target.dim())?);
    if first == second {
        return Err(Failure::runtime(format!("diagonal dimensions cannot be identical {dim1}, {dim2}")));
    }
    Ok(diagonal(target, offset, first, second))
}

/// The elements whose position in `second` is `offset` more than in `first`; their dimension
/// comes last.
fn diagonal(tensor: &Tensor, offset: i64, first: usize, second: usize) -> Part {
    let distance = |offset: i64| usize::try_from(offset.max(0)).unwrap_or(usize::MAX);
    let (down, right) = (distance(offset.saturating_neg()), distance(offset));
    let (shape, strides) = (tensor.shape(), tensor.strides());
    let length = shape[first].saturating_sub(down).min(shape[second].saturating_sub(right));
    let start = if length == 0 { 0 } else { down * strides[first] + right * strides[second] };
    let rest = || (0..shape.len()).filter(|&d| d != first && d != second);
    let sizes: Vec<usize> = rest().map(|d| shape[d]).chain([length]).collect();
    let steps: Vec<usize> =
        rest().map(|d| strides[d]).chain([strides[first].wrapping_add(strides[second])]).collect();
    Part { shape: sizes.clone(), positions: Positions::new(sizes, steps, start) }
}
