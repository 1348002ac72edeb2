"""Suite `grad_layers`: backward passes of layer_norm, rms_norm, normalize and dropout's identity.

Lengths around the vectors' widths show the order of the sums along a row; parameters of float32
beside 16-bit inputs have code of their own. Run `python/generate.py --only grad_layers`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.cross import Labels, cross, differentiable, named
from parity.suite import Row


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | {"a": tensors.ordinary(2, 3)}


def is_steep(labels: Labels) -> bool:
    """For `unless`: numbers so large that differences of float64 say nothing."""
    return labels.get("dtype") == "float64" and labels.get("values") in ("cancelling", "large")


DTYPES = named("float64 float32 float16 bfloat16")
LAYOUTS = named("contiguous transposed stepped expanded")
VALUES = named("ordinary positive cancelling ties")

LAYER_NORM = differentiable(
    cross(
        "layer_norm",
        "F.layer_norm({layout}({values}(2, 5, dtype={dtype})), (5,){parameters})",
        dtype=DTYPES,
        unless=is_steep,
        layout=LAYOUTS,
        values=VALUES,
        parameters={
            "": "",
            "weight": ", positive(5, dtype={dtype})",
            "bias": ", None, ordinary(5, dtype={dtype})",
            "both": ", stepped(ordinary(5, dtype={dtype})), ordinary(5, dtype={dtype})",
            "both-eps": ", positive(5, dtype={dtype}), ordinary(5, dtype={dtype}), 0.1",
        },
    )
)

# Whole vectors, parts of them, and one more: 4 float64, 8 float32, 16 of 16 bits.
LENGTHS = tuple(
    Row(
        f"layer_norm/{name}-{n}-{dtype}",
        f"F.layer_norm(ordinary(1, {n}, dtype={dtype}), ({n},){parameters})",
        backward=("input", "weight") if parameters else ("input",),
    )
    for n, dtype in (
        (1, "float32"),
        (7, "float64"),
        (9, "float32"),
        (18, "float32"),
        (9, "bfloat16"),
        (19, "float16"),
        (33, "bfloat16"),
    )
    for name, parameters in (("plain", ""), ("weight", f", positive({n}, dtype={dtype})"))
)

# 16-bit inputs with parameters of float32.
MIXED = tuple(
    Row(
        f"layer_norm/{dtype}-{name}-of-float32-{rows}x{n}",
        f"F.layer_norm(ordinary({rows}, {n}, dtype={dtype}), ({n},), {parameters.format(n)})",
        backward=(),
    )
    for dtype in ("float16", "bfloat16")
    for name, parameters in (
        ("weight", "ordinary({0})"),
        ("both", "ordinary({0}), positive({0})"),
    )
    for rows, n in ((3, 3), (1, 11), (1, 18))
    if name == "weight" or n < 18
)

NORMS = (
    Row("layer_norm/two-dims", "F.layer_norm(ordinary(2, 2, 3), (2, 3))", backward=()),
    Row(
        "layer_norm/two-dims-both",
        "F.layer_norm(transposed(ordinary(2, 2, 3)), (2, 3), ordinary(2, 3), ordinary(2, 3))",
        backward=(),
    ),
    Row("layer_norm/everything", "F.layer_norm(a, (2, 3), eps=0.0)", backward=()),
    Row("layer_norm/constant-rows", "F.layer_norm(torch.ones(2, 4), (4,), eps=0.0)", backward=()),
    Row("layer_norm/nan", "F.layer_norm(nan_last(2, 3), (3,), positive(3))", backward=()),
    Row("layer_norm/infinity", "F.layer_norm(plus_infinity(2, 3), (3,))", backward=()),
    Row(
        "layer_norm/no-rows",
        "F.layer_norm(torch.zeros(0, 3), (3,), positive(3), ordinary(3))",
        backward=(),
    ),
    Row(
        "layer_norm/bias-of-float32-beside-float16",
        "F.layer_norm(ordinary(2, 3, dtype=float16), (3,), None, ordinary(3))",
        backward=("input", "bias"),
    ),
    Row("layer_norm/weight-alone", "F.layer_norm(a, (3,), positive(3))", backward=("weight",)),
    Row(
        "layer_norm/bias-alone",
        "F.layer_norm(a, (3,), positive(3), ordinary(3))",
        backward=("bias",),
    ),
    Row(
        "layer_norm/many-rows-of-bfloat16",
        "F.layer_norm(ordinary(9, 2, dtype=bfloat16), (2,), positive(2, dtype=bfloat16),"
        " ordinary(2, dtype=bfloat16))",
        backward=(),
    ),
)

RMS_NORM = (
    *differentiable(
        cross(
            "rms_norm",
            "F.rms_norm({layout}({values}(2, 5, dtype={dtype})), (5,){parameters})",
            unless=is_steep,
            dtype=DTYPES,
            layout=LAYOUTS,
            values=VALUES,
            parameters={
                "": "",
                "weight": ", positive(5, dtype={dtype})",
                "stepped-weight-eps": ", stepped(ordinary(5, dtype={dtype})), 0.1",
            },
        )
    ),
    Row("rms_norm/two-dims", "F.rms_norm(ordinary(2, 2, 3), (2, 3), ordinary(2, 3))", backward=()),
    Row("rms_norm/permuted-17", "F.rms_norm(permuted(ordinary(2, 17)), (17,))", backward=()),
    Row("rms_norm/zeros", "F.rms_norm(torch.zeros(2, 3), (3,), positive(3))", backward=()),
    Row("rms_norm/nan", "F.rms_norm(nan_last(2, 3), (3,))", backward=()),
    Row("rms_norm/one-element", "F.rms_norm(ordinary(3, 1), (1,))", backward=()),
    Row("rms_norm/no-rows", "F.rms_norm(torch.zeros(0, 3), (3,), positive(3))", backward=()),
    Row("rms_norm/weight-alone", "F.rms_norm(a, (3,), positive(3))", backward=("weight",)),
    *(
        Row(
            f"rms_norm/{dtype}-weight-of-{other}",
            f"F.rms_norm(ordinary(2, 3, dtype={dtype}), (3,), positive(3, dtype={other}))",
            backward=(),
        )
        for dtype, other in (
            ("float16", "float32"),
            ("bfloat16", "float64"),
            ("float32", "float64"),
            ("float32", "float16"),
            ("float16", "bfloat16"),
        )
    ),
)

NORMALIZE = differentiable(
    cross(
        "normalize",
        "F.normalize({layout}({values}(2, 3, dtype={dtype})){arguments})",
        unless=is_steep,
        values=named("ordinary positive cancelling"),
        dtype=DTYPES,
        layout=LAYOUTS,
        arguments={
            "": "",
            "p1": ", p=1.0",
            "p3-dim0": ", p=3.0, dim=0",
            "inf": ", p=inf",
            "eps": ", eps=10.0",
        },
    )
) + tuple(
    Row(f"normalize/{name}", f"F.normalize({arguments})", backward=())
    for name, arguments in (
        ("p0", "a, p=0.0"),
        ("ties", "ties(2, 3)"),
        ("zeros", "torch.zeros(2, 3)"),
        ("zeros-p1", "torch.zeros(2, 3), p=1.0"),
        ("nan", "nan_last(2, 3)"),
        ("infinity", "plus_infinity(2, 3)"),
        ("middle", "ordinary(2, 3, 2), dim=1"),
        ("length-9", "ordinary(1, 9)"),
        ("one-element", "ordinary(3, 1)"),
    )
)

DROPOUT = tuple(
    Row(f"dropout/{name}", f"F.dropout({arguments})", backward=())
    for name, arguments in (
        ("evaluation-float64", "ordinary(2, 3, dtype=float64), training=False"),
        ("evaluation-float32", "transposed(ordinary(2, 3)), 0.9, training=False"),
        ("evaluation-float16", "ordinary(3, dtype=float16), 0.25, False"),
        ("evaluation-bfloat16", "ordinary(3, dtype=bfloat16), training=False"),
        ("evaluation-certain", "row(1.0, nan, inf), 1.0, False"),
        ("evaluation-empty", "torch.zeros(0, 3), training=False"),
    )
)

ROWS = (*LAYER_NORM, *LENGTHS, *MIXED, *NORMS, *RMS_NORM, *NORMALIZE, *DROPOUT)

SUITE = parity.suite.Suite("grad_layers", "python/grad_layers.py", ROWS, namespace)
