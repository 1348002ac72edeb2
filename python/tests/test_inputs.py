"""Input values: right to the last bit, whatever library the host has."""

import math

from parity.inputs import sines

import numpy as np


def test_sines_are_near_the_library_s() -> None:
    found = sines(2000)
    for k in range(2000):
        assert abs(found[k] - math.sin(k)) <= math.ulp(math.sin(k))


def test_known_values() -> None:
    # Correctly rounded, from the digits of sin(1) and sin(22), the latter near a multiple of pi.
    found = sines(23)
    assert found[0] == 0.0
    assert found[1] == 0.8414709848078965
    assert found[22] == -0.008851309290403876


def test_values_do_not_depend_on_the_count() -> None:
    assert np.array_equal(sines(100), sines(5000)[:100])
