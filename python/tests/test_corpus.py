"""The committed corpus against PyTorch: every name is known, every case replays."""

import collections
import json
from pathlib import Path
from typing import Any

import generate
from parity import encode, makers, names, replay

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def given(case: dict[str, Any]) -> set[str]:
    if case["op"] in names.BRACKETS:
        return {name for name in case["inputs"] if not name.startswith("index")} | {*case["attrs"]}
    if case["op"] == names.GRAPH:
        # A graph's inputs have the names that its program gives them.
        return {*case["attrs"]}
    return {*case["inputs"], *case["attrs"]}


@pytest.mark.parametrize("name", generate.SUITES)
def test_every_case_replays_to_its_golden_outcome(name: str) -> None:
    outcomes = load(f"golden/{name}.json")["outcomes"]
    for case in load(f"fixtures/{name}.json")["cases"]:
        again, golden = replay.run(case), outcomes[case["id"]]
        for part in ("outputs", "warnings", "error", "grads", "backward_error"):
            same = encode.dumps(again.get(part)) == encode.dumps(golden.get(part))
            assert same or makers.only_by_maker(case["op"], golden.get(part), again.get(part)), (
                f"{case['id']}: {golden.get(part)} and {again.get(part)}"
            )


@pytest.mark.parametrize("name", generate.SUITES)
def test_every_op_and_parameter_is_in_the_list(name: str) -> None:
    document = load("src/corpus/functions.json")
    for case in load(f"fixtures/{name}.json")["cases"]:
        assert given(case) <= set(document["functions"][case["op"]]), case["id"]


def test_ids_are_unique_over_all_suites() -> None:
    ids = [
        case["id"] for name in generate.SUITES for case in load(f"fixtures/{name}.json")["cases"]
    ]
    assert not [name for name, count in collections.Counter(ids).items() if count > 1]
    assert all(case_id.count("/") == 2 for case_id in ids)


def test_the_matrix_is_sin_k() -> None:
    case = load("fixtures/red_ref.json")["cases"][0]
    x = encode.decode_tensor(case["inputs"]["input"])
    assert x.shape == (64, 1000)
    assert x.flatten()[:3].tolist() == [0.0, 0.8414709568023682, 0.9092974066734314]
