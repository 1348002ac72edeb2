//! PyTorch's functions: argument checks with its errors, forward, and (in time) backward.
//!
//! One file per family; each ends up in [`registry`] as rows of a table. To add an op: write its
//! function in its family's file, add its row to that file's `OPS`, and add cases to a generator.

mod argreduce;
mod brackets;
mod call;
mod creation;
mod dims;
mod index;
mod matmul;
mod numerics;
mod pointwise;
mod promotion;
mod reduce;
mod shape;

pub use call::{Call, Exception, Failure, Result, Returned, Value};

/// One row of the registry.
#[derive(Debug)]
pub struct Op {
    /// PyTorch's name by the rulings of the format.
    pub name: &'static str,
    /// The parameters that this engine honours; `*` admits tensors named by an index. Any other
    /// is *unsupported*, since ignoring an argument would be a silent difference.
    pub parameters: &'static [&'static str],
    /// What the op does.
    pub forward: fn(&Call) -> Result,
}

#[rustfmt::skip] // One line each: a family is added or removed without touching the others.
const FAMILIES: &[&[Op]] = &[
    argreduce::OPS,
    brackets::OPS,
    creation::OPS,
    index::OPS,
    matmul::PRODUCTS,
    matmul::SUMS,
    pointwise::OPS,
    reduce::OPS,
    shape::DIAGONALS,
    shape::JOINING,
    shape::REARRANGING,
    shape::SPLITTING,
    shape::VIEWS,
];

/// Every op of the native engine.
pub fn registry() -> impl Iterator<Item = &'static Op> {
    FAMILIES.iter().copied().flatten()
}

/// Runs a call.
pub fn run(call: &Call) -> Result {
    let Some(op) = registry().find(|op| op.name == call.op) else {
        return Err(Failure::Unsupported(format!("op {}", call.op)));
    };
    let honoured = |name: &str| op.parameters.contains(&name) || op.parameters.contains(&"*");
    if let Some(name) = call.args.keys().find(|name| !honoured(name)) {
        return Err(Failure::Unsupported(format!("{}: parameter '{name}'", call.op)));
    }
    (op.forward)(call)
}
