"""Models in the window: what `opener.py` has found to be one, and those that were opened last.

Decision: menu and header get the whole list of the last folders with each change. Rejected: looking at the disk to leave out
those that are gone, because a disk may be slow; choosing one says that it is gone, and takes it off the list.
"""

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from explorer.app.shell.recents import Recents
from explorer.errors import ExplorerError, FolderIsGone, SeveralGguf
from explorer.on_disk.meant import Meant
from explorer.presets import preset_names, titles
from explorer.runs.snapshots import moment_in
from explorer.state.adapter_intents import OpenAdapter
from explorer.state.intents import OpenFolder
from explorer.state.wish import Wish


class Folders(QObject):
    """Signals: wished(Intent) to open a folder, a recorded pass or an adapter; several(folder) of whose models one is meant."""

    wished, several = Signal(object), Signal(str)

    def __init__(self, window: QWidget, menu: QMenu) -> None:
        super().__init__(window)
        self.recents = Recents(menu, titles, self)
        self.recents.chosen.connect(self.open)

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
        """Take a refusal: a folder that is gone is no longer offered; of several models in one the user chooses."""
        if isinstance(error, FolderIsGone):
            self.recents.drop(str(error.values["path"]))
        if isinstance(error, SeveralGguf):
            self.several.emit(str(error.values["path"]))
