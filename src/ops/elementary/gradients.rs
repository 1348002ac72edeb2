//! Gradients of exponentials, logarithms, circular and hyperbolic functions, and powers.
//!
//! Each is the composition of ops that PyTorch's autograd runs (`derivatives.yaml`,
//! `FunctionsManual.cpp`), call by call, read off PyTorch 2.15.0 as it ran. Every step rounds to
//! the dtype, as an op does.
//!
//! A step whose vector and scalar code differ depends on where its operand lies in memory: there
//! the step before is [laid out](laid_out_like) as `TensorIterator` leaves it.

use crate::ops::call::{Failure, Result, Value};
use crate::ops::numerics::iterator::Lines;
use crate::ops::numerics::zip::laid_out_like;
use crate::ops::promotion::{Operand, result_type};
use crate::ops::{Gradients, Pass, eager};
use crate::tensor::{Scalar, Tensor};

/// The gradient of a function of one tensor, from the cotangent and one tensor more.
fn of_one(pass: &Pass, other: &Tensor, rule: fn(&Tensor, &Tensor) -> Result<Tensor>) -> Result<Gradients> {
    pass.each(&[("input", &|| rule(&pass.cotangent(0)?, other))])
}

/// Rules of the cotangent and the input, or of the cotangent and the result.
macro_rules! rules {
    ($($name:ident of $other:ident: |$grad:ident, $x:ident| $value:expr;)*) => {$(
        pub(super) fn $name(pass: &Pass) -> Result<Gradients> {
            of_one(pass, rules!(@ $other pass), |$grad, $x| $value)
        }
    )*};
    (@ input $pass:ident) => { $pass.call.tensor("input")? };
    (@ result $pass:ident) => { $pass.output(0)? };
}

rules! {
    exp of result: |grad, y| eager::mul(grad, y);
    exp2 of result: |grad, y| eager::mul(&eager::mul(grad, y)?, number(std::f64::consts::LN_2));
    expm1 of result: |grad, y| eager::mul(grad, &eager::add(y, 1)?);
    log of input: |grad, x| eager::div(grad, x);
    log1p of input: |grad, x| eager::div(grad, &eager::add(x, 1)?);
    log2 of input: |grad, x| eager::div(grad, &eager::mul(x, number(std::f64::consts::LN_2))?);
    log10 of input: |grad, x| eager::div(grad, &eager::mul(x, number(std::f64::consts::LN_10))?);
    sin of input: |grad, x| eager::mul(grad, &eager::cos(x)?);
    cos of input: |grad, x| eager::mul(grad, &eager::neg(&eager::sin(x)?)?);
    tan of result: |grad, y| eager::mul(grad, &eager::add(&eager::pow(y, 2)?, 1)?);
    asin of input: |grad, x| eager::mul(grad, &root_of_rest(x)?);
    acos of input: |grad, x| eager::mul(grad, &eager::neg(&root_of_rest(x)?)?);
    atan of input: |grad, x| eager::div(grad, &eager::add(&eager::mul(x, x)?, 1)?);
    sinh of input: |grad, x| eager::mul(grad, &eager::cosh(x)?);
    cosh of input: |grad, x| eager::mul(grad, &eager::sinh(x)?);
    sqrt of result: |grad, y| eager::div(grad, &eager::mul(y, 2)?);
    rsqrt of result: |grad, y| eager::mul(&eager::mul(grad, number(-0.5))?, &eager::pow(y, 3)?);
    reciprocal of result: |grad, y| eager::mul(&eager::neg(grad)?, &eager::mul(y, y)?);
    erf of input: |grad, x| bell(grad, x, std::f64::consts::FRAC_2_SQRT_PI);
    erfc of input: |grad, x| bell(grad, x, -std::f64::consts::FRAC_2_SQRT_PI);
    square of input: |grad, x| power(grad, x, 2.0);
}

fn number(value: f64) -> Scalar {
    Scalar::Float(value)
}

/// 1 / sqrt(1 - x^2).
fn root_of_rest(x: &Tensor) -> Result<Tensor> {
    let rest = eager::add(&eager::mul(&eager::neg(x)?, x)?, 1)?;
    eager::rsqrt(&laid_out_like(&rest, x))
}

/// The cotangent times factor e^(-x^2).
fn bell(grad: &Tensor, x: &Tensor, factor: f64) -> Result<Tensor> {
    let bell = eager::exp(&eager::neg(&eager::pow(x, 2)?)?)?;
    eager::mul(&eager::mul(&bell, number(factor))?, grad)
}

/// The cotangent times exponent x^(exponent - 1).
fn power(grad: &Tensor, x: &Tensor, exponent: f64) -> Result<Tensor> {
    if exponent == 0.0 {
        return eager::zeros_like(x);
    }
    eager::mul(grad, &eager::mul(&eager::pow(x, number(exponent - 1.0))?, number(exponent))?)
}

