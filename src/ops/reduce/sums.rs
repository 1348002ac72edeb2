//! Sums and means: `sum`, `nansum`, `mean`, `nanmean`, `sum_of_squares`.
//!
//! Floats are added in PyTorch's cascade ([`sum`](super::super::numerics::sum)), with NaN read as
//! 0 by `nansum` and `nanmean`. Integers and bool are added in int64 and wrap.

use std::ops::Mul;

use super::super::autograd::{Gradients, Pass};
use super::super::call::{Call, Failure, Result, refuse_uint32};
use super::super::eager;
use super::super::numerics::lanes::Float;
use super::super::numerics::sum as cascade;
use super::{Plan, accumulated, fold_integers, reduced_count, unreduced};
use crate::tensor::{DType, Element, Scalar, Tensor, layout};
use crate::with_data;

pub(super) fn sum(call: &Call) -> Result {
    let input = accumulated(call)?;
    let plan = Plan::new(call, &input)?;
    if input.numel() > 0 {
        refuse_uint32("sum_cpu", input.dtype())?;
    }
    if summed_wide(&input, &plan) {
        // The input goes to float32 as it was given, not by way of the result's type.
        let wide = call.tensor("input")?.to_dtype(DType::Float32);
        return Ok(sum_along(&wide, &plan).to_dtype(input.dtype()).into());
    }
    Ok(sum_along(&input, &plan).into())
}

pub(super) fn sum_backward(pass: &Pass) -> Result<Gradients> {
    pass.refuse_integral_result()?;
    pass.each(&[("input", &|| spread(pass.call, &pass.cotangent(0)?))])
}

/// Each result's gradient for every element that it reduces.
fn spread(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    Ok(unreduced(call, cotangent)?.expanded(call.tensor("input")?.shape()))
}

/// Whether PyTorch sums in float32 because a 16-bit output would be rounded once per block.
fn summed_wide(input: &Tensor, plan: &Plan) -> bool {
    input.dtype().is_floating() && input.dtype().size() == 2 && plan.walk(input).reduces_two_dims()
}

/// The sum of what the plan reduces, in the input's own type.
pub(super) fn sum_along(input: &Tensor, plan: &Plan) -> Tensor {
    if summed_wide(input, plan) {
        return sum_along(&input.to_dtype(DType::Float32), plan).to_dtype(input.dtype());
    }
    with_float!(input, data => cascaded(data, input, plan), _ => fold_integers(input, plan, 0, i64::wrapping_add))
}

/// The sum in blocks, each of which is rounded to the type.
pub(super) fn cascaded<T: Float>(data: &[T], input: &Tensor, plan: &Plan) -> Tensor {
    plan.run(T::from_f64(0.0), |output| cascade::sum(data, &plan.walk(input), output))
}

/// Without NaN to leave out, in integers, `nansum` is [`sum`]. Floats that are summed as integers
/// become finite before they are converted.
pub(super) fn nansum(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if !input.dtype().is_floating() {
        return sum(call);
    }
    let dtype = call.dtype("dtype")?.unwrap_or(input.dtype());
    let plan = Plan::one_by_one(call, input)?;
    if input.numel() > 0 {
        refuse_uint32("sum_cpu", dtype)?;
    }
    if !dtype.is_floating() {
        let finite = with_float!(input, data => laid_out(input, data, finite)?, _ => input.clone());
        return Ok(sum_along(&finite.to_dtype(dtype), &plan).into());
    }
    Ok(nansum_along(&input.to_dtype(dtype), &plan).into())
}

/// PyTorch's `nan_to_num`: NaN is 0, and the infinities are the largest finite values.
fn finite<T: Float>(x: T) -> T {
    let largest = match T::DTYPE {
        DType::Float16 => f64::from(half::f16::MAX),
        DType::BFloat16 => f64::from(half::bf16::MAX),
        DType::Float32 => f64::from(f32::MAX),
        _ => f64::MAX,
    };
    if x.is_nan() { T::from_f64(0.0) } else { T::from_f64(x.to_f64().clamp(-largest, largest)) }
}

pub(super) fn nansum_backward(pass: &Pass) -> Result<Gradients> {
    pass.refuse_integral_result()?;
    pass.each(&[("input", &|| spread_to_numbers(pass.call, &pass.cotangent(0)?))])
}

/// As [`spread`] in the input's type, times 0 where the input is NaN.
fn spread_to_numbers(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    let input = call.tensor("input")?;
    let spread = spread(call, &cotangent.to_dtype(input.dtype()))?;
    eager::mul(&spread, &eager::logical_not(&eager::isnan(input)?)?)
}

/// As [`sum_along`] with NaN read as 0, but for 16-bit sums of several blocks, which PyTorch
/// rounds after each block here.
fn nansum_along(input: &Tensor, plan: &Plan) -> Tensor {
    fn floats<T: Float>(data: &[T], input: &Tensor, plan: &Plan) -> Tensor {
        let number = |&x: &T| if x.is_nan() { T::from_f64(0.0) } else { x };
        cascaded(&data.iter().map(number).collect::<Vec<T>>(), input, plan)
    }
    with_float!(input, data => floats(data, input, plan), _ => sum_along(input, plan))
}

pub(super) fn mean(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let wanted = call.dtype("dtype")?;
    let (dtype, which) = match wanted {
        Some(dtype) => (dtype, "Optional"),
        None => (input.dtype(), "Input"),
    };
    if !dtype.is_floating() {
        return Err(Failure::not_implemented(no_mean("mean", which, dtype)));
    }
    let plan = Plan::new(call, input)?;
    // 16-bit types are summed and divided in float32 and rounded once.
    let wide = if dtype.size() == 2 { DType::Float32 } else { dtype };
    let input = input.to_dtype(wide);
    let sum = sum_along(&input, &plan);
    Ok(divide(&sum, plan.count(&input)).to_dtype(dtype).into())
}

