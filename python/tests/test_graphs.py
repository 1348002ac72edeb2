import json
from collections.abc import Callable
from typing import Any

from parity import encode, names, record, replay
from parity.graphs import graph

import pytest
import torch


def recorded(program: Callable[..., Any], **inputs: torch.Tensor) -> record.Recorded:
    with record.Recorder() as recorder:
        graph(program, **inputs)
    return recorder.calls[-1]


def test_a_graph_is_one_call_with_steps() -> None:
    call = recorded(lambda x: (x * x).sum(), x=torch.tensor([1.0, 2.0]))
    assert call.op == "graph"
    assert call.case["attrs"]["steps"] == [
        ["mul", "input", {"tensor": "x"}, "other", {"tensor": "x"}],
        ["sum", "input", {"step": [0, 0]}],
    ]
    assert call.outcome["outputs"] == [{"dtype": "float32", "shape": [], "data": [5.0]}]


def test_what_comes_from_outside_joins_the_inputs() -> None:
    ones = torch.ones(2)
    call = recorded(lambda x: x + ones, x=torch.zeros(2))
    assert list(call.case["inputs"]) == ["x", "constant1"]


def test_a_detached_tensor_is_a_constant() -> None:
    call = recorded(lambda x: x * x.detach(), x=torch.tensor([3.0]))
    [step] = call.case["attrs"]["steps"]
    assert step[2] != step[4]


def test_brackets_pieces_and_words_survive_json() -> None:
    x = torch.arange(12.0).reshape(3, 4)
    i = torch.tensor([2, 0])

    def program(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        first, _, last = x[i, 1:].split(1, dim=1)
        return torch.cat([last, first], 1)[..., None, 0] / float("inf")

    call = recorded(program, x=x, i=i)
    case = json.loads(encode.dumps(call.case))
    assert replay.run(case)["outputs"] == call.outcome["outputs"]


def test_in_place_calls_are_refused() -> None:
    with pytest.raises(names.Unsupported, match="in place"):
        graph(lambda x: x.add_(1), x=torch.ones(2))
