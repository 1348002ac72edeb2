//! The report for a job summary or a comment on a pull request.

use super::evidence::{Nearness, TruthCounts};
use super::model::{EngineReport, Report, Word};
use super::number::{thousands, ulp};

/// GitHub cuts a comment at 65,536 characters, and a job summary at 1 MiB: this fits both.
const LIMIT: usize = 60_000;

/// What is kept free for the lines that say what was left out, and for closing tags.
const RESERVE: usize = 1_000;

/// Divergences listed per engine.
const SHOWN: usize = 50;

/// A longer detail is cut.
const DETAIL: usize = 500;

/// The report as Markdown of at most 60,000 bytes.
pub fn render(report: &Report) -> String {
    let mut page = Page::default();
    let torch = &report.torch;
    page.line("## torch-parity");
    page.line("");
    page.line("| engine | cases | parity | known | **diverge** | unsupported | |");
    page.line("|---|--:|--:|--:|--:|--:|---|");
    for engine in &report.engines {
        let counts = engine.summary;
        let numbers = [counts.cases, counts.parity, counts.known, counts.new, counts.unsupported];
        let numbers = numbers.map(thousands).join(" | ");
        let name = cell(&format!("{} {}", engine.name, engine.version));
        page.line(&format!("| {name} | {numbers} | {} |", mark(engine)));
    }
    page.line("");
    page.line(&format!(
        "PyTorch {} · {} · {} thread{} · {}",
        torch.version,
        torch.cpu_capability,
        torch.threads,
        if torch.threads == 1 { "" } else { "s" },
        torch.platform
    ));
    for engine in &report.engines {
        divergences(&mut page, engine);
        ledger(&mut page, engine);
        accuracy(&mut page, engine);
    }
    for engine in &report.engines {
        ops(&mut page, engine);
    }
    page.text
}

fn mark(engine: &EngineReport) -> &'static str {
    match engine.summary {
        _ if engine.drifts() => "❌ drift",
        counts if counts.unsupported == counts.cases => "⚠️ nothing judged",
        _ => "✅",
    }
}

fn divergences(page: &mut Page, engine: &EngineReport) {
    let diverging: Vec<_> = engine.cases.iter().filter(|case| case.verdict == Word::New).collect();
    if diverging.is_empty() {
        return;
    }
    page.line("");
    page.line(&format!("### Where {} diverges", code(&engine.name)));
    page.line("");
    let mut left = diverging.len();
    for case in diverging.iter().take(SHOWN) {
        let class = case.class.as_deref().unwrap_or("divergence");
        let detail = code(case.detail.as_deref().unwrap_or_default());
        if !page.line(&format!("- {} **{class}**: {detail}", code(&case.id))) {
            break;
        }
        left -= 1;
    }
    if left > 0 {
        page.always(&format!("- … and {} more; the JSON report has them all", thousands(left)));
    }
    page.line("");
    let command = format!("compare explain ID --engine {}", engine.argument());
    page.line(&format!("One case whole: {}", code(&command)));
}

fn ledger(page: &mut Page, engine: &EngineReport) {
    let lines = engine.ledger_problems().map(|(row, problem)| {
        let (entry, select, what) = (row.entry, code(&row.select), code(&problem.what));
        format!("- entry {entry}, {select} **{}**: {what}", problem.fault.name())
    });
    list(page, &format!("Where the ledger of {} is wrong", code(&engine.name)), lines.collect());
}

fn accuracy(page: &mut Page, engine: &EngineReport) {
    let lines = engine.accuracy_problems().map(|(_, what)| format!("- {}", code(what)));
    list(page, &format!("Where {} is less accurate than recorded", code(&engine.name)), lines.collect());
}

/// A section of that title, if there are any lines for it.
fn list(page: &mut Page, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    page.line("");
    page.line(&format!("### {title}"));
    page.line("");
    let mut left = lines.len();
    for line in lines.iter().take(SHOWN) {
        if !page.line(line) {
            break;
        }
        left -= 1;
    }
    if left > 0 {
        page.always(&format!("- … and {} more; the JSON report has them all", thousands(left)));
    }
}

fn ops(page: &mut Page, engine: &EngineReport) {
    page.always("");
    page.always("<details>");
    let count = engine.ops.len();
    page.always(&format!("<summary>{} by op ({})</summary>", escape(&engine.name), thousands(count)));
    page.always("");
    let mut left = count;
    if page
        .line("| op | cases | elements | max abs diff | max ulp | tolerance | beside the truth | verdict |")
        && page.line("|---|--:|--:|--:|--:|---|---|---|")
    {
        for row in &engine.ops {
            let line = format!(
                "| {} | {} | {} | {:.2e} | {} | {} | {} | {} |",
                cell(&row.op),
                thousands(row.cases),
                thousands(row.elements),
                row.max_abs.to_f64(),
                ulp(row.max_ulp),
                cell(&row.tolerance),
                truth(row.truth),
                if row.counts.new > 0 { format!("**{}**", row.verdict) } else { row.verdict.clone() }
            );
            if !page.line(&line) {
                break;
            }
            left -= 1;
        }
    }
    if left > 0 {
        page.always("");
        page.always(&format!("… and {} more ops", thousands(left)));
    }
    page.always("");
    page.always("</details>");
}

/// In how many cases the engine is as near to the float64 truth as PyTorch, closer, or further.
fn truth(counts: TruthCounts) -> String {
    let word = |(word, count): (Nearness, usize)| format!("{} {}", thousands(count), word.name());
    counts.words().map(word).collect::<Vec<_>>().join(", ")
}

/// Text that does not grow past the limit.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// Adds a line, unless it is too long by now.
    fn line(&mut self, line: &str) -> bool {
        let fits = self.text.len() + line.len() < LIMIT - RESERVE;
        if fits {
            self.always(line);
        }
        fits
    }

    /// Adds a line that has to be there.
    fn always(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// Text as code, in which Markdown and HTML mean nothing and nobody is mentioned; on one line.
pub(crate) fn code(text: &str) -> String {
    let mut text = text.replace(['\n', '\r'], " ");
    if let Some((end, _)) = text.char_indices().nth(DETAIL) {
        text.truncate(end);
        text.push('…');
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Code inside a table, whose cells end at a bar even there.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_code() {
        assert_eq!(code("a <b> @c"), "`a <b> @c`");
        assert_eq!(code("a `` b"), "```a `` b```");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a\n# b"), "`a # b`");
        assert_eq!(cell("eps·Σ|x|"), "`eps·Σ\\|x\\|`");
        assert!(code(&"é".repeat(2 * DETAIL)).chars().count() < DETAIL + 5);
    }
}
