//! The repository's own corpus through the real binary.

mod common;

use common::{Scratch, compare};

#[test]
fn the_native_engine_is_at_parity_on_everything() {
    let run = compare(&["--format", "json"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr, "");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let engine = &report["engines"][0];
    assert_eq!(engine["name"], "native");
    let summary = &engine["summary"];
    assert!(summary["cases"].as_u64().unwrap() >= 120, "{summary}");
    assert_eq!(summary["parity"], summary["cases"]);
    // Ops to which some rule gives more than equal bits.
    let ops = engine["ops"].as_array().unwrap().iter();
    let loosened: Vec<_> = ops.filter(|op| op["tolerance"] != "exact").map(|op| &op["op"]).collect();
    for case in engine["cases"].as_array().unwrap() {
        assert_eq!(case["verdict"], "parity", "{case}");
        if !loosened.contains(&&case["op"]) {
            assert_eq!(case["max_ulp"], 0, "{case}");
        }
    }
}

/// Nothing in which an engine of the build differs is unexplained, and no explanation is stale.
#[test]
fn the_ledgers_explain_every_engine() {
    let run = compare(&["--engine", "all", "-q"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.lines().count() >= 4, "{}", run.stdout);
    for line in run.stdout.lines() {
        assert!(line.contains("· 0 diverge ·") && line.ends_with("· OK"), "{line}");
    }
}

#[test]
fn the_reference_page_comes_out_to_the_bit_and_in_its_own_form() {
    let run = compare(&["--suite", "red_ref", "--strict"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn a_table_has_a_row_per_op() {
    insta::assert_snapshot!(Scratch::with_one_case().compare(&[]).stdout, @"
    op   cases  n  max|diff|  max ulp  tolerance  verdict
    sum      1  1     0.00e0        0  exact      OK
    native 0.1.0 · 1 cases · 1 parity · 0 diverge · 0 unsupported · worst 0 ulp · PyTorch 2.15.0 AVX2 · OK
    ");
}

#[test]
fn explain_shows_a_case_whole() {
    let outputs: Vec<String> = ["reduce/var/single", "reduce/sum/dim2-out-of-range", "red_ref/sum/dim1"]
        .map(|id| {
            let run = compare(&["explain", id]);
            assert_eq!(run.status, 0, "{}", run.stderr);
            run.stdout
        })
        .into();
    insta::assert_snapshot!(outputs.join("\n----\n\n"));
}

#[test]
fn list_selects_without_running() {
    let run = compare(&["list", "-k", "suite:reduce and op:sum and error and not (uint32 or scalar)"]);
    assert_eq!(run.status, 0);
    insta::assert_snapshot!(run.stdout, @"
    reduce/sum/dim2-out-of-range
    reduce/sum/dim-3-out-of-range
    reduce/sum/dims-twice
    reduce/sum/dims-twice-negative
    ");
}

#[test]
fn the_default_run_and_the_flags_are_documented() {
    insta::assert_snapshot!(compare(&["--help"]).stdout);
}

#[test]
fn metal_is_judged_by_its_own_rules() {
    let run = compare(&["--suite", "red_ref", "--profile", "metal"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.ends_with("worst=0.00e+00 tol=eps·Σ|x|, 1e-05 OK\n"), "{}", run.stdout);
}
