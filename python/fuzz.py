r"""Random reductions of random views, to compare an engine with PyTorch beyond the corpus.

The cases are written as a suite `fuzz` into a folder of their own and are never committed; the
same seed gives the same cases.

    python python/fuzz.py --seed 7 --cases 2000 --root target/fuzz
    cargo run --release --bin compare -- --strict \
        --fixtures target/fuzz/fixtures --golden target/fuzz/golden

Values are drawn so that the order of operations shows: some cancel, some are subnormal or tied,
some are NaN, infinite or zeros of either sign.
"""

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import parity.suite
from parity import extensions
from parity.suite import Corpus, Refused, Row

import numpy as np
import torch

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
INTEGERS = (
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.uint32,
)

Rng = np.random.Generator

# What the expressions refer to, beside the random tensor.
NAMES: dict[str, Any] = {"torch": torch, "inf": math.inf, **extensions.FUNCTIONS}

# How one array of values is drawn.
VALUES: dict[str, Callable[[Rng, int], Any]] = {
    "ordinary": lambda rng, n: rng.standard_normal(n),
    "cancelling": lambda rng, n: rng.permutation(np.resize([1e8, 1.0, -1e8, 0.5, 3e-3], n)),
    "halves": lambda rng, n: rng.permutation(np.resize([2048.0, 1.0, -2048.0, 0.5, 3.0], n)),
    "spread": lambda rng, n: rng.standard_normal(n) * 10.0 ** rng.integers(-30, 8, n),
    "near-one": lambda rng, n: 1 + 0.01 * rng.standard_normal(n),
    "ties": lambda rng, n: rng.integers(-2, 3, n) * 1.0,
    "zeros": lambda rng, n: rng.choice([0.0, -0.0], n),
    "special": lambda rng, n: rng.choice([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], n),
    "rare-nan": lambda rng, n: np.where(rng.random(n) < 0.02, np.nan, rng.standard_normal(n)),
    "offset": lambda rng, n: 1.6e7 + rng.standard_normal(n),
}

# Calls by the number of dims that they reduce; `{dim}` and `{keep}` are filled in.
DIM_LISTS = (
    "torch.sum(x, {dims}, keepdim={keep})",
    "torch.nansum(x, {dims}, keepdim={keep})",
    "torch.mean(x, {dims}, keepdim={keep})",
    "torch.nanmean(x, {dims}, keepdim={keep})",
    "sum_of_squares(x, {dims}, keepdim={keep})",
    "torch.var(x, {dims}, correction={correction}, keepdim={keep})",
    "torch.std(x, {dims}, correction={correction}, keepdim={keep})",
    "torch.var_mean(x, {dims}, correction={correction}, keepdim={keep})",
    "torch.std_mean(x, {dims}, correction={correction}, keepdim={keep})",
    "torch.amax(x, {dims}, keepdim={keep})",
    "torch.amin(x, {dims}, keepdim={keep})",
    "torch.any(x, {dims}, keepdim={keep})",
    "torch.all(x, {dims}, keepdim={keep})",
    "torch.count_nonzero(x, {dims})",
    "torch.linalg.vector_norm(x, {order}, {dims}, keepdim={keep})",
    "torch.linalg.vector_norm(x, 2, {dims}, keepdim={keep})",
    "torch.linalg.vector_norm(x, {order}, {dims}, dtype=torch.float64)",
    "torch.sum(x, {dims}, dtype={result})",
    "torch.nansum(x, {dims}, keepdim={keep}, dtype={result})",
    "torch.mean(x, {dims}, keepdim={keep}, dtype={result})",
    "torch.nanmean(x, {dims}, dtype={result})",
)
ONE_DIM = (
    "torch.prod(x, {dim}, keepdim={keep})",
    "stable_prod(x[..., :200], {dim}, keepdim={keep})",
    "torch.max(x, {dim}, keepdim={keep})",
    "torch.min(x, {dim}, keepdim={keep})",
    "torch.aminmax(x, dim={dim}, keepdim={keep})",
    "torch.argmax(x, {dim}, keepdim={keep})",
    "torch.argmin(x, {dim}, keepdim={keep})",
    "torch.norm(x, {order}, {dim})",
    "torch.norm(x, dim={dim}, keepdim={keep})",
    "torch.prod(x, {dim}, dtype={result})",
)
EVERYTHING = tuple(
    f"torch.{op}(x)"
    for op in (
        "sum nansum mean nanmean prod var std var_mean std_mean amax amin aminmax max min argmax "
        "argmin any all count_nonzero norm"
    ).split()
)
ORDERS = ("0", "1", "2", "3", "0.5", "-1", "-2.5", "inf", "-inf")
LENGTHS = (
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    65,
    127,
    129,
    300,
    1000,
    4100,
    70_000,
)


