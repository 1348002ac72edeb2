//! Writes at an index tensor of the target's rank: `scatter`, `scatter_add`, `scatter_reduce`.
//!
//! | op | repeated indices | accumulates in |
//! |---|---|---|
//! | `scatter` | the last write stays; `reduce="add"` and `"multiply"` combine | float32 for 16-bit floats |
//! | `scatter_add` | added in the order of `dim` | the same |
//! | `scatter_reduce` | `sum`, `prod`, `mean`, `amax`, `amin` in the order of `dim` | the same |
//!
//! A 16-bit result is rounded once, except that a mean is rounded before it is divided by its
//! count. Indices are int32 or int64 and never wrap.

use super::autograd::{fitting, not_implemented};
use super::call::{Call, Failure, Result, Returned};
use super::dims;
use super::eager;
use super::numerics::accumulate::{Arithmetic, Combine};
use super::numerics::extremes::End;
use super::numerics::iterator::Lines;
use super::promotion::{Operand, check_overflow};
use super::reduce_into::{self, Ways};
use super::{Backward, Gradients, Op, Pass};
use crate::tensor::{DType, Scalar, Tensor, layout, layout::Positions};
use crate::with_type;

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[
    Op {
        name: "scatter",
        parameters: &["input", "dim", "index", "src", "value", "reduce"],
        forward: scatter,
        backward: Backward::Rule(scatter_backward),
    },
    Op {
        name: "scatter_add",
        parameters: &["input", "dim", "index", "src"],
        forward: scatter_add,
        backward: Backward::Rule(scatter_add_backward),
    },
    Op {
        name: "scatter_reduce",
        parameters: &["input", "dim", "index", "src", "reduce", "include_self"],
        forward: scatter_reduce,
        backward: Backward::Rule(scatter_reduce_backward),
    },
];

/// A 0-d tensor as one of one dimension, as the kernels take it.
pub(crate) fn at_least_1d(tensor: &Tensor) -> Tensor {
    if tensor.dim() == 0 { tensor.reshaped(&[1]) } else { tensor.clone() }
}

/// A scatter whose arguments fit.
#[derive(Clone)]
struct Scatter {
    input: Tensor,
    dim: usize,
    index: Tensor,
    /// Whether the op has a kernel for rows.
    by_rows: bool,
}

impl Scatter {
    /// Checks the arguments that all forms share, in PyTorch's order.
    fn new(call: &Call, src: Option<&Tensor>, by_rows: bool) -> Result<Scatter> {
        let (input, index) = (call.tensor("input")?, call.tensor("index")?);
        let dim = dims::wrap(call.required_int("dim")?, input.dim())?;
        if index.numel() > 0 && !matches!(index.dtype(), DType::Int32 | DType::Int64) {
            return Err(Failure::runtime("scatter(): Expected dtype int32/int64 for index"));
        }
        if src.is_some_and(|src| src.dtype() != input.dtype()) {
            return Err(Failure::runtime("scatter(): Expected self.dtype to be equal to src.dtype"));
        }
        let checked = Scatter { input: input.clone(), dim, index: index.clone(), by_rows };
        if index.numel() > 0 {
            checked.check_shapes(src)?;
        }
        Ok(checked)
    }

    fn check_shapes(&self, src: Option<&Tensor>) -> Result<()> {
        let Scatter { input, dim, index, .. } = self;
        let rank = index.dim().max(1);
        let size = |tensor: &Tensor, d: usize| tensor.shape().get(d).copied().unwrap_or(1);
        let other_rank = |tensor: &Tensor| tensor.dim().max(1) != rank;
        let refuse_rank = |of: &str| {
            Err(Failure::runtime(format!(
                "Index tensor must have the same number of dimensions as {of} tensor"
            )))
        };
        if other_rank(input) {
            return refuse_rank("self");
        }
        let mut fits = (0..rank).all(|d| d == *dim || size(index, d) <= size(input, d));
        if let Some(src) = src {
            // Sizes are compared before the ranks are, up to the first that is too small.
            for d in 0..rank {
                if !fits {
                    break;
                }
                if src.dim() > 0 {
                    dims::wrap(d as i64, src.dim())?;
                }
                fits = size(index, d) <= size(src, d);
            }
            if other_rank(src) {
                return refuse_rank("src");
            }
        }
        if fits {
            return Ok(());
        }
        let bound = match src {
            Some(src) => format!(" and to be no larger size than src {:?}", src.shape()),
            None => String::new(),
        };
        Err(Failure::runtime(format!(
            "Expected index {:?} to be no larger than self {:?} apart from dimension {dim}{bound}",
            index.shape(),
            input.shape()
        )))
    }

