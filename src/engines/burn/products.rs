//! Products of vectors and matrices.

use burn::tensor::{Tensor as BurnTensor, module};

use super::tensor::{
    Any, Ranked, each_rank, lacks, mixed_kinds, number, numeric, numeric_pair, of_rank, unsupported,
};
use super::{Args, Output, Row, one};
use crate::ops::Result;

macro_rules! row {
    ($name:literal, [$($parameter:literal),*], $run:expr) => {
        Row { name: $name, parameters: &[$($parameter),*], run: $run }
    };
}

pub(super) const ROWS: &[Row] = &[
    row!("matmul", ["input", "other"], |args| one(product(args.tensor("input")?, args.tensor("other")?)?)),
    row!("mm", ["input", "mat2"], |args| one(product(args.tensor("input")?, args.tensor("mat2")?)?)),
    row!("bmm", ["input", "mat2"], |args| one(product(args.tensor("input")?, args.tensor("mat2")?)?)),
    row!("mv", ["input", "vec"], |args| one(product(args.tensor("input")?, args.tensor("vec")?)?)),
    row!("dot", ["input", "tensor"], |args| one(dot(args.tensor("input")?, args.tensor("tensor")?)?)),
    row!("vdot", ["input", "other"], |args| one(dot(args.tensor("input")?, args.tensor("other")?)?)),
    row!("inner", ["input", "other"], |args| one(inner(args.tensor("input")?, args.tensor("other")?)?)),
    row!("outer", ["input", "vec2"], |args| one(outer(args.tensor("input")?, args.tensor("vec2")?)?)),
    row!("ger", ["input", "vec2"], |args| one(outer(args.tensor("input")?, args.tensor("vec2")?)?)),
    row!("linear", ["input", "weight", "bias"], linear),
    row!("addmm", ["input", "mat1", "mat2", "alpha", "beta"], |args| {
        added(args, product(args.tensor("mat1")?, args.tensor("mat2")?)?)
    }),
    row!("addmv", ["input", "mat", "vec", "alpha", "beta"], |args| {
        added(args, product(args.tensor("mat")?, args.tensor("vec")?)?)
    }),
    row!("baddbmm", ["input", "batch1", "batch2", "alpha", "beta"], |args| {
        added(args, product(args.tensor("batch1")?, args.tensor("batch2")?)?)
    }),
    row!("addbmm", ["input", "batch1", "batch2", "alpha", "beta"], |args| {
        let products = product(args.tensor("batch1")?, args.tensor("batch2")?)?;
        let sum = numeric!(products, "sum_dim", t => Any::from(t.sum_dim(0)))?;
        added(args, sum.squeeze_dim(0)?)
    }),
    row!("addr", ["input", "vec1", "vec2", "alpha", "beta"], |args| {
        added(args, outer(args.tensor("vec1")?, args.tensor("vec2")?)?)
    }),
    row!("einsum", ["operands", "equation"], einsum),
];

fn dot(x: Any, y: Any) -> Result<Any> {
    Ok(match (x, y) {
        (Any::Float(Ranked::R1(x)), Any::Float(Ranked::R1(y))) => x.dot(y).into(),
        (Any::Int(Ranked::R1(x)), Any::Int(Ranked::R1(y))) => x.dot(y).into(),
        (Any::Bool(_), Any::Bool(_)) => return lacks("dot", "Bool"),
        _ => return unsupported("dot: other than two vectors of one kind does not compile"),
    })
}

/// `matmul`, for which a vector is made a matrix first and the result a vector again.
fn product(x: Any, y: Any) -> Result<Any> {
    if batches_of_none(&x.shape(), &y.shape()) {
        // Not an outcome that could be reported: the process would be gone.
        return unsupported(
            "matmul: burn-flex reads past the end of a batch of size 0 that meets one of size 1",
        );
    }
    match (x.rank(), y.rank()) {
        (1, 1) => dot(x, y),
        (_, 1) => {
            let column = y.unsqueeze_dim(1)?;
            numeric_pair!(x, column, "matmul", x y => Any::from(x.matmul(y)))?.squeeze_dim(-1)
        }
        (1, _) => numeric_pair!(x, y, "matmul", x y => Any::from(x.matmul(y)))?.squeeze_dim(-2),
        _ => numeric_pair!(x, y, "matmul", x y => Any::from(x.matmul(y))),
    }
}

