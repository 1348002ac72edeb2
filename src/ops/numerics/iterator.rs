//! The order in which PyTorch's `TensorIterator` walks its operands.
//!
//! Reductions are sensitive to it: the dimensions are sorted by stride, neighbours that lie
//! behind one another in memory are merged, and the kernel is called on blocks of the two
//! innermost dimensions. Rules: PyTorch's `TensorIterator`, `reorder_dimensions` and
//! `coalesce_dimensions`; confirmed by experiment on random views of one to five dimensions.

use std::cmp::Ordering;

use crate::tensor::{Tensor, layout};

/// A walk over one input and, for reductions, one output, innermost dimension first.
/// Strides count elements; reduced dimensions have output stride 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    pub(crate) shape: Vec<usize>,
    pub(crate) input: Vec<usize>,
    pub(crate) output: Vec<usize>,
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
        let kept: Vec<usize> = (0..input.dim()).map(|d| if reduced[d] { 1 } else { input.shape()[d] }).collect();
        let mut output = layout::contiguous_strides(&kept);
        for (stride, &reduced) in output.iter_mut().zip(reduced) {
            if reduced {
                *stride = 0;
            }
        }
        Walk::sorted(input, output, |a, b| {
            // Reduced dimensions come first, then the output's order decides.
            match (a.output, b.output) {
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                (a, b) => a.cmp(&b),
            }
        })
    }

    /// The walk over a single operand, as element-wise kernels take it.
    pub(crate) fn single(input: &Tensor) -> Walk {
        let output = vec![0; input.dim()];
        Walk::sorted(input, output, |_, _| Ordering::Equal)
    }

    fn sorted(input: &Tensor, output: Vec<usize>, by_output: impl Fn(&Dim, &Dim) -> Ordering) -> Walk {
        let mut dims: Vec<Dim> = (0..input.dim())
            .rev()
            .map(|d| Dim { size: input.shape()[d], input: input.strides()[d], output: output[d] })
            .collect();
        let compare = |a: &Dim, b: &Dim| by_output(a, b).then_with(|| a.by_input(b));
        // Insertion sort, since an undecided pair neither swaps nor stops the search.
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
        let mut merged: Vec<Dim> = Vec::with_capacity(dims.len());
        for dim in dims {
            match merged.last_mut() {
                Some(last) if last.absorbs(&dim) => {
                    if last.size == 1 {
                        (last.input, last.output) = (dim.input, dim.output);
                    }
                    last.size *= dim.size;
                }
                _ => merged.push(dim),
            }
        }
        Walk {
            shape: merged.iter().map(|dim| dim.size).collect(),
            input: merged.iter().map(|dim| dim.input).collect(),
            output: merged.iter().map(|dim| dim.output).collect(),
            input_offset: input.offset(),
        }
    }

    /// Whether the kernel meets two reduced dimensions at once.
    pub(crate) fn reduces_two_dims(&self) -> bool {
        self.output.len() >= 2 && self.output[..2] == [0, 0]
    }

    /// Calls a kernel on every block, in order.
    pub(crate) fn for_each_block(&self, mut kernel: impl FnMut(Block)) {
        if self.shape.contains(&0) {
            return;
        }
        let at = |list: &[usize], dim: usize, default: usize| list.get(dim).copied().unwrap_or(default);
        let pair = |list: &[usize], default: usize| [at(list, 0, default), at(list, 1, default)];
        let mut block = Block {
            size: pair(&self.shape, 1),
            input: self.input_offset,
            input_strides: pair(&self.input, 0),
            output: 0,
            output_strides: pair(&self.output, 0),
        };
        let mut index = vec![0; self.shape.len()];
        loop {
            kernel(block);
            let mut dim = 2;
            loop {
                if dim >= self.shape.len() {
                    return;
                }
                index[dim] += 1;
                block.input += self.input[dim];
                block.output += self.output[dim];
                if index[dim] < self.shape[dim] {
                    break;
                }
                block.input -= index[dim] * self.input[dim];
                block.output -= index[dim] * self.output[dim];
                index[dim] = 0;
                dim += 1;
            }
        }
    }

    /// For kernels that finish one output before the next: calls `each` with every output's
    /// position and the positions of the inputs that it reduces, innermost dimension first.
    pub(crate) fn for_each_output(&self, mut each: impl FnMut(usize, &mut dyn Iterator<Item = usize>)) {
        let reduced = self.output.iter().take_while(|&&stride| stride == 0).count();
        // Positions runs its last dimension fastest; this walk's first dimension is innermost.
        let outward = |list: &[usize]| list.iter().rev().copied().collect::<Vec<_>>();
        let (inner_shape, inner_strides) = (outward(&self.shape[..reduced]), outward(&self.input[..reduced]));
        let (kept_shape, kept_input) = (outward(&self.shape[reduced..]), outward(&self.input[reduced..]));
        let kept_output = outward(&self.output[reduced..]);
        let inputs = layout::Positions::new(&kept_shape, &kept_input, self.input_offset);
        let outputs = layout::Positions::new(&kept_shape, &kept_output, 0);
        for (input, output) in inputs.zip(outputs) {
            each(output, &mut layout::Positions::new(&inner_shape, &inner_strides, input));
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Dim {
    size: usize,
    input: usize,
    output: usize,
}

impl Dim {
    /// Smaller strides go inside; a stride of 0 decides nothing; of two equal strides the larger
    /// dimension goes outside.
    fn by_input(&self, other: &Dim) -> Ordering {
        if self.input == 0 || other.input == 0 {
            return Ordering::Equal;
        }
        self.input.cmp(&other.input).then_with(|| match self.size > other.size {
            true => Ordering::Greater,
            false => Ordering::Equal,
        })
    }

    fn absorbs(&self, outer: &Dim) -> bool {
        self.size == 1
            || outer.size == 1
            || (self.size * self.input == outer.input && self.size * self.output == outer.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Storage;

    fn tensor(shape: &[usize], strides: &[usize]) -> Tensor {
        Tensor::strided(shape, strides, 0, Storage::Float32(vec![0.0; 120])).unwrap()
    }

    #[test]
    fn contiguous_reductions_merge() {
        let x = tensor(&[2, 3, 4], &[12, 4, 1]);
        let all = Walk::reduction(&x, &[true; 3]);
        assert_eq!((all.shape.as_slice(), all.input.as_slice()), (&[24][..], &[1][..]));
        let last = Walk::reduction(&x, &[false, false, true]);
        assert_eq!((last.shape, last.input, last.output), (vec![4, 6], vec![1, 4], vec![0, 1]));
        let middle = Walk::reduction(&x, &[false, true, false]);
        assert_eq!(middle.shape, [3, 4, 2]);
        assert_eq!(middle.output, [0, 1, 4]);
    }

    #[test]
    fn a_transposed_input_is_walked_along_its_memory() {
        let x = tensor(&[3, 4], &[1, 3]);
        let all = Walk::reduction(&x, &[true, true]);
        assert_eq!((all.shape, all.input), (vec![12], vec![1]));
    }

    #[test]
    fn a_scalar_is_one_block_of_one() {
        let x = tensor(&[], &[]);
        let mut sizes = Vec::new();
        Walk::reduction(&x, &[]).for_each_block(|block| sizes.push(block.size));
        assert_eq!(sizes, [[1, 1]]);
    }
}
