//! Losses by distance: `mse_loss`, `l1_loss`, `smooth_l1_loss`, `huber_loss`.
//!
//! | op | accepts | steps of a 16-bit type |
//! |---|---|---|
//! | `mse_loss` | floats, and integers beside floats | each rounded |
//! | `l1_loss` | every dtype but bool and uint32; a mean needs floats | each rounded |
//! | `smooth_l1_loss` | as `mse_loss` | float16: each rounded; bfloat16: float32 |
//! | `huber_loss` | as `mse_loss`; the result has the input's dtype | float16: float32; bfloat16: each rounded |
//!
//! Input and target broadcast, with a warning where their sizes differ. Sources: `Loss.cpp`,
//! `BinaryOpsKernel.cpp`, `torch/nn/functional.py`; the rounding was found by experiment.
//!
//! Backwards `l1_loss` is composed of other ops, as are the weights of all. The others have kernels
//! (`PointwiseOpsKernel.cpp`) that take input and target in turn; vectors and scalars multiply in
//! other orders there, and scalars end in float64, since the bound is a `double`.

use super::super::call::{Call, Failure, Result, Returned, refuse_uint32};
use super::super::numerics::dispatch::with_float_type;
use super::super::numerics::elementwise::VectorPart;
use super::super::numerics::lanes::Float;
use super::super::numerics::moments::Arithmetic;
use super::super::numerics::zip::{laid_out_like, zip};
use super::super::pointwise::broadcast_shapes;
use super::super::promotion::{Operand, result_type};
use super::super::{Gradients, Pass, eager};
use super::arithmetic::{Operation, binary, check_cast, negated, scaled};
use super::{Reduction, reduced, reduction_name, reduction_of, size, spread, value_error};
use crate::tensor::{DType, Element, Scalar, Tensor};
use crate::with_type;

pub(super) const WEIGHTED: &[&str] = &["input", "target", "size_average", "reduce", "reduction", "weight"];
pub(super) const SMOOTH_L1: &[&str] = &["input", "target", "size_average", "reduce", "reduction", "beta"];
pub(super) const HUBER: &[&str] = &["input", "target", "reduction", "delta", "weight"];

/// Input and target in one shape, with what there is to warn about.
struct Pair<'a> {
    original: &'a Tensor,
    input: Tensor,
    target: Tensor,
    /// The reduction by name; it is looked at late.
    reduction: String,
    warnings: Vec<String>,
}

impl<'a> Pair<'a> {
    fn new(call: &'a Call) -> Result<Pair<'a>> {
        let (original, target) = (call.tensor("input")?, call.tensor("target")?);
        let mut warnings = Vec::new();
        if original.shape() != target.shape() {
            warnings.push(format!(
                "Using a target size ({}) that is different to the input size ({}). This will likely lead to \
                 incorrect results due to broadcasting. Please ensure they have the same size.",
                size(target),
                size(original)
            ));
        }
        let reduction = reduction_name(call, &mut warnings)?;
        let shape = broadcast_shapes([original.shape(), target.shape()])?;
        let (input, target) = (original.expanded(&shape), target.expanded(&shape));
        Ok(Pair { original, input, target, reduction, warnings })
    }

    /// The type in which both are computed.
    fn common_type(&self) -> Result<DType> {
        result_type(&[Operand::Tensor(&self.input), Operand::Tensor(&self.target)])
    }

    fn both(&self, dtype: DType) -> [Tensor; 2] {
        [&self.input, &self.target].map(|tensor| tensor.to_dtype(dtype))
    }

    /// Weights of the losses, which are as many as the input's own elements.
    fn weight<'c>(&self, call: &'c Call) -> Result<Option<&'c Tensor>> {
        let weight = call.optional_tensor("weight")?;
        if weight.is_some_and(|weight| weight.shape() != self.original.shape()) {
            return Err(value_error("Weights and input must have the same size."));
        }
        Ok(weight)
    }

    /// The reduction of weighted losses, which is not looked up where the others are.
    fn weighted_reduction(&self) -> Result<Reduction> {
        match self.reduction.as_str() {
            "none" => Ok(Reduction::None),
            "mean" => Ok(Reduction::Mean),
            "sum" => Ok(Reduction::Sum),
            name => Err(value_error(format!(
                "Invalid reduction mode: {name}. Expected one of 'none', 'mean', 'sum'."
            ))),
        }
    }

    fn finish(mut self, losses: impl FnOnce(&Self) -> Result<Tensor>) -> Result {
        let reduction = reduction_of(&self.reduction, &mut self.warnings)?;
        let output = reduced(losses(&self)?, reduction)?;
        Ok(Returned { outputs: vec![output], warnings: self.warnings })
    }
}

