//! Operands of one shape, met run by run in row-major order.
//!
//! A run is what one inner loop goes along: every operand either runs along memory there or stands
//! still, so a broadcast operand is never written out.

use std::borrow::Cow;

use super::iterator::{Dim, merge};
use crate::cpu::vectorised;
use crate::tensor::layout::{Positions, contiguous_strides};
use crate::tensor::{DType, Element, Tensor};

/// Elements that a loop takes at once: an array, so that it needs no checks and runs in vectors.
pub(crate) const BLOCK: usize = 64;

/// Runs shorter than this are not worth their setting up: operands are written out instead.
const SHORT: usize = 16;

/// How `N` operands are walked.
pub(crate) struct Runs<'a, const N: usize> {
    tensors: [&'a Tensor; N],
    /// Operands of which a row-major copy is walked.
    copied: [bool; N],
    /// Innermost first; the first is the run.
    dims: Vec<Dim<N>>,
}

impl<'a, const N: usize> Runs<'a, N> {
    /// The walk over operands of one shape, each with the dtype in which it is read.
    pub(crate) fn new(operands: [(&'a Tensor, DType); N]) -> Runs<'a, N> {
        let runs = Runs::copying(operands.map(|(tensor, _)| tensor), operands.map(must_be_copied));
        if runs.length() < SHORT { Runs::copying(runs.tensors, [true; N]) } else { runs }
    }

    fn copying(tensors: [&'a Tensor; N], copied: [bool; N]) -> Runs<'a, N> {
        let shape = tensors.first().map_or(&[][..], |tensor| tensor.shape());
        let row_major = contiguous_strides(shape);
        let strides: [&[usize]; N] =
            std::array::from_fn(|k| if copied[k] { row_major.as_slice() } else { tensors[k].strides() });
        let dim = |d: usize| Dim { size: shape[d], strides: strides.map(|strides| strides[d]) };
        let mut dims = merge((0..shape.len()).rev().map(dim));
        if dims.is_empty() {
            dims.push(Dim { size: 1, strides: [0; N] });
        }
        Runs { tensors, copied, dims }
    }

    /// Elements in a run.
    pub(crate) fn length(&self) -> usize {
        self.dims[0].size
    }

    /// The elements of one operand, in the dtype that was named for it.
    pub(crate) fn operand<T: Element>(&self, k: usize) -> Source<'a, T> {
        let tensor = self.tensors[k];
        let data = match T::peek(tensor.storage()).filter(|_| !self.copied[k]) {
            Some(data) => Cow::Borrowed(data),
            None => tensor.values::<T>(),
        };
        let outer = &self.dims[1..];
        let (shape, strides) = outer.iter().rev().map(|dim| (dim.size, dim.strides[k])).unzip();
        let offset = if self.copied[k] { 0 } else { tensor.offset() };
        let starts = Positions::new(shape, strides, offset);
        // A run of one element is as good as moving.
        let still = self.dims[0].strides[k] == 0 && self.length() > 1;
        Source { data, starts, length: self.length(), still }
    }
}

/// Whether an operand neither runs along memory nor stands still, or is read in another dtype.
fn must_be_copied((tensor, dtype): (&Tensor, DType)) -> bool {
    let mut dims = tensor.shape().iter().zip(tensor.strides()).rev();
    tensor.dtype() != dtype || dims.find(|&(&size, _)| size != 1).is_some_and(|(_, &stride)| stride > 1)
}

/// The runs of one operand.
pub(crate) struct Source<'a, T: Element> {
    data: Cow<'a, [T]>,
    starts: Positions<Vec<usize>>,
    length: usize,
    still: bool,
}

impl<T: Element> Source<'_, T> {
    /// The runs, in row-major order.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run<'_, T>> {
        self.starts().map(|start| self.run(start))
    }

    /// Where they begin.
    fn starts(&self) -> impl Iterator<Item = usize> {
        // A walk of no elements has no starts, but one of a run of none has.
        self.starts.clone().filter(|_| self.length > 0)
    }

    /// The one that begins there.
    #[inline(always)]
    fn run(&self, start: usize) -> Run<'_, T> {
        let length = if self.still { 1 } else { self.length };
        Run { elements: &self.data[start..][..length], still: self.still }
    }
}

