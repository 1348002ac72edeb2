//! The gates: `scripts/gate.sh` with a stand-in for Cargo, and the commands of the workflow, which
//! are run as they stand there on a small corpus.
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::Parser as _;
use common::{Scratch, repository};
use serde_json::Value;
use torch_parity::cli::Cli;

/// The folder of the real binary.
fn binaries() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_compare")).parent().unwrap().to_path_buf()
}

/// A `PATH` on which a folder comes first.
fn path_with(folder: &Path) -> std::ffi::OsString {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder.to_path_buf()].into_iter().chain(std::env::split_paths(&paths))).unwrap()
}

/// The gate with a Cargo that notes what it is asked and ends as it is told, and what was asked.
fn gate(parts: &[&str], cargo: &str) -> (Output, Vec<String>) {
    let scratch = Scratch::new();
    let log = scratch.path("log");
    scratch.write("cargo", &format!("#!/usr/bin/env bash\necho \"$*\" >>\"{}\"\n{cargo}\n", log.display()));
    fs::set_permissions(scratch.path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(repository("scripts/gate.sh"))
        .args(parts)
        .env("PATH", path_with(&scratch.path("")))
        .env("TORCH_PARITY_GATE", scratch.path("gate"))
        .output()
        .unwrap();
    let log = fs::read_to_string(log).unwrap_or_default();
    (output, log.lines().map(str::to_string).collect())
}

#[test]
fn the_gate_runs_every_step_and_ends_with_the_worst() {
    let (output, asked) = gate(&[], "exit 0");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // The reports, two exact runs for each set of instructions that this CPU has, the wrong engines.
    let levels = asked.iter().filter(|line| line.contains("--strict")).count() / 2;
    assert!((1..=3).contains(&levels), "{asked:?}");
    assert_eq!(asked.len(), 1 + 2 * levels + 1, "{asked:?}");
    let ends = |cargo: &str| {
        let (output, again) = gate(&[], cargo);
        assert_eq!(again.len(), asked.len(), "every step runs: {again:?}");
        output.status.code()
    };
    assert_eq!(ends("[[ $* != *mutants* ]]"), Some(1));
    assert_eq!(ends("[[ $* != *-v* ]]"), Some(1));
    assert_eq!(ends("[[ $* == *--strict* ]] && exit 2; [[ $* != *mutants* ]]"), Some(2));
    assert_eq!(ends("exit 101"), Some(2), "a build that fails could not judge");
    assert_eq!(gate(&["nothing"], "exit 0").0.status.code(), Some(2));
}

#[test]
fn the_gate_speaks_the_command_line() {
    let (_, asked) = gate(&["native", "engines"], "exit 0");
    let suites: Vec<String> = fs::read_dir(repository("fixtures"))
        .unwrap()
        .filter_map(|file| Some(file.unwrap().path().file_stem()?.to_str()?.to_string()))
        .collect();
    for line in &asked {
        let (cargo, arguments) = line.split_once(" -- ").unwrap();
        assert_eq!(cargo.contains("--features candle,burn,strided"), arguments.contains("--engine all"));
        // The words of an expression after -k are one argument.
        let arguments = match arguments.split_once(" -k ") {
            Some((before, expression)) => {
                before.split(' ').chain(["-k", expression]).map(str::to_string).collect::<Vec<_>>()
            }
            None => arguments.split(' ').map(str::to_string).collect(),
        };
        let cli = Cli::try_parse_from([String::from("compare")].into_iter().chain(arguments)).unwrap();
        cli.selection.source().unwrap();
        for suite in &cli.selection.suite {
            assert!(suites.contains(suite), "no suite {suite}");
        }
    }
}

fn workflow() -> Value {
    let text = fs::read_to_string(repository(".github/workflows/parity.yml")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

/// The steps of a job.
fn steps<'a>(workflow: &'a Value, job: &str) -> &'a Vec<Value> {
    workflow["jobs"][job]["steps"].as_array().unwrap()
}

/// The script of a step.
fn script<'a>(workflow: &'a Value, job: &str, step: &str) -> &'a str {
    let found = steps(workflow, job).iter().find(|found| found["name"] == step).unwrap();
    found["run"].as_str().unwrap()
}

