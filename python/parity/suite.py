"""Suites: tables of one-line PyTorch expressions, written as fixture and golden files.

    >>> SUITE = Suite("reduce", "python/reduce.py", ROWS, namespace)
    >>> SUITE.build().write(Path("."))

A row is an id without the suite's name and an expression. Of the calls that the expression
makes, the case is the last whose op is the middle part of the id, so the expression may
prepare its input in place: `Row("sum/transposed", "a.t().sum(1)")` is a case of `sum`. Every
case is replayed from its own JSON right after recording, and refused when the outcome is not
the same to the last bit.
"""

import json
import os
import platform
import re
import secrets
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import parity
from parity import encode, gradients, record, replay
from parity.encode import Json

import torch

SCHEMA = 1

SPECIAL = re.compile(r"[A-Za-z0-9._-]+")


class Refused(ValueError):
    """A row that cannot become a case. The text names the case and says why."""


@dataclass(frozen=True)
class Row:
    """One case of a suite: `<op>/<what is special>`, and the expression that makes the call."""

    tail: str
    expression: str
    tags: tuple[str, ...] = ()
    note: str = ""
    # With respect to which inputs gradients are asked for; `()` is every one that matters.
    backward: tuple[str, ...] | None = None
    # The output is a loss: its cotangent is 1, as `loss.backward()` has it.
    loss: bool = False
    # Why PyTorch's gradient is not the derivative where the function is smooth, if it is not.
    no_derivative: str = ""


def _tensors(value: Json) -> Iterator[Mapping[str, Json]]:
    for one in value if isinstance(value, list) else [value]:
        if one is not None:
            yield one


def _is_expanded(tensor: Mapping[str, Json]) -> bool:
    strides = tensor.get("strides", ())
    return any(
        stride == 0 and size > 1 for size, stride in zip(tensor["shape"], strides, strict=False)
    )


def _has_nan(tensor: Mapping[str, Json]) -> bool:
    decoded = encode.decode_tensor(tensor)
    return decoded.is_floating_point() and bool(decoded.isnan().any())


def tags_of(case: Mapping[str, Json], outcome: Mapping[str, Json]) -> set[str]:
    """What a case can be selected by, as far as it shows in the case."""
    inputs = [tensor for value in case["inputs"].values() for tensor in _tensors(value)]
    layouts = {
        "expanded" if _is_expanded(tensor) else "strided"
        for tensor in inputs
        if "strides" in tensor
    }
    tags = {tensor["dtype"] for tensor in inputs}
    tags |= layouts or ({"contiguous"} if inputs else set())
    checks: dict[str, Callable[[Mapping[str, Json]], bool]] = {
        "nan": _has_nan,
        "empty": lambda tensor: 0 in tensor["shape"],
        "0-d": lambda tensor: not tensor["shape"],
    }
    tags |= {tag for tag, check in checks.items() if any(check(tensor) for tensor in inputs)}
    if "error" in outcome:
        tags.add("error")
    if "warnings" in outcome:
        tags.add("warning")
    return tags


def _evaluate(row: Row, namespace: dict[str, Any]) -> tuple[record.Recorder, Exception | None]:
    recorder = record.Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with recorder:
                # The expressions are the project's own, written in a table beside this call.
                eval(row.expression, namespace)
        except Exception as error:
            return recorder, error
    return recorder, None


def check_replay(case_id: str, recorded: record.Recorded) -> None:
    """Refuse a call that does not give the same outcome again when replayed from its JSON."""
    again = replay.run(json.loads(encode.dumps(recorded.case)))
    for part in ("outputs", "warnings", "error", "grads", "backward_error"):
        # As text, since -0.0 equals 0.0 in Python, and True equals 1.
        was, now = (encode.dumps(outcome.get(part)) for outcome in (recorded.outcome, again))
        if was != now:
            raise Refused(
                f"{case_id}: replayed from its JSON it gives other {part}: "
                f"recorded {was[:300]}, replayed {now[:300]}"
            )


def make_case(
    suite: str, row: Row, namespace: dict[str, Any]
) -> tuple[dict[str, Json], dict[str, Json]]:
    """A row's case and outcome, or `Refused`."""
    case_id = f"{suite}/{row.tail}"
    op, _, special = row.tail.partition("/")
    if not SPECIAL.fullmatch(op) or not SPECIAL.fullmatch(special):
        raise Refused(f"{case_id}: an id is suite/op/special, of letters, digits, '.', '_', '-'")
    recorder, error = _evaluate(row, namespace)
    calls = [recorded for recorded in recorder.calls if recorded.op == op]
    if not calls:
        seen = [recorded.op for recorded in recorder.calls] + sorted(recorder.unsupported)
        raise Refused(
            f"{case_id}: {row.expression} makes no call of {op} that can be recorded"
            f" (it makes {', '.join(seen) or 'none'}; it raised {error!r})"
        )
    recorded = calls[-1]
    message = recorded.outcome.get("error", {}).get("message")
    if (error is None) != (message is None) or (error is not None and str(error) != message):
        raise Refused(f"{case_id}: {row.expression} raised {error!r}, not in its call of {op}")
    if row.backward is not None:
        try:
            recorded = gradients.differentiated(recorded, row.backward, loss=row.loss)
        except gradients.NoGradientError as why:
            raise Refused(f"{case_id}: {why}") from why
        _check_derivative(case_id, recorded, row.no_derivative)
        note = "; ".join(text for text in (row.note, row.no_derivative) if text)
        return finished(case_id, recorded, row.tags, note), recorded.outcome
    return finished(case_id, recorded, row.tags, row.note), recorded.outcome


