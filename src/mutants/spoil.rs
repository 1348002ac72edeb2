//! The ways in which mutants spoil an outcome.

use half::{bf16, f16};

use super::Subject;
use crate::corpus::{Backpropagated, Case, Outcome};
use crate::ops::{self, Args, Call, Gradients, Value};
use crate::tensor::{DType, Scalar, Tensor};

impl Subject<'_> {
    /// The honest outcome with each output replaced; none where there is nothing to replace.
    pub(super) fn tensors(&self, spoil: impl Fn(&Tensor) -> Option<Tensor>) -> Option<Outcome> {
        let Outcome::Returned { outputs, warnings, backward } = self.honest else { return None };
        let outputs = outputs.iter().map(spoil).collect::<Option<_>>()?;
        Some(Outcome::Returned { outputs, warnings: warnings.clone(), backward: backward.clone() })
    }

    pub(super) fn outputs(&self, spoil: fn(Scalar) -> Scalar) -> Option<Outcome> {
        self.tensors(|tensor| Some(mapped(tensor, spoil)))
    }

    pub(super) fn floats(&self, spoil: fn(f64) -> f64) -> Option<Outcome> {
        self.tensors(|tensor| {
            Some(mapped(tensor, |value| match value {
                Scalar::Float(x) => Scalar::Float(spoil(x)),
                other => other,
            }))
        })
    }

    /// The honest outcome with its gradients replaced; none where it has no gradients.
    fn backward(&self, spoil: impl Fn(&Gradients) -> Option<Backpropagated>) -> Option<Outcome> {
        let Outcome::Returned { outputs, warnings, backward: Some(Backpropagated::Gave(gradients)) } =
            self.honest
        else {
            return None;
        };
        let backward = Some(spoil(gradients)?);
        Some(Outcome::Returned { outputs: outputs.clone(), warnings: warnings.clone(), backward })
    }

    /// What the engine makes of a changed call.
    pub(super) fn rerun(&self, call: Call) -> Option<Outcome> {
        let outcome = self.engine.run(&Case { call, ..self.case.clone() });
        (!matches!(outcome, Outcome::Unsupported(_))).then_some(outcome)
    }
}

pub(super) fn mapped(tensor: &Tensor, spoil: impl Fn(Scalar) -> Scalar) -> Tensor {
    crate::with_type!(tensor.dtype(), T => {
        use crate::tensor::Element;
        Tensor::collect(tensor.shape(), tensor.scalars().map(|value| T::from_scalar(spoil(value))))
    })
}

pub(super) fn negate(value: Scalar) -> Scalar {
    match value {
        Scalar::Bool(flag) => Scalar::Bool(!flag),
        Scalar::Int(n) => Scalar::Int(n.wrapping_neg()),
        Scalar::Float(x) => Scalar::Float(-x),
    }
}

pub(super) fn plus_one(value: Scalar) -> Scalar {
    match value {
        Scalar::Bool(flag) => Scalar::Bool(!flag),
        Scalar::Int(n) => Scalar::Int(n.wrapping_add(1)),
        Scalar::Float(x) => Scalar::Float(x + 1.0),
    }
}

pub(super) fn shifted(tensor: &Tensor) -> Option<Tensor> {
    let count = tensor.numel();
    let flat = tensor.reshaped(&[count]);
    let order = (0..count).map(|i| flat.offset() + (i + count - 1) % count);
    Some(flat.picked(tensor.shape(), order))
}

pub(super) fn shortened(tensor: &Tensor) -> Option<Tensor> {
    let &size = tensor.shape().first()?;
    (size > 0).then(|| tensor.sliced(0, 0, size - 1, 1))
}

pub(super) fn reversed(tensor: &Tensor) -> Option<Tensor> {
    Some(tensor.permuted(&(0..tensor.dim()).rev().collect::<Vec<_>>()))
}

pub(super) fn other_width(dtype: DType) -> DType {
    match dtype {
        DType::Float32 => DType::Float64,
        dtype if dtype.is_floating() => DType::Float32,
        DType::Int64 => DType::Int32,
        _ => DType::Int64,
    }
}

