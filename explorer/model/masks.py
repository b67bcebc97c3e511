"""Who may look at whom. Every mask here is boolean and True means: this query may see this key.

Vaswani et al. 2017, section 3.2.3.
"""

import torch
from torch import Tensor

from explorer.config import MASK_VALUES


def causal(n_queries: int, n_keys: int, first: int = 0) -> Tensor:
    """[query, key] a query sees keys up to its own position and nothing later; the first query stands at `first`."""
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(first)


def handled(may_look: Tensor | None, masking: str, n_queries: int, n_keys: int) -> Tensor | None:
    """The mask as the knob `masking` treats it; None is a mask that closes nothing.

    usual: as it is. inverted: written with 1 = closed and read with 0 = closed, so that open and closed change places.
    zeros: a mask of zeros read with 0 = closed, as two of the tutorials test with: every cell is closed.
    """
    if masking == "zeros":
        return torch.zeros(n_queries, n_keys, dtype=torch.bool)
    return ~may_look if masking == "inverted" and may_look is not None else may_look


def padding(lengths: Tensor, n_keys: int) -> Tensor:
    """[batch, head 1, query 1, key] keys beyond a sentence's own length are padding, which nobody sees."""
    return (torch.arange(n_keys, device=lengths.device) < lengths[:, None])[:, None, None, :]


def close(scores: Tensor, may_look: Tensor | None, mask_value: float) -> Tensor:
    """The scores with `mask_value` wherever `may_look` is False; all of them where there is no mask."""
    return scores if may_look is None else scores.masked_fill(~may_look, mask_value)


def closed_cells(masked: Tensor) -> Tensor:
    """[…, query, key] True where a mask has closed the cell: its score is one of the two values of a mask."""
    infinite, finite = MASK_VALUES.values()
    return (masked == infinite) | (masked == finite)
