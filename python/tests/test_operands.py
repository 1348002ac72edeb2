"""The compact operands: what they promise for every dtype, and the tables made of them."""

from parity import operands, record

import pytest
import torch

NAMES = operands.DTYPES.split()


@pytest.mark.parametrize("name", NAMES)
def test_three_values_of_every_dtype(name: str) -> None:
    dtype = getattr(torch, name)
    for make in (operands.few, operands.fewer):
        made = make(dtype)
        assert (made.shape, made.dtype) == ((3,), dtype)
        assert dtype is torch.bool or bool((made != 0).all())


@pytest.mark.parametrize("name", operands.FLOATING.split())
def test_special_values_hold_a_nan_without_a_sign(name: str) -> None:
    made = operands.special(getattr(torch, name))
    assert int(made.isnan().sum()) == 1
    assert not bool(made[made.isnan()].signbit().any())
    smallest = made[-1].double().abs().item()
    assert 0 < smallest < torch.finfo(made.dtype).tiny


@pytest.mark.parametrize("name", operands.INTEGRAL.split())
def test_divisors_cannot_end_the_process(name: str) -> None:
    dtype = getattr(torch, name)
    values = operands.divisors(dtype).tolist()
    assert 0 not in values
    assert dtype is not torch.int64 or -1 not in values


def test_no_recorder_sees_them() -> None:
    with record.Recorder() as recorder:
        operands.column(operands.special(torch.bfloat16))
        operands.waves(1, 5, torch.float16)
    assert not recorder.calls
    assert not recorder.unsupported


def test_pairs_are_all_or_one_of_every_dtype_in_each_place() -> None:
    every = operands.pairs("add", "{0} + {1}")
    assert len(every) == len(NAMES) ** 2
    chosen = [
        row.expression.split(" + ") for row in operands.pairs("add", "{0} + {1}", sparse=True)
    ]
    assert sorted(one for one, _ in chosen) == sorted(two for _, two in chosen) == sorted(NAMES)


def test_the_long_lengths_leave_three_elements_to_scalar_code() -> None:
    for name, length in operands.LONG.items():
        step = 64 // getattr(torch, name).itemsize
        assert length % step == 3
