//! The two files of a suite: reading, and every check that `docs/format.md` promises.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::Path;

use rayon::prelude::*;
use serde::de::{
    Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer,
};
use serde_json::value::RawValue;

use super::encoding::{RawTensor, word};
use super::functions;
use super::outcome::{Backpropagated, Golden, Outcome};
use super::problem::{Fault, FaultKind, Problem, parse};
use super::spread::Spread;
use super::{Backward, Case, GoldenTree};
use crate::ops::{Args, Call, Gradients, Value};
use crate::tensor::{Scalar, Tensor};

/// The version of the file formats.
pub(crate) const SCHEMA: u64 = 1;

/// Under what the golden file was made.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Torch {
    /// PyTorch's version, without the local part.
    pub version: String,
    /// `torch.backends.cpu.get_cpu_capability()`.
    pub cpu_capability: String,
    /// Number of threads.
    pub threads: u64,
    /// Operating system and architecture.
    pub platform: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFixture<'a> {
    schema: u64,
    suite: String,
    #[serde(rename = "generator")]
    _generator: String,
    #[serde(borrow)]
    cases: Vec<&'a RawValue>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGolden<'a> {
    schema: u64,
    suite: String,
    #[serde(rename = "generator")]
    _generator: String,
    torch: Torch,
    #[serde(borrow)]
    outcomes: Pairs<'a>,
}

/// A JSON object with its keys in order and its repeats, which a map would hide.
pub(super) struct Pairs<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object by case id")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a case")]
struct RawCase<'a> {
    id: String,
    op: String,
    #[serde(borrow)]
    inputs: BTreeMap<Cow<'a, str>, RawInput<'a>>,
    attrs: BTreeMap<String, Attr>,
    #[serde(borrow)]
    backward: Option<RawBackward<'a>>,
    #[serde(default)]
    tags: Vec<String>,
    note: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBackward<'a> {
    wrt: Vec<String>,
    #[serde(borrow)]
    grad_outputs: Vec<Option<RawTensor<'a>>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOutcome<'a> {
    #[serde(borrow)]
    outputs: Option<Vec<RawTensor<'a>>>,
    #[serde(default)]
    warnings: Vec<String>,
    error: Option<RawError>,
    #[serde(borrow, default)]
    truth: Vec<Option<RawTensor<'a>>>,
    #[serde(borrow, default)]
    abs_sum: Vec<RawTensor<'a>>,
    #[serde(borrow)]
    grads: Option<RawGradients<'a>>,
    #[serde(borrow, default)]
    grads_truth: RawGradients<'a>,
    #[serde(borrow, default)]
    grads_abs_sum: RawGradients<'a>,
    backward_error: Option<RawError>,
    spread: Option<Spread>,
}

/// What an engine answers: an outcome without what only PyTorch's record has.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an answer")]
struct RawAnswer<'a> {
    id: String,
    #[serde(borrow)]
    outputs: Option<Vec<RawTensor<'a>>>,
    #[serde(default)]
    warnings: Vec<String>,
    #[serde(borrow)]
    grads: Option<RawGradients<'a>>,
    backward_error: Option<RawError>,
    error: Option<RawError>,
    unsupported: Option<String>,
    panic: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawError {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

type RawGradients<'a> = BTreeMap<Cow<'a, str>, RawInput<'a>>;

/// A tensor or none, or a list of tensors with gaps.
enum RawInput<'a> {
    One(RawTensor<'a>),
    Many(Vec<Option<RawTensor<'a>>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for RawInput<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InputVisitor;
        impl<'de> Visitor<'de> for InputVisitor {
            type Value = RawInput<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a tensor, null or a list of tensors")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(RawInput::Many(vec![None]))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                RawTensor::deserialize(MapAccessDeserializer::new(map)).map(RawInput::One)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut tensors = Vec::new();
                while let Some(tensor) = seq.next_element()? {
                    tensors.push(tensor);
                }
                Ok(RawInput::Many(tensors))
            }
        }
        deserializer.deserialize_any(InputVisitor)
    }
}

/// An argument that is no tensor.
struct Attr(Value);

