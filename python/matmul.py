"""Suite `matmul`: products of vectors, matrices and batches of matrices.

`whole` operands have products and sums that every float type holds, so any order of adding
gives the same bits; `ordinary` ones round, and the golden file's `abs_sum` says on what scale.
In the 16-bit floats PyTorch's own kernels add in four different orders, by layout and size:
`opposed` operands, whose large terms cancel, tell them apart. Run
`python/generate.py --only matmul`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import parity.suite
from parity import tensors
from parity.cross import Labels, cross, named
from parity.suite import Row

import torch

FLOATS = "float64 float32 float16 bfloat16"
INTEGERS = "int64 int32 int16 int8 uint8"
LAYOUTS = "contiguous transposed stepped narrowed expanded permuted"


@tensors.unrecorded
def whole(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """-3 … 3 in a cycle of 7: sums of their products are exact in every dtype."""
    steps = torch.arange(math.prod(shape)) * 4 % 7 - 3
    steps = steps.abs() if not dtype.is_signed else steps
    return steps.to(dtype).reshape(shape)


@tensors.unrecorded
def opposed(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values, among which pairs of large ones, far apart in a row, cancel.

    Beside the large ones, the others are partly lost to float32's rounding, and not wholly:
    what is lost depends on what they are added to.
    """
    values = tensors.ordinary(*shape, dtype=torch.float64).clone()
    length = shape[-1]
    large = {torch.float16: 57344.0}.get(dtype, 2.0**23)
    for number in range(length // 4):
        start, stop = 3 * number % length, (5 * number + length // 2 + 1) % length
        if start != stop:
            values[..., start], values[..., stop] = large / 2**number, -large / 2**number
    return values.to(dtype)


@tensors.unrecorded
def paired(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values, among which large ones cancel wholly, the first with the last and so on.

    What is left of the others, a 16-bit result included, depends on the order of addition.
    """
    values = tensors.ordinary(*shape, dtype=torch.float64).clone()
    large = {torch.float16: 49152.0}.get(dtype, 2.0**23)
    for number in range(shape[-1] // 4):
        values[..., number] = large / 2 ** (number % 4)
        values[..., -1 - number] = -large / 2 ** (number % 4)
    return values.to(dtype)


@tensors.unrecorded
def laid(values: torch.Tensor, shape: Sequence[int], strides: Sequence[int]) -> torch.Tensor:
    """The same elements in a layout whose elements do not share places."""
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    view = torch.zeros(span, dtype=values.dtype).as_strided(shape, strides)
    return view.copy_(values.reshape(shape))


@tensors.unrecorded
def signs(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """1, 1/2, -1, 2 by column: products with these are exact."""
    if len(shape) < 2:
        return torch.ones(shape, dtype=dtype)
    factors = torch.tensor([1.0, 0.5, -1.0, 2.0, -0.25], dtype=dtype)
    return factors[torch.arange(shape[-1]) % 5].expand(shape).contiguous()


@tensors.unrecorded
def vectors(rows: int, columns: int, dtype: torch.dtype) -> list[torch.Tensor]:
    """Two vectors of ordinary values, none of them small."""
    return [tensors.positive(rows, dtype=dtype), tensors.positive(columns, dtype=dtype)]


@tensors.unrecorded
def factors(
    rows: int,
    columns: int = 0,
    *layouts: Callable[[torch.Tensor], torch.Tensor],
    dtype: torch.dtype,
) -> list[torch.Tensor]:
    """A matrix of two columns and one of two rows (or a vector) whose product has one term."""
    left, right = vectors(rows, columns or 1, dtype)
    a = torch.stack((left, torch.zeros_like(left)), 1)
    b = torch.stack((right, torch.zeros_like(right)), 0)
    laid = [*layouts, *[tensors.contiguous] * 2]
    return [laid[0](a), laid[1](b if columns else b[:, 0])]


@tensors.unrecorded
def balance(rows: int, columns: int = 0, *, dtype: torch.dtype) -> torch.Tensor:
    """What makes 0.7 times it plus 1.3 times the outer product of `vectors` nearly zero."""
    left, right = (vector.double() for vector in vectors(rows, columns or 1, dtype))
    sums = left[:, None] * right * (-1.3 / 0.7)
    return (sums if columns else sums[:, 0]).to(dtype)


Maker = Callable[..., torch.Tensor]
Layout = Callable[[torch.Tensor], torch.Tensor]


@tensors.unrecorded
def operands(
    shapes: Sequence[Sequence[int]], values: Maker, dtype: torch.dtype, *layouts: Layout
) -> list[torch.Tensor]:
    """One tensor per shape, in layouts taken in turn."""
    return [
        layouts[number % len(layouts)](values(*shape, dtype=dtype))
        for number, shape in enumerate(shapes)
    ]


def _shapes(table: str) -> Mapping[str, str]:
    """`2x3 3x4` by the label `2x3-3x4`, as Python; `s` is no dimension at all."""
    return {
        line.strip().replace(" ", "-"): "["
        + ", ".join(
            "()" if shape == "s" else f"({', '.join(shape.split('x'))},)" for shape in line.split()
        )
        + "]"
        for line in table.strip().splitlines()
    }


MATMUL_SHAPES = _shapes(
    """
    3 3
    2x3 3
    3 3x2
    2x3 3x4
    1x1 1x1
    4x1 1x3
    1x5 5x1
    2x2x3 3x2
    2x3 2x3x2
    2x3x4 4
    3 2x3x2
    2x2x3 2x3x2
    1x2x3 4x3x2
    2x1x2x3 3x3x2
    2x1x1x2x2 1x2x1x2x3
    3x2x2x4 4x3
    0 0
    0x3 3x2
    2x0 0x3
    0x2x3 3x2
    2x3 0x3x2
    2x2x0 2x0x3
    2x0x3 3
    1x2x3 0x3x2
    """
)

# Axes by op; the first is what the shapes are crossed with.
_OPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "matmul": ("torch.matmul(*operands({shapes}, {values}, {dtype}, {a}, {b}))", MATMUL_SHAPES),
    "mm": (
        "torch.mm(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("2x3 3x4\n1x3 3x1\n5x2 2x5\n3x4 4x1\n1x4 4x3\n0x2 2x3\n2x0 0x2\n2x3 3x0"),
    ),
    "bmm": (
        "torch.bmm(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("2x2x3 2x3x2\n1x3x1 1x1x3\n3x1x4 3x4x1\n0x2x3 0x3x2\n2x2x0 2x0x2\n2x0x3 2x3x1"),
    ),
    "mv": (
        "torch.mv(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("3x4 4\n1x5 5\n4x1 1\n0x3 3\n3x0 0"),
    ),
    "dot": (
        "torch.dot(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("5 5\n1 1\n0 0\n9 9"),
    ),
    "vdot": (
        "torch.vdot(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("5 5\n0 0"),
    ),
    "inner": (
        "torch.inner(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("3 3\n2x3 3\n3 2x3\n2x3 4x3\n2x2x3 2x3\ns 3\n2x2 s\ns s\n2x0 3x0\n0x2 2"),
    ),
    "outer": (
        "torch.outer(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("3 4\n1 2\n0 3\n2 0"),
    ),
    "ger": ("torch.ger(*operands({shapes}, {values}, {dtype}, {a}, {b}))", _shapes("3 2\n2 1")),
    "addmm": (
        "torch.addmm(*operands({shapes}, {values}, {dtype}, {a}, {b}){scale})",
        _shapes(
            "2x4 2x3 3x4\n4 2x3 3x4\n2x1 2x3 3x4\n1x1 2x1 1x2\ns 2x3 3x2\n1x3 2x0 0x3\n2x0 2x3 3x0"
        ),
    ),
    "addmv": (
        "torch.addmv(*operands({shapes}, {values}, {dtype}, {a}, {b}){scale})",
        _shapes("3 3x4 4\n1 3x4 4\ns 2x3 3\n2 2x0 0\n0 0x3 3"),
    ),
    "addr": (
        "torch.addr(*operands({shapes}, {values}, {dtype}, {a}, {b}){scale})",
        _shapes("3x2 3 2\n2 3 2\ns 3 2\n0x2 0 2"),
    ),
    "baddbmm": (
        "torch.baddbmm(*operands({shapes}, {values}, {dtype}, {a}, {b}){scale})",
        _shapes("2x2x2 2x2x3 2x3x2\n2x1 2x2x3 2x3x2\ns 2x2x3 2x3x2\n1x3 2x2x0 2x0x3\n2 0x2x2 0x2x2"),
    ),
    "addbmm": (
        "torch.addbmm(*operands({shapes}, {values}, {dtype}, {a}, {b}){scale})",
        _shapes("2x2 2x2x3 2x3x2\n2 3x2x1 3x1x2\ns 2x2x3 2x3x2\n2x2 0x2x3 0x3x2"),
    ),
    "linear": (
        "F.linear(*operands({shapes}, {values}, {dtype}, {a}, {b}))",
        _shapes("2x3 4x3\n3 4x3\n2x2x3 2x3\n2x3 3\n3 3\n2x3 4x3 4\n3 4x3 4\n2x2x3 2x3 2\n0x3 2x3 2\n2x0 3x0 3\n2x0 3x0"),
    ),
}  # fmt: skip

SCALES = {
    "": "",
    "alpha2": ", alpha=2",
    "beta0": ", beta=0",
    "beta3-alpha-1": ", beta=3, alpha=-1",
    "beta-half": ", beta=0.5",
    "alpha0": ", alpha=0",
}


def _no_sense(labels: Labels) -> bool:
    """A fraction for integers, which PyTorch refuses under every layout alike."""
    return labels.get("scale") == "beta-half" and "float" not in labels.get("dtype", "float32")


def _crossed() -> tuple[Row, ...]:
    rows: list[Row] = []
    for op, (expression, shapes) in _OPS.items():
        axes: dict[str, Any] = {
            "shapes": shapes,
            "dtype": named(f"{FLOATS} {INTEGERS}"),
            "values": named("whole ordinary"),
            "a": named(LAYOUTS),
            "b": named(LAYOUTS),
        }
        if "{scale}" in expression:
            axes["scale"] = SCALES
        rows += cross(op, expression, unless=_no_sense, **axes)
    return tuple(rows)


# Lengths around the blocks of PyTorch's kernels, for matrices that lie in memory as rows or as
# columns: the orders of addition in the 16-bit floats depend on both.
_LENGTHS = (3, 5, 8, 9, 17, 33, 65)
_SIDES = {"rows-rows": ("", ""), "columns-rows": (".t().contiguous().t()", ""),
          "rows-columns": ("", ".t().contiguous().t()"),
          "columns-columns": (".t().contiguous().t()", ".t().contiguous().t()")}  # fmt: skip
ORDERS = tuple(
    Row(
        f"mm/opposed-{k}-{m}x{n}-{sides}-{dtype}",
        f"opposed({m}, {k}, dtype={dtype}){left}.mm(signs({k}, {n}, dtype={dtype}){right})",
    )
    for dtype in ("float16", "bfloat16")
    for k in _LENGTHS
    for m, n in ((2, 2),)
    for sides, (left, right) in _SIDES.items()
) + tuple(
    Row(f"{op}/opposed-{k}-{special}-{dtype}", expression.format(k=k, d=dtype))
    for dtype in ("float16", "bfloat16")
    for k in (7, 65)
    for op, special, expression in (
        ("mv", "rows", "opposed(3, {k}, dtype={d}).mv(signs({k}, dtype={d}))"),
        ("mv", "columns", "opposed(3, {k}, dtype={d}).t().contiguous().t().mv(signs({k}, dtype={d}))"),
        ("mv", "stepped", "opposed(3, {k}, dtype={d}).mv(stepped(signs({k}, dtype={d})))"),
        ("dot", "vectors", "opposed({k}, dtype={d}).dot(signs({k}, dtype={d}))"),
        ("dot", "stepped", "stepped(opposed({k}, dtype={d})).dot(signs({k}, dtype={d}))"),
        ("mm", "1xn", "opposed(1, {k}, dtype={d}).mm(signs({k}, 3, dtype={d}))"),
        ("mm", "mx1", "opposed(3, {k}, dtype={d}).mm(signs({k}, 1, dtype={d}))"),
        ("mm", "1x1", "opposed(1, {k}, dtype={d}).mm(signs({k}, 1, dtype={d}))"),
        ("bmm", "small", "opposed(2, 2, {k}, dtype={d}).bmm(signs(2, {k}, 2, dtype={d}))"),
        ("bmm", "large", "opposed(2, 4, {k}, dtype={d}).bmm(signs(2, {k}, 15, dtype={d}))"),
        ("matmul", "folded", "opposed(2, 2, {k}, dtype={d}).matmul(signs({k}, 3, dtype={d}))"),
        ("matmul", "vector", "opposed({k}, dtype={d}).matmul(signs({k}, 3, dtype={d}))"),
        ("matmul", "batch-vector", "opposed(2, 3, {k}, dtype={d}).matmul(signs({k}, dtype={d}))"),
        ("linear", "plain", "F.linear(opposed(2, {k}, dtype={d}), signs({k}, 3, dtype={d}).t().contiguous())"),
        ("linear", "bias", "F.linear(opposed(2, {k}, dtype={d}), signs({k}, 3, dtype={d}).t().contiguous(), row(0.1, 1.0, -3.0, dtype={d}))"),
        ("linear", "cube", "F.linear(opposed(2, 2, {k}, dtype={d}), signs({k}, 3, dtype={d}).t().contiguous(), row(0.1, 1.0, -3.0, dtype={d}))"),
        ("addmm", "rows", "torch.addmm(ordinary(2, 3, dtype={d}), opposed(2, {k}, dtype={d}), signs({k}, 3, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmm", "columns", "torch.addmm(ordinary(2, 3, dtype={d}), opposed(2, {k}, dtype={d}).t().contiguous().t(), signs({k}, 3, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "columns", "torch.addmv(ordinary(3, dtype={d}), opposed(3, {k}, dtype={d}).t().contiguous().t(), signs({k}, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "rows-unscaled", "torch.addmv(ordinary(3, dtype={d}), opposed(3, {k}, dtype={d}), signs({k}, dtype={d}))"),
        ("addmv", "rows-beta", "torch.addmv(ordinary(3, dtype={d}), opposed(3, {k}, dtype={d}), signs({k}, dtype={d}), beta=0.7)"),
        ("addmv", "rows-beta0", "torch.addmv(ordinary(3, dtype={d}), opposed(3, {k}, dtype={d}), signs({k}, dtype={d}), beta=0)"),
        ("addmv", "columns-unscaled", "torch.addmv(ordinary(3, dtype={d}), opposed(3, {k}, dtype={d}).t().contiguous().t(), signs({k}, dtype={d}))"),
        ("baddbmm", "large-columns", "torch.baddbmm(ordinary(1, 10, 9, dtype={d}), transposed(opposed(1, 10, {k}, dtype={d})), signs(1, {k}, 9, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "one-row", "torch.addmv(ordinary(1, dtype={d}), opposed(1, {k}, dtype={d}), signs({k}, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmm", "one-column", "torch.addmm(ordinary(3, 1, dtype={d}), opposed(3, {k}, dtype={d}).t().contiguous().t(), signs({k}, 1, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmm", "weight", "torch.addmm(ordinary(2, 3, dtype={d}), opposed(2, {k}, dtype={d}), signs({k}, 3, dtype={d}).t().contiguous().t(), beta=0.7, alpha=1.3)"),
        ("addbmm", "rows", "torch.addbmm(ordinary(2, 3, dtype={d}), opposed(2, 2, {k}, dtype={d}), signs(2, {k}, 3, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "rows", "torch.addmv(ordinary(2, dtype={d}), opposed(2, {k}, dtype={d}), signs({k}, dtype={d}), beta=0.7, alpha=1.3)"),
        ("baddbmm", "small", "torch.baddbmm(ordinary(2, 2, 2, dtype={d}), opposed(2, 2, {k}, dtype={d}), signs(2, {k}, 2, dtype={d}), beta=0.7, alpha=1.3)"),
        ("baddbmm", "large", "torch.baddbmm(ordinary(1, 4, 15, dtype={d}), opposed(1, 4, {k}, dtype={d}), signs(1, {k}, 15, dtype={d}), beta=0.7, alpha=1.3)"),
    )
)  # fmt: skip

# Rounded sums of ordinary values, row-major, of lengths that MKL adds without cutting them up;
# and some longer, or lying as columns, where it does.
ROUNDED = tuple(
    Row(f"{op}/length-{k}-{special}-{dtype}", expression.format(k=k, d=dtype))
    for dtype, lengths in (("float32", (3, 8, 17, 64)), ("float64", (5, 33)))
    for k in lengths
    for op, special, expression in (
        ("mm", "3x4", "ordinary(3, {k}, dtype={d}).mm(ordinary({k}, 4, dtype={d}))"),
        ("mm", "weight", "ordinary(3, {k}, dtype={d}).mm(ordinary(4, {k}, dtype={d}).t())"),
        ("mm", "columns", "ordinary({k}, 3, dtype={d}).t().mm(ordinary({k}, 4, dtype={d}))"),
        ("bmm", "2x2x2", "ordinary(2, 2, {k}, dtype={d}).bmm(ordinary(2, {k}, 2, dtype={d}))"),
        ("mv", "3", "ordinary(3, {k}, dtype={d}).mv(ordinary({k}, dtype={d}))"),
        ("dot", "vectors", "ordinary({k}, dtype={d}).dot(ordinary({k}, dtype={d}))"),
        ("linear", "bias", "F.linear(ordinary(2, {k}, dtype={d}), ordinary(3, {k}, dtype={d}), row(0.1, -2.0, 3.0, dtype={d}))"),
    )
) + tuple(
    Row(f"{op}/length-{k}-{special}", expression.format(k=k))
    for k in (256,)
    for op, special, expression in (
        ("mm", "5x5", "ordinary(5, {k}).mm(ordinary({k}, 5))"),
        ("mm", "8x8-weight", "ordinary(8, {k}).mm(ordinary(8, {k}).t())"),
        ("mv", "5", "ordinary(5, {k}).mv(ordinary({k}))"),
        ("dot", "vectors", "ordinary({k}).dot(ordinary({k}))"),
        ("mm", "float16", "ordinary(5, {k}, dtype=float16).mm(ordinary({k}, 3, dtype=float16))"),
        ("mm", "bfloat16", "ordinary(5, {k}, dtype=bfloat16).mm(ordinary({k}, 3, dtype=bfloat16))"),
    )
) + tuple(
    Row(f"mm/square-{n}-{values}-{dtype}", f"{values}({n}, {n}, dtype={dtype}).mm({values}({n}, {n}, dtype={dtype}))")
    for n, values, dtypes in (
        (16, "whole", FLOATS + " int32"),
        (16, "ordinary", "float32"),
        (33, "whole", "float32 float16 int8"),
    )
    for dtype in dtypes.split()
)  # fmt: skip

# Scaled input and scaled product that nearly cancel: the last bit of either shows, and with it
# what is fused and what is rounded on the way.
CANCELLED = tuple(
    Row(f"{op}/cancelled-{special}-{dtype}", expression.format(d=dtype))
    for dtype in FLOATS.split()
    for op, special, expression in (
        ("addmm", "rows", "torch.addmm(balance(3, 7, dtype={d}), *factors(3, 7, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmm", "columns", "torch.addmm(balance(3, 7, dtype={d}), *factors(3, 7, transposed, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmm", "weight", "torch.addmm(balance(3, 7, dtype={d}), *factors(3, 7, contiguous, transposed, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmm", "one-column", "torch.addmm(balance(17, 1, dtype={d}), *factors(17, 1, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "rows", "torch.addmv(balance(17, dtype={d}), *factors(17, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "columns", "torch.addmv(balance(17, dtype={d}), *factors(17, 0, transposed, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addmv", "stepped", "torch.addmv(balance(17, dtype={d}), *factors(17, 0, contiguous, stepped, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addr", "35", "torch.addr(balance(2, 35, dtype={d}), *vectors(2, 35, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addr", "plain", "torch.addr(balance(2, 35, dtype={d}), *vectors(2, 35, dtype={d}))"),
        ("addr", "stepped", "torch.addr(stepped(balance(2, 35, dtype={d})), *vectors(2, 35, dtype={d}), beta=0.7, alpha=1.3)"),
        ("addr", "row", "torch.addr(balance(1, 35, dtype={d})[0], *vectors(2, 35, dtype={d}), beta=0.7, alpha=1.3)"),
        ("baddbmm", "small", "torch.baddbmm(balance(3, 7, dtype={d}), *(x[None] for x in factors(3, 7, dtype={d})), beta=0.7, alpha=1.3)"),
        ("baddbmm", "large", "torch.baddbmm(balance(1, 200, dtype={d}), *(x[None] for x in factors(1, 200, dtype={d})), beta=0.7, alpha=1.3)"),
        ("addmv", "no-inner", "torch.addmv(positive(7, dtype={d}), positive(7, 0, dtype={d}), positive(0, dtype={d}), beta=0.7)"),
        ("addmm", "no-inner", "torch.addmm(positive(7, dtype={d}), positive(2, 0, dtype={d}), positive(0, 7, dtype={d}), beta=0.7)"),
        ("baddbmm", "no-inner", "torch.baddbmm(positive(7, dtype={d}), positive(1, 2, 0, dtype={d}), positive(1, 0, 7, dtype={d}), beta=0.7)"),
        ("linear", "stepped-bias", "F.linear(positive(1, 3, 5, dtype={d}), positive(7, 5, dtype={d}), stepped(ordinary(7, dtype={d})))"),
        ("linear", "bias", "F.linear(factors(4, 1, dtype={d})[0], row(1.3, 0.0, dtype={d})[None], row(-0.4, dtype={d}))"),
    )
)  # fmt: skip

# A product that is not wanted: BLAS does not look at it, other kernels do.
UNWANTED = tuple(
    Row(f"{op}/alpha0-nan-{special}{dtype}", expression.format(d=dtype))
    for dtype in FLOATS.split()
    for op, special, expression in (
        ("addmm", "", "torch.addmm(whole(2, 2, dtype={d}), row(nan, 1.0, dtype={d})[:, None], whole(1, 2, dtype={d}), alpha=0)"),
        ("addmm", "columns-", "torch.addmm(whole(2, 2, dtype={d}), row(nan, 1.0, 0.0, 1.0, dtype={d}).reshape(2, 2).t(), whole(2, 2, dtype={d}), alpha=0)"),
        ("addmv", "", "torch.addmv(whole(2, dtype={d}), row(nan, 1.0, dtype={d})[:, None], whole(1, dtype={d}), alpha=0)"),
        ("addmv", "columns-", "torch.addmv(whole(2, dtype={d}), row(nan, 1.0, 0.0, 1.0, dtype={d}).reshape(2, 2).t(), whole(2, dtype={d}), alpha=0)"),
        ("addr", "", "torch.addr(whole(2, dtype={d}), row(nan, 1.0, dtype={d}), whole(2, dtype={d}), alpha=0)"),
        ("baddbmm", "", "torch.baddbmm(whole(2, dtype={d}), row(nan, 1.0, dtype={d})[None, :, None], whole(1, 1, 2, dtype={d}), alpha=0)"),
        ("baddbmm", "large-", "torch.baddbmm(whole(2, dtype={d}), nan_first(1, 100, 2, dtype={d}), whole(1, 2, 2, dtype={d}), alpha=0)"),
        ("addbmm", "", "torch.addbmm(whole(2, dtype={d}), row(nan, 1.0, dtype={d})[None, :, None], whole(1, 1, 2, dtype={d}), alpha=0)"),
    )
)  # fmt: skip

SPECIAL = (
    Row("mm/nan", "row(nan, 1.0, 0.0, 2.0).reshape(2, 2).mm(whole(2, 2))"),
    Row("mm/infinity-times-zero", "row(inf, 1.0, 0.0, 2.0).reshape(2, 2).mm(torch.zeros(2, 2))"),
    Row("mm/infinities", "row(inf, -inf, 0.0, inf).reshape(2, 2).mm(torch.ones(2, 2))"),
    Row("mm/overflow", "row(3e38, 3e38, 1.0, 1.0).reshape(2, 2).mm(torch.ones(2, 2))"),
    Row("mm/overflow-float16", "row(6e4, 6e4, 1.0, 1.0, dtype=float16).reshape(2, 2).mm(torch.ones(2, 2).half())"),
    Row("mm/overflow-inside-float16", "row(6e4, 6e4, -6e4, 1.0, dtype=float16).reshape(1, 4).mm(torch.ones(4, 2).half())"),
    Row("mm/minus-zeros", "row(-0.0, -0.0).reshape(1, 2).mm(torch.ones(2, 1))"),
    Row("mm/minus-zeros-bfloat16", "row(-0.0, -0.0, dtype=bfloat16).reshape(1, 2).mm(torch.ones(2, 1).bfloat16())"),
    Row("mm/subnormals", "row(1e-45, 1e-45).reshape(1, 2).mm(torch.ones(2, 1))"),
    Row("dot/nan", "row(1.0, nan).dot(row(0.0, 1.0))"),
    Row("dot/minus-zeros", "row(-0.0, -0.0).dot(row(1.0, 1.0))"),
    Row("dot/minus-zeros-float16", "row(-0.0, -0.0, dtype=float16).dot(row(1.0, 1.0, dtype=float16))"),
    Row("dot/overflow-float16", "row(6e4, 6e4, dtype=float16).dot(row(1.0, 1.0, dtype=float16))"),
    Row("mv/nan", "row(nan, 1.0, 0.0, 2.0).reshape(2, 2).mv(row(0.0, 1.0))"),
    Row("mv/minus-zeros", "row(-0.0, -0.0).reshape(1, 2).mv(row(1.0, 1.0))"),
    Row("outer/special", "row(nan, inf, -0.0).outer(row(0.0, 1.0, -2.0))"),
    Row("bmm/nan", "row(nan, 1.0, 0.0, 2.0).reshape(1, 2, 2).bmm(torch.zeros(1, 2, 2))"),
    Row("addmm/beta0-nan", "torch.addmm(row(nan, nan), whole(2, 3), whole(3, 2), beta=0)"),
    Row("addmm/beta0-nan-no-inner", "torch.addmm(row(nan, nan), whole(2, 0), whole(0, 2), beta=0)"),
    Row("addmm/nan-no-inner", "torch.addmm(row(nan, 2.0), whole(2, 0), whole(0, 2), beta=3)"),
    Row("addmm/alpha0-nan", "torch.addmm(whole(2, 2), row(nan, 1.0).reshape(2, 1), whole(1, 2), alpha=0)"),
    Row("addmv/beta0-nan", "torch.addmv(row(nan, nan), whole(2, 3), whole(3), beta=0)"),
    Row("addmv/beta0-nan-no-inner", "torch.addmv(row(nan, nan), whole(2, 0), whole(0), beta=0)"),
    Row("addmv/nan-no-inner", "torch.addmv(row(nan, 2.0), whole(2, 0), whole(0), beta=2)"),
    Row("addmv/alpha0-nan", "torch.addmv(whole(2), row(nan, 1.0).reshape(2, 1), whole(1), alpha=0)"),
    Row("addr/beta0-nan", "torch.addr(row(nan, nan), whole(2), whole(2), beta=0)"),
    Row("addr/alpha0-nan", "torch.addr(whole(2), row(nan, 1.0), whole(2), alpha=0)"),
    Row("baddbmm/beta0-nan", "torch.baddbmm(row(nan, nan), whole(1, 2, 3), whole(1, 3, 2), beta=0)"),
    Row("baddbmm/beta0-nan-no-inner", "torch.baddbmm(row(nan, nan), whole(1, 2, 0), whole(1, 0, 2), beta=0)"),
    Row("baddbmm/nan-no-inner", "torch.baddbmm(row(nan, 2.0), whole(1, 2, 0), whole(1, 0, 2), beta=2)"),
    Row("addbmm/beta0-nan", "torch.addbmm(row(nan, nan), whole(1, 2, 3), whole(1, 3, 2), beta=0)"),
    Row("addbmm/beta0-nan-no-batch", "torch.addbmm(row(nan, nan), whole(0, 2, 3), whole(0, 3, 2), beta=0)"),
    Row("addbmm/nan-no-batch", "torch.addbmm(row(nan, 2.0), whole(0, 2, 3), whole(0, 3, 2), beta=2)"),
    Row("matmul/operator", "whole(2, 3) @ whole(3, 2)"),
    Row("matmul/operator-transposed", "whole(3, 2).T @ whole(3, 2)"),
    Row("matmul/expanded-batch", "whole(1, 2, 3).expand(3, 2, 3).matmul(whole(3, 3, 2))"),
    Row("matmul/expanded-fold", "whole(1, 2, 3).expand(3, 2, 3).matmul(whole(3, 2))"),
    Row("matmul/int8-wraps", "torch.full((1, 3), 100, dtype=int8) @ torch.full((3, 1), 3, dtype=int8)"),
    Row("matmul/int64-wraps", "torch.full((1, 2), 2**62) @ torch.full((2, 1), 3)"),
)  # fmt: skip

ERRORS = tuple(
    Row(f"{expression.partition('(')[0].removeprefix('torch.').removeprefix('F.')}/error-{special}", expression)
    for special, expression in (
        ("inner-sizes", "torch.matmul(whole(2, 3), whole(2, 3))"),
        ("vector-sizes", "torch.matmul(whole(3), whole(2))"),
        ("matrix-vector-sizes", "torch.matmul(whole(2, 3), whole(2))"),
        ("vector-matrix-sizes", "torch.matmul(whole(3), whole(2, 3))"),
        ("cube-matrix-sizes", "torch.matmul(whole(2, 2, 3), whole(2, 3))"),
        ("cube-vector-sizes", "torch.matmul(whole(2, 2, 3), whole(2))"),
        ("matrix-cube-sizes", "torch.matmul(whole(2, 3), whole(2, 2, 3))"),
        ("vector-cube-sizes", "torch.matmul(whole(3), whole(2, 2, 3))"),
        ("cube-sizes", "torch.matmul(whole(2, 2, 3), whole(2, 2, 3))"),
        ("batch-sizes", "torch.matmul(whole(2, 2, 3), whole(3, 3, 2))"),
        ("batch-sizes-outer", "torch.matmul(whole(2, 1, 2, 3), whole(3, 1, 3, 2))"),
        ("batch-and-inner-sizes", "torch.matmul(whole(2, 2, 3), whole(3, 2, 2))"),
        ("scalar", "torch.matmul(torch.tensor(1.0), whole(2))"),
        ("scalar-second", "torch.matmul(whole(2), torch.tensor(1.0))"),
        ("expanded-inner-sizes", "torch.matmul(whole(1, 2, 3).expand(2, 2, 3), whole(2, 3))"),
        ("dtypes-vectors", "torch.matmul(whole(3), whole(3, dtype=float64))"),
        ("dtypes-matrices", "torch.matmul(whole(2, 3), whole(3, 2, dtype=int64))"),
        ("dtypes-matrix-vector", "torch.matmul(whole(2, 3), whole(3, dtype=float16))"),
        ("dtypes-vector-matrix", "torch.matmul(whole(3), whole(3, 2, dtype=float16))"),
        ("dtypes-cubes", "torch.matmul(whole(2, 2, 3), whole(2, 3, 2, dtype=bfloat16))"),
        ("dtypes-folded", "torch.matmul(whole(2, 2, 3), whole(3, 2, dtype=int8))"),
        ("dtypes-cube-vector", "torch.matmul(whole(2, 2, 3), whole(3, dtype=int8))"),
        ("dtypes-and-sizes", "torch.matmul(whole(2, 3), whole(2, 3, dtype=int64))"),
        ("dtypes-and-vector-sizes", "torch.matmul(whole(3), whole(2, dtype=int64))"),
        ("dtypes-empty", "torch.matmul(whole(0, 3), whole(3, 2, dtype=int64))"),
        ("inner-sizes", "torch.mm(whole(2, 3), whole(2, 3))"),
        ("vector", "torch.mm(whole(3), whole(3, 2))"),
        ("vector-second", "torch.mm(whole(2, 3), whole(3))"),
        ("cube", "torch.mm(whole(1, 2, 3), whole(3, 2))"),
        ("dtypes", "torch.mm(whole(2, 3), whole(3, 2, dtype=float64))"),
        ("dtypes-empty", "torch.mm(whole(2, 0), whole(0, 2, dtype=float64))"),
        ("dtypes-no-output", "torch.mm(whole(0, 2), whole(2, 2, dtype=float64))"),
        ("dtypes-and-sizes", "torch.mm(whole(2, 3), whole(2, 3, dtype=float64))"),
        ("vector-and-dtypes", "torch.mm(whole(3), whole(3, 2, dtype=float64))"),
        ("matrices", "torch.bmm(whole(2, 3), whole(3, 2))"),
        ("matrix-second", "torch.bmm(whole(1, 2, 3), whole(3, 2))"),
        ("batch-sizes", "torch.bmm(whole(2, 2, 3), whole(3, 3, 2))"),
        ("inner-sizes", "torch.bmm(whole(2, 2, 3), whole(2, 2, 3))"),
        ("batch-and-inner-sizes", "torch.bmm(whole(2, 2, 3), whole(3, 2, 3))"),
        ("dtypes", "torch.bmm(whole(2, 2, 3), whole(2, 3, 2, dtype=float64))"),
        ("dtypes-and-sizes", "torch.bmm(whole(2, 2, 3), whole(2, 2, 3, dtype=float64))"),
        ("dtypes-empty", "torch.bmm(whole(0, 2, 3), whole(0, 3, 2, dtype=float64))"),
        ("sizes", "torch.mv(whole(2, 3), whole(2))"),
        ("vector", "torch.mv(whole(3), whole(3))"),
        ("matrix-second", "torch.mv(whole(2, 3), whole(3, 1))"),
        ("dtypes", "torch.mv(whole(2, 3), whole(3, dtype=float64))"),
        ("dtypes-and-sizes", "torch.mv(whole(2, 3), whole(2, dtype=float64))"),
        ("dtypes-empty", "torch.mv(whole(2, 0), whole(0, dtype=float64))"),
        ("sizes", "torch.dot(whole(3), whole(2))"),
        ("matrix", "torch.dot(whole(2, 3), whole(3))"),
        ("matrix-second", "torch.dot(whole(3), whole(3, 1))"),
        ("dtypes", "torch.dot(whole(3), whole(3, dtype=float64))"),
        ("dtypes-and-sizes", "torch.dot(whole(3), whole(2, dtype=float64))"),
        ("dtypes-empty", "torch.dot(whole(0), whole(0, dtype=float64))"),
        ("dims-and-dtypes", "torch.dot(whole(1, 3), whole(3, dtype=float64))"),
        ("sizes", "torch.vdot(whole(3), whole(2))"),
        ("sizes", "torch.inner(whole(2, 3), whole(2, 4))"),
        ("vector-sizes", "torch.inner(whole(3), whole(4))"),
        ("dtypes", "torch.inner(whole(3), whole(3, dtype=float64))"),
        ("dtypes-matrices", "torch.inner(whole(2, 3), whole(2, 3, dtype=float64))"),
        ("dtypes-and-sizes", "torch.inner(whole(2, 3), whole(2, 4, dtype=float64))"),
        ("matrix", "torch.outer(whole(2, 2), whole(3))"),
        ("matrix-second", "torch.outer(whole(2), whole(3, 1))"),
        ("scalar", "torch.outer(torch.tensor(1.0), whole(3))"),
        ("matrix", "torch.ger(whole(2, 2), whole(3))"),
        ("inner-sizes", "torch.addmm(whole(2, 2), whole(2, 3), whole(2, 2))"),
        ("vector", "torch.addmm(whole(2, 2), whole(3), whole(3, 2))"),
        ("vector-second", "torch.addmm(whole(2, 2), whole(2, 3), whole(3))"),
        ("input-sizes", "torch.addmm(whole(3, 2), whole(2, 3), whole(3, 2))"),
        ("input-rank", "torch.addmm(whole(1, 2, 2), whole(2, 3), whole(3, 2))"),
        ("input-dtype", "torch.addmm(whole(2, dtype=float64), whole(2, 3), whole(3, 2))"),
        ("dtypes", "torch.addmm(whole(2), whole(2, 3), whole(3, 2, dtype=float64))"),
        ("input-dtype-and-sizes", "torch.addmm(whole(3, dtype=float64), whole(2, 3), whole(3, 2))"),
        ("integer-beta", "torch.addmm(whole(2, dtype=int64), whole(2, 3, dtype=int64), whole(3, 2, dtype=int64), beta=0.5)"),
        ("integer-alpha", "torch.addmm(whole(2, dtype=int64), whole(2, 3, dtype=int64), whole(3, 2, dtype=int64), alpha=0.5)"),
        ("integer-whole-alpha", "torch.addmm(whole(2, dtype=int64), whole(2, 3, dtype=int64), whole(3, 2, dtype=int64), alpha=2.0)"),
        ("bool-alpha", "torch.addmm(whole(2), whole(2, 3), whole(3, 2), alpha=True)"),
        ("alpha-too-large", "torch.addmm(whole(2, dtype=int8), whole(2, 3, dtype=int8), whole(3, 2, dtype=int8), alpha=300)"),
        ("beta-too-large", "torch.addmm(whole(2, dtype=int8), whole(2, 3, dtype=int8), whole(3, 2, dtype=int8), beta=300)"),
        ("inner-and-input-sizes", "torch.addmm(whole(3, 3), whole(2, 3), whole(2, 2))"),
        ("sizes", "torch.addmv(whole(2), whole(2, 3), whole(2))"),
        ("vector", "torch.addmv(whole(2), whole(3), whole(3))"),
        ("input-sizes", "torch.addmv(whole(3), whole(2, 3), whole(3))"),
        ("input-rank", "torch.addmv(whole(1, 2), whole(2, 3), whole(3))"),
        ("input-dtype", "torch.addmv(whole(2, dtype=float64), whole(2, 3), whole(3))"),
        ("dtypes", "torch.addmv(whole(2), whole(2, 3), whole(3, dtype=float64))"),
        ("integer-beta", "torch.addmv(whole(2, dtype=int64), whole(2, 3, dtype=int64), whole(3, dtype=int64), beta=0.5)"),
        ("integer-alpha", "torch.addmv(whole(2, dtype=int64), whole(2, 3, dtype=int64), whole(3, dtype=int64), alpha=0.5)"),
        ("matrix", "torch.addr(whole(2, 2), whole(2, 2), whole(2))"),
        ("input-sizes", "torch.addr(whole(3, 2), whole(2), whole(2))"),
        ("input-rank", "torch.addr(whole(1, 2, 2), whole(2), whole(2))"),
        ("integer-beta", "torch.addr(whole(2, dtype=int64), whole(2, dtype=int64), whole(2, dtype=int64), beta=0.5)"),
        ("bool-beta", "torch.addr(whole(2, dtype=int64), whole(2, dtype=int64), whole(2, dtype=int64), beta=True)"),
        ("promotion", "torch.addr(whole(2, dtype=int64), whole(2), whole(2, dtype=int8))"),
        ("batch-sizes", "torch.baddbmm(whole(2), whole(2, 2, 3), whole(3, 3, 2))"),
        ("inner-sizes", "torch.baddbmm(whole(2), whole(2, 2, 3), whole(2, 2, 2))"),
        ("matrices", "torch.baddbmm(whole(2), whole(2, 3), whole(3, 2))"),
        ("matrix-second", "torch.baddbmm(whole(2), whole(1, 2, 3), whole(3, 2))"),
        ("input-sizes", "torch.baddbmm(whole(3), whole(2, 2, 3), whole(2, 3, 2))"),
        ("input-dtype", "torch.baddbmm(whole(2, dtype=float64), whole(2, 2, 3), whole(2, 3, 2))"),
        ("dtypes", "torch.baddbmm(whole(2), whole(2, 2, 3), whole(2, 3, 2, dtype=float64))"),
        ("input-rank", "torch.baddbmm(whole(1, 1, 1, 2), whole(2, 2, 3), whole(2, 3, 2))"),
        ("integer-beta", "torch.baddbmm(whole(2, dtype=int64), whole(2, 2, 3, dtype=int64), whole(2, 3, 2, dtype=int64), beta=0.5)"),
        ("integer-alpha", "torch.baddbmm(whole(2, dtype=int64), whole(2, 2, 3, dtype=int64), whole(2, 3, 2, dtype=int64), alpha=0.5)"),
        ("batch-sizes", "torch.addbmm(whole(2), whole(2, 2, 3), whole(3, 3, 2))"),
        ("inner-sizes", "torch.addbmm(whole(2), whole(2, 2, 3), whole(2, 2, 2))"),
        ("matrices", "torch.addbmm(whole(2), whole(2, 3), whole(3, 2))"),
        ("matrix-second", "torch.addbmm(whole(2), whole(1, 2, 3), whole(3, 2))"),
        ("input-sizes", "torch.addbmm(whole(3), whole(2, 2, 3), whole(2, 3, 2))"),
        ("input-dtype", "torch.addbmm(whole(2, dtype=float64), whole(2, 2, 3), whole(2, 3, 2))"),
        ("dtypes", "torch.addbmm(whole(2), whole(2, 2, 3), whole(2, 3, 2, dtype=float64))"),
        ("dtypes-large", "torch.bmm(whole(1, 8, 8), whole(1, 8, 8, dtype=float64))"),
        ("dtypes-large-int", "torch.bmm(whole(1, 8, 8, dtype=int64), whole(1, 8, 8, dtype=int32))"),
        ("dtypes-large-float16", "torch.bmm(whole(1, 8, 8, dtype=float16), whole(1, 8, 8))"),
        ("dtypes-large-second-float16", "torch.bmm(whole(1, 8, 8), whole(1, 8, 8, dtype=float16))"),
        ("dtypes-bool", "torch.bmm(whole(1, 2, 3, dtype=bool), whole(1, 3, 2))"),
        ("dtypes-second-bool", "torch.bmm(whole(1, 2, 3), whole(1, 3, 2, dtype=bool))"),
        ("dtypes-int", "torch.bmm(whole(1, 2, 3, dtype=int8), whole(1, 3, 2, dtype=int16))"),
        ("first-dtype", "torch.addmm(whole(2), whole(2, 3, dtype=float64), whole(3, 2))"),
        ("first-dtype-no-output", "torch.addmm(whole(2), whole(0, 3, dtype=float64), whole(3, 2))"),
        ("first-dtype-and-input-sizes", "torch.addmm(whole(3), whole(2, 3, dtype=float64), whole(3, 2))"),
        ("no-inner-beta-half", "torch.addmm(whole(2, dtype=int64), whole(2, 0, dtype=int64), whole(0, 2, dtype=int64), beta=0.5)"),
        ("no-inner-beta-too-large", "torch.addmm(whole(2, dtype=int8), whole(2, 0, dtype=int8), whole(0, 2, dtype=int8), beta=300)"),
        ("no-inner-beta-float16", "torch.addmm(ordinary(2, dtype=float16), whole(2, 0, dtype=float16), whole(0, 2, dtype=float16), beta=0.3)"),
        ("float16-alpha-too-large", "torch.addmm(whole(2, dtype=float16), whole(2, 3, dtype=float16), whole(3, 2, dtype=float16), alpha=1e39)"),
        ("float16-alpha-large", "torch.addmm(whole(2, dtype=float16), whole(2, 3, dtype=float16), whole(3, 2, dtype=float16), alpha=1e6)"),
        ("bool-scales", "torch.addmm(whole(2, dtype=bool), whole(2, 0, dtype=bool), whole(0, 2, dtype=bool), beta=True)"),
        ("no-inner-beta-half", "torch.addmv(whole(2, dtype=int64), whole(2, 0, dtype=int64), whole(0, dtype=int64), beta=0.5)"),
        ("no-inner-beta-too-large", "torch.addmv(whole(2, dtype=int8), whole(2, 0, dtype=int8), whole(0, dtype=int8), beta=300)"),
        ("alpha-too-large", "torch.addmv(whole(2, dtype=int8), whole(2, 3, dtype=int8), whole(3, dtype=int8), alpha=300)"),
        ("one-input-no-output", "torch.addmv(whole(1), whole(0, 3), whole(3))"),
        ("input-dtype-and-sizes", "torch.addmv(whole(3, dtype=float64), whole(2, 3), whole(3))"),
        ("first-batch-matrix", "torch.baddbmm(whole(2), whole(2, 3), whole(2, 3, 2))"),
        ("first-batch-rank", "torch.baddbmm(whole(2), whole(2, 3, 1, 1), whole(2, 3, 2))"),
        ("first-batch-vector", "torch.baddbmm(whole(2), whole(2), whole(2, 3, 2))"),
        ("first-dtype", "torch.baddbmm(whole(2), whole(2, 2, 3, dtype=float64), whole(2, 3, 2))"),
        ("input-and-second-dtype", "torch.baddbmm(whole(2, dtype=int8), whole(2, 2, 3), whole(2, 3, 2, dtype=int64))"),
        ("input-dtype-and-sizes", "torch.baddbmm(whole(2, dtype=float64), whole(2, 2, 3), whole(2, 2, 2))"),
        ("input-and-batch-sizes", "torch.baddbmm(whole(3), whole(2, 2, 3), whole(3, 3, 2))"),
        ("dtypes-empty", "torch.baddbmm(whole(2), whole(0, 2, 3), whole(0, 3, 2, dtype=float64))"),
        ("dtypes-no-inner", "torch.baddbmm(whole(2), whole(1, 2, 0), whole(1, 0, 2, dtype=float64))"),
        ("dtypes-large", "torch.baddbmm(whole(8), whole(1, 8, 8), whole(1, 8, 8, dtype=float64))"),
        ("alpha-too-large", "torch.baddbmm(whole(2, dtype=int8), whole(1, 2, 3, dtype=int8), whole(1, 3, 2, dtype=int8), alpha=300)"),
        ("first-batch-matrix", "torch.addbmm(whole(2), whole(2, 3), whole(2, 3, 2))"),
        ("first-batch-rank", "torch.addbmm(whole(2), whole(2, 3, 1, 1), whole(2, 3, 2))"),
        ("input-and-batch-sizes", "torch.addbmm(whole(3), whole(2, 2, 3), whole(3, 3, 2))"),
        ("dtypes-no-batch", "torch.addbmm(whole(2), whole(0, 2, 3), whole(0, 3, 2, dtype=float64))"),
        ("beta-no-batch-int", "torch.addbmm(whole(2, dtype=int64), whole(0, 2, 3, dtype=int64), whole(0, 3, 2, dtype=int64), beta=0.5)"),
        ("vector-bias-sizes", "F.linear(whole(3), whole(4, 3), whole(3))"),
        ("vector-matrix-bias", "F.linear(whole(3), whole(4, 3), whole(2, 4))"),
        ("vector-bias-dtype", "F.linear(whole(3), whole(4, 3), whole(4, dtype=float64))"),
        ("int-vector-float-bias", "F.linear(whole(3, dtype=int64), whole(4, 3, dtype=int64), whole(4))"),
        ("float-vector-int-bias", "F.linear(whole(3), whole(4, 3), whole(4, dtype=int64))"),
        ("four-dims-bias", "F.linear(whole(1, 2, 2, 3), whole(4, 3), whole(4))"),
        ("four-dims-bias-sizes", "F.linear(whole(1, 2, 2, 3), whole(4, 3), whole(3))"),
        ("transposed-cube-bias-sizes", "F.linear(transposed(whole(2, 2, 3)), whole(4, 3), whole(3))"),
        ("vector-weight-cube-bias", "F.linear(whole(2, 2, 3), whole(3), whole(2))"),
        ("vector-weight-sizes", "F.linear(whole(2, 3), whole(2))"),
        ("scalar-bias-cube", "F.linear(whole(2, 2, 3), whole(4, 3), torch.tensor(2.0))"),
        ("scalar-bias-vector", "F.linear(whole(3), whole(4, 3), torch.tensor(2.0))"),
        ("stepped-vector-bias", "F.linear(stepped(whole(3)), whole(4, 3), whole(4))"),
        ("stepped-vector-bias-sizes", "F.linear(stepped(whole(3)), whole(4, 3), whole(3))"),
        ("cube-bias", "F.linear(whole(2, 2, 3), whole(4, 3), whole(2, 2, 4))"),
        ("scalar-input-no-output", "torch.addmv(torch.tensor(2.0), whole(0, 3), whole(3))"),
        ("one-input-no-inner", "torch.addmv(whole(1), whole(2, 0), whole(0))"),
        ("input-dtype-no-output", "torch.addmv(whole(1, dtype=int8), whole(0, 3), whole(3))"),
        ("first-batch-matrix-input-dtype", "torch.baddbmm(whole(2, dtype=int8), whole(2, 3), whole(2, 3, 2))"),
        ("one-input-no-inner-beta0", "torch.addmv(whole(1), whole(2, 0), whole(0), beta=0)"),
        ("scalar-input-no-inner-beta0", "torch.addmv(torch.tensor(2.0), whole(2, 0), whole(0), beta=0)"),
        ("alpha-bool", "torch.addr(whole(2), whole(2), whole(2), alpha=True)"),
        ("integer-alpha", "torch.addr(whole(2, dtype=int64), whole(2, dtype=int64), whole(2, dtype=int64), alpha=2.0)"),
        ("bool-beta-false", "torch.addr(whole(2, dtype=bool), whole(2, dtype=bool), whole(2, dtype=bool), beta=False)"),
        ("bool-alpha-2", "torch.addr(whole(2, dtype=bool), whole(2, dtype=bool), whole(2, dtype=bool), alpha=2)"),
        ("uint32-and-int64", "torch.addr(whole(2, dtype=uint32), whole(2, dtype=int64), whole(2, dtype=int64))"),
        ("second-matrix", "torch.addr(whole(2, 2), whole(2), whole(2, 2))"),
        ("alpha-too-large", "torch.addr(whole(2, dtype=int8), whole(2, dtype=int8), whole(2, dtype=int8), alpha=300)"),
        ("sizes", "F.linear(whole(2, 3), whole(4, 2))"),
        ("sizes-bias", "F.linear(whole(2, 3), whole(4, 2), whole(4))"),
        ("vector-sizes", "F.linear(whole(3), whole(4, 2))"),
        ("cube-sizes", "F.linear(whole(2, 2, 3), whole(4, 2))"),
        ("cube-sizes-bias", "F.linear(whole(2, 2, 3), whole(4, 2), whole(4))"),
        ("bias-sizes", "F.linear(whole(2, 3), whole(4, 3), whole(3))"),
        ("bias-sizes-cube", "F.linear(whole(2, 2, 3), whole(4, 3), whole(3))"),
        ("weight-cube", "F.linear(whole(2, 3), whole(1, 4, 3))"),
        ("weight-cube-bias", "F.linear(whole(2, 3), whole(1, 4, 3), whole(4))"),
        ("vector-weight-bias", "F.linear(whole(2, 3), whole(3), whole(2))"),
        ("vector-weight-scalar-bias", "F.linear(whole(2, 3), whole(3), torch.tensor(1.0))"),
        ("scalar-input", "F.linear(torch.tensor(1.0), whole(3, 1))"),
        ("scalar-weight", "F.linear(whole(2, 1), torch.tensor(1.0))"),
        ("dtypes", "F.linear(whole(2, 3), whole(4, 3, dtype=float64))"),
        ("dtypes-bias", "F.linear(whole(2, 3), whole(4, 3), whole(4, dtype=float64))"),
        ("dtypes-cube-bias", "F.linear(whole(2, 2, 3), whole(4, 3), whole(4, dtype=float64))"),
        ("matrix-bias", "F.linear(whole(2, 3), whole(4, 3), whole(2, 4))"),
        ("matrix-bias-cube", "F.linear(whole(2, 2, 3), whole(4, 3), whole(2, 4))"),
        ("scalar-bias", "F.linear(whole(2, 3), whole(4, 3), torch.tensor(2.0))"),
    )
)  # fmt: skip

# What folds into one tall matrix: strides of dimensions of size 1 do not count.
FOLDS = tuple(
    Row(f"matmul/fold-{special}-{dtype}", expression.format(d=f"dtype={dtype}"))
    for dtype in ("bfloat16", "float16")
    for special, expression in (
        ("vector-columns", "signs(16, {d}) @ laid(paired(3, 16, {d}), (3, 16, 1), (64, 4, 1))"),
        (
            "vector-columns-dense",
            "signs(65, {d}) @ laid(paired(3, 65, {d}), (3, 65, 1), (65, 1, 1))",
        ),
        (
            "vector-columns-apart",
            "signs(65, {d}) @ laid(paired(3, 65, {d}), (3, 65, 1), (70, 1, 1))",
        ),
        ("row-vector", "laid(paired(3, 65, {d}), (3, 1, 65), (65, 7, 1)) @ signs(65, {d})"),
        ("row-vector-stepped", "laid(paired(3, 16, {d}), (3, 1, 16), (64, 7, 4)) @ signs(16, {d})"),
        ("row-vector-apart", "laid(paired(3, 65, {d}), (3, 1, 65), (70, 7, 1)) @ signs(65, {d})"),
        ("row-matrix", "laid(paired(3, 65, {d}), (3, 1, 65), (65, 7, 1)) @ signs(65, 2, {d})"),
        ("one-batch", "laid(paired(3, 65, {d}), (1, 3, 65), (7, 65, 1)) @ signs(65, {d})"),
        ("one-batch-of-one", "laid(paired(1, 16, {d}), (1, 1, 16), (7, 9, 4)) @ signs(16, {d})"),
        ("two-batches", "laid(paired(6, 20, {d}), (3, 1, 2, 20), (40, 7, 20, 1)) @ signs(20, {d})"),
        (
            "two-batches-apart",
            "laid(paired(6, 20, {d}), (3, 1, 2, 20), (50, 7, 20, 1)) @ signs(20, {d})",
        ),
        ("expanded", "paired(65, {d}).expand(3, 2, 65) @ signs(65, {d})"),
        ("large-row", "laid(paired(3, 65, {d}), (3, 1, 65), (70, 7, 1)) @ signs(3, 65, 7, {d})"),
    )
)

# What einsum does with an equation. Floats are whole numbers, so every order gives the same.
_EQUATIONS = (
    ("copy", "'ij'", "whole(2, 3)"),
    ("transpose", "'ba'", "whole(2, 3)"),
    ("transpose-explicit", "'ij->ji'", "whole(2, 3)"),
    ("capitals-first", "'aB'", "whole(2, 3)"),
    ("blanks", "' i j , j k -> i k '", "whole(2, 3), whole(3, 2)"),
    ("sum", "'ij->'", "whole(2, 3)"),
    ("sum-rows", "'ij->j'", "whole(2, 3)"),
    ("sum-ellipsis", "'...->'", "whole(2, 3)"),
    ("sum-of-ellipsis", "'i...->i'", "whole(2, 3, 2)"),
    ("ellipsis-kept", "'i...->...'", "whole(2, 3, 2)"),
    ("ellipsis-of-nothing", "'i->...i'", "whole(2)"),
    ("diagonal", "'ii->i'", "whole(3, 3)"),
    ("trace", "'ii'", "whole(3, 3)"),
    ("diagonal-apart", "'iji->ij'", "whole(2, 3, 2)"),
    ("diagonal-twice", "'iijj->ij'", "whole(2, 2, 3, 3)"),
    ("diagonal-of-cube", "'iii->i'", "whole(3, 3, 3)"),
    ("diagonal-times-vector", "'ii,i->i'", "whole(3, 3), whole(3)"),
    ("diagonal-times-matrix", "'ii,ij->j'", "whole(3, 3), whole(3, 2)"),
    ("scalar", "''", "torch.tensor(2.0)"),
    ("scalars", "',->'", "torch.tensor(2.0), torch.tensor(3.0)"),
    ("scalar-times-matrix", "',ij'", "torch.tensor(2.0), whole(2, 3)"),
    ("dot", "'i,i'", "whole(5), whole(5)"),
    ("outer", "'i,j'", "whole(2), whole(3)"),
    ("outer-transposed", "'i,j->ji'", "whole(2), whole(3)"),
    ("product", "'i,i->i'", "whole(5), whole(5)"),
    ("inner-of-matrices", "'ij,ij->'", "whole(2, 3), whole(2, 3)"),
    ("matrices", "'ij,jk'", "whole(2, 3), whole(3, 4)"),
    ("matrices-swapped", "'ij,jk->ki'", "whole(2, 3), whole(3, 4)"),
    ("matrix-vector", "'ij,j'", "whole(2, 3), whole(3)"),
    ("vector-matrix", "'i,ij'", "whole(2), whole(2, 3)"),
    ("batches", "'bij,bjk->bik'", "whole(2, 2, 3), whole(2, 3, 2)"),
    ("batches-last", "'bij,bjk->kib'", "whole(2, 2, 3), whole(2, 3, 2)"),
    ("batch-summed", "'bij,bjk->ik'", "whole(2, 2, 3), whole(2, 3, 2)"),
    ("heads", "'bqhd,bkhd->bhqk'", "whole(1, 2, 2, 3), whole(1, 2, 2, 3)"),
    ("interleaved", "'acs,bds->abcd'", "whole(2, 2, 3), whole(2, 2, 3)"),
    ("all-of-right-first", "'acs,bds->bdac'", "whole(2, 2, 3), whole(2, 2, 3)"),
    ("two-summed", "'aij,ijb->ab'", "whole(2, 3, 2), whole(3, 2, 2)"),
    ("two-summed-swapped", "'aij,jib->ab'", "whole(2, 3, 2), whole(2, 3, 2)"),
    ("one-only-left", "'ij,jk->k'", "whole(2, 3), whole(3, 2)"),
    ("one-only-right", "'ij,jk->i'", "whole(2, 3), whole(3, 2)"),
    ("one-only-both", "'ij,k->'", "whole(2, 3), whole(4)"),
    ("ellipsis-batches", "'...ij,...jk'", "whole(2, 2, 3), whole(2, 3, 2)"),
    ("ellipsis-broadcast", "'...ij,...jk'", "whole(3, 1, 2, 3), whole(2, 3, 2)"),
    ("ellipsis-in-one", "'...ij,jk->...ik'", "whole(2, 2, 3), whole(3, 2)"),
    ("ellipsis-summed", "'...i,...i->i'", "whole(2, 3), whole(2, 3)"),
    ("ellipsis-last", "'...i->i...'", "whole(2, 3)"),
    ("ones-broadcast", "'ij,ij->ij'", "whole(1, 3), whole(2, 1)"),
    ("ones-summed-left", "'ij,jk->ik'", "whole(2, 1), whole(3, 2)"),
    ("ones-summed-right", "'ij,jk->ik'", "whole(2, 3), whole(1, 2)"),
    ("ones-everywhere", "'ij,jk->ik'", "whole(1, 1), whole(1, 1)"),
    ("three", "'ab,bc,cd->ad'", "whole(2, 3), whole(3, 2), whole(2, 3)"),
    ("three-scaled", "'ij,j,k->ik'", "whole(2, 3), whole(3), whole(2)"),
    ("three-of-one", "'ij,ij,ij->'", "whole(2, 3), whole(2, 3), whole(2, 3)"),
    ("three-summed-late", "'ij,jk,jl->ikl'", "whole(2, 3), whole(3, 2), whole(3, 2)"),
    ("three-summed-early", "'ij,k,l->l'", "whole(2, 3), whole(2), whole(3)"),
    ("bilinear", "'bi,oij,bj->bo'", "whole(2, 3), whole(2, 3, 2), whole(2, 2)"),
    ("four", "'i,i,j,j->'", "whole(2), whole(2), whole(3), whole(3)"),
    ("no-inner", "'ij,jk->ik'", "whole(2, 0), whole(0, 3)"),
    ("no-rows", "'ij,jk->ik'", "whole(0, 2), whole(2, 3)"),
    ("nothing-summed", "'ij->i'", "whole(2, 0)"),
    ("transposed-operands", "'ij,jk->ik'", "whole(3, 2).t(), whole(2, 3).t()"),
    ("stepped-operands", "'ij,jk->ik'", "stepped(whole(2, 3)), stepped(whole(3, 2))"),
    ("subscript-lists", "whole(2, 3), [0, 1]", "whole(3, 2), [1, 30], [30, 0]"),
    ("subscript-lists-ellipsis", "whole(2, 3)", "[..., 1], [1, ...]"),
    ("list-of-operands", "'ij,jk'", "[whole(2, 3), whole(3, 2)]"),
    ("dot-of-another-name", "'i.'", "whole(2)"),
    ("ellipsis-short", "'i..'", "whole(2, 3)"),
    ("ellipsis-of-four", "'....'", "whole(2)"),
    ("ellipsis-twice", "'...i...'", "whole(2)"),
    ("ellipsis-twice-second", "'i,...j...'", "whole(2), whole(2)"),
    ("ellipsis-twice-in-output", "'i->...i...'", "whole(2)"),
    ("ellipsis-short-in-output", "'i->i.'", "whole(2)"),
    ("invalid-digit", "'i1'", "whole(2)"),
    ("invalid-dash", "'i-i'", "whole(2)"),
    ("invalid-bracket", "'i>'", "whole(2)"),
    ("invalid-in-output", "'ij->i j,'", "whole(2, 3)"),
    ("invalid-second-arrow", "'i->i->i'", "whole(2)"),
    ("invalid-not-ascii", "'aé'", "whole(2)"),
    ("operands-too-few", "'i,j'", "whole(2)"),
    ("operands-too-many", "'i'", "whole(2), whole(2)"),
    ("operands-none", "'->'", "[]"),
    ("ranks-less", "'ij'", "whole(2)"),
    ("ranks-more", "'i,i'", "whole(2), whole(2, 3)"),
    ("ranks-ellipsis", "'ij...'", "whole(2)"),
    ("output-unknown", "'i->j'", "whole(2)"),
    ("output-twice", "'ij->iji'", "whole(2, 3)"),
    ("sizes", "'ij,jk'", "whole(2, 3), whole(4, 2)"),
    ("sizes-with-one", "'i,i,i'", "whole(1), whole(3), whole(2)"),
    ("sizes-of-none", "'i,i'", "whole(0), whole(3)"),
    ("sizes-of-diagonal", "'ii'", "whole(2, 3)"),
    ("sizes-of-diagonal-with-one", "'ii'", "whole(1, 3)"),
    ("sizes-of-ellipsis", "'...i,...i'", "whole(2, 3), whole(4, 3)"),
    ("sizes-of-ellipsis-inner", "'i...,...'", "whole(2, 2, 3), whole(3, 2, 4)"),
    ("checks-parsing-first", "'ij,k1'", "whole(2), whole(3)"),
    ("checks-ranks-before-output", "'ij->1'", "whole(2)"),
    ("checks-output-before-sizes", "'ii->1'", "whole(2, 3)"),
    ("dtypes-mul", "'i,j'", "whole(2), whole(3, dtype=float64)"),
    ("dtypes-small", "'ij,jk'", "whole(2, 3), whole(3, 2, dtype=float64)"),
    ("dtypes-small-swapped", "'ij,jk->ki'", "whole(2, 3), whole(3, 2, dtype=float64)"),
    ("dtypes-large", "'ij,jk'", "whole(8, 8), whole(8, 8, dtype=float64)"),
    ("dtypes-no-inner", "'ij,jk'", "whole(2, 0), whole(0, 2, dtype=int64)"),
    ("dtypes-after-sum", "'ij,jk->i'", "whole(2, 3, dtype=uint8), whole(3, 2, dtype=uint8)"),
    ("dtypes-after-sum-mul", "'ij,k->k'", "whole(2, 3, dtype=int8), whole(4, dtype=int8)"),
    ("dtypes-after-sum-uint32", "'ij,k->k'", "whole(2, 3, dtype=uint32), whole(4, dtype=uint32)"),
)
EINSUM = (
    Row("einsum/zeros-keep-their-sign", "torch.einsum('ij->ji', zeros(2, 3, dtype=float16))"),
    *(Row(f"einsum/{special}", f"torch.einsum({first}, {rest})") for special, first, rest in _EQUATIONS),
    *(
        Row(f"einsum/{special}-{dtype}", f"torch.einsum({arguments.format(d=dtype)})")
        for dtype in f"{INTEGERS} float64 float16 bfloat16 bool uint32".split()
        for special, arguments in (
            ("matrices", "'ij,jk', whole(2, 3, dtype={d}), whole(3, 2, dtype={d})"),
            ("sum", "'ij->j', whole(2, 3, dtype={d})"),
            ("outer", "'i,j', whole(2, dtype={d}), whole(3, dtype={d})"),
        )
    ),
    *(
        Row(f"einsum/paired-{special}-{dtype}", f"torch.einsum({arguments.format(d=dtype)})")
        for dtype in ("float16", "bfloat16")
        for special, arguments in (
            ("matrices", "'ij,jk', paired(4, 65, dtype={d}), signs(65, 3, dtype={d})"),
            ("swapped", "'ij,jk->ki', paired(4, 65, dtype={d}), signs(65, 3, dtype={d})"),
            ("rows", "'ij,kj', paired(4, 65, dtype={d}), signs(3, 65, dtype={d})"),
            ("columns", "'ji,jk', paired(65, 4, dtype={d}), signs(65, 3, dtype={d})"),
            ("two-summed", "'iaj,jak', paired(4, 5, 13, dtype={d}), signs(13, 5, 3, dtype={d})"),
            ("small", "'ij,jk', paired(2, 65, dtype={d}), signs(65, 3, dtype={d})"),
            ("sum", "'ij->j', paired(65, 3, dtype={d})"),
            ("after-mul", "'bc,b,bj', paired(7, 20, dtype={d}), whole(7, dtype={d}), paired(7, 7, dtype={d})"),
            ("sum-before", "'aij,jk->ak', paired(2, 3, 65, dtype={d}), signs(65, 4, dtype={d})"),
        )
    ),
)  # fmt: skip

# No kernel, or one of its own name.
KERNELS = tuple(
    Row(f"{op}/{dtype}-{special}", call.format(d=dtype))
    for dtype in ("bool", "uint32")
    for op, special, call in (
        ("matmul", "matrices", "torch.matmul(whole(2, 3, dtype={d}), whole(3, 2, dtype={d}))"),
        ("matmul", "vectors", "torch.matmul(whole(3, dtype={d}), whole(3, dtype={d}))"),
        ("matmul", "matrix-vector", "torch.matmul(whole(2, 3, dtype={d}), whole(3, dtype={d}))"),
        ("matmul", "cubes", "torch.matmul(whole(2, 2, 3, dtype={d}), whole(2, 3, 2, dtype={d}))"),
        ("matmul", "cubes-large", "torch.matmul(whole(1, 8, 8, dtype={d}), whole(1, 8, 8, dtype={d}))"),
        ("mm", "matrices", "torch.mm(whole(2, 3, dtype={d}), whole(3, 2, dtype={d}))"),
        ("mm", "no-inner", "torch.mm(whole(2, 0, dtype={d}), whole(0, 2, dtype={d}))"),
        ("mm", "no-output", "torch.mm(whole(0, 2, dtype={d}), whole(2, 2, dtype={d}))"),
        ("bmm", "cubes", "torch.bmm(whole(2, 2, 3, dtype={d}), whole(2, 3, 2, dtype={d}))"),
        ("bmm", "no-inner", "torch.bmm(whole(2, 2, 0, dtype={d}), whole(2, 0, 2, dtype={d}))"),
        ("bmm", "no-output", "torch.bmm(whole(0, 2, 3, dtype={d}), whole(0, 3, 2, dtype={d}))"),
        ("mv", "matrix", "torch.mv(whole(2, 3, dtype={d}), whole(3, dtype={d}))"),
        ("mv", "no-inner", "torch.mv(whole(2, 0, dtype={d}), whole(0, dtype={d}))"),
        ("mv", "no-output", "torch.mv(whole(0, 2, dtype={d}), whole(2, dtype={d}))"),
        ("dot", "vectors", "torch.dot(whole(3, dtype={d}), whole(3, dtype={d}))"),
        ("dot", "empty", "torch.dot(whole(0, dtype={d}), whole(0, dtype={d}))"),
        ("vdot", "vectors", "torch.vdot(whole(3, dtype={d}), whole(3, dtype={d}))"),
        ("inner", "vectors", "torch.inner(whole(3, dtype={d}), whole(3, dtype={d}))"),
        ("inner", "matrices", "torch.inner(whole(2, 3, dtype={d}), whole(2, 3, dtype={d}))"),
        ("inner", "scalar", "torch.inner(torch.tensor(1, dtype={d}), whole(3, dtype={d}))"),
        ("outer", "vectors", "torch.outer(whole(3, dtype={d}), whole(2, dtype={d}))"),
        ("addmm", "matrices", "torch.addmm(whole(2, dtype={d}), whole(2, 3, dtype={d}), whole(3, 2, dtype={d}))"),
        ("addmm", "no-inner", "torch.addmm(whole(2, dtype={d}), whole(2, 0, dtype={d}), whole(0, 2, dtype={d}))"),
        ("addmm", "no-output", "torch.addmm(whole(2, dtype={d}), whole(0, 2, dtype={d}), whole(2, 2, dtype={d}))"),
        ("addmv", "matrix", "torch.addmv(whole(2, dtype={d}), whole(2, 3, dtype={d}), whole(3, dtype={d}))"),
        ("addmv", "no-inner", "torch.addmv(whole(2, dtype={d}), whole(2, 0, dtype={d}), whole(0, dtype={d}))"),
        ("addr", "vectors", "torch.addr(whole(2, dtype={d}), whole(2, dtype={d}), whole(2, dtype={d}))"),
        ("baddbmm", "cubes", "torch.baddbmm(whole(2, dtype={d}), whole(2, 2, 3, dtype={d}), whole(2, 3, 2, dtype={d}))"),
        ("baddbmm", "no-inner", "torch.baddbmm(whole(2, dtype={d}), whole(2, 2, 0, dtype={d}), whole(2, 0, 2, dtype={d}))"),
        ("addbmm", "cubes", "torch.addbmm(whole(2, dtype={d}), whole(2, 2, 3, dtype={d}), whole(2, 3, 2, dtype={d}))"),
        ("linear", "plain", "F.linear(whole(2, 3, dtype={d}), whole(2, 3, dtype={d}))"),
        ("linear", "bias", "F.linear(whole(2, 3, dtype={d}), whole(2, 3, dtype={d}), whole(2, dtype={d}))"),
    )
)  # fmt: skip

PROMOTION = (
    Row("outer/promotion", "torch.outer(whole(2, dtype=int8), whole(3))"),
    Row("outer/promotion-16-bit", "torch.outer(whole(2, dtype=float16), whole(3, dtype=bfloat16))"),
    Row("inner/scalar-promotion", "torch.inner(torch.tensor(2), whole(3))"),
    Row("outer/uint32-and-int64", "torch.outer(whole(2, dtype=uint32), whole(3, dtype=int64))"),
)  # fmt: skip

ROWS = (
    *_crossed(),
    *ORDERS,
    *ROUNDED,
    *CANCELLED,
    *UNWANTED,
    *SPECIAL,
    *ERRORS,
    *FOLDS,
    *EINSUM,
    *KERNELS,
    *PROMOTION,
)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    own = (whole, opposed, paired, laid, signs, operands, factors, vectors, balance)
    return {**tensors.namespace(), **{function.__name__: function for function in own}}


SUITE = parity.suite.Suite("matmul", "python/matmul.py", ROWS, namespace)
