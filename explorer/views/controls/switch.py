"""A switch: a check box that is painted as a knob in a groove, because what it does is seen at once."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QSizePolicy

_WIDE, _HIGH, _INSET = 30, 16, 2.0  # px


class Switch(QCheckBox):
    """A check box without a text. Its colours are the palette's, so it follows the theme by itself."""

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
