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
//!
//! Gradients are compositions of ops (`gradients`) or kernels of their own
//! (`activation_gradients`).

mod activation_gradients;
mod activations;
mod functions;
mod gradients;
mod kernel;
mod powers;

use self::activation_gradients as activation;
use super::{Backward, Op};

const INPUT: &[&str] = &["input"];

/// The ops of this family.
#[rustfmt::skip] // One line each.
pub(crate) const OPS: &[Op] = &[
    Op { name: "exp", parameters: INPUT, forward: functions::exp, backward: Backward::Rule(gradients::exp) },
    Op { name: "exp2", parameters: INPUT, forward: functions::exp2, backward: Backward::Rule(gradients::exp2) },
    Op { name: "expm1", parameters: INPUT, forward: functions::expm1, backward: Backward::Rule(gradients::expm1) },
    Op { name: "log", parameters: INPUT, forward: functions::log, backward: Backward::Rule(gradients::log) },
    Op { name: "log1p", parameters: INPUT, forward: functions::log1p, backward: Backward::Rule(gradients::log1p) },
    Op { name: "log2", parameters: INPUT, forward: functions::log2, backward: Backward::Rule(gradients::log2) },
    Op { name: "log10", parameters: INPUT, forward: functions::log10, backward: Backward::Rule(gradients::log10) },
    Op { name: "sin", parameters: INPUT, forward: functions::sin, backward: Backward::Rule(gradients::sin) },
    Op { name: "cos", parameters: INPUT, forward: functions::cos, backward: Backward::Rule(gradients::cos) },
    Op { name: "tan", parameters: INPUT, forward: functions::tan, backward: Backward::Rule(gradients::tan) },
    Op { name: "asin", parameters: INPUT, forward: functions::asin, backward: Backward::Rule(gradients::asin) },
    Op { name: "acos", parameters: INPUT, forward: functions::acos, backward: Backward::Rule(gradients::acos) },
    Op { name: "atan", parameters: INPUT, forward: functions::atan, backward: Backward::Rule(gradients::atan) },
    Op { name: "arcsin", parameters: INPUT, forward: functions::asin, backward: Backward::Rule(gradients::asin) },
    Op { name: "arccos", parameters: INPUT, forward: functions::acos, backward: Backward::Rule(gradients::acos) },
    Op { name: "arctan", parameters: INPUT, forward: functions::atan, backward: Backward::Rule(gradients::atan) },
    Op { name: "sinh", parameters: INPUT, forward: functions::sinh, backward: Backward::Rule(gradients::sinh) },
    Op { name: "cosh", parameters: INPUT, forward: functions::cosh, backward: Backward::Rule(gradients::cosh) },
    Op { name: "tanh", parameters: INPUT, forward: functions::tanh, backward: Backward::Rule(activation::tanh) },
    Op { name: "sigmoid", parameters: INPUT, forward: functions::sigmoid, backward: Backward::Rule(activation::sigmoid) },
    Op { name: "logit", parameters: &["input", "eps"], forward: functions::logit, backward: Backward::Rule(activation::logit) },
    Op { name: "sqrt", parameters: INPUT, forward: functions::sqrt, backward: Backward::Rule(gradients::sqrt) },
    Op { name: "rsqrt", parameters: INPUT, forward: functions::rsqrt, backward: Backward::Rule(gradients::rsqrt) },
    Op { name: "reciprocal", parameters: INPUT, forward: functions::reciprocal, backward: Backward::Rule(gradients::reciprocal) },
    Op { name: "erf", parameters: INPUT, forward: functions::erf, backward: Backward::Rule(gradients::erf) },
    Op { name: "erfc", parameters: INPUT, forward: functions::erfc, backward: Backward::Rule(gradients::erfc) },
    Op { name: "special.expit", parameters: INPUT, forward: functions::sigmoid, backward: Backward::Rule(activation::sigmoid) },
    Op { name: "special.exp2", parameters: INPUT, forward: functions::exp2, backward: Backward::Rule(gradients::exp2) },
    Op { name: "special.expm1", parameters: INPUT, forward: functions::expm1, backward: Backward::Rule(gradients::expm1) },
    Op { name: "special.log1p", parameters: INPUT, forward: functions::log1p, backward: Backward::Rule(gradients::log1p) },
    Op { name: "special.logit", parameters: &["input", "eps"], forward: functions::logit, backward: Backward::Rule(activation::logit) },
    Op { name: "special.erf", parameters: INPUT, forward: functions::erf, backward: Backward::Rule(gradients::erf) },
    Op { name: "special.erfc", parameters: INPUT, forward: functions::erfc, backward: Backward::Rule(gradients::erfc) },
    Op { name: "square", parameters: INPUT, forward: powers::square, backward: Backward::Rule(gradients::square) },
    Op { name: "pow", parameters: &["input", "self", "exponent"], forward: powers::pow, backward: Backward::Rule(gradients::pow) },
    Op { name: "atan2", parameters: &["input", "other"], forward: powers::atan2, backward: Backward::Rule(gradients::atan2) },
    Op { name: "arctan2", parameters: &["input", "other"], forward: powers::atan2, backward: Backward::Rule(gradients::atan2) },
    Op { name: "hypot", parameters: &["input", "other"], forward: powers::hypot, backward: Backward::Rule(gradients::hypot) },
    Op { name: "gelu", parameters: &["input", "approximate"], forward: activations::gelu, backward: Backward::Rule(activation::gelu) },
    Op { name: "silu", parameters: INPUT, forward: activations::silu, backward: Backward::Rule(activation::silu) },
    Op { name: "softplus", parameters: &["input", "beta", "threshold"], forward: activations::softplus, backward: Backward::Rule(activation::softplus) },
    Op { name: "relu", parameters: INPUT, forward: activations::relu, backward: Backward::Rule(activation::relu) },
    Op { name: "relu6", parameters: INPUT, forward: activations::relu6, backward: Backward::Rule(activation::relu6) },
    Op { name: "hardtanh", parameters: &["input", "min_val", "max_val"], forward: activations::hardtanh, backward: Backward::Rule(activation::hardtanh) },
    Op { name: "leaky_relu", parameters: &["input", "negative_slope"], forward: activations::leaky_relu, backward: Backward::Rule(activation::leaky_relu) },
    Op { name: "elu", parameters: &["input", "alpha"], forward: activations::elu, backward: Backward::Rule(activation::elu) },
    Op { name: "selu", parameters: INPUT, forward: activations::selu, backward: Backward::Rule(activation::selu) },
    Op { name: "celu", parameters: &["input", "alpha"], forward: activations::celu, backward: Backward::Rule(activation::celu) },
    Op { name: "hardsigmoid", parameters: INPUT, forward: activations::hardsigmoid, backward: Backward::Rule(activation::hardsigmoid) },
    Op { name: "hardswish", parameters: INPUT, forward: activations::hardswish, backward: Backward::Rule(activation::hardswish) },
    Op { name: "mish", parameters: INPUT, forward: activations::mish, backward: Backward::Rule(activation::mish) },
    Op { name: "logsigmoid", parameters: INPUT, forward: activations::logsigmoid, backward: Backward::Rule(activation::logsigmoid) },
];
