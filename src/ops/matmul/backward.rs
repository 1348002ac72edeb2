//! Gradients of products: more products, with transposed factors.
//!
//! Sources: `derivatives.yaml` for the formulas; `mm_mat1_backward` and `mm_mat2_backward` for the
//! layouts, which choose the order in which 16-bit floats are added; and `matmul` in
//! `LinearAlgebra.cpp` for what stands in for it under autograd: a batch is folded into one tall
//! matrix wherever the smaller factor wants a gradient, even if that takes a copy.

use super::products::{self, inner_factors, is_foldable, matrix, row, swapped, tall, unbatched};
use super::sums::{flattens, turned};
use crate::ops::call::{Failure, Result};
use crate::ops::pointwise::broadcast_shapes;
use crate::ops::shape::reshaped_in_place;
use crate::ops::{Gradients, Pass, eager};
use crate::tensor::Tensor;

/// How a gradient is computed, if it is wanted.
type Formula<'a> = &'a dyn Fn() -> Result<Tensor>;

/// The gradients of two factors, each only if it is wanted.
type Pair = [Option<Tensor>; 2];

fn pair([wants_a, wants_b]: [bool; 2], of_a: Formula, of_b: Formula) -> Result<Pair> {
    let wanted = |wants: bool, formula: Formula| wants.then(formula).transpose();
    Ok([wanted(wants_a, of_a)?, wanted(wants_b, of_b)?])
}

/// Gradients by name of two inputs.
fn named(pass: &Pass, names: [&str; 2], gradients: Pair) -> Gradients {
    let pairs = names.into_iter().zip(gradients).filter(|(name, _)| pass.wants(name));
    pairs.map(|(name, gradient)| (name.to_owned(), vec![gradient])).collect()
}

/// A gradient times the number that scaled its term of a sum, unless that is 1 (`maybe_multiply`).
fn scaled(pass: &Pass, parameter: &str, gradient: Tensor) -> Result<Tensor> {
    match pass.call.scalar(parameter)? {
        Some(factor) if factor.to_f64() != 1.0 => eager::mul(&gradient, factor),
        _ => Ok(gradient),
    }
}

fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    products::times(matrix(a)?, matrix(b)?, "mm")
}

/// The outer product of two vectors.
fn ger(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    eager::mul(&a.unsqueezed(1), b)
}

/// The last two dimensions swapped.
fn t(tensor: &Tensor) -> Tensor {
    swapped(tensor, tensor.dim())
}

/// Whether a matrix lies column by column without gaps. The strides of dimensions of size 1 count.
fn lies_as_columns(matrix: &Tensor) -> bool {
    matches!((matrix.shape(), matrix.strides()), (&[rows, _], &[1, across]) if across == rows)
}

/// The gradient of the left factor of a product of matrices: one that lies as columns has a
/// gradient that does.
fn of_left(cotangent: &Tensor, left: &Tensor, right: &Tensor) -> Result<Tensor> {
    if lies_as_columns(left) { Ok(t(&mm(right, &t(cotangent))?)) } else { mm(cotangent, &t(right)) }
}

fn of_right(cotangent: &Tensor, left: &Tensor, right: &Tensor) -> Result<Tensor> {
    if lies_as_columns(right) { Ok(t(&mm(&t(cotangent), left)?)) } else { mm(&t(left), cotangent) }
}

/// The gradients of the factors of a product of batches.
pub(crate) fn of_left_batch(cotangent: &Tensor, right: &Tensor) -> Result<Tensor> {
    products::bmm(cotangent, &t(right))
}

pub(crate) fn of_right_batch(cotangent: &Tensor, left: &Tensor) -> Result<Tensor> {
    products::bmm(&t(left), cotangent)
}

pub(super) fn mm_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, right) = (pass.call.tensor("input")?, pass.call.tensor("mat2")?);
    pass.each(&[
        ("input", &|| of_left(&cotangent, left, right)),
        ("mat2", &|| of_right(&cotangent, left, right)),
    ])
}

pub(super) fn bmm_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, right) = (pass.call.tensor("input")?, pass.call.tensor("mat2")?);
    pass.each(&[
        ("input", &|| of_left_batch(&cotangent, right)),
        ("mat2", &|| of_right_batch(&cotangent, left)),
    ])
}

pub(super) fn mv_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, vector) = (pass.call.tensor("input")?, pass.call.tensor("vec")?);
    pass.each(&[("input", &|| ger(&cotangent, vector)), ("vec", &|| products::mv(&t(left), &cotangent))])
}

/// `dot` and `vdot`, whose second factors have different names.
pub(super) fn dot_backward(pass: &Pass) -> Result<Gradients> {
    let other = if pass.call.op == "dot" { "tensor" } else { "other" };
    let cotangent = pass.cotangent(0)?;
    pass.each(&[
        ("input", &|| eager::mul(&cotangent, pass.call.tensor(other)?)),
        (other, &|| eager::mul(&cotangent, pass.call.tensor("input")?)),
    ])
}

