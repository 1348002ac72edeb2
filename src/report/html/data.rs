//! The cases as the page's script reads them: JSON with short keys, texts for numbers, compressed.
//!
//! An index holds what the scoreboard needs to filter and search: every case's id, verdicts and
//! messages. What a case shows when it is opened is in a block of its op. Both are unpacked by the
//! browser when they are needed, so that a page of many engines is small, and quick to open.

use std::collections::HashMap;
use std::io::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
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

/// From the fullest to the barest; the first that fits is taken. What is at parity gives way
/// first, then the further elements of long tensors; the figures of a divergence always stay.
const LEVELS: [Level; 8] = [
    Level { diverging: 24, parity: 24, text: 2000 },
    Level { diverging: 24, parity: 8, text: 2000 },
    Level { diverging: 24, parity: 2, text: 2000 },
    Level { diverging: 16, parity: 0, text: 1000 },
    Level { diverging: 8, parity: 0, text: 300 },
    Level { diverging: 2, parity: 0, text: 200 },
    Level { diverging: 0, parity: 0, text: 80 },
    Level { diverging: 0, parity: 0, text: 12 },
];

impl Level {
    /// What is not on the page, in words.
    fn left_out(self) -> String {
        let Level { diverging, parity, .. } = self;
        match (diverging, parity) {
            (24, 24) => {
                "Of each tensor the page shows 24 elements, those around the first difference.".into()
            }
            (0, _) => {
                "To keep it small, the page leaves out inputs and outcomes: it has every verdict, message \
                       and figure."
                    .into()
            }
            (_, 0) => format!(
                "To keep it small, the page shows {diverging} elements of each tensor, and leaves out inputs and \
                 outcomes of cases that are identical on every engine."
            ),
            _ => format!(
                "To keep it small, the page shows {diverging} elements of each tensor, and {parity} where a case \
                 is identical on every engine."
            ),
        }
    }
}

/// The data of a page.
pub(super) struct Packed {
    /// The index.
    pub(super) index: String,
    /// A block per op.
    pub(super) blocks: Vec<String>,
    /// What is not in it, in words.
    pub(super) left_out: String,
}

impl Packed {
    fn len(&self) -> usize {
        self.index.len() + self.blocks.iter().map(|block| block.len() + AROUND).sum::<usize>()
    }
}

/// Most bytes of the markup around a block.
const AROUND: usize = 80;

#[derive(Serialize)]
struct Index<'a> {
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
    /// How many cases are how near to the truth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    d: Vec<(&'static str, usize)>,
    /// The histogram: what each bar counts, how many, and the kind of bar.
    h: Vec<(String, usize, &'static str)>,
}

/// A case in the index.
#[derive(Serialize)]
struct Case<'a> {
    /// Id.
    i: &'a str,
    /// Number of the op.
    o: usize,
    /// Note.
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<&'a str>,
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
    /// Number of the ledger's entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<usize>,
    /// Largest |a - b| and distance in ULP.
    #[serde(skip_serializing_if = "Option::is_none")]
    u: Option<(String, String)>,
}

/// What a case shows when it is opened; the cases of a block are in the order of the index.
#[derive(Serialize)]
struct Body {
    /// Arguments: name and text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    a: Vec<(String, String)>,
    /// PyTorch's outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<Outcome>,
    /// The truth by the labels of outputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    t: Vec<(String, Excerpt)>,
    /// Per engine, how near to the truth it is beside PyTorch, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    d: Vec<Option<String>>,
    /// Per engine, the outcome where that is not PyTorch's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    g: Vec<Option<Outcome>>,
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

/// The data packed, of at most that many bytes if any level of detail is that small.
pub(super) fn pack(report: &Report, corpus: Option<&Corpus>, limit: usize) -> serde_json::Result<Packed> {
    let entries: HashMap<&str, &Entry> = corpus
        .map(|corpus| corpus.entries.iter().map(|entry| (entry.case.id.as_str(), entry)).collect())
        .unwrap_or_default();
    let sheet = Sheet::of(report);
    let mut packed = Packed { index: String::new(), blocks: Vec::new(), left_out: String::new() };
    for level in LEVELS {
        packed = Packed {
            index: compress(&serde_json::to_vec(&index(report, &sheet, &entries, level))?),
            blocks: blocks(&sheet, &entries, level)?,
            left_out: level.left_out(),
        };
        if packed.len() <= limit {
            break;
        }
    }
    Ok(packed)
}

/// JSON as zlib's form of it, in base64: there is nothing in it that HTML would read.
fn compress(json: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail.
    let bytes = encoder.write_all(json).and_then(|()| encoder.finish()).unwrap_or_default();
    BASE64_STANDARD.encode(bytes)
}

/// A report turned on its side: cases by op, each with all engines' answers.
struct Sheet<'a> {
    /// Cases of each op in the order of the first engine that ran them.
    ops: Vec<Vec<Line<'a>>>,
}

