"""Suite `pointwise`: element-wise ops of one, two and three operands, beside `arithmetic`.

Comparisons, logic and bits, signs, rounding, bounds, interpolation, conversions. The names that
the lines use are those of `parity.tensors`, and the compact tensors of `parity.operands`. Run
`python/generate.py --only pointwise`.
"""

from typing import Any

import parity.suite
from parity import operands, tensors
from parity.cross import cross, named
from parity.operands import BROADCASTS, DTYPES, FLOATING, INTEGRAL, NUMBERS, ZERO_D, grids, pairs
from parity.suite import Row


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | operands.namespace()


# The most telling tensor of every dtype.
_FROM = {dtype: f"special({dtype})" for dtype in FLOATING.split()} | {
    dtype: f"extremes({dtype})" for dtype in f"{INTEGRAL} uint32 bool".split()
}

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
SHIFTS = ("bitwise_left_shift", "bitwise_right_shift")
EXTREMES = ("maximum", "minimum", "fmax", "fmin")

PROMOTION = (
    *pairs("eq", "torch.eq(few({0}), fewer({1}))"),
    *(
        row
        for op in (*COMPARISONS[1:], *LOGICAL, *BITWISE, *SHIFTS, *EXTREMES, "copysign")
        for row in pairs(op, f"torch.{op}(few({{0}}), fewer({{1}}))", sparse=True)
    ),
)

WITH_NUMBERS = (
    *(
        row
        for op in ("eq", "lt", "ge")
        for row in cross(
            op,
            f"torch.{op}(few({{dtype}}), {{other}})",
            dtype=named(DTYPES),
            other=NUMBERS | ZERO_D
            if op == "eq"
            else operands.some(NUMBERS, "true", "minus3", "300", "0.5", "nan")
            | operands.some(ZERO_D, "0d-float64", "0d-int64"),
        )
    ),
    *(
        row
        for op in (*BITWISE, *SHIFTS, "copysign")
        for row in cross(
            op,
            f"torch.{op}(few({{dtype}}), {{other}})",
            dtype=named(DTYPES if op == "copysign" else f"{INTEGRAL} bool uint32 float32"),
            other=operands.some(NUMBERS, "true", "minus3", "300")
            | operands.some(ZERO_D, "0d-float64", "0d-int8"),
        )
    ),
    *(
        row
        for op in ("maximum", "minimum", "fmax", "logical_and", "logical_xor")
        for row in cross(
            op,
            f"torch.{op}({{order}})",
            prefix="with",
            dtype=named("float32 float16 int8 uint8 bool uint32"),
            other=ZERO_D,
            order={"": "few({dtype}), {other}", "swapped": "{other}, few({dtype})"},
        )
    ),
)

SPECIAL = (
    *(
        row
        for op in (*COMPARISONS, *LOGICAL, *EXTREMES, "copysign", "heaviside", "isclose")
        for row in grids(op, f"torch.{op}({{0}}, {{1}})", FLOATING)
    ),
    *(
        row
        for op in (*COMPARISONS[1:4], *BITWISE, *EXTREMES[:2], "heaviside", "isclose")
        for row in grids(op, f"torch.{op}({{0}}, {{1}})", f"{INTEGRAL} uint32")
    ),
    *(
        Row(f"{op}/places-{dtype}", f"torch.{op}(column(extremes({dtype})), places({dtype}))")
        for op in SHIFTS
        for dtype in INTEGRAL.split()
    ),
    *(
        Row(
            f"{op}/places-{dtype}-vector",
            f"torch.{op}(ramp(67, {dtype}), many_places(67, {dtype}))",
        )
        for op in SHIFTS
        for dtype in INTEGRAL.split()
    ),
    *(
        Row(
            f"{op}/{dtype}",
            f"torch.{op}(column(moderate({dtype})), moderate({dtype}))",
        )
        for op in ("gcd", "lcm")
        for dtype in (*INTEGRAL.split(), "bool", "uint32", "float32")
    ),
    # The smallest value has no magnitude. Of 32 bits and more, its lcm ends PyTorch's process.
    *(
        Row(f"gcd/extremes-{dtype}", f"torch.gcd(column(extremes({dtype})), extremes({dtype}))")
        for dtype in INTEGRAL.split()
    ),
)

UNARY = (
    "abs neg positive sign sgn signbit floor ceil trunc round frac isnan isinf isfinite isposinf "
    "isneginf nan_to_num logical_not bitwise_not"
).split()

