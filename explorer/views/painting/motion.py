"""Whether pictures may move. Where they may not, they show each state at once."""

import sys

from PySide6.QtWidgets import QApplication, QStyle

STILL = "still"
"""The application's property that is True where nothing shall move: by a person's wish, and in tests."""


def may_move() -> bool:
    """Whether motion is wanted: not where the application is still, nor where Windows has switched its animations off."""
    application = QApplication.instance()
    if not isinstance(application, QApplication) or bool(application.property(STILL)):
        return False
    # Elsewhere Qt does not know what the system wants, and the style's hint would always say no.
    return sys.platform != "win32" or bool(application.style().styleHint(QStyle.StyleHint.SH_Widget_Animate))
