//! An engine in a process of its own, in any language: JSON lines over stdin and stdout.
//!
//! The engine says who it is, and then answers a case per line with an outcome per line
//! (`docs/format.md`). Each thread that runs cases has a process of its own, started when it is
//! first needed. A process that crashes, hangs or says what is no answer is a verdict of the case
//! that it was asked; it is ended with all that it started, and the next case gets a new one.

pub(crate) mod lines;
mod process;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Engine, Profile};
use crate::corpus::{Case, Fault, MAX_ELEMENTS, Outcome, SCHEMA, answer_from_json, case_to_json, parse};
use process::{Failure, Process, cut};

/// What stands before the command where an engine is named.
pub const PREFIX: &str = "exec:";

/// How long an engine may take unless the caller says otherwise, to start and for each case.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// How external engines are run.
#[derive(Clone, Debug)]
pub struct Terms {
    /// How long a process may take to say who it is, and to answer a case.
    pub timeout: Duration,
    /// Where their stderr goes, instead of to this program's.
    pub log: Option<PathBuf>,
    /// The largest number of elements that a tensor of an answer may have.
    pub max_elements: usize,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { timeout: TIMEOUT, log: None, max_elements: MAX_ELEMENTS }
    }
}

/// The first line of an engine: who it is.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Handshake {
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) profile: Profile,
    pub(crate) schema: u64,
}

impl Handshake {
    /// How an engine of this build introduces itself.
    pub(crate) fn of(engine: &dyn Engine) -> Handshake {
        Handshake {
            engine: engine.name().into(),
            version: engine.version().into(),
            profile: engine.profile(),
            schema: SCHEMA,
        }
    }

    /// Reads it. A schema of another version is named before anything else, since everything else
    /// may be different in it.
    fn read(line: &str) -> Result<Handshake, String> {
        #[derive(Deserialize)]
        struct SchemaOnly {
            schema: u64,
        }
        let wrong = |fault: Fault| format!("its first line is no handshake: {fault}: {}", cut(line));
        let SchemaOnly { schema } = parse(line).map_err(wrong)?;
        if schema != SCHEMA {
            return Err(format!("it speaks schema version {schema}; this program speaks version {SCHEMA}"));
        }
        let handshake: Handshake = parse(line).map_err(wrong)?;
        // The name is that of a file, and both stand in reports.
        let safe = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let Handshake { engine, version, .. } = &handshake;
        if !engine.starts_with(|c: char| c.is_ascii_alphanumeric()) || !engine.bytes().all(safe) {
            return Err(format!("the name {} is not letters, digits, '.', '_' and '-'", cut(engine)));
        }
        if version.is_empty() || version.len() > 100 || version.contains(char::is_control) {
            return Err(format!("the version {} is not a line of at most 100 bytes", cut(version)));
        }
        Ok(handshake)
    }
}

/// Why an external engine cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The command is no command line.
    #[error("'{PREFIX}{0}' is no command: it is empty, or a quote is not closed")]
    Command(String),
    /// The file for its stderr cannot be opened.
    #[error("the log {file} cannot be opened: {error}")]
    Log {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The program cannot be started.
    #[error("{PREFIX}{command}: cannot be started: {error}")]
    Spawn {
        /// The command.
        command: String,
        /// Why.
        error: io::Error,
    },
    /// It does not say who it is.
    #[error("{PREFIX}{command}: {what}")]
    Handshake {
        /// The command.
        command: String,
        /// What it did instead.
        what: String,
    },
}

/// The words of a command, split as a shell would; no shell is involved.
pub fn words(command: &str) -> Result<Vec<String>, StartError> {
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        _ => Err(StartError::Command(command.into())),
    }
}

/// An engine in processes of its own.
pub struct External {
    command: String,
    words: Vec<String>,
    identity: Handshake,
    timeout: Duration,
    max_elements: usize,
    log: Option<File>,
    /// The processes that wait for a case; as many as there were threads at once.
    idle: Mutex<Vec<Process>>,
}

