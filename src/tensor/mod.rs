//! Tensors: data and layout, without arithmetic.
//!
//! A [`Tensor`] is shape, strides and an offset into shared [`Storage`]; views are cheap and
//! never copy. Strides are never negative, as in PyTorch.

mod copy;
mod dtype;
mod element;
pub mod layout;
mod storage;
pub(crate) mod transpose;

use std::borrow::Cow;
use std::sync::Arc;

pub use dtype::DType;
pub(crate) use element::TWO_63;
pub use element::{Element, Scalar, convert};
pub use storage::Storage;

use crate::{with_data, with_type};
use layout::Positions;

/// Why a layout cannot be laid over a storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The product of the sizes does not fit a machine word.
    #[error("the product of shape {0:?} overflows")]
    Overflow(Vec<usize>),
    /// A tensor without strides has another number of elements than its shape says.
    #[error("shape {shape:?} needs {needed} elements, data has {found}")]
    Length {
        /// The shape.
        shape: Vec<usize>,
        /// The product of its sizes.
        needed: usize,
        /// The number of elements there are.
        found: usize,
    },
    /// Not one stride per dimension.
    #[error("{strides} strides for {dims} dimensions")]
    Rank {
        /// Number of strides.
        strides: usize,
        /// Number of dimensions.
        dims: usize,
    },
    /// Some element would lie outside.
    #[error("shape {shape:?}, strides {strides:?} and offset {offset} leave the storage of {len} elements")]
    Outside {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<usize>,
        /// The offset, in elements.
        offset: usize,
        /// Length of the storage.
        len: usize,
    },
}

/// A view of typed elements.
#[derive(Clone, Debug)]
pub struct Tensor {
    storage: Arc<Storage>,
    shape: Vec<usize>,
    strides: Vec<usize>,
    offset: usize,
}

impl Tensor {
    /// A row-major tensor that owns its elements.
    pub fn new<T: Element>(shape: &[usize], data: Vec<T>) -> Result<Tensor, LayoutError> {
        Tensor::from_storage(shape, T::store(data))
    }

    /// A row-major tensor over a whole storage.
    pub fn from_storage(shape: &[usize], storage: Storage) -> Result<Tensor, LayoutError> {
        let needed = layout::numel(shape).ok_or_else(|| LayoutError::Overflow(shape.to_vec()))?;
        if needed != storage.len() {
            let (shape, found) = (shape.to_vec(), storage.len());
            return Err(LayoutError::Length { shape, needed, found });
        }
        let strides = layout::contiguous_strides(shape);
        Ok(Tensor { storage: Arc::new(storage), shape: shape.to_vec(), strides, offset: 0 })
    }

    /// A view with given strides and offset; refused where an element would lie outside.
    pub fn strided(
        shape: &[usize],
        strides: &[usize],
        offset: usize,
        storage: Storage,
    ) -> Result<Tensor, LayoutError> {
        if shape.len() != strides.len() {
            return Err(LayoutError::Rank { strides: strides.len(), dims: shape.len() });
        }
        let count = layout::numel(shape).ok_or_else(|| LayoutError::Overflow(shape.to_vec()))?;
        let last = shape.iter().zip(strides).try_fold(offset, |last, (&size, &stride)| {
            last.checked_add(size.saturating_sub(1).checked_mul(stride)?)
        });
        if count > 0 && last.is_none_or(|last| last >= storage.len()) {
            let (shape, strides) = (shape.to_vec(), strides.to_vec());
            return Err(LayoutError::Outside { shape, strides, offset, len: storage.len() });
        }
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        Ok(Tensor { storage: Arc::new(storage), shape, strides, offset })
    }

    /// A row-major tensor made by walking positions of another; the caller vouches that there
    /// are as many elements as the shape says.
    pub(crate) fn collect<T: Element>(shape: &[usize], data: impl IntoIterator<Item = T>) -> Tensor {
        let data: Vec<T> = data.into_iter().collect();
        debug_assert_eq!(Some(data.len()), layout::numel(shape));
        let strides = layout::contiguous_strides(shape);
        Tensor { storage: Arc::new(T::store(data)), shape: shape.to_vec(), strides, offset: 0 }
    }

    /// A 0-d tensor.
    pub fn scalar<T: Element>(value: T) -> Tensor {
        Tensor::collect(&[], [value])
    }

