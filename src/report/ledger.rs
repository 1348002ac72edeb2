//! What became of a ledger's entries: as the reports show it, and as partitions add it up.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::{Number, ulp};
use crate::judge::{Class, Known, Tally};

/// How many times larger or smaller than recorded a size may come out: results of real engines
/// depend on the machine's vectors, which decide the order of sums.
const SLACK: u64 = 2;

/// One entry of a ledger, and what became of its cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerRow {
    /// Its number in the file, from 1.
    pub entry: usize,
    /// The `-k` expression for its cases.
    pub select: String,
    /// In what they diverge.
    pub class: String,
    /// The reason.
    pub why: String,
    /// Where that is said.
    pub source: String,
    /// The recorded distance in representable values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ulp: Option<u64>,
    /// The recorded |a - b|.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_abs: Option<Number>,
    /// Whether it is about this version of the engine; if not, nothing is counted.
    pub applies: bool,
    /// How many cases of the run it selects.
    pub cases: usize,
    /// How many of them the engine does not support.
    pub unsupported: usize,
    /// How many diverge in its class.
    pub explained: usize,
    /// How many diverge in which other class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub otherwise: BTreeMap<String, usize>,
    /// Largest distance in representable values among those that it explains.
    pub measured_ulp: u64,
    /// Largest |a - b| among those.
    pub measured_abs: Number,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<LedgerProblem>,
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerProblem {
    /// In a word.
    pub fault: LedgerFault,
    /// In words.
    pub what: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LedgerFault {
    /// No case of the corpus is selected.
    SelectsNothing,
    /// None of the cases diverges.
    Stale,
    /// They diverge, but not in the class.
    Class,
    /// They diverge by another size.
    Size,
}

impl LedgerFault {
    /// The word as it stands in files.
    pub fn name(self) -> &'static str {
        match self {
            LedgerFault::SelectsNothing => "selects-nothing",
            LedgerFault::Stale => "stale",
            LedgerFault::Class => "class",
            LedgerFault::Size => "size",
        }
    }
}

impl LedgerRow {
    pub(super) fn new(entry: usize, known: &Known, tally: Tally) -> LedgerRow {
        let class = |(class, count): (Class, usize)| (class.name().to_string(), count);
        LedgerRow {
            entry,
            select: known.select.clone(),
            class: known.class.name().into(),
            why: known.why.clone(),
            source: known.source.clone(),
            max_ulp: known.max_ulp,
            max_abs: known.max_abs.map(Number::from),
            applies: tally.applies,
            cases: tally.cases,
            unsupported: tally.unsupported,
            explained: tally.explained,
            otherwise: tally.otherwise.into_iter().map(class).collect(),
            measured_ulp: tally.max_ulp,
            measured_abs: tally.max_abs.into(),
            problem: None,
        }
    }

    /// The same entry in two partitions as one; none where it is another entry.
    pub(super) fn add(self, other: LedgerRow) -> Option<LedgerRow> {
        let identity = |row: &LedgerRow| LedgerRow {
            cases: 0,
            unsupported: 0,
            explained: 0,
            otherwise: BTreeMap::new(),
            measured_ulp: 0,
            measured_abs: 0.0.into(),
            problem: None,
            ..row.clone()
        };
        if identity(&self) != identity(&other) {
            return None;
        }
        let mut otherwise = self.otherwise;
        for (class, count) in &other.otherwise {
            *otherwise.entry(class.clone()).or_default() += count;
        }
        Some(LedgerRow {
            cases: self.cases + other.cases,
            unsupported: self.unsupported + other.unsupported,
            explained: self.explained + other.explained,
            otherwise,
            measured_ulp: self.measured_ulp.max(other.measured_ulp),
            measured_abs: self.measured_abs.to_f64().max(other.measured_abs.to_f64()).into(),
            problem: None,
            ..identity(&other)
        })
    }

    /// Says what is wrong with the entry. Of a run of less than the whole corpus only a size that
    /// is too large can be said: the rest may be true of what was not run.
    pub(super) fn settle(&mut self, whole: bool) {
        let problem = |fault, what| Some(LedgerProblem { fault, what });
        self.problem = match self.applies {
            false => None,
            true if self.explained > 0 => self.size(whole).and_then(|what| problem(LedgerFault::Size, what)),
            true if !whole => None,
            true if self.cases == 0 => {
                problem(LedgerFault::SelectsNothing, "selects no case of the corpus".into())
            }
            true if !self.otherwise.is_empty() => {
                let classes = self.otherwise.iter().map(|(class, count)| format!("{count} as {class}"));
                let classes = classes.collect::<Vec<_>>().join(", ");
                problem(LedgerFault::Class, format!("its cases diverge otherwise: {classes}"))
            }
            true if self.unsupported == self.cases => {
                problem(LedgerFault::Stale, format!("none of its {} cases is supported", self.cases))
            }
            true => problem(LedgerFault::Stale, format!("its {} cases agree with PyTorch", self.cases)),
        };
    }

