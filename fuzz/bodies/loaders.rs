//! Text where a file or an argument is expected: never a panic, nothing accepted that is too large
//! or that is not read again as it was written, and one line that names the file where it is refused.
//!
//! The first byte says what the text is taken for; see [`check`].

use std::path::{Path, PathBuf};

use torch_parity::corpus::{
    Backpropagated, Case, Filter, Golden, Outcome, Problem, parse_fixture, parse_golden, parse_spread,
    tensor_from_json,
};
use torch_parity::judge::{Accuracy, Ledger, Tolerances};
use torch_parity::ops::{Call, Value};
use torch_parity::partition::Partition;
use torch_parity::report::table::{self, Rows};
use torch_parity::report::{Report, github, html, json, junit, markdown, merge};
use torch_parity::tensor::Tensor;

/// What `--max-elements` is here.
const MAX_ELEMENTS: usize = 1 << 12;

/// One input: a byte for the kind, and the text.
pub(crate) fn check(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else { return };
    let text = &String::from_utf8_lossy(bytes);
    match kind {
        b'f' => read("fixtures/s.json", text, fixture),
        b'g' => read("golden/s.json", text, golden),
        b't' => read("golden/tolerances.json", text, |path, text| Tolerances::parse(path, text).map(drop)),
        b'a' => read("golden/accuracy.json", text, |path, text| Accuracy::parse(path, text).map(drop)),
        b's' => read("golden/spread.json", text, |path, text| parse_spread(path, text).map(drop)),
        b'l' => read("golden/known/native.toml", text, |path, text| Ledger::parse(path, text).map(drop)),
        b'r' => read("report.json", text, report),
        b'k' => filter(text),
        b'p' => partition(text),
        _ => {}
    }
}

/// Reads a file's text; a refusal names the file, and is one line.
fn read(file: &str, text: &str, parse: impl Fn(&Path, &str) -> Result<(), Problem>) {
    if let Err(problem) = parse(Path::new(file), text) {
        let message = problem.to_string();
        assert_eq!(problem.file, Path::new(file), "{message}");
        assert!(message.starts_with(file) && !problem.what.is_empty(), "{message}");
        one_line(&message);
    }
}

/// What goes to a terminal has no line breaks and no escapes.
fn one_line(message: &str) {
    assert!(!message.contains(char::is_control), "{message:?}");
}

fn fixture(path: &Path, text: &str) -> Result<(), Problem> {
    for case in parse_fixture(path, text, MAX_ELEMENTS)? {
        assert_eq!(case.id, format!("{}/{}/{}", case.suite(), case.call.op, case.special()));
        for value in case.call.args.values() {
            match value {
                Value::Tensor(tensor) => sound(tensor),
                Value::Tensors(tensors) => tensors.iter().flatten().for_each(sound),
                _ => {}
            }
        }
        case.backward.iter().flat_map(|backward| backward.grad_outputs.iter().flatten()).for_each(sound);
    }
    Ok(())
}

fn golden(path: &Path, text: &str) -> Result<(), Problem> {
    for outcome in parse_golden(path, text, MAX_ELEMENTS)?.outcomes.into_values() {
        let Ok(Golden { outcome, truth, abs_sum, .. }) = outcome else { continue };
        truth.iter().flatten().chain(&abs_sum).for_each(sound);
        if let Outcome::Returned { outputs, backward, .. } = outcome {
            outputs.iter().for_each(sound);
            if let Some(Backpropagated::Gave(gradients)) = backward {
                gradients.values().flatten().flatten().for_each(sound);
            }
        }
    }
    Ok(())
}

/// A tensor that was accepted has at most as many elements as it may, each within its storage, and
/// is the same when it is written and read again.
fn sound(tensor: &Tensor) {
    assert!(tensor.numel() <= MAX_ELEMENTS, "{:?}", tensor.shape());
    assert_eq!(tensor.scalars().count(), tensor.numel());
    let written = serde_json::to_string(tensor).unwrap();
    let again = tensor_from_json(&written).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), written);
}

/// A report that is read can be shown in every form, is read again as it was, and can be merged.
fn report(path: &Path, text: &str) -> Result<(), Problem> {
    let report = json::parse(path, text)?;
    let written = json::render(&report).unwrap();
    assert_eq!(json::render(&json::parse(path, &written)?).unwrap(), written);
    shown(&report);
    let part = |name: &str| (PathBuf::from(name), report.clone());
    if let Ok(merged) = merge(vec![part("one.json")]) {
        shown(&merged);
    }
    if let Err(problem) = merge(vec![part("one.json"), part("two.json")]) {
        one_line(&problem.to_string());
    }
    Ok(())
}

fn shown(report: &Report) {
    for rows in [Rows::Ops, Rows::Cases] {
        table::render(report, rows);
    }
    table::summary(report);
    markdown::render(report);
    github::render(report, Path::new("fixtures"));
    json::render_lines(report).unwrap();
    html::render(report, None).unwrap();
    // XML cannot hold every character; then it is refused, not cut.
    let _ = junit::render(report);
    report.status();
}

fn filter(text: &str) {
    let call = Call { op: "sum".into(), args: Default::default() };
    let case = Case {
        id: "s/sum/two".into(),
        call,
        backward: None,
        tags: vec!["nan".into()],
        note: None,
        foreign: None,
    };
    match text.parse::<Filter>() {
        Ok(filter) => {
            let opposite: Filter = format!("not ({text})").parse().unwrap();
            assert_ne!(filter.matches(&case), opposite.matches(&case));
        }
        Err(error) => one_line(&error.to_string()),
    }
}

fn partition(text: &str) {
    if let Ok(partition) = text.parse::<Partition>() {
        assert_eq!(partition.to_string().parse(), Ok(partition));
        partition.holds("s/sum/two");
    }
}