    /// The target with `source` written into it.
    fn write(&self, source: &Operand, combine: Combine) -> Result<Tensor> {
        if self.index.numel() == 0 {
            return Ok(self.input.contiguous());
        }
        with_type!(self.input.dtype(), T => self.write_as::<T>(source, combine))
    }

    fn write_as<T: Arithmetic>(&self, source: &Operand, combine: Combine) -> Result<Tensor> {
        let (source, rows) = match source {
            Operand::Tensor(source) => (at_least_1d(source), self.by_rows && self.has_rows(source)),
            Operand::Number(number) => {
                check_overflow(*number, T::DTYPE)?;
                (Tensor::full(&[], *number, T::DTYPE).expanded(self.index_1d().shape()), false)
            }
        };
        if rows && self.index.dtype() == DType::Int32 {
            return Err(Failure::runtime("expected scalar type Long but found Int"));
        }
        let combine = match combine {
            Combine::Maximum if rows => Combine::VectorMaximum,
            Combine::Minimum if rows => Combine::VectorMinimum,
            combine => combine,
        };
        let mut wide: Vec<T::Wide> = self.input.values::<T>().iter().map(|value| value.widen()).collect();
        let values = Values { data: T::peek(source.storage()).unwrap_or(&[]), tensor: &source };
        let shape = self.input.shape();
        let shape = if shape.is_empty() { &[1] } else { shape };
        // The row kernel takes the target's rows to be as long as the index's, even where they are
        // longer: then it writes elsewhere.
        let mut strides = if rows {
            layout::contiguous_strides(self.index.shape())
        } else {
            layout::contiguous_strides(shape)
        };
        let target = Target { along: std::mem::replace(&mut strides[self.dim], 0), shape, strides };
        target.scatter(&mut wide, self.dim, &self.index_1d(), &values, combine)?;
        Ok(Tensor::collect(self.input.shape(), wide.into_iter().map(T::narrow)))
    }

    /// Whether a kernel for whole rows takes over: floats along dimension 0, where each row of the
    /// index repeats one value and has 16 elements or more (PyTorch's
    /// `can_use_expanded_index_path`).
    fn has_rows(&self, source: &Tensor) -> bool {
        let index = &self.index;
        has_rows(self.dim, self.input.dtype(), index, source)
            && index.numel().checked_div(index.shape()[0]).is_some_and(|columns| columns >= 16)
            && self.input.numel() > 0
            && self.input.dim() > 0
    }

    fn index_1d(&self) -> Tensor {
        at_least_1d(&self.index)
    }
}

/// A tensor of at least one dimension with its elements.
struct Values<'a, T> {
    data: &'a [T],
    tensor: &'a Tensor,
}

/// Whether each row of an index repeats one value, so that floats move by rows.
pub(crate) fn has_rows(dim: usize, dtype: DType, index: &Tensor, source: &Tensor) -> bool {
    let repeats = |(&stride, &size): (&usize, &usize)| stride == 0 || (stride == 1 && size == 1);
    dim == 0
        && dtype.is_floating()
        && index.numel() > 0
        && source.numel() > 0
        && index.dim() > 0
        && source.dim() == index.dim()
        && source.shape()[1..] == index.shape()[1..]
        && index.strides()[0] == 1
        && index.strides().iter().zip(index.shape()).skip(1).all(repeats)
        && source.is_contiguous()
}

/// Where a row-major target's elements are written: its strides, with that along `dim` apart.
struct Target<'a> {
    shape: &'a [usize],
    strides: Vec<usize>,
    along: usize,
}

