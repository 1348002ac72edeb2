//! `einsum`: sums of products along named dimensions.
//!
//! Follows `einsum` and `sumproduct_pair` in ATen's `Linear.cpp`. The equation is parsed; every
//! operand is brought to the dimensions of the output followed by those that are summed, with
//! size 1 where a name is missing; the operands are then contracted pairwise from left to right.
//! A pair without a shared summed dimension is a `mul`, any other a `bmm` of the operands with
//! their dimensions flattened, before which what only one of them has is summed. Dtypes, errors
//! of dtypes and the order of addition are those of `sum`, `mul` and `bmm`: bool and small
//! integers become int64 where `sum` is involved and stay as they are elsewhere.

use super::call::{Call, Exception, Failure, Result, Value};
use super::matmul::{of_left_batch, of_right_batch};
use super::shape::{reshaped_in_place, tensors};
use super::{Backward, Gradients, Op, Pass, eager, visiting};
use crate::tensor::{Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[Op {
    name: "einsum",
    parameters: &["equation", "operands"],
    forward: einsum,
    backward: Backward::Rule(einsum_backward),
}];

/// Subscripts: `A` … `Z`, `a` … `z`, in that order.
const LABELS: usize = 52;

/// One part of an operand's or the output's subscripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Label(usize),
    Ellipsis,
}

fn einsum(call: &Call) -> Result {
    let (plan, aligned) = aligned(call)?;
    plan.contracted(aligned.into_iter().map(|operand| operand.view).collect()).map(Into::into)
}

/// The equation as a plan, and the operands as it wants them.
fn aligned(call: &Call) -> Result<(Plan, Vec<Aligned>)> {
    let operands = tensors(call, "operands")?;
    let Some(Value::Str(equation)) = call.get("equation") else {
        return Err(Failure::Unsupported("einsum: an equation that is not text".into()));
    };
    if operands.is_empty() {
        return Err(Failure::Raised(
            Exception::ValueError,
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its \
             subscripts list"
                .into(),
        ));
    }
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some((output, inputs.len() + 2))),
        None => (equation.as_str(), None),
    };
    let subscripts = parsed_inputs(inputs, operands.len())?;
    let plan = Plan::new(&subscripts, &operands, output)?;
    let aligned = plan.aligned(&subscripts, &operands)?;
    Ok((plan, aligned))
}

/// Back through the contractions from the last to the first, and from every operand's aligned view
/// to the operand.
fn einsum_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    let (plan, aligned) = aligned(pass.call)?;
    let views: Vec<Tensor> = aligned.iter().map(|operand| operand.view.clone()).collect();
    let gradients = plan.gradients(views, &cotangent)?;
    let back = aligned.iter().zip(gradients).map(|(operand, gradient)| operand.undone(&gradient).map(Some));
    Ok(Gradients::from([("operands".to_owned(), back.collect::<Result<Vec<_>>>()?)]))
}

fn refused(message: impl std::fmt::Display) -> Failure {
    Failure::runtime(format!("einsum(): {message}"))
}

fn label_of(byte: u8) -> Option<usize> {
    match byte {
        b'A'..=b'Z' => Some(usize::from(byte - b'A')),
        b'a'..=b'z' => Some(usize::from(byte - b'a') + LABELS / 2),
        _ => None,
    }
}

fn letter(label: usize) -> char {
    let within = (label % (LABELS / 2)) as u8;
    char::from(within + if label < LABELS / 2 { b'A' } else { b'a' })
}

fn invalid(index: usize) -> Failure {
    refused(format_args!(
        "invalid subscript given at index {index} in the equation string, subscripts must be in [a-zA-Z]"
    ))
}

