//! Times as a table, as Markdown and as JSON.
//!
//! The table has microseconds, for whoever sits at the machine; Markdown has ratios alone, which
//! are what outlives a run.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{CellAlignment, Table, TableStyle, presets};

use super::contender::BenchError;
use super::{Timed, Timing};
use crate::report::Form;

/// The times as text.
pub fn render(timing: &Timing, form: Form) -> Result<String, BenchError> {
    Ok(match form {
        Form::Json => serde_json::to_string_pretty(timing)? + "\n",
        Form::Table => table(timing, presets::NOTHING, true),
        Form::Markdown => table(timing, presets::ASCII_MARKDOWN, false) + &limits(timing),
    })
}

/// How time grows with size: per op and threads, a line of times over that of a quarter of the
/// elements, and one of ratios to PyTorch if that was timed.
pub fn render_growth(timing: &Timing) -> String {
    let torch = torch(timing);
    let mut lines: BTreeMap<(&str, usize), Vec<&Timed>> = BTreeMap::new();
    for row in &timing.rows {
        lines.entry((&row.op, row.threads)).or_default().push(row);
    }
    let sizes: BTreeSet<usize> = timing.rows.iter().map(|row| row.elements).collect();
    let mut tables = Vec::new();
    let mut add = |what: &str, cell: &dyn Fn(&[&Timed], usize) -> Option<f64>| {
        let mut table = Table::new();
        let mut head = vec!["op".to_string(), "threads".into()];
        head.extend(sizes.iter().map(|size| format!("2^{}", size.ilog2())));
        table.load_style(presets::ASCII_MARKDOWN).set_header(head);
        for ((op, threads), rows) in &lines {
            let mut cells = vec![op.to_string(), threads.to_string()];
            cells.extend(sizes.iter().map(|&size| {
                let at = rows.iter().position(|row| row.elements == size);
                shown(at.and_then(|at| cell(rows, at)), "×")
            }));
            table.add_row(cells);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        tables.push(format!("{what}\n\n{table}\n"));
    };
    let native = |row: &Timed| row.micros.first().copied().flatten();
    add("Time over that of the size before, which has a quarter of the elements:", &|rows, at| {
        Some(native(rows[at])? / native(rows[at.checked_sub(1)?])?)
    });
    if let Some(torch) = torch {
        add(&format!("Speed over that of {}:", timing.engines[torch]), &|rows, at| rows[at].ratio(torch));
    }
    tables.join("\n")
}

/// Which of the engines is PyTorch.
fn torch(timing: &Timing) -> Option<usize> {
    timing.engines.iter().position(|name| name.starts_with("PyTorch"))
}

fn table(timing: &Timing, preset: TableStyle, with_times: bool) -> String {
    let others = 1..timing.engines.len();
    let torch = torch(timing);
    let mut table = Table::new();
    let mut head = vec!["call".to_string()];
    if timing.rows.iter().any(|row| row.threads != 1) {
        head.push("threads".into());
    }
    let with_threads = head.len() > 1;
    if with_times {
        head.extend(timing.engines.iter().map(|name| format!("{name} µs")));
    }
    head.extend(others.clone().map(|engine| format!("{}× {}", timing.engines[0], timing.engines[engine])));
    head.push("memory".into());
    let with_reach = torch.is_some() && timing.rows.iter().any(|row| row.reach.is_some());
    if with_reach {
        head.extend(["reach".into(), String::new()]);
    }
    table.load_style(preset).set_header(head);
    for row in &timing.rows {
        let mut cells = vec![row.row.clone()];
        if with_threads {
            cells.push(row.threads.to_string());
        }
        if with_times {
            cells.extend(row.micros.iter().map(|micros| shown(*micros, "")));
        }
        cells.extend(others.clone().map(|engine| shown(row.ratio(engine), "×")));
        cells.push(memory(timing, row));
        if with_reach {
            cells.push(shown(row.reach, "×"));
            cells.push(verdict(row, torch).into());
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let short = timing.rows.iter().filter(|row| verdict(row, torch) == "short").count();
    let note = match (torch, short) {
        (None, _) => "PyTorch was not timed: name a Python that has it with --python".into(),
        (_, 0) => "every row reaches what it is to reach".into(),
        (_, short) => format!("{short} of {} rows fall short", timing.rows.len()),
    };
    let note = if with_reach || torch.is_none() { format!(" · {note}") } else { String::new() };
    let lines = table.lines().map(|line| line.trim_end().to_string() + "\n").collect::<String>();
    format!(
        "{lines}\n`memory` is the least that a call has to move over the time it takes, as a share of what one \
         thread reads · native uses {}{note}\n",
        timing.cpu
    )
}

/// What keeps the rows that fall short from their reach, a list.
fn limits(timing: &Timing) -> String {
    let torch = torch(timing);
    let short = timing.rows.iter().filter(|row| verdict(row, torch) == "short");
    let lines: String = short
        .filter_map(|row| row.limit.as_ref().map(|limit| format!("- `{}`: {limit}\n", row.row)))
        .collect();
    if lines.is_empty() { lines } else { format!("\nWhat keeps those that fall short:\n\n{lines}") }
}

/// How near a call is to the memory's speed.
fn memory(timing: &Timing, row: &Timed) -> String {
    let micros = row.micros.first().copied().flatten();
    let share = micros.map(|micros| row.bytes as f64 / micros / timing.bytes_per_micro);
    share.map_or_else(|| "-".into(), |share| format!("{:.0} %", 100.0 * share))
}

fn verdict(row: &Timed, torch: Option<usize>) -> &'static str {
    match (row.reach, torch.and_then(|engine| row.ratio(engine))) {
        (Some(reach), Some(ratio)) if ratio >= reach => "reached",
        (Some(_), Some(_)) => "short",
        _ => "",
    }
}

/// A figure with two or three digits that count; a dash for none.
fn shown(value: Option<f64>, unit: &str) -> String {
    match value {
        None => "-".into(),
        Some(value) if value >= 100.0 => format!("{value:.0}{unit}"),
        Some(value) if value >= 10.0 => format!("{value:.1}{unit}"),
        Some(value) => format!("{value:.2}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(micros: Vec<Option<f64>>) -> Timing {
        let row = Timed {
            row: "sum_all".into(),
            op: "sum".into(),
            elements: 1000,
            threads: 1,
            reach: Some(2.0),
            limit: Some("it waits for memory".into()),
            bytes: 4000,
            micros,
        };
        let engines = ["native", "candle", "PyTorch 2.15.0"].map(String::from).to_vec();
        Timing { engines, cpu: "avx2", bytes_per_micro: 1000.0, rows: vec![row] }
    }

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ratios_and_verdicts() {
        let text = words(&render(&timing(vec![Some(10.0), None, Some(25.0)]), Form::Markdown).unwrap());
        assert!(text.contains("| sum_all | - | 2.50× | 40 % | 2.00× | reached |"), "{text}");
        assert!(text.contains("every row reaches"), "{text}");
        assert!(!text.contains("µs"), "a document has no times: {text}");
        assert!(!text.contains("waits for memory"), "it reaches what it is to reach: {text}");
        let text = render(&timing(vec![Some(10.0), None, Some(15.0)]), Form::Markdown).unwrap();
        assert!(text.ends_with("- `sum_all`: it waits for memory\n"), "{text}");
        let text = render(&timing(vec![Some(10.0), Some(5.0), Some(15.0)]), Form::Table).unwrap();
        assert!(text.contains("0.50×") && text.contains("short") && text.contains("1 of 1 rows"), "{text}");
    }

    #[test]
    fn growth_is_a_line_per_op_and_threads() {
        let mut growth = timing(vec![Some(10.0), None, Some(25.0)]);
        let [row] = growth.rows.as_mut_slice() else { panic!("one row") };
        (row.elements, row.threads) = (1 << 10, 2);
        let larger = Timed { elements: 1 << 12, micros: vec![Some(50.0), None, Some(100.0)], ..row.clone() };
        growth.rows.push(larger);
        let text = words(&render_growth(&growth));
        assert!(text.contains("| op | threads | 2^10 | 2^12 |"), "{text}");
        assert!(text.contains("| sum | 2 | - | 5.00× |"), "{text}");
        assert!(text.contains("| sum | 2 | 2.50× | 2.00× |"), "{text}");
    }

    #[test]
    fn json_has_the_times() {
        let text = render(&timing(vec![Some(10.0), None, Some(25.0)]), Form::Json).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["rows"][0]["micros"], serde_json::json!([10.0, null, 25.0]));
    }
}
