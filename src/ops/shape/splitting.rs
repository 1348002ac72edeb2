//! One tensor in parts: `split`, `chunk`, `tensor_split` and their kin, `unbind`.

use super::arguments::{required_ints, wrap_own};
use super::gradients;
use super::joining::{concatenated, stacked};
use crate::ops::call::{Call, Failure, Result, Returned, Value};
use crate::ops::{Backward, Gradients, Op, Pass, dims};
use crate::tensor::{DType, Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "split",
        parameters: &["tensor", "split_size_or_sections", "dim"],
        forward: split,
        backward: Backward::Rule(split_backward),
    },
    Op {
        name: "split_with_sizes",
        parameters: &["input", "split_sizes", "dim"],
        forward: split_with_sizes,
        backward: Backward::Rule(split_backward),
    },
    Op {
        name: "chunk",
        parameters: &["input", "chunks", "dim"],
        forward: chunk,
        backward: Backward::Rule(split_backward),
    },
    Op {
        name: "tensor_split",
        parameters: &["input", "sections", "indices", "tensor_indices_or_sections", "dim"],
        forward: tensor_split,
        backward: Backward::Rule(gradients::shown),
    },
    Op {
        name: "hsplit",
        parameters: &["input", "sections", "indices"],
        forward: |call| split_along(call, 1, |rank| usize::from(rank > 1)),
        backward: Backward::Rule(gradients::shown),
    },
    Op {
        name: "vsplit",
        parameters: &["input", "sections", "indices"],
        forward: |call| split_along(call, 2, |_| 0),
        backward: Backward::Rule(gradients::shown),
    },
    Op {
        name: "dsplit",
        parameters: &["input", "sections", "indices"],
        forward: |call| split_along(call, 3, |_| 2),
        backward: Backward::Rule(gradients::shown),
    },
    Op {
        name: "unbind",
        parameters: &["input", "dim"],
        forward: unbind,
        backward: Backward::Rule(unbind_backward),
    },
];

fn outputs(outputs: Vec<Tensor>) -> Result {
    Ok(Returned { outputs, warnings: Vec::new() })
}

/// Refuses more parts than could be wanted, before they are made.
fn check_parts(count: usize) -> Result<()> {
    dims::check_size(&[count])
}

fn split(call: &Call) -> Result {
    let (input, dim) = (call.tensor("tensor")?, call.int("dim")?.unwrap_or(0));
    if let Some(Value::List(_)) = call.get("split_size_or_sections") {
        return in_sizes(input, &required_ints(call, "split_size_or_sections")?, dim);
    }
    in_equal(input, call.required_int("split_size_or_sections")?, dim)
}

fn refuse_scalar(op: &str, input: &Tensor) -> Result<()> {
    match input.dim() {
        0 => Err(Failure::runtime(format!("{op} expects at least a 1-dimensional tensor"))),
        _ => Ok(()),
    }
}

/// Parts of one length, the last of what is left.
fn in_equal(input: &Tensor, length: i64, dim: i64) -> Result {
    refuse_scalar("split", input)?;
    if length < 0 {
        return Err(Failure::runtime(format!(
            "split expects split_size be non-negative, but got split_size={length}"
        )));
    }
    let dim = dims::wrap(dim, input.dim())?;
    let size = input.shape()[dim];
    if length == 0 && size > 0 {
        return Err(Failure::runtime(format!(
            "split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
        )));
    }
    let length = (length as usize).max(1);
    let starts = (0..size.max(1)).step_by(length);
    outputs(starts.map(|start| input.sliced(dim, start, length.min(size - start), 1)).collect())
}

fn split_with_sizes(call: &Call) -> Result {
    in_sizes(call.tensor("input")?, &required_ints(call, "split_sizes")?, call.int("dim")?.unwrap_or(0))
}

fn in_sizes(input: &Tensor, sizes: &[i64], dim: i64) -> Result {
    refuse_scalar("split", input)?;
    let (named, dim) = (dim, dims::wrap(dim, input.dim())?);
    let size = input.shape()[dim];
    if sizes.iter().any(|&length| length < 0) {
        return Err(Failure::runtime(format!(
            "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes:?}"
        )));
    }
    let sum = sizes.iter().try_fold(0usize, |sum, &length| sum.checked_add(length as usize));
    if sum != Some(size) {
        return Err(Failure::runtime(format!(
            "split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {named}), but \
             got split_sizes={sizes:?}"
        )));
    }
    let mut start = 0;
    let part = |&length: &i64| {
        let part = input.sliced(dim, start, length as usize, 1);
        start += length as usize;
        part
    };
    outputs(sizes.iter().map(part).collect())
}

/// The cotangents of all parts, zeros for those that have none.
fn all_cotangents(pass: &Pass) -> Result<Vec<Tensor>> {
    (0..pass.outputs.len()).map(|part| pass.cotangent(part)).collect()
}

/// The parts' cotangents joined again.
fn split_backward(pass: &Pass) -> Result<Gradients> {
    let dim = pass.call.int("dim")?.unwrap_or(0);
    let joined = || concatenated(&all_cotangents(pass)?.iter().collect::<Vec<_>>(), dim);
    pass.each(&[("tensor", &joined), ("input", &joined)])
}

