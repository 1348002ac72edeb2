//! The verdict on one case.

use super::compare::{Difference, Measured, Pair, Place};
use super::tolerance::{Part, Rule, Subject, Tolerances};
use super::validity;
use crate::corpus::{Backpropagated, Case, Fault, FaultKind, Golden, Outcome, Spread};
use crate::engines::Profile;
use crate::ops::Gradients;
use crate::tensor::{DType, Scalar, Tensor};

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
    /// Another gradient.
    Gradient,
    /// PyTorch gives a gradient, the engine none.
    GradientMissing,
    /// The engine gives a gradient where PyTorch gives none, or raises.
    GradientUnexpected,
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
    /// All of them.
    pub const ALL: [Class; 14] = [
        Class::Value,
        Class::Nan,
        Class::Dtype,
        Class::Shape,
        Class::Index,
        Class::Gradient,
        Class::GradientMissing,
        Class::GradientUnexpected,
        Class::ErrorExpected,
        Class::ErrorUnexpected,
        Class::Message,
        Class::Warning,
        Class::Panic,
        Class::Timeout,
    ];

    /// The class of that name.
    pub fn of_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The word for it in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "value",
            Class::Nan => "nan",
            Class::Dtype => "dtype",
            Class::Shape => "shape",
            Class::Index => "index",
            Class::Gradient => "gradient",
            Class::GradientMissing => "gradient-missing",
            Class::GradientUnexpected => "gradient-unexpected",
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

