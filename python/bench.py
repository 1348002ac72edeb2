"""PyTorch's side of `compare bench`: makes inputs and times calls, as lines of JSON tell it.

PyTorch runs as it does for its users, with one pin: the instruction set that the goldens are made
under. Each request is answered by one line.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"

import torch

# The shortest time that is measured: what is faster is called several times.
SAMPLE = 200e-6


def tensor(wanted: dict[str, Any]) -> torch.Tensor:
    """The tensor of a row's input."""
    generator = torch.Generator().manual_seed(1)
    dtype = getattr(torch, wanted["dtype"])
    if wanted["below"] is not None:
        made = torch.randint(wanted["below"], wanted["shape"], generator=generator).to(dtype)
    else:
        made = (torch.rand(wanted["shape"], generator=generator) * 8 - 4).to(dtype)
    return made.t() if wanted["transposed"] else made


def call(row: dict[str, Any]) -> Callable[[], Any]:
    """The row's call with its inputs made."""
    arguments = {name: tensor(wanted) for name, wanted in row["inputs"].items()} | row["attrs"]
    function = getattr(torch, row["op"], None)
    if function is None:
        method = getattr(arguments.pop("input"), row["op"])
        return lambda: method(**arguments)
    return lambda: function(**arguments)


def sample(run: Callable[[], Any], batch: int) -> float:
    """Seconds per call over some calls."""
    started = time.perf_counter()
    for _ in range(batch):
        run()
    return (time.perf_counter() - started) / batch


def measure(run: Callable[[], Any], batch: int, turn: float) -> list[float]:
    """Seconds per call, once or more, for about so long."""
    started = time.perf_counter()
    samples = [sample(run, batch)]
    while time.perf_counter() - started < turn:
        samples.append(sample(run, batch))
    return samples


def answer(value: object) -> None:
    """One line."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do what the lines say until there are no more."""
    run: Callable[[], Any] | None = None
    batch = 1
    answer({"version": torch.__version__.partition("+")[0]})
    for line in sys.stdin:
        request = json.loads(line)
        if "prepare" in request:
            run = None  # Both rows at once may be more than there is memory.
            wanted = request["prepare"]
            torch.set_num_threads(wanted["threads"])
            run = call(wanted["row"])
            first = min(sample(run, 1) for _ in range(2))
            batch = max(1, min(1_000_000, int(SAMPLE / max(first, 1e-9))))
            answer("ready")
        elif run is not None:
            answer({"seconds": measure(run, batch, request["measure"])})


if __name__ == "__main__":
    with torch.inference_mode():
        main()
