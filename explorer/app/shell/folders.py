"""Models of others in the window: the folder that one chooses or drops, and the ones that were opened last.

Decision: the list of the last folders is told to menu and header whole, with each change. Rejected: looking at the disk to
leave out those that are gone, because a disk may be slow; choosing one says that it is gone, and takes it off the list.
"""

from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from explorer.app.display import native_dialog
from explorer.errors import ExplorerError, FolderIsGone
from explorer.lang import Words
from explorer.presets import RECORDED_SUFFIXES, preset_names, titles
from explorer.state.intents import OpenFolder
from explorer.state.wish import Wish

_MOST = 8  # folders


class Folders(QObject):
    """Signals: wished(OpenFolder); changed(paths) for the folders that were opened last, the newest first."""

    wished = Signal(object)
    changed = Signal(tuple)

    def __init__(self, window: QWidget, menu: QMenu) -> None:
        super().__init__(window)
        self.recent: tuple[str, ...] = ()
        self._window, self._menu = window, menu
        self._title = ""
        menu.setToolTipsVisible(True)
        menu.triggered.connect(self._chose)
        self._fill()

    @property
    def memory(self) -> str:
        """The last folders, to be kept between starts."""
        return "\n".join(self.recent)

    def recall(self, memory: str) -> None:
        """Take what was kept."""
        self._put(tuple(path for path in memory.split("\n") if path)[:_MOST])

    def speak(self, words: Words) -> None:
        self._title = words("action.open_model")

    def choose(self) -> None:
        """Let the user choose a folder."""
        start = str(Path(self.recent[0]).parent) if self.recent else ""
        with native_dialog():
            path = QFileDialog.getExistingDirectory(self._window, self._title, start)
        if path:
            self.open(path)

    def open(self, path: str) -> None:
        self.wished.emit(OpenFolder(path))

    def opened(self, wish: Wish) -> None:
        """Hear that the model of a wish is there."""
        if wish.preset not in preset_names() and self.recent[:1] != (wish.preset,):
            self._put((wish.preset, *(each for each in self.recent if each != wish.preset))[:_MOST])

    def failed(self, error: ExplorerError) -> None:
        """Hear why something could not be done: a folder that is gone is offered no more."""
        if isinstance(error, FolderIsGone):
            self._put(tuple(each for each in self.recent if each != error.values["path"]))

    def _put(self, paths: tuple[str, ...]) -> None:
        if paths != self.recent:
            self.recent = paths
            self._fill()
            self.changed.emit(paths)

    def _fill(self) -> None:
        self._menu.clear()
        for path, title in zip(self.recent, titles(self.recent), strict=True):
            action = self._menu.addAction(title.replace("&", "&&"))
            action.setData(path)
            action.setToolTip(path)
        self._menu.menuAction().setVisible(bool(self.recent))

    def _chose(self, action: QAction) -> None:
        self.open(str(action.data()))


def dropped_folder(what: QMimeData) -> str:
    """The folder that is dropped, or the one of a dropped file, or the file of a recorded pass; "" for anything else."""
    paths = [Path(url.toLocalFile()) for url in what.urls() if url.isLocalFile()]
    if len(paths) != 1:
        return ""
    path = paths[0]
    alone = path.suffix in RECORDED_SUFFIXES and not (path.parent / "config.json").exists()
    return str(path.parent if path.suffix in _OF_MODELS and not alone else path)


_OF_MODELS = (".json", ".safetensors", ".gguf", ".toml", ".txt", ".model")
"""The endings of files in a folder with a model: who drops one of them means its folder."""
