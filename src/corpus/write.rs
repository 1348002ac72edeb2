//! Cases and answers as JSON, a line each: what goes to an external engine, and what it answers.
//!
//! Written is what the readers take, to the last bit: shortest float64 decimals, words for what
//! JSON lacks, base64 for long tensors, the layout of what is not row-major.

use std::collections::BTreeMap;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::encoding::{Json, word};
use super::{Backpropagated, Backward, Case, Outcome};
use crate::ops::{Gradients, Value};
use crate::tensor::Tensor;

/// A case as one line of JSON, without the line's end. A case that needs a dtype which the format
/// has not cannot be written.
pub fn case_to_json(case: &Case) -> serde_json::Result<String> {
    serde_json::to_string(case)
}

/// What came of a case, as an engine answers it: one line of JSON, without the line's end.
pub fn answer_to_json(case: &Case, outcome: &Outcome) -> serde_json::Result<String> {
    serde_json::to_string(&Answer { case, outcome })
}

impl Serialize for Case {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(dtype) = &self.foreign {
            return Err(S::Error::custom(format!("{}: the format has no such dtype: {dtype}", self.id)));
        }
        let written = self.call.args.iter().map(|(name, value)| (name.as_str(), Written(value)));
        let (inputs, attrs): (BTreeMap<_, _>, BTreeMap<_, _>) =
            written.partition(|(_, Written(value))| matches!(value, Value::Tensor(_) | Value::Tensors(_)));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("op", &self.call.op)?;
        map.serialize_entry("inputs", &inputs)?;
        map.serialize_entry("attrs", &attrs)?;
        if let Some(backward) = &self.backward {
            map.serialize_entry("backward", backward)?;
        }
        if !self.tags.is_empty() {
            map.serialize_entry("tags", &self.tags)?;
        }
        if let Some(note) = &self.note {
            map.serialize_entry("note", note)?;
        }
        map.end()
    }
}

impl Serialize for Backward {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("wrt", &self.wrt)?;
        map.serialize_entry("grad_outputs", &self.grad_outputs)?;
        map.end()
    }
}

/// An argument as it stands under `inputs` or `attrs`.
struct Written<'a>(&'a Value);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::None => serializer.serialize_unit(),
            Value::Scalar(scalar) => Json(*scalar).serialize(serializer),
            Value::Str(text) if word(text).is_some() => {
                Err(S::Error::custom(format!("the text '{text}' stands for a number")))
            }
            Value::Str(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items.iter().map(Written)),
            Value::Slice(bounds) => serializer.collect_map([("slice", bounds)]),
            Value::Input(name) => serializer.collect_map([("tensor", name)]),
            Value::Step(step, output) => serializer.collect_map([("step", [step, output])]),
            Value::Tensor(tensor) => tensor.serialize(serializer),
            Value::Tensors(tensors) => tensors.serialize(serializer),
        }
    }
}

struct Answer<'a> {
    case: &'a Case,
    outcome: &'a Outcome,
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.case.id)?;
        match self.outcome {
            Outcome::Returned { outputs, warnings, backward } => {
                map.serialize_entry("outputs", outputs)?;
                if !warnings.is_empty() {
                    map.serialize_entry("warnings", warnings)?;
                }
                match backward {
                    None => {}
                    Some(Backpropagated::Gave(gradients)) => {
                        map.serialize_entry("grads", &shaped(self.case, gradients))?;
                    }
                    Some(Backpropagated::Raised { kind, message }) => {
                        map.serialize_entry("backward_error", &Raised { kind, message })?;
                    }
                }
            }
            Outcome::Raised { kind, message } => map.serialize_entry("error", &Raised { kind, message })?,
            Outcome::Unsupported(what) => map.serialize_entry("unsupported", what)?,
            Outcome::Panicked(message) => map.serialize_entry("panic", message)?,
            Outcome::TimedOut(limit) => {
                map.serialize_entry("panic", &format!("no answer within {} s", limit.as_secs_f64()))?;
            }
        }
        map.end()
    }
}

/// An exception.
#[derive(serde::Serialize)]
struct Raised<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    message: &'a str,
}