OF_ONE = (
    *(
        row
        for op in UNARY
        for row in cross(
            op,
            f"torch.{op}({{layout}}({{values}}({{dtype}}).reshape(3, 4)))",
            dtype=named(FLOATING),
            values={"": "special", "plain": "plain", "halves": "halves"},
            layout=named("contiguous transposed stepped"),
        )
    ),
    *(
        row
        for op in UNARY
        for row in cross(
            op,
            f"torch.{op}({{layout}}({{values}}({{dtype}})))",
            dtype=named(f"{INTEGRAL} uint32 bool"),
            values={"": "extremes", "few": "few"},
            layout=named("contiguous stepped"),
        )
    ),
    *(
        Row(f"{op}/{what}-{dtype}", f"torch.{op}({tensor.format(dtype)})")
        for op in UNARY
        for dtype in ("float16", "int32", "bool")
        for what, tensor in {
            "empty": "torch.zeros(2, 0, dtype={0})",
            "0d": "torch.ones((), dtype={0})",
        }.items()
    ),
    *(
        Row(f"{op}/long-{dtype}", f"torch.{op}(halves({dtype}, {n}))")
        for op in ("abs", "neg", "sign", "floor", "ceil", "trunc", "round", "frac")
        for dtype, n in operands.some(operands.LONG, "float32", "float16").items()
    ),
    Row("absolute/alias", "torch.absolute(row(-1.5, 2.0))"),
    Row("negative/alias", "torch.negative(row(-1.5, 2.0))"),
    Row("fix/alias", "torch.fix(row(-1.5, 2.5))"),
    Row("neg/operator", "-row(-1.5, 0.0)"),
    Row("abs/builtin", "abs(row(-1.5, 0.0))"),
    Row("positive/operator", "+row(-1.5, 0.0)"),
    Row("bitwise_not/operator", "~row(0, -1, 5, dtype=int8)"),
    Row("abs/in-place", "row(-1.5, 2.0).abs_()"),
    Row("neg/in-place", "row(-1.5, 2.0).neg_()"),
)

ROUNDING = (
    *cross(
        "round",
        "torch.round({values}({dtype}), decimals={decimals})",
        prefix="decimals",
        dtype=named(FLOATING),
        values=named("special plain halves cents"),
        decimals={"0": "0", "1": "1", "2": "2", "5": "5", "minus1": "-1", "minus3": "-3"},
    ),
    *(
        Row(f"round/decimals-{name}-{dtype}", f"torch.round(cents({dtype}), decimals={decimals})")
        for dtype in FLOATING.split()
        for name, decimals in {
            "22": 22,
            "23": 23,
            "38": 38,
            "39": 39,
            "210": 210,
            "308": 308,
            "309": 309,
            "minus23": -23,
            "minus39": -39,
            "minus210": -210,
            "minus309": -309,
        }.items()
    ),
    *(
        Row(f"round/decimals-{decimals}-{dtype}", f"torch.round(few({dtype}), decimals={decimals})")
        for dtype in ("int64", "uint8", "bool", "uint32")
        for decimals in (0, 2)
    ),
    *(
        Row(f"round/long-decimals-{dtype}", f"torch.round(cents({dtype}, 35), decimals=1)")
        for dtype in FLOATING.split()
    ),
    *(
        Row(f"nan_to_num/{name}-{dtype}", f"torch.nan_to_num({_FROM[dtype]}, {arguments})")
        for dtype in (*FLOATING.split(), "int8", "bool")
        for name, arguments in {
            "nan": "0.1",
            "nan-int": "3",
            "all": "nan=1.0, posinf=2.0, neginf=-3.0",
            "posinf": "posinf=1e30",
            "overflow": "1e39, 1e39, -1e39",
            "nan-to-nan": "nan=nan, posinf=nan, neginf=inf",
        }.items()
    ),
    *(Row(f"frexp/{dtype}", f"torch.frexp({tensor})") for dtype, tensor in _FROM.items()),
    *(Row(f"frexp/plain-{dtype}", f"torch.frexp(plain({dtype}))") for dtype in FLOATING.split()),
)

_BOUNDS = {
    "0-1": "0, 1",
    "half": "-0.5, 0.5",
    "crossed": "2, 1",
    "min": "min=1",
    "max": "max=1",
    "min-half": "min=0.5",
    "minus-zeros": "-0.0, -0.0",
    "zeros": "0.0, 0.0",
    "nan-min": "nan, 1",
    "nan-max": "0, nan",
    "nan-both": "nan, nan",
    "nan-only": "min=nan",
    "infinite": "-inf, inf",
    "bools": "False, True",
    "none-first": "None, 2",
    "fits-not-max": "max=300",
    "fits-not-min": "min=-300",
    "fits-not-both": "-300, 70000",
    "below-all": "max=-40000",
    "above-all": "min=70000",
    "beyond-int32": "min=2**40",
    "beyond-float32": "max=1e39",
    "nan-and-too-large": "nan, 1e39",
}

