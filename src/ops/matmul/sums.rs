//! Products added to something: `addmm`, `addmv`, `addr`, `baddbmm`, `addbmm`, `linear`.
//!
//! All give `beta * input + alpha * product`, where a `beta` of 0 drops the input, NaN and all.

use super::backward;
use super::kernels::{self, Number, Order, with_number};
use super::layouts::{Matrix, is_short, is_small, lies_as_columns, product_order, vector_order};
use super::products::{
    batch_kernel, check_batches, check_matrices, check_vector, check_vector_dtypes, matmul,
};
use crate::ops::call::{Call, Failure, Result, Returned};
use crate::ops::numerics::elementwise::VectorPart;
use crate::ops::promotion::{Operand, check_overflow, result_type};
use crate::ops::shape::expand_to;
use crate::ops::{Backward, Op, dims};
use crate::tensor::{DType, Scalar, Tensor, layout};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "addmm",
        parameters: &["input", "mat1", "mat2", "beta", "alpha"],
        forward: addmm_call,
        backward: Backward::Rule(backward::addmm_backward),
    },
    Op {
        name: "addmv",
        parameters: &["input", "mat", "vec", "beta", "alpha"],
        forward: addmv,
        backward: Backward::Rule(backward::addmv_backward),
    },
    Op {
        name: "addr",
        parameters: &["input", "vec1", "vec2", "beta", "alpha"],
        forward: addr,
        backward: Backward::Rule(backward::addr_backward),
    },
    Op {
        name: "baddbmm",
        parameters: &["input", "batch1", "batch2", "beta", "alpha"],
        forward: baddbmm,
        backward: Backward::Rule(backward::baddbmm_backward),
    },
    Op {
        name: "addbmm",
        parameters: &["input", "batch1", "batch2", "beta", "alpha"],
        forward: addbmm,
        backward: Backward::Rule(backward::addbmm_backward),
    },
    Op {
        name: "linear",
        parameters: &["input", "weight", "bias"],
        forward: linear,
        backward: Backward::Rule(backward::linear_backward),
    },
];

/// The numbers that scale the input and the product.
#[derive(Clone, Copy)]
struct Scales {
    beta: Scalar,
    alpha: Scalar,
}

/// The scales of a plain sum.
const PLAIN: Scales = Scales { beta: Scalar::Int(1), alpha: Scalar::Int(1) };

/// What becomes of a sum of products in the 16-bit floats; to the other dtypes all are one.
/// Measured where the two terms cancel: there even a last bit of float32 shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// In float32, unfused: small batches.
    Plain,
    /// In float32, `beta * input` fused into the sum: matrices.
    Fused,
    /// As dot products of the rows with a vector: only the scales are rounded first.
    Dots,
    /// As a row-major matrix times a vector: the scaled input is rounded too.
    Row,
    /// As a matrix in columns times a vector, whose elements are scaled before anything is added:
    /// the sum is rounded as well.
    Column,
}

impl Ending {
    /// The ending for a dtype.
    fn for_dtype(self, dtype: DType) -> Ending {
        if is_short(dtype) { self } else { Ending::Plain }
    }
}

impl Scales {
    fn of(call: &Call) -> Result<Scales> {
        let scale = |parameter: &str| Ok(call.scalar(parameter)?.unwrap_or(Scalar::Int(1)));
        Ok(Scales { beta: scale("beta")?, alpha: scale("alpha")? })
    }

    /// Refuses scales that the type of the final arithmetic cannot hold.
    fn check(self, dtype: DType) -> Result<()> {
        let arithmetic = match dtype {
            DType::Float16 | DType::BFloat16 => DType::Float32,
            other => other,
        };
        check_overflow(self.alpha, arithmetic)?;
        check_overflow(self.beta, arithmetic)
    }

