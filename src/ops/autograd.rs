//! Gradients of one call: what flows back from its outputs to its inputs.
//!
//! A rule stands beside its op's forward and is written in calls of other ops, in the order in
//! which PyTorch's own formula makes them (`derivatives.yaml`, `FunctionsManual.cpp`), so that its
//! bits are PyTorch's too. What PyTorch's engine does with the gradients of every rule, the sum over
//! broadcast dimensions and the conversion to the input's dtype, is done here, once.
//! [`tape`](super::tape) chains calls to graphs.

use std::collections::BTreeMap;

use super::call::{Call, Failure, Result, Value};
use super::eager;
use crate::tensor::Tensor;

/// Gradients by the name of the input: one entry per tensor of that input, so one for a tensor
/// and several for a list, `None` where nothing flows back.
pub type Gradients = BTreeMap<String, Vec<Option<Tensor>>>;

/// How gradients go back through an op.
#[derive(Clone, Copy, Debug)]
pub enum Backward {
    /// No output depends smoothly on an input: indices, comparisons, counts.
    Never,
    /// By this rule, which gives the gradients of the inputs that the pass wants.
    Rule(fn(&Pass) -> Result<Gradients>),
    /// PyTorch has a rule, this engine has not.
    Unwritten,
}

/// One call's way back, as its rule sees it.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The call.
    pub call: &'a Call,
    /// What it returned.
    pub outputs: &'a [Tensor],
    /// One cotangent per output; `None` is zero.
    pub cotangents: &'a [Option<Tensor>],
    /// The names of the inputs that want a gradient.
    pub wrt: &'a [String],
}

impl Pass<'_> {
    /// Whether an input wants a gradient.
    pub(crate) fn wants(&self, parameter: &str) -> bool {
        self.wrt.iter().any(|name| name == parameter)
    }

    /// An output, which the forward pass has made.
    pub(crate) fn output(&self, number: usize) -> Result<&Tensor> {
        self.outputs
            .get(number)
            .ok_or_else(|| Failure::Unsupported(format!("{}: output {number}", self.call.op)))
    }

    /// The cotangent of an output; zeros where there is none.
    pub(crate) fn cotangent(&self, number: usize) -> Result<Tensor> {
        match self.cotangents.get(number) {
            Some(Some(cotangent)) => Ok(cotangent.clone()),
            _ => eager::zeros_like(self.output(number)?),
        }
    }

    /// The gradients of those inputs that want one, each computed only then. A rule gives what
    /// its formula gives: [`backward`] sums what was broadcast and converts.
    pub(crate) fn each(&self, rules: &[(&str, &dyn Fn() -> Result<Tensor>)]) -> Result<Gradients> {
        let wanted = rules.iter().filter(|(name, _)| self.wants(name));
        wanted.map(|(name, rule)| Ok((name.to_string(), vec![Some(rule()?)]))).collect()
    }
}

/// The gradients of `sum(outputs * cotangents)` with respect to the named inputs.
///
/// # Errors
/// As PyTorch raises them: for an input that is not floating, outputs that carry no gradient, or
/// cotangents of another number or shape.
pub fn backward(
    call: &Call,
    outputs: &[Tensor],
    cotangents: &[Option<Tensor>],
    wrt: &[String],
) -> Result<Gradients> {
    for name in wrt {
        if places(call, name).flatten().any(|tensor| !tensor.dtype().is_floating()) {
            return Err(Failure::runtime("only Tensors of floating point dtype can require gradients"));
        }
    }
    let rule = match super::find(&call.op).map(|op| op.backward) {
        Some(Backward::Rule(rule)) => rule,
        Some(Backward::Never) => return Err(no_gradient(0)),
        _ => return Err(Failure::Unsupported(format!("{}: backward", call.op))),
    };
    // No output takes part: none is floating, or none depends on these inputs.
    if cotangents.iter().all(Option::is_none) {
        return Err(no_gradient(0));
    }
    if let Some(integral) = outputs
        .iter()
        .zip(cotangents)
        .position(|(output, cotangent)| cotangent.is_some() && !output.dtype().is_floating())
    {
        return Err(no_gradient(integral));
    }
    let pairs = outputs.iter().zip(cotangents).enumerate();
    for (i, (output, cotangent)) in pairs.filter_map(|(i, (o, c))| Some((i, (o, c.as_ref()?)))) {
        if output.shape() != cotangent.shape() {
            return Err(Failure::runtime(format!(
                "Mismatch in shape: grad_output[{i}] has a shape of torch.Size({:?}) and output[{i}] has a shape of \
                 torch.Size({:?}).",
                cotangent.shape(),
                output.shape()
            )));
        }
    }
    let mut gradients = rule(&Pass { call, outputs, cotangents, wrt })?;
    for (name, list) in &mut gradients {
        for (input, gradient) in places(call, name).zip(list.iter_mut()) {
            if let (Some(input), Some(gradient)) = (input, gradient) {
                *gradient = validated(gradient, input)?;
            }
        }
    }
    Ok(gradients)
}

/// A gradient as that of an input: summed over what its shape was broadcast to, then in its dtype,
/// in the order of PyTorch's `validate_outputs`.
fn validated(gradient: &Tensor, input: &Tensor) -> Result<Tensor> {
    Ok(eager::sum_to(gradient, input.shape())?.to_dtype(input.dtype()))
}

/// The places of an input's tensors: one for a tensor, several for a list, which may have gaps.
fn places<'a>(call: &'a Call, name: &str) -> impl Iterator<Item = Option<&'a Tensor>> {
    let (one, many) = match call.get(name) {
        Some(Value::Tensor(tensor)) => (Some(Some(tensor)), None),
        Some(Value::Tensors(tensors)) => (None, Some(tensors.iter().map(Option::as_ref))),
        _ => (None, None),
    };
    one.into_iter().chain(many.into_iter().flatten())
}

/// PyTorch's refusal to differentiate what carries no gradient.
pub(super) fn no_gradient(output: usize) -> Failure {
    Failure::runtime(format!("element {output} of tensors does not require grad and does not have a grad_fn"))
}
