//! Squares of elements whose rows become columns without a way through memory.
//!
//! What is serial along a line is not across lines: eight lines that are read in squares can be
//! walked side by side, a lane each. Plain loops over such a square are compiled to one load and
//! one store per element; AVX does it in 24 shuffles, three per row, for elements of 32 bits.

use half::{bf16, f16};

use super::Element;
use crate::cpu;

/// Rows and columns of a square.
pub(crate) const SIDE: usize = 8;

/// Rows of elements.
pub(crate) type Square<T> = [[T; SIDE]; SIDE];

/// The means to transpose, chosen once for many squares. A kernel takes them with it into
/// [`cpu::vectorised`], where the shuffles are instructions and not calls.
#[derive(Clone, Copy)]
pub struct Shuffles {
    #[cfg(target_arch = "x86_64")]
    avx: Option<cpu::Avx>,
}

impl Shuffles {
    /// What the level has.
    pub(crate) fn new() -> Shuffles {
        Shuffles {
            #[cfg(target_arch = "x86_64")]
            avx: cpu::avx(),
        }
    }
}

/// An element of which squares are transposed.
pub trait Transpose: Copy {
    /// The square whose rows are the columns of this one.
    #[doc(hidden)]
    #[inline(always)]
    fn transposed(square: Square<Self>, _: Shuffles) -> Square<Self> {
        by_element(square)
    }
}

#[inline(always)]
fn by_element<T: Copy>(square: Square<T>) -> Square<T> {
    std::array::from_fn(
        #[inline(always)]
        |i| {
            std::array::from_fn(
                #[inline(always)]
                |j| square[j][i],
            )
        },
    )
}

/// Lays lines side by side, each in a lane: place `i` of the tile has their elements number `i`.
#[inline(always)]
pub(crate) fn lines_to_lanes<'a, T: Element, const LANES: usize>(
    line: impl Fn(usize) -> &'a [T],
    tile: &mut [[T; LANES]],
    shuffles: Shuffles,
) {
    let (squares, rest) = tile.as_chunks_mut::<SIDE>();
    for (number, places) in squares.iter_mut().enumerate() {
        for lane in (0..LANES).step_by(SIDE) {
            let mut square = [[T::default(); SIDE]; SIDE];
            for (k, elements) in square.iter_mut().enumerate() {
                elements.copy_from_slice(&line(lane + k)[number * SIDE..][..SIDE]);
            }
            for (place, elements) in places.iter_mut().zip(T::transposed(square, shuffles)) {
                place[lane..][..SIDE].copy_from_slice(&elements);
            }
        }
    }
    let done = squares.len() * SIDE;
    for (i, place) in rest.iter_mut().enumerate() {
        for (lane, element) in place.iter_mut().enumerate() {
            *element = line(lane)[done + i];
        }
    }
}

/// Takes a tile apart again, into lines that begin `pitch` elements apart.
#[inline(always)]
pub(crate) fn lanes_to_lines<T: Element>(
    tile: &[[T; SIDE]],
    lines: &mut [T],
    pitch: usize,
    shuffles: Shuffles,
) {
    let (squares, rest) = tile.as_chunks::<SIDE>();
    for (number, &square) in squares.iter().enumerate() {
        for (lane, elements) in T::transposed(square, shuffles).iter().enumerate() {
            lines[lane * pitch + number * SIDE..][..SIDE].copy_from_slice(elements);
        }
    }
    let done = squares.len() * SIDE;
    for (i, place) in rest.iter().enumerate() {
        for (lane, &element) in place.iter().enumerate() {
            lines[lane * pitch + done + i] = element;
        }
    }
}

macro_rules! by_element {
    ($($type:ty),*) => {$(
        impl Transpose for $type {}
    )*};
}

by_element!(f64, f16, bf16, i64, i16, i8, u8, bool);

macro_rules! in_vectors {
    ($($type:ty),*) => {$(
        impl Transpose for $type {
            #[inline(always)]
            fn transposed(square: Square<$type>, shuffles: Shuffles) -> Square<$type> {
                #[cfg(target_arch = "x86_64")]
                if let Some(avx) = shuffles.avx {
                    return x86::transposed(avx, square);
                }
                let _ = shuffles;
                by_element(square)
            }
        }
    )*};
}

