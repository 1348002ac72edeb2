//! `graph`: several calls as one, so that gradients go back through all of them. The op is the
//! project's own; its form is in `docs/format.md`.

use std::collections::BTreeMap;

use super::Op;
use super::autograd::{Backward, Gradients, Pass};
use super::call::{Call, Failure, Result, Returned, Value};
use super::tape::{Argument, Tape, Var};

/// The ops of this family.
pub(crate) const OPS: &[Op] =
    &[Op { name: "graph", parameters: &["steps", "*"], forward, backward: Backward::Rule(backward) }];

/// A graph that has run.
struct Run {
    tape: Tape,
    vars: BTreeMap<String, Var>,
    outputs: Vec<Var>,
}

fn malformed(what: &str) -> Failure {
    Failure::Unsupported(format!("graph: {what}"))
}

fn run(call: &Call, wrt: &[String]) -> Result<Run> {
    let mut tape = Tape::default();
    let mut vars = BTreeMap::new();
    for (name, value) in &call.args {
        if let Value::Tensor(tensor) = value {
            vars.insert(name.clone(), tape.leaf(tensor.clone(), wrt.contains(name)));
        }
    }
    let Some(Value::List(steps)) = call.get("steps") else { return Err(malformed("no list of steps")) };
    let mut outputs = Vec::new();
    for step in steps {
        outputs = run_step(&mut tape, &mut vars, step)?;
    }
    Ok(Run { tape, vars, outputs })
}

/// Runs `[[names], op, parameter, value, …]` and names its outputs.
fn run_step(tape: &mut Tape, vars: &mut BTreeMap<String, Var>, step: &Value) -> Result<Vec<Var>> {
    let Value::List(items) = step else { return Err(malformed("a step that is no list")) };
    let [Value::List(names), Value::Str(op), pairs @ ..] = items.as_slice() else {
        return Err(malformed("a step without names and op"));
    };
    let mut arguments: Vec<(&str, Argument)> = Vec::new();
    for pair in pairs.chunks(2) {
        let [Value::Str(parameter), value] = pair else {
            return Err(malformed("a parameter without a value"));
        };
        let argument = match value {
            Value::Input(name) => Argument::Var(known(vars, name)?),
            Value::List(items) if op == "getitem" => {
                // An index names its tensors, which are passed beside it, as in any case.
                for name in items.iter().filter_map(input_name) {
                    arguments.push((name, Argument::Var(known(vars, name)?)));
                }
                Argument::Value(value.clone())
            }
            Value::List(items)
                if !items.is_empty() && items.iter().all(|item| input_name(item).is_some()) =>
            {
                let names = items.iter().filter_map(input_name);
                Argument::Vars(names.map(|name| known(vars, name)).collect::<Result<_>>()?)
            }
            _ => Argument::Value(value.clone()),
        };
        arguments.push((parameter, argument));
    }
    let outputs = tape.call(op, arguments)?;
    if names.len() != outputs.len() {
        return Err(malformed("a step with another number of outputs than names"));
    }
    for (name, &var) in names.iter().zip(&outputs) {
        let Value::Str(name) = name else { return Err(malformed("an output without a name")) };
        vars.insert(name.clone(), var);
    }
    Ok(outputs)
}

fn input_name(value: &Value) -> Option<&str> {
    if let Value::Input(name) = value { Some(name) } else { None }
}

fn known(vars: &BTreeMap<String, Var>, name: &str) -> Result<Var> {
    vars.get(name).copied().ok_or_else(|| malformed(&format!("no tensor '{name}'")))
}

fn forward(call: &Call) -> Result {
    let Run { tape, outputs, .. } = run(call, &[])?;
    Ok(Returned {
        outputs: outputs.iter().map(|&var| tape.tensor(var).clone()).collect(),
        warnings: Vec::new(),
    })
}

fn backward(pass: &Pass) -> Result<Gradients> {
    let Run { tape, vars, outputs } = run(pass.call, pass.wrt)?;
    let given = outputs.iter().zip(pass.cotangents);
    let given: Vec<_> = given.filter_map(|(&var, cotangent)| Some((var, cotangent.clone()?))).collect();
    let wrt = pass.wrt.iter().map(|name| known(&vars, name)).collect::<Result<Vec<_>>>()?;
    let gradients = tape.backward(&given, &wrt)?;
    Ok(pass.wrt.iter().cloned().zip(gradients.into_iter().map(|gradient| vec![gradient])).collect())
}
