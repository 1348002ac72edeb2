"""Suite `grad_graphs`: gradients through several calls, and the worked gradients of a course.

A tensor that is used several times adds up its gradients in the order in which they arrive, which
shows in 16-bit floats. Run `python/generate.py --only grad_graphs`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.graphs import graph
from parity.suite import Row

# What is traced, and its inputs; each in every dtype.
PROGRAMS = {
    "square-by-itself": ("lambda x: x * x", "x=ordinary(5, {d})"),
    "cube": ("lambda x: x * x * x", "x=ordinary(5, {d})"),
    "difference-with-itself": ("lambda x: x - x", "x=ordinary(5, {d})"),
    "quotient-by-itself": ("lambda x: x / x", "x=positive(5, {d})"),
    "power-of-itself": ("lambda x: x.pow(x)", "x=positive(5, {d})"),
    "maximum-with-itself": ("lambda x: torch.maximum(x, x)", "x=ordinary(5, {d})"),
    "product-with-itself": ("lambda x: x @ x", "x=ordinary(3, 3, {d})"),
    "gram-matrix": ("lambda x: x.t() @ x", "x=ordinary(2, 3, {d})"),
    "used-three-times": (
        "lambda x, w: (x * w) + (x - w) * x",
        "x=ordinary(2, 3, {d}), w=ordinary(3, {d})",
    ),
    "used-five-times": (
        "lambda x, a, b, c, e: x * a + x * b + x * c + x * e + x",
        "x=ordinary(9, {d}), a=1000 * positive(9, {d}), b=positive(9, {d}),"
        " c=-1000 * positive(9, {d}), e=ties(9, {d})",
    ),
    "used-late-and-early": (
        "lambda x, a: (((x * a).tanh() * a) + x) * (x + a)",
        "x=ordinary(7, {d}), a=positive(7, {d})",
    ),
    "diamond": ("lambda x: (x * 2).exp() - (x * 3).sin()", "x=ordinary(6, {d})"),
    "shared-weight": (
        "lambda x, y, w: torch.cat([x @ w, y @ w])",
        "x=ties(2, 3, {d}), y=ties(1, 3, {d}), w=ties(3, 2, {d})",
    ),
    "shared-bias": (
        "lambda x, b: ((x + b).relu() + b).sum(0)",
        "x=ordinary(4, 3, {d}), b=ordinary(3, {d})",
    ),
    "residual": (
        "lambda x, w: x + F.layer_norm(x, (4,), w)",
        "x=ordinary(3, 4, {d}), w=positive(4, {d})",
    ),
    "two-layers": (
        "lambda x, u, b, v: F.linear(F.linear(x, u, b).relu(), v).sum()",
        "x=ties(2, 3, {d}), u=ties(4, 3, {d}), b=ties(4, {d}), v=ties(1, 4, {d})",
    ),
    "softmax-by-hand": (
        "lambda x: (x - x.max()).exp() / (x - x.max()).exp().sum()",
        "x=ordinary(5, {d})",
    ),
    "standardised": ("lambda x: (x - x.mean()) / x.std()", "x=ordinary(7, {d})"),
    "logits-and-targets": (
        "lambda x, t: F.cross_entropy(x, t) + x.square().mean()",
        "x=ordinary(4, 3, {d}), t=torch.tensor([0, 2, 1, 2])",
    ),
    "two-heads": (
        "lambda x, u, v: torch.stack([x.matmul(u).softmax(-1), x.matmul(v).softmax(-1)])",
        "x=ties(2, 3, {d}), u=ties(3, 2, {d}), v=ordinary(3, 2, {d})",
    ),
    "attention-by-hand": (
        "lambda q, k, v: ((q @ k.transpose(-2, -1)) * 0.5).softmax(-1) @ v",
        "q=ties(2, 3, 4, {d}), k=ties(2, 3, 4, {d}), v=ties(2, 3, 4, {d})",
    ),
    "masked-scores": (
        "lambda x, m: x.masked_fill(m, -inf).softmax(-1)",
        "x=ordinary(3, 4, {d}), m=torch.tensor([True, False, False, True])",
    ),
    "views-of-one": ("lambda x: x[0] * x[1] + x[:, 1:].sum()", "x=ordinary(2, 4, {d})"),
    "overlapping-views": ("lambda x: x[:-1] * x[1:]", "x=ordinary(6, {d})"),
    "reshaped-and-transposed": (
        "lambda x: x.reshape(3, 2).t() * x.view(2, 3)",
        "x=ordinary(6, {d})",
    ),
    "unfolded": ("lambda x: x.unfold(0, 3, 1).prod(1)", "x=positive(6, {d})"),
    "stretched-and-summed": ("lambda x: x.expand(4, 3).cumsum(0).sum()", "x=ordinary(3, {d})"),
    "three-pieces-one-unused": (
        "lambda x: x.split(2)[0] * x.split(2)[2]",
        "x=ordinary(6, {d})",
    ),
    "pieces-recombined": (
        "lambda x: torch.cat([x.chunk(3)[2], x.chunk(3)[0], x.chunk(3)[2]])",
        "x=ordinary(6, {d})",
    ),
    "largest-and-where": (
        "lambda x: x.max(1).values * x.max(1).indices",
        "x=ordinary(3, 4, {d})",
    ),
    "sorted-and-differenced": (
        "lambda x: x.sort().values[1:] - x.sort().values[:-1]",
        "x=ordinary(6, {d})",
    ),
    "top-two": ("lambda x: x.topk(2).values.sum()", "x=ordinary(7, {d})"),
    "gathered-twice": (
        "lambda x, i: x.gather(1, i) * x.gather(1, i.flip(1))",
        "x=ordinary(2, 3, {d}), i=torch.tensor([[0, 2, 2], [1, 1, 0]])",
    ),
    "rows-with-repeats": (
        "lambda w, i: w[i].mean(0) + w.sum(0)",
        "w=ordinary(4, 3, {d}), i=torch.tensor([3, 0, 3, 3])",
    ),
    "scattered-and-gathered": (
        "lambda x, s, i: x.scatter_add(0, i, s)[i]",
        "x=ordinary(4, {d}), s=ordinary(5, {d}), i=torch.tensor([1, 1, 3, 0, 1])",
    ),
    "where-both-branches": (
        "lambda x: torch.where(x > 0, x.log(), x.exp())",
        "x=ordinary(6, {d})",
    ),
    "clamped-twice": ("lambda x: x.clamp(-0.5, 0.5) + x.clamp(min=0)", "x=ordinary(9, {d})"),
    "running-products": ("lambda x: x.cumprod(0).sum() + x.prod()", "x=positive(5, {d})"),
    "norm-and-direction": ("lambda x: x / x.norm() + x.norm()", "x=ordinary(4, {d})"),
    "stopped": ("lambda x: x * x.detach()", "x=ordinary(4, {d})"),
    "through-another-dtype": (
        "lambda x: x.to(float64).exp().to(float32) * 2",
        "x=ordinary(5, {d})",
    ),
    "mixed-dtypes": ("lambda x, y: x * y + y", "x=ordinary(5, {d}), y=ordinary(5)"),
    "integers-beside": (
        "lambda x, n: (x * n).sum() / n.sum()",
        "x=ordinary(5, {d}), n=torch.tensor([1, 2, 3, 4, 5])",
    ),
    "number-on-the-left": ("lambda x: 1 - 2 / (3 + x)", "x=positive(5, {d})"),
    "empty-and-not": (
        "lambda x, e: torch.cat([x, e]) * 2",
        "x=ordinary(3, {d}), e=ordinary(0, {d})",
    ),
}

DTYPES = ("float64", "float32", "float16", "bfloat16")

CROSSED = tuple(
    Row(
        f"graph/{name}-{dtype}",
        f"graph({program}, {inputs.replace('{d}', f'dtype={dtype}')})",
        backward=(),
    )
    for name, (program, inputs) in PROGRAMS.items()
    for dtype in DTYPES
)

# The lesson's own numbers, as it prints them.
COURSE = (
    Row(
        "graph/course-broadcast-add",
        "graph(lambda a, b: (a + b).sum(), a=a, b=row(10.0, 20.0, 30.0))",
        note="the gradient of b is [2, 2, 2]",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/course-broadcast-add-one-row",
        "graph(lambda a, b: (a + b).sum(), a=a, b=row(10.0, 20.0, 30.0)[None])",
        note="an exercise of the lesson: [2, 3] + [1, 3]",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/course-gather-rows",
        "graph(lambda t, i: t[i].sum(), t=table, i=torch.tensor([0, 2]))",
        note="rows 0 and 2 have gradient 1, row 1 has 0",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/course-gather-rows-twice",
        "graph(lambda t, i: t[i].sum(), t=table, i=torch.tensor([0, 0]))",
        note="a row that is taken twice has gradient 2",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/course-permute-sum",
        "graph(lambda a: a.permute(1, 0).sum(), a=a)",
        note="the gradient of a sum after permute is ones",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/course-row-means",
        "graph(lambda a: a.sum(-1, keepdim=True) * (1.0 / 3), a=a)",
        note="the mean of each row by a sum and a factor",
        backward=(),
    ),
    Row(
        "graph/course-mse",
        "graph(lambda p, t: (p - t).pow(2.0).sum() * (1.0 / 4), p=row(0.5, 2.0, -1.0, 4.0),"
        " t=row(1.0, 2.0, 1.0, 0.0))",
        note="the squared error composed of its parts",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/course-softmax-sum",
        "graph(lambda x: x.softmax(-1).sum(), x=row(1.0, 2.0, 3.0))",
        note="zero but for rounding, which is why a cotangent of ones proves nothing",
        backward=(),
        loss=True,
    ),
    Row("add/course", "a + row(10.0, 20.0, 30.0)", backward=()),
    Row("sum/course", "a.sum()", backward=(), loss=True),
    Row("sum/course-last-dim", "a.sum(-1, keepdim=True)", backward=()),
    Row("mean/course", "a.mean()", backward=(), loss=True),
    Row("softmax/course", "row(1.0, 2.0, 3.0).softmax(-1)", backward=()),
    Row("softmax/course-two", "row(0.5, -0.25).softmax(-1)", backward=()),
    Row("permute/course", "a.permute(1, 0)", backward=()),
    Row("index_select/course", "table.index_select(0, torch.tensor([0, 2]))", backward=()),
    Row("embedding/course", "F.embedding(torch.tensor([0, 0]), table)", backward=()),
    Row(
        "matmul/course-batches",
        "torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])"
        " @ torch.tensor([[[5.0], [6.0]], [[7.0], [8.0]]])",
        note="[2, 1, 2] @ [2, 2, 1]",
        backward=(),
    ),
    Row(
        "mse_loss/course",
        "F.mse_loss(row(0.5, 2.0, -1.0, 4.0), row(1.0, 2.0, 1.0, 0.0))",
        backward=(),
        loss=True,
    ),
)

ROWS = (*CROSSED, *COURSE)


def namespace() -> dict[str, Any]:
    """What the expressions may refer to."""
    return {
        **tensors.namespace(),
        "graph": graph,
        "a": tensors.row(1.0, 2.0, 3.0, 4.0, 5.0, 6.0).reshape(2, 3),
        "table": tensors.row(1.0, 2.0, 3.0, 4.0, 5.0, 6.0).reshape(3, 2),
    }


SUITE = parity.suite.Suite("grad_graphs", "python/grad_graphs.py", ROWS, namespace)
