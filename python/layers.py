"""Rows of suite `loss` that are of layers: normalising ones, dropout, and attention.

Their names are those of `loss.namespace`.
"""

from parity.cross import cross, named
from parity.suite import Row

FLOATS = named("float64 float32 float16 bfloat16")
VALUES = named("ordinary cancelling large tiny zeros ties nan_middle infinities")
FEW_VALUES = named("ordinary cancelling nan_middle")
LAYOUTS = named("contiguous transposed permuted narrowed stepped expanded")

PARAMETERS = {
    "plain": "",
    "scaled": ", weight=positive({n}, dtype={dtype})",
    "shifted": ", bias=ordinary({n}, dtype={dtype})",
    "both": ", weight=ordinary({n}, dtype={dtype}), bias=positive({n}, dtype={dtype})",
    "wide": ", weight=positive({n}), bias=ordinary({n})",
}

LAYER_NORM = tuple(
    row
    for parameters, given in PARAMETERS.items()
    for row in cross(
        "layer_norm",
        "F.layer_norm({layout}({values}(2, 19, dtype={dtype})), (19,)"
        + given.replace("{n}", "19")
        + ")",
        prefix=parameters,
        dtype=named("float16 bfloat16") if parameters == "wide" else FLOATS,
        layout=named("contiguous transposed stepped expanded"),
        values=VALUES if parameters == "plain" else FEW_VALUES,
    )
)

# Around the sizes of a vector (4, 8, 16 elements), a chunk (16 vectors) and two of them.
LONG_LAYER_NORM = tuple(
    Row(
        f"layer_norm/{values}-{n}-{dtype}",
        f"F.layer_norm({values}(1, {n}, dtype={dtype}), ({n},))",
    )
    for dtype, lengths in (
        ("float64", (1, 3, 5, 65, 130, 200)),
        ("float32", (1, 7, 9, 129, 260, 400)),
        ("float16", (1, 15, 17, 31, 257, 403)),
        ("bfloat16", (1, 15, 17, 257)),
    )
    for n in lengths
    for values in ("ordinary",)
)

LAYER_NORM_CHECKS = tuple(
    Row(f"layer_norm/{special}", f"F.layer_norm({arguments})")
    for special, arguments in (
        ("worked", "a, (3,)"),
        ("worked-both", "a, (3,), w, w - 1"),
        ("two-dims", "a, (2, 3)"),
        ("two-dims-of-three", "ordinary(2, 3, 5), (3, 5), positive(3, 5), ordinary(3, 5)"),
        ("two-dims-permuted", "permuted(ordinary(4, 3, 5)), (3, 5)"),
        ("list", "a, [3]"),
        ("one-element", "a[:, :1], (1,)"),
        ("constant", "torch.ones(2, 9), (9,)"),
        ("constant-large", "torch.full((2, 20), 1e4), (20,)"),
        ("offset", "ordinary(2, 40) + 4096, (40,)"),
        ("eps", "a, (3,), eps=0.5"),
        ("eps-zero", "torch.ones(1, 4), (4,), eps=0.0"),
        ("eps-negative", "a, (3,), eps=-1.0"),
        ("eps-int", "a, (3,), eps=1"),
        ("eps-tiny-float16", "a.half(), (3,), eps=1e-9"),
        ("minus-zeros", "row(-0.0, -0.0, 0.0).reshape(1, 3), (3,)"),
        ("no-shape", "a, ()"),
        ("no-shape-weight", "a, (), w"),
        ("wrong-shape", "a, (2,)"),
        ("more-dims", "a, (3, 2, 3)"),
        ("negative-shape", "a, (-3,)"),
        ("scalar", "a[0, 0], (1,)"),
        ("weight-too-short", "a, (3,), w[:2]"),
        ("weight-before-input", "a, (2,), w"),
        ("weight-matrix", "a, (3,), w.reshape(1, 3)"),
        ("bias-too-short", "a, (3,), None, w[:2]"),
        ("weight-before-bias", "a, (3,), w[:1], w[:2]"),
        ("weight-float64", "a, (3,), w.double()"),
        ("weight-float16", "a, (3,), w.half()"),
        ("weight-int64", "a, (3,), w.long()"),
        ("bias-float64", "a, (3,), None, w.double()"),
        ("weight-and-bias-float64", "a, (3,), w, w.double()"),
        ("float64-weight-float32", "a.double(), (3,), w"),
        ("float64-weight-float16", "a.double(), (3,), w.half()"),
        ("float16-weight-float32", "a.half(), (3,), w"),
        ("float16-bias-float32", "a.half(), (3,), None, w"),
        ("float16-mixed-parameters", "a.half(), (3,), w, w.half()"),
        ("float16-mixed-parameters-2", "a.half(), (3,), w.half(), w"),
        ("float16-weight-float64", "a.half(), (3,), w.double()"),
        ("bfloat16-weight-float16", "a.bfloat16(), (3,), w.half()"),
        ("int64", "i, (3,)"),
        ("int64-weight-float32", "i, (3,), w"),
        ("int64-weight-int64", "i, (3,), w.long()"),
        ("bool", "mask, (3,)"),
        ("uint32", "u, (3,)"),
        ("int64-wrong-shape", "i, (2,)"),
        ("empty", "none, (3,)"),
        ("empty-int64", "none.long(), (3,)"),
        ("empty-weight-float64", "none, (3,), w.double()"),
        ("rows-of-nothing", "a[:, :0], (0,)"),
        ("rows-of-nothing-weight", "a[:, :0], (0,), w[:0], w[:0]"),
    )
)

