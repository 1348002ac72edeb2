"""External engines in Python: PyTorch as one, and the README's."""

import importlib.util
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from parity import replay

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "python/examples/engine.py"

IDS = ["reduce/sum/dim2-out-of-range", "reduce/var/single", "reduce/sum/dim1"]


@pytest.fixture(scope="module")
def engine() -> ModuleType:
    spec = importlib.util.spec_from_file_location("engine", ENGINE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def golden(case_id: str) -> dict[str, Any]:
    suite = case_id.partition("/")[0]
    found = json.loads((ROOT / f"golden/{suite}.json").read_text(encoding="utf-8"))["outcomes"]
    kept = ("outputs", "warnings", "error", "grads", "backward_error")
    return {key: value for key, value in found[case_id].items() if key in kept}


def line(case: dict[str, Any]) -> bytes:
    return json.dumps(case).encode() + b"\n"


def answers(engine: ModuleType, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    output = io.StringIO()
    engine.serve([line(case) for case in cases], output)
    handshake, *rest = map(json.loads, output.getvalue().splitlines())
    assert handshake["engine"] == "torch" and handshake["schema"] == 1
    return rest


def test_pytorch_answers_as_it_was_recorded(engine: ModuleType) -> None:
    found = answers(engine, [replay.find(case_id, ROOT) for case_id in IDS])
    assert found == [{"id": case_id} | golden(case_id) for case_id in IDS]


def test_what_is_lacking_and_what_breaks_are_told_apart(engine: ModuleType) -> None:
    lacking = {"id": "s/nope/x", "op": "nope", "inputs": {}, "attrs": {}}
    broken = {"id": "s/sum/x", "op": "sum", "inputs": {"input": {}}, "attrs": {}}
    found = answers(engine, [lacking, broken])
    assert found[0] == {"id": "s/nope/x", "unsupported": "PyTorch has no function 'nope'"}
    assert found[1]["id"] == "s/sum/x" and found[1]["panic"].startswith("Malformed: ")


def test_what_is_printed_is_no_answer() -> None:
    case = replay.find(IDS[2], ROOT)
    program = f"""
import runpy, sys, torch
resolve = torch.sum
torch.sum = lambda *args, **kwargs: (print('noise'), resolve(*args, **kwargs))[1]
runpy.run_path({str(ENGINE)!r}, run_name='__main__')
"""
    run = subprocess.run(
        [sys.executable, "-c", "import parity\n" + program],
        input=line(case),
        cwd=ROOT / "python",
        capture_output=True,
        check=True,
    )
    assert len(run.stdout.splitlines()) == 2
    assert b"noise" in run.stderr


def test_the_engine_of_the_readme_runs(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"cat > mine.py <<'END'\n(.*?)END\n", text, re.DOTALL)
    assert found
    (tmp_path / "mine.py").write_text(found[1])
    tensor = {"dtype": "int64", "shape": [2], "data": [3, 4]}
    cases = [
        {"id": "s/sum/x", "op": "sum", "inputs": {"input": tensor}, "attrs": {}},
        {"id": "s/exp/x", "op": "exp", "inputs": {}, "attrs": {"input": 1.0}},
    ]
    run = subprocess.run(
        [sys.executable, "mine.py"],
        input=b"".join(map(line, cases)),
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    _, summed, lacking = map(json.loads, run.stdout.splitlines())
    assert summed["outputs"] == [{"dtype": "int64", "shape": [], "data": [7]}]
    assert "unsupported" in lacking
