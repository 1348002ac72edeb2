//! `getitem`: what `tensor[...]` does with integers, slices, `...`, `None` and tensors.
//!
//! Integers and slices narrow a view, `None` adds a dimension, and tensors are collected and
//! applied at the end, together: masks become the positions of their true elements, all index
//! tensors broadcast to one shape, and that shape stands where the indexed dimensions stood if
//! they are neighbours, else in front.

use super::call::{Call, Failure, Result, Returned, Value};
use super::dims;
use super::index_put::added;
use super::masked::unravelled;
use super::shape::{from_cotangent, numbered, placed, zeros};
use super::visiting;
use super::{Backward, Gradients, Op, Pass};
use crate::tensor::layout::{self, Positions};
use crate::tensor::{DType, Scalar, Tensor};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[Op {
    name: "getitem",
    parameters: &["input", "index", "*"],
    forward: getitem,
    backward: Backward::Rule(getitem_backward),
}];

fn getitem(call: &Call) -> Result {
    let Indexed { view, tensors, warnings } = indexed(call, call.tensor("input")?)?;
    let output = if tensors.is_empty() { view } else { gather(&view, &tensors)? };
    Ok(Returned { outputs: vec![output], warnings })
}

/// Zeros with the cotangent where the brackets looked; at index tensors it is added up.
fn getitem_backward(pass: &Pass) -> Result<Gradients> {
    let shape = pass.call.tensor("input")?.shape();
    from_cotangent(pass, |cotangent| {
        let Indexed { view, tensors, .. } = indexed(pass.call, &numbered(shape))?;
        let shown = match tensors.is_empty() {
            true => cotangent,
            false => added(&zeros(view.shape(), cotangent.dtype()), &tensors, &cotangent)?,
        };
        Ok(placed(shape, &view, &shown))
    })
}

/// What brackets leave of a tensor.
pub(crate) struct Indexed {
    /// Integers, slices, `...` and `None` applied.
    pub(crate) view: Tensor,
    /// Index tensors and the first of the view's dimensions that each of them indexes.
    pub(crate) tensors: Vec<(usize, Tensor)>,
    pub(crate) warnings: Vec<String>,
}

/// Applies a call's brackets to a tensor, up to the index tensors.
pub(crate) fn indexed(call: &Call, input: &Tensor) -> Result<Indexed> {
    let items = match call.get("index") {
        Some(Value::List(items)) => items,
        _ => {
            return Err(Failure::Unsupported(format!("{}: parameter 'index' that is not a list", call.op)));
        }
    };
    let mut brackets =
        Brackets { call, view: input.clone(), dim: 0, place: 0, tensors: Vec::new(), warnings: vec![] };
    let named = brackets.dims_named(items)?;
    // A lone slice or integer goes its own way in PyTorch, with complaints of its own.
    if named > input.dim() && !(items.len() == 1 && matches!(items[0], Value::Slice(_) | Value::Scalar(_))) {
        return Err(Failure::index(format!("too many indices for tensor of dimension {}", input.dim())));
    }
    for (place, item) in items.iter().enumerate() {
        brackets.place = place;
        brackets.apply(item, input.dim() - named.min(input.dim()))?;
    }
    let Brackets { view, tensors, warnings, .. } = brackets;
    Ok(Indexed { view, tensors, warnings })
}

/// Bounds below this one are reported as truncated: they are no plain numbers of PyTorch's
/// `SymInt`.
const LOWEST_BOUND: i64 = -(1 << 62);

const TRUNCATING: &str = "Truncating the start/stop/step of slice. This is likely because of saved old models when \
                          the start/stop/step were larger.";

struct Brackets<'a> {
    call: &'a Call,
    view: Tensor,
    /// The view's dimension that the next item indexes.
    dim: usize,
    /// Which item comes next: what a complaint about an integer calls its dimension, whatever the
    /// items before it index.
    place: usize,
    /// Index tensors and the first of the view's dimensions that each of them indexes.
    tensors: Vec<(usize, Tensor)>,
    warnings: Vec<String>,
}

/// PyTorch's complaint about an index outside of a dimension.
pub(crate) fn out_of_bounds(index: i64, dim: usize, size: usize) -> Failure {
    Failure::index(format!("index {index} is out of bounds for dimension {dim} with size {size}"))
}

