"""Numbers in the cells of a map, as static texts: measured, labels of their own take several times as long."""

from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QStaticText

from explorer.picture.cell_numbers import FAINTER, NUMBER_PAD_PX, figures, inks, is_small
from explorer.picture.marks import Numbers
from explorer.picture.theme import Theme
from explorer.views.painting.mark_texts import font_of

_KEPT = 4096  # texts; from −9.99 to 9.99 there are 2,000


def paint_numbers(painter: QPainter, mark: Numbers, theme: Theme, family: str) -> None:
    """Write the values of some cells into them."""
    rect, scale, (n_rows, n_columns) = mark.rect, mark.scale, mark.index.shape
    wide, high = rect.wide / n_columns, rect.high / n_rows
    painter.setFont(font_of(family, mark.px, False))
    ink_of, room, advances = inks(scale.colours, theme), wide - NUMBER_PAD_PX, _advances(family, mark.px)
    pens: dict[tuple[str, bool], QPen] = {}
    middle_y = rect.y + high / 2
    for numbers, levels in zip(mark.values.tolist(), mark.index.tolist(), strict=True):
        middle_x = rect.x + wide / 2
        for value, level in zip(numbers, levels, strict=True):
            label = next((each for each in figures(value) if sum(map(advances.__getitem__, each)) <= room), "")
            if label:
                ink = ink_of[level], is_small(value, scale)
                painter.setPen(pens.get(ink) or pens.setdefault(ink, _pen(*ink)))
                text, half_wide, half_high = _text(label, family, mark.px)
                painter.drawStaticText(QPointF(middle_x - half_wide, middle_y - half_high), text)
            middle_x += wide
        middle_y += high


def _pen(ink: str, small: bool) -> QPen:
    colour = QColor(ink)
    colour.setAlphaF(FAINTER if small else 1.0)
    return QPen(colour)


@lru_cache(maxsize=8)
def _advances(family: str, px: float) -> dict[str, float]:
    """The width (px) of every letter that a number has."""
    metrics = QFontMetricsF(font_of(family, px, False))
    return {mark: metrics.horizontalAdvance(mark) for mark in "0123456789.\N{MINUS SIGN}"}


@lru_cache(maxsize=_KEPT)
def _text(label: str, family: str, px: float) -> tuple[QStaticText, float, float]:
    """A number that is laid out once, and half its width and height (px)."""
    text = QStaticText(label)
    text.setTextFormat(Qt.TextFormat.PlainText)
    text.prepare(font=font_of(family, px, False))
    return text, text.size().width() / 2, text.size().height() / 2
