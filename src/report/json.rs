//! The reports for programs: `json`, schema 1 of the format's documentation and of
//! `docs/report.schema.json`, and `jsonl`, a line per case.

use std::io::{self, Write};
use std::path::Path;

use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

use super::accuracy::AccuracyRow;
use super::ledger::LedgerRow;
use super::model::{CaseReport, Report, SCHEMA};
use crate::corpus::{self, Problem, read};
use crate::engines::Profile;

/// Objects and arrays up to this depth have their entries on lines of their own: a case is a line.
const DEPTH: usize = 4;

/// The report as one object.
pub fn render(report: &Report) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    report.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Lines::default()))?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

#[derive(Serialize)]
struct Line<'a> {
    engine: &'a str,
    version: &'a str,
    profile: Profile,
    case: &'a CaseReport,
}

#[derive(Serialize)]
struct LedgerLine<'a> {
    engine: &'a str,
    version: &'a str,
    profile: Profile,
    ledger: &'a LedgerRow,
}

#[derive(Serialize)]
struct AccuracyLine<'a> {
    engine: &'a str,
    version: &'a str,
    profile: Profile,
    accuracy: &'a AccuracyRow,
}

/// The cases, one object a line, and after an engine's cases what is wrong with its ledger and
/// where it is less accurate than recorded.
pub fn render_lines(report: &Report) -> serde_json::Result<String> {
    let mut text = String::new();
    for engine in &report.engines {
        for case in &engine.cases {
            let (engine, version, profile) = (&engine.name, &engine.version, engine.profile);
            text += &serde_json::to_string(&Line { engine, version, profile, case })?;
            text.push('\n');
        }
        for (ledger, _) in engine.ledger_problems() {
            let (engine, version, profile) = (&engine.name, &engine.version, engine.profile);
            text += &serde_json::to_string(&LedgerLine { engine, version, profile, ledger })?;
            text.push('\n');
        }
        for (accuracy, _) in engine.accuracy_problems() {
            let (engine, version, profile) = (&engine.name, &engine.version, engine.profile);
            text += &serde_json::to_string(&AccuracyLine { engine, version, profile, accuracy })?;
            text.push('\n');
        }
    }
    Ok(text)
}

/// Reads a report that [`render`] wrote.
pub fn load(path: &Path) -> Result<Report, Problem> {
    parse(path, &read(path)?)
}

/// Reads the text of such a report; `path` is what a problem names.
pub fn parse(path: &Path, text: &str) -> Result<Report, Problem> {
    if let Some(schema) = corpus::schema_of(text).filter(|&schema| schema != SCHEMA) {
        let what = format!("a report of schema {schema}; this program reads {SCHEMA}");
        return Err(Problem::field(path, "schema", what));
    }
    corpus::parse(text)
        .map_err(|fault| Problem::field(path, fault.field, format!("not a JSON report: {}", fault.what)))
}

/// The JSON Schema of the report.
pub fn schema() -> serde_json::Result<String> {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Report>();
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// Indents the outer levels and leaves the inner ones on a line.
#[derive(Default)]
struct Lines {
    depth: usize,
    inside: bool,
}

impl Lines {
    fn line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        if self.depth > DEPTH {
            return Ok(());
        }
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b" "))
    }

    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        self.inside = false;
        writer.write_all(&[bracket])
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        let own_lines = self.depth <= DEPTH && self.inside;
        self.depth -= 1;
        if own_lines {
            self.line(writer)?;
        }
        self.inside = true;
        writer.write_all(&[bracket])
    }

    fn entry<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.inside = true;
        if !first {
            writer.write_all(b",")?;
        }
        self.line(writer)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b'[')
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b']')
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.entry(writer, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b'{')
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b'}')
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.entry(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        CompactFormatter.begin_object_value(writer)?;
        if self.depth <= DEPTH { writer.write_all(b" ") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_levels_have_lines_and_inner_ones_are_lines() {
        let value = serde_json::json!({"a": [{"b": [[1, {"c": []}], {}], "d": []}], "e": {}});
        let mut bytes = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Lines::default())).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        assert_eq!(
            text,
            "{\n \"a\": [\n  {\n   \"b\": [\n    [1,{\"c\":[]}],\n    {}\n   ],\n   \"d\": []\n  }\n ],\n \"e\": {}\n}"
        );
    }
}
