"""Texts of marks: the fonts they are drawn in, how wide they are, and labels that are drawn once and copied."""

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage

from explorer.picture.layout.sketch import Measure
from explorer.picture.marks import BELOW_MIDDLE
from explorer.picture.theme import Theme
from explorer.views.painting.labels import label_image

_BEHIND = {"on_accent": "accent", "on_dark": "#000000", "on_light": "#ffffff"}
_ON_GROUND = ("text", "faint", "disabled", "accent", "grey", "warning", "right")  # colours of texts on the plain ground
LEAST_ROOM = 8  # px; less has no room for a text

LabelImage = tuple[QImage, tuple[float, float], tuple[float, float]]
"""The image, how far (px) the text runs across and down, and where in the image the middle of its beginning is (px)."""


@lru_cache(maxsize=64)
def font_of(family: str, px: float, bold: bool) -> QFont:
    """A font of a family, in whole px."""
    font = QFont(family)
    font.setPixelSize(round(px))
    font.setBold(bold)
    return font


@lru_cache(maxsize=64)
def unhinted(family: str, px: float, bold: bool) -> QFont:
    """A font whose letters are equally wide at every zoom."""
    font = QFont(font_of(family, px, bold))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@lru_cache(maxsize=4)
def measure_in(family: str) -> Measure:
    """What measures texts in the fonts of a family. A film of marks asks thousands of times, mostly for the same texts."""

    @lru_cache(maxsize=4096)
    def measured(content: str, size: float, bold: bool) -> float:
        return QFontMetricsF(font_of(family, size, bold)).horizontalAdvance(content)

    return measured


@lru_cache(maxsize=8)
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
