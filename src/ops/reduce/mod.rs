//! Reductions to one value per output.
//!
//! | op | accepts | result dtype | order |
//! |---|---|---|---|
//! | `sum`, `nansum` | every dtype | `dtype`, else int64 for integers and bool | cascade ([`numerics`](super::numerics)) |
//! | `mean`, `nanmean` | floats, or `dtype=` a float | the float type | cascade, then one division |
//! | `sum_of_squares` | every dtype | as `sum` | squares rounded to the dtype, then as `sum` |
//! | `prod` | every dtype | as `sum` | vectorised fold |
//! | `stable_prod` | every dtype | as `sum` | row-major, mantissa and exponent apart |
//! | `var`, `std` | floats | the float type | float64: two-pass over everything, Welford per output |
//! | `var_mean`, `std_mean` | floats | the float type, twice | float64: Welford per output |
//! | `amax`, `amin` | every dtype but uint32 | the same | vectorised fold |
//! | `aminmax` | every dtype but uint32 | the same, twice | shows in the sign of a zero only |
//! | `any`, `all` | every dtype | that of `out`, else bool; uint8 for uint8 | none |
//! | `count_nonzero` | every dtype (uint32 along dims only) | int64 | none |
//! | `norm`, `linalg.vector_norm` | floats | `dtype`, else the same | see [`norm`] |
//!
//! Every float result equals PyTorch's bit for bit.

use super::call::{Call, Result};
use super::dims;
use super::numerics::iterator::Walk;
use super::{Backward, Op};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_data;

/// Runs one generic expression on the elements of a floating tensor.
macro_rules! with_float {
    ($tensor:expr, $data:ident => $body:expr, _ => $otherwise:expr) => {
        match $tensor.storage() {
            $crate::tensor::Storage::Float64($data) => $body,
            $crate::tensor::Storage::Float32($data) => $body,
            $crate::tensor::Storage::Float16($data) => $body,
            $crate::tensor::Storage::BFloat16($data) => $body,
            _ => $otherwise,
        }
    };
}

mod extremes;
mod logic;
mod moments;
mod norm;
mod products;
mod sums;

/// The ops of this family.
#[rustfmt::skip] // One line each.
pub(crate) const OPS: &[Op] = &[
    Op { name: "sum", parameters: &["input", "dim", "keepdim", "dtype"], forward: sums::sum, backward: Backward::Rule(sums::sum_backward) },
    Op { name: "nansum", parameters: &["input", "dim", "keepdim", "dtype"], forward: sums::nansum, backward: Backward::Rule(sums::nansum_backward) },
    Op { name: "mean", parameters: &["input", "dim", "keepdim", "dtype"], forward: sums::mean, backward: Backward::Rule(sums::mean_backward) },
    Op { name: "nanmean", parameters: &["input", "dim", "keepdim", "dtype"], forward: sums::nanmean, backward: Backward::Rule(sums::nanmean_backward) },
    Op { name: "sum_of_squares", parameters: &["input", "dim", "keepdim"], forward: sums::sum_of_squares, backward: Backward::Rule(sums::sum_of_squares_backward) },
    Op { name: "prod", parameters: &["input", "dim", "keepdim", "dtype"], forward: products::prod, backward: Backward::Rule(products::prod_backward) },
    Op { name: "stable_prod", parameters: &["input", "dim", "keepdim"], forward: products::stable_prod, backward: Backward::Rule(products::stable_prod_backward) },
    Op { name: "var", parameters: moments::PARAMETERS, forward: moments::var, backward: Backward::Rule(moments::var_backward) },
    Op { name: "std", parameters: moments::PARAMETERS, forward: moments::std, backward: Backward::Rule(moments::std_backward) },
    Op { name: "var_mean", parameters: moments::PARAMETERS, forward: moments::var_mean, backward: Backward::Rule(moments::var_mean_backward) },
    Op { name: "std_mean", parameters: moments::PARAMETERS, forward: moments::std_mean, backward: Backward::Rule(moments::std_mean_backward) },
    Op { name: "amax", parameters: &["input", "dim", "keepdim"], forward: extremes::amax, backward: Backward::Rule(extremes::amax_backward) },
    Op { name: "amin", parameters: &["input", "dim", "keepdim"], forward: extremes::amin, backward: Backward::Rule(extremes::amax_backward) },
    Op { name: "aminmax", parameters: &["input", "dim", "keepdim"], forward: extremes::aminmax, backward: Backward::Rule(extremes::aminmax_backward) },
    Op { name: "any", parameters: &["input", "dim", "keepdim", "out"], forward: logic::any, backward: Backward::Never },
    Op { name: "all", parameters: &["input", "dim", "keepdim", "out"], forward: logic::all, backward: Backward::Never },
    Op { name: "count_nonzero", parameters: &["input", "dim"], forward: logic::count_nonzero, backward: Backward::Never },
    Op { name: "norm", parameters: &["input", "p", "dim", "keepdim", "dtype"], forward: norm::norm, backward: Backward::Rule(norm::norm_backward) },
    Op { name: "linalg.vector_norm", parameters: norm::VECTOR_NORM, forward: norm::vector_norm, backward: Backward::Rule(norm::vector_norm_backward) },
];

