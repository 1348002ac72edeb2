//! `getitem`: what `tensor[...]` does with integers, slices, `...`, `None` and tensors.
//!
//! Integers and slices narrow a view, `None` adds a dimension, and tensors are collected and
//! applied at the end, together: masks become the positions of their true elements, all index
//! tensors broadcast to one shape, and that shape stands where the indexed dimensions stood if
//! they are neighbours, else in front.

use super::call::{Call, Failure, Result, Returned, Value};
use super::dims;
use super::{Backward, Op};
use crate::tensor::{DType, Scalar, Tensor, layout};

/// The ops of this family.
pub(crate) const OPS: &[Op] = &[Op {
    name: "getitem",
    parameters: &["input", "index", "*"],
    forward: getitem,
    backward: Backward::Unwritten,
}];

fn getitem(call: &Call) -> Result {
    let input = call.tensor("input")?;
    let items = match call.get("index") {
        Some(Value::List(items)) => items,
        _ => return Err(Failure::Unsupported("getitem: parameter 'index' that is not a list".into())),
    };
    let mut brackets =
        Brackets { call, view: input.clone(), dim: 0, real_dim: 0, tensors: Vec::new(), warnings: vec![] };
    let named = brackets.dims_named(items)?;
    // A lone slice or integer goes its own way in PyTorch, with complaints of its own.
    if named > input.dim() && !(items.len() == 1 && matches!(items[0], Value::Slice(_) | Value::Scalar(_))) {
        return Err(Failure::index(format!("too many indices for tensor of dimension {}", input.dim())));
    }
    for item in items {
        brackets.apply(item, input.dim() - named.min(input.dim()))?;
    }
    let Brackets { view, tensors, warnings, .. } = brackets;
    let output = if tensors.is_empty() { view } else { gather_indexed(&view, &tensors)? };
    Ok(Returned { outputs: vec![output], warnings })
}

struct Brackets<'a> {
    call: &'a Call,
    view: Tensor,
    /// The view's dimension that the next item indexes.
    dim: usize,
    /// The input's dimension that the next item indexes.
    real_dim: usize,
    /// Index tensors and the first of the view's dimensions that each of them indexes.
    tensors: Vec<(usize, Tensor)>,
    warnings: Vec<String>,
}