    /// `beta * input + alpha * sum`, or without the input where `beta` is 0.
    fn apply<T: Number>(self, ending: Ending, input: T, sum: T::Sum) -> T {
        let (alpha, beta) = match ending {
            Ending::Dots | Ending::Row | Ending::Column => {
                (T::factor_within(self.alpha), T::factor_within(self.beta))
            }
            _ => (T::factor(self.alpha), T::factor(self.beta)),
        };
        let rounded = |sum: T::Sum| T::narrowed(sum).widened();
        let product = match ending {
            Ending::Column => rounded(sum),
            _ => T::times(alpha, sum),
        };
        if self.drops_input(T::DTYPE) {
            return T::narrowed(product);
        }
        T::narrowed(match ending {
            Ending::Fused => T::fused(beta, input.widened(), product),
            Ending::Plain | Ending::Dots => T::plus(T::times(beta, input.widened()), product),
            Ending::Row | Ending::Column => T::plus(rounded(T::times(beta, input.widened())), product),
        })
    }

    /// One element of `addr`. Every operation rounds to the dtype, but the last sum is fused: in
    /// vectors with the product, in the scalar rest with the scaled input.
    fn outer_element<T: Number>(self, in_vector: bool, input: T, a: T, b: T) -> T {
        let rounded = |sum: T::Sum| T::narrowed(sum).widened();
        let (alpha, beta) = (T::factor_within(self.alpha), T::factor_within(self.beta));
        let (scaled, b, input) = (rounded(T::times(alpha, a.widened())), b.widened(), input.widened());
        if self.drops_input(T::DTYPE) {
            return T::narrowed(T::times(scaled, b));
        }
        T::narrowed(if is_short(T::DTYPE) {
            T::plus(rounded(T::times(beta, input)), rounded(T::times(scaled, b)))
        } else if in_vector {
            T::fused(scaled, b, T::times(beta, input))
        } else {
            T::fused(beta, input, T::times(scaled, b))
        })
    }

    /// Whether `beta` is 0, for integers after truncation.
    fn drops_input(self, dtype: DType) -> bool {
        if dtype.is_floating() { self.beta.to_f64() == 0.0 } else { self.beta.to_i64() == 0 }
    }
}

/// `beta * input`, as PyTorch's element-wise product writes it back to the input's dtype.
fn scaled(input: &Tensor, beta: Scalar) -> Result<Tensor> {
    let dtype = input.dtype();
    if beta.to_f64() == 0.0 {
        return Ok(Tensor::full(input.shape(), Scalar::Int(0), dtype));
    }
    let found = result_type(&[Operand::Tensor(input), Operand::Number(beta)])?;
    check_cast(found, dtype)?;
    Ok(scaled_within(input, beta))
}

/// Refuses to store a result in a dtype of a lower kind.
fn check_cast(from: DType, to: DType) -> Result<()> {
    let kind = |dtype: DType| match dtype {
        DType::Bool => 0,
        other if other.is_integer() => 1,
        _ => 2,
    };
    if kind(from) <= kind(to) {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "result type {} can't be cast to the desired output type {}",
        from.scalar_type(),
        to.scalar_type()
    )))
}

/// `beta * input` with `beta` first made a value of the dtype.
fn scaled_within(input: &Tensor, beta: Scalar) -> Tensor {
    fn each<T: Number>(input: &Tensor, beta: Scalar) -> Tensor {
        let beta = T::factor_within(beta);
        let values = input.values::<T>();
        Tensor::collect(
            input.shape(),
            values.iter().map(|value| T::narrowed(T::times(value.widened(), beta))),
        )
    }
    let product: Result<Tensor> = with_number!(input.dtype(), "mul", T => each::<T>(input, beta));
    product.unwrap_or_else(|_| {
        // bool is "and", and uint32 wraps.
        let factor = if input.dtype() == DType::Bool { i64::from(beta.to_bool()) } else { beta.to_i64() };
        let values = input.values::<i64>();
        Tensor::collect(input.shape(), values.iter().map(|value| value.wrapping_mul(factor)))
            .to_dtype(input.dtype())
    })
}

/// The sum of an input of the result's shape and a product given row by row.
fn combined<T: Number>(input: &Tensor, sums: Vec<T::Sum>, scales: Scales, ending: Ending) -> Vec<T> {
    let (values, ending) = (input.values::<T>(), ending.for_dtype(T::DTYPE));
    values.iter().zip(sums).map(|(&value, sum)| scales.apply::<T>(ending, value, sum)).collect()
}

