"""Styles widgets again after the palette or the font has changed: those in sight at once, the others a few in each turn."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

_AT_ONCE = 40  # widgets out of sight in a turn of the event loop, which take some 4 ms


class Restyling(QObject):
    """Belongs to the application, which has one. `begin` styles all its widgets; what an earlier one left is in it.

    Decision: a page that is opened within the second that this takes may be painted once in its old colours. Rejected: to
    style each widget when it is shown, for which Python would have to look at every event.
    """

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._waiting: list[QWidget] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """Whether some widgets are still to be styled."""
        return self._timer.isActive()

    def begin(self) -> None:
        """Style what is in sight; the rest follows."""
        self._waiting = self._application.allWidgets()
        self._style_in_sight()
        self._timer.start()

    def _go_on(self) -> None:
        self._waiting = [each for each in self._waiting if isValid(each)]  # Some may have been deleted meanwhile.
        self._style_in_sight()
        for widget in self._waiting[:_AT_ONCE]:
            _style(widget)
        del self._waiting[:_AT_ONCE]
        if not self._waiting:
            self._timer.stop()

    def _style_in_sight(self) -> None:
        """Style what can be seen by now, and what is hidden in it: a line reckons with it, or shows it in the next moment."""
        seen: list[QWidget] = []
        away: list[QWidget] = []
        for widget in self._waiting:
            (seen if _in_sight(widget) else away).append(widget)
        self._waiting = away
        for widget in seen:
            _style(widget)


def _in_sight(widget: QWidget) -> bool:
    """Whether somebody sees the widget, or what it stands in."""
    around = widget.parentWidget()
    return widget.isVisible() or (around is not None and around.isVisible())


def _style(widget: QWidget) -> None:
    """Make the widget's rules anew, with the colours of the palette, and tell it."""
    if isValid(widget):  # What is told may delete others.
        widget.style().polish(widget)
        QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
