//! The ledger of known divergences through the real binary, on an engine that does diverge: the
//! model of candle's Metal kernels.

mod common;

use common::{Run, Scratch};

const ENGINE: &str = "candle-metal-model";

const LEDGER: &str = r#"# Known.

[[known]]
select = "op:argmax" # all of them
engine = "=0.11.0"
class = "dtype"
why = "Indices are U32."
source = "its source"

# Values

[[known]]
select = "op:mean"
engine = "=0.11.0"
class = "value"
max_abs = 0.5
why = "It adds in another order."
source = "its source"

[[known]]
select = "op:mean or op:argmax"
engine = "=0.11.0"
class = "error-unexpected"
why = "There is no I32."
source = "its source"
"#;

const FIXTURE: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","cases":[
{"id":"s/argmax/first","op":"argmax","inputs":{"input":{"dtype":"float32","shape":[2],"data":[2.0,1.0]}},"attrs":{}},
{"id":"s/argmax/second","op":"argmax","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{},"tags":["second"]},
{"id":"s/mean/cancelling","op":"mean","inputs":{"input":{"dtype":"float32","shape":[4],"data":[1.0,1e8,1.0,-1e8]}},"attrs":{}},
{"id":"s/argmax/int32","op":"argmax","inputs":{"input":{"dtype":"int32","shape":[2],"data":[1,2]}},"attrs":{}},
{"id":"s/mean/two","op":"mean","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{}},
{"id":"s/mul/two","op":"mul","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{"other":2.0}}
]}
"#;

const GOLDEN: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","torch":{"version":"2.15.0","cpu_capability":"AVX2","threads":1,"platform":"linux-x86_64"},"outcomes":{
"s/argmax/first":{"outputs":[{"dtype":"int64","shape":[],"data":[0]}]},
"s/argmax/second":{"outputs":[{"dtype":"int64","shape":[],"data":[1]}]},
"s/mean/cancelling":{"outputs":[{"dtype":"float32","shape":[],"data":[0.0]}]},
"s/argmax/int32":{"outputs":[{"dtype":"int64","shape":[],"data":[1]}]},
"s/mean/two":{"outputs":[{"dtype":"float32","shape":[],"data":[1.5]}]},
"s/mul/two":{"outputs":[{"dtype":"float32","shape":[2],"data":[2.0,4.0]}]}
}}
"#;

/// The corpus with that ledger.
fn scratch(ledger: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("fixtures/s.json", FIXTURE);
    scratch.write("golden/s.json", GOLDEN);
    std::fs::create_dir(scratch.path("golden/known")).unwrap();
    scratch.write(&format!("golden/known/{ENGINE}.toml"), ledger);
    scratch
}

fn file() -> String {
    format!("golden/known/{ENGINE}.toml")
}

fn run(scratch: &Scratch, arguments: &[&str]) -> Run {
    scratch.compare(&[&["--engine", ENGINE], arguments].concat())
}

/// The ledger with one place changed, run.
fn tampered(from: &str, to: &str) -> Run {
    let scratch = scratch(LEDGER);
    scratch.replace(&file(), from, to);
    run(&scratch, &[])
}

/// The lines about divergences and the ledger.
fn complaints(run: &Run) -> Vec<&str> {
    let said = |line: &&str| line.starts_with("DIVERGES") || line.trim_start().starts_with("entry ");
    run.stdout.lines().filter(said).collect()
}

