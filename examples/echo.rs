//! Reads a JSON array of tensors and writes them back, so that another language's reader and
//! writer can be tested against this one: `cargo run --example echo -- IN OUT`.

use anyhow::Context as _;
use torch_parity::tensor::Tensor;

fn main() -> anyhow::Result<()> {
    let mut paths = std::env::args_os().skip(1);
    let (input, output) = (paths.next().context("no input file")?, paths.next().context("no output file")?);
    let tensors: Vec<Tensor> = serde_json::from_str(&std::fs::read_to_string(input)?)?;
    std::fs::write(output, serde_json::to_string(&tensors)?)?;
    Ok(())
}
