//! The generated parts of the README are what the program prints now.
//!
//! To bring them up to date: `TORCH_PARITY_BLESS=1 cargo test --test readme`.

mod common;

use common::{Scratch, compare, repository};

/// Rows of `golden/tolerances.json` as a Markdown table.
fn tolerances() -> String {
    let text = std::fs::read_to_string(repository("golden/tolerances.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut table =
        String::from("| profile | engine | op | dtype | rule | why |\n|---|---|---|---|---|---|\n");
    for rule in file["rules"].as_array().unwrap() {
        let cell = |key: &str| rule[key].as_str().unwrap_or("*").replace('|', ", ");
        let bound = rule["rule"].to_string().replace('"', "");
        table += &format!(
            "| {} | {} | {} | {} | `{bound}` | {} |\n",
            cell("profile"),
            cell("engine"),
            cell("op"),
            cell("dtype"),
            rule["why"].as_str().unwrap().replace('|', "\\|"),
        );
    }
    table
}

fn fenced(text: &str) -> String {
    format!("```text\n{}```\n", text)
}

/// A run whose golden file claims that 1 + 2 is 3.5.
fn divergence() -> String {
    let scratch = Scratch::with_one_case();
    scratch.replace("golden/s.json", "[3.0]", "[3.5]");
    let run = scratch.compare(&["--format", "table", "-k", "op:sum"]);
    assert_eq!(run.status, 1);
    fenced(&run.stdout)
}

#[test]
fn generated_parts_are_current() {
    let run = fenced(&compare(&[]).stdout);
    let page = fenced(&compare(&["--suite", "red_ref", "-k", "dim1"]).stdout);
    let parts = [("run", run), ("page", page), ("divergence", divergence()), ("tolerances", tolerances())];
    let path = repository("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let mut current = readme.clone();
    for (name, text) in parts {
        let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->"));
        let start =
            current.find(&begin).unwrap_or_else(|| panic!("README has no part '{name}'")) + begin.len();
        let stop = start + current[start..].find(&end).unwrap();
        current.replace_range(start..stop, &text);
    }
    if std::env::var_os("TORCH_PARITY_BLESS").is_some() {
        std::fs::write(&path, &current).unwrap();
    } else {
        let stale = readme.lines().zip(current.lines()).find(|(old, new)| old != new);
        assert!(
            readme == current,
            "README.md is stale: TORCH_PARITY_BLESS=1 cargo test --test readme: {stale:?}"
        );
    }
}
