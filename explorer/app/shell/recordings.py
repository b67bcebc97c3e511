"""The file of a recorded pass that one chooses in the window."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.app.display import native_dialog, start_in
from explorer.lang import Words
from explorer.presets import RECORDED_SUFFIXES
from explorer.state.intents import OpenFolder


class Recordings(QObject):
    """Signals: wished(OpenFolder)."""

    wished = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._title = self._chosen = ""

    def speak(self, words: Words) -> None:
        self._title = words("action.open_trace")

    def choose(self) -> None:
        """Let the user choose a file."""
        kinds = " ".join(f"*{suffix}" for suffix in RECORDED_SUFFIXES)
        title, start = self._title.replace("&", ""), start_in(self._chosen)
        with native_dialog():
            path, _filter = QFileDialog.getOpenFileName(self._window, title, start, kinds)
        if path:
            self._chosen = path
            self.wished.emit(OpenFolder(path))
