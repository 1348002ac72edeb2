//! Element-wise ops with broadcasting: the comparisons `eq`, `ne`, `lt`, `le`, `gt`, `ge`, and
//! the conversions `to` and `item`.
//!
//! Comparisons take place in the promoted type and answer bool; every one but `ne` is false for
//! NaN.

use super::call::{Call, Failure, Result, refuse_uint32};
use super::dims;
use super::numerics::elementwise::VectorPart;
use super::numerics::extremes::End;
use super::numerics::product::Fold as _;
use super::promotion::{Operand, result_type};
use super::{Backward, Op};
use crate::tensor::{DType, Element, Tensor, layout};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "eq",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Eq),
        backward: Backward::Unwritten,
    },
    Op {
        name: "ne",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Ne),
        backward: Backward::Unwritten,
    },
    Op {
        name: "lt",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Lt),
        backward: Backward::Unwritten,
    },
    Op {
        name: "le",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Le),
        backward: Backward::Unwritten,
    },
    Op {
        name: "gt",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Gt),
        backward: Backward::Unwritten,
    },
    Op {
        name: "ge",
        parameters: &["input", "other"],
        forward: |call| compare(call, Comparison::Ge),
        backward: Backward::Unwritten,
    },
    Op { name: "to", parameters: &["input", "dtype"], forward: to, backward: Backward::Unwritten },
    Op { name: "item", parameters: &["input"], forward: item, backward: Backward::Unwritten },
];

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

/// Both operands in one dtype and shape.
fn together(operands: &[Operand; 2], dtype: DType) -> Result<[Tensor; 2]> {
    let shape = broadcast_shapes(operands.iter().map(Operand::shape))?;
    Ok(operands.each_ref().map(|operand| operand.to_tensor(dtype).expanded(&shape)))
}

#[derive(Clone, Copy)]
enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// Name of PyTorch's kernel, if it has none for uint32.
    fn kernel(self) -> Option<&'static str> {
        match self {
            Comparison::Eq | Comparison::Ne => None,
            Comparison::Lt => Some("lt_cpu"),
            Comparison::Le => Some("le_cpu"),
            Comparison::Gt => Some("gt_cpu"),
            Comparison::Ge => Some("ge_cpu"),
        }
    }

    fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }
    }
}

fn compare(call: &Call, comparison: Comparison) -> Result {
    let operands = [call.operand("input")?, call.operand("other")?];
    let dtype = result_type(&operands)?;
    if let Some(kernel) = comparison.kernel() {
        refuse_uint32(kernel, dtype)?;
    }
    let [a, b] = together(&operands, dtype)?;
    fn each<T: Element>(a: &Tensor, b: &Tensor, comparison: Comparison) -> Tensor {
        let (x, y) = (a.values::<T>(), b.values::<T>());
        Tensor::collect(a.shape(), x.iter().zip(y.iter()).map(|(&x, &y)| comparison.holds(x, y)))
    }
    Ok(with_type!(dtype, T => each::<T>(&a, &b, comparison)).into())
}

/// `maximum` and `minimum` of two operands: NaN propagates. On a tie (of zeros) PyTorch's vector
/// code keeps the second operand and its scalar code the first, so the sign depends on where the
/// element lies.
pub(crate) fn extreme(end: End, operands: &[Operand; 2]) -> Result<Tensor> {
    let dtype = result_type(operands)?;
    let operands = together(operands, dtype)?;
    let part = VectorPart::new(operands.each_ref(), dtype);
    fn each<T: Element>(end: End, [a, b]: &[Tensor; 2], part: &VectorPart) -> Tensor {
        let (x, y) = (a.values::<T>(), b.values::<T>());
        let pairs = x.iter().zip(y.iter()).enumerate();
        let chosen =
            pairs.map(|(i, (&x, &y))| if part.holds(i) { end.vector(x, y) } else { end.scalar(x, y) });
        Tensor::collect(a.shape(), chosen)
    }
    Ok(with_type!(dtype, T => each::<T>(end, &operands, &part)))
}

fn to(call: &Call) -> Result {
    let input = call.tensor("input")?;
    Ok(input.to_dtype(call.dtype("dtype")?.unwrap_or(input.dtype())).into())
}

fn item(call: &Call) -> Result {
    let input = call.tensor("input")?;
    match input.numel() {
        1 => Ok(input.reshaped(&[]).into()),
        n => Err(Failure::runtime(format!("a Tensor with {n} elements cannot be converted to Scalar"))),
    }
}
