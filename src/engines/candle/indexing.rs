//! Brackets, gathers and scatters.

use std::ops::{Bound, Range};

use candle_core::{IndexOp, Tensor, TensorIndexer};
use candle_nn::{Embedding, Module};

use super::args::{Args, Axis, Operand};
use super::creation::full;
use super::{Answer, Op, missing, one, op};
use crate::ops::Value;
use crate::tensor::{self, Scalar};

pub(super) const OPS: &[Op] = &[
    op("embedding", &["input", "weight"], |args| {
        let weight = args.tensor("weight")?;
        let hidden = weight.dim(candle_core::D::Minus1)?;
        one(Embedding::new(weight, hidden).forward(&args.input()?)?)
    }),
    op("gather", &["input", "dim", "index"], |args| {
        one(args.input()?.gather(&args.tensor("index")?, args.axis("dim")?)?)
    }),
    op("getitem", &["*"], brackets),
    op("index_add", &["input", "dim", "index", "source", "alpha"], |args| {
        let source = args.tensor("source")?;
        let source = match args.number("alpha")? {
            Some(alpha) => (source * alpha)?,
            None => source,
        };
        one(args.input()?.index_add(&args.tensor("index")?, &source, args.axis("dim")?)?)
    }),
    op("index_put", &["input", "indices", "values", "accumulate"], |args| {
        match (args.list("indices")?.as_slice(), args.flag("accumulate")?) {
            ([index], true) => one(args.input()?.index_add(index, &args.tensor("values")?, 0)?),
            (indices, true) => missing(format!("index_put: {} index tensors", indices.len())),
            (_, false) => missing("index_put: accumulate=False"),
        }
    }),
    op("index_select", &["input", "dim", "index"], |args| {
        one(args.input()?.index_select(&args.tensor("index")?, args.axis("dim")?)?)
    }),
    op("masked_fill", &["input", "mask", "value"], |args| {
        let input = args.input()?;
        let mask = args.tensor("mask")?.broadcast_as(input.shape())?;
        let value = match args.operand("value")? {
            Operand::Tensor(value) => value.broadcast_as(input.shape())?,
            Operand::Number(value) => full(value, input.dims(), input.dtype())?,
        };
        one(mask.where_cond(&value, &input)?)
    }),
    op("put", &["input", "index", "source", "accumulate"], |args| {
        if !args.flag("accumulate")? {
            return missing("put: accumulate=False");
        }
        let (input, index, source) = (args.input()?, args.tensor("index")?, args.tensor("source")?);
        let sum = input.flatten_all()?.index_add(&index.flatten_all()?, &source.flatten_all()?, 0)?;
        one(sum.reshape(input.shape())?)
    }),
    op("scatter", &["input", "dim", "index", "src", "value", "reduce"], |args| {
        let (input, index) = (args.input()?, args.tensor("index")?);
        let source = match args.optional("src") {
            Some(source) => source,
            None => match args.operand("value")? {
                Operand::Number(value) => full(value, index.dims(), input.dtype())?,
                Operand::Tensor(_) => return missing("scatter: a tensor as value"),
            },
        };
        one(match args.text("reduce")? {
            None => input.scatter(&index, &source, args.axis("dim")?)?,
            Some("add") => input.scatter_add(&index, &source, args.axis("dim")?)?,
            Some(reduce) => return missing(format!("scatter: reduce '{reduce}'")),
        })
    }),
    op("scatter_add", &["input", "dim", "index", "src"], |args| {
        one(args.input()?.scatter_add(&args.tensor("index")?, &args.tensor("src")?, args.axis("dim")?)?)
    }),
    op("scatter_reduce", &["input", "dim", "index", "src", "reduce", "include_self"], |args| {
        match (args.text("reduce")?, args.call().flag_or("include_self", true)?) {
            (Some("sum"), true) => {
                let input = args.input()?;
                one(input.scatter_add(&args.tensor("index")?, &args.tensor("src")?, args.axis("dim")?)?)
            }
            (reduce, include_self) => {
                let reduce = reduce.unwrap_or_default();
                missing(format!("scatter_reduce: reduce '{reduce}', include_self={include_self}"))
            }
        }
    }),
    op("select_scatter", &["input", "src", "dim", "index"], |args| {
        let (input, dim) = (args.input()?, args.axis("dim")?);
        let index = args.unsigned(from_front(args.int("index")?, input.dim(dim)?), "index")?;
        one(input.slice_scatter(&args.tensor("src")?.unsqueeze(dim)?, dim, index)?)
    }),
    op("setitem", &["*"], assign),
    op("slice_scatter", &["input", "src", "dim", "start", "end", "step"], |args| {
        args.only("step", 1.0)?;
        let (input, dim) = (args.input()?, args.axis_or("dim", 0)?);
        let start = args.unsigned(from_front(args.int_or("start", 0)?, input.dim(dim)?), "start")?;
        one(input.slice_scatter(&args.tensor("src")?, dim, start)?)
    }),
    op("take", &["input", "index"], |args| {
        let index = args.tensor("index")?;
        let flat = args.input()?.flatten_all()?.index_select(&index.flatten_all()?, 0)?;
        one(flat.reshape(index.shape())?)
    }),
    op("take_along_dim", &["input", "indices", "dim"], |args| {
        let (input, indices) = (args.input()?, args.tensor("indices")?);
        one(match args.call().int("dim")? {
            Some(dim) => input.gather(&indices, Axis(dim))?,
            None => input.flatten_all()?.gather(&indices.flatten_all()?, 0)?,
        })
    }),
];

