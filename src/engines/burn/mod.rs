//! burn 0.22 with its Flex backend, called as its users do.
//!
//! A row of a table says how a PyTorch call is written in burn. What burn has under another name
//! is called under that name, and what its users compose of a few documented calls is composed;
//! nothing is computed here. What burn answers is reported unchanged: kept dimensions, 32-bit
//! indices, totals of shape `[1]`. Its panics, which are how it reports errors, are outcomes.
//! *Unsupported* is what burn has no function, kind or parameter for.

mod graph;
mod index;
mod layers;
mod loss;
mod panics;
mod pointwise;
mod products;
mod reduce;
mod shape;
mod snippet;
mod tensor;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use burn::tensor::{Device, Float, Int};

use super::{Engine, Profile};
use crate::corpus::{Backpropagated, Backward, Case, Outcome};
use crate::ops::{Call, Failure, Gradients, Result, Value};
use crate::tensor::{DType, Scalar, Tensor};
use tensor::{Any, Ranked, each_rank, lacks, same_rank, unsupported};

/// The published crate, at the version that `Cargo.toml` pins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Burn;

/// One row: a PyTorch call in burn.
struct Row {
    /// PyTorch's name.
    name: &'static str,
    /// The parameters that the row passes on.
    parameters: &'static [&'static str],
    /// The user's lines.
    run: fn(&Args) -> Result<Vec<Output>>,
}

/// What a row returns.
#[expect(clippy::large_enum_variant, reason = "lives for one call")]
enum Output {
    /// A tensor of burn.
    Tensor(Any),
    /// A Rust number, which PyTorch has as a 0-d tensor.
    Number(Tensor),
}

impl<T: Into<Any>> From<T> for Output {
    fn from(tensor: T) -> Output {
        Output::Tensor(tensor.into())
    }
}

const FAMILIES: &[&[Row]] = &[
    graph::ROWS,
    index::ROWS,
    layers::ROWS,
    loss::ROWS,
    pointwise::ROWS,
    pointwise::FUNCTIONS,
    pointwise::PAIRS,
    products::ROWS,
    reduce::ROWS,
    shape::ROWS,
    shape::CREATION,
];

fn find(name: &str) -> Option<&'static Row> {
    static BY_NAME: LazyLock<HashMap<&str, &Row>> =
        LazyLock::new(|| FAMILIES.iter().copied().flatten().map(|row| (row.name, row)).collect());
    BY_NAME.get(name).copied()
}

impl Engine for Burn {
    fn name(&self) -> &str {
        "burn"
    }

    fn version(&self) -> &str {
        "0.22.1"
    }

    fn profile(&self) -> Profile {
        Profile::Cpu
    }

    fn run(&self, case: &Case) -> Outcome {
        if let Some(missing) = &case.foreign {
            return Outcome::Unsupported(missing.clone());
        }
        match panics::caught(|| outcome(case)) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(Failure::Unsupported(what))) => Outcome::Unsupported(what),
            Ok(Err(Failure::Raised(kind, message))) => Outcome::Raised { kind: kind.name().into(), message },
            Err(message) => Outcome::Panicked(message),
        }
    }

    fn snippet(&self, case: &Case) -> Option<String> {
        snippet::snippet(case)
    }
}

fn outcome(case: &Case) -> Result<Outcome> {
    let device = match case.backward {
        None => Device::flex(),
        Some(_) => Device::flex().autodiff(),
    };
    let wrt = case.backward.as_ref().map_or(&[][..], |backward| &backward.wrt);
    let args = Args::new(&case.call, &device, wrt)?;
    let outputs = run(&args)?;
    let backward = match &case.backward {
        None => None,
        Some(backward) => Some(Backpropagated::Gave(gradients(&args, &outputs, backward)?)),
    };
    let host = |output: Output| match output {
        Output::Tensor(tensor) => tensor.to_host(),
        Output::Number(tensor) => Ok(tensor),
    };
    let outputs = outputs.into_iter().map(host).collect::<Result<Vec<_>>>()?;
    Ok(Outcome::Returned { outputs, warnings: Vec::new(), backward })
}

fn run(args: &Args) -> Result<Vec<Output>> {
    let op = &args.call.op;
    let Some(row) = find(op) else { return unsupported(format!("op {op}")) };
    let passed = |name: &str| row.parameters.contains(&name) || row.parameters.contains(&"*");
    if let Some(name) = args.call.args.keys().find(|name| !passed(name)) {
        return unsupported(format!("{op}: parameter '{name}'"));
    }
    (row.run)(args)
}

/// `(output * cotangent).sum().backward()`, over all outputs that have a cotangent.
fn gradients(args: &Args, outputs: &[Output], backward: &Backward) -> Result<Gradients> {
    let mut total = None;
    for (output, cotangent) in outputs.iter().zip(&backward.grad_outputs) {
        let Some(cotangent) = cotangent else { continue };
        let Output::Tensor(Any::Float(output)) = output else {
            return unsupported("backward: only Float tensors have it");
        };
        let cotangent = match Any::new(cotangent, &args.device, false)? {
            Any::Float(cotangent) if cotangent.shape() == output.shape() => cotangent,
            Any::Float(cotangent) => cotangent.reshape(&output.shape())?,
            _ => return unsupported("a cotangent that is not floating"),
        };
        let term = same_rank!(output.clone(), cotangent, x y => (x * y).sum());
        total = Some(match total {
            None => term,
            Some(total) => total + term,
        });
    }
    let Some(total) = total else { return unsupported("backward: no output has a cotangent") };
    let gradients = total.backward();
    let of = |tensor: &Option<Any>| match tensor {
        Some(Any::Float(leaf)) => {
            let gradient = each_rank!(leaf, t => t.grad(&gradients).map(Any::from));
            gradient.map(|gradient| gradient.to_host()).transpose()
        }
        _ => Ok(None),
    };
    let named = |name: &String| {
        let leaves = args.tensors.get(name).map_or(&[][..], Vec::as_slice);
        Ok((name.clone(), leaves.iter().map(of).collect::<Result<Vec<_>>>()?))
    };
    backward.wrt.iter().map(named).collect()
}

