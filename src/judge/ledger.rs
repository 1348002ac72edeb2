//! `golden/known/<engine>.toml`: in what an engine is known to differ from PyTorch, and why.
//!
//! ```toml
//! [[known]]
//! select = "op:argmax and nan"
//! engine = "=0.11.0"
//! class = "index"
//! why = "…"
//! source = "…"
//! ```
//!
//! An entry explains the cases that it selects, for the versions that it is about, where they
//! diverge in its class. Several entries may select one case; the first of its class explains it.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use semver::{Version, VersionReq};
use serde::Deserialize as _;

use super::verdict::{Class, Judgement, Verdict};
use crate::corpus::{Case, Fault, Filter, Problem};

/// What is known about an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Where it stands, or would stand.
    pub file: PathBuf,
    /// Its entries, in order.
    pub entries: Vec<Known>,
}

/// One known divergence.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The cases that it is about, as it stands in the file.
    pub select: String,
    /// The same, to match with.
    pub filter: Filter,
    /// The versions of the engine that it is about.
    pub engine: VersionReq,
    /// In what they diverge.
    pub class: Class,
    /// The largest distance in representable values that was measured, if one is recorded.
    pub max_ulp: Option<u64>,
    /// The largest |a - b| that was measured, if one is recorded.
    pub max_abs: Option<f64>,
    /// The reason, one sentence.
    pub why: String,
    /// Where that is said: a document, an issue, the engine's own source.
    pub source: String,
}

/// What a ledger makes of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// For each case the position of the entry that explains its divergence.
    pub explained: Vec<Option<usize>>,
    /// What became of each entry's cases.
    pub tallies: Vec<Tally>,
}

/// What became of the cases that an entry selects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Whether it is about this version of the engine; if not, nothing is counted.
    pub applies: bool,
    /// How many cases of the run it selects.
    pub cases: usize,
    /// How many of them the engine does not support.
    pub unsupported: usize,
    /// How many diverge in its class.
    pub explained: usize,
    /// How many diverge in which other class.
    pub otherwise: BTreeMap<Class, usize>,
    /// Largest distance in representable values among those that it explains.
    pub max_ulp: u64,
    /// Largest |a - b| among those.
    pub max_abs: f64,
}

/// An entry as it stands in the file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawKnown {
    select: String,
    engine: String,
    class: String,
    max_ulp: Option<u64>,
    max_abs: Option<f64>,
    why: String,
    source: String,
}

impl Ledger {
    /// Where an engine's ledger stands, in a folder of golden files.
    pub fn path(golden: &Path, engine: &str) -> PathBuf {
        golden.join("known").join(format!("{engine}.toml"))
    }

    /// Reads an engine's ledger. Where there is none, nothing is known.
    pub fn load(golden: &Path, engine: &str) -> Result<Ledger, Problem> {
        let file = Ledger::path(golden, engine);
        match std::fs::read_to_string(&file) {
            Ok(text) => Ledger::parse(&file, &text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ledger { file, entries: Vec::new() }),
            Err(error) => Err(Problem::file(&file, format!("cannot be read: {error}"))),
        }
    }

    /// Reads the text of a ledger.
    pub fn parse(file: &Path, text: &str) -> Result<Ledger, Problem> {
        let mut table: toml::Table = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            Problem::file(file, format!("not TOML: {line}{}", error.message()))
        })?;
        let known = table.remove("known");
        if let Some(key) = table.keys().next() {
            return Err(Problem::file(file, format!("unknown key '{key}'; entries stand under [[known]]")));
        }
        let raw = match known {
            None => Vec::new(),
            Some(toml::Value::Array(raw)) => raw,
            Some(_) => return Err(Problem::file(file, "'known' is no list of entries: write [[known]]")),
        };
        let entry = |(i, raw)| {
            entry(raw).map_err(|fault: Fault| Problem::case(file, &format!("entry {}", i + 1), fault))
        };
        let entries = raw.into_iter().enumerate().map(entry).collect::<Result<_, _>>()?;
        Ok(Ledger { file: file.to_path_buf(), entries })
    }

    /// Looks for the divergences of a run of that version of the engine.
    pub fn read(&self, version: &str, cases: &[(&Case, &Verdict)]) -> Reading {
        let release = release(version);
        let read: Vec<(Tally, Vec<usize>)> =
            self.entries.par_iter().map(|known| known.tally(release.as_ref(), cases)).collect();
        let mut reading = Reading { explained: vec![None; cases.len()], tallies: Vec::new() };
        for (entry, (tally, explained)) in read.into_iter().enumerate() {
            for case in explained {
                reading.explained[case].get_or_insert(entry);
            }
            reading.tallies.push(tally);
        }
        reading
    }
}

