//! Shapes, joining and splitting, and tensors made from nothing.

use burn::tensor::{Bool, Int, Tensor as BurnTensor, TensorCreationOptions, grid};

use super::tensor::{
    Any, Ranked, array, basic, burn_dtype, each_rank, number, numeric, of_rank, unsupported,
};
use super::{Args, Output, Row, one, unsigned};
use crate::ops::{Result, Value};
use crate::tensor::{DType, Scalar};

macro_rules! row {
    ($name:literal, [$($parameter:literal),*], $run:expr) => {
        Row { name: $name, parameters: &[$($parameter),*], run: $run }
    };
}

pub(super) const ROWS: &[Row] = &[
    row!("reshape", ["input", "shape"], |args| reshape(args.tensor("input")?, &ints(args, "shape")?)),
    row!("view", ["input", "size"], |args| reshape(args.tensor("input")?, &ints(args, "size")?)),
    row!("view_as", ["input", "other"], |args| one(args
        .tensor("input")?
        .reshape(&args.tensor("other")?.shape())?)),
    row!("reshape_as", ["input", "other"], |args| {
        one(args.tensor("input")?.reshape(&args.tensor("other")?.shape())?)
    }),
    row!("flatten", ["input", "start_dim", "end_dim"], flatten),
    row!("ravel", ["input"], |args| one(args.tensor("input")?.flatten())),
    row!("unflatten", ["input", "dim", "sizes"], |args| {
        let x = args.tensor("input")?;
        let mut shape: Vec<i64> = x.shape().iter().map(|&size| size as i64).collect();
        let dim = args.dim()?;
        let dim = if dim < 0 { dim + shape.len() as i64 } else { dim };
        let Some(dim) = usize::try_from(dim).ok().filter(|&dim| dim < shape.len()) else {
            return unsupported("unflatten: a dim out of range");
        };
        shape.splice(dim..=dim, ints(args, "sizes")?);
        reshape(x, &shape)
    }),
    row!("squeeze", ["input", "dim"], squeeze),
    row!("unsqueeze", ["input", "dim"], |args| one(args.tensor("input")?.unsqueeze_dim(args.dim()?)?)),
    row!("transpose", ["input", "dim0", "dim1"], |args| swap(args, "dim0", "dim1")),
    row!("swapdims", ["input", "dim0", "dim1"], |args| swap(args, "dim0", "dim1")),
    row!("swapaxes", ["input", "axis0", "axis1"], |args| swap(args, "axis0", "axis1")),
    row!("t", ["input"], |args| one(basic!(args.tensor("input")?, t => Any::from(t.t())))),
    row!("adjoint", ["input"], |args| one(basic!(args.tensor("input")?, t => Any::from(t.transpose())))),
    row!("permute", ["input", "dims"], |args| one(args.tensor("input")?.permute(&ints(args, "dims")?)?)),
    row!("movedim", ["input", "source", "destination"], movedim),
    row!("moveaxis", ["input", "source", "destination"], movedim),
    row!("expand", ["input", "size"], |args| expand(args.tensor("input")?, &ints(args, "size")?)),
    row!("broadcast_to", ["input", "size"], |args| expand(args.tensor("input")?, &ints(args, "size")?)),
    row!("expand_as", ["input", "other"], |args| one(args
        .tensor("input")?
        .expand(&args.tensor("other")?.shape())?)),
    row!("repeat", ["input", "repeats"], |args| repeat(args, "repeats")),
    row!("tile", ["input", "dims"], |args| repeat(args, "dims")),
    row!("flip", ["input", "dims"], |args| flip(args, &ints(args, "dims")?)),
    row!("fliplr", ["input"], |args| flip(args, &[1])),
    row!("flipud", ["input"], |args| flip(args, &[0])),
    row!("roll", ["input", "shifts", "dims"], |args| {
        let (shifts, dims) = (ints(args, "shifts")?, ints(args, "dims")?);
        one(basic!(args.tensor("input")?, t => Any::from(t.roll(&shifts, &dims))))
    }),
    row!("cat", ["tensors", "dim"], |args| cat(args, args.call.int("dim")?.unwrap_or(0))),
    row!("concat", ["tensors", "dim"], |args| cat(args, args.call.int("dim")?.unwrap_or(0))),
    row!("concatenate", ["tensors", "dim"], |args| cat(args, args.call.int("dim")?.unwrap_or(0))),
    row!("hstack", ["tensors"], |args| {
        let first = args.tensors("tensors")?.first().map_or(0, Any::rank);
        cat(args, i64::from(first > 1))
    }),
    row!("stack", ["tensors", "dim"], |args| {
        let dim = args.call.int("dim")?.unwrap_or(0);
        let tensors = args.tensors("tensors")?;
        let unsqueezed = tensors.into_iter().map(|tensor| tensor.unsqueeze_dim(dim));
        join(unsqueezed.collect::<Result<Vec<_>>>()?, dim)
    }),
    row!("chunk", ["input", "chunks", "dim"], |args| {
        let chunks = unsigned(args.call.required_int("chunks")?, "chunk")?;
        let dim = args.call.int("dim")?.unwrap_or(0);
        Ok(basic!(args.tensor("input")?, t => outputs(t.chunk(chunks, dim))))
    }),
    row!("split", ["tensor", "split_size_or_sections", "dim"], |args| {
        let dim = args.call.int("dim")?.unwrap_or(0);
        match args.call.get("split_size_or_sections") {
            Some(Value::List(_)) => split_with_sizes(args, "tensor", "split_size_or_sections", dim),
            _ => {
                let size = unsigned(args.call.required_int("split_size_or_sections")?, "split")?;
                Ok(basic!(args.tensor("tensor")?, t => outputs(t.split(size, dim))))
            }
        }
    }),
    row!("split_with_sizes", ["input", "split_sizes", "dim"], |args| {
        split_with_sizes(args, "input", "split_sizes", args.call.int("dim")?.unwrap_or(0))
    }),
    row!("unbind", ["input", "dim"], |args| {
        let dim = args.call.int("dim")?.unwrap_or(0);
        Ok(basic!(args.tensor("input")?, t => outputs(t.iter_dim(dim))))
    }),
    row!("Tensor.unfold", ["input", "dimension", "size", "step"], |args| {
        let x = args.tensor("input")?;
        let dim = args.call.required_int("dimension")?;
        let size = unsigned(args.call.required_int("size")?, "unfold")?;
        let step = unsigned(args.call.required_int("step")?, "unfold")?;
        one(of_rank!(x.rank() + 1, D => basic!(x, t => Any::from(t.unfold::<D, _>(dim, size, step)))))
    }),
    row!("tril", ["input", "diagonal"], |args| {
        let diagonal = args.call.int("diagonal")?.unwrap_or(0);
        one(numeric!(args.tensor("input")?, "tril", t => Any::from(t.tril(diagonal)))?)
    }),
    row!("triu", ["input", "diagonal"], |args| {
        let diagonal = args.call.int("diagonal")?.unwrap_or(0);
        one(numeric!(args.tensor("input")?, "triu", t => Any::from(t.triu(diagonal)))?)
    }),
    row!("meshgrid", ["tensors", "indexing"], meshgrid),
];

