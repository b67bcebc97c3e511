"""The labels at the ends of alignment lines: horizontal, turned upward, or written downward for Chinese."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from explorer.picture.layout.alignment import letter_px, shortened, stacked
from explorer.picture.theme import Theme
from explorer.views.painting.paint import elided

Edge = Qt.Edge
"""An edge of the figure: labels at the top edge have their lines below them, those at the bottom edge above them."""


def line_px(metrics: QFontMetricsF) -> float:
    """The height of a line (px). It is less than the font's own, which has room for letters higher than any used here."""
    return min(metrics.height(), metrics.ascent() + 3)


def paint_end(painter: QPainter, box: QRectF, label: str, edge: Edge, *, turned: bool) -> None:
    """Paint a label in the painter's colour, elided to its box."""
    metrics = QFontMetricsF(painter.font())
    if not turned:
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, elided(metrics, label, box.width() - 4))
    elif stacked(label):
        _downward(painter, box, label, edge, letter_px(metrics.horizontalAdvance))
    else:
        _upward(painter, box, elided(metrics, label, box.height()), edge)


def _downward(painter: QPainter, box: QRectF, label: str, edge: Edge, step: float) -> None:
    letters = shortened(label, max(1, int((box.height() + 0.5) / step)))
    top = box.bottom() - step * len(letters) if edge is Edge.TopEdge else box.top()
    for place, letter in enumerate(letters):
        cell = QRectF(box.center().x() - 20, top + place * step, 40, step)
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, letter)


def _upward(painter: QPainter, box: QRectF, label: str, edge: Edge) -> None:
    """Paint a turned label. It begins at the lines at the top edge, and ends there at the bottom edge."""
    along = Qt.AlignmentFlag.AlignLeft if edge is Edge.TopEdge else Qt.AlignmentFlag.AlignRight
    painter.save()
    painter.translate(box.center().x(), box.bottom())
    painter.rotate(-90)
    painter.drawText(QRectF(0, -20, box.height(), 40), along | Qt.AlignmentFlag.AlignVCenter, label)
    painter.restore()


def underline(painter: QPainter, box: QRectF, label: str, edge: Edge, theme: Theme) -> None:
    """Paint a bar where the lines end, because not everybody can see a difference in colour alone."""
    wide = min(box.width() - 4, max(12.0, QFontMetricsF(painter.font()).horizontalAdvance(label)))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    y = box.bottom() + 1 if edge is Edge.TopEdge else box.top() - 3
    painter.drawRect(QRectF(box.center().x() - wide / 2, y, wide, 2))