def _shape(rng: Rng, elements: int) -> list[int]:
    rank = int(rng.integers(1, 6))
    shape = [int(rng.choice(LENGTHS)) for _ in range(rank)]
    while np.prod(shape) > elements:
        largest = int(np.argmax(shape))
        shape[largest] = max(1, shape[largest] // 3)
    return shape


def view(rng: Rng, tensor: torch.Tensor) -> torch.Tensor:
    """A random view: dimensions in another order, cut, stepped, expanded."""
    if rng.random() < 0.5:
        tensor = tensor.permute(*(int(d) for d in rng.permutation(tensor.dim())))
    for dim in range(tensor.dim()):
        size = tensor.shape[dim]
        choice = rng.random()
        if choice < 0.15 and size > 2:
            start = int(rng.integers(0, size // 2))
            tensor = tensor.narrow(dim, start, int(rng.integers(1, size - start)))
        elif choice < 0.3 and size > 2:
            tensor = tensor.unfold(dim, 1, int(rng.integers(1, 4))).squeeze(-1)
        elif choice < 0.36:
            one = tensor.narrow(dim, 0, 1)
            tensor = one.expand(
                *tensor.shape[:dim], int(rng.integers(1, 20)), *tensor.shape[dim + 1 :]
            )
    return tensor


def case(rng: Rng, number: int, elements: int) -> tuple[Row, dict[str, Any]]:
    """One random call: its row and what the row's expression refers to."""
    floating = rng.random() < 0.85
    dtype = FLOATS[int(rng.integers(len(FLOATS)))] if floating else INTEGERS[int(rng.integers(7))]
    shape = _shape(rng, elements)
    kind = str(rng.choice(list(VALUES)))
    count = int(np.prod(shape))
    if floating:
        values = VALUES[kind](rng, count)
    else:
        values, kind = rng.integers(-100, 100, count), "integers"
    # PyTorch's unsigned and bool conversions from negative integers wrap, as they should here.
    x = view(rng, torch.from_numpy(np.asarray(values)).to(dtype).reshape(shape))
    rank = x.dim()
    dims = [int(d) for d in rng.permutation(rank)[: int(rng.integers(1, rank + 1))]]
    templates = (DIM_LISTS, ONE_DIM, EVERYTHING)[int(rng.choice(3, p=[0.6, 0.25, 0.15]))]
    expression = templates[int(rng.integers(len(templates)))].format(
        dims=dims,
        dim=dims[0] - (rank if rng.random() < 0.3 else 0),
        keep=bool(rng.random() < 0.3),
        correction=[0, 1, 2, 0.5][int(rng.integers(4))],
        order=ORDERS[int(rng.integers(len(ORDERS)))],
        result=(*FLOATS, *INTEGERS)[int(rng.integers(len(FLOATS) + len(INTEGERS)))],
    )
    op = expression.removeprefix("torch.").partition("(")[0]
    name = str(dtype).removeprefix("torch.")
    return Row(f"{op}/{number:05}-{name}-{kind}", expression, note=expression), NAMES | {"x": x}


def build(seed: int, cases: int, elements: int) -> Corpus:
    """The whole suite of a seed."""
    rng = np.random.default_rng(seed)
    corpus = Corpus("fuzz", "python/fuzz.py")
    for number in range(cases):
        row, namespace = case(rng, number, elements)
        try:
            corpus.add(*parity.suite.make_case("fuzz", row, namespace))
        except Refused as refused:
            sys.stderr.write(f"left out: {refused}\n")
    return corpus


def main() -> None:
    """Write the suite that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--elements", type=int, default=4000, help="most elements of a tensor")
    parser.add_argument("--root", type=Path, required=True, help="folder to write to")
    arguments = parser.parse_args()
    build(arguments.seed, arguments.cases, arguments.elements).write(arguments.root)


if __name__ == "__main__":
    main()