/// The subscripts of every operand.
fn parsed_inputs(text: &str, count: usize) -> Result<Vec<Vec<Part>>> {
    let bytes = text.as_bytes();
    let mut subscripts = vec![Vec::new()];
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let operand = subscripts.len() - 1;
        let own = &mut subscripts[operand];
        match byte {
            b' ' => {}
            b'.' if own.contains(&Part::Ellipsis) => {
                return Err(refused(format_args!(
                    "found '.' for operand {operand} for which an ellipsis was already found"
                )));
            }
            b'.' if bytes[at..].starts_with(b"...") => {
                own.push(Part::Ellipsis);
                at += 2;
            }
            b'.' => {
                return Err(refused(format_args!(
                    "found '.' for operand {operand} that is not part of any ellipsis"
                )));
            }
            b',' if operand + 1 == count => {
                return Err(refused("fewer operands were provided than specified in the equation"));
            }
            b',' => subscripts.push(Vec::new()),
            _ => own.push(Part::Label(label_of(byte).ok_or_else(|| invalid(at))?)),
        }
        at += 1;
    }
    if subscripts.len() < count {
        return Err(refused("more operands were provided than specified in the equation"));
    }
    Ok(subscripts)
}

/// Where every name stands among the dimensions of the aligned operands.
struct Plan {
    /// Position by label; `None` for labels that do not occur.
    labels: Vec<Option<usize>>,
    /// Position of the first dimension that an ellipsis covers, and how many it covers at most.
    ellipsis: usize,
    covered: usize,
    /// Dimensions of the output; those after them are summed.
    kept: usize,
    rank: usize,
}

impl Plan {
    /// The output is the text after the arrow and its place in the equation; without an arrow it
    /// is what an ellipsis covers and the labels that occur once, in the order of [`LABELS`].
    fn new(subscripts: &[Vec<Part>], operands: &[&Tensor], output: Option<(&str, usize)>) -> Result<Plan> {
        let mut counts = vec![0usize; LABELS];
        let mut covered = 0;
        for (operand, (parts, tensor)) in subscripts.iter().zip(operands).enumerate() {
            let names = parts.iter().filter(|&&part| part != Part::Ellipsis).count();
            check_rank(operand, names, parts.contains(&Part::Ellipsis), tensor.dim())?;
            if names < parts.len() {
                covered = covered.max(tensor.dim() - names);
            }
            for part in parts {
                if let Part::Label(label) = *part {
                    counts[label] += 1;
                }
            }
        }
        let mut plan = Plan { labels: vec![None; LABELS], ellipsis: 0, covered, kept: 0, rank: 0 };
        match output {
            Some((text, start)) => plan.place_output(text, start, &counts)?,
            None => {
                plan.rank = covered;
                plan.place_labels(|label| counts[label] == 1);
                plan.kept = plan.rank;
            }
        }
        plan.place_labels(|label| counts[label] > 0);
        Ok(plan)
    }

    /// Gives the next positions to the labels that have none and are wanted.
    fn place_labels(&mut self, wanted: impl Fn(usize) -> bool) {
        for label in 0..LABELS {
            if wanted(label) && self.labels[label].is_none() {
                self.labels[label] = Some(self.rank);
                self.rank += 1;
            }
        }
    }

