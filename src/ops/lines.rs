//! A tensor as the lines along one of its dimensions, for ops that work line by line.

use crate::tensor::{Element, Tensor};

/// The dimensions with one of them moved to the end; a 0-d tensor is a line of one element.
fn moved_last(rank: usize, dim: usize) -> Vec<usize> {
    (0..rank).filter(|&d| d != dim).chain((rank > 0).then_some(dim)).collect()
}

/// Length of the lines along a dimension.
pub(crate) fn length(input: &Tensor, dim: usize) -> usize {
    input.shape().get(dim).copied().unwrap_or(1)
}

/// The elements line after line: row-major over the other dimensions, `dim` running fastest.
pub(crate) fn read<T: Element>(input: &Tensor, dim: usize) -> Vec<T> {
    input.permuted(&moved_last(input.dim(), dim)).values::<T>().into_owned()
}

/// The tensor of a shape whose elements are given line after line; the inverse of [`read`].
pub(crate) fn write<T: Element>(shape: &[usize], dim: usize, data: Vec<T>) -> Tensor {
    let order = moved_last(shape.len(), dim);
    let moved: Vec<usize> = order.iter().map(|&d| shape[d]).collect();
    let mut back = vec![0; shape.len()];
    for (place, &d) in order.iter().enumerate() {
        back[d] = place;
    }
    Tensor::collect(&moved, data).permuted(&back)
}

/// The shape with another size along a dimension; that of a 0-d tensor stays.
pub(crate) fn resized(shape: &[usize], dim: usize, size: usize) -> Vec<usize> {
    let mut resized = shape.to_vec();
    if let Some(old) = resized.get_mut(dim) {
        *old = size;
    }
    resized
}

/// The shape that is left when a dimension is reduced.
pub(crate) fn reduced(shape: &[usize], dim: usize, keepdim: bool) -> Vec<usize> {
    let mut reduced = resized(shape, dim, 1);
    if !keepdim && !reduced.is_empty() {
        reduced.remove(dim);
    }
    reduced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written_back() {
        let x = Tensor::new(&[2, 3, 2], (0..12i32).collect()).unwrap();
        for dim in 0..3 {
            let read = read::<i32>(&x, dim);
            assert_eq!(*write(x.shape(), dim, read).values::<i32>(), *x.values::<i32>());
        }
        assert_eq!(read::<i32>(&x, 1)[..3], [0, 2, 4]);
        assert_eq!(*write(&[], 0, read::<f32>(&Tensor::scalar(2.5f32), 0)).values::<f32>(), [2.5]);
    }

    #[test]
    fn shapes_of_results() {
        assert_eq!(resized(&[2, 3], 1, 5), [2, 5]);
        assert!(resized(&[], 0, 5).is_empty());
        assert_eq!(reduced(&[2, 3], 0, false), [3]);
        assert_eq!(reduced(&[2, 3], 0, true), [1, 3]);
        assert!(reduced(&[], 0, false).is_empty());
    }
}
