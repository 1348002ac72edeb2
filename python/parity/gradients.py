"""Which gradients a case asks for, and what stands beside them.

Cotangents are small dyadic numbers of both signs that differ from element to element: under
ones the gradient of a softmax is zero and proves nothing, and numbers that every dtype holds
exactly leave the rounding to the rule under test.
"""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from parity import encode, names, record, replay
from parity.encode import Json

import torch


class NoGradientError(ValueError):
    """No output depends on a floating input, and the row names no input to ask for."""


class NoLossError(NoGradientError):
    """What is said to be a loss is no number."""


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


def ask(
    case: Mapping[str, Json], wrt: Sequence[str] = (), *, loss: bool = False
) -> dict[str, Json]:
    """The backward pass for a case, with respect to these inputs.

    Without any: to every floating input that some output depends on. The cotangent of a `loss`,
    a number, is 1.
    """
    parameters = replay.rebuild(case)
    asked = list(wrt) or _floating(parameters)
    made: list[torch.Tensor | None] = []

    def cotangents(outputs: list[torch.Tensor]) -> list[torch.Tensor | None]:
        if loss and [output.dim() for output in outputs] != [0]:
            raise NoLossError("a loss is one number")
        made.extend(
            (torch.ones(()).to(output.dtype) if loss else cotangent(output.shape, output.dtype))
            if output.requires_grad
            else None
            for output in outputs
        )
        return made

    try:
        found = iter(replay.differentiate(case["op"], parameters, asked, cotangents))
    except NoLossError:
        raise
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


def grads_abs_sum(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> Json:
    """Per element of a matrix product's gradients the sum of |products| that it is, in float64."""
    if "grads" not in outcome or case["op"] not in record.PRODUCTS:
        return None
    backward = dict(case["backward"])
    backward["grad_outputs"] = [
        None if one is None else encode.encode_tensor(encode.decode_tensor(one).abs().double())
        for one in backward["grad_outputs"]
    ]
    magnitudes = {name: record.magnitudes(value) for name, value in replay.rebuild(case).items()}
    return replay.run_backward({**case, "backward": backward}, magnitudes).get("grads")


# Central differences of a smooth function of float64 are right to about this, relative to the
# largest gradient: the step is near the cube root of the rounding error.
_STEP = 2.0**-17
AGREE = 1e-6

# Where the differences to the left and to the right are further apart, there is a kink or a jump.
_SMOOTH = 1e-3

# Elements of one input that are tried.
_TRIED = 48


def distance_from_differences(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> float:
    """How far gradients are from central differences, relative to the largest of them.

    Zero where there is nothing to compare: gradients of other dtypes than float64, and elements
    in which the function is not smooth or not finite.
    """
    dtypes = {name for name in record.dtypes(case) if encode.DTYPES[name].is_floating_point}
    outputs = {one["dtype"] for one in outcome.get("outputs", ()) if one["dtype"] != "float64"}
    if "grads" not in outcome or dtypes != {"float64"} or any("float" in name for name in outputs):
        return 0.0
    cotangents = [
        None if one is None else encode.decode_tensor(one)
        for one in case["backward"]["grad_outputs"]
    ]

    def value(parameters: dict[str, Any]) -> float:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            try:
                result = names.invoke(case["op"], parameters)
            except RuntimeError:
                # A step beyond where the function is defined.
                return math.nan
        pairs = zip(replay.output_tensors(case["op"], parameters, result), cotangents, strict=True)
        return float(sum((out * given).sum() for out, given in pairs if given is not None))

    worst, largest = 0.0, 1.0
    for name in case["backward"]["wrt"]:
        grads = outcome["grads"][name]
        for place, grad in enumerate(grads if isinstance(grads, list) else [grads]):
            analytic = [] if grad is None else encode.decode_tensor(grad).flatten().tolist()
            for element, slope in itertools.islice(enumerate(analytic), _TRIED):
                numeric = _central(value, list(_moved(case, name, place, element)))
                if numeric is None:
                    continue
                # Infinite where the gradient is not finite and the function is smooth.
                apart = abs(numeric - slope) if math.isfinite(slope) else math.inf
                worst, largest = max(worst, apart), max(largest, abs(numeric))
    return worst / largest


def _moved(
    case: Mapping[str, Json], name: str, place: int, element: int
) -> Iterator[tuple[float, dict[str, Any]]]:
    """A case's arguments with one element a step lower, as it is, and a step higher."""
    for direction in (-1, 0, 1):
        parameters = replay.rebuild(case)
        tensor = replay.tensors_of(parameters[name])[place]
        assert tensor is not None
        moved = tensor.contiguous().clone()
        before = float(moved.view(-1)[element])
        if direction:
            moved.view(-1)[element] += direction * _STEP * max(1.0, abs(before))
        if isinstance(parameters[name], list):
            parameters[name][place] = moved
        else:
            parameters[name] = moved
        yield float(moved.view(-1)[element]), parameters


def _central(
    value: Callable[[dict[str, Any]], float], moved: list[tuple[float, dict[str, Any]]]
) -> float | None:
    """The derivative by differences; none where the function is not smooth."""
    (left, middle, right) = (value(parameters) for _, parameters in moved)
    (lower, at, higher) = (x for x, _ in moved)
    if not all(math.isfinite(each) for each in (left, middle, right)) or not lower < at < higher:
        return None
    below, above = (middle - left) / (at - lower), (right - middle) / (higher - at)
    if abs(above - below) > _SMOOTH * max(1.0, abs(above), abs(below)):
        return None
    return (right - left) / (higher - lower)


def differentiated(
    recorded: record.Recorded, wrt: Sequence[str] = (), *, loss: bool = False
) -> record.Recorded:
    """A recorded call with its backward pass added."""
    if "error" in recorded.outcome:
        raise NoGradientError("the call raises, so nothing can be differentiated")
    case = recorded.case | {"backward": ask(recorded.case, wrt, loss=loss)}
    outcome = recorded.outcome | replay.run_backward(case, replay.rebuild(case))
    truth = grads_truth(case, outcome)
    if truth is not None:
        outcome |= {"grads_truth": truth}
    scale = grads_abs_sum(case, outcome)
    if scale is not None:
        outcome |= {"grads_abs_sum": scale}
    return record.Recorded(recorded.op, case, outcome)
