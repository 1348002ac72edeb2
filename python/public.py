"""Suite `public`: what engines and libraries were publicly reported to get wrong.

Each row is one small expression that shows a kind of fault; the note names the public issue and
what was reported. What is right is PyTorch's answer. The last part of an id is the repository
and the issue's number. Run `python/generate.py --only public`.
"""

from typing import Any

import parity.suite
import public_gradients
from parity import tensors
from parity.graphs import graph
from parity.suite import Row


def namespace() -> dict[str, Any]:
    """What the expressions may refer to."""
    return {**tensors.namespace(), "graph": graph}


NAN_MINMAX = (
    Row(
        "min/tracel-ai.burn-4814",
        "torch.min(torch.tensor([[2., nan, -1.], [4., 7., 5.]]), dim=1).indices",
        note="tracel-ai/burn#4814: row min index skips NaN",
    ),
    Row(
        "argmax/tracel-ai.burn-5155",
        "torch.argmax(torch.tensor([8., nan, 9.]))",
        note="tracel-ai/burn#5155: argmax gives index of largest number",
    ),
    Row(
        "argmin/ml-explore.mlx-4274",
        "torch.argmin(torch.tensor([6., nan, -inf, 2.]))",
        note="ml-explore/mlx#4274: argmin skips NaN while min propagates it",
    ),
    Row(
        "amin/ml-explore.mlx-577",
        "torch.amin(torch.tensor([[1., 8., nan], [nan, 5., 6.]]), dim=0)",
        note="ml-explore/mlx#577: cpu and gpu disagree on NaN in max/min along axis 0",
    ),
    Row(
        "min/tinygrad.tinygrad-862",
        "torch.tensor([nan, 3., 4.]).min()",
        note="tinygrad/tinygrad#862: leading NaN lost by ordered compare",
    ),
    Row(
        "cummin/ml-explore.mlx-4044",
        "torch.cummin(torch.tensor([7., nan, -inf, 1.]), 0).values",
        note="ml-explore/mlx#4044: NaN dropped or kept only in its own slot",
    ),
    Row(
        "cummin/pola-rs.polars-22855",
        "torch.cummin(torch.tensor([inf, inf, 6.]), 0).values",
        note="pola-rs/polars#22855: leading inf replaced by largest finite number",
    ),
    Row(
        "argmin/pytorch.xla-2419",
        "torch.argmin(torch.tensor([[1., 1., 1.], [1., 1., nan]]))",
        note="pytorch/xla#2419: argmin missed the NaN",
    ),
    Row(
        "argmin/jax-ml.jax-3193",
        "torch.argmin(torch.cat([torch.zeros(33), torch.full((20,), nan)]))",
        note="jax-ml/jax#3193: argmin returned an out-of-range index with NaN",
    ),
    Row(
        "argmin/jvdd.argminmax-39",
        "torch.argmin(torch.where(torch.arange(1000) == 777, torch.tensor(nan), torch.arange(1000.)))",
        note="jvdd/argminmax#39: two argmin families: ignore NaN or return it; long input uses SIMD",
    ),
    Row(
        "argmin/elixir-nx.nx-1198",
        "torch.argmin(torch.full((3,), inf))",
        note="elixir-nx/nx#1198: start value inf never beaten",
    ),
    Row(
        "max/pola-rs.polars-23635",
        "torch.tensor([1.5, nan, -2.], dtype=torch.float64).max()",
        note="pola-rs/polars#23635: float max skips NaN",
    ),
)

