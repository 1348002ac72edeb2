"""What the recorder writes down for calls of every form, and what it leaves alone."""

import math
import warnings

from parity import encode, names, record, replay

import pytest
import torch
from helpers import last, namespace, watch


def outputs(recorded: record.Recorded) -> list[torch.Tensor]:
    return [encode.decode_tensor(one) for one in recorded.outcome["outputs"]]


def test_the_example_of_the_format() -> None:
    recorded = last("torch.arange(6.).reshape(2, 3).sum(1)")
    assert recorded.case == {
        "op": "sum",
        "inputs": {
            "input": {"dtype": "float32", "shape": [2, 3], "data": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}
        },
        "attrs": {"dim": 1},
    }
    assert recorded.outcome["outputs"] == [{"dtype": "float32", "shape": [2], "data": [3.0, 12.0]}]


def test_inputs_and_attrs_are_always_there() -> None:
    assert last("torch.zeros(2)").case["inputs"] == {}
    assert last("a.exp()").case["attrs"] == {}


@pytest.mark.parametrize(
    ("expression", "index"),
    [
        ("a[1]", [1]),
        ("a[-1:, ::2]", [{"slice": [-1, None, None]}, {"slice": [None, None, 2]}]),
        ("a[..., None]", ["...", "newaxis"]),
        ("a[()]", []),
        ("a[i, 0]", [{"tensor": "index0"}, 0]),
        ("a[i, [0, 2]]", [{"tensor": "index0"}, {"tensor": "index1"}]),
        ("a[torch.tensor(1)]", [{"tensor": "index0"}]),
        ("a[True]", [{"tensor": "index0"}]),
        ("a[slice(torch.tensor(1), None)]", [{"slice": [1, None, None]}]),
    ],
)
def test_brackets(expression: str, index: list[object]) -> None:
    assert last(expression).case["attrs"] == {"index": index}


@pytest.mark.parametrize(
    ("expression", "dtype", "data"),
    [
        ("a[[0, 1], [2, 2]]", "int64", [0, 1]),
        ("a[[True, False]]", "bool", [True, False]),
        ("a[[]]", "int64", []),
        ("a[False]", "bool", [False]),
    ],
)
def test_lists_and_bools_in_brackets_are_tensors(
    expression: str, dtype: str, data: list[object]
) -> None:
    written = last(expression).case["inputs"]["index0"]
    assert (written["dtype"], written["data"]) == (dtype, data)


def test_lists_of_tensors_are_arrays() -> None:
    case = last("torch.cat([a, b.t().contiguous().t()], 1)").case
    assert [("strides" in one) for one in case["inputs"]["tensors"]] == [False, True]


@pytest.mark.parametrize("expression", ["torch.cat([])", "torch.stack(())", "torch.vstack([])"])
def test_an_empty_list_of_tensors_is_an_input(expression: str) -> None:
    recorded = last(expression)
    assert recorded.case["inputs"] == {"tensors": []}
    assert "error" in recorded.outcome


def test_an_empty_list_of_numbers_is_an_attribute() -> None:
    assert last("a.sum(dim=[])").case["attrs"] == {"dim": []}


def test_a_tensor_without_dimensions() -> None:
    recorded = last("torch.tensor(2.5).sum()")
    assert recorded.case["inputs"]["input"] == {"dtype": "float32", "shape": [], "data": [2.5]}


def test_an_empty_tensor() -> None:
    recorded = last("torch.zeros(2, 0, 3).sum(1)")
    assert recorded.case["inputs"]["input"]["data"] == []
    assert outputs(recorded)[0].tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(
    ("expression", "strides"),
    [
        ("a.t().sum(0)", [1, 3]),
        ("a[:, ::2].sum(1)", [3, 2]),
        ("a[:, :1].expand(2, 4).sum(1)", [3, 0]),
        ("cube.permute(2, 0, 1).sum(0)", [1, 12, 4]),
    ],
)
def test_layout_of_inputs(expression: str, strides: list[int]) -> None:
    assert last(expression).case["inputs"]["input"]["strides"] == strides


def test_nan_and_signed_zero() -> None:
    recorded = last("torch.tensor([nan, -0.0, inf]) * 1")
    assert recorded.case["inputs"]["input"]["data"][0] == "NaN"
    assert encode.dumps(recorded.outcome["outputs"][0]["data"]) == '["NaN",-0.0,"Infinity"]'


