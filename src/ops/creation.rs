//! Tensors from sizes and numbers: `arange`, `linspace`, `full`, `zeros`, `ones`, `eye` and their
//! `_like` and `new_` forms, `tril_indices`, `triu_indices`, `one_hot`, `bincount`.

use std::ops::{Div, Neg, Sub};

use super::autograd::not_implemented;
use super::call::{Call, Failure, Result, refuse_uint32};
use super::dims;
use super::numerics::lanes::VECTOR_BYTES;
use super::promotion::{Operand, check_overflow};
use super::shape::{negative_dimension, required_ints};
use super::{Backward, Op};
use crate::tensor::{DType, Element, Scalar, TWO_63, Tensor, convert};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "arange",
        parameters: &["start", "end", "step", "dtype"],
        forward: arange,
        backward: Backward::Never,
    },
    Op {
        name: "linspace",
        parameters: &["start", "end", "steps", "dtype"],
        forward: linspace,
        backward: Backward::Never,
    },
    Op {
        name: "full",
        parameters: &["size", "fill_value", "dtype"],
        forward: full,
        backward: Backward::Never,
    },
    Op {
        name: "full_like",
        parameters: &["input", "fill_value", "dtype"],
        forward: full_like,
        backward: Backward::Never,
    },
    Op { name: "zeros", parameters: &["size", "dtype"], forward: zeros, backward: Backward::Never },
    Op { name: "ones", parameters: &["size", "dtype"], forward: ones, backward: Backward::Never },
    Op {
        name: "zeros_like",
        parameters: &["input", "dtype"],
        forward: |call| like(call, 0),
        backward: Backward::Never,
    },
    Op {
        name: "ones_like",
        parameters: &["input", "dtype"],
        forward: |call| like(call, 1),
        backward: Backward::Never,
    },
    Op {
        name: "new_zeros",
        parameters: &["input", "size", "dtype"],
        forward: |call| new(call, 0),
        backward: Backward::Never,
    },
    Op {
        name: "new_ones",
        parameters: &["input", "size", "dtype"],
        forward: |call| new(call, 1),
        backward: Backward::Never,
    },
    Op {
        name: "new_full",
        parameters: &["input", "size", "fill_value", "dtype"],
        forward: new_full,
        backward: Backward::Never,
    },
    Op { name: "eye", parameters: &["n", "m", "dtype"], forward: eye, backward: Backward::Never },
    Op {
        name: "tril_indices",
        parameters: &["row", "col", "offset", "dtype"],
        forward: |call| triangle_indices(call, |column, diagonal| column <= diagonal),
        backward: Backward::Never,
    },
    Op {
        name: "triu_indices",
        parameters: &["row", "col", "offset", "dtype"],
        forward: |call| triangle_indices(call, |column, diagonal| column >= diagonal),
        backward: Backward::Never,
    },
    Op {
        name: "one_hot",
        parameters: &["input", "num_classes"],
        forward: one_hot,
        backward: Backward::Never,
    },
    Op {
        name: "bincount",
        parameters: &["input", "weights", "minlength"],
        forward: bincount,
        backward: Backward::Rule(|pass| Err(not_implemented(&pass.call.op))),
    },
];

/// A number; a tensor of one element stands for it.
fn number(call: &Call, parameter: &str) -> Result<Scalar> {
    let element = match call.operand(parameter)? {
        Operand::Number(number) => Some(number),
        Operand::Tensor(tensor) => tensor.scalars().next(),
    };
    element.ok_or_else(|| Failure::Unsupported(format!("{}: parameter '{parameter}' of no element", call.op)))
}

fn number_or(call: &Call, parameter: &str, default: i64) -> Result<Scalar> {
    call.get(parameter).map_or(Ok(Scalar::Int(default)), |_| number(call, parameter))
}

/// A float as C++ streams print it by default: six significant digits.
fn streamed(value: f64) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{value:.*}", usize::try_from(5 - exponent).unwrap_or(0)));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

