//! Vector norms: `linalg.vector_norm`, and `norm`, which is one unless it names a matrix norm.
//!
//! | order | accumulated |
//! |---|---|
//! | 0 | the count of what is not 0 |
//! | 1 | \|x\| in order |
//! | 2 | x² in order, or in vectors along contiguous memory ([`squares_in_vectors`]); square root |
//! | inf, -inf | the largest, smallest \|x\|; NaN propagates |
//! | p | \|x\|^p in order with the C library's `pow`; then ^(1/p) |
//!
//! The accumulator is float64 for float64, else float32. "In order" is the order in which the
//! iterator walks memory. Where every reduced dimension has size 1, the norm is \|x\|, whatever
//! its order (`LinearAlgebra.cpp`).

use super::super::autograd::{Gradients, Pass};
use super::super::call::{Call, Failure, Result, Value};
use super::super::numerics::lanes::{Float, Real, VECTOR_BYTES};
use super::super::{dims, eager};
use super::sums::laid_out;
use super::{Plan, unreduced};
use crate::cpu::vectorised;
use crate::tensor::{DType, Element, Scalar, Tensor};

pub(super) const VECTOR_NORM: &[&str] = &["input", "ord", "dim", "keepdim", "dtype"];

/// `linalg.vector_norm`.
pub(super) fn vector_norm(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let order = call.scalar("ord")?.unwrap_or(Scalar::Int(2));
    along(call, input, order)
}

/// `torch.norm`: a name (without `p`, "fro") is a matrix norm's, but for "fro" over two dimensions
/// or fewer. `None` is order 2.
pub(super) fn norm(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let name = match call.args.get("p") {
        None => "fro",
        Some(Value::Str(name)) => name,
        Some(_) => return along(call, input, call.scalar("p")?.unwrap_or(Scalar::Int(2))),
    };
    match call.ints("dim")?.as_ref().map_or(0, Vec::len) {
        0..=2 if name == "fro" => along(call, input, Scalar::Int(2)),
        _ => Err(refused_matrix_norm(call, input, name)?),
    }
}

pub(super) fn vector_norm_backward(pass: &Pass) -> Result<Gradients> {
    back(pass, pass.call.float("ord", 2.0)?)
}

/// A name stands for order 2 wherever the forward pass has a result.
pub(super) fn norm_backward(pass: &Pass) -> Result<Gradients> {
    let order = match pass.call.get("p") {
        Some(Value::Scalar(order)) => order.to_f64(),
        _ => 2.0,
    };
    back(pass, order)
}

/// By order, with `sgn` of an element times:
///
/// | order | |
/// |---|---|
/// | 0 | nothing flows back |
/// | 1 | the cotangent |
/// | 2 | the cotangent times \|x\| / norm |
/// | inf, -inf | the cotangent, shared evenly by what has the norm's magnitude or is NaN |
/// | p | the cotangent times (\|x\| / norm)^(p - 1), in an order of its own below 1 and above 2 |
///
/// Where dividing by a norm of 0 would give NaN, the gradient is 0 (`norm_backward`).
fn back(pass: &Pass, p: f64) -> Result<Gradients> {
    if p == 0.0 {
        return Ok(pass.wrt.iter().map(|name| (name.clone(), vec![None])).collect());
    }
    pass.each(&[("input", &|| {
        let (call, input) = (pass.call, pass.call.tensor("input")?);
        let (cotangent, norm) = (unreduced(call, &pass.cotangent(0)?)?, unreduced(call, pass.output(0)?)?);
        let zero = Scalar::Int(0);
        let unless_zero = |quotient: &Tensor| eager::masked_fill(quotient, &eager::eq(&norm, zero)?, zero);
        let power = |exponent: f64| eager::pow(&magnitudes_laid_out(input)?, Scalar::Float(exponent));
        if p == 1.0 {
            eager::mul(&eager::sgn(input)?, &cotangent)
        } else if p == 2.0 {
            eager::mul(&cotangent, &unless_zero(&eager::div(input, &norm)?)?)
        } else if p.is_infinite() {
            let magnitudes = eager::abs(input)?;
            let mask = eager::logical_or(&eager::eq(&magnitudes, &norm)?, &eager::isnan(&magnitudes)?)?;
            let count = eager::sum_keepdim(&mask, call.ints("dim")?.unwrap_or_default())?;
            eager::mul(&eager::sgn(input)?, &eager::mul(&eager::div(&cotangent, &count)?, &mask)?)
        } else if p < 1.0 {
            let powers = eager::masked_fill(&power(p - 1.0)?, &eager::eq(input, zero)?, zero)?;
            let scaled = eager::mul(&eager::sgn(input)?, &powers)?;
            eager::mul(&eager::mul(&scaled, &cotangent)?, &eager::pow(&norm, Scalar::Float(1.0 - p))?)
        } else {
            let scaled = if p < 2.0 {
                eager::mul(&eager::sgn(input)?, &power(p - 1.0)?)?
            } else {
                eager::mul(input, &power(p - 2.0)?)?
            };
            eager::mul(
                &scaled,
                &unless_zero(&eager::div(&cotangent, &eager::pow(&norm, Scalar::Float(p - 1.0))?)?)?,
            )
        }
    })])
}

