//! Ops that move elements and compute nothing: views, joining and splitting, copies in another
//! order, triangles and diagonals. All take every dtype unless a kernel says otherwise.

mod arguments;
mod diagonals;
mod gradients;
mod joining;
mod rearranging;
mod splitting;
mod views;

pub(crate) use arguments::{negative_dimension, required_ints, tensors};
pub(crate) use diagonals::OPS as DIAGONALS;
pub(crate) use gradients::{from_cotangent, numbered, placed, shown, zeros};
pub(crate) use joining::OPS as JOINING;
pub(crate) use rearranging::OPS as REARRANGING;
pub(crate) use splitting::OPS as SPLITTING;
pub(crate) use views::OPS as VIEWS;
pub(crate) use views::{expand_to, has_view, reshaped_in_place};
