//! The softmax family: `softmax`, `log_softmax`, `softmin` and `logsumexp`.
//!
//! | op | accepts | result dtype |
//! |---|---|---|
//! | `softmax`, `log_softmax`, `softmin` | floats, or `dtype=` a float | the float type |
//! | `logsumexp` | every dtype; integers and bool become float32 | the float type |
//!
//! Input is made row-major first, so its layout does not matter. The first three follow PyTorch's
//! kernels (`SoftMaxKernel.cpp`, `vec/functional_base.h`, `vec/functional_bfloat16.h`,
//! `LogSoftmaxKernelImpl.h`) bit for bit: which elements meet a vector's exp and which the C
//! library's, and in which order they are added, differ between the last dimension and others,
//! and between 16-bit types and the rest. Orders marked *measured* below are not in a header.
//! `logsumexp` is composed of other ops, whose order it keeps; its exp and log are Intel's.

use std::collections::BTreeMap;

use super::call::{Call, Failure, Result, Returned, Value};
use super::dims;
use super::numerics::dispatch::with_float_type;
use super::numerics::iterator::Lines;
use super::numerics::lanes::{Float, Real as _, Vector as _};
use super::numerics::libm::Libm;
use super::numerics::nearest::Nearest;
use super::numerics::sleef::{Number, Sleef};
use super::promotion::{Operand, result_type};
use super::{Backward, Op, eager};
use crate::tensor::{DType, Element, Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::Softmax),
        backward: Backward::Unwritten,
    },
    Op {
        name: "log_softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::LogSoftmax),
        backward: Backward::Unwritten,
    },
    Op {
        name: "softmin",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::Softmin),
        backward: Backward::Unwritten,
    },
    Op {
        name: "special.softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::Softmax),
        backward: Backward::Unwritten,
    },
    Op {
        name: "special.log_softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::LogSoftmax),
        backward: Backward::Unwritten,
    },
    Op {
        name: "logsumexp",
        parameters: &["input", "dim", "keepdim"],
        forward: logsumexp,
        backward: Backward::Unwritten,
    },
    Op {
        name: "special.logsumexp",
        parameters: &["input", "dim", "keepdim"],
        forward: logsumexp,
        backward: Backward::Unwritten,
    },
];

const SOFTMAX: &[&str] = &["input", "dim", "dtype"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Softmax,
    LogSoftmax,
    /// Softmax of the negative.
    Softmin,
}

fn along(call: &Call, kind: Kind) -> Result {
    let mut input = call.tensor("input")?.clone();
    let mut warnings = Vec::new();
    let dim = match call.int("dim")? {
        Some(dim) => dim,
        None => {
            warnings.push(format!(
                "Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an argument.",
                call.op
            ));
            i64::from(!matches!(input.dim(), 0 | 1 | 3))
        }
    };
    if kind == Kind::Softmin {
        input = eager::neg(&input)?;
    }
    let input = input.to_dtype(call.dtype("dtype")?.unwrap_or(input.dtype()));
    let dim = dims::wrap(dim, input.dim())?;
    let last = dim + 1 == input.dim().max(1);
    let rows = Rows::around(&input, dim);
    if input.numel() > 0 && !input.dtype().is_floating() {
        let log = if kind == Kind::LogSoftmax { "log_" } else { "" };
        let place = if last { "_lastdim" } else { "" };
        return Err(Failure::no_kernel(&format!("{log}softmax{place}_kernel_impl"), input.dtype()));
    }
    let output = match input.numel() {
        0 => input,
        _ => with_float_type!(input.dtype(), T => run::<T>(&input.contiguous(), rows, kind, last)),
    };
    Ok(Returned { outputs: vec![output], warnings })
}

/// A row-major tensor seen as `outer` blocks of `size` rows of `inner` elements.
#[derive(Clone, Copy)]
struct Rows {
    size: usize,
    inner: usize,
}

impl Rows {
    fn around(input: &Tensor, dim: usize) -> Rows {
        let shape = input.shape();
        Rows { size: shape.get(dim).copied().unwrap_or(1), inner: shape.iter().skip(dim + 1).product() }
    }
}

