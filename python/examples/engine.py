"""PyTorch as an external engine: it answers cases over stdin and stdout, a line for a line.

    export PYTHONPATH=python
    compare --engine "exec:$(scripts/venv.sh) python/examples/engine.py" --timeout 60 --suite reduce

shows whether the PyTorch of this machine still does what the golden files say. An engine of your
own in Python replaces `VERSION`, the name in `HANDSHAKE` and `outcome`; the rest is the protocol
(docs/format.md), which any other language can speak as well.
"""

import json
import os
import sys
import traceback
from collections.abc import Iterable
from typing import Any, TextIO

import parity
from parity import encode, names, replay

import torch

VERSION = parity.bare_version(torch.__version__)

HANDSHAKE = {"engine": "torch", "version": VERSION, "profile": "cpu", "schema": 1}


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    """What PyTorch does with a case: outputs, warnings and gradients, or an error."""
    try:
        names.resolve(case["op"])
    except LookupError as error:
        return {"unsupported": str(error)}
    try:
        return replay.run(case)
    except encode.Unencodable as error:
        return {"unsupported": str(error)}


def answer(line: bytes) -> dict[str, Any]:
    """The answer to one line: the case's id with its outcome."""
    case = json.loads(line)
    try:
        return {"id": case["id"]} | outcome(case)
    except Exception as error:
        # A fault of the engine, not an error that PyTorch raises. Without this the process would
        # end, which is a divergence of this case as well, and be started again for the next.
        traceback.print_exc()
        return {"id": case["id"], "panic": f"{type(error).__name__}: {error}"}


def serve(cases: Iterable[bytes], answers: TextIO) -> None:
    """Say who this is, then answer every case until there are no more."""
    answers.write(encode.dumps(HANDSHAKE) + "\n")
    answers.flush()
    for line in cases:
        answers.write(encode.dumps(answer(line)) + "\n")
        answers.flush()


def main() -> None:
    """Serve on stdin and stdout."""
    # What anything prints from here on goes to stderr: stdout is for answers alone.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