fn as_sizes<const N: usize>(shape: [usize; N]) -> [i64; N] {
    shape.map(|size| size as i64)
}

fn addmm_call(call: &Call) -> Result {
    let (input, a, b) = (call.tensor("input")?, call.tensor("mat1")?, call.tensor("mat2")?);
    Ok(addmm(input, a, b, Scales::of(call)?)?.into())
}

fn addmm(input: &Tensor, a: &Tensor, b: &Tensor, scales: Scales) -> Result<Tensor> {
    check_matrices(a, b, "addmm")?;
    if input.dtype() != b.dtype() {
        return Err(Failure::runtime(format!(
            "self and mat2 must have the same dtype, but got {} and {}",
            input.dtype().scalar_type(),
            b.dtype().scalar_type()
        )));
    }
    if a.dtype() != b.dtype() {
        return Err(Failure::runtime(format!(
            "mat1 and mat2 must have the same dtype, but got {} and {}",
            a.dtype().scalar_type(),
            b.dtype().scalar_type()
        )));
    }
    let (rows, inner, columns) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    dims::check_size(&[rows, columns])?;
    let input = expand_to(input, &as_sizes([rows, columns]))?;
    add_product(&input, a, b, scales, inner)
}

/// `addmm` with an input of the result's shape.
fn add_product(input: &Tensor, a: &Tensor, b: &Tensor, scales: Scales, inner: usize) -> Result<Tensor> {
    let (Some(a), Some(b)) = (Matrix::new(a), Matrix::new(b)) else {
        return Err(Failure::Unsupported("addmm of other than matrices".into()));
    };
    if input.numel() == 0 {
        return Ok(input.contiguous());
    }
    if inner == 0 {
        return scaled(input, scales.beta);
    }
    let dtype = input.dtype();
    kernels::check_kernel("addmm_impl_cpu_", dtype)?;
    scales.check(dtype)?;
    with_number!(dtype, "addmm_impl_cpu_", T => {
        Tensor::collect(input.shape(), matrix_sum::<T>(input, a, b, scales))
    })
}

/// One matrix's sum with its input, row by row.
fn matrix_sum<T: Number>(input: &Tensor, a: Matrix, b: Matrix, scales: Scales) -> Vec<T> {
    match product_order(T::DTYPE, a, b) {
        Order::Fused => accumulated::<T>(input, a, b, scales),
        order => combined::<T>(input, product_unless::<T>(scales, order, a, b), scales, Ending::Fused),
    }
}

/// The sums of products; zeros where `alpha` is 0 and BLAS does not look at the operands.
fn product_unless<T: Number>(scales: Scales, order: Order, a: Matrix, b: Matrix) -> Vec<T::Sum> {
    let skipped = matches!(T::DTYPE, DType::Float64 | DType::Float32) && scales.alpha.to_f64() == 0.0;
    if skipped { vec![T::ZERO; a.shape[0] * b.shape[1]] } else { kernels::product::<T>(order, a, b) }
}

/// The sums of a matrix times a vector that is scaled first.
fn scaled_sums<T: Number>(alpha: T::Sum, matrix: &[T], vector: &[T]) -> Vec<T::Sum> {
    let scaled: Vec<T::Sum> = vector.iter().map(|value| T::times(alpha, value.widened())).collect();
    let sum = |row: &[T]| {
        row.iter().zip(&scaled).fold(T::ZERO, |sum, (a, &b)| T::plus(sum, T::times(b, a.widened())))
    };
    matrix.chunks(vector.len().max(1)).map(sum).collect()
}

