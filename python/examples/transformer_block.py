"""A small transformer block, forward only: real modules with weights that need no seed.

python -m parity.record python/examples/transformer_block.py --suite transformer_block
"""

import torch
from torch import nn

WIDTH, HEADS, TOKENS, VOCABULARY = 8, 2, 6, 11


class Block(nn.Module):
    """Causal attention and a two-layer network, each normalised before and added after."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.before_network = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def attention(self, x: torch.Tensor) -> torch.Tensor:
        """Every token looks at itself and at those before it."""
        batch, tokens, width = x.shape
        projected = self.queries_keys_values(x)
        split = projected.reshape(batch, tokens, 3, self.heads, width // self.heads)
        queries, keys, values = split.permute(2, 0, 3, 1, 4).unbind(0)
        scores = queries @ keys.transpose(-2, -1) * (width // self.heads) ** -0.5
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        return self.project((weights @ values).transpose(1, 2).reshape(batch, tokens, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Attention, then the network."""
        x = x + self.dropout(self.attention(self.before_attention(x)))
        hidden = nn.functional.gelu(self.widen(self.before_network(x)))
        return x + self.dropout(self.narrow(hidden))


class Model(nn.Module):
    """Tokens to the logits of the next token."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(TOKENS, WIDTH)
        self.block = Block(WIDTH, HEADS)
        self.last = nn.LayerNorm(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits by the embedding's own vectors."""
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
        return nn.functional.linear(self.last(self.block(x)), self.tokens.weight)


def fill(model: nn.Module) -> None:
    """Weights from -1/2 to 1/2 in steps of 1/16, in an order that looks shuffled."""
    for name, weights in model.named_parameters():
        if "before" in name or "last" in name:
            continue
        steps = torch.arange(weights.numel()) * 7 % 17
        weights.copy_((steps.to(weights.dtype) / 16 - 0.5).reshape(weights.shape))


def main() -> None:
    """One step of greedy decoding, and the loss of the tokens that are there."""
    torch.set_grad_enabled(False)
    model = Model().eval()
    fill(model)
    tokens = torch.tensor([[1, 4, 2, 8, 5, 7], [10, 3, 3, 0, 0, 0]])
    logits = model(tokens)
    following = tokens[:, 1:].masked_fill(tokens[:, 1:] == 0, -100)
    loss = nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), following)
    print(f"next {logits[:, -1].argmax(-1).tolist()}, loss {loss.item():.4f}")  # noqa: T201


if __name__ == "__main__":
    main()
