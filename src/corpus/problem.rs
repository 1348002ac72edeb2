//! Bad input: one message that names file, case and field.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a corpus cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The file, or folder, that is at fault.
    pub file: PathBuf,
    /// Id of the case, where one is known.
    pub case: Option<String>,
    /// Path of the field inside the case, such as `inputs.input.data[3]`; empty for the whole.
    pub field: String,
    /// What is wrong.
    pub what: String,
}

impl Problem {
    /// A problem of a whole file.
    pub fn file(file: &Path, what: impl Into<String>) -> Problem {
        Problem { file: file.to_path_buf(), case: None, field: String::new(), what: what.into() }
    }

    /// A problem of one field of a file that has no cases.
    pub(crate) fn field(file: &Path, field: impl Into<String>, what: impl Into<String>) -> Problem {
        Problem { field: field.into(), ..Problem::file(file, what) }
    }

    /// A problem of one field of one case.
    pub fn case(file: &Path, case: &str, fault: Fault) -> Problem {
        Problem { case: Some(case.to_string()), field: fault.field, ..Problem::file(file, fault.what) }
    }
}

/// On one line, whatever stands in the file that it quotes.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", one_line(&self.file.to_string_lossy()))?;
        if let Some(case) = &self.case {
            write!(f, ": {}", one_line(case))?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", one_line(&self.field))?;
        }
        write!(f, ": {}", one_line(&self.what))
    }
}

/// A text with its line breaks and terminal escapes spelled out.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let spelled = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(spelled).collect())
}

/// A fault inside a case, before it is known which case and file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the field.
    pub field: String,
    /// What is wrong.
    pub what: String,
    /// What kind of thing is wrong.
    pub kind: FaultKind,
}

/// What a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A dtype that nobody has.
    Dtype,
    /// A dtype that PyTorch has and this format has not: no fault, but not to be run.
    ForeignDtype,
    /// Shape, strides or the number of elements.
    Shape,
    /// Anything else.
    Value,
}

impl Fault {
    /// A fault of a value or of the structure.
    pub fn new(field: impl Into<String>, what: impl Into<String>) -> Fault {
        Fault { field: field.into(), what: what.into(), kind: FaultKind::Value }
    }

    /// A fault of another kind.
    pub fn of(kind: FaultKind, field: impl Into<String>, what: impl Into<String>) -> Fault {
        Fault { kind, ..Fault::new(field, what) }
    }

    /// The same fault seen from one level further out.
    pub fn within(mut self, outer: &str) -> Fault {
        self.field = match self.field.as_str() {
            "" => outer.to_string(),
            inner if inner.starts_with('[') => format!("{outer}{inner}"),
            inner => format!("{outer}.{inner}"),
        };
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.what)
    }
}

/// Parses a piece of JSON; where it fails, parses it again with track of the path, so that the
/// usual case pays nothing for the message.
pub(crate) fn parse<'a, T: serde::Deserialize<'a>>(json: &'a str) -> Result<T, Fault> {
    serde_json::from_str(json).map_err(|error| {
        let mut reader = serde_json::Deserializer::from_str(json);
        let (field, error) = match serde_path_to_error::deserialize::<_, T>(&mut reader) {
            Err(traced) => (traced.path().to_string(), traced.into_inner()),
            Ok(_) => (String::new(), error),
        };
        // The root is '.', and '?' where the text ends in it; past the recursion limit the path is a
        // hundred brackets long.
        let field = match field.as_str() {
            "." | "?" => String::new(),
            deep if deep.len() > 200 => deep.split('[').next().unwrap_or_default().to_string(),
            _ => field,
        };
        // Line and column would be those of the piece, not of the file.
        let what = error.to_string();
        let what = what
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .replace("recursion limit exceeded", "nesting too deep");
        Fault::new(field, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_holds_cannot_break_the_line() {
        let fault = Fault::new("at\x1b[31m", "no\nsuch\tthing, \u{e9}");
        let problem = Problem::case(Path::new("a.json"), "s/sum/\r", fault);
        assert_eq!(problem.to_string(), "a.json: s/sum/\\r: at\\u{1b}[31m: no\\nsuch\\tthing, \u{e9}");
    }
}
