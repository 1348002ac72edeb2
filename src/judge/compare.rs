//! Two tensors of one dtype and shape, element by element.

use std::fmt;

use super::tolerance::{Part, Rule};
use super::ulp::{Ordered, distance};
use crate::corpus::Spread;
use crate::tensor::{DType, Scalar, Tensor};
use crate::with_type;

/// Which tensor of an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The output of that number.
    Output(usize),
    /// The gradient of the input of that name; the number tells the tensors of a list apart.
    Gradient(String, usize),
}

impl Place {
    /// The part of the outcome that it belongs to.
    pub fn part(&self) -> Part {
        match self {
            Place::Output(_) => Part::Outputs,
            Place::Gradient(..) => Part::Gradients,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Output(number) => write!(f, "output {number}"),
            Place::Gradient(name, 0) => write!(f, "the gradient of {name}"),
            Place::Gradient(name, number) => write!(f, "the gradient of {name}[{number}]"),
        }
    }
}

/// The first element that a rule does not admit.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Which tensor.
    pub place: Place,
    /// Its position in the tensor, one number per dimension.
    pub index: Vec<usize>,
    /// PyTorch's value.
    pub expected: Scalar,
    /// The engine's value.
    pub got: Scalar,
    /// Whether exactly one of the two is NaN.
    pub nan: bool,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// How many elements were compared.
    pub elements: usize,
    /// How many of them the rule does not admit.
    pub refused: usize,
    /// How many of them are not identical.
    pub differing: usize,
    /// Largest |a - b|; infinite where one is NaN, or infinite, and the other is not.
    pub max_abs: f64,
    /// Largest distance in representable values; for integers the difference.
    pub max_ulp: u64,
    /// The figure of a rule of the same kind that would just admit what the rule itself admits.
    pub needed: f64,
    /// How many elements are admitted only because PyTorch's own answers are as far apart.
    pub by_spread: usize,
    /// The first that the rule does not admit; apart, since nearly all comparisons have none.
    pub first: Option<Box<Difference>>,
}

impl Measured {
    /// Both findings as one.
    pub(crate) fn merge(self, other: Measured) -> Measured {
        Measured {
            elements: self.elements + other.elements,
            refused: self.refused + other.refused,
            differing: self.differing + other.differing,
            max_abs: self.max_abs.max(other.max_abs),
            max_ulp: self.max_ulp.max(other.max_ulp),
            needed: self.needed.max(other.needed),
            by_spread: self.by_spread + other.by_spread,
            first: self.first.or(other.first),
        }
    }
}

/// An engine's output beside PyTorch's, and how they are to be compared. Dtypes and shapes are
/// equal.
pub(crate) struct Pair<'a> {
    pub(crate) expected: &'a Tensor,
    pub(crate) got: &'a Tensor,
    pub(crate) rule: Rule,
    /// The sum of |x| behind each element, which `Rule::SumScaled` needs; without it that rule
    /// admits nothing but the same bits.
    pub(crate) scale: Option<&'a Tensor>,
    /// How far PyTorch's own answers are apart, where the rule has to admit as much.
    pub(crate) spread: Option<Spread>,
    /// Which tensor this is.
    pub(crate) place: Place,
}

impl Pair<'_> {
    /// Compares all elements.
    pub(crate) fn measure(&self) -> Measured {
        with_type!(self.expected.dtype(), T => self.measure_as::<T>())
    }

    fn measure_as<T: Ordered>(&self) -> Measured {
        let (a, b) = (self.got.values::<T>(), self.expected.values::<T>());
        let scale = self.scale.filter(|scale| scale.shape() == self.expected.shape());
        let scale = scale.map(|scale| scale.values::<f64>());
        let mut measured = Measured { elements: b.len(), ..Measured::default() };
        for (i, (&got, &wanted)) in a.iter().zip(b.iter()).enumerate() {
            let scale = scale.as_ref().and_then(|scale| scale.get(i)).copied();
            let Some(Gap { ulp, abs, admitted }) = gap(self.rule, got, wanted, scale) else { continue };
            let spread = self.spread.filter(|_| T::DTYPE.is_floating() && abs.is_finite());
            measured.differing += 1;
            measured.max_ulp = measured.max_ulp.max(ulp);
            measured.max_abs = measured.max_abs.max(abs);
            if admitted {
                let wanted = wanted.to_scalar().to_f64();
                measured.needed = measured.needed.max(self.rule.needed(T::DTYPE, ulp, abs, wanted, scale));
            } else if spread.is_some_and(|spread| spread.covers(ulp, abs)) {
                measured.by_spread += 1;
            } else {
                measured.refused += 1;
                if measured.first.is_none() {
                    measured.first = Some(Box::new(Difference {
                        place: self.place.clone(),
                        index: unravel(i, self.expected.shape()),
                        expected: wanted.to_scalar(),
                        got: got.to_scalar(),
                        nan: got.is_nan() != wanted.is_nan(),
                    }));
                }
            }
        }
        measured
    }
}

/// What lies between two values that are not identical.
pub(super) struct Gap {
    /// Distance in representable values.
    pub(super) ulp: u64,
    /// |a - b|.
    pub(super) abs: f64,
    /// Whether the rule admits it.
    pub(super) admitted: bool,
}