/// A case, and what each engine made of it.
struct Line<'a> {
    id: &'a str,
    answers: Vec<Option<&'a CaseReport>>,
}

impl<'a> Sheet<'a> {
    fn of(report: &'a Report) -> Sheet<'a> {
        let ops = ops(report);
        let numbers: HashMap<&str, usize> = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
        let mut sheet = Sheet { ops: ops.iter().map(|_| Vec::new()).collect() };
        let mut places: HashMap<&str, (usize, usize)> = HashMap::new();
        for (i, engine) in report.engines.iter().enumerate() {
            for case in &engine.cases {
                let Some(&op) = numbers.get(case.op.as_str()) else { continue };
                let (op, line) = *places.entry(&case.id).or_insert_with(|| {
                    sheet.ops[op].push(Line { id: &case.id, answers: vec![None; report.engines.len()] });
                    (op, sheet.ops[op].len() - 1)
                });
                sheet.ops[op][line].answers[i] = Some(case);
            }
        }
        sheet
    }
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

fn index<'a>(
    report: &'a Report,
    sheet: &Sheet<'a>,
    entries: &HashMap<&str, &'a Entry>,
    level: Level,
) -> Index<'a> {
    let table = by_op(report);
    let mut texts = Texts::default();
    let mut cases = Vec::new();
    for (op, lines) in sheet.ops.iter().enumerate() {
        cases.extend(lines.iter().map(|line| Case {
            i: line.id,
            o: op,
            n: entries.get(line.id).and_then(|entry| entry.case.note.as_deref()),
            r: line.answers.iter().map(|case| answer(*case, level, &mut texts)).collect(),
        }));
    }
    let op = |op| Op {
        n: op,
        e: table.get(op).map_or(&[][..], Vec::as_slice).iter().map(|row| row.map(on_engine)).collect(),
    };
    Index {
        cases,
        texts: texts.list,
        engines: report.engines.iter().map(|engine| engine.name.as_str()).collect(),
        arguments: report.engines.iter().map(|engine| engine.argument()).collect(),
        ops: ops(report).into_iter().map(op).collect(),
    }
}

fn blocks(sheet: &Sheet, entries: &HashMap<&str, &Entry>, level: Level) -> serde_json::Result<Vec<String>> {
    let block = |lines: &Vec<Line>| {
        let bodies = lines.iter().map(|line| body(&line.answers, entries.get(line.id).copied(), level));
        Ok(compress(&serde_json::to_vec(&bodies.collect::<Vec<_>>())?))
    };
    sheet.ops.par_iter().map(block).collect()
}

