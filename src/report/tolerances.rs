//! `compare tolerances`: what each rule decided, the largest error that it admitted, and whether
//! its figure is justified.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

use super::number::{Number, thousands};
use super::table::{BAD, GOOD, HEAD, paint};
use super::{ExitStatus, Torch};
use crate::corpus::{Backpropagated, Golden, Outcome, Spread};
use crate::engines::{Engine, Profile};
use crate::judge::{Decided, Part, Rule, Tolerance, Tolerances};
use crate::replay::Judged;
use crate::tensor::{DType, Tensor};

/// A rule may admit so many times what was seen, not more.
const WIDE: f64 = 4.0;

/// Op names of a rule in the table; more of them are counted.
const OPS: usize = 3;

/// Columns of the reasons.
const WIDTH: u16 = 110;

/// How the rules are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// For people.
    #[default]
    Table,
    /// For programs.
    Json,
}

/// The rules of some engines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulesReport {
    /// Version of this format: 1.
    pub schema: u64,
    /// Under what the golden files were made.
    pub torch: Torch,
    /// One entry per engine.
    pub engines: Vec<EngineRules>,
    /// The exit status: 0 every figure is justified, 1 some is not.
    pub status: u8,
}

/// The rules that an engine may be held to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineRules {
    /// The engine's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The tolerances that it was held to.
    pub profile: Profile,
    /// The rules, in the file's order.
    pub rules: Vec<RuleRow>,
}

/// One rule, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleRow {
    /// Its number in the file, from 1.
    pub number: usize,
    /// As it stands in the file.
    #[serde(flatten)]
    pub tolerance: Tolerance,
    /// How many cases it decided, alone or with others.
    pub cases: usize,
    /// How many elements.
    pub elements: usize,
    /// How many of them it admits only because PyTorch's own answers are as far apart.
    pub by_spread: usize,
    /// The largest error that it admitted, as a figure of its kind.
    pub largest: Number,
    /// The largest spread of its cases that has a bound, likewise; nothing to a pinned rule.
    pub spread: Number,
    /// The case with that spread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread_at: Option<String>,
    /// What it admits by the largest error that it has to admit: seen here, measured elsewhere, or
    /// PyTorch's own. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// What is remarkable about it.
    pub notes: Vec<Note>,
    /// Whether a note is a fault.
    pub justified: bool,
}

/// What may be remarkable about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// It decided nothing.
    Unused,
    /// PyTorch's own answers are further apart than it admits.
    Narrow,
    /// What was measured elsewhere is more than it admits.
    Below,
    /// It admits more than four times what it has to.
    Wide,
    /// Its engine follows the pinned order.
    Pinned,
    /// Its figure is promised.
    Contract,
}

impl Note {
    fn words(self) -> &'static str {
        match self {
            Note::Unused => "unused",
            Note::Narrow => "narrower than PyTorch's spread",
            Note::Below => "narrower than what was measured",
            Note::Wide => "wide",
            Note::Pinned => "pinned",
            Note::Contract => "contract",
        }
    }
}

/// The rules that an engine may be held to, after a run of it; `whole` says that the run was of
/// the whole corpus.
pub fn of_engine(
    engine: &dyn Engine,
    profile: Profile,
    tolerances: &Tolerances,
    cases: &[Judged],
    whole: bool,
) -> EngineRules {
    let mut sums = vec![Sum::default(); tolerances.rules().len()];
    for Judged { entry, verdict } in cases {
        for (i, decided) in verdict.decided.iter().enumerate() {
            let Some(sum) = decided.rule.and_then(|rule| sums.get_mut(rule)) else { continue };
            let first = verdict.decided[..i].iter().all(|other| other.rule != decided.rule);
            sum.cases += usize::from(first);
            sum.elements += decided.measured.elements;
            sum.by_spread += decided.measured.by_spread;
            sum.largest = sum.largest.max(decided.measured.needed);
        }
        let Ok(golden) = &entry.golden else { continue };
        let spread =
            golden.spread.and_then(|spread| held_against(tolerances, golden, spread, &verdict.decided));
        if let Some((rule, needed)) = spread
            && needed > sums[rule].spread
        {
            sums[rule].spread = needed;
            sums[rule].spread_at = Some(entry.case.id.clone());
        }
    }
    let own = |tolerance: &Tolerance| {
        tolerance.profile == profile && tolerance.engine.as_deref().is_none_or(|name| name == engine.name())
    };
    let rows = tolerances.rules().iter().zip(sums).enumerate().filter(|(_, (tolerance, _))| own(tolerance));
    let rules = rows.map(|(i, (tolerance, sum))| sum.row(i + 1, tolerance, whole)).collect();
    EngineRules { name: engine.name().into(), version: engine.version().into(), profile, rules }
}

