//! Views and rearrangements.

use candle_core::Tensor;
use candle_core::shape::ShapeWithOneHole;

use super::args::{Args, Axis};
use super::{Answer, Op, missing, one, op};
use crate::ops::Value;

const DIMS01: &[&str] = &["input", "dim0", "dim1"];
const MOVE: &[&str] = &["input", "source", "destination"];

pub(super) const OPS: &[Op] = &[
    op("adjoint", &["input"], |args| one(args.input()?.t()?)),
    op("broadcast_to", &["input", "size"], expand),
    op("cat", &["tensors", "dim"], cat),
    op("chunk", &["input", "chunks", "dim"], |args| {
        Ok(args.input()?.chunk(args.size("chunks")?, args.axis_or("dim", 0)?)?)
    }),
    op("concat", &["tensors", "dim"], cat),
    op("concatenate", &["tensors", "dim"], cat),
    op("expand", &["input", "size"], expand),
    op("expand_as", &["input", "other"], |args| {
        one(args.input()?.broadcast_as(args.tensor("other")?.shape())?)
    }),
    op("flatten", &["input", "start_dim", "end_dim"], |args| {
        one(args.input()?.flatten(args.axis_or("start_dim", 0)?, args.axis_or("end_dim", -1)?)?)
    }),
    op("flip", &["input", "dims"], |args| {
        let input = args.input()?;
        let dims = args.call().ints("dims")?.unwrap_or_default();
        let dims = dims.into_iter().map(|dim| args.unsigned(from_front(dim, input.rank()), "dims"));
        one(input.flip(&dims.collect::<Answer<Vec<_>>>()?)?)
    }),
    op("fliplr", &["input"], |args| one(args.input()?.flip(&[1])?)),
    op("flipud", &["input"], |args| one(args.input()?.flip(&[0])?)),
    op("hsplit", &["input", "sections"], |args| {
        let input = args.input()?;
        Ok(input.chunk(args.size("sections")?, usize::from(input.rank() > 1))?)
    }),
    op("hstack", &["tensors"], |args| {
        let tensors = args.list("tensors")?;
        let dim = usize::from(tensors.first().is_some_and(|tensor| tensor.rank() > 1));
        one(Tensor::cat(&tensors, dim)?)
    }),
    op("meshgrid", &["tensors", "indexing"], |args| {
        let xy = args.text("indexing")? == Some("xy");
        Ok(Tensor::meshgrid(&args.list("tensors")?, xy)?)
    }),
    op("moveaxis", MOVE, move_dims),
    op("movedim", MOVE, move_dims),
    op("narrow", &["input", "dim", "start", "length"], |args| {
        let (input, dim) = (args.input()?, args.axis("dim")?);
        let start = args.int("start")?;
        let start = if start < 0 { start + input.dim(dim)? as i64 } else { start };
        one(input.narrow(dim, args.unsigned(start, "start")?, args.size("length")?)?)
    }),
    op("permute", &["input", "dims"], |args| {
        one(args.input()?.permute(super::args::Axes(args.axes("dims")?.unwrap_or_default()))?)
    }),
    op("ravel", &["input"], |args| one(args.input()?.flatten_all()?)),
    op("repeat", &["input", "repeats"], |args| one(args.input()?.repeat(args.sizes("repeats")?)?)),
    op("repeat_interleave", &["input", "repeats", "dim"], |args| {
        let (input, repeats) = (args.input()?, args.size("repeats")?);
        let (input, dim) = match args.call().int("dim")? {
            Some(dim) => {
                (input.clone(), input.dim(Axis(dim)).map(|_| from_front(dim, input.rank()) as usize)?)
            }
            None => (input.flatten_all()?, 0),
        };
        let mut shape = input.dims().to_vec();
        shape.insert(dim + 1, repeats);
        one(input.unsqueeze(dim + 1)?.broadcast_as(shape)?.flatten(dim, dim + 1)?)
    }),
    op("reshape", &["input", "shape"], |args| reshape(args, "shape")),
    op("reshape_as", &["input", "other"], |args| {
        one(args.input()?.reshape(args.tensor("other")?.shape())?)
    }),
    op("roll", &["input", "shifts", "dims"], roll),
    op("rot90", &["input", "k", "dims"], |args| {
        let input = args.input()?;
        let dims = args.call().ints("dims")?.unwrap_or_else(|| vec![0, 1]);
        let dims = dims.into_iter().map(|dim| args.unsigned(from_front(dim, input.rank()), "dims"));
        let &[from, to] = dims.collect::<Answer<Vec<_>>>()?.as_slice() else {
            return missing("rot90: not two dims");
        };
        one(match args.int_or("k", 1)?.rem_euclid(4) {
            0 => input,
            1 => input.flip(&[to])?.transpose(from, to)?,
            2 => input.flip(&[from, to])?,
            _ => input.flip(&[from])?.transpose(from, to)?,
        })
    }),
    op("row_stack", &["tensors"], vstack),
    op("select", &["input", "dim", "index"], |args| {
        let (input, dim) = (args.input()?, args.axis("dim")?);
        let index = args.int("index")?;
        let index = if index < 0 { index + input.dim(dim)? as i64 } else { index };
        one(input.get_on_dim(dim, args.unsigned(index, "index")?)?)
    }),
    op("split", &["tensor", "split_size_or_sections", "dim"], |args| {
        let input = args.tensor("tensor")?;
        match args.call().get("split_size_or_sections") {
            Some(Value::List(_)) => pieces(args, &input, &args.sizes("split_size_or_sections")?),
            _ => {
                let piece = args.size("split_size_or_sections")?;
                let size = input.dim(args.axis_or("dim", 0)?)?;
                if piece == 0 {
                    return missing("split: pieces of size 0");
                }
                let sizes = (0..size.div_ceil(piece)).map(|i| piece.min(size - i * piece));
                pieces(args, &input, &sizes.collect::<Vec<_>>())
            }
        }
    }),
    op("split_with_sizes", &["input", "split_sizes", "dim"], |args| {
        pieces(args, &args.input()?, &args.sizes("split_sizes")?)
    }),
    op("squeeze", &["input", "dim"], |args| match args.call().ints("dim")?.as_deref() {
        Some(&[dim]) => one(args.input()?.squeeze(Axis(dim))?),
        Some(dims) => missing(format!("squeeze: {} dims at once", dims.len())),
        None => missing("squeeze: without a dim"),
    }),
    op("stack", &["tensors", "dim"], |args| {
        one(Tensor::stack(&args.list("tensors")?, args.axis_or("dim", 0)?)?)
    }),
    op("swapaxes", &["input", "axis0", "axis1"], |args| {
        one(args.input()?.transpose(args.axis("axis0")?, args.axis("axis1")?)?)
    }),
    op("swapdims", DIMS01, transpose),
    op("t", &["input"], |args| one(args.input()?.t()?)),
    op("trace", &["input"], |args| {
        let input = args.input()?;
        match *input.dims() {
            [rows, columns] if rows == columns => {
                one(input.mul(&Tensor::eye(rows, input.dtype(), input.device())?)?.sum_all()?)
            }
            _ => missing("trace of what is not a square matrix"),
        }
    }),
    op("tensor_split", &["input", "sections", "dim"], |args| {
        Ok(args.input()?.chunk(args.size("sections")?, args.axis_or("dim", 0)?)?)
    }),
    op("Tensor.unfold", &["input", "dimension", "size", "step"], |args| {
        let step = args.size("step")?;
        if step == 0 {
            return missing("Tensor.unfold: step 0, of which candle makes an endless view");
        }
        one(args.input()?.unfold(args.axis("dimension")?, args.size("size")?, step)?)
    }),
    op("tile", &["input", "dims"], |args| {
        let input = args.input()?;
        let repeats = args.sizes("dims")?;
        let ones = vec![1; input.rank().saturating_sub(repeats.len())];
        one(input.repeat([ones, repeats].concat())?)
    }),
    op("transpose", DIMS01, transpose),
    op("tril", &["input", "diagonal"], |args| triangle(args, Tensor::tril2)),
    op("triu", &["input", "diagonal"], |args| triangle(args, Tensor::triu2)),
    op("unbind", &["input", "dim"], |args| {
        let (input, dim) = (args.input()?, args.axis_or("dim", 0)?);
        Ok((0..input.dim(dim)?).map(|i| input.get_on_dim(dim, i)).collect::<candle_core::Result<_>>()?)
    }),
    op("unflatten", &["input", "dim", "sizes"], |args| {
        let (input, dim) = (args.input()?, args.axis("dim")?);
        let size = input.dim(dim)?;
        let dim = from_front(dim.0, input.rank()) as usize;
        let sizes = sizes(args, "sizes", size)?;
        one(input.reshape([&input.dims()[..dim], &sizes, &input.dims()[dim + 1..]].concat())?)
    }),
    op("unsqueeze", &["input", "dim"], |args| one(args.input()?.unsqueeze(args.axis("dim")?)?)),
    op("view", &["input", "size"], |args| reshape(args, "size")),
    op("view_as", &["input", "other"], |args| one(args.input()?.reshape(args.tensor("other")?.shape())?)),
    op("vsplit", &["input", "sections"], |args| Ok(args.input()?.chunk(args.size("sections")?, 0)?)),
    op("vstack", &["tensors"], vstack),
];

