//! Functions of each element: methods of one tensor, activations, and methods of two.

use std::f64::consts::{LN_2, LN_10};

use burn::tensor::activation;

use super::tensor::{
    Any, Ranked, basic, basic_pair, each_rank, host_dtype, lacks, mixed_kinds, number, numeric, numeric_pair,
    one_kind, same_rank, scalar_tensor, unsupported,
};
use super::{Args, Operand, Output, Row, float, one};
use crate::ops::Result;
use crate::tensor::{DType, Scalar};

/// A tensor and a mask of its rank.
macro_rules! same_rank_mask {
    ($tensor:expr, $mask:expr, $t:ident $m:ident => $body:expr) => {
        match ($tensor, $mask) {
            (Ranked::R1($t), Ranked::R1($m)) => $body,
            (Ranked::R2($t), Ranked::R2($m)) => $body,
            (Ranked::R3($t), Ranked::R3($m)) => $body,
            (Ranked::R4($t), Ranked::R4($m)) => $body,
            (Ranked::R5($t), Ranked::R5($m)) => $body,
            (Ranked::R6($t), Ranked::R6($m)) => $body,
            _ => return unsupported("a mask of another rank"),
        }
    };
}
pub(super) use same_rank_mask;

/// Rows of methods that only Float tensors have.
macro_rules! float_methods {
    ($($name:literal $method:ident)*) => {
        &[$(Row {
            name: $name,
            parameters: &["input"],
            run: |args| one(each_rank!(args.float("input")?, t => Any::from(t.$method()))),
        }),*]
    };
}

/// The functions that are one method.
pub(super) const ROWS: &[Row] = float_methods! {
    "exp" exp
    "log" log
    "log1p" log1p
    "special.log1p" log1p
    "sqrt" sqrt
    "sin" sin
    "cos" cos
    "tan" tan
    "sinh" sinh
    "cosh" cosh
    "tanh" tanh
    "asin" asin
    "acos" acos
    "atan" atan
    "arcsin" asin
    "arccos" acos
    "arctan" atan
    "asinh" asinh
    "acosh" acosh
    "atanh" atanh
    "erf" erf
    "special.erf" erf
    "reciprocal" recip
    "floor" floor
    "ceil" ceil
    "trunc" trunc
    "fix" trunc
    "isnan" is_nan
    "isinf" is_inf
    "isfinite" is_finite
    "deg2rad" deg2rad
    "rad2deg" rad2deg
};

macro_rules! row {
    ($name:literal, [$($parameter:literal),*], $run:expr) => {
        Row { name: $name, parameters: &[$($parameter),*], run: $run }
    };
}

/// A row of a function of one Float tensor: `of_float!("relu", [], |args, t| …)`.
macro_rules! of_float {
    ($name:literal, [$($parameter:literal),*], |$args:ident, $t:ident| $body:expr) => {
        Row {
            name: $name,
            parameters: &["input" $(, $parameter)*],
            run: |$args| one(each_rank!($args.float("input")?, $t => Any::from($body))),
        }
    };
}

macro_rules! of_number {
    ($name:literal, |$t:ident| $body:expr) => {
        Row {
            name: $name,
            parameters: &["input"],
            run: |args| one(numeric!(args.tensor("input")?, $name, $t => Any::from($body))?),
        }
    };
}

