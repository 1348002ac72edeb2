"""Suite `grad_scans`: backward passes of `cumsum`, `cumprod`, `cummax`, `cummin`, `logcumsumexp`.

Run `python/generate.py --only grad_scans`. The tables cross dtypes, kinds of value, layouts and
dimensions pairwise; the rows after them are the corners: where zeros stand in a cumulative product,
ties and NaN of a running extreme, cotangents of both signs behind a logarithm, and other dtypes.
"""

from typing import Any

import parity.suite
import parity.tensors
from parity.cross import cross, differentiable, named
from parity.suite import Row
from parity.tensors import unrecorded

import torch

DTYPES = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed narrowed expanded")

# Shape and dimension, as the end of the expression.
PLACES = {
    label: f"{shape}, dtype={{dtype}})), {dim})" if shape else f"dtype={{dtype}})), {dim})"
    for label, (shape, dim) in {
        "row": ("5", "0"),
        "dim0": ("3, 2", "0"),
        "dim1": ("2, 3", "dim=1"),
        "of-cube": ("2, 3, 2", "-2"),
        "scalar": ("", "0"),
    }.items()
}


@unrecorded
def factors(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """1 + sin(k)/4: a product that neither vanishes nor overflows soon."""
    return (1 + parity.tensors.ordinary(*shape, dtype=torch.float64) / 4).to(dtype)


@unrecorded
def one_zero(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A single zero, in the middle."""
    made = factors(*shape, dtype=dtype)
    made.view(-1)[made.numel() // 2 : made.numel() // 2 + 1] = 0.0
    return made


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return parity.tensors.namespace() | {"factors": factors, "one_zero": one_zero}


CROSSED = tuple(
    row
    for op, values in (
        ("cumsum", "ordinary nan_middle infinities"),
        ("cumprod", "factors ties one_zero zeros nan_middle large"),
        ("cummax", "ordinary ties nan_middle infinities"),
        ("cummin", "ordinary ties nan_middle infinities"),
        ("logcumsumexp", "ordinary ties tiny nan_middle infinities"),
    )
    for row in differentiable(
        cross(
            op,
            f"torch.{op}({{layout}}({{values}}({{place}}",
            dtype=DTYPES,
            values=named(values),
            layout=LAYOUTS,
            place=PLACES,
        )
    )
)

# Where the zeros of a cumulative product stand on their line.
ZEROS = {
    "first": "0.0, 2.0, -3.0, 0.5",
    "second": "2.0, 0.0, -3.0, 0.5",
    "last": "2.0, -3.0, 0.5, 0.0",
    "negative": "2.0, -0.0, 3.0, 1.5",
    "neighbours": "2.0, 0.0, 0.0, 1.5",
    "apart": "2.0, 0.0, 3.0, 0.0, 1.5",
    "three": "0.0, 2.0, 0.0, 3.0, 0.0",
    "with-nan": "2.0, nan, 3.0, 0.0, 1.5",
    "before-nan": "2.0, 0.0, 3.0, nan, 1.5",
    "with-infinity": "inf, 2.0, 0.0, 3.0, 1.5",
    "after-infinity": "2.0, 0.0, inf, 3.0, 1.5",
}
PICKED = differentiable(
    (
        *(
            row
            for label, values in ZEROS.items()
            for row in cross(
                "cumprod",
                f"torch.cumprod(row({values}, dtype={{dtype}}), 0)",
                prefix=f"zeros-{label}",
                dtype=named("float64 bfloat16"),
            )
        ),
        Row(
            "cumprod/lines-with-none-one-and-two-zeros",
            "torch.cumprod(torch.tensor([[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 3.0, 0.0]]), 1)",
        ),
        Row(
            "cumprod/columns-with-none-one-and-two-zeros",
            "torch.cumprod(torch.tensor([[2.0, 0.0, 4.0], [2.0, 5.0, 0.0], [3.0, 3.0, 0.0]]), 0)",
        ),
        *cross(
            "cumprod",
            "torch.cumprod({values}({count}, dtype={dtype}), 0)",
            prefix="long",
            dtype=named("float32 float16"),
            values=named("factors one_zero"),
            count={"17": "17"},
        ),
        *cross(
            "cumsum",
            "torch.cumsum({values}({count}, dtype={dtype}), 0)",
            prefix="long",
            dtype=named("float32 float16"),
            values=named("ordinary"),
            count={"17": "17"},
        ),
        *cross(
            "logcumsumexp",
            "torch.logcumsumexp({values}({count}, dtype={dtype}), 0)",
            prefix="long",
            dtype=named("float32 float16"),
            values=named("ordinary"),
            count={"17": "17"},
        ),
        # The gradient takes the input's dtype on its way in.
        *(
            row
            for op in ("cumsum", "cumprod")
            for row in cross(
                op,
                f"torch.{op}({{values}}(2, 3, dtype={{dtype}}), 1, dtype={{wanted}})",
                prefix="to",
                values=named("factors one_zero"),
                dtype=named("float64 float16 bfloat16"),
                wanted=named("float32 float16"),
            )
        ),
        *(
            Row(f"{op}/{label}", f"torch.{op}(ordinary({shape}), {dim})")
            for op in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")
            for label, shape, dim in (
                ("lines-of-one", "3, 1", "1"),
                ("single-element", "1, 1", "0"),
                ("empty", "0, 3", "1"),
            )
        ),
        Row("cummax/all-nan", "torch.cummax(row(nan, nan, nan), 0)"),
        Row("cummin/falls-and-rises", "torch.cummin(row(3.0, 1.0, 2.0, 1.0, -1.0, -1.0, 0.0), 0)"),
        Row("cummax/zeros-of-both-signs", "torch.cummax(row(-0.0, 0.0, -0.0, 0.0), 0)"),
        Row(
            "logcumsumexp/all-minus-infinity",
            "torch.logcumsumexp(row(-inf, -inf, 1.0), 0)",
        ),
        Row("cumsum/cancelling", "torch.cumsum(cancelling(5, dtype=float16), 0)"),
        Row("logcumsumexp/large", "torch.logcumsumexp(large(2, 3), 1)"),
        Row("logcumsumexp/far-apart", "torch.logcumsumexp(row(-100.0, 0.0, 80.0, 5.0), 0)"),
        Row(
            "logcumsumexp/falling-float64",
            "torch.logcumsumexp(row(700.0, 1.0, 0.5, -3.0, dtype=float64), 0)",
        ),
    )
)
REFUSED = (
    Row("cumsum/integers-have-none", "torch.cumsum(torch.tensor([1, 2]), 0)", backward=("input",)),
    Row("cumprod/integers-have-none", "torch.cumprod(torch.tensor([1]), 0)", backward=("input",)),
    Row("cumsum/to-integers", "torch.cumsum(row(1.0, 2.0), 0, dtype=int64)", backward=("input",)),
    Row("cumprod/to-integers", "torch.cumprod(row(1.0, 2.0), 0, dtype=int32)", backward=("input",)),
    Row("cummax/integers-have-none", "torch.cummax(torch.tensor([1]), 0)", backward=("input",)),
)

ROWS = (*CROSSED, *PICKED, *REFUSED)

SUITE = parity.suite.Suite("grad_scans", "python/grad_scans.py", ROWS, namespace)
