//! Reductions, cumulative sums and norms.

use candle_core::{DType, Result, Tensor};

use super::args::{Args, Axes, Axis};
use super::{Answer, Op, missing, one, op};

const DIM: &[&str] = &["input", "dim", "keepdim"];
const DIM_DTYPE: &[&str] = &["input", "dim", "keepdim", "dtype"];

pub(super) const OPS: &[Op] = &[
    op("all", DIM, |args| one(folded(args, &args.input()?.ne(0i64)?, Tensor::min_all, Tensor::min_keepdim)?)),
    op("amax", DIM, |args| one(folded(args, &args.input()?, Tensor::max_all, Tensor::max_keepdim)?)),
    op("amin", DIM, |args| one(folded(args, &args.input()?, Tensor::min_all, Tensor::min_keepdim)?)),
    op("aminmax", DIM, |args| {
        let input = args.input()?;
        let min = folded(args, &input, Tensor::min_all, Tensor::min_keepdim)?;
        Ok(vec![min, folded(args, &input, Tensor::max_all, Tensor::max_keepdim)?])
    }),
    op("any", DIM, |args| one(folded(args, &args.input()?.ne(0i64)?, Tensor::max_all, Tensor::max_keepdim)?)),
    op("argmax", DIM, |args| position(args, Tensor::argmax, Tensor::argmax_keepdim)),
    op("argmin", DIM, |args| position(args, Tensor::argmin, Tensor::argmin_keepdim)),
    op("count_nonzero", &["input", "dim"], |args| {
        one(summed(args, &args.input()?.ne(0i64)?.to_dtype(DType::I64)?)?)
    }),
    op("cumsum", &["input", "dim", "dtype"], |args| one(args.converted()?.cumsum(args.axis("dim")?)?)),
    op("linalg.vector_norm", &["input", "ord", "dim", "keepdim", "dtype"], |args| {
        let order = match args.text("ord") {
            Ok(Some("inf")) => Some(f64::INFINITY),
            Ok(Some("-inf")) => Some(f64::NEG_INFINITY),
            _ => args.number("ord")?,
        };
        norm(args, order.unwrap_or(2.0))
    }),
    op("logsumexp", DIM, log_sum_exp),
    op("max", &["input", "dim", "keepdim", "other"], |args| {
        extreme(
            args,
            Tensor::max_all,
            Tensor::broadcast_maximum,
            [Tensor::max, Tensor::max_keepdim],
            [Tensor::argmax, Tensor::argmax_keepdim],
        )
    }),
    op("mean", DIM_DTYPE, |args| one(mean(args, &args.converted()?)?)),
    op("min", &["input", "dim", "keepdim", "other"], |args| {
        extreme(
            args,
            Tensor::min_all,
            Tensor::broadcast_minimum,
            [Tensor::min, Tensor::min_keepdim],
            [Tensor::argmin, Tensor::argmin_keepdim],
        )
    }),
    op("nanmean", DIM_DTYPE, |args| {
        let input = args.converted()?;
        let there = input.eq(&input)?;
        let sum = summed(args, &there.where_cond(&input, &input.zeros_like()?)?)?;
        one((sum / summed(args, &there.to_dtype(input.dtype())?)?)?)
    }),
    op("nansum", DIM_DTYPE, |args| {
        let input = args.converted()?;
        one(summed(args, &input.eq(&input)?.where_cond(&input, &input.zeros_like()?)?)?)
    }),
    op("norm", &["input", "p", "dim", "keepdim", "dtype"], |args| {
        let order = match args.text("p") {
            Ok(Some("fro")) => None,
            Ok(Some("inf")) => Some(f64::INFINITY),
            Ok(Some("-inf")) => Some(f64::NEG_INFINITY),
            Ok(Some(other)) => return missing(format!("norm: p='{other}'")),
            _ => args.number("p")?,
        };
        norm(args, order.unwrap_or(2.0))
    }),
    op("special.logsumexp", DIM, log_sum_exp),
    op("std", &["input", "dim", "keepdim", "correction", "unbiased"], |args| one(variance(args)?.sqrt()?)),
    op("std_mean", &["input", "dim", "keepdim", "correction", "unbiased"], |args| {
        Ok(vec![variance(args)?.sqrt()?, mean(args, &args.input()?)?])
    }),
    op("sum", DIM_DTYPE, |args| one(summed(args, &args.converted()?)?)),
    op("sum_of_squares", DIM, |args| one(summed(args, &args.input()?.sqr()?)?)),
    op("var", &["input", "dim", "keepdim", "correction", "unbiased"], |args| one(variance(args)?)),
    op("var_mean", &["input", "dim", "keepdim", "correction", "unbiased"], |args| {
        Ok(vec![variance(args)?, mean(args, &args.input()?)?])
    }),
];