/// Activations, methods of both numeric kinds, and what users compose of a few calls.
pub(super) const FUNCTIONS: &[Row] = &[
    of_number!("abs", |t| t.abs()),
    of_number!("absolute", |t| t.abs()),
    of_number!("neg", |t| t.neg()),
    of_number!("negative", |t| t.neg()),
    of_number!("sign", |t| t.sign()),
    of_number!("sgn", |t| t.sign()),
    of_number!("square", |t| t.square()),
    of_float!("relu", [], |args, t| activation::relu(t)),
    of_float!("relu6", [], |args, t| activation::relu6(t)),
    of_float!("sigmoid", [], |args, t| activation::sigmoid(t)),
    of_float!("special.expit", [], |args, t| activation::sigmoid(t)),
    of_float!("silu", [], |args, t| activation::silu(t)),
    of_float!("mish", [], |args, t| activation::mish(t)),
    of_float!("selu", [], |args, t| activation::selu(t)),
    of_float!("logsigmoid", [], |args, t| activation::log_sigmoid(t)),
    of_float!("hardswish", [], |args, t| activation::hard_swish(t)),
    of_float!("hardsigmoid", [], |args, t| activation::hard_sigmoid(t, 1.0 / 6.0, 0.5)),
    of_float!("softsign", [], |args, t| activation::softsign(t)),
    of_float!("tanhshrink", [], |args, t| activation::tanhshrink(t)),
    of_float!("elu", ["alpha"], |args, t| activation::elu(t, args.call.float("alpha", 1.0)?)),
    of_float!("celu", ["alpha"], |args, t| activation::celu(t, args.call.float("alpha", 1.0)?)),
    of_float!("leaky_relu", ["negative_slope"], |args, t| {
        activation::leaky_relu(t, args.call.float("negative_slope", 0.01)?)
    }),
    of_float!("hardtanh", ["min_val", "max_val"], |args, t| {
        activation::hardtanh(t, args.call.float("min_val", -1.0)?, args.call.float("max_val", 1.0)?)
    }),
    of_float!("softplus", ["beta", "threshold"], |args, t| {
        let beta = args.call.float("beta", 1.0)?;
        activation::softplus_with_threshold(t, beta, args.call.float("threshold", 20.0)?)
    }),
    of_float!("hardshrink", ["lambd"], |args, t| {
        activation::hard_shrink(t, args.call.float("lambd", 0.5)?)
    }),
    of_float!("softshrink", ["lambd"], |args, t| {
        activation::soft_shrink(t, args.call.float("lambd", 0.5)?)
    }),
    of_float!("threshold", ["threshold", "value"], |args, t| {
        activation::threshold(t, args.call.float("threshold", 0.0)?, args.call.float("value", 0.0)?)
    }),
    row!("gelu", ["input", "approximate"], gelu),
    of_float!("rsqrt", [], |args, t| t.sqrt().recip()),
    of_float!("frac", [], |args, t| t.clone() - t.trunc()),
    of_float!("expm1", [], |args, t| t.exp().sub_scalar(1)),
    of_float!("special.expm1", [], |args, t| t.exp().sub_scalar(1)),
    of_float!("exp2", [], |args, t| t.mul_scalar(LN_2).exp()),
    of_float!("special.exp2", [], |args, t| t.mul_scalar(LN_2).exp()),
    of_float!("log2", [], |args, t| t.log().div_scalar(LN_2)),
    of_float!("log10", [], |args, t| t.log().div_scalar(LN_10)),
    of_float!("erfc", [], |args, t| 1.0f64 - t.erf()),
    of_float!("special.erfc", [], |args, t| 1.0f64 - t.erf()),
    of_float!("logit", [], |args, t| (t.clone() / (1.0f64 - t)).log()),
    of_float!("isposinf", [], |args, t| t.equal_scalar(f64::INFINITY)),
    of_float!("isneginf", [], |args, t| t.equal_scalar(f64::NEG_INFINITY)),
    of_float!("round", [], |args, t| t.round()),
    row!("clone", ["input"], |args| one(args.tensor("input")?)),
    row!("item", ["input"], |args| {
        let dtype = args.call.tensor("input")?.dtype();
        let number = match args.tensor("input")? {
            Any::Float(x) => Scalar::Float(each_rank!(x, t => t.into_scalar::<f64>())),
            Any::Int(x) => Scalar::Int(each_rank!(x, t => t.into_scalar::<i64>())),
            Any::Bool(x) => Scalar::Bool(each_rank!(x, t => t.into_scalar::<bool>())),
        };
        Ok(vec![Output::Number(scalar_tensor(number, dtype))])
    }),
    row!("to", ["input", "dtype"], |args| one(args.input()?)),
    row!("logical_not", ["input"], |args| {
        one(match args.tensor("input")? {
            Any::Bool(x) => each_rank!(x, t => Any::from(t.bool_not())),
            Any::Float(x) => each_rank!(x, t => Any::from(t.equal_scalar(0))),
            Any::Int(x) => each_rank!(x, t => Any::from(t.equal_scalar(0))),
        })
    }),
    row!("bitwise_not", ["input"], |args| match args.tensor("input")? {
        Any::Bool(x) => one(each_rank!(x, t => Any::from(t.bool_not()))),
        Any::Int(x) => one(each_rank!(x, t => Any::from(t.bitwise_not()))),
        Any::Float(_) => lacks("bitwise_not", "Float"),
    }),
    row!("clamp", ["input", "min", "max"], |args| clamp(args, "min", "max")),
    row!("clip", ["input", "min", "max"], |args| clamp(args, "min", "max")),
    row!("clamp_min", ["input", "min"], |args| clamp(args, "min", "max")),
    row!("clamp_max", ["input", "max"], |args| clamp(args, "min", "max")),
    row!("masked_fill", ["input", "mask", "value"], masked_fill),
    row!("where", ["condition", "input", "other"], where_),
];

