//! Writes at brackets and index tensors: `setitem` (`tensor[...] = value` on a copy) and
//! `index_put`.
//!
//! Without index tensors a view is overwritten, with conversion to its dtype. With them the value
//! must have the target's dtype and broadcasts to what the indices pick; one mask with a value of
//! one element is a `masked_fill`. Where writes meet, they come in the order in which PyTorch's
//! iterator visits target, value and indices.

use super::autograd::fitting;
use super::brackets::{self, Indexed, Picked, check_mask, indexed, is_mask};
use super::call::{Call, Failure, Result, Returned, Value, refuse_uint32};
use super::eager;
use super::index::type_name;
use super::index_into::{refuse_restride, wrapped};
use super::numerics::accumulate::{Arithmetic, Combine};
use super::promotion::{Operand, check_overflow};
use super::visiting;
use super::{Backward, Gradients, Op, Pass};
use crate::tensor::{DType, Tensor, layout};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "setitem",
        parameters: &["input", "index", "value", "*"],
        forward: setitem,
        backward: Backward::Rule(setitem_backward),
    },
    Op {
        name: "index_put",
        parameters: &["input", "indices", "values", "accumulate"],
        forward: index_put,
        backward: Backward::Rule(index_put_backward),
    },
];

fn setitem(call: &Call) -> Result {
    let value = call.operand("value")?;
    let target = visiting::cloned(call.tensor("input")?);
    let Indexed { view, tensors, mut warnings } = indexed(call, &target)?;
    // A number at one index tensor that is a vector or lies row-major is an `index_fill`.
    let filled = match (tensors.as_slice(), &value) {
        ([(dim, index)], Operand::Number(_))
            if index.dtype() == DType::Int64 && (index.dim() <= 1 || index.is_contiguous()) =>
        {
            refuse_restride(&view, *dim, index.numel())?;
            refuse_uint32("index_fill_cpu", view.dtype())?;
            Some((*dim, index))
        }
        _ => None,
    };
    let value = match value {
        Operand::Tensor(value) => value.clone(),
        Operand::Number(number) => {
            // One element is copied and not filled, from a tensor that a 16-bit float is made into
            // unchecked.
            let copied = tensors.is_empty() && view.dim() == 0;
            if !(copied && target.dtype().is_floating() && target.dtype().size() == 2) {
                check_overflow(number, target.dtype())?;
            }
            Tensor::full(&[], number, target.dtype())
        }
    };
    if let Some((dim, index)) = filled {
        wrapped(&view, dim, index)?;
        if view.shape()[dim] == 0 {
            return Ok(Returned { outputs: vec![target], warnings });
        }
    }
    if tensors.is_empty() {
        let value = expanded_into(&view, &value)?;
        let positions: Vec<usize> = view.positions().collect();
        let order = 0..positions.len();
        let output = write(&target, &positions, &value, order, Combine::Assign);
        return Ok(Returned { outputs: vec![output], warnings });
    }
    let value = without_leading_ones(&value);
    if fills(&value, &tensors) {
        warnings.clear();
    }
    let output = put(&target, &view, &tensors, &value, Combine::Assign)?;
    Ok(Returned { outputs: vec![output], warnings })
}

/// A value over the shape of a view, as `copy_` after `expand` takes it.
fn expanded_into(view: &Tensor, value: &Tensor) -> Result<Tensor> {
    if value.shape() == view.shape() {
        return Ok(value.clone());
    }
    let value = without_leading_ones(value);
    let Some(missing) = view.dim().checked_sub(value.dim()) else {
        return Err(Failure::runtime(format!(
            "expand({}{{{:?}}}, size={:?}): the number of sizes provided ({}) must be greater or equal to \
             the number of dimensions in the tensor ({})",
            type_name(value.dtype()),
            value.shape(),
            view.shape(),
            view.dim(),
            value.dim()
        )));
    };
    for (d, (&own, &wanted)) in value.shape().iter().zip(&view.shape()[missing..]).enumerate().rev() {
        if own != wanted && own != 1 {
            return Err(Failure::runtime(format!(
                "The expanded size of the tensor ({wanted}) must match the existing size ({own}) at non-singleton \
                 dimension {}.  Target sizes: {:?}.  Tensor sizes: {:?}",
                missing + d,
                view.shape(),
                value.shape()
            )));
        }
    }
    Ok(value.expanded(view.shape()))
}

/// The view without the dimensions of size 1 that come first.
fn without_leading_ones(value: &Tensor) -> Tensor {
    let ones = value.shape().iter().take_while(|&&size| size == 1).count();
    (0..ones).fold(value.clone(), |value, _| value.selected(0, 0))
}

