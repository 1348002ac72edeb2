"""Suite `products`: `prod`, and the project's `stable_prod` beside it.

`stable_prod` has no counterpart in PyTorch; its golden values are what the composition in
`parity/extensions.py` gives. Where no partial product leaves the range of the dtype, the same
input has a row of `prod` too (`agrees-…` in both): the two may differ by the rounding of the
factors, which `tests/test_extensions.py` holds them to. Run `python/generate.py --only products`.
"""

from typing import Any

import parity.suite
import parity.tensors
from parity import extensions
from parity.cross import cross, named, needs_floats
from parity.suite import Row

import numpy as np
import torch

FLOATS = named("float64 float32 float16 bfloat16")
INTEGERS = named("int64 int32 int16 int8 uint8 uint32 bool")
DTYPES = {**FLOATS, **INTEGERS}
LAYOUTS = named(" ".join(parity.tensors.LAYOUTS))
VALUES = named(" ".join(parity.tensors.VALUES))
KEEPDIM = {"": "", "keepdim": ", keepdim=True"}


@parity.tensors.unrecorded
def near_one(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """1 + sin(k)/16 in steps of 1/1024: products that stay in range."""
    values = parity.tensors.ordinary(*shape, dtype=torch.float64).numpy()
    return torch.from_numpy(1 + np.round(values * 64) / 1024).to(dtype)


@parity.tensors.unrecorded
def swinging(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Large and small factors whose partial products leave the range, and come back."""
    high = {torch.float64: 200, torch.float32: 30, torch.float16: 4, torch.bfloat16: 30}[dtype]
    pattern = (10.0**high, 2.0 * 10.0**high, 10.0**-high, -0.75 * 10.0**-high)
    count = int(np.prod(shape))
    values = np.array([pattern[k % 4] for k in range(count)]).reshape(shape)
    return torch.from_numpy(values).to(dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return (
        parity.tensors.namespace()
        | extensions.FUNCTIONS
        | {
            "near_one": near_one,
            "swinging": swinging,
            "empty": lambda dtype=torch.float32: torch.zeros(2, 0, 3, dtype=dtype),
        }
    )


PROD = (
    *cross(
        "prod",
        "{layout}({values}(3, 2, 5, dtype={dtype})).prod({dim}{keepdim})",
        unless=needs_floats,
        dtype=DTYPES,
        values=VALUES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim2": "2", "dim-1": "-1", "dim-3": "-3"},
        keepdim=KEEPDIM,
    ),
    *cross(
        "prod",
        "{layout}({values}({shape}, dtype={dtype})).prod()",
        prefix="all",
        unless=needs_floats,
        dtype=DTYPES,
        values=named("ordinary positive large ties zeros nan_middle infinities"),
        layout=LAYOUTS,
        shape={"3x7": "3, 7", "2x1x2x3": "2, 1, 2, 3", "19": "19"},
    ),
    *cross(
        "prod",
        "{layout}(near_one({shape}, dtype={dtype})).prod({dim})",
        prefix="order",
        dtype=FLOATS,
        layout=LAYOUTS,
        shape={"5x33": "5, 33", "9x18": "9, 18", "3x67": "3, 67"},
        dim={"dim0": "0", "dim1": "1", "all": ""},
    ),
    *cross(
        "prod",
        "near_one({length}, dtype={dtype}).prod(0)",
        prefix="length",
        length=named("1 3 4 5 7 8 9 15 16 17 31 32 33 63 64 65 127 128 129 143"),
        dtype=FLOATS,
    ),
    *cross(
        "prod",
        "{values}(3, 5, dtype={dtype}).prod({dim}dtype={result})",
        prefix="to",
        unless=needs_floats,
        dtype=DTYPES,
        result=named("float64 float32 float16 bfloat16 int64 int32 int8 uint8 bool"),
        dim={"dim0": "0, ", "dim1": "1, ", "all": ""},
        values=named("ordinary large ties"),
    ),
    Row("prod/length-1000", "near_one(1000).prod()"),
    Row("prod/columns-40", "near_one(4, 40).prod(0)"),
    Row("prod/columns-70-float16", "near_one(4, 70, dtype=float16).prod(0)"),
    Row("prod/repeated", "near_one(50).expand(40, 50).prod()"),
    Row("prod/repeated-dim1", "near_one(40, 1, dtype=float64).expand(40, 2500).prod(1)"),
    *(
        Row(f"prod/{name}", f"{x}.prod({arguments})")
        for name, (x, arguments) in {
            "dim-out": ("ordinary(3, 4)", "2"),
            "dim-out-negative": ("ordinary(3, 4)", "-3"),
            "scalar": ("torch.tensor(2.5)", ""),
            "scalar-dim0": ("torch.tensor(2.5)", "0"),
            "scalar-dim1": ("torch.tensor(2.5)", "1"),
            "empty": ("empty()", ""),
            "empty-dim0": ("empty()", "0"),
            "empty-dim1": ("empty()", "1"),
            "empty-dim-out": ("empty()", "3"),
            "empty-int32": ("empty(int32)", "1"),
            "empty-uint32-dtype": ("empty()", "dtype=uint32"),
            "to-uint32": ("ordinary(3)", "dtype=uint32"),
            "to-uint32-dim-out": ("ordinary(3)", "4, dtype=uint32"),
            "minus-zero": ("row(-0.0, 3.0)", ""),
            "zero-times-inf": ("row(0.0, inf)", "0"),
            "int64-wraps": ("torch.tensor([2**62, 4, 3])", ""),
            "uint32": ("row(65536, 65537, dtype=uint32)", ""),
        }.items()
    ),
)

DIMS = {
    "dim0": "0",
    "dim1": "1",
    "dim-1": "-1",
    "dims-0-2": "(0, 2)",
    "dims-2-1": "(2, 1)",
    "dims-all": "(0, 1, 2)",
    "dims-empty": "()",
    "dim-none": "None",
}

STABLE = (
    *cross(
        "stable_prod",
        "stable_prod({layout}({values}(3, 2, 5, dtype={dtype})), {dim}{keepdim})",
        unless=needs_floats,
        dtype=DTYPES,
        values=VALUES,
        layout=LAYOUTS,
        dim=DIMS,
        keepdim=KEEPDIM,
    ),
    *cross(
        "stable_prod",
        "stable_prod({layout}(swinging({shape}, dtype={dtype})), {dim})",
        prefix="swinging",
        dtype=FLOATS,
        layout=LAYOUTS,
        shape={"4x9": "4, 9", "8x8": "8, 8", "2x33": "2, 33"},
        dim={"dim0": "0", "dim1": "1", "all": "None"},
    ),
    *cross(
        "stable_prod",
        "stable_prod({values}({length}, dtype={dtype}), 0)",
        prefix="length",
        length=named("1 2 3 8 9 16 33 65"),
        dtype=FLOATS,
        values=named("large tiny positive"),
    ),
    *(
        Row(f"stable_prod/{name}", f"stable_prod({arguments})")
        for name, arguments in {
            "dim-out": "ordinary(3, 4), 2",
            "dims-twice": "ordinary(3, 4), (0, -2)",
            "dims-out-and-twice": "ordinary(3, 4), (0, 0, 9)",
            "dim-out-int64": "ordinary(3, 4, dtype=int64), -3",
            "scalar": "torch.tensor(2.5)",
            "scalar-dim0": "torch.tensor(2.5), 0",
            "scalar-dim1": "torch.tensor(2.5), 1",
            "scalar-subnormal": "torch.tensor(1e-45)",
            "empty": "empty()",
            "empty-dim1": "empty(), 1",
            "empty-dim0": "empty(), 0",
            "empty-bool-dim1": "empty(bool), 1",
            # Rounded once: float16 just above a tie, results in the subnormal range, overflow.
            "once-float16": "row(1.0009765625, 1.0009765625, 1.0009765625, dtype=float16)",
            "once-above-a-tie": "row(1.00390625, 1.0625, 0.9375, 1.00390625, dtype=float16)",
            "subnormal-result": "row(1e-30, 3e-13, 1.5)",
            "subnormal-result-float16": "row(0.0001, 0.003, 1.5, dtype=float16)",
            "subnormal-result-bfloat16": "row(1e-30, 3e-10, 1.5, dtype=bfloat16)",
            "subnormal-result-float64": "row(1e-300, 3e-20, 1.5, dtype=float64)",
            "smallest-float64": "row(2.0**-1000, 2.0**-74, dtype=float64)",
            "tie-to-zero-float64": "row(2.0**-1000, 2.0**-75, dtype=float64)",
            "above-the-tie-float64": "row(2.0**-1000, 1.5 * 2.0**-75, dtype=float64)",
            "underflow": "row(-1e-30, 1e-30)",
            "overflow": "row(-1e30, 1e30)",
            "largest-float16": "row(256.0, 255.875, dtype=float16)",
            "over-the-largest-float16": "row(256.0, 256.0, dtype=float16)",
            "zero-times-inf": "row(0.0, inf)",
            "minus-zero": "row(-0.0, 3.0, 1e30, 1e30)",
            "subnormal-factor": "row(1e30, 1e30, 1e-40)",
            "subnormal-factor-later": "row(1e-40, 1e30, 1e30)",
            "nan": "row(1e30, 1e30, nan)",
            "minus-inf": "row(-inf, 1e-30, 1e-30)",
            "int64-wraps": "torch.tensor([2**62, 4, 3])",
            "uint32": "row(65536, 65537, dtype=uint32)",
        }.items()
    ),
)

# The same inputs to both, where no partial product leaves the range.
AGREES = tuple(
    row
    for op, call in (("prod", "{x}.prod({dim})"), ("stable_prod", "stable_prod({x}, {dim})"))
    for row in cross(
        op,
        call.format(x="{values}({shape}, dtype={dtype})", dim="{dim}"),
        prefix="agrees",
        dtype=FLOATS,
        values=named("near_one positive"),
        shape={"9": "9", "3x4": "3, 4", "5x7": "5, 7"},
        dim={"dim0": "0", "dim-1": "-1"},
    )
)

ROWS = (*PROD, *STABLE, *AGREES)

SUITE = parity.suite.Suite("products", "python/products.py", ROWS, namespace)
