"""Suite `public`, gradients: what engines were publicly reported to get wrong in a backward pass.

Rows of `public`. What the reports sum to a number, so that there is one gradient, is left as it is
where the sum is part of the fault, and else the op alone: a case has a cotangent for every output.
"""

from parity.suite import Row

GRAD_TIES = (
    Row(
        "median/pytorch.pytorch-43519",
        "torch.median(row(2., 2., 2., 5.))",
        note="pytorch/pytorch#43519: the gradient of the full median is shared by its equals",
        backward=(),
        loss=True,
    ),
    Row(
        "amax/apache.mxnet-18563",
        "torch.amax(torch.tensor([[1., 1.], [1., 0.], [1., 1.]]), dim=0)",
        note="apache/mxnet#18563: every tie got the whole gradient",
        backward=(),
    ),
    Row(
        "minimum/shader-slang.slang-6412",
        "torch.minimum(row(2., 1., 5.), row(2., 3., 5.))",
        note="shader-slang/slang#6412: an elementwise tie gives half to each",
        backward=(),
    ),
    Row(
        "min/TrenTorch.TrenTorch-58",
        "torch.full((2, 2), 5.).min()",
        note="TrenTorch/TrenTorch#58: max and min lost the gradient",
        backward=(),
        loss=True,
    ),
    Row(
        "clamp/pytorch.pytorch-184574",
        "torch.clamp(row(-1., 2., -2., 3., 0.), min=-1., max=2.)",
        note="pytorch/pytorch#184574: the slope at a bound that is a number is 1 to 2.13, 0 from 2.14",
        backward=(),
    ),
    Row(
        "clamp/pytorch.pytorch-185927",
        "torch.clamp(row(1., 2., 3.), min=row(1., 3., 0.))",
        note="pytorch/pytorch#185927: a tie with a bound that is a tensor is shared",
        backward=(),
    ),
    Row(
        "clamp/tinygrad.tinygrad-13533",
        "torch.clamp(row(-1., 0., 1.), max=0.)",
        note="tinygrad/tinygrad#13533: engine and PyTorch differ at the bound",
        backward=(),
    ),
    Row(
        "graph/tinygrad.tinygrad-18033",
        "graph(lambda x, rest: torch.cat([x, rest]).max(), x=row(1., 1., dtype=float16), rest=row(1., dtype=float16).expand(69998))",
        note="tinygrad/tinygrad#18033: 70,000 ties overflowed a count in half precision (the others are one stretched element)",
        backward=("x",),
        loss=True,
    ),
    Row(
        "min/tensor4all.tenferro-rs-67",
        "torch.tensor([[4., 2.], [4., 1.], [3., 1.]]).min(dim=0)",
        note="tensor4all/tenferro-rs#67: ties have to break the same way each time",
        backward=(),
    ),
    Row(
        "max/jax-ml.jax-13600",
        "row(nan, 1., nan).max()",
        note="jax-ml/jax#13600: the gradient of a NaN maximum is shared by the NaN elements",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/ml-explore.mlx-4114",
        "graph(lambda x, w: (torch.sort(x).values * w).sum(), x=row(3., 1., 2.), w=row(1., 10., 100.))",
        note="ml-explore/mlx#4114: the gradient of sort is a scatter by its indices",
        backward=(),
        loss=True,
    ),
)

GRAD_BROADCAST = (
    Row(
        "graph/tracel-ai.burn-181",
        "graph(lambda a, b: ((a + b) ** 2).sum(), a=torch.tensor([[1.], [2.]]), b=torch.tensor([[1., 0., 3.]]))",
        note="tracel-ai/burn#181: the gradient of a bias was not summed back",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/pytorch.pytorch-818",
        "graph(lambda a, b: (a * b).sum(), a=row(1., 2., 3.), b=torch.tensor([[1., 1., 1.], [2., 2., 2.]]))",
        note="pytorch/pytorch#818: the gradient kept the broadcast shape",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/ml-explore.mlx-610",
        "graph(lambda x, ones: ((x + ones) ** 2).sum(), x=torch.tensor([[1., 2.], [3., 4.]]), ones=torch.ones(2, 2, 2))",
        note="ml-explore/mlx#610: the gradient was lost where the rank grows",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/propelml.propel-69",
        "graph(lambda a, b: (a / b).sum(), a=torch.tensor([[8., 4.], [2., 6.]]), b=row(2., 4.))",
        note="propelml/propel#69: gradient of a broadcast division",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/candle-org.candle-167",
        "graph(lambda x: torch.expand_copy(x, (3, 2)).sum(), x=torch.tensor([[1., 2.]]))",
        note="candle-org/candle#167: the backward pass of expand sums",
        backward=(),
        loss=True,
    ),
)

