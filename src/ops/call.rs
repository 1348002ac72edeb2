//! A call of a PyTorch function: its name, its arguments by PyTorch's parameter names, and what
//! comes of it.

use litemap::LiteMap;

use crate::tensor::{DType, Scalar, Tensor};

/// An argument.
#[derive(Clone, Debug)]
pub enum Value {
    /// Python's `None`.
    None,
    /// A number or bool; its kind takes part in promotion.
    Scalar(Scalar),
    /// A string, or the bare name of a dtype or memory format.
    Str(String),
    /// A list: dims, a shape, an index.
    List(Vec<Value>),
    /// A slice inside brackets: start, stop, step.
    Slice([Option<i64>; 3]),
    /// Inside brackets: the tensor input of that name.
    Input(String),
    /// In the steps of a graph: output `.1` of step `.0`.
    Step(usize, usize),
    /// A tensor.
    Tensor(Tensor),
    /// A list of tensors, with gaps where PyTorch allows `None`.
    Tensors(Vec<Option<Tensor>>),
}

/// Arguments by parameter name. A corpus holds tens of thousands of these with two or three
/// entries each, where the nodes of a B-tree would take more memory than the tensors.
pub type Args = LiteMap<String, Value>;

/// One call of one op.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function's name by the rulings of the format: `sum`, `index_select`, `getitem`.
    pub op: String,
    /// Every argument that was given, by parameter name.
    pub args: Args,
}

/// PyTorch's exception types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the Python class of the same name")]
pub enum Exception {
    AssertionError,
    IndexError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
}

impl Exception {
    /// The Python class's name.
    pub fn name(self) -> &'static str {
        match self {
            Exception::AssertionError => "AssertionError",
            Exception::IndexError => "IndexError",
            Exception::NotImplementedError => "NotImplementedError",
            Exception::RuntimeError => "RuntimeError",
            Exception::TypeError => "TypeError",
            Exception::ValueError => "ValueError",
        }
    }
}

/// Why a call gave no outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// What PyTorch would raise, in its words.
    Raised(Exception, String),
    /// What this engine does not do; the text says what is missing.
    Unsupported(String),
}

impl Failure {
    /// An `IndexError`.
    pub fn index(message: impl Into<String>) -> Failure {
        Failure::Raised(Exception::IndexError, message.into())
    }

    /// A `RuntimeError`.
    pub fn runtime(message: impl Into<String>) -> Failure {
        Failure::Raised(Exception::RuntimeError, message.into())
    }

    /// A `NotImplementedError`.
    pub fn not_implemented(message: impl Into<String>) -> Failure {
        Failure::Raised(Exception::NotImplementedError, message.into())
    }

    /// PyTorch's answer of a kernel that has no code for a dtype.
    pub fn no_kernel(kernel: &str, dtype: DType) -> Failure {
        Failure::not_implemented(format!("\"{kernel}\" not implemented for '{}'", dtype.scalar_type()))
    }
}

/// Refuses uint32 in the words of a kernel that was never compiled for it, as most are not.
pub(crate) fn refuse_uint32(kernel: &str, dtype: DType) -> Result<()> {
    if dtype == DType::UInt32 { Err(Failure::no_kernel(kernel, dtype)) } else { Ok(()) }
}

/// What a call returned.
#[derive(Clone, Debug, Default)]
pub struct Returned {
    /// The results, in PyTorch's order.
    pub outputs: Vec<Tensor>,
    /// The warnings of the forward pass, in order, with repeats.
    pub warnings: Vec<String>,
}

impl From<Tensor> for Returned {
    fn from(output: Tensor) -> Returned {
        Returned { outputs: vec![output], warnings: Vec::new() }
    }
}

impl From<(Tensor, Tensor)> for Returned {
    fn from((first, second): (Tensor, Tensor)) -> Returned {
        Returned { outputs: vec![first, second], warnings: Vec::new() }
    }
}

/// Result of a call.
pub type Result<T = Returned> = std::result::Result<T, Failure>;

