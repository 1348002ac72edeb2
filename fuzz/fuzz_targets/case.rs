//! The native engine, on arbitrary cases.
#![no_main]

#[path = "../bodies/case.rs"]
mod case;
#[path = "../mutator.rs"]
mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(init: mutator::alone(), |data: &[u8]| case::check(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed)
});
