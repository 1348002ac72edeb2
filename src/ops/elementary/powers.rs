//! `pow` and `square`, and the functions of two elements `atan2` and `hypot`.

use super::functions::{Reciprocal, Rsqrt, Sqrt};
use super::kernel::{Compute, Map, Zip, map, map_in_vectors, zip, zip_into_rows};
use crate::ops::call::{Call, Failure, Result};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::lanes::Float;
use crate::ops::numerics::libm::Libm;
use crate::ops::numerics::sleef::Sleef;
use crate::ops::pointwise::broadcast_shapes;
use crate::ops::promotion::{Operand, check_overflow, result_type};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

pub(super) fn square(call: &Call) -> Result {
    power_of_tensor(call.tensor("input")?, Scalar::Int(2))
}

pub(super) fn pow(call: &Call) -> Result {
    // The form with a number first calls it `self`.
    let base = call.operand(if call.get("self").is_some() { "self" } else { "input" })?;
    let exponent = call.operand("exponent")?;
    match (&base, &exponent) {
        (Operand::Tensor(base), Operand::Number(exponent)) => power_of_tensor(base, *exponent),
        // One to any power is one; the exponent's own dtype need not have a kernel.
        (Operand::Number(number), Operand::Tensor(exponents)) => {
            let dtype = result_type(&[base.clone(), exponent.clone()])?;
            if !matches!(number, Scalar::Bool(_)) && number.to_f64() == 1.0 {
                return Ok(Tensor::full(exponents.shape(), Scalar::Int(1), dtype).into());
            }
            // The result is made before the walk is planned, so its layout leads.
            power_of_both([base, exponent], zip_into_rows)
        }
        _ => power_of_both([base, exponent], zip),
    }
}

/// Both operands in their common dtype and shape.
fn together(operands: &[Operand; 2], dtype: DType) -> Result<[Tensor; 2]> {
    let shape = broadcast_shapes(operands.iter().map(Operand::shape))?;
    Ok(operands.each_ref().map(|operand| operand.to_tensor(dtype).expanded(&shape)))
}

struct Power;

impl Zip for Power {
    fn vector<A: Compute>(&self, x: A, y: A) -> A {
        Sleef::pow(x, y)
    }
    fn scalar<A: Compute>(&self, x: A, y: A) -> A {
        Libm::pow(x, y)
    }
}

fn power_of_both(operands: [Operand; 2], zip: fn([&Tensor; 2], &Power) -> Tensor) -> Result {
    let dtype = result_type(&operands)?;
    let [base, exponent] = together(&operands, dtype)?;
    if dtype.is_floating() {
        return Ok(zip([&base, &exponent], &Power).into());
    }
    check_integer(dtype)?;
    fn each<T: Element>(base: &Tensor, exponent: &Tensor) -> Tensor {
        let (x, y) = (base.values::<T>(), exponent.values::<T>());
        let powers = x.iter().zip(y.iter()).map(|(x, y)| {
            let power = integer_power(x.to_scalar().to_i64(), y.to_scalar().to_i64());
            T::from_scalar(Scalar::Int(power))
        });
        Tensor::collect(base.shape(), powers)
    }
    Ok(with_type!(dtype, T => each::<T>(&base, &exponent)).into())
}

/// Refuses the integer types that `pow` has no kernel for.
fn check_integer(dtype: DType) -> Result<()> {
    match dtype {
        DType::Bool | DType::UInt32 => Err(Failure::no_kernel("pow", dtype)),
        _ => Ok(()),
    }
}

/// Wraps; a negative power of anything but 1 and -1 is 0, even of 0.
fn integer_power(mut base: i64, mut exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let mut power = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    power
}

/// A general power, with one exponent for all. An element alone keeps the exponent in float64,
/// which for float32 is C++'s `pow(float, double)`.
struct PowerOf {
    exponent: f64,
}

impl Map for PowerOf {
    fn vector<A: Compute>(&self, x: A) -> A {
        Sleef::pow(x, A::of(self.exponent))
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        A::of(Libm::pow(x.to_f64(), self.exponent))
    }
    fn half_scalar<T: Float<Acc = f32>>(&self, x: T) -> T {
        T::narrow(Libm::pow(x.widen(), f32::of(self.exponent)))
    }
}

/// x x, x x x and 1 / (x x), where a 16-bit type is rounded after every step.
struct Multiplied {
    exponent: f64,
}

