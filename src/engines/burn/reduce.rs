//! Reductions, scans, sorting and softmax.
//!
//! burn's reductions of a dimension keep it with size 1, and its totals have shape `[1]`, whatever
//! PyTorch's `keepdim` says: that is reported as it is. The exception is `sum_dims_squeeze`, which
//! burn has for sums over several dimensions.

use burn::tensor::{Float, activation};

use super::tensor::{Any, Ranked, basic, each_rank, lacks, numeric, numeric_pair, of_rank, unsupported};
use super::{Args, Output, Row, float, one, unsigned};
use crate::ops::Result;
use crate::tensor::{DType, Scalar};

/// Over what a reduction goes.
enum Over {
    All,
    One(i64),
    Many(Vec<i64>),
}

fn over(args: &Args) -> Result<Over> {
    Ok(match args.call.ints("dim")? {
        None => Over::All,
        Some(dims) => match dims.as_slice() {
            [] => Over::All,
            [dim] => Over::One(*dim),
            _ => Over::Many(dims),
        },
    })
}

/// A reduction with a method for all, for one dimension, and for several.
macro_rules! reduced {
    ($x:expr, $over:expr, $what:literal, $all:ident, $one:ident, $many:ident) => {
        match $over {
            Over::All => numeric!($x, $what, t => Any::from(t.$all())),
            Over::One(dim) => numeric!($x, $what, t => Any::from(t.$one(dim))),
            Over::Many(dims) => numeric!($x, $what, t => Any::from(t.$many(&dims))),
        }
    };
}

macro_rules! row {
    ($name:literal, [$($parameter:literal),*], $run:expr) => {
        Row { name: $name, parameters: &["input" $(, $parameter)*], run: $run }
    };
}

