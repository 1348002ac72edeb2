//! The cases as the page's script reads them: JSON with short keys, texts for numbers.

use std::collections::HashMap;

use serde::Serialize;

use super::super::evidence::{Sample, Shown, tensors, truth_at};
use super::super::explain::arguments;
use super::super::model::{CaseReport, OpRow, Report, Word};
use super::super::number::{Number, shortest, ulp};
use super::{by_op, ops};
use crate::corpus::{Corpus, Entry};
use crate::judge::Place;
use crate::tensor::{DType, Scalar, Tensor};

/// How much is shown of a case.
#[derive(Clone, Copy)]
struct Level {
    /// Elements of each tensor of a case that is not identical.
    diverging: usize,
    /// Elements of each tensor of any other case.
    parity: usize,
    /// Letters of a text.
    text: usize,
}

/// From the fullest to the barest; the first that fits is taken.
const LEVELS: [Level; 8] = [
    Level { diverging: 24, parity: 24, text: 2000 },
    Level { diverging: 24, parity: 12, text: 2000 },
    Level { diverging: 24, parity: 8, text: 2000 },
    Level { diverging: 16, parity: 4, text: 1000 },
    Level { diverging: 12, parity: 2, text: 500 },
    Level { diverging: 8, parity: 0, text: 300 },
    Level { diverging: 2, parity: 0, text: 200 },
    Level { diverging: 0, parity: 0, text: 80 },
];

#[derive(Serialize)]
struct Data<'a> {
    /// Texts that cases name by their number.
    texts: Vec<String>,
    engines: Vec<&'a str>,
    /// What to say behind `--engine` to get each of them.
    arguments: Vec<&'a str>,
    ops: Vec<Op<'a>>,
    cases: Vec<Case<'a>>,
}

#[derive(Serialize)]
struct Op<'a> {
    /// Name.
    n: &'a str,
    /// Per engine.
    e: Vec<Option<OnEngine<'a>>>,
}

#[derive(Serialize)]
struct OnEngine<'a> {
    /// Largest |a - b|.
    a: String,
    /// Largest distance in ULP.
    u: String,
    /// The tolerance.
    t: &'a str,
    /// The histogram: what each bar counts, how many, and the kind of bar.
    h: Vec<(String, usize, &'static str)>,
}

#[derive(Serialize)]
struct Case<'a> {
    /// Id.
    i: &'a str,
    /// Number of the op.
    o: usize,
    /// Note.
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<&'a str>,
    /// Arguments: name and text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    a: Vec<(String, String)>,
    /// PyTorch's outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<Outcome>,
    /// The truth by the labels of outputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    t: Vec<(String, Excerpt)>,
    /// PyTorch's largest distance from the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<String>,
    /// Per engine: null where it was not run, 1 where all is identical.
    r: Vec<Answer>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    NotRun(()),
    Identical(u8),
    Other(Box<Other>),
}

#[derive(Serialize)]
struct Other {
    /// Verdict.
    v: &'static str,
    /// Class: number of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<usize>,
    /// Detail: number of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    m: Option<usize>,
    /// Reason of a known divergence: number of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<usize>,
    /// Largest |a - b| and distance in ULP.
    #[serde(skip_serializing_if = "Option::is_none")]
    u: Option<(String, String)>,
    /// The engine's largest distance from the truth, and how that is beside PyTorch's.
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<(String, &'static str)>,
    /// The outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<Outcome>,
}

#[derive(Default, Serialize)]
struct Outcome {
    /// Outputs and gradients by label.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    o: Vec<(String, Excerpt)>,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    w: Vec<String>,
    /// Error.
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<String>,
    /// Error of the backward pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<String>,
}

/// Dtype, shape, position of the first element, elements separated by spaces.
#[derive(Serialize)]
struct Excerpt(String, Vec<usize>, usize, String);

/// The data as JSON that can stand inside a `<script>` element, of at most that many bytes if
/// any level of detail is that small.
pub(super) fn json(report: &Report, corpus: Option<&Corpus>, limit: usize) -> serde_json::Result<String> {
    let entries: HashMap<&str, &Entry> = corpus
        .map(|corpus| corpus.entries.iter().map(|entry| (entry.case.id.as_str(), entry)).collect())
        .unwrap_or_default();
    let mut text = String::new();
    for level in LEVELS {
        text = escape(&serde_json::to_string(&data(report, &entries, level))?);
        if text.len() <= limit {
            break;
        }
    }
    Ok(text)
}

/// Nothing in JSON that HTML would read: these letters stand inside strings only.
fn escape(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c => text.push(c),
        }
    }
    text
}