impl<'de> Deserialize<'de> for Attr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AttrVisitor;
        impl<'de> Visitor<'de> for AttrVisitor {
            type Value = Attr;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("null, a bool, a number, a string, a list, {\"slice\": …}, {\"tensor\": …} or {\"step\": …}")
            }
            fn visit_unit<E>(self) -> Result<Attr, E> {
                Ok(Attr(Value::None))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Attr, E> {
                Ok(Attr(Value::Scalar(Scalar::Bool(value))))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Attr, E> {
                Ok(Attr(Value::Scalar(Scalar::Int(value))))
            }
            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Attr, E> {
                i64::try_from(value)
                    .map(|value| Attr(Value::Scalar(Scalar::Int(value))))
                    .map_err(|_| E::custom(format!("{value} is outside int64")))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Attr, E> {
                Ok(Attr(Value::Scalar(Scalar::Float(value))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Attr, E> {
                Ok(Attr(match word(text) {
                    Some(value) => Value::Scalar(Scalar::Float(value)),
                    None => Value::Str(text.to_string()),
                }))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Attr, A::Error> {
                let mut items = Vec::new();
                while let Some(Attr(item)) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Attr(Value::List(items)))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Attr, A::Error> {
                #[derive(serde::Deserialize)]
                #[serde(rename_all = "lowercase", deny_unknown_fields)]
                enum Item {
                    Slice([Option<i64>; 3]),
                    Tensor(String),
                    Step([usize; 2]),
                }
                let item = Item::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Attr(match item {
                    Item::Slice(bounds) => Value::Slice(bounds),
                    Item::Tensor(name) => Value::Input(name),
                    Item::Step([step, output]) => Value::Step(step, output),
                }))
            }
        }
        deserializer.deserialize_any(AttrVisitor)
    }
}

/// Reads the text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Problem> {
    let bytes =
        std::fs::read(path).map_err(|error| Problem::file(path, format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| Problem::file(path, format!("not UTF-8: {error}")))
}

/// The outer structure of a file. A schema of another version is named before anything else,
/// since everything else may be different in it.
pub(super) fn parse_file<'a, T: Deserialize<'a>>(path: &Path, text: &'a str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| match schema_of(text) {
        Some(schema) if schema != SCHEMA => unknown_schema(path, schema),
        _ if error.is_eof() => Problem::file(path, format!("truncated: {error}")),
        _ if error.is_syntax() => not_json(path, text, &error),
        _ => Problem::file(path, error.to_string()),
    })
}

/// Parses a file of the judge's, which is small: the field that is at fault is named.
pub(crate) fn parse_record<'a, T: Deserialize<'a>>(path: &Path, text: &'a str) -> Result<T, Problem> {
    let wrong = schema_of(text).filter(|&schema| schema != SCHEMA);
    match wrong {
        Some(schema) => Err(unknown_schema(path, schema)),
        None => parse(text).map_err(|fault| Problem::field(path, fault.field, fault.what)),
    }
}

/// The schema of a file, whatever else it holds.
pub(crate) fn schema_of(text: &str) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct SchemaOnly {
        schema: u64,
    }
    serde_json::from_str(text).ok().map(|SchemaOnly { schema }| schema)
}

/// A syntax error, with the case where the file has one per line: a bare `NaN` is a common one.
fn not_json(path: &Path, text: &str, error: &serde_json::Error) -> Problem {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let case = line.strip_suffix(',').unwrap_or(line);
    let id = case.strip_prefix("{\"id\":\"").and_then(|rest| rest.split('"').next());
    match (id, parse::<RawCase>(case)) {
        (Some(id), Err(fault)) => {
            Problem::case(path, id, Fault::new(fault.field, format!("not JSON: {}", fault.what)))
        }
        _ => Problem::file(path, format!("not JSON: {error}")),
    }
}

fn unknown_schema(path: &Path, schema: u64) -> Problem {
    let what = format!("unknown schema version {schema}; this program reads version {SCHEMA}");
    Problem::field(path, "schema", what)
}

/// Refuses a version other than this program's; every file of the corpus has the same.
pub(super) fn check_schema(path: &Path, schema: u64) -> Result<(), Problem> {
    if schema == SCHEMA { Ok(()) } else { Err(unknown_schema(path, schema)) }
}

