"""Suite `course`: the worked numbers of an introduction to tensors, one row per example.

Broadcasting, reductions, softmax, permutation, gathering rows and batched matrix products, each
on the numbers of the lesson, as PyTorch expressions. Run `python/generate.py --only course`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.suite import Row

import torch


def namespace() -> dict[str, Any]:
    """The lesson's tensors."""
    return tensors.namespace() | {
        "a": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        "b": torch.tensor([10.0, 20.0, 30.0]),
        "x": torch.tensor([1.0, 2.0, 3.0]),
        "table": torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        "left": torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]]),
        "right": torch.tensor([[[5.0], [6.0]], [[7.0], [8.0]]]),
        "predicted": torch.tensor([0.5, 2.0, -1.0, 4.0]),
        "target": torch.tensor([1.0, 2.0, 1.0, 0.0]),
    }


BROADCASTING = (
    Row("add/matrix-and-row", "a + b", note="[2, 3] + [3]: each row takes the vector"),
    Row("add/matrix-and-column", "a + a[:, :1]", note="[2, 3] + [2, 1]"),
    Row("add/matrix-and-one-row", "a + b[None]", note="[2, 3] + [1, 3], to be drawn by hand"),
    Row("add/vector-and-one", "b + row(1.0)", note="[3] + [1]"),
    Row("add/matrix-and-scalar", "a + torch.tensor(1.0)", note="[B, D] + []"),
    Row("add/does-not-broadcast", "a + torch.ones(2, 4)", note="[2, 3] + [2, 4] is refused"),
    Row("mul/matrix-and-scalar", "a * torch.tensor(2.0)", note="every sample times one number"),
    Row("mul/itself", "x * x", note="both operands are the same tensor"),
    Row("sub/matrix-and-row", "a - b", note="subtraction broadcasts like addition"),
    Row("div/matrix-and-row", "a / b", note="so does division"),
    Row("broadcast_to/row", "b.broadcast_to(2, 3)", note="the map 0 1 2 0 1 2 of the lesson"),
    Row("expand/row", "b.expand(2, 3)", note="the same without a copy"),
    Row("getitem/broadcast-map", "b[torch.tensor([0, 1, 2, 0, 1, 2])]", note="the map as an index"),
    Row("addmm/linear-layer", "torch.addmm(b[:2], a, table)", note="[B, D] @ [D, out] + [out]"),
    Row("sum/after-broadcasting", "(a + b).sum()", note="the loss of the broadcasting test"),
)

REDUCTIONS = (
    Row("sum/all", "a.sum()", note="everything to a scalar"),
    Row("sum/last-dim", "a.sum(-1, keepdim=True)", note="[2, 3] to [2, 1]: 6 and 15"),
    Row("sum/last-dim-dropped", "a.sum(-1)", note="without keeping the dimension"),
    Row(
        "expand/gradient-of-sum", "torch.tensor([[2.0], [3.0]]).expand(2, 3)", note="g spreads back"
    ),
    Row("mul/mean-by-scaling", "a.sum() * (1.0 / 6)", note="mean as a sum times 1/N"),
    Row("mul/mean-by-scaling-rows", "a.sum(-1, keepdim=True) * (1.0 / 3)", note="row means"),
    Row("mean/all", "a.mean()", note="PyTorch divides instead"),
    Row("mean/last-dim", "a.mean(-1, keepdim=True)"),
    Row("mean/by-division-of-thirds", "row(0.1, 0.2, 0.4).mean()", note="not sum * (1/3)"),
    Row("mul/by-a-third", "row(0.1, 0.2, 0.4).sum() * (1.0 / 3)", note="not mean()"),
    Row("pow/squared-error", "(predicted - target).pow(2.0)"),
    Row("mul/mse-by-composition", "(predicted - target).pow(2.0).sum() * (1.0 / 4)"),
    Row("mse_loss/same", "F.mse_loss(predicted, target)"),
    Row("mse_loss/sum", "F.mse_loss(predicted, target, reduction='sum')"),
)

