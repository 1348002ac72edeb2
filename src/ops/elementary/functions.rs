//! Functions of one element that promote integers: exp to erfc, sigmoid and logit.

use super::kernel::{Compute, Map, map, map_in_vectors, one_line};
use crate::ops::call::{Call, Result};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::numerics::lanes::Float;
use crate::ops::numerics::libm::Libm;
use crate::ops::numerics::nearest::Nearest;
use crate::ops::numerics::sleef::{self, Sleef};
use crate::tensor::{DType, Tensor};

/// The input, where integers and bool become float32.
fn floating(call: &Call) -> Result<Tensor> {
    let input = call.tensor("input")?;
    let dtype = if input.dtype().is_floating() { input.dtype() } else { DType::Float32 };
    Ok(input.to_dtype(dtype))
}

/// Functions that PyTorch hands to Intel's library for float32 and float64, wherever an element
/// lies, and to Sleef for the 16-bit types.
macro_rules! from_intel {
    ($($name:ident, $type:ident, $half:expr;)*) => {$(
        pub(super) fn $name(call: &Call) -> Result {
            struct $type;
            impl Map for $type {
                fn vector<A: Compute>(&self, x: A) -> A {
                    Nearest::$name(x)
                }
                fn half(&self, x: f32) -> f32 {
                    $half(x)
                }
            }
            Ok(map_in_vectors(&floating(call)?, &$type).into())
        }
    )*};
}

// Of every 16-bit value the nearest cos, tan, acos and atan round as Sleef's do, and so does the
// nearest sine from 39000 on; below, it does not for 300 and -300 in float16.
from_intel! {
    log, Log, <f32 as Sleef>::log;
    log2, Log2, sleef::log2;
    log10, Log10, sleef::log10;
    sin, Sin, |x: f32| if x.abs() < 39_000.0 { sleef::sin(x) } else { Nearest::sin(x) };
    cos, Cos, <f32 as Nearest>::cos;
    tan, Tan, <f32 as Nearest>::tan;
    asin, Asin, sleef::asin;
    acos, Acos, <f32 as Nearest>::acos;
    atan, Atan, <f32 as Nearest>::atan;
    tanh, Tanh, <f32 as Sleef>::tanh;
    erf, Erf, <f32 as Sleef>::erf;
    erfc, Erfc, sleef::erfc;
}

/// e^x, which has a fast way to the same bits.
struct Exp;

impl Map for Exp {
    const GAINS_BY_WIDTH: bool = true;

    fn vector<A: Compute>(&self, x: A) -> A {
        Nearest::exp(x)
    }
    #[inline(always)]
    fn vectors<A: Compute>(&self, values: &[A], out: &mut Vec<A>) {
        A::exps(values, out);
    }
    #[inline(always)]
    fn half(&self, x: f32) -> f32 {
        <f32 as Sleef>::exp(x)
    }
}

pub(super) fn exp(call: &Call) -> Result {
    Ok(map_in_vectors(&floating(call)?, &Exp).into())
}

/// Functions that are Sleef's for every type, wherever an element lies.
macro_rules! from_sleef {
    ($($name:ident, $type:ident;)*) => {$(
        pub(super) fn $name(call: &Call) -> Result {
            struct $type;
            impl Map for $type {
                fn vector<A: Compute>(&self, x: A) -> A {
                    Sleef::$name(x)
                }
            }
            Ok(map_in_vectors(&floating(call)?, &$type).into())
        }
    )*};
}

from_sleef! {
    expm1, Expm1;
    log1p, Log1p;
}

/// Functions that are Sleef's in vectors and the C library's elsewhere; the vectors of float32
/// have a choice of their own.
macro_rules! from_either {
    ($($name:ident, $type:ident, $single:ident;)*) => {$(
        pub(super) fn $name(call: &Call) -> Result {
            struct $type;
            impl Map for $type {
                fn vector<A: Compute>(&self, x: A) -> A {
                    if A::DTYPE == DType::Float32 { $single::$name(x) } else { Sleef::$name(x) }
                }
                fn scalar<A: Compute>(&self, x: A) -> A {
                    Libm::$name(x)
                }
                fn half(&self, x: f32) -> f32 {
                    Sleef::$name(x)
                }
            }
            Ok(map(&floating(call)?, &$type).into())
        }
    )*};
}