def test_int64_beyond_2_53() -> None:
    recorded = last("torch.tensor([2**53 + 1, 2**63 - 1, -(2**63)]) + 0")
    assert outputs(recorded)[0].tolist() == [2**53 + 1, 2**63 - 1, -(2**63)]


def test_float64_extremes() -> None:
    recorded = last("torch.tensor([5e-324, 1.7976931348623157e308], dtype=torch.float64) * 1")
    assert outputs(recorded)[0].tolist() == [5e-324, 1.7976931348623157e308]


@pytest.mark.parametrize(
    "expression",
    ["a.add_(1)", "a.mul_(b)", "a.clamp_(max=1)", "a.neg_()", "a.__imul__(2)", "a.t().add_(1)"],
)
def test_in_place_is_the_functional_call_on_a_copy(expression: str) -> None:
    before = namespace()["a"]
    recorder, scope, error = watch(expression)
    assert error is None
    recorded = recorder.calls[-1]
    assert not recorded.op.endswith("_")
    taken = replay.rebuild(recorded.case)["input"]
    assert torch.equal(taken, before.t() if ".t()" in expression else before)
    # The program's own tensor did change.
    assert not torch.equal(scope["a"], before)
    assert torch.equal(outputs(recorded)[0], scope["result"])


def test_an_assignment_to_brackets_gives_the_whole_tensor() -> None:
    recorder, scope, error = watch("v.__setitem__(slice(1, None), 9)")
    assert error is None
    recorded = recorder.calls[-1]
    assert recorded.op == "setitem"
    assert replay.rebuild(recorded.case)["input"].tolist() == [1.0, 2.0, 3.0]
    assert outputs(recorded)[0].tolist() == scope["v"].tolist() == [1.0, 9.0, 9.0]


@pytest.mark.parametrize(
    "expression",
    [
        "i.add_(1.5)",
        "i.div_(2)",
        "a.add_(a.double())",
        "v.add_(a)",
        "a.clone().requires_grad_().add_(1)",
    ],
)
def test_in_place_that_differs_is_refused(expression: str) -> None:
    recorder, _, _ = watch(expression)
    assert not [recorded for recorded in recorder.calls if recorded.op in ("add", "div")]
    assert any("in place it differs" in reason for reason in recorder.unsupported)


def test_the_same_tensor_twice_is_two_inputs() -> None:
    case = last("torch.add(a, a)").case
    assert case["inputs"]["input"] == case["inputs"]["other"]


def test_views_of_one_storage_are_written_before_the_call_changes_it() -> None:
    recorder, scope, _ = watch("(a[0].add_(a[1]), a.sum())")
    added = next(recorded for recorded in recorder.calls if recorded.op == "add")
    assert added.case["inputs"]["input"]["data"] == [0.5, 1.0, 2.0]
    assert outputs(recorder.calls[-1])[0] == scope["a"].sum()


def test_out_is_an_input() -> None:
    recorded = last("torch.sum(a, dim=0, out=torch.zeros(3))")
    assert recorded.case["inputs"]["out"]["data"] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("expression", "kind", "message"),
    [
        ("a.sum(2)", "IndexError", "Dimension out of range (expected to be in range of [-2, 1]"),
        ("a[:, 3]", "IndexError", "index 3 is out of bounds for dimension 1 with size 3"),
        ("i.mean()", "NotImplementedError", "mean(): could not infer output dtype."),
        ("a @ b", "RuntimeError", "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("a[::0]", "ValueError", "slice step cannot be zero"),
        ("torch.linalg.inv(torch.zeros(2, 2))", "_LinAlgError", "linalg.inv: "),
    ],
)
def test_errors(expression: str, kind: str, message: str) -> None:
    recorder, _, error = watch(expression)
    outcome = recorder.calls[-1].outcome
    assert list(outcome) == ["error"]
    assert outcome["error"]["type"] == kind
    assert outcome["error"]["message"].startswith(message)
    # The program sees the very same exception.
    assert type(error).__name__ == kind
    assert str(error) == outcome["error"]["message"]