fn chunk(call: &Call) -> Result {
    let (input, chunks) = (call.tensor("input")?, call.required_int("chunks")?);
    let dim = call.int("dim")?.unwrap_or(0);
    refuse_scalar("chunk", input)?;
    if chunks <= 0 {
        return Err(Failure::runtime(format!("chunk expects `chunks` to be greater than 0, got: {chunks}")));
    }
    let wrapped = dims::wrap(dim, input.dim())?;
    match input.shape()[wrapped] {
        // Only of nothing are there as many parts as were asked for.
        0 => {
            check_parts(chunks as usize)?;
            outputs(vec![input.clone(); chunks as usize])
        }
        size => in_equal(input, size.div_ceil(chunks as usize) as i64, dim),
    }
}

/// Where `tensor_split` cuts.
enum Cuts {
    Sections(i64),
    Indices(Vec<i64>),
}

fn cuts(call: &Call) -> Result<Cuts> {
    if call.get("sections").is_some() {
        return call.required_int("sections").map(Cuts::Sections);
    }
    if call.get("indices").is_some() {
        return required_ints(call, "indices").map(Cuts::Indices);
    }
    let given = call.tensor("tensor_indices_or_sections")?;
    if given.dtype() != DType::Int64 {
        return Err(Failure::runtime(format!(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
            given.dtype().scalar_type()
        )));
    }
    match given.dim() {
        0 => Ok(Cuts::Sections(given.scalars().next().map_or(0, Scalar::to_i64))),
        1 => Ok(Cuts::Indices(given.values::<i64>().into_owned())),
        rank => Err(Failure::runtime(format!(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got \
             a tensor with {rank} dims"
        ))),
    }
}

fn tensor_split(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if input.dim() == 0 {
        return Err(Failure::runtime(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims",
        ));
    }
    let cuts = cuts(call)?;
    cut(input, &cuts, dims::wrap(call.int("dim")?.unwrap_or(0), input.dim())?)
}

fn cut(input: &Tensor, cuts: &Cuts, dim: usize) -> Result {
    let size = input.shape()[dim];
    match cuts {
        Cuts::Sections(sections) if *sections <= 0 => {
            Err(Failure::runtime(format!("number of sections must be larger than 0, got {sections}")))
        }
        Cuts::Sections(sections) => {
            let sections = *sections as usize;
            check_parts(sections)?;
            // The first parts are one longer where the sections do not divide the size.
            let (length, longer) = (size / sections, size % sections);
            let start = |section: usize| section * length + section.min(longer);
            let part = |section| input.sliced(dim, start(section), start(section + 1) - start(section), 1);
            outputs((0..sections).map(part).collect())
        }
        Cuts::Indices(indices) => {
            // As Python's slices: negative from the end, clamped, never backwards.
            let clamped = |&index: &i64| {
                let index = if index < 0 { index.saturating_add(size as i64) } else { index };
                index.clamp(0, size as i64) as usize
            };
            let ends: Vec<usize> = indices.iter().map(clamped).chain([size]).collect();
            let starts = [0].into_iter().chain(ends.iter().copied());
            let part =
                |(start, &end): (usize, &usize)| input.sliced(dim, start, end.saturating_sub(start), 1);
            outputs(starts.zip(&ends).map(part).collect())
        }
    }
}

/// `hsplit`, `vsplit` and `dsplit`: `tensor_split` along a fixed dimension, in equal parts only.
fn split_along(call: &Call, rank: usize, dim: fn(usize) -> usize) -> Result {
    let input = call.tensor("input")?;
    if input.dim() < rank {
        return Err(Failure::runtime(format!(
            "torch.{} requires a tensor with at least {rank} dimension, but got a tensor with {} dimensions!",
            call.op,
            input.dim()
        )));
    }
    let dim = dim(input.dim());
    let cuts = cuts(call)?;
    let size = input.shape()[dim] as i64;
    if let Cuts::Sections(sections) = cuts
        && size.checked_rem(sections) != Some(0)
    {
        return Err(Failure::runtime(format!(
            "torch.{} attempted to split along dimension {dim}, but the size of the dimension {size} is not divisible by \
             the split_size {sections}!",
            call.op
        )));
    }
    cut(input, &cuts, dim)
}

fn unbind(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dim = call.int("dim")?.unwrap_or(0);
    dims::wrap(dim, input.dim())?;
    let dim = wrap_own(dim, input)?;
    outputs((0..input.shape()[dim]).map(|index| input.selected(dim, index)).collect())
}

/// The cotangents stacked.
fn unbind_backward(pass: &Pass) -> Result<Gradients> {
    let dim = dims::wrap(pass.call.int("dim")?.unwrap_or(0), pass.call.tensor("input")?.dim())?;
    pass.each(&[("input", &|| stacked(&all_cotangents(pass)?.iter().collect::<Vec<_>>(), dim as i64))])
}