/// What one element's loss is made with: numbers that are rounded to the dtype after each step,
/// or only at the end.
struct Steps<T> {
    each: bool,
    of: std::marker::PhantomData<T>,
}

impl<T: Float<Acc: Arithmetic>> Steps<T> {
    fn rounded(each: bool) -> Steps<T> {
        Steps { each, of: std::marker::PhantomData }
    }

    fn step(&self, value: T::Acc) -> T::Acc {
        if self.each { T::narrow(value).widen() } else { value }
    }

    /// Half of the square of a distance.
    fn half_square(&self, distance: T::Acc) -> T::Acc {
        self.step(self.step(T::Acc::number(0.5) * distance) * distance)
    }

    /// A distance beyond a bound, less half of the bound.
    fn beyond(&self, distance: T::Acc, bound: T::Acc) -> T::Acc {
        self.step(distance - self.step(T::Acc::number(0.5) * bound))
    }

    fn distance(&self, x: T, y: T) -> T::Acc {
        self.step(x.widen() - y.widen()).magnitude()
    }
}

pub(super) fn mse_loss(call: &Call) -> Result {
    let pair = Pair::new(call)?;
    let Some(weight) = pair.weight(call)? else {
        return pair.finish(|pair| {
            let dtype = pair.common_type()?;
            with_float_type!(dtype, T => Ok(squares::<T>(&pair.both(dtype))), _ => Err(Failure::no_kernel("mse_cpu", dtype)))
        });
    };
    let difference = difference(&pair)?;
    fn square<T: Element>(x: &Tensor) -> Tensor {
        zip::<T, T, 1>([x], |[x]| product(x, x))
    }
    weighted(&pair, with_type!(difference.dtype(), T => square::<T>(&difference)), weight)
}

fn squares<T: Float<Acc: Arithmetic>>([x, y]: &[Tensor; 2]) -> Tensor {
    let steps = Steps::<T>::rounded(true);
    zip::<T, T, 2>([x, y], |[x, y]| {
        let distance = steps.distance(x, y);
        T::narrow(distance * distance)
    })
}

pub(super) fn l1_loss(call: &Call) -> Result {
    let pair = Pair::new(call)?;
    match pair.weight(call)? {
        None => pair.finish(distances),
        Some(weight) => weighted(&pair, distances(&pair)?, weight),
    }
}

/// The absolute difference, in integers too, which wrap.
fn distances(pair: &Pair) -> Result<Tensor> {
    let difference = difference(pair)?;
    fn magnitudes<T: Element>(x: &Tensor) -> Tensor {
        zip::<T, T, 1>([x], |[x]| {
            T::from_scalar(match x.to_scalar() {
                Scalar::Float(value) => Scalar::Float(value.abs()),
                Scalar::Int(value) => Scalar::Int(value.wrapping_abs()),
                Scalar::Bool(value) => Scalar::Bool(value),
            })
        })
    }
    Ok(with_type!(difference.dtype(), T => magnitudes::<T>(&difference)))
}

