//! Copies of strided views into row-major order, by runs and blocks instead of element by element.

use super::Element;
use super::layout::Positions;
use super::transpose::{SIDE, Shuffles};
use crate::cpu::vectorised;

/// Rows and columns of a block in which memory is transposed: a block of either side stays in the
/// first cache, and in few pages.
const BLOCK: usize = 64;

/// Rows and columns of a tile that is transposed at once: a line of cache of most types.
const TILE: usize = 16;

/// One dimension: its size, and its stride in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    size: usize,
    stride: usize,
}

/// The elements of a layout in row-major order. All lie inside.
pub(super) fn row_major<T: Element>(data: &[T], shape: &[usize], strides: &[usize], offset: usize) -> Vec<T> {
    // Before its sizes are multiplied: those beside the empty one may be of any size.
    if shape.contains(&0) {
        return Vec::new();
    }
    let count = shape.iter().product();
    let mut dims = merged(shape, strides);
    let inner = dims.pop().unwrap_or(Dim { size: 1, stride: 1 });
    // The dimension that runs along memory, where it is not the last.
    match dims.iter().position(|dim| dim.stride == 1) {
        Some(along) if inner.stride > 1 && inner.size.min(dims[along].size) >= TILE => {
            transposed(data, &dims, along, inner, offset)
        }
        _ => by_runs(data, &dims, inner, offset, count),
    }
}

/// The dimensions without those of size 1, where neighbours that continue one another are one.
fn merged(shape: &[usize], strides: &[usize]) -> Vec<Dim> {
    let mut dims: Vec<Dim> = Vec::new();
    for (&size, &stride) in shape.iter().zip(strides).filter(|&(&size, _)| size != 1) {
        match dims.last_mut() {
            Some(outer) if outer.stride == size * stride => {
                *outer = Dim { size: outer.size * size, stride };
            }
            _ => dims.push(Dim { size, stride }),
        }
    }
    dims
}

/// The positions of a walk over dimensions in row-major order.
fn positions(dims: &[Dim], strides: impl Fn(usize) -> usize, offset: usize) -> Positions<Vec<usize>> {
    let shape = dims.iter().map(|dim| dim.size).collect();
    Positions::new(shape, (0..dims.len()).map(strides).collect(), offset)
}

/// One run along the last dimension after the other.
fn by_runs<T: Copy>(data: &[T], outer: &[Dim], inner: Dim, offset: usize, count: usize) -> Vec<T> {
    let mut copy = Vec::with_capacity(count);
    if count == 0 {
        return copy;
    }
    let span = (inner.size - 1) * inner.stride + 1;
    for start in positions(outer, |d| outer[d].stride, offset) {
        let run = &data[start..][..span];
        match inner.stride {
            0 => copy.extend(std::iter::repeat_n(run[0], inner.size)),
            1 => copy.extend_from_slice(run),
            stride => copy.extend(run.chunks(stride).map(|chunk| chunk[0])),
        }
    }
    copy
}

/// The same where not the last dimension but another runs along memory: these two are walked in
/// blocks, so that neither side touches a line of cache again after it was driven out.
fn transposed<T: Element>(data: &[T], dims: &[Dim], along: usize, inner: Dim, offset: usize) -> Vec<T> {
    let sizes = |from: usize| dims[from..].iter().map(|dim| dim.size).product::<usize>() * inner.size;
    let mut copy = vec![T::default(); sizes(0)];
    let (rows, pitch) = (dims[along].size, sizes(along + 1));
    let others: Vec<usize> = (0..dims.len()).filter(|&d| d != along).collect();
    let outer: Vec<Dim> = others.iter().map(|&d| dims[d]).collect();
    let sources = positions(&outer, |k| outer[k].stride, offset);
    let targets = positions(&outer, |k| sizes(others[k] + 1), 0);
    let shuffles = Shuffles::new();
    vectorised(
        #[inline(always)]
        || {
            for (source, target) in sources.zip(targets) {
                for (block_row, block_column) in cut(rows, inner.size, BLOCK) {
                    let (height, width) = (BLOCK.min(rows - block_row), BLOCK.min(inner.size - block_column));
                    for (row, column) in cut(height, width, TILE) {
                        let (row, column) = (block_row + row, block_column + column);
                        let from = &data[source + column * inner.stride + row..];
                        let to = &mut copy[target + row * pitch + column..];
                        let (height, width) = (TILE.min(rows - row), TILE.min(inner.size - column));
                        if height == TILE && width == TILE {
                            tile(from, inner.stride, to, pitch, shuffles);
                        } else {
                            for (i, j) in cut(height, width, 1) {
                                to[i * pitch + j] = from[j * inner.stride + i];
                            }
                        }
                    }
                }
            }
        },
    );
    copy
}