pub(super) fn echo(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { backward, .. } = subject.honest else { return None };
    let Some(Value::Tensor(input)) = subject.case.call.get("input") else { return None };
    Some(Outcome::Returned { outputs: vec![input.clone()], warnings: Vec::new(), backward: backward.clone() })
}

pub(super) fn wrong_axis(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    let (Ok(Some(dim)), Ok(input)) = (call.int("dim"), call.tensor("input")) else { return None };
    let rank = input.dim() as i64;
    if rank < 2 {
        return None;
    }
    let next = Value::Scalar(Scalar::Int((dim + 1).rem_euclid(rank)));
    call.args.insert("dim".into(), next);
    subject.rerun(call)
}

pub(super) fn negative_dim_misread(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    let dim = call.int("dim").ok()??;
    let misread = dim.checked_neg().filter(|_| dim < 0)?;
    call.args.insert("dim".into(), Value::Scalar(Scalar::Int(misread)));
    subject.rerun(call)
}

pub(super) fn keepdim(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    let knows = |op: &ops::Op| op.name == call.op && op.parameters.contains(&"keepdim");
    if call.get("dim").is_none() || !ops::registry().any(knows) {
        return None;
    }
    let other = !call.flag("keepdim").ok()?;
    call.args.insert("keepdim".into(), Value::Scalar(Scalar::Bool(other)));
    subject.rerun(call)
}

pub(super) fn strides_ignored(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    for (_, value) in call.args.iter_mut() {
        if let Value::Tensor(tensor) = value
            && !tensor.is_contiguous()
        {
            let (offset, len) = (tensor.offset(), tensor.storage().len());
            *tensor = tensor.picked(tensor.shape(), (0..tensor.numel()).map(|i| (offset + i) % len));
        }
    }
    subject.rerun(call)
}

/// One element after the other, each sum rounded to the type.
pub(super) fn half_accumulator(subject: &Subject) -> Option<Outcome> {
    let call = &subject.case.call;
    let round: fn(f64) -> f64 = match call.tensor("input").ok()?.dtype() {
        DType::Float16 => |x| f16::from_f64(x).to_f64(),
        DType::BFloat16 => |x| bf16::from_f64(x).to_f64(),
        _ => return None,
    };
    let mean = match call.op.as_str() {
        "sum" => false,
        "mean" => true,
        _ => return None,
    };
    let (input, dim) = along(call)?;
    let size = input.shape()[dim];
    subject.tensors(|output| {
        let mut sums = vec![0.0; output.numel()];
        for i in 0..size {
            for (sum, value) in sums.iter_mut().zip(input.selected(dim, i).scalars()) {
                *sum = round(*sum + value.to_f64());
            }
        }
        let divided = sums.into_iter().map(|sum| if mean { sum / size as f64 } else { sum });
        Some(Tensor::collect(output.shape(), divided).to_dtype(output.dtype()))
    })
}

/// A call's input and the one dimension that it works along: its own, or that of all elements.
fn along(call: &Call) -> Option<(Tensor, usize)> {
    let input = call.tensor("input").ok()?;
    match call.int("dim").ok()? {
        Some(dim) => {
            let dim = dim.checked_rem_euclid(input.dim() as i64)?;
            Some((input.clone(), usize::try_from(dim).ok()?))
        }
        None => Some((input.reshaped(&[input.numel()]), 0)),
    }
}

pub(super) fn through_float32(tensor: &Tensor) -> Tensor {
    mapped(tensor, |value| match value {
        Scalar::Float(x) => Scalar::Float(f64::from(x as f32)),
        Scalar::Int(n) => Scalar::Int(n as f32 as i64),
        flag => flag,
    })
}

pub(super) fn infinity_cut(tensor: &Tensor) -> Tensor {
    let largest = match tensor.dtype() {
        DType::Float64 => f64::MAX,
        DType::Float32 => f64::from(f32::MAX),
        DType::BFloat16 => bf16::MAX.to_f64(),
        _ => f16::MAX.to_f64(),
    };
    mapped(tensor, |value| match value {
        Scalar::Float(x) if x.is_infinite() => Scalar::Float(largest.copysign(x)),
        other => other,
    })
}

