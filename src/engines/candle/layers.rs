//! Layers of candle-nn, and attention as candle's models write it.

use candle_core::{D, DType, Tensor};
use candle_nn::{Dropout, LayerNorm, Linear, Module, RmsNorm};

use super::args::Args;
use super::{Answer, Op, missing, one, op};

pub(super) const OPS: &[Op] = &[
    op("dropout", &["input", "p", "training"], |args| {
        if args.call().flag_or("training", true)? {
            return missing("dropout: training=True draws other random numbers");
        }
        let p = args.number("p")?.unwrap_or(0.5);
        one(Dropout::new(p as f32).forward(&args.input()?, false)?)
    }),
    op("layer_norm", &["input", "normalized_shape", "weight", "bias", "eps"], |args| {
        let (input, size) = (args.input()?, last_dim(args)?);
        let weight = weight(args, &input, size)?;
        let eps = args.number("eps")?.unwrap_or(1e-5);
        one(match args.optional("bias") {
            Some(bias) => LayerNorm::new(weight, bias, eps).forward(&input)?,
            None => LayerNorm::new_no_bias(weight, eps).forward(&input)?,
        })
    }),
    op("linear", &["input", "weight", "bias"], |args| {
        one(Linear::new(args.tensor("weight")?, args.optional("bias")).forward(&args.input()?)?)
    }),
    op("log_softmax", &["input", "dim", "dtype"], |args| {
        one(candle_nn::ops::log_softmax(&args.converted()?, args.axis("dim")?)?)
    }),
    op("normalize", &["input", "p", "dim", "eps"], |args| {
        args.only("p", 2.0)?;
        let input = args.input()?;
        let norm = input.sqr()?.sum_keepdim(args.axis_or("dim", 1)?)?.sqrt()?;
        one(input.broadcast_div(&norm.maximum(args.number("eps")?.unwrap_or(1e-12))?)?)
    }),
    op("rms_norm", &["input", "normalized_shape", "weight", "eps"], |args| {
        let (input, size) = (args.input()?, last_dim(args)?);
        let weight = weight(args, &input, size)?;
        let eps = match args.number("eps")? {
            Some(eps) => eps,
            None => epsilon(input.dtype()),
        };
        one(RmsNorm::new(weight, eps).forward(&input)?)
    }),
    op(
        "scaled_dot_product_attention",
        &["query", "key", "value", "attn_mask", "scale", "is_causal"],
        attention,
    ),
    op("softmax", &["input", "dim", "dtype"], softmax),
    op("softmin", &["input", "dim", "dtype"], |args| {
        one(candle_nn::ops::softmax(&args.converted()?.neg()?, args.axis("dim")?)?)
    }),
    op("special.log_softmax", &["input", "dim", "dtype"], |args| {
        one(candle_nn::ops::log_softmax(&args.converted()?, args.axis("dim")?)?)
    }),
    op("special.softmax", &["input", "dim", "dtype"], softmax),
];

fn softmax(args: &Args) -> Answer {
    one(candle_nn::ops::softmax(&args.converted()?, args.axis("dim")?)?)
}

/// The size of the one dimension that candle's norms take.
fn last_dim(args: &Args) -> Answer<usize> {
    match args.sizes("normalized_shape")?.as_slice() {
        &[size] => Ok(size),
        sizes => missing(format!("{}: {} normalized dims", args.op(), sizes.len())),
    }
}

/// The weight, which candle's norms need: ones where none is given.
fn weight(args: &Args, input: &Tensor, size: usize) -> Answer<Tensor> {
    Ok(match args.optional("weight") {
        Some(weight) => weight,
        None => Tensor::ones(size, input.dtype(), input.device())?,
    })
}

/// PyTorch's default for `eps`: the distance from 1 to the next number.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F16 => half::f16::EPSILON.to_f64(),
        DType::BF16 => half::bf16::EPSILON.to_f64(),
        _ => f64::from(f32::EPSILON),
    }
}

/// `softmax(query · keyᵀ · scale + mask) · value`: candle's own `sdpa` has no CPU code.
fn attention(args: &Args) -> Answer {
    if args.has("is_causal") && args.flag("is_causal")? {
        return missing("scaled_dot_product_attention: is_causal=True");
    }
    let (query, key) = (args.tensor("query")?, args.tensor("key")?);
    let scale = match args.number("scale")? {
        Some(scale) => scale,
        None => 1.0 / (query.dim(D::Minus1)? as f64).sqrt(),
    };
    let mut scores = (query.broadcast_matmul(&key.t()?)? * scale)?;
    if let Some(mask) = args.optional("attn_mask") {
        if mask.dtype() == DType::U8 {
            let mask = mask.broadcast_as(scores.shape())?;
            let low = Tensor::new(f64::NEG_INFINITY, scores.device())?.to_dtype(scores.dtype())?;
            scores = mask.where_cond(&scores, &low.broadcast_as(scores.shape())?)?;
        } else {
            scores = scores.broadcast_add(&mask)?;
        }
    }
    let weights = candle_nn::ops::softmax(&scores, D::Minus1)?;
    one(weights.broadcast_matmul(&args.tensor("value")?)?)
}
