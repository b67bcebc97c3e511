"""What the window needs beside its frame, imported after it was painted: a little at each turn of the event loop.

Decision: on the GUI thread. Rejected: on the compute thread, beside the window. PySide makes its classes when they are
first asked for, pyqtgraph asks for all of them, and where two threads ask at once the process dies: one start in twenty did.
"""

import importlib
import time
from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal

from explorer import page_list

_TURN_S = 0.005
# The first three are Python's own and part of what pyqtgraph imports, which is the longest turn by far.
_MODULES = (
    "pydoc",
    "multiprocessing.connection",
    "xml.etree.ElementTree",
    "pyqtgraph",
    "explorer.views.pictures.waves",
    page_list.module_of(page_list.KEYS[0]),
)


class Imports(QObject):
    """`start` begins; done() is emitted when everything is there."""

    done = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._steps = _steps()

    def start(self) -> None:
        """One turn; the next follows when the window has answered what came in between."""
        end_s = time.perf_counter() + _TURN_S
        while time.perf_counter() < end_s:
            if next(self._steps, None) is None:
                self.done.emit()
                return
        QTimer.singleShot(0, self.start)


def _steps() -> Iterator[str]:
    """First Qt's classes, of which there are some hundreds: what is imported then finds them made."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield name
    for module_name in _MODULES:
        importlib.import_module(module_name)
        yield module_name
