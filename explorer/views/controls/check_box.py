"""A check box whose tick follows the theme, as the style sheet is the same in every theme; and a switch."""

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton

_TICK = ((-3.5, 0.2), (-1.0, 2.7), (3.5, -2.4))
"""The ends of its two strokes (px from the middle of the box)."""
_WIDE_PX = 1.8


class CheckBox(QCheckBox):
    """The style sheet paints the box, and this the tick, in a role of the palette, so that both follow the theme."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        middle = box.toRectF().center()
        pen = QPen(self.palette().color(QPalette.ColorRole.HighlightedText), _WIDE_PX)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen)
            painter.drawPolyline([middle + QPointF(*end) for end in _TICK])


_WIDE, _HIGH, _INSET = 30, 16, 2.0  # px


class Switch(QCheckBox):
    """A check box without a text, painted as a knob in a groove: what it does is seen at once.

    Its colours are the palette's, so it follows the theme by itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(_WIDE + 2, _HIGH + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours, roles = self.palette(), QPalette.ColorRole
        on = self.isChecked()
        groove = QRectF(1, 1, _WIDE, _HIGH)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ring = colours.color(roles.Highlight) if self.hasFocus() else Qt.GlobalColor.transparent
            painter.setPen(QPen(ring, 1))
            fill = roles.Highlight if on and self.isEnabled() else roles.PlaceholderText
            painter.setBrush(colours.color(fill))
            painter.setOpacity(1.0 if on else 0.45)
            painter.drawRoundedRect(groove, _HIGH / 2, _HIGH / 2)
            painter.setOpacity(1.0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.color(roles.Button))
            side = _HIGH - 2 * _INSET
            left = groove.right() - _INSET - side if on else groove.left() + _INSET
            painter.drawEllipse(QRectF(left, groove.top() + _INSET, side, side))
