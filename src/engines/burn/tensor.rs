//! Tensors whose rank and kind are known at run time, over burn's `Tensor<D, K>`.
//!
//! burn fixes rank and kind at compile time; a corpus has them in its data. The macros here write
//! out the same user's line for each rank, and nothing more.

use burn::tensor::kind::Basic;
use burn::tensor::{
    Bool, BoolStore, DType as BurnDType, Device, Float, FloatDType, Int, IntDType, Tensor as BurnTensor,
    TensorData,
};
use half::{bf16, f16};

use crate::ops::{Failure, Result};
use crate::tensor::{DType, Scalar, Tensor};
use crate::with_type;

/// A tensor of one of burn's kinds, of a rank up to 6.
#[derive(Clone, Debug)]
pub(super) enum Ranked<K: Basic> {
    R1(BurnTensor<1, K>),
    R2(BurnTensor<2, K>),
    R3(BurnTensor<3, K>),
    R4(BurnTensor<4, K>),
    R5(BurnTensor<5, K>),
    R6(BurnTensor<6, K>),
}

/// A tensor of any kind and rank.
#[derive(Clone, Debug)]
pub(super) enum Any {
    Float(Ranked<Float>),
    Int(Ranked<Int>),
    Bool(Ranked<Bool>),
}

macro_rules! conversions {
    ($($rank:literal $variant:ident)*) => {$(
        impl<K: Basic> From<BurnTensor<$rank, K>> for Ranked<K> {
            fn from(tensor: BurnTensor<$rank, K>) -> Self {
                Ranked::$variant(tensor)
            }
        }
        impl From<BurnTensor<$rank, Float>> for Any {
            fn from(tensor: BurnTensor<$rank, Float>) -> Self {
                Any::Float(Ranked::$variant(tensor))
            }
        }
        impl From<BurnTensor<$rank, Int>> for Any {
            fn from(tensor: BurnTensor<$rank, Int>) -> Self {
                Any::Int(Ranked::$variant(tensor))
            }
        }
        impl From<BurnTensor<$rank, Bool>> for Any {
            fn from(tensor: BurnTensor<$rank, Bool>) -> Self {
                Any::Bool(Ranked::$variant(tensor))
            }
        }
    )*};
}

conversions! { 1 R1 2 R2 3 R3 4 R4 5 R5 6 R6 }

impl From<Ranked<Float>> for Any {
    fn from(tensor: Ranked<Float>) -> Self {
        Any::Float(tensor)
    }
}

impl From<Ranked<Int>> for Any {
    fn from(tensor: Ranked<Int>) -> Self {
        Any::Int(tensor)
    }
}

impl From<Ranked<Bool>> for Any {
    fn from(tensor: Ranked<Bool>) -> Self {
        Any::Bool(tensor)
    }
}

/// One expression for every rank: `each_rank!(ranked, t => t.exp().into())`.
macro_rules! each_rank {
    ($ranked:expr, $t:ident => $body:expr) => {
        match $ranked {
            Ranked::R1($t) => $body,
            Ranked::R2($t) => $body,
            Ranked::R3($t) => $body,
            Ranked::R4($t) => $body,
            Ranked::R5($t) => $body,
            Ranked::R6($t) => $body,
        }
    };
}

/// One expression for every kind, on the ranked tensor.
macro_rules! each_kind {
    ($any:expr, $ranked:ident => $body:expr) => {
        match $any {
            Any::Float($ranked) => $body,
            Any::Int($ranked) => $body,
            Any::Bool($ranked) => $body,
        }
    };
}

/// One expression for the numeric kinds and every rank; a Bool tensor has no such method.
macro_rules! numeric {
    ($any:expr, $what:expr, $t:ident => $body:expr) => {
        match $any {
            Any::Float(ranked) => Ok(crate::engines::burn::tensor::each_rank!(ranked, $t => $body)),
            Any::Int(ranked) => Ok(crate::engines::burn::tensor::each_rank!(ranked, $t => $body)),
            Any::Bool(_) => crate::engines::burn::tensor::lacks($what, "Bool"),
        }
    };
}