ARG_TIES = (
    Row(
        "argmax/huggingface.candle-1917",
        "torch.argmax(torch.tensor([[4., 9., 9.], [7., 7., 1.]]), dim=-1, keepdim=True)",
        note="huggingface/candle#1917: tie rule of argmax_keepdim not stated",
    ),
    Row(
        "argmax/pytorch.pytorch-41998",
        "torch.argmax(torch.stack([torch.tensor([1, 2, 6]), torch.tensor([5, 2, 6])], dim=1), dim=1)",
        note="pytorch/pytorch#41998: tie gave 1 where numpy gives 0",
    ),
    Row(
        "max/pytorch.pytorch-33253",
        "torch.max(torch.tensor([[0, 6, 6, 6], [6, 6, 0, 6]]), dim=1).indices",
        note="pytorch/pytorch#33253: max index and argmax disagreed on ties",
    ),
    Row(
        "argmin/tinygrad.tinygrad-1576",
        "torch.argmin(torch.tensor([3, 1, 2, 1]))",
        note="tinygrad/tinygrad#1576: last tie picked",
    ),
    Row(
        "minimum/tinygrad.tinygrad-8145",
        "torch.minimum(torch.tensor([-128, 127], dtype=torch.int8), torch.tensor([-127, -128], dtype=torch.int8))",
        note="tinygrad/tinygrad#8145: minimum by negation overflows",
    ),
    Row(
        "argmax/tinygrad.tinygrad-8108",
        "torch.argmax(~torch.tensor([2, 2]))",
        note="tinygrad/tinygrad#8108: index past the end on fused inverted input",
    ),
    Row(
        "cummin/pytorch.pytorch-26637",
        "torch.cummin(torch.tensor([[4., 4.], [4., 2.], [1., 2.]]), 0).indices",
        note="pytorch/pytorch#26637: cumulative index rule on ties",
    ),
)

SIGNED_ZERO = (
    Row(
        "signbit/pytorch.pytorch-193781",
        "torch.signbit(torch.maximum(torch.full((8,), -0.), torch.full((8,), 0.)))",
        note="pytorch/pytorch#193781: sign of zero depends on length (sign of a tied zero is not promised)",
    ),
    Row(
        "max/ml-explore.mlx-4063",
        "torch.tensor([-0., 0., -0.]).max()",
        note="ml-explore/mlx#4063: max of signed zeros (sign of a tied zero is not promised)",
    ),
    Row(
        "sum/data-apis.array-api-707",
        "torch.sum(torch.tensor([-0., -0.]))",
        note="data-apis/array-api#707: start value decides the sign of a sum of -0",
    ),
)

EMPTY_REDUCE = (
    Row(
        "sum/pytorch.pytorch-117222",
        "torch.zeros(2, 0, 3).sum(dim=1, keepdim=True)",
        note="pytorch/pytorch#117222: reader expected an empty result",
    ),
    Row(
        "sum/microsoft.onnxruntime-8146",
        "torch.zeros(0).sum(dim=[], keepdim=True)",
        note="microsoft/onnxruntime#8146: output got size 0 instead of [0.]",
    ),
    Row(
        "amax/microsoft.onnxruntime-7563",
        "torch.amax(torch.zeros(3, 0, 4), dim=1)",
        note="microsoft/onnxruntime#7563: keepdim form returned size 0 instead of failing",
    ),
    Row(
        "argmax/pytorch.pytorch-130121",
        "torch.argmax(torch.zeros(0))",
        note="pytorch/pytorch#130121: message asks for dim",
    ),
    Row(
        "max/pytorch.pytorch-130086",
        "torch.max(torch.zeros(0), dim=0)",
        note="pytorch/pytorch#130086: max over size-0 dim has no identity",
    ),
    Row(
        "min/pytorch.pytorch-28380",
        "torch.zeros(3, 0).min(0).values",
        note="pytorch/pytorch#28380: refused although reduced dim is not empty",
    ),
    Row(
        "median/pytorch.pytorch-71629",
        "torch.median(torch.zeros(2, 0))",
        note="pytorch/pytorch#71629: median of nothing is NaN, max raises",
    ),
    Row(
        "std/data-apis.array-api-262",
        "torch.zeros(0).std()",
        note="data-apis/array-api#262: std over empty set",
    ),
    Row(
        "min/NVIDIA.cudf-195",
        "torch.zeros(0, dtype=torch.int32).min()",
        note="NVIDIA/cudf#195: min of empty returned extreme value",
    ),
    Row(
        "logsumexp/dotnet.infer-418",
        "torch.logsumexp(torch.zeros(0), 0)",
        note="dotnet/infer#418: log-sum-exp of empty raised instead of -inf",
    ),
    Row(
        "any/pytorch.pytorch-21033",
        "torch.any(torch.zeros(0, dtype=torch.bool))",
        note="pytorch/pytorch#21033: any over nothing is false",
    ),
    Row(
        "softmax/huggingface.candle-2034",
        "torch.softmax(torch.zeros(2, 0), dim=1)",
        note="huggingface/candle#2034: zero-length dims unsupported",
    ),
    Row(
        "nonzero/tracel-ai.burn-2180",
        "torch.nonzero(torch.zeros(4))",
        note="tracel-ai/burn#2180: panicked on an all-zero input",
    ),
    Row(
        "getitem/robertknight.rten-325",
        "torch.zeros(0, 4)[:, 1:3]",
        note="robertknight/rten#325: slice of an empty tensor panicked",
    ),
    Row(
        "narrow/pytorch.pytorch-10351",
        "torch.arange(3.).narrow(0, 3, 0)",
        note="pytorch/pytorch#10351: length-0 narrow refused",
    ),
)