fn index_put(call: &Call) -> Result {
    let (input, value) = (call.tensor("input")?, call.tensor("values")?);
    let Indexed { tensors, warnings, .. } = index_tensors(call)?;
    let combine = if call.flag("accumulate")? { Combine::Add } else { Combine::Assign };
    let target = visiting::cloned(input);
    let output = put(&target, &target, &tensors, value, combine)?;
    Ok(Returned { outputs: vec![output], warnings })
}

/// The index tensors of a call, each with the first dimension that it indexes, and the warnings.
fn index_tensors(call: &Call) -> Result<Indexed> {
    let view = call.tensor("input")?.clone();
    let rank = view.dim();
    let given = match call.get("indices") {
        Some(Value::Tensors(tensors)) => tensors,
        _ => return Err(Failure::Unsupported("index_put: indices that are not a list of tensors".into())),
    };
    if given.len() > rank {
        return Err(Failure::index(format!(
            "too many indices for tensor of dimension {rank} (got {})",
            given.len()
        )));
    }
    let (mut dim, mut tensors, mut warnings) = (0, Vec::new(), Vec::new());
    for tensor in given {
        let Some(tensor) = tensor else {
            dim += 1;
            continue;
        };
        if is_mask(tensor) && tensor.dim() == 0 {
            return Err(Failure::Unsupported("index_put: a mask without dimensions".into()));
        }
        if tensor.dtype() == DType::UInt8 {
            warnings.push(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
                    .into(),
            );
        }
        tensors.push((dim, tensor.clone()));
        dim += if is_mask(tensor) { tensor.dim() } else { 1 };
    }
    if tensors.is_empty() {
        return Err(Failure::Unsupported("index_put: no index tensors".into()));
    }
    Ok(Indexed { view, tensors, warnings })
}

/// What was put in place of elements takes their gradient; what was added to them shares it.
fn index_put_backward(pass: &Pass) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    let Indexed { tensors, .. } = index_tensors(call)?;
    let values = call.tensor("values")?;
    pass.each(&[
        ("input", &|| match call.flag("accumulate")? {
            true => Ok(cotangent.clone()),
            false => {
                let target = visiting::cloned(&cotangent);
                put(&target, &target, &tensors, &eager::zeros_like(values)?, Combine::Assign)
            }
        }),
        ("values", &|| fitting(brackets::gather(&cotangent, &tensors)?, values, "IndexPut", 1)),
    ])
}

/// Zeros of some shape with a cotangent added at index tensors: the way back through reading there.
pub(crate) fn added(start: &Tensor, tensors: &[(usize, Tensor)], cotangent: &Tensor) -> Result<Tensor> {
    put(start, start, tensors, cotangent, Combine::Add)
}

/// Zeros at the brackets for the input; for a value what lies there, in the value's dtype and
/// summed to its shape.
fn setitem_backward(pass: &Pass) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    pass.each(&[
        ("input", &|| {
            let mut zeroed = call.clone();
            zeroed.args.insert("input".into(), (&cotangent).into());
            zeroed.args.insert("value".into(), 0.into());
            let output = setitem(&zeroed)?.outputs.pop();
            output.ok_or_else(|| Failure::Unsupported("setitem: no output".into()))
        }),
        ("value", &|| value_backward(call, &cotangent)),
    ])
}

/// Of a cotangent under brackets that are a view PyTorch takes a row-major copy. A value without
/// dimensions that fills a view gets one sum over it all.
fn value_backward(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    let value = call.tensor("value")?;
    let Indexed { view, tensors, .. } = indexed(call, cotangent)?;
    let is_whole = view.shape() == cotangent.shape() && view.strides() == cotangent.strides();
    let shown = if is_whole { cotangent.clone() } else { view.contiguous() };
    let is_fit = tensors.is_empty() && value.shape() == view.shape();
    let own = if is_fit { value.clone() } else { without_leading_ones(value) };
    let taken = match tensors.is_empty() {
        true if value.dim() == 0 && view.dim() > 0 => {
            return eager::call("sum", [("input", (&shown).into())]);
        }
        true => shown.to_dtype(value.dtype()),
        false => fitting(brackets::gather(&shown, &tensors)?, &own, "IndexPut", 1)?,
    };
    Ok(eager::sum_to(&taken, own.shape())?.reshaped(value.shape()))
}

/// Whether a write comes down to `masked_fill`.
fn fills(value: &Tensor, tensors: &[(usize, Tensor)]) -> bool {
    value.numel() == 1 && matches!(tensors, [(_, mask)] if is_mask(mask))
}

