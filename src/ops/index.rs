//! Indexing functions: `select`, `narrow`, `index_select`, `gather`, `embedding`, `where`,
//! `masked_fill`.
//!
//! Indices are int32 or int64 and never wrap, except in `select` and `narrow`; one out of range
//! is refused with the words of the kernel that would have read it.

use super::call::{Call, Failure, Result, Returned, refuse_uint32};
use super::dims;
use super::pointwise::broadcast_shapes;
use super::promotion::{Operand, check_overflow, result_type};
use super::{Backward, Op};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "select",
        parameters: &["input", "dim", "index"],
        forward: select,
        backward: Backward::Unwritten,
    },
    Op {
        name: "narrow",
        parameters: &["input", "dim", "start", "length"],
        forward: narrow,
        backward: Backward::Unwritten,
    },
    Op {
        name: "index_select",
        parameters: &["input", "dim", "index"],
        forward: index_select,
        backward: Backward::Unwritten,
    },
    Op {
        name: "gather",
        parameters: &["input", "dim", "index"],
        forward: gather,
        backward: Backward::Unwritten,
    },
    Op {
        name: "embedding",
        parameters: &["input", "weight", "padding_idx"],
        forward: embedding,
        backward: Backward::Unwritten,
    },
    Op {
        name: "where",
        parameters: &["condition", "input", "other"],
        forward: where_,
        backward: Backward::Unwritten,
    },
    Op {
        name: "masked_fill",
        parameters: &["input", "mask", "value"],
        forward: masked_fill,
        backward: Backward::Unwritten,
    },
];

fn select(call: &Call) -> Result {
    let (input, dim, index) = (call.tensor("input")?, call.required_int("dim")?, call.required_int("index")?);
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
    Ok(input.selected(wrapped, index.rem_euclid(size) as usize).into())
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
    let source = if input.dim() == 0 { input.reshaped(&[1]) } else { input.clone() };
    let size = source.shape()[dim];
    let indices = index.values::<i64>();
    // Rows of dimension 1 are copied by a kernel of its own, which complains in its own words.
    let refuse = |value: i64| match dim {
        1 => Failure::runtime(format!("INDICES element is out of DATA bounds, id={value} axis_dim={size}")),
        _ => Failure::index("index out of range in self"),
    };
    let picked = pick(&source, dim, &indices, refuse)?;
    Ok(if input.dim() == 0 { picked.reshaped(&[]) } else { picked }.into())
}

