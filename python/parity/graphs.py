"""Graphs: several PyTorch calls as one case, so that gradients go back through all of them.

The op `graph` is the project's own. Its inputs are named by the program; `attrs.steps` is a list
of calls, each `[[names of its outputs], op, parameter, value, parameter, value, …]`, where
`{"tensor": name}` stands for an input or an earlier output. The outputs of the last step are
those of the case::

    >>> trace(lambda x: (x * x).sum(), {"x": x})["attrs"]["steps"]
    [[["t0"], "mul", "input", {"tensor": "x"}, "other", {"tensor": "x"}],
     [["t1"], "sum", "input", {"tensor": "t0"}]]
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from parity import encode, names, replay
from parity.encode import Json

import torch
from torch.overrides import TorchFunctionMode

OP = "graph"


class Untraceable(ValueError):
    """A program makes a call that no step can express."""


class _Tracer(TorchFunctionMode):
    """Writes down every call, tensors by name."""

    def __init__(self, inputs: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.inputs: dict[str, torch.Tensor] = dict(inputs)
        self.steps: list[Json] = []
        self._made = 0
        # By identity; the tensors are kept, so that no id is used twice.
        self._names = {id(tensor): (name, tensor) for name, tensor in inputs.items()}

    def _refer(self, tensor: torch.Tensor) -> Json:
        """A tensor's name; one that comes from outside the program joins its inputs."""
        if id(tensor) not in self._names:
            name = f"constant{len(self.inputs)}"
            self.inputs[name] = tensor
            self._names[id(tensor)] = (name, tensor)
        return {"tensor": self._names[id(tensor)][0]}

    def _value(self, value: Any) -> Json:
        match value:
            case torch.Tensor():
                return self._refer(value)
            case slice():
                return {"slice": [value.start, value.stop, value.step]}
            case list() | tuple():
                return [self._value(item) for item in value]
            case _ if value is Ellipsis:
                return "..."
            case _:
                return encode.encode_argument(value)

    def _index(self, items: list[Any]) -> Json:
        return ["newaxis" if item is None else self._value(item) for item in items]

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Make one call, and write it down unless it is no call of a function."""
        kwargs = kwargs or {}
        try:
            call = names.name_call(func, args, kwargs)
        except names.NotACase:
            return func(*args, **kwargs)
        except names.Unsupported as why:
            raise Untraceable(str(why)) from why
        if call.in_place:
            raise Untraceable(f"{call.op} in place")
        step: list[Json] = [[], call.op]
        for name, value in call.parameters.items():
            bracket = call.op == "getitem" and name == "index"
            step += [name, self._index(value) if bracket else self._value(value)]
        result = func(*args, **kwargs)
        for tensor in replay.output_tensors(call.op, call.parameters, result):
            name = f"t{self._made}"
            self._made += 1
            self._names[id(tensor)] = (name, tensor)
            step[0].append(name)
        self.steps.append(step)
        return result


def trace(program: Callable[..., Any], inputs: Mapping[str, torch.Tensor]) -> dict[str, Json]:
    """A program of PyTorch calls on named tensors as a case of the op `graph`."""
    tracer = _Tracer(inputs)
    with tracer:
        program(**inputs)
    return {
        "op": OP,
        "inputs": {
            name: encode.encode_tensor(tensor, keep_layout=True)
            for name, tensor in tracer.inputs.items()
        },
        "attrs": {"steps": tracer.steps},
    }


def _resolved(value: Json, tensors: Mapping[str, torch.Tensor]) -> Any:
    match value:
        case {"tensor": name}:
            return tensors[name]
        case {"slice": [start, stop, step]}:
            return slice(start, stop, step)
        case list():
            return [_resolved(item, tensors) for item in value]
        case _:
            return value


def _arguments(step: list[Json], tensors: Mapping[str, torch.Tensor]) -> Iterator[tuple[str, Any]]:
    for name, value in zip(step[2::2], step[3::2], strict=True):
        if step[1] == "getitem" and name == "index":
            words = {"...": Ellipsis, "newaxis": None}
            items = [words[item] if isinstance(item, str) else item for item in value]
            yield name, [_resolved(item, tensors) for item in items]
        elif isinstance(value, dict | list):
            yield name, _resolved(value, tensors)
        else:
            yield name, encode.decode_argument(name, value)


def run(steps: list[Json], tensors: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
    """Run the steps; gives the outputs of the last."""
    known = dict(tensors)
    outputs: list[torch.Tensor] = []
    for step in steps:
        parameters = dict(_arguments(step, known))
        result = names.invoke(step[1], parameters)
        outputs = replay.output_tensors(step[1], parameters, result)
        known |= zip(step[0], outputs, strict=True)
    return outputs
