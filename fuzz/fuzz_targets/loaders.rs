//! Everything that reads a file or an argument, on arbitrary text.
#![no_main]

#[path = "../bodies/loaders.rs"]
mod loaders;
#[path = "../mutator.rs"]
mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(init: mutator::alone(), |data: &[u8]| loaders::check(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed)
});