/// The corners of the squares into which a matrix is cut, row by row.
fn cut(rows: usize, columns: usize, side: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).step_by(side).flat_map(move |row| (0..columns).step_by(side).map(move |column| (row, column)))
}

/// A whole tile, square by square, so that both squares of a line are read and written at about
/// the same time.
#[inline(always)]
fn tile<T: Element>(from: &[T], stride: usize, to: &mut [T], pitch: usize, shuffles: Shuffles) {
    for j in (0..TILE).step_by(SIDE) {
        for i in (0..TILE).step_by(SIDE) {
            let mut square = [[T::default(); SIDE]; SIDE];
            for (k, column) in square.iter_mut().enumerate() {
                column.copy_from_slice(&from[(j + k) * stride + i..][..SIDE]);
            }
            for (k, row) in T::transposed(square, shuffles).iter().enumerate() {
                to[(i + k) * pitch + j..][..SIDE].copy_from_slice(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk element by element is the oracle.
    fn check(shape: &[usize], strides: &[usize], offset: usize) {
        let span: usize =
            shape.iter().zip(strides).map(|(&size, &stride)| size.saturating_sub(1) * stride).sum();
        let data: Vec<u32> = (0..(offset + span + 1) as u32).collect();
        let expected: Vec<u32> = Positions::new(shape, strides, offset).map(|at| data[at]).collect();
        assert_eq!(row_major(&data, shape, strides, offset), expected, "{shape:?} {strides:?}");
    }

    #[test]
    fn any_layout_is_copied_as_element_by_element() {
        check(&[], &[], 3);
        check(&[0, 3], &[3, 1], 0);
        check(&[3, 0], &[1, 5], 0);
        for n in [1, 2, 15, 16, 17, 33, 127, 128, 129, 150] {
            for m in [1, 3, 16, 17, 130] {
                check(&[n, m], &[m, 1], 1);
                check(&[n, m], &[1, n], 1);
                check(&[n, m], &[1, n + 3], 2);
                check(&[n, m], &[2 * m, 2], 0);
                check(&[n, m], &[2, 2 * n], 0);
                check(&[n, m], &[0, 1], 5);
                check(&[n, m], &[1, 0], 5);
                check(&[n, m], &[0, 0], 5);
            }
        }
        let (shape, strides) = ([3, 17, 18, 20], [6120, 360, 20, 1]);
        for a in 0..4 {
            for b in (0..4).filter(|&b| b != a) {
                for c in (0..4).filter(|&c| c != a && c != b) {
                    let order = [a, b, c, 6 - a - b - c];
                    check(&order.map(|d| shape[d]), &order.map(|d| strides[d]), 7);
                }
            }
        }
    }

    #[test]
    fn neighbours_in_memory_are_one_dimension() {
        assert_eq!(merged(&[2, 3, 1, 4], &[12, 4, 99, 1]), [Dim { size: 24, stride: 1 }]);
        assert_eq!(merged(&[2, 3], &[0, 0]), [Dim { size: 6, stride: 0 }]);
        assert_eq!(merged(&[2, 3], &[1, 2]), [Dim { size: 2, stride: 1 }, Dim { size: 3, stride: 2 }]);
    }
}