/// A tensor that selects by truth instead of by position.
pub(crate) fn is_mask(tensor: &Tensor) -> bool {
    matches!(tensor.dtype(), DType::Bool | DType::UInt8)
}

impl Brackets<'_> {
    /// How many of the input's dimensions the items name.
    fn dims_named(&self, items: &[Value]) -> Result<usize> {
        items.iter().try_fold(0, |named, item| {
            Ok(named
                + match item {
                    Value::Input(name) => {
                        let tensor = self.call.tensor(name)?;
                        if is_mask(tensor) { tensor.dim() } else { 1 }
                    }
                    Value::Scalar(_) | Value::Slice(_) => 1,
                    _ => 0,
                })
        })
    }

    fn apply(&mut self, item: &Value, dims_left_for_ellipsis: usize) -> Result<()> {
        match item {
            Value::Scalar(Scalar::Int(index)) => self.select(*index),
            Value::Slice(bounds) => self.slice(*bounds),
            Value::Str(word) if word == "..." => {
                self.dim += dims_left_for_ellipsis;
                Ok(())
            }
            Value::Str(word) if word == "newaxis" => {
                dims::wrap(self.dim as i64, self.view.dim() + 1)?;
                self.view = self.view.unsqueezed(self.dim);
                self.dim += 1;
                Ok(())
            }
            Value::Input(name) => {
                let tensor = self.call.tensor(name)?.clone();
                self.index_by(tensor)
            }
            _ => Err(Failure::Unsupported("getitem: an index item of this kind".into())),
        }
    }

    /// After several `...` an item may point past the last dimension, where PyTorch reads sizes
    /// that are not there: no behaviour to follow.
    fn refuse_beyond_last(&self) -> Result<()> {
        match self.view.dim() {
            0 => Ok(()),
            _ => Err(Failure::Unsupported(
                "getitem: an item past the last dimension, behind several '...'".into(),
            )),
        }
    }

    fn select(&mut self, index: i64) -> Result<()> {
        let Some(&size) = self.view.shape().get(self.dim) else {
            self.refuse_beyond_last()?;
            if index != 0 {
                return Err(out_of_bounds(index, self.place, 0));
            }
            return Err(Failure::index(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to \
                 convert a 0-dim tensor to a number",
            ));
        };
        let signed = size as i64;
        if !(-signed..signed).contains(&index) {
            return Err(out_of_bounds(index, self.place, size));
        }
        self.view = self.view.selected(self.dim, index.rem_euclid(signed) as usize);
        Ok(())
    }

    fn slice(&mut self, [start, stop, step]: [Option<i64>; 3]) -> Result<()> {
        let truncated = [start, stop, step].iter().flatten().filter(|&&bound| bound < LOWEST_BOUND).count();
        self.warnings.extend(std::iter::repeat_n(TRUNCATING.to_string(), truncated));
        let step = step.unwrap_or(1);
        if step <= 0 {
            let message =
                if step == 0 { "slice step cannot be zero" } else { "step must be greater than zero" };
            return Err(Failure::Raised(super::Exception::ValueError, message.into()));
        }
        if self.view.shape().get(self.dim).is_none() {
            self.refuse_beyond_last()?;
            return Err(Failure::index("slice() cannot be applied to a 0-dim tensor."));
        }
        self.view = sliced(&self.view, self.dim, [start, stop], step)?;
        self.dim += 1;
        Ok(())
    }

    fn index_by(&mut self, tensor: Tensor) -> Result<()> {
        if tensor.dim() == 0 && tensor.dtype().is_integer() && tensor.dtype() != DType::UInt8 {
            let index = tensor.scalars().next().map_or(0, Scalar::to_i64);
            return self.select(index);
        }
        let dims = if is_mask(&tensor) { tensor.dim() } else { 1 };
        if self.dim + dims > self.view.dim().max(self.dim) {
            return Err(Failure::index(format!(
                "too many indices for tensor of dimension {} (got {})",
                self.view.dim(),
                self.dim + dims
            )));
        }
        if dims == 0 {
            // A 0-d mask keeps or drops everything: it indexes a dimension made for it.
            self.view = self.view.unsqueezed(self.dim);
            self.tensors.push((self.dim, tensor.reshaped(&[1]).to_dtype(DType::Bool)));
            self.dim += 1;
            return Ok(());
        }
        if tensor.dtype() == DType::UInt8 {
            self.warnings.push(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
                    .into(),
            );
        }
        self.tensors.push((self.dim, tensor));
        self.dim += dims;
        Ok(())
    }
}