/// What is reduced, and the shape that is left.
struct Plan {
    reduced: Vec<bool>,
    keepdim: bool,
    shape: Vec<usize>,
}

impl Plan {
    /// The plan of a call with `dim` and `keepdim`; no dims, or an empty list, are all of them.
    /// A dim out of range is refused before one that is named twice.
    fn new(call: &Call, input: &Tensor) -> Result<Plan> {
        for dim in call.ints("dim")?.into_iter().flatten() {
            dims::wrap(dim, input.dim())?;
        }
        Plan::one_by_one(call, input)
    }

    /// As [`Plan::new`] for the ops that check each dim in full before the next.
    fn one_by_one(call: &Call, input: &Tensor) -> Result<Plan> {
        Plan::over(dims::mask(call.ints("dim")?.as_deref(), input.dim())?, call, input)
    }

    /// The plan that reduces the marked dimensions.
    fn over(reduced: Vec<bool>, call: &Call, input: &Tensor) -> Result<Plan> {
        let keepdim = call.flag("keepdim")?;
        let shape = dims::reduced_shape(input.shape(), &reduced, keepdim);
        Ok(Plan { reduced, keepdim, shape })
    }

    /// Every dimension, with nothing left of the shape.
    fn everything(input: &Tensor) -> Plan {
        Plan { reduced: vec![true; input.dim()], keepdim: false, shape: Vec::new() }
    }

    /// How many results there are.
    fn outputs(&self) -> usize {
        self.shape.iter().product()
    }

    /// How many elements each result reduces; 0 where there is no result.
    fn count(&self, input: &Tensor) -> usize {
        input.numel().checked_div(self.outputs()).unwrap_or(0)
    }

    fn walk(&self, input: &Tensor) -> Walk {
        let walk = if self.keepdim { Walk::reduction_keeping_dims } else { Walk::reduction };
        walk(input, &self.reduced)
    }

    /// The view in which each output's inputs are one row: kept dimensions first, and within
    /// both kinds in the input's order.
    fn rows(&self, input: &Tensor) -> Tensor {
        let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..input.dim()).partition(|&dim| self.reduced[dim]);
        input.permuted(&[kept, reduced].concat())
    }

    /// A tensor in the order of [`Plan::rows`] as one in the input's.
    fn rows_back(&self, rows: &Tensor) -> Tensor {
        let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..rows.dim()).partition(|&dim| self.reduced[dim]);
        let mut back = vec![0; rows.dim()];
        for (place, dim) in kept.into_iter().chain(reduced).enumerate() {
            back[dim] = place;
        }
        rows.permuted(&back)
    }

    /// Runs a kernel on outputs that start at `identity`.
    fn run<T: Element>(&self, identity: T, kernel: impl FnOnce(&mut [T])) -> Tensor {
        let mut output = vec![identity; self.outputs()];
        kernel(&mut output);
        Tensor::collect(&self.shape, output)
    }

    /// Folds each output's inputs, for folds whose order does not show.
    fn fold<A: Element>(&self, input: &Tensor, identity: A, f: impl Fn(A, Scalar) -> A) -> Tensor {
        let walk = self.walk(input);
        with_data!(input.storage(), data => self.run(identity, |output| {
            let step = |folded, x: _| f(folded, Element::to_scalar(x));
            walk.fold_outputs(data, identity, step, |place, folded| output[place] = folded);
        }))
    }
}

/// The input in the type in which it is accumulated: the given one, else int64 for integers and
/// bool.
fn accumulated(call: &Call) -> Result<Tensor> {
    let input = call.tensor("input")?;
    let own = input.dtype();
    let default = if own.is_floating() { own } else { DType::Int64 };
    Ok(input.to_dtype(call.dtype("dtype")?.unwrap_or(default)))
}

/// What belongs to the results, a gradient or the results themselves, with the reduced dimensions
/// back at size 1, so that it broadcasts to the input. Without dims it stays 0-d.
fn unreduced(call: &Call, results: &Tensor) -> Result<Tensor> {
    let input = call.tensor("input")?;
    let dims = call.ints("dim")?.unwrap_or_default();
    if dims.is_empty() || input.dim() == 0 || call.flag("keepdim")? {
        return Ok(results.clone());
    }
    let mask = dims::mask(Some(&dims), input.dim())?;
    Ok(results.reshaped(&dims::reduced_shape(input.shape(), &mask, true)))
}

/// How many elements each result reduces, by the sizes of the dims alone; without dims, all.
fn reduced_count(call: &Call) -> Result<usize> {
    let input = call.tensor("input")?;
    let mask = dims::mask(call.ints("dim")?.as_deref(), input.dim())?;
    Ok(input.shape().iter().zip(mask).filter(|(_, reduced)| *reduced).map(|(size, _)| size).product())
}

