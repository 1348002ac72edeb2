//! Ops of one operand, and those whose second operand only adds a sign or a value at zero: signs,
//! rounding, questions about NaN and infinity, `nan_to_num`, `frexp`, `copysign`, `heaviside`.
//!
//! | op | accepts | of integers |
//! |---|---|---|
//! | `abs`, `neg` | not bool, not uint32 | wrap |
//! | `positive` | not bool | the input |
//! | `sign`, `sgn` | not uint32 | -1, 0, 1; NaN gives 0 |
//! | `signbit`, `isnan`, `isinf`, `isfinite`, `isposinf`, `isneginf` | every dtype | as one expects |
//! | `floor`, `ceil`, `trunc`, `round` | not bool | the input |
//! | `round` with decimals, `frac`, `frexp` | floats | – |
//! | `nan_to_num` | every dtype | the input |
//! | `copysign` | every dtype | in float32 |
//! | `heaviside` | not uint32; one dtype | 0, `values`, 1 |

use super::number::{Computed, Integer, Wide, with_kind};
use super::operands::Operands;
use super::rules;
use crate::ops::call::{Call, Failure, Result, Returned, refuse_uint32};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::lanes::Float as _;
use crate::ops::promotion::Operand;
use crate::ops::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op { name: "abs", parameters: &["input"], forward: abs, backward: Backward::Rule(abs_backward) },
    Op { name: "absolute", parameters: &["input"], forward: abs, backward: Backward::Rule(abs_backward) },
    Op { name: "neg", parameters: &["input"], forward: neg, backward: Backward::Rule(neg_backward) },
    Op { name: "negative", parameters: &["input"], forward: neg, backward: Backward::Rule(neg_backward) },
    Op {
        name: "positive",
        parameters: &["input"],
        forward: positive,
        backward: Backward::Rule(rules::unchanged),
    },
    Op { name: "sign", parameters: &["input"], forward: sign, backward: Backward::Rule(rules::zero) },
    Op { name: "sgn", parameters: &["input"], forward: sign, backward: Backward::Rule(rules::zero) },
    Op {
        name: "signbit",
        parameters: &["input"],
        forward: |call| question(call, Question::Signbit),
        backward: Backward::Never,
    },
    Op {
        name: "isnan",
        parameters: &["input"],
        forward: |call| question(call, Question::Nan),
        backward: Backward::Never,
    },
    Op {
        name: "isinf",
        parameters: &["input"],
        forward: |call| question(call, Question::Inf),
        backward: Backward::Never,
    },
    Op {
        name: "isfinite",
        parameters: &["input"],
        forward: |call| question(call, Question::Finite),
        backward: Backward::Never,
    },
    Op {
        name: "isposinf",
        parameters: &["input"],
        forward: |call| question(call, Question::PosInf),
        backward: Backward::Never,
    },
    Op {
        name: "isneginf",
        parameters: &["input"],
        forward: |call| question(call, Question::NegInf),
        backward: Backward::Never,
    },
    Op {
        name: "floor",
        parameters: &["input"],
        forward: |call| whole(call, "floor_vml_cpu", Whole::Floor),
        backward: Backward::Rule(rules::zero),
    },
    Op {
        name: "ceil",
        parameters: &["input"],
        forward: |call| whole(call, "ceil_vml_cpu", Whole::Ceil),
        backward: Backward::Rule(rules::zero),
    },
    Op {
        name: "trunc",
        parameters: &["input"],
        forward: |call| whole(call, "trunc_vml_cpu", Whole::Trunc),
        backward: Backward::Rule(rules::zero),
    },
    Op {
        name: "fix",
        parameters: &["input"],
        forward: |call| whole(call, "trunc_vml_cpu", Whole::Trunc),
        backward: Backward::Rule(rules::zero),
    },
    Op {
        name: "round",
        parameters: &["input", "decimals"],
        forward: round,
        backward: Backward::Rule(rules::zero),
    },
    Op { name: "frac", parameters: &["input"], forward: frac, backward: Backward::Rule(rules::unchanged) },
    Op {
        name: "nan_to_num",
        parameters: &["input", "nan", "posinf", "neginf"],
        forward: nan_to_num,
        backward: Backward::Rule(nan_to_num_backward),
    },
    Op { name: "frexp", parameters: &["input"], forward: frexp, backward: Backward::Rule(frexp_backward) },
    Op {
        name: "copysign",
        parameters: &["input", "other"],
        forward: copysign,
        backward: Backward::Rule(copysign_backward),
    },
    Op {
        name: "heaviside",
        parameters: &["input", "values"],
        forward: heaviside,
        backward: Backward::Rule(rules::refused),
    },
];