fn gelu(args: &Args) -> Result<Vec<Output>> {
    let x = args.float("input")?;
    one(match args.call.text("approximate")? {
        None | Some("none") => each_rank!(x, t => Any::from(activation::gelu(t))),
        Some("tanh") => each_rank!(x, t => Any::from(activation::gelu_approximate(t))),
        Some(other) => return unsupported(format!("gelu: approximate '{other}'")),
    })
}

fn clamp(args: &Args, min: &str, max: &str) -> Result<Vec<Output>> {
    let bound = |name: &str| match args.call.get(name) {
        None => Ok(None),
        Some(_) => args.operand(name).map(Some),
    };
    let input = args.tensor("input")?;
    if let (Some(Operand::Number(min)), Some(Operand::Number(max))) = (bound(min)?, bound(max)?) {
        let clamped = match (min, max) {
            (Scalar::Int(min), Scalar::Int(max)) => {
                numeric!(input, "clamp", t => Any::from(t.clamp(min, max)))
            }
            (min, max) => {
                let (min, max) = (min.to_f64(), max.to_f64());
                numeric!(input, "clamp", t => Any::from(t.clamp(min, max)))
            }
        };
        return one(clamped?);
    }
    let input = match bound(min)? {
        None => input,
        Some(Operand::Number(min)) => {
            number!(min, n => numeric!(input, "clamp_min", t => t.clamp_min(n).into())?)
        }
        Some(Operand::Tensor(min)) => numeric_pair!(input, min, "max_pair", x y => Any::from(x.max_pair(y)))?,
    };
    one(match bound(max)? {
        None => input,
        Some(Operand::Number(max)) => {
            number!(max, n => numeric!(input, "clamp_max", t => t.clamp_max(n).into())?)
        }
        Some(Operand::Tensor(max)) => numeric_pair!(input, max, "min_pair", x y => Any::from(x.min_pair(y)))?,
    })
}

/// `input.mask_fill(mask, number)`, or `mask_where` for a value that is a tensor.
fn masked_fill(args: &Args) -> Result<Vec<Output>> {
    let Any::Bool(mask) = args.tensor("mask")? else {
        return unsupported("masked_fill: a mask that is not Bool");
    };
    let input = args.tensor("input")?;
    let value = match (&input, args.operand("value")?) {
        // A value of another kind is cast to the tensor's, which is what PyTorch does as well.
        (Any::Float(_), Operand::Tensor(value @ (Any::Int(_) | Any::Bool(_))))
        | (Any::Int(_), Operand::Tensor(value @ (Any::Float(_) | Any::Bool(_))))
        | (Any::Bool(_), Operand::Tensor(value @ (Any::Float(_) | Any::Int(_)))) => {
            Operand::Tensor(value.cast(host_dtype(input.dtype())?)?)
        }
        (_, value) => value,
    };
    one(fill_or_choose(input, mask, value)?)
}

