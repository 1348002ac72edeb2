//! The accuracy ratchet: an engine's largest errors inside its tolerances beside those that
//! `golden/accuracy.json` records.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{CaseReport, EngineReport, Word};
use super::number::Number;
use crate::judge::{Accuracy, Decided, Errors, Kind, Largest, Part};

/// The largest error of one part and dtype of a case at parity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseError {
    /// What of the case.
    pub part: Part,
    /// The dtype of the tensors.
    pub dtype: String,
    /// In representable values.
    pub ulp: u64,
    /// |a - b|.
    pub abs: Number,
}

/// The largest error of an op, part and dtype, and what is recorded of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccuracyRow {
    /// The op's name.
    pub op: String,
    /// What of it.
    pub part: Part,
    /// The dtype of the tensors.
    pub dtype: String,
    /// In representable values.
    pub ulp: u64,
    /// |a - b|.
    pub abs: Number,
    /// The case with the most representable values.
    pub case: String,
    /// The recorded distance in representable values; absent where none is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_ulp: Option<u64>,
    /// The recorded |a - b|.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_abs: Option<Number>,
    /// What is wrong with it: it got worse by more than twice, or is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What of a case that came out at parity is not identical.
pub(super) fn case_errors(decided: &[Decided]) -> Vec<CaseError> {
    let mut errors: Vec<CaseError> = Vec::new();
    for Decided { part, dtype, measured, .. } in decided.iter().filter(|one| one.measured.max_ulp > 0) {
        let (ulp, abs) = (measured.max_ulp, measured.max_abs);
        match errors.iter_mut().find(|error| error.part == *part && error.dtype == dtype.name()) {
            Some(error) => {
                error.ulp = error.ulp.max(ulp);
                error.abs = error.abs.to_f64().max(abs).into();
            }
            None => {
                errors.push(CaseError { part: *part, dtype: dtype.name().into(), ulp, abs: abs.into() });
            }
        }
    }
    errors
}

/// The largest errors of an engine's cases at parity, each with the case that has the most
/// representable values.
fn largest(cases: &[CaseReport]) -> BTreeMap<Kind, (Largest, &str)> {
    let mut found: BTreeMap<Kind, (Largest, &str)> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.verdict == Word::Parity) {
        for CaseError { part, dtype, ulp, abs } in &case.errors {
            let kind = Kind { op: case.op.clone(), part: *part, dtype: dtype.clone() };
            let largest = Largest { ulp: *ulp, abs: abs.to_f64() };
            let (most, at) = found.entry(kind).or_insert((Largest::default(), &case.id));
            // Of equal ones the first by name, so that the order of the cases does not matter.
            if (largest.ulp, *at) > (most.ulp, case.id.as_str()) {
                *at = &case.id;
            }
            *most = most.or(largest);
        }
    }
    found
}

impl AccuracyRow {
    fn new(kind: Kind, largest: Largest, case: &str, recorded: Option<Largest>) -> AccuracyRow {
        let Kind { op, part, dtype } = kind;
        let (ulp, abs) = (largest.ulp, largest.abs.into());
        let (recorded_ulp, recorded_abs) =
            (recorded.map(|largest| largest.ulp), recorded.map(|largest| largest.abs.into()));
        let case = case.to_string();
        AccuracyRow { op, part, dtype, ulp, abs, case, recorded_ulp, recorded_abs, problem: None }.settled()
    }

    fn kind(&self) -> Kind {
        Kind { op: self.op.clone(), part: self.part, dtype: self.dtype.clone() }
    }

    fn recorded(&self) -> Option<Largest> {
        self.recorded_ulp.zip(self.recorded_abs).map(|(ulp, abs)| Largest { ulp, abs: abs.to_f64() })
    }

    /// With what is wrong with it.
    fn settled(mut self) -> AccuracyRow {
        let largest = Largest { ulp: self.ulp, abs: self.abs.to_f64() };
        let (kind, case) = (self.kind(), &self.case);
        self.problem = match self.recorded() {
            None => Some(format!("{kind}: {largest} is not recorded, at {case}")),
            Some(recorded) if largest.exceeds(recorded) => {
                Some(format!("{kind}: worse than recorded, {recorded} → {largest}, at {case}"))
            }
            Some(_) => None,
        };
        self
    }