    /// A row-major tensor of one value.
    pub fn full(shape: &[usize], value: Scalar, dtype: DType) -> Tensor {
        let count = layout::numel(shape).unwrap_or(0);
        with_type!(dtype, T => Tensor::collect(shape, std::iter::repeat_n(T::from_scalar(value), count)))
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.storage.dtype()
    }

    /// Sizes of the dimensions; empty for a 0-d tensor.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Distance in the storage between neighbours, per dimension, in elements.
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Position of the first element in the storage.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The memory that this tensor views.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Number of dimensions.
    pub fn dim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the elements lie row-major without gaps.
    pub fn is_contiguous(&self) -> bool {
        layout::is_contiguous(&self.shape, &self.strides)
    }

    /// Storage positions of the elements, row-major.
    pub fn positions(&self) -> Positions<&[usize]> {
        Positions::new(&self.shape, &self.strides, self.offset)
    }

    /// The elements, row-major, in the wanted type: borrowed where the tensor is contiguous and
    /// of that type, else copied (and converted as `to(dtype)` does).
    pub fn values<T: Element>(&self) -> Cow<'_, [T]> {
        // The offset of a tensor without elements may lie anywhere.
        if self.numel() == 0 {
            return Cow::Borrowed(&[]);
        }
        let Some(data) = T::peek(&self.storage) else {
            return Cow::Owned(with_data!(self.storage(), data => converted(&self.row_major(data))));
        };
        self.row_major(data)
    }

    /// The elements of this layout in row-major order: borrowed where they lie so. There is one.
    fn row_major<'a, T: Element>(&self, data: &'a [T]) -> Cow<'a, [T]> {
        if self.is_contiguous() {
            return Cow::Borrowed(&data[self.offset..][..self.numel()]);
        }
        Cow::Owned(copy::row_major(data, &self.shape, &self.strides, self.offset))
    }

    /// A row-major tensor of the elements at some positions of the storage; there are as many as
    /// the shape says, and all are inside.
    pub(crate) fn picked(&self, shape: &[usize], positions: impl Iterator<Item = usize>) -> Tensor {
        with_data!(self.storage(), data => Tensor::collect(shape, positions.map(|at| data[at])))
    }

    /// The elements as Python numbers, row-major.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> {
        self.positions().filter_map(|position| self.storage.get(position))
    }

    /// PyTorch's `to(dtype)`: the same tensor where nothing changes, else a copy that keeps the
    /// order of the dimensions in memory (the order in which sums add depends on it) and, where
    /// they have no gaps, the very strides.
    pub fn to_dtype(&self, dtype: DType) -> Tensor {
        if dtype == self.dtype() {
            return self.clone();
        }
        if self.numel() == 0 {
            return Tensor::full(&self.shape, Scalar::Int(0), dtype);
        }
        if layout::is_dense(&self.shape, &self.strides) {
            let memory = self.offset..self.offset + self.numel();
            let storage = with_type!(dtype, T => with_data!(self.storage(), data => {
                T::store(converted(&data[memory]))
            }));
            return Tensor { storage: Arc::new(storage), offset: 0, ..self.clone() };
        }
        let strides = layout::dense_strides(&self.shape, &self.strides);
        let mut inwards = layout::dense_order(&self.shape, &self.strides);
        inwards.reverse();
        let view = self.permuted(&inwards);
        let storage = with_type!(dtype, T => T::store(view.values::<T>().into_owned()));
        Tensor { storage: Arc::new(storage), shape: self.shape.clone(), strides, offset: 0 }
    }

    /// A row-major tensor of the same elements; the same one if it is row-major already.
    pub fn contiguous(&self) -> Tensor {
        if self.is_contiguous() {
            return self.clone();
        }
        fn copy<T: Element>(_: &[T], tensor: &Tensor) -> Tensor {
            Tensor::collect(&tensor.shape, tensor.values::<T>().into_owned())
        }
        with_data!(self.storage(), data => copy(data, self))
    }

    /// The same elements under another shape of as many elements, as a view where this tensor is
    /// contiguous and as a copy elsewhere.
    pub(crate) fn reshaped(&self, shape: &[usize]) -> Tensor {
        debug_assert_eq!(layout::numel(shape), Some(self.numel()));
        let strides = layout::contiguous_strides(shape);
        Tensor { shape: shape.to_vec(), strides, ..self.contiguous() }
    }

    /// The view of the same storage and offset under another layout, which stays inside.
    pub(crate) fn restrided(&self, shape: &[usize], strides: &[usize]) -> Tensor {
        Tensor { shape: shape.to_vec(), strides: strides.to_vec(), ..self.clone() }
    }

    /// The view with `dim` fixed at `index` and removed. Both are inside.
    pub(crate) fn selected(&self, dim: usize, index: usize) -> Tensor {
        let mut view = self.sliced(dim, index, 1, 1);
        view.shape.remove(dim);
        view.strides.remove(dim);
        view
    }

    /// The view of `length` elements of `dim` from `start` in steps of `step`. All are inside.
    pub(crate) fn sliced(&self, dim: usize, start: usize, length: usize, step: usize) -> Tensor {
        let mut view = self.clone();
        view.offset = view.offset.wrapping_add(start.wrapping_mul(view.strides[dim]));
        view.shape[dim] = length;
        view.strides[dim] = view.strides[dim].wrapping_mul(step);
        view
    }

    /// The view with a new dimension of size 1 before `dim`.
    pub(crate) fn unsqueezed(&self, dim: usize) -> Tensor {
        let mut view = self.clone();
        let stride = self.shape.get(dim).map_or(1, |&size| size * self.strides[dim]);
        view.shape.insert(dim, 1);
        view.strides.insert(dim, stride);
        view
    }

    /// The view with dimensions in another order.
    pub(crate) fn permuted(&self, order: &[usize]) -> Tensor {
        let mut view = self.clone();
        view.shape = order.iter().map(|&dim| self.shape[dim]).collect();
        view.strides = order.iter().map(|&dim| self.strides[dim]).collect();
        view
    }

    /// A copy whose dimensions lie in memory in an order, given from innermost to outermost.
    pub(crate) fn laid_out(&self, order: &[usize]) -> Tensor {
        let outward: Vec<usize> = order.iter().rev().copied().collect();
        let copy = self.permuted(&outward).contiguous();
        let mut back = vec![0; outward.len()];
        for (position, &dim) in outward.iter().enumerate() {
            back[dim] = position;
        }
        copy.permuted(&back)
    }

    /// The view broadcast to a shape to which this tensor's shape broadcasts.
    pub(crate) fn expanded(&self, shape: &[usize]) -> Tensor {
        let missing = shape.len() - self.dim();
        let strides = (0..shape.len())
            .map(|dim| match dim.checked_sub(missing) {
                Some(own) if self.shape[own] == shape[dim] => self.strides[own],
                _ => 0,
            })
            .collect();
        Tensor { shape: shape.to_vec(), strides, ..self.clone() }
    }
}