/// Texts by number, each once.
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Texts {
    fn number(&mut self, text: &str, longest: usize) -> usize {
        let text = cut(text, longest);
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.list.push(text.clone());
            self.list.len() - 1
        })
    }
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn data<'a>(report: &'a Report, entries: &HashMap<&str, &'a Entry>, level: Level) -> Data<'a> {
    let ops = ops(report);
    let numbers: HashMap<&str, usize> = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    let table = by_op(report);
    let mut texts = Texts::default();
    // A case's answers by all engines, in the order of the first engine that ran it.
    let mut order: Vec<&str> = Vec::new();
    let mut answers: HashMap<&str, Vec<Option<&CaseReport>>> = HashMap::new();
    for (i, engine) in report.engines.iter().enumerate() {
        for case in &engine.cases {
            let row = answers.entry(&case.id).or_insert_with(|| {
                order.push(&case.id);
                vec![None; report.engines.len()]
            });
            if let Some(place) = row.get_mut(i) {
                *place = Some(case);
            }
        }
    }
    let cases = order.into_iter().filter_map(|id| {
        let answers = answers.get(id)?;
        let op = answers.iter().flatten().next().and_then(|case| numbers.get(case.op.as_str()))?;
        Some(case(id, *op, answers, entries.get(id).copied(), level, &mut texts))
    });
    Data {
        cases: cases.collect(),
        texts: texts.list,
        engines: report.engines.iter().map(|engine| engine.name.as_str()).collect(),
        arguments: report.engines.iter().map(|engine| engine.argument()).collect(),
        ops: ops
            .iter()
            .map(|&op| Op {
                n: op,
                e: table
                    .get(op)
                    .map_or(&[][..], Vec::as_slice)
                    .iter()
                    .map(|row| row.map(on_engine))
                    .collect(),
            })
            .collect(),
    }
}

fn on_engine(row: &OpRow) -> OnEngine<'_> {
    OnEngine {
        a: exponent(row.max_abs),
        u: ulp(row.max_ulp),
        t: &row.tolerance,
        h: row.ulps.iter().map(|&(distance, count)| (bar(distance), count, kind(distance))).collect(),
    }
}

fn exponent(number: Number) -> String {
    match number.to_f64() {
        0.0 => "0".into(),
        number => format!("{number:.2e}"),
    }
}

/// What a bar of the histogram counts, by its lower end.
fn bar(distance: u64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match distance {
        0 | 1 => distance.to_string(),
        u64::MAX => "NaN".into(),
        2..512 => format!("{distance}–{}", 2 * distance - 1),
        _ => {
            let power = distance.ilog2().to_string();
            let digits = power.chars().filter_map(|digit| RAISED.get(digit.to_digit(10)? as usize));
            format!("2{}", digits.collect::<String>())
        }
    }
}

/// How bad a bar of the histogram is.
fn kind(distance: u64) -> &'static str {
    match distance {
        0 => "zero",
        1..16 => "near",
        _ => "far",
    }
}

