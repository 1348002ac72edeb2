//! Sorting, and what is read off a sorted tensor.

use candle_core::{D, Tensor};

use super::args::{Args, Axis};
use super::{Answer, Op, missing, one, op};

pub(super) const OPS: &[Op] = &[
    op("argsort", &["input", "dim", "descending", "stable"], |args| Ok(vec![sorted(args)?.1])),
    op("kthvalue", &["input", "k", "dim", "keepdim"], |args| {
        let k = args.int("k")?;
        ranked(args, args.axis_or("dim", -1)?, |_| args.unsigned(k - 1, "k - 1"))
    }),
    op("median", &["input", "dim", "keepdim"], |args| {
        let middle = |size: usize| args.unsigned((size as i64 - 1) / 2, "dim");
        match args.call().int("dim")? {
            Some(dim) => ranked(args, Axis(dim), middle),
            None => {
                let flat = args.input()?.flatten_all()?;
                let (values, _) = flat.sort_last_dim(true)?;
                one(values.narrow(0, middle(flat.elem_count())?, 1)?.squeeze(0)?)
            }
        }
    }),
    op("msort", &["input"], |args| {
        let input = args.input()?;
        let (values, _) = along(&input, Axis(0), |rows| rows.sort_last_dim(true))?;
        one(values)
    }),
    op("sort", &["input", "dim", "descending", "stable"], |args| {
        let (values, indices) = sorted(args)?;
        Ok(vec![values, indices])
    }),
    op("topk", &["input", "k", "dim", "largest", "sorted"], |args| {
        let (k, largest) = (args.size("k")?, args.call().flag_or("largest", true)?);
        let (values, indices) = along(&args.input()?, args.axis_or("dim", -1)?, |rows| {
            let indices = rows.arg_sort_last_dim(!largest)?.narrow(D::Minus1, 0, k)?.contiguous()?;
            Ok((rows.gather(&indices, D::Minus1)?, indices))
        })?;
        Ok(vec![values, indices])
    }),
];

/// A function of the last dimension, of another one by transposition.
fn along(
    input: &Tensor,
    dim: Axis,
    function: impl Fn(&Tensor) -> candle_core::Result<(Tensor, Tensor)>,
) -> Answer<(Tensor, Tensor)> {
    let rows = input.transpose(dim, D::Minus1)?.contiguous()?;
    let (values, indices) = function(&rows)?;
    Ok((values.transpose(dim, D::Minus1)?, indices.transpose(dim, D::Minus1)?))
}

fn sorted(args: &Args) -> Answer<(Tensor, Tensor)> {
    if args.flag("stable")? {
        return missing(format!("{}: stable=True", args.op()));
    }
    let ascending = !args.flag("descending")?;
    along(&args.input()?, args.axis_or("dim", -1)?, |rows| rows.sort_last_dim(ascending))
}

/// The values and positions of one rank of the ascending order.
fn ranked(args: &Args, dim: Axis, rank: impl Fn(usize) -> Answer<usize>) -> Answer {
    let input = args.input()?;
    let rank = rank(input.dim(dim)?)?;
    let (values, indices) = along(&input, dim, |rows| {
        let (values, indices) = rows.sort_last_dim(true)?;
        Ok((values.narrow(D::Minus1, rank, 1)?, indices.narrow(D::Minus1, rank, 1)?))
    })?;
    if args.flag("keepdim")? {
        return Ok(vec![values, indices]);
    }
    Ok(vec![values.squeeze(dim)?, indices.squeeze(dim)?])
}