/// `arange`: `start + i * step`, in float64 for float32 and float64, in float32 for the 16-bit
/// floats, in int64 (wrapping) for integers. Integers where all numbers are, else float32.
fn arange(call: &Call) -> Result {
    let (start, step) = (number_or(call, "start", 0)?, number_or(call, "step", 1)?);
    let end = number(call, "end")?;
    let numbers = [start, end, step];
    let whole = !numbers.iter().any(|number| matches!(number, Scalar::Float(_)));
    let default = if whole { DType::Int64 } else { DType::Float32 };
    let dtype = call.dtype("dtype")?.unwrap_or(default);
    if matches!(dtype, DType::Bool | DType::UInt32) {
        return Err(Failure::no_kernel("arange_cpu", dtype));
    }
    check_range(numbers.map(Scalar::to_f64))?;
    let count = match (dtype, whole) {
        (DType::Int64, true) => whole_count(numbers.map(Scalar::to_i64)),
        _ => ((end.to_f64() - start.to_f64()) / step.to_f64()).ceil(),
    };
    if !(0.0..TWO_63).contains(&count) {
        return Err(Failure::runtime("invalid size, possible overflow?"));
    }
    let accumulator = match dtype {
        DType::Float64 | DType::Float32 => DType::Float64,
        DType::Float16 | DType::BFloat16 => DType::Float32,
        _ => DType::Int64,
    };
    check_overflow(start, accumulator)?;
    check_overflow(step, accumulator)?;
    let count = count as usize;
    dims::check_size(&[count])?;
    Ok(with_type!(dtype, T => match accumulator {
        DType::Int64 => {
            let (start, step) = (start.to_i64(), step.to_i64());
            let each = (0..count as i64).map(|i| start.wrapping_add(step.wrapping_mul(i)));
            Tensor::collect(&[count], each.map(|value| T::from_scalar(Scalar::Int(value))))
        }
        DType::Float64 => arange_floats::<T, f64>(count, start, step),
        _ => arange_floats::<T, f32>(count, start, step),
    })
    .into())
}

fn check_range([start, end, step]: [f64; 3]) -> Result<()> {
    let refusal = if !step.is_finite() {
        format!("step must be finite but got {}", streamed(step))
    } else if step == 0.0 {
        "step must be nonzero".into()
    } else if !(start.is_finite() && end.is_finite()) {
        format!("unsupported range: {} -> {}", streamed(start), streamed(end))
    } else if (step > 0.0 && end < start) || (step < 0.0 && end > start) {
        "upper bound and lower bound inconsistent with step sign".into()
    } else {
        return Ok(());
    };
    Err(Failure::runtime(refusal))
}

/// The count of integers in a range, as PyTorch computes it: in int64, which may wrap.
fn whole_count([start, end, step]: [i64; 3]) -> f64 {
    let span = end.wrapping_sub(start).wrapping_add(step).wrapping_sub(step.signum());
    span.wrapping_div(step) as f64
}

/// Counting in steps. PyTorch's kernels are compiled with contraction to fused multiply-add, so
/// a step times a count plus a start is rounded once.
trait Fused: Element {
    /// `self * count + from`.
    fn fused(self, count: usize, from: Self) -> Self;
}

impl Fused for f64 {
    fn fused(self, count: usize, from: f64) -> f64 {
        self.mul_add(count as f64, from)
    }
}

impl Fused for f32 {
    fn fused(self, count: usize, from: f32) -> f32 {
        self.mul_add(count as f32, from)
    }
}

/// The vector part of PyTorch's kernel rounds the first element of every vector to the dtype, and
/// counts on from there; the scalar rest counts from the start. `A` is the accumulator.
fn arange_floats<T: Element, A: Fused>(count: usize, start: Scalar, step: Scalar) -> Tensor {
    let (start, step) = (A::from_scalar(start), A::from_scalar(step));
    let counted = |from: A, i: usize| convert::<A, T>(step.fused(i, from));
    let lanes = VECTOR_BYTES / T::DTYPE.size();
    let vectors_end = count / (2 * lanes) * (2 * lanes);
    let each = (0..count).map(|i| {
        if i >= vectors_end {
            return counted(start, i);
        }
        let lane = i % lanes;
        let first = counted(start, i - lane);
        if lane == 0 { first } else { counted(convert(first), lane) }
    });
    Tensor::collect(&[count], each)
}

