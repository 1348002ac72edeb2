//! Reductions that know positions: `argmax`, `argmin`, `max`, `min` (over everything or along a
//! dimension, with int64 indices; of two tensors they are [`pointwise`]).
//!
//! The first NaN wins over everything; otherwise the first of equals, where -0 equals +0.

use super::autograd::{Gradients, Pass};
use super::call::{Call, Failure, Result, refuse_uint32};
use super::dims;
use super::eager;
use super::numerics::extremes::{self, End};
use super::numerics::search::{Keyed, in_columns, in_row};
use super::pointwise;
use super::selection;
use super::{Backward, Op};
use crate::cpu::widest;
use crate::tensor::layout::Positions;
use crate::tensor::{DType, Scalar, Tensor};
use crate::{with_data, with_type};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "max",
        parameters: &["input", "dim", "keepdim", "other"],
        forward: max,
        backward: Backward::Rule(max_backward),
    },
    Op {
        name: "min",
        parameters: &["input", "dim", "keepdim", "other"],
        forward: min,
        backward: Backward::Rule(min_backward),
    },
    Op {
        name: "argmax",
        parameters: &["input", "dim", "keepdim"],
        forward: argmax,
        backward: Backward::Never,
    },
    Op {
        name: "argmin",
        parameters: &["input", "dim", "keepdim"],
        forward: argmin,
        backward: Backward::Never,
    },
];

fn max(call: &Call) -> Result {
    extreme(call, End::Max)
}

fn min(call: &Call) -> Result {
    extreme(call, End::Min)
}

fn extreme(call: &Call, end: End) -> Result {
    let input = call.tensor("input")?;
    if call.get("other").is_some() {
        return Ok(pointwise::extreme(end, &[call.operand("input")?, call.operand("other")?])?.into());
    }
    match call.int("dim")? {
        Some(dim) => {
            let dim = reduced_dim(call, input, dim)?;
            if input.dim() > 0 && input.numel() > 0 {
                refuse_uint32(&format!("{}_cpu", call.op), input.dtype())?;
            }
            let (values, indices) = along(input, dim, end);
            let shape = kept_shape(call, input, dim)?;
            Ok((values.reshaped(&shape), indices.reshaped(&shape)).into())
        }
        None => {
            if input.numel() == 0 {
                return Err(Failure::runtime(dims::unspecified(&call.op)));
            }
            refuse_uint32(&format!("{}_all", call.op), input.dtype())?;
            Ok(over_everything(input, end).into())
        }
    }
}

fn max_backward(pass: &Pass) -> Result<Gradients> {
    extreme_backward(pass, End::Max)
}

fn min_backward(pass: &Pass) -> Result<Gradients> {
    extreme_backward(pass, End::Min)
}

/// Of two tensors, equal elements share the gradient and the one that is beaten has none; NaN
/// beats nothing, so both have all of it.
fn extreme_backward(pass: &Pass, end: End) -> Result<Gradients> {
    if pass.call.get("other").is_none() {
        return selection::reduced_or_shared_backward(pass);
    }
    let (input, other) = (pass.call.tensor("input")?, pass.call.tensor("other")?);
    let share = |other_beaten: bool| {
        let cotangent = pass.cotangent(0)?;
        let halves = eager::div(&cotangent, Scalar::Int(2))?;
        let shared = eager::where_(&eager::eq(input, other)?, halves, cotangent)?;
        let below = (end == End::Max) != other_beaten;
        let beaten = if below { eager::lt(input, other)? } else { eager::gt(input, other)? };
        eager::masked_fill(&shared, &beaten, Scalar::Int(0))
    };
    pass.each(&[("input", &|| share(false)), ("other", &|| share(true))])
}

fn over_everything(input: &Tensor, end: End) -> Tensor {
    with_type!(input.dtype(), T => Tensor::collect(&[], extremes::all(end, &input.values::<T>())))
}

fn argmax(call: &Call) -> Result {
    position(call, End::Max)
}