/// All dimensions.
fn every(input: &Tensor) -> Vec<usize> {
    (0..input.rank()).collect()
}

/// The shape with size 1 in some dimensions, which are inside.
fn kept(input: &Tensor, dims: &[i64]) -> Vec<usize> {
    let rank = input.rank() as i64;
    let reduced = |dim: usize| dims.iter().any(|&reduced| (reduced + rank) % rank.max(1) == dim as i64);
    input.dims().iter().enumerate().map(|(dim, &size)| if reduced(dim) { 1 } else { size }).collect()
}

fn summed(args: &Args, input: &Tensor) -> Answer<Tensor> {
    let keepdim = args.has("keepdim") && args.flag("keepdim")?;
    Ok(match (args.axes("dim")?, keepdim) {
        (None, false) => input.sum_all()?,
        (None, true) => input.sum_keepdim(every(input))?,
        (Some(dims), false) => input.sum(Axes(dims))?,
        (Some(dims), true) => input.sum_keepdim(Axes(dims))?,
    })
}

fn mean(args: &Args, input: &Tensor) -> Answer<Tensor> {
    Ok(match (args.axes("dim")?, args.flag("keepdim")?) {
        (None, false) => input.mean_all()?,
        (None, true) => input.mean_keepdim(every(input))?,
        (Some(dims), false) => input.mean(Axes(dims))?,
        (Some(dims), true) => input.mean_keepdim(Axes(dims))?,
    })
}

fn log_sum_exp(args: &Args) -> Answer {
    let input = args.input()?;
    let Some(dims) = args.axes("dim")? else { return missing("logsumexp: an empty list of dims") };
    let result = input.log_sum_exp(Axes(dims.clone()))?;
    one(if args.flag("keepdim")? { result.reshape(kept(&input, &dims))? } else { result })
}

/// A maximum or minimum over all or several dimensions: candle's takes one at a time.
fn folded(
    args: &Args,
    input: &Tensor,
    all: fn(&Tensor) -> Result<Tensor>,
    keeping: fn(&Tensor, Axis) -> Result<Tensor>,
) -> Answer<Tensor> {
    let keepdim = args.flag("keepdim")?;
    // An empty list is all dims to `amax`, and none to `all` and `any`.
    let nothing =
        matches!(args.op(), "all" | "any") && args.call().ints("dim")?.is_some_and(|dims| dims.is_empty());
    if nothing {
        return Ok(input.clone());
    }
    let Some(dims) = args.axes("dim")? else {
        let result = all(input)?;
        return Ok(if keepdim { result.reshape(vec![1; input.rank()])? } else { result });
    };
    let result = dims.iter().try_fold(input.clone(), |result, &dim| keeping(&result, Axis(dim)))?;
    if keepdim {
        return Ok(result);
    }
    let reduced = kept(input, &dims);
    let original = input.dims();
    let rank = original.len() as i64;
    let gone = |dim: usize| dims.iter().any(|&gone| (gone + rank) % rank.max(1) == dim as i64);
    let shape: Vec<usize> = (0..original.len()).filter(|&dim| !gone(dim)).map(|dim| reduced[dim]).collect();
    Ok(result.reshape(shape)?)
}

