"""Suite `reductions`: sums, means, moments, extremes, truth, counts and norms over dimensions.

The tables cross dtypes, layouts, dimensions and kinds of value pairwise; the lengths stand
around the block sizes of the kernels (4, 8, 16 elements in a vector, 4 vectors side by side,
16 rows in a level of the cascade). Run `python/generate.py --only reductions`.
"""

import math
from collections.abc import Mapping
from typing import Any

import parity.suite
import parity.tensors
from parity import extensions
from parity.cross import cross, named, needs_floats
from parity.suite import Row

import torch

FLOATS = named("float64 float32 float16 bfloat16")
INTEGERS = named("int64 int32 int16 int8 uint8 uint32 bool")
DTYPES = {**FLOATS, **INTEGERS}
LAYOUTS = named(" ".join(parity.tensors.LAYOUTS))
VALUES = named(" ".join(parity.tensors.VALUES))

KEEPDIM = {"": "", "keepdim": ", keepdim=True"}

# Dimensions of a tensor of three, as lists and as one.
DIMS = {
    "dim0": "0",
    "dim1": "1",
    "dim2": "2",
    "dim-1": "-1",
    "dims-0-2": "(0, 2)",
    "dims-2-1": "(2, 1)",
    "dims-0-1": "(0, -2)",
    "dims-all": "(0, 1, 2)",
    "dims-empty": "()",
}
NONE = {"dim-none": "None"}


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return (
        parity.tensors.namespace()
        | extensions.FUNCTIONS
        | {
            "empty": lambda dtype=torch.float32: torch.zeros(2, 0, 3, dtype=dtype),
            "swallowing": swallowing,
            "tied": tied,
            "steps": torch.tensor([[768, 256, 1], [0, 2, 3]]),
            "halves": torch.tensor([[0.5, 64.0, 1.0], [2.0, 0.0, 3.0]]) * 4,
        }
    )


@parity.tensors.unrecorded
def tied() -> torch.Tensor:
    """A size of 1 whose stride is that of a longer dimension, beside one that is expanded."""
    values = parity.tensors.ordinary(5, 3, 4, dtype=torch.float64) * 1e8
    return values.as_strided((1, 6, 3, 5, 4), (12, 0, 4, 12, 1))


