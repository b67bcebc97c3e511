"""Pooling: attention maps to blocks, as tensors, by the same rules as `trace.levels` has for arrays.

There are two programs, because a tensor is pooled on its device before it becomes an array, and an array is pooled in rooms
without torch. A test compares the two.
"""

import torch
from torch import Tensor


def pooled(maps: Tensor, block: int, *, signed: bool, closed: Tensor | None = None) -> Tensor:
    """[head, query, key] maps to [head, row, column] blocks of `block` × `block` cells; the last blocks may be smaller.

    A block is the maximum of its cells. In a signed map it is the value farthest from zero among the cells that are not
    `closed` ([query, key] or [head, query, key]), and -inf if all are closed.
    """
    if not signed:
        return _largest(maps, block)
    high, low = (maps, -maps) if closed is None else (each.masked_fill(closed, -torch.inf) for each in (maps, -maps))
    high, low = _largest(high, block), -_largest(low, block)
    return torch.where(high >= -low, high, low)


def _largest(maps: Tensor, block: int) -> Tensor:
    """The maximum of each block. Queries come first: a maximum over whole rows takes a third of the time of one over runs."""
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
