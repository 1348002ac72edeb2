//! The verdict on one case.

use super::compare::{Difference, Measured, Pair};
use super::tolerance::{Rule, Tolerances};
use super::validity;
use crate::corpus::{Case, Fault, FaultKind, Golden, Outcome};
use crate::engines::Profile;
use crate::tensor::{Scalar, Tensor};

/// In what an engine diverges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Another number.
    Value,
    /// NaN on one side only.
    Nan,
    /// Another dtype.
    Dtype,
    /// Another shape, or another number of outputs.
    Shape,
    /// Another index.
    Index,
    /// PyTorch raises, the engine returns.
    ErrorExpected,
    /// PyTorch returns, the engine raises.
    ErrorUnexpected,
    /// Both raise, with another type or text.
    Message,
    /// A warning missing, added or worded otherwise.
    Warning,
    /// The engine panicked.
    Panic,
    /// The engine did not answer in time.
    Timeout,
}

impl Class {
    /// The word for it in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "value",
            Class::Nan => "nan",
            Class::Dtype => "dtype",
            Class::Shape => "shape",
            Class::Index => "index",
            Class::ErrorExpected => "error-expected",
            Class::ErrorUnexpected => "error-unexpected",
            Class::Message => "message",
            Class::Warning => "warning",
            Class::Panic => "panic",
            Class::Timeout => "timeout",
        }
    }
}

/// What the judge says.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// The engine does what PyTorch does, within the rule.
    Parity,
    /// The engine does something else.
    Diverges(Class, String),
    /// The engine does not do this; the text says what is missing.
    Unsupported(String),
}

/// What the judge says, and what it measured on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The judgement.
    pub judgement: Judgement,
    /// The comparison of all outputs.
    pub measured: Measured,
    /// Number of elements of the first output.
    pub first_elements: usize,
    /// The rules that were applied, without repeats, in the outputs' order.
    pub rules: Vec<Rule>,
    /// What is remarkable about a parity: an answer that differs from PyTorch's and is as right.
    pub note: Option<&'static str>,
}

/// Judges an engine's outcome of a case against PyTorch's.
pub fn judge(
    case: &Case,
    golden: &Result<Golden, Fault>,
    got: &Outcome,
    tolerances: &Tolerances,
    profile: Profile,
    engine: &str,
) -> Verdict {
    let mut verdict = Verdict {
        judgement: Judgement::Parity,
        measured: Measured::default(),
        first_elements: 0,
        rules: Vec::new(),
        note: None,
    };
    let judgement = match (golden, got) {
        (_, Outcome::Unsupported(what)) => Judgement::Unsupported(what.clone()),
        (Err(fault), _) => damaged(fault),
        (_, Outcome::Panicked(message)) => Judgement::Diverges(Class::Panic, message.clone()),
        (_, Outcome::TimedOut(limit)) => {
            Judgement::Diverges(Class::Timeout, format!("no answer within {} s", limit.as_secs_f64()))
        }
        (Ok(golden), got) => match (&golden.outcome, got) {
            (
                Outcome::Returned { outputs: expected, warnings: expected_warnings },
                Outcome::Returned { outputs, warnings },
            ) => {
                let rule_of = |output: &Tensor| {
                    let tolerance = tolerances.rule(profile, engine, &case.call.op, output.dtype());
                    tolerance.map_or(Rule::Exact, |tolerance| tolerance.rule)
                };
                verdict.first_elements = expected.first().map_or(0, Tensor::numel);
                for rule in expected.iter().map(rule_of) {
                    if !verdict.rules.contains(&rule) {
                        verdict.rules.push(rule);
                    }
                }
                let aligned = validity::aligned(&case.call, expected, outputs);
                let comparable = aligned.as_deref().unwrap_or(outputs);
                let (found, measured) = outputs_differ(case, golden, expected, comparable, rule_of);
                verdict.measured = measured;
                let found = found.or_else(|| warnings_differ(expected_warnings, warnings));
                verdict.note = (found.is_none() && aligned.is_some()).then_some(validity::NOTE);
                found.unwrap_or(Judgement::Parity)
            }
            (Outcome::Raised { kind, message }, Outcome::Raised { kind: got_kind, message: got_message }) => {
                match kind == got_kind && message == got_message {
                    true => Judgement::Parity,
                    false => Judgement::Diverges(
                        Class::Message,
                        format!("PyTorch raises {kind}: {message}; got {got_kind}: {got_message}"),
                    ),
                }
            }
            (Outcome::Raised { kind, message }, _) => Judgement::Diverges(
                Class::ErrorExpected,
                format!("PyTorch raises {kind}: {message}; got a result"),
            ),
            (_, Outcome::Raised { kind, message }) => {
                Judgement::Diverges(Class::ErrorUnexpected, format!("raises {kind}: {message}"))
            }
            (golden, _) => Judgement::Diverges(Class::Value, format!("PyTorch's record is {golden:?}")),
        },
    };
    verdict.judgement = judgement;
    verdict
}

