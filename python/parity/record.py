"""Watches real PyTorch calls and turns each into a case and its golden outcome.

    >>> with Recorder() as recorder:
    ...     (x.sum(1) / 2).max()
    >>> [recorded.op for recorded in recorder.calls]
    ['sum', 'div', 'max']

Inputs are written down before the call, since the call may change them. What PyTorch's own
functions call inside is not seen: a case is a call that a user would write. An in-place call
is recorded as its functional form on a copy, and only if both do the same. Calls that the
format cannot express are counted by name in `Recorder.unsupported`.

As a command it records a whole program of yours (see `parity.command`):

    python -m parity.record SCRIPT.py --suite NAME [--root DIR] [--max-elements N] [-- ARGS]
"""

import collections
import contextlib
import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from parity import encode, names, replay
from parity.encode import Json

import torch
from torch.overrides import TorchFunctionMode


@dataclass
class Recorded:
    """One call: the case without an id, and what PyTorch made of it."""

    op: str
    case: dict[str, Json]
    outcome: dict[str, Json]


def _index_json(items: list[Any], inputs: dict[str, Json]) -> list[Json]:
    """Bracket items as JSON; their tensors join the inputs as index0, index1 and so on."""
    index: list[Json] = []
    for item in items:
        match item:
            case torch.Tensor():
                name = f"index{len(inputs) - 1}"
                inputs[name] = encode.encode_tensor(item, keep_layout=True)
                index.append({"tensor": name})
            case slice():
                index.append({"slice": [item.start, item.stop, item.step]})
            case None:
                index.append("newaxis")
            case int():
                index.append(item)
            case _:
                index.append("...")
    return index


