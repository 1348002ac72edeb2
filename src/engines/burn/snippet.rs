//! Cases as a user of burn would write them.

use std::fmt::Write as _;

use crate::corpus::{Backward, Case};
use crate::engines::calls::{self, Form};
use crate::engines::snippet::vector;
use crate::tensor::{DType, Tensor};

const FORMS: &[Form] = &[
    ("abs", "input.abs()", ""),
    ("add", "input + {other}", ""),
    ("amax", "input.max()", "input.max_dim({dim})"),
    ("amin", "input.min()", "input.min_dim({dim})"),
    ("argmax", "", "input.argmax({dim})"),
    ("argmin", "", "input.argmin({dim})"),
    ("ceil", "input.ceil()", ""),
    ("clamp", "input.clamp({min}, {max})", ""),
    ("cos", "input.cos()", ""),
    ("cumsum", "", "input.cumsum({dim})"),
    ("div", "input / {other}", ""),
    ("eq", "input.equal({other})", ""),
    ("erf", "input.erf()", ""),
    ("exp", "input.exp()", ""),
    ("floor", "input.floor()", ""),
    ("gather", "", "input.gather({dim}, {index})"),
    ("ge", "input.greater_equal({other})", ""),
    ("gelu", "burn::tensor::activation::gelu({input})", ""),
    ("gt", "input.greater({other})", ""),
    ("index_select", "", "input.select({dim}, {index})"),
    ("le", "input.lower_equal({other})", ""),
    ("log", "input.log()", ""),
    ("log_softmax", "", "burn::tensor::activation::log_softmax({input}, {dim})"),
    ("lt", "input.lower({other})", ""),
    ("matmul", "input.matmul({other})", ""),
    ("max", "input.max()", "input.max_dim_with_indices({dim})"),
    ("maximum", "input.max_pair({other})", ""),
    ("mean", "input.mean()", "input.mean_dim({dim})"),
    ("min", "input.min()", "input.min_dim_with_indices({dim})"),
    ("minimum", "input.min_pair({other})", ""),
    ("mul", "input * {other}", ""),
    ("narrow", "", "input.narrow({dim}, {start}, {length})"),
    ("ne", "input.not_equal({other})", ""),
    ("neg", "input.neg()", ""),
    ("permute", "input.permute({dims})", ""),
    ("prod", "input.prod()", "input.prod_dim({dim})"),
    ("reciprocal", "input.recip()", ""),
    ("relu", "burn::tensor::activation::relu({input})", ""),
    ("reshape", "input.reshape({shape})", ""),
    ("round", "input.round()", ""),
    ("sigmoid", "burn::tensor::activation::sigmoid({input})", ""),
    ("sign", "input.sign()", ""),
    ("silu", "burn::tensor::activation::silu({input})", ""),
    ("sin", "input.sin()", ""),
    ("softmax", "", "burn::tensor::activation::softmax({input}, {dim})"),
    ("sqrt", "input.sqrt()", ""),
    ("square", "input.square()", ""),
    ("sub", "input - {other}", ""),
    ("sum", "input.sum()", "input.sum_dim({dim})"),
    ("t", "input.t()", ""),
    ("tanh", "input.tanh()", ""),
    ("transpose", "input.swap_dims({dim0}, {dim1})", ""),
    ("var", "", "input.var({dim})"),
    ("where", "other.mask_where({condition}, {input})", ""),
];

/// The case in burn's API, gradients included; none for what has no simple form there.
pub(super) fn snippet(case: &Case) -> Option<String> {
    let mut call = case.call.clone();
    // burn's reductions keep their dimension.
    call.args.remove("keepdim");
    let written = calls::written(FORMS, &call)?;
    let wrt = case.backward.as_ref().map_or(&[][..], |backward| backward.wrt.as_slice());
    let tensors = calls::tensors(&call, |name, tensor| {
        let tracked = if wrt.iter().any(|wanted| wanted == name) { ".require_grad()" } else { "" };
        format!("let {name} = {}{tracked};\n", made(tensor))
    });
    let device = if wrt.is_empty() { "Device::flex()" } else { "Device::flex().autodiff()" };
    // Tensors are moved into a call; a gradient is asked of the input afterwards.
    let kept: String = wrt.iter().map(|name| format!("let kept_{name} = {name}.clone();\n")).collect();
    let mut text = format!(
        "use burn::tensor::{{Bool, Device, DType, Int, Tensor, TensorData}};\n\nlet device = {device};\n{tensors}{kept}\
         let output = {written};\n"
    );
    if let Some(Backward { grad_outputs, .. }) = &case.backward {
        let [Some(cotangent)] = grad_outputs.as_slice() else { return None };
        let _ = writeln!(text, "let cotangent = {};", made(cotangent));
        text += "let gradients = (output * cotangent).sum().backward();\n";
        for name in wrt {
            let _ = writeln!(text, "let of_{name} = kept_{name}.grad(&gradients);");
        }
    }
    Some(text)
}

/// A tensor as burn makes it: with its dtype, or it would be stored in the device's default.
fn made(tensor: &Tensor) -> String {
    let kind = match tensor.dtype() {
        DType::Bool => ", Bool",
        dtype if dtype.is_floating() => "",
        _ => ", Int",
    };
    let dtype = match tensor.dtype() {
        DType::Float64 => "F64",
        DType::Float32 => "F32",
        DType::Float16 => "F16",
        DType::BFloat16 => "BF16",
        DType::Int64 => "I64",
        DType::Int32 => "I32",
        DType::Int16 => "I16",
        DType::Int8 => "I8",
        DType::UInt8 => "U8",
        DType::UInt32 => "U32",
        DType::Bool => {
            return format!(
                "Tensor::<{}, Bool>::from_data(TensorData::new({}, {:?}), &device)",
                tensor.dim().max(1),
                vector(tensor),
                shape(tensor)
            );
        }
    };
    format!(
        "Tensor::<{}{kind}>::from_data(TensorData::new({}, {:?}), (&device, DType::{dtype}))",
        tensor.dim().max(1),
        vector(tensor),
        shape(tensor)
    )
}

/// burn has no tensor without dimensions.
fn shape(tensor: &Tensor) -> Vec<usize> {
    if tensor.dim() == 0 { vec![1] } else { tensor.shape().to_vec() }
}