/// A record of PyTorch that cannot be read: no engine can agree with it.
fn damaged(fault: &Fault) -> Judgement {
    let class = match fault.kind {
        FaultKind::Dtype | FaultKind::ForeignDtype => Class::Dtype,
        FaultKind::Shape => Class::Shape,
        FaultKind::Value => Class::Value,
    };
    Judgement::Diverges(class, format!("the golden outcome is damaged: {}: {}", fault.field, fault.what))
}

fn outputs_differ(
    case: &Case,
    golden: &Golden,
    expected: &[Tensor],
    got: &[Tensor],
    rule_of: impl Fn(&Tensor) -> Rule,
) -> (Option<Judgement>, Measured) {
    let mut total = Measured::default();
    if expected.len() != got.len() {
        let detail = format!("{} outputs; PyTorch has {}", got.len(), expected.len());
        return (Some(Judgement::Diverges(Class::Shape, detail)), total);
    }
    let mut found = None;
    for (i, (expected, got)) in expected.iter().zip(got).enumerate() {
        let differs = |class: Class, ours: String, theirs: String| {
            Judgement::Diverges(class, format!("output {i} is {ours}; PyTorch's is {theirs}"))
        };
        if expected.dtype() != got.dtype() {
            let (ours, theirs) = (got.dtype().to_string(), expected.dtype().to_string());
            found.get_or_insert_with(|| differs(Class::Dtype, ours, theirs));
        } else if expected.shape() != got.shape() {
            let (ours, theirs) = (format!("{:?}", got.shape()), format!("{:?}", expected.shape()));
            found.get_or_insert_with(|| differs(Class::Shape, ours, theirs));
        } else {
            let (rule, scale) = (rule_of(expected), golden.abs_sum.get(i));
            let measured = Pair { expected, got, rule, scale, output: i }.measure();
            if let Some(first) = &measured.first {
                let class = classify(case, first);
                found.get_or_insert_with(|| Judgement::Diverges(class, describe(first, &measured)));
            }
            total = total.merge(measured);
        }
    }
    (found, total)
}

fn classify(case: &Case, first: &Difference) -> Class {
    match first.got {
        _ if first.nan => Class::Nan,
        Scalar::Int(_) if is_index(&case.call.op, first.output) => Class::Index,
        _ => Class::Value,
    }
}

/// Whether an output holds positions rather than values.
fn is_index(op: &str, output: usize) -> bool {
    match op {
        "argmax" | "argmin" | "argsort" | "nonzero" => true,
        "max" | "min" | "median" | "nanmedian" | "mode" | "kthvalue" | "topk" | "sort" | "cummax"
        | "cummin" => output == 1,
        _ => false,
    }
}

fn describe(first: &Difference, measured: &Measured) -> String {
    format!(
        "output {} at {:?}: {}; PyTorch has {} ({} of {} elements differ too far)",
        first.output, first.index, first.got, first.expected, measured.refused, measured.elements
    )
}

fn warnings_differ(expected: &[String], got: &[String]) -> Option<Judgement> {
    if expected == got {
        return None;
    }
    let list = |warnings: &[String]| match warnings {
        [] => "none".to_string(),
        warnings => warnings.iter().map(|text| format!("'{text}'")).collect::<Vec<_>>().join(", "),
    };
    let detail = format!("warnings: {}; PyTorch's: {}", list(got), list(expected));
    Some(Judgement::Diverges(Class::Warning, detail))
}
