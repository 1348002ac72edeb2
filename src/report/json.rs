//! The report for programs: `--format json`, schema 1 of the format's documentation.

use serde::Serialize;

use super::Report;
use crate::corpus::{Json, Torch};
use crate::judge::Judgement;
use crate::replay::Judged;
use crate::tensor::Scalar;

#[derive(Serialize)]
struct File<'a> {
    schema: u64,
    torch: &'a Torch,
    engines: Vec<Engine<'a>>,
    status: u8,
}

#[derive(Serialize)]
struct Engine<'a> {
    name: &'a str,
    version: &'a str,
    profile: &'static str,
    summary: Summary,
    ops: Vec<Op<'a>>,
    cases: Vec<Case<'a>>,
}

#[derive(Serialize)]
struct Summary {
    cases: usize,
    parity: usize,
    known: usize,
    new: usize,
    unsupported: usize,
}

#[derive(Serialize)]
struct Op<'a> {
    op: &'a str,
    cases: usize,
    elements: usize,
    max_abs: Json,
    max_ulp: u64,
    tolerance: String,
    verdict: String,
}

#[derive(Serialize)]
struct Case<'a> {
    id: &'a str,
    op: &'a str,
    verdict: &'static str,
    max_abs: Json,
    max_ulp: u64,
    class: Option<&'static str>,
    known: Option<&'a str>,
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// The report as one line of JSON per engine's case, in one object.
pub fn render(report: &Report) -> serde_json::Result<String> {
    let engines = report
        .engines
        .iter()
        .map(|engine| {
            let counts = engine.counts();
            Engine {
                name: &engine.name,
                version: &engine.version,
                profile: engine.profile.name(),
                summary: Summary {
                    cases: counts.cases,
                    parity: counts.parity,
                    known: 0,
                    new: counts.diverge,
                    unsupported: counts.unsupported,
                },
                ops: engine
                    .ops()
                    .into_iter()
                    .map(|(op, row)| Op {
                        op,
                        cases: row.counts.cases,
                        elements: row.elements,
                        max_abs: Json(Scalar::Float(row.max_abs)),
                        max_ulp: row.max_ulp,
                        tolerance: row.tolerance(),
                        verdict: row.verdict(),
                    })
                    .collect(),
                cases: engine.cases.iter().map(case).collect(),
            }
        })
        .collect();
    let file = File { schema: 1, torch: report.torch, engines, status: report.status() as u8 };
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}

fn case<'a>(judged: &'a Judged) -> Case<'a> {
    let verdict = &judged.verdict;
    let (word, class, detail) = match &verdict.judgement {
        Judgement::Parity => ("parity", None, None),
        Judgement::Diverges(class, detail) => ("new", Some(class.name()), Some(detail.as_str())),
        Judgement::Unsupported(what) => ("unsupported", None, Some(what.as_str())),
    };
    Case {
        id: &judged.entry.case.id,
        op: &judged.entry.case.call.op,
        verdict: word,
        max_abs: Json(Scalar::Float(verdict.measured.max_abs)),
        max_ulp: verdict.measured.max_ulp,
        class,
        known: None,
        detail,
        note: verdict.note,
    }
}
