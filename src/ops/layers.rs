//! Layers that normalise, and the identity that dropout is outside of training: `layer_norm`,
//! `rms_norm`, `normalize`, `dropout`.
//!
//! | op | accepts | order |
//! |---|---|---|
//! | `layer_norm` | floats; parameters of the same type, or float32 beside a 16-bit type | [`rowwise_moments`], then one fused scale and shift |
//! | `rms_norm` | floats, parameters of any type | pow, mean, reciprocal root, two products, in float32 for 16-bit types |
//! | `normalize` | floats | `norm`, clamped from below, then a division |
//! | `dropout` | every dtype | without a draw, nothing happens |

use super::call::{Call, Exception, Failure, Result, Returned, Value};
use super::numerics::dispatch::with_float_type;
use super::numerics::lanes::{Float, Vector as _};
use super::numerics::moments::{Arithmetic, rowwise_moments};
use super::numerics::rows::{Fused, across, lanes_of_products, sum_of_products, sum_of_row};
use super::numerics::sleef::Number;
use super::numerics::zip::{laid_out_like, zip};
use super::promotion::{Operand, result_type};
use super::tape::{Argument, composed};
use super::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "layer_norm",
        parameters: &["input", "normalized_shape", "weight", "bias", "eps"],
        forward: layer_norm,
        backward: Backward::Rule(layer_norm_backward),
    },
    Op {
        name: "rms_norm",
        parameters: &["input", "normalized_shape", "weight", "eps"],
        forward: rms_norm,
        backward: Backward::Rule(rms_norm_backward),
    },
    Op {
        name: "normalize",
        parameters: &["input", "p", "dim", "eps"],
        forward: normalize,
        backward: Backward::Rule(normalize_backward),
    },
    Op {
        name: "dropout",
        parameters: &["input", "p", "training"],
        forward: dropout,
        backward: Backward::Rule(dropout_backward),
    },
];

/// PyTorch's refusal of memory of another type than a kernel's own.
pub(crate) fn wrong_scalar_type(expected: DType, found: DType) -> Failure {
    Failure::runtime(format!(
        "expected scalar type {} but found {}",
        expected.scalar_type(),
        found.scalar_type()
    ))
}

/// `normalized_shape`, checked to name at least one dimension and to be the parameters' shape.
fn normalized_shape(call: &Call, parameters: &[(&str, Option<&Tensor>)]) -> Result<Vec<i64>> {
    let shape = call.ints("normalized_shape")?.unwrap_or_default();
    if shape.is_empty() {
        return Err(Failure::runtime(format!(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got \
             normalized_shape = {shape:?}"
        )));
    }
    for (name, parameter) in parameters {
        if let Some(parameter) = parameter
            && !same_sizes(parameter.shape(), &shape)
        {
            return Err(Failure::runtime(format!(
                "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {:?} and \
                 normalized_shape = {shape:?}",
                parameter.shape()
            )));
        }
    }
    Ok(shape)
}

fn same_sizes(sizes: &[usize], wanted: &[i64]) -> bool {
    sizes.len() == wanted.len() && sizes.iter().zip(wanted).all(|(&size, &wanted)| size as i64 == wanted)
}

fn ends_with(sizes: &[usize], wanted: &[i64]) -> bool {
    sizes.len().checked_sub(wanted.len()).is_some_and(|first| same_sizes(&sizes[first..], wanted))
}

fn layer_norm(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let (weight, bias) = (call.optional_tensor("weight")?, call.optional_tensor("bias")?);
    let shape = normalized_shape(call, &[("weight", weight), ("bias", bias)])?;
    if !ends_with(input.shape(), &shape) {
        let sizes: String = shape.iter().map(|size| format!(", {size}")).collect();
        return Err(Failure::runtime(format!(
            "Given normalized_shape={shape:?}, expected input with shape [*{sizes}], but got input of size{:?}",
            input.shape()
        )));
    }
    let eps = call.float("eps", 1e-5)?;
    let dtype = input.dtype();
    let parameters = [weight, bias];
    let parameter_type = parameter_type(dtype, parameters)?;
    with_float_type!(dtype, T => {
        if let Some(other) = parameters.iter().flatten().find(|given| given.dtype() != parameter_type) {
            return Err(wrong_scalar_type(parameter_type, other.dtype()));
        }
        Ok(normalise_rows::<T>(input, shape.len(), parameters, eps).into())
    }, _ => Err(Failure::no_kernel("LayerNormKernelImpl", dtype)))
}

