//! A call with arbitrary arguments: the native engine answers it, whatever it is, and the judge
//! finds that the answer agrees with itself.
//!
//! An input is the op, a space, and the rest of a case's object: `sum "inputs":{…},"attrs":{…}}`.

use std::path::Path;

use torch_parity::corpus::{Case, Entry, Golden, Outcome, parse_fixture};
use torch_parity::engines::{Engine as _, Native, Profile};
use torch_parity::judge::{Judgement, Ledger, Tolerances, judge};
use torch_parity::ops::Value;
use torch_parity::replay::Judged;
use torch_parity::report::explain;
use torch_parity::tensor::Scalar;

/// What `--max-elements` is here: small, so that a case takes no time.
const MAX_ELEMENTS: usize = 256;

/// One input.
pub(crate) fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((op, rest)) = text.split_once(' ') else { return };
    let case = format!(r#"{{"id":"s/{op}/fuzz","op":"{op}",{rest}"#);
    let file = format!(r#"{{"schema":1,"suite":"s","generator":"","cases":[{case}]}}"#);
    let Ok(cases) = parse_fixture(Path::new("fixtures/s.json"), &file, MAX_ELEMENTS) else { return };
    cases.into_iter().filter(is_small).for_each(answered);
}

/// Whether no argument asks for a result that takes long: sizes are small, or so large that they
/// have to be refused.
fn is_small(case: &Case) -> bool {
    fn small(value: &Value) -> bool {
        match value {
            Value::Scalar(Scalar::Int(n)) => n.unsigned_abs() <= 16 || n.unsigned_abs() > 1 << 32,
            Value::Scalar(Scalar::Float(x)) => {
                !x.is_finite() || *x == 0.0 || (0.01..=64.0).contains(&x.abs()) || x.abs() > 1e15
            }
            Value::List(items) => items.len() <= 6 && items.iter().all(small),
            _ => true,
        }
    }
    let steps = match case.call.args.get("steps") {
        Some(Value::List(steps)) => steps.len(),
        _ => 0,
    };
    steps <= 8 && case.call.args.values().all(small)
}

fn answered(case: Case) {
    let outcome = Native.run(&case);
    assert!(!matches!(outcome, Outcome::Panicked(_) | Outcome::TimedOut(_)));
    if let Outcome::Returned { outputs, .. } = &outcome {
        for output in outputs {
            assert_eq!(output.scalars().count(), output.numel());
        }
    }
    Native.snippet(&case);
    let golden = Ok(Golden { outcome: outcome.clone(), ..Golden::default() });
    let tolerances = Tolerances::strict();
    let verdict = judge(&case, &golden, &outcome, &tolerances, Profile::Cpu, "native");
    let unsupported = matches!(outcome, Outcome::Unsupported(_));
    assert!(unsupported || verdict.judgement == Judgement::Parity, "{:?}", verdict.judgement);
    let entry = Entry { case, golden, golden_file: Path::new("golden/s.json").into() };
    let held_to =
        explain::HeldTo { tolerances: &tolerances, profile: Profile::Cpu, ledger: &Ledger::default() };
    explain::render(&Judged { entry: &entry, verdict }, &Native, &outcome, &held_to);
}
