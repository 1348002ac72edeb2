//! Ways back that several element-wise ops share.

use crate::ops::call::{Failure, Result, Value};
use crate::ops::numerics::zip::laid_out_like;
use crate::ops::{Gradients, Pass, eager};
use crate::tensor::Tensor;

/// The cotangent as it is: a slope of one.
pub(super) fn unchanged(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| pass.cotangent(0))])
}

/// Zeros of the cotangent's shape: a step function.
pub(super) fn zero(pass: &Pass) -> Result<Gradients> {
    pass.each(&[("input", &|| eager::zeros_like(&pass.cotangent(0)?))])
}

/// PyTorch's refusal to go back through a function that it has no formula for.
pub(super) fn refused(pass: &Pass) -> Result<Gradients> {
    Err(Failure::runtime(format!("derivative for aten::{} is not implemented", pass.call.op)))
}

/// One operand's part of the cotangent: half of it on a tie, and nothing where it is not chosen.
pub(super) fn shared(cotangent: &Tensor, tie: &Tensor, unchosen: &Tensor) -> Result<Tensor> {
    let half = eager::div(cotangent, 2)?;
    zeroed(&eager::where_(tie, &half, cotangent)?, unchosen)
}

/// 0 where a mask holds, in place: the memory order stays.
pub(super) fn zeroed(tensor: &Tensor, mask: &Tensor) -> Result<Tensor> {
    Ok(laid_out_like(&eager::masked_zero(tensor, mask)?, tensor))
}

/// The value of an argument that may be a tensor or a number.
pub(super) fn operand(pass: &Pass, parameter: &str) -> Result<Value> {
    Ok(pass.call.operand(parameter)?.to_value())
}