impl Target<'_> {
    /// Writes along `dim`. The target, the index and the values have one rank, and the index is
    /// nowhere larger than either allows.
    fn scatter<T: Arithmetic>(
        &self,
        data: &mut [T::Wide],
        dim: usize,
        index: &Tensor,
        values: &Values<T>,
        combine: Combine,
    ) -> Result<()> {
        let size = self.shape[dim];
        let indices = index.values::<i64>();
        if indices.iter().any(|&index| index < 0 || index >= size as i64) {
            let target = Tensor::full(self.shape, Scalar::Bool(false), DType::Bool);
            let outside = first_outside(size, dim, index, [&target, values.tensor]);
            return Err(Failure::runtime(format!(
                "index {outside} is out of bounds for dimension {dim} with size {size}"
            )));
        }
        // Row-major over the index: whatever meets at one element lies along `dim`, and is met in
        // its order.
        let starts = Positions::new(index.shape(), self.strides.as_slice(), 0);
        let sources = Positions::new(index.shape(), values.tensor.strides(), values.tensor.offset());
        for ((start, source), &index) in starts.zip(sources).zip(indices.iter()) {
            let place = &mut data[start + index as usize * self.along];
            *place = combine.apply(*place, values.data[source].widen());
        }
        Ok(())
    }
}

/// The index outside of `0..size` that a kernel meets first. It runs along lines of the dimensions
/// other than `dim`, which is its inner loop where it is the last dimension.
pub(crate) fn first_outside(size: usize, dim: usize, index: &Tensor, operands: [&Tensor; 2]) -> i64 {
    let across = |tensor: &Tensor| {
        (0..index.dim()).fold(tensor.clone(), |tensor, d| {
            tensor.sliced(d, 0, if d == dim { 1 } else { index.shape()[d] }, 1)
        })
    };
    let Lines { order, line } = Lines::new([&across(operands[0]), &across(operands[1]), &across(index)]);
    let mut outward: Vec<usize> = order.into_iter().filter(|&d| d != dim).collect();
    let place = if dim + 1 == index.dim() {
        0
    } else {
        let mut length = 1;
        outward.iter().take_while(|&&d| (length < line.size, length *= index.shape()[d]).0).count()
    };
    outward.insert(place, dim);
    outward.reverse();
    let visited = index.permuted(&outward);
    let outside = visited.scalars().map(Scalar::to_i64).find(|index| !(0..size as i64).contains(index));
    outside.unwrap_or_default()
}

fn scatter(call: &Call) -> Result {
    let src = match call.get("src") {
        Some(_) => Some(call.tensor("src")?),
        None => None,
    };
    let source = match src {
        Some(src) => Operand::Tensor(src),
        None => match call.scalar("value")? {
            Some(number) => Operand::Number(number),
            None => {
                return Err(Failure::Unsupported("scatter: neither 'src' nor a number as 'value'".into()));
            }
        },
    };
    let checked = Scatter::new(call, src, false)?;
    let combine = match call.text("reduce")? {
        None => Combine::Assign,
        Some("add") => Combine::Add,
        Some("multiply") => Combine::Multiply,
        Some(_) => return Err(Failure::runtime("reduce argument must be either add or multiply.")),
    };
    let mut warnings = Vec::new();
    if src.is_some() && combine != Combine::Assign {
        warnings.push(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future \
             PyTorch release. Use torch.scatter_reduce instead for more reduction options."
                .into(),
        );
    }
    Ok(Returned { outputs: vec![checked.write(&source, combine)?], warnings })
}

/// Zeros where something was written, and for the source what lies there. PyTorch has no formula
/// for a `reduce`.
fn scatter_backward(pass: &Pass) -> Result<Gradients> {
    let (call, cotangent) = (pass.call, pass.cotangent(0)?);
    if call.get("reduce").is_some() {
        return Err(not_implemented("scatter"));
    }
    let cleared = || {
        eager::call(
            "scatter",
            [
                ("input", (&cotangent).into()),
                ("dim", call.required_int("dim")?.into()),
                ("index", call.tensor("index")?.into()),
                ("value", 0.into()),
            ],
        )
    };
    pass.each(&[("input", &cleared), ("src", &|| source_backward(call, &cotangent, "Scatter"))])
}

