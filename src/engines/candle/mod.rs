//! candle, called as its users call it: on its CPU device, and on macOS with the feature
//! `candle-metal` on the GPU as well.
//!
//! Every op is the function of candle-core or candle-nn that a user would write for the PyTorch
//! call, or a few documented ones composed. What candle answers is not touched: masks and bools are
//! its `U8`, positions its `U32`, texts of errors its own. *Unsupported* is what the crates have no
//! function, dtype or parameter for.

mod args;
mod convert;
mod creation;
mod indexing;
mod layers;
mod losses;
mod pointwise;
mod products;
mod reduce;
mod shape;
mod snippet;
mod sorting;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::sync::LazyLock;

use candle_core::{Device, Tensor, Var};

use super::{Engine, Profile, Timed, quiet};
use crate::corpus::{Backpropagated, Backward, Case, Outcome};
use crate::ops::{Call, Failure, Gradients, Value};
use args::Args;

/// candle-core and candle-nn 0.11.0 on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candle {
    /// The CPU.
    #[default]
    Cpu,
    /// The first GPU of Apple's.
    #[cfg(feature = "candle-metal")]
    Metal,
}

thread_local! {
    /// The device that the case of this thread runs on.
    static DEVICE: RefCell<Device> = const { RefCell::new(Device::Cpu) };
}

/// The device for new tensors.
fn device() -> Device {
    DEVICE.with_borrow(Device::clone)
}

impl Candle {
    /// Makes this engine's device that of the thread.
    fn choose_device(self) -> candle_core::Result<()> {
        let device = match self {
            Candle::Cpu => Device::Cpu,
            #[cfg(feature = "candle-metal")]
            Candle::Metal => {
                static GPU: LazyLock<Option<Device>> = LazyLock::new(|| Device::new_metal(0).ok());
                GPU.clone().ok_or_else(|| candle_core::Error::Msg("no GPU".into()))?
            }
        };
        DEVICE.set(device);
        Ok(())
    }
}

/// Why a call gave no outputs.
enum Halt {
    /// candle's `Err`.
    Raised(candle_core::Error),
    /// candle has no such function, dtype or parameter; the text says which.
    Unsupported(String),
}

impl From<candle_core::Error> for Halt {
    fn from(error: candle_core::Error) -> Halt {
        Halt::Raised(error)
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        match failure {
            Failure::Unsupported(what) | Failure::Raised(_, what) => Halt::Unsupported(what),
        }
    }
}

/// An answer of the adapter.
type Answer<T = Vec<Tensor>> = Result<T, Halt>;

/// An op with a single output.
fn one(output: Tensor) -> Answer {
    Ok(vec![output])
}

/// What candle has not.
fn missing<T>(what: impl Into<String>) -> Answer<T> {
    Err(Halt::Unsupported(what.into()))
}

/// One row of the table: a PyTorch function, the parameters that can be honoured, what to call.
struct Op {
    name: &'static str,
    /// `*` admits tensors named by an index.
    parameters: &'static [&'static str],
    run: fn(&Args) -> Answer,
}

