//! `compare --bless`: a ledger brought up to date in place, its comments and order kept, and the
//! recorded accuracy.
//!
//! New divergences become an entry per op and class. An entry that is true of no case any more
//! goes; one whose size changed gets the measured one. A run of less than the whole corpus only
//! adds, and raises sizes: of the rest nothing is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use toml_edit::{ArrayOfTables, DocumentMut, Item, RawString, Table, Value, value};

use crate::corpus::{Case, Corpus, Problem};
use crate::judge::{Accuracy, Class, Ledger, release};
use crate::report::{CaseReport, EngineReport, LedgerFault, LedgerRow, Report, Word, write_all};

/// Up to so many cases are named by their ids where no simpler expression selects them alone.
const IDS: usize = 6;

/// A larger distance in representable values says nothing that |a - b| does not say better.
const LARGEST_ULP: u64 = 1 << 24;

/// Why new divergences are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// One sentence that a user understands.
    pub why: String,
    /// Where that is said.
    pub source: String,
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// New divergences need a reason.
    #[error("--bless: {0} new divergences of {1} need a reason: give --why TEXT and --source TEXT")]
    NoReason(usize, String),
    /// A ledger cannot be read or written.
    #[error(transparent)]
    Problem(#[from] Problem),
}

/// Brings the engines' ledgers up to date with a report of their runs, and gives them as they are
/// then. All are written or none.
pub fn bless(
    report: &Report,
    corpus: &Corpus,
    ledgers: &[Ledger],
    reason: Option<&Reason>,
) -> Result<Vec<Ledger>, Refusal> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut blessed = Vec::new();
    for (engine, ledger) in report.engines.iter().zip(ledgers) {
        let old = match std::fs::read_to_string(&ledger.file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(Problem::file(&ledger.file, format!("cannot be read: {error}")).into());
            }
        };
        let text = rewritten(&old, ledger, engine, corpus, reason)?;
        blessed.push(Ledger::parse(&ledger.file, &text)?);
        if text != old {
            files.push((ledger.file.clone(), text));
        }
    }
    for (file, _) in &files {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Problem::file(folder, format!("cannot be made: {error}")))?;
        }
    }
    write_all(&files)?;
    Ok(blessed)
}

/// Brings `golden/accuracy.json` up to date with the engines of a report that are held to it, and
/// says what changed.
pub fn bless_accuracy(
    report: &Report,
    accuracy: &mut Accuracy,
    held: &[bool],
) -> Result<Vec<String>, Refusal> {
    let whole = !report.selection && report.partition.is_none();
    let engines = report.engines.iter().zip(held).filter(|(_, held)| **held);
    let old = accuracy.clone();
    let changes: Vec<String> =
        engines.flat_map(|(engine, _)| accuracy.record(&engine.name, &engine.errors(), whole)).collect();
    if *accuracy != old {
        let text = accuracy.text().map_err(|error| Problem::file(&accuracy.file, error.to_string()))?;
        write_all(&[(accuracy.file.clone(), text)])?;
    }
    Ok(changes)
}

/// The new text of a ledger.
fn rewritten(
    old: &str,
    ledger: &Ledger,
    engine: &EngineReport,
    corpus: &Corpus,
    reason: Option<&Reason>,
) -> Result<String, Refusal> {
    let mut document: DocumentMut = old
        .parse()
        .map_err(|error: toml_edit::TomlError| Problem::file(&ledger.file, error.message().to_string()))?;
    let new = engine.cases.iter().filter(|case| case.verdict == Word::New).count();
    let known = document.entry("known").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(entries) = known.as_array_of_tables_mut() else {
        return Err(Problem::file(&ledger.file, "--bless: entries have to stand under [[known]]").into());
    };
    let mut orphans = String::new();
    for (position, row) in engine.ledger.iter().enumerate().rev() {
        match row.problem.as_ref().map(|problem| problem.fault) {
            None => {}
            Some(LedgerFault::Size) => {
                if let Some(entry) = entries.get_mut(position) {
                    resize(entry, row);
                }
            }
            Some(LedgerFault::Stale | LedgerFault::Class | LedgerFault::SelectsNothing) => {
                orphans.insert_str(0, &drop_entry(entries, position));
            }
        }
    }
    if new > 0 {
        let reason = reason.ok_or_else(|| Refusal::NoReason(new, engine.name.clone()))?;
        for group in groups(engine, corpus) {
            entries.push(group.entry(&engine.version, reason));
        }
    }
    if entries.is_empty() {
        document.remove("known");
    }
    let trailing = format!("{orphans}{}", document.trailing().as_str().unwrap_or_default());
    document.set_trailing(trailing);
    let text = document.to_string();
    // The empty line before an entry is between entries.
    Ok(if old.is_empty() { text.trim_start_matches('\n').to_string() } else { text })
}

/// Records the sizes that were measured, where sizes are recorded.
fn resize(entry: &mut Table, row: &LedgerRow) {
    let sizes = [("max_ulp", integer(row.measured_ulp)), ("max_abs", float(row.measured_abs.to_f64()))];
    for (key, size) in sizes {
        if let Some(recorded) = entry.get_mut(key).and_then(Item::as_value_mut) {
            let decor = recorded.decor().clone();
            *recorded = size;
            *recorded.decor_mut() = decor;
        }
    }
}

/// TOML's integers are 64 bits with a sign.
fn integer(number: u64) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

