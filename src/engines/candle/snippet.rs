//! Cases as a user of candle would write them.

use std::fmt::Write as _;

use crate::corpus::{Backward, Case};
use crate::engines::calls::{self, Form};
use crate::engines::snippet::vector;

const FORMS: &[Form] = &[
    ("abs", "input.abs()?", ""),
    ("add", "input.broadcast_add(&{other})?", ""),
    ("amax", "input.max_all()?", "input.max({dim})?"),
    ("amin", "input.min_all()?", "input.min({dim})?"),
    ("argmax", "input.flatten_all()?.argmax(0)?", "input.argmax({dim})?"),
    ("argmin", "input.flatten_all()?.argmin(0)?", "input.argmin({dim})?"),
    ("ceil", "input.ceil()?", ""),
    ("clamp", "input.clamp({min}, {max})?", ""),
    ("cos", "input.cos()?", ""),
    ("cumsum", "", "input.cumsum({dim})?"),
    ("div", "input.broadcast_div(&{other})?", ""),
    ("embedding", "weight.embedding(&{input})?", ""),
    ("eq", "input.broadcast_eq(&{other})?", ""),
    ("erf", "input.erf()?", ""),
    ("exp", "input.exp()?", ""),
    ("flatten", "input.flatten_all()?", ""),
    ("floor", "input.floor()?", ""),
    ("gather", "", "input.gather(&{index}, {dim})?"),
    ("ge", "input.broadcast_ge(&{other})?", ""),
    ("gelu", "input.gelu_erf()?", ""),
    ("gt", "input.broadcast_gt(&{other})?", ""),
    ("index_add", "", "input.index_add(&{index}, &{source}, {dim})?"),
    ("index_select", "", "input.index_select(&{index}, {dim})?"),
    ("le", "input.broadcast_le(&{other})?", ""),
    ("log", "input.log()?", ""),
    ("log_softmax", "", "candle_nn::ops::log_softmax(&{input}, {dim})?"),
    ("lt", "input.broadcast_lt(&{other})?", ""),
    ("matmul", "input.broadcast_matmul(&{other})?", ""),
    ("max", "input.max_all()?", "(input.max({dim})?, input.argmax({dim})?)"),
    ("maximum", "input.broadcast_maximum(&{other})?", ""),
    ("mean", "input.mean_all()?", "input.mean({dim})?"),
    ("min", "input.min_all()?", "(input.min({dim})?, input.argmin({dim})?)"),
    ("minimum", "input.broadcast_minimum(&{other})?", ""),
    ("mul", "input.broadcast_mul(&{other})?", ""),
    ("narrow", "", "input.narrow({dim}, {start}, {length})?"),
    ("ne", "input.broadcast_ne(&{other})?", ""),
    ("neg", "input.neg()?", ""),
    ("permute", "input.permute(vec!{dims})?", ""),
    ("reciprocal", "input.recip()?", ""),
    ("relu", "input.relu()?", ""),
    ("reshape", "input.reshape(vec!{shape})?", ""),
    ("round", "input.round()?", ""),
    ("scatter_add", "", "input.scatter_add(&{index}, &{src}, {dim})?"),
    ("sigmoid", "candle_nn::ops::sigmoid(&{input})?", ""),
    ("sign", "input.sign()?", ""),
    ("silu", "input.silu()?", ""),
    ("sin", "input.sin()?", ""),
    ("softmax", "", "candle_nn::ops::softmax(&{input}, {dim})?"),
    ("sqrt", "input.sqrt()?", ""),
    ("square", "input.sqr()?", ""),
    ("squeeze", "", "input.squeeze({dim})?"),
    ("sub", "input.broadcast_sub(&{other})?", ""),
    ("sum", "input.sum_all()?", "input.sum({dim})?"),
    ("t", "input.t()?", ""),
    ("tanh", "input.tanh()?", ""),
    ("transpose", "input.transpose({dim0}, {dim1})?", ""),
    ("unsqueeze", "", "input.unsqueeze({dim})?"),
    ("var", "", "input.var({dim})?"),
    ("where", "condition.where_cond(&{input}, &{other})?", ""),
];

/// The case in candle's API, gradients included; none for what has no simple form there.
pub(super) fn snippet(case: &Case) -> Option<String> {
    let mut call = case.call.clone();
    let keeps = call.flag("keepdim").ok()?;
    call.args.remove("keepdim");
    let mut written = calls::written(FORMS, &call)?;
    if keeps {
        // Only a plain method has a twin that keeps the dimension.
        written = written.strip_prefix("input.")?.replacen('(', "_keepdim(", 1);
        written.insert_str(0, "input.");
    }
    let wrt = case.backward.as_ref().map_or(&[][..], |backward| backward.wrt.as_slice());
    let tensors = calls::tensors(&call, |name, tensor| {
        let made = format!("Tensor::from_vec({}, &{:?}[..], &Device::Cpu)?", vector(tensor), tensor.shape());
        match wrt.iter().any(|wanted| wanted == name) {
            true => format!("let {name} = Var::from_tensor(&{made})?;\n"),
            false => format!("let {name} = {made};\n"),
        }
    });
    let uses = if wrt.is_empty() { "Device, Tensor" } else { "Device, Tensor, Var" };
    let mut text = format!("use candle_core::{{{uses}}};\n\n{tensors}let output = {written};\n");
    if let Some(Backward { grad_outputs, .. }) = &case.backward {
        let [Some(cotangent)] = grad_outputs.as_slice() else { return None };
        let (values, shape) = (vector(cotangent), cotangent.shape());
        let _ = writeln!(text, "let cotangent = Tensor::from_vec({values}, &{shape:?}[..], &Device::Cpu)?;");
        text += "let gradients = (output * cotangent)?.sum_all()?.backward()?;\n";
        for name in wrt {
            let _ = writeln!(text, "let of_{name} = gradients.get(&{name});");
        }
    }
    Some(text)
}
