//! Gradients that PyTorch has kernels of its own for: `tanh`, `sigmoid`, `logit` and the
//! activations.
//!
//! Written as in PyTorch's `BinaryOpsKernel.cpp` and `Activation.cpp`, form by form: what differs
//! between vectors and an element alone is the function (Sleef's or the C library's) and what
//! becomes of a NaN. Where the compiler fused a product into a sum was found by experiment. 16-bit types are computed in float32 and rounded once, but
//! for `logit` and float16's `sigmoid`, which round every step.

use super::kernel::{Compute, Zip, zip};
use crate::ops::call::{Call, Result, Value};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::numerics::lanes::Float;
use crate::ops::numerics::libm::Libm;
use crate::ops::numerics::onednn;
use crate::ops::numerics::sleef::{Number, Sleef};
use crate::ops::{Gradients, Pass};
use crate::tensor::{DType, Tensor};

/// The gradient by a kernel that takes the cotangent and the input.
fn by_input(pass: &Pass, kernel: &impl Zip) -> Result<Gradients> {
    pass.each(&[("input", &|| Ok(zip([&pass.cotangent(0)?, pass.call.tensor("input")?], kernel)))])
}

/// The gradient by a kernel that takes the cotangent and the result.
fn by_result(pass: &Pass, kernel: &impl Zip) -> Result<Gradients> {
    pass.each(&[("input", &|| Ok(zip([&pass.cotangent(0)?, pass.output(0)?], kernel)))])
}

/// dy (1 - y^2).
struct Tanh;

impl Zip for Tanh {
    fn vector<A: Compute>(&self, dy: A, y: A) -> A {
        dy * (-y).fma(y, A::ONE)
    }
}

pub(super) fn tanh(pass: &Pass) -> Result<Gradients> {
    by_result(pass, &Tanh)
}

/// dy (1 - y) y.
struct Sigmoid;

impl Zip for Sigmoid {
    fn vector<A: Compute>(&self, dy: A, y: A) -> A {
        dy * (A::ONE - y) * y
    }
}

pub(super) fn sigmoid(pass: &Pass) -> Result<Gradients> {
    if pass.output(0)?.dtype() != DType::Float16 {
        return by_result(pass, &Sigmoid);
    }
    pass.each(&[("input", &|| {
        let (grad, result) = (pass.cotangent(0)?, pass.output(0)?);
        let (grads, results) = (grad.values::<half::f16>(), result.values::<half::f16>());
        let one = half::f16::from_f32(1.0);
        let each = grads.iter().zip(results.iter()).map(|(&dy, &y)| dy * (one - y) * y);
        Ok(Tensor::collect(grad.shape(), each))
    })])
}

/// dy / (x (1 - x)). Outside [eps, 1 - eps] it is 0, or NaN outside [0, 1] where there is no eps.
pub(super) fn logit(pass: &Pass) -> Result<Gradients> {
    fn each<T: Float<Acc: Compute>>(grad: &Tensor, input: &Tensor, eps: f64) -> Tensor {
        let part = VectorPart::new([grad, input], T::DTYPE);
        let [zero, one, eps] = [0.0, 1.0, eps].map(|number| T::from_f64(number).widen());
        let rounded = |x: T::Acc| T::narrow(x).widen();
        let (low, high, outside) =
            if eps < zero { (zero, one, T::Acc::NAN) } else { (eps, rounded(one - eps), zero) };
        let (grads, values) = (grad.values::<T>(), input.values::<T>());
        let each = grads.iter().zip(values.iter()).enumerate().map(|(i, (dy, x))| {
            let (dy, x) = (dy.widen(), x.widen());
            let slope = || dy / rounded(x * rounded(one - x));
            T::narrow(if part.holds(i) {
                if x >= low && x <= high { slope() } else { outside }
            } else if x < low || x > high {
                outside
            } else if x == zero || x == one {
                dy * T::Acc::INFINITY
            } else {
                slope()
            })
        });
        Tensor::collect(grad.shape(), each)
    }
    let eps = pass.call.float("eps", -1.0)?;
    pass.each(&[("input", &|| {
        let (grad, input) = (pass.cotangent(0)?, pass.call.tensor("input")?);
        Ok(with_float_type!(input.dtype(), T => each::<T>(&grad, input, eps)))
    })])
}

/// dy s (1 + x (1 - s)), with s the sigmoid.
struct Silu;

impl Silu {
    fn of<A: Compute>(exp: fn(A) -> A, dy: A, x: A) -> A {
        let sigmoid = A::ONE / (A::ONE + exp(-x));
        dy * sigmoid * x.fma(A::ONE - sigmoid, A::ONE)
    }
}

