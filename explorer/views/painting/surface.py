"""What every view that paints itself has in common: theme, words, lit tokens, the frame of the focus, and the wheel."""

from typing import Any

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget

from explorer.lang import Words
from explorer.picture.theme import LIGHT, Theme
from explorer.views.painting.pointed import NOTHING, Pointed, Spot


class Surface(QWidget):
    """Signals: pointed(Pointed) when the mouse is over something or leaves; opened() on Enter."""

    pointed = Signal(object)
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.words: Words | None = None
        self.lit: frozenset[Spot] = frozenset()
        self._told_at: QPoint | None = None  # where on the screen the tooltip was opened that this view shows
        self.setMouseTracking(True)
        # It paints its own background: else Qt paints everything behind it again, up to the window.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def light(self, tokens: frozenset[Spot]) -> None:
        """Light these tokens up."""
        if tokens or self.lit:
            self.lit = tokens
            self.update()

    def fit(self) -> None:
        """Show everything."""

    def tell(self, where: QPoint, pointed: Pointed, text: str | None = None) -> None:
        """Say what is under the mouse, in a tooltip there and to whoever listens; `text` where the tooltip says it in other
        words."""
        self._tip(where, pointed.text if text is None else text)
        self.pointed.emit(pointed)

    def tell_again(self, pointed: Pointed = NOTHING) -> None:
        """Something else is shown now: a tooltip follows, or closes where nothing is under the mouse any more."""
        if self._told_at is None:
            return
        if not pointed.text:
            self._tip(self._told_at, "")
        elif QToolTip.isVisible():  # else it has been read and gone
            self._tip(self._told_at, pointed.text)
        self.pointed.emit(pointed)

    def _tip(self, where: QPoint, text: str) -> None:
        self._told_at = where if text else None
        if text:
            QToolTip.showText(where, text, self)
        else:
            QToolTip.hideText()

    def left(self) -> None:
        """The mouse has gone: forget what was under it."""

    def leaveEvent(self, event: QEvent) -> None:
        self._tip(QPoint(), "")
        self.left()
        self.update()
        self.pointed.emit(NOTHING)

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:  # ends whatever happens: an open painter takes the process down
            painter.fillRect(event.rect(), QColor(self.theme.card))
            painter.setBackground(QColor(self.theme.card))  # labels are drawn for it
            self.paint(painter, event.rect())

    def paint(self, painter: QPainter, part: QRect) -> None:
        """What the view shows, at least in this part of it."""

    def paint_focus(self, painter: QPainter) -> None:
        """A frame around the view that takes the keys."""
        if self.hasFocus():
            painter.setPen(QPen(QColor(self.theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def wheel_is_the_pages(self, event: QWheelEvent) -> bool:
        """True: the event is left to the page."""
        return wheel_is_the_pages(self, event)


def wheel_is_the_pages(view: QWidget, event: QWheelEvent) -> bool:
    """True: the page scrolls, and the view was neither chosen nor meant with Ctrl. The event is left to the page."""
    if view.hasFocus() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return False
    parent = view.parentWidget()
    while parent is not None and not isinstance(parent, QScrollArea):
        parent = parent.parentWidget()
    scrolls = isinstance(parent, QScrollArea) and parent.verticalScrollBar().maximum() > 0
    if scrolls:
        event.ignore()
    return scrolls
