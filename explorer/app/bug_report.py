"""Reports of bugs: a log file, and one dialog with a report that can be copied. The process goes on.

The exception hooks of all threads only write the log and emit a signal; only the GUI thread touches widgets.
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
    """Takes over the exception hooks with `install()` and gives them back with `remove()`.

    Signals: happened(report), received on the GUI thread.
    """

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
        """Receive every uncaught exception of every thread from now on."""
        try:
            self._file = RotatingFileHandler(log_file(), maxBytes=1_000_000, backupCount=2, encoding="utf-8")
        except OSError:
            self._file = None  # Without a writable folder there is no log; the dialog still opens.
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
        """Report one uncaught exception, unless it is Ctrl+C; may be called on any thread."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self._report(kind, error, trace)

    def report(self, error: BaseException) -> None:
        """Report an exception that was caught but not handled, whatever its kind."""
        self._report(type(error), error, error.__traceback__)

    def _report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        report = "".join(traceback.format_exception(kind, error, trace))
        if sys.stderr is not None:  # Windows gives a window's process no stderr.
            sys.stderr.write(report)
        self._log.error(report)
        self.happened.emit(report)

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
        copy.clicked.disconnect()  # Copying must not close the dialog.
        copy.clicked.connect(self._copy)
        # Qt knows no button for Escape and the title bar's ×, where a box has two of its own.
        dialog.setEscapeButton(dialog.addButton(self.words("faults.close"), QMessageBox.ButtonRole.AcceptRole))
        dialog.finished.connect(self._closed)
        self._dialog = dialog
        dialog.open()

    def _copy(self) -> None:
        if self._dialog is not None:
            QGuiApplication.clipboard().setText(self._dialog.detailedText())

    def _closed(self) -> None:
        self._dialog = None
