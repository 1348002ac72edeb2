//! Answers that differ from PyTorch's and are as right, where PyTorch leaves the answer open.
//!
//! Which of equal elements an index names is promised by neither PyTorch's documentation nor its
//! code for these results:
//!
//! | op | open | when |
//! |---|---|---|
//! | `sort`, `argsort` | the order of equal elements | unless `stable=True` |
//! | `topk` | which of equal elements are named, and in which order | always |
//! | `topk` | the order of everything | `sorted=False` |
//! | `kthvalue`, `median`, `nanmedian`, `mode` | which of equal elements is named | along a dimension |
//!
//! An index is as right as PyTorch's where it lies inside, names an element that is identical to
//! the value returned beside it (a NaN is a NaN, zeros are equal), and names none twice on its
//! line, so that the indices of a `sort` are a permutation. An `argsort` has no values: each of
//! its indices has to name an element identical to the one that PyTorch's index names. The values
//! themselves stay under the ordinary rule (so the sign of a zero is PyTorch's); those of
//! `topk(sorted=False)` line by line as a multiset. PyTorch's recorded indices have to pass the
//! same test, or no engine can agree with a damaged record.
//!
//! This is no tolerance: nothing that PyTorch promises is loosened, and `--strict` changes
//! nothing here.

use std::cmp::Ordering;

use crate::ops::{Call, Value};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// What a verdict says of such an answer.
pub(crate) const NOTE: &str = "valid: another of equal elements";

/// What a call leaves open.
struct Open {
    /// The dimension along which indices count.
    dim: i64,
    /// The values may come in any order.
    unordered: bool,
}

impl Open {
    fn of(call: &Call) -> Option<Open> {
        let on = |parameter| matches!(call.get(parameter), Some(Value::Scalar(Scalar::Bool(true))));
        let dim = match call.get("dim") {
            Some(Value::Scalar(Scalar::Int(dim))) => Some(*dim),
            _ => None,
        };
        match call.op.as_str() {
            "sort" | "argsort" if on("stable") => None,
            "sort" | "argsort" | "kthvalue" | "mode" => {
                Some(Open { dim: dim.unwrap_or(-1), unordered: false })
            }
            "topk" => {
                let unordered = call.get("sorted").is_some() && !on("sorted");
                Some(Open { dim: dim.unwrap_or(-1), unordered })
            }
            "median" | "nanmedian" => Some(Open { dim: dim?, unordered: false }),
            _ => None,
        }
    }
}

/// An engine's outputs brought into PyTorch's order, with PyTorch's indices, where its own
/// indices differ and are as right. Then only the values are left to be compared. `None` where
/// nothing is open, nothing differs, or the indices are wrong.
pub(crate) fn aligned(call: &Call, expected: &[Tensor], got: &[Tensor]) -> Option<Vec<Tensor>> {
    let open = Open::of(call)?;
    let Some(Value::Tensor(input)) = call.get("input") else {
        return None;
    };
    let comparable = |(a, b): (&Tensor, &Tensor)| a.dtype() == b.dtype() && a.shape() == b.shape();
    if expected.len() != got.len() || !expected.iter().zip(got).all(comparable) {
        return None;
    }
    let (values, got_values, indices, got_indices) = match (expected, got) {
        ([indices], [got_indices]) => (None, None, indices, got_indices),
        ([values, indices], [got_values, got_indices]) if values.dtype() == input.dtype() => {
            (Some(values), Some(got_values), indices, got_indices)
        }
        _ => return None,
    };
    if indices.dtype() != DType::Int64 {
        return None;
    }
    let (indices, got_indices) = (indices.values::<i64>(), got_indices.values::<i64>());
    if indices == got_indices {
        return None;
    }
    let lines = Lines::new(input.shape(), open.dim, indices.len())?;
    with_type!(input.dtype(), T => {
        let input = input.values::<T>();
        let source = Source { lines, input: &input };
        match (values, got_values) {
            (Some(values), Some(got_values)) => {
                let (wanted, got_wanted) = (values.values::<T>(), got_values.values::<T>());
                source.names(&indices, |at| wanted.get(at).copied())?;
                source.names(&got_indices, |at| got_wanted.get(at).copied())?;
                let ordered = match open.unordered {
                    true => lines.in_order_of(&wanted, &got_wanted)?,
                    false => got_wanted.into_owned(),
                };
                let ordered = Tensor::new(values.shape(), ordered).ok()?;
                Some(vec![ordered, expected.last()?.clone()])
            }
            _ => {
                let wanted = |at| source.element(&indices, at);
                source.names(&indices, wanted)?;
                source.names(&got_indices, wanted)?;
                Some(expected.to_vec())
            }
        }
    })
}

/// A shape around one of its dimensions, and how many results each line along it has.
#[derive(Clone, Copy)]
struct Lines {
    outer: usize,
    size: usize,
    inner: usize,
    results: usize,
}

