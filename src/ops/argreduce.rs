//! Reductions that know positions: `argmax`, `argmin`, `max`, `min` (over everything or along a
//! dimension, with int64 indices; of two tensors they are [`pointwise`]).
//!
//! The first NaN wins over everything; otherwise the first of equals, where -0 equals +0.

use std::borrow::Cow;

use argminmax::{ArgMinMax, NaNArgMinMax};

use super::autograd::{Gradients, Pass};
use super::call::{Call, Failure, Result, refuse_uint32};
use super::dims;
use super::eager;
use super::numerics::extremes::{self, End};
use super::pointwise;
use super::selection;
use super::{Backward, Op};
use crate::tensor::{DType, Element, Scalar, Tensor};
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
    // With the reduced dimension last, every output's inputs are one row.
    let order: Vec<usize> = (0..input.dim()).filter(|&d| d != dim).chain([dim]).collect();
    let rows = input.permuted(&order);
    let length = input.shape()[dim];
    let shape = &rows.shape()[..input.dim() - 1];
    fn run<T: Row>(_: &[T], rows: &Tensor, shape: &[usize], length: usize, end: End) -> (Tensor, Tensor) {
        let values: Cow<'_, [T]> = rows.values::<T>();
        let (indices, best): (Vec<i64>, Vec<T>) = values
            .chunks(length.max(1))
            .filter_map(|row| T::extreme(end, row))
            .map(|(index, value)| (index as i64, value))
            .unzip();
        (Tensor::collect(shape, best), Tensor::collect(shape, indices))
    }
    with_data!(input.storage(), data => run(data, &rows, shape, length, end))
}

/// A type whose contiguous rows can be searched.
trait Row: Element {
    fn extreme(end: End, row: &[Self]) -> Option<(usize, Self)>;
}

/// Rows below this length are searched faster by a plain loop than by argminmax, whose cost per
/// call is fixed; the 16-bit floats, which the loop would widen one by one, gain at any length.
const SHORT_ROW: usize = 128;

macro_rules! rows {
    ($($type:ty: $shortest:expr, $argmax:path, $argmin:path;)*) => {$(
        impl Row for $type {
            fn extreme(end: End, row: &[$type]) -> Option<(usize, $type)> {
                if row.len() < $shortest {
                    return extremes::position(end, row.iter().copied());
                }
                let index = match end {
                    End::Max => $argmax(&row),
                    End::Min => $argmin(&row),
                };
                row.get(index).map(|&value| (index, value))
            }
        }
    )*};
}

rows! {
    f64: SHORT_ROW, NaNArgMinMax::nanargmax, NaNArgMinMax::nanargmin;
    f32: SHORT_ROW, NaNArgMinMax::nanargmax, NaNArgMinMax::nanargmin;
    half::bf16: 1, NaNArgMinMax::nanargmax, NaNArgMinMax::nanargmin;
    half::f16: 1, NaNArgMinMax::nanargmax, NaNArgMinMax::nanargmin;
    i64: SHORT_ROW, ArgMinMax::argmax, ArgMinMax::argmin;
    i32: SHORT_ROW, ArgMinMax::argmax, ArgMinMax::argmin;
    i16: SHORT_ROW, ArgMinMax::argmax, ArgMinMax::argmin;
    i8: SHORT_ROW, ArgMinMax::argmax, ArgMinMax::argmin;
    u8: SHORT_ROW, ArgMinMax::argmax, ArgMinMax::argmin;
    u32: SHORT_ROW, ArgMinMax::argmax, ArgMinMax::argmin;
}

impl Row for bool {
    fn extreme(end: End, row: &[bool]) -> Option<(usize, bool)> {
        extremes::position(end, row.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    /// The plain loop is the oracle of the vector search, at lengths around every register size,
    /// with the extreme at the worst places, ties, zeros of both signs, and NaN.
    fn check<T: Row>(values: impl Fn(u64) -> T) {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        let lengths =
            [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 79, 127, 128, 129, 143, 256, 1000, 4096];
        for length in lengths {
            for _ in 0..40 {
                let kinds = 1 + draw() % 12;
                let row: Vec<T> = (0..length).map(|_| values(draw() % kinds)).collect();
                for end in [End::Max, End::Min] {
                    let (expected, _) = extremes::position(end, row.iter().copied()).unwrap();
                    let (index, _) = T::extreme(end, &row).unwrap();
                    assert_eq!(index, expected, "{end:?} of {row:?}");
                }
            }
        }
    }

    #[test]
    fn vector_search_agrees_with_the_plain_loop() {
        const FLOATS: [f64; 12] =
            [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, 2.0, -2.0, 5e-8, -5e-8, 3.0, f64::NAN];
        let float = |i: u64| FLOATS[i as usize];
        check(float);
        check(|i| float(i) as f32);
        check(|i| f16::from_f64(float(i)));
        check(|i| bf16::from_f64(float(i)));
        check(|i| [i64::MIN, i64::MAX, 0, 1][i as usize % 4]);
        check(|i| [i32::MIN, i32::MAX, 0, 1][i as usize % 4]);
        check(|i| [i16::MIN, i16::MAX, 0, 1][i as usize % 4]);
        check(|i| [i8::MIN, i8::MAX, 0, 1][i as usize % 4]);
        check(|i| [u8::MIN, u8::MAX, 0, 1][i as usize % 4]);
        check(|i| [u32::MIN, u32::MAX, 0, 1][i as usize % 4]);
    }
}
