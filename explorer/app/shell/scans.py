"""Opens the table of a scan that one chooses or drops. A thread of its own reads the file."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.app.display import native_dialog, start_in
from explorer.app.shell.looker import look
from explorer.app.shell.scan_window import ScanWindow
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.theme import LIGHT, Theme
from explorer.scanning.table_file import SUFFIXES, read_table
from explorer.trace.measures.scan_table import ScanTable

THREAD = "scan table"


class Scans(QObject):
    """Signals: wished(Intent) from a sentence of a table; opened() for a table that is shown; refused(ExplorerError) for a
    file that is none; broke(error)."""

    wished = Signal(object)
    opened = Signal()
    refused = Signal(object)
    broke = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._words: Words | None = None
        self._chosen = ""
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

    def choose(self) -> None:
        """Let the user choose a file."""
        assert self._words is not None  # A window speaks before it has a menu that anybody could open.
        kinds = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        with native_dialog():
            title = self._words("action.open_scan").replace("&", "")
            path, _filter = QFileDialog.getOpenFileName(self._window, title, start_in(self._chosen), kinds)
        if path:
            self._chosen = path
            self.open(path)

    def open(self, path: str) -> None:
        """Read a table, then show it."""
        look(partial(_named, Path(path)), self._read, THREAD)

    def _read(self, found: object) -> None:
        if isinstance(found, tuple):
            self._show(*found)
            self.opened.emit()
        elif isinstance(found, ExplorerError):
            self.refused.emit(found)
        else:
            self.broke.emit(found)

    def _show(self, table: ScanTable, name: str) -> None:
        assert self._words is not None
        if self.shown is None:
            self.shown = ScanWindow(self._window, self._words)
            self.shown.set_theme(self._theme)
            self.shown.wished.connect(self.wished)
        self.shown.put(table, name)
        self.shown.show()
        self.shown.raise_()


def _named(path: Path) -> tuple[ScanTable, str]:
    """The table in a file, and the file's name. Raises as `read_table` does."""
    return read_table(path), path.name