#[test]
fn what_is_explained_is_known() {
    let run = run(&scratch(LEDGER), &["--format", "table"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn a_divergence_that_nothing_explains_is_new() {
    let run = tampered("\"op:argmax\"", "\"op:argmax and not second\"");
    assert_eq!(run.status, 1);
    assert_eq!(
        complaints(&run),
        ["DIVERGES s/argmax/second [dtype]: output 0 is uint32; PyTorch's is int64"]
    );
}

#[test]
fn a_wrong_class_is_red_twice() {
    let run = tampered("\"value\"", "\"nan\"");
    assert_eq!(run.status, 1);
    let complaints = complaints(&run);
    assert!(complaints[0].starts_with("DIVERGES s/mean/cancelling [value]"), "{complaints:?}");
    assert_eq!(complaints[1].trim(), "entry 2 [class] op:mean: its cases diverge otherwise: 1 as value");
}

#[test]
fn an_entry_that_is_taken_out_is_missed() {
    let entries: Vec<&str> = LEDGER.split("[[known]]").collect();
    for (i, cases) in [(1, 2), (2, 1), (3, 1)] {
        let left: Vec<&str> = [&entries[..i], &entries[i + 1..]].concat();
        let run = run(&scratch(&left.join("[[known]]")), &[]);
        assert_eq!(run.status, 1, "entry {i}: {}", run.stdout);
        assert_eq!(complaints(&run).len(), cases, "entry {i}: {}", run.stdout);
    }
}

#[test]
fn a_stale_entry_is_red() {
    let stale = |select: &str, said: &str| {
        let entry = format!(
            "\n[[known]]\nselect = \"{select}\"\nengine = \"*\"\nclass = \"value\"\nwhy = \"a\"\nsource = \"b\"\n"
        );
        let run = run(&scratch(&format!("{LEDGER}{entry}")), &[]);
        assert_eq!(run.status, 1, "{}", run.stdout);
        assert_eq!(complaints(&run), [format!("    entry 4 {said}")]);
        assert!(run.stdout.trim_end().ends_with("DRIFT"), "{}", run.stdout);
    };
    stale("id:s/mean/two", "[stale] id:s/mean/two: its 1 cases agree with PyTorch");
    stale("op:mul", "[stale] op:mul: none of its 1 cases is supported");
    stale("op:prod", "[selects-nothing] op:prod: selects no case of the corpus");
    stale("s/argmax/first", "[class] s/argmax/first: its cases diverge otherwise: 1 as dtype");
}

#[test]
fn a_size_is_held_to_a_factor_of_two() {
    assert_eq!(tampered("0.5", "0.9").status, 0);
    assert_eq!(tampered("0.5", "0.3").status, 0);
    let run = tampered("0.5", "0.2");
    assert_eq!(run.status, 1);
    assert_eq!(complaints(&run), ["    entry 2 [size] op:mean: max_abs is 5.00e-1; the ledger says 2.00e-1"]);
    assert_eq!(tampered("0.5", "1.1").status, 1);
}

#[test]
fn an_entry_about_another_version_explains_nothing() {
    let scratch = scratch(&LEDGER.replace("=0.11.0", "=0.12.0"));
    let run = run(&scratch, &[]);
    assert_eq!(run.status, 1);
    assert_eq!(complaints(&run).len(), 4);
    assert!(
        run.stdout.contains("3 entries of the ledger of candle-metal-model are about other versions."),
        "{}",
        run.stdout
    );
}

#[test]
fn a_ledger_that_cannot_be_read_judges_nothing() {
    let refused = |from: &str, to: &str| {
        let run = tampered(from, to);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let (_, said) = run.stderr.trim_end().split_once("golden/known/").unwrap();
        said.to_string()
    };
    insta::assert_snapshot!(
        [
            refused("It adds in another order.", ""),
            refused("max_abs", "max_abz"),
            refused("\"value\"", "\"values\""),
            refused("op:mean or", "op:mean or or"),
            refused("\"op:mean\"\nengine = \"=0.11.0\"", "\"op:mean\"\nengine = \"0.11.x.y\""),
            refused("[[known]]\nselect = \"op:mean\"\n", "[[known]]\nselect = op:mean\n"),
        ]
        .join("\n")
    );
}

#[test]
fn a_part_of_the_corpus_makes_nothing_stale() {
    let scratch = scratch(LEDGER);
    for part in [["-k", "argmax"], ["--partition", "hash:1/2"], ["-k", "mul"]] {
        let run = run(&scratch, &part);
        assert!(complaints(&run).is_empty(), "{}", run.stdout);
    }
    // A size that is exceeded is known of a part too.
    scratch.replace(&file(), "0.5", "0.2");
    assert_eq!(run(&scratch, &["-k", "cancelling"]).status, 1);
    scratch.replace(&file(), "0.2", "2.0");
    assert_eq!(run(&scratch, &["-k", "cancelling"]).status, 0);
    assert_eq!(run(&scratch, &[]).status, 1);
}

#[test]
fn strict_ignores_tolerances_and_not_the_ledger() {
    let run = run(&scratch(LEDGER), &["--strict"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.contains("· 4 known ·"), "{}", run.stdout);
}

#[test]
fn every_form_says_what_is_wrong_with_the_ledger() {
    let scratch = scratch(&LEDGER.replace("0.5", "0.1"));
    let said = |format: &str| {
        let run = run(&scratch, &["--format", format]);
        assert_eq!(run.status, 1, "{format}: {}", run.stderr);
        run.stdout
    };
    for format in ["table", "json", "jsonl", "junit", "markdown", "html", "github"] {
        let text = said(format);
        assert!(text.contains("max_abs is 5.00e-1; the ledger says 1.00e-1"), "{format}: {text}");
    }
    let report: serde_json::Value = serde_json::from_str(&said("json")).unwrap();
    assert_eq!(report["status"], 1);
    let engine = &report["engines"][0];
    assert_eq!(engine["summary"]["known"], 4);
    assert_eq!(engine["ledger"][1]["problem"]["fault"], "size");
    assert_eq!(engine["ledger"][0]["explained"], 2);
    let case = &engine["cases"][0];
    assert_eq!((&case["verdict"], &case["entry"]), (&"known".into(), &1.into()));
    assert_eq!(case["known"], "Indices are U32.");
}

#[test]
fn parts_of_a_run_add_up_to_its_ledger() {
    let scratch = scratch(&LEDGER.replace("0.5", "0.1"));
    run(&scratch, &["-o", "whole.json"]);
    for i in 1..=2 {
        run(&scratch, &["--partition", &format!("hash:{i}/2"), "-o", &format!("part-{i}.json")]);
    }
    let merged = scratch.compare(&["merge", "part-1.json", "part-2.json", "--format", "json"]);
    assert_eq!(merged.status, 1);
    assert_eq!(merged.stdout, scratch.read("whole.json"));

    let other = scratch.read("part-2.json").replace("Indices are U32.", "So.");
    scratch.write("part-2.json", &other);
    let refused = scratch.compare(&["merge", "part-1.json", "part-2.json"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("has another ledger here than in the other parts"), "{}", refused.stderr);
}

#[test]
fn bless_writes_what_is_missing_and_drops_what_is_stale() {
    let stale = "\n# Gone\n[[known]]\nselect = \"op:mul\"\nengine = \"*\"\nclass = \"value\"\nwhy = \"a\"\nsource = \"b\"\n";
    let start =
        LEDGER.replace("0.5", "0.1 # of four").replace("op:argmax\" #", "op:argmax and not second\" #");
    let scratch = scratch(&format!("{start}{stale}"));
    let before = scratch.read(&file());

    // Without a reason nothing is written.
    for reason in
        [&[][..], &["--why", "So."], &["--why", " ", "--source", "x"], &["--why", "So.", "--source", ""]]
    {
        let refused = run(&scratch, &[&["--bless"], reason].concat());
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{reason:?}: {}", refused.stderr);
        assert_eq!(scratch.read(&file()), before);
    }
    let blessed = run(&scratch, &["--bless", "--why", "So it is.", "--source", "a page"]);
    assert_eq!(blessed.status, 0, "{}{}", blessed.stdout, blessed.stderr);
    insta::assert_snapshot!(scratch.read(&file()));

    // Blessed once more, nothing changes, and no reason is needed.
    let text = scratch.read(&file());
    assert_eq!(run(&scratch, &["--bless"]).status, 0);
    assert_eq!(scratch.read(&file()), text);
    let left: Vec<_> = std::fs::read_dir(scratch.path("golden/known")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn bless_makes_a_ledger_where_there_is_none() {
    let scratch = scratch("");
    std::fs::remove_dir_all(scratch.path("golden/known")).unwrap();
    let blessed = run(&scratch, &["-k", "argmax", "--bless", "--why", "So it is.", "--source", "a page"]);
    assert_eq!(blessed.status, 0, "{}{}", blessed.stdout, blessed.stderr);
    insta::assert_snapshot!(scratch.read(&file()));
    // The rest was not run, and is added to by the next.
    assert_eq!(run(&scratch, &["--bless", "--why", "Too.", "--source", "a page"]).status, 0);
    assert_eq!(run(&scratch, &[]).status, 0);
}

#[test]
fn explain_gives_the_reason_and_its_source() {
    let run = run(&scratch(LEDGER), &["explain", "s/mean/cancelling"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines: Vec<&str> =
        run.stdout.lines().filter(|line| line.starts_with("verdict") || line.starts_with("why")).collect();
    assert_eq!(
        lines,
        [
            "verdict    known: diverges [value]: output 0 at []: 0.5; PyTorch has 0.0 (1 of 1 elements differ too far)",
            "why        It adds in another order."
        ]
    );
    assert!(run.stdout.contains("source     its source ("), "{}", run.stdout);
    assert!(run.stdout.contains("candle-metal-model.toml entry 2)"), "{}", run.stdout);
}

#[test]
fn engines_stand_side_by_side() {
    let scratch = scratch(&LEDGER.replace("op:argmax\" #", "op:argmax and not second\" #"));
    let run = scratch.compare(&["--engine", "native", "--engine", ENGINE]);
    assert_eq!(run.status, 1);
    insta::assert_snapshot!(run.stdout);
    let twice = scratch.compare(&["--engine", ENGINE, "--engine", ENGINE, "-q"]);
    assert_eq!(twice.stdout.lines().count(), 1, "an engine runs once: {}", twice.stdout);
    let all = scratch.compare(&["--engine", "all", "-q"]);
    let names: Vec<&str> = all.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.starts_with(&["native"]) && names.contains(&ENGINE), "{names:?}");
}