impl Zip for Silu {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        Silu::of(Sleef::exp, dy, x)
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        Silu::of(Libm::exp, dy, x)
    }
}

pub(super) fn silu(pass: &Pass) -> Result<Gradients> {
    by_input(pass, &Silu)
}

/// dy (t + x s (1 - t^2)), with s the sigmoid and t = tanh(log(1 + e^x)).
struct Mish;

impl Mish {
    fn of<A: Compute>(sigmoid: A, tanh: A, dy: A, x: A) -> A {
        dy * (x * sigmoid).fma((-tanh).fma(tanh, A::ONE), tanh)
    }
}

impl Zip for Mish {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        let sigmoid = A::ONE / (A::ONE + Sleef::exp(-x));
        Mish::of(sigmoid, Sleef::tanh(Sleef::log1p(Sleef::exp(x))), dy, x)
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        let sigmoid = A::ONE / (A::ONE + Libm::exp(-x));
        Mish::of(sigmoid, Libm::tanh(Libm::log1p(Libm::exp(x))), dy, x)
    }
}

pub(super) fn mish(pass: &Pass) -> Result<Gradients> {
    by_input(pass, &Mish)
}

/// (m - s b / (1 + b)) dy, with b = e^-|x| rounded to the dtype as the forward pass keeps it, and
/// m = s = 1 where x < 0, else m = 0 and s = -1.
pub(super) fn logsigmoid(pass: &Pass) -> Result<Gradients> {
    fn each<T: Float<Acc: Compute>>(grad: &Tensor, input: &Tensor) -> Tensor {
        let (grads, values) = (grad.values::<T>(), input.values::<T>());
        let each = grads.iter().zip(values.iter()).map(|(dy, x)| {
            let x = x.widen();
            let power = T::narrow(Sleef::exp(-x.magnitude())).widen();
            let share = power / (T::Acc::ONE + power);
            T::narrow(if x < T::Acc::of(0.0) { T::Acc::ONE - share } else { share } * dy.widen())
        });
        Tensor::collect(grad.shape(), each)
    }
    pass.each(&[("input", &|| {
        let (grad, input) = (pass.cotangent(0)?, pass.call.tensor("input")?);
        Ok(with_float_type!(input.dtype(), T => each::<T>(&grad, input)))
    })])
}

/// dy z / (z + 1) with z = e^(beta x), which is dy where beta x exceeds the threshold.
struct Softplus {
    beta: f64,
    threshold: f64,
}

impl Softplus {
    fn of<A: Compute>(&self, exp: fn(A) -> A, dy: A, x: A) -> A {
        let scaled = x * A::of(self.beta);
        let power = exp(scaled);
        if scaled > A::of(self.threshold) { dy } else { dy * power / (power + A::ONE) }
    }
}

impl Zip for Softplus {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        self.of(Sleef::exp, dy, x)
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        self.of(Libm::exp, dy, x)
    }
}

pub(super) fn softplus(pass: &Pass) -> Result<Gradients> {
    let (beta, threshold) = (pass.call.float("beta", 1.0)?, pass.call.float("threshold", 20.0)?);
    by_input(pass, &Softplus { beta, threshold })
}

/// scale dy where x > 0, else input_scale alpha scale e^(input_scale x) dy. A NaN is negative in
/// vectors and positive alone.
struct Elu {
    alpha: f64,
    scale: f64,
    input_scale: f64,
}

impl Elu {
    fn of<A: Compute>(&self, exp: fn(A) -> A, negative: bool, dy: A, x: A) -> A {
        let (scale, input_scale) = (A::of(self.scale), A::of(self.input_scale));
        match negative {
            true => dy * input_scale * (A::of(self.alpha) * scale) * exp(x * input_scale),
            false => dy * scale,
        }
    }
}

impl Zip for Elu {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        let positive = x > A::of(0.0);
        self.of(Sleef::exp, !positive, dy, x)
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        self.of(Libm::exp, x <= A::of(0.0), dy, x)
    }
}

pub(super) fn elu(pass: &Pass) -> Result<Gradients> {
    let number = |parameter| pass.call.float(parameter, 1.0);
    let (alpha, scale, input_scale) = (number("alpha")?, number("scale")?, number("input_scale")?);
    by_input(pass, &Elu { alpha, scale, input_scale })
}

pub(super) fn selu(pass: &Pass) -> Result<Gradients> {
    let (alpha, scale) = super::activations::SELU;
    by_input(pass, &Elu { alpha, scale, input_scale: 1.0 })
}

