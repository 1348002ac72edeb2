//! A run as every report shows it: also, field by field, the JSON report.
//!
//! It owns all that it holds, so that a report that was read from a file and one of a run that
//! just ended are the same to whoever shows them.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ExitStatus;
use super::accuracy::{AccuracyRow, CaseError, case_errors};
use super::evidence::{Evidence, Shown, Truth, TruthCounts};
use super::ledger::{LedgerProblem, LedgerRow};
use super::number::Number;
use crate::corpus;
use crate::engines::{Engine, Profile};
use crate::judge::{Judgement, Ledger, Rule};
use crate::replay::Judged;

/// The version of the JSON report.
pub(super) const SCHEMA: u64 = 1;

/// So many engines beside the truth make PyTorch the odd one out.
const AGREEING: usize = 3;

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "torch-parity JSON report")]
pub struct Report {
    /// Version of this format: 1. Within it keys may be added, and none goes.
    pub schema: u64,
    /// Under what the golden files were made.
    pub torch: Torch,
    /// Which part of the selected cases this is; absent for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Share>,
    /// Whether everything had to be equal to the bit, whatever the tolerances say.
    #[serde(default)]
    pub strict: bool,
    /// Whether less than the whole corpus was selected: no entry of a ledger is stale then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub selection: bool,
    /// One entry per engine.
    pub engines: Vec<EngineReport>,
    /// The exit status: 0 parity, 1 drift, 2 could not judge.
    pub status: u8,
}

/// Under what the golden files were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Torch {
    /// PyTorch's version, without the local part.
    pub version: String,
    /// `torch.backends.cpu.get_cpu_capability()`.
    pub cpu_capability: String,
    /// Number of threads.
    pub threads: u64,
    /// Operating system and architecture.
    pub platform: String,
}

/// A partition of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Which one, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
    /// How many cases all of them hold together.
    pub of_cases: usize,
}

/// One engine's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineReport {
    /// The engine's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What to say behind `--engine` to get it, quoted for a shell, where that is not its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The tolerances that it was held to.
    #[schemars(with = "ProfileName")]
    pub profile: Profile,
    /// How many cases came out how.
    pub summary: Counts,
    /// The cases by op, ops in the order of their first case.
    pub ops: Vec<OpRow>,
    /// Every case, in the corpus's order.
    pub cases: Vec<CaseReport>,
    /// What became of the entries of its ledger, in the ledger's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<LedgerRow>,
    /// Its largest errors inside the tolerances beside those in `golden/accuracy.json`, where that
    /// file knows the engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<AccuracyRow>,
}

/// How many cases came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// All of them.
    pub cases: usize,
    /// The engine does what PyTorch does, within the tolerance.
    pub parity: usize,
    /// It does something else, and the ledger explains why.
    pub known: usize,
    /// It does something else, and nothing explains it.
    pub new: usize,
    /// It does not do this.
    pub unsupported: usize,
}

/// One op's cases together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpRow {
    /// The op's name.
    pub op: String,
    /// How many cases it has.
    pub cases: usize,
    /// Elements compared.
    pub elements: usize,
    /// Largest |a - b|; infinite where one side only is NaN or infinite.
    pub max_abs: Number,
    /// Largest distance in representable values; 18446744073709551615 where there is none.
    pub max_ulp: u64,
    /// The rules that were applied, in words.
    pub tolerance: String,
    /// `OK`, or what is not.
    pub verdict: String,
    /// How the cases came out.
    pub counts: Counts,
    /// How many floating elements lie how far from PyTorch's: `[d, n]` counts those that are at
    /// least d and less than 2·d representable values away (0: identical).
    #[serde(default)]
    pub ulps: Vec<(u64, usize)>,
    /// How near to the float64 truth the cases are beside PyTorch; absent where none has one.
    #[serde(default, skip_serializing_if = "TruthCounts::none")]
    pub truth: TruthCounts,
}

