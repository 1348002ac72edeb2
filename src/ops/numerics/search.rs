//! The position of an extreme, in vectors: the first NaN, else the first of the best, where -0
//! equals +0.
//!
//! Every element has a key, an integer that is the larger the better the element is for the end
//! that is wanted. The largest of integers is the same in any order, so the search runs in as
//! many lanes as the CPU has.

use half::{bf16, f16};

use super::extremes::End;
use crate::tensor::Element;

/// An element that has a key.
pub(crate) trait Keyed: Element {
    /// An integer as wide as the element.
    type Key: Ord + Copy + Default;

    /// The larger, the better; equal for what ties, and largest for NaN.
    fn key(self, end: End) -> Self::Key;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Keyed for $type {
            type Key = $type;

            #[inline(always)]
            fn key(self, end: End) -> $type {
                match end {
                    End::Max => self,
                    End::Min => !self,
                }
            }
        }
    )*};
}

integers!(i64, i32, i16, i8, u8, u32);

impl Keyed for bool {
    type Key = u8;

    #[inline(always)]
    fn key(self, end: End) -> u8 {
        u8::from(self).key(end)
    }
}

macro_rules! floats {
    ($($type:ty, $key:ty;)*) => {$(
        impl Keyed for $type {
            type Key = $key;

            /// The magnitude's bits, which are in the order of the values, with the sign.
            #[inline(always)]
            fn key(self, end: End) -> $key {
                let bits = self.to_bits() as $key;
                let (sign, magnitude) = (bits >> (<$key>::BITS - 1), bits & <$key>::MAX);
                let key = match end {
                    End::Max => (magnitude ^ sign) - sign,
                    End::Min => (magnitude ^ !sign) - !sign,
                };
                if magnitude > <$type>::INFINITY.to_bits() as $key { <$key>::MAX } else { key }
            }
        }
    )*};
}

floats! {
    f64, i64;
    f32, i32;
    f16, i16;
    bf16, i16;
}

/// Rows below this length are searched faster by a plain loop (measured in float32: in a third of
/// the time at 8 elements; at 32 it takes a third more).
const SHORT: usize = 24;

/// Elements of a row whose best key is found before its position.
const BLOCK: usize = 256;

/// Elements among which a key is looked for at once.
const CHUNK: usize = 32;

/// Position of the extreme of a row; `None` if it is empty.
#[inline(always)]
pub(crate) fn in_row<T: Keyed>(end: End, row: &[T]) -> Option<usize> {
    // The end is a constant to either copy.
    match end {
        End::Max => search_row(End::Max, row),
        End::Min => search_row(End::Min, row),
    }
}

#[inline(always)]
fn search_row<T: Keyed>(end: End, row: &[T]) -> Option<usize> {
    let (mut best, mut start) = (row.first()?.key(end), 0);
    if row.len() < SHORT {
        for (place, x) in row.iter().enumerate() {
            if x.key(end) > best {
                (best, start) = (x.key(end), place);
            }
        }
        return Some(start);
    }
    for (number, block) in row.chunks(BLOCK).enumerate() {
        let mut largest = best;
        for x in block {
            largest = largest.max(x.key(end));
        }
        if largest > best {
            (best, start) = (largest, number * BLOCK);
        }
    }
    let mut chunks = row[start..].chunks(CHUNK);
    loop {
        let chunk = chunks.next()?;
        // No early exit within a chunk, which would keep it from running in vectors.
        let mut found = false;
        for x in chunk {
            found |= x.key(end) == best;
        }
        if found {
            return Some(start + chunk.iter().position(|x| x.key(end) == best)?);
        }
        start += CHUNK;
    }
}

/// Columns that are searched side by side: what is known of them stays in the first cache.
const COLUMNS: usize = 512;

/// Positions of the extremes of the columns of a row-major matrix that has a row.
#[inline(always)]
pub(crate) fn in_columns<T: Keyed>(end: End, matrix: &[T], columns: usize) -> Vec<usize> {
    match end {
        End::Max => search_columns(End::Max, matrix, columns),
        End::Min => search_columns(End::Min, matrix, columns),
    }
}