DIMS_KEEPDIM = (
    Row(
        "amax/pytorch.pytorch-29137",
        "torch.arange(6.).reshape(2, 3).amax(dim=())",
        note="pytorch/pytorch#29137: empty dim list rule differs between ops",
    ),
    Row(
        "sum/tinygrad.tinygrad-5089",
        "torch.tensor(3.).sum(dim=1)",
        note="tinygrad/tinygrad#5089: bad axis on a 0-d tensor accepted",
    ),
    Row(
        "sum/etaler.Etaler-116",
        "torch.arange(6.).reshape(1, 2, 3).sum(dim=-3)",
        note="etaler/Etaler#116: wrong shape for the most negative axis",
    ),
    Row(
        "sum/NervanaSystems.ngraph-4393",
        "torch.arange(24.).reshape(2, 3, 4).sum(dim=(-1, 0), keepdim=True)",
        note="NervanaSystems/ngraph#4393: negative axis not normalised with keepdim",
    ),
    Row(
        "sum/rust-ndarray.ndarray-546",
        "torch.ones(2, 3).sum(dim=2)",
        note="rust-ndarray/ndarray#546: axis out of range not checked",
    ),
    Row(
        "getitem/tracel-ai.burn-2109",
        "torch.arange(3.).mean()[0:1]",
        note="tracel-ai/burn#2109: 0-d result of a full reduction handled as 1-d",
    ),
    Row(
        "sum/unifyai.ivy-3017",
        "torch.arange(8.).reshape(2, 2, 2).prod(dim=1).sum(dim=(0, 1))",
        note="unifyai/ivy#3017: several axes in one reduction",
    ),
)

DTYPE_PROMOTION = (
    Row(
        "sum/pytorch.pytorch-756",
        "torch.ones(320, dtype=torch.uint8).sum()",
        note="pytorch/pytorch#756: byte sum wrapped at 256",
    ),
    Row(
        "cumsum/apache.tvm-20374",
        "torch.cumsum(torch.tensor([250, 10, 9], dtype=torch.uint8), 0)",
        note="apache/tvm#20374: scan kept uint8 and wrapped",
    ),
    Row(
        "cumprod/pytorch.pytorch-128294",
        "torch.cumprod(torch.tensor([16, 16, 3], dtype=torch.uint8), 0, dtype=torch.uint8)",
        note="pytorch/pytorch#128294: explicit dtype wraps, default gives int64",
    ),
    Row(
        "prod/pytorch.pytorch-127866",
        "torch.prod(torch.zeros((3, 17), dtype=torch.bool), dtype=torch.bool)",
        note="pytorch/pytorch#127866: torch 2.3 gave True",
    ),
    Row(
        "any/pytorch.pytorch-50342",
        "torch.any(torch.tensor([3, 0, 200], dtype=torch.uint8))",
        note="pytorch/pytorch#50342: uint8 in gives uint8 out, all others bool",
    ),
    Row(
        "all/pytorch.pytorch-117215",
        "torch.all(torch.tensor([768, 256]), dim=0, out=torch.zeros((), dtype=torch.uint8))",
        note="pytorch/pytorch#117215: input narrowed to uint8 before the test (still so in 2.15.0)",
    ),
    Row(
        "mean/pytorch.pytorch-64897",
        "torch.tensor([True, False]).mean()",
        note="pytorch/pytorch#64897: mean of bool/int refused",
    ),
    Row(
        "sum/pola-rs.polars-2500",
        "torch.full((200,), 255, dtype=torch.int16).sum()",
        note="pola-rs/polars#2500: int16 sum wrapped inside mean",
    ),
    Row(
        "cumsum/pytorch.pytorch-153359",
        "torch.cumsum(torch.tensor([100., 100., 100.], dtype=torch.bfloat16), 0, dtype=torch.int8)",
        note="pytorch/pytorch#153359: narrow int accumulation wraps",
    ),
    Row(
        "add/pytorch.pytorch-42473",
        "torch.tensor([201, 7], dtype=torch.uint8) + torch.tensor([-3, 100], dtype=torch.int8)",
        note="pytorch/pytorch#42473: uint8 with int8 gives int16",
    ),
    Row(
        "mul/apache.tvm-20405",
        "torch.tensor([1., 2.]) * torch.tensor(3., dtype=torch.float64)",
        note="apache/tvm#20405: importer widened to float64",
    ),
    Row(
        "add/apache.tvm-20372",
        "torch.tensor([True, False]) + 1",
        note="apache/tvm#20372: bool with int scalar",
    ),
    Row(
        "where/pytorch.pytorch-9515",
        "torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), torch.tensor(0.5))",
        note="pytorch/pytorch#9515: category rule for mixed operands",
    ),
    Row(
        "cumsum/numpy.numpy-31876",
        "torch.cumsum(torch.tensor([30000, 30000], dtype=torch.int16), 0)",
        note="numpy/numpy#31876: small int scan promoted to int64",
    ),
    Row(
        "sum/openvinotoolkit.openvino-35919",
        "torch.tensor([9007199254740993, -9007199254740992]).sum()",
        note="openvinotoolkit/openvino#35919: int64 sum must not pass through float",
    ),
    Row(
        "to/tinygrad.tinygrad-6305",
        "torch.tensor([-1., -2., 255.9, 3.7]).to(torch.uint8)",
        note="tinygrad/tinygrad#6305: negative float to byte (undefined in C++; torch CPU wraps, CUDA may differ)",
    ),
    Row(
        "median/pytorch.pytorch-198056",
        "torch.median(torch.tensor([7, 1, 4], dtype=torch.uint8))",
        note="pytorch/pytorch#198056: median keeps dtype and is 0-d",
    ),
)

