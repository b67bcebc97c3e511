"""Straight strands as an image: QPainter's own strokes are the measure."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from explorer.picture.layout.strands import Lines
from explorer.views.painting.strands import Strokes, lines_image
from tests.pixels import numbers

WIDE, HIGH, LEFT = 400, 160, 15.0
COLOUR = "#b4500f"


def lines(n: int = 9) -> Lines:
    """The tokens below stand closer to each other."""
    return Lines(np.linspace(10, 350, n), np.linspace(20, 250, n), 30.0, 130.0)


def strokes(*of: tuple[int, int, float, float]) -> Strokes:
    rows, columns, widths, opacities = (np.array(each) for each in zip(*of, strict=True))
    return Strokes(rows, columns, widths.astype(np.float32), opacities.astype(np.float32))


def some(n: int) -> Strokes:
    chance = np.random.default_rng(0)
    places = chance.permutation(81)[:n]
    return strokes(*zip(places // 9, places % 9, chance.uniform(1, 4, n), chance.uniform(0.1, 1, n), strict=True))


def sheet(ratio: float) -> QImage:
    made = QImage(round(WIDE * ratio), round(HIGH * ratio), QImage.Format.Format_RGB32)
    made.setDevicePixelRatio(ratio)
    made.fill(QColor("white"))
    return made


def as_image(which: Strokes, ratio: float, left: float = LEFT) -> QImage:
    made = sheet(ratio)
    with QPainter(made) as painter:
        painter.drawImage(*lines_image(lines(), which, COLOUR, left, WIDE, ratio))
    return made


def stroked(which: Strokes, ratio: float) -> QImage:
    """By QPainter, with ends that are level with the tokens, as a line is that goes on behind them."""
    made, at = sheet(ratio), lines()
    with QPainter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(QRectF(0, at.first, WIDE, at.last - at.first))
        painter.translate(LEFT, 0)
        for row, column, width, opacity in zip(which.rows, which.columns, which.widths, which.opacities, strict=True):
            colour = QColor(COLOUR)
            colour.setAlphaF(float(opacity))
            painter.setPen(QPen(colour, float(width), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            (x0, y0), (x1, y1) = at.curve(int(row), int(column))
            dx, dy = (x1 - x0) / 4, (y1 - y0) / 4
            painter.drawLine(QPointF(x0 - dx, y0 - dy), QPointF(x1 + dx, y1 + dy))
    return made


def channels(image: QImage) -> np.ndarray:
    return np.stack([numbers(image) >> shift & 255 for shift in (16, 8, 0)]).astype(float)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("n", [1, 3, 30, 81])
def test_strands_are_what_a_painter_strokes(qapp: QApplication, ratio: float, n: int) -> None:
    """Steep ones and flat ones, where they lie and how dark they are; a pixel that an edge cuts may differ a little."""
    ours, theirs = channels(as_image(some(n), ratio)), channels(stroked(some(n), ratio))
    away = np.abs(ours - theirs)
    assert (theirs < 250).any()
    assert away.max() <= 40 and away.mean() < 0.03 * (255 - theirs).mean()
    assert abs((255 - ours).sum() / (255 - theirs).sum() - 1) < 0.015
    moved = np.abs(channels(as_image(some(n), ratio, LEFT + 1)) - theirs)  # So that the comparison can fail.
    assert moved.max() > 80 and moved.mean() > 0.2 * (255 - theirs).mean()


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("width", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("opacity", [0.3, 0.99])
@pytest.mark.parametrize("row", [4, 0])
def test_a_strand_has_its_area(qapp: QApplication, ratio: float, width: float, opacity: float, row: int) -> None:
    """Whatever its width: length × width × opacity. A painter's thinnest strokes are up to 15 % too faint."""
    (x0, y0), (x1, y1) = lines().curve(row, 4)
    area = width * np.hypot(x1 - x0, y1 - y0) * ratio**2 * opacity
    blue = channels(as_image(strokes((row, 4, width, opacity)), ratio))[2]
    assert abs((255 - blue).sum() / (255 - QColor(COLOUR).blue()) / area - 1) < 0.01


@pytest.mark.parametrize("column", [0, 4, 8])
def test_one_strand_has_its_own_opacity(qapp: QApplication, column: int) -> None:
    """In its middle: half of the colour, half of the ground; of a strand without opacity nothing."""
    x, y = (sum(each) / 2 for each in zip(*lines().curve(4, column), strict=True))
    for opacity in (0.5, 0.0):
        seen = as_image(strokes((4, column, 6.0, opacity)), 1.0).pixelColor(round(x + LEFT), round(y))
        wanted = [255 + opacity * (channel - 255) for channel in QColor(COLOUR).toTuple()[:3]]
        assert np.allclose(seen.toTuple()[:3], wanted, atol=2)


def test_strands_beside_the_view_are_left_out(qapp: QApplication) -> None:
    """A figure that is scrolled away leaves nothing, and nothing fails."""
    for left in (-2 * WIDE, 2 * WIDE):
        assert (channels(as_image(some(81), 1.0, left)) == 255).all()
