"""Writes src/corpus/functions.json: PyTorch's functions, their parameters, and its dtypes.

A reader of the corpus tells with it a misspelt op, parameter or dtype, which is bad input,
from one that PyTorch has and an engine lacks. Run `python/generate.py --only functions`.
"""

import parity.encode
from parity import names

import torch

SCHEMA = 1


def dtypes() -> list[str]:
    """The bare names of all dtypes, each once (`float32`, without the alias `float`)."""
    found = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return sorted(parity.encode.bare_name(value) for value in found)


def text() -> str:
    """The whole file, one function per line."""
    functions = ",\n".join(
        f"{parity.encode.dumps(op)}:{parity.encode.dumps(list(parameters))}"
        for op, parameters in names.catalogue().items()
    )
    head = parity.encode.dumps({"schema": SCHEMA, "torch": parity.TORCH_VERSION})
    tail = parity.encode.dumps({"dtypes": dtypes()}).removeprefix("{")
    return head.removesuffix("}") + ',"functions":{\n' + functions + "\n}," + tail + "\n"
