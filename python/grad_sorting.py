"""Suite `grad_sorting`: backward passes of ops that return elements of their input.

Run `python/generate.py --only grad_sorting`. `sort`, `msort`, `topk`, `kthvalue`, `median`,
`nanmedian`, `mode`, and `max` and `min` with a dimension give each gradient to the element that the
returned index names; `max`, `min`, `median` and `nanmedian` of everything share theirs evenly among
equal elements; `max` and `min` of two tensors halve it where both are equal.
"""

from collections.abc import Mapping

import parity.suite
from parity.cross import cross, differentiable, named, places
from parity.suite import Row
from parity.tensors import namespace

DTYPES = named("float64 float32 float16 bfloat16")
# For ops whose way back is that of another.
TWO = named("float64 float16")
LAYOUTS = named("contiguous transposed narrowed expanded")
VALUES = named("ordinary ties nan_middle infinities")


def _crossed(
    op: str,
    places: Mapping[str, str],
    layouts: Mapping[str, str] = LAYOUTS,
    dtypes: Mapping[str, str] = DTYPES,
) -> tuple[Row, ...]:
    return differentiable(
        cross(
            op,
            f"torch.{op}({{layout}}({{values}}({{place}}",
            dtype=dtypes,
            values=VALUES,
            layout=layouts,
            place=places,
        )
    )


ALONG = places(
    dim0=("2, 3", ", dim=0"),
    dim1=("2, 3", ", dim=-1"),
    of_cube=("2, 3, 2", ", dim=1, keepdim=True"),
)
ORDERED = places(
    dim0=("2, 3", ", dim=0"),
    falling=("2, 3", ", descending=True"),
    stable=("2, 3", ", stable=True, dim=1"),
    of_cube=("2, 3, 2", ", dim=-2"),
)
FIRST = places(
    row=("5", ", 3"),
    dim0=("2, 3", ", 2, dim=0"),
    unsorted=("2, 3", ", 2, sorted=False"),
    all=("2, 3, 2", ", 3, dim=1"),
)
NTH = places(
    row=("5", ", 2"),
    dim0=("2, 3", ", 1, dim=0"),
    dim1=("2, 3", ", 3, dim=1"),
    of_cube=("2, 3, 2", ", 2, dim=1, keepdim=True"),
)
WHOLE = places(
    vector=("7", ""), even=("5", ""), matrix=("2, 3", ""), cube=("2, 3, 2", ""), scalar=("", "")
)
NOT_EXPANDED = {label: layout for label, layout in LAYOUTS.items() if label != "expanded"}

CROSSED = (
    *_crossed("sort", ORDERED),
    *_crossed("msort", places(row=("5", ""), matrix=("2, 3", "")), dtypes=TWO),
    *_crossed("topk", FIRST),
    *_crossed("kthvalue", NTH),
    *_crossed("mode", ALONG),
    *_crossed("max", ALONG | WHOLE),
    *_crossed("min", ALONG | WHOLE, dtypes=TWO),
    *_crossed("median", ALONG | WHOLE, NOT_EXPANDED),
    *_crossed("nanmedian", ALONG | WHOLE, NOT_EXPANDED, TWO),
)
OF_TWO = tuple(
    row
    for op in ("max", "min")
    for row in differentiable(
        cross(
            op,
            f"torch.{op}({{values}}({{left}}dtype={{dtype}}), {{others}}({{right}}dtype={{to}}))",
            prefix="of-two",
            dtype=DTYPES,
            to=named("float32 bfloat16"),
            values=named("ordinary ties nan_middle"),
            others=named("ties nan_first"),
            left={"": "2, 3, ", "row": "3, ", "0-d": ""},
            right={"": "2, 3, ", "with-column": "2, 1, ", "with-0-d": ""},
        )
    )
)
PICKED = differentiable(
    (
        # Three share a third each, which no binary float holds.
        *(
            row
            for op in ("max", "min", "median", "nanmedian")
            for row in cross(
                op,
                f"torch.{op}(row({{values}}, dtype={{dtype}}))",
                prefix="three-equal",
                dtype=named("float32 bfloat16"),
                values={"": "2.0, 2.0, 2.0", "beside-nan": "2.0, 2.0, nan, 2.0, nan"},
            )
        ),
        # More ties than a bfloat16 counts exactly.
        Row("max/259-equal", "torch.max(torch.ones(259, dtype=bfloat16))"),
        # The corners of shapes.
        *(
            Row(f"{op}/{label}", f"torch.{op}({values}{arguments})")
            for op, arguments in {
                "sort": "",
                "topk": ", 1",
                "kthvalue": ", 1",
                "mode": "",
                "max": ", 0",
                "median": ", -1",
                "nanmedian": "",
                "min": "",
                "msort": "",
            }.items()
            for label, values in {
                "scalar": "ordinary()",
                "all-nan": "row(nan, nan, nan)",
                "zeros-of-both-signs": "row(0.0, -0.0, -0.0, 0.0)",
                "column": "ordinary(3, 1)",
            }.items()
            if (op, label) != ("msort", "scalar")
        ),
        Row("sort/empty", "torch.sort(ordinary(2, 0))"),
        Row("topk/none", "torch.topk(ordinary(2, 3), 0)"),
        Row("max/equal-zeros-of-both-signs", "torch.max(row(-0.0, 0.0, -1.0))"),
        Row("min/zeros-of-both-signs-of-two", "torch.min(row(-0.0, 0.0), row(0.0, -0.0))"),
        Row(
            "nanmedian/nan-in-a-line", "torch.nanmedian(torch.tensor([[nan, 1.0], [nan, nan]]), 1)"
        ),
        Row("median/even-takes-the-lower", "torch.median(row(4.0, 1.0, 3.0, 2.0))"),
        Row("mode/three-of-a-kind", "torch.mode(row(1.0, 2.0, 2.0, 3.0, 2.0, 1.0))"),
        Row("topk/of-many", "torch.topk(ordinary(70), 1)"),
        Row("sort/long-falling", "torch.sort(ordinary(40), descending=True)"),
    )
)
REFUSED = (
    Row("argsort/has-none", "torch.argsort(row(2.0, 1.0))", backward=("input",)),
    Row("argmax/has-none", "torch.argmax(row(2.0, 1.0))", backward=("input",)),
    Row("argmin/has-none", "torch.argmin(row(2.0, 1.0), dim=0)", backward=("input",)),
    Row("sort/integers-have-none", "torch.sort(torch.tensor([2, 1]))", backward=("input",)),
    Row("median/integers-have-none", "torch.median(torch.tensor([2, 1]))", backward=("input",)),
    Row("max/integers-have-none", "torch.max(torch.tensor([2, 1]), 0)", backward=("input",)),
)

ROWS = (*CROSSED, *OF_TWO, *PICKED, *REFUSED)

SUITE = parity.suite.Suite("grad_sorting", "python/grad_sorting.py", ROWS, namespace)
