"""PyTorch calls by name: a Python call to an op with named parameters, and back.

An op is named as PyTorch's documentation names it: the documented `torch.<op>`, else
`torch.nn.functional.<op>`, else another `torch.<op>`, else `Tensor.<op>`, written bare;
`linalg.`, `special.` and `fft.` keep their prefix. The project's own functions
(`parity.extensions`) go by their names. Parameters have the names that PyTorch
takes as keywords. What does not follow from PyTorch's own declarations stands in tables.

    >>> name_call(torch.Tensor.__rsub__, (x, 1), {})
    Call(op='rsub', parameters={'input': x, 'other': 1}, in_place=False)
    >>> invoke("rsub", {"input": x, "other": 1})  # the same values as 1 - x
"""

import functools
import inspect
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from parity import encode, extensions, schemas

import torch
import torch.nn.functional
import torch.overrides


@dataclass(frozen=True)
class Call:
    """A call in the corpus's words. Parameters are the caller's own objects."""

    op: str
    parameters: dict[str, Any]
    in_place: bool = False


class NotACase(Exception):
    """A call that asks about a tensor or makes one; there is nothing to compare."""


class Unsupported(Exception):
    """The format cannot express this call. The text is the call's name and why."""


# Operators and other special methods that are functions under another name.
_DUNDERS = {
    "__add__": "add",
    "__radd__": "add",
    "__sub__": "sub",
    "__rsub__": "rsub",
    "__mul__": "mul",
    "__rmul__": "mul",
    "__truediv__": "div",
    "__div__": "div",
    "__floordiv__": "floor_divide",
    "__mod__": "remainder",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__and__": "bitwise_and",
    "__rand__": "bitwise_and",
    "__or__": "bitwise_or",
    "__ror__": "bitwise_or",
    "__xor__": "bitwise_xor",
    "__rxor__": "bitwise_xor",
    "__invert__": "bitwise_not",
    "__lshift__": "bitwise_left_shift",
    "__rshift__": "bitwise_right_shift",
    "__eq__": "eq",
    "__ne__": "ne",
    "__lt__": "lt",
    "__le__": "le",
    "__gt__": "gt",
    "__ge__": "ge",
    "__neg__": "neg",
    "__pos__": "positive",
    "__abs__": "abs",
}

# Operators whose left operand is not the tensor: the operands change places.
_SWAPPED_DUNDERS = {
    "__rpow__": "pow",
    "__rfloordiv__": "floor_divide",
    "__rmod__": "remainder",
    "__rmatmul__": "matmul",
    "__rlshift__": "bitwise_left_shift",
    "__rrshift__": "bitwise_right_shift",
}

_IN_PLACE_DUNDERS = {
    "__iadd__": "add",
    "__isub__": "sub",
    "__imul__": "mul",
    "__itruediv__": "div",
    "__idiv__": "div",
    "__ifloordiv__": "floor_divide",
    "__imod__": "remainder",
    "__ipow__": "pow",
    "__iand__": "bitwise_and",
    "__ior__": "bitwise_or",
    "__ixor__": "bitwise_xor",
    "__ilshift__": "bitwise_left_shift",
    "__irshift__": "bitwise_right_shift",
}

# Methods whose bare name belongs to another function.
_OWN_NAME_METHODS = {"unfold": "Tensor.unfold"}

# Conversion methods: `x.float()` is `x.to(torch.float32)`.
_CONVERSIONS = {
    "double": torch.float64,
    "float": torch.float32,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "long": torch.int64,
    "int": torch.int32,
    "short": torch.int16,
    "char": torch.int8,
    "byte": torch.uint8,
    "bool": torch.bool,
}

# Functions that answer in Python or make a tensor from Python data: no cases.
_NO_CASES = frozenset(
    "tensor as_tensor from_numpy asarray scalar_tensor sparse_coo_tensor frombuffer from_dlpack "
    "empty empty_like empty_strided empty_permuted new_tensor new_empty new_empty_strided "
    "tolist numpy cpu cuda size stride dim ndimension numel nelement element_size data_ptr "
    "storage storage_offset storage_type untyped_storage get_device is_contiguous is_pinned "
    "is_floating_point is_complex is_signed is_inference is_conj is_neg is_nonzero is_same_size "
    "is_set_to is_shared is_storage is_tensor requires_grad_ detach detach_ backward grad "
    "register_hook retain_grad result_type promote_types can_cast dim_order sparse_dim "
    "set_grad_enabled _set_grad_enabled is_grad_enabled set_default_dtype get_default_dtype "
    "manual_seed seed __len__ __bool__ __int__ __float__ __index__ __complex__ __repr__ __str__ "
    "__format__ __hash__ __iter__ __array__ __reduce_ex__ __deepcopy__ __dir__ __setstate__ "
    "__get__ __set__ __delete__ __reversed__ __contains__ share_memory_ pin_memory".split()
)

