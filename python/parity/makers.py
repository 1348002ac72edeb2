"""What PyTorch's results owe to the maker of the processor, and no pin can take from them.

Intel's MKL has a square root for vectors of float32 and float64 that is IEEE's on Intel's own
processors and 1 ULP from it in one value of ten on others, whatever instructions it is held to.
The goldens hold what one of them gave; a fresh run on the other differs by so little.
"""

from collections.abc import Mapping
from typing import Any

from parity.encode import decode_tensor, dumps

import torch

# Ops that take that root, and by how many ULP their results may differ between makers.
ULPS = {
    "sqrt": 1,
    "pow": 1,
    # The gradients of orders such as 1.5 take the root of the elements and of the norm.
    "norm": 3,
    "linalg.vector_norm": 3,
}

_INTEGERS = {torch.float32: torch.int32, torch.float64: torch.int64}


def _place(tensor: torch.Tensor) -> torch.Tensor:
    """Each value's place among those of its dtype, both zeros at 0."""
    bits = tensor.view(_INTEGERS[tensor.dtype]).to(torch.int64)
    return torch.where(bits < 0, torch.iinfo(_INTEGERS[tensor.dtype]).min - bits, bits)


def _near(old: Mapping[str, Any], new: Mapping[str, Any], ulps: int) -> bool:
    """Whether two encoded tensors are floats of one shape and at most so many ULP apart."""
    a, b = decode_tensor(old), decode_tensor(new)
    if a.dtype != b.dtype or a.shape != b.shape or a.dtype not in _INTEGERS:
        return False
    both_nan = a.isnan() & b.isnan()
    infinite = a.isinf() | b.isinf() | a.isnan() | b.isnan()
    near = (_place(a.contiguous()) - _place(b.contiguous())).abs() <= ulps
    near &= a.signbit() == b.signbit()
    return bool((both_nan | torch.where(infinite, a == b, near)).all())


def only_by_maker(op: str, old: Any, new: Any) -> bool:
    """Whether two outcomes of an op differ by no more than the makers of processors do."""
    if op not in ULPS:
        return False

    def same(a: Any, b: Any) -> bool:
        if isinstance(a, dict) and isinstance(b, dict):
            if "dtype" in a and "dtype" in b:
                return dumps(a) == dumps(b) or _near(a, b, ULPS[op])
            return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(same, a, b))
        # 1 and 1.0 are equal in Python and not in a file.
        return type(a) is type(b) and bool(a == b)

    return same(old, new)
