//! The systems under test.
//!
//! An [`Engine`] is a name, a version, a tolerance profile and a function from a case to an
//! outcome. To add one: write its file, and add its line to [`by_name`].

#[cfg(feature = "burn")]
mod burn;
mod native;

#[cfg(feature = "burn")]
pub use burn::Burn;
pub use native::Native;

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
}

/// The names of the engines of this build.
pub const NAMES: &[&str] = &[
    "native",
    #[cfg(feature = "burn")]
    "burn",
];

/// The engine of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    match name {
        "native" => Some(Box::new(Native)),
        #[cfg(feature = "burn")]
        "burn" => Some(Box::new(Burn)),
        _ => None,
    }
}
