"""How far PyTorch is from itself: golden/spread.json.

Replays every case under other instruction sets and thread counts than those that the golden
values are pinned to, and writes down the cases whose outcome is another, with the largest
difference. No tolerance may be tighter than that, unless it belongs to an engine that follows
the pinned order of operations.

    python python/spread.py              measure, and write golden/spread.json
    python python/spread.py --check      exit 1 where this host sees more than the file says

A file of its own beside the golden values, since those are the same from any host, and this is
not: a host without AVX-512 cannot measure that part.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import parity
from parity import encode, replay, suite
from parity.encode import Json

import torch

ROOT = Path(__file__).resolve().parent.parent

# Instruction set and threads. `default` is plain x86-64.
CONDITIONS = ("default/1", "avx2/2", "avx512/1", "avx512/2")

PATH = Path("golden/spread.json")


def _distance(one: torch.Tensor, other: torch.Tensor) -> dict[str, Json] | None:
    """The largest difference of two tensors in ULP and absolutely; none where they are equal."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return {"ulp": None, "abs": None}
    wide = [tensor.to(torch.float64) for tensor in (one, other)]
    apart = (wide[0] != wide[1]) & ~(wide[0].isnan() & wide[1].isnan())
    if not bool(apart.any()):
        return None
    difference = (wide[0] - wide[1]).abs()[apart]
    finite = bool(difference.isfinite().all())
    return {
        "ulp": max(_ulps(one[apart].tolist(), other[apart].tolist(), one.dtype)),
        "abs": float(difference.max()) if finite else None,
    }


def _ulps(ones: list[Any], others: list[Any], dtype: torch.dtype) -> Iterator[int]:
    for one, other in zip(ones, others, strict=True):
        if not dtype.is_floating_point:
            yield abs(int(one) - int(other))
        elif math.isnan(one) or math.isnan(other):
            yield sys.maxsize
        else:
            yield abs(_place(one, dtype) - _place(other, dtype))


def _place(value: float, dtype: torch.dtype) -> int:
    integer = {8: torch.int64, 4: torch.int32, 2: torch.int16}[dtype.itemsize]
    bits = int(torch.tensor(value, dtype=dtype).view(integer))
    lowest = torch.iinfo(integer).min
    return bits if bits >= 0 else lowest - bits


def _decoded(value: Json) -> list[torch.Tensor | None]:
    listed = value if isinstance(value, list) else [value]
    return [None if one is None else encode.decode_tensor(one) for one in listed]


def _apart(golden: Mapping[str, Json], fresh: Mapping[str, Json]) -> dict[str, Json] | None:
    """The largest difference of two outcomes."""
    pairs = list(zip(_decoded(golden["outputs"]), _decoded(fresh.get("outputs", [])), strict=False))
    for name, grads in golden.get("grads", {}).items():
        again = fresh.get("grads", {}).get(name)
        pairs += zip(_decoded(grads), _decoded(again), strict=False)
    found = [
        distance
        for one, other in pairs
        if one is not None and other is not None
        for distance in [_distance(one, other)]
        if distance is not None
    ]
    return _largest(found) if found else None


def _largest(found: list[dict[str, Json]]) -> dict[str, Json]:
    def most(key: str) -> Json:
        values = [one[key] for one in found]
        return None if None in values else max(values)

    return {"ulp": most("ulp"), "abs": most("abs")}


def measure() -> dict[str, Json]:
    """The cases whose outcome in this process is not the golden one."""
    spread: dict[str, Json] = {}
    for path in sorted((ROOT / "fixtures").glob("*.json")):
        golden = json.loads((ROOT / "golden" / path.name).read_text(encoding="utf-8"))["outcomes"]
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            outcome = golden[case["id"]]
            if "outputs" in outcome:
                found = _apart(outcome, replay.run(case))
                if found is not None:
                    spread[case["id"]] = found
    return spread


def _measure_under(conditions: str) -> tuple[str, dict[str, Json]] | None:
    """The capability that a process has under some conditions, and what it measures there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spread.json"
        clean = {name: value for name, value in os.environ.items() if name not in parity.PINS}
        subprocess.run(
            [sys.executable, __file__, "--into", str(path)],
            env=clean | parity.pins(conditions) | {parity.CONDITIONS: conditions},
            check=True,
        )
        found = json.loads(path.read_text(encoding="utf-8"))
    wanted = conditions.partition("/")[0]
    return (conditions, found["spread"]) if found["capability"].lower() == wanted else None


def text() -> str:
    """The whole file, one case per line."""
    seen = [found for found in map(_measure_under, CONDITIONS) if found is not None]
    merged: dict[str, list[dict[str, Json]]] = {}
    for _, spread in seen:
        for case_id, distance in spread.items():
            merged.setdefault(case_id, []).append(distance)
    head = {
        "schema": suite.SCHEMA,
        "torch": parity.TORCH_VERSION,
        "conditions": [conditions for conditions, _ in seen],
    }
    lines = [
        f"{encode.dumps(case_id)}:{encode.dumps(_largest(found))}"
        for case_id, found in sorted(merged.items())
    ]
    return encode.dumps(head).removesuffix("}") + ',"spread":{\n' + ",\n".join(lines) + "\n}}\n"


def main() -> int:
    """The command line; gives the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.into:
        capability = torch.backends.cpu.get_cpu_capability()
        found = {"capability": capability, "spread": measure()}
        options.into.write_text(encode.dumps(found), encoding="utf-8")
        return 0
    fresh = text()
    if not options.check:
        suite.write_whole(ROOT / PATH, fresh)
        return 0
    stored = json.loads((ROOT / PATH).read_text(encoding="utf-8"))
    worse = list(_beyond(stored["spread"], json.loads(fresh)["spread"]))
    for line in worse:
        sys.stderr.write(line + "\n")
    return 1 if worse else 0


def _beyond(stored: Mapping[str, Any], fresh: Mapping[str, Any]) -> Iterator[str]:
    for case_id, found in fresh.items():
        known = stored.get(case_id)
        if known is None:
            yield f"{PATH}: {case_id} is missing"
        elif known["ulp"] is not None and (found["ulp"] is None or found["ulp"] > known["ulp"]):
            yield f"{PATH}: {case_id}: {found['ulp']} ulp here, {known['ulp']} in the file"


if __name__ == "__main__":
    sys.exit(main())
