//! The corpus as Cargo's own tests: one for each suite, op and dtype.
//!
//! `cargo test --test groups` and `cargo nextest run --test groups` select, partition, retry and
//! report them as they do any test: `cargo test --test groups -- softmax/float16`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use torch_parity::corpus::{Case, Corpus, Filter, MAX_ELEMENTS, Source};
use torch_parity::engines::{Native, Profile};
use torch_parity::judge::{Judgement, Tolerances};
use torch_parity::ops::Value;
use torch_parity::replay::run_and_judge;

fn main() {
    let arguments = Arguments::from_args();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = Source {
        fixtures: here.join("fixtures"),
        golden: here.join("golden"),
        suites: suites(&arguments),
        filter: Filter::default(),
        max_elements: MAX_ELEMENTS,
    };
    let tolerances = Tolerances::load(&source.golden.join("tolerances.json"));
    let loaded = Corpus::load(&source).map_err(|problem| problem.to_string());
    let (corpus, tolerances) = match (loaded, tolerances) {
        (Ok(corpus), Ok(tolerances)) => (Arc::new(corpus), Arc::new(tolerances)),
        (Err(problem), _) => stop(&problem),
        (_, Err(problem)) => stop(&problem.to_string()),
    };
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, entry) in corpus.entries.iter().enumerate() {
        groups.entry(group(&entry.case)).or_default().push(i);
    }
    let trials = groups.into_iter().map(|(name, cases)| {
        let (corpus, tolerances) = (corpus.clone(), tolerances.clone());
        Trial::test(name, move || check(&corpus, &cases, &tolerances))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn stop(problem: &str) -> ! {
    eprintln!("groups: {problem}");
    std::process::exit(2);
}

/// The suites to read: nextest runs each test in a process of its own, which then needs one only.
fn suites(arguments: &Arguments) -> Vec<String> {
    let exact = arguments.filter.as_deref().filter(|_| arguments.exact);
    exact.and_then(|name| name.split('/').next()).map(str::to_string).into_iter().collect()
}

/// `suite/op/dtype`, with the dtype of the input, else of the first tensor.
fn group(case: &Case) -> String {
    let tensor = |value: &Value| match value {
        Value::Tensor(tensor) => Some(tensor.dtype()),
        Value::Tensors(tensors) => tensors.iter().flatten().next().map(|tensor| tensor.dtype()),
        _ => None,
    };
    let args = &case.call.args;
    let dtype = args.get("input").and_then(tensor).or_else(|| args.values().find_map(tensor));
    let dtype = dtype.map_or("none".to_string(), |dtype| dtype.to_string());
    format!("{}/{}/{dtype}", case.suite(), case.call.op)
}

fn check(corpus: &Corpus, cases: &[usize], tolerances: &Tolerances) -> Result<(), Failed> {
    let lines: Vec<String> = cases
        .iter()
        .filter_map(|&i| {
            let entry = &corpus.entries[i];
            let (_, judged) = run_and_judge(entry, &Native, Profile::Cpu, tolerances);
            match judged.verdict.judgement {
                Judgement::Parity => None,
                Judgement::Diverges(class, detail) => {
                    Some(format!("{}: {}: {detail}", entry.case.id, class.name()))
                }
                Judgement::Unsupported(what) => Some(format!("{}: unsupported: {what}", entry.case.id)),
            }
        })
        .collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n").into()) }
}