/// The type that both parameters have to have: the input's, or float32 beside a 16-bit input.
fn parameter_type(dtype: DType, parameters: [Option<&Tensor>; 2]) -> Result<DType> {
    let mut given = parameters.iter().flatten().map(|parameter| parameter.dtype());
    if given.next().is_none_or(|first| first == dtype) {
        return Ok(dtype);
    }
    if parameters.iter().flatten().any(|parameter| parameter.dtype() != DType::Float32) {
        let message = "mixed dtype (CPU): expect parameter to have scalar type of Float";
        return Err(Failure::runtime(message));
    }
    if dtype.is_floating() && dtype.size() == 2 {
        Ok(DType::Float32)
    } else {
        Err(Failure::runtime("mixed dtype (CPU): all inputs must share same datatype."))
    }
}

/// Every row of the last dimensions, to mean 0 and variance 1, then scaled and shifted.
///
/// Wide types subtract the mean and multiply, and fuse the last product with the shift; 16-bit
/// types fuse both steps in float32, the first with the shift `-mean / deviation`. Source:
/// `layer_norm_kernel.cpp`; which steps are fused was found by experiment.
fn normalise_rows<T: Float<Acc: Arithmetic>>(
    input: &Tensor,
    dims: usize,
    [weight, bias]: [Option<&Tensor>; 2],
    eps: f64,
) -> Tensor {
    let length: usize = input.shape()[input.dim() - dims..].iter().product();
    let [one, zero, eps] = [1.0, 0.0, eps].map(T::Acc::number);
    let parameter = |given: Option<&Tensor>, absent: T::Acc| {
        given.map_or_else(|| vec![absent; length], |given| given.values::<T::Acc>().into_owned())
    };
    let (scales, shifts) = (parameter(weight, one), parameter(bias, zero));
    let data = input.values::<T>();
    let mut output = Vec::with_capacity(data.len());
    for row in data.chunks(length.max(1)) {
        let (mean, variance) = rowwise_moments(row);
        let factor = one / (variance + eps).root();
        let offset = -factor * mean;
        output.extend(row.iter().zip(scales.iter().zip(&shifts)).map(|(x, (&scale, &shift))| {
            let x = x.widen();
            T::narrow(match () {
                _ if T::DTYPE.size() == 2 => x.fused(factor, offset).fused(scale, shift),
                // The compiler left out the product with 1.
                _ if weight.is_none() => (x - mean).fused(factor, shift),
                _ => ((x - mean) * factor).fused(scale, shift),
            })
        }));
    }
    Tensor::collect(input.shape(), output)
}

/// The gradients of input, weight and bias (`native_layer_norm_backward`).
fn layer_norm_backward(pass: &Pass) -> Result<Gradients> {
    let (call, grad) = (pass.call, pass.cotangent(0)?);
    let input = call.tensor("input")?;
    let (weight, bias) = (call.optional_tensor("weight")?, call.optional_tensor("bias")?);
    let dims = call.ints("normalized_shape")?.unwrap_or_default().len();
    let eps = call.float("eps", 1e-5)?;
    // The moments are kept in the parameters' type, which the backward kernel takes from the weight.
    let kept = parameter_type(input.dtype(), [weight, bias])?;
    if weight.is_none() && kept != input.dtype() {
        return Err(wrong_scalar_type(input.dtype(), kept));
    }
    let [inputs, weights, biases] = with_float_type!(input.dtype(), T => {
        normalised_rows_backward::<T>(&grad, input, dims, weight, eps, kept == input.dtype())
    });
    pass.each(&[
        ("input", &|| Ok(inputs.clone())),
        ("weight", &|| Ok(weights.clone())),
        ("bias", &|| Ok(biases.clone())),
    ])
}

