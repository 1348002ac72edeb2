//! Products of matrices and vectors.

use candle_core::Tensor;

use super::args::Args;
use super::{Answer, Op, missing, one, op};

pub(super) const OPS: &[Op] = &[
    op("addbmm", &["input", "batch1", "batch2", "alpha", "beta"], |args| {
        added(args, args.tensor("batch1")?.matmul(&args.tensor("batch2")?)?.sum(0)?)
    }),
    op("addmm", &["input", "mat1", "mat2", "alpha", "beta"], |args| {
        added(args, args.tensor("mat1")?.matmul(&args.tensor("mat2")?)?)
    }),
    op("addmv", &["input", "mat", "vec", "alpha", "beta"], |args| {
        added(args, args.tensor("mat")?.mv(&args.tensor("vec")?)?)
    }),
    op("addr", &["input", "vec1", "vec2", "alpha", "beta"], |args| {
        added(args, outer(&args.tensor("vec1")?, &args.tensor("vec2")?)?)
    }),
    op("baddbmm", &["input", "batch1", "batch2", "alpha", "beta"], |args| {
        added(args, args.tensor("batch1")?.matmul(&args.tensor("batch2")?)?)
    }),
    op("bmm", &["input", "mat2"], |args| one(args.input()?.matmul(&args.tensor("mat2")?)?)),
    op("dot", &["input", "tensor"], |args| one(args.input()?.dot(&args.tensor("tensor")?)?)),
    op("ger", &["input", "vec2"], |args| one(outer(&args.input()?, &args.tensor("vec2")?)?)),
    op("inner", &["input", "other"], inner),
    op("matmul", &["input", "other"], |args| {
        let (a, b) = (args.input()?, args.tensor("other")?);
        one(match (a.rank(), b.rank()) {
            (1, 1) => a.dot(&b)?,
            (2, 1) => a.mv(&b)?,
            (_, 1) => a.broadcast_matmul(&b.unsqueeze(1)?)?.squeeze(a.rank() - 1)?,
            (1, rank) if rank > 1 => a.unsqueeze(0)?.broadcast_matmul(&b)?.squeeze(rank - 2)?,
            _ => a.broadcast_matmul(&b)?,
        })
    }),
    op("mm", &["input", "mat2"], |args| one(args.input()?.matmul(&args.tensor("mat2")?)?)),
    op("mv", &["input", "vec"], |args| one(args.input()?.mv(&args.tensor("vec")?)?)),
    op("outer", &["input", "vec2"], |args| one(outer(&args.input()?, &args.tensor("vec2")?)?)),
    op("vdot", &["input", "other"], |args| one(args.input()?.dot(&args.tensor("other")?)?)),
];

/// `beta * input + alpha * product`.
fn added(args: &Args, product: Tensor) -> Answer {
    let scaled = |tensor: Tensor, factor: &str| -> Answer<Tensor> {
        Ok(match args.number(factor)? {
            Some(factor) => (tensor * factor)?,
            None => tensor,
        })
    };
    one(scaled(args.input()?, "beta")?.broadcast_add(&scaled(product, "alpha")?)?)
}

/// A column times a row.
fn outer(column: &Tensor, row: &Tensor) -> candle_core::Result<Tensor> {
    column.unsqueeze(1)?.broadcast_mul(&row.unsqueeze(0)?)
}

fn inner(args: &Args) -> Answer {
    let (a, b) = (args.input()?, args.tensor("other")?);
    match (a.rank(), b.rank()) {
        (1, 1) => one(a.dot(&b)?),
        (2, 1) => one(a.mv(&b)?),
        (2, 2) => one(a.matmul(&b.t()?)?),
        (a, b) => missing(format!("inner of ranks {a} and {b}")),
    }
}