pub(super) fn mean_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| spread_evenly(pass.call, &pass.cotangent(0)?))])
}

/// As [`spread`], over the number of elements that a result reduces.
pub(super) fn spread_evenly(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    eager::div(&spread(call, cotangent)?, Scalar::Int(reduced_count(call)? as i64))
}

fn no_mean(op: &str, which: &str, dtype: DType) -> String {
    format!(
        "{op}(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. Got: {}",
        dtype.scalar_type()
    )
}

/// Every element over a count: a division, not a multiplication with the reciprocal.
pub(super) fn divide(sum: &Tensor, count: usize) -> Tensor {
    fn each<T: Float>(data: &[T], shape: &[usize], count: usize) -> Tensor {
        let count = T::Acc::from_scalar(Scalar::Int(count as i64));
        Tensor::collect(shape, data.iter().map(|x| T::narrow(x.widen() / count)))
    }
    with_float!(sum, data => each(data, sum.shape(), count), _ => sum.clone())
}

/// `nansum` over the count of what is no NaN, divided as PyTorch divides a 16-bit tensor by an
/// integer one: the count is rounded to the 16-bit type, unless there is only one.
pub(super) fn nanmean(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if !input.dtype().is_floating() {
        return Err(Failure::not_implemented(format!(
            "nanmean(): expected input to have floating point or complex dtype but got {}",
            input.dtype().scalar_type()
        )));
    }
    let dtype = call.dtype("dtype")?.unwrap_or(input.dtype());
    if !dtype.is_floating() {
        return Err(Failure::runtime(no_mean("nanmean", "Optional", dtype)));
    }
    let plan = Plan::new(call, input)?;
    let is_number = |x: Scalar| i64::from(!x.to_f64().is_nan());
    let counts = plan.fold(input, 0i64, |count, x| count + is_number(x));
    let counts = if counts.numel() == 1 { counts } else { counts.to_dtype(dtype) };
    let sums = nansum_along(&input.to_dtype(dtype), &plan);
    fn quotients<T: Float>(sums: &[T], counts: &Tensor) -> Tensor {
        let pairs = sums.iter().zip(counts.scalars());
        let quotient = |(sum, count): (&T, Scalar)| T::narrow(sum.widen() / T::Acc::from_scalar(count));
        Tensor::collect(counts.shape(), pairs.map(quotient))
    }
    Ok(with_float!(sums, data => quotients(data, &counts), _ => sums.clone()).into())
}

/// Through the division by the count, then through `nansum`.
pub(super) fn nanmean_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let input = pass.call.tensor("input")?;
        let plan = Plan::new(pass.call, input)?;
        let counts = plan.fold(input, 0i64, |count, x| count + i64::from(!x.to_f64().is_nan()));
        spread_to_numbers(pass.call, &eager::div(&pass.cotangent(0)?, &counts)?)
    })])
}

/// The sum of each element's square: squares are rounded to the input's type (integers wrap, a
/// bool is its own square), then summed as [`sum`] sums them. This is the project's own function,
/// PyTorch's `(input * input).sum(dim, keepdim)`.
pub(super) fn sum_of_squares(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let squares = with_float!(input, data => laid_out(input, data, |x| x * x)?,
        _ => with_data!(input.storage(), data => laid_out(input, data, wrapping_square)?));
    let plan = Plan::new(call, input)?;
    let dtype = if input.dtype().is_floating() { input.dtype() } else { DType::Int64 };
    Ok(sum_along(&squares.to_dtype(dtype), &plan).into())
}

/// Through the sum, then to both factors of each square.
pub(super) fn sum_of_squares_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let to_factor = eager::mul(&spread(pass.call, &pass.cotangent(0)?)?, pass.call.tensor("input")?)?;
        eager::add(&to_factor, &to_factor)
    })])
}

/// The product's low bits do not depend on the width in which it is made.
fn wrapping_square<T: Element>(x: T) -> T {
    let wide = x.to_scalar().to_i64();
    T::from_scalar(Scalar::Int(wide.wrapping_mul(wide)))
}

/// The results of an element-wise operation, laid out as PyTorch lays them out: as the input
/// where that has no gaps, else with its dimensions in the same order.
pub(super) fn laid_out<T: Element>(input: &Tensor, data: &[T], f: impl Fn(T) -> T) -> Result<Tensor> {
    let shape = input.shape();
    let mut results = vec![T::default(); input.numel()];
    let strides = if input.numel() > 0 && layout::is_dense(shape, input.strides()) {
        let memory = &data[input.offset()..][..input.numel()];
        for (result, &x) in results.iter_mut().zip(memory) {
            *result = f(x);
        }
        input.strides().to_vec()
    } else {
        let strides = layout::dense_strides(shape, input.strides());
        for (place, at) in layout::Positions::new(shape, &strides, 0).zip(input.positions()) {
            results[place] = f(data[at]);
        }
        strides
    };
    Tensor::strided(shape, &strides, 0, T::store(results))
        .map_err(|error| Failure::Unsupported(format!("a result's layout: {error}")))
}

/// Multiplication in the type itself, which rounds 16-bit products once.
pub(super) trait Factor: Float + Mul<Output = Self> {}

impl<T: Float + Mul<Output = T>> Factor for T {}
