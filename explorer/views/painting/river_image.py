"""The image of a river without what follows the mouse. It needs no window, so any thread may paint it."""

from functools import lru_cache

import attrs
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from explorer.picture.river.kept import Same
from explorer.picture.river.scene import Drawn
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks


@attrs.frozen
class Paper:
    """What a river is painted on: as many pixels as its view has, `ratio` of them in a px of the drawing."""

    theme: Theme
    font: QFont
    width: int
    height: int
    ratio: float


def paint_base(painter: QPainter, base: Drawn, paper: Paper) -> None:
    """Paint all that does not follow the mouse. The ground is an image, which stays while the shape does."""
    painter.drawImage(0, 0, _ground(Same(base.ground), paper))
    paint_marks(painter, base.scene[len(base.ground) :], paper.theme)


def paint_image(painter: QPainter, image: QImage) -> None:
    """Paint what `base_image` has made."""
    painter.drawImage(0, 0, image)


def base_image(base: Drawn, paper: Paper) -> QImage:
    """The same as an image."""
    image = _blank(paper)
    with _painter(image, paper) as painter:
        paint_base(painter, base, paper)
    return image


@lru_cache(maxsize=2)  # A river's next head takes 6.5 ms, and 7.4 without it.
def _ground(ground: Same, paper: Paper) -> QImage:
    """The ground over the window's colour."""
    image = _blank(paper)
    image.fill(QColor(paper.theme.window))
    with _painter(image, paper) as painter:
        paint_marks(painter, ground.what, paper.theme)  # type: ignore[arg-type]  # It is a Scene.
    return image


def _blank(paper: Paper) -> QImage:
    image = QImage(QSize(paper.width, paper.height), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(paper.ratio)
    return image


def _painter(image: QImage, paper: Paper) -> QPainter:
    painter = QPainter(image)
    painter.setFont(paper.font)
    painter.setBackground(QColor(paper.theme.window))  # Labels are drawn for this background.
    return painter
