//! One case whole: what goes in, what PyTorch makes of it, what the engine makes of it, and the
//! verdict.

use std::fmt::Write as _;

use super::evidence::{Truth, gradients, tensors, truth_at};
use super::number::shortest;
use crate::corpus::{Backpropagated, Case, Outcome};
use crate::engines::{Engine, Profile};
use crate::judge::{Judgement, Ledger, Place, Subject, Tolerances};
use crate::ops::Value;
use crate::replay::Judged;
use crate::tensor::{Scalar, Tensor};

/// Elements of a tensor that are printed; of longer ones the first and the last few.
const SHOWN: usize = 24;

/// What an engine's outcome is held to.
#[derive(Clone, Copy, Debug)]
pub struct HeldTo<'a> {
    /// The tolerances.
    pub tolerances: &'a Tolerances,
    /// Which of them.
    pub profile: Profile,
    /// The engine's known divergences.
    pub ledger: &'a Ledger,
}

/// The explanation as text.
pub fn render(judged: &Judged, engine: &dyn Engine, outcome: &Outcome, held_to: &HeldTo) -> String {
    let HeldTo { tolerances, profile, ledger } = *held_to;
    let Judged { entry, verdict } = judged;
    let case = &entry.case;
    let known = ledger.read(engine.version(), &[(case, verdict)]).explained;
    let known = known.first().copied().flatten();
    let mut text = format!("{}\n", case.id);
    if let Some(note) = &case.note {
        let _ = writeln!(text, "note       {note}");
    }
    if !case.tags.is_empty() {
        let _ = writeln!(text, "tags       {}", case.tags.join(", "));
    }
    let _ = writeln!(text, "\n{}(", case.call.op);
    for (name, value) in &case.call.args {
        let _ = writeln!(text, "    {name} = {}", show_value(value));
    }
    text.push_str(")\n");
    if let Some(backward) = &case.backward {
        let _ = writeln!(text, "backward with respect to {}", backward.wrt.join(", "));
        for (i, cotangent) in backward.grad_outputs.iter().enumerate() {
            let cotangent = cotangent.as_ref().map_or("None".into(), show_tensor);
            let _ = writeln!(text, "    grad_outputs[{i}] = {cotangent}");
        }
    }
    text.push_str("\nPyTorch\n");
    match &entry.golden {
        Ok(golden) => {
            show_outcome(&mut text, &golden.outcome);
            for (place, _) in tensors(&golden.outcome) {
                if let Some(truth) = truth_at(golden, &place) {
                    let _ = writeln!(text, "    truth of {place} = {}", show_tensor(truth));
                }
            }
        }
        Err(fault) => {
            let _ = writeln!(text, "    cannot be read: {}: {}", fault.field, fault.what);
        }
    }
    let _ = writeln!(text, "\n{} {}", engine.name(), engine.version());
    show_outcome(&mut text, outcome);

    let word = match &verdict.judgement {
        Judgement::Parity => verdict.note.map_or("parity".into(), |note| format!("parity ({note})")),
        Judgement::Diverges(class, detail) => {
            let known = if known.is_some() { "known: " } else { "" };
            format!("{known}diverges [{}]: {detail}", class.name())
        }
        Judgement::Unsupported(what) => format!("unsupported: {what}"),
    };
    let _ = writeln!(text, "\nverdict    {word}");
    if let Some((number, known)) = known.and_then(|i| Some((i + 1, ledger.entries.get(i)?))) {
        let _ = writeln!(text, "why        {}", known.why);
        let _ = writeln!(text, "source     {} ({} entry {number})", known.source, ledger.file.display());
    }
    let measured = &verdict.measured;
    let _ = writeln!(
        text,
        "measured   {} of {} elements not identical, max|diff| {:.2e}, max ulp {}",
        measured.differing,
        measured.elements,
        measured.max_abs,
        super::number::ulp(measured.max_ulp)
    );
    if let Some(first) = &measured.first {
        let _ = writeln!(
            text,
            "first      {} at {:?}: {}, PyTorch {}",
            first.place,
            first.index,
            show_scalar(first.got),
            show_scalar(first.expected)
        );
    }
    if let Ok(golden) = &entry.golden
        && let Some(truth) = Truth::of(golden, outcome)
    {
        let _ = writeln!(text, "truth      {}", truth.sentence());
    }
    if let Ok(golden) = &entry.golden
        && let Outcome::Returned { outputs, backward, .. } = &golden.outcome
    {
        let subject = Subject { profile, engine: engine.name(), op: &case.call.op };
        let outputs = outputs.iter().enumerate().map(|(i, output)| (Place::Output(i), output));
        for (place, tensor) in outputs.chain(gradients(backward.as_ref())) {
            let rule = tolerances.rule(subject, place.part(), tensor.dtype());
            let (rule, why) =
                rule.map_or(("exact".into(), "no rule loosens it"), |r| (r.rule.to_string(), &r.why));
            let _ = writeln!(text, "tolerance  {place}: {rule}: {why}");
        }
    }
    let _ = writeln!(text, "\nagain      compare --engine {} -k id:{}", engine.argument(), case.id);
    let _ = writeln!(text, "in Python  PYTHONPATH=python python -m parity.replay {}", case.id);
    if let Some(snippet) = engine.snippet(case) {
        let _ = writeln!(text, "in Rust");
        for line in snippet.lines() {
            let indent = if line.is_empty() { "" } else { "    " };
            let _ = writeln!(text, "{indent}{line}");
        }
    }
    text
}

