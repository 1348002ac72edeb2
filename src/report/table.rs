//! The report for a terminal: a row per op, or a row per case in the reference page's own form.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use super::number::{c_exponent, c_shortest, thousands, ulp};
use super::{EngineReport, ExitStatus, Report};
use crate::judge::{Judgement, Rule};
use crate::replay::Judged;

/// Divergences beyond this many are counted, not printed; every other format has them all.
const SHOWN: usize = 50;

/// What the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One per op.
    Ops,
    /// One per case: `sum_dim1  n=  64 max|diff|=0.00e+00`.
    Cases,
}

/// The report as text.
pub fn render(report: &Report, rows: Rows) -> String {
    let mut text = String::new();
    for (i, engine) in report.engines.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        match rows {
            Rows::Ops => op_rows(&mut text, engine),
            Rows::Cases => case_rows(&mut text, engine),
        }
        details(&mut text, engine);
        if rows == Rows::Ops {
            let _ = writeln!(text, "{}", closing_line(report, engine));
        }
    }
    text
}

fn op_rows(text: &mut String, engine: &EngineReport) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "op",
        "cases",
        "n",
        "max|diff|",
        "max ulp",
        "tolerance",
        "verdict",
    ]);
    for (op, row) in engine.ops() {
        table.add_row([
            op.to_string(),
            thousands(row.counts.cases),
            thousands(row.elements),
            format!("{:.2e}", row.max_abs),
            ulp(row.max_ulp),
            row.tolerance(),
            row.verdict(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for number in 1..=4 {
        if let Some(column) = table.column_mut(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// `sum_dim1 n=  64 max|diff|=3.20e-06`, and a last line with the worst of them.
///
/// `n` counts the elements of the first output (of `max` along a dimension: the values), as the
/// page does; the indices beside them are judged all the same.
fn case_rows(text: &mut String, engine: &EngineReport) {
    let names: Vec<String> = engine.cases.iter().map(row_name).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut worst: f64 = 0.0;
    let mut rules: Vec<Rule> = Vec::new();
    for (name, Judged { verdict, .. }) in names.iter().zip(&engine.cases) {
        worst = worst.max(verdict.measured.max_abs);
        rules.extend(verdict.rules.iter().filter(|rule| !rules.contains(rule)).copied().collect::<Vec<_>>());
        let note = match &verdict.judgement {
            Judgement::Parity => verdict.note.unwrap_or_default(),
            Judgement::Diverges(class, _) => class.name(),
            Judgement::Unsupported(_) => "unsupported",
        };
        let line = format!(
            "{name:<width$} n={:>4} max|diff|={} {note}",
            verdict.first_elements,
            c_exponent(verdict.measured.max_abs)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let counts = engine.counts();
    let rules: Vec<String> = rules.iter().map(page_rule).collect();
    let _ = writeln!(
        text,
        "worst={} tol={} {}",
        c_exponent(worst),
        if rules.is_empty() { "-".into() } else { rules.join(", ") },
        if counts.diverge == 0 { "OK" } else { "MISMATCH" }
    );
}

/// `sum_dim1`, and `sum` for a reduction of everything, as the page names its rows.
fn row_name(judged: &Judged) -> String {
    let case = &judged.entry.case;
    match case.special() {
        "all" => case.call.op.clone(),
        special => format!("{}_{special}", case.call.op),
    }
}

fn page_rule(rule: &Rule) -> String {
    match rule {
        Rule::Near { atol, rtol: 0.0 } => c_shortest(*atol),
        rule => rule.to_string(),
    }
}

/// What diverges and what is unsupported, each with what a reader needs next.
fn details(text: &mut String, engine: &EngineReport) {
    let mut unsupported: BTreeMap<&str, usize> = BTreeMap::new();
    let mut diverging = 0;
    for Judged { entry, verdict } in &engine.cases {
        match &verdict.judgement {
            Judgement::Parity => {}
            Judgement::Unsupported(what) => *unsupported.entry(what).or_default() += 1,
            Judgement::Diverges(class, detail) => {
                diverging += 1;
                if diverging == 1 {
                    text.push('\n');
                }
                if diverging <= SHOWN {
                    let _ = writeln!(text, "DIVERGES {} [{}]: {detail}", entry.case.id, class.name());
                    if entry.golden.is_err() {
                        let _ = writeln!(text, "    in {}", entry.golden_file.display());
                    }
                }
            }
        }
    }
    if diverging > SHOWN {
        let _ = writeln!(text, "… and {} more; --format json has them all", diverging - SHOWN);
    }
    if diverging > 0 {
        let _ = writeln!(text, "One case whole: compare explain ID --engine {}\n", engine.name);
    }
    if !unsupported.is_empty() {
        let _ = writeln!(text, "\nUnsupported by {}:", engine.name);
        for (what, count) in unsupported {
            let _ = writeln!(text, "{count:>6}  {what}");
        }
    }
}

fn closing_line(report: &Report, engine: &EngineReport) -> String {
    let counts = engine.counts();
    let worst = engine.ops().into_iter().max_by(|(_, a), (_, b)| a.max_ulp.cmp(&b.max_ulp));
    let worst = match worst {
        Some((op, row)) if row.max_ulp > 0 => format!("worst {} ulp ({op})", ulp(row.max_ulp)),
        _ => "worst 0 ulp".into(),
    };
    let verdict = match report.status() {
        _ if counts.diverge > 0 => "DRIFT",
        ExitStatus::CannotJudge => "NOTHING JUDGED",
        _ => "OK",
    };
    format!(
        "{} {} · {} cases · {} parity · {} diverge · {} unsupported · {worst} · PyTorch {} {} · {verdict}",
        engine.name,
        engine.version,
        thousands(counts.cases),
        thousands(counts.parity),
        thousands(counts.diverge),
        thousands(counts.unsupported),
        report.torch.version,
        report.torch.cpu_capability,
    )
}
