//! Activation functions of `torch.nn.functional`.
//!
//! All but `relu`, `relu6` and `hardtanh`, which are clamps, take floats only. They are written
//! as in PyTorch's `Activation.cpp`, `Elu.h` and `Gelu.h`, form by form.

use super::kernel::{Compute, Map, map, map_in_vectors};
use crate::ops::call::{Call, Exception, Failure, Result, Value};
use crate::ops::numerics::libm::Libm;
use crate::ops::numerics::onednn;
use crate::ops::numerics::sleef::Sleef;
use crate::ops::promotion::check_overflow;
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// The input, if it is floating.
fn floating<'a>(call: &'a Call, kernel: &str) -> Result<&'a Tensor> {
    let input = call.tensor("input")?;
    if input.dtype().is_floating() { Ok(input) } else { Err(Failure::no_kernel(kernel, input.dtype())) }
}

/// A number, or its default.
fn number(call: &Call, parameter: &str, default: f64) -> Result<f64> {
    Ok(call.scalar(parameter)?.map_or(default, Scalar::to_f64))
}

/// x / (1 + e^-x).
struct Silu;

impl Map for Silu {
    fn vector<A: Compute>(&self, x: A) -> A {
        x / (A::ONE + Sleef::exp(-x))
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        x / (A::ONE + Libm::exp(-x))
    }
}

pub(super) fn silu(call: &Call) -> Result {
    Ok(map(floating(call, "silu_cpu")?, &Silu).into())
}

/// x tanh(log(1 + e^x)).
struct Mish;

impl Map for Mish {
    fn vector<A: Compute>(&self, x: A) -> A {
        x * Sleef::tanh(Sleef::log1p(Sleef::exp(x)))
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        x * Libm::tanh(Libm::log1p(Libm::exp(x)))
    }
}

pub(super) fn mish(call: &Call) -> Result {
    Ok(map(floating(call, "mish_cpu")?, &Mish).into())
}

/// min(x, 0) - log(1 + e^-|x|).
struct LogSigmoid;

impl Map for LogSigmoid {
    fn vector<A: Compute>(&self, x: A) -> A {
        let low = if x > A::ZERO { A::ZERO } else { x };
        low - Sleef::log1p(Sleef::exp(-x.magnitude()))
    }
}

pub(super) fn logsigmoid(call: &Call) -> Result {
    Ok(map_in_vectors(floating(call, "log_sigmoid_cpu")?, &LogSigmoid).into())
}

/// log(1 + e^(beta x)) / beta, which is x where beta x exceeds the threshold.
struct Softplus {
    beta: f64,
    threshold: f64,
}

impl Map for Softplus {
    fn vector<A: Compute>(&self, x: A) -> A {
        let beta = A::of(self.beta);
        if x * beta > A::of(self.threshold) { x } else { Sleef::log1p(Sleef::exp(x * beta)) / beta }
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        let beta = A::of(self.beta);
        if x * beta > A::of(self.threshold) { x } else { Libm::log1p(Libm::exp(x * beta)) / beta }
    }
}

pub(super) fn softplus(call: &Call) -> Result {
    let f = Softplus { beta: number(call, "beta", 1.0)?, threshold: number(call, "threshold", 20.0)? };
    Ok(map(floating(call, "softplus_cpu")?, &f).into())
}

/// scale x where x >= 0, else alpha scale (e^(input_scale x) - 1).
struct Elu {
    alpha: f64,
    scale: f64,
    input_scale: f64,
}

impl Elu {
    fn negative<A: Compute>(&self, expm1: fn(A) -> A, x: A) -> A {
        expm1(x * A::of(self.input_scale)) * (A::of(self.alpha) * A::of(self.scale))
    }
}

impl Map for Elu {
    fn vector<A: Compute>(&self, x: A) -> A {
        if x >= A::ZERO { x * A::of(self.scale) } else { self.negative(Sleef::expm1, x) }
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        if x < A::ZERO { self.negative(Libm::expm1, x) } else { x * A::of(self.scale) }
    }
}

