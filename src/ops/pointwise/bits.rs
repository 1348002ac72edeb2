//! Logic and bits: `logical_*`, `bitwise_*`, the shifts, `gcd`, `lcm`.
//!
//! | op | accepts |
//! |---|---|
//! | `logical_and`, `logical_or`, `logical_xor`, `logical_not` | every dtype but uint32; answers bool |
//! | `bitwise_and`, `bitwise_or`, `bitwise_xor` | integers and bool |
//! | `bitwise_not` | integers but uint32, and bool |
//! | `bitwise_left_shift`, `bitwise_right_shift`, `gcd`, `lcm` | integers but uint32 |
//!
//! A number wraps into the tensor's type. A shift by a negative number or by the type's width or
//! more leaves nothing but the sign.

use super::number::{Integer, with_kind};
use super::operands::Operands;
use crate::ops::call::{Call, Failure, Result, refuse_uint32};
use crate::ops::promotion::Operand;
use crate::ops::{Backward, Op};
use crate::tensor::{Element, Scalar};
use crate::with_type;

/// The ops of this file.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "logical_and",
        parameters: &["input", "other"],
        forward: |call| logical(call, "and"),
        backward: Backward::Never,
    },
    Op {
        name: "logical_or",
        parameters: &["input", "other"],
        forward: |call| logical(call, "or"),
        backward: Backward::Never,
    },
    Op {
        name: "logical_xor",
        parameters: &["input", "other"],
        forward: |call| logical(call, "xor"),
        backward: Backward::Never,
    },
    Op { name: "logical_not", parameters: &["input"], forward: logical_not, backward: Backward::Never },
    Op {
        name: "bitwise_and",
        parameters: &["input", "other"],
        forward: |call| bitwise(call, "and"),
        backward: Backward::Never,
    },
    Op {
        name: "bitwise_or",
        parameters: &["input", "other"],
        forward: |call| bitwise(call, "or"),
        backward: Backward::Never,
    },
    Op {
        name: "bitwise_xor",
        parameters: &["input", "other"],
        forward: |call| bitwise(call, "xor"),
        backward: Backward::Never,
    },
    Op { name: "bitwise_not", parameters: &["input"], forward: bitwise_not, backward: Backward::Never },
    Op {
        name: "bitwise_left_shift",
        parameters: &["input", "other"],
        forward: left_shift,
        backward: Backward::Never,
    },
    Op {
        name: "bitwise_right_shift",
        parameters: &["input", "other"],
        forward: right_shift,
        backward: Backward::Never,
    },
    Op { name: "gcd", parameters: &["input", "other"], forward: gcd, backward: Backward::Never },
    Op { name: "lcm", parameters: &["input", "other"], forward: lcm, backward: Backward::Never },
];

fn together(call: &Call) -> Result<Operands<2>> {
    Operands::together(&[call.operand("input")?, call.operand("other")?])
}

/// What an operator makes of two truths.
fn truth(operator: &str, a: bool, b: bool) -> bool {
    match operator {
        "and" => a && b,
        "or" => a || b,
        _ => a != b,
    }
}

/// Zeros of both signs are false, NaN is true; after conversion to the common dtype.
fn logical(call: &Call, operator: &'static str) -> Result {
    let together = together(call)?;
    refuse_uint32(&format!("logical_{operator}_cpu"), together.dtype)?;
    let zero = Scalar::Int(0);
    Ok(with_type!(together.dtype, T => together.map(move |[a, b]: [T; 2]| {
        let zero = T::from_scalar(zero);
        truth(operator, a != zero, b != zero)
    }))
    .into())
}

fn logical_not(call: &Call) -> Result {
    let input = call.tensor("input")?;
    refuse_uint32("logical_not_cpu", input.dtype())?;
    let together = Operands::together(&[Operand::Tensor(input)])?;
    Ok(with_type!(input.dtype(), T => together.map(|[x]: [T; 1]| x == T::from_scalar(Scalar::Int(0)))).into())
}

