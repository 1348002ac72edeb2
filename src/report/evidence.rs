//! What a report keeps of an outcome once the case is judged: how its elements are spread around
//! PyTorch's, how far both are from the truth, and a sample of what the engine gave.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::Number;
use crate::corpus::{Backpropagated, Golden, Outcome};
use crate::judge::{Difference, Judgement, Place, distance};
use crate::replay::Judged;
use crate::tensor::{Element, Tensor};
use crate::with_type;

/// Elements of a tensor that are kept.
pub(super) const KEPT: usize = 24;

/// What is kept of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// How many of the elements compared are floating.
    pub floating: usize,
    /// How many of them lie how far from PyTorch's, by the lower end of each power of two; empty
    /// where all are identical.
    pub ulps: Vec<(u64, usize)>,
    /// How far both are from the truth.
    pub truth: Option<Truth>,
    /// What the engine gave, where that is not what PyTorch gives.
    pub got: Option<Box<Shown>>,
}

/// How far PyTorch and the engine are from the float64 truth: the largest distance over all
/// elements that have one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Truth {
    /// The engine's largest distance.
    pub engine: Number,
    /// PyTorch's largest distance.
    pub torch: Number,
    /// The engine's beside PyTorch's.
    pub word: Nearness,
    /// Whether every element of the engine's is the truth, rounded to its dtype, and some of
    /// PyTorch's is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub against_torch: bool,
}

/// An engine's distance from the truth beside PyTorch's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Nearness {
    /// The same elements.
    Identical,
    /// Closer to the truth than PyTorch.
    Closer,
    /// Other elements, as far from the truth as PyTorch's.
    Level,
    /// Further from the truth than PyTorch.
    Further,
    /// No finite distance from the truth, where PyTorch's is finite.
    Wrong,
}

impl Nearness {
    /// The word as it stands in files.
    pub fn name(self) -> &'static str {
        match self {
            Nearness::Identical => "identical",
            Nearness::Closer => "closer",
            Nearness::Level => "level",
            Nearness::Further => "further",
            Nearness::Wrong => "wrong",
        }
    }
}

/// How many cases that have a truth came out how near to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TruthCounts {
    /// With PyTorch's own elements.
    pub identical: usize,
    /// Closer to the truth than PyTorch.
    pub closer: usize,
    /// With other elements, as far from it.
    pub level: usize,
    /// Further from it than PyTorch.
    pub further: usize,
    /// With no finite distance from it, where PyTorch's is finite.
    pub wrong: usize,
}

impl TruthCounts {
    /// Counts one case more.
    pub(super) fn add(&mut self, word: Nearness) {
        let count = match word {
            Nearness::Identical => &mut self.identical,
            Nearness::Closer => &mut self.closer,
            Nearness::Level => &mut self.level,
            Nearness::Further => &mut self.further,
            Nearness::Wrong => &mut self.wrong,
        };
        *count += 1;
    }

    /// Adds another's counts.
    pub(super) fn merge(&mut self, other: TruthCounts) {
        self.identical += other.identical;
        self.closer += other.closer;
        self.level += other.level;
        self.further += other.further;
        self.wrong += other.wrong;
    }

    /// Whether no case has a truth.
    pub(super) fn none(&self) -> bool {
        *self == TruthCounts::default()
    }

    /// The words that any case has earned, each with its count.
    pub fn words(&self) -> impl Iterator<Item = (Nearness, usize)> {
        let counts = [
            (Nearness::Identical, self.identical),
            (Nearness::Closer, self.closer),
            (Nearness::Level, self.level),
            (Nearness::Further, self.further),
            (Nearness::Wrong, self.wrong),
        ];
        counts.into_iter().filter(|&(_, count)| count > 0)
    }
}

/// An outcome in excerpts, in the form of a golden file's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// The outputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Sample>,
    /// The gradients by input.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grads: BTreeMap<String, Vec<Option<Sample>>>,
    /// The warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The error, where the call raised, panicked or timed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Raised>,
    /// The error of the backward pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backward_error: Option<Raised>,
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Raised {
    /// Name of the Python class; `panic` and `timeout` where the engine went down.
    #[serde(rename = "type")]
    pub kind: String,
    /// The whole text.
    pub message: String,
}

