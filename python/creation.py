"""Suite `creation`: tensors from sizes and numbers.

Most of these have no tensor input, so rows differ in numbers, dtypes and the kind of each
number. `arange` and `linspace` compute: in which type, from which end and in blocks of how
many elements shows in the last bit, so there are steps that are no binary fractions and
lengths around the vector width. Run `python/generate.py --only creation`.
"""

from collections.abc import Mapping

import parity.suite
from parity import tensors
from parity.suite import Row

FLOATS = "float64 float32 float16 bfloat16".split()
INTEGERS = "int64 int32 int16 int8 uint8 uint32".split()
DTYPES = [*FLOATS, *INTEGERS, "bool"]


def _each(op: str, calls: Mapping[str, str], dtypes: list[str]) -> tuple[Row, ...]:
    """Every call in every dtype."""
    return tuple(
        Row(f"{op}/{label}-{dtype}", call.format(dtype))
        for label, call in calls.items()
        for dtype in dtypes
    )


ARANGE = (
    Row("arange/end", "torch.arange(5)"),
    Row("arange/end-float", "torch.arange(5.0)"),
    Row("arange/end-float-between", "torch.arange(4.5)"),
    Row("arange/start-end", "torch.arange(2, 7)"),
    Row("arange/step", "torch.arange(0, 10, 3)"),
    Row("arange/step-negative", "torch.arange(5, 0, -1)"),
    Row("arange/step-negative-2", "torch.arange(7, -4, -2)"),
    Row("arange/nothing", "torch.arange(0)"),
    Row("arange/start-is-end", "torch.arange(3, 3)"),
    Row("arange/start-is-end-float", "torch.arange(3.0, 3.0, -0.5)"),
    Row("arange/tenths", "torch.arange(0, 1, 0.1)"),
    Row("arange/tenths-from-1", "torch.arange(1, 2, 0.1)"),
    Row("arange/tenths-keyword", "torch.arange(start=0.5, end=2.5, step=0.3)"),
    Row("arange/thirds-down", "torch.arange(1.0, -1.0, -1 / 3)"),
    Row("arange/end-excluded", "torch.arange(0.0, 0.3, 0.1)"),
    Row("arange/end-rounds-in", "torch.arange(1.0, 1.3, 0.1)"),
    Row("arange/int-start-float-step", "torch.arange(0, 3, 0.5)"),
    Row("arange/float-end-int-step", "torch.arange(0, 3.5, 1)"),
    Row("arange/float-step-int64", "torch.arange(0, 3, 0.5, dtype=int64)"),
    Row("arange/float-start-int64", "torch.arange(0.9, 4.2, 1, dtype=int64)"),
    Row("arange/float-ends-int32", "torch.arange(-2.7, 3.2, 1.5, dtype=int32)"),
    Row("arange/beyond-2-53", "torch.arange(2**53 - 1, 2**53 + 5)"),
    Row("arange/beyond-2-53-step", "torch.arange(2**53 + 1, 2**53 + 9, 3)"),
    Row("arange/near-largest", "torch.arange(2**63 - 4, 2**63 - 1)"),
    Row("arange/near-smallest", "torch.arange(-(2**63), -(2**63) + 3)"),
    Row("arange/step-2-62", "torch.arange(0, 2**63 - 1, 2**62)"),
    Row("arange/large-float32", "torch.arange(16777210.0, 16777226.0)"),
    Row("arange/large-float32-from-int", "torch.arange(16777217, 16777227, dtype=float32)"),
    Row("arange/tiny-step", "torch.arange(0.0, 1e-44, 1.5e-45)"),
    Row("arange/bool-numbers", "torch.arange(True)"),
    Row("arange/bool-start", "torch.arange(False, 3, True)"),
    Row("arange/int8-wraps", "torch.arange(125, 135, dtype=int8)"),
    Row("arange/uint8-wraps", "torch.arange(250, 260, dtype=uint8)"),
    Row("arange/uint8-negative", "torch.arange(-3, 3, dtype=uint8)"),
    Row("arange/int16-far", "torch.arange(0, 100000, 20000, dtype=int16)"),
    Row("arange/int8-from-float", "torch.arange(0.0, 5.0, 1.0, dtype=int8)"),
    Row("arange/float16-large", "torch.arange(2045, 2060, dtype=float16)"),
    Row("arange/bfloat16-large", "torch.arange(250, 270, dtype=bfloat16)"),
    Row("arange/float16-tenths", "torch.arange(0, 2, 0.1, dtype=float16)"),
    Row("arange/bfloat16-tenths", "torch.arange(-1, 1, 0.1, dtype=bfloat16)"),
    Row("arange/float16-past-largest", "torch.arange(65000, 66000, 250, dtype=float16)"),
    Row("arange/scalar-tensor", "torch.arange(torch.tensor(4))"),
    *(
        Row(f"arange/length-{n}-{dtype}", f"torch.arange({n}, dtype={dtype}) ")
        for n in (1, 7, 8, 9, 16, 17, 33, 40)
        for dtype in ("float32", "int64", "int8", "float16")
    ),
    *(
        Row(f"arange/step-{step}-length-{n}-{dtype}".replace("-0.", "-0p").replace("--", "-down-"),
            f"torch.arange(1, 1 + {step} * ({n} - 0.5), {step}, dtype={dtype})")
        for step in ("0.1", "-0.7", "0.3")
        for n in (3, 8, 9, 15, 17, 35)
        for dtype in FLOATS
    ),
    *_each("arange", {
        "plain": "torch.arange(1, 6, dtype={})",
        "step-2": "torch.arange(1, 12, 2, dtype={})",
        "down": "torch.arange(9, 1, -3, dtype={})",
    }, DTYPES),
    Row("arange/error-step-0", "torch.arange(0, 5, 0)"),
    Row("arange/error-step-0-float", "torch.arange(0.0, 5.0, 0.0)"),
    Row("arange/error-wrong-direction", "torch.arange(5, 0)"),
    Row("arange/error-wrong-direction-down", "torch.arange(0, 5, -1)"),
    Row("arange/error-negative-end", "torch.arange(-3)"),
    Row("arange/error-end-nan", "torch.arange(nan)"),
    Row("arange/error-end-infinite", "torch.arange(inf)"),
    Row("arange/error-start-infinite", "torch.arange(-inf, 0)"),
    Row("arange/error-step-nan", "torch.arange(0.0, 5.0, nan)"),
    Row("arange/step-infinite", "torch.arange(0.0, 5.0, inf)"),
    Row("arange/error-too-many", "torch.arange(0.0, 1e30, 1.0)"),
    Row("arange/error-infinite-int", "torch.arange(0, inf, dtype=int64)"),
    Row("arange/error-step-below-1-int64", "torch.arange(0, 1, 0.3, dtype=int64)"),
    *(
        Row(f"arange/error-{special}", f"torch.arange({arguments})")
        for special, arguments in (
            ("step-0-end-infinite", "0, inf, 0"),
            ("step-nan-end-infinite", "0, inf, nan"),
            ("step-minus-infinite", "0.0, 5.0, -inf"),
            ("range-1234567", "1234567.0, inf"),
            ("range-0.1-nan", "0.1, nan"),
            ("range-1e-5", "1e-5, inf"),
            ("range-123456", "123456.0, -inf"),
            ("range-1e300", "-1e300, inf"),
            ("range-0.3000001", "0.30000001, inf"),
            ("range-99999.95", "99999.95, nan"),
            ("range-999999.5", "999999.5, inf"),
            ("range-int", "-1234567, inf"),
            ("int32-too-many", "1e30, dtype=int32"),
            ("float16-too-many", "-1e20, 1, dtype=float16"),
            ("int64-too-many", "1e30, dtype=int64"),
            ("int64-step-too-large", "0, 1e30, 1e29, dtype=int64"),
            ("int8-step-too-large", "0, 1e30, 1e29, dtype=int8"),
            ("int64-start-too-large", "1e30, 1.5e30, 1e29, dtype=int64"),
            ("float16-step-too-large", "0, 1e40, 1e39, dtype=float16"),
            ("uint32-infinite", "inf, dtype=uint32"),
            ("bool-step-0", "0, 1, 0, dtype=bool"),
        )
    ),
    Row("arange/float32-overflows", "torch.arange(0, 1e39, 1e38)"),
    Row("arange/float16-overflows", "torch.arange(0, 1e39, 1e38, dtype=float16)"),
    Row("arange/float16-infinite-lanes", "torch.arange(0, 40 * 1e38, 1e38, dtype=float16)"),
    Row("arange/int32-wraps", "torch.arange(0, 3e9, 1e9, dtype=int32)"),
    Row("arange/int64-float-end", "torch.arange(0, 3.5, 1, dtype=int64)"),
    Row("arange/int64-float-step", "torch.arange(1.7, -3, -1.5, dtype=int64)"),
    Row("arange/int64-float-start", "torch.arange(0.5, 3.7, 1.2, dtype=int64)"),
    Row("arange/int32-half-steps", "torch.arange(0, -3, -0.5, dtype=int32)"),
    Row("arange/int64-bool-start", "torch.arange(True, 4, 2)"),
    Row("arange/int64-range-wraps", "torch.arange(-(2**63), 2**63 - 1, 2**61)"),
    Row("arange/int64-range-wraps-down", "torch.arange(2**62, -(2**62) - 1, -(2**61))"),
    Row("arange/float64-beyond-2-53", "torch.arange(2**53 - 2, 2**53 + 6, dtype=float64)"),
    Row("arange/int32-range-wide", "torch.arange(-(2**31), 2**31, 2**29, dtype=int32)"),
    Row("arange/error-direction-after-truncation", "torch.arange(0.5, -0.5, 1, dtype=int64)"),
)  # fmt: skip

