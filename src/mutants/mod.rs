//! A bank of deliberately wrong engines: the proof that the judge and the corpus find faults.
//!
//! Each mutant takes what the native engine does with a case and spoils it in one way that real
//! engines were seen to be wrong in. A mutant *applies* to a case where the spoilt outcome is
//! another than the honest one. Every op has to reject every mutant that applies to it, in at
//! least one of its cases, under the tolerances that its engine is held to.

use std::collections::BTreeMap;

use half::f16;
use rayon::prelude::*;

use crate::corpus::{Backpropagated, Case, Corpus, Entry, Golden, Outcome};
use crate::engines::Engine;
use crate::judge::{Judgement, Tolerances, judge};
use crate::ops::{self, Call, Gradients, Value};
use crate::tensor::{DType, Scalar, Tensor};

/// A wrong engine.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// What to call it.
    pub name: &'static str,
    /// What it does wrong.
    pub what: &'static str,
    spoil: fn(&Subject) -> Option<Outcome>,
}

/// What a mutant works on.
struct Subject<'a> {
    case: &'a Case,
    honest: &'a Outcome,
    engine: &'a dyn Engine,
}

/// The bank.
pub const BANK: &[Mutant] = &[
    Mutant { name: "zeros", what: "every output is zero", spoil: |s| s.outputs(|_| Scalar::Int(0)) },
    Mutant { name: "echo", what: "gives its input back", spoil: echo },
    Mutant { name: "negate", what: "turns every sign", spoil: |s| s.outputs(negate) },
    Mutant { name: "plus-one", what: "every number is one more", spoil: |s| s.outputs(plus_one) },
    Mutant {
        name: "shift-by-one",
        what: "every element stands one place later",
        spoil: |s| s.tensors(shifted),
    },
    Mutant {
        name: "drop-last",
        what: "the last of the first dimension is missing",
        spoil: |s| s.tensors(shortened),
    },
    Mutant { name: "wrong-axis", what: "works along the next dimension", spoil: wrong_axis },
    Mutant { name: "transposed", what: "dimensions in reverse order", spoil: |s| s.tensors(reversed) },
    Mutant {
        name: "biased",
        what: "divides by n where n - 1 is right, and the other way round",
        spoil: biased,
    },
    Mutant { name: "nan-ignored", what: "takes NaN in the inputs for zero", spoil: nan_ignored },
    Mutant { name: "nan-everywhere", what: "every float is NaN", spoil: |s| s.floats(|_| f64::NAN) },
    Mutant {
        name: "minus-zero-lost",
        what: "-0 becomes +0",
        spoil: |s| s.floats(|x| if x == 0.0 { 0.0 } else { x }),
    },
    Mutant {
        name: "through-float16",
        what: "rounds to half precision on the way",
        spoil: |s| s.floats(|x| f16::from_f64(x).to_f64()),
    },
    Mutant {
        name: "ties-last",
        what: "the last of equals instead of the first",
        spoil: |s| last_first(s, false),
    },
    Mutant { name: "nan-last", what: "the last NaN instead of the first", spoil: |s| last_first(s, true) },
    Mutant {
        name: "wrong-dtype",
        what: "another width",
        spoil: |s| s.tensors(|t| Some(t.to_dtype(other_width(t.dtype())))),
    },
    Mutant {
        name: "wrong-shape",
        what: "one dimension too many",
        spoil: |s| s.tensors(|t| Some(t.unsqueezed(0))),
    },
    Mutant { name: "output-missing", what: "the last output is missing", spoil: output_missing },
    Mutant { name: "swallows-errors", what: "returns where it should raise", spoil: swallows },
    Mutant { name: "raises-always", what: "raises where it should return", spoil: raises },
    Mutant {
        name: "error-text",
        what: "another text of the error",
        spoil: |s| error(s, |kind, text| (kind, text + ".")),
    },
    Mutant {
        name: "error-type",
        what: "another type of error",
        spoil: |s| error(s, |kind, text| (format!("{kind}s"), text)),
    },
    Mutant { name: "warnings-lost", what: "gives no warning", spoil: warnings_lost },
    Mutant { name: "panics", what: "panics", spoil: |_| Some(Outcome::Panicked("mutant".into())) },
    Mutant { name: "gradients-dropped", what: "gives no gradient", spoil: |s| gradients(s, |_| None) },
    Mutant {
        name: "gradients-of-ones",
        what: "every gradient is one",
        spoil: |s| gradients(s, |t| Some(Tensor::full(t.shape(), Scalar::Int(1), t.dtype()))),
    },
    Mutant {
        name: "gradients-negated",
        what: "every gradient has the other sign",
        spoil: |s| gradients(s, |t| Some(mapped(t, negate))),
    },
];