impl Known {
    /// Whether it is about that version; one that is no version is met by `*` alone.
    fn is_about(&self, release: Option<&Version>) -> bool {
        self.engine == VersionReq::STAR || release.is_some_and(|release| self.engine.matches(release))
    }

    /// Counts its cases, and tells which it explains.
    fn tally(&self, release: Option<&Version>, cases: &[(&Case, &Verdict)]) -> (Tally, Vec<usize>) {
        let mut tally = Tally { applies: self.is_about(release), ..Tally::default() };
        let mut explained = Vec::new();
        if !tally.applies {
            return (tally, explained);
        }
        for (i, (case, verdict)) in cases.iter().enumerate() {
            if !self.filter.matches(*case) {
                continue;
            }
            tally.cases += 1;
            match &verdict.judgement {
                Judgement::Parity => {}
                Judgement::Unsupported(_) => tally.unsupported += 1,
                Judgement::Diverges(class, _) if *class == self.class => {
                    tally.explained += 1;
                    tally.max_ulp = tally.max_ulp.max(verdict.measured.max_ulp);
                    tally.max_abs = tally.max_abs.max(verdict.measured.max_abs);
                    explained.push(i);
                }
                Judgement::Diverges(class, _) => *tally.otherwise.entry(*class).or_default() += 1,
            }
        }
        (tally, explained)
    }
}

/// The version inside an engine's version text, which may say more: `model of candle-core 0.11.0`.
pub(crate) fn release(version: &str) -> Option<Version> {
    version.split_whitespace().find_map(|word| Version::parse(word).ok())
}

fn entry(raw: toml::Value) -> Result<Known, Fault> {
    let mut track = serde_path_to_error::Track::new();
    let reader = serde_path_to_error::Deserializer::new(raw, &mut track);
    let raw = RawKnown::deserialize(reader).map_err(|error| {
        let field = track.path().to_string();
        Fault::new(if field == "." { String::new() } else { field }, error.message())
    })?;
    let fault = |field: &str, what: String| Fault::new(field, what);
    let filter =
        raw.select.parse().map_err(|error: crate::corpus::FilterError| fault("select", error.to_string()))?;
    let engine = VersionReq::parse(&raw.engine)
        .map_err(|error| fault("engine", format!("'{}' is no range of versions: {error}", raw.engine)))?;
    let class = Class::of_name(&raw.class).ok_or_else(|| {
        let all = Class::ALL.map(Class::name).join(", ");
        fault("class", format!("'{}' is none of {all}", raw.class))
    })?;
    if raw.max_abs.is_some_and(|size| size.is_nan() || size < 0.0) {
        return Err(fault("max_abs", "a size is a number that is not negative".into()));
    }
    for (field, text) in [("why", &raw.why), ("source", &raw.source)] {
        if text.trim().is_empty() {
            return Err(fault(field, "is empty".into()));
        }
    }
    let RawKnown { select, max_ulp, max_abs, why, source, .. } = raw;
    Ok(Known { select, filter, engine, class, max_ulp, max_abs, why, source })
}

#[cfg(test)]
mod tests {
    use super::super::compare::Measured;
    use super::*;
    use crate::ops::Call;

    const ENTRY: &str = r#"[[known]]
select = "op:sum"
engine = ">=0.11.0, <0.12.0"
class = "value"
max_abs = 1e-5
why = "It adds in another order."
source = "its documentation"
"#;

    fn ledger(text: &str) -> Ledger {
        Ledger::parse(Path::new("x.toml"), text).unwrap()
    }

