//! Sums along a row as the vector helpers of PyTorch's row-wise kernels have them
//! (`vec/functional_base.h`, `vec/functional_bfloat16.h`: `reduce_all` and its kin).
//!
//! One accumulator per lane of a vector, from the first vector on; the rest touches the first
//! lanes only. 16-bit types have two vectors of float32 side by side, which meet before the lanes
//! do.

use super::lanes::{Float, Real as _, Vector as _};
use super::sleef::Number;
use crate::tensor::{DType, Element};

/// Where the compiler fused a product into the sum that it is added to; found by trying every
/// combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fused {
    Nowhere,
    /// In the rest that fills no vector.
    InRest,
    Everywhere,
}

/// The sum of a row (`reduce_all`, `map_reduce_all`).
#[inline(always)]
pub(crate) fn sum_of_row<T: Float<Acc: Number>>(values: &[T::Acc]) -> T::Acc {
    let (width, vector) = (T::Vector::WIDTH, T::PER_VECTOR);
    if values.len() < vector {
        let terms: Vec<_> = values.iter().map(|&x| (x, T::Acc::ONE)).collect();
        return sum_of_products::<T>(&terms, Fused::Nowhere);
    }
    let (first, rest) = values.split_at(vector);
    let mut lanes = [T::Acc::ZERO; MOST_LANES];
    lanes[..vector].copy_from_slice(first);
    let mut vectors = rest.chunks_exact(vector);
    for values in &mut vectors {
        for lane in 0..vector {
            lanes[lane] = lanes[lane] + values[lane];
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(vectors.remainder()) {
        *lane = *lane + x;
    }
    if vector > width {
        for lane in 0..width {
            lanes[lane] = lanes[lane] + lanes[width + lane];
        }
    }
    across::<T>(lanes[..width].to_vec())
}

/// Accumulators of the two vectors of a 16-bit type.
const MOST_LANES: usize = 16;

/// The sum of the products of pairs (`map2_reduce_all`, `map3_reduce_all`).
pub(crate) fn sum_of_products<T: Float<Acc: Number>>(terms: &[(T::Acc, T::Acc)], fused: Fused) -> T::Acc {
    let lanes = lanes_of_products::<T>(terms, fused);
    if terms.len() < T::PER_VECTOR { in_order::<T>(&lanes) } else { across::<T>(lanes) }
}

/// The same before the lanes of the vector meet; there are fewer lanes than the vector has where
/// there are fewer terms.
pub(crate) fn lanes_of_products<T: Float<Acc: Number>>(
    terms: &[(T::Acc, T::Acc)],
    fused: Fused,
) -> Vec<T::Acc> {
    let (width, vector) = (T::Vector::WIDTH, T::PER_VECTOR);
    let mut lanes: Vec<T::Acc> = terms.iter().take(vector).map(|&(x, y)| x * y).collect();
    for chunk in terms.chunks(vector).skip(1) {
        let fuse = fused == Fused::Everywhere || (fused == Fused::InRest && chunk.len() < vector);
        for (lane, &(x, y)) in lanes.iter_mut().zip(chunk) {
            *lane = if fuse { x.fma(y, *lane) } else { *lane + x * y };
        }
    }
    let second = lanes.split_off(lanes.len().min(width));
    for (i, (lane, other)) in lanes.iter_mut().zip(second).enumerate() {
        let (x, y) = terms[width + i];
        let alone = terms.len() < vector && fused == Fused::Everywhere;
        *lane = if alone { x.fma(y, *lane) } else { *lane + other };
    }
    lanes
}

/// The lanes of a full vector onto one another: float32 by halves, float64 in order.
pub(crate) fn across<T: Float>(mut lanes: Vec<T::Acc>) -> T::Acc {
    if <T::Acc as Element>::DTYPE == DType::Float64 {
        return in_order::<T>(&lanes);
    }
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len() / 2);
        for (lane, other) in lanes.iter_mut().zip(upper) {
            *lane = *lane + other;
        }
    }
    in_order::<T>(&lanes)
}

fn in_order<T: Float>(lanes: &[T::Acc]) -> T::Acc {
    lanes.iter().copied().reduce(|sum, lane| sum + lane).unwrap_or(T::Acc::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_meet_by_halves_in_full_vectors_and_in_order_in_shorter_rows() {
        let rounding = [1.0, 3e-8, 3e-8, 3e-8, 3e-8, 3e-8, 3e-8, 3e-8f32];
        let halves = sum_of_row::<f32>(&rounding);
        let in_order: f32 = rounding.iter().sum();
        assert_ne!(halves, in_order);
        assert_eq!(sum_of_row::<f32>(&rounding[..7]), rounding[..7].iter().sum::<f32>());
        let wide = [1.0, 1e-16, 1e-16, 1e-16f64];
        assert_eq!(sum_of_row::<f64>(&wide), wide.iter().sum::<f64>());
    }

    #[test]
    fn a_sum_is_that_of_products_with_one() {
        fn check<T: Float<Acc: Number>>(from: fn(f64) -> T::Acc) {
            for n in 0..70 {
                let row: Vec<T::Acc> = (0..n).map(|i| from((i * i) as f64 * 0.37).root()).collect();
                let terms: Vec<_> = row.iter().map(|&x| (x, T::Acc::ONE)).collect();
                let products = sum_of_products::<T>(&terms, Fused::Nowhere);
                assert!(sum_of_row::<T>(&row).identical(products), "{n} of {}", T::DTYPE.name());
            }
        }
        check::<f32>(|x| x as f32);
        check::<f64>(|x| x);
        check::<half::f16>(|x| x as f32);
    }

    #[test]
    fn products_are_fused_where_asked_for() {
        let near = 1.0 + 3.0 * f32::EPSILON;
        let product = near * near - 1.0;
        let mut row = [(0.0f32, 0.0f32); 16];
        (row[0], row[8]) = ((-1.0, 1.0), (near, near));
        for (n, fused, rounded) in [
            (9, Fused::Nowhere, true),
            (9, Fused::InRest, false),
            (9, Fused::Everywhere, false),
            (16, Fused::InRest, true),
            (16, Fused::Everywhere, false),
        ] {
            assert_eq!(sum_of_products::<f32>(&row[..n], fused) == product, rounded, "{n} {fused:?}");
        }
        assert_eq!(sum_of_products::<f32>(&[(1.0, 1.0); 17], Fused::Everywhere), 17.0);
    }

    #[test]
    fn the_second_vector_of_a_short_16_bit_row_is_fused_into_the_first() {
        let near = 1.0 + 3.0 * f32::EPSILON;
        let mut row = [(0.0f32, 0.0f32); 9];
        (row[0], row[8]) = ((-1.0, 1.0), (near, near));
        assert_eq!(sum_of_products::<half::f16>(&row, Fused::Nowhere), near * near - 1.0);
        assert_ne!(sum_of_products::<half::f16>(&row, Fused::Everywhere), near * near - 1.0);
    }
}