/// A slice with bounds as in Python: negative ones count from the end, and any is brought inside.
/// Length and stride wrap in int64 as PyTorch's do; a stride that turns negative is refused.
pub(crate) fn sliced(
    view: &Tensor,
    dim: usize,
    [start, stop]: [Option<i64>; 2],
    step: i64,
) -> Result<Tensor> {
    let size = view.shape()[dim] as i64;
    let inside = |bound: i64| (if bound < 0 { bound.saturating_add(size) } else { bound }).clamp(0, size);
    let start = inside(start.unwrap_or(0));
    let stop = inside(stop.unwrap_or(i64::MAX)).max(start);
    let length = (stop - start).wrapping_add(step - 1) / step;
    let mut strides: Vec<i64> = view.strides().iter().map(|&stride| stride as i64).collect();
    strides[dim] = strides[dim].wrapping_mul(step);
    if strides[dim] < 0 {
        return Err(Failure::runtime(format!(
            "as_strided: Negative strides are not supported at the moment, got strides: {strides:?}"
        )));
    }
    let Ok(length) = usize::try_from(length) else {
        return Err(Failure::Unsupported(format!("a slice of length {length}")));
    };
    // Where one element is left or none, the stride is not used, and here must not overflow.
    let fits = view.strides()[dim].checked_mul(step as usize).is_some();
    Ok(view.sliced(dim, start as usize, length, if length > 1 || fits { step as usize } else { 1 }))
}

/// The elements of a view at index tensors, each with the dimension where it starts, in the order
/// in memory that PyTorch gives them.
pub(crate) fn gather(view: &Tensor, tensors: &[(usize, Tensor)]) -> Result<Tensor> {
    let picked = Picked::new(view, tensors)?;
    let operands = picked.operands(None);
    let positions = picked.positions(&operands)?;
    let order = visiting::inmost_first(&picked.shape, &operands);
    Ok(view.picked(&picked.shape, positions.into_iter()).laid_out(&order))
}

/// The elements of a view that index tensors pick.
pub(crate) struct Picked {
    pub(crate) shape: Vec<usize>,
    /// The view's offset, and its strides over the shape: 0 where an index decides.
    offset: usize,
    strides: Vec<usize>,
    /// Over the shape, the row-major strides of the shape of the indices; 0 elsewhere.
    index_strides: Vec<usize>,
    indices: Vec<Index>,
}

/// One index tensor over the shape of the result.
struct Index {
    /// Size and stride of the view's dimension that it indexes.
    size: usize,
    stride: usize,
    /// The tensor's strides over the shape: 0 outside its own dimensions.
    strides: Vec<usize>,
    /// Its elements, row-major over the shape of all indices.
    values: Vec<i64>,
}

impl Picked {
    /// Checks the index tensors and lays out their result.
    pub(crate) fn new(view: &Tensor, tensors: &[(usize, Tensor)]) -> Result<Picked> {
        let indices = as_indices(view, tensors)?;
        let shape = indices
            .iter()
            .try_fold(Vec::new(), |shape, (_, index)| layout::broadcast(&shape, index.shape()))
            .map_err(|_| {
                let shapes: Vec<_> =
                    indices.iter().map(|(_, index)| format!("{:?}", index.shape())).collect();
                Failure::index(format!(
                    "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
                    shapes.join(", ")
                ))
            })?;
        let indexed: Vec<usize> = indices.iter().map(|&(dim, _)| dim).collect();
        indexed.iter().try_for_each(|&dim| dims::wrap(dim as i64, view.dim()).map(drop))?;
        if !shape.contains(&0) && indexed.iter().any(|&dim| view.shape()[dim] == 0) {
            return Err(Failure::index("index is out of bounds for dimension with size 0"));
        }
        // The shape of the indices stands where the dimensions that they index stood, if these
        // are neighbours, else in front.
        let neighbours = indexed.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let first = if neighbours { indexed.first().copied().unwrap_or(0) } else { 0 };
        let others: Vec<usize> = (0..view.dim()).filter(|dim| !indexed.contains(dim)).collect();
        let placed = |of: &[usize], middle: &[usize]| -> Vec<usize> {
            let kept = |dims: &[usize]| dims.iter().map(|&dim| of[dim]).collect::<Vec<_>>();
            [kept(&others[..first]), middle.to_vec(), kept(&others[first..])].concat()
        };
        let none = vec![0; view.dim()];
        let result = placed(view.shape(), &shape);
        dims::check_size(&result)?;
        let laid_out = indices.iter().map(|(dim, index)| {
            let wide = index.expanded(&shape);
            Index {
                size: view.shape()[*dim],
                stride: view.strides()[*dim],
                strides: placed(&none, wide.strides()),
                values: wide.values::<i64>().into_owned(),
            }
        });
        Ok(Picked {
            strides: placed(view.strides(), &vec![0; shape.len()]),
            offset: view.offset(),
            index_strides: placed(&none, &layout::contiguous_strides(&shape)),
            indices: laid_out.collect(),
            shape: result,
        })
    }