RMS_NORM = tuple(
    row
    for parameters, weight in (
        ("plain", ""),
        ("scaled", ", positive(11, dtype={dtype})"),
        ("float64", ", positive(11, dtype=float64)"),
        ("int64", ", ordinary(11, dtype=int64)"),
    )
    for row in cross(
        "rms_norm",
        "F.rms_norm({layout}({values}(2, 11, dtype={dtype})), (11,)" + weight + ")",
        prefix=parameters,
        dtype=FLOATS,
        layout=named("contiguous transposed stepped expanded"),
        values=VALUES if parameters == "plain" else FEW_VALUES,
    )
)
RMS_NORM_CHECKS = tuple(
    Row(f"rms_norm/{special}", f"F.rms_norm({arguments})")
    for special, arguments in (
        ("worked", "a, (3,)"),
        ("worked-weight", "a, (3,), w"),
        ("two-dims", "a, (2, 3)"),
        ("two-dims-permuted", "permuted(ordinary(4, 3, 5)), (3, 5), ordinary(3, 5)"),
        ("long", "shares(1, 300), (300,)"),
        ("long-transposed", "shares(40, 9).t(), (40,)"),
        ("long-float16", "shares(1, 300, dtype=float16), (300,)"),
        ("zeros", "torch.zeros(1, 4), (4,)"),
        ("eps", "a, (3,), eps=0.5"),
        ("eps-int", "a, (3,), eps=1"),
        ("eps-zero", "torch.zeros(1, 4), (4,), eps=0.0"),
        ("eps-negative", "a, (3,), eps=-1.0"),
        ("eps-tiny-float16", "a.half(), (3,), eps=1e-50"),
        ("no-shape", "a, ()"),
        ("wrong-shape", "a, (2,)"),
        ("wrong-shape-2", "ordinary(2, 3, 5), (5, 3)"),
        ("more-dims", "a, (3, 2, 3)"),
        ("scalar", "a[0, 0], (1,)"),
        ("weight-too-short", "a, (3,), w[:2]"),
        ("weight-before-input", "a, (2,), w"),
        *(
            (f"weight-{dtype}", f"a, (3,), w.to({dtype})")
            for dtype in (
                "float64",
                "float16",
                "bfloat16",
                "int64",
                "int32",
                "int16",
                "int8",
                "uint8",
                "uint32",
                "bool",
            )
        ),
        ("float64-weight-float32", "a.double(), (3,), w"),
        ("float16-weight-bfloat16", "a.half(), (3,), w.bfloat16()"),
        ("float16-weight-float64", "a.half(), (3,), w.double() / 3"),
        ("int64", "i, (3,)"),
        ("int64-weight-float32", "i, (3,), w"),
        ("bool", "mask, (3,)"),
        ("uint32", "u, (3,)"),
        ("empty", "none, (3,)"),
        ("rows-of-nothing", "a[:, :0], (0,)"),
    )
)