/// What became of one mutant over one op's cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In how many cases it differs from the honest engine.
    pub applied: usize,
    /// In how many of them the judge rejects it.
    pub rejected: usize,
}

/// What became of the bank.
#[derive(Clone, Debug, Default)]
pub struct Trial<'a> {
    /// By op, then in the order of the bank.
    pub ops: BTreeMap<&'a str, Vec<Tally>>,
    /// The cases that reject no mutant, and so prove nothing.
    pub idle: Vec<&'a str>,
}

/// Runs the bank over a corpus.
pub fn run<'a>(corpus: &'a Corpus, engine: &dyn Engine, tolerances: &Tolerances) -> Trial<'a> {
    let tallies: Vec<Option<Vec<Tally>>> =
        corpus.entries.par_iter().map(|entry| try_all(entry, engine, tolerances)).collect();
    let mut trial = Trial::default();
    for (entry, tallies) in corpus.entries.iter().zip(tallies) {
        let Some(tallies) = tallies else { continue };
        if tallies.iter().all(|tally| tally.rejected == 0) {
            trial.idle.push(&entry.case.id);
        }
        let op = trial.ops.entry(&entry.case.call.op).or_insert_with(|| vec![Tally::default(); BANK.len()]);
        for (sum, tally) in op.iter_mut().zip(tallies) {
            sum.applied += tally.applied;
            sum.rejected += tally.rejected;
        }
    }
    trial
}

/// What becomes of each mutant in one case; nothing where the engine does not do the case.
fn try_all(entry: &Entry, engine: &dyn Engine, tolerances: &Tolerances) -> Option<Vec<Tally>> {
    let honest = engine.run(&entry.case);
    if let Outcome::Unsupported(_) = honest {
        return None;
    }
    let subject = Subject { case: &entry.case, honest: &honest, engine };
    let tallies = BANK
        .iter()
        .map(|mutant| {
            let Some(spoilt) = (mutant.spoil)(&subject) else { return Tally::default() };
            let (profile, name) = (engine.profile(), engine.name());
            let rejects = |golden: &_, tolerances: &Tolerances| {
                let verdict = judge(&entry.case, golden, &spoilt, tolerances, profile, name);
                matches!(verdict.judgement, Judgement::Diverges(..))
            };
            let as_golden = Ok(Golden { outcome: honest.clone(), ..Golden::default() });
            let applied = rejects(&as_golden, &Tolerances::strict());
            Tally {
                applied: usize::from(applied),
                rejected: usize::from(applied && rejects(&entry.golden, tolerances)),
            }
        })
        .collect();
    Some(tallies)
}