impl External {
    /// Starts a command and hears who it is.
    pub fn start(command: &str, terms: &Terms) -> Result<External, StartError> {
        let open = |path: &PathBuf| {
            let options = File::options().create(true).append(true).open(path);
            options.map_err(|error| StartError::Log { file: path.clone(), error })
        };
        let words = words(command)?;
        let log = terms.log.as_ref().map(open).transpose()?;
        let Terms { timeout, max_elements, .. } = *terms;
        let (process, identity) =
            introduced(&words, log.as_ref(), timeout, max_elements).map_err(|error| match error {
                Unstarted::Spawn(error) => StartError::Spawn { command: command.into(), error },
                Unstarted::Handshake(what) => StartError::Handshake { command: command.into(), what },
            })?;
        let (command, idle) = (command.into(), Mutex::new(vec![process]));
        Ok(External { command, words, identity, timeout, max_elements, log, idle })
    }

    /// A process that waits for a case.
    fn process(&self) -> Result<Process, String> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(process) = idle {
            return Ok(process);
        }
        match introduced(&self.words, self.log.as_ref(), self.timeout, self.max_elements) {
            Ok((_, other))
                if other.engine != self.identity.engine || other.version != self.identity.version =>
            {
                Err(format!("it is now {} {}", other.engine, other.version))
            }
            Ok((process, _)) => Ok(process),
            Err(Unstarted::Spawn(error)) => Err(error.to_string()),
            Err(Unstarted::Handshake(what)) => Err(what),
        }
    }

    /// Asks a process. One that failed is not to be asked again.
    fn ask(&self, process: &mut Process, case: &Case, line: String) -> Result<Outcome, Outcome> {
        let answer = process.ask(line, self.timeout).map_err(|failure| match failure {
            Failure::Broken(what) => Outcome::Panicked(format!("the engine {what}")),
            Failure::Late => Outcome::TimedOut(self.timeout),
        })?;
        let broken = |what: String| Outcome::Panicked(format!("the engine's line is no answer: {what}"));
        let (id, outcome) = answer_from_json(&answer, self.max_elements)
            .map_err(|fault| broken(format!("{fault}: {}", cut(&answer))))?;
        if id != case.id {
            return Err(broken(format!("it is of case {}", cut(&id))));
        }
        Ok(outcome)
    }
}

impl Engine for External {
    fn name(&self) -> &str {
        &self.identity.engine
    }

    fn version(&self) -> &str {
        &self.identity.version
    }

    fn profile(&self) -> Profile {
        self.identity.profile
    }

    fn run(&self, case: &Case) -> Outcome {
        if let Some(missing) = &case.foreign {
            return Outcome::Unsupported(missing.clone());
        }
        let line = match case_to_json(case) {
            Ok(line) => line,
            Err(error) => return Outcome::Unsupported(error.to_string()),
        };
        let mut process = match self.process() {
            Ok(process) => process,
            Err(what) => return Outcome::Panicked(format!("the engine could not be started again: {what}")),
        };
        match self.ask(&mut process, case, line) {
            Ok(outcome) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
                outcome
            }
            Err(outcome) => outcome,
        }
    }

    fn argument(&self) -> String {
        let argument = format!("{PREFIX}{}", self.command);
        shlex::try_quote(&argument).map_or(argument.clone(), |quoted| quoted.into_owned())
    }
}

impl Drop for External {
    fn drop(&mut self) {
        // All are told before the first is waited for.
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.iter_mut().for_each(Process::finish);
        idle.clear();
    }
}

/// Why a process cannot be asked anything.
enum Unstarted {
    Spawn(io::Error),
    Handshake(String),
}

/// Starts a process and reads its first line.
fn introduced(
    words: &[String],
    log: Option<&File>,
    timeout: Duration,
    max_elements: usize,
) -> Result<(Process, Handshake), Unstarted> {
    let mut process = Process::start(words, log, longest_line(max_elements)).map_err(Unstarted::Spawn)?;
    let line = process.next(timeout).map_err(|failure| {
        Unstarted::Handshake(match failure {
            Failure::Broken(what) => format!("it {what} before it said who it is"),
            Failure::Late => {
                format!("it did not say who it is within {} s (--timeout)", timeout.as_secs_f64())
            }
        })
    })?;
    let handshake = Handshake::read(&line).map_err(Unstarted::Handshake)?;
    Ok((process, handshake))
}

/// The longest line that is read: base64 of the largest float64 tensor takes 11 bytes an element.
pub(crate) fn longest_line(max_elements: usize) -> usize {
    const REST: usize = 1 << 20;
    max_elements.saturating_mul(16).saturating_add(REST)
}
