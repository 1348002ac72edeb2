//! Shapes, strides and the walk over them. Everything counts in elements, never in bytes.

use std::cmp::Ordering;

/// The number of elements of a shape, or `None` where the product overflows.
pub fn numel(shape: &[usize]) -> Option<usize> {
    // A zero anywhere makes the product zero, however large the other dimensions are.
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}

/// Whether strides and products of a shape fit PyTorch's integers: an empty tensor may have
/// dimensions of any size beside the empty one, and its strides are made of them.
pub(crate) fn is_measurable(shape: &[usize]) -> bool {
    let extent = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size.max(1)));
    extent.is_some_and(|extent| isize::try_from(extent).is_ok())
}

/// Row-major strides of a shape. A dimension of size 0 counts as 1, as in PyTorch.
pub fn contiguous_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim].wrapping_mul(shape[dim].max(1));
    }
    strides
}

/// Whether elements lie row-major without gaps. Dimensions of size 1 may have any stride.
pub fn is_contiguous(shape: &[usize], strides: &[usize]) -> bool {
    let mut expected = 1usize;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        if size == 0 {
            return true;
        }
        if size != 1 {
            if stride != expected {
                return false;
            }
            expected = expected.wrapping_mul(size);
        }
    }
    true
}

/// Whether the elements fill their span exactly once, in some order of the dimensions
/// (PyTorch's "non-overlapping and dense"): such layouts survive a change of dtype.
pub fn is_dense(shape: &[usize], strides: &[usize]) -> bool {
    let mut dims: Vec<_> = shape.iter().zip(strides).filter(|&(&size, _)| size != 1).collect();
    if dims.iter().any(|&(&size, _)| size == 0) {
        return true;
    }
    dims.sort_by_key(|&(_, &stride)| stride);
    let mut expected = 1;
    dims.into_iter().all(|(&size, &stride)| {
        let fits = stride == expected;
        expected = stride.saturating_mul(size);
        fits
    })
}

/// How two dimensions of one operand stand to each other in memory: smaller strides lie inside;
/// a stride of 0 decides nothing; of two equal strides the larger dimension lies outside.
/// Each is given as size and stride.
pub(crate) fn compare_dims(a: (usize, usize), b: (usize, usize)) -> Ordering {
    match a.1.cmp(&b.1) {
        _ if a.1 == 0 || b.1 == 0 => Ordering::Equal,
        Ordering::Equal if a.0 > b.0 => Ordering::Greater,
        order => order,
    }
}

/// Sorts dimensions, given in the tensor's order, from innermost to outermost, as PyTorch does:
/// an insertion sort in which an undecided pair neither swaps nor ends the search.
pub(crate) fn sort_dims<D>(dims: &mut [D], compare: impl Fn(&D, &D) -> Ordering) {
    dims.reverse();
    for next in 1..dims.len() {
        let mut moving = next;
        for earlier in (0..next).rev() {
            match compare(&dims[earlier], &dims[moving]) {
                Ordering::Greater => {
                    dims.swap(earlier, moving);
                    moving = earlier;
                }
                Ordering::Less => break,
                Ordering::Equal => {}
            }
        }
    }
}

/// The strides of a copy that keeps the order of the dimensions in memory and has no gaps
/// (PyTorch's `infer_dense_strides`).
pub(crate) fn dense_strides(shape: &[usize], strides: &[usize]) -> Vec<usize> {
    let mut dense = vec![1; shape.len()];
    let mut stride = 1usize;
    for dim in dense_order(shape, strides) {
        dense[dim] = stride;
        stride = stride.wrapping_mul(shape[dim].max(1));
    }
    dense
}

/// The dimensions of such a copy from innermost to outermost.
pub(crate) fn dense_order(shape: &[usize], strides: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    sort_dims(&mut order, |&a, &b| compare_dims((shape[a], strides[a]), (shape[b], strides[b])));
    order
}

/// Storage positions of the elements in row-major order.
#[derive(Clone, Debug)]
pub struct Positions<L> {
    shape: L,
    strides: L,
    index: Vec<usize>,
    position: usize,
    left: usize,
}

