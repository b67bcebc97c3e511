"""Forward hooks on identity taps, for as long as a `with` block lasts.

    with record(model) as recording:
        model(source, target)
    recording.arrays["encoder.norm"]

Leaving the block removes every hook, whatever happened inside. Arrays are copies: a later in-place operation in the
model cannot change what was recorded. `stop` is asked at each tap; where it says True the pass ends with Superseded.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import attrs
from torch import Tensor, nn

from explorer.model.tap import taps
from explorer.trace.superseded import Superseded
from explorer.trace.trace import Array, frozen_array


@attrs.frozen
class Recording:
    """What was seen so far, by tap name: arrays without the batch axis, and the names of their axes."""

    arrays: dict[str, Array] = attrs.field(factory=dict)
    axes: dict[str, tuple[str, ...]] = attrs.field(factory=dict)


def _never() -> bool:
    return False


@contextmanager
def record(model: nn.Module, stop: Callable[[], bool] = _never) -> Iterator[Recording]:
    """Record every tap of `model` while the block runs. Passes must have a batch of one."""
    recording = Recording()
    with ExitStack() as hooks:
        for name, tap in taps(model).items():
            handle = tap.register_forward_hook(_hook(recording, name, tap.axes[1:], stop))
            hooks.callback(handle.remove)
        yield recording


def _hook(
    recording: Recording, name: str, axes: tuple[str, ...], stop: Callable[[], bool]
) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
    def seen(_tap: nn.Module, _given: tuple[Tensor, ...], tensor: Tensor) -> None:
        if stop():
            raise Superseded
        (only,) = tensor.detach().float().cpu().numpy()  # batch 1
        recording.arrays[name] = frozen_array(only)
        recording.axes[name] = axes

    return seen
