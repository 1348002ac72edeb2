"""Tensors and arguments to and from the JSON of the corpus, without losing a bit.

A tensor is `{"dtype", "shape", "data"}`, with `strides` when it is not contiguous. Then
`data` is the span of storage from the lowest to the highest addressed element, so that the
offset is always 0 and left out. More than 1,024 entries of data travel as base64 of the
little-endian bytes. Numbers that JSON lacks are the strings NaN, Infinity and -Infinity.

    >>> encode_tensor(torch.tensor([1.5, -0.0, math.nan]))
    {'dtype': 'float32', 'shape': [3], 'data': [1.5, -0.0, 'NaN']}
"""

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

Json = Any  # None, bool, int, float, str, list and dict, as json.loads gives them

BASE64_ABOVE = 1024

# The dtypes of the format. PyTorch has more; a tensor of another dtype is no case.
DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "uint32": torch.uint32,
    "bool": torch.bool,
}

# NumPy has no bfloat16, so bytes pass through an integer of the same width.
_BYTES_AS: dict[torch.dtype, torch.dtype] = {torch.bfloat16: torch.int16}

_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

# Parameters whose strings are names in torch, not text.
_NAMED_PARAMETERS = {"dtype", "out_dtype", "memory_format", "layout"}


class Unencodable(ValueError):
    """The format has no place for this value."""


class Malformed(ValueError):
    """JSON that is not of the format."""


def dumps(value: Json) -> str:
    """The one spelling of JSON that all files use: compact, UTF-8, finite numbers only."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def bare_name(value: torch.dtype | torch.memory_format | torch.layout) -> str:
    """`torch.float32` as `float32`."""
    return str(value).removeprefix("torch.")


def encode_number(value: float) -> Json:
    """A Python number, keeping its kind: 2, 2.0 and True are three different arguments."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _entries(flat: torch.Tensor) -> list[Json]:
    if flat.is_floating_point():
        return [encode_number(value) for value in flat.to(torch.float64).tolist()]
    return list(flat.tolist())


def to_bytes(flat: torch.Tensor) -> bytes:
    """The little-endian bytes of a contiguous tensor; a bool is one byte."""
    as_dtype = _BYTES_AS.get(flat.dtype)
    array = (flat.view(as_dtype) if as_dtype else flat).numpy()
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def from_bytes(data: bytes, dtype: torch.dtype) -> torch.Tensor:
    """The one-dimensional tensor that `to_bytes` wrote."""
    if not data:
        return torch.empty(0, dtype=dtype)
    as_dtype = _BYTES_AS.get(dtype, dtype)
    array = np.frombuffer(data, dtype=np.dtype(bare_name(as_dtype)).newbyteorder("<"))
    tensor = torch.from_numpy(array.astype(array.dtype.newbyteorder("="), copy=True))
    return tensor.view(dtype)


def storage_span(tensor: torch.Tensor) -> torch.Tensor:
    """The storage of a non-empty tensor from its lowest to its highest element, flat."""
    last = sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    return tensor.as_strided((last + 1,), (1,), tensor.storage_offset())


def encode_tensor(tensor: torch.Tensor, *, keep_layout: bool = False) -> dict[str, Json]:
    """A tensor as JSON: row-major, or with `keep_layout` as it lies in memory."""
    name = bare_name(tensor.dtype)
    if name not in DTYPES:
        raise Unencodable(f"dtype {name}")
    if tensor.layout is not torch.strided or tensor.device.type != "cpu":
        raise Unencodable(f"{bare_name(tensor.layout)} tensor on {tensor.device.type}")
    tensor = tensor.detach().resolve_neg()
    json_tensor: dict[str, Json] = {"dtype": name, "shape": list(tensor.shape)}
    if keep_layout and tensor.numel() and not tensor.is_contiguous():
        json_tensor["strides"] = list(tensor.stride())
        flat = storage_span(tensor)
    else:
        flat = tensor.contiguous().reshape(-1)
    if flat.numel() > BASE64_ABOVE:
        json_tensor["encoding"] = "base64"
        json_tensor["data"] = base64.b64encode(to_bytes(flat)).decode("ascii")
    else:
        json_tensor["data"] = _entries(flat)
    return json_tensor


def _from_entries(entries: list[Json], dtype: torch.dtype) -> torch.Tensor:
    if dtype.is_floating_point:
        numbers = [_NON_FINITE[entry] if isinstance(entry, str) else entry for entry in entries]
        # Every entry is a value of the narrow dtype written out, so narrowing is exact.
        made = torch.tensor(numbers, dtype=torch.float64).to(dtype)
        # PyTorch's vector code narrows NaN to a bfloat16 whose sign bit is set. The format's NaN
        # has no sign, so that it is the same whether a tensor is long or short.
        return torch.where(made.isnan(), made.abs(), made)
    kind = bool if dtype is torch.bool else int
    for entry in entries:
        if type(entry) is not kind:
            raise Malformed(f"{entry!r} in data of dtype {bare_name(dtype)}")
    return torch.tensor(entries, dtype=dtype)


def decode_tensor(value: Mapping[str, Json]) -> torch.Tensor:
    """The tensor that `encode_tensor` wrote, with the same strides."""
    try:
        dtype, shape, data = DTYPES[value["dtype"]], list(value["shape"]), value["data"]
        if isinstance(data, str):
            flat = from_bytes(base64.b64decode(data, validate=True), dtype)
        else:
            flat = _from_entries(data, dtype)
    except KeyError as error:
        raise Malformed(f"tensor: {error.args[0]!r} is missing or unknown") from None
    if "strides" in value:
        return flat.as_strided(shape, value["strides"], value.get("offset", 0))
    if flat.numel() != math.prod(shape):
        raise Malformed(f"tensor: {flat.numel()} entries of data for shape {shape}")
    return flat.reshape(shape)


def encode_argument(value: Any) -> Json:
    """An argument that is no tensor as JSON."""
    match value:
        case None | bool() | int() | float():
            return encode_number(value) if isinstance(value, float) else value
        case str():
            if value in _NON_FINITE:
                raise Unencodable(f"the text {value!r}, which stands for a number")
            return value
        case torch.dtype() | torch.memory_format() | torch.layout():
            return bare_name(value)
        case np.generic():
            return encode_argument(value.item())
        case list() | tuple():
            return [encode_argument(item) for item in value]
    raise Unencodable(f"an argument of type {type(value).__name__}")


def decode_argument(parameter: str, value: Json) -> Any:
    """The argument that `encode_argument` wrote, for the parameter of this name."""
    if isinstance(value, list):
        return [decode_argument(parameter, item) for item in value]
    if isinstance(value, str):
        if parameter in _NAMED_PARAMETERS:
            return getattr(torch, value)
        return _NON_FINITE.get(value, value)
    return value
