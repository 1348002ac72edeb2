"""Suite `arithmetic`: `add`, `sub`, `rsub`, `mul`, `div`, `floor_divide`, `remainder`, `fmod`.

The whole promotion table for `add`, `mul` and `div`; numbers and tensors without dimensions as
operands; special values and extremes against each other; lengths around PyTorch's vectors where
its vector code gives other bits than its scalar code. Run
`python/generate.py --only arithmetic`.
"""

from typing import Any

import parity.suite
from parity import operands, tensors
from parity.cross import cross, named
from parity.operands import BROADCASTS, DTYPES, FLOATING, INTEGRAL, NUMBERS, ZERO_D, grids, pairs
from parity.suite import Row


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | operands.namespace()


OPS = ("add", "sub", "mul", "div", "floor_divide", "remainder", "fmod")

# Calls that are ops of their own as far as their semantics go: id, op, template.
FORMS = (
    *((op, op, f"torch.{op}({{0}}, {{1}})") for op in (*OPS, "rsub")),
    ("floor", "div", "torch.div({0}, {1}, rounding_mode='floor')"),
    ("trunc", "div", "torch.div({0}, {1}, rounding_mode='trunc')"),
)


def form(name: str) -> tuple[str, str]:
    """A form's op and template by its id."""
    return next((op, template) for label, op, template in FORMS if label == name)


