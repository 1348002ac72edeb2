//! What is shown of a run, and the exit status.

pub mod explain;
pub mod json;
pub mod list;
pub mod mutants;
mod number;
mod summary;
pub mod table;
mod timing;

pub use summary::{Counts, EngineReport, OpRow, Report};
pub use timing::Timing;

/// What the program ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Every case that was judged is at parity.
    Parity = 0,
    /// Some case diverges.
    Drift = 1,
    /// Nothing could be judged: wrong usage, bad input, an empty selection.
    CannotJudge = 2,
}
