"""Suite `grad_matmul`: backward passes of products of vectors, matrices and batches, and of einsum.

Run `python/generate.py --only grad_matmul`. Products of 16-bit floats are PyTorch's own loops and
exact. float32 and float64 run MKL, so their gradients are held to the sum of the magnitudes; of
small integers (`ties`) they are the same in any order.
"""

from collections.abc import Mapping

import parity.suite
from parity.cross import cross, differentiable, named
from parity.suite import Row
from parity.tensors import namespace

DTYPES = named("float64 float32 float16 bfloat16")
SHORT = named("float16 bfloat16")
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")
VALUES = named("ordinary ties")
SPECIAL = named("nan_middle infinities zeros large tiny")

# The shapes of two factors.
Shapes = Mapping[str, tuple[str, ...]]


def arguments(shapes: Shapes) -> dict[str, str]:
    """Factors of these shapes as a snippet, each in a layout of its own."""
    layouts = ("{left}", "{right}")
    return {
        label: ", ".join(
            f"{layout}({{values}}({shape}, dtype={{dtype}}))"
            for layout, shape in zip(layouts, factors, strict=True)
        )
        for label, factors in shapes.items()
    }


def products(
    op: str,
    shapes: Shapes,
    *wrt: str,
    call: str = "torch.{op}({shape})",
    prefix: str = "",
    dtype: Mapping[str, str] = DTYPES,
    values: Mapping[str, str] = VALUES,
    left: Mapping[str, str] = LAYOUTS,
    right: Mapping[str, str] = LAYOUTS,
    **axes: Mapping[str, str],
) -> tuple[Row, ...]:
    """Rows of a product of two factors, crossed."""
    rows = cross(
        op,
        call.replace("{op}", op),
        prefix=prefix,
        shape=arguments(shapes),
        dtype=dtype,
        values=values,
        left=left,
        right=right,
        **axes,
    )
    return differentiable(rows, *wrt)


MATRICES: Shapes = {
    "3x4x2": ("3, 4", "4, 2"),
    "1x5x3": ("1, 5", "5, 3"),
    "4x1x3": ("4, 1", "1, 3"),
    "2x6x1": ("2, 6", "6, 1"),
    "empty": ("2, 0", "0, 3"),
    "norows": ("0, 2", "2, 3"),
}
LONG: Shapes = {"2x70x3": ("2, 70", "70, 3"), "17x3x35": ("17, 3", "3, 35")}
BATCHES: Shapes = {
    "2x3x4x2": ("2, 3, 4", "2, 4, 2"),
    "1x2x5x3": ("1, 2, 5", "1, 5, 3"),
    "3x1x4x1": ("3, 1, 4", "3, 4, 1"),
    "empty": ("0, 2, 3", "0, 3, 2"),
}
# From 400 multiplications on a batch runs another loop.
LARGE_BATCHES: Shapes = {"2x9x7x8": ("2, 9, 7", "2, 7, 8")}
RANKS: Shapes = {
    "1x1": ("5", "5"),
    "2x1": ("3, 4", "4"),
    "1x2": ("4", "4, 3"),
    "2x2": ("3, 4", "4, 2"),
    "3x1": ("2, 3, 4", "4"),
    "1x3": ("4", "2, 4, 3"),
    "3x2": ("2, 3, 4", "4, 2"),
    "2x3": ("3, 4", "2, 4, 2"),
    "3x3": ("2, 3, 4", "2, 4, 2"),
    "3x3one": ("1, 3, 4", "3, 4, 2"),
    "4x1": ("2, 1, 3, 4", "4"),
    "1x4": ("3", "2, 2, 3, 2"),
    "4x2": ("2, 1, 3, 4", "4, 2"),
    "2x4": ("2, 3", "2, 2, 3, 2"),
    "4x3": ("2, 1, 3, 2", "2, 2, 3"),
    "3x4": ("2, 2, 3", "3, 1, 3, 2"),
    "3x3empty": ("0, 2, 3", "1, 3, 2"),
}
ONE_SIDED: Shapes = {
    label: RANKS[label] for label in "3x1 1x3 3x2 2x3 3x3one 4x1 1x4 4x2 2x4".split()
}

