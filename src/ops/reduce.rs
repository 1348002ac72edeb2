//! Reductions to one value per output: `sum`, `mean`, `prod`, `var`, `std`, `amax`, `amin`.
//!
//! | op | accepts | result dtype | order |
//! |---|---|---|---|
//! | `sum` | every dtype | `dtype`, else int64 for integers and bool | cascade ([`numerics`](super::numerics)) |
//! | `mean` | floats, or `dtype=` a float | the float type | cascade, then one division |
//! | `prod` | every dtype | as `sum` | vectorised fold |
//! | `var`, `std` | floats | the float type | float64: two-pass over everything, Welford per output |
//! | `amax`, `amin` | every dtype | the same | vectorised fold |
//!
//! Every float result equals PyTorch's bit for bit.

use super::call::{Call, Failure, Result, Returned, refuse_uint32};
use super::dims;
use super::numerics::extremes::End;
use super::numerics::iterator::Walk;
use super::numerics::lanes::Float;
use super::numerics::product::{Fold, fold};
use super::numerics::{sum as cascade, variance};
use super::{Backward, Op};
use crate::tensor::{DType, Element, Scalar, Storage, Tensor};
use crate::with_data;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "sum",
        parameters: &["input", "dim", "keepdim", "dtype"],
        forward: sum,
        backward: Backward::Unwritten,
    },
    Op {
        name: "mean",
        parameters: &["input", "dim", "keepdim", "dtype"],
        forward: mean,
        backward: Backward::Unwritten,
    },
    Op {
        name: "prod",
        parameters: &["input", "dim", "keepdim", "dtype"],
        forward: prod,
        backward: Backward::Unwritten,
    },
    Op {
        name: "var",
        parameters: &["input", "dim", "unbiased", "correction", "keepdim"],
        forward: var,
        backward: Backward::Unwritten,
    },
    Op {
        name: "std",
        parameters: &["input", "dim", "unbiased", "correction", "keepdim"],
        forward: std,
        backward: Backward::Unwritten,
    },
    Op {
        name: "amax",
        parameters: &["input", "dim", "keepdim"],
        forward: amax,
        backward: Backward::Unwritten,
    },
    Op {
        name: "amin",
        parameters: &["input", "dim", "keepdim"],
        forward: amin,
        backward: Backward::Unwritten,
    },
];

/// Runs one generic expression on the elements of a floating tensor.
macro_rules! with_float {
    ($tensor:expr, $data:ident => $body:expr, _ => $otherwise:expr) => {
        match $tensor.storage() {
            Storage::Float64($data) => $body,
            Storage::Float32($data) => $body,
            Storage::Float16($data) => $body,
            Storage::BFloat16($data) => $body,
            _ => $otherwise,
        }
    };
}

/// What is reduced, and the shape that is left.
struct Plan {
    reduced: Vec<bool>,
    shape: Vec<usize>,
}

impl Plan {
    fn new(call: &Call, input: &Tensor) -> Result<Plan> {
        let reduced = dims::mask(call.ints("dim")?.as_deref(), input.dim())?;
        let shape = dims::reduced_shape(input.shape(), &reduced, call.flag("keepdim")?);
        Ok(Plan { reduced, shape })
    }

    /// Every dimension, with nothing left of the shape.
    fn everything(input: &Tensor) -> Plan {
        Plan { reduced: vec![true; input.dim()], shape: Vec::new() }
    }

    /// How many results there are.
    fn outputs(&self) -> usize {
        self.shape.iter().product()
    }

    /// How many elements each result reduces; 0 where there is no result.
    fn count(&self, input: &Tensor) -> usize {
        input.numel().checked_div(self.outputs()).unwrap_or(0)
    }

    fn walk(&self, input: &Tensor) -> Walk {
        Walk::reduction(input, &self.reduced)
    }

    /// Runs a kernel on outputs that start at `identity`.
    fn run<T: Element>(&self, identity: T, kernel: impl FnOnce(&mut [T])) -> Tensor {
        let mut output = vec![identity; self.outputs()];
        kernel(&mut output);
        Tensor::collect(&self.shape, output)
    }
}