fn show_outcome(text: &mut String, outcome: &Outcome) {
    let _ = match outcome {
        Outcome::Returned { outputs, warnings, backward } => {
            for (i, output) in outputs.iter().enumerate() {
                let _ = writeln!(text, "    output[{i}] = {}", show_tensor(output));
            }
            for (place, gradient) in gradients(backward.as_ref()) {
                let _ = writeln!(text, "    {place} = {}", show_tensor(gradient));
            }
            if let Some(Backpropagated::Raised { kind, message }) = backward {
                let _ = writeln!(text, "    the backward pass raises {kind}: {message}");
            }
            warnings.iter().try_for_each(|warning| writeln!(text, "    warning: {warning}"))
        }
        Outcome::Raised { kind, message } => writeln!(text, "    raises {kind}: {message}"),
        Outcome::Unsupported(what) => writeln!(text, "    unsupported: {what}"),
        Outcome::Panicked(message) => writeln!(text, "    panics: {message}"),
        Outcome::TimedOut(limit) => writeln!(text, "    gives no answer within {} s", limit.as_secs_f64()),
    };
}

fn show_value(value: &Value) -> String {
    value_text(value, &show_tensor)
}

fn value_text(value: &Value, tensor_text: &dyn Fn(&Tensor) -> String) -> String {
    match value {
        Value::None => "None".into(),
        Value::Scalar(scalar) => show_scalar(*scalar),
        Value::Str(text) => text.clone(),
        Value::List(items) => format!("[{}]", {
            let items: Vec<String> = items.iter().map(|item| value_text(item, tensor_text)).collect();
            items.join(", ")
        }),
        Value::Slice([start, stop, step]) => {
            let bound = |bound: &Option<i64>| bound.map_or(String::new(), |bound| bound.to_string());
            let step = step.map_or(String::new(), |step| format!(":{step}"));
            format!("{}:{}{step}", bound(start), bound(stop))
        }
        Value::Input(name) => name.clone(),
        Value::Step(step, output) => format!("step{step}[{output}]"),
        Value::Tensor(tensor) => tensor_text(tensor),
        Value::Tensors(tensors) => {
            let show = |tensor: &Option<Tensor>| tensor.as_ref().map_or("None".into(), tensor_text);
            format!("[{}]", tensors.iter().map(show).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The arguments of a case, its backward pass included, each with its text; of tensors the first
/// elements, as short as their dtypes allow.
pub(super) fn arguments(case: &Case, count: usize) -> Vec<(String, String)> {
    let excerpt = |tensor: &Tensor| {
        let value = |scalar| shortest(scalar, tensor.dtype());
        let values: Vec<String> = tensor.scalars().take(count).map(value).collect();
        let more = if tensor.numel() > count { ", …" } else { "" };
        format!("{} [{}{more}]", describe(tensor), values.join(", "))
    };
    let args = case.call.args.iter();
    let mut list: Vec<(String, String)> =
        args.map(|(name, value)| (name.clone(), value_text(value, &excerpt))).collect();
    if let Some(backward) = &case.backward {
        list.push(("backward wrt".into(), backward.wrt.join(", ")));
        for (i, cotangent) in backward.grad_outputs.iter().enumerate() {
            list.push((format!("grad_outputs[{i}]"), cotangent.as_ref().map_or("None".into(), excerpt)));
        }
    }
    list
}

/// Dtype, shape, and the layout where it matters.
fn describe(tensor: &Tensor) -> String {
    let mut text = format!("{} {:?}", tensor.dtype(), tensor.shape());
    if !tensor.is_contiguous() {
        let _ = write!(text, " strides {:?} offset {}", tensor.strides(), tensor.offset());
    }
    text
}

/// Dtype, shape, layout where it matters, and the elements.
fn show_tensor(tensor: &Tensor) -> String {
    let mut text = describe(tensor);
    let count = tensor.numel();
    let values: Vec<String> = if count <= SHOWN {
        tensor.scalars().map(show_scalar).collect()
    } else {
        let shown = |(i, _): &(usize, Scalar)| *i < SHOWN - 3 || *i >= count - 3;
        let mut values: Vec<String> =
            tensor.scalars().enumerate().filter(shown).map(|(_, value)| show_scalar(value)).collect();
        values.insert(SHOWN - 3, "…".into());
        values
    };
    let _ = write!(text, " [{}]", values.join(", "));
    text
}

fn show_scalar(value: Scalar) -> String {
    match value {
        Scalar::Bool(true) => "True".into(),
        Scalar::Bool(false) => "False".into(),
        number => number.to_string(),
    }
}