def _is_tensor_list(op: str, name: str, value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    if not value:
        return names.takes_tensor_list(op, name)
    return any(isinstance(item, torch.Tensor) for item in value)


def _tensor_list(values: list[Any] | tuple[Any, ...]) -> list[Json]:
    encoded: list[Json] = []
    for value in values:
        if value is not None and not isinstance(value, torch.Tensor):
            raise encode.Unencodable("a list of tensors and other things")
        encoded.append(None if value is None else encode.encode_tensor(value, keep_layout=True))
    return encoded


def encode_case(call: names.Call) -> dict[str, Json]:
    """A call's op, inputs and attrs, with the tensors as they are now."""
    inputs: dict[str, Json] = {}
    attrs: dict[str, Json] = {}
    for name, value in call.parameters.items():
        if isinstance(value, torch.Tensor):
            inputs[name] = encode.encode_tensor(value, keep_layout=True)
        elif call.op in names.BRACKETS and name == "index":
            attrs[name] = _index_json(value, inputs)
        elif call.op == names.GRAPH and name == "steps":
            attrs[name] = value
        elif _is_tensor_list(call.op, name, value):
            inputs[name] = _tensor_list(value)
        else:
            attrs[name] = encode.encode_argument(value)
    return {"op": call.op, "inputs": inputs, "attrs": attrs}


# What an outcome holds beside what the call itself gave. Each looks at a finished case and
# outcome, and gives None where it does not apply.


def widened(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with every float tensor, and every floating dtype, widened to float64."""

    def widen(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return value.to(torch.float64)
        if isinstance(value, torch.dtype) and value.is_floating_point:
            return torch.float64
        return [widen(item) for item in value] if isinstance(value, list) else value

    return {name: widen(value) for name, value in parameters.items()}


def dtypes(case: Mapping[str, Json]) -> list[str]:
    """The dtypes of a case's tensors."""
    found: list[str] = []
    for value in case["inputs"].values():
        found += [one["dtype"] for one in (value if isinstance(value, list) else [value]) if one]
    return found


def _is_floating(dtype: str) -> bool:
    return encode.DTYPES[dtype].is_floating_point


@contextlib.contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Another default dtype for a while."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def truth(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> Json:
    """The same call with every float widened to float64: parallel to the outputs."""
    outputs = outcome["outputs"]
    floating = {name for name in dtypes(case) if _is_floating(name)}
    floating |= {output["dtype"] for output in outputs if _is_floating(output["dtype"])}
    if floating <= {"float64"}:
        return None
    parameters = widened(replay.rebuild(case))
    # For results whose dtype follows the default: quotients of integers, linspace, …
    with default_dtype(torch.float64):
        seen = replay.observe(lambda: names.invoke(case["op"], parameters))
    if seen.error is not None:
        return None
    found = replay.output_tensors(case["op"], parameters, seen.result)
    if len(found) != len(outputs):
        return None
    pairs = zip(outputs, found, strict=True)
    true = [
        encode.encode_tensor(tensor)
        if _is_floating(output["dtype"])
        and tensor.dtype is torch.float64
        and list(tensor.shape) == output["shape"]
        else None
        for output, tensor in pairs
    ]
    return true if any(true) else None


# Reductions whose rounding error lives on the scale of the sum of magnitudes.
_SUMS = {"sum", "mean", "nansum", "nanmean"}

# Products of matrices: the same call on magnitudes gives that scale.
PRODUCTS = frozenset(
    "matmul mm bmm mv dot vdot inner einsum linear addmm addmv addr baddbmm addbmm".split()
)


def magnitudes(value: Any) -> Any:
    """An argument with every number in it replaced by its magnitude, tensors in float64."""
    if isinstance(value, torch.Tensor):
        return value.to(torch.float64).abs()
    if isinstance(value, list):
        return [magnitudes(item) for item in value]
    return abs(value) if isinstance(value, int | float) else value


def abs_sum(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> Json:
    """Per output element the sum of |x| over what it reduces, in float64.

    Of products of matrices, what is reduced are products.
    """
    op = case["op"]
    if op not in _SUMS | PRODUCTS or not _is_floating(outcome["outputs"][0]["dtype"]):
        return None
    parameters = replay.rebuild(case)
    if op in PRODUCTS:
        positive = {name: magnitudes(value) for name, value in parameters.items()}
        return [encode.encode_tensor(names.invoke(op, positive))]
    magnitude = parameters["input"].to(torch.float64).abs()
    if op.startswith("nan"):
        magnitude = magnitude.nan_to_num(nan=0.0, posinf=torch.inf)
    over = torch.sum(magnitude, parameters.get("dim"), parameters.get("keepdim", False))
    return [encode.encode_tensor(over)]


# Gradients and the spread between capabilities join here as further entries.
BESIDE: dict[str, Callable[[Mapping[str, Json], Mapping[str, Json]], Json]] = {
    "truth": truth,
    "abs_sum": abs_sum,
}


def complete(case: Mapping[str, Json], outcome: dict[str, Json]) -> dict[str, Json]:
    """An outcome with everything that stands beside its outputs."""
    if "error" in outcome:
        return outcome
    done = {"outputs": outcome["outputs"]}
    for name, compute in BESIDE.items():
        value = compute(case, outcome)
        if value is not None:
            done[name] = value
    return done | outcome


# Python operators that PyTorch computes in two steps, each a call of its own.
_COMPOSITES: dict[str, Callable[[Any, Any], Any]] = {
    "__rdiv__": lambda tensor, number: tensor.reciprocal() * number,
    "__rtruediv__": lambda tensor, number: tensor.reciprocal() * number,
}


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


class Recorder(TorchFunctionMode):
    """Records the PyTorch calls made while it is active.

    Warnings are passed on and exceptions go their way, so a program runs as it would. Calls with
    a tensor of more than `max_elements` are counted by op in `too_large`; with `once`, a call
    that was recorded before is counted in `repeated`.
    """

    def __init__(self, *, max_elements: int | None = None, once: bool = False) -> None:
        super().__init__()
        self.calls: list[Recorded] = []
        self.unsupported: collections.Counter[str] = collections.Counter()
        self.too_large: collections.Counter[str] = collections.Counter()
        self.repeated = 0
        self._max_elements = max_elements
        self._once = once
        self._seen: set[bytes] = set()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Record one call, and make it."""
        kwargs = kwargs or {}
        composite = _COMPOSITES.get(names.function_name(func))
        if composite is not None:
            with self:
                return composite(*args, **kwargs)
        try:
            call = names.name_call(func, args, kwargs)
            if self._is_too_large(list(call.parameters.values())):
                self.too_large[call.op] += 1
                return func(*args, **kwargs)
            case = encode_case(call)
        except names.NotACase:
            return func(*args, **kwargs)
        except (names.Unsupported, encode.Unencodable) as why:
            return self._pass_by(func, args, kwargs, str(why))
        seen = replay.observe(lambda: func(*args, **kwargs))
        self._keep(names.function_name(func), call, case, seen)
        for warned in seen.warned:
            warnings.warn_explicit(warned.message, warned.category, warned.filename, warned.lineno)
        if seen.error is not None:
            raise seen.error
        return seen.result

    def _pass_by(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], why: str
    ) -> Any:
        """Make a call that cannot be recorded, and count it unless it is no call at all."""
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            if not replay.is_parser_error(error):
                self.unsupported[_reason(func, why)] += 1
            raise
        self.unsupported[_reason(func, why)] += 1
        return result

    def _keep(
        self, name: str, call: names.Call, case: dict[str, Json], seen: replay.Observation
    ) -> None:
        if replay.is_parser_error(seen.error):
            return
        if call.op == "setitem" and seen.error is None:
            # An assignment gives nothing: what it did is in the tensor.
            seen = replay.Observation(call.parameters["input"], None, seen.warned)
        if self._is_too_large(seen.result):
            self.too_large[call.op] += 1
            return
        if self._once and self._was_seen(case):
            self.repeated += 1
            return
        try:
            outcome = replay.outcome_of(call.op, call.parameters, seen)
        except encode.Unencodable as why:
            self.unsupported[f"{name}: {why}"] += 1
            return
        if call.in_place and encode.dumps(replay.run(case)) != encode.dumps(outcome):
            self.unsupported[f"{name}: in place it differs from {call.op}"] += 1
            return
        self.calls.append(Recorded(call.op, case, complete(case, outcome)))

    def _is_too_large(self, value: Any) -> bool:
        most = self._max_elements
        return most is not None and any(tensor.numel() > most for tensor in _tensors(value))

    def _was_seen(self, case: dict[str, Json]) -> bool:
        digest = hashlib.sha256(encode.dumps(case).encode()).digest()
        was_seen = digest in self._seen
        self._seen.add(digest)
        return was_seen


def _reason(func: Callable[..., Any], why: str) -> str:
    name = names.function_name(func)
    return why if ":" in why else f"{name}: {why}"


if __name__ == "__main__":
    # The command imports this module under its own name.
    from parity import command

    sys.exit(command.main())
