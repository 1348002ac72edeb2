"""Suite `grad_arithmetic`: backward passes of sums and products, with broadcasting and promotion.

Run `python/generate.py --only grad_arithmetic`.
"""

from typing import Any

import parity.suite
from parity import operands, tensors
from parity.cross import Labels, cross, differentiable, named
from parity.operands import FLOATING
from parity.suite import Row


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | operands.namespace()


LAYOUTS = named("contiguous transposed narrowed stepped")
SHAPES = {
    "same": "3, 5",
    "row": "5",
    "column": "3, 1",
    "outer": "2, 1, 5",
    "scalar": "",
    "empty": "3, 0",
}
ALPHA = {"": "", "alpha": ", alpha=2.5"}


def _unbroadcastable(labels: Labels) -> bool:
    left, right = labels.get("left", "same"), labels.get("right")
    return (left == "empty" and right in ("same", "row", "outer")) or (
        left == "same" and right == "empty"
    )


CROSSED = tuple(
    row
    for op, alpha in (("add", ALPHA), ("sub", ALPHA), ("rsub", ALPHA), ("mul", {"": ""}))
    for row in differentiable(
        cross(
            op,
            f"torch.{op}({{layout}}(ordinary({{left}}dtype={{dtype}})),"
            " positive({right}dtype={other}){alpha})",
            unless=_unbroadcastable,
            left={"same": "3, 5, ", "empty": "3, 0, "},
            right={
                label: f"{shape}, " if shape else ""
                for label, shape in SHAPES.items()
                if op != "rsub" or label in ("same", "outer", "scalar")
            },
            dtype=named(FLOATING),
            other=named("float64 float16" if op == "rsub" else FLOATING),
            layout=LAYOUTS,
            alpha=alpha,
        )
    )
)

# The names that stand for the same, and numbers on either side.
NAMES = differentiable(
    row
    for op, expression in (
        ("subtract", "torch.subtract(few({dtype}), fewer({dtype}), alpha=0.1)"),
        ("multiply", "torch.multiply(few({dtype}), fewer({dtype}))"),
    )
    for row in cross(op, expression, dtype=named(FLOATING))
)

# `rsub` takes no number in the first place.
ORDERS = {
    "": "waves(7, 5, {dtype}), {number}",
    "0-d": "waves(7, 5, {dtype}), torch.tensor(0.7, dtype=float64)",
    "first": "{number}, waves(7, 5, {dtype})",
}

NUMBERS = differentiable(
    row
    for op, orders in (
        ("add", ORDERS),
        ("sub", ORDERS),
        ("mul", ORDERS),
        ("rsub", operands.some(ORDERS, "", "0-d")),
    )
    for row in cross(
        op,
        f"torch.{op}({{order}})",
        prefix="number",
        dtype=named("float32 bfloat16"),
        number={"0.1": "0.1", "minus3": "-3"},
        order=orders,
    )
)

# Many rounded terms in one sum: the gradient shows the order of addition, and what is widened.
SUMS = differentiable(
    row
    for prefix, pair, dtypes in (
        (
            "columns",
            "cancelling(9, 2, dtype={dtype}), waves(3, 2, {dtype})",
            "float32 float16 bfloat16",
        ),
        (
            "rows",
            "column(waves(3, 2, {dtype})), transposed(waves(5, 18, {dtype}).reshape(2, 9))",
            "float64 float16",
        ),
        ("outer", "column(cancelling(9, dtype={dtype})), waves(3, 2, {dtype})", "float64 bfloat16"),
    )
    for row in cross("mul", f"torch.mul({pair})", prefix=prefix, dtype=named(dtypes))
)

PICKED = (
    Row("add/worked-broadcast", "row(1.0, 2.0, 3.0) + torch.zeros(2, 3)", backward=()),
    Row("add/beside-integers", "row(1.0, 2.0) + torch.tensor([1, 2])", backward=()),
    Row("add/number", "row(1.0, 2.0) + 3", backward=()),
    Row("add/expanded", "expanded(ordinary(3, 5)) + expanded(positive(5))", backward=()),
    Row(
        "add/integers-asked",
        "torch.add(torch.tensor([1, 2]), row(1.0, 2.0))",
        backward=("input",),
    ),
    Row("add/alpha-zero", "torch.add(row(1.0, nan), row(inf, 2.0), alpha=0)", backward=()),
    Row(
        "add/alpha-beyond-float16",
        "torch.add(few(float16), fewer(float16), alpha=60000)",
        backward=(),
    ),
    Row("sub/number", "row(1.0, 2.0) - 3.5", backward=()),
    Row("rsub/from-number", "3.5 - row(1.0, 2.0)", backward=()),
    Row("sub/0-d-of-both", "torch.tensor(2.5) - torch.tensor(1.5, dtype=float64)", backward=()),
    Row("mul/number", "row(1.0, -2.0) * 3", backward=()),
    Row("mul/nan-and-infinity", "row(nan, inf, 0.0, -0.0) * row(1.0, 0.0, inf, nan)", backward=()),
    Row("mul/itself-expanded", "expanded(ordinary(3, 5)) * expanded(positive(3, 5))", backward=()),
    Row("mul/bool-mask", "few(float16) * torch.tensor([True, False, True])", backward=()),
    Row("mul/one-element", "waves(3, 5, bfloat16) * row(0.1)", backward=()),
    Row("mul/one-element-float16", "row(0.1) * waves(3, 5, float16)", backward=()),
    Row(
        "mul/still-float16",
        "waves(3, 6, float16).reshape(2, 3) * expanded(waves(4, 1, float16).expand(2, 3))",
        backward=(),
    ),
    Row("mul/overflow-float16", "special(float16) * few(float16)[0]", backward=()),
    Row("mul/large", "large(5, dtype=float32) * large(5, dtype=float32)", backward=()),
    Row("mul/tiny", "tiny(5, dtype=bfloat16) * tiny(5, dtype=bfloat16)", backward=()),
    Row(
        "mul/integers-have-none", "torch.tensor([1, 2]) * torch.tensor([3, 4])", backward=("input",)
    ),
    Row("eq/has-none", "row(1.0, 2.0).eq(row(1.0, 3.0))", backward=("input",)),
    Row("argmax/has-none", "row(1.0, 2.0).argmax()", backward=("input",)),
)

ROWS = (*CROSSED, *NAMES, *NUMBERS, *SUMS, *PICKED)

SUITE = parity.suite.Suite("grad_arithmetic", "python/grad_arithmetic.py", ROWS, namespace)
