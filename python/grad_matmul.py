"""Suite `grad_matmul`: backward passes of products of vectors, matrices and batches, and of einsum.

Run `python/generate.py --only grad_matmul`. Products of 16-bit floats are PyTorch's own loops and
exact. float32 and float64 run MKL, so their gradients are held to the sum of the magnitudes; of
`ties` and `eighths` they are exact in any order.
"""

from collections.abc import Mapping
from typing import Any

import parity.suite
from parity import tensors
from parity.cross import cross, differentiable, named
from parity.suite import Row

import torch


@tensors.unrecorded
def eighths(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Eighths between -32 and 32, whose products and sums only the 16-bit types round."""
    count = torch.Size(shape).numel()
    values = [(k * 197 % 509 - 254) / 8 for k in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape).to(dtype)


def namespace() -> dict[str, Any]:
    """What the expressions may refer to."""
    return tensors.namespace() | {"eighths": eighths}


# float16 takes bfloat16's ways, and is tried where those part.
DTYPES = named("float64 float32 bfloat16")
SHORT = named("float16 bfloat16")
# Transposed is what BLAS takes as it is, stepped what it has to copy.
LAYOUTS = named("contiguous transposed stepped expanded")
FEW = named("contiguous transposed stepped")
TWO = named("contiguous transposed")
VALUES = named("eighths ties")
SPECIAL = named("ordinary nan_middle infinities zeros tiny")

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
    left: Mapping[str, str] = FEW,
    right: Mapping[str, str] = FEW,
    **axes: Any,
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
    "1x3x2": ("1, 3", "3, 2"),
    "4x1x3": ("4, 1", "1, 3"),
    "empty": ("2, 0", "0, 3"),
}
BATCHES: Shapes = {
    "2x3x4x2": ("2, 3, 4", "2, 4, 2"),
    "3x1x4x1": ("3, 1, 4", "3, 4, 1"),
    "empty": ("0, 2, 3", "0, 3, 2"),
}
RANKS: Shapes = {
    "1x1": ("5", "5"),
    "2x1": ("3, 4", "4"),
    "1x2": ("4", "4, 3"),
    "3x1": ("2, 3, 2", "2"),
    "1x3": ("2", "2, 2, 3"),
    "3x2": ("2, 3, 2", "2, 3"),
    "2x3": ("3, 2", "2, 2, 3"),
    "3x3": ("2, 3, 2", "2, 2, 3"),
    "3x3left": ("1, 3, 2", "3, 2, 2"),
    "3x3right": ("3, 2, 2", "1, 2, 3"),
    "4x2": ("2, 1, 3, 2", "2, 2"),
    "3x4": ("2, 2, 3", "2, 1, 3, 1"),
    "4x4": ("2, 1, 2, 3", "1, 2, 3, 2"),
    "3x3empty": ("0, 2, 3", "1, 3, 2"),
}
ONE_SIDED: Shapes = {label: RANKS[label] for label in "3x1 1x3 3x2 2x3 3x3left".split()}
CANCELLING = named("cancelling")

PLAIN = (
    *products("mm", MATRICES, left=LAYOUTS, right=LAYOUTS),
    # Longer sums, where the three orders of the 16-bit loops part.
    *products(
        "mm",
        {"33x1x1": ("33, 1", "1, 1"), "1x1x33": ("1, 1", "1, 33")},
        prefix="long",
        dtype=SHORT,
        values=CANCELLING,
        left=TWO,
        right=TWO,
    ),
    *products(
        "mm",
        {"3x4x2": ("3, 4", "4, 2")},
        prefix="special",
        dtype=named("bfloat16"),
        values=SPECIAL,
        left=TWO,
        right=TWO,
    ),
    *products("bmm", BATCHES),
    # From 400 multiplications on a batch runs another loop.
    *products(
        "bmm",
        {"1x8x7x8": ("1, 8, 7", "1, 7, 8")},
        prefix="large",
        dtype=named("bfloat16"),
        values=CANCELLING,
        left=TWO,
        right=TWO,
    ),
    *products("mv", {"3x4": ("3, 4", "4"), "1x5": ("1, 5", "5")}),
    *products(
        "mv",
        {"40x1": ("40, 1", "1")},
        prefix="long",
        dtype=SHORT,
        values=CANCELLING,
        left=TWO,
        right=TWO,
    ),
    *products("dot", {"5": ("5", "5"), "empty": ("0", "0")}, left=TWO),
    *products("vdot", {"5": ("5", "5")}, right=TWO),
    *products("outer", {"3x4": ("3", "4"), "19x1": ("19", "1")}),
    *products("ger", {"3x4": ("3", "4")}),
    *products(
        "inner",
        {
            "1x1": ("5", "5"),
            "2x2": ("3, 2", "2, 2"),
            "3x1": ("2, 3, 2", "2"),
            "1x3": ("2", "2, 3, 2"),
            "length1": ("3, 1", "2, 1"),
        },
    ),
    *products("matmul", RANKS),
    *products("matmul", ONE_SIDED, "input", prefix="left", dtype=SHORT, left=FEW, right=TWO),
    *products("matmul", ONE_SIDED, "other", prefix="right", dtype=SHORT, left=TWO, right=TWO),
    *products(
        "matmul",
        {"unbatched": ("1, 17, 1", "2, 1, 1"), "folded": ("2, 17, 1", "1, 1")},
        prefix="large",
        dtype=SHORT,
        values=CANCELLING,
        left=TWO,
        right=TWO,
    ),
)

SCALES = {
    "plain": "",
    "both": ", beta=-0.5, alpha=2.5",
    "beta0": ", beta=0, alpha=0.1",
    "alpha0": ", beta=3, alpha=0",
}


def summed(op: str, shapes: Shapes, whole: str) -> tuple[Row, ...]:
    """Rows of a product added to an input of the result's shape, or one that broadcasts to it."""
    last = whole.rpartition(", ")[2]
    inputs = {"same": whole, "row": last}
    summand = {
        label: f"eighths({shape}{', ' if shape else ''}dtype={{dtype}})"
        for label, shape in inputs.items()
    }
    return products(
        op,
        shapes,
        call="torch.{op}({summand}, {shape}{scales})",
        summand=summand,
        left=TWO,
        right=FEW,
        scales=SCALES,
    )


SUMMED = (
    *summed("addmm", {"3x2x2": ("3, 2", "2, 2")}, "3, 2"),
    *summed("addmv", {"3x2": ("3, 2", "2")}, "3"),
    *summed("addr", {"2x3": ("2", "3")}, "2, 3"),
    *summed("baddbmm", {"2x2x3x1": ("2, 2, 3", "2, 3, 1")}, "2, 2, 1"),
    *summed("addbmm", {"2x2x3x1": ("2, 2, 3", "2, 3, 1")}, "2, 1"),
)

LINEAR_SHAPES: Shapes = {
    "1": ("4", "3, 4"),
    "2": ("2, 4", "3, 4"),
    "3": ("2, 2, 3", "2, 3"),
    "4": ("2, 1, 3, 2", "3, 2"),
    "empty": ("0, 4", "3, 4"),
}
LINEAR = (
    *products("linear", LINEAR_SHAPES, call="F.linear({shape})"),
    *products(
        "linear",
        {"1x1": ("4", "4"), "2x1": ("3, 4", "4")},
        call="F.linear({shape})",
        prefix="vector",
        left=named("contiguous stepped"),
        right=named("contiguous stepped"),
    ),
    *products(
        "linear",
        {"2": ("5, 2", "3, 2"), "3": ("2, 3, 2", "3, 2"), "1": ("4", "3, 4")},
        call="F.linear({shape}, {layout}(eighths(3, dtype={dtype})))",
        prefix="bias",
        left=TWO,
        right=TWO,
        layout=named("contiguous stepped"),
    ),
    *products(
        "linear",
        {"3": ("2, 3, 2", "2, 2")},
        call="F.linear({shape}, eighths(1, 1, dtype={dtype}))",
        prefix="bias-matrix",
        dtype=SHORT,
    ),
)

EQUATIONS: Mapping[str, tuple[str, ...]] = {
    "ij,jk": ("2, 3", "3, 2"),
    "ij,j->i": ("3, 4", "4"),
    "i,i->": ("5", "5"),
    "i,j->ij": ("3", "4"),
    "ij,ij->j": ("2, 3", "2, 3"),
    "bij,bkj->bik": ("2, 3, 2", "2, 2, 2"),
    "...ij,...jk->...ik": ("2, 3, 2", "2, 2"),
    "ij,k->k": ("2, 3", "2"),
    "ii,ij->j": ("3, 3", "3, 2"),
    "ij,j->ij": ("2, 3", "1"),
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
    "ii->i": "2, 2",
    "ii": "2, 2",
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


def crossed(equations: Mapping[str, tuple[str, ...]], **layouts: Any) -> tuple[Row, ...]:
    """Rows of einsum with operands in these layouts."""
    return differentiable(
        cross(
            "einsum",
            "{equation}",
            equation=einsums(equations),
            dtype=DTYPES,
            values=VALUES,
            **layouts,
        )
    )


EINSUM = (
    *crossed(EQUATIONS, left=FEW, right=FEW),
    *crossed(THREE, left=TWO, right=TWO),
    *crossed({each: (shape,) for each, shape in ONE.items()}, left=TWO),
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
    Row("addmm/beta0-of-nan",
        "torch.addmm(nan_first(2, 2), ordinary(2, 3), ordinary(3, 2), beta=0)", backward=()),
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
