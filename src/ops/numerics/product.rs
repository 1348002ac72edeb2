//! PyTorch's vectorised fold (`Reduce.h`, `binary_kernel_reduce_vec`), bit for bit: the order
//! behind prod, amax and amin.

use super::iterator::{Block, Walk};
use super::lanes::VECTOR_BYTES;
use crate::cpu::vectorised;

/// A fold whose vector step may differ from its scalar step (by the sign of a tied zero).
pub(crate) trait Fold<T>: Copy {
    fn scalar(self, a: T, b: T) -> T;
    fn vector(self, a: T, b: T) -> T;
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
                    4 => fold_block::<T, 4>(data, block, f, output),
                    8 => fold_block::<T, 8>(data, block, f, output),
                    _ => fold_block::<T, 16>(data, block, f, output),
                }
            }
        },
    );
}

/// Vector `number` of neighbouring values.
#[inline(always)]
fn vector_at<T: Copy, const V: usize>(values: &[T], number: usize) -> [T; V] {
    let mut vector = [values[0]; V];
    vector.copy_from_slice(&values[number * V..][..V]);
    vector
}

/// One vector step.
#[inline(always)]
fn onto<T: Copy, const V: usize>(f: impl Fold<T>, mut lanes: [T; V], values: [T; V]) -> [T; V] {
    for (lane, x) in lanes.iter_mut().zip(values) {
        *lane = f.vector(*lane, x);
    }
    lanes
}

/// One block, with `V` elements in a vector and four vectors side by side.
#[inline(always)]
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
                let mut a: [T; V] = vector_at(first, 0);
                let mut b = vector_at(first, 1);
                let mut c = vector_at(first, 2);
                let mut d = vector_at(first, 3);
                for block in &mut blocks {
                    a = onto(f, a, vector_at(block, 0));
                    b = onto(f, b, vector_at(block, 1));
                    c = onto(f, c, vector_at(block, 2));
                    d = onto(f, d, vector_at(block, 3));
                }
                let across = onto(f, onto(f, a, b), onto(f, c, d));
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
