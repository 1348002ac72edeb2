//! The generated parts of the documentation are what the program prints now.
//!
//! To bring them up to date: `TORCH_PARITY_BLESS=1 cargo test --test readme`.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use common::generated::{check, part, refuses_edits, table, with_parts};
use common::{Scratch, compare, repository};
use serde_json::Value;

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("*")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn rules() -> Vec<Value> {
    let text = std::fs::read_to_string(repository("golden/tolerances.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    list(&file, "rules").to_vec()
}

/// A rule as it stands in the file, without quotes.
fn bound(rule: &Value) -> String {
    format!("`{}`", rule["rule"].to_string().replace('"', ""))
}

fn names(rule: &Value, key: &str) -> String {
    text(rule, key).replace('|', ", ")
}

/// What the native engine is not held to equal bits in.
fn inexact() -> String {
    let exact = serde_json::json!({"exact": true});
    let rows = rules().into_iter().filter(|rule| rule["engine"] == "native" && rule["rule"] != exact);
    let rows = rows.map(|rule| {
        vec![names(&rule, "op"), names(&rule, "dtype"), bound(&rule), text(&rule, "why").to_string()]
    });
    table(&["op", "dtype", "rule", "why"], rows)
}

/// The rules of other engines.
fn tolerances() -> String {
    let rows = rules().into_iter().filter(|rule| rule["engine"] != "native");
    let rows = rows.map(|rule| {
        vec![
            names(&rule, "profile"),
            names(&rule, "op"),
            names(&rule, "dtype"),
            bound(&rule),
            text(&rule, "why").to_string(),
        ]
    });
    table(&["profile", "op", "dtype", "rule", "why"], rows)
}

/// The suites: how many cases and ops, and how many of the cases are errors.
fn suites(report: &Value) -> String {
    let mut suites: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for case in list(&report["engines"][0], "cases") {
        let suite = text(case, "id").split('/').next().unwrap_or_default();
        let (cases, ops) = suites.entry(suite).or_default();
        *cases += 1;
        *ops.entry(text(case, "op")).or_default() += 1;
    }
    let rows = suites.into_iter().map(|(suite, (cases, ops))| {
        vec![format!("`{suite}`"), cases.to_string(), ops.len().to_string(), about(suite).to_string()]
    });
    table(&["suite", "cases", "ops", "what"], rows)
}

/// First line of the generator's description, without the suite's name.
fn about(suite: &str) -> String {
    // Where Python has a module of the suite's name, the generator's has another.
    let own = repository(&format!("python/{suite}.py"));
    let path = if own.exists() { own } else { repository(&format!("python/{suite}_suite.py")) };
    let source = std::fs::read_to_string(path).unwrap();
    let line = source.lines().next().unwrap_or_default().trim_start_matches("\"\"\"");
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    line.trim_end_matches("\"\"\"").trim_end_matches('.').to_string()
}

/// Every op of the corpus: how it was covered and how it came out.
fn ops(report: &Value) -> String {
    let mut rows: Vec<&Value> = list(&report["engines"][0], "ops").iter().collect();
    rows.sort_by_key(|row| text(row, "op"));
    let mut page = String::from(
        "# Ops\n\nEvery PyTorch function that the corpus has cases of, and how the native engine came out. Generated \
         from a run by\n`TORCH_PARITY_BLESS=1 cargo test --test readme`.\n\n",
    );
    let cells = |row: &&Value| {
        let rule = text(row, "tolerance");
        vec![
            format!("`{}`", text(row, "op")),
            row["cases"].to_string(),
            row["elements"].to_string(),
            format!("{:.1e}", row["max_abs"].as_f64().unwrap_or(f64::INFINITY)),
            if rule == "-" { "errors only".into() } else { rule.to_string() },
            text(row, "verdict").to_string(),
        ]
    };
    let count = rows.len();
    page += &table(
        &["op", "cases", "elements", "largest difference", "tolerance", "verdict"],
        rows.iter().map(cells),
    );
    let _ = writeln!(page, "\n{count} functions.");
    page
}

fn fenced(text: &str) -> String {
    format!("```text\n{text}```\n")
}

/// A run whose golden file claims that 1 + 2 is 3.5.
fn divergence() -> String {
    let scratch = Scratch::with_one_case();
    scratch.replace("golden/s.json", "[3.0]", "[3.5]");
    let run = scratch.compare(&["--format", "table", "-k", "op:sum"]);
    assert_eq!(run.status, 1);
    fenced(&run.stdout)
}

#[test]
fn generated_parts_are_current() {
    let report: Value = serde_json::from_str(&compare(&["--format", "json"]).stdout).unwrap();
    let parts = [
        ("run", fenced(&compare(&["-q"]).stdout)),
        ("suites", suites(&report)),
        ("page", fenced(&compare(&["--suite", "red_ref", "-k", "dim1"]).stdout)),
        ("divergence", divergence()),
        ("inexact", inexact()),
        ("tolerances", tolerances()),
    ];
    let readme = |page: &str| with_parts(page, &parts);
    check("README.md", "cargo test --test readme", readme);
    check("docs/ops.md", "cargo test --test readme", |_| ops(&report));

    let page = std::fs::read_to_string(repository("README.md")).unwrap();
    let places = parts.each_ref().map(|(name, _)| part(&page, name).unwrap());
    refuses_edits("README.md", &places, readme);
    let whole = 0..std::fs::metadata(repository("docs/ops.md")).unwrap().len() as usize;
    refuses_edits("docs/ops.md", &[whole], |_| ops(&report));
}