fn ints(args: &Args, name: &str) -> Result<Vec<i64>> {
    match args.call.ints(name)? {
        Some(list) => Ok(list),
        None => unsupported(format!("{}: without {name}", args.call.op)),
    }
}

fn outputs<T: Into<Any>>(tensors: impl IntoIterator<Item = T>) -> Vec<Output> {
    tensors.into_iter().map(|tensor| Output::Tensor(tensor.into())).collect()
}

/// With PyTorch's sizes as they are, -1 among them, which burn reads too.
fn reshape(x: Any, shape: &[i64]) -> Result<Vec<Output>> {
    one(of_rank!(shape.len(), D => {
        let shape: [i64; D] = array(shape)?;
        basic!(x, t => Any::from(t.reshape::<D, _>(shape)))
    }))
}

fn expand(x: Any, shape: &[i64]) -> Result<Vec<Output>> {
    one(of_rank!(shape.len(), D => {
        let shape: [i64; D] = array(shape)?;
        basic!(x, t => Any::from(t.expand::<D, _>(shape)))
    }))
}

fn flatten(args: &Args) -> Result<Vec<Output>> {
    let x = args.tensor("input")?;
    let start = args.call.int("start_dim")?.unwrap_or(0);
    let end = args.call.int("end_dim")?.unwrap_or(-1);
    let rank = x.rank() as i64;
    let wrap = |dim: i64| if dim < 0 { dim + rank } else { dim };
    let left = (rank - (wrap(end) - wrap(start))).clamp(1, rank) as usize;
    one(of_rank!(left, D => basic!(x, t => Any::from(t.flatten::<D>(start, end)))))
}

