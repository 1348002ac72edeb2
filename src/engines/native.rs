//! This crate's own engine.

use super::{Engine, Profile};
use crate::corpus::{Case, Outcome};
use crate::ops::{self, Failure, Returned};

/// The reference engine: PyTorch's semantics in Rust.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Engine for Native {
    fn name(&self) -> &str {
        "native"
    }

    fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn profile(&self) -> Profile {
        Profile::Cpu
    }

    fn run(&self, case: &Case) -> Outcome {
        if let Some(missing) = &case.foreign {
            return Outcome::Unsupported(missing.clone());
        }
        if case.backward.is_some() {
            return Outcome::Unsupported("backward".into());
        }
        match ops::run(&case.call) {
            Ok(Returned { outputs, warnings }) => Outcome::Returned { outputs, warnings },
            Err(Failure::Raised(kind, message)) => Outcome::Raised { kind: kind.name().into(), message },
            Err(Failure::Unsupported(what)) => Outcome::Unsupported(what),
        }
    }
}
