//! New tensors, and numbers out of tensors.

use candle_core::{DType, Tensor, WithDType};

use super::args::Args;
use super::convert::with_candle_type;
use super::{Answer, Op, device, missing, one, op};
use crate::tensor::{self, Element, Scalar, layout};

pub(super) const OPS: &[Op] = &[
    op("arange", &["start", "end", "step", "dtype"], arange),
    op("eye", &["n", "dtype"], |args| {
        let n = args.size("n")?;
        if n.checked_mul(n).is_none_or(|count| count > LIMIT) {
            return missing(format!("eye of {n} rows"));
        }
        one(Tensor::eye(n, args.dtype()?.unwrap_or(DType::F32), &device())?)
    }),
    op("full", &["size", "fill_value", "dtype"], |args| {
        let Some(value) = args.call().scalar("fill_value")? else { return missing("full without a value") };
        let dtype = match args.dtype()? {
            Some(dtype) => dtype,
            None => default(value)?,
        };
        one(full(value, &shape(args)?, dtype)?)
    }),
    op("full_like", &["input", "fill_value", "dtype"], |args| {
        let input = args.input()?;
        let Some(value) = args.call().scalar("fill_value")? else { return missing("full without a value") };
        one(full(value, input.dims(), args.dtype()?.unwrap_or(input.dtype()))?)
    }),
    op("item", &["input"], |args| {
        let input = args.input()?;
        let read = with_candle_type!(input.dtype(), T => Tensor::new(input.to_scalar::<T>()?, &device())?);
        read.map_or_else(|| missing(format!("item: {:?}", input.dtype())), one)
    }),
    op("linspace", &["start", "end", "steps", "dtype"], |args| {
        let (Some(start), Some(end)) = (args.number("start")?, args.number("end")?) else {
            return missing("linspace: an end that is not a number");
        };
        let (steps, dtype) = (args.size("steps")?, args.dtype()?.unwrap_or(DType::F32));
        let step = (end - start) / (steps.saturating_sub(1).max(1)) as f64;
        let Some(count) = u32::try_from(steps).ok().filter(|_| steps <= LIMIT) else {
            return missing(format!("linspace: {steps} steps"));
        };
        let counts = Tensor::arange(0u32, count, &device())?;
        one(counts.to_dtype(dtype)?.affine(step, start)?)
    }),
    op("new_full", &["input", "size", "fill_value", "dtype"], |args| {
        let Some(value) = args.call().scalar("fill_value")? else { return missing("full without a value") };
        one(full(value, &shape(args)?, args.dtype()?.unwrap_or(args.input()?.dtype()))?)
    }),
    op("new_ones", &["input", "size", "dtype"], |args| {
        one(Tensor::ones(shape(args)?, args.dtype()?.unwrap_or(args.input()?.dtype()), &device())?)
    }),
    op("new_zeros", &["input", "size", "dtype"], |args| {
        one(Tensor::zeros(shape(args)?, args.dtype()?.unwrap_or(args.input()?.dtype()), &device())?)
    }),
    op("one_hot", &["input", "num_classes"], |args| {
        let depth = match args.call().int("num_classes")? {
            Some(classes) if classes >= 0 => args.size("num_classes")?,
            _ => return missing("one_hot: without num_classes"),
        };
        one(candle_nn::encoding::one_hot(args.input()?, depth, 1i64, 0i64)?)
    }),
    op("ones", &["size", "dtype"], |args| {
        one(Tensor::ones(shape(args)?, args.dtype()?.unwrap_or(DType::F32), &device())?)
    }),
    op("ones_like", &["input", "dtype"], |args| one(like(args, args.input()?.ones_like()?)?)),
    op("zeros", &["size", "dtype"], |args| {
        one(Tensor::zeros(shape(args)?, args.dtype()?.unwrap_or(DType::F32), &device())?)
    }),
    op("zeros_like", &["input", "dtype"], |args| one(like(args, args.input()?.zeros_like()?)?)),
];

/// The most elements that are made: beyond, the allocation may end the process.
const LIMIT: usize = 1 << 28;

fn shape(args: &Args) -> Answer<Vec<usize>> {
    let shape = args.sizes("size")?;
    if layout::numel(&shape).is_none_or(|count| count > LIMIT) {
        return missing(format!("{}: shape {shape:?}", args.op()));
    }
    Ok(shape)
}

fn like(args: &Args, tensor: Tensor) -> Answer<Tensor> {
    Ok(match args.dtype()? {
        Some(dtype) => tensor.to_dtype(dtype)?,
        None => tensor,
    })
}

/// The dtype of a number alone.
fn default(value: Scalar) -> Answer<DType> {
    match value {
        Scalar::Float(_) => Ok(DType::F32),
        Scalar::Int(_) => Ok(DType::I64),
        Scalar::Bool(_) => super::convert::dtype(tensor::DType::Bool),
    }
}

/// A tensor of one number.
pub(super) fn full(value: Scalar, shape: &[usize], dtype: DType) -> Answer<Tensor> {
    let full =
        with_candle_type!(dtype, T => Tensor::full(<T as Element>::from_scalar(value), shape, &device())?);
    full.map_or_else(|| missing(format!("dtype {dtype:?}")), Ok)
}

/// `arange_step`, with ends and step in the dtype of the result.
fn arange(args: &Args) -> Answer {
    let number = |parameter: &str| args.call().scalar(parameter);
    let Some(end) = number("end")? else { return missing("arange without an end") };
    let start = number("start")?.unwrap_or(Scalar::Int(0));
    let step = number("step")?.unwrap_or(Scalar::Int(1));
    let floating = [start, end, step].iter().any(|number| matches!(number, Scalar::Float(_)));
    let dtype = args.dtype()?.unwrap_or(if floating { DType::F32 } else { DType::I64 });
    let range = with_candle_type!(dtype, T => range::<T>(start, end, step)?);
    one(range.map_or_else(|| missing(format!("dtype {dtype:?}")), Ok)?)
}

fn range<T: Element + WithDType>(start: Scalar, end: Scalar, step: Scalar) -> Answer<Tensor> {
    let [start, end, step] = [start, end, step].map(<T as Element>::from_scalar);
    // candle adds the step until the end is reached: in a narrow dtype the sum stands still, or
    // wraps, before that, and the loop eats all memory.
    let [first, last, by] = [start, end, step].map(|number| <T as Element>::to_scalar(number).to_f64());
    let arrives = if <T as Element>::DTYPE.is_floating() {
        last.abs().max(first.abs()) * <T as Element>::DTYPE.epsilon() < by.abs()
    } else {
        <T as Element>::to_scalar(<T as Element>::from_scalar(Scalar::Float(last + by))).to_f64() == last + by
    };
    let count = (last - first) / by;
    if by != 0.0 && !(arrives && (count.is_nan() || count < LIMIT as f64)) {
        return missing(format!("arange: candle's loop never ends in {}", <T as Element>::DTYPE));
    }
    Ok(Tensor::arange_step(start, end, step, &device())?)
}
