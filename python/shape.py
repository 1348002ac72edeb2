"""Suite `shape`: views, joining and splitting, repeating, reordering, triangles and diagonals.

None of these compute (but `trace`, which adds), so what matters is which element goes where,
which shapes are refused and in which words. `numbered` tells every element apart. Forms of a
call are spread over dtypes and layouts in turn; the order of `FORMS` decides which meet. Run
`python/generate.py --only shape`.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import parity.suite
import shape_errors
from parity import tensors
from parity.suite import Row

import torch

DTYPES = shape_errors.DTYPES


@tensors.unrecorded
def numbered(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """0, 1, 2, … in row-major order; for bool every third is true."""
    count = torch.arange(math.prod(shape))
    if dtype == torch.bool:
        count = count % 3 == 0
    return count.to(dtype).reshape(shape)


# Forms of calls by op: the shape of `x`, and the call.
Forms = Mapping[str, tuple[str, str]]

VIEWS: Mapping[str, Forms] = {
    "reshape": {
        "merge": ("2, 3, 4", "x.reshape(6, 4)"),
        "merge-last": ("2, 3, 4", "x.reshape(2, 12)"),
        "regroup": ("2, 3, 4", "x.reshape(4, 3, 2)"),
        "infer": ("2, 3, 4", "x.reshape(4, -1)"),
        "infer-middle": ("2, 3, 4", "torch.reshape(x, (2, -1, 2))"),
        "flat": ("3, 5", "x.reshape(-1)"),
        "scalar-to-vector": ("", "x.reshape(1)"),
        "vector-to-scalar": ("1", "x.reshape(())"),
        "ones": ("2, 3", "x.reshape(1, 2, 1, 3, 1)"),
        "five": ("4, 6", "x.reshape(2, 2, 1, 3, 2)"),
        "empty": ("0, 3", "x.reshape(3, 0)"),
        "empty-infer": ("0, 3", "x.reshape(-1, 3)"),
        "empty-flat": ("2, 0, 3", "x.reshape(-1)"),
    },
    "reshape_as": {
        "other": ("2, 3", "x.reshape_as(numbered(3, 2))"),
        "scalar": ("1, 1", "x.reshape_as(torch.tensor(1))"),
    },
    "flatten": {
        "all": ("2, 3, 4", "x.flatten()"),
        "from-1": ("2, 3, 4", "x.flatten(1)"),
        "to-1": ("2, 3, 4", "torch.flatten(x, 0, 1)"),
        "negative": ("2, 3, 2, 2", "x.flatten(-3, -2)"),
        "one-dim": ("2, 3", "x.flatten(1, 1)"),
        "scalar": ("", "x.flatten()"),
        "empty": ("2, 0, 3", "x.flatten(1)"),
    },
    "unflatten": {
        "last": ("2, 6", "x.unflatten(1, (2, 3))"),
        "infer": ("2, 6", "torch.unflatten(x, -1, (3, -1))"),
        "first": ("4, 3", "x.unflatten(0, (2, 2))"),
        "one": ("4", "x.unflatten(0, (4,))"),
        "three": ("12, 2", "x.unflatten(0, (2, 3, 2))"),
        "empty": ("0, 2", "x.unflatten(0, (0, 3))"),
    },
    "ravel": {
        "matrix": ("3, 4", "x.ravel()"),
        "scalar": ("", "torch.ravel(x)"),
        "five": ("2, 1, 3, 1, 2", "x.ravel()"),
    },
    "permute": {
        "cycle": ("2, 3, 4", "x.permute(2, 0, 1)"),
        "reverse": ("2, 3, 4", "x.permute(2, 1, 0)"),
        "negative": ("2, 3, 4", "torch.permute(x, (-1, 0, -2))"),
        "four": ("2, 3, 1, 2", "x.permute(3, 1, 0, 2)"),
        "five": ("2, 1, 3, 2, 2", "x.permute(4, 2, 0, 3, 1)"),
        "scalar": ("", "x.permute(())"),
        "same": ("2, 3", "x.permute(0, 1)"),
    },
    "transpose": {
        "matrix": ("3, 4", "x.transpose(0, 1)"),
        "outer": ("2, 3, 4", "x.transpose(0, -1)"),
        "last": ("2, 3, 4", "torch.transpose(x, -1, -2)"),
        "same": ("2, 3", "x.transpose(1, 1)"),
        "scalar": ("", "x.transpose(0, -1)"),
        "mT": ("2, 2, 3", "x.mT"),
        "empty": ("2, 0, 3", "x.transpose(0, 2)"),
    },
    "swapaxes": {
        "outer": ("2, 3, 4", "x.swapaxes(0, 2)"),
        "negative": ("2, 3, 4", "torch.swapaxes(x, -3, 1)"),
    },
    "swapdims": {"outer": ("2, 3, 4", "x.swapdims(2, 0)")},
    "adjoint": {"batch": ("2, 2, 3", "x.adjoint()")},
    "t": {
        "matrix": ("3, 4", "x.t()"),
        "vector": ("5", "torch.t(x)"),
        "scalar": ("", "x.t()"),
        "T": ("2, 3", "x.T"),
        "empty": ("0, 3", "x.t()"),
    },
    "movedim": {
        "one": ("2, 3, 4", "x.movedim(0, 2)"),
        "negative": ("2, 3, 4", "x.movedim(-1, 0)"),
        "two": ("2, 3, 4", "x.movedim((0, 1), (2, 0))"),
        "four": ("2, 3, 1, 2", "torch.movedim(x, (1, 3), (-1, 0))"),
        "none": ("2, 3", "x.movedim((), ())"),
        "scalar": ("", "x.movedim(0, 0)"),
        "same": ("2, 3, 2", "x.movedim(1, 1)"),
    },
    "moveaxis": {"one": ("2, 3, 4", "x.moveaxis(2, 0)")},
    "squeeze": {
        "all": ("1, 3, 1, 2", "x.squeeze()"),
        "dim": ("1, 3, 1", "x.squeeze(0)"),
        "negative": ("1, 3, 1", "x.squeeze(-1)"),
        "not-one": ("1, 3, 1", "x.squeeze(1)"),
        "dims": ("1, 3, 1, 1", "x.squeeze((0, -1))"),
        "dims-some": ("1, 3, 1", "torch.squeeze(x, (0, 1))"),
        "dims-none": ("1, 3", "x.squeeze(())"),
        "scalar": ("", "x.squeeze()"),
        "scalar-dim": ("", "x.squeeze(-1)"),
        "to-scalar": ("1, 1", "x.squeeze()"),
        "empty": ("1, 0, 1", "x.squeeze()"),
    },
    "unsqueeze": {
        "first": ("2, 3", "x.unsqueeze(0)"),
        "middle": ("2, 3", "x.unsqueeze(1)"),
        "last": ("2, 3", "torch.unsqueeze(x, -1)"),
        "negative": ("2, 3", "x.unsqueeze(-3)"),
        "scalar": ("", "x.unsqueeze(0)"),
        "empty": ("0", "x.unsqueeze(1)"),
    },
    "expand": {
        "new": ("3", "x.expand(2, 3)"),
        "one": ("2, 1", "x.expand(2, 4)"),
        "keep": ("2, 1", "x.expand(-1, 3)"),
        "keep-new": ("1, 3", "x.expand(2, -1, -1)"),
        "scalar": ("", "x.expand(2, 2)"),
        "scalar-same": ("", "x.expand(())"),
        "to-empty": ("1, 3", "x.expand(0, 3)"),
        "empty": ("0, 1", "x.expand(0, 3)"),
    },
    "expand_copy": {
        "new": ("3", "torch.expand_copy(x, (2, 3))"),
        "one": ("2, 1", "torch.expand_copy(x, (2, 4))"),
        "keep-new": ("1, 3", "torch.expand_copy(x, (2, -1, -1))"),
        "scalar": ("", "torch.expand_copy(x, (2, 2))"),
        "empty": ("0, 1", "torch.expand_copy(x, (0, 3))"),
    },
    "expand_as": {
        "new": ("3", "x.expand_as(numbered(2, 3))"),
        "one": ("2, 1", "x.expand_as(numbered(2, 3, dtype=int64))"),
    },
    "broadcast_to": {
        "new": ("3", "torch.broadcast_to(x, (2, 3))"),
        "one": ("2, 1", "x.broadcast_to((3, 2, 2))"),
        "keep": ("2, 1", "x.broadcast_to((-1, 2))"),
    },
    "clone": {
        "matrix": ("3, 4", "x.clone()"),
        "scalar": ("", "torch.clone(x)"),
        "empty": ("0, 3", "x.clone()"),
        "cube": ("2, 3, 2", "x.clone()"),
        "contiguous-format": ("2, 3", "x.clone(memory_format=torch.contiguous_format)"),
        "preserve-format": ("2, 3", "x.clone(memory_format=torch.preserve_format)"),
    },
    "contiguous": {
        "matrix": ("3, 4", "x.contiguous()"),
        "scalar": ("", "x.contiguous()"),
        "cube": ("2, 3, 2", "x.contiguous()"),
    },
    "atleast_1d": {
        "scalar": ("", "torch.atleast_1d(x)"),
        "vector": ("3", "torch.atleast_1d(x)"),
        "matrix": ("2, 2", "torch.atleast_1d(x)"),
    },
    "atleast_2d": {
        "scalar": ("", "torch.atleast_2d(x)"),
        "vector": ("3", "torch.atleast_2d(x)"),
        "matrix": ("2, 2", "torch.atleast_2d(x)"),
        "cube": ("1, 2, 2", "torch.atleast_2d(x)"),
    },
    "atleast_3d": {
        "scalar": ("", "torch.atleast_3d(x)"),
        "vector": ("3", "torch.atleast_3d(x)"),
        "matrix": ("2, 2", "torch.atleast_3d(x)"),
        "cube": ("1, 2, 2", "torch.atleast_3d(x)"),
        "four": ("1, 2, 1, 2", "torch.atleast_3d(x)"),
    },
    "Tensor.unfold": {
        "overlap": ("7", "x.unfold(0, 3, 1)"),
        "apart": ("8", "x.unfold(0, 2, 3)"),
        "rows": ("4, 5", "x.unfold(0, 2, 1)"),
        "columns": ("2, 6", "x.unfold(-1, 3, 2)"),
        "whole": ("2, 3", "x.unfold(1, 3, 1)"),
        "size-0": ("3", "x.unfold(0, 0, 1)"),
        "scalar": ("", "x.unfold(0, 1, 1)"),
        "scalar-size-0": ("", "x.unfold(0, 0, 1)"),
        "empty": ("0, 3", "x.unfold(1, 2, 1)"),
        "middle": ("2, 5, 2", "x.unfold(1, 2, 2)"),
    },
    "diagonal": {
        "square": ("3, 3", "x.diagonal()"),
        "wide": ("3, 5", "x.diagonal(1)"),
        "below": ("3, 5", "torch.diagonal(x, -2)"),
        "outside": ("2, 3", "x.diagonal(5)"),
        "far-below": ("2, 3", "x.diagonal(-2)"),
        "dims": ("2, 3, 4", "x.diagonal(0, 1, 2)"),
        "dims-swapped": ("2, 3, 4", "x.diagonal(1, 2, 0)"),
        "negative": ("2, 3, 4", "x.diagonal(0, -1, -2)"),
        "empty": ("0, 3", "x.diagonal()"),
    },
    "split": {
        "even": ("6, 2", "x.split(2)"),
        "rest": ("2, 5", "x.split(2, dim=1)"),
        "larger": ("3", "torch.split(x, 5)"),
        "sizes": ("6", "x.split([1, 2, 3])"),
        "sizes-empty-part": ("2, 3", "x.split((0, 3), -1)"),
        "empty": ("0, 2", "x.split(2)"),
        "size-0-of-empty": ("0, 2", "x.split(0)"),
        "empty-sizes": ("0", "x.split([])"),
    },
    "split_with_sizes": {
        "sizes": ("6", "x.split_with_sizes([4, 2])"),
        "columns": ("2, 3", "torch.split_with_sizes(x, (1, 2), dim=-1)"),
    },
    "chunk": {
        "even": ("6", "x.chunk(3)"),
        "rest": ("7, 2", "x.chunk(3)"),
        "fewer": ("5", "x.chunk(4)"),
        "many": ("2, 3", "torch.chunk(x, 5, 1)"),
        "negative": ("2, 4", "x.chunk(2, dim=-1)"),
        "empty": ("0, 2", "x.chunk(3)"),
    },
    "tensor_split": {
        "even": ("6", "x.tensor_split(3)"),
        "rest": ("7, 2", "x.tensor_split(3)"),
        "many": ("2, 3", "torch.tensor_split(x, 5, dim=1)"),
        "indices": ("7", "x.tensor_split((2, 5))"),
        "indices-outside": ("4, 2", "x.tensor_split((1, 9, 3))"),
        "indices-negative": ("5", "x.tensor_split((-2,))"),
        "indices-none": ("3", "x.tensor_split(())"),
        "tensor": ("7", "x.tensor_split(torch.tensor([1, 4]))"),
        "tensor-sections": ("7", "x.tensor_split(torch.tensor(2))"),
        "empty": ("0, 2", "x.tensor_split(2)"),
    },
    "hsplit": {
        "matrix": ("2, 4", "x.hsplit(2)"),
        "vector": ("4", "torch.hsplit(x, (1, 3))"),
    },
    "vsplit": {
        "matrix": ("4, 2", "x.vsplit(2)"),
        "indices": ("4, 2", "torch.vsplit(x, (1,))"),
    },
    "dsplit": {
        "cube": ("1, 2, 4", "x.dsplit(2)"),
        "indices": ("1, 2, 4", "torch.dsplit(x, (3,))"),
    },
    "unbind": {
        "rows": ("3, 2", "x.unbind()"),
        "columns": ("2, 3", "torch.unbind(x, 1)"),
        "negative": ("2, 1, 3", "x.unbind(-2)"),
        "vector": ("3", "x.unbind()"),
        "empty": ("2, 0", "x.unbind(0)"),
        "nothing": ("0, 2", "x.unbind(0)"),
    },
}

# What `view` can do depends on the strides: every form meets every layout.
VIEW: Forms = {
    "merge": ("2, 3, 4", "x.view(6, 4)"),
    "merge-last": ("2, 3, 4", "x.view(2, 12)"),
    "split-last": ("2, 3, 4", "x.view(2, 3, 2, 2)"),
    "split-first": ("4, 3", "x.view(2, 2, 3)"),
    "split-middle": ("2, 4, 3", "x.view(2, 2, -1, 3)"),
    "flat": ("3, 4", "x.view(-1)"),
    "same": ("2, 3", "x.view(2, 3)"),
    "ones": ("2, 3", "x.view(1, 2, 1, 3, 1)"),
    "without-ones": ("2, 1, 3, 1", "x.view(2, 3)"),
    "ones-moved": ("2, 1, 3", "x.view(1, 2, 3)"),
    "regroup": ("2, 3, 4", "x.view(3, 2, 4)"),
    "all-but-last": ("2, 2, 3", "x.view(-1, 3)"),
    "vector": ("6", "x.view(2, 3)"),
    "scalar": ("", "x.view(1, 1)"),
    "to-scalar": ("1, 1", "x.view(())"),
    "empty": ("0, 3", "x.view(3, 0, 2)"),
    "empty-infer": ("0, 3", "x.view(-1, 3)"),
}

COPIES: Mapping[str, Forms] = {
    "repeat": {
        "rows": ("2, 3", "x.repeat(2, 1)"),
        "both": ("2, 2", "x.repeat(2, 3)"),
        "new-dim": ("3", "x.repeat(2, 2)"),
        "none": ("2, 2", "x.repeat(0, 2)"),
        "scalar": ("", "x.repeat(3)"),
        "scalar-nothing": ("", "x.repeat(())"),
        "empty": ("0, 2", "x.repeat(2, 3)"),
        "cube": ("1, 2, 2", "x.repeat(2, 1, 2)"),
    },
    "tile": {
        "fewer": ("2, 2", "x.tile(2)"),
        "same": ("2, 2", "torch.tile(x, (2, 3))"),
        "more": ("3", "x.tile((2, 1, 2))"),
        "none": ("2, 2", "x.tile(())"),
        "scalar": ("", "x.tile((2,))"),
        "zero": ("2, 2", "x.tile((0, 1))"),
    },
    "repeat_interleave": {
        "flat": ("2, 3", "x.repeat_interleave(2)"),
        "rows": ("2, 3", "x.repeat_interleave(2, dim=0)"),
        "columns": ("2, 3", "torch.repeat_interleave(x, 3, dim=-1)"),
        "none": ("3", "x.repeat_interleave(0)"),
        "each": ("2, 3", "x.repeat_interleave(torch.tensor([2, 0, 1]), dim=1)"),
        "each-int32": (
            "2, 3",
            "x.repeat_interleave(torch.tensor([1, 2], dtype=int32), dim=0)",
        ),
        "one-tensor": ("2, 2", "x.repeat_interleave(torch.tensor([2]), dim=1)"),
        "scalar-tensor": ("2, 2", "x.repeat_interleave(torch.tensor(2), dim=0)"),
        "flat-tensor": ("3", "x.repeat_interleave(torch.tensor([1, 2, 3]))"),
        "output-size": (
            "3",
            "x.repeat_interleave(torch.tensor([1, 2, 3]), dim=0, output_size=6)",
        ),
        "output-size-int": ("3", "x.repeat_interleave(2, dim=0, output_size=6)"),
        "scalar": ("", "x.repeat_interleave(3)"),
        "scalar-dim": ("", "x.repeat_interleave(3, dim=0)"),
        "empty": ("0, 2", "x.repeat_interleave(2, dim=1)"),
    },
    "cat": {
        "rows": ("2, 3", "torch.cat((x, x))"),
        "columns": ("2, 3", "torch.cat([x, numbered(2, 1, dtype=x.dtype)], dim=1)"),
        "three": ("1, 2", "torch.cat((x, x, numbered(2, 2, dtype=x.dtype)), -2)"),
        "one": ("2, 2", "torch.cat([x])"),
        "cube": ("2, 2, 2", "torch.cat((x, numbered(2, 1, 2, dtype=x.dtype)), 1)"),
        "with-empty": ("2, 2", "torch.cat((x, torch.zeros(0, 2, dtype=x.dtype)))"),
        "with-legacy-empty": ("2, 2", "torch.cat((x, torch.zeros(0, dtype=x.dtype)))"),
        "legacy-empty-first": ("2, 2", "torch.cat((torch.zeros(0, dtype=x.dtype), x), 1)"),
        "all-empty": ("0", "torch.cat((x, x))"),
        "empty-columns": ("2, 0", "torch.cat((x, x), 1)"),
    },
    "concat": {"rows": ("2, 2", "torch.concat((x, x))")},
    "concatenate": {"columns": ("2, 2", "torch.concatenate((x, x), dim=1)")},
    "stack": {
        "first": ("2, 3", "torch.stack((x, x))"),
        "middle": ("2, 2", "torch.stack([x, numbered(2, 2, dtype=x.dtype)], dim=1)"),
        "last": ("2, 2", "torch.stack((x, x, x), -1)"),
        "scalar": ("", "torch.stack((x, x))"),
        "empty": ("0, 2", "torch.stack((x, x), 1)"),
        "one": ("3", "torch.stack([x])"),
    },
    "hstack": {
        "vectors": ("2", "torch.hstack((x, x))"),
        "matrices": ("2, 2", "torch.hstack((x, numbered(2, 1, dtype=x.dtype)))"),
        "scalars": ("", "torch.hstack((x, x))"),
    },
    "vstack": {
        "vectors": ("2", "torch.vstack((x, x))"),
        "matrices": ("2, 2", "torch.vstack((x, numbered(1, 2, dtype=x.dtype)))"),
        "scalars": ("", "torch.vstack((x, x))"),
    },
    "row_stack": {"vectors": ("2", "torch.row_stack((x, x))")},
    "dstack": {
        "vectors": ("2", "torch.dstack((x, x))"),
        "matrices": ("2, 2", "torch.dstack((x, x))"),
        "scalars": ("", "torch.dstack((x, x))"),
    },
    "column_stack": {
        "vectors": ("2", "torch.column_stack((x, x))"),
        "mixed": ("2, 2", "torch.column_stack((x, numbered(2, dtype=x.dtype)))"),
        "scalars": ("", "torch.column_stack((x, x))"),
    },
    "flip": {
        "rows": ("3, 2", "x.flip(0)"),
        "both": ("2, 3", "x.flip((0, 1))"),
        "negative": ("2, 3", "torch.flip(x, (-1,))"),
        "none": ("2, 2", "x.flip(())"),
        "scalar": ("", "x.flip(())"),
        "scalar-dim": ("", "x.flip(0)"),
        "empty": ("0, 2", "x.flip(0, 1)"),
        "outer": ("2, 3, 2", "x.flip(0, 2)"),
    },
    "fliplr": {"matrix": ("2, 3", "x.fliplr()"), "cube": ("2, 2, 2", "torch.fliplr(x)")},
    "flipud": {"matrix": ("2, 3", "x.flipud()"), "vector": ("3", "torch.flipud(x)")},
    "roll": {
        "flat": ("2, 3", "x.roll(1)"),
        "rows": ("3, 2", "x.roll(1, 0)"),
        "backwards": ("2, 4", "torch.roll(x, -1, 1)"),
        "around": ("5", "x.roll(7, 0)"),
        "far-backwards": ("5", "x.roll(-13, 0)"),
        "two": ("3, 3", "x.roll((1, -1), (0, 1))"),
        "twice": ("4, 2", "x.roll((1, 2), (0, 0))"),
        "nothing": ("3", "x.roll(0, 0)"),
        "empty": ("0, 2", "x.roll(1, 0)"),
        "scalar-flat": ("", "x.roll(1)"),
        "cube": ("2, 3, 2", "x.roll(1, -2)"),
    },
    "rot90": {
        "once": ("2, 3", "x.rot90()"),
        "twice": ("2, 3", "x.rot90(2)"),
        "three": ("2, 3", "torch.rot90(x, 3, (0, 1))"),
        "back": ("2, 3", "x.rot90(-1)"),
        "five": ("2, 2", "x.rot90(5)"),
        "none": ("2, 3", "x.rot90(0)"),
        "four": ("2, 3", "x.rot90(4)"),
        "far-back": ("2, 3", "x.rot90(-6)"),
        "dims": ("2, 2, 3", "x.rot90(1, (1, 2))"),
        "dims-swapped": ("2, 3", "x.rot90(1, (1, 0))"),
        "dims-negative": ("2, 2, 3", "x.rot90(1, (-1, 0))"),
    },
    "tril": {
        "square": ("3, 3", "x.tril()"),
        "above": ("3, 4", "x.tril(1)"),
        "below": ("4, 3", "torch.tril(x, -1)"),
        "batch": ("2, 2, 3", "x.tril()"),
        "far": ("2, 3", "x.tril(-5)"),
        "all": ("2, 3", "x.tril(5)"),
        "empty": ("0, 3", "x.tril()"),
        "no-columns": ("3, 0", "x.tril(1)"),
    },
    "triu": {
        "square": ("3, 3", "x.triu()"),
        "above": ("3, 4", "x.triu(1)"),
        "below": ("4, 3", "torch.triu(x, -1)"),
        "batch": ("2, 2, 3", "x.triu()"),
        "far": ("2, 3", "x.triu(5)"),
        "all": ("2, 3", "x.triu(-5)"),
        "empty": ("0, 3", "x.triu()"),
    },
    "diag": {
        "from-vector": ("3", "x.diag()"),
        "vector-above": ("2", "x.diag(1)"),
        "vector-below": ("2", "torch.diag(x, -2)"),
        "of-matrix": ("3, 4", "x.diag()"),
        "matrix-above": ("3, 4", "x.diag(2)"),
        "matrix-below": ("3, 4", "x.diag(-1)"),
        "empty": ("0", "x.diag(1)"),
    },
    "diag_embed": {
        "vector": ("3", "x.diag_embed()"),
        "batch": ("2, 2", "x.diag_embed()"),
        "offset": ("2, 2", "torch.diag_embed(x, 1)"),
        "below": ("2", "x.diag_embed(-2)"),
        "dims": ("2, 2", "x.diag_embed(0, 0, 2)"),
        "dims-swapped": ("2, 2", "x.diag_embed(1, -1, 0)"),
        "empty": ("0", "x.diag_embed()"),
    },
    "diagflat": {
        "vector": ("3", "x.diagflat()"),
        "matrix": ("2, 2", "torch.diagflat(x, 1)"),
        "scalar": ("", "x.diagflat(-1)"),
    },
    "trace": {
        "square": ("3, 3", "x.trace()"),
        "wide": ("2, 4", "torch.trace(x)"),
        "tall": ("5, 2", "x.trace()"),
        "empty": ("0, 3", "x.trace()"),
    },
    "broadcast_tensors": {
        "two": ("2, 1", "torch.broadcast_tensors(x, numbered(3))"),
        "scalar": ("", "torch.broadcast_tensors(x, numbered(2, 2, dtype=int8))"),
        "three": ("3", "torch.broadcast_tensors(x, numbered(2, 1), torch.tensor(True))"),
        "one": ("2", "torch.broadcast_tensors(x)"),
        "empty": ("0, 1", "torch.broadcast_tensors(x, numbered(2))"),
    },
    "meshgrid": {
        "default": ("3", "torch.meshgrid(x, numbered(2, dtype=x.dtype))"),
        "ij": ("3", "torch.meshgrid(x, numbered(2, dtype=x.dtype), indexing='ij')"),
        "xy": ("3", "torch.meshgrid(x, numbered(2, dtype=x.dtype), indexing='xy')"),
        "one": ("3", "torch.meshgrid(x, indexing='ij')"),
        "three-xy": (
            "2",
            "torch.meshgrid(x, x, numbered(3, dtype=x.dtype), indexing='xy')",
        ),
        "scalar": ("", "torch.meshgrid(x, x, indexing='ij')"),
        "empty": ("0", "torch.meshgrid(x, numbered(2, dtype=x.dtype), indexing='ij')"),
    },
    "cartesian_prod": {
        "two": ("3", "torch.cartesian_prod(x, numbered(2, dtype=x.dtype))"),
        "one": ("3", "torch.cartesian_prod(x)"),
        "three": ("2", "torch.cartesian_prod(x, x, numbered(1, dtype=x.dtype))"),
    },
}


def _row(op: str, form: str, shape: str, call: str, dtype: str, layout: str) -> Row:
    made = f"numbered({shape}{', ' if shape else ''}dtype={dtype})"
    x = made if layout == "contiguous" else f"{layout}({made})"
    return Row(f"{op}/{form}-{dtype}-{layout}", f"(lambda x: {call})({x})")


# Layouts that a tensor of so many dimensions can have at all.
LAYOUTS = (
    ("contiguous",),
    ("contiguous", "stepped", "narrowed", "expanded"),
    ("transposed", "contiguous", "stepped", "expanded", "narrowed"),
    ("contiguous", "permuted", "stepped", "transposed", "expanded", "narrowed"),
)


def layouts(shape: str) -> tuple[str, ...]:
    """The layouts that a tensor of these sizes can have."""
    sizes = [int(size) for size in shape.split(",") if size]
    return LAYOUTS[min(len(sizes), 3) if 0 not in sizes else 0]


def spread(forms: Mapping[str, Forms], most: int, start: int = 0) -> Iterator[Row]:
    """Each form with at most so many layouts, going on through layouts and dtypes."""
    turn = start
    for op, of_op in forms.items():
        for form, (shape, call) in of_op.items():
            fitting = layouts(shape)
            for number in range(min(most, max(len(fitting), 2))):
                layout = fitting[(turn // 2 + number) % len(fitting)]
                dtype = DTYPES[(turn + number) % len(DTYPES)]
                yield _row(op, form, shape, call, dtype, layout)
            turn += most


def every_dtype(forms: Mapping[str, Forms]) -> Iterator[Row]:
    """The first form of every op in every dtype that `spread` may have left out."""
    for op, of_op in forms.items():
        form, (shape, call) = next(iter(of_op.items()))
        for dtype in DTYPES:
            yield Row(
                f"{op}/{dtype}-{form}",
                f"(lambda x: {call})(numbered({shape}{', ' if shape else ''}dtype={dtype}))",
            )


# Ops whose kernels are compiled per dtype.
PER_DTYPE = (
    "cat stack flip roll tril triu diag trace repeat repeat_interleave diag_embed clone "
    "meshgrid diagflat"
).split()

SPECIAL_VALUES = tuple(
    Row(f"{op}/special-values", call.format("row(nan, -0.0, inf, 5e-324, dtype=float64)"))
    for op, call in (
        ("flip", "{}.flip(0)"),
        ("roll", "{}.roll(1)"),
        ("cat", "torch.cat(({0}, {0}))"),
        ("tril", "{}.reshape(2, 2).tril()"),
        ("triu", "{}.reshape(2, 2).triu()"),
        ("diag", "{}.diag()"),
        ("clone", "{}.clone()"),
        ("repeat", "{}.repeat(2)"),
        ("stack", "torch.stack(({0}, {0}))"),
        ("trace", "{}.reshape(2, 2).trace()"),
    )
)

# A sum, so its order and its type show.
TRACE = (
    *(
        Row(
            f"trace/{values}-{n}-{dtype}",
            f"{values}({n}, {n}, dtype={dtype}).trace()",
        )
        for values, n in (("cancelling", 9), ("ordinary", 13), ("large", 4))
        for dtype in ("float64", "float32", "float16", "bfloat16")
    ),
    *(
        Row(f"trace/large-{dtype}", f"large(5, 5, dtype={dtype}).trace()")
        for dtype in "int64 int32 int16 int8 uint8 bool".split()
    ),
    Row("trace/minus-zero", "torch.tensor([[-0.0]]).trace()"),
    Row("trace/infinities", "torch.tensor([[inf, 1.0], [1.0, -inf]]).trace()"),
    Row("trace/long-diagonal", "row(*(1.0, 1e8, 1.0, -1e8) * 5).diag().trace()"),
)

# Pairs of dtypes that meet in one tensor.
PROMOTION = (
    *(
        Row(
            f"cat/{a}-and-{b}",
            f"torch.cat((numbered(2, dtype={a}), numbered(3, dtype={b})))",
        )
        for a, b in (
            ("int64", "float32"),
            ("float16", "bfloat16"),
            ("uint8", "int8"),
            ("bool", "uint8"),
            ("float32", "float64"),
            ("int16", "float16"),
            ("uint32", "uint32"),
            ("uint32", "int64"),
            ("uint32", "float32"),
            ("bool", "uint32"),
            ("int32", "int64"),
            ("bool", "bfloat16"),
        )
    ),
    Row("cat/legacy-empty-promotes", "torch.cat((torch.zeros(0), numbered(2, 2, dtype=int64)))"),
    Row("cat/float-into-int-sizes", "torch.cat((numbered(2, dtype=int8), row(1.5), row(2.5)))"),
    Row("stack/promotion", "torch.stack((numbered(2, dtype=int8), row(1.5, 2.5)))"),
    Row(
        "stack/uint32-and-int64",
        "torch.stack((numbered(2, dtype=uint32), numbered(2, dtype=int64)))",
    ),
    Row("stack/scalars-promotion", "torch.stack((torch.tensor(1), torch.tensor(2.5)))"),
    Row("hstack/promotion", "torch.hstack((numbered(2, dtype=bool), row(1.5)))"),
    Row("vstack/promotion", "torch.vstack((numbered(2, dtype=int64), row(1.5, 2.0)))"),
    Row("dstack/promotion", "torch.dstack((numbered(1, dtype=int64), row(1.5)))"),
    Row("column_stack/promotion", "torch.column_stack((numbered(2, dtype=int16), row(1.5, 2.0)))"),
)

LAYOUT_PAIRS = tuple(
    Row(
        f"cat/{a}-and-{b}-{dim}",
        f"torch.cat(({a}(numbered(2, 3)), {b}(numbered(2, 3))), {dim})",
    )
    for a, b in (
        ("transposed", "contiguous"),
        ("stepped", "transposed"),
        ("narrowed", "expanded"),
        ("transposed", "transposed"),
    )
    for dim in (0, 1)
)

IN_PLACE = (
    Row("tril/in-place", "numbered(3, 3).tril_(-1)"),
    Row("triu/in-place", "numbered(3, 3).triu_(1)"),
    Row("squeeze/in-place", "numbered(1, 3).squeeze_()"),
    Row("unsqueeze/in-place", "numbered(2, 3).unsqueeze_(1)"),
    Row("t/in-place", "numbered(2, 3).t_()"),
    Row("transpose/in-place", "numbered(2, 3).transpose_(0, 1)"),
    Row("view_as/other", "numbered(2, 3).view_as(numbered(3, 2))"),
    Row("view_as/transposed-same", "numbered(2, 3).t().view_as(numbered(3, 2))"),
)

ROWS = (
    *spread(VIEWS, 3),
    *(
        _row("view", form, shape, call, DTYPES[(turn + number) % len(DTYPES)], layout)
        for turn, (form, (shape, call)) in enumerate(VIEW.items())
        for number, layout in enumerate(layouts(shape))
    ),
    *spread(COPIES, 3, start=5),
    *every_dtype({op: COPIES.get(op) or VIEWS[op] for op in PER_DTYPE}),
    *SPECIAL_VALUES,
    *TRACE,
    *PROMOTION,
    *LAYOUT_PAIRS,
    *(Row(f"{op}/error-{special}", expression) for op, special, expression in shape_errors.ERRORS),
    *(Row(f"{op}/{special}", expression) for op, special, expression in shape_errors.ORDERS),
    *IN_PLACE,
)


def namespace() -> dict[str, Any]:
    """What the expressions refer to."""
    return {**tensors.namespace(), "numbered": numbered}


SUITE = parity.suite.Suite("shape", "python/shape.py", ROWS, namespace)