LINSPACE = (
    Row("linspace/plain", "torch.linspace(0, 1, 5)"),
    Row("linspace/thirds", "torch.linspace(0, 1, 4)"),
    Row("linspace/down", "torch.linspace(1, -1, 7)"),
    Row("linspace/one", "torch.linspace(3, 10, 1)"),
    Row("linspace/two", "torch.linspace(3, 10, 2)"),
    Row("linspace/none", "torch.linspace(3, 10, 0)"),
    Row("linspace/start-is-end", "torch.linspace(2.5, 2.5, 4)"),
    Row("linspace/keywords", "torch.linspace(start=-3, end=10.5, steps=6)"),
    Row("linspace/tensor-ends", "torch.linspace(torch.tensor(0.0), torch.tensor(1.0), 5)"),
    Row("linspace/tensor-start", "torch.linspace(torch.tensor(1.0), 3, 4)"),
    Row("linspace/tensor-end", "torch.linspace(0, torch.tensor(2.0), 4)"),
    Row("linspace/tensor-int-ends", "torch.linspace(torch.tensor(0), torch.tensor(7), 4)"),
    Row("linspace/overflowing-range", "torch.linspace(-3e38, 3e38, 5)"),
    Row("linspace/infinite-end", "torch.linspace(0, inf, 5)"),
    Row("linspace/nan", "torch.linspace(nan, 1, 3)"),
    Row("linspace/huge-ints", "torch.linspace(2**62, 2**62 + 1000, 5, dtype=int64)"),
    Row("linspace/ints-thirds", "torch.linspace(0, 10, 4, dtype=int64)"),
    Row("linspace/ints-down", "torch.linspace(10, -10, 7, dtype=int32)"),
    Row("linspace/ints-fraction-ends", "torch.linspace(0.9, 5.9, 6, dtype=int64)"),
    Row("linspace/int8-down", "torch.linspace(100, -100, 9, dtype=int8)"),
    Row("linspace/uint8-down", "torch.linspace(200, 10, 6, dtype=uint8)"),
    Row("linspace/minus-zero", "torch.linspace(-0.0, -0.0, 3)"),
    *(
        Row(f"linspace/length-{n}-{dtype}", f"torch.linspace(-1, 2.3, {n}, dtype={dtype})")
        for n in (2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48)
        for dtype in FLOATS
    ),
    *(
        Row(f"linspace/tenths-{n}-{dtype}", f"torch.linspace(0.1, 0.7, {n}, dtype={dtype})")
        for n in (5, 10, 23, 64)
        for dtype in FLOATS
    ),
    *(
        Row(f"linspace/ints-{n}-{dtype}", f"torch.linspace(-50, 77, {n}, dtype={dtype})")
        for n in (6, 17, 33)
        for dtype in ("int64", "int32", "int16", "int8")
    ),
    *_each("linspace", {"dtype": "torch.linspace(1, 6, 4, dtype={})"}, DTYPES),
    *(
        Row(f"linspace/steps-{steps}-{dtype}", f"torch.linspace(1.5, 3, {steps}, dtype={dtype})")
        for steps in (0, 1)
        for dtype in ("uint32", "bool", "int8", "bfloat16")
    ),
    Row("linspace/one-overflowing-int8", "torch.linspace(300, 3, 1, dtype=int8)"),
    Row("linspace/one-overflowing-float16", "torch.linspace(1e6, 3, 1, dtype=float16)"),
    Row("linspace/none-overflowing", "torch.linspace(300, 3, 0, dtype=int8)"),
    Row("linspace/one-end-overflowing", "torch.linspace(3, 300, 1, dtype=int8)"),
    Row("linspace/infinite-end-int64", "torch.linspace(0, inf, 3, dtype=int64)"),
    Row("linspace/nan-end-int64", "torch.linspace(0, nan, 1, dtype=int64)"),
    Row("linspace/bools", "torch.linspace(False, True, 3)"),
    Row(
        "linspace/float64-tensor-ends",
        "torch.linspace(torch.tensor(0.1, dtype=float64), torch.tensor(1.0, dtype=float64), 4)",
    ),
    Row("linspace/error-both-vectors", "torch.linspace(torch.zeros(1), torch.zeros(2, 2), 3)"),
    Row("linspace/error-only-start-vector", "torch.linspace(torch.zeros(1), 2, 3)"),
    Row("linspace/error-vector-and-steps", "torch.linspace(torch.zeros(1), 2, -3)"),
    Row("linspace/error-steps-and-dtype", "torch.linspace(0, 2, -3, dtype=uint32)"),
    Row("linspace/full-int64-range", "torch.linspace(-(2**63), 2**63 - 1, 4, dtype=int64)"),
    Row("linspace/full-int8-range", "torch.linspace(-128, 127, 7, dtype=int8)"),
    Row("linspace/full-int32-range", "torch.linspace(-(2**31), 2**31 - 1, 9, dtype=int32)"),
    Row("linspace/error-negative-steps", "torch.linspace(0, 1, -1)"),
    Row("linspace/error-start-vector", "torch.linspace(torch.zeros(2), torch.tensor(1.0), 3)"),
    Row("linspace/error-end-vector", "torch.linspace(0, torch.zeros(1), 3)"),
    Row("linspace/int8-overflowing-end", "torch.linspace(0, 300, 4, dtype=int8)"),
    Row("linspace/uint8-negative-start", "torch.linspace(-5, 10, 4, dtype=uint8)"),
    Row("linspace/float16-overflowing-end", "torch.linspace(0, 1e6, 4, dtype=float16)"),
)