// In float32 Sleef's sinh and cosh overflow too soon, and PyTorch avoids them.
from_either! {
    exp2, Exp2, Sleef;
    sinh, Sinh, Libm;
    cosh, Cosh, Libm;
}

/// 1 / (1 + e^-x).
struct Sigmoid;

impl Map for Sigmoid {
    #[inline(always)]
    fn vector<A: Compute>(&self, x: A) -> A {
        A::ONE / (A::ONE + Sleef::exp(A::ZERO - x))
    }
    fn scalar<A: Compute>(&self, x: A) -> A {
        A::ONE / (A::ONE + Libm::exp(-x))
    }
}

pub(super) fn sigmoid(call: &Call) -> Result {
    Ok(map(&floating(call)?, &Sigmoid).into())
}

/// The square root; Intel's, which may miss IEEE's by 1 ULP.
pub(super) struct Sqrt;

impl Map for Sqrt {
    #[inline(always)]
    fn vector<A: Compute>(&self, x: A) -> A {
        x.root()
    }
}

pub(super) fn sqrt(call: &Call) -> Result {
    Ok(map_in_vectors(&floating(call)?, &Sqrt).into())
}

/// 1 / sqrt(x), by two IEEE operations. A 16-bit element alone is rounded after each.
pub(super) struct Rsqrt;

impl Map for Rsqrt {
    #[inline(always)]
    fn vector<A: Compute>(&self, x: A) -> A {
        A::ONE / x.root()
    }
    fn half_scalar<T: Float<Acc = f32>>(&self, x: T) -> T {
        T::narrow(1.0 / T::narrow(x.widen().sqrt()).widen())
    }
}

pub(super) fn rsqrt(call: &Call) -> Result {
    Ok(map(&floating(call)?, &Rsqrt).into())
}

/// 1 / x.
pub(super) struct Reciprocal;

impl Map for Reciprocal {
    #[inline(always)]
    fn vector<A: Compute>(&self, x: A) -> A {
        A::ONE / x
    }
}

pub(super) fn reciprocal(call: &Call) -> Result {
    Ok(map(&floating(call)?, &Reciprocal).into())
}

/// log(x / (1 - x)), where `eps` keeps x within [eps, 1 - eps]. Every step is rounded to a 16-bit
/// type. One line without gaps goes to Intel's logarithm, other inputs to Sleef's and the C
/// library's.
pub(super) fn logit(call: &Call) -> Result {
    let input = floating(call)?;
    let eps = call.scalar("eps")?.map(|eps| eps.to_f64()).filter(|&eps| eps >= 0.0);
    let part = if one_line(&input) { None } else { Some(VectorPart::new([&input], input.dtype())) };
    fn each<T: Float>(input: &Tensor, eps: Option<f64>, part: Option<&VectorPart>) -> Tensor
    where
        T::Acc: Compute,
    {
        let one = T::Acc::of(1.0);
        let bounds = eps.map(|eps| {
            let low = T::from_f64(eps);
            (low.widen(), T::narrow(one - low.widen()).widen())
        });
        let values = input.values::<T>();
        let logits = values.iter().enumerate().map(|(i, x)| {
            let mut x = x.widen();
            if let Some((low, high)) = bounds {
                x = if x < low {
                    low
                } else if x > high {
                    high
                } else {
                    x
                };
            }
            let rest = T::narrow(one - x).widen();
            let odds = T::narrow(x / rest).widen();
            T::narrow(match part {
                None if T::DTYPE.size() > 2 => Nearest::log(odds),
                Some(part) if !part.holds(i) => Libm::log(odds),
                _ => Sleef::log(odds),
            })
        });
        Tensor::collect(input.shape(), logits)
    }
    Ok(with_float_type!(input.dtype(), T => each::<T>(&input, eps, part.as_ref())).into())
}
