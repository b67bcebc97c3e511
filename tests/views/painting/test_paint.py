"""Images of cells have the colours of the table in either way, and a view leaves no pixel of its own unpainted."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.picture.scales import CLOSED, GAP, LEVELS, NOT_A_NUMBER, table
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.paint import colour_image
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from tests.picture.examples import heatmap, wall, words

_MARKED = QColor(255, 0, 255)  # in no picture


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("shape", [(3, 5), (97, 1), (301, 203)], ids=["few", "one column", "many"])
def test_each_cell_has_its_colour(shape: tuple[int, int], theme: Theme) -> None:
    """Few cells are looked up by NumPy and many by Qt; with rows whose length is no multiple of four."""
    index = np.random.default_rng(0).integers(0, LEVELS, shape).astype(np.uint8)
    index.flat[:3] = GAP, CLOSED, NOT_A_NUMBER
    image = colour_image(index, "cividis", theme)
    assert (image.width(), image.height()) == (shape[1], shape[0])
    drawn = _pixels(image)
    known = index < LEVELS
    assert (drawn[known] == table("cividis")[index[known]]).all()
    assert drawn.reshape(-1, 3)[0].tolist() == list(QColor(theme.card).getRgb())[:3]
    assert drawn.reshape(-1, 3)[1].tolist() == list(QColor(theme.closed).getRgb())[:3]


@pytest.mark.parametrize("seen", ["whole", "zoomed"])
@pytest.mark.parametrize("make", [lambda: _heatmap(5), lambda: _heatmap(40), lambda: _wall()], ids=["small", "large", "wall"])
def test_no_pixel_is_left_unpainted(qtbot: QtBot, make: Callable[[], Canvas], seen: str) -> None:
    """Where cells cover a view it paints no ground, so they must really cover it, in all sizes."""
    view = make()
    qtbot.addWidget(view)
    if seen == "zoomed":
        view.view = view.view.zoomed(2.3, 1.7, 1.6)
    for wide, high in ((300, 200), (301, 203), (517, 388), (60, 40)):
        view.resize(wide, high)
        assert not (_rendered(view) == _MARKED.getRgb()[:3]).all(axis=-1).any()


def test_the_check_can_fail(qtbot: QtBot) -> None:
    """What a view says to cover without painting it is found."""

    class Bare(HeatmapView):
        def covered(self) -> QRect:
            return self.rect()

    view = Bare()
    qtbot.addWidget(view)
    view.draw(heatmap(np.eye(5, dtype=np.float32)), words())
    view.resize(300, 200)
    assert (_rendered(view) == _MARKED.getRgb()[:3]).all(axis=-1).any()


def _heatmap(n: int) -> Canvas:
    view = HeatmapView()
    view.draw(heatmap(np.eye(n, dtype=np.float32), tuple(map(str, range(n)))), words())
    return view


def _wall() -> Canvas:
    view = HeadGridView()
    view.draw(wall(3, 4, 9), words())
    return view


def _rendered(view: QWidget) -> NDArray[np.uint8]:
    """[row, column, channel] a view painted over the marking colour."""
    image = QImage(view.size(), QImage.Format.Format_RGB32)
    image.fill(_MARKED)
    view.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    return _pixels(image)


def _pixels(image: QImage) -> NDArray[np.uint8]:
    """[row, column, channel] red, green and blue."""
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), -1, 4)[:, : plain.width(), :3].copy()