/// One expression for all kinds and ranks.
macro_rules! basic {
    ($any:expr, $t:ident => $body:expr) => {
        crate::engines::burn::tensor::each_kind!($any, ranked => crate::engines::burn::tensor::each_rank!(ranked, $t => $body))
    };
}

/// One expression for two tensors of one kind, brought to one rank as burn's users do.
macro_rules! same_rank {
    ($a:expr, $b:expr, $x:ident $y:ident => $body:expr) => {
        match crate::engines::burn::tensor::aligned($a, $b)? {
            (Ranked::R1($x), Ranked::R1($y)) => $body,
            (Ranked::R2($x), Ranked::R2($y)) => $body,
            (Ranked::R3($x), Ranked::R3($y)) => $body,
            (Ranked::R4($x), Ranked::R4($y)) => $body,
            (Ranked::R5($x), Ranked::R5($y)) => $body,
            (Ranked::R6($x), Ranked::R6($y)) => $body,
            _ => return crate::engines::burn::tensor::unsupported("operands of different ranks"),
        }
    };
}

/// One expression for two numeric tensors, brought to one kind.
macro_rules! numeric_pair {
    ($a:expr, $b:expr, $what:expr, $x:ident $y:ident => $body:expr) => {
        match crate::engines::burn::tensor::one_kind($a, $b)? {
            (Any::Float(a), Any::Float(b)) => Ok(crate::engines::burn::tensor::same_rank!(a, b, $x $y => $body)),
            (Any::Int(a), Any::Int(b)) => Ok(crate::engines::burn::tensor::same_rank!(a, b, $x $y => $body)),
            _ => crate::engines::burn::tensor::lacks($what, "Bool"),
        }
    };
}

/// One expression for two tensors, brought to one kind.
macro_rules! basic_pair {
    ($a:expr, $b:expr, $what:expr, $x:ident $y:ident => $body:expr) => {
        match crate::engines::burn::tensor::one_kind($a, $b)? {
            (Any::Float(a), Any::Float(b)) => Ok(crate::engines::burn::tensor::same_rank!(a, b, $x $y => $body)),
            (Any::Int(a), Any::Int(b)) => Ok(crate::engines::burn::tensor::same_rank!(a, b, $x $y => $body)),
            (Any::Bool(a), Any::Bool(b)) => Ok(crate::engines::burn::tensor::same_rank!(a, b, $x $y => $body)),
            _ => crate::engines::burn::tensor::mixed_kinds($what),
        }
    };
}

/// A rank as a constant: `of_rank!(shape.len(), D => t.reshape::<D, _>(…))`.
macro_rules! of_rank {
    ($rank:expr, $D:ident => $body:expr) => {
        match $rank {
            1 => {
                const $D: usize = 1;
                $body
            }
            2 => {
                const $D: usize = 2;
                $body
            }
            3 => {
                const $D: usize = 3;
                $body
            }
            4 => {
                const $D: usize = 4;
                $body
            }
            5 => {
                const $D: usize = 5;
                $body
            }
            6 => {
                const $D: usize = 6;
                $body
            }
            rank => return crate::engines::burn::tensor::no_rank(rank),
        }
    };
}

/// A number in the type in which a user would write it.
macro_rules! number {
    ($scalar:expr, $n:ident => $body:expr) => {
        match $scalar {
            crate::tensor::Scalar::Float($n) => $body,
            other => {
                let $n = other.to_i64();
                $body
            }
        }
    };
}

pub(super) use {basic, basic_pair, each_kind, each_rank, number, numeric, numeric_pair, of_rank, same_rank};

/// What burn has no function for.
pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Failure::Unsupported(what.into()))
}

