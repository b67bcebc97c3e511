"""The Qt application, which hears of files that the system wants opened: on macOS a double click starts no second program."""

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class ExplorerApplication(QApplication):
    """Hands each file that the system asks for to whoever opens files; those that come earlier wait."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._take: Callable[[str], None] | None = None
        self._waiting: list[str] = []

    def open_files_by(self, take: Callable[[str], None] | None) -> None:
        """Hand files to a function from now on, or with None keep them."""
        self._take = take
        while take is not None and self._waiting:
            take(self._waiting.pop(0))

    def event(self, event: QEvent) -> bool:
        """Decision: an override, which sees the application's own events. Rejected: an event filter, which sees all events."""
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return super().event(event)
        if self._take is None:
            self._waiting.append(event.file())
        else:
            self._take(event.file())
        return True