/// Whether a batch dimension of size 0 is broadcast against one of size 1 or a missing one.
fn batches_of_none(x: &[usize], y: &[usize]) -> bool {
    let batch = |shape: &[usize], from_last: usize| {
        let dims = shape.len().saturating_sub(2);
        dims.checked_sub(from_last + 1).map_or(1, |dim| shape[dim])
    };
    (0..x.len().max(y.len())).any(|dim| {
        let sizes = (batch(x, dim), batch(y, dim));
        sizes == (0, 1) || sizes == (1, 0)
    })
}

/// `x @ y.transpose()`
fn inner(x: Any, y: Any) -> Result<Any> {
    match (x.rank(), y.rank()) {
        (1, 1) => dot(x, y),
        (2, 2) => product(x, numeric!(y, "transpose", t => Any::from(t.transpose()))?),
        _ => unsupported("inner: burn has matmul for matrices and dot for vectors"),
    }
}

fn outer(x: Any, y: Any) -> Result<Any> {
    if (x.rank(), y.rank()) != (1, 1) {
        return unsupported("outer: of other than two vectors");
    }
    let (column, row) = (x.unsqueeze_dim(1)?, y.unsqueeze_dim(0)?);
    numeric_pair!(column, row, "mul", x y => Any::from(x * y))
}

/// `input * beta + product * alpha`.
fn added(args: &Args, product: Any) -> Result<Vec<Output>> {
    let scaled = |x: Any, name: &str| match args.call.scalar(name)? {
        None => Ok(x),
        Some(factor) => number!(factor, n => numeric!(x, "mul_scalar", t => Any::from(t.mul_scalar(n)))),
    };
    let input = scaled(args.tensor("input")?, "beta")?;
    one(numeric_pair!(input, scaled(product, "alpha")?, "add", x y => Any::from(x + y))?)
}

/// burn's `linear` wants the weight transposed.
fn linear(args: &Args) -> Result<Vec<Output>> {
    let (x, weight) = (args.float("input")?, args.float("weight")?);
    let Ranked::R2(weight) = weight else { return unsupported("linear: burn's weight is a matrix") };
    let bias = match args.optional("bias")? {
        None => None,
        Some(Any::Float(Ranked::R1(bias))) => Some(bias),
        Some(_) => return unsupported("linear: burn's bias is a Float vector"),
    };
    one(each_rank!(x, t => Any::from(module::linear(t, weight.transpose(), bias))))
}

fn einsum(args: &Args) -> Result<Vec<Output>> {
    let Some(equation) = args.call.text("equation")? else {
        return unsupported("einsum: without an equation");
    };
    let operands = args.tensors("operands")?;
    // The result's rank is part of the type, so a user counts the letters.
    let rank = match equation.split_once("->") {
        _ if equation.contains("...") => return unsupported("einsum: the adapter counts no '...'"),
        Some((_, output)) => output.chars().filter(|c| c.is_alphabetic()).count(),
        None => {
            let once = |c: &char| c.is_alphabetic() && equation.matches(*c).count() == 1;
            equation.chars().filter(once).count()
        }
    };
    macro_rules! of_kind {
        ($kind:ident) => {{
            let mut list = Vec::new();
            for operand in operands {
                let Any::$kind(operand) = operand else { return mixed_kinds("einsum") };
                list.push(each_rank!(operand, t => t.into()));
            }
            one(of_rank!(rank, D => Any::from(BurnTensor::<D, burn::tensor::$kind>::einsum(equation, list))))
        }};
    }
    match operands.first() {
        Some(Any::Float(_)) => of_kind!(Float),
        Some(Any::Int(_)) => of_kind!(Int),
        _ => lacks("einsum", "Bool"),
    }
}