impl Multiplied {
    fn steps<T: Float>(&self, x: T) -> T
    where
        T::Acc: Compute,
    {
        let square = T::narrow(x.widen() * x.widen());
        if self.exponent == 3.0 {
            T::narrow(square.widen() * x.widen())
        } else if self.exponent == 2.0 {
            square
        } else {
            T::narrow(T::Acc::of(1.0) / square.widen())
        }
    }

    fn of(&self, input: &Tensor) -> Tensor {
        fn each<T: Float>(f: &Multiplied, input: &Tensor) -> Tensor
        where
            T::Acc: Compute,
        {
            Tensor::collect(input.shape(), input.values::<T>().iter().map(|&x| f.steps(x)))
        }
        with_float_type!(input.dtype(), T => each::<T>(self, input))
    }
}

fn power_of_tensor(base: &Tensor, exponent: Scalar) -> Result {
    let own = base.dtype();
    let negative = matches!(exponent, Scalar::Int(exponent) if exponent < 0);
    if negative && !own.is_floating() {
        return Err(Failure::runtime("Integers to negative integer powers are not allowed."));
    }
    let dtype = result_type(&[Operand::Tensor(base), Operand::Number(exponent)])?;
    let base = base.to_dtype(dtype);
    let value = exponent.to_f64();
    if value == 0.0 {
        return Ok(Tensor::full(base.shape(), Scalar::Int(1), dtype).into());
    }
    if value == 1.0 {
        return Ok(base.contiguous().into());
    }
    if !dtype.is_floating() {
        check_integer(dtype)?;
        check_overflow(exponent, dtype)?;
        let powers = base.scalars().map(|x| Scalar::Int(integer_power(x.to_i64(), exponent.to_i64())));
        return Ok(with_type!(dtype, T => Tensor::collect(base.shape(), powers.map(T::from_scalar))).into());
    }
    // The exponent meets a 16-bit type as one of its values.
    let power = |base: &Tensor| -> Result<Tensor> {
        if dtype.size() > 2 {
            return Ok(map(base, &PowerOf { exponent: value }));
        }
        check_overflow(exponent, dtype)?;
        let rounded = Tensor::full(&[], exponent, dtype).scalars().next();
        Ok(map(base, &PowerOf { exponent: rounded.map_or(value, Scalar::to_f64) }))
    };
    let special = SPECIAL.iter().find(|(of, _)| *of == value);
    Ok(match special {
        // float16 alone has no short cuts.
        Some((_, map)) if dtype != DType::Float16 => map(&base),
        _ => power(&base)?,
    }
    .into())
}

/// An exponent, and the function that it stands for.
type Special = (f64, fn(&Tensor) -> Tensor);

/// The exponents that are other functions.
const SPECIAL: [Special; 6] = [
    (0.5, |base| map_in_vectors(base, &Sqrt)),
    (-0.5, |base| map(base, &Rsqrt)),
    (-1.0, |base| map(base, &Reciprocal)),
    (2.0, |base| Multiplied { exponent: 2.0 }.of(base)),
    (3.0, |base| Multiplied { exponent: 3.0 }.of(base)),
    (-2.0, |base| Multiplied { exponent: -2.0 }.of(base)),
];

/// The angle of the point (y, x).
struct Atan2;

impl Zip for Atan2 {
    fn vector<A: Compute>(&self, y: A, x: A) -> A {
        Sleef::atan2(y, x)
    }
    fn scalar<A: Compute>(&self, y: A, x: A) -> A {
        Libm::atan2(y, x)
    }
}

pub(super) fn atan2(call: &Call) -> Result {
    let operands = [Operand::Tensor(call.tensor("input")?), Operand::Tensor(call.tensor("other")?)];
    let common = result_type(&operands)?;
    let dtype = if common.is_floating() { common } else { DType::Float32 };
    let [y, x] = together(&operands, dtype)?;
    Ok(zip([&y, &x], &Atan2).into())
}

/// sqrt(x^2 + y^2).
struct Hypot;

impl Zip for Hypot {
    fn vector<A: Compute>(&self, x: A, y: A) -> A {
        Sleef::hypot(x, y)
    }
    fn scalar<A: Compute>(&self, x: A, y: A) -> A {
        Libm::hypot(x, y)
    }
}

pub(super) fn hypot(call: &Call) -> Result {
    let operands = [Operand::Tensor(call.tensor("input")?), Operand::Tensor(call.tensor("other")?)];
    let dtype = result_type(&operands)?;
    let [x, y] = together(&operands, dtype)?;
    if !dtype.is_floating() {
        return Err(Failure::no_kernel("hypot_cpu", dtype));
    }
    Ok(zip([&x, &y], &Hypot).into())
}
