//! What is shown of a run, and the exit status.

mod accuracy;
mod evidence;
pub mod explain;
mod format;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
mod ledger;
pub mod list;
pub mod markdown;
mod matrix;
mod merge;
mod model;
pub mod mutants;
mod number;
pub mod table;
mod timing;
pub mod tolerances;
mod write;

pub use accuracy::{AccuracyRow, CaseError};
pub use evidence::{Evidence, Nearness, Raised, Sample, Shown, Truth, TruthCounts};
pub use format::{Form, Format, Plan, PlanError};
pub use ledger::{LedgerFault, LedgerProblem, LedgerRow};
pub(crate) use markdown::code;
pub use merge::merge;
pub use model::{CaseReport, Counts, EngineReport, OpRow, Report, Share, Torch, Word};
pub use number::Number;
pub(crate) use number::{thousands, ulp};
pub use timing::Timing;
pub use write::write_all;

/// What the program ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Every case that was judged is at parity, or its divergence is known.
    Parity = 0,
    /// Some case diverges and nothing explains it, or a ledger says what is not so.
    Drift = 1,
    /// Nothing could be judged: wrong usage, bad input, an empty selection.
    CannotJudge = 2,
}
