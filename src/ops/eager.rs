//! Ops called from Rust, for backward rules and other compositions: thin names over
//! [`run`](super::run), so that a composition has the bits of the ops that it is made of.

use super::call::{Call, Failure, Result, Value};
use crate::tensor::{Scalar, Tensor};

impl From<&Tensor> for Value {
    fn from(tensor: &Tensor) -> Value {
        Value::Tensor(tensor.clone())
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

// One name a line.
unary! {
    cos
    cosh
    exp
    log
    neg
    reciprocal
    rsqrt
    sin
    sinh
}
binary! {
    add
    div
    eq
    ge
    logical_and
    mul
    sub
}

/// `pow`, whose exponent may be a number.
pub(crate) fn pow(input: &Tensor, exponent: impl Into<Value>) -> Result<Tensor> {
    call("pow", [("input", input.into()), ("exponent", exponent.into())])
}

/// `where`, with a tensor or a number in each branch.
pub(crate) fn where_(condition: &Tensor, input: impl Into<Value>, other: impl Into<Value>) -> Result<Tensor> {
    call("where", [("condition", condition.into()), ("input", input.into()), ("other", other.into())])
}

/// `masked_fill` with a number or a 0-d tensor.
pub(crate) fn masked_fill(input: &Tensor, mask: &Tensor, value: impl Into<Value>) -> Result<Tensor> {
    call("masked_fill", [("input", input.into()), ("mask", mask.into()), ("value", value.into())])
}

/// Zeros of a tensor's shape and dtype.
pub(crate) fn zeros_like(tensor: &Tensor) -> Result<Tensor> {
    Ok(Tensor::full(tensor.shape(), Scalar::Int(0), tensor.dtype()))
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