/// One case's verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// The case's id.
    pub id: String,
    /// Its op.
    pub op: String,
    /// The verdict.
    pub verdict: Word,
    /// Largest |a - b|.
    pub max_abs: Number,
    /// Largest distance in representable values.
    pub max_ulp: u64,
    /// In what the engine diverges.
    pub class: Option<String>,
    /// Why, where the ledger knows.
    pub known: Option<String>,
    /// The number of the ledger's entry that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// What differs, or what is unsupported.
    pub detail: Option<String>,
    /// What is remarkable about a parity: an answer that differs from PyTorch's and is as right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Which engines give the float64 truth here, rounded, where PyTorch does not: said where
    /// they are three or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd: Option<String>,
    /// Elements compared.
    #[serde(default)]
    pub elements: usize,
    /// Elements of the first output.
    #[serde(default)]
    pub first_elements: usize,
    /// The rules that were applied.
    #[serde(default)]
    #[schemars(with = "Vec<RuleForm>")]
    pub rules: Vec<Rule>,
    /// The golden file, where its record of this case cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
    /// Position in the selection of which this report is a partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// How many of the elements compared are floating.
    #[serde(default)]
    pub floating: usize,
    /// As an op's `ulps`; absent where all floating elements are identical.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ulps: Vec<(u64, usize)>,
    /// The largest errors by part and dtype, of a parity that is not identical.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<CaseError>,
    /// How far both are from the float64 truth, where one is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// What the engine gave, where that is not what PyTorch gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<Box<Shown>>,
}

/// A verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// The engine does what PyTorch does, within the tolerance.
    Parity,
    /// It does something else, and the ledger explains why.
    Known,
    /// It does something else, and nothing explains it.
    New,
    /// It does not do this.
    Unsupported,
}

/// The profiles' names.
#[derive(JsonSchema)]
#[schemars(rename = "Profile", rename_all = "lowercase")]
#[expect(dead_code, reason = "stands for engines::Profile in the schema")]
enum ProfileName {
    Cpu,
    Metal,
}

/// A rule of the tolerances: one of `exact`, `ulp`, `atol` with `rtol`, `sum_scaled`.
#[derive(JsonSchema)]
#[schemars(rename = "Rule")]
#[expect(dead_code, reason = "stands for judge::Rule in the schema")]
struct RuleForm {
    /// The same bits.
    exact: Option<bool>,
    /// At most so many representable values away.
    ulp: Option<u64>,
    /// The absolute part of `|a - b| <= atol + rtol * |b|`.
    atol: Option<f64>,
    /// Its relative part.
    rtol: Option<f64>,
    /// `|a - b| <= K * eps(dtype) * sum|x|`.
    sum_scaled: Option<f64>,
}

impl Word {
    /// The word as it stands in files.
    pub fn name(self) -> &'static str {
        match self {
            Word::Parity => "parity",
            Word::Known => "known",
            Word::New => "new",
            Word::Unsupported => "unsupported",
        }
    }

    /// Whether the engine does something else than PyTorch.
    pub fn diverges(self) -> bool {
        matches!(self, Word::Known | Word::New)
    }
}

impl From<&corpus::Torch> for Torch {
    fn from(torch: &corpus::Torch) -> Torch {
        let corpus::Torch { version, cpu_capability, threads, platform } = torch.clone();
        Torch { version, cpu_capability, threads, platform }
    }
}

impl CaseReport {
    fn new(judged: &Judged, evidence: Evidence) -> CaseReport {
        let Judged { entry, verdict } = judged;
        let (word, class, detail) = match &verdict.judgement {
            Judgement::Parity => (Word::Parity, None, None),
            Judgement::Diverges(class, detail) => (Word::New, Some(class.name()), Some(detail)),
            Judgement::Unsupported(what) => (Word::Unsupported, None, Some(what)),
        };
        let damaged = entry.golden.is_err() && word == Word::New;
        let damaged = damaged.then(|| entry.golden_file.display().to_string());
        CaseReport {
            id: entry.case.id.clone(),
            op: entry.case.call.op.clone(),
            verdict: word,
            max_abs: verdict.measured.max_abs.into(),
            max_ulp: verdict.measured.max_ulp,
            class: class.map(str::to_string),
            known: None,
            entry: None,
            detail: detail.cloned(),
            note: verdict.note.map(str::to_string),
            odd: None,
            elements: verdict.measured.elements,
            first_elements: verdict.first_elements,
            rules: verdict.rules.clone(),
            damaged,
            position: None,
            floating: evidence.floating,
            ulps: evidence.ulps,
            errors: if word == Word::Parity { case_errors(&verdict.decided) } else { Vec::new() },
            truth: evidence.truth,
            got: evidence.got,
        }
    }

