//! Products of vectors, matrices and batches of them.
//!
//! # Order of addition
//!
//! Integers wrap, so their order is free. The 16-bit floats run PyTorch's own loops, which add in
//! float32 in one of three orders by layout and size, and are followed to the bit. float32 and
//! float64 run MKL, which is closed source; here they add in order, with separate multiply and
//! add. Pinned to `MKL_CBWR=COMPATIBLE`, MKL does the same for row-major matrices of at least two
//! rows and columns below about 200 terms, where every result measured was equal to the bit;
//! matrices that lie as columns, vectors and longer sums are cut up and added in other orders,
//! and are held to a tolerance on the scale of the sum of magnitudes. A library's kernels would fuse
//! the multiply and add where the CPU can, and cut sums by its cache: tiles of our own keep the order
//! on every machine.

mod backward;
mod blocked;
mod kernels;
mod layouts;
mod products;
mod sums;

pub(crate) use backward::{of_left_batch, of_right_batch};
pub(crate) use products::OPS as PRODUCTS;
pub(crate) use sums::OPS as SUMS;
