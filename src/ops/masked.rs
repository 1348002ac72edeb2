//! By condition: `where`, `masked_fill`, `masked_select`, `masked_scatter`, `nonzero`, `argwhere`.
//!
//! A condition or mask is a bool tensor; PyTorch still takes uint8 as a condition of `where`, with
//! a warning. What is not 0 is nonzero, NaN included.

use std::hint::select_unpredictable;

use super::call::{Call, Failure, Result, Returned, Value, refuse_uint32};
use super::numerics::runs::{BLOCK, Runs, extend_blocks};
use super::numerics::zip::along_memory;
use super::pointwise::broadcast_shapes;
use super::promotion::{Operand, check_overflow, result_type};
use super::scatter::at_least_1d;
use super::{Backward, Gradients, Op, Pass, eager};
use crate::cpu::vectorised;
use crate::tensor::{DType, Element, Scalar, Tensor, layout};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "where",
        parameters: &["condition", "input", "other"],
        forward: where_,
        backward: Backward::Rule(where_backward),
    },
    Op {
        name: "masked_fill",
        parameters: &["input", "mask", "value"],
        forward: masked_fill,
        backward: Backward::Rule(masked_fill_backward),
    },
    Op {
        name: "masked_select",
        parameters: &["input", "mask"],
        forward: masked_select,
        backward: Backward::Rule(masked_select_backward),
    },
    Op {
        name: "masked_scatter",
        parameters: &["input", "mask", "source"],
        forward: masked_scatter,
        backward: Backward::Rule(masked_scatter_backward),
    },
    Op { name: "nonzero", parameters: &["input", "as_tuple"], forward: nonzero, backward: Backward::Never },
    Op { name: "argwhere", parameters: &["input"], forward: argwhere, backward: Backward::Never },
];

fn where_(call: &Call) -> Result {
    let condition = call.tensor("condition")?;
    if call.get("input").is_none() && call.get("other").is_none() {
        return positions_by_dim(condition);
    }
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
    Ok(Returned { outputs: vec![choose_along(&condition.expanded(&shape), &input, &other)], warnings })
}

/// `input` where the condition holds, else `other`; three operands of one shape, whose memory order
/// the result follows.
fn choose_along(condition: &Tensor, input: &Tensor, other: &Tensor) -> Tensor {
    with_type!(input.dtype(), T => along_memory([condition, input, other], chosen::<T>))
}

/// The same in row-major order.
fn choose(condition: &Tensor, input: &Tensor, other: &Tensor) -> Tensor {
    with_type!(input.dtype(), T => Tensor::collect(condition.shape(), chosen::<T>([condition, input, other])))
}

fn chosen<T: Element>(operands: [&Tensor; 3]) -> Vec<T> {
    let mut chosen = Vec::with_capacity(operands[0].numel());
    let [condition, input, other] = operands;
    let runs = Runs::new([(condition, DType::Bool), (input, T::DTYPE), (other, T::DTYPE)]);
    let (condition, input, other) = (runs.operand::<bool>(0), runs.operand::<T>(1), runs.operand::<T>(2));
    let branches = input.runs().zip(other.runs());
    let mut rests = ([false; BLOCK], [T::default(); BLOCK], [T::default(); BLOCK]);
    vectorised(
        #[inline(always)]
        || {
            for (condition, (input, other)) in condition.runs().zip(branches) {
                let condition = condition.blocks(&mut rests.0);
                let (input, other) = (input.blocks(&mut rests.1), other.blocks(&mut rests.2));
                extend_blocks(
                    &mut chosen,
                    runs.length(),
                    #[inline(always)]
                    |number| {
                        let condition = condition.block(number);
                        let (input, other) = (input.block(number), other.block(number));
                        // Not a branch, which would be guessed wrong half the time.
                        #[inline(always)]
                        move |at| select_unpredictable(condition[at], input[at], other[at])
                    },
                );
            }
        },
    );
    chosen
}

/// Each branch has the cotangent where it was chosen, and 0 elsewhere.
fn where_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let condition = pass.call.tensor("condition")?;
    pass.each(&[
        ("input", &|| eager::where_(condition, &cotangent, 0)),
        ("other", &|| eager::where_(condition, 0, &cotangent)),
    ])
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
            mask.dtype().cpp_name()
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

/// What was overwritten has 0; the value has the sum of what it overwrote.
fn masked_fill_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let mask = pass.call.tensor("mask")?;
    pass.each(&[
        ("input", &|| eager::masked_zero(&cotangent, mask)),
        ("value", &|| eager::call("sum", [("input", (&eager::masked_select(&cotangent, mask)?).into())])),
    ])
}

/// A mask and what it applies to, broadcast to one shape; the mask comes first in a complaint.
fn broadcast_with_mask(mask: &Tensor, input: &Tensor) -> Result<[Tensor; 2]> {
    let shape = broadcast_shapes([mask.shape(), input.shape()])?;
    Ok([mask.expanded(&shape), input.expanded(&shape)])
}