    /// What is said of the second of two entries, in which one place reads otherwise.
    fn refused(from: &str, to: &str) -> String {
        assert!(ENTRY.contains(from));
        let text = format!("{ENTRY}\n{}", ENTRY.replace(from, to));
        Ledger::parse(Path::new("x.toml"), &text).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_named_with_file_entry_and_field() {
        insta::assert_snapshot!(
            [
                refused("op:sum", "op:sum and"),
                refused(">=0.11.0, <0.12.0", "eleven"),
                refused("\"value\"", "\"values\""),
                refused("It adds in another order.", " "),
                refused("its documentation", ""),
                refused("why = ", "whence = "),
                refused("why = \"It adds in another order.\"\n", ""),
                refused("1e-5", "-1.0"),
                refused("1e-5", "nan"),
                refused("1e-5", "\"small\""),
                refused("\"value\"", "7"),
                refused("max_abs = 1e-5", "max_ulp = -1"),
                refused("[[known]]", "[[knwon]]"),
                refused("why = ", "why "),
            ]
            .join("\n"),
            @r#"
        x.toml: entry 2: select: -k: a term is missing at column 11 of 'op:sum and'
        x.toml: entry 2: engine: 'eleven' is no range of versions: unexpected character 'e' while parsing major version number
        x.toml: entry 2: class: 'values' is none of value, nan, dtype, shape, index, gradient, gradient-missing, gradient-unexpected, error-expected, error-unexpected, message, warning, panic, timeout
        x.toml: entry 2: why: is empty
        x.toml: entry 2: source: is empty
        x.toml: entry 2: whence: unknown field `whence`, expected one of `select`, `engine`, `class`, `max_ulp`, `max_abs`, `why`, `source`
        x.toml: entry 2: missing field `why`
        x.toml: entry 2: max_abs: a size is a number that is not negative
        x.toml: entry 2: max_abs: a size is a number that is not negative
        x.toml: entry 2: max_abs: invalid type: string "small", expected f64
        x.toml: entry 2: class: invalid type: integer `7`, expected a string
        x.toml: entry 2: max_ulp: invalid value: integer `-1`, expected u64
        x.toml: unknown key 'knwon'; entries stand under [[known]]
        x.toml: not TOML: line 14: key with no value, expected `=`
        "#
        );
    }

    #[test]
    fn an_empty_file_knows_nothing() {
        assert_eq!(ledger("# nothing\n").entries, []);
        let missing = Ledger::load(Path::new("no/such/folder"), "x").unwrap();
        assert_eq!((missing.entries.len(), missing.file), (0, "no/such/folder/known/x.toml".into()));
    }

    fn case(id: &str) -> Case {
        let op = id.split('/').nth(1).unwrap_or_default().to_string();
        let call = Call { op, args: Default::default() };
        Case { id: id.into(), call, backward: None, tags: Vec::new(), note: None, foreign: None }
    }

    fn verdict(judgement: Judgement, max_ulp: u64) -> Verdict {
        let measured = Measured { max_ulp, max_abs: max_ulp as f64 / 8.0, ..Measured::default() };
        Verdict { judgement, measured, first_elements: 1, rules: Vec::new(), decided: Vec::new(), note: None }
    }

    fn diverges(class: Class, ulp: u64) -> Verdict {
        verdict(Judgement::Diverges(class, "so".into()), ulp)
    }

    fn read(text: &str, version: &str, run: &[(&str, Verdict)]) -> Reading {
        let cases: Vec<Case> = run.iter().map(|(id, _)| case(id)).collect();
        let cases: Vec<_> = cases.iter().zip(run).map(|(case, (_, verdict))| (case, verdict)).collect();
        ledger(text).read(version, &cases)
    }

    #[test]
    fn the_first_entry_of_the_class_explains() {
        let nan = ENTRY.replace("\"value\"", "\"nan\"");
        let run = [
            ("s/sum/a", diverges(Class::Value, 3)),
            ("s/sum/b", diverges(Class::Nan, 1)),
            ("s/sum/c", diverges(Class::Dtype, 0)),
            ("s/sum/d", verdict(Judgement::Parity, 9)),
            ("s/sum/e", verdict(Judgement::Unsupported("no".into()), 0)),
            ("s/max/f", diverges(Class::Value, 100)),
        ];
        let reading = read(&format!("{nan}{ENTRY}{ENTRY}"), "0.11.3", &run);
        assert_eq!(reading.explained, [Some(1), Some(0), None, None, None, None]);
        let tally = &reading.tallies[1];
        assert_eq!((tally.cases, tally.unsupported, tally.explained), (5, 1, 1));
        assert_eq!((tally.max_ulp, tally.max_abs), (3, 0.375), "of what it explains alone");
        assert_eq!(tally.otherwise, [(Class::Nan, 1), (Class::Dtype, 1)].into());
        assert_eq!(reading.tallies[2], *tally, "a later entry counts its cases too");
    }

    #[test]
    fn an_entry_is_about_its_versions_alone() {
        let run = [("s/sum/a", diverges(Class::Value, 3))];
        let explained = |text: &str, version: &str| read(text, version, &run).explained[0].is_some();
        assert!(explained(ENTRY, "0.11.0") && explained(ENTRY, "model of candle-core 0.11.2"));
        assert!(!explained(ENTRY, "0.12.0") && !explained(ENTRY, "0.10.2") && !explained(ENTRY, "nightly"));
        assert!(!read(ENTRY, "0.12.0", &run).tallies[0].applies);
        let any = ENTRY.replace(">=0.11.0, <0.12.0", "*");
        assert!(explained(&any, "nightly") && explained(&any, "3.0.0-rc.1"));
    }

    #[test]
    fn classes_have_names_of_their_own() {
        for class in Class::ALL {
            assert_eq!(Class::of_name(class.name()), Some(class));
        }
        assert_eq!(Class::of_name("parity"), None);
    }
}
