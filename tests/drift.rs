//! `compare drift` through the real binary: two golden folders, two reports.

mod common;

use common::Scratch;

#[test]
fn golden_folders_are_compared_by_case() {
    let (old, new) = (Scratch::with_one_case(), Scratch::with_one_case());
    let folder = |scratch: &Scratch| scratch.path("golden").display().to_string();
    let folders = [folder(&old), folder(&new)];
    let drift = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["drift", &folders[0], &folders[1]].into_iter().chain(more.iter().copied()).collect();
        new.compare(&arguments)
    };
    let run = drift(&[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.ends_with("· 0 changed · 0 new · 0 gone\n"), "{}", run.stdout);

    new.replace("golden/s.json", "[3.0]", "[3.5]");
    let run = drift(&[]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("s/sum/two: value: output 0 at [] was 3.0, is 3.5"), "{}", run.stdout);

    let run = drift(&["--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found[0]["changed"][0]["max_ulp"], 2_097_152);

    let run = drift(&["--format", "markdown", "-o", "page.md"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(std::fs::read_to_string(new.path("page.md")).unwrap().contains("| `sum` | value | 1 |"));
}

#[test]
fn reports_are_compared_by_engine() {
    let scratch = Scratch::with_one_case();
    assert_eq!(scratch.compare(&["-o", "old.json", "-q"]).status, 0);
    scratch.replace("golden/s.json", "[3.0]", "[3.5]");
    assert_eq!(scratch.compare(&["-o", "new.json", "-q"]).status, 1);
    let run = scratch.compare(&["drift", "old.json", "new.json"]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("s/sum/two: new: was parity, 0 ulp; is new value"), "{}", run.stdout);
    assert_eq!(scratch.compare(&["drift", "old.json", "old.json"]).status, 0);
}

#[test]
fn a_folder_and_a_file_cannot_be_compared() {
    let scratch = Scratch::with_one_case();
    let run = scratch.compare(&["drift", "golden", "golden/s.json"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("two golden folders or two JSON reports"), "{}", run.stderr);
    let run = scratch.compare(&["drift", "fixtures", "nowhere"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
}
