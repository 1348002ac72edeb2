"""Tensors to JSON and back: every bit, every dtype, every layout."""

import base64
import json
import math
import random
from typing import Any

from parity import encode

import numpy as np
import pytest
import torch
from helpers import bits

SIXTEEN_BIT = (torch.float16, torch.bfloat16)


def through_json(value: dict[str, Any]) -> torch.Tensor:
    return encode.decode_tensor(json.loads(encode.dumps(value)))


def every_pattern(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(dtype)


def random_patterns(dtype: torch.dtype, count: int) -> torch.Tensor:
    width = 4 if dtype is torch.float32 else 8
    return encode.from_bytes(random.Random(15).randbytes(width * count), dtype)


def as_list(tensor: torch.Tensor) -> list[dict[str, Any]]:
    """A tensor in the list form, in pieces small enough for it."""
    return [encode.encode_tensor(piece) for piece in tensor.split(encode.BASE64_ABOVE)]


@pytest.mark.parametrize("dtype", SIXTEEN_BIT)
def test_every_sixteen_bit_pattern_in_base64(dtype: torch.dtype) -> None:
    tensor = every_pattern(dtype)
    assert bits(through_json(encode.encode_tensor(tensor))) == bits(tensor)


@pytest.mark.parametrize("dtype", SIXTEEN_BIT)
def test_every_sixteen_bit_pattern_in_lists(dtype: torch.dtype) -> None:
    tensor = every_pattern(dtype)
    back = torch.cat([through_json(piece) for piece in as_list(tensor)])
    same = back.view(torch.int16) == tensor.view(torch.int16)
    assert bool((same | (back.isnan() & tensor.isnan())).all())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_million_random_patterns(dtype: torch.dtype) -> None:
    tensor = random_patterns(dtype, 1_000_000)
    assert bits(through_json(encode.encode_tensor(tensor))) == bits(tensor)
    integer = torch.int32 if dtype is torch.float32 else torch.int64
    back = torch.cat([through_json(piece) for piece in as_list(tensor)])
    same = back.view(integer) == tensor.view(integer)
    assert bool((same | (back.isnan() & tensor.isnan())).all())


@pytest.mark.parametrize("name", encode.DTYPES)
@pytest.mark.parametrize("count", [0, 1, 7, 1024, 1025])
def test_every_dtype_and_both_forms(name: str, count: int) -> None:
    dtype = encode.DTYPES[name]
    width = torch.empty(0, dtype=dtype).element_size()
    data = random.Random(count).randbytes(width * count)
    if dtype is torch.bool:
        data = bytes(byte & 1 for byte in data)
    tensor = encode.from_bytes(data, dtype)
    value = encode.encode_tensor(tensor)
    assert isinstance(value["data"], str) == (count > 1024)
    assert ("encoding" in value) == (count > 1024)
    back = through_json(value)
    assert back.dtype is dtype
    assert back.shape == tensor.shape
    nan = tensor.isnan() if dtype.is_floating_point else torch.zeros(count, dtype=torch.bool)
    assert bits(back[~nan]) == bits(tensor[~nan])


@pytest.mark.parametrize(
    ("tensor", "data"),
    [
        (torch.tensor([1.5, -0.0, math.nan]), "[1.5,-0.0,\"NaN\"]"),
        (torch.tensor([math.inf, -math.inf]), '["Infinity","-Infinity"]'),
        (torch.tensor([0.1]), "[0.10000000149011612]"),
        (torch.tensor([0.1], dtype=torch.float64), "[0.1]"),
        (torch.tensor([5e-324, 1.7976931348623157e308], dtype=torch.float64),
         "[5e-324,1.7976931348623157e+308]"),
        (torch.tensor([2**53 + 1, 2**63 - 1, -(2**63)]),
         "[9007199254740993,9223372036854775807,-9223372036854775808]"),
        (torch.tensor([4294967295], dtype=torch.uint32), "[4294967295]"),
        (torch.tensor([True, False]), "[true,false]"),
        (torch.tensor(3.0), "[3.0]"),
        (torch.zeros(2, 0), "[]"),
    ],
)  # fmt: skip
def test_how_values_are_spelt(tensor: torch.Tensor, data: str) -> None:
    value = encode.encode_tensor(tensor)
    assert encode.dumps(value["data"]) == data
    assert list(value) == ["dtype", "shape", "data"]


def test_a_bool_is_one_byte_in_base64() -> None:
    value = encode.encode_tensor(torch.ones(1025, dtype=torch.bool))
    assert base64.b64decode(value["data"]) == b"\x01" * 1025


MATRIX = torch.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    ("tensor", "entries"),
    [
        (MATRIX.t(), 24),
        (MATRIX[:, 1:3], 20),
        (MATRIX[1:, ::2], 17),
        (MATRIX[::3], 24),
        (MATRIX[2:3, 4].expand(5), 1),
        (MATRIX[:, :1].expand(4, 3), 19),
        (MATRIX.as_strided((3, 3), (1, 1), 2), 5),
        (torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1), 24),
    ],
)
def test_layout_is_kept_on_the_smallest_span(tensor: torch.Tensor, entries: int) -> None:
    value = encode.encode_tensor(tensor, keep_layout=True)
    assert value["strides"] == list(tensor.stride())
    assert "offset" not in value
    assert len(value["data"]) == entries
    back = through_json(value)
    assert back.stride() == tensor.stride()
    assert torch.equal(back, tensor)


