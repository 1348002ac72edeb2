"""Suite `grad_scatter`: backward passes of writing by index tensor, by position and by brackets.

Gradients go back to what is written into and to what is written. PyTorch refuses some: a source
that is larger than its index, and `scatter` with a `reduce`. Run
`python/generate.py --only grad_scatter`.
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
LAYOUTS = named("contiguous transposed stepped")

INDICES = {
    "2x3": "spots(2, 3, below=2)",
    "same": "spots(2, 3, below=1)",
    "stepped": "stepped(spots(2, 3, below=2))",
    "int32": "spots(2, 3, below=2, dtype=int32)",
}


class _At:
    """Brackets by themselves: `at[1:, 0]` is what stands in them."""

    def __getitem__(self, index: Any) -> Any:
        return index


WRITES = (
    *cross(
        "scatter",
        "{layout}(numbered(2, 3, dtype={dtype})).scatter({dim}, {index}, {value})",
        prefix="number",
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        index=INDICES,
        value={"": "7"},
    )[:10],
    *cross(
        "scatter",
        "{layout}(numbered(2, 3, dtype={dtype})).scatter({dim}, {index}, "
        "{source}(numbered(2, 3, dtype={dtype})))",
        prefix="from",
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        index={"2x3": "ids([[1, 0, 1], [0, 1, 0]])", "int32": INDICES["int32"]},
        source=LAYOUTS,
        # float64 where nothing is written twice: else the gradient is no derivative.
        unless=lambda labels: (
            labels.get("dtype") == "float64"
            and (labels.get("index") == "int32" or labels.get("dim") == "dim1")
        ),
    ),
    *cross(
        "scatter_add",
        "{layout}(numbered(2, 3, dtype={dtype})).scatter_add({dim}, {index}, "
        "{source}(numbered(2, 3, dtype={dtype})))",
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        index=INDICES,
        source=LAYOUTS,
    ),
    *cross(
        "index_add",
        "{layout}(numbered(3, 3, dtype={dtype})).index_add({dim}, {index}, "
        "{source}(numbered(3, 3, dtype={dtype})){alpha})",
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        index={"repeats": "ids([2, 0, 2])", "int32": "ids([1, 1, 0], int32)"},
        source=LAYOUTS,
        alpha={"": "", "alpha3": ", alpha=3", "alpha-third": ", alpha=0.3", "alpha0": ", alpha=0"},
    ),
    *cross(
        "index_copy",
        "{layout}(numbered(3, 3, dtype={dtype})).index_copy({dim}, ids([2, 0]), "
        "{source}(numbered({size}, dtype={dtype})))",
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        source=LAYOUTS,
        size={"2x3": "2, 3", "3x2": "3, 2"},
        unless=lambda labels: (
            (labels.get("dim"), labels.get("size")) in (("dim0", "3x2"), ("dim1", "2x3"))
        ),
    )[:10],
    *cross(
        "index_fill",
        "{layout}(numbered(3, 3, dtype={dtype})).index_fill({dim}, {index}, {value})",
        dtype=FLOATS,
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1"},
        index={"repeats": "ids([2, 0, 2])", "one": "ids([1])"},
        value={"number": "0.5", "tensor": "numbered(dtype={dtype})"},
    ),
    *cross(
        "index_put",
        "{layout}(numbered(3, 4, dtype={dtype})).index_put({at}{accumulate})",
        dtype=FLOATS,
        layout=LAYOUTS,
        at={
            "rows": "(ids([2, 0]),), numbered(2, 4, dtype={dtype})",
            "rows-by-row": "(ids([2, 0]),), numbered(4, dtype={dtype})",
            "elements": "(ids([2, 0]), ids([1, 1])), numbered(2, dtype={dtype})",
            "elements-by-one": "(ids([2, 0, 1]), ids([1, 1, 0])), numbered(1, dtype={dtype})",
            "outer": "(ids([[2], [0]]), ids([1, 3])), numbered(2, 1, dtype={dtype})",
            "mask": "(mask(3, 4),), numbered(6, dtype={dtype})",
            "mask-by-one": "(mask(3, 4),), numbered(1, dtype={dtype})",
            "mask-by-scalar": "(mask(3),), numbered(dtype={dtype})",
        },
        accumulate={"": "", "accumulated": ", accumulate=True"},
    ),
    *cross(
        "put",
        "{layout}(numbered(3, 3, dtype={dtype})).put(ids([[5, 0], [-1, 3]]), "
        "{source}(numbered(2, 2, dtype={dtype})){accumulate})",
        dtype=FLOATS,
        layout=LAYOUTS,
        source=LAYOUTS,
        accumulate={"": "", "accumulated": ", accumulate=True"},
    )[:10],
)

VIEWS = tuple(
    Row(f"{op}/{special}-{dtype}", expression.replace("DTYPE", dtype))
    for op, special, expression in (
        (
            "select_scatter",
            "row",
            "numbered(3, 4, dtype=DTYPE).select_scatter(numbered(4, dtype=DTYPE), 0, 1)",
        ),
        (
            "select_scatter",
            "column",
            "transposed(numbered(3, 4, dtype=DTYPE)).select_scatter(numbered(3, "
            "dtype=DTYPE), 1, -1)",
        ),
        (
            "slice_scatter",
            "rows",
            "numbered(4, 3, dtype=DTYPE).slice_scatter(numbered(2, 3, dtype=DTYPE), 0, 1, 3)",
        ),
        (
            "slice_scatter",
            "stepped",
            "stepped(numbered(2, 5, dtype=DTYPE)).slice_scatter(numbered(2, 3, dtype=DTYPE), "
            "1, 0, None, 2)",
        ),
        (
            "diagonal_scatter",
            "main",
            "numbered(3, 3, dtype=DTYPE).diagonal_scatter(numbered(3, dtype=DTYPE))",
        ),
        (
            "diagonal_scatter",
            "above",
            "transposed(numbered(3, 4, dtype=DTYPE)).diagonal_scatter(numbered(3, dtype=DTYPE), 1)",
        ),
    )
    for dtype in (
        ("float64", "float16") if special in ("row", "rows", "main") else ("float32", "bfloat16")
    )
)


def _assignments() -> Iterator[Row]:
    """Every index with every kind of value that fits it, in dtypes and layouts in turn."""
    forms = (
        ("int", "1", "4, 1", "2", ""),
        ("ints", "0, -1, 1", "", "1, 1"),
        ("slice", "1:3", "2, 4, 2", "4, 1", "1, 1, 4, 2"),
        ("stepped-slice", ":, 1::2", "2, 2", ""),
        ("ellipsis", "...", "4, 2", ""),
        ("newaxis", "None, :, 2", "1, 3, 2", "2"),
        ("nothing", "3:", "4, 2", ""),
        ("rows", "ids([2, 0])", "2, 4, 2", "2", "1, 1, 4, 2"),
        ("columns", ":, ids([3, 1])", "2, 1", ""),
        ("last", "..., ids([1, 0])", "4, 2", "3, 1, 1"),
        ("two", "ids([0, 2]), ids([1, 3])", "2, 2", "2", ""),
        ("apart", "ids([1, 0]), :, ids([0, 1])", "2, 4", "4", "2, 1"),
        ("after-slice", "1:, ids([3, 0]), 1", "2", "2, 1"),
        ("mask", "mask(3, 4)", "2", "1", ""),
        ("mask-row", "mask(3)", "4, 1", ""),
        ("true", "True", "2"),
    )
    turn = 0
    for name, at, *values in forms:
        for value in values:
            dtype = list(FLOATS)[(turn + turn // 4) % len(FLOATS)]
            layout = list(LAYOUTS)[turn % len(LAYOUTS)]
            shape = value.replace(", ", "x") or "scalar"
            made = f"numbered({value}{', ' if value else ''}dtype={dtype})"
            yield Row(
                f"setitem/{name}-by-{shape}-{dtype}",
                f"{layout}(numbered(3, 4, 2, dtype={dtype})).__setitem__(at[{at}], {made})",
            )
            turn += 1


REDUCED = (
    *cross(
        "scatter_reduce",
        "{layout}(numbered(2, 3, dtype={dtype})).scatter_reduce({dim}, {index}, "
        "{source}(numbered(2, 3, dtype={dtype}) - 3), '{reduce}'{itself})",
        dtype=FLOATS,
        layout=LAYOUTS,
        reduce=named("sum prod mean amax amin"),
        itself={"": "", "without-self": ", include_self=False"},
        dim={"dim0": "0", "dim1": "1"},
        index=INDICES,
        source=LAYOUTS,
    ),
    *cross(
        "index_reduce",
        "{layout}(numbered(3, 3, dtype={dtype})).index_reduce({dim}, {index}, "
        "{source}(numbered(3, 3, dtype={dtype}) - 3), '{reduce}'{itself})",
        dtype=FLOATS,
        layout=LAYOUTS,
        reduce=named("prod mean amax amin"),
        itself={"": "", "without-self": ", include_self=False"},
        dim={"dim0": "0", "dim1": "1"},
        index={"repeats": "ids([2, 0, 2])", "int32": "ids([1, 1, 0], int32)"},
        source=LAYOUTS,
        # PyTorch clears by `index_fill`, which takes no int32, and counts what is left out.
        unless=lambda labels: (
            labels.get("itself") == "without-self"
            and (
                labels.get("index") == "int32"
                or (labels.get("dtype") == "float64" and "am" in labels.get("reduce", ""))
            )
        ),
    ),
    # Zeros among the factors, ties of the extremes.
    *(
        Row(
            f"{op}/{special}-{dtype}{'-without-self' if itself else ''}",
            f"row({own}, dtype={dtype}).{op}(0, ids({index}), row({source}, dtype={dtype}), "
            f"'{reduce}'{itself})",
        )
        for number, (special, reduce, own, index, source) in enumerate(
            (
                ("prod-one-zero", "prod", "2.0, 3.0", "[0, 0, 1, 1]", "5.0, 0.0, 0.5, 1.5"),
                ("prod-two-zeros", "prod", "2.0, 3.0", "[0, 0, 0, 1]", "0.0, 7.0, -0.0, 1.5"),
                ("prod-own-zero", "prod", "0.0, 3.0", "[0, 0, 1, 1]", "5.0, 0.3, 0.5, 1.5"),
                ("prod-all-zeros", "prod", "0.0, -0.0", "[0, 0, 1, 1]", "0.0, 0.0, 0.5, 0.0"),
                ("prod-nan-and-infinity", "prod", "2.0, nan", "[0, 0, 1, 1]", "inf, 0.0, 0.5, 3.0"),
                ("amax-ties", "amax", "3.0, 1.0", "[0, 0, 0, 1]", "3.0, 3.0, 2.0, 1.0"),
                ("amin-ties", "amin", "3.0, -0.0", "[0, 0, 0, 1]", "1.0, 1.0, 1.0, 0.0"),
                ("amax-nan", "amax", "nan, 1.0", "[0, 1, 1, 1]", "3.0, nan, 2.0, 1.0"),
                ("amin-infinity", "amin", "inf, -inf", "[0, 0, 1, 1]", "inf, inf, -inf, 3.0"),
                ("mean-of-three", "mean", "3.0, 1.0", "[0, 0, 0, 0]", "1.1, 1.2, 1.3, 0.1"),
            )
        )
        for op in ("scatter_reduce", "index_reduce")
        for dtype, itself in (
            ("float32", ""),
            (("float16", "bfloat16")[number % 2], ("", ", include_self=False")[number // 2 % 2]),
        )
    ),
)


def _sums() -> Iterator[Row]:
    """Values that were spread out when they were written, so that their gradients are sums."""
    programs = (
        ("index_put-row", "x.index_put((ids([2, 0, 1, 3]),), y) * w", "4, 9", "9", "4, 9"),
        ("index_put-column", "x.index_put((ids([2, 0]),), y) * w", "3, 11", "2, 1", "3, 11"),
        ("index_put-one", "x.index_put((mask(4, 5),), y) * w", "4, 5", "1", "4, 5"),
        ("index_put-transposed", "x.index_put((ids([2, 0, 1]),), y).t() * w", "3, 5", "5", "5, 3"),
        (
            "index_put-permuted",
            "x.index_put((ids([2, 0, 1]),), y).permute(2, 1, 0) * w",
            "3, 4, 5",
            "1, 5",
            "5, 4, 3",
        ),
        ("index_fill", "x.index_fill(1, ids([2, 0, 2, 5]), y[0]) * w", "3, 6", "1", "3, 6"),
        ("index_fill-rows", "x.index_fill(0, ids([2, 0, 2]), y[0]) * w", "3, 9", "1", "3, 9"),
    )
    for number, (name, program, shape, values, weights) in enumerate(programs):
        for dtype in ("float32", ("bfloat16", "float16")[number % 2]):
            yield Row(
                f"graph/{name}-{dtype}",
                f"graph(lambda x, y, w: {program}, x=numbered({shape}, dtype={dtype}), "
                f"y=numbered({values}, dtype={dtype}), w=jumble({weights}, dtype={dtype}))",
                backward=("x", "y"),
            )


PICKED = (
    Row(
        "scatter/added-number", "v.scatter(0, ids([1, 1]), 2.0, reduce='add')", backward=("input",)
    ),
    Row(
        "scatter/multiplied",
        "v.scatter(0, ids([1]), row(2.0), reduce='multiply')",
        backward=("input",),
    ),
    Row(
        "scatter/added-to-source",
        "v.scatter(0, ids([1]), row(2.0), reduce='add')",
        backward=("src",),
    ),
    Row(
        "scatter/source-larger",
        "a.scatter(0, ids([[0, 1]]), numbered(2, 3))",
        backward=("input", "src"),
    ),
    Row(
        "scatter/source-larger-own",
        "a.scatter(0, ids([[0, 1]]), numbered(2, 3))",
        backward=("input",),
    ),
    Row(
        "scatter_add/source-larger",
        "a.scatter_add(0, ids([[0, 1]]), numbered(2, 3))",
        backward=("input", "src"),
    ),
    Row(
        "scatter_reduce/sum-source-larger",
        "a.scatter_reduce(0, ids([[0, 1]]), numbered(2, 3), 'sum')",
        backward=("src",),
    ),
    Row(
        "scatter_reduce/mean-source-larger",
        "a.scatter_reduce(0, ids([[0, 1]]), numbered(2, 3), 'mean')",
        backward=("src",),
    ),
    Row(
        "scatter_reduce/mean-source-larger-own",
        "a.scatter_reduce(0, ids([[0, 1]]), numbered(2, 3), 'mean')",
        backward=("input",),
    ),
    Row(
        "scatter_reduce/prod-source-larger",
        "a.scatter_reduce(0, ids([[0, 1]]), numbered(2, 3), 'prod')",
        backward=("input",),
    ),
    Row(
        "scatter_reduce/amax-source-larger",
        "a.scatter_reduce(0, ids([[0, 1]]), numbered(2, 3), 'amax')",
        backward=("input",),
    ),
    Row(
        "scatter_reduce/prod-source-longer",
        "v.scatter_reduce(0, ids([1]), numbered(3), 'prod')",
        backward=("src",),
    ),
    Row(
        "index_put/mask-by-one-of-more-dims",
        "a.index_put((mask(2, 3),), numbered(1, 1))",
        backward=("values",),
    ),
    Row("scatter/scalar", "s.scatter(0, ids(0), row(9.0).sum())"),
    Row("scatter/no-index", "a.scatter(0, ids([]), numbered(7))", backward=("input",)),
    Row("scatter_add/scalar-by-vector", "s.scatter_add(0, ids([0, 0]), row(9.0, 8.0))"),
    Row("scatter_add/rows", "numbered(2, 16).scatter_add(0, rows([1, 0, 1], 16), numbered(3, 16))"),
    Row(
        "scatter_reduce/rows-amax",
        "ties(2, 16).scatter_reduce(0, rows([1, 0, 1], 16), ties(3, 16), 'amax')",
    ),
    Row(
        "scatter_reduce/rows-mean",
        "numbered(2, 16).scatter_reduce(0, rows([1, 0, 1], 16), numbered(3, 16), 'mean')",
    ),
    Row(
        "scatter_reduce/no-index-mean",
        "v.scatter_reduce(0, ids([]), row(1.0), 'mean')",
        backward=("input",),
    ),
    Row("scatter_reduce/scalar-amax", "s.scatter_reduce(0, ids(0), row(9.0).sum(), 'amax')"),
    Row("index_add/scalar", "s.index_add(0, ids(0), row(9.0).sum(), alpha=3)"),
    Row("index_add/scalar-by-vector", "s.index_add(0, ids([0]), row(9.0).sum())"),
    Row("index_add/alpha-true", "v.index_add(0, ids([4, 0]), row(1.0, 2.0), alpha=True)"),
    Row("index_add/cube", "b.index_add(1, ids([2, 0]), numbered(2, 2, 4), alpha=-0.7)"),
    Row("index_copy/scalar", "s.index_copy(0, ids([0]), row(9.0).sum())"),
    Row("index_copy/vector-and-scalar-source", "v.index_copy(0, ids([3]), row(9.0).sum())"),
    Row("index_copy/repeats", "v.index_copy(0, ids([3, 3]), row(9.0, 8.0))"),
    Row("index_fill/negative", "v.index_fill(0, ids([-1]), 2.0)"),
    Row(
        "index_fill/negative-by-tensor",
        "v.index_fill(0, ids([-1]), row(9.0).sum())",
        backward=("value",),
    ),
    Row(
        "index_reduce/int32-without-self",
        "v.index_reduce(0, ids([1], int32), row(9.0), 'mean', include_self=False)",
        backward=("input",),
    ),
    Row("index_fill/of-scalar", "s.index_fill(0, ids([0]), row(9.0).sum())"),
    Row("index_put/repeats", "v.index_put((ids([3, 3, 1]),), row(9.0, 8.0, 7.0))"),
    Row("put/repeats", "v.put(ids([3, 3, -2]), row(9.0, 8.0, 7.0))"),
    Row("put/nothing", "v.put(ids([]), row(1.0)[:0])"),
    Row("setitem/number-at-slice", "b.__setitem__((slice(None), slice(1, None)), 3.0)"),
    Row("setitem/number-at-index", "b.__setitem__((ids([1, 1]),), 3.0)"),
    Row("setitem/number-at-mask", "a.__setitem__((mask(2, 3),), 3.0)"),
    Row("setitem/number-at-element", "a.__setitem__((0, 1), 3.0)"),
    Row(
        "setitem/value-of-leading-ones",
        "numbered(1, 1, 4).__setitem__(at[ids([0]), ids([0])], numbered(1, 1, 4))",
    ),
    Row("setitem/repeats", "v.__setitem__((ids([3, 3, 1]),), row(9.0, 8.0, 7.0))"),
    Row(
        "setitem/other-dtype",
        "numbered(3, 9).__setitem__((slice(1, None),), numbered(9, dtype=float16))",
    ),
    Row(
        "setitem/other-dtype-wider",
        "numbered(3, 9, dtype=bfloat16).__setitem__((0,), numbered(1, dtype=float64))",
    ),
    Row(
        "setitem/other-dtype-scalar",
        "numbered(3, 9, dtype=float16).__setitem__((0,), row(0.1, dtype=float64).sum())",
    ),
    Row("setitem/mask-by-one-of-more-dims", "a.__setitem__((mask(2, 3),), numbered(1, 1))"),
)

ROWS = (
    *differentiable((*WRITES, *VIEWS, *_assignments(), *REDUCED, *PICKED)),
    *_sums(),
)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return {**scatter.namespace(), "graph": graph, "jumble": grad_shape.jumble, "at": _At()}


SUITE = parity.suite.Suite("grad_scatter", "python/grad_scatter.py", ROWS, namespace)