fn run<T: Float>(input: &Tensor, rows: Rows, kind: Kind, last: bool) -> Tensor
where
    T::Acc: Sleef + Libm,
{
    let data = input.values::<T>();
    let mut output = vec![T::default(); data.len()];
    if last {
        let lines = data.chunks(rows.size).zip(output.chunks_mut(rows.size));
        for (row, out) in lines {
            match (kind, T::DTYPE.size()) {
                (Kind::LogSoftmax, _) => log_row(row, out),
                (_, 2) => half_row(row, out),
                _ => row_of(row, out),
            }
        }
    } else {
        let block = rows.size * rows.inner;
        for (block, out) in data.chunks(block).zip(output.chunks_mut(block)) {
            match kind {
                Kind::LogSoftmax => log_columns(block, rows, out),
                _ => columns(block, rows, out),
            }
        }
    }
    Tensor::collect(input.shape(), output)
}

/// The largest; a NaN stays. Which of two zeros wins cannot be seen.
fn largest<T: Float>(values: impl Iterator<Item = T>) -> T::Acc
where
    T::Acc: Number,
{
    let larger = |max: T::Acc, x: T| if x.is_nan() || x.widen() > max { x.widen() } else { max };
    values.fold(-T::Acc::INFINITY, larger)
}

/// The lanes of a full vector onto one another: float32 by halves, float64 in order.
fn across<T: Float>(mut lanes: Vec<T::Acc>) -> T::Acc {
    if <T::Acc as Element>::DTYPE == DType::Float64 {
        return in_order::<T>(&lanes);
    }
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len() / 2);
        for (lane, other) in lanes.iter_mut().zip(upper) {
            *lane = *lane + other;
        }
    }
    in_order::<T>(&lanes)
}

fn in_order<T: Float>(lanes: &[T::Acc]) -> T::Acc {
    lanes.iter().copied().reduce(|sum, lane| sum + lane).unwrap_or(T::Acc::ZERO)
}

/// The sum of a row (`reduce_all`, `map_reduce_all`): one accumulator per lane of a vector, from
/// the first vector on; the rest touches the first lanes only. 16-bit types have two vectors of
/// float32 side by side, which meet before the lanes do.
fn sum_of_row<T: Float>(values: &[T::Acc]) -> T::Acc {
    let (width, vector) = (T::Vector::WIDTH, T::PER_VECTOR);
    let (first, rest) = values.split_at(values.len().min(vector));
    let mut lanes = first.to_vec();
    for values in rest.chunks(vector) {
        for (lane, &x) in lanes.iter_mut().zip(values) {
            *lane = *lane + x;
        }
    }
    let second = lanes.split_off(lanes.len().min(width));
    for (lane, other) in lanes.iter_mut().zip(second) {
        *lane = *lane + other;
    }
    if values.len() < vector { in_order::<T>(&lanes) } else { across::<T>(lanes) }
}

/// Softmax of a row of float32 or float64: every exp is the vector's, and the sum's reciprocal is
/// a factor.
fn row_of<T: Float>(row: &[T], out: &mut [T])
where
    T::Acc: Sleef,
{
    let max = largest(row.iter().copied());
    let powers: Vec<T::Acc> = row.iter().map(|x| Sleef::exp(x.widen() - max)).collect();
    let factor = T::Acc::ONE / sum_of_row::<T>(&powers);
    for (out, power) in out.iter_mut().zip(powers) {
        *out = T::narrow(power * factor);
    }
}

/// Softmax of a row of a 16-bit type, all in float32: one vector of accumulators from 0 on, then
/// what fills none, in order and with the C library's exp; rounded once. *Measured.*
fn half_row<T: Float>(row: &[T], out: &mut [T])
where
    T::Acc: Sleef + Libm,
{
    let width = T::Vector::WIDTH;
    let max = largest(row.iter().copied());
    let full = row.len() / width * width;
    let mut powers: Vec<T::Acc> = row[..full].iter().map(|x| Sleef::exp(x.widen() - max)).collect();
    let mut lanes = vec![T::Acc::ZERO; width];
    for vector in powers.chunks(width) {
        for (lane, &power) in lanes.iter_mut().zip(vector) {
            *lane = *lane + power;
        }
    }
    let mut sum = across::<T>(lanes);
    for x in &row[full..] {
        let power = Libm::exp(x.widen() - max);
        sum = sum + power;
        powers.push(power);
    }
    let factor = T::Acc::ONE / sum;
    for (out, power) in out.iter_mut().zip(powers) {
        *out = T::narrow(power * factor);
    }
}

