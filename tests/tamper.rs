//! A golden file that was changed anywhere it speaks of an outcome turns the run red, and the
//! run names the case.

mod common;

use common::{Run, Scratch};

fn assert_red(run: &Run, id: &str, class: &str) {
    assert_eq!(run.status, 1, "{id}: {}{}", run.stdout, run.stderr);
    let line = run.stdout.lines().find(|line| line.starts_with("DIVERGES")).unwrap_or_default();
    assert!(line.starts_with(&format!("DIVERGES {id} [{class}]")), "{id} [{class}]: {line}");
}

/// Changes one place in one outcome of the suite `reduce`, and expects that case, and that class.
fn tampered(id: &str, from: &str, to: &str, class: &str) {
    let scratch = Scratch::with_suite("reduce");
    let text = scratch.read("golden/reduce.json");
    let line = text.lines().find(|line| line.starts_with(&format!("\"{id}\":"))).unwrap();
    assert!(line.contains(from), "{from} in {line}");
    scratch.replace("golden/reduce.json", line, &line.replacen(from, to, 1));
    assert_red(&scratch.compare(&[]), id, class);
}

#[test]
fn a_value() {
    tampered("reduce/sum/dim1", "12.0", "13.0", "value");
}

#[test]
fn a_value_by_less_than_its_dtype_resolves() {
    tampered("reduce/sum/dim1", "12.0", "12.0000000001", "value");
}

#[test]
fn an_index() {
    tampered("reduce/argmax/dim1", "[2,2]", "[2,1]", "index");
}

#[test]
fn a_dtype() {
    tampered("reduce/sum/int64", r#""dtype":"int64""#, r#""dtype":"int32""#, "dtype");
    tampered("reduce/sum/int64", r#""dtype":"int64""#, r#""dtype":"int65""#, "dtype");
}

#[test]
fn a_shape() {
    tampered("reduce/sum/dim1", r#""shape":[2]"#, r#""shape":[1,2]"#, "shape");
    tampered("reduce/sum/dim1", r#""shape":[2]"#, r#""shape":[3]"#, "shape");
}

#[test]
fn a_nan() {
    tampered("reduce/max/nan-rows", r#""NaN""#, "2.0", "nan");
    tampered("reduce/sum/dim1", "12.0", r#""NaN""#, "nan");
}

#[test]
fn the_sign_of_zero() {
    tampered("reduce/sum/minus-zeros", "[0.0]", "[-0.0]", "value");
}

#[test]
fn an_error_text_and_type() {
    tampered("reduce/sum/dim2-out-of-range", "got 2", "got 3", "message");
    tampered("reduce/sum/dim2-out-of-range", "IndexError", "ValueError", "message");
}

#[test]
fn a_warning() {
    tampered("reduce/var/single", "<= 0", "<= 1", "warning");
}

/// Positions of the digits that belong to an outcome's outputs, error or warnings.
fn digits(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(body) = line.find("\":{").filter(|_| line.starts_with('"') && line.contains('/')) {
            // What stands beside the outcome (truth, abs_sum) is information, not the outcome.
            let end =
                ["\"truth\"", "\"abs_sum\"", "\"spread\""].iter().filter_map(|key| line.find(key)).min();
            let judged = body..end.unwrap_or(line.len());
            let digit = |&(at, c): &(usize, char)| judged.contains(&at) && c.is_ascii_digit();
            places.extend(line.char_indices().filter(digit).map(|(at, _)| start + at));
        }
        start += line.len();
    }
    places
}

#[test]
fn any_digit_of_any_outcome() {
    // A fixed stream of places, so that a failure can be repeated.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for suite in ["reduce", "red_ref"] {
        let scratch = Scratch::with_suite(suite);
        let file = format!("golden/{suite}.json");
        let text = scratch.read(&file);
        let places = digits(&text);
        for _ in 0..20 {
            let place = places[draw(places.len())];
            let digit = text.as_bytes()[place] - b'0';
            let other = (digit + 1 + draw(9) as u8) % 10;
            let tampered = format!("{}{other}{}", &text[..place], &text[place + 1..]);
            let line = &text[text[..place].rfind('\n').unwrap() + 1..];
            let id = line[1..].split('"').next().unwrap();
            scratch.write(&file, &tampered);
            let run = scratch.compare(&[]);
            assert_eq!(run.status, 1, "{id}, byte {place}: {digit} to {other}\n{}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains(&format!("DIVERGES {id} ")), "{id}: {}", run.stdout);
        }
    }
}
