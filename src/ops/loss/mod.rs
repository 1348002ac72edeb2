//! Losses: [`regression`] by distance, [`classification`] by index or probability, [`binary`] by
//! cross entropy of one class.
//!
//! Each computes element by element in PyTorch's own steps, rounding where PyTorch rounds, and
//! leaves the reduction to the engine's `sum` and `mean`, except for `nll_loss`, which has a
//! cascade of its own.

mod arithmetic;
mod binary;
mod classification;
mod regression;

use super::call::{Call, Exception, Failure, Result, Value};
use super::{Backward, Op, Pass, eager};
use crate::tensor::{Scalar, Tensor};
use arithmetic::divided;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "mse_loss",
        parameters: regression::WEIGHTED,
        forward: regression::mse_loss,
        backward: Backward::Rule(regression::mse_loss_backward),
    },
    Op {
        name: "l1_loss",
        parameters: regression::WEIGHTED,
        forward: regression::l1_loss,
        backward: Backward::Rule(regression::l1_loss_backward),
    },
    Op {
        name: "smooth_l1_loss",
        parameters: regression::SMOOTH_L1,
        forward: regression::smooth_l1_loss,
        backward: Backward::Rule(regression::smooth_l1_loss_backward),
    },
    Op {
        name: "huber_loss",
        parameters: regression::HUBER,
        forward: regression::huber_loss,
        backward: Backward::Rule(regression::huber_loss_backward),
    },
    Op {
        name: "binary_cross_entropy",
        parameters: binary::PLAIN,
        forward: binary::binary_cross_entropy,
        backward: Backward::Rule(binary::binary_cross_entropy_backward),
    },
    Op {
        name: "binary_cross_entropy_with_logits",
        parameters: binary::WITH_LOGITS,
        forward: binary::binary_cross_entropy_with_logits,
        backward: Backward::Rule(binary::binary_cross_entropy_with_logits_backward),
    },
    Op {
        name: "nll_loss",
        parameters: classification::NLL,
        forward: classification::nll_loss,
        backward: Backward::Rule(classification::nll_loss_backward),
    },
    Op {
        name: "cross_entropy",
        parameters: classification::CROSS_ENTROPY,
        forward: classification::cross_entropy,
        backward: Backward::Rule(classification::cross_entropy_backward),
    },
];

/// How a loss per element becomes the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduction {
    None,
    Mean,
    Sum,
}

/// The `reduction` as it was written: by name, or by the two deprecated flags, which win.
fn reduction_name(call: &Call, warnings: &mut Vec<String>) -> Result<String> {
    let (average, reduce) = (call.get("size_average"), call.get("reduce"));
    if average.is_none() && reduce.is_none() {
        return match call.get("reduction") {
            None => Ok("mean".into()),
            Some(Value::Str(name)) => Ok(name.clone()),
            Some(_) => Err(Failure::Unsupported(format!("{}: reduction that is no name", call.op))),
        };
    }
    let average = average.is_none() || call.flag("size_average")?;
    let reduce = reduce.is_none() || call.flag("reduce")?;
    let name = match (average, reduce) {
        (true, true) => "mean",
        (false, true) => "sum",
        (_, false) => "none",
    };
    warnings.push(format!(
        "size_average and reduce args will be deprecated, please use reduction='{name}' instead."
    ));
    Ok(name.into())
}

/// The meaning of a `reduction`, or PyTorch's refusal.
fn reduction_of(name: &str, warnings: &mut Vec<String>) -> Result<Reduction> {
    match name {
        "none" => Ok(Reduction::None),
        "mean" => Ok(Reduction::Mean),
        "sum" => Ok(Reduction::Sum),
        "elementwise_mean" => {
            let message = "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.";
            warnings.push(message.into());
            Ok(Reduction::Mean)
        }
        _ => Err(value_error(format!("{name} is not a valid value for reduction"))),
    }
}

fn value_error(message: impl Into<String>) -> Failure {
    Failure::Raised(Exception::ValueError, message.into())
}

/// Losses per element, reduced. The sum runs along their memory, so their layout counts.
fn reduced(losses: Tensor, reduction: Reduction) -> Result<Tensor> {
    match reduction {
        Reduction::None => Ok(losses),
        Reduction::Mean => eager::call("mean", [("input", Value::Tensor(losses))]),
        Reduction::Sum => eager::call("sum", [("input", Value::Tensor(losses))]),
    }
}

/// The gradient of losses per element from that of what [`reduced`] made of them.
fn spread(cotangent: &Tensor, reduction: Reduction, shape: &[usize]) -> Tensor {
    let whole = cotangent.expanded(shape);
    match reduction {
        Reduction::Mean => divided(&whole, whole.numel() as f64),
        _ => whole,
    }
}

/// PyTorch's refusal of a gradient that it has no formula for.
fn refuse_gradient(pass: &Pass, parameter: &str, function: &str) -> Result<()> {
    if !pass.wants(parameter) {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "The function '{function}' is not differentiable with respect to argument '{parameter}'. This input cannot have \
         requires_grad True."
    )))
}

/// `torch.Size` as Python prints it.
fn size(tensor: &Tensor) -> String {
    format!("torch.Size({:?})", tensor.shape())
}

/// A 0-d tensor of one value in the dtype of another tensor.
fn constant(value: f64, like: &Tensor) -> Tensor {
    Tensor::full(&[], Scalar::Float(value), like.dtype())
}
