//! Where PyTorch promises no index among equal elements, another one is parity and said to be;
//! an index that names something else is not.

mod common;

use common::{Run, Scratch};

/// The run of one case of the suite `sorting` against a record with one place changed.
fn against(id: &str, from: &str, to: &str, arguments: &[&str]) -> Run {
    let scratch = Scratch::with_suite("sorting");
    let text = scratch.read("golden/sorting.json");
    let line = text.lines().find(|line| line.starts_with(&format!("\"{id}\":"))).unwrap();
    assert!(line.contains(from), "{from} in {line}");
    scratch.replace("golden/sorting.json", line, &line.replacen(from, to, 1));
    scratch.compare(&[arguments, &["-k", &format!("id:{id}")]].concat())
}

const EQUAL: &str = "sorting/sort/equal-of-20";

#[test]
fn another_order_of_equals_is_parity_with_a_note() {
    for arguments in [&[][..], &["--strict"]] {
        let run = against(EQUAL, "[10,19,", "[19,10,", arguments);
        assert_eq!(run.status, 0, "{}", run.stdout);
        assert!(run.stdout.contains("OK, 1 with other equals"), "{}", run.stdout);
    }
    let run = against(EQUAL, "[10,19,", "[19,10,", &["--format", "json"]);
    assert!(run.stdout.contains(r#""note":"valid: another of equal elements""#), "{}", run.stdout);
}

#[test]
fn an_index_twice_or_of_another_element_is_not() {
    for (id, from, to) in [
        (EQUAL, "[10,19,", "[10,10,"),
        (EQUAL, "[10,19,", "[20,19,"),
        (EQUAL, "[10,19,", "[-10,19,"),
        ("sorting/topk/all-unsorted", "[1,8,3,0,", "[1,8,0,3,"),
        ("sorting/kthvalue/below-nan", "[2]", "[0]"),
        ("sorting/mode/least-of-equals", "[3]", "[0]"),
        // A stable sort promises its order.
        ("sorting/sort/zeros-keep-their-order", "[0,1,2,3]", "[1,0,2,3]"),
    ] {
        let run = against(id, from, to, &[]);
        assert_eq!(run.status, 1, "{id}: {}", run.stdout);
        assert!(run.stdout.contains(&format!("DIVERGES {id} [index]")), "{}", run.stdout);
    }
}

#[test]
fn a_topk_that_need_not_be_sorted_may_be() {
    let id = "sorting/topk/all-unsorted";
    let scratch = Scratch::with_suite("sorting");
    let text = scratch.read("golden/sorting.json");
    let line = text.lines().find(|line| line.starts_with(&format!("\"{id}\":"))).unwrap();
    let sorted = line
        .replacen("3.0,3.0,3.0,1.0,2.0,1.0,1.0,0.0,0.0", "3.0,3.0,3.0,2.0,1.0,1.0,1.0,0.0,0.0", 1)
        .replacen("[1,8,3,0,4,7,6,5,2", "[1,8,3,4,0,7,6,5,2", 1);
    assert_ne!(sorted, line);
    scratch.replace("golden/sorting.json", line, &sorted);
    let run = scratch.compare(&["-k", &format!("id:{id}")]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    // Nothing but the order is open.
    let other_value = sorted.replacen("2.0,1.0,1.0,1.0", "2.0,2.0,1.0,1.0", 1);
    assert_ne!(other_value, sorted);
    scratch.replace("golden/sorting.json", &sorted, &other_value);
    assert_eq!(scratch.compare(&["-k", &format!("id:{id}")]).status, 1);
}
