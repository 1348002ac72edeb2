import math

import parity
import spread

import pytest
import torch


def apart(one: list[float], other: list[float], dtype: torch.dtype = torch.float32) -> object:
    return spread._distance(torch.tensor(one, dtype=dtype), torch.tensor(other, dtype=dtype))


def test_equal_tensors_are_not_apart() -> None:
    assert apart([1.0, math.nan], [1.0, math.nan]) is None
    assert apart([0.0], [-0.0]) is None


def test_distances_are_in_ulp_and_absolute() -> None:
    assert apart([1.0], [1.0 + 2.0**-22]) == {"ulp": 2, "abs": 2.0**-22}
    assert apart([1.0], [1.0 - 2.0**-24]) == {"ulp": 1, "abs": 2.0**-24}
    # Across zero: one step down to it and one beyond.
    smallest = 2.0**-149
    assert apart([smallest], [-smallest]) == {"ulp": 2, "abs": 2 * smallest}


def test_what_is_no_number_has_no_bound() -> None:
    found = apart([math.inf], [1.0])
    assert isinstance(found, dict)
    assert found["abs"] is None
    assert spread._distance(torch.zeros(2), torch.zeros(3)) == {"ulp": None, "abs": None}


def test_a_case_that_this_host_sees_further_apart_is_named() -> None:
    stored = {"s/sum/a": {"ulp": 2, "abs": 1.0}}
    assert list(spread._beyond(stored, {"s/sum/a": {"ulp": 2, "abs": 1.0}})) == []
    assert len(list(spread._beyond(stored, {"s/sum/a": {"ulp": 3, "abs": 1.0}}))) == 1
    assert len(list(spread._beyond(stored, {"s/sum/b": {"ulp": 1, "abs": 1.0}}))) == 1


@pytest.mark.parametrize("conditions", spread.CONDITIONS)
def test_other_conditions_are_never_those_of_golden_values(conditions: str) -> None:
    assert parity.pins(conditions) != parity.PINS
    assert parity.pins(conditions)["OMP_NUM_THREADS"] == conditions[-1]
