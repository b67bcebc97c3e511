"""Looking at a file on a thread of its own: a disk may be slow, and what bears the name of a file may be a pipe."""

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from explorer.errors import ExplorerError


class _Finder(QObject):
    """Sends what was found from its thread to the window's. It outlives a window that is closed before."""

    ended = Signal(object)

    def find(self, find: Callable[[], object]) -> None:
        found: object = None
        try:
            found = find()
        except Exception as error:  # The GUI thread tells a user's error from a bug.
            found = error
        self.ended.emit(found)
        self.deleteLater()


class Looker(QObject):
    """`look` finds something out on a thread; a subclass takes what it was, in `found`.

    Signals: refused(ExplorerError) for what the user can correct; broke(error) for a bug.
    """

    refused = Signal(object)
    broke = Signal(object)

    def look(self, find: Callable[[], object], thread: str) -> None:
        """Call `find` on a thread of this name."""
        finder = _Finder(QApplication.instance())  # Otherwise its thread alone would have it, and end it.
        finder.ended.connect(self._hear)
        threading.Thread(target=finder.find, args=(find,), name=thread, daemon=True).start()

    def found(self, what: object) -> None:
        """Take what `find` has returned."""
        raise NotImplementedError

    def _hear(self, what: object) -> None:
        if isinstance(what, ExplorerError):
            self.refused.emit(what)
        elif isinstance(what, BaseException):
            self.broke.emit(what)
        else:
            self.found(what)
