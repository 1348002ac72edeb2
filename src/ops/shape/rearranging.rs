//! Copies in another order: `repeat`, `tile`, `repeat_interleave`, `flip` and its kin, `roll`,
//! `rot90`.

use super::arguments::{negative_dimension, reindexed, required_ints, wrap_own};
use super::gradients::{self, zeros};
use super::views::{reshaped_in_place, transposed};
use crate::ops::call::{Call, Failure, Result, Value};
use crate::ops::numerics::zip::laid_out_like;
use crate::ops::{Backward, Gradients, Op, Pass, dims, eager};
use crate::tensor::{DType, Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "repeat",
        parameters: &["input", "repeats"],
        forward: repeat,
        backward: Backward::Rule(repeat_backward),
    },
    Op {
        name: "tile",
        parameters: &["input", "dims"],
        forward: tile,
        backward: Backward::Rule(tile_backward),
    },
    Op {
        name: "repeat_interleave",
        parameters: &["input", "repeats", "dim", "output_size"],
        forward: repeat_interleave,
        backward: Backward::Rule(repeat_interleave_backward),
    },
    Op {
        name: "flip",
        parameters: &["input", "dims"],
        forward: flip,
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "fliplr",
        parameters: &["input"],
        forward: |call| flip_one(call, 1),
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "flipud",
        parameters: &["input"],
        forward: |call| flip_one(call, 0),
        backward: Backward::Rule(gradients::once_more),
    },
    Op {
        name: "roll",
        parameters: &["input", "shifts", "dims"],
        forward: roll,
        backward: Backward::Rule(roll_backward),
    },
    Op {
        name: "rot90",
        parameters: &["input", "k", "dims"],
        forward: rot90,
        backward: Backward::Rule(rot90_backward),
    },
];

fn repeat(call: &Call) -> Result {
    repeated(call.tensor("input")?, &required_ints(call, "repeats")?)
}

fn tile(call: &Call) -> Result {
    let (input, dims) = (call.tensor("input")?, required_ints(call, "dims")?);
    let missing = input.dim().saturating_sub(dims.len());
    repeated(input, &[vec![1; missing], dims].concat())
}

fn repeated(input: &Tensor, repeats: &[i64]) -> Result {
    let Some(missing) = repeats.len().checked_sub(input.dim()) else {
        return Err(Failure::runtime(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ));
    };
    let own = [&vec![1; missing], input.shape()].concat();
    let sizes: Vec<i64> =
        own.iter().zip(repeats).map(|(&size, &times)| (size as i64).saturating_mul(times)).collect();
    let shape = negative_dimension(&sizes)?;
    dims::check_size(&shape)?;
    if shape.contains(&0) {
        // Sizes beside a 0 may be anything, so nothing is listed for them.
        return Ok(Tensor::full(&shape, Scalar::Int(0), input.dtype()).into());
    }
    let sources: Vec<Vec<usize>> =
        own.iter().zip(&shape).map(|(&size, &length)| (0..length).map(|i| i % size).collect()).collect();
    Ok(reindexed(&input.reshaped(&own), &sources)?.into())
}

fn repeat_backward(pass: &Pass) -> Result<Gradients> {
    repeated_backward(pass, &required_ints(pass.call, "repeats")?)
}

fn tile_backward(pass: &Pass) -> Result<Gradients> {
    let dims = required_ints(pass.call, "dims")?;
    let missing = pass.call.tensor("input")?.dim().saturating_sub(dims.len());
    repeated_backward(pass, &[vec![1; missing], dims].concat())
}

/// Sums over the repeats: one by one over those in dimensions that the input has not, then in one
/// sum over the others (PyTorch's `repeat_backward`).
fn repeated_backward(pass: &Pass, repeats: &[i64]) -> Result<Gradients> {
    let shape = pass.call.tensor("input")?.shape();
    gradients::from_cotangent(pass, |mut cotangent| {
        if repeats.contains(&0) {
            return Ok(zeros(shape, cotangent.dtype()));
        }
        let missing = cotangent.dim() - shape.len();
        for _ in 0..missing {
            cotangent = eager::sum(&cotangent, vec![0])?;
        }
        let (mut apart, mut repeated) = (Vec::new(), Vec::new());
        for (&size, &times) in shape.iter().zip(&repeats[missing..]) {
            if times != 1 {
                repeated.push(apart.len() as i64);
                apart.push(times as usize);
            }
            apart.push(size);
        }
        match repeated.is_empty() {
            true => Ok(cotangent),
            false => eager::sum(&reshaped_in_place(&cotangent, &apart), repeated),
        }
    })
}

/// Every position of every dimension, as it is.
fn in_place(input: &Tensor) -> Vec<Vec<usize>> {
    input.shape().iter().map(|&size| (0..size).collect()).collect()
}