HALF_ACCUMULATE = (
    Row(
        "sum/huggingface.candle-3717",
        "torch.softmax(torch.zeros(1, 8192, dtype=torch.float16), dim=-1).float().sum()",
        note="huggingface/candle#3717: row summed to 2.0",
    ),
    Row(
        "sum/huggingface.candle-3765",
        "torch.ones((8192, 3), dtype=torch.float16).sum(0)",
        note="huggingface/candle#3765: non-trailing axis still saturated",
    ),
    Row(
        "sum/huggingface.candle-3765-again",
        "torch.ones((2, 4096), dtype=torch.bfloat16).t()[:, 1].sum()",
        note="huggingface/candle#3765: strided half view",
    ),
    Row(
        "var/pytorch.pytorch-44350",
        "torch.tensor([40000., 40000., 40000.], dtype=torch.float16).var()",
        note="pytorch/pytorch#44350: half mean/var overflow (torch 1.7 CPU)",
    ),
    Row(
        "sum/pytorch.pytorch-60387",
        "(torch.arange(600, dtype=torch.float32) % 7).to(torch.bfloat16).reshape(300, 2).sum(0)",
        note="pytorch/pytorch#60387: bf16 column sums truncated",
    ),
    Row(
        "getitem/pytorch.pytorch-180150",
        "torch.cumsum(torch.ones(3000, dtype=torch.float16), 0)[[2047, 2048, 2049, 2999]]",
        note="pytorch/pytorch#180150: half scan stalls at 2048",
    ),
    Row(
        "sum/torch-spyre.torch-spyre-2344",
        "torch.full((10,), 0.1, dtype=torch.bfloat16).sum()",
        note="torch-spyre/torch-spyre#2344: bf16 rounding of the final sum",
    ),
    Row(
        "sum/tinygrad.tinygrad-5012",
        "torch.full((3,), 30000., dtype=torch.float16).sum()",
        note="tinygrad/tinygrad#5012: half sum over 65504 is inf",
    ),
    Row(
        "linalg.vector_norm/pytorch.pytorch-44350",
        "torch.linalg.vector_norm(torch.full((2,), 300., dtype=torch.float16))",
        note="pytorch/pytorch#44350: squares overflow half, norm does not",
    ),
)

