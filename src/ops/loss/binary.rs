//! Cross entropy of one class: `binary_cross_entropy` of probabilities and
//! `binary_cross_entropy_with_logits`.
//!
//! Both take floats; the second makes its result in the target's dtype. Source: `Loss.cpp`.

use super::super::call::{Call, Failure, Result, Returned, Value};
use super::super::dims;
use super::super::eager;
use super::super::numerics::dispatch::with_float_type;
use super::super::numerics::lanes::Float;
use super::super::numerics::moments::Arithmetic;
use super::super::numerics::zip::{laid_out_like, zip};
use super::super::{Gradients, Pass};
use super::arithmetic::{Operation, binary, divided, in_place, negated, plus, scaled};
use super::{Reduction, reduced, reduction_name, reduction_of, refuse_gradient, size, value_error};
use crate::tensor::{DType, Tensor, layout};

pub(super) const PLAIN: &[&str] = &["input", "target", "weight", "size_average", "reduce", "reduction"];
pub(super) const WITH_LOGITS: &[&str] =
    &["input", "target", "weight", "size_average", "reduce", "reduction", "pos_weight"];

/// The logarithms of the C library, with which PyTorch computes this loss one element at a time.
pub(super) trait Logarithm {
    fn logarithm(self) -> Self;
    /// The logarithm of one more.
    fn logarithm_of_one_more(self) -> Self;
}

macro_rules! logarithm {
    ($($type:ty),*) => {$(
        impl Logarithm for $type {
            fn logarithm(self) -> $type {
                self.ln()
            }
            fn logarithm_of_one_more(self) -> $type {
                self.ln_1p()
            }
        }
    )*};
}

logarithm!(f32, f64);

pub(super) fn binary_cross_entropy(call: &Call) -> Result {
    let mut warnings = Vec::new();
    let name = reduction_name(call, &mut warnings)?;
    let reduction = reduction_of(&name, &mut warnings)?;
    let (input, target) = (call.tensor("input")?, call.tensor("target")?);
    if target.shape() != input.shape() {
        return Err(value_error(format!(
            "Using a target size ({}) that is different to the input size ({}) is deprecated. Please ensure they have \
             the same size.",
            size(target),
            size(input)
        )));
    }
    let weight = match call.optional_tensor("weight")? {
        Some(weight) => Some(weight.expanded(&weight_shape(target, weight)?)),
        None => None,
    };
    let dtype = input.dtype();
    if target.dtype() != dtype {
        return Err(Failure::runtime(format!(
            "Found dtype {} but expected {}",
            target.dtype().scalar_type(),
            dtype.scalar_type()
        )));
    }
    let mut losses = with_float_type!(dtype, T => entropies::<T>(input, target)?, _ => return Err(Failure::no_kernel("binary_cross_entropy", dtype)));
    if let Some(weight) = weight {
        losses = in_place(&losses, &weight, Operation::Times)?;
    }
    Ok(Returned { outputs: vec![reduced(losses, reduction)?], warnings })
}

/// The shape to which `torch.broadcast_shapes` broadcasts target and weight.
fn weight_shape(target: &Tensor, weight: &Tensor) -> Result<Vec<usize>> {
    let shape = layout::broadcast(target.shape(), weight.shape()).map_err(|mismatch| {
        let rank = target.dim().max(weight.dim());
        Failure::runtime(format!(
            "Attempting to broadcast a dimension of length {} at -{}! Mismatching argument at index 1 had {}; but \
             expected shape should be broadcastable to {:?}",
            mismatch.right,
            rank - mismatch.dim,
            size(weight),
            [vec![1; rank - target.dim()], target.shape().to_vec()].concat()
        ))
    })?;
    dims::check_size(&shape)?;
    Ok(shape)
}

