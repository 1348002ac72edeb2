//! What is timed: the calls of `benches/rows.toml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::contender::BenchError;
use crate::corpus::{Case, Outcome};
use crate::engines::{Engine as _, Native};
use crate::ops::{Args, Call, Value};
use crate::tensor::{DType, Element as _, Scalar, Tensor};
use crate::with_type;

const TABLE: &str = include_str!("../../benches/rows.toml");

/// A call to time.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What to call it.
    pub name: String,
    /// PyTorch's function.
    pub op: String,
    /// How many times PyTorch's speed the native engine is to have on one thread.
    pub reach: Option<f64>,
    /// What is known to keep it from that, a document's note where it falls short.
    pub limit: Option<String>,
    /// Whether it reads only as much of its input as it returns.
    #[serde(default)]
    pub(super) selects: bool,
    /// The threads of each engine, if the row is about them.
    pub(super) threads: Option<usize>,
    pub(super) inputs: BTreeMap<String, Input>,
    #[serde(default)]
    pub(super) attrs: BTreeMap<String, i64>,
}

/// A tensor to make.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pub(super) shape: Vec<usize>,
    #[serde(default = "float32")]
    pub(super) dtype: String,
    /// Whole numbers below this one instead of fractions between -4 and 4.
    pub(super) below: Option<u64>,
    /// Whether the two dimensions are exchanged afterwards.
    #[serde(default)]
    pub(super) transposed: bool,
}

fn float32() -> String {
    "float32".into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<Row>,
}

/// The rows of the file.
pub(super) fn table() -> Result<Vec<Row>, BenchError> {
    let table: Table = toml::from_str(TABLE).map_err(|error| BenchError::Rows(error.to_string()))?;
    Ok(table.row)
}

/// The rows whose name contains one of the words; all of them without words.
pub(super) fn select(rows: Vec<Row>, words: &[String]) -> Result<Vec<Row>, BenchError> {
    if let Some(word) = words.iter().find(|word| !rows.iter().any(|row| row.name.contains(word.as_str()))) {
        let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
        return Err(BenchError::NoRow { word: word.clone(), rows: names.join(", ") });
    }
    let wanted = |row: &Row| words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str()));
    Ok(rows.into_iter().filter(wanted).collect())
}

impl Row {
    /// Elements of the largest input.
    pub fn elements(&self) -> usize {
        self.inputs.values().map(|input| input.shape.iter().product()).max().unwrap_or(0)
    }

    /// The call, its inputs filled.
    ///
    /// # Errors
    /// If the row names a tensor that cannot be.
    pub fn case(&self) -> Result<Case, BenchError> {
        let mut args = Args::new();
        for (i, (name, input)) in self.inputs.iter().enumerate() {
            let tensor = input.tensor(i as u64 + 1).ok_or_else(|| {
                BenchError::Rows(format!("{}: no tensor {:?} of {}", self.name, input.shape, input.dtype))
            })?;
            args.insert(name.clone(), Value::Tensor(tensor));
        }
        for (name, &value) in &self.attrs {
            args.insert(name.clone(), Value::Scalar(Scalar::Int(value)));
        }
        Ok(Case {
            id: format!("bench/{}/{}", self.op, self.name),
            call: Call { op: self.op.clone(), args },
            backward: None,
            tags: Vec::new(),
            note: None,
            foreign: None,
        })
    }

    /// Bytes of inputs and results that a call has to touch at least.
    pub(super) fn bytes(&self, case: &Case) -> usize {
        let size = |tensor: &Tensor| tensor.numel() * tensor.dtype().size();
        let outputs: usize = match Native.run(case) {
            Outcome::Returned { outputs, .. } => outputs.iter().map(size).sum(),
            _ => 0,
        };
        let inputs = case.call.args.iter().map(|(name, value)| match value {
            Value::Tensor(_) if self.selects && name == "input" => outputs,
            Value::Tensor(tensor) => size(tensor),
            _ => 0,
        });
        inputs.sum::<usize>() + outputs
    }
}

impl Input {
    fn tensor(&self, seed: u64) -> Option<Tensor> {
        let dtype = DType::from_name(&self.dtype)?;
        let count = crate::tensor::layout::numel(&self.shape)?;
        let tensor = with_type!(dtype, T => {
            let numbers = stream(seed).map(|number| T::from_scalar(match self.below {
                Some(below) => Scalar::Int((number % below.max(1)) as i64),
                None => Scalar::Float((number >> 11) as f64 * 2f64.powi(-50) - 4.0),
            }));
            Tensor::new(&self.shape, numbers.take(count).collect::<Vec<T>>()).ok()?
        });
        Some(if self.transposed { tensor.permuted(&[1, 0]) } else { tensor })
    }
}

/// Steele, Lea and Flood's SplitMix64: evenly spread 64-bit numbers from a counter.
fn stream(seed: u64) -> impl Iterator<Item = u64> {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    (1..).map(move |i: u64| {
        let z = (seed << 32).wrapping_add(i).wrapping_mul(STEP);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_engine_has_every_row() {
        for mut row in table().unwrap() {
            // The call, without the memory.
            for input in row.inputs.values_mut() {
                for size in &mut input.shape {
                    *size = (*size).min(128);
                }
                input.below = input.below.map(|below| below.min(128));
            }
            let case = row.case().unwrap();
            assert!(matches!(Native.run(&case), Outcome::Returned { .. }), "{}", row.name);
        }
    }

    #[test]
    fn words_select_rows() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            select(table().unwrap(), &words).map(|rows| rows.len())
        };
        assert_eq!(names(&["matmul", "bmm"]).unwrap(), 2);
        assert!(names(&[]).unwrap() > 20);
        assert!(names(&["matmul", "nothing"]).unwrap_err().to_string().contains("nothing"));
    }

    #[test]
    fn numbers_are_spread_over_their_range() {
        let input = Input { shape: vec![1000], dtype: float32(), below: None, transposed: false };
        let tensor = input.tensor(1).unwrap();
        let values = tensor.values::<f32>();
        assert!(values.iter().all(|x| (-4.0..4.0).contains(x)));
        assert!(values.iter().sum::<f32>().abs() < 300.0);
        assert!(values.iter().any(|&x| x < -3.9) && values.iter().any(|&x| x > 3.9));
    }
}
