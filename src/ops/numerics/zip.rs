//! Element-wise results that lie in memory as PyTorch's do.
//!
//! A loss is often a sum over an element-wise result, and the order of that sum follows the
//! result's memory, which `TensorIterator` lays out along the operands' own.

use super::iterator::Lines;
use super::runs;
use crate::tensor::{Element, Tensor};

/// Applies a function to operands of one shape and of dtype `T`, element by element. The result's
/// dimensions have the order in memory that `TensorIterator` gives them.
pub(crate) fn zip<T: Element, U: Element, const N: usize>(
    operands: [&Tensor; N],
    f: impl Fn([T; N]) -> U + Copy,
) -> Tensor {
    along_memory(operands, |views| runs::map(views, f))
}

/// A result that lies in memory as `TensorIterator` has it: `results` gets the operands with their
/// dimensions in that order, and gives one result per element, row-major.
pub(crate) fn along_memory<U: Element, const N: usize>(
    operands: [&Tensor; N],
    results: impl FnOnce([&Tensor; N]) -> Vec<U>,
) -> Tensor {
    let inwards = inwards(operands);
    let views = operands.map(|operand| operand.permuted(&inwards));
    let shape = views.first().map_or(&[][..], |view| view.shape());
    Tensor::collect(shape, results(views.each_ref())).permuted(&inverse(&inwards))
}

/// A copy of a tensor that lies in memory as `empty_like(like)` does, without gaps.
pub(crate) fn laid_out_like(tensor: &Tensor, like: &Tensor) -> Tensor {
    let inwards = inwards([like]);
    tensor.permuted(&inwards).contiguous().permuted(&inverse(&inwards))
}

/// The operands' dimensions from outermost to innermost.
fn inwards<const N: usize>(operands: [&Tensor; N]) -> Vec<usize> {
    let mut order = Lines::new(operands).order;
    order.reverse();
    order
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (place, &dim) in order.iter().enumerate() {
        inverse[dim] = place;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Storage;

    #[test]
    fn results_keep_the_order_of_the_dimensions() {
        let storage = Storage::Float32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let transposed = Tensor::strided(&[3, 2], &[1, 3], 0, storage).unwrap();
        let doubled = zip::<f32, f32, 1>([&transposed], |[x]| 2.0 * x);
        assert_eq!((doubled.shape(), doubled.strides()), (&[3, 2][..], &[1, 3][..]));
        assert_eq!(*doubled.values::<f32>(), [2.0, 8.0, 4.0, 10.0, 6.0, 12.0]);
        let row_major = Tensor::new(&[3, 2], vec![0.0f32; 6]).unwrap();
        assert_eq!(laid_out_like(&row_major, &transposed).strides(), [1, 3]);
    }
}
