//! PyTorch's cascade summation (`SumKernel.cpp`), bit for bit.
//!
//! Four levels of accumulators keep the rounding error near that of pairwise summation: items
//! are added to level 0, and after every 2^p of them a level is flushed into the next. Four
//! columns of it run side by side. Which items form the columns depends on the layout:
//!
//! - a row that is contiguous in memory is cut into vectors, and four consecutive vectors are the
//!   four columns;
//! - outputs that lie side by side are summed four vectors of them at a time, then one vector,
//!   then one by one;
//! - elsewhere the same is done with scalars.

use super::iterator::{Block, Walk};
use super::lanes::{Float, Lanes, Real, Vector};
use crate::cpu::vectorised;

const LEVELS: usize = 4;
const COLUMNS: usize = 4;

/// Columns that [`cascade_by_rows`] has in hand at once; their accumulators stay in the first cache.
const TILE: usize = 1024;

/// Sums along the walk into outputs that start at +0 (so that a sum of -0 is +0).
pub(crate) fn sum<T: Float>(data: &[T], walk: &Walk, output: &mut [T]) {
    let blocks = walk.blocks();
    vectorised(
        #[inline(always)]
        || {
            for block in blocks {
                sum_block(data, block, output);
            }
        },
    );
}

#[inline(always)]
fn sum_block<T: Float>(data: &[T], mut block: Block, output: &mut [T]) {
    // The kernel wants the reduced dimension inside.
    if block.output_strides[0] != 0 && block.output_strides[1] == 0 {
        block.size.reverse();
        block.input_strides.reverse();
        block.output_strides.reverse();
    }
    let [n, outputs] = block.size;
    let [inner, outer] = block.input_strides;
    let place = |j: usize| block.output + j * block.output_strides[1];
    // A 16-bit output is added to in its own type, so each block's sum is rounded before.
    let mut add = |at: usize, value: T::Acc| {
        output[at] = T::narrow(output[at].widen() + T::narrow(value).widen());
    };

    if block.output_strides[0] != 0 {
        for j in 0..outputs {
            for i in 0..n {
                let value = data[block.input + i * inner + j * outer].widen();
                add(place(j) + i * block.output_strides[0], value);
            }
        }
    } else if inner == 1 && n >= T::PER_VECTOR {
        for j in 0..outputs {
            add(place(j), contiguous_row(&data[block.input + j * outer..][..n]));
        }
    } else if outer == 1 && outputs >= T::PER_VECTOR {
        let row = |i: usize| &data[block.input + i * inner..][..outputs];
        let width = T::Vector::WIDTH;
        let in_groups = outputs / (COLUMNS * width) * (COLUMNS * width);
        let mut levels = [(); LEVELS].map(|()| vec![T::Acc::ZERO; in_groups.min(TILE)]);
        for start in (0..in_groups).step_by(TILE) {
            let columns = start..in_groups.min(start + TILE);
            let tile = |i: usize| &row(i)[columns.clone()];
            cascade_by_rows(n, tile, levels.each_mut().map(|level| &mut level[..columns.len()]));
            for (column, &sum) in columns.clone().zip(&levels[0]) {
                add(place(column), sum);
            }
        }
        let mut column = in_groups;
        while column + width <= outputs {
            let sum = row_of(n, |i| T::columns(&row(i)[column..]));
            for (lane, &value) in sum.lanes().iter().enumerate() {
                add(place(column + lane), value);
            }
            column += width;
        }
        for column in column..outputs {
            add(place(column), scalar_row(n, |i| row(i)[column]));
        }
    } else if inner < outer {
        for j in 0..outputs {
            add(place(j), scalar_row(n, |i| data[block.input + j * outer + i * inner]));
        }
    } else {
        let mut j = 0;
        while j + COLUMNS <= outputs {
            let sums = cascade(n, |i| {
                std::array::from_fn(|k| Lanes([data[block.input + i * inner + (j + k) * outer].widen()]))
            });
            for (k, sum) in sums.iter().enumerate() {
                add(place(j + k), sum.0[0]);
            }
            j += COLUMNS;
        }
        for j in j..outputs {
            add(place(j), scalar_row(n, |i| data[block.input + j * outer + i * inner]));
        }
    }
}