const fn op(name: &'static str, parameters: &'static [&'static str], run: fn(&Args) -> Answer) -> Op {
    Op { name, parameters, run }
}

const FAMILIES: &[&[Op]] = &[
    creation::OPS,
    indexing::OPS,
    layers::OPS,
    losses::OPS,
    pointwise::OPS,
    products::OPS,
    reduce::OPS,
    shape::OPS,
    sorting::OPS,
];

/// Runs a call.
fn run(args: &Args) -> Answer {
    static BY_NAME: LazyLock<HashMap<&str, &Op>> =
        LazyLock::new(|| FAMILIES.iter().copied().flatten().map(|op| (op.name, op)).collect());
    let name = args.op();
    if name == "graph" {
        return graph(args);
    }
    let Some(op) = BY_NAME.get(name) else { return missing(format!("op {name}")) };
    let honoured = |name: &str| op.parameters.contains(&name) || op.parameters.contains(&"*");
    if let Some(parameter) = args.given().find(|parameter| !honoured(parameter)) {
        return missing(format!("{name}: parameter '{parameter}'"));
    }
    (op.run)(args)
}

/// `graph`: calls one after another, each on inputs and on outputs of earlier ones.
fn graph(args: &Args) -> Answer {
    let malformed = || missing("graph: malformed steps");
    let Some(Value::List(steps)) = args.call().get("steps") else { return malformed() };
    let mut done: Vec<Vec<Tensor>> = Vec::new();
    for step in steps {
        let Value::List(items) = step else { return malformed() };
        let [Value::Str(op), pairs @ ..] = items.as_slice() else { return malformed() };
        let mut call = Call { op: op.clone(), args: Default::default() };
        let mut tensors = BTreeMap::new();
        let found = |value: &Value| match value {
            Value::Input(name) => args.tensor(name).ok(),
            Value::Step(step, output) => done.get(*step).and_then(|outputs| outputs.get(*output)).cloned(),
            _ => None,
        };
        for pair in pairs.chunks(2) {
            let [Value::Str(parameter), value] = pair else { return malformed() };
            if let Some(tensor) = found(value) {
                tensors.insert(parameter.clone(), vec![Some(tensor)]);
                continue;
            }
            call.args.insert(parameter.clone(), value.clone());
            let Value::List(items) = value else { continue };
            if parameter == "index" {
                for item in items {
                    if let (Value::Input(name), Some(tensor)) = (item, found(item)) {
                        tensors.insert(name.clone(), vec![Some(tensor)]);
                    }
                }
            } else if let Some(list) = items.iter().map(found).collect::<Option<Vec<_>>>()
                && !list.is_empty()
            {
                call.args.remove(parameter);
                tensors.insert(parameter.clone(), list.into_iter().map(Some).collect());
            }
        }
        done.push(run(&Args::of_tensors(&call, tensors))?);
    }
    done.pop().map_or_else(malformed, Ok)
}

/// The gradients of the sum of outputs times cotangents, through candle's `backward`.
fn backpropagate(
    outputs: &[Tensor],
    cotangents: &[Option<crate::tensor::Tensor>],
    leaves: &BTreeMap<String, Vec<Option<Var>>>,
) -> Answer<Gradients> {
    let mut loss: Option<Tensor> = None;
    for (output, cotangent) in outputs.iter().zip(cotangents) {
        let Some(cotangent) = cotangent else { continue };
        let term = (output * convert::to_candle(cotangent)?)?.sum_all()?;
        loss = Some(match loss {
            Some(sum) => (sum + term)?,
            None => term,
        });
    }
    let Some(loss) = loss else { return missing("a backward pass without cotangents") };
    let store = loss.backward()?;
    let mut gradients = Gradients::new();
    for (name, vars) in leaves {
        let gradient = |var: &Option<Var>| match var.as_ref().and_then(|var| store.get(var.as_tensor())) {
            Some(gradient) => convert::from_candle(gradient).map(Some),
            None => Ok(None),
        };
        gradients.insert(name.clone(), vars.iter().map(gradient).collect::<Answer<_>>()?);
    }
    Ok(gradients)
}

/// The first line: with `RUST_BACKTRACE` set candle appends a backtrace.
fn raised(error: &candle_core::Error) -> (String, String) {
    let text = error.to_string();
    ("Error".into(), text.lines().next().unwrap_or_default().to_string())
}

fn replay(case: &Case) -> Outcome {
    let answer = || -> Answer<Outcome> {
        let no_inputs = Vec::new();
        let wrt = case.backward.as_ref().map_or(&no_inputs, |backward| &backward.wrt);
        let (args, leaves) = Args::new(&case.call, wrt)?;
        let outputs = run(&args)?;
        let backward = match &case.backward {
            None => None,
            Some(Backward { grad_outputs, .. }) => {
                Some(match backpropagate(&outputs, grad_outputs, &leaves) {
                    Ok(gradients) => Backpropagated::Gave(gradients),
                    Err(Halt::Raised(error)) => {
                        let (kind, message) = raised(&error);
                        Backpropagated::Raised { kind, message }
                    }
                    Err(unsupported) => return Err(unsupported),
                })
            }
        };
        let outputs = outputs.iter().map(convert::from_candle).collect::<Answer<_>>()?;
        Ok(Outcome::Returned { outputs, warnings: Vec::new(), backward })
    };
    match answer() {
        Ok(outcome) => outcome,
        Err(Halt::Unsupported(what)) => Outcome::Unsupported(what),
        Err(Halt::Raised(error)) => {
            let (kind, message) = raised(&error);
            Outcome::Raised { kind, message }
        }
    }
}

impl Engine for Candle {
    fn name(&self) -> &str {
        match self {
            Candle::Cpu => "candle",
            #[cfg(feature = "candle-metal")]
            Candle::Metal => "candle-metal",
        }
    }

    fn version(&self) -> &str {
        "0.11.0"
    }

    fn profile(&self) -> Profile {
        match self {
            Candle::Cpu => Profile::Cpu,
            #[cfg(feature = "candle-metal")]
            Candle::Metal => Profile::Metal,
        }
    }

    fn run(&self, case: &Case) -> Outcome {
        if let Some(foreign) = &case.foreign {
            return Outcome::Unsupported(foreign.clone());
        }
        if let Err(error) = self.choose_device() {
            return Outcome::Unsupported(format!("no device: {error}"));
        }
        quiet::caught(|| replay(case)).unwrap_or_else(Outcome::Panicked)
    }

    fn timed<'a>(&'a self, case: &'a Case) -> Option<Timed<'a>> {
        self.choose_device().ok()?;
        let (args, _) = Args::new(&case.call, &[]).ok()?;
        let answers = quiet::caught(|| run(&args).is_ok()).unwrap_or(false);
        answers.then(|| Box::new(move || drop(black_box(run(&args)))) as Timed<'a>)
    }

    fn snippet(&self, case: &Case) -> Option<String> {
        snippet::snippet(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor as Ours;

    fn case(op: &str, args: &[(&str, Value)]) -> Case {
        let args = args.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        Case {
            id: format!("test/{op}/case"),
            call: Call { op: op.into(), args },
            backward: None,
            tags: Vec::new(),
            note: None,
            foreign: None,
        }
    }

    #[test]
    fn every_op_stands_once() {
        let mut names: Vec<_> = FAMILIES.iter().copied().flatten().map(|op| op.name).collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "twice: {twice:?}");
        for name in names {
            assert!(crate::corpus::is_function(name) || crate::ops::has(name), "no function: {name}");
        }
    }

    #[test]
    fn strided_inputs_are_candle_views_of_the_same_elements() {
        use crate::tensor::Storage;
        let storage = || Storage::Int64((0..40).collect());
        for (shape, strides, offset) in [
            (vec![2, 3], vec![1, 2], 0),
            (vec![2, 3], vec![7, 2], 1),
            (vec![3, 2, 2], vec![0, 9, 4], 3),
            (vec![2, 1, 3], vec![1, 5, 0], 2),
            (vec![3, 3], vec![1, 1], 0),
            (vec![2, 2], vec![0, 0], 5),
        ] {
            let ours = Ours::strided(&shape, &strides, offset, storage()).unwrap();
            let Ok(candle) = convert::to_candle(&ours) else { panic!("no tensor of {shape:?} {strides:?}") };
            let Ok(back) = convert::from_candle(&candle) else { panic!("no way back") };
            assert_eq!(back.shape(), ours.shape());
            assert_eq!(back.values::<i64>(), ours.values::<i64>(), "{shape:?} {strides:?}");
        }
        let transposed = Ours::strided(&[2, 3], &[1, 2], 0, storage()).unwrap();
        assert!(convert::to_candle(&transposed).is_ok_and(|tensor| !tensor.is_contiguous()));
    }

    #[test]
    fn errors_panics_and_gaps_are_three_outcomes() {
        let ints = Value::Tensor(Ours::new(&[2], vec![1i64, 2]).unwrap());
        let bytes = Value::Tensor(Ours::new(&[2], vec![1i8, 2]).unwrap());
        let dim = |dim: i64| ("dim", Value::Scalar(crate::tensor::Scalar::Int(dim)));
        let run = |op: &str, args: &[(&str, Value)]| Candle::Cpu.run(&case(op, args));
        match run("sum", &[("input", ints.clone()), dim(2)]) {
            Outcome::Raised { kind, message } => {
                assert_eq!(
                    (kind.as_str(), message.as_str()),
                    ("Error", "sum: dimension index 2 out of range for shape [2]")
                );
            }
            other => panic!("{other:?}"),
        }
        assert!(
            matches!(run("var", &[("input", ints), dim(0)]), Outcome::Panicked(text) if text.contains("no unary function for i64"))
        );
        assert!(
            matches!(run("sum", &[("input", bytes)]), Outcome::Unsupported(what) if what.contains("int8"))
        );
    }
}