impl<L: AsRef<[usize]>> Positions<L> {
    /// The walk over a layout whose first element lies at `offset`.
    pub fn new(shape: L, strides: L, offset: usize) -> Self {
        let left = numel(shape.as_ref()).unwrap_or(0);
        let index = vec![0; shape.as_ref().len()];
        Positions { shape, strides, index, position: offset, left }
    }
}

impl<L: AsRef<[usize]>> Iterator for Positions<L> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let here = self.position;
        let (shape, strides) = (self.shape.as_ref(), self.strides.as_ref());
        for dim in (0..shape.len()).rev() {
            self.index[dim] += 1;
            self.position += strides[dim];
            if self.index[dim] < shape[dim] {
                break;
            }
            self.position -= self.index[dim] * strides[dim];
            self.index[dim] = 0;
        }
        Some(here)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<L: AsRef<[usize]>> ExactSizeIterator for Positions<L> {}

/// Two sizes that do not broadcast, and the dimension (of the result) where they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BroadcastMismatch {
    /// Size in the shape that came first.
    pub left: usize,
    /// Size in the shape that came second.
    pub right: usize,
    /// Dimension of the result, counted from the front.
    pub dim: usize,
}

/// The shape to which two shapes broadcast: aligned at the right, sizes equal or one of them 1.
pub fn broadcast(left: &[usize], right: &[usize]) -> Result<Vec<usize>, BroadcastMismatch> {
    let rank = left.len().max(right.len());
    let size = |shape: &[usize], dim: usize| {
        let missing = rank - shape.len();
        if dim < missing { 1 } else { shape[dim - missing] }
    };
    let mut result = vec![0; rank];
    // From the last dimension to the first: PyTorch reports the last mismatch, too.
    for dim in (0..rank).rev() {
        result[dim] = match (size(left, dim), size(right, dim)) {
            (a, b) if a == b => a,
            (1, b) => b,
            (a, 1) => a,
            (a, b) => return Err(BroadcastMismatch { left: a, right: b, dim }),
        };
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numel_of_scalar_empty_and_overflow() {
        assert_eq!(numel(&[]), Some(1));
        assert_eq!(numel(&[usize::MAX, 2, 0]), Some(0));
        assert_eq!(numel(&[usize::MAX, 2]), None);
    }

    #[test]
    fn positions_follow_the_strides() {
        let transposed: Vec<_> = Positions::new([3, 2], [1, 3], 1).collect();
        assert_eq!(transposed, [1, 4, 2, 5, 3, 6]);
        let expanded: Vec<_> = Positions::new([2, 2], [0, 1], 0).collect();
        assert_eq!(expanded, [0, 1, 0, 1]);
        assert_eq!(Positions::new([], [], 7).collect::<Vec<_>>(), [7]);
        assert_eq!(Positions::new([2, 0], [1, 1], 0).count(), 0);
    }

    #[test]
    fn density() {
        assert!(is_dense(&[2, 3], &[1, 2]));
        assert!(!is_dense(&[2, 3], &[0, 1]));
        assert!(!is_dense(&[2, 3], &[6, 2]));
        assert!(is_dense(&[1, 3], &[99, 1]));
    }

    #[test]
    fn copies_keep_the_order_in_memory() {
        assert_eq!(dense_strides(&[2, 3], &[1, 10]), [1, 2]);
        assert_eq!(dense_strides(&[2, 3, 4], &[40, 1, 10]), [12, 1, 3]);
        // A stride of 0 decides nothing: the last dimension starts innermost.
        assert_eq!(dense_strides(&[2, 3], &[0, 5]), [3, 1]);
    }

    #[test]
    fn broadcasting() {
        assert_eq!(broadcast(&[2, 3], &[3]), Ok(vec![2, 3]));
        assert_eq!(broadcast(&[2, 1], &[0]), Ok(vec![2, 0]));
        let mismatch = BroadcastMismatch { left: 3, right: 4, dim: 1 };
        assert_eq!(broadcast(&[2, 3], &[2, 4]), Err(mismatch));
    }
}
