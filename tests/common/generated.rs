//! Parts of the documentation that the program writes.

use std::ops::Range;

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

/// A page with its generated parts, each between `<!-- begin: NAME -->` and `<!-- end: NAME -->`.
pub fn with_parts<const N: usize>(page: &str, parts: &[(&str, String); N]) -> String {
    let mut page = page.to_string();
    for (name, text) in parts {
        let part = part(&page, name).unwrap_or_else(|| panic!("no part '{name}'"));
        page.replace_range(part, text);
    }
    page
}

/// Where a generated part stands.
pub fn part(page: &str, name: &str) -> Option<Range<usize>> {
    let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->"));
    let start = page.find(&begin)? + begin.len();
    Some(start..start + page[start..].find(&end)?)
}

/// Why a document is not as the program writes it, and what would make it so.
pub fn stale(name: &str, committed: &str, current: &str, command: &str) -> Result<(), String> {
    if committed == current {
        return Ok(());
    }
    let line = committed.lines().zip(current.lines()).find(|(old, new)| old != new);
    Err(format!("{name} is stale: TORCH_PARITY_BLESS=1 {command}: {line:?}"))
}

/// Brings a file up to date under TORCH_PARITY_BLESS, else says that it is not and what would.
/// `written` makes of a file what it has to be.
pub fn check(name: &str, command: &str, written: impl Fn(&str) -> String) {
    let path = repository(name);
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let current = written(&committed);
    if std::env::var_os("TORCH_PARITY_BLESS").is_some() {
        std::fs::write(&path, current).unwrap();
        return;
    }
    stale(name, &committed, &current, command).unwrap_or_else(|why| panic!("{why}"));
}

/// Makes sure that a copy of a file with one letter changed in any of these places is refused by
/// what [`check`] asks.
pub fn refuses_edits(name: &str, places: &[Range<usize>], written: impl Fn(&str) -> String) {
    let text = std::fs::read_to_string(repository(name)).unwrap();
    for place in places {
        let letters: Vec<usize> = text[place.clone()]
            .char_indices()
            .filter(|(_, c)| c.is_ascii_alphanumeric())
            .map(|(at, _)| place.start + at)
            .collect();
        for &at in [letters.first(), letters.get(letters.len() / 2), letters.last()].into_iter().flatten() {
            let other = if text[at..].starts_with('7') { "8" } else { "7" };
            let edited = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            let why = stale(name, &edited, &written(&edited), "command").unwrap_err();
            assert!(why.starts_with(&format!("{name} is stale")), "{why}");
        }
    }
}
