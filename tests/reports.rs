//! Every form of the report, through the real binary, on a small corpus in which everything
//! happens: parity, divergences of several classes, NaN, a warning, errors, something unsupported.

mod common;

use std::fs;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use common::generated::{check, refuses_edits};
use common::{Run, Scratch, compare};
use flate2::read::ZlibDecoder;

const FIXTURE: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","cases":[
{"id":"s/sum/two","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{"dim":0},"note":"agrees"},
{"id":"s/sum/rows","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2,3],"data":[0.10000000149011612,0.20000000298023224,0.30000001192092896,1.0,2.0,3.0]}},"attrs":{"dim":1},"tags":["float32"]},
{"id":"s/max/nan","op":"max","inputs":{"input":{"dtype":"float32","shape":[3],"data":[1.0,"NaN","Infinity"]}},"attrs":{}},
{"id":"s/argmax/ties","op":"argmax","inputs":{"input":{"dtype":"int64","shape":[3],"data":[2,2,1]}},"attrs":{}},
{"id":"s/var/single","op":"var","inputs":{"input":{"dtype":"float32","shape":[1],"data":[1.0]}},"attrs":{"dim":0}},
{"id":"s/sum/error","op":"sum","inputs":{"input":{"dtype":"float32","shape":[1],"data":[1.0]}},"attrs":{"dim":1}},
{"id":"s/sum/error-otherwise","op":"sum","inputs":{"input":{"dtype":"float32","shape":[1],"data":[1.0]}},"attrs":{"dim":1}},
{"id":"s/sum/complex","op":"sum","inputs":{"input":{"dtype":"float32","shape":[1],"data":[1.0]}},"attrs":{"dtype":"complex64"}},
{"id":"s/mean/damaged","op":"mean","inputs":{"input":{"dtype":"float32","shape":[1],"data":[1.0]}},"attrs":{}}
]}
"#;

const GOLDEN: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","torch":{"version":"2.15.0","cpu_capability":"AVX2","threads":1,"platform":"linux-x86_64"},"outcomes":{
"s/sum/two":{"outputs":[{"dtype":"float32","shape":[],"data":[3.0]}],"truth":[{"dtype":"float64","shape":[],"data":[3.0]}]},
"s/sum/rows":{"outputs":[{"dtype":"float32","shape":[2],"data":[0.6000000834465027,6.0]}],"truth":[{"dtype":"float64","shape":[2],"data":[0.6000000163912773,6.0]}]},
"s/max/nan":{"outputs":[{"dtype":"float32","shape":[],"data":["Infinity"]}]},
"s/argmax/ties":{"outputs":[{"dtype":"int64","shape":[],"data":[1]}]},
"s/var/single":{"outputs":[{"dtype":"float32","shape":[],"data":["NaN"]}]},
"s/sum/error":{"error":{"type":"IndexError","message":"Dimension out of range (expected to be in range of [-1, 0], but got 1)"}},
"s/sum/error-otherwise":{"error":{"type":"IndexError","message":"100% <b>wrong</b> | `a`, @b\n::error::c"}},
"s/sum/complex":{"outputs":[{"dtype":"complex64","shape":[],"data":[1.0]}]},
"s/mean/damaged":{"outputs":[{"dtype":"float32","shape":[2],"data":[1.0]}]}
}}
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("fixtures/s.json", FIXTURE);
    scratch.write("golden/s.json", GOLDEN);
    scratch
}

