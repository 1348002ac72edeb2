//! Products of float32 and float64 matrices in tiles.
//!
//! Each result is what a plain loop gives that adds one product after the other, unfused, whatever
//! the CPU and the sizes of the blocks: what runs side by side are results, never the terms of one. A tile of results stays in registers while the terms stream past it, which are
//! packed in the order in which they are needed; the rest is choosing blocks that stay in caches.

use pulp::{Simd, WithSimd};

use super::layouts::{Elements, Matrix};
use crate::cpu;
use crate::tensor::Element;

/// Terms that are packed at once: a tile's share of both operands fits into the first cache.
const DEPTH: usize = 256;

/// Rows that are packed at once, a multiple of every tile's: with [`DEPTH`] terms each they fit
/// into the second cache.
const ROWS: usize = 480;

/// A type that has vectors.
pub(super) trait Real: Element {
    type Vector<S: Simd>: Copy;
    const ZERO: Self;
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// `sum + a * b` in every lane, the product rounded by itself.
    fn add_product<S: Simd>(
        simd: S,
        sum: Self::Vector<S>,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
    ) -> Self::Vector<S>;
    fn vectors<S: Simd>(data: &[Self]) -> &[Self::Vector<S>];
    fn vectors_mut<S: Simd>(data: &mut [Self]) -> &mut [Self::Vector<S>];
}

macro_rules! real {
    ($type:ty, $vector:ident, $splat:ident, $add:ident, $mul:ident, $view:ident, $view_mut:ident) => {
        impl Real for $type {
            type Vector<S: Simd> = S::$vector;
            const ZERO: $type = 0.0;

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: $type) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn add_product<S: Simd>(simd: S, sum: S::$vector, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(sum, simd.$mul(a, b))
            }
            #[inline(always)]
            fn vectors<S: Simd>(data: &[$type]) -> &[S::$vector] {
                S::$view(data).0
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(data: &mut [$type]) -> &mut [S::$vector] {
                S::$view_mut(data).0
            }
        }
    };
}

real!(f32, f32s, splat_f32s, add_f32s, mul_f32s, as_simd_f32s, as_mut_simd_f32s);
real!(f64, f64s, splat_f64s, add_f64s, mul_f64s, as_simd_f64s, as_mut_simd_f64s);

/// The product of two matrices, row by row.
pub(super) fn product<T: Real>(a: Matrix, b: Matrix) -> Vec<T> {
    let ([rows, inner], columns) = (a.shape, b.shape[1]);
    cpu::with_simd(Product { a: a.elements(), b: b.elements(), rows, inner, columns })
}

struct Product<'a, T: Real> {
    a: Elements<'a, T>,
    b: Elements<'a, T>,
    rows: usize,
    inner: usize,
    columns: usize,
}

impl<T: Real> WithSimd for Product<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
        // As many sums as there are registers, but for two vectors of `b`, an element of `a`, and a
        // product.
        match S::REGISTER_COUNT {
            32.. => self.in_tiles::<S, 12>(simd),
            _ => self.in_tiles::<S, 6>(simd),
        }
    }
}

/// Vectors of a tile's row.
const ACROSS: usize = 2;

impl<T: Real> Product<'_, T> {
    #[inline(always)]
    fn in_tiles<S: Simd, const DOWN: usize>(self, simd: S) -> Vec<T> {
        let width = ACROSS * size_of::<T::Vector<S>>() / size_of::<T>();
        let stride = self.columns.next_multiple_of(width);
        let mut sums = vec![T::ZERO; self.rows.next_multiple_of(DOWN) * stride];
        let mut left = vec![T::ZERO; ROWS.min(self.rows).next_multiple_of(DOWN) * DEPTH.min(self.inner)];
        let mut right = vec![T::ZERO; width * DEPTH.min(self.inner)];
        for term in (0..self.inner).step_by(DEPTH) {
            let depth = DEPTH.min(self.inner - term);
            for row in (0..self.rows).step_by(ROWS) {
                let rows = ROWS.min(self.rows - row);
                let tiles = rows.div_ceil(DOWN);
                for (tile, packed) in left.chunks_exact_mut(DOWN * depth).take(tiles).enumerate() {
                    let first = row + tile * DOWN;
                    self.a.pack_rows(packed, DOWN, [first, term], self.rows - first);
                }
                for column in (0..self.columns).step_by(width) {
                    let packed = &mut right[..width * depth];
                    self.b.pack_columns(packed, width, [term, column], self.columns - column);
                    for (tile, left) in left.chunks_exact(DOWN * depth).take(tiles).enumerate() {
                        let sums = &mut sums[(row + tile * DOWN) * stride + column..];
                        add_tile::<T, S, DOWN>(simd, left, packed, sums, stride);
                    }
                }
            }
        }
        sums.truncate(self.rows * stride);
        if stride == self.columns {
            return sums;
        }
        sums.chunks_exact(stride).flat_map(|row| &row[..self.columns]).copied().collect()
    }
}