/// Log-softmax of a row. 16-bit types round the maximum, the sum and its logarithm.
fn log_row<T: Float>(row: &[T], out: &mut [T])
where
    T::Acc: Sleef,
{
    let rounded = |x: T::Acc| T::narrow(x).widen();
    let max = rounded(largest(row.iter().copied()));
    let powers: Vec<T::Acc> = row.iter().map(|x| Sleef::exp(x.widen() - max)).collect();
    let log = rounded(Sleef::log(rounded(sum_of_row::<T>(&powers))));
    for (out, x) in out.iter_mut().zip(row) {
        *out = T::narrow((x.widen() - max) - log);
    }
}

/// Whether a column lies in a full vector of columns: it meets the vector's exp then, else the C
/// library's.
fn in_vector<T: Float>(column: usize, inner: usize) -> bool {
    column < inner / T::PER_VECTOR * T::PER_VECTOR
}

/// Softmax down the columns of a block: sums in order from 0 on, and a division. Outside the
/// vectors each power is kept in the output, so a 16-bit type rounds it (not in the sum) before
/// the division. *Measured.*
fn columns<T: Float>(block: &[T], rows: Rows, out: &mut [T])
where
    T::Acc: Sleef + Libm,
{
    for column in 0..rows.inner {
        let vector = in_vector::<T>(column, rows.inner);
        let exp = if vector { Sleef::exp } else { Libm::exp };
        let at = |row: usize| row * rows.inner + column;
        let max = largest((0..rows.size).map(|row| block[at(row)]));
        let powers: Vec<T::Acc> = (0..rows.size).map(|row| exp(block[at(row)].widen() - max)).collect();
        let sum = powers.iter().fold(T::Acc::ZERO, |sum, &power| sum + power);
        for (row, power) in powers.into_iter().enumerate() {
            let kept = if vector { power } else { T::narrow(power).widen() };
            out[at(row)] = T::narrow(kept / sum);
        }
    }
}

/// Log-softmax down the columns of a block; the logarithm is the vector's for all of them.
fn log_columns<T: Float>(block: &[T], rows: Rows, out: &mut [T])
where
    T::Acc: Sleef + Libm,
{
    for column in 0..rows.inner {
        let exp = if in_vector::<T>(column, rows.inner) { Sleef::exp } else { Libm::exp };
        let at = |row: usize| row * rows.inner + column;
        let max = largest((0..rows.size).map(|row| block[at(row)]));
        let sum = (0..rows.size).fold(T::Acc::ZERO, |sum, row| sum + exp(block[at(row)].widen() - max));
        let log = Sleef::log(sum);
        for row in 0..rows.size {
            out[at(row)] = T::narrow((block[at(row)].widen() - max) - log);
        }
    }
}

/// An op of the registry on tensors of this family's making.
fn apply(op: &str, input: Tensor, dim: Option<&[i64]>, keepdim: bool) -> Result<Tensor> {
    let mut args = BTreeMap::from([
        ("input".to_owned(), Value::Tensor(input)),
        ("keepdim".to_owned(), Value::Scalar(Scalar::Bool(keepdim))),
    ]);
    if let Some(dim) = dim {
        let dim = dim.iter().map(|&dim| Value::Scalar(Scalar::Int(dim))).collect();
        args.insert("dim".to_owned(), Value::List(dim));
    }
    let returned = super::run(&Call { op: op.to_owned(), args })?;
    returned.outputs.into_iter().next().ok_or_else(|| Failure::Unsupported(format!("{op} without a result")))
}

/// log(sum(exp(x))): `amax`, where an infinite one counts as 0; the sum of exp(x - that); its
/// logarithm plus that. Each step is an op whose result is rounded to the dtype.
fn logsumexp(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dtype = result_type(&[Operand::Tensor(input), Operand::Number(Scalar::Float(1.0))])?;
    let input = input.to_dtype(dtype);
    let dim = call.ints("dim")?;
    let keepdim = call.flag("keepdim")?;
    if dim.as_deref() == Some(&[]) && !keepdim && input.dim() > 0 && input.numel() > 0 {
        let ones = vec!["1"; input.dim()].join(", ");
        return Err(Failure::runtime(format!(
            "output with shape [] doesn't match the broadcast shape [{ones}]"
        )));
    }
    if input.numel() == 0 {
        let sum = apply("sum", input, dim.as_deref(), keepdim)?;
        return Ok(map(&sum, Nearest::log, Nearest::log).into());
    }
    let max = apply("amax", input.clone(), dim.as_deref(), true)?;
    let max = map(&max, finite, finite);
    let powers = powers(&input, &max.expanded(input.shape()));
    let sum = apply("sum", powers, dim.as_deref(), keepdim)?;
    let logs = map(&sum, Nearest::log, Nearest::log);
    Ok(sums(&logs, &max.reshaped(logs.shape())).into())
}