/// `linspace`: the first half counts up from the start, the second half down from the end. Floats
/// compute in their own type, 16-bit floats in float32, integers in float64, truncating.
fn linspace(call: &Call) -> Result {
    let (start, end) = (call.operand("start")?, call.operand("end")?);
    refuse_vectors(&[("start", &start), ("end", &end)])?;
    let (start, end) = (number(call, "start")?, number(call, "end")?);
    let steps = call.required_int("steps")?;
    let Ok(steps) = usize::try_from(steps) else {
        return Err(Failure::runtime("number of steps must be non-negative"));
    };
    let dtype = call.dtype("dtype")?.unwrap_or(DType::Float32);
    dims::check_size(&[steps])?;
    match steps {
        0 => return Ok(Tensor::full(&[0], Scalar::Int(0), dtype).into()),
        1 => return Ok(filled(&[1], start, dtype)?.into()),
        _ => {}
    }
    if matches!(dtype, DType::Bool | DType::UInt32) {
        return Err(Failure::no_kernel("linspace_cpu", dtype));
    }
    check_overflow(start, dtype)?;
    check_overflow(end, dtype)?;
    Ok(with_type!(dtype, T => match dtype {
        DType::Float32 | DType::Float16 | DType::BFloat16 => spaced::<T, f32>(start, end, steps),
        _ => spaced::<T, f64>(start, end, steps),
    })
    .into())
}

fn refuse_vectors(ends: &[(&str, &Operand)]) -> Result<()> {
    let tensors: Vec<(&str, usize)> = ends
        .iter()
        .filter_map(|(name, operand)| match operand {
            Operand::Tensor(tensor) => Some((*name, tensor.dim())),
            Operand::Number(_) => None,
        })
        .collect();
    if tensors.iter().all(|&(_, rank)| rank == 0) {
        return Ok(());
    }
    let found: Vec<String> =
        tensors.iter().map(|(name, rank)| format!("{name} with {rank} dimension(s)")).collect();
    Err(Failure::runtime(format!(
        "linspace only supports 0-dimensional start and end tensors, but got {}.",
        found.join(" and ")
    )))
}

fn spaced<T: Element, A: Fused + Sub<Output = A> + Div<Output = A> + Neg<Output = A>>(
    start: Scalar,
    end: Scalar,
    steps: usize,
) -> Tensor {
    // The ends are values of the dtype first.
    let own = |number: Scalar| convert::<T, A>(T::from_scalar(number));
    let (start, end) = (own(start), own(end));
    let step = (end - start) / A::from_scalar(Scalar::Int(steps as i64 - 1));
    let each = (0..steps).map(|i| match i < steps / 2 {
        true => step.fused(i, start),
        false => (-step).fused(steps - 1 - i, end),
    });
    Tensor::collect(&[steps], each.map(convert::<A, T>))
}

/// A tensor of one value, refused where the dtype cannot hold it. A single element is written
/// without the check for the 16-bit floats, and becomes infinite.
fn filled(shape: &[usize], value: Scalar, dtype: DType) -> Result<Tensor> {
    let single = shape.iter().all(|&size| size == 1);
    if !(single && matches!(dtype, DType::Float16 | DType::BFloat16)) {
        check_overflow(value, dtype)?;
    }
    dims::check_size(shape)?;
    Ok(Tensor::full(shape, value, dtype))
}

fn full(call: &Call) -> Result {
    let shape = negative_dimension(&required_ints(call, "size")?)?;
    let value = number(call, "fill_value")?;
    let default = match value {
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(_) => DType::Int64,
        Scalar::Float(_) => DType::Float32,
    };
    Ok(filled(&shape, value, call.dtype("dtype")?.unwrap_or(default))?.into())
}