pub(super) const ROWS: &[Row] = &[
    row!("sum", ["dim", "keepdim", "dtype"], |args| sum(args, args.input()?)),
    row!("nansum", ["dim", "keepdim", "dtype"], |args| {
        let x = float(args.tensor("input")?, "is_nan")?;
        let zeroed = each_rank!(x, t => Any::from(t.clone().mask_fill(t.is_nan(), 0)));
        sum(
            args,
            match args.call.dtype("dtype")? {
                Some(dtype) => zeroed.cast(dtype)?,
                None => zeroed,
            },
        )
    }),
    row!("sum_of_squares", ["dim", "keepdim"], |args| {
        let squares = numeric!(args.tensor("input")?, "mul", t => Any::from(t.clone() * t))?;
        sum(args, squares)
    }),
    row!("mean", ["dim", "keepdim", "dtype"], |args| {
        one(reduced!(args.input()?, over(args)?, "mean", mean, mean_dim, mean_dims)?)
    }),
    row!("prod", ["dim", "keepdim", "dtype"], |args| {
        one(reduced!(args.input()?, over(args)?, "prod", prod, prod_dim, prod_dims)?)
    }),
    row!("amax", ["dim", "keepdim"], |args| {
        one(reduced!(args.tensor("input")?, over(args)?, "max", max, max_dim, max_dims)?)
    }),
    row!("amin", ["dim", "keepdim"], |args| {
        one(reduced!(args.tensor("input")?, over(args)?, "min", min, min_dim, min_dims)?)
    }),
    row!("aminmax", ["dim", "keepdim"], |args| {
        let x = args.tensor("input")?;
        let min = reduced!(x.clone(), over(args)?, "min", min, min_dim, min_dims)?;
        let max = reduced!(x, over(args)?, "max", max, max_dim, max_dims)?;
        Ok(vec![min.into(), max.into()])
    }),
    row!("max", ["dim", "keepdim", "other"], |args| {
        let x = args.tensor("input")?;
        if let Some(other) = args.optional("other")? {
            return one(numeric_pair!(x, other, "max_pair", x y => Any::from(x.max_pair(y)))?);
        }
        match over(args)? {
            Over::One(dim) => numeric!(x, "max_dim_with_indices", t => pair(t.max_dim_with_indices(dim))),
            over => one(reduced!(x, over, "max", max, max_dim, max_dims)?),
        }
    }),
    row!("min", ["dim", "keepdim", "other"], |args| {
        let x = args.tensor("input")?;
        if let Some(other) = args.optional("other")? {
            return one(numeric_pair!(x, other, "min_pair", x y => Any::from(x.min_pair(y)))?);
        }
        match over(args)? {
            Over::One(dim) => numeric!(x, "min_dim_with_indices", t => pair(t.min_dim_with_indices(dim))),
            over => one(reduced!(x, over, "min", min, min_dim, min_dims)?),
        }
    }),
    row!("argmax", ["dim", "keepdim"], |args| arg_extreme(args, true)),
    row!("argmin", ["dim", "keepdim"], |args| arg_extreme(args, false)),
    row!("var", ["dim", "keepdim", "correction", "unbiased"], |args| {
        one(moments(args, args.float("input")?)?.0)
    }),
    row!("std", ["dim", "keepdim", "correction", "unbiased"], |args| {
        one(each_rank!(moments(args, args.float("input")?)?.0, t => Any::from(t.sqrt())))
    }),
    row!("var_mean", ["dim", "keepdim", "correction", "unbiased"], |args| {
        let (var, mean) = moments(args, args.float("input")?)?;
        Ok(vec![var.into(), mean.into()])
    }),
    row!("std_mean", ["dim", "keepdim", "correction", "unbiased"], |args| {
        let (var, mean) = moments(args, args.float("input")?)?;
        Ok(vec![each_rank!(var, t => Any::from(t.sqrt())).into(), mean.into()])
    }),
    row!("any", ["dim", "keepdim"], |args| {
        one(match over(args)? {
            Over::All => basic!(args.tensor("input")?, t => Any::from(t.any())),
            Over::One(dim) => basic!(args.tensor("input")?, t => Any::from(t.any_dim(dim))),
            Over::Many(dims) => {
                let x = args.tensor("input")?;
                basic!(x, t => Any::from(dims.iter().fold(t.any_dim(dims[0]), |t, &dim| t.any_dim(dim))))
            }
        })
    }),
    row!("all", ["dim", "keepdim"], |args| {
        one(match over(args)? {
            Over::All => basic!(args.tensor("input")?, t => Any::from(t.all())),
            Over::One(dim) => basic!(args.tensor("input")?, t => Any::from(t.all_dim(dim))),
            Over::Many(dims) => {
                let x = args.tensor("input")?;
                basic!(x, t => Any::from(dims.iter().fold(t.all_dim(dims[0]), |t, &dim| t.all_dim(dim))))
            }
        })
    }),
    row!("count_nonzero", ["dim"], |args| {
        let Any::Bool(nonzero) = args.tensor("input")?.cast(DType::Bool)? else {
            return lacks("bool", "this kind of");
        };
        sum(args, each_rank!(nonzero, t => Any::from(t.int())))
    }),
    row!("norm", ["dim", "keepdim", "p", "dtype"], |args| norm(args, "p")),
    row!("linalg.vector_norm", ["dim", "keepdim", "ord", "dtype"], |args| norm(args, "ord")),
    row!("median", ["dim", "keepdim"], |args| {
        let x = args.float("input")?;
        match args.call.int("dim")? {
            None => one(x.flatten().median(0)),
            Some(dim) => Ok(each_rank!(x, t => pair(t.median_with_indices(dim)))),
        }
    }),
    row!("logsumexp", ["dim", "keepdim"], |args| {
        let x = args.float("input")?;
        one(match over(args)? {
            Over::One(dim) => each_rank!(x, t => Any::from(t.exp().sum_dim(dim).log())),
            Over::Many(dims) => each_rank!(x, t => Any::from(t.exp().sum_dims(&dims).log())),
            Over::All => each_rank!(x, t => Any::from(t.exp().sum().log())),
        })
    }),
    row!("cumsum", ["dim", "dtype"], |args| {
        one(numeric!(args.input()?, "cumsum", t => Any::from(t.cumsum(args.dim()?)))?)
    }),
    row!("logcumsumexp", ["dim"], |args| {
        one(each_rank!(args.float("input")?, t => Any::from(t.exp().cumsum(args.dim()?).log())))
    }),
    row!("cumprod", ["dim", "dtype"], |args| {
        one(numeric!(args.input()?, "cumprod", t => Any::from(t.cumprod(args.dim()?)))?)
    }),
    row!("cummax", ["dim"], |args| {
        one(numeric!(args.tensor("input")?, "cummax", t => Any::from(t.cummax(args.dim()?)))?)
    }),
    row!("cummin", ["dim"], |args| {
        one(numeric!(args.tensor("input")?, "cummin", t => Any::from(t.cummin(args.dim()?)))?)
    }),
    row!("softmax", ["dim", "dtype"], |args| {
        one(each_rank!(float(args.input()?, "softmax")?, t => Any::from(activation::softmax(t, args.dim()?))))
    }),
    row!("special.softmax", ["dim", "dtype"], |args| {
        one(each_rank!(float(args.input()?, "softmax")?, t => Any::from(activation::softmax(t, args.dim()?))))
    }),
    row!("softmin", ["dim", "dtype"], |args| {
        one(each_rank!(float(args.input()?, "softmin")?, t => Any::from(activation::softmin(t, args.dim()?))))
    }),
    row!("log_softmax", ["dim", "dtype"], |args| {
        one(each_rank!(float(args.input()?, "log_softmax")?, t => {
            Any::from(activation::log_softmax(t, args.dim()?))
        }))
    }),
    row!("sort", ["dim", "descending", "stable"], sort),
    row!("argsort", ["dim", "descending", "stable"], |args| Ok(sort(args)?.split_off(1))),
    row!("msort", [], |args| one(numeric!(args.tensor("input")?, "sort", t => Any::from(t.sort(0)))?)),
    row!("topk", ["k", "dim", "largest", "sorted"], topk),
    row!("kthvalue", ["k", "dim", "keepdim"], kthvalue),
];

