#!/usr/bin/env bash
# Prints the Python of the project's virtual environment, building it first if need be.
#
#   scripts/venv.sh [REQUIREMENTS ...]     default: python/requirements.txt
#
# The environment lives in a cache folder outside the clone (TORCH_PARITY_CACHE, else
# $XDG_CACHE_HOME/torch-parity, else ~/.cache/torch-parity), so that every clone and CI
# share one: with PyTorch's CUDA libraries it takes 5.4 GB. It is named after the pins of the
# first file and Python's version, so a changed pin builds a new one.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
cache=${TORCH_PARITY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/torch-parity}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "scripts/venv.sh: Python 3.11 or newer is needed, '$python' is $("$python" --version 2>&1)" >&2
    exit 2
}
key=$("$python" - "${1:-python/requirements.txt}" <<'PY'
import hashlib, pathlib, sys
text = pathlib.Path(sys.argv[1]).read_text() + sys.version
print(hashlib.sha256(text.encode()).hexdigest()[:12])
PY
)
venv=$cache/venv-$key
mkdir -p "$cache"
# One builder at a time: a second clone waits instead of installing into a half-made folder.
exec 9>"$cache/lock"
flock 9
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv" >&2
for requirements in "${@:-python/requirements.txt}"; do
    mark=$venv/installed-$(sha256sum <"$requirements" | cut -c1-12)
    if [ ! -e "$mark" ]; then
        echo "installing $requirements into $venv (once)" >&2
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" >&2
        touch "$mark"
    fi
done
echo "$venv/bin/python"