/// Row by row, in float32 for 16-bit types; the gradients of the parameters gather in the input's
/// type. Source: `layer_norm_kernel.cpp`; which steps are fused was found by trying every
/// combination.
fn normalised_rows_backward<T: Float<Acc: Arithmetic + Number>>(
    grad: &Tensor,
    input: &Tensor,
    dims: usize,
    weight: Option<&Tensor>,
    eps: f64,
    same_type: bool,
) -> [Tensor; 3] {
    let shape = &input.shape()[input.dim() - dims..];
    let length: usize = shape.iter().product();
    let [zero, one, eps] = [0.0, 1.0, eps].map(T::Acc::number);
    let rounded = |x: T::Acc| T::narrow(x).widen();
    let kept = |x: T::Acc| if same_type { rounded(x) } else { x };
    let share = one / T::Acc::number(length as f64);
    let scales = weight.map(|weight| weight.values::<T::Acc>().into_owned());
    let (data, grads) = (input.values::<T>(), grad.values::<T>());
    let mut inputs = Vec::with_capacity(data.len());
    let mut weights = vec![zero; length];
    let mut biases = vec![zero; length];
    for (row, grads) in data.chunks(length.max(1)).zip(grads.chunks(length.max(1))) {
        let (mean, variance) = rowwise_moments(row);
        let (mean, factor) = (kept(mean), kept(one / Arithmetic::root(variance + eps)));
        let offset = -factor * mean;
        let x: Vec<T::Acc> = row.iter().map(|x| x.widen()).collect();
        let dy: Vec<T::Acc> = grads.iter().map(|dy| dy.widen()).collect();
        for (i, (&x, &dy)) in x.iter().zip(&dy).enumerate() {
            weights[i] = rounded(dy.fused(factor.fused(x, offset), weights[i]));
            biases[i] = rounded(biases[i] + dy);
        }
        let (along, sum) = sums_of_row::<T>(&dy, &x, scales.as_deref(), same_type);
        let slope = sum.fused(mean, -along) * factor * factor * factor * share;
        let shift = (-slope).fused(mean, -(sum * factor * share));
        inputs.extend(x.iter().zip(&dy).enumerate().map(|(i, (&x, &dy))| {
            let direct = factor * dy;
            let direct = scales.as_ref().map_or(direct, |scales| direct * scales[i]);
            T::narrow(slope.fused(x, direct) + shift)
        }));
    }
    [Tensor::collect(input.shape(), inputs), Tensor::collect(shape, weights), Tensor::collect(shape, biases)]
}

fn rms_norm(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let weight = call.optional_tensor("weight")?;
    let shape = normalized_shape(call, &[("weight", weight)])?;
    if input.dim() < shape.len() {
        let message =
            format!("Input tensor must have at least {} dimensions, but got {}", shape.len(), input.dim());
        return Err(Failure::Raised(Exception::ValueError, message));
    }
    if !ends_with(input.shape(), &shape) {
        let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
        return Err(Failure::runtime(format!(
            "Given normalized_shape={shape:?}, expected input with shape [*{}], but got input of size{:?}",
            sizes.join(", "),
            input.shape()
        )));
    }
    let dtype = input.dtype();
    let mut warnings = Vec::new();
    if let Some(weight) = weight.filter(|weight| weight.dtype() != dtype) {
        warnings.push(format!(
            "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot dispatch to fused \
             implementation.",
            dtype.cpp_name(),
            weight.dtype().cpp_name()
        ));
    }
    if !dtype.is_floating() {
        return Err(Failure::no_kernel("rms_norm", dtype));
    }
    let wide = if dtype.size() == 2 { DType::Float32 } else { dtype };
    let eps = call.float("eps", wide.epsilon())?;
    let normal =
        with_float_type!(wide, T => root_mean_square::<T>(input, shape.len(), eps)?, _ => input.clone());
    let output = match weight {
        None => normal,
        Some(weight) => {
            let weight = weight.expanded(normal.shape());
            let dtype = result_type(&[Operand::Tensor(&normal), Operand::Tensor(&weight)])?;
            let [x, weight] = [&normal, &weight].map(|tensor| tensor.to_dtype(dtype));
            with_float_type!(dtype, T => zip::<T, T, 2>([&x, &weight], |[x, weight]| x * weight), _ => normal)
        }
    };
    Ok(Returned { outputs: vec![output.to_dtype(dtype)], warnings })
}

