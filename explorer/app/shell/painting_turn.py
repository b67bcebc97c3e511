"""New pictures are painted in a turn of the event loop of their own."""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget


class PaintingTurn(QObject):
    """Keeps the painting of a window apart from the making of what is painted.

    Qt paints at the end of the same turn of the event loop in which pictures were made. Both together keep keys and the pointer
    waiting for twice as long as either of them, so after `begin` the next request to paint waits until the loop has looked
    for events again. Nothing is painted twice: Qt adds up what is to be painted until it has been.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._begun = False
        self._later = QTimer(self, interval=0, singleShot=True)
        self._later.timeout.connect(self._ask_again)

    @property
    def waits(self) -> bool:
        """Whether something is still to be painted in a turn of its own."""
        return self._later.isActive()

    def begin(self) -> None:
        """Pictures have been made in this turn."""
        self._begun = True

    def put_off(self) -> bool:
        """Put painting off, and True, if what is to be painted was made in this turn; it is asked for again in the next one."""
        if self._begun:
            self._later.start()
        return self._begun

    def _ask_again(self) -> None:
        self._begun = False
        QApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
