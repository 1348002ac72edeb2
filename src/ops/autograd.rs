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

    /// PyTorch's refusal to record a result whose dtype carries no gradient, of an op that could
    /// have given one that does.
    pub(crate) fn refuse_integral_result(&self) -> Result<()> {
        let dtype = self.output(0)?.dtype();
        if dtype.is_floating() {
            return Ok(());
        }
        Err(Failure::runtime(format!("Autograd not support dtype: {}", dtype.scalar_type())))
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
    let pass = Pass { call, outputs, cotangents, wrt };
    if cotangents.iter().all(Option::is_none) {
        // What PyTorch refuses while it records the call comes before what it refuses afterwards.
        return Err(match rule(&pass) {
            Err(raised @ Failure::Raised(..)) => raised,
            _ => no_gradient(0),
        });
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
    let mut gradients = rule(&pass)?;
    #[cfg(test)]
    spoil(&call.op, &mut gradients);
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

/// A gradient whose shape can be summed to that of its input, or PyTorch's complaint about the node
/// that gave it as that of its input number `position`.
pub(super) fn fitting(gradient: Tensor, input: &Tensor, node: &str, position: usize) -> Result<Tensor> {
    let own = input.shape();
    let fits = gradient.dim().checked_sub(own.len()).is_some_and(|missing| {
        own.iter().zip(&gradient.shape()[missing..]).all(|(&own, &given)| own == given || own == 1)
    });
    if fits {
        return Ok(gradient);
    }
    Err(Failure::runtime(format!(
        "Function {node}Backward0 returned an invalid gradient at index {position} - got {:?} but expected shape \
         compatible with {own:?}",
        gradient.shape()
    )))
}

/// PyTorch's refusal to go back through a function that it has no formula for.
pub(super) fn not_implemented(function: &str) -> Failure {
    Failure::runtime(format!("derivative for aten::{function} is not implemented"))
}

/// PyTorch's refusal to differentiate what carries no gradient.
pub(super) fn no_gradient(output: usize) -> Failure {
    Failure::runtime(format!("element {output} of tensors does not require grad and does not have a grad_fn"))
}

#[cfg(test)]
type Wrong = (String, fn(&mut Gradients));

#[cfg(test)]
thread_local! {
    /// The op whose rule is to be wrong on this thread, and how.
    static WRONG: std::cell::RefCell<Option<Wrong>> = const { std::cell::RefCell::new(None) };
}

/// Runs something while one op's rule is wrong, on this thread.
#[cfg(test)]
pub(crate) fn with_wrong_rule<T>(op: &str, fault: fn(&mut Gradients), run: impl FnOnce() -> T) -> T {
    WRONG.set(Some((op.to_string(), fault)));
    let result = run();
    WRONG.set(None);
    result
}

#[cfg(test)]
fn spoil(op: &str, gradients: &mut Gradients) {
    WRONG.with_borrow(|wrong| match wrong {
        Some((wrong_op, fault)) if wrong_op == op => fault(gradients),
        _ => {}
    });
}
