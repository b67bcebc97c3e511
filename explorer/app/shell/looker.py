"""Looks at a file on a thread of its own: a disk may be slow, and what bears the name of a file may be a pipe."""

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication


class _Looker(QObject):
    """Sends what was found from the looking thread to the window's. It outlives a window that is closed before."""

    ended = Signal(object)

    def look(self, find: Callable[[], object]) -> None:
        found: object = None
        try:
            found = find()
        except Exception as error:  # The GUI thread tells a user's error from a bug.
            found = error
        self.ended.emit(found)
        self.deleteLater()


def look(find: Callable[[], object], then: Callable[[object], None], name: str) -> None:
    """Call `find` on a thread of this name, and `then`, a method of a QObject, with what it returned or raised."""
    looker = _Looker(QApplication.instance())  # Otherwise its thread alone would have it, and end it.
    looker.ended.connect(then)
    threading.Thread(target=looker.look, args=(find,), name=name, daemon=True).start()
