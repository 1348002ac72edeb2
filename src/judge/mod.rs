//! The judgement of an outcome against PyTorch's: pure functions, without I/O.
//!
//! Comparison is element by element, and one element that its rule does not admit is a
//! divergence: no average, correlation or norm takes part. Whatever is not a number in a metric
//! is a failure.

mod accuracy;
mod compare;
#[cfg(test)]
mod exhaustive;
mod ledger;
mod tolerance;
mod ulp;
mod validity;
mod verdict;

pub use accuracy::{Accuracy, Errors, Kind, Largest};
pub use compare::{Difference, Measured, Place};
pub(crate) use ledger::release;
pub use ledger::{Known, Ledger, Reading, Tally};
pub use tolerance::{Part, Rule, Subject, Tolerance, Tolerances};
pub use ulp::distance;
pub use verdict::{Class, Decided, Judgement, Verdict, judge};
