"""Suite `loss`: losses, normalising layers, attention, and dropout where it draws nothing.

Tables that cross dtypes, layouts and kinds of value find the ordinary divergences; rows written
out hold every check and its text. Run `python/generate.py --only loss`.
"""

from typing import Any

import layers
import parity.suite
from parity import tensors
from parity.cross import cross, named
from parity.suite import Row

import torch


@tensors.unrecorded
def classes(*shape: int, of: int, ignored: int = -100, every: int = 0) -> torch.Tensor:
    """Class indices 0, 7, 14, … modulo `of`; every so manieth is `ignored`."""
    count = torch.Size(shape).numel()
    picked = [ignored if every and k % every == 1 else 7 * k % of for k in range(count)]
    return torch.tensor(picked, dtype=torch.int64).reshape(shape)


@tensors.unrecorded
def chances(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers between 0 and 1, both ends among them."""
    values = tensors.ordinary(*shape, dtype=torch.float64).abs().reshape(-1)
    for place, end in ((1, 1.0), (4, 0.0)):
        if place < values.numel():
            values[place] = end
    return values.reshape(shape).to(dtype)


@tensors.unrecorded
def shares(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Rows of sixteenths, as probabilities of classes."""
    count = torch.Size(shape).numel()
    return torch.tensor([k * 5 % 16 / 16 for k in range(count)]).reshape(shape).to(dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    a = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    return tensors.namespace() | {
        "classes": classes,
        "chances": chances,
        "shares": shares,
        "a": a,
        "b": torch.tensor([[0.5, 1.0, 0.0], [3.25, -4.0, 9.0]]),
        "i": torch.tensor([[0, 1, 2], [3, 4, 5]]),
        "u": torch.tensor([[0, 1, 2], [3, 4, 5]], dtype=torch.uint32),
        "mask": torch.tensor([[False, True, True], [True, False, True]]),
        "w": torch.tensor([1.0, 2.0, 4.0]),
        "t": torch.tensor([0, 2]),
        "logs": torch.tensor([[-2.5, -1.5, -0.5], [-0.25, -3.0, -2.0]]),
        "image": torch.arange(24.0).reshape(2, 3, 2, 2) / 8,
        "spots": torch.tensor([[[0, 1], [2, 0]], [[1, 2], [0, 1]]]),
        "none": torch.zeros(0, 3),
        "queries": torch.arange(24.0).reshape(2, 3, 4) / 16,
        "keys": torch.arange(40.0).reshape(2, 5, 4) / 32,
        "values": torch.arange(30.0).reshape(2, 5, 3) / 8,
        "look": torch.tensor([[True, False, True, True, False], [False] * 5, [True] * 5]),
    }


FLOATS = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")
REDUCTIONS = {"mean": "", "sum": ", reduction='sum'", "none": ", reduction='none'"}
VALUES = named("ordinary cancelling large tiny zeros ties nan_middle infinities")
FEW_VALUES = named("ordinary cancelling nan_middle")
DISTANCES = {
    "mse_loss": "",
    "l1_loss": "",
    "smooth_l1_loss": ", beta=0.3",
    "huber_loss": ", delta=0.3",
}

DISTANCE = tuple(
    row
    for op, bound in DISTANCES.items()
    for row in (
        *cross(
            op,
            f"F.{op}({{layout}}({{values}}(3, 5, dtype={{dtype}})), "
            f"{{other}}(ordinary(3, 5, dtype={{dtype}})){bound}{{reduction}})",
            dtype=FLOATS,
            layout=LAYOUTS,
            other=named("contiguous transposed expanded"),
            values=VALUES,
            reduction=REDUCTIONS,
        ),
        *cross(
            op,
            f"F.{op}({{layout}}(cancelling({{shape}}, dtype={{dtype}})), "
            f"{{layout}}(ties({{shape}}, dtype={{dtype}})){bound}{{reduction}})",
            prefix="long",
            dtype=FLOATS,
            layout=named("contiguous transposed stepped"),
            shape={"33x9": "33, 9", "4x35": "4, 35", "133": "133, 1"},
            reduction={"mean": "", "sum": ", reduction='sum'"},
        ),
        *cross(
            op,
            f"F.{op}({{values}}(2, 3, dtype={{dtype}}), {{values}}(2, 3, dtype={{other}})"
            f"{{reduction}})",
            prefix="mixed",
            dtype=named("float32 float16 int64 int8 uint8 bool uint32"),
            other=named("float64 bfloat16 float32 int64 int16 uint8 bool uint32"),
            values=named("ordinary"),
            reduction=REDUCTIONS,
        ),
    )
)

# Every check of the losses by distance, the same for all four where all four have it.
DISTANCE_CHECKS = tuple(
    Row(f"{op}/{special}", f"F.{op}({arguments})")
    for op in DISTANCES
    for special, arguments in (
        ("worked", "a, b"),
        ("row-broadcasts", "a, b[0]"),
        ("column-broadcasts", "a, b[:, :1], reduction='none'"),
        ("target-enlarges", "a[0], b"),
        ("target-enlarges-transposed", "ordinary(7, 5).t(), ordinary(1, 7), reduction='sum'"),
        ("scalar-target", "a, torch.tensor(2.0)"),
        ("scalar-double-target", "a, torch.tensor(2.0, dtype=float64)"),
        ("scalars", "torch.tensor(2.0), torch.tensor(0.25)"),
        ("scalars-none", "torch.tensor(2.0), torch.tensor(0.25), reduction='none'"),
        ("sizes-do-not-fit", "a, b.t()"),
        ("bogus-reduction", "a, b, reduction='bogus'"),
        ("bogus-reduction-other-size", "a, b[0], reduction='bogus'"),
        ("elementwise-mean", "a, b, reduction='elementwise_mean'"),
        ("empty-mean", "none, none"),
        ("empty-sum", "none, none, reduction='sum'"),
        ("empty-none", "none, none, reduction='none'"),
        ("empty-int64", "none.long(), none.long()"),
        ("empty-broadcast", "none, a[:1], reduction='sum'"),
        ("int64-sum", "i, i + 1, reduction='sum'"),
        ("int64-target", "a, i"),
        ("float-target-of-int64", "i, a"),
        ("bool-target", "a, mask"),
        ("bool-input", "mask, a"),
        ("bools", "mask, mask"),
        ("uint32", "u, u"),
        ("uint32-empty", "u[:0], u[:0], reduction='sum'"),
        ("uint32-and-int64", "u, i"),
        ("nan", "a, torch.full((2, 3), nan), reduction='none'"),
        ("infinite-distance", "row(inf, -inf, inf), row(0.0, 1.0, inf), reduction='none'"),
        ("minus-zero", "row(-0.0, 0.0), row(0.0, -0.0), reduction='none'"),
    )
)
AVERAGES = tuple(
    Row(f"{op}/{special}", f"F.{op}(a, b, {arguments})")
    for op in ("mse_loss", "l1_loss", "smooth_l1_loss")
    for special, arguments in (
        ("size-average-false", "size_average=False"),
        ("reduce-false", "reduce=False"),
        ("flags-win", "reduce=True, reduction='none'"),
    )
)
WEIGHTED = tuple(
    Row(f"{op}/weight-{special}", f"F.{op}({arguments})")
    for op in ("mse_loss", "l1_loss", "huber_loss")
    for special, arguments in (
        ("mean", "a, b, weight=a + 1"),
        ("sum", "a, b, weight=a + 1, reduction='sum'"),
        ("none", "a, b, weight=a + 1, reduction='none'"),
        ("of-other-size", "a, b, weight=w"),
        ("other-size-of-target", "a[0], b, weight=w"),
        ("bogus-reduction", "a, b, weight=a, reduction='bogus'"),
        ("elementwise-mean", "a, b, weight=a, reduction='elementwise_mean'"),
        ("zeros", "a, b, weight=a * 0"),
        ("float16", "a.half(), b.half(), weight=a.half() + 1"),
        ("bfloat16-sum", "a.bfloat16(), b.bfloat16(), weight=a.bfloat16() / 3, reduction='sum'"),
        ("of-float64", "a, b, weight=a.double()"),
        ("of-int64", "a, b, weight=i + 1"),
        ("int64", "i, i + 1, weight=i"),
        ("int64-none", "i, i + 2, weight=i, reduction='none'"),
        (
            "transposed",
            "ordinary(7, 5).t(), cancelling(7, 5).t(), weight=positive(5, 7), reduction='sum'",
        ),
        ("long", "cancelling(3, 50), ties(3, 50), weight=positive(3, 50)"),
    )
)
BOUNDS = (
    Row("smooth_l1_loss/beta-0", "F.smooth_l1_loss(a, b, beta=0.0)"),
    Row("smooth_l1_loss/beta-int-0", "F.smooth_l1_loss(a, b, beta=0)"),
    Row("smooth_l1_loss/beta-int-2", "F.smooth_l1_loss(a, b, beta=2)"),
    Row("smooth_l1_loss/beta-0-int64", "F.smooth_l1_loss(i, i, beta=0.0, reduction='sum')"),
    Row("smooth_l1_loss/beta-negative", "F.smooth_l1_loss(a, b, beta=-1.0)"),
    Row("smooth_l1_loss/beta-negative-int64", "F.smooth_l1_loss(i, i, beta=-1.0)"),
    Row("smooth_l1_loss/beta-nan", "F.smooth_l1_loss(a, b, beta=nan)"),
    Row("smooth_l1_loss/beta-infinite", "F.smooth_l1_loss(a, b, beta=inf, reduction='none')"),
    Row("smooth_l1_loss/beta-negative-sizes-do-not-fit", "F.smooth_l1_loss(a, b.t(), beta=-1.0)"),
    Row("smooth_l1_loss/beta-negative-uint32-and-int64", "F.smooth_l1_loss(u, i, beta=-1.0)"),
    Row(
        "smooth_l1_loss/beta-negative-bogus",
        "F.smooth_l1_loss(a, b, beta=-1.0, reduction='bogus')",
    ),
    Row(
        "smooth_l1_loss/beta-tiny",
        "F.smooth_l1_loss(a.half(), b.half(), beta=1e-9, reduction='none')",
    ),
    Row("huber_loss/delta-0", "F.huber_loss(a, b, delta=0.0)"),
    Row("huber_loss/delta-negative-int64", "F.huber_loss(i, a, delta=-1.0)"),
    Row("huber_loss/delta-nan", "F.huber_loss(a, b, delta=nan)"),
    Row("huber_loss/delta-infinite", "F.huber_loss(a, b, delta=inf, reduction='none')"),
    Row("huber_loss/delta-int", "F.huber_loss(a, b, delta=2)"),
    Row("huber_loss/delta-tiny-double-target", "F.huber_loss(a, b.double(), delta=1e-9)"),
    Row("huber_loss/delta-zero-bogus", "F.huber_loss(a, b, delta=0.0, reduction='bogus')"),
    Row("huber_loss/int16-and-int64", "F.huber_loss(i.short(), i)"),
    Row("huber_loss/bool-and-int64", "F.huber_loss(mask, i)"),
    Row("huber_loss/bool-and-uint8", "F.huber_loss(mask, i.to(uint8))"),
    Row("huber_loss/weight-before-delta", "F.huber_loss(a, b, delta=0.0, weight=w)"),
    Row(
        "huber_loss/laid-out-as-the-input",
        "F.huber_loss(ordinary(7, 33).t(), cancelling(33, 7), reduction='sum')",
    ),
    Row(
        "huber_loss/laid-out-as-an-expanded-input",
        "F.huber_loss(ordinary(7, 1).expand(7, 33).t(), cancelling(33, 7), reduction='sum')",
    ),
    Row(
        "mse_loss/laid-out-as-the-input",
        "F.mse_loss(ordinary(7, 33).t(), cancelling(33, 7), reduction='sum')",
    ),
    Row(
        "mse_loss/laid-out-as-the-target",
        "F.mse_loss(ordinary(33, 1).expand(33, 7), cancelling(7, 33).t(), reduction='sum')",
    ),
    Row(
        "l1_loss/laid-out-by-both",
        "F.l1_loss(cancelling(7, 33).t(), cancelling(7, 33).t().double(), reduction='sum')",
    ),
    Row("l1_loss/int8-wraps", "F.l1_loss(row(-128, 127, dtype=int8), row(0, -1, dtype=int8))"),
    Row(
        "l1_loss/int8-wraps-none",
        "F.l1_loss(row(-128, 127, dtype=int8), row(0, -1, dtype=int8), reduction='none')",
    ),
    Row(
        "l1_loss/uint8-wraps-sum",
        "F.l1_loss(row(0, 3, dtype=uint8), row(1, 1, dtype=uint8), reduction='sum')",
    ),
    Row("l1_loss/uint8-and-int8", "F.l1_loss(i.to(uint8), i.to(int8), reduction='none')"),
)

# Inputs of every rank with targets that fit.
FORMS = {
    "flat": ("6, 5", "classes(6, of=5)"),
    "ignored": ("6, 5", "classes(6, of=5, every=3)"),
    "spatial": ("2, 5, 3, 2", "classes(2, 3, 2, of=5, every=4)"),
    "series": ("3, 5, 4", "classes(3, 4, of=5)"),
    "one": ("5", "classes(1, of=5)"),
}
WEIGHTS = {"": "", "weighted": ", weight=positive(5, dtype={dtype})"}

NLL = tuple(
    row
    for form, (shape, target) in FORMS.items()
    for weighted, weight in WEIGHTS.items()
    for row in cross(
        "nll_loss",
        f"F.nll_loss({{layout}}({{values}}({shape}, dtype={{dtype}})), {target}{weight}"
        "{reduction})",
        prefix="-".join(filter(None, (form, weighted))),
        dtype=FLOATS,
        layout=named("contiguous transposed stepped expanded"),
        values=named("ordinary cancelling nan_middle"),
        reduction=REDUCTIONS,
    )
)

# The cascade has eight levels of at least 16 losses, and 16-bit sums are rounded at each step.
LONG_NLL = tuple(
    Row(
        f"nll_loss/cascade-{n}-{dtype}-{special}",
        f"F.nll_loss(cancelling({n}, 2, dtype={dtype}), classes({n}, of=2{every}){rest})",
    )
    for n in (15, 17, 33, 257)
    for dtype in (("float32", "float16") if n == 257 else ("float32", "float16", "bfloat16"))
    for special, every, rest in (
        ("sum", "", ", reduction='sum'"),
        ("ignored-sum", ", every=5", ", reduction='sum'"),
        ("weighted", "", f", weight=positive(2, dtype={dtype})"),
    )
)

NLL_CHECKS = tuple(
    Row(f"nll_loss/{special}", f"F.nll_loss({arguments})")
    for special, arguments in (
        ("worked", "logs, t"),
        ("worked-none", "logs, t, reduction='none'"),
        ("out-of-bounds", "logs, row(0, 5, dtype=int64)"),
        ("out-of-bounds-none", "logs, row(0, 5, dtype=int64), reduction='none'"),
        ("negative", "logs, row(0, -1, dtype=int64)"),
        ("negative-none", "logs, row(-1, 0, dtype=int64), reduction='none'"),
        ("ignored-minus-100", "logs, row(0, -100, dtype=int64)"),
        ("all-ignored", "logs, row(-100, -100, dtype=int64)"),
        ("all-ignored-sum", "logs, row(-100, -100, dtype=int64), reduction='sum'"),
        ("all-ignored-none", "logs, row(-100, -100, dtype=int64), reduction='none'"),
        ("all-ignored-weighted", "logs, row(-100, -100, dtype=int64), weight=w"),
        ("ignore-index-2", "logs, t, ignore_index=2"),
        ("ignore-index-minus-1", "logs, row(2, -1, dtype=int64), ignore_index=-1"),
        ("zero-weights", "logs, t, weight=w * 0"),
        ("batch-mismatch", "logs, row(0, 1, 2, dtype=int64)"),
        ("scalar-target-of-a-batch", "logs, t[0]"),
        ("row-target", "logs, t.reshape(1, 2)"),
        ("column-target", "logs, t.reshape(2, 1)"),
        ("column-target-int32-weight", "logs, t.int().reshape(2, 1), weight=w[:2]"),
        ("vector-two-targets", "logs[0], t"),
        ("vector-no-target", "logs[0], t[:0]"),
        ("vector-int32-targets", "logs[0], t.int()"),
        ("vector-matrix-target", "logs[0], t[:1].reshape(1, 1)"),
        ("vector-scalar-target", "logs[0], t[0]"),
        ("vector-none", "logs[0], t[:1], reduction='none'"),
        ("vector-none-ignored", "logs[0], row(-100, dtype=int64), reduction='none'"),
        ("vector-ignored", "logs[0], torch.tensor(-100)"),
        ("vector-out-of-bounds", "logs[0], torch.tensor(5)"),
        ("vector-weighted", "logs[0], t[1], weight=w"),
        ("scalar-input", "logs[0, 0], t[0]"),
        ("scalar-input-int32", "logs[0, 0], t.int()"),
        ("weight-too-short", "logs, t, weight=w[:2]"),
        ("weight-matrix", "logs, t, weight=w.reshape(1, 3)"),
        ("weight-float64", "logs, t, weight=w.double()"),
        ("weight-int64", "logs, t, weight=w.long()"),
        ("weight-float16-none", "logs, t, weight=w.half(), reduction='none'"),
        ("weight-float64-out-of-bounds", "logs, row(0, 5, dtype=int64), weight=w.double()"),
        ("weight-float64-empty", "none, t[:0], weight=w.double()"),
        ("empty-scalar-target", "none, t[0]"),
        ("empty-scalar-target-none", "none, t[0], reduction='none'"),
        ("empty-scalar-target-out-of-bounds", "none, t[0] + 9"),
        ("empty-scalar-target-weighted", "none, t[0], weight=w"),
        ("empty-scalar-target-weight-too-short", "none, t[0], weight=w[:2]"),
        ("weight-too-short-int64-input", "i, t, weight=w[:2]"),
        ("int64-input", "i, t"),
        ("int64-input-out-of-bounds", "i, row(0, 5, dtype=int64)"),
        ("int64-input-float-target", "i, t.float()"),
        ("bool-input", "mask, t"),
        ("uint32-input-none", "u, t, reduction='none'"),
        ("int64-empty", "none.long(), t[:0]"),
        ("uint8-target", "logs, t.to(uint8)"),
        ("uint8-target-none", "logs, t.to(uint8), reduction='none'"),
        ("uint8-target-ignored", "logs, t.to(uint8), ignore_index=2"),
        ("uint8-target-not-ignored", "logs, t.to(uint8), ignore_index=258"),
        ("uint8-out-of-bounds", "logs, row(0, 200, dtype=uint8)"),
        ("uint8-out-of-bounds-none", "logs, row(0, 65, dtype=uint8), reduction='none'"),
        *(
            (f"{dtype}-target", f"logs, t.to({dtype})")
            for dtype in ("int32", "int16", "int8", "uint32", "float32", "bool")
        ),
        ("int32-target-none", "logs, t.int(), reduction='none'"),
        ("int32-target-weight-too-short", "logs, t.int(), weight=w[:2]"),
        ("int32-target-weight-float64", "logs, t.int(), weight=w.double()"),
        ("int32-target-batch-mismatch", "logs, t.int()[:1]"),
        ("int32-target-empty", "none, t[:0].int()"),
        ("empty-mean", "none, t[:0]"),
        ("empty-sum", "none, t[:0], reduction='sum'"),
        ("empty-none", "none, t[:0], reduction='none'"),
        ("no-classes", "logs[:, :0], t"),
        ("no-classes-none", "logs[:, :0], t, reduction='none'"),
        ("bogus-reduction", "logs, t, weight=w[:2], reduction='bogus'"),
        ("elementwise-mean", "logs, t, reduction='elementwise_mean'"),
        ("size-average-false", "logs, t, size_average=False"),
        ("minus-zero-none", "row(0.0, -0.0).reshape(2, 1), t * 0, reduction='none'"),
        ("minus-zero-sum", "row(0.0, -0.0).reshape(2, 1), t * 0, reduction='sum'"),
        ("infinite", "row(-inf, 0.0).reshape(1, 2), t[:1]"),
        ("spatial", "image, spots"),
        ("spatial-none", "image, spots, reduction='none'"),
        ("spatial-weighted-none", "image, spots, weight=w, reduction='none'"),
        ("spatial-weight-column", "image, spots, weight=w.reshape(3, 1)"),
        ("spatial-weight-too-short", "image, spots, weight=w[:2]"),
        ("spatial-weight-float64", "image, spots, weight=w.double()"),
        ("spatial-weight-before-size", "image, spots[:, :1], weight=w[:2]"),
        ("spatial-size-mismatch", "image, spots[:, :1]"),
        ("spatial-batch-mismatch", "image, spots[:1]"),
        ("spatial-flat-target", "image, spots[0]"),
        ("spatial-scalar-target", "image, torch.tensor(1)"),
        ("spatial-flat-target-int32", "image, spots.int()[0]"),
        ("spatial-int32-target", "image, spots.int()"),
        ("spatial-int32-target-size", "image, spots.int()[:, :1]"),
        ("spatial-int32-target-weight", "image, spots.int(), weight=w[:2]"),
        ("spatial-float-target", "image, spots.float()"),
        ("spatial-uint8-target", "image, spots.to(uint8)"),
        ("spatial-uint8-target-none", "image, spots.to(uint8), reduction='none'"),
        ("spatial-uint8-target-weight", "image, spots.to(uint8), weight=w.double()"),
        ("spatial-uint8-target-int64", "image.long(), spots.to(uint8)"),
        ("spatial-uint8-target-empty", "image[:0], spots[:0].to(uint8)"),
        ("spatial-uint8-target-empty-none", "image[:0], spots[:0].to(uint8), reduction='none'"),
        ("spatial-int64", "image.long(), spots"),
        ("spatial-int64-weight", "image.long(), spots, weight=w[:2]"),
        ("spatial-out-of-bounds", "image, spots + 1"),
        ("spatial-out-of-bounds-none", "image, spots + 1, reduction='none'"),
        ("spatial-empty", "image[:0], spots[:0]"),
        ("spatial-no-places", "image[:, :, :0], spots[:, :0], reduction='none'"),
        ("spatial-no-classes", "image[:, :0], spots"),
        ("series-size-mismatch", "image.reshape(2, 3, 4), spots.reshape(2, 4)[:, :2]"),
        ("series-more-dims", "image.reshape(2, 3, 4), spots"),
        ("series-batch-mismatch", "image.reshape(2, 3, 4), spots[0].reshape(4)"),
        ("series-int32", "image.reshape(2, 3, 4), spots.int().reshape(2, 4)"),
        ("series-int32-size", "image.reshape(2, 3, 4), spots.int().reshape(2, 4)[:, :2]"),
        ("series-uint8", "image.reshape(2, 3, 4), spots.to(uint8).reshape(2, 4)"),
        ("series-weight-too-short", "image.reshape(2, 3, 4), spots.reshape(2, 4), weight=w[:2]"),
        ("series-int64-input", "image.long().reshape(2, 3, 4), spots.reshape(2, 4)"),
        ("series-empty", "image.reshape(2, 3, 4)[:0], spots.reshape(2, 4)[:0]"),
        (
            "series-no-places-none",
            "image.reshape(2, 3, 4)[:, :, :0], spots.reshape(2, 4)[:, :0], reduction='none'",
        ),
        ("five-dims", "image.reshape(2, 3, 2, 2, 1), spots.reshape(2, 2, 2, 1)"),
        (
            "five-dims-none",
            "image.reshape(2, 3, 2, 2, 1), spots.reshape(2, 2, 2, 1), reduction='none'",
        ),
        ("five-dims-mismatch", "image.reshape(2, 3, 2, 2, 1), spots"),
    )
)

CROSS_ENTROPY = tuple(
    row
    for form, (shape, target) in (FORMS | {"chances": ("6, 5", "shares(6, 5)")}).items()
    for weighted, weight in WEIGHTS.items()
    for row in cross(
        "cross_entropy",
        f"F.cross_entropy({{layout}}(ordinary({shape}, dtype={{dtype}})), "
        f"{target}{weight}{{smoothing}}{{reduction}})",
        prefix="-".join(filter(None, (form, weighted))),
        dtype=FLOATS,
        layout=named("contiguous transposed"),
        smoothing={"": "", "smooth": ", label_smoothing=0.1"},
        reduction=REDUCTIONS,
    )
)
CROSS_ENTROPY_CHECKS = tuple(
    Row(f"cross_entropy/{special}", f"F.cross_entropy({arguments})")
    for special, arguments in (
        ("worked", "a, t"),
        ("empty-scalar-target", "none, t[0]"),
        ("empty-scalar-target-smoothed", "none, t[0], label_smoothing=0.1"),
        ("empty-scalar-target-smoothed-weighted", "none, t[0], weight=w, label_smoothing=0.1"),
        ("empty-scalar-target-smoothed-none", "none, t[0], reduction='none', label_smoothing=0.1"),
        ("ignore-index", "a, row(2, 1, dtype=int64), ignore_index=1"),
        ("all-ignored", "a, row(-100, -100, dtype=int64)"),
        ("all-ignored-smooth", "a, row(-100, -100, dtype=int64), label_smoothing=0.1"),
        ("out-of-bounds", "a, row(0, 5, dtype=int64)"),
        ("out-of-bounds-smooth", "a, row(0, 5, dtype=int64), label_smoothing=0.1"),
        ("minus-one", "a, row(0, -1, dtype=int64)"),
        ("large-logits", "a * 1e4, t"),
        ("minus-infinity", "row(0.0, -inf).reshape(1, 2), row(1, dtype=int64)"),
        ("nan", "row(0.0, nan).reshape(1, 2), row(0, dtype=int64)"),
        ("vector", "a[0], t[0]"),
        ("vector-smooth-weighted", "a[0], t[0], weight=w, label_smoothing=0.1"),
        ("vector-chances", "a[0], shares(3), weight=w"),
        ("vector-two-targets", "a[0], t"),
        ("scalar", "a[0, 0], a[0, 0]"),
        ("scalar-int64-target", "a[0, 0], t[0]"),
        ("scalar-vector-target", "a[0, 0], t"),
        ("int64-target-of-chances", "a, i"),
        ("chances-ignore-index", "a, shares(2, 3), ignore_index=1"),
        ("chances-smoothing-2", "a, shares(2, 3), label_smoothing=2.0"),
        ("chances-smoothing-2-weight", "a, shares(2, 3), weight=w[:2], label_smoothing=2.0"),
        ("chances-weight-too-short", "a, shares(2, 3), weight=w[:2]"),
        ("chances-float64", "a, shares(2, 3, dtype=float64)"),
        ("chances-float16-input", "a.half(), shares(2, 3)"),
        ("chances-float64-weight", "a, shares(2, 3), weight=w.double()"),
        ("chances-spatial-weighted-none", "image, image / 4, weight=w, reduction='none'"),
        ("chances-empty", "none, none"),
        ("chances-empty-sum", "none, none, reduction='sum'"),
        ("chances-empty-none", "none, none, reduction='none'"),
        ("chances-int64-input", "i, shares(2, 3), weight=w[:2]"),
        ("chances-int64-input-no-weight", "i, shares(2, 3)"),
        ("smoothing-2", "a, t, label_smoothing=2.0"),
        ("smoothing-just-above-1", "a, t, label_smoothing=1.0000001"),
        ("smoothing-huge", "a, t, label_smoothing=1e20"),
        ("smoothing-1", "a, t, label_smoothing=1.0"),
        ("smoothing-negative", "a, t, label_smoothing=-1.0"),
        ("smoothing-nan", "a, t, label_smoothing=nan"),
        ("smoothing-weight-too-short", "a, t, weight=w[:2], label_smoothing=0.1"),
        ("smoothing-weight-float64", "a, t, weight=w.double(), label_smoothing=0.1"),
        ("smoothing-uint8", "a, t.to(uint8), label_smoothing=0.1"),
        ("smoothing-uint8-weighted", "a, t.to(uint8), weight=w, label_smoothing=0.1"),
        ("smoothing-uint8-156", "a, row(156, 2, dtype=uint8), label_smoothing=0.1"),
        ("smoothing-column-target", "a, t.reshape(2, 1), label_smoothing=0.1"),
        ("smoothing-float-target", "a, t.float(), label_smoothing=0.1"),
        ("smoothing-ignored-weighted", "a, row(2, -100, dtype=int64), w, label_smoothing=0.25"),
        ("smoothing-empty", "none, t[:0], label_smoothing=0.1"),
        ("smoothing-empty-weighted", "none, t[:0], weight=w, label_smoothing=0.1"),
        ("int64-input", "i, t"),
        ("bool-input", "mask, t"),
        ("uint32-input", "u, t"),
        ("int64-image", "image.long(), spots"),
        ("float-target", "a, t.float()"),
        ("int32-target", "a, t.int()"),
        ("uint8-target", "a, t.to(uint8)"),
        ("weight-too-short", "a, t, weight=w[:2]"),
        ("weight-float64", "a, t, weight=w.double()"),
        ("batch-mismatch", "a, row(0, 1, 2, dtype=int64)"),
        ("batch-mismatch-image", "image, spots[:1]"),
        ("no-classes", "a[:, :0], t"),
        ("no-classes-chances", "a[:, :0], a[:, :0], reduction='none'"),
        ("empty", "none, t[:0]"),
        ("bogus-reduction", "i, t, reduction='bogus'"),
        ("reduce-false", "a, t, reduce=False"),
    )
)

BINARY = (
    *cross(
        "binary_cross_entropy",
        "F.binary_cross_entropy({layout}(chances(3, 5, dtype={dtype})), "
        "{other}(shares(3, 5, dtype={dtype})){weight}{reduction})",
        dtype=FLOATS,
        layout=LAYOUTS,
        other=named("contiguous transposed"),
        weight={"": "", "row": ", weight=positive(5)", "column": ", weight=ordinary(3, 1)"},
        reduction=REDUCTIONS,
    ),
    *cross(
        "binary_cross_entropy_with_logits",
        "F.binary_cross_entropy_with_logits({layout}({values}(3, 5, dtype={dtype})), "
        "{other}(shares(3, 5, dtype={dtype})){weight}{reduction})",
        dtype=FLOATS,
        layout=LAYOUTS,
        other=named("contiguous transposed"),
        values=named("ordinary large zeros nan_middle infinities"),
        weight={
            "": "",
            "row": ", weight=positive(5)",
            "positive": ", pos_weight=positive(5)",
        },
        reduction=REDUCTIONS,
    ),
)
BINARY_CHECKS = tuple(
    Row(f"binary_cross_entropy{op}/{special}", f"F.binary_cross_entropy{op}({arguments})")
    for op, special, arguments in (
        ("", "worked", "chances(2, 3), shares(2, 3)"),
        ("", "certain", "row(0.0, 1.0, 0.0, 1.0), row(0.0, 0.0, 1.0, 1.0), reduction='none'"),
        ("", "input-above-1", "a, shares(2, 3)"),
        ("", "input-nan", "row(nan), row(1.0)"),
        ("", "target-above-1", "chances(2, 3), a"),
        ("", "input-before-target", "a, a"),
        ("", "other-size", "chances(2, 3), shares(3)"),
        ("", "weight-broadcasts", "chances(2, 3), shares(2, 3), w"),
        ("", "weight-does-not-fit", "chances(2, 3), shares(2, 3), w[:2]"),
        ("", "weight-of-other-rank", "chances(3), shares(3), torch.ones(2, 2)"),
        ("", "weight-enlarges", "chances(2, 3), shares(2, 3), torch.ones(3, 2, 3)"),
        ("", "weight-float64", "chances(2, 3), shares(2, 3), w.double()"),
        ("", "int64", "i, i"),
        ("", "int64-target", "chances(2, 3), i"),
        ("", "float64-target", "chances(2, 3), shares(2, 3).double()"),
        ("", "bool", "mask, mask"),
        ("", "empty", "none, none"),
        ("", "bogus-before-size", "a, a[0], reduction='bogus'"),
        (
            "",
            "laid-out-as-an-expanded-input",
            "chances(17, 1).expand(17, 9), shares(9, 17).t(), reduction='sum'",
        ),
        (
            "",
            "laid-out-as-the-input-float64",
            "chances(9, 17, dtype=float64).t(), shares(17, 9, dtype=float64), reduction='sum'",
        ),
        (
            "_with_logits",
            "laid-out-as-the-target",
            "ordinary(17, 9), shares(9, 17).t(), reduction='sum'",
        ),
        ("", "reduce-false", "chances(2, 3), shares(2, 3), reduce=False"),
        ("_with_logits", "worked", "a, shares(2, 3)"),
        ("_with_logits", "other-size", "a, shares(3)"),
        ("_with_logits", "weight-does-not-fit", "a, shares(2, 3), w[:2]"),
        ("_with_logits", "weight-enlarges", "a, shares(2, 3), torch.ones(3, 2, 3)"),
        ("_with_logits", "pos-weight-does-not-fit", "a, shares(2, 3), pos_weight=w[:2]"),
        ("_with_logits", "weight-and-pos-weight", "a, shares(2, 3), w, pos_weight=w"),
        ("_with_logits", "int64", "i, i"),
        ("_with_logits", "int64-input", "i, shares(2, 3)"),
        ("_with_logits", "int64-target", "a, i"),
        ("_with_logits", "bools", "mask, mask"),
        ("_with_logits", "bool-target", "a, mask"),
        ("_with_logits", "float16-input", "a.half(), shares(2, 3)"),
        ("_with_logits", "float64-target", "a, shares(2, 3).double()"),
        ("_with_logits", "float16-target", "a, shares(2, 3).half()"),
        ("_with_logits", "uint32", "u, u"),
        ("_with_logits", "empty", "none, none"),
        ("_with_logits", "bogus-before-size", "a, a[0], reduction='bogus'"),
    )
)

ROWS = (
    *layers.ATTENTION,
    *DISTANCE,
    *DISTANCE_CHECKS,
    *AVERAGES,
    *WEIGHTED,
    *BOUNDS,
    *NLL,
    *LONG_NLL,
    *NLL_CHECKS,
    *CROSS_ENTROPY,
    *CROSS_ENTROPY_CHECKS,
    *layers.LAYER_NORM,
    *layers.LONG_LAYER_NORM,
    *layers.LAYER_NORM_CHECKS,
    *layers.RMS_NORM,
    *layers.RMS_NORM_CHECKS,
    *layers.NORMALIZE,
    *layers.NORMALIZE_CHECKS,
    *layers.DROPOUT,
    *BINARY,
    *BINARY_CHECKS,
)

SUITE = parity.suite.Suite("loss", "python/loss.py", ROWS, namespace)