@parity.tensors.unrecorded
def swallowing(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Large numbers that cancel, with small ones that the accumulator loses beside a large one.

    Which of the small ones survive, and so the sum, depends on the order of the additions, in
    16-bit types too.
    """
    large, small = {
        torch.float64: (2.0**60, 1.0),
        torch.float16: (60000.0, 2.0**-10),
        torch.bfloat16: (2.0**30, 1.0),
    }.get(dtype, (2.0**30, 1.0))
    pattern = (large, small, -large, 3 * small, small)
    values = [pattern[k % 5] for k in range(math.prod(shape))]
    if values.count(large) > values.count(-large):
        values[len(values) - 1 - values[::-1].index(large)] = small
    return torch.tensor(values, dtype=torch.float64).to(dtype).reshape(shape)


# How each op is called on a tensor `{x}`: `{dim}` and `{keepdim}` are filled in.
CALLS = {
    "sum": "{x}.sum({dim}{keepdim})",
    "nansum": "{x}.nansum({dim}{keepdim})",
    "mean": "{x}.mean({dim}{keepdim})",
    "nanmean": "{x}.nanmean({dim}{keepdim})",
    "sum_of_squares": "sum_of_squares({x}, {dim}{keepdim})",
    "var": "{x}.var({dim}{keepdim})",
    "std": "{x}.std({dim}{keepdim})",
    "var_mean": "torch.var_mean({x}, {dim}{keepdim})",
    "std_mean": "torch.std_mean({x}, {dim}{keepdim})",
    "amax": "{x}.amax({dim}{keepdim})",
    "amin": "{x}.amin({dim}{keepdim})",
    "any": "{x}.any({dim}{keepdim})",
    "all": "{x}.all({dim}{keepdim})",
    "count_nonzero": "{x}.count_nonzero({dim})",
    "norm": "torch.norm({x}, dim={dim}{keepdim})",
    "linalg.vector_norm": "torch.linalg.vector_norm({x}, 2, {dim}{keepdim})",
}

# Ops that only floats have.
FLOAT_OPS = frozenset("mean nanmean var std var_mean std_mean norm linalg.vector_norm".split())
# Ops with a table of their own for what they refuse.
SPREAD_OPS = ("var", "std", "var_mean", "std_mean")
# Ops whose `dim` may not be None.
LISTS_ONLY = frozenset("amax amin".split())
# Ops whose float results show the order of operations, by what their tables vary.
ORDERED_ROWS = ("sum", "mean", "sum_of_squares", "var", "norm")
ORDERED_DIMS = ("sum", "nansum", "nanmean", "var_mean", "linalg.vector_norm")


def filled(op: str, x: str, **more: str) -> str:
    """An op's call with `{x}` and perhaps more filled in, and the rest left for `cross`."""
    names = {"dim": "{dim}", "keepdim": "{keepdim}"} | more
    return CALLS[op].format(x=x, **names)


def three_dims(op: str) -> tuple[Row, ...]:
    """Every dtype, layout, kind of value and dimension of a tensor of three dimensions."""
    return cross(
        op,
        filled(op, "{layout}({values}(3, 2, 5, dtype={dtype}))"),
        unless=needs_floats,
        dtype=FLOATS if op in FLOAT_OPS else DTYPES,
        values=VALUES,
        layout=LAYOUTS,
        dim=DIMS if op in LISTS_ONLY else DIMS | NONE,
        keepdim=KEEPDIM if "{keepdim}" in CALLS[op] else {"": ""},
    )


def two_dims(op: str) -> tuple[Row, ...]:
    """Rows and columns longer than a vector."""
    return cross(
        op,
        filled(op, "{layout}({values}({shape}, dtype={dtype}))", keepdim=""),
        dtype=FLOATS,
        layout=LAYOUTS,
        shape={"9x18": "9, 18", "35x4": "35, 4", "5x33": "5, 33"},
        dim={"dim0": "0", "dim1": "1", "all": "(0, 1)"},
        values=named("swallowing ordinary"),
    )


def many_dims(op: str) -> tuple[Row, ...]:
    """Tensors of four and five dimensions, some of size 1."""
    dims = {
        "dims-0-2": "(0, 2)",
        "dims-1-3": "(1, 3)",
        "dims-3-0-1": "(3, 0, 1)",
        "dims-1-2": "(-3, 2)",
        "dim3": "3",
    }
    return cross(
        op,
        filled(op, "{layout}({values}({shape}, dtype={dtype}))"),
        dtype=FLOATS,
        layout=LAYOUTS,
        shape={"4d": "3, 1, 5, 2", "4d-16": "2, 2, 2, 16", "5d": "2, 3, 1, 2, 3"},
        dim=dims,
        keepdim=KEEPDIM if "{keepdim}" in CALLS[op] else {"": ""},
        values=named("swallowing ordinary"),
    )


SHORT = "1 3 4 5 7 8 9 15 16 17 31 32 33 63 64 65 127 128 129 143"


def lengths(op: str, numbers: str, dtypes: Mapping[str, str], values: str) -> tuple[Row, ...]:
    """Vectors of every length, with each dtype at each."""
    return cross(
        op,
        filled(op, "{values}({length}, dtype={dtype})", dim="0", keepdim=""),
        prefix="length",
        length=named(numbers),
        dtype=dtypes,
        values=named(values),
    )


REPEATED = {"1": "100_000", "1, 50": "2000, 50", "40, 1": "40, 2500"}


def repeated(op: str) -> tuple[Row, ...]:
    """A hundred thousand elements that take little space: one row again and again."""
    everything = "None" if op in ("any", "all") else "()"
    dims = {"1": {"dim0": "0"}, "1, 50": {"dim0": "0"}, "40, 1": {"dim1": "1", "all": everything}}
    return tuple(
        row
        for shape, whole in REPEATED.items()
        for row in cross(
            op,
            filled(op, f"{{values}}({shape}, dtype={{dtype}}).expand({whole})", keepdim=""),
            prefix="repeated-" + whole.replace(", ", "x"),
            dtype=FLOATS if op in FLOAT_OPS else named("float32 float64 bfloat16 int8 bool"),
            dim=dims[shape],
            values=named("positive"),
        )
    )


ROWS_BY_DIM = tuple(row for op in CALLS for row in three_dims(op))
ROWS_OF_ORDER = (
    *(row for op in ORDERED_ROWS for row in two_dims(op)),
    *(row for op in ORDERED_DIMS for row in many_dims(op)),
)
ROWS_REPEATED = tuple(row for op in CALLS for row in repeated(op))

LENGTHS = (
    *lengths("sum", SHORT, FLOATS, "swallowing"),
    *lengths("sum", "256 1000", FLOATS, "swallowing"),
    *lengths("sum", "4096 4100", named("float32 float16"), "swallowing"),
    *lengths("nansum", "8 17 33 143", FLOATS, "swallowing nan_middle"),
    *lengths("mean", "1 7 16 33 129", FLOATS, "swallowing"),
    *lengths("nanmean", "7 33", FLOATS, "nan_first"),
    *lengths("sum_of_squares", "4 9 17 33 129", FLOATS, "cancelling ordinary"),
    *lengths("var", "2 7 33 129", FLOATS, "ordinary"),
    *lengths("std", "1 2 17 129", FLOATS, "positive"),
    *lengths("norm", SHORT, FLOATS, "ordinary"),
    *lengths(
        "norm", "10 11 12 13 14 18 19 20 21 22", named("float32 float64 bfloat16"), "positive"
    ),
    *lengths("linalg.vector_norm", "1000", FLOATS, "ordinary"),
    *lengths("amax", "1 7 8 31 32 33 129", FLOATS, "zeros"),
    *lengths("amin", "1 7 8 31 32 33 129", FLOATS, "zeros"),
    *lengths("amin", "16 33", INTEGERS, "large"),
    *lengths("amax", "16 33", INTEGERS, "large"),
    Row("sum/long-100000", "ordinary(100_000).sum()"),
    Row("sum/long-20000-bfloat16", "swallowing(20_000, dtype=bfloat16).sum()"),
    Row("sum/long-columns", "ordinary(1500, 3).sum(0)"),
    Row("sum/long-columns-wide", "swallowing(130, 45).sum(0)"),
    Row("any/long-100000", "(zeros(100_000, dtype=bool)).any()"),
    Row("all/long-20000", "zeros(20_000, dtype=int8).all(0)"),
)

ORDERS = {
    "p0": "0",
    "p1": "1",
    "p2": "2",
    "p3": "3",
    "p-half": "0.5",
    "p2.5": "2.5",
    "p-1": "-1",
    "p-2": "-2.0",
    "inf": "inf",
    "minus-inf": "-inf",
}

NORMS = (
    *cross(
        "norm",
        "torch.norm({layout}({values}(4, 9, dtype={dtype})), {p}, {dim}{keepdim})",
        prefix="orders",
        p=ORDERS,
        dtype=FLOATS,
        values=VALUES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dims": "(0, 1)", "dim-none": "None"},
        keepdim=KEEPDIM,
    ),
    *cross(
        "linalg.vector_norm",
        "torch.linalg.vector_norm({layout}({values}(3, 2, 5, dtype={dtype})), {p}, {dim}{keepdim})",
        prefix="orders",
        p=ORDERS,
        dtype=FLOATS,
        values=VALUES,
        layout=LAYOUTS,
        dim=DIMS | NONE,
        keepdim=KEEPDIM,
    ),
    *cross(
        "linalg.vector_norm",
        "torch.linalg.vector_norm({values}(3, 9, dtype={dtype}), {p}, {dim}, dtype={result})",
        prefix="result",
        p=ORDERS,
        dtype=FLOATS,
        result=FLOATS,
        dim={"dim0": "0", "dim1": "1", "dims": "(0, 1)"},
        values=named("ordinary large tiny"),
    ),
    # Every reduced dimension has size 1: the norm is the magnitude.
    *cross(
        "linalg.vector_norm",
        "torch.linalg.vector_norm({values}(4, 1, dtype={dtype}), {p}, {dim}{keepdim})",
        prefix="single",
        p=ORDERS,
        dtype=FLOATS,
        values=named("ordinary zeros nan_first infinities"),
        dim={"dim1": "1"},
        keepdim=KEEPDIM,
    ),
    Row("norm/fro", "torch.norm(ordinary(3, 5), 'fro')"),
    Row("norm/fro-dims", "torch.norm(ordinary(3, 5), 'fro', (0, 1))"),
    Row("norm/fro-dim1-keepdim", "torch.norm(ordinary(3, 5), 'fro', 1, keepdim=True)"),
    Row("norm/fro-dims-empty", "torch.norm(ordinary(3, 5), p='fro', dim=())"),
    Row("norm/fro-three-dims", "torch.norm(ordinary(3, 2, 2), p='fro', dim=(0, 1, 2))"),
    Row(
        "norm/fro-three-dims-int64",
        "torch.norm(ordinary(3, 2, 2, dtype=int64), p='fro', dim=(0, 1, 2))",
    ),
    Row("norm/fro-dtype", "torch.norm(ordinary(3, 5), 'fro', 1, dtype=float64)"),
    Row("norm/p-none", "torch.norm(ordinary(3, 5), None)"),
    Row("norm/p-true", "torch.norm(ordinary(3, 5), True)"),
    Row("norm/p-nan", "torch.norm(ordinary(3, 5), nan)"),
    Row("norm/p-large", "torch.norm(ordinary(3, 5), 1e10)"),
    Row("norm/method", "ordinary(3, 5).norm(3, 1, True)"),
    Row("norm/method-p1", "ordinary(3, 5).norm(p=1)"),
    Row("norm/scalar-whole", "torch.tensor(-3.0).norm()"),
    Row("norm/scalar-p0", "torch.tensor(-3.0).norm(0)"),
    Row("norm/scalar-keepdim", "torch.tensor(-3.0).norm(dim=0, keepdim=True)"),
    Row("norm/order-unknown", "torch.norm(ordinary(3, 5), 'foo')"),
    Row("norm/order-unknown-bool", "torch.norm(ordinary(3, 5, dtype=bool), 'max')"),
    Row("norm/nuc-float16", "torch.norm(ordinary(3, 5, dtype=float16), 'nuc')"),
    Row("norm/nuc-int64", "torch.norm(ordinary(3, 5, dtype=int64), 'nuc')"),
    Row("norm/nuc-one-dim", "torch.norm(ordinary(3, 5), 'nuc', 1)"),
    Row("norm/nuc-three-dims", "torch.norm(ordinary(3, 2, 2), 'nuc')"),
    Row("norm/empty", "torch.norm(empty())"),
    Row("norm/empty-inf", "torch.norm(empty(), inf)"),
    Row("norm/empty-dim1-inf", "torch.norm(empty(), inf, 1)"),
    Row("norm/empty-dim1-minus-1", "torch.norm(empty(), -1, 1)"),
    Row("norm/empty-dim0-minus-1", "torch.norm(empty(), -1, 0)"),
    Row("norm/empty-dim1-p3", "torch.norm(empty(), 3, 1)"),
    Row("norm/empty-minus-inf-keepdim", "torch.norm(empty(), -inf, (0, 1), keepdim=True)"),
    Row("linalg.vector_norm/default", "torch.linalg.vector_norm(ordinary(3, 5))"),
    Row("linalg.vector_norm/scalar-p3", "torch.linalg.vector_norm(torch.tensor(-2.5), 3)"),
    Row("linalg.vector_norm/fma-tail", "torch.linalg.vector_norm(ordinary(4, 15), 2, 1)"),
    Row("linalg.vector_norm/overflow", "torch.linalg.vector_norm(large(9), 2)"),
    Row(
        "linalg.vector_norm/overflow-float16",
        "torch.linalg.vector_norm(large(9, dtype=float16), 2)",
    ),
    Row("linalg.vector_norm/underflow", "torch.linalg.vector_norm(tiny(9), 2)"),
    Row("linalg.vector_norm/ord-true", "torch.linalg.vector_norm(ordinary(4), True)"),
    Row("linalg.vector_norm/ord-minus-0.1-empty", "torch.linalg.vector_norm(empty(), -0.1)"),
    Row("linalg.vector_norm/ord-small-empty", "torch.linalg.vector_norm(empty(), -1.25e-7)"),
    Row("linalg.vector_norm/ord-large-empty", "torch.linalg.vector_norm(empty(), -12345678.0)"),
    Row("linalg.vector_norm/ord-digits-empty", "torch.linalg.vector_norm(empty(), -1.23456789)"),
    Row(
        "linalg.vector_norm/empty-minus-2-float", "torch.linalg.vector_norm(empty(), -2.0, (0, 1))"
    ),
    Row("linalg.vector_norm/empty-dims-empty", "torch.linalg.vector_norm(empty(), -inf, ())"),
    Row("linalg.vector_norm/empty-dim-out-minus-1", "torch.linalg.vector_norm(empty(), -1, 3)"),
    Row(
        "linalg.vector_norm/empty-dims-twice-minus-1",
        "torch.linalg.vector_norm(empty(), -1, (0, 0))",
    ),
    Row(
        "linalg.vector_norm/empty-dim1-dtype-int",
        "torch.linalg.vector_norm(empty(), -1, 1, dtype=int64)",
    ),
    Row("linalg.vector_norm/dtype-int64", "torch.linalg.vector_norm(ordinary(3), 2, dtype=int64)"),
    Row(
        "linalg.vector_norm/dtype-before-dim",
        "torch.linalg.vector_norm(ordinary(3), 2, 4, dtype=bool)",
    ),
)

SPREADS = (
    *cross(
        "var",
        "{layout}({values}(3, 7, dtype={dtype})).var({dim}, correction={correction}{keepdim})",
        prefix="correction",
        correction=named("0 1 2 0.5 3 7 -1"),
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dims": "(1, 0)", "dim-none": "None"},
        values=named("ordinary large tiny nan_middle"),
        keepdim=KEEPDIM,
    ),
    *cross(
        "std_mean",
        "torch.std_mean({layout}({values}(3, 7, dtype={dtype})), {dim}, correction={correction})",
        prefix="correction",
        correction=named("0 1 2 0.5 3 7 22"),
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dims": "(1, 0)", "dim-none": "None"},
        values=named("ordinary cancelling infinities"),
    ),
    *cross(
        "std",
        "torch.std({values}(4, 6, dtype={dtype}), {dim}unbiased={unbiased})",
        prefix="unbiased",
        unbiased=named("True False"),
        dtype=FLOATS,
        values=named("ordinary positive"),
        dim={"all": "", "dim0": "0, ", "dims": "(0, 1), "},
    ),
    *cross(
        "var_mean",
        "torch.var_mean({values}(4, 6, dtype={dtype}), {dim}unbiased={unbiased})",
        prefix="unbiased",
        unbiased=named("True False"),
        dtype=FLOATS,
        values=named("ordinary positive"),
        dim={"all": "", "dim0": "0, ", "dims": "(0, 1), "},
    ),
    *(
        Row(f"{op}/{name}", f"torch.{op}({arguments})")
        for op in SPREAD_OPS
        for name, arguments in {
            "scalar": "torch.tensor(2.5)",
            "scalar-dim0": "torch.tensor(2.5), 0",
            "scalar-correction-0": "torch.tensor(2.5), correction=0",
            "single": "row(4.0)",
            "single-rows": "ordinary(3, 1), 1",
            "single-rows-keepdim": "ordinary(3, 1), 1, keepdim=True",
            "empty": "torch.zeros(0)",
            "empty-cube": "empty()",
            "empty-dim0": "empty(), 0",
            "empty-dim1": "empty(), 1",
            "offset": "row(16000001.0, 16000002.0, 15999999.0, 16000007.0)",
            "offset-dim0": "row(16000001.0, 16000002.0, 15999999.0, 16000007.0), 0",
            "int64": "ordinary(3, dtype=int64)",
            "bool": "ordinary(3, dtype=bool)",
            "uint32": "ordinary(3, dtype=uint32)",
            "int32-dim-out": "ordinary(3, dtype=int32), 7",
            "dim-out": "ordinary(3, 4), 2",
            "dim-out-negative": "ordinary(3, 4), -3",
            "dims-twice": "ordinary(3, 4), (0, 0)",
            "dims-twice-negative": "ordinary(3, 4), (1, -1)",
            "dims-out-and-twice": "ordinary(3, 4), (0, 0, 9)",
            "dims-empty": "ordinary(3, 4), ()",
            "dim-none-keepdim": "ordinary(3, 4), None, keepdim=True",
            "correction-true": "ordinary(3, 4), 0, correction=True",
        }.items()
    ),
)

RESULTS = (
    *cross(
        "sum",
        "{values}(3, 9, dtype={dtype}).sum({dim}, dtype={result})",
        prefix="to",
        unless=needs_floats,
        dtype=DTYPES,
        result=named("float64 float32 float16 bfloat16 int64 int32 int8 uint8 bool"),
        dim={"dim0": "0", "dim1": "1", "all": "()"},
        values=named("ordinary large positive"),
    ),
    *cross(
        "nansum",
        "{values}(3, 9, dtype={dtype}).nansum({dim}, dtype={result})",
        prefix="to",
        unless=needs_floats,
        dtype=DTYPES,
        result=named("float64 float32 float16 bfloat16 int64 int16 bool"),
        dim={"dim0": "0", "dim1": "1", "all": "()"},
        values=named("ordinary positive nan_first"),
    ),
    *cross(
        "mean",
        "{layout}({values}(3, 9, dtype={dtype})).mean({dim}, dtype={result})",
        prefix="to",
        unless=needs_floats,
        dtype=DTYPES,
        result=FLOATS,
        dim={"dim0": "0", "dim1": "1", "all": "()"},
        values=named("ordinary large"),
        layout=named("contiguous transposed stepped"),
    ),
    *cross(
        "nanmean",
        "{values}(3, 9, dtype={dtype}).nanmean({dim}, dtype={result})",
        prefix="to",
        dtype=FLOATS,
        result=FLOATS,
        dim={"dim0": "0", "dim1": "1", "all": "()"},
        values=named("ordinary nan_middle nan_all"),
    ),
)


def refusals(op: str) -> tuple[Row, ...]:
    """What every op refuses or answers specially: dimensions, emptiness, dtypes."""
    shapes = {
        "dim-out": ("ordinary(3, 4)", "2"),
        "dim-out-negative": ("ordinary(3, 4)", "-3"),
        "dims-out": ("ordinary(3, 4)", "(0, 5)"),
        "dims-twice": ("ordinary(3, 4)", "(0, 0)"),
        "dims-twice-negative": ("ordinary(3, 4)", "(1, 0, -1)"),
        "dims-out-and-twice": ("ordinary(3, 4)", "(0, 0, 9)"),
        "scalar": ("torch.tensor(2.5)", "()"),
        "scalar-dim0": ("torch.tensor(2.5)", "0"),
        "scalar-dim-1": ("torch.tensor(2.5)", "-1"),
        "scalar-dim1": ("torch.tensor(2.5)", "1"),
        "empty-dim0": ("empty()", "0"),
        "empty-dim1": ("empty()", "1"),
        "empty-dim-2": ("empty()", "-2"),
        "empty-dims-0-1": ("empty()", "(0, 1)"),
        "empty-dims-0-2": ("empty()", "(0, 2)"),
        "empty-all": ("empty()", "()"),
        "empty-dim-out": ("empty()", "3"),
        "empty-dims-twice": ("empty()", "(1, 1)"),
        "empty-dims-twice-full": ("empty()", "(0, 0)"),
        "empty-dims-out-last": ("empty()", "(1, 9)"),
        "empty-dims-out-first": ("empty()", "(9, 1)"),
        "empty-vector": ("torch.zeros(0)", "0"),
        "size-1": ("ordinary(1)", "0"),
        "size-1x1": ("ordinary(1, 1)", "(0, 1)"),
        "int64-dim-out": ("ordinary(3, 4, dtype=int64)", "2"),
        "bool-dims-twice": ("ordinary(3, 4, dtype=bool)", "(0, 0)"),
        "uint32-dim-out": ("ordinary(3, 4, dtype=uint32)", "2"),
        "uint32-empty-dim0": ("empty(uint32)", "0"),
        "uint32-empty-dim1": ("empty(uint32)", "1"),
        "uint32-empty-all": ("empty(uint32)", "()"),
        "uint8-empty-dim1": ("empty(uint8)", "1"),
    }
    rows = [
        Row(f"{op}/{name}", CALLS[op].format(x=x, dim=dim, keepdim=""))
        for name, (x, dim) in shapes.items()
    ]
    if op in FLOAT_OPS:
        rows += [
            Row(
                f"{op}/no-{dtype}",
                filled(op, f"ordinary(3, 4, dtype={dtype})", dim="1", keepdim=""),
            )
            for dtype in INTEGERS
        ]
    return tuple(rows)


WHOLE = tuple(
    Row(f"{op}/whole-{dtype}", f"torch.{op}(ordinary(3, 4, dtype={dtype}))")
    for op in ("sum", "nansum", "amax", "amin", "any", "all", "count_nonzero")
    for dtype in DTYPES
)

CORNERS = (
    Row("mean/dtype-int64", "ordinary(3).mean(dtype=int64)"),
    Row("mean/dtype-bool-dim-out", "ordinary(3).mean(4, dtype=bool)"),
    Row("nanmean/dtype-int64", "ordinary(3).nanmean(dtype=int64)"),
    Row("nanmean/dtype-int64-dim-out", "ordinary(3).nanmean(4, dtype=int64)"),
    Row("nanmean/int64-dtype-int64", "ordinary(3, dtype=int64).nanmean(dtype=int64)"),
    Row("nanmean/int64-dtype-float32", "ordinary(3, dtype=int64).nanmean(dtype=float32)"),
    # A 16-bit result of several reduced blocks is summed in float32, without a way through it.
    *cross(
        "sum",
        "{layout}({values}(5, 3, 4, dtype={dtype})).sum({dim}, dtype={result})",
        prefix="wide",
        dtype={**FLOATS, "int32": "int32", "int64": "int64"},
        result=named("float16 bfloat16"),
        values=named("large ordinary"),
        layout=named("narrowed stepped permuted expanded"),
        dim={"dims-0-2": "(0, 2)", "dims-1-2": "(1, 2)", "all": "()"},
    ),
    # The count of 2,049 is no float16; alone it is not rounded to one.
    Row("nanmean/float16-one-count", "positive(1, dtype=float16).expand(2049).nanmean()"),
    Row("nanmean/float16-counts", "positive(2, 1, dtype=float16).expand(2, 2049).nanmean(1)"),
    Row("nanmean/bfloat16-counts", "positive(2, 1, dtype=bfloat16).expand(2, 259).nanmean(1)"),
    Row("nanmean/bfloat16-one-count", "positive(1, 1, dtype=bfloat16).expand(1, 259).nanmean(1)"),
    Row("nansum/dtype-uint32", "ordinary(3).nansum(dtype=uint32)"),
    *cross(
        "nansum",
        "row(nan, 2.75, inf, -1.5, -inf, inf, dtype={dtype})[:{length}].nansum(dtype={result})",
        prefix="not-finite",
        dtype=FLOATS,
        result=named("int64 int32 int16 int8 uint8 bool"),
        length=named("2 3 5 6"),
    ),
    Row("sum/dtype-uint32", "ordinary(3, dtype=int64).sum(dtype=uint32)"),
    Row("sum/dtype-uint32-empty", "empty().sum(dtype=uint32)"),
    Row("sum/dtype-uint32-dim-out", "ordinary(3, dtype=int64).sum(4, dtype=uint32)"),
    Row("sum/minus-zeros", "row(-0.0, -0.0).sum()"),
    Row("nansum/nan-and-minus-zero", "row(-0.0, nan).nansum()"),
    Row("any/nan", "row(0.0, nan).any()"),
    Row("all/minus-zero", "row(1.0, -0.0).all()"),
    Row("any/subnormal", "row(0.0, 1e-45).any()"),
    Row("any/keepdim-no-dim", "torch.any(ordinary(2, 3), None, keepdim=True)"),
    Row("all/uint8-large", "row(2, 255, dtype=uint8).all()"),
    Row("all/uint8-dims-empty", "row(2, 0, dtype=uint8).all(())"),
    Row("any/dims-empty-keepdim", "ties(2, 3).any((), keepdim=True)"),
    Row("count_nonzero/nan-and-zeros", "row(0.0, -0.0, nan, inf, 1e-45).count_nonzero()"),
    Row("count_nonzero/uint32-dim0", "row(0, 5, dtype=uint32).count_nonzero(0)"),
    Row("amax/zeros-two", "row(-0.0, 0.0).amax()"),
    Row("amax/zeros-two-swapped", "row(0.0, -0.0).amax()"),
    Row("amin/zeros-two", "row(0.0, -0.0).amin()"),
    Row("amax/zeros-columns", "zeros(3, 40).amax(0)"),
    Row("amin/zeros-columns", "zeros(3, 40).amin(0)"),
    # A reduced dimension of size 1 that is kept counts as kept where dimensions are sorted.
    Row("var/kept-size-1", "torch.var(tied(), (3, 4, 0, 1), keepdim=True)"),
    Row("var/reduced-size-1", "torch.var(tied(), (3, 4, 0, 1))"),
    Row("sum/kept-size-1", "torch.sum(tied(), (3, 4, 0, 1), keepdim=True)"),
    Row("sum/reduced-size-1", "torch.sum(tied(), (3, 4, 0, 1))"),
    # Two reduced blocks per output: `sum` goes by float32, `nansum` rounds after each block.
    *cross(
        "nansum",
        "{layout}({values}(6, 4, 9, dtype={dtype})).nansum({dim})",
        prefix="blocks",
        dtype=named("float16 bfloat16"),
        layout=named("narrowed stepped permuted"),
        values=named("ordinary swallowing"),
        dim={"dims-0-2": "(0, 2)", "dims-1-2": "(1, 2)", "all": "()"},
    ),
    *cross(
        "sum",
        "{layout}({values}(6, 4, 9, dtype={dtype})).sum({dim})",
        prefix="blocks",
        dtype=named("float16 bfloat16"),
        layout=named("narrowed stepped permuted"),
        values=named("ordinary swallowing"),
        dim={"dims-0-2": "(0, 2)", "dims-1-2": "(1, 2)", "all": "()"},
    ),
)

# A result in a tensor of the caller's. Reduced into uint8, elements are uint8 before the test.
OUT = tuple(
    Row(f"{op}/out-{special}", f"torch.{op}({arguments})")
    for op in ("any", "all")
    for special, arguments in (
        *(
            (f"of-{dtype}", f"steps, dim=0, out=torch.zeros(3, dtype={dtype})")
            for dtype in ("bool", "uint8", "int64", "float32", "int8", "bfloat16", "uint32")
        ),
        *(
            (f"uint8-from-{dtype}", f"halves.to({dtype}), dim=0, out=torch.zeros(3, dtype=uint8)")
            for dtype in (
                "bool",
                "uint8",
                "int16",
                "int8",
                "uint32",
                "float64",
                "float16",
                "bfloat16",
            )
        ),
        ("bool-from-uint8", "steps.to(uint8), dim=0, out=torch.zeros(3, dtype=bool)"),
        ("uint8-everything", "steps, out=torch.tensor(5, dtype=uint8)"),
        ("uint8-two-dims", "steps, dim=(0, 1), out=torch.tensor(5, dtype=uint8)"),
        ("uint8-no-dims", "steps, dim=(), out=torch.zeros((2, 3), dtype=uint8)"),
        ("uint8-keepdim", "steps, dim=1, keepdim=True, out=torch.zeros((2, 1), dtype=uint8)"),
        ("uint8-scalar", "torch.tensor(256), out=torch.tensor(0, dtype=uint8)"),
        ("uint8-scalar-dim", "torch.tensor(256), dim=0, out=torch.tensor(0, dtype=uint8)"),
        ("uint8-one-element", "torch.tensor([[256]]), dim=0, out=torch.zeros(1, dtype=uint8)"),
        ("uint8-one-each", "torch.tensor([[256, 3]]), dim=0, out=torch.zeros(2, dtype=uint8)"),
        ("uint8-half", "torch.tensor(0.5), out=torch.tensor(0, dtype=uint8)"),
        ("uint8-negative", "row(-1.0, -0.5, 300.0)[None], dim=0, out=torch.zeros(3, dtype=uint8)"),
        ("uint8-strided", "steps, dim=0, out=torch.zeros((3, 2), dtype=uint8)[:, 0]"),
        ("resized", "steps, dim=0, out=torch.zeros(2, dtype=uint8)"),
        ("resized-to-scalar", "steps, out=torch.zeros((3, 2), dtype=bool)"),
        ("resized-one-element", "steps, out=torch.zeros(1, dtype=bool)"),
        ("resized-strided", "steps, dim=0, out=torch.zeros((2, 2), dtype=uint8)[:, 0]"),
        ("filled", "steps, dim=0, out=torch.zeros(0, dtype=uint8)"),
        ("nothing-reduced", "torch.zeros(2, 0), dim=1, out=torch.zeros(2, dtype=uint8)"),
        ("nothing-left", "torch.zeros(2, 0), dim=0, out=torch.zeros(0, dtype=uint8)"),
        ("dim-out-of-range", "steps, dim=5, out=torch.zeros(3, dtype=uint8)"),
        ("dtype-before-dim", "steps, dim=5, out=torch.zeros(3)"),
        ("dim-twice", "steps, dim=(0, 0), out=torch.zeros(2, dtype=uint8)"),
    )
)

ROWS = (
    *OUT,
    *ROWS_BY_DIM,
    *ROWS_OF_ORDER,
    *ROWS_REPEATED,
    *LENGTHS,
    *NORMS,
    *SPREADS,
    *RESULTS,
    *(
        row
        for op in CALLS
        if op not in ("var", "std", "var_mean", "std_mean")
        for row in refusals(op)
    ),
    *WHOLE,
    *CORNERS,
)

SUITE = parity.suite.Suite("reductions", "python/reductions.py", ROWS, namespace)