/// What a rule's cases add up to.
#[derive(Clone, Default)]
struct Sum {
    cases: usize,
    elements: usize,
    by_spread: usize,
    largest: f64,
    spread: f64,
    spread_at: Option<String>,
}

impl Sum {
    fn row(self, number: usize, tolerance: &Tolerance, whole: bool) -> RuleRow {
        let figure = tolerance.rule.figure();
        let measured = tolerance.measured.unwrap_or(0.0);
        let has_to = self.largest.max(self.spread).max(measured);
        let found = [
            (Note::Unused, self.cases == 0, whole && tolerance.engine.is_some() && !tolerance.contract),
            (Note::Narrow, self.spread > figure, !tolerance.contract),
            (Note::Below, measured > figure, true),
            (Note::Wide, self.cases > 0 && figure > WIDE * has_to, whole && !tolerance.contract),
            (Note::Pinned, tolerance.pinned, false),
            (Note::Contract, tolerance.contract, false),
        ];
        RuleRow {
            number,
            tolerance: tolerance.clone(),
            cases: self.cases,
            elements: self.elements,
            by_spread: self.by_spread,
            largest: self.largest.into(),
            spread: self.spread.into(),
            spread_at: self.spread_at,
            margin: (has_to > 0.0).then_some(figure / has_to),
            notes: found.iter().filter(|(_, is, _)| *is).map(|(note, ..)| *note).collect(),
            justified: !found.iter().any(|(_, is, fault)| *is && *fault),
        }
    }
}

/// Which rule of a case the spread of it is held against, and the figure that would admit it: of
/// several the one that admits the most of it, at the element where it admits most, since a
/// spread does not say in which tensor and element it was. None where all are pinned, or where
/// PyTorch's answers have no bound, which no rule admits.
fn held_against(
    tolerances: &Tolerances,
    golden: &Golden,
    spread: Spread,
    decided: &[Decided],
) -> Option<(usize, f64)> {
    let (ulp, abs) = spread.ulp.zip(spread.abs)?;
    let needed = |decided: &Decided| {
        let position = decided.rule?;
        let tolerance = tolerances.rules().get(position)?;
        if tolerance.pinned || !decided.dtype.is_floating() {
            return None;
        }
        let (wanted, scale) = largest(golden, decided.part, decided.dtype);
        let needed = tolerance.rule.needed(decided.dtype, ulp, abs, wanted, scale);
        Some((position, needed, needed / tolerance.rule.figure()))
    };
    let found = decided.iter().filter_map(needed).min_by(|a, b| a.2.total_cmp(&b.2));
    found.map(|(position, needed, _)| (position, needed))
}

/// The largest |x|, and the largest sum of |x| behind an element, of PyTorch's tensors of a part
/// and dtype.
fn largest(golden: &Golden, part: Part, dtype: DType) -> (f64, Option<f64>) {
    let Outcome::Returned { outputs, backward, .. } = &golden.outcome else { return (0.0, None) };
    let mut pairs: Vec<(&Tensor, Option<&Tensor>)> = Vec::new();
    match (part, backward) {
        (Part::Outputs, _) => {
            pairs.extend(outputs.iter().enumerate().map(|(i, output)| (output, golden.abs_sum.get(i))));
        }
        (Part::Gradients, Some(Backpropagated::Gave(gradients))) => {
            for (name, list) in gradients {
                let scale = |i: usize| golden.grads_abs_sum.get(name)?.get(i)?.as_ref();
                pairs.extend(list.iter().enumerate().filter_map(|(i, one)| Some((one.as_ref()?, scale(i)))));
            }
        }
        (Part::Gradients, _) => {}
    }
    let most = |tensor: &Tensor| {
        let sizes = tensor.scalars().map(|value| value.to_f64().abs());
        sizes.filter(|size| size.is_finite()).fold(0.0, f64::max)
    };
    let pairs = pairs.into_iter().filter(|(tensor, _)| tensor.dtype() == dtype);
    pairs.fold((0.0, None), |(size, scale), (tensor, own)| {
        let own = own.map(most);
        (most(tensor).max(size), own.map_or(scale, |own| Some(own.max(scale.unwrap_or(0.0)))))
    })
}