/// A method that burn does not give to a kind, so that the call does not compile.
pub(super) fn lacks<T>(what: &str, kind: &str) -> Result<T> {
    unsupported(format!("{what}: burn has no such method for {kind} tensors"))
}

/// Operands of different kinds, which no method of burn takes.
pub(super) fn mixed_kinds<T>(what: &str) -> Result<T> {
    unsupported(format!("{what}: operands of different kinds (Float, Int, Bool) do not compile"))
}

/// A rank outside what this adapter writes out.
pub(super) fn no_rank<T>(rank: usize) -> Result<T> {
    unsupported(match rank {
        0 => "burn has no 0-d tensors".to_string(),
        rank => format!("rank {rank}: the adapter writes out ranks 1 to 6"),
    })
}

impl<K: Basic> Ranked<K> {
    pub(super) fn shape(&self) -> Vec<usize> {
        each_rank!(self, t => t.dims().to_vec())
    }

    pub(super) fn rank(&self) -> usize {
        each_rank!(self, t => t.rank())
    }

    pub(super) fn reshape(self, shape: &[usize]) -> Result<Ranked<K>> {
        of_rank!(shape.len(), D => {
            let shape: [usize; D] = array(shape)?;
            Ok(each_rank!(self, t => t.reshape::<D, _>(shape).into()))
        })
    }

    /// Leading dimensions of size 1 until there are so many, which is how a user broadcasts.
    pub(super) fn unsqueeze(self, rank: usize) -> Result<Ranked<K>> {
        if rank == self.rank() {
            return Ok(self);
        }
        of_rank!(rank, D => Ok(each_rank!(self, t => t.unsqueeze::<D>().into())))
    }

    pub(super) fn expand(self, shape: &[usize]) -> Result<Ranked<K>> {
        of_rank!(shape.len(), D => {
            let shape: [usize; D] = array(shape)?;
            Ok(each_rank!(self, t => t.expand::<D, _>(shape).into()))
        })
    }

    pub(super) fn permute(self, order: &[i64]) -> Result<Ranked<K>> {
        Ok(each_rank!(self, t => t.permute(array(order)?).into()))
    }

    /// The dimension of size 1 taken away; a user of burn has to know that another remains.
    pub(super) fn squeeze_dim(self, dim: i64) -> Result<Ranked<K>> {
        of_rank!(self.rank() - 1, D => Ok(each_rank!(self, t => t.squeeze_dim::<D>(dim).into())))
    }

    pub(super) fn unsqueeze_dim(self, dim: i64) -> Result<Ranked<K>> {
        of_rank!(self.rank() + 1, D => Ok(each_rank!(self, t => t.unsqueeze_dim::<D>(dim).into())))
    }

    /// All elements in one dimension.
    pub(super) fn flatten(self) -> BurnTensor<1, K> {
        each_rank!(self, t => t.flatten::<1>(0, -1))
    }
}

/// Two tensors at the rank of the larger one.
pub(super) fn aligned<K: Basic>(a: Ranked<K>, b: Ranked<K>) -> Result<(Ranked<K>, Ranked<K>)> {
    let rank = a.rank().max(b.rank());
    Ok((a.unsqueeze(rank)?, b.unsqueeze(rank)?))
}

/// Two tensors of one kind: what does not compile otherwise is cast to the other's dtype, Bool to
/// Int and Int to Float. Dtypes of one kind are left to burn, which compiles that.
pub(super) fn one_kind(a: Any, b: Any) -> Result<(Any, Any)> {
    Ok(match (&a, &b) {
        (Any::Float(_), Any::Int(_) | Any::Bool(_)) | (Any::Int(_), Any::Bool(_)) => {
            let dtype = host_dtype(a.dtype())?;
            (a, b.cast(dtype)?)
        }
        (Any::Int(_) | Any::Bool(_), Any::Float(_)) | (Any::Bool(_), Any::Int(_)) => {
            let dtype = host_dtype(b.dtype())?;
            (a.cast(dtype)?, b)
        }
        _ => (a, b),
    })
}

