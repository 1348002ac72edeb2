//! `scaled_dot_product_attention`: `softmax(query @ key^T * scale + mask) @ value` in one op.
//!
//! Floats of two dimensions or more, batches broadcast; a bool mask says where to look, a mask of
//! the query's type is added. A row that may look nowhere gives 0. PyTorch chooses between a
//! blocked kernel with a running maximum and a composition of MKL's products, depending on shapes
//! and mask; neither order can be followed for all, so everything is computed in float64 and
//! rounded once, and the tolerances say how far PyTorch's own rounding lies from that. The
//! gradients are too, whose kernel is chosen anew under autograd: a mask that wants one rules the
//! blocked kernel out.

use super::call::{Call, Failure, Result, Value};
use super::layers::wrong_scalar_type;
use super::numerics::dispatch::with_float_type;
use super::numerics::lanes::Float;
use super::pointwise::broadcast_shapes;
use super::{Backward, Gradients, Op, Pass, eager};
use crate::tensor::{DType, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[Op {
    name: "scaled_dot_product_attention",
    parameters: &["query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale"],
    forward: scaled_dot_product_attention,
    backward: Backward::Rule(backward),
}];

fn scaled_dot_product_attention(call: &Call) -> Result {
    let [query, key, value] = [call.tensor("query")?, call.tensor("key")?, call.tensor("value")?];
    let mask = call.optional_tensor("attn_mask")?;
    let causal = call.get("is_causal").is_some() && call.flag("is_causal")?;
    check(query, key, value, mask)?;
    if causal && mask.is_some() {
        let message =
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True";
        return Err(Failure::runtime(message));
    }
    if call.float("dropout_p", 0.0)? != 0.0 {
        return Err(Failure::Unsupported("scaled_dot_product_attention: a random draw".into()));
    }
    if let Some(mask) = mask {
        check_mask_rank(mask, [query, key, value])?;
    }
    let plan = Plan::new(query, key, value, mask)?;
    let scale = plan.scale(call);
    let output = with_float_type!(query.dtype(), T => plan.run::<T>(mask, causal, scale),
        _ => return Err(wrong_scalar_type(DType::Float32, query.dtype())));
    Ok(output.into())
}

fn check(query: &Tensor, key: &Tensor, value: &Tensor, mask: Option<&Tensor>) -> Result<()> {
    let dtype = query.dtype();
    if key.dtype() != dtype || value.dtype() != dtype {
        return Err(Failure::runtime(format!(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and \
             value.dtype: {} instead.",
            dtype.cpp_name(),
            key.dtype().cpp_name(),
            value.dtype().cpp_name()
        )));
    }
    if [query, key, value].iter().any(|tensor| tensor.dim() < 2) {
        return Err(Failure::runtime(format!(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} and \
             value.dim: {} instead.",
            query.dim(),
            key.dim(),
            value.dim()
        )));
    }
    match mask.map(Tensor::dtype) {
        Some(mask) if ![DType::Bool, DType::Float32, dtype].contains(&mask) => {
            Err(Failure::runtime(format!(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and  \
             query.dtype: {} instead.",
                mask.cpp_name(),
                dtype.cpp_name()
            )))
        }
        _ => Ok(()),
    }
}

/// The operands with one batch each, and their sizes.
struct Plan {
    query: Tensor,
    key: Tensor,
    value: Tensor,
    /// Batches, then queries and keys: the shape of the scores.
    scores: Vec<usize>,
    width: usize,
    columns: usize,
    /// Whether PyTorch computes these in blocks.
    blocked: bool,
}

impl Plan {
    fn new(query: &Tensor, key: &Tensor, value: &Tensor, mask: Option<&Tensor>) -> Result<Plan> {
        let [(q, [queries, width]), (k, [keys, key_width]), (v, [values, columns])] =
            [query, key, value].map(matrix);
        let batch = broadcast_shapes([q, k, v])?;
        for (found, wanted) in [([keys, key_width], [keys, width]), ([values, columns], [keys, columns])] {
            if found != wanted {
                return Err(mismatch(&batch, found, wanted, found[0] != wanted[0]));
            }
        }
        let scores = [&batch[..], &[queries, keys]].concat();
        let scores = match mask {
            None => scores,
            Some(mask) => {
                let own = [&broadcast_shapes([q, k])?[..], &[queries, keys]].concat();
                check_mask(own, mask, [query, key, value])?;
                scores
            }
        };
        let whole = |tensor: &Tensor, rows: usize, columns: usize| {
            tensor.expanded(&[&scores[..scores.len() - 2], &[rows, columns]].concat())
        };
        Ok(Plan {
            query: whole(query, queries, width),
            key: whole(key, keys, width),
            value: whole(value, keys, columns),
            scores,
            width,
            columns,
            blocked: is_blocked([query, key, value]),
        })
    }

    fn scale(&self, call: &Call) -> f64 {
        match call.get("scale") {
            Some(Value::Scalar(scale)) => scale.to_f64(),
            _ => 1.0 / (self.width as f64).sqrt(),
        }
    }

