//! What a corpus holds, without running it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::number::thousands;
use crate::corpus::Selectable;
use crate::ops;

/// The cases' ids, one per line.
pub fn ids(cases: &[impl Selectable]) -> String {
    let mut text = String::new();
    for case in cases {
        text.push_str(case.id());
        text.push('\n');
    }
    text
}

/// Every function of the native engine, and every other that has cases, with its number of cases.
pub fn ops(cases: &[impl Selectable]) -> String {
    let mut counts: BTreeMap<&str, usize> = ops::registry().map(|op| (op.name, 0)).collect();
    let native = counts.len();
    for case in cases {
        *counts.entry(case.op()).or_default() += 1;
    }
    let width = counts.keys().map(|op| op.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (&op, &count) in &counts {
        let missing = if ops::has(op) { "" } else { "  not in the native engine" };
        let _ = writeln!(text, "{op:<width$} {:>6}{missing}", thousands(count));
    }
    let cases = thousands(cases.len());
    let _ = writeln!(text, "{native} functions in the native engine · {cases} cases");
    text
}