pub(super) fn empty_is_zero(subject: &Subject) -> Option<Outcome> {
    let is_empty = |value: &Value| matches!(value, Value::Tensor(tensor) if tensor.numel() == 0);
    let empty = subject.case.call.args.values().any(is_empty);
    empty.then(|| subject.outputs(|_| Scalar::Int(0)))?
}

pub(super) fn bool_as_uint8(tensor: &Tensor) -> Tensor {
    if tensor.dtype() == DType::Bool { tensor.to_dtype(DType::UInt8) } else { tensor.clone() }
}

pub(super) fn biased(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    if !matches!(call.op.as_str(), "var" | "std" | "var_mean" | "std_mean") {
        return None;
    }
    let biased = match call.args.remove("unbiased") {
        Some(Value::Scalar(Scalar::Bool(unbiased))) => !unbiased,
        _ => matches!(call.args.get("correction"), Some(Value::Scalar(value)) if value.to_f64() == 0.0),
    };
    call.args.insert("correction".into(), Value::Scalar(Scalar::Int(i64::from(biased))));
    subject.rerun(call)
}

pub(super) fn nan_ignored(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    for (_, value) in call.args.iter_mut() {
        if let Value::Tensor(tensor) = value
            && tensor.dtype().is_floating()
        {
            let zeroed = |x: Scalar| if x.to_f64().is_nan() { Scalar::Float(0.0) } else { x };
            *tensor = mapped(tensor, zeroed);
        }
    }
    subject.rerun(call)
}

/// Searches from the other end: indices along `dim` (or over everything) of the flipped input.
pub(super) fn last_first(subject: &Subject, with_nan: bool) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    let index_output = match call.op.as_str() {
        "argmax" | "argmin" => 0,
        "max" | "min" if call.get("dim").is_some() => 1,
        _ => return None,
    };
    let input = call.tensor("input").ok()?.clone();
    let has_nan = input.scalars().any(|value| value.to_f64().is_nan());
    if has_nan != with_nan || input.dim() == 0 {
        return None;
    }
    let (flat, dim) = along(&call)?;
    let size = flat.shape()[dim];
    let order = (0..size).rev().map(|i| i as i64);
    let flipped = Call {
        op: "index_select".into(),
        args: Args::from_iter([
            ("input".to_string(), Value::Tensor(flat)),
            ("dim".to_string(), Value::Scalar(Scalar::Int(dim as i64))),
            ("index".to_string(), Value::Tensor(Tensor::collect(&[size], order))),
        ]),
    };
    let flipped = ops::run(&flipped).ok()?.outputs.pop()?.reshaped(input.shape());
    call.args.insert("input".into(), Value::Tensor(flipped));
    let Some(Outcome::Returned { mut outputs, warnings, backward }) = subject.rerun(call) else {
        return None;
    };
    let indices = outputs.get_mut(index_output)?;
    *indices = mapped(indices, |index| Scalar::Int(size as i64 - 1 - index.to_i64()));
    Some(Outcome::Returned { outputs, warnings, backward })
}

pub(super) fn output_missing(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, warnings, backward } = subject.honest else { return None };
    let outputs = outputs.split_last()?.1.to_vec();
    Some(Outcome::Returned { outputs, warnings: warnings.clone(), backward: backward.clone() })
}

pub(super) fn output_added(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, warnings, backward } = subject.honest else { return None };
    let mut outputs = outputs.clone();
    outputs.push(outputs.last().cloned().unwrap_or_else(|| Tensor::scalar(0.0f32)));
    Some(Outcome::Returned { outputs, warnings: warnings.clone(), backward: backward.clone() })
}