@pytest.mark.parametrize(
    "expression",
    [
        "a.sum('x')",
        "torch.sum()",
        "a.sum(dim=0, wrong=1)",
        "torch.cat(3)",
        "a.reshape(1.5)",
        "a + 'x'",
        "torch.cat([a, 1])",
        "F.softmax(a, 'x')",
    ],
)
def test_mistakes_in_the_call_itself_are_no_case(expression: str) -> None:
    recorder, _, error = watch(expression)
    assert isinstance(error, TypeError)
    assert not recorder.calls
    assert not recorder.unsupported


def test_warnings_in_order_with_repeats() -> None:
    recorder, _, _ = watch("(v[:1].var(), v[:1].var(), v[:1].std())")
    texts = [recorded.outcome.get("warnings") for recorded in recorder.calls if
             recorded.op != "getitem"]  # fmt: skip
    assert [len(text or []) for text in texts] == [1, 1, 1]
    assert texts[0] == texts[1]
    assert texts[0] is not None
    assert texts[0][0].startswith("var(): degrees of freedom is <= 0. Correction should be")
    assert texts[0][0].endswith("(input numel divided by output numel).")


def test_several_warnings_of_one_call() -> None:
    warned = last("a.where((a > 1).to(torch.uint8), b)").outcome["warnings"]
    assert len(warned) >= 1
    assert "Triggered internally" not in "".join(warned)


def test_no_warnings_beside_an_error() -> None:
    recorder, _, _ = watch("torch.where(torch.ones(2, dtype=torch.uint8), v, v)")
    assert list(recorder.calls[-1].outcome) == ["error"]


def test_warnings_reach_the_program() -> None:
    single = torch.tensor([1.0])
    with warnings.catch_warnings(record=True) as caught, record.Recorder():
        warnings.simplefilter("always")
        single.var()
    assert len(caught) == 1
    assert not torch.is_warn_always_enabled()


@pytest.mark.parametrize(
    ("expression", "dtype", "value"),
    [
        ("a.sum().item()", "float32", 15.5),
        ("i[0].item()", "int64", 1),
        ("(a > 1)[0, 0].item()", "bool", False),
        ("torch.tensor(0.1, dtype=torch.bfloat16).item()", "bfloat16", 0.10009765625),
        ("torch.tensor(7, dtype=torch.uint8).item()", "uint8", 7),
        ("torch.equal(a, b)", "bool", False),
        ("torch.allclose(a, a)", "bool", True),
    ],
)
def test_python_results_are_tensors_without_dimensions(
    expression: str, dtype: str, value: object
) -> None:
    assert last(expression).outcome["outputs"] == [{"dtype": dtype, "shape": [], "data": [value]}]


def test_several_outputs_in_order() -> None:
    values, indices = outputs(last("a.max(1)"))
    assert values.tolist() == [2.0, 5.0]
    assert indices.tolist() == [2, 2]
    assert len(outputs(last("a.split(1)"))) == 2


# truth and abs_sum


def test_truth_is_the_call_in_float64() -> None:
    recorded = last("torch.tensor([0.1, 0.2]).sum()")
    narrow = torch.tensor([0.1, 0.2]).to(torch.float64)
    assert recorded.outcome["truth"][0]["data"] == [narrow.sum().item()]
    assert recorded.outcome["truth"][0]["dtype"] == "float64"


def test_truth_runs_parallel_to_the_outputs() -> None:
    truth = last("a.max(1)").outcome["truth"]
    assert truth[0]["data"] == [2.0, 5.0]
    assert truth[1] is None


@pytest.mark.parametrize("expression", ["a.argmax()", "i.sum()", "a > 1", "a.double().sum()"])
def test_no_truth_without_floats_or_for_float64(expression: str) -> None:
    assert "truth" not in last(expression).outcome


@pytest.mark.parametrize(
    "expression", ["a.sum(dtype=torch.float16)", "a.to(torch.float16)", "i / 3", "i.float() / 3"]
)
def test_truth_widens_dtypes_too(expression: str) -> None:
    outcome = last(expression).outcome
    assert outcome["truth"][0]["dtype"] == "float64"
    assert outcome["truth"][0]["shape"] == outcome["outputs"][0]["shape"]


def test_truth_of_a_quotient_of_integers() -> None:
    assert last("i / 3").outcome["truth"][0]["data"][0] == 1 / 3
    assert torch.get_default_dtype() is torch.float32


