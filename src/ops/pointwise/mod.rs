//! Element-wise ops with broadcasting, one file per subject.
//!
//! Operands are brought to one shape and one dtype ([`operands`]), then each element is computed
//! by itself. Where PyTorch's vector code and its scalar code give different bits, an element's
//! value depends on where it lies ([`VectorPart`](super::numerics::elementwise::VectorPart)).
//!
//! What all these ops share, measured on PyTorch 2.15.0:
//!
//! - A check of the op itself comes first, then shapes, then promotion, then what the kernel
//!   refuses; kernels refuse dtypes of empty tensors too.
//! - 16-bit floats are computed in float32 and rounded once per kernel, unless a function says
//!   otherwise.
//! - Multiply-add is fused in the float kernels of `add`, `sub`, `lerp`, `addcmul`, in vector and
//!   scalar code alike.
//! - Results lie in memory along their operands, since the order of later sums depends on it.

pub(super) mod arithmetic;
pub(super) mod bits;
pub(super) mod clamp;
pub(super) mod compare;
pub(super) mod convert;
pub(super) mod division;
pub(super) mod extremes;
mod number;
mod operands;
mod rules;
pub(super) mod ternary;
pub(super) mod unary;

pub(crate) use extremes::extreme;
pub(crate) use operands::broadcast_shapes;
