import itertools

from parity import record, tensors
from parity.cross import cross, differentiable, named, needs_floats

import pytest
import torch

AXES = {
    "dtype": named("float32 int8 bool"),
    "values": named("ordinary ties nan_last"),
    "dim": {"dim0": "0", "": ""},
}


def test_every_admitted_pair_occurs_and_no_other() -> None:
    rows = cross(
        "sum",
        "{values}(3, dtype={dtype}).sum({dim})",
        unless=needs_floats,
        dtype=AXES["dtype"],
        values=AXES["values"],
        dim=AXES["dim"],
    )
    seen = {tuple(row.tail.removeprefix("sum/").split("-")) for row in rows}
    assert ("float32", "nan_last", "dim0") in seen or ("float32", "nan_last") in seen
    pairs = set(itertools.product(AXES["dtype"], AXES["values"]))
    pairs -= {("int8", "nan_last"), ("bool", "nan_last")}
    assert {chosen[:2] for chosen in seen} == pairs
    assert len(seen) == len(rows)


def test_snippets_stand_in_the_expression() -> None:
    rows = cross("sum", "x.sum({dim})", dim={"dim0": "0", "": ""})
    assert [(row.tail, row.expression) for row in rows] == [
        ("sum/dim0", "x.sum(0)"),
        ("sum/", "x.sum()"),
    ]


def test_differentiable_rows_ask_for_gradients() -> None:
    rows = cross("sum", "{dtype}.sum()", dtype=named("a b"))
    assert all(row.backward is None for row in rows)
    assert [row.backward for row in differentiable(rows)] == [(), ()]
    assert [row.backward for row in differentiable(rows, "input")] == [("input",), ("input",)]
    assert [row.tail for row in differentiable(rows)] == [row.tail for row in rows]


def test_a_snippet_may_name_another_axis() -> None:
    rows = cross("add", "torch.add({a}, {b})", a=named("x"), b={"twice": "2 * {a}"})
    assert [row.expression for row in rows] == ["torch.add(x, 2 * x)"]


@pytest.mark.parametrize("layout", list(tensors.LAYOUTS))
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (2, 0), (2, 3, 4)])
def test_a_layout_keeps_shape_and_values(layout: str, shape: tuple[int, ...]) -> None:
    tensor = tensors.ordinary(*shape)
    laid = tensors.LAYOUTS[layout](tensor)
    assert laid.shape == tensor.shape
    if layout != "expanded":
        assert torch.equal(laid, tensor)


@pytest.mark.parametrize("dtype", [*tensors.FLOATS, *tensors.INTEGERS, torch.bool, torch.uint32])
def test_every_kind_of_value_has_every_dtype_that_it_can(dtype: torch.dtype) -> None:
    for name, make in tensors.VALUES.items():
        if dtype.is_floating_point or name not in tensors.FLOATING_VALUES:
            made = make(2, 7, dtype=dtype)
            assert (made.shape, made.dtype) == ((2, 7), dtype)
    assert tensors.cancelling(3).tolist() == [1e8, 1.0, -1e8]


def test_makers_are_no_calls() -> None:
    with record.Recorder() as recorder:
        tensors.narrowed(tensors.nan_last(3, 4)).sum()
    assert [call.op for call in recorder.calls] == ["sum"]
    assert not recorder.unsupported
