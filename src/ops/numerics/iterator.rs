//! The order in which PyTorch's `TensorIterator` walks its operands.
//!
//! Reductions are sensitive to it: the dimensions are sorted by stride, neighbours that lie
//! behind one another in memory are merged, and the kernel is called on blocks of the two
//! innermost dimensions. Rules: PyTorch's `TensorIterator`, `reorder_dimensions` and
//! `coalesce_dimensions`; confirmed by experiment on random views of one to five dimensions.

use std::cmp::Ordering;

use crate::tensor::{Tensor, layout};

/// One dimension of a walk over `N` operands. Strides count elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim<const N: usize> {
    pub(crate) size: usize,
    pub(crate) strides: [usize; N],
}

impl<const N: usize> Dim<N> {
    /// The first operand that decides, does.
    fn by_stride(&self, other: &Dim<N>) -> Ordering {
        let pairs = self.strides.iter().zip(&other.strides);
        let decided = |(&a, &b): (&usize, &usize)| layout::compare_dims((self.size, a), (other.size, b));
        pairs.map(decided).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Whether the next dimension outwards continues this one for every operand.
    fn absorbs(&self, outer: &Dim<N>) -> bool {
        let continues = |(&inner, &outer): (&usize, &usize)| self.size * inner == outer;
        self.size == 1 || outer.size == 1 || self.strides.iter().zip(&outer.strides).all(continues)
    }
}

/// Merges neighbours, innermost first.
pub(crate) fn merge<const N: usize>(dims: impl IntoIterator<Item = Dim<N>>) -> Vec<Dim<N>> {
    let mut merged: Vec<Dim<N>> = Vec::new();
    for dim in dims {
        match merged.last_mut() {
            Some(last) if last.absorbs(&dim) => {
                if last.size == 1 {
                    last.strides = dim.strides;
                }
                last.size *= dim.size;
            }
            _ => merged.push(dim),
        }
    }
    merged
}

/// How an element-wise kernel walks `N` operands of one shape.
///
/// The output is laid out along the walk, so it never keeps dimensions apart.
pub(crate) struct Lines<const N: usize> {
    /// The operands' dimensions from innermost to outermost, by number.
    pub(crate) order: Vec<usize>,
    /// The innermost dimension after merging: the line that one inner loop runs along.
    pub(crate) line: Dim<N>,
}

impl<const N: usize> Lines<N> {
    pub(crate) fn new(operands: [&Tensor; N]) -> Lines<N> {
        let shape = operands.first().map_or(&[][..], |tensor| tensor.shape());
        let dim = |d: usize| Dim { size: shape[d], strides: operands.map(|operand| operand.strides()[d]) };
        let mut order: Vec<usize> = (0..shape.len()).collect();
        layout::sort_dims(&mut order, |&a, &b| dim(a).by_stride(&dim(b)));
        let merged = merge(order.iter().map(|&d| dim(d)));
        let line = merged.first().copied().unwrap_or(Dim { size: 1, strides: [0; N] });
        Lines { order, line }
    }
}

/// A walk over an input and the output that it is reduced to, innermost dimension first.
/// `strides` are those of output and input; reduced dimensions have output stride 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    dims: Vec<Dim<2>>,
    input_offset: usize,
}

/// One call of a kernel: two dimensions, each operand with its position and two strides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: [usize; 2],
    pub(crate) input: usize,
    pub(crate) input_strides: [usize; 2],
    pub(crate) output: usize,
    pub(crate) output_strides: [usize; 2],
}

impl Walk {
    /// The walk of a reduction of the marked dimensions into a row-major output.
    pub(crate) fn reduction(input: &Tensor, reduced: &[bool]) -> Walk {
        Walk::reducing(input, reduced, |_| false)
    }

    /// The walk of a reduction that keeps the reduced dimensions as size 1. One that had size 1
    /// before is then as good as kept, which can change the order of the others.
    pub(crate) fn reduction_keeping_dims(input: &Tensor, reduced: &[bool]) -> Walk {
        Walk::reducing(input, reduced, |d| input.shape()[d] == 1)
    }

