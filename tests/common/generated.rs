//! Parts of the documentation that the program writes.

use super::repository;

/// A Markdown table of cells that hold no bars of their own.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head = line(header.iter().map(|cell| cell.to_string()).collect());
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    head + &rule + &rows.into_iter().map(line).collect::<String>()
}

/// A file with its generated parts, each between `<!-- begin: NAME -->` and `<!-- end: NAME -->`.
pub fn with_parts<const N: usize>(file: &str, parts: [(&str, String); N]) -> String {
    let mut page = std::fs::read_to_string(repository(file)).unwrap();
    for (name, text) in parts {
        let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->"));
        let start = page.find(&begin).unwrap_or_else(|| panic!("{file} has no part '{name}'")) + begin.len();
        let stop = start + page[start..].find(&end).unwrap();
        page.replace_range(start..stop, &text);
    }
    page
}

/// Brings a file up to date under TORCH_PARITY_BLESS, else says that it is not and what would.
pub fn check(name: &str, current: &str, command: &str) {
    let path = repository(name);
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("TORCH_PARITY_BLESS").is_some() {
        std::fs::write(&path, current).unwrap();
        return;
    }
    let stale = committed.lines().zip(current.lines()).find(|(old, new)| old != new);
    assert!(committed == current, "{name} is stale: TORCH_PARITY_BLESS=1 {command}: {stale:?}");
}
