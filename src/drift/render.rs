//! Drift as a table, as a page, and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use super::{Change, Drift};
use crate::report::{Form, code, thousands, ulp};

/// Examples per op and class on a page.
const SHOWN: usize = 5;

/// Shows what changed: in a table a row per op and then every case, in Markdown a row per op and
/// then examples of each kind of change.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn render(drifts: &[Drift], form: Form) -> anyhow::Result<String> {
    Ok(match form {
        Form::Table => drifts.iter().map(table).collect(),
        Form::Markdown => drifts.iter().map(page).collect(),
        Form::Json => serde_json::to_string_pretty(drifts)? + "\n",
    })
}

/// Changes by op, then by class.
fn by_op(drift: &Drift) -> BTreeMap<&str, BTreeMap<&str, Vec<&Change>>> {
    let mut ops: BTreeMap<&str, BTreeMap<&str, Vec<&Change>>> = BTreeMap::new();
    for change in &drift.changed {
        let op = change.id.split('/').nth(1).unwrap_or_default();
        ops.entry(op).or_default().entry(&change.class).or_default().push(change);
    }
    ops
}

fn worst(changes: &[&Change]) -> String {
    match changes.iter().map(|change| change.max_ulp).max() {
        None | Some(0) => "-".into(),
        Some(distance) => ulp(distance),
    }
}

fn summary(drift: &Drift) -> String {
    let Drift { subject, from, to, compared, appeared, gone, changed } = drift;
    format!(
        "{subject} {from} to {to} · {} cases in both · {} changed · {} new · {} gone",
        thousands(*compared),
        thousands(changed.len()),
        thousands(appeared.len()),
        thousands(gone.len())
    )
}

fn table(drift: &Drift) -> String {
    let mut text = String::new();
    if !drift.changed.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(["op", "class", "cases", "max ulp"]);
        for (op, classes) in by_op(drift) {
            for (class, changes) in classes {
                table.add_row([op.to_string(), class.into(), changes.len().to_string(), worst(&changes)]);
            }
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        for number in [2, 3] {
            if let Some(column) = table.column_mut(number) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push('\n');
    }
    for Change { id, class, detail, .. } in &drift.changed {
        let _ = writeln!(text, "{id}: {class}: {}", one_line(detail));
    }
    for (ids, what) in [(&drift.appeared, "new"), (&drift.gone, "gone")] {
        for id in ids {
            let _ = writeln!(text, "{id}: {what}");
        }
    }
    if !drift.is_empty() {
        text.push('\n');
    }
    text + &summary(drift) + "\n"
}

fn page(drift: &Drift) -> String {
    let mut text =
        format!("# {} from {} to {}\n\n{}.\n", drift.subject, drift.from, drift.to, summary(drift));
    let ops = by_op(drift);
    if ops.is_empty() {
        return text;
    }
    text += "\n| op | what changed | cases | largest change in ULP |\n|---|---|--:|--:|\n";
    for (op, classes) in &ops {
        for (class, changes) in classes {
            let _ = writeln!(text, "| {} | {class} | {} | {} |", code(op), changes.len(), worst(changes));
        }
    }
    for (op, classes) in &ops {
        for (class, changes) in classes {
            let _ = writeln!(text, "\n## {}: {class}\n", code(op));
            for change in changes.iter().take(SHOWN) {
                let _ = writeln!(text, "- {}: {}", code(&change.id), code(&change.detail));
            }
            if changes.len() > SHOWN {
                let _ = writeln!(text, "- and {} more", changes.len() - SHOWN);
            }
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
