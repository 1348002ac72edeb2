//! argminmax 0.7.1: positions of minima and maxima in slices.
//!
//! It has two traits, and each is an engine here: one whose `argmin` and `argmax` skip NaNs, and
//! one whose `nanargmin` and `nanargmax` give the first NaN, as PyTorch does. A tensor is searched
//! whole, or line by line along its last dimension; a position is a `usize`, shown as int64.

use argminmax::{ArgMinMax, NaNArgMinMax};

use super::quiet::caught;
use super::{Engine, Profile, snippet};
use crate::corpus::{Case, Outcome};
use crate::ops::Call;
use crate::tensor::{DType, Element, Tensor};

/// The crate as an engine.
#[derive(Clone, Copy, Debug)]
pub enum ArgMinMaxCrate {
    /// NaNs are skipped.
    Skipping,
    /// The first NaN is given.
    Returning,
}

impl Engine for ArgMinMaxCrate {
    fn name(&self) -> &str {
        match self {
            ArgMinMaxCrate::Skipping => "argminmax",
            ArgMinMaxCrate::Returning => "argminmax-nan",
        }
    }

    fn version(&self) -> &str {
        "0.7.1"
    }

    fn profile(&self) -> Profile {
        Profile::Cpu
    }

    fn run(&self, case: &Case) -> Outcome {
        if let Some(missing) = &case.foreign {
            return Outcome::Unsupported(missing.clone());
        }
        if case.backward.is_some() {
            return Outcome::Unsupported("argminmax has no gradients".into());
        }
        match caught(|| self.positions(&case.call)) {
            Ok(Ok(output)) => {
                Outcome::Returned { outputs: vec![output], warnings: Vec::new(), backward: None }
            }
            Ok(Err(what)) => Outcome::Unsupported(what),
            Err(panic) => Outcome::Panicked(panic),
        }
    }

    fn snippet(&self, case: &Case) -> Option<String> {
        let call = &case.call;
        let (input, is_max) = (call.tensor("input").ok()?, maximum(&call.op)?);
        let (_, line) = lines(call, input).ok()?;
        let (name, method) = match self {
            ArgMinMaxCrate::Skipping => ("ArgMinMax", if is_max { "argmax" } else { "argmin" }),
            ArgMinMaxCrate::Returning => ("NaNArgMinMax", if is_max { "nanargmax" } else { "nanargmin" }),
        };
        Some(format!(
            "use argminmax::{name};\n\nlet data = {};\n\
             let positions: Vec<usize> = data.chunks({line}).map(|line| line.{method}()).collect();\n",
            snippet::vector(input)
        ))
    }
}

/// Whether an op looks for maxima; none for another op.
fn maximum(op: &str) -> Option<bool> {
    match op {
        "argmax" => Some(true),
        "argmin" => Some(false),
        _ => None,
    }
}

/// The result's shape, and the elements of a line.
fn lines(call: &Call, input: &Tensor) -> Result<(Vec<usize>, usize), String> {
    let failed = |failure| format!("{failure:?}");
    let keepdim = call.flag("keepdim").map_err(failed)?;
    match call.int("dim").map_err(failed)? {
        None if keepdim => Ok((vec![1; input.dim()], input.numel())),
        None => Ok((Vec::new(), input.numel())),
        Some(dim) => match input.shape().split_last() {
            Some((&line, outer)) if dim == -1 || dim == outer.len() as i64 => {
                let kept = if keepdim { Some(1) } else { None };
                Ok((outer.iter().copied().chain(kept).collect(), line))
            }
            _ => Err("argminmax takes slices: of a tensor its lines along the last dimension".into()),
        },
    }
}

impl ArgMinMaxCrate {
    fn positions(self, call: &Call) -> Result<Tensor, String> {
        let is_max = maximum(&call.op).ok_or_else(|| format!("argminmax has no {}", call.op))?;
        let input = call.tensor("input").map_err(|failure| format!("{failure:?}"))?;
        let (shape, line) = lines(call, input)?;
        macro_rules! search {
            ($($dtype:ident: $type:ty, $argmin:ident, $argmax:ident;)*) => {
                match input.dtype() {
                    $(DType::$dtype => {
                        let search = |line: &[$type]| if is_max { line.$argmax() } else { line.$argmin() };
                        Ok(each_line(input, &shape, line, search))
                    })*
                    dtype => Err(format!("{} has no {dtype}", self.name())),
                }
            };
        }
        match self {
            ArgMinMaxCrate::Skipping => search! {
                Float64: f64, argmin, argmax;
                Float32: f32, argmin, argmax;
                Float16: half::f16, argmin, argmax;
                BFloat16: half::bf16, argmin, argmax;
                Int64: i64, argmin, argmax;
                Int32: i32, argmin, argmax;
                Int16: i16, argmin, argmax;
                Int8: i8, argmin, argmax;
                UInt8: u8, argmin, argmax;
                UInt32: u32, argmin, argmax;
            },
            ArgMinMaxCrate::Returning => search! {
                Float64: f64, nanargmin, nanargmax;
                Float32: f32, nanargmin, nanargmax;
                Float16: half::f16, nanargmin, nanargmax;
                BFloat16: half::bf16, nanargmin, nanargmax;
            },
        }
    }
}

/// The position in each line. An empty line goes to the crate too, which panics; where there is
/// no line, there is nothing to search.
fn each_line<T: Element>(
    input: &Tensor,
    shape: &[usize],
    line: usize,
    search: impl Fn(&[T]) -> usize,
) -> Tensor {
    let elements = input.values::<T>();
    let count: usize = shape.iter().product();
    let position = |i: usize| search(&elements[i * line..(i + 1) * line]) as i64;
    Tensor::collect(shape, (0..count).map(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_that_is_built() {
        let lock = include_str!("../../Cargo.lock");
        let version = ArgMinMaxCrate::Skipping.version();
        assert!(lock.contains(&format!("name = \"argminmax\"\nversion = \"{version}\"")));
    }
}