/// A contiguous row: vectors first, but the elements that fill none are added before the lanes.
#[inline(always)]
fn contiguous_row<T: Float>(row: &[T]) -> T::Acc {
    let vectors = row.len() / T::PER_VECTOR;
    let item = |i: usize| T::item(&row[i * T::PER_VECTOR..][..T::PER_VECTOR]);
    // Four vectors are looked up at once, which checks their place once.
    let lanes = row_in(vectors, item, |i| {
        let four = &row[i * T::PER_VECTOR..][..COLUMNS * T::PER_VECTOR];
        std::array::from_fn(|k| T::item(&four[k * T::PER_VECTOR..][..T::PER_VECTOR]))
    });
    let tail = row[vectors * T::PER_VECTOR..].iter().fold(T::Acc::ZERO, |sum, &x| sum + x.widen());
    lanes.lanes().iter().fold(tail, |sum, &lane| sum + lane)
}

#[inline(always)]
fn scalar_row<T: Float>(n: usize, at: impl Fn(usize) -> T) -> T::Acc {
    row_of(n, |i| Lanes([at(i).widen()])).0[0]
}

/// Sum of `n` items: four at a time through the cascade, the rest to the first column.
#[inline(always)]
fn row_of<R: Real, V: Vector<R>>(n: usize, item: impl Fn(usize) -> V) -> V {
    row_in(n, &item, |i| std::array::from_fn(|k| item(i + k)))
}

/// The same where four items are given from the first of them on.
#[inline(always)]
fn row_in<R: Real, V: Vector<R>>(
    n: usize,
    item: impl Fn(usize) -> V,
    four: impl Fn(usize) -> [V; COLUMNS],
) -> V {
    let columns = cascade(n / COLUMNS, |row| four(row * COLUMNS));
    let [mut sum, second, third, fourth] = columns;
    for i in n / COLUMNS * COLUMNS..n {
        sum = sum.add(item(i));
    }
    sum.add(second).add(third).add(fourth)
}

/// The cascade over `n` rows of four columns.
#[inline(always)]
fn cascade<R: Real, V: Vector<R>>(n: usize, row: impl Fn(usize) -> [V; COLUMNS]) -> [V; COLUMNS] {
    let (power, step) = steps(n);
    let mut levels = [[V::ZERO; COLUMNS]; LEVELS];
    let mut i = 0;
    while i + step <= n {
        for _ in 0..step {
            add_row(&mut levels[0], row(i));
            i += 1;
        }
        for level in 1..LEVELS {
            let full = std::mem::replace(&mut levels[level - 1], [V::ZERO; COLUMNS]);
            add_row(&mut levels[level], full);
            if (i >> (level * power)) & (step - 1) != 0 {
                break;
            }
        }
    }
    for i in i..n {
        add_row(&mut levels[0], row(i));
    }
    let [mut sums, higher @ ..] = levels;
    for level in higher {
        add_row(&mut sums, level);
    }
    sums
}

