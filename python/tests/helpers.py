"""What several test modules need."""

import json
from typing import Any

from parity import encode, extensions, record, replay

import torch
import torch.nn.functional as functional


def namespace() -> dict[str, Any]:
    """Small tensors of every kind that the expressions of the tests use."""
    return {
        "torch": torch,
        "F": functional,
        "inf": float("inf"),
        "nan": float("nan"),
        "a": torch.tensor([[0.5, 1.0, 2.0], [3.0, 4.0, 5.0]]),
        "b": torch.tensor([[2.0, 1.0, 2.0], [3.0, 7.0, 1.0]]),
        "c": torch.tensor([[2.0, 1.0], [1.0, 3.0]]),
        "d": torch.tensor([1.0]).expand(2, 3, 3).clone(),
        "i": torch.tensor([1, 0]),
        "j": torch.tensor([[0, 2, 1], [1, 1, 0]]),
        "v": torch.tensor([1.0, 2.0, 3.0]),
        "cube": (torch.arange(24.0) / 7).reshape(2, 3, 4),
        **extensions.FUNCTIONS,
    }


def watch(
    expression: str, **names: Any
) -> tuple[record.Recorder, dict[str, Any], Exception | None]:
    """Evaluate under a recorder: the recorder, the namespace afterwards, and what was raised."""
    scope = namespace() | names
    recorder = record.Recorder()
    try:
        with recorder:
            scope["result"] = eval(expression, scope)
    except Exception as error:
        return recorder, scope, error
    return recorder, scope, None


def last(expression: str, **names: Any) -> record.Recorded:
    """The last call of an expression, which has to replay from its JSON to the last bit."""
    recorder, _, _ = watch(expression, **names)
    assert recorder.calls, f"{expression}: {dict(recorder.unsupported)}"
    recorded = recorder.calls[-1]
    again = replay.run(json.loads(encode.dumps(recorded.case)))
    for part in ("outputs", "warnings", "error"):
        assert encode.dumps(again.get(part)) == encode.dumps(recorded.outcome.get(part))
    return recorded


def bits(tensor: torch.Tensor) -> bytes:
    """A tensor's elements as bytes, in row-major order."""
    return encode.to_bytes(tensor.contiguous().reshape(-1))
