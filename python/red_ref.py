"""Suite `red_ref`: every basic reduction of one 64x1000 float32 matrix.

The matrix is sin(k) for k = 0 … 63999, computed in float64 and narrowed, so that it does not
depend on PyTorch's own kernels. Products are of 1 + 0.01 sin(k), which stay in range over all
64,000 factors. Run `python/generate.py --only red_ref` to write the files.
"""

from typing import Any

import parity.suite
from parity.inputs import sines
from parity.suite import Row

import numpy as np
import torch

_FORMS = {"dim0": "dim=0", "dim1": "dim=1", "all": ""}

_REDUCTIONS = {
    "sum": "x",
    "mean": "x",
    "var": "x",
    "std": "x",
    "max": "x",
    "min": "x",
    "argmax": "x",
    "argmin": "x",
    "prod": "factors",
}


def namespace() -> dict[str, Any]:
    """The matrix and the factors of the product."""
    matrix = sines(64_000).reshape(64, 1000)
    return {
        "x": torch.from_numpy(matrix.astype(np.float32)),
        "factors": torch.from_numpy((1 + 0.01 * matrix).astype(np.float32)),
    }


ROWS = tuple(
    Row(f"{op}/{form}", f"{matrix}.{op}({arguments})")
    for op, matrix in _REDUCTIONS.items()
    for form, arguments in _FORMS.items()
)

SUITE = parity.suite.Suite("red_ref", "python/red_ref.py", ROWS, namespace)