fn one(input: &Tensor) -> Result<Operands<1>> {
    Operands::together(&[Operand::Tensor(input)])
}

fn abs(call: &Call) -> Result {
    let input = call.tensor("input")?;
    refuse_uint32("abs_cpu", input.dtype())?;
    let operand = one(input)?;
    fn float<T: Computed>([x]: [T; 1]) -> T {
        T::narrow(x.widen().magnitude())
    }
    Ok(with_kind!(input.dtype(),
        integer T => operand.map(|[x]: [T; 1]| x.magnitude()),
        float T => operand.map(float::<T>),
        bool => return Err(Failure::no_kernel("abs_cpu", DType::Bool)),
    )
    .into())
}

fn neg(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if input.dtype() == DType::Bool {
        return Err(Failure::not_implemented(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use \
             the `~` or `logical_not()` operator instead.",
        ));
    }
    refuse_uint32("neg_cpu", input.dtype())?;
    let operand = one(input)?;
    fn float<T: Computed>([x]: [T; 1]) -> T {
        T::narrow(-x.widen())
    }
    Ok(with_kind!(input.dtype(),
        integer T => operand.map(|[x]: [T; 1]| T::ZERO.minus(x)),
        float T => operand.map(float::<T>),
        bool => input.clone(),
    )
    .into())
}

fn abs_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    pass.each(&[("input", &|| eager::mul(&pass.cotangent(0)?, &eager::sgn(input)?))])
}

fn neg_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| eager::neg(&pass.cotangent(0)?))])
}

fn positive(call: &Call) -> Result {
    let input = call.tensor("input")?;
    if input.dtype() == DType::Bool {
        return Err(Failure::not_implemented("The `+` operator, on a bool tensor is not supported."));
    }
    Ok(input.clone().into())
}

fn sign(call: &Call) -> Result {
    let input = call.tensor("input")?;
    refuse_uint32("sign_cpu", input.dtype())?;
    if input.dtype() == DType::Bool {
        return Ok(input.clone().into());
    }
    let operand = one(input)?;
    Ok(with_type!(input.dtype(), T => operand.map(|[x]: [T; 1]| sign_of(x))).into())
}

/// -1, 0 or 1; 0 for NaN.
fn sign_of<T: Element>(x: T) -> T {
    let zero = T::from_scalar(Scalar::Int(0));
    T::from_scalar(Scalar::Int(i64::from(x > zero) - i64::from(x < zero)))
}

#[derive(Clone, Copy)]
enum Question {
    Signbit,
    Nan,
    Inf,
    Finite,
    PosInf,
    NegInf,
}

impl Question {
    fn of_float<R: Wide>(self, x: R) -> bool {
        match self {
            Question::Signbit => x.has_sign(),
            Question::Nan => x.is_nan(),
            Question::Inf => x.is_infinite(),
            Question::Finite => !x.is_nan() && !x.is_infinite(),
            Question::PosInf => x.is_infinite() && !x.has_sign(),
            Question::NegInf => x.is_infinite() && x.has_sign(),
        }
    }

    fn of_integer<T: Integer>(self, x: T) -> bool {
        match self {
            Question::Signbit => x.is_below_zero(),
            Question::Finite => true,
            _ => false,
        }
    }
}

fn question(call: &Call, question: Question) -> Result {
    let input = call.tensor("input")?;
    let operand = one(input)?;
    Ok(with_kind!(input.dtype(),
        integer T => operand.map(move |[x]: [T; 1]| question.of_integer(x)),
        float T => operand.map(move |[x]: [T; 1]| question.of_float(x.widen())),
        bool => operand.map(move |[_]: [bool; 1]| matches!(question, Question::Finite)),
    )
    .into())
}