# Initialisations of `torch.nn.init` that draw no random numbers.
_CONSTANT_FILLS = frozenset("constant_ ones_ zeros_ eye_ dirac_".split())

# Names under which PyTorch's Python functions show up when they return indices as well.
_WITH_INDICES = "_with_indices"

# Parameters with another name in one form of a function.
_RENAMED = {("split", "split_size"): "split_size_or_sections", ("to", "other"): "tensor"}


def _in_training(bound: dict[str, Any]) -> bool:
    return bool(bound.get("training", True)) and bound.get("p", 0.5) != 0


# Functions that draw random numbers under a condition on their arguments. Others are known
# by their schemas.
_RANDOM_WHEN: dict[str, Callable[[dict[str, Any]], bool]] = {
    "dropout": _in_training,
    "dropout1d": _in_training,
    "dropout2d": _in_training,
    "dropout3d": _in_training,
    "alpha_dropout": _in_training,
    "feature_alpha_dropout": _in_training,
    "rrelu": lambda bound: bool(bound.get("training", False)),
    "scaled_dot_product_attention": lambda bound: bool(bound.get("dropout_p", 0.0)),
    "gumbel_softmax": lambda bound: True,
    "fractional_max_pool2d": lambda bound: True,
    "fractional_max_pool3d": lambda bound: True,
}

_NAMESPACES: dict[str, Any] = {
    "linalg": torch.linalg,
    "special": torch.special,
    "fft": torch.fft,
    "Tensor": torch.Tensor,
}

# Arguments beyond which a call of a Python function of PyTorch is the in-place one.
_INPLACE_FLAG = "inplace"


def _getitem(input: torch.Tensor, index: list[Any]) -> torch.Tensor:
    """Brackets, as a function of named parameters."""
    return operator.getitem(input, _key(index))


def _key(index: list[Any]) -> Any:
    # One item alone is what a user writes; a tuple of one differs only in one error's text.
    return index[0] if len(index) == 1 else tuple(index)


def _setitem(input: torch.Tensor, index: list[Any], value: Any) -> torch.Tensor:
    """Assignment to brackets, as a function that leaves its input alone."""
    copy = input.clone()
    copy[_key(index)] = value
    return copy


# Brackets, which have no function among PyTorch's own, with their parameters.
BRACKETS: dict[str, tuple[Callable[..., torch.Tensor], tuple[str, ...]]] = {
    "getitem": (_getitem, ("input", "index")),
    "setitem": (_setitem, ("input", "index", "value")),
}

# Several calls as one.
GRAPH = "graph"