fn pair<A: Into<Any>, B: Into<Any>>((values, indices): (A, B)) -> Vec<Output> {
    vec![Output::Tensor(values.into()), Output::Tensor(indices.into())]
}

fn sum(args: &Args, x: Any) -> Result<Vec<Output>> {
    let over = over(args)?;
    if let Over::Many(dims) = &over
        && !args.call.flag("keepdim")?
        && dims.len() < x.rank()
    {
        return one(of_rank!(x.rank() - dims.len(), D => {
            numeric!(x, "sum", t => Any::from(t.sum_dims_squeeze::<D, _>(dims)))?
        }));
    }
    one(reduced!(x, over, "sum", sum, sum_dim, sum_dims)?)
}

fn arg_extreme(args: &Args, largest: bool) -> Result<Vec<Output>> {
    let x = args.tensor("input")?;
    let (x, dim) = match args.call.int("dim")? {
        Some(dim) => (x, dim),
        None => (x.flatten(), 0),
    };
    one(match largest {
        true => numeric!(x, "argmax", t => Any::from(t.argmax(dim)))?,
        false => numeric!(x, "argmin", t => Any::from(t.argmin(dim)))?,
    })
}

/// Variance and mean along one dimension, or of everything in one.
fn moments(args: &Args, x: Ranked<Float>) -> Result<(Ranked<Float>, Ranked<Float>)> {
    let unbiased = args.call.flag_or("unbiased", true)?;
    let correction = args.call.scalar("correction")?.map_or(f64::from(u8::from(unbiased)), Scalar::to_f64);
    let (x, dim) = match over(args)? {
        Over::All => (Ranked::from(x.flatten()), 0),
        Over::One(dim) => (x, dim),
        Over::Many(_) => return unsupported("burn's var takes one dim"),
    };
    Ok(match correction {
        1.0 => each_rank!(x, t => {
            let (var, mean) = t.var_mean(dim);
            (var.into(), mean.into())
        }),
        0.0 => each_rank!(x, t => {
            let (var, mean) = t.var_mean_bias(dim);
            (var.into(), mean.into())
        }),
        other => return unsupported(format!("burn's var has correction 0 or 1, not {other}")),
    })
}

/// The composition that a user writes: powers, a sum, a root.
fn norm(args: &Args, order: &str) -> Result<Vec<Output>> {
    let x = float(args.input()?, "norm")?;
    let order = match args.call.get(order) {
        Some(crate::ops::Value::Str(name)) if name == "fro" => 2.0,
        _ => args.call.float(order, 2.0)?,
    };
    let over = over(args)?;
    let x = if let Over::All = over { x.flatten().into() } else { x };
    let dims = match over {
        Over::All => vec![0],
        Over::One(dim) => vec![dim],
        Over::Many(dims) => dims,
    };
    one(each_rank!(x, t => Any::from(if order == 2.0 {
        t.square().sum_dims(&dims).sqrt()
    } else if order == 1.0 {
        t.abs().sum_dims(&dims)
    } else if order == f64::INFINITY {
        t.max_abs_dims(&dims)
    } else if order == f64::NEG_INFINITY {
        t.abs().min_dims(&dims)
    } else if order == 0.0 {
        t.clone().not_equal_scalar(0).float().cast(t.dtype()).sum_dims(&dims)
    } else {
        t.abs().powf_scalar(order).sum_dims(&dims).powf_scalar(1.0 / order)
    })))
}

fn sort(args: &Args) -> Result<Vec<Output>> {
    if args.call.flag("stable")? {
        return unsupported("sort: burn does not promise a stable order");
    }
    let dim = args.call.int("dim")?.unwrap_or(-1);
    let x = args.tensor("input")?;
    match args.call.flag("descending")? {
        true => numeric!(x, "sort", t => pair(t.sort_descending_with_indices(dim))),
        false => numeric!(x, "sort", t => pair(t.sort_with_indices(dim))),
    }
}

fn topk(args: &Args) -> Result<Vec<Output>> {
    if !args.call.flag_or("largest", true)? {
        return unsupported("topk: burn has the largest only");
    }
    let k = unsigned(args.call.required_int("k")?, "topk")?;
    let dim = args.call.int("dim")?.unwrap_or(-1);
    numeric!(args.tensor("input")?, "topk", t => pair(t.topk_with_indices(k, dim)))
}

/// Sorted, then the k-th of each line.
fn kthvalue(args: &Args) -> Result<Vec<Output>> {
    let k = unsigned(args.call.required_int("k")? - 1, "kthvalue")?;
    let dim = args.call.int("dim")?.unwrap_or(-1);
    numeric!(args.tensor("input")?, "sort", t => {
        let (values, indices) = t.sort_with_indices(dim);
        pair((values.narrow(dim, k, 1), indices.narrow(dim, k, 1)))
    })
}