GRAD_MATMUL = (
    Row(
        "graph/flashlight.flashlight-760",
        "graph(lambda a, b: (a @ b).sum(), a=torch.tensor([[1., 2.]]), b=torch.arange(8.).reshape(2, 2, 2))",
        note="flashlight/flashlight#760: the gradient of a shared left operand was not summed over the batch",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/huggingface.candle-3744",
        "graph(lambda a, b: (a.expand(2, 1, 2) @ b).sum(), a=torch.tensor([[[1., 2.]]]), b=torch.arange(8.).reshape(2, 2, 2))",
        note="huggingface/candle#3744: gradient of an expanded left operand",
        backward=(),
        loss=True,
    ),
)

GRAD_INDEX = (
    Row(
        "embedding/pytorch.pytorch-3233-gradient",
        "F.embedding(torch.tensor([2, 1, 2]), torch.zeros(3, 2), padding_idx=-1)",
        note="pytorch/pytorch#3233: a negative padding_idx counts from the end",
        backward=(),
    ),
    Row(
        "graph/pytorch.pytorch-99181",
        "graph(lambda w, ids, s: (F.embedding(ids, w) * s).sum(), w=torch.zeros(3, 2), ids=torch.tensor([1, 1, 2]), s=torch.tensor([[1.], [10.], [100.]]))",
        note="pytorch/pytorch#99181: the gradients of repeated ids add up",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/pytorch.pytorch-1631",
        "graph(lambda x, i, w: (x.gather(0, i) * w).sum(), x=row(0.5, 1.), i=torch.tensor([0, 0]), w=row(2., 3.))",
        note="pytorch/pytorch#1631: the last copy won instead of the sum",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/ooples.AiDotNet.Tensors-894",
        "graph(lambda x, i, w: (x.gather(1, i) * w).sum(), x=torch.zeros(2, 3), i=torch.tensor([[2, 2, 0], [1, 1, 1]]), w=torch.tensor([[1., 2., 4.], [8., 16., 32.]]))",
        note="ooples/AiDotNet.Tensors#894: the backward pass was a gather instead of a scatter_add",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/apache.mxnet-9172",
        "graph(lambda x, i, j: x[i, j].sum(), x=torch.arange(6.).reshape(2, 3), i=torch.tensor([0, 0, 1]), j=torch.tensor([2, 2, 0]))",
        note="apache/mxnet#9172: repeated pairs of indices overwrote each other",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/tracel-ai.burn-4064",
        "graph(lambda a, b, i, ones: (a.scatter(1, i, b) * ones).sum(), a=torch.zeros(2, 4), b=torch.tensor([[5.], [6.]]), i=torch.tensor([[3], [1]]), ones=torch.ones(2, 4))",
        note="tracel-ai/burn#4064: elements that scatter overwrites have gradient zero",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/tracel-ai.burn-4909",
        "graph(lambda x, i, s: x.scatter_reduce(0, i, s, 'prod').sum(), x=row(2., 2.), i=torch.tensor([1, 1]), s=row(3., 5.))",
        note="tracel-ai/burn#4909: gradient of a scattered product with repeats",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/flagos-ai.FlagGems-359",
        "graph(lambda x, i: torch.take(x, i).sum(), x=torch.tensor([[1., 2.], [3., 4.]]), i=torch.tensor([0, 3, 3, -1]))",
        note="flagos-ai/FlagGems#359: repeated flat indices",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/huggingface.candle-3507",
        "graph(lambda x: x.max() * x.sum(), x=row(1., 2., 4.))",
        note="huggingface/candle#3507: the gradients of two reductions of one tensor add up",
        backward=(),
        loss=True,
    ),
)