@pytest.mark.parametrize("tensor", [MATRIX, MATRIX[1:3], MATRIX.t()[:, :0], torch.tensor(1.0)])
def test_contiguous_and_empty_tensors_have_no_strides(tensor: torch.Tensor) -> None:
    value = encode.encode_tensor(tensor, keep_layout=True)
    assert "strides" not in value
    assert torch.equal(through_json(value), tensor)


def test_the_limit_counts_entries_of_data_not_elements() -> None:
    few = encode.encode_tensor(torch.ones(1).expand(2000), keep_layout=True)
    assert few["data"] == [1.0]
    many = encode.encode_tensor(torch.zeros(2000)[::2][:900], keep_layout=True)
    assert many["encoding"] == "base64"
    assert through_json(many).stride() == (2,)


def test_an_offset_is_read() -> None:
    value = {"dtype": "int64", "shape": [2], "strides": [2], "offset": 1, "data": [9, 1, 9, 2]}
    assert encode.decode_tensor(value).tolist() == [1, 2]


def test_outputs_are_row_major() -> None:
    value = encode.encode_tensor(MATRIX.t())
    assert "strides" not in value
    assert value["data"][:3] == [0.0, 6.0, 12.0]


@pytest.mark.parametrize(
    "value",
    [
        {"dtype": "float8", "shape": [1], "data": [1.0]},
        {"dtype": "float32", "data": [1.0]},
        {"dtype": "float32", "shape": [2], "data": [1.0]},
        {"dtype": "int64", "shape": [1], "data": [1.0]},
        {"dtype": "int64", "shape": [1], "data": [True]},
        {"dtype": "bool", "shape": [1], "data": [1]},
        {"dtype": "float32", "shape": [1], "data": ["nan"]},
    ],
)
def test_malformed_tensors_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(encode.Malformed):
        encode.decode_tensor(value)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.uint16, torch.float8_e5m2])
def test_other_dtypes_are_refused(dtype: torch.dtype) -> None:
    with pytest.raises(encode.Unencodable):
        encode.encode_tensor(torch.zeros(2, dtype=dtype))


def test_gradients_and_negation_bits_do_not_show() -> None:
    tensor = torch.tensor([1.0, 2.0], requires_grad=True)
    assert encode.encode_tensor(tensor)["data"] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("dim", None),
        ("dim", 1),
        ("dim", [0, -1]),
        ("dim", []),
        ("keepdim", True),
        ("other", 2.0),
        ("other", -0.0),
        ("ord", -math.inf),
        ("value", 1e300),
        ("n", 2**63 - 1),
        ("reduction", "mean"),
        ("dtype", torch.bfloat16),
        ("memory_format", torch.channels_last),
        ("dims", [[1], [0]]),
    ],
)
def test_arguments(parameter: str, value: Any) -> None:
    back = encode.decode_argument(
        parameter, json.loads(encode.dumps(encode.encode_argument(value)))
    )
    assert back == value
    assert type(back) is type(value)
    assert not isinstance(value, float) or math.copysign(1, back) == math.copysign(1, value)


def test_nan_and_tuples_and_numpy_scalars_as_arguments() -> None:
    assert encode.encode_argument(math.nan) == "NaN"
    assert encode.encode_argument((1, 2)) == [1, 2]
    assert type(encode.encode_argument(np.float32(0.5))) is float
    assert type(encode.encode_argument(np.int8(5))) is int


@pytest.mark.parametrize("value", [1j, "NaN", object(), {"a": 1}, torch.device("cpu")])
def test_other_arguments_are_refused(value: Any) -> None:
    with pytest.raises(encode.Unencodable):
        encode.encode_argument(value)


def test_bare_nan_never_reaches_a_file() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode.dumps([math.nan])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_nan_is_read_without_a_sign_at_any_length(dtype: str) -> None:
    for count in (1, 40):
        read = encode.decode_tensor({"dtype": dtype, "shape": [count], "data": ["NaN"] * count})
        assert bool(read.isnan().all()) and not bool(read.signbit().any())
