"""Calls PyTorch for a case given as JSON, and says what came of it in JSON.

    PYTHONPATH=python python -m parity.replay reduce/sum/dim1

runs one case of the tree and prints what PyTorch makes of it now. From Python:

    >>> run({"op": "sum", "inputs": {"input": {...}}, "attrs": {"dim": 1}})
    {'outputs': [{'dtype': 'float32', 'shape': [2], 'data': [3.0, 12.0]}]}

A recorded case and its replay have to give the same outcome to the last bit; the suite
writer holds every case to that.
"""

import argparse
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parity import encode, names
from parity.encode import Json

import torch

# Where in PyTorch's sources a warning was raised differs from build to build.
_TRIGGERED = re.compile(r" *\(Triggered internally at [^()]*\)")

# How PyTorch's argument parsers, and Python's, say that a call is not well formed.
_PARSER_ERRORS = re.compile(
    r"received an invalid combination of arguments"
    r"|\(\): argument '\w+'.* must be "
    r"|missing \d+ required (positional|keyword-only) argument"
    r"|unexpected keyword argument"
    r"|got multiple values for "
    r"|takes (from )?\d+ .*positional arguments? but"
    r"|takes no (keyword )?arguments"
    r"|unsupported operand type"
    r"|object cannot be interpreted as an integer"
    r"|only integer tensors of a single element can be converted to an index"
    r"|slice indices must be integers"
)


@dataclass
class Observation:
    """What a call did: its result or its exception, and the warnings on the way."""

    result: Any = None
    error: Exception | None = None
    warned: list[warnings.WarningMessage] = field(default_factory=list)


def observe(thunk: Callable[[], Any]) -> Observation:
    """Call, and keep whatever happens. Every warning is kept, repeats too."""
    seen = Observation()
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                seen.result = thunk()
            except Exception as error:
                seen.error = error
        seen.warned = list(caught)
    finally:
        torch.set_warn_always(always)
    return seen


def is_parser_error(error: Exception | None) -> bool:
    """Whether this is about how a call is written, which is no case."""
    return isinstance(error, TypeError) and bool(_PARSER_ERRORS.search(str(error)))


def _tensors(result: Any, like: torch.Tensor | None) -> Iterator[torch.Tensor]:
    match result:
        case torch.Tensor():
            yield result
        case bool():
            yield torch.tensor(result)
        case int() | float():
            # `item` gives the value of an element, so it has the element's dtype.
            yield torch.tensor(result, dtype=like.dtype if like is not None else None)
        case list() | tuple() if not isinstance(result, torch.Size):
            for item in result:
                yield from _tensors(item, like)
        case _:
            raise encode.Unencodable(f"a result of type {type(result).__name__}")


def output_tensors(op: str, parameters: Mapping[str, Any], result: Any) -> list[torch.Tensor]:
    """A result as a flat list of tensors; Python's numbers become tensors without dimensions."""
    like = parameters.get("input") if op == "item" else None
    return list(_tensors(result, like))


def outcome_of(op: str, parameters: Mapping[str, Any], seen: Observation) -> dict[str, Json]:
    """What a call did, as the golden file has it."""
    if seen.error is not None:
        return {"error": {"type": type(seen.error).__name__, "message": str(seen.error)}}
    outputs = output_tensors(op, parameters, seen.result)
    outcome: dict[str, Json] = {"outputs": [encode.encode_tensor(tensor) for tensor in outputs]}
    if seen.warned:
        outcome["warnings"] = [_TRIGGERED.sub("", str(warned.message)) for warned in seen.warned]
    return outcome


def _items(index: list[Json], tensors: Mapping[str, Any]) -> Iterator[Any]:
    for item in index:
        match item:
            case {"slice": [start, stop, step]}:
                yield slice(start, stop, step)
            case {"tensor": name}:
                yield tensors[name]
            case "...":
                yield Ellipsis
            case "newaxis":
                yield None
            case int():
                yield item
            case _:
                raise encode.Malformed(f"brackets have no index {item!r}")


