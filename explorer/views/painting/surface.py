"""The Surface, the base of all views that paint themselves: theme, words, lit tokens, focus frame, tooltip and wheel."""

from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QFontInfo, QPainter, QPaintEvent, QPen, QRegion, QSinglePointEvent, QWheelEvent
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget

from explorer.lang import Words
from explorer.picture.layout.sketch import USUAL_PX, Measure
from explorer.picture.theme import LIGHT, Theme
from explorer.views.painting.mark_texts import measure_in
from explorer.views.painting.pointed import NOTHING, Pointed, Spot
from explorer.views.painting.read_as import read_as
from explorer.views.painting.spoken import say


class Surface(QWidget):
    """A self-painted view. Signals: pointed(Pointed) when the mouse moves over something or leaves; opened() on Enter."""

    draws_in_px = False  # whether its letters have sizes in px, and not that of the window's font

    pointed = Signal(object)
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.words: Words | None = None
        self.lit: frozenset[Spot] = frozenset()
        self.larger = 1.0  # the factor by which the drawing is scaled
        self._letters: float | None = None  # None: the font may have changed
        self._told_at: QPoint | None = None  # where on the screen this view's tooltip is open
        self.setMouseTracking(True)
        # The view paints its own background. Otherwise Qt would repaint everything behind it, up to the window.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        read_as(self, QAccessible.Role.Graphic)

    def enlarge_letters(self, times: float) -> None:
        """Scale the whole drawing by `times`, for a hall, in a view whose letters do not follow the window's font."""
        if self.draws_in_px:
            self.larger = times
            self.update()

    @property
    def letters(self) -> float:
        """How many times the usual size the view's font has, at least 1."""
        if self._letters is None:
            self._letters = max(1.0, QFontInfo(self.font()).pixelSize() / USUAL_PX)
        return self._letters

    @property
    def letter_px(self) -> float:
        """The size of the font's letters (px)."""
        return float(QFontInfo(self.font()).pixelSize())

    @property
    def measure(self) -> Measure:
        """The function that measures texts in the view's font, in any size."""
        return measure_in(self.font().family())

    @property
    def wide(self) -> float:
        """The width to draw in (px of the drawing)."""
        return self.width() / self.larger

    @property
    def high(self) -> float:
        """The height to draw in (px of the drawing)."""
        return self.height() / self.larger

    def at(self, event: QSinglePointEvent) -> QPointF:
        """Where the mouse is in the drawing (px)."""
        return event.position() * (1 / self.larger)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def light(self, tokens: frozenset[Spot]) -> None:
        """Highlight these tokens."""
        if tokens or self.lit:
            self.lit = tokens
            self.update()

    def set_busy(self, busy: bool) -> None:
        """Take note that the compute thread has begun to answer, or has answered. Painting little by little rests meanwhile."""

    def fit(self) -> None:
        """Show the whole picture."""

    def tell(self, where: QPoint, pointed: Pointed, text: str | None = None) -> None:
        """Show a tooltip at `where` and emit `pointed`. The tooltip shows `text` if given, otherwise the value's own."""
        self._tip(where, pointed.in_short if text is None else text)
        self.pointed.emit(pointed)

    def tell_by_keys(self, pointed: Pointed, box: QRectF | None = None) -> None:
        """Say what keys have reached: to a screen reader, and with a tooltip below its `box` (px) if that is given."""
        say(self, pointed.text)
        if box is not None:
            self._tip(self.mapToGlobal((box.bottomRight() * self.larger).toPoint()), pointed.in_short)
        self.pointed.emit(pointed)
        self.update()

    def tell_again(self, pointed: Pointed = NOTHING, text: str | None = None) -> None:
        """Update an open tooltip after the picture has changed, or close it where nothing is under the mouse any more.

        The tooltip shows `text` if given, otherwise the value's text.
        """
        if self._told_at is None:
            return
        if not pointed.text:
            self._tip(self._told_at, "")
        elif QToolTip.isVisible():  # A tooltip that has closed by itself stays closed.
            self._tip(self._told_at, pointed.in_short if text is None else text)
        self.pointed.emit(pointed)

    def _tip(self, where: QPoint, text: str) -> None:
        self._told_at = where if text else None
        if text:
            QToolTip.showText(where, text, self)
        else:
            QToolTip.hideText()

    def left(self) -> None:
        """Forget what was under the mouse, after it has left."""

    def leaveEvent(self, event: QEvent) -> None:
        self._tip(QPoint(), "")
        self.left()
        self.update()
        self.pointed.emit(NOTHING)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._letters = None

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:  # A painter left open by an exception would crash the process.
            for bare in QRegion(event.rect()).subtracted(QRegion(self.covered())):  # type: ignore[attr-defined]  # It is iterable.
                painter.fillRect(bare, QColor(self.theme.card))
            painter.setBackground(QColor(self.theme.card))  # Labels are drawn for this background.
            painter.scale(self.larger, self.larger)
            self.paint(painter, event.rect())

    def paint(self, painter: QPainter, part: QRect) -> None:
        """Paint the view, at least this part of it."""

    def covered(self) -> QRect:
        """The part (px of the widget) that `paint` covers wholly, so that it needs no background."""
        return QRect()

    def paint_focus(self, painter: QPainter) -> None:
        """Paint a frame around the view while it has the focus."""
        if self.hasFocus():
            painter.setPen(QPen(QColor(self.theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(0.5, 0.5, self.wide - 1, self.high - 1), 3, 3)

    def wheel_is_the_pages(self, event: QWheelEvent) -> bool:
        """Whether the wheel event is left to the page."""
        return wheel_is_the_pages(self, event)


def wheel_is_the_pages(view: QWidget, event: QWheelEvent) -> bool:
    """Whether the wheel event is left to the page: the page can scroll, the view has no focus, and Ctrl is not held."""
    if view.hasFocus() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return False
    parent = view.parentWidget()
    while parent is not None and not isinstance(parent, QScrollArea):
        parent = parent.parentWidget()
    scrolls = isinstance(parent, QScrollArea) and parent.verticalScrollBar().maximum() > 0
    if scrolls:
        event.ignore()
    return scrolls
