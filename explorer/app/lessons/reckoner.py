"""One thread beside the window that reads lessons and reckons for them, so that neither ever keeps a key press waiting.

    reckoner.ask("claims", partial(claims_of, step, trace), self.numbers.setText)

Of each kind only the newest wish counts: it takes the place of one that waits, and the answer to an older one is dropped.
NumPy and files are all that this thread touches; values come back by one queued signal.
"""

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from explorer.errors import ExplorerError
from explorer.stops import Stop

Work = Callable[[Stop], Any]
"""What the thread calls; it may ask `stop` whether it is worth going on, and return whatever it has."""


class Reckoner(QObject):
    """`ask` and `forget` return at once, `close` waits for the thread to end. Signal: broke(error) for a bug in a Work."""

    broke = Signal(object)
    _told = Signal(str, int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changed = threading.Condition()
        self._waiting: dict[str, tuple[int, Work]] = {}  # by kind, the oldest wish first; shared by both threads
        self._closing = False  # shared by both threads
        self._wanted: dict[str, tuple[int, Callable[[Any], None]]] = {}  # by kind: whose answer is still looked for
        self._serial = 0
        self._thread: threading.Thread | None = None
        self._told.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def ask(self, kind: str, work: Work, then: Callable[[Any], None]) -> None:
        """Have this computed, and call `then` with the value, or with the ExplorerError that was raised."""
        if self._closing:
            return
        self._serial += 1
        self._wanted[kind] = (self._serial, then)
        with self._changed:
            self._waiting.pop(kind, None)  # the new wish stands at the end
            self._waiting[kind] = (self._serial, work)
            self._changed.notify()
        if self._thread is None:  # most windows are never asked for a lesson
            self._thread = threading.Thread(target=self._run, name="lessons")
            self._thread.start()

    def forget(self, kind: str) -> None:
        """The answer is wanted no longer."""
        self._wanted.pop(kind, None)
        with self._changed:
            self._waiting.pop(kind, None)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._wanted)

    def close(self) -> None:
        """End the thread, after the part that it is at. Nothing is told any more."""
        self._wanted.clear()
        with self._changed:
            self._closing = True
            self._waiting.clear()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    # On the GUI thread

    def _tell(self, kind: str, serial: int, value: object) -> None:
        newest, then = self._wanted.get(kind, (0, None))
        if then is None or newest != serial:
            return
        del self._wanted[kind]
        if isinstance(value, Exception) and not isinstance(value, ExplorerError):
            self.broke.emit(value)
        else:
            then(value)

    # On the thread

    def _run(self) -> None:
        while (wish := self._next()) is not None:
            kind, serial, work = wish
            try:
                value = work(lambda kind=kind: self._closing or kind in self._waiting)  # type: ignore[misc]  # bound at once
            except Exception as error:  # the user's error and a bug travel the same way, and part on the other side
                value = error
            if not self._closing:  # Qt's half may be gone
                self._told.emit(kind, serial, value)

    def _next(self) -> tuple[str, int, Work] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or bool(self._waiting))
            if self._closing:
                return None
            kind = next(iter(self._waiting))
            return kind, *self._waiting.pop(kind)
