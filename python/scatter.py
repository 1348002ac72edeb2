"""Suite `scatter`: writing by index tensor, by position and by mask.

`scatter`, `scatter_add`, `scatter_reduce`, `index_add`, `index_reduce`, `index_copy`,
`index_fill`, `index_put`, assignment to brackets, `put`, `masked_scatter` and the functions that
write a view into a copy. Where several values meet at one element, inputs are made so that the
order and the width of the sum show. Run `python/generate.py --only scatter`.
"""

from typing import Any

import index
import index_into
import parity.suite
from parity import tensors
from parity.cross import cross, named, op_rows

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
    *index_into.ROWS,
    *PUT,
    *MASKED_SCATTER,
    *VIEWS,
)

SUITE = parity.suite.Suite("scatter", "python/scatter.py", ROWS, namespace)
