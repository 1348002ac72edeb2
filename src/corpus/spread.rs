//! `golden/spread.json`: how far PyTorch is from itself.
//!
//! The file names the cases in which PyTorch gives another answer under another instruction set
//! or number of threads than the golden values are pinned to, with the largest difference. A
//! corpus may have none.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::file::{Pairs, check_schema, parse_file, read};
use super::problem::{Fault, Problem, parse};
use super::{Entry, Torch};

/// The largest differences among PyTorch's own answers to a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// In representable values; none where no number says it.
    pub ulp: Option<u64>,
    /// |a - b|; none where one of them is NaN or infinite and the other is not.
    pub abs: Option<f64>,
}

impl Spread {
    /// Whether a distance is no larger, in either measure. Where there is no bound nothing is.
    pub(crate) fn covers(self, ulp: u64, abs: f64) -> bool {
        self.ulp.zip(self.abs).is_some_and(|(most_ulp, most_abs)| ulp <= most_ulp && abs <= most_abs)
    }
}

impl<'de> Deserialize<'de> for Spread {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Spread, D::Error> {
        // Both keys have to be there: a misspelt one would read as no bound.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw {
            #[serde(deserialize_with = "Option::deserialize")]
            ulp: Option<u64>,
            #[serde(deserialize_with = "Option::deserialize")]
            abs: Option<f64>,
        }
        let Raw { ulp, abs } = Raw::deserialize(deserializer)?;
        match abs {
            Some(abs) if abs < 0.0 => Err(serde::de::Error::custom(format!("abs is negative: {abs}"))),
            _ => Ok(Spread { ulp, abs }),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile<'a> {
    schema: u64,
    torch: String,
    #[serde(rename = "conditions")]
    _conditions: Vec<String>,
    #[serde(borrow)]
    spread: Pairs<'a>,
}

/// What such a file says.
#[derive(Debug)]
pub struct SpreadFile {
    /// The version of PyTorch.
    pub torch: String,
    /// The cases, in the file's order.
    pub cases: Vec<(String, Spread)>,
}

/// Reads the text of the file; `path` is what a problem names.
pub fn parse_spread(path: &Path, text: &str) -> Result<SpreadFile, Problem> {
    let file: RawFile = parse_file(path, text)?;
    check_schema(path, file.schema)?;
    let case = |(id, json): (Cow<str>, &RawValue)| match parse(json.get()) {
        Ok(spread) => Ok((id.into_owned(), spread)),
        Err(fault) => Err(Problem::case(path, &id, fault)),
    };
    let cases = file.spread.0.into_iter().map(case).collect::<Result<_, _>>()?;
    Ok(SpreadFile { torch: file.torch, cases })
}

/// Gives the cases of a golden folder the spread that its file says. Cases that it names and that
/// are not there must be of suites that were not read.
pub(super) fn attach(
    golden: &Path,
    torch: &Torch,
    all_suites: bool,
    entries: &mut [Entry],
) -> Result<(), Problem> {
    let path = golden.join("spread.json");
    if !path.exists() {
        return Ok(());
    }
    let file = parse_spread(&path, &read(&path)?)?;
    if file.torch != torch.version {
        let what = format!("of PyTorch {}; the golden files are of {}", file.torch, torch.version);
        return Err(Problem::field(&path, "torch", what));
    }
    let suites: Vec<String> = entries.chunk_by(|a, b| a.case.suite() == b.case.suite()).map(suite).collect();
    let mut places: HashMap<String, Option<usize>> =
        entries.iter().enumerate().map(|(place, entry)| (entry.case.id.clone(), Some(place))).collect();
    for (id, spread) in file.cases {
        let fail = |what: &str| Err(Problem::case(&path, &id, Fault::new("", what)));
        match places.get_mut(&id).map(Option::take) {
            Some(Some(place)) => {
                if let Ok(golden) = &mut entries[place].golden {
                    golden.spread = Some(spread);
                }
            }
            Some(None) => return fail("two spreads of one id"),
            None => {
                let suite = id.split('/').next().unwrap_or_default();
                if all_suites || suites.iter().any(|read| read == suite) {
                    return fail("a spread with no case");
                }
            }
        }
    }
    Ok(())
}

fn suite(entries: &[Entry]) -> String {
    entries.first().map_or(String::new(), |entry| entry.case.suite().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_covers_what_both_its_measures_cover() {
        let spread = |ulp, abs| Spread { ulp, abs };
        assert!(spread(Some(2), Some(0.5)).covers(2, 0.5));
        assert!(!spread(Some(2), Some(0.5)).covers(3, 0.5));
        assert!(!spread(Some(2), Some(0.5)).covers(2, 0.6));
        assert!(!spread(Some(2), None).covers(1, 0.0), "no bound is no leave");
        assert!(!spread(None, Some(0.5)).covers(1, 0.1));
        assert!(!spread(Some(2), Some(0.5)).covers(1, f64::NAN));
    }

    #[test]
    fn both_measures_have_to_be_there() {
        let read = |json: &str| serde_json::from_str::<Spread>(json).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"ulp": 3, "abs": null}"#), Ok(Spread { ulp: Some(3), abs: None }));
        for bad in [r#"{"ulp": 3}"#, r#"{"ulp": -1, "abs": 0}"#, r#"{"ulp": 1, "abs": -1}"#, "{}", "3"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
