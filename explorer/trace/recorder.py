"""Forward hooks on identity taps, for as long as a `with` block lasts.

    with record(model) as recording:
        model(source, target)
    recording.arrays["encoder.norm"]

Leaving the block removes the hook, whatever happened inside, and makes the arrays. `stop` is asked at each tap; where
it says True the pass ends with Superseded.

A tensor is copied at its tap, since a later in-place operation would change it; but not where the model says that it
has none (`overwrites_nothing`): then the arrays are the very memory that the model wrote, and recording costs nearly
nothing. A test holds the two ways against each other.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.model.tap import Tap, shared_hooks
from explorer.trace.arrays import Arrays
from explorer.trace.superseded import Superseded


@attrs.define
class Recording:
    """What was seen, by tap name: arrays without the batch axis, and the names of their axes. Complete after the block."""

    arrays: Arrays = attrs.field(factory=Arrays)
    axes: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)


@contextmanager
def record(model: nn.Module, stop: Callable[[], bool] | None = None) -> Iterator[Recording]:
    """Record every tap of `model` while the block runs. Passes must have a batch of one."""
    recording, seen = Recording(), dict[Tap, Tensor]()
    overwrites = not getattr(model, "overwrites_nothing", False)

    def hook(tap: Tap, tensor: Tensor) -> None:
        if stop is not None and stop():
            raise Superseded
        seen[tap] = tensor.detach().clone() if overwrites else tensor

    hooks = shared_hooks(model)
    hooks.append(hook)
    try:
        yield recording
    finally:
        hooks.remove(hook)
        recording.arrays.take({tap.name: _batch(tensor) for tap, tensor in seen.items()})
        recording.axes = {tap.name: tap.axes[1:] for tap in seen}


def joined(first: Recording, then: Recording) -> Recording:
    """Two recordings as that of one pass that was made in two parts."""
    return Recording(first.arrays.followed_by(then.arrays), {**first.axes, **then.axes})


def _batch(tensor: Tensor) -> NDArray[Any]:
    """The tensor's own memory as an array. Raises ValueError for a batch that is not of one sentence."""
    try:
        batch: NDArray[Any] = tensor.numpy()
    except (RuntimeError, TypeError):  # it wants a gradient, is on another device, or of a type that NumPy lacks
        batch = tensor.detach().float().cpu().numpy()
    if len(batch) != 1:
        raise ValueError(f"a batch of {len(batch)}")
    return batch