def rebuild(case: Mapping[str, Json]) -> dict[str, Any]:
    """A case's arguments by parameter name, its tensors made anew."""
    tensors: dict[str, Any] = {}
    for name, value in case["inputs"].items():
        if isinstance(value, list):
            tensors[name] = [None if one is None else encode.decode_tensor(one) for one in value]
        else:
            tensors[name] = encode.decode_tensor(value)
    attrs = case["attrs"]
    if case["op"] in names.BRACKETS:
        index = list(_items(attrs["index"], tensors))
        given = {name: tensors[name] for name in ("input", "value") if name in tensors}
        if "value" in attrs:
            given["value"] = encode.decode_argument("value", attrs["value"])
        return given | {"index": index}
    return tensors | {name: encode.decode_argument(name, value) for name, value in attrs.items()}


def run(case: Mapping[str, Json]) -> dict[str, Json]:
    """The outcome of a case in the running PyTorch: outputs, warnings, grads, or an error."""
    parameters = rebuild(case)
    seen = observe(lambda: names.invoke(case["op"], parameters))
    outcome = outcome_of(case["op"], parameters, seen)
    if "backward" in case and seen.error is None:
        outcome |= run_backward(case, rebuild(case))
    return outcome


def tensors_of(value: Any) -> list[torch.Tensor | None]:
    """The tensors of an argument: one, or those of a list with its gaps."""
    return list(value) if isinstance(value, list) else [value]


def differentiate(
    op: str,
    parameters: dict[str, Any],
    wrt: Sequence[str],
    cotangents: Callable[[list[torch.Tensor]], Sequence[torch.Tensor | None]],
) -> list[torch.Tensor | None]:
    """Gradients with respect to the tensors of the named arguments, in order.

    `cotangents` is asked for one cotangent per output, `None` for one that takes no part.
    """
    leaves = [leaf for name in wrt for leaf in tensors_of(parameters[name]) if leaf is not None]
    for leaf in leaves:
        leaf.requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = output_tensors(op, parameters, names.invoke(op, parameters))
        given = cotangents(outputs)
        pairs = [pair for pair in zip(outputs, given, strict=True) if pair[1] is not None]
        # Where no output takes part PyTorch is asked all the same, for its refusal.
        taking_part, with_cotangents = zip(*pairs, strict=True) if pairs else (outputs[:1], None)
        found = torch.autograd.grad(
            list(taking_part), leaves, with_cotangents, allow_unused=True, materialize_grads=False
        )
    return list(found)


def _materialised(gradient: torch.Tensor) -> torch.Tensor:
    """A gradient that has memory: some formulas give zeros that only say that they are zeros."""
    plain = gradient.detach()
    return torch.zeros_like(plain) if plain._is_zerotensor() else plain


def run_backward(case: Mapping[str, Json], parameters: dict[str, Any]) -> dict[str, Json]:
    """The backward pass that a case asks for, on these arguments: `grads` or `backward_error`."""
    wrt, stored = case["backward"]["wrt"], case["backward"]["grad_outputs"]

    def cotangents(outputs: list[torch.Tensor]) -> list[torch.Tensor | None]:
        decoded = [None if one is None else encode.decode_tensor(one) for one in stored]
        return [
            # Widened arguments have widened outputs, and those need widened cotangents.
            None if cotangent is None else cotangent.to(output.dtype)
            for output, cotangent in zip(outputs, decoded, strict=True)
        ]

    try:
        found = iter(differentiate(case["op"], parameters, wrt, cotangents))
    except Exception as error:
        return {"backward_error": {"type": type(error).__name__, "message": str(error)}}
    grads: dict[str, Json] = {}
    for name in wrt:
        leaves = tensors_of(parameters[name])
        encoded = [
            None if gradient is None else encode.encode_tensor(_materialised(gradient))
            for gradient in (None if leaf is None else next(found) for leaf in leaves)
        ]
        grads[name] = encoded if isinstance(parameters[name], list) else encoded[0]
    return {"grads": grads}


def find(case_id: str, root: Path) -> dict[str, Json]:
    """The case of that id in the fixtures under `root`; `LookupError` if there is none."""
    path = root / "fixtures" / f"{case_id.partition('/')[0]}.json"
    if path.is_file():
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            if case["id"] == case_id:
                return dict(case)
    raise LookupError(f"{path} has no case {case_id}")


def main() -> int:
    """Run one case and print its outcome."""
    parser = argparse.ArgumentParser(description="Run one case in PyTorch and print what it does.")
    parser.add_argument("id", help="the case, such as reduce/sum/dim1")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    arguments = parser.parse_args()
    try:
        case = find(arguments.id, arguments.root)
    except LookupError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(encode.dumps(run(case)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
