"""Tables of expressions to files: picking the call, ids, tags, refusal, whole files."""

import json
import os
from pathlib import Path
from typing import Any

from parity import record, replay, suite
from parity.suite import Corpus, Refused, Row, Suite

import pytest
from helpers import namespace


def make(tail: str, expression: str, **rest: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return suite.make_case("trial", Row(tail, expression, **rest), namespace())


def test_the_last_call_of_the_named_op_is_the_case() -> None:
    case, outcome = make("sum/rows", "(a.sum(), a.sum(1).max())")
    assert case["id"] == "trial/sum/rows"
    assert case["attrs"] == {"dim": 1}
    assert outcome["outputs"][0]["data"] == [3.5, 12.0]


@pytest.mark.parametrize(
    ("tail", "expression", "why"),
    [
        ("max/x", "a.sum()", "makes no call of max"),
        ("sum/x", "a.max(9)", "makes no call of sum"),
        ("sum/x", "a.sum().max(9)", "not in its call of sum"),
        ("sum/x", "undefined", "makes no call of sum"),
        ("sum", "a.sum()", "an id is"),
        ("sum/with space", "a.sum()", "an id is"),
        ("sum/two/slashes", "a.sum()", "an id is"),
        ("dropout/x", "F.dropout(a)", "dropout: random"),
        ("add/x", "i.add_(0.5)", "in place it differs"),
    ],
)
def test_rows_that_cannot_become_cases(tail: str, expression: str, why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        make(tail, expression)
    assert f"trial/{tail}" in str(refused.value)


def test_an_error_is_a_case() -> None:
    case, outcome = make("sum/bad", "a.sum(5)")
    assert outcome["error"]["type"] == "IndexError"
    assert "error" in case["tags"]


@pytest.mark.parametrize(
    ("expression", "tags"),
    [
        ("a.sum()", ["contiguous", "float32"]),
        ("a.t().sum()", ["float32", "strided"]),
        ("a[:, :1].expand(2, 9).sum()", ["expanded", "float32"]),
        ("a.double().sum(2)", ["contiguous", "error", "float64"]),
        ("torch.tensor([nan]).sum()", ["contiguous", "float32", "nan"]),
        ("torch.zeros(0).sum()", ["contiguous", "empty", "float32"]),
        ("torch.tensor(1).sum()", ["0-d", "contiguous", "int64"]),
    ],
)
def test_tags(expression: str, tags: list[str]) -> None:
    assert make("sum/x", expression)[0]["tags"] == tags


def test_given_tags_join_and_are_sorted() -> None:
    assert make("sum/x", "a.sum()", tags=("zeta", "alpha"))[0]["tags"] == [
        "alpha", "contiguous", "float32", "zeta"
    ]  # fmt: skip


def test_a_warning_is_a_tag() -> None:
    assert "warning" in make("var/x", "v[:1].var()")[0]["tags"]


def test_mixed_inputs_have_the_tags_of_each() -> None:
    tags = make("where/x", "torch.where((a > 1).t(), a.t(), 0.0)")[0]["tags"]
    assert tags == ["bool", "float32", "strided"]


def test_a_note_comes_last() -> None:
    assert list(make("sum/x", "a.sum()", note="why")[0])[-1] == "note"
    assert "note" not in make("sum/x", "a.sum()")[0]


def test_a_replay_that_differs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = replay.run

    def lossy(case: dict[str, Any]) -> dict[str, Any]:
        outcome = honest(case)
        outcome["outputs"][0]["data"][0] = -0.0
        return outcome

    monkeypatch.setattr(replay, "run", lossy)
    # 0.0 and -0.0 are equal in Python and different in the file.
    with pytest.raises(Refused, match="trial/mul/x: replayed from its JSON it gives other outputs"):
        make("mul/x", "a * 0")


def test_wrong_names_cannot_land(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = record.encode_case

    def renamed(call: Any) -> dict[str, Any]:
        case = honest(call)
        case["attrs"] = {"dim": 0}
        return case

    monkeypatch.setattr(record, "encode_case", renamed)
    with pytest.raises(Refused, match="replayed"):
        make("sum/x", "a.sum(1)")


def small() -> Suite:
    rows = (Row("sum/all", "a.sum()"), Row("max/rows", "a.max(1)"), Row("sum/bad", "a.sum(7)"))
    return Suite("trial", "python/trial.py", rows, namespace)


def test_files_are_as_the_format_says(tmp_path: Path) -> None:
    small().build().write(tmp_path)
    fixture_text = (tmp_path / "fixtures/trial.json").read_text()
    fixture, golden = (
        json.loads((tmp_path / folder / "trial.json").read_text())
        for folder in ("fixtures", "golden")
    )
    assert list(fixture) == ["schema", "suite", "generator", "cases"]
    assert list(golden) == ["schema", "suite", "generator", "torch", "outcomes"]
    assert golden["torch"] == {
        "version": "2.15.0", "cpu_capability": "AVX2", "threads": 1, "platform": "linux-x86_64"
    }  # fmt: skip
    assert [case["id"] for case in fixture["cases"]] == list(golden["outcomes"])
    # One case per line, with a line before and one after.
    assert len(fixture_text.splitlines()) == 3 + 2
    assert fixture_text.endswith("]}\n")
    assert {path.name for path in (tmp_path / "fixtures").iterdir()} == {"trial.json"}


def test_files_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        small().build().write(tmp_path / name)
    for folder in ("fixtures", "golden"):
        first, second = (tmp_path / name / folder / "trial.json" for name in ("one", "two"))
        assert first.read_bytes() == second.read_bytes()


def test_ids_are_unique() -> None:
    corpus = Corpus("trial", "python/trial.py")
    corpus.add({"id": "trial/sum/x"}, {})
    with pytest.raises(Refused, match="two cases of this id"):
        corpus.add({"id": "trial/sum/x"}, {})


def test_rows_do_not_see_each_other() -> None:
    rows = (Row("add/x", "a.add_(100)"), Row("sum/y", "a.sum()"))
    corpus = Suite("trial", "python/trial.py", rows, namespace).build()
    assert corpus.outcomes["trial/sum/y"]["outputs"][0]["data"] == [15.5]


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "golden" / "trial.json"
    suite.write_whole(path, "old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def interrupted_when_open(file: Path, *_: object, **__: object) -> None:
        file.touch()
        raise KeyboardInterrupt

    for owner, step, instead in (
        (Path, "open", interrupted_when_open),
        (os, "replace", interrupted),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, step, instead)
            with pytest.raises(KeyboardInterrupt):
                suite.write_whole(path, "new")
        assert path.read_text() == "old"
        assert [found.name for found in path.parent.iterdir()] == ["trial.json"]
    suite.write_whole(path, "new")
    assert path.read_text() == "new"


def test_a_suite_that_fails_midway_touches_no_file(tmp_path: Path) -> None:
    small().build().write(tmp_path)
    before = (tmp_path / "golden/trial.json").read_bytes()
    rows = (*small().rows, Row("max/none", "a.sum()"))
    with pytest.raises(Refused):
        Suite("trial", "python/trial.py", rows, namespace).build().write(tmp_path)
    assert (tmp_path / "golden/trial.json").read_bytes() == before
