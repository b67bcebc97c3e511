"""Large maps on screen: what is painted is the maximum of what each pixel stands for, and zooming in shows the cells."""

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, HeadGrid, Heatmap, LargeWall, Strips
from explorer.picture.scales import CENTRED, Scale, table
from explorer.picture.theme import LIGHT
from explorer.trace.levels import Levels, closed_levels, levels
from explorer.views.painting.canvas import Canvas
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from tests.pixels import numbers

UNIT = Scale(0.0, 1.0, "cividis")
N = 900


def caption() -> Caption:
    return Caption(title="weights", tap="decoder.layers.0.self_attn.weights", shape="[]")


def axis(n: int = N) -> Axis:
    return Axis("query", tuple(f"词{place}" for place in range(n)), "source")


def one_bright(row: int, column: int) -> Levels:
    values = np.zeros((N, N), np.float32)
    values[row, column] = 1
    return levels(values, signed=False)


def a_map(made: Levels) -> Heatmap:
    return Heatmap(values=made.arrays[0], rows=axis(), columns=axis(), scale=UNIT, caption=caption(), levels=made)


def shown(qtbot: QtBot, view: Canvas) -> Canvas:
    qtbot.addWidget(view)
    view.resize(420, 400)
    with qtbot.waitExposed(view):
        view.show()
    return view


def bright_pixels(view: Canvas) -> list[tuple[float, float]]:
    """Row and column of the map under each pixel of the scale's last colour, inside the cells."""
    image, field = view.grab().toImage(), view.field().toRect()
    red, green, blue = (int(channel) for channel in table("cividis")[-1])
    found = []
    for y, x in np.argwhere(numbers(image.copy(field)) == (red << 16 | green << 8 | blue)).tolist():
        at = view.cell_at(QPointF(field.left() + x + 0.5, field.top() + y + 0.5))
        assert at is not None
        found.append(at)
    return found


@pytest.mark.parametrize("place", [(0, 0), (613, 257), (899, 899)])
def test_one_bright_cell_of_a_million_is_seen(qtbot: QtBot, words: Words, place: tuple[int, int]) -> None:
    """From far away at least as a pixel, near its place."""
    view = shown(qtbot, HeatmapView())
    view.draw(a_map(one_bright(*place)), words)  # type: ignore[attr-defined]  # a HeatmapView
    found = bright_pixels(view)

    assert found
    assert all(abs(row - place[0]) <= 8 and abs(column - place[1]) <= 8 for row, column in found)


def test_close_by_it_is_the_cell_itself(qtbot: QtBot, words: Words) -> None:
    """And nothing but it."""
    view = shown(qtbot, HeatmapView())
    view.draw(a_map(one_bright(613, 257)), words)  # type: ignore[attr-defined]  # a HeatmapView
    for _ in range(40):
        view.view = view.view.zoomed(257.5, 613.5, 1.25)
    found = bright_pixels(view)

    assert found
    assert {(int(row), int(column)) for row, column in found} == {(613, 257)}


def test_another_theme_paints_it_anew(qtbot: QtBot, words: Words) -> None:
    """Closed cells take the theme's grey, at any distance."""
    view = shown(qtbot, HeatmapView())
    mask = closed_levels(np.triu(np.ones((N, N), bool), 1))
    made = levels(np.zeros((N, N), np.float32), mask, signed=False)
    view.draw(a_map(made), words)  # type: ignore[attr-defined]  # a HeatmapView
    corner = view.cell_rect(20, N - 20).center().toPoint()

    assert view.grab().toImage().pixelColor(corner) == QColor(LIGHT.closed)