/// `abs`, laid out as PyTorch's is: what a power is computed with depends on an element's place.
fn magnitudes_laid_out(input: &Tensor) -> Result<Tensor> {
    fn magnitude<T: Float<Acc: Root>>(x: T) -> T {
        T::narrow(x.widen().abs())
    }
    Ok(with_float!(input, data => laid_out(input, data, magnitude)?, _ => input.clone()))
}

/// Why PyTorch has no such matrix norm, in the order of its checks.
fn refused_matrix_norm(call: &Call, input: &Tensor, name: &str) -> Result<Failure> {
    if name != "fro" && name != "nuc" {
        return Ok(Failure::runtime(format!("linalg.matrix_norm: Order {name} not supported.")));
    }
    check_input(input, "linalg.matrix_norm")?;
    if name == "nuc" && input.dtype().size() == 2 {
        return Ok(Failure::not_implemented(format!(
            "linalg.matrix_norm: Low precision dtypes not supported. Got {}",
            input.dtype().scalar_type()
        )));
    }
    let dims = call.ints("dim")?.unwrap_or_else(|| (0..input.dim() as i64).collect());
    if dims.len() != 2 {
        let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
        return Ok(Failure::runtime(format!(
            "linalg.matrix_norm: dim must be a 2-tuple. Got {}",
            dims.join(" ")
        )));
    }
    Ok(Failure::Unsupported(format!("norm: the matrix norm {name}")))
}

fn check_input(input: &Tensor, op: &str) -> Result<()> {
    if input.dtype().is_floating() {
        return Ok(());
    }
    Err(Failure::not_implemented(format!(
        "{op}: Expected a floating point or complex tensor as input. Got {}",
        input.dtype().scalar_type()
    )))
}

const OP: &str = "linalg.vector_norm";

/// Refuses orders without an identity where there is nothing to reduce.
fn check_identity(input: &Tensor, order: Scalar, dims: Option<&[i64]>) -> Result<()> {
    let p = order.to_f64();
    if input.numel() > 0 || !(p < 0.0 || p == f64::INFINITY) {
        return Ok(());
    }
    let (order, why) = (printed(order), "the operation does not have an identity");
    let Some(dims) = dims.filter(|dims| !dims.is_empty()) else {
        return Err(Failure::runtime(format!(
            "{OP} cannot compute the {order} norm on an empty tensor because {why}"
        )));
    };
    for &dim in dims {
        if input.shape().get(dims::wrap(dim, input.dim())?) == Some(&0) {
            return Err(Failure::runtime(format!(
                "{OP} cannot compute the {order} norm on the dimension {dim}because this dimension is empty and {why}"
            )));
        }
    }
    Ok(())
}

/// A number as C++ streams print it: six significant digits.
fn printed(number: Scalar) -> String {
    let Scalar::Float(value) = number else { return number.to_string() };
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{value:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

fn check_dtype(input: DType, wanted: DType) -> Result<()> {
    if !wanted.is_floating() {
        return Err(Failure::runtime(format!(
            "{OP}: dtype should be floating point or complex, but got {}",
            wanted.scalar_type()
        )));
    }
    if input.promote(wanted) == Some(wanted) {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "{OP}: the dtype of the input ({}) should be convertible without narrowing to the specified dtype ({})",
        input.scalar_type(),
        wanted.scalar_type()
    )))
}

fn along(call: &Call, input: &Tensor, order: Scalar) -> Result {
    let dims = call.ints("dim")?;
    let dtype = call.dtype("dtype")?.unwrap_or(input.dtype());
    check_input(input, OP)?;
    check_identity(input, order, dims.as_deref())?;
    check_dtype(input.dtype(), dtype)?;
    let plan = Plan::one_by_one(call, input)?;
    let input = input.to_dtype(dtype);
    Ok(with_float!(input, data => norms(data, &input, &plan, order.to_f64()), _ => input.clone()).into())
}

fn norms<T: Float>(data: &[T], input: &Tensor, plan: &Plan, p: f64) -> Tensor
where
    T::Acc: Root,
{
    let sizes = input.shape().iter().zip(&plan.reduced);
    if sizes.clone().all(|(&size, &reduced)| !reduced || size == 1) {
        return magnitudes(data, input, plan, p);
    }
    let of = |value: f64| T::from_f64(value);
    if input.numel() == 0 {
        return plan.run(of(if p < 0.0 { f64::INFINITY } else { 0.0 }), |_| {});
    }
    let walk = plan.walk(input);
    if p == 2.0 && walk.reduces_contiguous_rows() && T::DTYPE != DType::Float16 {
        let (rows, reduced) = walk.groups::<1>();
        return plan.run(of(0.0), |output| {
            vectorised(
                #[inline(always)]
                || {
                    for row in rows {
                        let squares = squares_in_vectors(&data[row.inputs[0]..][..reduced.length]);
                        output[row.outputs[0]] = T::narrow(squares.sqrt());
                    }
                },
            );
        });
    }
    let order = Order::<T::Acc>::of(p);
    plan.run(of(0.0), |output| {
        let step = |total, x: T| order.step(total, x.widen().abs());
        let finish = |place, total| output[place] = T::narrow(order.finish(total));
        walk.fold_outputs(data, order.identity(), step, finish);
    })
}

