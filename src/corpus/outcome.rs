//! What PyTorch or an engine did with a case.

use std::time::Duration;

use crate::tensor::Tensor;

/// What came of a case.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It returned.
    Returned {
        /// The results, in PyTorch's order.
        outputs: Vec<Tensor>,
        /// The warnings of the forward pass, in order, with repeats.
        warnings: Vec<String>,
    },
    /// It raised.
    Raised {
        /// Name of the Python class.
        kind: String,
        /// The whole text.
        message: String,
    },
    /// The engine does not do this; the text says what is missing.
    Unsupported(String),
    /// The engine panicked or crashed.
    Panicked(String),
    /// The engine did not answer in time.
    TimedOut(Duration),
}

/// What PyTorch did with a case, and what else its golden file says.
#[derive(Clone, Debug)]
pub struct Golden {
    /// What PyTorch did: `Returned` or `Raised`.
    pub outcome: Outcome,
    /// The same call in float64, parallel to the outputs; empty where none was stored.
    pub truth: Vec<Option<Tensor>>,
    /// Per output element the sum of |x| over what it reduces; empty where none was stored.
    pub abs_sum: Vec<Tensor>,
}
