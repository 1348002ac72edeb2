"""Suite `grad_pointwise`: backward passes of the element-wise ops beside sums and products.

Division, bounds, extremes, interpolation, signs and rounding, conversions, and PyTorch's refusals.
The tensors are those of `parity.tensors` and `parity.operands`. Run
`python/generate.py --only grad_pointwise`.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import parity.suite
from parity import operands, tensors
from parity.cross import Labels, cross, differentiable, named
from parity.graphs import graph
from parity.operands import FLOATING
from parity.suite import Row
from parity.tensors import INF, NAN, unrecorded

import torch

DTYPES = named(FLOATING)
LAYOUTS = named("contiguous transposed stepped expanded")


@unrecorded
def telling(dtype: torch.dtype) -> torch.Tensor:
    """Zeros, infinity, NaN and an ordinary value."""
    return torch.tensor((0.0, -0.0, -2.5, INF, NAN), dtype=dtype)


@unrecorded
def down(tensor: torch.Tensor) -> torch.Tensor:
    """A vector as every column of a square: one leaf, so that no gradient is summed."""
    return tensor.reshape(-1, 1).expand(-1, len(tensor))


@unrecorded
def across(tensor: torch.Tensor) -> torch.Tensor:
    """A vector as every row of a square."""
    return tensor.expand(len(tensor), -1)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    own = {function.__name__: function for function in (telling, down, across)}
    return tensors.namespace() | operands.namespace() | own | {"graph": graph}


# Shapes of one operand, and of others that broadcast against it.
LEFT = {"": "2, 2, ", "empty": "0, 2, "}
RIGHT = {"": "2, 2, ", "outer": "2, 1, 2, ", "scalar": ""}


def _unbroadcastable(labels: Labels) -> bool:
    return labels.get("left") == "empty" and labels.get("right", "scalar") == ""


def crossed(
    op: str, left: str = "ordinary", right: str = "positive", dtypes: str = FLOATING
) -> tuple[Row, ...]:
    """Rows of an op of two tensors: pairs of dtypes, in layouts and shapes that broadcast."""
    return differentiable(
        cross(
            op,
            f"torch.{op}({{layout}}({left}({{left}}dtype={{dtype}})),"
            f" {right}({{right}}dtype={{other}}))",
            unless=_unbroadcastable,
            dtype=named(dtypes),
            other=named("float64 float16"),
            right=RIGHT,
            layout=named("transposed stepped expanded"),
            left=LEFT,
        )
    )


def grids(op: str, reason: str = "") -> tuple[Row, ...]:
    """Rows of each telling value against each."""
    return tuple(
        Row(
            f"{op}/grid-{dtype}",
            f"torch.{op}(down(telling({dtype})), across(telling({dtype})))",
            backward=(),
            no_derivative=reason if dtype == "float64" else "",
        )
        for dtype in FLOATING.split()
    )


def numbers(op: str, first: bool, *labels: str) -> tuple[Row, ...]:
    """Rows of a tensor and a number."""
    order = {"": "waves(7, 5, {dtype}), {number}"}
    if first:
        order["first"] = "{number}, waves(7, 5, {dtype})"
    return differentiable(
        cross(
            op,
            f"torch.{op}({{order}})",
            prefix="number",
            dtype=named("float64 float16"),
            number=operands.some(operands.NUMBERS, *labels),
            order=order,
        )
    )


def sums(op: str, arguments: str) -> tuple[Row, ...]:
    """Rows whose gradients are sums of many rounded terms, so that their order shows."""
    dtypes = named("float32 float16 bfloat16")
    return differentiable(cross(op, f"torch.{op}({arguments})", prefix="sums", dtype=dtypes))


DIVISION = (
    *crossed("div"),
    *grids("div"),
    *numbers("div", True, "0.1", "1e39"),
    *sums("div", "cancelling(9, 2, dtype={dtype}), waves(3, 2, {dtype})"),
    *differentiable(
        cross(
            "div",
            "torch.div({left}, {right}, rounding_mode={mode})",
            prefix="rounded",
            dtype=named("float32 float16"),
            mode={"trunc": "'trunc'", "floor": "'floor'"},
            left={"": "tens(6, {dtype}).reshape(2, 3)", "0-d": "torch.tensor(2.5, dtype={dtype})"},
            right={"": "weights(float32)[:3]", "number": "0.3"},
        )
    ),
    *differentiable(
        row
        for op in ("divide", "true_divide")
        for row in cross(op, f"torch.{op}(few({{dtype}}), fewer({{dtype}}))", dtype=DTYPES)
    ),
    *(
        row
        for op, dtypes in (("remainder", FLOATING), ("fmod", "float32 bfloat16"))
        for row in (
            *crossed(op, dtypes=dtypes),
            *grids(op),
            *numbers(op, False, "0.1", "minus3"),
            *sums(op, "tens(18, {dtype}).reshape(9, 2), waves(3, 2, {dtype})"),
        )
    ),
    Row("div/one-element", "waves(3, 5, float16) / row(0.1)", backward=()),
    Row("div/by-integers", "few(bfloat16) / torch.tensor([1, 3, 7])", backward=()),
    Row("div/of-integers", "torch.tensor([1, 3, 7]) / few(float32)", backward=()),
    Row("div/of-integers-asked", "torch.tensor([1, 3, 7]) / few(float32)", backward=("input",)),
    Row("div/size-0-against-1", "torch.div(ordinary(2, 0), positive(2, 1))", backward=()),
    Row("div/long", "tens(35, float16) / waves(2, 35, float16)", backward=()),
)

BOUNDS = (
    *differentiable(
        cross(
            "clamp",
            "torch.clamp({layout}({values}), {bounds})",
            dtype=named("float64 float16"),
            values={
                "": "plain({dtype}).reshape(3, 4)",
                "special": "special({dtype})",
                "0-d": "torch.tensor(0.5, dtype={dtype})",
            },
            layout=named("contiguous transposed"),
            bounds={
                "both": "-0.5, 0.5",
                "lower": "min=0.25",
                "upper": "max=-0.0",
                "crossed": "0.5, -0.5",
                "infinite": "min=-inf, max=inf",
                "nan": "min=nan",
                "nan-above": "min=0, max=nan",
                "tenth": "max=0.1",
            },
        )
    ),
    *differentiable(
        cross(
            "clamp",
            "torch.clamp({layout}(ties({left}dtype={dtype})), {bounds})",
            prefix="tensors",
            unless=_unbroadcastable,
            dtype=DTYPES,
            other=named("float64 float16"),
            bounds={
                "lower": "min=ties({right}dtype={other})",
                "upper": "max=ties({right}dtype={other})",
                "both": "ties({right}dtype={other}), ordinary(2, dtype={dtype}) + 2",
                "apart": "halves({dtype}, 2) + 3, ties({right}dtype={other})",
            },
            right=RIGHT,
            layout=named("contiguous stepped expanded"),
            left=LEFT,
        )
    ),
    *differentiable(
        row
        for op, bounds in (("clip", "-0.5, 0.5"), ("clamp_min", "0.25"), ("clamp_max", "-0.25"))
        for row in cross(
            op,
            f"torch.{op}({{values}}, {bounds})",
            dtype=DTYPES,
            values={"special": "special({dtype})"},
        )
    ),
    *differentiable(
        row
        for op in ("clamp_min", "clamp_max")
        for row in cross(
            op,
            f"torch.{op}({{layout}}(ties(2, 2, dtype={{dtype}})), ties({{right}}dtype={{other}}))",
            prefix="tensor",
            dtype=DTYPES,
            other=named("float64"),
            right=RIGHT,
            layout=named("contiguous expanded"),
        )
    ),
    # Every order of an element and its two bounds, with ties and NaN.
    *(
        Row(
            f"clamp/orders-{dtype}",
            f"torch.clamp(torch.arange(3, dtype={dtype}).expand(3, 3, 3),"
            f" torch.arange(3, dtype={dtype}).reshape(3, 1).expand(3, 3, 3),"
            f" torch.arange(3, dtype={dtype}).reshape(3, 1, 1).expand(3, 3, 3))",
            backward=(),
            no_derivative="all of it is the input's where both bounds equal it"
            if dtype == "float64"
            else "",
        )
        for dtype in ("float64", "bfloat16")
    ),
    *(
        Row(
            f"clamp/nan-{place}",
            f"torch.clamp({x}, {low}, {high})",
            backward=(),
        )
        for place, x, low, high in (
            ("input", "row(nan, nan)", "row(0.0, 1.0)", "row(1.0, 0.0)"),
            ("lower", "row(0.5, 2.0)", "row(nan, nan)", "row(1.0, 1.0)"),
            ("upper", "row(0.5, 2.0)", "row(1.0, 1.0)", "row(nan, nan)"),
            ("bounds", "row(0.5, 2.0)", "row(nan, nan)", "row(nan, nan)"),
        )
    ),
    Row(
        "clamp/only-a-bound",
        "few(float32).clamp(row(1.0, 0.0, 3.0), few(float64))",
        backward=("min",),
    ),
    Row(
        "clamp/integers-asked", "torch.tensor([1, 2]).clamp(min=row(0.5, 3.0))", backward=("input",)
    ),
    Row("clamp/integers-bounded", "torch.tensor([1, 2]).clamp(min=row(0.5, 3.0))", backward=()),
    Row("clamp/itself", "ordinary(3).clamp(ordinary(3), ordinary(3))", backward=()),
)

EXTREMES = tuple(
    row
    for op, dtypes in (
        ("maximum", FLOATING),
        ("minimum", "float32 bfloat16"),
        ("fmax", "float64 float16"),
        ("fmin", FLOATING),
    )
    for row in (*crossed(op, "ties", "ties", dtypes), *grids(op))
)

TERNARY = (
    *differentiable(
        cross(
            "lerp",
            "torch.lerp({layout}(ordinary(2, 2, dtype={dtype})),"
            " positive({right}dtype={dtype}), {weight})",
            dtype=DTYPES,
            right=RIGHT,
            layout=named("transposed stepped expanded"),
            weight={
                "quarter": "0.25",
                "tenth": "0.1",
                "tensor": "waves(9, 2, {dtype})",
                "0-d": "torch.tensor(0.7, dtype=float64)",
                "0-d-float16": "torch.tensor(0.7, dtype=float16)",
            },
        )
    ),
    *sums(
        "lerp",
        "cancelling(9, 2, dtype={dtype}), transposed(waves(5, 18, {dtype}).reshape(9, 2)),"
        " waves(3, 2, {dtype})",
    ),
    *differentiable(
        row
        for op in ("addcmul", "addcdiv")
        for row in cross(
            op,
            f"torch.{op}({{start}}, {{layout}}(ordinary(2, 2, dtype={{dtype}})),"
            " positive({right}dtype={other}){value})",
            dtype=DTYPES,
            other=named("float64 float16"),
            right=RIGHT,
            layout=named("transposed stepped expanded"),
            start={
                "": "plain(float32, 4).reshape(2, 2)",
                "0-d": "torch.tensor(0.5, dtype=float64)",
                "larger": "counted(2, 2, 2, dtype={dtype})",
            },
            value={"": "", "tenth": ", value=0.1"},
        )
    ),
    *(
        row
        for op in ("addcmul", "addcdiv")
        for row in sums(
            op,
            "waves(1, 1, {dtype}), cancelling(9, 2, dtype={dtype}), waves(3, 2, {dtype}),"
            " value=0.1",
        )
    ),
    *differentiable(
        row
        for op in ("addcmul", "addcdiv")
        for row in cross(
            op,
            f"torch.{op}(few({{dtype}})[0], down(telling({{dtype}})), across(telling({{dtype}})))",
            prefix="grid",
            dtype=named("float64 float16"),
        )
    ),
    *(
        Row(f"addcmul/integers-{place}", f"torch.addcmul({arguments}, value=3)", backward=())
        for place, arguments in (
            ("start", "torch.tensor([1, 2, 3]), few(float32), fewer(float32)"),
            ("first", "few(float16), torch.tensor([1, 2, 3]), fewer(float16)"),
            ("second", "few(float16), fewer(float32), torch.tensor([1, 2, 3])"),
        )
    ),
    Row(
        "addcdiv/integers-above",
        "torch.addcdiv(few(float16), torch.tensor([1, 2, 3]), few(float16), value=0.1)",
        backward=(),
    ),
    # The number over the denominator is divided in the denominator's dtype.
    Row(
        "addcdiv/integers-below",
        "torch.addcdiv(few(float32), few(float32), torch.tensor([1, 2, 3]))",
        backward=("tensor1",),
    ),
    Row(
        "addcdiv/integers-below-unasked",
        "torch.addcdiv(few(float32), few(float32), torch.tensor([1, 2, 3]))",
        backward=("input",),
    ),
    Row(
        "addcdiv/value-beyond-float16",
        "torch.addcdiv(few(float16), few(float16), few(float16), value=1e6)",
        backward=("tensor1",),
    ),
    Row(
        "addcdiv/value-beyond-int8",
        "torch.addcdiv(few(float32), few(float32), torch.tensor([1, 2, 3], dtype=int8), value=300)",
        backward=("tensor1",),
    ),
    *(
        Row(
            f"addcdiv/value-beyond-{dtype}-alone",
            f"torch.addcdiv(few({dtype}), few({dtype}), {denominator}, value={value})",
            backward=("tensor1",),
        )
        for dtype, denominator, value in (
            ("float16", "torch.tensor(2.0, dtype=float16)", "1e6"),
            ("bfloat16", "row(2.0, dtype=bfloat16)", "3.4e38"),
        )
    ),
    Row(
        "addcdiv/value-infinite",
        "torch.addcdiv(few(bfloat16), few(bfloat16), few(bfloat16), value=inf)",
        backward=(),
    ),
)

FLAT = ("sign", "sgn", "floor", "ceil", "trunc", "fix", "round")
SIMPLE = ("abs", "neg", "frac", "nan_to_num")

# A central difference does not see a jump in whose middle the element lies, and has no digits for
# the other elements of a sum with the largest one.
_JUMP = "a jump at the element"
_LARGEST = "differences have no digits beside the largest value"
EXPLAINED = {
    "sign/special-float64": _JUMP,
    "sign/transposed": _JUMP,
    "sgn/special-float64": _JUMP,
    "sgn/transposed": _JUMP,
    "round/float64-2": _JUMP,
    "nan_to_num/special-float64": _LARGEST,
    "nan_to_num/float64-nan": _LARGEST,
}


def explained(rows: Iterable[Row]) -> Iterator[Row]:
    """Differentiable rows, with the reason for those that central differences disagree with."""
    for row in differentiable(rows):
        yield dataclasses.replace(row, no_derivative=EXPLAINED.get(row.tail, ""))


UNARY = (
    *explained(
        row
        for op in (*FLAT, *SIMPLE)
        for row in cross(op, f"torch.{op}(special({{dtype}}))", prefix="special", dtype=DTYPES)
    ),
    *explained(
        Row(f"{op}/{layout}", f"torch.{op}({layout}(halves({dtype}).reshape(3, 4)))")
        for op in (*FLAT, *SIMPLE)
        for layout, dtype in (("transposed", "float64"), ("stepped", "bfloat16"))
    ),
    *differentiable(
        row
        for op in ("absolute", "negative", "positive")
        for row in cross(op, f"torch.{op}(special({{dtype}}))", dtype=DTYPES)
    ),
    *differentiable(
        row
        for op in ("abs", "floor", "frexp", "sgn", "positive")
        for row in cross(
            op,
            f"torch.{op}({{values}})",
            dtype=named("float32"),
            values={
                "0-d": "torch.tensor(-2.5, dtype={dtype})",
                "empty": "ordinary(2, 0, dtype={dtype})",
                "expanded": "expanded(ordinary(2, 3, dtype={dtype}))",
            },
        )
    ),
    *explained(
        cross(
            "round",
            "torch.round(cents({dtype}), decimals={decimals})",
            dtype=DTYPES,
            decimals={"2": "2", "minus1": "-1"},
        )
    ),
    *explained(
        cross(
            "nan_to_num",
            "torch.nan_to_num(special({dtype}), {numbers})",
            dtype=DTYPES,
            numbers={"nan": "nan=1.5", "kept": "nan=nan, posinf=inf, neginf=-inf"},
        )
    ),
    *differentiable(
        cross(
            "frexp",
            "torch.frexp({values})",
            dtype=DTYPES,
            values={
                "special": "special({dtype})",
                "strided": "transposed(tens(6, {dtype}).reshape(2, 3))",
            },
        )
    ),
    *crossed("copysign", "counted", "ordinary"),
    *grids("copysign"),
    *differentiable(
        cross(
            "copysign",
            "torch.copysign(special({dtype}), {other})",
            dtype=DTYPES,
            other={"minus3": "-3"},
        )
    ),
)

CONVERSIONS = (
    *differentiable(
        cross(
            "to",
            "{layout}(close_to_ties({dtype})[:6].reshape(2, 3)).to({other})",
            dtype=DTYPES,
            other=DTYPES,
            layout=named("contiguous transposed expanded"),
        )
    ),
    *(
        Row(f"to/{dtype}-has-none", f"few(float32).to({dtype})", backward=("input",))
        for dtype in ("int64", "uint8", "bool")
    ),
    Row("to/integers-asked", "torch.tensor([1, 2]).to(float32)", backward=("input",)),
    Row("to/copied", "few(float32).to(float32, copy=True)", backward=()),
    *differentiable(
        cross(
            "type_as",
            "special({dtype}).type_as(few({other}))",
            dtype=named("float64 float16"),
            other=DTYPES,
        )
    ),
    Row("type_as/integers-have-none", "few(float32).type_as(torch.tensor(1))", backward=("input",)),
    Row("type_as/other-alone", "few(float32).type_as(few(float64))", backward=("other",)),
    Row("item/has-none", "row(2.5).item()", backward=("input",)),
    Row("item/integer-asked", "torch.tensor(3).item()", backward=("input",)),
)

COMPARING = (
    *("eq", "ne", "not_equal", "lt", "less", "le", "less_equal"),
    *("gt", "greater", "ge", "greater_equal", "isclose", "allclose", "equal"),
)

REFUSED = (
    *(
        Row(f"{op}/has-none", f"torch.{op}(few(float32), fewer(float32))", backward=wrt)
        for op in (*COMPARING, "logical_and", "logical_or", "logical_xor")
        for wrt in (("input", "other"),)
    ),
    *(
        Row(f"{op}/has-none", f"torch.{op}(few(float16))", backward=("input",))
        for op in ("logical_not", "signbit", "isnan", "isinf", "isfinite", "isposinf", "isneginf")
    ),
    *(
        Row(f"{op}/integers-asked", f"torch.{op}(few(int32), fewer(int32))", backward=("other",))
        for op in (
            *("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"),
            *("bitwise_left_shift", "bitwise_right_shift", "maximum", "floor_divide", "eq"),
        )
    ),
    Row("bitwise_not/integers-asked", "torch.bitwise_not(few(int8))", backward=("input",)),
    Row("abs/integers-asked", "torch.abs(few(int8))", backward=("input",)),
    Row("neg/bytes-asked", "torch.neg(few(uint8))", backward=("input",)),
    Row("logical_not/bools-asked", "torch.logical_not(few(bool))", backward=("input",)),
    *(
        Row(f"floor_divide/{label}", f"torch.floor_divide({arguments})", backward=wrt)
        for label, arguments, wrt in (
            ("tensors", "few(float32), fewer(float32)", ("input", "other")),
            ("divisor", "few(float64), fewer(float64)", ("other",)),
            ("number", "few(float16), 2", ("input",)),
            ("beside-integers", "torch.tensor([3, 5, 7]), few(bfloat16)", ("other",)),
            ("empty", "ordinary(0), ordinary(0)", ("input",)),
        )
    ),
    *(
        Row(f"heaviside/{label}", f"torch.heaviside({arguments})", backward=wrt)
        for label, arguments, wrt in (
            ("tensors", "few(float32), fewer(float32)", ("input", "values")),
            ("values", "few(float64), torch.tensor(0.5, dtype=float64)", ("values",)),
            ("integers-asked", "few(int64), fewer(int64)", ("values",)),
            ("float16", "few(float16), fewer(float16)", ("input",)),
        )
    ),
    Row("remainder/of-a-number", "torch.remainder(7, few(float32))", backward=("other",)),
    Row("remainder/integers-asked", "torch.remainder(few(int64), 3)", backward=("input",)),
)

# Cotangents of other layouts and of more digits than a case's own.
GRAPHS = tuple(
    Row(f"graph/{label}", f"graph(lambda x, y: {program}, {inputs})", backward=())
    for label, program, inputs in (
        (
            "where-of-quotients",
            "torch.where(x > 0, x / y, y * y)",
            "x=ordinary(2, 3), y=positive(3)",
        ),
        (
            "division-beside-the-pole",
            "torch.where(x > 0, x, 1.0).divide(y) * y",
            "x=row(0.0, 4.0), y=row(1.0, 3.0)",
        ),
        (
            "filled-times",
            "x.masked_fill(x > 0.5, 0.1) * (x * y)",
            "x=ordinary(2, 3, dtype=float16), y=positive(3, dtype=float16)",
        ),
        ("clamped-quotient", "(x / y).clamp(-0.5, 0.5) * x", "x=ordinary(2, 3), y=positive(3)"),
        (
            "share-of-equals",
            "torch.maximum(x, y) * torch.minimum(x, y)",
            "x=ties(2, 3, dtype=float64), y=ties(3, dtype=float64)",
        ),
        (
            "to-and-fro",
            "(x.to(float16) * y).to(float32) * x",
            "x=ordinary(3), y=waves(9, 3, float16)",
        ),
        ("lerp-of-itself", "torch.lerp(x, y, x)", "x=ordinary(2, 3), y=ordinary(2, 3)"),
        ("compared", "x * (x > y)", "x=ordinary(3), y=row(0.9, 0.9, 0.1)"),
        # The elements that were overwritten are picked before they are added.
        (
            "value-of-a-fill",
            "x.masked_fill(x > 0.1, y) * x",
            "x=waves(4, 35, float32), y=torch.tensor(0.7)",
        ),
        # What is summed lies in memory as the operands do.
        (
            "transposed-maximum",
            "torch.maximum(x, y) * x",
            "x=transposed(waves(1, 63, float32).reshape(9, 7)), y=waves(2, 7, float32)",
        ),
        (
            "transposed-bounds",
            "x.clamp(y, y + 0.5) * x",
            "x=transposed(waves(1, 63, float32).reshape(9, 7)), y=waves(2, 7, float32)",
        ),
    )
)

SUMMED = (
    Row(
        "graph/sum-of-transposed-product",
        "graph(lambda x, y: (x * y).sum(0), x=transposed(waves(1, 63, float32).reshape(9, 7)),"
        " y=waves(2, 7, float32))",
    ),
    Row(
        "graph/sum-of-rounded",
        "graph(lambda x, y: torch.remainder(x, y).sum(0),"
        " x=transposed(tens(63, float32).reshape(9, 7)), y=waves(7, 7, float32))",
    ),
)

ON_THE_WAY = (
    Row(
        "graph/floor-division",
        "graph(lambda x, y: torch.floor_divide(x, y) * y, x=few(float32), y=fewer(float32))",
        backward=("x",),
    ),
    Row(
        "graph/only-comparisons",
        "graph(lambda x, y: (x > y).logical_not(), x=few(float32), y=fewer(float32))",
        backward=("x", "y"),
    ),
)

ROWS = (
    *DIVISION,
    *BOUNDS,
    *EXTREMES,
    *TERNARY,
    *UNARY,
    *CONVERSIONS,
    *REFUSED,
    *GRAPHS,
    *SUMMED,
    *ON_THE_WAY,
)

SUITE = parity.suite.Suite("grad_pointwise", "python/grad_pointwise.py", ROWS, namespace)
