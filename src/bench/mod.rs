//! How long calls take, engine by engine, in one run.
//!
//! Times of different runs are not comparable: a machine's clock and its neighbours change between
//! them. So each row is timed on all engines in turns, and what counts is the ratio of medians.

mod contender;
mod growth;
mod render;
mod rows;
mod torch;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

pub use contender::BenchError;
pub use render::{render, render_growth};
pub use rows::Row;

use contender::{Contender, InProcess};
use torch::Torch;

use crate::engines::Engine;

/// What to time, and how thoroughly.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rows.
    pub rows: Vec<Row>,
    /// How often all engines take their turn.
    pub rounds: usize,
    /// How long a turn lasts at least.
    pub turn: Duration,
    /// The threads that each engine has, unless the row says otherwise.
    pub threads: usize,
    /// A Python that has PyTorch, if PyTorch is to be timed too.
    pub python: Option<PathBuf>,
}

impl Plan {
    /// The rows of `benches/rows.toml` whose name contains one of the words; all of them without
    /// words.
    pub fn rows(words: &[String]) -> Result<Vec<Row>, BenchError> {
        rows::select(rows::table()?, words)
    }

    /// The rows that show how time grows with size.
    pub fn growth(words: &[String]) -> Result<Vec<Row>, BenchError> {
        rows::select(growth::rows(), words)
    }
}

/// The times of one row.
#[derive(Clone, Debug, Serialize)]
pub struct Timed {
    /// The row's name.
    pub row: String,
    /// The op.
    pub op: String,
    /// Elements of the largest input.
    pub elements: usize,
    /// Threads of each engine.
    pub threads: usize,
    /// How many times PyTorch's speed the native engine is to have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// What is known to keep it from that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Bytes of inputs and results that a call has to touch at least.
    pub bytes: usize,
    /// The median time of a call in microseconds, in the order of [`Timing::engines`]; none where
    /// an engine does not have the call.
    pub micros: Vec<Option<f64>>,
}

/// The times of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// What was timed, the native engine first.
    pub engines: Vec<String>,
    /// The instructions that the native engine used.
    pub cpu: &'static str,
    /// Bytes that one thread reads from memory in a microsecond, measured in the same run.
    pub bytes_per_micro: f64,
    /// The rows.
    pub rows: Vec<Timed>,
}

impl Timed {
    /// How many times faster the first engine is than another.
    pub fn ratio(&self, engine: usize) -> Option<f64> {
        Some(self.micros.get(engine).copied()?? / self.micros.first().copied()??)
    }
}

/// Times every row on all engines in turns. `step` is called after each row.
pub fn run(engines: &[Box<dyn Engine>], plan: &Plan, step: impl Fn()) -> Result<Timing, BenchError> {
    let mut contenders: Vec<Box<dyn Contender + '_>> = Vec::new();
    for engine in engines {
        contenders.push(Box::new(InProcess(engine.as_ref())));
    }
    if let Some(python) = &plan.python {
        contenders.push(Box::new(Torch::start(python)?));
    }
    let bytes_per_micro = contender::memory_speed();
    let mut rows = Vec::new();
    for row in &plan.rows {
        rows.push(time(row, row.threads.unwrap_or(plan.threads), &mut contenders, plan)?);
        step();
    }
    let engines = contenders.iter().map(|contender| contender.name()).collect();
    Ok(Timing { engines, cpu: crate::cpu::level().name(), bytes_per_micro, rows })
}

fn time(
    row: &Row,
    threads: usize,
    contenders: &mut [Box<dyn Contender + '_>],
    plan: &Plan,
) -> Result<Timed, BenchError> {
    let case = row.case()?;
    let mut turns = Vec::new();
    for contender in contenders.iter_mut() {
        turns.push(contender.prepare(row, &case, threads)?);
    }
    let mut samples = vec![Vec::new(); turns.len()];
    for _ in 0..plan.rounds {
        for (turns, samples) in turns.iter_mut().zip(&mut samples) {
            if let Some(turns) = turns {
                samples.extend(turns.measure(plan.turn)?);
            }
        }
    }
    Ok(Timed {
        row: row.name.clone(),
        op: row.op.clone(),
        elements: row.elements(),
        threads,
        reach: row.reach,
        limit: row.limit.clone(),
        bytes: row.bytes(&case),
        micros: samples.into_iter().map(median).collect(),
    })
}

/// The median in microseconds; none of nothing.
fn median(mut seconds: Vec<f64>) -> Option<f64> {
    seconds.sort_by(f64::total_cmp);
    let middle = seconds.len() / 2;
    let value = *seconds.get(middle)?;
    let value = if seconds.len().is_multiple_of(2) { (value + seconds[middle - 1]) / 2.0 } else { value };
    Some(1e6 * value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Native;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3e-6, 1e-6, 2e-6]), Some(2.0));
        assert_eq!(median(vec![1e-6, 3e-6]), Some(2.0));
    }

    #[test]
    fn a_row_is_timed() {
        let plan = Plan {
            rows: Plan::rows(&["sum_all_64x1000".into()]).unwrap(),
            rounds: 2,
            turn: Duration::from_millis(1),
            threads: 1,
            python: None,
        };
        let engines: Vec<Box<dyn Engine>> = vec![Box::new(Native)];
        let timing = run(&engines, &plan, || ()).unwrap();
        let [timed] = timing.rows.as_slice() else { panic!("{timing:?}") };
        assert_eq!((timed.row.as_str(), timed.elements, timed.bytes), ("sum_all_64x1000", 64_000, 256_004));
        assert!(timed.micros[0].unwrap() > 0.0);
        assert_eq!(timed.ratio(0), Some(1.0));
    }
}
