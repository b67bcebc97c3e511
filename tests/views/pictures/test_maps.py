"""Maps on screen: their colours, their mouse, their keys."""

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.attention import head_map, head_wall, mask_map, step_cross
from explorer.picture.makers.embedding import sum_strips
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.picture.makers.taps import tap_list
from explorer.picture.scales import indices, table
from explorer.picture.theme import DARK, LIGHT
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.tap_table import TapTableView
from tests.pointing import turn_wheel
from tests.trace.foreign import NAMES, foreign_trace


def _shown(qtbot: QtBot, view: Canvas, width: int = 420, height: int = 400) -> Canvas:
    qtbot.addWidget(view)
    view.resize(width, height)
    with qtbot.waitExposed(view):
        view.show()
    return view


def _colour_at(view: Canvas, row: int, column: int) -> QColor:
    """Of a cell, beside the number in its middle."""
    box = view.cell_rect(row, column)
    beside = QPointF(box.left() + box.width() / 2, box.top() + box.height() / 8)
    return view.grab().toImage().pixelColor(beside.toPoint())


def assert_same_colour(wanted: tuple[int, ...], got: QColor) -> None:
    """Each channel by its absolute difference, so that darker fails as well as lighter."""
    assert all(abs(one - other) <= 2 for one, other in zip(wanted, got.toTuple()[:3], strict=True)), (wanted, got)


@pytest.mark.parametrize("wrong", [QColor(0, 0, 0), QColor(255, 255, 255), QColor(120, 120, 124)])
def test_the_comparer_of_colours_can_fail(wrong: QColor) -> None:
    """Black, white and a neighbour of grey are all told from grey."""
    with pytest.raises(AssertionError):
        assert_same_colour((120, 120, 120), wrong)