    fn reducing(input: &Tensor, reduced: &[bool], kept_anyway: impl Fn(usize) -> bool) -> Walk {
        let kept: Vec<usize> =
            (0..input.dim()).map(|d| if reduced[d] { 1 } else { input.shape()[d] }).collect();
        let output = layout::contiguous_strides(&kept);
        let stride = |d: usize| if reduced[d] && !kept_anyway(d) { 0 } else { output[d] };
        Walk::sorted(input, stride, |a, b| match (a.strides[0], b.strides[0]) {
            // Reduced dimensions come first; then, with equal output strides left out, all decide.
            (0, b) if b > 0 => Ordering::Less,
            (a, 0) if a > 0 => Ordering::Greater,
            _ => a.by_stride(b),
        })
    }

    /// The walk over an input alone.
    pub(crate) fn single(input: &Tensor) -> Walk {
        Walk::sorted(input, |_| 0, Dim::by_stride)
    }

    fn sorted(
        input: &Tensor,
        output_stride: impl Fn(usize) -> usize,
        compare: impl Fn(&Dim<2>, &Dim<2>) -> Ordering,
    ) -> Walk {
        let dim = |d: usize| Dim { size: input.shape()[d], strides: [output_stride(d), input.strides()[d]] };
        let mut dims: Vec<Dim<2>> = (0..input.dim()).map(dim).collect();
        layout::sort_dims(&mut dims, compare);
        Walk { dims: merge(dims), input_offset: input.offset() }
    }

    /// Whether the kernel meets two reduced dimensions at once.
    pub(crate) fn reduces_two_dims(&self) -> bool {
        matches!(self.dims.as_slice(), [a, b, ..] if a.strides[0] == 0 && b.strides[0] == 0)
    }

    /// Whether exactly one dimension is reduced, and the input is contiguous along it.
    pub(crate) fn reduces_contiguous_rows(&self) -> bool {
        let is_kept = |dim: &Dim<2>| dim.strides[0] != 0;
        self.dims.first().is_some_and(|dim| dim.strides == [0, 1]) && self.dims[1..].iter().all(is_kept)
    }

    /// The blocks in order, without those that have no elements.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let (inner, outer) = self.dims.split_at(self.dims.len().min(2));
        let [first, second] =
            [0, 1].map(|d| inner.get(d).copied().unwrap_or(Dim { size: 1, strides: [0, 0] }));
        if first.size == 0 || second.size == 0 {
            return Vec::new();
        }
        let [outputs, inputs] = positions(outer, [0, self.input_offset]);
        let block = |(output, input)| Block {
            size: [first.size, second.size],
            input,
            input_strides: [first.strides[1], second.strides[1]],
            output,
            output_strides: [first.strides[0], second.strides[0]],
        };
        outputs.zip(inputs).map(block).collect()
    }

    /// For kernels that work on whole outputs, `N` of them at once: the outputs in groups, and what
    /// each of them reduces.
    pub(crate) fn groups<const N: usize>(&self) -> (Vec<Group<N>>, Reduced) {
        let count = self.dims.iter().take_while(|dim| dim.strides[0] == 0).count();
        let (reduced, kept) = self.dims.split_at(count);
        let run = reduced.first().map_or([1, 0], |dim| [dim.size, dim.strides[1]]);
        let [_, starts] = positions(reduced.get(1..).unwrap_or_default(), [0, 0]);
        let reduced = Reduced { starts: starts.collect(), length: run[0], stride: run[1] };
        let mut groups: Vec<Group<N>> = Vec::new();
        let [outputs, inputs] = positions(kept, [0, self.input_offset]);
        for (output, input) in outputs.zip(inputs) {
            match groups.last_mut().filter(|group| group.len < N) {
                Some(group) => {
                    group.outputs[group.len] = output;
                    group.inputs[group.len..].fill(input);
                    group.len += 1;
                }
                None => groups.push(Group { outputs: [output; N], inputs: [input; N], len: 1 }),
            }
        }
        (groups, reduced)
    }

    /// Folds each output's inputs in the order of the walk and gives the result to `finish` with the
    /// output's position. Several outputs go side by side, so that none waits for its own last step.
    pub(crate) fn fold_outputs<T: Copy, A: Copy>(
        &self,
        data: &[T],
        start: A,
        step: impl Fn(A, T) -> A,
        mut finish: impl FnMut(usize, A),
    ) {
        let (groups, reduced) = self.groups::<8>();
        for group in groups {
            let mut folded = [start; 8];
            for run in &reduced.starts {
                for i in 0..reduced.length {
                    for (folded, first) in folded.iter_mut().zip(group.inputs) {
                        *folded = step(*folded, data[first + run + i * reduced.stride]);
                    }
                }
            }
            group.outputs[..group.len].iter().zip(folded).for_each(|(&output, value)| finish(output, value));
        }
    }
}

