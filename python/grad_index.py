"""Suite `grad_index`: backward passes of reading by position, by index tensor and by mask.

Where several reads meet at one element their cotangents add up; the cases of `graph` weight them
with values that show the order and the width of the sum. Run
`python/generate.py --only grad_index`.
"""

from collections.abc import Iterator
from typing import Any

import grad_shape
import parity.suite
import scatter
from parity.cross import cross, differentiable, named
from parity.graphs import graph
from parity.suite import Row

FLOATS = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed narrowed stepped expanded")
ORDERS = named("contiguous transposed stepped")

INDICES = {
    "int": "1",
    "ints": "0, -1, 1",
    "slice": "1:3",
    "stepped-slice": ":, 1::2",
    "ellipsis": "..., 1",
    "newaxis": "None, :, None, 2",
    "empty-slice": "3:",
    "repeats": "ids([2, 0, 2, 2])",
    "repeats-last": "..., ids([1, 1, 0])",
    "matrix": "ids([[0, 2], [2, 2]])",
    "two": "ids([0, 2, 0]), ids([1, 3, 1])",
    "apart": "ids([1, 1]), :, ids([0, 0])",
    "after-slice": "1:, ids([3, 3, 0]), 1",
    "negative": "ids([-1, 2, -1])",
    "int32": "ids([1, 1], int32)",
    "mask": "mask(3, 4)",
    "mask-row": "mask(3)",
    "mask-and-index": "mask(3), ids([1])",
    "mask-none": "mask(3) & False",
    "no-index": "ids([])",
    "scalar-tensor": "ids(2)",
    "newaxis-and-index": "ids([0, 0]), None",
    "true": "True",
}


