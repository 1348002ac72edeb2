"""Tables of rows made by crossing what a call can vary in, pairwise.

    >>> cross("sum", "{layout}({values}(3, 5, dtype={dtype})).sum({dim})",
    ...       dtype=named("float32 int8"), layout=named("contiguous stepped"),
    ...       values=named("ordinary ties"), dim={"dim0": "0", "all": ""})[0].tail
    'sum/float32-contiguous-ordinary-dim0'

Every value of every axis meets every value of every other axis in some row, as far as `unless`
lets it; the full product would be hundreds of times larger and find little more. The choice
is `allpairspy`'s, which is deterministic.
"""

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping

from parity.suite import Row
from parity.tensors import FLOATING_VALUES

from allpairspy import AllPairs

# What a row is made of: the chosen label of each axis.
Labels = Mapping[str, str]


def named(labels: str) -> dict[str, str]:
    """An axis whose labels stand in the expression as they are."""
    return {label: label for label in labels.split()}


def op_rows(op: str, *pairs: tuple[str, str]) -> tuple[Row, ...]:
    """Hand-picked rows of one op: what is special about each, and its expression."""
    return tuple(Row(f"{op}/{special}", expression) for special, expression in pairs)


def cross(
    op: str,
    expression: str,
    *,
    unless: Callable[[Labels], bool] = lambda labels: False,
    prefix: str = "",
    tags: tuple[str, ...] = (),
    note: str = "",
    **axes: Mapping[str, str],
) -> tuple[Row, ...]:
    """Rows of one op, whose id is made of the labels and whose expression of the snippets.

    An axis maps a label (`""` leaves no trace in the id) to the snippet that replaces the
    axis' name in `expression`, and may name other axes itself. `unless` names the combinations
    that make no sense; it is asked about incomplete rows too, so it looks labels up with `get`.
    `prefix` tells the ids of two tables of one op apart.
    """
    names = list(axes)

    def admitted(chosen: list[str]) -> bool:
        return not unless(dict(zip(names, chosen, strict=False)))

    parameters = OrderedDict((name, list(axis)) for name, axis in axes.items())
    if len(names) == 1:
        chosen_rows = [[label] for label in axes[names[0]] if admitted([label])]
    else:
        chosen_rows = [list(chosen) for chosen in AllPairs(parameters, filter_func=admitted)]
    rows = []
    for chosen in chosen_rows:
        labels = dict(zip(names, chosen, strict=True))
        special = "-".join(label for label in (prefix, *chosen) if label)
        snippets = {name: axes[name][label] for name, label in labels.items()}
        # A snippet that names no axis goes in as it is, with the attributes that it may have.
        filled = {
            name: _filled(snippet, snippets) if "{" in snippet else snippet
            for name, snippet in snippets.items()
        }
        rows.append(Row(f"{op}/{special}", expression.format(**filled), tags, note))
    return tuple(rows)


def differentiable(rows: Iterable[Row], *wrt: str) -> tuple[Row, ...]:
    """The same rows with gradients: of these inputs, or of every floating one that matters.

    A row that asks for gradients itself keeps what it asks for.
    """
    return tuple(
        dataclasses.replace(row, backward=wrt) if row.backward is None else row for row in rows
    )


def _filled(snippet: str, snippets: Mapping[str, str]) -> str:
    """A snippet with the other axes that it names, and those that these name."""
    for name, other in (*snippets.items(), *snippets.items()):
        snippet = snippet.replace(f"{{{name}}}", other)
    return snippet


def places(**forms: tuple[str, str]) -> dict[str, str]:
    """An axis of shapes with the arguments behind the input: the end of the expression."""
    return {
        label.replace("_", "-"): f"{shape}, dtype={{dtype}})){arguments})"
        if shape
        else f"dtype={{dtype}})){arguments})"
        for label, (shape, arguments) in forms.items()
    }


def needs_floats(labels: Labels) -> bool:
    """For `unless`: special values in a dtype that has none."""
    dtype = labels.get("dtype", "float32")
    return "float" not in dtype and labels.get("values") in FLOATING_VALUES
