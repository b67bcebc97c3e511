"""Paints the marks of a Sketch with QPainter."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from explorer.picture.layout.sketch import Area, Box, Cells, Dot, Letters, Line, Sketch
from explorer.picture.theme import Theme
from explorer.views.painting.paint import colour_image, hatching

_KEPT = 4096  # measured texts


class MarkPainter:
    """Paints marks in one theme, with fonts of one family. Fonts, colours and widths of texts are kept between paintings."""

    def __init__(self) -> None:
        self._family: list[str] = []
        self._fonts: dict[tuple[float, bool], QFont] = {}
        self._widths: dict[tuple[str, float, bool], float] = {}
        self._colours: dict[str, QColor] = {}
        self._painters: dict[type, Callable[[Any, QPainter, Theme], None]] = {
            Box: self._box,
            Line: self._line,
            Dot: self._dot,
            Letters: self._letters,
            Cells: self._cells,
        }

    def use(self, font: QFont) -> None:
        """Take the families of this font."""
        if font.families() != self._family:
            self._family = font.families()
            self._fonts.clear()
            self._widths.clear()

    def measure(self, content: str, size: float, bold: bool) -> float:
        """The width of a text (px)."""
        key = (content, size, bold)
        found = self._widths.get(key)
        if found is None:
            if len(self._widths) >= _KEPT:
                self._widths.clear()
            found = self._widths[key] = QFontMetricsF(self._font(size, bold)).horizontalAdvance(content)
        return found

    def paint(self, painter: QPainter, sketch: Sketch) -> None:
        """Paint all marks of a sketch, in their order."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        for mark in sketch.marks:
            self._painters[type(mark)](mark, painter, sketch.theme)
        painter.restore()

    def _font(self, size: float, bold: bool) -> QFont:
        made = self._fonts.get((size, bold))
        if made is None:
            made = QFont()
            made.setFamilies(self._family)
            made.setPixelSize(round(size))
            made.setBold(bold)
            self._fonts[size, bold] = made
        return made

    def _colour(self, name: str) -> QColor:
        made = self._colours.get(name)
        if made is None:
            made = self._colours[name] = QColor(name)
        return made

    def _box(self, mark: Box, painter: QPainter, theme: Theme) -> None:
        area = _rectangle(mark.area)
        if mark.radius:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            painter.setPen(QPen(self._colour(mark.edge), mark.edge_px) if mark.edge else Qt.PenStyle.NoPen)
            painter.setBrush(self._colour(mark.fill) if mark.fill else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, mark.radius, mark.radius)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if mark.hatched:
            # In whole pixels the pattern is copied; between pixels it would be computed, which takes ten times as long.
            painter.fillRect(area.toRect(), hatching(theme))
        elif mark.fill:
            painter.fillRect(area, self._colour(mark.fill))
        if mark.edge:
            painter.setPen(QPen(self._colour(mark.edge), mark.edge_px))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area)

    def _line(self, mark: Line, painter: QPainter, theme: Theme) -> None:
        pen = QPen(self._colour(mark.colour), mark.px)
        if mark.dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        # A straight line across or down is crisp without smoothing.
        slanted = bool(mark.x != mark.to_x and mark.y != mark.to_y)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, slanted)
        painter.drawLine(QPointF(mark.x, mark.y), QPointF(mark.to_x, mark.to_y))

    def _dot(self, mark: Dot, painter: QPainter, theme: Theme) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour(mark.fill))
        painter.drawEllipse(QPointF(mark.x, mark.y), mark.radius, mark.radius)

    def _letters(self, mark: Letters, painter: QPainter, theme: Theme) -> None:
        painter.setFont(self._font(mark.size, mark.bold))
        painter.setPen(self._colour(mark.colour))
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor]
        x = mark.x - (before * self.measure(mark.content, mark.size, mark.bold) if before else 0.0)
        painter.drawText(QPointF(round(x), round(mark.y)), mark.content)

    def _cells(self, mark: Cells, painter: QPainter, theme: Theme) -> None:
        painter.drawImage(_rectangle(mark.area), colour_image(mark.index, mark.colours, theme))


def _rectangle(area: Area) -> QRectF:
    return QRectF(area.x, area.y, area.wide, area.high)
