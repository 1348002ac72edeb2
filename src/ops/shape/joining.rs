//! Several tensors at once: `cat`, `stack` and their kin, `broadcast_tensors`, `meshgrid`,
//! `cartesian_prod`. Joined tensors are promoted to their common dtype.

use super::arguments::tensors;
use super::gradients::zeros;
use super::views::{at_least, reshaped_in_place};
use crate::ops::call::{Call, Exception, Failure, Result, Returned, Value};
use crate::ops::pointwise::broadcast_shapes;
use crate::ops::promotion::{Operand, result_type};
use crate::ops::{Backward, Gradients, Op, Pass, dims, eager};
use crate::tensor::{Element, Tensor};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op { name: "cat", parameters: &["tensors", "dim"], forward: cat, backward: Backward::Rule(cat_backward) },
    Op {
        name: "concat",
        parameters: &["tensors", "dim"],
        forward: cat,
        backward: Backward::Rule(cat_backward),
    },
    Op {
        name: "concatenate",
        parameters: &["tensors", "dim"],
        forward: cat,
        backward: Backward::Rule(cat_backward),
    },
    Op {
        name: "stack",
        parameters: &["tensors", "dim"],
        forward: stack,
        backward: Backward::Rule(stack_backward),
    },
    Op {
        name: "hstack",
        parameters: &["tensors"],
        forward: hstack,
        backward: Backward::Rule(hstack_backward),
    },
    Op {
        name: "vstack",
        parameters: &["tensors"],
        forward: vstack,
        backward: Backward::Rule(vstack_backward),
    },
    Op {
        name: "row_stack",
        parameters: &["tensors"],
        forward: vstack,
        backward: Backward::Rule(vstack_backward),
    },
    Op {
        name: "dstack",
        parameters: &["tensors"],
        forward: dstack,
        backward: Backward::Rule(dstack_backward),
    },
    Op {
        name: "column_stack",
        parameters: &["tensors"],
        forward: column_stack,
        backward: Backward::Rule(column_stack_backward),
    },
    Op {
        name: "broadcast_tensors",
        parameters: &["tensors"],
        forward: broadcast_tensors,
        backward: Backward::Rule(broadcast_tensors_backward),
    },
    Op {
        name: "meshgrid",
        parameters: &["tensors", "indexing"],
        forward: meshgrid,
        backward: Backward::Rule(meshgrid_backward),
    },
    Op {
        name: "cartesian_prod",
        parameters: &["tensors"],
        forward: cartesian_prod,
        backward: Backward::Rule(cartesian_prod_backward),
    },
];

fn cat(call: &Call) -> Result {
    Ok(concatenated(&tensors(call, "tensors")?, call.int("dim")?.unwrap_or(0))?.into())
}

/// Whether a tensor is passed over by `cat` whatever the others look like: a vector of no
/// elements, which stood for "nothing yet" in early PyTorch.
fn is_legacy_empty(tensor: &Tensor) -> bool {
    tensor.shape() == [0]
}

