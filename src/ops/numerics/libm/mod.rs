//! The scalar functions that PyTorch takes from the C library, where it computes element by
//! element: the rest of a line that fills no vector, and strided lines.
//!
//! All but `erf`, which Rust has not, are Rust's methods on floats: these call the C library of the
//! system, and so does PyTorch. glibc's `expf`, `powf` and `exp2f` round correctly but for one
//! value in thousands, so another C library rarely shows in a result; `tanhf`, `sinhf` and `coshf`
//! may be 2 ULP off and differ more.

mod erf;

/// A type that the C library's functions exist for.
pub(crate) trait Libm: Copy {
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn expm1(self) -> Self;
    fn log(self) -> Self;
    fn log1p(self) -> Self;
    fn tanh(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn pow(self, exponent: Self) -> Self;
    /// The angle of the point whose height is `self`.
    fn atan2(self, x: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn erf(self) -> Self;
}

macro_rules! from_std {
    ($($type:ty, $erf:path;)*) => {$(
        impl Libm for $type {
            fn exp(self) -> $type {
                <$type>::exp(self)
            }
            fn exp2(self) -> $type {
                <$type>::exp2(self)
            }
            fn expm1(self) -> $type {
                <$type>::exp_m1(self)
            }
            fn log(self) -> $type {
                <$type>::ln(self)
            }
            fn log1p(self) -> $type {
                <$type>::ln_1p(self)
            }
            fn tanh(self) -> $type {
                <$type>::tanh(self)
            }
            fn sinh(self) -> $type {
                <$type>::sinh(self)
            }
            fn cosh(self) -> $type {
                <$type>::cosh(self)
            }
            fn pow(self, exponent: $type) -> $type {
                <$type>::powf(self, exponent)
            }
            fn atan2(self, x: $type) -> $type {
                <$type>::atan2(self, x)
            }
            fn hypot(self, other: $type) -> $type {
                <$type>::hypot(self, other)
            }
            fn erf(self) -> $type {
                $erf(self)
            }
        }
    )*};
}

from_std! {
    f32, erf::single;
    f64, erf::double;
}