pub(super) fn pow(pass: &Pass) -> Result<Gradients> {
    let (call, grad, result) = (pass.call, pass.cotangent(0)?, pass.output(0)?);
    let name = if call.get("self").is_some() { "self" } else { "input" };
    let (base, exponent) = (call.operand(name)?, call.operand("exponent")?);
    pass.each(&[
        (name, &|| match (&base, &exponent) {
            (Operand::Tensor(base), Operand::Number(exponent)) => power(&grad, base, exponent.to_f64()),
            (Operand::Tensor(base), Operand::Tensor(exponent)) => power_by_base(&grad, base, exponent),
            _ => Err(Failure::Unsupported("pow: gradient of a number".into())),
        }),
        ("exponent", &|| match (&base, &exponent) {
            (Operand::Number(base), Operand::Tensor(exponent)) => {
                power_of_number(&grad, base.to_f64(), exponent, result)
            }
            (Operand::Tensor(base), Operand::Tensor(exponent)) => {
                power_by_exponent(&grad, base, exponent, result)
            }
            _ => Err(Failure::Unsupported("pow: gradient of a number".into())),
        }),
    ])
}

/// The cotangent times exponent x^(exponent - 1), and 0 where the exponent is 0.
fn power_by_base(grad: &Tensor, base: &Tensor, exponent: &Tensor) -> Result<Tensor> {
    let lower = laid_out_like(&eager::sub(exponent, 1)?, exponent);
    let slope = eager::mul(exponent, &eager::pow(base, &lower)?)?;
    nothing_where(&eager::eq(exponent, number(0.0))?, exponent, &eager::mul(grad, &slope)?)
}

/// The cotangent times x^exponent log(x), the latter 0 where a zero has a power that is not
/// negative.
fn power_by_exponent(grad: &Tensor, base: &Tensor, exponent: &Tensor, result: &Tensor) -> Result<Tensor> {
    let flat = eager::logical_and(&eager::eq(base, 0)?, &eager::ge(exponent, 0)?)?;
    let dtype = result_type(&[Operand::Tensor(base), Operand::Tensor(exponent)])?;
    let slope = eager::mul(result, &eager::log(&base.to_dtype(dtype))?)?;
    eager::mul(grad, &eager::where_(&flat, zero(&slope), &slope)?)
}

fn power_of_number(grad: &Tensor, base: f64, exponent: &Tensor, result: &Tensor) -> Result<Tensor> {
    let slope = eager::mul(result, number(base.ln()))?;
    if base != 0.0 {
        return eager::mul(grad, &slope);
    }
    let flat = eager::ge(exponent, 0)?;
    eager::mul(grad, &eager::where_(&flat, zero(&slope), &slope)?)
}

fn zero(like: &Tensor) -> Tensor {
    Tensor::full(&[], Scalar::Int(0), like.dtype())
}

/// The gradient, but 0 where a condition on the exponent holds. It lies in memory along the
/// exponent, which the condition follows.
fn nothing_where(condition: &Tensor, exponent: &Tensor, gradient: &Tensor) -> Result<Tensor> {
    let gradient = eager::where_(condition, zero(gradient), gradient)?;
    let leading = laid_out_like(condition, exponent).expanded(gradient.shape());
    Ok(gradient.laid_out(&Lines::new([&leading, &gradient]).order))
}

/// The cotangent times the other coordinate over the square of the radius, where the origin has
/// no gradient.
pub(super) fn atan2(pass: &Pass) -> Result<Gradients> {
    let (y, x) = (pass.call.tensor("input")?, pass.call.tensor("other")?);
    let grad = pass.cotangent(0)?;
    let squares = eager::add(&eager::mul(y, y)?, &eager::mul(x, x)?)?;
    let origin = eager::eq(&squares, 0)?;
    let inverse = eager::masked_fill(&eager::reciprocal(&squares)?, &origin, Scalar::Int(0))?;
    pass.each(&[
        ("input", &|| eager::mul(&eager::mul(&grad, x)?, &inverse)),
        ("other", &|| eager::mul(&eager::mul(&grad, &eager::neg(y)?)?, &inverse)),
    ])
}

/// The cotangent times the operand over the length.
pub(super) fn hypot(pass: &Pass) -> Result<Gradients> {
    let (grad, length) = (pass.cotangent(0)?, pass.output(0)?);
    let along =
        |operand: &str| eager::div(&eager::mul(&grad, Value::from(pass.call.tensor(operand)?))?, length);
    pass.each(&[("input", &|| along("input")), ("other", &|| along("other"))])
}
