//! How a function runs over the elements of a tensor: in which type, and which of its two forms
//! an element meets.
//!
//! PyTorch writes an element-wise function twice, for a vector and for one element. The first
//! runs where a line of the input is contiguous, on pairs of whole vectors; the second does the
//! rest ([`VectorPart`]). They differ in their last bits where one calls Sleef and the other the
//! C library, so a value depends on its position. 16-bit types are computed in float32 and
//! rounded once unless said otherwise.

use crate::cpu::{vectorised, widest};
use crate::ops::numerics::dispatch::with_float_type;
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::numerics::iterator::Lines;
use crate::ops::numerics::lanes::Float;
use crate::ops::numerics::libm::Libm;
use crate::ops::numerics::nearest::Nearest;
use crate::ops::numerics::sleef::{Number, Sleef};
use crate::tensor::{DType, Scalar, Tensor};

/// A type that functions are computed in: float32 or float64.
pub(super) trait Compute: Number + Sleef + Libm + Nearest + Float<Acc = Self> {
    /// A parameter, rounded to this type.
    fn of(value: f64) -> Self {
        Self::from_f64(value)
    }
}

impl Compute for f32 {}
impl Compute for f64 {}

/// A function of one element.
pub(super) trait Map {
    /// Whether AVX-512 makes it faster.
    const GAINS_BY_WIDTH: bool = false;

    /// What a vector's lane gives.
    fn vector<A: Compute>(&self, x: A) -> A;

    /// What the lanes of vectors give, one after the other.
    #[inline(always)]
    fn vectors<A: Compute>(&self, values: &[A], out: &mut Vec<A>) {
        out.extend(values.iter().map(|&x| self.vector(x)));
    }

    /// What an element alone gives.
    fn scalar<A: Compute>(&self, x: A) -> A {
        self.vector(x)
    }

    /// What a vector's lane gives of a 16-bit value widened to float32.
    #[inline(always)]
    fn half(&self, x: f32) -> f32 {
        self.vector(x)
    }

    /// What an element alone gives of a 16-bit value.
    fn half_scalar<T: Float<Acc = f32>>(&self, x: T) -> T {
        T::narrow(self.scalar(x.widen()))
    }
}

/// A function of the elements of a floating tensor.
pub(super) fn map(input: &Tensor, f: &impl Map) -> Tensor {
    map_in(input, f, &VectorPart::new([input], input.dtype()))
}

/// The same where PyTorch leaves the C library no part: strided and short lines are copied to
/// whole vectors first.
pub(super) fn map_in_vectors(input: &Tensor, f: &impl Map) -> Tensor {
    map_in(input, f, &VectorPart::everything())
}

fn map_in(input: &Tensor, f: &impl Map, part: &VectorPart) -> Tensor {
    fn wide<A: Compute, F: Map>(input: &Tensor, f: &F, part: &VectorPart) -> Tensor {
        each(
            input,
            part,
            F::GAINS_BY_WIDTH,
            #[inline(always)]
            |values: &[A], out: &mut Vec<A>| f.vectors(values, out),
            |x| f.scalar(x),
        )
    }
    fn half<T: Float<Acc = f32>, F: Map>(input: &Tensor, f: &F, part: &VectorPart) -> Tensor {
        each(
            input,
            part,
            F::GAINS_BY_WIDTH,
            #[inline(always)]
            |values: &[T], out: &mut Vec<T>| out.extend(values.iter().map(|x| T::narrow(f.half(x.widen())))),
            |x| f.half_scalar(x),
        )
    }
    match input.dtype() {
        DType::Float64 => wide::<f64, _>(input, f, part),
        DType::Float16 => half::<half::f16, _>(input, f, part),
        DType::BFloat16 => half::<half::bf16, _>(input, f, part),
        _ => wide::<f32, _>(input, f, part),
    }
}

/// Gives elements in vectors to one function and the others to another.
#[inline(always)]
fn each<T: Float>(
    input: &Tensor,
    part: &VectorPart,
    gains_by_width: bool,
    vectors: impl Fn(&[T], &mut Vec<T>),
    scalar: impl Fn(T) -> T,
) -> Tensor {
    let values = input.values::<T>();
    let mut out = Vec::with_capacity(values.len());
    match gains_by_width {
        true => widest(
            #[inline(always)]
            || divided(&values, part, vectors, scalar, &mut out),
        ),
        false => vectorised(
            #[inline(always)]
            || divided(&values, part, vectors, scalar, &mut out),
        ),
    }
    Tensor::collect(input.shape(), out)
}

#[inline(always)]
fn divided<T: Float>(
    values: &[T],
    part: &VectorPart,
    vectors: impl Fn(&[T], &mut Vec<T>),
    scalar: impl Fn(T) -> T,
    out: &mut Vec<T>,
) {
    match part.lines() {
        Some((length, end)) => {
            for line in values.chunks(length.max(1)) {
                let (in_vectors, rest) = line.split_at(end.min(line.len()));
                vectors(in_vectors, out);
                out.extend(rest.iter().map(|&x| scalar(x)));
            }
        }
        None => {
            for (i, x) in values.iter().enumerate() {
                match part.holds(i) {
                    true => vectors(std::slice::from_ref(x), out),
                    false => out.push(scalar(*x)),
                }
            }
        }
    }
}

/// A function of two elements.
pub(super) trait Zip {
    /// What a vector's lane gives.
    fn vector<A: Compute>(&self, x: A, y: A) -> A;
    /// What an element alone gives.
    fn scalar<A: Compute>(&self, x: A, y: A) -> A {
        self.vector(x, y)
    }
}

/// A function of the elements of two floating tensors of one shape and dtype.
pub(super) fn zip(operands: [&Tensor; 2], f: &impl Zip) -> Tensor {
    zip_in(operands, f, &VectorPart::new(operands, operands[0].dtype()))
}

/// The same into a result that is laid out row by row, whatever the operands are.
pub(super) fn zip_into_rows(operands: [&Tensor; 2], f: &impl Zip) -> Tensor {
    let [a, b] = operands;
    let rows = Tensor::full(a.shape(), Scalar::Int(0), a.dtype());
    zip_in(operands, f, &VectorPart::new([&rows, a, b], a.dtype()))
}

fn zip_in(operands: [&Tensor; 2], f: &impl Zip, part: &VectorPart) -> Tensor {
    fn each<T: Float>([a, b]: [&Tensor; 2], f: &impl Zip, part: &VectorPart) -> Tensor
    where
        T::Acc: Compute,
    {
        let (x, y) = (a.values::<T>(), b.values::<T>());
        let pairs = x.iter().zip(y.iter()).enumerate();
        let values = pairs.map(|(i, (x, y))| {
            let (x, y) = (x.widen(), y.widen());
            T::narrow(if part.holds(i) { f.vector(x, y) } else { f.scalar(x, y) })
        });
        Tensor::collect(a.shape(), values)
    }
    with_float_type!(operands[0].dtype(), T => each::<T>(operands, f, part))
}

/// Whether the elements lie in memory as one line without gaps, in some order of the dimensions.
pub(super) fn one_line(input: &Tensor) -> bool {
    let line = Lines::new([input]).line;
    input.numel() == 1 || (line.size == input.numel() && line.strides == [1])
}