/// Three digits: it is compared with a factor in between.
fn float(number: f64) -> Value {
    let text = if number.is_finite() { format!("{number:.2e}") } else { "inf".into() };
    text.parse().unwrap_or_else(|_| number.into())
}

/// Takes an entry out. Comments that an empty line sets apart from it are not its own: they move
/// to the next entry, or are given back where there is none.
fn drop_entry(entries: &mut ArrayOfTables, position: usize) -> String {
    let prefix =
        |table: &Table| table.decor().prefix().and_then(RawString::as_str).unwrap_or_default().to_string();
    let Some(gone) = entries.get(position).map(prefix) else { return String::new() };
    entries.remove(position);
    let others = gone.rfind("\n\n").map_or("", |end| &gone[..end + 1]);
    if !others.contains('#') {
        return String::new();
    }
    match entries.get_mut(position) {
        Some(next) => {
            let joined = format!("{others}{}", prefix(next));
            next.decor_mut().set_prefix(joined);
            String::new()
        }
        None => others.to_string(),
    }
}

/// New divergences of one op in one class.
struct Group<'a> {
    op: &'a str,
    class: Class,
    cases: Vec<(&'a Case, &'a CaseReport)>,
    /// The op's other cases that were run.
    others: Vec<&'a Case>,
}

fn groups<'a>(engine: &'a EngineReport, corpus: &'a Corpus) -> Vec<Group<'a>> {
    let run = || corpus.entries.iter().map(|entry| &entry.case).zip(&engine.cases);
    let mut groups: BTreeMap<(&str, Class), Vec<(&Case, &CaseReport)>> = BTreeMap::new();
    for (case, report) in run().filter(|(_, report)| report.verdict == Word::New) {
        if let Some(class) = report.class.as_deref().and_then(Class::of_name) {
            groups.entry((&report.op, class)).or_default().push((case, report));
        }
    }
    let group = |((op, class), cases): ((&'a str, Class), Vec<(&'a Case, &'a CaseReport)>)| {
        let ids: BTreeSet<&str> = cases.iter().map(|(case, _)| case.id.as_str()).collect();
        let others = run().map(|(case, _)| case).filter(|case| case.call.op == op);
        let others = others.filter(|case| !ids.contains(case.id.as_str())).collect();
        Group { op, class, cases, others }
    };
    groups.into_iter().map(group).collect()
}

impl Group<'_> {
    fn entry(&self, version: &str, reason: &Reason) -> Table {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        let engine = release(version).map_or("*".to_string(), |release| format!("={release}"));
        table.insert("select", value(self.select()));
        table.insert("engine", value(engine));
        table.insert("class", value(self.class.name()));
        if matches!(self.class, Class::Value | Class::Gradient) {
            let reports = || self.cases.iter().map(|(_, report)| report);
            let ulp = reports().map(|report| report.max_ulp).max().unwrap_or(0);
            let abs = reports().map(|report| report.max_abs.to_f64()).fold(0.0, f64::max);
            if (1..=LARGEST_ULP).contains(&ulp) {
                table.insert("max_ulp", value(integer(ulp)));
            }
            if abs.is_finite() && abs > 0.0 {
                table.insert("max_abs", value(float(abs)));
            }
        }
        table.insert("why", value(reason.why.trim()));
        table.insert("source", value(reason.source.trim()));
        table
    }

    /// An expression for the group: the op with what its cases have in common, or, where that
    /// takes in others and the group is small, their ids.
    fn select(&self) -> String {
        let cases: Vec<&Case> = self.cases.iter().map(|(case, _)| *case).collect();
        let mut others: Vec<&Case> = self.others.clone();
        let mut terms = vec![format!("op:{}", self.op)];
        let Some(first) = cases.first() else { return terms.remove(0) };
        let mut narrow = |term: String, shared: &dyn Fn(&Case) -> bool| {
            if cases.iter().all(|case| shared(case)) && others.iter().any(|case| !shared(case)) {
                others.retain(|case| shared(case));
                terms.push(term);
            }
        };
        for tag in &first.tags {
            narrow(format!("tag:{tag}"), &|case| case.tags.contains(tag));
        }
        narrow(format!("suite:{}", first.suite()), &|case| case.suite() == first.suite());
        if !others.is_empty() && cases.len() <= IDS {
            return cases.iter().map(|case| format!("id:{}", case.id)).collect::<Vec<_>>().join(" or ");
        }
        terms.join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEDGER: &str = r#"# How it differs.

# Sums
# ----

# the first
[[known]] # one
select = "op:sum"
max_ulp = 3 # a few
max_abs = 0.1

# Maxima

# the second
[[known]]
select = "op:max"

[[known]]
select = "op:min"
# the end
"#;

    fn without(position: usize) -> String {
        let mut document: DocumentMut = LEDGER.parse().unwrap();
        let entries = document["known"].as_array_of_tables_mut().unwrap();
        let orphans = drop_entry(entries, position);
        format!("{document}|{orphans}")
    }

    #[test]
    fn comments_of_others_stay_where_an_entry_goes() {
        let first = without(0);
        assert!(first.contains("# How it differs.") && first.contains("# Sums") && first.contains("# ----"));
        assert!(!first.contains("# the first") && !first.contains("op:sum"));
        let second = without(1);
        assert!(second.contains("# Maxima") && !second.contains("# the second"), "{second}");
        assert!(second.contains("# the end"), "{second}");
        assert!(without(2).ends_with('|'));
        assert_eq!(without(9), format!("{LEDGER}|"));
    }
}
