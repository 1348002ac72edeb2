//! The orders of operations that make results equal PyTorch's bit for bit.
//!
//! Everything here is strict IEEE arithmetic: no contraction to fused multiply-add unless a rule
//! asks for it, and no re-association, so results depend neither on the build profile nor on the
//! CPU. The lane counts are those of PyTorch's AVX2 kernels (32-byte vectors), which its AVX-512
//! build uses for reductions as well.

pub(crate) mod accumulate;
pub(crate) mod dispatch;
pub(crate) mod elementwise;
pub(crate) mod extremes;
pub(crate) mod introsort;
pub(crate) mod iterator;
pub(crate) mod lanes;
pub(crate) mod libm;
pub(crate) mod moments;
pub(crate) mod nearest;
pub(crate) mod onednn;
pub(crate) mod product;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod scaled;
pub(crate) mod search;
pub(crate) mod sleef;
pub(crate) mod small;
pub(crate) mod sum;
pub(crate) mod variance;
pub(crate) mod zip;
