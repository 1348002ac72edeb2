"""The package pins the process, and refuses one that cannot be pinned."""

import os
import subprocess
import sys
from pathlib import Path

import parity

import torch

PYTHON_FOLDER = Path(__file__).resolve().parents[1]


def run(code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in parity.PINS}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=clean | {"PYTHONPATH": str(PYTHON_FOLDER)} | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_this_process_is_pinned() -> None:
    assert not parity.unpinned(dict(os.environ))
    assert torch.get_num_threads() == 1
    assert torch.backends.cpu.get_cpu_capability() == "AVX2"


def test_torch_before_parity_is_refused() -> None:
    found = run("import torch, parity")
    assert found.returncode == 1
    assert "import parity first" in found.stderr
    assert "ATEN_CPU_CAPABILITY" in found.stderr


def test_torch_before_parity_is_fine_where_everything_is_set() -> None:
    assert run("import torch, parity", **parity.PINS).returncode == 0


def test_another_version_is_refused() -> None:
    code = (
        "import importlib.metadata as m; m.version = lambda name: '2.14.1+cpu'\n"
        "import parity"
    )  # fmt: skip
    found = run(code)
    assert found.returncode == 1
    assert "torch 2.15.0 is needed, this is 2.14.1" in found.stderr


def test_local_versions_are_the_same_version() -> None:
    assert parity.bare_version("2.15.0+cu132") == parity.bare_version("2.15.0") == "2.15.0"