/// `tensor` where the mask is false, `value` where it is true.
pub(super) fn fill_or_choose(tensor: Any, mask: Ranked<burn::tensor::Bool>, value: Operand) -> Result<Any> {
    match value {
        Operand::Number(number) => {
            let rank = tensor.rank().max(mask.rank());
            let (tensor, mask) = (tensor.unsqueeze(rank)?, mask.unsqueeze(rank)?);
            macro_rules! filled {
                ($x:expr, $n:expr) => {
                    same_rank_mask!($x, mask, t m => t.mask_fill(m, $n).into())
                };
            }
            Ok(match tensor {
                Any::Float(x) => filled!(x, number.to_f64()),
                Any::Int(x) => number!(number, n => filled!(x, n)),
                Any::Bool(x) => filled!(x, number.to_bool()),
            })
        }
        Operand::Tensor(value) => {
            let rank = tensor.rank().max(mask.rank()).max(value.rank());
            let mask = mask.unsqueeze(rank)?;
            macro_rules! chosen {
                ($x:expr, $y:expr) => {
                    match ($x, $y, mask) {
                        (Ranked::R1(x), Ranked::R1(y), Ranked::R1(m)) => x.mask_where(m, y).into(),
                        (Ranked::R2(x), Ranked::R2(y), Ranked::R2(m)) => x.mask_where(m, y).into(),
                        (Ranked::R3(x), Ranked::R3(y), Ranked::R3(m)) => x.mask_where(m, y).into(),
                        (Ranked::R4(x), Ranked::R4(y), Ranked::R4(m)) => x.mask_where(m, y).into(),
                        (Ranked::R5(x), Ranked::R5(y), Ranked::R5(m)) => x.mask_where(m, y).into(),
                        (Ranked::R6(x), Ranked::R6(y), Ranked::R6(m)) => x.mask_where(m, y).into(),
                        _ => return unsupported("operands of different ranks"),
                    }
                };
            }
            Ok(match one_kind(tensor.unsqueeze(rank)?, value.unsqueeze(rank)?)? {
                (Any::Float(x), Any::Float(y)) => chosen!(x, y),
                (Any::Int(x), Any::Int(y)) => chosen!(x, y),
                (Any::Bool(x), Any::Bool(y)) => chosen!(x, y),
                _ => return mixed_kinds("mask_where"),
            })
        }
    }
}

/// `other.mask_where(condition, input)`; with a number, `mask_fill`.
fn where_(args: &Args) -> Result<Vec<Output>> {
    let Any::Bool(condition) = args.tensor("condition")? else {
        return unsupported("where: a condition that is not Bool");
    };
    if args.call.get("input").is_none() {
        return Ok(each_rank!(condition, t => t.nonzero()).into_iter().map(Output::from).collect());
    }
    one(match (args.operand("input")?, args.operand("other")?) {
        (input, Operand::Tensor(other)) => fill_or_choose(other, condition, input)?,
        (Operand::Tensor(input), other) => {
            let negated = each_rank!(condition, t => t.bool_not().into());
            fill_or_choose(input, negated, other)?
        }
        _ => return unsupported("where: two numbers"),
    })
}

/// Two operands of which at most one is a number, and then the right one or the left one.
#[expect(clippy::large_enum_variant, reason = "lives for one call")]
enum Operands {
    Tensors(Any, Any),
    Right(Any, Scalar),
    Left(Scalar, Any),
}

fn operands(args: &Args, left: &str, right: &str) -> Result<Operands> {
    Ok(match (args.operand(left)?, args.operand(right)?) {
        (Operand::Tensor(x), Operand::Tensor(y)) => Operands::Tensors(x, y),
        (Operand::Tensor(x), Operand::Number(n)) => Operands::Right(x, n),
        (Operand::Number(n), Operand::Tensor(y)) => Operands::Left(n, y),
        _ => return unsupported(format!("{}: two numbers", args.call.op)),
    })
}

