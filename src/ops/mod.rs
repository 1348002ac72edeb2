//! PyTorch's functions: argument checks with its errors, forward, and backward.
//!
//! One file per family; each ends up in [`registry`] as rows of a table. To add an op: write its
//! function in its family's file, add its row to that file's `OPS`, and add cases to a generator.

mod argreduce;
mod attention;
mod autograd;
mod brackets;
mod call;
mod creation;
mod dims;
mod eager;
mod einsum;
mod elementary;
mod graph;
mod index;
mod index_into;
mod index_put;
mod layers;
mod lines;
mod loss;
mod masked;
mod matmul;
mod numerics;
mod order_statistics;
mod pointwise;
mod promotion;
mod reduce;
mod reduce_into;
mod scan;
mod scatter;
mod selection;
mod shape;
mod softmax;
mod sort;
mod tape;
mod visiting;

use std::collections::HashMap;
use std::sync::LazyLock;

#[cfg(test)]
pub(crate) use autograd::with_wrong_rule;
pub use autograd::{Backward, Gradients, Pass, backward};
pub use call::{Args, Call, Exception, Failure, Result, Returned, Value};
pub use tape::{Argument, Tape, Var};

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
    /// How gradients go back through it.
    pub backward: Backward,
}

#[rustfmt::skip] // One line each: a family is added or removed without touching the others.
const FAMILIES: &[&[Op]] = &[
    argreduce::OPS,
    attention::OPS,
    brackets::OPS,
    creation::OPS,
    einsum::OPS,
    elementary::OPS,
    graph::OPS,
    index::OPS,
    index_into::OPS,
    index_put::OPS,
    layers::OPS,
    loss::OPS,
    masked::OPS,
    matmul::PRODUCTS,
    matmul::SUMS,
    order_statistics::OPS,
    pointwise::arithmetic::OPS,
    pointwise::bits::OPS,
    pointwise::clamp::OPS,
    pointwise::compare::OPS,
    pointwise::convert::OPS,
    pointwise::division::OPS,
    pointwise::extremes::OPS,
    pointwise::ternary::OPS,
    pointwise::unary::OPS,
    reduce::OPS,
    scan::OPS,
    scatter::OPS,
    shape::DIAGONALS,
    shape::JOINING,
    shape::REARRANGING,
    shape::SPLITTING,
    shape::VIEWS,
    softmax::OPS,
    sort::OPS,
];

/// Every op of the native engine.
pub fn registry() -> impl Iterator<Item = &'static Op> {
    FAMILIES.iter().copied().flatten()
}

/// Whether the native engine has an op of that name.
pub fn has(name: &str) -> bool {
    find(name).is_some()
}

fn find(name: &str) -> Option<&'static Op> {
    static BY_NAME: LazyLock<HashMap<&str, &Op>> =
        LazyLock::new(|| registry().map(|op| (op.name, op)).collect());
    BY_NAME.get(name).copied()
}

/// Runs a call.
pub fn run(call: &Call) -> Result {
    let Some(op) = find(&call.op) else {
        return Err(Failure::Unsupported(format!("op {}", call.op)));
    };
    let honoured = |name: &str| op.parameters.contains(&name) || op.parameters.contains(&"*");
    if let Some(name) = call.args.keys().find(|name| !honoured(name)) {
        return Err(Failure::Unsupported(format!("{}: parameter '{name}'", call.op)));
    }
    (op.forward)(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_stands_in_one_family() {
        assert_eq!(find("sum").map(|op| op.name), Some("sum"));
        let mut names: Vec<&str> = registry().map(|op| op.name).collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "registered twice: {twice:?}");
    }
}
