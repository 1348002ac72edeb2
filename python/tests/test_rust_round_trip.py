"""Tensors from Python to Rust and back: the two readers and writers of the format agree."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

from parity import encode

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]

MILLION = 1_000_000

needs_cargo = pytest.mark.skipif(
    shutil.which("cargo") is None or not (ROOT / "examples/echo.rs").exists(),
    reason="needs cargo and the echo example",
)


def every_pattern(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(dtype)


def random_patterns(dtype: torch.dtype) -> torch.Tensor:
    width = torch.empty(0, dtype=dtype).element_size()
    return encode.from_bytes(random.Random(2).randbytes(width * MILLION), dtype)


TENSORS = {
    "float16": every_pattern(torch.float16),
    "bfloat16": every_pattern(torch.bfloat16),
    "float32": random_patterns(torch.float32),
    "float64": random_patterns(torch.float64),
}

INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def patterns(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(INTEGERS[tensor.element_size()])


@pytest.fixture(scope="module")
def echoed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Per tensor: the whole of it in base64, then its pieces in lists."""
    folder = tmp_path_factory.mktemp("echo")
    sent: list[Any] = []
    for tensor in TENSORS.values():
        sent.append(encode.encode_tensor(tensor))
        sent += [encode.encode_tensor(piece) for piece in tensor.split(encode.BASE64_ABOVE)]
    (folder / "in.json").write_text(encode.dumps(sent), encoding="utf-8")
    subprocess.run(
        ["cargo", "run", "--release", "--quiet", "--example", "echo", "--",
         folder / "in.json", folder / "out.json"],
        cwd=ROOT,
        check=True,
    )  # fmt: skip
    back: list[Any] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert len(back) == len(sent)
    return back


def pieces_of(echoed: list[Any], name: str) -> tuple[Any, list[Any]]:
    start = 0
    for other, tensor in TENSORS.items():
        count = len(tensor.split(encode.BASE64_ABOVE))
        if other == name:
            return echoed[start], echoed[start + 1 : start + 1 + count]
        start += 1 + count
    raise KeyError(name)


@needs_cargo
@pytest.mark.parametrize("name", TENSORS)
def test_base64_keeps_every_bit(echoed: list[Any], name: str) -> None:
    whole, _ = pieces_of(echoed, name)
    assert whole["encoding"] == "base64"
    assert torch.equal(patterns(encode.decode_tensor(whole)), patterns(TENSORS[name]))


@needs_cargo
@pytest.mark.parametrize("name", TENSORS)
def test_lists_keep_every_bit_but_nan_payloads(echoed: list[Any], name: str) -> None:
    _, pieces = pieces_of(echoed, name)
    assert all(isinstance(piece["data"], list) for piece in pieces)
    back, tensor = torch.cat([encode.decode_tensor(piece) for piece in pieces]), TENSORS[name]
    same = patterns(back) == patterns(tensor)
    assert bool((same | (back.isnan() & tensor.isnan())).all())
