"""What a recorder does with each tap under a KeepPlan: keeps it, pools it as it comes, or only remembers its shape."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from explorer.engine.recording.keep_plan import KeepPlan
from explorer.engine.recording.shelf import Shelf
from explorer.model.tap import Tap

if TYPE_CHECKING:
    from explorer.engine.recording.recorder import Recording


class PoolingRecorder:
    """One pass's worth of it."""

    def __init__(self, plan: KeepPlan) -> None:
        self._plan = plan
        self._keeps: dict[Tap, bool] = {}
        self._shapes: dict[Tap, tuple[int, ...]] = {}
        self._pooled: dict[Tap, list[Tensor]] = {}
        self._closed: dict[str, list[Tensor]] = {}
        self._shelf = Shelf()

    def wants(self, tap: Tap, tensor: Tensor, first: int | None) -> bool:
        """Whether the tensor is to be kept whole; what is pooled is pooled here and now."""
        keeps = self._keeps.get(tap)
        if keeps is None:
            keeps = self._keeps[tap] = self._plan.keeps(tap.name)
        before = self._shapes[tap] if first else ()
        self._shapes[tap] = _joined(before, tuple(tensor.shape[1:]))
        attention = mask_of_all_layers(tap.name) if self._plan.block > 1 else ""
        if attention:
            self._closed.setdefault(attention, []).append(self._shelf.put(closed_cells(tensor[0, 0])))
        if self._plan.pools(tap.name):
            maps = pooled(tensor[0], self._plan.block, tap.name.rpartition(".")[2])
            self._pooled.setdefault(tap, []).append(self._shelf.put(maps))
        return keeps

    def finish(self, recording: "Recording") -> None:
        """All that was seen, put into the recording."""
        recording.axes = {tap.name: tap.axes[1:] for tap in self._keeps}
        recording.shapes = {tap.name: shape for tap, shape in self._shapes.items() if tap.name not in recording.arrays}
        recording.pooled = {tap.name: torch.cat(parts, dim=-2).float().cpu().numpy() for tap, parts in self._pooled.items()}
        recording.closed = {name: torch.cat(parts).cpu().numpy() for name, parts in self._closed.items()}


def mask_of_all_layers(tap: str) -> str:
    """The attention ("decoder.self_attn") whose mask this tap shows: every layer and head has the same, so the first layer
    tells. Empty for any other tap.
    """
    tells = tap.endswith("_attn.masked") and ".layers.0." in tap
    return tap.removesuffix(".masked").replace(".layers.0", "") if tells else ""


def _joined(before: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of [head, query, key] blocks one below the other."""
    return part if not before else (part[0], before[1] + part[1], *part[2:])


def closed_cells(masked: Tensor) -> Tensor:
    """True where a mask closed the cell, as `measures.closed_cells` says it of arrays."""
    return torch.isneginf(masked) | (masked == -1e9)


def pooled(maps: Tensor, block: int, stage: str) -> Tensor:
    """[head, query, key] to [head, row, column]: the maximum of each block of weights, of scores the value farthest from
    zero among those that are not closed; -inf where all are.
    """
    if stage in ("weights", "dropped"):
        return _largest(maps, block)
    shut = closed_cells(maps)
    high, low = _largest(maps.masked_fill(shut, -torch.inf), block), -_largest((-maps).masked_fill(shut, -torch.inf), block)
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
