"""A message box with one sentence, for a start that failed before the window opened."""

import os
from contextlib import suppress

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from explorer.app.display import check_display, make_application
from explorer.errors import ExplorerError, NoDisplay

_SEEN_BY_NOBODY = ("offscreen", "minimal")  # Qt platforms without a screen, where a box would wait for ever


def show(title: str, sentence: str) -> bool:
    """Show the sentence until its box is closed. Returns False, without showing it, where there is no screen."""
    if QGuiApplication.instance() is None and _find_screen():
        with suppress(ExplorerError):  # If the bundled font is missing, the system's font is good enough.
            make_application()
    if not isinstance(QApplication.instance(), QApplication) or QGuiApplication.platformName() in _SEEN_BY_NOBODY:
        return False
    box = QMessageBox()
    box.setIcon(QMessageBox.Icon.Critical)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)  # The sentence may quote typed text.
    box.setText(sentence)
    box.exec()
    return True


def _find_screen() -> bool:
    """Whether Qt can open a window, on the platform that was asked for or on its default one."""
    for _ in range(2):
        try:
            check_display(os.environ)
        except NoDisplay:
            os.environ.pop("QT_QPA_PLATFORM", None)
        else:
            return True
    return False
