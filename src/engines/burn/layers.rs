//! Layers: burn's module functions and modules.

use burn::module::Param;
use burn::nn::RmsNorm;
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Float, Tensor as BurnTensor, module};

use super::tensor::{Any, Ranked, burn_dtype, each_rank, unsupported};
use super::{Args, Output, Row, one};
use crate::ops::Result;
use crate::tensor::Scalar;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "layer_norm",
        parameters: &["input", "normalized_shape", "weight", "bias", "eps"],
        run: layer_norm,
    },
    Row { name: "rms_norm", parameters: &["input", "normalized_shape", "weight", "eps"], run: rms_norm },
    Row {
        name: "scaled_dot_product_attention",
        parameters: &["query", "key", "value", "attn_mask", "is_causal", "scale"],
        run: attention,
    },
];

/// The weight, or the ones that burn's layers start with.
fn weight(args: &Args) -> Result<BurnTensor<1>> {
    let size = match args.shape("normalized_shape")?.as_slice() {
        [size] => *size,
        _ => return unsupported(format!("{}: burn normalizes the last dimension", args.call.op)),
    };
    match args.optional("weight")? {
        Some(Any::Float(Ranked::R1(weight))) => Ok(weight),
        Some(_) => unsupported(format!("{}: burn's weight is a Float vector", args.call.op)),
        None => {
            let dtype = burn_dtype(args.call.tensor("input")?.dtype());
            Ok(BurnTensor::ones([size], (&args.device, dtype)))
        }
    }
}

fn layer_norm(args: &Args) -> Result<Vec<Output>> {
    let (x, gamma) = (args.float("input")?, weight(args)?);
    let beta = match args.optional("bias")? {
        None => None,
        Some(Any::Float(Ranked::R1(beta))) => Some(beta),
        Some(_) => return unsupported("layer_norm: burn's bias is a Float vector"),
    };
    let epsilon = args.call.float("eps", 1e-5)?;
    one(each_rank!(x, t => Any::from(module::layer_norm(t, gamma, beta, epsilon))))
}

/// PyTorch's `eps` is the dtype's unless given.
fn rms_norm(args: &Args) -> Result<Vec<Output>> {
    let (x, gamma) = (args.float("input")?, weight(args)?);
    let epsilon = args.call.float("eps", args.call.tensor("input")?.dtype().epsilon())?;
    let norm = RmsNorm { gamma: Param::from_tensor(gamma), epsilon };
    one(each_rank!(x, t => Any::from(norm.forward(t))))
}

/// burn's attention has four dimensions, and its mask is true where nothing is looked at.
fn attention(args: &Args) -> Result<Vec<Output>> {
    let four = |name: &str| match args.float(name)?.unsqueeze(4)? {
        Ranked::R4(tensor) => Ok(tensor),
        _ => unsupported("attention: burn's has four dimensions"),
    };
    let rank = args.float("query")?.rank();
    if rank > 4 {
        return unsupported("attention: burn's has four dimensions");
    }
    let (query, key, value) = (four("query")?, four("key")?, four("value")?);
    let (mask, bias) = match args.optional("attn_mask")? {
        None => (None, None),
        Some(Any::Bool(mask)) => match mask.unsqueeze(4)? {
            Ranked::R4(mask) => (Some(mask.bool_not()), None),
            _ => return unsupported("attention: a mask of this rank"),
        },
        Some(Any::Float(bias)) => match bias.unsqueeze(4)? {
            Ranked::R4(bias) => (None, Some(bias)),
            _ => return unsupported("attention: a bias of this rank"),
        },
        Some(Any::Int(_)) => return unsupported("attention: a mask of integers"),
    };
    let options = AttentionModuleOptions {
        scale: args.call.scalar("scale")?.map(Scalar::to_f64),
        softcap: None,
        is_causal: args.call.flag("is_causal")?,
    };
    let mut output: Ranked<Float> = module::attention(query, key, value, mask, bias, options).into();
    for _ in rank..4 {
        output = output.squeeze_dim(0)?;
    }
    one(output)
}
