"""Watchers of identity taps, for as long as a `with` block lasts.

    with record(model) as recording:
        model(source, target)
    recording.arrays["encoder.norm"]

Leaving the block takes the watcher out, whatever happened inside, and makes the arrays. `stop` is asked at each tap; where
it says True the pass ends with Superseded.

A KeepPlan says what is kept; the attention maps of a long text come in blocks of queries and may be pooled as they come.

A tensor is copied at its tap, since a later in-place operation would change it; but not where the model says that it
has none (`overwrites_nothing`): then the arrays are the very memory that the model wrote, and recording costs nearly
nothing. A test holds the two ways against each other. Where somebody has set hooks of torch's, all is copied: they may
write to what they are shown.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan
from explorer.engine.recording.pooling_recorder import PoolingRecorder
from explorer.model.hooks import has_hooks, watched
from explorer.model.tap import Tap
from explorer.stops import Superseded
from explorer.trace.arrays import Arrays


@attrs.define
class Recording:
    """What was seen, by tap name: arrays without the batch axis, and the names of their axes. Complete after the block."""

    arrays: Arrays = attrs.field(factory=Arrays)
    axes: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)  # of what was left out
    pooled: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)  # [head, row, column] blocks of attention maps
    closed: Mapping[str, NDArray[np.bool_]] = attrs.field(factory=dict)  # [query, key] by attention, where maps are pooled


@contextmanager
def record(model: nn.Module, stop: Callable[[], bool] | None = None, plan: KeepPlan = EVERYTHING) -> Iterator[Recording]:
    """Record the taps of `model` while the block runs, all of them if no plan says otherwise. Batches must be of one."""
    recording = Recording()
    seen: dict[Tap, Tensor] = {}
    parts: dict[Tap, list[Tensor]] = {}
    overwrites: bool | None = None  # asked at the first tap: hooks may be set inside the block
    selective = None if plan.everything else PoolingRecorder(plan)

    def watcher(tap: Tap, tensor: Tensor, first: int | None) -> None:
        nonlocal overwrites
        if overwrites is None:
            overwrites = not getattr(model, "overwrites_nothing", False) or has_hooks(model)
        if stop is not None and stop():
            raise Superseded
        if selective is not None and not selective.wants(tap, tensor, first):
            return
        seen[tap] = tensor.detach().clone() if overwrites else tensor
        if first is not None:
            parts.setdefault(tap, []).append(seen[tap])

    try:
        with watched(model, watcher):
            yield recording
    finally:
        seen |= {tap: torch.cat(blocks, dim=-2) for tap, blocks in parts.items()}
        recording.arrays.take(_fetched(seen))
        if selective is None:
            recording.axes = {tap.name: tap.axes[1:] for tap in seen}
        else:
            selective.finish(recording)


def joined(first: Recording, then: Recording) -> Recording:
    """Two recordings as that of one pass that was made in two parts."""
    return Recording(
        first.arrays.followed_by(then.arrays),
        {**first.axes, **then.axes},
        {**first.shapes, **then.shapes},
        {**first.pooled, **then.pooled},
        {**first.closed, **then.closed},
    )


def _fetched(seen: Mapping[Tap, Tensor]) -> dict[str, NDArray[Any]]:
    """The arrays of all tensors, their own memory; from another device they come in one transfer, since each by itself
    costs a wait. Raises ValueError for a batch that is not of one sentence.
    """
    first = next(iter(seen.values()), None)
    if first is not None and first.device.type != "cpu":
        arrays = dict(zip((tap.name for tap in seen), in_one_transfer(list(seen.values())), strict=True))
    else:
        try:  # a pass without gradients in float32, as most are
            arrays = {tap.name: tensor.numpy() for tap, tensor in seen.items()}
        except (RuntimeError, TypeError):  # some want a gradient, or are of a type that NumPy lacks
            arrays = {tap.name: tensor.detach().float().numpy() for tap, tensor in seen.items()}
    for batch in arrays.values():
        if len(batch) != 1:
            raise ValueError(f"a batch of {len(batch)}")
    return arrays


def in_one_transfer(tensors: list[Tensor]) -> list[NDArray[Any]]:
    """Tensors of one device as arrays that share one memory."""
    together = torch.cat([tensor.detach().reshape(-1).float() for tensor in tensors]).cpu().numpy()
    ends = np.cumsum([tensor.numel() for tensor in tensors])
    parts = np.split(together, ends[:-1])
    return [part.reshape(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]
