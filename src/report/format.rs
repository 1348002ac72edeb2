//! Which report goes where.

use std::path::{Path, PathBuf};

/// The forms of what is no report on cases: times, and what changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// For a terminal.
    #[default]
    Table,
    /// For a document.
    Markdown,
    /// Everything, for a program.
    Json,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A row per op; for a single small suite, a row per case.
    Table,
    /// Everything, for programs; docs/report.schema.json describes it.
    Json,
    /// A line of JSON per case.
    Jsonl,
    /// XML for CI systems: a test case per case.
    Junit,
    /// A job summary or a comment on a pull request.
    Markdown,
    /// A page to look at: a scoreboard with every case behind it.
    Html,
    /// Annotations for GitHub Actions.
    Github,
}

impl Format {
    /// The format that a file's name speaks of.
    fn of_file(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Some(Format::Table),
            "json" => Some(Format::Json),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "xml" => Some(Format::Junit),
            "md" | "markdown" => Some(Format::Markdown),
            "html" | "htm" => Some(Format::Html),
            _ => None,
        }
    }

    /// Whether it shows how near to the truth a case is, or what the engine gave.
    pub fn shows_evidence(self) -> bool {
        matches!(self, Format::Json | Format::Jsonl | Format::Markdown | Format::Html)
    }

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Junit => "junit",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Github => "github",
        }
    }
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What goes to stdout.
    pub stdout: Format,
    /// What goes into files.
    pub files: Vec<(Format, PathBuf)>,
}

/// Why `--format` and `-o` do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The name of a file says nothing that is known.
    #[error("-o {0}: its name does not say the format; say --format too")]
    Nameless(PathBuf),
    /// The name of a file says another format than the one that it is given.
    #[error("-o {path}: named as {named}, and --format says {given}; the first --format is for the first -o")]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// What its name says.
        named: &'static str,
        /// What `--format` says.
        given: &'static str,
    },
    /// Two reports for stdout.
    #[error("both {0} and {1} would go to stdout: give each --format a file by -o")]
    Stdout(&'static str, &'static str),
    /// Two reports for one file.
    #[error("-o {0}: given twice")]
    Twice(PathBuf),
}

impl Plan {
    /// The first format is for the first file, and so on. A file without a format is written as
    /// its extension says; a format without a file goes to stdout, in place of the table. The
    /// file `-` is stdout.
    pub fn new(formats: &[Format], outputs: &[PathBuf]) -> Result<Plan, PlanError> {
        let mut stdout: Option<Format> = None;
        let mut files: Vec<(Format, PathBuf)> = Vec::new();
        for i in 0..formats.len().max(outputs.len()) {
            let given = formats.get(i).copied();
            let path = outputs.get(i).filter(|path| path.as_os_str() != "-");
            let named = path.and_then(|path| Format::of_file(path));
            let format = match (given, path) {
                (Some(format), Some(path)) => {
                    if let Some(named) = named.filter(|&named| named != format && named != Format::Table) {
                        let (named, given) = (named.name(), format.name());
                        return Err(PlanError::Misnamed { path: path.clone(), named, given });
                    }
                    format
                }
                (Some(format), None) => format,
                (None, Some(path)) => named.ok_or_else(|| PlanError::Nameless(path.clone()))?,
                (None, None) => Format::Table,
            };
            match path {
                Some(path) if files.iter().any(|(_, other)| other == path) => {
                    return Err(PlanError::Twice(path.clone()));
                }
                Some(path) => files.push((format, path.clone())),
                None => {
                    if let Some(first) = stdout.replace(format) {
                        return Err(PlanError::Stdout(first.name(), format.name()));
                    }
                }
            }
        }
        Ok(Plan { stdout: stdout.unwrap_or(Format::Table), files })
    }

    /// Whether a report of that format is written.
    pub fn any(&self, wanted: impl Fn(Format) -> bool) -> bool {
        wanted(self.stdout) || self.files.iter().any(|&(format, _)| wanted(format))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(formats: &[Format], outputs: &[&str]) -> Result<Plan, String> {
        let outputs: Vec<PathBuf> = outputs.iter().map(PathBuf::from).collect();
        Plan::new(formats, &outputs).map_err(|error| error.to_string())
    }

    fn goes(stdout: Format, files: &[(Format, &str)]) -> Result<Plan, String> {
        let files = files.iter().map(|&(format, path)| (format, path.into())).collect();
        Ok(Plan { stdout, files })
    }

    #[test]
    fn formats_and_files_pair_in_order() {
        use Format::*;
        assert_eq!(plan(&[], &[]), goes(Table, &[]));
        assert_eq!(plan(&[Json], &[]), goes(Json, &[]));
        assert_eq!(plan(&[Json], &["a.json"]), goes(Table, &[(Json, "a.json")]));
        assert_eq!(plan(&[Json, Github], &["a"]), goes(Github, &[(Json, "a")]));
        assert_eq!(plan(&[], &["a.html", "b.xml"]), goes(Table, &[(Html, "a.html"), (Junit, "b.xml")]));
        assert_eq!(plan(&[Github], &["-", "a.md"]), goes(Github, &[(Markdown, "a.md")]));
        assert_eq!(plan(&[Json], &["a.txt"]), goes(Table, &[(Json, "a.txt")]));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        use Format::*;
        assert!(plan(&[], &["report"]).unwrap_err().contains("-o report: its name does not say"));
        assert!(
            plan(&[Github], &["a.html"]).unwrap_err().contains("named as html, and --format says github")
        );
        assert!(plan(&[Json, Github], &[]).unwrap_err().contains("both json and github"));
        assert!(plan(&[], &["a.md", "a.md"]).unwrap_err().contains("given twice"));
    }
}
