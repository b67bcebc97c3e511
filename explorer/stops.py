"""How a computation is cancelled and reports its progress, and which signals end the program; without torch."""

import signal
from collections.abc import Callable

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # A terminal that is closed sends SIGHUP, or SIGBREAK on Windows.
_TOLD_EVERY = 16  # taps between two reports

Stop = Callable[[], bool]
Progress = Callable[[float], None]


class Superseded(Exception):  # noqa: N818  This is no error: the caller stopped the pass.
    """A pass was asked to stop and did so at a tap."""


def stop_at(stop: Stop | None) -> None:
    """Raise Superseded if `stop` returns True."""
    if stop is not None and stop():
        raise Superseded


def stop_with_progress(stop: Stop, progress: Progress, n_taps: int) -> Stop:
    """A Stop for a pass of `n_taps` taps that asks `stop` at each tap and reports progress now and then."""
    passed = 0

    def asked() -> bool:
        nonlocal passed
        passed += 1
        if passed % _TOLD_EVERY == 0:
            progress(min(1.0, passed / n_taps))
        return stop()

    return asked


def stoppable(progress: Progress, stop: Stop) -> Progress:
    """A Progress that raises Superseded as soon as `stop` returns True."""

    def told(share: float) -> None:
        if stop():
            raise Superseded
        progress(share)

    return told


def ending_signals() -> tuple[signal.Signals, ...]:
    """The signals of this system that end the program, without those that are ignored, as under `nohup`."""
    there = (signal.Signals[name] for name in _ENDING if name in signal.Signals.__members__)
    return tuple(each for each in there if signal.getsignal(each) is not signal.SIG_IGN)
