//! A run, counted.

use std::collections::BTreeMap;

use super::ExitStatus;
use crate::corpus::Torch;
use crate::engines::{Engine, Profile};
use crate::judge::{Judgement, Rule};
use crate::replay::Judged;

/// A whole run.
#[derive(Debug)]
pub struct Report<'a> {
    /// What the golden files were made under.
    pub torch: &'a Torch,
    /// One entry per engine.
    pub engines: Vec<EngineReport<'a>>,
}

/// One engine's run.
#[derive(Debug)]
pub struct EngineReport<'a> {
    /// The engine's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The tolerances that it was held to.
    pub profile: Profile,
    /// Every case, in the corpus's order.
    pub cases: Vec<Judged<'a>>,
}

/// How many cases came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub cases: usize,
    /// The engine does what PyTorch does.
    pub parity: usize,
    /// It does something else.
    pub diverge: usize,
    /// It does not do this.
    pub unsupported: usize,
}

/// One op's cases together.
#[derive(Clone, Debug, Default)]
pub struct OpRow {
    /// How they came out.
    pub counts: Counts,
    /// Elements compared.
    pub elements: usize,
    /// Largest |a - b|.
    pub max_abs: f64,
    /// Largest distance in representable values.
    pub max_ulp: u64,
    /// The rules that were applied.
    pub rules: Vec<Rule>,
    /// How many of those at parity have a note.
    pub noted: usize,
}

impl Counts {
    fn add(&mut self, judgement: &Judgement) {
        self.cases += 1;
        match judgement {
            Judgement::Parity => self.parity += 1,
            Judgement::Diverges(..) => self.diverge += 1,
            Judgement::Unsupported(_) => self.unsupported += 1,
        }
    }
}

impl OpRow {
    /// The rules as one word or a short list.
    pub fn tolerance(&self) -> String {
        if self.rules.is_empty() {
            return "-".into();
        }
        self.rules.iter().map(Rule::to_string).collect::<Vec<_>>().join(", ")
    }

    /// `OK`, or what is not.
    pub fn verdict(&self) -> String {
        match self.counts {
            Counts { diverge: 0, unsupported: 0, .. } if self.noted > 0 => {
                format!("OK, {} with other equals", self.noted)
            }
            Counts { diverge: 0, unsupported: 0, .. } => "OK".into(),
            Counts { diverge: 0, unsupported, cases, .. } if unsupported == cases => "unsupported".into(),
            Counts { diverge: 0, unsupported, .. } => format!("OK, {unsupported} unsupported"),
            Counts { diverge, .. } => format!("{diverge} DIVERGE"),
        }
    }
}

impl<'a> EngineReport<'a> {
    /// The report of an engine's cases.
    pub fn new(engine: &dyn Engine, profile: Profile, cases: Vec<Judged<'a>>) -> Self {
        EngineReport { name: engine.name().into(), version: engine.version().into(), profile, cases }
    }

    /// How many cases came out how.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.cases.iter().for_each(|case| counts.add(&case.verdict.judgement));
        counts
    }

    /// The cases by op, ops in the order of their first case.
    pub fn ops(&self) -> Vec<(&'a str, OpRow)> {
        let mut rows: Vec<(&str, OpRow)> = Vec::new();
        let mut places = BTreeMap::new();
        for Judged { entry, verdict } in &self.cases {
            let op = entry.case.call.op.as_str();
            let place = *places.entry(op).or_insert_with(|| {
                rows.push((op, OpRow::default()));
                rows.len() - 1
            });
            let row = &mut rows[place].1;
            row.counts.add(&verdict.judgement);
            row.elements += verdict.measured.elements;
            row.noted += usize::from(verdict.note.is_some());
            row.max_abs = row.max_abs.max(verdict.measured.max_abs);
            row.max_ulp = row.max_ulp.max(verdict.measured.max_ulp);
            for rule in &verdict.rules {
                if !row.rules.contains(rule) {
                    row.rules.push(*rule);
                }
            }
        }
        rows
    }
}

impl Report<'_> {
    /// The exit status of the run. A run in which no engine supported anything judged nothing.
    pub fn status(&self) -> ExitStatus {
        let counts: Vec<Counts> = self.engines.iter().map(EngineReport::counts).collect();
        if counts.iter().all(|counts| counts.unsupported == counts.cases) {
            ExitStatus::CannotJudge
        } else if counts.iter().any(|counts| counts.diverge > 0) {
            ExitStatus::Drift
        } else {
            ExitStatus::Parity
        }
    }
}