/// A list as the array that burn wants; PyTorch takes lists of any length.
pub(super) fn array<T: Copy, const N: usize>(list: &[T]) -> Result<[T; N]> {
    match list.try_into() {
        Ok(array) => Ok(array),
        Err(_) => unsupported(format!("a list of {} where the rank is {N} does not compile", list.len())),
    }
}

impl Any {
    pub(super) fn shape(&self) -> Vec<usize> {
        each_kind!(self, ranked => ranked.shape())
    }

    pub(super) fn rank(&self) -> usize {
        each_kind!(self, ranked => ranked.rank())
    }

    pub(super) fn numel(&self) -> usize {
        self.shape().iter().product()
    }

    /// burn's dtype.
    pub(super) fn dtype(&self) -> BurnDType {
        basic!(self, t => t.dtype())
    }

    pub(super) fn reshape(self, shape: &[usize]) -> Result<Any> {
        each_kind!(self, ranked => Ok(ranked.reshape(shape)?.into()))
    }

    pub(super) fn unsqueeze(self, rank: usize) -> Result<Any> {
        each_kind!(self, ranked => Ok(ranked.unsqueeze(rank)?.into()))
    }

    pub(super) fn expand(self, shape: &[usize]) -> Result<Any> {
        each_kind!(self, ranked => Ok(ranked.expand(shape)?.into()))
    }

    pub(super) fn permute(self, order: &[i64]) -> Result<Any> {
        each_kind!(self, ranked => Ok(ranked.permute(order)?.into()))
    }

    pub(super) fn squeeze_dim(self, dim: i64) -> Result<Any> {
        each_kind!(self, ranked => Ok(ranked.squeeze_dim(dim)?.into()))
    }

    pub(super) fn unsqueeze_dim(self, dim: i64) -> Result<Any> {
        each_kind!(self, ranked => Ok(ranked.unsqueeze_dim(dim)?.into()))
    }

    pub(super) fn flatten(self) -> Any {
        each_kind!(self, ranked => ranked.flatten().into())
    }

    /// `cast`, `bool` for a Bool tensor.
    pub(super) fn cast(self, dtype: DType) -> Result<Any> {
        let to = burn_dtype(dtype);
        Ok(match self {
            Any::Float(x) if dtype.is_floating() => {
                each_rank!(x, t => t.cast(FloatDType::from(to)).into())
            }
            Any::Float(x) if dtype.is_integer() => each_rank!(x, t => t.cast(IntDType::from(to)).into()),
            Any::Float(x) => each_rank!(x, t => t.bool().into()),
            Any::Int(x) if dtype.is_floating() => each_rank!(x, t => t.cast(FloatDType::from(to)).into()),
            Any::Int(x) if dtype.is_integer() => each_rank!(x, t => t.cast(IntDType::from(to)).into()),
            Any::Int(x) => each_rank!(x, t => t.bool().into()),
            Any::Bool(x) if dtype.is_floating() => {
                each_rank!(x, t => t.cast(FloatDType::from(to)).into())
            }
            Any::Bool(x) if dtype.is_integer() => each_rank!(x, t => t.cast(IntDType::from(to)).into()),
            Any::Bool(x) => x.into(),
        })
    }

