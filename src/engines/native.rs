//! This crate's own engine.

use std::fmt::Write as _;
use std::hint::black_box;

use super::{Engine, Profile, Timed, snippet};
use crate::corpus::{Backpropagated, Backward, Case, Outcome};
use crate::ops::{self, Failure, Returned, Value};

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

    fn timed<'a>(&'a self, case: &'a Case) -> Option<Timed<'a>> {
        Some(Box::new(|| drop(black_box(ops::run(&case.call)))))
    }

    fn snippet(&self, case: &Case) -> Option<String> {
        let mut text = String::from(
            "use torch_parity::ops::{self, Call, Value};\n\
             use torch_parity::tensor::{Element, Scalar, Tensor};\n\n",
        );
        let _ = writeln!(text, "let call = Call {{\n    op: {:?}.into(),\n    args: [", case.call.op);
        for (name, value) in &case.call.args {
            let _ = writeln!(text, "        ({name:?}.to_string(), {}),", snippet::value(value));
        }
        text += "    ]\n    .into(),\n};\nlet returned = ops::run(&call)?;\n";
        if let Some(Backward { wrt, grad_outputs }) = &case.backward {
            let cotangents = snippet::value(&Value::Tensors(grad_outputs.clone()));
            let cotangents = cotangents.trim_start_matches("Value::Tensors(");
            let cotangents = cotangents.strip_suffix(')').unwrap_or(cotangents);
            let _ = writeln!(text, "let wrt = {wrt:?}.map(String::from);");
            let _ = writeln!(text, "let cotangents = {cotangents};");
            text += "let gradients = ops::backward(&call, &returned.outputs, &cotangents, &wrt)?;\n";
        }
        Some(text)
    }
}
