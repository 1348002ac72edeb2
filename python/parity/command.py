"""Records a whole PyTorch program: every call it makes becomes a case.

    python -m parity.record SCRIPT.py --suite NAME [--root DIR] [--max-elements N] [-- ARGS]

runs the script as `python SCRIPT.py ARGS` would, and writes DIR/fixtures/NAME.json and
DIR/golden/NAME.json, which any engine can be held to:

    compare --fixtures DIR/fixtures --golden DIR/golden --suite NAME

Calls are deduplicated. Calls with large tensors, random functions, and what the format cannot
express are left out and counted. Exit status: 0 written, 2 nothing was written, and why.
"""

import argparse
import collections
import contextlib
import json
import re
import runpy
import shutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import parity
from parity import program, record, suite

import torch

PROGRAM = "parity.record"

# A case of a few thousand elements shows what an engine does; more of them only fill the file.
MAX_ELEMENTS = 4096

TOLERANCES = Path("golden/tolerances.json")

_RANDOM = ": random"


class Failed(Exception):
    """Why nothing is written."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; gives the exit status."""
    options, rest = _options(list(sys.argv[1:] if arguments is None else arguments))
    try:
        generator = f"{PROGRAM} {options.script.name}"
        _check(options.script, options.suite, options.root, generator)
        recorder = record.Recorder(max_elements=options.max_elements, once=True)
        _run(recorder, options.script, rest)
        collection = program.Collection(suite.Corpus(options.suite, generator))
        collection.add(_plain(options.script.stem), recorder.calls, strict=False)
        if not collection.corpus.cases:
            raise Failed("; ".join(["no call could be recorded", *_left_out(recorder, collection)]))
        collection.corpus.write(options.root)
        _add_tolerances(options.root)
    except (Failed, suite.Refused, parity.PinError, OSError) as error:
        sys.stderr.write(f"{PROGRAM}: {error}\n")
        return 2
    sys.stdout.write(_summary(recorder, collection, options.root))
    return 0


def _options(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options, and the script's own arguments."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(
        prog=f"python -m {PROGRAM}",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("script", type=Path, metavar="SCRIPT.py")
    parser.add_argument("--suite", required=True, metavar="NAME", help="name of the suite")
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where fixtures/ and golden/ are written (default: here)",
    )
    parser.add_argument(
        "--max-elements",
        type=_positive,
        default=MAX_ELEMENTS,
        metavar="N",
        help=f"leave out calls with larger tensors (default: {MAX_ELEMENTS})",
    )
    return parser.parse_args(arguments[:split]), arguments[split + 1 :]


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _plain(name: str) -> str:
    """A script's name as a part of an id."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)


def _check(script: Path, name: str, root: Path, generator: str) -> None:
    if not script.is_file():
        raise Failed(f"{script}: there is no such file")
    if not suite.SPECIAL.fullmatch(name):
        raise Failed(f"--suite {name}: a name is of letters, digits, '.', '_', '-'")
    path = root / "fixtures" / f"{name}.json"
    if not path.exists():
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8")).get("generator")
    except (ValueError, AttributeError):
        found = None
    if found != generator:
        raise Failed(f"{path}: it is not of this script, so it is not overwritten")


def _run(recorder: record.Recorder, script: Path, arguments: list[str]) -> None:
    """Run a script as Python would, watched by the recorder."""
    try:
        with _as_main(script, arguments), recorder:
            runpy.run_path(str(script), run_name="__main__")
    except SystemExit as done:
        if done.code not in (None, 0):
            raise Failed(f"{script} exited with {done.code!r}; nothing was written") from None
    except Exception as error:
        traceback.print_exc()
        what = f"{type(error).__name__}: {error}"
        raise Failed(f"{script} raised {what}; nothing was written") from None


@contextlib.contextmanager
def _as_main(script: Path, arguments: list[str]) -> Iterator[None]:
    """The process as a script expects it; put back afterwards."""
    argv, path, default = sys.argv, list(sys.path), torch.get_default_dtype()
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, path
        # A case has to mean the same where nothing was set.
        torch.set_default_dtype(default)


def _add_tolerances(root: Path) -> None:
    """The project's tolerances, where there are none."""
    own = Path(__file__).resolve().parents[2] / TOLERANCES
    if own.is_file() and not (root / TOLERANCES).exists():
        shutil.copyfile(own, root / TOLERANCES)


def _named(counts: collections.Counter[str]) -> str:
    parts = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(name if count == 1 else f"{name} ({count})" for name, count in parts)


def _left_out(recorder: record.Recorder, collection: program.Collection) -> list[str]:
    """What was left out, a line for each reason that there is."""
    random: collections.Counter[str] = collections.Counter()
    other: collections.Counter[str] = collections.Counter()
    for reason, count in recorder.unsupported.items():
        if reason.endswith(_RANDOM):
            random[reason.removesuffix(_RANDOM)] += count
        else:
            other[reason] += count
    reasons = (
        ("too large", recorder.too_large),
        ("random", random),
        ("not the same when replayed", collection.unreproducible),
        ("not expressible", other),
    )
    return [f"{sum(counts.values())} {why}: {_named(counts)}" for why, counts in reasons if counts]


def _summary(recorder: record.Recorder, collection: program.Collection, root: Path) -> str:
    corpus = collection.corpus
    ops = collections.Counter(case["op"] for case in corpus.cases)
    repeated = recorder.repeated + collection.repeated
    lines = [
        f"{corpus.suite}: {len(corpus.cases)} cases of {len(ops)} ops, {repeated} repeats left out",
        f"ops: {_named(ops)}",
        *_left_out(recorder, collection),
        *(f"wrote {root / folder / corpus.suite}.json" for folder in ("fixtures", "golden")),
    ]
    return "".join(f"{line}\n" for line in lines)