/// Some elements of a tensor, in row-major order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The dtype's name.
    pub dtype: String,
    /// The whole tensor's shape.
    pub shape: Vec<usize>,
    /// Position of the first element that is here.
    #[serde(default)]
    pub start: usize,
    /// The elements.
    pub data: Vec<Number>,
}

impl Sample {
    /// The elements from a position on.
    pub fn of(tensor: &Tensor, start: usize, count: usize) -> Sample {
        Sample {
            dtype: tensor.dtype().name().into(),
            shape: tensor.shape().to_vec(),
            start,
            data: tensor.scalars().skip(start).take(count).map(Number).collect(),
        }
    }

    /// Where to start so that a position is among the elements.
    pub fn start(position: usize, count: usize) -> usize {
        if position < count { 0 } else { position - count / 2 }
    }
}

impl Shown {
    /// An outcome's elements, each tensor's from the start that it is given.
    pub fn of(outcome: &Outcome, start: impl Fn(&Place) -> usize, count: usize) -> Shown {
        let none = Shown::default();
        let raised = |kind: &str, message: &str| Raised { kind: kind.into(), message: message.into() };
        match outcome {
            Outcome::Returned { outputs, warnings, backward } => {
                let output = |(i, tensor)| Sample::of(tensor, start(&Place::Output(i)), count);
                let gradient = |name: &str, i: usize, tensor: &Tensor| {
                    Sample::of(tensor, start(&Place::Gradient(name.into(), i)), count)
                };
                let (grads, backward_error) = match backward {
                    None => (BTreeMap::new(), None),
                    Some(Backpropagated::Raised { kind, message }) => {
                        (BTreeMap::new(), Some(raised(kind, message)))
                    }
                    Some(Backpropagated::Gave(gradients)) => {
                        let samples = |(name, list): (&String, &Vec<Option<Tensor>>)| {
                            let tensors = list.iter().enumerate();
                            let samples = tensors.map(|(i, t)| t.as_ref().map(|t| gradient(name, i, t)));
                            (name.clone(), samples.collect())
                        };
                        (gradients.iter().map(samples).collect(), None)
                    }
                };
                let outputs = outputs.iter().enumerate().map(output).collect();
                Shown { outputs, grads, warnings: warnings.clone(), backward_error, ..none }
            }
            Outcome::Raised { kind, message } => Shown { error: Some(raised(kind, message)), ..none },
            Outcome::Panicked(message) => Shown { error: Some(raised("panic", message)), ..none },
            Outcome::TimedOut(limit) => {
                let message = format!("no answer within {} s", limit.as_secs_f64());
                Shown { error: Some(raised("timeout", &message)), ..none }
            }
            Outcome::Unsupported(_) => none,
        }
    }
}

impl Evidence {
    /// What is kept of an outcome that was judged.
    pub fn of(outcome: &Outcome, judged: &Judged) -> Evidence {
        let Ok(golden) = &judged.entry.golden else { return Evidence::default() };
        if let Outcome::Unsupported(_) = outcome {
            return Evidence::default();
        }
        let measured = &judged.verdict.measured;
        let same = judged.verdict.judgement == Judgement::Parity && measured.differing == 0;
        let mut evidence = Evidence { truth: Truth::of(golden, outcome), ..Evidence::default() };
        if same {
            evidence.floating = tensors(&golden.outcome).map(|(_, tensor)| floating(tensor)).sum();
        } else {
            let spread = Spread::between(&golden.outcome, outcome);
            evidence.floating = spread.elements;
            evidence.ulps = spread.ulps.into_iter().collect();
            let start = |place: &Place| focus(measured.first.as_deref(), outcome, place);
            evidence.got = Some(Box::new(Shown::of(outcome, start, KEPT)));
        }
        evidence
    }
}