pub(super) fn elu(call: &Call) -> Result {
    let f = Elu {
        alpha: number(call, "alpha", 1.0)?,
        scale: number(call, "scale", 1.0)?,
        input_scale: number(call, "input_scale", 1.0)?,
    };
    Ok(map(floating(call, "elu_cpu")?, &f).into())
}

/// Alpha and scale of Klambauer et al., as in PyTorch's `Activation.cpp`.
pub(super) const SELU: (f64, f64) = (1.6732632423543772, 1.0507009873554805);

pub(super) fn selu(call: &Call) -> Result {
    let (alpha, scale) = SELU;
    let f = Elu { alpha, scale, input_scale: 1.0 };
    Ok(map(floating(call, "elu_cpu")?, &f).into())
}

pub(super) fn celu(call: &Call) -> Result {
    let alpha = number(call, "alpha", 1.0)?;
    if alpha == 0.0 {
        return Err(Failure::runtime("ZeroDivisionError: alpha cannot be 0 for CELU"));
    }
    let f = Elu { alpha, scale: 1.0, input_scale: 1.0 / alpha };
    Ok(map(floating(call, "elu_cpu")?, &f).into())
}

/// x where x > 0, else slope x.
struct LeakyRelu {
    slope: f64,
}

impl Map for LeakyRelu {
    fn vector<A: Compute>(&self, x: A) -> A {
        if x > A::ZERO { x } else { x * A::of(self.slope) }
    }
}

pub(super) fn leaky_relu(call: &Call) -> Result {
    let f = LeakyRelu { slope: number(call, "negative_slope", 0.01)? };
    Ok(map(floating(call, "leaky_relu_cpu")?, &f).into())
}

/// x + 3 within [0, 6].
fn hard<A: Compute>(x: A) -> A {
    let x = x + A::of(3.0);
    if x < A::ZERO {
        A::ZERO
    } else if x > A::of(6.0) {
        A::of(6.0)
    } else {
        x
    }
}

struct HardSigmoid;

impl Map for HardSigmoid {
    fn vector<A: Compute>(&self, x: A) -> A {
        hard(x) / A::of(6.0)
    }
}

pub(super) fn hardsigmoid(call: &Call) -> Result {
    Ok(map(floating(call, "hardsigmoid_cpu")?, &HardSigmoid).into())
}

struct HardSwish;

impl Map for HardSwish {
    fn vector<A: Compute>(&self, x: A) -> A {
        x * hard(x) / A::of(6.0)
    }
}

pub(super) fn hardswish(call: &Call) -> Result {
    Ok(map(floating(call, "hardswish_cpu")?, &HardSwish).into())
}

/// x/2 (1 + erf(x / sqrt 2)).
struct Gelu;

impl Map for Gelu {
    fn vector<A: Compute>(&self, x: A) -> A {
        let half = A::of(0.5);
        x * half * (A::ONE + Sleef::erf(x * A::of(std::f64::consts::FRAC_1_SQRT_2)))
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        let half = A::of(0.5);
        x * half * (A::ONE + Libm::erf(x * A::of(std::f64::consts::FRAC_1_SQRT_2)))
    }
}

/// Whether oneDNN takes an input: row-major float32 of more than one element.
pub(super) fn is_for_onednn(input: &Tensor) -> bool {
    input.dtype() == DType::Float32 && input.is_contiguous() && input.numel() > 1
}

/// The same by oneDNN.
struct GeluOfOneDnn;

impl Map for GeluOfOneDnn {
    fn vector<A: Compute>(&self, x: A) -> A {
        A::of(onednn::gelu(x.to_f64() as f32).into())
    }
}

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), where the compiler has fused the inner sum.
struct GeluTanh;

