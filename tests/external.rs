//! Engines in processes of their own: the protocol from both ends, and every way to break it.
#![cfg(unix)]

mod common;

use std::fmt::Write as _;
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use common::{Run, Scratch, compare};
use serde_json::Value;

/// An engine in shell: what stands last in a case's id says what it does.
const ENGINE: &str = r#"
echo started >> starts
echo '{"engine":"scripted","version":"1.2.3","profile":"cpu","schema":1}'
while read -r line; do
    id=${line#*\"id\":\"}
    id=${id%%\"*}
    answer() { printf '{"id":"%s",%s}\n' "$id" "$1"; }
    case $id in
        */crash) exit 3 ;;
        */killed) kill -SEGV $$ ;;
        */done) exit 0 ;;
        */hang) sleep 60 ;;
        */deaf) exec <&-; sleep 60 ;;
        */deserted) (sleep 5; touch survivor) & sleep 60 ;;
        */mute) exec >&-; sleep 60 ;;
        */partial) printf '{"id":'; exit 0 ;;
        */garbage) echo 'a stray word' ;;
        */binary) printf '\377\n' ;;
        */empty) echo ;;
        */long) dd if=/dev/zero bs=1000000 count=2 2>/dev/null | tr '\0' ' ' ;;
        */other) echo '{"id":"s/sum/none","outputs":[]}' ;;
        */typo) answer '"output":[]' ;;
        */inexact) answer '"outputs":[{"dtype":"float32","shape":[],"data":[0.1]}]' ;;
        */unsupported) answer '"unsupported":"sum"' ;;
        */panic) answer '"panic":"index out of bounds"' ;;
        */raises) answer '"error":{"type":"ValueError","message":"no"}' ;;
        *) answer '"outputs":[{"dtype":"float32","shape":[],"data":[3.0]}]' ;;
    esac
done
echo ended >> ends
"#;

