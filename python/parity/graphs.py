"""Graphs: several PyTorch calls as one case, so that gradients go back through all of them.

`graph` traces a program on named tensors and is itself one recordable call. The case's inputs
are the program's tensors, and `attrs.steps` lists its calls, each `[op, parameter, value, …]`:
`{"tensor": "x"}` is an input, `{"step": [0, 1]}` the second output of the first step. The
outputs of the case are those of the last step.

    >>> graph(lambda x: (x * x).sum(), x=torch.tensor([1.0, 2.0]))
    [tensor(5.)]

has the steps `["mul","input",{"tensor":"x"},"other",{"tensor":"x"}]` and
`["sum","input",{"step":[0,0]}]`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from parity import encode, names
from parity.encode import Json

import torch
from torch.overrides import TorchFunctionMode


class _Tracer(TorchFunctionMode):
    """Writes down every call of a program, its tensors by where they come from."""

    def __init__(self, inputs: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.inputs: dict[str, torch.Tensor] = dict(inputs)
        self.steps: list[Json] = []
        # By identity; the tensors are kept, so that no identity comes up twice.
        self._known: dict[int, tuple[Json, torch.Tensor]] = {
            id(tensor): ({"tensor": name}, tensor) for name, tensor in inputs.items()
        }

    def _reference(self, tensor: torch.Tensor) -> Json:
        if id(tensor) not in self._known:
            name = f"constant{len(self.inputs)}"
            self.inputs[name] = tensor
            self._known[id(tensor)] = ({"tensor": name}, tensor)
        return self._known[id(tensor)][0]

    def _value(self, value: Any) -> Json:
        match value:
            case torch.Tensor():
                return self._reference(value)
            case slice():
                return {"slice": [value.start, value.stop, value.step]}
            case list() | tuple():
                return [self._value(item) for item in value]
        return encode.encode_argument(value)

    def _index(self, items: list[Any]) -> Json:
        words = {Ellipsis: "...", None: "newaxis"}
        return [
            words[item] if item is None or item is Ellipsis else self._value(item) for item in items
        ]

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
        if call.in_place:
            raise names.Unsupported(f"graph: {call.op} in place")
        step: list[Json] = [call.op]
        for name, value in call.parameters.items():
            bracket = call.op in names.BRACKETS and name == "index"
            step += [name, self._index(value) if bracket else self._value(value)]
        result = func(*args, **kwargs)
        for place, tensor in enumerate(names.flat(result)):
            self._known[id(tensor)] = ({"step": [len(self.steps), place]}, tensor)
        self.steps.append(step)
        return result


def graph(program: Callable[..., Any], **inputs: torch.Tensor) -> list[torch.Tensor]:
    """Run a program of PyTorch calls as one call of the op `graph`.

    Tensors that the program has from elsewhere become further inputs.
    """
    tracer = _Tracer(inputs)
    with tracer:
        program(**inputs)
    return names.graph(steps=tracer.steps, **tracer.inputs)
