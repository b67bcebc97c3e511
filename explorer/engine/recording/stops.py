"""What a computation asks and tells on its way: whether to stop, how far it is, and where its chance comes from."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from explorer.config import Config
from explorer.engine import devices
from explorer.engine.recording.superseded import Superseded

_TOLD_EVERY = 16  # taps

Stop = Callable[[], bool]
Progress = Callable[[float], None]


@contextmanager
def seeded(config: Config) -> Iterator[None]:
    """Chance from the knob, where it acts at all; the generators of others are left as they were."""
    if not config.dropout_active:
        yield
        return
    with devices.seeded(config.dropout_seed, config.device):
        yield


def stop_with_progress(stop: Stop, progress: Progress, n_taps: int) -> Stop:
    """Asked at each tap, it tells how far the pass is."""
    passed = 0

    def asked() -> bool:
        nonlocal passed
        passed += 1
        if passed % _TOLD_EVERY == 0:
            progress(min(1.0, passed / n_taps))
        return stop()

    return asked


def stoppable(progress: Progress, stop: Stop) -> Progress:
    """Whoever tells how far it is is asked to stop there."""
    def told(share: float) -> None:
        if stop():
            raise Superseded
        progress(share)

    return told
