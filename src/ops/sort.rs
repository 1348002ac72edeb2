//! Sorting: `sort`, `argsort`, `msort`, `topk`.
//!
//! | op | accepts | results |
//! |---|---|---|
//! | `sort` | every dtype | values and int64 indices |
//! | `argsort` | every dtype | the indices of `sort` |
//! | `msort` | every dtype | the values of `sort` along the first dimension |
//! | `topk` | every dtype but bool and uint32 | the first `k` of a descending (ascending) order and their indices |
//!
//! NaN is greater than every number, and -0 equals +0. `stable=True` keeps equal elements in
//! their order. Else PyTorch promises none; its order, followed here, is that of the C++ library
//! ([`introsort`]).

use super::autograd::{Gradients, Pass};
use super::call::{Call, Failure, Result, Value, refuse_uint32};
use super::numerics::introsort;
use super::selection::kept_backward;
use super::tape::{self, Argument};
use super::{Backward, Op};
use super::{dims, lines};
use crate::tensor::{DType, Element, Tensor};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "sort",
        parameters: &["input", "dim", "descending", "stable"],
        forward: sort,
        backward: Backward::Rule(kept_backward),
    },
    Op {
        name: "argsort",
        parameters: &["input", "dim", "descending", "stable"],
        forward: argsort,
        backward: Backward::Never,
    },
    Op { name: "msort", parameters: &["input"], forward: msort, backward: Backward::Rule(msort_backward) },
    Op {
        name: "topk",
        parameters: &["input", "k", "dim", "largest", "sorted"],
        forward: topk,
        backward: Backward::Rule(kept_backward),
    },
];

/// An element and its position on the line.
pub(crate) type Keyed<T> = (T, i64);

/// The elements of a line with their positions.
pub(crate) fn keyed<T: Copy>(line: &[T]) -> Vec<Keyed<T>> {
    line.iter().copied().zip(0..).collect()
}

/// Whether `a` comes before `b` in ascending order, where NaN is the greatest.
pub(crate) fn below<T: Element>(a: T, b: T) -> bool {
    (!a.is_nan() && b.is_nan()) || a < b
}

/// One-dimensional integers from this length on are sorted ascending by a radix sort, which is
/// stable (`SortingKernel.cpp`).
const RADIX_SORT: usize = 32_768;

/// In which way a line is sorted.
#[derive(Clone, Copy)]
struct Order {
    descending: bool,
    stable: bool,
}

fn sort(call: &Call) -> Result {
    let order = Order { descending: call.flag("descending")?, stable: call.flag("stable")? };
    Ok(sorted(call, call.int("dim")?.unwrap_or(-1), order)?.into())
}

fn argsort(call: &Call) -> Result {
    let order = Order { descending: call.flag("descending")?, stable: call.flag("stable")? };
    Ok(sorted(call, call.int("dim")?.unwrap_or(-1), order)?.1.into())
}

fn msort(call: &Call) -> Result {
    Ok(sorted(call, 0, Order { descending: false, stable: false })?.0.into())
}

/// That of `sort` along the first dimension, whose indices `msort` does not return.
fn msort_backward(pass: &Pass) -> Result<Gradients> {
    tape::composed(pass, |tape, arguments| {
        let dim = Argument::Value(Value::from(0));
        let mut outputs = tape.call("sort", [("input", arguments["input"].clone()), ("dim", dim)])?;
        outputs.truncate(1);
        Ok(outputs)
    })
}

fn sorted(call: &Call, dim: i64, order: Order) -> Result<(Tensor, Tensor)> {
    let input = call.tensor("input")?;
    let dim = dims::wrap(dim, input.dim())?;
    // Equal elements all the same, PyTorch does not even look at them.
    let repeated = input.strides().get(dim) == Some(&0);
    let radix = input.dim() == 1
        && input.numel() >= RADIX_SORT
        && !order.descending
        && !input.dtype().is_floating()
        && input.dtype() != DType::Bool;
    if radix && !repeated {
        refuse_uint32("parallel_sort1d_kernel", input.dtype())?;
    }
    let order = Order { stable: order.stable || repeated || radix, ..order };
    Ok(with_type!(input.dtype(), T => sorted_lines::<T>(input, dim, order)))
}

fn sorted_lines<T: Element>(input: &Tensor, dim: usize, order: Order) -> (Tensor, Tensor) {
    let mut pairs: Vec<Keyed<T>> = Vec::with_capacity(input.numel());
    for line in lines::read::<T>(input, dim).chunks(lines::length(input, dim).max(1)) {
        let mut line = keyed(line);
        order_line(&mut line, order);
        pairs.extend(line);
    }
    unzipped(input.shape(), dim, pairs)
}

