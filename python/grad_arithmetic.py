"""Suite `grad_arithmetic`: backward passes of sums and products, with broadcasting and promotion.

Run `python/generate.py --only grad_arithmetic`.
"""

import parity.suite
from parity.cross import cross, named
from parity.suite import Row
from parity.tensors import namespace

DTYPES = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed narrowed stepped")
SHAPES = {
    "same": "3, 5",
    "row": "5",
    "column": "3, 1",
    "outer": "2, 1, 5",
    "scalar": "",
    "empty": "3, 0",
}

CROSSED = tuple(
    Row(row.tail, row.expression, backward=())
    for op, expression in (
        ("add", "torch.add({a}, {b}{alpha})"),
        ("sub", "torch.sub({a}, {b}{alpha})"),
        ("mul", "torch.mul({a}, {b})"),
    )
    for row in cross(
        op,
        expression.replace("{a}", "{layout}(ordinary({left}dtype={dtype}))").replace(
            "{b}", "positive({right}dtype={other})"
        ),
        unless=lambda labels: (
            (
                labels.get("left", "same") == "empty"
                and labels.get("right") in ("same", "row", "outer")
            )
            or (labels.get("right", "same") == "empty" and labels.get("left") == "same")
        ),
        left={"same": "3, 5, ", "empty": "3, 0, "},
        right={label: f"{shape}, " if shape else "" for label, shape in SHAPES.items()},
        dtype=DTYPES,
        other=DTYPES,
        layout=LAYOUTS,
        alpha={"": ""} if op == "mul" else {"": "", "alpha": ", alpha=2.5"},
    )
)

PICKED = (
    Row("add/worked-broadcast", "row(1.0, 2.0, 3.0) + torch.zeros(2, 3)", backward=()),
    Row("add/beside-integers", "row(1.0, 2.0) + torch.tensor([1, 2])", backward=()),
    Row("add/number", "row(1.0, 2.0) + 3", backward=()),
    Row("sub/number", "row(1.0, 2.0) - 3.5", backward=()),
    Row("mul/number", "row(1.0, -2.0) * 3", backward=()),
    Row("mul/nan-and-infinity", "row(nan, inf, 0.0, -0.0) * row(1.0, 0.0, inf, nan)", backward=()),
    Row(
        "mul/integers-have-none", "torch.tensor([1, 2]) * torch.tensor([3, 4])", backward=("input",)
    ),
    Row("eq/has-none", "row(1.0, 2.0).eq(row(1.0, 3.0))", backward=("input",)),
    Row("argmax/has-none", "row(1.0, 2.0).argmax()", backward=("input",)),
)

ROWS = (*CROSSED, *PICKED)

SUITE = parity.suite.Suite("grad_arithmetic", "python/grad_arithmetic.py", ROWS, namespace)
