//! Graphs of calls: runs them forwards, and gradients backwards through all of them.
//!
//! The order is PyTorch's engine's: of the calls that are ready the latest goes first, and the
//! contributions to one tensor are added in the order in which they arrive.

use std::collections::BTreeMap;

use super::autograd::{self, Backward, Gradients, Pass};
use super::call::{Args, Call, Result, Value};
use super::eager;
use crate::tensor::Tensor;

/// A tensor on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(usize);

/// An argument of a call on a tape.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A tensor of the tape.
    Var(Var),
    /// A list of tensors of the tape.
    Vars(Vec<Var>),
    /// Anything else.
    Value(Value),
}

/// A recorded graph.
///
/// ```
/// use torch_parity::ops::{Argument, Tape};
/// use torch_parity::tensor::Tensor;
///
/// let mut tape = Tape::default();
/// let x = tape.leaf(Tensor::new(&[2], vec![3.0f32, 5.0])?, true);
/// let y = tape.call("mul", [("input", Argument::Var(x)), ("other", Argument::Var(x))]).unwrap()[0];
/// let gradients = tape.backward(&[(y, Tensor::new(&[2], vec![1.0f32, 10.0])?)], &[x]).unwrap();
/// assert_eq!(gradients[0].as_ref().unwrap().values::<f32>(), [6.0, 100.0].as_slice());
/// # Ok::<(), torch_parity::tensor::LayoutError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tape {
    vars: Vec<Entry>,
    nodes: Vec<Node>,
    warnings: Vec<String>,
}

#[derive(Clone, Debug)]
struct Entry {
    tensor: Tensor,
    requires_grad: bool,
}

/// A call that gradients go back through.
#[derive(Clone, Debug)]
struct Node {
    call: Call,
    inputs: BTreeMap<String, Vec<Var>>,
    outputs: Vec<Var>,
}

impl Tape {
    /// Puts a tensor on the tape.
    pub fn leaf(&mut self, tensor: Tensor, requires_grad: bool) -> Var {
        self.vars.push(Entry { tensor, requires_grad });
        Var(self.vars.len() - 1)
    }

    /// A tensor of this tape.
    ///
    /// # Panics
    /// If it is of another tape.
    pub fn tensor(&self, var: Var) -> &Tensor {
        &self.vars[var.0].tensor
    }

    /// The warnings of all calls, in order.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Runs a call and puts its outputs on the tape.
    ///
    /// # Errors
    /// As the op's.
    pub fn call<'a>(
        &mut self,
        op: &str,
        arguments: impl IntoIterator<Item = (&'a str, Argument)>,
    ) -> Result<Vec<Var>> {
        let mut args = Args::new();
        let mut inputs = BTreeMap::new();
        for (name, argument) in arguments {
            let (value, vars) = match argument {
                Argument::Value(value) => (value, Vec::new()),
                Argument::Var(var) => (Value::Tensor(self.tensor(var).clone()), vec![var]),
                Argument::Vars(vars) => {
                    let tensors = vars.iter().map(|&var| Some(self.tensor(var).clone())).collect();
                    (Value::Tensors(tensors), vars)
                }
            };
            args.insert(name.to_string(), value);
            inputs.insert(name.to_string(), vars);
        }
        let call = Call { op: op.to_string(), args };
        let super::Returned { outputs, warnings } = super::run(&call)?;
        self.warnings.extend(warnings);
        let never = matches!(super::find(op).map(|op| op.backward), Some(Backward::Never));
        let flows = !never && inputs.values().flatten().any(|var| self.vars[var.0].requires_grad);
        let outputs = outputs
            .into_iter()
            .map(|tensor| {
                let requires_grad = flows && tensor.dtype().is_floating();
                self.leaf(tensor, requires_grad)
            })
            .collect();
        let node = Node { call, inputs, outputs };
        let outputs = node.outputs.clone();
        if flows {
            self.nodes.push(node);
        }
        Ok(outputs)
    }

