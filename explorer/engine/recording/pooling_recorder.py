"""Recording under a KeepPlan: each tap's tensor is kept, pooled as it comes, or only its shape is remembered.

Maps are pooled to blocks by the same rules as `trace.levels` has for arrays. There are two programs, because a tensor is pooled
on its device before it becomes an array, and an array is pooled in rooms without torch. A test compares the two.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.recording.keep_plan import KeepPlan
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import mask_of_all_layers

_SHELF_BYTES = 2**26  # The C library asks the system for so large a block, which gives it page by page as it is filled.


class PoolingRecorder:
    """Pools and remembers the tensors of one pass."""

    def __init__(self, plan: KeepPlan) -> None:
        self._plan = plan
        self._keeps: dict[Tap, bool] = {}
        self._shapes: dict[Tap, tuple[int, ...]] = {}
        self._pooled: dict[Tap, list[Tensor]] = {}
        self._closed: dict[str, list[Tensor]] = {}
        self._shelf = Shelf()

    def wants(self, tap: Tap, tensor: Tensor, first: int | None) -> bool:
        """Whether the tensor shall be kept whole. A tensor that shall be pooled is pooled in this call."""
        keeps = self._keeps.get(tap)
        if keeps is None:
            keeps = self._keeps[tap] = self._plan.keeps(tap.name)
        before = self._shapes[tap] if first else ()
        self._shapes[tap] = _joined(before, tuple(tensor.shape[1:]))
        attention = mask_of_all_layers(tap.name) if self._plan.block > 1 else ""
        if attention:
            self._closed.setdefault(attention, []).append(self._shelf.put(closed_cells(tensor[0, 0])))
        if self._plan.pools(tap.name):
            closed = closed_cells(tensor[0]) if tap.name.endswith(".masked") else None
            maps = pooled(tensor[0], self._plan.block, signed=stage_of(tap.name).range == "signed", closed=closed)
            self._pooled.setdefault(tap, []).append(self._shelf.put(maps))
        return keeps

    @property
    def shapes(self) -> dict[Tap, tuple[int, ...]]:
        """The shape of each tensor of the pass, without the batch axis."""
        return self._shapes

    def pooled(self) -> dict[str, NDArray[Any]]:
        """[head, row, column] the blocks of the maps that were pooled, by tap name."""
        return {tap.name: torch.cat(parts, dim=-2).float().cpu().numpy() for tap, parts in self._pooled.items()}

    def closed(self) -> dict[str, NDArray[np.bool_]]:
        """[query, key] the masks of the attentions whose maps were pooled, by attention."""
        return {name: torch.cat(parts).cpu().numpy() for name, parts in self._closed.items()}


def _joined(before: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a map [head, query, key] that is put together from blocks of queries."""
    return part if not before else (part[0], before[1] + part[1], *part[2:])


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


class Shelf:
    """Separate memory for what is kept of each block of a long text; `put` copies a tensor into it.

    The maps of a block are freed after it. Kept tensors between them would leave holes that are too small for the next block's
    maps: one in four passes over 4,096 tokens took 9 GB instead of 1.8 GB.
    """

    def __init__(self) -> None:
        self._free = torch.empty(0, dtype=torch.uint8)

    def put(self, tensor: Tensor) -> Tensor:
        """A copy of the tensor in the memory of the shelf; a tensor on another device is returned as it is."""
        if tensor.device.type != "cpu":
            return tensor
        n_bytes = tensor.numel() * tensor.element_size()
        if n_bytes > len(self._free):
            self._free = torch.empty(max(_SHELF_BYTES, n_bytes), dtype=torch.uint8)
        taken = math.ceil(n_bytes / 64) * 64  # Each tensor begins at a multiple of 64 bytes, where any type may begin.
        place, self._free = self._free[:n_bytes], self._free[taken:]
        return place.view(tensor.dtype).view(tensor.shape).copy_(tensor)
