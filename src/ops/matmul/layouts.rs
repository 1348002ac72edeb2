//! Matrices as PyTorch's linear algebra sees them: by their strides, which choose the kernel and
//! with it the order of addition of the 16-bit floats.

use std::borrow::Cow;

use super::kernels::Order;
use crate::tensor::layout::{self, Positions};
use crate::tensor::{DType, Element, Tensor};

/// A view of two dimensions into a tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'a> {
    pub(super) of: &'a Tensor,
    pub(super) shape: [usize; 2],
    pub(super) strides: [usize; 2],
    pub(super) offset: usize,
}

impl<'a> Matrix<'a> {
    /// A matrix over a tensor of two dimensions.
    pub(super) fn new(of: &'a Tensor) -> Option<Matrix<'a>> {
        let (&[rows, columns], &[down, right]) = (of.shape(), of.strides()) else { return None };
        Some(Matrix { of, shape: [rows, columns], strides: [down, right], offset: of.offset() })
    }

    /// A vector as a matrix of one column.
    pub(super) fn column(of: &'a Tensor) -> Matrix<'a> {
        let down = of.strides().first().copied().unwrap_or(1);
        Matrix { of, shape: [of.numel(), 1], strides: [down, 1], offset: of.offset() }
    }

    /// The last two dimensions of a tensor at each place of the others, row-major.
    pub(super) fn batch(of: &'a Tensor) -> Vec<Matrix<'a>> {
        let (&[ref batch @ .., rows, columns], &[ref steps @ .., down, right]) = (of.shape(), of.strides())
        else {
            return Vec::new();
        };
        Positions::new(batch, steps, of.offset())
            .map(|offset| Matrix { of, shape: [rows, columns], strides: [down, right], offset })
            .collect()
    }

    pub(super) fn t(self) -> Matrix<'a> {
        let ([rows, columns], [down, right]) = (self.shape, self.strides);
        Matrix { shape: [columns, rows], strides: [right, down], ..self }
    }

    /// The elements where they lie, or a row-major copy of them in another type.
    pub(super) fn elements<T: Element>(self) -> Elements<'a, T> {
        let [rows, columns] = self.shape;
        match T::peek(self.of.storage()) {
            // The offset of a matrix without elements may lie anywhere.
            Some(data) if rows * columns > 0 => {
                let [down, right] = self.strides;
                Elements { data: Cow::Borrowed(&data[self.offset..]), down, right }
            }
            _ => {
                let positions = Positions::new(self.shape, self.strides, self.offset);
                let picked = self.of.picked(&self.shape, positions);
                Elements { data: Cow::Owned(picked.values::<T>().into_owned()), down: columns, right: 1 }
            }
        }
    }

    /// The elements, row by row.
    pub(super) fn values<T: Element>(self) -> Vec<T> {
        let [rows, columns] = self.shape;
        let mut values = vec![T::default(); rows * columns];
        if !values.is_empty() {
            self.elements::<T>().pack_columns(&mut values, columns, [0, 0], columns);
        }
        values
    }
}

/// The elements of a matrix in memory, from the first one on.
pub(super) struct Elements<'a, T: Element> {
    data: Cow<'a, [T]>,
    /// Distance of neighbours in a column, and in a row.
    down: usize,
    right: usize,
}

impl<T: Element> Elements<'_, T> {
    /// Copies parts of rows, from a row and column on, to lie behind one another, `width` elements
    /// of each; the last of a row are left as they are if it has only `there`.
    #[inline(always)]
    pub(super) fn pack_columns(
        &self,
        packed: &mut [T],
        width: usize,
        [row, column]: [usize; 2],
        there: usize,
    ) {
        let width_there = width.min(there);
        let first = row * self.down + column * self.right;
        if self.right == 1 {
            for (i, packed) in packed.chunks_exact_mut(width).enumerate() {
                packed[..width_there].copy_from_slice(&self.data[first + i * self.down..][..width_there]);
            }
            return;
        }
        for block in (0..packed.len() / width).step_by(BLOCK) {
            for j in 0..width_there {
                for (i, packed) in packed.chunks_exact_mut(width).enumerate().skip(block).take(BLOCK) {
                    packed[j] = self.data[first + i * self.down + j * self.right];
                }
            }
        }
    }

    /// The same of columns.
    #[inline(always)]
    pub(super) fn pack_rows(&self, packed: &mut [T], height: usize, [row, column]: [usize; 2], there: usize) {
        let transposed = Elements { data: Cow::Borrowed(&*self.data), down: self.right, right: self.down };
        transposed.pack_columns(packed, height, [column, row], there);
    }
}