/// Where the sample of a tensor starts, so that the first difference is in it.
fn focus(first: Option<&Difference>, outcome: &Outcome, place: &Place) -> usize {
    let Some(first) = first.filter(|first| first.place == *place) else { return 0 };
    let shape = tensors(outcome).find(|(other, _)| other == place).map_or(&[][..], |(_, t)| t.shape());
    let position = first.index.iter().zip(shape).fold(0, |position, (&index, &size)| position * size + index);
    Sample::start(position, KEPT)
}

/// Every tensor of an outcome with its place.
pub(super) fn tensors(outcome: &Outcome) -> impl Iterator<Item = (Place, &Tensor)> {
    let (outputs, backward) = match outcome {
        Outcome::Returned { outputs, backward, .. } => (outputs.as_slice(), backward.as_ref()),
        _ => (&[][..], None),
    };
    let outputs = outputs.iter().enumerate().map(|(i, tensor)| (Place::Output(i), tensor));
    outputs.chain(gradients(backward))
}

/// The gradients that there are, with their places.
pub(super) fn gradients(backward: Option<&Backpropagated>) -> impl Iterator<Item = (Place, &Tensor)> {
    let gradients = match backward {
        Some(Backpropagated::Gave(gradients)) => Some(gradients),
        _ => None,
    };
    gradients.into_iter().flatten().flat_map(|(name, tensors)| {
        let place = move |i| Place::Gradient(name.clone(), i);
        tensors.iter().enumerate().filter_map(move |(i, tensor)| Some((place(i), tensor.as_ref()?)))
    })
}

fn floating(tensor: &Tensor) -> usize {
    if tensor.dtype().is_floating() { tensor.numel() } else { 0 }
}

/// How far an outcome's floating elements lie from PyTorch's.
#[derive(Default)]
struct Spread {
    elements: usize,
    ulps: BTreeMap<u64, usize>,
}

impl Spread {
    /// Of the tensors that both have, of one dtype and shape.
    fn between(expected: &Outcome, got: &Outcome) -> Spread {
        let mut spread = Spread::default();
        let theirs: Vec<(Place, &Tensor)> = tensors(got).collect();
        for (place, wanted) in tensors(expected).filter(|(_, tensor)| tensor.dtype().is_floating()) {
            let comparable = |got: &&Tensor| got.dtype() == wanted.dtype() && got.shape() == wanted.shape();
            let got = theirs.iter().find(|(other, _)| *other == place).map(|(_, tensor)| *tensor);
            if let Some(got) = got.filter(comparable) {
                with_type!(wanted.dtype(), T => spread.add::<T>(wanted, got, distance::<T>));
            }
        }
        spread
    }

    fn add<T: Element>(&mut self, wanted: &Tensor, got: &Tensor, distance: fn(T, T) -> u64) {
        self.elements += wanted.numel();
        for (&wanted, &got) in wanted.values::<T>().iter().zip(got.values::<T>().iter()) {
            *self.ulps.entry(lower_end(distance(wanted, got))).or_default() += 1;
        }
    }
}

/// The largest power of two that is not above a distance; 0 and "no distance" stay as they are.
fn lower_end(distance: u64) -> u64 {
    match distance {
        0 | u64::MAX => distance,
        _ => 1 << distance.ilog2(),
    }
}

impl Truth {
    /// The engine's distance beside PyTorch's, in words.
    pub fn sentence(&self) -> String {
        let (engine, torch) = (self.engine.to_f64(), self.torch.to_f64());
        let away = |distance: f64| match distance {
            0.0 => "none".to_string(),
            f64::INFINITY => "not finite".to_string(),
            distance => format!("{distance:.2e}"),
        };
        let by = |larger: f64, smaller: f64, word: &str| match larger / smaller {
            ratio if ratio.is_finite() => format!("{} {word}", times(ratio)),
            _ => word.to_string(),
        };
        let distances = format!("largest error {}, PyTorch's {}", away(engine), away(torch));
        match self.word {
            Nearness::Identical => format!("PyTorch's own elements, largest error {}", away(torch)),
            Nearness::Closer => format!("{} than PyTorch: {distances}", by(torch, engine, "closer")),
            Nearness::Level => format!("other elements, as far as PyTorch: {distances}"),
            Nearness::Further => format!("{} than PyTorch: {distances}", by(engine, torch, "further")),
            Nearness::Wrong => format!("wrong: {distances}"),
        }
    }