    /// What is wrong with its sizes.
    fn size(&self, whole: bool) -> Option<String> {
        let changed = |name: &str, measured: String, recorded: String| {
            format!("{name} is {measured}; the ledger says {recorded}")
        };
        if let Some(recorded) = self.max_ulp {
            let measured = self.measured_ulp;
            if measured > recorded.saturating_mul(SLACK)
                || (whole && recorded > measured.saturating_mul(SLACK))
            {
                return Some(changed("max_ulp", ulp(measured), ulp(recorded)));
            }
        }
        if let Some(recorded) = self.max_abs {
            let (measured, recorded) = (self.measured_abs.to_f64(), recorded.to_f64());
            let slack = SLACK as f64;
            if measured > recorded * slack || (whole && recorded > measured * slack) {
                return Some(changed("max_abs", format!("{measured:.2e}"), format!("{recorded:.2e}")));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> LedgerRow {
        LedgerRow {
            entry: 1,
            select: "op:sum".into(),
            class: "value".into(),
            why: "so".into(),
            source: "here".into(),
            max_ulp: None,
            max_abs: None,
            applies: true,
            cases: 3,
            unsupported: 0,
            explained: 2,
            otherwise: BTreeMap::new(),
            measured_ulp: 8,
            measured_abs: 0.5.into(),
            problem: None,
        }
    }

    fn problem(mut row: LedgerRow, whole: bool) -> Option<(LedgerFault, String)> {
        row.settle(whole);
        row.problem.map(|problem| (problem.fault, problem.what))
    }

    #[test]
    fn an_entry_holds_while_some_case_diverges_so() {
        assert_eq!(problem(row(), true), None);
        let wrong = |row: LedgerRow| {
            assert_eq!(problem(row.clone(), false), None, "the rest may be true of what was not run");
            assert_eq!(problem(LedgerRow { applies: false, ..row.clone() }, true), None);
            problem(row, true).map(|(fault, what)| format!("{}: {what}", fault.name()))
        };
        let none = LedgerRow { explained: 0, ..row() };
        let otherwise = BTreeMap::from([("nan".to_string(), 2), ("dtype".to_string(), 1)]);
        insta::assert_debug_snapshot!(
            [
                wrong(LedgerRow { cases: 0, ..none.clone() }),
                wrong(none.clone()),
                wrong(LedgerRow { unsupported: 3, ..none.clone() }),
                wrong(LedgerRow { otherwise, ..none }),
            ],
            @r#"
        [
            Some(
                "selects-nothing: selects no case of the corpus",
            ),
            Some(
                "stale: its 3 cases agree with PyTorch",
            ),
            Some(
                "stale: none of its 3 cases is supported",
            ),
            Some(
                "class: its cases diverge otherwise: 1 as dtype, 2 as nan",
            ),
        ]
        "#
        );
    }

    #[test]
    fn a_size_may_change_by_a_factor_of_two() {
        let ulp = |recorded, whole| problem(LedgerRow { max_ulp: Some(recorded), ..row() }, whole).is_some();
        assert_eq!([3, 4, 16, 17].map(|recorded| ulp(recorded, true)), [true, false, false, true]);
        assert_eq!([3, 17].map(|recorded| ulp(recorded, false)), [true, false]);
        let abs =
            |recorded: f64| problem(LedgerRow { max_abs: Some(recorded.into()), ..row() }, true).is_some();
        assert_eq!([0.24, 0.25, 1.0, 1.01].map(abs), [true, false, false, true]);
        assert!(abs(f64::INFINITY));
        let infinite = LedgerRow { measured_abs: f64::INFINITY.into(), ..row() };
        assert_eq!(
            problem(LedgerRow { max_abs: Some(f64::INFINITY.into()), ..infinite.clone() }, true),
            None
        );
        assert!(problem(LedgerRow { max_abs: Some(1.0.into()), ..infinite }, true).is_some());
        assert!(
            problem(LedgerRow { max_ulp: Some(u64::MAX), measured_ulp: u64::MAX, ..row() }, true).is_none()
        );
    }

    #[test]
    fn partitions_add_up() {
        let otherwise = |count| BTreeMap::from([("nan".to_string(), count)]);
        let one = LedgerRow { otherwise: otherwise(1), ..row() };
        let other = LedgerRow { otherwise: otherwise(2), measured_ulp: 9, unsupported: 4, ..row() };
        let sum = one.clone().add(other).unwrap();
        assert_eq!((sum.cases, sum.unsupported, sum.explained), (6, 4, 4));
        assert_eq!((sum.measured_ulp, sum.measured_abs.to_f64()), (9, 0.5));
        assert_eq!(sum.otherwise, otherwise(3));
        assert_eq!(one.add(LedgerRow { why: "otherwise".into(), ..row() }), None);
    }
}
