//! Products: `prod` and `stable_prod`.

use super::super::call::{Call, Result, refuse_uint32};
use super::super::numerics::iterator::Walk;
use super::super::numerics::product::{Fold, fold};
use super::super::numerics::scaled::Scaled;
use super::sums::Factor;
use super::{Plan, accumulated, fold_integers};
use crate::tensor::{DType, Tensor};

pub(super) fn prod(call: &Call) -> Result {
    let input = accumulated(call)?;
    let plan = match call.int("dim")? {
        Some(_) => Plan::new(call, &input)?,
        None => Plan::everything(&input),
    };
    if input.numel() > 0 {
        refuse_uint32("prod_out_cpu", input.dtype())?;
    }
    let walk = plan.walk(&input);
    fn product<T: Factor>(data: &[T], walk: &Walk, plan: &Plan) -> Tensor {
        plan.run(T::from_f64(1.0), |output| fold(data, walk, Times, output))
    }
    let output = with_float!(input, data => product(data, &walk, &plan),
        _ => fold_integers(&input, &plan, 1, i64::wrapping_mul));
    Ok(output.into())
}

/// Multiplication; commutative to the bit, so vector and scalar steps agree.
#[derive(Clone, Copy)]
struct Times;

impl<T: std::ops::Mul<Output = T>> Fold<T> for Times {
    #[inline(always)]
    fn scalar(self, a: T, b: T) -> T {
        a * b
    }
    #[inline(always)]
    fn vector(self, a: T, b: T) -> T {
        a * b
    }
}

/// The product whose intermediate values neither overflow nor underflow: in row-major order,
/// with a float64 mantissa and an exact exponent, rounded to the dtype once. An output with a
/// zero, subnormal, infinite or NaN factor is the product in the dtype instead, in the same
/// order. Integers and bool give the wrapping int64 product. This is the project's own function,
/// `stable_prod` of `python/parity/extensions.py`.
pub(super) fn stable_prod(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let plan = Plan::new(call, input)?;
    if !input.dtype().is_floating() {
        return Ok(fold_integers(&input.to_dtype(DType::Int64), &plan, 1, i64::wrapping_mul).into());
    }
    fn product<T: Factor>(_: &[T], input: &Tensor, plan: &Plan) -> Tensor {
        let (rows, count) = (plan.rows(input), plan.count(input));
        let values = rows.values::<T>();
        plan.run(T::from_f64(1.0), |output| {
            // Without factors, every output is 1 already.
            for (out, row) in output.iter_mut().zip(values.chunks(count.max(1))) {
                *out = stable(row);
            }
        })
    }
    Ok(with_float!(input, data => product(data, input, &plan), _ => input.clone()).into())
}

fn stable<T: Factor>(row: &[T]) -> T {
    let one = T::from_f64(1.0);
    match row.iter().map(|x| x.to_f64()).try_fold(Scaled::ONE, |product, x| product.times(x, T::DTYPE)) {
        Some(product) => T::from_f64(product.rounded(T::DTYPE)),
        None => row.iter().fold(one, |product, &x| product * x),
    }
}
