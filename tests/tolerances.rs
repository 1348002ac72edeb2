//! The tolerances are justified: none is narrower than PyTorch's own spread, none admits more
//! than four times what it has to, and none is there for nothing.

mod common;

use common::{Run, Scratch, compare};

const FIXTURE: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","cases":[
{"id":"s/dot/two","op":"dot","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]},"tensor":{"dtype":"float32","shape":[2],"data":[3.0,4.0]}},"attrs":{}},
{"id":"s/sum/two","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{}}
]}
"#;

/// As if PyTorch's product were 4 ULP above the engine's, which is 2.9 x eps x sum|ab|.
const GOLDEN: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","torch":{"version":"2.15.0","cpu_capability":"AVX2","threads":1,"platform":"linux-x86_64"},"outcomes":{
"s/dot/two":{"outputs":[{"dtype":"float32","shape":[],"data":[11.000003814697266]}],"abs_sum":[{"dtype":"float64","shape":[],"data":[11.0]}]},
"s/sum/two":{"outputs":[{"dtype":"float32","shape":[],"data":[3.0]}]}
}}
"#;

const RULES: &str = r#"{"schema": 1, "rules": [
  {"profile": "cpu", "engine": "native", "op": "dot", "dtype": "*", "rule": {"sum_scaled": 8.0}, "why": "MKL's order."},
  {"profile": "cpu", "engine": "native", "op": "*", "dtype": "*", "rule": {"exact": true}, "pinned": true, "why": "Its order."},
  {"profile": "cpu", "op": "*", "dtype": "*", "rule": {"atol": 1e-5, "rtol": 0.0}, "contract": true, "why": "Promised."}
]}
"#;

const SPREAD: &str = r#"{"schema":1,"torch":"2.15.0","conditions":["avx512/1"],"spread":{
"s/dot/two":{"ulp":3,"abs":2.9e-6},
"s/sum/two":{"ulp":9,"abs":0.5}
}}
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for (file, text) in [
        ("fixtures/s.json", FIXTURE),
        ("golden/s.json", GOLDEN),
        ("golden/tolerances.json", RULES),
        ("golden/spread.json", SPREAD),
    ] {
        scratch.write(file, text);
    }
    scratch
}

/// `compare tolerances` with one place of a file changed.
fn tampered(file: &str, from: &str, to: &str) -> Run {
    let scratch = scratch();
    scratch.replace(file, from, to);
    scratch.compare(&["tolerances"])
}

fn assert_red(run: &Run, note: &str) {
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.lines().any(|line| line.contains(note)), "{note}: {}", run.stdout);
}

