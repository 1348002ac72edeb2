//! Losses of classes: `nll_loss` and `cross_entropy`, by index and by probability.
//!
//! Inputs are floats of one dimension (classes) or more (batch, classes, places); targets are
//! int64, or uint8 up to two dimensions, of the same places without the classes. Sources:
//! `LossNLL.cpp`, `LossNLL2d.cpp`; the order of the checks was found by experiment.

use super::super::call::{Call, Failure, Result, Returned, Value};
use super::super::eager;
use super::super::layers::wrong_scalar_type;
use super::super::numerics::dispatch::with_float_type;
use super::super::numerics::lanes::Float;
use super::super::numerics::moments::Arithmetic;
use super::super::numerics::sum::ceil_log2;
use super::super::numerics::zip::laid_out_like;
use super::super::{Gradients, Pass};
use super::arithmetic::{Operation, binary, check_in_place, divided, negated, plus, scaled, sum};
use super::{Reduction, constant, reduction_name, reduction_of, refuse_gradient, value_error};
use crate::tensor::{DType, Scalar, Tensor};

pub(super) const NLL: &[&str] =
    &["input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction"];
pub(super) const CROSS_ENTROPY: &[&str] =
    &["input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing"];

/// The arguments that both losses share.
struct Arguments<'a> {
    input: &'a Tensor,
    target: &'a Tensor,
    weight: Option<&'a Tensor>,
    ignored: i64,
    reduction: Reduction,
    warnings: Vec<String>,
}

impl<'a> Arguments<'a> {
    fn new(call: &'a Call) -> Result<Arguments<'a>> {
        let mut warnings = Vec::new();
        let name = reduction_name(call, &mut warnings)?;
        let reduction = reduction_of(&name, &mut warnings)?;
        Ok(Arguments {
            input: call.tensor("input")?,
            target: call.tensor("target")?,
            weight: call.optional_tensor("weight")?,
            ignored: call.int("ignore_index")?.unwrap_or(-100),
            reduction,
            warnings,
        })
    }

    /// The same for the logarithms of the probabilities.
    fn with_input(&self, input: &'a Tensor) -> Arguments<'a> {
        let Arguments { target, weight, ignored, reduction, .. } = *self;
        Arguments { input, target, weight, ignored, reduction, warnings: Vec::new() }
    }

    fn returned(self, output: Tensor) -> Result {
        Ok(Returned { outputs: vec![output], warnings: self.warnings })
    }
}

pub(super) fn nll_loss(call: &Call) -> Result {
    let arguments = Arguments::new(call)?;
    let output = negative_log_likelihood(&arguments)?;
    arguments.returned(output)
}

fn negative_log_likelihood(arguments: &Arguments) -> Result<Tensor> {
    let (input, target) = (arguments.input, arguments.target);
    if input.dim() == 0 {
        return Err(value_error("Expected 1 or more dimensions (got 0)"));
    }
    let batch = target.shape().first().copied().unwrap_or(0);
    if input.dim() > 1 && input.shape()[0] != batch {
        return Err(value_error(format!(
            "Expected input batch_size ({}) to match target batch_size ({batch}).",
            input.shape()[0]
        )));
    }
    if input.dim() <= 2 {
        check_flat(arguments)?;
        return picked(arguments, "nll_loss_out_frame");
    }
    let (places, target_places) = (&input.shape()[2..], target.shape().get(1..).unwrap_or_default());
    if input.dim() == 4 {
        check_spatial(arguments)?;
    } else if places != target_places {
        let expected: Vec<usize> = [&input.shape()[..1], places].concat();
        let message = format!("Expected target size {expected:?}, got {:?}", target.shape());
        return Err(Failure::runtime(message));
    } else {
        check_target_type(target)?;
        check_spatial_weight(arguments)?;
    }
    picked(arguments, "nll_loss2d_forward_out_frame")
}

fn check_flat(arguments: &Arguments) -> Result<()> {
    let (input, target) = (arguments.input, arguments.target);
    if target.dim() > 1 {
        return Err(Failure::runtime("0D or 1D target tensor expected, multi-target not supported"));
    }
    check_target_type(target)?;
    if input.dim() == 1 && target.dim() == 1 && target.numel() != 1 {
        return Err(value_error(format!(
            "For 1D input, 1D target must have size 1, but got target size: {}",
            target.numel()
        )));
    }
    // Only an empty batch gets here: of any other the sizes were compared before.
    if input.dim() == 2 && target.dim() == 0 {
        return Err(Failure::index("Dimension specified as 0 but tensor has no dimensions"));
    }
    let classes = input.shape().last().copied().unwrap_or(0);
    match arguments.weight {
        Some(weight) if weight.shape() != [classes] => Err(Failure::runtime(format!(
            "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of \
             shape: {:?}",
            weight.shape()
        ))),
        _ => Ok(()),
    }
}

fn check_spatial(arguments: &Arguments) -> Result<()> {
    let (input, target) = (arguments.input, arguments.target);
    if target.dim() != 3 {
        return Err(Failure::runtime(format!(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}",
            target.dim()
        )));
    }
    check_target_type(target)?;
    check_spatial_weight(arguments)?;
    if input.shape()[2..] != target.shape()[1..] {
        return Err(Failure::runtime(format!(
            "size mismatch (got input: {:?} , target: {:?}",
            input.shape(),
            target.shape()
        )));
    }
    Ok(())
}

fn check_target_type(target: &Tensor) -> Result<()> {
    if matches!(target.dtype(), DType::Int64 | DType::UInt8) {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "expected target dtype to be Long or Byte, but got {}",
        target.dtype().scalar_type()
    )))
}