/// The cascade over the `n` rows of any number of columns, whose sums end in level 0. It goes row
/// by row along memory; to each column that is the same order.
#[inline(always)]
fn cascade_by_rows<'a, T: Float>(
    n: usize,
    row: impl Fn(usize) -> &'a [T],
    mut levels: [&mut [T::Acc]; LEVELS],
) {
    let (power, step) = steps(n);
    levels.iter_mut().for_each(|level| level.fill(T::Acc::ZERO));
    let mut i = 0;
    while i + step <= n {
        for _ in 0..step / 4 {
            let rows = row(i).iter().zip(row(i + 1)).zip(row(i + 2)).zip(row(i + 3));
            for (sum, (((a, b), c), d)) in levels[0].iter_mut().zip(rows) {
                *sum = *sum + a.widen() + b.widen() + c.widen() + d.widen();
            }
            i += 4;
        }
        for level in 1..LEVELS {
            let (lower, upper) = levels.split_at_mut(level);
            for (sum, full) in upper[0].iter_mut().zip(&mut *lower[level - 1]) {
                *sum = *sum + std::mem::replace(full, T::Acc::ZERO);
            }
            if (i >> (level * power)) & (step - 1) != 0 {
                break;
            }
        }
    }
    let [sums, higher @ ..] = levels;
    for i in i..n {
        for (sum, x) in sums.iter_mut().zip(row(i)) {
            *sum = *sum + x.widen();
        }
    }
    for level in higher {
        for (sum, &x) in sums.iter_mut().zip(&*level) {
            *sum = *sum + x;
        }
    }
}

/// After how many rows a level is full, as a power of two and as a number.
#[inline(always)]
fn steps(n: usize) -> (usize, usize) {
    let power = (ceil_log2(n) / LEVELS).max(4);
    (power, 1 << power)
}

#[inline(always)]
fn add_row<R: Real, V: Vector<R>>(sums: &mut [V; COLUMNS], row: [V; COLUMNS]) {
    for k in 0..COLUMNS {
        sums[k] = sums[k].add(row[k]);
    }
}

/// PyTorch's `CeilLog2`, which answers 1 for everything up to 2.
pub(crate) fn ceil_log2(n: usize) -> usize {
    if n <= 2 { 1 } else { (usize::BITS - (n - 1).leading_zeros()) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{Element as _, Tensor};

    #[test]
    fn rounding_follows_the_lanes_not_the_source_order() {
        // 1e8 swallows each 1 that is added to it in float32; lanes keep most of them apart.
        let data: Vec<f32> = (0..33).map(|i| [1e8, 1.0, -1e8][i % 3]).collect();
        let tensor = Tensor::new(&[33], data.clone()).unwrap();
        let mut output = [0.0];
        sum(&data, &Walk::reduction(&tensor, &[true]), &mut output);
        let naive = data.iter().sum::<f32>();
        assert_ne!(output[0], naive);
    }

    #[test]
    fn columns_row_by_row_are_columns_one_group_after_the_other() {
        fn check<T: Float>(of: fn(f64) -> T) {
            let columns = COLUMNS * T::Vector::WIDTH;
            for n in [0, 1, 3, 4, 15, 16, 17, 37, 64, 256, 257, 300, 4096, 4100] {
                let data: Vec<T> = (0..n * columns).map(|i| of((i as f64).sin() * 1e3)).collect();
                let row = |i: usize| &data[i * columns..][..columns];
                let width = T::Vector::WIDTH;
                let groups = cascade::<T::Acc, T::Vector>(n, |i| {
                    std::array::from_fn(|k| T::columns(&row(i)[k * width..]))
                });
                let mut levels = [(); LEVELS].map(|()| vec![of(9.0).widen(); columns]);
                cascade_by_rows(n, row, levels.each_mut().map(|level| &mut level[..]));
                let groups: Vec<T::Acc> = groups.iter().flat_map(|sum| sum.lanes()).copied().collect();
                assert!(levels[0].iter().zip(&groups).all(|(a, b)| a.identical(*b)), "{n} rows");
            }
        }
        check::<f32>(|x| x as f32);
        check::<f64>(|x| x);
        check::<half::f16>(half::f16::from_f64);
        check::<half::bf16>(half::bf16::from_f64);
    }

    #[test]
    fn logarithm_of_pytorch() {
        assert_eq!([0, 1, 2, 3, 4, 5, 1024, 1025].map(ceil_log2), [1, 1, 1, 2, 2, 3, 10, 11]);
    }
}
