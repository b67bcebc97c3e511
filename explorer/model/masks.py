"""Masks: which query may see which key. Every mask here is boolean, and True means that the query may see the key.

Vaswani et al. 2017, section 3.2.3.
"""

import torch
from torch import Tensor

from explorer.config import MASK_VALUES


def causal(n_queries: int, n_keys: int, first: int = 0) -> Tensor:
    """[query, key] a query sees keys up to its own position and none later; the first query stands at position `first`."""
    # may_look[q,k] = (k ≤ q + first)
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(first)


def handled(may_look: Tensor | None, masking: str, n_queries: int, n_keys: int) -> Tensor | None:
    """The mask [query, key] as the knob `masking` treats it; None is a mask that closes nothing.

    usual: the mask as it is. inverted: the mask is written with 1 = closed but read with 0 = closed, so open and closed cells
    change places. zeros: a mask of zeros is read with 0 = closed, as in the tests of two tutorials, so every cell is closed.
    """
    if masking == "zeros":
        return torch.zeros(n_queries, n_keys, dtype=torch.bool)
    return ~may_look if masking == "inverted" and may_look is not None else may_look


def padding(lengths: Tensor, n_keys: int) -> Tensor:
    """[batch, head 1, query 1, key] no query sees padding: the keys beyond a sentence's own length (`lengths` [batch])."""
    # may_look[b,k] = (k < length_b)
    return (torch.arange(n_keys, device=lengths.device) < lengths[:, None])[:, None, None, :]


def close(scores: Tensor, may_look: Tensor | None, mask_value: float) -> Tensor:
    """The scores [batch, head, query, key] with `mask_value` wherever `may_look` is False; unchanged without a mask."""
    # M[q,k] = S[q,k] where q may see k, else the mask's value
    return scores if may_look is None else scores.masked_fill(~may_look, mask_value)


def closed_cells(masked: Tensor) -> Tensor:
    """[…, query, key] True where a mask has closed the cell: its score is then one of the two values that masks write."""
    infinite, finite = MASK_VALUES.values()
    return (masked == infinite) | (masked == finite)