impl GeluTanh {
    fn of<A: Compute>(x: A, tanh: fn(A) -> A) -> A {
        let beta = std::f64::consts::SQRT_2 * std::f64::consts::FRAC_2_SQRT_PI * 0.5;
        let inner = A::of(beta) * A::of(0.044715).fma(x * x * x, x);
        A::of(0.5) * x * (A::ONE + tanh(inner))
    }
}

impl Map for GeluTanh {
    fn vector<A: Compute>(&self, x: A) -> A {
        GeluTanh::of(x, Sleef::tanh)
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        GeluTanh::of(x, Libm::tanh)
    }
}

pub(super) fn gelu(call: &Call) -> Result {
    let tanh = match call.get("approximate") {
        None => false,
        Some(Value::Str(name)) if name == "none" => false,
        Some(Value::Str(name)) if name == "tanh" => true,
        Some(Value::Str(_)) => {
            return Err(Failure::runtime("approximate argument must be either none or tanh."));
        }
        Some(_) => return Err(Failure::Unsupported("gelu: approximate of this kind".into())),
    };
    let input = floating(call, "GeluKernelImpl")?;
    Ok(if tanh {
        map(input, &GeluTanh)
    } else if is_for_onednn(input) {
        map_in_vectors(input, &GeluOfOneDnn)
    } else {
        map(input, &Gelu)
    }
    .into())
}

/// Every element within bounds; a NaN stays, as does an element that equals its bound.
fn clamped(input: &Tensor, low: Option<Scalar>, high: Option<Scalar>) -> Result<Tensor> {
    for bound in [low, high].into_iter().flatten() {
        check_overflow(bound, input.dtype())?;
    }
    fn each<T: Element>(input: &Tensor, low: Option<Scalar>, high: Option<Scalar>) -> Tensor {
        let [low, high] = [low, high].map(|bound| bound.map(T::from_scalar));
        let values = input.values::<T>();
        if [low, high].into_iter().flatten().any(T::is_nan) {
            return Tensor::full(input.shape(), Scalar::Float(f64::NAN), T::DTYPE);
        }
        let within = values.iter().map(|&x| {
            let x = low.filter(|&low| x < low).unwrap_or(x);
            high.filter(|&high| x > high).unwrap_or(x)
        });
        Tensor::collect(input.shape(), within)
    }
    Ok(with_type!(input.dtype(), T => each::<T>(input, low, high)))
}

pub(super) fn relu(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if input.dtype() == DType::Bool {
        return Err(Failure::not_implemented("Boolean inputs not supported for relu"));
    }
    Ok(clamped(input, Some(Scalar::Int(0)), None)?.into())
}

pub(super) fn hardtanh(call: &Call) -> Result {
    let low = call.scalar("min_val")?.unwrap_or(Scalar::Float(-1.0));
    let high = call.scalar("max_val")?.unwrap_or(Scalar::Float(1.0));
    if low.to_f64() > high.to_f64() {
        let message = "min_val cannot be greater than max_val";
        return Err(Failure::Raised(Exception::ValueError, message.into()));
    }
    bounded(call.tensor("input")?, low, high)
}

pub(super) fn relu6(call: &Call) -> Result {
    bounded(call.tensor("input")?, Scalar::Int(0), Scalar::Int(6))
}

fn bounded(input: &Tensor, low: Scalar, high: Scalar) -> Result {
    if input.dtype() == DType::Bool {
        return Err(Failure::not_implemented("Bool inputs not supported for hardtanh"));
    }
    let mut bounds = [low, high];
    if input.dtype().is_integer() {
        // A bound beyond the type bounds nothing.
        let (smallest, largest) = range(input.dtype());
        for bound in &mut bounds {
            check_overflow(*bound, DType::Int64)?;
            *bound = Scalar::Int(bound.to_i64().clamp(smallest, largest));
        }
    }
    let [low, high] = bounds;
    Ok(clamped(input, Some(low), Some(high))?.into())
}

/// The smallest and the largest value of an integer type.
fn range(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        DType::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DType::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        DType::UInt8 => (0, i64::from(u8::MAX)),
        DType::UInt32 => (0, i64::from(u32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}