fn check_spatial_weight(arguments: &Arguments) -> Result<()> {
    match arguments.weight {
        Some(weight) if weight.numel() != arguments.input.shape()[1] => {
            Err(Failure::runtime("weight tensor should be defined either for all or no classes"))
        }
        _ => Ok(()),
    }
}

/// What is left once the shapes are known to fit: the kernel's own checks, and the losses.
fn picked(arguments: &Arguments, kernel: &str) -> Result<Tensor> {
    let (input, target) = (arguments.input, arguments.target);
    if !input.dtype().is_floating() {
        return Err(Failure::no_kernel(kernel, input.dtype()));
    }
    if let Some(weight) = arguments.weight.filter(|weight| weight.dtype() != input.dtype()) {
        return Err(wrong_scalar_type(input.dtype(), weight.dtype()));
    }
    let kept = arguments.reduction == Reduction::None && input.dim() > 1;
    // The kernel of places knows int64 only; with nothing to reduce it does not look.
    if input.dim() > 2 && target.dtype() == DType::UInt8 && (kept || target.numel() > 0) {
        return Err(wrong_scalar_type(DType::Int64, DType::UInt8));
    }
    with_float_type!(input.dtype(), T => {
        let picks = Picks::<T>::new(arguments);
        if kept { picks.each(target.shape()) } else { picks.folded(arguments.reduction) }
    }, _ => Err(Failure::no_kernel(kernel, input.dtype())))
}

/// The elements that the targets pick, in the order of the targets.
struct Picks<T> {
    input: Vec<T>,
    targets: Vec<i64>,
    byte: bool,
    weight: Option<Vec<T>>,
    classes: usize,
    places: usize,
    ignored: i64,
}

impl<T: Float<Acc: Arithmetic>> Picks<T> {
    fn new(arguments: &Arguments) -> Picks<T> {
        let shape = arguments.input.shape();
        Picks {
            input: arguments.input.values::<T>().into_owned(),
            targets: arguments.target.values::<i64>().into_owned(),
            byte: arguments.target.dtype() == DType::UInt8,
            weight: arguments.weight.map(|weight| weight.values::<T>().into_owned()),
            classes: shape.get(usize::from(shape.len() > 1)).copied().unwrap_or(0),
            places: shape.iter().skip(2).product(),
            ignored: arguments.ignored,
        }
    }

    /// The element and the weight that the target at a position picks; none if it is ignored.
    /// `print` shows a target that is out of bounds.
    fn at(&self, position: usize, print: impl Fn(i64) -> Result<String>) -> Result<Option<(T, Option<T>)>> {
        let target = self.targets[position];
        if target == self.ignored {
            return Ok(None);
        }
        let Some(class) = usize::try_from(target).ok().filter(|&class| class < self.classes) else {
            return Err(Failure::index(format!("Target {} is out of bounds.", print(target)?)));
        };
        let (sample, place) = (position / self.places.max(1), position % self.places.max(1));
        let element = self.input[(sample * self.classes + class) * self.places + place];
        Ok(Some((element, self.weight.as_ref().map(|weight| weight[class]))))
    }

