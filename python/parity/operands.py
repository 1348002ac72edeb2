"""Compact operands for the suites of element-wise ops, and tables of rows made of them.

    >>> few(torch.int8)
    tensor([ 5, -3,  2], dtype=torch.int8)

The corpus holds thousands of these cases, so their tensors are small and their numbers short.
Like those of `parity.tensors`, they do not depend on PyTorch's kernels and no recorder sees them
being made.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from parity.inputs import sines
from parity.suite import Row
from parity.tensors import unrecorded

import torch

T = TypeVar("T")

FLOATING = "float64 float32 float16 bfloat16"
INTEGRAL = "int64 int32 int16 int8 uint8"
DTYPES = f"{FLOATING} {INTEGRAL} bool uint32"

# A length for each of them at which PyTorch's vector code leaves three elements to scalar code.
LONG = {"float64": 11, "float32": 19, "float16": 35, "bfloat16": 35}

# Numbers in the place of a second operand, by label.
NUMBERS = {
    "true": "True",
    "2": "2",
    "minus3": "-3",
    "300": "300",
    "2to31": "2**31",
    "0.5": "0.5",
    "0.1": "0.1",
    "1e39": "1e39",
    "nan": "nan",
}

# Tensors without dimensions in the place of a second operand, by label.
ZERO_D = {
    "0d-float64": "torch.tensor(0.1, dtype=float64)",
    "0d-float16": "torch.tensor(2.5, dtype=float16)",
    "0d-int64": "torch.tensor(2049)",
    "0d-int8": "torch.tensor(-3, dtype=int8)",
    "0d-bool": "torch.tensor(True)",
    "0d-uint32": "torch.tensor(7, dtype=uint32)",
}

# Pairs of shapes that broadcast, and pairs that do not.
BROADCASTS = {
    "3-and-2x3": ("counted(3, dtype={0})", "counted(2, 3, dtype={0})"),
    "2x1-and-3": ("counted(2, 1, dtype={0})", "counted(3, dtype={0})"),
    "2x1x2-and-3x1": ("counted(2, 1, 2, dtype={0})", "counted(3, 1, dtype={0})"),
    "0d-and-2x2": ("counted(dtype={0})", "counted(2, 2, dtype={0})"),
    "0d-and-0d": ("counted(dtype={0})", "counted(dtype={0})"),
    "1-and-0d": ("counted(1, dtype={0})", "counted(dtype={0})"),
    "1x1-and-3": ("counted(1, 1, dtype={0})", "counted(3, dtype={0})"),
    "0-and-1": ("counted(0, dtype={0})", "counted(1, dtype={0})"),
    "2x0-and-1": ("counted(2, 0, dtype={0})", "counted(1, dtype={0})"),
    "2x1-and-0": ("counted(2, 1, dtype={0})", "counted(0, dtype={0})"),
    "0d-and-0": ("counted(dtype={0})", "counted(0, dtype={0})"),
    "0-and-3": ("counted(0, dtype={0})", "counted(3, dtype={0})"),
    "2-and-3": ("counted(2, dtype={0})", "counted(3, dtype={0})"),
    "2x3-and-2": ("counted(2, 3, dtype={0})", "counted(2, dtype={0})"),
    "2x3-and-3x3": ("counted(2, 3, dtype={0})", "counted(3, 3, dtype={0})"),
    "2x3x2-and-2x2x3": ("counted(2, 3, 2, dtype={0})", "counted(2, 2, 3, dtype={0})"),
    "expanded-and-2x3": ("counted(2, 1, dtype={0}).expand(2, 3)", "counted(2, 3, dtype={0})"),
    "transposed-and-3": ("counted(3, 2, dtype={0}).t()", "counted(3, dtype={0})"),
}


def some(axis: Mapping[str, T], *labels: str) -> dict[str, T]:
    """A part of an axis."""
    return {label: axis[label] for label in labels}


def pairs(op: str, template: str, *, sparse: bool = False) -> tuple[Row, ...]:
    """A row for every pair of dtypes, or for one pair of every dtype in each place."""
    dtypes = DTYPES.split()
    chosen = itertools.product(range(len(dtypes)), repeat=2)
    return tuple(
        Row(f"{op}/{dtypes[one]}-with-{dtypes[two]}", template.format(dtypes[one], dtypes[two]))
        for one, two in chosen
        if not sparse or (two - one) % len(dtypes) == 3
    )


def grids(op: str, template: str, dtypes: str) -> tuple[Row, ...]:
    """A row per dtype: each special value or extreme against each."""
    rows = []
    for dtype in dtypes.split():
        maker = "special" if "float" in dtype else "extremes"
        call = template.format(f"column({maker}({dtype}))", f"{maker}({dtype})")
        rows.append(Row(f"{op}/grid-{dtype}", call))
    return tuple(rows)


def _of(values: Sequence[float], dtype: torch.dtype) -> torch.Tensor:
    if not dtype.is_floating_point:
        return torch.tensor([int(value) for value in values], dtype=dtype)
    made = torch.tensor(values, dtype=torch.float64).to(dtype)
    # NaN without a sign, as the format has it.
    return torch.where(made.isnan(), made.abs(), made)


def _by_kind(
    dtype: torch.dtype, floats: Sequence[float], signed: Sequence[int], bools: Sequence[int]
) -> torch.Tensor:
    """Floats, integers (their magnitudes for unsigned types), or bools, as the dtype is."""
    if dtype.is_floating_point:
        return _of(floats, dtype)
    if dtype == torch.bool:
        return _of(bools, dtype)
    return _of(signed if dtype.is_signed else [abs(value) for value in signed], dtype)


@unrecorded
def few(dtype: torch.dtype) -> torch.Tensor:
    """Three values, none of them zero but for bool."""
    return _by_kind(dtype, (2.5, -1.0, 3.0), (5, -3, 2), (1, 0, 1))


@unrecorded
def fewer(dtype: torch.dtype) -> torch.Tensor:
    """Three other values."""
    return _by_kind(dtype, (0.5, 2.0, -4.0), (2, 4, -3), (1, 1, 0))


@unrecorded
def plain(dtype: torch.dtype, count: int = 12) -> torch.Tensor:
    """Short values of both signs."""
    values = [(k * 7 % 16 - 8) for k in range(count)]
    return _by_kind(
        dtype, [value / 8 for value in values], values, [value % 3 == 0 for value in values]
    )


@unrecorded
def halves(dtype: torch.dtype, count: int = 12) -> torch.Tensor:
    """-2.5, -2, -1.5, …: halves between integers."""
    return _of([k / 2 - 2.5 for k in range(count)], dtype)


@unrecorded
def cents(dtype: torch.dtype, count: int = 12) -> torch.Tensor:
    """Decimal fractions near a tie, and a few large values."""
    values = (0.155, 2.675, -1.005, 0.05, -0.25, 1234.5, 98765.0, -15.0, 25.0, 3e-5, -0.0, 0.95)
    return _of([values[k % len(values)] for k in range(count)], dtype)


@unrecorded
def waves(seed: int, count: int, dtype: torch.dtype) -> torch.Tensor:
    """Sines, so that all digits count; another stretch of them for each seed."""
    return torch.from_numpy(sines(seed * 1000 + count)[seed * 1000 :].copy()).to(dtype)


@unrecorded
def tens(count: int, dtype: torch.dtype) -> torch.Tensor:
    """Ten times other sines: quotients of several digits."""
    return torch.from_numpy(sines(5000 + count)[5000:] * 10).to(dtype)


@unrecorded
def weights(dtype: torch.dtype) -> torch.Tensor:
    """Twelve small values, none of them zero but for bool."""
    floats = (0.25, 0.5, 0.75, -0.25, 1.0, 2.0, -0.5, 0.125, 0.5, 3.0, 0.875, -2.0)
    whole = (1, 2, 3, -1, 1, 2, -3, 1, 5, 3, 1, -2)
    return _by_kind(dtype, floats, whole, [value > 0 for value in whole])


@unrecorded
def special(dtype: torch.dtype) -> torch.Tensor:
    """Zeros, infinities, NaN, subnormal and largest values, and a few ordinary ones."""
    info = torch.finfo(dtype)
    smallest = info.tiny * info.eps
    ordinary = (0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan)
    return _of((*ordinary, info.tiny, info.max, info.min, 2.5, -smallest), dtype)


@unrecorded
def extremes(dtype: torch.dtype) -> torch.Tensor:
    """The ends of an integer type, and values around zero."""
    if dtype == torch.bool:
        return torch.tensor([True, False])
    info = torch.iinfo(dtype)
    if info.min == 0:
        return torch.tensor([0, 1, 2, info.max - 1, info.max], dtype=dtype)
    return torch.tensor([info.min, info.min + 1, -1, 0, 1, 2, info.max], dtype=dtype)


@unrecorded
def divisors(dtype: torch.dtype) -> torch.Tensor:
    """Extremes without zero; without -1 for int64, whose smallest value over -1 is a crash."""
    values = extremes(dtype)
    kept = [
        value for value in values.tolist() if value and not (value == -1 and values[0] < -(2**62))
    ]
    return torch.tensor(kept, dtype=dtype)


@unrecorded
def moderate(dtype: torch.dtype) -> torch.Tensor:
    """Integers with common factors; the smallest value of the narrow types among them."""
    if dtype not in (torch.int16, torch.int8):
        return _by_kind(dtype, (1.0, 2.0), (-12, 18, 0, 1, 7, 100), (1, 0))
    return torch.tensor([-12, 18, 0, 1, 7, 100, torch.iinfo(dtype).min], dtype=dtype)


@unrecorded
def places(dtype: torch.dtype) -> torch.Tensor:
    """How far to shift: negative, within the type's width, and beyond it."""
    bits, largest = torch.iinfo(dtype).bits, torch.iinfo(dtype).max
    counts = [0, 1, bits - 2, bits - 1, bits, bits + 1, largest]
    return torch.tensor(counts if largest == 255 else [-1, *counts], dtype=dtype)