    fn place_output(&mut self, text: &str, start: usize, counts: &[usize]) -> Result<()> {
        let bytes = text.as_bytes();
        let mut has_ellipsis = false;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' => {}
                b'.' if has_ellipsis => {
                    return Err(refused("found '.' for output but an ellipsis (...) was already found"));
                }
                b'.' if bytes[at..].starts_with(b"...") => {
                    (has_ellipsis, self.ellipsis) = (true, self.rank);
                    self.rank += self.covered;
                    at += 2;
                }
                b'.' => {
                    return Err(refused("found '.' for output that is not part of any ellipsis (...)"));
                }
                _ => self.place_once(label_of(byte).ok_or_else(|| invalid(start + at))?, counts)?,
            }
            at += 1;
        }
        self.kept = self.rank;
        if !has_ellipsis {
            self.ellipsis = self.rank;
            self.rank += self.covered;
        }
        Ok(())
    }

    fn place_once(&mut self, label: usize, counts: &[usize]) -> Result<()> {
        let wrong = match (self.labels[label], counts[label]) {
            (Some(_), _) => "appears more than once in the output",
            (None, 0) => "does not appear in the equation for any input operand",
            _ => {
                self.labels[label] = Some(self.rank);
                self.rank += 1;
                return Ok(());
            }
        };
        Err(refused(format_args!("output subscript {} {wrong}", letter(label))))
    }

    /// The operands as views of all dimensions.
    fn aligned(&self, subscripts: &[Vec<Part>], operands: &[&Tensor]) -> Result<Vec<Aligned>> {
        let mut sizes = Sizes { labels: vec![1; LABELS], ellipsis: vec![1; self.covered] };
        let each = subscripts.iter().zip(operands).enumerate();
        each.map(|(operand, (parts, tensor))| self.align(operand, parts, tensor, &mut sizes)).collect()
    }

    fn align(&self, operand: usize, parts: &[Part], tensor: &Tensor, sizes: &mut Sizes) -> Result<Aligned> {
        let (mut view, mut dim, mut diagonals) = (tensor.clone(), 0, Vec::new());
        let mut order: Vec<Option<usize>> = vec![None; self.rank];
        for &part in parts {
            let Part::Label(label) = part else {
                let width = tensor.dim() + 1 - parts.len();
                for place in self.covered - width..self.covered {
                    sizes.cover(operand, dim, view.shape()[dim], place)?;
                    order[self.ellipsis + place] = Some(dim);
                    dim += 1;
                }
                continue;
            };
            let position = self.labels[label].unwrap_or(0);
            match order[position] {
                None => {
                    sizes.name(operand, label, view.shape()[dim])?;
                    order[position] = Some(dim);
                    dim += 1;
                }
                Some(first) => {
                    diagonals.push((view.shape().to_vec(), first, dim));
                    view = diagonal(operand, label, &view, first, dim)?;
                }
            }
        }
        let own = view.dim();
        let order: Vec<usize> = order
            .into_iter()
            .map(|place| {
                place.unwrap_or_else(|| {
                    view = view.unsqueezed(view.dim());
                    view.dim() - 1
                })
            })
            .collect();
        Ok(Aligned { view: view.permuted(&order), order, own, diagonals })
    }

    /// Contracts pairs from the left, summing a dimension as soon as no later operand has it.
    fn contracted(&self, operands: Vec<Tensor>) -> Result<Tensor> {
        let (product, _) = self.steps(operands)?;
        Ok(product.reshaped(&product.shape()[..self.kept]))
    }

    /// The gradients of aligned operands.
    fn gradients(&self, operands: Vec<Tensor>, cotangent: &Tensor) -> Result<Vec<Tensor>> {
        let whole = [cotangent.shape(), &vec![1; self.rank - self.kept]].concat();
        let cotangent = cotangent.reshaped(&whole);
        if let [operand] = operands.as_slice() {
            return Ok(vec![cotangent.expanded(operand.shape())]);
        }
        let (_, steps) = self.steps(operands)?;
        let (mut gradient, mut gradients) = (cotangent, Vec::new());
        for step in steps.iter().rev() {
            let [of_left, of_right] = pair_gradients(&step.left, &step.right, &step.summed, &gradient)?;
            gradients.push(of_right.expanded(&step.right_shape));
            gradient = of_left.expanded(&step.left_shape);
        }
        gradients.push(gradient);
        gradients.reverse();
        Ok(gradients)
    }

    /// The contraction of all operands, with the summed dimensions kept as 1, and its steps.
    fn steps(&self, operands: Vec<Tensor>) -> Result<(Tensor, Vec<Step>)> {
        let summed: Vec<usize> = (self.kept..self.rank).collect();
        let mut users: Vec<usize> = (0..self.rank)
            .map(|dim| operands.iter().filter(|operand| operand.shape()[dim] != 1).count())
            .collect();
        let mut rest = operands.into_iter();
        let Some(mut product) = rest.next() else { return Err(refused("must provide at least one operand")) };
        if rest.len() == 0 {
            return Ok((summed_out(product, &summed)?, Vec::new()));
        }
        let mut steps = Vec::new();
        for other in rest {
            let (mut of_both, mut of_first, mut of_second) = (Vec::new(), Vec::new(), Vec::new());
            for &dim in &summed {
                match (product.shape()[dim] != 1, other.shape()[dim] != 1) {
                    (true, true) => {
                        users[dim] -= 1;
                        if users[dim] == 1 {
                            of_both.push(dim);
                        }
                    }
                    (true, false) if users[dim] == 1 => of_first.push(dim),
                    (false, true) if users[dim] == 1 => of_second.push(dim),
                    _ => {}
                }
            }
            let (left_shape, right_shape) = (product.shape().to_vec(), other.shape().to_vec());
            let (left, right) = (summed_out(product, &of_first)?, summed_out(other, &of_second)?);
            product = pair_product(left.clone(), right.clone(), &of_both)?;
            steps.push(Step { left, right, left_shape, right_shape, summed: of_both });
        }
        Ok((product, steps))
    }
}

