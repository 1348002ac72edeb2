//! Generic code for a dtype that is known only when it runs.

/// Runs one generic expression in the type of a floating dtype. Any other dtype has an answer of
/// its own, or counts as float32.
macro_rules! with_float_type {
    ($dtype:expr, $T:ident => $body:expr $(,)?) => {
        $crate::ops::numerics::dispatch::with_float_type!($dtype, $T => $body, _ => {
            type $T = f32;
            $body
        })
    };
    ($dtype:expr, $T:ident => $body:expr, _ => $otherwise:expr $(,)?) => {
        match $dtype {
            $crate::tensor::DType::Float64 => {
                type $T = f64;
                $body
            }
            $crate::tensor::DType::Float32 => {
                type $T = f32;
                $body
            }
            $crate::tensor::DType::Float16 => {
                type $T = half::f16;
                $body
            }
            $crate::tensor::DType::BFloat16 => {
                type $T = half::bf16;
                $body
            }
            _ => $otherwise,
        }
    };
}

pub(crate) use with_float_type;
