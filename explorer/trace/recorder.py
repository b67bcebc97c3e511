"""Forward hooks on identity taps, for as long as a `with` block lasts.

    with record(model) as recording:
        model(source, target)
    recording.arrays["encoder.norm"]

Leaving the block removes every hook, whatever happened inside, and makes the arrays. `stop` is asked at each tap; where
it says True the pass ends with Superseded.

A tensor is copied at its tap, since a later in-place operation would change it; but not where the model says that it
has none (`overwrites_nothing`): then the arrays are the very memory that the model wrote, and recording costs nearly
nothing. A test holds the two ways against each other.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import attrs
import torch
from torch import Tensor, nn

from explorer.model.tap import taps
from explorer.trace.superseded import Superseded
from explorer.trace.trace import Array, frozen_array


@attrs.frozen
class Recording:
    """What was seen, by tap name: arrays without the batch axis, and the names of their axes. Complete after the block."""

    arrays: dict[str, Array] = attrs.field(factory=dict)
    axes: dict[str, tuple[str, ...]] = attrs.field(factory=dict)


def _never() -> bool:
    return False


@contextmanager
def record(model: nn.Module, stop: Callable[[], bool] = _never) -> Iterator[Recording]:
    """Record every tap of `model` while the block runs. Passes must have a batch of one."""
    recording, seen = Recording(), dict[str, Tensor]()
    see = _see_itself if getattr(model, "overwrites_nothing", False) else _see_copy
    points = taps(model)
    try:
        with ExitStack() as hooks:
            for name, tap in points.items():
                hook = partial(see, seen, stop, name)
                tap.attach(hook)
                hooks.callback(tap.detach, hook)
            yield recording
    finally:
        for name, tensor in seen.items():
            recording.arrays[name] = _array(tensor)
            recording.axes[name] = points[name].axes[1:]


def _see_itself(seen: dict[str, Tensor], stop: Callable[[], bool], name: str, tensor: Tensor) -> None:
    if stop():
        raise Superseded
    seen[name] = tensor


def _see_copy(seen: dict[str, Tensor], stop: Callable[[], bool], name: str, tensor: Tensor) -> None:
    _see_itself(seen, stop, name, tensor.detach().clone())


def _array(tensor: Tensor) -> Array:
    """The one sentence of the batch, read-only."""
    if len(tensor) != 1:
        raise ValueError(f"a batch of {len(tensor)}")
    only = tensor[0].detach()
    if only.dtype == torch.float32 and only.is_contiguous() and only.device.type == "cpu":
        array: Array = only.numpy()
        array.setflags(write=False)
        return array
    return frozen_array(only.float().cpu().numpy())