SOFTMAX = (
    Row("softmax/one-two-three", "x.softmax(-1)", note="0.0900, 0.2447, 0.6652"),
    Row("exp/one-two-three", "x.exp()", note="2.718, 7.389, 20.086"),
    Row("exp/overflow", "row(88.0, 88.75, 100.0).exp()", note="above 88.72 float32 has no value"),
    Row("div/naive-softmax-overflow", "row(100.0, 101.0).exp() / row(100.0, 101.0).exp().sum()"),
    Row("softmax/large-logits", "row(100.0, 101.0).softmax(-1)", note="the maximum is subtracted"),
    Row("sub/minus-maximum", "x - x.max()", note="shifted logits are at most 0"),
    Row("div/softmax-by-hand", "(x - x.max()).exp() / (x - x.max()).exp().sum()"),
    Row("softmax/rows", "a.softmax(-1)", note="each row by itself"),
    Row("softmax/two", "row(0.5, -0.25).softmax(-1)", note="d = 2, to be derived by hand"),
    Row("softmax/two-equal", "row(3.0, 3.0).softmax(-1)"),
    Row("sum/of-softmax", "x.softmax(-1).sum()", note="the outputs sum to 1"),
)

MOVING = (
    Row("permute/matrix", "a.permute(1, 0)", note="[2, 3] to [3, 2]: 1 4 2 5 3 6"),
    Row("permute/last-two", "left.permute(0, 2, 1)", note="the first dimension stays"),
    Row("transpose/matrix", "a.transpose(0, 1)"),
    Row("reshape/matrix", "a.reshape(3, 2)", note="the order of the data stays"),
    Row(
        "sum/of-permuted", "a.permute(1, 0).sum()", note="arrangement changes, information does not"
    ),
    Row("index_select/rows", "table.index_select(0, torch.tensor([0, 2]))", note="1 2 5 6"),
    Row("embedding/rows", "F.embedding(torch.tensor([0, 2]), table)", note="the same as a layer"),
    Row("getitem/rows", "table[torch.tensor([0, 2])]", note="the same in brackets"),
    Row("getitem/row-twice", "table[torch.tensor([0, 0])]", note="one row may be taken twice"),
    Row("index_select/out-of-range", "table.index_select(0, torch.tensor([3]))"),
    Row("embedding/out-of-range", "F.embedding(torch.tensor([3]), table)"),
    Row(
        "index_add/scatter-add",
        "torch.zeros(3, 2).index_add(0, torch.tensor([0, 2]), torch.ones(2, 2))",
        note="the gradient of gathering: 1 1 0 0 1 1",
    ),
    Row(
        "index_add/scatter-add-twice",
        "torch.zeros(3, 2).index_add(0, torch.tensor([0, 0]), torch.ones(2, 2))",
        note="a row taken twice has twice the gradient",
    ),
)

PRODUCTS = (
    Row("matmul/matrices", "a @ table", note="C[m, n] = A[m, k] @ B[k, n]"),
    Row("matmul/batch", "left @ right", note="[2, 1, 2] @ [2, 2, 1]: 17 and 53"),
    Row("bmm/batch", "torch.bmm(left, right)", note="the same, where both have to be 3-D"),
    Row("matmul/gradient-of-left", "torch.ones(2, 1, 1) @ right.transpose(1, 2)", note="g @ B^T"),
    Row("matmul/gradient-of-right", "left.transpose(1, 2) @ torch.ones(2, 1, 1)", note="A^T @ g"),
    Row("matmul/inner-mismatch", "left @ left", note="inner dimensions have to agree"),
    Row("bmm/batch-mismatch", "torch.bmm(left, right[:1])", note="as do batches"),
    Row("bmm/two-dims", "torch.bmm(a, table)", note="and ranks"),
    Row("matmul/batch-broadcasts", "left @ right[:1]", note="matmul lets a batch of 1 spread"),
)

ROWS = (*BROADCASTING, *REDUCTIONS, *SOFTMAX, *MOVING, *PRODUCTS)

SUITE = parity.suite.Suite("course", "python/course.py", ROWS, namespace)
