//! Products without a summand: `matmul`, `mm`, `bmm`, `mv`, `dot`, `vdot`, `inner`, `outer`.

use std::borrow::Cow;

use super::backward;
use super::kernels::{self, check_kernel, with_number};
use super::layouts::{Matrix, batch_order, dot_order, is_small, product_order, vector_order};
use crate::ops::call::{Call, Failure, Result};
use crate::ops::pointwise::broadcast_shapes;
use crate::ops::promotion::{Operand, result_type};
use crate::ops::shape::{has_view, reshaped_in_place};
use crate::ops::{Backward, Op, dims};
use crate::tensor::{DType, Element as _, Scalar, Tensor};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "matmul",
        parameters: &["input", "other"],
        forward: matmul_call,
        backward: Backward::Rule(backward::matmul_backward),
    },
    Op {
        name: "mm",
        parameters: &["input", "mat2"],
        forward: mm_call,
        backward: Backward::Rule(backward::mm_backward),
    },
    Op {
        name: "bmm",
        parameters: &["input", "mat2"],
        forward: bmm_call,
        backward: Backward::Rule(backward::bmm_backward),
    },
    Op {
        name: "mv",
        parameters: &["input", "vec"],
        forward: mv_call,
        backward: Backward::Rule(backward::mv_backward),
    },
    Op {
        name: "dot",
        parameters: &["input", "tensor"],
        forward: |call| dot_call(call, "tensor"),
        backward: Backward::Rule(backward::dot_backward),
    },
    Op {
        name: "vdot",
        parameters: &["input", "other"],
        forward: |call| dot_call(call, "other"),
        backward: Backward::Rule(backward::dot_backward),
    },
    Op {
        name: "inner",
        parameters: &["input", "other"],
        forward: inner,
        backward: Backward::Rule(backward::inner_backward),
    },
    Op {
        name: "outer",
        parameters: &["input", "vec2"],
        forward: outer,
        backward: Backward::Rule(backward::outer_backward),
    },
    Op {
        name: "ger",
        parameters: &["input", "vec2"],
        forward: outer,
        backward: Backward::Rule(backward::outer_backward),
    },
];

fn zeros(shape: &[usize], dtype: DType) -> Tensor {
    Tensor::full(shape, Scalar::Int(0), dtype)
}

fn matmul_call(call: &Call) -> Result {
    Ok(matmul(call.tensor("input")?, call.tensor("other")?)?.into())
}

/// PyTorch's `matmul`: by the number of dimensions a dot product, a product of a matrix and a
/// vector, of two matrices, or of batches. A batch with one matrix becomes one tall matrix where
/// its strides allow that.
pub(super) fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (a, b) = (&unbatched(a, b), &unbatched(b, a));
    match (a.dim(), b.dim()) {
        (0, _) | (_, 0) => Err(Failure::runtime(format!(
            "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
            a.dim(),
            b.dim()
        ))),
        (1, 1) => dot(a, b),
        (2, 1) => mv(a, b),
        (1, 2) => Ok(mm(&row(a), b, "mm")?.reshaped(&b.shape()[1..])),
        (2, 2) => mm(a, b, "mm"),
        (rank, 1 | 2) if rank > 2 && is_foldable(a) => folded(a, b),
        (1, rank) if is_foldable(&swapped(b, rank)) => folded(&swapped(b, rank), a),
        _ => batched(a, b),
    }
}

/// A batch of one matrix beside a batch of several is that matrix.
pub(super) fn unbatched(tensor: &Tensor, other: &Tensor) -> Tensor {
    match (tensor.shape(), other.shape()) {
        (&[1, _, _], &[batch, _, _]) if batch != 1 => tensor.selected(0, 0),
        _ => tensor.clone(),
    }
}

/// A vector as a matrix of one row.
pub(super) fn row(vector: &Tensor) -> Tensor {
    vector.unsqueezed(0)
}

pub(super) fn swapped(tensor: &Tensor, rank: usize) -> Tensor {
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 2, rank - 1);
    tensor.permuted(&order)
}

/// The shape of all dimensions but the last as one.
pub(super) fn tall(tensor: &Tensor) -> [usize; 2] {
    match tensor.shape() {
        [outer @ .., inner] => [outer.iter().product(), *inner],
        [] => [1, 1],
    }
}

/// Whether all dimensions but the last are one in memory; the strides of dimensions of size 1 do
/// not count.
pub(super) fn is_foldable(tensor: &Tensor) -> bool {
    has_view(tensor.shape(), tensor.strides(), &tall(tensor))
}

/// A foldable tensor times a vector or matrix.
fn folded(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let outer = &a.shape()[..a.dim() - 1];
    let tall = reshaped_in_place(a, &tall(a));
    if b.dim() == 1 {
        return Ok(times_vector(matrix(&tall)?, b)?.reshaped(outer));
    }
    let shape = [outer, &b.shape()[1..]].concat();
    Ok(times(matrix(&tall)?, matrix(b)?, "mm")?.reshaped(&shape))
}