FULL = (
    Row("full/float", "torch.full((2, 3), 1.5)"),
    Row("full/int", "torch.full((2,), 7)"),
    Row("full/bool", "torch.full((2,), True)"),
    Row("full/nan", "torch.full((2,), nan)"),
    Row("full/infinite-float16", "torch.full((2,), -inf, dtype=float16)"),
    Row("full/minus-zero", "torch.full((1, 2), -0.0)"),
    Row("full/scalar", "torch.full((), 3)"),
    Row("full/empty", "torch.full((0, 2), 3.0)"),
    Row("full/keywords", "torch.full(size=(3,), fill_value=0.1)"),
    Row("full/beyond-2-53", "torch.full((1,), 2**53 + 1)"),
    Row("full/beyond-2-53-float64", "torch.full((1,), 2**53 + 1, dtype=float64)"),
    Row("full/beyond-2-24-float32", "torch.full((1,), 2**24 + 1, dtype=float32)"),
    Row("full/float-int64", "torch.full((2,), -1.9, dtype=int64)"),
    Row("full/float-bool", "torch.full((2,), 0.5, dtype=bool)"),
    Row("full/nan-int64", "torch.full((1,), nan, dtype=int64)"),
    Row("full/tensor-value", "torch.full((2,), torch.tensor(2.5))"),
    Row("full/too-large-float16", "torch.full((1,), 70000.0, dtype=float16)"),
    Row("full/largest-rounding-float16", "torch.full((1,), 65519.0, dtype=float16)"),
    Row("full/too-large-bfloat16", "torch.full((1,), 3.4e38, dtype=bfloat16)"),
    Row("full/too-large-float32", "torch.full((1,), 1e39, dtype=float32)"),
    Row("full/too-large-int8", "torch.full((1,), 128, dtype=int8)"),
    Row("full/too-small-int8", "torch.full((1,), -129, dtype=int8)"),
    Row("full/too-large-uint8", "torch.full((1,), 256, dtype=uint8)"),
    Row("full/negative-uint8", "torch.full((1,), -1, dtype=uint8)"),
    Row("full/too-large-int16", "torch.full((1,), 40000, dtype=int16)"),
    Row("full/too-large-int32", "torch.full((1,), 2**31, dtype=int32)"),
    Row("full/too-large-int64", "torch.full((1,), 1e30, dtype=int64)"),
    Row("full/negative-uint32", "torch.full((1,), -1, dtype=uint32)"),
    Row("full/too-large-uint32", "torch.full((1,), 2**32, dtype=uint32)"),
    *_each("full", {"dtype": "torch.full((2, 2), 3, dtype={})"}, DTYPES),
    Row("full/too-large-empty", "torch.full((0,), 300, dtype=int8)"),
    Row("full/error-negative-and-too-large", "torch.full((-1,), 300, dtype=int8)"),
    Row("full/tensor-int-value", "torch.full((2,), torch.tensor(7))"),
    Row("full/tensor-float64-value", "torch.full((2,), torch.tensor(0.1, dtype=float64))"),
    Row("full/tensor-bool-value", "torch.full((2,), torch.tensor(True))"),
    Row("full/too-large-scalar-shape", "torch.full((), 300, dtype=int8)"),
    Row("full_like/tensor-value", "torch.full_like(row(1.0, 2.0), torch.tensor(3))"),
    Row("full_like/too-large-empty", "torch.full_like(ordinary(0, dtype=int8), 300)"),
    Row("full_like/too-large-bool", "torch.full_like(ordinary(2, dtype=bool), 2.5)"),
    Row("full_like/negative-uint8", "torch.full_like(ordinary(2, dtype=uint8), -1)"),
    *(
        Row(f"full/too-large-{dtype}-{len(sizes)}-{sizes[0] if sizes else 1}",
            f"torch.full({sizes}, {value}, dtype={dtype})")
        for dtype, value in (("float16", 7e4), ("bfloat16", 3.4e38))
        for sizes in ((), (0,), (2,), (1, 1))
    ),
    *(
        Row(f"full/{dtype}-{special}", f"torch.full((2,), {value}, dtype={dtype})")
        for dtype in ("uint8", "uint32", "int8")
        for special, value in (
            ("negative-float", -1.0),
            ("negative-fraction", -0.5),
            ("minus-zero", -0.0),
            ("negative-int", -1),
            ("fraction", 200.7),
        )
    ),
    Row("linspace/uint8-negative-float", "torch.linspace(-5.5, 10, 4, dtype=uint8)"),
    Row("full_like/too-large-one-float16", "torch.full_like(ordinary(1, dtype=float16), 1e6)"),
    Row("full/error-negative-size", "torch.full((2, -1), 0.0)"),
    Row("full/error-first-negative-size", "torch.full((-3, -1), 0.0)"),
    *_each("full_like", {
        "float-value": "torch.full_like(ordinary(2, 2, dtype={}), 2.5)",
        "int-value": "torch.full_like(transposed(ordinary(2, 3, dtype={})), 5)",
    }, DTYPES),
    Row("full_like/dtype", "torch.full_like(row(1.0, 2.0), 7, dtype=int16)"),
    Row("full_like/scalar", "torch.full_like(torch.tensor(1), 9)"),
    Row("full_like/empty", "torch.full_like(row(), 9.0)"),
    Row("full_like/nan-into-ints", "torch.full_like(torch.tensor([1, 2]), nan)"),
    Row("full_like/too-large-int8", "torch.full_like(ordinary(2, dtype=int8), 300)"),
    Row("full_like/too-large-float16", "torch.full_like(ordinary(2, dtype=float16), 1e6)"),
)  # fmt: skip

