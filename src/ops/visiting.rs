//! The order in which PyTorch's `TensorIterator` visits the elements of several operands.
//!
//! Where writes meet at one element, the order decides what is left there, and of several bad
//! indices it decides which one an error names.

use std::cmp::Ordering;

use crate::tensor::layout::{self, Positions};
use crate::tensor::{Storage, Tensor};
use crate::with_data;

/// The dimensions of a shape from innermost to outermost in the order in which operands with
/// these strides are visited, which is how a new result lies in memory; the first operand that
/// decides between two dimensions, does.
pub(crate) fn inmost_first<S: AsRef<[usize]>>(shape: &[usize], operands: &[S]) -> Vec<usize> {
    let compare = |&a: &usize, &b: &usize| {
        let decided = |strides: &S| {
            let strides = strides.as_ref();
            layout::compare_dims((shape[a], strides[a]), (shape[b], strides[b]))
        };
        operands.iter().map(decided).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut dims: Vec<usize> = (0..shape.len()).collect();
    layout::sort_dims(&mut dims, compare);
    dims
}

/// Row-major positions of a shape in the order in which operands with these strides are visited.
pub(crate) fn order<S: AsRef<[usize]>>(shape: &[usize], operands: &[S]) -> Positions<Vec<usize>> {
    let mut dims = inmost_first(shape, operands);
    dims.reverse();
    let row_major = layout::contiguous_strides(shape);
    let pick = |of: &[usize]| dims.iter().map(|&d| of[d]).collect::<Vec<_>>();
    Positions::new(pick(shape), pick(&row_major), 0)
}

/// PyTorch's `clone()`: the same strides where the elements have no gaps, else the same order of
/// the dimensions in memory.
pub(crate) fn cloned(tensor: &Tensor) -> Tensor {
    let shape = tensor.shape();
    let strides = if layout::is_dense(shape, tensor.strides()) {
        tensor.strides().to_vec()
    } else {
        layout::dense_strides(shape, tensor.strides())
    };
    let targets = Positions::new(shape, strides.as_slice(), 0);
    let storage = with_data!(tensor.storage(), data => {
        let mut copy = vec![Default::default(); tensor.numel()];
        for (target, source) in targets.zip(tensor.positions()) {
            copy[target] = data[source];
        }
        store(copy)
    });
    // The strides fit by construction; a tensor without elements fits any.
    Tensor::strided(shape, &strides, 0, storage).unwrap_or_else(|_| tensor.clone())
}

fn store<T: crate::tensor::Element>(data: Vec<T>) -> Storage {
    T::store(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_deciding_operand_gives_the_order() {
        let row_major: Vec<usize> = order(&[2, 3], &[[3, 1]]).collect();
        assert_eq!(row_major, [0, 1, 2, 3, 4, 5]);
        let transposed: Vec<usize> = order(&[2, 3], &[[0, 0], [1, 2]]).collect();
        assert_eq!(transposed, [0, 3, 1, 4, 2, 5]);
    }

    #[test]
    fn clones_keep_the_order_in_memory() {
        let storage = Storage::Int64((0..12).collect());
        let view = Tensor::strided(&[2, 3], &[1, 4], 1, storage).unwrap();
        let copy = cloned(&view);
        assert_eq!(copy.strides(), [1, 2]);
        assert_eq!(copy.values::<i64>(), view.values::<i64>());
    }
}
