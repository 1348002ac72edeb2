//! The arguments of a call, with tensors as candle's.

use std::collections::BTreeMap;

use candle_core::shape::{D, Dim, Dims, Shape};
use candle_core::{DType, Tensor, Var};

use super::{Answer, convert, missing};
use crate::ops::{Call, Value};
use crate::tensor::{self, Scalar};

/// A call's arguments.
pub(super) struct Args<'a> {
    call: &'a Call,
    tensors: BTreeMap<String, Vec<Option<Tensor>>>,
}

/// The variables behind the inputs that want a gradient.
pub(super) type Leaves = BTreeMap<String, Vec<Option<Var>>>;

/// A tensor, or a Python number in the place of one.
pub(super) enum Operand {
    Tensor(Tensor),
    Number(Scalar),
}

/// A dimension as PyTorch counts it, in candle's types: `usize`, or `D::Minus` from the end.
#[derive(Clone, Copy)]
pub(super) struct Axis(pub(super) i64);

impl Dim for Axis {
    fn to_index(&self, shape: &Shape, op: &'static str) -> candle_core::Result<usize> {
        match usize::try_from(self.0) {
            Ok(dim) => dim.to_index(shape, op),
            Err(_) => D::Minus(self.0.unsigned_abs() as usize).to_index(shape, op),
        }
    }

    fn to_index_plus_one(&self, shape: &Shape, op: &'static str) -> candle_core::Result<usize> {
        match usize::try_from(self.0) {
            Ok(dim) => dim.to_index_plus_one(shape, op),
            Err(_) => D::Minus(self.0.unsigned_abs() as usize).to_index_plus_one(shape, op),
        }
    }
}

/// Several dimensions.
#[derive(Clone)]
pub(super) struct Axes(pub(super) Vec<i64>);

impl Dims for Axes {
    fn to_indexes_internal(self, shape: &Shape, op: &'static str) -> candle_core::Result<Vec<usize>> {
        self.0.iter().map(|&dim| Axis(dim).to_index(shape, op)).collect()
    }
}

impl<'a> Args<'a> {
    /// The arguments of a call, and the variables among them for the inputs named in `wrt`.
    pub(super) fn new(call: &'a Call, wrt: &[String]) -> Answer<(Args<'a>, Leaves)> {
        let mut tensors = BTreeMap::new();
        let mut leaves = Leaves::new();
        for (name, value) in &call.args {
            let list: Vec<Option<&tensor::Tensor>> = match value {
                Value::Tensor(tensor) => vec![Some(tensor)],
                Value::Tensors(list) => list.iter().map(Option::as_ref).collect(),
                _ => continue,
            };
            let converted = list.into_iter().map(|tensor| tensor.map(convert::to_candle).transpose());
            let mut list = converted.collect::<Answer<Vec<_>>>()?;
            if wrt.contains(name) {
                let var = |tensor: &Option<Tensor>| tensor.as_ref().map(Var::from_tensor).transpose();
                let vars = list.iter().map(var).collect::<candle_core::Result<Vec<_>>>()?;
                list = vars.iter().map(|var| var.as_ref().map(|var| var.as_tensor().clone())).collect();
                leaves.insert(name.clone(), vars);
            }
            tensors.insert(name.clone(), list);
        }
        Ok((Args { call, tensors }, leaves))
    }

