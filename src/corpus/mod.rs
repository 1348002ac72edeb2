//! The corpus on disk: fixtures (what to compute) beside golden outcomes (what PyTorch made of it).
//!
//! ```text
//! fixtures/<suite>.json ─┐
//!                        ├─► Corpus::load ─► entries, validated and selected
//! golden/<suite>.json  ──┘
//! ```
//!
//! Anything wrong with a fixture, or with a golden file as a whole, is a [`Problem`] and nothing
//! is judged. A single golden outcome that cannot be read stays with its case as a [`Fault`]: the
//! other cases can still be judged, and no engine can agree with it.

mod encoding;
mod file;
mod functions;
mod heads;
mod outcome;
mod problem;
mod select;
mod spread;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

pub(crate) use encoding::Json;
pub use encoding::{LIST_LIMIT, MAX_ELEMENTS, tensor_from_json};
pub(crate) use file::{SCHEMA, id_of, parse_record, read, schema_of};
pub use file::{Torch, answer_from_json, case_from_json, parse_fixture, parse_golden};
pub use heads::{Head, heads};
pub use outcome::{Backpropagated, Golden, Outcome};
pub(crate) use problem::parse;
pub use problem::{Fault, FaultKind, Problem};
pub use select::{Filter, FilterError, Selectable};
pub use spread::{Spread, SpreadFile, parse_spread};
pub use write::{answer_to_json, case_to_json};

use crate::ops::Call;
use crate::tensor::Tensor;

/// Whether PyTorch has a function of that name.
pub(crate) fn is_function(op: &str) -> bool {
    functions::parameters(op).is_some()
}

/// One call of one op on given inputs.
#[derive(Clone, Debug)]
pub struct Case {
    /// `<suite>/<op>/<what is special>`, unique over all suites.
    pub id: String,
    /// The op and its arguments.
    pub call: Call,
    /// The backward pass, if one is asked for.
    pub backward: Option<Backward>,
    /// Words to select by.
    pub tags: Vec<String>,
    /// One line about the case.
    pub note: Option<String>,
    /// Set where the case needs a dtype that PyTorch has and this format lacks: no engine here
    /// supports it.
    pub foreign: Option<String>,
}