/// The repository's own rules, over all of its corpus.
#[test]
fn every_figure_is_justified() {
    let run = compare(&["tolerances"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_rule_is_shown_with_what_it_decided() {
    let scratch = scratch();
    let run = scratch.compare(&["tolerances", "--reasons"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
    let json = scratch.compare(&["tolerances", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let rule = &json["engines"][0]["rules"][0];
    assert_eq!((&rule["cases"], &rule["elements"]), (&1.into(), &1.into()));
    assert!((rule["largest"].as_f64().unwrap() - 2.9).abs() < 0.1, "{rule}");
}

#[test]
fn a_widened_rule_is_red() {
    assert_red(&tampered("golden/tolerances.json", "8.0", "80.0"), "wide");
}

#[test]
fn what_was_measured_elsewhere_justifies_a_width_and_no_more() {
    let measured = |figure| format!(r#"80.0}}, "measured": {figure}, "why": "MKL's order.""#);
    let tampered = |figure| {
        let from = r#"8.0}, "why": "MKL's order.""#;
        tampered("golden/tolerances.json", from, &measured(figure))
    };
    assert_eq!(tampered("20.0").status, 0);
    assert_red(&tampered("19.0"), "wide");
    assert_red(&tampered("81.0"), "narrower than what was measured");
    let run = tampered("-20.0");
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert!(run.stderr.contains("rules[0].measured: is negative"), "{}", run.stderr);
}

#[test]
fn a_narrowed_rule_is_red() {
    let scratch = scratch();
    scratch.replace("golden/tolerances.json", "8.0", "0.8");
    let run = scratch.compare(&[]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("DIVERGES s/dot/two [value]"), "{}", run.stdout);
}

#[test]
fn a_rule_narrower_than_the_spread_is_red_unless_it_is_pinned() {
    let from = r#""s/dot/two":{"ulp":3,"abs":2.9e-6}"#;
    let run = tampered("golden/spread.json", from, r#""s/dot/two":{"ulp":99,"abs":2e-5}"#);
    assert_red(&run, "narrower than PyTorch's spread, at s/dot/two");
    let unpinned = tampered("golden/tolerances.json", r#""pinned": true, "#, "");
    assert_red(&unpinned, "narrower than PyTorch's spread, at s/sum/two");
}

#[test]
fn an_unused_rule_is_red_in_a_run_of_everything() {
    let scratch = scratch();
    scratch.replace("golden/tolerances.json", r#""op": "dot""#, r#""op": "vdot""#);
    assert_red(&scratch.compare(&["tolerances"]), "unused");
    assert_eq!(scratch.compare(&["tolerances", "-k", "op:sum"]).status, 0, "the rest was not run");
}

/// An engine that does not follow the pinned order may be as far away as PyTorch is from itself.
#[test]
fn the_spread_widens_what_is_not_pinned() {
    let scratch = scratch();
    scratch.replace("golden/s.json", "[3.0]", "[3.25]");
    let judged = |engine: &str| scratch.compare(&["--engine", engine, "--profile", "cpu", "-k", "op:sum"]);
    assert_eq!(judged("native").status, 1, "pinned");
    assert_eq!(judged("candle-metal-model").status, 1, "0.25 is more than 9 ULP");
    scratch.replace("golden/spread.json", r#""ulp":9"#, r#""ulp":4000000"#);
    assert_eq!(judged("candle-metal-model").status, 0);
    scratch.replace("golden/spread.json", r#""abs":0.5"#, r#""abs":0.2"#);
    assert_eq!(judged("candle-metal-model").status, 1);
    scratch.replace("golden/spread.json", r#""abs":0.2"#, r#""abs":null"#);
    assert_eq!(judged("candle-metal-model").status, 1, "no bound is no leave");
    assert_eq!(judged("native").status, 1);
}

#[test]
fn a_spread_that_cannot_be_used_judges_nothing() {
    let message = |from: &str, to: &str| {
        let scratch = scratch();
        scratch.replace("golden/spread.json", from, to);
        let run = scratch.compare(&[]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        run.stderr.replace(&scratch.path("").display().to_string(), "")
    };
    let messages = [
        message(r#""schema":1"#, r#""schema":2"#),
        message("2.15.0", "2.14.1"),
        message("s/sum/two", "s/sum/three"),
        message("s/sum/two", "t/sum/two"),
        message("s/sum/two", "s/dot/two"),
        message(r#""ulp":9"#, r#""ulp":-9"#),
        message(r#""abs":0.5"#, r#""abs":-0.5"#),
        message(r#","abs":0.5"#, ""),
        message(r#"0.5}"#, "0.5"),
    ];
    insta::assert_snapshot!(messages.concat());
}

#[test]
fn a_selection_hides_cases_of_the_spread() {
    let scratch = scratch();
    for (file, text) in [("fixtures/t.json", common::FIXTURE), ("golden/t.json", common::GOLDEN)] {
        scratch.write(file, &text.replace(r#""s""#, r#""t""#).replace(r#""s/"#, r#""t/"#));
    }
    assert_eq!(scratch.compare(&["--suite", "t"]).status, 0);
    assert_eq!(scratch.compare(&["-k", "suite:t"]).status, 0);
}