/// The 16-bit floats' loop in order: it starts from `beta * input` and adds, fused, each product
/// with `alpha` already in the left factor (in the right one, for a result of one column).
fn accumulated<T: Number>(input: &Tensor, a: Matrix, b: Matrix, scales: Scales) -> Vec<T> {
    let ([_, inner], width) = (a.shape, b.shape[1]);
    let (rows, columns) = (a.values::<T>(), b.t().values::<T>());
    let (alpha, beta) = (T::factor(scales.alpha), T::factor(scales.beta));
    let each = |(at, value): (usize, &T)| {
        let start = match scales.drops_input(T::DTYPE) {
            true => T::ZERO,
            false => T::times(beta, value.widened()),
        };
        let pairs = rows[at / width * inner..][..inner].iter().zip(&columns[at % width * inner..][..inner]);
        T::narrowed(pairs.fold(start, |sum, (&a, &b)| {
            let (scaled, other) = if width == 1 { (b, a) } else { (a, b) };
            T::fused(other.widened(), T::times(scaled.widened(), alpha), sum)
        }))
    };
    input.values::<T>().iter().enumerate().map(each).collect()
}

fn addmv(call: &Call) -> Result {
    let (input, a, b) = (call.tensor("input")?, call.tensor("mat")?, call.tensor("vec")?);
    check_vector([input.dim(), input.numel()], a, b)?;
    check_vector_dtypes(input.dtype(), a.dtype(), b.dtype())?;
    let (rows, inner) = (a.shape()[0], a.shape()[1]);
    let scales = Scales::of(call)?;
    let Some(matrix) = Matrix::new(a).filter(|_| rows * inner > 0) else {
        if scales.beta.to_f64() == 0.0 {
            return Ok(Tensor::full(&[rows], Scalar::Int(0), input.dtype()).into());
        }
        if !is_short(input.dtype()) {
            check_overflow(scales.beta, input.dtype())?;
        }
        // The input keeps its shape, even one that would have been expanded.
        let mut warnings = Vec::new();
        if rows > 0 && input.shape() != [rows] {
            warnings.push(dims::resize_warning(&[rows], input.shape()));
        }
        return Ok(Returned { outputs: vec![scaled_within(input, scales.beta)], warnings });
    };
    let input = expand_to(input, &as_sizes([rows]))?;
    let dtype = input.dtype();
    kernels::check_kernel("addmv_impl_cpu", dtype)?;
    scales.check(dtype)?;
    let order = vector_order(dtype, matrix, b.strides()[0]);
    // The dot products are for a plain sum only, and in bfloat16 for none at all.
    let is_one = |scale: Scalar| Tensor::full(&[], scale, dtype).scalars().all(|scale| scale.to_f64() == 1.0);
    let dots = is_one(scales.alpha) && (dtype == DType::Float16 || scales.beta.to_f64() == 0.0);
    let (order, ending) = match order {
        _ if lies_as_columns(matrix) => (Order::Sequential, Ending::Column),
        Order::Lanes if dots => (Order::Lanes, Ending::Dots),
        _ => (Order::Sequential, Ending::Row),
    };
    let sum: Result<Tensor> = with_number!(dtype, "addmv_impl_cpu", T => {
        let sums = match ending.for_dtype(dtype) {
            Ending::Column => {
                scaled_sums(T::factor_within(scales.alpha), &matrix.values::<T>(), &b.values::<T>())
            }
            _ => product_unless::<T>(scales, order, matrix, Matrix::column(b)),
        };
        Tensor::collect(&[rows], combined::<T>(&input, sums, scales, ending))
    });
    Ok(sum?.into())
}

