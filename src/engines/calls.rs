//! Calls of PyTorch's functions in the words of an engine, for `compare explain`: templates whose
//! `{name}` is the argument of that name.

use super::snippet;
use crate::ops::{Call, Value};
use crate::tensor::{DType, Scalar, Tensor};

/// How an engine writes a function: PyTorch's name, the call without a `dim`, the call with one.
/// An empty template is a form that the engine has not.
pub(super) type Form = (&'static str, &'static str, &'static str);

/// The call in the engine's words; none for a function that has no form, or an argument that has
/// no place in it.
pub(super) fn written(forms: &[Form], call: &Call) -> Option<String> {
    let (_, plain, along) = forms.iter().find(|(name, ..)| *name == call.op)?;
    let template = if call.get("dim").is_some() { along } else { plain };
    let mut text = template.to_string();
    for (name, value) in &call.args {
        let place = format!("{{{name}}}");
        // A reference is to a tensor.
        if text.contains(&format!("&{place}")) && !matches!(value, Value::Tensor(_)) {
            return None;
        }
        if text.contains(&place) {
            text = text.replace(&place, &argument(call, name, value)?);
        } else if !matches!(value, Value::Tensor(_) | Value::None) {
            return None;
        }
    }
    (!text.is_empty() && !text.contains('{')).then_some(text)
}

/// The tensors of a call, each as a line of the engine's.
pub(super) fn tensors(call: &Call, line: impl Fn(&str, &Tensor) -> String) -> String {
    let tensors = call.args.iter().filter_map(|(name, value)| match value {
        Value::Tensor(tensor) => Some(line(name, tensor)),
        _ => None,
    });
    tensors.collect()
}

fn argument(call: &Call, name: &str, value: &Value) -> Option<String> {
    let rank = call.tensor("input").map_or(0, |input| input.dim() as i64);
    let number = |scalar: &Scalar| match scalar {
        Scalar::Int(dim) if name.starts_with("dim") && *dim < 0 => (dim + rank).to_string(),
        Scalar::Int(int) => int.to_string(),
        Scalar::Bool(flag) => flag.to_string(),
        Scalar::Float(_) => snippet::literal(*scalar, DType::Float64),
    };
    match value {
        Value::Tensor(_) => Some(name.to_string()),
        Value::Scalar(scalar) => Some(number(scalar)),
        Value::List(items) => {
            let items = items.iter().map(|item| match item {
                Value::Scalar(scalar) => Some(number(scalar)),
                _ => None,
            });
            Some(format!("[{}]", items.collect::<Option<Vec<_>>>()?.join(", ")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: &[Form] = &[("sum", "input.sum_all()?", "input.sum({dim})?"), ("exp", "input.exp()?", "")];

    fn call(op: &str, args: &[(&str, Value)]) -> Call {
        let input = Value::Tensor(Tensor::full(&[2, 3], Scalar::Int(1), DType::Float32));
        let args = args.iter().cloned().chain([("input", input)]);
        Call { op: op.into(), args: args.map(|(name, value)| (name.to_string(), value)).collect() }
    }

    #[test]
    fn arguments_stand_in_their_places() {
        let dim = |dim: i64| ("dim", Value::Scalar(Scalar::Int(dim)));
        let written = |op: &str, args: &[(&str, Value)]| written(FORMS, &call(op, args));
        assert_eq!(written("sum", &[]).as_deref(), Some("input.sum_all()?"));
        assert_eq!(written("sum", &[dim(-1)]).as_deref(), Some("input.sum(1)?"));
        // What has no place in the form is not left out in silence.
        assert_eq!(written("sum", &[("dtype", Value::Str("float64".into()))]), None);
        assert_eq!(written("exp", &[dim(0)]), None);
        assert_eq!(written("cosh", &[]), None);
    }
}