/// The other operand times `alpha`.
fn scaled(args: &Args, operand: Operand) -> Result<Operand> {
    let Some(alpha) = args.call.scalar("alpha")? else { return Ok(operand) };
    Ok(match operand {
        Operand::Tensor(tensor) => {
            Operand::Tensor(number!(alpha, n => numeric!(tensor, "mul_scalar", t => t.mul_scalar(n).into())?))
        }
        Operand::Number(_) => return unsupported(format!("{}: alpha beside a number", args.call.op)),
    })
}

fn add(args: &Args) -> Result<Vec<Output>> {
    one(match (args.operand("input")?, scaled(args, args.operand("other")?)?) {
        (Operand::Tensor(x), Operand::Tensor(y)) => numeric_pair!(x, y, "add", x y => Any::from(x.add(y)))?,
        (Operand::Tensor(x), Operand::Number(n)) | (Operand::Number(n), Operand::Tensor(x)) => {
            number!(n, n => numeric!(x, "add_scalar", t => Any::from(t.add_scalar(n)))?)
        }
        _ => return unsupported("add: two numbers"),
    })
}

fn sub(args: &Args) -> Result<Vec<Output>> {
    difference(args.operand("input")?, scaled(args, args.operand("other")?)?)
}

fn rsub(args: &Args) -> Result<Vec<Output>> {
    difference(args.operand("other")?, scaled(args, args.operand("input")?)?)
}

fn difference(left: Operand, right: Operand) -> Result<Vec<Output>> {
    one(match (left, right) {
        (Operand::Tensor(x), Operand::Tensor(y)) => numeric_pair!(x, y, "sub", x y => Any::from(x.sub(y)))?,
        (Operand::Tensor(x), Operand::Number(n)) => {
            number!(n, n => numeric!(x, "sub_scalar", t => Any::from(t.sub_scalar(n)))?)
        }
        (Operand::Number(n), Operand::Tensor(y)) => {
            number!(n, n => numeric!(y, "sub", t => Any::from(n - t))?)
        }
        _ => return unsupported("sub: two numbers"),
    })
}

fn mul(args: &Args) -> Result<Vec<Output>> {
    one(match operands(args, "input", "other")? {
        Operands::Tensors(x, y) => numeric_pair!(x, y, "mul", x y => Any::from(x.mul(y)))?,
        Operands::Right(x, n) | Operands::Left(n, x) => {
            number!(n, n => numeric!(x, "mul_scalar", t => Any::from(t.mul_scalar(n)))?)
        }
    })
}

fn quotient(args: &Args) -> Result<Any> {
    Ok(match operands(args, "input", "other")? {
        Operands::Tensors(x, y) => numeric_pair!(x, y, "div", x y => Any::from(x.div(y)))?,
        Operands::Right(x, n) => number!(n, n => numeric!(x, "div_scalar", t => Any::from(t.div_scalar(n)))?),
        Operands::Left(n, y) => {
            let n = n.to_f64();
            each_rank!(float(y, "a number divided by a tensor")?, t => Any::from(n / t))
        }
    })
}

/// burn divides Int tensors with truncation and has no other division for them.
fn div(args: &Args) -> Result<Vec<Output>> {
    let quotient = quotient(args)?;
    one(match (args.call.text("rounding_mode")?, quotient) {
        (None, quotient) | (Some("trunc"), quotient @ Any::Int(_)) => quotient,
        (Some("floor"), Any::Float(x)) => each_rank!(x, t => Any::from(t.floor())),
        (Some("trunc"), Any::Float(x)) => each_rank!(x, t => Any::from(t.trunc())),
        (Some(mode), _) => return unsupported(format!("div: rounding_mode '{mode}' of Int tensors")),
    })
}

