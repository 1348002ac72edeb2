//! Which elements of an element-wise result PyTorch computes in vectors.
//!
//! The inner loop of a vectorised kernel takes two vectors at a time and leaves the rest of its
//! line to scalar code (`Loops.h`, `vectorized_loop`). The two give other bits where they use
//! other functions, or keep another operand on a tie: then a value depends on its position.

use std::ops::Range;

use super::iterator::Lines;
use super::lanes::VECTOR_BYTES;
use crate::tensor::{DType, Tensor, layout};

/// The vector part of an element-wise result.
pub(crate) struct VectorPart {
    /// Per dimension of the result: its row-major stride, its size, and what one step along it
    /// adds to the position on the line (0 for the dimensions outside the line).
    dims: Vec<(usize, usize, usize)>,
    /// Positions on a line below this one are computed in vectors.
    end: usize,
    /// Positions in the rest of a line that the compiler computes in vectors of its own, counted
    /// from the start of the line.
    compiled: Range<usize>,
    /// The operand that stands still along a line in vectors.
    still: Option<usize>,
}

impl VectorPart {
    /// The vector part for operands of one shape and dtype.
    pub(crate) fn new<const N: usize>(operands: [&Tensor; N], dtype: DType) -> VectorPart {
        // All run along memory, but for at most one that stands still.
        VectorPart::stepping(operands, 2 * VECTOR_BYTES / dtype.size(), 1)
    }

    /// The vector part where the compiler's own vector code takes `step` elements at a time. It
    /// needs every operand to run along memory.
    pub(crate) fn moving<const N: usize>(operands: [&Tensor; N], step: usize) -> VectorPart {
        VectorPart::stepping(operands, step, 0)
    }

    fn stepping<const N: usize>(operands: [&Tensor; N], step: usize, still: usize) -> VectorPart {
        let Lines { order, line } = Lines::new(operands);
        let standing = line.strides.iter().filter(|&&stride| stride == 0).count();
        let vectorised = standing <= still && line.strides.iter().all(|&stride| stride <= 1);
        let end = if vectorised { line.size / step * step } else { 0 };
        let still = line.strides.iter().position(|&stride| stride == 0).filter(|_| vectorised);
        // The rest takes one element, then vectors of 16 bytes, then what is left.
        let lanes = (step / 4).max(1);
        let compiled = end + 1..end + 1 + (line.size - end).saturating_sub(1) / lanes * lanes;

        let shape = operands.first().map_or(&[][..], |tensor| tensor.shape());
        let row_major = layout::contiguous_strides(shape);
        let mut along = vec![0; shape.len()];
        let mut length = 1;
        for d in order {
            if length < line.size {
                along[d] = length;
                length *= shape[d];
            }
        }
        let dims = (0..shape.len()).map(|d| (row_major[d], shape[d], along[d])).collect();
        VectorPart { dims, end, compiled, still }
    }

    /// All of a result, for functions that have no scalar form.
    pub(crate) fn everything() -> VectorPart {
        VectorPart { dims: Vec::new(), end: usize::MAX, compiled: 0..0, still: None }
    }

    /// How it divides a row-major result into lines, where it does: the length of a line, and how
    /// many elements at its start are in the vector part.
    pub(crate) fn lines(&self) -> Option<(usize, usize)> {
        if self.end == 0 || self.dims.is_empty() {
            return Some((usize::MAX, self.end));
        }
        // The dimensions of the line have to be the last ones, and to follow one another as
        // row-major does.
        let mut length = 1;
        let mut inward = self.dims.iter().rev().filter(|dim| dim.1 != 1).peekable();
        while let Some(&(stride, size, _)) = inward.next_if(|&&(stride, _, along)| stride == along) {
            length = stride * size;
        }
        inward.all(|dim| dim.2 == 0).then_some((length, self.end))
    }

    /// Whether the element at a row-major position of the result is in it.
    pub(crate) fn holds(&self, position: usize) -> bool {
        self.end > 0 && self.on_line(position) < self.end
    }