/// An operand along a run, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a, T> {
    /// Its elements, or the one at which it stands.
    elements: &'a [T],
    still: bool,
}

impl<'a, T: Copy + Default> Run<'a, T> {
    /// A part of a run.
    #[inline(always)]
    fn part(&self, start: usize, length: usize) -> Run<'a, T> {
        let (start, length) = if self.still { (0, 1) } else { (start, length) };
        Run { elements: &self.elements[start..][..length], still: self.still }
    }

    /// The run cut into blocks. `rest` is room for one, the same for many runs.
    #[inline(always)]
    pub(crate) fn blocks(self, rest: &'a mut [T; BLOCK]) -> Blocks<'a, T> {
        self.fill(rest);
        Blocks { full: self.full(), rest }
    }

    /// The blocks that are full.
    #[inline(always)]
    fn full(self) -> &'a [[T; BLOCK]] {
        // One element that stands still fills none.
        self.elements.as_chunks().0
    }

    /// What comes after the full blocks: for what stands still, what every block is.
    #[inline(always)]
    fn fill(self, rest: &mut [T; BLOCK]) {
        let (_, last) = self.elements.as_chunks::<BLOCK>();
        match last {
            [element] if self.still => rest.fill(*element),
            _ => rest[..last.len()].copy_from_slice(last),
        }
    }
}

/// A run in blocks. What stands still is in every block.
pub(crate) struct Blocks<'a, T> {
    full: &'a [[T; BLOCK]],
    rest: &'a [T; BLOCK],
}

impl<T> Blocks<'_, T> {
    /// A block; the one after the last full one holds the rest.
    #[inline(always)]
    pub(crate) fn block(&self, number: usize) -> &[T; BLOCK] {
        self.full.get(number).unwrap_or(self.rest)
    }
}

/// Appends one result per element of a run. `block` is given the number of a block, which all
/// operands can be asked for, and answers what computes a result from a place in it.
#[inline(always)]
pub(crate) fn extend_blocks<R: Element, F: Fn(usize) -> R>(
    results: &mut Vec<R>,
    length: usize,
    block: impl Fn(usize) -> F,
) {
    for number in 0..length / BLOCK {
        results.extend((0..BLOCK).map(block(number)));
    }
    results.extend((0..length % BLOCK).map(block(length / BLOCK)));
}

/// Appends the results of a function of the elements along a run. The loop has a copy of the
/// function: what it refers to elsewhere would be read again after every result.
#[inline(always)]
fn extend<T: Element, R: Element, const N: usize>(
    results: &mut Vec<R>,
    runs: [Run<T>; N],
    rests: &mut [[T; BLOCK]; N],
    length: usize,
    f: impl Fn([T; N]) -> R + Copy,
) {
    for (run, rest) in runs.iter().zip(&mut *rests) {
        run.fill(rest);
    }
    let operands: [Blocks<T>; N] = std::array::from_fn(
        #[inline(always)]
        |k| Blocks { full: runs[k].full(), rest: &rests[k] },
    );
    extend_blocks(
        results,
        length,
        #[inline(always)]
        |number| {
            let blocks = operands.each_ref().map(
                #[inline(always)]
                |operand| operand.block(number),
            );
            #[inline(always)]
            move |at| {
                let mut elements = [T::default(); N];
                for k in 0..N {
                    elements[k] = blocks[k][at];
                }
                f(elements)
            }
        },
    );
}

/// Calls `each` with the operands along every run, in row-major order, and the run's length. It is
/// compiled once for operands of a type, whatever is done with them.
///
/// Runs are made in place and lent: one that is moved is written in pieces and read as a whole, and
/// then the CPU waits until all that it wrote before has left it, results and all.
fn for_each<T: Element, const N: usize>(operands: [&Tensor; N], each: &mut dyn FnMut(&[Run<T>; N], usize)) {
    let walk = Runs::new(operands.map(|operand| (operand, T::DTYPE)));
    let sources: [Source<T>; N] = std::array::from_fn(|k| walk.operand(k));
    let mut starts = sources.each_ref().map(Source::starts);
    let mut runs = [Run { elements: &[], still: false }; N];
    loop {
        for ((run, source), starts) in runs.iter_mut().zip(&sources).zip(&mut starts) {
            let Some(start) = starts.next() else { return };
            *run = source.run(start);
        }
        each(&runs, walk.length());
    }
}