/// PyTorch's `cat`.
pub(super) fn concatenated(tensors: &[&Tensor], dim: i64) -> Result<Tensor> {
    if tensors.is_empty() {
        let message = "torch.cat(): expected a non-empty list of Tensors";
        return Err(Failure::Raised(Exception::ValueError, message.into()));
    }
    if let Some(position) = tensors.iter().position(|tensor| tensor.dim() == 0) {
        return Err(Failure::runtime(format!(
            "zero-dimensional tensor (at position {position}) cannot be concatenated"
        )));
    }
    let parts: Vec<(usize, &Tensor)> =
        tensors.iter().copied().enumerate().filter(|(_, tensor)| !is_legacy_empty(tensor)).collect();
    let dim = match parts.first() {
        Some((_, first)) => dims::wrap(dim, first.dim())?,
        None => 0,
    };
    let operands: Vec<Operand> = tensors.iter().map(|tensor| Operand::Tensor(tensor)).collect();
    let dtype = result_type(&operands)?;
    let Some(&(_, first)) = parts.first() else {
        return Ok(tensors[0].to_dtype(dtype));
    };
    for &(number, part) in &parts[1..] {
        check_fit(first, part, dim, number)?;
    }
    let mut shape = first.shape().to_vec();
    shape[dim] = parts.iter().fold(0, |sum, (_, part)| sum.saturating_add(part.shape()[dim]));
    dims::check_size(&shape)?;
    fn join<T: Element>(shape: &[usize], dim: usize, parts: &[(usize, &Tensor)]) -> Tensor {
        let outer: usize = shape[..dim].iter().product();
        let parts: Vec<_> = parts
            .iter()
            .map(|(_, part)| (part.values::<T>(), part.shape()[dim..].iter().product::<usize>()))
            .collect();
        let slabs = (0..outer).flat_map(|slab| {
            parts.iter().flat_map(move |(values, length)| &values[slab * length..][..*length])
        });
        Tensor::collect(shape, slabs.copied())
    }
    Ok(with_type!(dtype, T => join::<T>(&shape, dim, &parts)))
}

/// The way back through `cat`, of tensors that it saw under these shapes: each gets its part of
/// the cotangent, and one that was passed over gets nothing that could be added.
fn joined_backward(pass: &Pass, dim: usize, seen: impl Fn(&Tensor) -> Vec<usize>) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let mut start = 0;
    let part = |tensor: &Tensor| {
        let shape = seen(tensor);
        if shape == [0] {
            return Some(zeros(&[0], cotangent.dtype()));
        }
        let length = shape.get(dim).copied().unwrap_or(0);
        let part = cotangent.sliced(dim, start, length, 1);
        start += length;
        Some(reshaped_in_place(&part, tensor.shape()))
    };
    let gradients = tensors(pass.call, "tensors")?.into_iter().map(part).collect();
    Ok(Gradients::from([("tensors".to_string(), gradients)]))
}

fn cat_backward(pass: &Pass) -> Result<Gradients> {
    let tensors = tensors(pass.call, "tensors")?;
    let dim = match tensors.iter().find(|tensor| !is_legacy_empty(tensor)) {
        Some(first) => dims::wrap(pass.call.int("dim")?.unwrap_or(0), first.dim())?,
        None => 0,
    };
    joined_backward(pass, dim, |tensor| tensor.shape().to_vec())
}

fn check_fit(first: &Tensor, part: &Tensor, dim: usize, number: usize) -> Result<()> {
    if first.dim() != part.dim() {
        return Err(Failure::runtime(format!(
            "Tensors must have same number of dimensions: got {} and {}",
            first.dim(),
            part.dim()
        )));
    }
    for (d, (expected, found)) in first.shape().iter().zip(part.shape()).enumerate() {
        if d != dim && expected != found {
            return Err(Failure::runtime(format!(
                "Sizes of tensors must match except in dimension {dim}. Expected size {expected} but got size {found} \
                 for tensor number {number} in the list."
            )));
        }
    }
    Ok(())
}

fn all_at_least(tensors: &[&Tensor], rank: usize) -> Vec<Tensor> {
    tensors.iter().map(|tensor| at_least(tensor, rank)).collect()
}

fn joined(tensors: &[Tensor], dim: i64) -> Result {
    Ok(concatenated(&tensors.iter().collect::<Vec<_>>(), dim)?.into())
}

/// The tensors of a call that needs at least one.
fn some(call: &Call) -> Result<Vec<&Tensor>> {
    let tensors = tensors(call, "tensors")?;
    if tensors.is_empty() {
        return Err(Failure::runtime(format!("{} expects a non-empty TensorList", call.op)));
    }
    Ok(tensors)
}

fn stack(call: &Call) -> Result {
    let tensors = some(call)?;
    Ok(stacked(&tensors, call.int("dim")?.unwrap_or(0))?.into())
}

