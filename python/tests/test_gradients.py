from dataclasses import replace

from parity import gradients, graphs, record, replay, suite
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


def test_a_loss_has_the_cotangent_one() -> None:
    row = Row("sum/x", "a.sum()", backward=(), loss=True)
    case, outcome = suite.make_case("s", row, {"a": torch.tensor([1.0, 2.0])})
    assert case["backward"]["grad_outputs"][0]["data"] == [1.0]
    assert outcome["grads"]["input"]["data"] == [1.0, 1.0]
    with pytest.raises(suite.Refused, match="one number"):
        suite.make_case("s", Row("mul/x", "a * a", backward=(), loss=True), {"a": torch.ones(2)})


def distance(expression: str, **values: torch.Tensor) -> float:
    with record.Recorder() as recorder:
        eval(expression, {"torch": torch, **values})
    recorded = gradients.differentiated(recorder.calls[-1])
    return gradients.distance_from_differences(recorded.case, recorded.outcome)


def test_float64_gradients_agree_with_central_differences() -> None:
    x = torch.tensor([0.3, -1.7, 2.5], dtype=torch.float64)
    assert 0.0 < distance("torch.sin(x)", x=x) < gradients.AGREE
    assert distance("torch.sin(x)", x=x.float()) == 0.0


def test_kinks_and_jumps_are_left_out() -> None:
    assert distance("x.abs()", x=torch.zeros(2, dtype=torch.float64)) == 0.0
    assert distance("x.floor()", x=torch.ones(2, dtype=torch.float64)) == 0.0


def test_a_gradient_that_is_no_derivative_has_to_say_why() -> None:
    # The root in the branch that is not taken makes NaN of a function that is smooth there.
    x = torch.tensor([-1.0, 4.0], dtype=torch.float64)
    expression = "graph(lambda x: torch.where(x > 0, x.sqrt(), x), x=x)"
    values = {"graph": graphs.graph, "torch": torch, "x": x}
    row = Row("graph/x", expression, backward=())
    with pytest.raises(suite.Refused, match="no_derivative"):
        suite.make_case("s", row, values)
    reason = "the branch that is not taken is NaN"
    case, _ = suite.make_case("s", replace(row, no_derivative=reason), values)
    assert case["note"] == reason
    agreeing = Row("graph/x", "graph(lambda x: x * 2, x=x)", backward=(), no_derivative=reason)
    with pytest.raises(suite.Refused, match="agree"):
        suite.make_case("s", agreeing, values)


def test_the_scale_of_a_products_gradients() -> None:
    case, outcome = make_op("matmul", "a @ b", a=torch.tensor([[1.0, -2.0]]), b=torch.ones(2, 1))
    cotangent = case["backward"]["grad_outputs"][0]["data"][0]
    assert outcome["grads_abs_sum"]["other"]["data"] == [abs(cotangent), 2 * abs(cotangent)]


def make_op(op: str, expression: str, **values: torch.Tensor) -> tuple[dict, dict]:
    return suite.make_case("s", Row(f"{op}/x", expression, backward=()), {"torch": torch, **values})


def test_a_gradient_that_only_says_that_it_is_zero_is_written_as_zeros() -> None:
    row = Row("sgn/x", "torch.sgn(a)", backward=())
    _, outcome = suite.make_case("s", row, {"torch": torch, "a": torch.tensor([2.0, -3.0])})
    assert outcome["grads"]["input"]["data"] == [0.0, 0.0]