impl Lines {
    fn new(shape: &[usize], dim: i64, results: usize) -> Option<Lines> {
        let rank = shape.len().max(1) as i64;
        let dim = usize::try_from(if dim < 0 { dim + rank } else { dim }).ok()?;
        let shape = if shape.is_empty() { &[1] } else { shape };
        let (outer, inner): (usize, usize) =
            (shape.get(..dim)?.iter().product(), shape.get(dim + 1..)?.iter().product());
        let lines = outer * inner;
        let results = results.checked_div(lines).filter(|each| each * lines == results)?;
        Some(Lines { outer, size: shape[dim], inner, results })
    }

    /// The positions of every line's results in a row-major tensor of them.
    fn each(self) -> impl Iterator<Item = Vec<usize>> {
        let line = move |outer: usize, inner: usize| {
            (0..self.results).map(move |i| (outer * self.results + i) * self.inner + inner).collect()
        };
        (0..self.outer).flat_map(move |outer| (0..self.inner).map(move |inner| line(outer, inner)))
    }

    /// The engine's values with those of every line in the order of PyTorch's: the least where
    /// PyTorch has its least, and so on.
    fn in_order_of<T: Element>(self, expected: &[T], got: &[T]) -> Option<Vec<T>> {
        let mut ordered = got.to_vec();
        for line in self.each() {
            let ranked = |values: &[T]| {
                let mut line = line.clone();
                line.sort_by(|&a, &b| total_order(values.get(a), values.get(b)));
                line
            };
            for (to, from) in ranked(expected).into_iter().zip(ranked(got)) {
                *ordered.get_mut(to)? = *got.get(from)?;
            }
        }
        Some(ordered)
    }
}

/// An order in which only identical values are equal.
fn total_order<T: Element>(a: Option<&T>, b: Option<&T>) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else {
        return Ordering::Equal;
    };
    let negative = |x: &T| x.to_scalar().to_f64().is_sign_negative();
    a.is_nan()
        .cmp(&b.is_nan())
        .then(a.partial_cmp(b).unwrap_or(Ordering::Equal))
        .then_with(|| if a.is_nan() { Ordering::Equal } else { negative(b).cmp(&negative(a)) })
}

/// What the indices name elements of.
#[derive(Clone, Copy)]
struct Source<'a, T> {
    lines: Lines,
    input: &'a [T],
}