pub(super) fn stacked(tensors: &[&Tensor], dim: i64) -> Result<Tensor> {
    let dim = dims::wrap(dim, tensors[0].dim() + 1)?;
    for (entry, tensor) in tensors.iter().enumerate() {
        if tensor.shape() != tensors[0].shape() {
            return Err(Failure::runtime(format!(
                "stack expects each tensor to be equal size, but got {:?} at entry 0 and {:?} at entry {entry}",
                tensors[0].shape(),
                tensor.shape()
            )));
        }
    }
    let layers: Vec<Tensor> = tensors.iter().map(|tensor| tensor.unsqueezed(dim)).collect();
    concatenated(&layers.iter().collect::<Vec<_>>(), dim as i64)
}

/// Every tensor gets its layer.
fn stack_backward(pass: &Pass) -> Result<Gradients> {
    let (cotangent, tensors) = (pass.cotangent(0)?, tensors(pass.call, "tensors")?);
    let dim = dims::wrap(pass.call.int("dim")?.unwrap_or(0), cotangent.dim())?;
    let layers = (0..tensors.len()).map(|layer| Some(cotangent.selected(dim, layer))).collect();
    Ok(Gradients::from([("tensors".to_string(), layers)]))
}

fn hstack(call: &Call) -> Result {
    let tensors = all_at_least(&some(call)?, 1);
    let dim = if tensors[0].dim() == 1 { 0 } else { 1 };
    joined(&tensors, dim)
}

fn hstack_backward(pass: &Pass) -> Result<Gradients> {
    let dim = usize::from(pass.output(0)?.dim() > 1);
    joined_backward(pass, dim, |tensor| at_least(tensor, 1).shape().to_vec())
}

fn vstack(call: &Call) -> Result {
    // `row_stack` is `vstack`, in its errors too.
    let tensors = tensors(call, "tensors")?;
    if tensors.is_empty() {
        return Err(Failure::runtime("vstack expects a non-empty TensorList"));
    }
    joined(&all_at_least(&tensors, 2), 0)
}

fn vstack_backward(pass: &Pass) -> Result<Gradients> {
    joined_backward(pass, 0, |tensor| at_least(tensor, 2).shape().to_vec())
}

fn dstack(call: &Call) -> Result {
    joined(&all_at_least(&some(call)?, 3), 2)
}

fn dstack_backward(pass: &Pass) -> Result<Gradients> {
    joined_backward(pass, 2, |tensor| at_least(tensor, 3).shape().to_vec())
}

fn column_stack(call: &Call) -> Result {
    let columns: Vec<Tensor> = some(call)?
        .into_iter()
        .map(|tensor| if tensor.dim() <= 1 { tensor.reshaped(&[tensor.numel(), 1]) } else { tensor.clone() })
        .collect();
    joined(&columns, 1)
}

fn column_stack_backward(pass: &Pass) -> Result<Gradients> {
    joined_backward(pass, 1, |tensor| match tensor.dim() {
        0 | 1 => vec![tensor.numel(), 1],
        _ => tensor.shape().to_vec(),
    })
}

fn broadcast_tensors(call: &Call) -> Result {
    let tensors = tensors(call, "tensors")?;
    let shape = broadcast_shapes(tensors.iter().map(|tensor| tensor.shape()))?;
    let outputs = tensors.into_iter().map(|tensor| tensor.expanded(&shape)).collect();
    Ok(Returned { outputs, warnings: Vec::new() })
}

/// The cotangents themselves: every gradient is summed to its tensor's shape.
fn broadcast_tensors_backward(pass: &Pass) -> Result<Gradients> {
    Ok(Gradients::from([("tensors".to_string(), pass.cotangents.to_vec())]))
}