/// The input in the type in which it is accumulated: the given one, else int64 for integers and
/// bool.
fn accumulated(call: &Call) -> Result<Tensor> {
    let input = call.tensor("input")?;
    let own = input.dtype();
    let default = if own.is_floating() { own } else { DType::Int64 };
    Ok(input.to_dtype(call.dtype("dtype")?.unwrap_or(default)))
}

fn sum(call: &Call) -> Result {
    let input = accumulated(call)?;
    let plan = Plan::new(call, &input)?;
    if input.numel() > 0 {
        refuse_uint32("sum_cpu", input.dtype())?;
    }
    Ok(sum_along(&input, &plan).into())
}

fn sum_along(input: &Tensor, plan: &Plan) -> Tensor {
    with_float!(input, data => sum_floats(data, input, plan), _ => fold_integers(input, plan, 0, i64::wrapping_add))
}

fn sum_floats<T: Float>(data: &[T], input: &Tensor, plan: &Plan) -> Tensor {
    let walk = plan.walk(input);
    if T::DTYPE.size() == 2 && walk.reduces_two_dims() {
        // A 16-bit output would be rounded once per block, so PyTorch sums in float32.
        let wide = input.to_dtype(DType::Float32);
        if let Storage::Float32(data) = wide.storage() {
            return sum_floats(data, &wide, plan).to_dtype(T::DTYPE);
        }
    }
    plan.run(T::from_f64(0.0), |output| cascade::sum(data, &walk, output))
}

/// Integers wrap in any order and at any time, so both are free; a bool is true where the folded
/// count is not 0.
fn fold_integers(input: &Tensor, plan: &Plan, identity: i64, f: fn(i64, i64) -> i64) -> Tensor {
    let walk = plan.walk(input);
    let folded = with_data!(input.storage(), data => plan.run(identity, |output| {
        walk.for_each_output(|place, positions| {
            output[place] = positions.fold(identity, |folded, at| f(folded, data[at].to_scalar().to_i64()));
        });
    }));
    folded.to_dtype(input.dtype())
}

fn mean(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let wanted = call.dtype("dtype")?;
    let (dtype, which) = match wanted {
        Some(dtype) => (dtype, "Optional"),
        None => (input.dtype(), "Input"),
    };
    if !dtype.is_floating() {
        return Err(Failure::not_implemented(format!(
            "mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. \
             Got: {}",
            dtype.scalar_type()
        )));
    }
    let plan = Plan::new(call, input)?;
    // 16-bit types are summed and divided in float32 and rounded once.
    let wide = if dtype.size() == 2 { DType::Float32 } else { dtype };
    let input = input.to_dtype(wide);
    let sum = sum_along(&input, &plan);
    Ok(divide(&sum, plan.count(&input)).to_dtype(dtype).into())
}

/// Every element over a count: a division, not a multiplication with the reciprocal.
fn divide(sum: &Tensor, count: usize) -> Tensor {
    fn each<T: Float>(data: &[T], shape: &[usize], count: usize) -> Tensor {
        let count = T::Acc::from_scalar(Scalar::Int(count as i64));
        Tensor::collect(shape, data.iter().map(|x| T::narrow(x.widen() / count)))
    }
    with_float!(sum, data => each(data, sum.shape(), count), _ => sum.clone())
}

fn prod(call: &Call) -> Result {
    let input = accumulated(call)?;
    let plan = match call.int("dim")? {
        Some(_) => Plan::new(call, &input)?,
        None => Plan::everything(&input),
    };
    if input.numel() > 0 {
        refuse_uint32("prod_out_cpu", input.dtype())?;
    }
    let walk = plan.walk(&input);
    fn product<T: Float + std::ops::Mul<Output = T>>(data: &[T], walk: &Walk, plan: &Plan) -> Tensor {
        plan.run(T::from_f64(1.0), |output| fold(data, walk, Times, output))
    }
    let output = with_float!(input, data => product(data, &walk, &plan),
        _ => fold_integers(&input, &plan, 1, i64::wrapping_mul));
    Ok(output.into())
}

/// Multiplication; commutative to the bit, so vector and scalar steps agree.
#[derive(Clone, Copy)]
struct Times;