/// A corpus of a case per name, each a sum that is 3, and the engine.
fn scratch(names: &[&str]) -> Scratch {
    let scratch = Scratch::with_one_case();
    let tensor = |text: &str| format!(r#"{{"dtype":"float32",{text}}}"#);
    let cases = names.iter().map(|name| {
        let input = tensor(r#""shape":[2],"data":[1.0,2.0]"#);
        format!(r#"{{"id":"s/sum/{name}","op":"sum","inputs":{{"input":{input}}},"attrs":{{}}}}"#)
    });
    let outcomes = names
        .iter()
        .map(|name| format!(r#""s/sum/{name}":{{"outputs":[{}]}}"#, tensor(r#""shape":[],"data":[3.0]"#)));
    let between = |file: &str, items: Vec<String>| {
        let text = scratch.read(file);
        let (head, tail) = (text.split_inclusive('\n').next().unwrap(), text.lines().last().unwrap());
        scratch.write(file, &format!("{head}{}\n{tail}\n", items.join(",\n")));
    };
    between("fixtures/s.json", cases.collect());
    between("golden/s.json", outcomes.collect());
    scratch.write("engine.sh", ENGINE);
    scratch
}

const OWN: &str = "exec:sh engine.sh";

/// Every case with its verdict.
fn verdicts(run: &Run) -> String {
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let mut text = String::new();
    for case in report["engines"][0]["cases"].as_array().unwrap() {
        let word = |key: &str| case[key].as_str().unwrap_or("-").replace("s/sum/", "");
        let _ = writeln!(text, "{} {} [{}] {}", word("id"), word("verdict"), word("class"), word("detail"));
    }
    text
}

#[test]
fn whatever_an_engine_does_is_a_verdict_and_the_run_goes_on() {
    let names = [
        "one",
        "crash",
        "two",
        "killed",
        "done",
        "three",
        "mute",
        "partial",
        "garbage",
        "four",
        "binary",
        "empty",
        "long",
        "other",
        "five",
        "typo",
        "inexact",
        "unsupported",
        "panic",
        "raises",
        "six",
    ];
    let scratch = scratch(&names);
    let arguments = ["--engine", OWN, "--format", "json", "--max-elements", "10", "-j"];
    let alone = scratch.compare(&[&arguments[..], &["1"]].concat());
    assert_eq!((alone.status, alone.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(verdicts(&alone));
    // Started once, and again for the case after each that broke it.
    assert_eq!(scratch.read("starts").lines().count(), 1 + 12);
    assert_eq!(scratch.read("ends").lines().count(), 1);
    let together = scratch.compare(&[&arguments[..], &["3"]].concat());
    assert_eq!(verdicts(&together), verdicts(&alone));
}

#[test]
fn what_hangs_is_ended_with_all_that_it_started() {
    let scratch = scratch(&["one", "hang", "two", "deaf", "three", "deserted"]);
    let run = scratch.compare(&["--engine", OWN, "--format", "json", "--timeout", "3", "-j", "3"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    insta::assert_snapshot!(verdicts(&run), @"
    one parity [-] -
    hang new [timeout] no answer within 3 s
    two parity [-] -
    deaf new [timeout] no answer within 3 s
    three parity [-] -
    deserted new [timeout] no answer within 3 s
    ");
    std::thread::sleep(Duration::from_secs(4));
    assert!(!scratch.path("survivor").exists());
}

/// What is said of an engine that does not start.
fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let run = scratch.compare(arguments);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    run.stderr
}

#[test]
fn an_engine_that_does_not_say_who_it_is_cannot_be_judged() {
    let scratch = scratch(&["one"]);
    let says = |text: &str| format!("exec:echo '{text}'");
    let commands = [
        "exec:no-such-program --flag".to_string(),
        "exec:sh -c 'exit 4'".into(),
        "exec:sh -c 'printf half; exit 5'".into(),
        says("hello"),
        says(r#"{"engine":"x","version":"1","profile":"cpu"}"#),
        says(r#"{"schema":2}"#),
        says(r#"{"engine":"x","version":"1","profile":"gpu","schema":1}"#),
        says(r#"{"engine":"../x","version":"1","profile":"cpu","schema":1}"#),
        says(r#"{"engine":"","version":"1","profile":"cpu","schema":1}"#),
        says(r#"{"engine":"x","version":"","profile":"cpu","schema":1}"#),
        "exec:".into(),
        "exec:echo 'open".into(),
    ];
    let mut said = commands.map(|command| refused(&scratch, &["--engine", &command])).to_vec();
    said.push(refused(&scratch, &["--engine", "exec:sleep 60", "--timeout", "0.5"]));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn the_options_of_external_engines_are_checked() {
    let scratch = scratch(&["one"]);
    let said = [
        refused(&scratch, &["--engine", OWN, "--timeout", "0"]),
        refused(&scratch, &["--engine", OWN, "--timeout", "soon"]),
        refused(&scratch, &["--engine", OWN, "--engine-log", "no/such/folder"]),
        refused(&scratch, &["--engine", OWN, "--engine", "exec:sh ./engine.sh"]),
        refused(&scratch, &["serve", "--engine", OWN]),
        refused(&scratch, &["serve", "--engine", "all"]),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn two_engines_of_other_names_run_beside_each_other_and_have_their_ledgers() {
    let scratch = scratch(&["one", "raises"]);
    scratch.write("other.sh", &ENGINE.replace(r#""scripted""#, r#""other""#));
    std::fs::create_dir(scratch.path("golden/known")).unwrap();
    let entry = "[[known]]\nselect = 'raises'\nengine = '=1.2.3'\nclass = 'error-unexpected'\nwhy = 'It refuses.'\nsource = 'its code'\n";
    scratch.write("golden/known/other.toml", entry);
    let run = scratch.compare(&["--engine", "exec:sh other.sh", "--engine", OWN, "-q"]);
    insta::assert_snapshot!(run.stdout, @"
    other 1.2.3 · 2 cases · 1 parity · 1 known · 0 diverge · 0 unsupported · worst 0 ulp · PyTorch 2.15.0 AVX2 · OK
    scripted 1.2.3 · 2 cases · 1 parity · 1 diverge · 0 unsupported · worst 0 ulp · PyTorch 2.15.0 AVX2 · DRIFT
    ");
    assert_eq!(run.status, 1);
    assert_eq!(scratch.compare(&["--engine", "exec:sh other.sh"]).status, 0);
}

#[test]
fn what_an_engine_writes_to_stderr_is_shown_or_logged() {
    let scratch = scratch(&["one"]);
    scratch.write("engine.sh", &format!("echo 'loading weights' >&2\n{ENGINE}"));
    assert_eq!(scratch.compare(&["--engine", OWN]).stderr, "loading weights\n");
    for times in 1..3 {
        assert_eq!(scratch.compare(&["--engine", OWN, "--engine-log", "log"]).stderr, "");
        assert_eq!(scratch.read("log"), "loading weights\n".repeat(times));
    }
}

#[test]
fn a_case_of_an_external_engine_is_explained_and_run_again() {
    let scratch = scratch(&["one", "raises"]);
    let arguments = ["explain", "s/sum/raises", "--engine", OWN];
    let run = scratch.compare(&arguments);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("compare --engine 'exec:sh engine.sh' -k id:s/sum/raises"), "{}", run.stdout);
    assert_eq!(scratch.compare(&["--engine", OWN, "-o", "r.json"]).status, 1);
    let again = ["list", "--engine", OWN, "--rerun-failed", "r.json"];
    assert_eq!(scratch.compare(&again).stdout, "s/sum/raises\n");
}

/// Both ends of the protocol are this program's; what is judged must be the same as without
/// it, to the last digit.
fn served(engine: &str, arguments: &[&str]) {
    let command = format!("exec:'{}' serve --engine {engine}", cargo_bin("compare").display());
    let report = |engine: &str| {
        let run = compare(&[&["--engine", engine, "--format", "json"], arguments].concat());
        assert_eq!(run.stderr, "");
        let mut report: Value = serde_json::from_str(&run.stdout).unwrap();
        // How it was started is all that may differ.
        report["engines"][0].as_object_mut().unwrap().remove("command");
        report
    };
    let (inside, outside) = (report(engine), report(&command));
    assert!(inside["engines"][0]["summary"]["parity"].as_u64() > Some(100), "{arguments:?}");
    assert!(inside == outside, "{engine} {arguments:?}");
}

#[test]
fn an_engine_over_the_wire_is_the_engine() {
    // Long tensors, strides, NaN and the zeros, every dtype, errors, warnings; gradients of lists
    // and graphs, and backward passes that raise.
    let suites =
        ["red_ref", "reduce", "select", "course", "public", "grad_graphs", "grad_index", "grad_loss"];
    let suites: Vec<&str> = suites.iter().flat_map(|suite| ["--suite", suite]).collect();
    served("native", &[&suites[..], &["--strict", "-j", "2"]].concat());
    // One that does not support most and diverges in much.
    served("candle-metal-model", &suites);
}

#[test]
fn an_interrupted_run_ends_its_engines() {
    let scratch = scratch(&["deserted"]);
    let mut run = std::process::Command::new(cargo_bin("compare"))
        .args(["--engine", OWN, "--timeout", "60"])
        .current_dir(scratch.path(""))
        .spawn()
        .unwrap();
    while !scratch.path("starts").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // So that the case has been asked, and what it starts is running.
    std::thread::sleep(Duration::from_secs(1));
    let kill = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    std::thread::sleep(Duration::from_secs(6));
    assert!(!scratch.path("survivor").exists());
}
