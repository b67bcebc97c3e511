"""What is dropped on the window. A thread of its own looks what it is, and only then does the window open it.

A disk may be slow, and what bears the name of a file may be a pipe, which never answers. So while something is dragged over
the window nothing is asked but how many paths there are.
"""

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject

from explorer.app.shell.looker import Looker
from explorer.errors import ExplorerError
from explorer.files import opened
from explorer.lessons.lesson_file import is_lesson
from explorer.presets import RECORDED_SUFFIXES, load_preset
from explorer.scanning.table_file import is_scan_table
from explorer.state.state_file import BUNDLE_SUFFIX, SUFFIX

_OF_MODELS = (".json", ".safetensors", ".toml", ".txt", ".model")
"""The endings of files in a folder with a model: who drops one of them means its folder. A file in GGUF is a model itself."""
THREAD = "dropped"


class Drops(Looker):
    """`open_by` has for each kind that `meant` finds what opens a path of it."""

    def __init__(self, open_by: Mapping[str, Callable[[str], None]], parent: QObject) -> None:
        super().__init__(parent)
        self._open_by = open_by

    def take(self, path: str) -> None:
        """Open what was dropped, once it is known what that is."""
        self.look(partial(meant, Path(path)), THREAD)

    def found(self, what: object) -> None:
        """Open what was dropped."""
        assert isinstance(what, tuple)  # `meant` has found it.
        kind, path = what
        self._open_by[kind](path)


def dropped_path(what: QMimeData) -> str:
    """The one path that is dropped; "" for several, for an address of the network, and for a text."""
    paths = [url.toLocalFile() for url in what.urls()]
    return paths[0] if len(paths) == 1 else ""


def meant(path: Path) -> tuple[str, str]:
    """The kind of what is dropped, "session", "lesson", "scan" or "model", and the path to open: of a model that of its folder.

    Raises CannotRead, NotAFile.
    """
    if not path.is_dir():
        opened(path).close()  # A pipe is refused here, whatever its ending says.
    if path.name.endswith((SUFFIX, BUNDLE_SUFFIX)):
        return "session", str(path)
    if is_lesson(path):
        return "lesson", str(path)
    if is_scan_table(path):
        return "scan", str(path)
    alone = path.suffix in RECORDED_SUFFIXES and not (path.parent / "config.json").exists()
    model = str(path.parent if path.suffix in _OF_MODELS and not alone else path)
    with contextlib.suppress(ExplorerError):  # The session finds it read, and says what is wrong with it.
        load_preset(model)
    return "model", model