CLAMP = (
    *cross(
        "clamp",
        "{values}({dtype}).clamp({bounds})",
        dtype=named(DTYPES),
        bounds=_BOUNDS,
        values={"": "few"},
    ),
    *cross(
        "clamp",
        "special({dtype}).clamp({bounds})",
        prefix="special",
        dtype=named(FLOATING),
        bounds=operands.some(
            _BOUNDS, "0-1", "crossed", "min", "max", "minus-zeros", "zeros", "nan-min", "infinite"
        ),
    ),
    *(
        row
        for op in ("clamp_min", "clamp_max")
        for row in cross(
            op,
            f"few({{dtype}}).{op}({{bound}})",
            dtype=named(DTYPES),
            bound={
                "1": "1",
                "half": "0.5",
                "nan": "nan",
                "true": "True",
                "70000": "70000",
                "minus300": "-300",
            },
        )
    ),
    *cross(
        "clamp",
        "{layout}(special({dtype})).clamp({bounds})",
        prefix="tensors",
        dtype=named(FLOATING),
        layout=named("contiguous stepped transposed"),
        bounds={
            "both": "row(0.0, -0.0, 1, nan, -1, 5, 0, -0.0, 1, 1, 1, 1, dtype={dtype}), "
            "row(-0.0, 0.0, 2, 1, nan, 1, 1, 0.0, 0, 9, inf, 1, dtype={dtype})",
            "min": "min=row(0.0, -0.0, 1, nan, -1, 5, 0, -0.0, 1, 1, 1, 1, dtype={dtype})",
            "max": "max=row(0.0, -0.0, 1, nan, -1, 5, 0, -0.0, 1, 1, 1, 1, dtype={dtype})",
        },
    ),
    *(
        Row(f"clamp/tied-zeros-{what}-{dtype}", f"torch.clamp({arguments.format(dtype)})")
        for dtype in FLOATING.split()
        for what, arguments in {
            "min": "torch.full((35,), -0.0, dtype={0}), min=torch.full((35,), 0.0, dtype={0})",
            "max": "torch.full((35,), 0.0, dtype={0}), max=torch.full((35,), -0.0, dtype={0})",
            "both": "torch.full((35,), 0.0, dtype={0}), torch.full((35,), -0.0, dtype={0}), "
            "torch.full((35,), -0.0, dtype={0})",
            "rows": "torch.full((2, 35), -0.0, dtype={0}), torch.full((35,), 0.0, dtype={0}), "
            "torch.full((2, 35), 0.0, dtype={0})",
            "columns": "torch.full((2, 35), -0.0, dtype={0}), torch.full((2, 1), 0.0, dtype={0}), "
            "torch.full((2, 35), 0.0, dtype={0})",
        }.items()
    ),
    *(
        Row(f"clamp/{one}-{two}-{three}", f"few({one}).clamp(fewer({two}), few({three}))")
        for one, two, three in (
            ("int8", "int32", "uint8"),
            ("int8", "float16", "int64"),
            ("float16", "bfloat16", "float16"),
            ("uint8", "int8", "bool"),
            ("bool", "bool", "bool"),
            ("bool", "int8", "bool"),
            ("uint32", "uint32", "uint32"),
            ("uint32", "int32", "uint32"),
            ("uint32", "float32", "bool"),
            ("int64", "int64", "int64"),
        )
    ),
    Row("clamp/bool-max-tensor", "few(bool).clamp(max=fewer(bool))"),
    Row("clamp/nothing", "row(1, 2).clamp()"),
    Row("clamp/none-none", "row(1, 2).clamp(None, None)"),
    Row("clamp/int8-by-0d-float", "few(int8).clamp(min=torch.tensor(0.5))"),
    Row("clamp/float16-by-0d-float64", "few(float16).clamp(min=torch.tensor(1.1, dtype=float64))"),
    Row("clamp/0d-by-vector", "torch.tensor(1.0).clamp(row(0, 2))"),
    Row("clamp/shapes-differ-min", "row(1, 2).clamp(row(1, 2, 3), row(1, 2))"),
    Row("clamp/shapes-differ-max", "row(1, 2).clamp(row(1, 2), row(1, 2, 3))"),
    Row("clamp/bounds-differ", "row(1).clamp(row(1, 2), row(1, 2, 3))"),
    Row("clamp/empty-int8-too-large", "torch.zeros(0, dtype=int8).clamp(min=300)"),
    Row("clamp/empty-float16-too-large", "torch.zeros(0, dtype=float16).clamp(min=70000)"),
    Row("clamp/in-place", "row(1, -2, 3).clamp_(0, 2)"),
    Row("clamp/0d", "torch.tensor(3).clamp(0.5, 2)"),
    Row("clip/alias", "row(1, -2, 3).clip(0, 2)"),
    Row("clamp_min/tensor", "special(float32).clamp_min(special(float32).flip(0))"),
    Row("clamp_max/tensor", "special(float32).clamp_max(special(float32).flip(0))"),
    Row("clamp_max/tensor-promotes", "few(int8).clamp_max(fewer(float16))"),
    Row("clamp_min/tensor-shapes-differ", "row(1, 2).clamp_min(row(1, 2, 3))"),
)

