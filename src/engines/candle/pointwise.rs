//! Element by element: arithmetic, comparisons, functions, activations.

use candle_core::{Result, Tensor};
use candle_nn::{Activation, Module};

use super::args::{Args, Operand};
use super::{Answer, Op, missing, one, op};
use crate::tensor::{DType, Scalar};

/// A function of `input` alone.
macro_rules! unary {
    ($name:literal, $body:expr) => {
        op($name, &["input"], |args| {
            let function: fn(&Tensor) -> Result<Tensor> = $body;
            one(function(&args.input()?)?)
        })
    };
}

/// An activation that candle-nn names.
macro_rules! activation {
    ($name:literal, $activation:expr) => {
        unary!($name, |x| $activation.forward(x))
    };
}

/// A comparison of tensors, which broadcast, or with a number.
macro_rules! compare {
    ($name:literal, $tensors:ident, $number:ident) => {
        op($name, &["input", "other"], |args| {
            let input = args.input()?;
            one(match args.operand("other")? {
                Operand::Tensor(other) => input.$tensors(&other)?,
                Operand::Number(Scalar::Float(number)) => input.$number(number)?,
                Operand::Number(number) => input.$number(number.to_i64())?,
            })
        })
    };
}

/// Arithmetic on two tensors, or a tensor and a number on either side, by candle's operators.
macro_rules! arithmetic {
    ($name:literal, $tensors:ident, $operator:tt) => {
        op($name, &["input", "other", "alpha"], |args| {
            let alpha = args.number("alpha")?;
            let scaled = |other: &Tensor| match alpha {
                Some(alpha) => other * alpha,
                None => Ok(other.clone()),
            };
            let number = |number: Scalar| number.to_f64() * alpha.unwrap_or(1.0);
            one(match (args.operand("input")?, args.operand("other")?) {
                (Operand::Tensor(a), Operand::Tensor(b)) => a.$tensors(&scaled(&b)?)?,
                (Operand::Tensor(a), Operand::Number(b)) => (a $operator number(b))?,
                (Operand::Number(a), Operand::Tensor(b)) => (a.to_f64() $operator scaled(&b)?)?,
                _ => return missing(concat!($name, " of two numbers")),
            })
        })
    };
}

