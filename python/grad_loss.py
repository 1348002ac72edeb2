"""Suite `grad_loss`: backward passes of losses, to inputs, targets and weights.

Run `python/generate.py --only grad_loss`. Kernels multiply in another order in vectors than in
scalars, so some rows are longer than a vector and a rest.
"""

import dataclasses
from typing import Any

import loss
import parity.suite
from parity import tensors
from parity.cross import cross, differentiable, named
from parity.suite import Row

import torch


@tensors.unrecorded
def middling(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers between 1/8 and 7/8."""
    return (tensors.ordinary(*shape, dtype=torch.float64).abs() * 0.75 + 0.125).to(dtype)


FLOATS = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed expanded")
FEW = named("float64 float32 bfloat16")
REDUCTIONS = {"mean": "", "sum": ", reduction='sum'", "none": ", reduction='none'"}
VALUES = named("ordinary nan_middle infinities")
DISTANCES = {
    "mse_loss": {"": ""},
    "l1_loss": {"": ""},
    "smooth_l1_loss": {"": "", "b0.3": ", beta=0.3", "b0": ", beta=0.0"},
    "huber_loss": {"": "", "d0.3": ", delta=0.3"},
}

DISTANCE = tuple(
    row
    for op, bounds in DISTANCES.items()
    for row in (
        *cross(
            op,
            f"F.{op}({{layout}}({{values}}(2, 3, dtype={{dtype}})), "
            f"{{other}}(positive(2, 3, dtype={{dtype}})){{bound}}{{reduction}})",
            dtype=FLOATS,
            layout=LAYOUTS,
            other=named("contiguous transposed expanded"),
            values=VALUES,
            bound=bounds,
            reduction=REDUCTIONS,
        ),
        *cross(
            op,
            f"F.{op}({{layout}}(ordinary({{shape}}, dtype={{dtype}})), "
            f"{{layout}}(positive({{shape}}, dtype={{dtype}})){{bound}}{{reduction}})",
            prefix="long",
            dtype=FLOATS,
            layout=named("contiguous stepped"),
            # A vector and a rest, twice as long for the 16-bit types.
            unless=lambda labels: (
                (labels.get("shape", "19") == "19") == ("16" in labels.get("dtype", "16"))
                and {"shape", "dtype"} <= labels.keys()
            ),
            shape={"19": "19", "35": "35"},
            bound={label: text for label, text in bounds.items() if label != "b0"},
            reduction={"mean": "", "none": ", reduction='none'"},
        ),
        *cross(
            op,
            f"F.{op}(ordinary({{left}}dtype={{dtype}}), positive({{right}}dtype={{other}})"
            f"{{bound}}{{reduction}})",
            prefix="mixed",
            unless=lambda labels: labels.get("left") == labels.get("right") == "whole",
            left={"whole": "2, 3, ", "row": "3, ", "column": "2, 1, "},
            right={"whole": "2, 3, ", "row": "1, 3, ", "number": ""},
            dtype=FEW,
            # huber_loss refuses another type than the input's, on the way back only.
            other={"": "{dtype}"} if op == "huber_loss" else FLOATS,
            bound=bounds,
            reduction=REDUCTIONS,
        ),
    )
)

WEIGHTED = tuple(
    row
    for op in ("mse_loss", "huber_loss")
    for row in cross(
        op,
        f"F.{op}({{layout}}(ordinary(2, 3, dtype={{dtype}})), positive({{shape}}dtype={{dtype}})"
        "{reduction}, weight=positive(2, 3, dtype={other}))",
        prefix="weighted",
        dtype=FLOATS,
        other=named("float64 bfloat16"),
        layout=named("contiguous transposed"),
        shape={"same": "2, 3, ", "row": "3, "},
        reduction=REDUCTIONS,
    )
)

COIN_WEIGHTS = {
    "": "",
    "w": ", positive(3, dtype={dtype})",
    "w64": ", positive(2, 1, dtype=float64)",
}
COIN = (
    *cross(
        "binary_cross_entropy",
        "F.binary_cross_entropy({layout}({chances}(2, 3, dtype={dtype})), "
        "{other}(chances(2, 3, dtype={dtype})){weight}{reduction})",
        dtype=FLOATS,
        layout=LAYOUTS,
        other=named("contiguous transposed"),
        chances={"inner": "middling", "ends": "chances"},
        weight=COIN_WEIGHTS,
        reduction=REDUCTIONS,
    ),
    *cross(
        "binary_cross_entropy",
        "F.binary_cross_entropy({layout}(middling({shape}, dtype={dtype})), "
        "{layout}(chances({shape}, dtype={dtype})){reduction})",
        prefix="shape",
        dtype=FLOATS,
        layout=named("contiguous stepped"),
        shape={"2x1x3": "2, 1, 3", "empty": "0, 2"},
        reduction=REDUCTIONS,
    ),
    *cross(
        "binary_cross_entropy_with_logits",
        "F.binary_cross_entropy_with_logits({layout}({values}(2, 3, dtype={dtype})), "
        "{other}(chances(2, 3, dtype={dtype})){weight}{reduction}{positives})",
        dtype=FLOATS,
        layout=LAYOUTS,
        other=named("contiguous transposed"),
        values=VALUES,
        weight=COIN_WEIGHTS,
        positives={
            "": "",
            "p": ", pos_weight=positive(3, dtype={dtype})",
            "p64": ", pos_weight=positive(2, 1, dtype=float64)",
        },
        reduction=REDUCTIONS,
    ),
    *cross(
        "binary_cross_entropy_with_logits",
        "F.binary_cross_entropy_with_logits(ordinary({shape}, dtype={dtype}), "
        "chances({shape}, dtype={other}){reduction})",
        prefix="mixed",
        dtype=FLOATS,
        other=FLOATS,
        shape={"3": "3", "19": "19", "empty": "0, 2"},
        reduction=REDUCTIONS,
    ),
)  # fmt: skip

TARGETS = {
    "flat": "classes(4, of=3)",
    "ignored": "classes(4, of=3, every=2, ignored=-100)",
    "all-ignored": "torch.full((4,), -100)",
    "ignore1": "classes(4, of=3), ignore_index=1",
    "bytes": "classes(4, of=3).to(torch.uint8)",
}
SHAPES = {
    "single": "{layout}(ordinary(3, dtype={dtype})), classes(of=3)",
    "places": "{layout}(ordinary(2, 3, 4, dtype={dtype})), classes(2, 4, of=3, every=3)",
    "image": "ordinary(2, 3, 2, 2, dtype={dtype}), classes(2, 2, 2, of=3, every=3)",
    "gaps": "stepped(ordinary(2, 3, 2, 2, dtype={dtype})), classes(2, 2, 2, of=3, every=3)",
    "volume": "{layout}(ordinary(2, 3, 2, 1, 2, dtype={dtype})), classes(2, 2, 1, 2, of=3)",
    "empty": "{layout}(ordinary(0, 3, dtype={dtype})), classes(0, of=3)",
    "long": "{layout}(ties(19, 1, dtype={dtype})), classes(19, of=1, every=5)",
    "wide": "{layout}(ordinary(1, 19, dtype={dtype})), classes(1, of=19)",
}
CLASSES = tuple(
    row
    for op, smoothings in (
        ("nll_loss", {"": ""}),
        ("cross_entropy", {"": "", "smooth": ", label_smoothing=0.1"}),
    )
    for row in (
        *cross(
            op,
            f"F.{op}({{layout}}({{values}}(4, 3, dtype={{dtype}})), {{target}}{{weight}}"
            f"{{reduction}}{{smoothing}})",
            dtype=FLOATS,
            layout=LAYOUTS,
            target=TARGETS,
            weight={"": "", "w": ", weight=positive(3, dtype={dtype})"},
            values=named("ordinary ties infinities"),
            reduction=REDUCTIONS,
            smoothing=smoothings,
        ),
        *cross(
            op,
            f"F.{op}({{shape}}{{reduction}}{{smoothing}})",
            prefix="shape",
            dtype=FEW,
            layout=named("contiguous transposed"),
            shape=SHAPES,
            reduction=REDUCTIONS,
            smoothing=smoothings,
        ),
    )
)

PROBABLE = cross(
    "cross_entropy",
    "F.cross_entropy({layout}({values}({shape}dtype={dtype})), "
    "{other}(shares({shape}dtype={dtype})){weight}{reduction}{smoothing})",
    prefix="probable",
    dtype=FLOATS,
    layout=LAYOUTS,
    other=named("contiguous transposed"),
    values=named("ordinary ties infinities"),
    shape={"4x3": "4, 3, ", "3": "3, ", "2x3x2": "2, 3, 2, ", "empty": "0, 3, "},
    weight={
        "": "",
        "w": ", weight=positive(3, dtype={dtype})",
        "w64": ", positive(3, dtype=float64)",
    },
    reduction=REDUCTIONS,
    smoothing={"": "", "smooth": ", label_smoothing=0.25"},
)  # fmt: skip

IMAGE = "transposed(ordinary(2, 3, 2, 2))"

PICKED = (
    Row("mse_loss/worked", "F.mse_loss(row(1.0, 2.0), row(0.0, 4.0))"),
    Row("mse_loss/integer-target", "F.mse_loss(ordinary(3), ties(3, dtype=int64))"),
    Row("mse_loss/input-alone", "F.mse_loss(ordinary(3), ties(3))", backward=("input",)),
    Row("mse_loss/target-alone", "F.mse_loss(ordinary(3), ties(3))", backward=("target",)),
    Row("l1_loss/kinks", "F.l1_loss(row(1.0, nan, -0.0, 2.0), row(1.0, 2.0, 0.0, inf))"),
    Row("l1_loss/integers-have-none", "F.l1_loss(a.long(), a.long(), reduction='sum')",
        backward=("input",)),
    Row("smooth_l1_loss/at-the-bound", "F.smooth_l1_loss(row(1.0, -1.0, 0.5), row(0.0, 0.0, 0.0))"),
    Row("smooth_l1_loss/infinite-beta",
        "F.smooth_l1_loss(ordinary(3), ordinary(3) * 2, beta=float('inf'))"),
    Row("huber_loss/at-the-bound", "F.huber_loss(row(1.0, -1.0, 0.5), row(0.0, 0.0, 0.0))"),
    Row("huber_loss/double-target", "F.huber_loss(ordinary(3), ordinary(3, dtype=float64))",
        backward=("input", "target")),
    Row("huber_loss/half-target", "F.huber_loss(ordinary(3), ordinary(3, dtype=float16))",
        backward=("target",)),
    Row("huber_loss/integer-target", "F.huber_loss(ordinary(3), ties(3, dtype=int64))",
        backward=("input",)),
    Row("binary_cross_entropy/weight-has-none",
        "F.binary_cross_entropy(middling(3), middling(3), positive(3))", backward=("weight",)),
    Row("binary_cross_entropy/certain", "F.binary_cross_entropy(row(0.0, 1.0), row(1.0, 1.0))"),
    Row("binary_cross_entropy_with_logits/weight-has-none",
        "F.binary_cross_entropy_with_logits(a, a, weight=a)", backward=("weight",)),
    Row("binary_cross_entropy_with_logits/pos_weight-has-none",
        "F.binary_cross_entropy_with_logits(a, a, pos_weight=a)", backward=("input", "pos_weight")),
    Row("nll_loss/worked", "F.nll_loss(logs, t)"),
    Row("nll_loss/weight-has-none", "F.nll_loss(logs, t, w)", backward=("weight",)),
    Row("nll_loss/weight-of-places-has-none", f"F.nll_loss({IMAGE}, spots, w)",
        backward=("weight",)),
    Row("nll_loss/one-target-in-a-list", "F.nll_loss(w, torch.tensor([1]))", backward=("input",)),
    Row("nll_loss/image-in-columns", f"F.nll_loss({IMAGE}, spots)", backward=("input",)),
    Row("nll_loss/image-in-columns-none", f"F.nll_loss({IMAGE}, spots, reduction='none')",
        backward=("input",)),
    Row("cross_entropy/image-in-columns", f"F.cross_entropy({IMAGE}, spots)"),
    Row("cross_entropy/weight-has-none", "F.cross_entropy(logs, t, w)", backward=("weight",)),
    Row("cross_entropy/weight-has-none-smoothed",
        "F.cross_entropy(logs, t, w, label_smoothing=0.1)", backward=("input", "weight")),
    Row("cross_entropy/target-alone", "F.cross_entropy(a, logs)", backward=("target",)),
    Row("cross_entropy/double-target", "F.cross_entropy(a, logs.double(), w.half())"),
    Row("cross_entropy/double-weight", "F.cross_entropy(a.half(), logs, w.double(),"
        " label_smoothing=0.5)"),
    Row("cross_entropy/smoothed-to-nothing", "F.cross_entropy(logs, t, label_smoothing=1.0)"),
)  # fmt: skip


def asked(row: Row) -> Row:
    """A row with a backward pass: to every input that matters, unless it names some."""
    return row if row.backward is not None else differentiable([row])[0]


# PyTorch gives weights of a loss by index no gradient, and asking for all inputs would raise.
BY_INDEX = tuple(
    dataclasses.replace(row, backward=("input",)) for row in CLASSES if "weight" in row.expression
) + differentiable(row for row in CLASSES if "weight" not in row.expression)
COINS = tuple(
    dataclasses.replace(row, backward=("input", "target"))
    if "positive(" in row.expression
    else differentiable([row])[0]
    for row in COIN
)

# Long rows ask for one of the two gradients, which come from one kernel.
ROWS = (
    *differentiable((row for row in DISTANCE if "/long-" in row.tail), "input"),
    *differentiable(row for row in DISTANCE if "/long-" not in row.tail),
    *differentiable(WEIGHTED),
    *COINS,
    *BY_INDEX,
    *differentiable(PROBABLE),
    *map(asked, PICKED),
)


def namespace() -> dict[str, Any]:
    """What the expressions refer to: what those of `loss` do, and chances off the ends."""
    return loss.namespace() | {"middling": middling}


SUITE = parity.suite.Suite("grad_loss", "python/grad_loss.py", ROWS, namespace)
