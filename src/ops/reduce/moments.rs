//! Variance and standard deviation, alone (`var`, `std`) or with the mean (`var_mean`,
//! `std_mean`).
//!
//! Everything is computed in float64 and rounded once. A single output of `var` or `std` in
//! float32 or float64 is made in two passes; everything else is Welford's recurrence.

use super::super::autograd::{Gradients, Pass};
use super::super::call::{Call, Failure, Result, Returned};
use super::super::eager;
use super::super::numerics::iterator::Walk;
use super::super::numerics::lanes::Float;
use super::super::numerics::variance;
use super::sums::{cascaded, divide, spread_evenly};
use super::{Plan, reduced_count, unreduced};
use crate::tensor::{Scalar, Tensor};

pub(super) const PARAMETERS: &[&str] = &["input", "dim", "unbiased", "correction", "keepdim"];

/// What becomes of a variance: nothing, or its square root.
type Finish = fn(f64) -> f64;

pub(super) fn var(call: &Call) -> Result {
    moments(call, "std and var", |variance| variance, alone)
}

pub(super) fn std(call: &Call) -> Result {
    moments(call, "std and var", f64::sqrt, alone)
}

pub(super) fn var_mean(call: &Call) -> Result {
    moments(call, "var_mean", |variance| variance, with_mean)
}

pub(super) fn std_mean(call: &Call) -> Result {
    moments(call, "std_mean", f64::sqrt, with_mean)
}

/// Arguments, checks and the warning, which are common to all four.
fn moments(
    call: &Call,
    refusing: &str,
    finish: Finish,
    compute: fn(&Tensor, &Plan, f64, Finish) -> Vec<Tensor>,
) -> Result {
    let input = call.tensor("input")?;
    let correction = correction(call)?;
    if !input.dtype().is_floating() {
        return Err(Failure::not_implemented(format!(
            "{refusing} only support floating point and complex dtypes"
        )));
    }
    let plan = Plan::one_by_one(call, input)?;
    let mut warnings = Vec::new();
    if plan.count(input) as f64 - correction <= 0.0 {
        warnings.push(format!(
            "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input \
             numel divided by output numel).",
            call.op
        ));
    }
    Ok(Returned { outputs: compute(input, &plan, correction, finish), warnings })
}

fn correction(call: &Call) -> Result<f64> {
    Ok(match call.scalar("correction")? {
        Some(correction) => correction.to_f64(),
        None if call.get("unbiased").is_some() => f64::from(u8::from(call.flag("unbiased")?)),
        None => 1.0,
    })
}

pub(super) fn var_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| of_variance(pass.call, &pass.cotangent(0)?))])
}

pub(super) fn std_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| of_deviation(pass, &pass.cotangent(0)?))])
}

pub(super) fn var_mean_backward(pass: &Pass) -> Result<Gradients> {
    with_mean_backward(pass, |pass, cotangent| of_variance(pass.call, cotangent))
}

pub(super) fn std_mean_backward(pass: &Pass) -> Result<Gradients> {
    with_mean_backward(pass, of_deviation)
}

/// The gradient of the spread, plus that of the mean; an output without a cotangent adds nothing.
fn with_mean_backward(pass: &Pass, of_spread: fn(&Pass, &Tensor) -> Result<Tensor>) -> Result<Gradients> {
    pass.each(&[("input", &|| match pass.cotangents {
        [Some(spread), Some(mean)] => eager::add(&of_spread(pass, spread)?, &spread_evenly(pass.call, mean)?),
        [None, Some(mean)] => spread_evenly(pass.call, mean),
        _ => of_spread(pass, &pass.cotangent(0)?),
    })])
}

fn of_deviation(pass: &Pass, cotangent: &Tensor) -> Result<Tensor> {
    let deviation = pass.output(0)?;
    let of_variance_alone = eager::div(cotangent, &eager::mul(deviation, Scalar::Int(2))?)?;
    let is_zero = eager::eq(deviation, Scalar::Int(0))?;
    of_variance(pass.call, &eager::masked_fill(&of_variance_alone, &is_zero, Scalar::Int(0))?)
}