fn repeat_interleave(call: &Call) -> Result {
    if call.get("input").is_none() {
        // Without a tensor to repeat, it is the positions that are.
        let repeats = call.tensor("repeats")?;
        let sources = positions(call, repeats)?;
        let found = Tensor::collect(&[sources.len()], sources.into_iter().map(|at| at as i64));
        return Ok(found.to_dtype(repeats.dtype()).into());
    }
    let given = call.tensor("input")?;
    let input = match call.get("dim") {
        Some(_) => given.clone(),
        None => given.reshaped(&[given.numel()]),
    };
    let dim = call.int("dim")?.unwrap_or(0);
    match call.get("repeats") {
        Some(Value::Tensor(repeats)) => repeat_each(call, &input, repeats, dim),
        _ => repeat_all(call, &input, dim),
    }
}

fn repeat_all(call: &Call, input: &Tensor, dim: i64) -> Result {
    let repeats = call.required_int("repeats")?;
    let dim = dims::wrap(dim, input.dim())?;
    let Ok(times) = usize::try_from(repeats) else {
        return Err(Failure::runtime("Repeats must be non-negative"));
    };
    // PyTorch puts a dimension behind this one and merges the two.
    dims::wrap(dim as i64 + 1, input.dim() + 1)?;
    let size = input.shape()[dim];
    let total = size.checked_mul(times).map(|total| total as i64);
    if let (Some(wanted), Some(total)) = (call.int("output_size")?, total)
        && wanted != total
    {
        return Err(Failure::runtime(format!(
            "repeat_interleave: Invalid output_size, expected {total} but got {wanted}"
        )));
    }
    let mut shape = input.shape().to_vec();
    shape[dim] = size.saturating_mul(times);
    dims::check_size(&shape)?;
    let mut sources = in_place(input);
    sources[dim] = (0..shape[dim]).map(|at| at / times).collect();
    Ok(reindexed(input, &sources)?.into())
}

fn repeat_each(call: &Call, input: &Tensor, repeats: &Tensor, dim: i64) -> Result {
    if repeats.dim() > 1 {
        return Err(Failure::runtime("repeats must be 0-dim or 1-dim tensor"));
    }
    let wrapped = wrap_own(dim, input)?;
    let size = input.shape()[wrapped];
    let repeats = match repeats.numel() {
        1 => repeats.reshaped(&[1]).expanded(&[size]),
        n if n == size => repeats.clone(),
        n => {
            return Err(Failure::runtime(format!(
                "repeats must have the same size as input along dim, but got repeats.size(0) = {n} and \
                 input.size({dim}) = {size}"
            )));
        }
    };
    let mut sources = in_place(input);
    sources[wrapped] = positions(call, &repeats)?;
    Ok(reindexed(input, &sources)?.into())
}

/// Repeats of one number are a dimension of their own, summed over; others were read by
/// `index_select`, so they are added to where they were read.
fn repeat_interleave_backward(pass: &Pass) -> Result<Gradients> {
    let (call, input) = (pass.call, pass.call.tensor("input")?);
    let shape = match call.get("dim") {
        Some(_) => input.shape().to_vec(),
        None => vec![input.numel()],
    };
    let dim = dims::wrap(call.int("dim")?.unwrap_or(0), shape.len())?;
    let gradient = |cotangent: Tensor| match call.get("repeats") {
        Some(Value::Tensor(repeats)) => {
            let repeats = match repeats.numel() {
                1 => repeats.reshaped(&[1]).expanded(&shape[dim..=dim]),
                _ => repeats.clone(),
            };
            let read = positions(call, &repeats)?;
            let read = Tensor::collect(&[read.len()], read.into_iter().map(|at| at as i64));
            let read = read.to_dtype(repeats.dtype());
            let start = zeros(&shape, cotangent.dtype());
            eager::call(
                "index_add",
                [
                    ("input", (&start).into()),
                    ("dim", (dim as i64).into()),
                    ("index", (&read).into()),
                    ("source", (&cotangent).into()),
                ],
            )
        }
        _ => {
            let times = call.required_int("repeats")? as usize;
            let mut apart = shape.clone();
            apart.insert(dim + 1, times);
            let mut one = shape.clone();
            one.insert(dim + 1, 1);
            Ok(eager::sum_to(&reshaped_in_place(&cotangent, &apart), &one)?.reshaped(&shape))
        }
    };
    gradients::from_cotangent(pass, |cotangent| Ok(reshaped_in_place(&gradient(cotangent)?, input.shape())))
}

/// Each position as often as the repeats say.
fn positions(call: &Call, repeats: &Tensor) -> Result<Vec<usize>> {
    if repeats.dim() != 1 {
        return Err(Failure::runtime("repeat_interleave only accept 1D vector as repeat"));
    }
    if !repeats.dtype().is_integer() || repeats.dtype() == DType::UInt32 {
        return Err(Failure::no_kernel("repeat_interleave_cpu", repeats.dtype()));
    }
    let repeats = repeats.values::<i64>();
    if repeats.iter().any(|&times| times < 0) {
        return Err(Failure::runtime("repeats can not be negative"));
    }
    let total = repeats.iter().fold(0usize, |sum, &times| sum.saturating_add(times as usize));
    if let Some(wanted) = call.int("output_size")?
        && !repeats.is_empty()
        && wanted != total as i64
    {
        return Err(Failure::runtime("allocated size does not match required size"));
    }
    dims::check_size(&[total])?;
    Ok(repeats.iter().enumerate().flat_map(|(at, &times)| std::iter::repeat_n(at, times as usize)).collect())
}