/// A tensor that selects by truth instead of by position.
fn is_mask(tensor: &Tensor) -> bool {
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
                self.real_dim += dims_left_for_ellipsis;
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
            return Err(Failure::index(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to \
                 convert a 0-dim tensor to a number",
            ));
        };
        let signed = size as i64;
        if !(-signed..signed).contains(&index) {
            return Err(Failure::index(format!(
                "index {index} is out of bounds for dimension {} with size {size}",
                self.real_dim
            )));
        }
        self.view = self.view.selected(self.dim, index.rem_euclid(signed) as usize);
        self.real_dim += 1;
        Ok(())
    }

    fn slice(&mut self, [start, stop, step]: [Option<i64>; 3]) -> Result<()> {
        let step = step.unwrap_or(1);
        if step <= 0 {
            let message =
                if step == 0 { "slice step cannot be zero" } else { "step must be greater than zero" };
            return Err(Failure::Raised(super::Exception::ValueError, message.into()));
        }
        let Some(&size) = self.view.shape().get(self.dim) else {
            self.refuse_beyond_last()?;
            return Err(Failure::index("slice() cannot be applied to a 0-dim tensor."));
        };
        let signed = size as i64;
        let inside =
            |bound: i64| (if bound < 0 { bound.saturating_add(signed) } else { bound }).clamp(0, signed);
        let start = inside(start.unwrap_or(0));
        let stop = inside(stop.unwrap_or(i64::MAX)).max(start);
        let length = ((stop - start) as u64).div_ceil(step as u64);
        // A step that leaves one element must not scale the stride: it may overflow.
        let step = if length > 1 { step as usize } else { 1 };
        self.view = self.view.sliced(self.dim, start as usize, length as usize, step);
        self.dim += 1;
        self.real_dim += 1;
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
        self.real_dim += dims;
        if dims == 0 {
            // A 0-d mask keeps or drops everything: it indexes a dimension made for it.
            self.view = self.view.unsqueezed(self.dim);
            self.tensors.push((self.dim, tensor.reshaped(&[1])));
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

/// The elements of a view at index tensors, each with the dimension where it starts.
fn gather_indexed(view: &Tensor, tensors: &[(usize, Tensor)]) -> Result<Tensor> {
    let mut indices: Vec<(usize, Tensor)> = Vec::new();
    for (dim, tensor) in tensors {
        match tensor.dtype() {
            DType::Bool | DType::UInt8 => {
                check_mask(view, *dim, tensor)?;
                indices.extend(
                    true_positions(tensor).into_iter().enumerate().map(|(i, index)| (dim + i, index)),
                );
            }
            DType::Int64 | DType::Int32 => indices.push((*dim, tensor.to_dtype(DType::Int64))),
            _ => {
                return Err(Failure::index(
                    "tensors used as indices must be long, int, byte or bool tensors",
                ));
            }
        }
    }
    let shape = indices
        .iter()
        .try_fold(Vec::new(), |shape, (_, index)| layout::broadcast(&shape, index.shape()))
        .map_err(|_| {
            let shapes: Vec<_> = indices.iter().map(|(_, index)| format!("{:?}", index.shape())).collect();
            Failure::index(format!(
                "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
                shapes.join(", ")
            ))
        })?;

    let indexed: Vec<usize> = indices.iter().map(|&(dim, _)| dim).collect();
    let others: Vec<usize> = (0..view.dim()).filter(|dim| !indexed.contains(dim)).collect();
    let block: Vec<usize> = others.iter().map(|&dim| view.shape()[dim]).collect();
    let block_strides: Vec<usize> = others.iter().map(|&dim| view.strides()[dim]).collect();

    let gathered: Vec<usize> = shape.iter().chain(&block).copied().collect();
    dims::check_size(&gathered)?;
    let count = layout::numel(&shape).unwrap_or(0);
    let block_size: usize = block.iter().product();
    if count > 0 && block_size > 0 && indexed.iter().any(|&dim| view.shape()[dim] == 0) {
        return Err(Failure::index("index is out of bounds for dimension with size 0"));
    }
    let mut starts = vec![view.offset(); count];
    for (nth, (dim, index)) in indices.iter().enumerate() {
        let (size, stride) = (view.shape()[*dim], view.strides()[*dim]);
        let values = index.expanded(&shape);
        for (start, &value) in starts.iter_mut().zip(values.values::<i64>().iter()) {
            let signed = size as i64;
            if !(-signed..signed).contains(&value) {
                if block_size == 0 {
                    continue;
                }
                return Err(Failure::index(format!(
                    "index {value} is out of bounds for dimension {nth} with size {size}"
                )));
            }
            *start += value.rem_euclid(signed) as usize * stride;
        }
    }
    let block_at = |&start: &usize| layout::Positions::new(block.as_slice(), block_strides.as_slice(), start);
    let output = view.picked(&gathered, starts.iter().flat_map(block_at));

    let neighbours = indexed.windows(2).all(|pair| pair[1] == pair[0] + 1);
    if !neighbours {
        return Ok(output);
    }
    // The broadcast shape takes the place of the dimensions that it indexed.
    let before = others.iter().filter(|&&dim| dim < indexed[0]).count();
    let rank = shape.len();
    let order: Vec<usize> =
        (rank..rank + before).chain(0..rank).chain(rank + before..gathered.len()).collect();
    Ok(output.permuted(&order))
}

fn check_mask(view: &Tensor, dim: usize, mask: &Tensor) -> Result<()> {
    for (i, &size) in mask.shape().iter().enumerate() {
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
    let strides = layout::contiguous_strides(mask.shape());
    let hits: Vec<usize> =
        mask.scalars().enumerate().filter(|(_, value)| value.to_bool()).map(|(flat, _)| flat).collect();
    mask.shape()
        .iter()
        .zip(strides)
        .map(|(&size, stride)| {
            Tensor::collect(&[hits.len()], hits.iter().map(|flat| (flat / stride % size) as i64))
        })
        .collect()
}