fn check_head(path: &Path, schema: u64, suite: &str) -> Result<(), Problem> {
    check_schema(path, schema)?;
    if path.file_stem().and_then(|stem| stem.to_str()) != Some(suite) {
        let what = format!("suite '{suite}' in a file of another name");
        return Err(Problem::field(path, "suite", what));
    }
    Ok(())
}

/// The cases of a fixture file's text; `path` is what a problem names.
pub fn parse_fixture(path: &Path, text: &str, max_elements: usize) -> Result<Vec<Case>, Problem> {
    let raw: RawFixture = parse_file(path, text)?;
    check_head(path, raw.schema, &raw.suite)?;
    let read_case = |(nth, json): (usize, &&RawValue)| {
        let in_case = |fault: Fault| match id_of(json.get()) {
            Some(id) => Problem::case(path, &id, fault),
            None => Problem::field(path, format!("cases[{nth}]"), fault.what),
        };
        parse::<RawCase>(json.get())
            .and_then(|raw_case| {
                check_id(&raw_case.id, &raw.suite, &raw_case.op)?;
                raw_case.decode(max_elements)
            })
            .map_err(in_case)
    };
    let cases: Vec<Result<Case, Problem>> = raw.cases.par_iter().enumerate().map(read_case).collect();
    // Of several broken cases the first in the file is named, however the work was shared out.
    cases.into_iter().collect()
}

/// The id of a case that may be broken elsewhere.
pub(crate) fn id_of(json: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct IdOnly {
        id: String,
    }
    serde_json::from_str(json).ok().map(|IdOnly { id }| id)
}

/// Reads one case that stands alone, as an external engine is sent it.
pub fn case_from_json(json: &str, max_elements: usize) -> Result<Case, Fault> {
    let raw: RawCase = parse(json)?;
    check_id(&raw.id, raw.id.split('/').next().unwrap_or_default(), &raw.op)?;
    raw.decode(max_elements)
}

fn check_id(id: &str, suite: &str, op: &str) -> Result<(), Fault> {
    let parts: Vec<&str> = id.split('/').collect();
    let safe = |part: &&str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    match parts.as_slice() {
        [own_suite, own_op, _] if parts.iter().all(safe) => {
            if *own_suite != suite || *own_op != op {
                return Err(Fault::new("id", format!("does not start with '{suite}/{op}/'")));
            }
            Ok(())
        }
        _ => Err(Fault::new("id", "is not three parts of [A-Za-z0-9._-] separated by '/'")),
    }
}

impl RawCase<'_> {
    fn decode(self, max_elements: usize) -> Result<Case, Fault> {
        let Some(parameters) = functions::parameters(&self.op) else {
            let similar = functions::similar(&self.op);
            let hint = match similar.as_slice() {
                [] => String::new(),
                names => format!("; similar: {}", names.join(", ")),
            };
            return Err(Fault::new("op", format!("PyTorch has no function '{}'{hint}", self.op)));
        };
        let referred: Vec<&str> =
            self.attrs.values().flat_map(|Attr(value)| referred_inputs(value)).collect();
        let known = |name: &str| parameters.contains(&name) || referred.contains(&name);
        let names = self.inputs.keys().map(|name| ("inputs", name.as_ref()));
        let names = names.chain(self.attrs.keys().map(|name| ("attrs", name.as_str())));
        if let Some((place, name)) = names.clone().find(|(_, name)| !known(name)) {
            return Err(Fault::new(
                format!("{place}.{name}"),
                format!("'{}' has no parameter '{name}'", self.op),
            ));
        }
        if let Some(name) = self.attrs.keys().find(|name| self.inputs.contains_key(name.as_str())) {
            return Err(Fault::new(format!("attrs.{name}"), "is given under inputs as well"));
        }
        if let Some(name) = referred.iter().find(|&&name| !self.inputs.contains_key(name)) {
            return Err(Fault::new("attrs.index", format!("names a tensor '{name}' that is not in inputs")));
        }

        let mut foreign = None;
        let mut args = Args::with_capacity(self.inputs.len() + self.attrs.len());
        for (name, input) in &self.inputs {
            match input.decode(max_elements) {
                Ok(value) => {
                    args.insert(name.to_string(), value);
                }
                // No engine of this program has the type, but the case is sound.
                Err(fault) if fault.kind == FaultKind::ForeignDtype => foreign = Some(fault.what),
                Err(fault) => return Err(fault.within(&format!("inputs.{name}"))),
            }
        }
        let backward = match &self.backward {
            None => None,
            Some(backward) => Some(backward.decode(&self.inputs, max_elements)?),
        };
        args.extend(self.attrs.into_iter().map(|(name, Attr(value))| (name, value)));
        let call = Call { op: self.op, args };
        let mut tags = self.tags;
        tags.shrink_to_fit();
        Ok(Case { id: self.id, call, backward, tags, note: self.note, foreign })
    }
}

