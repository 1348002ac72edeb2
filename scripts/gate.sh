#!/usr/bin/env bash
# The gate of this repository: what the judge says of the whole corpus, with every report.
#
#   scripts/gate.sh [native | engines ...]     default: native
#
# native    the native engine on every suite; what follows PyTorch's order of operations once more,
#           to the bit, with each set of instructions; and the wrong engines that prove the judge
# engines   every engine, side by side; builds candle, burn and strided first, which takes minutes
#
# Reports go to target/gate/native and target/gate/engines (or TORCH_PARITY_GATE/...). Every step
# runs, whatever the ones before it said. Exit status: the worst of the steps, 0 parity, 1 drift,
# 2 could not judge.
set -euo pipefail
cd "$(dirname "$0")/.."

into=${TORCH_PARITY_GATE:-target/gate}
features=()
worst=0

# What is equal to the bit, whatever the tolerances say.
exact=(
    reduce red_ref reductions argreduce products scans sorting index scatter select arithmetic pointwise
    shape creation grad_arithmetic grad_pointwise grad_masked grad_sorting grad_index grad_scatter
    grad_shape grad_layers grad_graphs
)

compare() {
    local status=0
    printf '\n== compare %s\n' "$*"
    cargo run --locked --quiet --release "${features[@]}" --bin compare -- "$@" || status=$?
    # A build that fails or a crash is no drift.
    [ "$status" -le 1 ] || status=2
    [ "$status" -le "$worst" ] || worst=$status
}

reports() {
    mkdir -p "$into/$1"
    for file in report.html report.json report.xml summary.md; do
        printf '%s\n' -o "$into/$1/$file"
    done
}

native() {
    mapfile -t outputs < <(reports native)
    compare -v "${outputs[@]}"
    # With each set of instructions that kernels are compiled for and this CPU has.
    local level
    for level in portable $(grep -qsw fma /proc/cpuinfo && echo avx2) $(grep -qsw avx512dq /proc/cpuinfo && echo avx512); do
        export TORCH_PARITY_CPU=$level
        printf '\n== %s instructions\n' "$level"
        compare --strict -q "${exact[@]/#/--suite=}"
        compare --strict -q -k 'suite:softmax and not logsumexp'
    done
    unset TORCH_PARITY_CPU
    compare mutants
}

engines() {
    features=(--features candle,burn,strided)
    mapfile -t outputs < <(reports engines)
    compare --engine all -q "${outputs[@]}"
    features=()
}

for part in "${@:-native}"; do
    case $part in
    native | engines) "$part" ;;
    *)
        echo "scripts/gate.sh: no part '$part': native, engines" >&2
        exit 2
        ;;
    esac
done
exit "$worst"
