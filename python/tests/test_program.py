"""Whole programs: what becomes a case, what is left out, and when it is refused."""

import json
from typing import Any

from parity import record, suite
from parity.program import Collection, Program, Programs
from parity.suite import Corpus, Refused

import pytest
import torch


def build(run: Any, note: str = "") -> list[dict[str, Any]]:
    return Programs("trial", "trial.py", (Program("walk", run, note),)).build().cases


def test_every_call_is_a_case_numbered_in_its_order() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    cases = build(lambda: x.t().sum(1).max(), "sums of columns")
    assert [case["id"] for case in cases] == [
        "trial/t/walk-01",
        "trial/sum/walk-02",
        "trial/max/walk-03",
    ]
    assert all("walk" in case["tags"] and case["note"] == "sums of columns" for case in cases)


def test_a_call_that_repeats_another_is_no_case_of_its_own() -> None:
    x = torch.ones(2)

    def twice() -> None:
        x.sum()
        x.sum()
        (x + 1).sum()

    ids = [case["id"] for case in build(twice)]
    assert ids == ["trial/sum/walk-01", "trial/add/walk-03", "trial/sum/walk-04"]


def test_an_error_that_the_program_handles_is_a_case() -> None:
    def stumble() -> None:
        with pytest.raises(IndexError):
            torch.ones(2).sum(5)

    assert "error" in build(stumble)[-1]["tags"]


def test_a_program_that_fails_is_refused() -> None:
    with pytest.raises(Refused, match="trial: walk raised IndexError"):
        build(lambda: torch.ones(2).sum(5))


def test_a_program_with_calls_that_are_no_case_is_refused() -> None:
    with pytest.raises(Refused, match="walk makes calls that are no case: rand: random"):
        build(lambda: torch.rand(2))


def test_what_cannot_be_replayed_is_refused_or_counted() -> None:
    with record.Recorder() as recorder:
        torch.ones(2).sum()
    recorder.calls[-1].outcome["outputs"][0]["data"] = [3.0]
    with pytest.raises(Refused, match="it gives other outputs"):
        Collection(Corpus("trial", "")).add("walk", recorder.calls)
    collection = Collection(Corpus("trial", ""))
    collection.add("walk", recorder.calls, strict=False)
    assert [case["op"] for case in collection.corpus.cases] == ["ones"]
    assert collection.unreproducible == {"sum": 1}


def test_large_calls_are_counted_by_op() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    with record.Recorder(max_elements=6) as recorder:
        x.sum(1)
        x[:, :, None] * x[:, None, :]
        torch.cat([x, x]).sum()
    assert [recorded.op for recorded in recorder.calls] == ["sum", "getitem", "getitem"]
    assert recorder.too_large == {"mul": 1, "cat": 1, "sum": 1}


def test_once_leaves_out_repeats_before_anything_is_computed() -> None:
    x = torch.ones(3)
    with record.Recorder(once=True) as recorder:
        for _ in range(4):
            x.sum()
    assert len(recorder.calls) == 1
    assert recorder.repeated == 3


def test_the_corpus_is_a_pair_of_files_as_of_a_table() -> None:
    def total() -> None:
        torch.tensor([1.0]).sum()

    corpus = Programs("trial", "trial.py", (Program("walk", total),)).build()
    assert json.loads(corpus.fixture_text())["generator"] == "trial.py"
    golden = json.loads(corpus.golden_text(suite.provenance()))
    assert set(golden["outcomes"]) == {"trial/sum/walk-01"}