/// The input over the root of its mean square, in the type `T`.
fn root_mean_square<T: Float<Acc: Arithmetic>>(input: &Tensor, dims: usize, eps: f64) -> Result<Tensor> {
    let x = input.to_dtype(T::DTYPE);
    let squares = zip::<T, T, 1>([&x], |[x]| T::narrow(x.widen() * x.widen()));
    let last = (1..=dims as i64).map(|dim| Value::Scalar(Scalar::Int(-dim))).collect();
    let mean = eager::call(
        "mean",
        [
            ("input", Value::Tensor(squares)),
            ("dim", Value::List(last)),
            ("keepdim", Value::Scalar(Scalar::Bool(true))),
        ],
    )?;
    let [one, eps] = [1.0, eps].map(T::Acc::number);
    let factor = zip::<T, T, 1>([&mean], |[mean]| T::narrow(one / (mean.widen() + eps).root()));
    let factor = factor.expanded(x.shape());
    Ok(zip::<T, T, 2>([&x, &factor], |[x, factor]| T::narrow(x.widen() * factor.widen())))
}

/// The sums of dy x and of dy over a row, each dy times its scale.
fn sums_of_row<T: Float<Acc: Arithmetic + Number>>(
    dy: &[T::Acc],
    x: &[T::Acc],
    scales: Option<&[T::Acc]>,
    same_type: bool,
) -> (T::Acc, T::Acc) {
    let pairs = |a: &[T::Acc], b: &[T::Acc]| -> Vec<_> { a.iter().copied().zip(b.iter().copied()).collect() };
    let products = |a: &[T::Acc], b: &[T::Acc]| -> Vec<_> { a.iter().zip(b).map(|(&a, &b)| a * b).collect() };
    let fused = if T::DTYPE.size() > 2 { Fused::InRest } else { Fused::Everywhere };
    let Some(scales) = scales else {
        return (sum_of_products::<T>(&pairs(dy, x), fused), sum_of_row::<T>(dy));
    };
    if same_type {
        let along = sum_of_products::<T>(&pairs(&products(dy, x), scales), fused);
        return (along, sum_of_products::<T>(&pairs(dy, scales), fused));
    }
    // Scales of float32 beside a 16-bit type: dy times its scale is made once for both sums, and
    // two vectors that are not full meet by halves too.
    let scaled = products(dy, scales);
    let meet = |lanes: Vec<T::Acc>| match lanes.len() > T::Vector::WIDTH - 1 && dy.len() > T::Vector::WIDTH {
        true => across::<T>(lanes),
        false => lanes.into_iter().reduce(|sum, lane| sum + lane).unwrap_or(T::Acc::number(0.0)),
    };
    let along = meet(lanes_of_products::<T>(&pairs(&scaled, x), fused));
    let ones = vec![T::Acc::ONE; scaled.len()];
    (along, meet(lanes_of_products::<T>(&pairs(&scaled, &ones), Fused::Nowhere)))
}