/// An outer product is a column times a row, element by element.
pub(super) fn outer_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, right) = (pass.call.tensor("input")?, pass.call.tensor("vec2")?);
    let column = left.unsqueezed(1);
    pass.each(&[
        ("input", &|| {
            let of_column = eager::sum_to(&eager::mul(&cotangent, right)?, column.shape())?;
            Ok(of_column.reshaped(left.shape()))
        }),
        ("vec2", &|| eager::mul(&cotangent, &column)),
    ])
}

pub(super) fn matmul_backward(pass: &Pass) -> Result<Gradients> {
    let (left, right) = (pass.call.tensor("input")?, pass.call.tensor("other")?);
    let wants = ["input", "other"].map(|name| pass.wants(name));
    Ok(named(pass, ["input", "other"], matmul_gradients(&pass.cotangent(0)?, left, right, wants)?))
}

fn matmul_gradients(cotangent: &Tensor, a: &Tensor, b: &Tensor, wants: [bool; 2]) -> Result<Pair> {
    let (one_a, one_b) = (unbatched(a, b), unbatched(b, a));
    let [of_a, of_b] = unbatched_gradients(cotangent, &one_a, &one_b, wants)?;
    Ok([of_a.map(|gradient| gradient.reshaped(a.shape())), of_b.map(|gradient| gradient.reshaped(b.shape()))])
}

fn unbatched_gradients(cotangent: &Tensor, a: &Tensor, b: &Tensor, wants: [bool; 2]) -> Result<Pair> {
    let [wants_a, wants_b] = wants;
    match (a.dim(), b.dim()) {
        (1, 1) => pair(wants, &|| eager::mul(cotangent, b), &|| eager::mul(cotangent, a)),
        (2, 1) => pair(wants, &|| ger(cotangent, b), &|| products::mv(&t(a), cotangent)),
        (1, 2) => {
            let (cotangent, left) = (row(cotangent), row(a));
            pair(wants, &|| Ok(of_left(&cotangent, &left, b)?.reshaped(a.shape())), &|| {
                of_right(&cotangent, &left, b)
            })
        }
        (2, 2) => pair(wants, &|| of_left(cotangent, a, b), &|| of_right(cotangent, a, b)),
        (rank, 1 | 2) if rank > 2 && (wants_b || is_foldable(a)) => folded_gradients(cotangent, a, b, wants),
        (rank @ (1 | 2), other) if other > 2 && (wants_a || (rank == 1 && is_foldable(&t(b)))) => {
            // With the larger factor first everything is transposed, a vector apart.
            let turned = |tensor: &Tensor| if rank == 2 { t(tensor) } else { tensor.clone() };
            let gradients = folded_gradients(&turned(cotangent), &t(b), &turned(a), [wants_b, wants_a])?;
            let [of_b, of_a] = gradients;
            Ok([of_a.map(|gradient| turned(&gradient)), of_b.map(|gradient| t(&gradient))])
        }
        _ => batched_gradients(cotangent, a, b, wants),
    }
}

/// The gradients of a batch, as one tall matrix, and of the vector or matrix that it is
/// multiplied with.
fn folded_gradients(cotangent: &Tensor, a: &Tensor, b: &Tensor, wants: [bool; 2]) -> Result<Pair> {
    let left = reshaped_in_place(a, &tall(a));
    let rows = left.shape()[0];
    if b.dim() == 1 {
        let cotangent = reshaped_in_place(cotangent, &[rows]);
        return pair(wants, &|| Ok(ger(&cotangent, b)?.reshaped(a.shape())), &|| {
            products::mv(&t(&left), &cotangent)
        });
    }
    let cotangent = reshaped_in_place(cotangent, &[rows, b.shape()[1]]);
    pair(wants, &|| Ok(of_left(&cotangent, &left, b)?.reshaped(a.shape())), &|| {
        of_right(&cotangent, &left, b)
    })
}

/// The gradients of two batches, whose other dimensions broadcast: the products of every pair,
/// summed where one matrix stood for several.
fn batched_gradients(cotangent: &Tensor, a: &Tensor, b: &Tensor, wants: [bool; 2]) -> Result<Pair> {
    let matrices = |tensor: &Tensor| match tensor.shape() {
        [batch @ .., rows, columns] => (batch.to_vec(), vec![*rows, *columns]),
        shape => (Vec::new(), shape.to_vec()),
    };
    let ((a_batch, a_sizes), (b_batch, b_sizes)) = (matrices(a), matrices(b));
    let batch = broadcast_shapes([&a_batch[..], &b_batch])?;
    let count: usize = batch.iter().product();
    // A vector on the left is a row, which is expanded as one; on the right it becomes a column
    // only after it was expanded.
    let a_sizes = if a.dim() == 1 { [vec![1], a_sizes].concat() } else { a_sizes };
    let whole = |sizes: &[usize]| [&batch[..], sizes].concat();
    let flat = |tensor: &Tensor, sizes: &[usize]| {
        reshaped_in_place(&tensor.expanded(&whole(sizes)), &[&[count], sizes].concat())
    };
    let left = flat(a, &a_sizes);
    let right = flat(b, &b_sizes);
    let right = if b.dim() == 1 { right.unsqueezed(2) } else { right };
    let cotangent = reshaped_in_place(cotangent, &[count, left.shape()[1], right.shape()[2]]);
    let back = |gradient: Tensor, sizes: &[usize], of: &Tensor| {
        eager::sum_to(&gradient.reshaped(&whole(sizes)), of.shape())
    };
    pair(wants, &|| back(of_left_batch(&cotangent, &right)?, &a_sizes, a), &|| {
        back(of_right_batch(&cotangent, &left)?, &b_sizes, b)
    })
}

