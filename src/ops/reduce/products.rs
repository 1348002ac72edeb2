//! Products: `prod` and `stable_prod`.

use super::super::autograd::{Gradients, Pass};
use super::super::call::{Call, Result, refuse_uint32};
use super::super::numerics::iterator::Walk;
use super::super::numerics::product::{Fold, fold};
use super::super::numerics::scaled::Scaled;
use super::super::{dims, eager, lines};
use super::sums::Factor;
use super::{Plan, accumulated, fold_integers, unreduced};
use crate::tensor::{DType, Scalar, Tensor};

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

/// The result over each factor; where a factor is 0, the product of the others by two scans.
pub(super) fn prod_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let cotangent = pass.cotangent(0)?;
        let input = pass.call.tensor("input")?.to_dtype(cotangent.dtype());
        if input.dim() == 0 {
            return Ok(cotangent);
        }
        let zeros = input.scalars().filter(|x| x.to_f64() == 0.0).count();
        let Some(dim) = pass.call.int("dim")? else {
            return match zeros {
                0 => eager::mul(&cotangent, &eager::div(pass.output(0)?, &input)?),
                1 => {
                    let flat = input.reshaped(&[input.numel()]);
                    Ok(products_of_others(&cotangent, &flat, 0)?.reshaped(input.shape()))
                }
                _ => eager::zeros_like(&input),
            };
        };
        let cotangent = unreduced(pass.call, &cotangent)?;
        if zeros == 0 {
            let result = unreduced(pass.call, pass.output(0)?)?;
            return eager::mul(&cotangent, &eager::div(&result, &input)?);
        }
        products_of_others(&cotangent, &input, dims::wrap(dim, input.dim())?)
    })])
}

/// The cotangent times the product of all other factors of the line: of those before, and of those
/// behind (`prod_safe_zeros_backward`).
fn products_of_others(cotangent: &Tensor, input: &Tensor, dim: usize) -> Result<Tensor> {
    let others = input.shape()[dim] as i64 - 1;
    if others == 0 {
        return Ok(cotangent.expanded(input.shape()));
    }
    let (dim, one) = (dim as i64, lines::resized(input.shape(), dim, 1));
    let ones = Tensor::full(&one, Scalar::Int(1), cotangent.dtype());
    let before = eager::cumprod(&eager::cat([&ones, &eager::narrow(input, dim, 0, others)?], dim)?, dim)?;
    let behind = eager::flip(&eager::narrow(input, dim, 1, others)?, dim)?;
    let behind = eager::flip(&eager::cumprod(&eager::cat([&ones, &behind], dim)?, dim)?, dim)?;
    eager::mul(cotangent, &eager::mul(&before, &behind)?)
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