    /// Over every tensor that has a truth and that both gave in one shape.
    pub(super) fn of(golden: &Golden, outcome: &Outcome) -> Option<Truth> {
        let theirs: Vec<(Place, &Tensor)> = tensors(outcome).collect();
        let mut found: Option<(f64, f64, bool)> = None;
        let (mut engine_agrees, mut torch_agrees) = (true, true);
        for (place, wanted) in tensors(&golden.outcome).filter(|(_, tensor)| tensor.dtype().is_floating()) {
            let got = theirs.iter().find(|(other, _)| *other == place).map(|(_, tensor)| *tensor);
            let (Some(truth), Some(got)) = (truth_at(golden, &place), got) else { continue };
            if truth.shape() != wanted.shape() || got.shape() != wanted.shape() {
                continue;
            }
            let rounded = truth.to_dtype(wanted.dtype());
            engine_agrees &= got.dtype() == wanted.dtype() && same(got, &rounded);
            torch_agrees &= same(wanted, &rounded);
            let (engine, torch, identical) = found.unwrap_or((0.0, 0.0, true));
            found = Some((
                engine.max(furthest(got, truth)),
                torch.max(furthest(wanted, truth)),
                identical && got.dtype() == wanted.dtype() && same(got, wanted),
            ));
        }
        let (engine, torch, identical) = found?;
        let word = match engine.total_cmp(&torch) {
            _ if identical => Nearness::Identical,
            std::cmp::Ordering::Less => Nearness::Closer,
            std::cmp::Ordering::Equal => Nearness::Level,
            std::cmp::Ordering::Greater if engine.is_infinite() => Nearness::Wrong,
            std::cmp::Ordering::Greater => Nearness::Further,
        };
        let against_torch = engine_agrees && !torch_agrees;
        Some(Truth { engine: engine.into(), torch: torch.into(), word, against_torch })
    }
}

/// `3.2×`, `12×`, `3e5×`.
fn times(ratio: f64) -> String {
    match ratio {
        ..10.0 => format!("{ratio:.1}×"),
        10.0..1e4 => format!("{ratio:.0}×"),
        _ => format!("{ratio:.0e}×"),
    }
}

/// The truth of one tensor.
pub(super) fn truth_at<'a>(golden: &'a Golden, place: &Place) -> Option<&'a Tensor> {
    match place {
        Place::Output(i) => golden.truth.get(*i)?.as_ref(),
        Place::Gradient(name, i) => golden.grads_truth.get(name)?.get(*i)?.as_ref(),
    }
}