    /// The number of queries over all batches, and in each those of queries and keys.
    fn sizes(&self) -> (usize, usize, usize) {
        let rows = self.scores[..self.scores.len() - 1].iter().product();
        match self.scores[..] {
            [.., queries, keys] => (rows, queries, keys),
            _ => (0, 0, 0),
        }
    }

    /// How each query weighs the keys of its batch, row by row.
    ///
    /// The blocked kernel hides keys before it scales, so that a negative scale shows them too
    /// well: the rows that have any are NaN.
    fn weights(&self, mask: Option<&Tensor>, causal: bool, scale: f64) -> Vec<Vec<f64>> {
        let hidden_score = f64::NEG_INFINITY * if self.blocked { scale } else { 1.0 };
        let [query, key] = [&self.query, &self.key].map(|tensor| tensor.values::<f64>().into_owned());
        let bias = mask.map(|mask| bias(&trimmed(mask, self.scores.len()).expanded(&self.scores)));
        let (rows, queries, keys) = self.sizes();
        let score = |row: usize, at: usize| {
            let own = &query[row * self.width..][..self.width];
            let other = &key[(row / queries.max(1) * keys + at) * self.width..][..self.width];
            let product = own.iter().zip(other).fold(0.0, |sum, (x, y)| sum + x * y);
            let bias = bias.as_ref().map_or(0.0, |bias| bias[row * keys + at]);
            let hidden = causal && at > row % queries.max(1);
            if hidden { hidden_score } else { product * scale + bias }
        };
        (0..rows).map(|row| weights(&(0..keys).map(|at| score(row, at)).collect::<Vec<_>>())).collect()
    }

    fn run<T: Float>(&self, mask: Option<&Tensor>, causal: bool, scale: f64) -> Tensor {
        let value = self.value.values::<f64>();
        let (rows, queries, keys) = self.sizes();
        let mut output = Vec::with_capacity(rows * self.columns);
        for (row, weights) in self.weights(mask, causal, scale).into_iter().enumerate() {
            let first = row / queries.max(1) * keys;
            output.extend((0..self.columns).map(|column| {
                let parts = weights.iter().enumerate();
                T::from_f64(parts.fold(0.0, |sum, (at, weight)| {
                    sum + weight * value[(first + at) * self.columns + column]
                }))
            }));
        }
        let shape = [&self.scores[..self.scores.len() - 1], &[self.columns]].concat();
        Tensor::collect(&shape, output)
    }

    /// The gradients of query, key, value and scores, in float64. A weight's slope is the softmax's:
    /// the weight times what its own gradient has over the weighted mean of all.
    fn gradients(&self, mask: Option<&Tensor>, causal: bool, scale: f64, cotangent: &Tensor) -> [Tensor; 4] {
        let [query, key, value, cotangent] = [&self.query, &self.key, &self.value, cotangent]
            .map(|tensor| tensor.values::<f64>().into_owned());
        let (rows, queries, keys) = self.sizes();
        let (width, columns) = (self.width, self.columns);
        let mut of_query = vec![0.0; query.len()];
        let mut of_key = vec![0.0; key.len()];
        let mut of_value = vec![0.0; value.len()];
        let mut of_scores = Vec::with_capacity(rows * keys);
        for (row, weights) in self.weights(mask, causal, scale).into_iter().enumerate() {
            let first = row / queries.max(1) * keys;
            let own = &cotangent[row * columns..][..columns];
            let of_weights: Vec<f64> = (0..keys)
                .map(|at| {
                    let other = &value[(first + at) * columns..][..columns];
                    own.iter().zip(other).fold(0.0, |sum, (x, y)| sum + x * y)
                })
                .collect();
            let mean = weights.iter().zip(&of_weights).fold(0.0, |sum, (x, y)| sum + x * y);
            for (at, (&weight, of_weight)) in weights.iter().zip(of_weights).enumerate() {
                // On the way back hidden keys weigh nothing, whatever they did on the way there.
                let weight = if causal && at > row % queries.max(1) { 0.0 } else { weight };
                let of_score = weight * (of_weight - mean);
                let (q, k) = (row * width, (first + at) * width);
                for i in 0..width {
                    of_query[q + i] += of_score * scale * key[k + i];
                    of_key[k + i] += of_score * scale * query[q + i];
                }
                for (sum, x) in of_value[(first + at) * columns..].iter_mut().zip(own) {
                    *sum += weight * x;
                }
                of_scores.push(of_score);
            }
        }
        [
            Tensor::collect(self.query.shape(), of_query),
            Tensor::collect(self.key.shape(), of_key),
            Tensor::collect(self.value.shape(), of_value),
            Tensor::collect(&self.scores, of_scores),
        ]
    }
}