LERP = (
    *cross(
        "lerp",
        "torch.lerp({layout}(plain({dtype})), plain({dtype}).flip(0), {weight})",
        dtype=named(f"{FLOATING} int64 bool"),
        weight={
            "0.3": "0.3",
            "0.5": "0.5",
            "0.7": "0.7",
            "minus0.2": "-0.2",
            "minus3": "-3",
            "1": "1",
            "true": "True",
            "nan": "nan",
            "inf": "inf",
            "1e39": "1e39",
            "70000": "70000.0",
            "0d": "torch.tensor(0.3)",
            "0d-float64": "torch.tensor(0.3, dtype=float64)",
            "0d-int": "torch.tensor(1)",
            "tensor": "weights({dtype})",
        },
        layout={"": "contiguous", "stepped": "stepped"},
    ),
    *(
        Row(
            f"lerp/long-{what}-{dtype}",
            f"torch.lerp(waves(1, {n}, {dtype}), waves(2, {n}, {dtype}), "
            f"{weight.format(n, dtype)})",
        )
        for dtype, n in operands.LONG.items()
        for what, weight in {
            "number": "0.3",
            "large": "0.8",
            "tensor": "waves(3, {0}, {1})",
        }.items()
    ),
    *(
        Row(
            f"lerp/special-{dtype}", f"torch.lerp(column(special({dtype})), special({dtype}), 0.25)"
        )
        for dtype in FLOATING.split()
    ),
    *(
        Row(
            f"lerp/special-weights-{dtype}",
            f"torch.lerp(row(1, -2, dtype={dtype}), row(3, 4, dtype={dtype}), "
            f"column(special({dtype})))",
        )
        for dtype in FLOATING.split()
    ),
    # Vector and scalar code put a minus sign to different factors.
    *(
        Row(f"lerp/signed-zero-{what}-{dtype}", f"torch.lerp({call.format(n, dtype)})")
        for dtype, n in operands.LONG.items()
        for what, call in {
            "tensor": "torch.full(({0},), 3.0, dtype={1}), torch.full(({0},), -0.0, dtype={1}), "
            "torch.ones({0}, dtype={1})",
            "number": "torch.full(({0},), -3.0, dtype={1}), torch.full(({0},), -0.0, dtype={1}), 1",
        }.items()
    ),
    Row("lerp/signed-zero-stepped", "torch.lerp(stepped(torch.ones(17)), -torch.zeros(17), 1)"),
    Row("lerp/end-of-other-dtype", "row(1, 2).lerp(row(3, 4, dtype=float64), 0.5)"),
    Row("lerp/weight-of-other-dtype", "row(1, 2).lerp(row(3, 4), row(1, 1, dtype=float64))"),
    Row("lerp/half-and-bfloat16", "few(float16).lerp(few(bfloat16), 0.5)"),
    *(
        Row(f"lerp/{one}-and-{two}", f"few({one}).lerp(few({two}), 0.5)")
        for one, two in (
            ("int64", "int32"),
            ("int16", "int8"),
            ("uint8", "bool"),
            ("uint32", "int64"),
            ("bool", "uint32"),
        )
    ),
    Row("lerp/0d-float64-end", "row(1, 2).lerp(torch.tensor(3.0, dtype=float64), 0.5)"),
    Row("lerp/0d-end", "row(1, 2).lerp(torch.tensor(3.0), 0.5)"),
    Row(
        "lerp/all-0d", "torch.tensor(1.0).lerp(torch.tensor(2.0), torch.tensor(0.1, dtype=float64))"
    ),
    Row("lerp/0d-and-weights", "torch.tensor(1.0).lerp(torch.tensor(2.0), row(0.25, 0.5, 0.75))"),
    Row("lerp/end-shape-differs", "row(1, 2).lerp(row(1, 2, 3), 0.5)"),
    Row("lerp/weight-shape-differs", "row(1, 2).lerp(row(1, 2), row(1, 2, 3))"),
    Row("lerp/both-shapes-differ", "row(1, 2).lerp(row(1, 2, 3), row(1, 2, 3, 4))"),
    Row("lerp/int-shapes-differ", "few(int32).lerp(row(1, 2, dtype=int32), 0.5)"),
    Row("lerp/int-with-0d-float", "few(int32).lerp(fewer(int32), torch.tensor(0.5))"),
    Row("lerp/int-with-0d-int", "few(int32).lerp(fewer(int32), torch.tensor(1))"),
    Row("lerp/int-tensors", "few(int32).lerp(fewer(int32), few(int32))"),
    Row("lerp/broadcast", "torch.lerp(row(1, 2, 3), column(row(4, 5)), row(0.25))"),
    Row("lerp/empty", "torch.lerp(torch.zeros(0), torch.zeros(0), 0.5)"),
    Row("lerp/empty-1e39", "torch.lerp(torch.zeros(0), torch.zeros(0), 1e39)"),
    Row("lerp/in-place", "row(1, 2).lerp_(row(3, 5), 0.25)"),
)

