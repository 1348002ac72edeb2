"""The project's own functions: reductions that PyTorch has not, as compositions of its calls.

    >>> sum_of_squares(torch.tensor([1.0, 2.0, 3.0]))
    tensor(14.)

A call is recorded as a case like a call of PyTorch's, and its golden value is what the
composition gives. `FUNCTIONS` names them all.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch

Dims = int | tuple[int, ...] | list[int] | None


def recordable(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """A function that a recorder sees as one call, and not the calls that it is made of."""

    @functools.wraps(function)
    def seen(input: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        if torch.overrides.has_torch_function_unary(input):
            overridden = torch.overrides.handle_torch_function
            result: torch.Tensor = overridden(seen, (input,), input, *args, **kwargs)
            return result
        return function(input, *args, **kwargs)

    return seen


@recordable
def sum_of_squares(input: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """The sum of the squares, each rounded to the input's dtype, in the order of `torch.sum`."""
    return (input * input).sum(dim, keepdim)


@recordable
def stable_prod(input: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """The product whose intermediate values neither overflow nor underflow.

    Factors are multiplied in row-major order, as float64 mantissas that are renormalised after
    every step, with an exact exponent beside them; the result is rounded to the dtype once. An
    output with a zero, subnormal, infinite or NaN factor is the product in the dtype instead, in
    the same order. Integers and bool give the wrapping int64 product.
    """
    shape = input.sum(dim, keepdim).shape
    rows = _rows(input, dim)
    if not input.is_floating_point():
        return rows.prod(-1).reshape(shape)
    mantissa = torch.full(rows.shape[:-1], 0.5, dtype=torch.float64)
    exponent = torch.ones(rows.shape[:-1], dtype=torch.int64)
    sequential = torch.ones(rows.shape[:-1], dtype=input.dtype)
    for factor in rows.unbind(-1):
        factor_mantissa, factor_exponent = torch.frexp(factor.to(torch.float64))
        mantissa, shift = torch.frexp(mantissa * factor_mantissa)
        exponent = exponent + factor_exponent + shift
        sequential = sequential * factor
    stable = _rounded(mantissa, exponent, input.dtype)
    normal = rows.isfinite() & (rows.abs() >= torch.finfo(input.dtype).tiny)
    return torch.where(normal.all(-1), stable, sequential).reshape(shape)


def _rows(input: torch.Tensor, dim: Dims) -> torch.Tensor:
    """The reduced dimensions as one, behind the others."""
    named = [dim] if isinstance(dim, int) else list(dim or range(input.dim()))
    reduced = sorted({d % max(input.dim(), 1) for d in named}) if input.dim() else []
    kept = [d for d in range(input.dim()) if d not in reduced]
    count = torch.Size([input.shape[d] for d in reduced]).numel()
    return input.permute(kept + reduced).reshape([*(input.shape[d] for d in kept), count])


def _rounded(mantissa: torch.Tensor, exponent: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Mantissa * 2^exponent as a whole number of the dtype's units in the last place."""
    info = torch.finfo(dtype)
    precision = 1 - round(torch.tensor(info.eps, dtype=torch.float64).log2().item())
    smallest = round(torch.tensor(info.tiny, dtype=torch.float64).log2().item()) - precision + 1
    unit = (exponent - precision).clamp(min=smallest)
    units = torch.round(mantissa * _power_of_two((exponent - unit).clamp(min=-2)))
    # In two steps, since the whole may lie outside the powers that float64 has.
    unit = unit.clamp(max=1100)
    half = unit.div(2, rounding_mode="floor")
    return (units * _power_of_two(half) * _power_of_two(unit - half)).to(dtype)


def _power_of_two(exponent: torch.Tensor) -> torch.Tensor:
    """2^exponent by its bits, since PyTorch's `ldexp` overflows beyond 2^127."""
    return ((exponent + 1023) << 52).view(torch.float64)


FUNCTIONS = {function.__name__: function for function in (sum_of_squares, stable_prod)}
