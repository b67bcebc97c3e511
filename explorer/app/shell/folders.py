"""Models in the window: what `opener.py` has found to be one, and those that were opened last.

Decision: menu and header get the whole list of the last folders with each change. Rejected: looking at the disk to leave out
those that are gone, because a disk may be slow; choosing one says that it is gone, and takes it off the list.
"""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu, QWidget, QWidgetAction

from explorer.app.shell.recents import Recents
from explorer.errors import ExplorerError, FolderIsGone, SeveralGguf
from explorer.lang import Words
from explorer.on_disk.meant import Meant
from explorer.presets import preset_names, titles
from explorer.runs.snapshots import moment_in
from explorer.state.adapter_intents import OpenAdapter
from explorer.state.intents import OpenFolder
from explorer.state.wish import Wish


class Folders(QObject):
    """Signals: wished(Intent) to open a folder, a recorded pass or an adapter."""

    wished = Signal(object)

    def __init__(self, window: QWidget, menu: QMenu) -> None:
        super().__init__(window)
        self.recents = Recents(menu, titles, self)
        self.recents.chosen.connect(self.open)
        self._window = window
        self._words: Words | None = None

    def speak(self, words: Words) -> None:
        self._words = words

    def _named(self, action: str) -> str:
        return "" if self._words is None else self._words(f"action.{action}")

    def open(self, path: str) -> None:
        self.wished.emit(OpenFolder(path))

    def take(self, what: Meant) -> None:
        """Open a model or a recorded pass."""
        self.open(what.path)

    def add(self, what: Meant) -> None:
        """Add an adapter to its base."""
        self.wished.emit(OpenAdapter(what.path, what.base))

    def opened(self, wish: Wish) -> None:
        """Remember the model of a wish, which has been opened; of a moment of a training, the training."""
        preset, step = moment_in(wish.preset)
        opened = wish.preset if step is None or Path(wish.preset).exists() else preset
        if opened not in preset_names() and self.recents.paths[:1] != (opened,):
            self.recents.add(opened)

    def failed(self, error: ExplorerError) -> None:
        """Take a refusal: a folder that is gone is no longer offered; of several models the user chooses one."""
        if isinstance(error, FolderIsGone):
            self.recents.drop(str(error.values["path"]))
        if isinstance(error, SeveralGguf):
            self._offer(error.files)

    def _offer(self, files: Iterable[str]) -> None:
        """Let the user choose one of the files of a folder."""
        menu = QMenu(self._window)
        menu.setAccessibleName(self._named("choose_model"))
        menu.addAction(_title(self._named("choose_model"), menu))
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