pub(super) fn swallows(subject: &Subject) -> Option<Outcome> {
    let Outcome::Raised { .. } = subject.honest else { return None };
    let outputs = vec![Tensor::scalar(0.0f32)];
    Some(Outcome::Returned { outputs, warnings: Vec::new(), backward: None })
}

pub(super) fn index_clamped(subject: &Subject) -> Option<Outcome> {
    let Outcome::Raised { .. } = subject.honest else { return None };
    let mut call = subject.case.call.clone();
    let (input, dim) = along(&call)?;
    let last = input.shape()[dim].checked_sub(1)? as i64;
    let index = call.tensor("index").ok()?;
    let clamped = mapped(index, |position| Scalar::Int(position.to_i64().clamp(0, last)));
    call.args.insert("index".into(), Value::Tensor(clamped));
    subject.rerun(call)
}

pub(super) fn raises(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { .. } = subject.honest else { return None };
    Some(Outcome::Raised { kind: "RuntimeError".into(), message: "mutant".into() })
}

pub(super) fn error(subject: &Subject, spoil: fn(String, String) -> (String, String)) -> Option<Outcome> {
    let Outcome::Raised { kind, message } = subject.honest else { return None };
    let (kind, message) = spoil(kind.clone(), message.clone());
    Some(Outcome::Raised { kind, message })
}

pub(super) fn warnings_lost(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, backward, .. } = subject.honest else { return None };
    Some(Outcome::Returned { outputs: outputs.clone(), warnings: Vec::new(), backward: backward.clone() })
}

pub(super) fn gradients(subject: &Subject, spoil: impl Fn(&Tensor) -> Option<Tensor>) -> Option<Outcome> {
    let spoil_all =
        |tensors: &Vec<Option<Tensor>>| tensors.iter().map(|t| t.as_ref().and_then(&spoil)).collect();
    subject.backward(|gradients| {
        let spoilt = gradients.iter().map(|(name, tensors)| (name.clone(), spoil_all(tensors)));
        Some(Backpropagated::Gave(spoilt.collect()))
    })
}

pub(super) fn warning_added(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, warnings, backward } = subject.honest else { return None };
    let warnings = warnings.iter().cloned().chain(["mutant".to_string()]).collect();
    Some(Outcome::Returned { outputs: outputs.clone(), warnings, backward: backward.clone() })
}

/// The first two inputs whose gradients look the same have each other's.
pub(super) fn gradients_swapped(subject: &Subject) -> Option<Outcome> {
    let looks = |tensors: &[Option<Tensor>]| match tensors {
        [Some(tensor)] => Some((tensor.dtype(), tensor.shape().to_vec())),
        _ => None,
    };
    subject.backward(|gradients| {
        let names: Vec<&String> = gradients.keys().collect();
        let mut pairs =
            names.iter().enumerate().flat_map(|(i, a)| names[i + 1..].iter().map(move |b| (*a, *b)));
        let alike = |name: &String| looks(&gradients[name]);
        let (a, b) = pairs.find(|(a, b)| alike(a).is_some() && alike(a) == alike(b))?;
        let mut swapped = gradients.clone();
        swapped.insert(a.clone(), gradients[b].clone());
        swapped.insert(b.clone(), gradients[a].clone());
        Some(Backpropagated::Gave(swapped))
    })
}

pub(super) fn broadcast_not_summed(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, .. } = subject.honest else { return None };
    let shape = outputs.first()?.shape().to_vec();
    gradients(subject, move |tensor| {
        let fits = |(own, whole): (&usize, &usize)| own == whole || *own == 1;
        let own = tensor.shape();
        let broadcasts = own.len() <= shape.len() && own.iter().rev().zip(shape.iter().rev()).all(fits);
        Some(if broadcasts { tensor.expanded(&shape) } else { tensor.clone() })
    })
}

pub(super) fn backward_swallowed(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, warnings, backward: Some(Backpropagated::Raised { .. }) } =
        subject.honest
    else {
        return None;
    };
    let backward = Some(Backpropagated::Gave(Gradients::new()));
    Some(Outcome::Returned { outputs: outputs.clone(), warnings: warnings.clone(), backward })
}