    /// The strides that decide the order of visits: those of the view, of a value, of the indices.
    pub(crate) fn operands<'a>(&'a self, value: Option<&'a [usize]>) -> Vec<&'a [usize]> {
        let indices = self.indices.iter().map(|index| index.strides.as_slice());
        [self.strides.as_slice()].into_iter().chain(value).chain(indices).collect()
    }

    /// Positions in the view's storage, row-major over the shape. Of several indices out of
    /// bounds the one is named that is visited first.
    pub(crate) fn positions(&self, operands: &[&[usize]]) -> Result<Vec<usize>> {
        let mut starts: Vec<usize> =
            Positions::new(self.shape.as_slice(), self.strides.as_slice(), self.offset).collect();
        if starts.is_empty() {
            return Ok(starts);
        }
        let flat: Vec<usize> =
            Positions::new(self.shape.as_slice(), self.index_strides.as_slice(), 0).collect();
        for at in visiting::order(&self.shape, operands) {
            for (nth, index) in self.indices.iter().enumerate() {
                let (value, size) = (index.values[flat[at]], index.size as i64);
                if !(-size..size).contains(&value) {
                    return Err(out_of_bounds(value, nth, index.size));
                }
                starts[at] += value.rem_euclid(size) as usize * index.stride;
            }
        }
        Ok(starts)
    }
}

/// Masks as the positions of their true elements, and indices as int64.
fn as_indices(view: &Tensor, tensors: &[(usize, Tensor)]) -> Result<Vec<(usize, Tensor)>> {
    let is_index = |dtype: DType| matches!(dtype, DType::Int64 | DType::Int32 | DType::Bool | DType::UInt8);
    if !tensors.iter().all(|(_, tensor)| is_index(tensor.dtype())) {
        return Err(Failure::index("tensors used as indices must be long, int, byte or bool tensors"));
    }
    let mut indices = Vec::new();
    for (dim, tensor) in tensors {
        if is_mask(tensor) {
            check_mask(view, *dim, tensor)?;
            let positions = true_positions(tensor).into_iter();
            indices.extend(positions.enumerate().map(|(i, index)| (dim + i, index)));
        } else {
            indices.push((*dim, tensor.to_dtype(DType::Int64)));
        }
    }
    Ok(indices)
}

pub(crate) fn check_mask(view: &Tensor, dim: usize, mask: &Tensor) -> Result<()> {
    for (i, &size) in mask.shape().iter().enumerate() {
        dims::wrap((dim + i) as i64, view.dim())?;
        if view.shape().get(dim + i) != Some(&size) {
            return Err(Failure::index(format!(
                "The shape of the mask {:?} at index {i} does not match the shape of the indexed tensor {:?} at index {}",
                mask.shape(),
                view.shape(),
                dim + i
            )));
        }
    }
    Ok(())
}

/// The positions of the true elements, one index tensor per dimension.
fn true_positions(mask: &Tensor) -> Vec<Tensor> {
    let hits: Vec<usize> =
        mask.scalars().enumerate().filter(|(_, value)| value.to_bool()).map(|(flat, _)| flat).collect();
    let vector = |column: Vec<i64>| Tensor::collect(&[column.len()], column);
    unravelled(&hits, mask.shape()).into_iter().map(vector).collect()
}
