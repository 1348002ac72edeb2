//! The comparer against an independent model, over every pair of 16-bit patterns, and over drawn
//! pairs of the wider types.
//!
//! The model knows nothing of bit tricks: it puts all values of a type in a row by sorting them,
//! counts steps along the row, and subtracts in float64, which is exact for 16-bit floats.

use half::{bf16, f16};
use proptest::prelude::*;
use rayon::prelude::*;

use super::compare::gap;
use super::tolerance::Rule;
use super::ulp::Ordered;

/// Rules with their admission by the model: of two values that are not the same, given how many
/// steps they are apart, |a - b|, and |b|.
type Model = (Rule, fn(u64, f64, f64) -> bool);

const MODELS: [Model; 7] = [
    (Rule::Exact, |_, _, _| false),
    (Rule::Ulp(0), |_, _, _| false),
    (Rule::Ulp(1), |steps, _, _| steps < 2),
    (Rule::Ulp(40_000), |steps, _, _| steps <= 40_000),
    (Rule::Near { atol: 0.0, rtol: 0.0 }, |_, apart, _| apart == 0.0),
    (Rule::Near { atol: 1e-5, rtol: 0.25 }, |_, apart, size| apart <= 1e-5 + 0.25 * size),
    (Rule::SumScaled(2.0), |_, _, _| unreachable!("needs the dtype: see `check`")),
];

/// The place of every bit pattern in the row of all values; NaN has none.
fn row(value: impl Fn(u16) -> f64) -> Vec<Option<u32>> {
    let mut numbers: Vec<u16> = (0..=u16::MAX).filter(|&bits| !value(bits).is_nan()).collect();
    numbers.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let mut places = vec![None; 1 << 16];
    for (place, &bits) in numbers.iter().enumerate() {
        places[usize::from(bits)] = Some(place as u32);
    }
    places
}

fn check<T: Ordered>(of: fn(u16) -> T, value: fn(T) -> f64, epsilon: f64) {
    let places = row(|bits| value(of(bits)));
    (0..=u16::MAX).into_par_iter().for_each(|a| {
        for b in 0..=u16::MAX {
            let (x, y) = (value(of(a)), value(of(b)));
            let same = a == b || (x.is_nan() && y.is_nan());
            let steps = match (places[usize::from(a)], places[usize::from(b)]) {
                (Some(p), Some(q)) => u64::from(p.abs_diff(q)),
                _ => u64::MAX,
            };
            let apart = (x - y).abs();
            // Steps and distance are checked for every pair; of the rules, which see nothing
            // else of it, each pair meets two.
            let turn = usize::from(a ^ b) % MODELS.len();
            for (rule, admits) in [MODELS[turn], MODELS[(turn + 3) % MODELS.len()]] {
                let scale = 1.0 + y.abs().min(4.0);
                let found = gap(rule, of(a), of(b), Some(scale));
                let expected = match rule {
                    _ if same => true,
                    // A NaN or an infinity on one side only.
                    _ if !apart.is_finite() => false,
                    Rule::SumScaled(k) => apart <= k * epsilon * scale,
                    _ => admits(steps, apart, y.abs()),
                };
                let admitted = found.as_ref().is_none_or(|gap| gap.admitted);
                assert_eq!(admitted, expected, "{rule}: {a:#06x} {b:#06x}");
                assert_eq!(found.is_none(), same, "{a:#06x} {b:#06x}");
                if let Some(gap) = found {
                    assert_eq!(gap.ulp, steps, "{a:#06x} {b:#06x}");
                    assert!(gap.abs == apart || (!apart.is_finite() && gap.abs == f64::INFINITY));
                }
            }
        }
    });
}

#[test]
#[ignore = "2^32 pairs: for release mode"]
fn every_pair_of_float16() {
    check(f16::from_bits, f16::to_f64, 2f64.powi(-10));
}

#[test]
#[ignore = "2^32 pairs: for release mode"]
fn every_pair_of_bfloat16() {
    check(bf16::from_bits, bf16::to_f64, 2f64.powi(-7));
}

/// Steps from one float to another by walking, for those that are close.
fn walked(a: f32, b: f32) -> Option<u64> {
    let (mut low, high) = if a.total_cmp(&b).is_le() { (a, b) } else { (b, a) };
    for steps in 0..200 {
        if low.to_bits() == high.to_bits() {
            return Some(steps);
        }
        low = if low.to_bits() == (-0.0f32).to_bits() { 0.0 } else { low.next_up() };
        // `next_up` steps from the smallest negative to -0, which is a step of its own here.
        if low == 0.0 && high.is_sign_negative() && low.to_bits() != high.to_bits() {
            low = -0.0;
        }
    }
    None
}

proptest! {
    #[test]
    fn float32_distance_is_the_number_of_steps(bits in any::<u32>(), steps in 0u32..150) {
        let (a, b) = (f32::from_bits(bits), f32::from_bits(bits.wrapping_add(steps)));
        if !a.is_nan() && !b.is_nan() && a.is_sign_negative() == b.is_sign_negative() {
            prop_assert_eq!(Some(super::distance(a, b)), walked(a, b));
        }
    }

    #[test]
    fn no_rule_lets_a_nan_or_an_infinity_pass(bits in any::<u64>(), n in any::<u64>(), size in 0.0..f64::MAX) {
        let number = f64::from_bits(bits);
        for other in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            if number.to_bits() == other.to_bits() || (number.is_nan() && other.is_nan()) {
                continue;
            }
            for rule in [Rule::Ulp(n), Rule::Near { atol: size, rtol: size }, Rule::SumScaled(size)] {
                for (a, b) in [(number, other), (other, number)] {
                    prop_assert!(gap(rule, a, b, Some(size)).is_some_and(|gap| !gap.admitted));
                }
            }
        }
    }

    #[test]
    fn a_rule_admits_as_much_one_way_as_the_other(a in any::<u64>(), b in any::<u64>(), n in 0u64..1 << 60) {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let admitted = |x, y| gap(Rule::Ulp(n), x, y, None).is_none_or(|gap| gap.admitted);
        prop_assert_eq!(admitted(x, y), admitted(y, x));
    }

    #[test]
    fn integers_are_exact_and_their_distance_is_their_difference(a in any::<i64>(), near in -3i64..=3) {
        let whole = |a: i64, b: i64| i128::from(a).abs_diff(i128::from(b));
        for b in [a.wrapping_add(near), near, a.wrapping_neg()] {
            for rule in [Rule::Exact, Rule::Ulp(u64::MAX), Rule::Near { atol: f64::MAX, rtol: 1.0 }] {
                let found = gap(rule, a, b, Some(1.0));
                prop_assert_eq!(found.is_none(), a == b);
                if let Some(found) = found {
                    prop_assert!(!found.admitted);
                    prop_assert_eq!(u128::from(found.ulp), whole(a, b));
                    prop_assert_eq!(found.abs, whole(a, b) as f64);
                }
                let (a, b) = (a as u8, b as u8);
                let steps = gap(rule, a, b, Some(1.0)).map(|found| (found.ulp, found.admitted));
                prop_assert_eq!(steps, (a != b).then(|| (u64::from(a.abs_diff(b)), false)));
            }
        }
    }
}