fn flip(call: &Call) -> Result {
    let (input, dims) = (call.tensor("input")?, required_ints(call, "dims")?);
    if dims.is_empty() {
        return Ok(input.contiguous().into());
    }
    Ok(flipped(input, &dims::mask(Some(&dims), input.dim())?)?.into())
}

/// The copy lies in memory in the order of the input's dimensions, which decides the order of a
/// later sum.
fn flipped(input: &Tensor, backwards: &[bool]) -> Result<Tensor> {
    let mut sources = in_place(input);
    for (source, _) in sources.iter_mut().zip(backwards).filter(|&(_, &backwards)| backwards) {
        source.reverse();
    }
    Ok(laid_out_like(&reindexed(input, &sources)?, input))
}

fn flip_one(call: &Call, dim: usize) -> Result {
    let input = call.tensor("input")?;
    if input.dim() <= dim {
        return Err(Failure::runtime(format!("Input must be >= {}-d.", dim + 1)));
    }
    let backwards: Vec<bool> = (0..input.dim()).map(|d| d == dim).collect();
    Ok(flipped(input, &backwards)?.into())
}

fn roll(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let (shifts, dims) = (required_ints(call, "shifts")?, call.ints("dims")?.unwrap_or_default());
    if shifts.is_empty() {
        return Err(Failure::runtime("`shifts` required"));
    }
    if let ([shift], []) = (&shifts[..], &dims[..]) {
        let flat = rolled(&input.reshaped(&[input.numel()]), *shift, 0)?;
        return Ok(flat.reshaped(input.shape()).into());
    }
    if shifts.len() != dims.len() {
        return Err(Failure::runtime(format!(
            "shifts and dimensions must align. shifts: {}, dims:{}",
            shifts.len(),
            dims.len()
        )));
    }
    let all = shifts.iter().zip(&dims);
    Ok(all
        .into_iter()
        .try_fold(input.contiguous(), |so_far, (&shift, &dim)| rolled(&so_far, shift, dim))?
        .into())
}

/// The other way round, in reverse order.
fn roll_backward(pass: &Pass) -> Result<Gradients> {
    let reversed = |list: Vec<i64>| list.into_iter().rev();
    let shifts: Vec<i64> = reversed(required_ints(pass.call, "shifts")?).map(i64::wrapping_neg).collect();
    let dims: Vec<i64> = reversed(pass.call.ints("dims")?.unwrap_or_default()).collect();
    gradients::once_more_with(pass, [("shifts", shifts.into()), ("dims", dims.into())])
}

fn rolled(input: &Tensor, shift: i64, dim: i64) -> Result<Tensor> {
    // An empty tensor comes back before its dimension is looked at.
    if input.numel() == 0 {
        return Ok(input.contiguous());
    }
    let dim = wrap_own(dim, input)?;
    let mut sources = in_place(input);
    let start = shift.rem_euclid(input.shape()[dim] as i64) as usize;
    sources[dim].rotate_right(start);
    reindexed(input, &sources)
}

fn rot90(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let k = call.int("k")?.unwrap_or(1);
    let dims = call.ints("dims")?.unwrap_or_else(|| vec![0, 1]);
    let &[a, b] = &dims[..] else {
        return Err(Failure::runtime(format!(
            "expected total rotation dims == 2, but got dims = {}",
            dims.len()
        )));
    };
    let rank = input.dim();
    if rank < 2 {
        return Err(Failure::runtime(format!("expected total dims >= 2, but got total dims = {rank}")));
    }
    let wrapped = (dims::wrap(a, rank)?, dims::wrap(b, rank)?);
    if wrapped.0 == wrapped.1 {
        return Err(Failure::runtime(format!(
            "expected rotation dims to be different, but got dim0 = {a} and dim1 = {b}"
        )));
    }
    let (a, b) = wrapped;
    let backwards = |dims: &[usize]| (0..rank).map(|d| dims.contains(&d)).collect::<Vec<_>>();
    Ok(match k.rem_euclid(4) {
        1 => transposed(&flipped(input, &backwards(&[b]))?, a, b),
        2 => flipped(input, &backwards(&[a, b]))?,
        3 => transposed(&flipped(input, &backwards(&[a]))?, a, b),
        _ => input.contiguous(),
    }
    .into())
}

/// The other way round.
fn rot90_backward(pass: &Pass) -> Result<Gradients> {
    let k = pass.call.int("k")?.unwrap_or(1);
    gradients::once_more_with(pass, [("k", k.wrapping_neg().into())])
}
