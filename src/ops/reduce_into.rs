//! The way back through `scatter_reduce` and `index_reduce`.
//!
//! PyTorch has one formula for each (`scatter_reduce_backward`, `index_reduce_backward`), and the
//! two differ only in how they read and write at the index:
//!
//! | | reads by | adds by | reduces by | clears by |
//! |---|---|---|---|---|
//! | `scatter_reduce` | `gather` | `scatter_add` | itself | `scatter` |
//! | `index_reduce` | `index_select` | `index_add` | itself | `index_fill` |
//!
//! Both gradients are computed whichever is asked for, so the complaints of either are heard.

use super::autograd::{Gradients, Pass, fitting};
use super::call::{Failure, Result, Value};
use super::eager;
use super::scatter::Reduction;
use crate::tensor::{Scalar, Tensor};

/// How a function reads and writes at its index.
pub(crate) struct Ways {
    pub(crate) read: &'static str,
    pub(crate) add: &'static str,
    pub(crate) reduce: &'static str,
    pub(crate) clear: &'static str,
    /// What the function calls the tensor that is written.
    pub(crate) source: &'static str,
    /// The name of its node in PyTorch's graph.
    pub(crate) node: &'static str,
}

/// A call on its way back.
struct Reducing<'a> {
    ways: &'a Ways,
    dim: Value,
    index: Value,
    name: &'a str,
    include_self: bool,
}

impl Reducing<'_> {
    fn at_index(&self, tensor: &Tensor) -> [(&'static str, Value); 3] {
        [("input", tensor.into()), ("dim", self.dim.clone()), ("index", self.index.clone())]
    }

    fn read(&self, tensor: &Tensor) -> Result<Tensor> {
        eager::call(self.ways.read, self.at_index(tensor))
    }

    fn add(&self, tensor: &Tensor, source: &Tensor) -> Result<Tensor> {
        eager::call(
            self.ways.add,
            self.at_index(tensor).into_iter().chain([(self.ways.source, source.into())]),
        )
    }

    fn reduce(&self, tensor: &Tensor, source: &Tensor) -> Result<Tensor> {
        let own = [
            (self.ways.source, source.into()),
            ("reduce", self.name.into()),
            ("include_self", self.include_self.into()),
        ];
        eager::call(self.ways.reduce, self.at_index(tensor).into_iter().chain(own))
    }

    /// Zeros at the index.
    fn clear(&self, tensor: &Tensor) -> Result<Tensor> {
        eager::call(self.ways.clear, self.at_index(tensor).into_iter().chain([("value", 0.into())]))
    }
}

fn masked_fill(input: &Tensor, mask: &Tensor, value: i64) -> Result<Tensor> {
    eager::call("masked_fill", [("input", input.into()), ("mask", mask.into()), ("value", value.into())])
}

fn is_zero(tensor: &Tensor) -> Result<Tensor> {
    eager::eq(tensor, Scalar::Int(0))
}

/// The gradients of the tensor that is written into and of the source.
pub(crate) fn backward(pass: &Pass, ways: &Ways) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    let (input, source, result) = (call.tensor("input")?, call.tensor(ways.source)?, pass.output(0)?);
    let name = call.text("reduce")?.unwrap_or_default();
    let reducing = Reducing {
        ways,
        dim: call.required_int("dim")?.into(),
        index: call.tensor("index")?.into(),
        name,
        include_self: call.flag_or("include_self", true)?,
    };
    let (own, of_source) = match Reduction::from_name(name) {
        Some(Reduction::Sum) => (cotangent.clone(), reducing.read(&cotangent)?),
        Some(Reduction::Prod) => product(&reducing, &cotangent, input, source, result)?,
        Some(Reduction::Mean) => mean(&reducing, &cotangent, source)?,
        Some(Reduction::Amax | Reduction::Amin) => extremes(&reducing, &cotangent, input, source, result)?,
        None => return Err(Failure::Unsupported(format!("{}: backward of {name}", call.op))),
    };
    let own = if reducing.include_self { own } else { reducing.clear(&own)? };
    pass.each(&[
        ("input", &|| Ok(own.clone())),
        (ways.source, &|| fitting(of_source.clone(), source, ways.node, 1)),
    ])
}

/// By division; where a factor is the only zero among those of the source, by the product of the
/// others. Two zeros give zero.
fn product(
    reducing: &Reducing,
    cotangent: &Tensor,
    input: &Tensor,
    source: &Tensor,
    result: &Tensor,
) -> Result<(Tensor, Tensor)> {
    let masked_input = masked_fill(input, &is_zero(input)?, 1)?;
    let masked_result = reducing.reduce(&masked_input, source)?;
    let own = eager::div(&eager::mul(cotangent, &masked_result)?, &masked_input)?;

    let zero = is_zero(source)?;
    let zeros = reducing.add(&eager::zeros_like(input)?, &zero.to_dtype(input.dtype()))?;
    let zeros = reducing.read(&zeros)?;
    let only_zero = eager::bitwise_and(&zero, &eager::eq(&zeros, Scalar::Int(1))?)?;
    let masked_result = reducing.reduce(input, &masked_fill(source, &only_zero, 1)?)?;
    let others = reducing.read(&eager::mul(cotangent, &masked_result)?)?;
    let all = reducing.read(&eager::mul(cotangent, result)?)?;
    let quotient = eager::div(&all, &masked_fill(source, &zero, 1)?)?;
    let branches =
        [("condition", (&only_zero).into()), ("input", (&others).into()), ("other", (&quotient).into())];
    Ok((own, eager::call("where", branches)?))
}

/// The cotangent over the count of what was averaged.
fn mean(reducing: &Reducing, cotangent: &Tensor, source: &Tensor) -> Result<(Tensor, Tensor)> {
    let start =
        if reducing.include_self { eager::ones_like(cotangent)? } else { eager::zeros_like(cotangent)? };
    let counts = reducing.add(&start, &eager::ones_like(source)?)?;
    let counts = masked_fill(&counts, &is_zero(&counts)?, 1)?;
    let own = eager::div(cotangent, &counts)?;
    let counts = reducing.read(&counts)?;
    Ok((own, eager::div(&reducing.read(cotangent)?, &counts)?))
}

/// The cotangent shared out evenly among all that equal the result.
fn extremes(
    reducing: &Reducing,
    cotangent: &Tensor,
    input: &Tensor,
    source: &Tensor,
    result: &Tensor,
) -> Result<(Tensor, Tensor)> {
    let value = reducing.read(result)?;
    let own_is_it = eager::eq(input, result)?.to_dtype(input.dtype());
    let source_is_it = eager::eq(source, &value)?.to_dtype(input.dtype());
    let count = reducing.add(&own_is_it, &source_is_it)?;
    let share = eager::div(cotangent, &count)?;
    let own = eager::mul(&own_is_it, &share)?;
    Ok((own, eager::mul(&source_is_it, &reducing.read(&share)?)?))
}
