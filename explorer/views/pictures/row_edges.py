"""The edge of a row that goes on: it fades out, and an arrow says where more is."""

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from explorer.picture.theme import Theme

EDGE_PX = 28
"""The width of the faded edge (px)."""
_ARROW = 4.0  # px, half the height of the arrow


def paint_edge(painter: QPainter, around: QRect, side: Qt.Edge, theme: Theme) -> None:
    """Fade out one edge of a rectangle and draw an arrow that points outward."""
    box, outward = _edge(QRectF(around), side)
    middle = box.center()
    half = QPointF(outward.x() * box.width() / 2, outward.y() * box.height() / 2)
    fade = QLinearGradient(middle - half, middle + half)
    clear = QColor(theme.card)
    clear.setAlpha(0)
    fade.setColorAt(0.0, clear)
    fade.setColorAt(0.55, QColor(theme.card))
    painter.fillRect(box, fade)
    tip = middle + half - outward * 6.0
    across = QPointF(outward.y(), outward.x())
    painter.setPen(QPen(QColor(theme.text), 1.6))
    for sign in (-1, 1):
        painter.drawLine(QLineF(tip, tip - outward * _ARROW + across * (sign * _ARROW)))


def _edge(around: QRectF, side: Qt.Edge) -> tuple[QRectF, QPointF]:
    """The faded part of a rectangle, and the direction outward."""
    if side == Qt.Edge.LeftEdge:
        return QRectF(around.left(), around.top(), EDGE_PX, around.height()), QPointF(-1, 0)
    if side == Qt.Edge.RightEdge:
        return QRectF(around.right() + 1 - EDGE_PX, around.top(), EDGE_PX, around.height()), QPointF(1, 0)
    if side == Qt.Edge.TopEdge:
        return QRectF(around.left(), around.top(), around.width(), EDGE_PX), QPointF(0, -1)
    return QRectF(around.left(), around.bottom() + 1 - EDGE_PX, around.width(), EDGE_PX), QPointF(0, 1)
