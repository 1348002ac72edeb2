//! Sums along a row as the vector helpers of PyTorch's row-wise kernels have them
//! (`vec/functional_base.h`, `vec/functional_bfloat16.h`: `reduce_all` and its kin).
//!
//! One accumulator per lane of a vector, from the first vector on; the rest touches the first
//! lanes only. 16-bit types have two vectors of float32 side by side, which meet before the lanes
//! do.

use super::lanes::{Float, Real as _, Vector as _};
use super::sleef::Number;
use crate::tensor::{DType, Element};

/// The sum of a row (`reduce_all`, `map_reduce_all`).
pub(crate) fn sum_of_row<T: Float<Acc: Number>>(values: &[T::Acc]) -> T::Acc {
    let terms: Vec<_> = values.iter().map(|&x| (x, T::Acc::ONE)).collect();
    sum_of_products::<T>(&terms)
}

/// The sum of the products of pairs (`map2_reduce_all`, `map3_reduce_all`). The compiler fused
/// product and sum in the rest that fills no vector, and not in the loop before; *measured*.
pub(crate) fn sum_of_products<T: Float<Acc: Number>>(terms: &[(T::Acc, T::Acc)]) -> T::Acc {
    let (width, vector) = (T::Vector::WIDTH, T::PER_VECTOR);
    let (first, rest) = terms.split_at(terms.len().min(vector));
    let mut lanes: Vec<T::Acc> = first.iter().map(|&(x, y)| x * y).collect();
    for terms in rest.chunks(vector) {
        for (lane, &(x, y)) in lanes.iter_mut().zip(terms) {
            *lane = if terms.len() == vector { *lane + x * y } else { x.fma(y, *lane) };
        }
    }
    let second = lanes.split_off(lanes.len().min(width));
    for (lane, other) in lanes.iter_mut().zip(second) {
        *lane = *lane + other;
    }
    if terms.len() < vector { in_order::<T>(&lanes) } else { across::<T>(lanes) }
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
    fn products_are_fused_in_the_rest_alone() {
        let (near, one) = (1.0 + f32::EPSILON, (1.0f32, 1.0f32));
        let mut row = [(0.0f32, 0.0f32); 9];
        (row[0], row[8]) = ((-1.0, 1.0), (near, near));
        assert_ne!(sum_of_products::<f32>(&row), near * near - 1.0);
        let mut rows = [(0.0f32, 0.0f32); 16];
        (rows[0], rows[8]) = ((-1.0, 1.0), (near, near));
        assert_eq!(sum_of_products::<f32>(&rows), near * near - 1.0);
        assert_eq!(sum_of_products::<f32>(&[one; 17]), 17.0);
    }
}