pub(super) fn celu(pass: &Pass) -> Result<Gradients> {
    let alpha = pass.call.float("alpha", 1.0)?;
    // The forward pass has the reciprocal of alpha itself.
    let input_scale = 1.0 / f64::from(alpha as f32);
    by_input(pass, &Elu { alpha, scale: 1.0, input_scale })
}

/// dy where x > 0, else slope dy.
struct LeakyRelu {
    slope: f64,
}

impl Zip for LeakyRelu {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        if x > A::of(0.0) { dy } else { dy * A::of(self.slope) }
    }
}

pub(super) fn leaky_relu(pass: &Pass) -> Result<Gradients> {
    let slope = pass.call.float("negative_slope", 0.01)?;
    by_input(pass, &LeakyRelu { slope })
}

/// dy, but 0 where the result is; a NaN is not.
struct Relu;

impl Zip for Relu {
    fn vector<A: Compute>(&self, dy: A, y: A) -> A {
        if y <= A::of(0.0) { A::of(0.0) } else { dy }
    }
}

pub(super) fn relu(pass: &Pass) -> Result<Gradients> {
    by_result(pass, &Relu)
}

/// dy inside of the bounds, 0 on them and outside. A NaN is outside in vectors and inside alone.
struct HardTanh {
    low: f64,
    high: f64,
}

impl Zip for HardTanh {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        if x > A::of(self.low) && x < A::of(self.high) { dy } else { A::of(0.0) }
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        if x <= A::of(self.low) || x >= A::of(self.high) { A::of(0.0) } else { dy }
    }
}

pub(super) fn hardtanh(pass: &Pass) -> Result<Gradients> {
    let (low, high) = (pass.call.float("min_val", -1.0)?, pass.call.float("max_val", 1.0)?);
    by_input(pass, &HardTanh { low, high })
}

pub(super) fn relu6(pass: &Pass) -> Result<Gradients> {
    by_input(pass, &HardTanh { low: 0.0, high: 6.0 })
}

/// dy / 6 between -3 and 3, else 0. The sixth is that of float32 in float64 too.
struct HardSigmoid;

impl Zip for HardSigmoid {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        let sixth = A::of(f64::from(1.0f32 / 6.0));
        if x > A::of(-3.0) && x < A::of(3.0) { dy * sixth } else { A::of(0.0) }
    }
}

pub(super) fn hardsigmoid(pass: &Pass) -> Result<Gradients> {
    by_input(pass, &HardSigmoid)
}

/// dy (x/3 + 1/2) between -3 and 3, 0 at -3 and below, dy at 3 and above. A NaN gives NaN in
/// vectors and dy alone.
struct HardSwish;

impl HardSwish {
    fn slope<A: Compute>(dy: A, x: A) -> A {
        dy * (x / A::of(3.0) + A::HALF)
    }
}

impl Zip for HardSwish {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        if x <= A::of(-3.0) {
            A::of(0.0)
        } else if x >= A::of(3.0) {
            dy
        } else {
            HardSwish::slope(dy, x)
        }
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        if x <= A::of(-3.0) {
            A::of(0.0)
        } else if x < A::of(3.0) {
            HardSwish::slope(dy, x)
        } else {
            dy
        }
    }
}

pub(super) fn hardswish(pass: &Pass) -> Result<Gradients> {
    by_input(pass, &HardSwish)
}

/// dy (cdf + x pdf) of the normal distribution; vectors fuse the sum.
struct Gelu;

impl Gelu {
    fn cdf<A: Compute>(erf: fn(A) -> A, x: A) -> A {
        A::HALF * (A::ONE + erf(x * A::of(std::f64::consts::FRAC_1_SQRT_2)))
    }

    fn pdf<A: Compute>(exp: fn(A) -> A, x: A) -> A {
        use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
        A::of(FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * 0.5) * exp(x * x * A::of(-0.5))
    }
}

impl Zip for Gelu {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        dy * x.fma(Gelu::pdf(Sleef::exp, x), Gelu::cdf(Sleef::erf, x))
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        dy * (Gelu::cdf(Libm::erf, x) + x * Gelu::pdf(Libm::exp, x))
    }
}

/// The same by oneDNN.
struct GeluOfOneDnn;

impl Zip for GeluOfOneDnn {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        dy * A::of(onednn::gelu_slope(x.to_f64() as f32).into())
    }
}

/// The slope of x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), by the product rule.
struct GeluTanh;