fn case<'a>(
    id: &'a str,
    op: usize,
    answers: &[Option<&'a CaseReport>],
    entry: Option<&'a Entry>,
    level: Level,
    texts: &mut Texts,
) -> Case<'a> {
    let plain = |case: &&CaseReport| case.verdict == Word::Parity && case.max_ulp == 0;
    let count = if answers.iter().flatten().all(plain) { level.parity } else { level.diverging };
    let golden = entry.and_then(|entry| entry.golden.as_ref().ok());
    let mut starts: HashMap<String, usize> = HashMap::new();
    if let Some(golden) = golden {
        for got in answers.iter().flatten().filter_map(|case| case.got.as_ref()) {
            for (place, wanted) in tensors(&golden.outcome) {
                if let Some(position) = sample(got, &place).and_then(|got| first_difference(wanted, got)) {
                    starts.entry(place.to_string()).or_insert(Sample::start(position, count));
                }
            }
        }
    }
    let start = |place: &Place| starts.get(&place.to_string()).copied().unwrap_or(0);
    let shown = |shown: &Shown| outcome(shown, start, count, level.text);
    Case {
        i: id,
        o: op,
        n: entry.and_then(|entry| entry.case.note.as_deref()).filter(|_| count > 0),
        a: entry.filter(|_| count > 0).map_or(Vec::new(), |entry| {
            let mut all = arguments(&entry.case, count.min(12));
            all.iter_mut().for_each(|(_, text)| *text = cut(text, level.text));
            all
        }),
        p: golden.filter(|_| count > 0).map(|golden| shown(&Shown::of(&golden.outcome, start, count))),
        t: golden.filter(|_| count > 0).map_or(Vec::new(), |golden| {
            tensors(&golden.outcome)
                .filter_map(|(place, _)| {
                    let truth = truth_at(golden, &place)?;
                    let sample = Sample::of(truth, start(&place), count);
                    Some((place.to_string(), excerpt(&sample, start(&place), count)))
                })
                .collect()
        }),
        d: answers.iter().flatten().find_map(|case| case.truth).map(|truth| exponent(truth.torch)),
        r: answers.iter().map(|case| answer(*case, &shown, level, texts)).collect(),
    }
}

fn answer(
    case: Option<&CaseReport>,
    shown: &impl Fn(&Shown) -> Outcome,
    level: Level,
    texts: &mut Texts,
) -> Answer {
    let Some(case) = case else { return Answer::NotRun(()) };
    if case.verdict == Word::Parity && case.max_ulp == 0 && case.got.is_none() {
        return Answer::Identical(1);
    }
    let mut number = |text: &Option<String>| text.as_ref().map(|text| texts.number(text, level.text));
    Answer::Other(Box::new(Other {
        v: case.verdict.name(),
        c: number(&case.class),
        m: number(&case.detail),
        k: number(&case.known),
        u: (case.max_ulp > 0).then(|| (exponent(case.max_abs), ulp(case.max_ulp))),
        f: case.truth.map(|truth| (exponent(truth.engine), truth.word.name())),
        g: case.got.as_ref().filter(|_| level.diverging > 0).map(shown),
    }))
}

/// The engine's excerpt of one tensor.
fn sample<'a>(shown: &'a Shown, place: &Place) -> Option<&'a Sample> {
    match place {
        Place::Output(i) => shown.outputs.get(*i),
        Place::Gradient(name, i) => shown.grads.get(name)?.get(*i)?.as_ref(),
    }
}

/// Position of the first element of an excerpt that is not PyTorch's.
fn first_difference(wanted: &Tensor, got: &Sample) -> Option<usize> {
    let bits = |scalar: Scalar| match scalar.to_f64() {
        number if number.is_nan() => None,
        number => Some(number.to_bits()),
    };
    let pairs = wanted.scalars().skip(got.start).zip(&got.data);
    let found = pairs.map(|(wanted, got)| bits(wanted) != bits(got.0)).position(|differs| differs)?;
    Some(got.start + found)
}

