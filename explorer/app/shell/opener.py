"""Opens what is dropped, chosen or named. A thread of its own looks what it is, and only then does the window open it.

A disk may be slow, and what bears the name of a file may be a pipe, which never answers. So while something is dragged over
the window nothing is asked but how many paths there are.
"""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QWidget

from explorer.app.file_dialogs import ask_file, ask_folder
from explorer.app.shell.looker import Looker
from explorer.errors import NothingThere
from explorer.lang import Words
from explorer.on_disk.meant import Meant, meant_by

THREAD = "opening"


class Opener(Looker):
    """`open_by` has for each kind of path what opens it; `near` returns where the dialogs begin."""

    def __init__(self, open_by: Mapping[str, Callable[[Meant], None]], near: Callable[[], str], window: QWidget) -> None:
        super().__init__(window)
        self._open_by, self._near, self._window = open_by, near, window
        self._words: Words | None = None

    def speak(self, words: Words) -> None:
        self._words = words

    def take(self, path: str) -> None:
        """Open a path, or the model of a name, once it is known what that is."""
        self.look(partial(_found, path), THREAD)

    def choose_file(self) -> None:
        """Let the user choose a file of any kind."""
        assert self._words is not None  # A window speaks before it has a menu that anybody could open.
        self._take(ask_file(self._window, self._words("action.open_file"), self._near(), self._words("open.any")))

    def choose_folder(self) -> None:
        """Let the user choose a folder: a model, an adapter, or a folder of models."""
        assert self._words is not None
        self._take(ask_folder(self._window, self._words("open.folder"), self._near()))

    def found(self, what: object) -> None:
        """Open what was found."""
        assert isinstance(what, Meant)  # `_found` has found it.
        self._open_by[what.kind](what)

    def _take(self, path: str) -> None:
        if path:
            self.take(path)


def _found(path: str) -> Meant:
    """What a path or a name means. Raises NothingThere, and as `meant_by` does."""
    found = meant_by(path)
    if found is None:
        raise NothingThere(path=path)
    return found


def dropped_path(what: QMimeData) -> str:
    """The one path that is dropped; "" for several, for an address of the network, and for a text."""
    paths = [url.toLocalFile() for url in what.urls()]
    return paths[0] if len(paths) == 1 else ""
