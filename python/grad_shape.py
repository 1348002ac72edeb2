"""Suite `grad_shape`: backward passes of views, joining and splitting, repeats and reorderings.

The forms are those of the suite `shape`, over the floating dtypes and the layouts in turn. Where a
gradient is a sum, the cases of `graph` weight it with values that show the order of its terms. Run
`python/generate.py --only grad_shape`.
"""

import math
from collections.abc import Iterator
from typing import Any

import index
import parity.suite
import shape
from parity import tensors
from parity.graphs import graph
from parity.suite import Row

import torch

FLOATS = ("float32", "bfloat16", "float64", "float16")


@tensors.unrecorded
def jumble(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Large and small numbers of few digits, whose sums show their order in every dtype."""
    edge = 0.25 / torch.finfo(dtype).eps
    pattern = (edge, 1.0, 3.0, -edge, 0.5, 1.0, edge / 2, -1.0, -0.25, -edge / 2, 5.0)
    values = [pattern[(k * k + k) // 2 % 11] for k in range(math.prod(shape))]
    return torch.tensor(values, dtype=dtype).reshape(shape)


# How many cases every op has: its first forms, over again in another dtype where they are fewer.
CASES = 4

# Forms with another input that carries no gradient, or without outputs.
LEFT_OUT = {
    ("broadcast_tensors", "scalar"),
    ("broadcast_tensors", "three"),
    ("split", "empty-sizes"),
    ("unbind", "nothing"),
}


def _forms() -> Iterator[tuple[str, dict[str, tuple[str, str]]]]:
    for table in (shape.VIEWS, {"view": shape.VIEW}, shape.COPIES):
        for op, forms in table.items():
            kept = [pair for pair in forms.items() if (op, pair[0]) not in LEFT_OUT]
            yield op, dict(kept[:CASES])


def _spread() -> Iterator[Row]:
    turn = 0
    for op, forms in _forms():
        for number in range(CASES):
            form = list(forms)[number % len(forms)]
            sizes, call = forms[form]
            # `view` refuses most layouts.
            layouts = ("contiguous",) if op == "view" else shape.layouts(sizes)
            dtype = FLOATS[turn % len(FLOATS)]
            layout = layouts[turn // 2 % len(layouts)]
            made = f"numbered({sizes}{', ' if sizes else ''}dtype={dtype})"
            x = made if layout == "contiguous" else f"{layout}({made})"
            # A form that comes up again does so in another dtype.
            again = f"-again{number // len(forms)}" if number >= len(forms) else ""
            yield Row(
                f"{op}/{form}-{dtype}-{layout}{again}", f"(lambda x: {call})({x})", backward=()
            )
            turn += 1


def _sums(number: int, name: str, program: str, of: dict[str, str], weights: str) -> Iterator[Row]:
    """A program in two dtypes, its output weighted so that sums show their order."""
    for dtype in ("float32", FLOATS[1 + number % 3]):
        inputs = ", ".join(f"{key}=numbered({sizes}, dtype={dtype})" for key, sizes in of.items())
        yield Row(
            f"graph/{name}-{dtype}",
            f"graph(lambda {', '.join(of)}, w: {program}, {inputs}, "
            f"w=jumble({weights}, dtype={dtype}))",
            backward=tuple(of),
        )


SUMS = tuple(
    row
    for number, arguments in enumerate(
        (
            ("expand-rows", "x.expand(7, 3) * w", {"x": "3"}, "7, 3"),
            ("expand-columns", "x.expand(2, 37) * w", {"x": "2, 1"}, "2, 37"),
            ("expand-outer-and-inner", "x.expand(3, 2, 5) * w", {"x": "2, 1"}, "3, 2, 5"),
            ("expand-transposed", "x.expand(11, 3).t() * w", {"x": "3"}, "3, 11"),
            ("expand-permuted", "x.expand(3, 2, 5).permute(2, 1, 0) * w", {"x": "2, 1"}, "5, 2, 3"),
            ("repeat-both", "x.repeat(5, 3) * w", {"x": "1, 2"}, "5, 6"),
            ("repeat-new-dim", "x.repeat(5, 3, 2) * w", {"x": "2"}, "5, 3, 4"),
            ("tile", "x.tile(4, 2) * w", {"x": "3"}, "4, 6"),
            ("repeat_interleave", "x.repeat_interleave(9, dim=0) * w", {"x": "2, 2"}, "18, 2"),
            ("repeat_interleave-flat", "x.repeat_interleave(11) * w", {"x": "2, 1"}, "22"),
            (
                "repeat_interleave-each",
                "x.repeat_interleave(ids([4, 0, 7]), dim=0) * w",
                {"x": "3, 2"},
                "11, 2",
            ),
            ("unfold", "x.unfold(0, 5, 1) * w", {"x": "9"}, "5, 5"),
            ("unfold-columns", "x.unfold(1, 4, 2) * w", {"x": "2, 10"}, "2, 4, 4"),
            (
                "meshgrid",
                "torch.mul(*torch.meshgrid(x, y, indexing='xy')) * w",
                {"x": "2", "y": "9"},
                "9, 2",
            ),
            ("cartesian_prod", "torch.cartesian_prod(x, y) * w", {"x": "2", "y": "7"}, "14, 2"),
            (
                "broadcast_tensors",
                "torch.mul(*torch.broadcast_tensors(x, y)) * w",
                {"x": "5, 1", "y": "6"},
                "5, 6",
            ),
            (
                "stack-of-expanded",
                "torch.stack((x.expand(7, 2), y), 2) * w",
                {"x": "2", "y": "7, 2"},
                "7, 2, 2",
            ),
            (
                "cat-of-expanded",
                "torch.cat((x.expand(7, 2), y), 1) * w",
                {"x": "2", "y": "7, 1"},
                "7, 3",
            ),
            ("diag_embed-of-expanded", "x.expand(9).diag_embed(1) * w", {"x": "1"}, "10, 10"),
            ("reshape-of-expanded", "x.expand(6, 4).reshape(3, 8) * w", {"x": "6, 1"}, "3, 8"),
            ("flip-of-expanded", "x.expand(6, 4).flip(0) * w", {"x": "4"}, "6, 4"),
            ("unfold-many", "x.unfold(0, 9, 1) * w", {"x": "13"}, "5, 9"),
            (
                "tensor_split-overlapping",
                "torch.cat(x.tensor_split((7, 2, 6, 1, 5, 0))) * w",
                {"x": "8"},
                "23",
            ),
            ("used-twice", "torch.cat((x, x.flip(0), x.roll(1, 0))) * w", {"x": "3, 1"}, "9, 1"),
        )
    )
    for row in _sums(number, *arguments)
)

SPECIAL = "row(nan, -0.0, inf, -inf)"
PICKED = (
    # A gradient that is the sum of a product, whose order in memory follows a view's.
    Row(
        "graph/product-transposed",
        "graph(lambda x, c: (x * c).t(), x=jumble(4, 9), c=numbered(4, 1))",
        backward=("x", "c"),
    ),
    Row(
        "graph/product-permuted",
        "graph(lambda x, c: (x * c).permute(2, 0, 1), x=jumble(3, 4, 5), c=numbered(1, 1))",
        backward=("x", "c"),
    ),
    Row(
        "graph/product-flipped-and-transposed",
        "graph(lambda x, c: (x * c).flip(0).t(), x=jumble(4, 9), c=numbered(4, 1))",
        backward=("x", "c"),
    ),
    Row(
        "graph/product-of-transposed",
        "graph(lambda x, c: x * c, x=transposed(jumble(7, 9)), c=numbered(9))",
        backward=("x", "c"),
    ),
    # Zeros of both signs, as the cotangents of parts that meet and of parts that do not.
    Row(
        "graph/signed-zeros-split",
        f"graph(lambda x, w: torch.cat(x.split(2)) * w, x=numbered(4), w={SPECIAL})",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-tensor_split",
        f"graph(lambda x, w: torch.cat(x.tensor_split(2)) * w, x=numbered(4), w={SPECIAL})",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-unbind",
        f"graph(lambda x, w: torch.stack(x.unbind()) * w, x=numbered(4), w={SPECIAL})",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-unfold",
        f"graph(lambda x, w: x.unfold(0, 2, 1) * w, x=numbered(3), w={SPECIAL}.reshape(2, 2))",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-unfold-apart",
        f"graph(lambda x, w: x.unfold(0, 2, 2) * w, x=numbered(4), w={SPECIAL}.reshape(2, 2))",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-expand",
        f"graph(lambda x, w: x.expand(1, 4) * w, x=numbered(4), w={SPECIAL})",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-tril",
        f"graph(lambda x, w: x.tril() * w, x=numbered(2, 2), w={SPECIAL}.reshape(2, 2))",
        backward=("x",),
    ),
    Row(
        "graph/signed-zeros-diagonal",
        f"graph(lambda x, w: x.diagonal() * w, x=numbered(4, 5), w={SPECIAL})",
        backward=("x",),
    ),
    # Parts that nothing asks about.
    Row(
        "graph/one-part-of-split",
        "graph(lambda x: x.split(2)[1] * 2.5, x=numbered(5))",
        backward=(),
    ),
    Row(
        "graph/one-part-of-chunk",
        "graph(lambda x: x.chunk(2, 1)[0] * 2.5, x=numbered(2, 5))",
        backward=(),
    ),
    Row(
        "graph/one-part-of-tensor_split",
        "graph(lambda x: x.tensor_split(3)[1] * 2.5, x=numbered(5))",
        backward=(),
    ),
    Row(
        "graph/one-part-of-unbind",
        "graph(lambda x: x.unbind(1)[2] * 2.5, x=numbered(2, 5))",
        backward=(),
    ),
    Row(
        "graph/one-axis-of-meshgrid",
        "graph(lambda x, y: torch.meshgrid(x, y, indexing='ij')[1] * 2.5, x=numbered(2), "
        "y=numbered(3))",
        backward=("y",),
    ),
    Row("tensor_split/overlapping", "numbered(9).tensor_split((6, 2, 5, 1))", backward=()),
    Row(
        "tensor_split/overlapping-float16",
        "numbered(9, dtype=float16).tensor_split((7, 1, 6, 0))",
        backward=(),
    ),
    # Promotion: every gradient has its own input's dtype.
    Row(
        "cat/promotes",
        "torch.cat((numbered(2, dtype=float16), numbered(3, dtype=float32)))",
        backward=(),
    ),
    Row(
        "cat/promotes-to-float64",
        "torch.cat((numbered(2, dtype=bfloat16), numbered(3, dtype=float64)))",
        backward=(),
    ),
    Row(
        "stack/promotes",
        "torch.stack((numbered(2, dtype=float16), numbered(2, dtype=bfloat16)))",
        backward=(),
    ),
    Row(
        "hstack/promotes",
        "torch.hstack((numbered(2, dtype=float64), numbered(1, dtype=float16)))",
        backward=(),
    ),
    Row(
        "cat/beside-integers",
        "torch.cat((numbered(2), torch.tensor([1, 2])))",
        backward=("tensors",),
    ),
    Row(
        "column_stack/vector-and-matrix",
        "torch.column_stack((numbered(3), numbered(3, 2)))",
        backward=(),
    ),
    Row("trace/tall", "numbered(7, 2).trace()", backward=()),
    Row("trace/wide-float16", "numbered(2, 5, dtype=float16).trace()", backward=()),
    Row("view_as/other", "numbered(2, 3).view_as(numbered(3, 2))", backward=("input",)),
    Row(
        "view_as/same",
        "numbered(2, 3, dtype=bfloat16).t().view_as(numbered(3, 2))",
        backward=("input",),
    ),
    Row(
        "view_as/scalar",
        "numbered(1, 1, dtype=float16).view_as(row(1.0).sum())",
        backward=("input",),
    ),
    Row(
        "view_as/empty",
        "numbered(0, 2, dtype=float64).view_as(numbered(2, 0))",
        backward=("input",),
    ),
    # What carries no gradient.
    Row("zeros_like/has-none", "torch.zeros_like(numbered(2))", backward=("input",)),
    Row("ones_like/has-none", "torch.ones_like(numbered(2))", backward=("input",)),
    Row("full_like/has-none", "torch.full_like(numbered(2), 3.0)", backward=("input",)),
    Row("new_zeros/has-none", "numbered(2).new_zeros(3)", backward=("input",)),
    Row("new_ones/has-none", "numbered(2).new_ones(3)", backward=("input",)),
    Row("new_full/has-none", "numbered(2).new_full((3,), 2.0)", backward=("input",)),
    Row(
        "linspace/has-none",
        "torch.linspace(row(1.0).sum(), row(2.0).sum(), 4)",
        backward=("start",),
    ),
    Row("one_hot/has-none", "F.one_hot(torch.tensor([1, 0]))", backward=("input",)),
    Row(
        "bincount/has-no-formula",
        "torch.bincount(torch.tensor([0, 1, 1]), row(1.0, 2.0, 3.0))",
        backward=("weights",),
    ),
    Row("bincount/integers", "torch.bincount(torch.tensor([0, 1, 1]))", backward=("input",)),
    Row("t/integers", "torch.tensor([[1, 2]]).t()", backward=("input",)),
)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return {**shape.namespace(), "ids": index.ids, "graph": graph, "jumble": jumble}


ROWS = (*_spread(), *SUMS, *PICKED)

SUITE = parity.suite.Suite("grad_shape", "python/grad_shape.py", ROWS, namespace)