/// Through the ops that PyTorch composes it of: pow, mean, reciprocal root and two products.
fn rms_norm_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    let weight = pass.call.optional_tensor("weight")?;
    let dims = pass.call.ints("normalized_shape")?.unwrap_or_default().len();
    let wide = if input.dtype().size() == 2 { DType::Float32 } else { input.dtype() };
    let eps = pass.call.float("eps", wide.epsilon())?;
    let x = input.to_dtype(wide);
    let last: Vec<i64> = (1..=dims as i64).map(|dim| -dim).collect();
    let count: usize = x.shape()[x.dim() - dims..].iter().product();
    let squares = laid_out_like(&eager::pow(&x, 2)?, &x);
    let mean =
        eager::call("mean", [("input", (&squares).into()), ("dim", last.into()), ("keepdim", true.into())])?;
    let factor = eager::rsqrt(&eager::add(&mean, Scalar::Float(eps))?)?;
    let normal = eager::mul(&x, &factor)?;
    let output = match weight {
        None => wide,
        Some(weight) => result_type(&[Operand::Tensor(&normal), Operand::Tensor(weight)])?,
    };
    let grad = pass.cotangent(0)?.to_dtype(output);
    pass.each(&[
        ("input", &|| {
            let grad = match weight {
                None => grad.clone(),
                Some(weight) => eager::mul(&grad, weight)?.to_dtype(wide),
            };
            let by_factor = eager::sum_to(&eager::mul(&grad, &x)?, factor.shape())?;
            let by_mean =
                eager::mul(&eager::mul(&by_factor, Scalar::Float(-0.5))?, &eager::pow(&factor, 3)?)?;
            let by_square = eager::div(&by_mean.expanded(x.shape()), count as i64)?;
            let slope = eager::mul(&eager::pow(&x, Scalar::Float(1.0))?, Scalar::Float(2.0))?;
            eager::add(&eager::mul(&grad, &factor)?, &eager::mul(&by_square, &slope)?)
        }),
        ("weight", &|| eager::mul(&grad, &normal)),
    ])
}

fn normalize(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let p = call.get("p").cloned().unwrap_or(Value::Scalar(Scalar::Float(2.0)));
    let dim = call.get("dim").cloned().unwrap_or(Value::Scalar(Scalar::Int(1)));
    let eps = call.float("eps", 1e-12)?;
    let norm = eager::call(
        "norm",
        [
            ("input", Value::Tensor(input.clone())),
            ("p", p),
            ("dim", dim),
            ("keepdim", Value::Scalar(Scalar::Bool(true))),
        ],
    )?;
    fn over<T: Float>(input: &Tensor, norm: &Tensor, eps: f64) -> Tensor {
        let eps = T::from_f64(eps);
        zip::<T, T, 2>([input, norm], |[x, norm]| {
            // NaN is kept, as by every clamp.
            let norm = if norm < eps { eps } else { norm };
            T::narrow(x.widen() / norm.widen())
        })
    }
    let norm = norm.expanded(input.shape());
    let output = with_float_type!(input.dtype(), T => over::<T>(input, &norm, eps), _ => norm);
    Ok(output.into())
}

fn dropout(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let p = call.scalar("p")?.unwrap_or(Scalar::Float(0.5));
    let chance = p.to_f64();
    if !(0.0..=1.0).contains(&chance) {
        // Python's comparisons let NaN pass; the kernel does not, and prints it in its own way.
        let (exception, p) = match chance.is_nan() {
            true => (Exception::RuntimeError, "nan".to_owned()),
            false => (Exception::ValueError, p.to_string()),
        };
        let message = format!("dropout probability has to be between 0 and 1, but got {p}");
        return Err(Failure::Raised(exception, message));
    }
    let training = call.get("training").is_none() || call.flag("training")?;
    if chance == 0.0 || !training || input.numel() == 0 {
        return Ok(input.clone().into());
    }
    Err(Failure::Unsupported("dropout: a random draw".into()))
}