def _prefixed(name: str, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Rows of a form of an op, told apart from those of the op itself."""
    op, _ = form(name)
    if op == name:
        return rows
    return tuple(Row(row.tail.replace("/", f"/{name}-", 1), row.expression) for row in rows)


PROMOTION = tuple(
    row
    for name, op, template in FORMS
    for row in _prefixed(
        name,
        pairs(
            op,
            template.format("few({0})", "fewer({1})"),
            sparse=name not in ("add", "mul", "div"),
        ),
    )
)

# Numbers and tensors without dimensions for the ops that treat them as `add` or `mul` does.
_FEWER = operands.some(NUMBERS, "true", "minus3", "0.5") | operands.some(
    ZERO_D, "0d-float64", "0d-int64", "0d-uint32"
)

WITH_NUMBERS = (
    *(
        row
        for name, op, template in FORMS
        if name != "floor"
        for row in _prefixed(
            name,
            cross(
                op,
                template.format("few({dtype})", "{other}"),
                dtype=named(DTYPES),
                other=NUMBERS | ZERO_D if name in ("add", "mul") else _FEWER,
            ),
        )
    ),
    *(
        row
        for name in ("add", "sub", "mul", "div", "floor_divide", "remainder")
        for row in cross(
            name,
            f"torch.{name}({{other}}, few({{dtype}}))",
            prefix="first",
            dtype=named("float64 float32 bfloat16 int64 int8 uint8 bool uint32"),
            other=operands.some(NUMBERS, "true", "0.1")
            | operands.some(ZERO_D, "0d-float64", "0d-int64"),
        )
    ),
    *(
        Row(f"{op}/operator-{dtype}", f"few({dtype}) {symbol} fewer({dtype})")
        for op, symbol in {
            "add": "+",
            "sub": "-",
            "mul": "*",
            "div": "/",
            "floor_divide": "//",
            "remainder": "%",
        }.items()
        for dtype in ("float32", "int8", "bool", "uint32")
    ),
    *(
        Row(f"{op}/number-{symbol_name}-{dtype}", f"7 {symbol} few({dtype})")
        for op, symbol_name, symbol in (
            ("add", "plus", "+"),
            ("rsub", "minus", "-"),
            ("mul", "times", "*"),
            ("floor_divide", "over", "//"),
            ("remainder", "modulo", "%"),
        )
        for dtype in ("float32", "bfloat16", "int16", "uint8", "bool")
    ),
)

# A number, or one element, beside a 16-bit tensor: it is rounded to 16 bits for some ops, and
# for others only where it stands first.
_SINGLE = {
    "number": "0.0754",
    "large": "2049.7",
    "0d-float32": "torch.tensor(0.0754)",
    "0d-same": "torch.tensor(0.0754, dtype={dtype})",
    "0d-int64": "torch.tensor(2049)",
    "one-int64": "row(2049, dtype=int64)",
    "one-same": "row(0.0754, dtype={dtype})",
    "expanded": "row(0.0754, dtype={dtype}).expand(20)",
    "expanded-int8": "row(7, dtype=int8).expand(20)",
}

ONE_ELEMENT = tuple(
    row
    for name in ("add", "mul", "div", "floor", "trunc", "remainder", "fmod")
    for op, template in (form(name),)
    for row in _prefixed(
        name,
        cross(
            op,
            template.format("{one}", "{two}").replace("{one}, {two}", "{operands}"),
            prefix="single",
            dtype=named("float16 bfloat16"),
            other=_SINGLE
            if name in ("mul", "div", "floor", "trunc")
            else operands.some(_SINGLE, "number", "0d-float32"),
            operands={"": "tens(20, {dtype}), {other}", "swapped": "{other}, tens(20, {dtype})"},
            # PyTorch takes a number in the first place for some of them only.
            unless=lambda labels: (
                labels.get("other") in ("number", "large") and labels.get("operands") == "swapped"
            ),
        ),
    )
)

SPECIAL = (
    *(
        row
        for name, op, template in FORMS
        if name not in ("sub", "floor_divide")
        for row in _prefixed(name, grids(op, template, FLOATING))
    ),
    *(
        row
        for name in ("add", "sub", "rsub", "mul", "div")
        for row in grids(*form(name), f"{INTEGRAL} uint32 bool")
    ),
    *(
        row
        for name in ("floor_divide", "remainder", "fmod", "floor", "trunc")
        for op, template in (form(name),)
        for row in _prefixed(
            name,
            tuple(
                Row(
                    f"{op}/grid-{dtype}",
                    template.format(f"column(extremes({dtype}))", f"divisors({dtype})"),
                )
                for dtype in (*INTEGRAL.split(), "uint32", "bool")
            ),
        )
    ),
    *(
        Row(
            f"{op}/signs-{name}-{dtype}",
            template.format(f"column(ramp(9, {dtype}))", f"divisors_near_zero({dtype})"),
        )
        for name, op, template in FORMS
        if name in ("floor_divide", "remainder", "fmod", "trunc")
        for dtype in INTEGRAL.split()
    ),
)

ZERO_DIVISION = tuple(
    Row(f"{op}/{name}-{what}", template.format(*arguments))
    for name, op, template in FORMS
    if name in ("div", "floor_divide", "remainder", "fmod", "floor", "trunc")
    for what, arguments in {
        "int32-by-zero": ("few(int32)", "0"),
        "uint8-by-zero-tensor": ("few(uint8)", "row(1, 0, 2, dtype=uint8)"),
        "int64-by-false": ("few(int64)", "few(bool)"),
        "int16-by-0d-zero": ("few(int16)", "torch.tensor(0)"),
        "bool-by-zero": ("few(bool)", "0"),
        "empty-int32-by-zero": ("torch.zeros(0, dtype=int32)", "0"),
        "float32-by-zero": ("few(float32)", "0"),
        "float32-by-minus-zero": ("few(float32)", "-0.0"),
        "uint32-by-zero": ("few(uint32)", "0"),
        "zero-by-zero": ("row(0.0, -0.0)", "row(0.0, 0.0)"),
    }.items()
)

_ALPHAS = {
    "2": "2",
    "minus2": "-2",
    "0.3": "0.3",
    "minus2.7": "-2.7",
    "0": "0",
    "true": "True",
    "false": "False",
    "128": "128",
    "minus128": "-128",
    "300": "300",
    "minus300": "-300",
    "2to31": "2**31",
    "minus-2to63": "-2**63",
    "70000": "70000",
    "1e39": "1e39",
    "inf": "inf",
    "nan": "nan",
}

ALPHA = (
    *(
        row
        for op in ("add", "sub", "rsub")
        for row in cross(
            op,
            f"torch.{op}(few({{dtype}}), {{other}}, alpha={{alpha}})",
            prefix="alpha",
            dtype=named(
                "float64 float32 float16 bfloat16 int64 int32 int8 uint8 bool uint32"
                if op == "add"
                else "float32 float16 int64 int8 uint8 bool uint32"
            ),
            alpha=_ALPHAS
            if op == "add"
            else operands.some(
                _ALPHAS,
                "2",
                "minus2.7",
                "true",
                "128",
                "minus128",
                "minus300",
                "minus-2to63",
                "1e39",
            ),
            other={"": "fewer({dtype})", "number": "3", "bools": "fewer(bool)"},
        )
    ),
    *(
        Row(
            f"{op}/long-alpha-{alpha}-{n}-{dtype}",
            f"torch.{op}(waves(1, {n}, {dtype}), waves(2, {n}, {dtype}), alpha={alpha})",
        )
        for op in ("add", "sub")
        for dtype, lengths in {
            "float64": (7, 11),
            "float32": (15, 23),
            "float16": (31, 47),
            "bfloat16": (31, 47),
        }.items()
        for n in lengths
        for alpha in ("0.3", "-2.7")
        if op == "add" or (n in (23, 47) and alpha == "0.3")
    ),
    *(
        Row(
            f"add/alpha-{layout}-{dtype}",
            f"torch.add({layout}(waves(1, 40, {dtype})), waves(2, 40, {dtype}), alpha=0.3)",
        )
        for layout in ("narrowed", "stepped", "expanded")
        for dtype in FLOATING.split()
    ),
    *(
        Row(f"add/alpha-{what}-{dtype}", f"torch.add({call.format(dtype)}, alpha=0.3)")
        for dtype in ("float16", "bfloat16")
        for what, call in {
            "rows": "waves(1, 66, {0}).reshape(2, 33), waves(2, 33, {0})",
            "columns": "waves(1, 66, {0}).reshape(2, 33), waves(2, 2, {0}).reshape(2, 1)",
            "transposed": "waves(1, 66, {0}).reshape(2, 33).t(), waves(2, 66, {0}).reshape(33, 2)",
            "both-transposed": "waves(1, 66, {0}).reshape(2, 33).t(), "
            "waves(2, 66, {0}).reshape(2, 33).t()",
            "0d": "waves(1, 33, {0}), torch.tensor(0.7)",
            "number": "waves(1, 33, {0}), 0.7",
            "0d-first": "torch.tensor(0.7), waves(1, 33, {0})",
            "other-dtype": "waves(1, 33, {0}), ramp(33, int8)",
        }.items()
    ),
    # Beside an operand that stands still, the compiler takes the product out of its own loop.
    *(
        Row(f"{op}/alpha-{what}-{n}-{dtype}", f"torch.{op}({call.format(n, dtype)}, alpha=0.3)")
        for op, what, call in (
            ("add", "still", "waves(1, {0}, {1}), torch.tensor(0.7)"),
            ("add", "still-first", "torch.tensor(0.7), waves(1, {0}, {1})"),
            ("add", "still-stepped", "stepped(waves(1, {0}, {1})), torch.tensor(0.7)"),
            (
                "sub",
                "still-columns",
                "waves(1, 2 * {0}, {1}).reshape(2, {0}), waves(2, 2, {1})[:, None]",
            ),
            ("rsub", "still-number", "torch.tensor(0.7), waves(1, {0}, {1})"),
        )
        for dtype, lengths in {"float64": (3, 4, 15), "float32": (5, 8, 23)}.items()
        for n in lengths
    ),
    Row(
        "add/alpha-fused-where-the-product-overflows",
        "torch.add(torch.full((33,), -2.0**127, dtype=bfloat16), torch.full((33,), "
        "2.0**64, dtype=bfloat16), alpha=2.0**64)",
    ),
    Row("add/alpha-bool-and-bool-false", "torch.add(few(bool), fewer(bool), alpha=False)"),
    Row("add/alpha-bool-and-bool-zero", "torch.add(few(bool), fewer(bool), alpha=0)"),
    Row("add/alpha-uint32-1.5", "torch.add(few(uint32), 1, alpha=1.5)"),
    Row(
        "add/alpha-empty-float16-70000", "torch.add(torch.zeros(0, dtype=float16), 1, alpha=70000)"
    ),
    Row("sub/alpha-1.5-of-int-and-float", "torch.sub(few(int32), fewer(float32), alpha=1.5)"),
    Row("sub/alpha-true-and-shapes-differ", "torch.sub(few(int32), row(1, 2), alpha=True)"),
    Row("sub/alpha-in-place", "few(float32).sub_(fewer(float32), alpha=2)"),
)

# Where the quotient overflows, the vector code of these two gives NaN.
OVERFLOW = (
    *(
        Row(
            f"{op}/{name}-overflow-{n}-{dtype}",
            template.format(
                f"torch.full(({n},), {a}, dtype={dtype})", f"torch.full(({n},), {b}, dtype={dtype})"
            ),
        )
        for name, op, template in FORMS
        if name in ("remainder", "fmod", "floor", "trunc")
        for dtype, lengths, a, b in (
            ("float64", (7, 8, 9, 17), 1e200, -1e-200),
            ("float32", (1, 15, 16, 17, 31, 33), -3e38, 0.1),
            ("bfloat16", (31, 32, 33), 1e30, -1e-30),
            ("float16", (33,), 60000.0, 6e-8),
        )
        for n in lengths
    ),
    *(
        Row(f"{op}/overflow-{what}", f"torch.{op}({call})")
        for op in ("fmod", "remainder")
        for what, call in {
            "stepped": "stepped(torch.full((17,), 3e38)), torch.full((17,), 0.1)",
            "number": "torch.full((17,), 3e38), 0.1",
            "0d-first": "torch.tensor(3e38), torch.full((17,), 0.1)",
            "rows": "torch.full((2, 17), 3e38), torch.full((17,), 0.1)",
            "columns": "torch.full((2, 17), 3e38), torch.full((2, 1), 0.1)",
            "subnormal-divisor": "torch.full((17,), 1.0), torch.full((17,), 1e-45)",
            "subnormal-both": "torch.full((17,), 5e-45), torch.full((17,), 3e-45)",
            "just-fits": "torch.full((17,), 3.4e38), torch.full((17,), 1.01)",
            "just-overflows": "torch.full((17,), 3.4e38), torch.full((17,), 0.99)",
            "below-twice": "torch.full((17,), 3.4e38), torch.full((17,), 3e38)",
            "infinite": "torch.full((17,), inf), torch.full((17,), 2.0)",
            "by-infinite": "torch.full((17,), -3.0), torch.full((17,), inf)",
            "by-zero": "torch.full((17,), 3.0), torch.full((17,), -0.0)",
            "nan": "torch.full((17,), nan), torch.full((17,), 2.0)",
        }.items()
        if op == "fmod" or what in ("stepped", "columns", "by-infinite", "just-overflows")
    ),
)

LONG = tuple(
    Row(
        f"{op}/long-{name}-{dtype}",
        template.format(f"tens({n}, {dtype})", f"waves(2, {n}, {dtype})"),
    )
    for name, op, template in FORMS
    if name not in ("sub", "rsub", "floor_divide")
    for dtype, n in operands.LONG.items()
)

LAYOUTS = (
    *(
        row
        for name, op, template in FORMS
        if name in ("add", "rsub", "div", "floor", "remainder")
        for row in _prefixed(
            name,
            cross(
                op,
                template.format("{layout}(square({dtype}))", "{layout2}(nonzero({dtype}).t())"),
                prefix="layouts",
                dtype=named("float32 float16 int32 uint8"),
                layout=named("contiguous transposed narrowed stepped expanded"),
                layout2=named("contiguous transposed narrowed stepped expanded"),
            ),
        )
    ),
    *(
        Row(f"{op}/{name}-shapes-{shapes}", template.format(one, two).format("float32"))
        for name, op, template in FORMS
        if name in ("add", "rsub", "mul", "div", "floor")
        for shapes, (one, two) in BROADCASTS.items()
    ),
)

CHECKS = (
    Row("div/mode-none", "torch.div(few(int8), fewer(int8), rounding_mode=None)"),
    Row("div/mode-unknown", "torch.div(few(float32), 2, rounding_mode='up')"),
    Row(
        "div/mode-unknown-and-shapes-differ",
        "torch.div(row(1, 2), row(1, 2, 3), rounding_mode='true')",
    ),
    Row("div/mode-unknown-uint32", "torch.div(few(uint32), few(int32), rounding_mode='')"),
    *(
        Row(f"{op}/{name}-{what}", template.format(*arguments))
        for name, op, template in FORMS
        for what, arguments in {
            "shapes-differ": ("row(1, 2)", "row(1, 2, 3)"),
            "shapes-differ-and-uint32": ("row(1, 2, dtype=uint32)", "row(1, 2, 3, dtype=int32)"),
            "bool-shapes-differ": ("few(bool)", "row(1, 0, dtype=bool)"),
            "empty-uint32": ("torch.zeros(0, dtype=uint32)", "torch.zeros(0, dtype=uint32)"),
            "empty-bool": ("torch.zeros(0, dtype=bool)", "torch.zeros(0, dtype=bool)"),
            "empty-float16": ("torch.zeros(2, 0, dtype=float16)", "torch.zeros(1, dtype=float16)"),
            "0d-0d": ("torch.tensor(7)", "torch.tensor(-2.0)"),
            "0d-number": ("torch.tensor(7, dtype=int8)", "-2"),
        }.items()
    ),
    *(Row(f"{op}/in-place", f"few(float32).{op}_(fewer(float32))") for op in OPS),
    *(Row(f"{op}/in-place-number", f"few(int32).{op}_(3)") for op in OPS if op != "div"),
    Row("div/in-place-floor", "few(int32).div_(3, rounding_mode='floor')"),
    *(
        Row(f"{alias}/alias", f"torch.{alias}(few(float32), fewer(float32))")
        for alias in ("subtract", "multiply", "divide", "true_divide")
    ),
)

ROWS = (
    *PROMOTION,
    *WITH_NUMBERS,
    *ONE_ELEMENT,
    *SPECIAL,
    *ZERO_DIVISION,
    *ALPHA,
    *OVERFLOW,
    *LONG,
    *LAYOUTS,
    *CHECKS,
)

SUITE = parity.suite.Suite("arithmetic", "python/arithmetic.py", ROWS, namespace)
