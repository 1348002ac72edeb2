"""The command: what it writes, and that `--check` names whatever was changed."""

import json
import shutil
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
