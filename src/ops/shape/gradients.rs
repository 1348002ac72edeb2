//! What the ways back through views and reorderings share.
//!
//! Where PyTorch's formula is a view, so is it here: the order of a later sum depends on strides.

use super::views::reshaped_in_place;
use crate::ops::call::{Failure, Result, Value};
use crate::ops::{Gradients, Pass, eager};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

/// 0, 1, 2, … in a shape: a view of it tells which elements the view shows.
pub(crate) fn numbered(shape: &[usize]) -> Tensor {
    Tensor::collect(shape, 0..shape.iter().product::<usize>() as i64)
}

/// Zeros of a shape with values at row-major positions, all different and as many as the values.
pub(crate) fn placed(shape: &[usize], positions: &Tensor, values: &Tensor) -> Tensor {
    fn fill<T: Element>(shape: &[usize], positions: &Tensor, values: &Tensor) -> Tensor {
        let mut data = vec![T::default(); shape.iter().product()];
        for (&place, &value) in positions.values::<i64>().iter().zip(values.values::<T>().iter()) {
            data[place as usize] = value;
        }
        Tensor::collect(shape, data)
    }
    with_type!(values.dtype(), T => fill::<T>(shape, positions, values))
}

/// The outputs of the pass's call with `parameter` replaced.
fn outputs_of(pass: &Pass, parameter: &str, value: Value) -> Result<Vec<Tensor>> {
    let mut call = pass.call.clone();
    call.args.insert(parameter.to_string(), value);
    Ok(crate::ops::run(&call)?.outputs)
}

/// The gradient of `input` by one formula of the cotangent.
pub(crate) fn from_cotangent(pass: &Pass, formula: impl Fn(Tensor) -> Result<Tensor>) -> Result<Gradients> {
    pass.each(&[("input", &|| formula(pass.cotangent(0)?))])
}

/// The cotangent itself.
pub(super) fn as_it_is(pass: &Pass) -> Result<Gradients> {
    from_cotangent(pass, Ok)
}

/// The cotangent under the input's shape.
pub(super) fn reshaped(pass: &Pass) -> Result<Gradients> {
    let shape = pass.call.tensor("input")?.shape();
    from_cotangent(pass, |cotangent| Ok(reshaped_in_place(&cotangent, shape)))
}

/// The same call on the cotangent: the way back through what is its own inverse or transpose.
pub(super) fn once_more(pass: &Pass) -> Result<Gradients> {
    once_more_with(pass, [])
}

/// The same call on the cotangent, with some arguments replaced.
pub(super) fn once_more_with<const N: usize>(pass: &Pass, replaced: [(&str, Value); N]) -> Result<Gradients> {
    from_cotangent(pass, |cotangent| {
        let mut call = pass.call.clone();
        call.args.insert("input".into(), (&cotangent).into());
        for (name, value) in &replaced {
            call.args.insert(name.to_string(), value.clone());
        }
        let first = crate::ops::run(&call)?.outputs.into_iter().next();
        first.ok_or_else(|| Failure::Unsupported(format!("{}: no output", call.op)))
    })
}

/// Zeros with the cotangents where the call's outputs showed elements of the input: the way back
/// through views that PyTorch slices and selects. Several are added up, the last one first.
pub(crate) fn shown(pass: &Pass) -> Result<Gradients> {
    let shape = pass.call.tensor("input")?.shape();
    pass.each(&[("input", &|| {
        let views = outputs_of(pass, "input", Value::Tensor(numbered(shape)))?;
        let mut sum: Option<Tensor> = None;
        for (view, cotangent) in views.iter().zip(pass.cotangents).rev() {
            let Some(cotangent) = cotangent else { continue };
            let part = placed(shape, view, cotangent);
            sum = Some(match sum {
                Some(sum) => eager::add(&sum, &part)?,
                None => part,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => eager::zeros_like(pass.call.tensor("input")?),
        }
    })])
}

/// Zeros of a dtype.
pub(crate) fn zeros(shape: &[usize], dtype: DType) -> Tensor {
    Tensor::full(shape, Scalar::Int(0), dtype)
}
