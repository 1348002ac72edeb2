//! Deliberately wrong backward rules, one op at a time: the corpus has to turn red for each.
//!
//! The fault sits in the rule itself, below graphs and compositions, by a switch that exists in
//! tests only.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::corpus::{Backpropagated, Corpus, Entry, Filter, MAX_ELEMENTS, Outcome, Source};
use crate::engines::{Native, Profile};
use crate::judge::{Judgement, Tolerances};
use crate::ops::{Gradients, with_wrong_rule};
use crate::replay::run_and_judge;
use crate::tensor::{Scalar, Tensor};

/// A way in which a rule can be wrong.
type Fault = fn(&mut Gradients);

const FAULTS: &[(&str, Fault)] = &[
    ("sign", |gradients| each(gradients, |x| -x)),
    ("factor", |gradients| each(gradients, |x| 2.0 * x)),
    ("rounded", |gradients| each(gradients, |x| f64::from(half::bf16::from_f64(x * 1.01)))),
    ("zero", |gradients| each(gradients, |_| 0.0)),
    ("first element", |gradients| {
        for gradient in gradients.values_mut().flatten().flatten() {
            let mut position = 0;
            *gradient = mapped(gradient, |x| {
                position += 1;
                if position == 1 { x + 1.0 } else { x }
            });
        }
    }),
    ("missing", |gradients| gradients.values_mut().flatten().for_each(|gradient| *gradient = None)),
];

fn each(gradients: &mut Gradients, wrong: fn(f64) -> f64) {
    for gradient in gradients.values_mut().flatten().flatten() {
        *gradient = mapped(gradient, wrong);
    }
}

fn mapped(tensor: &Tensor, mut wrong: impl FnMut(f64) -> f64) -> Tensor {
    crate::with_type!(tensor.dtype(), T => {
        use crate::tensor::Element;
        let values = tensor.scalars().map(|x| T::from_scalar(Scalar::Float(wrong(x.to_f64()))));
        Tensor::collect(tensor.shape(), values)
    })
}

/// How many elements of gradients an op's cases have that a fault can change.
fn changeable(cases: &[&Entry]) -> bool {
    let gave = |entry: &&Entry| match &entry.golden {
        Ok(golden) => match &golden.outcome {
            Outcome::Returned { backward: Some(Backpropagated::Gave(gradients)), .. } => gradients
                .values()
                .flatten()
                .flatten()
                .flat_map(Tensor::scalars)
                .any(|x| x.to_f64() != 0.0 && x.to_f64().is_finite()),
            _ => false,
        },
        Err(_) => false,
    };
    cases.iter().any(gave)
}

fn is_red(entry: &Entry, tolerances: &Tolerances) -> bool {
    let (_, judged) = run_and_judge(entry, &Native, Profile::Cpu, tolerances);
    matches!(judged.verdict.judgement, Judgement::Diverges(..))
}

#[test]
fn a_wrong_rule_in_any_op_turns_a_case_red() {
    let source = Source {
        fixtures: "fixtures".into(),
        golden: "golden".into(),
        suites: Vec::new(),
        filter: Filter::default(),
        max_elements: MAX_ELEMENTS,
    };
    let corpus = Corpus::load(&source).unwrap();
    let tolerances = Tolerances::load("golden/tolerances.json".as_ref()).unwrap();
    let mut by_op: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in corpus.entries.iter().filter(|entry| entry.case.backward.is_some()) {
        by_op.entry(&entry.case.call.op).or_default().push(entry);
    }
    by_op.retain(|_, cases| changeable(cases));
    let survivors: BTreeSet<(&str, &str)> = by_op
        .par_iter()
        .flat_map_iter(|(&op, cases)| FAULTS.iter().map(move |&(name, fault)| (op, cases, name, fault)))
        .filter(|(op, cases, _, fault)| {
            with_wrong_rule(op, *fault, || !cases.iter().any(|entry| is_red(entry, &tolerances)))
        })
        .map(|(op, _, name, _)| (op, name))
        .collect();
    assert!(survivors.is_empty(), "no case fails with a wrong rule in: {survivors:?}");
    assert!(by_op.len() >= 110, "gradients of {} functions", by_op.len());
}

#[test]
fn the_switch_is_off_afterwards() {
    let entry = |tolerances: &Tolerances, corpus: &Corpus| is_red(&corpus.entries[0], tolerances);
    let source = Source {
        fixtures: "fixtures".into(),
        golden: "golden".into(),
        suites: vec!["grad_arithmetic".into()],
        filter: "op:mul".parse().unwrap(),
        max_elements: MAX_ELEMENTS,
    };
    let corpus = Corpus::load(&source).unwrap();
    let tolerances = Tolerances::strict();
    assert!(!entry(&tolerances, &corpus));
    assert!(with_wrong_rule("mul", FAULTS[0].1, || entry(&tolerances, &corpus)));
    assert!(!with_wrong_rule("sub", FAULTS[0].1, || entry(&tolerances, &corpus)));
    assert!(!entry(&tolerances, &corpus));
}
