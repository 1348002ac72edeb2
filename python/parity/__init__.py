"""PyTorch as an oracle: records real PyTorch calls as fixture cases with golden outcomes.

Modules, each importing only those before it::

    inputs   values that are the same on every host
    encode   tensors and arguments to and from JSON, without loss
    schemas  what PyTorch declares about its functions: parameter names, types, overloads
    names    a Python call to an op with named parameters, and back
    replay   a case from its JSON, called again
    record   watches a PyTorch program and turns its calls into cases
    suite    tables of one-line expressions to fixtures/<suite>.json and golden/<suite>.json
    program  every call of whole programs to the same files
    command  `python -m parity.record`, which does that to a script of yours

Importing this package pins the process: one thread and the AVX2 kernels everywhere, since
PyTorch's float results depend on both. The pins are environment variables that PyTorch and
its libraries read when they are loaded, so this package has to be imported before torch::

    import parity  # first
    import torch
"""

import importlib.metadata
import os
import sys

TORCH_VERSION = "2.15.0"

# What the process is pinned to. The libraries read these once, when they are loaded.
PINS = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    # Without this MKL's matrix products differ between Intel and AMD under the line above.
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MKL_DYNAMIC": "FALSE",
    # A C++ stack trace in an error's text would differ from build to build.
    "TORCH_SHOW_CPP_STACKTRACES": "0",
}


class PinError(ImportError):
    """The process cannot give reproducible results, and says why."""


def bare_version(version: str) -> str:
    """A version without its local part: `2.15.0+cu132` is `2.15.0`."""
    return version.partition("+")[0]


def unpinned(environ: dict[str, str]) -> list[str]:
    """Names of the pins that `environ` lacks or sets to something else."""
    return [name for name, value in PINS.items() if environ.get(name) != value]


def _pin() -> None:
    missing = unpinned(dict(os.environ))
    if "torch" in sys.modules and missing:
        raise PinError(
            "torch was imported before parity, without the settings that make its results "
            f"reproducible ({', '.join(missing)}): import parity first"
        )
    try:
        found = bare_version(importlib.metadata.version("torch"))
    except importlib.metadata.PackageNotFoundError:
        raise PinError(f"torch is not installed, and {TORCH_VERSION} is needed") from None
    if found != TORCH_VERSION:
        raise PinError(f"torch {TORCH_VERSION} is needed, this is {found}")
    os.environ.update(PINS)

    import torch

    torch.set_num_threads(1)


_pin()