/// What a run prints with `--format`.
fn printed(format: &str) -> String {
    let scratch = scratch();
    let run = scratch.compare(&["--format", format]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    run.stdout.replace(&scratch.path("").display().to_string(), "")
}

#[test]
fn table() {
    insta::assert_snapshot!(printed("table"));
}

#[test]
fn json() {
    insta::assert_snapshot!(printed("json"));
}

#[test]
fn jsonl() {
    insta::assert_snapshot!(printed("jsonl"));
}

#[test]
fn junit() {
    insta::assert_snapshot!(printed("junit"));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(printed("markdown"));
}

#[test]
fn github() {
    insta::assert_snapshot!(printed("github"));
}

/// The page without its style and script, which are files of their own.
#[test]
fn html() {
    let page = printed("html");
    for (begin, end) in [("<style>", "</style>"), ("<script>", "</script>"), ("content=\"default-src", "\"")]
    {
        assert_eq!(page.matches(begin).count(), 1, "{begin}");
        assert!(page.split_once(begin).unwrap().1.contains(end));
    }
    let without = |text: &str, begin: &str, end: &str| {
        let (head, rest) = text.split_once(begin).unwrap();
        format!("{head}{begin}…{end}{}", rest.split_once(end).unwrap().1)
    };
    let page = without(&page, "<style>", "</style>");
    let page = without(&page, "<script>", "</script>");
    let page = without(&page, "content=\"default-src", "\"");
    assert!(!page.contains("http:") && !page.contains("https:"), "the page speaks of the network");
    insta::assert_snapshot!(unpacked(&page));
}

/// A page with its packed parts as they are before they are packed, a case on a line.
fn unpacked(page: &str) -> String {
    const BEGIN: &str = "<script type=\"application/octet-stream\" id=\"";
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap().to_string();
    for part in parts {
        let (id, part) = part.split_once("\">").unwrap();
        let (packed, rest) = part.split_once("</script>").unwrap();
        let bytes = BASE64_STANDARD.decode(packed).unwrap();
        let mut json = String::new();
        ZlibDecoder::new(bytes.as_slice()).read_to_string(&mut json).unwrap();
        text += &format!("{id}: {}{rest}", json.replace(",{\"i\":", ",\n{\"i\":"));
    }
    text
}

const FILES: [&str; 7] = ["r.txt", "r.json", "r.jsonl", "r.xml", "r.md", "r.html", "r.annotations"];

/// A run that writes every form into a folder.
fn all_forms(scratch: &Scratch, folder: &str, arguments: &[&str]) -> Vec<String> {
    fs::create_dir(scratch.path(folder)).unwrap();
    let paths = FILES.map(|file| format!("{folder}/{file}"));
    let formats = ["table", "json", "jsonl", "junit", "markdown", "html", "github"];
    let mut all: Vec<&str> = arguments.to_vec();
    for (format, path) in formats.iter().zip(&paths) {
        all.extend(["--format", format, "-o", path]);
    }
    let run = scratch.compare(&all);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("op "), "stdout has the table: {}", run.stdout);
    paths.iter().map(|path| scratch.read(path)).collect()
}

#[test]
fn the_same_run_gives_the_same_files() {
    let scratch = scratch();
    let once = all_forms(&scratch, "once", &["-j", "1"]);
    assert_eq!(once, all_forms(&scratch, "again", &["-j", "1"]));
    assert_eq!(once, all_forms(&scratch, "two", &["-j", "2"]));
    let printed = scratch.compare(&["--format", "html"]).stdout;
    assert_eq!(once[5], printed, "a file is what stdout gets");
}

#[test]
fn forms_come_from_names() {
    let scratch = scratch();
    let run = scratch.compare(&["--format", "github", "-o", "-", "-o", "r.html", "-o", "r.xml"]);
    assert!(run.stdout.starts_with("::error "), "{}", run.stdout);
    assert!(scratch.read("r.html").starts_with("<!doctype html>"));
    assert!(scratch.read("r.xml").starts_with("<?xml "));
}

#[test]
fn quiet_is_a_line() {
    insta::assert_snapshot!(scratch().compare(&["-q"]).stdout, @"native 0.1.0 · 9 cases · 2 parity · 6 diverge · 1 unsupported · worst ∞ ulp (max) · PyTorch 2.15.0 AVX2 · DRIFT
");
}

/// A refusal: exit status 2, nothing on stdout, one line on stderr.
fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let Run { status, stdout, stderr } = scratch.compare(arguments);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr.replace(&scratch.path("").display().to_string(), "")
}

