"""Undo and redo over Requests: sentence, knobs and cuts in one line of time. No Qt."""

import time
from collections.abc import Callable

from explorer.engine.request import Request

_SAME_GESTURE_S = 0.8
_MOST = 500


class History:
    """The requests that were, and where one stands among them.

    Changes of one `kind` in quick succession are one step: a drag of a slider, a word typed. Changes without a kind
    are each their own step.
    """

    def __init__(self, first: Request, clock: Callable[[], float] = time.monotonic) -> None:
        self._requests = [first]
        self._place = 0
        self._kind = ""
        self._last_s = 0.0
        self._clock = clock

    @property
    def now(self) -> Request:
        return self._requests[self._place]

    @property
    def can_undo(self) -> bool:
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        return self._place < len(self._requests) - 1

    def add(self, request: Request, kind: str) -> None:
        """Go on to a new request; what was undone is forgotten."""
        del self._requests[self._place + 1 :]
        now_s = self._clock()
        same = kind != "" and kind == self._kind and now_s - self._last_s < _SAME_GESTURE_S and self._place > 0
        if same:
            self._requests[self._place] = request
        else:
            self._requests.append(request)
            del self._requests[:-_MOST]
            self._place = len(self._requests) - 1
        self._kind, self._last_s = kind, now_s

    def undo(self) -> Request:
        """One step back, if there is one."""
        self._place = max(0, self._place - 1)
        self._kind = ""
        return self.now

    def redo(self) -> Request:
        """One step forward, if there is one."""
        self._place = min(len(self._requests) - 1, self._place + 1)
        self._kind = ""
        return self.now
