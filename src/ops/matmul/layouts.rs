//! Matrices as PyTorch's linear algebra sees them: by their strides, which choose the kernel and
//! with it the order of addition of the 16-bit floats.

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

    /// The elements, row by row.
    pub(super) fn values<T: Element>(self) -> Vec<T> {
        if self.shape.contains(&0) {
            return Vec::new();
        }
        let positions = Positions::new(self.shape, self.strides, self.offset);
        match T::peek(self.of.storage()) {
            Some(data) => positions.map(|at| data[at]).collect(),
            None => self.of.picked(&self.shape, positions).values::<T>().into_owned(),
        }
    }
}

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