/// Elements of a column that are copied before the next column's, where they lie far apart: their
/// targets stay in the cache.
const BLOCK: usize = 64;

/// Whether a dtype's sums run in one of PyTorch's own orders.
pub(super) fn is_short(dtype: DType) -> bool {
    matches!(dtype, DType::Float16 | DType::BFloat16)
}

/// How BLAS takes a matrix whose columns are to be contiguous: as it is, transposed, or (with
/// neither fit) as a row-major copy.
fn takes([along, across]: [usize; 2], [rows, columns]: [usize; 2]) -> Option<bool> {
    if along == 1 && across >= rows.max(1) {
        Some(false)
    } else if across == 1 && along >= columns.max(1) {
        Some(true)
    } else {
        None
    }
}

/// The order in which `a @ b` adds (`addmm_impl_cpu_`, then `gemm_core_`). A result of more than
/// one column is computed as its transpose, since BLAS counts down columns.
pub(super) fn product_order(dtype: DType, a: Matrix, b: Matrix) -> Order {
    if !is_short(dtype) {
        return Order::Sequential;
    }
    let swapped = b.shape[1] != 1;
    let (first, second) = if swapped { (b.t(), a.t()) } else { (a, b) };
    // A row-major copy reads as transposed, unless everything is.
    let transposed = |matrix: Matrix| takes(matrix.strides, matrix.shape).unwrap_or(!swapped);
    match (transposed(first), transposed(second)) {
        (true, false) => Order::Lanes,
        (false, true) => Order::Fused,
        _ => Order::Four,
    }
}

/// The order in which a matrix times a vector adds (`addmv_out`, then `gemv`).
pub(super) fn vector_order(dtype: DType, matrix: Matrix, vector_stride: usize) -> Order {
    let contiguous = vector_stride == 1 || matrix.shape[1] == 1;
    if is_short(dtype) && contiguous && !lies_as_columns(matrix) { Order::Lanes } else { Order::Sequential }
}

/// Whether `gemv` takes a matrix column by column.
pub(super) fn lies_as_columns(matrix: Matrix) -> bool {
    let ([rows, columns], [down, right]) = (matrix.shape, matrix.strides);
    rows > 1 && down == 1 && (columns == 1 || right >= rows.max(1))
}

/// The order of `dot`.
pub(super) fn dot_order(dtype: DType, a: &Tensor, b: &Tensor) -> Order {
    let contiguous = |tensor: &Tensor| layout::is_contiguous(tensor.shape(), tensor.strides());
    if is_short(dtype) && contiguous(a) && contiguous(b) { Order::Lanes } else { Order::Sequential }
}

/// Batches of fewer multiplications than this per matrix run a plain loop (`bmm` in
/// `LinearAlgebra.cpp`).
const SMALL: usize = 400;

/// The order in which one matrix of a batch adds.
pub(super) fn batch_order(dtype: DType, a: Matrix, b: Matrix) -> Order {
    match is_small(a, b) {
        true => Order::Sequential,
        false => product_order(dtype, a, b),
    }
}

/// Whether a batch of such products runs the plain loop.
pub(super) fn is_small(a: Matrix, b: Matrix) -> bool {
    a.shape[0].saturating_mul(a.shape[1]).saturating_mul(b.shape[1]) < SMALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Storage;

    fn strided(shape: [usize; 2], strides: [usize; 2]) -> Tensor {
        Tensor::strided(&shape, &strides, 0, Storage::Float16(vec![half::f16::ONE; 64])).unwrap()
    }

    #[test]
    fn layouts_choose_the_order() {
        let order = |a: &Tensor, b: &Tensor| {
            product_order(DType::Float16, Matrix::new(a).unwrap(), Matrix::new(b).unwrap())
        };
        let (rows, columns) = (strided([2, 5], [5, 1]), strided([2, 5], [1, 2]));
        let (other_rows, other_columns) = (strided([5, 3], [3, 1]), strided([5, 3], [1, 5]));
        assert_eq!(order(&rows, &other_rows), Order::Four);
        assert_eq!(order(&columns, &other_rows), Order::Fused);
        assert_eq!(order(&rows, &other_columns), Order::Lanes);
        assert_eq!(order(&columns, &other_columns), Order::Four);
    }
}
