import copy

from parity.encode import encode_tensor
from parity.makers import only_by_maker

import torch


def outcome(*values: float, dtype: torch.dtype = torch.float32) -> dict[str, object]:
    return {"outputs": [encode_tensor(torch.tensor(values, dtype=dtype))], "warnings": ["w"]}


def next_after(value: float, times: int = 1) -> float:
    x = torch.tensor(value)
    for _ in range(times):
        x = torch.nextafter(x, torch.tensor(torch.inf))
    return x.item()


def test_a_ulp_of_a_root_is_the_makers() -> None:
    old, new = outcome(1.5, 2.0, float("nan")), outcome(next_after(1.5), 2.0, float("nan"))
    assert only_by_maker("sqrt", old, new)
    assert only_by_maker("sqrt", new, old)
    assert not only_by_maker("exp", old, new)


def test_more_than_that_is_a_difference() -> None:
    old = outcome(1.5, 2.0)
    assert not only_by_maker("sqrt", old, outcome(next_after(1.5, 2), 2.0))
    assert only_by_maker("norm", old, outcome(next_after(1.5, 3), 2.0))
    assert not only_by_maker("sqrt", old, outcome(float("nan"), 2.0))
    assert not only_by_maker("sqrt", outcome(float("inf")), outcome(3.4028234663852886e38))
    assert not only_by_maker("sqrt", old, outcome(1.5, 2.0, dtype=torch.float64))
    assert not only_by_maker("sqrt", old, outcome(1.5))
    assert not only_by_maker("sqrt", outcome(0.0), outcome(-0.0))


def test_all_else_has_to_be_the_same() -> None:
    old = outcome(1.5)
    new = copy.deepcopy(outcome(next_after(1.5)))
    new["warnings"] = ["another"]
    assert not only_by_maker("sqrt", old, new)
    assert not only_by_maker("sqrt", old, {"error": {"type": "RuntimeError", "message": "m"}})
