//! Rows that show how time grows with size: five ops over 2^10 to 2^24 elements.

use std::collections::BTreeMap;

use super::rows::{Input, Row};

/// Length of the rows that are reduced.
const LINE: usize = 1024;

/// The powers of two of elements, and the threads.
const POWERS: [u32; 8] = [10, 12, 14, 16, 18, 20, 22, 24];
const THREADS: [usize; 2] = [1, 2];

/// Ops along the last dimension of a matrix.
const ALONG: [&str; 4] = ["sum", "softmax", "argmax", "var"];

/// All of them, by op and threads, smallest first.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for threads in THREADS {
        for op in ALONG {
            rows.extend(POWERS.map(|power| {
                let inputs = [("input", [(1 << power) / LINE, LINE])];
                row(op, power, threads, &inputs, &[("dim", 1)])
            }));
        }
        rows.extend(POWERS.map(|power| {
            let side = 1 << (power / 2);
            row("matmul", power, threads, &[("input", [side, side]), ("other", [side, side])], &[])
        }));
    }
    rows
}

fn row(op: &str, power: u32, threads: usize, inputs: &[(&str, [usize; 2])], attrs: &[(&str, i64)]) -> Row {
    let input = |shape: [usize; 2]| Input {
        shape: shape.to_vec(),
        dtype: "float32".into(),
        below: None,
        transposed: false,
    };
    Row {
        name: format!("{op}_2^{power}_{threads}"),
        op: op.into(),
        reach: None,
        limit: None,
        selects: false,
        threads: Some(threads),
        inputs: inputs.iter().map(|&(name, shape)| (name.to_string(), input(shape))).collect(),
        attrs: attrs.iter().map(|&(name, value)| (name.to_string(), value)).collect::<BTreeMap<_, _>>(),
    }
}