pub(super) fn matrix(tensor: &Tensor) -> Result<Matrix<'_>> {
    Matrix::new(tensor).ok_or_else(|| Failure::Unsupported("a matrix of other than two dimensions".into()))
}

/// Batches of matrices, whose other dimensions broadcast; a vector is a matrix for the while.
fn batched(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (left, right) = (
        if a.dim() == 1 { row(a) } else { a.clone() },
        if b.dim() == 1 { b.unsqueezed(1) } else { b.clone() },
    );
    let (a_batch, a_matrix) = left.shape().split_at(left.dim() - 2);
    let (b_batch, b_matrix) = right.shape().split_at(right.dim() - 2);
    let batch = broadcast_shapes([a_batch, b_batch])?;
    let expanded = |tensor: &Tensor, matrix: &[usize]| -> Result<Tensor> {
        let shape = [&batch[..], matrix].concat();
        dims::check_size(&shape)?;
        let flat = [&[batch.iter().product()], matrix].concat();
        Ok(reshaped_in_place(&tensor.expanded(&shape), &flat))
    };
    let product = bmm(&expanded(&left, a_matrix)?, &expanded(&right, b_matrix)?)?;
    let mut shape = batch;
    shape.extend((a.dim() > 1).then(|| a_matrix[0]));
    shape.extend((b.dim() > 1).then(|| b_matrix[1]));
    Ok(product.reshaped(&shape))
}

fn mm_call(call: &Call) -> Result {
    Ok(mm(call.tensor("input")?, call.tensor("mat2")?, "mm")?.into())
}

/// Checks that two tensors are matrices that can be multiplied, in the name of an op.
pub(super) fn check_matrices(a: &Tensor, b: &Tensor, op: &str) -> Result<()> {
    for (name, tensor) in [("self", a), ("mat2", b)] {
        if tensor.dim() != 2 {
            return Err(Failure::runtime(format!(
                "{op}: {name} must be a matrix, got {}-D tensor",
                tensor.dim()
            )));
        }
    }
    check_inner(a.shape(), b.shape(), op)
}

fn check_inner(a: &[usize], b: &[usize], op: &str) -> Result<()> {
    if let (&[rows, inner], &[other, columns]) = (a, b)
        && inner != other
    {
        return Err(Failure::runtime(format!(
            "{op}: mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {other}x{columns})"
        )));
    }
    Ok(())
}

/// Refuses matrices of two dtypes.
pub(super) fn check_dtypes(a: DType, b: DType) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "expected m1 and m2 to have the same dtype, but got: {} != {}",
        a.cpp_name(),
        b.cpp_name()
    )))
}

fn mm(a: &Tensor, b: &Tensor, op: &str) -> Result<Tensor> {
    check_matrices(a, b, op)?;
    times(matrix(a)?, matrix(b)?, op)
}

pub(super) fn times(a: Matrix, b: Matrix, op: &str) -> Result<Tensor> {
    check_inner(&a.shape, &b.shape, op)?;
    let ([rows, inner], [_, columns]) = (a.shape, b.shape);
    let dtype = a.of.dtype();
    check_dtypes(dtype, b.of.dtype())?;
    dims::check_size(&[rows, columns])?;
    if rows * inner * columns == 0 {
        return Ok(zeros(&[rows, columns], dtype));
    }
    with_number!(dtype, "addmm_impl_cpu_", T => {
        let order = product_order(dtype, a, b);
        let sums = kernels::product::<T>(order, a, b);
        Tensor::collect(&[rows, columns], sums.into_iter().map(<T as kernels::Number>::narrowed))
    })
}

fn bmm_call(call: &Call) -> Result {
    let (a, b) = (call.tensor("input")?, call.tensor("mat2")?);
    check_batches(a, b)?;
    Ok(bmm(a, b)?.into())
}

/// Checks that two tensors are batches of as many matrices that can be multiplied.
pub(super) fn check_batches(a: &Tensor, b: &Tensor) -> Result<()> {
    for (name, tensor) in [("batch1", a), ("batch2", b)] {
        if tensor.dim() != 3 {
            return Err(Failure::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    check_sizes(a.shape()[0], a.shape()[2], b.shape()[0], b.shape()[1])
}

fn check_sizes(batch: usize, inner: usize, other_batch: usize, other_inner: usize) -> Result<()> {
    if (batch, inner) == (other_batch, other_inner) {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] but got: [{other_batch}, \
         {other_inner}]."
    )))
}