/// The outer product, element by element.
fn addr(call: &Call) -> Result {
    let (input, a, b) = (call.tensor("input")?, call.tensor("vec1")?, call.tensor("vec2")?);
    let scales = Scales::of(call)?;
    for (name, tensor) in [("vec1", a), ("vec2", b)] {
        if tensor.dim() != 1 {
            return Err(Failure::runtime(format!(
                "addr: Expected 1-D argument {name}, but got {}-D",
                tensor.dim()
            )));
        }
    }
    let shape = [a.shape()[0], b.shape()[0]];
    dims::check_size(&shape)?;
    let input = expand_to(input, &as_sizes(shape))?;
    let operands = [&input, a, b].map(Operand::Tensor);
    let dtype = result_type(&operands)?;
    for (name, scale) in [("beta", scales.beta), ("alpha", scales.alpha)] {
        match scale {
            Scalar::Bool(_) if dtype != DType::Bool => {
                return Err(Failure::runtime(format!("Boolean {name} only supported for Boolean results.")));
            }
            Scalar::Float(_) if !dtype.is_floating() => {
                return Err(Failure::runtime(format!(
                    "For integral input tensors, argument {name} must not be a floating point number."
                )));
            }
            _ => {}
        }
    }
    if dtype == DType::Bool {
        let (x, y) = (a.values::<bool>(), b.values::<bool>());
        let pairs = x.iter().flat_map(|&x| y.iter().map(move |&y| x && y));
        let (beta, alpha) = (scales.beta.to_bool(), scales.alpha.to_bool());
        let each = input
            .values::<bool>()
            .iter()
            .zip(pairs)
            .map(|(&value, pair)| (beta && value) || (alpha && pair))
            .collect::<Vec<_>>();
        return Ok(Tensor::collect(&shape, each).into());
    }
    kernels::check_kernel("addr_cpu", dtype)?;
    scales.check(dtype)?;
    let [x, y] = [a.unsqueezed(1), b.clone()].map(|vector| vector.to_dtype(dtype).expanded(&shape));
    let input = input.to_dtype(dtype);
    let part = VectorPart::new([&input, &x, &y], dtype);
    let sum: Result<Tensor> = with_number!(dtype, "addr_cpu", T => {
        let (values, x, y) = (input.values::<T>(), x.values::<T>(), y.values::<T>());
        let each = (0..values.len()).map(|i| scales.outer_element(part.holds(i), values[i], x[i], y[i]));
        Tensor::collect(&shape, each)
    });
    Ok(sum?.into())
}

/// The size of a dimension, refused where there is none, as PyTorch's `size(dim)` does.
fn size(tensor: &Tensor, dim: i64) -> Result<usize> {
    let dim = dims::wrap(dim, tensor.dim())?;
    tensor
        .shape()
        .get(dim)
        .copied()
        .ok_or_else(|| Failure::index(format!("Dimension specified as {dim} but tensor has no dimensions")))
}

fn baddbmm(call: &Call) -> Result {
    let (input, a, b) = (call.tensor("input")?, call.tensor("batch1")?, call.tensor("batch2")?);
    let scales = Scales::of(call)?;
    let shape = [size(a, 0)?, size(a, 1)?, size(b, 2)?];
    dims::check_size(&shape)?;
    let input = expand_to(input, &as_sizes(shape))?;
    if input.dtype() != a.dtype() {
        return Err(Failure::runtime(format!(
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
            input.dtype().cpp_name(),
            a.dtype().cpp_name(),
            b.dtype().cpp_name()
        )));
    }
    check_batches(a, b)?;
    // The result is made like the second operand, and only a kernel minds that they differ.
    if input.numel() == 0 {
        return Ok(input.to_dtype(b.dtype()).into());
    }
    let inner = a.shape()[2];
    if inner == 0 {
        return Ok(scaled(&input.to_dtype(b.dtype()), scales.beta)?.into());
    }
    let (left, right) = (Matrix::batch(a), Matrix::batch(b));
    let (Some(&first), Some(&second)) = (left.first(), right.first()) else {
        return Ok(input.contiguous().into());
    };
    let dtype = input.dtype();
    let kernel = batch_kernel("baddbmm", first, second, a.dtype(), b.dtype())?;
    kernels::check_kernel(kernel, dtype)?;
    scales.check(dtype)?;
    let sum: Result<Tensor> = with_number!(dtype, kernel, T => {
        let small = is_small(first, second);
        let parts = left.iter().zip(&right).enumerate().flat_map(|(number, (&a, &b))| {
            let part = input.selected(0, number);
            if !small {
                return matrix_sum::<T>(&part, a, b, scales);
            }
            combined::<T>(&part, kernels::product::<T>(Order::Sequential, a, b), scales, Ending::Plain)
        });
        Tensor::collect(&shape, parts)
    });
    Ok(sum?.into())
}

