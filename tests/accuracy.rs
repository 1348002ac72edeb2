//! The accuracy ratchet: an engine that gets worse inside its tolerances turns the run red.

mod common;

use common::{Scratch, compare_in, repository};

const FIXTURE: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","cases":[
{"id":"s/dot/two","op":"dot","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]},"tensor":{"dtype":"float32","shape":[2],"data":[3.0,4.0]}},"attrs":{}},
{"id":"s/dot/other","op":"dot","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]},"tensor":{"dtype":"float32","shape":[2],"data":[3.0,4.0]}},"attrs":{}},
{"id":"s/sum/two","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{}}
]}
"#;

/// As if PyTorch's products were 4 and 1 ULP above the engine's.
const GOLDEN: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","torch":{"version":"2.15.0","cpu_capability":"AVX2","threads":1,"platform":"linux-x86_64"},"outcomes":{
"s/dot/two":{"outputs":[{"dtype":"float32","shape":[],"data":[11.000003814697266]}],"abs_sum":[{"dtype":"float64","shape":[],"data":[11.0]}]},
"s/dot/other":{"outputs":[{"dtype":"float32","shape":[],"data":[11.000000953674316]}],"abs_sum":[{"dtype":"float64","shape":[],"data":[11.0]}]},
"s/sum/two":{"outputs":[{"dtype":"float32","shape":[],"data":[3.0]}]}
}}
"#;

const FILE: &str = "golden/accuracy.json";

const RECORDED: &str = r#"{"schema":1,"engines":{
"native":[
{"op":"dot","part":"outputs","dtype":"float32","ulp":4,"abs":3.814697265625e-6}
]
}}
"#;

/// As if the engine had been three times as good.
const BETTER: &str = r#"{"schema":1,"engines":{
"native":[
{"op":"dot","part":"outputs","dtype":"float32","ulp":1,"abs":1e-6}
]
}}
"#;

fn scratch(accuracy: &str) -> Scratch {
    let scratch = Scratch::new();
    for (file, text) in [("fixtures/s.json", FIXTURE), ("golden/s.json", GOLDEN), (FILE, accuracy)] {
        scratch.write(file, text);
    }
    scratch
}

/// What the repository records is what a run measures: the native engine and the models in this
/// build give the same bits on any machine.
#[test]
fn the_repositorys_record_is_what_is_measured() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("golden/known")).unwrap();
    for folder in ["golden", "golden/known"] {
        for file in std::fs::read_dir(repository(folder)).unwrap() {
            let file = file.unwrap();
            if file.file_type().unwrap().is_file() {
                std::fs::copy(file.path(), scratch.path(folder).join(file.file_name())).unwrap();
            }
        }
    }
    let fixtures = repository("fixtures").display().to_string();
    let arguments = ["--fixtures", &fixtures, "--engine", "native", "--engine", "argminmax"];
    let more = ["--engine", "argminmax-nan", "--engine", "candle-metal-model", "--bless", "-q"];
    let run = compare_in(&scratch.path(""), &[&arguments[..], &more].concat());
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr, "", "stale: cargo run --release --bin compare -- --engine all --bless -q");
}