fn dtype_like(call: &Call) -> Result<DType> {
    Ok(call.dtype("dtype")?.unwrap_or(call.tensor("input")?.dtype()))
}

fn full_like(call: &Call) -> Result {
    Ok(filled(call.tensor("input")?.shape(), number(call, "fill_value")?, dtype_like(call)?)?.into())
}

fn like(call: &Call, value: i64) -> Result {
    Ok(filled(call.tensor("input")?.shape(), Scalar::Int(value), dtype_like(call)?)?.into())
}

fn new(call: &Call, value: i64) -> Result {
    let shape = negative_dimension(&required_ints(call, "size")?)?;
    Ok(filled(&shape, Scalar::Int(value), dtype_like(call)?)?.into())
}

fn new_full(call: &Call) -> Result {
    let shape = negative_dimension(&required_ints(call, "size")?)?;
    Ok(filled(&shape, number(call, "fill_value")?, dtype_like(call)?)?.into())
}

fn zeros(call: &Call) -> Result {
    let sizes = required_ints(call, "size")?;
    if sizes.iter().any(|&size| size < 0) {
        return Err(Failure::runtime("zeros: Dimension size must be non-negative."));
    }
    let dtype = call.dtype("dtype")?.unwrap_or(DType::Float32);
    Ok(filled(&negative_dimension(&sizes)?, Scalar::Int(0), dtype)?.into())
}

fn ones(call: &Call) -> Result {
    let shape = negative_dimension(&required_ints(call, "size")?)?;
    Ok(filled(&shape, Scalar::Int(1), call.dtype("dtype")?.unwrap_or(DType::Float32))?.into())
}

/// A size with a name, which may not be negative.
fn side(name: &str, size: i64, refusal: &str) -> Result<usize> {
    usize::try_from(size).map_err(|_| Failure::runtime(format!("{name} must be {refusal}{size}")))
}

fn eye(call: &Call) -> Result {
    let n = call.required_int("n")?;
    let m = call.int("m")?.unwrap_or(n);
    let refusal = "greater or equal to 0, got ";
    let (rows, columns) = (side("n", n, refusal)?, side("m", m, refusal)?);
    let dtype = call.dtype("dtype")?.unwrap_or(DType::Float32);
    refuse_uint32("eye", dtype)?;
    dims::check_size(&[rows, columns])?;
    let ones = (0..rows * columns).map(|at| i64::from(at / columns == at % columns));
    Ok(with_type!(dtype, T => {
        Tensor::collect(&[rows, columns], ones.map(|one| T::from_scalar(Scalar::Int(one))))
    })
    .into())
}

/// Row and column of every element of a triangle, row after row, as two rows of a matrix.
fn triangle_indices(call: &Call, inside: fn(i64, i64) -> bool) -> Result {
    let refusal = "non-negative, got";
    let rows = side("row", call.required_int("row")?, refusal)?;
    let columns = side("col", call.required_int("col")?, refusal)?;
    let offset = call.int("offset")?.unwrap_or(0);
    let dtype = call.dtype("dtype")?.unwrap_or(DType::Int64);
    if !matches!(dtype, DType::Int64 | DType::Int32) {
        return Err(Failure::no_kernel(&call.op, dtype));
    }
    dims::check_size(&[rows, columns])?;
    let all = (0..rows as i64).flat_map(|row| (0..columns as i64).map(move |column| (row, column)));
    let (rows, columns): (Vec<i64>, Vec<i64>) =
        all.filter(|&(row, column)| inside(column, row.saturating_add(offset))).unzip();
    Ok(Tensor::collect(&[2, rows.len()], rows.into_iter().chain(columns)).to_dtype(dtype).into())
}

