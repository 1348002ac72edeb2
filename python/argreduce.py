"""Suite `argreduce`: extremes and where they are: argmax, argmin, max, min, aminmax.

The lengths are those at which a vector search changes: around 8, 16, 32, 64 and 128 elements,
with the extreme behind the last full vector, NaN in front, everywhere or nowhere, ties, and
zeros of both signs. Run `python/generate.py --only argreduce`.
"""

from collections.abc import Mapping
from typing import Any

import parity.suite
import parity.tensors
from parity.cross import cross, named, needs_floats
from parity.suite import Row

import torch

FLOATS = named("float64 float32 float16 bfloat16")
SIGNED_AND_UINT8 = named("int64 int32 int16 int8 uint8")
NUMBERS = {**FLOATS, **SIGNED_AND_UINT8}
DTYPES = {**NUMBERS, **named("uint32 bool")}
LAYOUTS = named(" ".join(parity.tensors.LAYOUTS))
KEEPDIM = {"": "", "keepdim": ", keepdim=True"}

OPS = ("argmax", "argmin", "max", "min", "aminmax")


@parity.tensors.unrecorded
def cycle(
    length: int, places: Mapping[int, float], dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """3, 1, 2, 3, 1, … with some entries replaced; places count from the end where negative."""
    values = [(3.0, 1.0, 2.0)[k % 3] for k in range(length)]
    for place, value in places.items():
        if -length <= place < length:
            values[place] = value
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return parity.tensors.namespace() | {
        "cycle": cycle,
        "empty": lambda dtype=torch.float32: torch.zeros(2, 0, 3, dtype=dtype),
    }


# What is special about a row, as the places that are replaced.
PLACES = {
    "ties": "{}",
    "extremes-last": "{-1: 9, -2: 0}",
    "extremes-middle-and-last": "{5: 9, -1: 9, 6: 0}",
}
NAN_PLACES = {
    "nan-leading-and-second": "{0: nan, 1: nan}",
    "nan-second": "{1: nan, 3: 9}",
    "nan-last": "{-1: nan, 2: 9}",
    "zeros-of-both-signs": "{k: (-1) ** k * 0.0 for k in range(5000)}",
    "zeros-negative-first": "{k: (-1) ** k * -0.0 for k in range(5000)}",
    "nan-only": "{k: nan for k in range(5000)}",
    "infinities": "{k: (inf, -inf, inf)[k % 3] for k in range(5000)}",
    "minus-infinity-only": "{k: -inf for k in range(5000)}",
}

DIM0 = {"argmax": "0", "argmin": "0", "max": "0", "min": "0", "aminmax": "dim=0"}


def rows_of(op: str, lengths: str, dtypes: Mapping[str, str]) -> tuple[Row, ...]:
    """Single rows of every length, dtype and peculiarity."""
    return cross(
        op,
        "cycle({length}, {places}, dtype={dtype})." + f"{op}({DIM0[op]})",
        prefix="row",
        unless=lambda labels: (
            labels.get("places") in NAN_PLACES and labels.get("dtype", "float32") not in FLOATS
        ),
        length=named(lengths),
        dtype=dtypes,
        places={**PLACES, **NAN_PLACES},
    )


CANDLE = "1 2 3 4 5 6 7 8 9 10 63 64 79 127 128 143 256"
ROWS_OF = (
    *(row for op in ("argmax", "argmin") for row in rows_of(op, CANDLE, NUMBERS)),
    *(
        row
        for op in ("max", "min", "aminmax")
        for row in rows_of(op, "1 2 3 8 9 16 33 63 64 79 143", NUMBERS)
    ),
    *(
        Row(f"{op}/row-4096-{dtype}-{name}", f"cycle(4096, {places}, dtype={dtype}).{op}()")
        for op, dtype, name, places in (
            ("argmax", "float32", "last", "{-1: 9}"),
            ("argmin", "float64", "nan-last", "{-1: nan, 0: -9}"),
            ("argmax", "float16", "late", "{-2: 9}"),
            ("argmin", "bfloat16", "late", "{-2: 0, -3: -1}"),
            ("argmax", "int64", "last", "{-1: 9}"),
            ("argmin", "int32", "last", "{-1: -9}"),
            ("argmax", "int16", "last", "{-1: 9}"),
            ("argmin", "uint8", "last", "{-1: 0}"),
            ("argmax", "int8", "ties", "{}"),
        )
    ),
    *(
        Row(f"{op}/row-{length}-uint32", f"cycle({length}, {{}}, dtype=uint32).{op}({dim})")
        for op, dim in DIM0.items()
        for length in (6, 143)
    ),
    Row("argmax/long-100000-int8", "cycle(100_000, {-1: 9}, dtype=int8).argmax()"),
    Row("argmin/long-repeated", "cycle(40, {-1: 0}).expand(2500, 40).argmin()"),
    Row("argmax/long-repeated-dim0", "cycle(40, {-1: nan}).expand(2500, 40).argmax(0)"),
    Row("max/long-repeated", "cycle(40, {-1: 9}, dtype=bfloat16).expand(2500, 40).max()"),
)

KINDS = named(
    "ordinary large ties zeros nan_first nan_middle nan_last nan_all plus_infinity "
    "minus_infinity infinities tiny"
)


def by_dim(op: str) -> tuple[Row, ...]:
    """Every dtype, layout, kind of value and dimension of a tensor of three dimensions."""
    dim = "dim={dim}" if op == "aminmax" else "{dim}"
    return cross(
        op,
        "{layout}({values}(3, 2, 5, dtype={dtype}))." + f"{op}({dim}{{keepdim}})",
        unless=needs_floats,
        dtype=DTYPES,
        values=KINDS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim2": "2", "dim-1": "-1", "dim-3": "-3"},
        keepdim=KEEPDIM,
    )


def over_everything(op: str) -> tuple[Row, ...]:
    """The same without a dimension."""
    whole = {"max": "", "min": "", "aminmax": "{keepdim}"}.get(op, "None{keepdim}")
    return cross(
        op,
        "{layout}({values}({shape}, dtype={dtype}))." + f"{op}({whole})",
        prefix="all",
        unless=needs_floats,
        dtype=DTYPES,
        values=KINDS,
        layout=LAYOUTS,
        shape={"3x7": "3, 7", "2x1x2x3": "2, 1, 2, 3", "19": "19"},
        keepdim={"": ""}
        if op in ("max", "min")
        else {"": "", "keepdim": "keepdim=True"}
        if op == "aminmax"
        else KEEPDIM,
    )


# The sign of a tied zero depends on how the lanes of a vector meet.
ZEROS = tuple(
    row
    for op in ("max", "min", "aminmax")
    for row in cross(
        op,
        "{layout}(row(*{pattern}, dtype={dtype})[:{length}])." + f"{op}()",
        prefix="zeros",
        length=named("1 2 3 4 5 7 8 9 11 12 15 16 17 23 24 25 31 32 33 40"),
        dtype=FLOATS,
        pattern={
            "alternating": "([0.0, -0.0] * 20)",
            "negative-first": "([-0.0] + [0.0] * 39)",
            "negative-last-of-8": "([0.0] * 7 + [-0.0] + [0.0] * 32)",
            "half": "([-0.0] * 9 + [0.0] * 31)",
        },
        layout=named("contiguous stepped"),
    )
)


def refusals(op: str) -> tuple[Row, ...]:
    """Dimensions, emptiness and dtypes that an op refuses or answers specially."""
    dim = "dim=" if op == "aminmax" else ""
    asked = {
        "dim-out": ("ordinary(3, 4)", "2"),
        "dim-out-negative": ("ordinary(3, 4)", "-3"),
        "scalar": ("torch.tensor(2.5)", None),
        "scalar-dim0": ("torch.tensor(2.5)", "0"),
        "scalar-dim-1": ("torch.tensor(2.5)", "-1"),
        "scalar-dim1": ("torch.tensor(2.5)", "1"),
        "scalar-dim0-keepdim": ("torch.tensor(2.5)", "0, keepdim=True"),
        "scalar-nan": ("torch.tensor(nan)", "0"),
        "scalar-uint32-dim0": ("torch.tensor(7, dtype=uint32)", "0"),
        "scalar-uint32": ("torch.tensor(7, dtype=uint32)", None),
        "scalar-bool": ("torch.tensor(True)", "0"),
        "size-1": ("row(-4.0)", None),
        "size-1-dim0": ("row(-4.0)", "0"),
        "empty-all": ("empty()", None),
        "empty-dim0": ("empty()", "0"),
        "empty-dim1": ("empty()", "1"),
        "empty-dim-2": ("empty()", "-2"),
        "empty-dim2-keepdim": ("empty()", "2, keepdim=True"),
        "empty-dim-out": ("empty()", "3"),
        "empty-vector": ("torch.zeros(0)", None),
        "empty-vector-dim0": ("torch.zeros(0)", "0"),
        "int64-dim-out": ("ordinary(3, 4, dtype=int64)", "5"),
        "bool-dim-out": ("ordinary(3, 4, dtype=bool)", "5"),
        "bool": ("ordinary(3, 4, dtype=bool)", "1"),
        "bool-all": ("ordinary(3, 4, dtype=bool)", None),
        "bool-empty": ("empty(bool)", None),
        "bool-empty-dim1": ("empty(bool)", "1"),
        "uint32": ("ordinary(3, 4, dtype=uint32)", "1"),
        "uint32-all": ("ordinary(3, 4, dtype=uint32)", None),
        "uint32-size-1": ("ordinary(1, 4, dtype=uint32)", "0"),
        "uint32-size-1-all": ("row(7, dtype=uint32)", None),
        "uint32-dim-out": ("ordinary(3, 4, dtype=uint32)", "2"),
        "uint32-empty-all": ("empty(uint32)", None),
        "uint32-empty-dim0": ("empty(uint32)", "0"),
        "uint32-empty-dim1": ("empty(uint32)", "1"),
    }
    return tuple(
        Row(f"{op}/{name}", f"{x}.{op}({'' if arguments is None else dim + arguments})")
        for name, (x, arguments) in asked.items()
    )


BINARY = (
    *(
        row
        for op in ("max", "min")
        for row in cross(
            op,
            "torch."
            + op
            + "({layout}({values}(4, 9, dtype={dtype})), ordinary({shape}, dtype={other}))",
            prefix="binary",
            unless=needs_floats,
            dtype=NUMBERS,
            other={**NUMBERS, "bool": "bool"},
            values=named("ordinary ties nan_first nan_all infinities"),
            layout=named("contiguous transposed stepped expanded"),
            shape={"4x9": "4, 9", "9": "9", "4x1": "4, 1", "1": "1"},
        )
    ),
    *(
        Row(
            f"{op}/binary-zeros-{length}-{dtype}",
            f"torch.{op}(zeros({length}, dtype={dtype}), -zeros({length}, dtype={dtype}))",
        )
        for op in ("max", "min")
        for length, dtype in (
            (5, "float64"),
            (9, "float64"),
            (17, "float32"),
            (35, "float16"),
            (33, "bfloat16"),
        )
    ),
    Row("max/binary-shapes", "torch.max(ordinary(3, 4), ordinary(3))"),
    Row("min/binary-shapes", "torch.min(ordinary(2, 3), ordinary(4, 3))"),
    Row("max/binary-empty", "torch.max(empty(), ordinary(3))"),
    Row("min/binary-uint32", "torch.min(row(4, 2, dtype=uint32), row(3, 3, dtype=uint32))"),
    Row("max/binary-uint32-int64", "torch.max(row(4, 2, dtype=uint32), row(3, 3, dtype=int64))"),
    Row(
        "max/binary-scalar-tensor",
        "torch.max(ordinary(3, dtype=float16), torch.tensor(0.25, dtype=float64))",
    ),
)

ROWS = (
    *ROWS_OF,
    *(row for op in OPS for row in by_dim(op)),
    *(row for op in OPS for row in over_everything(op)),
    *ZEROS,
    *(row for op in OPS for row in refusals(op)),
    *BINARY,
)

SUITE = parity.suite.Suite("argreduce", "python/argreduce.py", ROWS, namespace)