FILLED = (
    *_each("zeros", {"dtype": "torch.zeros(2, 2, dtype={})"}, DTYPES),
    *_each("ones", {"dtype": "torch.ones((3,), dtype={})"}, DTYPES),
    *_each("zeros_like", {
        "dtype": "torch.zeros_like(ordinary(2, 3, dtype={}))",
        "view": "torch.zeros_like(stepped(ordinary(2, 2, dtype={})))",
    }, DTYPES),
    *_each("ones_like", {
        "dtype": "torch.ones_like(ordinary(2, 3, dtype={}))",
        "view": "torch.ones_like(expanded(ordinary(2, 2, dtype={})))",
    }, DTYPES),
    Row("zeros/default", "torch.zeros(2, 3)"),
    Row("zeros/scalar", "torch.zeros(())"),
    Row("zeros/empty", "torch.zeros(0, 3)"),
    Row("zeros/list", "torch.zeros([1, 2, 1])"),
    Row("zeros/five", "torch.zeros(1, 2, 1, 2, 1)"),
    Row("zeros/error-negative", "torch.zeros(2, -2)"),
    Row("zeros/error-negative-vector", "torch.zeros(-1)"),
    Row("ones/default", "torch.ones(2, 3)"),
    Row("ones/scalar", "torch.ones(())"),
    Row("ones/empty", "torch.ones(2, 0)"),
    Row("ones/error-negative", "torch.ones(-2, 2)"),
    Row("zeros_like/other-dtype", "torch.zeros_like(row(1.0, 2.0), dtype=int8)"),
    Row("zeros_like/scalar", "torch.zeros_like(torch.tensor(2.5))"),
    Row("zeros_like/empty", "torch.zeros_like(torch.zeros(0, 2))"),
    Row("ones_like/other-dtype", "torch.ones_like(row(1.0, nan), dtype=bool)"),
    Row("ones_like/scalar", "torch.ones_like(torch.tensor(2))"),
    Row("ones_like/empty", "torch.ones_like(torch.zeros(0, 2))"),
    Row("zeros_like/nan", "torch.zeros_like(row(nan, inf))"),
    *_each("eye", {
        "square": "torch.eye(3, dtype={})",
        "wide": "torch.eye(2, 4, dtype={})",
    }, DTYPES),
    Row("eye/default", "torch.eye(3)"),
    Row("eye/tall", "torch.eye(4, 2)"),
    Row("eye/nothing", "torch.eye(0)"),
    Row("eye/no-columns", "torch.eye(3, 0)"),
    Row("eye/one", "torch.eye(1, 1)"),
    Row("eye/error-negative", "torch.eye(-1)"),
    Row("eye/error-negative-columns", "torch.eye(2, -1)"),
    Row("eye/error-both-negative", "torch.eye(-2, -1)"),
    *(
        Row(f"new_{name}/{dtype}", f"ordinary(2, dtype={dtype}).new_{name}({arguments})")
        for dtype in ("float64", "int8", "bfloat16", "bool")
        for name, arguments in (("zeros", "2, 2"), ("ones", "(3,)"), ("full", "(2,), 1"))
    ),
    Row("eye/uint32-nothing", "torch.eye(0, dtype=uint32)"),
    Row("eye/uint32-negative", "torch.eye(-1, dtype=uint32)"),
    Row("new_zeros/error-negative", "row(1.0).new_zeros((1, -1))"),
    Row("new_full/error-negative", "row(1.0).new_full((1, -1), 2.0)"),
    Row("new_full/too-large-int8", "ordinary(1, dtype=int8).new_full((1,), 300)"),
    Row("new_full/too-large-float16", "ordinary(1, dtype=float16).new_full((1,), 1e6)"),
    Row("new_full/other-dtype", "ordinary(1, dtype=float16).new_full((1,), 1e6, dtype=float32)"),
    Row("new_full/bool-into-float", "row(1.0).new_full((2,), True)"),
    Row("new_zeros/other-dtype", "row(1.0).new_zeros(2, dtype=int64)"),
    Row("new_ones/error-negative", "row(1.0).new_ones((1, -1))"),
    Row("new_full/float-into-ints", "torch.tensor([1]).new_full((2,), 2.7)"),
)  # fmt: skip