/// An operand as a view of all dimensions.
struct Aligned {
    view: Tensor,
    /// Which dimension of the operand, once its repeated names are one, is where; those from `own`
    /// on are of size 1 and not its own.
    order: Vec<usize>,
    own: usize,
    /// The shape before two dimensions of one name became one, and which those were.
    diagonals: Vec<(Vec<usize>, usize, usize)>,
}

impl Aligned {
    /// The gradient of the operand from that of its view.
    fn undone(&self, gradient: &Tensor) -> Result<Tensor> {
        let gradient = gradient.permuted(&inverse(&self.order));
        let mut gradient = gradient.reshaped(&gradient.shape()[..self.own]);
        for (shape, first, second) in self.diagonals.iter().rev() {
            gradient = on_diagonal(&gradient, shape, *first, *second)?;
        }
        Ok(gradient)
    }
}

/// A gradient on the diagonal of two dimensions, between zeros.
fn on_diagonal(gradient: &Tensor, shape: &[usize], first: usize, second: usize) -> Result<Tensor> {
    let sizes = |dim: usize, size: usize| -> Vec<usize> {
        (0..shape.len()).map(|d| if d == dim { size } else { 1 }).collect()
    };
    let steps = |dim: usize| Tensor::collect(&sizes(dim, shape[dim]), 0..shape[dim] as i64);
    let mask = eager::eq(&steps(first), steps(second))?;
    let zero = Tensor::full(&[], Scalar::Int(0), gradient.dtype());
    eager::where_(&mask, gradient.unsqueezed(second).expanded(shape), &zero)
}

/// A pair that was contracted: the operands before and after what only one of them has was
/// summed, and the dimensions that were summed over both.
struct Step {
    left: Tensor,
    right: Tensor,
    left_shape: Vec<usize>,
    right_shape: Vec<usize>,
    summed: Vec<usize>,
}

fn check_rank(operand: usize, names: usize, has_ellipsis: bool, rank: usize) -> Result<()> {
    if has_ellipsis && names > rank {
        return Err(refused(format_args!(
            "the number of subscripts in the equation ({names}) is more than the number of dimensions ({rank}) for \
             operand {operand}"
        )));
    }
    if !has_ellipsis && names != rank {
        return Err(refused(format_args!(
            "the number of subscripts in the equation ({names}) does not match the number of dimensions ({rank}) for \
             operand {operand} and no ellipsis was given"
        )));
    }
    Ok(())
}

/// The sizes met so far, 1 until another one is.
struct Sizes {
    labels: Vec<usize>,
    ellipsis: Vec<usize>,
}

impl Sizes {
    fn name(&mut self, operand: usize, label: usize, size: usize) -> Result<()> {
        let seen = self.labels[label];
        if size != 1 && seen != 1 && seen != size {
            return Err(refused(format_args!(
                "subscript {} has size {size} for operand {operand} which does not broadcast with previously seen size \
                 {seen}",
                letter(label)
            )));
        }
        if size != 1 {
            self.labels[label] = size;
        }
        Ok(())
    }

    fn cover(&mut self, operand: usize, dim: usize, size: usize, place: usize) -> Result<()> {
        let seen = self.ellipsis[place];
        if size != 1 && seen != 1 && seen != size {
            // The missing blank is PyTorch's.
            return Err(refused(format_args!(
                "dimension {dim} covered by ellipsis in operand {operand}has size {size} which does not broadcast with \
                 previously seen ellipsis with size {seen} for the respective dimension"
            )));
        }
        if size != 1 {
            self.ellipsis[place] = size;
        }
        Ok(())
    }
}

