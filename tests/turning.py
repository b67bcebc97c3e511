"""Turning Qt's event loop in a script that a test runs in a process of its own."""

from PySide6.QtCore import QEventLoop, QTimer


def turn(ms: int = 5) -> None:
    """Let events be handled for so long, while other threads run.

    QTest.qWait keeps Python's lock, so that torch is loaded beside it three times as slowly; PySide 6.12 loses a reference to
    None at each call of it, and of processEvents.
    """
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()
