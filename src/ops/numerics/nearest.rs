//! Functions as near to the correctly rounded result as is cheap.
//!
//! They stand in where PyTorch calls Intel's closed-source vector library (MKL VML, high
//! accuracy), which promises less than 1 ULP: two results that near lie at most 1 ULP apart.
//! float32 is computed in float64 and rounded once, which misses the correctly rounded result
//! about once in 10^8; float64 comes from pairs of floats where such a function exists, else from
//! the C library of the system. 16-bit types go through float32 there as in PyTorch, and get
//! PyTorch's very bits ([`sleef`](super::sleef)).

use super::sleef;

/// A type that the functions exist for.
pub(crate) trait Nearest: Copy {
    fn exp(self) -> Self;
    fn log(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn tanh(self) -> Self;
    fn erf(self) -> Self;
    fn erfc(self) -> Self;
}

macro_rules! nearest {
    ($($name:ident => $double:expr;)*) => {
        impl Nearest for f64 {
            $(fn $name(self) -> f64 {
                $double(self)
            })*
        }
        impl Nearest for f32 {
            $(fn $name(self) -> f32 {
                $double(f64::from(self)) as f32
            })*
        }
    };
}

nearest! {
    exp => sleef::nearest_exp;
    log => sleef::nearest_log;
    log2 => f64::log2;
    log10 => sleef::nearest_log10;
    sin => f64::sin;
    cos => f64::cos;
    tan => f64::tan;
    asin => f64::asin;
    acos => f64::acos;
    atan => f64::atan;
    tanh => sleef::Sleef::tanh;
    erf => sleef::Sleef::erf;
    erfc => sleef::nearest_erfc;
}
