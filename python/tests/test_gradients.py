from parity import gradients, record, replay, suite
from parity.suite import Row

import pytest
import torch


def make(expression: str, backward: tuple[str, ...] = (), **values: object) -> tuple[dict, dict]:
    row = Row("mul/x", expression, backward=backward)
    return suite.make_case("s", row, {"torch": torch, **values})


def test_gradients_are_those_of_autograd() -> None:
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 5.0], [7.0, 9.0]])
    case, outcome = make("a * b", a=a, b=b)
    assert case["backward"]["wrt"] == ["input", "other"]
    cotangent = torch.tensor(case["backward"]["grad_outputs"][0]["data"]).reshape(2, 2)
    assert outcome["grads"]["input"]["data"] == (cotangent * b).sum(0).tolist()
    assert outcome["grads"]["other"]["data"] == (cotangent * a).flatten().tolist()
    assert outcome["grads_truth"]["input"]["dtype"] == "float64"
    assert replay.run(case)["grads"] == outcome["grads"]


def test_cotangents_differ_and_none_is_zero() -> None:
    values = gradients.cotangent((7,), torch.float16).tolist()
    assert len(set(values)) == 7
    assert 0.0 not in values


def test_what_has_no_gradient_has_to_be_asked_for_by_name() -> None:
    integers = torch.tensor([1, 2])
    with pytest.raises(suite.Refused, match="no gradient"):
        make("a * a", a=integers)
    case, outcome = make("a * a", backward=("input",), a=integers)
    assert case["backward"] == {"wrt": ["input"], "grad_outputs": [None]}
    assert outcome["backward_error"]["type"] == "RuntimeError"


def test_a_call_that_raises_is_refused() -> None:
    with record.Recorder() as recorder, pytest.raises(RuntimeError):
        torch.mul(torch.zeros(2), torch.zeros(3))
    with pytest.raises(gradients.NoGradientError):
        gradients.differentiated(recorder.calls[-1])


def test_a_gradient_that_only_says_that_it_is_zero_is_written_as_zeros() -> None:
    row = Row("sgn/x", "torch.sgn(a)", backward=())
    _, outcome = suite.make_case("s", row, {"torch": torch, "a": torch.tensor([2.0, -3.0])})
    assert outcome["grads"]["input"]["data"] == [0.0, 0.0]
