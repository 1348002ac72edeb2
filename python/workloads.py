"""Suite `workloads`: what models do, from the logits to the loss, with every step a case.

Each program is a short piece of real PyTorch. The tensors it starts from are made by functions
that the recorder does not see; every call after that is recorded, and numbered in its order.
Run `python/generate.py --only workloads`.
"""

import contextlib
import math

from parity import tensors
from parity.program import Program, Programs

import torch
import torch.nn.functional as F  # noqa: N812

NAN = math.nan


@tensors.unrecorded
def whole(*values: int) -> torch.Tensor:
    """A vector of int64."""
    return torch.tensor(values, dtype=torch.int64)


@tensors.unrecorded
def sixteenths(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Multiples of 1/16 between -1/2 and 1/2: weights whose products are short numbers."""
    count = math.prod(shape)
    values = torch.tensor([(k * 7 % 17 - 8) / 16 for k in range(count)], dtype=torch.float64)
    return values.reshape(shape).to(dtype)


def greedy_decoding() -> None:
    """The likeliest token of every step, one at a time and all at once."""
    logits = tensors.ordinary(4, 9)
    tokens = [step.argmax(-1) for step in logits]
    torch.stack(tokens)
    logits.log_softmax(-1).gather(1, logits.argmax(-1, keepdim=True)).sum()
    logits.max(-1)
    tokens[0].item()


def greedy_decoding_nan() -> None:
    """One NaN among the logits: it is taken for the largest, wherever it stands."""
    logits = tensors.nan_middle(3, 9)
    logits.argmax(-1)
    logits.max(-1)
    logits.softmax(-1).argmax(-1)
    (logits == logits).all(-1)


def gumbel_sampling() -> None:
    """A draw by the largest of logits and noise; the noise is given, so nothing is random."""
    logits, uniform = tensors.ordinary(3, 7), tensors.positive(3, 7)
    noise = -(-(uniform / 1.25).log()).log()
    perturbed = (logits / 0.75 + noise).softmax(-1)
    perturbed.argmax(-1)
    F.one_hot(perturbed.argmax(-1), 7)


def attention(dtype: torch.dtype) -> None:
    """Causal attention of two heads, the last token of which may look at nothing at all."""
    queries, keys, values = (sixteenths(2, 5, 4, dtype=dtype) * k for k in (1, 2, -1))
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(4)
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    nothing = (torch.arange(5) == 4).unsqueeze(-1)
    masked = scores.masked_fill(later | nothing, -math.inf)
    weights = masked.softmax(-1)
    weights @ values
    weights.nan_to_num(0.0) @ values


def causal_attention() -> None:
    """In float32."""
    attention(torch.float32)


def causal_attention_bfloat16() -> None:
    """In bfloat16."""
    attention(torch.bfloat16)


def embedding_lookup() -> None:
    """Tokens with padding, pooled; then labels that are no tokens, each an error."""
    table = sixteenths(6, 4)
    with tensors_hidden():
        tokens = torch.tensor([[3, 5, 0, 0], [1, 2, 4, 0]])
    vectors = F.embedding(tokens, table, padding_idx=0)
    there = (tokens != 0).unsqueeze(-1)
    (vectors * there).sum(1) / there.sum(1)
    for labels in (whole(1, -1), whole(-100, 2), whole(6)):
        with contextlib.suppress(IndexError):
            F.embedding(labels, table)


def tensors_hidden() -> contextlib.AbstractContextManager[object]:
    """A block whose calls no recorder sees."""
    return torch._C.DisableTorchFunction()


def codebook_lookup() -> None:
    """The nearest of 4,096 entries, where bfloat16 leaves many at the same distance."""
    book, query = sixteenths(4096, 4, dtype=torch.bfloat16), tensors.row(0.3, -0.2, 0.1, 0.4)
    with tensors_hidden():
        halves = (book.float() ** 2).sum(1).mul(0.5).bfloat16()
    distances = halves - book @ query.bfloat16()
    nearest = distances.argmin()
    book[nearest]
    distances.min()


def recurrent_last_step() -> None:
    """Three steps of a recurrent layer, and its last output times a weight."""
    inputs, recurrent = sixteenths(3, 4), sixteenths(4, 4)
    x = tensors.ordinary(2, 3, 3)
    hidden = torch.zeros(2, 4)
    outputs = []
    for step in range(x.shape[1]):
        hidden = torch.tanh(x[:, step] @ inputs + hidden @ recurrent)
        outputs.append(hidden)
    output = torch.stack(outputs, 1)
    output[:, -1] * sixteenths(4)
    output[:, -1, :] @ sixteenths(4, 2)


def linear_regression() -> None:
    """A linear layer with bias and its mean squared error."""
    x, y = tensors.ordinary(5, 3), tensors.positive(5, 2)
    predicted = F.linear(x, sixteenths(2, 3), sixteenths(2))
    F.mse_loss(predicted, y)
    (predicted - y).pow(2).sum() / y.numel()
    F.l1_loss(predicted, y)
    F.mse_loss(predicted, y[:, :1])


def transformer_network() -> None:
    """Layer norm, two linear layers with GELU between them, and the residual."""
    x = tensors.ordinary(2, 3, 8)
    normal = F.layer_norm(x, (8,), tensors.positive(8), sixteenths(8))
    hidden = F.gelu(F.linear(normal, sixteenths(16, 8), sixteenths(16)))
    x + F.dropout(F.linear(hidden, sixteenths(8, 16)), 0.1, training=False)
    F.rms_norm(x, (8,), tensors.positive(8))


def language_model_loss() -> None:
    """Cross entropy over tokens of which the padding is ignored."""
    logits = tensors.ordinary(2, 4, 6)
    with tensors_hidden():
        labels = torch.tensor([[1, 5, -100, -100], [0, -100, 2, 3]])
    F.cross_entropy(logits.transpose(1, 2), labels)
    F.cross_entropy(logits.reshape(-1, 6), labels.reshape(-1), reduction="none")
    F.nll_loss(logits.log_softmax(-1).flatten(0, 1), labels.flatten(), reduction="sum")
    (labels != -100).sum()
    F.cross_entropy(logits.reshape(-1, 6), labels.reshape(-1), label_smoothing=0.1)
    with contextlib.suppress(IndexError):
        F.cross_entropy(logits.reshape(-1, 6), labels.reshape(-1), ignore_index=-1)


PROGRAMS = tuple(
    Program(
        function.__name__.replace("_", "-"), function, " ".join((function.__doc__ or "").split())
    )
    for function in (
        greedy_decoding,
        greedy_decoding_nan,
        gumbel_sampling,
        causal_attention,
        causal_attention_bfloat16,
        embedding_lookup,
        codebook_lookup,
        recurrent_last_step,
        linear_regression,
        transformer_network,
        language_model_loss,
    )
)

SUITE = Programs("workloads", "python/workloads.py", PROGRAMS)
