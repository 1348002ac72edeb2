#!/usr/bin/env bash
# Tells what PyTorch changed between another version and the pinned one.
#
#   scripts/drift.sh VERSION [COMPARE'S OPTIONS]
#
# The other version is installed into a cached environment of its own and runs every committed case;
# `compare drift` compares its outcomes with golden/. Exit status: as of `compare drift`.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?which version of PyTorch}
shift
into=target/drift/$version
mkdir -p "$into"
sed -E "s/^torch==.*/torch==$version/" python/requirements.txt >"$into.txt"
python=$(scripts/venv.sh "$into.txt")
TORCH_PARITY_OTHER_VERSION=$version "$python" python/outcomes.py --into "$into"
cargo run --locked --quiet --release --bin compare -- drift "$into" golden "$@"