PLAIN = (
    *products("mm", MATRICES),
    *products("mm", LONG, prefix="long", values=named("ordinary cancelling")),
    *products("mm", {"3x4x2": ("3, 4", "4, 2")}, prefix="special", values=SPECIAL),
    *products("bmm", BATCHES),
    *products("bmm", LARGE_BATCHES, prefix="large"),
    *products("mv", {"3x4": ("3, 4", "4"), "1x5": ("1, 5", "5"), "6x1": ("6, 1", "1")}),
    *products(
        "mv", {"5x40": ("5, 40", "40"), "40x3": ("40, 3", "3")}, prefix="long", dtype=SHORT
    ),
    *products("dot", {"5": ("5", "5"), "40": ("40", "40"), "empty": ("0", "0")}),
    *products("vdot", {"5": ("5", "5"), "17": ("17", "17")}),
    *products("outer", {"3x4": ("3", "4"), "1x5": ("1", "5"), "33x2": ("33", "2")}),
    *products("ger", {"3x4": ("3", "4"), "17x1": ("17", "1")}),
    *products(
        "inner",
        {
            "1x1": ("5", "5"),
            "2x2": ("3, 4", "2, 4"),
            "3x1": ("2, 3, 4", "4"),
            "1x3": ("4", "2, 3, 4"),
            "2x3": ("2, 3", "2, 2, 3"),
            "length1": ("3, 1", "2, 1"),
        },
    ),
    *products("matmul", RANKS),
    *products("matmul", ONE_SIDED, "input", prefix="left"),
    *products("matmul", ONE_SIDED, "other", prefix="right"),
    *products(
        "matmul",
        {"2x7x9x2x8": ("2, 7, 9", "2, 9, 8"), "2x1x5x33x3": ("2, 5, 33", "33, 3")},
        prefix="large",
        dtype=SHORT,
        values=named("ordinary cancelling"),
    ),
    *products("matmul", ONE_SIDED, prefix="special", values=SPECIAL),
)

SCALES = {
    "plain": "",
    "alpha": ", alpha=2.5",
    "beta": ", beta=-0.5",
    "both": ", beta=0.1, alpha=3",
    "beta0": ", beta=0",
    "alpha0": ", alpha=0",
}


def summed(op: str, shapes: Shapes, whole: str, prefix: str = "") -> tuple[Row, ...]:
    """Rows of a product added to an input of the result's shape, or one that broadcasts to it."""
    last = whole.rpartition(", ")[2]
    inputs = {"same": whole, "row": last, "one": "1"}
    if op != "addmv":
        inputs["number"] = ""
    summand = {
        label: f"ordinary({shape}{', ' if shape else ''}dtype={{dtype}})"
        for label, shape in inputs.items()
    }
    return products(
        op,
        shapes,
        call="torch.{op}({summand}, {shape}{scales})",
        prefix=prefix,
        summand=summand,
        scales=SCALES,
    )


SUMMED = (
    *summed("addmm", {"3x4x2": MATRICES["3x4x2"]}, "3, 2"),
    *summed("addmm", {"17x3x35": LONG["17x3x35"]}, "17, 35", prefix="long")[:12],
    *summed("addmv", {"3x4": ("3, 4", "4")}, "3"),
    *summed("addr", {"3x4": ("3", "4")}, "3, 4"),
    *summed("addr", {"2x33": ("2", "33")}, "2, 33", prefix="long")[:8],
    *summed("baddbmm", {"2x3x4x2": BATCHES["2x3x4x2"]}, "2, 3, 2"),
    *summed("baddbmm", {"2x9x7x8": LARGE_BATCHES["2x9x7x8"]}, "2, 9, 8", prefix="large")[:6],
    *summed("addbmm", {"2x3x4x2": BATCHES["2x3x4x2"]}, "3, 2"),
)

