"""Token ids as tensors."""

from collections.abc import Sequence

import torch
from torch import Tensor


def ids_tensor(ids: tuple[int, ...]) -> Tensor:
    """[batch 1, position] the ids of one sentence as a batch."""
    return torch.tensor([ids], dtype=torch.long)


def padded(rows: Sequence[tuple[int, ...]], fill: int) -> Tensor:
    """[batch, position] the ids of several sentences; shorter ones are filled up with the id `fill`."""
    longest = max(map(len, rows))
    return torch.tensor([row + (fill,) * (longest - len(row)) for row in rows])