fn same(a: &Tensor, b: &Tensor) -> bool {
    let (a, b) = (a.scalars().map(|x| x.to_f64()), b.scalars().map(|x| x.to_f64()));
    a.zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

/// Largest |x - truth|: infinite where that is no finite number, 0 where both are the same
/// infinity or NaN.
fn furthest(tensor: &Tensor, truth: &Tensor) -> f64 {
    let distance = |(x, truth): (f64, f64)| {
        if x == truth || (x.is_nan() && truth.is_nan()) {
            return 0.0;
        }
        let difference = (x - truth).abs();
        if difference.is_finite() { difference } else { f64::INFINITY }
    };
    let pairs = tensor.scalars().map(|x| x.to_f64()).zip(truth.scalars().map(|x| x.to_f64()));
    pairs.map(distance).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(data: &[f32]) -> Outcome {
        let outputs = vec![Tensor::new(&[data.len()], data.to_vec()).unwrap()];
        Outcome::Returned { outputs, warnings: Vec::new(), backward: None }
    }

    fn golden(data: &[f32], truth: &[f64]) -> Golden {
        Golden {
            outcome: returned(data),
            truth: vec![Some(Tensor::new(&[truth.len()], truth.to_vec()).unwrap())],
            ..Golden::default()
        }
    }

    #[test]
    fn elements_are_counted_by_powers_of_two() {
        let next = |x: f32, steps: u32| f32::from_bits(x.to_bits() + steps);
        let wanted = returned(&[1.0; 6]);
        let got = returned(&[1.0, next(1.0, 1), next(1.0, 2), next(1.0, 3), next(1.0, 4), f32::NAN]);
        let spread = Spread::between(&wanted, &got);
        assert_eq!(spread.elements, 6);
        assert_eq!(
            spread.ulps.into_iter().collect::<Vec<_>>(),
            [(0, 1), (1, 1), (2, 2), (4, 1), (u64::MAX, 1)]
        );
    }

    #[test]
    fn three_ways() {
        let word = |torch: f32, engine: f32| {
            let truth = Truth::of(&golden(&[torch, 0.0], &[1.0, 0.0]), &returned(&[engine, 0.0]));
            truth.unwrap().word
        };
        assert_eq!(word(1.5, 1.5), Nearness::Identical);
        assert_eq!(word(1.5, 1.25), Nearness::Closer);
        assert_eq!(word(1.5, 0.5), Nearness::Level);
        assert_eq!(word(1.5, 1.75), Nearness::Further);
        assert_eq!(word(1.5, f32::NAN), Nearness::Wrong);
        assert_eq!(word(f32::INFINITY, f32::NAN), Nearness::Level, "PyTorch is as wrong");
        assert_eq!(Truth::of(&golden(&[1.0], &[1.0]), &returned(&[1.0, 2.0])), None);
    }

    #[test]
    fn three_ways_in_words() {
        let said = |torch: f32, engine: f32| {
            Truth::of(&golden(&[torch], &[1.0]), &returned(&[engine])).unwrap().sentence()
        };
        assert_eq!(said(1.5, 1.5), "PyTorch's own elements, largest error 5.00e-1");
        assert_eq!(said(1.5, 1.125), "4.0× closer than PyTorch: largest error 1.25e-1, PyTorch's 5.00e-1");
        assert_eq!(said(1.5, 1.0), "closer than PyTorch: largest error none, PyTorch's 5.00e-1");
        assert_eq!(
            said(1.5, 0.5),
            "other elements, as far as PyTorch: largest error 5.00e-1, PyTorch's 5.00e-1"
        );
        assert_eq!(said(1.5, 65.0), "128× further than PyTorch: largest error 6.40e1, PyTorch's 5.00e-1");
        assert_eq!(said(1.0, 1.5), "further than PyTorch: largest error 5.00e-1, PyTorch's none");
        assert_eq!(said(1.0, f32::NAN), "wrong: largest error not finite, PyTorch's none");
    }

    #[test]
    fn the_truth_is_met_where_every_element_is_it_rounded() {
        let against = |torch: [f32; 2], engine: [f32; 2]| {
            Truth::of(&golden(&torch, &[1.0 + 1e-12, 0.0]), &returned(&engine)).unwrap().against_torch
        };
        assert!(against([1.5, 0.0], [1.0, 0.0]));
        assert!(!against([1.0, 0.0], [1.0, 0.0]), "PyTorch meets it too");
        assert!(!against([1.5, 0.0], [1.0, 1e-30]), "one element does not meet it");
        assert!(!against([1.5, 0.0], [1.0, -0.0]), "the sign of zero counts");
    }

    #[test]
    fn nan_and_infinity_in_the_truth_can_be_met() {
        let of = |x: f32, truth: f64| furthest(&Tensor::scalar(x), &Tensor::scalar(truth));
        assert_eq!(of(f32::NAN, f64::NAN), 0.0);
        assert_eq!(of(f32::INFINITY, f64::INFINITY), 0.0);
        assert_eq!(of(f32::INFINITY, 1e300), f64::INFINITY);
        assert_eq!(of(0.0, -0.0), 0.0);
    }

    #[test]
    fn a_sample_holds_the_position_it_is_about() {
        for position in [0, 23, 24, 1000] {
            let start = Sample::start(position, KEPT);
            assert!((start..start + KEPT).contains(&position));
        }
    }
}