FLOAT_ACCURACY = (
    Row(
        "var/pytorch.pytorch-2470",
        "torch.tensor([5120.5, 5120.25]).var(0)",
        note="pytorch/pytorch#2470: E[x^2]-E[x]^2 in f32 gave 0",
    ),
    Row(
        "std/pytorch.pytorch-180156",
        "torch.tensor([1e20, 2e20, 4e20]).std()",
        note="pytorch/pytorch#180156: f32 sum of squares overflowed",
    ),
    Row(
        "mean/pytorch.pytorch-44350",
        "torch.tensor([3e38, 3e38, 3e38]).mean()",
        note="pytorch/pytorch#44350: f32 mean overflows through its sum",
    ),
    Row(
        "cumsum/pola-rs.polars-27732",
        "torch.cumsum(torch.full((1,), 0.1).expand(4000), 0)",
        note="pola-rs/polars#27732: f32 running sum drifts (there over 100,000 elements)",
    ),
    Row(
        "mean/pola-rs.polars-2500",
        "torch.full((1,), 255.).expand(2097152).mean()",
        note="pola-rs/polars#2500: f32 mean of many values off",
    ),
    Row(
        "cumprod/tenstorrent.tt-metal-55542",
        "torch.cumprod(torch.full((16,), 1.1), 0)",
        note="tenstorrent/tt-metal#55542: scan carries a wider type",
    ),
)

SOFTMAX_INF = (
    Row(
        "softmax/pytorch.pytorch-6864",
        "torch.softmax(torch.tensor([3., inf]), -1)",
        note="pytorch/pytorch#6864: NaN even with one inf",
    ),
    Row(
        "softmax/FluxML.NNlib.jl-206",
        "torch.softmax(torch.tensor([-inf, 0., -inf]), -1)",
        note="FluxML/NNlib.jl#206: finite entries with -inf are fine",
    ),
    Row(
        "softmax/ohdearquant.lattice-740",
        "torch.softmax(torch.tensor([4., nan]), 0)",
        note="ohdearquant/lattice#740: f32::max dropped NaN, row became [1, 0]",
    ),
    Row(
        "softmax/pytorch.pytorch-131060",
        "torch.softmax(torch.tensor([[1., 2.], [3., 4.]]).masked_fill(torch.tensor([[False, True], [True, True]]), -inf), dim=1)",
        note="pytorch/pytorch#131060: masked_fill then softmax on a full row",
    ),
    Row(
        "log_softmax/FluxML.NNlib.jl-68",
        "torch.log_softmax(torch.tensor([-900., 30., 1500.]), 0)",
        note="FluxML/NNlib.jl#68: log of a zero probability",
    ),
    Row(
        "softmax/huggingface.candle-3717",
        "torch.softmax(torch.tensor([60000., 59968., -60000.], dtype=torch.float16), 0)",
        note="huggingface/candle#3717: half difference of extremes",
    ),
)

LOGSUMEXP_INF = (
    Row(
        "logsumexp/ml-explore.mlx-576",
        "torch.logsumexp(torch.tensor([[inf, 0.], [1., 2.]]), dim=1)",
        note="ml-explore/mlx#576: +inf row gave NaN",
    ),
    Row(
        "logsumexp/HenrikBengtsson.matrixStats-84",
        "torch.logsumexp(torch.tensor([[-inf, -inf], [-inf, 0.]]), dim=1)",
        note="HenrikBengtsson/matrixStats#84: all -inf gave NaN",
    ),
    Row(
        "logsumexp/sims1253.bayesfam-33",
        "torch.logsumexp(torch.tensor([1., nan, inf]), 0)",
        note="sims1253/bayesfam#33: NaN and inf together",
    ),
    Row(
        "logsumexp/rusty1s.pytorch_scatter-369",
        "torch.logsumexp(torch.tensor([[nan, 1.], [-inf, 2.]]), dim=1)",
        note="rusty1s/pytorch_scatter#369: NaN treatment in log-sum-exp",
    ),
)