/// A dimension counted from the front, for functions that take `usize` alone.
fn from_front(dim: i64, rank: usize) -> i64 {
    if dim < 0 { dim + rank as i64 } else { dim }
}

fn cat(args: &Args) -> Answer {
    one(Tensor::cat(&args.list("tensors")?, args.axis_or("dim", 0)?)?)
}

fn vstack(args: &Args) -> Answer {
    let tensors = args.list("tensors")?;
    match tensors.first().map_or(0, Tensor::rank) {
        0 => missing(format!("{} of 0-d tensors", args.op())),
        1 => one(Tensor::stack(&tensors, 0)?),
        _ => one(Tensor::cat(&tensors, 0)?),
    }
}

fn transpose(args: &Args) -> Answer {
    one(args.input()?.transpose(args.axis("dim0")?, args.axis("dim1")?)?)
}

/// `broadcast_as`; -1 keeps a size, which the caller looks up.
fn expand(args: &Args) -> Answer {
    let input = args.input()?;
    let sizes = args.call().ints("size")?.unwrap_or_default();
    let new = sizes.len().saturating_sub(input.rank());
    let size = |(position, size): (usize, i64)| match position
        .checked_sub(new)
        .and_then(|dim| input.dims().get(dim))
    {
        Some(&own) if size == -1 => Ok(own),
        _ => args.unsigned(size, "size"),
    };
    one(input.broadcast_as(sizes.into_iter().enumerate().map(size).collect::<Answer<Vec<_>>>()?)?)
}