/// 0 for an infinite value.
fn finite<R: Number>(x: R) -> R {
    if x.magnitude() == R::INFINITY { R::ZERO } else { x }
}

/// A function of every element of a floating tensor.
fn map(input: &Tensor, single: fn(f32) -> f32, double: fn(f64) -> f64) -> Tensor {
    fn each<T: Float>(input: &Tensor, f: fn(T::Acc) -> T::Acc) -> Tensor {
        Tensor::collect(input.shape(), input.values::<T>().iter().map(|x| T::narrow(f(x.widen()))))
    }
    match input.dtype() {
        DType::Float64 => each::<f64>(input, double),
        DType::Float16 => each::<half::f16>(input, single),
        DType::BFloat16 => each::<half::bf16>(input, single),
        _ => each::<f32>(input, single),
    }
}

/// A function of two floating tensors of one shape and dtype, in float32 for the 16-bit types.
macro_rules! zip {
    ($a:expr, $b:expr, |$x:ident, $y:ident| $value:expr) => {
        with_float_type!($a.dtype(), T => {
            let pairs = $a.values::<T>().into_owned().into_iter().zip($b.values::<T>().into_owned());
            Tensor::collect($a.shape(), pairs.map(|(x, y)| {
                let ($x, $y) = (x.widen(), y.widen());
                T::narrow($value)
            }))
        })
    };
}

/// exp(input - max), laid out as an element-wise op leaves it.
fn powers(input: &Tensor, max: &Tensor) -> Tensor {
    let differences = zip!(input, max, |x, y| x - y);
    map(&differences, Nearest::exp, Nearest::exp).laid_out(&Lines::new([input, max]).order)
}

/// Element-wise sums.
fn sums(a: &Tensor, b: &Tensor) -> Tensor {
    zip!(a, b, |x, y| x + y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn softmax(data: &[f32], op: &str, dim: i64, shape: &[usize]) -> Vec<f32> {
        let input = Tensor::new(shape, data.to_vec()).unwrap();
        let args =
            [("input".to_owned(), Value::Tensor(input)), ("dim".to_owned(), Value::Scalar(Scalar::Int(dim)))];
        let call = Call { op: op.to_owned(), args: args.into() };
        super::super::run(&call).unwrap().outputs[0].values::<f32>().into_owned()
    }

    #[test]
    fn rows_sum_to_one_and_masks_are_nothing() {
        let out = softmax(&[0.0, f32::NEG_INFINITY, 0.0], "softmax", 0, &[3]);
        assert_eq!(out, [0.5, 0.0, 0.5]);
        let out = softmax(&[0.0, f32::NEG_INFINITY], "log_softmax", 0, &[2]);
        assert_eq!(out, [0.0, f32::NEG_INFINITY]);
        assert!(softmax(&[f32::NEG_INFINITY; 2], "softmax", 0, &[2]).iter().all(|x| x.is_nan()));
    }

    #[test]
    fn lanes_meet_by_halves_in_full_vectors_and_in_order_in_shorter_rows() {
        let rounding = [1.0, 3e-8, 3e-8, 3e-8, 3e-8, 3e-8, 3e-8, 3e-8f32];
        let halves = sum_of_row::<f32>(&rounding);
        let in_order: f32 = rounding.iter().sum();
        assert_ne!(halves, in_order);
        assert_eq!(sum_of_row::<f32>(&rounding[..7]), rounding[..7].iter().sum::<f32>());
        let wide = [1.0, 1e-16, 1e-16, 1e-16f64];
        assert_eq!(sum_of_row::<f64>(&wide), wide.iter().sum::<f64>());
    }

    #[test]
    fn a_sum_of_infinite_maxima_is_finite_work() {
        let out =
            softmax(&[f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, 1.0], "logsumexp", 1, &[2, 2]);
        assert_eq!(out, [f32::NEG_INFINITY, f32::INFINITY]);
    }
}
