//! A bank of deliberately wrong engines: the proof that the judge and the corpus find faults.
//!
//! Each mutant takes what the native engine does with a case and spoils it in one way that real
//! engines were seen to be wrong in. A mutant *applies* to a case where the spoilt outcome is
//! another than the honest one. Every op has to reject every mutant that applies to it, in at
//! least one of its cases, under the tolerances that its engine is held to.
//!
//! A case that rejects none of them for what it holds is *idle*: it proves nothing. That it is
//! refused a panic, a NaN for a number, or another dtype or shape counts only where it has nothing
//! else to be wrong about, since any case at all refuses those.

mod spoil;

use std::collections::BTreeMap;

use half::f16;
use rayon::prelude::*;

use crate::corpus::{Backpropagated, Case, Corpus, Entry, Golden, Outcome};
use crate::engines::Engine;
use crate::judge::{Class, Judgement, Tolerances, judge};
use crate::tensor::{Scalar, Tensor};

use spoil::*;

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
    Mutant {
        name: "negative-dim-misread",
        what: "counts a negative dimension from the front",
        spoil: negative_dim_misread,
    },
    Mutant { name: "keepdim-ignored", what: "keeps what should go, and the other way round", spoil: keepdim },
    Mutant {
        name: "strides-ignored",
        what: "reads a view's memory as if it were row-major",
        spoil: strides_ignored,
    },
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
        name: "through-float32",
        what: "integers and doubles pass through single precision",
        spoil: |s| s.tensors(|t| Some(through_float32(t))),
    },
    Mutant {
        name: "half-accumulator",
        what: "adds up 16-bit floats in their own type",
        spoil: half_accumulator,
    },
    Mutant {
        name: "infinity-cut",
        what: "an infinity becomes the largest number",
        spoil: |s| s.tensors(|t| Some(infinity_cut(t))),
    },
    Mutant { name: "empty-is-zero", what: "whatever is made of nothing is zero", spoil: empty_is_zero },
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
        name: "bool-promoted",
        what: "truth comes as uint8",
        spoil: |s| s.tensors(|t| Some(bool_as_uint8(t))),
    },
    Mutant {
        name: "wrong-shape",
        what: "one dimension too many",
        spoil: |s| s.tensors(|t| Some(t.unsqueezed(0))),
    },
    Mutant { name: "output-missing", what: "the last output is missing", spoil: output_missing },
    Mutant { name: "output-added", what: "one output too many", spoil: output_added },
    Mutant { name: "swallows-errors", what: "returns where it should raise", spoil: swallows },
    Mutant {
        name: "index-clamped",
        what: "cuts an index that is out of bounds to the last",
        spoil: index_clamped,
    },
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
    Mutant { name: "warning-added", what: "warns where nothing is to be warned of", spoil: warning_added },
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
    Mutant {
        name: "gradients-swapped",
        what: "two inputs have each other's gradient",
        spoil: gradients_swapped,
    },
    Mutant {
        name: "broadcast-not-summed",
        what: "the gradient of a broadcast input has the output's shape",
        spoil: broadcast_not_summed,
    },
    Mutant {
        name: "backward-swallowed",
        what: "gives no gradient where the backward pass should raise",
        spoil: backward_swallowed,
    },
];

/// What became of one mutant over one op's cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In how many cases it differs from the honest engine.
    pub applied: usize,
    /// In how many of them the judge rejects it.
    pub rejected: usize,
    /// In how many of those for what the case holds.
    pub pointed: usize,
}

/// What became of the bank.
#[derive(Clone, Debug, Default)]
pub struct Trial<'a> {
    /// By op, then in the order of the bank.
    pub ops: BTreeMap<&'a str, Vec<Tally>>,
    /// The cases that reject no mutant for what they hold, and so prove nothing.
    pub idle: Vec<&'a str>,
}

/// Runs the bank over a corpus.
pub fn run<'a>(corpus: &'a Corpus, engine: &dyn Engine, tolerances: &Tolerances) -> Trial<'a> {
    let tallies: Vec<Option<Vec<Tally>>> =
        corpus.entries.par_iter().map(|entry| try_all(entry, engine, tolerances)).collect();
    let mut trial = Trial::default();
    for (entry, tallies) in corpus.entries.iter().zip(tallies) {
        let Some(tallies) = tallies else { continue };
        if tallies.iter().all(|tally| tally.pointed == 0) {
            trial.idle.push(&entry.case.id);
        }
        let op = trial.ops.entry(&entry.case.call.op).or_insert_with(|| vec![Tally::default(); BANK.len()]);
        for (sum, tally) in op.iter_mut().zip(tallies) {
            sum.applied += tally.applied;
            sum.rejected += tally.rejected;
            sum.pointed += tally.pointed;
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
            let rejects = |golden: &_, tolerances: &Tolerances| match judge(
                &entry.case,
                golden,
                &spoilt,
                tolerances,
                profile,
                name,
            )
            .judgement
            {
                Judgement::Diverges(class, _) => Some(class),
                _ => None,
            };
            let as_golden = Ok(Golden { outcome: honest.clone(), ..Golden::default() });
            if rejects(&as_golden, &Tolerances::strict()).is_none() {
                return Tally::default();
            }
            let class = rejects(&entry.golden, tolerances);
            let pointed = class.is_some_and(|class| subject.is_pointed(class));
            Tally { applied: 1, rejected: usize::from(class.is_some()), pointed: usize::from(pointed) }
        })
        .collect();
    Some(tallies)
}

impl Subject<'_> {
    /// Whether a rejection in a class is for what the case holds rather than for what any case
    /// would be refused.
    fn is_pointed(&self, class: Class) -> bool {
        let Outcome::Returned { outputs, warnings, backward } = self.honest else {
            return matches!(class, Class::ErrorExpected | Class::Message);
        };
        let gradients: Vec<&Tensor> = match backward {
            Some(Backpropagated::Gave(gradients)) => gradients.values().flatten().flatten().collect(),
            _ => Vec::new(),
        };
        let holds = |wanted: fn(&Tensor) -> bool| outputs.iter().chain(gradients.iter().copied()).any(wanted);
        match class {
            Class::Panic | Class::Timeout | Class::ErrorUnexpected | Class::GradientMissing => false,
            Class::GradientUnexpected => matches!(backward, Some(Backpropagated::Raised { .. })),
            Class::Warning => !warnings.is_empty(),
            Class::Nan => holds(|tensor| tensor.scalars().any(|value| value.to_f64().is_nan())),
            Class::Dtype | Class::Shape => !holds(|tensor| tensor.numel() > 0),
            _ => true,
        }
    }
}
