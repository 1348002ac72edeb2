//! What PyTorch or an engine did with a case.

use std::time::Duration;

use super::spread::Spread;
use crate::ops::Gradients;
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
        /// What came of the backward pass, if the case asks for one.
        backward: Option<Backpropagated>,
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

impl Default for Outcome {
    /// Nothing was returned.
    fn default() -> Outcome {
        Outcome::Returned { outputs: Vec::new(), warnings: Vec::new(), backward: None }
    }
}

/// What came of a backward pass.
#[derive(Clone, Debug)]
pub enum Backpropagated {
    /// It gave gradients.
    Gave(Gradients),
    /// It raised.
    Raised {
        /// Name of the Python class.
        kind: String,
        /// The whole text.
        message: String,
    },
}

/// What PyTorch did with a case, and what else its golden file says.
#[derive(Clone, Debug, Default)]
pub struct Golden {
    /// What PyTorch did: `Returned` or `Raised`.
    pub outcome: Outcome,
    /// The same call in float64, parallel to the outputs; empty where none was stored.
    pub truth: Vec<Option<Tensor>>,
    /// Per output element the sum of |x| over what it reduces; empty where none was stored.
    pub abs_sum: Vec<Tensor>,
    /// The same gradients in float64; empty where none were stored.
    pub grads_truth: Gradients,
    /// Per gradient element the sum of |x| behind it; empty where none was stored.
    pub grads_abs_sum: Gradients,
    /// How far PyTorch's own answers are apart; none where they are all the same or nobody looked.
    pub spread: Option<Spread>,
}
