"""Reads what is in a model's files on a thread, for `files_window.py`.

A thread reads one matrix at a time; another one ends the reading, which takes seconds where a matrix has a gigabyte.
"""

import threading
from functools import partial

from PySide6.QtCore import QObject, Signal

from explorer.app.shell.looker import Looker
from explorer.on_disk.catalogue import ModelEntry, entry_of
from explorer.on_disk.places import Place
from explorer.on_disk.stored_rows import matrix_reader
from explorer.on_disk.tensors import ModelFiles, TensorInFile, files_place, read_files
from explorer.presets import titles
from explorer.trace.found.parameters import ParameterNumbers

THREAD = "model files"


class FilesReader(Looker):
    """Reads the files of a model, and matrices of their tensors. Signals: listed(files, entry); read(numbers)."""

    listed, read = Signal(object, object), Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._stop = threading.Event()

    def list_files(self, name: str) -> None:
        """Find out what is at a path, or under a name."""
        self.end()
        self.look(partial(_looked_into, name), THREAD)

    def read_matrix(self, tensor: TensorInFile, number: int) -> None:
        """Read a matrix, in place of the one that is being read."""
        self.end()
        self.look(partial(_numbers, tensor, number, self._stop), THREAD)

    def end(self) -> None:
        """End what is being read."""
        self._stop.set()
        self._stop = threading.Event()

    def found(self, what: object) -> None:
        if isinstance(what, tuple):
            self.listed.emit(*what)
        elif what is not None:
            self.read.emit(what)


def _looked_into(name: str) -> tuple[ModelFiles, ModelEntry]:
    path = files_place(name)
    return read_files(path), entry_of(Place(titles((str(path),))[0], path.absolute(), "folder"))


def _numbers(tensor: TensorInFile, number: int, stop: threading.Event) -> ParameterNumbers | None:
    """The numbers of a matrix; None where nobody waits for them any more."""
    reader = matrix_reader(tensor, number)
    while not stop.is_set():
        if reader.step():
            return reader.found()
    return None