/// What one rule decided in a case, of one part and dtype.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The rule's position in the file; none where no rule applied.
    pub rule: Option<usize>,
    /// What it was about.
    pub part: Part,
    /// The dtype of the tensors.
    pub dtype: DType,
    /// The comparison of those tensors.
    pub measured: Measured,
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
    /// What each rule decided, in the outputs' order.
    pub decided: Vec<Decided>,
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
    let subject = Subject { profile, engine, op: &case.call.op };
    let mut trial = Trial {
        subject,
        tolerances,
        found: None,
        measured: Measured::default(),
        rules: Vec::new(),
        decided: Vec::new(),
        first_elements: 0,
        spread: golden.as_ref().ok().and_then(|golden| golden.spread),
    };
    let mut note = None;
    let judgement = match (golden, got) {
        (_, Outcome::Unsupported(what)) => Judgement::Unsupported(what.clone()),
        (Err(fault), _) => damaged(fault),
        (_, Outcome::Panicked(message)) => Judgement::Diverges(Class::Panic, message.clone()),
        (_, Outcome::TimedOut(limit)) => {
            Judgement::Diverges(Class::Timeout, format!("no answer within {} s", limit.as_secs_f64()))
        }
        (Ok(golden), got) => match (&golden.outcome, got) {
            (
                Outcome::Returned {
                    outputs: expected,
                    warnings: expected_warnings,
                    backward: expected_backward,
                },
                Outcome::Returned { outputs, warnings, backward },
            ) => {
                let aligned = validity::aligned(&case.call, expected, outputs);
                trial.outputs(golden, expected, aligned.as_deref().unwrap_or(outputs));
                trial.backward(golden, expected_backward.as_ref(), backward.as_ref());
                if let Some(judgement) = warnings_differ(expected_warnings, warnings) {
                    trial.found.get_or_insert(judgement);
                }
                let judgement = trial.found.take().unwrap_or(Judgement::Parity);
                note = (judgement == Judgement::Parity && aligned.is_some()).then_some(validity::NOTE);
                judgement
            }
            (Outcome::Raised { kind, message }, Outcome::Raised { kind: got_kind, message: got_message }) => {
                messages_differ((kind, message), (got_kind, got_message)).unwrap_or(Judgement::Parity)
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
    let Trial { measured, mut rules, mut decided, first_elements, .. } = trial;
    rules.shrink_to_fit();
    decided.shrink_to_fit();
    Verdict { judgement, measured, first_elements, rules, decided, note }
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

/// The comparison of two outcomes that both returned: what was found first, and what was measured.
struct Trial<'a> {
    subject: Subject<'a>,
    tolerances: &'a Tolerances,
    found: Option<Judgement>,
    measured: Measured,
    rules: Vec<Rule>,
    decided: Vec<Decided>,
    first_elements: usize,
    spread: Option<Spread>,
}

impl Trial<'_> {
    fn find(&mut self, class: Class, detail: impl FnOnce() -> String) {
        self.found.get_or_insert_with(|| Judgement::Diverges(class, detail()));
    }

    fn outputs(&mut self, golden: &Golden, expected: &[Tensor], got: &[Tensor]) {
        self.first_elements = expected.first().map_or(0, Tensor::numel);
        if expected.len() != got.len() {
            return self
                .find(Class::Shape, || format!("{} outputs; PyTorch has {}", got.len(), expected.len()));
        }
        for (i, (expected, got)) in expected.iter().zip(got).enumerate() {
            self.tensor(Place::Output(i), expected, got, golden.abs_sum.get(i));
        }
    }

    fn backward(&mut self, golden: &Golden, expected: Option<&Backpropagated>, got: Option<&Backpropagated>) {
        use Backpropagated::{Gave, Raised};
        match (expected, got) {
            (None, None) => {}
            (Some(Gave(expected)), Some(Gave(got))) => self.gradients(golden, expected, got),
            (Some(Raised { kind, message }), Some(Raised { kind: got_kind, message: got_message })) => {
                let differ = messages_differ((kind, message), (got_kind, got_message));
                self.found = self.found.take().or(differ);
            }
            (Some(Gave(_)), Some(Raised { kind, message })) => {
                self.find(Class::GradientMissing, || format!("the backward pass raises {kind}: {message}"));
            }
            (Some(Gave(_)), None) => self.find(Class::GradientMissing, || "no backward pass".into()),
            (Some(Raised { kind, message }), got) => self.find(Class::GradientUnexpected, || {
                let got = if got.is_some() { "got gradients" } else { "got no backward pass" };
                format!("PyTorch's backward pass raises {kind}: {message}; {got}")
            }),
            (None, Some(_)) => {
                self.find(Class::GradientUnexpected, || "a backward pass not asked for".into())
            }
        }
    }

    fn gradients(&mut self, golden: &Golden, expected: &Gradients, got: &Gradients) {
        let places = expected.iter().chain(got.iter().filter(|(name, _)| !expected.contains_key(*name)));
        for (name, longest) in places {
            let of = |gradients: &Gradients, i: usize| {
                gradients.get(name).and_then(|list| list.get(i)).cloned().flatten()
            };
            let count = longest.len().max(got.get(name).map_or(0, Vec::len));
            for i in 0..count {
                let place = Place::Gradient(name.clone(), i);
                match (of(expected, i), of(got, i)) {
                    (Some(expected), Some(got)) => {
                        self.tensor(place, &expected, &got, of(&golden.grads_abs_sum, i).as_ref());
                    }
                    (Some(_), None) => self.find(Class::GradientMissing, || format!("{place} is missing")),
                    (None, Some(_)) => {
                        self.find(Class::GradientUnexpected, || format!("PyTorch has not {place}"));
                    }
                    (None, None) => {}
                }
            }
        }
    }

    fn tensor(&mut self, place: Place, expected: &Tensor, got: &Tensor, scale: Option<&Tensor>) {
        let part = place.part();
        let dtype = expected.dtype();
        let position = self.tolerances.position(self.subject, part, dtype);
        let tolerance = position.and_then(|position| self.tolerances.rules().get(position));
        let rule = tolerance.map_or(Rule::Exact, |tolerance| tolerance.rule);
        let spread = self.spread.filter(|_| tolerance.is_some_and(|tolerance| !tolerance.pinned));
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
        let differs = |ours: String, theirs: String| format!("{place} is {ours}; PyTorch's is {theirs}");
        if expected.dtype() != got.dtype() {
            let class = if part == Part::Outputs { Class::Dtype } else { Class::Gradient };
            self.find(class, || differs(got.dtype().to_string(), expected.dtype().to_string()));
        } else if expected.shape() != got.shape() {
            let class = if part == Part::Outputs { Class::Shape } else { Class::Gradient };
            self.find(class, || differs(format!("{:?}", got.shape()), format!("{:?}", expected.shape())));
        } else {
            let measured = Pair { expected, got, rule, scale, spread, place }.measure();
            if let Some(first) = &measured.first {
                let class = classify(self.subject.op, first);
                self.find(class, || describe(first, &measured));
            }
            self.decide(Decided { rule: position, part, dtype, measured: measured.clone() });
            let total = std::mem::take(&mut self.measured);
            self.measured = total.merge(measured);
        }
    }

    /// Adds a comparison to those that the same rule decided.
    fn decide(&mut self, decided: Decided) {
        let key = |decided: &Decided| (decided.rule, decided.part, decided.dtype);
        match self.decided.iter_mut().find(|other| key(other) == key(&decided)) {
            Some(other) => other.measured = std::mem::take(&mut other.measured).merge(decided.measured),
            None => self.decided.push(decided),
        }
    }
}

fn messages_differ(expected: (&str, &str), got: (&str, &str)) -> Option<Judgement> {
    (expected != got).then(|| {
        let ((kind, message), (got_kind, got_message)) = (expected, got);
        let detail = format!("PyTorch raises {kind}: {message}; got {got_kind}: {got_message}");
        Judgement::Diverges(Class::Message, detail)
    })
}

fn classify(op: &str, first: &Difference) -> Class {
    match (&first.place, first.got) {
        (Place::Gradient(..), _) => Class::Gradient,
        _ if first.nan => Class::Nan,
        (Place::Output(output), Scalar::Int(_)) if is_index(op, *output) => Class::Index,
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
        "{} at {:?}: {}; PyTorch has {} ({} of {} elements differ too far)",
        first.place, first.index, first.got, first.expected, measured.refused, measured.elements
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