fn floor_divide(args: &Args) -> Result<Vec<Output>> {
    match quotient(args)? {
        Any::Float(x) => one(each_rank!(x, t => Any::from(t.floor()))),
        _ => unsupported("floor_divide: burn's division of Int tensors truncates, another there is not"),
    }
}

fn remainder(args: &Args) -> Result<Vec<Output>> {
    one(match operands(args, "input", "other")? {
        Operands::Tensors(x, y) => numeric_pair!(x, y, "remainder", x y => Any::from(x.remainder(y)))?,
        Operands::Right(x, n) => {
            number!(n, n => numeric!(x, "remainder_scalar", t => Any::from(t.remainder_scalar(n)))?)
        }
        Operands::Left(..) => return unsupported("remainder: a number on the left"),
    })
}

fn fmod(args: &Args) -> Result<Vec<Output>> {
    one(match operands(args, "input", "other")? {
        Operands::Tensors(Any::Float(x), Any::Float(y)) => same_rank!(x, y, x y => Any::from(x.fmod(y))),
        Operands::Right(Any::Float(x), n) => {
            let n = n.to_f64() as f32;
            each_rank!(x, t => Any::from(t.fmod_scalar(n)))
        }
        Operands::Left(..) => return unsupported("fmod: a number on the left"),
        _ => return lacks("fmod", "Int and Bool"),
    })
}

fn pow(args: &Args) -> Result<Vec<Output>> {
    one(match operands(args, "input", "exponent")? {
        Operands::Tensors(Any::Float(x), Any::Float(y)) => same_rank!(x, y, x y => Any::from(x.powf(y))),
        Operands::Tensors(Any::Int(x), Any::Int(y)) => same_rank!(x, y, x y => Any::from(x.powi(y))),
        Operands::Tensors(..) => return mixed_kinds("pow"),
        Operands::Right(Any::Float(x), Scalar::Float(n)) => each_rank!(x, t => Any::from(t.powf_scalar(n))),
        Operands::Right(x, Scalar::Int(n)) => numeric!(x, "powi_scalar", t => Any::from(t.powi_scalar(n)))?,
        Operands::Right(..) => return unsupported("pow: a float power of an Int tensor, or a bool as power"),
        Operands::Left(n, y) => {
            let n = n.to_f64();
            each_rank!(float(y, "powf")?, t => Any::from(t.full_like(n).powf(t)))
        }
    })
}

macro_rules! extreme {
    ($name:literal, $method:ident) => {
        row!($name, ["input", "other"], |args| {
            let (x, y) = (args.tensor("input")?, args.tensor("other")?);
            one(numeric_pair!(x, y, stringify!($method), x y => Any::from(x.$method(y)))?)
        })
    };
}

/// A comparison, with the method for a number on either side.
macro_rules! comparison {
    ($name:literal, $method:ident, $right:ident, $left:ident) => {
        row!($name, ["input", "other"], |args| {
            one(match operands(args, "input", "other")? {
                Operands::Tensors(x, y) => {
                    numeric_pair!(x, y, stringify!($method), x y => Any::from(x.$method(y)))?
                }
                Operands::Right(x, n) => {
                    number!(n, n => numeric!(x, stringify!($right), t => Any::from(t.$right(n)))?)
                }
                Operands::Left(n, y) => {
                    number!(n, n => numeric!(y, stringify!($left), t => Any::from(t.$left(n)))?)
                }
            })
        })
    };
}

macro_rules! equality {
    ($name:literal, $method:ident, $scalar:ident) => {
        row!($name, ["input", "other"], |args| {
            one(match operands(args, "input", "other")? {
                Operands::Tensors(x, y) => {
                    basic_pair!(x, y, stringify!($method), x y => Any::from(x.$method(y)))?
                }
                Operands::Right(x, n) | Operands::Left(n, x) => match (x, n) {
                    (Any::Bool(x), Scalar::Bool(n)) => each_rank!(x, t => Any::from(t.$scalar(n))),
                    (x, n) => number!(n, n => basic!(x, t => Any::from(t.$scalar(n)))),
                },
            })
        })
    };
}

