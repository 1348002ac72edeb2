//! PyTorch, in a process of its own that does what it is told line by line (`python/bench.py`).

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::contender::{BenchError, Contender, Turns};
use super::rows::Row;
use crate::corpus::Case;

/// The other side, which is part of the program: it runs from anywhere.
const SCRIPT: &str = include_str!("../../python/bench.py");

pub(super) struct Torch {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    version: String,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Request<'a> {
    Prepare { row: &'a Row, threads: usize },
    Measure(f64),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Version(String),
    Ready,
    Seconds(Vec<f64>),
}

impl Torch {
    pub(super) fn start(python: &Path) -> Result<Torch, BenchError> {
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| BenchError::Start { python: python.into(), error })?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(BenchError::Torch("has no pipes".into()));
        };
        let mut torch = Torch { child, requests, answers: BufReader::new(answers), version: String::new() };
        match torch.answer()? {
            Answer::Version(version) => torch.version = version,
            _ => return Err(BenchError::Torch("does not say its version first".into())),
        }
        Ok(torch)
    }

    fn ask(&mut self, request: &Request) -> Result<Answer, BenchError> {
        let line = serde_json::to_string(request)?;
        writeln!(self.requests, "{line}").map_err(|error| BenchError::Torch(error.to_string()))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer, BenchError> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| BenchError::Torch(error.to_string()))?;
        if line.is_empty() {
            return Err(BenchError::Torch("ended; what it said is above".into()));
        }
        serde_json::from_str(&line).map_err(|error| BenchError::Torch(format!("{error}: {line}")))
    }
}

impl Contender for Torch {
    fn name(&self) -> String {
        format!("PyTorch {}", self.version)
    }

    fn prepare<'a>(
        &'a mut self,
        row: &Row,
        _: &'a Case,
        threads: usize,
    ) -> Result<Option<Box<dyn Turns + 'a>>, BenchError> {
        self.ask(&Request::Prepare { row, threads })?;
        Ok(Some(Box::new(Prepared(self))))
    }
}

/// PyTorch with its inputs made, which the next row's replace.
struct Prepared<'a>(&'a mut Torch);

impl Turns for Prepared<'_> {
    fn measure(&mut self, turn: Duration) -> Result<Vec<f64>, BenchError> {
        match self.0.ask(&Request::Measure(turn.as_secs_f64()))? {
            Answer::Seconds(seconds) => Ok(seconds),
            _ => Err(BenchError::Torch("answers without times".into())),
        }
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