def flat(result: Any) -> list[torch.Tensor]:
    """The tensors of a result, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for item in result for tensor in flat(item)]


def graph(*, steps: list[Any], **tensors: torch.Tensor) -> list[torch.Tensor]:
    """Several calls as one: `[op, parameter, value, …]` each, with the outputs of the last.

    Among the values `{"tensor": name}` is an input and `{"step": [k, i]}` output `i` of step `k`.
    See `parity.graphs`, which writes steps.
    """
    given = tuple(tensors.values())
    if torch.overrides.has_torch_function(given):
        overridden = torch.overrides.handle_torch_function
        result: list[torch.Tensor] = overridden(graph, given, steps=steps, **tensors)
        return result
    done: list[list[torch.Tensor]] = []

    def resolved(parameter: str, value: Any) -> Any:
        match value:
            case {"tensor": name}:
                return tensors[name]
            case {"step": [step, output]}:
                return done[step][output]
            case {"slice": [start, stop, end]}:
                return slice(start, stop, end)
            case list():
                return [resolved(parameter, item) for item in value]
            case "..." | "newaxis" if parameter == "index":
                return Ellipsis if value == "..." else None
        return encode.decode_argument(parameter, value)

    for op, *arguments in steps:
        pairs = zip(arguments[::2], arguments[1::2], strict=True)
        done.append(flat(invoke(op, {name: resolved(name, value) for name, value in pairs})))
    return done[-1]


@functools.cache
def resolve(op: str) -> Callable[..., Any]:
    """The PyTorch callable behind an op name. Methods take their object first."""
    if op in BRACKETS:
        return BRACKETS[op][0]
    if op == GRAPH:
        return graph
    if op in extensions.FUNCTIONS:
        return extensions.FUNCTIONS[op]
    prefix, _, bare = op.rpartition(".")
    if prefix:
        found = getattr(_NAMESPACES.get(prefix), bare, None)
    else:
        documented = getattr(torch, op, None)
        found = (
            (documented if getattr(documented, "__doc__", None) else None)
            or getattr(torch.nn.functional, op, None)
            or documented
            or getattr(torch.Tensor, op, None)
        )
    if not callable(found) or isinstance(found, type):
        raise LookupError(f"PyTorch has no function {op!r}")
    return found


def is_method(op: str) -> bool:
    """Whether the op is reached only as a method."""
    function = resolve(op)
    return op not in BRACKETS and function is getattr(
        torch.Tensor, op.removeprefix("Tensor."), None
    )


def aten_name(op: str) -> str:
    """The op's name among the dispatcher's schemas: `linalg_norm` for `linalg.norm`."""
    return str(resolve(op).__name__)


@functools.cache
def _public_names() -> dict[Callable[..., Any], str]:
    """Functions whose own name is not the one that they are documented under."""
    return {
        function: name
        for name, function in vars(torch.nn.functional).items()
        if inspect.isbuiltin(function) and function.__name__ != name and name[0] != "_"
    }


@functools.cache
def parameters(op: str) -> tuple[str, ...]:
    """All parameter names of an op, over its overloads and its Python signature."""
    if op in BRACKETS:
        return BRACKETS[op][1]
    if op == GRAPH:
        return ("steps",)
    function = resolve(op)
    names: dict[str, None] = {}
    for name in schemas.python_parameters(function):
        names[_RENAMED.get((op, name), name)] = None
    # A layer's Python signature is the public one; its kernel's parameters are not.
    if not names:
        for schema in schemas.overloads(aten_name(op)):
            for name in schema.names():
                names[_RENAMED.get((op, name), name)] = None
    return tuple(names)


def takes_tensor_list(op: str, parameter: str) -> bool:
    """Whether a parameter takes a list of tensors, so that an empty list is one of them."""
    if parameter in ("tensors", "operands", "matrices"):
        return True
    return any(
        "List" in declared.kind and "Tensor" in declared.kind
        for schema in schemas.overloads(aten_name(op))
        for declared in schema.parameters
        if declared.name == parameter
    )


def _property(name: str, tensor: torch.Tensor) -> Call:
    if name in ("T", "H") and tensor.dim() == 2 and not tensor.is_complex():
        return Call("t", {"input": tensor})
    if name in ("mT", "mH") and not tensor.is_complex():
        return Call("transpose", {"input": tensor, "dim0": -2, "dim1": -1})
    if name in ("T", "H", "mT", "mH", "real", "imag"):
        raise Unsupported(f"{name}: of a {tensor.dim()}-dimensional {tensor.dtype} tensor")
    raise NotACase(name)


def _tensor_from(sequence: list[Any]) -> torch.Tensor:
    """The tensor that PyTorch makes of a list inside brackets."""
    if not sequence:
        return torch.empty(0, dtype=torch.int64)
    try:
        made = torch.tensor(sequence)
    except (TypeError, ValueError, RuntimeError):
        raise Unsupported("brackets: a list of other things than numbers") from None
    if made.is_floating_point():
        raise Unsupported("brackets: a list of floats")
    return made


def _int(value: Any) -> int | None:
    return None if value is None else operator.index(value)


def _item(item: Any) -> Any:
    """One index of a bracket in the format's terms: lists and bools become tensors."""
    match item:
        case torch.Tensor() | None:
            return item
        case bool():
            return torch.tensor(item)
        case list() | tuple():
            return _tensor_from(list(item))
        case slice():
            try:
                return slice(_int(item.start), _int(item.stop), _int(item.step))
            except TypeError:
                raise Unsupported("brackets: a slice of other things than ints") from None
    if item is Ellipsis:
        return item
    try:
        return operator.index(item)
    except TypeError:
        raise Unsupported(f"brackets: an index of type {type(item).__name__}") from None