_VALUES = {
    "": "",
    "0.3": ", value=0.3",
    "2": ", value=2",
    "minus1.5": ", value=-1.5",
    "true": ", value=True",
    "0": ", value=0",
    "300": ", value=300",
    "1e39": ", value=1e39",
    "70000": ", value=70000.0",
}

ADDC = (
    *(
        row
        for op in ("addcmul", "addcdiv")
        for row in cross(
            op,
            f"torch.{op}(plain({{dtype}}), {{layout}}(plain({{dtype}})), "
            f"weights({{dtype}}){{value}})",
            dtype=named(DTYPES if op == "addcmul" else f"{FLOATING} int32 bool"),
            value=_VALUES
            if op == "addcmul"
            else operands.some(_VALUES, "", "0.3", "minus1.5", "true", "1e39"),
            layout={"": "contiguous", "stepped": "stepped"},
        )
    ),
    *(
        Row(
            f"{op}/long-{name or 'one'}-{dtype}",
            f"torch.{op}(waves(1, {n}, {dtype}), waves(2, {n}, {dtype}), waves(3, {n}, "
            f"{dtype}){value})",
        )
        for op in ("addcmul", "addcdiv")
        for dtype, n in operands.LONG.items()
        for name, value in operands.some(_VALUES, "", "0.3").items()
    ),
    *(
        Row(
            f"{op}/special-{dtype}",
            f"torch.{op}(row(1, inf, -0.0, dtype={dtype})[:, None, None], "
            f"column(special({dtype})), row(0.0, -2, inf, dtype={dtype}), value=-2)",
        )
        for op in ("addcmul", "addcdiv")
        for dtype in FLOATING.split()
    ),
    *(
        Row(
            f"{op}/{one}-{two}-{three}",
            f"torch.{op}(few({one}), few({two}), fewer({three}), value=2)",
        )
        for op in ("addcmul", "addcdiv")
        for one, two, three in (
            ("float32", "float16", "float64"),
            ("float16", "bfloat16", "int8"),
            ("int32", "float32", "int8"),
            ("int32", "int8", "float16"),
            ("float32", "int32", "bool"),
            ("int8", "uint8", "bool"),
            ("bool", "int8", "int8"),
            ("bool", "bool", "bool"),
            ("uint32", "uint32", "float32"),
            ("uint32", "int32", "int32"),
            ("bool", "uint32", "bool"),
        )
    ),
    Row(
        "addcmul/fused-where-the-product-overflows",
        "torch.addcmul(torch.full((40,), -2.0**127, dtype=bfloat16), torch.full((40,), "
        "2.0**64, dtype=bfloat16), torch.full((40,), 2.0**64, dtype=bfloat16))",
    ),
    Row(
        "addcmul/0d-float64",
        "torch.addcmul(row(1, 2), torch.tensor(2.0, dtype=float64), torch.tensor(3))",
    ),
    Row("addcmul/int-value-1.5", "torch.addcmul(few(int32), few(int32), few(int32), value=1.5)"),
    Row(
        "addcmul/int32-value-overflows",
        "torch.addcmul(few(int32), few(int32), few(int32), value=2**31)",
    ),
    Row(
        "addcmul/int64-wraps",
        "torch.addcmul(extremes(int64), extremes(int64), extremes(int64), value=3)",
    ),
    Row(
        "addcmul/int8-wraps",
        "torch.addcmul(extremes(int8), extremes(int8), extremes(int8), value=3)",
    ),
    Row("addcmul/shape1-differs", "row(1, 2).addcmul(row(1, 2, 3), row(1, 2))"),
    Row("addcmul/shape2-differs", "row(1, 2).addcmul(row(1, 2), row(1, 2, 3))"),
    Row("addcdiv/shape2-differs", "row(1, 2).addcdiv(row(1, 2), row(1, 2, 3))"),
    Row("addcdiv/ints-of-other-shape", "row(1, 2).addcdiv(few(int8), row(1, 2, dtype=int8))"),
    Row("addcmul/broadcast", "torch.addcmul(row(1, 2, 3), column(row(4, 5)), row(0.25))"),
    Row("addcdiv/broadcast", "torch.addcdiv(row(1, 2, 3), column(row(4, 5)), row(0.25))"),
    Row("addcmul/empty", "torch.addcmul(torch.zeros(0, 3), row(1), row(1, 2, 3))"),
    Row("addcmul/empty-bool", "torch.addcmul(*[torch.zeros(0, dtype=bool)] * 3)"),
    Row("addcmul/empty-1e39", "torch.addcmul(*[torch.zeros(0)] * 3, value=1e39)"),
    Row("addcmul/in-place", "row(1, 2).addcmul_(row(3, 5), row(0.5, 2))"),
    Row("addcdiv/in-place", "row(1, 2).addcdiv_(row(3, 5), row(0.5, 2), value=0.5)"),
)

