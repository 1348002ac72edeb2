//! PyTorch's vectorised fold (`Reduce.h`, `binary_kernel_reduce_vec`), bit for bit: the order
//! behind prod, amax and amin.

use super::iterator::{Block, Walk};
use super::lanes::VECTOR_BYTES;
use crate::cpu::vectorised;

/// A fold whose vector step may differ from its scalar step (by the sign of a tied zero).
pub(crate) trait Fold<T>: Copy {
    fn scalar(self, a: T, b: T) -> T;
    fn vector(self, a: T, b: T) -> T;

    /// The vector step in every lane, with one chunk after the other.
    #[inline(always)]
    fn onto<const CHUNK: usize>(self, lanes: &mut [T; CHUNK], chunks: &[[T; CHUNK]])
    where
        T: Copy,
    {
        for chunk in chunks {
            for k in 0..CHUNK {
                lanes[k] = self.vector(lanes[k], chunk[k]);
            }
        }
    }
}

/// Folds along the walk into outputs that already hold the identity.
///
/// 16-bit types are rounded after every step, since each step is one operation of their type.
/// The order shows in floats only; other types of their size take the same way.
#[inline(always)]
pub(crate) fn fold<T: Copy>(data: &[T], walk: &Walk, f: impl Fold<T>, output: &mut [T]) {
    let blocks = walk.blocks();
    vectorised(
        #[inline(always)]
        || {
            for block in blocks {
                match VECTOR_BYTES / size_of::<T>() {
                    4 => fold_block::<T, 4, 16>(data, block, f, output),
                    8 => fold_block::<T, 8, 32>(data, block, f, output),
                    _ => fold_block::<T, 16, 64>(data, block, f, output),
                }
            }
        },
    );
}

/// The lanes of four vectors of `V` folded into one.
///
/// Not inlined: the compiler would lay the lanes of the loop before it out for this instead.
#[inline(never)]
fn across<T: Copy, const V: usize, const CHUNK: usize>(f: impl Fold<T>, lanes: &[T; CHUNK]) -> T {
    let lane = |k: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|vector| lanes[vector * V + k]);
        f.vector(f.vector(a, b), f.vector(c, d))
    };
    (1..V).fold(lane(0), |folded, k| f.scalar(folded, lane(k)))
}

/// One block, with `V` elements in a vector and four vectors side by side.
#[inline(always)]
fn fold_block<T: Copy, const V: usize, const CHUNK: usize>(
    data: &[T],
    block: Block,
    f: impl Fold<T>,
    output: &mut [T],
) {
    let [n, outputs] = block.size;
    let [inner, outer] = block.input_strides;
    let place = |j: usize| block.output + j * block.output_strides[1];
    if block.output_strides[0] == 0 && inner == 1 {
        for j in 0..outputs {
            let row = &data[block.input + j * outer..][..n];
            let out = &mut output[place(j)];
            let (chunks, rest) = row.as_chunks::<CHUNK>();
            if let Some((&first, others)) = chunks.split_first() {
                let mut lanes = first;
                f.onto(&mut lanes, others);
                *out = f.scalar(*out, across::<T, V, CHUNK>(f, &{ lanes }));
            }
            *out = rest.iter().fold(*out, |folded, &x| f.scalar(folded, x));
        }
    } else if block.output_strides == [0, 1] && outer == 1 {
        let full = outputs / CHUNK * CHUNK;
        // Column by column in order; row by row visits the same operands in the same order per
        // output, and runs along memory.
        let columns = block.output..block.output + full;
        let row = |i: usize| &data[block.input + i * inner..][..full];
        let columns = &mut output[columns];
        let identity = columns.to_vec();
        columns.copy_from_slice(row(0));
        for i in 1..n {
            for (out, &x) in columns.iter_mut().zip(row(i)) {
                *out = f.vector(*out, x);
            }
        }
        for (out, identity) in columns.iter_mut().zip(identity) {
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
