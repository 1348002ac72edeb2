//! `golden/accuracy.json`: the largest error of each engine inside its tolerances, per op, part
//! and dtype, so that an engine that gets worse is noticed before a tolerance is exceeded.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tolerance::Part;
use crate::corpus::{Problem, is_function, parse_record, read};
use crate::tensor::DType;

/// How many times as large as recorded an error may be: results of real engines depend on the
/// machine's vectors, which decide the order of sums.
const SLACK: u64 = 2;

/// What an error is recorded for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The op's name.
    pub op: String,
    /// What of it.
    pub part: Part,
    /// The dtype of the tensors.
    pub dtype: String,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.op, self.part.name(), self.dtype)
    }
}

/// The largest errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Largest {
    /// In representable values.
    pub ulp: u64,
    /// |a - b|.
    pub abs: f64,
}

impl Largest {
    /// Whether it is more than twice as large. Either measure alone may be: ULPs say nothing of a
    /// result that cancels, and |a - b| nothing of a small one.
    pub(crate) fn exceeds(self, recorded: Largest) -> bool {
        self.ulp > recorded.ulp.saturating_mul(SLACK) && self.abs > recorded.abs * SLACK as f64
    }

    /// The larger of both in each measure.
    pub(crate) fn or(self, other: Largest) -> Largest {
        Largest { ulp: self.ulp.max(other.ulp), abs: self.abs.max(other.abs) }
    }
}

impl fmt::Display for Largest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ulp ({:.2e})", self.ulp, self.abs)
    }
}

/// An engine's errors; an op, part and dtype without one is exact.
pub type Errors = BTreeMap<Kind, Largest>;

/// The recorded errors of all engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// Where they stand.
    pub file: PathBuf,
    /// Those of each engine that the file knows; none where there is no file.
    pub engines: Option<BTreeMap<String, Errors>>,
}

/// One line of the file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    op: String,
    part: Part,
    dtype: String,
    ulp: u64,
    abs: f64,
}

impl Accuracy {
    /// Reads the file of a golden folder, if there is one.
    pub fn load(golden: &Path) -> Result<Accuracy, Problem> {
        let path = golden.join("accuracy.json");
        if path.exists() {
            Accuracy::parse(&path, &read(&path)?)
        } else {
            Ok(Accuracy { file: path, engines: None })
        }
    }