/// The gap between an engine's value and PyTorch's; none where they are identical.
pub(super) fn gap<T: Ordered>(rule: Rule, got: T, wanted: T, scale: Option<f64>) -> Option<Gap> {
    if got.identical(wanted) {
        return None;
    }
    let ulp = distance(got, wanted);
    let abs = absolute(got.to_scalar(), wanted.to_scalar());
    let admitted = admits(rule, T::DTYPE, ulp, abs, wanted.to_scalar().to_f64(), scale);
    Some(Gap { ulp, abs, admitted })
}

/// |a - b| of two values that are not identical: infinite where that is no finite number.
fn absolute(a: Scalar, b: Scalar) -> f64 {
    let difference = match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.abs_diff(b) as f64,
        (a, b) => (a.to_f64() - b.to_f64()).abs(),
    };
    if difference.is_finite() { difference } else { f64::INFINITY }
}

/// Whether a rule admits a value that is not identical to PyTorch's.
fn admits(rule: Rule, dtype: DType, ulp: u64, abs: f64, wanted: f64, scale: Option<f64>) -> bool {
    // An infinite difference is a NaN or an infinity on one side only: no rule admits those.
    if !dtype.is_floating() || !abs.is_finite() {
        return false;
    }
    match rule {
        Rule::Exact => false,
        Rule::Ulp(n) => ulp <= n,
        Rule::Near { atol, rtol } => abs <= atol + rtol * wanted.abs(),
        Rule::SumScaled(k) => {
            scale.is_some_and(|scale| scale.is_finite() && abs <= k * dtype.epsilon() * scale)
        }
    }
}

/// The index of the element at a row-major position.
fn unravel(mut position: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &size) in index.iter_mut().zip(shape).rev() {
        *i = position % size;
        position /= size;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Element;

    fn admitted(expected: &Tensor, got: &Tensor, rule: Rule, scale: Option<&Tensor>) -> bool {
        Pair { expected, got, rule, scale, spread: None, place: Place::Output(0) }.measure().refused == 0
    }

    fn accepts<T: Element>(expected: T, got: T, rule: Rule) -> bool {
        admitted(&Tensor::scalar(expected), &Tensor::scalar(got), rule, None)
    }

    const LOOSE: [Rule; 3] =
        [Rule::Ulp(u64::MAX), Rule::Near { atol: f64::MAX, rtol: f64::MAX }, Rule::SumScaled(1e300)];

    #[test]
    fn no_rule_admits_a_nan_or_infinity_on_one_side() {
        for rule in LOOSE {
            for (a, b) in [(f32::NAN, 0.0), (f32::INFINITY, f32::MAX), (f32::INFINITY, f32::NEG_INFINITY)] {
                assert!(!accepts(a, b, rule) && !accepts(b, a, rule), "{a} {b} {rule}");
            }
        }
    }

    #[test]
    fn identical_values_pass_every_rule() {
        for rule in LOOSE.into_iter().chain([Rule::Exact, Rule::Ulp(0)]) {
            for x in [f64::NAN, f64::INFINITY, -0.0, 1.0] {
                assert!(accepts(x, x, rule));
            }
        }
        assert!(accepts(f32::NAN, f32::from_bits(0xffc0_1234), Rule::Exact));
    }

    #[test]
    fn zeros_differ_exactly_and_touch_in_ulp() {
        assert!(!accepts(0.0f32, -0.0, Rule::Exact));
        assert!(!accepts(0.0f32, -0.0, Rule::Ulp(0)));
        assert!(accepts(0.0f32, -0.0, Rule::Ulp(1)));
        assert!(accepts(0.0f32, -0.0, Rule::Near { atol: 0.0, rtol: 0.0 }));
    }

    #[test]
    fn integers_are_exact_whatever_the_rule() {
        for rule in LOOSE {
            assert!(!accepts(i64::MAX, i64::MAX - 1, rule));
            assert!(!accepts(true, false, rule));
        }
    }

    #[test]
    fn a_spread_widens_a_rule_and_admits_no_nan_infinity_or_integer() {
        let spread = Some(Spread { ulp: Some(u64::MAX), abs: Some(f64::MAX) });
        let measure = |expected: &Tensor, got: &Tensor| {
            Pair { expected, got, rule: Rule::Ulp(1), scale: None, spread, place: Place::Output(0) }.measure()
        };
        let float = |x: f32| Tensor::scalar(x);
        let wide = measure(&float(1.0), &float(2.0));
        assert_eq!((wide.refused, wide.by_spread, wide.needed), (0, 1, 0.0));
        let narrow = measure(&float(1.0), &float(1.0 + f32::EPSILON));
        assert_eq!((narrow.refused, narrow.by_spread, narrow.needed), (0, 0, 1.0));
        for (a, b) in [(f32::NAN, 0.0), (0.0, f32::NAN), (f32::INFINITY, f32::MAX), (1.0, f32::INFINITY)] {
            assert_eq!(measure(&float(a), &float(b)).refused, 1, "{a} {b}");
        }
        assert_eq!(measure(&Tensor::scalar(1_i64), &Tensor::scalar(2_i64)).refused, 1);
    }

    #[test]
    fn a_missing_scale_admits_nothing() {
        let (x, y) = (Tensor::scalar(1.0f32), Tensor::scalar(1.0 + f32::EPSILON));
        let scale = Tensor::scalar(1.0f64);
        assert!(!admitted(&x, &y, Rule::SumScaled(1.0), None));
        assert!(admitted(&x, &y, Rule::SumScaled(1.0), Some(&scale)));
    }
}
