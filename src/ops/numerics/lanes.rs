//! Fixed-size vectors of accumulators, and the arithmetic that the float kernels are written in.

use half::{bf16, f16};

use super::small;
use crate::tensor::Element;

/// Size of PyTorch's AVX2 vectors, in bytes.
pub(crate) const VECTOR_BYTES: usize = 32;

/// A real type in which floats are accumulated.
pub(crate) trait Real: Element + std::ops::Add<Output = Self> + std::ops::Div<Output = Self> {
    const ZERO: Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
}

/// `W` accumulators that work in step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes<R, const W: usize>(pub(crate) [R; W]);

/// What a summation kernel needs of one vector, whatever its width.
pub(crate) trait Vector<R: Real>: Copy {
    /// Number of lanes.
    const WIDTH: usize;
    const ZERO: Self;
    /// The first `WIDTH` of some values.
    fn of(values: &[R]) -> Self;
    fn add(self, other: Self) -> Self;
    fn lanes(&self) -> &[R];
}

impl<R: Real, const W: usize> Vector<R> for Lanes<R, W> {
    const WIDTH: usize = W;
    const ZERO: Self = Lanes([R::ZERO; W]);

    #[inline(always)]
    fn of(values: &[R]) -> Self {
        Lanes(std::array::from_fn(|lane| values[lane]))
    }

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] = self.0[lane] + other.0[lane];
        }
        self
    }

    #[inline(always)]
    fn lanes(&self) -> &[R] {
        &self.0
    }
}

/// A floating dtype: how it is accumulated and how its vectors are laid out.
pub(crate) trait Float: Element {
    /// Type of the accumulator: `f32` for the 16-bit types, else the type itself.
    type Acc: Real;
    /// The vector of accumulators.
    type Vector: Vector<Self::Acc>;
    /// Elements in one 32-byte vector of this type.
    const PER_VECTOR: usize;

    fn widen(self) -> Self::Acc;
    fn narrow(value: Self::Acc) -> Self;
    /// `WIDTH` neighbours as one vector.
    fn columns(data: &[Self]) -> Self::Vector;
    /// `PER_VECTOR` neighbours folded to one vector: for 16-bit types the second half is added to
    /// the first, lane by lane.
    fn item(data: &[Self]) -> Self::Vector;

    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}

macro_rules! wide {
    ($type:ty, $width:literal) => {
        impl Float for $type {
            type Acc = $type;
            type Vector = Lanes<$type, $width>;
            const PER_VECTOR: usize = $width;

            #[inline(always)]
            fn widen(self) -> $type {
                self
            }
            #[inline(always)]
            fn narrow(value: $type) -> $type {
                value
            }
            #[inline(always)]
            fn columns(data: &[$type]) -> Self::Vector {
                Lanes(std::array::from_fn(|lane| data[lane]))
            }
            #[inline(always)]
            fn item(data: &[$type]) -> Self::Vector {
                Self::columns(data)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_f64(value: f64) -> $type {
                value as $type
            }
        }
    };
}

wide!(f64, 4);
wide!(f32, 8);

macro_rules! half_precision {
    ($type:ty, $widen:path, $narrow:path) => {
        impl Float for $type {
            type Acc = f32;
            type Vector = Lanes<f32, 8>;
            const PER_VECTOR: usize = 16;

            #[inline(always)]
            fn widen(self) -> f32 {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(value: f32) -> $type {
                $narrow(value)
            }
            #[inline(always)]
            fn columns(data: &[$type]) -> Self::Vector {
                Lanes(std::array::from_fn(|lane| $widen(data[lane])))
            }
            #[inline(always)]
            fn item(data: &[$type]) -> Self::Vector {
                Self::columns(&data[..8]).add(Self::columns(&data[8..16]))
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from($widen(self))
            }
            // PyTorch narrows float64 to its 16-bit types by way of float32.
            #[inline(always)]
            fn from_f64(value: f64) -> $type {
                $narrow(value as f32)
            }
        }
    };
}

half_precision!(f16, small::from_f16, small::to_f16);
half_precision!(bf16, small::from_bf16, small::to_bf16);
