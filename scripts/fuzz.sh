#!/usr/bin/env bash
# Fuzzes one target, from the committed corpus and from seeds out of the fixtures.
#
#   scripts/fuzz.sh TARGET [SECONDS]     loaders, comparer or case; default: 600 seconds
#   scripts/fuzz.sh keep TARGET          add to fuzz/corpus what the last run found worth keeping
#
# Needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz --locked). An input that fails is
# written to fuzz/artifacts: once the library is mended it goes to fuzz/corpus/TARGET, under a name that
# says what it shows. tests/fuzz_corpus.rs runs that corpus on stable Rust.
set -euo pipefail
cd "$(dirname "$0")/.."

keep=
if [ "${1:-}" = keep ]; then
    keep=1
    shift
fi
target=${1:?which target: loaders, comparer or case}
seconds=${2:-600}
corpus=fuzz/corpus/$target
found=target/fuzz-found/$target
seeds=target/fuzz-seeds/$target
mkdir -p "$corpus" "$found" "$seeds"
run() { cargo +nightly fuzz run "$target" "$@"; }

if [ -n "$keep" ]; then
    run "$corpus" "$found" -- -merge=1
    exit
fi
"${PYTHON:-python3}" python/fuzz_seeds.py --into target/fuzz-seeds
# A single allocation of more than 64 MiB for an input of some kilobytes fails, and so do ten
# seconds spent on one. Without seeds, libFuzzer would keep inputs of a few bytes for long.
run "$found" "$corpus" "$seeds" -- -max_total_time="$seconds" -max_len=4096 -len_control=0 -timeout=10 -malloc_limit_mb=64 \
    -rss_limit_mb=2048 -print_final_stats=1
