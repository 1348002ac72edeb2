//! Who is timed: an engine in this process, behind the same few calls as PyTorch in its own.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::rows::Row;
use crate::corpus::Case;
use crate::engines::{Engine, Timed};

/// The shortest time that is measured: what is faster is called several times.
const SAMPLE: Duration = Duration::from_micros(200);

/// Why a run has no times.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The table of rows is broken.
    #[error("benches/rows.toml: {0}")]
    Rows(String),
    /// No row has a name with that word.
    #[error("no row is called '{word}'; there are {rows}")]
    NoRow {
        /// The word.
        word: String,
        /// The names that there are.
        rows: String,
    },
    /// Python does not start.
    #[error("{}: {error}", python.display())]
    Start {
        /// The interpreter.
        python: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Python ended, or said what it should not.
    #[error("PyTorch's side: {0}")]
    Torch(String),
    /// A pool of threads cannot be made.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The times cannot be written as JSON.
    #[error("the times: {0}")]
    Json(#[from] serde_json::Error),
}

/// Something that is timed.
pub(super) trait Contender {
    fn name(&self) -> String;
    /// Makes the inputs of a row ready and calls once; none where it does not have the call.
    fn prepare<'a>(
        &'a mut self,
        row: &Row,
        case: &'a Case,
        threads: usize,
    ) -> Result<Option<Box<dyn Turns + 'a>>, BenchError>;
}

/// A call whose inputs are ready.
pub(super) trait Turns {
    /// Seconds per call, once or more, for about so long.
    fn measure(&mut self, turn: Duration) -> Result<Vec<f64>, BenchError>;
}

/// An engine of this build.
pub(super) struct InProcess<'a>(pub(super) &'a dyn Engine);

struct Ready<'a> {
    call: Timed<'a>,
    pool: rayon::ThreadPool,
    /// Calls per sample.
    batch: u32,
}

impl Ready<'_> {
    /// Seconds per call.
    fn sample(&self) -> f64 {
        self.pool.install(|| {
            let started = Instant::now();
            for _ in 0..self.batch {
                (self.call)();
            }
            started.elapsed().as_secs_f64() / f64::from(self.batch)
        })
    }
}

impl Contender for InProcess<'_> {
    fn name(&self) -> String {
        self.0.name().into()
    }

    fn prepare<'a>(
        &'a mut self,
        _: &Row,
        case: &'a Case,
        threads: usize,
    ) -> Result<Option<Box<dyn Turns + 'a>>, BenchError> {
        let Some(call) = self.0.timed(case) else { return Ok(None) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut ready = Ready { call, pool, batch: 1 };
        let first = ready.sample().min(ready.sample());
        ready.batch = (SAMPLE.as_secs_f64() / first.max(1e-9)).clamp(1.0, 1e6) as u32;
        Ok(Some(Box::new(ready)))
    }
}

impl Turns for Ready<'_> {
    fn measure(&mut self, turn: Duration) -> Result<Vec<f64>, BenchError> {
        let started = Instant::now();
        let mut samples = Vec::new();
        while samples.is_empty() || started.elapsed() < turn {
            samples.push(self.sample());
        }
        Ok(samples)
    }
}

/// Bytes per microsecond that one thread reads from memory: the sum of 64 MiB, the best of a few.
pub(super) fn memory_speed() -> f64 {
    let data = vec![1u64; 8 << 20];
    let once = || {
        let started = Instant::now();
        black_box(crate::cpu::widest(|| data.iter().fold(0u64, |sum, x| sum.wrapping_add(*x))));
        started.elapsed().as_secs_f64()
    };
    let best = (0..8).map(|_| once()).fold(f64::INFINITY, f64::min);
    size_of_val(data.as_slice()) as f64 / (1e6 * best)
}
