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

use super::Op;

const INPUT: &[&str] = &["input"];

/// The ops of this family.
#[rustfmt::skip] // One line each.
pub(crate) const OPS: &[Op] = &[
    Op { name: "exp", parameters: INPUT, forward: functions::exp },
    Op { name: "exp2", parameters: INPUT, forward: functions::exp2 },
    Op { name: "expm1", parameters: INPUT, forward: functions::expm1 },
    Op { name: "log", parameters: INPUT, forward: functions::log },
    Op { name: "log1p", parameters: INPUT, forward: functions::log1p },
    Op { name: "log2", parameters: INPUT, forward: functions::log2 },
    Op { name: "log10", parameters: INPUT, forward: functions::log10 },
    Op { name: "sin", parameters: INPUT, forward: functions::sin },
    Op { name: "cos", parameters: INPUT, forward: functions::cos },
    Op { name: "tan", parameters: INPUT, forward: functions::tan },
    Op { name: "asin", parameters: INPUT, forward: functions::asin },
    Op { name: "acos", parameters: INPUT, forward: functions::acos },
    Op { name: "atan", parameters: INPUT, forward: functions::atan },
    Op { name: "arcsin", parameters: INPUT, forward: functions::asin },
    Op { name: "arccos", parameters: INPUT, forward: functions::acos },
    Op { name: "arctan", parameters: INPUT, forward: functions::atan },
    Op { name: "sinh", parameters: INPUT, forward: functions::sinh },
    Op { name: "cosh", parameters: INPUT, forward: functions::cosh },
    Op { name: "tanh", parameters: INPUT, forward: functions::tanh },
    Op { name: "sigmoid", parameters: INPUT, forward: functions::sigmoid },
    Op { name: "logit", parameters: &["input", "eps"], forward: functions::logit },
    Op { name: "sqrt", parameters: INPUT, forward: functions::sqrt },
    Op { name: "rsqrt", parameters: INPUT, forward: functions::rsqrt },
    Op { name: "reciprocal", parameters: INPUT, forward: functions::reciprocal },
    Op { name: "erf", parameters: INPUT, forward: functions::erf },
    Op { name: "erfc", parameters: INPUT, forward: functions::erfc },
    Op { name: "special.expit", parameters: INPUT, forward: functions::sigmoid },
    Op { name: "special.exp2", parameters: INPUT, forward: functions::exp2 },
    Op { name: "special.expm1", parameters: INPUT, forward: functions::expm1 },
    Op { name: "special.log1p", parameters: INPUT, forward: functions::log1p },
    Op { name: "special.logit", parameters: &["input", "eps"], forward: functions::logit },
    Op { name: "special.erf", parameters: INPUT, forward: functions::erf },
    Op { name: "special.erfc", parameters: INPUT, forward: functions::erfc },
    Op { name: "square", parameters: INPUT, forward: powers::square },
    Op { name: "pow", parameters: &["input", "self", "exponent"], forward: powers::pow },
    Op { name: "atan2", parameters: &["input", "other"], forward: powers::atan2 },
    Op { name: "arctan2", parameters: &["input", "other"], forward: powers::atan2 },
    Op { name: "hypot", parameters: &["input", "other"], forward: powers::hypot },
    Op { name: "gelu", parameters: &["input", "approximate"], forward: activations::gelu },
    Op { name: "silu", parameters: INPUT, forward: activations::silu },
    Op { name: "softplus", parameters: &["input", "beta", "threshold"], forward: activations::softplus },
    Op { name: "relu", parameters: INPUT, forward: activations::relu },
    Op { name: "relu6", parameters: INPUT, forward: activations::relu6 },
    Op { name: "hardtanh", parameters: &["input", "min_val", "max_val"], forward: activations::hardtanh },
    Op { name: "leaky_relu", parameters: &["input", "negative_slope"], forward: activations::leaky_relu },
    Op { name: "elu", parameters: &["input", "alpha"], forward: activations::elu },
    Op { name: "selu", parameters: INPUT, forward: activations::selu },
    Op { name: "celu", parameters: &["input", "alpha"], forward: activations::celu },
    Op { name: "hardsigmoid", parameters: INPUT, forward: activations::hardsigmoid },
    Op { name: "hardswish", parameters: INPUT, forward: activations::hardswish },
    Op { name: "mish", parameters: INPUT, forward: activations::mish },
    Op { name: "logsigmoid", parameters: INPUT, forward: activations::logsigmoid },
];