/// The cotangent where the source was written. A source larger than its index gets a gradient that
/// PyTorch refuses.
fn source_backward(call: &Call, cotangent: &Tensor, node: &str) -> Result<Tensor> {
    let gathered = eager::call(
        "gather",
        [
            ("input", cotangent.into()),
            ("dim", call.required_int("dim")?.into()),
            ("index", call.tensor("index")?.into()),
        ],
    )?;
    fitting(gathered, call.tensor("src")?, node, 1)
}

fn scatter_add(call: &Call) -> Result {
    let src = call.tensor("src")?;
    let checked = Scatter::new(call, Some(src), true)?;
    Ok(checked.write(&Operand::Tensor(src), Combine::Add)?.into())
}

fn scatter_add_backward(pass: &Pass) -> Result<Gradients> {
    let cotangent = pass.cotangent(0)?;
    pass.each(&[
        ("input", &|| Ok(cotangent.clone())),
        ("src", &|| source_backward(pass.call, &cotangent, "ScatterAdd")),
    ])
}

/// How values that meet at one element are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Sum,
    Prod,
    Mean,
    Amax,
    Amin,
}

impl Reduction {
    pub(crate) fn from_name(name: &str) -> Option<Reduction> {
        Some(match name {
            "sum" => Reduction::Sum,
            "prod" => Reduction::Prod,
            "mean" => Reduction::Mean,
            "amax" => Reduction::Amax,
            "amin" => Reduction::Amin,
            _ => return None,
        })
    }

    pub(crate) fn combine(self) -> Combine {
        match self {
            Reduction::Sum | Reduction::Mean => Combine::Add,
            Reduction::Prod => Combine::Multiply,
            Reduction::Amax => Combine::Maximum,
            Reduction::Amin => Combine::Minimum,
        }
    }

    /// What an element starts from that does not count itself.
    pub(crate) fn identity(self, dtype: DType) -> Scalar {
        match self {
            Reduction::Sum | Reduction::Mean => Scalar::Int(0),
            Reduction::Prod => Scalar::Int(1),
            Reduction::Amax => End::Max.identity(dtype),
            Reduction::Amin => End::Min.identity(dtype),
        }
    }
}

fn scatter_reduce(call: &Call) -> Result {
    let src = call.tensor("src")?;
    let checked = Scatter::new(call, Some(src), true)?;
    let name = call.text("reduce")?.unwrap_or_default();
    let Some(reduction) = Reduction::from_name(name) else {
        return Err(Failure::runtime(format!(
            "reduce argument must be either sum, prod, mean, amax or amin, got {name}"
        )));
    };
    let include_self = call.flag_or("include_self", true)?;
    let dtype = checked.input.dtype();
    if checked.index.numel() > 0 {
        if !include_self && dtype == DType::UInt32 {
            return Err(Failure::no_kernel("scatter_reduce_exclude_input_init", dtype));
        }
        let missing = match reduction {
            Reduction::Mean if matches!(dtype, DType::Bool | DType::UInt32) => Some("mean"),
            Reduction::Amax if dtype == DType::UInt32 => Some("amax"),
            Reduction::Amin if dtype == DType::UInt32 => Some("amin"),
            _ => None,
        };
        if let Some(name) = missing {
            return Err(Failure::no_kernel(&format!("scatter_gather_tensor_cpu_reduce_{name}"), dtype));
        }
    } else if reduction == Reduction::Mean {
        // Nothing is scattered, but everything is still divided by a count of 1.
        refuse_count(dtype)?;
    }
    let start = if include_self {
        checked
    } else {
        let blank = Tensor::full(src.shape(), reduction.identity(dtype), dtype);
        // As the values would be written: by rows where those are.
        let by_rows = checked.by_rows && checked.has_rows(src);
        let input =
            Scatter { by_rows, ..checked.clone() }.write(&Operand::Tensor(&blank), Combine::Assign)?;
        Scatter { input, by_rows, ..checked }
    };
    let reduced = start.write(&Operand::Tensor(src), reduction.combine())?;
    if reduction != Reduction::Mean {
        return Ok(reduced.into());
    }
    let base = Tensor::full(reduced.shape(), Scalar::Bool(include_self), dtype);
    let ones = Tensor::full(src.shape(), Scalar::Int(1), dtype);
    let by_rows = start.by_rows && start.has_rows(src);
    let counts = Scatter { input: base, by_rows, ..start }.write(&Operand::Tensor(&ones), Combine::Add)?;
    Ok(over_counts(&reduced, &counts).into())
}

