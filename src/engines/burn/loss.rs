//! Losses: burn's loss modules, which return means and sums of shape `[1]`.

use burn::nn::loss::{
    CrossEntropyLossConfig, HuberLossConfig, KLDivLossConfig, LpLossConfig, MseLoss, Reduction,
    SmoothL1LossConfig,
};
use burn::tensor::loss::cross_entropy_with_logits;

use super::tensor::{Any, Ranked, same_rank, unsupported};
use super::{Args, Output, Row, float, one};
use crate::ops::Result;
use crate::tensor::Scalar;

macro_rules! row {
    ($name:literal, [$($parameter:literal),*], $run:expr) => {
        Row { name: $name, parameters: &["input", "target", "reduction" $(, $parameter)*], run: $run }
    };
}

/// A loss module applied with the call's reduction.
macro_rules! reduced {
    ($args:expr, $loss:expr, $with:ident, $without:ident) => {{
        let (x, y) = ($args.float("input")?, $args.float("target")?);
        let loss = $loss;
        one(match reduction($args)? {
            Some(reduction) => same_rank!(x, y, x y => Any::from(loss.$with(x, y, reduction))),
            None => same_rank!(x, y, x y => Any::from(loss.$without(x, y))),
        })
    }};
}

pub(super) const ROWS: &[Row] = &[
    row!("mse_loss", [], |args| reduced!(args, MseLoss::new(), forward, forward_no_reduction)),
    row!("l1_loss", [], |args| reduced!(args, LpLossConfig::l1(), forward, forward_no_reduction)),
    row!("smooth_l1_loss", ["beta"], |args| {
        let beta = args.call.float("beta", 1.0)? as f32;
        reduced!(args, SmoothL1LossConfig::new().with_beta(beta).init(), forward_with_reduction, forward)
    }),
    row!("huber_loss", ["delta"], |args| {
        let delta = args.call.float("delta", 1.0)? as f32;
        reduced!(args, HuberLossConfig::new(delta).init(), forward, forward_no_reduction)
    }),
    row!("kl_div", ["log_target"], |args| {
        let log_target = args.call.flag("log_target")?;
        let loss = KLDivLossConfig::new().with_log_target(log_target).init();
        reduced!(args, loss, forward, forward_no_reduction)
    }),
    row!("cross_entropy", ["weight", "ignore_index", "label_smoothing"], cross_entropy),
    row!("nll_loss", [], nll_loss),
];

fn reduction(args: &Args) -> Result<Option<Reduction>> {
    Ok(match args.call.text("reduction")? {
        None | Some("mean") => Some(Reduction::Mean),
        Some("sum") => Some(Reduction::Sum),
        Some("batchmean") => Some(Reduction::BatchMean),
        Some("none") => None,
        Some(other) => return unsupported(format!("{}: reduction '{other}'", args.call.op)),
    })
}

/// burn's module gives the mean, of logits of rank 2; weights and smoothing are float32 there.
fn cross_entropy(args: &Args) -> Result<Vec<Output>> {
    let Some(Reduction::Mean) = reduction(args)? else {
        return unsupported("cross_entropy: burn's gives the mean");
    };
    let smoothing = args.call.float("label_smoothing", 0.0)? as f32;
    let (Any::Float(x), target) = (args.tensor("input")?, args.tensor("target")?) else {
        return unsupported("cross_entropy: logits that are not floating");
    };
    let (x, target) = match (x, target) {
        (x, Any::Float(target)) => {
            if smoothing != 0.0 || args.optional("weight")?.is_some() {
                return unsupported("cross_entropy: burn has no weight or smoothing for probabilities");
            }
            return one(same_rank!(x, target, x y => Any::from(cross_entropy_with_logits(x, y))));
        }
        (Ranked::R2(x), Any::Int(Ranked::R1(target))) => (x, target),
        _ => return unsupported("cross_entropy: burn takes logits of rank 2 and classes of rank 1"),
    };
    let mut config = CrossEntropyLossConfig::new();
    if let Some(weight) = args.optional("weight")? {
        let weights = float(weight, "cross_entropy")?.flatten();
        match weights.try_into_vec_as::<f32>() {
            Ok(weights) => config = config.with_weights(Some(weights)),
            Err(_) => return unsupported("cross_entropy: burn's weights are float32"),
        }
    }
    if smoothing != 0.0 {
        config = config.with_smoothing(Some(smoothing));
    }
    if let Some(Scalar::Int(ignored)) = args.call.scalar("ignore_index")? {
        match usize::try_from(ignored) {
            Ok(ignored) => config = config.with_pad_tokens(Some(vec![ignored])),
            Err(_) => return unsupported("cross_entropy: a negative ignore_index"),
        }
    }
    one(config.init(&args.device).forward(x, target))
}

/// burn has no such loss; its users gather the classes.
fn nll_loss(args: &Args) -> Result<Vec<Output>> {
    let (Any::Float(Ranked::R2(x)), Any::Int(Ranked::R1(target))) =
        (args.tensor("input")?, args.tensor("target")?)
    else {
        return unsupported("nll_loss: other than rank 2 and classes of rank 1");
    };
    let losses = x.gather(1, target.unsqueeze_dim::<2>(1)).neg();
    one(match reduction(args)? {
        Some(Reduction::Mean) => losses.mean(),
        Some(Reduction::Sum) => losses.sum(),
        None => losses.squeeze_dim::<1>(1),
        Some(_) => return unsupported("nll_loss: this reduction"),
    })
}
