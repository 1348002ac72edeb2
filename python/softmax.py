"""Suite `softmax`: softmax, log_softmax, softmin and logsumexp.

The vector and the scalar exp differ in their last bit, and so do sums in another order: lengths
around the vectors' widths, along the last dimension and across it, show which element meets
which. Gumbel-softmax is softmax of logits and given noise, since it draws its own. Run
`python/generate.py --only softmax`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.cross import cross, named, needs_floats
from parity.suite import Row
from parity.tensors import unrecorded

import torch


@unrecorded
def spread(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values times 20: exponentials of every size."""
    return (tensors.ordinary(*shape, dtype=torch.float64) * 20).to(dtype)


@unrecorded
def masked(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values, of which every third and the whole first row are minus infinity."""
    made = tensors.ordinary(*shape, dtype=dtype).clone()
    made.reshape(-1)[::3] = -tensors.INF
    if made.dim():
        made[:1] = -tensors.INF
    return made


@unrecorded
def logits(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Ordinary values with a phase of their own."""
    return tensors.ordinary(2, *shape, dtype=dtype)[1].clone()


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | {
        "spread": spread,
        "masked": masked,
        "logits": logits,
        "a": tensors.ordinary(2, 3),
        "ints": torch.tensor([[1, 2, 3], [3, 1, 2]]),
        "flags": torch.tensor([[True, False, True], [False, False, True]]),
        "u": torch.tensor([[1, 0, 2], [4294967295, 1, 7]], dtype=torch.uint32),
        "none": torch.zeros(0, 3),
        "noise": torch.tensor([[0.25, -0.5, 1.75], [2.5, 0.125, -1.0]]),
    }


FLOATS = named("float64 float32 float16 bfloat16")
VALUES = named(
    "ordinary spread masked positive large tiny zeros ties nan_first nan_middle nan_last nan_all "
    "plus_infinity minus_infinity infinities"
)
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")


class Place(str):
    """A shape and a dimension of it, `3, 5|1`, whose parts an expression names apart."""

    @property
    def shape(self) -> str:
        """The sizes, as arguments before others."""
        sizes = self.partition("|")[0]
        return f"{sizes}, " if sizes else ""

    @property
    def dim(self) -> str:
        """The dimension."""
        return self.partition("|")[2]


PLACES = {
    "last5": Place("3, 5|1"),
    "last17": Place("2, 17|-1"),
    "last-of-3d": Place("2, 3, 4|2"),
    "first": Place("4, 3|0"),
    "first-9-columns": Place("3, 9|0"),
    "first-18-columns": Place("2, 18|-2"),
    "middle": Place("2, 3, 5|1"),
    "middle-17-columns": Place("2, 2, 17|1"),
    "before-one": Place("2, 5, 1|1"),
    "vector": Place("9|0"),
    "scalar": Place("|0"),
    "scalar-dim-1": Place("|-1"),
}
KEEPDIM = {"": "", "keepdim": ", keepdim=True"}
NO_KEEPDIM = {"": ""}

CROSSED = tuple(
    row
    for op, call in (
        ("softmax", "F.softmax({0}, {1})"),
        ("log_softmax", "F.log_softmax({0}, {1})"),
        ("softmin", "F.softmin({0}, {1})"),
        ("logsumexp", "torch.logsumexp({0}, {1}{{keepdim}})"),
    )
    for row in cross(
        op,
        call.format("{layout}({values}({place.shape}dtype={dtype}))", "{place.dim}"),
        unless=needs_floats,
        place=PLACES,
        values=VALUES,
        layout=LAYOUTS,
        dtype=FLOATS,
        keepdim=KEEPDIM if op == "logsumexp" else NO_KEEPDIM,
    )
)

# Whole vectors, parts of them, and one more: 4 float64, 8 float32, 16 of 16 bits.
_LENGTHS = (*range(1, 18), 23, 24, 31, 32, 33, 40, 47, 63, 64, 65, 67)
LENGTHS = tuple(
    Row(
        f"{op}/{dtype}-{place}-{length}",
        f"torch.{op}(spread({shape.format(length)}, dtype={dtype}), {dim})",
    )
    for op in ("softmax", "log_softmax")
    for dtype in ("float64", "float32", "float16", "bfloat16")
    for place, shape, dim in (("last", "{}", 0), ("columns", "3, {}", 0))
    for length in _LENGTHS
    if place == "last" or length < 34
)
LONG = tuple(
    Row(f"{op}/float32-{place}", f"torch.{op}(spread({shape}), {dim})")
    for op in ("softmax", "log_softmax", "logsumexp")
    for place, shape, dim in (
        ("100", "100", 0),
        ("257", "257", 0),
        ("40-rows", "40, 9", 0),
        ("two-blocks", "2, 20, 11", 1),
    )
)

DTYPE = tuple(
    Row(f"{op}/{name}", expression.format(op=op))
    for op in ("softmax", "log_softmax", "softmin")
    for name, expression in (
        ("int64", "F.{op}(ints, 1)"),
        ("int64-dim0", "F.{op}(ints, 0)"),
        ("int64-dtype-float32", "F.{op}(ints, 1, dtype=float32)"),
        ("int64-dtype-float16", "F.{op}(ints, 0, dtype=float16)"),
        ("int32", "F.{op}(ints.to(int32), 1)"),
        ("int16", "F.{op}(ints.to(int16), 1)"),
        ("int8", "F.{op}(ints.to(int8), 1)"),
        ("uint8", "F.{op}(ints.to(uint8), 1)"),
        ("uint8-dtype-float32", "F.{op}(ints.to(uint8), 1, dtype=float32)"),
        ("bool", "F.{op}(flags, 1)"),
        ("bool-dim0", "F.{op}(flags, 0)"),
        ("bool-dtype-float64", "F.{op}(flags, 1, dtype=float64)"),
        ("uint32", "F.{op}(u, 1)"),
        ("uint32-dim0", "F.{op}(u, 0)"),
        ("uint32-dtype-float32", "F.{op}(u, 1, dtype=float32)"),
        ("float32-dtype-float64", "F.{op}(a, 1, dtype=float64)"),
        ("float32-dtype-bfloat16", "F.{op}(a, 0, dtype=bfloat16)"),
        ("float16-dtype-float32", "F.{op}(a.to(float16), 1, dtype=float32)"),
        ("float64-dtype-float16", "F.{op}(spread(3, 5, dtype=float64), 1, dtype=float16)"),
        ("float32-dtype-int64", "F.{op}(a, 1, dtype=int64)"),
        ("float32-dtype-bool", "F.{op}(a, 0, dtype=bool)"),
        ("float32-dtype-uint32", "F.{op}(a, 1, dtype=uint32)"),
        ("transposed-dtype-float64", "F.{op}(transposed(ordinary(4, 5)), 0, dtype=float64)"),
        ("dim2-out-of-range", "F.{op}(a, 2)"),
        ("dim-3-out-of-range", "F.{op}(a, dim=-3)"),
        ("int64-dim2-out-of-range", "F.{op}(ints, 2)"),
        ("scalar-dim1-out-of-range", "F.{op}(torch.tensor(2.0), 1)"),
        ("scalar-dim-2-out-of-range", "F.{op}(torch.tensor(2.0), -2)"),
        ("scalar-int64", "F.{op}(torch.tensor(2), 0)"),
        ("empty-rows", "F.{op}(none, 0)"),
        ("empty-rows-dim1", "F.{op}(none, 1)"),
        ("empty-vector", "F.{op}(torch.zeros(0), -1)"),
        ("empty-middle", "F.{op}(torch.zeros(2, 0, 3), 1)"),
        ("empty-int64", "F.{op}(none.to(int64), 1)"),
        ("empty-dim2-out-of-range", "F.{op}(none, 2)"),
        ("one-of-one", "F.{op}(torch.full((3, 1), 7.5), 1)"),
        ("size-1-dim0", "F.{op}(a[:1], 0)"),
        ("masked-all", "F.{op}(torch.full((2, 3), -inf), 1)"),
        ("masked-column", "F.{op}(torch.tensor([[-inf, 1.0], [-inf, 2.0]]), 0)"),
        ("overflow", "F.{op}(row(1e4, -1e4, 3e38, -3e38), 0)"),
        ("float16-overflow", "F.{op}(row(6e4, -6e4, 1.0, dtype=float16), 0)"),
        ("underflow", "F.{op}(row(0.0, -87.0, -88.0, -100.0, -103.0, -104.0, -105.0), 0)"),
        (
            "float64-underflow",
            "F.{op}(row(0.0, -708.0, -740.0, -745.0, -746.0, -999.0, -1001.0, dtype=float64), 0)",
        ),
        ("two-infinities", "F.{op}(row(inf, 1.0, inf), 0)"),
    )
)

FORMS = (
    Row("softmax/method", "a.softmax(1)"),
    Row("softmax/method-dtype", "a.softmax(dim=1, dtype=float64)"),
    Row("softmax/torch", "torch.softmax(input=a, dim=0)"),
    Row("log_softmax/method", "a.log_softmax(-1)"),
    Row("log_softmax/torch", "torch.log_softmax(a, dim=0, dtype=float64)"),
    Row("special.softmax/dim1", "torch.special.softmax(a, 1)"),
    Row("special.softmax/dtype", "torch.special.softmax(ints, 0, dtype=float32)"),
    Row("special.log_softmax/dim0", "torch.special.log_softmax(a, 0)"),
    Row("special.logsumexp/dim1", "torch.special.logsumexp(a, 1, keepdim=True)"),
    Row("softmax/gumbel", "F.softmax((a + noise) / 1.0, 1)"),
    Row("softmax/gumbel-tau-0.5", "F.softmax((a + noise) / 0.5, -1)"),
    Row("softmax/gumbel-tau-10", "F.softmax((logits(3, 17) + ordinary(3, 17)) / 10, dim=-1)"),
    Row("softmax/gumbel-dim0", "F.softmax((logits(3, 9) + ordinary(3, 9)) / 0.7, dim=0)"),
    Row("softmax/gumbel-float16", "F.softmax(((a + noise) / 0.5).to(float16), 1)"),
    Row("softmax/gumbel-tau-tiny", "F.softmax((a + noise) / 1e-4, 1)"),
    Row("softmax/attention-mask", "F.softmax(a.masked_fill(flags, -inf), dim=1)"),
    Row("log_softmax/attention-mask", "F.log_softmax(a.masked_fill(flags, -inf), dim=1)"),
)

LOGSUMEXP = (
    Row("logsumexp/dims", "torch.logsumexp(ordinary(2, 3, 4), (0, 2))"),
    Row("logsumexp/dims-keepdim", "torch.logsumexp(ordinary(2, 3, 4), (2, 0), keepdim=True)"),
    Row("logsumexp/all-dims", "torch.logsumexp(spread(3, 11), (0, 1))"),
    Row("logsumexp/all-dims-transposed", "torch.logsumexp(transposed(spread(3, 11)), (0, 1))"),
    Row("logsumexp/dims-empty", "torch.logsumexp(a, ())"),
    Row("logsumexp/dims-empty-keepdim", "torch.logsumexp(a, (), keepdim=True)"),
    Row("logsumexp/dims-empty-3d", "torch.logsumexp(ordinary(2, 2, 2), ())"),
    Row("logsumexp/dims-empty-vector", "torch.logsumexp(ordinary(3), ())"),
    Row("logsumexp/dims-empty-no-elements", "torch.logsumexp(none, ())"),
    Row("logsumexp/dims-twice", "torch.logsumexp(a, (0, 0))"),
    Row("logsumexp/dims-twice-negative", "torch.logsumexp(a, (1, -1))"),
    Row("logsumexp/dim2-out-of-range", "torch.logsumexp(a, 2)"),
    Row("logsumexp/uint32-dim5-out-of-range", "torch.logsumexp(u, 5)"),
    Row("logsumexp/method", "a.logsumexp(1)"),
    Row("logsumexp/int64", "torch.logsumexp(ints, 1)"),
    Row("logsumexp/int32", "torch.logsumexp(ints.to(int32), 0)"),
    Row("logsumexp/int16", "torch.logsumexp(ints.to(int16), 0)"),
    Row("logsumexp/int8", "torch.logsumexp(ints.to(int8), 0)"),
    Row("logsumexp/uint8", "torch.logsumexp(ints.to(uint8), 1)"),
    Row("logsumexp/bool", "torch.logsumexp(flags, 0)"),
    Row("logsumexp/uint32", "torch.logsumexp(u, 1)"),
    Row("logsumexp/empty-rows-dim0", "torch.logsumexp(none, 0)"),
    Row("logsumexp/empty-rows-dim1", "torch.logsumexp(none, 1)"),
    Row("logsumexp/empty-rows-all", "torch.logsumexp(none, (0, 1))"),
    Row("logsumexp/empty-int64", "torch.logsumexp(none.to(int64), 0)"),
    Row("logsumexp/empty-uint32", "torch.logsumexp(none.to(uint32), 0)"),
    Row("logsumexp/empty-dim5-out-of-range", "torch.logsumexp(none, 5)"),
    Row("logsumexp/scalar-no-dims", "torch.logsumexp(torch.tensor(2.0), ())"),
    Row("logsumexp/scalar-dim1", "torch.logsumexp(torch.tensor(2.0), 1)"),
    Row("logsumexp/minus-infinities", "torch.logsumexp(torch.full((2, 3), -inf), 1)"),
    Row("logsumexp/plus-infinity", "torch.logsumexp(row(inf, 1.0, -inf), 0)"),
    Row("logsumexp/large", "torch.logsumexp(row(1e4, 1e4, 9.99e3), 0)"),
    Row("logsumexp/float16-large", "torch.logsumexp(row(6e4, 6e4, dtype=float16), 0)"),
    Row("logsumexp/one", "torch.logsumexp(row(-3.25), 0)"),
    Row("logsumexp/subnormal-input", "torch.logsumexp(row(1e-45, -1e-45), 0)"),
)

ROWS = (*CROSSED, *LENGTHS, *LONG, *DTYPE, *FORMS, *LOGSUMEXP)

SUITE = parity.suite.Suite("softmax", "python/softmax.py", ROWS, namespace)
