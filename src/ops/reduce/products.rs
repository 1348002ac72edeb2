//! Products: `prod` and `stable_prod`.

use super::super::autograd::{Gradients, Pass, no_gradient};
use super::super::call::{Call, Result, Value, refuse_uint32};
use super::super::numerics::iterator::Walk;
use super::super::numerics::product::{Fold, fold};
use super::super::numerics::scaled::Scaled;
use super::super::{dims, eager, lines};
use super::sums::Factor;
use super::{Plan, accumulated, fold_integers, reduced_count, unreduced};
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
    pass.refuse_integral_result()?;
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

/// The way back through the composition: rounding and mantissas carry no more than zeros (NaN
/// where 0 meets an infinite factor, or a float64 factor whose exponent float32 has not), so only
/// the products in the dtype itself have a gradient.
pub(super) fn stable_prod_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let input = pass.call.tensor("input")?;
        let count = reduced_count(pass.call)?;
        if count == 0 {
            return Err(no_gradient(0));
        }
        let plan = Plan::new(pass.call, input)?;
        let (rows, outputs) = (plan.rows(input), plan.outputs());
        let flat = rows.reshaped(&[outputs, count]);
        let cotangent = pass.cotangent(0)?.reshaped(&[outputs]);
        let gradient = along_factors(&flat, &cotangent)?.reshaped(rows.shape());
        Ok(plan.rows_back(&gradient))
    })])
}

/// One step of the forward pass, as its way back needs it.
struct Step {
    factor: Tensor,
    sequential: Tensor,
    mantissa: Tensor,
    factor_mantissa: Tensor,
    factor_scale: Tensor,
    scale: Tensor,
}

/// The gradients of a matrix whose rows are multiplied.
fn along_factors(rows: &Tensor, cotangent: &Tensor) -> Result<Tensor> {
    let (outputs, dtype) = (rows.shape()[..1].to_vec(), rows.dtype());
    let split = |tensor: &Tensor| -> Result<(Tensor, Tensor)> {
        let part = |number| eager::output("frexp", [("input", tensor.into())], number);
        Ok((part(0)?, eager::call("exp2", [("input", part(1)?.into())])?))
    };
    let mut mantissa = Tensor::full(&outputs, Scalar::Float(0.5), DType::Float64);
    let mut sequential = Tensor::full(&outputs, Scalar::Int(1), dtype);
    let mut steps = Vec::new();
    for place in 0..rows.shape()[1] {
        let factor = rows.selected(1, place).contiguous();
        let (factor_mantissa, factor_scale) = split(&factor.to_dtype(DType::Float64))?;
        let (next, scale) = split(&eager::mul(&mantissa, &factor_mantissa)?)?;
        let product = eager::mul(&sequential, &factor)?;
        steps.push(Step { factor, sequential, mantissa, factor_mantissa, factor_scale, scale });
        (mantissa, sequential) = (next, product);
    }
    let mut to_mantissa = Tensor::full(&outputs, Scalar::Int(0), DType::Float64);
    let none = Tensor::full(&[], Scalar::Int(0), dtype);
    let mut to_product = eager::where_(&normal_rows(rows), &none, cotangent)?;
    let mut columns = Vec::new();
    for step in steps.iter().rev() {
        let to_quotient = eager::div(&to_mantissa, &step.scale)?;
        let to_factor = eager::div(&eager::mul(&to_quotient, &step.mantissa)?, &step.factor_scale)?;
        let of_product = eager::mul(&to_product, &step.sequential)?;
        columns.push(Some(eager::add(&to_factor.to_dtype(dtype), &of_product)?));
        to_mantissa = eager::mul(&to_quotient, &step.factor_mantissa)?;
        to_product = eager::mul(&to_product, &step.factor)?;
    }
    columns.reverse();
    eager::call("stack", [("tensors", Value::Tensors(columns)), ("dim", 1.into())])
}

/// Which rows have normal factors alone, so that their product is the stable one.
fn normal_rows(rows: &Tensor) -> Tensor {
    let normal = |x: &Scalar| Scaled::ONE.times(x.to_f64(), rows.dtype()).is_some();
    let factors: Vec<Scalar> = rows.scalars().collect();
    let all = factors.chunks(rows.shape()[1]).map(|row| row.iter().all(normal));
    Tensor::collect(&rows.shape()[..1], all)
}
