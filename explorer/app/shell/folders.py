"""Models of others in the window: the folder that one chooses or drops (`drops.py`), and the ones that were opened last.

Decision: the list of the last folders is told to menu and header whole, with each change. Rejected: looking at the disk to
leave out those that are gone, because a disk may be slow; choosing one says that it is gone, and takes it off the list.
"""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QWidget, QWidgetAction

from explorer.app.display import native_dialog, start_in
from explorer.app.shell.recents import Recents
from explorer.errors import ExplorerError, FolderIsGone, SeveralGguf
from explorer.lang import Words
from explorer.presets import RECORDED_SUFFIXES, preset_names, titles
from explorer.state.intents import OpenFolder
from explorer.state.wish import Wish


class Folders(QObject):
    """Signals: wished(OpenFolder)."""

    wished = Signal(object)

    def __init__(self, window: QWidget, menu: QMenu) -> None:
        super().__init__(window)
        self.recents = Recents(menu, titles, self)
        self.recents.chosen.connect(self.open)
        self._window, self._title, self._choose = window, "", ""
        self._recorded_title = self._recorded = ""

    def speak(self, words: Words) -> None:
        self._title, self._choose = words("action.open_model"), words("action.choose_model")
        self._recorded_title = words("action.open_trace").replace("&", "")

    def choose(self) -> None:
        """Let the user choose a folder."""
        with native_dialog():
            path = QFileDialog.getExistingDirectory(self._window, self._title, start_in(*self.recents.paths[:1]))
        if path:
            self.open(path)

    def choose_recorded(self) -> None:
        """Let the user choose the file of a recorded pass, which opens like a model."""
        kinds = " ".join(f"*{suffix}" for suffix in RECORDED_SUFFIXES)
        with native_dialog():
            path, _kind = QFileDialog.getOpenFileName(self._window, self._recorded_title, start_in(self._recorded), kinds)
        if path:
            self._recorded = path
            self.open(path)

    def open(self, path: str) -> None:
        self.wished.emit(OpenFolder(path))

    def opened(self, wish: Wish) -> None:
        """Hear that the model of a wish is there."""
        if wish.preset not in preset_names() and self.recents.paths[:1] != (wish.preset,):
            self.recents.add(wish.preset)

    def failed(self, error: ExplorerError) -> None:
        """Hear why something could not be done: a folder that is gone is offered no more, of several models one is chosen."""
        if isinstance(error, FolderIsGone):
            self.recents.drop(str(error.values["path"]))
        if isinstance(error, SeveralGguf):
            self._offer(error.files)

    def _offer(self, files: Iterable[str]) -> None:
        """Let the user choose one of the files of a folder."""
        menu = QMenu(self._window)
        menu.setAccessibleName(self._choose)
        menu.addAction(_title(self._choose, menu))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for file in files:
            menu.addAction(Path(file).name.replace("&", "&&")).setData(file)
        menu.triggered.connect(self._chose)
        menu.popup(self._window.mapToGlobal(self._window.rect().center()))

    def _chose(self, action: QAction) -> None:
        self.open(action.data())


def _title(text: str, menu: QMenu) -> QAction:
    """The title of a menu. The style sheet paints no text on Qt's own sections, and a disabled action is hard to read."""
    title, label = QWidgetAction(menu), QLabel(text)
    label.setObjectName("section")
    label.setContentsMargins(16, 4, 24, 4)  # As the style sheet has it for an action.
    title.setDefaultWidget(label)
    title.setEnabled(False)
    return title
