"""What stands in and below the cells of a map: numbers where there is room, and the meaning of every colour that is no data."""

import attrs
import numpy as np
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.cell_numbers import DARK_INK, LIGHT_INK
from explorer.picture.kinds import Caption, HeadGrid, Strips
from explorer.picture.theme import LIGHT
from explorer.views.painting.canvas import Canvas
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from tests.picture.examples import heatmap, wall
from tests.pixels import colours

VALUES = np.array([[0.93, 0.02], [0.5, 0.31]], np.float32)


def drawn(qtbot: QtBot, view: Canvas, picture: object, words: Words, size: tuple[int, int] = (400, 240)) -> Canvas:
    qtbot.addWidget(view)
    view.draw(picture, words)  # type: ignore[attr-defined]  # every View has it
    view.resize(*size)
    with qtbot.waitExposed(view):
        view.show()
    return view


def within(view: Canvas, row: int, column: int) -> set[str]:
    """The colours in the middle third of a cell."""
    box = view.cell_rect(row, column)
    middle = box.adjusted(box.width() / 3, box.height() / 3, -box.width() / 3, -box.height() / 3).toRect()
    return colours(view.grab(middle).toImage())


def has_colour(widget: QWidget, colour: str) -> bool:
    return QColor(colour).name() in colours(widget.grab().toImage())


def test_a_cell_with_room_has_its_number(qtbot: QtBot, words: Words) -> None:
    """In light letters on dark colours and dark letters on light ones; a narrow map has none."""
    view = drawn(qtbot, HeatmapView(), heatmap(VALUES), words)
    assert DARK_INK in within(view, 0, 0) and LIGHT_INK not in within(view, 0, 0)
    assert LIGHT_INK in within(view, 1, 1) and DARK_INK not in within(view, 1, 1)
    assert len(within(view, 0, 1)) > 1, "a small weight is written faintly"
    small = drawn(qtbot, HeatmapView(), heatmap(np.full((9, 9), 0.3, np.float32)), words, (250, 250))
    assert max(small.cell_size()) < 30 and len(within(small, 4, 4)) == 1


def test_a_closed_cell_has_no_number(qtbot: QtBot, words: Words) -> None:
    """Its hatching is its meaning."""
    closed = np.array([[False, True], [False, False]])
    view = drawn(qtbot, HeatmapView(), heatmap(np.where(closed, np.nan, VALUES), closed=closed), words)
    greys = {LIGHT.closed, LIGHT.closed_line}
    assert within(view, 0, 1) == greys
    assert not within(view, 1, 0) <= greys


def test_cells_become_wider_than_high_and_never_higher_than_wide(qtbot: QtBot, words: Words) -> None:
    """So a map uses the width of its card, up to a little more than twice its height."""
    wide = drawn(qtbot, HeatmapView(), heatmap(VALUES), words, (900, 200))
    assert wide.cell_size()[0] == pytest.approx(2.6 * wide.cell_size()[1])
    tall = drawn(qtbot, HeatmapView(), heatmap(VALUES), words, (200, 900))
    assert tall.cell_size()[0] == pytest.approx(tall.cell_size()[1])


def nan_wall() -> HeadGrid:
    """A wall with a whole row that is not a number."""
    made = wall(2, 2, 4)
    values = made.values.copy()
    values[0, 0, 1, :] = np.nan
    return attrs.evolve(made, values=values)


def test_not_a_number_has_a_legend(qtbot: QtBot, words: Words) -> None:
    """On the map, the wall and the strips: a second patch of its colour, far from the cells; without NaN there is none."""
    hole = VALUES.copy()
    hole[1, 0] = np.nan
    strips = Strips(bands=(heatmap(hole), heatmap(VALUES)), caption=Caption(title="t", tap="a", shape="[]"))
    for view, picture in ((HeatmapView(), heatmap(hole)), (HeadGridView(), nan_wall()), (StripsView(), strips)):
        there = drawn(qtbot, view, picture, words)
        below = there.grab().toImage().copy(0, int(there.field().bottom()) + 3, there.width(), 40)
        assert QColor(LIGHT.unknown).name() in colours(below), type(view).__name__
    whole = Strips(bands=(heatmap(VALUES),), caption=Caption(title="t", tap="a", shape="[]"))
    for view, picture in ((HeatmapView(), heatmap(VALUES)), (HeadGridView(), wall(2, 2, 4)), (StripsView(), whole)):
        assert not has_colour(drawn(qtbot, view, picture, words), LIGHT.unknown)


def test_a_wall_uses_a_tall_card(qtbot: QtBot, words: Words) -> None:
    """Its layers go on in further lines, the thumbnails grow, and a click still chooses the head that is seen."""
    view = HeadGridView()
    drawn(qtbot, view, attrs.evolve(wall(6, 8, 5), chosen=(0, 0)), words, (400, 1200))
    made = view.atlas
    assert made is not None and made.is_folded
    assert view.field().height() > 0.6 * 1200
    for layer, head in ((0, 0), (3, 6), (5, 7)):
        with qtbot.waitSignal(view.chosen) as chosen:
            row, column = made.corner(layer, head)
            view.chosen_at(row + 2, column + 2)
        assert chosen.args == [layer, head]
        assert f"L{layer} H{head}" in view.describe(row + 2, column + 2).text
    view.resize(1200, 500)
    assert view.atlas is not None and not view.atlas.is_folded