def _check_derivative(case_id: str, recorded: record.Recorded, reason: str) -> None:
    """Hold float64 gradients to central differences; what disagrees has to have its reason."""
    distance = gradients.distance_from_differences(recorded.case, recorded.outcome)
    disagrees = distance > gradients.AGREE
    if disagrees and not reason:
        raise Refused(
            f"{case_id}: the gradients are {distance:.2g} from central differences; a row whose"
            " gradient is no derivative says why in no_derivative"
        )
    if reason and not disagrees:
        raise Refused(f"{case_id}: no_derivative is given, but the gradients agree")


def finished(
    case_id: str, recorded: record.Recorded, tags: Iterable[str] = (), note: str = ""
) -> dict[str, Json]:
    """A recorded call as a case with an id, or `Refused` where it cannot be replayed."""
    check_replay(case_id, recorded)
    case: dict[str, Json] = {"id": case_id} | recorded.case
    case["tags"] = sorted(tags_of(case, recorded.outcome) | set(tags))
    if note:
        case["note"] = note
    return case


def conditions() -> dict[str, Json]:
    """What PyTorch runs under in this process."""
    return {
        "version": parity.bare_version(str(torch.__version__)),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "platform": f"{platform.system().lower()}-{platform.machine()}",
    }


def provenance() -> dict[str, Json]:
    """What the golden values are made under; refused where that is not what they are pinned to."""
    found = conditions()
    wanted = {"version": parity.TORCH_VERSION, "cpu_capability": "AVX2", "threads": 1}
    different = [f"{name} {found[name]}" for name, value in wanted.items() if found[name] != value]
    if different:
        raise parity.PinError(
            "golden values are made by PyTorch {version} with its {cpu_capability} kernels and"
            " {threads} thread; here is ".format(**wanted)
            + ", ".join(different)
        )
    return found


def _lines(head: Mapping[str, Json], opening: str, items: Iterable[str], closing: str) -> str:
    """A JSON object whose last member has one item per line, so that diffs are by item."""
    return (
        encode.dumps(head).removesuffix("}")
        + f",{opening}\n"
        + ",\n".join(items)
        + f"\n{closing}\n"
    )


@dataclass
class Corpus:
    """A suite's cases with their outcomes, ready to be written."""

    suite: str
    generator: str
    cases: list[dict[str, Json]] = field(default_factory=list)
    outcomes: dict[str, dict[str, Json]] = field(default_factory=dict)

    def _head(self) -> dict[str, Json]:
        return {"schema": SCHEMA, "suite": self.suite, "generator": self.generator}

    def add(self, case: dict[str, Json], outcome: dict[str, Json]) -> None:
        """Add a case. Its id has to be new."""
        if case["id"] in self.outcomes:
            raise Refused(f"{case['id']}: there are two cases of this id")
        self.cases.append(case)
        self.outcomes[case["id"]] = outcome

    def fixture_text(self) -> str:
        """The whole of `fixtures/<suite>.json`."""
        return _lines(self._head(), '"cases":[', map(encode.dumps, self.cases), "]}")

    def golden_text(self, made_under: Mapping[str, Json]) -> str:
        """The whole of `golden/<suite>.json`."""
        head = self._head() | {"torch": made_under}
        items = (
            f"{encode.dumps(case_id)}:{encode.dumps(outcome)}"
            for case_id, outcome in self.outcomes.items()
        )
        return _lines(head, '"outcomes":{', items, "}}")

    def write(self, root: Path) -> None:
        """Write both files under `root`, each whole or not at all."""
        # Both texts exist before either file is touched, so the two stay a pair.
        texts = {
            root / "fixtures" / f"{self.suite}.json": self.fixture_text(),
            root / "golden" / f"{self.suite}.json": self.golden_text(provenance()),
        }
        for path, text in texts.items():
            write_whole(path, text)


def write_whole(path: Path, text: str) -> None:
    """Replace a file by way of a temporary one, so that a reader never sees half of it.

    A process that is killed at it may leave the temporary one, `.NAME.*`, behind.
    """
    # Named before it is there: an interrupt at any point finds the name known.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        # The file is what a user knows, and a full disk's own message names none.
        error.filename = str(path)
        raise


@dataclass(frozen=True)
class Suite:
    """A named table of rows and what their expressions may refer to."""

    name: str
    generator: str
    rows: tuple[Row, ...]
    namespace: Callable[[], dict[str, Any]]

    def build(self) -> Corpus:
        """Run every row."""
        corpus = Corpus(self.name, self.generator)
        for row in self.rows:
            # A fresh namespace each time: an in-place call cannot reach the next row.
            corpus.add(*make_case(self.name, row, self.namespace()))
        return corpus