def test_no_truth_where_the_widened_call_fails() -> None:
    outcome = last("torch.sum(a, dim=0, out=torch.zeros(3, dtype=torch.int64))").outcome
    assert "truth" not in outcome


def test_abs_sum_is_over_what_is_reduced() -> None:
    recorded = last("torch.tensor([[1.0, -2.0], [-3.0, 4.0]]).sum(0, keepdim=True)")
    assert recorded.outcome["abs_sum"] == [
        {"dtype": "float64", "shape": [1, 2], "data": [4.0, 6.0]}
    ]
    mean = last("torch.tensor([1.0, -2.0]).mean()").outcome["abs_sum"]
    assert mean[0] == {"dtype": "float64", "shape": [], "data": [3.0]}


def test_abs_sum_of_nansum_skips_nan() -> None:
    values = last("torch.tensor([1.0, nan, -2.0]).nansum()").outcome["abs_sum"]
    assert values[0]["data"] == [3.0]
    infinite = last("torch.tensor([nan, -inf]).nansum()").outcome["abs_sum"]
    assert infinite[0]["data"] == ["Infinity"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("torch.tensor([1.0, -2.0]) @ torch.tensor([-3.0, 4.0])", 11.0),
        ("torch.dot(torch.tensor([1.0, -inf]), torch.tensor([-3.0, 4.0]))", "Infinity"),
        ("torch.einsum('i,i->', torch.tensor([1.0, -2.0]), torch.tensor([-3.0, 4.0]))", 11.0),
        ("torch.einsum('ij->', torch.tensor([[1.0, -2.0], [-3.0, 4.0]]))", 10.0),
    ],
)
def test_abs_sum_of_a_product_adds_products_of_magnitudes(
    expression: str, expected: float | str
) -> None:
    outcome = last(expression).outcome
    assert outcome["abs_sum"] == [{"dtype": "float64", "shape": [], "data": [expected]}]


def test_abs_sum_of_a_scaled_product_takes_magnitudes_of_numbers() -> None:
    matrices = "torch.tensor([[-1.0]]), torch.tensor([[2.0, -3.0]]), torch.tensor([[4.0], [5.0]])"
    outcome = last(f"torch.addmm({matrices}, beta=-1, alpha=-2)").outcome
    assert outcome["outputs"][0]["data"] == [15.0]
    assert outcome["abs_sum"] == [{"dtype": "float64", "shape": [1, 1], "data": [47.0]}]


def test_abs_sum_is_not_for_products_of_integers() -> None:
    outcome = last("torch.einsum('i,i', torch.tensor([1, -2]), torch.tensor([3, 4]))").outcome
    assert "abs_sum" not in outcome


@pytest.mark.parametrize("expression", ["i.sum()", "a.max()", "a.prod()", "a.sum(2)"])
def test_abs_sum_is_only_for_sums_of_floats(expression: str) -> None:
    recorder, _, _ = watch(expression)
    assert "abs_sum" not in recorder.calls[-1].outcome


# the recorder and the program it watches


def test_a_program_runs_as_it_would() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        layer = torch.nn.functional.layer_norm(x, (3,))
        return (torch.softmax(layer, -1) @ x.T).masked_fill(x[:, :1] > 1, -math.inf)

    x = namespace()["a"]
    expected = program(x)
    with record.Recorder() as recorder:
        found = program(x)
    assert torch.equal(found, expected)
    assert [recorded.op for recorded in recorder.calls] == [
        "layer_norm", "softmax", "t", "matmul", "getitem", "gt", "masked_fill"
    ]  # fmt: skip


def test_autograd_works_under_the_recorder() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with record.Recorder() as recorder:
        (x * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]
    assert [recorded.op for recorded in recorder.calls] == ["mul", "sum"]
    assert not recorder.unsupported


def test_calls_inside_pytorch_are_not_seen() -> None:
    recorder, _, _ = watch("F.cross_entropy(a, i)")
    assert [recorded.op for recorded in recorder.calls] == ["cross_entropy"]


def test_case_before_outcome() -> None:
    call = names.Call("sum", {"input": namespace()["a"], "dim": [0]})
    assert record.encode_case(call)["attrs"] == {"dim": [0]}
