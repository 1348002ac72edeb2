"""What PyTorch declares about its functions: parameter names, kinds, defaults, overloads.

Two sources: the dispatcher's schemas (`aten::sum.dim_IntList(Tensor self, int[1]? dim, …)`)
for functions that are compiled, and `inspect.signature` for those written in Python. Both
bind a call's arguments to parameter names the way PyTorch's own parser would, so that
positional, keyword and varargs forms of a call come out the same.

    >>> bind_schema("sum", (x, 1), {}, method=True)
    {'input': x, 'dim': 1}
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

# Keywords that NumPy's users write, which PyTorch takes for its own.
_NUMPY_KEYWORDS = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}

# Arguments about where and how a result is allocated. On one CPU they say nothing.
_ALLOCATION = {"device", "pin_memory", "requires_grad"}

# Python types that PyTorch takes for dtypes.
_PYTHON_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64}


@dataclass(frozen=True)
class Parameter:
    """One parameter of one overload."""

    name: str
    kind: str  # as PyTorch spells it: Tensor, number, Optional[List[int]], …
    keyword_only: bool
    has_default: bool
    default: Any
    takes_one: bool  # a bare int stands for a list of one

    @property
    def is_self(self) -> bool:
        """Whether a method call puts its object here."""
        return self.name == "input"


@dataclass(frozen=True)
class Schema:
    """One overload of one function."""

    parameters: tuple[Parameter, ...]

    def names(self) -> tuple[str, ...]:
        """The parameter names in order."""
        return tuple(parameter.name for parameter in self.parameters)

    def only_int_list(self, *, method: bool) -> Parameter | None:
        """The parameter that takes all positional ints of a call, as in `x.view(2, 3)`."""
        positional = [
            parameter
            for parameter in self.parameters
            if not parameter.keyword_only and not (method and parameter.is_self)
        ]
        if len(positional) == 1 and "List[int]" in positional[0].kind:
            return positional[0]
        return None


# Keyword arguments that only the Python side of a compiled function knows.
_PYTHON_ONLY = {"nonzero": Parameter("as_tuple", "bool", True, True, False, False)}


@functools.cache
def _dispatched() -> frozenset[str]:
    return frozenset(torch._C._dispatch_get_all_op_names())


def _parameters(schema: Any) -> Iterator[Parameter]:
    outs = []
    for argument in schema.arguments:
        if argument.is_out:
            outs.append(argument)
            continue
        has_default = argument.has_default_value()
        yield Parameter(
            name="input" if argument.name == "self" else argument.name,
            kind=str(argument.real_type).replace("SymInt", "int"),
            keyword_only=argument.kwarg_only,
            has_default=has_default,
            default=argument.default_value if has_default else None,
            takes_one=argument.N == 1,
        )
    if outs:
        kind = "Tensor" if len(outs) == 1 else "List[Tensor]"
        yield Parameter("out", kind, True, False, None, False)


@functools.cache
def overloads(aten_name: str) -> tuple[Schema, ...]:
    """The overloads of `aten::<aten_name>` that a Python caller can reach."""
    found = []
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{aten_name}"):
        full = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
        # TorchScript adds overloads for plain numbers and lists; dimension names are no part
        # of the format.
        if full in _dispatched() and not any(
            "Dimname" in str(argument.real_type) for argument in schema.arguments
        ):
            extra = (_PYTHON_ONLY[aten_name],) if aten_name in _PYTHON_ONLY else ()
            found.append(Schema((*_parameters(schema), *extra)))
    # Overloads that write to a given tensor come last: only `out=` asks for them.
    return tuple(sorted(found, key=lambda schema: "out" in schema.names()))


@functools.cache
def is_random(aten_name: str) -> bool:
    """Whether any overload draws from a generator."""
    packet = getattr(torch.ops.aten, aten_name, None)
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        return False
    return any(
        torch.Tag.nondeterministic_seeded in getattr(packet, overload).tags
        for overload in packet.overloads()
    )


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_int_tensor(value: Any) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and not value.dim()
        and not value.is_floating_point()
        and value.dtype is not torch.bool
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.number)


def _accepts_list(kind: str, value: Any, *, lenient: bool) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return all(accepts(kind, item, lenient=lenient and kind == "int") for item in value)


_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, torch.Tensor),
    "int": _is_int,
    "float": lambda value: _is_number(value) and not isinstance(value, bool),
    "number": _is_number,
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "str": lambda value: isinstance(value, str),
    "ScalarType": lambda value: isinstance(value, torch.dtype),
    "Layout": lambda value: isinstance(value, torch.layout),
    "MemoryFormat": lambda value: isinstance(value, torch.memory_format),
    "Device": lambda value: isinstance(value, torch.device | str),
}


def accepts(kind: str, value: Any, *, takes_one: bool = False, lenient: bool = False) -> bool:
    """Whether a parameter of this kind takes this value.

    `lenient` lets a number stand for a tensor, and a tensor without dimensions for a number,
    as PyTorch does where no overload fits better.
    """
    if kind.startswith("Optional["):
        if value is None:
            return True
        kind = kind.removeprefix("Optional[").removesuffix("]")
    if kind.startswith("List["):
        kind = kind.removeprefix("List[").removesuffix("]")
        return _accepts_list(kind, value, lenient=lenient) or (
            takes_one and accepts(kind, value, lenient=lenient)
        )
    if lenient and kind == "Tensor" and _is_number(value):
        return True
    if lenient and kind == "int" and _is_int_tensor(value):
        return True
    if lenient and kind == "number" and isinstance(value, torch.Tensor):
        return not value.dim() and not value.requires_grad
    test = _ACCEPTS.get(kind)
    return test is not None and test(value)


def python_dtype(value: Any) -> Any:
    """The dtype that one of Python's own types stands for; anything else as it is."""
    return _PYTHON_DTYPES.get(value, value) if isinstance(value, type) else value


def plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments without those about allocation, and with Python types read as dtypes."""
    kept = {}
    for name, value in arguments.items():
        if name in _ALLOCATION:
            if name == "device" and value is not None and torch.device(value).type != "cpu":
                raise LookupError(f"device {value}")
            continue
        if name == "layout" and value in (None, torch.strided):
            continue
        kept[name] = python_dtype(value) if name == "dtype" else value
    return kept


def _same(left: Any, right: Any) -> bool:
    """Whether two arguments are one in kind and value."""
    return type(left) is type(right) and bool(left == right)


def _positional(schema: Schema, args: tuple[Any, ...], *, method: bool) -> dict[str, Any] | None:
    bound: dict[str, Any] = {}
    order = [parameter for parameter in schema.parameters if not parameter.keyword_only]
    if method:
        own = next((parameter for parameter in order if parameter.is_self), None)
        if own is None:
            return None
        bound[own.name], args = args[0], args[1:]
        order.remove(own)
    every = schema.only_int_list(method=method)
    if every and args and all(_is_int(arg) or _is_int_tensor(arg) for arg in args):
        args = (list(args),)
    if len(args) > len(order):
        return None
    return bound | {parameter.name: arg for parameter, arg in zip(order, args, strict=False)}


def _bind_one(
    schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool, lenient: bool
) -> dict[str, Any] | None:
    bound = _positional(schema, args, method=method)
    names = schema.names()
    if bound is None:
        return None
    for keyword, value in kwargs.items():
        name = keyword
        if keyword not in names:
            name = "input" if keyword == "self" else _NUMPY_KEYWORDS.get(keyword, keyword)
        if name not in names or name in bound:
            return None
        bound[name] = value
    for parameter in schema.parameters:
        if parameter.name not in bound:
            if not parameter.has_default:
                return None
        elif not accepts(
            parameter.kind, bound[parameter.name], takes_one=parameter.takes_one, lenient=lenient
        ):
            return None
    # None is written only where it is not the default.
    return {
        parameter.name: _plain_numbers(parameter, bound[parameter.name])
        for parameter in schema.parameters
        if parameter.name in bound and not (bound[parameter.name] is None and parameter.has_default)
    }


def _plain_numbers(parameter: Parameter, value: Any) -> Any:
    """The value, with tensors that were accepted for numbers read as numbers."""
    if "Tensor" in parameter.kind:
        return value
    if isinstance(value, list | tuple):
        return [_plain_numbers(parameter, item) for item in value]
    return value.item() if isinstance(value, torch.Tensor) else value


def bind_schema(
    aten_name: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool
) -> dict[str, Any] | None:
    """The arguments of a call by parameter name, or None where no overload fits."""
    if kwargs.get("out", ...) is None:
        kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    for lenient in (False, True):
        for schema in overloads(aten_name):
            bound = _bind_one(schema, args, kwargs, method=method, lenient=lenient)
            if bound is not None:
                return bound
    return None


def positional_form(
    aten_name: str, arguments: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Named arguments as (args, kwargs), by position as far as possible.

    For calls whose `input` is a number: PyTorch takes those by position only.
    """
    for schema in overloads(aten_name):
        if _bind_one(schema, (), arguments, method=False, lenient=True) is None:
            continue
        rest = dict(arguments)
        args = []
        for parameter in schema.parameters:
            if parameter.keyword_only or parameter.name not in rest:
                break
            args.append(rest.pop(parameter.name))
        return tuple(args), rest
    return (), arguments


def _einsum(equation: str, *operands: torch.Tensor) -> None: ...


# Functions whose own signature is only `*args`, with the one that they document.
_DOCUMENTED_SIGNATURES = {"einsum": inspect.signature(_einsum)}


@functools.cache
def signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """The Python signature, or None for compiled functions."""
    if not inspect.isfunction(function):
        return None
    if function.__name__ in _DOCUMENTED_SIGNATURES:
        return _DOCUMENTED_SIGNATURES[function.__name__]
    try:
        return inspect.signature(branch(function))
    except ValueError:
        # A Python wrapper around a compiled function, as `Tensor.pow` is.
        return None


def branch(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that has the signature, behind a switch on `return_indices` and the like."""
    while inspect.isfunction(function):
        inner = inspect.getclosurevars(function).nonlocals.get("if_true")
        if inner is None:
            break
        function = inner
    return function


def python_parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The public parameter names of a function written in Python."""
    found = signature(function)
    if found is None:
        return ()
    return tuple(
        "input" if name == "self" else name
        for name, parameter in found.parameters.items()
        if not name.startswith("_") and parameter.kind is not parameter.VAR_KEYWORD
    )


def bind_python(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments of a call of a Python function by parameter name, without defaults.

    Defaults are left out because PyTorch fills them in before anybody can watch the call.
    """
    found = signature(function)
    if found is None:
        return None
    try:
        bound = found.bind(*args, **kwargs)
    except TypeError:
        return None
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        parameter = found.parameters[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            # Several tensors may come one by one or as one list.
            listed = len(value) == 1 and isinstance(value[0], list | tuple)
            named[name] = list(value[0] if listed else value)
        elif not name.startswith("_") and not _same(value, parameter.default):
            named["input" if name == "self" else name] = value
    return named
