//! Scans along one dimension: `cumsum`, `cumprod`, `cummax`, `cummin`, `logcumsumexp`.
//!
//! | op | accepts | result dtype | accumulates in |
//! |---|---|---|---|
//! | `cumsum`, `cumprod` | every dtype but bool and uint32 | `dtype`, else int64 for integers and bool | float64; float32 for 16-bit floats; int64, wrapping |
//! | `cummax`, `cummin` | every dtype but uint32 | the same, and int64 | - |
//! | `logcumsumexp` | floats | the same | float64; float32 for 16-bit floats |
//!
//! All go strictly from the first element to the last, and each stored value is the accumulator
//! rounded once; the accumulator itself is not rounded (`ReduceOpsKernel.cpp`, confirmed by
//! experiment). A 0-d tensor and one without elements come back as they are, whatever the dtype,
//! except that `logcumsumexp` looks for its kernel first.

use half::{bf16, f16};

use super::autograd::{Gradients, Pass};
use super::call::{Call, Failure, Result, refuse_uint32};
use super::eager;
use super::numerics::extremes::End;
use super::numerics::small;
use super::{Backward, Op};
use super::{dims, lines};
use crate::cpu::vectorised;
use crate::tensor::transpose::{SIDE, Shuffles, lanes_to_lines, lines_to_lanes};
use crate::tensor::{DType, Element, Scalar, Storage, Tensor};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "cumsum",
        parameters: &["input", "dim", "dtype"],
        forward: cumsum,
        backward: Backward::Rule(cumsum_backward),
    },
    Op {
        name: "cumprod",
        parameters: &["input", "dim", "dtype"],
        forward: cumprod,
        backward: Backward::Rule(cumprod_backward),
    },
    Op {
        name: "cummax",
        parameters: &["input", "dim"],
        forward: cummax,
        backward: Backward::Rule(running_extreme_backward),
    },
    Op {
        name: "cummin",
        parameters: &["input", "dim"],
        forward: cummin,
        backward: Backward::Rule(running_extreme_backward),
    },
    Op {
        name: "logcumsumexp",
        parameters: &["input", "dim"],
        forward: logcumsumexp,
        backward: Backward::Rule(logcumsumexp_backward),
    },
];

/// The arithmetic of an accumulator.
trait Number: Copy {
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! float_numbers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self + other
            }
            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self * other
            }
        }
    )*};
}

float_numbers!(f32, f64);

impl Number for i64 {
    const ZERO: i64 = 0;
    const ONE: i64 = 1;
    #[inline(always)]
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn times(self, other: i64) -> i64 {
        self.wrapping_mul(other)
    }
}

/// An element and the type in which `cumsum` and `cumprod` accumulate it.
trait Accumulated: Element {
    type Acc: Number;
    fn widen(self) -> Self::Acc;
    fn narrow(acc: Self::Acc) -> Self;
}

