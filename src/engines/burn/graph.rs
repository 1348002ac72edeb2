//! `graph`: the steps of a graph, each a call whose tensors are inputs or earlier outputs.

use std::collections::BTreeMap;

use super::tensor::{Any, unsupported};
use super::{Args, Output, Row, run};
use crate::ops::{Call, Result, Value};

pub(super) const ROWS: &[Row] = &[Row { name: "graph", parameters: &["steps", "*"], run: steps }];

fn steps(args: &Args) -> Result<Vec<Output>> {
    let Some(Value::List(steps)) = args.call.get("steps") else { return unsupported("graph: no steps") };
    let mut done: Vec<Vec<Any>> = Vec::new();
    let mut last = Vec::new();
    for step in steps {
        let Value::List(items) = step else { return unsupported("graph: a step that is no list") };
        let [Value::Str(op), pairs @ ..] = items.as_slice() else {
            return unsupported("graph: a step without an op");
        };
        let mut call = Call { op: op.clone(), args: Default::default() };
        let mut tensors = BTreeMap::new();
        for pair in pairs.chunks(2) {
            let [Value::Str(parameter), value] = pair else {
                return unsupported("graph: a parameter without a value");
            };
            let found = match value {
                Value::List(items) => {
                    items.iter().map(|item| tensor(args, &done, item)).collect::<Result<Vec<_>>>()?
                }
                value => vec![tensor(args, &done, value)?],
            };
            if !found.is_empty() && found.iter().all(Option::is_some) {
                tensors.insert(parameter.clone(), found);
            } else if found.iter().any(Option::is_some) {
                return unsupported("graph: tensors inside an index");
            }
            call.args.insert(parameter.clone(), value.clone());
        }
        last = run(&Args { call: &call, tensors, device: args.device.clone() })?;
        let kept = last.iter().map(|output| match output {
            Output::Tensor(tensor) => Ok(tensor.clone()),
            Output::Number(_) => unsupported("graph: a step that gives a number"),
        });
        done.push(kept.collect::<Result<Vec<_>>>()?);
    }
    Ok(last)
}

/// The tensor that a value of a step stands for, if it stands for one.
fn tensor(args: &Args, done: &[Vec<Any>], value: &Value) -> Result<Option<Any>> {
    match value {
        Value::Input(name) => args.tensor(name).map(Some),
        Value::Step(step, output) => match done.get(*step).and_then(|outputs| outputs.get(*output)) {
            Some(tensor) => Ok(Some(tensor.clone())),
            None => unsupported("graph: an output that is not there"),
        },
        _ => Ok(None),
    }
}