/// Batches of matrices, in any number of leading dimensions that are the same in both; the result
/// has them too.
pub(super) fn bmm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (a_parts, b_parts) = (a.shape().split_at(a.dim() - 2), b.shape().split_at(b.dim() - 2));
    let ((batch, &[rows, inner]), (_, &[other, columns])) = ((a_parts.0, a_parts.1), (b_parts.0, b_parts.1))
    else {
        return Err(Failure::Unsupported("a batch of other than matrices".into()));
    };
    let count: usize = batch.iter().product();
    check_sizes(count, inner, count, other)?;
    let shape = [batch, &[rows, columns]].concat();
    dims::check_size(&shape)?;
    // The result is made like the second operand, and only a kernel minds that they differ.
    let dtype = b.dtype();
    let (left, right) = (Matrix::batch(a), Matrix::batch(b));
    let (Some(&first), Some(&second)) = (left.first(), right.first()) else {
        return Ok(zeros(&shape, dtype));
    };
    if rows * inner * columns == 0 {
        return Ok(zeros(&shape, dtype));
    }
    let kernel = batch_kernel("bmm", first, second, a.dtype(), b.dtype())?;
    with_number!(dtype, kernel, T => {
        let mut results = Vec::with_capacity(count * rows * columns);
        for (&a, &b) in left.iter().zip(&right) {
            let sums = kernels::product::<T>(batch_order(dtype, a, b), a, b);
            results.extend(sums.into_iter().map(<T as kernels::Number>::narrowed));
        }
        Tensor::collect(&shape, results)
    })
}

/// The name of the kernel that multiplies such batches, which complains about dtypes in its own
/// words.
pub(super) fn batch_kernel<'a>(
    name: &'a str,
    a: Matrix,
    b: Matrix,
    a_dtype: DType,
    b_dtype: DType,
) -> Result<&'a str> {
    let other = |expected: DType, found: DType| match expected == found {
        true => Ok(()),
        false => Err(Failure::runtime(format!(
            "expected scalar type {} but found {}",
            expected.scalar_type(),
            found.scalar_type()
        ))),
    };
    if is_small(a, b) {
        check_kernel(name, a_dtype)?;
        other(a_dtype, b_dtype)?;
        return Ok(name);
    }
    // MKL's batches go by the result, which is made like the second operand.
    match b_dtype {
        DType::Float64 | DType::Float32 => other(b_dtype, a_dtype)?,
        _ => check_dtypes(a_dtype, b_dtype)?,
    }
    Ok("addmm_impl_cpu_")
}

fn mv_call(call: &Call) -> Result {
    Ok(mv(call.tensor("input")?, call.tensor("vec")?)?.into())
}

/// The checks of `addmv`, of which `mv` is the one without a summand.
pub(super) fn check_vector(input: [usize; 2], matrix: &Tensor, vector: &Tensor) -> Result<()> {
    let [rank, size] = input;
    if (rank, matrix.dim(), vector.dim()) != (1, 2, 1) && (rank, matrix.dim(), vector.dim()) != (0, 2, 1) {
        return Err(Failure::runtime(format!(
            "vector + matrix @ vector expected, got {rank}, {}, {}",
            matrix.dim(),
            vector.dim()
        )));
    }
    let (rows, columns) = (matrix.shape()[0], matrix.shape()[1]);
    if vector.shape()[0] != columns || (size != 1 && size != rows) {
        return Err(Failure::runtime(format!(
            "size mismatch, got input ({size}), mat ({rows}x{columns}), vec ({})",
            vector.shape()[0]
        )));
    }
    Ok(())
}

/// Refuses a summand, matrix and vector that are not of one dtype.
pub(super) fn check_vector_dtypes(input: DType, matrix: DType, vector: DType) -> Result<()> {
    if input == matrix && matrix == vector {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "addmv input tensors must have the same dtype, but got {}, {}, and {}",
        input.scalar_type(),
        matrix.scalar_type(),
        vector.scalar_type()
    )))
}

pub(super) fn mv(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let rows = if a.dim() == 2 { a.shape()[0] } else { 0 };
    check_vector([1, rows], a, b)?;
    times_vector(matrix(a)?, b)
}

fn times_vector(a: Matrix, b: &Tensor) -> Result<Tensor> {
    let ([rows, inner], length) = (a.shape, b.shape().first().copied().unwrap_or(0));
    if inner != length {
        return Err(Failure::runtime(format!(
            "size mismatch, got input ({rows}), mat ({rows}x{inner}), vec ({length})"
        )));
    }
    let dtype = b.dtype();
    check_vector_dtypes(dtype, a.of.dtype(), dtype)?;
    if rows * inner == 0 {
        return Ok(zeros(&[rows], dtype));
    }
    let order = vector_order(dtype, a, b.strides()[0]);
    with_number!(dtype, "addmv_impl_cpu", T => {
        let sums = kernels::product::<T>(order, a, Matrix::column(b));
        Tensor::collect(&[rows], sums.into_iter().map(<T as kernels::Number>::narrowed))
    })
}

