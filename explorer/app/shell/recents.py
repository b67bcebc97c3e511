"""What was opened last of one kind, models or sessions: a menu with the newest first, shared by all windows of the program.

Decision: each change is made to what the preferences hold at that moment, under a lock. Rejected: keeping the list in a window
and writing it whole, since of two windows the one that writes last would take away what the other had opened.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

_MOST = 8
Paths = tuple[str, ...]
Titled = Callable[[Sequence[str]], Sequence[str]]
"""What to call these paths in a menu."""
Kept = Callable[[Callable[[str], str]], str]
"""Changes a text that outlives the program by a function, and returns it."""


class Recents(QObject):
    """Signals: chosen(path) from the menu; changed(paths)."""

    chosen = Signal(str)
    changed = Signal(tuple)

    def __init__(self, menu: QMenu, titled: Titled, parent: QObject) -> None:
        super().__init__(parent)
        self.paths: Paths = ()
        self.menu, self._titled = menu, titled
        self._preference: Kept | None = None
        menu.setToolTipsVisible(True)
        menu.triggered.connect(self._chose)
        menu.aboutToShow.connect(self._read_again)
        self._fill()

    def keep(self, preference: Kept) -> None:
        """Take what was kept, and keep every change from now on."""
        self._preference = preference
        self._read_again()

    def add(self, path: str) -> None:
        """Put a path in front; it stands there once."""
        self._change(partial(_added, path))

    def drop(self, path: str) -> None:
        """Offer a path no more."""
        self._change(partial(_without, path))

    def _read_again(self) -> None:
        """Another window may have opened something meanwhile."""
        self._change(lambda paths: paths)

    def _change(self, change: Callable[[Paths], Paths]) -> None:
        if self._preference is None:
            self._put(change(self.paths))
        else:
            self._put(_paths(self._preference(lambda text: "\n".join(change(_paths(text))))))

    def _put(self, paths: Paths) -> None:
        if paths != self.paths:
            self.paths = paths
            self._fill()
            self.changed.emit(paths)

    def _fill(self) -> None:
        self.menu.clear()
        for path, title in zip(self.paths, self._titled(self.paths), strict=True):
            action = self.menu.addAction(title.replace("&", "&&"))
            action.setData(path)
            action.setToolTip(path)
        self.menu.menuAction().setVisible(bool(self.paths))

    def _chose(self, action: QAction) -> None:
        self.chosen.emit(str(action.data()))


def _paths(text: str) -> Paths:
    return _first(path for path in text.split("\n") if path)


def _added(path: str, paths: Paths) -> Paths:
    return _first((path, *_without(path, paths)))


def _without(path: str, paths: Paths) -> Paths:
    return tuple(each for each in paths if each != path)


def _first(paths: Iterable[str]) -> Paths:
    return tuple(paths)[:_MOST]
