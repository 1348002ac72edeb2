"""Suite `grad_reductions`: backward passes of sums, products, moments, extremes and norms.

Run `python/generate.py --only grad_reductions`. The tables cross dtypes, kinds of value and layouts
with what is reduced, pairwise; the rows after them are the corners: zeros in products, nothing to
divide by, ties, NaN, and the orders of a norm.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import parity.extensions
import parity.suite
import parity.tensors
from parity.cross import cross, differentiable, named, places
from parity.suite import Row
from parity.tensors import unrecorded

import torch

DTYPES = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed narrowed expanded")
# An axis of nothing.
NONE = {"": ""}


@unrecorded
def with_zeros(*places: int, size: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """2 + sin(1), 2 + sin(2), …, but for zeros at these places in row-major order."""
    made = parity.tensors.ordinary(*size, dtype=dtype) + 2
    if made.numel():
        made.view(-1)[list(places)] = 0.0
    return made


@unrecorded
def one_zero(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A single zero, in the middle."""
    return with_zeros(torch.Size(shape).numel() // 2, size=shape, dtype=dtype)


@unrecorded
def two_zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Zeros at the start and at the end."""
    return with_zeros(0, -1, size=shape, dtype=dtype)


@unrecorded
def equal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """The same value everywhere."""
    return torch.full(shape, 1.5, dtype=dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    own = {"one_zero": one_zero, "two_zeros": two_zeros, "equal": equal}
    return parity.tensors.namespace() | parity.extensions.FUNCTIONS | own


# What `dim` and `keepdim` can be. One dimension, and everything, is all that some ops take.
ONE = places(
    all=("2, 3", ""),
    dim1=("2, 3", ", dim=-1"),
    kept=("2, 2, 2", ", dim=1, keepdim=True"),
)
# The rest of what can be reduced, in a row each.
ONE_APART = places(
    dim0=("2, 3", ", dim=0"),
    scalar=("", ""),
    empty=("0, 3", ""),
    empty_dim=("3, 0", ", dim=1"),
    scalar_dim=("", ", dim=0"),
    size1=("4, 1", ", dim=1"),
    vector=("7", ""),
    vector_dim=("7", ", dim=0"),
)
SEVERAL_APART = ONE_APART | places(
    dims_kept=("2, 3, 2", ", dim=(-1, 0), keepdim=True"),
    all_named=("2, 3", ", dim=(1, 0)"),
    kept_all=("2, 3", ", dim=None, keepdim=True"),
    no_dims=("2, 3", ", dim=()"),
)


def _without(places: Mapping[str, str], *labels: str) -> dict[str, str]:
    return {label: place for label, place in places.items() if label not in labels}


def _crossed(
    op: str,
    values: str,
    places: Mapping[str, str],
    apart: Mapping[str, str],
    order: Mapping[str, str] = NONE,
) -> tuple[Row, ...]:
    """Rows of one op; the places may name the `order`."""
    function = op if op in parity.extensions.FUNCTIONS else f"torch.{op}"
    start = f"{function}({{layout}}({{values}}({{place}}"
    table = cross(
        op, start, dtype=DTYPES, values=named(values), layout=LAYOUTS, place=places, order=order
    )
    rest = cross(
        op,
        start,
        prefix="apart",
        dtype=named("float32"),
        values=named(values.split()[0]),
        layout=named("contiguous"),
        place=apart,
    )
    return differentiable((*table, *rest))


FEW = ONE | places(dims=("2, 3, 2", ", dim=(0, 2)"))
FEW_APART = {label: SEVERAL_APART[label] for label in ("dims-kept", "no-dims", "vector-dim")}
LINEAR = (
    *_crossed("sum", "ordinary nan_middle", FEW, SEVERAL_APART),
    *_crossed("mean", "ordinary nan_middle", FEW, FEW_APART),
    *_crossed("nansum", "nan_middle nan_all infinities", FEW, FEW_APART),
    *_crossed("nanmean", "nan_middle nan_all infinities", FEW, FEW_APART),
    *_crossed("sum_of_squares", "ordinary large tiny infinities", FEW, FEW_APART),
)
PRODUCTS = _crossed(
    "prod", "ordinary ties one_zero two_zeros zeros large nan_middle", ONE, ONE_APART
)
MOMENTS = (
    *_crossed(
        "var",
        "ordinary equal large nan_middle",
        FEW,
        _without(SEVERAL_APART, "empty", "size1", "vector"),
    ),
    *_crossed("std", "ordinary equal large nan_middle", FEW, FEW_APART),
    *_crossed("var_mean", "ordinary equal large nan_middle", FEW, FEW_APART),
    *_crossed("std_mean", "ordinary equal large nan_middle", FEW, FEW_APART),
)
TIED = "ordinary ties zeros nan_first infinities"
EXTREMES = (
    *_crossed("amax", TIED, FEW, _without(SEVERAL_APART, "empty", "empty-dim", "kept-all")),
    *_crossed("amin", TIED, FEW, FEW_APART),
    *_crossed(
        "aminmax",
        "ordinary ties nan_first infinities",
        ONE,
        {label: ONE_APART[label] for label in ("size1", "scalar")},
    ),
)

ORDERS = {
    label: f", {order}"
    for label, order in {
        "quarter": "0.25",
        "1": "1",
        "1.25": "1.25",
        "1.5": "1.5",
        "2": "2",
        "2.5": "2.5",
        "3": "3",
        "inf": "inf",
        "-inf": "-inf",
    }.items()
}
LENGTHS = places(
    all=("2, 3", "{order}"),
    dim1=("2, 3", "{order}, dim=-1"),
    kept=("2, 2, 2", "{order}, dim=1, keepdim=True"),
    scalar=("", "{order}"),
)
LENGTHS_APART = places(
    dim0=("2, 3", ", dim=0"),
    dims=("2, 3, 2", ", 3, dim=(0, 2)"),
    kept_all=("2, 3", ", inf, keepdim=True"),
    size1=("4, 1", ", 1.25, dim=1"),
)
NORMS = (
    *_crossed(
        "linalg.vector_norm",
        "ordinary one_zero nan_middle infinities",
        LENGTHS,
        {"size1": LENGTHS_APART["size1"]},
        order=ORDERS,
    ),
    *differentiable(
        cross(
            "linalg.vector_norm",
            # Beyond one vector, where powers are computed in another way than after it.
            "torch.linalg.vector_norm({layout}(ordinary(2, 9, dtype={dtype})){order})",
            prefix="long",
            dtype=named("float64 float32"),
            layout=named("contiguous transposed"),
            order={"quarter": ", 0.25", "1.25": ", 1.25", "4": ", 4", "-1.5": ", -1.5"},
        )
    ),
    *_crossed(
        "norm",
        "ordinary zeros large",
        LENGTHS,
        LENGTHS_APART,
        order={"default": "", "fro": ", 'fro'", "1": ", 1", "inf": ", inf", "3": ", 3"},
    ),
)

_NO_SLOPE = "the composition rounds, and rounding has no slope"
_ONE_COUNTED = "PyTorch counts no dims as one element per result"
PICKED = (
    *differentiable(
        (
            # Slices with no zero, one, and two.
            *cross(
                "prod",
                "torch.prod(torch.tensor([[2.0, 3.0, -4.0], [2.0, 0.0, 5.0], [0.0, 3.0, -0.0]],"
                " dtype={dtype}), {dim})",
                prefix="none-one-and-two-zeros",
                dtype=DTYPES,
                dim={"dim0": "0", "dim1": "1"},
            ),
            *cross(
                "prod",
                "torch.prod({values}({shape}, dtype={dtype}), {dim})",
                prefix="long",
                dtype=named("float32 bfloat16"),
                values=named("one_zero"),
                shape={"": "2, 9"},
                dim={"dim0": "0", "dim1": "1"},
            ),
            Row("prod/one-zero-among-infinities", "torch.prod(row(inf, 0.0, 2.0, -inf))"),
            Row("prod/two-zeros-beside-nan", "torch.prod(row(0.0, nan, 0.0))"),
            Row("prod/one-zero-beside-nan", "torch.prod(row(0.0, nan, 2.0))"),
            Row("prod/to-a-wider-dtype", "torch.prod(row(1.5, 0.0, 3.0), dtype=float64)"),
            Row("prod/to-a-narrower-dtype", "torch.prod(ordinary(2, 3), 1, dtype=bfloat16)"),
            *(
                Row(
                    f"{op}/to-{wanted}-from-{dtype}",
                    f"torch.{op}(nan_middle(2, 3, dtype={dtype}), dim=1, dtype={wanted})",
                )
                for op in ("sum", "mean", "nansum", "nanmean")
                for dtype, wanted in (("float16", "float32"), ("float64", "bfloat16"))
            ),
            # Counts that a bfloat16 does not hold.
            Row("amax/of-259", "torch.amax(equal(259, dtype=bfloat16))"),
            *(
                row
                for op in ("var", "std")
                for row in cross(
                    op,
                    f"torch.{op}({{values}}({{shape}}, dtype={{dtype}}), correction={{by}})",
                    prefix="correction",
                    dtype=named("float64 float16"),
                    values=named("ordinary"),
                    shape={"4": "4"},
                    by={"0": "0", "0.5": "0.5", "all": "4", "more": "7"},
                )
            ),
            Row("var/single-element", "torch.var(row(2.0))"),
            Row("var/single-element-without-correction", "torch.var(row(2.0), correction=0)"),
            Row("var/single-element-along-dim", "torch.var(ordinary(3, 1), 1)"),
            Row("var/without-freedom-along-dim", "torch.var(ordinary(2, 3), 1, correction=4)"),
            Row("var/far-from-zero", "torch.var(ordinary(17) + 1e4)"),
            Row("std/far-from-zero", "torch.std(ordinary(2, 9) + 1e4, 1)"),
            Row("std/single-element", "torch.std(row(2.0))"),
            Row("std/unbiased-off", "torch.std(ordinary(5), unbiased=False)"),
            Row("std_mean/equal-elements-of-16-bits", "torch.std_mean(equal(5, dtype=float16))"),
            Row("amax/no-tie-with-nan", "torch.amax(row(1.0, nan, nan, 2.0))"),
            Row("amin/zeros-of-both-signs", "torch.amin(row(0.0, -0.0, 1.0))"),
            Row("aminmax/all-equal", "torch.aminmax(row(2.0, 2.0, 2.0))"),
            Row("aminmax/zeros-of-both-signs", "torch.aminmax(zeros(2, 3, dtype=float16), dim=1)"),
            Row("aminmax/nan", "torch.aminmax(row(1.0, nan, 3.0))"),
            *cross(
                "norm",
                "torch.norm(row({values}, dtype={dtype}), {order})",
                prefix="ties",
                dtype=named("float64 bfloat16"),
                values={"": "3.0, -3.0, 1.0, 3.0, -1.0", "and-nan": "3.0, nan, -3.0, nan, 1.0"},
                order={"inf": "inf", "-inf": "-inf"},
            ),
            *cross(
                "linalg.vector_norm",
                "torch.linalg.vector_norm(ordinary(2, 3, dtype={dtype}), {order}{dim}, dtype={to})",
                prefix="to",
                dtype=named("float16 bfloat16"),
                to=named("float32 float64"),
                order={"1": "1", "2": "2", "3": "3", "1.25": "1.25", "inf": "inf"},
                dim={"": "", "rows": ", dim=1"},
            ),
        )
    ),
    # Nothing flows back from a count of elements.
    Row("norm/order-0", "torch.norm(row(1.0, 0.0), 0)", backward=("input",)),
    Row(
        "linalg.vector_norm/order-0",
        "torch.linalg.vector_norm(ordinary(2, 3), 0, dim=1)",
        backward=("input",),
    ),
    *(
        Row(
            f"{op}/no-dims-of-{dtype}",
            f"torch.{op}(ordinary(2, 3, dtype={dtype}), dim=(), correction=0)",
            backward=(),
            no_derivative=_ONE_COUNTED if dtype == "float64" else "",
        )
        for op in ("var", "std", "var_mean")
        for dtype in ("float64", "float16")
    ),
    *(
        Row(
            f"stable_prod/{label}",
            f"stable_prod({expression})",
            backward=(),
            no_derivative=_NO_SLOPE if label.endswith("float64") else "",
        )
        for label, expression in {
            "ordinary-float64": "ordinary(2, 3, dtype=float64)",
            "rows-float64": "positive(2, 3, dtype=float64), dim=1",
            "rows-float16": "ordinary(2, 3, dtype=float16), dim=-1, keepdim=True",
            "columns-bfloat16": "transposed(ordinary(2, 3, dtype=bfloat16)), 0",
            "dims": "ordinary(2, 3, 2), (0, 2)",
            "one-zero": "one_zero(2, 3), 1",
            "two-zeros": "two_zeros(2, 3)",
            "infinity": "plus_infinity(2, 3), 0",
            "nan": "nan_middle(5, dtype=bfloat16)",
            "subnormal": "row(1e-40, 2.0, -3.0)",
            "exponents-beyond-float32-float64": "row(1e-300, 1e300, 2.0, dtype=float64)",
            "scalar": "ordinary()",
            "no-outputs": "ordinary(0, 3), 1",
        }.items()
    ),
)
REFUSED = (
    *(
        Row(f"{op}/has-none", f"torch.{op}(row(1.0, 0.0))", backward=("input",))
        for op in ("any", "all", "count_nonzero")
    ),
    *(
        Row(f"{op}/integers-have-none", f"torch.{op}(torch.tensor([1, 2]))", backward=("input",))
        for op in ("sum", "prod", "amax")
    ),
    *(
        Row(
            f"{op}/to-integers",
            f"torch.{op}(row(1.0, 2.0), dtype={dtype})",
            backward=("input",),
        )
        for op, dtype in (("sum", "int64"), ("nansum", "int32"), ("prod", "uint8"))
    ),
    Row("stable_prod/nothing", "stable_prod(row())", backward=("input",)),
)

ROWS = (*LINEAR, *PRODUCTS, *MOMENTS, *EXTREMES, *NORMS, *PICKED, *REFUSED)

SUITE = parity.suite.Suite("grad_reductions", "python/grad_reductions.py", ROWS, namespace)
