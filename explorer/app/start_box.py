"""One sentence in a box of Qt's, instead of a window that could not be opened."""

import os
from contextlib import suppress

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from explorer.app.display import check_display, make_application
from explorer.errors import ExplorerError, NoDisplay

_SEEN_BY_NOBODY = ("offscreen", "minimal")  # Qt's platforms on which a box would wait for ever


def show(title: str, sentence: str) -> bool:
    """Show it until it is closed. False, and nothing is shown, where there is no screen for it."""
    if QGuiApplication.instance() is None and _find_screen():
        with suppress(ExplorerError):  # perhaps the bundled font is what is missing: the system's will do
            make_application()
    if not isinstance(QApplication.instance(), QApplication) or QGuiApplication.platformName() in _SEEN_BY_NOBODY:
        return False
    box = QMessageBox()
    box.setIcon(QMessageBox.Icon.Critical)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)  # it may quote what somebody typed
    box.setText(sentence)
    box.exec()
    return True


def _find_screen() -> bool:
    """Whether Qt can open a window: on the platform that was asked for, else on its own choice."""
    for _ in range(2):
        try:
            check_display(os.environ)
        except NoDisplay:
            os.environ.pop("QT_QPA_PLATFORM", None)
        else:
            return True
    return False