macro_rules! accumulated {
    ($($type:ty => $acc:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Accumulated for $type {
            type Acc = $acc;
            #[inline(always)]
            fn widen(self) -> $acc {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(acc: $acc) -> $type {
                $narrow(acc)
            }
        }
    )*};
}

accumulated! {
    f64 => f64, |x| x, |acc| acc;
    f32 => f64, f64::from, |acc| acc as f32;
    f16 => f32, small::from_f16, small::to_f16;
    bf16 => f32, small::from_bf16, small::to_bf16;
    i64 => i64, |x| x, |acc| acc;
    i32 => i64, i64::from, |acc| acc as i32;
    i16 => i64, i64::from, |acc| acc as i16;
    i8 => i64, i64::from, |acc| acc as i8;
    u8 => i64, i64::from, |acc| acc as u8;
}

/// Replaces every element by what the accumulator, which starts anew on every line, is after it.
/// The result is row-major.
#[inline(always)]
fn scan<T: Element, A: Copy, U: Element>(
    input: &Tensor,
    dim: usize,
    start: A,
    step: impl Fn(A, T) -> A + Copy,
    store: impl Fn(A) -> U + Copy,
) -> Tensor {
    let (input, length) = (input.contiguous(), lines::length(input, dim).max(1));
    let inner: usize = input.shape().iter().skip(dim + 1).product();
    let data = input.values::<T>();
    let mut output = Vec::with_capacity(data.len());
    let shuffles = Shuffles::new();
    vectorised(
        #[inline(always)]
        || {
            if inner == 1 {
                let mut groups = data.chunks_exact(SIDE * length);
                for lines in &mut groups {
                    scan_lines(lines, start, step, store, &mut output, shuffles);
                }
                for line in groups.remainder().chunks(length) {
                    scan_across(line, 1, start, step, store, &mut output);
                }
            } else {
                for block in data.chunks(length * inner.max(1)) {
                    scan_across(block, inner, start, step, store, &mut output);
                }
            }
        },
    );
    Tensor::collect(input.shape(), output)
}

/// Scans down the columns of a block, row by row.
#[inline(always)]
fn scan_across<T: Element, A: Copy, U: Element>(
    block: &[T],
    columns: usize,
    start: A,
    step: impl Fn(A, T) -> A,
    store: impl Fn(A) -> U,
    output: &mut Vec<U>,
) {
    let mut accumulators = vec![start; columns];
    for row in block.chunks(columns.max(1)) {
        output.extend(accumulators.iter_mut().zip(row).map(|(acc, &x)| {
            *acc = step(*acc, x);
            store(*acc)
        }));
    }
}

/// Elements of each line that are read before they are scanned.
const STEPS: usize = 32;

/// Scans as many lines as a square has rows side by side, each in a lane: a step has to wait for
/// the one before it on its own line only.
#[inline(always)]
fn scan_lines<T: Element, A: Copy, U: Element>(
    lines: &[T],
    start: A,
    step: impl Fn(A, T) -> A,
    store: impl Fn(A) -> U,
    output: &mut Vec<U>,
    shuffles: Shuffles,
) {
    let length = lines.len() / SIDE;
    let first = output.len();
    output.resize(first + lines.len(), U::default());
    let output = &mut output[first..];
    let mut accumulators = [start; SIDE];
    let (mut elements, mut results) = ([[T::default(); SIDE]; STEPS], [[U::default(); SIDE]; STEPS]);
    for from in (0..length).step_by(STEPS) {
        let steps = STEPS.min(length - from);
        let (elements, results) = (&mut elements[..steps], &mut results[..steps]);
        lines_to_lanes(|line| &lines[line * length + from..], elements, shuffles);
        for (elements, results) in elements.iter().zip(&mut *results) {
            for line in 0..SIDE {
                accumulators[line] = step(accumulators[line], elements[line]);
                results[line] = store(accumulators[line]);
            }
        }
        lanes_to_lines(results, &mut output[from..], length, shuffles);
    }
}

fn cumsum(call: &Call) -> Result {
    accumulate(call, Which::Sum)
}

fn cumprod(call: &Call) -> Result {
    accumulate(call, Which::Product)
}

#[derive(Clone, Copy)]
enum Which {
    Sum,
    Product,
}

fn accumulate(call: &Call, which: Which) -> Result {
    let input = call.tensor("input")?;
    let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
    let own = input.dtype();
    let default = if own.is_floating() { own } else { DType::Int64 };
    let input = input.to_dtype(call.dtype("dtype")?.unwrap_or(default));
    if input.dim() == 0 || input.numel() == 0 {
        return Ok(input.into());
    }
    fn run<T: Accumulated>(_: &[T], input: &Tensor, dim: usize, which: Which) -> Tensor {
        match which {
            Which::Sum => scan(input, dim, T::Acc::ZERO, |acc, x: T| acc.plus(x.widen()), T::narrow),
            Which::Product => scan(input, dim, T::Acc::ONE, |acc, x: T| acc.times(x.widen()), T::narrow),
        }
    }
    let output = match input.storage() {
        Storage::Float64(data) => run(data, &input, dim, which),
        Storage::Float32(data) => run(data, &input, dim, which),
        Storage::Float16(data) => run(data, &input, dim, which),
        Storage::BFloat16(data) => run(data, &input, dim, which),
        Storage::Int64(data) => run(data, &input, dim, which),
        Storage::Int32(data) => run(data, &input, dim, which),
        Storage::Int16(data) => run(data, &input, dim, which),
        Storage::Int8(data) => run(data, &input, dim, which),
        Storage::UInt8(data) => run(data, &input, dim, which),
        Storage::UInt32(_) | Storage::Bool(_) => {
            return Err(Failure::no_kernel(&format!("{}_out_cpu", call.op), input.dtype()));
        }
    };
    Ok(output.into())
}

fn cumsum_backward(pass: &Pass) -> Result<Gradients> {
    pass.refuse_integral_result()?;
    pass.each(&[("input", &|| {
        let (input, dim) = (pass.call.tensor("input")?, pass.call.required_int("dim")?);
        let cotangent = pass.cotangent(0)?.to_dtype(input.dtype());
        if is_trivial(input, dim)? { Ok(cotangent) } else { reversed(eager::cumsum, &cotangent, dim) }
    })])
}

/// Whether every line is one element, which then has the whole gradient.
fn is_trivial(input: &Tensor, dim: i64) -> Result<bool> {
    Ok(input.numel() <= 1 || lines::length(input, dims::wrap(dim, input.dim())?) == 1)
}

/// A scan from the last element to the first.
fn reversed(scan: fn(&Tensor, i64) -> Result<Tensor>, input: &Tensor, dim: i64) -> Result<Tensor> {
    eager::flip(&scan(&eager::flip(input, dim)?, dim)?, dim)
}

/// Where no factor is 0, the later products times their cotangents are summed and divided by the
/// factor.
fn cumprod_backward(pass: &Pass) -> Result<Gradients> {
    pass.refuse_integral_result()?;
    pass.each(&[("input", &|| {
        let (input, output) = (pass.call.tensor("input")?, pass.output(0)?);
        let dim = pass.call.required_int("dim")?;
        let cotangent = pass.cotangent(0)?.to_dtype(input.dtype());
        if is_trivial(input, dim)? {
            return Ok(cotangent);
        }
        let products = eager::mul(output, &cotangent)?;
        let is_zero = eager::eq(input, Scalar::Int(0))?;
        if !is_zero.values::<bool>().contains(&true) {
            return eager::div(&reversed(eager::cumsum, &products, dim)?, input);
        }
        cumprod_of_zeros_backward(input, output, &cotangent, &products, &is_zero, dim)
    })])
}

/// With zeros, each line has three parts: before its first 0 all is as without; the first 0 has
/// the sum over what follows it up to the second, without the 0 itself; from there on all is 0.
fn cumprod_of_zeros_backward(
    input: &Tensor,
    output: &Tensor,
    cotangent: &Tensor,
    products: &Tensor,
    is_zero: &Tensor,
    dim: i64,
) -> Result<Tensor> {
    let zeros_so_far = eager::cumsum(is_zero, dim)?;
    let before = eager::eq(&zeros_so_far, Scalar::Int(0))?;
    let between = eager::eq(&zeros_so_far, Scalar::Int(1))?;
    let first = place_of_max(&between, dim)?;
    let ones = Tensor::full(first.shape(), Scalar::Bool(true), DType::Bool);
    let at_first = eager::scatter(&eager::zeros_like(&between)?, dim, &first, &ones)?;
    let at_first = eager::logical_and(&at_first, &between)?;
    let after_first = eager::logical_and(&between, &eager::logical_not(&at_first)?)?;

    let masked = eager::masked_fill(products, &eager::logical_not(&before)?, Scalar::Float(0.0))?;
    // Products in another dtype come back to the input's where they are written.
    let of_before = eager::div(&reversed(eager::cumsum, &masked, dim)?, input)?.to_dtype(input.dtype());
    let gradient = eager::masked_scatter(
        &eager::zeros_like(cotangent)?,
        &before,
        &eager::masked_select(&of_before, &before)?,
    )?;

    let factors = eager::masked_fill(input, &eager::logical_not(&after_first)?, Scalar::Float(1.0))?;
    let elsewhere = eager::ne(&zeros_so_far, Scalar::Int(1))?;
    let of_between = eager::masked_fill(cotangent, &elsewhere, Scalar::Float(0.0))?;
    let sums = eager::sum_keepdim(&eager::mul(&eager::cumprod(&factors, dim)?, &of_between)?, vec![dim])?;
    let previous = eager::call("relu", [("input", eager::sub(&first, Scalar::Int(1))?.into())])?;
    let is_start = eager::eq(&first, Scalar::Int(0))?;
    let product = eager::masked_fill(&eager::gather(output, dim, &previous)?, &is_start, Scalar::Float(1.0))?;
    let of_first = eager::mul(&sums, &product)?.to_dtype(input.dtype());
    eager::masked_scatter(&gradient, &at_first, &eager::masked_select(&of_first, &at_first)?)
}

/// The positions of `max` along a dimension, which is kept.
fn place_of_max(input: &Tensor, dim: i64) -> Result<Tensor> {
    eager::output("max", [("input", input.into()), ("dim", dim.into()), ("keepdim", true.into())], 1)
}

fn cummax(call: &Call) -> Result {
    running_extreme(call, End::Max)
}

fn cummin(call: &Call) -> Result {
    running_extreme(call, End::Min)
}

fn running_extreme(call: &Call, end: End) -> Result {
    let input = call.tensor("input")?;
    let dim = call.required_int("dim")?;
    if input.dim() == 0 && !(-1..=0).contains(&dim) {
        return Err(Failure::index(format!(
            "{}(): Expected reduction dim -1 or 0 for scalar but got {dim}",
            call.op
        )));
    }
    let dim = dims::wrap(dim, input.dim())?;
    if input.dim() > 0 && input.numel() > 0 {
        refuse_uint32(&format!("{}_cpu", call.op), input.dtype())?;
    }
    Ok(with_type!(input.dtype(), T => running::<T>(input, dim, end)).into())
}

/// The extreme so far and its position: ties go to the later element, and so does NaN, after
/// which only another NaN takes over.
fn running<T: Element>(input: &Tensor, dim: usize, end: End) -> (Tensor, Tensor) {
    let mut data = lines::read::<T>(input, dim);
    let mut indices = Vec::with_capacity(data.len());
    for line in data.chunks_mut(lines::length(input, dim).max(1)) {
        let mut best: Option<(T, i64)> = None;
        for (index, x) in line.iter_mut().enumerate() {
            let (value, place) = match best {
                Some((value, place)) if !later_wins(end, value, *x) => (value, place),
                _ => (*x, index as i64),
            };
            best = Some((value, place));
            *x = value;
            indices.push(place);
        }
    }
    (lines::write(input.shape(), dim, data), lines::write(input.shape(), dim, indices))
}

/// What comes from several outputs to one element is added in their order.
fn running_extreme_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let input = pass.call.tensor("input")?;
        if input.numel() == 0 {
            return Ok(input.clone());
        }
        let dim = pass.call.required_int("dim")?;
        eager::scatter_add(&eager::zeros_like(input)?, dim, pass.output(1)?, &pass.cotangent(0)?)
    })])
}