fn bitwise(call: &Call, operator: &'static str) -> Result {
    let together = together(call)?;
    fn integers<T: Integer>(operator: &str, [a, b]: [T; 2]) -> T {
        match operator {
            "and" => a.and(b),
            "or" => a.or(b),
            _ => a.xor(b),
        }
    }
    Ok(with_kind!(together.dtype,
        integer T => together.map(|pair: [T; 2]| integers(operator, pair)),
        float _T => return Err(Failure::no_kernel(&format!("bitwise_{operator}_cpu"), together.dtype)),
        bool => together.map(move |[a, b]: [bool; 2]| truth(operator, a, b)),
    )
    .into())
}

fn bitwise_not(call: &Call) -> Result {
    let input = call.tensor("input")?;
    refuse_uint32("bitwise_not_cpu", input.dtype())?;
    let together = Operands::together(&[Operand::Tensor(input)])?;
    Ok(with_kind!(input.dtype(),
        integer T => together.map(|[x]: [T; 1]| x.not()),
        float _T => return Err(Failure::no_kernel("bitwise_not_cpu", input.dtype())),
        bool => together.map(|[x]: [bool; 1]| !x),
    )
    .into())
}

/// Runs a kernel that is compiled for integers alone, and not for uint32.
macro_rules! for_integers {
    ($kernel:literal, $call:expr, $function:expr) => {{
        let together = together($call)?;
        refuse_uint32($kernel, together.dtype)?;
        let refusal = Failure::no_kernel($kernel, together.dtype);
        with_kind!(together.dtype,
            integer T => Ok(together.map(|[a, b]: [T; 2]| $function(a, b)).into()),
            float _T => Err(refusal),
            bool => Err(refusal),
        )
    }};
}

fn left_shift(call: &Call) -> Result {
    fn each<T: Integer>(a: T, places: T) -> T {
        within_width(places).map_or(T::ZERO, |places| a.left(places))
    }
    for_integers!("lshift_cpu", call, each)
}

fn right_shift(call: &Call) -> Result {
    fn each<T: Integer>(a: T, places: T) -> T {
        match within_width(places) {
            Some(places) => a.right(places),
            None if a.is_below_zero() => a.right(T::BITS - 1),
            None => T::ZERO,
        }
    }
    for_integers!("rshift_cpu", call, each)
}

/// A number of places that is smaller than the type is wide.
fn within_width<T: Integer>(places: T) -> Option<u32> {
    u32::try_from(places.to_scalar().to_i64()).ok().filter(|&places| places < T::BITS)
}

fn gcd(call: &Call) -> Result {
    for_integers!("gcd_cpu", call, greatest_common_divisor)
}

/// Euclid's algorithm on magnitudes. The smallest value has none and stays negative.
fn greatest_common_divisor<T: Integer>(a: T, b: T) -> T {
    let (mut a, mut b) = (a.magnitude(), b.magnitude());
    while let Some(rest) = b.rest(a) {
        (a, b) = (rest, a);
    }
    b
}

/// `abs(a / gcd * b)`, where types below 32 bits are computed in 32 and then wrap.
fn lcm(call: &Call) -> Result {
    fn each<T: Integer>(a: T, b: T) -> T {
        let Some(part) = a.quotient(greatest_common_divisor(a, b)) else { return T::ZERO };
        let [part, b] = [part, b].map(|value| value.to_scalar().to_i64());
        let product = if T::BITS < 64 {
            i64::from((part as i32).wrapping_mul(b as i32).wrapping_abs())
        } else {
            part.wrapping_mul(b).wrapping_abs()
        };
        T::from_scalar(Scalar::Int(product))
    }
    for_integers!("lcm_cpu", call, each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_beyond_the_width_leave_the_sign() {
        assert_eq!(within_width(31i32), Some(31));
        assert_eq!(within_width(32i32), None);
        assert_eq!(within_width(-1i8), None);
        assert_eq!(within_width(255u8), None);
    }

    #[test]
    fn the_smallest_integer_divides_itself() {
        assert_eq!(greatest_common_divisor(i8::MIN, i8::MIN), i8::MIN);
        assert_eq!(greatest_common_divisor(-12i64, 18), 6);
        assert_eq!(greatest_common_divisor(0i32, 0), 0);
    }
}
