//! The report for a terminal: a row per op, or a row per case in the reference page's own form.
//!
//! It is coloured with ANSI escapes; [`plain`] takes them out again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};

use super::matrix;
use super::model::{CaseReport, Counts, EngineReport, Report, Word};
use super::number::{c_exponent, c_shortest, thousands, ulp};
use crate::judge::Rule;

/// Divergences beyond this many are counted, not printed; the JSON report has them all.
const SHOWN: usize = 50;

pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const UNSURE: Style = AnsiColor::Yellow.on_default();
pub(super) const HEAD: Style = Style::new().bold();

/// What the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One per op.
    Ops,
    /// One per case: `sum_dim1  n=  64 max|diff|=0.00e+00`.
    Cases,
}

/// The report as text. Of several engines it is a table of ops by engines, whatever the rows.
pub fn render(report: &Report, rows: Rows) -> String {
    if report.engines.len() > 1 {
        return matrix::render(report);
    }
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
            let _ = writeln!(text, "{}", coloured_closing_line(report, engine));
        }
    }
    text
}

/// The closing lines alone, one per engine.
pub fn summary(report: &Report) -> String {
    report.engines.iter().map(|engine| coloured_closing_line(report, engine) + "\n").collect()
}

/// A text without its colours.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

pub(super) fn paint(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Text from elsewhere, in which nothing steers a terminal, and whose further lines start with a
/// bar: a CI system must not take one for a command.
fn visible(text: &str) -> String {
    let escape = |c: char| match c {
        '\n' => "\n    | ".to_string(),
        '\t' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    if text.chars().any(char::is_control) { text.chars().map(escape).collect() } else { text.into() }
}

fn style_of(counts: Counts) -> Style {
    match counts {
        Counts { new: 1.., .. } => BAD,
        Counts { known: 0, unsupported: 0, .. } => GOOD,
        _ => UNSURE,
    }
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
    for row in &engine.ops {
        table.add_row([
            row.op.clone(),
            thousands(row.cases),
            thousands(row.elements),
            format!("{:.2e}", row.max_abs.to_f64()),
            ulp(row.max_ulp),
            row.tolerance.clone(),
            row.verdict.clone(),
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
    // The layout counts letters, so the verdicts at the ends of lines get their colours now.
    let mut rows = engine.ops.iter();
    for (i, line) in table.lines().enumerate() {
        let line = line.trim_end();
        let line = match rows.as_slice().first() {
            _ if i == 0 => paint(line, HEAD),
            Some(row) => match line.strip_suffix(row.verdict.as_str()) {
                Some(start) => {
                    rows.next();
                    format!("{start}{}", paint(&row.verdict, style_of(row.counts)))
                }
                None => line.to_string(),
            },
            None => line.to_string(),
        };
        let _ = writeln!(text, "{line}");
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
    for (name, case) in names.iter().zip(&engine.cases) {
        worst = worst.max(case.max_abs.to_f64());
        rules.extend(case.rules.iter().filter(|rule| !rules.contains(rule)).copied().collect::<Vec<_>>());
        let note = match case.verdict {
            Word::Parity => case.note.as_ref().map_or_else(String::new, |note| format!(" {note}")),
            Word::Unsupported => format!(" {}", paint("unsupported", UNSURE)),
            Word::Known => format!(" {}", paint("known", UNSURE)),
            Word::New => format!(" {}", paint(case.class.as_deref().unwrap_or("divergence"), BAD)),
        };
        let (n, diff) = (case.first_elements, c_exponent(case.max_abs.to_f64()));
        let _ = writeln!(text, "{name:<width$} n={n:>4} max|diff|={diff}{note}");
    }
    let rules: Vec<String> = rules.iter().map(page_rule).collect();
    let verdict = if engine.drifts() { paint("MISMATCH", BAD) } else { paint("OK", GOOD) };
    let tolerance = if rules.is_empty() { "-".into() } else { rules.join(", ") };
    let _ = writeln!(text, "worst={} tol={tolerance} {verdict}", c_exponent(worst));
}

/// `sum_dim1`, and `sum` for a reduction of everything, as the page names its rows.
fn row_name(case: &CaseReport) -> String {
    match case.special() {
        "all" => case.op.clone(),
        special => format!("{}_{special}", case.op),
    }
}

fn page_rule(rule: &Rule) -> String {
    match rule {
        Rule::Near { atol, rtol: 0.0 } => c_shortest(*atol),
        rule => rule.to_string(),
    }
}

/// What diverges, what is wrong with the ledger and what is unsupported, each with what a reader
/// needs next.
pub(super) fn details(text: &mut String, engine: &EngineReport) {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unsupported: BTreeMap<&str, usize> = BTreeMap::new();
    let mut diverging = 0;
    for case in &engine.cases {
        let detail = case.detail.as_deref().unwrap_or_default();
        match case.verdict {
            Word::Parity => {}
            Word::Unsupported => *unsupported.entry(detail).or_default() += 1,
            Word::Known => *known.entry(case.known.as_deref().unwrap_or(detail)).or_default() += 1,
            Word::New => {
                diverging += 1;
                if diverging == 1 {
                    text.push('\n');
                }
                if diverging <= SHOWN {
                    let class = case.class.as_deref().unwrap_or("divergence");
                    let (word, detail) = (paint("DIVERGES", BAD), visible(detail));
                    let _ = writeln!(text, "{word} {} [{class}]: {detail}", case.id);
                    if let Some(file) = &case.damaged {
                        let _ = writeln!(text, "    in {file}");
                    }
                }
            }
        }
    }
    if diverging > SHOWN {
        let _ = writeln!(text, "… and {} more; --format json has them all", diverging - SHOWN);
    }
    if diverging > 0 {
        let _ = writeln!(text, "One case whole: compare explain ID --engine {}", engine.argument());
    }
    ledger(text, engine);
    accuracy(text, engine);
    if diverging > 0 && known.is_empty() && unsupported.is_empty() {
        text.push('\n');
    }
    for (title, reasons) in [("Known to diverge on", known), ("Unsupported by", unsupported)] {
        if !reasons.is_empty() {
            let _ = writeln!(text, "\n{title} {}:", engine.name);
        }
        for (what, count) in reasons {
            let _ = writeln!(text, "{count:>6}  {}", visible(what));
        }
    }
}

/// Entries of the ledger that are not as they say, and those that are about other versions.
fn ledger(text: &mut String, engine: &EngineReport) {
    let wrong = engine.ledger_problems();
    if wrong.clone().next().is_some() {
        let _ = writeln!(text, "\nWrong in the ledger of {}:", engine.name);
    }
    for (row, problem) in wrong {
        let word = paint(problem.fault.name(), BAD);
        let (select, what) = (visible(&row.select), visible(&problem.what));
        let _ = writeln!(text, "    entry {} [{word}] {select}: {what}", row.entry);
    }
    let elsewhere = engine.ledger.iter().filter(|row| !row.applies).count();
    if elsewhere > 0 {
        let name = &engine.name;
        let _ = writeln!(text, "\n{elsewhere} entries of the ledger of {name} are about other versions.");
    }
}

/// Where the engine is less accurate than recorded.
fn accuracy(text: &mut String, engine: &EngineReport) {
    let problems = engine.accuracy_problems();
    if problems.clone().next().is_some() {
        let _ = writeln!(text, "\nLess accurate than golden/accuracy.json says of {}:", engine.name);
    }
    for (_, what) in problems.clone().take(SHOWN) {
        let _ = writeln!(text, "    {}", visible(what));
    }
    let left = problems.count().saturating_sub(SHOWN);
    if left > 0 {
        let _ = writeln!(text, "    … and {left} more; --format json has them all");
    }
}

pub(super) fn coloured_closing_line(report: &Report, engine: &EngineReport) -> String {
    let line = closing_line(report, engine);
    let (facts, verdict) = line.rsplit_once(" · ").unwrap_or(("", &line));
    let style = match engine.summary {
        _ if engine.drifts() => BAD,
        counts if counts.unsupported == counts.cases => UNSURE,
        _ => GOOD,
    };
    format!("{facts} · {}", paint(verdict, style))
}

/// The run of one engine in one line.
pub(super) fn closing_line(report: &Report, engine: &EngineReport) -> String {
    let counts = engine.summary;
    let worst = engine.ops.iter().max_by_key(|row| row.max_ulp);
    let worst = match worst {
        Some(row) if row.max_ulp > 0 => format!("worst {} ulp ({})", ulp(row.max_ulp), row.op),
        _ => "worst 0 ulp".into(),
    };
    let verdict = match counts {
        _ if engine.drifts() => "DRIFT",
        _ if counts.unsupported == counts.cases => "NOTHING JUDGED",
        _ => "OK",
    };
    let known = match counts.known {
        0 => String::new(),
        known => format!("{} known · ", thousands(known)),
    };
    let wrong = match engine.ledger_problems().count() {
        0 => String::new(),
        wrong => format!("{} wrong in the ledger · ", thousands(wrong)),
    };
    let worse = match engine.accuracy_problems().count() {
        0 => String::new(),
        worse => format!("{} less accurate · ", thousands(worse)),
    };
    let part = match report.partition {
        Some(share) => format!("partition {}/{} · ", share.index, share.count),
        None => String::new(),
    };
    format!(
        "{} {} · {part}{} cases · {} parity · {known}{} diverge · {wrong}{worse}{} unsupported · {worst} · PyTorch {} {} · {verdict}",
        engine.name,
        engine.version,
        thousands(counts.cases),
        thousands(counts.parity),
        thousands(counts.new),
        thousands(counts.unsupported),
        report.torch.version,
        report.torch.cpu_capability,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(visible("a\u{1b}[2J\r\nb"), "a\\u{1b}[2J\\r\n    | b");
        assert_eq!(plain(&paint("a", BAD)), "a");
    }
}
