//! The systems under test.
//!
//! An [`Engine`] is a name, a version, a tolerance profile and a function from a case to an
//! outcome. To add one: write its file, and add its line to `ENGINES`. An [`External`] one needs
//! neither: it is a program that answers over stdin and stdout.

mod argminmax;
#[cfg(feature = "burn")]
mod burn;
#[cfg(any(feature = "burn", feature = "candle"))]
mod calls;
#[cfg(feature = "candle")]
mod candle;
pub mod external;
mod metal_model;
mod native;
mod quiet;
mod snippet;
#[cfg(feature = "strided")]
mod strided;

pub use argminmax::ArgMinMaxCrate;
#[cfg(feature = "burn")]
pub use burn::Burn;
#[cfg(feature = "candle")]
pub use candle::Candle;
pub use external::External;
pub use metal_model::MetalModel;
pub use native::Native;
#[cfg(feature = "strided")]
pub use strided::Strided;

use crate::corpus::{Case, Outcome};

/// Which of the documented tolerances an engine is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// An engine that computes on a CPU.
    Cpu,
    /// An engine that computes on Apple's GPUs.
    Metal,
}

impl Profile {
    /// The name as it stands in files.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Cpu => "cpu",
            Profile::Metal => "metal",
        }
    }
}

/// A system under test.
pub trait Engine: Sync {
    /// What to call it.
    fn name(&self) -> &str;
    /// Its version.
    fn version(&self) -> &str;
    /// The tolerances that apply to it.
    fn profile(&self) -> Profile;
    /// Runs one case. Never panics: a panic inside is an outcome.
    fn run(&self, case: &Case) -> Outcome;
    /// The case as a call to be timed, its inputs already in the engine's own form; none where
    /// that is not known.
    fn timed<'a>(&'a self, _case: &'a Case) -> Option<Timed<'a>> {
        None
    }
    /// What to say behind `--engine` to get it, quoted for a shell.
    fn argument(&self) -> String {
        self.name().into()
    }
    /// The case as a user of the engine would write it, in the engine's own API; none where that
    /// is not known.
    fn snippet(&self, _case: &Case) -> Option<String> {
        None
    }
}

/// A call to be timed, over and over.
pub type Timed<'a> = Box<dyn Fn() + Send + Sync + 'a>;

/// An engine's name, and how to make it.
type Entry = (&'static str, fn() -> Box<dyn Engine>);

/// The engines of this build, in the order in which they are shown.
const ENGINES: &[Entry] = &[
    ("native", || Box::new(Native)),
    #[cfg(feature = "candle")]
    ("candle", || Box::new(Candle::Cpu)),
    #[cfg(feature = "candle-metal")]
    ("candle-metal", || Box::new(Candle::Metal)),
    #[cfg(feature = "burn")]
    ("burn", || Box::new(Burn)),
    #[cfg(feature = "strided")]
    ("strided", || Box::new(Strided)),
    ("argminmax", || Box::new(ArgMinMaxCrate::Skipping)),
    ("argminmax-nan", || Box::new(ArgMinMaxCrate::Returning)),
    ("candle-metal-model", || Box::new(MetalModel)),
];

/// The names of the engines of this build.
pub fn names() -> impl Iterator<Item = &'static str> {
    ENGINES.iter().map(|(name, _)| *name)
}

/// The engine that an argument of `--engine` means: one of this build by its name, or an external
/// one by its command.
pub fn open(
    argument: &str,
    terms: &external::Terms,
) -> Result<Option<Box<dyn Engine>>, external::StartError> {
    match argument.strip_prefix(external::PREFIX) {
        Some(command) => Ok(Some(Box::new(External::start(command, terms)?))),
        None => Ok(by_name(argument)),
    }
}

/// The engine of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    ENGINES.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The version of a package that the build has.
    fn locked(package: &str) -> Option<String> {
        let lock: toml::Table = include_str!("../../Cargo.lock").parse().ok()?;
        let is_it = |entry: &&toml::Value| entry["name"].as_str() == Some(package);
        Some(lock["package"].as_array()?.iter().find(is_it)?["version"].as_str()?.to_string())
    }

    #[test]
    fn an_engines_version_is_that_of_its_crate() {
        let crates = [
            ("native", "torch-parity"),
            ("candle", "candle-core"),
            ("burn", "burn"),
            ("strided", "strided-basic"),
            ("argminmax", "argminmax"),
            ("argminmax-nan", "argminmax"),
            ("candle-metal-model", "candle-core"),
        ];
        for (engine, package) in crates.iter().filter_map(|(name, of)| Some((by_name(name)?, of))) {
            let locked = locked(package).unwrap_or_else(|| panic!("no {package} in Cargo.lock"));
            assert!(engine.version().ends_with(&locked), "{}: {locked}", engine.version());
        }
    }
}