GRAD_PROD = (
    Row(
        "prod/apache.mxnet-17864",
        "torch.tensor([[7., 0.], [3., 2.]]).prod(dim=1)",
        note="apache/mxnet#17864: the product divided by the element",
        backward=(),
    ),
    Row(
        "prod/tenstorrent.tt-metal-55890",
        "torch.tensor([[0., 2.], [3., 0.], [0., 4.]]).prod(dim=0)",
        note="tenstorrent/tt-metal#55890: each slice has its own number of zeros",
        backward=(),
    ),
    Row(
        "cumprod/pymc-devs.pytensor-1911",
        "torch.cumprod(row(2., 0., 3., 4.), 0)",
        note="pymc-devs/pytensor#1911: the form with a division gave NaN",
        backward=(),
    ),
    Row(
        "graph/jax-ml.jax-9296",
        "graph(lambda x: x.prod().log(), x=row(1., 2., 4.))",
        note="jax-ml/jax#9296: gradient of a product through a logarithm",
        backward=(),
        loss=True,
    ),
)

GRAD_SINGULAR = (
    Row(
        "norm/pytorch.pytorch-2421",
        "row(0., 0.).norm()",
        note="pytorch/pytorch#2421: the gradient of the norm at zero was NaN and is 0",
        backward=(),
        loss=True,
    ),
    Row(
        "norm/pytorch.pytorch-3264",
        "row(0., -2., 3.).norm(p=1)",
        note="pytorch/pytorch#3264: the 1-norm at zero elements",
        backward=(),
        loss=True,
    ),
    Row(
        "norm/pytorch.pytorch-44452",
        "row(0., 4.).norm(p=0.5)",
        note="pytorch/pytorch#44452: a norm of p < 1 at a zero element",
        backward=(),
        loss=True,
    ),
    Row(
        "linalg.vector_norm/HIPS.autograd-151",
        "torch.linalg.vector_norm(torch.tensor([[0., 0.], [3., 4.]]), dim=1)",
        note="HIPS/autograd#151: the norm of a row of zeros",
        backward=(),
    ),
    Row(
        "graph/ml-explore.mlx-3668",
        "graph(lambda x, least: torch.maximum(torch.sqrt(x[0] ** 2 + x[1] ** 2), least), x=row(0., 0.), least=torch.tensor(1e-10))",
        note="ml-explore/mlx#3668: zero times NaN behind a maximum",
        backward=(),
        loss=True,
    ),
    Row(
        "std/pytorch.pytorch-4320",
        "row(2., 2., 2.).std()",
        note="pytorch/pytorch#4320: the gradient of the std of a constant was NaN and is 0",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/keras-team.keras-2960",
        "graph(lambda x: x.var().sqrt(), x=row(2., 2.))",
        note="keras-team/keras#2960: the root of the variance of a constant has gradient NaN",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/pytorch.pytorch-187297",
        "graph(lambda x: torch.where(x > 0, torch.sqrt(x), x).sum(), x=row(-3., 16.))",
        note="pytorch/pytorch#187297: the root in the branch that is not taken",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/pytorch.pytorch-4132",
        "graph(lambda x, d, m: (x / d)[m].sum(), x=row(3., 2.), d=row(0., 4.), m=torch.tensor([False, True]))",
        note="pytorch/pytorch#4132: x/0 that a mask drops is NaN all the same",
        backward=(),
        loss=True,
    ),
    Row(
        "logsumexp/pytorch.pytorch-31829",
        "torch.logsumexp(row(-inf, -inf), 0)",
        note="pytorch/pytorch#31829: the gradient is NaN where all are -inf",
        backward=(),
        loss=True,
    ),
    Row(
        "logsumexp/pytorch.pytorch-49724",
        "torch.logsumexp(row(inf, 1.), 0)",
        note="pytorch/pytorch#49724: the gradient at +inf",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/clab.dynet-218",
        "graph(lambda x: torch.log_softmax(x, 0)[0], x=row(-2000., 0., 0.))",
        note="clab/dynet#218: exp(t) * d / exp(t) gave NaN for large negative t",
        backward=(),
        loss=True,
    ),
    Row(
        "graph/jax-ml.jax-40409",
        "graph(lambda x, zeros: torch.log_softmax(torch.cat([x, zeros]), 0).sum(), x=row(2., dtype=float16), zeros=row(0., dtype=float16).expand(69999))",
        note="jax-ml/jax#40409: the gradient of log_softmax over 70,000 halves was NaN (all but one are one stretched element)",
        backward=("x",),
        loss=True,
    ),
    Row(
        "abs/pytorch.pytorch-6394",
        "row(0., -0., -2.).abs()",
        note="pytorch/pytorch#6394: the gradient of abs at 0 is 0",
        backward=(),
    ),
)

ROWS = (*GRAD_TIES, *GRAD_BROADCAST, *GRAD_MATMUL, *GRAD_INDEX, *GRAD_PROD, *GRAD_SINGULAR)
