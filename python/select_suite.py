"""Suite `select`: what a slice keeps and an integer drops, and what either says out of bounds.

The rows follow a comparison of PyTorch with burn, whose `s![.., -1]` and `s![5]` are slices of
length one: they keep the dimension, and out of bounds they are empty instead of an error. Each
note says what the row stands beside. Run `python/generate.py --only select`.
"""

from typing import Any

import parity.suite
from parity import tensors
from parity.suite import Row

import torch


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return tensors.namespace() | {
        # Outputs of a recurrent net: batch, time, hidden.
        "h": torch.arange(24, dtype=torch.float32).reshape(2, 3, 4),
        "w_out": torch.ones(4, 2),
        "x": torch.arange(6).reshape(3, 2),
        "i": 5,
    }


ROWS = (
    Row("getitem/last-step", "h[:, -1]", note="PyTorch h[:, -1]: [2, 4]"),
    Row("getitem/last-step-kept", "h[:, -1:]", note="what burn's s![.., -1] is: [2, 1, 4]"),
    Row("getitem/first-step", "h[:, 0]", note="a[:, i] drops a dimension"),
    Row("getitem/last-hidden", "h[..., -1]", note="a[..., -1] drops a dimension"),
    Row("getitem/last-of-batch", "h[-1]", note="a[i] drops a dimension"),
    Row("getitem/last-of-all", "h[-1, -1, -1]", note="a[i] for every dimension"),
    Row("getitem/last-by-tensor", "h[:, torch.tensor(-1)]", note="an index from the data"),
    Row("getitem/last-by-list", "h[:, [-1]]", note="an index that keeps the dimension"),
    Row("select/last-step", "h.select(1, -1)", note="burn's h.select_dim(1, -1): [2, 4]"),
    Row("select/last-step-forward", "h.select(1, 2)", note="burn's h.select_dim(1, 2)"),
    Row("narrow/last-step", "h.narrow(1, -1, 1)", note="burn's narrow takes no negative start"),
    Row("index_select/last-step", "h.index_select(1, torch.tensor([2]))", note="kept: [2, 1, 4]"),
    Row("sum/last-step", "h[:, -1].sum(1)", note="8..11 and 20..23, burn's logits by ones"),
    Row("matmul/last-step", "h[:, -1] @ w_out", note="burn's s![.., -1] is no matrix here"),
    Row("getitem/out-of-bounds", "x[i]", note="x[5]: index 5 is out of bounds"),
    Row("getitem/out-of-bounds-slice", "x[i:i + 1]", note="what burn's s![5] is: [0, 2]"),
    Row("sum/out-of-bounds-slice", "x[i:i + 1].sum()", note="burn's x.slice(s![5]).sum(): 0"),
    Row("getitem/partly-out-of-bounds-slice", "x[2:i]", note="5..6 is cut to the shape: 2..3"),
    Row("getitem/far-below-slice", "x[-9:-8]", note="cut at the front: [0, 2]"),
    Row("getitem/last-slice", "x[-1:]", note="burn's s![-1]: from the last to the end"),
    Row("getitem/far-below", "x[-4]", note="an integer below the first"),
    Row("getitem/out-of-bounds-last", "x[:, i]", note="the error names dimension 1"),
    Row("getitem/out-of-bounds-tensor", "x[torch.tensor(i)]", note="0-d tensor as an integer"),
    Row("getitem/out-of-bounds-list", "x[[0, i]]", note="an index from the data, out of bounds"),
    Row("select/out-of-bounds", "x.select(0, i)", note="burn's select_dim fails in Squeeze"),
    Row("select/inside", "x.select(0, 1)", note="burn's x.select_dim(0, 1)"),
    Row("select/far-below", "x.select(0, -4)", note="select_dim takes negative indices too"),
    Row("select/negative", "x.select(0, -3)", note="select_dim takes negative indices too"),
    Row("narrow/out-of-bounds", "x.narrow(0, i, 1)", note="burn's narrow: start exceeds the size"),
    Row("narrow/too-long", "x.narrow(0, 2, 2)", note="burn's narrow: start + length exceeds"),
    Row("narrow/inside", "x.narrow(0, 1, 1)", note="keeps the dimension: [1, 2]"),
    Row("narrow/at-end", "x.narrow(0, 3, 0)", note="the start may be the size"),
    Row("index_select/out-of-bounds", "x.index_select(0, torch.tensor([i]))", note="checked"),
    Row("gather/out-of-bounds", "x.gather(0, torch.tensor([[0, i]]))", note="checked"),
)

SUITE = parity.suite.Suite("select", "python/select_suite.py", ROWS, namespace)