LINEAR_SHAPES: Shapes = {
    "1": ("4", "3, 4"),
    "2": ("2, 4", "3, 4"),
    "3": ("2, 3, 4", "2, 4"),
    "4": ("2, 1, 3, 2", "3, 2"),
    "empty": ("0, 4", "3, 4"),
}
LINEAR = (
    *products("linear", LINEAR_SHAPES, call="F.linear({shape})"),
    *products("linear", {"1x1": ("4", "4"), "2x1": ("3, 4", "4")}, call="F.linear({shape})"),
    *products(
        "linear",
        LINEAR_SHAPES,
        call="F.linear({shape}, {bias})",
        prefix="bias",
        bias={
            "one": "stepped(ordinary(1, dtype={dtype}))",
            "matrix": "ordinary(1, 1, dtype={dtype})",
        },
    ),
    *products(
        "linear",
        {"2": ("5, 4", "3, 4"), "3": ("2, 3, 4", "3, 4")},
        call="F.linear({shape}, {layout}(cancelling(3, dtype={dtype})))",
        prefix="bias3",
        layout=named("contiguous stepped"),
    ),
    *products("linear", {"3": ("2, 3, 4", "2, 4")}, "weight", call="F.linear({shape})"),
)

EQUATIONS: Mapping[str, tuple[str, ...]] = {
    "ij,jk->ik": ("2, 3", "3, 4"),
    "ij,jk->ki": ("2, 3", "3, 4"),
    "ij,kj->ki": ("2, 3", "4, 3"),
    "ij,j->i": ("3, 4", "4"),
    "i,i->": ("5", "5"),
    "i,j->ij": ("3", "4"),
    "ij,ij->ij": ("2, 3", "2, 3"),
    "ij,ij->j": ("4, 3", "4, 3"),
    "bij,bjk->bik": ("2, 3, 4", "2, 4, 2"),
    "bij,bkj->bik": ("2, 3, 4", "2, 2, 4"),
    "bij,jk->bik": ("2, 3, 4", "4, 2"),
    "bhid,bhjd->bhij": ("1, 2, 3, 4", "1, 2, 2, 4"),
    "...ij,...jk->...ik": ("2, 3, 4", "4, 2"),
    "ij,k->k": ("2, 3", "4"),
    "ij,jk->": ("2, 3", "3, 2"),
    "ii,ij->j": ("3, 3", "3, 2"),
    "ij,j->ij": ("3, 4", "1"),
}
THREE: Mapping[str, tuple[str, ...]] = {
    "ij,jk,kl->il": ("2, 3", "3, 4", "4, 2"),
    "i,ij,j->": ("3", "3, 4", "4"),
    "ij,j,k->k": ("2, 3", "3", "4"),
    "bi,bi,bi->i": ("2, 3", "2, 3", "2, 3"),
}
ONE: Mapping[str, str] = {
    "ij->ji": "2, 3",
    "ij->": "2, 3",
    "ij->j": "2, 3",
    "ii->i": "3, 3",
    "ii": "3, 3",
    "iij->ij": "2, 2, 3",
    "iji->j": "2, 3, 2",
    "iii->i": "2, 2, 2",
    "...i->...": "2, 3, 2",
}


def label(equation: str) -> str:
    """An equation without what an id cannot have."""
    return equation.replace("->", "-to-").replace(",", "_").replace("...", "E").strip("-")