/// Logic on truth values, which burn has for Bool tensors; the others are asked with `bool` first.
macro_rules! logic {
    ($name:literal, $method:ident) => {
        row!($name, ["input", "other"], |args| {
            let x = args.tensor("input")?.cast(DType::Bool)?;
            let y = args.tensor("other")?.cast(DType::Bool)?;
            let (Any::Bool(x), Any::Bool(y)) = (x, y) else { return mixed_kinds($name) };
            one(same_rank!(x, y, x y => Any::from(x.$method(y))))
        })
    };
}

macro_rules! bitwise {
    ($name:literal, $bool:ident, $method:ident, $scalar:ident) => {
        row!($name, ["input", "other"], |args| {
            one(match operands(args, "input", "other")? {
                Operands::Tensors(Any::Bool(x), Any::Bool(y)) => same_rank!(x, y, x y => Any::from(x.$bool(y))),
                Operands::Tensors(Any::Int(x), Any::Int(y)) => same_rank!(x, y, x y => Any::from(x.$method(y))),
                Operands::Right(Any::Int(x), Scalar::Int(n)) | Operands::Left(Scalar::Int(n), Any::Int(x)) => {
                    each_rank!(x, t => Any::from(t.$scalar(n)))
                }
                Operands::Tensors(Any::Float(_), Any::Float(_)) => return lacks($name, "Float"),
                _ => return mixed_kinds($name),
            })
        })
    };
}

macro_rules! shift {
    ($name:literal, $method:ident, $scalar:ident) => {
        row!($name, ["input", "other"], |args| {
            one(match operands(args, "input", "other")? {
                Operands::Tensors(Any::Int(x), Any::Int(y)) => same_rank!(x, y, x y => Any::from(x.$method(y))),
                Operands::Right(Any::Int(x), Scalar::Int(n)) => each_rank!(x, t => Any::from(t.$scalar(n))),
                _ => return lacks($name, "other than Int"),
            })
        })
    };
}

macro_rules! of_floats {
    ($name:literal, $method:ident) => {
        row!($name, ["input", "other"], |args| {
            let (x, y) = (args.float("input")?, args.float("other")?);
            one(same_rank!(x, y, x y => Any::from(x.$method(y))))
        })
    };
}