fn outcome(shown: &Shown, start: impl Fn(&Place) -> usize, count: usize, text: usize) -> Outcome {
    let outputs = shown.outputs.iter().enumerate().map(|(i, sample)| (Place::Output(i), sample));
    let gradients = shown.grads.iter().flat_map(|(name, samples)| {
        let place = move |i| Place::Gradient(name.clone(), i);
        samples.iter().enumerate().filter_map(move |(i, sample)| Some((place(i), sample.as_ref()?)))
    });
    let raised = |raised: &super::super::Raised| cut(&format!("{}: {}", raised.kind, raised.message), text);
    Outcome {
        o: outputs
            .chain(gradients)
            .map(|(place, sample)| (place.to_string(), excerpt(sample, start(&place), count)))
            .collect(),
        w: shown.warnings.iter().map(|warning| cut(warning, text)).collect(),
        x: shown.error.as_ref().map(raised),
        y: shown.backward_error.as_ref().map(raised),
    }
}

/// The part of a sample that starts where the others do.
fn excerpt(sample: &Sample, start: usize, count: usize) -> Excerpt {
    let start = start.max(sample.start);
    let dtype = DType::from_name(&sample.dtype).unwrap_or(DType::Float64);
    let data = sample.data.iter().skip(start - sample.start).take(count);
    let values: Vec<String> = data.map(|number| shortest(number.0, dtype)).collect();
    Excerpt(sample.dtype.clone(), sample.shape.clone(), start, values.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::super::model::EngineReport;
    use super::*;

    #[test]
    fn bars_say_what_they_count() {
        assert_eq!([0, 1, 2, 4, 256].map(bar), ["0", "1", "2–3", "4–7", "256–511"]);
        assert_eq!([512, 1 << 23, 1 << 63, u64::MAX].map(bar), ["2⁹", "2²³", "2⁶³", "NaN"]);
    }

    #[test]
    fn nothing_in_the_data_ends_the_script() {
        assert_eq!(escape("</script><!--&\u{2028}"), "\\u003c/script\\u003e\\u003c!--\\u0026\\u2028");
    }

    #[test]
    fn detail_gives_way_to_the_limit() {
        let case = |i: usize| {
            serde_json::json!({
                "id": format!("s/sum/{i}"), "op": "sum", "verdict": "new", "max_abs": 0.5, "max_ulp": 3,
                "class": "value", "known": null, "detail": format!("{i}{}", "é".repeat(3000)),
            })
        };
        let report: Report = serde_json::from_value(serde_json::json!({
            "schema": 1, "status": 1, "torch":
                {"version": "2.15.0", "cpu_capability": "AVX2", "threads": 1, "platform": "linux-x86_64"},
            "engines": [{
                "name": "native", "version": "0.1.0", "profile": "cpu", "ops": [],
                "summary": {"cases": 100, "parity": 0, "known": 0, "new": 100, "unsupported": 0},
                "cases": (0..100).map(case).collect::<Vec<_>>(),
            }],
        }))
        .unwrap();
        let [engine] = report.engines.try_into().unwrap();
        let engine =
            EngineReport::of_cases(engine.name, engine.version, engine.profile, engine.cases, engine.ledger);
        let report = Report::new(report.torch, vec![engine]);
        let full = json(&report, None, usize::MAX).unwrap();
        let short = json(&report, None, 50_000).unwrap();
        assert!(full.len() > 300_000 && short.len() <= 50_000, "{} {}", full.len(), short.len());
        assert!((0..100).all(|i| short.contains(&format!("\"s/sum/{i}\""))));
    }

    #[test]
    fn texts_are_kept_once_and_cut_between_letters() {
        let mut texts = Texts::default();
        assert_eq!([texts.number("ééé", 2), texts.number("b", 2), texts.number("éé…", 9)], [0, 1, 0]);
        assert_eq!(texts.list, ["éé…", "b"]);
    }
}