impl GeluTanh {
    fn of<A: Compute>(tanh: fn(A) -> A, dy: A, x: A) -> A {
        let beta = A::of(std::f64::consts::SQRT_2 * std::f64::consts::FRAC_2_SQRT_PI * 0.5);
        let kappa = A::of(0.044715);
        let square = x * x;
        let tanh = tanh(beta * kappa.fma(square * x, x));
        let left = A::HALF * x;
        let slope = beta * (A::of(3.0) * kappa).fma(square, A::ONE);
        let right = left * (-tanh).fma(tanh, A::ONE) * slope;
        dy * (A::HALF * (A::ONE + tanh) + right)
    }
}

impl Zip for GeluTanh {
    fn vector<A: Compute>(&self, dy: A, x: A) -> A {
        GeluTanh::of(Sleef::tanh, dy, x)
    }
    fn scalar<A: Compute>(&self, dy: A, x: A) -> A {
        GeluTanh::of(Libm::tanh, dy, x)
    }
}

pub(super) fn gelu(pass: &Pass) -> Result<Gradients> {
    fn is_tanh(call: &Call) -> bool {
        matches!(call.get("approximate"), Some(Value::Str(name)) if name == "tanh")
    }
    let input = pass.call.tensor("input")?;
    if is_tanh(pass.call) {
        by_input(pass, &GeluTanh)
    } else if super::activations::is_for_onednn(input) {
        by_input(pass, &GeluOfOneDnn)
    } else {
        by_input(pass, &Gelu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::backward;
    use crate::tensor::Scalar;

    fn slopes(op: &str, number: Option<(&str, f64)>, x: Vec<f32>) -> Vec<f32> {
        let input = Tensor::new(&[x.len()], x).unwrap();
        let mut args = crate::ops::Args::from_iter([("input".to_owned(), Value::Tensor(input.clone()))]);
        if let Some((name, number)) = number {
            args.insert(name.to_owned(), Value::Scalar(Scalar::Float(number)));
        }
        let call = Call { op: op.to_owned(), args };
        let outputs = crate::ops::run(&call).unwrap().outputs;
        let ones = Tensor::full(input.shape(), Scalar::Int(1), DType::Float32);
        let mut gradients = backward(&call, &outputs, &[Some(ones)], &["input".to_owned()]).unwrap();
        gradients.remove("input").unwrap().remove(0).unwrap().values::<f32>().into_owned()
    }

    #[test]
    fn a_nan_meets_another_answer_in_vectors_than_alone() {
        let nans = |n: usize| vec![f32::NAN; n];
        for (op, in_vector, alone) in
            [("hardtanh", 0.0, 1.0), ("hardswish", f32::NAN, 1.0), ("elu", f32::NAN, 1.0)]
        {
            let all = slopes(op, None, nans(17));
            let same = |a: f32, b: f32| a == b || (a.is_nan() && b.is_nan());
            assert!(same(all[0], in_vector) && same(all[16], alone), "{op}: {all:?}");
        }
    }

    #[test]
    fn ends_belong_to_the_flat_side() {
        assert_eq!(slopes("relu", None, vec![0.0, -0.0, 1e-45]), [0.0, 0.0, 1.0]);
        assert_eq!(slopes("hardtanh", None, vec![-1.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_eq!(slopes("hardswish", None, vec![-3.0, 3.0, 0.0]), [0.0, 1.0, 0.5]);
        assert_eq!(slopes("elu", Some(("alpha", 2.0)), vec![0.0, -0.0]), [2.0, 2.0]);
    }

    #[test]
    fn a_minus_zero_is_the_end_of_logit_alone_and_a_divisor_in_vectors() {
        let all = slopes("logit", None, vec![-0.0; 17]);
        assert_eq!((all[0], all[16]), (f32::NEG_INFINITY, f32::INFINITY));
        let all = slopes("logit", Some(("eps", 0.125)), vec![f32::NAN; 17]);
        assert!(all[0] == 0.0 && all[16].is_nan());
    }

    #[test]
    fn the_two_gelus_are_near_each_other_and_near_differences() {
        for x in [-3.0f32, -0.7, 0.0, 0.4, 2.5] {
            let slope = onednn::gelu_slope(x);
            let numeric = (onednn::gelu(x + 1e-2) - onednn::gelu(x - 1e-2)) / 2e-2;
            approx::assert_abs_diff_eq!(slope, numeric, epsilon = 1e-4);
            let alone = Gelu.scalar(1.0f64, f64::from(x));
            approx::assert_abs_diff_eq!(f64::from(slope), alone, epsilon = 1e-6);
        }
    }
}
