//! Order statistics along a dimension: `kthvalue`, `median`, `nanmedian`, `mode`.
//!
//! | op | accepts | NaN | which of equal elements |
//! |---|---|---|---|
//! | `kthvalue` | every dtype but bool and uint32 | the greatest | what quickselect leaves at `k` |
//! | `median` | the same | the first one wins | the one that a stable sort would put in the middle |
//! | `nanmedian` | the same | left out, unless there is nothing else | the same |
//! | `mode` | every dtype but uint32 | differs from everything | the last in the order of an unstable sort |
//!
//! Of an even number of elements the median is the lower of the two in the middle. `median` and
//! `nanmedian` without a dimension give a value alone. The algorithms are those of `Sorting.cpp`
//! and `TensorCompareKernel.cpp`; PyTorch promises nothing about which of equal elements an
//! index names.

use super::call::{Call, Failure, Result, refuse_uint32};
use super::numerics::introsort;
use super::selection::{reduced_backward, reduced_or_shared_backward};
use super::sort::{Keyed, below, keyed};
use super::{Backward, Op};
use super::{dims, lines};
use crate::tensor::{DType, Element, Scalar, Tensor, layout};
use crate::{with_data, with_type};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "kthvalue",
        parameters: &["input", "k", "dim", "keepdim"],
        forward: kthvalue,
        backward: Backward::Rule(reduced_backward),
    },
    Op {
        name: "median",
        parameters: &["input", "dim", "keepdim"],
        forward: median,
        backward: Backward::Rule(reduced_or_shared_backward),
    },
    Op {
        name: "nanmedian",
        parameters: &["input", "dim", "keepdim"],
        forward: nanmedian,
        backward: Backward::Rule(reduced_or_shared_backward),
    },
    Op {
        name: "mode",
        parameters: &["input", "dim", "keepdim"],
        forward: mode,
        backward: Backward::Rule(reduced_backward),
    },
];

/// The dimension to reduce, which may not be empty.
fn reduced_dim(name: &str, input: &Tensor, dim: i64) -> Result<usize> {
    let dim = dims::wrap(dim, input.dim())?;
    if input.shape().get(dim) == Some(&0) {
        return Err(Failure::index(format!("{name}(): Expected reduction dim {dim} to have non-zero size.")));
    }
    Ok(dim)
}

/// A dtype for which a kernel was compiled.
fn refuse_bool_and_uint32(kernel: &str, dtype: DType) -> Result<()> {
    if dtype == DType::Bool { Err(Failure::no_kernel(kernel, dtype)) } else { refuse_uint32(kernel, dtype) }
}

/// Reduces every line to one of its elements.
fn pick_per_line<T: Element>(
    input: &Tensor,
    dim: usize,
    keepdim: bool,
    pick: impl Fn(&[T]) -> Keyed<T>,
) -> (Tensor, Tensor) {
    let shape = lines::reduced(input.shape(), dim, keepdim);
    let data = lines::read::<T>(input, dim);
    let picked = data.chunks(lines::length(input, dim).max(1)).map(pick);
    let (values, indices): (Vec<T>, Vec<i64>) = picked.unzip();
    (Tensor::collect(&shape, values), Tensor::collect(&shape, indices))
}

fn kthvalue(call: &Call) -> Result {
    let (input, k) = (call.tensor("input")?, call.required_int("k")?);
    let dim = reduced_dim("kthvalue", input, call.int("dim")?.unwrap_or(-1))?;
    let nth = match usize::try_from(k) {
        Ok(k @ 1..) if k <= lines::length(input, dim) => k - 1,
        _ => {
            return Err(Failure::runtime(format!(
                "kthvalue(): selected number k out of range for dimension {dim}"
            )));
        }
    };
    if input.dim() == 0 {
        return Ok((input.clone(), Tensor::scalar(0i64)).into());
    }
    refuse_bool_and_uint32("kthvalue_cpu", input.dtype())?;
    let keepdim = call.flag("keepdim")?;
    Ok(with_type!(input.dtype(), T => pick_per_line(input, dim, keepdim, |line: &[T]| {
        let mut line = keyed(line);
        quick_select(&mut line, nth, |a, b| below(b.0, a.0));
        line.get(nth).copied().unwrap_or_default()
    }))
    .into())
}

/// Sedgewick's quickselect of 1978 with a median of three, which is not the C++ library's and
/// leaves another of equal elements at the place.
fn quick_select<T: Copy>(items: &mut [T], nth: usize, greater: impl Fn(T, T) -> bool) {
    let (mut left, mut right) = (0, items.len().saturating_sub(1));
    while right > left + 1 {
        items.swap((left + right) / 2, left + 1);
        for (a, b) in [(left + 1, right), (left, right), (left + 1, left)] {
            if greater(items[a], items[b]) {
                items.swap(a, b);
            }
        }
        let pivot = items[left];
        let (mut low, mut high) = (left + 1, right);
        loop {
            low += 1;
            while low < right && greater(pivot, items[low]) {
                low += 1;
            }
            high -= 1;
            while high > left && greater(items[high], pivot) {
                high -= 1;
            }
            if high < low {
                break;
            }
            items.swap(low, high);
        }
        items.swap(left, high);
        if high >= nth {
            right = high.saturating_sub(1);
        }
        if high <= nth {
            left = low;
        }
    }
    if right == left + 1 && greater(items[left], items[right]) {
        items.swap(left, right);
    }
}

fn median(call: &Call) -> Result {
    middle(call, false)
}