/// The norms of single elements: |x|, or whether it is not 0 for order 0.
fn magnitudes<T: Float>(data: &[T], input: &Tensor, plan: &Plan, p: f64) -> Tensor
where
    T::Acc: Root,
{
    let zero = T::from_f64(0.0);
    let each = |at: usize| match p == 0.0 {
        true => T::from_f64(f64::from(u8::from(data[at] != zero))),
        false => T::narrow(data[at].widen().abs()),
    };
    Tensor::collect(&plan.shape, input.positions().map(each))
}

/// What a norm needs of its accumulator.
trait Root: Real + std::ops::Mul<Output = Self> {
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn powf(self, exponent: Self) -> Self;
    /// `self * factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
}

macro_rules! roots {
    ($($type:ty),*) => {$(
        impl Root for $type {
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn powf(self, exponent: Self) -> Self {
                self.powf(exponent)
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }
        }
    )*};
}

roots!(f32, f64);

/// How a norm of some order is accumulated (`SharedReduceOps.h`).
#[derive(Clone, Copy)]
enum Order<R> {
    Zero,
    One,
    Two,
    Largest,
    Smallest,
    Power(R),
}

impl<R: Root> Order<R> {
    fn of(p: f64) -> Order<R> {
        match p {
            0.0 => Order::Zero,
            1.0 => Order::One,
            2.0 => Order::Two,
            f64::INFINITY => Order::Largest,
            f64::NEG_INFINITY => Order::Smallest,
            _ => Order::Power(R::from_scalar(Scalar::Float(p))),
        }
    }

    fn identity(self) -> R {
        match self {
            Order::Smallest => R::from_scalar(Scalar::Float(f64::INFINITY)),
            _ => R::ZERO,
        }
    }

    #[inline(always)]
    fn step(self, total: R, magnitude: R) -> R {
        let one = R::from_scalar(Scalar::Int(1));
        match self {
            Order::Zero if magnitude == R::ZERO => total,
            Order::Zero => total + one,
            Order::One => total + magnitude,
            Order::Two => total + magnitude * magnitude,
            Order::Largest if total.is_nan() || magnitude < total => total,
            Order::Smallest if total.is_nan() || magnitude > total => total,
            Order::Largest | Order::Smallest => magnitude,
            Order::Power(p) => total + magnitude.powf(p),
        }
    }

    fn finish(self, total: R) -> R {
        match self {
            Order::Two => total.sqrt(),
            Order::Power(p) => total.powf(R::from_scalar(Scalar::Int(1)) / p),
            _ => total,
        }
    }
}

/// The sum of squares of a contiguous row (`ReduceOpsKernel.cpp`, the path over the last
/// dimension): one vector of accumulators, then across its lanes in order, then what fills no
/// vector. A 16-bit vector is two vectors of accumulators, added one after the other.
///
/// The compiler fused that last multiplication and addition where it did not unroll the loop: in
/// float64 always, in float32 but for the first full groups of four.
#[inline(always)]
fn squares_in_vectors<T: Float>(row: &[T]) -> T::Acc
where
    T::Acc: Root,
{
    let width = VECTOR_BYTES / T::Acc::DTYPE.size();
    let vectors = row.len() / T::PER_VECTOR * T::PER_VECTOR;
    let mut lanes = [T::Acc::ZERO; VECTOR_BYTES / size_of::<f32>()];
    for vector in row[..vectors].chunks_exact(width) {
        for (lane, x) in lanes.iter_mut().zip(vector) {
            let x = x.widen();
            *lane = *lane + x * x;
        }
    }
    let across = lanes[..width].iter().copied().reduce(|sum, lane| sum + lane).unwrap_or(T::Acc::ZERO);
    let tail = &row[vectors..];
    let apart = if T::DTYPE == DType::Float32 { tail.len() / 4 * 4 } else { 0 };
    tail.iter().enumerate().fold(across, |sum, (i, x)| {
        let x = x.widen();
        if i < apart { sum + x * x } else { x.mul_add(x, sum) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_in_cpp() {
        let float = |x| printed(Scalar::Float(x));
        assert_eq!(printed(Scalar::Int(-1)), "-1");
        assert_eq!([-1.5, -2.0, -0.1, -1e-7].map(float), ["-1.5", "-2", "-0.1", "-1e-07"]);
        assert_eq!(
            [-1234567.0, f64::INFINITY, f64::NEG_INFINITY].map(float),
            ["-1.23457e+06", "inf", "-inf"]
        );
    }
}