fn scatter_reduce_backward(pass: &Pass) -> Result<Gradients> {
    reduce_into::backward(
        pass,
        &Ways {
            read: "gather",
            add: "scatter_add",
            reduce: "scatter_reduce",
            clear: "scatter",
            source: "src",
            node: "ScatterReduce",
        },
    )
}

/// Refuses to count in a dtype that PyTorch does not divide.
pub(crate) fn refuse_count(dtype: DType) -> Result<()> {
    match dtype {
        DType::UInt32 => Err(Failure::no_kernel("masked_fill", dtype)),
        DType::Bool => Err(Failure::no_kernel("div_floor_cpu", dtype)),
        _ => Ok(()),
    }
}

/// Sums divided by their counts, both in one dtype; a count of 0 divides by 1.
pub(crate) fn over_counts(sums: &Tensor, counts: &Tensor) -> Tensor {
    fn each<T: Arithmetic>(sums: &Tensor, counts: &Tensor) -> Tensor {
        let (values, by) = (sums.values::<T>(), counts.values::<T>());
        let one = T::from_scalar(Scalar::Int(1));
        let quotients = values
            .iter()
            .zip(by.iter())
            .map(|(&sum, &count)| sum.divided(if count == T::default() { one } else { count }));
        Tensor::collect(sums.shape(), quotients)
    }
    with_type!(sums.dtype(), T => each::<T>(sums, counts))
}

/// `scatter_add` of values along one dimension by a vector of indices, the same for every line:
/// what `index_add` comes down to where it can.
pub(crate) fn add_slices(input: &Tensor, dim: usize, index: &Tensor, source: &Tensor) -> Result<Tensor> {
    let mut shape = vec![1; input.dim()];
    shape[dim] = index.numel();
    let index = index.reshaped(&shape).expanded(source.shape());
    let scatter = Scatter { input: input.clone(), dim, index, by_rows: true };
    scatter.write(&Operand::Tensor(source), Combine::Add)
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    fn scatter(input: &Tensor, index: &Tensor) -> Scatter {
        Scatter { input: input.clone(), dim: 0, index: index.clone(), by_rows: true }
    }

    fn vector(values: &[f32]) -> Tensor {
        Tensor::collect(&[values.len()], values.iter().map(|&value| f16::from_f32(value)))
    }

    #[test]
    fn sixteen_bit_sums_are_rounded_once() {
        let index = Tensor::full(&[3], Scalar::Int(0), DType::Int64);
        let source = vector(&[2048.0, 1.0, 1.0]);
        let sum = scatter(&vector(&[0.0]), &index).write(&Operand::Tensor(&source), Combine::Add).unwrap();
        assert_eq!(sum.values::<f16>()[0].to_f32(), 2050.0);
    }

    #[test]
    fn rows_of_one_index_are_written_as_rows_of_its_own_length() {
        // PyTorch's kernel for rows: the second row of the index lands behind the first, though
        // the target's rows are longer.
        let index = Tensor::new(&[2, 1], vec![0i64, 1]).unwrap().expanded(&[2, 16]);
        let input = Tensor::full(&[2, 20], Scalar::Int(0), DType::Float32);
        let source = Tensor::full(&[2, 16], Scalar::Int(1), DType::Float32);
        let written = scatter(&input, &index).write(&Operand::Tensor(&source), Combine::Add).unwrap();
        let ones = written.values::<f32>().iter().take_while(|&&value| value == 1.0).count();
        assert_eq!(ones, 32);
    }

    #[test]
    fn the_first_index_out_of_bounds_is_named_along_the_last_dimension() {
        let index = Tensor::new(&[2, 2], vec![0i64, 9, 7, 0]).unwrap();
        let source = Tensor::full(&[2, 2], Scalar::Int(0), DType::Float32);
        assert_eq!(first_outside(3, 0, &index, [&source, &source]), 9);
        assert_eq!(first_outside(3, 1, &index.permuted(&[1, 0]), [&source, &source]), 7);
    }
}