fn order_line<T: Element>(line: &mut [Keyed<T>], Order { descending, stable }: Order) {
    let ascending = |a: Keyed<T>, b: Keyed<T>| below(a.0, b.0);
    match (stable, descending) {
        (true, false) => line.sort_by(|&a, &b| ascending(b, a).cmp(&ascending(a, b))),
        (true, true) => line.sort_by(|&a, &b| ascending(a, b).cmp(&ascending(b, a))),
        (false, false) => introsort::sort(line, ascending),
        (false, true) => introsort::sort(line, above),
    }
}

/// Whether `a` comes before `b` in descending order.
fn above<T: Element>(a: Keyed<T>, b: Keyed<T>) -> bool {
    (a.0.is_nan() && !b.0.is_nan()) || a.0 > b.0
}

/// Values and indices, given line by line, as tensors of a shape.
fn unzipped<T: Element>(shape: &[usize], dim: usize, pairs: Vec<Keyed<T>>) -> (Tensor, Tensor) {
    let (values, indices) = pairs.into_iter().unzip();
    (lines::write::<T>(shape, dim, values), lines::write::<i64>(shape, dim, indices))
}

fn topk(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let dim = dims::wrap(call.int("dim")?.unwrap_or(-1), input.dim())?;
    let length = lines::length(input, dim);
    let k = match usize::try_from(call.required_int("k")?) {
        Ok(k) if k <= length => k,
        _ => return Err(Failure::runtime("selected index k out of range")),
    };
    if input.dtype() == DType::Bool {
        return Err(Failure::not_implemented("topk does not support bool dtypes on CPU"));
    }
    if input.dim() == 0 {
        return Ok((input.clone(), Tensor::scalar(0i64)).into());
    }
    refuse_uint32("topk_cpu", input.dtype())?;
    let (largest, sorted) = (on_by_default(call, "largest")?, on_by_default(call, "sorted")?);
    Ok(with_type!(input.dtype(), T => top_of_lines::<T>(input, dim, k, largest, sorted)).into())
}

fn on_by_default(call: &Call, parameter: &str) -> Result<bool> {
    if call.get(parameter).is_none() { Ok(true) } else { call.flag(parameter) }
}

/// The first `k` of every line: sorted out of a heap where `k` is small beside the line (then in
/// order even if that was not asked for), else by selection of the last of them (`TopKImpl.h`).
fn top_of_lines<T: Element>(
    input: &Tensor,
    dim: usize,
    k: usize,
    largest: bool,
    sorted: bool,
) -> (Tensor, Tensor) {
    let length = lines::length(input, dim);
    let before = |a: Keyed<T>, b: Keyed<T>| if largest { above(a, b) } else { below(a.0, b.0) };
    let mut pairs: Vec<Keyed<T>> = Vec::new();
    for line in lines::read::<T>(input, dim).chunks(length.max(1)).filter(|_| k > 0) {
        let mut line = keyed(line);
        if k * 64 <= length {
            introsort::partial_sort(&mut line, k, before);
        } else {
            introsort::nth_element(&mut line, k - 1, before);
            if sorted {
                introsort::sort(&mut line[..k - 1], before);
            }
        }
        pairs.extend(&line[..k]);
    }
    unzipped(&lines::resized(input.shape(), dim, k), dim, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_the_greatest_and_zeros_are_equal() {
        let mut line = keyed(&[f32::NAN, 0.0, -0.0, 1.0]);
        order_line(&mut line, Order { descending: true, stable: true });
        assert_eq!(line.iter().map(|pair| pair.1).collect::<Vec<_>>(), [0, 3, 1, 2]);
        order_line(&mut line, Order { descending: false, stable: true });
        assert_eq!(line.iter().map(|pair| pair.1).collect::<Vec<_>>(), [1, 2, 3, 0]);
    }

    #[test]
    fn long_integers_are_sorted_by_a_stable_radix_sort() {
        let sorted = |dtype: DType| {
            let input = Tensor::new(&[RADIX_SORT], (0..RADIX_SORT as i64).map(|i| i * 7 % 5).collect());
            let args = [("input".to_string(), crate::ops::Value::Tensor(input.unwrap().to_dtype(dtype)))];
            argsort(&Call { op: "argsort".into(), args: args.into_iter().collect() })
        };
        let indices = sorted(DType::Int64).unwrap();
        assert_eq!(indices.outputs[0].values::<i64>()[..4], [0, 5, 10, 15]);
        let refusal = sorted(DType::UInt32).unwrap_err();
        assert_eq!(refusal, Failure::no_kernel("parallel_sort1d_kernel", DType::UInt32));
    }
}
