"""Input tensors by kind of value and by layout, for the generators' expressions.

    >>> narrowed(nan_last(3, 33, dtype=torch.bfloat16)).shape
    torch.Size([3, 33])

A kind of value (`VALUES`) takes a shape and a dtype; a layout (`LAYOUTS`) takes a tensor and
gives one of the same shape that lies differently in its storage. `expanded` alone changes the
values, since its last dimension has stride 0. Values are made by NumPy from exact numbers and
only narrowed by PyTorch, so no input depends on PyTorch's kernels, and none of these functions
shows up as a call under the recorder.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from parity.inputs import sines

import numpy as np
import torch
from numpy.typing import NDArray

Maker = Callable[..., torch.Tensor]
P = ParamSpec("P")
R = TypeVar("R")

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def unrecorded(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose own PyTorch calls no recorder sees."""

    @functools.wraps(function)
    def hidden(*args: P.args, **kwargs: P.kwargs) -> R:
        with torch._C.DisableTorchFunction():
            return function(*args, **kwargs)

    return hidden


def _made(values: NDArray[Any], shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    # By way of a list of Python numbers for uint32 and bool, which NumPy would not convert.
    return torch.from_numpy(np.ascontiguousarray(values).reshape(shape)).to(dtype)


def _wave(count: int, dtype: torch.dtype) -> NDArray[Any]:
    """sin(1), sin(2), …; for integers 100 times that, without a sign where there is none."""
    values = sines(count + 1)[1:]
    if dtype == torch.bool:
        return values > 0
    if dtype.is_floating_point:
        return values
    whole = np.trunc(values * 100).astype(np.int64)
    return np.abs(whole) if not dtype.is_signed else whole


def _patterned(pattern: Sequence[float], count: int) -> NDArray[np.float64]:
    return np.array([pattern[k % len(pattern)] for k in range(count)], dtype=np.float64)


@unrecorded
def ordinary(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """sin(1), sin(2), … in row-major order: ordinary values of both signs."""
    return _made(_wave(math.prod(shape), dtype), shape, dtype)


@unrecorded
def positive(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """|sin(k)| + 1/8: values away from zero."""
    values = np.abs(_wave(math.prod(shape), dtype))
    return _made(values + 0.125 if dtype.is_floating_point else values, shape, dtype)


@unrecorded
def cancelling(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A large number, 1, its negative, again and again: a sum that shows its order."""
    large = {torch.float64: 1e17, torch.float16: 3e4, torch.bfloat16: 1e8}.get(dtype, 1e8)
    if not dtype.is_floating_point:
        return ordinary(*shape, dtype=dtype)
    return _made(_patterned((large, 1.0, -large), math.prod(shape)), shape, dtype)


@unrecorded
def large(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Values near the largest of the dtype, of both signs; for integers the extremes."""
    count = math.prod(shape)
    if dtype == torch.bool:
        return _made(np.ones(count, dtype=bool), shape, dtype)
    if dtype.is_floating_point:
        return _made(_wave(count, dtype) * (torch.finfo(dtype).max / 2), shape, dtype)
    top, bottom = torch.iinfo(dtype).max, torch.iinfo(dtype).min
    picked = [(top, bottom, top - 1, 1)[k % 4] for k in range(count)]
    return torch.tensor(picked, dtype=dtype).reshape(shape)


@unrecorded
def tiny(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Values around the smallest normal of the dtype, subnormals among them."""
    smallest = torch.finfo(dtype).tiny
    return _made(_wave(math.prod(shape), dtype) * smallest * 3, shape, dtype)


@unrecorded
def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Zeros of both signs."""
    return _made(_patterned((-0.0, 0.0, -0.0, -0.0, 0.0), math.prod(shape)), shape, dtype)


@unrecorded
def ties(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Few different values, each many times."""
    return _made(_patterned((1, 3, 0, 3, 2, 0, 1), math.prod(shape)), shape, dtype)


def _with(places: Callable[[int], dict[int, float]]) -> Maker:
    @unrecorded
    def make(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        values = _wave(math.prod(shape), dtype).copy()
        for place, value in places(len(values)).items():
            values[place] = value
        return _made(values, shape, dtype)

    return make


INF, NAN = math.inf, math.nan


def _at(place: Callable[[int], int], value: float) -> Callable[[int], dict[int, float]]:
    return lambda count: {place(count): value} if count else {}


nan_first = _with(_at(lambda _: 0, NAN))
nan_middle = _with(_at(lambda count: count // 2, NAN))
nan_last = _with(_at(lambda count: count - 1, NAN))
nan_all = _with(lambda count: dict.fromkeys(range(count), NAN))
plus_infinity = _with(_at(lambda count: count // 3, INF))
minus_infinity = _with(_at(lambda count: count * 2 // 3, -INF))
infinities = _with(lambda count: {count // 3: INF, count * 2 // 3: -INF} if count else {})

# Every kind of value by name.
VALUES: dict[str, Maker] = {
    "ordinary": ordinary,
    "positive": positive,
    "cancelling": cancelling,
    "large": large,
    "tiny": tiny,
    "zeros": zeros,
    "ties": ties,
    "nan_first": nan_first,
    "nan_middle": nan_middle,
    "nan_last": nan_last,
    "nan_all": nan_all,
    "plus_infinity": plus_infinity,
    "minus_infinity": minus_infinity,
    "infinities": infinities,
}

# Those that need a floating dtype.
FLOATING_VALUES = frozenset(VALUES) - {"ordinary", "positive", "large", "ties"}


@unrecorded
def contiguous(tensor: torch.Tensor) -> torch.Tensor:
    """Row-major from the start of its storage."""
    return tensor.contiguous()


@unrecorded
def transposed(tensor: torch.Tensor) -> torch.Tensor:
    """The last two dimensions are swapped in memory; a tensor of fewer stays as it is."""
    return tensor.mT.contiguous().mT if tensor.dim() > 1 else tensor


@unrecorded
def permuted(tensor: torch.Tensor) -> torch.Tensor:
    """The dimensions lie in reverse order in memory."""
    backwards = tuple(range(tensor.dim()))[::-1]
    return tensor.permute(backwards).contiguous().permute(backwards)


def _gapped(tensor: torch.Tensor, size: int, start: int, step: int) -> torch.Tensor:
    """A view into storage whose other elements are 7, which no result should show."""
    flat = tensor.reshape(1) if tensor.dim() == 0 else tensor
    shape = (*flat.shape[:-1], size)
    view = torch.full(shape, 7).to(tensor.dtype)[..., start : start + step * flat.shape[-1] : step]
    view.copy_(flat)
    return view[0] if tensor.dim() == 0 else view


@unrecorded
def narrowed(tensor: torch.Tensor) -> torch.Tensor:
    """A part of longer rows, which does not start where the storage does."""
    length = tensor.shape[-1] if tensor.dim() else 1
    return _gapped(tensor, length + 3, 2, 1)


@unrecorded
def stepped(tensor: torch.Tensor) -> torch.Tensor:
    """Every second element of longer rows."""
    length = tensor.shape[-1] if tensor.dim() else 1
    return _gapped(tensor, 2 * length + 1, 1, 2)


@unrecorded
def expanded(tensor: torch.Tensor) -> torch.Tensor:
    """Stride 0 along the last dimension: each row repeats its first element."""
    if tensor.dim() == 0 or tensor.shape[-1] == 0:
        return tensor
    return tensor[..., :1].contiguous().expand(tensor.shape)


# Every layout by name.
LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": contiguous,
    "transposed": transposed,
    "permuted": permuted,
    "narrowed": narrowed,
    "stepped": stepped,
    "expanded": expanded,
}


@unrecorded
def row(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A vector of these values."""
    return torch.tensor(values, dtype=dtype)


def namespace() -> dict[str, Any]:
    """What every generator's expressions may refer to: torch, F, dtypes, values and layouts."""
    dtypes = {str(dtype).removeprefix("torch."): dtype for dtype in (*FLOATS, *INTEGERS)}
    return {
        "torch": torch,
        "F": torch.nn.functional,
        "inf": INF,
        "nan": NAN,
        "row": row,
        **dtypes,
        "uint32": torch.uint32,
        "bool": torch.bool,
        **VALUES,
        **LAYOUTS,
    }
