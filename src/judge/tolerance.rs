//! `golden/tolerances.json`: how far an engine may be from PyTorch, and why.

use std::fmt;
use std::path::Path;

use crate::corpus::Problem;
use crate::engines::Profile;
use crate::tensor::DType;

/// What a value may be, given PyTorch's.
///
/// Integers and bools are held to `Exact` whatever the rule: nothing rounds them.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "RawRule", into = "RawRule")]
pub enum Rule {
    /// The same bits; any NaN equals any NaN.
    Exact,
    /// At most so many representable values away; -0 and +0 are neighbours.
    Ulp(u64),
    /// `|a - b| <= atol + rtol * |b|` with `b` PyTorch's value.
    Near {
        /// The absolute part.
        atol: f64,
        /// The part relative to PyTorch's value.
        rtol: f64,
    },
    /// `|a - b| <= factor * eps(dtype) * sum|x|` over what the output element reduces.
    SumScaled(f64),
}

/// A rule as it stands in the file: an object whose keys say which rule it is.
#[derive(Clone, Copy, Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ulp: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    atol: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rtol: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_scaled: Option<f64>,
}

impl Rule {
    /// The number that says how much is allowed: ULPs, the factor of a scaled sum, the absolute
    /// part, or the relative one where that is all.
    pub fn figure(self) -> f64 {
        match self {
            Rule::Exact => 0.0,
            Rule::Ulp(n) => n as f64,
            Rule::Near { atol: 0.0, rtol } => rtol,
            Rule::Near { atol, .. } => atol,
            Rule::SumScaled(k) => k,
        }
    }

    /// The figure with which a rule of this kind would just admit a difference; never NaN.
    pub(crate) fn needed(self, dtype: DType, ulp: u64, abs: f64, wanted: f64, scale: Option<f64>) -> f64 {
        let needed = match self {
            Rule::Exact | Rule::Ulp(_) => ulp as f64,
            _ if abs == 0.0 => 0.0,
            Rule::Near { atol: 0.0, rtol: 0.0 } => abs,
            Rule::Near { atol: 0.0, .. } => abs / wanted.abs(),
            Rule::Near { atol, rtol } => abs / (1.0 + rtol / atol * wanted.abs()),
            Rule::SumScaled(_) => scale.map_or(f64::INFINITY, |scale| abs / (dtype.epsilon() * scale)),
        };
        if needed.is_nan() { f64::INFINITY } else { needed }
    }
}

impl TryFrom<RawRule> for Rule {
    type Error = String;

    fn try_from(raw: RawRule) -> Result<Rule, String> {
        let sound = |number: f64| number.is_finite() && number >= 0.0;
        match raw {
            RawRule { exact: Some(true), ulp: None, atol: None, rtol: None, sum_scaled: None } => {
                Ok(Rule::Exact)
            }
            RawRule { exact: None, ulp: Some(n), atol: None, rtol: None, sum_scaled: None } => {
                Ok(Rule::Ulp(n))
            }
            RawRule { exact: None, ulp: None, atol: Some(atol), rtol: Some(rtol), sum_scaled: None }
                if sound(atol) && sound(rtol) =>
            {
                Ok(Rule::Near { atol, rtol })
            }
            RawRule { exact: None, ulp: None, atol: None, rtol: None, sum_scaled: Some(k) } if sound(k) => {
                Ok(Rule::SumScaled(k))
            }
            _ => Err("a rule is one of {\"exact\": true}, {\"ulp\": N}, {\"atol\": A, \"rtol\": R}, \
                      {\"sum_scaled\": K} with finite numbers that are not negative"
                .into()),
        }
    }
}

impl From<Rule> for RawRule {
    fn from(rule: Rule) -> RawRule {
        let none = RawRule::default();
        match rule {
            Rule::Exact => RawRule { exact: Some(true), ..none },
            Rule::Ulp(n) => RawRule { ulp: Some(n), ..none },
            Rule::Near { atol, rtol } => RawRule { atol: Some(atol), rtol: Some(rtol), ..none },
            Rule::SumScaled(k) => RawRule { sum_scaled: Some(k), ..none },
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Exact => f.write_str("exact"),
            Rule::Ulp(n) => write!(f, "ulp {n}"),
            Rule::Near { atol, rtol: 0.0 } => write!(f, "atol {atol:e}"),
            Rule::Near { atol: 0.0, rtol } => write!(f, "rtol {rtol:e}"),
            Rule::Near { atol, rtol } => write!(f, "atol {atol:e} rtol {rtol:e}"),
            Rule::SumScaled(1.0) => f.write_str("eps·Σ|x|"),
            Rule::SumScaled(k) => write!(f, "{k}·eps·Σ|x|"),
        }
    }
}

/// What part of an outcome a rule is about.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Deserialize,
    serde::Serialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// What the call returns.
    Outputs,
    /// What its backward pass gives.
    Gradients,
}

impl Part {
    /// The word as it stands in files.
    pub fn name(self) -> &'static str {
        match self {
            Part::Outputs => "outputs",
            Part::Gradients => "gradients",
        }
    }
}