fn meshgrid(call: &Call) -> Result {
    let tensors = tensors(call, "tensors")?;
    if tensors.is_empty() {
        return Err(Failure::runtime("meshgrid expects a non-empty TensorList"));
    }
    let mut warnings = Vec::new();
    let swapped = match call.get("indexing") {
        None => {
            warnings.push(
                "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
                    .into(),
            );
            false
        }
        Some(Value::Str(indexing)) if indexing == "ij" => false,
        Some(Value::Str(indexing)) if indexing == "xy" => tensors.len() >= 2,
        Some(Value::Str(indexing)) => {
            return Err(Failure::runtime(format!(
                "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {indexing}"
            )));
        }
        Some(_) => return Err(Failure::Unsupported("meshgrid: indexing that is not a string".into())),
    };
    let mut axes = tensors;
    if swapped {
        axes.swap(0, 1);
    }
    let mut outputs = grid(&axes)?;
    if swapped {
        outputs.swap(0, 1);
    }
    Ok(Returned { outputs, warnings })
}

/// One tensor per axis, each constant along the other axes.
fn grid(axes: &[&Tensor]) -> Result<Vec<Tensor>> {
    let Some(first) = axes.first() else { return Ok(Vec::new()) };
    if axes.iter().any(|axis| axis.dim() > 1) {
        // The message would print the whole tensor.
        return Err(Failure::Unsupported("meshgrid: an error that quotes a tensor".into()));
    }
    if axes.iter().any(|axis| axis.dtype() != first.dtype()) {
        return Err(Failure::runtime("meshgrid expects all tensors to have the same dtype"));
    }
    let shape: Vec<usize> = axes.iter().map(|axis| axis.numel()).collect();
    dims::check_size(&shape)?;
    let along = |(dim, axis): (usize, &&Tensor)| {
        let mut own = vec![1; shape.len()];
        own[dim] = shape[dim];
        axis.reshaped(&own).expanded(&shape)
    };
    Ok(axes.iter().enumerate().map(along).collect())
}

/// The gradient of an axis from a cotangent over the grid, in one sum over the other axes.
fn axis_backward(cotangent: &Tensor, dim: usize, axis: &Tensor) -> Result<Tensor> {
    let mut own = vec![1; cotangent.dim()];
    own[dim] = axis.numel();
    Ok(reshaped_in_place(&eager::sum_to(cotangent, &own)?, axis.shape()))
}

fn meshgrid_backward(pass: &Pass) -> Result<Gradients> {
    let axes = tensors(pass.call, "tensors")?;
    let swapped = pass.call.text("indexing")? == Some("xy") && axes.len() > 1;
    let back = |(nth, axis): (usize, &&Tensor)| {
        let Some(Some(cotangent)) = pass.cotangents.get(nth) else { return Ok(None) };
        let dim = if swapped && nth < 2 { 1 - nth } else { nth };
        axis_backward(cotangent, dim, axis).map(Some)
    };
    let gradients = axes.iter().enumerate().map(back).collect::<Result<Vec<_>>>()?;
    Ok(Gradients::from([("tensors".to_string(), gradients)]))
}

fn cartesian_prod(call: &Call) -> Result {
    let tensors = tensors(call, "tensors")?;
    if let Some(other) = tensors.iter().find(|tensor| tensor.dim() != 1) {
        return Err(Failure::runtime(format!("Expect a 1D vector, but got shape {:?}", other.shape())));
    }
    if let [only] = tensors[..] {
        return Ok(only.clone().into());
    }
    let columns: Vec<Tensor> =
        grid(&tensors)?.into_iter().map(|output| output.reshaped(&[output.numel()])).collect();
    Ok(stacked(&columns.iter().collect::<Vec<_>>(), 1)?.into())
}

/// A column of the cotangent, over the grid, for every axis.
fn cartesian_prod_backward(pass: &Pass) -> Result<Gradients> {
    let (cotangent, axes) = (pass.cotangent(0)?, tensors(pass.call, "tensors")?);
    let shape: Vec<usize> = axes.iter().map(|axis| axis.numel()).collect();
    let back = |(nth, axis): (usize, &&Tensor)| match axes.len() {
        1 => Ok(Some(cotangent.clone())),
        _ => axis_backward(&reshaped_in_place(&cotangent.selected(1, nth), &shape), nth, axis).map(Some),
    };
    let gradients = axes.iter().enumerate().map(back).collect::<Result<Vec<_>>>()?;
    Ok(Gradients::from([("tensors".to_string(), gradients)]))
}