#[test]
fn reports_that_cannot_be_written() {
    let scratch = scratch();
    scratch.write("r.json", "old");
    fs::create_dir(scratch.path("folder.json")).unwrap();
    let refused = |arguments: &[&str]| refused(&scratch, arguments);
    insta::assert_snapshot!(refused(&["-o", "r.json", "-o", "none/r.html"]), @"compare: none/r.html: cannot be written: its folder does not exist");
    insta::assert_snapshot!(refused(&["-o", "folder.json"]), @"compare: folder.json: cannot be written: is a directory");
    insta::assert_snapshot!(refused(&["-o", "report"]), @"compare: -o report: its name does not say the format; say --format too");
    insta::assert_snapshot!(refused(&["--format", "github", "-o", "r.html"]), @"compare: -o r.html: named as html, and --format says github; the first --format is for the first -o");
    insta::assert_snapshot!(refused(&["--format", "json", "--format", "html"]), @"compare: both json and html would go to stdout: give each --format a file by -o");
    insta::assert_snapshot!(refused(&["--format", "json", "list"]), @"compare: --format and -o belong behind the subcommand");
    assert_eq!(scratch.read("r.json"), "old");
    let left: Vec<_> =
        fs::read_dir(scratch.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let scratch = scratch();
    insta::assert_snapshot!(refused(&scratch, &["--format", "html", "-o", "/dev/full"]), @"compare: /dev/full: cannot be written: No space left on device (os error 28)");
}

#[test]
fn what_failed_runs_again() {
    let scratch = scratch();
    scratch.compare(&["-o", "r.json"]);
    let run = scratch.compare(&["--rerun-failed", "r.json", "-q"]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("· 6 cases · 0 parity · 6 diverge ·"), "{}", run.stdout);
    let run = scratch.compare(&["--rerun-failed", "r.json", "-k", "argmax", "-q"]);
    assert!(run.stdout.contains("· 1 cases ·"), "{}", run.stdout);
    assert_eq!(run.stderr, "5 of the 6 cases that diverged there are not selected\n");

    // The reason goes away.
    scratch.replace("golden/s.json", r#""shape":[],"data":[1]}"#, r#""shape":[],"data":[0]}"#);
    let run = scratch.compare(&["--rerun-failed", "r.json", "-k", "argmax", "-q", "-o", "r.json"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    insta::assert_snapshot!(refused(&scratch, &["--rerun-failed", "r.json"]), @"compare: r.json: none of the 0 cases that diverged there is selected");
    scratch.write("r.json", "{}");
    insta::assert_snapshot!(refused(&scratch, &["--rerun-failed", "r.json"]), @"compare: r.json: not a JSON report: missing field `schema`");
    scratch.write("r.json", r#"{"schema":2}"#);
    insta::assert_snapshot!(refused(&scratch, &["--rerun-failed", "r.json"]), @"compare: r.json: schema: a report of schema 2; this program reads 1");
}

#[test]
fn partitions_merge_into_the_whole() {
    let scratch = scratch();
    let whole = all_forms(&scratch, "whole", &[]);
    for i in 1..=3 {
        let (part, file) = (format!("hash:{i}/3"), format!("part-{i}.json"));
        let run = scratch.compare(&["--partition", &part, "-o", &file]);
        assert_ne!(run.status, 2, "{}", run.stderr);
    }
    fs::create_dir(scratch.path("merged")).unwrap();
    let paths = FILES.map(|file| format!("merged/{file}"));
    let mut arguments = vec!["merge", "part-3.json", "part-1.json", "part-2.json"];
    for (format, path) in ["table", "json", "jsonl", "junit", "markdown", "html", "github"].iter().zip(&paths)
    {
        arguments.extend(["--format", format, "-o", path]);
    }
    let run = scratch.compare(&arguments);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let merged: Vec<String> = paths.iter().map(|path| scratch.read(path)).collect();
    for (file, (whole, merged)) in FILES.iter().zip(whole.iter().zip(&merged)) {
        assert!(whole == merged, "{file}");
    }
    assert_eq!(run.stdout, scratch.compare(&[]).stdout);

    let refused = |arguments: &[&str]| refused(&scratch, arguments);
    insta::assert_snapshot!(refused(&["merge", "part-1.json", "part-3.json"]), @"compare: part-3.json: partition: 2/3 of native is missing");
    insta::assert_snapshot!(refused(&["merge", "part-1.json", "part-2.json"]), @"compare: part-1.json: partition: 3/3 of native is missing");
    insta::assert_snapshot!(refused(&["merge", "part-1.json", "part-1.json"]), @"compare: part-1.json: partition: 1/3 of native is there twice");
    insta::assert_snapshot!(refused(&["merge", "whole/r.json", "part-1.json"]), @"compare: whole/r.json: partition: of another partition of native than whole/r.json");
    insta::assert_snapshot!(refused(&["merge", "whole/r.json", "whole/r.json"]), @"compare: whole/r.json: partition: of another partition of native than whole/r.json");
    let other = |from: &str, to: &str| {
        scratch.write("other.json", &scratch.read("part-2.json").replace(from, to));
        refused(&["merge", "part-1.json", "other.json", "part-3.json"])
    };
    insta::assert_snapshot!(other("AVX2", "AVX512"), @"compare: other.json: torch: made under another PyTorch than part-1.json");
    insta::assert_snapshot!(other(r#""version": "0.1.0""#, r#""version": "0.2.0""#), @"compare: other.json: native is 0.2.0 (cpu); in part-1.json it is 0.1.0 (cpu)");
    insta::assert_snapshot!(other(r#""strict": false"#, r#""strict": true"#), @"compare: other.json: strict: one of it and part-1.json is of a --strict run");
    insta::assert_snapshot!(other(r#""of_cases": 9"#, r#""of_cases": 8"#), @"compare: other.json: partition: of another partition of native than part-1.json");
}

#[test]
fn engines_that_ran_apart_stand_side_by_side() {
    let scratch = scratch();
    scratch.compare(&["-o", "one.json"]);
    let other = scratch.read("one.json").replace(r#""name": "native""#, r#""name": "other""#);
    scratch.write("other.json", &other);
    let run = scratch.compare(&["merge", "one.json", "other.json", "-q"]);
    assert_eq!(run.status, 1);
    assert_eq!(
        run.stdout.lines().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["native", "other"]
    );
    scratch.compare(&["-k", "sum", "-o", "sum.json"]);
    insta::assert_snapshot!(refused(&scratch, &["merge", "other.json", "sum.json"]), @"compare: sum.json: native ran on 5 cases, not those 9 of other in other.json");
}

#[test]
fn partitions_that_make_no_sense() {
    let scratch = scratch();
    let run = scratch.compare(&["--partition", "hash:3/2"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("a partition is hash:i/n with 1 <= i <= n, such as hash:2/4"),
        "{}",
        run.stderr
    );
    insta::assert_snapshot!(refused(&scratch, &["--partition", "hash:1/1000"]), @"compare: --partition hash:1/1000: holds none of the 9 selected cases");
    let ids = |partition: &str| scratch.compare(&["list", "--partition", partition]).stdout;
    let mut all: Vec<String> = (1..=4)
        .flat_map(|i| ids(&format!("hash:{i}/4")).lines().map(str::to_string).collect::<Vec<_>>())
        .collect();
    all.sort();
    let mut whole: Vec<String> = scratch.compare(&["list"]).stdout.lines().map(str::to_string).collect();
    whole.sort();
    assert_eq!(all, whole);
}

#[test]
fn colours_are_for_those_who_ask() {
    let scratch = scratch();
    assert!(!scratch.compare(&[]).stdout.contains('\u{1b}'));
    assert!(!scratch.compare(&["--color", "never"]).stdout.contains('\u{1b}'));
    let coloured = scratch.compare(&["--color", "always", "-o", "r.txt"]).stdout;
    assert!(coloured.contains("\u{1b}[31m") || coloured.contains("\u{1b}[1m\u{1b}[31m"), "{coloured:?}");
    assert_eq!(scratch.read("r.txt"), scratch.compare(&[]).stdout);
    let forced =
        |name: &str, value: &str| scratch.compare_with(&["-q"], &[(name, value)]).stdout.contains('\u{1b}');
    assert!(forced("CLICOLOR_FORCE", "1") && !forced("NO_COLOR", "1"));
}

#[test]
fn pages_of_help() {
    insta::assert_snapshot!(compare(&["help", "filter"]).stdout);
    insta::assert_snapshot!(compare(&["merge", "--help"]).stdout);
    assert!(compare(&["filter"]).stdout.starts_with("How -k chooses cases."));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = compare(&["completions", shell]);
        assert!(run.status == 0 && run.stdout.contains("rerun-failed"), "{shell}: {}", run.stderr);
    }
    assert!(compare(&["man"]).stdout.contains(".TH compare 1"));
}

/// `docs/report.schema.json` is what the program writes, and an edited copy is refused.
/// To bring it up to date: `TORCH_PARITY_BLESS=1 cargo test --test reports`.
#[test]
fn the_schema_is_current() {
    let schema = torch_parity::report::json::schema().unwrap();
    check("docs/report.schema.json", "cargo test --test reports", |_| schema.clone());
    let everywhere = 0..schema.len();
    refuses_edits("docs/report.schema.json", std::slice::from_ref(&everywhere), |_| schema.clone());
}

/// A corpus of many cases that all diverge.
fn crowd(scratch: &Scratch, count: usize) {
    let (mut cases, mut outcomes) = (Vec::new(), Vec::new());
    for i in 0..count {
        let id = format!("s/sum/case-{i}");
        cases.push(format!(r#"{{"id":"{id}","op":"sum","inputs":{{"input":{{"dtype":"float32","shape":[2],"data":[{i}.0,1.0]}}}},"attrs":{{"dim":0}}}}"#));
        outcomes.push(format!(r#""{id}":{{"outputs":[{{"dtype":"float32","shape":[],"data":[0.5]}}]}}"#));
    }
    let head = &FIXTURE[..FIXTURE.find('\n').unwrap()];
    scratch.write("fixtures/s.json", &format!("{head}\n{}\n]}}\n", cases.join(",\n")));
    let head = &GOLDEN[..GOLDEN.find('\n').unwrap()];
    scratch.write("golden/s.json", &format!("{head}\n{}\n}}}}\n", outcomes.join(",\n")));
}

#[test]
fn summaries_stay_small() {
    let scratch = Scratch::new();
    crowd(&scratch, 2000);
    let run = scratch.compare(&["-o", "r.md", "--format", "markdown", "--format", "github"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(run.stdout.matches("::error ").count(), 10);
    assert!(run.stdout.trim_end().ends_with("1990 more divergences are not annotated"), "{}", run.stdout);
    let summary = scratch.read("r.md");
    assert!(summary.len() < 20_000, "{}", summary.len());
    assert!(summary.contains("- … and 1,950 more"));
}

#[test]
fn the_page_holds_every_case_and_stays_below_its_limit() {
    let scratch = Scratch::new();
    crowd(&scratch, 2000);
    scratch.compare(&["-o", "r.html"]);
    let page = fs::metadata(scratch.path("r.html")).unwrap().len();
    assert!(page < 1 << 20, "{page}");
    assert_eq!(unpacked(&scratch.read("r.html")).matches("\"s/sum/case-").count(), 2000);
}

#[cfg(unix)]
#[test]
fn reports_can_be_read_by_others() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = scratch();
    scratch.write("plain", "");
    scratch.compare(&["-o", "r.json"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&scratch.path("r.json")), mode(&scratch.path("plain")));
}
