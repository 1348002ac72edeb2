"""A generator that is killed, or that meets a full disk, leaves old files whole."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from parity.suite import write_whole

import pytest

GENERATE = Path(__file__).resolve().parents[1] / "generate.py"
TEXTS = tuple(letter * 2_000_000 for letter in "ab")


def unfinished(path: Path) -> list[Path]:
    """What a killed writer may leave beside a file."""
    return list(path.parent.glob(f".{path.name}.*"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_writer_killed_many_times_leaves_a_whole_file(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "file.json"
    write_whole(path, TEXTS[0])
    moments = random.Random(1)
    left = 0
    for _ in range(40):
        ready, begun = os.pipe()
        writer = os.fork()
        if writer == 0:
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                os.write(begun, b".")
                while True:
                    write_whole(path, TEXTS[1])
                    write_whole(path, TEXTS[0])
            finally:
                os._exit(1)
        os.read(ready, 1)
        os.close(ready)
        os.close(begun)
        time.sleep(moments.uniform(0.0, 0.02))
        os.kill(writer, number)
        os.waitpid(writer, 0)
        assert path.read_text() in TEXTS
        litter = unfinished(path)
        left += len(litter)
        assert sorted(tmp_path.iterdir()) == sorted([path, *litter])
        for file in litter:
            file.unlink()
    # Only what cannot be caught leaves anything behind.
    assert (left > 0) == (number == signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_generator_killed_while_it_writes(tmp_path: Path, number: signal.Signals) -> None:
    golden = tmp_path / "golden" / "red_ref.json"
    golden.parent.mkdir()
    golden.write_text("old")
    command = [sys.executable, str(GENERATE), "--only", "red_ref", "--root", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as generator:
        # The fixture is written before the golden file.
        while not (tmp_path / "fixtures").exists() and generator.poll() is None:
            time.sleep(0)
        generator.send_signal(number)
    text = golden.read_text()
    assert text == "old" or text.endswith("}}\n")
    assert len(list(golden.parent.iterdir())) == 1 + len(unfinished(golden))


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with no room, where this process may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no mount: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_one_message(full_disk: Path) -> None:
    command = [sys.executable, str(GENERATE), "--only", "red_ref", "--root", str(full_disk)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    path = full_disk / "fixtures" / "red_ref.json"
    assert run.stderr == f"generate.py: [Errno 28] No space left on device: '{path}'\n"
    assert [path for path in full_disk.rglob("*") if path.is_file()] == []