/// One result per element of operands of one shape, row-major. For functions that every CPU
/// computes about as fast as memory gives their operands: there is one copy of each.
pub(crate) fn map<T: Element, R: Element, const N: usize>(
    operands: [&Tensor; N],
    f: impl Fn([T; N]) -> R + Copy,
) -> Vec<R> {
    let mut results = Vec::with_capacity(operands.first().map_or(0, |operand| operand.numel()));
    let mut rests = [[T::default(); BLOCK]; N];
    for_each(operands, &mut |runs, length| extend(&mut results, *runs, &mut rests, length, f));
    results
}

/// The same for a function that multiplies and adds at once, or that differs along a line of the
/// operands' memory: `spans` divides it into lengths with the flag that holds for them.
pub(crate) fn map_spans<T: Element, R: Element, const N: usize>(
    operands: [&Tensor; N],
    spans: &[(usize, bool)],
    f: impl Fn([T; N], bool) -> R + Copy,
) -> Vec<R> {
    let mut results = Vec::with_capacity(operands.first().map_or(0, |operand| operand.numel()));
    let mut rests = [[T::default(); BLOCK]; N];
    for_each(operands, &mut |runs, length| {
        vectorised(
            #[inline(always)]
            || {
                let mut at = 0;
                for &(span, flag) in spans.iter().cycle() {
                    let span = span.min(length - at);
                    let part = std::array::from_fn(
                        #[inline(always)]
                        |k| runs[k].part(at, span),
                    );
                    match flag {
                        true => extend(
                            &mut results,
                            part,
                            &mut rests,
                            span,
                            #[inline(always)]
                            move |elements| f(elements, true),
                        ),
                        false => extend(
                            &mut results,
                            part,
                            &mut rests,
                            span,
                            #[inline(always)]
                            move |elements| f(elements, false),
                        ),
                    }
                    at += span;
                    if at == length {
                        break;
                    }
                }
            },
        )
    });
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk element by element is the oracle.
    fn check(shape: &[usize], layouts: [&[usize]; 2]) {
        let tensor = |strides: &[usize], offset: usize| {
            let span: usize = shape.iter().zip(strides).map(|(size, stride)| size * stride).sum();
            let data = (0..(offset + span + 1) as i32).map(|i| i * i).collect();
            Tensor::strided(shape, strides, offset, i32::store(data)).unwrap()
        };
        let (a, b) = (tensor(layouts[0], 3), tensor(layouts[1], 0));
        let expected: Vec<i32> =
            a.values::<i32>().iter().zip(b.values::<i32>().iter()).map(|(a, b)| a - 2 * b).collect();
        assert_eq!(map([&a, &b], |[a, b]: [i32; 2]| a - 2 * b), expected, "{shape:?} {layouts:?}");
    }

    #[test]
    fn any_layouts_give_what_the_walk_by_element_gives() {
        for n in [0, 1, 2, 5, 15, 16, 17, 63, 64, 65, 128, 130] {
            for m in [0, 1, 3, 16, 20] {
                let layouts: [&[usize]; 7] =
                    [&[n, 1], &[0, 1], &[1, 0], &[0, 0], &[1, m], &[2 * n, 2], &[n + 1, 1]];
                for a in layouts {
                    for b in layouts {
                        check(&[m, n], [a, b]);
                    }
                }
            }
        }
        check(&[], [&[], &[]]);
        check(&[3, 4, 20], [&[80, 20, 1], &[20, 0, 1]]);
        check(&[3, 1, 20], [&[20, 7, 1], &[1, 9, 0]]);
    }

    #[test]
    fn what_is_broadcast_is_not_written_out() {
        let matrix = Tensor::collect(&[4, 32], 0..128i32);
        let row = Tensor::collect(&[32], 0..32i32).expanded(&[4, 32]);
        let runs = Runs::new([(&matrix, DType::Int32), (&row, DType::Int32)]);
        assert_eq!((runs.length(), runs.copied), (32, [false; 2]));
        assert!(matches!(runs.operand::<i32>(1).data, Cow::Borrowed(data) if data.len() == 32));
    }
}
