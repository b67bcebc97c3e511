"""Texts of marks: their fonts, how wide they are, labels that are drawn once and copied, and the numbers of cells."""

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QStaticText

from explorer.picture.cell_numbers import FAINTER, NUMBER_PAD_PX, figures, inks, is_small
from explorer.picture.layout.sketch import Measure
from explorer.picture.marks import BELOW_MIDDLE, Numbers
from explorer.picture.theme import Theme
from explorer.views.painting.labels import label_image

_BEHIND = {"on_accent": "accent", "on_dark": "#000000", "on_light": "#ffffff"}
_ON_GROUND = ("text", "faint", "disabled", "accent", "grey", "warning", "right")  # colours of texts on the plain ground
_KEPT_NUMBERS = 4096  # texts; from −9.99 to 9.99 there are 2,000
LEAST_ROOM = 8  # px; less has no room for a text

LabelImage = tuple[QImage, tuple[float, float], tuple[float, float]]
"""The image, how far (px) the text runs across and down, and where in the image the middle of its beginning is (px)."""


@lru_cache(maxsize=64)  # A river takes 13.4 ms with it and those of `pixels.py`, and 15.0 without.
def font_of(family: str, px: float, bold: bool) -> QFont:
    """A font of a family, in whole px."""
    font = QFont(family)
    font.setPixelSize(round(px))
    font.setBold(bold)
    return font


def unhinted(family: str, px: float, bold: bool) -> QFont:
    """A font whose letters are equally wide at every zoom."""
    font = QFont(font_of(family, px, bold))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@lru_cache(maxsize=4)  # Maps, walls and strips take a sixth longer without it.
def measure_in(family: str) -> Measure:
    """What measures texts in the fonts of a family. Pictures ask thousands of times, mostly for the same texts."""

    @lru_cache(maxsize=4096)
    def measured(content: str, size: float, bold: bool) -> float:
        return QFontMetricsF(font_of(family, size, bold)).horizontalAdvance(content)

    return measured


@lru_cache(maxsize=8)  # A river's next head takes 4.9 ms with what is kept inside, and 5.4 without.
def labels_on(
    family: str, theme: Theme, ground: str, ratio: float
) -> Callable[[float, bool, str, str, float, float], LabelImage | None]:
    """Draws labels of a font family on one ground: px, bold, text, name of the colour, room and turn → LabelImage.

    Each is drawn once and kept. A river asks for a hundred, and what is the same for all is no part of what each asks for.
    """

    own = {getattr(theme, name) for name in _ON_GROUND}

    @lru_cache(maxsize=2048)
    def drawn(px: float, bold: bool, text: str, colour: str, room: float, turn: float) -> LabelImage | None:
        if room < LEAST_ROOM or not text:
            return None
        ink = getattr(theme, colour, colour)
        behind = _BEHIND.get(colour, ground if ink != colour or ink in own else _opposite(ink))  # Labels are drawn for it.
        font, ground_colour, below = font_of(family, px, bold), getattr(theme, behind, behind), BELOW_MIDDLE * px
        if turn:
            made = label_image(font, text, ink, ground_colour, room, ratio, turn, below)
            return made.image, (made.along.x(), made.along.y()), (made.origin.x(), made.origin.y())
        made = label_image(font, text, ink, ground_colour, room, ratio)
        return made.image, (made.along.x(), 0.0), (0.0, made.baseline - below)

    return drawn


def _opposite(ink: str) -> str:
    """What a text in a colour that is no field of the theme stands on: something that it can be read on."""
    return "#000000" if QColor(ink).lightnessF() > 0.5 else "#ffffff"


def paint_numbers(painter: QPainter, mark: Numbers, theme: Theme, family: str) -> None:
    """Write the values of some cells into them, as static texts: measured, labels of their own take several times as long."""
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


def _advances(family: str, px: float) -> dict[str, float]:
    """The width (px) of every letter that a number has."""
    metrics = QFontMetricsF(font_of(family, px, False))
    return {mark: metrics.horizontalAdvance(mark) for mark in "0123456789.\N{MINUS SIGN}"}


@lru_cache(maxsize=_KEPT_NUMBERS)  # Maps with numbers take a tenth longer without it.
def _text(label: str, family: str, px: float) -> tuple[QStaticText, float, float]:
    """A number that is laid out once, and half its width and height (px)."""
    text = QStaticText(label)
    text.setTextFormat(Qt.TextFormat.PlainText)
    text.prepare(font=font_of(family, px, False))
    return text, text.size().width() / 2, text.size().height() / 2