SORT_TOPK_MEDIAN = (
    Row(
        "neg/pytorch.pytorch-76800",
        "-torch.median(-torch.tensor([10., 20., 30., 40.]))",
        note="pytorch/pytorch#76800: not symmetric under negation",
    ),
    Row(
        "median/pytorch.pytorch-45084",
        "torch.median(torch.tensor([1., nan, 3., nan]), dim=0).indices",
        note="pytorch/pytorch#45084: index of the NaN that wins",
    ),
    Row(
        "topk/pytorch.pytorch-16762",
        "torch.topk(torch.tensor([inf, nan, 3., -inf]), 2).values",
        note="pytorch/pytorch#16762: NaN ranks above inf",
    ),
    Row(
        "topk/pytorch.pytorch-117617",
        "torch.topk(torch.tensor([-nan, 5., nan, 7.]), 3).values",
        note="pytorch/pytorch#117617: sign of NaN changed the order",
    ),
    Row(
        "sort/pytorch.pytorch-15886",
        "torch.sort(torch.tensor([2., nan, -inf, 1.])).values",
        note="pytorch/pytorch#15886: NaN sorts last ascending",
    ),
    Row(
        "kthvalue/pytorch.pytorch-17824",
        "torch.kthvalue(torch.tensor([3., nan, 1.]), 3).values",
        note="pytorch/pytorch#17824: kthvalue follows sort on NaN",
    ),
    Row(
        "argsort/huggingface.candle-3874",
        "torch.argsort(torch.tensor([[9., 8., 3.], [1., 2., 0.]])[1:], dim=-1, descending=True, stable=True)",
        note="huggingface/candle#3874: row offset ignored",
    ),
)

STRIDED_VIEWS = (
    Row(
        "sum/tracel-ai.burn-5599",
        "torch.arange(20.).reshape(4, 5).t()[1:4].sum(0)",
        note="tracel-ai/burn#5599: transposed then narrowed view summed wrong",
    ),
    Row(
        "matmul/huggingface.candle-3744",
        "torch.arange(6.).reshape(1, 2, 3).expand(3, 2, 3) @ torch.arange(18.).reshape(3, 3, 2)",
        note="huggingface/candle#3744: stride-0 batch matmul mostly zeros",
    ),
    Row(
        "sum/huggingface.candle-1991",
        "torch.arange(3).reshape(3, 1).expand(1, 1, 3, 3).to(torch.float32).sum(-1)",
        note="huggingface/candle#1991: size-1 dims made an expanded view look contiguous",
    ),
    Row(
        "matmul/huggingface.candle-1948",
        "torch.arange(24.).reshape(1, 4, 6)[:, 3, :] @ torch.ones(2, 6).t()",
        note="huggingface/candle#1948: row picked from the middle, odd stride",
    ),
    Row(
        "argmin/pytorch.pytorch-197739",
        "(torch.tensor([[1., -3.], [-5., 2.]]).t() + 0.5).argmin()",
        note="pytorch/pytorch#197739: physical not logical index",
    ),
    Row(
        "gather/pytorch.pytorch-129093",
        "torch.gather(torch.arange(12.).reshape(3, 2, 2), 0, torch.tensor([2, 1]).unsqueeze(0).unsqueeze(2).expand(1, 2, 2))",
        note="pytorch/pytorch#129093: expanded index with stride 1 read wrong",
    ),
    Row(
        "einsum/tensor4all.tenferro-rs-525",
        "torch.einsum('ab,ba->', torch.arange(6.).reshape(2, 3), torch.tensor([[1., 0.], [0., 2.], [3., 0.]]))",
        note="tensor4all/tenferro-rs#525: axis order of second operand ignored",
    ),
    Row(
        "einsum/robertknight.rten-1362",
        "torch.einsum('ij,jk->i', torch.arange(4.).reshape(2, 2), torch.tensor([[1., 2.], [3., 4.]]))",
        note="robertknight/rten#1362: dim present in one operand only",
    ),
    Row(
        "index_select/huggingface.candle-1037",
        "torch.index_select(torch.arange(8.).reshape(2, 4), 1, torch.tensor([3, 0, 3]))",
        note="huggingface/candle#1037: index_select on dim 1 with other length",
    ),
    Row(
        "argmax/pytorch.pytorch-32863",
        "(torch.arange(40, dtype=torch.uint8).reshape(10, 2, 2) == 26)[:, 1, 0].to(torch.uint8).argmax()",
        note="pytorch/pytorch#32863: argmax on a strided column",
    ),
)

