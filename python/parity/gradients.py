"""Which gradients a case asks for, and what stands beside them.

Cotangents are small dyadic numbers of both signs that differ from element to element: under
ones the gradient of a softmax is zero and proves nothing, and numbers that every dtype holds
exactly leave the rounding to the rule under test.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from parity import encode, record, replay
from parity.encode import Json

import torch


class NoGradientError(ValueError):
    """No output depends on a floating input, and the row names no input to ask for."""


def cotangent(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """-5/8, -3/8, … 7/8 in a cycle of seven that starts elsewhere for every shape."""
    values = [((k * 5 + len(shape)) % 7 - 3) / 4 + 0.125 for k in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).reshape(tuple(shape)).to(dtype)


def _floating(parameters: Mapping[str, Any]) -> list[str]:
    def is_floating(value: Any) -> bool:
        tensors = [one for one in replay.tensors_of(value) if one is not None]
        return bool(tensors) and all(
            isinstance(one, torch.Tensor) and one.is_floating_point() for one in tensors
        )

    return [name for name, value in parameters.items() if is_floating(value)]


def ask(case: Mapping[str, Json], wrt: Sequence[str] = ()) -> dict[str, Json]:
    """The backward pass for a case, with respect to these inputs.

    Without any: to every floating input that some output depends on.
    """
    parameters = replay.rebuild(case)
    asked = list(wrt) or _floating(parameters)
    made: list[torch.Tensor | None] = []

    def cotangents(outputs: list[torch.Tensor]) -> list[torch.Tensor | None]:
        made.extend(
            cotangent(output.shape, output.dtype) if output.requires_grad else None
            for output in outputs
        )
        return made

    try:
        found = iter(replay.differentiate(case["op"], parameters, asked, cotangents))
    except Exception:
        if not wrt:
            raise NoGradientError("no gradient to ask for") from None
        found = iter(())
        # What cannot be differentiated has no cotangents either, one null per output.
        if not made:
            made = [None] * len(replay.run(case)["outputs"])
    flows = {
        name: [None if leaf is None else next(found, None) for leaf in replay.tensors_of(value)]
        for name, value in parameters.items()
        if name in asked
    }
    return {
        "wrt": list(wrt)
        or [name for name, grads in flows.items() if any(grad is not None for grad in grads)],
        "grad_outputs": [None if one is None else encode.encode_tensor(one) for one in made],
    }


def grads_truth(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> Json:
    """The same gradients with every float widened to float64."""
    dtypes = {encode.DTYPES[name] for name in record.dtypes(case)}
    if "grads" not in outcome or not any(
        dtype.is_floating_point and dtype is not torch.float64 for dtype in dtypes
    ):
        return None
    with record.default_dtype(torch.float64):
        return replay.run_backward(case, record.widened(replay.rebuild(case))).get("grads")


def differentiated(recorded: record.Recorded, wrt: Sequence[str] = ()) -> record.Recorded:
    """A recorded call with its backward pass added."""
    if "error" in recorded.outcome:
        raise NoGradientError("the call raises, so nothing can be differentiated")
    case = recorded.case | {"backward": ask(recorded.case, wrt)}
    outcome = recorded.outcome | replay.run_backward(case, replay.rebuild(case))
    truth = grads_truth(case, outcome)
    if truth is not None:
        outcome |= {"grads_truth": truth}
    return record.Recorded(recorded.op, case, outcome)
