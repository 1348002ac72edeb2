"""Which gradients a case asks for, and what stands beside them.

Cotangents are small dyadic numbers of both signs that differ from element to element: under
ones the gradient of a softmax is zero and proves nothing, and numbers that every dtype holds
exactly leave the rounding to the rule under test.
"""

import math
from collections.abc import Callable, Mapping, Sequence
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
    """The backward pass for a case: with respect to these inputs, or else to every floating
    input that some output depends on.
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


def complete(
    case: dict[str, Json], outcome: dict[str, Json], wrt: Sequence[str] = ()
) -> tuple[dict[str, Json], dict[str, Json]]:
    """A recorded case and its outcome, with the backward pass added."""
    if "error" in outcome:
        raise NoGradientError("the call raises, so nothing can be differentiated")
    case = case | {"backward": ask({key: value for key, value in case.items()}, wrt)}
    outcome = outcome | replay.run_backward(case, replay.rebuild(case))
    truth = grads_truth(case, outcome)
    return case, outcome if truth is None else outcome | {"grads_truth": truth}


# Central differences of a smooth function of float64 are right to about this, relative to the
# largest gradient: the step is the cube root of the rounding error.
_STEP = 2.0**-17
_AGREES = 1e-6


def disagreement(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> float:
    """How far a float64 case's gradients are from central finite differences, relative to the
    largest of them.
    """
    cotangents = [
        None if one is None else encode.decode_tensor(one)
        for one in case["backward"]["grad_outputs"]
    ]

    def value(parameters: Mapping[str, Any]) -> float:
        from parity import names

        result = names.invoke(case["op"], dict(parameters))
        outputs = replay.output_tensors(case["op"], parameters, result)
        pairs = zip(outputs, cotangents, strict=True)
        return float(sum((out * cot).sum() for out, cot in pairs if cot is not None))

    worst, largest = 0.0, 0.0
    for name in case["backward"]["wrt"]:
        grads = outcome["grads"][name]
        for place, grad in enumerate(grads if isinstance(grads, list) else [grads]):
            if grad is None:
                continue
            analytic = encode.decode_tensor(grad).flatten()
            for k in range(analytic.numel()):
                numeric = _central(case, name, place, k, value)
                worst = max(worst, abs(numeric - float(analytic[k])))
                largest = max(largest, abs(float(analytic[k])))
    return worst / max(largest, 1.0)


def _central(
    case: Mapping[str, Json],
    name: str,
    place: int,
    element: int,
    value: Callable[[Mapping[str, Any]], float],
) -> float:
    found = []
    for step in (_STEP, -_STEP):
        parameters = replay.rebuild(case)
        tensor = replay.tensors_of(parameters[name])[place]
        assert tensor is not None
        moved = tensor.contiguous().clone()
        moved.view(-1)[element] += step
        if isinstance(parameters[name], list):
            parameters[name][place] = moved
        else:
            parameters[name] = moved
        found.append(value(parameters))
    return (found[0] - found[1]) / (2 * _STEP)


def agrees(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> bool:
    """Whether a float64 case's gradients agree with finite differences."""
    return disagreement(case, outcome) <= _AGREES