    /// How a line is divided by a condition on its places: lengths, each with the one answer that
    /// holds for so many places.
    pub(crate) fn spans(
        &self,
        line: usize,
        condition: impl Fn(&VectorPart, usize) -> bool,
    ) -> Vec<(usize, bool)> {
        let mut spans: Vec<(usize, bool)> = Vec::new();
        let ends = [self.end, self.compiled.start, self.compiled.end, line];
        let mut start = 0;
        for end in ends.map(|end| end.min(line)) {
            let length = end.saturating_sub(start);
            if length == 0 {
                continue;
            }
            let answer = condition(self, start);
            match spans.last_mut() {
                Some(last) if last.1 == answer => last.0 += length,
                _ => spans.push((length, answer)),
            }
            start = end;
        }
        spans
    }

    /// Whether the element at a place of a line is in it.
    pub(crate) fn holds_place(&self, place: usize) -> bool {
        place < self.end
    }

    /// Whether an operand stands still along the lines, and the element at a place of a line is one
    /// of those in its rest that the compiler's own vectors compute: there, what depends on that
    /// operand alone is computed once and for all, and rounded.
    ///
    /// Measured on `add` with alpha over all lengths of 1 to 40 (GCC 13 peels one element).
    pub(crate) fn is_hoisted(&self, operand: usize, place: usize) -> bool {
        self.still == Some(operand) && self.compiled.contains(&place)
    }

    fn on_line(&self, position: usize) -> usize {
        let along = |&(stride, size, along): &(usize, usize, usize)| position / stride % size * along;
        self.dims.iter().map(along).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Storage;

    #[test]
    fn pairs_of_vectors_and_a_scalar_rest() {
        let x = Tensor::strided(&[35], &[1], 0, Storage::Float32(vec![0.0; 35])).unwrap();
        let part = VectorPart::new([&x, &x], DType::Float32);
        assert_eq!((0..35).filter(|&i| part.holds(i)).count(), 32);
        let stepped = Tensor::strided(&[18], &[2], 0, Storage::Float32(vec![0.0; 35])).unwrap();
        assert!(!VectorPart::new([&stepped, &stepped], DType::Float32).holds(0));
    }

    #[test]
    fn the_rest_beside_a_number_has_vectors_of_its_own() {
        let x = Tensor::strided(&[23], &[1], 0, Storage::Float32(vec![0.0; 23])).unwrap();
        let number = Tensor::strided(&[23], &[0], 0, Storage::Float32(vec![0.0])).unwrap();
        let part = VectorPart::new([&x, &number], DType::Float32);
        assert_eq!((0..23).filter(|&i| part.is_hoisted(1, i)).collect::<Vec<_>>(), [17, 18, 19, 20]);
        assert!((0..23).all(|i| !part.is_hoisted(0, i)));
        let hoisted = part.spans(23, |part, place| part.is_hoisted(1, place));
        assert_eq!(hoisted, [(17, false), (4, true), (2, false)]);
        assert_eq!(part.spans(23, VectorPart::holds_place), [(16, true), (7, false)]);
        assert_eq!(part.spans(23, |_, _| true), [(23, true)]);
    }

    #[test]
    fn lines_and_elements_are_divided_alike() {
        let shape = [3, 5, 17];
        let storage = || Storage::Float32(vec![0.0; 3 * 5 * 17 * 2]);
        for (strides, known) in [
            ([85, 17, 1], true),
            ([17, 51, 1], false),
            ([170, 34, 2], true),
            ([1, 51, 3], false),
            ([100, 17, 1], true),
            ([100, 18, 1], true),
            ([0, 17, 1], true),
            ([0, 0, 1], true),
        ] {
            let x = Tensor::strided(&shape, &strides, 0, storage()).unwrap();
            let part = VectorPart::new([&x], DType::Float32);
            assert_eq!(part.lines().is_some(), known, "{strides:?}");
            let Some((length, end)) = part.lines() else { continue };
            assert!((0..x.numel()).all(|i| part.holds(i) == (i % length < end)), "{strides:?}");
        }
        assert_eq!(VectorPart::everything().lines(), Some((usize::MAX, usize::MAX)));
    }

    #[test]
    fn every_row_of_a_broadcast_has_its_own_rest() {
        let shape = [2, 17];
        let matrix = Tensor::strided(&shape, &[17, 1], 0, Storage::Float32(vec![0.0; 34])).unwrap();
        let row = Tensor::strided(&shape, &[0, 1], 0, Storage::Float32(vec![0.0; 17])).unwrap();
        let part = VectorPart::new([&matrix, &row], DType::Float32);
        assert_eq!((0..34).filter(|&i| !part.holds(i)).collect::<Vec<_>>(), [16, 33]);
    }
}