/// Through the ops that PyTorch composes it of.
fn normalize_backward(pass: &Pass) -> Result<Gradients> {
    let eps = pass.call.float("eps", 1e-12)?;
    let given = |parameter, default| Argument::Value(pass.call.get(parameter).cloned().unwrap_or(default));
    let (p, dim) = (given("p", Scalar::Float(2.0).into()), given("dim", 1i64.into()));
    pass.call.tensor("input")?;
    composed(pass, |tape, arguments| {
        let input = arguments["input"].clone();
        let keepdim = Argument::Value(true.into());
        let norm =
            tape.call("norm", [("input", input.clone()), ("p", p), ("dim", dim), ("keepdim", keepdim)])?;
        let min = Argument::Value(Scalar::Float(eps).into());
        let length = tape.call("clamp_min", [("input", Argument::Var(norm[0])), ("min", min)])?;
        tape.call("div", [("input", input), ("other", Argument::Var(length[0]))])
    })
}

/// Where nothing was drawn, the cotangent itself.
fn dropout_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| pass.cotangent(0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_another_type_is_refused_in_two_ways() {
        let [double, float, half] = [DType::Float64, DType::Float32, DType::Float16]
            .map(|dtype| Tensor::full(&[2], Scalar::Float(1.0), dtype));
        let refusal = |dtype, parameters| parameter_type(dtype, parameters).unwrap_err();
        let message = "mixed dtype (CPU): expect parameter to have scalar type of Float";
        assert_eq!(refusal(DType::Float32, [Some(&double), None]), Failure::runtime(message));
        assert_eq!(refusal(DType::Float16, [Some(&float), Some(&half)]), Failure::runtime(message));
        let message = "mixed dtype (CPU): all inputs must share same datatype.";
        assert_eq!(refusal(DType::Float64, [Some(&float), None]), Failure::runtime(message));
        assert_eq!(parameter_type(DType::Float16, [None, Some(&float)]), Ok(DType::Float32));
        assert_eq!(parameter_type(DType::Float16, [Some(&half), Some(&float)]), Ok(DType::Float16));
    }

    #[test]
    fn the_gradient_of_a_normalised_row_has_no_mean_and_nothing_along_the_row() {
        let x = Tensor::new(&[1, 9], (0..9).map(|i| f64::from(i * i % 7)).collect()).unwrap();
        let dy = Tensor::new(&[1, 9], (0..9).map(|i| f64::from(i % 4) - 1.0).collect()).unwrap();
        let [dx, _, _] = normalised_rows_backward::<f64>(&dy, &x, 1, None, 0.0, true);
        let (dx, x) = (dx.values::<f64>(), x.values::<f64>());
        approx::assert_abs_diff_eq!(dx.iter().sum::<f64>(), 0.0, epsilon = 1e-12);
        let along: f64 = dx.iter().zip(x.iter()).map(|(dx, x)| dx * x).sum();
        approx::assert_abs_diff_eq!(along, 0.0, epsilon = 1e-12);
        assert!(dx.iter().any(|dx| dx.abs() > 0.1));
    }

    #[test]
    fn gradients_of_16_bit_parameters_are_rounded_row_by_row() {
        let x = Tensor::full(&[3, 1], Scalar::Float(1.0), DType::BFloat16);
        let dy = Tensor::new(&[3, 1], [256.0, 1.0, 1.0].map(half::bf16::from_f32).to_vec()).unwrap();
        let [_, _, bias] = normalised_rows_backward::<half::bf16>(&dy, &x, 1, None, 1e-5, true);
        // All in one go it would be 258.
        assert_eq!(*bias.values::<f32>(), [256.0]);
    }

    #[test]
    fn a_row_of_nothing_and_a_shape_of_nothing() {
        assert!(ends_with(&[2, 3], &[3]) && !ends_with(&[3], &[2, 3]) && !ends_with(&[2, 3], &[-3]));
        let empty = Tensor::new::<f32>(&[2, 0], Vec::new()).unwrap();
        assert_eq!(normalise_rows::<f32>(&empty, 1, [None, None], 1e-5).shape(), [2, 0]);
    }
}
