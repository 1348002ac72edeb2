"""PyTorch as an oracle: records real PyTorch calls as fixture cases with golden outcomes.

Modules, each importing only those before it::

    inputs   values that are the same on every host
    encode   tensors and arguments to and from JSON, without loss
    schemas  what PyTorch declares about its functions: parameter names, types, overloads
    names    a Python call to an op with named parameters, and back
    makers   what results owe to the maker of the processor
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


# Set for processes that measure what PyTorch gives elsewhere: `avx512/2` is another instruction
# set and two threads. What such a process computes is never written as a golden value.
CONDITIONS = "TORCH_PARITY_CONDITIONS"


def pins(conditions: str = "avx2/1") -> dict[str, str]:
    """The environment of a process under some conditions: instruction set / threads."""
    capability, _, threads = conditions.partition("/")
    if conditions == "avx2/1":
        return PINS
    # Intel's libraries have no plain x86-64 code: what they do by default is what users get.
    chosen = {"ATEN_CPU_CAPABILITY": capability, "OMP_NUM_THREADS": threads}
    libraries = {
        "avx2": {"MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
        "avx512": {"MKL_ENABLE_INSTRUCTIONS": "AVX512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE"},
        "default": {"ONEDNN_MAX_CPU_ISA": "SSE41"},
    }[capability]
    kept = {name: PINS[name] for name in ("MKL_DYNAMIC", "TORCH_SHOW_CPP_STACKTRACES")}
    return kept | chosen | libraries | {"MKL_NUM_THREADS": threads}


class PinError(ImportError):
    """The process cannot give reproducible results, and says why."""


# Set by `make drift` for a process that runs another version, for comparison only.
OTHER_VERSION = "TORCH_PARITY_OTHER_VERSION"


def bare_version(version: str) -> str:
    """A version without its local part: `2.15.0+cu132` is `2.15.0`."""
    return version.partition("+")[0]


def unpinned(environ: dict[str, str]) -> list[str]:
    """Names of the pins that `environ` lacks or sets to something else."""
    wanted = pins(environ.get(CONDITIONS, "avx2/1"))
    return [name for name, value in wanted.items() if environ.get(name) != value]


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
    needed = os.environ.get(OTHER_VERSION, TORCH_VERSION)
    if found != needed:
        raise PinError(f"torch {needed} is needed, this is {found}")
    wanted = pins(os.environ.get(CONDITIONS, "avx2/1"))
    os.environ.update(wanted)

    import torch

    torch.set_num_threads(int(wanted["OMP_NUM_THREADS"]))


_pin()