impl Case {
    /// First part of the id.
    pub fn suite(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Last part of the id.
    pub fn special(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

/// A backward pass: gradients of the sum of outputs times cotangents.
#[derive(Clone, Debug)]
pub struct Backward {
    /// The inputs that get a gradient.
    pub wrt: Vec<String>,
    /// One cotangent per output, `None` for one that cannot be differentiated.
    pub grad_outputs: Vec<Option<Tensor>>,
}

/// A case with what PyTorch made of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The case.
    pub case: Case,
    /// PyTorch's outcome, or what is wrong with its record.
    pub golden: Result<Golden, Fault>,
    /// The file that `golden` stands in.
    pub golden_file: Arc<Path>,
}

/// Which cases to load, and from where.
#[derive(Clone, Debug)]
pub struct Source {
    /// Folder of the fixture files.
    pub fixtures: PathBuf,
    /// Folder of the golden files.
    pub golden: PathBuf,
    /// The suites to read; empty for all.
    pub suites: Vec<String>,
    /// The cases to keep.
    pub filter: Filter,
    /// The largest number of elements that a tensor may have.
    pub max_elements: usize,
}

/// Cases ready to run.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Under what the golden files were made.
    pub torch: Torch,
    /// The selected cases, in file order, suites by name.
    pub entries: Vec<Entry>,
}

/// JSON files in the golden folder that are no suite.
const NOT_A_SUITE: [&str; 3] = ["tolerances", "accuracy", "spread"];

impl Corpus {
    /// Reads, validates and selects.
    pub fn load(source: &Source) -> Result<Corpus, Problem> {
        let suites = suites(source)?;
        let mut torch: Option<(PathBuf, Torch)> = None;
        let loaded: Vec<_> = suites.par_iter().map(|suite| load_suite(source, suite)).collect();
        let cases = loaded.iter().flatten().map(|(_, entries)| entries.len()).sum();
        let mut entries = Vec::with_capacity(cases);
        for (suite, loaded) in suites.iter().zip(loaded) {
            let (made_under, suite_entries) = loaded?;
            let path = source.golden.join(format!("{suite}.json"));
            match &torch {
                Some((first, other)) if *other != made_under => {
                    let what = format!("was made under another PyTorch than {}", first.display());
                    return Err(Problem::field(&path, "torch", what));
                }
                Some(_) => {}
                None => torch = Some((path, made_under)),
            }
            entries.extend(suite_entries);
        }
        if let Some((_, torch)) = &torch {
            spread::attach(&source.golden, torch, source.suites.is_empty(), &mut entries)?;
        }
        entries.retain(|entry| source.filter.matches(&entry.case));
        match torch {
            Some((_, torch)) if !entries.is_empty() => Ok(Corpus { torch, entries }),
            _ => Err(nothing(source)),
        }
    }
}

/// A run without cases proves nothing.
fn nothing(source: &Source) -> Problem {
    Problem::file(&source.fixtures, "the selection is empty: no case to judge")
}

/// A golden file, or all those of a folder.
#[derive(Clone, Debug)]
pub struct GoldenTree {
    /// Under what it was made.
    pub torch: Torch,
    /// Every outcome by its case's id, or what is wrong with its record.
    pub outcomes: BTreeMap<String, Result<Golden, Fault>>,
}

/// Reads a folder of golden files without their cases.
pub fn golden_tree(folder: &Path, max_elements: usize) -> Result<GoldenTree, Problem> {
    let mut tree: Option<GoldenTree> = None;
    for suite in json_files(folder)?.iter().filter(|name| !NOT_A_SUITE.contains(&name.as_str())) {
        let path = folder.join(format!("{suite}.json"));
        let file = parse_golden(&path, &read(&path)?, max_elements)?;
        match &mut tree {
            Some(tree) => tree.outcomes.extend(file.outcomes),
            None => tree = Some(file),
        }
    }
    tree.ok_or_else(|| Problem::file(folder, "holds no golden file"))
}

/// The suites to read, by name. Every suite of either folder must be in the other.
fn suites(source: &Source) -> Result<Vec<String>, Problem> {
    let fixtures = json_files(&source.fixtures)?;
    let golden: BTreeSet<String> = json_files(&source.golden)?
        .into_iter()
        .filter(|name| !NOT_A_SUITE.contains(&name.as_str()))
        .collect();
    let file = |folder: &Path, suite: &str| folder.join(format!("{suite}.json"));
    if !source.suites.is_empty() {
        let missing = source.suites.iter().find(|suite| !fixtures.contains(*suite));
        return match missing {
            Some(suite) => {
                let known: Vec<&str> = fixtures.iter().map(String::as_str).collect();
                let what = format!("no such suite; there are: {}", known.join(", "));
                Err(Problem::file(&file(&source.fixtures, suite), what))
            }
            None => Ok(fixtures.into_iter().filter(|suite| source.suites.contains(suite)).collect()),
        };
    }
    if let Some(suite) = golden.difference(&fixtures).next() {
        let what =
            format!("golden outcomes with no cases: {} is missing", file(&source.fixtures, suite).display());
        return Err(Problem::file(&file(&source.golden, suite), what));
    }
    Ok(fixtures.into_iter().collect())
}

fn json_files(folder: &Path) -> Result<BTreeSet<String>, Problem> {
    let unreadable = |error: std::io::Error| Problem::file(folder, format!("cannot be read: {error}"));
    let mut names = BTreeSet::new();
    for file in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json")
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.insert(stem.to_string());
        }
    }
    Ok(names)
}

fn load_suite(source: &Source, suite: &str) -> Result<(Torch, Vec<Entry>), Problem> {
    let fixture_path = source.fixtures.join(format!("{suite}.json"));
    let golden_file: Arc<Path> = source.golden.join(format!("{suite}.json")).into();
    let cases = parse_fixture(&fixture_path, &read(&fixture_path)?, source.max_elements)?;
    let GoldenTree { torch, mut outcomes } =
        parse_golden(&golden_file, &read(&golden_file)?, source.max_elements)?;

    let mut seen = BTreeSet::new();
    let mut entries = Vec::with_capacity(cases.len());
    for mut case in cases {
        if !seen.insert(case.id.clone()) {
            return Err(Problem::case(&fixture_path, &case.id, Fault::new("id", "two cases of one id")));
        }
        let Some(golden) = outcomes.remove(&case.id) else {
            let what = format!("a case with no golden outcome in {}", golden_file.display());
            return Err(Problem::case(&fixture_path, &case.id, Fault::new("", what)));
        };
        if let Err(Fault { kind: FaultKind::ForeignDtype, what, .. }) = &golden {
            case.foreign.get_or_insert_with(|| what.clone());
        }
        entries.push(Entry { case, golden, golden_file: golden_file.clone() });
    }
    if let Some(id) = outcomes.into_keys().next() {
        let what = format!("a golden outcome with no case in {}", fixture_path.display());
        return Err(Problem::case(&golden_file, &id, Fault::new("", what)));
    }
    Ok((torch, entries))
}