fn entropies<T: Float<Acc: Arithmetic + Logarithm>>(input: &Tensor, target: &Tensor) -> Result<Tensor> {
    let within = |tensor: &Tensor, name: &str| {
        let [low, high] = [0.0, 1.0].map(T::from_f64);
        match tensor.values::<T>().iter().all(|&x| low <= x && x <= high) {
            true => Ok(()),
            false => Err(Failure::runtime(format!("all elements of {name} should be between 0 and 1"))),
        }
    };
    within(input, "input")?;
    within(target, "target")?;
    // Every step is one of the type itself, so 16-bit types are rounded each time.
    let step = |value: T::Acc| T::narrow(value).widen();
    let least = step(T::Acc::number(-100.0));
    let at_least = |value: T::Acc| if value < least { least } else { value };
    let one = T::Acc::number(1.0);
    let losses = zip::<T, T, 2>([input, target], |[x, t]| {
        let (x, t) = (x.widen(), t.widen());
        let without = at_least(step((-x).logarithm_of_one_more()));
        let with = at_least(step(x.logarithm()));
        T::narrow(step(step(t - one) * without) - step(t * with))
    });
    // PyTorch makes the result before it looks at the target.
    Ok(laid_out_like(&losses, input))
}

pub(super) fn binary_cross_entropy_with_logits(call: &Call) -> Result {
    let mut warnings = Vec::new();
    let name = reduction_name(call, &mut warnings)?;
    let reduction = reduction_of(&name, &mut warnings)?;
    let (input, target) = (call.tensor("input")?, call.tensor("target")?);
    if target.shape() != input.shape() {
        return Err(value_error(format!(
            "Target size ({}) must be the same as input size ({})",
            size(target),
            size(input)
        )));
    }
    if !input.dtype().is_floating() {
        return Err(Failure::no_kernel("log_sigmoid_cpu", input.dtype()));
    }
    let logs = eager::call("logsigmoid", [("input", Value::Tensor(input.clone()))])?;
    let logs = match call.optional_tensor("pos_weight")? {
        None => logs,
        Some(weight) => {
            let weights = binary(&plus(weight, -1.0), target, Operation::Times)?;
            in_place(&logs, &plus(&weights, 1.0), Operation::Times)?
        }
    };
    if target.dtype() == DType::Bool {
        return Err(Failure::not_implemented(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` \
             operator instead.",
        ));
    }
    let rest = plus(&scaled(target, -1.0), 1.0);
    let losses = in_place(&in_place(&rest, input, Operation::Times)?, &logs, Operation::Minus)?;
    let losses = match call.optional_tensor("weight")? {
        None => losses,
        Some(weight) => in_place(&losses, weight, Operation::Times)?,
    };
    Ok(Returned { outputs: vec![reduced(losses, reduction)?], warnings })
}

/// What follows every gradient per element: the weights, and a division for a mean. All is written
/// over the gradient.
fn finished(gradient: Tensor, weight: Option<&Tensor>, reduction: Reduction) -> Result<Tensor> {
    let weighted = match weight {
        None => gradient,
        Some(weight) => times_in_place(&gradient, weight)?,
    };
    Ok(match reduction {
        Reduction::Mean => divided(&weighted, weighted.numel() as f64),
        _ => weighted,
    })
}

/// Slopes times a factor, in the slopes' type. A factor without dimensions, as the cotangent of a
/// sum is, has no say in the type of the product.
fn times_in_place(slopes: &Tensor, factor: &Tensor) -> Result<Tensor> {
    Ok(eager::mul(slopes, factor)?.to_dtype(slopes.dtype()))
}

fn reduction_in(pass: &Pass) -> Result<Reduction> {
    let mut warnings = Vec::new();
    let name = reduction_name(pass.call, &mut warnings)?;
    reduction_of(&name, &mut warnings)
}

/// The quotient of the distance and the variance of a coin, which is kept from 0, by a kernel; for
/// the target the negative `logit`.
pub(super) fn binary_cross_entropy_backward(pass: &Pass) -> Result<Gradients> {
    refuse_gradient(pass, "weight", "binary_cross_entropy")?;
    let (input, target) = (pass.call.tensor("input")?, pass.call.tensor("target")?);
    let weight = match pass.call.optional_tensor("weight")? {
        Some(weight) => Some(weight.expanded(&weight_shape(target, weight)?)),
        None => None,
    };
    let reduction = reduction_in(pass)?;
    let cotangent = pass.cotangent(0)?.expanded(input.shape());
    pass.each(&[
        ("input", &|| {
            let slopes = with_float_type!(input.dtype(), T => slopes::<T>([&cotangent, input, target]), _ => cotangent.clone());
            finished(slopes, weight.as_ref(), reduction)
        }),
        ("target", &|| {
            let slopes = negated(&eager::logit(input)?);
            finished(times_in_place(&slopes, &pass.cotangent(0)?)?, weight.as_ref(), reduction)
        }),
    ])
}

fn slopes<T: Float<Acc: Arithmetic>>(operands: [&Tensor; 3]) -> Tensor {
    let step = |value: T::Acc| T::narrow(value).widen();
    let (one, least) = (T::Acc::number(1.0), step(T::Acc::number(f64::from(1e-12f32))));
    zip::<T, T, 3>(operands, |[cotangent, x, t]| {
        let (cotangent, x, t) = (cotangent.widen(), x.widen(), t.widen());
        let variance = step(step(one - x) * x);
        // As C++'s `max`, which keeps its first argument unless the second is larger.
        let variance = if variance < least { least } else { variance };
        T::narrow(step(cotangent * step(x - t)) / variance)
    })
}

/// Written step by step over the first operand of each, in its type.
pub(super) fn binary_cross_entropy_with_logits_backward(pass: &Pass) -> Result<Gradients> {
    for parameter in ["weight", "pos_weight"] {
        refuse_gradient(pass, parameter, "binary_cross_entropy_with_logits")?;
    }
    let (input, target) = (pass.call.tensor("input")?, pass.call.tensor("target")?);
    let weight = pass.call.optional_tensor("weight")?;
    let positive = pass.call.optional_tensor("pos_weight")?;
    let reduction = reduction_in(pass)?;
    let cotangent = pass.cotangent(0)?;
    pass.each(&[
        ("input", &|| {
            let sigmoid = laid_out_like(&eager::sigmoid(input)?, input);
            let slopes = match positive {
                None => in_place(&sigmoid, target, Operation::Minus)?,
                Some(positive) => {
                    let weights = eager::mul(positive, target)?;
                    let slopes = in_place(&plus(&weights, 1.0), target, Operation::Minus)?;
                    in_place(&times_in_place(&slopes, &sigmoid)?, &weights, Operation::Minus)?
                }
            };
            finished(times_in_place(&slopes, &cotangent)?, weight, reduction)
        }),
        ("target", &|| {
            let slopes = match positive {
                // The one product that is not written over its first operand.
                None => eager::mul(&negated(input), &cotangent)?,
                Some(positive) => {
                    let logs = times_in_place(&eager::logsigmoid(input)?, positive)?;
                    let slopes = in_place(&eager::logsigmoid(&negated(input))?, &logs, Operation::Minus)?;
                    times_in_place(&slopes, &cotangent)?
                }
            };
            finished(slopes, weight, reduction)
        }),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_costs_nothing_and_error_at_most_a_hundred() {
        let input = Tensor::new(&[3], vec![1.0f32, 0.0, 1.0]).unwrap();
        let target = Tensor::new(&[3], vec![1.0f32, 0.0, 0.0]).unwrap();
        assert_eq!(*entropies::<f32>(&input, &target).unwrap().values::<f32>(), [0.0, 0.0, 100.0]);
        let beyond = Tensor::new(&[3], vec![1.5f32, 0.0, 1.0]).unwrap();
        let message = "all elements of input should be between 0 and 1";
        assert_eq!(entropies::<f32>(&beyond, &target).unwrap_err(), Failure::runtime(message));
    }
}