/// The names of the tensors that an index mentions.
fn referred_inputs(value: &Value) -> Vec<&str> {
    match value {
        Value::Input(name) => vec![name],
        Value::List(items) => items.iter().flat_map(referred_inputs).collect(),
        _ => Vec::new(),
    }
}

impl RawInput<'_> {
    fn decode(&self, max_elements: usize) -> Result<Value, Fault> {
        match self {
            RawInput::One(tensor) => tensor.decode(max_elements).map(Value::Tensor),
            RawInput::Many(tensors) => decode_gappy(tensors, max_elements).map(Value::Tensors),
        }
    }
}

/// Decodes the items of a list, with the place of one that is at fault.
fn decode_each<R, T>(items: &[R], decode: impl Fn(&R) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    // Most lists are of one tensor: collecting results would keep room for four.
    let mut decoded = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        decoded.push(decode(item).map_err(|fault| fault.within(&format!("[{i}]")))?);
    }
    Ok(decoded)
}

fn decode_gappy(tensors: &[Option<RawTensor>], max_elements: usize) -> Result<Vec<Option<Tensor>>, Fault> {
    decode_each(tensors, |tensor| tensor.as_ref().map(|tensor| tensor.decode(max_elements)).transpose())
}

fn decode_gradients(field: &str, raw: &RawGradients, max_elements: usize) -> Result<Gradients, Fault> {
    let decode = |(name, gradient): (&Cow<str>, &RawInput)| {
        let tensors = match gradient {
            RawInput::One(tensor) => tensor.decode(max_elements).map(|tensor| vec![Some(tensor)]),
            RawInput::Many(tensors) => decode_gappy(tensors, max_elements),
        };
        let within = |fault: Fault| fault.within(&format!("{field}.{name}"));
        Ok((name.to_string(), tensors.map_err(within)?))
    };
    raw.iter().map(decode).collect()
}

impl RawBackward<'_> {
    fn decode(&self, inputs: &BTreeMap<Cow<str>, RawInput>, max_elements: usize) -> Result<Backward, Fault> {
        if let Some(name) = self.wrt.iter().find(|name| !inputs.contains_key(name.as_str())) {
            return Err(Fault::new("backward.wrt", format!("names '{name}', which is not in inputs")));
        }
        let grad_outputs = decode_gappy(&self.grad_outputs, max_elements)
            .map_err(|fault| fault.within("backward.grad_outputs"))?;
        Ok(Backward { wrt: self.wrt.clone(), grad_outputs })
    }
}

/// The outcomes of a golden file's text; `path` is what a problem names. An outcome that cannot be
/// read is kept as its fault, since it concerns one case only.
pub fn parse_golden(path: &Path, text: &str, max_elements: usize) -> Result<GoldenTree, Problem> {
    let (torch, outcomes) = match parse_file::<RawGolden>(path, text) {
        Ok(raw) => {
            check_head(path, raw.schema, &raw.suite)?;
            (raw.torch, raw.outcomes.0.into_iter().map(|(id, json)| (id, json.get())).collect())
        }
        Err(problem) => by_line(path, text).ok_or(problem)?,
    };
    let mut seen = HashSet::new();
    if let Some((id, _)) = outcomes.iter().find(|(id, _)| !seen.insert(id.as_ref())) {
        return Err(Problem { case: Some(id.to_string()), ..Problem::file(path, "two outcomes of one id") });
    }
    let decode = |json: &str| parse::<RawOutcome>(json)?.decode(max_elements);
    let outcomes = outcomes.into_par_iter().map(|(id, json)| (id.into_owned(), decode(json))).collect();
    Ok(GoldenTree { torch, outcomes })
}

