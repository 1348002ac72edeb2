//! The judge, on arbitrary tensors under arbitrary rules.
#![no_main]

#[path = "../bodies/comparer.rs"]
mod comparer;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| comparer::check(data));