    /// First part of the id.
    pub fn suite(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// The id without the suite.
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(_, name)| name)
    }

    /// Last part of the id.
    pub fn special(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

impl Counts {
    fn add(&mut self, word: Word) {
        self.cases += 1;
        match word {
            Word::Parity => self.parity += 1,
            Word::Known => self.known += 1,
            Word::New => self.new += 1,
            Word::Unsupported => self.unsupported += 1,
        }
    }

    /// Cases in which the engine does something else than PyTorch.
    pub fn diverge(&self) -> usize {
        self.known + self.new
    }
}

/// The rules as one word or a short list.
fn tolerance(rules: &[Rule]) -> String {
    match rules {
        [] => "-".into(),
        rules => rules.iter().map(Rule::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// `OK`, or what is not.
fn op_verdict(counts: Counts, noted: usize) -> String {
    let Counts { cases, known, new, unsupported, .. } = counts;
    match (new, known, unsupported) {
        (0, 0, 0) if noted > 0 => format!("OK, {noted} with other equals"),
        (0, 0, 0) => "OK".into(),
        (0, 0, all) if all == cases => "unsupported".into(),
        (0, 0, some) => format!("OK, {some} unsupported"),
        (0, known, 0) => format!("OK, {known} known"),
        (0, known, some) => format!("OK, {known} known, {some} unsupported"),
        (new, ..) => format!("{new} DIVERGE"),
    }
}

/// What becomes an [`OpRow`].
#[derive(Default)]
struct OpSum<'a> {
    op: &'a str,
    counts: Counts,
    elements: usize,
    max_abs: f64,
    max_ulp: u64,
    rules: Vec<Rule>,
    ulps: BTreeMap<u64, usize>,
    truth: TruthCounts,
    /// How many of those at parity have a note.
    noted: usize,
}

impl<'a> OpSum<'a> {
    fn add(&mut self, case: &'a CaseReport) {
        self.op = &case.op;
        self.counts.add(case.verdict);
        self.noted += usize::from(case.note.is_some());
        self.elements += case.elements;
        self.max_abs = self.max_abs.max(case.max_abs.to_f64());
        self.max_ulp = self.max_ulp.max(case.max_ulp);
        for rule in &case.rules {
            if !self.rules.contains(rule) {
                self.rules.push(*rule);
            }
        }
        if case.ulps.is_empty() && case.floating > 0 {
            *self.ulps.entry(0).or_default() += case.floating;
        }
        if let Some(truth) = case.truth {
            self.truth.add(truth.word);
        }
        for &(distance, count) in &case.ulps {
            *self.ulps.entry(distance).or_default() += count;
        }
    }

    fn row(self) -> OpRow {
        OpRow {
            op: self.op.to_string(),
            cases: self.counts.cases,
            elements: self.elements,
            max_abs: self.max_abs.into(),
            max_ulp: self.max_ulp,
            tolerance: tolerance(&self.rules),
            verdict: op_verdict(self.counts, self.noted),
            counts: self.counts,
            ulps: self.ulps.into_iter().collect(),
            truth: self.truth,
        }
    }
}

impl EngineReport {
    /// The report of an engine's cases, with no more of them than the verdicts, and of an engine
    /// of which nothing is known.
    pub fn new(engine: &dyn Engine, profile: Profile, cases: Vec<Judged>) -> EngineReport {
        let cases = cases.into_iter().map(|judged| (judged, Evidence::default())).collect();
        EngineReport::with_ledger(engine, profile, cases, &Ledger::default())
    }

    /// The report of an engine's cases, in which the divergences that its ledger explains are
    /// known.
    pub fn with_ledger(
        engine: &dyn Engine,
        profile: Profile,
        cases: Vec<(Judged, Evidence)>,
        ledger: &Ledger,
    ) -> EngineReport {
        let read: Vec<_> = cases.iter().map(|(judged, _)| (&judged.entry.case, &judged.verdict)).collect();
        let reading = ledger.read(engine.version(), &read);
        let report = |((judged, evidence), entry): ((Judged, Evidence), Option<usize>)| {
            let mut case = CaseReport::new(&judged, evidence);
            if let Some((entry, known)) = entry.and_then(|entry| Some((entry, ledger.entries.get(entry)?))) {
                case.verdict = Word::Known;
                case.known = Some(known.why.clone());
                case.entry = Some(entry + 1);
            }
            case
        };
        let rows = ledger.entries.iter().zip(reading.tallies).enumerate();
        let rows = rows.map(|(entry, (known, tally))| LedgerRow::new(entry + 1, known, tally)).collect();
        let cases = cases.into_iter().zip(reading.explained).map(report).collect();
        let (name, version, argument) = (engine.name().into(), engine.version().into(), engine.argument());
        let command = (argument != name).then_some(argument);
        EngineReport { command, ..EngineReport::of_cases(name, version, profile, cases, rows) }
    }

    /// Sums the cases up.
    pub(super) fn of_cases(
        name: String,
        version: String,
        profile: Profile,
        cases: Vec<CaseReport>,
        ledger: Vec<LedgerRow>,
    ) -> EngineReport {
        let mut sums: Vec<OpSum> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut summary = Counts::default();
        for case in &cases {
            summary.add(case.verdict);
            let place = *places.entry(&case.op).or_insert_with(|| {
                sums.push(OpSum::default());
                sums.len() - 1
            });
            sums[place].add(case);
        }
        let ops = sums.into_iter().map(OpSum::row).collect();
        EngineReport {
            name,
            version,
            command: None,
            profile,
            summary,
            ops,
            cases,
            ledger,
            accuracy: Vec::new(),
        }
    }

    /// What to say behind `--engine` to get it.
    pub fn argument(&self) -> &str {
        self.command.as_deref().unwrap_or(&self.name)
    }

    /// What is wrong with its ledger: each entry with the words for it.
    pub fn ledger_problems(&self) -> impl Iterator<Item = (&LedgerRow, &LedgerProblem)> + Clone {
        self.ledger.iter().filter_map(|row| Some((row, row.problem.as_ref()?)))
    }

    /// Whether it diverges where nothing explains it, its ledger says what is not so, or it is less
    /// accurate than recorded.
    pub fn drifts(&self) -> bool {
        self.summary.new > 0
            || self.ledger_problems().next().is_some()
            || self.accuracy_problems().next().is_some()
    }
}

impl Report {
    /// The report of engines' runs.
    pub fn new(torch: impl Into<Torch>, engines: Vec<EngineReport>) -> Report {
        let mut report = Report {
            schema: SCHEMA,
            torch: torch.into(),
            partition: None,
            strict: false,
            selection: false,
            engines,
            status: 0,
        };
        report.settle();
        report.name_odd_ones();
        report
    }

    /// Says whether less than the whole corpus was selected.
    pub fn of_selection(mut self, selection: bool) -> Report {
        self.selection = selection;
        self.settle();
        self
    }

    /// Holds the ledgers to what was run, and sets the status.
    fn settle(&mut self) {
        let whole = !self.selection && self.partition.is_none();
        for row in self.engines.iter_mut().flat_map(|engine| &mut engine.ledger) {
            row.settle(whole);
        }
        self.status = status(&self.engines) as u8;
    }

    /// Notes the cases in which three or more engines give the truth and PyTorch does not.
    fn name_odd_ones(&mut self) {
        let mut agreeing: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for engine in &self.engines {
            let against =
                engine.cases.iter().filter(|case| case.truth.is_some_and(|truth| truth.against_torch));
            for case in against {
                agreeing.entry(case.id.clone()).or_default().push(&engine.name);
            }
        }
        agreeing.retain(|_, engines| engines.len() >= AGREEING);
        let agreeing: BTreeMap<String, String> =
            agreeing.into_iter().map(|(id, engines)| (id, engines.join(", "))).collect();
        for case in self.engines.iter_mut().flat_map(|engine| &mut engine.cases) {
            case.odd = agreeing.get(&case.id).map(|engines| {
                format!("PyTorch is the odd one out: {engines} give the float64 truth, rounded")
            });
        }
    }

    /// Says whether the run was held to equal bits.
    pub fn held_to(mut self, strict: bool) -> Report {
        self.strict = strict;
        self
    }

    /// Says which part of a selection this is; `positions` are the cases' in the whole of it.
    pub fn of_partition(mut self, share: Share, positions: &[usize]) -> Report {
        self.partition = Some(share);
        for engine in &mut self.engines {
            for (case, &position) in engine.cases.iter_mut().zip(positions) {
                case.position = Some(position);
            }
        }
        self.settle();
        self
    }

    /// The ids of the cases in which an engine diverges, if it is in the report.
    pub fn diverging(&self, engine: &str) -> Option<HashSet<String>> {
        let engine = self.engines.iter().find(|report| report.name == engine)?;
        let cases = engine.cases.iter().filter(|case| case.verdict.diverges());
        Some(cases.map(|case| case.id.clone()).collect())
    }

    /// The exit status of the run. A run in which no engine supported anything judged nothing.
    pub fn status(&self) -> ExitStatus {
        status(&self.engines)
    }
}

fn status(engines: &[EngineReport]) -> ExitStatus {
    if engines.iter().all(|engine| engine.summary.unsupported == engine.summary.cases) {
        ExitStatus::CannotJudge
    } else if engines.iter().any(EngineReport::drifts) {
        ExitStatus::Drift
    } else {
        ExitStatus::Parity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_what_is_not_as_it_should_be() {
        let verdict = |[parity, known, new, unsupported]: [usize; 4]| {
            let cases = parity + known + new + unsupported;
            op_verdict(Counts { cases, parity, known, new, unsupported }, 0)
        };
        assert_eq!(verdict([2, 0, 0, 0]), "OK");
        assert_eq!(verdict([0, 0, 0, 2]), "unsupported");
        assert_eq!(verdict([1, 0, 0, 1]), "OK, 1 unsupported");
        assert_eq!(verdict([1, 2, 0, 0]), "OK, 2 known");
        assert_eq!(verdict([1, 2, 0, 3]), "OK, 2 known, 3 unsupported");
        assert_eq!(verdict([1, 2, 3, 4]), "3 DIVERGE");
    }

    #[test]
    fn pytorch_is_the_odd_one_out_where_three_engines_meet_the_truth() {
        let engine = |name: &str, against: bool| {
            let case = |id: &str, against_torch: bool| {
                let case = serde_json::json!({
                    "id": id, "op": "sum", "verdict": "new", "max_abs": 0.5, "max_ulp": 3,
                    "class": "value", "known": null, "detail": null,
                    "truth": {"engine": 0.0, "torch": 0.5, "word": "closer", "against_torch": against_torch},
                });
                serde_json::from_value::<CaseReport>(case).unwrap()
            };
            let cases = vec![case("s/sum/a", against), case("s/sum/b", name == "a")];
            EngineReport::of_cases(name.into(), "1".into(), Profile::Cpu, cases, Vec::new())
        };
        let torch = Torch {
            version: "2.15.0".into(),
            cpu_capability: "AVX2".into(),
            threads: 1,
            platform: "linux-x86_64".into(),
        };
        let odd = |engines: Vec<EngineReport>| {
            let report = Report::new(torch.clone(), engines);
            report.engines.iter().map(|engine| engine.cases[0].odd.clone()).collect::<Vec<_>>()
        };
        let two = vec![engine("a", true), engine("b", true), engine("c", false)];
        assert_eq!(odd(two.clone()), [None, None, None]);
        let three = [two, vec![engine("d", true)]].concat();
        let said = "PyTorch is the odd one out: a, b, d give the float64 truth, rounded";
        assert_eq!(odd(three.clone()), vec![Some(said.to_string()); 4], "on every engine's case");
        let report = Report::new(torch.clone(), three);
        assert!(report.engines.iter().all(|engine| engine.cases[1].odd.is_none()));
        assert!(super::super::table::render(&report, super::super::table::Rows::Ops).contains(said));
    }
}