fn reshape(args: &Args, parameter: &str) -> Answer {
    let input = args.input()?;
    one(input.reshape(sizes(args, parameter, input.elem_count())?)?)
}

/// Sizes for so many elements, with candle's `()` for PyTorch's -1.
fn sizes(args: &Args, parameter: &str, count: usize) -> Answer<Vec<usize>> {
    let sizes = args.call().ints(parameter)?.unwrap_or_default();
    let hole = match sizes.iter().filter(|&&size| size == -1).count() {
        0 => 0,
        1 => {
            let known = sizes.iter().filter(|&&size| size != -1).map(|&size| args.unsigned(size, parameter));
            let known: usize = known.collect::<Answer<Vec<_>>>()?.into_iter().product();
            // candle computes the hole, or refuses, for this shape as for any other.
            ((), known).into_shape(count)?.dim(0)?
        }
        _ => return missing(format!("{}: two sizes of -1", args.op())),
    };
    sizes.iter().map(|&size| if size == -1 { Ok(hole) } else { args.unsigned(size, parameter) }).collect()
}

fn pieces(args: &Args, input: &Tensor, sizes: &[usize]) -> Answer {
    let dim = args.axis_or("dim", 0)?;
    let mut start = 0;
    let mut outputs = Vec::new();
    for &size in sizes {
        outputs.push(input.narrow(dim, start, size)?);
        start += size;
    }
    Ok(outputs)
}

fn roll(args: &Args) -> Answer {
    let input = args.input()?;
    let shifts = args.call().ints("shifts")?.unwrap_or_default();
    let shift = |shift: i64| match i32::try_from(shift) {
        Ok(shift) => Ok(shift),
        Err(_) => missing("roll: a shift beyond i32"),
    };
    let dims = args.axes("dims")?;
    match (dims, shifts.as_slice()) {
        (None, &[by]) => one(input.flatten_all()?.roll(shift(by)?, 0)?.reshape(input.shape())?),
        (Some(dims), shifts) if dims.len() == shifts.len() => {
            let mut rolled = input;
            for (&by, dim) in shifts.iter().zip(dims) {
                rolled = rolled.roll(shift(by)?, Axis(dim))?;
            }
            one(rolled)
        }
        (dims, shifts) => {
            missing(format!("roll: {} shifts for {} dims", shifts.len(), dims.map_or(0, |dims| dims.len())))
        }
    }
}

/// `permute` in the order that moves the named dimensions.
fn move_dims(args: &Args) -> Answer {
    let input = args.input()?;
    let rank = input.rank();
    let dims = |parameter: &str| -> Answer<Vec<usize>> {
        let dims = args.call().ints(parameter)?.unwrap_or_default();
        dims.into_iter().map(|dim| args.unsigned(from_front(dim, rank), parameter)).collect()
    };
    let (source, destination) = (dims("source")?, dims("destination")?);
    let distinct =
        |dims: &[usize]| dims.iter().enumerate().all(|(i, dim)| *dim < rank && !dims[..i].contains(dim));
    if source.len() != destination.len() || !distinct(&source) || !distinct(&destination) {
        return missing(format!("{}: dims that name no move", args.op()));
    }
    let mut rest = (0..rank).filter(|dim| !source.contains(dim));
    let order = (0..rank).filter_map(|position| match destination.iter().position(|&to| to == position) {
        Some(i) => Some(source[i]),
        None => rest.next(),
    });
    one(input.permute(order.collect::<Vec<_>>())?)
}

/// A square matrix times candle's mask of ones.
fn triangle(
    args: &Args,
    mask: fn(usize, candle_core::DType, &candle_core::Device) -> candle_core::Result<Tensor>,
) -> Answer {
    args.only("diagonal", 0.0)?;
    let input = args.input()?;
    match *input.dims() {
        [.., rows, columns] if rows == columns => {
            one(input.broadcast_mul(&mask(rows, input.dtype(), input.device())?)?)
        }
        _ => missing(format!("{} of a matrix that is not square", args.op())),
    }
}