#[test]
fn the_workflow_asks_for_little_and_pins_what_it_uses() {
    let workflow = workflow();
    assert_eq!(workflow["permissions"], serde_json::json!({"contents": "read"}));
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        assert!(job["permissions"].is_null() && job["timeout-minutes"].is_u64(), "{name}");
        for step in steps(&workflow, name) {
            let Some(uses) = step["uses"].as_str() else { continue };
            let (action, version) = uses.split_once("@v").unwrap_or_else(|| panic!("{uses}: no version"));
            assert!(action.starts_with("actions/"), "{uses}");
            assert!(semver::Version::parse(version).is_ok(), "{uses}: not pinned to a version");
        }
        let text = job.to_string();
        assert!(text.contains("actions/cache@"), "{name} caches nothing");
    }
    assert_eq!(workflow["jobs"]["merge"]["needs"], "judge");
}

#[test]
fn the_workflow_speaks_the_command_line() {
    let workflow = workflow();
    let jobs = workflow["jobs"].as_object().unwrap();
    let scripts = jobs.keys().flat_map(|job| steps(&workflow, job)).filter_map(|step| step["run"].as_str());
    let lines = scripts.flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("compare "));
    let lines: Vec<&str> = lines.map(|line| line.split(" || ").next().unwrap()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for line in lines {
        let line = line.replace('"', "").replace("$ENGINE", "native").replace("$PARTS", "2");
        let line = line.replace("$PART", "1").replace("part-*.json", "part-1.json part-2.json");
        let parsed = Cli::try_parse_from(["compare"].into_iter().chain(line.split(' ')));
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
    }
}

/// The workflow's scripts on a corpus: the exit statuses of the parts and of the merge, and the
/// merge's output.
fn run_workflow(scratch: &Scratch) -> (Vec<i32>, i32, String) {
    let workflow = workflow();
    let parts = workflow["jobs"]["judge"]["strategy"]["matrix"]["part"].as_array().unwrap().clone();
    let bash = |script: &str, variables: &BTreeMap<&str, String>| {
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(scratch.path(""))
            .env("PATH", path_with(&binaries()))
            .env("GITHUB_STEP_SUMMARY", scratch.path("step-summary"))
            .env_remove("CARGO_MANIFEST_DIR")
            .envs(variables)
            .output()
            .unwrap()
    };
    let mut variables = BTreeMap::from([
        ("ENGINE", workflow["env"]["ENGINE"].as_str().unwrap().to_string()),
        ("PARTS", parts.len().to_string()),
    ]);
    let mut statuses = Vec::new();
    for part in &parts {
        variables.insert("PART", part.to_string());
        let output = bash(script(&workflow, "judge", "Judge"), &variables);
        statuses.push(output.status.code().unwrap());
    }
    let output = bash(script(&workflow, "merge", "Merge"), &variables);
    (statuses, output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_workflow_says_what_one_run_says() {
    for wrong in [false, true] {
        let scratch = Scratch::with_suite("red_ref");
        if wrong {
            let text = scratch.read("golden/red_ref.json");
            scratch.write("golden/red_ref.json", &text.replacen("\"float32\"", "\"float64\"", 1));
        }
        let whole = scratch.compare(&["-o", "whole.json", "-o", "whole.md"]);
        assert_eq!(whole.status, i32::from(wrong), "{}{}", whole.stdout, whole.stderr);
        let (parts, merged, annotations) = run_workflow(&scratch);
        assert_eq!(parts, [0, 0], "drift is for the merge to say");
        assert_eq!(merged, whole.status);
        assert_eq!(scratch.read("report.json"), scratch.read("whole.json"));
        assert_eq!(scratch.read("step-summary"), scratch.read("whole.md"));
        assert_eq!(annotations.contains("::error "), wrong, "{annotations}");
        assert!(scratch.read("report.html").starts_with("<!doctype html>"));
    }
}

#[test]
fn what_cannot_be_judged_ends_its_part_of_the_workflow() {
    let scratch = Scratch::with_suite("red_ref");
    scratch.write("golden/red_ref.json", "{");
    let (parts, merged, _) = run_workflow(&scratch);
    assert_eq!(parts, [1, 1]);
    assert_eq!(merged, 2);
    assert!(!scratch.path("step-summary").exists());
}
