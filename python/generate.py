"""Runs the generators: writes fixtures, golden values and the list of PyTorch's functions.

Every golden value is what PyTorch 2.15.0 answers on the spot. The same command on any x86-64
machine with AVX2 writes the same bytes, but for a few square roots (parity/makers.py).

    python python/generate.py                    write everything
    python python/generate.py --only reduce      write one suite
    python python/generate.py --refuse-idle      write nothing if some case proves nothing: if it
                                                 lets every wrong engine of `compare mutants` pass
    python python/generate.py --check            write nothing; exit 1 and name the cases where
                                                 the files in the tree differ from a fresh run

Exit status: 0 done, 1 something differs, 2 the files could not be made.
"""

import argparse
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import parity
from parity import makers, suite

# Suites in the order in which they run; each is the module of that name beside this file.
SUITES = (
    "reduce",
    "red_ref",
    "reductions",
    "argreduce",
    "products",
    "scans",
    "sorting",
    "softmax",
    "elementary",
    "arithmetic",
    "pointwise",
    "index",
    "scatter",
    "select",
    "shape",
    "creation",
    "matmul",
    "loss",
    "course",
    "workloads",
    "public",
    "grad_reductions",
    "grad_scans",
    "grad_sorting",
    "grad_softmax",
    "grad_elementary",
    "grad_arithmetic",
    "grad_pointwise",
    "grad_masked",
    "grad_index",
    "grad_scatter",
    "grad_shape",
    "grad_matmul",
    "grad_attention",
    "grad_loss",
    "grad_layers",
    "grad_graphs",
)

# A suite whose module has another name, since Python has one of its own.
_MODULES = {"select": "select_suite"}

FUNCTIONS = "functions"

FUNCTIONS_PATH = Path("src/corpus/functions.json")

# The repository, whose program judges new suites.
_REPOSITORY = Path(__file__).resolve().parent.parent

_COMPARE = ("cargo", "run", "--locked", "--quiet", "--release", "--bin", "compare", "--")

# How many differing cases of one file are named before the rest are counted.
NAMED = 200


def generate(targets: Sequence[str], root: Path) -> None:
    """Write the targets' files under `root`, with a line of progress for each."""
    for target in targets:
        started = time.monotonic()
        module = importlib.import_module(_MODULES.get(target, target))
        if target == FUNCTIONS:
            suite.write_whole(root / FUNCTIONS_PATH, module.text())
            made = "functions"
            count = len(json.loads((root / FUNCTIONS_PATH).read_text())["functions"])
        else:
            corpus = module.SUITE.build()
            corpus.write(root)
            made, count = "cases", len(corpus.cases)
        _progress(f"{target:<12} {count:>6} {made:<10} {time.monotonic() - started:6.1f} s")


