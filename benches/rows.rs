//! The rows of `benches/rows.toml` on the native engine: `cargo bench`, or `cargo bench argmax` for
//! some. It shows whether a change to a kernel pays; `compare bench` compares engines.

use divan::Bencher;
use divan::counter::ItemsCount;
use torch_parity::bench::{Plan, Row};
use torch_parity::engines::{Engine, Native};

fn main() {
    divan::main();
}

/// What divan lists the rows by.
fn names() -> impl Iterator<Item = String> {
    rows(&[]).into_iter().map(|row| row.name)
}

fn rows(words: &[String]) -> Vec<Row> {
    Plan::rows(words).expect("benches/rows.toml is part of this build")
}

#[divan::bench(args = names())]
fn native(bencher: Bencher, name: &String) {
    // Other rows' names may contain this one's.
    let row = rows(std::slice::from_ref(name)).into_iter().find(|row| row.name == *name);
    let row = row.expect("the name of a row");
    let case = row.case().expect("a row is a case");
    bencher.counter(ItemsCount::new(row.elements())).bench_local(|| Native.run(&case));
}
