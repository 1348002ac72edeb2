"""Writes what fuzzing starts from: small pieces of the committed fixtures and golden files.

    python python/fuzz_seeds.py --into target/fuzz-seeds

One folder per target of `fuzz/`, one file per input, in the form that its body in `fuzz/bodies/`
expects. Nothing but Python is needed.
"""

import argparse
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Longer cases take longer to run and longer to mutate, and reach no more code.
_LONGEST = 1500

# What libFuzzer is told not to go beyond.
_LARGEST = 4096

# How many cases of one op, each with other parameters than the ones before.
_OF_AN_OP = 4

_HEAD = re.compile(r'\{"id":"[^"]*","op":"([^"]*)",')

_EXPRESSIONS = (
    "op:sum and not error",
    "(nan or inf) and not tag:float16",
    "suite:s",
    "id:s/sum/two",
    "not not two",
)

_PARTITIONS = ("hash:1/1", "hash:2/4", "hash:0/4", "hash:1/18446744073709551615")


def _lines(path: Path) -> tuple[str, list[str], str]:
    """The head of a suite's file, its entries' lines without commas, and its end."""
    head, *lines, end = path.read_text(encoding="utf-8").splitlines()
    return head, [line.removesuffix(",") for line in lines], end


def _cases() -> Iterator[str]:
    """Short cases of every op, no two of an op with the same parameters."""
    found: defaultdict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    for path in sorted((ROOT / "fixtures").glob("*.json")):
        for line in _lines(path)[1]:
            if len(line) > _LONGEST:
                continue
            case = json.loads(line)
            kind = (*case["inputs"], *case["attrs"], *case.get("backward", {}))
            kept = found[case["op"]].get(kind)
            if kept is None or len(line) < len(kept):
                found[case["op"]][kind] = line
    for kinds in found.values():
        for line in sorted(kinds.values(), key=len)[:_OF_AN_OP]:
            yield _HEAD.sub(r"\1 ", line)


def _suites(folder: str) -> Iterator[str]:
    """The shortest entries of every suite's file, as the file of a suite `s`."""
    for path in sorted((ROOT / "fixtures").glob("*.json")):
        head, lines, end = _lines(ROOT / folder / path.name)
        shortest = sorted(lines, key=len)[:2]
        text = "\n".join([head, ",\n".join(shortest), end])
        yield text.replace(f'"{path.stem}/', '"s/').replace(f'"suite":"{path.stem}"', '"suite":"s"')


def _tolerances() -> Iterator[str]:
    rules = json.loads((ROOT / "golden/tolerances.json").read_text(encoding="utf-8"))["rules"]
    for rule in rules:
        yield json.dumps({"schema": 1, "rules": [rule]})


def _errors() -> Iterator[str]:
    engines = json.loads((ROOT / "golden/accuracy.json").read_text(encoding="utf-8"))["engines"]
    for engine, lines in engines.items():
        yield json.dumps({"schema": 1, "engines": {engine: lines[:3]}})


def _spread() -> Iterator[str]:
    spread = json.loads((ROOT / "golden/spread.json").read_text(encoding="utf-8"))
    for case in list(spread["spread"].items())[::100]:
        yield json.dumps({**spread, "spread": dict([case])})


def _ledgers() -> Iterator[str]:
    for path in sorted((ROOT / "golden/known").glob("*.toml")):
        entry = tomllib.loads(path.read_text(encoding="utf-8"))["known"][0]
        # A string of JSON is one of TOML.
        pairs = (f"{key} = {json.dumps(value)}" for key, value in entry.items())
        yield "\n".join(["[[known]]", *pairs])


def inputs() -> dict[str, list[str]]:
    """The inputs of each target that starts from something."""
    kinds = {
        "f": _suites("fixtures"),
        "g": _suites("golden"),
        "t": _tolerances(),
        "a": _errors(),
        "s": _spread(),
        "l": _ledgers(),
        "k": iter(_EXPRESSIONS),
        "p": iter(_PARTITIONS),
    }
    loaders = [kind + text for kind, texts in kinds.items() for text in texts]
    return {
        "loaders": [text for text in loaders if len(text) <= _LARGEST],
        "case": list(_cases()),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, required=True, metavar="DIR")
    into = parser.parse_args().into
    for target, texts in inputs().items():
        (into / target).mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(texts):
            (into / target / f"{number:04}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
