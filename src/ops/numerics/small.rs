//! The 16-bit floats to float32 and back, without branches.
//!
//! They give the bits of `half`'s conversions, which ask for every element what the CPU has and so
//! never run in vectors.

use half::{bf16, f16};

/// Widens; exact. NaN stays NaN.
#[inline(always)]
pub(crate) fn from_f16(x: f16) -> f32 {
    const EXPONENT: u32 = 0x0f80_0000;
    // What the exponent's bias grows by, from 15 to 127.
    const REBIAS: u32 = 112 << 23;
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    let exponent = magnitude & EXPONENT;
    let normal = f32::from_bits(magnitude + REBIAS);
    let special = f32::from_bits(magnitude + 2 * REBIAS);
    // A subnormal counts steps of 2^-24: it is put behind a leading 1, which then goes again.
    let leading = f32::from_bits(REBIAS + (1 << 23));
    let subnormal = f32::from_bits(magnitude + REBIAS + (1 << 23)) - leading;
    let value = if exponent == 0 { subnormal } else { normal };
    let value = if exponent == EXPONENT { special } else { value };
    f32::from_bits(value.to_bits() | (bits & 0x8000) << 16)
}

/// Rounds to nearest, ties to even.
#[inline(always)]
pub(crate) fn to_f16(x: f32) -> f16 {
    /// The least that overflows whatever its last bits are.
    const TOO_LARGE: u32 = (127 + 16) << 23;
    const SMALLEST_NORMAL: u32 = (127 - 14) << 23;
    let bits = x.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    // The addition rounds where float16's last bit is.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let value = if magnitude < SMALLEST_NORMAL { subnormal } else { normal };
    let value = if magnitude >= TOO_LARGE { 0x7c00 } else { value };
    let nan = 0x7e00 | magnitude >> 13 & 0x3ff;
    let value = if magnitude > f32::INFINITY.to_bits() { nan } else { value };
    f16::from_bits((sign | value) as u16)
}

/// Widens; exact. NaN stays NaN.
#[inline(always)]
pub(crate) fn from_bf16(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// Rounds to nearest, ties to even.
#[inline(always)]
pub(crate) fn to_bf16(x: f32) -> bf16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let nan = bits >> 16 | 0x40;
    let is_nan = bits & 0x7fff_ffff > f32::INFINITY.to_bits();
    bf16::from_bits(if is_nan { nan } else { rounded } as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_widened_as_half_widens_it() {
        for bits in 0..=u16::MAX {
            let (own, half) = (from_f16(f16::from_bits(bits)), f16::from_bits(bits).to_f32());
            assert!(own.to_bits() == half.to_bits() || own.is_nan() && half.is_nan(), "float16 {bits:#x}");
            let (own, half) = (from_bf16(bf16::from_bits(bits)), bf16::from_bits(bits).to_f32());
            assert!(own.to_bits() == half.to_bits() || own.is_nan() && half.is_nan(), "bfloat16 {bits:#x}");
        }
    }

    /// Every value, every tie between neighbours, and what lies right beside either.
    #[test]
    fn ties_and_their_neighbours_are_narrowed_as_half_narrows_them() {
        let check = |x: f32| {
            assert_eq!(to_f16(x).to_bits(), f16::from_f32_const(x).to_bits(), "float16 {x:e}");
            assert_eq!(to_bf16(x).to_bits(), bf16::from_f32(x).to_bits(), "bfloat16 {x:e}");
        };
        for pattern in 0..=u16::MAX {
            let as_bf16 = u32::from(pattern) << 16;
            let as_f16 = from_f16(f16::from_bits(pattern)).to_bits();
            // Half a step of a normal float16, and of the subnormal ones.
            for start in [as_bf16, as_bf16 | 0x8000, as_f16, as_f16 | 0x1000] {
                for near in [start.wrapping_sub(1), start, start.wrapping_add(1)] {
                    check(f32::from_bits(near));
                }
            }
            let between = f32::from(pattern & 0x3ff) * 2f32.powi(-24) + 2f32.powi(-25);
            for near in [between.next_down(), between, between.next_up()] {
                check(near);
                check(-near);
            }
        }
    }
}