fn later_wins<T: Element>(end: End, so_far: T, next: T) -> bool {
    next.is_nan() || (!so_far.is_nan() && !end.beats(so_far, next))
}

fn logcumsumexp(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
    fn run<T: Accumulated<Acc: Exponential>>(_: &[T], input: &Tensor, dim: usize) -> Tensor {
        scan(input, dim, T::Acc::LEAST, |acc, x: T| log_add_exp(x.widen(), acc), T::narrow)
    }
    let scanned = match input.storage() {
        Storage::Float64(data) => run(data, input, dim),
        Storage::Float32(data) => run(data, input, dim),
        Storage::Float16(data) => run(data, input, dim),
        Storage::BFloat16(data) => run(data, input, dim),
        _ => return Err(Failure::no_kernel("logcumsumexp_out_cpu", input.dtype())),
    };
    Ok(if input.dim() == 0 { input.clone() } else { scanned }.into())
}

/// Positive and negative cotangents apart, each by way of its logarithm.
fn logcumsumexp_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| {
        let (input, cotangent) = (pass.call.tensor("input")?, pass.cotangent(0)?);
        if input.dim() == 0 || input.numel() == 0 {
            return Ok(cotangent);
        }
        let dim = pass.call.required_int("dim")?;
        let least = Tensor::full(&[], lowest(cotangent.dtype()), cotangent.dtype());
        let logarithm = eager::log(&eager::abs(&cotangent)?)?;
        let part = |signed: Tensor| {
            let logarithm = eager::where_(&signed, &logarithm, &least)?;
            let difference = eager::sub(&logarithm, pass.output(0)?)?;
            eager::exp(&eager::add(&reversed(eager::logcumsumexp, &difference, dim)?, input)?)
        };
        let positive = part(eager::gt(&cotangent, Scalar::Int(0))?)?;
        let negative = part(eager::lt(&cotangent, Scalar::Int(0))?)?;
        eager::sub(&positive, &negative)
    })])
}