def test_each_cell_has_the_colour_of_its_value(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """The pixel in the middle of each cell is that of the colour table."""
    picture = head_map(trace, Look(head=1), words)
    view = HeatmapView()
    view.draw(picture, words)
    _shown(qtbot, view)
    colours = table("cividis")[indices(picture.values, picture.scale)]
    for row, column in np.ndindex(4, 4):
        assert_same_colour(tuple(int(c) for c in colours[row, column]), _colour_at(view, row, column))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_closed_cell_has_no_data_colour(qtbot: QtBot, trace: Trace, words: Words, theme: object) -> None:
    """Masked cells show hatching in the theme's own greys, open ones the colour of an open cell."""
    view = HeatmapView()
    view.set_theme(theme)  # type: ignore[arg-type]
    view.draw(mask_map(trace, Look(attention="decoder.self_attn"), words), words)
    _shown(qtbot, view)
    greys = {QColor(theme.closed).name(), QColor(theme.closed_line).name()}  # type: ignore[attr-defined]

    assert _colour_at(view, 0, 3).name() in greys
    assert_same_colour(tuple(int(c) for c in table("open")[0]), _colour_at(view, 3, 0))


def test_the_wheel_zooms_and_double_click_fits(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """A notch shows fewer cells around the mouse, a double click all of them again."""
    view = HeatmapView()
    view.draw(head_map(trace, Look(), words), words)
    _shown(qtbot, view)
    place = view.cell_rect(2, 2).center()
    turn_wheel(view, place, 240)
    assert not view.view.is_whole
    assert view.cell_rect(2, 2).contains(place)

    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert view.view.is_whole


def test_dragging_pans_a_zoomed_map(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """The cell that was grabbed stays under the mouse; the drag chooses nothing."""
    view = StripsView()
    view.draw(sum_strips(trace, Look(), words), words)
    _shown(qtbot, view)
    view.view = view.view.zoomed(100, 2, 4)
    start = view.field().center().toPoint()
    before = view.cell_at(QPointF(start))
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for step in (10, 30):
        QTest.mouseMove(view, start + QPoint(step, 0))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(30, 0))
    after = view.cell_at(QPointF(start + QPoint(30, 0)))

    assert before is not None and after is not None
    assert abs(before[1] - after[1]) < 0.01


def test_keys_zoom_and_fit(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Plus and minus zoom, zero fits, Enter asks for the page."""
    view = HeatmapView()
    view.draw(head_map(trace, Look(), words), words)
    _shown(qtbot, view)
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert not view.view.is_whole
    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.view.is_whole
    with qtbot.waitSignal(view.opened):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_a_click_chooses_the_head_under_the_mouse(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """The thumbnail of layer 1, head 3 gives just that; the gap between thumbnails nothing."""
    view = HeadGridView()
    view.draw(head_wall(trace, Look(), words), words)
    _shown(qtbot, view, 700, 400)
    assert view.atlas is not None
    row, column = view.atlas.pitch_rows + 1, 3 * view.atlas.pitch_columns + 2
    with qtbot.waitSignal(view.chosen) as chosen:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(row, column).center().toPoint())
    assert [1, 3] == chosen.args

    gap = view.cell_rect(0, view.atlas.n_columns).center().toPoint()
    with qtbot.assertNotEmitted(view.chosen):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=gap)


def test_a_cell_describes_itself(trace: Trace, words: Words) -> None:
    """Value, both tokens, tap and shape are in the hover text; the tokens are those that light up."""
    view = HeatmapView()
    view.draw(head_map(trace, Look(), words), words)
    pointed = view.describe(1, 2)

    value = float(trace["encoder.layers.0.self_attn.weights"][0, 1, 2])
    assert f"{value:.4g}" in pointed.text
    for part in ("爱", "北京", "encoder.layers.0.self_attn.weights", "[head 4, query 4, key 4]"):
        assert part in pointed.text
    assert Pointed(pointed.text, frozenset({("source", 1), ("source", 2)})) == pointed


def test_a_new_text_of_the_same_length_keeps_the_zoom(trace: Trace, words: Words) -> None:
    """Another picture of the same size leaves the view where it is, a larger one is fitted."""
    view = HeatmapView()
    picture = head_map(trace, Look(), words)
    view.draw(picture, words)
    view.view = zoomed = view.view.zoomed(1, 1, 2)
    view.draw(head_map(trace, Look(head=2), words), words)
    assert zoomed == view.view

    larger = attrs.evolve(
        picture,
        values=np.zeros((5, 5), np.float32),
        rows=attrs.evolve(picture.rows, labels=tuple("abcde")),
        columns=attrs.evolve(picture.columns, labels=tuple("abcde")),
    )
    assert isinstance(larger, Heatmap)
    view.draw(larger, words)
    assert view.view.is_whole


def test_a_map_of_heads_takes_all_the_room(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Between tokens cells are square; heads are no tokens, and a long sentence must not make their rows thin."""
    square, filled = HeatmapView(), HeatmapView()
    square.draw(head_map(trace, Look(), words), words)
    filled.draw(step_cross(trace, Look(), words), words)
    for view in (square, filled):
        _shown(qtbot, view, 300, 500)
    wide, high = square.cell_size()
    assert abs(wide - high) < 0.01
    _left, top, _right, bottom = filled.margins()
    assert abs(filled.field().height() - (500 - top - bottom)) < 0.01
    assert bottom > 20  # the names of the axes stand there


def test_taps_of_unknown_names_are_listed_and_drawn(qtbot: QtBot) -> None:
    """The inspector's table has a line for each of them, and its map can be painted."""
    trace, words = foreign_trace(), Words.load("en")
    table, view = TapTableView(), HeatmapView()
    for widget in (table, view):
        qtbot.addWidget(widget)
    table.draw(tap_list(trace), words)
    shown = table.table.model()

    assert [shown.index(row, 0).data() for row in range(shown.rowCount())] == list(NAMES)
    assert shown.index(0, 1).data() == "3×6"
    for name in NAMES:
        view.draw(tap_heatmap(trace, name, Look(), words), words)
        view.resize(400, 300)
        assert not view.grab().isNull()