    /// One loss per target.
    fn each(&self, shape: &[usize]) -> Result<Tensor> {
        // This kernel prints a uint8 as the character that it is.
        let print = |target: i64| match u8::try_from(target) {
            Ok(byte) if self.byte && byte.is_ascii() => Ok(char::from(byte).to_string()),
            Ok(_) if self.byte => {
                Err(Failure::Unsupported("nll_loss: the text of an error that is no UTF-8".into()))
            }
            _ => Ok(target.to_string()),
        };
        let losses = (0..self.targets.len()).map(|position| {
            Ok(match self.at(position, print)? {
                None => T::from_f64(0.0),
                Some((element, weight)) => {
                    let weight = weight.map_or(T::Acc::number(1.0), T::widen);
                    T::narrow(-element.widen() * weight)
                }
            })
        });
        Ok(Tensor::collect(shape, losses.collect::<Result<Vec<T>>>()?))
    }

    /// The sum or mean of the losses: a cascade of eight levels in which every step is rounded to
    /// the type itself, 16-bit types too. A level is flushed where the bits of the position that
    /// belong to it are all zero; an ignored target flushes nothing.
    fn folded(&self, reduction: Reduction) -> Result<Tensor> {
        if self.targets.is_empty() {
            let nothing = if reduction == Reduction::Mean { f64::NAN } else { 0.0 };
            return Ok(Tensor::scalar(T::from_f64(nothing)));
        }
        let [sum, weight] = self.totals()?;
        Ok(Tensor::scalar(match reduction {
            Reduction::Mean => T::narrow(sum.widen() / weight.widen()),
            _ => sum,
        }))
    }

    /// The sum of the losses, and that of their weights, each 1 unless they are given.
    fn totals(&self) -> Result<[T; 2]> {
        let zero = T::from_f64(0.0);
        const LEVELS: usize = 8;
        let add = |a: T, b: T| T::narrow(a.widen() + b.widen());
        let power = (ceil_log2(self.targets.len()) / LEVELS).max(4);
        let (mut losses, mut weights) = ([zero; LEVELS], [zero; LEVELS]);
        let mut counted = 0;
        for position in 0..self.targets.len() {
            let Some((element, weight)) = self.at(position, |target| Ok(target.to_string()))? else {
                continue;
            };
            counted += 1;
            let loss = match weight {
                None => element,
                Some(weight) => {
                    weights[0] = add(weights[0], weight);
                    T::narrow(element.widen() * weight.widen())
                }
            };
            losses[0] = T::narrow(losses[0].widen() - loss.widen());
            for level in 1..LEVELS {
                if position >> ((level - 1) * power) & ((1 << power) - 1) != 0 {
                    break;
                }
                for sums in [&mut losses, &mut weights] {
                    sums[level] = add(sums[level], std::mem::replace(&mut sums[level - 1], zero));
                }
            }
        }
        let total = |sums: [T; LEVELS]| sums.into_iter().fold(zero, add);
        let sum = total(losses);
        let weight = if self.weight.is_some() { total(weights) } else { T::from_f64(counted as f64) };
        Ok([sum, weight])
    }

    /// The gradient of the input: at the elements that were picked, and 0 elsewhere.
    fn gradient(&self, shape: &[usize], cotangent: &Tensor, reduction: Option<Reduction>) -> Result<Tensor> {
        let cotangents = cotangent.values::<T>();
        let one = T::from_f64(1.0);
        let single = match (reduction, cotangents.first()) {
            (Some(reduction), Some(&cotangent)) => {
                let mean = reduction == Reduction::Mean;
                let share =
                    if mean { T::narrow(cotangent.widen() / self.totals()?[1].widen()) } else { cotangent };
                Some(T::narrow(-share.widen()))
            }
            _ => None,
        };
        let mut gradient = vec![T::from_f64(0.0); self.input.len()];
        for (position, &target) in self.targets.iter().enumerate() {
            let Some((_, weight)) = self.at(position, |target| Ok(target.to_string()))? else { continue };
            let weight = weight.unwrap_or(one).widen();
            let value = match single {
                Some(single) => weight * single.widen(),
                None => -weight * cotangents[position].widen(),
            };
            let (sample, place) = (position / self.places.max(1), position % self.places.max(1));
            gradient[(sample * self.classes + target as usize) * self.places + place] = T::narrow(value);
        }
        Ok(Tensor::collect(shape, gradient))
    }
}

pub(super) fn nll_loss_backward(pass: &Pass) -> Result<Gradients> {
    let arguments = Arguments::new(pass.call)?;
    refuse_weight_gradient(pass, arguments.input)?;
    pass.each(&[("input", &|| picked_gradient(&arguments, &pass.cotangent(0)?))])
}

