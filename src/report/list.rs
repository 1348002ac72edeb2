//! What a corpus holds, without running it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::number::thousands;
use crate::corpus::Corpus;
use crate::ops;

/// The cases' ids, one per line.
pub fn ids(corpus: &Corpus) -> String {
    corpus.entries.iter().map(|entry| entry.case.id.clone() + "\n").collect()
}

/// Every function of the native engine, and every other that has cases, with its number of cases.
pub fn ops(corpus: &Corpus) -> String {
    let mut counts: BTreeMap<&str, usize> = ops::registry().map(|op| (op.name, 0)).collect();
    let native = counts.len();
    for entry in &corpus.entries {
        *counts.entry(entry.case.call.op.as_str()).or_default() += 1;
    }
    let width = counts.keys().map(|op| op.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (&op, &count) in &counts {
        let missing = if ops::has(op) { "" } else { "  not in the native engine" };
        let _ = writeln!(text, "{op:<width$} {:>6}{missing}", thousands(count));
    }
    let cases = thousands(corpus.entries.len());
    let _ = writeln!(text, "{native} functions in the native engine · {cases} cases");
    text
}
