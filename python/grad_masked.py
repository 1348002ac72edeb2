"""Suite `grad_masked`: backward passes of `where` and of what a mask fills, selects or scatters.

Run `python/generate.py --only grad_masked`.
"""

from typing import Any

import parity.suite
from parity import operands, tensors
from parity.cross import cross, differentiable, named
from parity.operands import FLOATING
from parity.suite import Row

import torch

DTYPES = named(FLOATING)
LAYOUTS = named("contiguous transposed stepped expanded")


@tensors.unrecorded
def mask(*shape: int) -> torch.Tensor:
    """True, False, False, True, True, False, True, … in a shape."""
    count = torch.Size(shape).numel()
    return torch.tensor([k % 7 in (0, 3, 4, 6) for k in range(count)], dtype=torch.bool).reshape(
        shape
    )


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | operands.namespace() | {"mask": mask}


MASKS = {
    "": "mask(2, 3)",
    "row": "mask(3)",
    "outer": "mask(2, 1, 3)",
    "everywhere": "torch.tensor(True)",
    "strided": "transposed(mask(2, 3))",
}

WHERE = (
    *differentiable(
        cross(
            "where",
            "torch.where({mask}, {layout}(special({dtype})[:6].reshape(2, 3)), {other})",
            dtype=DTYPES,
            mask=operands.some(MASKS, "row", "outer", "everywhere", "strided"),
            layout=LAYOUTS,
            other={
                "": "special({dtype})[1:7].reshape(2, 3)",
                "row": "few(float64)",
                "0-d": "torch.tensor(nan, dtype=float64)",
                "float32": "expanded(ordinary(2, 3))",
                "number": "2.5",
            },
        )
    ),
    *differentiable(
        cross(
            "where",
            "torch.where({mask}, {number}, few({dtype}))",
            prefix="first",
            dtype=named("float64 bfloat16"),
            mask={"row": "mask(3)", "outer": "mask(2, 1, 3)"},
            number={"0.1": "0.1", "nan": "nan"},
        )
    ),
    Row(
        "where/nan-not-taken", "torch.where(row(1.0, nan).isnan(), 0.0, row(1.0, nan))", backward=()
    ),
    Row(
        "where/infinity-not-taken",
        "torch.where(mask(3), few(float32), row(inf, -inf, nan))",
        backward=(),
    ),
    Row(
        "where/bytes",
        "torch.where(torch.tensor([1, 0, 2], dtype=uint8), few(float32), fewer(float32))",
        backward=(),
    ),
    Row(
        "where/size-0-against-1",
        "torch.where(mask(2, 0), ordinary(2, 1), ordinary(1))",
        backward=(),
    ),
    Row("where/size-0", "torch.where(mask(0), ordinary(0), 1.0)", backward=()),
    Row(
        "where/integers-asked",
        "torch.where(mask(3), few(int64), few(float32))",
        backward=("input",),
    ),
    Row("where/positions", "torch.where(few(float32))", backward=("condition",)),
    Row(
        "where/summed",
        "torch.where(mask(35, 2), few(float16)[0], row(1.5, dtype=float16))",
        backward=(),
    ),
)

FILL = (
    *differentiable(
        cross(
            "masked_fill",
            "{layout}(counted(2, 3, dtype={dtype})).masked_fill({mask}, {value})",
            dtype=DTYPES,
            mask=MASKS,
            layout=LAYOUTS,
            value={
                "number": "-inf",
                "integer": "3",
                "0-d": "torch.tensor(0.5, dtype={dtype})",
                "0-d-float64": "torch.tensor(0.5, dtype=float64)",
            },
        )
    ),
    *differentiable(
        cross(
            "masked_fill",
            "special({dtype}).masked_fill(special({dtype}).isnan(), {value})",
            prefix="special",
            dtype=named("float32 float16"),
            value={"zero": "0", "0-d": "torch.tensor(1.5, dtype={dtype})"},
        )
    ),
    Row(
        "masked_fill/wider-mask",
        "few(float32).masked_fill(mask(4, 1), torch.tensor(2.0))",
        backward=(),
    ),
    Row(
        "masked_fill/0-d",
        "torch.tensor(1.5).masked_fill(torch.tensor(True), torch.tensor(2.0))",
        backward=(),
    ),
    Row(
        "masked_fill/nowhere",
        "ordinary(2).masked_fill(torch.tensor(False), torch.tensor(2.0))",
        backward=(),
    ),
    Row("masked_fill/empty", "ordinary(0, 3).masked_fill(mask(3), torch.tensor(2.0))", backward=()),
    Row(
        "masked_fill/many",
        "ordinary(5, 7, dtype=bfloat16).masked_fill(mask(5, 7), torch.tensor(2.0, dtype=bfloat16))",
        backward=(),
    ),
    Row(
        "masked_fill/value-asked",
        "ordinary(3).masked_fill(mask(3), torch.tensor(2))",
        backward=("value",),
    ),
    Row("masked_fill/integers-asked", "few(int32).masked_fill(mask(3), 2)", backward=("input",)),
)

