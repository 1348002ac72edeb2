"""Input values that are the same on every host.

Sines come from integer arithmetic, not from a library whose last bit depends on the
processor's vector width, and are correctly rounded to float64. From there PyTorch or NumPy
only narrows them, which IEEE 754 fixes.

    >>> sines(3)  # sin(0), sin(1), sin(2)
    array([0.        , 0.84147098, 0.90929743])
"""

import functools

import numpy as np
from numpy.typing import NDArray

# Fixed point with this many fractional bits. Each step of the recurrence below loses at most
# two units in the last place, so some 200 bits stay right over millions of steps.
_BITS = 256


def _series(first: int) -> int:
    """1/first! - 1/(first+2)! + 1/(first+4)! and so on: sin(1) for first = 1, cos(1) for 0."""
    total, magnitude, sign, n = 0, 1 << _BITS, 1, first
    while magnitude:
        total += sign * magnitude
        magnitude //= (n + 1) * (n + 2)
        sign, n = -sign, n + 2
    return total


@functools.cache
def sines(count: int) -> NDArray[np.float64]:
    """sin(0), sin(1), … sin(count - 1), each the nearest float64."""
    sine_1, cosine_1 = _series(1), _series(0)
    sine, cosine = 0, 1 << _BITS
    values = []
    for _ in range(count):
        # Python divides integers with one correct rounding, whatever their size.
        values.append(sine / (1 << _BITS))
        sine, cosine = (
            (sine * cosine_1 + cosine * sine_1) >> _BITS,
            (cosine * cosine_1 - sine * sine_1) >> _BITS,
        )
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
