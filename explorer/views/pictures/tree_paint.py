"""Painting a Tree: lines, chips, handles and highlights. Only the visible part is painted."""

from functools import lru_cache

import attrs
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QApplication

from explorer.picture.decoding_kinds import Tree
from explorer.picture.layout.tree import CHIP_PX, CONTROL_PX, FIGURE_PX, PAD, TOKEN_PX, Chip, Link, TreeLayout
from explorer.picture.theme import Theme
from explorer.picture.tree_branches import ROOT, Ink, ink
from explorer.views.painting.pan_zoom import PanZoom

_LEGIBLE = 0.42  # the smallest zoom at which chips show letters
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@lru_cache(maxsize=8)
def font_of(size_px: float) -> QFont:
    font = QFont(QApplication.font())
    font.setPixelSize(round(size_px))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)  # Widths must be the same at every zoom.
    return font


@lru_cache(maxsize=4096)
def measure(text: str, size_px: float) -> float:
    return QFontMetricsF(font_of(size_px)).horizontalAdvance(text)


def control_rect(chip: Chip) -> QRectF:
    """The rectangle of a chip's handle on the sheet."""
    return QRectF(chip.left + chip.width + 3, chip.top + (CHIP_PX - CONTROL_PX) / 2, chip.control_px, CONTROL_PX)


@attrs.frozen
class Marks:
    """Branches to emphasize: `lit` tokens, the `way` to the branch under mouse or keys, and the `selected` one."""

    lit: frozenset[int]
    way: frozenset[int]
    selected: int | None


class TreePainter:
    """Paints one picture once, with `paint`."""

    def __init__(self, painter: QPainter, picture: Tree, made: TreeLayout, theme: Theme, pan_zoom: PanZoom) -> None:
        self._painter, self._picture, self._layout, self._theme, self._plane = painter, picture, made, theme, pan_zoom
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paint(self, marks: Marks) -> None:
        painter, pan_zoom = self._painter, self._plane
        seen = pan_zoom.seen()
        painter.save()
        painter.translate(pan_zoom.shift)
        painter.scale(pan_zoom.zoom, pan_zoom.zoom)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inked = [(link.branch in marks.way, self._ink(link.branch), link) for link in self._layout.links if _meets(link, seen)]
        for on_way, each, link in sorted(inked, key=lambda entry: (entry[0], entry[1].line_px)):
            self._link(link, each, on_way)
        for chip in self._layout.chips.values():
            if QRectF(chip.left, chip.top, chip.right - chip.left, CHIP_PX).intersects(seen):
                self._chip(chip, marks)
        painter.restore()
        for bar in pan_zoom.bars():
            painter.fillRect(bar, QColor(self._theme.closed_line))

    def _ink(self, branch: int) -> Ink:
        return ink("kept" if branch == ROOT else self._picture.branches[branch].state, self._theme)

    def _link(self, link: Link, inked: Ink, on_way: bool) -> None:
        line = QPainterPath(QPointF(link.x0, link.y0))
        line.lineTo(link.x1, link.y0)
        bend = (link.x1 + link.x2) / 2
        line.cubicTo(bend, link.y0, bend, link.y2, link.x2, link.y2)
        colour = self._theme.text if on_way and inked.line != self._theme.accent else inked.line
        pen = QPen(QColor(colour), inked.line_px + (0.8 if on_way else 0))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self._painter.setPen(pen)
        self._painter.drawPath(line)

    def _chip(self, chip: Chip, marks: Marks) -> None:
        painter, theme, inked = self._painter, self._theme, self._ink(chip.branch)
        box = QRectF(chip.left, chip.top, chip.width, CHIP_PX)
        chosen, lit = chip.branch == marks.selected, chip.branch in marks.lit
        on_way = chip.branch in marks.way and inked.edge != theme.accent
        edge = theme.accent if lit or chosen else theme.text if on_way else inked.edge
        painter.setBrush(QColor(theme.field if lit or chosen else theme.card))
        painter.setPen(
            QPen(QColor(edge), 2.5 if lit or chosen else 1.2, Qt.PenStyle.DashLine if inked.dashed else Qt.PenStyle.SolidLine)
        )
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if self._plane.zoom < _LEGIBLE:
            painter.fillRect(box.adjusted(PAD, 7, -PAD, -7), QColor(inked.edge))
        else:
            self._letters(chip, box, inked)
        if chip.control:
            self._control(chip)

    def _letters(self, chip: Chip, box: QRectF, inked: Ink) -> None:
        painter, theme = self._painter, self._theme
        painter.setFont(font_of(TOKEN_PX))
        painter.setPen(QColor(inked.text))
        painter.drawText(box.translated(PAD, 0).adjusted(0, 0, 40, 0), _LEFT, chip.token)
        painter.setFont(font_of(FIGURE_PX))
        painter.setPen(QColor(theme.faint))
        painter.drawText(box.translated(chip.figure_left, 0), _LEFT, chip.figure)
        if chip.verdict:
            is_best = self._picture.branches[chip.branch].rank == 1
            painter.setPen(QColor(theme.accent if is_best else theme.text))
            painter.drawText(box.translated(chip.verdict_left, 0), _LEFT, chip.verdict)

    def _control(self, chip: Chip) -> None:
        painter, theme, box = self._painter, self._theme, control_rect(chip)
        painter.setPen(QPen(QColor(theme.closed_line), 1))
        painter.setBrush(QColor(theme.closed if chip.hidden else theme.card))
        painter.drawRoundedRect(box, 7, 7)
        if self._plane.zoom >= _LEGIBLE:
            painter.setFont(font_of(FIGURE_PX))
            painter.setPen(QColor(theme.text if chip.hidden else theme.faint))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chip.control)


def _meets(link: Link, seen: QRectF) -> bool:
    return (
        link.x0 <= seen.right()
        and link.x2 >= seen.left()
        and min(link.y0, link.y2) <= seen.bottom() + 2
        and max(link.y0, link.y2) >= seen.top() - 2
    )
