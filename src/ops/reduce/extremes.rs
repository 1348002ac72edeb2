//! Extremes without positions: `amax`, `amin`, `aminmax`. NaN propagates.

use super::super::autograd::{Gradients, Pass};
use super::super::call::{Call, Failure, Result, refuse_uint32};
use super::super::numerics::extremes::{self, Always, End};
use super::super::numerics::iterator::Walk;
use super::super::numerics::product::fold;
use super::super::{dims, eager};
use super::{Plan, unreduced};
use crate::tensor::{Element, Tensor};
use crate::with_data;

pub(super) fn amax(call: &Call) -> Result {
    extremes(call, End::Max)
}

pub(super) fn amin(call: &Call) -> Result {
    extremes(call, End::Min)
}

fn extremes(call: &Call, end: End) -> Result {
    let input = call.tensor("input")?;
    if input.numel() == 0 {
        dims::refuse_empty(&call.op, call.ints("dim")?.as_deref(), input)?;
    }
    let plan = Plan::new(call, input)?;
    if input.numel() > 0 {
        let kernel = if end == End::Max { "max_values_cpu" } else { "min_values_cpu" };
        refuse_uint32(kernel, input.dtype())?;
    }
    let walk = plan.walk(input);
    fn extreme<T: Element>(data: &[T], walk: &Walk, plan: &Plan, end: End) -> Tensor {
        // Apart, so that neither asks for every element which end it is.
        plan.run(T::from_scalar(end.identity(T::DTYPE)), |output| match end {
            End::Max => fold(data, walk, Always::<true>, output),
            End::Min => fold(data, walk, Always::<false>, output),
        })
    }
    Ok(with_data!(input.storage(), data => extreme(data, &walk, &plan, end)).into())
}

pub(super) fn amax_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| shared(pass.call, &pass.cotangent(0)?, pass.output(0)?))])
}

/// The cotangent shared evenly by what equals the result (`scale_grad_by_count`); NaN equals
/// nothing, so there is nothing to share it and all is NaN.
fn shared(call: &Call, cotangent: &Tensor, result: &Tensor) -> Result<Tensor> {
    let mask = eager::eq(&unreduced(call, result)?, call.tensor("input")?)?;
    let count = eager::sum_keepdim(&mask, call.ints("dim")?.unwrap_or_default())?;
    eager::mul(&eager::div(&unreduced(call, cotangent)?, &count)?, &mask)
}

/// The sum of both extremes' shares; an output without a cotangent has none.
pub(super) fn aminmax_backward(pass: &Pass) -> Result<Gradients> {
    let share = |number: usize| shared(pass.call, &pass.cotangent(number)?, pass.output(number)?);
    pass.each(&[("input", &|| match pass.cotangents {
        [Some(_), Some(_)] => eager::add(&share(0)?, &share(1)?),
        [None, Some(_)] => share(1),
        _ => share(0),
    })])
}

/// Smallest and largest, of everything or along one dimension.
pub(super) fn aminmax(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let Some(dim) = call.int("dim")? else {
        if input.numel() == 0 {
            return Err(Failure::runtime(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
            ));
        }
        refuse_uint32("aminmax_cpu", input.dtype())?;
        return Ok(both(input, &Plan::new(call, input)?, Over::Everything).into());
    };
    let wrapped = dims::wrap(dim, input.dim())?;
    if input.shape().get(wrapped) == Some(&0) {
        return Err(Failure::index(format!(
            "aminmax: Expected reduction dim {wrapped} to have non-zero size."
        )));
    }
    // A tensor without dimensions is copied and meets no kernel.
    if input.dim() > 0 {
        refuse_uint32("aminmax_cpu", input.dtype())?;
    }
    Ok(both(input, &Plan::new(call, input)?, Over::Dim).into())
}

/// Which of two zeros of different sign wins depends on what is reduced.
#[derive(Clone, Copy)]
enum Over {
    /// In vectors, as `max()` and `min()`.
    Everything,
    /// The first of equals, as `max(dim)` and `min(dim)`.
    Dim,
}

/// The smallest and the largest of every output's inputs.
fn both(input: &Tensor, plan: &Plan, over: Over) -> (Tensor, Tensor) {
    fn along<T: Element>(_: &[T], input: &Tensor, plan: &Plan, over: Over) -> (Tensor, Tensor) {
        let (rows, count) = (plan.rows(input), plan.count(input));
        let values = rows.values::<T>();
        let extreme = |end| {
            let of_row = |row: &[T]| match over {
                Over::Everything => extremes::all(end, row),
                Over::Dim => extremes::position(end, row.iter().copied()).map(|(_, value)| value),
            };
            Tensor::collect(&plan.shape, values.chunks(count.max(1)).filter_map(of_row))
        };
        (extreme(End::Min), extreme(End::Max))
    }
    with_data!(input.storage(), data => along(data, input, plan, over))
}
