"""Suite `scans`: `cumsum`, `cumprod`, `cummax`, `cummin`, `logcumsumexp`.

Run `python/generate.py --only scans`. The tables cross dtypes, kinds of value, layouts, shapes
and dimensions pairwise; the rows after them are the corners: what an accumulator keeps that its
element type could not, where ties and NaN go, what each op refuses and in which order it looks.
"""

from typing import Any

import parity.suite
import parity.tensors
from parity.cross import Labels, cross, named, needs_floats
from parity.inputs import sines
from parity.suite import Row
from parity.tensors import unrecorded

import numpy as np
import torch


@unrecorded
def mixed(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """NaN, infinities, zeros of both signs and ties, at irregular places."""
    special = (0.0, -0.0, 1.0, float("nan"), -1.0, float("inf"), 1.0, float("-inf"), -0.0, 2.0)
    count = int(np.prod(shape))
    values = [special[(k * k + 3 * k) // 2 % len(special)] for k in range(count)]
    return torch.tensor(values, dtype=dtype).reshape(shape)


@unrecorded
def spread(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers of sizes that differ by powers of ten, of both signs: every rounding shows."""
    count = int(np.prod(shape))
    sizes = 10.0 ** (np.arange(count) * 5 % 9 - 4)
    return torch.from_numpy(sines(count + 1)[1:] * sizes).to(dtype).reshape(shape)


@unrecorded
def factors(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """1 + sin(k)/4: a product that neither vanishes nor overflows soon."""
    count = int(np.prod(shape))
    return torch.from_numpy(1 + sines(count + 1)[1:] / 4).to(dtype).reshape(shape)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    own = {"mixed": mixed, "spread": spread, "factors": factors, "zeros_of": torch.zeros}
    return parity.tensors.namespace() | own


FLOATS = "float64 float32 float16 bfloat16"
INTEGERS = "int64 int32 int16 int8 uint8 bool"
OPS = "cumsum cumprod cummax cummin logcumsumexp".split()

VALUES = named(
    "ordinary positive cancelling large tiny zeros ties nan_first nan_middle nan_last nan_all"
    " plus_infinity minus_infinity infinities mixed spread factors"
)
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")


def _special(labels: Labels) -> bool:
    """Floating values in a dtype that has none."""
    own = labels.get("values") in ("mixed", "spread", "factors")
    return needs_floats(labels) or (own and "float" not in labels.get("dtype", "float"))


def _dtypes(op: str) -> dict[str, str]:
    return named(FLOATS if op == "logcumsumexp" else f"{FLOATS} {INTEGERS}")


# Every dimension of a matrix and of a cube, from the front and from the back.
MATRICES = tuple(
    row
    for op in OPS
    for row in cross(
        op,
        f"{{layout}}({{values}}({{shape}}, dtype={{dtype}})).{op}({{dim}})",
        unless=_special,
        dtype=_dtypes(op),
        values=VALUES,
        layout=LAYOUTS,
        shape={"3x5": "3, 5", "2x3x4": "2, 3, 4", "6x1": "6, 1", "1x9": "1, 9", "2x17": "2, 17"},
        dim={"dim0": "0", "dim1": "dim=1", "dim-1": "-1", "dim-2": "-2"},
    )
)
DEEP = tuple(
    row
    for op in OPS
    for row in cross(
        op,
        f"{{layout}}({{values}}(2, 3, 2, 3, dtype={{dtype}})).{op}({{dim}})",
        prefix="4d",
        unless=_special,
        dtype=named("float64 bfloat16 int16") if op != "logcumsumexp" else named(FLOATS),
        values=named("ordinary ties mixed"),
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim-2": "-2", "dim3": "3"},
    )
)
# Every length around the sizes of vectors.
LENGTHS = tuple(
    row
    for op in OPS
    for row in cross(
        op,
        f"{{values}}({{length}}, dtype={{dtype}}).{op}(0)",
        unless=_special,
        dtype=_dtypes(op),
        values=named("ordinary spread ties mixed"),
        length=named("1 2 3 4 7 8 9 15 16 17 31 32 33"),
    )
)
LONG = tuple(
    Row(f"{op}/long-{values}-{length}-{dtype}", f"{values}({length}, dtype={dtype}).{op}(0)")
    for op, values, length, dtype in (
        ("cumsum", "spread", 127, "float32"),
        ("cumsum", "spread", 128, "float64"),
        ("cumsum", "spread", 129, "bfloat16"),
        ("cumsum", "cancelling", 129, "float32"),
        ("cumsum", "cancelling", 1000, "float32"),
        ("cumsum", "ordinary", 1000, "float16"),
        ("cumsum", "large", 129, "int64"),
        ("cumprod", "factors", 127, "float32"),
        ("cumprod", "factors", 129, "float64"),
        ("cumprod", "factors", 129, "float16"),
        ("cumprod", "factors", 1000, "bfloat16"),
        ("cumprod", "positive", 128, "int32"),
        ("cummax", "ordinary", 129, "float32"),
        ("cummax", "ties", 1000, "int8"),
        ("cummax", "mixed", 129, "float16"),
        ("cummin", "ordinary", 127, "float64"),
        ("cummin", "ties", 1000, "uint8"),
        ("cummin", "mixed", 129, "bfloat16"),
        ("logcumsumexp", "ordinary", 127, "float32"),
        ("logcumsumexp", "spread", 129, "float64"),
        ("logcumsumexp", "ordinary", 129, "bfloat16"),
        ("logcumsumexp", "ordinary", 1000, "float32"),
        ("logcumsumexp", "spread", 129, "float16"),
    )
)

CONVERTED = tuple(
    row
    for op in ("cumsum", "cumprod")
    for row in cross(
        op,
        f"{{layout}}({{values}}(3, 4, dtype={{dtype}})).{op}({{dim}}, dtype={{to}})",
        prefix="to",
        unless=lambda labels: (
            _special(labels)
            or (labels.get("values") == "large" and labels.get("dtype") == "uint32")
        ),
        dtype=named(f"{FLOATS} {INTEGERS} uint32"),
        to=named(f"{FLOATS} int64 int32 int16 int8 uint8"),
        values=named("ordinary ties large positive mixed spread nan_middle infinities"),
        layout=named("contiguous transposed narrowed expanded"),
        dim={"dim0": "0", "dim-1": "-1"},
    )
)
REFUSED_TARGETS = tuple(
    Row(f"{op}/to-{to}-of-{name}", f"{made}.{op}({dim}, dtype={to})")
    for op in ("cumsum", "cumprod")
    for to in ("bool", "uint32")
    for name, made, dim in (
        ("float32", "ordinary(4)", "0"),
        ("same", f"ordinary(4, dtype={to})", "0"),
        ("int64", "ordinary(2, 3, dtype=int64)", "-1"),
        ("0-d", "torch.tensor(3)", "0"),
        ("nothing", f"zeros_of(0, 2, dtype={to})", "1"),
        ("dim-out-of-range", "ordinary(4)", "1"),
    )
)

# Shapes without a line to go along, and dimensions that are not there.
SHAPES = tuple(
    Row(f"{op}/{dtype}-{name}", f"{made.format(dtype=dtype)}.{op}({dim})")
    for op in OPS
    for dtype in ("float32", "int16", "uint32", "bool", "bfloat16")
    for name, made, dim in (
        ("0-d", "torch.tensor(1, dtype={dtype})", "0"),
        ("0-d-dim-1", "torch.tensor(1, dtype={dtype})", "-1"),
        ("0-d-dim1", "torch.tensor(1, dtype={dtype})", "1"),
        ("0-d-dim-2", "torch.tensor(1, dtype={dtype})", "-2"),
        ("vector", "row(1, 0, 1, dtype={dtype})", "0"),
        ("one-element", "row(1, dtype={dtype})", "-1"),
        ("empty", "zeros_of(0, dtype={dtype})", "0"),
        ("empty-dim", "zeros_of(2, 0, dtype={dtype})", "1"),
        ("empty-other-dim", "zeros_of(2, 0, 3, dtype={dtype})", "0"),
        ("dim2-of-2", "zeros_of(2, 3, dtype={dtype})", "2"),
        ("dim-3-of-2", "zeros_of(2, 3, dtype={dtype})", "-3"),
        ("empty-dim-out-of-range", "zeros_of(0, 3, dtype={dtype})", "5"),
    )
)
REFUSED_LOGCUMSUMEXP = tuple(
    Row(f"logcumsumexp/{dtype}-refused", f"positive(2, 3, dtype={dtype}).logcumsumexp(1)")
    for dtype in "int64 int32 int8 uint8".split()
)

NAN_AT = tuple(
    Row(f"{op}/nan-at-{place}", f"row({values}, dtype={dtype}).{op}(0)")
    for op, dtype in zip(OPS, ("float64", "float16", "float32", "bfloat16", "float32"), strict=True)
    for place in range(6)
    for values in (", ".join("nan" if k == place else f"{k * 3 % 7}" for k in range(6)),)
)

CORNERS = (
    Row("cumsum/function", "torch.cumsum(ordinary(2, 3), dim=1)"),
    Row("cumsum/function-dtype", "torch.cumsum(ordinary(2, 3), 1, dtype=float64)"),
    Row("cumsum/minus-zero", "row(-0.0).cumsum(0)"),
    Row("cumsum/minus-zero-0-d", "torch.tensor(-0.0).cumsum(0)"),
    Row("cumsum/inf-minus-inf", "row(inf, 1.0, -inf, 2.0).cumsum(0)"),
    Row("cumsum/float32-kept-in-float64", "row(1e8, 1.0, 1.0, -1e8).cumsum(0)"),
    Row("cumsum/float64-not-wider", "row(1e17, 1.0, 1.0, -1e17, dtype=float64).cumsum(0)"),
    Row("cumsum/float16-kept-in-float32", "row(2048, 1, 1, -2048, dtype=float16).cumsum(0)"),
    Row("cumsum/bfloat16-kept-in-float32", "row(256, 1, 1, -256, dtype=bfloat16).cumsum(0)"),
    Row("cumsum/float32-back-from-inf", "row(3e38, 3e38, -3e38).cumsum(0)"),
    Row("cumsum/float16-back-from-inf", "row(6e4, 6e4, -6e4, dtype=float16).cumsum(0)"),
    Row("cumsum/float64-inf-for-good", "row(1e308, 1e308, -1e308, dtype=float64).cumsum(0)"),
    Row("cumsum/bfloat16-inf-for-good", "row(3e38, 3e38, -3e38, dtype=bfloat16).cumsum(0)"),
    Row("cumsum/subnormals", "row(1e-45, 1e-45, 3e-45).cumsum(0)"),
    Row("cumsum/int64-wraps", "torch.tensor([2**63 - 1, 1, 1]).cumsum(0)"),
    Row("cumsum/int8-widens", "torch.tensor([100, 100], dtype=int8).cumsum(0)"),
    Row("cumsum/int8-to-int8-wraps", "torch.tensor([100, 100], dtype=int8).cumsum(0, dtype=int8)"),
    Row("cumsum/uint8-to-uint8-wraps", "row(200, 100, 1, dtype=uint8).cumsum(0, dtype=uint8)"),
    Row("cumsum/int16-to-int16-wraps", "row(3e4, 3e4, dtype=int16).cumsum(0, dtype=int16)"),
    Row("cumsum/truncated-first", "row(1.7, 2.7, -1.7).cumsum(0, dtype=int64)"),
    Row("cumsum/rounded-first", "row(1e5, 2.7).cumsum(0, dtype=float16)"),
    Row("cumsum/uint32-to-float32", "row(1, 2, 3, dtype=uint32).cumsum(0, dtype=float32)"),
    Row("cumsum/uint32-large", "torch.tensor([4294967295, 1], dtype=uint32).cumsum(0)"),
    Row("cumprod/function", "torch.cumprod(ordinary(2, 3), dim=1)"),
    Row("cumprod/function-dtype", "torch.cumprod(ordinary(2, 3), 0, dtype=float64)"),
    Row("cumprod/minus-zero", "row(-0.0, 2.0, -1.0).cumprod(0)"),
    Row("cumprod/minus-zero-0-d", "torch.tensor(-0.0).cumprod(0)"),
    Row("cumprod/zero-times-inf", "row(0.0, inf, 1.0).cumprod(0)"),
    Row("cumprod/float32-back-from-zero", "row(1e-30, 1e-30, 1e30, 1e30).cumprod(0)"),
    Row("cumprod/float32-back-from-inf", "row(1e30, 1e30, 1e-30).cumprod(0)"),
    Row("cumprod/float16-back-from-inf", "row(3e4, 3e4, 1e-4, dtype=float16).cumprod(0)"),
    Row("cumprod/float64-zero-for-good", "row(1e-300, 1e-300, 1e300, dtype=float64).cumprod(0)"),
    Row("cumprod/bfloat16-third", "row(1, 3, 5, 7, 9, 11, dtype=bfloat16).cumprod(0)"),
    Row("cumprod/int64-wraps", "torch.tensor([2**62, 2, 2, 3]).cumprod(0)"),
    Row("cumprod/int32-to-int32-wraps", "row(65536, 65536, dtype=int32).cumprod(0, dtype=int32)"),
    Row("cumprod/uint8-to-uint8-wraps", "row(16, 16, 3, dtype=uint8).cumprod(0, dtype=uint8)"),
    Row("cumprod/bool", "torch.tensor([True, True, False, True]).cumprod(0)"),
    Row("cummax/function", "torch.cummax(ordinary(2, 5), 1)"),
    Row("cummax/function-dim-named", "torch.cummax(ordinary(2, 5), dim=-2)"),
    Row("cummax/values", "ties(9).cummax(0).values"),
    Row("cummax/ties-go-to-the-later", "row(1, 1, 2, 2, 1).cummax(0)"),
    Row("cummax/zeros-are-equal", "row(0.0, -0.0, 0.0, -0.0).cummax(0)"),
    Row("cummax/nan-sticks", "row(nan, 1.0, nan, 2.0).cummax(0)"),
    Row("cummax/nan-after-inf", "row(inf, nan, inf).cummax(0)"),
    Row("cummax/minus-infinities", "row(-inf, -inf, 0.0).cummax(0)"),
    Row("cummax/int64-extremes", "torch.tensor([-(2**63), 2**63 - 1, -(2**63)]).cummax(0)"),
    Row("cummax/bool", "torch.tensor([False, True, False, True]).cummax(0)"),
    Row("cummin/function", "torch.cummin(ordinary(2, 5), 1)"),
    Row("cummin/indices", "ties(9).cummin(0).indices"),
    Row("cummin/ties-go-to-the-later", "row(2, 2, 1, 1, 2).cummin(0)"),
    Row("cummin/zeros-are-equal", "row(-0.0, 0.0, -0.0).cummin(0)"),
    Row("cummin/nan-sticks", "row(1.0, nan, 3.0, nan, 2.0).cummin(0)"),
    Row("cummin/nan-after-minus-inf", "row(-inf, nan, -inf).cummin(0)"),
    Row("cummin/bool", "torch.tensor([True, False, True, False]).cummin(0)"),
    Row("logcumsumexp/function", "torch.logcumsumexp(ordinary(2, 5), 1)"),
    Row("logcumsumexp/function-dim-named", "torch.logcumsumexp(ordinary(2, 5), dim=-2)"),
    Row("logcumsumexp/minus-zero", "row(-0.0).logcumsumexp(0)"),
    Row("logcumsumexp/minus-zero-0-d", "torch.tensor(-0.0).logcumsumexp(0)"),
    Row("logcumsumexp/infinities-first", "row(inf, inf, -inf).logcumsumexp(0)"),
    Row("logcumsumexp/minus-infinities-first", "row(-inf, -inf, 1.0, inf).logcumsumexp(0)"),
    Row("logcumsumexp/nan-between", "row(-inf, inf, nan, 1.0).logcumsumexp(0)"),
    Row("logcumsumexp/large", "row(1e30, 1e30, -1e30, 3e38).logcumsumexp(0)"),
    Row("logcumsumexp/far-apart", "row(0.0, 100.0, -100.0, 88.7, 104.0).logcumsumexp(0)"),
    Row("logcumsumexp/equal", "row(1.0, 1.0, 1.0, 1.0, 1.0).logcumsumexp(0)"),
    Row("logcumsumexp/float64-far-apart", "row(0, 700, -740, 36, dtype=float64).logcumsumexp(0)"),
    Row("logcumsumexp/float16-overflow", "row(65504, 65504, dtype=float16).logcumsumexp(0)"),
    Row("logcumsumexp/bfloat16-steps", "row(0, -1, -2, -3, dtype=bfloat16).logcumsumexp(0)"),
)

ROWS = (
    *MATRICES,
    *DEEP,
    *LENGTHS,
    *LONG,
    *CONVERTED,
    *REFUSED_TARGETS,
    *SHAPES,
    *REFUSED_LOGCUMSUMEXP,
    *NAN_AT,
    *CORNERS,
)

SUITE = parity.suite.Suite("scans", "python/scans.py", ROWS, namespace)
