//! Workflow commands for GitHub Actions: annotations for the first divergences, and a notice.

use std::fmt::Write as _;
use std::path::Path;

use super::model::{Report, Word};
use super::table::closing_line;

/// GitHub shows no more errors than this of one step.
const SHOWN: usize = 10;

/// The annotations, one a line. `fixtures` is the folder that they point into.
pub fn render(report: &Report, fixtures: &Path) -> String {
    let mut text = String::new();
    let diverging = report.engines.iter().flat_map(|engine| {
        engine.cases.iter().filter(|case| case.verdict == Word::New).map(move |case| (engine, case))
    });
    let count = diverging.clone().count();
    for (engine, case) in diverging.take(SHOWN) {
        let file = fixtures.join(format!("{}.json", case.suite())).display().to_string();
        let class = case.class.as_deref().unwrap_or("divergence");
        let title = format!("{} diverges [{class}] on {}", case.id, engine.name);
        let detail = case.detail.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "::error file={},title={}::{}",
            property(&file),
            property(&title),
            message(detail)
        );
    }
    let stale = report
        .engines
        .iter()
        .flat_map(|engine| engine.ledger_problems().map(move |(row, problem)| (engine, row, problem)));
    let count = count + stale.clone().count();
    for (engine, row, problem) in stale.take(SHOWN.saturating_sub(text.lines().count())) {
        let title =
            format!("entry {} of the ledger of {} [{}]", row.entry, engine.name, problem.fault.name());
        let detail = format!("{}: {}", row.select, problem.what);
        let _ = writeln!(text, "::error title={}::{}", property(&title), message(&detail));
    }
    let worse = report
        .engines
        .iter()
        .flat_map(|engine| engine.accuracy_problems().map(move |(_, what)| (engine, what)));
    let count = count + worse.clone().count();
    for (engine, what) in worse.take(SHOWN.saturating_sub(text.lines().count())) {
        let title = format!("{} is less accurate than recorded", engine.name);
        let _ = writeln!(text, "::error title={}::{}", property(&title), message(what));
    }
    let mut closing: Vec<String> = report.engines.iter().map(|engine| closing_line(report, engine)).collect();
    if count > SHOWN {
        closing.push(format!("{} more divergences are not annotated", count - SHOWN));
    }
    let _ = writeln!(text, "::notice title=torch-parity::{}", message(&closing.join("\n")));
    text
}

/// A message as the runner reads it.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, which moreover ends at a comma or a colon.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_a_command() {
        assert_eq!(message("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(property("a,title=b::c%"), "a%2Ctitle=b%3A%3Ac%25");
    }
}