CLOSE = (
    *cross(
        "isclose",
        "torch.isclose({layout}(near({dtype})[0]), near({dtype})[1]{tolerance})",
        prefix="near",
        dtype=named(DTYPES),
        tolerance={
            "": "",
            "exact": ", rtol=0, atol=0",
            "atol": ", rtol=0, atol=1",
            "rtol": ", rtol=0.25, atol=0",
            "nan": ", equal_nan=True",
            "half": ", rtol=0, atol=0.5",
            "inf": ", rtol=0, atol=inf",
        },
        layout={"": "contiguous", "stepped": "stepped"},
    ),
    *(
        Row(f"{op}/{what}", f"torch.{op}({arguments})")
        for op in ("isclose", "allclose")
        for what, arguments in {
            "dtypes-differ": "row(1, 2), row(1, 2, dtype=float64)",
            "dtypes-and-shapes-differ": "row(1, 2), row(1, 2, 3, dtype=float16)",
            "shapes-differ": "row(1, 2), row(1, 2, 3)",
            "negative-rtol": "row(1, 2), row(1, 2), rtol=-1",
            "negative-atol": "row(1, 2), row(1, 2), atol=-0.5",
            "negative-both": "row(1, 2), row(1, 2), rtol=-1e-5, atol=-0.5",
            "negative-and-shapes-differ": "row(1, 2), row(1, 2, 3), atol=-123456.789",
            "nan-rtol": "row(1, 2), row(1, 2), rtol=nan",
            "large-negative": "row(1, 2), row(1, 2), rtol=-1234567.0",
            "infinite-negative": "row(1, 2), row(1, 2), atol=-inf",
            "nan": "row(1, nan), row(1, nan)",
            "equal-nan": "row(1, nan), row(1, nan), equal_nan=True",
            "equal-nan-exact": "row(1, nan), row(1, nan), 0, 0, True",
            "infinities": "row(inf, -inf, inf), row(inf, inf, 1)",
            "infinite-rtol": "row(1, 2), row(0, 5), rtol=inf",
            "broadcast": "row(1, 1), column(row(1, 1.00001))",
            "empty": "torch.zeros(0), torch.zeros(0)",
            "0d": "torch.tensor(1.0), torch.tensor(1.000001)",
            "0d-vector": "torch.tensor(1), row(1, 2, dtype=int64)",
            "int64-beyond-float32": "row(2**62 + 1, dtype=int64), row(2**62, dtype=int64), "
            "rtol=0, atol=0.5",
            "bools": "few(bool), fewer(bool), rtol=0, atol=2",
        }.items()
    ),
    *(Row(f"allclose/{dtype}", f"torch.allclose(*near({dtype}))") for dtype in DTYPES.split()),
    *(
        Row(f"allclose/same-{dtype}", f"torch.allclose(few({dtype}), few({dtype}))")
        for dtype in DTYPES.split()
    ),
    *pairs("equal", "torch.equal(few({0}), few({1}))", sparse=True),
    *(
        Row(f"equal/{what}", f"torch.equal({arguments})")
        for what, arguments in {
            "nan": "row(1, nan), row(1, nan)",
            "zeros": "row(0.0, 1), row(-0.0, 1)",
            "shapes-differ": "row(1, 2), row(1, 2, 3)",
            "shapes-differ-uint32": "few(uint32), row(1, 2, dtype=int32)",
            "broadcastable": "row(1, 1), row(1)",
            "transposed": "torch.eye(3).t(), torch.eye(3)",
            "empty": "torch.zeros(2, 0), torch.zeros(2, 0)",
            "empty-other": "torch.zeros(2, 0), torch.zeros(0, 2)",
            "empty-uint32": "torch.zeros(0, dtype=uint32), torch.zeros(0, dtype=int32)",
            "0d": "torch.tensor(2), torch.tensor(2.0)",
            "0d-vector": "torch.tensor(2), row(2, dtype=int64)",
            "int64-in-float64": "row(2**53 + 1, dtype=int64), row(2.0**53, dtype=float64)",
            "int32-in-float32": "row(2**24 + 1, dtype=int32), row(2.0**24)",
            "stepped": "stepped(few(int8)), few(int8)",
        }.items()
    ),
)

