"""Labels as small images, drawn once and then copied.

A keystroke changes one token of sixteen, and each token labels five maps. Shaping, eliding and turning all labels again
took a third of the time to paint a screen.
"""

import math
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

_ANGLE = 50.0  # degrees by which a turned label rises
_SIN, _COS = math.sin(math.radians(_ANGLE)), math.cos(math.radians(_ANGLE))
_KEPT = 1024  # labels, a few MB
_MEASURED = 64  # labels that are measured to find the widest


@attrs.frozen(eq=False)
class DrawnLabel:
    """A drawn label: `size` in the widget's px; `origin` is the point in the image where the text begins, at half height.

    `baseline` is how far below the top of the image the letters of an unturned label stand (px).
    """

    image: QImage
    size: QSizeF
    origin: QPointF
    baseline: float


def left_label(painter: QPainter, left: float, middle: float, text: str, colour: str) -> None:
    """Draw a label that begins at `left`."""
    made = _made(painter, text, colour, math.inf, False)
    painter.drawImage(QPointF(round(left), round(middle - made.size.height() / 2)), made.image)


def right_label(painter: QPainter, right: float, middle: float, text: str, colour: str, room: float) -> None:
    """Draw a label that ends at `right`, elided to `room` px."""
    made = _made(painter, text, colour, room, False)
    painter.drawImage(QPointF(round(right - made.size.width()), round(middle - made.size.height() / 2)), made.image)


def centred_label(painter: QPainter, centre: float, middle: float, text: str, colour: str, room: float = math.inf) -> None:
    """Draw a label centred at a point, elided to `room` px."""
    made = _made(painter, text, colour, room, False)
    painter.drawImage(QPointF(round(centre - made.size.width() / 2), round(middle - made.size.height() / 2)), made.image)


def label_image(font: QFont, text: str, colour: str, behind: str, room: float, ratio: float) -> DrawnLabel:
    """A label drawn for a background, elided to `room` px."""
    return _drawn(font, text, colour, QColor(behind).rgb(), room, False, ratio)


def turned_label(painter: QPainter, x: float, y: float, text: str, colour: str, room: float) -> None:
    """Draw a label that rises to the right from a point, elided to `room` px."""
    made = _made(painter, text, colour, room, True)
    painter.drawImage(QPointF(round(x - made.origin.x()), round(y - made.origin.y())), made.image)


def advance(font: QFont, text: str) -> float:
    """The width of a text (px)."""
    return _advance(font, text)


@lru_cache(maxsize=16)
def widest(labels: tuple[str, ...]) -> tuple[str, ...]:
    """At most 64 labels among which the widest one probably is, so that not all of thousands are measured."""
    different = set(labels)
    if len(different) <= _MEASURED:
        return tuple(different)
    # A Chinese character is about twice as wide as a letter.
    return tuple(sorted(different, key=lambda label: sum(2 if mark > "\u2e7f" else 1 for mark in label))[-_MEASURED:])


def _made(painter: QPainter, text: str, colour: str, room: float, turned: bool) -> DrawnLabel:
    device = painter.device()
    ratio = 1.0 if device is None else device.devicePixelRatio()
    return _drawn(painter.font(), text, colour, painter.background().color().rgb(), room, turned, ratio)


def sized(font: QFont, factor: float) -> QFont:
    """The font, larger or smaller by a factor."""
    made = QFont(font)
    made.setPointSizeF(font.pointSizeF() * factor)
    return made


@lru_cache(maxsize=_KEPT)
def _advance(font: QFont, text: str) -> float:
    return QFontMetricsF(font).horizontalAdvance(text)


@lru_cache(maxsize=_KEPT)
def _drawn(font: QFont, text: str, colour: str, behind: int, room: float, turned: bool, ratio: float) -> DrawnLabel:
    metrics = QFontMetricsF(font)
    label = text if math.isinf(room) else metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    wide, high = math.ceil(metrics.horizontalAdvance(label)) + 1.0, math.ceil(metrics.height())
    size, origin, below = QSizeF(wide, high), QPointF(0, high / 2), (metrics.ascent() - metrics.descent()) / 2
    if turned:
        size = QSizeF(math.ceil(wide * _COS + high * _SIN), math.ceil(wide * _SIN + high * _COS))
        origin = QPointF(high / 2 * _SIN, size.height() - high / 2 * _COS)
    image = QImage(math.ceil(size.width() * ratio), math.ceil(size.height() * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(behind)
    grey = QFont(font)
    grey.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)  # One coverage for all three colours of a pixel.
    with QPainter(image) as painter:
        painter.setFont(grey)
        painter.setPen(QColor(colour))
        painter.translate(origin)
        painter.rotate(-_ANGLE if turned else 0.0)
        painter.drawText(QPointF(0, below), label)
    baseline = round((high / 2 + below) * ratio) / ratio  # where Qt puts letters: on a whole pixel
    return DrawnLabel(_lifted(image, QColor(colour), QColor(behind)), size, origin, baseline)


def _lifted(image: QImage, ink: QColor, behind: QColor) -> QImage:
    """The letters of an image without its background.

    On a transparent background Qt draws dark letters up to a fifth bolder than on an opaque one. So labels are drawn on their
    final background, and the share of ink in each pixel is computed from the result.
    """
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    channel, inks = _inks(ink.rgb(), behind.rgb())
    made = inks.take(pixels[..., channel])
    lifted = QImage(
        made.data, image.width(), image.height(), image.bytesPerLine(), QImage.Format.Format_ARGB32_Premultiplied
    ).copy()
    lifted.setDevicePixelRatio(image.devicePixelRatio())
    return lifted


@lru_cache(maxsize=64)
def _inks(ink: int, behind: int) -> tuple[int, NDArray[np.uint32]]:
    """The channel in which ink and background differ most, and for each of its values [256] the premultiplied ink."""
    full, none = ([colour >> shift & 255 for shift in (0, 8, 16)] for colour in (ink, behind))  # blue, green, red
    channel = max(range(3), key=lambda each: abs(full[each] - none[each]))
    reach = full[channel] - none[channel]
    share = np.clip((np.arange(256) - none[channel]) / reach, 0, 1) if reach else np.ones(256)
    parts = np.rint(share[:, None] * [*full, 255]).astype(np.uint32)
    return channel, (parts << np.array([0, 8, 16, 24], np.uint32)).sum(axis=1, dtype=np.uint32)