NORMALIZE = cross(
    "normalize",
    "F.normalize({layout}({values}(3, 9, dtype={dtype})){arguments})",
    dtype=FLOATS,
    layout=LAYOUTS,
    values=VALUES,
    arguments={
        "": "",
        "dim0": ", dim=0",
        "dim-1": ", dim=-1",
        "p1": ", p=1",
        "p-inf": ", p=inf",
        "p0": ", p=0",
        "p1-dim0": ", p=1.0, dim=0",
        "eps": ", eps=2.0",
    },
)
NORMALIZE_CHECKS = tuple(
    Row(f"normalize/{special}", f"F.normalize({arguments})")
    for special, arguments in (
        ("worked", "a"),
        ("dim2", "a, dim=2"),
        ("vector", "a[0]"),
        ("vector-dim0", "a[0], dim=0"),
        ("scalar-dim0", "a[0, 0], dim=0"),
        ("two-dims", "a, dim=(0, 1)"),
        ("zeros", "torch.zeros(2, 3)"),
        ("eps-float16", "torch.zeros(2, 3).half()"),
        ("eps-above", "a, eps=100.0"),
        ("int64", "i"),
        ("bool", "mask"),
        ("uint32", "u"),
        ("empty", "none"),
        ("rows-of-nothing", "a[:, :0]"),
        ("rows-of-nothing-p-inf", "a[:, :0], p=inf"),
        ("p-minus-inf", "a, p=-inf"),
        ("p3", "a, p=3"),
        ("p-half", "a, p=0.5"),
        ("cube", "ordinary(2, 3, 5), dim=1"),
    )
)

DROPOUT = tuple(
    Row(f"dropout/{special}", f"F.dropout({arguments})")
    for special, arguments in (
        ("p-0", "a, 0.0"),
        ("p-int-0", "i, 0"),
        ("no-training", "b, 0.5, False"),
        ("no-training-p-1", "b, 1.0, training=False"),
        ("no-training-default-p", "b, training=False"),
        ("no-training-transposed", "b.t(), training=False"),
        ("p-above-1", "a, 2.0, False"),
        ("p-above-1-int", "a, 2, False"),
        ("p-negative", "a, -0.125, False"),
        ("p-nan", "a, nan, False"),
        ("int64", "i, 0.5, False"),
        ("bool", "mask, 0.0"),
        ("uint32", "u, 0.0"),
        ("nan-and-minus-zero", "row(nan, -0.0, inf), 0.0"),
        ("float16", "a.half(), 0.0"),
        ("empty", "none, 0.0"),
        ("scalar", "a[0, 0], 0.0"),
    )
)

