//! The instructions that kernels are compiled for, chosen when the program runs.
//!
//! A default x86-64 build may use SSE2 alone, where a fused multiply-add is a slow call. A kernel
//! inside `vectorised` is compiled twice, inside `widest` three times, and the CPU at hand decides
//! which copy runs. The source is one and the arithmetic is strict IEEE, so all copies give the
//! same bits: what the compiler may do with more instructions is do more at once. What is called
//! inside has to be `#[inline(always)]` down to the loop, or it stays as the default build has it.
//!
//! On aarch64 the default build has NEON and fused multiply-add, so the portable copy is the one.

use std::sync::OnceLock;

use pulp::WithSimd;
#[cfg(target_arch = "x86_64")]
use pulp::{
    Scalar, Simd,
    x86::{V3, V4},
};

/// The variable that holds the program to less than the CPU has.
pub const VARIABLE: &str = "TORCH_PARITY_CPU";

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every CPU of the architecture has: SSE2, NEON.
    Portable,
    /// AVX2 and fused multiply-add (x86-64-v3).
    Avx2,
    /// AVX-512 (x86-64-v4).
    Avx512,
}

impl Level {
    pub(crate) const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The name, as the variable has it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// Whether this CPU has the instructions.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => x86::avx2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => x86::avx512().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The most that this CPU has.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Level::Portable)
    }
}

/// Why no level could be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LevelError {
    /// The variable names none.
    #[error("{VARIABLE}: '{0}' is none of portable, avx2, avx512")]
    Unknown(String),
    /// The CPU does not have it.
    #[error("{VARIABLE}: this CPU has no {}", .0.name())]
    Unavailable(Level),
}

/// What the environment asks for; the best that there is where it asks for nothing.
pub fn requested() -> Result<Level, LevelError> {
    let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
        return Ok(Level::best());
    };
    let name = name.to_string_lossy().into_owned();
    let level = Level::ALL.into_iter().find(|level| level.name() == name);
    let level = level.ok_or(LevelError::Unknown(name))?;
    if level.is_available() { Ok(level) } else { Err(LevelError::Unavailable(level)) }
}

/// The level that kernels run at, the same for the whole run. A request that cannot be met, which
/// `compare` refuses before anything runs, leaves the portable code.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| requested().unwrap_or(Level::Portable))
}

/// Runs a kernel in its copy for the level, of which there are two: portable and AVX2. Most
/// kernels wait for memory with either, and compiling a third copy would only take time.
#[inline(always)]
pub(crate) fn vectorised<R>(kernel: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if level() >= Level::Avx2
        && let Some(simd) = x86::avx2()
    {
        return simd.vectorize(kernel);
    }
    kernel()
}

/// The same with a third copy for AVX-512, for kernels that are faster by it.
#[inline(always)]
pub(crate) fn widest<R>(kernel: impl FnOnce() -> R) -> R {
    at(level(), kernel)
}

/// Runs a kernel in its copy for a level that the CPU has, else in the portable one. Each copy
/// stands here once: it is compiled as often as it is written.
#[inline(always)]
pub(crate) fn at<R>(level: Level, kernel: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512
        && let Some(simd) = x86::avx512()
    {
        return simd.vectorize(kernel);
    } else if level == Level::Avx2
        && let Some(simd) = x86::avx2()
    {
        return simd.vectorize(kernel);
    }
    kernel()
}

/// Runs a kernel that is written in vectors, with those of the level.
pub(crate) fn with_simd<K: WithSimd>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let level = level();
        if level == Level::Avx512
            && let Some(simd) = V4::try_new()
        {
            return Simd::vectorize(simd, kernel);
        } else if level == Level::Avx2
            && let Some(simd) = V3::try_new()
        {
            return Simd::vectorize(simd, kernel);
        }
        Simd::vectorize(Scalar::new(), kernel)
    }
    #[cfg(not(target_arch = "x86_64"))]
    pulp::Arch::new().dispatch(kernel)
}

/// Proof that the CPU has vectors of 32 bytes, for kernels that name its instructions.
#[cfg(target_arch = "x86_64")]
pub(crate) type Avx = pulp::core_arch::x86::Avx;

/// The proof, where the level has them too.
#[cfg(target_arch = "x86_64")]
pub(crate) fn avx() -> Option<Avx> {
    x86::avx2().filter(|_| level() >= Level::Avx2).map(|simd| simd.avx)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    pulp::simd_type!({
        /// Of x86-64-v3 what arithmetic uses.
        pub(super) struct Avx2 {
            pub(super) avx: f!("avx"),
            pub(super) avx2: f!("avx2"),
            pub(super) bmi1: f!("bmi1"),
            pub(super) bmi2: f!("bmi2"),
            pub(super) f16c: f!("f16c"),
            pub(super) fma: f!("fma"),
            pub(super) lzcnt: f!("lzcnt"),
        }
    });

    pulp::simd_type!({
        /// Of x86-64-v4 what arithmetic uses.
        pub(super) struct Avx512 {
            pub(super) avx: f!("avx"),
            pub(super) avx2: f!("avx2"),
            pub(super) bmi1: f!("bmi1"),
            pub(super) bmi2: f!("bmi2"),
            pub(super) f16c: f!("f16c"),
            pub(super) fma: f!("fma"),
            pub(super) lzcnt: f!("lzcnt"),
            pub(super) avx512f: f!("avx512f"),
            pub(super) avx512bw: f!("avx512bw"),
            pub(super) avx512cd: f!("avx512cd"),
            pub(super) avx512dq: f!("avx512dq"),
            pub(super) avx512vl: f!("avx512vl"),
        }
    });

    pub(super) fn avx2() -> Option<Avx2> {
        Avx2::try_new()
    }

    pub(super) fn avx512() -> Option<Avx512> {
        Avx512::try_new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_copy_of_a_kernel_gives_the_same_bits() {
        let data: Vec<f32> = (0..1000).map(|i| (i as f32).sin()).collect();
        let run = |level| at(level, || data.iter().fold(0.1f32, |sum, &x| sum.mul_add(0.7, x)));
        for level in Level::ALL {
            assert_eq!(run(level).to_bits(), run(Level::Portable).to_bits(), "{}", level.name());
        }
    }

    #[test]
    fn there_is_always_a_level() {
        assert!(Level::best().is_available());
        assert!(Level::Portable.is_available());
    }
}
