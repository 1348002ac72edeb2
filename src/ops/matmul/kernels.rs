//! The loops: sums of products, and what is done to them at the end.

use half::{bf16, f16};

use super::blocked;
use super::layouts::Matrix;
use crate::ops::call::{Failure, Result};
use crate::tensor::{DType, Element, Scalar};

/// In which order the products of one result are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// One after the other.
    Sequential,
    /// One after the other, each product and sum rounded once: of two bfloat16 that only shows
    /// where the product is too small for float32.
    Fused,
    /// In four partial sums by position, the rest in the first, then added from first to last
    /// (ATen's `sum` in `BlasKernel.cpp`).
    Four,
    /// In eight vectors of eight lanes, folded by halves; then pairs of vectors; then the rest
    /// one after the other (ATen's dot product of 16-bit floats with float32 arithmetic).
    Lanes,
}

/// A dtype that PyTorch has product kernels for.
pub(super) trait Number: Element {
    /// What products are added in.
    type Sum: Copy;
    const ZERO: Self::Sum;
    /// A number as an operand of the final scaling.
    fn factor(scalar: Scalar) -> Self::Sum;
    /// A number that is made a value of the dtype first.
    fn factor_within(scalar: Scalar) -> Self::Sum {
        Self::from_scalar(scalar).widened()
    }
    fn widened(self) -> Self::Sum;
    fn narrowed(sum: Self::Sum) -> Self;
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    fn times(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// `a * b + c`, rounded once.
    fn fused(a: Self::Sum, b: Self::Sum, c: Self::Sum) -> Self::Sum;
    /// The product of two matrices in [`Order::Sequential`], for the types that have it in tiles.
    fn blocked(_a: Matrix, _b: Matrix) -> Option<Vec<Self::Sum>> {
        None
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            type Sum = $type;
            const ZERO: $type = 0;
            fn factor(scalar: Scalar) -> $type {
                <$type>::from_scalar(scalar)
            }
            fn widened(self) -> $type {
                self
            }
            fn narrowed(sum: $type) -> $type {
                sum
            }
            fn plus(a: $type, b: $type) -> $type {
                a.wrapping_add(b)
            }
            fn times(a: $type, b: $type) -> $type {
                a.wrapping_mul(b)
            }
            fn fused(a: $type, b: $type, c: $type) -> $type {
                a.wrapping_mul(b).wrapping_add(c)
            }
        }
    )*};
}

integers!(i64, i32, i16, i8, u8);

macro_rules! floats {
    ($($type:ty => $sum:ty, $widened:expr, $narrowed:expr, $blocked:expr;)*) => {$(
        impl Number for $type {
            type Sum = $sum;
            const ZERO: $sum = 0.0;
            fn factor(scalar: Scalar) -> $sum {
                <$sum>::from_scalar(scalar)
            }
            fn widened(self) -> $sum {
                $widened(self)
            }
            fn narrowed(sum: $sum) -> $type {
                $narrowed(sum)
            }
            fn plus(a: $sum, b: $sum) -> $sum {
                a + b
            }
            fn times(a: $sum, b: $sum) -> $sum {
                a * b
            }
            fn fused(a: $sum, b: $sum, c: $sum) -> $sum {
                a.mul_add(b, c)
            }
            fn blocked(a: Matrix, b: Matrix) -> Option<Vec<$sum>> {
                $blocked(a, b)
            }
        }
    )*};
}

floats! {
    f64 => f64, |value| value, |sum| sum, |a, b| Some(blocked::product(a, b));
    f32 => f32, |value| value, |sum| sum, |a, b| Some(blocked::product(a, b));
    f16 => f32, f16::to_f32, f16::from_f32, |_, _| None;
    bf16 => f32, bf16::to_f32, bf16::from_f32, |_, _| None;
}

/// Runs a generic expression with `T` standing for the type of a dtype that has product kernels;
/// any other is refused under the kernel's name.
macro_rules! with_number {
    ($dtype:expr, $kernel:expr, $T:ident => $body:expr) => {
        $crate::ops::matmul::kernels::with_number!(@ $dtype, $kernel, $T, $body,
            Float64 f64, Float32 f32, Float16 half::f16, BFloat16 half::bf16, Int64 i64, Int32 i32,
            Int16 i16, Int8 i8, UInt8 u8)
    };
    (@ $dtype:expr, $kernel:expr, $T:ident, $body:expr, $($variant:ident $type:ty),*) => {
        match $dtype {
            $($crate::tensor::DType::$variant => {
                type $T = $type;
                Ok($body)
            })*
            other => Err($crate::ops::call::Failure::no_kernel($kernel, other)),
        }
    };
}

pub(super) use with_number;

/// Refuses a dtype that has no product kernels.
pub(super) fn check_kernel(kernel: &str, dtype: DType) -> Result<()> {
    match dtype {
        DType::Bool | DType::UInt32 => Err(Failure::no_kernel(kernel, dtype)),
        _ => Ok(()),
    }
}

/// Lanes of a vector of float32, and vectors that [`Order::Lanes`] fills at once.
const LANES: usize = 8;
const VECTORS: usize = 8;