fn backward(pass: &Pass) -> Result<Gradients> {
    let call = pass.call;
    let [query, key, value] = [call.tensor("query")?, call.tensor("key")?, call.tensor("value")?];
    let mask = call.optional_tensor("attn_mask")?;
    let plan = Plan::new(query, key, value, mask)?;
    let causal = call.get("is_causal").is_some() && call.flag("is_causal")?;
    let cotangent = pass.cotangent(0)?;
    let [of_query, of_key, of_value, of_scores] = plan.gradients(mask, causal, plan.scale(call), &cotangent);
    pass.each(&[
        ("query", &|| Ok(of_query.clone())),
        ("key", &|| Ok(of_key.clone())),
        ("value", &|| Ok(of_value.clone())),
        ("attn_mask", &|| {
            // Leading dimensions beyond the scores' are of size 1.
            let own = mask.map_or(&[][..], Tensor::shape);
            let kept = &own[own.len().saturating_sub(plan.scores.len())..];
            Ok(eager::sum_to(&of_scores, kept)?.reshaped(own))
        }),
    ])
}

/// Whether operands without a mask go to the blocked kernel (`use_flash_attention_cpp`).
fn is_blocked(operands: [&Tensor; 3]) -> bool {
    let [query, ..] = operands;
    operands.iter().all(|operand| {
        let (batch, [length, width]) = matrix(operand);
        matches!(operand.dim(), 3 | 4)
            && (batch, width) == (matrix(query).0, matrix(query).1[1])
            && batch.iter().product::<usize>() * length * width != 0
            && operand.strides().last() == Some(&1)
    })
}

/// A tensor's batch and its last two sizes.
fn matrix(tensor: &Tensor) -> (&[usize], [usize; 2]) {
    match tensor.shape() {
        [batch @ .., rows, columns] => (batch, [*rows, *columns]),
        _ => (&[], [1, 1]),
    }
}

/// PyTorch's refusal of batches of matrices that do not fit; the product with the keys takes them
/// transposed.
fn mismatch(batch: &[usize], found: [usize; 2], wanted: [usize; 2], of_values: bool) -> Failure {
    if batch.is_empty() {
        return Failure::Unsupported("scaled_dot_product_attention: matrices that do not fit".into());
    }
    let count: usize = batch.iter().product();
    let at = usize::from(!of_values);
    Failure::runtime(format!(
        "Expected size for first two dimensions of batch2 tensor to be: [{count}, {}] but got: [{count}, {}].",
        wanted[at], found[at]
    ))
}

/// The choice of a blocked kernel, which takes operands of four dimensions with one batch and no
/// size of 0, looks at the last two dimensions of the mask before anything else is checked.
fn check_mask_rank(mask: &Tensor, operands: [&Tensor; 3]) -> Result<()> {
    let [query, ..] = operands;
    let is_candidate = |operand: &&Tensor| match (operand.shape(), query.shape()) {
        (&[batch, heads, length, _], &[wanted, wanted_heads, ..]) => {
            (batch, heads) == (wanted, wanted_heads) && batch * heads * length != 0
        }
        _ => false,
    };
    if mask.dim() >= 2 || !operands.iter().all(is_candidate) {
        return Ok(());
    }
    Err(Failure::index(match mask.dim() {
        0 => "Dimension specified as -2 but tensor has no dimensions",
        _ => "Dimension out of range (expected to be in range of [-1, 0], but got -2)",
    }))
}

/// Checks that a mask can be added in place to the scores of query and key, whose shape is given.
/// Operands of three dimensions are given a batch of one first, as the complaints show.
fn check_mask(mut scores: Vec<usize>, mask: &Tensor, operands: [&Tensor; 3]) -> Result<()> {
    if operands.iter().all(|operand| operand.dim() == 3) {
        scores.insert(0, 1);
    }
    let whole = broadcast_shapes([&scores[..], mask.shape()])?;
    if whole != scores {
        return Err(Failure::runtime(format!(
            "output with shape {scores:?} doesn't match the broadcast shape {whole:?}"
        )));
    }
    Ok(())
}

/// A tensor without leading dimensions beyond a rank, which are of size 1.
fn trimmed(tensor: &Tensor, rank: usize) -> Tensor {
    let first = tensor.dim().saturating_sub(rank);
    tensor.reshaped(&tensor.shape()[first..])
}

/// What a mask adds to the scores.
fn bias(mask: &Tensor) -> Vec<f64> {
    if mask.dtype() != DType::Bool {
        return mask.values::<f64>().into_owned();
    }
    mask.values::<bool>().iter().map(|&look| if look { 0.0 } else { f64::NEG_INFINITY }).collect()
}

/// Softmax; of nothing but -inf it is 0.
fn weights(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if scores.iter().all(|&score| score == f64::NEG_INFINITY) {
        return vec![0.0; scores.len()];
    }
    let powers: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_or_to_nothing() {
        assert_eq!(weights(&[1.0, 1.0, f64::NEG_INFINITY]), [0.5, 0.5, 0.0]);
        assert_eq!(weights(&[f64::NEG_INFINITY; 2]), [0.0, 0.0]);
        assert!(weights(&[f64::NAN, 1.0]).iter().all(|weight| weight.is_nan()));
    }

    #[test]
    fn a_causal_query_sees_itself_and_those_before_it() {
        let matrix = Tensor::new(&[2, 1], vec![1.0f32, 3.0]).unwrap();
        let plan = Plan::new(&matrix, &matrix, &matrix, None).unwrap();
        let output = plan.run::<f32>(None, true, 0.0);
        assert_eq!(*output.values::<f32>(), [1.0, 2.0]);
    }
}