type IdAndJson<'a> = (Cow<'a, str>, &'a str);

/// The outcomes of a file that is no JSON as a whole, if it still has the writer's layout: the
/// head on the first line, one outcome per line, the end on the last. A line that is no JSON, such
/// as one with a number `02.0`, then concerns its own case and no other.
fn by_line<'a>(path: &Path, text: &'a str) -> Option<(Torch, Vec<IdAndJson<'a>>)> {
    let (head, rest) = text.split_once('\n')?;
    let body = rest.trim_end().strip_suffix("\n}}")?;
    let empty = format!("{head}}}}}");
    let raw: RawGolden = serde_json::from_str(&empty).ok()?;
    check_head(path, raw.schema, &raw.suite).ok()?;
    let outcome = |line: &'a str| {
        let line = line.strip_suffix(',').unwrap_or(line);
        let (id, json) = line.strip_prefix('"')?.split_once("\":")?;
        Some((Cow::Borrowed(id), json))
    };
    let outcomes: Vec<_> = body.lines().map(outcome).collect::<Option<_>>()?;
    let damaged = |json: &str| serde_json::from_str::<IgnoredAny>(json).is_err();
    outcomes.iter().any(|(_, json)| damaged(json)).then_some((raw.torch, outcomes))
}

impl RawOutcome<'_> {
    fn decode(&self, max_elements: usize) -> Result<Golden, Fault> {
        let all = |field: &str, tensors: &[RawTensor]| {
            decode_each(tensors, |tensor| tensor.decode(max_elements)).map_err(|fault| fault.within(field))
        };
        let outcome = match (&self.outputs, &self.error) {
            (Some(outputs), None) => Outcome::Returned {
                outputs: all("outputs", outputs)?,
                warnings: self.warnings.clone(),
                backward: self.backward(max_elements)?,
            },
            (None, Some(error)) => {
                Outcome::Raised { kind: error.kind.clone(), message: error.message.clone() }
            }
            (Some(_), Some(_)) => return Err(Fault::new("error", "stands beside outputs")),
            (None, None) => return Err(Fault::new("outputs", "neither outputs nor an error")),
        };
        let truth = decode_gappy(&self.truth, max_elements).map_err(|fault| fault.within("truth"))?;
        let abs_sum = all("abs_sum", &self.abs_sum)?;
        let grads_truth = decode_gradients("grads_truth", &self.grads_truth, max_elements)?;
        let grads_abs_sum = decode_gradients("grads_abs_sum", &self.grads_abs_sum, max_elements)?;
        Ok(Golden { outcome, truth, abs_sum, grads_truth, grads_abs_sum, spread: self.spread })
    }

    fn backward(&self, max_elements: usize) -> Result<Option<Backpropagated>, Fault> {
        match (&self.grads, &self.backward_error) {
            (None, None) => Ok(None),
            (Some(grads), None) => {
                decode_gradients("grads", grads, max_elements).map(|grads| Some(Backpropagated::Gave(grads)))
            }
            (None, Some(error)) => {
                Ok(Some(Backpropagated::Raised { kind: error.kind.clone(), message: error.message.clone() }))
            }
            (Some(_), Some(_)) => Err(Fault::new("backward_error", "stands beside grads")),
        }
    }
}

/// Reads one line of an engine: the id of the case that it answers, and what came of it.
pub fn answer_from_json(json: &str, max_elements: usize) -> Result<(String, Outcome), Fault> {
    let raw: RawAnswer = parse(json)?;
    let RawAnswer { id, outputs, warnings, grads, backward_error, error, unsupported, panic } = raw;
    let returned = outputs.is_some() || error.is_some();
    let outcome = match (unsupported, panic) {
        (Some(what), None) if !returned => Outcome::Unsupported(what),
        (None, Some(message)) if !returned => Outcome::Panicked(message),
        (None, None) => {
            let raw = RawOutcome { outputs, warnings, grads, backward_error, error, ..RawOutcome::default() };
            raw.decode(max_elements)?.outcome
        }
        _ => return Err(Fault::new("", "more than one of outputs, error, unsupported and panic")),
    };
    Ok((id, outcome))
}
