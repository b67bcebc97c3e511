"""The recorder: inside a `with` block it watches the taps of a model and keeps their tensors.

    with record(model) as recording:
        model(source, target)
    recording.arrays["encoder.norm"]

Leaving the block removes the watcher, also after an error, and makes the arrays. `stop` is asked at each tap; if it returns
True, the pass ends with Superseded.

A KeepPlan says what is kept. The attention maps of a long text come in blocks of queries and may be pooled as they come.

In general a tensor is copied at its tap, because a later in-place operation would change it. A model that has no such
operations says so (`overwrites_nothing`). Its tensors are not copied: the arrays are the memory that the model wrote, and
recording costs nearly nothing. A test compares the two ways. If there are hooks, everything is copied, because hooks may
write to the tensors that they are shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan
from explorer.engine.recording.pooling_recorder import PoolingRecorder
from explorer.model.hooks import may_overwrite, watched
from explorer.model.tap import Tap, TapGroup
from explorer.stops import Superseded
from explorer.trace.arrays import Arrays

_Seen = dict[Tap | TapGroup, Sequence[Tensor]]
"""The tensor of a tap, or those of a group, in the order in which a pass came through them."""


@attrs.define
class Recording:
    """What was recorded, by tap name: arrays without the batch axis, and their axes. It is complete after the block."""

    arrays: Arrays = attrs.field(factory=Arrays)
    axes: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    # The shapes of tensors that were not kept.
    shapes: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)
    # Blocks of attention maps, [head, row, column].
    pooled: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)
    # Masks of attentions whose maps are pooled, [query, key] by attention.
    closed: Mapping[str, NDArray[np.bool_]] = attrs.field(factory=dict)


@contextmanager
def record(model: nn.Module, stop: Callable[[], bool] | None = None, plan: KeepPlan = EVERYTHING) -> Iterator[Recording]:
    """Inside the block, record the taps of `model`, all of them unless the plan says otherwise.

    A batch must have one sentence; ValueError is raised for more. Raises Superseded when `stop` returns True.
    """
    recording, keeping = Recording(), _Keeping(model, stop, None if plan.everything else PoolingRecorder(plan))
    try:
        with watched(model, keeping):
            yield recording
    finally:
        for tap, blocks in keeping.parts.items():
            keeping.seen[tap] = (torch.cat(blocks, dim=-2),)
        listing = _listing(model, keeping.seen)
        recording.arrays.take(_fetched(listing.names, list(chain.from_iterable(keeping.seen.values()))))
        recording.axes = listing.axes
        if keeping.selective is not None:
            keeping.selective.finish(recording)


@attrs.define(eq=False)
class _Keeping:
    """The watcher of a recording: it keeps the tensors of taps, and those that come in `parts`, in order."""

    model: nn.Module
    stop: Callable[[], bool] | None
    selective: PoolingRecorder | None
    seen: _Seen = attrs.field(factory=dict)
    parts: dict[Tap, list[Tensor]] = attrs.field(factory=dict)
    _overwrites: bool | None = None  # This is found out at the first tap, because hooks may be set inside the block.

    def __call__(self, tap: Tap, tensor: Tensor, first: int | None) -> None:
        """Keep the tensor of a tap as far as it is wanted. Raises Superseded."""
        self._look_up()
        if self.selective is not None and not self.selective.wants(tap, tensor, first):
            return
        _check_batch(tensor)
        kept = tensor.detach().clone() if self._overwrites else tensor
        self.seen[tap] = (kept,)
        if first is not None:
            self.parts.setdefault(tap, []).append(kept)

    def together(self, group: TapGroup, tensors: Sequence[Tensor]) -> None:
        """The same for several taps, whose tensors are there at once (`model.layer_graph`)."""
        if self.selective is None:
            self._look_up()
            if not self._overwrites:
                _check_batch(tensors[0])  # Both sides of a layer's sentence go through all of it, and leave it together.
                _check_batch(tensors[-1])
                self.seen[group] = tensors
                return
        for tap, tensor in zip(group.taps, tensors, strict=True):
            self(tap, tensor, None)

    def _look_up(self) -> None:
        if self._overwrites is None:
            self._overwrites = not getattr(self.model, "overwrites_nothing", False) or may_overwrite(self.model)
        if self.stop is not None and self.stop():
            raise Superseded


def joined(first: Recording, then: Recording) -> Recording:
    """One recording from the two recordings of a pass that was made in two parts."""
    return Recording(
        first.arrays.followed_by(then.arrays),
        {**first.axes, **then.axes},
        {**first.shapes, **then.shapes},
        {**first.pooled, **then.pooled},
        {**first.closed, **then.closed},
    )


def _check_batch(tensor: Tensor) -> None:
    """Raises ValueError for a batch that has not exactly one sentence."""
    if tensor.shape[0] != 1:
        raise ValueError(f"a batch of {tensor.shape[0]}")


@attrs.frozen(eq=False)
class _Listing:
    """The taps that a pass came through, by their names, and their axes without the batch."""

    names: tuple[str, ...]
    axes: Mapping[str, tuple[str, ...]]


_listings: "WeakKeyDictionary[nn.Module, dict[tuple[object, ...], _Listing]]" = WeakKeyDictionary()
"""Those of the last kinds of passes of each model: to ask a hundred taps, which lie all over the memory, takes 40 µs."""
_MOST_LISTINGS = 8


def _listing(model: nn.Module, seen: _Seen) -> _Listing:
    """The listing of these taps, whose names stay until taps are named anew."""
    known, key = _listings.setdefault(model, {}), (Tap.n_namings, *seen)
    found = known.get(key)
    if found is None:
        if len(known) == _MOST_LISTINGS:
            known.clear()
        taps = [tap for each in seen for tap in (each.taps if isinstance(each, TapGroup) else (each,))]
        axes = MappingProxyType({tap.name: tap.axes[1:] for tap in taps})
        found = known[key] = _Listing(tuple([tap.name for tap in taps]), axes)
    return found


def _fetched(names: Sequence[str], tensors: list[Tensor]) -> dict[str, NDArray[Any]]:
    """The tensors by name, as arrays. On the processor these share the tensors' memory; from another device they come in one
    transfer, because each transfer costs a wait."""
    if tensors and tensors[0].device.type != "cpu":
        arrays = in_one_transfer(tensors)
    else:
        try:  # Most passes are in float32 and without gradients.
            arrays = [tensor.numpy() for tensor in tensors]
        except (RuntimeError, TypeError):  # Some tensors need gradients, or have a type that NumPy lacks.
            arrays = [tensor.detach().float().numpy() for tensor in tensors]
    return dict(zip(names, arrays, strict=True))


def in_one_transfer(tensors: list[Tensor]) -> list[NDArray[Any]]:
    """Tensors of one device as arrays that share one block of memory, fetched in one transfer."""
    together = torch.cat([tensor.detach().reshape(-1).float() for tensor in tensors]).cpu().numpy()
    ends = np.cumsum([tensor.numel() for tensor in tensors])
    parts = np.split(together, ends[:-1])
    return [part.reshape(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]