fn nanmedian(call: &Call) -> Result {
    middle(call, true)
}

fn middle(call: &Call, ignore_nan: bool) -> Result {
    let input = call.tensor("input")?;
    let Some(dim) = call.int("dim")? else {
        return Ok(middle_of_all(input, ignore_nan)?.into());
    };
    let dim = reduced_dim("median", input, dim)?;
    refuse_bool_and_uint32("median_out", input.dtype())?;
    if lines::length(input, dim) > 1 && input.strides().get(dim) == Some(&0) {
        // PyTorch takes such a line for a contiguous one and reads whatever lies behind it.
        return Err(Failure::Unsupported(format!("{}: along an expanded dimension", call.op)));
    }
    let keepdim = call.flag("keepdim")?;
    Ok(with_type!(input.dtype(), T => {
        pick_per_line(input, dim, keepdim, |line: &[T]| middle_of_line(line, ignore_nan))
    })
    .into())
}

fn middle_of_line<T: Element>(line: &[T], ignore_nan: bool) -> Keyed<T> {
    let mut line = keyed(line);
    let is_nan = |pair: &&Keyed<T>| pair.0.is_nan();
    if !ignore_nan && let Some(&first) = line.iter().find(is_nan) {
        return first;
    }
    let numbers = line.len() - line.iter().filter(is_nan).count();
    let nth = numbers.saturating_sub(1) / 2;
    introsort::nth_element(&mut line, nth, |a, b| below(a.0, b.0) || (a.0 == b.0 && a.1 < b.1));
    line.get(nth).copied().unwrap_or_default()
}

/// The median of everything. PyTorch partitions a copy in the order of its memory, which shows
/// in the sign of a zero.
fn middle_of_all(input: &Tensor, ignore_nan: bool) -> Result<Tensor> {
    if input.numel() == 0 {
        // Integers get what the conversion makes of NaN.
        return Ok(Tensor::full(&[], Scalar::Float(f64::NAN), input.dtype()));
    }
    refuse_bool_and_uint32("median_cpu", input.dtype())?;
    fn run<T: Element>(_: &[T], input: &Tensor, ignore_nan: bool) -> Tensor {
        let mut values = in_memory_order(input).values::<T>().into_owned();
        let nans = values.iter().filter(|value| value.is_nan()).count();
        if nans > 0 && !ignore_nan {
            return Tensor::full(&[], Scalar::Float(f64::NAN), T::DTYPE);
        }
        let nth = (values.len() - nans).saturating_sub(1) / 2;
        introsort::nth_element(&mut values, nth, below);
        Tensor::scalar(values.get(nth).copied().unwrap_or_default())
    }
    Ok(with_data!(input.storage(), data => run(data, input, ignore_nan)))
}

/// The view of a tensor whose row-major order is that in which a copy of it (`clone()`) lies in
/// memory.
fn in_memory_order(input: &Tensor) -> Tensor {
    let strides = if layout::is_dense(input.shape(), input.strides()) {
        input.strides().to_vec()
    } else {
        layout::dense_strides(input.shape(), input.strides())
    };
    let mut order: Vec<usize> = (0..input.dim()).collect();
    order.sort_by_key(|&d| std::cmp::Reverse(strides[d]));
    input.permuted(&order)
}

fn mode(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dim = reduced_dim("mode", input, call.int("dim")?.unwrap_or(-1))?;
    if input.dim() == 0 {
        return Ok((input.clone(), Tensor::scalar(0i64)).into());
    }
    if input.numel() > 0 {
        refuse_uint32("mode_cpu", input.dtype())?;
    }
    let keepdim = call.flag("keepdim")?;
    Ok(with_type!(input.dtype(), T => pick_per_line(input, dim, keepdim, most_frequent::<T>)).into())
}

/// The last element of the longest run after sorting, of several the first run. NaN stands for no
/// order and no equality here, so it forms runs of one wherever the sort leaves it.
fn most_frequent<T: Element>(line: &[T]) -> Keyed<T> {
    let mut line = keyed(line);
    introsort::sort(&mut line, |a, b| a.0 < b.0);
    let runs = line.chunk_by(|a, b| a.0 == b.0);
    let longest = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
    longest.and_then(|run| run.last()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quickselect_finds_the_same_values_as_sorting() {
        let mut state = 1u64;
        for length in (1..40).chain([100, 1000]) {
            let mut draw = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % 7
            };
            let items: Vec<u64> = (0..length).map(|_| draw()).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            for nth in [0, length / 2, length - 1] {
                let mut selected = items.clone();
                quick_select(&mut selected, nth, |a, b| a > b);
                assert_eq!(selected[nth], expected[nth]);
            }
        }
    }

    #[test]
    fn middles() {
        let nan = f32::NAN;
        assert_eq!(middle_of_line(&[3.0f32, 1.0, 2.0, 1.0], false), (1.0, 3));
        assert_eq!(middle_of_line(&[nan, 2.0, nan, 1.0], true), (1.0, 3));
        assert_eq!(middle_of_line(&[1.0f32, nan, nan], false).1, 1);
        assert_eq!(middle_of_line(&[nan, nan, nan], true).1, 0);
    }

    #[test]
    fn the_mode_is_the_least_of_the_most_frequent() {
        assert_eq!(most_frequent(&[2, 1, 2, 1, 3]), (1, 3));
        assert_eq!(most_frequent(&[f32::NAN, 1.0, 1.0, f32::NAN]), (1.0, 2));
    }
}