TRIANGLES = (
    *(
        Row(
            f"{op}/{rows}x{columns}-{offset}".replace("--", "-minus-"),
            f"torch.{op}({rows}, {columns}, {offset})",
        )
        for op in ("tril_indices", "triu_indices")
        for rows, columns in ((3, 3), (2, 4), (4, 2), (1, 1), (0, 3), (3, 0))
        for offset in (0, 1, -1, 2, -2, 5, -5)
    ),
    Row("tril_indices/int32", "torch.tril_indices(3, 2, dtype=torch.int32)"),
    Row("triu_indices/int32", "torch.triu_indices(3, 2, dtype=torch.int32)"),
    Row("tril_indices/float", "torch.tril_indices(2, 2, dtype=torch.float32)"),
    Row("triu_indices/int8", "torch.triu_indices(2, 2, dtype=torch.int8)"),
    Row("tril_indices/int16", "torch.tril_indices(2, 2, dtype=torch.int16)"),
    Row("tril_indices/nothing-float", "torch.tril_indices(0, 2, dtype=torch.float32)"),
    Row("triu_indices/nothing-float", "torch.triu_indices(2, 2, 9, dtype=torch.float32)"),
    Row("tril_indices/far", "torch.tril_indices(2, 2, 2**62)"),
    Row("tril_indices/error-negative-float", "torch.tril_indices(-1, 2, dtype=torch.float32)"),
    Row("tril_indices/error-negative-rows", "torch.tril_indices(-1, 2)"),
    Row("tril_indices/error-negative-columns", "torch.tril_indices(1, -2)"),
    Row("triu_indices/error-negative", "torch.triu_indices(-1, -2)"),
)

