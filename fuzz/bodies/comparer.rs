//! Two tensors and a rule: whatever they hold, the judge does not panic, and its verdicts stand to
//! each other as they have to.

use std::path::Path;

use arbitrary::{Arbitrary, Result, Unstructured};
use torch_parity::corpus::{Case, Golden, Outcome};
use torch_parity::engines::Profile;
use torch_parity::judge::{Judgement, Rule, Tolerances, Verdict, judge};
use torch_parity::ops::{Args, Call, Value};
use torch_parity::tensor::{DType, Scalar, Tensor};

/// What may be judged: ordinary ops, and those that leave open which of equals an index names.
const OPS: &[&str] = &["sum", "max", "sort", "argsort", "topk", "median", "nanmedian", "mode", "kthvalue"];

/// One input: an op, PyTorch's and the engine's tensor, and a rule.
pub(crate) fn check(data: &[u8]) {
    // Where the bytes run out the rest is zeros, so nothing is ever refused.
    let _ = compare(&mut Unstructured::new(data));
}

fn compare(u: &mut Unstructured) -> Result<()> {
    let op = *u.choose(OPS)?;
    let expected = tensor(u)?;
    let got = match u.int_in_range(0..=3)? {
        0 => tensor(u)?,
        _ => with_elements(u, expected.shape(), expected.dtype())?,
    };
    let n = match u.int_in_range(0..=2)? {
        0 => u64::from(u.arbitrary::<u8>()?),
        1 => u64::from(u.arbitrary::<u32>()?),
        _ => u.arbitrary()?,
    };
    let (atol, rtol) = (size(u)?, size(u)?);
    let scale = with_elements(u, expected.shape(), DType::Float64)?;
    if op == "sum" {
        plain(&expected, &got, &scale, n, (atol, rtol));
    } else {
        open(u, op, &expected, &got, n)?;
    }
    Ok(())
}

/// Pairs of rules, by their place in [`plain`]: whatever the first admits, the second does.
const WIDER: [(usize, usize); 8] = [(0, 1), (0, 4), (0, 7), (1, 2), (1, 3), (4, 5), (4, 6), (7, 8)];

/// Of an op that leaves nothing open: what each rule makes of the two tensors.
fn plain(expected: &Tensor, got: &Tensor, scale: &Tensor, n: u64, (atol, rtol): (f64, f64)) {
    let rules = [
        Rule::Exact,
        Rule::Ulp(n),
        Rule::Ulp(n.saturating_add(1)),
        Rule::Ulp(n.saturating_mul(2)),
        Rule::Near { atol, rtol },
        Rule::Near { atol: atol * 2.0, rtol },
        Rule::Near { atol, rtol: rtol + 1.0 },
        Rule::SumScaled(atol),
        Rule::SumScaled(atol * 2.0),
    ];
    let passes = rules.map(|rule| passes(expected, got, scale, rule));
    for (narrow, wide) in WIDER {
        let (inner, outer) = (rules[narrow], rules[wide]);
        assert!(!passes[narrow] || passes[wide], "{inner} admits what {outer} refuses");
    }
    if !expected.dtype().is_floating() {
        assert_eq!(passes, [passes[0]; 9], "a rule loosens {}", expected.dtype());
    }
}

/// Whether the engine's tensor is at parity under a rule.
fn passes(expected: &Tensor, got: &Tensor, scale: &Tensor, rule: Rule) -> bool {
    let tolerances = only(rule);
    let call = Call { op: "sum".into(), args: Args::new() };
    let judged = |expected: &Tensor, got: &Tensor| {
        let golden = (std::slice::from_ref(expected), vec![scale.clone()]);
        let verdict = verdict(&call, &tolerances, golden, std::slice::from_ref(got));
        sound(&verdict);
        (verdict.judgement == Judgement::Parity, verdict.measured)
    };
    for tensor in [expected, got] {
        let (parity, same) = judged(tensor, tensor);
        assert!(parity, "{rule}");
        assert_eq!((same.max_abs, same.max_ulp, same.differing), (0.0, 0, 0));
    }
    let (parity, one_way) = judged(expected, got);
    let (other_parity, other_way) = judged(got, expected);
    assert_eq!((one_way.max_ulp, one_way.max_abs), (other_way.max_ulp, other_way.max_abs));
    if matches!(rule, Rule::Exact | Rule::Ulp(_)) {
        assert_eq!(parity, other_parity, "{rule} is not symmetric");
    }
    if expected.dtype() != got.dtype() || expected.shape() != got.shape() {
        assert!(!parity, "another dtype or shape passes {rule}");
    } else if special(expected).zip(special(got)).any(|(a, b)| a != b) {
        assert!(!parity, "a NaN or an infinity on one side passes {rule}");
    }
    parity
}