/// The slices of `dim` at some positions, in their order, row-major.
fn pick(source: &Tensor, dim: usize, indices: &[i64], refuse: impl Fn(i64) -> Failure) -> Result<Tensor> {
    let size = source.shape()[dim];
    if let Some(&outside) = indices.iter().find(|&&index| index < 0 || index >= size as i64) {
        return Err(refuse(outside));
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

fn gather(call: &Call) -> Result {
    let (input, dim, index) = (call.tensor("input")?, call.required_int("dim")?, call.tensor("index")?);
    let dim = dims::wrap(dim, input.dim())?;
    if index.numel() == 0 {
        return Ok(Tensor::full(index.shape(), Scalar::Int(0), input.dtype()).into());
    }
    if !is_index(index) {
        return Err(Failure::runtime("gather(): Expected dtype int32/int64 for index"));
    }
    let at_least_1d =
        |tensor: &Tensor| if tensor.dim() == 0 { tensor.reshaped(&[1]) } else { tensor.clone() };
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
    let (size, stride) = (source.shape()[dim], source.strides()[dim]);
    let indices = wide_index.values::<i64>();
    if let Some(outside) = indices.iter().find(|&&value| value < 0 || value >= size as i64) {
        return Err(Failure::runtime(format!(
            "index {outside} is out of bounds for dimension {dim} with size {size}"
        )));
    }
    // Walk the source over the index's shape with the gathered dimension held at 0.
    let mut walk = source.strides().to_vec();
    walk[dim] = 0;
    let starts = crate::tensor::layout::Positions::new(wide_index.shape(), walk.as_slice(), source.offset());
    let positions = starts.zip(indices.iter()).map(|(start, &value)| start + value as usize * stride);
    Ok(source.picked(index.shape(), positions).into())
}

fn embedding(call: &Call) -> Result {
    let (indices, weight) = (call.tensor("input")?, call.tensor("weight")?);
    if let Some(padding) = call.int("padding_idx")? {
        let rows = weight.shape().first().map_or(0, |&rows| rows as i64);
        if padding >= rows || padding < -rows {
            return Err(Failure::Raised(
                super::Exception::ValueError,
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
             torch.{}Tensor instead (while checking arguments for embedding)",
            indices.dtype().scalar_type()
        )));
    }
    let rows = pick(weight, 0, &indices.values::<i64>(), |_| Failure::index("index out of range in self"))?;
    let shape: Vec<usize> = indices.shape().iter().chain(&weight.shape()[1..]).copied().collect();
    Ok(rows.reshaped(&shape).into())
}

fn where_(call: &Call) -> Result {
    let condition = call.tensor("condition")?;
    let branches = [call.operand("input")?, call.operand("other")?];
    let mut warnings = Vec::new();
    match condition.dtype() {
        DType::Bool => {}
        DType::UInt8 => warnings.push(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future \
             version of PyTorch. Use a boolean condition instead."
                .into(),
        ),
        other => {
            return Err(Failure::runtime(format!(
                "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
                other.scalar_type()
            )));
        }
    }
    let dtype = result_type(&branches)?;
    for branch in &branches {
        // A number becomes a 0-d tensor; only for the 16-bit floats it does so unchecked.
        if let Operand::Number(number) = branch
            && !(dtype.is_floating() && dtype.size() == 2)
        {
            check_overflow(*number, dtype)?;
        }
    }
    let shape = broadcast_shapes([condition.shape(), branches[0].shape(), branches[1].shape()])?;
    let [input, other] = branches.map(|branch| branch.to_tensor(dtype).expanded(&shape));
    Ok(Returned { outputs: vec![choose(&condition.expanded(&shape), &input, &other)], warnings })
}

/// `input` where the condition holds, else `other`; three operands of one shape.
fn choose(condition: &Tensor, input: &Tensor, other: &Tensor) -> Tensor {
    let shape = condition.shape();
    let condition = condition.values::<bool>();
    with_type!(input.dtype(), T => {
        let (input, other) = (input.values::<T>(), other.values::<T>());
        let branches = input.iter().zip(other.iter());
        let chosen = condition.iter().zip(branches).map(|(&yes, (&input, &other))| if yes { input } else { other });
        Tensor::collect(shape, chosen)
    })
}

/// The name that the compiler gives a dtype's C++ type.
fn cpp_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Float64 => "double",
        DType::Float32 => "float",
        DType::Float16 => "c10::Half",
        DType::BFloat16 => "c10::BFloat16",
        DType::Int64 => "long int",
        DType::Int32 => "int",
        DType::Int16 => "short int",
        DType::Int8 => "signed char",
        DType::UInt8 => "unsigned char",
        DType::UInt32 => "unsigned int",
        DType::Bool => "bool",
    }
}

fn masked_fill(call: &Call) -> Result {
    let (input, mask, value) = (call.tensor("input")?, call.tensor("mask")?, call.operand("value")?);
    if let Operand::Tensor(tensor) = value
        && tensor.dim() > 0
    {
        return Err(Failure::runtime(format!(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            tensor.dim()
        )));
    }
    let shape = broadcast_shapes([mask.shape(), input.shape()])?;
    if mask.dtype() != DType::Bool {
        return Err(Failure::runtime(format!(
            "masked_fill_ only supports boolean masks, but got mask with dtype {}",
            cpp_name(mask.dtype())
        )));
    }
    refuse_uint32("masked_fill", input.dtype())?;
    match &value {
        Operand::Tensor(value) => {
            value.scalars().try_for_each(|number| check_overflow(number, input.dtype()))?
        }
        Operand::Number(number) => check_overflow(*number, input.dtype())?,
    }
    let value = value.to_tensor(input.dtype()).expanded(&shape);
    Ok(choose(&mask.expanded(&shape), &value, &input.expanded(&shape)).into())
}
