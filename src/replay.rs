//! The pipeline in one function: every case through an engine, every outcome to the judge.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use crate::corpus::{Case, Corpus, Entry, Outcome};
use crate::engines::{Engine, Profile};
use crate::judge::{Tolerances, Verdict, judge};

/// A case with its verdict.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// The case and PyTorch's outcome.
    pub entry: &'a Entry,
    /// What the judge says.
    pub verdict: Verdict,
}

/// Runs one case; a panic of the engine is an outcome like any other.
pub(crate) fn run(engine: &dyn Engine, case: &Case) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| engine.run(case))).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Outcome::Panicked(text.unwrap_or("a panic without a message").to_string())
    })
}

/// Runs and judges one case; its outcome comes along for those who show it.
pub fn run_and_judge<'a>(
    entry: &'a Entry,
    engine: &dyn Engine,
    profile: Profile,
    tolerances: &Tolerances,
) -> (Outcome, Judged<'a>) {
    let outcome = run(engine, &entry.case);
    let verdict = judge(&entry.case, &entry.golden, &outcome, tolerances, profile, engine.name());
    (outcome, Judged { entry, verdict })
}

/// Runs and judges a whole corpus on all cores; the results are in its order.
pub fn replay<'a>(
    corpus: &'a Corpus,
    engine: &dyn Engine,
    profile: Profile,
    tolerances: &Tolerances,
) -> Vec<Judged<'a>> {
    let verdicts = replay_observed(corpus, engine, profile, tolerances, |_, _| ());
    verdicts.into_iter().map(|(judged, ())| judged).collect()
}

/// Like [`replay`], with what `observe` keeps of each outcome, which is gone afterwards: all
/// outcomes at once may be larger than memory.
pub fn replay_observed<'a, T: Send>(
    corpus: &'a Corpus,
    engine: &dyn Engine,
    profile: Profile,
    tolerances: &Tolerances,
    observe: impl Fn(&Outcome, &Judged<'a>) -> T + Sync,
) -> Vec<(Judged<'a>, T)> {
    let run = |entry| {
        let (outcome, judged) = run_and_judge(entry, engine, profile, tolerances);
        let observed = observe(&outcome, &judged);
        (judged, observed)
    };
    corpus.entries.par_iter().map(run).collect()
}