ATTENTION = (
    *cross(
        "scaled_dot_product_attention",
        "F.scaled_dot_product_attention({layout}(ordinary({queries}, dtype={dtype})), "
        "positive({keys}, dtype={dtype}), {layout}(ordinary({keys}, dtype={dtype})){mask})",
        dtype=FLOATS,
        layout=named("contiguous transposed"),
        queries={"2d": "3, 4", "3d": "2, 3, 4", "4d": "1, 2, 3, 4"},
        keys={"": "3, 4"},
        mask={
            "": "",
            "causal": ", is_causal=True",
            "bool": ", attn_mask=torch.ones(3, 3, dtype=bool).tril()",
            "added": ", attn_mask=ordinary(3, 3)",
            "scaled": ", scale=2.0",
        },
    ),
    *(
        Row(
            f"scaled_dot_product_attention/{special}",
            f"F.scaled_dot_product_attention({arguments})",
        )
        for special, arguments in (
            ("worked", "queries, keys, values"),
            ("row-of-nothing", "queries, keys, values, look"),
            ("row-of-minus-infinity", "queries, keys, values, look.float().log()"),
            ("causal-and-mask", "queries, keys, values, look, is_causal=True"),
            ("causal-more-keys", "queries, keys, values, is_causal=True"),
            ("mask-row", "queries, keys, values, look[0]"),
            ("mask-scalar", "queries, keys, values, torch.tensor(0.0)"),
            ("mask-per-batch", "queries, keys, values, look.expand(2, 3, 5)"),
            ("mask-does-not-fit", "queries, keys, values, look[:2]"),
            ("mask-of-other-batch", "queries, keys, values, look.expand(3, 3, 5)"),
            ("mask-does-not-fit-2d", "queries[0], keys[0], values[0], look[:2]"),
            ("mask-row-4d", "queries[None], keys[None], values[None], look[0]"),
            ("mask-scalar-4d", "queries[None], keys[None], values[None], torch.tensor(0.0)"),
            (
                "mask-row-4d-other-batch",
                "queries[:, None], keys[:1, None], values[:1, None], look[0]",
            ),
            (
                "mask-row-4d-no-keys",
                "queries[None], keys[None, :, :0], values[None, :, :0], look[0, :1]",
            ),
            ("mask-row-4d-no-queries", "queries[None, :, :0], keys[None], values[None], look[0]"),
            ("mask-row-4d-misfit", "queries[None], keys[None, ..., :3], values[None], look[0]"),
            (
                "mask-row-4d-int64",
                "queries[None].long(), keys[None].long(), values[None].long(), look[0]",
            ),
            (
                "mask-of-more-dimensions",
                "queries, keys, values, look[None, None].expand(1, 2, 3, 5)",
            ),
            ("mask-of-other-batch-4d", "queries, keys, values, look.expand(3, 1, 3, 5)"),
            ("mask-of-batch-2d", "queries[0], keys[0], values[0], look[None]"),
            ("mask-of-batch-mixed", "queries[0], keys, values, look.expand(3, 1, 3, 5)"),
            ("mask-does-not-fit-mixed", "queries[0], keys, values, look[:2]"),
            ("mask-of-values-batch", "queries[0], keys[0], values, look.expand(2, 3, 5)"),
            ("mask-does-not-fit-4d", "queries[None], keys[None], values[None], look[:, :4]"),
            ("mask-float64", "queries, keys, values, look.double()"),
            ("mask-float16", "queries, keys, values, look.half()"),
            ("mask-int64", "queries, keys, values, look.long()"),
            (
                "mask-float32-of-float64",
                "queries.double(), keys.double(), values.double(), look * 1.0",
            ),
            ("key-float64", "queries, keys.double(), values"),
            ("value-float16", "queries, keys, values.half()"),
            ("one-dim", "queries[0, 0], keys[0, 0], values[0, 0]"),
            ("key-too-narrow", "queries, keys[..., :3], values"),
            ("values-too-few", "queries, keys, values[:, :4]"),
            ("batch-broadcasts", "queries, keys[:1], values[:1]"),
            ("query-broadcasts", "queries[0], keys, values"),
            ("scale-0", "queries, keys, values, scale=0.0"),
            ("scale-negative", "queries, keys, values, scale=-1.0"),
            ("no-queries", "queries[:, :0], keys, values"),
            ("no-keys", "queries, keys[:, :0], values[:, :0]"),
            ("no-batch", "queries[:0], keys[:0], values[:0]"),
            ("nan", "queries * nan, keys, values"),
            ("one-key", "queries, keys[:, :1], values[:, :1]"),
        )
    ),
)