/// The gradients of one argument: of a tensor one or null, of a list of tensors a list.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Gradient<'a> {
    One(&'a Option<Tensor>),
    Many(&'a [Option<Tensor>]),
}

fn shaped<'a>(case: &Case, gradients: &'a Gradients) -> BTreeMap<&'a str, Gradient<'a>> {
    let of_argument = |(name, tensors): (&'a String, &'a Vec<Option<Tensor>>)| {
        let gradient = match (case.call.args.get(name), tensors.as_slice()) {
            (Some(Value::Tensor(_)), [one]) => Gradient::One(one),
            (_, many) => Gradient::Many(many),
        };
        (name.as_str(), gradient)
    };
    gradients.iter().map(of_argument).collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::super::encoding::Packed;
    use super::super::{LIST_LIMIT, MAX_ELEMENTS, answer_from_json, case_from_json, tensor_from_json};
    use super::*;
    use crate::ops::Call;
    use crate::tensor::{DType, Scalar, Storage, layout};
    use crate::with_type;

    /// Patterns of which any dtype takes its low bytes: often zeros of both signs, ones, the
    /// smallest and the largest.
    fn bits() -> impl Strategy<Value = u64> {
        let special = [0, 1, 1 << 63, 1 << 31, 1 << 15, u64::MAX, 0x7ff0 << 48, 0x7f80_0000, 0x7c00];
        prop_oneof![any::<u64>(), proptest::sample::select(special.to_vec())]
    }

    fn storage(dtype: DType, bits: &[u64]) -> Storage {
        fn all<T: Packed>(bits: &[u64]) -> Storage {
            let size = T::DTYPE.size();
            let mask = if T::DTYPE == DType::Bool { 1 } else { u64::MAX };
            T::store(bits.iter().filter_map(|bits| T::unpack(&(bits & mask).to_le_bytes()[..size])).collect())
        }
        with_type!(dtype, T => all::<T>(bits))
    }

    fn dtype() -> impl Strategy<Value = DType> {
        proptest::sample::select(DType::all().collect::<Vec<_>>())
    }

    /// Views with gaps, with repeats and with an offset.
    fn view() -> impl Strategy<Value = Tensor> {
        (dtype(), vec((1..4usize, 0..5usize), 1..4), 0..3usize, 0..3usize).prop_flat_map(
            |(dtype, dims, offset, beyond)| {
                let (shape, strides): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
                let last: usize = shape.iter().zip(&strides).map(|(size, stride)| (size - 1) * stride).sum();
                vec(bits(), offset + last + 1 + beyond).prop_map(move |bits| {
                    Tensor::strided(&shape, &strides, offset, storage(dtype, &bits)).unwrap()
                })
            },
        )
    }

    /// What is row-major travels without the rest of its storage.
    fn compact(tensor: Tensor) -> Tensor {
        if tensor.is_contiguous() {
            with_type!(tensor.dtype(), T => Tensor::new(tensor.shape(), tensor.values::<T>().to_vec()).unwrap())
        } else {
            tensor
        }
    }

    /// Row-major tensors, short and long, and views.
    fn tensor() -> BoxedStrategy<Tensor> {
        let row_major = (dtype(), vec(0..4usize, 0..4)).prop_flat_map(|(dtype, shape)| {
            let count = layout::numel(&shape).unwrap();
            vec(bits(), count)
                .prop_map(move |bits| Tensor::from_storage(&shape, storage(dtype, &bits)).unwrap())
        });
        let long = (dtype(), vec(bits(), LIST_LIMIT - 1..LIST_LIMIT + 3))
            .prop_map(|(dtype, bits)| Tensor::from_storage(&[bits.len()], storage(dtype, &bits)).unwrap());
        prop_oneof![4 => row_major, 1 => long, 4 => view().prop_map(compact)].boxed()
    }

    fn text() -> impl Strategy<Value = String> {
        any::<String>().prop_filter("stands for a number", |text| word(text).is_none())
    }

    fn scalar() -> impl Strategy<Value = Scalar> {
        prop_oneof![
            any::<bool>().prop_map(Scalar::Bool),
            any::<i64>().prop_map(Scalar::Int),
            (-3..4i64).prop_map(Scalar::Int),
            (-3..4i64).prop_map(|whole| Scalar::Float(whole as f64)),
            bits().prop_map(|bits| Scalar::Float(f64::from_bits(bits))),
        ]
    }

    /// What may stand under `attrs`.
    fn attribute() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::None),
            scalar().prop_map(Value::Scalar),
            text().prop_map(Value::Str),
            any::<[Option<i64>; 3]>().prop_map(Value::Slice),
            any::<(u16, u16)>().prop_map(|(step, output)| Value::Step(step.into(), output.into())),
            Just(Value::Input("index0".into())),
        ];
        leaf.prop_recursive(3, 16, 4, |item| vec(item, 0..4).prop_map(Value::List))
    }

    /// Cases of an op that takes a tensor and a list of tensors, by names that need not fit it.
    fn case() -> impl Strategy<Value = Case> {
        let backward = (Just(vec!["input".into(), "tensors".into()]), vec(option::of(tensor()), 0..3))
            .prop_map(|(wrt, grad_outputs)| Backward { wrt, grad_outputs });
        let args = (tensor(), vec(option::of(tensor()), 0..3), attribute());
        (args, option::of(backward), vec(any::<String>(), 0..3), option::of(any::<String>())).prop_map(
            |((input, tensors, index), backward, tags, note)| {
                let args = [
                    ("input", Value::Tensor(input)),
                    ("tensors", Value::Tensors(tensors)),
                    ("index0", Value::Tensor(Tensor::scalar(1i64))),
                    // Each tensor is a parameter's or named in the index.
                    (
                        "index",
                        Value::List(vec![
                            Value::Input("index0".into()),
                            Value::Input("tensors".into()),
                            index,
                        ]),
                    ),
                ];
                let args = args.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
                let call = Call { op: "getitem".into(), args };
                Case { id: "s/getitem/x".into(), call, backward, tags, note, foreign: None }
            },
        )
    }

    fn outcome() -> impl Strategy<Value = Outcome> {
        let raised = || (any::<String>(), any::<String>());
        let gradients =
            (tensor(), vec(option::of(tensor()), 0..3), any::<bool>()).prop_map(|(input, tensors, flows)| {
                [("input".into(), vec![flows.then_some(input)]), ("tensors".into(), tensors)].into()
            });
        let backward = prop_oneof![
            gradients.prop_map(Backpropagated::Gave),
            raised().prop_map(|(kind, message)| Backpropagated::Raised { kind, message }),
        ];
        let returned = (vec(tensor(), 0..3), vec(any::<String>(), 0..3), option::of(backward));
        prop_oneof![
            4 => returned.prop_map(|(outputs, warnings, backward)| {
                Outcome::Returned { outputs, warnings, backward }
            }),
            1 => raised().prop_map(|(kind, message)| Outcome::Raised { kind, message }),
            1 => any::<String>().prop_map(Outcome::Unsupported),
            1 => any::<String>().prop_map(Outcome::Panicked),
        ]
    }

    /// Everything to the bit, where NaN is NaN: what is printed of two floats tells them apart.
    fn printed(value: &impl std::fmt::Debug) -> String {
        format!("{value:?}")
    }

    proptest! {
        #[test]
        fn a_case_reads_back(case in case()) {
            let line = case_to_json(&case).unwrap();
            prop_assert!(!line.contains('\n'));
            let back = case_from_json(&line, MAX_ELEMENTS).map_err(|fault| fault.to_string());
            prop_assert_eq!(printed(&back), printed(&Ok::<_, String>(case)));
        }

        #[test]
        fn an_answer_reads_back(case in case(), outcome in outcome()) {
            let line = answer_to_json(&case, &outcome).unwrap();
            prop_assert!(!line.contains('\n'));
            let back = answer_from_json(&line, MAX_ELEMENTS).map_err(|fault| fault.to_string());
            prop_assert_eq!(printed(&back), printed(&Ok::<_, String>((case.id, outcome))));
        }

        #[test]
        fn a_view_keeps_its_elements(tensor in view()) {
            let back = tensor_from_json(&serde_json::to_string(&tensor).unwrap()).unwrap();
            let elements = |tensor: &Tensor| printed(&tensor.scalars().collect::<Vec<_>>());
            prop_assert_eq!(elements(&back), elements(&tensor));
            prop_assert_eq!((back.dtype(), back.shape()), (tensor.dtype(), tensor.shape()));
        }
    }

    fn with_index(index: Value) -> Case {
        let input = Value::Tensor(Tensor::scalar(1.0f32));
        let args = [("input".into(), input), ("index".into(), index)].into_iter().collect();
        let call = Call { op: "getitem".into(), args };
        Case { id: "s/getitem/x".into(), call, backward: None, tags: Vec::new(), note: None, foreign: None }
    }

    #[test]
    fn lines_are_as_the_format_has_them() {
        let index = [Value::Slice([None, Some(-1), Some(2)]), Value::Scalar(Scalar::Float(f64::NAN))];
        let case = with_index(Value::List(index.into()));
        let raised = Outcome::Raised { kind: "IndexError".into(), message: "too many".into() };
        let unsupported = Outcome::Unsupported("op getitem".into());
        let returned = Outcome::Returned {
            outputs: vec![Tensor::scalar(-0.0f32)],
            warnings: vec!["slow".into()],
            backward: Some(Backpropagated::Gave([("input".into(), vec![None])].into())),
        };
        let lines = [
            case_to_json(&case),
            answer_to_json(&case, &returned),
            answer_to_json(&case, &raised),
            answer_to_json(&case, &unsupported),
        ];
        insta::assert_snapshot!(lines.map(Result::unwrap).join("\n"), @r#"
        {"id":"s/getitem/x","op":"getitem","inputs":{"input":{"dtype":"float32","shape":[],"data":[1.0]}},"attrs":{"index":[{"slice":[null,-1,2]},"NaN"]}}
        {"id":"s/getitem/x","outputs":[{"dtype":"float32","shape":[],"data":[-0.0]}],"warnings":["slow"],"grads":{"input":null}}
        {"id":"s/getitem/x","error":{"type":"IndexError","message":"too many"}}
        {"id":"s/getitem/x","unsupported":"op getitem"}
        "#);
    }

    #[test]
    fn what_the_format_has_no_place_for_is_refused() {
        let word = with_index(Value::Str("NaN".into()));
        let foreign = Case { foreign: Some("unknown dtype 'complex64'".into()), ..with_index(Value::None) };
        let refused = [word, foreign].map(|case| case_to_json(&case).unwrap_err().to_string());
        insta::assert_snapshot!(refused.join("\n"), @"
        the text 'NaN' stands for a number
        s/getitem/x: the format has no such dtype: unknown dtype 'complex64'
        ");
    }

    #[test]
    fn an_answer_is_one_thing() {
        let lines = [
            r#"{"id":"x"}"#,
            r#"{"id":"x","outputs":[],"error":{"type":"E","message":"m"}}"#,
            r#"{"id":"x","outputs":[],"unsupported":"why"}"#,
            r#"{"id":"x","unsupported":"why","panic":"how"}"#,
            r#"{"id":"x","outputs":[],"grads":{},"backward_error":{"type":"E","message":"m"}}"#,
            r#"{"id":"x","outputs":[],"grad":{}}"#,
            r#"{"id":"x","outputs":[{"dtype":"float32","shape":[1],"data":[0.1]}]}"#,
            r#"{"outputs":[]}"#,
        ];
        let refused = lines.map(|line| answer_from_json(line, MAX_ELEMENTS).unwrap_err().to_string());
        insta::assert_snapshot!(refused.join("\n"), @"
        outputs: neither outputs nor an error
        error: stands beside outputs
        more than one of outputs, error, unsupported and panic
        more than one of outputs, error, unsupported and panic
        backward_error: stands beside grads
        grad: unknown field `grad`, expected one of `id`, `outputs`, `warnings`, `grads`, `backward_error`, `error`, `unsupported`, `panic`
        outputs[0].data[0]: 0.1 is no value of float32
        missing field `id`
        ");
    }
}
