//! Cases and answers as JSON, a line each: what goes to an external engine, and what it answers.
//!
//! Written is what the readers take, to the last bit: shortest float64 decimals, words for what
//! JSON lacks, base64 for long tensors, the layout of what is not row-major.

use std::collections::BTreeMap;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::encoding::{Json, word};
use super::{Backpropagated, Backward, Case, Outcome};
use crate::ops::{Gradients, Value};
use crate::tensor::Tensor;

/// A case as one line of JSON, without the line's end. A case that needs a dtype which the format
/// has not cannot be written.
pub fn case_to_json(case: &Case) -> serde_json::Result<String> {
    serde_json::to_string(case)
}

/// What came of a case, as an engine answers it: one line of JSON, without the line's end.
pub fn answer_to_json(case: &Case, outcome: &Outcome) -> serde_json::Result<String> {
    serde_json::to_string(&Answer { case, outcome })
}

impl Serialize for Case {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(dtype) = &self.foreign {
            return Err(S::Error::custom(format!("{}: the format has no such dtype: {dtype}", self.id)));
        }
        let written = self.call.args.iter().map(|(name, value)| (name.as_str(), Written(value)));
        let (inputs, attrs): (BTreeMap<_, _>, BTreeMap<_, _>) =
            written.partition(|(_, Written(value))| matches!(value, Value::Tensor(_) | Value::Tensors(_)));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("op", &self.call.op)?;
        map.serialize_entry("inputs", &inputs)?;
        map.serialize_entry("attrs", &attrs)?;
        if let Some(backward) = &self.backward {
            map.serialize_entry("backward", backward)?;
        }
        if !self.tags.is_empty() {
            map.serialize_entry("tags", &self.tags)?;
        }
        if let Some(note) = &self.note {
            map.serialize_entry("note", note)?;
        }
        map.end()
    }
}

impl Serialize for Backward {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("wrt", &self.wrt)?;
        map.serialize_entry("grad_outputs", &self.grad_outputs)?;
        map.end()
    }
}

/// An argument as it stands under `inputs` or `attrs`.
struct Written<'a>(&'a Value);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::None => serializer.serialize_unit(),
            Value::Scalar(scalar) => Json(*scalar).serialize(serializer),
            Value::Str(text) if word(text).is_some() => {
                Err(S::Error::custom(format!("the text '{text}' stands for a number")))
            }
            Value::Str(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items.iter().map(Written)),
            Value::Slice(bounds) => serializer.collect_map([("slice", bounds)]),
            Value::Input(name) => serializer.collect_map([("tensor", name)]),
            Value::Step(step, output) => serializer.collect_map([("step", [step, output])]),
            Value::Tensor(tensor) => tensor.serialize(serializer),
            Value::Tensors(tensors) => tensors.serialize(serializer),
        }
    }
}

struct Answer<'a> {
    case: &'a Case,
    outcome: &'a Outcome,
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.case.id)?;
        match self.outcome {
            Outcome::Returned { outputs, warnings, backward } => {
                map.serialize_entry("outputs", outputs)?;
                if !warnings.is_empty() {
                    map.serialize_entry("warnings", warnings)?;
                }
                match backward {
                    None => {}
                    Some(Backpropagated::Gave(gradients)) => {
                        map.serialize_entry("grads", &shaped(self.case, gradients))?;
                    }
                    Some(Backpropagated::Raised { kind, message }) => {
                        map.serialize_entry("backward_error", &Raised { kind, message })?;
                    }
                }
            }
            Outcome::Raised { kind, message } => map.serialize_entry("error", &Raised { kind, message })?,
            Outcome::Unsupported(what) => map.serialize_entry("unsupported", what)?,
            Outcome::Panicked(message) => map.serialize_entry("panic", message)?,
            Outcome::TimedOut(limit) => {
                map.serialize_entry("panic", &format!("no answer within {} s", limit.as_secs_f64()))?;
            }
        }
        map.end()
    }
}

/// An exception.
#[derive(serde::Serialize)]
struct Raised<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    message: &'a str,
}

/// The gradients of one argument: of a tensor one or null, of a list of tensors a list.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Gradient<'a> {
    One(&'a Option<Tensor>),
    Many(&'a [Option<Tensor>]),
}

fn shaped<'a>(case: &Case, gradients: &'a Gradients) -> BTreeMap<&'a str, Gradient<'a>> {
    let of_argument = |(name, tensors): (&'a String, &'a Vec<Option<Tensor>>)| {
        let gradient = match (case.call.args.get(name), tensors.as_slice()) {
            (Some(Value::Tensor(_)), [one]) => Gradient::One(one),
            (_, many) => Gradient::Many(many),
        };
        (name.as_str(), gradient)
    };
    gradients.iter().map(of_argument).collect()
}