COMPARING = (
    *(
        Row(f"{op}/{what}", f"torch.{op}({arguments})")
        for op in ("eq", "lt")
        for what, arguments in {
            "int64-float": "row(2**53 + 1, dtype=int64), 2.0**53",
            "int64-float-in-float32": "row(2**24 + 1, dtype=int64), 16777216.5",
            "tenth-float32": "row(0.1), 0.1",
            "tenth-float16": "row(0.1, dtype=float16), 0.1",
            "uint8-wrapped-number": "row(1, 255, dtype=uint8), 257",
            "uint8-minus-1": "row(1, 255, dtype=uint8), -1",
            "int8-200": "row(1, -56, dtype=int8), 200",
            "truths-and-2": "few(bool), 2",
            "uint32-and-int32-of-other-shape": "few(uint32), row(1, 2, dtype=int32)",
            "shapes-differ": "row(1, 2), row(1, 2, 3)",
        }.items()
    ),
    *(
        Row(f"{alias}/alias", f"torch.{alias}(row(1, 2, 3), row(3, 2, 1))")
        for alias in ("not_equal", "less", "less_equal", "greater", "greater_equal")
    ),
    *(
        Row(f"{op}/operator-{dtype}", f"few({dtype}) {symbol} fewer({dtype})")
        for op, symbol in {
            "eq": "==",
            "ne": "!=",
            "lt": "<",
            "le": "<=",
            "gt": ">",
            "ge": ">=",
            "bitwise_and": "&",
            "bitwise_or": "|",
            "bitwise_xor": "^",
            "bitwise_left_shift": "<<",
            "bitwise_right_shift": ">>",
        }.items()
        for dtype in ("int16", "bool", "uint32")
    ),
    Row("bitwise_left_shift/number-first", "2 << few(int32)"),
    Row("bitwise_right_shift/number-first", "200 >> few(int8)"),
    Row("bitwise_and/number-first", "3 & few(int32)"),
    Row("bitwise_or/number-first-function", "torch.bitwise_or(3, few(int32))"),
    Row("bitwise_xor/in-place", "few(int32).bitwise_xor_(3)"),
    *(
        row
        for op in ("lt", "maximum", "fmin", "logical_or", "bitwise_xor", "copysign", "heaviside")
        for row in (
            Row(f"{op}/shapes-{name}", f"torch.{op}({one}, {two})".format(dtype))
            for dtype in ["int16" if op == "bitwise_xor" else "float32"]
            for name, (one, two) in BROADCASTS.items()
        )
    ),
    *(
        row
        for op in ("ne", "maximum", "logical_and", "bitwise_or", "copysign", "isclose")
        for row in cross(
            op,
            f"torch.{op}({{layout}}(square({{dtype}})), {{layout2}}(square({{dtype}}).t()))",
            prefix="layouts",
            dtype=named("int16 uint8 bool" if op == "bitwise_or" else "float32 bfloat16 int16"),
            layout=named("contiguous transposed narrowed stepped expanded"),
            layout2=named("contiguous transposed narrowed stepped expanded"),
        )
    ),
    *(
        Row(f"heaviside/{one}-{two}", f"torch.heaviside(few({one}), fewer({two}))")
        for one, two in (
            ("float32", "float64"),
            ("int32", "int64"),
            ("bool", "bool"),
            ("uint32", "uint32"),
            ("uint8", "uint8"),
        )
    ),
    Row(
        "heaviside/dtypes-and-shapes-differ", "torch.heaviside(few(int32), row(1, 2, dtype=int64))"
    ),
    Row(
        "heaviside/empty-uint32",
        "torch.heaviside(torch.zeros(0, dtype=uint32), torch.zeros(0, dtype=uint32))",
    ),
    *(
        Row(
            f"{op}/empty-{one}-{two}",
            f"torch.{op}(torch.zeros(0, dtype={one}), torch.zeros(0, dtype={two}))",
        )
        for op in (
            "lt",
            "logical_and",
            "bitwise_and",
            "bitwise_left_shift",
            "maximum",
            "copysign",
            "gcd",
        )
        for one, two in (
            ("float32", "int8"),
            ("uint32", "uint32"),
            ("uint32", "int8"),
            ("bool", "bool"),
        )
    ),
    *(
        Row(
            f"{op}/tied-zeros-{n}-{dtype}",
            f"torch.{op}(torch.full(({n},), {a}, dtype={dtype}), torch.full(({n},), {b}, "
            f"dtype={dtype}))",
        )
        for op, a, b in (
            ("maximum", "0.0", "-0.0"),
            ("minimum", "-0.0", "0.0"),
            ("fmax", "-0.0", "0.0"),
            ("fmin", "0.0", "-0.0"),
        )
        for dtype, lengths in (
            ("float32", (1, 15, 16, 17, 31, 32, 33)),
            ("float16", (31, 32, 33)),
            ("float64", (7, 8, 9)),
            ("bfloat16", (33,)),
        )
        for n in lengths
    ),
)