/// `2 / freedom * cotangent * (input - mean)`, with PyTorch's two exceptions: without freedom over
/// everything there is infinity or NaN, and an empty list of dims counts one element per result.
fn of_variance(call: &Call, cotangent: &Tensor) -> Result<Tensor> {
    let (input, correction) = (call.tensor("input")?, correction(call)?);
    let dims = call.ints("dim")?.filter(|_| input.dim() > 0);
    let Some(dims) = dims else {
        let mean = eager::call("mean", [("input", input.into())])?;
        let freedom = input.numel() as f64 - correction;
        if freedom <= 0.0 {
            let [nan, infinity] = [f64::NAN, f64::INFINITY].map(Scalar::Float);
            return eager::mul(cotangent, &eager::where_(&eager::eq(input, &mean)?, nan, infinity)?);
        }
        return scaled_distances(2.0 / freedom, cotangent, input, &mean);
    };
    let count = if dims.is_empty() { 1 } else { reduced_count(call)? };
    let mean =
        eager::call("mean", [("input", input.into()), ("dim", dims.into()), ("keepdim", true.into())])?;
    let cotangent = if input.dim() > 1 { unreduced(call, cotangent)? } else { cotangent.clone() };
    scaled_distances(2.0 / (count as f64 - correction), &cotangent, input, &mean)
}

fn scaled_distances(scale: f64, cotangent: &Tensor, input: &Tensor, mean: &Tensor) -> Result<Tensor> {
    eager::mul(&eager::mul(cotangent, Scalar::Float(scale))?, &eager::sub(input, mean)?)
}

fn alone(input: &Tensor, plan: &Plan, correction: f64, finish: Finish) -> Vec<Tensor> {
    fn one<T: Float>(
        data: &[T],
        input: &Tensor,
        plan: &Plan,
        correction: f64,
        finish: Finish,
    ) -> Vec<Tensor> {
        if input.numel() > 0 && plan.outputs() == 1 && T::DTYPE.size() > 2 {
            let squares = squared_distances(data, input);
            let result = finish(variance::over_freedom(squares, input.numel(), correction));
            return vec![plan.run(T::from_f64(result), |_| {})];
        }
        vec![welford(data, input, plan, correction, finish).0]
    }
    with_float!(input, data => one(data, input, plan, correction, finish), _ => Vec::new())
}

fn with_mean(input: &Tensor, plan: &Plan, correction: f64, finish: Finish) -> Vec<Tensor> {
    let (spread, mean) = with_float!(input, data => welford(data, input, plan, correction, finish),
        _ => return Vec::new());
    vec![spread, mean]
}

/// The sum of squared distances from the mean of everything. The mean is rounded to the input's
/// type first, which costs accuracy far from zero.
fn squared_distances<T: Float>(data: &[T], input: &Tensor) -> f64 {
    let mean = divide(&cascaded(data, input, &Plan::everything(input)), input.numel());
    let mean = mean.scalars().next().map_or(f64::NAN, Scalar::to_f64);
    variance::squared_distances(data, &Walk::single(input), mean)
}

/// Variances (finished) and means by Welford's recurrence; NaN where there is nothing to reduce.
fn welford<T: Float>(
    data: &[T],
    input: &Tensor,
    plan: &Plan,
    correction: f64,
    finish: Finish,
) -> (Tensor, Tensor) {
    let nothing = T::from_f64(f64::NAN);
    let mut means = vec![nothing; plan.outputs()];
    let spreads = plan.run(nothing, |spreads| {
        if input.numel() == 0 {
            return;
        }
        variance::welford_of_outputs(data, &plan.walk(input), |place, state| {
            let spread = finish(variance::over_freedom(state.squares, state.count, correction));
            spreads[place] = T::from_f64(spread);
            means[place] = T::from_f64(state.mean);
        });
    });
    (spreads, Tensor::collect(&plan.shape, means))
}
