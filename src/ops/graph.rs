//! `graph`: several calls as one, so that gradients go back through all of them.
//!
//! An op of the project's own. `steps` lists calls as `[op, parameter, value, …]`, whose values may
//! be inputs and the outputs of earlier steps; the outputs are those of the last step.

use std::collections::BTreeMap;

use super::Op;
use super::autograd::{Backward, Gradients, Pass};
use super::call::{Call, Failure, Result, Returned, Value};
use super::tape::{Argument, Tape, Var};

/// The ops of this family.
pub(crate) const OPS: &[Op] =
    &[Op { name: "graph", parameters: &["steps", "*"], forward, backward: Backward::Rule(backward) }];

/// Arguments by name.
type Named = Vec<(String, Argument)>;

/// A graph that has run.
struct Run<'a> {
    tape: Tape,
    inputs: BTreeMap<&'a str, Var>,
    steps: Vec<Vec<Var>>,
}

impl<'a> Run<'a> {
    /// Runs a call's steps, on a tape that gradients of the named inputs can go back through.
    fn new(call: &'a Call, wrt: &[String]) -> Result<Run<'a>> {
        let mut run = Run { tape: Tape::default(), inputs: BTreeMap::new(), steps: Vec::new() };
        for (name, value) in &call.args {
            if let Value::Tensor(tensor) = value {
                run.inputs.insert(name, run.tape.leaf(tensor.clone(), wrt.contains(name)));
            }
        }
        let Some(Value::List(steps)) = call.get("steps") else { return malformed("no list of steps") };
        for step in steps {
            run.step(step)?;
        }
        Ok(run)
    }

    fn step(&mut self, step: &'a Value) -> Result<()> {
        let Value::List(items) = step else { return malformed("a step that is no list") };
        let [Value::Str(op), pairs @ ..] = items.as_slice() else { return malformed("a step without an op") };
        let mut arguments = Vec::new();
        for pair in pairs.chunks(2) {
            let [Value::Str(parameter), value] = pair else {
                return malformed("a parameter without a value");
            };
            match (value, self.var(value)?) {
                (_, Some(var)) => arguments.push((parameter.clone(), Argument::Var(var))),
                (Value::List(items), _) if parameter == "index" && op == "getitem" => {
                    let (items, tensors) = self.index(items)?;
                    arguments.push((parameter.clone(), Argument::Value(Value::List(items))));
                    arguments.extend(tensors);
                }
                (Value::List(items), _) => match self.vars(items)? {
                    Some(vars) => arguments.push((parameter.clone(), Argument::Vars(vars))),
                    None => arguments.push((parameter.clone(), Argument::Value(value.clone()))),
                },
                _ => arguments.push((parameter.clone(), Argument::Value(value.clone()))),
            }
        }
        let outputs =
            self.tape.call(op, arguments.iter().map(|(name, value)| (name.as_str(), value.clone())))?;
        self.steps.push(outputs);
        Ok(())
    }

    /// The tensor that a value stands for, if it stands for one.
    fn var(&self, value: &Value) -> Result<Option<Var>> {
        let found = match value {
            Value::Input(name) => self.inputs.get(name.as_str()),
            Value::Step(step, output) => self.steps.get(*step).and_then(|outputs| outputs.get(*output)),
            _ => return Ok(None),
        };
        found.map_or_else(|| malformed("a tensor that is not there"), |&var| Ok(Some(var)))
    }

    /// A list of tensors, if it is one.
    fn vars(&self, items: &[Value]) -> Result<Option<Vec<Var>>> {
        let vars = items.iter().map(|item| self.var(item)).collect::<Result<Option<Vec<_>>>>()?;
        Ok(vars.filter(|vars| !vars.is_empty()))
    }

    /// An index whose tensors are passed beside it under names, as in any case of brackets.
    fn index(&self, items: &[Value]) -> Result<(Vec<Value>, Named)> {
        let mut tensors = Vec::new();
        let mut named = Vec::new();
        for item in items {
            named.push(match self.var(item)? {
                Some(var) => {
                    let name = format!("index{}", tensors.len());
                    tensors.push((name.clone(), Argument::Var(var)));
                    Value::Input(name)
                }
                None => item.clone(),
            });
        }
        Ok((named, tensors))
    }

    fn outputs(&self) -> &[Var] {
        self.steps.last().map_or(&[], Vec::as_slice)
    }
}

fn malformed<T>(what: &str) -> Result<T> {
    Err(Failure::Unsupported(format!("graph: {what}")))
}

fn forward(call: &Call) -> Result {
    let run = Run::new(call, &[])?;
    let outputs = run.outputs().iter().map(|&var| run.tape.tensor(var).clone()).collect();
    Ok(Returned { outputs, warnings: run.tape.warnings().to_vec() })
}

fn backward(pass: &Pass) -> Result<Gradients> {
    let run = Run::new(pass.call, pass.wrt)?;
    let pairs = run.outputs().iter().zip(pass.cotangents);
    let given: Vec<_> = pairs.filter_map(|(&var, cotangent)| Some((var, cotangent.clone()?))).collect();
    let leaves: Vec<Var> =
        pass.wrt.iter().filter_map(|name| run.inputs.get(name.as_str()).copied()).collect();
    let gradients = run.tape.backward(&given, &leaves)?;
    Ok(pass.wrt.iter().cloned().zip(gradients.into_iter().map(|gradient| vec![gradient])).collect())
}
