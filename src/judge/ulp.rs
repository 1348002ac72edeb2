//! Distance between two values of one dtype, counted in representable values.

use crate::tensor::Element;
use half::{bf16, f16};

/// A type whose values can be put in a row.
pub trait Ordered: Element {
    /// Position of the value in the row of all values of its type. -0 stands just before +0;
    /// NaN has no place that means anything.
    fn position(self) -> i128;
}

macro_rules! floats {
    ($($type:ty, $bits:ty;)*) => {$(
        impl Ordered for $type {
            fn position(self) -> i128 {
                let sign: $bits = 1 << (<$bits>::BITS - 1);
                let magnitude = i128::from(self.to_bits() & !sign);
                if self.to_bits() & sign == 0 { magnitude } else { -magnitude - 1 }
            }
        }
    )*};
}

floats! { f64, u64; f32, u32; f16, u16; bf16, u16; }

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Ordered for $type {
            fn position(self) -> i128 {
                i128::from(self)
            }
        }
    )*};
}

integers!(i64, i32, i16, i8, u8, u32, bool);

/// How many steps lie between two values: 0 for the same bits (and for two NaNs), 1 for
/// neighbours and for -0 and +0. A NaN and a number are `u64::MAX` apart.
pub fn distance<T: Ordered>(a: T, b: T) -> u64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => u64::try_from(a.position().abs_diff(b.position())).unwrap_or(u64::MAX),
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_zeros_and_ends() {
        assert_eq!(distance(1.0f32, 1.0 + f32::EPSILON), 1);
        assert_eq!(distance(-0.0f64, 0.0), 1);
        assert_eq!(distance(f16::MAX, f16::INFINITY), 1);
        assert_eq!(distance(f32::NAN, f32::NAN), 0);
        assert_eq!(distance(f32::NAN, 1.0), u64::MAX);
        assert_eq!(distance(i64::MIN, i64::MAX), u64::MAX);
        // One more than between two ordinary ends, since both zeros are counted.
        assert_eq!(distance(-f32::from_bits(1), f32::from_bits(1)), 3);
    }

    proptest::proptest! {
        #[test]
        fn is_symmetric_and_agrees_with_next_up(bits: u64) {
            let x = f64::from_bits(bits);
            if x.is_finite() {
                let expected = if x == 0.0 && x.is_sign_negative() { 2 } else { 1 };
                assert_eq!(distance(x, x.next_up()), expected);
                assert_eq!(distance(x.next_up(), x), expected);
            }
        }
    }
}
