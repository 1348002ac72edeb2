//! strided-basic 0.6.3: reductions, arg-reductions, scans, norms and gathers over strided memory.
//!
//! Its plans are compiled for the input's own sizes and strides and write into a row-major
//! buffer. It has no `keepdim`, so a kept dimension is a matter of what the buffer's shape is
//! called. Its dtypes are float32, float64, int32, int64 and bool (and complex ones); a gather
//! moves elements of any type.

use strided_basic::{
    ArgReduceOp, ErasedArgReducePlan, ErasedNormPlan, ErasedRawStridedMut, ErasedRawStridedRef,
    ErasedReducePlan, ErasedScanPlan, ExecContext, GatherIndex, GatherPlan, GatherSpec, KernelDType,
    KernelStorageElement, NormSpec, RawStridedMut, RawStridedRef, ReduceOp, ScanOp, ScanOptions,
    StridedError,
};

use super::quiet::caught;
use super::{Engine, Profile, snippet};
use crate::corpus::{Case, Outcome};
use crate::ops::{Call, Failure};
use crate::tensor::{DType, Element, Tensor, layout};
use crate::with_type;

/// The crate as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strided;

impl Engine for Strided {
    fn name(&self) -> &str {
        "strided"
    }

    fn version(&self) -> &str {
        "0.6.3"
    }

    fn profile(&self) -> Profile {
        Profile::Cpu
    }

    fn run(&self, case: &Case) -> Outcome {
        if let Some(missing) = &case.foreign {
            return Outcome::Unsupported(missing.clone());
        }
        if case.backward.is_some() {
            return Outcome::Unsupported("strided-basic has no gradients".into());
        }
        let Some((_, function)) = OPS.iter().find(|(op, _)| *op == case.call.op) else {
            return Outcome::Unsupported(format!("strided-basic has no {}", case.call.op));
        };
        match caught(|| function(&case.call)) {
            Ok(Ok(outputs)) => Outcome::Returned { outputs, warnings: Vec::new(), backward: None },
            Ok(Err(Stop::Refused(error))) => {
                Outcome::Raised { kind: "StridedError".into(), message: error.to_string() }
            }
            Ok(Err(Stop::Unsupported(what))) => Outcome::Unsupported(what),
            Err(panic) => Outcome::Panicked(panic),
        }
    }

    fn snippet(&self, case: &Case) -> Option<String> {
        let call = &case.call;
        let op = REDUCTIONS.iter().find(|(name, _)| *name == call.op)?.1;
        let input = call.tensor("input").ok()?;
        let axes = axes(call, input).ok()?;
        let (dims, out) = (input.shape(), kept(input.shape(), axes.as_deref()));
        let (strides, out_strides) = (strides(input.strides()), strides(&layout::contiguous_strides(&out)));
        let name = snippet::rust_type(input.dtype());
        let storage = Tensor::from_storage(&[input.storage().len()], input.storage().clone()).ok()?;
        let plan = match axes {
            None => format!(
                "compile(KernelDType::{dtype}, ReduceOp::{op:?}, &dims, &strides)?",
                dtype = name.to_uppercase()
            ),
            Some(axes) => format!(
                "compile_axes(KernelDType::{dtype}, ReduceOp::{op:?}, &dims, &strides, &{out:?}, &{out_strides:?}, &{axes:?})?",
                dtype = name.to_uppercase()
            ),
        };
        Some(format!(
            "use strided_basic::{{ErasedRawStridedMut, ErasedRawStridedRef, ErasedReducePlan, ExecContext, KernelDType, ReduceOp}};\n\n\
             let (dims, strides): ([usize; {rank}], [isize; {rank}]) = ({dims:?}, {strides:?});\n\
             let data = {data};\n\
             let mut out = vec![{name}::default(); {count}];\n\
             let plan = ErasedReducePlan::{plan};\n\
             let source = ErasedRawStridedRef::from_slice(&data, &dims, &strides, {offset})?;\n\
             let mut target = ErasedRawStridedMut::from_slice_mut(&mut out, &{out:?}, &{out_strides:?}, 0)?;\n\
             plan.execute(&ExecContext::serial(), &mut target, &source)?;\n",
            rank = dims.len(),
            data = snippet::vector(&storage),
            count = out.iter().product::<usize>(),
            offset = input.offset(),
        ))
    }
}

