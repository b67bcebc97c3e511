"""Token ids as tensors."""

from collections.abc import Sequence

import torch
from torch import Tensor


def ids_tensor(ids: tuple[int, ...]) -> Tensor:
    """[batch 1, position] one sentence as a batch."""
    return torch.tensor([ids], dtype=torch.long)


def padded(rows: Sequence[tuple[int, ...]], fill: int) -> Tensor:
    """[batch, position] the rows, shorter ones filled up."""
    longest = max(map(len, rows))
    return torch.tensor([row + (fill,) * (longest - len(row)) for row in rows])