pub(super) const OPS: &[Op] = &[
    unary!("abs", Tensor::abs),
    unary!("absolute", Tensor::abs),
    arithmetic!("add", broadcast_add, +),
    op("addcdiv", &["input", "tensor1", "tensor2", "value"], |args| fused(args, Tensor::broadcast_div)),
    op("addcmul", &["input", "tensor1", "tensor2", "value"], |args| fused(args, Tensor::broadcast_mul)),
    unary!("ceil", Tensor::ceil),
    op("celu", &["input", "alpha"], |args| {
        args.only("alpha", 1.0)?;
        one(args.input()?.elu(1.0)?)
    }),
    op("clamp", &["input", "min", "max"], clamp),
    op("clamp_max", &["input", "max"], clamp),
    op("clamp_min", &["input", "min"], clamp),
    op("clip", &["input", "min", "max"], clamp),
    unary!("clone", Tensor::copy),
    op("contiguous", &["input"], |args| one(args.input()?.contiguous()?)),
    op("copysign", &["input", "other"], |args| {
        let (input, other) = (args.input()?.abs()?, args.operand("other")?);
        one(match other {
            Operand::Tensor(other) => input.broadcast_mul(&other.sign()?)?,
            Operand::Number(other) => (input * 1f64.copysign(other.to_f64()))?,
        })
    }),
    unary!("cos", Tensor::cos),
    unary!("cosh", |x| (x.exp()? + x.neg()?.exp()?)? / 2.0),
    op("div", &["input", "other", "rounding_mode"], divide),
    op("divide", &["input", "other", "rounding_mode"], divide),
    op("elu", &["input", "alpha"], |args| one(args.input()?.elu(args.number("alpha")?.unwrap_or(1.0))?)),
    compare!("eq", broadcast_eq, eq),
    unary!("erf", Tensor::erf),
    unary!("erfc", |x| 1.0 - x.erf()?),
    unary!("exp", Tensor::exp),
    unary!("exp2", |x| (x * std::f64::consts::LN_2)?.exp()),
    unary!("expm1", |x| x.exp()? - 1.0),
    unary!("floor", Tensor::floor),
    unary!("fix", truncated),
    op("floor_divide", &["input", "other"], |args| one(quotient(args)?.floor()?)),
    op("fmod", &["input", "other"], |args| rest(args, truncated)),
    unary!("frac", |x| x - truncated(x)?),
    compare!("ge", broadcast_ge, ge),
    op("gelu", &["input", "approximate"], |args| {
        let input = args.input()?;
        one(match args.text("approximate")? {
            None | Some("none") => input.gelu_erf()?,
            Some("tanh") => input.gelu()?,
            Some(other) => return missing(format!("gelu: approximate '{other}'")),
        })
    }),
    compare!("greater", broadcast_gt, gt),
    compare!("greater_equal", broadcast_ge, ge),
    compare!("gt", broadcast_gt, gt),
    unary!("hardsigmoid", candle_nn::ops::hard_sigmoid),
    activation!("hardswish", Activation::HardSwish),
    op("hardtanh", &["input", "min_val", "max_val"], |args| {
        let (min, max) = (args.number("min_val")?.unwrap_or(-1.0), args.number("max_val")?.unwrap_or(1.0));
        one(args.input()?.clamp(min, max)?)
    }),
    op("hypot", &["input", "other"], |args| {
        one(args.input()?.sqr()?.broadcast_add(&args.tensor("other")?.sqr()?)?.sqrt()?)
    }),
    op("isclose", &["input", "other", "rtol", "atol", "equal_nan"], |args| one(close(args)?)),
    unary!("isfinite", |x| x.abs()?.lt(f64::INFINITY)),
    unary!("isinf", |x| x.abs()?.eq(f64::INFINITY)),
    unary!("isnan", |x| x.ne(x)),
    unary!("isneginf", |x| x.eq(f64::NEG_INFINITY)),
    unary!("isposinf", |x| x.eq(f64::INFINITY)),
    compare!("le", broadcast_le, le),
    op("leaky_relu", &["input", "negative_slope"], |args| {
        let slope = args.number("negative_slope")?.unwrap_or(0.01);
        one(candle_nn::ops::leaky_relu(&args.input()?, slope)?)
    }),
    op("lerp", &["input", "end", "weight"], |args| {
        let input = args.input()?;
        let way = args.tensor("end")?.broadcast_sub(&input)?;
        let part = match args.operand("weight")? {
            Operand::Tensor(weight) => weight.broadcast_mul(&way)?,
            Operand::Number(weight) => (way * weight.to_f64())?,
        };
        one(input.broadcast_add(&part)?)
    }),
    compare!("less", broadcast_lt, lt),
    compare!("less_equal", broadcast_le, le),
    unary!("log", Tensor::log),
    unary!("log10", |x| x.log()? / std::f64::consts::LN_10),
    unary!("log1p", |x| (x + 1.0)?.log()),
    unary!("log2", |x| x.log()? / std::f64::consts::LN_2),
    op("logit", &["input", "eps"], logit),
    op("special.logit", &["input", "eps"], logit),
    op("allclose", &["input", "other", "rtol", "atol", "equal_nan"], |args| one(close(args)?.min_all()?)),
    op("equal", &["input", "other"], |args| one(args.input()?.eq(&args.tensor("other")?)?.min_all()?)),
    op("logical_and", &["input", "other"], |args| {
        one(truth(args, "input")?.broadcast_mul(&truth(args, "other")?)?)
    }),
    unary!("logical_not", |x| x.eq(0i64)),
    op("logical_or", &["input", "other"], |args| {
        one(truth(args, "input")?.broadcast_maximum(&truth(args, "other")?)?)
    }),
    op("logical_xor", &["input", "other"], |args| {
        one(truth(args, "input")?.broadcast_ne(&truth(args, "other")?)?)
    }),
    unary!("logsigmoid", |x| candle_nn::ops::sigmoid(x)?.log()),
    compare!("lt", broadcast_lt, lt),
    op("maximum", &["input", "other"], |args| {
        one(args.input()?.broadcast_maximum(&args.tensor("other")?)?)
    }),
    op("minimum", &["input", "other"], |args| {
        one(args.input()?.broadcast_minimum(&args.tensor("other")?)?)
    }),
    unary!("mish", candle_nn::ops::mish),
    arithmetic!("mul", broadcast_mul, *),
    arithmetic!("multiply", broadcast_mul, *),
    compare!("ne", broadcast_ne, ne),
    unary!("neg", Tensor::neg),
    unary!("negative", Tensor::neg),
    compare!("not_equal", broadcast_ne, ne),
    unary!("positive", |x| Ok(x.clone())),
    op("pow", &["input", "exponent"], |args| {
        one(match (args.operand("input")?, args.operand("exponent")?) {
            (Operand::Tensor(base), Operand::Number(exponent)) => base.powf(exponent.to_f64())?,
            (Operand::Tensor(base), Operand::Tensor(exponent)) => base.broadcast_pow(&exponent)?,
            (Operand::Number(base), Operand::Tensor(exponent)) => (exponent * base.to_f64().ln())?.exp()?,
            _ => return missing("pow of two numbers"),
        })
    }),
    unary!("reciprocal", Tensor::recip),
    unary!("relu", Tensor::relu),
    activation!("relu6", Activation::Relu6),
    op("remainder", &["input", "other"], |args| rest(args, Tensor::floor)),
    op("round", &["input", "decimals"], |args| {
        let input = args.input()?;
        one(match args.call().int("decimals")? {
            Some(decimals) => input.round_to(i32::try_from(decimals).unwrap_or(i32::MAX))?,
            None => input.round()?,
        })
    }),
    op("rsub", &["input", "other", "alpha"], |args| {
        let input = (args.input()? * args.number("alpha")?.unwrap_or(1.0))?;
        one(match args.operand("other")? {
            Operand::Tensor(other) => other.broadcast_sub(&input)?,
            Operand::Number(other) => (other.to_f64() - input)?,
        })
    }),
    unary!("rsqrt", |x| x.sqrt()?.recip()),
    unary!("selu", |x| candle_nn::ops::selu(x, 1.673_263_2, 1.050_701)),
    unary!("sgn", Tensor::sign),
    unary!("sigmoid", candle_nn::ops::sigmoid),
    unary!("sign", Tensor::sign),
    unary!("signbit", |x| x.lt(0i64)),
    unary!("silu", Tensor::silu),
    unary!("sin", Tensor::sin),
    unary!("sinh", |x| (x.exp()? - x.neg()?.exp()?)? / 2.0),
    op("softplus", &["input", "beta", "threshold"], |args| {
        args.only("threshold", 20.0)?;
        let input = args.input()?;
        let exp_plus_one = |x: &Tensor| (x.exp()? + 1.0)?.log();
        one(match args.number("beta")? {
            Some(beta) => (exp_plus_one(&(input * beta)?)? / beta)?,
            None => exp_plus_one(&input)?,
        })
    }),
    unary!("special.erf", Tensor::erf),
    unary!("special.erfc", |x| 1.0 - x.erf()?),
    unary!("special.exp2", |x| (x * std::f64::consts::LN_2)?.exp()),
    unary!("special.expit", candle_nn::ops::sigmoid),
    unary!("special.expm1", |x| x.exp()? - 1.0),
    unary!("special.log1p", |x| (x + 1.0)?.log()),
    unary!("sqrt", Tensor::sqrt),
    unary!("square", Tensor::sqr),
    arithmetic!("sub", broadcast_sub, -),
    arithmetic!("subtract", broadcast_sub, -),
    unary!("tan", |x| x.sin()? / x.cos()?),
    unary!("tanh", Tensor::tanh),
    op("to", &["input", "dtype", "copy"], |args| {
        let input = args.converted()?;
        one(if args.flag("copy")? { input.copy()? } else { input })
    }),
    unary!("trunc", truncated),
    op("true_divide", &["input", "other"], divide),
    op("type_as", &["input", "other"], |args| one(args.input()?.to_dtype(args.tensor("other")?.dtype())?)),
    op("where", &["condition", "input", "other"], choose),
];

