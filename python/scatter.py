"""Suite `scatter`: writing by index tensor, by position and by mask.

`scatter`, `scatter_add`, `scatter_reduce`, `index_add`, `index_reduce`, `index_copy`,
`index_fill`, `index_put`, assignment to brackets, `put`, `masked_scatter` and the functions that
write a view into a copy. Where several values meet at one element, inputs are made so that the
order and the width of the sum show. Run `python/generate.py --only scatter`.
"""

from typing import Any

import index
import parity.suite
from parity import tensors
from parity.cross import cross, named
from parity.suite import Row

import torch

DTYPES, LAYOUTS, INDEX_LAYOUTS = index.DTYPES, index.LAYOUTS, index.INDEX_LAYOUTS
FLOATS = named("float64 float32 float16 bfloat16")


@tensors.unrecorded
def pile(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A column of values whose sum shows its order and the width that it is kept in.

    The first integer whose successor the dtype lacks, 1, 1, its negative, 1/2, 1, and again;
    the same in every column.
    """
    edge = {torch.float64: 2.0**53, torch.float16: 2.0**11, torch.bfloat16: 2.0**8}
    large = edge.get(dtype, 2.0**24)
    pattern = (large, 1.0, 1.0, -large, 0.5, 1.0)
    column = torch.tensor([pattern[k % 6] for k in range(shape[0])], dtype=torch.float64)
    column = column.reshape(-1, *(1 for _ in shape[1:]))
    return column.expand(shape).contiguous().to(dtype)


@tensors.unrecorded
def rows(values: list[int], width: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """An index each of whose rows repeats one value, expanded as graph libraries do it."""
    return torch.tensor(values, dtype=dtype).reshape(-1, 1).expand(len(values), width)


@tensors.unrecorded
def full_rows(values: list[int], width: int) -> torch.Tensor:
    """The same index with every element in memory."""
    return rows(values, width).contiguous()


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return index.namespace() | {"pile": pile, "rows": rows, "full_rows": full_rows}


def op_rows(op: str, *pairs: tuple[str, str]) -> tuple[Row, ...]:
    """Hand-picked rows of one op."""
    return tuple(Row(f"{op}/{special}", expression) for special, expression in pairs)


SCATTER = (
    *cross(
        "scatter",
        "{layout}(numbered(3, 4, dtype={dtype})).scatter({dim}, {order}({index}), {value})",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim-1": "-1", "dim-2": "-2"},
        order=INDEX_LAYOUTS,
        index={
            "3x3": "spots(3, 3, below=3)",
            "1x2": "ids([[2, 0]])",
            "int32": "spots(2, 3, below=3, dtype=int32)",
        },
        value={
            "int": "7",
            "float": "-0.5",
            "bool": "True",
            "added": "2, reduce='add'",
            "multiplied": "3, reduce='multiply'",
            "added-fraction": "0.1, reduce='add'",
        },
        unless=lambda labels: (
            labels.get("dtype") in ("uint8", "uint32") and labels.get("value") == "float"
        ),
    ),
    *cross(
        "scatter",
        "{layout}(numbered(3, 4, dtype={dtype})).scatter({dim}, spots({size}, below=3), "
        "{source}(numbered(4, 4, dtype={dtype})){reduce})",
        prefix="from",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        size={"3x4": "3, 4", "2x2": "2, 2"},
        source=LAYOUTS,
        reduce={"": "", "added": ", reduce='add'", "multiplied": ", reduce='multiply'"},
    ),
    *op_rows(
        "scatter",
        ("vector", "v.scatter(0, ids([4, 0, 4]), row(1.0, 2.0, 3.0))"),
        ("vector-repeats", "v.scatter(0, ids([1, 1, 1]), row(1.0, 2.0, 3.0))"),
        ("scalar", "s.scatter(0, ids(0), row(9.0).sum())"),
        ("scalar-by-vector", "s.scatter(0, ids([0, 0]), row(9.0, 8.0))"),
        ("scalar-value", "s.scatter(-1, ids(0), 4)"),
        ("scalar-out-of-range", "s.scatter(0, ids(1), 4)"),
        ("vector-by-scalar", "v.scatter(0, ids(3), 4)"),
        ("dim-out-of-range", "a.scatter(2, ids([[0]]), 1.0)"),
        ("dim-and-dtype-wrong", "a.scatter(2, ids([[0.0]], float32), 1.0)"),
        ("float-index", "a.scatter(0, ids([[0.0]], float32), 1.0)"),
        ("int16-index", "a.scatter(0, ids([[0]], int16), 1.0)"),
        ("bool-index", "a.scatter(0, mask(1, 3), 1.0)"),
        ("other-dtype", "a.scatter(0, ids([[0]]), ids([[0]]))"),
        ("index-and-other-dtype-wrong", "a.scatter(0, ids([[0.0]], float32), ids([[0]]))"),
        ("other-dtype-no-index", "a.scatter(0, ids([]), ids([[0]]))"),
        ("float-index-empty", "a.scatter(0, ids([], float32), numbered(1, 1))"),
        ("no-index", "a.scatter(0, ids([]), numbered(7))"),
        ("no-index-too-large", "v.char().scatter(0, ids([]), 300)"),
        ("no-index-of-any-shape", "a.scatter(0, ids([]).reshape(0, 9), 3.0)"),
        ("rank-of-index", "a.scatter(0, ids([0]), 1.0)"),
        ("rank-of-index-and-source", "a.scatter(0, ids([0]), row(1.0))"),
        ("rank-of-source", "a.scatter(0, ids([[0]]), row(1.0))"),
        ("rank-of-source-and-size", "a.scatter(0, ids([[0, 0, 0, 0]]), row(1.0))"),
        ("too-wide", "a.scatter(0, ids([[0, 1, 0, 1]]), 1.0)"),
        ("too-wide-with-source", "a.scatter(0, ids([[0, 1, 0, 1]]), numbered(1, 4))"),
        ("source-too-narrow", "a.scatter(0, ids([[0, 1, 0]]), numbered(1, 2))"),
        ("source-too-short", "a.scatter(0, ids([[0, 1], [1, 0]]), numbered(1, 2))"),
        ("source-too-short-along-dim", "v.scatter(0, ids([0, 1, 2]), row(1.0, 2.0))"),
        ("longer-than-target", "v.scatter(0, spots(8, below=5), numbered(9))"),
        ("negative", "v.scatter(0, ids([0, -1]), 1.0)"),
        ("out-of-range", "v.scatter(0, ids([0, 5]), 1.0)"),
        ("out-of-range-dim1", "a.scatter(1, ids([[0], [3]]), 1.0)"),
        ("out-of-range-and-too-large", "v.char().scatter(0, ids([0, 5]), 300)"),
        ("first-out-of-range", "a.scatter(0, ids([[0, 9], [7, 0]]), 1.0)"),
        ("first-out-of-range-transposed", "a.scatter(0, ids([[0, 9], [7, 0]]).t(), 1.0)"),
        ("first-out-of-range-dim1", "a.scatter(1, ids([[0, 9], [7, 0]]).t(), 1.0)"),
        ("first-out-of-range-tall", "a.scatter(0, ids([[0, 9], [0, 0], [7, 0]]), 1.0)"),
        (
            "first-out-of-range-tall-with-source",
            "a.scatter(0, ids([[0, 9], [0, 0], [7, 0]]), numbered(3, 2))",
        ),
        (
            "first-out-of-range-cube",
            "b.scatter(1, ids([[[0, 8], [7, 0]], [[6, 0], [0, 0]]]), 1.0)",
        ),
        ("value-too-large", "v.char().scatter(0, ids([0]), 300)"),
        ("value-too-large-added", "v.char().scatter(0, ids([0]), 300, reduce='add')"),
        ("value-too-large-float16", "v.half().scatter(0, ids([0]), 1e6)"),
        ("value-too-large-float32", "v.scatter(0, ids([0]), 1e39)"),
        ("value-infinite", "v.half().scatter(0, ids([0]), inf)"),
        ("value-nan-to-int", "v.int().scatter(0, ids([0]), nan)"),
        ("value-negative-to-uint8", "v.byte().scatter(0, ids([0]), -1)"),
        ("value-below-0-to-uint8", "v.byte().scatter(0, ids([0]), -1.0)"),
        ("reduce-unknown", "v.scatter(0, ids([0]), 2.0, reduce='sum')"),
        ("reduce-unknown-no-index", "v.scatter(0, ids([]), 2.0, reduce='mean')"),
        ("reduce-unknown-and-rank-wrong", "v.scatter(0, ids([[0]]), 2.0, reduce='mean')"),
        ("reduce-unknown-with-source", "v.scatter(0, ids([0]), row(2.0), reduce='amax')"),
        ("nothing", "none.scatter(1, ids([]).reshape(0, 2), 1.0)"),
        ("out-of-nothing", "none.scatter(0, ids([[0]]), 1.0)"),
        ("nan-kept", "nan_middle(3).scatter(0, ids([0]), row(1.0))"),
        ("expanded-index", "a.scatter(1, ids([[2], [0]]).expand(2, 2), numbered(2, 2))"),
        ("rows", "numbered(2, 17).scatter(0, rows([1, 1], 17), numbered(2, 17))"),
        ("in-place", "v.scatter_(0, ids([2]), row(0.5))"),
        *(
            (
                f"{reduce}-in-order-{dtype}",
                f"zeros(2, dtype={dtype}).scatter(0, ids([0, 0, 0, 0, 0, 0]), "
                f"pile(6, dtype={dtype}), reduce='{reduce}')",
            )
            for dtype in FLOATS
            for reduce in ("add", "multiply")
        ),
        *(
            (
                f"added-number-{dtype}",
                f"zeros(1, dtype={dtype}).scatter(0, ids([0] * 7), 0.1, reduce='add')",
            )
            for dtype in FLOATS
        ),
    ),
)

SCATTER_ADD = (
    *cross(
        "scatter_add",
        "{layout}(numbered(3, 4, dtype={dtype})).scatter_add({dim}, {order}({index}), "
        "{source}(numbered(3, 4, dtype={dtype})))",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim-1": "-1"},
        order=INDEX_LAYOUTS,
        index={
            "3x3": "spots(3, 3, below=3)",
            "3x4-same": "spots(3, 4, below=1)",
            "2x2-int32": "spots(2, 2, below=3, dtype=int32)",
        },
        source=LAYOUTS,
    ),
    *cross(
        "scatter_add",
        "zeros(2, {width}, dtype={dtype}).scatter_add(0, {index}([1, 0, 1, 1, 1, 1, 1], {width}), "
        "{source}(pile(7, {width}, dtype={dtype})))",
        prefix="piled",
        dtype=FLOATS,
        width=named("1 15 16 17"),
        index=named("rows full_rows"),
        source=named("contiguous transposed stepped"),
    ),
    *op_rows(
        "scatter_add",
        ("vector", "v.scatter_add(0, ids([4, 0, 4]), row(1.0, 2.0, 3.0))"),
        ("scalar", "s.scatter_add(0, ids(0), row(9.0).sum())"),
        ("scalar-by-vector", "s.scatter_add(0, ids([0, 0]), row(9.0, 8.0))"),
        ("dim-out-of-range", "v.scatter_add(1, ids([0]), row(1.0))"),
        ("float-index", "v.scatter_add(0, row(0.0), row(1.0))"),
        ("other-dtype", "v.scatter_add(0, ids([0]), ids([1]))"),
        ("rank-of-index", "v.scatter_add(0, ids([[0]]), row(1.0))"),
        ("rank-of-source", "v.scatter_add(0, ids([0]), numbered(1, 1))"),
        ("too-wide", "a.scatter_add(0, ids([[0, 1, 0, 1]]), numbered(1, 4))"),
        ("source-too-short", "v.scatter_add(0, ids([0, 1, 2]), row(1.0, 2.0))"),
        ("negative", "v.scatter_add(0, ids([-1]), row(1.0))"),
        ("out-of-range", "v.scatter_add(0, ids([0, 5]), row(1.0, 2.0))"),
        ("no-index", "v.scatter_add(0, ids([]), row(1.0))"),
        ("nothing", "none.scatter_add(0, ids([]), numbered(1, 3))"),
        ("out-of-nothing", "none.scatter_add(0, ids([[0]]), numbered(1, 3))"),
        ("int8-wraps", "v.char().scatter_add(0, ids([0, 0]), ids([127, 127], int8))"),
        ("bool", "mask(4).scatter_add(0, ids([2, 2]), mask(2))"),
        (
            "uint32-wraps",
            "numbered(2, dtype=uint32).scatter_add(0, ids([0]), ids([2**32 - 1], uint32))",
        ),
        ("int64-wraps", "ids([2**63 - 1]).scatter_add(0, ids([0]), ids([1]))"),
        ("infinities", "zeros(2).scatter_add(0, ids([0, 0, 1]), row(inf, -inf, inf))"),
        ("zeros-keep-signs", "row(-0.0, -0.0).scatter_add(0, ids([0]), row(-0.0))"),
        ("overflows-once", "v.half().scatter_add(0, ids([0, 0]), row(65504.0, -65504.0).half())"),
        # The kernel for rows takes the target to be as narrow as the index.
        ("rows-narrower", "zeros(2, 20).scatter_add(0, rows([0, 1], 16), numbered(2, 16))"),
        ("rows-narrower-source", "zeros(2, 20).scatter_add(0, rows([0, 1], 16), numbered(2, 20))"),
        (
            "full-rows-narrower",
            "zeros(2, 20).scatter_add(0, full_rows([0, 1], 16), numbered(2, 16))",
        ),
        ("rows-fewer", "zeros(3, 16).scatter_add(0, rows([2, 2], 16), numbered(4, 16))"),
        ("rows-int32", "zeros(3, 16).scatter_add(0, rows([2, 2], 16, int32), numbered(2, 16))"),
        (
            "rows-int32-narrow",
            "zeros(3, 15).scatter_add(0, rows([2, 2], 15, int32), numbered(2, 15))",
        ),
        (
            "rows-int32-stepped",
            "zeros(3, 16).scatter_add(0, rows([2, 2], 16, int32), stepped(numbered(2, 16)))",
        ),
        (
            "rows-int32-ints",
            "numbered(3, 16, dtype=int32).scatter_add(0, rows([2, 2], 16, int32), numbered(2, "
            "16, dtype=int32))",
        ),
        ("rows-out-of-range", "zeros(3, 16).scatter_add(0, rows([2, 7, -9], 16), numbered(3, 16))"),
        (
            "rows-cube",
            "zeros(2, 4, 4).scatter_add(0, rows([1, 1, 0], 16).unflatten(1, (4, 4)), numbered(3, "
            "4, 4))",
        ),
        ("one-row", "zeros(2, 16).scatter_add(0, ids([[1]]).expand(1, 16), numbered(1, 16))"),
    ),
)

REDUCTIONS = named("sum prod mean amax amin")
SCATTER_REDUCE = (
    *cross(
        "scatter_reduce",
        "{layout}(numbered(3, 4, dtype={dtype})).scatter_reduce({dim}, {order}({index}), "
        "{source}(numbered(3, 4, dtype={dtype})), '{reduce}'{itself})",
        dtype=DTYPES,
        layout=LAYOUTS,
        reduce=REDUCTIONS,
        itself={"": "", "without-self": ", include_self=False"},
        dim={"dim0": "0", "dim1": "1", "dim-1": "-1"},
        order=INDEX_LAYOUTS,
        index={
            "3x3": "spots(3, 3, below=3)",
            "3x4-same": "spots(3, 4, below=1)",
            "2x2-int32": "spots(2, 2, below=3, dtype=int32)",
        },
        source=LAYOUTS,
    ),
    *cross(
        "scatter_reduce",
        "zeros(2, {width}, dtype={dtype}).scatter_reduce(0, {index}([1, 0, 1, 1, 1, 1, 1], "
        "{width}), "
        "pile(7, {width}, dtype={dtype}), '{reduce}'{itself})",
        prefix="piled",
        dtype=FLOATS,
        reduce=REDUCTIONS,
        itself={"": "", "without-self": ", include_self=False"},
        width=named("1 15 16 17"),
        index=named("rows full_rows"),
    ),
    *cross(
        "scatter_reduce",
        "{values}(2, {width}, dtype={dtype}).scatter_reduce(0, {index}([1, 1, 0], {width}), "
        "{other}(3, {width}, dtype={dtype}), '{reduce}'{itself})",
        prefix="ends",
        dtype=FLOATS,
        reduce=named("amax amin"),
        values=named("zeros nan_first infinities ordinary"),
        other=named("zeros nan_last infinities ties"),
        itself={"": "", "without-self": ", include_self=False"},
        width=named("3 16"),
        index=named("rows full_rows"),
    ),
    *cross(
        "scatter_reduce",
        "(numbered(4, dtype={dtype}) - 3).scatter_reduce(0, ids([3, 1, 1, 1, 0, 0]), "
        "(numbered(6, dtype={dtype}) * 3 - 10), '{reduce}'{itself})",
        prefix="signed",
        dtype=named("int64 int32 int16 int8 uint8"),
        reduce=REDUCTIONS,
        itself={"": "", "without-self": ", include_self=False"},
    ),
    *op_rows(
        "scatter_reduce",
        *(
            (
                f"uint32-{reduce}",
                f"numbered(2, dtype=uint32).scatter_reduce(0, ids([1]), numbered(1, "
                f"dtype=uint32), '{reduce}')",
            )
            for reduce in REDUCTIONS
        ),
        *(
            (
                f"bool-{reduce}-without-self",
                f"mask(3).scatter_reduce(0, ids([1, 1, 0]), mask(3), '{reduce}', "
                "include_self=False)",
            )
            for reduce in REDUCTIONS
        ),
        ("scalar", "s.scatter_reduce(0, ids(0), row(9.0).sum(), 'amax')"),
        ("scalar-by-vector", "s.scatter_reduce(0, ids([0, 0]), row(9.0, 8.0), 'mean')"),
        ("dim-out-of-range", "v.scatter_reduce(1, ids([0]), row(1.0), 'sum')"),
        ("float-index", "v.scatter_reduce(0, row(0.0), row(1.0), 'sum')"),
        ("other-dtype", "v.scatter_reduce(0, ids([0]), ids([1]), 'sum')"),
        ("rank-of-index", "v.scatter_reduce(0, ids([[0]]), row(1.0), 'sum')"),
        ("rank-of-source", "v.scatter_reduce(0, ids([0]), numbered(1, 1), 'sum')"),
        ("too-wide", "a.scatter_reduce(0, ids([[0, 1, 0, 1]]), numbered(1, 4), 'sum')"),
        ("source-too-short", "v.scatter_reduce(0, ids([0, 1, 2]), row(1.0, 2.0), 'sum')"),
        ("unknown", "v.scatter_reduce(0, ids([0]), row(1.0), 'add')"),
        ("unknown-and-dtype-wrong", "v.scatter_reduce(0, ids([0]), ids([1]), 'add')"),
        ("unknown-no-index", "v.scatter_reduce(0, ids([]), row(1.0), 'std')"),
        ("negative", "v.scatter_reduce(0, ids([-1]), row(1.0), 'sum')"),
        ("out-of-range", "v.scatter_reduce(0, ids([0, 5]), row(1.0, 2.0), 'amax')"),
        ("out-of-range-mean", "v.scatter_reduce(0, ids([0, 5]), row(1.0, 2.0), 'mean')"),
        (
            "out-of-range-without-self",
            "v.scatter_reduce(0, ids([0, 5]), row(1.0, 2.0), 'prod', include_self=False)",
        ),
        *(
            (f"no-index-{reduce}", f"v.scatter_reduce(0, ids([]), row(1.0), '{reduce}')")
            for reduce in REDUCTIONS
        ),
        ("no-index-mean-bool", "mask(3).scatter_reduce(0, ids([]), mask(1), 'mean')"),
        (
            "no-index-mean-uint32",
            "numbered(3, dtype=uint32).scatter_reduce(0, ids([]), numbered(1, dtype=uint32), "
            "'mean')",
        ),
        (
            "no-index-mean-without-self",
            "ids([7, -7]).scatter_reduce(0, ids([]), ids([1]), 'mean', include_self=False)",
        ),
        ("nothing", "none.scatter_reduce(0, ids([]), numbered(1, 3), 'amin')"),
        ("out-of-nothing", "none.scatter_reduce(0, ids([[0]]), numbered(1, 3), 'sum')"),
        (
            "int-mean-floors",
            "ids([0, -1, 5]).scatter_reduce(0, ids([0, 0, 1, 2]), ids([-1, 0, -2, -6]), 'mean')",
        ),
        (
            "int8-sum-wraps-mean",
            "ids([100], int8).scatter_reduce(0, ids([0, 0]), ids([100, 100], int8), 'mean')",
        ),
        ("uint8-mean", "ids([200], uint8).scatter_reduce(0, ids([0]), ids([57], uint8), 'mean')"),
        (
            "count-wraps",
            "ids([1], int8).scatter_reduce(0, ids([0] * 129), ids([1] * 129, int8), 'mean')",
        ),
        (
            "count-wraps-to-0",
            "ids([1], uint8).scatter_reduce(0, ids([0] * 255), ids([1] * 255, uint8), 'mean')",
        ),
        (
            "float16-mean-overflows",
            "row(0.0, dtype=float16).scatter_reduce(0, ids([0, 0]), row(6e4, 6e4, "
            "dtype=float16), 'mean')",
        ),
        (
            "float16-mean-rounds-first",
            "row(0.0, dtype=float16).scatter_reduce(0, ids([0] * 4), row(2048.0, 1.0, 0.0, 0.0, "
            "dtype=float16), 'mean')",
        ),
        (
            "bfloat16-count-rounds",
            "row(0.0, dtype=bfloat16).scatter_reduce(0, ids([0] * 256), row(*[1.0] * 256, "
            "dtype=bfloat16), 'mean')",
        ),
        ("nan-in-prod", "row(1.0, 2.0).scatter_reduce(0, ids([0, 1]), row(nan, 3.0), 'prod')"),
        ("nan-of-self", "row(nan, 2.0).scatter_reduce(0, ids([0, 1]), row(5.0, 3.0), 'amax')"),
        (
            "nan-of-self-without",
            "row(nan, 2.0).scatter_reduce(0, ids([0, 0]), row(5.0, 3.0), 'amin', "
            "include_self=False)",
        ),
        (
            "rows-narrower",
            "zeros(2, 20).scatter_reduce(0, rows([0, 1, 1], 16), numbered(3, 16), 'mean')",
        ),
        (
            "rows-narrower-without-self",
            "numbered(2, 20).scatter_reduce(0, rows([1, 1], 16), numbered(2, 16), 'amax', "
            "include_self=False)",
        ),
        (
            "rows-int32",
            "zeros(3, 16).scatter_reduce(0, rows([2, 2], 16, int32), numbered(2, 16), 'prod')",
        ),
        (
            "rows-out-of-range",
            "zeros(3, 16).scatter_reduce(0, rows([2, 7, -9], 16), numbered(3, 16), 'amax')",
        ),
    ),
)

INDEX_ADD = (
    *cross(
        "index_add",
        "{layout}(numbered(3, 4, dtype={dtype})).index_add({dim}, {index}, "
        "{source}(numbered({length}, dtype={dtype})){alpha})",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim-2": "-2"},
        index={
            "repeats": "ids([2, 0, 2])",
            "int32": "ids([1, 1, 0], int32)",
            "stepped": "stepped(ids([2, 1, 0]))",
        },
        source=LAYOUTS,
        length={"": "3, 4"},
        alpha={"": "", "alpha2": ", alpha=2", "alpha-half": ", alpha=0.5", "alpha-1": ", alpha=-1"},
        unless=lambda labels: labels.get("dtype") == "bool" and labels.get("alpha") == "alpha-1",
    ),
    *cross(
        "index_add",
        "{layout}(numbered(2, 4, 3, dtype={dtype})).index_add({dim}, {index}, "
        "{source}(numbered({length}, dtype={dtype})){alpha})",
        prefix="cube",
        dtype=named("float64 float32 float16 bfloat16 int16 uint8 bool uint32"),
        layout=LAYOUTS,
        dim={"dim1": "1", "dim-2": "-2"},
        index={"repeats": "ids([2, 0, 2])", "int32": "ids([1, 1, 3], int32)"},
        source=LAYOUTS,
        length={"": "2, 3, 3"},
        alpha={"": "", "alpha3": ", alpha=3", "alpha-third": ", alpha=0.3"},
    ),
    *cross(
        "index_add",
        "zeros(2, dtype={dtype}).index_add(0, ids([0] * 6{kind}), pile(6, dtype={dtype}){alpha})",
        prefix="piled-vector",
        dtype=FLOATS,
        kind={"": "", "int32": ", int32"},
        alpha={"": "", "alpha3": ", alpha=3", "alpha-third": ", alpha=0.3"},
    ),
    *cross(
        "index_add",
        "zeros(2, {width}, dtype={dtype}).index_add(0, ids([1] * 6{kind}), "
        "pile(6, {width}, dtype={dtype}){alpha})",
        prefix="piled-rows",
        dtype=FLOATS,
        width=named("1 3 15 16 17"),
        kind={"": "", "int32": ", int32"},
        alpha={"": "", "alpha3": ", alpha=3", "alpha-third": ", alpha=0.3"},
    ),
    *cross(
        "index_add",
        "zeros(9, 2, dtype={dtype}).index_add(1, ids([1] * 6{kind}), "
        "transposed(pile(6, 9, dtype={dtype}).t()){alpha})",
        prefix="piled-columns",
        dtype=FLOATS,
        kind={"": "", "int32": ", int32"},
        alpha={"": "", "alpha3": ", alpha=3", "alpha-third": ", alpha=0.3"},
    ),
    *op_rows(
        "index_add",
        ("vector", "v.index_add(0, ids([4, 0, 4]), row(1.0, 2.0, 3.0))"),
        ("vector-alpha", "v.index_add(0, ids([4, 0, 4]), row(1.0, 2.0, 3.0), alpha=0.1)"),
        ("scalar", "s.index_add(0, ids(0), row(9.0).sum())"),
        ("scalar-by-vector", "s.index_add(0, ids([0]), row(9.0).sum(), alpha=3)"),
        ("scalar-and-vector-source", "s.index_add(0, ids([0]), row(9.0))"),
        ("vector-and-scalar-source", "v.index_add(0, ids([0]), row(9.0).sum())"),
        ("scalar-index", "v.index_add(0, ids(2), row(9.0))"),
        ("scalar-source-two-ids", "v.index_add(0, ids([0, 1]), row(1.0).sum())"),
        ("scalar-source-no-ids", "s.index_add(0, ids([]), row(1.0).sum())"),
        ("dim-out-of-range", "v.index_add(1, ids([0]), row(1.0))"),
        ("dim-and-index-wrong", "v.index_add(1, ids([[0]]), row(1.0))"),
        ("index-matrix", "v.index_add(0, ids([[0]]), row(1.0))"),
        ("index-matrix-of-floats", "v.index_add(0, ids([[0.0], [1.0]], float32), row(1.0))"),
        ("float-index", "v.index_add(0, row(0.0), row(1.0))"),
        ("float-index-and-other-dtype", "v.index_add(0, row(0.0), ids([1]))"),
        ("bool-index", "v.index_add(0, mask(1), row(1.0))"),
        ("other-dtype", "v.index_add(0, ids([0]), ids([1]))"),
        ("other-dtype-and-count", "v.index_add(0, ids([0, 1]), ids([1]))"),
        ("source-too-flat", "a.index_add(1, ids([0]), row(1.0))"),
        ("source-scalar-dim1", "a.index_add(1, ids([0]), row(1.0).sum())"),
        ("source-scalar-dim0", "a.index_add(0, ids([0]), row(1.0).sum())"),
        ("count", "v.index_add(0, ids([0, 1]), row(1.0))"),
        ("count-and-shape", "a.index_add(0, ids([0, 1]), numbered(3, 9))"),
        ("shape", "a.index_add(0, ids([0, 1]), numbered(2, 2))"),
        ("shape-broadcast", "a.index_add(0, ids([0, 1]), numbered(2, 1))"),
        ("shape-rank", "a.index_add(0, ids([0]), numbered(1, 1, 1))"),
        ("shape-flat", "a.index_add(0, ids([0, 1]), row(1.0, 2.0))"),
        ("negative-vector", "v.index_add(0, ids([0, -1]), row(1.0, 2.0))"),
        ("negative-rows", "a.index_add(0, ids([0, -1]), numbered(2, 3))"),
        ("negative-rows-alpha", "a.index_add(0, ids([0, -1]), numbered(2, 3), alpha=2)"),
        ("negative-middle", "b.index_add(1, ids([0, -1]), numbered(2, 2, 4))"),
        ("out-of-range-vector", "v.index_add(0, ids([5]), row(1.0))"),
        ("out-of-range-rows", "a.index_add(0, ids([7, 9]), numbered(2, 3))"),
        ("out-of-range-columns", "a.index_add(1, ids([7, 9]), numbered(2, 2))"),
        ("out-of-range-int32", "a.index_add(0, ids([7, 9], int32), numbered(2, 3))"),
        (
            "out-of-range-int32-uint32",
            "a.to(uint32).index_add(0, ids([9, 0], int32), numbered(2, 3, dtype=uint32))",
        ),
        (
            "out-of-range-and-alpha-too-large",
            "a.char().index_add(0, ids([9, 0]), numbered(2, 3, dtype=int8), alpha=300)",
        ),
        (
            "out-of-range-second-and-alpha-too-large",
            "a.char().index_add(0, ids([0, 9]), numbered(2, 3, dtype=int8), alpha=300)",
        ),
        ("alpha-1.0", "a.index_add(0, ids([0, 9]), numbered(2, 3), alpha=1.0)"),
        ("alpha-true", "a.index_add(0, ids([0, 9]), numbered(2, 3), alpha=True)"),
        ("alpha-too-large", "v.char().index_add(0, ids([0]), ids([1], int8), alpha=300)"),
        (
            "alpha-too-large-rows",
            "a.char().index_add(0, ids([0]), numbered(1, 3, dtype=int8), alpha=300)",
        ),
        ("alpha-too-large-float16", "v.half().index_add(0, ids([0]), row(1.0).half(), alpha=1e6)"),
        (
            "alpha-too-large-float16-rows",
            "a.half().index_add(0, ids([0]), numbered(1, 3, dtype=float16), alpha=1e6)",
        ),
        ("alpha-negative-uint8", "v.byte().index_add(0, ids([0]), ids([3], uint8), alpha=-2)"),
        ("alpha-truncated", "v.long().index_add(0, ids([0]), ids([3]), alpha=1.9)"),
        ("alpha-truncated-rows", "a.long().index_add(0, ids([0]), ids([[3, 3, 3]]), alpha=1.9)"),
        ("alpha-0", "v.index_add(0, ids([0]), row(inf), alpha=0)"),
        ("alpha-bool-0", "mask(3).index_add(0, ids([1, 1]), mask(2), alpha=0)"),
        ("alpha-bool-false-rows", "mask(2, 2).index_add(0, ids([1]), mask(1, 2), alpha=False)"),
        ("alpha-bool-2", "mask(2, 2).index_add(0, ids([1]), mask(1, 2), alpha=2)"),
        ("alpha-nan", "v.index_add(0, ids([0]), row(1.0), alpha=nan)"),
        ("alpha-nan-int", "v.int().index_add(0, ids([0]), ids([1], int32), alpha=nan)"),
        ("no-index", "v.index_add(0, ids([]), numbered(0))"),
        ("no-index-rows", "a.index_add(0, ids([]), numbered(0, 3))"),
        ("no-index-uint32", "v.to(uint32).index_add(0, ids([]), numbered(0, dtype=uint32))"),
        ("no-index-alpha-too-large", "v.char().index_add(0, ids([]), ids([], int8), alpha=300)"),
        (
            "no-index-rows-alpha-too-large",
            "a.char().index_add(0, ids([]), numbered(0, 3, dtype=int8), alpha=300)",
        ),
        ("into-nothing", "none.index_add(0, ids([5]), numbered(1, 3))"),
        ("into-flat", "flat.index_add(0, ids([5]), numbered(1, 0))"),
        ("into-empty-vector", "numbered(0).index_add(0, ids([0]), row(1.0))"),
        ("fused", "zeros(2, 1).index_add(0, ids([0, 0]), ids([[0.1], [0.7]], float32), alpha=1.1)"),
        ("fused-long", "numbered(2, 35).index_add(0, ids([0, 0]), ordinary(2, 35), alpha=1.1)"),
        ("unfused-vector", "numbered(2).index_add(0, ids([0, 0]), row(0.1, 0.7), alpha=1.1)"),
        (
            "fused-float64",
            "zeros(2, 9, dtype=float64).index_add(0, ids([0, 0], int32), ordinary(2, 9, "
            "dtype=float64), alpha=1.1)",
        ),
        ("in-place", "v.index_add_(0, ids([1, 1]), row(1.0, 2.0))"),
    ),
)

INDEX_REDUCE = (
    *cross(
        "index_reduce",
        "{layout}(numbered(3, 4, dtype={dtype})).index_reduce({dim}, {index}, "
        "{source}(numbered(3, 4, dtype={dtype})), '{reduce}'{itself})",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim-2": "-2"},
        index={
            "repeats": "ids([2, 0, 2])",
            "int32": "ids([1, 1, 0], int32)",
            "stepped": "stepped(ids([2, 1, 0]))",
        },
        source=LAYOUTS,
        reduce=named("prod mean amax amin"),
        itself={"": "", "without-self": ", include_self=False"},
    ),
    *cross(
        "index_reduce",
        "{layout}(numbered(2, 4, 3, dtype={dtype})).index_reduce({dim}, {index}, "
        "{source}(numbered(2, 3, 3, dtype={dtype})), '{reduce}'{itself})",
        prefix="cube",
        dtype=named("float32 bfloat16 int8"),
        layout=LAYOUTS,
        dim={"dim1": "1", "dim-2": "-2"},
        index={"repeats": "ids([2, 0, 2])", "int32": "ids([1, 1, 3], int32)"},
        source=LAYOUTS,
        reduce=named("prod mean amax amin"),
        itself={"": "", "without-self": ", include_self=False"},
    ),
    *cross(
        "index_reduce",
        "zeros({target}, dtype={dtype}).index_reduce(0, {index}, "
        "pile({source}, dtype={dtype}), '{reduce}'{itself})",
        prefix="piled-vector",
        dtype=FLOATS,
        target={"": "2"},
        source={"": "6"},
        index={"": "ids([0] * 6)", "int32": "ids([0] * 6, int32)"},
        reduce=named("prod mean amax amin"),
        itself={"": "", "without-self": ", include_self=False"},
    ),
    *cross(
        "index_reduce",
        "zeros(2, {width}, dtype={dtype}).index_reduce(0, {index}, "
        "pile(6, {width}, dtype={dtype}), '{reduce}'{itself})",
        prefix="piled-rows",
        dtype=FLOATS,
        width=named("1 16 17"),
        index={"": "ids([0] * 6)", "int32": "ids([0] * 6, int32)"},
        reduce=named("prod mean"),
        itself={"": "", "without-self": ", include_self=False"},
    ),
    # Which operand a tie of zeros keeps depends on where it lies in a line.
    *cross(
        "index_reduce",
        "{left}({shape}, dtype={dtype}).index_reduce({dim}, ids([0, 1, 0]), "
        "{layout}({right}({source}, dtype={dtype})), '{reduce}')",
        prefix="ends-rows",
        dtype=FLOATS,
        left=named("zeros nan_first infinities"),
        right=named("zeros nan_last infinities ordinary"),
        shape={"": "2, 35"},
        source={"": "3, 35"},
        dim={"": "0"},
        layout=named("contiguous transposed stepped"),
        reduce=named("amax amin"),
    ),
    *cross(
        "index_reduce",
        "{left}(35, 2, dtype={dtype}).index_reduce(1, ids([0, 1, 0]), "
        "{layout}({right}(35, 3, dtype={dtype})), '{reduce}')",
        prefix="ends-columns",
        dtype=named("float32 float16"),
        left=named("zeros nan_first"),
        right=named("zeros nan_last"),
        layout=named("contiguous transposed"),
        reduce=named("amax amin"),
    ),
    *cross(
        "index_reduce",
        "{left}(3, dtype={dtype}).index_reduce(0, ids([0, 1, 0, 1]), "
        "{right}(4, dtype={dtype}), '{reduce}')",
        prefix="ends-vector",
        dtype=FLOATS,
        left=named("zeros nan_first infinities"),
        right=named("zeros nan_last infinities ordinary"),
        reduce=named("amax amin"),
    ),
    *op_rows(
        "index_reduce",
        ("scalar", "s.index_reduce(0, ids([0]), row(9.0).sum(), 'prod')"),
        ("scalar-mean", "s.index_reduce(0, ids(0), row(9.0).sum(), 'mean')"),
        (
            "scalar-mean-without-self",
            "s.index_reduce(0, ids(0), row(9.0).sum(), 'mean', include_self=False)",
        ),
        # A slice of one value can be multiplied once in the 16-bit types.
        (
            "float16-one-column-once",
            "zeros(2, 1, dtype=float16).index_reduce(0, ids([1]), row(3.0).half()[:, None], "
            "'prod')",
        ),
        (
            "float16-one-column-twice",
            "zeros(2, 1, dtype=float16).index_reduce(0, ids([1, 0]), numbered(2, 1, "
            "dtype=float16), 'prod')",
        ),
        (
            "bfloat16-one-value-twice",
            "zeros(2, 3, dtype=bfloat16).index_reduce(0, ids([1, 0]), expanded(numbered(2, 3, "
            "dtype=bfloat16)), 'prod')",
        ),
        (
            "float16-one-column-out-of-range",
            "zeros(2, 1, dtype=float16).index_reduce(0, ids([1, 9]), numbered(2, 1, "
            "dtype=float16), 'prod')",
        ),
        (
            "float16-one-column-mean",
            "zeros(2, 1, dtype=float16).index_reduce(0, ids([1, 1]), numbered(2, 1, "
            "dtype=float16), 'mean')",
        ),
        (
            "float32-one-column-twice",
            "zeros(2, 1).index_reduce(0, ids([1, 1]), numbered(2, 1), 'prod')",
        ),
        ("unknown", "v.index_reduce(0, ids([0]), row(1.0), 'sum')"),
        ("unknown-and-dim", "v.index_reduce(1, ids([0]), row(1.0), 'add')"),
        ("scalar-source-two-ids", "v.index_reduce(0, ids([0, 1]), row(1.0).sum(), 'amax')"),
        ("dim-out-of-range", "v.index_reduce(1, ids([0]), row(1.0), 'prod')"),
        ("index-matrix", "v.index_reduce(0, ids([[0]]), row(1.0), 'prod')"),
        ("float-index", "v.index_reduce(0, row(0.0), row(1.0), 'prod')"),
        ("other-dtype", "v.index_reduce(0, ids([0]), ids([1]), 'prod')"),
        ("source-too-flat", "a.index_reduce(1, ids([0]), row(1.0), 'prod')"),
        ("count", "v.index_reduce(0, ids([0, 1]), row(1.0), 'prod')"),
        ("shape", "a.index_reduce(0, ids([0, 1]), numbered(2, 2), 'prod')"),
        ("shape-broadcast", "a.index_reduce(0, ids([0, 1]), numbered(2, 1), 'prod')"),
        ("negative", "v.index_reduce(0, ids([-1]), row(1.0), 'amax')"),
        (
            "negative-without-self",
            "v.index_reduce(0, ids([-1]), row(1.0), 'amax', include_self=False)",
        ),
        ("out-of-range", "a.index_reduce(0, ids([2]), numbered(1, 3), 'amax')"),
        (
            "out-of-range-without-self",
            "a.index_reduce(0, ids([2]), numbered(1, 3), 'amax', include_self=False)",
        ),
        ("out-of-range-mean", "a.index_reduce(1, ids([3]), numbered(2, 1), 'mean')"),
        ("no-index", "v.index_reduce(0, ids([]), numbered(0), 'mean')"),
        ("no-index-rows", "a.index_reduce(0, ids([]), numbered(0, 3), 'mean')"),
        ("no-index-bool", "mask(3).index_reduce(0, ids([]), mask(0), 'prod')"),
        ("no-index-bool-rows", "mask(2, 2).index_reduce(0, ids([]), mask(0, 2), 'mean')"),
        ("into-nothing", "none.index_reduce(0, ids([5]), numbered(1, 3), 'amax')"),
        (
            "into-nothing-without-self",
            "none.index_reduce(0, ids([5]), numbered(1, 3), 'amax', include_self=False)",
        ),
        ("into-flat", "flat.index_reduce(0, ids([5]), numbered(1, 0), 'amax')"),
        ("into-flat-mean", "flat.index_reduce(0, ids([1]), numbered(1, 0), 'mean')"),
        ("into-flat-columns", "flat.index_reduce(1, ids([0]), numbered(3, 1), 'prod')"),
        (
            "int-mean-floors",
            "ids([0, -1, 5]).index_reduce(0, ids([0, 0, 1, 2]), ids([-1, 0, -2, -6]), 'mean')",
        ),
        (
            "int-mean-floors-rows",
            "ids([[0, -1, 5]]).index_reduce(0, ids([0, 0]), ids([[-1, 0, -2], [0, 0, -6]]), "
            "'mean')",
        ),
        (
            "float16-mean-rounds-steps",
            "row(0.0, dtype=float16).index_reduce(0, ids([0] * 4), row(2048.0, 1.0, 1.0, 1.0, "
            "dtype=float16), 'mean')",
        ),
        (
            "float16-mean-overflows",
            "row(0.0, dtype=float16).index_reduce(0, ids([0, 0]), row(6e4, 6e4, dtype=float16), "
            "'mean')",
        ),
    ),
)

INDEX_COPY = (
    *cross(
        "index_copy",
        "{layout}(numbered(3, 4, dtype={dtype})).index_copy({dim}, {order}(ids({index})), "
        "{source}(zeros({length}, dtype={dtype})))",
        prefix="rows",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim-2": "-2"},
        order=named("contiguous narrowed stepped"),
        index={"repeats": "[2, 0, 2]", "all": "[1, 2, 0]"},
        length={"": "3, 4"},
        source=LAYOUTS,
    ),
    *cross(
        "index_copy",
        "{layout}(zeros(2, 3, 3, dtype={dtype})).index_copy({dim}, ids([1, 1]), "
        "{source}(numbered(2, 2, 3, dtype={dtype})))",
        prefix="cube",
        dtype=named("float32 int16 bool"),
        layout=LAYOUTS,
        dim={"dim1": "1", "dim-2": "-2"},
        source=LAYOUTS,
    ),
    *op_rows(
        "index_copy",
        ("vector", "v.index_copy(0, ids([4, 0, 4]), row(1.0, 2.0, 3.0))"),
        ("columns", "a.index_copy(1, ids([2, 0]), numbered(2, 2))"),
        ("scalar", "s.index_copy(0, ids([0]), row(9.0))"),
        ("scalar-from-scalar", "s.index_copy(0, ids(0), row(9.0).sum())"),
        ("vector-from-scalar", "v.index_copy(0, ids(2), row(9.0).sum())"),
        ("dim-out-of-range", "v.index_copy(1, ids([0]), row(1.0))"),
        ("index-matrix", "v.index_copy(0, ids([[0]]), row(1.0))"),
        ("scalar-source-two-ids", "a.index_copy(0, ids([0, 1]), row(1.0).sum())"),
        ("scalar-source", "a.index_copy(0, ids([0]), row(1.0).sum())"),
        ("scalar-source-no-ids", "a.index_copy(0, ids([]), row(1.0).sum())"),
        ("rank", "a.index_copy(0, ids([0, 1]), row(1.0, 2.0))"),
        ("rank-and-dtypes-wrong", "a.index_copy(0, ids([0], int32), ids([1]))"),
        ("int32-index", "v.index_copy(0, ids([0], int32), row(1.0))"),
        ("float-index", "v.index_copy(0, row(0.0), row(1.0))"),
        ("int32-index-and-other-dtype", "v.index_copy(0, ids([0], int32), ids([1]))"),
        ("other-dtype", "v.index_copy(0, ids([0]), ids([1]))"),
        ("other-dtype-and-shape", "a.index_copy(0, ids([0]), ids([[1]]))"),
        ("shape", "a.index_copy(0, ids([0, 1]), numbered(2, 2))"),
        ("shape-dim1", "a.index_copy(1, ids([0, 1]), numbered(3, 2))"),
        ("shape-cube", "b.index_copy(1, ids([0, 1]), numbered(2, 2, 3))"),
        ("shape-and-count", "a.index_copy(0, ids([0, 1]), numbered(3, 2))"),
        ("count", "a.index_copy(0, ids([0, 1]), numbered(3, 3))"),
        ("count-vector", "v.index_copy(0, ids([0]), row(1.0, 2.0))"),
        ("negative", "v.index_copy(0, ids([-1]), row(1.0))"),
        ("out-of-range", "a.index_copy(0, ids([0, 2]), numbered(2, 3))"),
        ("out-of-range-columns", "a.index_copy(1, ids([9, 7]), numbered(2, 2))"),
        ("out-of-range-scalar", "s.index_copy(0, ids([1]), row(9.0))"),
        ("no-index", "a.index_copy(0, ids([]), numbered(0, 3))"),
        (
            "no-index-uint32",
            "numbered(2, dtype=uint32).index_copy(0, ids([]), numbered(0, dtype=uint32))",
        ),
        ("into-nothing", "none.index_copy(0, ids([7]), numbered(1, 3))"),
        (
            "into-nothing-float64",
            "none.double().index_copy(0, ids([0, 0]), zeros(2, 3, dtype=float64))",
        ),
        ("into-empty-vector", "numbered(0).index_copy(0, ids([0]), row(1.0))"),
        ("into-flat", "flat.index_copy(0, ids([7]), numbered(1, 0))"),
        ("into-flat-columns", "flat.index_copy(1, ids([0]), numbered(3, 1))"),
    ),
)

INDEX_FILL = (
    *cross(
        "index_fill",
        "{layout}(numbered(3, 4, dtype={dtype})).index_fill({dim}, {order}(ids({index})), {value})",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim-1": "-1", "dim-2": "-2"},
        order=named("contiguous narrowed stepped"),
        index={"repeats": "[2, 0, 2]", "negative": "[-1, -3]", "scalar": "1", "none": "[]"},
        value={
            "int": "7",
            "float": "2.5",
            "bool": "True",
            "tensor": "row(3.75).sum()",
            "int-tensor": "ids(4, int8)",
            "negative": "-1",
        },
    ),
    *op_rows(
        "index_fill",
        ("vector", "v.index_fill(0, ids([4, 0]), 1.0)"),
        ("scalar", "s.index_fill(0, ids([0]), 1.0)"),
        ("scalar-out-of-range", "s.index_fill(0, ids([1]), 1.0)"),
        ("vector-value", "v.index_fill(0, ids([0]), row(1.0))"),
        ("vector-value-and-index-wrong", "v.index_fill(0, row(0.0), row(1.0))"),
        ("int32-index", "v.index_fill(0, ids([0], int32), 1.0)"),
        ("float-index-and-dim-wrong", "v.index_fill(1, row(0.0), 1.0)"),
        ("dim-out-of-range", "v.index_fill(1, ids([0]), 1.0)"),
        ("index-matrix", "v.index_fill(0, ids([[0]]), 1.0)"),
        ("index-matrix-and-dim-wrong", "v.index_fill(1, ids([[0]]), 1.0)"),
        ("out-of-range", "v.index_fill(0, ids([0, 5]), 1.0)"),
        ("far-below", "v.index_fill(0, ids([-6]), 1.0)"),
        ("first-out-of-range", "a.index_fill(1, ids([9, 7]), 1.0)"),
        ("too-large", "v.char().index_fill(0, ids([0]), 300)"),
        ("too-large-tensor", "v.char().index_fill(0, ids([0]), ids(300))"),
        ("too-large-and-out-of-range", "v.char().index_fill(0, ids([9]), 300)"),
        ("too-large-float16", "v.half().index_fill(0, ids([0]), 7e4)"),
        ("infinity", "v.half().index_fill(0, ids([0]), inf)"),
        ("nan-to-int", "v.int().index_fill(0, ids([0]), nan)"),
        ("below-0-to-uint8", "v.byte().index_fill(0, ids([0]), -1.0)"),
        ("into-nothing", "none.index_fill(0, ids([7]), 1.0)"),
        ("into-nothing-and-uint32", "none.to(uint32).index_fill(0, ids([7]), 1)"),
        ("into-empty-vector", "numbered(0).index_fill(0, ids([0]), 1.0)"),
        ("into-flat", "flat.index_fill(0, ids([7]), 1.0)"),
        ("into-flat-too-large", "flat.char().index_fill(0, ids([7]), 300)"),
        ("into-flat-columns", "flat.index_fill(1, ids([0]), 1.0)"),
    ),
)

INDEX_PUT = (
    *cross(
        "index_put",
        "{layout}(numbered(3, 4, 2, dtype={dtype})).index_put(({index},), "
        "{value}(zeros({size}dtype={dtype})){accumulate})",
        dtype=DTYPES,
        layout=LAYOUTS,
        index={
            "ids": "ids([2, 0, 2])",
            "negative": "ids([-1, -3, -1])",
            "int32": "ids([2, 0, 2], int32)",
            "mask": "mask(3) | True",
        },
        value=named("contiguous transposed stepped expanded"),
        size={"whole": "3, 4, 2, ", "row": "4, 1, ", "one": "1, ", "scalar": ""},
        accumulate={"": "", "accumulated": ", accumulate=True"},
    ),
    *cross(
        "index_put",
        "{layout}(numbered(3, 4, dtype={dtype})).index_put(({index}), "
        "{value}(numbered({size}, dtype={dtype})){accumulate})",
        prefix="pairs",
        dtype=DTYPES,
        layout=LAYOUTS,
        index={
            "pairs": "ids([2, 0, 2]), ids([1, 3, 1])",
            "broadcast": "ids([[2], [0]]), ids([1, 3, 1])",
            "matrix": "spots(2, 3, below=3), spots(2, 3, below=2)",
            "transposed": "spots(3, 2, below=3).t(), spots(3, 2, below=2).t()",
            "mixed": "ids([[2], [0]], int32), ids([1, 1, 0])",
        },
        value=named("contiguous transposed stepped"),
        size={"row": "3", "one": "1"},
        accumulate={"": "", "accumulated": ", accumulate=True"},
    ),
    # Values that meet come in the order in which the iterator visits target, value and indices.
    *cross(
        "index_put",
        "zeros(2, dtype={dtype}).index_put((ids([0] * 12).reshape(6, 2).{index},), "
        "{value}(cancelling({size}, dtype={dtype})), accumulate={accumulate})",
        prefix="order",
        dtype=FLOATS,
        index={"rows": "contiguous()", "columns": "mT.contiguous().mT"},
        value=named("contiguous transposed stepped"),
        size={"": "6, 2"},
        accumulate={"added": "True", "last": "False"},
    ),
    *cross(
        "index_put",
        "zeros(2, {width}, dtype={dtype}).index_put((ids([1] * 6),), pile(6, {width}, "
        "dtype={dtype}), "
        "accumulate=True)",
        prefix="piled",
        dtype=FLOATS,
        width=named("1 17"),
    ),
    *op_rows(
        "index_put",
        ("mask-fills", "a.index_put((mask(2, 3),), row(9.0))"),
        ("mask-fills-other-dtype", "a.index_put((mask(2, 3),), ids([[9]]))"),
        ("mask-fills-too-large", "a.char().index_put((mask(2, 3),), ids(300))"),
        ("mask-fills-accumulate", "a.index_put((mask(2, 3),), row(9.0), accumulate=True)"),
        (
            "mask-fills-accumulate-other-dtype",
            "a.index_put((mask(2, 3),), ids([9]), accumulate=True)",
        ),
        ("mask-and-vector", "a.index_put((mask(2, 3),), numbered(3))"),
        ("mask-and-wrong-count", "a.index_put((mask(2, 3),), numbered(5))"),
        ("mask-wrong", "a.index_put((mask(3),), row(9.0))"),
        ("mask-wrong-and-vector", "a.index_put((mask(3),), row(9.0, 1.0))"),
        ("mask-too-large", "v.index_put((mask(5, 1),), row(9.0, 1.0))"),
        ("mask-and-ids", "a.index_put((mask(2) | True, ids([0, 2])), row(8.0, 9.0))"),
        ("mask-and-ids-one-value", "a.index_put((mask(2) | True, ids([0, 2])), row(8.0))"),
        ("uint8-fills", "a.index_put((mask(2, dtype=uint8),), row(9.0))"),
        ("uint8-and-vector", "a.index_put((mask(2, dtype=uint8),), numbered(1, 3))"),
        ("uint8-accumulate", "a.index_put((mask(2, dtype=uint8),), row(9.0), accumulate=True)"),
        ("too-many", "v.index_put((ids([0]), ids([0])), row(9.0))"),
        ("too-many-with-mask", "a.index_put((mask(2, 3), ids([0])), row(9.0))"),
        ("too-many-masks", "a.index_put((mask(2), mask(3, 1)), row(9.0, 1.0))"),
        ("float-index", "v.index_put((row(0.0),), row(9.0))"),
        ("int8-index", "v.index_put((ids([0], int8),), row(9.0))"),
        ("no-broadcast", "a.index_put((ids([0, 1]), ids([0, 1, 2])), row(9.0))"),
        ("value-no-broadcast", "a.index_put((ids([0, 1]),), row(9.0, 8.0))"),
        ("value-too-deep", "v.index_put((ids([0, 1]),), numbered(1, 2))"),
        ("value-and-dtype-wrong", "a.index_put((ids([0, 1]),), ids([9, 8]))"),
        ("other-dtype", "a.index_put((ids([0, 1]),), ids(9))"),
        ("other-dtype-and-out-of-range", "a.index_put((ids([0, 7]),), ids(9))"),
        ("out-of-range", "a.index_put((ids([0, 2]),), row(9.0))"),
        ("out-of-range-second", "a.index_put((ids([0, 1]), ids([0, -4])), row(9.0))"),
        ("first-out-of-range", "a.index_put((ids([0, 7]), ids([9, 0])), row(9.0))"),
        ("first-out-of-range-matrix", "v.index_put((ids([[0, 7], [9, 0]]).t(),), row(9.0))"),
        ("scalar-index", "a.index_put((ids(1),), row(7.0, 8.0, 9.0))"),
        ("scalar-indices", "a.index_put((ids(1), ids(2)), row(7.0))"),
        ("into-nothing", "none.index_put((ids([0]),), row(9.0))"),
        ("no-ids-into-nothing", "none.index_put((ids([]),), row(9.0))"),
        ("into-flat", "flat.index_put((ids([7]),), row(9.0))"),
        ("uint32-nothing", "numbered(3, dtype=uint32).index_put((ids([]),), ids(1, uint32))"),
        ("uint32-mask", "numbered(3, dtype=uint32).index_put((mask(3),), ids(1, uint32))"),
        ("bool-accumulate", "mask(4).index_put((ids([1, 1, 2]),), mask(3), accumulate=True)"),
        (
            "int8-accumulate-wraps",
            "ids([100], int8).index_put((ids([0, 0]),), ids(100, int8), accumulate=True)",
        ),
        ("in-place", "v.index_put_((ids([1, 2]),), row(0.0))"),
    ),
)

SETITEM = (
    *cross(
        "setitem",
        "{layout}(numbered(3, 4, 2, dtype={dtype})).__setitem__({index}, {value})",
        prefix="number",
        dtype=DTYPES,
        layout=named("contiguous transposed permuted"),
        index={
            "int": "1",
            "slice": "slice(1, None)",
            "stepped": "(slice(None), slice(None, None, 2))",
            "ellipsis": "...",
            "last": "(..., -1)",
            "none": "None",
            "ids": "ids([2, 0])",
            "matrix-of-ids": "ids([[2, 0], [1, 1]])",
            "int32-ids": "ids([2, 0], int32)",
            "last-ids": "(..., ids([1]))",
            "pairs": "(ids([2, 0]), ids([3, 1]))",
            "apart": "(ids([2, 0]), slice(None), ids([0, 1]))",
            "mask": "mask(3)",
            "mask-whole": "mask(3, 4, 2)",
            "mask-last": "(..., mask(2))",
            "int-and-ids": "(1, ids([0, 3]))",
            "true": "True",
            "false": "False",
            "scalar-ids": "ids(2)",
            "list": "[0, 2]",
        },
        value={"int": "7", "float": "2.5", "bool": "True"},
        # True and False are recorded as masks, which uint32 has no kernel for.
        unless=lambda labels: (
            labels.get("dtype") == "uint32" and labels.get("index") in ("true", "false")
        ),
    ),
    *cross(
        "setitem",
        "{layout}(numbered(3, 4, dtype={dtype})).__setitem__({index}, "
        "{source}(zeros({size}dtype={dtype})))",
        prefix="tensor",
        dtype=DTYPES,
        layout=named("contiguous transposed"),
        index={
            "all": "...",
            "slice": "slice(None, 3)",
            "ids": "ids([2, 0, 2])",
            "mask": "mask(3) | True",
            "none": "None",
            "pairs": "(ids([[2], [0], [1]]), ids([3, 1, 0, 0]))",
        },
        source=named("contiguous transposed stepped expanded"),
        size={
            "whole": "3, 4, ",
            "row": "4, ",
            "column": "3, 1, ",
            "deep": "1, 1, 3, 4, ",
            "scalar": "",
        },
    ),
    *cross(
        "setitem",
        "numbered(3, 2, dtype={dtype}).__setitem__({index}, numbered(2, dtype={other}))",
        prefix="converted",
        dtype=DTYPES,
        index={"int": "1", "slice": "slice(2)"},
        other=DTYPES,
    ),
    *op_rows(
        "setitem",
        ("other-dtype-ids", "a.__setitem__(ids([0]), ids([1, 2, 3]))"),
        ("other-dtype-ids-scalar", "a.__setitem__(ids([0]), ids(1))"),
        ("other-dtype-mask", "a.__setitem__(mask(2), ids([1, 2, 3]))"),
        ("other-dtype-mask-one", "a.__setitem__(mask(2), ids([1]))"),
        ("too-large", "v.char().__setitem__(0, 300)"),
        ("too-large-ids", "v.char().__setitem__(ids([0]), 300)"),
        ("too-large-mask", "v.char().__setitem__(mask(5), 300)"),
        ("too-large-tensor", "v.char().__setitem__(0, ids(300))"),
        ("too-large-tensor-mask", "v.char().__setitem__(mask(5), ids(300))"),
        ("too-large-float16", "v.half().__setitem__(0, 1e6)"),
        ("too-large-and-out-of-range", "v.char().__setitem__(9, 300)"),
        ("too-large-and-ids-out-of-range", "v.char().__setitem__(ids([9]), 300)"),
        ("too-large-and-too-many", "v.char().__setitem__((0, 0), 300)"),
        ("out-of-range", "a.__setitem__(2, 1.0)"),
        ("out-of-range-last", "a.__setitem__((..., -4), 1.0)"),
        ("ids-out-of-range", "a.__setitem__(ids([0, 2]), 1.0)"),
        ("ids-out-of-range-tensor", "a.__setitem__(ids([0, 2]), row(1.0, 2.0, 3.0))"),
        ("ids-out-of-range-columns", "a.__setitem__((slice(None), ids([0, 5])), 1.0)"),
        ("ids-out-of-range-matrix", "a.__setitem__((slice(None), ids([[0, 5]])), 1.0)"),
        (
            "ids-out-of-range-transposed",
            "a.__setitem__((slice(None), ids([[0, 5], [1, 1]]).t()), 1.0)",
        ),
        ("ids-out-of-range-expanded", "a.__setitem__((slice(None), ids([[5]]).expand(2, 3)), 1.0)"),
        ("ids-out-of-range-int32", "a.__setitem__((slice(None), ids([0, 5], int32)), 1.0)"),
        ("ids-out-of-range-columns-tensor", "a.__setitem__((slice(None), ids([0, 5])), row(1.0))"),
        ("ids-out-of-range-after-none", "a.__setitem__((None, slice(None), ids([0, 5])), 1.0)"),
        ("ids-transposed-uint32", "a.to(uint32).__setitem__(ids([[0, 1], [1, 1]]).t(), 1)"),
        ("ids-matrix-uint32", "a.to(uint32).__setitem__(ids([[0, 1], [1, 1]]), 1)"),
        ("too-many", "a.__setitem__((0, 0, 0), 1.0)"),
        ("step-0", "v.__setitem__(slice(None, None, 0), 1.0)"),
        ("step-negative", "v.__setitem__(slice(None, None, -1), 1.0)"),
        ("shape", "a.__setitem__(0, row(1.0, 2.0))"),
        ("shape-last", "a.__setitem__((slice(None), 0), row(1.0, 2.0, 3.0))"),
        ("shape-too-deep", "a.__setitem__(0, numbered(2, 3))"),
        ("shape-too-deep-bool", "a.__setitem__(0, mask(2, 3))"),
        ("shape-too-deep-bfloat16", "a.__setitem__(0, numbered(2, 3, dtype=bfloat16))"),
        ("shape-slice", "a.__setitem__(slice(0, 2), numbered(4))"),
        ("shape-empty", "a.__setitem__(slice(2, None), numbered(4))"),
        ("shape-middle", "b.__setitem__(0, numbered(2, 4))"),
        ("shape-ids", "a.__setitem__(ids([0, 1]), row(1.0, 2.0))"),
        ("shape-mask", "a.__setitem__(mask(2, 3), row(1.0, 2.0))"),
        ("shape-mask-exact", "a.__setitem__(mask(2, 3), row(7.0, 8.0, 9.0))"),
        ("shape-ones", "a.__setitem__(ids([0, 1]), numbered(1, 1, 1, 3))"),
        ("mask-wrong", "a.__setitem__(mask(3), 1.0)"),
        ("mask-wrong-tensor", "a.__setitem__(mask(3), row(1.0, 2.0))"),
        ("uint8-mask", "a.__setitem__(mask(2, dtype=uint8), 1.0)"),
        ("uint8-mask-tensor", "a.__setitem__(mask(2, dtype=uint8), row(1.0, 2.0, 3.0))"),
        ("uint8-scalar", "a.__setitem__(ids(1, uint8), 1.0)"),
        ("float-ids", "a.__setitem__(row(0.0), 1.0)"),
        ("no-broadcast", "a.__setitem__((ids([0, 1]), ids([0, 1, 2])), 1.0)"),
        ("repeats-keep-last", "v.__setitem__(ids([0, 0, 0]), row(1.0, 2.0, 3.0))"),
        ("scalar-ellipsis", "s.__setitem__(..., 9.0)"),
        ("scalar-int", "s.__setitem__(0, 9.0)"),
        ("scalar-int-out-of-range", "s.__setitem__(-1, row(9.0))"),
        ("scalar-int-in-tuple", "s.__setitem__((0, ...), 9.0)"),
        ("nothing-of-slice-ids", "numbered(3, 0, 2).__setitem__((slice(0), ids([0, 0])), 1.0)"),
        ("nothing-behind-offset", "numbered(4, 0).__setitem__((slice(2, None), ids([0])), 1.0)"),
        ("scalar-true", "s.__setitem__(True, 9.0)"),
        ("scalar-none", "s.__setitem__(None, 9.0)"),
        ("nothing", "none.__setitem__(slice(None), 1.0)"),
        ("out-of-nothing", "none.__setitem__(0, 1.0)"),
        ("ids-of-nothing", "none.__setitem__(ids([0]), 1.0)"),
        ("no-ids-of-nothing", "none.__setitem__(ids([]), 1.0)"),
        ("ids-of-flat", "flat.__setitem__(ids([7]), 1.0)"),
        ("nan", "v.__setitem__(1, nan)"),
        ("nan-to-int", "v.int().__setitem__(1, nan)"),
        ("nan-to-int-ids", "v.int().__setitem__(ids([1]), nan)"),
        ("negative-to-uint8", "v.byte().__setitem__(1, -1)"),
        ("bounds-huge", f"v.__setitem__(slice({-(2**63)}, None), 1.0)"),
    ),
)

PUT = (
    *cross(
        "put",
        "{layout}(numbered(3, 4, dtype={dtype})).put({order}({index}), "
        "{source}(zeros(2, 3, dtype={dtype})){accumulate})",
        dtype=DTYPES,
        layout=LAYOUTS,
        order=INDEX_LAYOUTS,
        index={
            "spread": "spots(2, 3, below=12)",
            "negative": "ids([[-1, -12, 3], [0, 0, -1]])",
            "other-shape": "spots(3, 2, below=12)",
        },
        source=LAYOUTS,
        accumulate={"": "", "accumulated": ", accumulate=True"},
    ),
    *cross(
        "put",
        "zeros(3, dtype={dtype}).put({order}(ids([[1] * 4] * 3)), "
        "{source}(cancelling(3, 4, dtype={dtype})), accumulate={accumulate})",
        prefix="order",
        dtype=FLOATS,
        order=INDEX_LAYOUTS,
        source=named("contiguous transposed permuted stepped"),
        accumulate={"added": "True", "last": "False"},
    ),
    *op_rows(
        "put",
        ("scalar", "s.put(ids([0, -1]), row(1.0, 2.0), accumulate=True)"),
        ("scalars", "v.put(ids(2), row(9.0).sum())"),
        ("int32-index", "v.put(ids([0], int32), row(1.0))"),
        ("float-index-and-other-dtype", "v.put(row(0.0), ids([1]))"),
        ("other-dtype", "v.put(ids([0]), ids([1]))"),
        ("other-dtype-and-count", "v.put(ids([0, 1]), ids([1]))"),
        ("count", "v.put(ids([0, 1]), row(1.0))"),
        ("out-of-range", "v.put(ids([0, 5]), row(1.0, 2.0))"),
        ("far-below", "v.put(ids([-6]), row(1.0))"),
        ("first-out-of-range", "v.put(ids([[0, 7], [9, 0]]), numbered(2, 2))"),
        (
            "first-out-of-range-transposed",
            "v.put(ids([[0, 7], [9, 0]]).t(), transposed(numbered(2, 2)))",
        ),
        ("into-nothing", "none.put(ids([0]), row(1.0))"),
        ("nothing-into-nothing", "none.put(ids([]), numbered(0))"),
        (
            "nothing-into-uint32",
            "numbered(2, dtype=uint32).put(ids([]), numbered(0, dtype=uint32))",
        ),
        (
            "piled",
            "zeros(1, dtype=float16).put(ids([0] * 6), pile(6, dtype=float16), accumulate=True)",
        ),
        ("bool", "mask(4).put(ids([1, 1]), mask(2), accumulate=True)"),
    ),
)

MASKED_SCATTER = (
    *cross(
        "masked_scatter",
        "{layout}(numbered(3, 4, dtype={dtype})).masked_scatter({shape}, "
        "{source}(zeros({size}, dtype={dtype})))",
        dtype=DTYPES,
        layout=LAYOUTS,
        shape={
            "whole": "mask(3, 4)",
            "row": "mask(4)",
            "column": "mask(3, 1)",
            "larger": "mask(2, 3, 4)",
            "transposed": "transposed(mask(3, 4))",
        },
        source=LAYOUTS,
        size={"matrix": "4, 6", "vector": "20"},
    ),
    *op_rows(
        "masked_scatter",
        ("exact", "a.masked_scatter(mask(2, 3), row(7.0, 8.0, 9.0))"),
        ("scalar", "s.masked_scatter(mask().reshape(()), row(9.0))"),
        ("scalar-enlarged", "s.masked_scatter(mask(3), row(9.0, 8.0, 7.0))"),
        ("too-few", "a.masked_scatter(mask(2, 3), row(7.0, 8.0))"),
        ("none-needed", "a.masked_scatter(mask(3) & False, numbered(0))"),
        ("no-broadcast", "a.masked_scatter(mask(2), row(7.0))"),
        ("no-broadcast-and-dtype", "a.masked_scatter(mask(2), ids([7]))"),
        ("other-dtype", "a.masked_scatter(mask(3), ids([7]))"),
        ("other-dtype-and-int-mask", "a.masked_scatter(ids([1, 0, 1]), ids([7]))"),
        ("int-mask", "a.masked_scatter(ids([1, 0, 1]), numbered(9))"),
        ("uint8-mask", "a.masked_scatter(mask(3, dtype=uint8), numbered(9))"),
        (
            "float-mask-and-uint32",
            "a.to(uint32).masked_scatter(row(1.0), numbered(9, dtype=uint32))",
        ),
        ("nothing", "none.masked_scatter(mask(0, 3), numbered(0))"),
        ("nothing-uint32", "none.to(uint32).masked_scatter(mask(0, 3), numbered(0, dtype=uint32))"),
    ),
)

VIEWS = (
    *cross(
        "select_scatter",
        "{layout}(numbered(3, 4, dtype={dtype})).select_scatter({source}(zeros(4, "
        "dtype={other})), {place})",
        dtype=DTYPES,
        layout=LAYOUTS,
        source=named("contiguous stepped expanded"),
        other=DTYPES,
        place={"first": "0, 0", "last": "0, -1", "dim-2": "-2, 1"},
    ),
    *cross(
        "slice_scatter",
        "{layout}(numbered(3, 4, dtype={dtype})).slice_scatter({source}({part})",
        dtype=DTYPES,
        layout=LAYOUTS,
        source=named("contiguous transposed stepped"),
        part={
            "rows": "zeros(2, 4)), start=1, end=3",
            "columns": "numbered(3, 2, dtype=int64)), 1, 0, 4, 2",
            "last": "numbered(3, 1, dtype=bool)), -1, -1",
            "none": "zeros(0, 4)), 0, 3",
            "beyond": "zeros(2, 4, dtype=bfloat16)), 0, -2, 99",
        },
    ),
    *cross(
        "diagonal_scatter",
        "{layout}(numbered(3, 4, dtype={dtype})).diagonal_scatter({source}(zeros({part}",
        dtype=DTYPES,
        layout=LAYOUTS,
        source=named("contiguous stepped expanded"),
        part={
            "main": "3)))",
            "above": "2, dtype=float64)), 2)",
            "below": "2, dtype=int8)), -1)",
            "other-way": "2, dtype=float16)), 1, 1, 0)",
            "beyond": "0)), 4)",
        },
    ),
    *op_rows(
        "select_scatter",
        ("columns", "a.select_scatter(row(8.0, 9.0), 1, -3)"),
        ("cube", "b.select_scatter(numbered(2, 4), 1, 2)"),
        ("vector", "v.select_scatter(row(9.0).sum(), 0, 1)"),
        ("scalar", "s.select_scatter(s, 0, 0)"),
        ("out-of-range", "a.select_scatter(numbered(3), 0, 2)"),
        ("dim-out-of-range", "a.select_scatter(numbered(3), 2, 0)"),
        ("shape", "a.select_scatter(numbered(2), 0, 1)"),
        ("shape-broadcast", "a.select_scatter(numbered(1), 0, 1)"),
        ("shape-and-out-of-range", "a.select_scatter(numbered(2), 0, 5)"),
        ("nan-to-int", "v.int().select_scatter(row(nan).sum(), 0, 0)"),
    ),
    *op_rows(
        "slice_scatter",
        ("all", "a.slice_scatter(numbered(2, 3) * 0)"),
        ("shape", "a.slice_scatter(numbered(2, 2), 1, 0, 1)"),
        ("shape-scalar", "a.slice_scatter(s, 1)"),
        ("step-0", "a.slice_scatter(numbered(2, 2), 1, 0, 3, 0)"),
        ("step-negative", "a.slice_scatter(numbered(2, 2), 1, 0, 3, -1)"),
        ("dim-out-of-range", "a.slice_scatter(numbered(2, 2), 2)"),
        ("step-and-dim-wrong", "a.slice_scatter(numbered(2, 2), 2, step=0)"),
        ("scalar", "s.slice_scatter(s)"),
        ("stop-before-start", "a.slice_scatter(numbered(0, 3), 0, 2, 1)"),
        ("cube", "b.slice_scatter(numbered(2, 2, 4), 1, 1)"),
    ),
    *op_rows(
        "diagonal_scatter",
        ("shape", "a.diagonal_scatter(numbered(3))"),
        ("same-dims", "a.diagonal_scatter(numbered(2), 0, 1, 1)"),
        ("same-dims-from-both-ends", "a.diagonal_scatter(numbered(2), 0, 1, -1)"),
        ("dim-out-of-range", "a.diagonal_scatter(numbered(2), 0, 0, 2)"),
        ("first-dim-out-of-range", "a.diagonal_scatter(numbered(2), 0, -3, 1)"),
        ("vector", "v.diagonal_scatter(numbered(2))"),
        ("scalar", "s.diagonal_scatter(numbered(1))"),
        ("cube", "b.diagonal_scatter(numbered(4, 2))"),
        ("cube-last-dims", "b.diagonal_scatter(numbered(2, 3), 1, 1, 2)"),
        ("cube-swapped", "b.diagonal_scatter(numbered(3, 2), 0, 2, 0)"),
        ("far-beyond", "a.diagonal_scatter(numbered(0), -9)"),
        ("far-beyond-shape", "a.diagonal_scatter(numbered(1), 3)"),
        ("nothing", "none.diagonal_scatter(numbered(0))"),
    ),
)

ROWS = (
    *SCATTER,
    *SCATTER_ADD,
    *SCATTER_REDUCE,
    *INDEX_ADD,
    *INDEX_REDUCE,
    *INDEX_COPY,
    *INDEX_FILL,
    *INDEX_PUT,
    *SETITEM,
    *PUT,
    *MASKED_SCATTER,
    *VIEWS,
)

SUITE = parity.suite.Suite("scatter", "python/scatter.py", ROWS, namespace)
