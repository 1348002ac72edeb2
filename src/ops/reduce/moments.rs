//! Variance and standard deviation, alone (`var`, `std`) or with the mean (`var_mean`,
//! `std_mean`).
//!
//! Everything is computed in float64 and rounded once. A single output of `var` or `std` in
//! float32 or float64 is made in two passes; everything else is Welford's recurrence.

use super::super::call::{Call, Failure, Result, Returned};
use super::super::numerics::iterator::Walk;
use super::super::numerics::lanes::Float;
use super::super::numerics::variance;
use super::Plan;
use super::sums::{cascaded, divide};
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
    let correction = match call.scalar("correction")? {
        Some(correction) => correction.to_f64(),
        None if call.get("unbiased").is_some() => f64::from(u8::from(call.flag("unbiased")?)),
        None => 1.0,
    };
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
        plan.walk(input).for_each_output(|place, positions| {
            let state = variance::welford(positions.map(|at| data[at].to_f64()));
            let spread = finish(variance::over_freedom(state.squares, state.count, correction));
            spreads[place] = T::from_f64(spread);
            means[place] = T::from_f64(state.mean);
        });
    });
    (spreads, Tensor::collect(&plan.shape, means))
}
