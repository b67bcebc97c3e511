"""A thread that reads lessons and computes their numbers, so that the window never has to wait for them.

    reckoner.ask("claims", partial(claims_of, step, trace), self.numbers.setText)

Only the newest task of each kind counts: it replaces one that waits, and an older one's answer is dropped.
The thread touches only NumPy and files; values come back by one queued signal.
"""

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from explorer.errors import ExplorerError
from explorer.stops import Stop

Work = Callable[[Stop], Any]
"""A task for the thread. It may call `stop` to learn that its value is no longer wanted, and return early."""


class Reckoner(QObject):
    """Runs tasks on its thread. `ask` and `forget` return at once; `close` waits for the thread.

    Signals: broke(error) for a bug in a task.
    """

    broke = Signal(object)
    _told = Signal(str, int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changed = threading.Condition()
        self._waiting: dict[str, tuple[int, Work]] = {}  # by kind, oldest first; shared by both threads
        self._closing = False  # shared by both threads
        self._wanted: dict[str, tuple[int, Callable[[Any], None]]] = {}  # by kind, the tasks whose answers are still wanted
        self._serial = 0
        self._thread: threading.Thread | None = None
        self._told.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def ask(self, kind: str, work: Work, then: Callable[[Any], None]) -> None:
        """Run `work` on the thread, then call `then` on the GUI thread with its value or with its ExplorerError."""
        if self._closing:
            return
        self._serial += 1
        self._wanted[kind] = (self._serial, then)
        with self._changed:
            self._waiting.pop(kind, None)  # so that the new task comes last
            self._waiting[kind] = (self._serial, work)
            self._changed.notify()
        if self._thread is None:  # Start the thread only when a lesson is used.
            self._thread = threading.Thread(target=self._run, name="lessons")
            self._thread.start()

    def forget(self, kind: str) -> None:
        """Drop the task of this kind; its answer is not wanted any more."""
        self._wanted.pop(kind, None)
        with self._changed:
            self._waiting.pop(kind, None)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._wanted)

    def close(self) -> None:
        """End the thread after its present task, whose answer is dropped."""
        self._wanted.clear()
        with self._changed:
            self._closing = True
            self._waiting.clear()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    # Methods that run on the GUI thread

    def _tell(self, kind: str, serial: int, value: object) -> None:
        newest, then = self._wanted.get(kind, (0, None))
        if then is None or newest != serial:
            return
        del self._wanted[kind]
        if isinstance(value, Exception) and not isinstance(value, ExplorerError):
            self.broke.emit(value)
        else:
            then(value)

    # Methods that run on the lessons' thread

    def _run(self) -> None:
        while (wish := self._next()) is not None:
            kind, serial, work = wish
            try:
                value = work(lambda kind=kind: self._closing or kind in self._waiting)  # type: ignore[misc]  # bound now
            except Exception as error:  # A user's error and a bug are told apart on the GUI thread.
                value = error
            if not self._closing:  # After `close`, the signal's object may be deleted.
                self._told.emit(kind, serial, value)

    def _next(self) -> tuple[str, int, Work] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or bool(self._waiting))
            if self._closing:
                return None
            kind = next(iter(self._waiting))
            return kind, *self._waiting.pop(kind)
