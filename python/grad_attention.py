"""Suite `grad_attention`: backward passes of scaled_dot_product_attention.

Run `python/generate.py --only grad_attention`. Operands of four dimensions with one batch go
through a blocked kernel, others, and any with a mask that wants a gradient, through products of
matrices.
"""

import parity.suite
from parity.cross import cross, differentiable, named
from parity.suite import Row
from parity.tensors import namespace

DTYPES = named("float64 float32 float16 bfloat16")
# What all operands have, their lengths of queries and keys, and the width of the values.
SHAPES = {
    "blocked": ("1, 2, ", "2", "3", "2"),
    "batches": ("2, 1, ", "3", "2", "2"),
    "three": ("2, ", "2", "3", "2"),
    "two": ("", "3", "4", "2"),
    "wider": ("1, 1, ", "2", "3", "5"),
}
OPERANDS = {
    label: ", ".join(
        f"{layout}({{values}}({batch}{size}, dtype={{dtype}}))"
        for layout, size in (
            ("{layout}", f"{queries}, 2"),
            ("contiguous", f"{keys}, 2"),
            ("{layout}", f"{keys}, {width}"),
        )
    )
    for label, (batch, queries, keys, width) in SHAPES.items()
}
CALL = "F.scaled_dot_product_attention({operands}{mask})"
SCALES = {"": "", "scale": ", scale=0.3", "negative": ", scale=-0.5"}

CROSSED = (
    *cross(
        "scaled_dot_product_attention",
        CALL.replace("{mask}", "{causal}{scale}"),
        operands=OPERANDS,
        dtype=DTYPES,
        layout=named("contiguous transposed"),
        values=named("ordinary"),
        causal={"": "", "causal": ", is_causal=True"},
        scale=SCALES,
    ),
    *cross(
        "scaled_dot_product_attention",
        CALL,
        prefix="mask",
        operands={"blocked": OPERANDS["blocked"]},
        dtype=DTYPES,
        layout=named("contiguous"),
        values=named("ordinary"),
        mask={
            "whole": ", ordinary(2, 3, dtype={dtype})",
            "batch": ", ordinary(2, 2, 3, dtype={dtype})",
            "bool": ", ordinary(2, 3) > -0.5",
        },
    ),
)

BLOCKED = "ordinary(1, 1, 2, 3), ordinary(1, 1, 4, 3), ordinary(1, 1, 4, 3)"
HIDDEN = "torch.tensor([[True, False, True, True], [False] * 4])"

PICKED = (
    Row("value-alone", f"F.scaled_dot_product_attention({BLOCKED})", backward=("value",)),
    Row("query-alone", f"F.scaled_dot_product_attention({BLOCKED})", backward=("query",)),
    Row("mask-alone", f"F.scaled_dot_product_attention({BLOCKED}, ordinary(2, 4))",
        backward=("attn_mask",)),
    Row("mask-wants-none", f"F.scaled_dot_product_attention({BLOCKED}, ordinary(2, 4))",
        backward=("query", "key", "value")),
    Row("mask-of-bools-has-none", f"F.scaled_dot_product_attention({BLOCKED}, {HIDDEN})",
        backward=("attn_mask",)),
    Row("nothing-to-see", f"F.scaled_dot_product_attention({BLOCKED}, {HIDDEN})", backward=()),
    Row("nothing-to-see-three",
        f"F.scaled_dot_product_attention(ordinary(1, 2, 3), ordinary(1, 4, 3), ordinary(1, 4, 2),"
        f" {HIDDEN})", backward=()),
    Row("infinite-mask", f"F.scaled_dot_product_attention({BLOCKED},"
        " infinities(2, 4).clamp(max=1.0))", backward=()),
    Row("more-queries-than-a-vector",
        "F.scaled_dot_product_attention(ordinary(1, 1, 9, 1), ordinary(1, 1, 17, 1),"
        " ordinary(1, 1, 17, 1))", backward=()),
    Row("broadcast-batch",
        "F.scaled_dot_product_attention(ordinary(2, 1, 2, 1), ordinary(1, 2, 3, 1),"
        " ordinary(2, 2, 3, 1))", backward=()),
)  # fmt: skip

ROWS = (
    *differentiable(CROSSED),
    *(
        Row(f"scaled_dot_product_attention/{row.tail}", row.expression, backward=row.backward)
        for row in PICKED
    ),
)

SUITE = parity.suite.Suite("grad_attention", "python/grad_attention.py", ROWS, namespace)