/// Outputs that a kernel works on at once. Where there are fewer than `N`, the last one fills up.
pub(crate) struct Group<const N: usize> {
    /// How many outputs there are.
    pub(crate) len: usize,
    /// Their positions.
    pub(crate) outputs: [usize; N],
    /// The positions of their first inputs.
    pub(crate) inputs: [usize; N],
}

/// What every output of a walk reduces, relative to its first input: runs of equal length.
pub(crate) struct Reduced {
    /// Where the runs start.
    pub(crate) starts: Vec<usize>,
    pub(crate) length: usize,
    pub(crate) stride: usize,
}

/// The positions of both operands along some dimensions, the first of which runs fastest.
fn positions(dims: &[Dim<2>], offsets: [usize; 2]) -> [impl Iterator<Item = usize> + use<>; 2] {
    let outward = |get: &dyn Fn(&Dim<2>) -> usize| dims.iter().rev().map(get).collect::<Vec<_>>();
    [0, 1].map(|operand| {
        let (shape, strides) = (outward(&|dim| dim.size), outward(&|dim| dim.strides[operand]));
        layout::Positions::new(shape, strides, offsets[operand])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Storage;

    fn tensor(shape: &[usize], strides: &[usize]) -> Tensor {
        Tensor::strided(shape, strides, 0, Storage::Float32(vec![0.0; 120])).unwrap()
    }

    fn dims(walk: &Walk) -> Vec<(usize, [usize; 2])> {
        walk.dims.iter().map(|dim| (dim.size, dim.strides)).collect()
    }

    #[test]
    fn contiguous_reductions_merge() {
        let x = tensor(&[2, 3, 4], &[12, 4, 1]);
        assert_eq!(dims(&Walk::reduction(&x, &[true; 3])), [(24, [0, 1])]);
        assert_eq!(dims(&Walk::reduction(&x, &[false, false, true])), [(4, [0, 1]), (6, [1, 4])]);
        assert_eq!(
            dims(&Walk::reduction(&x, &[false, true, false])),
            [(3, [0, 4]), (4, [1, 1]), (2, [4, 12])]
        );
    }

    #[test]
    fn a_transposed_input_is_walked_along_its_memory() {
        let x = tensor(&[3, 4], &[1, 3]);
        assert_eq!(dims(&Walk::reduction(&x, &[true, true])), [(12, [0, 1])]);
    }

    #[test]
    fn a_reduced_dimension_of_size_1_that_is_kept_leaves_the_others_in_order() {
        let x = tensor(&[1, 6, 3, 5, 4], &[12, 0, 4, 12, 1]);
        let reduced = [true, true, false, true, true];
        assert_eq!(
            dims(&Walk::reduction(&x, &reduced)),
            [(4, [0, 1]), (6, [0, 0]), (5, [0, 12]), (3, [1, 4])]
        );
        assert_eq!(
            dims(&Walk::reduction_keeping_dims(&x, &reduced)),
            [(4, [0, 1]), (5, [0, 12]), (6, [0, 0]), (3, [1, 4])]
        );
    }

    #[test]
    fn a_scalar_is_one_block_of_one() {
        let x = tensor(&[], &[]);
        let sizes: Vec<_> = Walk::reduction(&x, &[]).blocks().iter().map(|block| block.size).collect();
        assert_eq!(sizes, [[1, 1]]);
    }

    #[test]
    fn lines_run_along_what_both_operands_share() {
        let (matrix, row) = (tensor(&[2, 3], &[3, 1]), tensor(&[2, 3], &[0, 1]));
        assert_eq!(Lines::new([&matrix, &matrix]).line, Dim { size: 6, strides: [1, 1] });
        assert_eq!(Lines::new([&matrix, &row]).line, Dim { size: 3, strides: [1, 1] });
    }
}
