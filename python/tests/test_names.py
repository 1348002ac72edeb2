"""Naming both ways: a call of any form to op and parameters, and those back to the call."""

import json

from parity import encode, names, replay

import pytest
import torch
from call_forms import FORMS
from helpers import last, namespace, watch


@pytest.mark.parametrize(("expression", "op", "tensors", "attrs"), FORMS)
def test_call_form(expression: str, op: str, tensors: str, attrs: str) -> None:
    recorded = last(expression)
    assert recorded.op == op
    assert ",".join(recorded.case["inputs"]) == tensors
    assert encode.dumps(recorded.case["attrs"]) == attrs


@pytest.mark.parametrize("expression", [form[0] for form in FORMS])
def test_every_recorded_name_is_in_the_catalogue(expression: str) -> None:
    for recorded in watch(expression)[0].calls:
        known = names.catalogue()[recorded.op]
        given = [*recorded.case["inputs"], *recorded.case["attrs"]]
        if recorded.op in names.BRACKETS:
            given = list(names.parameters(recorded.op))
        assert set(given) <= set(known)


def test_the_table_is_broad() -> None:
    assert len(FORMS) > 250
    assert len({op for _, op, _, _ in FORMS}) > 180


@pytest.mark.parametrize(
    ("op", "home"),
    [
        ("sum", torch.sum),
        ("embedding", torch.nn.functional.embedding),
        ("layer_norm", torch.nn.functional.layer_norm),
        ("unfold", torch.nn.functional.unfold),
        ("Tensor.unfold", torch.Tensor.unfold),
        ("rsub", torch.rsub),
        ("view", torch.Tensor.view),
        ("linalg.norm", torch.linalg.norm),
        ("special.expit", torch.special.expit),
    ],
)
def test_where_an_op_lives(op: str, home: object) -> None:
    assert names.resolve(op) is home


@pytest.mark.parametrize("op", ["summ", "linalg.sum", "float32", "nn", "", "other.sum"])
def test_no_such_op(op: str) -> None:
    with pytest.raises(LookupError):
        names.resolve(op)


def test_catalogue_has_what_the_format_names() -> None:
    found = names.catalogue()
    assert found["getitem"] == ("input", "index")
    assert set(found["sum"]) == {"input", "dim", "keepdim", "dtype", "out"}
    assert {"unbiased", "correction"} <= set(found["var"])
    assert {"split_size_or_sections"} <= set(found["split"])
    assert {"source"} <= set(found["index_add"])
    assert {"src"} <= set(found["scatter"])
    assert {"indices", "values"} <= set(found["index_put"])
    assert {"arange", "full", "linspace", "new_full", "cross_entropy", "item"} <= set(found)
    assert not {"float", "half", "add_", "__add__", "axis"} & set(found)
    assert not any("self" in known for known in found.values())


@pytest.mark.parametrize(
    "expression",
    [
        "torch.rand(3)",
        "torch.bernoulli(a / 5)",
        "F.dropout(a)",
        "F.gumbel_softmax(a)",
        "a.normal_()",
        "a.uniform_()",
    ],
)
def test_random_calls_are_no_cases(expression: str) -> None:
    recorder, _, error = watch(expression)
    assert error is None
    assert recorder.unsupported.total() == 1
    assert all(recorded.op == "div" for recorded in recorder.calls)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("torch.complex(a, a)", "complex"),
        ("a[[0.5, 1.5]]", None),
        ("torch.ops.aten.sum(a)", "torch.ops.aten.sum"),
        ("F.embedding(i, a, padding_idx=0).bernoulli_()", "bernoulli"),
        ("torch.embedding(a, i, 0)", "embedding"),
        ("a.to_sparse()", "to_sparse"),
    ],
)
def test_unsupported_calls_are_counted_by_name(expression: str, name: str | None) -> None:
    recorder, _, _ = watch(expression)
    if name is None:
        assert not recorder.calls
        return
    assert any(reason.startswith(name) for reason in recorder.unsupported)


@pytest.mark.parametrize(
    "expression",
    ["a.shape", "a.dtype", "a.dim()", "a.size(0)", "len(a)", "a.tolist()", "bool(a.any())"],
)
def test_questions_are_no_cases(expression: str) -> None:
    recorder, _, error = watch(expression)
    assert error is None
    assert not recorder.unsupported
    assert {recorded.op for recorded in recorder.calls} <= {"any"}


def test_a_number_on_the_left_of_a_slash_is_two_calls() -> None:
    recorder, scope, _ = watch("3 / a")
    assert [recorded.op for recorded in recorder.calls] == ["reciprocal", "mul"]
    assert torch.equal(scope["result"], 3 / namespace()["a"])


def test_numpy_keywords_are_never_written() -> None:
    case = last("a.sum(axis=0, keepdims=True)").case
    assert case["attrs"] == {"dim": 0, "keepdim": True}


def test_the_kind_of_a_number_is_kept() -> None:
    kinds = [last(f"i * {number}").case["attrs"]["other"] for number in ("2", "2.0", "True")]
    assert [type(kind) for kind in kinds] == [int, float, bool]
    back = [
        replay.rebuild(json.loads(encode.dumps(last(f"i * {number}").case)))["other"]
        for number in ("2", "2.0", "True")
    ]
    assert [type(kind) for kind in back] == [int, float, bool]