impl Subject<'_> {
    /// The honest outcome with each output replaced; none where there is nothing to replace.
    fn tensors(&self, spoil: impl Fn(&Tensor) -> Option<Tensor>) -> Option<Outcome> {
        let Outcome::Returned { outputs, warnings, backward } = self.honest else { return None };
        let outputs = outputs.iter().map(spoil).collect::<Option<_>>()?;
        Some(Outcome::Returned { outputs, warnings: warnings.clone(), backward: backward.clone() })
    }

    fn outputs(&self, spoil: fn(Scalar) -> Scalar) -> Option<Outcome> {
        self.tensors(|tensor| Some(mapped(tensor, spoil)))
    }

    fn floats(&self, spoil: fn(f64) -> f64) -> Option<Outcome> {
        self.tensors(|tensor| {
            Some(mapped(tensor, |value| match value {
                Scalar::Float(x) => Scalar::Float(spoil(x)),
                other => other,
            }))
        })
    }

    /// What the engine makes of a changed call.
    fn rerun(&self, call: Call) -> Option<Outcome> {
        let outcome = self.engine.run(&Case { call, ..self.case.clone() });
        (!matches!(outcome, Outcome::Unsupported(_))).then_some(outcome)
    }
}

fn mapped(tensor: &Tensor, spoil: impl Fn(Scalar) -> Scalar) -> Tensor {
    crate::with_type!(tensor.dtype(), T => {
        use crate::tensor::Element;
        Tensor::collect(tensor.shape(), tensor.scalars().map(|value| T::from_scalar(spoil(value))))
    })
}

fn negate(value: Scalar) -> Scalar {
    match value {
        Scalar::Bool(flag) => Scalar::Bool(!flag),
        Scalar::Int(n) => Scalar::Int(n.wrapping_neg()),
        Scalar::Float(x) => Scalar::Float(-x),
    }
}

fn plus_one(value: Scalar) -> Scalar {
    match value {
        Scalar::Bool(flag) => Scalar::Bool(!flag),
        Scalar::Int(n) => Scalar::Int(n.wrapping_add(1)),
        Scalar::Float(x) => Scalar::Float(x + 1.0),
    }
}

fn shifted(tensor: &Tensor) -> Option<Tensor> {
    let count = tensor.numel();
    let flat = tensor.reshaped(&[count]);
    let order = (0..count).map(|i| flat.offset() + (i + count - 1) % count);
    Some(flat.picked(tensor.shape(), order))
}

fn shortened(tensor: &Tensor) -> Option<Tensor> {
    let &size = tensor.shape().first()?;
    (size > 0).then(|| tensor.sliced(0, 0, size - 1, 1))
}

fn reversed(tensor: &Tensor) -> Option<Tensor> {
    Some(tensor.permuted(&(0..tensor.dim()).rev().collect::<Vec<_>>()))
}

fn other_width(dtype: DType) -> DType {
    match dtype {
        DType::Float32 => DType::Float64,
        dtype if dtype.is_floating() => DType::Float32,
        DType::Int64 => DType::Int32,
        _ => DType::Int64,
    }
}

fn echo(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { backward, .. } = subject.honest else { return None };
    let Some(Value::Tensor(input)) = subject.case.call.get("input") else { return None };
    Some(Outcome::Returned { outputs: vec![input.clone()], warnings: Vec::new(), backward: backward.clone() })
}

fn wrong_axis(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    let (Ok(Some(dim)), Ok(input)) = (call.int("dim"), call.tensor("input")) else { return None };
    let rank = input.dim() as i64;
    if rank < 2 {
        return None;
    }
    let next = Value::Scalar(Scalar::Int((dim + 1).rem_euclid(rank)));
    call.args.insert("dim".into(), next);
    subject.rerun(call)
}

fn biased(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    if !matches!(call.op.as_str(), "var" | "std" | "var_mean" | "std_mean") {
        return None;
    }
    let biased = match call.args.remove("unbiased") {
        Some(Value::Scalar(Scalar::Bool(unbiased))) => !unbiased,
        _ => matches!(call.args.get("correction"), Some(Value::Scalar(value)) if value.to_f64() == 0.0),
    };
    call.args.insert("correction".into(), Value::Scalar(Scalar::Int(i64::from(biased))));
    subject.rerun(call)
}

fn nan_ignored(subject: &Subject) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    for value in call.args.values_mut() {
        if let Value::Tensor(tensor) = value
            && tensor.dtype().is_floating()
        {
            let zeroed = |x: Scalar| if x.to_f64().is_nan() { Scalar::Float(0.0) } else { x };
            *tensor = mapped(tensor, zeroed);
        }
    }
    subject.rerun(call)
}