/// `input + value * combine(tensor1, tensor2)`.
fn fused(args: &Args, combine: fn(&Tensor, &Tensor) -> Result<Tensor>) -> Answer {
    let term = combine(&args.tensor("tensor1")?, &args.tensor("tensor2")?)?;
    let term = match args.number("value")? {
        Some(value) => (term * value)?,
        None => term,
    };
    one(args.input()?.broadcast_add(&term)?)
}

/// candle's `maximum` and `minimum`, each with a tensor or a number.
fn clamp(args: &Args) -> Answer {
    let mut clamped = args.input()?;
    if args.has("min") {
        clamped = match args.operand("min")? {
            Operand::Tensor(min) => clamped.broadcast_maximum(&min)?,
            Operand::Number(Scalar::Float(min)) => clamped.maximum(min)?,
            Operand::Number(min) => clamped.maximum(min.to_i64())?,
        };
    }
    if args.has("max") {
        clamped = match args.operand("max")? {
            Operand::Tensor(max) => clamped.broadcast_minimum(&max)?,
            Operand::Number(Scalar::Float(max)) => clamped.minimum(max)?,
            Operand::Number(max) => clamped.minimum(max.to_i64())?,
        };
    }
    one(clamped)
}

fn quotient(args: &Args) -> Answer<Tensor> {
    Ok(match (args.operand("input")?, args.operand("other")?) {
        (Operand::Tensor(a), Operand::Tensor(b)) => a.broadcast_div(&b)?,
        (Operand::Tensor(a), Operand::Number(b)) => (a / b.to_f64())?,
        (Operand::Number(a), Operand::Tensor(b)) => (a.to_f64() / b)?,
        _ => return missing("div of two numbers"),
    })
}