in_vectors!(f32, i32, u32);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::__m256;

    use pulp::bytemuck::Pod;

    use super::{SIDE, Square};
    use crate::cpu::Avx;

    /// Neighbouring rows are interleaved, then pairs of rows, then the halves of four.
    #[inline(always)]
    pub(super) fn transposed<T: Pod>(avx: Avx, square: Square<T>) -> Square<T> {
        const FIRST_HALVES: i32 = 0x44;
        const SECOND_HALVES: i32 = 0xee;
        const LOW: i32 = 0x20;
        const HIGH: i32 = 0x31;
        let [a, b, c, d, e, f, g, h]: [__m256; SIDE] = [
            pulp::cast(square[0]),
            pulp::cast(square[1]),
            pulp::cast(square[2]),
            pulp::cast(square[3]),
            pulp::cast(square[4]),
            pulp::cast(square[5]),
            pulp::cast(square[6]),
            pulp::cast(square[7]),
        ];
        let ab = [avx._mm256_unpacklo_ps(a, b), avx._mm256_unpackhi_ps(a, b)];
        let cd = [avx._mm256_unpacklo_ps(c, d), avx._mm256_unpackhi_ps(c, d)];
        let ef = [avx._mm256_unpacklo_ps(e, f), avx._mm256_unpackhi_ps(e, f)];
        let gh = [avx._mm256_unpacklo_ps(g, h), avx._mm256_unpackhi_ps(g, h)];
        let mut columns = [[T::zeroed(); SIDE]; SIDE];
        for pair in 0..2 {
            let upper = [
                avx._mm256_shuffle_ps::<FIRST_HALVES>(ab[pair], cd[pair]),
                avx._mm256_shuffle_ps::<SECOND_HALVES>(ab[pair], cd[pair]),
            ];
            let lower = [
                avx._mm256_shuffle_ps::<FIRST_HALVES>(ef[pair], gh[pair]),
                avx._mm256_shuffle_ps::<SECOND_HALVES>(ef[pair], gh[pair]),
            ];
            for i in 0..2 {
                let column = 2 * pair + i;
                columns[column] = pulp::cast(avx._mm256_permute2f128_ps::<LOW>(upper[i], lower[i]));
                columns[column + 4] = pulp::cast(avx._mm256_permute2f128_ps::<HIGH>(upper[i], lower[i]));
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Element by element is the oracle.
    fn check<T: Transpose + PartialEq + std::fmt::Debug>(of: impl Fn(u8) -> T) {
        let square: Square<T> = std::array::from_fn(|i| std::array::from_fn(|j| of((SIDE * i + j) as u8)));
        let expected: Square<T> = std::array::from_fn(|i| std::array::from_fn(|j| square[j][i]));
        assert_eq!(T::transposed(square, Shuffles::new()), expected);
    }

    #[test]
    fn rows_become_columns() {
        check(f64::from);
        check(f32::from);
        check(f16::from);
        check(bf16::from);
        check(i64::from);
        check(i32::from);
        check(u32::from);
        check(i16::from);
        check(|i| i as i8);
        check(|i| i);
        check(|i| i % 3 == 0);
    }

    #[test]
    fn lines_in_lanes_are_taken_apart_again() {
        for length in [0, 1, 7, 8, 9, 16, 31] {
            let rows: Vec<f32> = (0..SIDE * length).map(|i| i as f32).collect();
            let mut tile = vec![[0.0; SIDE]; length];
            lines_to_lanes(|lane| &rows[lane * length..][..length], &mut tile, Shuffles::new());
            for (i, lane) in (0..length).flat_map(|i| (0..SIDE).map(move |lane| (i, lane))) {
                assert_eq!(tile[i][lane], rows[lane * length + i]);
            }
            let mut apart = vec![0.0; rows.len()];
            lanes_to_lines(&tile, &mut apart, length, Shuffles::new());
            assert_eq!(apart, rows);
        }
    }

    #[test]
    fn bits_of_floats_stay() {
        let square: Square<f32> = std::array::from_fn(|i| {
            std::array::from_fn(|j| f32::from_bits(0x7f80_0001 + (i << 20 | j) as u32))
        });
        let columns = f32::transposed(square, Shuffles::new());
        for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j))) {
            assert_eq!(columns[i][j].to_bits(), square[j][i].to_bits());
        }
    }
}
