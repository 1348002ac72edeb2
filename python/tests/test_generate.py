"""The command: what it writes, and that `--check` names whatever was changed."""

import json
import shutil
import sys
from pathlib import Path

import generate
import parity

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with everything that the generators write."""
    root = tmp_path_factory.mktemp("made")
    assert generate.main(["--root", str(root)]) == 0
    return root


@pytest.fixture
def tree(made: Path, tmp_path: Path) -> Path:
    """A copy of that tree to spoil."""
    return Path(shutil.copytree(made, tmp_path / "tree"))


def check(root: Path, *only: str) -> int:
    arguments = ["--check", "--root", str(root)]
    return generate.main([*arguments, "--only", *only] if only else arguments)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1))


def test_a_fresh_tree_passes(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(made) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == len(generate.SUITES) + 1


def test_the_committed_files_are_current() -> None:
    assert check(ROOT) == 0


SUM_ALL = '"reduce/sum/all":{"outputs":[{"dtype":"float32","shape":[],"data":['


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("golden/reduce.json", SUM_ALL + "15.0]", SUM_ALL + "15.5]", "reduce/sum/all differs"),
        ("golden/reduce.json", SUM_ALL + "15.0]", SUM_ALL + "15]", "reduce/sum/all differs"),
        (
            "golden/reduce.json",
            '"type":"IndexError"',
            '"type":"ValueError"',
            "out-of-range differs",
        ),
        ("golden/reduce.json", '"reduce/sum/all":', '"reduce/sum/every":', "sum/every is extra"),
        ("golden/reduce.json", '"reduce/sum/all":', '"reduce/sum/every":', "sum/all is missing"),
        ("golden/reduce.json", '"threads":1', '"threads":2', "differs outside its entries"),
        ("golden/reduce.json", "{", "", "cannot be read"),
        ("fixtures/reduce.json", '"attrs":{"dim":1}', '"attrs":{"dim":0}', "sum/dim1 differs"),
        ("src/corpus/functions.json", '"sum":', '"summ":', "summ is extra"),
        ("src/corpus/functions.json", '"keepdim"', '"keepdims"', "differs"),
    ],
)
def test_a_change_is_named(
    tree: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str, named: str
) -> None:
    replace(tree / file, old, new)
    assert check(tree, "reduce", "functions") == 1
    told = capsys.readouterr().err
    assert any(line.startswith(file) and named in line for line in told.splitlines())


def test_a_missing_file_and_a_stray_one_are_named(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "golden/reduce.json").unlink()
    (tree / "fixtures/stray.json").write_text('{"cases": []}')
    # Data beside the suites is none of the generators' business.
    (tree / "golden/tolerances.json").write_text("[]")
    assert check(tree) == 1
    told = capsys.readouterr().err
    assert "golden/reduce.json: is missing" in told
    assert "fixtures/stray.json: no generator writes it" in told
    assert "tolerances" not in told


def test_check_writes_nothing(tree: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*.json")}
    check(tree, "reduce")
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*.json")} == before


def test_only_writes_what_is_asked_for(tmp_path: Path) -> None:
    assert generate.main(["--root", str(tmp_path), "--only", "reduce"]) == 0
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json")}
    assert found == {"fixtures/reduce.json", "golden/reduce.json"}


def test_an_unwritable_folder_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fixtures").write_text("a file where a folder should be")
    assert generate.main(["--root", str(tmp_path), "--only", "reduce"]) == 2
    assert "fixtures" in capsys.readouterr().err


def test_functions_file(made: Path) -> None:
    text = (made / "src/corpus/functions.json").read_text()
    document = json.loads(text)
    assert document["schema"] == 1
    assert document["torch"] == parity.TORCH_VERSION
    assert list(document["functions"]) == sorted(document["functions"])
    assert document["functions"]["getitem"] == ["input", "index"]
    assert {"float32", "bfloat16", "complex64", "uint16"} <= set(document["dtypes"])
    assert "half" not in document["dtypes"]
    assert len(text.splitlines()) == len(document["functions"]) + 2


needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")

# Two suites of one case. In the idle one a product's terms cancel: next to their sizes, which the
# tolerance of products goes by, every number is as good as the right one.
MODULE = """
import torch
from parity.suite import Row, Suite
def namespace():
    return {{"torch": torch, "a": torch.tensor([1e8, 1e8]), "b": torch.tensor([1e8, -1e8])}}
ROWS = (Row("dot/{name}", "torch.dot(a, {other})"),)
SUITE = Suite("{name}", "python/{name}.py", ROWS, namespace)
"""


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with tolerances, and the suites `idle_one` and `sound_one` to be written into it."""
    modules, root = tmp_path / "modules", tmp_path / "root"
    modules.mkdir()
    for name, other in {"idle_one": "b", "sound_one": "a"}.items():
        (modules / f"{name}.py").write_text(MODULE.format(name=name, other=other))
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(modules)
    monkeypatch.setattr(generate, "SUITES", ("idle_one", "sound_one"))
    (root / "golden").mkdir(parents=True)
    shutil.copy(ROOT / "golden/tolerances.json", root / "golden")
    return root


def judged(root: Path, *only: str) -> int:
    return generate.main(["--refuse-idle", "--root", str(root), "--only", *only])


@needs_cargo
def test_a_case_that_no_mutant_fails_is_refused(
    scratch: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert judged(scratch, "idle_one", "sound_one") == 2
    told = capfd.readouterr().err
    assert "idle_one/dot/idle_one: idle" in told
    assert "sound_one/dot" not in told
    assert [path.name for path in scratch.rglob("*.json")] == ["tolerances.json"]
    # Without the question it is written like any other.
    assert generate.main(["--root", str(scratch), "--only", "idle_one"]) == 0
    assert (scratch / "golden/idle_one.json").is_file()


@needs_cargo
def test_a_suite_that_mutants_fail_is_written(scratch: Path) -> None:
    assert judged(scratch, "sound_one") == 0
    assert (scratch / "fixtures/sound_one.json").is_file()
    assert (scratch / "golden/sound_one.json").is_file()


def test_without_cargo_nothing_is_written(
    scratch: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert judged(scratch, "sound_one") == 2
    assert "needs cargo" in capsys.readouterr().err
    assert not (scratch / "fixtures").exists()
