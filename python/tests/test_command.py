"""`python -m parity.record`: what it writes and says, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from parity import command

import pytest
import torch

PYTHON = Path(__file__).resolve().parents[1]

SCRIPT = """
import sys
import torch
import beside

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for _ in range(3):
    x.sum(int(sys.argv[1]))
beside.helper(x)
torch.ones(200, 200).mean()
torch.rand(2)
x.zero_()
torch.nn.Linear(2, 2)
print("done", __name__)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("def helper(x):\n    return x.max()\n")
    path = tmp_path / "my model.py"
    path.write_text(SCRIPT)
    return path


def run(script: Path, *rest: str, suite: str = "mine") -> int:
    return command.main([str(script), "--suite", suite, "--root", str(script.parent), *rest])


def document(script: Path, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((script.parent / folder / "mine.json").read_text())
    return found


def test_a_script_becomes_a_suite(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(script, "--", "1") == 0
    fixture, golden = document(script, "fixtures"), document(script, "golden")
    assert [case["id"] for case in fixture["cases"]] == [
        "mine/sum/my-model-01",
        "mine/max/my-model-02",
    ]
    assert fixture["generator"] == "parity.record my model.py"
    assert golden["outcomes"]["mine/sum/my-model-01"]["outputs"][0]["data"] == [3.0, 7.0]
    assert (script.parent / "golden/tolerances.json").is_file()
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "done __main__"
    assert out[1:5] == [
        "mine: 2 cases of 2 ops, 2 repeats left out",
        "ops: max, sum",
        "2 too large: mean, ones",
        "3 random: kaiming_uniform_, rand, uniform_",
    ]
    assert out[5] == "1 not expressible: zero_: it only has a side effect"


def test_the_process_is_left_as_it_was(script: Path) -> None:
    script.write_text("import torch\ntorch.set_default_dtype(torch.float64)\ntorch.ones(2).sum()\n")
    argv, path = list(sys.argv), list(sys.path)
    assert run(script) == 0
    assert (sys.argv, sys.path) == (argv, path)
    assert torch.get_default_dtype() is torch.float32


def test_the_same_script_may_be_recorded_again(script: Path) -> None:
    assert run(script, "--", "1") == run(script, "--", "0") == 0
    assert document(script, "fixtures")["cases"][0]["attrs"] == {"dim": 0}


def test_larger_tensors_are_recorded_on_request(script: Path) -> None:
    assert run(script, "--max-elements", "40000", "--", "1") == 0
    assert "mean" in {case["op"] for case in document(script, "fixtures")["cases"]}


def test_leaving_early_is_no_failure(script: Path) -> None:
    script.write_text("import sys, torch\ntorch.ones(2).sum()\nsys.exit(0)\n")
    assert run(script) == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import torch\ntorch.ones(2).sum(5)\n", "raised IndexError: Dimension out of range"),
        ("import sys, torch\ntorch.ones(2).sum()\nsys.exit('no data')\n", "exited with 'no data'"),
        ("import torch\ntorch.rand(2)\n", "no call could be recorded; 1 random: rand"),
        ("this is no Python\n", "raised SyntaxError"),
        ("import no_such_module\n", "raised ModuleNotFoundError"),
    ],
)
def test_a_script_that_fails_writes_nothing(
    script: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    script.write_text(text)
    assert run(script) == 2
    assert why in capsys.readouterr().err
    assert not (script.parent / "fixtures").exists()


def test_another_suite_is_not_overwritten(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script.parent / "fixtures").mkdir()
    for text in ('{"generator": "python/reduce.py"}', "damaged", "[]"):
        (script.parent / "fixtures/mine.json").write_text(text)
        assert run(script, "--", "1") == 2
        assert "it is not overwritten" in capsys.readouterr().err


def test_bad_arguments(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(script.parent / "missing.py") == 2
    assert "there is no such file" in capsys.readouterr().err
    assert run(script, suite="a/b") == 2
    assert "a name is of letters" in capsys.readouterr().err
    for wrong in ("0", "many"):
        with pytest.raises(SystemExit) as status:
            run(script, "--max-elements", wrong)
        assert status.value.code == 2


def test_the_example_runs_as_the_module_does(tmp_path: Path) -> None:
    """Beside everything else: `-m parity.record` finds the command."""
    done = subprocess.run(
        [sys.executable, "-m", "parity.record", "python/examples/transformer_block.py",
         "--suite", "transformer_block", "--root", str(tmp_path)],
        cwd=PYTHON.parent,
        env=os.environ | {"PYTHONPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    cases = json.loads((tmp_path / "fixtures/transformer_block.json").read_text())["cases"]
    ops = {case["op"] for case in cases}
    assert {"layer_norm", "linear", "matmul", "masked_fill", "softmax", "gelu", "embedding"} <= ops
    assert {"cross_entropy", "dropout", "argmax"} <= ops