fn dot_call(call: &Call, other: &str) -> Result {
    Ok(dot(call.tensor("input")?, call.tensor(other)?)?.into())
}

fn dot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if (a.dim(), b.dim()) != (1, 1) {
        return Err(Failure::runtime(format!(
            "1D tensors expected, but got {}D and {}D tensors",
            a.dim(),
            b.dim()
        )));
    }
    let dtype = a.dtype();
    if dtype != b.dtype() {
        return Err(Failure::runtime(format!(
            "dot : expected both vectors to have same dtype, but found {} and {}",
            dtype.scalar_type(),
            b.dtype().scalar_type()
        )));
    }
    if a.shape() != b.shape() {
        return Err(Failure::runtime(format!(
            "inconsistent tensor size, expected tensor {:?} and src {:?} to have the same number of elements, but got {} \
             and {} elements respectively",
            a.shape(),
            b.shape(),
            a.numel(),
            b.numel()
        )));
    }
    with_number!(dtype, "dot", T => {
        let (x, y): (Cow<[T]>, Cow<[T]>) = (a.values::<T>(), b.values::<T>());
        Tensor::scalar(<T as kernels::Number>::narrowed(kernels::dot(dot_order(dtype, a, b), &x, &y)))
    })
}

/// Sums over the last dimension of both.
fn inner(call: &Call) -> Result {
    let (a, b) = (call.tensor("input")?, call.tensor("other")?);
    if a.dim() == 0 || b.dim() == 0 {
        return Ok(multiplied(a, b)?.into());
    }
    let (a_last, b_last) = (a.shape()[a.dim() - 1], b.shape()[b.dim() - 1]);
    if a_last != b_last {
        return Err(Failure::runtime(format!(
            "inner() the last dimension must match on both input tensors but got shapes {:?} and {:?}",
            a.shape(),
            b.shape()
        )));
    }
    if a.dtype() != b.dtype() {
        return Err(Failure::runtime("both inputs should have same dtype"));
    }
    if (a.dim(), b.dim()) == (1, 1) {
        return Ok(dot(a, b)?.into());
    }
    let (left, right) = inner_factors(a, b);
    let shape = [&a.shape()[..a.dim() - 1], &b.shape()[..b.dim() - 1]].concat();
    Ok(times(matrix(&left)?, matrix(&right)?, "mm")?.reshaped(&shape).into())
}

/// The matrices whose product is the inner product of two tensors (`tensordot`): all dimensions
/// but the last are one. A second factor with nothing to sum is a sum of one term each, a copy.
pub(super) fn inner_factors(a: &Tensor, b: &Tensor) -> (Tensor, Tensor) {
    let length = a.shape()[a.dim() - 1];
    let b = if length == 1 { b.contiguous() } else { b.clone() };
    let turned: Vec<usize> = std::iter::once(b.dim() - 1).chain(0..b.dim() - 1).collect();
    let columns = b.shape()[..b.dim() - 1].iter().product();
    (reshaped_in_place(a, &tall(a)), reshaped_in_place(&b.permuted(&turned), &[length, columns]))
}

fn outer(call: &Call) -> Result {
    let (a, b) = (call.tensor("input")?, call.tensor("vec2")?);
    for (name, tensor) in [("self", a), ("vec2", b)] {
        if tensor.dim() != 1 {
            return Err(Failure::runtime(format!(
                "outer: Expected 1-D argument {name}, but got {}-D",
                tensor.dim()
            )));
        }
    }
    Ok(multiplied(&a.unsqueezed(1), b)?.into())
}

/// The element-wise product in the promoted dtype; 16-bit floats multiply in float32.
fn multiplied(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = result_type(&[Operand::Tensor(a), Operand::Tensor(b)])?;
    let shape = broadcast_shapes([a.shape(), b.shape()])?;
    let (a, b) = (a.to_dtype(dtype).expanded(&shape), b.to_dtype(dtype).expanded(&shape));
    if matches!(dtype, DType::Bool | DType::UInt32) {
        // Wrapped to the dtype, and for bool "and".
        let (x, y) = (a.values::<i64>(), b.values::<i64>());
        let each = x.iter().zip(y.iter()).map(|(x, y)| Scalar::Int(x.wrapping_mul(*y)));
        return Ok(with_type!(dtype, T => Tensor::collect(&shape, each.map(T::from_scalar))));
    }
    with_number!(dtype, "mul", T => {
        let (x, y): (Cow<[T]>, Cow<[T]>) = (a.values::<T>(), b.values::<T>());
        let each = x.iter().zip(y.iter()).map(|(&x, &y)| product_of(x, y));
        Tensor::collect(&shape, each)
    })
}

fn product_of<T: kernels::Number>(a: T, b: T) -> T {
    T::narrowed(T::times(a.widened(), b.widened()))
}