/// The batch's products are added one after the other, each sum rounded to the dtype.
fn addbmm(call: &Call) -> Result {
    let (input, a, b) = (call.tensor("input")?, call.tensor("batch1")?, call.tensor("batch2")?);
    let scales = Scales::of(call)?;
    let shape = [size(a, 1)?, size(b, 2)?];
    dims::check_size(&shape)?;
    let input = expand_to(input, &as_sizes(shape))?;
    for (name, tensor) in [("batch1", a), ("batch2", b)] {
        if tensor.dim() != 3 {
            return Err(Failure::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    let (&[batch, rows, inner], &[other_batch, other, columns]) = (a.shape(), b.shape()) else {
        return Err(Failure::Unsupported("addbmm of other than batches".into()));
    };
    if batch != other_batch {
        return Err(Failure::runtime(format!(
            "batch1 and batch2 must have same number of batches, got {batch} and {other_batch}"
        )));
    }
    if inner != other {
        return Err(Failure::runtime(format!(
            "Incompatible matrix sizes for bmm ({rows}x{inner} and {other}x{columns})"
        )));
    }
    if batch == 0 {
        return Ok(scaled(&input, scales.beta)?.into());
    }
    let (mut sum, mut next) = (input, scales);
    for number in 0..batch {
        sum = addmm(&sum, &a.selected(0, number), &b.selected(0, number), next)?;
        next.beta = Scalar::Int(1);
    }
    Ok(sum.into())
}

/// `input @ weight.t() + bias`. With a bias, matrices, and contiguous inputs under a contiguous
/// bias of one dimension, go through `addmm` and are rounded once; others are rounded before the
/// bias comes.
fn linear(call: &Call) -> Result {
    let (input, weight) = (call.tensor("input")?, call.tensor("weight")?);
    if input.dim() == 0 || weight.dim() == 0 {
        return Err(Failure::runtime(format!(
            "both arguments to linear need to be at least 1D, but they are {}D and {}D",
            input.dim(),
            weight.dim()
        )));
    }
    let turned = turned(weight)?;
    if call.get("bias").is_none() {
        return Ok(matmul(input, &turned)?.into());
    }
    let bias = call.tensor("bias")?;
    let Some((&inner, outer)) = input.shape().split_last().filter(|_| flattens(input, bias)) else {
        return Ok(added(&matmul(input, &turned)?, bias)?.into());
    };
    let rows = match input.dim() {
        2 => input.clone(),
        _ => input.reshaped(&[outer.iter().product(), inner]),
    };
    let sum = addmm(bias, &rows, &turned, PLAIN)?;
    Ok(sum.reshaped(&[outer, &sum.shape()[1..]].concat()).into())
}

/// PyTorch's `t()` of a weight.
pub(super) fn turned(weight: &Tensor) -> Result<Tensor> {
    match weight.dim() {
        1 => Ok(weight.clone()),
        2 => Ok(weight.permuted(&[1, 0])),
        rank => {
            Err(Failure::runtime(format!("t() expects a tensor with <= 2 dimensions, but self is {rank}D")))
        }
    }
}

/// Whether `linear` with a bias is one `addmm`.
pub(super) fn flattens(input: &Tensor, bias: &Tensor) -> bool {
    input.dim() == 2 || (bias.dim() == 1 && bias.is_contiguous() && input.is_contiguous())
}

/// `output += bias`.
fn added(output: &Tensor, bias: &Tensor) -> Result<Tensor> {
    let dtype = result_type(&[Operand::Tensor(output), Operand::Tensor(bias)])?;
    check_cast(dtype, output.dtype())?;
    let shape = layout::broadcast(output.shape(), bias.shape()).map_err(|mismatch| {
        Failure::runtime(format!(
            "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
            mismatch.left, mismatch.right, mismatch.dim
        ))
    })?;
    if shape != output.shape() {
        return Err(Failure::runtime(format!(
            "output with shape {:?} doesn't match the broadcast shape {shape:?}",
            output.shape()
        )));
    }
    let (left, right) = (output.to_dtype(dtype), bias.to_dtype(dtype).expanded(&shape));
    let sum: Result<Tensor> = with_number!(dtype, "add", T => {
        let values = left.values::<T>();
        let sums = values.iter().map(|value| value.widened()).collect();
        Tensor::collect(&shape, combined::<T>(&right, sums, PLAIN, Ending::Plain))
    });
    Ok(sum?.to_dtype(output.dtype()))
}