/// Functions of two tensors, or a tensor and a number.
pub(super) const PAIRS: &[Row] = &[
    row!("add", ["input", "other", "alpha"], add),
    row!("sub", ["input", "other", "alpha"], sub),
    row!("subtract", ["input", "other"], sub),
    row!("rsub", ["input", "other", "alpha"], rsub),
    row!("mul", ["input", "other"], mul),
    row!("multiply", ["input", "other"], mul),
    row!("div", ["input", "other", "rounding_mode"], div),
    row!("divide", ["input", "other"], div),
    row!("true_divide", ["input", "other"], div),
    row!("floor_divide", ["input", "other"], floor_divide),
    row!("remainder", ["input", "other"], remainder),
    row!("fmod", ["input", "other"], fmod),
    row!("pow", ["input", "exponent"], pow),
    extreme!("maximum", max_pair),
    extreme!("minimum", min_pair),
    comparison!("lt", lower, lower_scalar, greater_scalar),
    comparison!("less", lower, lower_scalar, greater_scalar),
    comparison!("le", lower_equal, lower_equal_scalar, greater_equal_scalar),
    comparison!("less_equal", lower_equal, lower_equal_scalar, greater_equal_scalar),
    comparison!("gt", greater, greater_scalar, lower_scalar),
    comparison!("greater", greater, greater_scalar, lower_scalar),
    comparison!("ge", greater_equal, greater_equal_scalar, lower_equal_scalar),
    comparison!("greater_equal", greater_equal, greater_equal_scalar, lower_equal_scalar),
    equality!("eq", equal, equal_scalar),
    equality!("ne", not_equal, not_equal_scalar),
    equality!("not_equal", not_equal, not_equal_scalar),
    logic!("logical_and", bool_and),
    logic!("logical_or", bool_or),
    logic!("logical_xor", bool_xor),
    bitwise!("bitwise_and", bool_and, bitwise_and, bitwise_and_scalar),
    bitwise!("bitwise_or", bool_or, bitwise_or, bitwise_or_scalar),
    bitwise!("bitwise_xor", bool_xor, bitwise_xor, bitwise_xor_scalar),
    shift!("bitwise_left_shift", bitwise_left_shift, bitwise_left_shift_scalar),
    shift!("bitwise_right_shift", bitwise_right_shift, bitwise_right_shift_scalar),
    of_floats!("atan2", atan2),
    of_floats!("arctan2", atan2),
    of_floats!("hypot", hypot),
    row!("lerp", ["input", "end", "weight"], lerp),
    row!("addcmul", ["input", "tensor1", "tensor2", "value"], addcmul),
    row!("addcdiv", ["input", "tensor1", "tensor2", "value"], addcdiv),
    row!("equal", ["input", "other"], |args| {
        let (x, y) = (args.tensor("input")?, args.tensor("other")?);
        one(basic_pair!(x, y, "equal", x y => Any::from(x.equal(y).all()))?)
    }),
    row!("isclose", ["input", "other", "rtol", "atol"], |args| {
        let (x, y) = (args.float("input")?, args.float("other")?);
        let (rtol, atol) = (args.call.float("rtol", 1e-5)?, args.call.float("atol", 1e-8)?);
        one(same_rank!(x, y, x y => Any::from(x.is_close(y, Some(rtol), Some(atol)))))
    }),
    row!("allclose", ["input", "other", "rtol", "atol"], |args| {
        let (x, y) = (args.float("input")?, args.float("other")?);
        let (rtol, atol) = (args.call.float("rtol", 1e-5)?, args.call.float("atol", 1e-8)?);
        let close = same_rank!(x, y, x y => x.all_close(y, Some(rtol), Some(atol)));
        Ok(vec![Output::Number(scalar_tensor(Scalar::Bool(close), DType::Bool))])
    }),
];

/// `input + (end - input) * weight`.
fn lerp(args: &Args) -> Result<Vec<Output>> {
    let (start, end) = (args.float("input")?, args.float("end")?);
    let step = Any::from(same_rank!(end, start.clone(), x y => Ranked::from(x - y)));
    let step = match args.operand("weight")? {
        Operand::Number(weight) => {
            let weight = weight.to_f64();
            each_rank!(float(step, "lerp")?, t => Any::from(t * weight))
        }
        Operand::Tensor(weight) => numeric_pair!(step, weight, "mul", x y => Any::from(x * y))?,
    };
    one(numeric_pair!(Any::Float(start), step, "add", x y => Any::from(x + y))?)
}

/// `input + tensor1 * tensor2 * value`.
fn addcmul(args: &Args) -> Result<Vec<Output>> {
    let (x, y) = (args.tensor("tensor1")?, args.tensor("tensor2")?);
    let product = numeric_pair!(x, y, "mul", x y => Any::from(x * y))?;
    plus_scaled(args, product)
}

/// `input + tensor1 / tensor2 * value`.
fn addcdiv(args: &Args) -> Result<Vec<Output>> {
    let (x, y) = (args.tensor("tensor1")?, args.tensor("tensor2")?);
    let quotient = numeric_pair!(x, y, "div", x y => Any::from(x / y))?;
    plus_scaled(args, quotient)
}

fn plus_scaled(args: &Args, term: Any) -> Result<Vec<Output>> {
    let term = match args.call.scalar("value")? {
        None => term,
        Some(value) => number!(value, n => numeric!(term, "mul_scalar", t => Any::from(t.mul_scalar(n)))?),
    };
    one(numeric_pair!(args.tensor("input")?, term, "add", x y => Any::from(x + y))?)
}