/// `inner` is a product of matrices with everything but the last dimension flattened; of vectors
/// and numbers it is one of elements.
pub(super) fn inner_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (a, b) = (pass.call.tensor("input")?, pass.call.tensor("other")?);
    if a.dim() == 0 || b.dim() == 0 || (a.dim(), b.dim()) == (1, 1) {
        return pass
            .each(&[("input", &|| eager::mul(&cotangent, b)), ("other", &|| eager::mul(&cotangent, a))]);
    }
    let (left, right) = inner_factors(a, b);
    let cotangent = cotangent.reshaped(&[left.shape()[0], right.shape()[1]]);
    pass.each(&[
        ("input", &|| Ok(of_left(&cotangent, &left, &right)?.reshaped(a.shape()))),
        ("other", &|| Ok(t(&of_right(&cotangent, &left, &right)?).reshaped(b.shape()))),
    ])
}

pub(super) fn addmm_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, right) = (pass.call.tensor("mat1")?, pass.call.tensor("mat2")?);
    pass.each(&[
        ("input", &|| scaled(pass, "beta", cotangent.clone())),
        ("mat1", &|| scaled(pass, "alpha", of_left(&cotangent, left, right)?)),
        ("mat2", &|| scaled(pass, "alpha", of_right(&cotangent, left, right)?)),
    ])
}

pub(super) fn addmv_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, vector) = (pass.call.tensor("mat")?, pass.call.tensor("vec")?);
    pass.each(&[
        ("input", &|| scaled(pass, "beta", cotangent.clone())),
        ("mat", &|| scaled(pass, "alpha", ger(&cotangent, vector)?)),
        ("vec", &|| scaled(pass, "alpha", products::mv(&t(left), &cotangent)?)),
    ])
}

pub(super) fn addr_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (left, right) = (pass.call.tensor("vec1")?, pass.call.tensor("vec2")?);
    pass.each(&[
        ("input", &|| scaled(pass, "beta", cotangent.clone())),
        ("vec1", &|| scaled(pass, "alpha", products::mv(&cotangent, right)?)),
        ("vec2", &|| scaled(pass, "alpha", products::mv(&t(&cotangent), left)?)),
    ])
}

pub(super) fn baddbmm_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    batches_backward(pass, &cotangent, &cotangent)
}

/// One sum over the batch: each of its products has the cotangent of the sum.
pub(super) fn addbmm_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (a, b) = (pass.call.tensor("batch1")?, pass.call.tensor("batch2")?);
    let (&[batch, rows, _], &[_, _, columns]) = (a.shape(), b.shape()) else {
        return Err(Failure::Unsupported("addbmm of other than batches".into()));
    };
    batches_backward(pass, &cotangent, &cotangent.expanded(&[batch, rows, columns]))
}

fn batches_backward(pass: &Pass, of_sum: &Tensor, of_products: &Tensor) -> Result<Gradients> {
    let (left, right) = (pass.call.tensor("batch1")?, pass.call.tensor("batch2")?);
    pass.each(&[
        ("input", &|| scaled(pass, "beta", of_sum.clone())),
        ("batch1", &|| scaled(pass, "alpha", of_left_batch(of_products, right)?)),
        ("batch2", &|| scaled(pass, "alpha", of_right_batch(of_products, left)?)),
    ])
}

/// As `addmm` where the forward pass takes that way, and else as `matmul` and a sum.
pub(super) fn linear_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (input, weight) = (pass.call.tensor("input")?, pass.call.tensor("weight")?);
    let bias = pass.call.optional_tensor("bias")?;
    let wants = ["input", "weight"].map(|name| pass.wants(name));
    let turned_weight = turned(weight)?;
    let ([of_input, of_weight], of_bias) = match bias.filter(|bias| flattens(input, bias)) {
        None => (matmul_gradients(&cotangent, input, &turned_weight, wants)?, cotangent),
        Some(_) => {
            let rows = input.reshaped(&tall(input));
            let flat = cotangent.reshaped(&tall(&cotangent));
            let left = if input.dim() == 2 { input } else { &rows };
            let gradients =
                pair(wants, &|| Ok(of_left(&flat, left, &turned_weight)?.reshaped(input.shape())), &|| {
                    of_right(&flat, left, &turned_weight)
                })?;
            (gradients, flat)
        }
    };
    let of_weight = of_weight.map(|gradient| turned(&gradient)).transpose()?;
    let mut gradients = named(pass, ["input", "weight"], [of_input, of_weight]);
    if pass.wants("bias") && bias.is_some() {
        gradients.insert("bias".to_owned(), vec![Some(of_bias)]);
    }
    Ok(gradients)
}