fn one_hot(call: &Call) -> Result {
    let (input, classes) = (call.tensor("input")?, call.int("num_classes")?.unwrap_or(-1));
    if input.dtype() != DType::Int64 {
        return Err(Failure::runtime("one_hot is only applicable to index tensor of type LongTensor."));
    }
    let indices = input.values::<i64>();
    let count = match indices.iter().max() {
        None if classes <= 0 => {
            return Err(Failure::runtime("Can not infer total number of classes from empty tensor."));
        }
        None => classes,
        Some(_) if indices.iter().any(|&index| index < 0) => {
            return Err(Failure::runtime("Class values must be non-negative."));
        }
        Some(&largest) if classes == -1 => largest.saturating_add(1),
        Some(&largest) if largest >= classes => {
            return Err(Failure::runtime("Class values must be smaller than num_classes."));
        }
        Some(_) => classes,
    };
    let shape: Vec<usize> = input.shape().iter().copied().chain([count as usize]).collect();
    dims::check_size(&shape)?;
    let rows = indices.iter().flat_map(|&index| (0..count).map(move |class| i64::from(class == index)));
    Ok(Tensor::collect(&shape, rows).into())
}

/// How often each value occurs, or the sum of its weights in their order: in float32 for float32,
/// else in float64.
fn bincount(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if !input.dtype().is_integer() || input.dtype() == DType::UInt32 {
        return Err(Failure::no_kernel("bincount_cpu", input.dtype()));
    }
    let least = call.int("minlength")?.unwrap_or(0);
    let Ok(least) = usize::try_from(least) else {
        return Err(Failure::runtime("minlength should be >= 0"));
    };
    let values = input.values::<i64>();
    if input.shape() == [0] {
        dims::check_size(&[least])?;
        return Ok(Tensor::full(&[least], Scalar::Int(0), DType::Int64).into());
    }
    if input.dim() != 1 || values.iter().any(|&value| value < 0) {
        return Err(Failure::runtime("bincount only supports 1-d non-negative integral inputs."));
    }
    let largest = values.iter().max().map_or(0, |&largest| largest as usize);
    let bins = largest.saturating_add(1).max(least);
    dims::check_size(&[bins])?;
    fn sum<T: Element>(
        bins: usize,
        values: &[i64],
        weights: impl Iterator<Item = T>,
        add: fn(T, T) -> T,
    ) -> Tensor {
        let mut sums = vec![T::default(); bins];
        for (&value, weight) in values.iter().zip(weights) {
            sums[value as usize] = add(sums[value as usize], weight);
        }
        Tensor::collect(&[bins], sums)
    }
    if call.get("weights").is_none() {
        return Ok(sum(bins, &values, std::iter::repeat(1i64), |a, b| a + b).into());
    }
    let weights = call.tensor("weights")?;
    if weights.shape() != input.shape() {
        return Err(Failure::runtime("weights should be 1-d and have the same length as input"));
    }
    Ok(match weights.dtype() {
        DType::Float32 => sum(bins, &values, weights.values::<f32>().iter().copied(), |a, b| a + b),
        _ => sum(bins, &values, weights.values::<f64>().iter().copied(), |a, b| a + b),
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_cpp_streams_do() {
        let cases = [
            (0.0, "0"),
            (-0.1, "-0.1"),
            (1e-5, "1e-05"),
            (123456.0, "123456"),
            (999999.5, "1e+06"),
            (1234567.0, "1.23457e+06"),
            (-1e300, "-1e+300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ];
        for (value, text) in cases {
            assert_eq!(streamed(value), text);
        }
    }

    #[test]
    fn integers_count_in_int64() {
        assert_eq!(whole_count([0, 10, 3]), 4.0);
        assert_eq!(whole_count([7, -4, -2]), 6.0);
        assert_eq!(whole_count([0, i64::MAX, 1 << 62]), -1.0);
    }

    #[test]
    fn the_halves_of_a_linspace_mirror_each_other() {
        let spaced = spaced::<f32, f32>(Scalar::Float(-0.7), Scalar::Float(0.7), 10);
        let values = spaced.values::<f32>();
        assert!((0..10).all(|i| values[i] == -values[9 - i]), "{values:?}");
    }
}
