"""Suite `grad_softmax`: backward passes of softmax, log_softmax, softmin and logsumexp.

Along the last dimension PyTorch's kernel sums in the lanes of vectors, across it in order; both
have a scalar rest. Run `python/generate.py --only grad_softmax`.
"""

from typing import Any

import parity.suite
import softmax
from parity.cross import Labels, cross, differentiable, named
from parity.suite import Row


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return softmax.namespace()


def is_steep(labels: Labels) -> bool:
    """For `unless`: numbers so large that differences of float64 say nothing."""
    return labels.get("dtype") == "float64" and labels.get("values") == "cancelling"


PLACES = {
    "last5": softmax.Place("2, 5|1"),
    "last9": softmax.Place("9|-1"),
    "first": softmax.Place("3, 2|0"),
    "first-9-columns": softmax.Place("2, 9|0"),
    "middle": softmax.Place("2, 3, 2|1"),
    "scalar": softmax.Place("|0"),
}
VALUES = named("ordinary masked cancelling spread")
LAYOUTS = named("contiguous transposed stepped expanded")
DTYPES = named("float64 float32 float16 bfloat16")

CROSSED = tuple(
    row
    for op, call in (
        ("softmax", "F.softmax({0}, {1})"),
        ("log_softmax", "F.log_softmax({0}, {1})"),
        ("softmin", "F.softmin({0}, {1})"),
        ("logsumexp", "torch.logsumexp({0}, {1}{{keepdim}})"),
    )
    for row in differentiable(
        cross(
            op,
            call.format("{layout}({values}({place.shape}dtype={dtype}))", "{place.dim}"),
            unless=is_steep,
            place=PLACES,
            values=VALUES,
            dtype=DTYPES,
            layout=LAYOUTS,
            keepdim=softmax.KEEPDIM if op == "logsumexp" else softmax.NO_KEEPDIM,
        )
    )
)

# Whole vectors, parts of them, and one more: 4 float64, 8 float32, 16 of 16 bits.
LENGTHS = tuple(
    Row(
        f"{op}/{dtype}-length-{length}",
        f"F.{op}(ordinary({length}, dtype={dtype}), 0)",
        backward=(),
    )
    for op in ("softmax", "log_softmax")
    for dtype, lengths in (
        ("float64", (3, 7)),
        ("float32", (7, 9, 19)),
        ("float16", (9,)),
        ("bfloat16", (17,)),
    )
    for length in lengths
)
COLUMNS = tuple(
    Row(
        f"{op}/{dtype}-{columns}-columns",
        f"F.{op}(ordinary(2, {columns}, dtype={dtype}), 0)",
        backward=(),
    )
    for op in ("softmax", "log_softmax")
    for dtype, columns in (("float64", 5), ("float32", 9), ("float16", 17), ("bfloat16", 17))
)

# A dtype of its own, from a narrower and from a wider one.
CONVERTED = tuple(
    Row(
        f"{op}/{source}-to-{target}",
        f"F.{op}(ordinary(2, 3, dtype={source}), 1, dtype={target})",
        backward=(),
    )
    for op in ("softmax", "log_softmax", "softmin")
    for source, target in (
        ("float16", "float32"),
        ("bfloat16", "float64"),
        ("float32", "bfloat16"),
        ("float64", "float32"),
    )
)

PICKED = tuple(
    Row(f"{op}/{name}", call.format(argument), backward=())
    for op, call in (
        ("softmax", "F.softmax({0}, -1)"),
        ("log_softmax", "F.log_softmax({0}, -1)"),
        ("softmin", "F.softmin({0}, -1)"),
        ("logsumexp", "torch.logsumexp({0}, -1)"),
        ("special.softmax", "torch.special.softmax({0}, -1)"),
        ("special.log_softmax", "torch.special.log_softmax({0}, -1)"),
        ("special.logsumexp", "torch.special.logsumexp({0}, -1)"),
    )
    for name, argument in (
        ("empty", "none"),
        ("fully-masked", "row(-inf, -inf, -inf)"),
        ("infinite", "row(1.0, inf, -inf)"),
        ("nan", "row(1.0, nan, 2.0)"),
        ("float16", "ordinary(2, 3, dtype=float16)"),
    )
) + tuple(
    Row(f"{op}/float64", f"torch.{op}(ordinary(2, 3, dtype=float64), 0)", backward=())
    for op in ("special.softmax", "special.log_softmax", "special.logsumexp")
)

REST = (
    Row("special.softmax/to-float64", "torch.special.softmax(a, 0, dtype=float64)", backward=()),
    Row("logsumexp/all", "torch.logsumexp(a, (0, 1))", backward=()),
    Row("logsumexp/all-kept", "torch.logsumexp(a, (-1, 0), keepdim=True)", backward=()),
    Row("logsumexp/first-and-last", "torch.logsumexp(ordinary(2, 3, 2), (2, 0))", backward=()),
    Row(
        "logsumexp/first-and-last-float64",
        "torch.logsumexp(ordinary(2, 3, 2, dtype=float64), (-1, 0))",
        backward=(),
    ),
    Row("logsumexp/scalar-over-nothing", "torch.logsumexp(torch.tensor(0.75), ())", backward=()),
    Row("logsumexp/integers-have-none", "torch.logsumexp(ints, 1)", backward=("input",)),
    Row(
        "softmax/integers-have-none",
        "F.softmax(ints, 1, dtype=float32)",
        backward=("input",),
    ),
)

ROWS = (*CROSSED, *LENGTHS, *COLUMNS, *CONVERTED, *PICKED, *REST)

SUITE = parity.suite.Suite("grad_softmax", "python/grad_softmax.py", ROWS, namespace)