/// Why a call gives no result.
enum Stop {
    /// The crate returns an error.
    Refused(StridedError),
    /// The crate does not do this.
    Unsupported(String),
}

impl From<StridedError> for Stop {
    fn from(error: StridedError) -> Stop {
        Stop::Refused(error)
    }
}

impl From<Failure> for Stop {
    /// An argument that is not what its accessor asks for.
    fn from(failure: Failure) -> Stop {
        match failure {
            Failure::Unsupported(what) | Failure::Raised(_, what) => Stop::Unsupported(what),
        }
    }
}

type Result<T = Vec<Tensor>> = std::result::Result<T, Stop>;

/// How an op is computed.
type Function = fn(&Call) -> Result;

/// What the crate has.
const OPS: &[(&str, Function)] = &[
    ("sum", reduction),
    ("prod", reduction),
    ("stable_prod", reduction),
    ("sum_of_squares", reduction),
    ("amax", reduction),
    ("amin", reduction),
    ("max", |call| extremum(call, ArgReduceOp::Max)),
    ("min", |call| extremum(call, ArgReduceOp::Min)),
    ("argmax", |call| positions(call, ArgReduceOp::Max)),
    ("argmin", |call| positions(call, ArgReduceOp::Min)),
    ("cumsum", |call| scan(call, ScanOp::Sum)),
    ("cumprod", |call| scan(call, ScanOp::Product)),
    ("layer_norm", |call| norm(call, NormSpec::layer_norm)),
    ("rms_norm", |call| norm(call, NormSpec::rms_norm)),
    ("index_select", index_select),
    ("embedding", embedding),
];

/// The reductions by op.
const REDUCTIONS: &[(&str, ReduceOp)] = &[
    ("sum", ReduceOp::Sum),
    ("prod", ReduceOp::Product),
    ("stable_prod", ReduceOp::StableProduct),
    ("sum_of_squares", ReduceOp::SumSquares),
    ("amax", ReduceOp::Max),
    ("amin", ReduceOp::Min),
    ("max", ReduceOp::Max),
    ("min", ReduceOp::Min),
];

fn reduce_op(op: &str) -> Result<ReduceOp> {
    let found = REDUCTIONS.iter().find(|(name, _)| *name == op);
    found.map(|(_, op)| *op).ok_or_else(|| Stop::Unsupported(format!("strided-basic has no {op}")))
}

/// Runs an expression with `T` standing for the Rust type of a dtype that the crate has.
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::Float32 => {
                type $T = f32;
                $body
            }
            DType::Float64 => {
                type $T = f64;
                $body
            }
            DType::Int32 => {
                type $T = i32;
                $body
            }
            DType::Int64 => {
                type $T = i64;
                $body
            }
            DType::Bool => {
                type $T = bool;
                $body
            }
            dtype => Err(Stop::Unsupported(format!("strided-basic has no dtype {dtype}"))),
        }
    };
}

/// Strides as the crate takes them.
fn strides(strides: &[usize]) -> Vec<isize> {
    strides.iter().map(|&stride| stride as isize).collect()
}

/// The storage behind a tensor of that type.
fn storage<T: Element>(tensor: &Tensor) -> &[T] {
    T::peek(tensor.storage()).unwrap_or_default()
}

fn source<'a, T: Element + KernelStorageElement>(
    tensor: &'a Tensor,
    strides: &'a [isize],
) -> Result<ErasedRawStridedRef<'a>> {
    Ok(ErasedRawStridedRef::from_slice(
        storage::<T>(tensor),
        tensor.shape(),
        strides,
        tensor.offset() as isize,
    )?)
}

