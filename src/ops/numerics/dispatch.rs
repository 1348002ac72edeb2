//! Generic code for a dtype that is known to be floating.

/// Runs one generic expression in the type of a floating dtype; any other counts as float32.
macro_rules! with_float_type {
    ($dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            $crate::tensor::DType::Float64 => {
                type $type = f64;
                $body
            }
            $crate::tensor::DType::Float16 => {
                type $type = half::f16;
                $body
            }
            $crate::tensor::DType::BFloat16 => {
                type $type = half::bf16;
                $body
            }
            _ => {
                type $type = f32;
                $body
            }
        }
    };
}

pub(crate) use with_float_type;