/// The arguments of a call, its tensors as burn's.
struct Args<'a> {
    call: &'a Call,
    tensors: BTreeMap<String, Vec<Option<Any>>>,
    device: Device,
}

/// A tensor or a number.
#[expect(clippy::large_enum_variant, reason = "lives for one call")]
enum Operand {
    Tensor(Any),
    Number(Scalar),
}

impl<'a> Args<'a> {
    fn new(call: &'a Call, device: &Device, wrt: &[String]) -> Result<Args<'a>> {
        let mut tensors = BTreeMap::new();
        for (name, value) in &call.args {
            let wanted = wrt.contains(name);
            let create = |tensor: &Tensor| match Any::new(tensor, device, !device.is_autodiff())? {
                Any::Float(leaf) if wanted => Ok(each_rank!(leaf, t => t.require_grad().into())),
                other => Ok(other),
            };
            let created = match value {
                Value::Tensor(tensor) => vec![Some(create(tensor)?)],
                Value::Tensors(list) => list
                    .iter()
                    .map(|tensor| tensor.as_ref().map(create).transpose())
                    .collect::<Result<Vec<_>>>()?,
                _ => continue,
            };
            tensors.insert(name.clone(), created);
        }
        Ok(Args { call, tensors, device: device.clone() })
    }

    fn tensor(&self, name: &str) -> Result<Any> {
        match self.optional(name)? {
            Some(tensor) => Ok(tensor),
            None => unsupported(format!("{}: '{name}' that is not a tensor", self.call.op)),
        }
    }

    fn optional(&self, name: &str) -> Result<Option<Any>> {
        match self.tensors.get(name).map(Vec::as_slice) {
            Some([Some(tensor)]) => Ok(Some(tensor.clone())),
            Some(_) => unsupported(format!("{}: '{name}' that is not one tensor", self.call.op)),
            None => Ok(None),
        }
    }

    /// A list of tensors without gaps.
    fn tensors(&self, name: &str) -> Result<Vec<Any>> {
        match self.tensors.get(name) {
            Some(list) if list.iter().all(Option::is_some) => Ok(list.iter().flatten().cloned().collect()),
            _ => unsupported(format!("{}: '{name}' that is not a list of tensors", self.call.op)),
        }
    }

    fn operand(&self, name: &str) -> Result<Operand> {
        match (self.optional(name)?, self.call.get(name)) {
            (Some(tensor), _) => Ok(Operand::Tensor(tensor)),
            (None, Some(Value::Scalar(number))) => Ok(Operand::Number(*number)),
            _ => unsupported(format!("{}: '{name}' that is neither tensor nor number", self.call.op)),
        }
    }

    /// A tensor of the only kind that a method of burn is for.
    fn float(&self, name: &str) -> Result<Ranked<Float>> {
        float(self.tensor(name)?, &self.call.op)
    }

    fn int(&self, name: &str) -> Result<Ranked<Int>> {
        match self.tensor(name)? {
            Any::Int(tensor) => Ok(tensor),
            _ => unsupported(format!("{}: burn takes an Int tensor as '{name}'", self.call.op)),
        }
    }

    /// `input`, in the dtype that the call computes in.
    fn input(&self) -> Result<Any> {
        let input = self.tensor("input")?;
        match self.call.dtype("dtype")? {
            Some(dtype) => input.cast(dtype),
            None => Ok(input),
        }
    }

    fn dim(&self) -> Result<i64> {
        self.call.required_int("dim")
    }

    /// The dtype asked for, or burn's default of the kind, which a user who names none gets.
    fn dtype_or(&self, default: DType) -> Result<DType> {
        Ok(self.call.dtype("dtype")?.unwrap_or(default))
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>> {
        let sizes = self.call.ints(name)?.unwrap_or_default();
        sizes
            .iter()
            .map(|&size| {
                usize::try_from(size)
                    .or_else(|_| unsupported(format!("{}: a negative size does not compile", self.call.op)))
            })
            .collect()
    }
}

fn float(tensor: Any, what: &str) -> Result<Ranked<Float>> {
    match tensor {
        Any::Float(tensor) => Ok(tensor),
        Any::Int(_) => lacks(what, "Int"),
        Any::Bool(_) => lacks(what, "Bool"),
    }
}

/// A size or a position as burn wants it: its type has no negative numbers.
fn unsigned(number: i64, what: &str) -> Result<usize> {
    usize::try_from(number).or_else(|_| unsupported(format!("{what}: a negative number does not compile")))
}

/// One output.
fn one(output: impl Into<Output>) -> Result<Vec<Output>> {
    Ok(vec![output.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_stands_in_one_row() {
        let mut names: Vec<&str> = FAMILIES.iter().copied().flatten().map(|row| row.name).collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert!(names.iter().all(|name| crate::corpus::is_function(name) || *name == "graph"));
    }
}