INDEX_BOUNDS = (
    Row(
        "index_select/pytorch.pytorch-76347",
        "torch.index_select(torch.arange(4.), 0, torch.tensor([-2, 0]))",
        note="pytorch/pytorch#76347: sparse accepts, dense refuses",
    ),
    Row(
        "getitem/tinygrad.tinygrad-2749",
        "torch.tensor([10, 20, 30])[torch.tensor([0, -1, -3])]",
        note="tinygrad/tinygrad#2749: indexing by tensor wraps negatives",
    ),
    Row(
        "index_select/pytorch.pytorch-70675",
        "torch.index_select(torch.zeros(0, 4), 0, torch.tensor([0]))",
        note="pytorch/pytorch#70675: empty source returned random memory",
    ),
    Row(
        "getitem/pytorch.pytorch-14227",
        "torch.arange(4)[torch.tensor([0, 4])]",
        note="pytorch/pytorch#14227: error type differs from int indexing",
    ),
    Row(
        "gather/pytorch.pytorch-55143",
        "torch.gather(torch.tensor([[7, 8, 9]]), 1, torch.tensor([[-1]]))",
        note="pytorch/pytorch#55143: gather refuses negatives",
    ),
    Row(
        "take/tracel-ai.burn-3681",
        "torch.take(torch.arange(6).reshape(2, 3), torch.tensor([-1, 0, 4]))",
        note="tracel-ai/burn#3681: negative entries unsupported; torch.take wraps",
    ),
    Row(
        "take_along_dim/tracel-ai.burn-onnx-523",
        "torch.take_along_dim(torch.tensor([[1., 2., 3.]]), torch.tensor([[-1]]), dim=1)",
        note="tracel-ai/burn-onnx#523: negative entries read wrong values",
    ),
    Row(
        "scatter_add/apache.tvm-20297",
        "torch.zeros(3).scatter_add(0, torch.tensor([-1]), torch.tensor([1.]))",
        note="apache/tvm#20297: negative scatter index",
    ),
    Row(
        "gather/tracel-ai.burn-4769",
        "torch.gather(torch.tensor([5., 6., 7.]), 0, torch.tensor([2, 0], dtype=torch.int32))",
        note="tracel-ai/burn#4769: index dtype rule of gather",
    ),
    Row(
        "getitem/apache.tvm-10080",
        "torch.arange(4.)[torch.tensor([1, 0, 1, 0], dtype=torch.uint8)]",
        note="apache/tvm#10080: uint8 index is a mask in torch",
    ),
    Row(
        "narrow/pytorch.pytorch-10351-again",
        "torch.arange(3.).narrow(0, 2, 2)",
        note="pytorch/pytorch#10351: narrow past the end",
    ),
    Row(
        "index_select/pytorch.pytorch-571",
        "torch.index_select(torch.arange(6.).reshape(2, 3), 1, torch.tensor([3]))",
        note="pytorch/pytorch#571: out of range gave arbitrary values on gpu",
    ),
)

SCATTER_GATHER = (
    Row(
        "scatter_add/tracel-ai.burn-4063",
        "torch.zeros(2, 4).scatter_add(1, torch.tensor([[3], [1]]), torch.tensor([[5.], [6.]]))",
        note="tracel-ai/burn#4063: target and index shapes differ",
    ),
    Row(
        "index_put/pytorch.pytorch-55516",
        "torch.zeros(3).index_put((torch.tensor([0, 0, 2]),), torch.tensor([1., 2., 4.]), accumulate=True)",
        note="pytorch/pytorch#55516: repeated indices with accumulate",
    ),
    Row(
        "scatter_reduce/tracel-ai.burn-4909",
        "torch.full((3,), 2.).scatter_reduce(0, torch.tensor([1, 1, 0]), torch.tensor([3., 5., 7.]), 'prod')",
        note="tracel-ai/burn#4909: scatter product with repeats",
    ),
    Row(
        "gather/Lightning-AI.lightning-thunder-252",
        "torch.gather(torch.arange(12).reshape(3, 4), 1, torch.tensor([[3, 0]]))",
        note="Lightning-AI/lightning-thunder#252: index may be smaller than the source",
    ),
    Row(
        "index_add/tensorflow.tensorflow-8102",
        "torch.zeros(4, dtype=torch.int64).index_add(0, torch.tensor([1, 3, 1]), torch.tensor([11, 10, 12]))",
        note="tensorflow/tensorflow#8102: repeats add",
    ),
    Row(
        "scatter_reduce/pytorch.pytorch-188843",
        "torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([2., 4.]), 'mean', include_self=False)",
        note="pytorch/pytorch#188843: untouched slots keep their value",
    ),
)

