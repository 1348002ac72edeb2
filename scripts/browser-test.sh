#!/usr/bin/env bash
# The HTML report in headless Chromium. Needs Node 20 or newer; where Chromium is missing and this
# runs as root on Debian, installs it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "browser-test: no chromium; install it, or name one in CHROMIUM" >&2
        exit 1
    fi
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
export CHROMIUM="${CHROMIUM:-$(command -v chromium)}"

cargo build --locked --quiet --bin compare
export COMPARE="${CARGO_TARGET_DIR:-$PWD/target}/debug/compare"

cd tests/browser
npm ci --no-audit --no-fund --silent
node --test
