"""Recording under a KeepPlan: each tap's tensor is kept, pooled as it comes, or only its shape is remembered."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from explorer.engine.recording.keep_plan import KeepPlan
from explorer.engine.recording.pooling import pooled
from explorer.engine.recording.shelf import Shelf
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap
from explorer.trace.stages import stage_of

if TYPE_CHECKING:
    from explorer.engine.recording.recorder import Recording


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

    def finish(self, recording: "Recording") -> None:
        """Put the shapes, pooled maps and masks of the pass into the recording."""
        recording.axes = {tap.name: tap.axes[1:] for tap in self._keeps}
        recording.shapes = {tap.name: shape for tap, shape in self._shapes.items() if tap.name not in recording.arrays}
        recording.pooled = {tap.name: torch.cat(parts, dim=-2).float().cpu().numpy() for tap, parts in self._pooled.items()}
        recording.closed = {name: torch.cat(parts).cpu().numpy() for name, parts in self._closed.items()}


def mask_of_all_layers(tap: str) -> str:
    """The attention ("decoder.self_attn") whose mask this tap shows, "" for any other tap.

    All layers and heads of an attention have the same mask, so only the tap `masked` of the first layer counts.
    """
    tells = tap.endswith("_attn.masked") and ".layers.0." in tap
    return tap.removesuffix(".masked").replace(".layers.0", "") if tells else ""


def _joined(before: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a map [head, query, key] that is put together from blocks of queries."""
    return part if not before else (part[0], before[1] + part[1], *part[2:])
