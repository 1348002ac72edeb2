//! This crate's own engine.

use super::{Engine, Profile};
use crate::corpus::{Backpropagated, Backward, Case, Outcome};
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
        let Returned { outputs, warnings } = match ops::run(&case.call) {
            Ok(returned) => returned,
            Err(Failure::Raised(kind, message)) => {
                return Outcome::Raised { kind: kind.name().into(), message };
            }
            Err(Failure::Unsupported(what)) => return Outcome::Unsupported(what),
        };
        let backward = match &case.backward {
            None => None,
            Some(Backward { wrt, grad_outputs }) => {
                match ops::backward(&case.call, &outputs, grad_outputs, wrt) {
                    Ok(gradients) => Some(Backpropagated::Gave(gradients)),
                    Err(Failure::Raised(kind, message)) => {
                        Some(Backpropagated::Raised { kind: kind.name().into(), message })
                    }
                    Err(Failure::Unsupported(what)) => return Outcome::Unsupported(what),
                }
            }
        };
        Outcome::Returned { outputs, warnings, backward }
    }
}
