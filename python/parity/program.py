"""Whole programs as cases: every call that a program makes, once.

    >>> def greedy() -> None:
    ...     logits.argmax(-1).item()
    >>> SUITE = Programs("workloads", "python/workloads.py", (Program("greedy", greedy),))
    >>> [case["id"] for case in SUITE.build().cases]
    ['workloads/argmax/greedy-01', 'workloads/item/greedy-02']

A case is numbered by the place of its call among the recorded calls of its program. A call that
an earlier one repeats, to the last bit of its inputs, is no case of its own. Like the rows of a
table, every case is replayed from its own JSON before it is accepted.
"""

import collections
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

from parity import encode, record, suite
from parity.suite import Corpus, Refused


@dataclass(frozen=True)
class Program:
    """A function without arguments that calls PyTorch, and what it is an example of."""

    name: str
    run: Callable[[], None]
    note: str = ""


@dataclass
class Collection:
    """The calls of one or more programs on their way to be a corpus."""

    corpus: Corpus
    repeated: int = 0
    # What cannot be replayed to the same outcome, by op; only where that is not refused.
    unreproducible: collections.Counter[str] = field(default_factory=collections.Counter)
    _seen: set[str] = field(default_factory=set)

    def add(
        self, program: str, calls: list[record.Recorded], *, note: str = "", strict: bool = True
    ) -> None:
        """Add a program's calls. What cannot be replayed is refused if `strict`, else counted."""
        width = max(2, len(str(len(calls))))
        for number, recorded in enumerate(calls, 1):
            text = encode.dumps(recorded.case)
            if text in self._seen:
                self.repeated += 1
                continue
            self._seen.add(text)
            case_id = f"{self.corpus.suite}/{recorded.op}/{program}-{number:0{width}}"
            try:
                case = suite.finished(case_id, recorded, (program,), note)
            except Refused:
                if strict:
                    raise
                self.unreproducible[recorded.op] += 1
                continue
            self.corpus.add(case, recorded.outcome)


@dataclass(frozen=True)
class Programs:
    """A named suite of programs; it is built as a table of rows is."""

    name: str
    generator: str
    programs: tuple[Program, ...]

    def build(self) -> Corpus:
        """Run every program. A call that cannot be recorded is refused, as is an exception."""
        collection = Collection(Corpus(self.name, self.generator))
        for program in self.programs:
            recorder = record.Recorder()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    with recorder:
                        program.run()
                except Exception as error:
                    raise Refused(f"{self.name}: {program.name} raised {error!r}") from error
            if recorder.unsupported:
                calls = ", ".join(sorted(recorder.unsupported))
                raise Refused(f"{self.name}: {program.name} makes calls that are no case: {calls}")
            collection.add(program.name, recorder.calls, note=program.note)
        return collection.corpus
