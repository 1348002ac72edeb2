//! Elementary functions, element by element: exponentials, logarithms, circular and hyperbolic
//! functions, powers, and activations.
//!
//! | ops | float32, float64 | 16-bit types |
//! |---|---|---|
//! | `exp` `log` `log2` `log10` `sin` `cos` `tan` `asin` `acos` `atan` `tanh` `erf` `erfc` `sqrt`, `logit` of one line | Intel's library: within 1 ULP | exact |
//! | every other | exact | exact |
//!
//! Functions make float32 of integers and bool, activations refuse them, and powers of integers
//! stay integers. "Exact" is to the bit, with PyTorch's AVX2 kernels beside glibc's functions.

mod activations;
mod functions;
mod kernel;
mod powers;

use super::{Backward, Op};

const INPUT: &[&str] = &["input"];

/// The ops of this family.
#[rustfmt::skip] // One line each.
pub(crate) const OPS: &[Op] = &[
    Op { name: "exp", parameters: INPUT, forward: functions::exp, backward: Backward::Unwritten },
    Op { name: "exp2", parameters: INPUT, forward: functions::exp2, backward: Backward::Unwritten },
    Op { name: "expm1", parameters: INPUT, forward: functions::expm1, backward: Backward::Unwritten },
    Op { name: "log", parameters: INPUT, forward: functions::log, backward: Backward::Unwritten },
    Op { name: "log1p", parameters: INPUT, forward: functions::log1p, backward: Backward::Unwritten },
    Op { name: "log2", parameters: INPUT, forward: functions::log2, backward: Backward::Unwritten },
    Op { name: "log10", parameters: INPUT, forward: functions::log10, backward: Backward::Unwritten },
    Op { name: "sin", parameters: INPUT, forward: functions::sin, backward: Backward::Unwritten },
    Op { name: "cos", parameters: INPUT, forward: functions::cos, backward: Backward::Unwritten },
    Op { name: "tan", parameters: INPUT, forward: functions::tan, backward: Backward::Unwritten },
    Op { name: "asin", parameters: INPUT, forward: functions::asin, backward: Backward::Unwritten },
    Op { name: "acos", parameters: INPUT, forward: functions::acos, backward: Backward::Unwritten },
    Op { name: "atan", parameters: INPUT, forward: functions::atan, backward: Backward::Unwritten },
    Op { name: "arcsin", parameters: INPUT, forward: functions::asin, backward: Backward::Unwritten },
    Op { name: "arccos", parameters: INPUT, forward: functions::acos, backward: Backward::Unwritten },
    Op { name: "arctan", parameters: INPUT, forward: functions::atan, backward: Backward::Unwritten },
    Op { name: "sinh", parameters: INPUT, forward: functions::sinh, backward: Backward::Unwritten },
    Op { name: "cosh", parameters: INPUT, forward: functions::cosh, backward: Backward::Unwritten },
    Op { name: "tanh", parameters: INPUT, forward: functions::tanh, backward: Backward::Unwritten },
    Op { name: "sigmoid", parameters: INPUT, forward: functions::sigmoid, backward: Backward::Unwritten },
    Op { name: "logit", parameters: &["input", "eps"], forward: functions::logit, backward: Backward::Unwritten },
    Op { name: "sqrt", parameters: INPUT, forward: functions::sqrt, backward: Backward::Unwritten },
    Op { name: "rsqrt", parameters: INPUT, forward: functions::rsqrt, backward: Backward::Unwritten },
    Op { name: "reciprocal", parameters: INPUT, forward: functions::reciprocal, backward: Backward::Unwritten },
    Op { name: "erf", parameters: INPUT, forward: functions::erf, backward: Backward::Unwritten },
    Op { name: "erfc", parameters: INPUT, forward: functions::erfc, backward: Backward::Unwritten },
    Op { name: "special.expit", parameters: INPUT, forward: functions::sigmoid, backward: Backward::Unwritten },
    Op { name: "special.exp2", parameters: INPUT, forward: functions::exp2, backward: Backward::Unwritten },
    Op { name: "special.expm1", parameters: INPUT, forward: functions::expm1, backward: Backward::Unwritten },
    Op { name: "special.log1p", parameters: INPUT, forward: functions::log1p, backward: Backward::Unwritten },
    Op { name: "special.logit", parameters: &["input", "eps"], forward: functions::logit, backward: Backward::Unwritten },
    Op { name: "special.erf", parameters: INPUT, forward: functions::erf, backward: Backward::Unwritten },
    Op { name: "special.erfc", parameters: INPUT, forward: functions::erfc, backward: Backward::Unwritten },
    Op { name: "square", parameters: INPUT, forward: powers::square, backward: Backward::Unwritten },
    Op { name: "pow", parameters: &["input", "self", "exponent"], forward: powers::pow, backward: Backward::Unwritten },
    Op { name: "atan2", parameters: &["input", "other"], forward: powers::atan2, backward: Backward::Unwritten },
    Op { name: "arctan2", parameters: &["input", "other"], forward: powers::atan2, backward: Backward::Unwritten },
    Op { name: "hypot", parameters: &["input", "other"], forward: powers::hypot, backward: Backward::Unwritten },
    Op { name: "gelu", parameters: &["input", "approximate"], forward: activations::gelu, backward: Backward::Unwritten },
    Op { name: "silu", parameters: INPUT, forward: activations::silu, backward: Backward::Unwritten },
    Op { name: "softplus", parameters: &["input", "beta", "threshold"], forward: activations::softplus, backward: Backward::Unwritten },
    Op { name: "relu", parameters: INPUT, forward: activations::relu, backward: Backward::Unwritten },
    Op { name: "relu6", parameters: INPUT, forward: activations::relu6, backward: Backward::Unwritten },
    Op { name: "hardtanh", parameters: &["input", "min_val", "max_val"], forward: activations::hardtanh, backward: Backward::Unwritten },
    Op { name: "leaky_relu", parameters: &["input", "negative_slope"], forward: activations::leaky_relu, backward: Backward::Unwritten },
    Op { name: "elu", parameters: &["input", "alpha"], forward: activations::elu, backward: Backward::Unwritten },
    Op { name: "selu", parameters: INPUT, forward: activations::selu, backward: Backward::Unwritten },
    Op { name: "celu", parameters: &["input", "alpha"], forward: activations::celu, backward: Backward::Unwritten },
    Op { name: "hardsigmoid", parameters: INPUT, forward: activations::hardsigmoid, backward: Backward::Unwritten },
    Op { name: "hardswish", parameters: INPUT, forward: activations::hardswish, backward: Backward::Unwritten },
    Op { name: "mish", parameters: INPUT, forward: activations::mish, backward: Backward::Unwritten },
    Op { name: "logsigmoid", parameters: INPUT, forward: activations::logsigmoid, backward: Backward::Unwritten },
];
