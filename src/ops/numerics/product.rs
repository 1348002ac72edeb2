//! PyTorch's vectorised fold (`Reduce.h`, `binary_kernel_reduce_vec`), bit for bit: the order
//! behind prod, amax and amin.

use super::iterator::{Block, Walk};
use super::lanes::VECTOR_BYTES;

/// A fold whose vector step may differ from its scalar step (by the sign of a tied zero).
pub(crate) trait Fold<T>: Copy {
    fn scalar(self, a: T, b: T) -> T;
    fn vector(self, a: T, b: T) -> T;
}

/// Folds along the walk into outputs that already hold the identity.
///
/// 16-bit types are rounded after every step, since each step is one operation of their type.
/// The order shows in floats only; other types of their size take the same way.
pub(crate) fn fold<T: Copy>(data: &[T], walk: &Walk, f: impl Fold<T>, output: &mut [T]) {
    walk.for_each_block(|block| match VECTOR_BYTES / size_of::<T>() {
        4 => fold_block::<T, 4>(data, block, f, output),
        8 => fold_block::<T, 8>(data, block, f, output),
        _ => fold_block::<T, 16>(data, block, f, output),
    });
}

/// One block, with `V` elements in a vector and four vectors side by side.
fn fold_block<T: Copy, const V: usize>(data: &[T], block: Block, f: impl Fold<T>, output: &mut [T]) {
    let [n, outputs] = block.size;
    let [inner, outer] = block.input_strides;
    let place = |j: usize| block.output + j * block.output_strides[1];
    let chunk = 4 * V;
    if block.output_strides[0] == 0 && inner == 1 {
        for j in 0..outputs {
            let row = &data[block.input + j * outer..][..n];
            let out = &mut output[place(j)];
            let mut blocks = row.chunks_exact(chunk);
            if let Some(first) = blocks.next() {
                let mut lanes: [[T; V]; 4] =
                    std::array::from_fn(|k| std::array::from_fn(|l| first[k * V + l]));
                for block in &mut blocks {
                    for k in 0..4 {
                        for l in 0..V {
                            lanes[k][l] = f.vector(lanes[k][l], block[k * V + l]);
                        }
                    }
                }
                let [a, b, c, d] = lanes;
                let across: [T; V] =
                    std::array::from_fn(|l| f.vector(f.vector(a[l], b[l]), f.vector(c[l], d[l])));
                let folded = across[1..].iter().fold(across[0], |folded, &lane| f.scalar(folded, lane));
                *out = f.scalar(*out, folded);
            }
            *out = blocks.remainder().iter().fold(*out, |folded, &x| f.scalar(folded, x));
        }
    } else if block.output_strides == [0, 1] && outer == 1 {
        let full = outputs / chunk * chunk;
        // Column by column in order; row by row visits the same operands in the same order per
        // output, and runs along memory.
        let columns = block.output..block.output + full;
        let identity = output[columns.clone()].to_vec();
        for i in 0..n {
            let row = &data[block.input + i * inner..][..full];
            for (out, &x) in output[columns.clone()].iter_mut().zip(row) {
                *out = if i == 0 { x } else { f.vector(*out, x) };
            }
        }
        for (out, identity) in output[columns].iter_mut().zip(identity) {
            *out = f.vector(*out, identity);
        }
        for j in full..outputs {
            let out = &mut output[place(j)];
            *out = (0..n).fold(*out, |folded, i| f.scalar(folded, data[block.input + i * inner + j]));
        }
    } else {
        for j in 0..outputs {
            for i in 0..n {
                let out = &mut output[place(j) + i * block.output_strides[0]];
                *out = f.scalar(*out, data[block.input + i * inner + j * outer]);
            }
        }
    }
}