    /// The same kind in two partitions as one.
    fn add(self, other: AccuracyRow) -> AccuracyRow {
        let largest = Largest { ulp: self.ulp, abs: self.abs.to_f64() };
        let both = largest.or(Largest { ulp: other.ulp, abs: other.abs.to_f64() });
        let first = (other.ulp, &self.case) <= (self.ulp, &other.case);
        let case = if first { &self.case } else { &other.case };
        AccuracyRow::new(self.kind(), both, case, self.recorded())
    }
}

/// The rows of two partitions as those of both; none where they were held to other records.
pub(super) fn add(rows: Vec<AccuracyRow>, others: Vec<AccuracyRow>) -> Option<Vec<AccuracyRow>> {
    let mut sum: BTreeMap<Kind, AccuracyRow> = rows.into_iter().map(|row| (row.kind(), row)).collect();
    for other in others {
        let row = match sum.remove(&other.kind()) {
            Some(row) if row.recorded() != other.recorded() => return None,
            Some(row) => row.add(other),
            None => other,
        };
        sum.insert(row.kind(), row);
    }
    Some(sum.into_values().collect())
}

impl EngineReport {
    /// Holds the run to what is recorded of the engine; nothing is, where the file does not know it.
    pub fn ratcheted(mut self, accuracy: &Accuracy) -> EngineReport {
        let Some(recorded) = accuracy.of(&self.name) else { return self };
        let row = |(kind, (largest, case)): (Kind, (Largest, &str))| {
            let recorded = recorded.get(&kind).copied();
            AccuracyRow::new(kind, largest, case, recorded)
        };
        self.accuracy = largest(&self.cases).into_iter().map(row).collect();
        self
    }

    /// The largest errors of its cases at parity, as they are recorded.
    pub fn errors(&self) -> Errors {
        largest(&self.cases).into_iter().map(|(kind, (largest, _))| (kind, largest)).collect()
    }

    /// Where it is less accurate than recorded, in words.
    pub fn accuracy_problems(&self) -> impl Iterator<Item = (&AccuracyRow, &str)> + Clone {
        self.accuracy.iter().filter_map(|row| Some((row, row.problem.as_deref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ulp: u64, case: &str, recorded: Option<u64>) -> AccuracyRow {
        let kind = Kind { op: "cos".into(), part: Part::Outputs, dtype: "float32".into() };
        let largest = |ulp: u64| Largest { ulp, abs: ulp as f64 };
        AccuracyRow::new(kind, largest(ulp), case, recorded.map(largest))
    }

    #[test]
    fn what_got_worse_or_is_not_recorded_is_named() {
        assert_eq!(row(4, "a", Some(2)).problem, None);
        assert_eq!(row(1, "a", Some(9)).problem, None, "better is no fault");
        let worse = "cos outputs float32: worse than recorded, 2 ulp (2.00e0) → 5 ulp (5.00e0), at a";
        assert_eq!(row(5, "a", Some(2)).problem.as_deref(), Some(worse));
        let missing = "cos outputs float32: 1 ulp (1.00e0) is not recorded, at a";
        assert_eq!(row(1, "a", None).problem.as_deref(), Some(missing));
    }

    #[test]
    fn partitions_add_up_in_either_order() {
        let sum = |one: AccuracyRow, other: AccuracyRow| add(vec![one], vec![other]);
        let (low, high) = (row(3, "b", Some(2)), row(5, "c", Some(2)));
        assert_eq!(sum(low.clone(), high.clone()), Some(vec![high.clone()]));
        assert_eq!(sum(high.clone(), low), Some(vec![high]));
        let (first, second) = (row(3, "a", Some(2)), row(3, "b", Some(2)));
        assert_eq!(sum(second.clone(), first.clone()), Some(vec![first.clone()]));
        assert_eq!(sum(first.clone(), second), Some(vec![first.clone()]));
        assert_eq!(sum(first, row(3, "b", Some(7))), None, "another file");
    }
}