def _brackets(tensor: torch.Tensor, index: Any) -> dict[str, Any]:
    items = index if isinstance(index, tuple) else (index,)
    if isinstance(index, tuple) and len(items) == 1 and not tensor.dim():
        raise Unsupported("brackets: a tuple of one index on a tensor without dimensions")
    return {"input": tensor, "index": [_item(item) for item in items]}


def _conversion(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """`float()`, `type(dtype)` and `to(other)`: all are `to` with a dtype."""
    if name in _CONVERSIONS:
        given: dict[str, Any] = {"input": args[0], "dtype": _CONVERSIONS[name]} | kwargs
    elif name == "type":
        named = dict(zip(("input", "dtype", "non_blocking"), args, strict=False)) | kwargs
        if not isinstance(named.get("dtype"), torch.dtype):
            raise NotACase("type")
        given = named
    else:
        args = tuple(schemas.python_dtype(arg) for arg in args)
        bound = schemas.bind_schema("to", args, _as_other(kwargs), method=True)
        if bound is None:
            raise Unsupported("to: arguments of no known form")
        other = bound.pop("other", None)
        given = bound | ({"dtype": other.dtype} if other is not None else {})
    # Whether the copy blocks cannot be seen in its result.
    given.pop("non_blocking", None)
    return Call("to", schemas.plain(given))


def _as_other(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {"other" if name == "tensor" else name: value for name, value in kwargs.items()}


def _is_tensor_method(function: Any) -> bool:
    owner = getattr(function, "__objclass__", None)
    if owner is not None:
        return issubclass(torch.Tensor, owner)
    return getattr(function, "__module__", None) == "torch._tensor"


def _op_of(function: Any) -> tuple[str, bool]:
    """The op name of a PyTorch function, and whether it is a method."""
    name = function.__name__
    module = getattr(function, "__module__", None) or ""
    if _is_tensor_method(function):
        return _OWN_NAME_METHODS.get(name, name), True
    if not inspect.isbuiltin(function) and not inspect.isfunction(function):
        raise Unsupported(f"torch.ops.aten.{name}: a private form")
    for namespace in ("linalg", "special", "fft"):
        if name.startswith(f"{namespace}_") and module.endswith(f"_{namespace}"):
            return f"{namespace}.{name.removeprefix(f'{namespace}_')}", False
    return _public_names().get(function, name.removesuffix(_WITH_INDICES)), False


def function_name(function: Any) -> str:
    """What to call a PyTorch function in a report."""
    name = getattr(function, "__name__", str(function))
    if name == "__get__":
        return str(getattr(function.__self__, "__name__", name))
    return name


def name_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """A call that PyTorch is about to make, by op and parameter names."""
    name = function_name(function)
    if function is graph:
        return Call(GRAPH, kwargs)
    if getattr(function, "__name__", "") == "__get__":
        return _property(name, args[0])
    if name == "__getitem__":
        return Call("getitem", _brackets(args[0], args[1]))
    if name == "__setitem__":
        return Call("setitem", _brackets(args[0], args[1]) | {"value": args[2]}, in_place=True)
    if name in _NO_CASES or name.startswith(("_is_", "_has_", "_record_function_")):
        raise NotACase(name)
    if name == "to" or name == "type" or (name in _CONVERSIONS and _is_tensor_method(function)):
        return _conversion(name, args, kwargs)
    if name in _SWAPPED_DUNDERS:
        args = (args[1], args[0])
        return _by_schema(_SWAPPED_DUNDERS[name], args, {}, method=False)
    if name in _DUNDERS:
        return _by_schema(_DUNDERS[name], args, {}, method=False)
    if name in _IN_PLACE_DUNDERS:
        return _by_schema(_IN_PLACE_DUNDERS[name], args, {}, method=False, in_place=True)
    if name.startswith("_"):
        raise Unsupported(f"{name}: no public function")
    op, method = _op_of(function)
    in_place = op.endswith("_")
    op = op.rstrip("_") if in_place else op
    try:
        resolve(op)
        kwargs = schemas.plain(kwargs)
    except LookupError as error:
        raise Unsupported(f"{name}: {_why_unknown(function, error)}") from None
    if schemas.signature(function) is not None:
        return _by_signature(op, function, args, kwargs, in_place=in_place)
    return _by_schema(op, args, kwargs, method=method, in_place=in_place)


def _why_unknown(function: Any, error: LookupError) -> str:
    """Why a function has no op; most of those only fill their tensor."""
    name = function.__name__
    if not name.endswith("_"):
        return str(error)
    fills = getattr(function, "__module__", "") == "torch.nn.init" and name not in _CONSTANT_FILLS
    return "random" if fills or schemas.is_random(name) else "it only has a side effect"


def _by_schema(
    op: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool, in_place: bool = False
) -> Call:
    bound = schemas.bind_schema(aten_name(op), args, kwargs, method=method)
    if bound is None:
        raise Unsupported(f"{op}: arguments of no declared form")
    return _checked(op, bound, in_place=in_place)


def _by_signature(
    op: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    in_place: bool,
) -> Call:
    bound = schemas.bind_python(function, args, kwargs)
    if bound is None:
        raise Unsupported(f"{op}: arguments of no declared form")
    in_place = bool(bound.pop(_INPLACE_FLAG, False)) or in_place
    return _checked(op, bound, in_place=in_place)


def _checked(op: str, bound: dict[str, Any], *, in_place: bool) -> Call:
    draws = _RANDOM_WHEN.get(op)
    if draws(bound) if draws else schemas.is_random(aten_name(op)):
        raise Unsupported(f"{op}: random")
    known = parameters(op)
    named = {_RENAMED.get((op, name), name): value for name, value in bound.items()}
    # A method's object is the function's first parameter, whatever that is called.
    if "input" in named and "input" not in known and known:
        named = {known[0]: named.pop("input")} | named
    for name in named:
        if name not in known:
            raise Unsupported(f"{op}: {name} is no public parameter")
    return Call(op, named, in_place)


def invoke(op: str, arguments: dict[str, Any]) -> Any:
    """Call PyTorch by op and parameter names."""
    function = resolve(op)
    if is_method(op):
        rest = dict(arguments)
        own = rest.pop("input")
        return getattr(own, op.removeprefix("Tensor."))(**rest)
    found = schemas.signature(function)
    spread = [
        parameter.name
        for parameter in (found.parameters.values() if found else ())
        if parameter.kind is parameter.VAR_POSITIONAL
    ]
    if spread and spread[0] in arguments:
        return _invoke_spread(function, spread[0], arguments)
    if "input" in arguments and not isinstance(arguments["input"], torch.Tensor | list):
        args, rest = schemas.positional_form(aten_name(op), arguments)
        return function(*args, **rest)
    return function(**arguments)


def _invoke_spread(function: Callable[..., Any], spread: str, arguments: dict[str, Any]) -> Any:
    """Call a function that takes its tensors as separate positional arguments."""
    rest = dict(arguments)
    args = []
    found = schemas.signature(function)
    for name in found.parameters if found else ():
        if name == spread:
            args.extend(rest.pop(name))
            break
        args.append(rest.pop(name))
    return function(*args, **rest)


def _candidates() -> Iterator[str]:
    overridable = torch.overrides.get_overridable_functions()
    spaces: list[tuple[Any, str]] = [
        (torch, ""),
        (torch.functional, ""),
        (torch.nn.functional, ""),
        (torch.Tensor, ""),
        (torch.linalg, "linalg."),
        (torch.special, "special."),
        (torch.fft, "fft."),
    ]
    for space, prefix in spaces:
        # What PyTorch lists as overridable leaves out some functions, among them those that
        # take no tensor; what has a schema leaves out those written in Python.
        listed = {function.__name__ for function in overridable[space]}
        listed = {name.removeprefix(prefix.replace(".", "_")) for name in listed}
        for bare in listed | {name for name in vars(space) if _has_schema(prefix + name)}:
            name = _OWN_NAME_METHODS.get(bare, bare) if space is torch.Tensor else bare
            yield prefix + name.removesuffix(_WITH_INDICES)
    yield from _public_names().values()
    yield from (name for name in dir(torch.Tensor) if _has_schema(name))


def _has_schema(op: str) -> bool:
    try:
        return not op.startswith("_") and bool(schemas.overloads(aten_name(op)))
    except (LookupError, AttributeError):
        return False


@functools.cache
def catalogue() -> dict[str, tuple[str, ...]]:
    """Every PyTorch function by op name, with its parameter names; the project's own too."""
    found = {op: parameters(op) for op in (*BRACKETS, GRAPH, *extensions.FUNCTIONS)}
    for op in set(_candidates()):
        if op.endswith("_") or op.rpartition(".")[2].startswith("_"):
            continue
        try:
            known = parameters(op)
        except LookupError:
            continue
        # What takes nothing by name is a conversion or a question, never a case.
        if known:
            found[op] = known
    return dict(sorted(found.items()))
