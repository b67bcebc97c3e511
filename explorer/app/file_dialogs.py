"""Asking for files and folders, by the dialogs of the system, or by Qt's where the system has none."""

import faulthandler
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QWidget

_WIDE_PX = 760  # wide enough for names beside dates


def ask_folder(window: QWidget, title: str, start: str) -> str:
    """Let the user choose a folder; "" where the dialog is closed."""
    with native_dialog():
        return QFileDialog.getExistingDirectory(window, _plain(title), start)


def ask_file(window: QWidget, title: str, start: str, kinds: str) -> str:
    """Let the user choose a file of these kinds, such as "*.txt *.csv"; "" where the dialog is closed."""
    with native_dialog():
        return QFileDialog.getOpenFileName(window, _plain(title), start, kinds)[0]


def ask_new_file(window: QWidget, title: str, start: str, kinds: str, picked: str = "") -> tuple[str, str]:
    """Let the user name a file to write, of one of the kinds, at first of the `picked` one.

    Returns its path and its kind; both are "" where the dialog is closed.
    """
    with native_dialog():
        return QFileDialog.getSaveFileName(window, _plain(title), start, kinds, picked)


def _plain(title: str) -> str:
    """The name of an action as the title of what it opens: without dots, and without the sign of its key."""
    return title.replace("…", "").replace("&", "").strip()


def start_in(last: str = "") -> str:
    """The folder that a file dialog begins in: that of the file or folder that was chosen last, else the user's documents.

    Without it, a dialog begins in the folder that the program was started from, which is often none of the user's.
    """
    before = Path(last).parent
    return str(before if last and before.is_dir() else documents())


def documents() -> Path:
    """The folder of the user's documents; the user's own one where a system names one that is not there."""
    named = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(named) if named and Path(named).is_dir() else Path.home()


@contextmanager
def native_dialog() -> Iterator[None]:
    """Wrap a file dialog of the system, or of Qt where the system has none.

    Windows raises and handles exceptions inside its dialogs; faulthandler would report each of them as a crash, so it is off
    meanwhile.
    """
    if QApplication.instance() is not None:
        QTimer.singleShot(0, _widen_columns)  # The timer fires once the dialog is open.
    was = sys.platform == "win32" and faulthandler.is_enabled()
    if was:
        faulthandler.disable()
    try:
        yield
    finally:
        if was and sys.__stderr__ is not None:
            faulthandler.enable(sys.__stderr__)


def _widen_columns() -> None:
    """Widen the columns of Qt's file dialog, which are too narrow for our dates and kinds of files."""
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QFileDialog) and dialog.isVisible():
            for header in dialog.findChildren(QHeaderView):
                for column in range(1, header.count()):
                    header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
            dialog.resize(max(dialog.width(), _WIDE_PX), dialog.height())