#[derive(Clone, Copy)]
enum Whole {
    Floor,
    Ceil,
    Trunc,
    Round,
}

impl Whole {
    fn of<R: Wide>(self, x: R) -> R {
        match self {
            Whole::Floor => x.floor(),
            Whole::Ceil => x.ceil(),
            Whole::Trunc => x.trunc(),
            Whole::Round => x.rint(),
        }
    }
}

fn whole(call: &Call, kernel: &str, whole: Whole) -> Result {
    let input = call.tensor("input")?;
    let operand = one(input)?;
    fn float<T: Computed>(whole: Whole, [x]: [T; 1]) -> T {
        T::narrow(whole.of(x.widen()))
    }
    Ok(with_kind!(input.dtype(),
        integer _T => input.clone(),
        float T => operand.map(|x: [T; 1]| float(whole, x)),
        bool => return Err(Failure::no_kernel(kernel, DType::Bool)),
    )
    .into())
}

/// To the nearest integer, half to even. With decimals, the input is scaled by a power of ten
/// before and after; 16-bit floats are scaled in float32.
fn round(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let Some(decimals) = call.int("decimals")? else { return whole(call, "round_vml_cpu", Whole::Round) };
    let kernel = if decimals == 0 { "round_vml_cpu" } else { "round_cpu" };
    let operand = one(input)?;
    fn float<T: Computed>(operand: &Operands<1>, decimals: i64) -> Tensor {
        let scale = T::Real::from_scalar(Scalar::Float(power_of_ten(decimals.unsigned_abs())));
        operand.map(|[x]: [T; 1]| {
            let x = x.widen();
            T::narrow(match decimals {
                0 => x.rint(),
                1.. => (x * scale).rint() / scale,
                _ => (x / scale).rint() * scale,
            })
        })
    }
    Ok(with_float_type!(input.dtype(),
        T => float::<T>(&operand, decimals),
        _ => return Err(Failure::no_kernel(kernel, input.dtype())),
    )
    .into())
}

/// `pow(10, n)` in float64, as glibc has it: correctly rounded but for two powers that lie almost
/// halfway between two floats, where it gives the neighbour above (all of 0 to 308 compared).
fn power_of_ten(n: u64) -> f64 {
    let nearest: f64 = format!("1e{}", n.min(400)).parse().unwrap_or(f64::INFINITY);
    match n {
        23 | 210 => nearest.next_up(),
        _ => nearest,
    }
}

fn frac(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let operand = one(input)?;
    fn float<T: Computed>([x]: [T; 1]) -> T {
        let x = x.widen();
        T::narrow(x - x.trunc())
    }
    Ok(with_float_type!(input.dtype(),
        T => operand.map(float::<T>),
        _ => return Err(Failure::no_kernel("frac_cpu", input.dtype())),
    )
    .into())
}

/// NaN becomes 0 and the infinities the largest and lowest values, or the given numbers; those
/// overflow to infinity without complaint.
fn nan_to_num(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let operand = one(input)?;
    let [nan, high, low] = [call.scalar("nan")?, call.scalar("posinf")?, call.scalar("neginf")?];
    fn float<T: Computed>(operand: &Operands<1>, replacements: [Option<Scalar>; 3]) -> Tensor {
        let largest = T::from_f64(largest(T::DTYPE)).widen();
        let [nan, high, low] = replacements.map(|number| number.map(T::from_scalar));
        let nan = nan.unwrap_or_else(|| T::narrow(T::Real::ZERO));
        let high = high.unwrap_or_else(|| T::narrow(largest));
        let low = low.unwrap_or_else(|| T::narrow(-largest));
        operand.map(|[x]: [T; 1]| {
            let wide = x.widen();
            match wide.is_infinite() {
                _ if wide.is_nan() => nan,
                true if wide.has_sign() => low,
                true => high,
                false => x,
            }
        })
    }
    Ok(with_float_type!(input.dtype(), T => float::<T>(&operand, [nan, high, low]), _ => input.clone())
        .into())
}