def einsums(equations: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Calls by equation as snippets."""
    layouts = ("left", "right", "left")
    return {
        label(equation): f"torch.einsum({equation!r}, "
        + ", ".join(
            f"{{{layout}}}({{values}}({shape}, dtype={{dtype}}))"
            for layout, shape in zip(layouts, shapes, strict=False)
        )
        + ")"
        for equation, shapes in equations.items()
    }


EINSUM = tuple(
    row
    for equations, crossed in (
        (EQUATIONS, {"values": VALUES, "left": LAYOUTS, "right": LAYOUTS}),
        (THREE, {"values": VALUES, "left": named("contiguous transposed"), "right": LAYOUTS}),
        ({each: (shape,) for each, shape in ONE.items()}, {"values": VALUES, "left": LAYOUTS}),
    )
    for row in differentiable(
        cross("einsum", "{equation}", equation=einsums(equations), dtype=DTYPES, **crossed)
    )
)

PICKED = (
    Row("mm/worked", "torch.mm(row(1.0, 2.0).view(1, 2), ordinary(2, 2))", backward=()),
    Row("mm/left-alone", "torch.mm(ordinary(2, 3), ordinary(3, 2))", backward=("input",)),
    Row("mm/right-alone", "torch.mm(ordinary(2, 3), ordinary(3, 2))", backward=("mat2",)),
    Row("mm/integers-have-none", "torch.mm(ties(2, 2, dtype=int64), ties(2, 2, dtype=int64))",
        backward=("input",)),
    Row("matmul/integers-have-none", "torch.matmul(ties(3, dtype=int32), ties(3, dtype=int32))",
        backward=("other",)),
    Row("einsum/integers-have-none", "torch.einsum('ij->i', ties(2, 3, dtype=int64))",
        backward=("operands",)),
    Row("addmm/input-alone", "torch.addmm(ordinary(2), ordinary(2, 3), ordinary(3, 2), beta=2)",
        backward=("input",)),
    Row("addmm/beta0-of-nan", "torch.addmm(nan_first(2, 2), ordinary(2, 3), ordinary(3, 2), beta=0)",
        backward=()),
    Row("addmm/alpha-true", "torch.addmm(ties(2, 2), ties(2, 3), ties(3, 2), alpha=True)",
        backward=()),
    Row("addmm/alpha0-of-infinity",
        "torch.addmm(ties(2, 2), infinities(2, 3), ties(3, 2), alpha=0)", backward=()),
    Row("addr/other-dtypes", "torch.addr(ordinary(3, 4), ordinary(3), ordinary(4, dtype=float64))",
        backward=("vec1",)),
    Row("addr/other-dtypes-second",
        "torch.addr(ordinary(3, 4), ordinary(3, dtype=float64), ordinary(4))",
        backward=("vec2",)),
    Row("addr/input-of-other-dtype",
        "torch.addr(ordinary(3, 4), ordinary(3, dtype=float64), ordinary(4, dtype=float64))",
        backward=("input",)),
    Row("addr/beside-integers", "torch.addr(ties(3, 4, dtype=int64), ties(3), ties(4))",
        backward=("vec1",)),
    Row("outer/other-dtypes", "torch.outer(ordinary(3), ordinary(4, dtype=float16))", backward=()),
    Row("outer/beside-integers", "torch.outer(ordinary(3), ties(4, dtype=int64))",
        backward=("input",)),
    Row("inner/number", "torch.inner(torch.tensor(2.5), ordinary(3, 2))", backward=()),
    Row("inner/number-second", "torch.inner(ordinary(3, 2), torch.tensor(2.5))", backward=()),
    Row("inner/numbers", "torch.inner(torch.tensor(2.5), torch.tensor(-3.0))", backward=()),
    Row("inner/minus-zeros", "torch.inner(zeros(2, 1), zeros(3, 1))", backward=()),
    Row("einsum/one-letter-sizes", "torch.einsum('ij,jk->ik', ties(2, 1), ties(3, 4))",
        backward=()),
    Row("einsum/broadcast-ellipsis", "torch.einsum('...i,...i->...', ties(1, 2, 3), ties(4, 1, 3))",
        backward=()),
    Row("einsum/nothing-left", "torch.einsum('i,i->', ties(0), ties(0))", backward=()),
    Row("baddbmm/bias-alone", "torch.baddbmm(ties(2, 1, 2), ties(2, 3, 4), ties(2, 4, 2))",
        backward=("input",)),
    Row("linear/bias-alone", "F.linear(ties(2, 3, 4), ties(2, 4), ties(2))", backward=("bias",)),
)  # fmt: skip

ROWS = (*PLAIN, *SUMMED, *LINEAR, *EINSUM, *PICKED)

SUITE = parity.suite.Suite("grad_matmul", "python/grad_matmul.py", ROWS, namespace)
