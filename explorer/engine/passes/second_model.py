"""Answers to Wishes beside the one on screen, by a model of their own: that of the screen stays as it is."""

from collections.abc import Callable

from explorer.engine.request import Frame, Request
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.trace import Trace

Answers = Callable[[Request, Stop, Progress], Frame]


class SecondModel:
    """Makes the Trace of a Wish with what `make` gives, which it asks for when it is first needed; it keeps the last Trace."""

    def __init__(self, make: Callable[[], Answers]) -> None:
        self._make = make
        self._answers: Answers | None = None
        self._last: Frame | None = None

    def trace(self, wish: Wish, stop: Stop, progress: Progress) -> Trace:
        """The Trace of a Wish. Raises ExplorerError, Superseded."""
        if self._last is None or self._last.wish != wish:
            self._answers = self._answers or self._make()
            self._last = self._answers(Request(wish=wish), stop, progress)
        return self._last.trace

    def forget(self) -> None:
        """Let the model go, and the Trace."""
        self._answers = self._last = None
