//! Tensors to candle and back. No element changes; bool, which candle has not, goes in as the `U8`
//! that candle's own comparisons give.

use candle_core::{DType as CandleDType, WithDType};

use super::{Answer, Halt, device, missing};
use crate::tensor::{DType, Element, LayoutError, Tensor, layout};

/// The most elements that are read back.
const LIMIT: usize = 1 << 26;

/// candle's dtype under a PyTorch name.
pub(super) fn dtype(dtype: DType) -> Answer<CandleDType> {
    Ok(match dtype {
        DType::Float64 => CandleDType::F64,
        DType::Float32 => CandleDType::F32,
        DType::Float16 => CandleDType::F16,
        DType::BFloat16 => CandleDType::BF16,
        DType::Int64 => CandleDType::I64,
        DType::Int32 => CandleDType::I32,
        DType::Int16 => CandleDType::I16,
        DType::UInt8 => CandleDType::U8,
        DType::UInt32 => CandleDType::U32,
        DType::Int8 | DType::Bool => return missing(format!("dtype {dtype}")),
    })
}

/// Runs an expression with `T` standing for the Rust type of a candle dtype; none for the others.
macro_rules! with_candle_type {
    ($dtype:expr, $T:ident => $body:expr) => {
        with_candle_type!(@ $dtype, $T, $body,
            F64 f64, F32 f32, F16 half::f16, BF16 half::bf16, I64 i64, I32 i32, I16 i16, U8 u8, U32 u32)
    };
    (@ $dtype:expr, $T:ident, $body:expr, $($variant:ident $type:ty),*) => {
        match $dtype {
            $(candle_core::DType::$variant => {
                type $T = $type;
                Some($body)
            })*
            _ => None,
        }
    };
}
pub(super) use with_candle_type;

/// A tensor as candle's: a transposed, narrowed or expanded one as a view made by candle's own
/// functions, any other in row-major order.
pub(super) fn to_candle(tensor: &Tensor) -> Answer<candle_core::Tensor> {
    let tensor = if tensor.dtype() == DType::Bool { &tensor.to_dtype(DType::UInt8) } else { tensor };
    let dtype = dtype(tensor.dtype())?;
    with_candle_type!(dtype, T => build::<T>(tensor)).unwrap_or_else(|| missing(format!("dtype {dtype:?}")))
}

fn build<T: Element + WithDType>(tensor: &Tensor) -> Answer<candle_core::Tensor> {
    if tensor.numel() > 0
        && !tensor.is_contiguous()
        && let Some(view) = view::<T>(tensor)?
    {
        return Ok(view);
    }
    Ok(candle_core::Tensor::from_vec(tensor.values::<T>().into_owned(), tensor.shape(), &device())?)
}

/// The tensor as narrow, permute and broadcast of a row-major one; none where they cannot say it.
fn view<T: Element + WithDType>(tensor: &Tensor) -> Answer<Option<candle_core::Tensor>> {
    let (shape, strides) = (tensor.shape(), tensor.strides());
    let Some(memory) = T::peek(tensor.storage()) else { return Ok(None) };
    let mut outward: Vec<usize> =
        (0..shape.len()).filter(|&dim| shape[dim] > 1 && strides[dim] > 0).collect();
    outward.sort_by_key(|&dim| std::cmp::Reverse(strides[dim]));
    // The row-major parent: each dimension as long as the next outer stride says.
    let mut parent: Vec<usize> = outward.iter().take(1).map(|&dim| shape[dim]).collect();
    for pair in outward.windows(2) {
        let (outer, inner) = (strides[pair[0]], strides[pair[1]]);
        if outer % inner != 0 || outer / inner < shape[pair[1]] {
            return Ok(None);
        }
        parent.push(outer / inner);
    }
    let step = outward.last().map_or(1, |&dim| strides[dim]);
    if step > 1 {
        parent.push(step);
    }
    let Some(count) = layout::numel(&parent).filter(|&count| count <= LIMIT) else { return Ok(None) };
    let mut data: Vec<T> = memory[tensor.offset()..].iter().copied().take(count).collect();
    data.resize(count, T::default());
    let mut view = candle_core::Tensor::from_vec(data, parent, &device())?;
    for (position, &dim) in outward.iter().enumerate() {
        view = view.narrow(position, 0, shape[dim])?;
    }
    if step > 1 {
        view = view.narrow(outward.len(), 0, 1)?.squeeze(outward.len())?;
    }
    let mut order: Vec<usize> = (0..outward.len()).collect();
    order.sort_by_key(|&position| outward[position]);
    view = view.permute(order)?;
    for dim in (0..shape.len()).filter(|dim| !outward.contains(dim)) {
        view = view.unsqueeze(dim)?;
    }
    Ok(Some(view.broadcast_as(shape)?))
}

/// candle's tensor as it is.
pub(super) fn from_candle(tensor: &candle_core::Tensor) -> Answer<Tensor> {
    let shape = tensor.dims();
    let dtype = tensor.dtype();
    if layout::numel(shape).is_none_or(|count| count > LIMIT) {
        return missing(format!("an output of shape {shape:?}"));
    }
    let read = with_candle_type!(dtype, T => {
        let data = tensor.flatten_all()?.to_vec1::<T>()?;
        Tensor::new(shape, data).map_err(|error: LayoutError| Halt::Unsupported(error.to_string()))
    });
    read.unwrap_or_else(|| missing(format!("dtype {dtype:?}")))
}
