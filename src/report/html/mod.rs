//! The report to look at: one page without a network, that holds every case.
//!
//! The scoreboard is in the page's markup, from `page.html`. The cases are in it as compressed JSON,
//! from which `script.js` builds what somebody opens. It is kept below a size by showing fewer
//! elements of each tensor where there are many cases, and the page says so.

mod data;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::evidence::{Nearness, TruthCounts};
use super::ledger::{LedgerProblem, LedgerRow};
use super::model::{Counts, EngineReport, OpRow, Report, Word};
use super::number::{thousands, ulp};
use crate::corpus::Corpus;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Most bytes of the page: one that opens on a phone, and that mail takes.
const LIMIT: usize = 8 << 20;

/// Most bytes of the words for what is left out.
const SENTENCE: usize = 400;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// The cases cannot be written as JSON.
    #[error("the page's data: {0}")]
    Data(#[from] serde_json::Error),
    /// The template is broken.
    #[error("the page's template: {0}")]
    Template(#[from] minijinja::Error),
}

#[derive(Serialize)]
struct Page {
    headline: String,
    torch: String,
    partition: Option<String>,
    engines: Vec<EngineHead>,
    several: bool,
    /// Which filters have something to show.
    present: Present,
    ops: Vec<Row>,
    ledger: Vec<LedgerEntry>,
    accuracy: Vec<Problem>,
    known: Vec<Known>,
    style: Value,
    script: Value,
    index: Value,
    blocks: Vec<Value>,
    left_out: String,
    policy: String,
}

#[derive(Serialize)]
struct Present {
    new: usize,
    known: usize,
    unsupported: usize,
    parity: usize,
}

#[derive(Serialize)]
struct EngineHead {
    name: String,
    version: String,
    profile: &'static str,
    verdict: &'static str,
    word: &'static str,
    bars: Vec<Bar>,
    counts: Vec<Count>,
    worst: String,
    truth: Option<String>,
    classes: Vec<String>,
}

/// A part of a bar; widths are in thousandths.
#[derive(Serialize)]
struct Bar {
    state: &'static str,
    width: usize,
    start: usize,
}

#[derive(Serialize)]
struct Count {
    state: &'static str,
    label: &'static str,
    count: String,
    none: bool,
}

#[derive(Serialize)]
struct Row {
    op: String,
    cases: String,
    elements: String,
    cells: Vec<Option<Cell>>,
}

#[derive(Serialize)]
struct Cell {
    engine: String,
    state: &'static str,
    glyph: &'static str,
    text: String,
    /// What the text counts; left out where columns are narrow.
    kind: &'static str,
    more: String,
    label: String,
}

/// An entry of a ledger with which something is wrong.
#[derive(Serialize)]
struct LedgerEntry {
    engine: String,
    entry: usize,
    select: String,
    what: String,
}

/// An error that is larger than recorded.
#[derive(Serialize)]
struct Problem {
    engine: String,
    what: String,
}

/// What an engine is known to differ in.
#[derive(Serialize)]
struct Known {
    engine: String,
    /// The engine's column.
    column: usize,
    count: String,
    /// How many reasons there are, in words.
    given: String,
    reasons: Vec<Reason>,
}

#[derive(Serialize)]
struct Reason {
    why: String,
    source: Option<String>,
    count: String,
    /// The ledger's entries that give it, by their numbers.
    entries: String,
}

/// The report as a page. The corpus is where inputs, PyTorch's outcomes and the truth come from;
/// without it the page has the verdicts alone.
pub fn render(report: &Report, corpus: Option<&Corpus>) -> Result<String, HtmlError> {
    let mut environment = Environment::empty();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("page.html", PAGE)?;
    // Nothing but this style and this script has any effect, whatever gets into the page.
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let mut page = Page {
        headline: headline(report),
        torch: torch(report),
        partition: report.partition.map(|share| {
            format!(
                "Partition {} of {}: {} cases in all.",
                share.index,
                share.count,
                thousands(share.of_cases)
            )
        }),
        engines: report.engines.iter().map(head).collect(),
        several: report.engines.len() > 1,
        present: present(report),
        ops: rows(report),
        ledger: ledger(report),
        accuracy: accuracy(report),
        known: known(report),
        style: Value::from_safe_string(STYLE.into()),
        script: Value::from_safe_string(SCRIPT.into()),
        index: Value::from_safe_string(String::new()),
        blocks: Vec::new(),
        left_out: String::new(),
        policy,
    };
    let template = environment.get_template("page.html")?;
    let around = template.render(Serde(&page))?.len() + SENTENCE;
    let packed = data::pack(report, corpus, LIMIT.saturating_sub(around))?;
    page.index = Value::from_safe_string(packed.index);
    page.blocks = packed.blocks.into_iter().map(Value::from_safe_string).collect();
    page.left_out = packed.left_out;
    Ok(template.render(Serde(&page))?)
}

fn headline(report: &Report) -> String {
    let torch = format!("PyTorch {}", report.torch.version);
    let [engine] = report.engines.as_slice() else {
        return format!("{} engines beside {torch}", report.engines.len());
    };
    let Counts { cases, new, known, unsupported, .. } = engine.summary;
    let all = thousands(cases);
    match (new, known, unsupported) {
        (0, 0, 0) => format!("{} does what {torch} does in all {all} cases.", engine.name),
        (0, 0, none) if none == cases => format!("{} supports none of the {all} cases.", engine.name),
        (0, 0, some) => format!(
            "{} does what {torch} does in all {} cases that it supports.",
            engine.name,
            thousands(cases - some)
        ),
        _ => format!("{} differs from {torch} in {} of {all} cases.", engine.name, thousands(new + known)),
    }
}

fn torch(report: &Report) -> String {
    let torch = &report.torch;
    let threads = if torch.threads == 1 { "thread" } else { "threads" };
    let strict = if report.strict { " · held to equal bits" } else { "" };
    format!(
        "PyTorch {} · {} · {} {threads} · {}{strict}",
        torch.version, torch.cpu_capability, torch.threads, torch.platform
    )
}

fn present(report: &Report) -> Present {
    let sum = |count: fn(&Counts) -> usize| report.engines.iter().map(|engine| count(&engine.summary)).sum();
    Present {
        new: sum(|counts| counts.new),
        known: sum(|counts| counts.known),
        unsupported: sum(|counts| counts.unsupported),
        parity: sum(|counts| counts.parity),
    }
}

fn head(engine: &EngineReport) -> EngineHead {
    let counts = engine.summary;
    let parts = [
        ("parity", "parity", counts.parity),
        ("known", "known", counts.known),
        ("new", "diverge", counts.new),
        ("unsupported", "unsupported", counts.unsupported),
    ];
    let mut bars: Vec<Bar> = Vec::new();
    for (state, _, count) in parts.into_iter().filter(|&(_, _, count)| count > 0) {
        // What there is has to be seen, be it one case of thousands.
        let width = (count * 1000 / counts.cases.max(1)).max(6);
        let start = bars.last().map_or(0, |bar| bar.start + bar.width);
        bars.push(Bar { state, width, start });
    }
    let count = |(state, label, count)| Count { state, label, count: thousands(count), none: count == 0 };
    let (verdict, word) = match counts {
        _ if engine.drifts() => ("new", "drift"),
        _ if counts.unsupported == counts.cases => ("unsupported", "nothing judged"),
        _ if counts.known > 0 => ("known", "known divergences"),
        _ => ("parity", "parity"),
    };
    let worst = engine.ops.iter().max_by_key(|row| row.max_ulp).filter(|row| row.max_ulp > 0);
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for case in engine.cases.iter().filter(|case| case.verdict == Word::New) {
        *classes.entry(case.class.as_deref().unwrap_or("divergence")).or_default() += 1;
    }
    EngineHead {
        name: engine.name.clone(),
        version: engine.version.clone(),
        profile: engine.profile.name(),
        verdict,
        word,
        bars,
        counts: parts.map(count).into(),
        truth: truth(engine),
        worst: match worst {
            Some(row) => format!("worst {} in {}", ulps(row.max_ulp), row.op),
            None if counts.unsupported == counts.cases => "nothing to compare".into(),
            None => "every element compared is identical".into(),
        },
        classes: classes.iter().map(|(class, count)| format!("{} {class}", thousands(*count))).collect(),
    }
}

/// How near to the float64 truth the engine is beside PyTorch, over all ops.
fn truth(engine: &EngineReport) -> Option<String> {
    let mut all = TruthCounts::default();
    engine.ops.iter().for_each(|row| all.merge(row.truth));
    let others = all.words().filter(|&(word, _)| word != Nearness::Identical);
    let said = |(word, count): (Nearness, usize)| format!("{} {}", thousands(count), word.name());
    let words: Vec<String> = others.map(said).collect();
    (!words.is_empty()).then(|| format!("cases by the float64 truth, beside PyTorch: {}", words.join(", ")))
}

/// From here on a distance in ULP is written as a power, to fit into a column.
const WIDEST: usize = 10_000_000;

/// A distance in words.
fn ulps(distance: u64) -> String {
    match usize::try_from(distance) {
        Ok(number) if number < WIDEST => format!("{} ulp", thousands(number)),
        _ => format!("{} ulp", ulp(distance)),
    }
}

/// Ops in the order of their first case, over all engines.
fn ops(report: &Report) -> Vec<&str> {
    let mut ops: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for row in report.engines.iter().flat_map(|engine| &engine.ops) {
        if seen.insert(row.op.as_str()) {
            ops.push(&row.op);
        }
    }
    ops
}

/// Each op's row on each engine.
fn by_op(report: &Report) -> BTreeMap<&str, Vec<Option<&OpRow>>> {
    let mut table: BTreeMap<&str, Vec<Option<&OpRow>>> = BTreeMap::new();
    for (i, engine) in report.engines.iter().enumerate() {
        for row in &engine.ops {
            let cells = table.entry(&row.op).or_insert_with(|| vec![None; report.engines.len()]);
            if let Some(cell) = cells.get_mut(i) {
                *cell = Some(row);
            }
        }
    }
    table
}

fn rows(report: &Report) -> Vec<Row> {
    let table = by_op(report);
    let row = |op: &str| {
        let cells = table.get(op).map_or(&[][..], Vec::as_slice);
        let largest = |count: fn(&OpRow) -> usize| cells.iter().flatten().map(|row| count(row)).max();
        let named = report.engines.iter().zip(cells);
        Row {
            op: op.to_string(),
            cases: thousands(largest(|row| row.cases).unwrap_or(0)),
            elements: thousands(largest(|row| row.elements).unwrap_or(0)),
            cells: named.map(|(engine, row)| row.map(|row| cell(&engine.name, row))).collect(),
        }
    };
    ops(report).into_iter().map(row).collect()
}

fn cell(engine: &str, row: &OpRow) -> Cell {
    let Counts { cases, parity, known, new, unsupported } = row.counts;
    let of = |some: usize| format!("{} of {}", thousands(some), thousands(cases));
    let (state, glyph, text, kind) = match (new, known, unsupported) {
        (1.., ..) => ("new", "✕", of(new), " diverge"),
        (0, 0, 0) => ("parity", "✓", thousands(cases), ""),
        (0, 0, all) if all == cases => ("unsupported", "–", "unsupported".into(), ""),
        (0, 0, _) => ("some", "✓", of(parity), ""),
        (0, _, _) => ("known", "≈", of(known), " known"),
    };
    let more = match row.max_ulp {
        _ if unsupported == cases => String::new(),
        0 => "identical".into(),
        distance => ulps(distance),
    };
    let label =
        format!("{} on {engine}: {}, {}", row.op, row.verdict, if more.is_empty() { "-" } else { &more });
    Cell { engine: engine.to_string(), state, glyph, text, kind, more, label }
}

fn ledger(report: &Report) -> Vec<LedgerEntry> {
    let of = |engine: &EngineReport| {
        let entry = |(row, problem): (&LedgerRow, &LedgerProblem)| LedgerEntry {
            engine: engine.name.clone(),
            entry: row.entry,
            select: row.select.clone(),
            what: problem.what.clone(),
        };
        engine.ledger_problems().map(entry).collect::<Vec<_>>()
    };
    report.engines.iter().flat_map(of).collect()
}

fn accuracy(report: &Report) -> Vec<Problem> {
    let of = |engine: &EngineReport| {
        let problem = |what: &str| Problem { engine: engine.name.clone(), what: what.to_string() };
        engine.accuracy_problems().map(|(_, what)| problem(what)).collect::<Vec<_>>()
    };
    report.engines.iter().flat_map(of).collect()
}

/// Why something is known, and where that is said.
type Said<'a> = (&'a str, Option<&'a str>);

/// How many cases there are, and by which entries of the ledger.
type Cases = (usize, BTreeSet<usize>);

fn known(report: &Report) -> Vec<Known> {
    let of = |(column, engine): (usize, &EngineReport)| {
        let sources: HashMap<usize, &str> =
            engine.ledger.iter().map(|row| (row.entry, row.source.as_str())).collect();
        let mut reasons: BTreeMap<Said, Cases> = BTreeMap::new();
        for case in engine.cases.iter().filter(|case| case.verdict == Word::Known) {
            let reason = case.known.as_deref().unwrap_or("in the ledger");
            let source = case.entry.and_then(|entry| sources.get(&entry).copied());
            let (count, entries) = reasons.entry((reason, source)).or_default();
            *count += 1;
            entries.insert(case.entry.unwrap_or(0));
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let reason = |((why, source), (count, entries)): (Said, Cases)| Reason {
            why: why.to_string(),
            source: source.map(str::to_string),
            count: thousands(count),
            entries: entries.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
        };
        Known {
            engine: engine.name.clone(),
            column,
            count: thousands(engine.summary.known),
            given: match reasons.len() {
                1 => "one reason".into(),
                count => format!("{} reasons", thousands(count)),
            },
            reasons: reasons.into_iter().map(reason).collect(),
        }
    };
    let engines = report.engines.iter().enumerate().filter(|(_, engine)| engine.summary.known > 0);
    engines.map(of).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::model::CaseReport;
    use super::*;
    use crate::engines::Profile;

    /// Seven engines that differ in every case of a corpus as large as the repository's, each with
    /// figures of its own.
    #[test]
    #[ignore = "takes minutes without --release"]
    fn engines_that_differ_in_everything_fit() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut case = |i: usize| {
            let data: Vec<f64> = (0..24).map(|_| draw()).collect();
            let form = json!({
                "id": format!("suite_{}/op_{}/float32-positive-transposed-dim{i}", i % 37, i % 300),
                "op": format!("op_{}", i % 300), "verdict": "new", "class": "value", "known": null,
                "max_abs": draw(), "max_ulp": (draw() * 1e6) as u64,
                "detail": format!("output 0 at [{i}]: {}; PyTorch has {} (3 of 24 elements differ too far)", draw(), draw()),
                "truth": {"engine": draw(), "torch": draw(), "word": "further"},
                "got": {"outputs": [{"dtype": "float32", "shape": [24], "start": 0, "data": data}]},
            });
            serde_json::from_value::<CaseReport>(form).unwrap()
        };
        let engines = (0..7).map(|engine| {
            let cases = (0..36_000).map(&mut case).collect();
            EngineReport::of_cases(
                format!("engine-{engine}"),
                "1.0.0".into(),
                Profile::Cpu,
                cases,
                Vec::new(),
            )
        });
        let torch = super::super::Torch {
            version: "2.15.0".into(),
            cpu_capability: "AVX2".into(),
            threads: 1,
            platform: "linux-x86_64".into(),
        };
        let page = render(&Report::new(torch, engines.collect()), None).unwrap();
        assert!(page.len() <= LIMIT, "{}", page.len());
        assert!(page.contains("To keep it small, the page"));
    }
}