fn squeeze(args: &Args) -> Result<Vec<Output>> {
    let x = args.tensor("input")?;
    one(match args.call.ints("dim")? {
        None => {
            let left = x.shape().iter().filter(|&&size| size != 1).count();
            of_rank!(left, D => basic!(x, t => Any::from(t.squeeze::<D>())))
        }
        Some(dims) if dims.len() == 1 => x.squeeze_dim(dims[0])?,
        Some(dims) => {
            let left = x.rank().saturating_sub(dims.len());
            of_rank!(left, D => basic!(x, t => Any::from(t.squeeze_dims::<D>(&dims))))
        }
    })
}

fn swap(args: &Args, first: &str, second: &str) -> Result<Vec<Output>> {
    let (first, second) = (args.call.required_int(first)?, args.call.required_int(second)?);
    one(basic!(args.tensor("input")?, t => Any::from(t.swap_dims(first, second))))
}

fn movedim(args: &Args) -> Result<Vec<Output>> {
    let (source, destination) = (ints(args, "source")?, ints(args, "destination")?);
    let narrow = |dims: Vec<i64>| dims.into_iter().map(|dim| dim as i32).collect::<Vec<i32>>();
    let (source, destination) = (narrow(source), narrow(destination));
    one(basic!(args.tensor("input")?, t => Any::from(t.movedim(source, destination))))
}

fn repeat(args: &Args, name: &str) -> Result<Vec<Output>> {
    let sizes = args.shape(name)?;
    one(basic!(args.tensor("input")?, t => Any::from(t.repeat(&sizes))))
}

fn flip(args: &Args, dims: &[i64]) -> Result<Vec<Output>> {
    one(of_rank!(dims.len(), N => {
        let axes: [i64; N] = array(dims)?;
        basic!(args.tensor("input")?, t => Any::from(t.flip(axes)))
    }))
}

fn cat(args: &Args, dim: i64) -> Result<Vec<Output>> {
    join(args.tensors("tensors")?, dim)
}

/// `Tensor::cat`, of tensors of one kind and rank, since others do not compile.
fn join(tensors: Vec<Any>, dim: i64) -> Result<Vec<Output>> {
    let Some(first) = tensors.first().cloned() else { return unsupported("cat: of no tensors") };
    macro_rules! joined {
        ($($kind:ident, $variant:ident);*) => {
            match first {
                $(Any::$kind(Ranked::$variant(_)) => {
                    let mut list = Vec::new();
                    for tensor in tensors {
                        let Any::$kind(Ranked::$variant(tensor)) = tensor else {
                            return unsupported("cat: tensors of different kinds or ranks do not compile");
                        };
                        list.push(tensor);
                    }
                    one(BurnTensor::cat(list, dim))
                })*
            }
        };
    }
    joined!(
        Float, R1; Float, R2; Float, R3; Float, R4; Float, R5; Float, R6;
        Int, R1; Int, R2; Int, R3; Int, R4; Int, R5; Int, R6;
        Bool, R1; Bool, R2; Bool, R3; Bool, R4; Bool, R5; Bool, R6
    )
}

fn split_with_sizes(args: &Args, tensor: &str, sizes: &str, dim: i64) -> Result<Vec<Output>> {
    let sizes = args.shape(sizes)?;
    Ok(basic!(args.tensor(tensor)?, t => outputs(t.split_with_sizes(sizes, dim))))
}

fn meshgrid(args: &Args) -> Result<Vec<Output>> {
    let indexing = match args.call.text("indexing")? {
        None | Some("ij") => grid::GridIndexing::Matrix,
        Some("xy") => grid::GridIndexing::Cartesian,
        Some(other) => return unsupported(format!("meshgrid: indexing '{other}'")),
    };
    let tensors = args.tensors("tensors")?;
    macro_rules! of_kind {
        ($kind:ident) => {{
            let mut list = Vec::new();
            for tensor in tensors {
                let Any::$kind(Ranked::R1(tensor)) = tensor else {
                    return unsupported("meshgrid: tensors of different kinds, or not of rank 1, do not compile");
                };
                list.push(tensor);
            }
            of_rank!(list.len(), N => match <[_; N]>::try_from(list) {
                Ok(list) => Ok(outputs(grid::meshgrid::<N, _, _>(&list, indexing))),
                Err(_) => unsupported("meshgrid: so many tensors"),
            })
        }};
    }
    match tensors.first() {
        Some(Any::Float(_)) => of_kind!(Float),
        Some(Any::Int(_)) => of_kind!(Int),
        Some(Any::Bool(_)) => of_kind!(Bool),
        None => unsupported("meshgrid: of no tensors"),
    }
}