/// Refuses a gradient of the weights, in the name of the function for as many dimensions.
fn refuse_weight_gradient(pass: &Pass, input: &Tensor) -> Result<()> {
    let function = if input.dim() > 2 { "nll_loss2d_forward" } else { "nll_loss_forward" };
    refuse_gradient(pass, "weight", function)
}

/// The gradient of the input of [`negative_log_likelihood`], and two refusals that only the way
/// back has.
fn picked_gradient(arguments: &Arguments, cotangent: &Tensor) -> Result<Tensor> {
    let (input, target) = (arguments.input, arguments.target);
    if input.dim() == 1 && target.dim() == 1 {
        return Err(Failure::runtime(format!(
            "size mismatch (got input: {:?}, target: {:?})",
            input.shape(),
            target.shape()
        )));
    }
    // The result is made like the input, and filled as one that lies row-major.
    if input.dim() == 4 && !laid_out_like(input, input).is_contiguous() {
        return Err(Failure::runtime("grad_input must be contiguous"));
    }
    let kept = arguments.reduction == Reduction::None && input.dim() > 1;
    let reduction = (!kept).then_some(arguments.reduction);
    with_float_type!(input.dtype(), T => {
        Picks::<T>::new(arguments).gradient(input.shape(), cotangent, reduction)
    }, _ => Err(Failure::no_kernel("nll_loss_backward_out_frame", input.dtype())))
}

pub(super) fn cross_entropy(call: &Call) -> Result {
    let arguments = Arguments::new(call)?;
    let smoothing = call.float("label_smoothing", 0.0)?;
    let output = if arguments.input.shape() == arguments.target.shape() {
        by_probability(&arguments, smoothing)?
    } else if smoothing > 0.0 {
        check_smoothing(smoothing)?;
        smoothed(&arguments, smoothing)?
    } else {
        let logs = log_probabilities(arguments.input)?;
        negative_log_likelihood(&arguments.with_input(&logs))?
    };
    arguments.returned(output)
}

fn check_smoothing(smoothing: f64) -> Result<()> {
    if smoothing <= 1.0 {
        return Ok(());
    }
    let message = format!("label_smoothing must be between 0.0 and 1.0. Got: {}", six_digits(smoothing));
    Err(Failure::runtime(message))
}

/// A number above 1 as C++ prints it: at most six digits, with an exponent from a million on.
fn six_digits(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !value.is_finite() {
        return if value.is_nan() { "nan" } else { "inf" }.to_owned();
    }
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent >= 6 {
        return format!("{}e+{exponent:02}", trim(digits));
    }
    trim(&format!("{value:.*}", (5 - exponent) as usize))
}

fn class_dim(input: &Tensor) -> usize {
    usize::from(input.dim() != 1)
}

