"""Where bugs go: a log file, and one dialog with a report that can be copied. The process lives on.

One funnel for all threads: the hooks only write the log and emit a signal; widgets are touched on the GUI thread alone.
"""

import faulthandler
import logging
import sys
import threading
import traceback
from logging.handlers import RotatingFileHandler
from types import TracebackType

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from explorer.lang import Words
from explorer.resources import log_file


class BugReports(QObject):
    """`install()` takes over the hooks, `remove()` gives them back. happened(report) comes on the GUI thread."""

    happened = Signal(str)

    def __init__(self, words: Words, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = words
        self._window = parent
        self._counts: dict[str, int] = {}
        self._dialog: QMessageBox | None = None
        self._log = logging.getLogger("explorer.bug_reports")
        self._log.propagate = False
        self._file: RotatingFileHandler | None = None
        self.happened.connect(self._tell)

    def install(self) -> None:
        """Every uncaught exception of every thread comes here from now on."""
        try:
            self._file = RotatingFileHandler(log_file(), maxBytes=1_000_000, backupCount=2, encoding="utf-8")
        except OSError:
            self._file = None  # a home that cannot be written costs the log; the dialog still tells
        else:
            self._log.addHandler(self._file)
        if sys.__stderr__ is not None and not faulthandler.is_enabled():
            faulthandler.enable(sys.__stderr__)
        sys.excepthook = self.caught
        threading.excepthook = self._caught_in_thread

    def remove(self) -> None:
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        if self._file is not None:
            self._log.removeHandler(self._file)
            self._file.close()

    def caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Take one exception, on whatever thread."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        report = "".join(traceback.format_exception(kind, error, trace))
        if sys.stderr is not None:  # there is none behind a window on Windows
            sys.stderr.write(report)
        self._log.error(report)
        self.happened.emit(report)

    def report(self, error: BaseException) -> None:
        """Take an exception that somebody caught and could not mend."""
        self.caught(type(error), error, error.__traceback__)

    def _caught_in_thread(self, given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None:
            self.caught(given.exc_type, given.exc_value, given.exc_traceback)

    def _tell(self, report: str) -> None:
        self._counts[report] = self._counts.get(report, 0) + 1
        if self._dialog is None:
            self._open(report)
        elif self._counts[report] > 1:
            self._dialog.setInformativeText(self.words("faults.repeated", count=self._counts[report]))

    def _open(self, report: str) -> None:
        dialog = QMessageBox(
            QMessageBox.Icon.Warning,
            self.words("faults.title"),
            self.words("faults.text"),
            QMessageBox.StandardButton.NoButton,
            self._window,
        )
        dialog.setDetailedText(report)
        copy = dialog.addButton(self.words("faults.copy"), QMessageBox.ButtonRole.ActionRole)
        copy.clicked.disconnect()  # copying does not close the dialog
        copy.clicked.connect(self._copy)
        dialog.addButton(self.words("faults.close"), QMessageBox.ButtonRole.AcceptRole)
        dialog.finished.connect(self._closed)
        self._dialog = dialog
        dialog.open()

    def _copy(self) -> None:
        if self._dialog is not None:
            QGuiApplication.clipboard().setText(self._dialog.detailedText())

    def _closed(self) -> None:
        self._dialog = None