fn argmin(call: &Call) -> Result {
    position(call, End::Min)
}

fn position(call: &Call, end: End) -> Result {
    let input = call.tensor("input")?;
    if input.dtype() == DType::Bool {
        return Err(Failure::not_implemented(format!("{}(): does not support bool input", call.op)));
    }
    let kernel = format!("{}_cpu", call.op);
    let Some(dim) = call.int("dim")? else {
        if input.numel() == 0 {
            return Err(Failure::index(format!(
                "{}(): Expected reduction dim to be specified for input.numel() == 0.",
                call.op
            )));
        }
        refuse_uint32(&kernel, input.dtype())?;
        let flat = input.reshaped(&[input.numel()]);
        let shape = if call.flag("keepdim")? { vec![1; input.dim()] } else { Vec::new() };
        return Ok(along(&flat, 0, end).1.reshaped(&shape).into());
    };
    let dim = reduced_dim(call, input, dim)?;
    // The position in a dimension of size 1 is 0 without a kernel.
    if input.numel() > 0 && input.shape().get(dim) != Some(&1) {
        refuse_uint32(&kernel, input.dtype())?;
    }
    let shape = kept_shape(call, input, dim)?;
    Ok(along(input, dim, end).1.reshaped(&shape).into())
}

fn reduced_dim(call: &Call, input: &Tensor, dim: i64) -> Result<usize> {
    let wrapped = dims::wrap(dim, input.dim())?;
    if input.shape().get(wrapped) == Some(&0) {
        return Err(Failure::index(format!(
            "{}(): Expected reduction dim {wrapped} to have non-zero size.",
            call.op
        )));
    }
    Ok(wrapped)
}

fn kept_shape(call: &Call, input: &Tensor, dim: usize) -> Result<Vec<usize>> {
    let mask: Vec<bool> = (0..input.dim()).map(|d| d == dim).collect();
    Ok(dims::reduced_shape(input.shape(), &mask, call.flag("keepdim")?))
}

/// Values and positions of the extremes along one dimension; 0-d tensors count as one element.
/// The results are row-major over the other dimensions.
fn along(input: &Tensor, dim: usize, end: End) -> (Tensor, Tensor) {
    if input.dim() == 0 {
        return (input.contiguous(), Tensor::scalar(0i64));
    }
    // Rows along memory are searched where they lie.
    let input = if input.strides()[dim] == 1 { input.clone() } else { input.contiguous() };
    let others = |of: &[usize]| [&of[..dim], &of[dim + 1..]].concat();
    let (shape, strides) = (others(input.shape()), others(input.strides()));
    #[inline(always)]
    fn run<T: Keyed>(data: &[T], input: &Tensor, dim: usize, starts: Starts, end: End) -> (Vec<T>, Vec<i64>) {
        let length = input.shape()[dim];
        let (mut best, mut indices) = (Vec::new(), Vec::new());
        if input.strides()[dim] == 1 {
            for start in starts {
                let row = &data[start..][..length];
                if let Some(place) = in_row(end, row) {
                    best.push(row[place]);
                    indices.push(place as i64);
                }
            }
            return (best, indices);
        }
        let columns: usize = input.shape()[dim + 1..].iter().product();
        // `max` keeps a tensor of no elements from having matrices of none.
        for matrix in input.values::<T>().chunks((length * columns).max(1)) {
            let places = in_columns(end, matrix, columns);
            best.extend(places.iter().enumerate().map(|(column, place)| matrix[place * columns + column]));
            indices.extend(places.iter().map(|&place| place as i64));
        }
        (best, indices)
    }
    let starts = Positions::new(shape.clone(), strides, input.offset());
    with_data!(input.storage(), data => {
        let (best, indices) = widest(#[inline(always)] || run(data, &input, dim, starts, end));
        (Tensor::collect(&shape, best), Tensor::collect(&shape, indices))
    })
}

/// Where rows begin.
type Starts = Positions<Vec<usize>>;
