//! What a corpus holds by name, for a list: inputs and outcomes stay unread.

use rayon::prelude::*;
use serde::Deserialize;

use super::file::{check_schema, parse_file, read};
use super::select::Selectable;
use super::{Problem, Source, nothing, suites};

/// A case's names.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Head {
    /// As a case's.
    pub id: String,
    /// As a call's.
    pub op: String,
    /// As a case's.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl Selectable for Head {
    fn id(&self) -> &str {
        &self.id
    }

    fn op(&self) -> &str {
        &self.op
    }

    fn tags(&self) -> &[String] {
        &self.tags
    }
}

#[derive(Deserialize)]
struct RawHeads {
    schema: u64,
    cases: Vec<Head>,
}

/// The names of the selected cases, in the corpus's order. What only a run needs is not looked at,
/// so it may still find a case that it cannot read.
pub fn heads(source: &Source) -> Result<Vec<Head>, Problem> {
    let of_suite = |suite: &String| {
        let path = source.fixtures.join(format!("{suite}.json"));
        let RawHeads { schema, mut cases } = parse_file(&path, &read(&path)?)?;
        check_schema(&path, schema)?;
        cases.retain(|head| source.filter.matches(head));
        Ok(cases)
    };
    let found: Vec<Result<Vec<Head>, Problem>> = suites(source)?.par_iter().map(of_suite).collect();
    let heads: Vec<Head> = found.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    if heads.is_empty() { Err(nothing(source)) } else { Ok(heads) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::corpus::{Corpus, MAX_ELEMENTS};

    #[test]
    fn a_list_names_what_a_run_runs() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = Source {
            fixtures: root.join("fixtures"),
            golden: root.join("golden"),
            suites: vec!["softmax".into(), "reduce".into()],
            filter: "tag:nan or op:sum".parse().unwrap(),
            max_elements: MAX_ELEMENTS,
        };
        let names =
            |case: &dyn Selectable| (case.id().to_string(), case.op().to_string(), case.tags().to_vec());
        let listed: Vec<_> = heads(&source).unwrap().iter().map(|head| names(head)).collect();
        let run: Vec<_> = Corpus::load(&source).unwrap().entries.iter().map(|entry| names(entry)).collect();
        assert!(listed.len() > 100);
        assert_eq!(listed, run);
    }
}