/// Integers wrap in any order and at any time, so both are free; a bool is true where the folded
/// count is not 0.
fn fold_integers(input: &Tensor, plan: &Plan, identity: i64, f: fn(i64, i64) -> i64) -> Tensor {
    plan.fold(input, identity, |folded, x| f(folded, x.to_i64())).to_dtype(input.dtype())
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::super::call::{Failure, Value};
    use super::*;

    fn run(op: &str, input: &Tensor, args: &[(&str, Value)]) -> Result<Vec<Tensor>> {
        let args = args.iter().map(|(name, value)| (name.to_string(), value.clone()));
        let args = args.chain([("input".to_string(), Value::Tensor(input.clone()))]).collect();
        super::super::run(&Call { op: op.to_string(), args }).map(|returned| returned.outputs)
    }

    fn value(op: &str, input: &Tensor, args: &[(&str, Value)]) -> Scalar {
        run(op, input, args).unwrap()[0].scalars().next().unwrap()
    }

    #[test]
    fn nan_counts_as_zero_and_infinity_as_the_largest_integer_source() {
        let x = Tensor::new(&[3], [f64::NAN, 2.75, f64::INFINITY].map(f16::from_f64).to_vec()).unwrap();
        assert_eq!(value("nansum", &x, &[]), Scalar::Float(f64::INFINITY));
        let int64 = ("dtype", Value::Str("int64".into()));
        assert_eq!(value("nansum", &x, &[int64]), Scalar::Int(65506));
    }

    #[test]
    fn squares_are_rounded_before_they_are_added() {
        let x = Tensor::new(&[2], [300.0, 1.0].map(f16::from_f32).to_vec()).unwrap();
        assert_eq!(value("sum_of_squares", &x, &[]), Scalar::Float(f64::INFINITY));
        let x = Tensor::new(&[2], vec![100i8, 2]).unwrap();
        assert_eq!(value("sum_of_squares", &x, &[]), Scalar::Int(16 + 4));
    }

    #[test]
    fn an_empty_list_of_dims_reduces_nothing_in_any_and_everything_elsewhere() {
        let x = Tensor::new(&[2, 2], vec![0u8, 7, 0, 1]).unwrap();
        let none = [("dim", Value::List(Vec::new()))];
        let any = &run("any", &x, &none).unwrap()[0];
        assert_eq!((any.dtype(), any.shape()), (DType::UInt8, &[2, 2][..]));
        assert_eq!(*any.values::<u8>(), [0, 1, 0, 1]);
        assert_eq!(value("count_nonzero", &x, &none), Scalar::Int(2));
    }

    #[test]
    fn an_output_without_a_cotangent_takes_no_part_in_the_gradient() {
        let x = Tensor::new(&[3], vec![1.0f32, 3.0, 3.0]).unwrap();
        let gradient = |op: &str, cotangents: [Option<f32>; 2]| {
            let args = [("input".to_string(), Value::Tensor(x.clone()))].into_iter().collect();
            let call = Call { op: op.to_string(), args };
            let outputs = super::super::run(&call).unwrap().outputs;
            let cotangents = cotangents.map(|cotangent| cotangent.map(Tensor::scalar));
            let gradients = super::super::backward(&call, &outputs, &cotangents, &["input".to_string()]);
            gradients.unwrap()["input"][0].clone().unwrap().values::<f32>().into_owned()
        };
        assert_eq!(gradient("aminmax", [None, Some(1.0)]), [0.0, 0.5, 0.5]);
        assert_eq!(gradient("aminmax", [Some(1.0), None]), [1.0, 0.0, 0.0]);
        assert_eq!(gradient("var_mean", [None, Some(3.0)]), [1.0, 1.0, 1.0]);
        assert_eq!(gradient("std_mean", [None, Some(3.0)]), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn dims_are_checked_all_at_once_or_one_by_one() {
        let x = Tensor::new(&[1, 1], vec![1.0f32]).unwrap();
        let dims = [0, 0, 9].map(|dim| Value::Scalar(Scalar::Int(dim))).to_vec();
        let dims = [("dim", Value::List(dims))];
        assert!(run("sum", &x, &dims).is_err_and(|failure| failure == dims::wrap(9, 2).unwrap_err()));
        let twice = Failure::runtime("dim 0 appears multiple times in the list of dims");
        assert_eq!(run("var", &x, &dims).unwrap_err(), twice);
    }

    #[test]
    fn the_norm_of_single_elements_is_their_magnitude() {
        let x = Tensor::new(&[1], vec![-3e38f32]).unwrap();
        assert_eq!(value("norm", &x, &[]), Scalar::Float(f64::from(3e38f32)));
        let zero = ("p", Value::Scalar(Scalar::Int(0)));
        assert_eq!(value("norm", &x, &[zero]), Scalar::Float(1.0));
    }
}
