#!/usr/bin/env bash
# docs/performance.md, made anew by runs on this machine. Takes some ten minutes; nothing else
# should run. Arguments go to `compare bench`, such as --engine native --engine candle.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(scripts/venv.sh)
features=()
[[ " $* " == *" candle "* ]] && features=(--features candle)
bench() { cargo run --locked --quiet --release "${features[@]}" --bin compare -- bench --python "$python" "$@"; }

rows=$(bench --format markdown "$@")
growth=$(bench --growth --rounds 3)
cat > docs/performance.md <<PAGE
# Performance

Made by \`scripts/performance.sh\`, on a machine of $(nproc) cores. Each row was timed on all engines
in turns in one run, and the medians are compared; times themselves say little on another machine.
PyTorch runs with \`ATEN_CPU_CAPABILITY=avx2\`, as for the goldens, and otherwise as it comes.

## Calls, on one thread

How many times faster the native engine is than the others; \`reach\` is what it is to have against
PyTorch.

$rows

## How time grows with size

sum, softmax, argmax and var along the last dimension of a matrix of rows of 1,024 elements; the
product of two square matrices of so many elements each, where four times the elements are eight
times the work. A call of the native engine uses one thread, however many there are: the corpus is
replayed case by case on all of them, and no result depends on their number.

$growth
PAGE
