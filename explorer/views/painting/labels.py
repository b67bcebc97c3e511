"""Labels as small images, drawn once and then copied.

A keystroke changes one token of sixteen, and each token labels five maps. Shaping, eliding and turning all labels again
took a third of the time to paint a screen.
"""

import math
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QTransform

_KEPT = 1024  # labels, a few MB


@attrs.frozen(eq=False)
class DrawnLabel:
    """A drawn label: `size` in the widget's px; `origin` is the point in the image where the text begins, at half height.

    `along` is the way from there to its end (px). `baseline` is how far below the top of the image the letters of an unturned
    label stand (px).
    """

    image: QImage
    size: QSizeF
    origin: QPointF
    along: QPointF
    baseline: float


def left_label(painter: QPainter, left: float, middle: float, text: str, colour: str) -> None:
    """Draw a label that begins at `left`."""
    made = _made(painter, text, colour, math.inf)
    painter.drawImage(QPointF(round(left), round(middle - made.size.height() / 2)), made.image)


def right_label(painter: QPainter, right: float, middle: float, text: str, colour: str, room: float) -> None:
    """Draw a label that ends at `right`, elided to `room` px."""
    made = _made(painter, text, colour, room)
    painter.drawImage(QPointF(round(right - made.size.width()), round(middle - made.size.height() / 2)), made.image)


def centred_label(painter: QPainter, centre: float, middle: float, text: str, colour: str, room: float = math.inf) -> None:
    """Draw a label centred at a point, elided to `room` px."""
    made = _made(painter, text, colour, room)
    painter.drawImage(QPointF(round(centre - made.size.width() / 2), round(middle - made.size.height() / 2)), made.image)


def label_image(
    font: QFont, text: str, colour: str, behind: str, room: float, ratio: float, turn: float = 0, below: float | None = None
) -> DrawnLabel:
    """A label drawn for a background, elided to `room` px and turned by so many degrees, clockwise.

    `below` says how far its baseline lies below its half height (px), unless the font shall.
    """
    return _drawn(font, text, colour, QColor(behind).rgb(), room, ratio, turn, below)


def advance(font: QFont, text: str) -> float:
    """The width of a text (px)."""
    return QFontMetricsF(font).horizontalAdvance(text)


def _made(painter: QPainter, text: str, colour: str, room: float) -> DrawnLabel:
    device = painter.device()
    ratio = 1.0 if device is None else device.devicePixelRatio()
    return _drawn(painter.font(), text, colour, painter.background().color().rgb(), room, ratio, 0.0, None)


def sized(font: QFont, factor: float) -> QFont:
    """The font, larger or smaller by a factor."""
    made = QFont(font)
    made.setPointSizeF(font.pointSizeF() * factor)
    return made


@lru_cache(maxsize=_KEPT)  # row "a key to everything painted": the strip's 30 labels take 3 µs each, and 75 if drawn anew
def _drawn(
    font: QFont, text: str, colour: str, behind: int, room: float, ratio: float, turn: float, below: float | None
) -> DrawnLabel:
    metrics = QFontMetricsF(font)
    label = text if math.isinf(room) else metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    wide, high = math.ceil(metrics.horizontalAdvance(label)) + 1.0, math.ceil(metrics.height())
    middle = (metrics.ascent() - metrics.descent()) / 2 if below is None else below
    size, origin, along = QSizeF(wide, high), QPointF(0, high / 2), QPointF(wide, 0)
    if turn:
        turned = QTransform().rotate(turn)
        around = turned.mapRect(QRectF(0, -high / 2, wide, high))
        size = QSizeF(math.ceil(around.width()), math.ceil(around.height()))
        origin, along = QPointF(-around.left(), size.height() - around.bottom()), turned.map(along)
    image = QImage(math.ceil(size.width() * ratio), math.ceil(size.height() * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(behind)
    grey = QFont(font)
    grey.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)  # One coverage for all three colours of a pixel.
    with QPainter(image) as painter:
        painter.setFont(grey)
        painter.setPen(QColor(colour))
        painter.translate(origin)
        painter.rotate(turn)
        painter.drawText(QPointF(0, middle), label)
    baseline = round((high / 2 + middle) * ratio) / ratio  # where Qt puts letters: on a whole pixel
    return DrawnLabel(_lifted(image, QColor(colour), QColor(behind)), size, origin, along, baseline)


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


def _inks(ink: int, behind: int) -> tuple[int, NDArray[np.uint32]]:
    """The channel in which ink and background differ most, and for each of its values [256] the premultiplied ink."""
    full, none = ([colour >> shift & 255 for shift in (0, 8, 16)] for colour in (ink, behind))  # blue, green, red
    channel = max(range(3), key=lambda each: abs(full[each] - none[each]))
    reach = full[channel] - none[channel]
    share = np.clip((np.arange(256) - none[channel]) / reach, 0, 1) if reach else np.ones(256)
    parts = np.rint(share[:, None] * [*full, 255]).astype(np.uint32)
    return channel, (parts << np.array([0, 8, 16, 24], np.uint32)).sum(axis=1, dtype=np.uint32)
