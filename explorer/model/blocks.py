"""Attention over a long text, a block of queries at a time. This file is about memory, not about attention.

The attention maps of a text of n tokens have n² cells in each head. Where they would not fit into memory together, the
queries are taken in blocks, one after the other; each query's row is the same as if all had been taken at once.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

_WHOLE_CELLS = 2**25  # cells of the maps of all heads together, up to which they are computed in one piece
_BLOCK_CELLS = 2**22  # cells of the maps of a block, about; 16 MB
BLOCK_ROWS = 64  # The number of queries in a block is a multiple of this.


def rows_at_once(n_maps: int, n_queries: int, n_keys: int) -> int:
    """How many queries an attention takes at once: all of them, or as many as a block of a long text has.

    `n_maps` is the number of maps that are made side by side: sentences in the batch times heads.
    """
    if n_maps * n_queries * n_keys <= _WHOLE_CELLS:
        return n_queries
    return max(BLOCK_ROWS, _BLOCK_CELLS // (n_maps * n_keys) // BLOCK_ROWS * BLOCK_ROWS)


def all_at_once(query: Tensor, key: Tensor) -> bool:
    """Whether an attention of Q [batch, head, query, feature] and K [batch, head, key, feature] takes one piece.

    It always does while gradients are recorded: the way back needs all maps together anyway.
    """
    n = query.shape[-2]
    return torch.is_grad_enabled() or rows_at_once(math.prod(query.shape[:-2]), n, key.shape[-2]) >= n


def block_by_block(mix: Callable[..., Tensor], query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None) -> Tensor:
    """[batch, head, query, feature] what `mix(query, key, value, may_look, first)` makes of each block of queries.

    `first` is the position of the block's first query.
    """
    n = query.shape[-2]
    rows = rows_at_once(math.prod(query.shape[:-2]), n, key.shape[-2])
    # All blocks are written into one tensor. A tensor of its own for each block would stay between the maps of the blocks
    # and leave holes that are too small for the next maps: the process would grow by gigabytes.
    mixed = query.new_empty((*query.shape[:-1], value.shape[-1]))
    for first in range(0, n, rows):
        block = query[..., first : first + rows, :]
        mixed[..., first : first + rows, :] = mix(block, key, value, _mask_rows(may_look, first, rows, n), first)
    return mixed


def _mask_rows(may_look: Tensor | None, first: int, rows: int, n_queries: int) -> Tensor | None:
    """The rows of a mask that belong to a block of queries; a mask with one row for all queries stays as it is."""
    if may_look is None or may_look.shape[-2] != n_queries:
        return may_look
    return may_look[..., first : first + rows, :]