/// Lets `write` fill a row-major buffer of a shape.
fn filled<T: Element + KernelStorageElement>(
    shape: &[usize],
    write: impl FnOnce(&mut ErasedRawStridedMut) -> std::result::Result<(), StridedError>,
) -> Result<Vec<T>> {
    let mut buffer = vec![T::default(); shape.iter().product()];
    let strides = strides(&layout::contiguous_strides(shape));
    write(&mut ErasedRawStridedMut::from_slice_mut(&mut buffer, shape, &strides, 0)?)?;
    Ok(buffer)
}

/// A dimension as the crate takes it: not negative. Whether it is in range is for the crate to say.
fn axis(dim: i64, rank: usize) -> Result<usize> {
    let wrapped = if dim < 0 { dim + rank as i64 } else { dim };
    usize::try_from(wrapped).map_err(|_| Stop::Unsupported("strided-basic's axes are not negative".into()))
}

/// The axes that `dim` names; none for all.
fn axes(call: &Call, input: &Tensor) -> Result<Option<Vec<usize>>> {
    match call.ints("dim")?.filter(|dims| !dims.is_empty()) {
        None => Ok(None),
        Some(dims) => dims.iter().map(|&dim| axis(dim, input.dim())).collect::<Result<_>>().map(Some),
    }
}

/// The shape that is left.
fn kept(shape: &[usize], axes: Option<&[usize]>) -> Vec<usize> {
    let reduced = |axis: usize| axes.is_none_or(|axes| axes.contains(&axis));
    shape.iter().enumerate().filter(|(axis, _)| !reduced(*axis)).map(|(_, &size)| size).collect()
}

/// The same with the reduced dimensions as 1, if `keepdim` asks for it.
fn labelled(call: &Call, shape: &[usize], axes: Option<&[usize]>) -> Result<Vec<usize>> {
    if !call.flag("keepdim")? {
        return Ok(kept(shape, axes));
    }
    let reduced = |axis: usize| axes.is_none_or(|axes| axes.contains(&axis));
    Ok(shape.iter().enumerate().map(|(axis, &size)| if reduced(axis) { 1 } else { size }).collect())
}

/// Refuses arguments that the crate has not.
fn refuse(call: &Call, parameters: &[&str]) -> Result<()> {
    match parameters.iter().find(|parameter| call.get(parameter).is_some()) {
        Some(parameter) => Err(Stop::Unsupported(format!("strided-basic's {} has no {parameter}", call.op))),
        None => Ok(()),
    }
}

fn reduction(call: &Call) -> Result {
    refuse(call, &["dtype", "other"])?;
    let input = call.tensor("input")?;
    let axes = axes(call, input)?;
    Ok(vec![reduced(call, input, axes.as_deref())?])
}

fn reduced(call: &Call, input: &Tensor, axes: Option<&[usize]>) -> Result<Tensor> {
    let op = reduce_op(&call.op)?;
    let shape = kept(input.shape(), axes);
    let labelled = labelled(call, input.shape(), axes)?;
    let (dims, strides_in) = (input.shape(), strides(input.strides()));
    let strides_out = strides(&layout::contiguous_strides(&shape));
    with_element!(input.dtype(), T => {
        let dtype = <T as KernelStorageElement>::DTYPE;
        let plan = match axes {
            None => ErasedReducePlan::compile(dtype, op, dims, &strides_in)?,
            Some(axes) => {
                ErasedReducePlan::compile_axes(dtype, op, dims, &strides_in, &shape, &strides_out, axes)?
            }
        };
        let source = source::<T>(input, &strides_in)?;
        let values = filled::<T>(&shape, |target| plan.execute(&ExecContext::serial(), target, &source))?;
        Ok(Tensor::collect(&labelled, values))
    })
}

