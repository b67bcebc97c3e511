"""The cursor of a map: keys, clicks, menus, and what is read aloud."""

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.makers.attention import head_map, head_wall, mask_map, part_strips, step_self
from explorer.picture.theme import LIGHT
from explorer.state.look import Look
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from explorer.views.painting.walked_canvas import WalkedCanvas
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from tests.pointing import hover

LOOK = Look(attention="decoder.self_attn", layer=1, head=2)
KEYS = Qt.Key


def shown(qtbot: QtBot, view: WalkedCanvas, picture: object, words: Words) -> WalkedCanvas:
    view.draw(picture, words)  # type: ignore[attr-defined]  # every view has it
    qtbot.addWidget(view)
    view.resize(460, 420)
    with qtbot.waitExposed(view):
        view.show()
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    return view


def press(view: WalkedCanvas, *keys: Qt.Key, shift: bool = False) -> None:
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    for key in keys:
        QTest.keyClick(view, key, held)  # type: ignore[call-overload]


def test_arrow_keys_walk_from_cell_to_cell(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """The first one shows the cursor, the others move it, and it stops at the border."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    assert view.cell_cursor.place is None
    press(view, KEYS.Key_Down)
    assert view.cell_cursor.place == (0, 0)
    press(view, KEYS.Key_Down, KEYS.Key_Right, KEYS.Key_Down)
    assert view.cell_cursor.place == (2, 1)
    press(view, *[KEYS.Key_Down] * 9, *[KEYS.Key_Left] * 9)
    assert view.cell_cursor.place == (3, 0)


def test_the_cursor_says_value_tokens_and_arithmetic(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """In the status line and to a screen reader, and its tokens light up; the same that is said under the mouse."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    told: list[object] = []
    view.pointed.connect(told.append)
    press(view, KEYS.Key_Down, KEYS.Key_Down, KEYS.Key_Down)
    pointed = told[-1]
    masked = trace["decoder.layers.1.self_attn.masked"][2, 2]
    weight = trace["decoder.layers.1.self_attn.weights"][2, 2, 0]

    assert pointed == view.describe(2, 0)
    for part in (f"{weight:.4g}", "北京", "我", "e^", f"{abs(masked[0]):.3g}", "decoder.layers.1.self_attn.weights"):
        assert part in pointed.text  # type: ignore[attr-defined]
    assert view.accessibleDescription() == pointed.text  # type: ignore[attr-defined]
    assert pointed.tokens == {("target", 2), ("target", 0)}  # type: ignore[attr-defined]


def test_the_tooltip_has_three_lines_and_no_arithmetic(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Value, tokens, tap with the way to follow the cell: it covers little of the map."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    hover(view, view.cell_rect(2, 1).center().toPoint())
    lines = QToolTip.text().split("\n")

    assert len(lines) == 3 and "e^" not in QToolTip.text()
    assert lines[0] == f"{trace['decoder.layers.1.self_attn.weights'][2, 2, 1]:.4g}"
    assert lines[2].startswith("decoder.layers.1.self_attn.weights") and lines[2].endswith(words("follow.how"))
    QToolTip.hideText()


def test_a_key_takes_the_place_of_the_mouse(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """The cursor appears under it, and then the map shows one place and says nothing of the other."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    hover(view, view.cell_rect(2, 1).center().toPoint())
    press(view, KEYS.Key_Up)
    assert view.cell_cursor.place == (2, 1) and view.here is None
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_a_new_picture_is_told_with_the_cursors_cell(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """The cursor stays where it is while there is such a cell, and goes with a smaller map."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    press(view, KEYS.Key_Down, KEYS.Key_Down)
    view.draw(head_map(trace, Look(head=3), words), words)
    assert view.cell_cursor.place == (1, 0)
    assert view.accessibleDescription().startswith(view.describe(1, 0).text)
    small = head_map(trace, LOOK, words)
    values = np.zeros((1, 1), np.float32)
    view.draw(attrs.evolve(small, values=values, closed=None, made_of=None, recorded=None), words)
    assert view.cell_cursor.place is None


def test_enter_follows_the_cell_at_the_cursor(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Without a cursor it opens the picture's page, as before."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    with qtbot.waitSignal(view.opened), qtbot.assertNotEmitted(view.followed):
        press(view, KEYS.Key_Return)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(3, 1).center().toPoint())
    with qtbot.waitSignal(view.followed) as followed, qtbot.assertNotEmitted(view.opened):
        press(view, KEYS.Key_Return)
    assert followed.args == [Cell("decoder.self_attn", 1, 2, 3, 1)]


def test_what_is_no_attention_is_not_followed(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """A mask has no numbers that lead to it; nor has the mean of the heads, while each head has."""
    mask = shown(qtbot, HeatmapView(), mask_map(trace, LOOK, words), words)
    press(mask, KEYS.Key_Down)
    with qtbot.waitSignal(mask.opened):
        press(mask, KEYS.Key_Return)
    assert words("follow.how") not in mask.describe(0, 0).tip
    heads = HeatmapView()
    heads.draw(step_self(trace, Look(layer=1, position=2), words), words)
    assert heads.cell_to_follow(3, 1) == Cell("decoder.self_attn", 1, 3, 2, 1)
    assert heads.cell_to_follow(4, 1) is None
    heads.follows = False
    assert heads.cell_to_follow(3, 1) is None
    heads.deleteLater()


@pytest.mark.parametrize("by_mouse", [True, False])
def test_the_menu_of_a_cell_follows_it(qtbot: QtBot, trace: Trace, words: Words, by_mouse: bool) -> None:
    """Of the cell under the mouse, or, by the menu key, of that at the cursor."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    view.cell_cursor.put(1, 0)
    place = view.cell_rect(2, 2).center().toPoint() if by_mouse else QPoint(1, 1)
    reason = QContextMenuEvent.Reason.Mouse if by_mouse else QContextMenuEvent.Reason.Keyboard
    cell = view.asked_cell(QContextMenuEvent(reason, place, view.mapToGlobal(place)))
    assert cell is not None
    menu = view.menu(cell)
    action, *_changes = menu.actions()
    assert action.text() == words("follow.this")
    with qtbot.waitSignal(view.followed) as followed:
        action.trigger()
    assert followed.args == [Cell("decoder.self_attn", 1, 2, *((2, 2) if by_mouse else (1, 0)))]
    menu.deleteLater()
    gap = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(1, 1), view.mapToGlobal(QPoint(1, 1)))
    assert view.asked_cell(gap) is None


def test_on_the_wall_shift_walks_in_the_chosen_head(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Without it arrow keys choose heads; the cursor goes along to the next head, at the same cell."""
    view = shown(qtbot, HeadGridView(), head_wall(trace, LOOK, words), words)
    press(view, KEYS.Key_Down, KEYS.Key_Down, KEYS.Key_Right, KEYS.Key_Down, shift=True)
    assert view.cell_cursor.place == (2, 1)
    assert "e^" in view.accessibleDescription() and "北京" in view.accessibleDescription()
    assert "e^" not in view.describe(*view.under_cursor(2, 1)).tip
    with qtbot.waitSignal(view.followed) as followed:
        press(view, KEYS.Key_Return)
    assert followed.args == [Cell("decoder.self_attn", 1, 2, 2, 1)]
    with qtbot.waitSignal(view.chosen) as chosen:
        press(view, KEYS.Key_Left)
    assert chosen.args == [1, 1]
    view.draw(head_wall(trace, Look(attention="decoder.self_attn", layer=0, head=3), words), words)
    with qtbot.waitSignal(view.followed) as followed:
        press(view, KEYS.Key_Return)
    assert followed.args == [Cell("decoder.self_attn", 0, 3, 2, 1)]
    press(view, *[KEYS.Key_Down] * 9, shift=True)
    assert view.cell_cursor.place == (3, 1)


def test_on_a_sorted_wall_arrow_keys_go_to_the_thumbnail_beside(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """In the order of the measure, whatever the layer; at the border they stay."""
    look = attrs.evolve(LOOK, measure="entropy", head_order="measure")
    picture = head_wall(trace, look, words)
    assert picture.measured is not None
    order = [divmod(place, picture.values.shape[1]) for place in picture.measured.order]
    second = attrs.evolve(look, layer=order[1][0], head=order[1][1])
    view = shown(qtbot, HeadGridView(), head_wall(trace, second, words), words)
    for key, wanted in ((KEYS.Key_Left, order[0]), (KEYS.Key_Right, order[2])):
        with qtbot.waitSignal(view.chosen) as chosen:
            press(view, key)
        assert tuple(chosen.args) == wanted
    with qtbot.assertNotEmitted(view.chosen):
        press(view, KEYS.Key_Up)


def test_a_thumbnail_tells_its_measure(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """In its tooltip, in the status line, to a screen reader, and above itself in px."""
    look = attrs.evolve(LOOK, measure="previous")
    picture, plain = head_wall(trace, look, words), head_wall(trace, LOOK, words)
    view = shown(qtbot, HeadGridView(), picture, words)
    assert isinstance(view, HeadGridView) and picture.measured is not None
    told = picture.measured.told(1, 2, words)
    pointed = view.describe(*view.under_cursor(2, 1))
    assert told in pointed.tip and told in pointed.text and told in view.accessibleDescription()
    measured = view.grab().toImage()
    view.draw(plain, words)
    assert view.grab().toImage() != measured


def test_a_click_on_a_thumbnail_puts_the_cursor_into_it(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """At the cell that was clicked, of the head that is chosen by the same click."""
    view = shown(qtbot, HeadGridView(), head_wall(trace, LOOK, words), words)
    assert isinstance(view, HeadGridView) and view.atlas is not None
    top, left = view.atlas.corner(1, 2)
    place = view.cell_rect(top + 3, left + 1).center().toPoint()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert view.cell_cursor.place == (3, 1)


def test_strips_are_walked_too(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Their cells are read aloud, and none is followed."""
    view = shown(qtbot, StripsView(), part_strips(trace, LOOK, words), words)
    press(view, KEYS.Key_Right, KEYS.Key_Right)
    assert view.cell_cursor.place == (0, 1)
    assert "decoder.layers.1.self_attn.query" in view.accessibleDescription()
    with qtbot.waitSignal(view.opened):
        press(view, KEYS.Key_Return)


def test_a_zoomed_map_moves_with_its_cursor(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """So that the cell that is told is in sight."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)
    view.view = view.view.zoomed(0, 0, 2)
    press(view, *[KEYS.Key_Down] * 5, *[KEYS.Key_Right] * 4)
    row, column = view.cell_cursor.place or (-1, -1)
    assert (row, column) == (3, 3)
    assert view.view.top <= row and row + 1 <= view.view.bottom + 1e-9
    assert view.view.left <= column and column + 1 <= view.view.right + 1e-9


def test_the_cursor_is_seen_while_the_view_has_the_focus(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """A frame in the accent; without the focus none, so that only one cursor is on a page."""
    view = shown(qtbot, HeatmapView(), head_map(trace, LOOK, words), words)

    def framed() -> bool:
        image, cell = view.grab().toImage(), view.cell_rect(2, 1)
        return image.pixelColor(round(cell.left()), round(cell.center().y())).name() == LIGHT.accent

    view.cell_cursor.put(2, 1)
    view.update()
    assert framed()
    view.clearFocus()
    assert not framed()