fn log_softmax_of(input: &Tensor) -> [(&'static str, Value); 2] {
    [("input", input.into()), ("dim", (class_dim(input) as i64).into())]
}

fn log_probabilities(input: &Tensor) -> Result<Tensor> {
    eager::call("log_softmax", log_softmax_of(input))
}

pub(super) fn cross_entropy_backward(pass: &Pass) -> Result<Gradients> {
    let arguments = Arguments::new(pass.call)?;
    let (input, cotangent) = (arguments.input, pass.cotangent(0)?);
    let smoothing = pass.call.float("label_smoothing", 0.0)?;
    if input.shape() == arguments.target.shape() {
        return by_probability_backward(pass, &arguments, &cotangent, smoothing);
    }
    refuse_weight_gradient(pass, input)?;
    pass.each(&[("input", &|| {
        let logs = log_probabilities(input)?;
        let picks = arguments.with_input(&logs);
        let of_logs = if smoothing > 0.0 {
            let sharp = picked_gradient(&picks, &scaled(&cotangent, 1.0 - smoothing))?;
            let classes = logs.shape().get(class_dim(input)).copied().unwrap_or(0);
            let share = scaled(&cotangent, smoothing / classes as f64);
            eager::add(&smooth_gradient(&picks, &share)?, &sharp)?
        } else {
            picked_gradient(&picks, &cotangent)?
        };
        eager::gradient("log_softmax", log_softmax_of(input), &logs, &of_logs)
    })])
}

/// The gradient of the logarithms from that of the part of the loss that all classes share, in the
/// steps of [`smoothed`].
fn smooth_gradient(arguments: &Arguments, cotangent: &Tensor) -> Result<Tensor> {
    let (logs, target) = (arguments.input, arguments.target);
    let mask = ignored_mask(arguments)?;
    let share = match arguments.reduction {
        Reduction::Mean => {
            let over = binary(cotangent, &counted_weight(arguments, &mask)?, Operation::Over)?;
            over.to_dtype(logs.dtype())
        }
        _ => cotangent.clone(),
    };
    let share = negated(&eager::masked_fill(&share.expanded(target.shape()), &mask, Scalar::Float(0.0))?);
    let whole = share.unsqueezed(class_dim(logs)).expanded(logs.shape());
    match arguments.weight {
        None => Ok(whole),
        Some(weight) => {
            Ok(binary(&whole, &along_classes(weight, logs), Operation::Times)?.to_dtype(logs.dtype()))
        }
    }
}

/// The gradients of [`by_probability`]: a product of three.
fn by_probability_backward(
    pass: &Pass,
    arguments: &Arguments,
    cotangent: &Tensor,
    smoothing: f64,
) -> Result<Gradients> {
    let (input, target) = (arguments.input, arguments.target);
    let dim = class_dim(input);
    let classes = input.shape().get(dim).copied().unwrap_or(0);
    let logs = log_probabilities(input)?;
    let smooth = match smoothing > 0.0 {
        true => plus(&scaled(target, 1.0 - smoothing), smoothing / classes as f64),
        false => target.clone(),
    };
    let share = match arguments.reduction {
        // An empty loss is filled with NaN, whatever it was.
        Reduction::Mean if input.numel() == 0 => constant(0.0, cotangent),
        Reduction::Mean => divided(cotangent, (input.numel() / classes) as f64),
        _ => cotangent.clone(),
    };
    let share = negated(&share);
    let share = if arguments.reduction == Reduction::None { share.unsqueezed(dim) } else { share };
    let whole = share.expanded(input.shape());
    let products = binary(&logs, &smooth, Operation::Times)?;
    let of_products = match arguments.weight {
        None => whole.clone(),
        Some(weight) => {
            binary(&whole, &along_classes(weight, input), Operation::Times)?.to_dtype(products.dtype())
        }
    };
    pass.each(&[
        ("input", &|| {
            let of_logs = binary(&of_products, &smooth, Operation::Times)?.to_dtype(logs.dtype());
            eager::gradient("log_softmax", log_softmax_of(input), &logs, &of_logs)
        }),
        ("target", &|| {
            let of_target = binary(&of_products, &logs, Operation::Times)?.to_dtype(target.dtype());
            Ok(if smoothing > 0.0 { scaled(&of_target, 1.0 - smoothing) } else { of_target })
        }),
        ("weight", &|| {
            let Some(weight) = arguments.weight else { return Ok(whole.clone()) };
            let of_weight = binary(&whole, &products, Operation::Times)?;
            let of_weight = eager::sum_to(&of_weight, along_classes(weight, input).shape())?;
            Ok(of_weight.reshaped(weight.shape()))
        }),
    ])
}

/// Which targets are ignored.
fn ignored_mask(arguments: &Arguments) -> Result<Tensor> {
    eager::eq(arguments.target, arguments.ignored)
}

/// How many targets count, or what they weigh.
fn counted_weight(arguments: &Arguments, mask: &Tensor) -> Result<Tensor> {
    let target = arguments.target;
    let counted: Vec<Scalar> = target
        .scalars()
        .zip(mask.scalars())
        .filter_map(|(target, ignored)| (!ignored.to_bool()).then_some(target))
        .collect();
    match arguments.weight {
        None => Ok(Tensor::full(&[], Scalar::Int(counted.len() as i64), DType::Int64)),
        Some(weight) => sum(&gathered(weight, target.dtype(), &counted)?, None),
    }
}

/// The loss against one probability per class.
fn by_probability(arguments: &Arguments, smoothing: f64) -> Result<Tensor> {
    let (input, target) = (arguments.input, arguments.target);
    if !target.dtype().is_floating() {
        return Err(Failure::runtime(format!(
            "Expected floating point type for target with class probabilities, got {}",
            target.dtype().scalar_type()
        )));
    }
    if arguments.ignored >= 0 {
        return Err(Failure::runtime("ignore_index is not supported for floating point target"));
    }
    let dim = class_dim(input);
    let Some(&classes) = input.shape().get(dim) else {
        return Err(Failure::index("Dimension specified as 1 but tensor has no dimensions"));
    };
    if let Some(weight) = arguments.weight.filter(|weight| weight.shape() != [classes]) {
        return Err(Failure::runtime(format!(
            "cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got \
             weight tensor of shape: {:?}",
            weight.shape()
        )));
    }
    let logs = log_probabilities(input)?;
    let smooth;
    let target = if smoothing > 0.0 {
        check_smoothing(smoothing)?;
        smooth = plus(&scaled(target, 1.0 - smoothing), smoothing / classes as f64);
        &smooth
    } else {
        target
    };
    let mut products = binary(&logs, target, Operation::Times)?;
    if let Some(weight) = arguments.weight {
        products = binary(&products, &along_classes(weight, input), Operation::Times)?;
    }
    let over = if arguments.reduction == Reduction::None { Some(dim) } else { None };
    let loss = negated(&sum(&products, over)?);
    match arguments.reduction {
        Reduction::Mean if input.numel() == 0 => Ok(constant(f64::NAN, &loss)),
        Reduction::Mean => Ok(divided(&loss, (input.numel() / classes) as f64)),
        _ => Ok(loss),
    }
}

/// The loss against a class by index that shares some of its probability with all others.
fn smoothed(arguments: &Arguments, smoothing: f64) -> Result<Tensor> {
    let dim = class_dim(arguments.input);
    let logs = log_probabilities(arguments.input)?;
    let sharp = negative_log_likelihood(&arguments.with_input(&logs))?;
    let classes = logs.shape().get(dim).copied().unwrap_or(0);
    let weighted = match arguments.weight {
        None => logs.clone(),
        Some(weight) => binary(&logs, &along_classes(weight, &logs), Operation::Times)?,
    };
    let smooth = negated(&sum(&weighted, Some(dim))?);
    let mask = ignored_mask(arguments)?;
    check_in_place(&smooth, &mask)?;
    let smooth = eager::masked_fill(&smooth, &mask, Scalar::Float(0.0))?;
    let smooth = match arguments.reduction {
        Reduction::None => smooth,
        Reduction::Sum => sum(&smooth, None)?,
        Reduction::Mean => binary(&sum(&smooth, None)?, &counted_weight(arguments, &mask)?, Operation::Over)?,
    };
    let (sharp, smooth) = (scaled(&sharp, 1.0 - smoothing), scaled(&smooth, smoothing / classes as f64));
    binary(&sharp, &smooth, Operation::Plus)
}

/// The weights of some classes.
fn gathered(weight: &Tensor, dtype: DType, classes: &[Scalar]) -> Result<Tensor> {
    let classes: Vec<i64> = classes.iter().map(|class| class.to_i64()).collect();
    let index = Tensor::collect(&[classes.len()], classes).to_dtype(dtype);
    let dim = Value::Scalar(Scalar::Int(0));
    eager::call(
        "gather",
        [("input", Value::Tensor(weight.clone())), ("dim", dim), ("index", Value::Tensor(index))],
    )
}

/// Weights in a shape that broadcasts along the classes of an input.
fn along_classes(weight: &Tensor, input: &Tensor) -> Tensor {
    let shape: Vec<usize> =
        (0..input.dim()).map(|dim| if dim == class_dim(input) { weight.numel() } else { 1 }).collect();
    weight.reshaped(&shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_in_cpp() {
        assert_eq!(
            [2.0, 1.0000001, 1.25, 123456.7, 1e20].map(six_digits),
            ["2", "1", "1.25", "123457", "1e+20"]
        );
    }

    #[test]
    fn an_ignored_target_counts_for_nothing() {
        let input = Tensor::new(&[3, 2], vec![-1.0f32, -2.0, -4.0, -8.0, -16.0, -32.0]).unwrap();
        let target = Tensor::new(&[3], vec![1i64, -100, 0]).unwrap();
        let mut arguments = Arguments {
            input: &input,
            target: &target,
            weight: None,
            ignored: -100,
            reduction: Reduction::Mean,
            warnings: Vec::new(),
        };
        assert_eq!(*negative_log_likelihood(&arguments).unwrap().values::<f32>(), [9.0]);
        arguments.reduction = Reduction::None;
        assert_eq!(*negative_log_likelihood(&arguments).unwrap().values::<f32>(), [2.0, 0.0, 16.0]);
        arguments.ignored = 0;
        let message = "Target -100 is out of bounds.";
        assert_eq!(negative_log_likelihood(&arguments).unwrap_err(), Failure::index(message));
    }
}