fn madd<T: Number>(sum: T::Sum, a: T, b: T) -> T::Sum {
    T::plus(sum, T::times(a.widened(), b.widened()))
}

/// The sum of the products of two vectors of one length.
pub(super) fn dot<T: Number>(order: Order, a: &[T], b: &[T]) -> T::Sum {
    match order {
        Order::Sequential => in_order(T::ZERO, a, b),
        Order::Fused => {
            a.iter().zip(b).fold(T::ZERO, |sum, (&a, &b)| T::fused(a.widened(), b.widened(), sum))
        }
        Order::Four => {
            let whole = a.len() / 4 * 4;
            let mut sums = [T::ZERO; 4];
            for (i, (&a, &b)) in a[..whole].iter().zip(b).enumerate() {
                sums[i % 4] = madd(sums[i % 4], a, b);
            }
            sums[0] = in_order(sums[0], &a[whole..], &b[whole..]);
            let [first, rest @ ..] = sums;
            rest.into_iter().fold(first, T::plus)
        }
        Order::Lanes => {
            let (blocks, pairs) =
                (a.len() / (VECTORS * LANES) * (VECTORS * LANES), a.len() / (2 * LANES) * (2 * LANES));
            let mut sums = [T::ZERO; VECTORS * LANES];
            for (i, (&a, &b)) in a[..blocks].iter().zip(b).enumerate() {
                sums[i % (VECTORS * LANES)] = madd(sums[i % (VECTORS * LANES)], a, b);
            }
            let mut tail = [T::ZERO; LANES];
            for (i, (&a, &b)) in a[blocks..pairs].iter().zip(&b[blocks..]).enumerate() {
                tail[i % LANES] = madd(tail[i % LANES], a, b);
            }
            // Folding vectors by halves and then lanes by halves is one fold of all of them.
            let sum = T::plus(folded::<T>(&mut sums), folded::<T>(&mut tail));
            in_order(sum, &a[pairs..], &b[pairs..])
        }
    }
}

fn in_order<T: Number>(start: T::Sum, a: &[T], b: &[T]) -> T::Sum {
    a.iter().zip(b).fold(start, |sum, (&a, &b)| madd(sum, a, b))
}

/// The sum of a power of two of lanes, the second half onto the first until one is left.
fn folded<T: Number>(lanes: &mut [T::Sum]) -> T::Sum {
    let mut length = lanes.len();
    while length > 1 {
        length /= 2;
        for i in 0..length {
            lanes[i] = T::plus(lanes[i], lanes[i + length]);
        }
    }
    lanes[0]
}

/// The sums of the product of two matrices, row by row.
pub(super) fn product<T: Number>(order: Order, a: Matrix, b: Matrix) -> Vec<T::Sum> {
    let [rows, inner] = a.shape;
    let columns = b.shape[1];
    if order == Order::Sequential && columns > 1 {
        let in_rows = || in_rows(&a.values::<T>(), &b.values::<T>(), [rows, inner, columns]);
        return T::blocked(a, b).unwrap_or_else(in_rows);
    }
    let (a, b) = (a.values::<T>(), b.t().values::<T>());
    let (row, column) = (|i: usize| &a[i * inner..][..inner], |j: usize| &b[j * inner..][..inner]);
    (0..rows * columns).map(|at| dot(order, row(at / columns), column(at % columns))).collect()
}

/// The sums in sequential order, a row of them at a time: neighbours are independent and fill
/// vectors.
fn in_rows<T: Number>(a: &[T], b: &[T], [rows, inner, columns]: [usize; 3]) -> Vec<T::Sum> {
    let mut sums = vec![T::ZERO; rows * columns];
    if inner > 0 {
        for (row, sums) in a.chunks(inner).zip(sums.chunks_mut(columns)) {
            for (&value, others) in row.iter().zip(b.chunks(columns)) {
                for (sum, &other) in sums.iter_mut().zip(others) {
                    *sum = madd(*sum, value, other);
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    #[test]
    fn the_orders_differ_where_large_terms_cancel() {
        let mut a = [f16::from_f32(0.001); 65];
        (a[0], a[63]) = (f16::from_f32(6e4), f16::from_f32(-6e4));
        let ones = [f16::ONE; 65];
        let sums = [Order::Sequential, Order::Four, Order::Lanes].map(|order| dot(order, &a, &ones));
        assert!(sums[0] != sums[1] && sums[1] != sums[2] && sums[0] != sums[2], "{sums:?}");
    }

    #[test]
    fn a_product_is_made_of_dots() {
        let a: Vec<f32> = (0..6).map(|i| 0.1 * i as f32).collect();
        let b: Vec<f32> = (0..12).map(|i| 0.7 - i as f32).collect();
        let left = Tensor::new(&[2, 3], a.clone()).unwrap();
        let right = Tensor::new(&[4, 3], b.clone()).unwrap();
        let [left, right] = [&left, &right].map(|x| Matrix::new(x).unwrap());
        for order in [Order::Sequential, Order::Four] {
            for (at, &sum) in product::<f32>(order, left, right.t()).iter().enumerate() {
                assert_eq!(sum, dot(order, &a[at / 4 * 3..][..3], &b[at % 4 * 3..][..3]), "{order:?}");
            }
        }
    }
}
