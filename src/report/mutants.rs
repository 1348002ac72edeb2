//! The report of the mutants: per op how many were killed, and the names of those that were not.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use super::ExitStatus;
use super::number::thousands;
use crate::mutants::{BANK, Tally, Trial};

/// Names of the mutants that apply to an op and that none of its cases rejects.
fn survivors(tallies: &[Tally]) -> Vec<&'static str> {
    let pairs = BANK.iter().zip(tallies);
    pairs
        .filter(|(_, tally)| tally.applied > 0 && tally.rejected == 0)
        .map(|(mutant, _)| mutant.name)
        .collect()
}

/// The report as text.
pub fn render(trial: &Trial) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["op", "mutants", "killed", "rate", "survivors"]);
    let (mut applied, mut killed) = (0, 0);
    for (op, tallies) in &trial.ops {
        let apply = tallies.iter().filter(|tally| tally.applied > 0).count();
        let survivors = survivors(tallies);
        let dead = apply - survivors.len();
        applied += apply;
        killed += dead;
        table.add_row([
            op.to_string(),
            apply.to_string(),
            dead.to_string(),
            rate(dead, apply),
            survivors.join(", "),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for number in 1..=3 {
        if let Some(column) = table.column_mut(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if !trial.idle.is_empty() {
        let _ =
            writeln!(text, "\nCases that reject no mutant for what they hold:\n{}", idle(trial).trim_end());
    }
    let _ = writeln!(
        text,
        "\n{} mutants · {} ops · {} of {} killed ({}) · {} idle cases",
        BANK.len(),
        trial.ops.len(),
        thousands(killed),
        thousands(applied),
        rate(killed, applied),
        trial.idle.len()
    );
    text
}

fn rate(part: usize, whole: usize) -> String {
    match whole {
        0 => "-".into(),
        // Rounded down, so that only all of them are 100.0 %.
        _ => format!("{:.1} %", (1000 * part / whole) as f64 / 10.0),
    }
}

/// The idle cases, an id a line.
pub fn idle(trial: &Trial) -> String {
    trial.idle.iter().map(|id| format!("{id}\n")).collect()
}

/// Parity where every op rejects every mutant that applies to it and no case is idle; or, if only
/// those are asked for, where no case is idle.
pub fn status(trial: &Trial, only_idle: bool) -> ExitStatus {
    let survived = !only_idle && trial.ops.values().any(|tallies| !survivors(tallies).is_empty());
    if survived || !trial.idle.is_empty() { ExitStatus::Drift } else { ExitStatus::Parity }
}