    /// Reads the text of the file; `path` is what a problem names.
    pub fn parse(path: &Path, text: &str) -> Result<Accuracy, Problem> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(rename = "schema")]
            _schema: u64,
            engines: BTreeMap<String, Vec<Line>>,
        }
        let file: File = parse_record(path, text)?;
        let mut engines = BTreeMap::new();
        for (engine, lines) in file.engines {
            let mut errors = Errors::new();
            for (i, line) in lines.into_iter().enumerate() {
                let fail = |field: &str, what: String| {
                    Problem::field(path, format!("engines.{engine}[{i}]{field}"), what)
                };
                let Line { op, part, dtype, ulp, abs } = line;
                if !is_function(&op) {
                    return Err(fail(".op", format!("PyTorch has no function '{op}'")));
                }
                if DType::from_name(&dtype).is_none() {
                    return Err(fail(".dtype", format!("unknown dtype '{dtype}'")));
                }
                if ulp == 0 || abs < 0.0 {
                    return Err(fail("", "no error: what is exact is left out".into()));
                }
                let kind = Kind { op, part, dtype };
                let said = kind.to_string();
                if errors.insert(kind, Largest { ulp, abs }).is_some() {
                    return Err(fail("", format!("{said} is there twice")));
                }
            }
            engines.insert(engine, errors);
        }
        Ok(Accuracy { file: path.to_path_buf(), engines: Some(engines) })
    }

    /// The errors of an engine that the file knows.
    pub fn of(&self, engine: &str) -> Option<&Errors> {
        self.engines.as_ref()?.get(engine)
    }

    /// Records what was measured of an engine, and says what changed. A run of less than the whole
    /// corpus only raises what is said of a known engine: of the rest nothing is known. Without a
    /// file nothing is recorded.
    pub(crate) fn record(&mut self, engine: &str, measured: &Errors, whole: bool) -> Vec<String> {
        let Some(engines) = &mut self.engines else { return Vec::new() };
        if !whole && !engines.contains_key(engine) {
            return Vec::new();
        }
        let old = engines.remove(engine).unwrap_or_default();
        let mut new = if whole { Errors::new() } else { old.clone() };
        for (kind, &largest) in measured {
            let kept = new.get(kind).copied().unwrap_or_default();
            new.insert(kind.clone(), largest.or(kept));
        }
        let mut changes = Vec::new();
        for kind in old.keys().chain(new.keys().filter(|kind| !old.contains_key(kind))) {
            let change = match (old.get(kind), new.get(kind)) {
                (Some(was), Some(is)) if was == is => continue,
                (Some(was), Some(is)) if is.ulp > was.ulp || is.abs > was.abs => {
                    format!("raised, {was} → {is}")
                }
                (Some(was), Some(is)) => format!("lowered, {was} → {is}"),
                (Some(was), None) => format!("gone, was {was}"),
                (None, Some(is)) => format!("new, {is}"),
                (None, None) => continue,
            };
            changes.push(format!("{engine} {kind}: {change}"));
        }
        engines.insert(engine.to_string(), new);
        changes
    }

    /// The text of the file: a line per error, in order.
    pub(crate) fn text(&self) -> serde_json::Result<String> {
        let mut engines = Vec::new();
        for (engine, errors) in self.engines.iter().flatten() {
            let line = |(Kind { op, part, dtype }, &Largest { ulp, abs }): (&Kind, &Largest)| {
                let (op, part, dtype) = (op.clone(), *part, dtype.clone());
                serde_json::to_string(&Line { op, part, dtype, ulp, abs })
            };
            let lines = errors.iter().map(line).collect::<serde_json::Result<Vec<_>>>()?;
            let lines = if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join(",\n")) };
            engines.push(format!("{}:[{lines}]", serde_json::to_string(engine)?));
        }
        Ok(format!("{{\"schema\":1,\"engines\":{{\n{}\n}}}}\n", engines.join(",\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(list: &[(&str, u64, f64)]) -> Errors {
        let kind = |op: &str| Kind { op: op.into(), part: Part::Outputs, dtype: "float32".into() };
        list.iter().map(|&(op, ulp, abs)| (kind(op), Largest { ulp, abs })).collect()
    }

    #[test]
    fn both_measures_have_to_be_more_than_twice_as_large() {
        let exceeds = |ulp, abs| Largest { ulp, abs }.exceeds(Largest { ulp: 2, abs: 0.5 });
        assert!(exceeds(5, 1.1));
        assert!(!exceeds(4, 9.0) && !exceeds(9, 1.0));
        assert!(exceeds(u64::MAX, f64::INFINITY));
        assert!(!Largest { ulp: u64::MAX, abs: 9.0 }.exceeds(Largest { ulp: u64::MAX, abs: 1.0 }));
    }

    #[test]
    fn a_whole_run_records_all_and_a_part_only_raises() {
        let mut accuracy = Accuracy { file: PathBuf::new(), engines: Some(BTreeMap::new()) };
        let first = errors(&[("cos", 1, 0.5), ("sin", 2, 0.5), ("tan", 3, 0.5)]);
        assert_eq!(accuracy.record("native", &first, false), Vec::<String>::new(), "a new engine");
        assert_eq!(accuracy.of("native"), None);
        assert_eq!(accuracy.record("native", &first, true).len(), 3);
        assert_eq!(accuracy.record("native", &first, true), Vec::<String>::new());
        let part = errors(&[("cos", 2, 0.25), ("sin", 1, 0.5)]);
        let changes = accuracy.record("native", &part, false);
        assert_eq!(changes, ["native cos outputs float32: raised, 1 ulp (5.00e-1) → 2 ulp (5.00e-1)"]);
        let whole = errors(&[("cos", 2, 0.5), ("sin", 1, 0.5)]);
        assert_eq!(
            accuracy.record("native", &whole, true),
            [
                "native sin outputs float32: lowered, 2 ulp (5.00e-1) → 1 ulp (5.00e-1)",
                "native tan outputs float32: gone, was 3 ulp (5.00e-1)",
            ]
        );
        assert_eq!(accuracy.of("native"), Some(&whole));
    }

    #[test]
    fn is_read_as_it_was_written_and_absent_where_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut absent = Accuracy::load(folder.path()).unwrap();
        assert_eq!(absent.record("native", &errors(&[("cos", 1, 0.5)]), true), Vec::<String>::new());
        assert_eq!(absent.engines, None);
        let mut accuracy = Accuracy { engines: Some(BTreeMap::new()), ..absent };
        accuracy.record("native", &errors(&[("cos", 1, 1e-300), ("sin", 1, 0.1)]), true);
        accuracy.record("exact", &Errors::new(), true);
        std::fs::write(&accuracy.file, accuracy.text().unwrap()).unwrap();
        assert_eq!(Accuracy::load(folder.path()).unwrap(), accuracy);
        insta::assert_snapshot!(accuracy.text().unwrap(), @r#"
        {"schema":1,"engines":{
        "exact":[],
        "native":[
        {"op":"cos","part":"outputs","dtype":"float32","ulp":1,"abs":1e-300},
        {"op":"sin","part":"outputs","dtype":"float32","ulp":1,"abs":0.1}
        ]
        }}
        "#);
    }
}
