//! What may stand behind `--engine` and `--timeout`.

use std::ffi::OsStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

use super::ALL;
use crate::engines::{self, external};

/// Takes the name of an engine of this build, `all`, or `exec:` and a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct EngineParser;

impl EngineParser {
    /// What help, completions and messages say that there is.
    fn values() -> impl Iterator<Item = PossibleValue> {
        let command = PossibleValue::new("exec:COMMAND");
        engines::names().chain([ALL]).map(PossibleValue::new).chain([command])
    }
}

impl TypedValueParser for EngineParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        match value.to_str().and_then(|text| text.strip_prefix(external::PREFIX)) {
            None => PossibleValuesParser::new(EngineParser::values()).parse_ref(command, arg, value),
            Some(line) => match external::words(line) {
                Ok(_) => Ok(format!("{}{line}", external::PREFIX)),
                Err(error) => {
                    Err(Error::raw(ErrorKind::ValueValidation, format!("{error}\n")).with_cmd(command))
                }
            },
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(EngineParser::values()))
    }
}

/// A duration in seconds that is more than none.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("not a number of seconds above 0".into()),
    }
}
