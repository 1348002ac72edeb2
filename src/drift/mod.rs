//! What changed between two golden trees (PyTorch moved) or two JSON reports (an engine moved).

mod goldens;
mod render;
mod reports;

use std::path::Path;

use anyhow::bail;

use crate::judge::Class;
use crate::report::ExitStatus;

pub use render::render;

/// One case that is another than it was.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Change {
    /// The case.
    pub id: String,
    /// In what it changed: one of the judge's classes, or a word of the reports' verdicts.
    pub class: String,
    /// What it was and what it is.
    pub detail: String,
    /// Largest |is - was|, where both are numbers.
    pub max_abs: f64,
    /// Largest distance in representable values; for reports the engine's distance from PyTorch.
    pub max_ulp: u64,
}

/// What changed for one subject: PyTorch, or an engine.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Drift {
    /// What moved, such as `PyTorch`.
    pub subject: String,
    /// Its version then.
    pub from: String,
    /// Its version now.
    pub to: String,
    /// Cases that are in both.
    pub compared: usize,
    /// Cases that are new.
    pub appeared: Vec<String>,
    /// Cases that are no more.
    pub gone: Vec<String>,
    /// Cases that changed.
    pub changed: Vec<Change>,
}

impl Drift {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.appeared.is_empty() && self.gone.is_empty() && self.changed.is_empty()
    }
}

/// Compares two golden folders, or two JSON reports.
///
/// # Errors
/// Where one is a folder and the other a file, or either cannot be read.
pub fn drift(old: &Path, new: &Path, max_elements: usize) -> anyhow::Result<Vec<Drift>> {
    match (old.is_dir(), new.is_dir()) {
        (true, true) => Ok(vec![goldens::drift(old, new, max_elements)?]),
        (false, false) => reports::drift(old, new),
        _ => bail!(
            "{} and {}: two golden folders or two JSON reports can be compared, not one of each",
            old.display(),
            new.display()
        ),
    }
}

/// Parity where nothing changed.
pub fn status(drifts: &[Drift]) -> ExitStatus {
    if drifts.iter().all(Drift::is_empty) { ExitStatus::Parity } else { ExitStatus::Drift }
}

/// The ids of one side that the other lacks, in order.
fn only_in<'a, T: 'a, U>(
    one: &'a std::collections::BTreeMap<String, T>,
    other: &std::collections::BTreeMap<String, U>,
) -> Vec<String> {
    one.keys().filter(|id| !other.contains_key(*id)).cloned().collect()
}

/// The judge's class in the words of a change: what "PyTorch" is to the judge, is the older here.
fn class(class: Class) -> String {
    match class {
        Class::ErrorExpected => "no longer raises",
        Class::ErrorUnexpected => "raises now",
        class => class.name(),
    }
    .to_string()
}