/// Writes a value at index tensors of a view of the target.
fn put(
    target: &Tensor,
    view: &Tensor,
    tensors: &[(usize, Tensor)],
    value: &Tensor,
    combine: Combine,
) -> Result<Tensor> {
    if combine == Combine::Assign && fills(value, tensors) {
        let (dim, mask) = &tensors[0];
        check_mask(view, *dim, mask)?;
        if mask.dtype() != DType::Bool {
            return Err(Failure::runtime(
                "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char",
            ));
        }
        refuse_uint32("masked_fill", target.dtype())?;
        value.scalars().try_for_each(|number| check_overflow(number, target.dtype()))?;
        let value = value.reshaped(&[]).to_dtype(target.dtype());
        return put_at(target, &Picked::new(view, tensors)?, &value, combine);
    }
    let picked = Picked::new(view, tensors)?;
    if layout::broadcast(value.shape(), &picked.shape).as_deref() != Ok(&picked.shape) {
        return Err(Failure::runtime(format!(
            "shape mismatch: value tensor of shape {:?} cannot be broadcast to indexing result of shape {:?}",
            value.shape(),
            picked.shape
        )));
    }
    if value.dtype() != target.dtype() {
        return Err(Failure::runtime(format!(
            "Index put requires the source and destination dtypes match, got {} for the destination and {} for the \
             source.",
            target.dtype().scalar_type(),
            value.dtype().scalar_type()
        )));
    }
    refuse_uint32("index_put", target.dtype())?;
    put_at(target, &picked, value, combine)
}

fn put_at(target: &Tensor, picked: &Picked, value: &Tensor, combine: Combine) -> Result<Tensor> {
    let value = value.expanded(&picked.shape);
    let operands = picked.operands(Some(value.strides()));
    let positions = picked.positions(&operands)?;
    let order = visiting::order(&picked.shape, &operands);
    Ok(write(target, &positions, &value, order, combine))
}

/// Combines a value with the target's elements at some positions, both row-major, in an order.
fn write(
    target: &Tensor,
    positions: &[usize],
    value: &Tensor,
    order: impl Iterator<Item = usize>,
    combine: Combine,
) -> Tensor {
    fn each<T: Arithmetic>(
        target: &Tensor,
        positions: &[usize],
        value: &Tensor,
        order: impl Iterator<Item = usize>,
        combine: Combine,
    ) -> Tensor {
        let mut data = T::peek(target.storage()).unwrap_or_default().to_vec();
        let values = value.values::<T>();
        for at in order {
            let place = &mut data[positions[at]];
            *place = combine.apply(*place, values[at]);
        }
        let written = Tensor::strided(target.shape(), target.strides(), target.offset(), T::store(data));
        // The layout is the target's own, so it fits.
        written.unwrap_or_else(|_| target.clone())
    }
    with_type!(target.dtype(), T => each::<T>(target, positions, value, order, combine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Scalar;

    fn call(op: &str, args: Vec<(&str, Value)>) -> Call {
        let args = args.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Call { op: op.into(), args }
    }

    fn values(result: Result) -> Vec<f32> {
        result.unwrap().outputs[0].values::<f32>().into_owned()
    }

    fn repeated(accumulate: bool) -> Call {
        let index = Tensor::new(&[3], vec![1i64, 1, -1]).unwrap();
        call(
            "index_put",
            vec![
                ("input", Value::Tensor(Tensor::new(&[2], vec![0.5f32, 0.5]).unwrap())),
                ("indices", Value::Tensors(vec![Some(index)])),
                ("values", Value::Tensor(Tensor::new(&[3], vec![1.0f32, 2.0, 4.0]).unwrap())),
                ("accumulate", Value::Scalar(Scalar::Bool(accumulate))),
            ],
        )
    }

    #[test]
    fn repeated_indices_add_up_or_the_last_one_stays() {
        assert_eq!(values(index_put(&repeated(true))), [0.5, 7.5]);
        assert_eq!(values(index_put(&repeated(false))), [0.5, 4.0]);
    }

    #[test]
    fn an_assignment_leaves_the_other_elements() {
        let item = |index: Vec<Value>, value: Value| {
            let input = Tensor::new(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0]).unwrap();
            setitem(&call(
                "setitem",
                vec![("input", Value::Tensor(input)), ("index", Value::List(index)), ("value", value)],
            ))
        };
        let last = vec![Value::Str("...".into()), Value::Scalar(Scalar::Int(-1))];
        assert_eq!(values(item(last, Value::Scalar(Scalar::Int(9)))), [1.0, 9.0, 3.0, 9.0]);
        let row = Tensor::new(&[3], vec![1.0f32; 3]).unwrap();
        let message = "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension \
                       0.  Target sizes: [2].  Tensor sizes: [3]";
        let refused = item(vec![Value::Scalar(Scalar::Int(0))], Value::Tensor(row)).unwrap_err();
        assert_eq!(refused, Failure::runtime(message));
    }
}