impl<T: std::ops::Mul<Output = T>> Fold<T> for Times {
    #[inline(always)]
    fn scalar(self, a: T, b: T) -> T {
        a * b
    }
    #[inline(always)]
    fn vector(self, a: T, b: T) -> T {
        a * b
    }
}

fn var(call: &Call) -> Result {
    moments(call, |variance| variance)
}

fn std(call: &Call) -> Result {
    moments(call, f64::sqrt)
}

fn moments(call: &Call, finish: fn(f64) -> f64) -> Result {
    let input = call.tensor("input")?;
    let correction = match call.scalar("correction")? {
        Some(correction) => correction.to_f64(),
        None if call.get("unbiased").is_some() => f64::from(u8::from(call.flag("unbiased")?)),
        None => 1.0,
    };
    if !input.dtype().is_floating() {
        return Err(Failure::not_implemented("std and var only support floating point and complex dtypes"));
    }
    let plan = Plan::new(call, input)?;
    let mut warnings = Vec::new();
    if plan.count(input) as f64 - correction <= 0.0 {
        warnings.push(format!(
            "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input \
             numel divided by output numel).",
            call.op
        ));
    }
    let output = with_float!(input, data => {
        moments_of(data, input, &plan, correction, finish)
    }, _ => input.clone());
    Ok(Returned { outputs: vec![output], warnings })
}

fn moments_of<T: Float>(
    data: &[T],
    input: &Tensor,
    plan: &Plan,
    correction: f64,
    finish: fn(f64) -> f64,
) -> Tensor {
    if input.numel() == 0 {
        return plan.run(T::from_f64(f64::NAN), |_| {});
    }
    if plan.outputs() == 1 && T::DTYPE.size() > 2 {
        // The mean is rounded to the input's type first, which costs accuracy far from zero.
        let mean = divide(&sum_floats(data, input, &Plan::everything(input)), input.numel());
        let mean = mean.scalars().next().map_or(f64::NAN, Scalar::to_f64);
        let squares = variance::squared_distances(data, &Walk::single(input), mean);
        let result = finish(variance::over_freedom(squares, input.numel(), correction));
        return plan.run(T::from_f64(result), |_| {});
    }
    plan.run(T::from_f64(0.0), |output| {
        plan.walk(input).for_each_output(|place, positions| {
            let state = variance::welford(positions.map(|at| data[at].to_f64()));
            output[place] =
                T::from_f64(finish(variance::over_freedom(state.squares, state.count, correction)));
        });
    })
}

fn amax(call: &Call) -> Result {
    extremes(call, End::Max)
}

fn amin(call: &Call) -> Result {
    extremes(call, End::Min)
}

fn extremes(call: &Call, end: End) -> Result {
    let input = call.tensor("input")?;
    let plan = Plan::new(call, input)?;
    if input.numel() == 0 {
        dims::refuse_empty(&call.op, call.ints("dim")?.as_deref(), input)?;
    } else {
        let kernel = if end == End::Max { "max_values_cpu" } else { "min_values_cpu" };
        refuse_uint32(kernel, input.dtype())?;
    }
    let walk = plan.walk(input);
    fn extreme<T: Element>(data: &[T], walk: &Walk, plan: &Plan, end: End) -> Tensor {
        plan.run(T::from_scalar(identity(end, T::DTYPE)), |output| fold(data, walk, end, output))
    }
    Ok(with_data!(input.storage(), data => extreme(data, &walk, &plan, end)).into())
}

/// The value that every other value beats or equals.
fn identity(end: End, dtype: DType) -> Scalar {
    let (low, high) = match dtype {
        DType::Int64 => (i64::MIN, i64::MAX),
        DType::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        DType::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DType::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        DType::UInt8 => (0, i64::from(u8::MAX)),
        DType::UInt32 => (0, i64::from(u32::MAX)),
        DType::Bool => (0, 1),
        _ => {
            return Scalar::Float(match end {
                End::Max => f64::NEG_INFINITY,
                End::Min => f64::INFINITY,
            });
        }
    };
    Scalar::Int(match end {
        End::Max => low,
        End::Min => high,
    })
}