SELECT = (
    *differentiable(
        cross(
            "masked_select",
            "torch.masked_select({layout}({values}), {mask})",
            dtype=DTYPES,
            values={
                "": "counted(2, 3, dtype={dtype})",
                "column": "ordinary(2, 1, dtype={dtype})",
                "0-d": "ordinary(dtype={dtype})",
            },
            mask=MASKS,
            layout=LAYOUTS,
        )
    ),
    Row("masked_select/special", "special(float32).masked_select(mask(12))", backward=()),
    Row("masked_select/empty", "ordinary(0).masked_select(mask(0))", backward=()),
    Row("masked_select/size-0-against-1", "ordinary(1).masked_select(mask(0))", backward=()),
    Row("masked_select/integers-asked", "few(int64).masked_select(mask(3))", backward=("input",)),
    # Each element is there 35 times.
    Row("masked_select/summed", "few(float16).masked_select(mask(35, 3))", backward=()),
)

SCATTER = (
    *differentiable(
        cross(
            "masked_scatter",
            "torch.masked_scatter({layout}(counted(2, 3, dtype={dtype})), {mask}, {source})",
            dtype=DTYPES,
            mask=MASKS,
            layout=LAYOUTS,
            source={
                "": "counted(2, 6, dtype={dtype})",
                "strided": "transposed(counted(5, 3, dtype={dtype}))",
                "expanded": "expanded(counted(4, 4, dtype={dtype}))",
            },
        )
    ),
    Row("masked_scatter/exact", "few(float32).masked_scatter(mask(3), row(1.0))", backward=()),
    Row(
        "masked_scatter/nothing",
        "few(float32).masked_scatter(torch.tensor(False), row(nan, inf))",
        backward=(),
    ),
    Row(
        "masked_scatter/empty-source",
        "few(float32).masked_scatter(torch.tensor(False), ordinary(0))",
        backward=(),
    ),
    Row(
        "masked_scatter/0-d",
        "torch.tensor(1.5).masked_scatter(torch.tensor(True), row(2.0, 3.0))",
        backward=(),
    ),
    Row(
        "masked_scatter/wider-mask",
        "few(float64).masked_scatter(mask(4, 1), positive(12, dtype=float64))",
        backward=(),
    ),
    Row(
        "masked_scatter/source-alone",
        "few(float32).masked_scatter(mask(3), fewer(float32))",
        backward=("source",),
    ),
    Row(
        "masked_scatter/integers-asked",
        "few(int8).masked_scatter(mask(3), fewer(int8))",
        backward=("source",),
    ),
)

POSITIONS = (
    Row("nonzero/has-none", "torch.nonzero(few(float32))", backward=("input",)),
    Row(
        "nonzero/tuple-has-none",
        "torch.nonzero(ordinary(2, 2), as_tuple=True)",
        backward=("input",),
    ),
    Row("argwhere/has-none", "torch.argwhere(few(float16))", backward=("input",)),
    Row("argwhere/integers-asked", "torch.argwhere(few(int64))", backward=("input",)),
)

ROWS = (*WHERE, *FILL, *SELECT, *SCATTER, *POSITIONS)

SUITE = parity.suite.Suite("grad_masked", "python/grad_masked.py", ROWS, namespace)