fn divide(args: &Args) -> Answer {
    let quotient = quotient(args)?;
    one(match args.text("rounding_mode")? {
        None => quotient,
        Some("floor") => quotient.floor()?,
        Some("trunc") => truncated(&quotient)?,
        Some(mode) => return missing(format!("div: rounding_mode '{mode}'")),
    })
}

/// `input - round(input / other) * other`, as PyTorch documents `remainder` and `fmod`.
fn rest(args: &Args, round: fn(&Tensor) -> Result<Tensor>) -> Answer {
    let whole = round(&quotient(args)?)?;
    one(match (args.operand("input")?, args.operand("other")?) {
        (Operand::Tensor(a), Operand::Tensor(b)) => a.broadcast_sub(&whole.broadcast_mul(&b)?)?,
        (Operand::Tensor(a), Operand::Number(b)) => (a - (whole * b.to_f64())?)?,
        (Operand::Number(a), Operand::Tensor(b)) => (a.to_f64() - whole.broadcast_mul(&b)?)?,
        _ => return missing(format!("{} of two numbers", args.op())),
    })
}

/// Without the fraction, by way of an integer: candle has no `trunc`.
fn truncated(input: &Tensor) -> Result<Tensor> {
    input.to_dtype(candle_core::DType::I64)?.to_dtype(input.dtype())
}

/// `|input - other| <= atol + rtol * |other|`.
fn close(args: &Args) -> Answer<Tensor> {
    if args.has("equal_nan") && args.flag("equal_nan")? {
        return missing(format!("{}: equal_nan=True", args.op()));
    }
    let other = args.tensor("other")?;
    let far = args.input()?.broadcast_sub(&other)?.abs()?;
    let (rtol, atol) = (args.number("rtol")?.unwrap_or(1e-5), args.number("atol")?.unwrap_or(1e-8));
    Ok(far.broadcast_le(&other.abs()?.affine(rtol, atol)?)?)
}

/// `log(x / (1 - x))`.
fn logit(args: &Args) -> Answer {
    let input = match args.number("eps")? {
        Some(eps) => args.input()?.clamp(eps, 1.0 - eps)?,
        None => args.input()?,
    };
    one((&input / (1.0 - &input)?)?.log()?)
}

/// 1 where an element is not 0.
fn truth(args: &Args, parameter: &str) -> Answer<Tensor> {
    Ok(args.tensor(parameter)?.ne(0i64)?)
}

/// `where_cond`, as it is: it neither broadcasts nor promotes. A number becomes a tensor of the
/// condition's shape in the other branch's dtype.
fn choose(args: &Args) -> Answer {
    let condition = args.tensor("condition")?;
    let (on_true, on_false) = (args.operand("input")?, args.operand("other")?);
    let full = |number: Scalar, dtype| -> Answer<Tensor> {
        let number = match number {
            Scalar::Float(number) => Tensor::full(number, condition.shape(), condition.device())?,
            number => Tensor::full(number.to_i64(), condition.shape(), condition.device())?,
        };
        Ok(number.to_dtype(dtype)?)
    };
    let default = |number: Scalar| match number {
        Scalar::Float(_) => DType::Float32,
        _ => DType::Int64,
    };
    let (on_true, on_false) = match (on_true, on_false) {
        (Operand::Tensor(a), Operand::Tensor(b)) => (a, b),
        (Operand::Tensor(a), Operand::Number(b)) => {
            let b = full(b, a.dtype())?;
            (a, b)
        }
        (Operand::Number(a), Operand::Tensor(b)) => (full(a, b.dtype())?, b),
        (Operand::Number(a), Operand::Number(b)) => {
            (full(a, super::convert::dtype(default(a))?)?, full(b, super::convert::dtype(default(b))?)?)
        }
    };
    one(condition.where_cond(&on_true, &on_false)?)
}