#[test]
fn an_error_as_recorded_is_fine() {
    let run = scratch(RECORDED).compare(&[]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let twice = scratch(RECORDED);
    twice.replace(FILE, r#""ulp":4,"abs":3.814697265625e-6"#, r#""ulp":2,"abs":1.9073486328125e-6"#);
    assert_eq!(twice.compare(&[]).status, 0, "twice as large is not more than twice");
    let other = scratch(BETTER);
    other.replace(FILE, r#""abs":1e-6"#, r#""abs":1e-5"#);
    assert_eq!(other.compare(&[]).status, 0, "one measure alone says nothing");
}

#[test]
fn an_engine_that_got_worse_is_red_in_every_report() {
    let scratch = scratch(BETTER);
    let run = scratch.compare(&[
        "-o", "r.json", "-o", "r.jsonl", "-o", "r.xml", "-o", "r.md", "-o", "r.html", "-o", "r.txt",
        "--format", "json", "--format", "jsonl", "--format", "junit", "--format", "markdown", "--format",
        "html", "--format", "table", "--format", "github",
    ]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let what = "dot outputs float32: worse than recorded, 1 ulp (1.00e-6) → 4 ulp (3.81e-6), at";
    let annotation = format!("::error title=native is less accurate than recorded::{what} s/dot/two\n");
    assert!(run.stdout.starts_with(&annotation), "{}", run.stdout);
    for file in ["r.json", "r.jsonl", "r.md", "r.html", "r.txt"] {
        assert!(scratch.read(file).contains(what), "{file}: {}", scratch.read(file));
    }
    assert!(scratch.read("r.xml").contains(r#"<testsuite name="native/accuracy""#));
    let table = scratch.read("r.txt");
    assert!(table.contains("1 less accurate") && table.ends_with("DRIFT\n"), "{table}");
}

#[test]
fn a_record_that_is_missing_is_red() {
    let empty = scratch(r#"{"schema":1,"engines":{"native":[]}}"#);
    let run = empty.compare(&[]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("dot outputs float32: 4 ulp (3.81e-6) is not recorded, at s/dot/two"));
    assert_eq!(empty.compare(&["-k", "op:sum"]).status, 0, "what is exact needs no record");
}

#[test]
fn an_engine_that_the_file_does_not_know_is_not_held_to_it() {
    assert_eq!(scratch(r#"{"schema":1,"engines":{"candle":[]}}"#).compare(&[]).status, 0);
    let none = scratch(BETTER);
    std::fs::remove_file(none.path(FILE)).unwrap();
    assert_eq!(none.compare(&["--bless"]).status, 0);
    assert!(!none.path(FILE).exists(), "no record is made for who keeps none");
}

#[test]
fn bless_records_what_is_measured() {
    let scratch = scratch(BETTER);
    let run = scratch.compare(&["--bless", "-q"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let said = "native dot outputs float32: raised, 1 ulp (1.00e-6) → 4 ulp (3.81e-6)";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(scratch.read(FILE), RECORDED);
    assert_eq!(scratch.compare(&["--bless", "-q"]).stderr, "");
    // A part of the corpus lowers nothing.
    assert_eq!(scratch.compare(&["--bless", "-q", "-k", "other"]).stderr, "");
    assert_eq!(scratch.read(FILE), RECORDED);
    scratch.replace("golden/s.json", "11.000003814697266", "11.0");
    let run = scratch.compare(&["--bless", "-q"]);
    let said = "native dot outputs float32: lowered, 4 ulp (3.81e-6) → 1 ulp (9.54e-7)";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

/// Under other rules other cases are at parity, so that their errors say nothing.
#[test]
fn only_an_engines_own_tolerances_count() {
    let scratch = scratch(RECORDED);
    for arguments in [&["--strict", "--bless"][..], &["--profile", "metal", "--bless"]] {
        scratch.compare(arguments);
        assert_eq!(scratch.read(FILE), RECORDED, "{arguments:?}");
    }
}

#[test]
fn partitions_merge_into_what_one_run_gives() {
    let scratch = scratch(BETTER);
    assert_eq!(scratch.compare(&["-o", "whole.json"]).status, 1);
    for (partition, file) in [("hash:1/2", "1.json"), ("hash:2/2", "2.json")] {
        scratch.compare(&["--partition", partition, "-o", file]);
    }
    let run = scratch.compare(&["merge", "1.json", "2.json", "-o", "merged.json"]);
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(scratch.read("merged.json"), scratch.read("whole.json"));
}

#[test]
fn a_record_that_cannot_be_read_judges_nothing() {
    let message = |from: &str, to: &str| {
        let scratch = scratch(RECORDED);
        scratch.replace(FILE, from, to);
        let run = scratch.compare(&[]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        run.stderr.replace(&scratch.path("").display().to_string(), "")
    };
    let line = r#"{"op":"dot","part":"outputs","dtype":"float32","ulp":4,"abs":3.814697265625e-6}"#;
    let messages = [
        message(r#""schema":1"#, r#""schema":2"#),
        message(r#""dot""#, r#""dott""#),
        message("float32", "float31"),
        message("outputs", "inputs"),
        message(r#""ulp":4"#, r#""ulp":0"#),
        message(r#""ulp":4"#, r#""ulp":-4"#),
        message(line, &format!("{line},\n{line}")),
        message("}}\n", "}\n"),
    ];
    insta::assert_snapshot!(messages.concat());
}