/// Values and indices of an op that leaves open which of equals an index names: looser than equal
/// bits in nothing but the indices.
fn open(u: &mut Unstructured, op: &str, input: &Tensor, other: &Tensor, n: u64) -> Result<()> {
    let mut args = Args::from_iter([("input".to_string(), Value::Tensor(input.clone()))]);
    if u.arbitrary()? {
        args.insert("dim".into(), Value::Scalar(Scalar::Int(u.int_in_range(-3..=3)?)));
    }
    for flag in ["stable", "sorted"] {
        if u.arbitrary()? {
            args.insert(flag.into(), Value::Scalar(Scalar::Bool(u.arbitrary()?)));
        }
    }
    let mut outputs = |values: &Tensor| -> Result<Vec<Tensor>> {
        let places = (0..values.numel()).map(|_| u.int_in_range(-1..=4)).collect::<Result<Vec<i64>>>()?;
        let indices = Tensor::new(values.shape(), places).expect("one index for each value");
        Ok(if op == "argsort" { vec![indices] } else { vec![values.clone(), indices] })
    };
    let (expected, got) = (outputs(input)?, outputs(other)?);
    let call = Call { op: op.into(), args };
    for rule in [Rule::Exact, Rule::Ulp(n)] {
        let tolerances = only(rule);
        let same = verdict(&call, &tolerances, (&expected, Vec::new()), &expected);
        assert_eq!(same.judgement, Judgement::Parity);
        let verdict = verdict(&call, &tolerances, (&expected, Vec::new()), &got);
        sound(&verdict);
        assert!(verdict.note.is_none() || verdict.judgement == Judgement::Parity);
    }
    Ok(())
}

/// The verdict on outputs.
fn verdict(
    call: &Call,
    tolerances: &Tolerances,
    (expected, abs_sum): (&[Tensor], Vec<Tensor>),
    got: &[Tensor],
) -> Verdict {
    let id = format!("s/{}/fuzz", call.op);
    let call = call.clone();
    let case = Case { id, call, backward: None, tags: Vec::new(), note: None, foreign: None };
    let returned = |outputs: &[Tensor]| Outcome::Returned {
        outputs: outputs.to_vec(),
        warnings: Vec::new(),
        backward: None,
    };
    let golden = Ok(Golden { outcome: returned(expected), abs_sum, ..Golden::default() });
    judge(&case, &golden, &returned(got), tolerances, Profile::Cpu, "fuzz")
}

/// Tolerances of one rule.
fn only(rule: Rule) -> Tolerances {
    let rule = serde_json::to_string(&rule).unwrap();
    let line = format!(r#"{{"profile":"cpu","op":"*","dtype":"*","rule":{rule},"why":"fuzz"}}"#);
    Tolerances::parse(Path::new("tolerances.json"), &format!(r#"{{"schema":1,"rules":[{line}]}}"#)).unwrap()
}

/// What holds of every verdict.
fn sound(verdict: &Verdict) {
    let measured = &verdict.measured;
    assert!(!measured.max_abs.is_nan() && measured.max_abs >= 0.0);
    assert!(measured.refused <= measured.differing && measured.differing <= measured.elements);
    assert_eq!(measured.first.is_some(), measured.refused > 0);
    assert!(measured.refused == 0 || matches!(verdict.judgement, Judgement::Diverges(..)));
}

/// What is no finite number, in a form that tells whether two are the same.
fn special(tensor: &Tensor) -> impl Iterator<Item = Option<String>> {
    tensor.scalars().map(|value| match value {
        Scalar::Float(x) if x.is_nan() => Some("NaN".into()),
        Scalar::Float(x) if x.is_infinite() => Some(x.to_string()),
        _ => None,
    })
}

/// A finite number that is not negative.
fn size(u: &mut Unstructured) -> Result<f64> {
    let size = f64::from_bits(u.arbitrary()?).abs();
    Ok(if size.is_finite() { size / 4.0 } else { 1e-5 })
}

fn tensor(u: &mut Unstructured) -> Result<Tensor> {
    let dtypes: Vec<DType> = DType::all().collect();
    let dtype = *u.choose(&dtypes)?;
    let shape: Vec<usize> =
        (0..u.int_in_range(0..=3)?).map(|_| u.int_in_range(0..=4)).collect::<Result<_>>()?;
    with_elements(u, &shape, dtype)
}

/// Few different values, so that equals, neighbours and opposites are frequent, or any at all.
fn with_elements(u: &mut Unstructured, shape: &[usize], dtype: DType) -> Result<Tensor> {
    const USUAL: [f64; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        1.0 + f64::EPSILON,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        1e-45,
        65504.0,
    ];
    let count: usize = shape.iter().product();
    let tensor = if dtype.is_floating() {
        let mut value = || {
            Ok(match u8::arbitrary(u)? {
                usual if usual < 200 => USUAL[usize::from(usual) % USUAL.len()],
                _ => f64::from_bits(u.arbitrary()?),
            })
        };
        Tensor::new(shape, (0..count).map(|_| value()).collect::<Result<Vec<f64>>>()?)
    } else {
        let mut value = || {
            Ok(match u8::arbitrary(u)? {
                usual if usual < 200 => i64::from(usual % 4) - 1,
                _ => u.arbitrary()?,
            })
        };
        Tensor::new(shape, (0..count).map(|_| value()).collect::<Result<Vec<i64>>>()?)
    };
    Ok(tensor.expect("as many elements as the shape says").to_dtype(dtype))
}
