"""What a computation asks and tells on its way: whether to stop, and how far it is. It needs no torch."""

from collections.abc import Callable

_TOLD_EVERY = 16  # taps

Stop = Callable[[], bool]
Progress = Callable[[float], None]


class Superseded(Exception):  # noqa: N818  no error: somebody asked the pass to end
    """A pass was asked to stop and did so at a tap."""


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
