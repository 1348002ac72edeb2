"""Suite `sorting`: `sort`, `argsort`, `msort`, `topk`, `kthvalue`, `median`, `nanmedian`, `mode`.

Run `python/generate.py --only sorting`. The tables cross dtypes, kinds of value, layouts, shapes,
dimensions and options pairwise. PyTorch promises no order among equal elements unless a sort is
stable; what it gives follows from its algorithms, which change with the length, so ties are tested
at lengths around every threshold: 3 and 16 of the C++ library's, `k * 64` of `topk`.
"""

from typing import Any

import parity.suite
import parity.tensors
from parity.cross import Labels, cross, named, needs_floats
from parity.suite import Row
from parity.tensors import unrecorded

import numpy as np
import torch


@unrecorded
def mixed(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """NaN, infinities, zeros of both signs and ties, at irregular places."""
    special = (0.0, -0.0, 1.0, float("nan"), -1.0, float("inf"), 1.0, float("-inf"), -0.0, 2.0)
    values = [special[k % len(special)] for k in _scrambled(int(np.prod(shape)))]
    return torch.tensor(values, dtype=dtype).reshape(shape)


def _scrambled(count: int) -> list[int]:
    """Whole numbers in no order, the same ones every time."""
    numbers, state = [], 1
    for _ in range(count):
        state = (state * 1_103_515_245 + 12_345) % 2**31
        numbers.append(state >> 16)
    return numbers


@unrecorded
def signs(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Zeros of both signs in no order, and a few ones of both signs."""
    special = (0.0, -0.0, -0.0, 0.0, 1.0, 0.0, -0.0, -1.0, 0.0, -0.0, -0.0)
    values = [special[k % len(special)] for k in _scrambled(int(np.prod(shape)))]
    return torch.tensor(values, dtype=dtype).reshape(shape)


def _few(kinds: int) -> parity.tensors.Maker:
    @unrecorded
    def make(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        values = [k % kinds for k in _scrambled(int(np.prod(shape)))]
        return torch.tensor(values, dtype=dtype).reshape(shape)

    return make


@unrecorded
def rising(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """In ascending order already, every value twice."""
    values = [k // 2 % 256 for k in range(int(np.prod(shape)))]
    return torch.tensor(values, dtype=dtype).reshape(shape)


@unrecorded
def falling(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """In descending order, every value twice."""
    count = int(np.prod(shape))
    values = [(count - k) // 2 % 256 for k in range(count)]
    return torch.tensor(values, dtype=dtype).reshape(shape)


@unrecorded
def killer(half: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """2 * half values that make a median of three the worst pivot, so that heaps take over."""
    pairs = ((k if k % 2 == 1 else half + k - 1, 2 * k) for k in range(1, half + 1))
    return torch.tensor([value for pair in pairs for value in pair], dtype=dtype)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    own = {
        "mixed": mixed,
        "signs": signs,
        "two": _few(2),
        "five": _few(5),
        "many": _few(30_000),
        "rising": rising,
        "falling": falling,
        "killer": killer,
        "zeros_of": torch.zeros,
    }
    return parity.tensors.namespace() | own


FLOATS = "float64 float32 float16 bfloat16"
INTEGERS = "int64 int32 int16 int8 uint8"
VALUES = named(
    "ordinary large tiny zeros ties nan_first nan_middle nan_last nan_all infinities mixed"
    " two five rising falling"
)
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")
SHAPES = {"3x5": "3, 5", "2x3x4": "2, 3, 4", "5x1": "5, 1", "2x18": "2, 18", "19x2": "19, 2"}
DIMS = {"dim0": "0", "dim1": "1", "dim-1": "-1", "dim-2": "-2"}
KEEPDIM = {"": "", "keepdim": ", keepdim=True"}


def _special(labels: Labels) -> bool:
    """Floating values in a dtype that has none; negative numbers where there is no sign."""
    floating = "float" in labels.get("dtype", "float32")
    values = labels.get("values")
    return (
        needs_floats(labels)
        or (values == "mixed" and not floating)
        or (values == "large" and labels.get("dtype") == "uint32")
    )


def _outside(labels: Labels) -> bool:
    """A median along an expanded dimension: PyTorch reads what lies behind the tensor in memory."""
    last = ("dim-1",) if labels.get("shape") == "2x3x4" else ("dim-1", "dim1")
    return _special(labels) or (labels.get("layout") == "expanded" and labels.get("dim") in last)


SORTED = (
    *cross(
        "sort",
        "{layout}({values}({shape}, dtype={dtype})).sort(dim={dim}{descending}{stable})",
        unless=_special,
        dtype=named(f"{FLOATS} {INTEGERS} bool uint32"),
        values=VALUES,
        layout=LAYOUTS,
        shape=SHAPES,
        dim=DIMS,
        descending={"": "", "descending": ", descending=True"},
        stable={
            "": "",
            "stable": ", stable=True",
            "stable-none": ", stable=None",
            "unstable": ", stable=False",
        },
    ),
    *cross(
        "argsort",
        "{layout}({values}({shape}, dtype={dtype})).argsort(dim={dim}{descending}{stable})",
        unless=_special,
        dtype=named(f"{FLOATS} {INTEGERS} bool uint32"),
        values=VALUES,
        layout=LAYOUTS,
        shape=SHAPES,
        dim=DIMS,
        descending={"": "", "descending": ", descending=True"},
        stable={"": "", "stable": ", stable=True", "unstable": ", stable=False"},
    ),
    *cross(
        "msort",
        "torch.msort({layout}({values}({shape}, dtype={dtype})))",
        unless=_special,
        dtype=named(f"{FLOATS} {INTEGERS} bool uint32"),
        values=VALUES,
        layout=LAYOUTS,
        shape=SHAPES | {"20": "20", "17x2x2": "17, 2, 2"},
    ),
    *cross(
        "topk",
        "{layout}({values}({shape}, dtype={dtype})).topk({k}, {dim}{largest}{sorted})",
        unless=lambda labels: (
            _special(labels)
            or labels.get("shape") == "5x1"
            or (labels.get("shape") == "2x18" and labels.get("dim") in ("dim0", "dim-2"))
            or (labels.get("shape") == "19x2" and labels.get("dim") in ("dim1", "dim-1"))
        ),
        dtype=named(f"{FLOATS} {INTEGERS}"),
        values=VALUES,
        layout=LAYOUTS,
        shape=SHAPES,
        dim=DIMS,
        k=named("1 2 3"),
        largest={"": "", "smallest": ", largest=False"},
        sorted={"": "", "unsorted": ", sorted=False", "sorted": ", sorted=True"},
    ),
)
STATISTICS = (
    *cross(
        "kthvalue",
        "{layout}({values}({shape}, dtype={dtype})).kthvalue({k}, {dim}{keepdim})",
        unless=_special,
        dtype=named(f"{FLOATS} {INTEGERS}"),
        values=VALUES,
        layout=LAYOUTS,
        shape={"3x5": "3, 5", "3x3x4": "3, 3, 4", "18x3": "18, 3", "3x19": "3, 19"},
        dim=DIMS,
        k=named("1 2 3"),
        keepdim=KEEPDIM,
    ),
    *(
        row
        for op in ("median", "nanmedian", "mode")
        for row in cross(
            op,
            f"{{layout}}({{values}}({{shape}}, dtype={{dtype}})).{op}({{dim}}{{keepdim}})",
            unless=_special if op == "mode" else _outside,
            dtype=named(f"{FLOATS} {INTEGERS}" + (" bool" if op == "mode" else "")),
            values=VALUES,
            layout=LAYOUTS,
            shape=SHAPES,
            dim=DIMS,
            keepdim=KEEPDIM,
        )
    ),
    *(
        row
        for op in ("median", "nanmedian")
        for row in cross(
            op,
            f"{{layout}}({{values}}({{shape}}, dtype={{dtype}})).{op}()",
            prefix="all",
            unless=_special,
            dtype=named(f"{FLOATS} {INTEGERS}"),
            values=VALUES,
            layout=LAYOUTS,
            shape={"1": "1", "2": "2", "7": "7", "4x5": "4, 5", "2x3x4": "2, 3, 4"},
        )
    ),
)

# Ties at every length around the thresholds.
_LENGTHS = named("1 2 3 4 5 8 15 16 17 18 31 32 33 64 65")
LENGTHS = tuple(
    row
    for op, call in (
        ("sort", "sort()"),
        ("sort", "sort(descending=True)"),
        ("argsort", "argsort(stable=True)"),
        ("topk", "topk((x.shape[0] + 1) // 2)"),
        ("topk", "topk(x.shape[0], largest=False)"),
        ("topk", "topk(1)"),
        ("kthvalue", "kthvalue((x.shape[0] + 1) // 2)"),
        ("kthvalue", "kthvalue(x.shape[0])"),
        ("median", "median(0)"),
        ("nanmedian", "nanmedian(0)"),
        ("mode", "mode()"),
    )
    for row in cross(
        op,
        f"(lambda x: x.{call})({{values}}({{length}}, dtype={{dtype}}))",
        prefix=call.translate(str.maketrans("(", "-", " )=[]._+/,")),
        unless=_special,
        dtype=named("float32 int8 bfloat16"),
        values=named("five mixed two rising falling"),
        length=_LENGTHS,
    )
)
LONG = tuple(
    Row(
        f"{call.partition('(')[0]}/long-{number:02}-{values}-{length}-{dtype}",
        f"{values}({length}, dtype={dtype}).{call}",
    )
    for number, (values, length, dtype, call) in enumerate(
        (
            ("five", 127, "float32", "sort()"),
            ("five", 128, "float64", "sort(descending=True)"),
            ("mixed", 129, "float32", "sort()"),
            ("mixed", 129, "float16", "sort(descending=True)"),
            ("mixed", 129, "bfloat16", "sort(stable=True)"),
            ("many", 129, "int64", "sort()"),
            ("two", 1000, "bool", "sort()"),
            ("five", 1000, "int8", "sort()"),
            ("five", 1000, "uint8", "sort(stable=True, descending=True)"),
            ("many", 1000, "int16", "argsort()"),
            ("five", 1000, "int32", "argsort(descending=True)"),
            ("mixed", 1000, "float16", "argsort()"),
            ("killer", 100, "int16", "argsort()"),
            ("killer", 250, "int16", "argsort()"),
            ("killer", 250, "int16", "argsort(descending=True)"),
            ("mixed", 1000, "float32", "topk(15)"),
            ("mixed", 1000, "float32", "topk(15, sorted=False)"),
            ("mixed", 1000, "float32", "topk(16)"),
            ("mixed", 1000, "float32", "topk(16, sorted=False)"),
            ("five", 1000, "int8", "topk(15, largest=False)"),
            ("five", 1000, "uint8", "topk(16, largest=False)"),
            ("five", 1000, "uint8", "topk(100)"),
            ("five", 129, "int16", "topk(2)"),
            ("five", 128, "int16", "topk(2)"),
            ("five", 127, "int16", "topk(2)"),
            ("two", 64, "float64", "topk(1)"),
            ("two", 63, "float64", "topk(1)"),
            ("killer", 250, "int16", "topk(60)"),
            ("killer", 250, "int16", "topk(251, largest=False)"),
            ("killer", 250, "int16", "kthvalue(251)"),
            ("five", 1000, "int8", "kthvalue(500)"),
            ("mixed", 1000, "float16", "kthvalue(450)"),
            ("many", 129, "float32", "kthvalue(65)"),
            ("killer", 250, "int16", "median(0)"),
            ("five", 1000, "int8", "median(0)"),
            ("ordinary", 129, "float32", "median(0)"),
            ("zeros", 129, "float32", "median()"),
            ("zeros", 128, "float64", "median()"),
            ("mixed", 1000, "float16", "nanmedian(0)"),
            ("mixed", 129, "float32", "nanmedian()"),
            ("nan_all", 127, "bfloat16", "nanmedian(0)"),
            ("five", 1000, "int8", "mode()"),
            ("many", 129, "int64", "mode()"),
            ("zeros", 129, "float32", "mode()"),
            ("killer", 250, "int16", "mode()"),
        )
    )
)

DEEP = tuple(
    row
    for op, call in (
        ("sort", "sort({dim})"),
        ("sort", "sort(dim={dim}, descending=True, stable=True)"),
        ("topk", "topk(2, {dim})"),
        ("kthvalue", "kthvalue(2, {dim})"),
        ("median", "median({dim})"),
        ("nanmedian", "nanmedian({dim})"),
        ("mode", "mode({dim})"),
    )
    for row in cross(
        op,
        f"{{layout}}({{values}}(2, 3, 2, 4, dtype={{dtype}})).{call}",
        prefix="4d-stable" if "stable" in call else "4d",
        unless=lambda labels: (
            _special(labels) or (labels.get("layout") == "expanded" and labels.get("dim") == "dim3")
        ),
        dtype=named("float32 int8 bfloat16"),
        values=named("ordinary mixed five"),
        layout=LAYOUTS,
        dim={"dim0": "0", "dim1": "1", "dim-2": "-2", "dim3": "3"},
    )
)
NAN_AT = tuple(
    Row(f"{call.partition('(')[0]}/nan-at-{place}-{number}", f"row({values}).{call}")
    for number, call in enumerate(
        (
            "sort()",
            "sort(descending=True)",
            "argsort(stable=True)",
            "topk(3)",
            "topk(5, largest=False)",
            "kthvalue(4)",
            "kthvalue(7)",
            "median(0)",
            "nanmedian(0)",
            "mode()",
        )
    )
    for place in range(7)
    for values in (", ".join("nan" if k == place else f"{k * 3 % 7}" for k in range(7)),)
)

# Zeros of both signs are equal, but a median shows which of them it took, and so does the order
# in which it looks at memory.
ZEROS = tuple(
    Row(f"{op}/zeros-{layout}-{name}-{dtype}", f"{layout}(signs({shape}, dtype={dtype})).{op}()")
    for op in ("median", "nanmedian")
    for layout in LAYOUTS
    for name, shape, dtype in (
        ("4x5", "4, 5", "float32"),
        ("3x7x2", "3, 7, 2", "float64"),
        ("6x3", "6, 3", "bfloat16"),
        ("5x11", "5, 11", "float16"),
        ("2x3x2x5", "2, 3, 2, 5", "float32"),
    )
) + tuple(
    Row(f"{op}/zeros-{length}", f"signs({length}).{op}()")
    for op in ("median", "nanmedian")
    for length in (2, 3, 4, 5, 9, 16, 17, 33, 64, 129)
)

# Shapes without a line to go along, dtypes without a kernel, and dimensions that are not there.
SHAPELESS = tuple(
    Row(f"{op}/{dtype}-{name}-{number}", f"{made.format(dtype=dtype)}.{call.format(dim=dim)}")
    for number, (op, call) in enumerate(
        (
            ("sort", "sort({dim})"),
            ("argsort", "argsort({dim})"),
            ("topk", "topk(1, {dim})"),
            ("kthvalue", "kthvalue(1, {dim})"),
            ("median", "median({dim})"),
            ("nanmedian", "nanmedian({dim})"),
            ("mode", "mode({dim})"),
        )
    )
    for dtype in ("float32", "int32", "bool", "uint32")
    for name, made, dim in (
        ("0-d", "torch.tensor(1, dtype={dtype})", "0"),
        ("0-d-dim1", "torch.tensor(1, dtype={dtype})", "1"),
        ("vector", "row(1, 0, 1, dtype={dtype})", "-1"),
        ("one-element", "row(1, dtype={dtype})", "0"),
        ("empty", "zeros_of(0, dtype={dtype})", "0"),
        ("empty-dim", "zeros_of(2, 0, dtype={dtype})", "1"),
        ("empty-other-dim", "zeros_of(2, 0, dtype={dtype})", "0"),
        ("dim2-of-2", "zeros_of(2, 3, dtype={dtype})", "2"),
        ("dim-3-of-2", "zeros_of(2, 0, dtype={dtype})", "-3"),
    )
)
ALL_OF_NOTHING = tuple(
    Row(f"{op}/all-{name}-{dtype}", f"{made.format(dtype=dtype)}.{op}()")
    for op in ("median", "nanmedian")
    for dtype in f"{FLOATS} {INTEGERS} bool uint32".split()
    for name, made in (
        ("of-nothing", "zeros_of(2, 0, dtype={dtype})"),
        ("0-d", "torch.tensor(1, dtype={dtype})"),
    )
)
MSORT_SHAPES = tuple(
    Row(f"msort/{dtype}-{name}", f"torch.msort({made.format(dtype=dtype)})")
    for dtype in ("float32", "bool", "uint32")
    for name, made in (
        ("0-d", "torch.tensor(1, dtype={dtype})"),
        ("empty", "zeros_of(0, 2, dtype={dtype})"),
        ("one-element", "row(1, dtype={dtype})"),
    )
)

# k at and beyond its bounds, before and after the other checks.
BOUNDS = tuple(
    Row(f"{op}/{name}-k{k}-dim{dim}", f"{made}.{op}({k}, {dim})")
    for op in ("topk", "kthvalue")
    for name, made in (
        ("float32", "ordinary(2, 3)"),
        ("bool", "ordinary(2, 3, dtype=bool)"),
        ("uint32", "ordinary(2, 3, dtype=uint32)"),
        ("no-columns", "zeros_of(2, 0)"),
        ("no-rows", "zeros_of(0, 3)"),
    )
    for k in (-1, 0, 3, 4)
    for dim in (0, 1, 2)
) + tuple(
    Row(f"{op}/0-d-{dtype}-k{k}", f"torch.tensor(1, dtype={dtype}).{op}({k})")
    for op in ("topk", "kthvalue")
    for dtype in ("float32", "bool", "uint32")
    for k in (-1, 0, 1, 2)
)

CORNERS = (
    Row("sort/function", "torch.sort(ordinary(2, 5))"),
    Row("sort/function-positional", "torch.sort(ordinary(2, 5), 0, True)"),
    Row("sort/function-stable", "torch.sort(ties(2, 5), stable=True, dim=0, descending=True)"),
    Row("sort/values", "ordinary(5).sort().values"),
    Row("sort/indices", "ties(20).sort().indices"),
    Row("sort/nan-last", "row(nan, 1.0, inf, nan, -inf).sort()"),
    Row("sort/nan-first", "row(1.0, nan, inf, nan, -inf).sort(descending=True)"),
    Row("sort/zeros-keep-their-order", "row(0.0, -0.0, 0.0, -0.0).sort(stable=True)"),
    Row("sort/zeros-descending", "row(-0.0, 0.0, -0.0, 0.0).sort(stable=True, descending=True)"),
    Row("sort/subnormals", "row(1e-45, 0.0, -1e-45, 3e-45).sort()"),
    Row("sort/int64-extremes", "torch.tensor([2**63 - 1, -(2**63), 0, 2**53 + 1, 2**53]).sort()"),
    Row("sort/uint8", "row(255, 0, 128, 127, dtype=uint8).sort()"),
    Row("sort/uint32", "torch.tensor([4294967295, 0, 2**31], dtype=uint32).sort()"),
    Row("sort/bool", "torch.tensor([True, False, True, False]).sort()"),
    Row("sort/stride-0-is-left-alone", "torch.zeros(1).expand(20).sort()"),
    Row("sort/stride-0-descending", "torch.zeros(1).expand(20).sort(descending=True)"),
    Row("sort/equal-of-20", "torch.zeros(20).sort()"),
    Row("sort/stride-0-of-other-dim", "five(20, 1).expand(20, 2).sort(0)"),
    Row("sort/0-d-stable", "torch.tensor(nan).sort(stable=True)"),
    Row("argsort/function", "torch.argsort(ordinary(2, 5), 0, True)"),
    Row("argsort/function-stable", "torch.argsort(ties(2, 5), stable=True)"),
    Row("msort/method", "ordinary(5, 2).msort()"),
    Row("msort/zeros", "torch.msort(zeros(40))"),
    Row("topk/function", "torch.topk(ordinary(2, 5), 2)"),
    Row("topk/function-named", "torch.topk(ordinary(2, 5), k=2, dim=0, largest=False)"),
    Row("topk/values", "ordinary(5).topk(3).values"),
    Row("topk/nan-first", "row(1.0, nan, inf, nan, 2.0).topk(3)"),
    Row("topk/nan-last", "row(nan, 1.0, nan, inf, 2.0).topk(4, largest=False)"),
    Row("topk/zeros", "row(-0.0, 0.0, -0.0, 0.0).topk(2)"),
    Row("topk/all", "ties(2, 9).topk(9)"),
    Row("topk/all-unsorted", "ties(2, 9).topk(9, sorted=False)"),
    Row("topk/stride-0", "torch.zeros(1).expand(20).topk(3)"),
    Row("kthvalue/function", "torch.kthvalue(ordinary(2, 5), 2)"),
    Row("kthvalue/function-named", "torch.kthvalue(ordinary(2, 5), k=2, dim=0, keepdim=True)"),
    Row("kthvalue/nan-is-the-greatest", "row(nan, 1.0, inf).kthvalue(3)"),
    Row("kthvalue/below-nan", "row(nan, 1.0, inf).kthvalue(2)"),
    Row("kthvalue/zeros", "row(0.0, -0.0, 0.0).kthvalue(2)"),
    Row("kthvalue/0-d-keepdim", "torch.tensor(2.5).kthvalue(1, keepdim=True)"),
    Row("median/function", "torch.median(ordinary(2, 5))"),
    Row("median/function-dim", "torch.median(ordinary(2, 5), 1)"),
    Row("median/function-named", "torch.median(ordinary(2, 5), dim=0, keepdim=True)"),
    Row("median/values", "ordinary(5).median(0).values"),
    Row("median/lower-of-two", "row(4.0, 1.0, 3.0, 2.0).median()"),
    Row("median/lower-of-two-dim", "row(4.0, 1.0, 3.0, 2.0).median(0)"),
    Row("median/nan", "row(1.0, nan, nan, 3.0).median()"),
    Row("median/nan-first-wins", "row(1.0, nan, nan, 3.0).median(0)"),
    Row("median/zeros", "row(-0.0, 0.0, 1.0).median()"),
    Row("median/infinities", "row(inf, -inf, inf).median(0)"),
    Row("median/int64-extremes", "torch.tensor([2**63 - 1, -(2**63), 5]).median()"),
    Row("median/0-d-keepdim", "torch.tensor(2.5).median(0, keepdim=True)"),
    Row("nanmedian/function", "torch.nanmedian(ordinary(2, 5))"),
    Row("nanmedian/function-named", "torch.nanmedian(ordinary(2, 5), dim=0, keepdim=True)"),
    Row("nanmedian/nan-left-out", "row(nan, 2.0, nan, 1.0).nanmedian(0)"),
    Row("nanmedian/all-nan-3", "row(nan, nan, nan).nanmedian(0)"),
    Row("nanmedian/all-nan-5", "row(nan, nan, nan, nan, nan).nanmedian(0)"),
    Row("nanmedian/all-nan", "row(nan, nan, nan).nanmedian()"),
    Row("mode/function", "torch.mode(ties(2, 7))"),
    Row("mode/function-named", "torch.mode(ties(2, 7), dim=0, keepdim=True)"),
    Row("mode/least-of-equals", "row(2, 1, 2, 1, 3).mode()"),
    Row("mode/nan-is-no-run", "row(nan, 1.0, 1.0, nan, nan).mode()"),
    Row("mode/nan-only", "row(nan, nan).mode()"),
    Row("mode/nan-first", "row(nan, nan, 1.0).mode()"),
    Row("mode/zeros", "row(0.0, -0.0, 1.0).mode()"),
    Row("mode/zeros-other-way", "row(-0.0, 0.0, 1.0).mode()"),
    Row("mode/bool", "torch.tensor([True, False, True, False]).mode()"),
    Row("mode/0-d-keepdim", "torch.tensor(2.5).mode(0, keepdim=True)"),
)

ROWS = (
    *SORTED,
    *STATISTICS,
    *LENGTHS,
    *LONG,
    *DEEP,
    *NAN_AT,
    *ZEROS,
    *SHAPELESS,
    *ALL_OF_NOTHING,
    *MSORT_SHAPES,
    *BOUNDS,
    *CORNERS,
)

SUITE = parity.suite.Suite("sorting", "python/sorting.py", ROWS, namespace)