#[inline(always)]
fn search_columns<T: Keyed>(end: End, matrix: &[T], columns: usize) -> Vec<usize> {
    let mut positions = Vec::with_capacity(columns);
    for start in (0..columns).step_by(COLUMNS) {
        let width = COLUMNS.min(columns - start);
        let (mut best, mut places) = ([T::Key::default(); COLUMNS], [0u32; COLUMNS]);
        for (place, row) in matrix.chunks_exact(columns).enumerate() {
            let row = &row[start..][..width];
            for ((best, at), x) in best.iter_mut().zip(&mut places).zip(row) {
                let key = x.key(end);
                let better = place == 0 || key > *best;
                *best = if better { key } else { *best };
                // No dimension is as long as 2^32: a result has at most 2^28 elements.
                *at = if better { place as u32 } else { *at };
            }
        }
        positions.extend(places[..width].iter().map(|&place| place as usize));
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{Level, at};
    use crate::ops::numerics::extremes;

    /// Pseudo-random numbers below a bound.
    fn draws() -> impl FnMut(u64) -> u64 {
        let mut state = 1u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        }
    }

    /// The plain loop is the oracle, at lengths around every vector, chunk and block, with ties,
    /// zeros of both signs, and NaN.
    fn check<T: Keyed>(value: impl Fn(usize) -> T) {
        let mut draw = draws();
        let lengths =
            [1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1300];
        for (length, level) in lengths.into_iter().flat_map(|length| Level::ALL.map(|level| (length, level)))
        {
            for _ in 0..20 {
                let kinds = 1 + draw(12);
                let row: Vec<T> = (0..length).map(|_| value(draw(kinds) as usize)).collect();
                for end in [End::Max, End::Min] {
                    let expected = extremes::position(end, row.iter().copied()).map(|(place, _)| place);
                    assert_eq!(at(level, || in_row(end, &row)), expected, "{end:?} of {row:?}");
                    let columns = 1 + draw(length as u64) as usize;
                    let rows = length / columns;
                    let expected: Vec<usize> = (0..columns)
                        .map(|column| row.iter().skip(column).step_by(columns).take(rows).copied())
                        .filter_map(|column| extremes::position(end, column).map(|(place, _)| place))
                        .collect();
                    let matrix = &row[..rows * columns];
                    assert_eq!(
                        at(level, || in_columns(end, matrix, columns)),
                        expected,
                        "{columns} of {row:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn searches_agree_with_the_plain_loop() {
        const FLOATS: [f64; 12] =
            [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, 2.0, -2.0, 5e-8, -5e-8, 3.0, f64::NAN];
        check(|i| FLOATS[i]);
        check(|i| FLOATS[i] as f32);
        check(|i| f16::from_f64(FLOATS[i]));
        check(|i| bf16::from_f64(FLOATS[i]));
        check(|i| [i64::MIN, i64::MAX, 0, 1][i % 4]);
        check(|i| [i32::MIN, i32::MAX, 0, 1][i % 4]);
        check(|i| [i16::MIN, i16::MAX, 0, 1][i % 4]);
        check(|i| [i8::MIN, i8::MAX, 0, 1][i % 4]);
        check(|i| [u8::MIN, u8::MAX, 0, 1][i % 4]);
        check(|i| [u32::MIN, u32::MAX, 0, 1][i % 4]);
        check(|i| i % 2 == 0);
    }

    #[test]
    fn columns_beyond_one_block() {
        let mut draw = draws();
        let matrix: Vec<i32> = (0..3 * 1100).map(|_| draw(7) as i32).collect();
        let expected: Vec<usize> = (0..1100)
            .filter_map(|column| extremes::position(End::Max, (0..3).map(|row| matrix[row * 1100 + column])))
            .map(|(place, _)| place)
            .collect();
        assert_eq!(in_columns(End::Max, &matrix, 1100), expected);
    }

    #[test]
    fn keys_are_in_the_order_of_the_values() {
        fn check<T: Keyed>(values: impl Iterator<Item = T> + Clone) {
            for (a, b) in values.clone().flat_map(|a| values.clone().map(move |b| (a, b))) {
                for end in [End::Max, End::Min] {
                    assert_eq!(a.key(end) > b.key(end), end.takes_over(a, b), "{a:?} over {b:?}");
                }
            }
        }
        let patterns = (0..=u16::MAX).step_by(61);
        check(patterns.clone().map(f16::from_bits));
        check(patterns.clone().map(bf16::from_bits));
        check(patterns.clone().map(|bits| f32::from_bits(u32::from(bits) << 16)));
        check(patterns.map(|bits| f64::from_bits(u64::from(bits) << 48)));
    }
}
