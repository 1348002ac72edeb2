"""Suite `reduce`: reductions by dimension, brackets, and choosing by index or condition.

Each row is one line of PyTorch as a user would write it. The names that the lines use are
defined in `namespace`; `wave`, `cancelling` and `row` make tensors from float64 numbers, so
that no input depends on PyTorch's own kernels. Run `python/generate.py --only reduce`.
"""

import math
from collections.abc import Sequence
from typing import Any

import parity.suite
from parity.inputs import sines
from parity.suite import Row

import torch

INF, NAN = math.inf, math.nan


def wave(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """sin(1), sin(2), … in row-major order: ordinary values of both signs."""
    values = sines(math.prod(shape) + 1)[1:].reshape(shape)
    return torch.tensor(values, dtype=dtype)


def cancelling(length: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """1e8, 1, -1e8, 1e8, 1, …: a sum that shows in which order it was made."""
    pattern = (1e8, 1.0, -1e8)
    return torch.tensor([pattern[k % 3] for k in range(length)], dtype=dtype)


def row(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A vector of these values."""
    return torch.tensor(values, dtype=dtype)


def spiked(length: int, spikes: dict[int, float]) -> torch.Tensor:
    """k/8 in a short cycle, with some entries replaced."""
    values: Sequence[float] = [spikes.get(k, (k * 7 % 16) / 8) for k in range(length)]
    return torch.tensor(values, dtype=torch.float32)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    a = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    return {
        "torch": torch,
        "F": torch.nn.functional,
        "inf": INF,
        "nan": NAN,
        "wave": wave,
        "cancelling": cancelling,
        "row": row,
        "spiked": spiked,
        "a": a,
        "ties": torch.tensor([[1.0, 3, 3], [2, 2, 0]]),
        "nans": torch.tensor([[1.0, NAN, 2.0], [NAN, 0.0, 5.0]]),
        "ints": torch.tensor([[1, 2], [3, 4]]),
        "u": torch.tensor([[1, 0], [4294967295, 1]], dtype=torch.uint32),
        "emb": torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]),
        "g": torch.tensor([[2, 0], [1, 1]]),
        "cond": torch.tensor([[False, False, False], [True, True, True]]),
        "cube": wave(2, 3, 4),
        "none": torch.zeros(2, 0, 3),
    }


SUM = (
    Row("sum/dim1", "a.sum(1)"),
    Row("sum/dim1-keepdim", "a.sum(1, keepdim=True)"),
    Row("sum/dims-0-1", "a.sum((0, 1))"),
    Row("sum/all", "a.sum()"),
    Row("sum/dim-1", "a.sum(-1)"),
    Row("sum/dim2-out-of-range", "a.sum(2)"),
    Row("sum/dim-3-out-of-range", "torch.sum(a, dim=-3)"),
    Row("sum/dims-twice", "a.sum((1, 1))"),
    Row("sum/dims-twice-negative", "a.sum((0, -2))"),
    Row("sum/dims-empty", "a.sum(())"),
    Row("sum/dim-none-keepdim", "a.sum(dim=None, keepdim=True)"),
    Row("sum/cube-dims-0-2", "cube.sum((0, 2))"),
    Row("sum/cube-dims-2-1-keepdim", "cube.sum((2, 1), keepdim=True)"),
    Row("sum/cube-dim1", "cube.sum(dim=1)"),
    Row("sum/scalar", "torch.tensor(2.5).sum()"),
    Row("sum/scalar-dim0", "torch.tensor(2.5).sum(0)"),
    Row("sum/scalar-dim1", "torch.tensor(2.5).sum(1)"),
    Row("sum/empty-all", "none.sum()"),
    Row("sum/empty-dim1", "none.sum(1)"),
    Row("sum/empty-dim0", "none.sum(0)"),
    Row("sum/empty-vector", "torch.zeros(0).sum(0)"),
    Row("sum/transposed-dim0", "wave(5, 7).t().sum(0)"),
    Row("sum/transposed-all", "wave(5, 7).t().sum()"),
    Row("sum/narrowed", "wave(6, 9).narrow(1, 2, 5).sum(1)"),
    Row("sum/stepped", "wave(4, 20)[:, ::3].sum(1)"),
    Row("sum/stepped-rows", "wave(9, 8)[::2].sum(0)"),
    Row("sum/expanded", "wave(5, 1).expand(5, 9).sum(1)"),
    Row("sum/expanded-dim0", "wave(1, 9).expand(5, 9).sum(0)"),
    Row("sum/permuted-dims", "cube.permute(2, 0, 1).sum((0, 2))"),
    Row("sum/cancelling-9", "cancelling(9).sum()"),
    Row("sum/cancelling-33", "cancelling(33).sum()"),
    Row("sum/cancelling-100", "cancelling(100).sum(0)"),
    Row("sum/cancelling-129", "cancelling(129).sum()"),
    Row("sum/cancelling-129-float64", "(cancelling(129, torch.float64) * 1e9).sum()"),
    Row("sum/cancelling-columns", "cancelling(132).reshape(33, 4).sum(0)"),
    Row("sum/cancelling-transposed", "cancelling(132).reshape(4, 33).t().sum(0)"),
    Row("sum/cancelling-bfloat16", "cancelling(100, torch.bfloat16).sum()"),
    Row("sum/float16", "wave(3, 33, dtype=torch.float16).sum(1)"),
    Row("sum/float16-overflow", "row(60000.0, 60000.0, dtype=torch.float16).sum()"),
    Row("sum/bfloat16", "wave(3, 33, dtype=torch.bfloat16).sum(0)"),
    Row("sum/float64", "wave(3, 33, dtype=torch.float64).sum(1)"),
    Row("sum/minus-zeros", "row(-0.0, -0.0).sum()"),
    Row("sum/minus-zero-one-element", "torch.tensor([[-0.0]]).sum(1)"),
    Row("sum/inf-minus-inf", "row(inf, 1.0, -inf).sum()"),
    Row("sum/inf", "row(inf, 1.0, 2.0).sum()"),
    Row("sum/nans", "nans.sum(1)"),
    Row("sum/subnormals", "row(1e-45, 1e-45, 3e-45).sum()"),
    Row("sum/int64", "ints.sum(1)"),
    Row("sum/int64-wraps", "torch.tensor([2**63 - 1, 1]).sum()"),
    Row("sum/int64-beyond-2-53", "torch.tensor([2**53, 1, 2]).sum()"),
    Row("sum/int32", "torch.tensor([2**31 - 1, 1], dtype=torch.int32).sum()"),
    Row("sum/int16", "torch.tensor([30000, 30000], dtype=torch.int16).sum()"),
    Row("sum/int8", "torch.tensor([100, 100], dtype=torch.int8).sum()"),
    Row("sum/uint8", "torch.tensor([200, 100], dtype=torch.uint8).sum()"),
    Row("sum/uint32", "torch.tensor([4294967295, 1], dtype=torch.uint32).sum()"),
    Row("sum/bool", "cond.sum(1)"),
    Row("sum/bool-dtype-uint8", "cond.sum(dtype=torch.uint8)"),
    Row("sum/int8-dtype-int8", "torch.tensor([100, 100], dtype=torch.int8).sum(dtype=torch.int8)"),
    Row("sum/dtype-float64", "wave(40).sum(dtype=torch.float64)"),
    Row("sum/dtype-float16", "a.sum(1, dtype=torch.float16)"),
    Row("sum/int64-dtype-float32", "ints.sum(0, dtype=torch.float32)"),
)

MEAN_AND_PROD = (
    Row("mean/dim0", "a.mean(0)"),
    Row("mean/all", "a.mean()"),
    Row("mean/dims-keepdim", "cube.mean((0, -1), keepdim=True)"),
    Row("mean/dim2-out-of-range", "a.mean(2)"),
    Row("mean/int64", "ints.mean(1)"),
    Row("mean/bool", "cond.mean()"),
    Row("mean/int64-dtype-float32", "ints.mean(1, dtype=torch.float32)"),
    Row("mean/dtype-int64", "a.mean(dtype=torch.int64)"),
    Row("mean/empty-all", "none.mean()"),
    Row("mean/empty-dim1", "none.mean(1)"),
    Row("mean/float16", "wave(3, 33, dtype=torch.float16).mean(1)"),
    Row("mean/bfloat16", "wave(33, dtype=torch.bfloat16).mean()"),
    Row("mean/float64", "wave(3, 7, dtype=torch.float64).mean(0)"),
    Row("mean/transposed", "wave(9, 5).t().mean(1)"),
    Row("mean/expanded", "wave(1, 7).expand(3, 7).mean(0)"),
    Row("mean/overflow", "row(3e38, 3e38, 3e38).mean()"),
    Row("mean/cancelling-33", "cancelling(33).mean()"),
    Row("prod/dim1", "a.prod(1)"),
    Row("prod/all", "wave(5, 5).prod()"),
    Row("prod/dim0-keepdim", "wave(5, 5).prod(0, keepdim=True)"),
    Row("prod/dim2-out-of-range", "a.prod(2)"),
    Row("prod/empty", "none.prod(1)"),
    Row("prod/int32", "torch.tensor([65536, 65536], dtype=torch.int32).prod()"),
    Row("prod/int64-wraps", "torch.tensor([2**62, 4]).prod()"),
    Row("prod/uint8", "torch.tensor([[16, 16], [2, 3]], dtype=torch.uint8).prod(1)"),
    Row("prod/bool", "cond.prod(1)"),
    Row("prod/float16", "wave(2, 20, dtype=torch.float16).prod(1)"),
    Row("prod/bfloat16", "(wave(40, dtype=torch.bfloat16) + 1).prod()"),
    Row("prod/float64", "(wave(33, dtype=torch.float64) + 1.5).prod()"),
    Row("prod/long", "(wave(100) * 0.1 + 1).prod()"),
    Row("prod/dtype-float64", "wave(9).prod(dtype=torch.float64)"),
    Row("prod/minus-zero", "row(-0.0, 3.0).prod()"),
    Row("prod/zero-times-inf", "row(0.0, inf).prod()"),
    Row("prod/transposed", "wave(4, 6).t().prod(1)"),
)

MAX_AND_MIN = (
    Row("max/dim1-values", "a.max(1).values"),
    Row("max/dim1-indices", "ties.max(1).indices"),
    Row("max/all", "a.max()"),
    Row("max/ties", "ties.max(1)"),
    Row("max/nan-rows", "nans.max(1)"),
    Row("max/nan-all", "nans.max()"),
    Row("max/nan-first", "spiked(40, {0: nan}).max(0)"),
    Row("max/nan-middle", "spiked(40, {17: nan, 30: 9.0}).max(0)"),
    Row("max/nan-last", "spiked(40, {39: nan}).max(0)"),
    Row("max/nan-only", "row(nan, nan, nan).max(0)"),
    Row("max/keepdim", "a.max(0, keepdim=True)"),
    Row("max/dim-negative", "cube.max(-2)"),
    Row("max/dim2-out-of-range", "a.max(2)"),
    Row("max/empty-all", "torch.zeros(0).max()"),
    Row("max/empty-dim", "none.max(1)"),
    Row("max/empty-other-dim", "none.max(0)"),
    Row("max/scalar-dim0", "torch.tensor(4.0).max(0)"),
    Row("max/binary", "torch.max(a, ties)"),
    Row("max/binary-nan", "torch.max(nans, a)"),
    Row("max/binary-broadcast", "torch.max(a, row(2.0, 2.0, 2.0))"),
    Row("max/int32", "torch.tensor([[3, -7, 3]], dtype=torch.int32).max(1)"),
    Row("max/int8", "torch.tensor([-128, 127, 127], dtype=torch.int8).max(0)"),
    Row("max/uint8", "torch.tensor([255, 0, 255], dtype=torch.uint8).max()"),
    Row("max/bool", "cond.max(0)"),
    Row("max/uint32", "torch.tensor([4294967295, 1], dtype=torch.uint32).max()"),
    Row("max/bfloat16", "wave(3, 9, dtype=torch.bfloat16).max(1)"),
    Row("max/infinities", "row(-inf, -inf, inf, inf).max(0)"),
    Row("max/zeros-of-both-signs", "row(-0.0, 0.0).max(0)"),
    Row("max/transposed", "wave(4, 6).t().max(1)"),
    Row("min/dim1", "a.min(1)"),
    Row("min/all", "wave(5, 7).min()"),
    Row("min/ties", "ties.min(1)"),
    Row("min/nan-rows", "nans.min(1)"),
    Row("min/nan-last", "spiked(40, {39: nan, 3: -9.0}).min(0)"),
    Row("min/empty-all", "torch.zeros(0, dtype=torch.int64).min()"),
    Row("min/binary", "torch.min(nans, ties)"),
    Row("min/int64", "torch.tensor([-(2**63), 2**63 - 1]).min(0)"),
    Row("min/float16", "wave(3, 9, dtype=torch.float16).min(0)"),
    Row("min/expanded", "wave(5, 1).expand(5, 3).min(1)"),
    Row("amax/dim1", "a.amax(1)"),
    Row("amax/all", "a.amax()"),
    Row("amax/dims", "cube.amax((0, 2), keepdim=True)"),
    Row("amax/nan-rows", "nans.amax(1)"),
    Row("amax/nan-middle-columns", "spiked(40, {17: nan}).reshape(10, 4).amax(0)"),
    Row("amax/dims-empty", "a.amax(dim=())"),
    Row("amax/empty-dim", "none.amax(1)"),
    Row("amax/dims-twice", "a.amax((0, 0))"),
    Row("amax/int16", "torch.tensor([[5, -32768], [7, 7]], dtype=torch.int16).amax(0)"),
    Row("amax/bool", "cond.amax(1)"),
    Row("amin/dim0", "a.amin(0)"),
    Row("amin/minus-inf", "row(3.0, -inf, inf).amin()"),
    Row("amin/nan-only", "row(nan, nan).amin(0)"),
    Row("amin/dim-out-of-range", "a.amin(-3)"),
    Row("amin/float64", "wave(3, 5, dtype=torch.float64).amin(1)"),
    Row("amin/stepped", "wave(4, 20)[:, 1::4].amin(1)"),
)

ARG = (
    Row("argmax/dim1", "a.argmax(1)"),
    Row("argmax/ties", "ties.argmax(1)"),
    Row("argmax/nan-rows", "nans.argmax(1)"),
    Row("argmax/all", "ties.argmax()"),
    Row("argmax/keepdim", "a.argmax(1, keepdim=True)"),
    Row("argmax/all-keepdim", "a.argmax(keepdim=True)"),
    Row("argmax/dim-negative", "cube.argmax(-1)"),
    Row("argmax/dim2-out-of-range", "a.argmax(2)"),
    Row("argmax/nan-first", "spiked(40, {0: nan}).argmax()"),
    Row("argmax/nan-middle", "spiked(40, {17: nan, 30: 9.0}).argmax()"),
    Row("argmax/nan-last", "spiked(40, {39: nan}).argmax()"),
    Row("argmax/nan-only", "row(nan, nan, nan).argmax()"),
    Row("argmax/infinities", "row(-inf, inf, inf).argmax()"),
    Row("argmax/minus-infinities", "row(-inf, -inf).argmax()"),
    Row("argmax/zeros-of-both-signs", "row(-0.0, 0.0).argmax()"),
    Row("argmax/empty-all", "torch.zeros(0).argmax()"),
    Row("argmax/empty-dim", "none.argmax(1)"),
    Row("argmax/empty-other-dim", "none.argmax(2)"),
    Row("argmax/scalar", "torch.tensor(1.5).argmax()"),
    Row("argmax/int64", "torch.tensor([5, 9, 9]).argmax()"),
    Row("argmax/uint8", "torch.tensor([[0, 255, 255]], dtype=torch.uint8).argmax(1)"),
    Row("argmax/bool", "torch.tensor([False, True]).argmax()"),
    Row("argmax/bfloat16", "wave(3, 9, dtype=torch.bfloat16).argmax(1)"),
    Row("argmax/transposed", "ties.t().argmax(0)"),
    Row("argmin/dim1-ties", "ties.argmin(1)"),
    Row("argmin/nan-rows", "nans.argmin(1)"),
    Row("argmin/all", "wave(5, 7).argmin()"),
    Row("argmin/dim0", "wave(5, 7).argmin(0)"),
    Row("argmin/infinities", "row(inf, inf, inf).argmin()"),
    Row("argmin/float16", "wave(3, 9, dtype=torch.float16).argmin(0)"),
    Row("argmin/int8", "torch.tensor([127, -128, -128], dtype=torch.int8).argmin()"),
    Row("argmin/stepped", "wave(4, 20)[:, ::3].argmin(1)"),
    Row("argmin/expanded", "wave(1, 4).expand(3, 4).argmin(0)"),
)

SPREAD = (
    Row("var/dim1", "a.var(1)"),
    Row("var/single", "torch.tensor([[1.0], [2.0]]).var(1)"),
    Row("var/all", "wave(5, 7).var()"),
    Row("var/correction-0", "a.var(1, correction=0)"),
    Row("var/correction-2", "a.var(1, correction=2)"),
    Row("var/correction-half", "a.var(0, correction=0.5)"),
    Row("var/correction-3", "a.var(1, correction=3)"),
    Row("var/correction-4", "a.var(1, correction=4)"),
    Row("var/unbiased-false", "a.var(1, unbiased=False)"),
    Row("var/unbiased-true-keepdim", "a.var(1, unbiased=True, keepdim=True)"),
    Row("var/dims", "cube.var((0, 2))"),
    Row("var/dim2-out-of-range", "a.var(2)"),
    Row("var/int64", "ints.var(1)"),
    Row("var/empty", "none.var(1)"),
    Row("var/nans", "nans.var(1)"),
    Row("var/constant", "row(5120.5, 5120.5, 5120.5).var()"),
    Row("var/large-offset", "row(5120.5, 5120.25, 5121.0).var(0)"),
    Row("var/float16", "row(40000.0, 40000.0, 39968.0, dtype=torch.float16).var()"),
    Row("var/bfloat16", "wave(3, 9, dtype=torch.bfloat16).var(1)"),
    Row("var/float64", "wave(3, 9, dtype=torch.float64).var(0)"),
    Row("var/transposed", "wave(5, 7).t().var(0)"),
    Row("std/dim1", "a.std(1)"),
    Row("std/all", "wave(5, 7).std()"),
    Row("std/single-correction-0", "row(4.0).std(correction=0)"),
    Row("std/single", "row(4.0).std()"),
    Row("std/unbiased-false", "a.std(0, unbiased=False)"),
    Row("std/keepdim", "cube.std((1, 2), keepdim=True)"),
    Row("std/bool", "cond.std()"),
    Row("std/large", "row(1e20, 2e20, 4e20).std()"),
    Row("std/float64-stepped", "wave(4, 20, dtype=torch.float64)[:, ::3].std(1)"),
)

BRACKETS = (
    Row("getitem/row", "a[1]"),
    Row("getitem/column", "a[:, 2]"),
    Row("getitem/from-1", "a[:, 1:]"),
    Row("getitem/to-2", "a[:, :2]"),
    Row("getitem/element", "a[1, 2]"),
    Row("getitem/list", "a[:, [2, 0]]"),
    Row("narrow/dim1", "a.narrow(1, 1, 2)"),
    Row("getitem/column-out-of-bounds", "a[:, 3]"),
    Row("getitem/slice-clamped", "a[:, 1:10]"),
    Row("getitem/slice-reversed", "a[:, 2:1]"),
    Row("getitem/column-negative", "a[:, -1]"),
    Row("getitem/step-2", "a[:, ::2]"),
    Row("getitem/mask", "a[a >= 3]"),
    Row("getitem/index-matrix", "a[:, torch.tensor([[0, 1]])]"),
    Row("getitem/row-out-of-bounds", "a[-3]"),
    Row("getitem/slice-negative-bounds", "a[-1:, -2:-1]"),
    Row("getitem/step-0", "a[::0]"),
    Row("getitem/step-negative", "a[::-1]"),
    Row("getitem/too-many", "a[0, 0, 0]"),
    Row("getitem/none", "a[:, None]"),
    Row("getitem/ellipsis", "cube[..., 0]"),
    Row("getitem/ellipsis-middle", "cube[1, ..., 2]"),
    Row("getitem/nothing", "a[()]"),
    Row("getitem/scalar-ellipsis", "torch.tensor(3.0)[...]"),
    Row("getitem/scalar-int", "torch.tensor(3.0)[0]"),
    Row("getitem/true", "a[True]"),
    Row("getitem/false", "a[False]"),
    Row("getitem/mask-row", "a[torch.tensor([False, True])]"),
    Row("getitem/mask-wrong-shape", "a[torch.tensor([True, False, True])]"),
    Row("getitem/mask-too-deep", "a[torch.zeros(2, 3, 1, dtype=torch.bool)]"),
    Row("getitem/mask-list", "a[:, [True, False, True]]"),
    Row("getitem/mask-and-int", "a[torch.tensor([True, False]), 2]"),
    Row("getitem/mask-uint8", "row(5.0, 6.0, 7.0)[torch.tensor([1, 0, 1], dtype=torch.uint8)]"),
    Row("getitem/list-empty", "a[[]]"),
    Row("getitem/two-lists", "a[[0, 1, 1], [2, 0, 0]]"),
    Row("getitem/lists-broadcast", "a[torch.tensor([[0], [1]]), torch.tensor([0, 2])]"),
    Row("getitem/lists-no-broadcast", "a[[0, 1], [0, 1, 2]]"),
    Row("getitem/negative-index-tensor", "emb[torch.tensor([-1, 2])]"),
    Row("getitem/index-tensor-out-of-bounds", "a[torch.tensor([0, 2])]"),
    Row("getitem/index-tensor-too-negative", "a[:, torch.tensor([-4])]"),
    Row("getitem/index-int32", "a[torch.tensor([1], dtype=torch.int32)]"),
    Row("getitem/index-float", "a[torch.tensor([1.0])]"),
    Row("getitem/index-scalar-tensor", "a[torch.tensor(1)]"),
    Row("getitem/mixed-int-slice-tensor", "cube[0, 1:, torch.tensor([3, 0])]"),
    Row("getitem/tensors-apart", "cube[torch.tensor([0, 1]), :, torch.tensor([3, 0])]"),
    Row("getitem/tensor-none-tensor", "a[torch.tensor([0, 1]), None, torch.tensor([2, 0])]"),
    Row("getitem/transposed", "a.t()[1:, 0]"),
    Row("getitem/empty", "torch.zeros(0, 4)[:, 1:3]"),
    Row("getitem/int64-extremes", "torch.tensor([2**63 - 1, -(2**63)])[1]"),
    Row("getitem/bool", "cond[1, :2]"),
    Row("narrow/negative-start", "a.narrow(1, -2, 1)"),
    Row("narrow/length-0-at-end", "a.narrow(1, 3, 0)"),
    Row("narrow/too-long", "a.narrow(1, 2, 2)"),
    Row("narrow/negative-length", "a.narrow(1, 0, -1)"),
    Row("narrow/dim-out-of-range", "a.narrow(2, 0, 1)"),
    Row("narrow/tensor-start", "a.narrow(1, torch.tensor(1), 2)"),
    Row("select/dim1", "a.select(1, 2)"),
    Row("select/negative", "a.select(-2, -1)"),
    Row("select/out-of-range", "a.select(1, 3)"),
    Row("select/dim-out-of-range", "a.select(2, 0)"),
    Row("select/scalar", "torch.tensor(1.0).select(0, 0)"),
    Row("item/sum", "a.sum().item()"),
    Row("item/element", "a[1, 2].item()"),
    Row("item/one-element", "torch.tensor([[7]], dtype=torch.int32).item()"),
    Row("item/bool", "cond[1, 0].item()"),
    Row("item/bfloat16", "row(0.1, dtype=torch.bfloat16).item()"),
    Row("item/nan", "nans[0, 1].item()"),
    Row("item/too-many", "a.item()"),
    Row("item/empty", "torch.zeros(0).item()"),
)

BY_INDEX = (
    Row("index_select/ids", "a.index_select(1, torch.tensor([2, 0, 2]))"),
    Row("index_select/int32", "a.index_select(1, torch.tensor([2, 0], dtype=torch.int32))"),
    Row("index_select/uint8", "a.index_select(1, torch.tensor([2, 0], dtype=torch.uint8))"),
    Row("index_select/float", "a.index_select(1, torch.tensor([2.0, 0.0]))"),
    Row("index_select/out-of-bounds", "a.index_select(1, torch.tensor([5]))"),
    Row("index_select/negative", "emb.index_select(0, torch.tensor([-1, 2]))"),
    Row("index_select/empty-ids", "a.index_select(0, torch.tensor([], dtype=torch.int64))"),
    Row("index_select/matrix-ids", "a.index_select(0, torch.tensor([[0, 1]]))"),
    Row("index_select/scalar-id", "a.index_select(0, torch.tensor(1))"),
    Row("index_select/dim-out-of-range", "a.index_select(2, torch.tensor([0]))"),
    Row("index_select/transposed", "a.t().index_select(0, torch.tensor([2, 2]))"),
    Row("index_select/bool-data", "cond.index_select(1, torch.tensor([0, 2]))"),
    Row("embedding/rows", "F.embedding(torch.tensor([[0, 2], [2, 1]]), emb)"),
    Row("embedding/int32", "F.embedding(torch.tensor([1, 1], dtype=torch.int32), emb)"),
    Row("embedding/scalar", "F.embedding(torch.tensor(2), emb)"),
    Row("embedding/padding-idx", "F.embedding(torch.tensor([1, 0]), emb, padding_idx=1)"),
    Row("embedding/negative", "F.embedding(torch.tensor([-1, 2]), emb)"),
    Row("embedding/out-of-range", "F.embedding(torch.tensor([3]), emb)"),
    Row("embedding/float-ids", "F.embedding(torch.tensor([1.0]), emb)"),
    Row("embedding/no-ids", "F.embedding(torch.zeros(0, dtype=torch.int64), emb)"),
    Row("gather/dim1", "a.gather(1, g)"),
    Row("gather/out-of-bounds", "a.gather(1, torch.tensor([[3], [0]]))"),
    Row("gather/uint32", "a.gather(1, g.to(torch.uint32))"),
    Row("gather/int32", "a.gather(1, g.to(torch.int32))"),
    Row("gather/dim0", "a.gather(0, torch.tensor([[1, 0, 1]]))"),
    Row("gather/negative", "a.gather(1, torch.tensor([[-1]]))"),
    Row("gather/wrong-rank", "a.gather(1, torch.tensor([2, 0]))"),
    Row("gather/index-too-large", "a.gather(0, torch.tensor([[0], [1], [0]]).expand(3, 4))"),
    Row("gather/empty-index", "a.gather(1, torch.zeros(2, 0, dtype=torch.int64))"),
    Row("gather/expanded-index", "a.gather(1, torch.tensor([[2], [0]]).expand(2, 3))"),
    Row("gather/scalar", "torch.tensor(3.0).gather(0, torch.tensor(0))"),
    Row("gather/bfloat16", "wave(2, 3, dtype=torch.bfloat16).gather(1, g)"),
)

BY_CONDITION = (
    Row("ge/scalar", "a >= 3"),
    Row("ge/tensor", "torch.ge(a, ties)"),
    Row("ge/nan", "nans >= 0"),
    Row("gt/float-of-ints", "ints > 2.5"),
    Row("gt/broadcast", "a > row(1.0, 1.0, 4.0)"),
    Row("gt/no-broadcast", "a > row(1.0, 1.0)"),
    Row("lt/bool", "cond < True"),
    Row("lt/mixed-dtypes", "torch.tensor([1, 2]) < row(1.5, 1.5)"),
    Row("le/minus-zero", "row(0.0, -0.0) <= row(-0.0, 0.0)"),
    Row("eq/int64-beyond-2-53", "torch.tensor([2**53 + 1]) == torch.tensor([2**53])"),
    Row("eq/nan", "nans == nans"),
    Row("ne/uint8", "torch.tensor([0, 255], dtype=torch.uint8) != 0"),
    Row("ne/scalar-tensor", "a != torch.tensor(4.0)"),
    Row("where/scalar-branch", "torch.where(cond, a, -1.0)"),
    Row("where/tensor-branch", "torch.where(cond, a, torch.full((2, 3), -1.0))"),
    Row("where/row-condition", "torch.where(torch.tensor([True, False, True]), a, -1.0)"),
    Row("where/float64", "torch.where(cond, a, torch.full((2, 3), -1.0, dtype=torch.float64))"),
    Row("where/scalar-first", "torch.where(cond, 0, a)"),
    Row("where/two-scalars", "torch.where(cond, 1.5, -1.5)"),
    Row("where/two-ints", "torch.where(cond, 1, 0)"),
    Row("where/int-and-float-scalars", "torch.where(cond, 1, 0.5)"),
    Row("where/ints-and-float", "torch.where(torch.tensor([True, False]), ints, 0.5)"),
    Row(
        "where/float16-and-float64-scalar",
        "torch.where(cond, a.half(), torch.tensor(1e6).double())",
    ),
    Row("where/condition-uint8", "torch.where(cond.to(torch.uint8), a, -1.0)"),
    Row("where/condition-float", "torch.where(a, a, -1.0)"),
    Row("where/no-broadcast", "torch.where(cond, a, row(1.0, 2.0))"),
    Row("where/empty", "torch.where(none > 0, none, 1.0)"),
    Row("where/nan-not-taken", "torch.where(cond, a, nans)"),
    Row("where/transposed", "torch.where(cond.t(), a.t(), 0.0)"),
    Row("where/method", "a.where(cond, 9.0)"),
    Row("masked_fill/minus-inf", 'a.masked_fill(cond, float("-inf"))'),
    Row("masked_fill/row-mask", "a.masked_fill(torch.tensor([True, False, True]), 0.5)"),
    Row("masked_fill/column-mask", "a.masked_fill(torch.tensor([[True], [False]]), 7)"),
    Row("masked_fill/tensor-value", "a.masked_fill(cond, torch.tensor(2.5))"),
    Row("masked_fill/vector-value", "a.masked_fill(cond, row(1.0, 2.0))"),
    Row("masked_fill/int-mask", "a.masked_fill(ints, 0.0)"),
    Row("masked_fill/uint8-mask", "a.masked_fill(cond.to(torch.uint8), 0.0)"),
    Row("masked_fill/wrong-shape", "a.masked_fill(torch.tensor([True, False]), 0.0)"),
    Row("masked_fill/float-into-ints", "ints.masked_fill(ints > 2, 1.5)"),
    Row("masked_fill/nan", "a.masked_fill(cond, nan)"),
    Row("masked_fill/float16-overflow", "a.half().masked_fill(cond, 1e6)"),
    Row("masked_fill/mask-enlarges", "row(1.0).masked_fill(torch.tensor([True, False]), 3.0)"),
    Row("masked_fill/empty", "none.masked_fill(none > 0, 1.0)"),
    Row("masked_fill/in-place", "a.masked_fill_(cond, -2.0)"),
)

CONVERSION = (
    Row("to/uint32", "g.to(torch.uint32)"),
    Row("to/int64-to-uint32-wraps", "torch.tensor([-1, 2, -100]).to(torch.uint32)"),
    Row("to/int64-to-float32", "torch.tensor([2**24 + 1, -(2**53) - 1]).to(torch.float32)"),
    Row("to/float32-to-int64", "row(-1.9, 2.5, 3e9).to(torch.int64)"),
    Row("to/float64-to-float32", "row(1e-46, 1e39, 0.1, dtype=torch.float64).to(torch.float32)"),
    Row("to/float32-to-bfloat16", "row(1.00390625, 1.01171875, nan).to(torch.bfloat16)"),
    Row("to/float32-to-float16", "row(65520.0, 65519.0, 1e-8, -0.0).to(torch.float16)"),
    Row("to/float32-to-bool", "row(0.0, -0.0, nan, 0.5).to(torch.bool)"),
    Row(
        "to/int32-to-int8-wraps", "torch.tensor([128, -129, 300], dtype=torch.int32).to(torch.int8)"
    ),
    Row("to/transposed", "a.t().to(torch.float64)"),
    Row("to/method-float", "ints.float()"),
    Row("to/same", "a.to(torch.float32)"),
)

# Most kernels were never compiled for uint32, and say so under their own names; a few calls
# get by without a kernel.
UINT32 = tuple(
    Row(f"{op}/uint32-{special}", f"u.{call}")
    for op, special, call in (
        ("sum", "to-uint32", "sum(dtype=torch.uint32)"),
        ("prod", "to-uint32", "prod(dtype=torch.uint32)"),
        ("prod", "dim1", "prod(1)"),
        ("mean", "refused", "mean()"),
        ("max", "dim1", "max(1)"),
        ("min", "all", "min()"),
        ("min", "dim0", "min(0)"),
        ("amax", "all", "amax()"),
        ("amax", "dim1", "amax(1)"),
        ("amin", "dim1", "amin(1)"),
        ("argmax", "all", "argmax()"),
        ("argmin", "dim1", "argmin(1)"),
        ("max", "no-output", "narrow(0, 0, 0).max(1)"),
        ("max", "empty", "narrow(0, 0, 0).max()"),
        ("amax", "no-output", "narrow(0, 0, 0).amax(1)"),
        ("argmax", "no-output", "narrow(0, 0, 0).argmax(1)"),
        ("sum", "nothing-to-uint32", "narrow(0, 0, 0).sum(dtype=torch.uint32)"),
        ("max", "scalar", "select(0, 0).select(0, 0).max(0)"),
        ("ge", "tensor", "ge(u)"),
        ("gt", "number", "gt(1)"),
        ("lt", "empty", "narrow(0, 0, 0).lt(1)"),
        ("le", "number", "le(1)"),
        ("eq", "number", "eq(1)"),
        ("ne", "float", "ne(1.5)"),
        ("eq", "int64", "eq(u.long())"),
        ("eq", "float32", "eq(u.float())"),
        ("masked_fill", "number", "masked_fill(u == 1, 3)"),
        ("masked_fill", "empty", "narrow(0, 0, 0).masked_fill(u.narrow(0, 0, 0) == 1, 3)"),
        ("where", "number", "where(u == 1, 7)"),
        ("where", "float", "where(u == 1, 1.5)"),
        ("getitem", "mask", "__getitem__(u == 1)"),
        ("index_select", "dim0", "index_select(0, torch.tensor([1, 0]))"),
        ("gather", "dim1", "gather(1, g)"),
    )
)

# Items that meet at the same dimension, or past the last.
CROWDED = tuple(
    Row(f"getitem/{special}", f"a[{index}]")
    for special, index in (
        ("two-ellipses", "..., ..."),
        ("ellipsis-int-ellipsis", "..., 0, ..."),
        ("int-two-ellipses", "0, 0, ..., ..."),
        ("two-ellipses-tensor", "..., ..., torch.tensor([0])"),
        ("two-ellipses-none", "..., ..., None"),
        ("two-ellipses-mask", "..., ..., a > 1"),
        ("true-and-int", "True, 0"),
        ("slice-true", ":, True"),
        ("true-and-tensor", "torch.tensor(True), torch.tensor([0, 1])"),
        ("none-tensor", "None, torch.tensor([0, 1])"),
        ("tensor-none-int", "torch.tensor([0, 1]), None, 0"),
        ("tensor-ellipsis-tensor", "torch.tensor([0]), ..., torch.tensor([0])"),
        ("scalar-tensor-and-tensor", "torch.tensor(0), torch.tensor([1, 2])"),
        ("scalar-uint8-tensor", "torch.tensor(1, dtype=torch.uint8)"),
        ("scalar-float-tensor", "torch.tensor(1.0)"),
        ("int16-tensor", "torch.tensor([1], dtype=torch.int16)"),
        ("scalar-tensor-out-of-bounds", "torch.tensor(5)"),
        ("out-of-bounds-of-nothing", "torch.tensor([5]), 0:0"),
        ("empty-index-matrix", "torch.zeros(0, 2, dtype=torch.int64)"),
        ("mask-of-other-rank", "torch.tensor([[True]])"),
    )
)
SCALARS = (
    Row("getitem/no-rows", "a[0:0][torch.tensor([0])]"),
    Row("getitem/scalar-by-mask", "torch.tensor(2.5)[torch.tensor([True])]"),
    Row("getitem/scalar-by-true", "torch.tensor(2.5)[torch.tensor(True)]"),
    Row("getitem/scalar-by-tensor", "torch.tensor(2.5)[torch.tensor([0])]"),
    Row("getitem/scalar-by-scalar-tensor", "torch.tensor(2.5)[torch.tensor(0)]"),
    Row("getitem/scalar-slice", "torch.tensor(2.5)[0:1]"),
)

# A conversion before the sum keeps the order of the dimensions in memory even where the layout
# has gaps, and the order of the sum depends on it: a row-major copy gives other bits.
GAPPED = tuple(
    Row(f"{op}/gapped-{dtype}-{number}", f"wave({n}, 12, 40, dtype=torch.{dtype}){view}.{call}")
    for n, dtype in ((2, "bfloat16"), (3, "float16"), (5, "float32"))
    for number, (view, op, call) in enumerate(
        (
            ("[:, 1:, 5:].permute(1, 2, 0)", "sum", "sum((0, 1), dtype=torch.float32)"),
            ("[:, 1:, 5:].permute(1, 2, 0)", "sum", "sum(dtype=torch.float64)"),
            ("[:, ::2, ::3].permute(2, 0, 1)", "mean", "mean((0, 2), dtype=torch.float32)"),
            ("[:, ::2, 3:].permute(1, 2, 0)", "mean", "mean((0, 1))"),
            ("[:, 1:, 5:].permute(2, 1, 0)", "prod", "prod(0, dtype=torch.float64)"),
            (
                "[:, :1, 5:].expand(-1, 7, -1).permute(1, 2, 0)",
                "sum",
                "sum((0, 1), dtype=torch.float64)",
            ),
        )
    )
)

BOOL = (
    Row("argmax/bool-dim-out-of-range", "cond.argmax(5)"),
    Row("argmin/bool-empty", "cond.narrow(0, 0, 0).argmin()"),
    Row("sum/float32-to-bool", "row(0.5, -0.5, nan).sum(dtype=torch.bool)"),
    Row("sum/zeros-to-bool", "row(0.0, -0.0).sum(dtype=torch.bool)"),
    Row("prod/float32-to-bool", "row(0.5, 0.0, 2.0).prod(dtype=torch.bool)"),
    Row("prod/int64-to-int8", "torch.tensor([100, 100]).prod(dtype=torch.int8)"),
    Row("min/bool-all", "cond.min()"),
    Row("min/bool-dim1", "cond.min(1)"),
    Row("amin/bool-all", "cond.amin()"),
)

# A number that is too large for the tensor's type: refused by some ops, wrapped or made infinite
# by others. The same numbers for every op.
_TOO_LARGE = (
    ("float32", 1e39),
    ("float32", 3.4e38),
    ("float16", 65519.0),
    ("float16", 65504),
    ("bfloat16", 3.4e38),
    ("int64", 1e30),
    ("int32", 2**31),
    ("int16", -32769),
    ("int8", 128),
    ("uint8", 256),
    ("uint8", -255),
    ("uint8", -256),
    ("bool", 2),
)
TOO_LARGE = tuple(
    Row(
        f"{op}/{dtype}-takes-{number}".replace("+", ""), call.format(f"a.to(torch.{dtype})", number)
    )
    for dtype, number in _TOO_LARGE
    for op, call in (
        ("masked_fill", "{0}.masked_fill(cond, {1})"),
        ("where", "torch.where(cond, {0}, {1})"),
        ("gt", "{0} > {1}"),
    )
)

MASKS = tuple(
    Row(f"masked_fill/{dtype}-as-mask", f"a.masked_fill(cond.to(torch.{dtype}), 1.0)")
    for dtype in "float64 float16 bfloat16 int64 int32 int16 int8 uint32".split()
)

# On a tie PyTorch's vector code keeps the other operand than its scalar code, so the sign of a
# zero depends on its place: whole pairs of vectors, then the rest of the line.
_ZEROS = {
    "length-9": "torch.full((9,), -0.0, dtype={0}), torch.full((9,), 0.0, dtype={0})",
    "length-35": "torch.full((35,), -0.0, dtype={0}), torch.full((35,), 0.0, dtype={0})",
    "stepped": "torch.full((70,), 0.0, dtype={0})[::2], torch.full((70,), -0.0, dtype={0})[::2]",
    "rows": "torch.full((3, 35), 0.0, dtype={0}), torch.full((35,), -0.0, dtype={0})",
    "columns": "torch.full((35, 3), 0.0, dtype={0}), torch.full((35, 1), -0.0, dtype={0})",
    "transposed": "torch.full((5, 7), 0.0, dtype={0}).t(), torch.full((7, 5), -0.0, dtype={0})",
    "scalar": "torch.full((35,), 0.0, dtype={0}), torch.tensor(-0.0, dtype={0})",
}
TIED_ZEROS = tuple(
    Row(f"{op}/tied-zeros-{name}-{dtype}", f"torch.{op}({operands.format(f'torch.{dtype}')})")
    for dtype in ("float32", "float64", "bfloat16")
    for name, operands in _ZEROS.items()
    for op in ("max", "min")
)

ROWS = (
    *SUM,
    *MEAN_AND_PROD,
    *MAX_AND_MIN,
    *ARG,
    *SPREAD,
    *BRACKETS,
    *BY_INDEX,
    *BY_CONDITION,
    *CONVERSION,
    *GAPPED,
    *CROWDED,
    *SCALARS,
    *UINT32,
    *BOOL,
    *TOO_LARGE,
    *MASKS,
    *TIED_ZEROS,
)

SUITE = parity.suite.Suite("reduce", "python/reduce.py", ROWS, namespace)