/// The view in which two dimensions of one name are one, in the place of the first.
fn diagonal(operand: usize, label: usize, tensor: &Tensor, first: usize, second: usize) -> Result<Tensor> {
    let (mut shape, mut strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    if shape[second] != shape[first] {
        return Err(refused(format_args!(
            "subscript {} is repeated for operand {operand} but the sizes don't match, {} != {}",
            letter(label),
            shape[second],
            shape[first]
        )));
    }
    shape.remove(second);
    strides[first] = strides[first].wrapping_add(strides.remove(second));
    Ok(tensor.restrided(&shape, &strides))
}

fn sum(tensor: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let dims = dims.iter().map(|&dim| Value::Scalar(Scalar::Int(dim as i64))).collect();
    eager::call(
        "sum",
        [
            ("input", Value::Tensor(tensor.clone())),
            ("dim", Value::List(dims)),
            ("keepdim", Value::Scalar(Scalar::Bool(true))),
        ],
    )
}

fn summed_out(tensor: Tensor, dims: &[usize]) -> Result<Tensor> {
    if dims.is_empty() { Ok(tensor) } else { sum(&tensor, dims) }
}

/// The product element by element, laid out in memory as its operands are: the order in which a
/// later step adds depends on that.
fn multiplied(left: Tensor, right: Tensor) -> Result<Tensor> {
    let args = [("input", Value::Tensor(left.clone())), ("other", Value::Tensor(right.clone()))];
    let product = eager::call("mul", args)?;
    let shape = product.shape();
    let strides = [left, right].map(|operand| operand.expanded(shape).strides().to_vec());
    Ok(product.laid_out(&visiting::inmost_first(shape, &strides)))
}

/// The product of two aligned operands, summed with size 1 kept over dimensions that both have.
fn pair_product(left: Tensor, right: Tensor, summed: &[usize]) -> Result<Tensor> {
    if summed.is_empty() {
        return multiplied(left, right);
    }
    let pair = Pair::new(left, right, summed);
    let factors = [("input", Value::Tensor(pair.rows)), ("mat2", Value::Tensor(pair.columns))];
    Ok(eager::call("bmm", factors)?.reshaped(&pair.sizes).permuted(&inverse(&pair.order)))
}

/// The gradients of two aligned operands from that of their product.
fn pair_gradients(
    left: &Tensor,
    right: &Tensor,
    summed: &[usize],
    cotangent: &Tensor,
) -> Result<[Tensor; 2]> {
    if summed.is_empty() {
        let times = |other: &Tensor, own: &Tensor| {
            eager::sum_to(&multiplied(cotangent.clone(), other.clone())?, own.shape())
        };
        return Ok([times(right, left)?, times(left, right)?]);
    }
    let pair = Pair::new(left.clone(), right.clone(), summed);
    let [batch, rows, _] = pair.rows_shape;
    let sizes = [batch, rows, pair.columns_shape[2]];
    let cotangent = reshaped_in_place(&cotangent.permuted(&pair.order), &sizes);
    let back = |gradient: Tensor, sizes: &[usize], order: &[usize]| {
        gradient.reshaped(sizes).permuted(&inverse(order))
    };
    let of_rows = back(of_left_batch(&cotangent, &pair.columns)?, &pair.rows_sizes, &pair.order);
    let of_columns = back(of_right_batch(&cotangent, &pair.rows)?, &pair.columns_sizes, &pair.columns_order);
    Ok(if pair.swapped { [of_columns, of_rows] } else { [of_rows, of_columns] })
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (position, &dim) in order.iter().enumerate() {
        inverse[dim] = position;
    }
    inverse
}

/// Two aligned operands as batches of matrices.
struct Pair {
    rows: Tensor,
    columns: Tensor,
    rows_shape: [usize; 3],
    columns_shape: [usize; 3],
    /// The order of the dimensions before they are flattened, the same in the rows and in the
    /// product, and their sizes then.
    order: Vec<usize>,
    rows_sizes: Vec<usize>,
    columns_order: Vec<usize>,
    columns_sizes: Vec<usize>,
    sizes: Vec<usize>,
    /// Whether the operands changed places.
    swapped: bool,
}

impl Pair {
    fn new(mut left: Tensor, mut right: Tensor, summed: &[usize]) -> Pair {
        let (mut of_both, mut of_left, mut of_right) = (Vec::new(), Vec::new(), Vec::new());
        for dim in (0..left.dim()).filter(|dim| !summed.contains(dim)) {
            match (left.shape()[dim] != 1, right.shape()[dim] != 1) {
                (true, true) => of_both.push(dim),
                (true, false) => of_left.push(dim),
                _ => of_right.push(dim),
            }
        }
        // The operands change places where that puts the output's dimensions in order.
        let swapped = matches!((of_right.last(), of_left.first()), (Some(last), Some(first)) if last < first);
        if swapped {
            std::mem::swap(&mut left, &mut right);
            std::mem::swap(&mut of_left, &mut of_right);
        }
        let sizes = |tensor: &Tensor, dims: &[usize]| -> Vec<usize> {
            dims.iter().map(|&dim| tensor.shape()[dim]).collect()
        };
        let size = |tensor: &Tensor, dims: &[usize]| -> usize { sizes(tensor, dims).iter().product() };
        let (batch, inner) = (size(&left, &of_both), size(&left, summed));
        let order = [&of_both[..], &of_left, summed, &of_right].concat();
        let columns_order = [&of_both[..], summed, &of_right, &of_left].concat();
        let (rows, columns) = (left.permuted(&order), right.permuted(&columns_order));
        let rows_shape = [batch, size(&left, &of_left), inner];
        let columns_shape = [batch, inner, size(&right, &of_right)];
        Pair {
            rows_sizes: rows.shape().to_vec(),
            columns_sizes: columns.shape().to_vec(),
            rows: reshaped_in_place(&rows, &rows_shape),
            columns: reshaped_in_place(&columns, &columns_shape),
            rows_shape,
            columns_shape,
            columns_order,
            sizes: [
                sizes(&left, &of_both),
                sizes(&left, &of_left),
                vec![1; summed.len()],
                sizes(&right, &of_right),
            ]
            .concat(),
            order,
            swapped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(equation: &str, operands: &[Tensor]) -> Result<Tensor> {
        let operands = operands.iter().cloned().map(Some).collect();
        eager::call(
            "einsum",
            [("equation", Value::Str(equation.into())), ("operands", Value::Tensors(operands))],
        )
    }

    #[test]
    fn names_are_ordered_summed_and_repeated() {
        let x = Tensor::new(&[2, 3], vec![1i64, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(*run("ba", std::slice::from_ref(&x)).unwrap().values::<i64>(), [1, 4, 2, 5, 3, 6]);
        assert_eq!(*run("ij->j", std::slice::from_ref(&x)).unwrap().values::<i64>(), [5, 7, 9]);
        let product = run("ij,kj->ki", &[x.clone(), x.clone()]).unwrap();
        assert_eq!(*product.values::<i64>(), [14, 32, 32, 77]);
        assert_eq!(*run("ii->i", &[product]).unwrap().values::<i64>(), [14, 77]);
        let outer = run("ij,k,ij->k", &[x.clone(), Tensor::new(&[2], vec![1i64, -1]).unwrap(), x]).unwrap();
        assert_eq!(*outer.values::<i64>(), [91, -91]);
    }

    #[test]
    fn an_ellipsis_covers_what_is_left() {
        let x = Tensor::new(&[1, 2, 2], vec![1i64, 2, 3, 4]).unwrap();
        let y = Tensor::new(&[2], vec![10i64, 1]).unwrap();
        assert_eq!(*run("...j,j", &[x.clone(), y]).unwrap().values::<i64>(), [12, 34]);
        assert_eq!(*run("...->", &[x]).unwrap().values::<i64>(), [10]);
    }

    #[test]
    fn an_equation_is_refused_in_pytorchs_words() {
        let x = Tensor::new(&[2], vec![1i64, 2]).unwrap();
        let refusal = |equation: &str| run(equation, std::slice::from_ref(&x)).unwrap_err();
        let message =
            "invalid subscript given at index 4 in the equation string, subscripts must be in [a-zA-Z]";
        assert_eq!(refusal("i->i1"), refused(message));
        assert_eq!(refusal("i.."), refused("found '.' for operand 0 that is not part of any ellipsis"));
        assert_eq!(refusal("i,"), refused("fewer operands were provided than specified in the equation"));
    }
}