/// `input - target`.
fn difference(pair: &Pair) -> Result<Tensor> {
    let bools = [&pair.input, &pair.target].iter().filter(|tensor| tensor.dtype() == DType::Bool).count();
    if bools > 0 {
        return Err(Failure::not_implemented(if bools == 2 {
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` \
             operator instead."
        } else {
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a \
             mask, use the `~` or `logical_not()` operator instead."
        }));
    }
    let dtype = pair.common_type()?;
    refuse_uint32("add_stub", dtype)?;
    fn subtract<T: Element>([x, y]: &[Tensor; 2]) -> Tensor {
        zip::<T, T, 2>([x, y], |[x, y]| {
            T::from_scalar(match (x.to_scalar(), y.to_scalar()) {
                (Scalar::Int(x), Scalar::Int(y)) => Scalar::Int(x.wrapping_sub(y)),
                // Exact in float64 or rounded there, and once more in the element's type: for
                // sums and products of narrower floats the two roundings give the single one.
                (x, y) => Scalar::Float(x.to_f64() - y.to_f64()),
            })
        })
    }
    let both = pair.both(dtype);
    Ok(with_type!(dtype, T => subtract::<T>(&both)))
}

/// `x * y` in an element's type; integers wrap.
fn product<T: Element>(x: T, y: T) -> T {
    T::from_scalar(match (x.to_scalar(), y.to_scalar()) {
        (Scalar::Int(x), Scalar::Int(y)) => Scalar::Int(x.wrapping_mul(y)),
        (x, y) => Scalar::Float(x.to_f64() * y.to_f64()),
    })
}

/// Losses times weights; their mean is over the sum of the weights.
fn weighted(pair: &Pair, losses: Tensor, weight: &Tensor) -> Result {
    let shape = broadcast_shapes([losses.shape(), weight.shape()])?;
    let losses = times(&losses.expanded(&shape), &weight.expanded(&shape))?;
    let output = match pair.weighted_reduction()? {
        Reduction::Mean => {
            let (sum, weights) = (reduced(losses, Reduction::Sum)?, reduced(weight.clone(), Reduction::Sum)?);
            quotient(&sum, &weights)?
        }
        reduction => reduced(losses, reduction)?,
    };
    Ok(Returned { outputs: vec![output], warnings: pair.warnings.clone() })
}

fn times(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let dtype = result_type(&[Operand::Tensor(x), Operand::Tensor(y)])?;
    let [x, y] = [x, y].map(|tensor| tensor.to_dtype(dtype));
    Ok(with_type!(dtype, T => zip::<T, T, 2>([&x, &y], |[x, y]| product(x, y))))
}

/// One 0-d tensor over another: true division.
fn quotient(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let dtype = result_type(&[Operand::Tensor(x), Operand::Tensor(y)])?;
    let dtype = if dtype.is_floating() { dtype } else { DType::Float32 };
    let [x, y] = [x, y].map(|tensor| tensor.to_dtype(dtype));
    fn divide<T: Float>(x: &Tensor, y: &Tensor) -> Tensor {
        zip::<T, T, 2>([x, y], |[x, y]| T::narrow(x.widen() / y.widen()))
    }
    Ok(with_float_type!(dtype, T => divide::<T>(&x, &y), _ => x))
}

pub(super) fn smooth_l1_loss(call: &Call) -> Result {
    let beta = call.float("beta", 1.0)?;
    Pair::new(call)?.finish(|pair| {
        if beta == 0.0 {
            return distances(pair);
        }
        // NaN is refused as well.
        if !matches!(beta.partial_cmp(&0.0), Some(std::cmp::Ordering::Greater)) {
            return Err(Failure::runtime("smooth_l1_loss does not support negative values for beta."));
        }
        let dtype = pair.common_type()?;
        with_float_type!(dtype, T => Ok(smooth::<T>(&pair.both(dtype), beta)), _ => Err(Failure::no_kernel("smooth_l1_cpu", dtype)))
    })
}

fn smooth<T: Float<Acc: Arithmetic>>([x, y]: &[Tensor; 2], beta: f64) -> Tensor {
    let steps = Steps::<T>::rounded(T::DTYPE != DType::BFloat16);
    let beta = steps.step(T::Acc::number(beta));
    zip::<T, T, 2>([x, y], |[x, y]| {
        let distance = steps.distance(x, y);
        T::narrow(if distance < beta {
            steps.half_square(distance) / beta
        } else {
            steps.beyond(distance, beta)
        })
    })
}

pub(super) fn huber_loss(call: &Call) -> Result {
    let delta = call.float("delta", 1.0)?;
    let pair = Pair::new(call)?;
    match pair.weight(call)? {
        None => pair.finish(|pair| huber_losses(pair, delta)),
        Some(weight) => {
            let losses = huber_losses(&pair, delta)?;
            let shape = broadcast_shapes([losses.shape(), weight.shape()])?;
            let losses = times(&losses.expanded(&shape), &weight.expanded(&shape))?;
            let output = reduced(losses, pair.weighted_reduction()?)?;
            Ok(Returned { outputs: vec![output], warnings: pair.warnings })
        }
    }
}

/// In the input's dtype and layout: PyTorch makes the result before it looks at the target.
fn huber_losses(pair: &Pair, delta: f64) -> Result<Tensor> {
    if !matches!(delta.partial_cmp(&0.0), Some(std::cmp::Ordering::Greater)) {
        return Err(Failure::runtime("huber_loss does not support non-positive values for delta."));
    }
    let (common, own) = (pair.common_type()?, pair.input.dtype());
    check_cast(common, own)?;
    let both = pair.both(common);
    let losses = with_float_type!(common, T => huber::<T>(&both, delta), _ => return Err(Failure::no_kernel("huber_cpu", common)));
    Ok(laid_out_like(&losses.to_dtype(own), &pair.input))
}

fn huber<T: Float<Acc: Arithmetic>>([x, y]: &[Tensor; 2], delta: f64) -> Tensor {
    let steps = Steps::<T>::rounded(T::DTYPE != DType::Float16);
    let delta = steps.step(T::Acc::number(delta));
    zip::<T, T, 2>([x, y], |[x, y]| {
        let distance = steps.distance(x, y);
        T::narrow(if distance < delta {
            steps.half_square(distance)
        } else {
            delta * steps.beyond(distance, delta)
        })
    })
}

/// A kernel's gradients of one operand beside another, all in one shape and type: `[own, other,
/// cotangent]`. The slope is told whether an element is computed in vectors. The result is made
/// first, row-major.
fn slopes<T: Float>(operands: &[Tensor; 3], slope: impl Fn(bool, [T; 3]) -> T) -> Tensor {
    let [own, other, cotangent] = operands;
    let output = Tensor::full(own.shape(), Scalar::Int(0), T::DTYPE);
    let part = VectorPart::new([&output, own, other, cotangent], T::DTYPE);
    let [own, other, cotangent] = operands.each_ref().map(|tensor| tensor.values::<T>());
    let each = (0..own.len()).map(|at| slope(part.holds(at), [own[at], other[at], cotangent[at]]));
    Tensor::collect(output.shape(), each)
}

/// The loss of a kernel with a mean of its own: its norm is a factor of the gradient.
enum Kernel {
    Mse,
    SmoothL1 { beta: f64 },
    Huber { delta: f64 },
}

impl Kernel {
    fn gradient<T: Float<Acc: Arithmetic>>(&self, operands: &[Tensor; 3], norm: f64) -> Tensor {
        match *self {
            Kernel::Mse => {
                let steps = Steps::<T>::rounded(true);
                let factor = steps.step(T::Acc::number(2.0 * norm));
                slopes::<T>(operands, |_, [own, other, cotangent]| {
                    let distance = steps.step(own.widen() - other.widen());
                    T::narrow(steps.step(factor * distance) * cotangent.widen())
                })
            }
            Kernel::SmoothL1 { beta } => {
                let steps = Steps::<T>::rounded(false);
                slopes::<T>(operands, steps.bounded(norm, beta, true))
            }
            Kernel::Huber { delta } => {
                let steps = Steps::<T>::rounded(true);
                slopes::<T>(operands, steps.bounded(norm, delta, false))
            }
        }
    }
}

impl<T: Float<Acc: Arithmetic>> Steps<T> {
    /// The slope of a square within a bound and of a distance beyond it; `relative` to the bound it
    /// is at most 1, else at most the bound.
    fn bounded(&self, norm: f64, bound: f64, relative: bool) -> impl Fn(bool, [T; 3]) -> T {
        let rounded = |number: f64| self.step(T::Acc::number(number));
        let (norm, near) = (rounded(norm), rounded(bound));
        let (zero, one) = (T::Acc::number(0.0), T::Acc::number(1.0));
        move |in_vector, [own, other, cotangent]| {
            let (distance, cotangent) = (self.step(own.widen() - other.widen()), cotangent.widen());
            if in_vector {
                let most = if relative { one } else { near };
                let slope = if distance.magnitude() >= near {
                    if distance > zero { most } else { -most }
                } else if relative {
                    self.step(distance / near)
                } else {
                    distance
                };
                return T::narrow(self.step(norm * slope) * cotangent);
            }
            let wide = T::narrow(distance).to_f64();
            let (end, inside) = if wide <= -bound {
                (self.step(-norm * cotangent), false)
            } else if wide >= bound {
                (self.step(norm * cotangent), false)
            } else {
                (self.step(self.step(norm * distance) * cotangent), true)
            };
            match (relative, inside) {
                (true, true) => T::from_f64(end.to_scalar().to_f64() / bound),
                (false, false) => T::from_f64(end.to_scalar().to_f64() * bound),
                _ => T::narrow(end),
            }
        }
    }
}

/// The gradients of input and target by a kernel, in the common type of both.
fn by_kernel(pass: &Pass, pair: &Pair, kernel: &Kernel, cotangent: &Tensor, norm: f64) -> Result<Gradients> {
    let gradient = |own: &Tensor, other: &Tensor| -> Result<Tensor> {
        let cotangent = cotangent.expanded(own.shape());
        if matches!(kernel, Kernel::Huber { .. }) {
            // This one does not promote.
            for operand in [other, &cotangent] {
                check_same_type(own.dtype(), operand.dtype())?;
            }
        }
        let dtype = pair.common_type()?;
        let operands = [own, other, &cotangent].map(|tensor| tensor.to_dtype(dtype));
        Ok(with_float_type!(dtype, T => kernel.gradient::<T>(&operands, norm), _ => cotangent)
            .to_dtype(own.dtype()))
    };
    pass.each(&[
        ("input", &|| gradient(&pair.input, &pair.target)),
        ("target", &|| gradient(&pair.target, &pair.input)),
    ])
}

fn check_same_type(expected: DType, found: DType) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Failure::runtime(format!(
        "Found dtype {} but expected {}",
        found.scalar_type(),
        expected.scalar_type()
    )))
}

/// A kernel's gradients for a loss that it reduces itself.
fn kernel_backward(pass: &Pass, kernel: &Kernel) -> Result<Gradients> {
    let pair = Pair::new(pass.call)?;
    let reduction = reduction_of(&pair.reduction, &mut Vec::new())?;
    let norm = match reduction {
        Reduction::Mean => 1.0 / pair.input.numel() as f64,
        _ => 1.0,
    };
    by_kernel(pass, &pair, kernel, &pass.cotangent(0)?, norm)
}

/// The gradients of a difference of input and target, each summed in its own type if it was
/// broadcast.
fn of_difference(pass: &Pass, pair: &Pair, gradient: &Tensor) -> Result<Gradients> {
    pass.each(&[
        ("input", &|| Ok(gradient.to_dtype(pair.input.dtype()))),
        ("target", &|| Ok(negated(gradient).to_dtype(pair.target.dtype()))),
    ])
}

/// `|x|` has the sign of x for a slope, and none at 0 and NaN.
fn of_distances(pass: &Pass, pair: &Pair, gradient: &Tensor) -> Result<Gradients> {
    let sign = laid_out_like(&eager::sgn(&difference(pair)?)?, &difference(pair)?);
    of_difference(pass, pair, &binary(gradient, &sign, Operation::Times)?)
}

/// The gradient of losses that were weighted, and that of the weights beside the others'.
fn of_weighted(
    pass: &Pass,
    pair: &Pair,
    [losses, weight]: [&Tensor; 2],
    mean_over_weights: bool,
    rest: impl FnOnce(&Tensor) -> Result<Gradients>,
) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let shape = broadcast_shapes([losses.shape(), weight.shape()])?;
    let whole = [losses, weight].map(|tensor| tensor.expanded(&shape));
    let mut of_mean = None;
    let of_products = match pair.weighted_reduction()? {
        Reduction::Mean if mean_over_weights => {
            let sum = reduced(times(&whole[0], &whole[1])?, Reduction::Sum)?;
            let weights = reduced(weight.clone(), Reduction::Sum)?;
            let over = |x: &Tensor| binary(x, &weights, Operation::Over);
            of_mean = Some(binary(&negated(&cotangent), &over(&over(&sum)?)?, Operation::Times)?);
            over(&cotangent)?.to_dtype(sum.dtype()).expanded(&shape)
        }
        reduction => spread(&cotangent, reduction, &shape),
    };
    let back = |other: &Tensor, own: &Tensor| -> Result<Tensor> {
        let product = binary(&of_products, other, Operation::Times)?;
        Ok(eager::sum_to(&product, own.shape())?.to_dtype(own.dtype()))
    };
    let mut gradients = rest(&back(weight, losses)?)?;
    if pass.wants("weight") {
        let of_weight = back(losses, weight)?;
        let of_weight = match of_mean {
            None => of_weight,
            Some(more) => eager::add(&of_weight, more.to_dtype(weight.dtype()).expanded(weight.shape()))?,
        };
        gradients.insert("weight".to_owned(), vec![Some(of_weight)]);
    }
    Ok(gradients)
}

pub(super) fn mse_loss_backward(pass: &Pass) -> Result<Gradients> {
    let pair = Pair::new(pass.call)?;
    let Some(weight) = pair.weight(pass.call)? else { return kernel_backward(pass, &Kernel::Mse) };
    let difference = difference(&pair)?;
    let squares = binary(&difference, &difference, Operation::Times)?;
    of_weighted(pass, &pair, [&squares, weight], true, |gradient| {
        // The slope of a power: the exponent times the power before.
        of_difference(pass, &pair, &binary(gradient, &scaled(&difference, 2.0), Operation::Times)?)
    })
}

pub(super) fn l1_loss_backward(pass: &Pass) -> Result<Gradients> {
    let pair = Pair::new(pass.call)?;
    match pair.weight(pass.call)? {
        None => {
            let reduction = reduction_of(&pair.reduction, &mut Vec::new())?;
            of_distances(pass, &pair, &spread(&pass.cotangent(0)?, reduction, pair.input.shape()))
        }
        Some(weight) => of_weighted(pass, &pair, [&distances(&pair)?, weight], true, |gradient| {
            of_distances(pass, &pair, gradient)
        }),
    }
}

pub(super) fn smooth_l1_loss_backward(pass: &Pass) -> Result<Gradients> {
    match pass.call.float("beta", 1.0)? {
        0.0 => l1_loss_backward(pass),
        beta => kernel_backward(pass, &Kernel::SmoothL1 { beta }),
    }
}

pub(super) fn huber_loss_backward(pass: &Pass) -> Result<Gradients> {
    let delta = pass.call.float("delta", 1.0)?;
    let kernel = Kernel::Huber { delta };
    let pair = Pair::new(pass.call)?;
    let Some(weight) = pair.weight(pass.call)? else { return kernel_backward(pass, &kernel) };
    of_weighted(pass, &pair, [&huber_losses(&pair, delta)?, weight], false, |gradient| {
        by_kernel(pass, &pair, &kernel, gradient, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::call::Value;
    use super::*;

    fn call(op: &str, args: Vec<(&str, Value)>) -> Result {
        let args = args.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        super::super::super::run(&Call { op: op.to_owned(), args })
    }

    #[test]
    fn other_sizes_broadcast_with_a_warning() {
        let input = Tensor::new(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0]).unwrap();
        let target = Tensor::new(&[2], vec![1.0f32, 2.0]).unwrap();
        let args = vec![("input", Value::Tensor(input)), ("target", Value::Tensor(target))];
        let returned = call("mse_loss", args).unwrap();
        assert_eq!(*returned.outputs[0].values::<f32>(), [2.0]);
        assert!(returned.warnings[0].starts_with("Using a target size (torch.Size([2]))"));
    }

    #[test]
    fn an_integer_distance_wraps_and_has_no_mean() {
        let [x, y] = [200u8, 201].map(|x| Value::Tensor(Tensor::new(&[1], vec![x]).unwrap()));
        let args = vec![("input", x), ("target", y)];
        let named = |name: &str| [args.clone(), vec![("reduction", Value::Str(name.into()))]].concat();
        assert_eq!(*call("l1_loss", named("none")).unwrap().outputs[0].values::<u8>(), [255]);
        assert!(call("l1_loss", named("mean")).is_err());
    }

    #[test]
    fn steps_of_16_bit_types_are_rounded_where_pytorch_rounds_them() {
        let narrow = |dtype| [1.7, 0.9].map(|x| Tensor::full(&[1], Scalar::Float(x), dtype));
        let one = |tensor: Tensor| tensor.scalars().next().map(Scalar::to_f64);
        // 1.703125 - 0.8984375 is 0.8046875, half the square of which is 0.32376….
        assert_eq!(one(smooth::<half::bf16>(&narrow(DType::BFloat16), 1.0)), Some(0.32421875));
        assert_eq!(one(huber::<half::bf16>(&narrow(DType::BFloat16), 1.0)), Some(0.32421875));
    }
}
