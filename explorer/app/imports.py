"""What is imported after the empty window was painted, so that it opens at once: the first page, then what makes the rest of
Qt's classes, and beside torch what export and the other pages need.

Imports of the GUI thread are made a little at each turn of the event loop.

Decision: on the GUI thread. Rejected: on the compute thread. PySide creates its classes on first use, pyqtgraph uses all of
them, and when two threads create classes at once the process dies: one start in twenty did.
"""

import importlib
import itertools
import pkgutil
import threading
import time
from collections.abc import Iterable, Iterator

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal

from explorer import page_list
from explorer.lang import LANGUAGES, Words

_TURN_S = 0.005
_LOOK_MS = 20  # between two looks at whether the thread has ended
# pyqtgraph takes by far the longest turn. The first three modules are parts of it that can be imported before.
_MODULES = ("pydoc", "multiprocessing.connection", "xml.etree.ElementTree", "pyqtgraph", "explorer.views.pictures.waves")

_BESIDE = ("fontTools.subset", "explorer.export.job", "explorer.export.script_file")  # These use no Qt.
_PURE = ("explorer.picture.figure", "explorer.picture.makers")
"""Packages that use no Qt either."""
_DIALOG = ("explorer.app.shell.export_contents", "explorer.app.shell.print_form", "explorer.app.shell.export_dialog")
_OF_PAGES = ("explorer.views.controls", "explorer.views.pictures")
"""Packages whose modules are imported before the pages themselves, so that no turn imports many of them."""


class Imports(QObject):
    """Takes steps that import something, from `start` on. Signals: done() after the last one."""

    done = Signal()

    def __init__(self, steps: Iterator[str]) -> None:
        super().__init__()
        self._steps = steps

    def start(self) -> None:
        """Import for one turn; the next turn follows after the window's pending events."""
        end_s = time.perf_counter() + _TURN_S
        while time.perf_counter() < end_s:
            if next(self._steps, None) is None:
                self.done.emit()
                return
        QTimer.singleShot(0, self.start)


class LaterImports(QObject):
    """Loads what the first export would wait 0.3 s for, and the first look at all pages 0.1 s.

    Modules that make pictures and write files, the font and English names are loaded on a thread of its own, then the dialog
    and the pages, whose classes are Qt's, on the GUI thread.

    Decision: the thread is looked at. Rejected: a signal of this object at its end. The thread would keep the object, and where
    the window had gone meanwhile let it go on itself, while the GUI thread brought that very signal: the process died.
    """

    def __init__(self) -> None:
        super().__init__()
        self._classes = Imports(_of_qt())
        self._thread: threading.Thread | None = None
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._go_on)

    def start(self, after_ms: int) -> None:
        """Begin after so long, and return at once."""
        self._soon.start(after_ms)

    def stop(self) -> None:
        """Begin nothing any more. A thread that loads something goes on, without this object."""
        self._soon.stop()

    def _go_on(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=load_beside, name="exports", daemon=True)
            self._thread.start()
        if self._thread.is_alive():
            self._soon.start(_LOOK_MS)
        else:
            self._classes.start()


def load_beside() -> None:
    """Load what uses no Qt."""
    for _module in _imported(itertools.chain(_BESIDE, *map(_modules_of, _PURE))):
        pass
    from explorer.picture.figure.text import BOLD, REGULAR, width

    for weight in (REGULAR, BOLD):
        width("0", 1.0, weight)  # The font is read when a letter is first measured.
    for language in LANGUAGES:
        Words.load(language)


def of_first_page() -> Iterator[str]:
    """Import what shows the first page."""
    return _imported((page_list.module_of(page_list.KEYS[0]),))


def of_all_classes() -> Iterator[str]:
    """Create Qt's hundreds of classes one by one, then import the modules that use them; behind it no thread creates one."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield name
    yield from _imported(_MODULES)


def _of_qt() -> Iterator[str]:
    """Import the dialog of the first export, then the pages."""
    yield from _imported(_DIALOG)
    for package in _OF_PAGES:
        yield from _imported(_modules_of(package))
    yield from _imported(map(page_list.module_of, page_list.KEYS))


def _modules_of(package: str) -> Iterator[str]:
    """The names of the modules in a package."""
    return (f"{package}.{module.name}" for module in pkgutil.iter_modules(importlib.import_module(package).__path__))


def _imported(modules: Iterable[str]) -> Iterator[str]:
    for name in modules:
        importlib.import_module(name)
        yield name
