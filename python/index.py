"""Suite `index`: reading by position, by index tensor and by condition.

Brackets in every form, `select`, `narrow`, `index_select`, `gather`, `take`, `take_along_dim`,
`embedding`, `where`, `masked_fill`, `masked_select`, `nonzero` and `argwhere`: over dtypes and
layouts of every operand, repeated and boundary indices, sizes of 0, and each complaint. Run
`python/generate.py --only index`.
"""

import math
from typing import Any

import parity.suite
from parity import tensors
from parity.cross import cross, named
from parity.suite import Row

import torch

DTYPES = named(
    "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool uint32",
)
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")
# Layouts that keep every value, so that an index tensor stays within bounds.
INDEX_LAYOUTS = named("contiguous transposed narrowed stepped")
INDEX_DTYPES = {"": "int64", "int32": "int32"}


@tensors.unrecorded
def numbered(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """1, 2, 3, … in row-major order, with a half more for floats: every element is another."""
    count = math.prod(shape)
    values = torch.tensor(range(1, count + 1), dtype=torch.int64)
    if dtype is torch.bool:
        return (values % 3 == 1).reshape(shape)
    made = values + 0.5 if dtype.is_floating_point else values
    return made.to(dtype).reshape(shape)


@tensors.unrecorded
def ids(values: Any, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Indices as written."""
    return torch.tensor(values, dtype=dtype)


@tensors.unrecorded
def spots(*shape: int, below: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Indices below a bound in no order, with repeats."""
    count = math.prod(shape)
    return torch.tensor([(k * k + 3 * k + 1) % below for k in range(count)], dtype=dtype).reshape(
        shape
    )


@tensors.unrecorded
def mask(*shape: int, dtype: torch.dtype = torch.bool) -> torch.Tensor:
    """True, false and true in no short cycle."""
    count = math.prod(shape)
    return torch.tensor([(k * k + k // 3) % 5 < 2 for k in range(count)]).to(dtype).reshape(shape)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | {
        "numbered": numbered,
        "ids": ids,
        "spots": spots,
        "mask": mask,
        "a": numbered(2, 3),
        "v": numbered(5),
        "b": numbered(2, 3, 4),
        "s": numbered().reshape(()),
        "none": numbered(0, 3),
        "flat": numbered(3, 0),
    }


# Brackets by what stands in them, over dtypes and layouts of a 3 x 4 x 2 tensor.
BRACKETS = cross(
    "getitem",
    "{layout}(numbered(3, 4, 2, dtype={dtype}))[{index}]",
    dtype=DTYPES,
    layout=LAYOUTS,
    index={
        "int": "1",
        "negative-int": "-1",
        "two-ints": "2, -4",
        "three-ints": "0, 3, 1",
        "slice": "1:3",
        "stepped-slice": ":, 1::2",
        "negative-bounds": "-2:-1, -3:",
        "beyond-bounds": "-9:9, 2:99",
        "empty-slice": "2:1",
        "step-beyond": "::5, ::3",
        "ellipsis": "..., 0",
        "ellipsis-slice": "..., 1:, :",
        "none": "None, 1",
        "none-last": "..., None",
        "none-between": "1, None, 2:",
        "ids": "ids([2, 0, 2])",
        "negative-ids": "ids([-1, -3])",
        "matrix-of-ids": ":, ids([[0, 3], [1, 1]])",
        "last-ids": "..., ids([1, 0, 1])",
        "two-ids": "ids([0, 2]), ids([3, 0])",
        "three-ids": "ids([0, 2]), ids([3, 0]), ids([1, 1])",
        "ids-apart": "ids([0, 2]), :, ids([1, 0])",
        "ids-after-slice": "1:, ids([3, 0]), ids([1, 0])",
        "ids-and-int": "ids([0, 2]), 1",
        "int-and-ids": "1, ids([0, 2])",
        "int-slice-ids": "1, :, ids([0, 1])",
        "ids-slice-int": "ids([0, 1]), :, 1",
        "ids-broadcast": "ids([[0], [2]]), ids([3, 0, 1])",
        "scalar-ids": "ids(2)",
        "scalar-ids-apart": "ids([1]), :, ids(1)",
        "int32-ids": "ids([2, 0], int32)",
        "int32-and-int64": "ids([2, 0], int32), ids([1, 1])",
        "no-ids": "ids([])",
        "mask": "mask(3)",
        "mask-last": "..., mask(2)",
        "mask-matrix": "mask(3, 4)",
        "mask-whole": "mask(3, 4, 2)",
        "mask-of-tail": ":, mask(4, 2)",
        "mask-and-ids": "mask(3), ids([0, 1])",
        "mask-and-int": "mask(3), 2",
        "mask-none-true": "mask(3) & False",
        "transposed-ids": ":, ids([[0, 3], [1, 2]]).t()",
        "expanded-ids": "ids([2]).expand(3), ids([0, 1, 3])",
        "none-and-ids": "None, ids([0, 2]), ids([1, 1])",
        "ids-none-ids": "ids([0, 2]), None, ids([1, 1])",
        "true": "True",
        "false": "False",
        "list": "[0, 2]",
        "uint8": "mask(3, dtype=uint8)",
    },
)

BRACKET_FORMS = tuple(
    Row(f"getitem/{special}", expression)
    for special, expression in (
        ("step-0", "a[::0]"),
        ("step-negative", "a[::-1]"),
        ("step-huge", f"a[::{2**62}]"),
        ("step-huge-without-overflow", f"v[::{2**62}]"),
        ("step-huge-of-even-stride", f"numbered(4, 4)[::{2**62}]"),
        ("step-largest", f"v[::{2**63 - 1}]"),
        ("bounds-huge", f"a[{-(2**63)}:{2**63 - 1}]"),
        ("bounds-both-lowest", f"v[{-(2**63)}:{-(2**63)}]"),
        ("bounds-almost-lowest", f"v[{-(2**63) + 1}:, ...]"),
        ("bounds-low", f"v[{-(2**62) - 1}:]"),
        ("bounds-not-so-low", f"v[{-(2**62)}:]"),
        ("all-of-scalar", "s[...]"),
        ("none-of-scalar", "s[None]"),
        ("two-nones-of-scalar", "s[None, None]"),
        ("int-of-scalar", "s[0]"),
        ("int-out-of-scalar", "s[5]"),
        ("negative-int-out-of-scalar", "s[-1]"),
        ("scalar-ids-out-of-scalar", "s[ids(5)]"),
        ("slice-of-scalar", "s[:]"),
        ("ids-of-scalar", "s[ids([0])]"),
        ("scalar-ids-of-scalar", "s[ids(0)]"),
        ("true-of-scalar", "s[True]"),
        ("false-of-scalar", "s[False]"),
        ("mask-of-scalar", "s[s > 0]"),
        ("too-many-ints", "a[0, 0, 0]"),
        ("too-many-ids", "v[ids([0]), ids([0])]"),
        ("too-many-with-mask", "a[mask(2, 3), ids([0])]"),
        ("too-large-mask", "v[mask(5, 1)]"),
        ("int-out-of-range", "a[2]"),
        ("int-out-of-range-last", "a[:, 3]"),
        ("int-far-below", "a[-3]"),
        ("int-below-last", "a[..., -4]"),
        ("int-out-of-range-after-ellipsis", "b[..., 9]"),
        ("int-out-of-range-after-mask", "b[mask(2, 3), 9]"),
        ("int-out-of-range-after-none", "b[None, 0, 9]"),
        ("int-out-of-range-after-true", "b[True, 9]"),
        ("int-out-of-range-in-the-middle", "b[0, ..., 9]"),
        ("scalar-ids-out-of-range-after-ellipsis", "b[..., ids(9)]"),
        ("int-out-of-nothing", "none[0]"),
        ("ids-out-of-range", "a[ids([0, 2])]"),
        ("ids-out-of-range-last", "a[:, ids([3])]"),
        ("ids-far-below", "a[ids([-3])]"),
        ("ids-out-of-range-second", "a[ids([0, 1]), ids([0, 3])]"),
        ("ids-out-of-range-both", "a[ids([0, 7]), ids([9, 0])]"),
        ("ids-out-of-range-matrix", "v[ids([[0, 7], [9, 0]])]"),
        ("ids-out-of-range-transposed", "v[ids([[0, 7], [9, 0]]).t()]"),
        ("ids-out-of-range-apart", "b[ids([7, 0]), :, ids([0, 9])]"),
        ("scalar-ids-out-of-range", "a[ids(2)]"),
        ("scalar-ids-out-of-range-last", "a[:, ids(-4)]"),
        ("ids-of-nothing", "none[ids([0])]"),
        ("no-ids-of-nothing", "none[ids([])]"),
        ("ids-of-flat", "flat[ids([2, 0])]"),
        ("ids-out-of-flat", "flat[ids([7])]"),
        ("ids-of-flat-last", "flat[:, ids([0])]"),
        ("no-broadcast", "a[ids([0, 1]), ids([0, 1, 2])]"),
        ("no-broadcast-three", "b[ids([0, 1]), ids([[0], [1]]), ids([0, 1, 2])]"),
        ("no-broadcast-mask", "a[mask(2), ids([0, 1, 2])]"),
        ("mask-too-short", "a[mask(1)]"),
        ("mask-too-long", "a[mask(3)]"),
        ("mask-too-long-last", "a[:, mask(2)]"),
        ("mask-matrix-wrong", "b[mask(2, 4)]"),
        ("mask-tail-wrong", "b[:, mask(3, 3)]"),
        ("float-ids", "a[ids([0.0], float32)]"),
        ("float16-ids", "a[ids([0.0], float16)]"),
        ("int16-ids", "a[ids([0], int16)]"),
        ("int8-ids", "a[ids([0], int8)]"),
        ("uint32-ids", "a[ids([0], uint32)]"),
        ("scalar-int8-ids", "a[ids(1, int8)]"),
        ("scalar-int32-ids", "a[ids(1, int32)]"),
        ("float-and-mask-wrong", "a[mask(3), ids([0.0], float32)]"),
        ("uint8-mask", "a[mask(2, dtype=uint8)]"),
        ("uint8-mask-matrix", "a[mask(2, 3, dtype=uint8)]"),
        ("two-uint8-masks", "a[mask(2, dtype=uint8), mask(3, dtype=uint8)]"),
        ("uint8-mask-wrong", "a[mask(3, dtype=uint8)]"),
        ("uint8-mask-of-twos", "v[ids([2, 0, 255, 1, 0], uint8)]"),
        ("ellipsis-in-the-middle", "b[0, ..., 1]"),
        ("ellipsis-of-nothing-left", "b[0, 1, 2, ...]"),
        ("ellipsis-and-ids", "b[..., ids([0, 1]), ids([2, 3])]"),
        ("ellipsis-between-ids", "b[ids([0, 1]), ..., ids([2, 3])]"),
        ("mask-expanded", "a[mask(1).expand(2)]"),
        ("mask-stepped", "a[stepped(mask(2))]"),
        ("mask-transposed", "a[transposed(mask(2, 3))]"),
        ("nan-kept", "nan_middle(2, 3)[:, ids([1, 0])]"),
        ("zeros-keep-signs", "zeros(5)[ids([0, 1, 4])]"),
        ("mask-nothing", "none[mask(0)]"),
        ("mask-of-empty-shape", "none[mask(0, 3)]"),
        ("mask-flat", "flat[mask(3)]"),
        ("rank-5", "numbered(2, 1, 3, 1, 2)[ids([0, 1]), 0, :, ids([0, 0])]"),
        ("ids-after-ellipsis-and-none", "b[..., None, ids([0, 3])]"),
        ("long-ids", "v[spots(40, below=5)]"),
        ("rows-to-matrix", "a[spots(3, 2, below=2)]"),
    )
)

SELECT = cross(
    "select",
    "{layout}(numbered(3, 4, dtype={dtype})).select({dim}, {index})",
    dtype=DTYPES,
    layout=LAYOUTS,
    dim={"dim0": "0", "dim1": "1", "dim-1": "-1", "dim-2": "-2"},
    index=named("0 2 -1 -3"),
) + tuple(
    Row(f"select/{special}", expression)
    for special, expression in (
        ("out-of-range", "a.select(0, 2)"),
        ("out-of-range-last", "a.select(-1, 3)"),
        ("far-below", "a.select(1, -4)"),
        ("dim-out-of-range", "a.select(2, 0)"),
        ("dim-far-below", "a.select(-3, 0)"),
        ("scalar", "s.select(0, 0)"),
        ("nothing", "none.select(0, 0)"),
        ("nothing-left", "none.select(1, 2)"),
        ("rank-3", "b.select(1, -1)"),
        ("vector", "v.select(0, 4)"),
    )
)

NARROW = cross(
    "narrow",
    "{layout}(numbered(3, 4, dtype={dtype})).narrow({dim}, {part})",
    dtype=DTYPES,
    layout=LAYOUTS,
    dim={"dim0": "0", "dim1": "1", "dim-1": "-1"},
    part={
        "1-of-1": "1, 1",
        "2-from-0": "0, 2",
        "none": "2, 0",
        "2-from-last": "-2, 2",
        "tensor-start": "ids(1), 2",
        "int8-start": "ids(-1, int8), 1",
    },
) + tuple(
    Row(f"narrow/{special}", expression)
    for special, expression in (
        ("all", "v.narrow(0, 0, 5)"),
        ("none-at-end", "v.narrow(0, 5, 0)"),
        ("one-at-end", "v.narrow(0, 5, 1)"),
        ("start-beyond", "v.narrow(0, 6, 0)"),
        ("start-far-below", "v.narrow(0, -6, 1)"),
        ("start-first-from-last", "v.narrow(0, -5, 5)"),
        ("too-long", "v.narrow(0, 3, 3)"),
        ("too-long-from-last", "v.narrow(0, -1, 2)"),
        ("length-negative", "v.narrow(0, 1, -1)"),
        ("length-and-dim-wrong", "v.narrow(1, 1, -1)"),
        ("dim-out-of-range", "v.narrow(1, 0, 1)"),
        ("dim-and-start-wrong", "v.narrow(2, 9, 1)"),
        ("scalar", "s.narrow(0, 0, 1)"),
        ("scalar-and-length-wrong", "s.narrow(0, 0, -1)"),
        ("nothing", "none.narrow(0, 0, 0)"),
        ("nothing-too-long", "none.narrow(0, 0, 1)"),
        ("start-vector", "v.narrow(0, ids([1]), 1)"),
        ("start-float", "v.narrow(0, ids(1.0, float32), 1)"),
        ("start-bool", "v.narrow(0, ids(True, bool), 1)"),
        ("start-tensor-beyond", "v.narrow(0, ids(7), 1)"),
        ("start-uint8", "v.narrow(0, ids(3, uint8), 2)"),
    )
)

INDEX_SELECT = (
    *cross(
        "index_select",
        "{layout}(numbered(3, 4, dtype={dtype})).index_select({dim}, {index})",
        prefix="matrix",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim-1": "-1", "dim-2": "-2"},
        index={
            "repeats": "ids([2, 0, 2, 1])",
            "int32": "ids([1, 2], int32)",
            "stepped": "stepped(ids([2, 1, 0]))",
            "expanded": "ids([1]).expand(3)",
            "scalar": "ids(2)",
            "nothing": "ids([])",
        },
    ),
    *cross(
        "index_select",
        "{layout}(numbered(2, 3, 4, dtype={dtype})).index_select({dim}, {index})",
        prefix="cube",
        dtype=named("float64 bfloat16 int16 bool"),
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim2": "2"},
        index={"one": "ids([1])", "repeats": "ids([1, 0, 1], int32)"},
    ),
    *(
        Row(f"index_select/{special}", expression)
        for special, expression in (
            ("vector", "v.index_select(0, ids([4, 0, 4]))"),
            ("vector-stepped", "stepped(v).index_select(0, ids([4, 0, 4]))"),
            ("vector-long", "v.index_select(0, spots(40, below=5))"),
            ("scalar", "s.index_select(0, ids([0]))"),
            ("scalar-by-scalar", "s.index_select(-1, ids(0))"),
            ("scalar-out-of-range", "s.index_select(0, ids([1]))"),
            ("scalar-twice", "s.index_select(0, ids([0, 0]))"),
            ("scalar-by-nothing", "s.index_select(0, ids([]))"),
            ("scalar-dim-wrong", "s.index_select(1, ids([0]))"),
            ("matrix-index", "a.index_select(0, ids([[0]]))"),
            ("matrix-of-floats", "a.index_select(0, ids([[0.0]], float32))"),
            ("dim-and-index-wrong", "a.index_select(2, ids([[0]]))"),
            ("dim-out-of-range", "a.index_select(2, ids([0]))"),
            ("float-index", "a.index_select(0, ids([0.0], float32))"),
            ("int16-index", "a.index_select(0, ids([0], int16))"),
            ("uint8-index", "a.index_select(0, ids([0], uint8))"),
            ("bool-index", "a.index_select(0, mask(2))"),
            ("uint32-index", "a.index_select(0, ids([0], uint32))"),
            ("negative", "a.index_select(0, ids([-1]))"),
            ("negative-dim1", "a.index_select(1, ids([-1]))"),
            ("out-of-range", "a.index_select(0, ids([0, 2]))"),
            ("out-of-range-dim1", "a.index_select(1, ids([0, 3, 4]))"),
            ("out-of-range-dim2", "b.index_select(2, ids([4]))"),
            ("out-of-range-vector", "v.index_select(0, ids([5]))"),
            ("nothing", "none.index_select(0, ids([]))"),
            ("out-of-nothing", "none.index_select(0, ids([0]))"),
            ("nothing-dim1", "none.index_select(1, ids([2, 0]))"),
            ("nothing-dim1-out-of-range", "none.index_select(1, ids([3]))"),
            ("flat", "flat.index_select(0, ids([2, 2]))"),
            ("flat-out-of-range", "flat.index_select(0, ids([3]))"),
            ("flat-negative", "flat.index_select(0, ids([0, -1]))"),
            ("empty-vector", "numbered(0).index_select(0, ids([0]))"),
            ("nan-kept", "nan_all(2, 2).index_select(1, ids([1]))"),
        )
    ),
)

GATHER = (
    *cross(
        "gather",
        "{layout}(numbered(3, 4, dtype={dtype})).gather(0, {order}(spots({size}, below=3{kind})))",
        prefix="dim0",
        dtype=DTYPES,
        layout=LAYOUTS,
        order=INDEX_LAYOUTS,
        size={"5x4": "5, 4", "2x3": "2, 3", "1x4": "1, 4", "3x1": "3, 1"},
        kind={"": "", "int32": ", dtype=int32"},
    ),
    *cross(
        "gather",
        "{layout}(numbered(3, 4, dtype={dtype})).gather({dim}, {order}(spots({size}, below=4)))",
        prefix="dim1",
        dtype=DTYPES,
        layout=LAYOUTS,
        dim={"": "1", "from-last": "-1"},
        order=INDEX_LAYOUTS,
        size={"3x6": "3, 6", "2x2": "2, 2", "3x1": "3, 1"},
    ),
    *cross(
        "gather",
        "{layout}(numbered(2, 3, 4, dtype={dtype})).gather({dim}, {order}(spots(2, 2, 3, "
        "below=2)))",
        prefix="cube",
        dtype=named("float64 float16 int32 uint32"),
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim2": "2"},
        order=INDEX_LAYOUTS,
    ),
    *(
        Row(f"gather/{special}", expression)
        for special, expression in (
            ("vector", "v.gather(0, ids([4, 4, 0]))"),
            ("vector-int32", "v.gather(0, ids([4, 4, 0], int32))"),
            ("vector-int32-ints", "numbered(5, dtype=int64).gather(0, ids([4, 4, 0], int32))"),
            ("vector-int32-stepped", "v.gather(0, stepped(ids([4, 0], int32)))"),
            ("stepped-by-int32", "stepped(v).gather(0, ids([4, 0], int32))"),
            ("rows-by-int32", "a.gather(0, ids([[1], [0]], int32).expand(2, 3))"),
            ("rows-by-int32-narrower", "a.gather(0, ids([[1], [0]], int32).expand(2, 2))"),
            (
                "more-rows-by-int32",
                "numbered(4, 2).gather(0, ids([[1], [0], [3], [2]], int32).expand(4, 2))",
            ),
            ("int-rows-by-int32", "a.long().gather(0, ids([[1], [0]], int32).expand(2, 3))"),
            (
                "rows-by-int32-of-transposed",
                "transposed(a).gather(0, ids([[1], [0]], int32).expand(2, 3))",
            ),
            ("rows-by-int32-out-of-range", "a.gather(0, ids([[1], [9]], int32).expand(2, 3))"),
            (
                "cube-by-int32",
                "b.gather(0, ids([1, 0, 1], int32).reshape(3, 1, 1).expand(3, 3, 4))",
            ),
            ("column-by-int32", "numbered(3, 1).gather(0, ids([[1], [0]], int32))"),
            ("dim1-by-int32", "a.gather(1, ids([[2], [0]], int32))"),
            ("scalar", "s.gather(0, ids(0))"),
            ("scalar-by-vector", "s.gather(0, ids([0, 0, 0]))"),
            ("scalar-by-int32", "s.gather(0, ids([0, 0], int32))"),
            ("vector-by-scalar", "v.gather(0, ids(3))"),
            ("scalar-out-of-range", "s.gather(0, ids(1))"),
            ("dim-out-of-range", "a.gather(2, ids([[0]]))"),
            ("dim-and-dtype-wrong", "a.gather(2, ids([[0.0]], float32))"),
            ("float-index", "a.gather(0, ids([[0.0]], float32))"),
            ("int16-index", "a.gather(0, ids([[0]], int16))"),
            ("bool-index", "a.gather(0, mask(1, 3))"),
            ("float-and-rank-wrong", "a.gather(0, ids([0.0], float32))"),
            ("rank-too-low", "a.gather(0, ids([0]))"),
            ("rank-too-high", "a.gather(0, ids([[[0]]]))"),
            ("scalar-index-of-matrix", "a.gather(0, ids(0))"),
            ("too-wide", "a.gather(0, ids([[0, 0, 0, 0]]))"),
            ("too-tall", "a.gather(1, ids([[0], [0], [0]]))"),
            ("too-large-twice", "b.gather(1, spots(3, 1, 5, below=2))"),
            ("too-large-and-out-of-range", "a.gather(0, ids([[9, 0, 0, 0]]))"),
            ("negative", "a.gather(0, ids([[-1]]))"),
            ("out-of-range", "a.gather(0, ids([[0, 2]]))"),
            ("out-of-range-dim1", "a.gather(1, ids([[0], [3]]))"),
            ("first-out-of-range", "a.gather(0, ids([[0, 9], [7, 0]]))"),
            ("first-out-of-range-transposed", "a.gather(0, ids([[0, 9], [7, 0]]).t())"),
            ("first-out-of-range-dim1", "a.gather(1, ids([[0, 9], [7, 0]]))"),
            ("first-out-of-range-dim1-transposed", "a.gather(1, ids([[0, 9], [7, 0]]).t())"),
            ("first-out-of-range-tall", "numbered(3, 2).gather(0, ids([[0, 9], [0, 0], [7, 0]]))"),
            ("first-out-of-range-cube", "b.gather(1, ids([[[0, 8], [7, 0]], [[6, 0], [0, 0]]]))"),
            ("first-out-of-range-of-transposed", "transposed(a).gather(0, ids([[0, 9], [7, 0]]))"),
            ("no-index", "a.gather(0, ids([]).reshape(0, 3))"),
            ("no-index-of-any-rank", "a.gather(0, ids([]))"),
            ("no-index-of-floats", "a.gather(0, ids([], float32))"),
            ("no-index-dim-wrong", "a.gather(2, ids([]))"),
            ("nothing", "none.gather(1, ids([]).reshape(0, 2))"),
            ("out-of-nothing", "none.gather(0, ids([[0]]))"),
            ("of-flat", "flat.gather(1, ids([[0]]))"),
            ("sparse-grad", "a.gather(0, ids([[1]]), sparse_grad=False)"),
            ("nan-kept", "nan_last(2, 2).gather(1, ids([[1], [1]]))"),
            ("zeros-keep-signs", "zeros(5).gather(0, ids([4, 0, 1]))"),
            ("expanded-index", "a.gather(1, ids([[2], [0]]).expand(2, 4))"),
            ("expanded-rows", "a.gather(0, ids([[1], [0], [1]]).expand(3, 3))"),
        )
    ),
)

TAKE = (
    *cross(
        "take",
        "{layout}(numbered(3, 4, dtype={dtype})).take({index})",
        dtype=DTYPES,
        layout=LAYOUTS,
        index={
            "vector": "ids([11, 0, 5, 5])",
            "negative": "ids([-1, -12, 3])",
            "matrix": "spots(2, 3, below=12)",
            "transposed": "transposed(spots(2, 3, below=12))",
            "stepped": "stepped(spots(2, 3, below=12))",
            "scalar": "ids(7)",
            "nothing": "ids([])",
        },
    ),
    *(
        Row(f"take/{special}", expression)
        for special, expression in (
            ("scalar", "s.take(ids([0, -1]))"),
            ("scalar-out-of-range", "s.take(ids(1))"),
            ("out-of-range", "a.take(ids([0, 6]))"),
            ("far-below", "a.take(ids([-7]))"),
            ("first-out-of-range", "v.take(ids([[0, 7], [9, 0]]))"),
            ("first-out-of-range-transposed", "v.take(ids([[0, 7], [9, 0]]).t())"),
            ("int32-index", "a.take(ids([0], int32))"),
            ("float-index", "a.take(ids([0.0], float32))"),
            ("bool-index", "a.take(mask(2))"),
            ("nothing-of-floats", "a.take(ids([], float32))"),
            ("out-of-nothing", "none.take(ids([0]))"),
            ("nothing-of-nothing", "none.take(ids([]))"),
            ("uint32-nothing", "numbered(3, dtype=uint32).take(ids([]))"),
            ("uint32-out-of-range", "numbered(3, dtype=uint32).take(ids([5]))"),
            ("nan-kept", "nan_first(4).take(ids([0, 1]))"),
        )
    ),
)

TAKE_ALONG_DIM = (
    *cross(
        "take_along_dim",
        "torch.take_along_dim({layout}(numbered(3, 4, dtype={dtype})), {order}({index}), {dim})",
        dtype=DTYPES,
        layout=LAYOUTS,
        order=INDEX_LAYOUTS,
        index={
            "3x2": "spots(3, 2, below=3)",
            "3x1": "spots(3, 1, below=3)",
            "1x4": "spots(1, 4, below=3)",
            "1x1": "ids([[2]])",
            "negative": "ids([[-1, -3]])",
        },
        dim={"dim0": "0", "dim1": "1", "dim-1": "-1"},
        # Along dimension 0 the index must span, or spread over, the 4 columns.
        unless=lambda labels: (
            (labels.get("index") in ("3x2", "negative") and labels.get("dim") == "dim0")
            or (labels.get("index") == "1x4" and labels.get("order") == "transposed")
        ),
    ),
    *(
        Row(f"take_along_dim/{special}", f"torch.take_along_dim({arguments})")
        for special, arguments in (
            ("flat", "a, ids([[5, 0], [0, 3]])"),
            ("flat-vector", "a, ids([5, 5])"),
            ("flat-int32", "a, ids([5, 0], int32)"),
            ("flat-int32-ints", "a.long(), ids([5, 0], int32)"),
            ("flat-scalar", "a, ids(4)"),
            ("flat-of-scalar", "s, ids([0, 0])"),
            ("flat-out-of-range", "a, ids([6])"),
            ("flat-negative", "a, ids([-1])"),
            ("flat-of-transposed", "transposed(a), ids([0])"),
            ("flat-of-stepped", "stepped(a), ids([4])"),
            ("flat-of-narrowed", "narrowed(a), ids([4])"),
            ("flat-of-expanded", "expanded(a), ids([4])"),
            ("flat-of-one-value", "row(2.5).expand(4), ids([3])"),
            ("flat-of-one-value-2d", "row(2.5).expand(2, 3), ids([3])"),
            ("flat-index-transposed", "a, ids([[0, 1], [2, 3]]).t()"),
            ("flat-float-index", "a, ids([0.0], float32)"),
            ("flat-of-nothing", "none, ids([])"),
            ("flat-out-of-nothing", "none, ids([0])"),
            ("wraps", "v, ids([5, -6, 9, 100, -100]), 0"),
            ("rank-too-low", "a, ids([0]), 1"),
            ("rank-too-high", "a, ids([[[0]]]), 1"),
            ("rank-and-dtype-wrong", "a, ids([0], int32), 1"),
            ("int32-index", "a, ids([[0]], int32), 1"),
            ("float-index", "a, ids([[0.0]], float32), 1"),
            ("dtype-and-dim-wrong", "a, ids([[0.0]], float32), 2"),
            ("dim-out-of-range", "a, ids([[0]]), 2"),
            ("dim-far-below", "a, ids([[0]]), -3"),
            ("no-broadcast", "a, ids([[0], [1], [1]]), 1"),
            ("no-broadcast-other-way", "numbered(3, 3), spots(2, 3, below=3), 1"),
            ("broadcast-input", "numbered(1, 3), spots(2, 2, below=3), 1"),
            ("broadcast-both", "numbered(1, 2, 3), spots(2, 1, 2, below=3), 2"),
            ("scalar", "s, ids(0), 0"),
            ("scalar-last", "s, ids(0), -1"),
            ("out-of-nothing", "none, ids([[0]]), 0"),
            ("nothing-and-no-broadcast", "none, ids([[0, 1]]), 0"),
            ("nothing-of-nothing", "none, ids([]).reshape(0, 3), 0"),
            ("no-index", "a, ids([]).reshape(2, 0), 1"),
            ("flat-sizes", "flat, ids([[2]]), 0"),
            ("flat-sizes-last", "flat, ids([[2]]), 1"),
        )
    ),
)

EMBEDDING = (
    *cross(
        "embedding",
        "F.embedding({order}({index}), {layout}(numbered(4, 3, dtype={dtype})){extra})",
        dtype=DTYPES,
        layout=LAYOUTS,
        order=INDEX_LAYOUTS,
        index={
            "vector": "ids([3, 0, 3])",
            "matrix": "spots(2, 2, below=4)",
            "cube": "spots(1, 2, 2, below=4, dtype=int32)",
            "scalar": "ids(2)",
            "nothing": "ids([])",
        },
        extra={
            "": "",
            "padding": ", padding_idx=1",
            "padding-last": ", padding_idx=-1",
            "scaled": ", scale_grad_by_freq=True",
            "sparse": ", sparse=True",
        },
    ),
    *(
        Row(f"embedding/{special}", f"F.embedding({arguments})")
        for special, arguments in (
            ("negative", "ids([0, -1]), a"),
            ("out-of-range", "ids([2]), a"),
            ("out-of-range-second", "ids([[0, 1], [1, 3]]), a"),
            ("float-ids", "ids([0.0], float32), a"),
            ("int16-ids", "ids([0], int16), a"),
            ("bool-ids", "mask(2), a"),
            ("uint8-ids", "ids([0], uint8), a"),
            ("uint32-ids", "ids([0], uint32), a"),
            ("bfloat16-ids", "ids([0], bfloat16), a"),
            ("weight-vector", "ids([0]), v"),
            ("weight-cube", "ids([0]), b"),
            ("weight-scalar", "ids([0]), s"),
            ("weight-vector-and-float-ids", "ids([0.0], float32), v"),
            ("padding-too-large", "ids([0]), a, padding_idx=2"),
            ("padding-first-from-last", "ids([0]), a, padding_idx=-2"),
            ("padding-far-below", "ids([0]), a, padding_idx=-3"),
            ("padding-and-weight-wrong", "ids([0]), v, padding_idx=5"),
            ("padding-and-ids-wrong", "ids([9]), a, padding_idx=2"),
            ("padding-and-weight-vector", "ids([0]), v, padding_idx=1"),
            ("no-rows", "ids([0]), none"),
            ("no-rows-no-ids", "ids([]), none"),
            ("no-columns", "ids([2, 0]), flat"),
            ("no-columns-out-of-range", "ids([3]), flat"),
            ("float-ids-empty", "ids([], float32), a"),
            ("nan-kept", "ids([1]), nan_all(2, 2)"),
            ("one-column", "ids([1, 0]), numbered(2, 1)"),
            ("rank-4-ids", "spots(1, 2, 1, 2, below=2), a"),
        )
    ),
)

WHERE = (
    *cross(
        "where",
        "torch.where({shape}, {layout}(numbered(3, 4, dtype={dtype})), {other})",
        dtype=DTYPES,
        layout=LAYOUTS,
        shape={
            "whole": "mask(3, 4)",
            "row": "mask(4)",
            "column": "mask(3, 1)",
            "transposed": "transposed(mask(3, 4))",
            "scalar": "mask().reshape(())",
        },
        other={
            "float": "-1.5",
            "int": "7",
            "bool": "True",
            "float64": "zeros(3, 4, dtype=float64)",
            "float16": "zeros(4, dtype=float16)",
            "int64": "numbered(3, 1, dtype=int64)",
            "uint8": "numbered(4, dtype=uint8)",
            "bool-row": "mask(4)",
            "scalar-float64": "row(0.1, dtype=float64).sum()",
            "scalar-int64": "ids(3)",
        },
    ),
    *cross(
        "where",
        "torch.where(mask(2, 2), numbered(2, 2, dtype={left}), numbered(2, 2, dtype={right}))",
        prefix="pair",
        left=DTYPES,
        right=DTYPES,
    ),
    *(
        Row(f"where/{special}", f"torch.where({arguments})")
        for special, arguments in (
            ("number-first", "mask(2, 3), 2, a"),
            ("two-numbers", "mask(3), 1, 2.5"),
            ("two-bools", "mask(3), True, False"),
            ("bool-and-int", "mask(3), True, 3"),
            ("number-and-ints", "mask(2), 0.5, ids([1, 2])"),
            ("uint32-and-true", "mask(2), numbered(2, dtype=uint32), True"),
            ("uint32-and-scalar-bool", "mask(2), numbered(2, dtype=uint32), ids(True, bool)"),
            ("uint32-scalar-and-bools", "mask(2), ids(3, uint32), mask(2)"),
            ("uint32-scalar-and-bool", "mask(2), ids(3, uint32), ids(True, bool)"),
            ("number-too-large", "mask(2), ids([1, 2], int8), 300"),
            ("number-too-large-float16", "mask(2), row(1.0, 2.0, dtype=float16), 1e6"),
            ("infinity", "mask(2), row(1.0, 2.0), -inf"),
            ("nan", "mask(2), row(1.0, 2.0, dtype=bfloat16), nan"),
            ("nan-not-taken", "mask(3) & False, nan_all(3), row(1.0, 2.0, 3.0)"),
            ("uint8-condition", "mask(3, dtype=uint8), row(1.0, 2.0, 3.0), 0.0"),
            ("uint8-condition-of-twos", "ids([2, 0, 255], uint8), row(1.0, 2.0, 3.0), 0.0"),
            ("float-condition", "row(1.0, 0.0), 1.0, 2.0"),
            ("int-condition", "ids([1, 0]), 1.0, 2.0"),
            ("condition-and-shape-wrong", "ids([1, 0]), row(1.0, 2.0, 3.0), 2.0"),
            ("no-broadcast-condition", "mask(2), row(1.0, 2.0, 3.0), 0.0"),
            ("no-broadcast-branches", "mask(3), row(1.0, 2.0, 3.0), row(1.0, 2.0)"),
            ("no-broadcast-all", "mask(4), row(1.0, 2.0, 3.0), row(1.0, 2.0)"),
            ("broadcast-three-ways", "mask(2, 1, 1), numbered(3, 1), numbered(4)"),
            ("empty", "mask(0), numbered(0), numbered(1)"),
            ("empty-by-broadcast", "mask(1), numbered(0), 3.0"),
            ("zeros-keep-signs", "mask(5), zeros(5), -0.0"),
            ("uint32-and-int32", "mask(2), numbered(2, dtype=uint32), numbered(2, dtype=int32)"),
            ("uint32-and-int", "mask(2), numbered(2, dtype=uint32), 5"),
            ("uint32-and-negative", "mask(2), numbered(2, dtype=uint32), -5"),
            ("all-scalars", "mask().reshape(()), s, 2.0"),
            # One argument: positions of what is not 0, per dimension.
            ("positions", "mask(3, 4)"),
            ("positions-of-floats", "nan_middle(2, 3)"),
            ("positions-of-zeros", "zeros(4)"),
            ("positions-transposed", "transposed(mask(3, 4))"),
            ("positions-scalar", "s"),
            ("positions-false", "mask().reshape(()) & False"),
            ("positions-nothing", "none"),
            ("positions-cube", "mask(2, 2, 3)"),
            ("positions-uint32", "numbered(2, dtype=uint32)"),
        )
    ),
)

MASKED_FILL = (
    *cross(
        "masked_fill",
        "{layout}(numbered(3, 4, dtype={dtype})).masked_fill({shape}, {value})",
        dtype=DTYPES,
        layout=LAYOUTS,
        shape={
            "whole": "mask(3, 4)",
            "row": "mask(4)",
            "column": "mask(3, 1)",
            "larger": "mask(2, 3, 4)",
            "stepped": "stepped(mask(3, 4))",
            "scalar": "mask().reshape(())",
        },
        value={
            "float": "-1.5",
            "int": "7",
            "bool": "True",
            "negative": "-1",
            "scalar-float64": "row(0.1, dtype=float64).sum()",
            "scalar-int64": "ids(3)",
            "infinity": "inf",
        },
    ),
    *(
        Row(f"masked_fill/{special}", expression)
        for special, expression in (
            ("scalar", "s.masked_fill(mask().reshape(()), 2.0)"),
            ("scalar-enlarged", "s.masked_fill(mask(3), 2.0)"),
            ("vector-value", "a.masked_fill(mask(2, 3), row(1.0))"),
            ("vector-value-and-mask-wrong", "a.masked_fill(ids([1, 0, 1]), row(1.0))"),
            ("no-broadcast", "a.masked_fill(mask(2), 1.0)"),
            ("no-broadcast-int-mask", "a.masked_fill(ids([1, 0]), 1.0)"),
            ("int-mask", "a.masked_fill(ids([1, 0, 1]), 1.0)"),
            ("uint8-mask", "a.masked_fill(mask(3, dtype=uint8), 1.0)"),
            ("uint8-mask-and-value-too-large", "v.byte().masked_fill(mask(5, dtype=uint8), 300)"),
            ("tensor-too-large", "v.char().masked_fill(mask(5), ids(300))"),
            ("tensor-truncated", "v.char().masked_fill(mask(5), row(-2.75).sum())"),
            ("empty", "none.masked_fill(mask(0, 3), 1.0)"),
            ("empty-and-too-large", "none.char().masked_fill(mask(0, 3), 300)"),
            ("fraction-below-0-to-uint8", "v.byte().masked_fill(mask(5), -0.5)"),
            ("minus-0-to-uint8", "v.byte().masked_fill(mask(5), -0.0)"),
            ("tensor-below-0-to-uint8", "v.byte().masked_fill(mask(5), row(-1.0).sum())"),
            ("int-tensor-below-0-to-uint8", "v.byte().masked_fill(mask(5), ids(-1))"),
            ("nan-to-int", "v.int().masked_fill(mask(5), nan)"),
            ("nan-to-bool", "mask(5).masked_fill(mask(5), nan)"),
        )
    ),
)

MASKED_SELECT = (
    *cross(
        "masked_select",
        "{layout}(numbered(3, 4, dtype={dtype})).masked_select({shape})",
        dtype=DTYPES,
        layout=LAYOUTS,
        shape={
            "whole": "mask(3, 4)",
            "row": "mask(4)",
            "column": "mask(3, 1)",
            "larger": "mask(2, 3, 4)",
            "transposed": "transposed(mask(3, 4))",
            "expanded": "mask(1, 4).expand(3, 4)",
            "scalar": "mask().reshape(())",
            "none-true": "mask(4) & False",
        },
    ),
    *(
        Row(f"masked_select/{special}", expression)
        for special, expression in (
            ("scalar", "s.masked_select(mask().reshape(()))"),
            ("scalar-false", "s.masked_select(mask().reshape(()) & False)"),
            ("scalar-enlarged", "s.masked_select(mask(4))"),
            ("no-broadcast", "a.masked_select(mask(2))"),
            ("uint8-mask", "a.masked_select(mask(3, dtype=uint8))"),
            ("int-mask-no-broadcast", "a.masked_select(ids([1, 0]))"),
            ("float-mask", "a.masked_select(row(1.0, 0.0, 1.0))"),
            ("empty", "none.masked_select(mask(0, 3))"),
            ("empty-by-broadcast", "none.masked_select(mask(3))"),
            ("nan-kept", "nan_middle(4).masked_select(mask(4) | True)"),
        )
    ),
)

NONZERO = (
    *cross(
        "nonzero",
        "{layout}({values}({shape}, dtype={dtype})).nonzero({form})",
        dtype=DTYPES,
        layout=LAYOUTS,
        values=named("ties numbered"),
        shape={"12": "12", "3x4": "3, 4", "2x2x3": "2, 2, 3"},
        form={"": "", "tuple": "as_tuple=True", "rows": "as_tuple=False"},
    ),
    *cross(
        "argwhere",
        "torch.argwhere({layout}(ties({shape}, dtype={dtype})))",
        dtype=DTYPES,
        layout=LAYOUTS,
        shape={"7": "7", "3x3": "3, 3", "2x2x2": "2, 2, 2"},
    ),
    *(
        Row(f"{op}/{special}", expression)
        for op, special, expression in (
            ("nonzero", "scalar", "s.nonzero()"),
            ("nonzero", "scalar-0", "ids(0).nonzero()"),
            ("nonzero", "scalar-tuple", "s.nonzero(as_tuple=True)"),
            ("nonzero", "scalar-0-tuple", "ids(0).nonzero(as_tuple=True)"),
            ("nonzero", "nan-and-zeros", "row(nan, -0.0, inf, 0.0).nonzero()"),
            ("nonzero", "subnormal", "tiny(3, dtype=bfloat16).nonzero()"),
            ("nonzero", "empty", "none.nonzero()"),
            ("nonzero", "empty-tuple", "none.nonzero(as_tuple=True)"),
            ("nonzero", "all-zero", "(ids([0, 0])).nonzero(as_tuple=True)"),
            ("nonzero", "uint32-empty", "numbered(0, dtype=uint32).nonzero()"),
            ("argwhere", "scalar", "torch.argwhere(s)"),
            ("argwhere", "empty", "torch.argwhere(flat)"),
            ("argwhere", "nan", "torch.argwhere(nan_all(2, 1))"),
        )
    ),
)

# The largest number of a type, which some engines take for "no element".
SENTINELS = (
    Row(
        "index_select/uint32-largest",
        "numbered(3, 2).index_select(0, torch.tensor([4294967295, 2, 4294967295], dtype=uint32))",
    ),
    Row(
        "embedding/uint32-largest",
        "F.embedding(torch.tensor([4294967295, 1], dtype=uint32), numbered(3, 2))",
    ),
    Row(
        "gather/uint32-largest",
        "numbered(2, 3).gather(1, torch.tensor([[4294967295], [1]], dtype=uint32))",
    ),
    Row(
        "index_select/uint8-largest",
        "numbered(3, 2).index_select(0, torch.tensor([255, 1], dtype=uint8))",
    ),
    Row(
        "index_select/int64-largest",
        "numbered(3, 2).index_select(0, torch.tensor([9223372036854775807, 1]))",
    ),
    Row(
        "gather/int64-largest",
        "numbered(2, 3).gather(1, torch.tensor([[9223372036854775807], [1]]))",
    ),
)

ROWS = (
    *BRACKETS,
    *BRACKET_FORMS,
    *SELECT,
    *NARROW,
    *INDEX_SELECT,
    *GATHER,
    *TAKE,
    *TAKE_ALONG_DIM,
    *EMBEDDING,
    *WHERE,
    *MASKED_FILL,
    *MASKED_SELECT,
    *NONZERO,
    *SENTINELS,
)

SUITE = parity.suite.Suite("index", "python/index.py", ROWS, namespace)
