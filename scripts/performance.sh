#!/usr/bin/env bash
# docs/performance.md, made anew by runs on this machine. Takes some twenty minutes beside two
# builds; nothing else should run. Words select rows, as `compare bench` has them: a check that the
# script runs takes PAGE=/dev/stdout scripts/performance.sh sum_all_64.
set -euo pipefail
cd "$(dirname "$0")/.."

page=${PAGE:-docs/performance.md}
python=$(scripts/venv.sh)
native_cpu=target/native-cpu

cargo build --locked --quiet --release --bin compare
compare=target/release/compare
# candle chooses its instructions when it is compiled: a folder of its own keeps the other build.
RUSTFLAGS='-C target-cpu=native' CARGO_TARGET_DIR=$native_cpu \
    cargo build --locked --quiet --release --features candle --bin compare

cpu=$(lscpu | sed -n 's/^Vendor ID: *//p')
rows=$("$compare" bench --quiet --rounds 15 --python "$python" --format markdown "$@")
candle=$("$native_cpu/release/compare" bench --quiet --engine native --engine candle --format markdown "$@" |
    sed 's/ · PyTorch was not timed.*//')
growth=$("$compare" bench --quiet --growth --rounds 3)
footprint=$("$python" python/footprint.py "$compare")

cat > "$page" <<PAGE
# Performance

Made by \`scripts/performance.sh\` on a machine of $(nproc) cores; CPU: $cpu.
Each row was timed on all engines in turns in one run, and the medians are compared; times themselves
say little on another machine. PyTorch runs with \`ATEN_CPU_CAPABILITY=avx2\`, as for the goldens,
and otherwise as it comes.

## Calls, on one thread

How many times faster the native engine is than PyTorch; \`reach\` is what it is to have.

$rows

The same beside candle, where both are built for this CPU alone (\`-C target-cpu=native\`):

$candle

Where candle is ahead, the reason is the row's above: what waits for memory changes from run to run,
and candle's products fuse multiplication and addition, which the goldens' do not.

## How time grows with size

sum, softmax, argmax and var along the last dimension of a matrix of rows of 1,024 elements; the
product of two square matrices of so many elements each, where four times the elements are eight
times the work. A call of the native engine uses one thread, however many there are: the corpus is
replayed case by case on all of them, and no result depends on their number.

$growth

## The corpus

$footprint
PAGE
