//! Operands of an element-wise op in one shape and one dtype, and the walk over their elements.

use std::borrow::Cow;

use crate::ops::call::{Failure, Result};
use crate::ops::dims;
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::numerics::iterator::Lines;
use crate::ops::numerics::runs;
use crate::ops::numerics::zip::along_memory;
use crate::ops::promotion::{Operand, result_type};
use crate::tensor::{DType, Element, Scalar, Tensor, layout};

/// The common shape of operands, or PyTorch's refusal.
pub(crate) fn broadcast_shapes<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Result<Vec<usize>> {
    let shape = shapes.into_iter().try_fold(Vec::new(), |shape, other| {
        layout::broadcast(&shape, other).map_err(|mismatch| {
            Failure::runtime(format!(
                "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
                mismatch.left, mismatch.right, mismatch.dim
            ))
        })
    })?;
    dims::check_size(&shape)?;
    Ok(shape)
}

/// `N` operands in one dtype and shape.
pub(super) struct Operands<const N: usize> {
    pub(super) dtype: DType,
    shape: Vec<usize>,
    tensors: [Tensor; N],
}

impl<const N: usize> Operands<N> {
    /// The operands broadcast, in their common dtype. Shapes are checked before dtypes.
    pub(super) fn together(operands: &[Operand; N]) -> Result<Operands<N>> {
        Operands::converted(operands, |common| common)
    }

    /// The same, where integers and bool are computed in the default dtype.
    pub(super) fn floating(operands: &[Operand; N]) -> Result<Operands<N>> {
        Operands::converted(operands, |common| if common.is_floating() { common } else { DType::Float32 })
    }

    fn converted(operands: &[Operand; N], dtype: impl FnOnce(DType) -> DType) -> Result<Operands<N>> {
        let shape = broadcast_shapes(operands.iter().map(Operand::shape))?;
        let dtype = dtype(result_type(operands)?);
        Ok(Operands::in_dtype(operands, shape, dtype))
    }

    /// The operands in a shape to which they broadcast, converted to a dtype.
    pub(super) fn in_dtype(operands: &[Operand; N], shape: Vec<usize>, dtype: DType) -> Operands<N> {
        let tensors = operands.each_ref().map(|operand| operand.to_tensor(dtype).expanded(&shape));
        Operands { dtype, shape, tensors }
    }

    /// One result per element. `T` is the type of the operands' dtype.
    pub(super) fn map<T: Element, R: Element>(&self, f: impl Fn([T; N]) -> R + Copy) -> Tensor {
        self.results(|operands| runs::map(operands, f))
    }

    /// The same for a kernel that can refuse an element: the first refusal is the answer.
    pub(super) fn try_map<T: Element, R: Element>(&self, f: impl Fn([T; N]) -> Result<R>) -> Result<Tensor> {
        let values = self.values();
        let elements = (0..values[0].len()).map(|i| f(values.each_ref().map(|values| values[i])));
        let result = Tensor::collect(&self.shape, elements.collect::<Result<Vec<R>>>()?);
        Ok(match self.are_contiguous() {
            true => result,
            false => result.laid_out(&Lines::new(self.tensors.each_ref()).order),
        })
    }

    /// The same for a kernel whose vector code differs from its scalar code: the flag says
    /// whether the element is computed in vectors.
    pub(super) fn map_parts<T: Element, R: Element>(&self, f: impl Fn([T; N], bool) -> R + Copy) -> Tensor {
        self.map_flagged(VectorPart::holds_place, f)
    }

    /// The same, for a kernel that wants to know something else about where an element lies: the
    /// flag is what a condition says of its place on a line.
    pub(super) fn map_flagged<T: Element, R: Element>(
        &self,
        condition: impl Fn(&VectorPart, usize) -> bool,
        f: impl Fn([T; N], bool) -> R + Copy,
    ) -> Tensor {
        let tensors = self.tensors.each_ref();
        let line = Lines::new(tensors).line.size;
        let spans = VectorPart::new(tensors, self.dtype).spans(line, condition);
        self.results(|operands| runs::map_spans(operands, &spans, f))
    }

    /// A result in the memory order that `TensorIterator` gives it, which follows the operands':
    /// the order in which a later sum adds depends on it.
    fn results<R: Element>(&self, results: impl FnOnce([&Tensor; N]) -> Vec<R>) -> Tensor {
        let tensors = self.tensors.each_ref();
        match self.are_contiguous() {
            true => Tensor::collect(&self.shape, results(tensors)),
            false => along_memory(tensors, results),
        }
    }

    fn are_contiguous(&self) -> bool {
        self.tensors.iter().all(Tensor::is_contiguous)
    }

    fn values<T: Element>(&self) -> [Cow<'_, [T]>; N] {
        self.tensors.each_ref().map(Tensor::values)
    }
}

impl Operands<2> {
    /// The first operand alone, for kernels that take the second as a number.
    pub(super) fn first(self) -> Operands<1> {
        let [first, _] = self.tensors;
        Operands { dtype: self.dtype, shape: self.shape, tensors: [first] }
    }
}

/// The second operand of a 16-bit `mul` or `div`, where it is a single element: these kernels take
/// it from its own dtype to float32, without the detour by way of the 16-bit type, and round at
/// the end only. One element that is expanded counts too, but not if it is of another dtype, since
/// its conversion makes a copy of every repeat.
pub(super) fn unrounded(dtype: DType, operand: &Operand) -> Option<f32> {
    if !dtype.is_floating() || dtype.size() > 2 {
        return None;
    }
    let value = match operand {
        Operand::Number(number) => *number,
        Operand::Tensor(tensor) => {
            let single = tensor.numel() == 1 || (tensor.dtype() == dtype && stands_still(tensor));
            tensor.scalars().next().filter(|_| single)?
        }
    };
    Some(f32::from_scalar(value))
}

fn stands_still(tensor: &Tensor) -> bool {
    tensor.shape().iter().zip(tensor.strides()).all(|(&size, &stride)| size == 1 || stride == 0)
}

/// A number as C++ streams print it: six significant digits.
pub(super) fn streamed(value: f64) -> String {
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        return format!("{}{text}", if value.is_sign_negative() { "-" } else { "" });
    }
    let scientific = format!("{value:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{value:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

/// Whether a number is NaN.
pub(super) fn is_nan(number: Scalar) -> bool {
    number.to_f64().is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_lie_in_memory_as_the_operands_do() {
        let matrix = Tensor::collect(&[2, 3], [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let transposed = matrix.permuted(&[1, 0]);
        let row = Tensor::collect(&[2], [10.0f32, 20.0]);
        let operands = Operands::together(&[Operand::Tensor(&row), Operand::Tensor(&transposed)]).unwrap();
        let sums = operands.map(|[a, b]: [f32; 2]| a + b);
        assert_eq!((sums.shape(), sums.strides()), (&[3, 2][..], &[1, 3][..]));
        assert_eq!(*sums.values::<f32>(), [11.0, 24.0, 12.0, 25.0, 13.0, 26.0]);
    }

    #[test]
    fn numbers_print_as_from_a_stream() {
        let cases = [
            (-1.0, "-1"),
            (-0.5, "-0.5"),
            (-1e-5, "-1e-05"),
            (300.0, "300"),
            (1099511627776.0, "1.09951e+12"),
            (123456.7, "123457"),
            (999999.9, "1e+06"),
            (f64::NAN, "nan"),
        ];
        for (value, text) in cases {
            assert_eq!(streamed(value), text);
        }
    }
}
