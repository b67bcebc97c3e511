"""The wall of all heads says whose each thumbnail is."""

import attrs
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.wall import thumbnail
from explorer.picture.marks import Label
from explorer.views.pictures.head_grid import HeadGridView
from tests.picture.examples import wall


@pytest.mark.parametrize("size", [(560, 270), (350, 110), (420, 160), (300, 700)])
@pytest.mark.parametrize("shape", [(25, 47), (10, 5)])
def test_every_thumbnail_has_a_name(size: tuple[int, int], shape: tuple[int, int], qtbot: QtBot, words: Words) -> None:
    """In a wall that is folded above each, else layers at the left and heads above; of a long sentence and in little room."""
    picture = wall(3, 8, 4)
    axes = {name: attrs.evolve(picture.rows, labels=("a",) * n) for name, n in zip(("rows", "columns"), shape, strict=True)}
    values = np.zeros((3, 8, *shape), np.float32)
    view = HeadGridView()
    qtbot.addWidget(view)
    view.resize(*size)
    view.draw(attrs.evolve(picture, values=values, closed=None, **axes), words)
    sketch = Sketch(view.theme, "", view.measure)
    view.draw_around(sketch, view.cells)

    told = {mark.text for mark in sketch.marks if isinstance(mark, Label)}
    plain = {f"L{layer}" for layer in range(3)} <= told and {"H0", "H2"} <= told
    assert plain or {f"L{layer} H{head}" for layer in range(3) for head in range(8)} <= told


@pytest.mark.parametrize("size", [(560, 270), (900, 160), (300, 700)])
@pytest.mark.parametrize("shape", [(10, 10), (10, 5), (5, 20)])
@pytest.mark.parametrize("heads", [1, 8])
def test_a_thumbnail_has_the_shape_of_its_head(
    size: tuple[int, int], shape: tuple[int, int], heads: int, qtbot: QtBot, words: Words
) -> None:
    """A single head in a wide room was three times as wide as high. One of few keys may become a square, and no wider."""
    picture = wall(1, heads, 4)
    axes = {name: attrs.evolve(picture.rows, labels=("a",) * n) for name, n in zip(("rows", "columns"), shape, strict=True)}
    view = HeadGridView()
    qtbot.addWidget(view)
    view.resize(*size)
    view.draw(attrs.evolve(picture, values=np.zeros((1, heads, *shape), np.float32), closed=None, **axes), words)
    box = thumbnail(view.atlas, view.cells, 0, 0)
    assert box.wide / box.high <= max(1.0, shape[1] / shape[0]) * 1.05
