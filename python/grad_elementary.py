"""Suite `grad_elementary`: backward passes of elementary functions, powers and activations.

The backward kernels have a form for vectors and one for elements alone, which differ in their
last bit and in what becomes of a NaN: lengths around a pair of vectors and gapped layouts show
which element meets which. Run `python/generate.py --only grad_elementary`.
"""

from typing import Any

import elementary
import parity.suite
from parity import tensors
from parity.cross import cross, differentiable, named
from parity.suite import Row
from parity.tensors import INF, NAN, unrecorded

import torch


@unrecorded
def knots(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Zeros, infinities, NaN, and the points at which activations and their domains end."""
    values = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, 0.125, 0.875]
    return torch.tensor(values, dtype=dtype)


@unrecorded
def knotted(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Knots, again and again, so that each stands in vectors and in what is left of a line."""
    pattern = knots(torch.float64)
    count = torch.Size(shape).numel()
    return pattern.repeat(count // len(pattern) + 1)[:count].reshape(shape).to(dtype)


@unrecorded
def fractions(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Values between 1/16 and 15/16."""
    return (tensors.ordinary(*shape, dtype=torch.float64) * 0.4375 + 0.5).to(dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return elementary.namespace() | {"knots": knots, "knotted": knotted, "fractions": fractions}


# How each is written, by its name or by the name of what it calls, and where it is at home.
CALLS: dict[str, tuple[str, str, str]] = {
    "exp": ("exp", "torch.exp({0})", "ordinary"),
    "exp2": ("exp2", "torch.exp2({0})", "spread"),
    "expm1": ("expm1", "torch.expm1({0})", "ordinary"),
    "log": ("log", "torch.log({0})", "positive"),
    "log1p": ("log1p", "torch.log1p({0})", "positive"),
    "log2": ("log2", "torch.log2({0})", "positive"),
    "log10": ("log10", "torch.log10({0})", "positive"),
    "sin": ("sin", "torch.sin({0})", "spread"),
    "cos": ("cos", "torch.cos({0})", "spread"),
    "tan": ("tan", "torch.tan({0})", "ordinary"),
    "asin": ("asin", "torch.asin({0})", "fractions"),
    "acos": ("acos", "torch.acos({0})", "fractions"),
    "atan": ("atan", "torch.atan({0})", "spread"),
    "sinh": ("sinh", "torch.sinh({0})", "spread"),
    "cosh": ("cosh", "torch.cosh({0})", "spread"),
    "tanh": ("tanh", "torch.tanh({0})", "ordinary"),
    "sigmoid": ("sigmoid", "torch.sigmoid({0})", "spread"),
    "logit": ("logit", "torch.logit({0})", "fractions"),
    "logit-eps": ("logit", "torch.logit({0}, 0.125)", "fractions"),
    "sqrt": ("sqrt", "torch.sqrt({0})", "positive"),
    "rsqrt": ("rsqrt", "torch.rsqrt({0})", "positive"),
    "reciprocal": ("reciprocal", "torch.reciprocal({0})", "ordinary"),
    "erf": ("erf", "torch.erf({0})", "ordinary"),
    "erfc": ("erfc", "torch.erfc({0})", "ordinary"),
    "square": ("square", "torch.square({0})", "ordinary"),
    "gelu": ("gelu", "F.gelu({0})", "spread"),
    "gelu-tanh": ("gelu", "F.gelu({0}, approximate='tanh')", "spread"),
    "silu": ("silu", "F.silu({0})", "spread"),
    "softplus": ("softplus", "F.softplus({0})", "spread"),
    "softplus-beta": ("softplus", "F.softplus({0}, 2.5, 3.0)", "spread"),
    "relu": ("relu", "F.relu({0})", "spread"),
    "relu6": ("relu6", "F.relu6({0})", "spread"),
    "hardtanh": ("hardtanh", "F.hardtanh({0})", "spread"),
    "hardtanh-bounds": ("hardtanh", "F.hardtanh({0}, -0.5, 0.125)", "ordinary"),
    "leaky_relu": ("leaky_relu", "F.leaky_relu({0})", "ordinary"),
    "leaky_relu-slope": ("leaky_relu", "F.leaky_relu({0}, -1.3)", "ordinary"),
    "elu": ("elu", "F.elu({0})", "ordinary"),
    "elu-alpha": ("elu", "F.elu({0}, 0.7)", "spread"),
    "selu": ("selu", "F.selu({0})", "spread"),
    "celu": ("celu", "F.celu({0})", "ordinary"),
    "celu-alpha": ("celu", "F.celu({0}, 1.3)", "spread"),
    "hardsigmoid": ("hardsigmoid", "F.hardsigmoid({0})", "spread"),
    "hardswish": ("hardswish", "F.hardswish({0})", "spread"),
    "mish": ("mish", "F.mish({0})", "spread"),
    "logsigmoid": ("logsigmoid", "F.logsigmoid({0})", "spread"),
    "pow-2": ("pow", "{0} ** 2", "ordinary"),
    "pow-3": ("pow", "{0} ** 3", "ordinary"),
    "pow-1": ("pow", "{0} ** 1", "ordinary"),
    "pow-0": ("pow", "{0} ** 0", "ordinary"),
    "pow-0.5": ("pow", "{0} ** 0.5", "positive"),
    "pow--1": ("pow", "{0} ** -1.0", "positive"),
    "pow-1.7": ("pow", "torch.pow({0}, 1.7)", "positive"),
    "pow-of-2.5": ("pow", "2.5 ** {0}", "ordinary"),
}

DTYPES = ("float64", "float32", "float16", "bfloat16")
SHAPES = ("3", "2, 2", "", "2, 1, 2", "4", "1, 3")
LAYOUTS = ("contiguous", "transposed", "stepped", "permuted", "narrowed", "expanded")


def _row(call: str, what: str, argument: str) -> Row:
    op, form, _ = CALLS[call]
    prefix = call.removeprefix(op).removeprefix("-")
    tail = f"{op}/{prefix}-{what}" if prefix else f"{op}/{what}"
    return Row(tail, form.format(argument), backward=())


def _home(call: str, number: int, dtype: str) -> Row:
    """A row of ordinary values, whose shape and layout change from call to call."""
    place = number + DTYPES.index(dtype)
    shape, layout = SHAPES[place % len(SHAPES)], LAYOUTS[(place + place // 6) % len(LAYOUTS)]
    sizes = f"{shape}, " if shape else ""
    label = shape.replace(", ", "x") or "scalar"
    argument = f"{layout}({CALLS[call][2]}({sizes}dtype={dtype}))"
    return _row(call, f"{dtype}-{label}-{layout}", argument)


# Those whose vectors and elements alone differ.
TWO_FORMS = (
    "exp2 asin acos sinh cosh sigmoid logit logit-eps gelu gelu-tanh silu softplus hardtanh elu "
    "celu hardswish mish pow-1.7"
).split()

# Every call in every float type, over ordinary values and over knots.
EVERY = tuple(
    row
    for number, call in enumerate(CALLS)
    for dtype in DTYPES
    for row in (
        _home(call, number, dtype),
        *(
            (_row(call, f"{dtype}-knots", f"knots({dtype})"),)
            if dtype == "float32" and call not in TWO_FORMS
            else ()
        ),
    )
)

# In a line of a pair of vectors and more.
LENGTHS = {"float64": 9, "float32": 18, "float16": 33, "bfloat16": 33}
LINES = tuple(
    _row(call, f"{dtype}-{name}", argument)
    for number, call in enumerate(TWO_FORMS)
    for dtype, length in LENGTHS.items()
    for name, argument in (
        (f"length-{length}", f"{CALLS[call][2]}({length}, dtype={dtype})"),
        ("knots-in-vectors", f"knotted({length}, dtype={dtype})"),
    )
    if (dtype == "float32" and "knots" in name)
    or (dtype == ("float64", "float16", "bfloat16")[number % 3] and "length" in name)
) + tuple(
    _row(call, f"float32-{name}", argument)
    for call in ("gelu", "gelu-tanh", "silu", "mish")
    for name, argument in (
        ("length-17", f"{CALLS[call][2]}(17)"),
        ("transposed-6x3", f"transposed({CALLS[call][2]}(6, 3))"),
        ("stepped-17", f"stepped({CALLS[call][2]}(17))"),
    )
)

ALIASES = tuple(
    Row(f"{alias}/{dtype}", f"{form}({home}(3, dtype={dtype}))", backward=())
    for alias, form, home in (
        ("arcsin", "torch.arcsin", "fractions"),
        ("arccos", "torch.arccos", "fractions"),
        ("arctan", "torch.arctan", "spread"),
        ("special.expit", "torch.special.expit", "ordinary"),
        ("special.exp2", "torch.special.exp2", "ordinary"),
        ("special.expm1", "torch.special.expm1", "ordinary"),
        ("special.log1p", "torch.special.log1p", "positive"),
        ("special.logit", "torch.special.logit", "fractions"),
        ("special.erf", "torch.special.erf", "ordinary"),
        ("special.erfc", "torch.special.erfc", "ordinary"),
    )
    for dtype in DTYPES
)

# Two operands: shapes that are broadcast, two dtypes, layouts.
PAIRS = {
    "row": ("2, 2", "2"),
    "of-column": ("2, 1", "2, 2"),
    "outer": ("3, 1", "1, 2"),
    "scalar": ("3", ""),
    "of-scalar": ("", "3"),
}


class Pair(str):
    """The sizes of two operands, `2, 4|4`, whose parts an expression names apart."""

    @property
    def first(self) -> str:
        """The sizes of the first operand, as arguments before others."""
        return self._part(0)

    @property
    def second(self) -> str:
        """The sizes of the second operand."""
        return self._part(1)

    def _part(self, place: int) -> str:
        sizes = self.split("|")[place]
        return f"{sizes}, " if sizes else ""


BINARY = tuple(
    row
    for op, first, second in (
        ("pow", "positive", "ordinary"),
        ("atan2", "ordinary", "positive"),
        ("hypot", "ordinary", "positive"),
    )
    for row in differentiable(
        cross(
            op,
            f"torch.{op}({{layout}}({first}({{pair.first}}dtype={{dtype}})), "
            f"{{other_layout}}({second}({{pair.second}}dtype={{other}})))",
            pair={label: Pair("|".join(pair)) for label, pair in PAIRS.items()},
            dtype=named("float64 float32 float16 bfloat16"),
            other=named("float64 float32 float16 bfloat16"),
            layout=named("contiguous transposed stepped"),
            other_layout=named("contiguous transposed expanded"),
        )
    )
)

SHAPED = differentiable(
    Row(f"{op}/{name}", f"torch.{op}({operands})")
    for op in ("pow", "atan2", "hypot")
    for name, operands in (
        ("empty-with-row", "none, positive(3)"),
        ("float32-line-18", "positive(18), ordinary(18)"),
        ("float64-line-9", "positive(9, dtype=float64), ordinary(9, dtype=float64)"),
        ("bfloat16-line-33", "positive(33, dtype=bfloat16), ordinary(33, dtype=bfloat16)"),
    )
)

# What the base or the exponent is at a corner: zero, negative, infinite, NaN.
POWERS = tuple(
    Row(f"pow/{name}", expression, backward=())
    for name, expression in (
        ("0-to-positive", "torch.pow(row(0.0, -0.0, 0.0, -0.0), row(2.0, 2.0, 0.5, 3.0))"),
        ("0-to-0", "torch.pow(row(0.0, -0.0, 0.0), row(0.0, 0.0, -0.0))"),
        ("0-to-negative", "torch.pow(row(0.0, -0.0, 0.0), row(-1.0, -2.0, -0.5))"),
        ("0-to-nan", "torch.pow(row(0.0, -0.0), row(nan, nan))"),
        ("negative-to-whole", "torch.pow(row(-2.0, -0.5, -3.0), row(2.0, -3.0, 0.0))"),
        ("negative-to-fraction", "torch.pow(row(-2.0, -0.5), row(0.5, 1.5))"),
        ("infinite-base", "torch.pow(row(inf, -inf, inf, -inf), row(2.0, 3.0, -1.0, 0.0))"),
        ("infinite-exponent", "torch.pow(row(2.0, 0.5, 1.0, 0.0), row(inf, -inf, inf, inf))"),
        ("nan", "torch.pow(row(nan, 2.0, nan, 1.0), row(0.0, nan, 1.0, nan))"),
        ("1-to-anything", "torch.pow(row(1.0, 1.0, 1.0), row(5.0, -inf, 0.0))"),
        ("knots-to-0", "knots() ** 0"),
        ("knots-to-1", "knots() ** 1"),
        ("knots-to-0.5", "knots() ** 0.5"),
        ("knots-to-minus-2", "knots() ** -2"),
        ("knots-to-true", "torch.pow(knots(), True)"),
        ("knots-to-inf", "knots() ** inf"),
        ("knots-to-nan", "knots() ** nan"),
        ("negative-to-1.5", "row(-1.0, -2.0, 0.0) ** 1.5"),
        ("negative-to-3", "row(-1.0, -2.0, 0.0, dtype=float64) ** 3"),
        ("float16-to-2.5", "positive(5, dtype=float16) ** 2.5"),
        ("float16-to-1.001", "positive(5, dtype=float16) ** 1.001"),
        ("bfloat16-to-1.001", "positive(5, dtype=bfloat16) ** 1.001"),
        ("0-to-knots", "torch.pow(0, knots())"),
        ("0.0-to-knots", "torch.pow(0.0, knots(float64))"),
        ("1-to-knots", "torch.pow(1, knots())"),
        ("true-to-knots", "torch.pow(True, knots())"),
        ("minus-2-to-knots", "torch.pow(-2.0, knots())"),
        ("inf-to-knots", "torch.pow(inf, knots())"),
        ("2-to-float16", "2 ** ordinary(5, dtype=float16)"),
        ("0.3-to-bfloat16", "0.3 ** ordinary(5, dtype=bfloat16)"),
        ("to-integers", "torch.pow(positive(4), torch.tensor([0, 1, 2, -1]))"),
        ("0-to-integers", "torch.pow(row(0.0, -0.0, 0.0), torch.tensor([0, 1, 2]))"),
        ("of-integers", "torch.pow(torch.tensor([0, 1, 2, 3]), row(0.5, 0.0, -1.5, 2.0))"),
        ("of-bool", "torch.pow(torch.tensor([True, False]), row(0.5, 2.0))"),
        (
            "float16-to-integers",
            "torch.pow(positive(4, dtype=float16), torch.tensor([3, 1, 0, 2]))",
        ),
        (
            "transposed-to-transposed",
            "torch.pow(transposed(positive(2, 4)), transposed(ordinary(2, 4)))",
        ),
    )
)
ALONE = (
    Row("pow/base-alone", "torch.pow(positive(4), ordinary(4))", backward=("input",)),
    Row("pow/exponent-alone", "torch.pow(positive(4), ordinary(4))", backward=("exponent",)),
)

PLANE = tuple(
    Row(f"{op}/{name}", f"torch.{op}({operands})", backward=())
    for op in ("atan2", "hypot")
    for name, operands in (
        ("corners", "corners(True)[::4], corners(False)[::4]"),
        ("corners-float64", "corners(True, float64)[::7], corners(False, float64)[::7]"),
        ("corners-float16", "corners(True, float16)[::5], corners(False, float16)[::5]"),
        ("large", "row(1e30, 3e38, 1e20), row(1e30, 3e38, -1e-20)"),
        ("tiny", "row(1e-30, 1e-45, 0.0), row(1e-30, 1e-45, 1e-40)"),
    )
)

ARCTAN2 = tuple(
    Row(f"arctan2/{dtype}-row", f"torch.arctan2({left}, {right})", backward=())
    for dtype in DTYPES
    for left, right in ((f"ordinary(2, 3, dtype={dtype})", f"positive(3, dtype={dtype})"),)
)

PICKED = (
    Row("sqrt/zeros", "torch.sqrt(row(0.0, -0.0, 4.0))", backward=()),
    Row("rsqrt/zeros", "torch.rsqrt(row(0.0, -0.0, 4.0))", backward=()),
    Row("log/zeros", "torch.log(row(0.0, -0.0, -1.0))", backward=()),
    Row("asin/ends", "torch.asin(row(1.0, -1.0, 2.0, 0.0))", backward=()),
    Row("relu/empty", "F.relu(none)", backward=()),
    Row("gelu/empty", "F.gelu(none)", backward=()),
    Row("exp/empty", "torch.exp(none)", backward=()),
    Row("gelu/one-element", "F.gelu(row(0.7))", backward=()),
    Row("gelu/saturated", "F.gelu(row(-13.0, -5.0, 5.0, 13.0, 1e-30, -1e-30))", backward=()),
    Row("gelu/saturated-tanh", "F.gelu(row(-13.0, 5.0, 13.0), approximate='tanh')", backward=()),
    Row("softplus/threshold-infinite", "F.softplus(edges(), threshold=inf)", backward=()),
    Row("softplus/beta-negative", "F.softplus(a, beta=-1.0, threshold=5)", backward=()),
    Row("celu/alpha-negative", "F.celu(a, -0.7)", backward=()),
    Row("celu/alpha-negative-float64", "F.celu(a.double(), -0.7)", backward=()),
    Row("elu/alpha-negative", "F.elu(a, -2.3)", backward=()),
    Row("hardtanh/equal-bounds", "F.hardtanh(a, 0.25, 0.25)", backward=()),
    Row("silu/edges", "F.silu(edges())", backward=()),
    Row("mish/edges", "F.mish(edges())", backward=()),
    Row("logit/eps-0", "torch.logit(knotted(18), 0.0)", backward=()),
    Row("logit/eps-negative", "torch.logit(knotted(18), -1.0)", backward=()),
    Row("logit/eps-float16", "torch.logit(fractions(7, dtype=float16), 0.3)", backward=()),
    Row("exp/integers-have-none", "torch.exp(ints)", backward=("input",)),
    Row("relu/integers-have-none", "F.relu(ints)", backward=("input",)),
    Row("pow/integers-have-none", "ints ** 2", backward=("input",)),
    Row("pow/integer-exponent-has-none", "2.0 ** ints", backward=("exponent",)),
    Row("sigmoid/bools-have-none", "torch.sigmoid(flags)", backward=("input",)),
)

ROWS = (*EVERY, *LINES, *ALIASES, *BINARY, *SHAPED, *POWERS, *ALONE, *PLANE, *ARCTAN2, *PICKED)

SUITE = parity.suite.Suite("grad_elementary", "python/grad_elementary.py", ROWS, namespace)
