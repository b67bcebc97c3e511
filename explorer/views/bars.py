"""Draws Bars: a labelled bar for each value, largest first."""

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.lang import Words
from explorer.picture.describe import number
from explorer.picture.picture import Bars
from explorer.picture.scales import LEVELS, table
from explorer.picture.theme import LIGHT, Theme
from explorer.views.paint import elided
from explorer.views.pointed import NOTHING, Pointed, Spot

_ROW = 24.0  # px at most
_LABEL, _FIGURE = 110.0, 70.0


class BarsView(QWidget):
    """`draw(picture, words)` shows Bars."""

    pointed = Signal(object)
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picture: Bars | None = None
        self._words: Words | None = None
        self._theme = LIGHT
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 60)

    def draw(self, picture: Bars, words: Words) -> None:
        self.picture, self._words = picture, words
        best = ", ".join(f"{label} {number(float(value))}" for label, value in
                         zip(picture.labels[:3], picture.values[:3], strict=True))
        self.setAccessibleDescription(f"{picture.caption.title} {best}")
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def light(self, tokens: frozenset[Spot]) -> None:
        """Symbols of the vocabulary are no tokens of the text: nothing lights up here."""

    def fit(self) -> None:
        """Always whole."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.picture is not None:
            with QPainter(self) as painter:
                self._paint(painter, self.picture)

    def _paint(self, painter: QPainter, picture: Bars) -> None:
        metrics = QFontMetricsF(painter.font())
        left = 8 + min(_LABEL, max((metrics.horizontalAdvance(label) for label in picture.labels), default=0))
        red, green, blue = (int(channel) for channel in table(picture.scale.colours)[LEVELS // 3])
        longest = max(float(picture.values.max()), 1e-30)
        room = max(10.0, self.width() - left - _FIGURE - 12)
        for index, (value, label) in enumerate(zip(picture.values, picture.labels, strict=True)):
            row = QRectF(0, index * self._row(), self.width(), self._row())
            size = room * float(value) / longest
            painter.setPen(QColor(self._theme.text))
            painter.drawText(QRectF(0, row.top(), left, row.height()),
                             Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, elided(metrics, label, left))
            bar = QRectF(left + 8, row.top() + row.height() * 0.2, size, row.height() * 0.6)
            painter.fillRect(bar, QColor(red, green, blue))
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(QRectF(bar.right() + 6, row.top(), _FIGURE, row.height()),
                             Qt.AlignmentFlag.AlignVCenter, number(float(value)))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        picture, words = self.picture, self._words
        index = int(event.position().y() / self._row())
        if picture is None or words is None or not 0 <= index < len(picture.labels):
            self.pointed.emit(NOTHING)
            return
        text = words("picture.cell", value=number(float(picture.values[index])), where=picture.labels[index],
                     tap=picture.caption.tap, shape=picture.caption.shape)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)
        self.pointed.emit(Pointed(text))

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()
        self.pointed.emit(NOTHING)

    def _row(self) -> float:
        count = len(self.picture.labels) if self.picture is not None else 1
        return min(_ROW, self.height() / max(1, count))