CONVERSIONS = (
    *(
        Row(f"to/{one}-{two}", f"{tensor}.to({two})")
        for one, tensor in _FROM.items()
        for two in DTYPES.split()
    ),
    *(
        Row(f"to/far-{one}-{two}", f"far({one}).to({two})")
        for one in FLOATING.split()
        for two in f"{INTEGRAL} uint32 bool".split()
    ),
    *(
        Row(f"to/far-stepped-{one}-{two}", f"stepped(far({one})).to({two})")
        for one in ("float64", "float32", "bfloat16")
        for two in ("int64", "int32", "int16", "uint32")
    ),
    *(
        Row(f"to/uint32-of-{n}-{dtype}", f"torch.full(({n},), {value}, dtype={dtype}).to(uint32)")
        for dtype, value in (
            ("float64", "5e9"),
            ("float32", "-3e9"),
            ("bfloat16", "nan"),
            ("float16", "-inf"),
        )
        for n in (1, 3, 4, 5, 7, 8, 9, 15, 16, 17)
    ),
    *(
        Row(f"to/uint32-{what}-{dtype}", f"{tensor.format(dtype)}.to(uint32)")
        for dtype in ("float64", "float32", "bfloat16")
        for what, tensor in {
            "narrowed": "narrowed(torch.full((2, 9), 5e9, dtype={0}))",
            "transposed": "transposed(torch.full((3, 9), 5e9, dtype={0}))",
            "expanded": "torch.full((2, 1), 5e9, dtype={0}).expand(2, 9)",
            "rows": "torch.full((9,), 5e9, dtype={0}).expand(2, 9)",
            "0d": "torch.tensor(5e9, dtype={0})",
        }.items()
    ),
    *(
        Row(f"to/rounding-{one}-{two}", f"close_to_ties({one}).to({two})")
        for one in ("float64", "float32", "int64", "int32", "uint32")
        for two in FLOATING.split()
        if one != two
    ),
    *(
        Row(f"to/method-{method}-{dtype}", f"{tensor}.{method}()")
        for method in "double float half bfloat16 long int short char byte bool".split()
        for dtype, tensor in (
            ("float32", "row(1.5, -2.5, 300, nan)"),
            ("int16", "row(-1, 256, 0, dtype=int16)"),
        )
    ),
    *cross(
        "to",
        "{layout}(square({one})).to({two})",
        prefix="layouts",
        one=named("float32 bfloat16 int32 uint8"),
        two=named("float64 float16 int8 uint32 bool"),
        layout=named("contiguous transposed permuted narrowed stepped expanded"),
    ),
    Row("to/type", "row(1.5).type(torch.int64)"),
    Row("to/python-type", "row(1.5).to(int)"),
    Row("to/same", "row(1.5).to(float32)"),
    Row("to/as-other", "row(1.5, -1).to(few(int8))"),
    Row("to/copy", "row(1.5, -1).to(float32, copy=True)"),
    Row("to/memory-format", "square(int8).t().to(float32, memory_format=torch.contiguous_format)"),
    Row("type_as/int8", "row(1.5, -1, 300).type_as(few(int8))"),
    Row("type_as/uint32", "row(5e9, -1, 300, 1.5, nan).type_as(few(uint32))"),
    Row("to/empty", "torch.zeros(0, 3).to(int8)"),
    *(Row(f"item/{dtype}", f"{tensor}[:1].item()") for dtype, tensor in _FROM.items()),
    *(Row(f"item/0d-{dtype}", f"torch.ones((), dtype={dtype}).item()") for dtype in DTYPES.split()),
    Row("item/1x1", "torch.ones(1, 1).item()"),
    Row("item/nan", "torch.tensor(nan).item()"),
    Row("item/minus-zero", "torch.tensor(-0.0).item()"),
    Row("item/two", "row(1, 2).item()"),
    Row("item/none", "torch.zeros(0).item()"),
    Row("item/matrix", "torch.zeros(2, 3).item()"),
    Row("item/stepped", "row(1, 2, 3)[1::2].item()"),
)

ROWS = (
    *PROMOTION,
    *WITH_NUMBERS,
    *SPECIAL,
    *OF_ONE,
    *ROUNDING,
    *CLAMP,
    *LERP,
    *ADDC,
    *CLOSE,
    *COMPARING,
    *CONVERSIONS,
)

SUITE = parity.suite.Suite("pointwise", "python/pointwise.py", ROWS, namespace)
