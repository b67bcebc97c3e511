"""Numbers in the cells of a map, as static texts: measured, labels of their own take several times as long."""

from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QStaticText

from explorer.picture.cell_numbers import FAINTER, figures, inks, is_small
from explorer.picture.scales import Scale
from explorer.picture.theme import Theme
from explorer.trace.arrays import Array
from explorer.views.painting.labels import sized

_SIZE = 0.9  # of the font's size
_PAD = 4.0  # px, at both sides of a number together
_KEPT = 4096  # texts; from −9.99 to 9.99 there are 2,000


@attrs.frozen
class Region:
    """A block of a map's cells: from which row and column on, how many, where it begins, and how large a cell is (px)."""

    row: int
    column: int
    rows: int
    columns: int
    left: float
    top: float
    wide: float
    high: float


def paint_numbers(
    painter: QPainter, values: Array, index: NDArray[np.uint8], scale: Scale, theme: Theme, block: Region
) -> None:
    """Write the values [row, column] of a block into its cells; `index` [row, column] has the colours, which decide the ink."""
    usual, font = painter.font(), sized(painter.font(), _SIZE)
    name, room = font.toString(), block.wide - _PAD
    painter.setFont(font)
    ink_of = inks(scale.colours, theme)
    pens: dict[tuple[str, bool], QPen] = {}
    cut = np.s_[block.row : block.row + block.rows, block.column : block.column + block.columns]
    middle_y = block.top + block.high / 2
    for numbers, levels in zip(values[cut].tolist(), index[cut].tolist(), strict=True):
        middle_x = block.left + block.wide / 2
        for value, level in zip(numbers, levels, strict=True):
            label = _label(value, name, room)
            if label:
                ink = ink_of[level], is_small(value, scale)
                painter.setPen(pens.get(ink) or pens.setdefault(ink, _pen(*ink)))
                text, half_wide, half_high = _text(label, name)
                painter.drawStaticText(QPointF(middle_x - half_wide, middle_y - half_high), text)
            middle_x += block.wide
        middle_y += block.high
    painter.setFont(usual)


def _label(value: float, font: str, room: float) -> str:
    """The figures of a value that have room (px); "" for none."""
    advances = _advances(font)
    return next((each for each in figures(value) if sum(map(advances.__getitem__, each)) <= room), "")


def _pen(ink: str, small: bool) -> QPen:
    colour = QColor(ink)
    colour.setAlphaF(FAINTER if small else 1.0)
    return QPen(colour)


@lru_cache(maxsize=8)
def _advances(font: str) -> dict[str, float]:
    """The width (px) of every letter that a number has."""
    made = QFont()
    made.fromString(font)
    metrics = QFontMetricsF(made)
    return {mark: metrics.horizontalAdvance(mark) for mark in "0123456789.\N{MINUS SIGN}"}


@lru_cache(maxsize=_KEPT)
def _text(label: str, font: str) -> tuple[QStaticText, float, float]:
    """A number that is laid out once, and half its width and height (px)."""
    made = QFont()
    made.fromString(font)
    text = QStaticText(label)
    text.setTextFormat(Qt.TextFormat.PlainText)
    text.prepare(font=made)
    return text, text.size().width() / 2, text.size().height() / 2
