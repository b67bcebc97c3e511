"""The recorder: inside a `with` block it keeps the tensors of a model's taps, by forward hooks of torch's.

    with record(model) as recording:
        model(source, target)
    recording.arrays["encoder.norm"]

Entering the block registers a forward hook on each tap. Leaving it removes the hooks, also after an error, and makes the
arrays. Hooks are called in the order in which they were registered, so a recording shows what earlier hooks returned.
`stop` is asked at each tap; if it returns True, the pass ends with Superseded.

A KeepPlan says what is kept. The attention maps of a long text come in blocks of queries and may be pooled as they come.

In general a tensor is copied at its tap, because a later in-place operation would change it. A model that has no such
operations says so (`overwrites_nothing`). Its tensors are not copied: the arrays are the memory that the model wrote. A test
compares the two ways. If there are other hooks in the model, everything is copied, because a hook may write to any tensor.

Decision: the recording hands out NumPy arrays, though making views is half of what it costs a tiny model. Rejected: tensors
with an array made on demand (1.05 to 1.07 of a plain pass in place of 1.13 to 1.15), because the GUI thread would make some of
the arrays, and no tensor may leave the compute thread.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan
from explorer.engine.recording.pooling_recorder import PoolingRecorder
from explorer.errors import BadReplacement
from explorer.model.hooks import hooked, is_hooked
from explorer.model.tap import Tap, first_of
from explorer.stops import Superseded
from explorer.trace.arrays import Arrays


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

    def of_taps(self, only: Collection[str]) -> "Recording":
        """The recording of these taps alone."""
        arrays = self.arrays.of_names(only)
        return Recording(arrays, {tap: self.axes[tap] for tap in arrays}, closed=self.closed)


@attrs.frozen
class Begun:
    """The first part of a pass, made in order to translate: the encoder's output [batch 1, key, feature] and its recording.

    `target` has the ids after the begin symbol if the decoder's part is recorded as well; then nothing is left of the pass.
    """

    memory: Tensor
    recording: Recording
    target: tuple[int, ...] | None = None


@contextmanager
def record(model: nn.Module, stop: Callable[[], bool] | None = None, plan: KeepPlan = EVERYTHING) -> Iterator[Recording]:
    """Inside the block, record the taps of `model`, all of them unless the plan says otherwise.

    A batch must have one sentence; ValueError is raised for more. Raises Superseded when `stop` returns True.
    """
    recording = Recording()
    copies = not getattr(model, "overwrites_nothing", False) or is_hooked(model)
    pools = not plan.everything and plan.only is None
    keeping = _Keeping(stop, PoolingRecorder(plan) if pools else None, copies, plan.only)
    try:
        with hooked(model, keeping):
            keeping.n_handles = RemovableHandle.next_id
            yield recording
    finally:
        for tap, blocks in keeping.parts.items():
            keeping.seen[tap] = torch.cat(blocks, dim=-2)
        recording.arrays.take(_fetched([tap.name for tap in keeping.seen], list(keeping.seen.values())))
        seen = keeping.seen if keeping.selective is None else keeping.selective.shapes
        recording.axes = {tap.name: tap.axes[1:] for tap in seen}
        if keeping.selective is not None:
            shapes = keeping.selective.shapes
            recording.shapes = {tap.name: shape for tap, shape in shapes.items() if tap.name not in recording.arrays}
            recording.pooled, recording.closed = keeping.selective.pooled(), keeping.selective.closed()


@attrs.define(eq=False)
class _Keeping:
    """The hook of a recording: it keeps the tensors of taps, and those that come in `parts`, in order.

    `n_handles` is how many hooks torch had registered in this process when the block began: if there are more, one was
    registered inside the block, and tensors are copied from then on.
    """

    stop: Callable[[], bool] | None
    selective: PoolingRecorder | None
    copies: bool
    only: frozenset[str] | None = None
    n_handles: int = 0
    seen: dict[Tap, Tensor] = attrs.field(factory=dict)
    parts: dict[Tap, list[Tensor]] = attrs.field(factory=dict)

    def __call__(self, tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> None:
        """Keep the tensor of a tap as far as it is wanted. Raises BadReplacement, ValueError, Superseded."""
        if self.stop is not None and self.stop():
            raise Superseded
        if self.only is not None and tap.name not in self.only:
            return
        if tensor is not args[0]:
            _check_replacement(tap, args[0], tensor)
        first = first_of(args)
        if self.selective is not None and not self.selective.wants(tap, tensor, first):
            return
        if tensor.shape[0] != 1:
            raise ValueError(f"a batch of {tensor.shape[0]}")
        if self.copies or self.n_handles != RemovableHandle.next_id:
            tensor = tensor.detach().clone()
        self.seen[tap] = tensor
        if first is not None:
            self.parts.setdefault(tap, []).append(tensor)


def _check_replacement(tap: Tap, before: Tensor, by: object) -> None:
    """Refuse what a hook has put in the place of a tap's tensor and cannot stand there. Raises BadReplacement."""
    if not isinstance(by, Tensor):
        raise BadReplacement(tap=tap.name, wanted=_described(before), got=type(by).__name__)
    if by.shape != before.shape or by.dtype != before.dtype or by.device != before.device:
        raise BadReplacement(tap=tap.name, wanted=_described(before), got=_described(by))
    # NaN and infinity may stay where they were: a query that may see no key has NaN weights.
    kept = (by == before) | (by.isnan() & before.isnan())
    spoiled = ~by.isfinite() & ~kept
    if tap.closes:
        spoiled &= ~by.isneginf()
    if spoiled.any():
        raise BadReplacement(tap=tap.name, wanted=_described(before), got="NaN / ∞")


def _described(tensor: Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} {tensor.device}"


def joined(first: Recording, then: Recording) -> Recording:
    """One recording from the two recordings of a pass that was made in two parts."""
    return Recording(
        first.arrays.followed_by(then.arrays),
        {**first.axes, **then.axes},
        {**first.shapes, **then.shapes},
        {**first.pooled, **then.pooled},
        {**first.closed, **then.closed},
    )


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
