"""Cells that are smaller than pixels in one direction are averaged in that direction alone."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from explorer.picture.layout.viewport import Viewport
from explorer.picture.scales import table
from explorer.picture.theme import LIGHT
from explorer.views.painting.paint import colour_image, squeezed
from explorer.views.pictures.heatmap import HeatmapView
from tests.picture.examples import heatmap, words

LEVELS = np.random.default_rng(0).integers(0, 255, (5, 256)).astype(np.uint8)


def pixels(image: QImage) -> NDArray[np.uint8]:
    """[row, column, channel] red, green and blue."""
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    drawn = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), -1, 4)
    return drawn[:, : plain.width(), :3].copy()


@pytest.mark.parametrize("across", [True, False])
def test_the_mean_of_cells_of_one_row_or_column(across: bool) -> None:
    """With a whole number of cells in a pixel; the other direction is as it was."""
    levels = LEVELS if across else LEVELS.T.copy()
    image = colour_image(levels, "blue-red", LIGHT)
    size = QSizeF(64, 300) if across else QSizeF(300, 64)
    made, seen = squeezed(image, QRectF(image.rect()), size, across=across)
    cells = pixels(image).astype(float) if across else pixels(image).astype(float).transpose(1, 0, 2)
    drawn = pixels(made).astype(float) if across else pixels(made).astype(float).transpose(1, 0, 2)
    assert drawn.shape == (5, 64, 3) and seen == QRectF(made.rect())
    assert np.abs(drawn - cells.reshape(5, 64, 4, 3).mean(axis=2)).max() <= 2
    assert np.abs(drawn[1:] - cells.reshape(5, 64, 4, 3).mean(axis=2)[:-1]).max() > 20  # so that it can fail


@pytest.mark.parametrize("wide", [148, 147, 246])
def test_sines_and_cosines_are_averaged_apart(wide: int) -> None:
    """Of 256 features every other one is the cosine of a wave: in fewer pixels both are seen, and no mean of them."""
    place, feature = np.arange(5)[:, None], np.arange(256)
    turned = place / 10_000 ** (2 * (feature // 2) / 256) + np.where(feature % 2, np.pi / 2, 0)
    image = colour_image(np.round(127 + 127 * np.sin(turned)).astype(np.uint8), "blue-red", LIGHT)
    size = QSizeF(wide, 300)
    made, seen = squeezed(image, QRectF(image.rect()), size, across=True, paired=True)
    assert made.width() == wide and seen == QRectF(made.rect())
    cells = pixels(image).astype(float)
    slow = 2 * (wide * 3 // 8)  # Behind it sines are near 0 and cosines near 1, in all places.

    def off(drawn: QImage) -> float:
        """How far the pixels of slow waves are from the colours of the last sine and the last cosine."""
        at = pixels(drawn).astype(float)
        sine, cosine = at[:, slow::2] - cells[:, 254:255], at[:, slow + 1 :: 2] - cells[:, 255:]
        return float(max(np.abs(sine).max(), np.abs(cosine).max()))

    assert off(made) < 6
    assert off(squeezed(image, QRectF(image.rect()), size, across=True)[0]) > 8  # so that it can fail


def test_a_part_of_the_cells() -> None:
    """The part stays where it was, with fractions of cells."""
    image = colour_image(LEVELS, "blue-red", LIGHT)
    made, seen = squeezed(image, QRectF(10.5, 1, 100, 3), QSizeF(50, 300), across=True)
    assert made.height() == 3 and seen.y() == 0 and seen.height() == 3
    assert seen.x() == pytest.approx(0.25, abs=0.01) and seen.width() == pytest.approx(50, abs=0.5)


def test_rows_of_a_long_map_do_not_run_into_each_other(qtbot: QtBot) -> None:
    """A row of the lowest values over one of the highest, of 600 features in 200 px: no pixel is anything in between."""
    view = HeatmapView()
    qtbot.addWidget(view)
    view.resize(300, 400)
    view.draw(heatmap(np.repeat(np.array([[0.0], [1.0]], np.float32), 600, axis=1), colours="cividis"), words())
    view.square = False
    view.view = Viewport.whole(600, 2)
    view.show()
    field, ratio = view.field(), view.devicePixelRatioF()
    assert field.height() > 100
    first, last = (round(y * ratio) for y in (field.top() + 3, field.bottom() - 3))
    column = pixels(view.grab().toImage())[first:last, round((field.left() + 40) * ratio)].astype(int)
    colours = table("cividis").astype(int)
    low, high = (np.abs(column[:, None] - ends[None]).max(axis=2).min(axis=1) for ends in (colours[:3], colours[-3:]))
    assert np.minimum(low, high).max() <= 8 and low.min() <= 8 and high.min() <= 8