impl Call {
    fn mistyped<T>(&self, parameter: &str, wanted: &str) -> Result<T> {
        Err(Failure::Unsupported(format!("{}: parameter '{parameter}' that is not {wanted}", self.op)))
    }

    /// An argument, where `None` counts as absent.
    pub fn get(&self, parameter: &str) -> Option<&Value> {
        self.args.get(parameter).filter(|value| !matches!(value, Value::None))
    }

    /// A tensor that must be there.
    pub fn tensor(&self, parameter: &str) -> Result<&Tensor> {
        match self.get(parameter) {
            Some(Value::Tensor(tensor)) => Ok(tensor),
            _ => self.mistyped(parameter, "a tensor"),
        }
    }

    /// A tensor, if given.
    pub(crate) fn optional_tensor(&self, parameter: &str) -> Result<Option<&Tensor>> {
        match self.get(parameter) {
            None => Ok(None),
            Some(_) => self.tensor(parameter).map(Some),
        }
    }

    /// A number, if given.
    pub fn scalar(&self, parameter: &str) -> Result<Option<Scalar>> {
        match self.get(parameter) {
            None => Ok(None),
            Some(Value::Scalar(scalar)) => Ok(Some(*scalar)),
            Some(_) => self.mistyped(parameter, "a number"),
        }
    }

    /// An integer, if given.
    pub fn int(&self, parameter: &str) -> Result<Option<i64>> {
        match self.scalar(parameter)? {
            None => Ok(None),
            Some(Scalar::Int(int)) => Ok(Some(int)),
            Some(_) => self.mistyped(parameter, "an integer"),
        }
    }

    /// An integer that must be there.
    pub fn required_int(&self, parameter: &str) -> Result<i64> {
        self.int(parameter)?.map_or_else(|| self.mistyped(parameter, "an integer"), Ok)
    }

    /// A flag that is off unless given.
    pub fn flag(&self, parameter: &str) -> Result<bool> {
        match self.scalar(parameter)? {
            None => Ok(false),
            Some(Scalar::Bool(flag)) => Ok(flag),
            Some(_) => self.mistyped(parameter, "a bool"),
        }
    }

    /// A flag with a default.
    pub(crate) fn flag_or(&self, parameter: &str, default: bool) -> Result<bool> {
        if self.get(parameter).is_some() { self.flag(parameter) } else { Ok(default) }
    }

    /// A number as a float, or its default.
    pub(crate) fn float(&self, parameter: &str, default: f64) -> Result<f64> {
        Ok(self.scalar(parameter)?.map_or(default, Scalar::to_f64))
    }

    /// A string, if given.
    pub(crate) fn text(&self, parameter: &str) -> Result<Option<&str>> {
        match self.get(parameter) {
            None => Ok(None),
            Some(Value::Str(text)) => Ok(Some(text)),
            Some(_) => self.mistyped(parameter, "a string"),
        }
    }

    /// A list of integers, if given; a bare integer is a list of one.
    pub fn ints(&self, parameter: &str) -> Result<Option<Vec<i64>>> {
        let as_int = |value: &Value| match value {
            Value::Scalar(Scalar::Int(int)) => Some(*int),
            _ => None,
        };
        let ints = match self.get(parameter) {
            None => return Ok(None),
            Some(Value::List(items)) => items.iter().map(as_int).collect(),
            Some(value) => as_int(value).map(|int| vec![int]),
        };
        match ints {
            Some(ints) => Ok(Some(ints)),
            None => self.mistyped(parameter, "a list of integers"),
        }
    }

    /// A dtype, if given.
    pub fn dtype(&self, parameter: &str) -> Result<Option<DType>> {
        match self.get(parameter) {
            None => Ok(None),
            Some(Value::Str(name)) => match DType::from_name(name) {
                Some(dtype) => Ok(Some(dtype)),
                None => Err(Failure::Unsupported(format!("{}: dtype {name}", self.op))),
            },
            Some(_) => self.mistyped(parameter, "a dtype"),
        }
    }
}
