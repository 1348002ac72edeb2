"""What a replay of the corpus takes, as ratios: a table for docs/performance.md.

Its one argument is the `compare` to run.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The best of so many runs counts.
RUNS = 5


def corpus() -> list[Path]:
    """The files that a replay reads."""
    folders = (ROOT / "fixtures", ROOT / "golden")
    return [path for folder in folders for path in folder.rglob("*.json")]


def read() -> float:
    """Seconds that reading the files takes, without looking at them."""
    started = time.perf_counter()
    for path in corpus():
        path.read_bytes()
    return time.perf_counter() - started


def run(compare: str, *arguments: str) -> tuple[float, int]:
    """Seconds and peak memory in bytes of a run of `compare`."""
    null = subprocess.DEVNULL
    started = time.perf_counter()
    process = subprocess.Popen([compare, *arguments], stdout=null, stderr=null)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{compare} {' '.join(arguments)}: exit status {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss * 1024


def main(compare: str) -> None:
    """Print the table."""
    reading = min(read() for _ in range(RUNS))
    listing = min(run(compare, "list")[0] for _ in range(RUNS))
    alone = min(run(compare, "-q", "-j", "1")[0] for _ in range(RUNS))
    shared, peaks = zip(*(run(compare, "-q") for _ in range(RUNS)), strict=True)
    memory = max(peaks) / sum(path.stat().st_size for path in corpus())
    rows = (
        ("`compare list`, over reading the corpus's files", listing / reading),
        ("a replay on one thread, over `compare list`", alone / listing),
        (f"a replay on one thread, over one on {os.cpu_count()}", alone / min(shared)),
        ("peak memory of a replay, over the corpus's size on disk (at most 3)", memory),
    )
    lines = ["| what | times |", "|---|---:|"]
    lines += [f"| {what} | {figure:.1f} |" for what, figure in rows]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