@unrecorded
def many_places(count: int, dtype: torch.dtype) -> torch.Tensor:
    """The same over and over."""
    cycle = itertools.cycle(places(dtype).tolist())
    return torch.tensor([next(cycle) for _ in range(count)], dtype=dtype)


@unrecorded
def ramp(count: int, dtype: torch.dtype) -> torch.Tensor:
    """Integers from -count/2 on; from 0 for unsigned types."""
    start = 0 if torch.iinfo(dtype).min == 0 else -(count // 2)
    return torch.tensor([start + k for k in range(count)], dtype=dtype)


@unrecorded
def counted(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    """-1, 1, 3, … in a shape."""
    return _of([2 * k - 1 for k in range(math.prod(shape))], dtype).reshape(shape)


@unrecorded
def square(dtype: torch.dtype) -> torch.Tensor:
    """Nine short values, three by three."""
    return plain(dtype, 9).reshape(3, 3)


@unrecorded
def nonzero(dtype: torch.dtype) -> torch.Tensor:
    """Nine short values, none of them zero but for bool, three by three."""
    return weights(dtype)[:9].reshape(3, 3)


@unrecorded
def divisors_near_zero(dtype: torch.dtype) -> torch.Tensor:
    """Small divisors of both signs."""
    return torch.tensor(
        [1, 2, 3, 4] if dtype == torch.uint8 else [-3, -2, -1, 1, 2, 3], dtype=dtype
    )


@unrecorded
def near(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Two tensors whose elements are equal, close, or apart."""
    if dtype.is_floating_point:
        one = (1.0, 1.0, 1.0, 100.0, -5.0, 0.0, math.inf, math.nan, 2.0)
        two = (1.0, 1.000005, 1.5, 100.5, -4.0, 1e-9, -math.inf, math.nan, math.inf)
        return _of(one, dtype), _of(two, dtype)
    whole = (1, 1, 100, -5, 0, 127, 4), (1, 2, 101, -4, 3, -127, 5)
    bools = (1, 0, 1), (1, 1, 0)
    return tuple(_by_kind(dtype, (), whole[k], bools[k]) for k in (0, 1))  # type: ignore[return-value]


_FAR = (
    *(255.0, 256.0, 300.0, -1.0, -129.0, -1.5, 32768.0, 65536.0, -32769.0),
    *(2.0**31 - 1, 2.0**31, -(2.0**31), -(2.0**31) - 1, 3e9, -3e9, 2.0**32, 5e9, -1e10),
    *(2.0**53, 2.0**62, 2.0**63, -(2.0**63), 2.0**64, 1e19, 1e30, math.inf, -math.inf, math.nan),
)


@unrecorded
def far(dtype: torch.dtype) -> torch.Tensor:
    """Floats around the ends of the integer types and beyond."""
    return _of(_FAR, dtype)


@unrecorded
def close_to_ties(dtype: torch.dtype) -> torch.Tensor:
    """Values on and next to the middle between two narrower floats."""
    if dtype.is_floating_point:
        floats = [
            *(1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-30, 1 + 3 * 2.0**-11, 1 + 2.0**-8 + 2.0**-40),
            *(1 + 2.0**-24, 65519.0, 65519.999999, 65520.0, 2.0**-25, 2.0**-24, 3.4e38, -1e300),
        ]
        return _of(floats, dtype)
    whole = [2049, 2051, 257, 259, 65519, 65520, 2**24 + 1, 2**24 + 3, 2**31 - 1]
    if dtype == torch.int64:
        whole += [2**53 + 1, 2**62 + 2**38 + 1, -(2**63)]
    return torch.tensor(whole, dtype=dtype)


@unrecorded
def column(tensor: torch.Tensor) -> torch.Tensor:
    """A vector as a column."""
    return tensor.reshape(-1, 1)


_TENSORS: tuple[Callable[..., Any], ...] = (
    few,
    fewer,
    plain,
    halves,
    cents,
    waves,
    tens,
    weights,
    special,
    extremes,
    divisors,
    divisors_near_zero,
    moderate,
    places,
    many_places,
    ramp,
    counted,
    square,
    nonzero,
    near,
    far,
    close_to_ties,
    column,
)


def namespace() -> dict[str, Any]:
    """The tensors by name, for a suite's expressions."""
    return {function.__name__: function for function in _TENSORS}
