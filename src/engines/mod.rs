//! The systems under test.
//!
//! An [`Engine`] is a name, a version, a tolerance profile and a function from a case to an
//! outcome. To add one: write its file, and add its line to [`by_name`].

mod argminmax;
mod metal_model;
mod native;
mod quiet;
mod snippet;
#[cfg(feature = "strided")]
mod strided;

pub use argminmax::ArgMinMaxCrate;
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
    /// The case as a user of the engine would write it, in the engine's own API; none where that
    /// is not known.
    fn snippet(&self, _case: &Case) -> Option<String> {
        None
    }
}

/// The names of the engines of this build.
pub const NAMES: &[&str] = &[
    "native",
    #[cfg(feature = "strided")]
    "strided",
    "argminmax",
    "argminmax-nan",
    "candle-metal-model",
];

/// The engine of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    match name {
        "native" => Some(Box::new(Native)),
        #[cfg(feature = "strided")]
        "strided" => Some(Box::new(Strided)),
        "argminmax" => Some(Box::new(ArgMinMaxCrate::Skipping)),
        "argminmax-nan" => Some(Box::new(ArgMinMaxCrate::Returning)),
        "candle-metal-model" => Some(Box::new(MetalModel)),
        _ => None,
    }
}