/// `max` and `min`: of everything the value; along a dimension values and positions, a plan each.
fn extremum(call: &Call, op: ArgReduceOp) -> Result {
    if call.get("dim").is_none() {
        return reduction(call);
    }
    let mut outputs = reduction(call)?;
    outputs.extend(positions(call, op)?);
    Ok(outputs)
}

fn positions(call: &Call, op: ArgReduceOp) -> Result {
    let input = call.tensor("input")?;
    let (input, axis) = match axes(call, input)?.as_deref() {
        None => (input.contiguous().reshaped(&[input.numel()]), 0),
        Some(&[axis]) => (input.clone(), axis),
        Some(_) => return Err(Stop::Unsupported("strided-basic's arg-reductions take one axis".into())),
    };
    let whole = call.get("dim").is_none();
    let shape = kept(input.shape(), Some(&[axis]));
    let labelled = match whole && call.flag("keepdim")? {
        true => vec![1; call.tensor("input")?.dim()],
        false => labelled(call, input.shape(), Some(&[axis]))?,
    };
    let strides_in = strides(input.strides());
    let strides_out = strides(&layout::contiguous_strides(&shape));
    with_element!(input.dtype(), T => {
        let dtype = <T as KernelStorageElement>::DTYPE;
        let plan = ErasedArgReducePlan::compile(
            dtype, KernelDType::I64, op, input.shape(), &strides_in, &shape, &strides_out, axis,
        )?;
        let source = source::<T>(&input, &strides_in)?;
        let values = filled::<i64>(&shape, |target| plan.execute(&ExecContext::serial(), target, &source))?;
        Ok(vec![Tensor::collect(&labelled, values)])
    })
}

fn scan(call: &Call, op: ScanOp) -> Result {
    refuse(call, &["dtype"])?;
    let input = call.tensor("input")?;
    let axis = axis(call.required_int("dim")?, input.dim())?;
    let (dims, strides_in) = (input.shape(), strides(input.strides()));
    let strides_out = strides(&layout::contiguous_strides(dims));
    with_element!(input.dtype(), T => {
        let dtype = <T as KernelStorageElement>::DTYPE;
        let plan =
            ErasedScanPlan::compile(dtype, op, dims, &strides_in, &strides_out, axis, ScanOptions::new())?;
        let source = source::<T>(input, &strides_in)?;
        let values = filled::<T>(dims, |target| plan.execute(&ExecContext::serial(), target, &source))?;
        Ok(vec![Tensor::collect(dims, values)])
    })
}

/// `layer_norm` and `rms_norm` over the last dimension.
fn norm(call: &Call, spec: fn(f64) -> NormSpec) -> Result {
    let input = call.tensor("input")?;
    let normalized = call.ints("normalized_shape")?.unwrap_or_default();
    let (&[size], Some(&last)) = (normalized.as_slice(), input.shape().last()) else {
        return Err(Stop::Unsupported("strided-basic normalizes one axis".into()));
    };
    if usize::try_from(size) != Ok(last) {
        return Err(Stop::Unsupported("strided-basic takes the size from the input".into()));
    }
    let default = if call.op == "layer_norm" { 1e-5 } else { input.dtype().epsilon() };
    let mut spec = spec(call.float("eps", default)?);
    let (weight, bias) = (call.optional_tensor("weight")?, call.optional_tensor("bias")?);
    for vector in [weight, bias].into_iter().flatten() {
        if vector.dtype() != input.dtype() {
            return Err(Stop::Unsupported("strided-basic's norms are of one dtype".into()));
        }
    }
    let [strides_weight, strides_bias] =
        [weight, bias].map(|vector| vector.map_or_else(Vec::new, |vector| strides(vector.strides())));
    if let Some(&stride) = strides_weight.first() {
        spec = spec.with_weight(stride);
    }
    if let Some(&stride) = strides_bias.first() {
        spec = spec.with_bias(stride);
    }
    let (dims, strides_in) = (input.shape(), strides(input.strides()));
    let strides_out = strides(&layout::contiguous_strides(dims));
    with_element!(input.dtype(), T => {
        let dtype = <T as KernelStorageElement>::DTYPE;
        let plan = ErasedNormPlan::compile(dtype, spec, dims, &strides_in, &strides_out, dims.len() - 1)?;
        let input = source::<T>(input, &strides_in)?;
        let weight = weight.map(|vector| source::<T>(vector, &strides_weight)).transpose()?;
        let bias = bias.map(|vector| source::<T>(vector, &strides_bias)).transpose()?;
        let context = ExecContext::serial();
        let values =
            filled::<T>(dims, |target| plan.execute(&context, target, &input, weight.as_ref(), bias.as_ref()))?;
        Ok(vec![Tensor::collect(dims, values)])
    })
}