impl<T: Element> Source<'_, T> {
    /// The element that the index at a position of the results names, if it is inside.
    fn element(self, indices: &[i64], at: usize) -> Option<T> {
        let Lines { size, inner, results, .. } = self.lines;
        let index = usize::try_from(*indices.get(at)?).ok().filter(|&index| index < size)?;
        let outer = at.checked_div(inner * results)?;
        self.input.get((outer * size + index) * inner + at.checked_rem(inner)?).copied()
    }

    /// Whether every index names what it should, and none does twice on its line.
    fn names(self, indices: &[i64], wanted: impl Fn(usize) -> Option<T>) -> Option<()> {
        for line in self.lines.each() {
            let mut seen = vec![false; self.lines.size];
            for at in line {
                let (named, wanted) = (self.element(indices, at)?, wanted(at)?);
                let index = usize::try_from(*indices.get(at)?).ok()?;
                let same = named == wanted || (named.is_nan() && wanted.is_nan());
                if !same || std::mem::replace(seen.get_mut(index)?, true) {
                    return None;
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f32 = f32::NAN;

    fn call(op: &str, input: &Tensor, args: &[(&str, Scalar)]) -> Call {
        let args = args.iter().map(|&(name, scalar)| (name.to_string(), Value::Scalar(scalar)));
        let input = [("input".to_string(), Value::Tensor(input.clone()))];
        Call { op: op.into(), args: input.into_iter().chain(args).collect() }
    }

    fn floats(shape: &[usize], data: &[f32]) -> Tensor {
        Tensor::new(shape, data.to_vec()).unwrap()
    }

    fn indices(shape: &[usize], data: &[i64]) -> Tensor {
        Tensor::new(shape, data.to_vec()).unwrap()
    }

    /// Whether indices beside PyTorch's values are as right as PyTorch's indices.
    fn valid(call: &Call, values: &Tensor, expected: &[i64], got: &[i64]) -> bool {
        let outputs = |data: &[i64]| [values.clone(), indices(values.shape(), data)];
        aligned(call, &outputs(expected), &outputs(got)).is_some()
    }

    #[test]
    fn an_unstable_sort_may_swap_equals_and_nothing_else() {
        let input = floats(&[5], &[1.0, NAN, 1.0, 0.0, NAN]);
        let values = floats(&[5], &[0.0, 1.0, 1.0, NAN, NAN]);
        let unstable = call("sort", &input, &[]);
        let expected = [3, 0, 2, 1, 4];
        assert!(valid(&unstable, &values, &expected, &[3, 2, 0, 1, 4]));
        assert!(valid(&unstable, &values, &expected, &[3, 2, 0, 4, 1]));
        for wrong in [
            [3, 0, 0, 1, 4],  // twice
            [0, 3, 2, 1, 4],  // another value
            [3, 0, 1, 2, 4],  // NaN for a number
            [3, 0, 2, 1, 5],  // outside
            [-2, 0, 2, 1, 4], // wrapped
            [3, 0, 2, 1, -1], // wrapped
            [i64::MIN; 5],
        ] {
            assert!(!valid(&unstable, &values, &expected, &wrong), "{wrong:?}");
            // A damaged record is no better.
            assert!(!valid(&unstable, &values, &wrong, &expected), "{wrong:?}");
        }
        let stable = call("sort", &input, &[("stable", Scalar::Bool(true))]);
        assert!(!valid(&stable, &values, &expected, &[3, 2, 0, 1, 4]));
        let unspecified = call("sort", &input, &[("stable", Scalar::Bool(false))]);
        assert!(valid(&unspecified, &values, &expected, &[3, 2, 0, 1, 4]));
    }

    #[test]
    fn an_argsort_is_checked_against_what_the_indices_name() {
        let input = floats(&[2, 2], &[1.0, 0.0, 1.0, -0.0]);
        let first_dim = call("argsort", &input, &[("dim", Scalar::Int(0))]);
        let ours = |data: &[i64]| [indices(&[2, 2], data)];
        assert!(aligned(&first_dim, &ours(&[0, 0, 1, 1]), &ours(&[1, 1, 0, 0])).is_some());
        assert!(aligned(&first_dim, &ours(&[0, 0, 1, 1]), &ours(&[0, 1, 0, 0])).is_none());
        let last_dim = call("argsort", &input, &[]);
        assert!(aligned(&last_dim, &ours(&[1, 0, 1, 0]), &ours(&[0, 1, 1, 0])).is_none());
    }

    #[test]
    fn an_unordered_topk_is_a_multiset() {
        let input = floats(&[4], &[2.0, 3.0, 3.0, 1.0]);
        let unordered = call("topk", &input, &[("sorted", Scalar::Bool(false)), ("k", Scalar::Int(3))]);
        let expected = [floats(&[3], &[3.0, 3.0, 2.0]), indices(&[3], &[2, 1, 0])];
        let got = [floats(&[3], &[2.0, 3.0, 3.0]), indices(&[3], &[0, 1, 2])];
        let ordered = aligned(&unordered, &expected, &got).unwrap();
        assert_eq!(*ordered[0].values::<f32>(), [3.0, 3.0, 2.0]);
        assert_eq!(*ordered[1].values::<i64>(), [2, 1, 0]);
        // Right indices of a wrong choice: the values are left to the ordinary rule.
        let worse = [floats(&[3], &[2.0, 3.0, 1.0]), indices(&[3], &[0, 1, 3])];
        assert_eq!(*aligned(&unordered, &expected, &worse).unwrap()[0].values::<f32>(), [2.0, 3.0, 1.0]);
        // In order, values have to be where PyTorch has them.
        let ordered = call("topk", &input, &[("k", Scalar::Int(3))]);
        assert_eq!(*aligned(&ordered, &expected, &got).unwrap()[0].values::<f32>(), [2.0, 3.0, 3.0]);
    }

    #[test]
    fn one_index_per_line_may_name_another_equal() {
        let input = floats(&[2, 3], &[1.0, 1.0, 2.0, NAN, 5.0, NAN]);
        let values = floats(&[2], &[1.0, NAN]);
        let along = call("median", &input, &[("dim", Scalar::Int(1))]);
        assert!(valid(&along, &values, &[1, 0], &[0, 2]));
        assert!(!valid(&along, &values, &[1, 0], &[2, 0]));
        assert!(!valid(&along, &values, &[1, 0], &[1, 1]));
        // Without a dimension there is no index, and other ops promise theirs.
        assert!(!valid(&call("median", &input, &[]), &values, &[1, 0], &[0, 2]));
        assert!(!valid(&call("max", &input, &[("dim", Scalar::Int(1))]), &values, &[1, 0], &[0, 2]));
    }

    #[test]
    fn other_shapes_and_dtypes_are_left_to_the_judge() {
        let input = floats(&[2], &[1.0, 1.0]);
        let sort = call("sort", &input, &[]);
        let expected = [input.clone(), indices(&[2], &[0, 1])];
        assert!(aligned(&sort, &expected, &[input.clone(), indices(&[1, 2], &[1, 0])]).is_none());
        assert!(aligned(&sort, &expected, std::slice::from_ref(&input)).is_none());
        assert!(aligned(&sort, &expected, &[input.clone(), floats(&[2], &[1.0, 0.0])]).is_none());
        assert!(aligned(&sort, &expected, &expected).is_none());
    }
}