def _brackets() -> Iterator[Row]:
    """Every index in two dtypes and layouts in turn."""
    for turn, (name, index) in enumerate(INDICES.items()):
        for number in range(2):
            dtype = list(FLOATS)[(2 * turn + turn // 2 + number) % len(FLOATS)]
            layout = list(LAYOUTS)[(turn + 2 * number) % len(LAYOUTS)]
            yield Row(
                f"getitem/{name}-{dtype}-{layout}",
                f"{layout}(numbered(3, 4, 2, dtype={dtype}))[{index}]",
            )


POSITIONS = (
    *cross(
        "select",
        "{layout}(numbered(3, 4, dtype={dtype})).select({at})",
        dtype=FLOATS,
        layout=LAYOUTS,
        at={"row": "0, 1", "column": "1, -1"},
    )[:6],
    *cross(
        "narrow",
        "{layout}(numbered(3, 4, dtype={dtype})).narrow({at})",
        dtype=FLOATS,
        layout=LAYOUTS,
        at={
            "rows": "0, 1, 2",
            "columns": "1, -3, 1",
            "nothing": "1, 2, 0",
            "by-tensor": "0, ids(1), 1",
        },
    )[:12],
    *cross(
        "index_select",
        "{layout}(numbered({shape}, dtype={dtype})).index_select({at})",
        dtype=FLOATS,
        layout=named("contiguous transposed stepped"),
        shape={"": "3, 4"},
        at={
            "rows": "0, ids([2, 0, 2, 2])",
            "columns": "1, ids([3, 3, 1, 3, 0])",
            "rows-int32": "0, ids([1, 1, 0], int32)",
            "columns-int32": "-1, ids([3, 3, 1], int32)",
            "nothing": "0, ids([])",
            "scalar-index": "1, ids(2)",
        },
    ),
    *cross(
        "gather",
        "{layout}(numbered(3, 4, dtype={dtype})).gather({dim}, {order}({index}))",
        dtype=FLOATS,
        layout=named("contiguous transposed narrowed"),
        order=ORDERS,
        dim={"dim0": "0", "dim1": "1"},
        index={
            "3x3": "spots(3, 3, below=3)",
            "same": "spots(2, 4, below=1)",
            "int32": "spots(2, 2, below=3, dtype=int32)",
        },
    ),
    *cross(
        "take",
        "{layout}(numbered(3, 4, dtype={dtype})).take({order}({index}))",
        dtype=FLOATS,
        layout=named("contiguous transposed expanded"),
        order=ORDERS,
        index={"repeats": "ids([[5, 5], [0, 5]])", "negative": "ids([[-1, 11], [3, -12]])"},
    ),
    *cross(
        "embedding",
        "F.embedding({order}({index}), {layout}(numbered(4, 3, dtype={dtype})){extra})",
        dtype=FLOATS,
        layout=named("contiguous transposed stepped"),
        order=ORDERS,
        index={
            "vector": "ids([3, 0, 3, 1, 3])",
            "matrix": "spots(3, 2, below=4)",
            "int32": "spots(1, 2, 2, below=4, dtype=int32)",
            "scalar": "ids(2)",
            "nothing": "ids([])",
        },
        extra={
            "": "",
            "padding": ", padding_idx=1",
            "padding-last": ", padding_idx=-1",
            "scaled": ", scale_grad_by_freq=True",
            "scaled-and-padded": ", padding_idx=3, scale_grad_by_freq=True",
        },
        # What is left out or scaled is no derivative.
        unless=lambda labels: labels.get("dtype") == "float64" and bool(labels.get("extra")),
    ),
)


def _sums() -> Iterator[Row]:
    """Reads that meet, weighted by columns whose sum shows its order, in two dtypes each."""
    programs = (
        ("getitem-vector", "x[ids([0] * 6)] * w", "2", "6"),
        ("getitem-rows", "x[ids([1] * 6)] * w", "2, 3", "6, 3"),
        ("getitem-columns", "x[:, ids([1] * 6)] * w", "3, 2", "3, 6"),
        ("getitem-matrix", "x[ids([[0, 1, 0], [0, 0, 1]])] * w", "2, 2", "2, 3, 2"),
        ("getitem-matrix-transposed", "x[ids([[0, 1, 0], [0, 0, 0]]).t()] * w", "2", "3, 2"),
        (
            "getitem-matrix-then-transposed",
            "x[ids([[0, 1, 0], [0] * 3, [0] * 3])].t() * w",
            "2",
            "3, 3",
        ),
        (
            "getitem-columns-transposed",
            "x[:, ids([[0] * 3] * 4)].transpose(1, 2) * w",
            "1, 1",
            "1, 3, 4",
        ),
        ("getitem-two", "x[ids([0, 1, 0, 0, 0]), ids([1, 0, 1, 1, 1])] * w", "2, 2", "5"),
        ("getitem-apart", "x[ids([0, 0, 0, 0]), :, ids([1, 1, 1, 1])] * w", "1, 2, 2", "4, 2"),
        ("getitem-outer", "x[ids([[0], [0], [0]]), ids([1, 1])] * w", "1, 2", "3, 2"),
        ("getitem-of-transposed", "x.t()[ids([1] * 5)] * w", "3, 2", "5, 3"),
        ("getitem-weight-transposed", "x[ids([1] * 5)] * w.t()", "2, 3", "3, 5"),
        ("index_select-vector", "x.index_select(0, ids([1] * 6)) * w", "2", "6"),
        ("index_select-rows", "x.index_select(0, ids([1] * 6)) * w", "2, 3", "6, 3"),
        ("index_select-rows-17", "x.index_select(0, ids([0] * 3)) * w", "1, 17", "3, 17"),
        ("index_select-columns", "x.index_select(1, ids([1] * 6)) * w", "2, 2", "2, 6"),
        ("index_select-middle", "x.index_select(1, ids([1] * 6)) * w", "2, 2, 2", "2, 6, 2"),
        (
            "index_select-int32",
            "x.index_select(0, ids([1] * 6, int32)) * w",
            "2, 3",
            "6, 3",
        ),
        ("gather-rows", "x.gather(0, ids([[1, 0]] * 6)) * w", "2, 2", "6, 2"),
        ("gather-columns", "x.gather(1, ids([[1] * 6, [0] * 6])) * w", "2, 2", "2, 6"),
        ("gather-expanded", "x.gather(0, rows([0, 0, 0], 16)) * w", "1, 16", "3, 16"),
        ("take", "x.take(ids([3] * 6)) * w", "2, 2", "6"),
        ("take-matrix", "x.take(ids([[3, 0], [3, 3], [3, 0]]).t()) * w", "2, 2", "2, 3"),
        (
            "take_along_dim",
            "torch.take_along_dim(x, ids([[0, 0, 1, 0, 0]]), 1) * w",
            "2, 2",
            "2, 5",
        ),
        (
            "take_along_dim-broadcast",
            "torch.take_along_dim(x, ids([[0]] * 7), 1) * w",
            "1, 2",
            "7, 1",
        ),
        ("embedding", "F.embedding(ids([1] * 6), x) * w", "2, 3", "6, 3"),
        ("embedding-33", "F.embedding(ids([0, 0, 0]), x) * w", "1, 33", "3, 33"),
        (
            "embedding-scaled",
            "F.embedding(ids([1] * 7), x, scale_grad_by_freq=True) * w",
            "2, 3",
            "7, 3",
        ),
        (
            "embedding-scaled-33",
            "F.embedding(ids([0] * 3), x, scale_grad_by_freq=True) * w",
            "1, 33",
            "3, 33",
        ),
    )
    others = ("bfloat16", "float16", "float64")
    for number, (name, program, shape, weights) in enumerate(programs):
        for dtype in ("float32", others[number % 2]):
            yield Row(
                f"graph/{name}-{dtype}",
                f"graph(lambda x, w: {program}, x=numbered({shape}, dtype={dtype}), "
                f"w=jumble({weights}, dtype={dtype}))",
                backward=("x",),
            )


PICKED = (
    *cross(
        "take_along_dim",
        "torch.take_along_dim(numbered({shape}, dtype={dtype}), {index})",
        dtype=FLOATS,
        shape={"": "3, 4"},
        index={
            "columns": "spots(3, 2, below=3), 1",
            "transposed": "transposed(spots(3, 2, below=3)), 1",
            "broadcast-index": "ids([[1, -1]]), -1",
            "rows": "spots(2, 4, below=3), 0",
            "broadcast-rows": "ids([[2], [2]]), 0",
            "flat": "ids([11, 0, 11, 3])",
            "flat-matrix": "ids([[5, 5], [0, 5]])",
        },
    ),
    Row(
        "take_along_dim/broadcast-input",
        "torch.take_along_dim(numbered(1, 3), spots(2, 2, below=3), 1)",
    ),
    Row("take_along_dim/flat-of-scalar", "torch.take_along_dim(s, ids([0, 0]))"),
    Row("take_along_dim/no-index", "torch.take_along_dim(a, ids([]).reshape(2, 0), 1)"),
    Row("getitem/of-scalar", "s[None, None]"),
    Row("getitem/of-scalar-ellipsis", "s[...]"),
    Row("getitem/false", "a[False]"),
    Row("getitem/mask-of-scalar", "s[mask(1)[0]]"),
    Row("getitem/of-nothing", "none[:, 1]"),
    Row("getitem/uint8-mask", "a[mask(2, 3, dtype=uint8)]"),
    Row("select/scalar-of-vector", "v.select(0, -1)"),
    Row("index_select/of-scalar", "s.index_select(0, ids([0]))"),
    Row("index_select/of-scalar-by-scalar", "s.index_select(0, ids(0))"),
    Row("index_select/of-vector", "v.index_select(0, ids([4, 0, 4]))"),
    Row("index_select/of-nothing", "none.index_select(1, ids([2, 0]))"),
    Row("gather/of-scalar", "s.gather(0, ids(0))"),
    Row("gather/of-scalar-by-vector", "s.gather(0, ids([0, 0]))"),
    Row("gather/of-vector", "v.gather(0, ids([4, 0, 4]))"),
    Row("gather/no-index", "a.gather(0, ids([]))"),
    Row("gather/rows", "numbered(3, 16).gather(0, rows([2, 2, 0], 16))"),
    Row("gather/rows-full", "numbered(3, 16).gather(0, full_rows([2, 2, 0], 16))"),
    Row(
        "gather/rows-int32",
        "numbered(3, 16).gather(0, rows([2, 2], 16, int32))",
        backward=("input",),
    ),
    Row("gather/rows-narrower", "numbered(3, 20).gather(0, rows([2, 2], 16))"),
    Row("take/of-scalar", "s.take(ids([0, -1]))"),
    Row("take/nothing", "a.take(ids([]))"),
    Row(
        "embedding/scaled-float64",
        "F.embedding(ids([3, 0, 3, 1, 3]), numbered(4, 3, dtype=float64), scale_grad_by_freq=True)",
        no_derivative="each gradient is divided by how often its row was looked up",
    ),
    Row(
        "embedding/padding-float64",
        "F.embedding(ids([3, 0, 3, 1, 3]), numbered(4, 3, dtype=float64), padding_idx=-1)",
        no_derivative="the padding row gets no gradient",
    ),
    Row("embedding/one-column", "F.embedding(ids([1, 0, 1]), numbered(2, 1))"),
    Row("embedding/no-columns", "F.embedding(ids([2, 0]), flat)"),
    Row("embedding/only-padding", "F.embedding(ids([1, 1]), a, padding_idx=1)"),
    Row("index_select/integers", "ids([1, 2]).index_select(0, ids([0]))", backward=("input",)),
    Row("gather/integers", "ids([1, 2]).gather(0, ids([0]))", backward=("input",)),
)

SPECIAL = "row(nan, -0.0, -0.0, inf, -inf)"
SIGNED = tuple(
    Row(
        f"graph/signed-zeros-{name}",
        f"graph(lambda x, w: {program} * w, x=numbered(6), w={SPECIAL})",
        backward=("x",),
    )
    for name, program in (
        ("narrow", "x.narrow(0, 1, 5)"),
        ("slice", "x[1:]"),
        ("getitem", "x[ids([5, 1, 2, 2, 2])]"),
        ("mask", "x[mask(7)[:6]][:1].expand(5)"),
        ("index_select", "x.index_select(0, ids([5, 1, 2, 2, 2]))"),
        ("gather", "x.gather(0, ids([5, 1, 2, 2, 2]))"),
        ("take", "x.take(ids([5, 1, 2, 2, 2]))"),
        ("embedding", "F.embedding(ids([5, 1, 2, 2, 2]), x.unsqueeze(1)).squeeze(1)"),
        ("used-twice", "(x[1:] + x[:-1])"),
    )
)

# The order in memory of what an index picks decides how a sum over it goes.
BROADCAST = tuple(
    Row(
        f"graph/getitem-{name}",
        f"graph(lambda x, w: {program}, x=jumble({shape}), w=numbered({weights}))",
        backward=("x", "w"),
    )
    for name, program, shape, weights in (
        ("by-row", "x.transpose(0, 1)[ids([1, 0, 1, 1, 0, 1, 0, 1])] * w", "5, 2", "5"),
        ("by-column", "x.transpose(0, 1)[ids([1, 0, 1])] * w", "9, 2", "3, 1"),
        ("by-one", "x.transpose(0, 2)[:, ids([1, 0, 1])] * w", "3, 2, 5", "1"),
    )
)

ROWS = (*differentiable((*_brackets(), *POSITIONS, *PICKED)), *_sums(), *BROADCAST, *SIGNED)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return {**scatter.namespace(), "graph": graph, "jumble": grad_shape.jumble}


SUITE = parity.suite.Suite("grad_index", "python/grad_index.py", ROWS, namespace)
