//! The table of several engines: a row per op, a column per engine.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;

use super::model::{Counts, OpRow, Report};
use super::number::thousands;
use super::table::{BAD, GOOD, HEAD, UNSURE, coloured_closing_line, details, paint};

/// Cases of which PyTorch is the odd one out; more of them are counted, not listed.
const SHOWN: usize = 20;

const LEGEND: &str = "\
exact: equal bits · within: inside the tolerance · known: diverges, and the ledger says why · \
NEW: diverges, and nothing says why · 3/5: of 5 cases 3 are supported";

/// The table, and what stands below it.
pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    table(&mut text, report);
    let _ = writeln!(text, "\n{LEGEND}");
    for engine in &report.engines {
        details(&mut text, engine);
    }
    odd_ones(&mut text, report);
    text.push('\n');
    for engine in &report.engines {
        let _ = writeln!(text, "{}", coloured_closing_line(report, engine));
    }
    text
}

/// A text with its colour: the layout counts letters, which escapes are not.
type Cell = (String, Style);

fn table(text: &mut String, report: &Report) {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let plain = Style::new();
    let heads = ["op", "cases"].into_iter().chain(report.engines.iter().map(|engine| engine.name.as_str()));
    rows.push(heads.map(|head| (head.to_string(), HEAD)).collect());
    for (i, engine) in report.engines.iter().enumerate() {
        for row in &engine.ops {
            let place = *places.entry(&row.op).or_insert_with(|| {
                let mut cells = vec![(row.op.clone(), plain), (thousands(row.cases), plain)];
                cells.resize(2 + report.engines.len(), ("not run".into(), plain));
                rows.push(cells);
                rows.len() - 1
            });
            rows[place][2 + i] = cell(row);
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].0.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..2 + report.engines.len()).map(width).collect();
    for row in &rows {
        for (column, ((cell, style), width)) in row.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(width - cell.chars().count());
            let cell = if *style == plain { cell.clone() } else { paint(cell, *style) };
            let _ = match column {
                1 => write!(text, "  {pad}{cell}"),
                _ if column + 1 == row.len() => write!(text, "  {cell}"),
                0 => write!(text, "{cell}{pad}"),
                _ => write!(text, "  {cell}{pad}"),
            };
        }
        text.push('\n');
    }
}

fn cell(row: &OpRow) -> Cell {
    let Counts { cases, known, new, unsupported, .. } = row.counts;
    let identical = row.max_ulp == 0 && row.max_abs.to_f64() == 0.0;
    let (words, style) = match (new, known) {
        _ if unsupported == cases => ("unsupported".into(), UNSURE),
        (0, 0) if identical => ("exact".into(), GOOD),
        (0, 0) => ("within".into(), GOOD),
        (0, known) => (format!("{} known", thousands(known)), UNSURE),
        (new, 0) => (format!("{} NEW", thousands(new)), BAD),
        (new, known) => (format!("{} NEW {} known", thousands(new), thousands(known)), BAD),
    };
    match unsupported {
        some if 0 < some && some < cases => {
            (format!("{words} {}/{}", thousands(cases - some), thousands(cases)), style)
        }
        _ => (words, style),
    }
}

/// The cases in which PyTorch stands against the truth and three engines or more.
fn odd_ones(text: &mut String, report: &Report) {
    let Some(engine) = report.engines.first() else { return };
    let odd: Vec<_> = engine.cases.iter().filter_map(|case| Some((&case.id, case.odd.as_ref()?))).collect();
    if odd.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nThree engines or more give the float64 truth, rounded, and PyTorch does not:");
    for (id, odd) in odd.iter().take(SHOWN) {
        let _ = writeln!(text, "    {id}: {odd}");
    }
    if odd.len() > SHOWN {
        let _ = writeln!(text, "    and {} more; --format json has them all", thousands(odd.len() - SHOWN));
    }
}
