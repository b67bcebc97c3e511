"""Waiting for a condition, with the events of a window meanwhile."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

PATIENCE_MS = 20_000
"""How long a test waits for what must happen; only a failing test waits so long."""
_FIRST_MS, _USUAL_MS = 1, 10


def until(qtbot: QtBot, condition: Callable[[], bool], patience_ms: int = PATIENCE_MS) -> None:
    """Until it holds. Raises pytest-qt's TimeoutError.

    pytest-qt asks every 10 ms. Most of what a window waits for has come after two, so it is asked for sooner at first.
    """
    pause_ms = _FIRST_MS
    while pause_ms < _USUAL_MS:
        if condition():
            return
        qtbot.wait(pause_ms)
        pause_ms *= 2
    qtbot.waitUntil(condition, timeout=patience_ms)
