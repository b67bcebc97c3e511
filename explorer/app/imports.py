"""Imports of the first page, made after the empty window was painted: a little at each turn of the event loop.

Decision: on the GUI thread. Rejected: on the compute thread. PySide creates its classes on first use, pyqtgraph uses all of
them, and when two threads create classes at once the process dies: one start in twenty did.
"""

import importlib
import time
from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal

from explorer import page_list

_TURN_S = 0.005
# pyqtgraph takes by far the longest turn. The first three modules are parts of it that can be imported before.
_MODULES = (
    "pydoc",
    "multiprocessing.connection",
    "xml.etree.ElementTree",
    "pyqtgraph",
    "explorer.views.pictures.waves",
    page_list.module_of(page_list.KEYS[0]),
)


class Imports(QObject):
    """Imports everything, from `start` on. Signals: done() when all is imported."""

    done = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._steps = _steps()

    def start(self) -> None:
        """Import for one turn; the next turn follows after the window's pending events."""
        end_s = time.perf_counter() + _TURN_S
        while time.perf_counter() < end_s:
            if next(self._steps, None) is None:
                self.done.emit()
                return
        QTimer.singleShot(0, self.start)


def _steps() -> Iterator[str]:
    """Create Qt's hundreds of classes one by one, then import the modules that use them."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield name
    for module_name in _MODULES:
        importlib.import_module(module_name)
        yield module_name
