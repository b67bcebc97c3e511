"""A check box whose tick has the colour that the theme has on its box: the style sheet is the same in every theme."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton

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
