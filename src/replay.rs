//! The pipeline in one function: every case through an engine, every outcome to the judge.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::corpus::{Case, Corpus, Entry, Outcome};
use crate::engines::{Engine, Profile};
use crate::judge::{Tolerances, Verdict, judge};

/// A case with its verdict.
#[derive(Debug)]
pub struct Judged<'a> {
    /// The case and PyTorch's outcome.
    pub entry: &'a Entry,
    /// What the judge says.
    pub verdict: Verdict,
}

/// Runs one case; a panic of the engine is an outcome like any other.
pub fn run(engine: &dyn Engine, case: &Case) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| engine.run(case))).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Outcome::Panicked(text.unwrap_or("a panic without a message").to_string())
    })
}

/// Runs and judges a whole corpus, in its order.
pub fn replay<'a>(
    corpus: &'a Corpus,
    engine: &dyn Engine,
    profile: Profile,
    tolerances: &Tolerances,
) -> Vec<Judged<'a>> {
    let judged = |entry: &'a Entry| {
        let outcome = run(engine, &entry.case);
        let verdict = judge(&entry.case, &entry.golden, &outcome, tolerances, profile, engine.name());
        Judged { entry, verdict }
    };
    corpus.entries.iter().map(judged).collect()
}
