"""The project's own functions: recorded as one call, and what `stable_prod` promises."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from parity import encode, extensions, names
from parity.extensions import stable_prod, sum_of_squares

import numpy as np
import pytest
import torch
from helpers import watch

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", sorted(extensions.FUNCTIONS))
def test_one_call_is_recorded(name: str) -> None:
    recorder, scope, error = watch(f"{name}(a, 1)")
    assert error is None
    assert [recorded.op for recorded in recorder.calls] == [name]
    assert not recorder.unsupported
    assert torch.equal(scope["result"], extensions.FUNCTIONS[name](scope["a"], 1))


def test_the_catalogue_knows_them() -> None:
    for name, function in extensions.FUNCTIONS.items():
        assert names.resolve(name) is function
        assert names.catalogue()[name] == ("input", "dim", "keepdim")


def test_squares_are_rounded_to_the_dtype() -> None:
    x = torch.tensor([300.0, 1.0], dtype=torch.float16)
    assert sum_of_squares(x).item() == math.inf
    assert sum_of_squares(torch.tensor([100], dtype=torch.int8)).item() == 16


def test_partial_products_may_leave_the_range() -> None:
    x = torch.tensor([1e200, 1e200, 1e-200, 1e-200], dtype=torch.float64)
    assert x.prod().item() == math.inf
    assert stable_prod(x).item() == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize(
    "factors",
    [[0.0, 3.0], [-0.0, 3.0], [math.inf, 2.0], [math.nan, 2.0], [1e-45, 1e30, 1e30], [1e30, 0.0]],
)
def test_other_factors_are_multiplied_in_order(factors: list[float]) -> None:
    expected = torch.tensor(1.0)
    for factor in factors:
        expected = expected * torch.tensor(factor)
    found = stable_prod(torch.tensor(factors))
    assert encode.encode_tensor(found) == encode.encode_tensor(expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_results_are_those_of_exact_arithmetic(dtype: torch.dtype) -> None:
    """Few 16-bit factors have an exact float64 product, which is then rounded once."""
    rng = np.random.default_rng(5)
    count = {torch.float64: 1, torch.float32: 2}.get(dtype, 4)
    info = torch.finfo(dtype)
    span = math.log2(info.max) * 0.6
    for _ in range(300):
        values = rng.standard_normal(count) * 2.0 ** rng.uniform(-span, span, count)
        x = torch.tensor(values, dtype=dtype)
        if not bool((x.isfinite() & (x.abs() >= info.tiny)).all()):
            continue
        exact = math.prod((Fraction(value) for value in x.tolist()), start=Fraction(1))
        found = stable_prod(x).item()
        if math.isinf(found):
            assert abs(exact) > Fraction(info.max)
            continue
        near = torch.tensor(found, dtype=dtype)
        distance = abs(exact - Fraction(found))
        for direction in (math.inf, -math.inf):
            if dtype in (torch.float64, torch.float32):
                neighbour = torch.nextafter(near, torch.tensor(direction, dtype=dtype)).item()
            else:
                bits = near.view(torch.int16) + (1 if (direction > 0) == (found > 0) else -1)
                neighbour = bits.to(torch.int16).view(dtype).item()
            if math.isfinite(neighbour):
                assert distance <= abs(exact - Fraction(neighbour))


def _case_inputs() -> dict[str, Any]:
    fixture = json.loads((ROOT / "fixtures" / "products.json").read_text())
    return {case["id"]: case for case in fixture["cases"]}


def test_it_agrees_with_prod_where_prod_stays_in_range() -> None:
    """Each multiplication rounds by half a unit at most, on both sides."""
    outcomes = json.loads((ROOT / "golden" / "products.json").read_text())["outcomes"]
    cases = _case_inputs()
    pairs = [name for name in cases if name.startswith("products/prod/agrees-")]
    assert len(pairs) > 10
    for name in pairs:
        partner = name.replace("/prod/", "/stable_prod/")
        assert cases[name]["inputs"] == cases[partner]["inputs"]
        found, expected = (
            encode.decode_tensor(outcomes[case]["outputs"][0]).to(torch.float64)
            for case in (partner, name)
        )
        given = encode.decode_tensor(cases[name]["inputs"]["input"])
        factors = given.numel() // max(found.numel(), 1)
        bound = factors * torch.finfo(given.dtype).eps
        assert bool(((found - expected).abs() <= bound * expected.abs()).all()), name
