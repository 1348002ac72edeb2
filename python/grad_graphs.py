"""Suite `grad_graphs`: gradients through several calls.

Run `python/generate.py --only grad_graphs`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.graphs import graph
from parity.suite import Row

ROWS = (
    Row("graph/square-by-itself", "graph(lambda x: x * x, x=row(3.0, 5.0))", backward=()),
    Row(
        "graph/square-by-itself-float64",
        "graph(lambda x: x * x, x=row(3.0, 5.0, dtype=float64))",
        backward=(),
    ),
    Row(
        "graph/used-three-times",
        "graph(lambda x, w: (x * w) + (x - w) * x, x=ordinary(2, 3), w=ordinary(3))",
        backward=(),
    ),
)


def namespace() -> dict[str, Any]:
    """What the expressions may refer to."""
    return {**tensors.namespace(), "graph": graph}


SUITE = parity.suite.Suite("grad_graphs", "python/grad_graphs.py", ROWS, namespace)