/// An index counted from the front: where PyTorch writes -1, candle's `usize` needs `size - 1`.
fn from_front(index: i64, size: usize) -> i64 {
    if index < 0 { index + size as i64 } else { index }
}

/// The items of `index` for `rank` dimensions, with an ellipsis written out as full ranges.
fn items(args: &Args, rank: usize) -> Answer<Vec<Value>> {
    let items = match args.call().get("index") {
        Some(Value::List(items)) => items.clone(),
        Some(item) => vec![item.clone()],
        None => return missing("brackets without an index"),
    };
    let ellipsis = |item: &Value| matches!(item, Value::Str(text) if text == "...");
    let Some(at) = items.iter().position(ellipsis) else { return Ok(items) };
    let full = (rank + 1).saturating_sub(items.len());
    let written = std::iter::repeat_n(Value::Slice([None; 3]), full);
    Ok(items[..at].iter().cloned().chain(written).chain(items[at + 1..].iter().cloned()).collect())
}

/// The ends of a slice without a step; none where it is open.
fn ends(args: &Args, [start, stop, step]: [Option<i64>; 3], size: usize) -> Answer<[Option<usize>; 2]> {
    if step.is_some_and(|step| step != 1) {
        return missing("brackets: a slice with a step");
    }
    let end = |end: Option<i64>| end.map(|end| args.unsigned(from_front(end, size), "index")).transpose();
    Ok([end(start)?, end(stop)?])
}

/// Whether the input of that name is bool, which candle holds as `U8`.
fn is_mask(args: &Args, name: &str) -> bool {
    matches!(args.call().get(name), Some(Value::Tensor(tensor)) if tensor.dtype() == tensor::DType::Bool)
}

/// `i(…)`.
fn brackets(args: &Args) -> Answer {
    let input = args.input()?;
    let mut indexers = Vec::new();
    for (dim, item) in items(args, input.rank())?.into_iter().enumerate() {
        let size = input.dims().get(dim).copied().unwrap_or(0);
        indexers.push(match item {
            Value::Scalar(Scalar::Int(index)) => {
                TensorIndexer::Select(args.unsigned(from_front(index, size), "index")?)
            }
            Value::Slice(slice) => {
                let [start, stop] = ends(args, slice, size)?;
                let start = start.map_or(Bound::Unbounded, Bound::Included);
                TensorIndexer::Narrow(start, stop.map_or(Bound::Unbounded, Bound::Excluded))
            }
            Value::Input(name) => TensorIndexer::IndexSelect(args.tensor(&name)?),
            Value::None => return missing("brackets: None, a new dimension"),
            _ => return missing("brackets: a bool"),
        });
    }
    let mut indexers = indexers.into_iter();
    let mut next = || indexers.next().unwrap_or(TensorIndexer::Narrow(Bound::Unbounded, Bound::Unbounded));
    one(match indexers_len(args, &input)? {
        1 => input.i(next())?,
        2 => input.i((next(), next()))?,
        3 => input.i((next(), next(), next()))?,
        4 => input.i((next(), next(), next(), next()))?,
        5 => input.i((next(), next(), next(), next(), next()))?,
        count => return missing(format!("brackets: {count} items")),
    })
}

fn indexers_len(args: &Args, input: &Tensor) -> Answer<usize> {
    Ok(items(args, input.rank())?.len())
}

/// `slice_assign` of ranges, and `where_cond` for a mask.
fn assign(args: &Args) -> Answer {
    let input = args.input()?;
    let items = items(args, input.rank())?;
    if let [Value::Input(name)] = items.as_slice()
        && is_mask(args, name)
        && let Operand::Number(value) = args.operand("value")?
    {
        let mask = args.tensor(name)?;
        return one(mask.where_cond(&full(value, input.dims(), input.dtype())?, &input)?);
    }
    let mut ranges: Vec<Range<usize>> = input.dims().iter().map(|&size| 0..size).collect();
    let mut selected = Vec::new();
    for (dim, item) in items.into_iter().enumerate() {
        let Some(&size) = input.dims().get(dim) else { return missing("setitem: too many indices") };
        ranges[dim] = match item {
            Value::Scalar(Scalar::Int(index)) => {
                let index = args.unsigned(from_front(index, size), "index")?;
                selected.push(dim);
                index..index.saturating_add(1)
            }
            Value::Slice(slice) => {
                let [start, stop] = ends(args, slice, size)?;
                start.unwrap_or(0)..stop.unwrap_or(size)
            }
            Value::Input(_) => return missing("setitem: an index tensor"),
            Value::None => return missing("setitem: None, a new dimension"),
            _ => return missing("setitem: a bool"),
        };
    }
    let shape: Vec<usize> = ranges.iter().map(ExactSizeIterator::len).collect();
    let value = match args.operand("value")? {
        Operand::Number(value) => full(value, &shape, input.dtype())?,
        Operand::Tensor(value) => {
            let kept = (0..shape.len()).filter(|dim| !selected.contains(dim)).map(|dim| shape[dim]);
            value.broadcast_as(kept.collect::<Vec<_>>())?.reshape(shape)?
        }
    };
    one(input.slice_assign(&ranges, &value)?)
}