    /// The gradients of `sum(output * cotangent)` over the given outputs with respect to some
    /// tensors; `None` for one that no output depends on.
    ///
    /// # Errors
    /// PyTorch's, for an output that carries no gradient; *unsupported* where a rule is missing.
    pub fn backward(&self, outputs: &[(Var, Tensor)], wrt: &[Var]) -> Result<Vec<Option<Tensor>>> {
        let mut gathered: BTreeMap<Var, Tensor> = BTreeMap::new();
        for (i, (var, cotangent)) in outputs.iter().enumerate() {
            if !self.vars[var.0].requires_grad {
                return Err(autograd::no_gradient(i));
            }
            add(&mut gathered, *var, cotangent)?;
        }
        for node in self.nodes.iter().rev() {
            let cotangents: Vec<Option<Tensor>> =
                node.outputs.iter().map(|var| gathered.get(var).cloned()).collect();
            if cotangents.iter().all(Option::is_none) {
                continue;
            }
            let needs = |vars: &[Var]| vars.iter().any(|var| self.vars[var.0].requires_grad);
            let names: Vec<String> =
                node.inputs.iter().filter(|(_, vars)| needs(vars)).map(|(name, _)| name.clone()).collect();
            let results: Vec<Tensor> = node.outputs.iter().map(|&var| self.tensor(var).clone()).collect();
            let gradients = autograd::backward(&node.call, &results, &cotangents, &names)?;
            self.scatter(node, gradients, &mut gathered)?;
        }
        Ok(wrt.iter().map(|var| gathered.remove(var)).collect())
    }

    fn scatter(&self, node: &Node, gradients: Gradients, gathered: &mut BTreeMap<Var, Tensor>) -> Result<()> {
        for name in schema_order(&node.call.op, node.inputs.keys()) {
            let Some(tensors) = gradients.get(name) else { continue };
            for (&var, gradient) in node.inputs[name].iter().zip(tensors) {
                if let Some(gradient) = gradient.as_ref().filter(|_| self.vars[var.0].requires_grad) {
                    add(gathered, var, gradient)?;
                }
            }
        }
        Ok(())
    }
}

/// The way back through an op that PyTorch composes of others: the same calls on a tape.
///
/// `program` is given the tape, and the call's arguments by name with its tensors on the tape.
pub(crate) fn composed(
    pass: &Pass,
    program: impl FnOnce(&mut Tape, &Arguments) -> Result<Vec<Var>>,
) -> Result<Gradients> {
    let mut tape = Tape::default();
    let mut arguments = Arguments::new();
    let mut leaves = BTreeMap::new();
    for (name, value) in &pass.call.args {
        let wanted = pass.wants(name);
        let argument = match value {
            Value::Tensor(tensor) => Argument::Var(tape.leaf(tensor.clone(), wanted)),
            Value::Tensors(tensors) if tensors.iter().all(Option::is_some) => {
                let tensors = tensors.iter().flatten();
                Argument::Vars(tensors.map(|tensor| tape.leaf(tensor.clone(), wanted)).collect())
            }
            value => Argument::Value(value.clone()),
        };
        if wanted {
            leaves.insert(name, argument.vars().to_vec());
        }
        arguments.insert(name, argument);
    }
    let outputs = program(&mut tape, &arguments)?;
    let pairs = outputs.into_iter().zip(pass.cotangents);
    let given: Vec<_> = pairs.filter_map(|(var, cotangent)| Some((var, cotangent.clone()?))).collect();
    let wrt: Vec<Var> = leaves.values().flatten().copied().collect();
    let mut gradients = tape.backward(&given, &wrt)?.into_iter();
    Ok(leaves
        .into_iter()
        .map(|(name, vars)| (name.clone(), gradients.by_ref().take(vars.len()).collect()))
        .collect())
}

/// A call's arguments by name, its tensors on a tape.
pub(crate) type Arguments<'a> = BTreeMap<&'a str, Argument>;

impl Argument {
    fn vars(&self) -> &[Var] {
        match self {
            Argument::Var(var) => std::slice::from_ref(var),
            Argument::Vars(vars) => vars,
            Argument::Value(_) => &[],
        }
    }
}

/// The parameters of a call in the order of the function's signature, in which PyTorch passes
/// gradients on.
fn schema_order<'a>(op: &str, names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let order = crate::ops::find(op).map_or(&[][..], |op| op.parameters);
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_by_key(|name| order.iter().position(|parameter| parameter == name));
    names
}

fn add(gathered: &mut BTreeMap<Var, Tensor>, var: Var, gradient: &Tensor) -> Result<()> {
    let sum = match gathered.get(&var) {
        Some(so_far) => eager::add(so_far, gradient)?,
        None => gradient.clone(),
    };
    gathered.insert(var, sum);
    Ok(())
}
