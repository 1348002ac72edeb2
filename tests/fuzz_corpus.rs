//! What fuzzing has found worth keeping, again, on stable Rust: a regression is red without
//! libFuzzer. `scripts/fuzz.sh` runs the same functions on inputs of its own making.

#[path = "../fuzz/bodies/case.rs"]
mod case;
#[path = "../fuzz/bodies/comparer.rs"]
mod comparer;
#[path = "../fuzz/bodies/loaders.rs"]
mod loaders;

use std::path::Path;

use peak_alloc::PeakAlloc;
use torch_parity::corpus::{MAX_ELEMENTS, parse_fixture, parse_golden};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// No input of a few kilobytes needs more.
const MEGABYTES: f32 = 128.0;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut inputs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 20, "{target}: only {} inputs", inputs.len());
    for input in inputs {
        // A failing test shows its output, and so the input that failed.
        println!("{}", input.display());
        check(&std::fs::read(&input).unwrap());
        let peak = MEMORY.peak_usage_as_mb();
        assert!(peak < MEGABYTES, "{peak} MB for {}", input.display());
    }
}

#[test]
fn loaders_refuse_or_read() {
    replay("loaders", loaders::check);
}

#[test]
fn verdicts_stand_to_each_other_as_they_must() {
    replay("comparer", comparer::check);
}

#[test]
fn the_native_engine_answers_any_case() {
    replay("case", case::check);
}

/// The largest sizes that are still allowed, and those beyond, in a file that holds no such data.
#[test]
fn a_large_shape_is_refused_before_memory_is_taken() {
    let sizes = [MAX_ELEMENTS - 1, MAX_ELEMENTS, MAX_ELEMENTS + 1, usize::MAX / 8, usize::MAX];
    for (size, data) in sizes.iter().flat_map(|size| [(size, "[1.0]"), (size, r#""AACAPw==""#)]) {
        let encoding = if data.starts_with('"') { r#""encoding":"base64","# } else { "" };
        let tensor = format!(r#"{{"dtype":"float32","shape":[{size}],{encoding}"data":{data}}}"#);
        let case = format!(r#"{{"id":"s/sum/x","op":"sum","inputs":{{"input":{tensor}}},"attrs":{{}}}}"#);
        let fixture = format!(r#"{{"schema":1,"suite":"s","generator":"","cases":[{case}]}}"#);
        assert!(parse_fixture(Path::new("s.json"), &fixture, MAX_ELEMENTS).is_err(), "{size}");
        let torch = r#"{"version":"2","cpu_capability":"","threads":1,"platform":""}"#;
        let golden = format!(
            r#"{{"schema":1,"suite":"s","generator":"","torch":{torch},"outcomes":{{"s/sum/x":{{"outputs":[{tensor}]}}}}}}"#
        );
        let tree = parse_golden(Path::new("s.json"), &golden, MAX_ELEMENTS).unwrap();
        assert!(tree.outcomes["s/sum/x"].is_err(), "{size}");
    }
    assert!(MEMORY.peak_usage_as_mb() < MEGABYTES, "{} MB", MEMORY.peak_usage_as_mb());
}
