//! Every kind of bad input: exit status 2, one message that names file, case and field, nothing
//! on stdout, no panic.

mod common;

use common::{FIXTURE, GOLDEN, Scratch};

const TENSOR: &str = r#"{"dtype":"float32","shape":[2],"data":[1.0,2.0]}"#;

/// The message of a run that refuses its input: one line, with every file left as it was.
fn refusal(scratch: &Scratch, arguments: &[&str]) -> String {
    let before = scratch.files();
    let run = scratch.compare(arguments);
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout, "");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(scratch.files() == before, "{}: a file was changed", run.stderr);
    run.stderr.replace(&scratch.path("").display().to_string(), "")
}

/// The message for the one-case corpus with one place of its fixture changed.
fn fixture(from: &str, to: &str) -> String {
    let scratch = Scratch::with_one_case();
    scratch.replace("fixtures/s.json", from, to);
    refusal(&scratch, &[])
}

fn tensor(to: &str) -> String {
    fixture(TENSOR, to)
}

fn golden(from: &str, to: &str) -> String {
    let scratch = Scratch::with_one_case();
    scratch.replace("golden/s.json", from, to);
    refusal(&scratch, &[])
}

#[test]
fn the_scratch_corpus_itself_is_sound() {
    let run = Scratch::with_one_case().compare(&["--strict"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn not_json() {
    insta::assert_snapshot!(fixture(r#"{"schema":1"#, r#"{schema:1"#), @"compare: fixtures/s.json: not JSON: key must be a string at line 1 column 2");
    insta::assert_snapshot!(golden(r#"{"schema":1"#, r#"{"schema":1;"#), @"compare: golden/s.json: not JSON: expected `,` or `}` at line 1 column 12");
}

#[test]
fn truncated() {
    let scratch = Scratch::with_one_case();
    scratch.write("fixtures/s.json", &FIXTURE[..FIXTURE.len() / 2]);
    insta::assert_snapshot!(refusal(&scratch, &[]), @"compare: fixtures/s.json: truncated: EOF while parsing an object at line 2 column 29");
    let scratch = Scratch::with_one_case();
    scratch.write("golden/s.json", &GOLDEN[..GOLDEN.len() / 2]);
    insta::assert_snapshot!(refusal(&scratch, &[]), @"compare: golden/s.json: truncated: EOF while parsing an object at line 1 column 113");
}

#[test]
fn not_text() {
    let scratch = Scratch::with_one_case();
    std::fs::write(scratch.path("fixtures/s.json"), b"{\"schema\": \xff}").unwrap();
    insta::assert_snapshot!(refusal(&scratch, &[]), @"compare: fixtures/s.json: not UTF-8: invalid utf-8 sequence of 1 bytes from index 11");
}

#[test]
fn unknown_schema_version() {
    insta::assert_snapshot!(fixture(r#""schema":1"#, r#""schema":2,"anything":"else""#), @"compare: fixtures/s.json: schema: unknown schema version 2; this program reads version 1");
    insta::assert_snapshot!(golden(r#""schema":1"#, r#""schema":2"#), @"compare: golden/s.json: schema: unknown schema version 2; this program reads version 1");
}

#[test]
fn an_op_that_pytorch_has_not() {
    insta::assert_snapshot!(
        fixture(r#"s/sum/two","op":"sum""#, r#"s/summ/two","op":"summ""#),
        @"compare: fixtures/s.json: s/summ/two: op: PyTorch has no function 'summ'; similar: smm, sum, bmm"
    );
}

#[test]
fn an_unknown_dtype() {
    insta::assert_snapshot!(tensor(r#"{"dtype":"float33","shape":[2],"data":[1.0,2.0]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.dtype: unknown dtype 'float33'");
}

#[test]
fn a_parameter_that_the_op_has_not() {
    insta::assert_snapshot!(fixture(r#""dim":0"#, r#""axis":0"#), @"compare: fixtures/s.json: s/sum/two: attrs.axis: 'sum' has no parameter 'axis'");
    insta::assert_snapshot!(fixture(r#""inputs":{"input""#, r#""inputs":{"x""#), @"compare: fixtures/s.json: s/sum/two: inputs.x: 'sum' has no parameter 'x'");
}

#[test]
fn data_and_shape_that_disagree() {
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[3],"data":[1.0,2.0]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.data: shape [3] needs 3 elements, data has 2");
    insta::assert_snapshot!(
        tensor(r#"{"dtype":"float32","shape":[2],"encoding":"base64","data":"AACAPwAAAEAA"}"#),
        @"compare: fixtures/s.json: s/sum/two: inputs.input.data: 9 bytes are no whole number of float32 elements"
    );
}

#[test]
fn strides_that_leave_the_storage() {
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[2],"strides":[2],"data":[1.0,2.0]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.strides: shape [2], strides [2] and offset 0 leave the storage of 2 elements");
    insta::assert_snapshot!(
        tensor(r#"{"dtype":"float32","shape":[2],"strides":[1],"offset":1,"data":[1.0,2.0]}"#),
        @"compare: fixtures/s.json: s/sum/two: inputs.input.strides: shape [2], strides [1] and offset 1 leave the storage of 2 elements"
    );
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[2],"strides":[1,1],"data":[1.0,2.0]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.strides: 2 strides for 1 dimensions");
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[2],"strides":[-1],"data":[1.0,2.0]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.strides[0]: invalid value: integer `-1`, expected u64");
}

#[test]
fn a_shape_too_large() {
    insta::assert_snapshot!(
        tensor(r#"{"dtype":"float32","shape":[4294967296,4294967296],"strides":[0,0],"data":[1.0]}"#),
        @"compare: fixtures/s.json: s/sum/two: inputs.input.shape: the product of shape [4294967296, 4294967296] overflows"
    );
    insta::assert_snapshot!(
        tensor(r#"{"dtype":"float32","shape":[1000000000],"strides":[0],"data":[1.0]}"#),
        @"compare: fixtures/s.json: s/sum/two: inputs.input.shape: 1000000000 elements, more than the limit of 67108864 (--max-elements)"
    );
    let scratch = Scratch::with_one_case();
    insta::assert_snapshot!(refusal(&scratch, &["--max-elements", "1"]), @"compare: fixtures/s.json: s/sum/two: inputs.input.shape: 2 elements, more than the limit of 1 (--max-elements)");
}

#[test]
fn values_outside_their_dtype() {
    insta::assert_snapshot!(tensor(r#"{"dtype":"int8","shape":[2],"data":[1,128]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 128 is outside int8");
    insta::assert_snapshot!(tensor(r#"{"dtype":"int64","shape":[2],"data":[1,9223372036854775808]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 9223372036854775808 is outside int64");
    insta::assert_snapshot!(tensor(r#"{"dtype":"uint32","shape":[2],"data":[1,-1]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: -1 is outside uint32");
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[2],"data":[1.0,0.1]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 0.1 is no value of float32");
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[2],"data":[1.0,NaN]}"#), @"compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: not JSON: expected value");
    insta::assert_snapshot!(tensor(r#"{"dtype":"float32","shape":[2],"data":[1.0,"inf"]}"#), @r#"compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: invalid value: string "inf", expected a number, a bool, or "NaN", "Infinity", "-Infinity""#);
}

#[test]
fn a_duplicate_id() {
    let case = FIXTURE.lines().nth(1).unwrap();
    insta::assert_snapshot!(fixture(case, &format!("{case},\n{case}")), @"compare: fixtures/s.json: s/sum/two: id: two cases of one id");
    let outcome = GOLDEN.lines().nth(1).unwrap();
    insta::assert_snapshot!(golden(outcome, &format!("{outcome},\n{outcome}")), @"compare: golden/s.json: s/sum/two: two outcomes of one id");
}

#[test]
fn cases_and_outcomes_without_each_other() {
    let outcome = GOLDEN.lines().nth(1).unwrap();
    insta::assert_snapshot!(golden(outcome, ""), @"compare: fixtures/s.json: s/sum/two: a case with no golden outcome in golden/s.json");
    let stray = outcome.replace("two", "three");
    insta::assert_snapshot!(golden(outcome, &format!("{outcome},\n{stray}")), @"compare: golden/s.json: s/sum/three: a golden outcome with no case in fixtures/s.json");
    let scratch = Scratch::with_one_case();
    std::fs::remove_file(scratch.path("golden/s.json")).unwrap();
    insta::assert_snapshot!(refusal(&scratch, &[]), @"compare: golden/s.json: cannot be read: No such file or directory (os error 2)");
    let scratch = Scratch::with_one_case();
    std::fs::remove_file(scratch.path("fixtures/s.json")).unwrap();
    insta::assert_snapshot!(refusal(&scratch, &[]), @"compare: golden/s.json: golden outcomes with no cases: fixtures/s.json is missing");
}

#[test]
fn nesting_too_deep() {
    let deep = format!(r#""dim":{}0{}"#, "[".repeat(100_000), "]".repeat(100_000));
    insta::assert_snapshot!(fixture(r#""dim":0"#, &deep), @"compare: fixtures/s.json: s/sum/two: attrs.dim: nesting too deep");
}

#[test]
fn an_unreadable_file() {
    let scratch = Scratch::with_one_case();
    std::fs::remove_file(scratch.path("fixtures/s.json")).unwrap();
    std::fs::create_dir(scratch.path("fixtures/s.json")).unwrap();
    insta::assert_snapshot!(refusal(&scratch, &[]), @"compare: fixtures/s.json: cannot be read: Is a directory (os error 21)");
    insta::assert_snapshot!(refusal(&scratch, &["--fixtures", "nowhere"]), @"compare: nowhere: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn an_empty_selection() {
    let scratch = Scratch::with_one_case();
    insta::assert_snapshot!(refusal(&scratch, &["-k", "nothing"]), @"compare: fixtures: the selection is empty: no case to judge");
    insta::assert_snapshot!(refusal(&scratch, &["list", "-k", "nothing"]), @"compare: fixtures: the selection is empty: no case to judge");
    insta::assert_snapshot!(refusal(&scratch, &["explain", "s/sum/three"]), @"compare: explain s/sum/three: fixtures: the selection is empty: no case to judge");
    insta::assert_snapshot!(refusal(&scratch, &["--suite", "t"]), @"compare: fixtures/t.json: no such suite; there are: s");
    insta::assert_snapshot!(refusal(&Scratch::new(), &[]), @"compare: fixtures: the selection is empty: no case to judge");
}

#[test]
fn ids_and_suites_that_are_misnamed() {
    insta::assert_snapshot!(fixture("s/sum/two", "s/sum/two/three"), @"compare: fixtures/s.json: s/sum/two/three: id: is not three parts of [A-Za-z0-9._-] separated by '/'");
    insta::assert_snapshot!(fixture("s/sum/two", "s/mean/two"), @"compare: fixtures/s.json: s/mean/two: id: does not start with 's/sum/'");
    insta::assert_snapshot!(fixture("s/sum/two", "s/sum/<b>"), @"compare: fixtures/s.json: s/sum/<b>: id: is not three parts of [A-Za-z0-9._-] separated by '/'");
    insta::assert_snapshot!(fixture(r#""suite":"s""#, r#""suite":"t""#), @"compare: fixtures/s.json: suite: suite 't' in a file of another name");
}

#[test]
fn malformed_structure() {
    insta::assert_snapshot!(fixture(r#""attrs":{"dim":0}"#, r#""attrs":{"dim":0},"attr":{}"#), @"compare: fixtures/s.json: s/sum/two: attr: unknown field `attr`, expected one of `id`, `op`, `inputs`, `attrs`, `backward`, `tags`, `note`");
    insta::assert_snapshot!(fixture(r#""id":"s/sum/two","#, ""), @"compare: fixtures/s.json: cases[0]: missing field `id`");
    insta::assert_snapshot!(fixture(r#""dim":0"#, r#""dim":{"slice":[1]}"#), @"compare: fixtures/s.json: s/sum/two: attrs.dim.slice: invalid length 1, expected an array of length 3");
    insta::assert_snapshot!(fixture(r#""dim":0"#, r#""input":0"#), @"compare: fixtures/s.json: s/sum/two: attrs.input: is given under inputs as well");
    insta::assert_snapshot!(fixture(r#"{"dim":0}"#, r#"{},"backward":{"wrt":["x"],"grad_outputs":[null]}"#), @"compare: fixtures/s.json: s/sum/two: backward.wrt: names 'x', which is not in inputs");
}

#[test]
fn a_filter_that_does_not_parse() {
    insta::assert_snapshot!(refusal(&Scratch::with_one_case(), &["-k", "sum and (mean"]), @"compare: -k: ')' is missing at column 14 of 'sum and (mean'");
}

#[test]
fn tolerances_that_make_no_sense() {
    let tolerances = |text: &str| {
        let scratch = Scratch::with_one_case();
        scratch.write("golden/tolerances.json", text);
        refusal(&scratch, &[])
    };
    let rule = |rule: &str| {
        tolerances(&format!(
            r#"{{"schema":1,"rules":[{{"profile":"cpu","op":"sum","dtype":"*","rule":{rule},"why":"because"}}]}}"#
        ))
    };
    insta::assert_snapshot!(rule(r#"{"atol":-1.0,"rtol":0.0}"#), @r#"compare: golden/tolerances.json: rules[0].rule: a rule is one of {"exact": true}, {"ulp": N}, {"atol": A, "rtol": R}, {"sum_scaled": K} with finite numbers that are not negative"#);
    insta::assert_snapshot!(rule(r#"{"exact":true,"ulp":3}"#), @r#"compare: golden/tolerances.json: rules[0].rule: a rule is one of {"exact": true}, {"ulp": N}, {"atol": A, "rtol": R}, {"sum_scaled": K} with finite numbers that are not negative"#);
    insta::assert_snapshot!(tolerances(r#"{"schema":1}"#), @"compare: golden/tolerances.json: missing field `rules`");
    let named = |op: &str, why: &str| {
        tolerances(&format!(
            r#"{{"schema":1,"rules":[{{"profile":"cpu","op":"{op}","dtype":"*","rule":{{"exact":true}},"why":"{why}"}}]}}"#
        ))
    };
    insta::assert_snapshot!(named("sum|summ", "because"), @"compare: golden/tolerances.json: rules[0].op: PyTorch has no function 'summ'");
    insta::assert_snapshot!(named("sum", " "), @"compare: golden/tolerances.json: rules[0].why: a tolerance needs its reason");
    insta::assert_snapshot!(tolerances("{"), @"compare: golden/tolerances.json: EOF while parsing an object");
    insta::assert_snapshot!(tolerances(r#"{"schema":2,"rules":[]}"#), @"compare: golden/tolerances.json: schema: unknown schema version 2; this program reads version 1");
    insta::assert_snapshot!(tolerances(&format!(r#"{{"schema":1,"rules":{}}}"#, "[".repeat(1000))), @"compare: golden/tolerances.json: rules[0][0]: expected value");
}

#[test]
fn values_outside_every_integer_dtype() {
    let beyond = |dtype: &str, value: &str| {
        tensor(&format!(r#"{{"dtype":"{dtype}","shape":[2],"data":[1,{value}]}}"#))
    };
    let pairs = [
        ("int8", "-129"),
        ("uint8", "256"),
        ("uint8", "-1"),
        ("int16", "32768"),
        ("int32", "2147483648"),
        ("uint32", "4294967296"),
        ("int64", "-9223372036854775809"),
        ("bool", "2"),
        ("int32", "1.0"),
        ("float16", "65520.0"),
        ("float32", "1e39"),
    ];
    insta::assert_snapshot!(pairs.map(|(dtype, value)| beyond(dtype, value)).concat(), @"
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: -129 is outside int8
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 256 is outside uint8
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: -1 is outside uint8
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 32768 is outside int16
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 2147483648 is outside int32
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 4294967296 is outside uint32
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: -9.223372036854776e18 is no int64
    compare: fixtures/s.json: s/sum/two: inputs.input.data[0]: 1 is no bool
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 1.0 is no int32
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 65520.0 is no value of float16
    compare: fixtures/s.json: s/sum/two: inputs.input.data[1]: 1e39 is no value of float32
    ");
}

#[test]
fn cotangents_are_held_to_the_same() {
    let backward = |cotangent: &str| {
        fixture(
            r#"{"dim":0}"#,
            &format!(r#"{{}},"backward":{{"wrt":["input"],"grad_outputs":[{cotangent}]}}"#),
        )
    };
    insta::assert_snapshot!(backward(r#"{"dtype":"float33","shape":[],"data":[1.0]}"#), @"compare: fixtures/s.json: s/sum/two: backward.grad_outputs[0].dtype: unknown dtype 'float33'");
    insta::assert_snapshot!(backward(r#"{"dtype":"float32","shape":[2],"data":[1.0]}"#), @"compare: fixtures/s.json: s/sum/two: backward.grad_outputs[0].data: shape [2] needs 2 elements, data has 1");
    insta::assert_snapshot!(backward(r#"{"dtype":"float32","shape":[99999999999],"strides":[0],"data":[1.0]}"#), @"compare: fixtures/s.json: s/sum/two: backward.grad_outputs[0].shape: 99999999999 elements, more than the limit of 67108864 (--max-elements)");
}

#[test]
fn lists_of_tensors_are_held_to_the_same() {
    let listed = |tensor: &str| {
        let scratch = Scratch::with_one_case();
        let input = format!(r#"{{"input":{TENSOR}}},"attrs":{{"dim":0}}"#);
        let tensors = format!(r#"{{"tensors":[{TENSOR},{tensor}]}},"attrs":{{"dim":0}}"#);
        scratch.replace("fixtures/s.json", &input, &tensors);
        scratch.replace("fixtures/s.json", r#"s/sum/two","op":"sum""#, r#"s/cat/two","op":"cat""#);
        refusal(&scratch, &[])
    };
    insta::assert_snapshot!(listed(r#"{"dtype":"int8","shape":[1],"data":[128]}"#), @"compare: fixtures/s.json: s/cat/two: inputs.tensors[1].data[0]: 128 is outside int8");
    insta::assert_snapshot!(listed(r#"{"dtype":"int8","shape":[1],"data":[1],"strides":[1],"offset":7}"#), @"compare: fixtures/s.json: s/cat/two: inputs.tensors[1].strides: shape [1], strides [1] and offset 7 leave the storage of 1 elements");
}

/// Whatever a run would have written, it writes nothing when its input is bad.
#[test]
fn no_report_is_half_written_and_no_ledger_is_changed() {
    let outcome = GOLDEN.lines().nth(1).unwrap();
    let case = FIXTURE.lines().nth(1).unwrap();
    let huge = r#"{"dtype":"float32","shape":[4294967296,4294967296],"strides":[0,0],"data":[1.0]}"#;
    let deep = format!(r#""dim":{}"#, "[".repeat(1000));
    let spoilt: [(&str, &str, &str); 14] = [
        ("fixtures/s.json", r#"{"schema":1"#, "{schema:1"),
        ("fixtures/s.json", "\n]}", ""),
        ("golden/s.json", "\n}}", ""),
        ("fixtures/s.json", r#""schema":1"#, r#""schema":2"#),
        ("golden/s.json", r#""schema":1"#, r#""schema":2"#),
        ("fixtures/s.json", r#"s/sum/two","op":"sum""#, r#"s/summ/two","op":"summ""#),
        ("fixtures/s.json", "float32", "float33"),
        ("fixtures/s.json", r#""dim":0"#, r#""axis":0"#),
        ("fixtures/s.json", r#""shape":[2]"#, r#""shape":[3]"#),
        ("fixtures/s.json", TENSOR, huge),
        ("fixtures/s.json", case, &format!("{case},\n{case}")),
        ("golden/s.json", outcome, ""),
        ("golden/s.json", outcome, &format!("{outcome},\n{}", outcome.replace("two", "three"))),
        ("fixtures/s.json", r#""dim":0"#, &deep),
    ];
    for (file, from, to) in spoilt {
        let scratch = Scratch::with_one_case();
        std::fs::create_dir(scratch.path("golden/known")).unwrap();
        scratch.write("golden/known/native.toml", "# nothing is known\n");
        scratch.write("report.html", "the last report");
        scratch.replace(file, from, to);
        let reports = ["-o", "report.html", "-o", "report.json", "-o", "report.xml", "-o", "report.md"];
        let message = refusal(&scratch, &reports);
        assert!(message.starts_with("compare: ") && message.contains(file), "{message}");
        assert_eq!(refusal(&scratch, &["--bless", "--why", "so", "--source", "me"]), message);
        assert_eq!(refusal(&scratch, &["mutants"]), message);
    }
}