/// `argmax`, `argmin`: over a dimension, or over the flattened tensor.
fn position(
    args: &Args,
    over: fn(&Tensor, Axis) -> Result<Tensor>,
    keeping: fn(&Tensor, Axis) -> Result<Tensor>,
) -> Answer {
    let input = args.input()?;
    let keepdim = args.flag("keepdim")?;
    one(match args.call().int("dim")? {
        Some(dim) if keepdim => keeping(&input, Axis(dim))?,
        Some(dim) => over(&input, Axis(dim))?,
        None => {
            let flat = over(&input.flatten_all()?, Axis(0))?;
            if keepdim { flat.reshape(vec![1; input.rank()])? } else { flat }
        }
    })
}

/// `max`, `min`: of all, of two tensors, or values and positions over a dimension.
fn extreme(
    args: &Args,
    all: fn(&Tensor) -> Result<Tensor>,
    pairwise: fn(&Tensor, &Tensor) -> Result<Tensor>,
    values: [fn(&Tensor, Axis) -> Result<Tensor>; 2],
    positions: [fn(&Tensor, Axis) -> Result<Tensor>; 2],
) -> Answer {
    let input = args.input()?;
    if args.has("other") {
        return one(pairwise(&input, &args.tensor("other")?)?);
    }
    let Some(dim) = args.call().int("dim")? else { return one(all(&input)?) };
    let form = usize::from(args.flag("keepdim")?);
    Ok(vec![values[form](&input, Axis(dim))?, positions[form](&input, Axis(dim))?])
}

/// candle's variance is the unbiased one over one dimension.
fn variance(args: &Args) -> Answer<Tensor> {
    args.only("correction", 1.0)?;
    if args.has("unbiased") && !args.flag("unbiased")? {
        return missing(format!("{}: unbiased=False", args.op()));
    }
    let input = args.input()?;
    let keepdim = args.flag("keepdim")?;
    Ok(match args.axes("dim")?.as_deref() {
        Some(&[dim]) if keepdim => input.var_keepdim(Axis(dim))?,
        Some(&[dim]) => input.var(Axis(dim))?,
        Some(dims) => {
            let Some((first, last)) = adjacent(&input, dims) else {
                return missing(format!("{}: dims that are not adjacent", args.op()));
            };
            let result = input.flatten(first, last)?.var(first)?;
            if keepdim { result.reshape(kept(&input, dims))? } else { result }
        }
        None => {
            let flat = input.flatten_all()?.var(0)?;
            if keepdim { flat.reshape(vec![1; input.rank()])? } else { flat }
        }
    })
}

/// The first and the last of dimensions that can be flattened into one.
fn adjacent(input: &Tensor, dims: &[i64]) -> Option<(usize, usize)> {
    let rank = input.rank() as i64;
    let mut dims: Vec<i64> = dims.iter().map(|&dim| if dim < 0 { dim + rank } else { dim }).collect();
    dims.sort_unstable();
    let (&first, &last) = (dims.first()?, dims.last()?);
    let run = first >= 0 && last < rank && dims.windows(2).all(|pair| pair[1] == pair[0] + 1);
    run.then_some((first as usize, last as usize))
}

/// A vector norm, by the sum or the extreme that defines it.
fn norm(args: &Args, order: f64) -> Answer {
    let input = args.converted()?;
    if order == 2.0 && !args.has("dim") && !args.flag("keepdim")? {
        return one(input.norm()?);
    }
    one(if order == f64::INFINITY {
        folded(args, &input.abs()?, Tensor::max_all, Tensor::max_keepdim)?
    } else if order == f64::NEG_INFINITY {
        folded(args, &input.abs()?, Tensor::min_all, Tensor::min_keepdim)?
    } else if order == 0.0 {
        summed(args, &input.ne(0i64)?.to_dtype(input.dtype())?)?
    } else if order == 1.0 {
        summed(args, &input.abs()?)?
    } else if order == 2.0 {
        summed(args, &input.sqr()?)?.sqrt()?
    } else {
        summed(args, &input.abs()?.powf(order)?)?.powf(1.0 / order)?
    })
}