fn on_engine(row: &OpRow) -> OnEngine<'_> {
    OnEngine {
        a: exponent(row.max_abs),
        u: ulp(row.max_ulp),
        t: &row.tolerance,
        d: row.truth.words().map(|(word, count)| (word.name(), count)).collect(),
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

fn answer(case: Option<&CaseReport>, level: Level, texts: &mut Texts) -> Answer {
    let Some(case) = case else { return Answer::NotRun(()) };
    if identical(case) {
        return Answer::Identical(1);
    }
    let mut number = |text: &Option<String>| text.as_ref().map(|text| texts.number(text, level.text));
    Answer::Other(Box::new(Other {
        v: case.verdict.name(),
        c: number(&case.class),
        m: number(&case.detail),
        k: number(&case.known),
        e: case.entry,
        u: (case.max_ulp > 0).then(|| (exponent(case.max_abs), ulp(case.max_ulp))),
    }))
}

fn identical(case: &CaseReport) -> bool {
    case.verdict == Word::Parity && case.max_ulp == 0 && case.got.is_none()
}

fn body(answers: &[Option<&CaseReport>], entry: Option<&Entry>, level: Level) -> Body {
    // A case that an engine lacks is as plain as one in which it is identical.
    let plain = |case: &&CaseReport| identical(case) || case.verdict == Word::Unsupported;
    let count = if answers.iter().flatten().all(plain) { level.parity } else { level.diverging };
    let entry = entry.filter(|_| count > 0);
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
    let got = |case: &Option<&CaseReport>| case.and_then(|case| case.got.as_deref()).map(shown);
    let sentence = |case: &Option<&CaseReport>| Some(case.as_ref()?.truth?.sentence());
    Body {
        a: entry.map_or(Vec::new(), |entry| {
            let mut all = arguments(&entry.case, count.min(12));
            all.iter_mut().for_each(|(_, text)| *text = cut(text, level.text));
            all
        }),
        p: golden.map(|golden| shown(&Shown::of(&golden.outcome, start, count))),
        t: golden.map_or(Vec::new(), |golden| {
            tensors(&golden.outcome)
                .filter_map(|(place, _)| {
                    let truth = truth_at(golden, &place)?;
                    let sample = Sample::of(truth, start(&place), count);
                    Some((place.to_string(), excerpt(&sample, start(&place), count)))
                })
                .collect()
        }),
        d: some_of(answers.iter().map(sentence).collect()),
        g: if count > 0 { some_of(answers.iter().map(got).collect()) } else { Vec::new() },
    }
}

/// A list, empty where nothing is in it.
fn some_of<T>(list: Vec<Option<T>>) -> Vec<Option<T>> {
    if list.iter().any(Option::is_some) { list } else { Vec::new() }
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
    use std::io::Read as _;

    use super::*;

    #[test]
    fn bars_say_what_they_count() {
        assert_eq!([0, 1, 2, 4, 256].map(bar), ["0", "1", "2–3", "4–7", "256–511"]);
        assert_eq!([512, 1 << 23, 1 << 63, u64::MAX].map(bar), ["2⁹", "2²³", "2⁶³", "NaN"]);
    }

    fn unpacked(text: &str) -> String {
        let mut json = String::new();
        let bytes = BASE64_STANDARD.decode(text).unwrap();
        flate2::read::ZlibDecoder::new(bytes.as_slice()).read_to_string(&mut json).unwrap();
        json
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let text = "</script><!--&\u{2028}".repeat(9);
        let packed = compress(text.as_bytes());
        assert!(packed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
        assert_eq!(unpacked(&packed), text);
    }

    /// Text that does not compress.
    fn noise(seed: usize) -> String {
        let mut state = seed as u64;
        let mut letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'!' + (state >> 33) as u8 % 90)
        };
        (0..3000).map(|_| letter()).collect()
    }

    #[test]
    fn detail_gives_way_to_the_limit() {
        let case = |i: usize| {
            serde_json::json!({
                "id": format!("s/sum/{i}"), "op": "sum", "verdict": "new", "max_abs": 0.5, "max_ulp": 3,
                "class": "value", "known": null, "detail": format!("{i}{}", noise(i)),
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
        let full = pack(&report, None, usize::MAX).unwrap();
        let short = pack(&report, None, full.len() / 2).unwrap();
        assert!(short.len() <= full.len() / 2, "{} {}", full.len(), short.len());
        assert_ne!(short.left_out, full.left_out);
        let index = unpacked(&short.index);
        assert!((0..100).all(|i| index.contains(&format!("\"s/sum/{i}\""))));
    }

    #[test]
    fn texts_are_kept_once_and_cut_between_letters() {
        let mut texts = Texts::default();
        assert_eq!([texts.number("ééé", 2), texts.number("b", 2), texts.number("éé…", 9)], [0, 1, 0]);
        assert_eq!(texts.list, ["éé…", "b"]);
    }
}