/// The least finite value of a floating dtype.
fn lowest(dtype: DType) -> Scalar {
    Scalar::Float(match dtype {
        DType::Float16 => f16::MIN.to_f64(),
        DType::BFloat16 => bf16::MIN.to_f64(),
        DType::Float32 => f64::from(f32::MIN),
        _ => f64::MIN,
    })
}

/// The two functions behind `log_add_exp`, which PyTorch takes from the C library.
trait Exponential: Element + std::ops::Sub<Output = Self> + std::ops::Add<Output = Self> {
    const LEAST: Self;
    fn exp(self) -> Self;
    fn ln_1p(self) -> Self;
    fn is_finite(self) -> bool;
}

macro_rules! exponential {
    ($($type:ty),*) => {$(
        impl Exponential for $type {
            const LEAST: $type = <$type>::NEG_INFINITY;
            fn exp(self) -> $type {
                self.exp()
            }
            fn ln_1p(self) -> $type {
                self.ln_1p()
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}

exponential!(f32, f64);

/// log(exp(x) + exp(y)) as log1p(exp(min - max)) + max (`LogAddExp.h`); equal infinities, whose
/// difference is no number, stay what they are.
fn log_add_exp<T: Exponential>(x: T, y: T) -> T {
    let (min, max) = match (x.is_nan(), y.is_nan()) {
        (_, true) => (y, y),
        (true, _) => (x, x),
        _ if y < x => (y, x),
        _ => (x, y),
    };
    if min != max || min.is_finite() { (min - max).exp().ln_1p() + max } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(op: &str, input: Tensor, dim: i64) -> Call {
        use crate::ops::Value;
        let args = [("input", Value::Tensor(input)), ("dim", Value::Scalar(Scalar::Int(dim)))];
        Call {
            op: op.into(),
            args: args.map(|(name, value)| (name.to_string(), value)).into_iter().collect(),
        }
    }

    #[test]
    fn float32_accumulates_in_float64() {
        let x = Tensor::new(&[4], vec![1e8f32, 1.0, 1.0, -1e8]).unwrap();
        let sums = cumsum(&call("cumsum", x, 0)).unwrap();
        assert_eq!(*sums.outputs[0].values::<f32>(), [1e8, 1e8, 1e8, 2.0]);
    }

    #[test]
    fn lines_side_by_side_are_lines_one_by_one() {
        for (lines, length) in [(1, 70), (7, 5), (8, 1), (9, 31), (16, 32), (17, 33), (8, 100)] {
            let data: Vec<f32> = (0..lines * length).map(|i| (i as f32).sin() * 1e4).collect();
            let expected: Vec<f32> = data
                .chunks(length)
                .flat_map(|line| {
                    line.iter().scan(0.0f64, |sum, &x| {
                        *sum += f64::from(x);
                        Some(*sum as f32)
                    })
                })
                .collect();
            let along_rows = Tensor::new(&[lines, length], data).unwrap();
            let scanned = cumsum(&call("cumsum", along_rows.clone(), 1)).unwrap();
            assert_eq!(*scanned.outputs[0].values::<f32>(), expected, "{lines} lines of {length}");
            let down_columns = along_rows.permuted(&[1, 0]).contiguous();
            let scanned = cumsum(&call("cumsum", down_columns, 0)).unwrap();
            let back = scanned.outputs[0].permuted(&[1, 0]);
            assert_eq!(*back.values::<f32>(), expected, "{lines} columns of {length}");
        }
    }

    #[test]
    fn ties_and_nans_go_to_the_later() {
        let nan = f32::NAN;
        let x = Tensor::new(&[6], vec![0.0f32, -0.0, 1.0, nan, 2.0, nan]).unwrap();
        let got = cummax(&call("cummax", x, 0)).unwrap();
        assert_eq!(*got.outputs[1].values::<i64>(), [0, 1, 2, 3, 3, 5]);
        assert!(got.outputs[0].values::<f32>()[1].is_sign_negative());
    }

    #[test]
    fn infinities_do_not_turn_into_nan() {
        let inf = f64::INFINITY;
        assert_eq!(log_add_exp(-inf, -inf), -inf);
        assert_eq!(log_add_exp(inf, inf), inf);
        assert_eq!(log_add_exp(1.0, -inf), 1.0);
        assert!(log_add_exp(f64::NAN, 1.0).is_nan() && log_add_exp(1.0, f64::NAN).is_nan());
    }
}
