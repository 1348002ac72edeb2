//! Real engines on the whole corpus: what the source documents say of them, and that the ledgers
//! explain every divergence.
//!
//! `cargo test --release --features candle,burn,strided --test engines`
#![cfg(all(feature = "candle", feature = "burn", feature = "strided"))]

mod common;

use common::generated::{check, table, with_parts};
use common::{compare, repository};
use torch_parity::corpus::{Corpus, Filter, MAX_ELEMENTS, Outcome, Source};
use torch_parity::engines;
use torch_parity::judge::{Judgement, Tolerances};
use torch_parity::replay::run_and_judge;
use torch_parity::tensor::Tensor;

/// A longer cell of the table is cut.
const CELL: usize = 90;

#[derive(serde::Deserialize)]
struct Documents {
    row: Vec<Row>,
}

/// What a document says of an engine, and the case in which it comes out.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    document: String,
    says: String,
    engine: String,
    case: String,
}

fn cut(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn tensor(tensor: &Tensor) -> String {
    let values: Vec<String> = tensor.scalars().take(6).map(|value| value.to_string()).collect();
    let more = if tensor.numel() > 6 { ", …" } else { "" };
    format!("{} {:?}: {}{more}", tensor.dtype(), tensor.shape(), values.join(", "))
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned { outputs, .. } => outputs.iter().map(tensor).collect::<Vec<_>>().join("; "),
        Outcome::Raised { kind, message } => format!("{kind}: {message}"),
        Outcome::Unsupported(what) => format!("unsupported: {what}"),
        Outcome::Panicked(message) => format!("panic: {message}"),
        Outcome::TimedOut(_) => "no answer".into(),
    }
}

/// The table of the README: every row that a document has, as the engines answer now.
fn documents() -> String {
    let text = std::fs::read_to_string(repository("docs/documents.toml")).unwrap();
    let documents: Documents = toml::from_str(&text).unwrap();
    let source = Source {
        fixtures: repository("fixtures"),
        golden: repository("golden"),
        suites: Vec::new(),
        filter: Filter::default(),
        max_elements: MAX_ELEMENTS,
    };
    let corpus = Corpus::load(&source).unwrap();
    let tolerances = Tolerances::load(&source.golden.join("tolerances.json")).unwrap();
    let rows = documents.row.iter().map(|row| {
        let entry = corpus.entries.iter().find(|entry| entry.case.id == row.case);
        let entry = entry.unwrap_or_else(|| panic!("no case {}", row.case));
        let engine = engines::by_name(&row.engine).unwrap_or_else(|| panic!("no engine {}", row.engine));
        let (got, judged) = run_and_judge(entry, engine.as_ref(), engine.profile(), &tolerances);
        let verdict = match &judged.verdict.judgement {
            Judgement::Parity => "parity".into(),
            Judgement::Diverges(class, _) => format!("`{}`", class.name()),
            Judgement::Unsupported(what) => panic!("{} on {}: unsupported: {what}", row.case, row.engine),
        };
        let golden = entry.golden.as_ref().unwrap();
        vec![
            row.document.clone(),
            format!("{}: {}", row.engine, row.says),
            format!("`{}`", row.case),
            cut(&outcome(&golden.outcome)),
            cut(&outcome(&got)),
            verdict,
        ]
    });
    table(&["document", "what it says", "case", "PyTorch", "the engine", "verdict"], rows)
}

#[test]
fn every_row_of_the_documents_comes_out() {
    let parts = [("documents", documents())];
    let command = "cargo test --release --features candle,burn,strided --test engines";
    check("README.md", command, |page| with_parts(page, &parts));
}

#[test]
fn every_divergence_is_explained() {
    let run = compare(&["--engine", "all", "-q"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr, "", "an engine makes noise");
}

#[test]
fn most_of_the_corpus_runs_on_candle_and_burn() {
    for name in ["candle", "burn"] {
        let run = compare(&["--engine", name, "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let summary = &report["engines"][0]["summary"];
        let count = |key: &str| summary[key].as_f64().unwrap();
        let share = 1.0 - count("unsupported") / count("cases");
        assert!(share >= 0.7, "{name} runs {:.1} % of the cases", 100.0 * share);
    }
}