fn masked_select(call: &Call) -> Result {
    let (input, mask) = (call.tensor("input")?, call.tensor("mask")?);
    if mask.dtype() != DType::Bool {
        return Err(Failure::runtime("masked_select: expected BoolTensor for mask"));
    }
    let [mask, input] = broadcast_with_mask(mask, input)?;
    let mask = mask.values::<bool>();
    let count = mask.iter().filter(|&&chosen| chosen).count();
    if count > 0 {
        refuse_uint32("masked_select", input.dtype())?;
    }
    let chosen = input.positions().zip(mask.iter()).filter(|&(_, &chosen)| chosen).map(|(place, _)| place);
    Ok(input.picked(&[count], chosen).into())
}

/// Zeros in which the cotangent's elements go back to their places.
fn masked_select_backward(pass: &Pass) -> Result<Gradients> {
    let (input, mask) = (pass.call.tensor("input")?, pass.call.tensor("mask")?);
    let shape = broadcast_shapes([input.shape(), mask.shape()])?;
    let zeros = Tensor::full(&shape, Scalar::Int(0), input.dtype());
    pass.each(&[("input", &|| {
        let source = (&pass.cotangent(0)?).into();
        eager::call("masked_scatter", [("input", (&zeros).into()), ("mask", mask.into()), ("source", source)])
    })])
}

fn masked_scatter(call: &Call) -> Result {
    let (input, mask, source) = (call.tensor("input")?, call.tensor("mask")?, call.tensor("source")?);
    let [wide_mask, input] = broadcast_with_mask(mask, input)?;
    if input.dtype() != source.dtype() {
        return Err(Failure::runtime(format!(
            "masked_scatter: expected self and source to have same dtypes but got{} and {}",
            input.dtype().scalar_type(),
            source.dtype().scalar_type()
        )));
    }
    if mask.dtype() != DType::Bool {
        return Err(Failure::runtime(format!(
            "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
            mask.dtype().scalar_type()
        )));
    }
    refuse_uint32("masked_scatter", input.dtype())?;
    let mask = wide_mask.values::<bool>();
    if mask.iter().filter(|&&chosen| chosen).count() > source.numel() {
        return Err(Failure::runtime("Number of elements of source < number of ones in mask"));
    }
    fn replace<T: Element>(input: &Tensor, mask: &[bool], source: &Tensor) -> Tensor {
        let given = source.values::<T>();
        let mut given = given.iter();
        let old = input.values::<T>();
        let pairs = old.iter().zip(mask);
        let values =
            pairs.map(|(&old, &chosen)| if chosen { given.next().copied().unwrap_or(old) } else { old });
        Tensor::collect(input.shape(), values)
    }
    Ok(with_type!(input.dtype(), T => replace::<T>(&input, &mask, source)).into())
}

/// What was overwritten has 0; of the source, elements that were not needed have 0.
fn masked_scatter_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (mask, source) = (pass.call.tensor("mask")?, pass.call.tensor("source")?);
    pass.each(&[
        ("input", &|| eager::masked_zero(&cotangent, mask)),
        ("source", &|| {
            let needed = eager::masked_select(&cotangent, mask)?;
            let rest = source.numel().saturating_sub(needed.numel());
            let zeros = Tensor::full(&[rest], Scalar::Int(0), cotangent.dtype());
            let tensors = Value::Tensors(vec![Some(needed), Some(zeros)]);
            Ok(eager::call("cat", [("tensors", tensors)])?.reshaped(source.shape()))
        }),
    ])
}

/// Row-major positions of what is not 0.
fn hits(input: &Tensor) -> Result<Vec<usize>> {
    refuse_uint32("nonzero_count_cpu", input.dtype())?;
    Ok(input.scalars().enumerate().filter(|(_, value)| value.to_bool()).map(|(flat, _)| flat).collect())
}

/// The position along each dimension of every hit: one vector per dimension.
pub(crate) fn unravelled(hits: &[usize], shape: &[usize]) -> Vec<Vec<i64>> {
    let strides = layout::contiguous_strides(shape);
    let along =
        |(&size, stride): (&usize, usize)| hits.iter().map(|flat| (flat / stride % size) as i64).collect();
    shape.iter().zip(strides).map(along).collect()
}

fn nonzero(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if call.flag("as_tuple")? { positions_by_dim(input) } else { positions(input) }
}

fn argwhere(call: &Call) -> Result {
    positions(call.tensor("input")?)
}

/// One row of positions per hit.
fn positions(input: &Tensor) -> Result {
    let hits = hits(input)?;
    let columns = unravelled(&hits, input.shape());
    let rows = (0..hits.len()).flat_map(|row| columns.iter().map(move |column| column[row]));
    Ok(Tensor::collect(&[hits.len(), input.dim()], rows).into())
}

/// One vector of positions per dimension; a 0-d tensor has one.
fn positions_by_dim(input: &Tensor) -> Result {
    let input = at_least_1d(input);
    let columns = unravelled(&hits(&input)?, input.shape());
    let outputs = columns.into_iter().map(|column| Tensor::collect(&[column.len()], column)).collect();
    Ok(Returned { outputs, warnings: Vec::new() })
}