    /// The arguments of a call whose tensors are candle's already.
    pub(super) fn of_tensors(call: &'a Call, tensors: BTreeMap<String, Vec<Option<Tensor>>>) -> Args<'a> {
        Args { call, tensors }
    }

    /// The function's name.
    pub(super) fn op(&self) -> &str {
        &self.call.op
    }

    /// The arguments that are no tensors.
    pub(super) fn call(&self) -> &Call {
        self.call
    }

    /// The names of all arguments but those that are `None`.
    pub(super) fn given(&self) -> impl Iterator<Item = &str> {
        let call = self.call.args.iter().filter(|(_, value)| !matches!(value, Value::None));
        call.map(|(name, _)| name.as_str()).chain(self.tensors.keys().map(String::as_str))
    }

    /// Whether an argument is given and is not `None`.
    pub(super) fn has(&self, parameter: &str) -> bool {
        self.given().any(|given| given == parameter)
    }

    /// A tensor that must be there.
    pub(super) fn tensor(&self, parameter: &str) -> Answer<Tensor> {
        match self.optional(parameter) {
            Some(tensor) => Ok(tensor),
            None => missing(format!("{}: parameter '{parameter}' that is not a tensor", self.op())),
        }
    }

    /// `input`.
    pub(super) fn input(&self) -> Answer<Tensor> {
        self.tensor("input")
    }

    /// A tensor, if given.
    pub(super) fn optional(&self, parameter: &str) -> Option<Tensor> {
        match self.tensors.get(parameter)?.as_slice() {
            [Some(tensor)] => Some(tensor.clone()),
            _ => None,
        }
    }

    /// A list of tensors without gaps.
    pub(super) fn list(&self, parameter: &str) -> Answer<Vec<Tensor>> {
        let list = self.tensors.get(parameter).and_then(|list| list.iter().cloned().collect());
        list.map_or_else(|| missing(format!("{}: parameter '{parameter}' with gaps", self.op())), Ok)
    }

    /// A tensor or a number.
    pub(super) fn operand(&self, parameter: &str) -> Answer<Operand> {
        match self.call.get(parameter) {
            Some(Value::Scalar(number)) => Ok(Operand::Number(*number)),
            _ => self.tensor(parameter).map(Operand::Tensor),
        }
    }

    /// A number, if given.
    pub(super) fn number(&self, parameter: &str) -> Answer<Option<f64>> {
        Ok(self.call.scalar(parameter)?.map(Scalar::to_f64))
    }

    /// An integer that must be there.
    pub(super) fn int(&self, parameter: &str) -> Answer<i64> {
        Ok(self.call.required_int(parameter)?)
    }

    /// An integer with a default.
    pub(super) fn int_or(&self, parameter: &str, default: i64) -> Answer<i64> {
        Ok(self.call.int(parameter)?.unwrap_or(default))
    }

    /// A size: an integer that candle's `usize` can hold.
    pub(super) fn size(&self, parameter: &str) -> Answer<usize> {
        self.unsigned(self.int(parameter)?, parameter)
    }

    /// Sizes.
    pub(super) fn sizes(&self, parameter: &str) -> Answer<Vec<usize>> {
        let sizes = self.call.ints(parameter)?.unwrap_or_default();
        sizes.into_iter().map(|size| self.unsigned(size, parameter)).collect()
    }

    pub(super) fn unsigned(&self, number: i64, parameter: &str) -> Answer<usize> {
        match usize::try_from(number) {
            Ok(size) => Ok(size),
            Err(_) => missing(format!("{}: '{parameter}' below 0, which a usize cannot hold", self.op())),
        }
    }

    /// A dimension that must be there.
    pub(super) fn axis(&self, parameter: &str) -> Answer<Axis> {
        self.int(parameter).map(Axis)
    }

    /// A dimension with a default.
    pub(super) fn axis_or(&self, parameter: &str, default: i64) -> Answer<Axis> {
        self.int_or(parameter, default).map(Axis)
    }

    /// Dimensions; none where they are not given or the list is empty, which is *all* in PyTorch.
    pub(super) fn axes(&self, parameter: &str) -> Answer<Option<Vec<i64>>> {
        Ok(self.call.ints(parameter)?.filter(|dims| !dims.is_empty()))
    }

    /// A flag that is off unless given.
    pub(super) fn flag(&self, parameter: &str) -> Answer<bool> {
        Ok(self.call.flag(parameter)?)
    }

    /// A string, if given.
    pub(super) fn text(&self, parameter: &str) -> Answer<Option<&str>> {
        Ok(self.call.text(parameter)?)
    }

    /// A dtype, if given.
    pub(super) fn dtype(&self) -> Answer<Option<DType>> {
        self.call.dtype("dtype")?.map(convert::dtype).transpose()
    }

    /// `input` in `dtype`, where that is given.
    pub(super) fn converted(&self) -> Answer<Tensor> {
        let input = self.input()?;
        Ok(match self.dtype()? {
            Some(dtype) => input.to_dtype(dtype)?,
            None => input,
        })
    }

    /// Refuses an argument that has another value than the one that candle's function implies.
    pub(super) fn only(&self, parameter: &str, implied: f64) -> Answer<()> {
        match self.number(parameter)? {
            Some(number) if number != implied => missing(format!("{}: {parameter}={number}", self.op())),
            _ => Ok(()),
        }
    }
}