def a_wall(close: dict[tuple[int, int], Levels]) -> HeadGrid:
    """Two layers of three heads in blocks of four; each block of head h has the value h / 3."""
    blocks = np.broadcast_to(np.arange(3, dtype=np.float32)[:, None, None] / 3, (3, N // 4, N // 4)).copy()
    layers = tuple(levels(blocks.copy(), signed=False, block=4, shape=(N, N)) for _ in range(2))
    return HeadGrid(
        values=np.stack([each.arrays[2] for each in layers]),
        block=16,
        large=LargeWall(layers, close),
        rows=axis(),
        columns=axis(),
        scale=UNIT,
        caption=caption(),
        layers=(0, 1),
        chosen=(0, 0),
    )


def test_a_wall_asks_for_the_cells_of_the_head_that_is_zoomed_into(qtbot: QtBot, words: Words) -> None:
    """Not while all heads are in sight; once it has them it asks no more, and tells true cells."""
    view = HeadGridView()
    shown(qtbot, view)
    view.draw(a_wall({}), words)
    wanted: list[list[tuple[int, int]]] = []
    view.wanted.connect(wanted.append)
    place = N + N // 8 + 300, 200  # head 1 of layer 0: row 200, column 300
    view.fit()
    assert wanted == []
    view.setFocus()
    for _ in range(18):
        view.view = view.view.zoomed(*place, 1.25)
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert wanted and wanted[-1] == [(0, 1)]
    assert "196–199" in view.describe(199, place[0]).text or "200–203" in view.describe(200, place[0]).text

    wanted.clear()
    view.draw(a_wall({(0, 1): one_bright(200, 300)}), words)
    QTest.keyClick(view, Qt.Key.Key_Minus)
    assert wanted == []
    told = view.describe(200, place[0] - (N // 8 - round(N / 8)))
    assert "query 200 词200" in told.text


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("n", [100, 333])
@pytest.mark.parametrize("stretch", [1.0, 2.4])
def test_heads_that_are_painted_together_are_those_that_are_painted_alone(
    qtbot: QtBot, words: Words, monkeypatch: pytest.MonkeyPatch, signed: bool, n: int, stretch: float
) -> None:
    """Every pixel, with a mask, with a head whose single cells are there, and with heads that are partly out of sight."""
    numbers_, mask = np.random.default_rng(0), closed_levels(np.triu(np.ones((n, n), bool), 1))
    layers = []
    for _ in range(3):
        drawn = numbers_.standard_normal((4, n, n)).astype(np.float32)
        layers.append(levels(drawn if signed else np.tril(np.abs(drawn) / 3), mask, signed=signed))
    picture = HeadGrid(
        values=np.stack([each.arrays[-1] for each in layers]),
        block=2 ** (len(layers[0].arrays) - 1),
        large=LargeWall(tuple(layers), {(1, 2): layers[1].of(2)}),
        rows=axis(n),
        columns=axis(n),
        scale=Scale(-2.0, 2.0, CENTRED[0]) if signed else UNIT,
        caption=caption(),
        layers=(0, 1, 2),
        chosen=(0, 0),
    )
    view = HeadGridView()
    monkeypatch.setattr("explorer.views.pictures.head_grid.wall_stretch", lambda _shape: stretch)
    shown(qtbot, view)
    together: list[int] = []
    paint_heads = HeadGridView.paint_heads

    def counted(view: HeadGridView, *given: Any) -> None:
        together.append(1)
        paint_heads(view, *given)

    monkeypatch.setattr(HeadGridView, "paint_heads", counted)
    for zooms in range(3):
        view.fit()
        for _ in range(zooms):
            view.view = view.view.zoomed(0, 0, 1.25)
        view.draw(picture, words)  # What was painted before is forgotten.
        fast = numbers(view.grab().toImage())
        n_together = len(together)
        with monkeypatch.context() as patch:
            patch.setattr(HeadGridView, "_are_whole", lambda *_: False)
            view.draw(picture, words)
            slow = numbers(view.grab().toImage())
        assert len(together) == n_together
        assert (fast == slow).all()
    assert together


def test_strips_of_thousands_of_rows_are_painted_from_levels(qtbot: QtBot, words: Words) -> None:
    """Each band in its own columns."""
    band = a_map(one_bright(450, 30))
    view = shown(qtbot, StripsView())
    view.draw(Strips(bands=(band, a_map(levels(np.zeros((N, N), np.float32), signed=False))), caption=caption()), words)  # type: ignore[attr-defined]  # a StripsView
    found = bright_pixels(view)

    assert found
    assert all(abs(row - 450) < 10 and abs(column - 30) < 16 for row, column in found)