/// Times 0 where a number took the element's place.
fn nan_to_num_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    pass.each(&[("input", &|| eager::mul(&pass.cotangent(0)?, &eager::isfinite(input)?))])
}

/// The largest finite value of a float dtype.
fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::Float16 => f64::from(half::f16::MAX),
        DType::BFloat16 => f64::from(half::bf16::MAX),
        DType::Float32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

/// Mantissa in [1/2, 1) and exponent; of zero, infinity and NaN the value itself and 0.
fn frexp(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let operand = one(input)?;
    fn float<T: Computed>(operand: &Operands<1>) -> Returned {
        let mantissa = operand.map(|[x]: [T; 1]| T::from_f64(split(x.to_f64()).0));
        let exponent = operand.map(|[x]: [T; 1]| split(x.to_f64()).1);
        (mantissa, exponent).into()
    }
    with_float_type!(input.dtype(),
        T => Ok(float::<T>(&operand)),
        _ => Err(Failure::runtime("torch.frexp() only supports floating-point dtypes")),
    )
}

/// The mantissa's share. The power of two is a float32 whatever the input is, so that it can
/// overflow where the input is a float64.
fn frexp_backward(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| eager::div(&pass.cotangent(0)?, &eager::exp2(pass.output(1)?)?))])
}

fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // Subnormals are scaled into the normal range first; the factor is 2^54.
    let (x, shift) = if x.abs() < f64::MIN_POSITIVE { (x * f64::UP, 54) } else { (x, 0) };
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | (1022 << 52)), exponent - shift)
}

fn copysign(call: &Call) -> Result {
    let together = Operands::floating(&[call.operand("input")?, call.operand("other")?])?;
    fn float<T: Computed>([a, sign]: [T; 2]) -> T {
        T::narrow(a.widen().with_sign_of(sign.widen()))
    }
    Ok(with_float_type!(together.dtype,
        T => together.map(float::<T>),
        _ => return Err(Failure::no_kernel("copysign_cpu", together.dtype)),
    )
    .into())
}

/// By the ratio of result and input, 0 where the input is; the sign has no slope.
fn copysign_backward(pass: &Pass) -> Result<Gradients> {
    let input = pass.call.tensor("input")?;
    pass.each(&[
        ("input", &|| {
            let ratio = eager::div(pass.output(0)?, input)?;
            let ratio = rules::zeroed(&ratio, &eager::eq(input, 0)?)?;
            eager::mul(&pass.cotangent(0)?, &ratio)
        }),
        ("other", &|| eager::zeros_like(pass.call.tensor("other")?)),
    ])
}

fn heaviside(call: &Call) -> Result {
    let (input, values) = (call.tensor("input")?, call.tensor("values")?);
    if input.dtype() != values.dtype() {
        return Err(Failure::runtime("heaviside is not yet implemented for tensors with different dtypes."));
    }
    let together = Operands::together(&[input, values].map(Operand::Tensor))?;
    refuse_uint32("heaviside_cpu", together.dtype)?;
    fn each<T: Element>([x, at_zero]: [T; 2]) -> T {
        let zero = T::from_scalar(Scalar::Int(0));
        if x == zero { at_zero } else { T::from_scalar(Scalar::Int(i64::from(x > zero))) }
    }
    Ok(with_type!(together.dtype, T => together.map(each::<T>)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_mantissa_times_a_power_of_two() {
        assert_eq!(split(2.5), (0.625, 2));
        assert_eq!(split(-1.0), (-0.5, 1));
        assert_eq!(split(5e-324), (0.5, -1073));
        assert_eq!(split(f64::INFINITY), (f64::INFINITY, 0));
    }

    #[test]
    fn powers_of_ten_end_in_infinity() {
        assert_eq!(power_of_ten(3), 1000.0);
        assert_eq!(power_of_ten(309), f64::INFINITY);
        assert_eq!(power_of_ten(u64::MAX), f64::INFINITY);
    }
}
