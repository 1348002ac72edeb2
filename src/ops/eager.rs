//! Ops called from Rust, for backward rules and other compositions: thin names over
//! [`run`](super::run), so that a composition has the bits of the ops that it is made of.

use super::autograd;
use super::call::{Call, Failure, Result, Value};
use crate::tensor::{Scalar, Tensor};

impl From<&Tensor> for Value {
    fn from(tensor: &Tensor) -> Value {
        Value::Tensor(tensor.clone())
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}

impl From<Scalar> for Value {
    fn from(number: Scalar) -> Value {
        Value::Scalar(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Scalar(Scalar::Int(number))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Scalar(Scalar::Bool(flag))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Str(text.to_string())
    }
}

impl From<Vec<i64>> for Value {
    fn from(list: Vec<i64>) -> Value {
        Value::List(list.into_iter().map(Value::from).collect())
    }
}

/// Calls an op that returns one tensor.
pub(crate) fn call(op: &str, args: impl IntoIterator<Item = (&'static str, Value)>) -> Result<Tensor> {
    let args = args.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let mut outputs = super::run(&Call { op: op.to_string(), args })?.outputs;
    match outputs.pop() {
        Some(output) if outputs.is_empty() => Ok(output),
        _ => Err(Failure::Unsupported(format!("{op}: not one output"))),
    }
}

/// One output of an op that returns several.
pub(crate) fn output(
    op: &str,
    args: impl IntoIterator<Item = (&'static str, Value)>,
    number: usize,
) -> Result<Tensor> {
    let args = args.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let outputs = super::run(&Call { op: op.to_string(), args })?.outputs;
    outputs.into_iter().nth(number).ok_or_else(|| Failure::Unsupported(format!("{op}: output {number}")))
}

/// The gradient of the input of an op that was called in a composition, from that of its output.
pub(crate) fn gradient(
    op: &str,
    args: impl IntoIterator<Item = (&'static str, Value)>,
    output: &Tensor,
    cotangent: &Tensor,
) -> Result<Tensor> {
    let args = args.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let call = Call { op: op.to_string(), args };
    let wrt = ["input".to_string()];
    let mut gradients =
        autograd::backward(&call, std::slice::from_ref(output), &[Some(cotangent.clone())], &wrt)?;
    let found = gradients.remove("input").and_then(|mut tensors| tensors.pop().flatten());
    found.ok_or_else(|| Failure::Unsupported(format!("{op}: no gradient")))
}

macro_rules! unary {
    ($($name:ident)*) => {$(
        pub(crate) fn $name(input: &Tensor) -> Result<Tensor> {
            call(stringify!($name), [("input", input.into())])
        }
    )*};
}

macro_rules! binary {
    ($($name:ident)*) => {$(
        pub(crate) fn $name(input: &Tensor, other: impl Into<Value>) -> Result<Tensor> {
            call(stringify!($name), [("input", input.into()), ("other", other.into())])
        }
    )*};
}

macro_rules! along {
    ($($name:ident)*) => {$(
        pub(crate) fn $name(input: &Tensor, dim: i64) -> Result<Tensor> {
            call(stringify!($name), [("input", input.into()), ("dim", dim.into())])
        }
    )*};
}

// One name a line.
unary! {
    abs
    cos
    cosh
    exp
    exp2
    isfinite
    isnan
    log
    logical_not
    logit
    logsigmoid
    neg
    reciprocal
    rsqrt
    sgn
    sigmoid
    sin
    sinh
}
binary! {
    add
    bitwise_and
    div
    eq
    ge
    gt
    le
    logical_and
    logical_or
    lt
    mul
    ne
    sub
}
along! {
    cumprod
    cumsum
    logcumsumexp
}

/// `pow` with one exponent for all elements.
/// `pow`, whose exponent may be a number.
pub(crate) fn pow(input: &Tensor, exponent: impl Into<Value>) -> Result<Tensor> {
    call("pow", [("input", input.into()), ("exponent", exponent.into())])
}

/// `flip` of one dimension.
pub(crate) fn flip(input: &Tensor, dim: i64) -> Result<Tensor> {
    call("flip", [("input", input.into()), ("dims", vec![dim].into())])
}

/// `narrow`.
pub(crate) fn narrow(input: &Tensor, dim: i64, start: i64, length: i64) -> Result<Tensor> {
    let place = [("dim", dim.into()), ("start", start.into()), ("length", length.into())];
    call("narrow", [("input", input.into())].into_iter().chain(place))
}

/// `cat` of two tensors.
pub(crate) fn cat(tensors: [&Tensor; 2], dim: i64) -> Result<Tensor> {
    let tensors = Value::Tensors(tensors.map(|tensor| Some(tensor.clone())).to_vec());
    call("cat", [("tensors", tensors), ("dim", dim.into())])
}

/// `gather`.
pub(crate) fn gather(input: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    call("gather", [("input", input.into()), ("dim", dim.into()), ("index", index.into())])
}

/// `scatter` of a tensor.
pub(crate) fn scatter(input: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    call(
        "scatter",
        [("input", input.into()), ("dim", dim.into()), ("index", index.into()), ("src", src.into())],
    )
}

/// `scatter_add`.
pub(crate) fn scatter_add(input: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    let (input, index, src) = (input.into(), index.into(), src.into());
    call("scatter_add", [("input", input), ("dim", dim.into()), ("index", index), ("src", src)])
}

/// `where`, with a tensor or a number in each branch.
pub(crate) fn where_(condition: &Tensor, input: impl Into<Value>, other: impl Into<Value>) -> Result<Tensor> {
    call("where", [("condition", condition.into()), ("input", input.into()), ("other", other.into())])
}

/// `masked_fill` with a number or a 0-d tensor.
pub(crate) fn masked_fill(input: &Tensor, mask: &Tensor, value: impl Into<Value>) -> Result<Tensor> {
    call("masked_fill", [("input", input.into()), ("mask", mask.into()), ("value", value.into())])
}

/// `masked_scatter`.
pub(crate) fn masked_scatter(input: &Tensor, mask: &Tensor, source: &Tensor) -> Result<Tensor> {
    call("masked_scatter", [("input", input.into()), ("mask", mask.into()), ("source", source.into())])
}

/// `masked_select`.
pub(crate) fn masked_select(input: &Tensor, mask: &Tensor) -> Result<Tensor> {
    call("masked_select", [("input", input.into()), ("mask", mask.into())])
}

/// `sum` of everything.
pub(crate) fn sum_all(input: &Tensor) -> Result<Tensor> {
    call("sum", [("input", input.into())])
}

/// `div` of operands that may be numbers, with a rounding mode or without.
pub(crate) fn quotient(input: Value, other: Value, rounding_mode: Option<&str>) -> Result<Tensor> {
    let mode = rounding_mode.map_or(Value::None, |mode| Value::Str(mode.into()));
    call("div", [("input", input), ("other", other), ("rounding_mode", mode)])
}

/// `masked_fill` with 0.
pub(crate) fn masked_zero(input: &Tensor, mask: &Tensor) -> Result<Tensor> {
    call("masked_fill", [("input", input.into()), ("mask", mask.into()), ("value", 0.into())])
}

/// Zeros of a tensor's shape and dtype.
pub(crate) fn zeros_like(tensor: &Tensor) -> Result<Tensor> {
    Ok(Tensor::full(tensor.shape(), Scalar::Int(0), tensor.dtype()))
}

/// Ones of a tensor's shape and dtype.
pub(crate) fn ones_like(tensor: &Tensor) -> Result<Tensor> {
    Ok(Tensor::full(tensor.shape(), Scalar::Int(1), tensor.dtype()))
}

/// `sum` along dims.
pub(crate) fn sum(input: &Tensor, dims: Vec<i64>) -> Result<Tensor> {
    call("sum", [("input", input.into()), ("dim", dims.into())])
}

/// `sum` along dims that are kept with size 1.
pub(crate) fn sum_keepdim(input: &Tensor, dims: Vec<i64>) -> Result<Tensor> {
    call("sum", [("input", input.into()), ("dim", dims.into()), ("keepdim", true.into())])
}

/// The gradient of an operand that was broadcast: summed over what its shape was stretched to, in
/// one `sum` with kept dims, as `at::sum_to` does.
pub(crate) fn sum_to(gradient: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let leading = gradient.dim().saturating_sub(shape.len());
    let stretched = |d: usize| d < leading || (shape[d - leading] == 1 && gradient.shape()[d] != 1);
    let dims: Vec<i64> = (0..gradient.dim()).filter(|&d| stretched(d)).map(|d| d as i64).collect();
    if dims.is_empty() {
        return Ok(gradient.clone());
    }
    Ok(sum_keepdim(gradient, dims)?.reshaped(shape))
}