/// Rows picked by an index of any rank: `dim` of the operand becomes the index's dimensions.
fn picked(operand: &Tensor, dim: usize, index: &Tensor) -> Result {
    let rank = operand.dim();
    if dim >= rank {
        return Err(StridedError::InvalidAxis { axis: dim, rank }.into());
    }
    let mut shape = operand.shape().to_vec();
    shape.splice(dim..=dim, index.shape().iter().copied());
    let mut slice_sizes = operand.shape().to_vec();
    slice_sizes[dim] = 1;
    let spec = GatherSpec {
        offset_dims: (0..shape.len()).filter(|axis| !(dim..dim + index.dim()).contains(axis)).collect(),
        collapsed_slice_dims: vec![dim],
        start_index_map: vec![dim],
        index_vector_dim: index.dim(),
        slice_sizes,
    };
    let output = with_type!(operand.dtype(), T => match index.dtype() {
        DType::Int64 => gathered::<T, i64>(operand, index, &shape, spec),
        DType::Int32 => gathered::<T, i32>(operand, index, &shape, spec),
        dtype => Err(Stop::Unsupported(format!("strided-basic's indices are int32 or int64, not {dtype}"))),
    });
    Ok(vec![output?])
}

fn gathered<T: Element, I: Element + GatherIndex>(
    operand: &Tensor,
    index: &Tensor,
    shape: &[usize],
    spec: GatherSpec,
) -> Result<Tensor> {
    let (strides_operand, strides_index) = (strides(operand.strides()), strides(index.strides()));
    let strides_out = strides(&layout::contiguous_strides(shape));
    let plan = GatherPlan::compile(
        operand.shape(),
        &strides_operand,
        index.shape(),
        &strides_index,
        shape,
        &strides_out,
        spec,
    )?;
    let mut buffer = vec![T::default(); shape.iter().product()];
    let operand = RawStridedRef::new(
        storage::<T>(operand),
        operand.shape(),
        &strides_operand,
        operand.offset() as isize,
    )?;
    let index =
        RawStridedRef::new(storage::<I>(index), index.shape(), &strides_index, index.offset() as isize)?;
    plan.execute(&mut RawStridedMut::new(&mut buffer, shape, &strides_out, 0)?, &operand, &index)?;
    Ok(Tensor::collect(shape, buffer))
}

fn index_select(call: &Call) -> Result {
    let (input, index) = (call.tensor("input")?, call.tensor("index")?);
    if index.dim() > 1 {
        return Err(Stop::Unsupported("index_select is a gather by a vector".into()));
    }
    let vector = index.contiguous().reshaped(&[index.numel()]);
    picked(input, axis(call.required_int("dim")?, input.dim())?, &vector)
}

fn embedding(call: &Call) -> Result {
    refuse(call, &["max_norm"])?;
    picked(call.tensor("weight")?, 0, call.tensor("input")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_that_is_built() {
        let lock = include_str!("../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"strided-basic\"\nversion = \"{}\"", Strided.version())));
    }
}
