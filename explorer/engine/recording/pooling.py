"""Attention maps to blocks, as tensors and as they come: the same rule as `trace.levels` has for arrays.

A test holds the two against each other. They are two programs because a tensor is pooled on its device and before it
becomes an array, and an array is pooled where there is no torch.
"""

import torch
from torch import Tensor


def pooled(maps: Tensor, block: int, *, signed: bool, closed: Tensor | None = None) -> Tensor:
    """[head, query, key] to [head, row, column] blocks of `block` × `block` cells, the last ones of what is left.

    The maximum of each block; of a signed map the value farthest from zero among the cells that are not `closed`
    ([query, key] or of each head), -inf where all are.
    """
    if not signed:
        return _largest(maps, block)
    high, low = (maps, -maps) if closed is None else (each.masked_fill(closed, -torch.inf) for each in (maps, -maps))
    high, low = _largest(high, block), -_largest(low, block)
    return torch.where(high >= -low, high, low)


def _largest(maps: Tensor, block: int) -> Tensor:
    """Queries first: a maximum over whole rows takes a third of the time of one over short runs."""
    return _along(_along(maps, block, -2), block, -1)


def _along(maps: Tensor, block: int, axis: int) -> Tensor:
    n = maps.shape[axis]
    whole = n // block * block
    parts = []
    if whole:
        main = maps.narrow(axis, 0, whole)
        parts.append(torch.unflatten(main, axis, (whole // block, block)).amax(axis))
    if whole < n:
        parts.append(maps.narrow(axis, whole, n - whole).amax(axis, keepdim=True))
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=axis)