COUNTED = (
    Row("one_hot/plain", "F.one_hot(torch.tensor([0, 2, 1]))"),
    Row("one_hot/classes", "F.one_hot(torch.tensor([0, 2]), 4)"),
    Row("one_hot/classes-keyword", "F.one_hot(torch.tensor([0, 2]), num_classes=3)"),
    Row("one_hot/classes-guessed", "F.one_hot(torch.tensor([1, 1]), -1)"),
    Row("one_hot/matrix", "F.one_hot(torch.tensor([[0, 1], [1, 0]]))"),
    Row("one_hot/scalar", "F.one_hot(torch.tensor(2))"),
    Row("one_hot/transposed", "F.one_hot(torch.tensor([[0, 1], [2, 0]]).t())"),
    Row("one_hot/empty-classes", "F.one_hot(torch.zeros(0, dtype=int64), 3)"),
    Row("one_hot/empty-matrix", "F.one_hot(torch.zeros(2, 0, dtype=int64), 2)"),
    Row("one_hot/error-empty", "F.one_hot(torch.zeros(0, dtype=int64))"),
    Row("one_hot/error-empty-zero", "F.one_hot(torch.zeros(0, dtype=int64), 0)"),
    Row("one_hot/error-negative", "F.one_hot(torch.tensor([0, -1]))"),
    Row("one_hot/error-too-few", "F.one_hot(torch.tensor([0, 3]), 3)"),
    Row("one_hot/error-negative-classes", "F.one_hot(torch.tensor([0, 3]), -2)"),
    Row("one_hot/error-zero-classes", "F.one_hot(torch.tensor([0]), 0)"),
    Row("one_hot/error-negative-before-classes", "F.one_hot(torch.tensor([-1, 5]), 2)"),
    *(
        Row(f"one_hot/error-{dtype}", f"F.one_hot(torch.zeros(2, dtype={dtype}))")
        for dtype in ("int32", "uint8", "float32", "bool", "bfloat16")
    ),
    *_each("bincount", {
        "plain": "torch.bincount(torch.tensor([1, 0, 3, 1], dtype={}))",
    }, ["int64", "int32", "int16", "int8", "uint8", "uint32", "bool", "float32"]),
    Row("bincount/minlength", "torch.bincount(torch.tensor([1, 1]), minlength=4)"),
    Row("bincount/minlength-smaller", "torch.bincount(torch.tensor([5, 1]), minlength=2)"),
    Row("bincount/empty", "torch.bincount(torch.zeros(0, dtype=int64))"),
    Row("bincount/empty-minlength", "torch.bincount(torch.zeros(0, dtype=int64), minlength=3)"),
    Row("bincount/weights", "torch.bincount(torch.tensor([1, 0, 1]), row(0.5, 0.25, 2.0))"),
    Row("bincount/weights-float64",
        "torch.bincount(torch.tensor([1, 0, 1]), row(0.1, 0.25, 2.0, dtype=float64))"),
    Row("bincount/weights-order",
        "torch.bincount(torch.tensor([1, 0, 1, 1, 1]), row(1e8, 1.0, 1.0, -1e8, 1.0))"),
    Row("bincount/weights-int64",
        "torch.bincount(torch.tensor([1, 0, 1]), torch.tensor([3, 4, 5]))"),
    Row("bincount/weights-int32",
        "torch.bincount(torch.tensor([1, 0, 1]), torch.tensor([3, 4, 5], dtype=int32))"),
    Row("bincount/weights-float16",
        "torch.bincount(torch.tensor([1, 0, 1]), row(0.1, 0.25, 2.0, dtype=float16))"),
    Row("bincount/weights-bfloat16",
        "torch.bincount(torch.tensor([1, 0, 1]), row(0.1, 0.25, 2.0, dtype=bfloat16))"),
    Row("bincount/weights-bool",
        "torch.bincount(torch.tensor([1, 0, 1]), torch.tensor([True, True, True]))"),
    Row("bincount/stepped", "torch.bincount(torch.tensor([1, 9, 2, 9, 1])[::2])"),
    Row("bincount/error-negative", "torch.bincount(torch.tensor([1, -1]))"),
    Row("bincount/error-matrix", "torch.bincount(torch.tensor([[1]]))"),
    Row("bincount/error-scalar", "torch.bincount(torch.tensor(1))"),
    Row("bincount/error-weights-length", "torch.bincount(torch.tensor([1, 0]), row(0.5))"),
    Row("bincount/error-weights-matrix", "torch.bincount(torch.tensor([1]), torch.ones(1, 1))"),
    Row("bincount/error-minlength", "torch.bincount(torch.tensor([1]), minlength=-1)"),
    Row("bincount/error-float-minlength", "torch.bincount(row(1.0), minlength=-1)"),
    Row("bincount/error-float-matrix", "torch.bincount(torch.zeros(2, 2))"),
    Row("bincount/error-float-empty", "torch.bincount(torch.zeros(0))"),
    Row("bincount/error-negative-and-weights", "torch.bincount(torch.tensor([-1, 2]), row(1.0))"),
    Row("bincount/error-empty-minlength",
        "torch.bincount(torch.zeros(0, dtype=int64), minlength=-1)"),
    Row("bincount/empty-other-weights", "torch.bincount(torch.zeros(0, dtype=int64), row(1.0))"),
    Row("bincount/weights-uint32",
        "torch.bincount(torch.tensor([1, 0]), torch.tensor([3, 4], dtype=uint32))"),
    Row("bincount/weights-minlength",
        "torch.bincount(torch.tensor([1, 0]), row(1.0, 2.0), minlength=5)"),
    Row("bincount/weights-nan", "torch.bincount(torch.tensor([1, 0, 1]), row(nan, -0.0, inf))"),
    Row("bincount/empty-weights", "torch.bincount(torch.zeros(0, dtype=int64), torch.zeros(0))"),
    Row("bincount/empty-matrix", "torch.bincount(torch.zeros(0, 2, dtype=int64))"),
)  # fmt: skip

ROWS = (*ARANGE, *LINSPACE, *FULL, *FILLED, *TRIANGLES, *COUNTED)

SUITE = parity.suite.Suite("creation", "python/creation.py", ROWS, tensors.namespace)