def _progress(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _paths(target: str) -> tuple[Path, ...]:
    if target == FUNCTIONS:
        return (FUNCTIONS_PATH,)
    return Path(f"fixtures/{target}.json"), Path(f"golden/{target}.json")


def _entries(document: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a file that a difference is named by: cases, outcomes or functions."""
    if "cases" in document:
        return {case["id"]: case for case in document["cases"]}
    return dict(document.get("outcomes") or document.get("functions") or {})


def _differences(path: Path, committed: str, fresh: str) -> Iterator[str]:
    if committed == fresh:
        return
    try:
        old, new = _entries(json.loads(committed)), _entries(json.loads(fresh))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        yield f"{path}: cannot be read: {error}"
        return
    found = [f"{path}: {name} is missing" for name in new if name not in old]
    found += [f"{path}: {name} is extra" for name in old if name not in new]
    differing = [
        name
        for name in new
        # The text is compared, since 1 and 1.0 are equal in Python and not in a file.
        if name in old and json.dumps(old[name]) != json.dumps(new[name])
    ]
    owed = [name for name in differing if _owed_to_maker(path, name, old[name], new[name])]
    if owed:
        _progress(f"{path}: {len(owed)} cases differ only as the makers of processors do")
    found += [f"{path}: {name} differs" for name in differing if name not in owed]
    if not found and not owed:
        yield f"{path}: differs outside its entries"
    yield from found[:NAMED]
    if len(found) > NAMED:
        yield f"{path}: and {len(found) - NAMED} more"


def _owed_to_maker(path: Path, case: str, old: Any, new: Any) -> bool:
    """Whether a golden outcome differs only as it does between the makers of processors."""
    if path.parts[0] != "golden":
        return False
    return makers.only_by_maker(case.split("/")[1], old, new)


def _strays(root: Path) -> Iterator[str]:
    """Suite files that no generator writes."""
    known = {path for name in SUITES for path in _paths(name)}
    for folder, key in (("fixtures", "cases"), ("golden", "outcomes")):
        for path in sorted((root / folder).glob("*.json")):
            relative = path.relative_to(root)
            if relative in known:
                continue
            try:
                is_suite = key in json.loads(path.read_text(encoding="utf-8"))
            except ValueError:
                is_suite = True
            if is_suite:
                yield f"{relative}: no generator writes it"


def idle(fresh_root: Path, root: Path) -> list[str]:
    """The cases of new suites that no mutant fails, under the tolerances of the tree."""
    shutil.copyfile(root / "golden/tolerances.json", fresh_root / "golden/tolerances.json")
    folders = [f"--{name}={fresh_root / name}" for name in ("fixtures", "golden")]
    try:
        run = subprocess.run(
            [*_COMPARE, "mutants", "--idle", *folders],
            cwd=_REPOSITORY,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    except FileNotFoundError:
        raise suite.Refused("--refuse-idle: needs cargo, to run `compare mutants`") from None
    if run.returncode not in (0, 1):
        raise suite.Refused(f"--refuse-idle: `compare mutants` ended with {run.returncode}")
    return run.stdout.splitlines()


def generate_judged(targets: Sequence[str], root: Path) -> None:
    """Write the targets' files at the end, and none of the suites if a case is idle."""
    suites = [target for target in targets if target != FUNCTIONS]
    # The program that judges is built with it, and it holds nothing to be judged.
    generate([target for target in targets if target == FUNCTIONS], root)
    if not suites:
        return
    with tempfile.TemporaryDirectory() as folder:
        fresh_root = Path(folder)
        generate(suites, fresh_root)
        if found := idle(fresh_root, root):
            raise suite.Refused(
                "\n".join(f"{case}: idle: no mutant fails it" for case in found)
                + "\nA case that lets every wrong engine pass proves nothing: nothing was written"
            )
        for path in (path for target in suites for path in _paths(target)):
            suite.write_whole(root / path, (fresh_root / path).read_text(encoding="utf-8"))


def check(targets: Sequence[str], root: Path) -> list[str]:
    """What a fresh run would change in the tree, by file and case."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        fresh_root = Path(folder)
        generate(targets, fresh_root)
        for path in (path for target in targets for path in _paths(target)):
            if not (root / path).is_file():
                found.append(f"{path}: is missing")
                continue
            committed = (root / path).read_bytes().decode("utf-8", errors="replace")
            fresh = (fresh_root / path).read_text(encoding="utf-8")
            found += _differences(path, committed, fresh)
    if set(targets) >= set(SUITES):
        found += _strays(root)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; gives the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = (*SUITES, FUNCTIONS)
    parser.add_argument(
        "--only", nargs="+", metavar="SUITE", choices=every, help=f"of {', '.join(every)}"
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument(
        "--refuse-idle", action="store_true", help="write no suite with a case that no mutant fails"
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=_REPOSITORY,
        metavar="DIR",
        help="the tree that holds fixtures/ and golden/ (default: the one around this file)",
    )
    options = parser.parse_args(arguments)
    targets = options.only or every
    try:
        if not options.check:
            write = generate_judged if options.refuse_idle else generate
            write(targets, options.root)
            return 0
        found = check(targets, options.root)
    except (suite.Refused, parity.PinError, OSError) as error:
        _progress(f"generate.py: {error}")
        return 2
    for line in found:
        _progress(line)
    if found:
        _progress(f"generate.py: {len(found)} differences from a fresh run")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
