//! The report for CI systems that read JUnit's XML: a test suite per suite and engine.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report as Junit, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::model::{CaseReport, EngineReport, Report, Word};

/// The report as XML. It holds no times, so that one run gives one text.
pub fn render(report: &Report) -> Result<String, SerializeError> {
    let mut junit = Junit::new("torch-parity");
    for engine in &report.engines {
        let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
        for case in &engine.cases {
            let name = || format!("{}/{}", engine.name, case.suite());
            let suite = suites.entry(case.suite()).or_insert_with(|| TestSuite::new(name()));
            let mut test = TestCase::new(case.name(), status(case));
            test.set_classname(format!("{}.{}.{}", engine.name, case.suite(), case.op));
            suite.add_test_case(test);
        }
        junit.add_test_suites(suites.into_values());
        junit.add_test_suites(ledger(engine));
        junit.add_test_suites(accuracy(engine));
    }
    junit.to_string()
}

/// What is wrong with the engine's ledger, a failure per entry.
fn ledger(engine: &EngineReport) -> Option<TestSuite> {
    let name = format!("{}/ledger", engine.name);
    let mut suite = TestSuite::new(&*name);
    for (row, problem) in engine.ledger_problems() {
        let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
        failure.set_type(problem.fault.name()).set_message(&*problem.what).set_description(&*row.why);
        let mut test = TestCase::new(format!("entry {}: {}", row.entry, row.select), failure);
        test.set_classname(name.replace('/', "."));
        suite.add_test_case(test);
    }
    (!suite.test_cases.is_empty()).then_some(suite)
}

/// Where the engine is less accurate than recorded, a failure per op, part and dtype.
fn accuracy(engine: &EngineReport) -> Option<TestSuite> {
    let name = format!("{}/accuracy", engine.name);
    let mut suite = TestSuite::new(&*name);
    for (row, what) in engine.accuracy_problems() {
        let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let again = format!("compare explain {} --engine {}", row.case, engine.name);
        failure.set_type("accuracy").set_message(what).set_description(again);
        let mut test = TestCase::new(format!("{} {} {}", row.op, row.part.name(), row.dtype), failure);
        test.set_classname(name.replace('/', "."));
        suite.add_test_case(test);
    }
    (!suite.test_cases.is_empty()).then_some(suite)
}

fn status(case: &CaseReport) -> TestCaseStatus {
    let detail = case.detail.as_deref().unwrap_or_default();
    match case.verdict {
        Word::Parity => TestCaseStatus::success(),
        Word::Unsupported => skipped(&format!("unsupported: {detail}")),
        Word::Known => skipped(&format!("known: {}: {detail}", case.known.as_deref().unwrap_or_default())),
        Word::New => {
            let class = case.class.as_deref().unwrap_or("divergence");
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let again = format!("{detail}\ncompare explain {}", case.id);
            status.set_type(class).set_message(format!("{class}: {detail}")).set_description(again);
            status
        }
    }
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}
