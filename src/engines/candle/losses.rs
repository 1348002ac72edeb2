//! Losses: candle-nn's functions give the mean; a sum, or no reduction, is written out.

use candle_core::Tensor;
use candle_nn::loss;

use super::args::Args;
use super::{Answer, Op, missing, one, op};

const PAIR: &[&str] = &["input", "target", "reduction"];

pub(super) const OPS: &[Op] = &[
    op("binary_cross_entropy_with_logits", PAIR, |args| match reduction(args)? {
        "mean" => one(loss::binary_cross_entropy_with_logit(&args.input()?, &args.tensor("target")?)?),
        other => missing(format!("binary_cross_entropy_with_logits: reduction '{other}'")),
    }),
    op("cross_entropy", &["input", "target", "reduction", "label_smoothing"], |args| {
        args.only("label_smoothing", 0.0)?;
        let (input, target) = (args.input()?, args.tensor("target")?);
        match reduction(args)? {
            "mean" => one(loss::cross_entropy(&input, &target)?),
            other => {
                reduced(other, &negative_log_likelihood(&candle_nn::ops::log_softmax(&input, 1)?, &target)?)
            }
        }
    }),
    op("huber_loss", &["input", "target", "reduction", "delta"], |args| {
        one(huber(args, args.number("delta")?.unwrap_or(1.0))?)
    }),
    op("l1_loss", PAIR, |args| reduced(reduction(args)?, &(args.input()? - args.tensor("target")?)?.abs()?)),
    op("mse_loss", PAIR, |args| match reduction(args)? {
        "mean" => one(loss::mse(&args.input()?, &args.tensor("target")?)?),
        other => reduced(other, &(args.input()? - args.tensor("target")?)?.sqr()?),
    }),
    op("nll_loss", PAIR, |args| {
        let (input, target) = (args.input()?, args.tensor("target")?);
        match reduction(args)? {
            "mean" => one(loss::nll(&input, &target)?),
            other => reduced(other, &negative_log_likelihood(&input, &target)?),
        }
    }),
    op("smooth_l1_loss", &["input", "target", "reduction", "beta"], |args| {
        let beta = args.number("beta")?.unwrap_or(1.0);
        // Huber's loss is beta times the smooth one.
        one((huber(args, beta)? / beta)?)
    }),
];

/// candle's mean, or that times the count.
fn huber(args: &Args, delta: f64) -> Answer<Tensor> {
    let input = args.input()?;
    let mean = loss::huber(&input, &args.tensor("target")?, delta)?;
    match reduction(args)? {
        "mean" => Ok(mean),
        "sum" => Ok((mean * input.elem_count() as f64)?),
        other => missing(format!("{}: reduction '{other}'", args.op())),
    }
}

fn reduction<'a>(args: &'a Args) -> Answer<&'a str> {
    Ok(args.text("reduction")?.unwrap_or("mean"))
}

fn reduced(reduction: &str, losses: &Tensor) -> Answer {
    one(match reduction {
        "none" => losses.clone(),
        "sum" => losses.sum_all()?,
        "mean" => losses.mean_all()?,
        other => return missing(format!("reduction '{other}'")),
    })
}

/// Minus the log probability of each row's class.
fn negative_log_likelihood(input: &Tensor, target: &Tensor) -> Answer<Tensor> {
    Ok(input.gather(&target.unsqueeze(1)?, 1)?.squeeze(1)?.neg()?)
}