MASKS_WHERE = (
    Row(
        "masked_fill/pytorch.pytorch-85063",
        "torch.zeros(2).masked_fill(torch.tensor([1, 0]), 5.)",
        note="pytorch/pytorch#85063: int mask rule",
    ),
    Row(
        "masked_select/pytorch.pytorch-1884",
        "torch.masked_select(torch.arange(3.), torch.tensor([[True], [False]]))",
        note="pytorch/pytorch#1884: mask and input broadcast both ways",
    ),
    Row(
        "masked_fill/microsoft.onnxscript-442",
        "torch.tensor([1, 2], dtype=torch.uint8).masked_fill(torch.tensor([True, False]), 300)",
        note="microsoft/onnxscript#442: value out of dtype range",
    ),
    Row(
        "masked_select/pytorch.pytorch-35429",
        "torch.masked_select(torch.arange(4.).reshape(2, 2), torch.tensor([True, False]))",
        note="pytorch/pytorch#35429: mask broadcast over rows",
    ),
)

BROADCAST = (
    Row(
        "mul/tracel-ai.burn-5305",
        "torch.ones(1) * torch.ones(0)",
        note="tracel-ai/burn#5305: max(0,1) used as broadcast size",
    ),
)

MATMUL = (
    Row(
        "matmul/huggingface.candle-3871",
        "torch.arange(12.).reshape(2, 2, 3) @ torch.arange(6.).reshape(3, 2)",
        note="huggingface/candle#3871: rank 3 by rank 2",
    ),
    Row(
        "matmul/huggingface.candle-2034",
        "torch.zeros(2, 0) @ torch.zeros(0, 3)",
        note="huggingface/candle#2034: inner size 0 gives zeros",
    ),
    Row(
        "bmm/pytorch.pytorch-31421",
        "torch.bmm(torch.ones(2, 1, 0), torch.ones(2, 0, 2))",
        note="pytorch/pytorch#31421: uninitialized result on gpu",
    ),
    Row(
        "matmul/pytorch.pytorch-63352",
        "torch.zeros(2, 0, 0) @ torch.zeros(0, 0)",
        note="pytorch/pytorch#63352: reshape -1 ambiguous",
    ),
    Row(
        "matmul/pytorch.pytorch-130061",
        "torch.matmul(torch.zeros(0), torch.zeros(0))",
        note="pytorch/pytorch#130061: dot of empties is 0",
    ),
    Row(
        "matmul/tracel-ai.burn-5555",
        "torch.ones(4, 1, 3) @ torch.ones(2, 3, 1)",
        note="tracel-ai/burn#5555: incompatible batch sizes",
    ),
)

EMBEDDING = (
    Row(
        "embedding/pytorch.pytorch-14844",
        "F.embedding(torch.tensor([0, -1]), torch.arange(6.).reshape(3, 2))",
        note="pytorch/pytorch#14844: negative id refused",
    ),
    Row(
        "embedding/FluxML.Flux.jl-2708",
        "F.embedding(torch.tensor([1]), torch.arange(4.).reshape(2, 2), padding_idx=1)",
        note="FluxML/Flux.jl#2708: forward still returns the padding row",
    ),
)

SINGULAR = (
    Row(
        "std/pytorch.pytorch-29372",
        "torch.tensor([4.]).std(correction=0)",
        note="pytorch/pytorch#29372: one sample with correction 0 is 0",
    ),
    Row(
        "var/pytorch.pytorch-94546",
        "torch.tensor([[1., 2.]]).var(dim=1, correction=3)",
        note="pytorch/pytorch#94546: correction larger than the count (divisor is clamped at 0)",
    ),
)
ROWS = (
    *NAN_MINMAX,
    *ARG_TIES,
    *SIGNED_ZERO,
    *EMPTY_REDUCE,
    *DIMS_KEEPDIM,
    *DTYPE_PROMOTION,
    *HALF_ACCUMULATE,
    *FLOAT_ACCURACY,
    *SOFTMAX_INF,
    *LOGSUMEXP_INF,
    *SORT_TOPK_MEDIAN,
    *STRIDED_VIEWS,
    *INDEX_BOUNDS,
    *SCATTER_GATHER,
    *MASKS_WHERE,
    *BROADCAST,
    *MATMUL,
    *EMBEDDING,
    *SINGULAR,
    *public_gradients.ROWS,
)

SUITE = parity.suite.Suite("public", "python/public.py", ROWS, namespace)