/// Searches from the other end: indices along `dim` (or over everything) of the flipped input.
fn last_first(subject: &Subject, with_nan: bool) -> Option<Outcome> {
    let mut call = subject.case.call.clone();
    let index_output = match call.op.as_str() {
        "argmax" | "argmin" => 0,
        "max" | "min" if call.get("dim").is_some() => 1,
        _ => return None,
    };
    let input = call.tensor("input").ok()?.clone();
    let has_nan = input.scalars().any(|value| value.to_f64().is_nan());
    if has_nan != with_nan || input.dim() == 0 {
        return None;
    }
    let (flat, dim) = match call.int("dim").ok()? {
        Some(dim) => (input.clone(), usize::try_from(dim.rem_euclid(input.dim() as i64)).ok()?),
        None => (input.reshaped(&[input.numel()]), 0),
    };
    let size = flat.shape()[dim];
    let order = (0..size).rev().map(|i| i as i64);
    let flipped = Call {
        op: "index_select".into(),
        args: BTreeMap::from([
            ("input".to_string(), Value::Tensor(flat)),
            ("dim".to_string(), Value::Scalar(Scalar::Int(dim as i64))),
            ("index".to_string(), Value::Tensor(Tensor::collect(&[size], order))),
        ]),
    };
    let flipped = ops::run(&flipped).ok()?.outputs.pop()?.reshaped(input.shape());
    call.args.insert("input".into(), Value::Tensor(flipped));
    let Some(Outcome::Returned { mut outputs, warnings, backward }) = subject.rerun(call) else {
        return None;
    };
    let indices = outputs.get_mut(index_output)?;
    *indices = mapped(indices, |index| Scalar::Int(size as i64 - 1 - index.to_i64()));
    Some(Outcome::Returned { outputs, warnings, backward })
}

fn output_missing(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, warnings, backward } = subject.honest else { return None };
    let outputs = outputs.split_last()?.1.to_vec();
    Some(Outcome::Returned { outputs, warnings: warnings.clone(), backward: backward.clone() })
}

fn swallows(subject: &Subject) -> Option<Outcome> {
    let Outcome::Raised { .. } = subject.honest else { return None };
    let outputs = vec![Tensor::scalar(0.0f32)];
    Some(Outcome::Returned { outputs, warnings: Vec::new(), backward: None })
}

fn raises(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { .. } = subject.honest else { return None };
    Some(Outcome::Raised { kind: "RuntimeError".into(), message: "mutant".into() })
}

fn error(subject: &Subject, spoil: fn(String, String) -> (String, String)) -> Option<Outcome> {
    let Outcome::Raised { kind, message } = subject.honest else { return None };
    let (kind, message) = spoil(kind.clone(), message.clone());
    Some(Outcome::Raised { kind, message })
}

fn warnings_lost(subject: &Subject) -> Option<Outcome> {
    let Outcome::Returned { outputs, backward, .. } = subject.honest else { return None };
    Some(Outcome::Returned { outputs: outputs.clone(), warnings: Vec::new(), backward: backward.clone() })
}

fn gradients(subject: &Subject, spoil: fn(&Tensor) -> Option<Tensor>) -> Option<Outcome> {
    let Outcome::Returned { outputs, warnings, backward: Some(Backpropagated::Gave(gradients)) } =
        subject.honest
    else {
        return None;
    };
    let spoil_all =
        |tensors: &Vec<Option<Tensor>>| tensors.iter().map(|t| t.as_ref().and_then(spoil)).collect();
    let gradients: Gradients =
        gradients.iter().map(|(name, tensors)| (name.clone(), spoil_all(tensors))).collect();
    Some(Outcome::Returned {
        outputs: outputs.clone(),
        warnings: warnings.clone(),
        backward: Some(Backpropagated::Gave(gradients)),
    })
}