impl RulesReport {
    /// The report of engines' rules.
    pub fn new(torch: impl Into<Torch>, engines: Vec<EngineRules>) -> RulesReport {
        let justified = engines.iter().flat_map(|engine| &engine.rules).all(|row| row.justified);
        let status = if justified { ExitStatus::Parity } else { ExitStatus::Drift };
        RulesReport { schema: 1, torch: torch.into(), engines, status: status as u8 }
    }

    /// The exit status: drift where some figure is not justified.
    pub fn status(&self) -> ExitStatus {
        if self.status == 0 { ExitStatus::Parity } else { ExitStatus::Drift }
    }
}

/// The report as text; `reasons` says why each figure is what it is.
pub fn render(report: &RulesReport, form: Form, reasons: bool) -> serde_json::Result<String> {
    if form == Form::Json {
        return Ok(serde_json::to_string_pretty(report)? + "\n");
    }
    let mut text = String::new();
    for engine in &report.engines {
        table(&mut text, engine);
        if reasons {
            why(&mut text, engine);
        }
        let unjustified = engine.rules.iter().filter(|row| !row.justified).count();
        let word = if unjustified == 0 { paint("OK", GOOD) } else { paint("DRIFT", BAD) };
        let _ = writeln!(
            text,
            "\n{} {} · {} rules · {unjustified} not justified · PyTorch {} {} · {word}",
            engine.name,
            engine.version,
            engine.rules.len(),
            report.torch.version,
            report.torch.cpu_capability,
        );
    }
    Ok(text)
}

fn table(text: &mut String, engine: &EngineRules) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "rule", "part", "op", "dtype", "admits", "cases", "elements", "largest", "spread", "margin", "notes",
    ]);
    for row in &engine.rules {
        let Tolerance { part, op, dtype, rule, measured, .. } = &row.tolerance;
        let seen = figure(*rule, row.largest.to_f64());
        table.add_row([
            row.number.to_string(),
            part.map_or("all", Part::name).to_string(),
            shortened(op),
            dtype.clone(),
            rule.to_string(),
            thousands(row.cases),
            thousands(row.elements),
            measured.map_or_else(|| seen.clone(), |measured| format!("{seen} ({})", figure(*rule, measured))),
            if row.tolerance.pinned { "-".into() } else { figure(*rule, row.spread.to_f64()) },
            row.margin.filter(|_| *rule != Rule::Exact).map_or("-".into(), |margin| format!("{margin:.1}")),
            notes(row),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for number in [0, 5, 6, 7, 8, 9] {
        if let Some(column) = table.column_mut(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for (i, line) in table.lines().enumerate() {
        let line = line.trim_end();
        let faulty = i > 0 && engine.rules.get(i - 1).is_some_and(|row| !row.justified);
        let line = match i {
            0 => paint(line, HEAD),
            _ if faulty => paint(line, BAD),
            _ => line.to_string(),
        };
        let _ = writeln!(text, "{line}");
    }
}

fn notes(row: &RuleRow) -> String {
    let mut notes: Vec<String> = row.notes.iter().map(|note| note.words().to_string()).collect();
    if row.by_spread > 0 {
        notes.push(format!("{} within the spread", thousands(row.by_spread)));
    }
    if let (Some(case), true) = (&row.spread_at, row.notes.contains(&Note::Narrow)) {
        notes.push(format!("at {case}"));
    }
    notes.join(", ")
}

/// The reasons, each beside its rule's number.
fn why(text: &mut String, engine: &EngineRules) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    for row in &engine.rules {
        table.add_row([row.number.to_string(), row.tolerance.why.clone()]);
    }
    let _ = writeln!(text);
    for line in table.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn shortened(ops: &str) -> String {
    let names: Vec<&str> = ops.split('|').collect();
    match names.get(..OPS) {
        Some(first) if names.len() > OPS => format!("{}|… {} more", first.join("|"), names.len() - OPS),
        _ => ops.to_string(),
    }
}

/// A figure of a rule's kind.
fn figure(rule: Rule, figure: f64) -> String {
    match rule {
        _ if figure == 0.0 => "0".into(),
        Rule::Exact | Rule::Ulp(_) => super::number::ulp(figure as u64),
        Rule::Near { .. } => format!("{figure:.2e}"),
        Rule::SumScaled(_) => format!("{figure:.2}"),
    }
}