/// What a rule is looked up for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The tolerances that the engine is held to.
    pub profile: Profile,
    /// The engine's name.
    pub engine: &'a str,
    /// The op's name.
    pub op: &'a str,
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The profile that it belongs to.
    pub profile: Profile,
    /// The one engine that it is for; every engine of the profile if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What it is about: outputs, gradients, or both if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Op names separated by `|`, or `*`.
    pub op: String,
    /// Dtypes of the output separated by `|`, or `*`.
    pub dtype: String,
    /// What is allowed.
    pub rule: Rule,
    /// Whether its engine follows the order of operations that the golden values are pinned to: how
    /// far PyTorch is from itself elsewhere is nothing to it then. Any other rule admits that much.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Whether the figure is promised rather than measured: it may be wider than what is seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contract: bool,
    /// The largest error that was measured beyond the corpus, as a figure of the rule's kind; the
    /// reason says over what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// Where the number comes from.
    pub why: String,
}

impl Tolerance {
    fn applies(&self, subject: Subject, part: Part, dtype: DType) -> bool {
        let lists = |list: &str, name: &str| list == "*" || list.split('|').any(|item| item == name);
        self.profile == subject.profile
            && self.engine.as_deref().is_none_or(|own| own == subject.engine)
            && self.part.is_none_or(|own| own == part)
            && lists(&self.op, subject.op)
            && lists(&self.dtype, dtype.name())
    }
}

/// The rules, in order; the first that applies decides, and where none does, `Exact`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerances {
    rules: Vec<Tolerance>,
}

impl Tolerances {
    /// No rules: everything exact. This is `--strict`.
    pub fn strict() -> Tolerances {
        Tolerances::default()
    }

    /// Reads the file.
    pub fn load(path: &Path) -> Result<Tolerances, Problem> {
        Tolerances::parse(path, &crate::corpus::read(path)?)
    }

    /// Reads the text of the file; `path` is what a problem names.
    pub fn parse(path: &Path, text: &str) -> Result<Tolerances, Problem> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(rename = "schema")]
            _schema: u64,
            rules: Vec<Tolerance>,
        }
        let file: File = crate::corpus::parse_record(path, text)?;
        for (i, rule) in file.rules.iter().enumerate() {
            let at = |field: &str, what: String| Problem::field(path, format!("rules[{i}].{field}"), what);
            if rule.why.trim().is_empty() {
                return Err(at("why", "a tolerance needs its reason".into()));
            }
            if rule.measured.is_some_and(|measured| measured < 0.0) {
                return Err(at("measured", "is negative".into()));
            }
            let listed =
                |list: &str| list.split('|').filter(|&name| name != "*").map(str::to_string).collect();
            let (ops, dtypes): (Vec<String>, Vec<String>) = (listed(&rule.op), listed(&rule.dtype));
            if let Some(op) = ops.iter().find(|op| !crate::corpus::is_function(op)) {
                return Err(at("op", format!("PyTorch has no function '{op}'")));
            }
            if let Some(dtype) = dtypes.iter().find(|name| DType::from_name(name).is_none()) {
                return Err(at("dtype", format!("unknown dtype '{dtype}'")));
            }
        }
        Ok(Tolerances { rules: file.rules })
    }

    /// The rules in their order.
    pub fn rules(&self) -> &[Tolerance] {
        &self.rules
    }

    /// The first rule that applies to a tensor of a dtype.
    pub fn rule(&self, subject: Subject, part: Part, dtype: DType) -> Option<&Tolerance> {
        self.rules.get(self.position(subject, part, dtype)?)
    }

    /// The position of that rule.
    pub(crate) fn position(&self, subject: Subject, part: Part, dtype: DType) -> Option<usize> {
        self.rules.iter().position(|rule| rule.applies(subject, part, dtype))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_needed_is_the_one_that_just_admits() {
        let needed = |rule: Rule| rule.needed(DType::Float32, 3, 0.5, -3.0, Some(4.0));
        assert_eq!(needed(Rule::Ulp(7)), 3.0);
        assert_eq!(needed(Rule::Exact), 3.0);
        assert_eq!(needed(Rule::Near { atol: 1.0, rtol: 0.0 }), 0.5);
        assert_eq!(needed(Rule::Near { atol: 1.0, rtol: 3.0 }), 0.05);
        assert_eq!(needed(Rule::Near { atol: 0.0, rtol: 9.0 }), 0.5 / 3.0);
        assert_eq!(needed(Rule::Near { atol: 0.0, rtol: 0.0 }), 0.5);
        assert_eq!(needed(Rule::SumScaled(1.0)), 0.125 / f64::from(f32::EPSILON));
        assert_eq!(Rule::SumScaled(1.0).needed(DType::Float32, 3, 0.5, 1.0, None), f64::INFINITY);
        let nan = Rule::SumScaled(1.0).needed(DType::Float32, 3, f64::INFINITY, 1.0, Some(f64::INFINITY));
        assert_eq!(nan, f64::INFINITY, "a NaN would be lost among the others");
        let zeros = Rule::Near { atol: 0.0, rtol: 1.0 }.needed(DType::Float32, 1, 0.0, 0.0, None);
        assert_eq!(zeros, 0.0, "-0 and +0");
    }

    #[test]
    fn rules_are_told_apart_by_their_keys() {
        let read = |json: &str| serde_json::from_str::<Rule>(json).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"exact": true}"#), Ok(Rule::Exact));
        assert_eq!(read(r#"{"atol": 1e-5, "rtol": 0}"#), Ok(Rule::Near { atol: 1e-5, rtol: 0.0 }));
        for bad in [r#"{"exact": false}"#, r#"{"ulp": 1, "atol": 1, "rtol": 1}"#, r#"{"atol": 1}"#, "{}"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read(r#"{"sum_scaled": -1}"#).is_err());
    }
}