/// Adds the products of packed terms to a tile of sums whose rows are `stride` apart.
#[inline(always)]
fn add_tile<T: Real, S: Simd, const DOWN: usize>(
    simd: S,
    left: &[T],
    right: &[T],
    sums: &mut [T],
    stride: usize,
) {
    let mut tile = [[T::splat(simd, T::ZERO); ACROSS]; DOWN];
    for (i, row) in tile.iter_mut().enumerate() {
        row.copy_from_slice(&T::vectors::<S>(&sums[i * stride..])[..ACROSS]);
    }
    let right = T::vectors::<S>(right).chunks_exact(ACROSS);
    for (left, right) in left.chunks_exact(DOWN).zip(right) {
        for i in 0..DOWN {
            let factor = T::splat(simd, left[i]);
            for j in 0..ACROSS {
                tile[i][j] = T::add_product(simd, tile[i][j], factor, right[j]);
            }
        }
    }
    for (i, row) in tile.iter().enumerate() {
        T::vectors_mut::<S>(&mut sums[i * stride..])[..ACROSS].copy_from_slice(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    /// One product after the other.
    fn plain(a: &[f32], b: &[f32], [rows, inner, columns]: [usize; 3]) -> Vec<f32> {
        let sum = |i: usize, j: usize| {
            (0..inner).fold(0.0f32, |sum, k| sum + a[i * inner + k] * b[k * columns + j])
        };
        (0..rows * columns).map(|at| sum(at / columns, at % columns)).collect()
    }

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 + seed) % 1000) as f32 * 0.37 - 185.0).collect()
    }

    #[test]
    fn tiles_give_the_bits_of_a_plain_loop() {
        let sizes = [1, 2, 5, 6, 7, 11, 13, 16, 31, 33, 65];
        for (i, &rows) in sizes.iter().enumerate() {
            for &columns in &sizes {
                let inner = [1, 3, 255, 256, 257, 600][i % 6];
                let (a, b) = (numbers(rows * inner, 1), numbers(inner * columns, 2));
                let expected = plain(&a, &b, [rows, inner, columns]);
                let left = Tensor::new(&[rows, inner], a).unwrap();
                let right = Tensor::new(&[inner, columns], b).unwrap();
                // The same matrices, by columns in memory.
                let [left_t, right_t] =
                    [&left, &right].map(|x| x.permuted(&[1, 0]).contiguous().permuted(&[1, 0]));
                for (left, right) in [(&left, &right), (&left_t, &right_t)] {
                    let [left, right] = [left, right].map(|x| Matrix::new(x).unwrap());
                    assert_eq!(product::<f32>(left, right), expected, "{rows} {inner} {columns}");
                }
            }
        }
    }

    #[test]
    fn more_rows_than_are_packed_at_once() {
        let sizes = [ROWS + 7, 3, 2];
        let (a, b) = (numbers(sizes[0] * 3, 3), numbers(6, 4));
        let expected = plain(&a, &b, sizes);
        let (left, right) = (Tensor::new(&[sizes[0], 3], a).unwrap(), Tensor::new(&[3, 2], b).unwrap());
        let [left, right] = [&left, &right].map(|x| Matrix::new(x).unwrap());
        assert_eq!(product::<f32>(left, right), expected);
    }
}
