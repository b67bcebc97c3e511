"""Opens the table of a scan. A thread of its own reads the file."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from explorer.app.shell.looker import Looker
from explorer.app.shell.scan_window import ScanWindow
from explorer.lang import Words
from explorer.picture.theme import LIGHT, Theme
from explorer.scanning.table_file import read_table
from explorer.trace.measures.scan_table import ScanTable

THREAD = "scan table"


class Scans(Looker):
    """Signals: wished(Intent) from a sentence of a table; opened() for a table that is shown."""

    wished = Signal(object)
    opened = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._words: Words | None = None
        self._theme: Theme = LIGHT
        self.shown: ScanWindow | None = None

    def speak(self, words: Words) -> None:
        self._words = words
        if self.shown is not None:
            self.shown.speak(words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.shown is not None:
            self.shown.set_theme(theme)

    def open(self, path: str) -> None:
        """Read a table, then show it."""
        self.look(partial(_named, Path(path)), THREAD)

    def found(self, what: object) -> None:
        """Show the table that was read."""
        assert isinstance(what, tuple) and self._words is not None  # `_named` has read it.
        if self.shown is None:
            self.shown = ScanWindow(self._window, self._words)
            self.shown.set_theme(self._theme)
            self.shown.wished.connect(self.wished)
        self.shown.put(*what)
        self.shown.show()
        self.shown.raise_()
        self.opened.emit()


def _named(path: Path) -> tuple[ScanTable, str]:
    """The table in a file, and the file's name. Raises as `read_table` does."""
    return read_table(path), path.name
