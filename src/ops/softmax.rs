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

use super::call::{Call, Failure, Result, Returned};
use super::dims;
use super::numerics::dispatch::with_float_type;
use super::numerics::iterator::Lines;
use super::numerics::lanes::{Float, Real, Vector as _};
use super::numerics::libm::Libm;
use super::numerics::nearest::Nearest;
use super::numerics::rows::{Fused, across, sum_of_products, sum_of_row};
use super::numerics::sleef::{Number, Sleef};
use super::promotion::{Operand, result_type};
use super::{Backward, Gradients, Op, Pass, eager};
use crate::cpu::{vectorised, widest};
use crate::tensor::{DType, Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::Softmax),
        backward: Backward::Rule(|pass| along_backward(pass, Kind::Softmax)),
    },
    Op {
        name: "log_softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::LogSoftmax),
        backward: Backward::Rule(|pass| along_backward(pass, Kind::LogSoftmax)),
    },
    Op {
        name: "softmin",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::Softmin),
        backward: Backward::Rule(|pass| along_backward(pass, Kind::Softmin)),
    },
    Op {
        name: "special.softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::Softmax),
        backward: Backward::Rule(|pass| along_backward(pass, Kind::Softmax)),
    },
    Op {
        name: "special.log_softmax",
        parameters: SOFTMAX,
        forward: |call| along(call, Kind::LogSoftmax),
        backward: Backward::Rule(|pass| along_backward(pass, Kind::LogSoftmax)),
    },
    Op {
        name: "logsumexp",
        parameters: &["input", "dim", "keepdim"],
        forward: logsumexp,
        backward: Backward::Rule(logsumexp_backward),
    },
    Op {
        name: "special.logsumexp",
        parameters: &["input", "dim", "keepdim"],
        forward: logsumexp,
        backward: Backward::Rule(logsumexp_backward),
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
            implicit_dim(&input)
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

fn implicit_dim(input: &Tensor) -> i64 {
    i64::from(!matches!(input.dim(), 0 | 1 | 3))
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
    let mut output = Vec::with_capacity(data.len());
    widest(
        #[inline(always)]
        || {
            if last {
                let mut powers = vec![T::Acc::ZERO; rows.size];
                for row in data.chunks_exact(rows.size) {
                    match (kind, T::DTYPE.size()) {
                        (Kind::LogSoftmax, _) => log_row(row, &mut powers, &mut output),
                        (_, 2) => half_row(row, &mut powers, &mut output),
                        _ => row_of(row, &mut powers, &mut output),
                    }
                }
            } else {
                for block in data.chunks_exact(rows.size * rows.inner) {
                    match kind {
                        Kind::LogSoftmax => log_columns(block, rows.inner, &mut output),
                        _ => columns(block, rows.inner, &mut output),
                    }
                }
            }
        },
    );
    Tensor::collect(input.shape(), output)
}

/// The larger of two; a NaN stays. Which of two zeros wins cannot be seen.
#[inline(always)]
fn larger<R: Number>(max: R, x: R) -> R {
    let larger = if x > max { x } else { max };
    if x.is_nan() { x } else { larger }
}

/// The largest of a row, whose order does not show.
#[inline(always)]
fn largest<T: Float<Acc: Number>>(row: &[T]) -> T::Acc {
    let mut lanes = [-T::Acc::INFINITY; 32];
    let mut vectors = row.chunks_exact(lanes.len());
    for values in &mut vectors {
        for (max, x) in lanes.iter_mut().zip(values) {
            *max = larger(*max, x.widen());
        }
    }
    let rest = vectors.remainder().iter().fold(-T::Acc::INFINITY, |max, x| larger(max, x.widen()));
    lanes.into_iter().fold(rest, larger)
}

/// e^(x - max) of each element, by the vector's exp.
#[inline(always)]
fn powers_of<T: Float<Acc: Sleef>>(row: &[T], max: T::Acc, powers: &mut [T::Acc]) {
    for (power, x) in powers.iter_mut().zip(row) {
        *power = Sleef::exp(x.widen() - max);
    }
}

/// Softmax of a row of float32 or float64: every exp is the vector's, and the sum's reciprocal is
/// a factor.
#[inline(always)]
fn row_of<T: Float<Acc: Sleef>>(row: &[T], powers: &mut [T::Acc], out: &mut Vec<T>) {
    powers_of(row, largest(row), powers);
    let factor = T::Acc::ONE / sum_of_row::<T>(powers);
    out.extend(powers.iter().map(|&power| T::narrow(power * factor)));
}

/// Softmax of a row of a 16-bit type, all in float32: one vector of accumulators from 0 on, then
/// what fills none, in order and with the C library's exp; rounded once. *Measured.*
#[inline(always)]
fn half_row<T: Float<Acc: Sleef + Libm>>(row: &[T], powers: &mut [T::Acc], out: &mut Vec<T>) {
    let width = T::Vector::WIDTH;
    let max = largest(row);
    let full = row.len() / width * width;
    powers_of(&row[..full], max, &mut powers[..full]);
    let mut lanes = T::Vector::ZERO;
    for vector in powers[..full].chunks_exact(width) {
        lanes = lanes.add(T::Vector::of(vector));
    }
    let mut sum = across::<T>(lanes.lanes().to_vec());
    for (power, x) in powers[full..].iter_mut().zip(&row[full..]) {
        *power = Libm::exp(x.widen() - max);
        sum = sum + *power;
    }
    let factor = T::Acc::ONE / sum;
    out.extend(powers.iter().map(|&power| T::narrow(power * factor)));
}

/// Log-softmax of a row. 16-bit types round the maximum, the sum and its logarithm.
#[inline(always)]
fn log_row<T: Float<Acc: Sleef>>(row: &[T], powers: &mut [T::Acc], out: &mut Vec<T>) {
    let rounded = |x: T::Acc| T::narrow(x).widen();
    let max = rounded(largest(row));
    powers_of(row, max, powers);
    let log = rounded(Sleef::log(rounded(sum_of_row::<T>(powers))));
    out.extend(row.iter().map(|x| T::narrow((x.widen() - max) - log)));
}

/// How many columns lie in full vectors of columns: they meet the vector's exp, the others the C
/// library's.
fn in_vectors<T: Float>(inner: usize) -> usize {
    inner / T::PER_VECTOR * T::PER_VECTOR
}

/// The largest of each column.
#[inline(always)]
fn largest_of_columns<T: Float<Acc: Number>>(block: &[T], inner: usize) -> Vec<T::Acc> {
    let mut largest = vec![-T::Acc::INFINITY; inner];
    for row in block.chunks_exact(inner) {
        for (max, x) in largest.iter_mut().zip(row) {
            *max = larger(*max, x.widen());
        }
    }
    largest
}

/// e^(x - max) of a row across columns.
#[inline(always)]
fn powers_across<T: Float<Acc: Sleef + Libm>>(row: &[T], largest: &[T::Acc], powers: &mut [T::Acc]) {
    let full = in_vectors::<T>(row.len());
    for ((power, x), &max) in powers.iter_mut().zip(row).zip(largest).take(full) {
        *power = Sleef::exp(x.widen() - max);
    }
    for ((power, x), &max) in powers.iter_mut().zip(row).zip(largest).skip(full) {
        *power = Libm::exp(x.widen() - max);
    }
}

#[inline(always)]
fn add_to<R: Real>(sums: &mut [R], values: &[R]) {
    for (sum, &x) in sums.iter_mut().zip(values) {
        *sum = *sum + x;
    }
}

/// Softmax down the columns of a block: sums in order from 0 on, and a division. Outside the
/// vectors each power is kept in the output, so a 16-bit type rounds it (not in the sum) before
/// the division. *Measured.*
#[inline(always)]
fn columns<T: Float<Acc: Sleef + Libm>>(block: &[T], inner: usize, out: &mut Vec<T>) {
    let full = in_vectors::<T>(inner);
    let largest = largest_of_columns(block, inner);
    let mut powers = vec![T::Acc::ZERO; block.len()];
    let mut sums = vec![T::Acc::ZERO; inner];
    for (powers, row) in powers.chunks_exact_mut(inner).zip(block.chunks_exact(inner)) {
        powers_across(row, &largest, powers);
        add_to(&mut sums, powers);
    }
    for powers in powers.chunks_exact(inner) {
        let (powers, rest) = powers.split_at(full);
        out.extend(powers.iter().zip(&sums).map(|(&power, &sum)| T::narrow(power / sum)));
        let kept = rest.iter().map(|&power| T::narrow(power).widen());
        out.extend(kept.zip(&sums[full..]).map(|(power, &sum)| T::narrow(power / sum)));
    }
}

/// Log-softmax down the columns of a block; the logarithm is the vector's for all of them.
#[inline(always)]
fn log_columns<T: Float<Acc: Sleef + Libm>>(block: &[T], inner: usize, out: &mut Vec<T>) {
    let largest = largest_of_columns(block, inner);
    let mut powers = vec![T::Acc::ZERO; inner];
    let mut sums = vec![T::Acc::ZERO; inner];
    for row in block.chunks_exact(inner) {
        powers_across(row, &largest, &mut powers);
        add_to(&mut sums, &powers);
    }
    let logs: Vec<T::Acc> = sums.into_iter().map(Sleef::log).collect();
    for row in block.chunks_exact(inner) {
        let shifts = largest.iter().zip(&logs);
        out.extend(row.iter().zip(shifts).map(|(x, (&max, &log))| T::narrow((x.widen() - max) - log)));
    }
}

/// `_softmax_backward_data` and `_log_softmax_backward_data`, from the result.
fn along_backward(pass: &Pass, kind: Kind) -> Result<Gradients> {
    let output = pass.output(0)?;
    let dim = pass.call.int("dim")?.unwrap_or_else(|| implicit_dim(output));
    let dim = dims::wrap(dim, output.dim())?;
    let rows = Rows::around(output, dim);
    let last = dim + 1 == output.dim().max(1);
    pass.each(&[("input", &|| {
        let cotangent = pass.cotangent(0)?.contiguous();
        if cotangent.numel() == 0 {
            return Ok(cotangent);
        }
        let gradient =
            with_float_type!(output.dtype(), T => run_backward::<T>(&cotangent, output, rows, kind, last));
        if kind == Kind::Softmin { eager::neg(&gradient) } else { Ok(gradient) }
    })])
}

fn run_backward<T: Float>(cotangent: &Tensor, output: &Tensor, rows: Rows, kind: Kind, last: bool) -> Tensor
where
    T::Acc: Sleef + Libm,
{
    let (grad, y) = (cotangent.values::<T>(), output.values::<T>());
    let mut gradient = vec![T::default(); y.len()];
    let block = if last { rows.size } else { rows.size * rows.inner };
    vectorised(
        #[inline(always)]
        || {
            let blocks = grad.chunks(block).zip(y.chunks(block)).zip(gradient.chunks_mut(block));
            for ((grad, y), out) in blocks {
                match (kind, last) {
                    (Kind::LogSoftmax, true) => log_row_backward(grad, y, out),
                    (_, true) => row_backward(grad, y, out),
                    (_, false) => columns_backward(grad, y, rows, kind, out),
                }
            }
        },
    );
    Tensor::collect(output.shape(), gradient)
}

/// (grad - sum(grad y)) y, all in vectors.
#[inline(always)]
fn row_backward<T: Float<Acc: Sleef>>(grad: &[T], y: &[T], out: &mut [T]) {
    let pairs: Vec<_> = grad.iter().zip(y).map(|(g, y)| (g.widen(), y.widen())).collect();
    // Products of 16-bit types are exact.
    let fused = if T::DTYPE == DType::Float32 { Fused::InRest } else { Fused::Nowhere };
    let sum = sum_of_products::<T>(&pairs, fused);
    for (out, (g, y)) in out.iter_mut().zip(pairs) {
        *out = T::narrow((g - sum) * y);
    }
}

/// grad - e^y sum(grad), all in vectors.
#[inline(always)]
fn log_row_backward<T: Float<Acc: Sleef>>(grad: &[T], y: &[T], out: &mut [T]) {
    let wide: Vec<_> = grad.iter().map(|g| g.widen()).collect();
    let sum = sum_of_row::<T>(&wide);
    for (out, (g, y)) in out.iter_mut().zip(wide.into_iter().zip(y)) {
        *out = T::narrow((-Sleef::exp(y.widen())).fma(sum, g));
    }
}

/// The same down the columns of a block, where sums run in order from 0 on.
#[inline(always)]
fn columns_backward<T: Float<Acc: Sleef + Libm>>(grad: &[T], y: &[T], rows: Rows, kind: Kind, out: &mut [T]) {
    let full = in_vectors::<T>(rows.inner);
    let mut sums = vec![T::Acc::ZERO; rows.inner];
    for (grad, y) in grad.chunks_exact(rows.inner).zip(y.chunks_exact(rows.inner)) {
        for (sum, (g, y)) in sums.iter_mut().zip(grad.iter().zip(y)) {
            *sum = match kind {
                Kind::LogSoftmax => *sum + g.widen(),
                _ => g.widen().fma(y.widen(), *sum),
            };
        }
    }
    let lines = grad.chunks_exact(rows.inner).zip(y.chunks_exact(rows.inner));
    for (out, (grad, y)) in out.chunks_exact_mut(rows.inner).zip(lines) {
        for (column, (out, (g, y))) in out.iter_mut().zip(grad.iter().zip(y)).enumerate() {
            let (g, y, sum) = (g.widen(), y.widen(), sums[column]);
            let exp = if column < full { Sleef::exp } else { Libm::exp };
            *out = T::narrow(match kind {
                Kind::LogSoftmax => (-exp(y)).fma(sum, g),
                _ => y * (g - sum),
            });
        }
    }
}

/// An op of the registry on tensors of this family's making.
fn apply(op: &str, input: Tensor, dim: Option<&[i64]>, keepdim: bool) -> Result<Tensor> {
    let dim = dim.map(|dim| ("dim", dim.to_vec().into()));
    eager::call(op, [("input", input.into()), ("keepdim", keepdim.into())].into_iter().chain(dim))
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

/// The cotangent times e^(input - result), both with the reduced dims back in their places.
fn logsumexp_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    let dims = pass.call.ints("dim")?.unwrap_or_default();
    let keepdim = pass.call.flag("keepdim")?;
    let mut places = dims.iter().map(|&dim| dims::wrap(dim, input.dim())).collect::<Result<Vec<_>>>()?;
    places.sort_unstable();
    let restored = |reduced: &Tensor| {
        let missing = places.iter().filter(|_| !keepdim && input.dim() > 0);
        missing.fold(reduced.clone(), |tensor, &dim| tensor.unsqueezed(dim))
    };
    pass.each(&[("input", &|| {
        let powers = eager::exp(&eager::sub(input, restored(pass.output(0)?))?)?;
        eager::mul(&restored(&pass.cotangent(0)?), &powers)
    })])
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
    use super::super::call::Value;
    use super::*;

    fn softmax(data: &[f32], op: &str, dim: i64, shape: &[usize]) -> Vec<f32> {
        let input = Tensor::new(shape, data.to_vec()).unwrap();
        let args =
            [("input".to_owned(), Value::Tensor(input)), ("dim".to_owned(), Value::Scalar(Scalar::Int(dim)))];
        let call = Call { op: op.to_owned(), args: args.into_iter().collect() };
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
    fn gradients_of_rows_and_columns_sum_to_zero() {
        let y = softmax(&[1.0, 2.0, 4.0, 0.5, -1.0, 3.0], "softmax", 0, &[6]);
        let grad = [0.5f32, -0.25, 1.0, 0.125, 2.0, -1.0];
        let (mut row, mut column) = ([0.0f32; 6], [0.0f32; 6]);
        row_backward(&grad, &y, &mut row);
        columns_backward(&grad, &y, Rows { size: 6, inner: 1 }, Kind::Softmax, &mut column);
        for gradient in [row, column] {
            approx::assert_abs_diff_eq!(gradient.iter().sum::<f32>(), 0.0, epsilon = 1e-6);
            assert!(gradient.iter().any(|x| x.abs() > 0.01));
        }
    }

    #[test]
    fn a_sum_of_infinite_maxima_is_finite_work() {
        let out =
            softmax(&[f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, 1.0], "logsumexp", 1, &[2, 2]);
        assert_eq!(out, [f32::NEG_INFINITY, f32::INFINITY]);
    }
}