    /// A tensor of the corpus on a device, laid out by burn's own `permute` and `expand` where
    /// those give its strides; a 0-d tensor has one dimension, since burn has none without.
    pub(super) fn new(tensor: &Tensor, device: &Device, strided: bool) -> Result<Any> {
        if tensor.dim() == 0 {
            return Any::contiguous(tensor, &[1], device);
        }
        if !strided || tensor.is_contiguous() || tensor.numel() == 0 {
            return Any::contiguous(tensor, tensor.shape(), device);
        }
        let mut base = tensor.clone();
        let broadcast = |dim: &usize| tensor.strides()[*dim] == 0 && tensor.shape()[*dim] > 1;
        for dim in (0..tensor.dim()).filter(broadcast) {
            base = base.sliced(dim, 0, 1, 1);
        }
        let mut order: Vec<usize> = (0..base.dim()).collect();
        order.sort_by_key(|&dim| std::cmp::Reverse(base.strides()[dim]));
        let mut back = vec![0; order.len()];
        for (position, &dim) in order.iter().enumerate() {
            back[dim] = position as i64;
        }
        let base = base.permuted(&order);
        let created = Any::contiguous(&base, base.shape(), device)?.permute(&back)?;
        if (0..tensor.dim()).any(|dim| broadcast(&dim)) {
            created.expand(tensor.shape())
        } else {
            Ok(created)
        }
    }

    fn contiguous(tensor: &Tensor, shape: &[usize], device: &Device) -> Result<Any> {
        let dtype = tensor.dtype();
        let data = with_type!(dtype, T => TensorData::new(tensor.values::<T>().into_owned(), shape.to_vec()));
        let options = (device, burn_dtype(dtype));
        of_rank!(shape.len(), D => Ok(match dtype {
            DType::Bool => BurnTensor::<D, Bool>::from_data(data, options).into(),
            dtype if dtype.is_floating() => BurnTensor::<D, Float>::from_data(data, options).into(),
            _ => BurnTensor::<D, Int>::from_data(data, options).into(),
        }))
    }

    /// What burn holds, as a tensor of the corpus.
    pub(super) fn to_host(&self) -> Result<Tensor> {
        let data: TensorData = basic!(self, t => t.to_data());
        let shape = data.shape().to_vec();
        macro_rules! read {
            ($type:ty) => {
                match data.as_slice::<$type>() {
                    Ok(values) => Tensor::new(&shape, values.to_vec()).map_err(|error| error.to_string()),
                    Err(error) => Err(format!("{error:?}")),
                }
            };
        }
        let read = match data.dtype() {
            BurnDType::F64 => read!(f64),
            BurnDType::F32 => read!(f32),
            BurnDType::F16 => read!(f16),
            BurnDType::BF16 => read!(bf16),
            BurnDType::I64 => read!(i64),
            BurnDType::I32 => read!(i32),
            BurnDType::I16 => read!(i16),
            BurnDType::I8 => read!(i8),
            BurnDType::U8 => read!(u8),
            BurnDType::U32 => read!(u32),
            BurnDType::Bool(BoolStore::Native) => read!(bool),
            other => Err(format!("burn's dtype {}", other.name())),
        };
        read.map_err(|what| Failure::Unsupported(format!("an output that cannot be read: {what}")))
    }
}

/// burn's name of a dtype.
pub(super) fn burn_dtype(dtype: DType) -> BurnDType {
    match dtype {
        DType::Float64 => BurnDType::F64,
        DType::Float32 => BurnDType::F32,
        DType::Float16 => BurnDType::F16,
        DType::BFloat16 => BurnDType::BF16,
        DType::Int64 => BurnDType::I64,
        DType::Int32 => BurnDType::I32,
        DType::Int16 => BurnDType::I16,
        DType::Int8 => BurnDType::I8,
        DType::UInt8 => BurnDType::U8,
        DType::UInt32 => BurnDType::U32,
        DType::Bool => BurnDType::Bool(BoolStore::Native),
    }
}

/// The corpus's name of a dtype of burn.
pub(super) fn host_dtype(dtype: BurnDType) -> Result<DType> {
    match DType::all().find(|&own| burn_dtype(own) == dtype) {
        Some(own) => Ok(own),
        None => unsupported(format!("burn's dtype {}", dtype.name())),
    }
}

/// A Rust value that burn returns where PyTorch returns a 0-d tensor.
pub(super) fn scalar_tensor(value: Scalar, dtype: DType) -> Tensor {
    Tensor::full(&[], value, dtype)
}