/// Elements converted one by one.
fn converted<A: Element, B: Element>(values: &[A]) -> Vec<B> {
    values.iter().map(|&value| convert(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_outside_the_storage_are_refused() {
        let storage = || Storage::Float32(vec![0.0; 6]);
        assert!(Tensor::strided(&[2, 3], &[3, 1], 0, storage()).is_ok());
        assert!(Tensor::strided(&[2, 3], &[3, 1], 1, storage()).is_err());
        assert!(Tensor::strided(&[0, 3], &[3, 1], 99, storage()).is_ok());
        assert!(Tensor::strided(&[2], &[usize::MAX], 1, storage()).is_err());
        assert!(Tensor::new(&[2, 2], vec![1.0f32]).is_err());
    }

    #[test]
    fn conversion_keeps_dense_layouts() {
        let storage = Storage::Int32(vec![1, 2, 3, 4, 5, 6]);
        let transposed = Tensor::strided(&[3, 2], &[1, 3], 0, storage).unwrap();
        let converted = transposed.to_dtype(DType::Float32);
        assert_eq!(converted.strides(), [1, 3]);
        assert_eq!(*converted.values::<f32>(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn float_to_integer_truncates_and_overflow_gives_the_smallest() {
        let tensor = Tensor::new(&[4], vec![-1.9f64, 1.9, f64::NAN, 1e30]).unwrap();
        assert_eq!(*tensor.to_dtype(DType::Int64).values::<i64>(), [-1, 1, i64::MIN, i64::MIN]);
        assert_eq!(*tensor.to_dtype(DType::Bool).values::<bool>(), [true; 4]);
    }
}
