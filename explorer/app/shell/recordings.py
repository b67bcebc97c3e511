"""The file of a recorded pass that one chooses in the window."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.app.display import native_dialog
from explorer.lang import Words
from explorer.presets import RECORDED_SUFFIXES
from explorer.state.intents import OpenFolder


class Recordings(QObject):
    """Signals: wished(OpenFolder)."""

    wished = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._title = ""

    def speak(self, words: Words) -> None:
        self._title = words("action.open_trace")

    def choose(self) -> None:
        """Let the user choose a file."""
        kinds = " ".join(f"*{suffix}" for suffix in RECORDED_SUFFIXES)
        with native_dialog():
            path, _filter = QFileDialog.getOpenFileName(self._window, self._title.replace("&", ""), "", kinds)
        if path:
            self.wished.emit(OpenFolder(path))
