"""Whether pictures may move. Where they may not, they show each state at once."""

import sys

from PySide6.QtWidgets import QApplication, QStyle

STILL = "still"
"""The application's property that is True where nothing shall move, by a person's wish, the system's, or in tests.

It is False where somebody wants motion whatever the system says, and not set where nobody has said anything.
"""


def may_move() -> bool:
    """Whether motion is wanted; where nobody has said so, Windows is asked whether it has switched its animations off."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        return False
    still = application.property(STILL)
    if still is not None:
        return not still
    # Elsewhere Qt does not know what the system wants, and the style's hint would always say no.
    return sys.platform != "win32" or bool(application.style().styleHint(QStyle.StyleHint.SH_Widget_Animate))
