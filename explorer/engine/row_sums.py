"""Attention weights whose rows go on summing to 1 when some of their cells are set.

Decision: the other keys of the row share what is left in proportion to the weights that they had, as if the softmax had been
made without the cells that were set. Rejected: leaving them as they are, for then the head would take more, or less, than one
whole value, and one could not tell an effect of the cell from one of the sum.
"""

import torch
from torch import Tensor


def with_cells_set(weights: Tensor, columns: list[int], value: float, closed: Tensor) -> Tensor:
    """Attention weights [batch, (head,) query, key] with `value` in each of the n `columns`, and rows that sum to 1.

    `closed` has the same shape and is True where a mask has closed the cell. Where the other keys have no weight at all, the
    open ones among them share the rest evenly. Where none of them is open, they keep what they have, so the sum is n·value.
    """
    others = torch.ones_like(weights, dtype=torch.bool)
    others[..., columns] = False
    kept = weights.where(others, 0.0)
    left = kept.sum(dim=-1, keepdim=True)  # [batch, (head,) query, 1] is 1 - a, the weight that the other keys have together.
    rest = 1.0 - value * len(columns)
    open_keys = (others & ~closed).to(weights)
    n_open = open_keys.sum(dim=-1, keepdim=True)  # [batch, (head,) query, 1]
    # A'[k] = A[k] · (1 - n·v) / (1 - a). The division comes first: it is exact enough however little the others had.
    scaled = kept / left.where(left > 0, 1.0) * rest
    shared = open_keys / n_open.clamp(min=1.0) * rest
    made = scaled.where(left > 0, shared.where(n_open > 0, kept))
    return made.where(others, value)