/// Tensors made from nothing. Without a dtype they get burn's default of the kind.
pub(super) const CREATION: &[Row] = &[
    row!("zeros", ["size", "dtype"], |args| full(
        args,
        &args.shape("size")?,
        args.dtype_or(DType::Float32)?,
        None
    )),
    row!("ones", ["size", "dtype"], |args| {
        full(args, &args.shape("size")?, args.dtype_or(DType::Float32)?, Some(Scalar::Int(1)))
    }),
    row!("full", ["size", "fill_value", "dtype"], |args| {
        let Some(value) = args.call.scalar("fill_value")? else {
            return unsupported("full: without a number");
        };
        let dtype = args.dtype_or(match value {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::Int32,
            Scalar::Float(_) => DType::Float32,
        })?;
        full(args, &args.shape("size")?, dtype, Some(value))
    }),
    row!("new_zeros", ["input", "size"], |args| new(args, None)),
    row!("new_ones", ["input", "size"], |args| new(args, Some(Scalar::Int(1)))),
    row!("new_full", ["input", "size", "fill_value"], |args| new(args, args.call.scalar("fill_value")?)),
    row!("zeros_like", ["input"], |args| one(basic!(args.tensor("input")?, t => Any::from(t.zeros_like())))),
    row!("ones_like", ["input"], |args| one(basic!(args.tensor("input")?, t => Any::from(t.ones_like())))),
    row!("full_like", ["input", "fill_value"], |args| {
        let Some(value) = args.call.scalar("fill_value")? else {
            return unsupported("full_like: without a number");
        };
        one(match args.tensor("input")? {
            Any::Float(x) => each_rank!(x, t => Any::from(t.full_like(value.to_f64()))),
            Any::Int(x) => number!(value, n => each_rank!(x, t => Any::from(t.full_like(n)))),
            Any::Bool(x) => each_rank!(x, t => Any::from(t.full_like(value.to_bool()))),
        })
    }),
    row!("arange", ["start", "end", "step", "dtype"], arange),
    row!("eye", ["n", "dtype"], |args| {
        let n = unsigned(args.call.required_int("n")?, "eye")?;
        let eye = Any::from(BurnTensor::<2>::eye(n, &args.device));
        one(match args.call.dtype("dtype")? {
            Some(dtype) => eye.cast(dtype)?,
            None => eye,
        })
    }),
];

fn new(args: &Args, value: Option<Scalar>) -> Result<Vec<Output>> {
    full(args, &args.shape("size")?, args.call.tensor("input")?.dtype(), value)
}

/// `Tensor::full`, and `Tensor::zeros` without a value.
fn full(args: &Args, shape: &[usize], dtype: DType, value: Option<Scalar>) -> Result<Vec<Output>> {
    let options: TensorCreationOptions = (&args.device, burn_dtype(dtype)).into();
    one(of_rank!(shape.len(), D => {
        let shape: [usize; D] = array(shape)?;
        match (dtype, value) {
            (DType::Bool, None) => Any::from(BurnTensor::<D, Bool>::zeros(shape, options)),
            (DType::Bool, Some(value)) => BurnTensor::<D, Bool>::full(shape, value.to_bool(), options).into(),
            (dtype, None) if dtype.is_floating() => BurnTensor::<D>::zeros(shape, options).into(),
            (dtype, Some(value)) if dtype.is_floating() => {
                BurnTensor::<D>::full(shape, value.to_f64(), options).into()
            }
            (_, None) => BurnTensor::<D, Int>::zeros(shape, options).into(),
            (_, Some(value)) => number!(value, n => BurnTensor::<D, Int>::full(shape, n, options).into()),
        }
    }))
}

/// burn counts in integers, upwards.
fn arange(args: &Args) -> Result<Vec<Output>> {
    let (start, end) = (args.call.int("start")?.unwrap_or(0), args.call.required_int("end")?);
    let step = unsigned(args.call.int("step")?.unwrap_or(1), "arange: step")?;
    let dtype = args.call.dtype("dtype")?;
    let counted: BurnTensor<1, Int> = match dtype.filter(|dtype| dtype.is_integer()) {
        Some(dtype) => BurnTensor::arange_step(start..end, step, (&args.device, burn_dtype(dtype))),
        None => BurnTensor::arange_step(start..end, step, &args.device),
    };
    one(match dtype {
        Some(dtype) if !dtype.is_integer() => Any::from(counted).cast(dtype)?,
        _ => counted.into(),
    })
}
