"""Suite `elementary`: exponentials, logarithms, circular functions, powers and activations.

PyTorch computes whole vectors of a contiguous line with other functions than the rest of it, so
lengths around the vectors' widths and gapped layouts show which element meets which. Run
`python/generate.py --only elementary`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.cross import cross, named, needs_floats
from parity.suite import Row
from parity.tensors import unrecorded

import torch


@unrecorded
def spread(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values times 6: both tails of a sigmoid."""
    return (tensors.ordinary(*shape, dtype=torch.float64) * 6).to(dtype)


@unrecorded
def angles(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values times 100."""
    return (tensors.ordinary(*shape, dtype=torch.float64) * 100).to(dtype)


@unrecorded
def special(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Zeros, infinities, NaN, ones, the ends of the dtype, and halves."""
    ends = torch.finfo(dtype)
    values = [0.0, -0.0, tensors.INF, -tensors.INF, tensors.NAN, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0]
    values += [ends.tiny, -ends.tiny, ends.tiny / 4, -ends.tiny / 4, ends.max, ends.min]
    values += [ends.eps, -ends.eps, 1 + ends.eps, 1 - ends.eps / 2]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


@unrecorded
def edges(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Arguments at which exponentials overflow and underflow, and huge angles."""
    values = [88.5, 88.75, 89.0, 89.25, 90.0, -87.0, -88.0, -103.5, -104.0, -104.5, 127.5, 128.0]
    values += [-149.0, -149.5, -150.5, 11.0, 11.5, -17.5, 20.0, 1e4, 3e4, 709.5, 710.0, 710.5]
    values += [-708.5, -745.0, -746.0, 1023.5, 1024.0, -1074.5, -1075.5, 1e10, 3e22, 1.5e38, -1e38]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


@unrecorded
def corners(first: bool, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """The first or the second of every pair of special operands."""
    values = (0.0, -0.0, tensors.INF, -tensors.INF, tensors.NAN, 1.0, -1.0, 0.5, -2.5, 3.0, -2.0)
    pairs = [(x, y)[0 if first else 1] for x in values for y in values]
    return torch.tensor(pairs, dtype=dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | {
        "spread": spread,
        "angles": angles,
        "special": special,
        "edges": edges,
        "corners": corners,
        "a": tensors.ordinary(2, 3),
        "ints": torch.tensor([[1, 2, 3], [-1, -2, 0]]),
        "flags": torch.tensor([[True, False, True], [False, False, True]]),
        "u8": torch.tensor([0, 1, 2, 3, 5, 255], dtype=torch.uint8),
        "u": torch.tensor([[1, 0, 2], [4294967295, 1, 7]], dtype=torch.uint32),
        "none": torch.zeros(0, 3),
    }


# Functions that make floats of integers, and where they are at home.
FUNCTIONS = {
    "exp": "spread",
    "exp2": "spread",
    "expm1": "spread",
    "log": "positive",
    "log1p": "positive",
    "log2": "positive",
    "log10": "positive",
    "sin": "angles",
    "cos": "angles",
    "tan": "angles",
    "asin": "ordinary",
    "acos": "ordinary",
    "atan": "spread",
    "sinh": "spread",
    "cosh": "spread",
    "tanh": "ordinary",
    "sigmoid": "spread",
    "logit": "positive",
    "sqrt": "positive",
    "rsqrt": "positive",
    "reciprocal": "ordinary",
    "square": "ordinary",
    "erf": "ordinary",
    "erfc": "spread",
}
ACTIVATIONS = (
    "gelu silu softplus relu relu6 hardtanh leaky_relu elu selu celu hardsigmoid hardswish mish "
    "logsigmoid"
).split()

# How each is written, by its name or by the name of what it calls.
CALLS: dict[str, tuple[str, str]] = {
    **{name: (name, f"torch.{name}({{0}})") for name in FUNCTIONS},
    **{name: (name, f"F.{name}({{0}})") for name in ACTIVATIONS},
    "gelu-tanh": ("gelu", "F.gelu({0}, approximate='tanh')"),
    "softplus-beta": ("softplus", "F.softplus({0}, 2.5, 3.0)"),
    "leaky_relu-slope": ("leaky_relu", "F.leaky_relu({0}, 0.3)"),
    "elu-alpha": ("elu", "F.elu({0}, 0.7)"),
    "celu-alpha": ("celu", "F.celu({0}, 1.3)"),
    "hardtanh-bounds": ("hardtanh", "F.hardtanh({0}, -0.5, 0.25)"),
    "logit-eps": ("logit", "torch.logit({0}, 0.125)"),
    "pow-1.7": ("pow", "torch.pow({0}, 1.7)"),
    "pow-2": ("pow", "{0} ** 2"),
    "pow-3": ("pow", "{0} ** 3"),
    "pow--1": ("pow", "{0} ** -1.0"),
    "pow--2": ("pow", "{0} ** -2.0"),
    "pow-0.5": ("pow", "{0} ** 0.5"),
    "pow--0.5": ("pow", "{0} ** -0.5"),
    "pow-4": ("pow", "{0} ** 4.0"),
    "pow-of-2.5": ("pow", "2.5 ** {0}"),
}


def _row(call: str, what: str, argument: str) -> Row:
    op, form = CALLS[call]
    prefix = call.removeprefix(op).removeprefix("-")
    special_name = f"{prefix}-{what}" if prefix else what
    return Row(f"{op}/{special_name}", form.format(argument))


def _home(call: str) -> str:
    return FUNCTIONS.get(CALLS[call][0], "positive" if call.startswith("pow") else "spread")


DTYPES = "float64 float32 float16 bfloat16".split()

# Those that have two forms, of which a vector meets one and an element alone the other.
TWO_FORMS = (
    "exp2 sinh cosh sigmoid gelu gelu-tanh silu softplus elu mish pow-1.7 pow-of-2.5 "
    "expm1 log1p logsigmoid"
).split()
# What overflows or has huge arguments in other types than float32.
STEEP = "exp exp2 expm1 sinh cosh sin cos tan sigmoid softplus gelu mish elu selu pow-1.7".split()

# Every function in every float type, over its special values and in one ordinary row that is
# longer than a pair of its vectors.
ORDINARY = tuple(
    _row(call, f"{dtype}-{name}", argument.format(dtype=dtype))
    for call in CALLS
    for dtype in DTYPES
    for name, argument in (
        ("special", "special(dtype={dtype})"),
        ("edges", "edges(dtype={dtype})"),
        (
            "row",
            f"{_home(call)}({33 if '16' in dtype and call in TWO_FORMS else 17}, dtype={{dtype}})",
        ),
    )
    if name != "edges" or dtype == "float32" or (dtype != "float16" and call in STEEP)
)

# At the lengths around a pair of vectors.
LENGTHS = tuple(
    _row(call, f"{dtype}-length-{length}", f"{_home(call)}({length}, dtype={dtype})")
    for call in TWO_FORMS
    for dtype, lengths in (
        ("float32", (1, 7, 8, 15, 17, 33)),
        ("float64", (3, 7, 9)),
        ("bfloat16", (15, 31, 33)),
        ("float16", (31, 33)),
    )
    for length in lengths
)

LAYOUTS = named("transposed permuted narrowed stepped expanded")
CROSSED = tuple(
    Row(row.tail, row.expression, row.tags, row.note)
    for call in CALLS
    for row in cross(
        CALLS[call][0],
        CALLS[call][1].format("{layout}({values}({shape}, dtype={dtype}))"),
        prefix=call.removeprefix(CALLS[call][0]).removeprefix("-"),
        unless=needs_floats,
        layout=LAYOUTS,
        # Only where the end of a line is scalar does its length show.
        shape={"2x17": "2, 17", "": "2, 3, 2"} if call in TWO_FORMS else {"": "2, 2, 2"},
        values=named(f"{_home(call)} tiny"),
        dtype=named("float32 float64 bfloat16") if call in TWO_FORMS else named("float32 float16"),
    )
)

INTEGERS = tuple(
    Row(f"{CALLS[call][0]}/{call.removeprefix(CALLS[call][0])[1:]}{name}".replace("/-", "/"), form)
    for call in (*FUNCTIONS, *ACTIVATIONS)
    for name, form in (
        ("int64", CALLS[call][1].format("ints")),
        ("int32", CALLS[call][1].format("ints.to(int32)")),
        ("uint8", CALLS[call][1].format("u8")),
        ("bool", CALLS[call][1].format("flags")),
        ("uint32", CALLS[call][1].format("u")),
        ("int16-empty", CALLS[call][1].format("none.to(int16)")),
        ("empty", CALLS[call][1].format("none")),
        ("scalar", CALLS[call][1].format("torch.tensor(0.75)")),
    )
)

# Two operands: both contiguous, one broadcast, one gapped; the line's end is scalar.
_PAIRS = {
    "row": "{x}(35, dtype={0}), {y}(35, dtype={0})",
    "length-7": "{x}(7, dtype={0}), {y}(7, dtype={0})",
    "rows": "{x}(2, 19, dtype={0}), {y}(19, dtype={0})",
    "columns": "{x}(19, 2, dtype={0}), {y}(19, 1, dtype={0})",
    "scalar": "{x}(35, dtype={0}), torch.tensor(1.75, dtype={0})",
    "of-scalar": "torch.tensor(1.75, dtype={0}), {y}(35, dtype={0})",
    "transposed": "transposed({x}(5, 7, dtype={0})), {y}(5, 7, dtype={0})",
    "both-transposed": "transposed({x}(5, 7, dtype={0})), transposed({y}(5, 7, dtype={0}))",
    "narrowed": "narrowed({x}(2, 17, dtype={0})), {y}(2, 17, dtype={0})",
    "stepped": "stepped({x}(35, dtype={0})), stepped({y}(35, dtype={0}))",
    "expanded": "expanded({x}(3, 17, dtype={0})), {y}(3, 17, dtype={0})",
    "corners": "corners(True, dtype={0}), corners(False, dtype={0})",
    "corners-stepped": "stepped(corners(True, dtype={0})), corners(False, dtype={0})",
    "empty": "none.to({0}), none.to({0})",
}
BINARY = tuple(
    Row(
        f"{op}/{name}-{dtype}",
        f"torch.{op}({operands.format(dtype, x=x, y='spread')})",
    )
    for op, x in (("pow", "positive"), ("atan2", "ordinary"), ("hypot", "ordinary"))
    for dtype in DTYPES
    for name, operands in _PAIRS.items()
    if dtype in ("float32", "bfloat16") or name in ("row", "corners", "narrowed", "length-7")
)

POWERS = tuple(
    Row(f"pow/{name}", expression)
    for name, expression in (
        ("int64-of-int64", "torch.pow(ints, torch.tensor([[3, 62, 40], [-3, 5, 0]]))"),
        ("int64-negative-powers", "torch.pow(ints, -ints)"),
        ("int64-minus-one-powers", "torch.pow(torch.full((4,), -1), torch.tensor([-1, -2, 3, 4]))"),
        ("int64-zero-to-negative", "torch.pow(torch.tensor([0, 0]), torch.tensor([-1, 0]))"),
        ("int64-smallest-power", "torch.pow(ints, torch.tensor(-(2**63)))"),
        ("int64-wraps", "torch.pow(torch.tensor([3, -3, 10]), 63)"),
        ("int32-wraps", "torch.pow(torch.tensor([3, -3, 10], dtype=int32), 31)"),
        ("int16-wraps", "torch.pow(torch.tensor([3, -3, 10], dtype=int16), 13)"),
        ("int8-wraps", "torch.pow(torch.tensor([3, -3, 10], dtype=int8), 5)"),
        ("uint8-wraps", "torch.pow(u8, 3)"),
        ("uint8-of-uint8", "torch.pow(u8, u8)"),
        (
            "int8-of-int8",
            "torch.pow(torch.tensor([2, -2, 3], dtype=int8), row(7, 7, -1, dtype=int8))",
        ),
        ("uint8-of-int8", "torch.pow(u8[:3], row(-1, 2, 9, dtype=int8))"),
        ("int64-0", "ints ** 0"),
        ("int64-1", "ints ** 1"),
        ("int64-2", "ints ** 2"),
        ("int64-true", "torch.pow(ints, True)"),
        ("int64-false", "torch.pow(ints, False)"),
        ("int64-minus-1", "ints ** -1"),
        ("int64-minus-1-empty", "torch.pow(none.to(int64), -1)"),
        ("int64-minus-1.0", "ints ** -1.0"),
        ("int64-0.5", "ints ** 0.5"),
        ("int64-2.0", "ints ** 2.0"),
        ("int64-1.0", "ints ** 1.0"),
        ("int64-0.0", "ints ** 0.0"),
        ("uint8-minus-1", "u8 ** -1"),
        ("uint8-300", "u8 ** 300"),
        ("uint8-1e30", "u8 ** 1e30"),
        ("int8-200", "ints.to(int8) ** 200"),
        ("int16-100000", "ints.to(int16) ** 100000"),
        ("bool-2", "flags ** 2"),
        ("bool-minus-1", "flags ** -1"),
        ("bool-0", "flags ** 0"),
        ("bool-2.0", "flags ** 2.0"),
        ("bool-true", "torch.pow(flags, True)"),
        ("bool-false", "torch.pow(flags, False)"),
        ("bool-of-bool", "torch.pow(flags, flags)"),
        ("uint32-2", "u ** 2"),
        ("uint32-0", "u ** 0"),
        ("uint32-1", "u ** 1"),
        ("uint32-minus-1", "u ** -1"),
        ("uint32-2.0", "u ** 2.0"),
        ("uint32-of-uint32", "torch.pow(u, u)"),
        ("uint32-of-int64", "torch.pow(u, ints)"),
        ("uint32-2-empty", "torch.pow(none.to(uint32), 2)"),
        ("1-to-uint32", "torch.pow(1, u)"),
        ("2-to-uint32", "torch.pow(2, u)"),
        ("2.0-to-uint32", "torch.pow(2.0, u)"),
        ("1-to-int64", "torch.pow(1, ints)"),
        ("1.0-to-int64", "torch.pow(1.0, ints)"),
        ("true-to-int64", "torch.pow(True, ints)"),
        ("true-to-bool", "torch.pow(True, flags)"),
        ("2-to-bool", "torch.pow(2, flags)"),
        ("1-to-float32", "torch.pow(1, row(nan, inf, -0.0, 2.0))"),
        ("2-to-int64", "2 ** ints"),
        ("2-to-negative-int64", "2 ** -ints"),
        ("2-to-int8", "torch.pow(2, torch.tensor([6, 7, 8], dtype=int8))"),
        ("300-to-uint8", "torch.pow(300, u8)"),
        ("2-to-40-to-int32", "torch.pow(2**40, ints.to(int32))"),
        ("2.5-to-int64", "2.5 ** ints"),
        ("0-to-float32", "torch.pow(0, special())"),
        ("minus-2-to-float32", "torch.pow(-2.0, special())"),
        ("float32-0", "special() ** 0"),
        ("float32-0.0", "special() ** 0.0"),
        ("float32-1", "special() ** 1"),
        ("float32-inf", "special() ** inf"),
        ("float32-minus-inf", "special() ** -inf"),
        ("float32-nan", "special() ** nan"),
        ("float32-1e39", "special() ** 1e39"),
        ("float32-5-odd", "special() ** 5"),
        ("float32-minus-3", "special() ** -3"),
        ("float32-16777217.0", "special() ** 16777217.0"),
        ("float16-1e6", "a.to(float16) ** 1e6"),
        ("float16-2.5", "positive(40, dtype=float16) ** 2.5"),
        ("float16-minus-1e6-special", "special(dtype=float16) ** -1e6"),
        ("bfloat16-1e39", "special(dtype=bfloat16) ** 1e39"),
        ("bfloat16-7", "spread(35, dtype=bfloat16) ** 7"),
        ("float32-of-int64", "torch.pow(a, ints)"),
        ("int64-of-float32", "torch.pow(ints, a)"),
        ("float16-of-float32", "torch.pow(positive(2, 3, dtype=float16), a)"),
        (
            "float16-of-scalar-float64",
            "torch.pow(positive(20, dtype=float16), torch.tensor(1.7, dtype=float64))",
        ),
        ("int64-of-scalar-tensor", "torch.pow(ints, torch.tensor(2))"),
        ("float32-large-exponents", "torch.pow(positive(20), angles(20))"),
        ("mismatch", "torch.pow(a, a[:, :2])"),
        ("scalar-of-scalar", "torch.pow(torch.tensor(2.0), torch.tensor(0.3))"),
        ("float64-general", "torch.pow(positive(19, dtype=float64), -2.3)"),
        ("transposed-1", "transposed(ordinary(3, 4)) ** 1"),
    )
)

ARGUMENTS = (
    Row("gelu/approximate-unknown", "F.gelu(a, approximate='foo')"),
    Row("gelu/approximate-unknown-int64", "F.gelu(ints, approximate='foo')"),
    Row("gelu/approximate-none", "F.gelu(a, approximate='none')"),
    Row("softplus/beta-0", "F.softplus(a, 0)"),
    Row("softplus/beta-negative", "F.softplus(a, beta=-1.0, threshold=5)"),
    Row("softplus/threshold-infinite", "F.softplus(edges(), threshold=inf)"),
    Row("softplus/threshold-negative", "F.softplus(spread(20), 1.0, -2.0)"),
    Row("softplus/int64-beta-0", "F.softplus(ints, 0)"),
    Row("celu/alpha-0", "F.celu(a, 0)"),
    Row("celu/alpha-0.0", "F.celu(a, 0.0)"),
    Row("celu/int64-alpha-0", "F.celu(ints, 0)"),
    Row("celu/alpha-negative", "F.celu(a, -2.0)"),
    Row("celu/torch", "torch.celu(a)"),
    Row("selu/torch", "torch.selu(a)"),
    Row("elu/alpha-negative", "F.elu(a, -1.0)"),
    Row("elu/alpha-0", "F.elu(a, 0)"),
    Row("elu/alpha-true", "F.elu(a, True)"),
    Row("leaky_relu/slope-0", "F.leaky_relu(special(), 0.0)"),
    Row("leaky_relu/slope-2", "F.leaky_relu(a, 2)"),
    Row("leaky_relu/slope-negative", "F.leaky_relu(a, -1.5)"),
    Row("leaky_relu/slope-infinite", "F.leaky_relu(special(), inf)"),
    Row("hardtanh/crossed", "F.hardtanh(a, 2, 1)"),
    Row("hardtanh/equal", "F.hardtanh(a, 0.5, 0.5)"),
    Row("hardtanh/nan", "F.hardtanh(a, nan, 1.0)"),
    Row("hardtanh/nan-max", "F.hardtanh(special(), 0.0, nan)"),
    Row("hardtanh/infinite", "F.hardtanh(special(), -inf, inf)"),
    Row("hardtanh/zeros", "F.hardtanh(zeros(20), 0.0, 1.0)"),
    Row("hardtanh/minus-zero-bounds", "F.hardtanh(zeros(20), -1.0, -0.0)"),
    Row("hardtanh/int64-bounds", "F.hardtanh(ints, -1, 2)"),
    Row("hardtanh/int64-float-bounds", "F.hardtanh(ints, -1.5, 1.5)"),
    Row("hardtanh/int64-overflow", "F.hardtanh(ints, 0, 1e30)"),
    Row("hardtanh/uint8-bounds", "F.hardtanh(u8, 1, 3)"),
    Row("hardtanh/uint8-300", "F.hardtanh(u8, 0, 300)"),
    Row("hardtanh/uint8-minus-300", "F.hardtanh(u8, -300, 3)"),
    Row("hardtanh/int8-200", "F.hardtanh(ints.to(int8), 0, 200)"),
    Row("hardtanh/uint32-bounds", "F.hardtanh(u, 1, 3)"),
    Row("hardtanh/bool-bounds", "F.hardtanh(flags, 0, 1)"),
    Row("hardtanh/float16-overflow", "F.hardtanh(a.to(float16), 0, 1e6)"),
    Row("hardtanh/float32-overflow", "F.hardtanh(a, -1e39, 1)"),
    Row("hardtanh/bool-crossed", "F.hardtanh(flags, 2, 1)"),
    Row("relu/torch", "torch.relu(a)"),
    Row("relu/method-zeros", "zeros(20).relu()"),
    Row("logit/eps-1.5", "torch.logit(a, 1.5)"),
    Row("logit/eps-negative", "torch.logit(a, -0.5)"),
    Row("logit/eps-0", "torch.logit(special(), 0.0)"),
    Row("logit/eps-0.5", "torch.logit(spread(9), 0.5)"),
    Row("logit/narrowed-eps", "torch.logit(narrowed(positive(2, 19)), 1e-6)"),
    Row("logit/float16-eps", "torch.logit(positive(20, dtype=float16), 0.1)"),
    Row("sigmoid/method", "a.sigmoid()"),
    Row("special.expit/row", "torch.special.expit(spread(19))"),
    Row("special.exp2/row", "torch.special.exp2(spread(19))"),
    Row("special.expm1/row", "torch.special.expm1(spread(19))"),
    Row("special.log1p/row", "torch.special.log1p(positive(19))"),
    Row("special.logit/eps", "torch.special.logit(positive(19), eps=0.25)"),
    Row("special.erf/row", "torch.special.erf(spread(9))"),
    Row("special.erfc/row", "torch.special.erfc(spread(9))"),
    Row("arcsin/row", "torch.arcsin(ordinary(9))"),
    Row("arccos/row", "torch.arccos(ordinary(9))"),
    Row("arctan/row", "torch.arctan(ordinary(9))"),
    Row("arctan2/row", "torch.arctan2(ordinary(19), spread(19))"),
    Row("atan2/int64", "torch.atan2(ints, ints.t().reshape(2, 3))"),
    Row("atan2/bool", "torch.atan2(flags, ~flags)"),
    Row("atan2/uint32", "torch.atan2(u, u)"),
    Row("atan2/uint32-int64", "torch.atan2(u, ints)"),
    Row("atan2/mismatch", "torch.atan2(a, a[:, :2])"),
    Row("atan2/float32-float16", "torch.atan2(a, a.to(float16))"),
    Row("atan2/subnormal", "torch.atan2(tiny(20), tiny(40)[20:])"),
    Row("hypot/int64", "torch.hypot(ints, ints)"),
    Row("hypot/bool", "torch.hypot(flags, flags)"),
    Row("hypot/uint32", "torch.hypot(u, u)"),
    Row("hypot/uint32-int64", "torch.hypot(u, ints)"),
    Row("hypot/float32-int64", "torch.hypot(a, ints)"),
    Row("hypot/int64-mismatch", "torch.hypot(ints, ints[:, :2])"),
    Row("hypot/mismatch", "torch.hypot(a, a[:, :2])"),
    Row("hypot/large", "torch.hypot(large(20), large(20))"),
    Row("hypot/subnormal", "torch.hypot(tiny(20), tiny(40)[20:])"),
    Row("hypot/float16-large", "torch.hypot(large(40, dtype=float16), large(40, dtype=float16))"),
    Row("sin/float16-300", "torch.sin(row(300.0, -300.0, 299.75, dtype=float16))"),
    Row("sin/huge", "torch.sin(large(20))"),
    Row("cos/huge", "torch.cos(large(20))"),
    Row("tan/huge", "torch.tan(large(20))"),
    Row("sin/huge-float64", "torch.sin(large(12, dtype=float64))"),
    Row("sin/huge-bfloat16", "torch.sin(large(20, dtype=bfloat16))"),
    Row("cos/huge-float16", "torch.cos(large(20, dtype=float16))"),
    Row("asin/outside", "torch.asin(row(1.5, -1.5, inf, nan))"),
    Row(
        "asin/float16-near-a-half",
        "torch.asin(row(0.136474609375, -0.136474609375, dtype=float16))",
    ),
    Row("log/negative", "torch.log(row(-1.0, -0.0, 0.0, -inf, 1e-45))"),
    Row("log1p/edges", "torch.log1p(row(-1.0, -1.5, -0.99999994, 1e-10, -1e-10, 3e38, 1e-45))"),
    Row("sinh/bfloat16-89-vector", "torch.sinh(torch.full((33,), 89.0, dtype=bfloat16))"),
    Row("cosh/bfloat16-89-vector", "torch.cosh(torch.full((33,), -89.0, dtype=bfloat16))"),
    Row("sinh/float64-709.78-vector", "torch.sinh(torch.full((9,), 709.7828, dtype=float64))"),
    Row("gelu/one-element", "F.gelu(torch.tensor([0.7]))"),
    Row("gelu/stepped-pair", "F.gelu(stepped(spread(20)))"),
    Row("relu/uint32-large", "F.relu(u)"),
    Row("square/method", "a.square()"),
    Row("square/int64-wraps", "torch.square(torch.tensor([2**62, 3**20, -5]))"),
)

ROWS = (*ORDINARY, *LENGTHS, *CROSSED, *INTEGERS, *BINARY, *POWERS, *ARGUMENTS)

SUITE = parity.suite.Suite("elementary", "python/elementary.py", ROWS, namespace)
