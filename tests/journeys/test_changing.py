"""Changing what is inside a pass, as a user does it."""

import json
from pathlib import Path

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from explorer.app.pages.change_page import ChangePage
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.state.change_intents import AddChanges
from explorer.state.intents import SetText, look_at
from explorer.trace.changes import Change
from explorer.views.painting.pointed import Pointed, Spot
from explorer.views.pictures.alignment import AlignmentView
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.river import RiverView
from explorer.views.pictures.strips import StripsView
from tests.journeys.conftest import Journey
from tests.pointing import cell_on_wall, hover

SENTENCE = "她给了我一本书。"
LEFT = Qt.MouseButton.LeftButton


def view_of(window: Window, kind: type) -> QWidget:
    return next(card.view for card in window.page_stack.page.cards if isinstance(card.view, kind) and card.isVisible())


def menu_at(widget: QWidget, place: QPoint, reason: QContextMenuEvent.Reason = QContextMenuEvent.Reason.Mouse) -> QMenu:
    """The menu after a right click; without a screen it cannot pop up."""
    menu = widget.asked_menu(QContextMenuEvent(reason, place, widget.mapToGlobal(place)))  # type: ignore[attr-defined]  # a map
    assert isinstance(menu, QMenu)
    return menu


def tokens_at(view: AlignmentView, place: QPoint) -> frozenset[Spot]:
    """What the view says of a place when the mouse comes there."""
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    hover(view, place)
    view.pointed.disconnect(told.append)
    return told[-1].tokens if told else frozenset()


def entry(menu: QMenu, words: Words, key: str) -> QAction:
    """An entry of a menu or of its submenus."""
    actions = [action for each in (menu, *menu.findChildren(QMenu)) for action in each.actions()]
    return next(action for action in actions if action.text() == words(f"change.offer.{key}"))


def choose(window: Window, view: QWidget, place: QPoint, key: str) -> None:
    """Right click, and click an entry."""
    menu = menu_at(view, place)
    entry(menu, window.appearance.words, key).trigger()
    menu.deleteLater()


def cell(view: QWidget, row: int, column: int) -> QPoint:
    return view.cell_rect(row, column).center().toPoint()  # type: ignore[attr-defined]  # a map


def drag(view: QWidget, cells: list[tuple[int, int]], modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """The pen goes down at the first cell, over the others, and up."""
    places = [QPointF(cell(view, *each)) for each in cells]
    for kind, place in (
        (QEvent.Type.MouseButtonPress, places[0]),
        *((QEvent.Type.MouseMove, place) for place in places[1:]),
        (QEvent.Type.MouseButtonRelease, places[-1]),
    ):
        there = view.mapToGlobal(place)
        QApplication.sendEvent(view, QMouseEvent(kind, place, there, LEFT, LEFT, modifier))


def attention_page(journey: Journey, window: Window) -> None:
    window.go("attention")
    window.session.ask(look_at(attention="decoder.cross_attn", layer=1, head=2))
    journey.settle(window)


def test_a_cell_is_closed_by_a_right_click_and_comes_back_with_undo(journey: Journey) -> None:
    """Its weight is 0 in this head alone, the strip and every card say so, and after undo the Trace is bit-equal."""

    def script(window: Window) -> None:
        attention_page(journey, window)
        first = window.session.frame.trace
        strip = window.page_stack.above.changes
        assert strip.isHidden() and all(card.badge.isHidden() for card in window.page_stack.page.cards)
        choose(window, view_of(window, HeatmapView), cell(view_of(window, HeatmapView), 1, 0), "cell_in_head")
        journey.settle(window)

        trace = window.session.frame.trace
        weights = trace["decoder.layers.1.cross_attn.weights"]
        assert weights[2, 1, 0] == 0 and weights[2, 1].sum() == pytest.approx(1) and weights[1, 1, 0] > 0
        assert strip.isVisible() and len(strip.chips) == 1
        assert all(not card.badge.isHidden() for card in window.page_stack.page.cards if card.isVisible() and card.picture)
        window.actions_.by_name["undo"].trigger()
        journey.settle(window)
        after = window.session.frame.trace
        assert strip.isHidden() and all(np.array_equal(first[name], after[name]) for name in first.names())

    journey.run(script)


def test_a_head_of_the_wall_is_switched_off_and_on_by_its_chip(journey: Journey) -> None:
    """The thumbnail under the mouse is meant, whichever head was chosen; the chip keeps the change when it is off."""

    def script(window: Window) -> None:
        attention_page(journey, window)
        wall = view_of(window, HeadGridView)
        choose(window, wall, cell(wall, *cell_on_wall(wall, 0, 3, 1, 1)), "head_off")
        journey.settle(window)
        tap = "decoder.layers.0.cross_attn.mixed"
        assert not window.session.frame.trace[tap][3].any()
        (chip,) = window.page_stack.above.changes.chips
        QTest.mouseClick(chip.name, LEFT)
        journey.settle(window)
        assert window.session.frame.trace[tap][3].any() and window.session.frame.trace.changes == ()
        assert [change.on for change in window.session.state.wish.changes] == [False]
        assert len(window.page_stack.above.changes.chips) == 1
        QTest.mouseClick(window.page_stack.above.changes.chips[0].name, LEFT)
        journey.settle(window)
        assert not window.session.frame.trace[tap][3].any()
        QTest.mouseClick(window.page_stack.above.changes.chips[0].remove, LEFT)
        journey.settle(window)
        assert window.session.state.wish.changes == () and window.page_stack.above.changes.isHidden()

    journey.run(script)


def test_the_pencil_closes_the_cells_that_it_is_dragged_over(journey: Journey) -> None:
    """In the chosen head alone; a stroke is one row of the list and one step of undo; the last open cell of a row stays."""

    def script(window: Window) -> None:
        attention_page(journey, window)
        first = window.session.frame.trace
        tap = "decoder.layers.1.cross_attn.weights"
        n_keys = first.shape(tap)[2]
        view, page = view_of(window, HeatmapView), window.page_stack.page
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_P)
        assert page.pencil.isChecked()
        QTest.keyClick(page.map, Qt.Key.Key_Escape)
        assert not page.pencil.isChecked() and window.session.state.page == "attention"
        page.pencil.click()
        drag(view, [(0, 0), (1, 0), (1, 1), (1, 0)])
        journey.settle(window)
        weights = window.session.frame.trace[tap]
        assert weights[2, 0, 0] == weights[2, 1, 0] == weights[2, 1, 1] == 0 and weights[2].sum(-1) == pytest.approx(1)
        assert np.array_equal(weights[[0, 1, 3]], first[tap][[0, 1, 3]])
        assert len(window.page_stack.above.changes.chips) == 1 and len(window.session.state.wish.changes) == 3
        window.actions_.by_name["undo"].trigger()
        journey.settle(window)
        assert window.session.state.wish.changes == () and not window.actions_.by_name["undo"].isEnabled()

        drag(view, [(0, 0), (0, n_keys - 1)])  # A fast pen, which is seen at its ends alone.
        journey.settle(window)
        assert len(window.session.frame.trace.changes) == n_keys - 1
        assert window.appearance.words("change.last_open") in window.status.readout.text()
        assert window.session.frame.trace[tap][2, 0].max() == 1
        drag(view, [(2, 1)], Qt.KeyboardModifier.ShiftModifier)
        journey.settle(window)
        assert window.session.frame.trace[tap][2, 2, 1] == 1
        QTest.keyClick(view, Qt.Key.Key_P)
        assert not page.pencil.isChecked()
        n_changes = len(window.session.state.wish.changes)
        QTest.mouseClick(view, LEFT, pos=cell(view, 3, 0))
        assert len(window.session.state.wish.changes) == n_changes

    journey.run(script)


def test_the_menu_key_makes_the_same_menu(journey: Journey) -> None:
    """At the cell of the cursor."""

    def script(window: Window) -> None:
        attention_page(journey, window)
        view = view_of(window, HeatmapView)
        view.setFocus()
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right):
            QTest.keyClick(view, key)
        menu = menu_at(view, QPoint(), QContextMenuEvent.Reason.Keyboard)
        place = view.cell_cursor.place
        entry(menu, window.appearance.words, "cell_in_layer").trigger()
        menu.deleteLater()
        (change,) = window.session.state.wish.changes
        assert (change.rows, change.columns, change.head) == ((place[0],), (place[1],), None)

    journey.run(script)


def test_the_river_makes_the_same_menu(journey: Journey) -> None:
    """A right click on a head's tile switches it off, on a token's lane zeroes its vector; the menu key means the told pair."""

    def script(window: Window) -> None:
        window.go("overview")
        journey.settle(window)
        view = view_of(window, RiverView)
        half = view.grid.halves[0]
        _attention, room = half.slabs[0].heads[0]
        choose(window, view, QPoint(round(room.x + 3), round(room.y + 3)), "head_off")
        journey.settle(window)
        assert window.session.frame.trace.changes == (Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0),)

        half = view.grid.halves[0]  # The strip of interventions has come, and the lanes stand closer.
        choose(window, view, QPoint(round(half.label.x + 5), round(half.y(2))), "row_off")
        menu = menu_at(view, QPoint(), QContextMenuEvent.Reason.Keyboard)
        entry(menu, window.appearance.words, "cell_in_head").trigger()
        menu.deleteLater()
        journey.settle(window)
        _head, token, pair = window.session.frame.trace.changes
        assert token == Change("encoder.embedding.output", "scale", rows=(2,), value=0)
        assert (pair.kind, pair.head) == ("close", window.session.state.look.head)

    journey.run(script, "--text", SENTENCE)


def test_a_line_of_the_alignment_makes_the_same_menu(journey: Journey) -> None:
    """Of the shown head it is a cell; the menu key means the chosen token, whose vector is changed."""

    def script(window: Window) -> None:
        window.session.ask(look_at(aligned="head"))
        window.go("output")
        journey.settle(window)
        view = view_of(window, AlignmentView)
        row, column = divmod(int(np.nan_to_num(view.picture.values).argmax()), view.picture.values.shape[1])
        line, spots = view.line(row, column), frozenset({view.picture.rows.spot(row), view.picture.columns.spot(column)})
        points = (line.pointAt(share / 20).toPoint() for share in range(1, 20))  # Lines cross, and the nearest is meant.
        choose(window, view, next(each for each in points if spots <= tokens_at(view, each)), "cell_in_head")
        journey.settle(window)
        (change,) = window.session.frame.trace.changes
        assert (change.kind, change.rows, change.columns) == ("close", (row,), (column,))

        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Up)
        menu = menu_at(view, QPoint(), QContextMenuEvent.Reason.Keyboard)
        entry(menu, window.appearance.words, "row_off").trigger()
        menu.deleteLater()
        assert window.session.state.wish.changes[-1] == Change("encoder.embedding.output", "scale", rows=(0,), value=0)

    journey.run(script, "--text", SENTENCE)


def test_the_vectors_of_the_embedding_make_the_same_menu(journey: Journey) -> None:
    """The row of a token is its vector."""

    def script(window: Window) -> None:
        window.go("embedding")
        journey.settle(window)
        strips = view_of(window, StripsView)
        choose(window, strips, cell(strips, 1, 2), "row_off")
        (change,) = window.session.state.wish.changes
        assert (change.kind, change.rows) == ("scale", (1,)) and change.tap.startswith("encoder.embedding.")

    journey.run(script, "--text", SENTENCE)


def test_a_vector_is_taken_from_another_sentence(journey: Journey) -> None:
    """A dialog asks which; the row is bit-equal to that sentence's own, and a sentence that is too short springs back."""

    def script(window: Window) -> None:
        window.go("layers")
        journey.settle(window)
        strips = view_of(window, StripsView)
        serial = window.session.serial
        choose(window, strips, cell(strips, 3, 2), "row_patch")
        dialog = strips.change_menu.dialog
        dialog.setTextValue("你")
        dialog.accept()
        journey.wait(lambda: window.session.serial > serial and window.refusals.isVisible())
        journey.settle(window)
        assert window.session.state.wish.changes == () and not window.actions_.by_name["undo"].isEnabled()
        assert window.page_stack.above.changes.isHidden() and not window.page_stack.is_stale

        choose(window, strips, cell(strips, 3, 2), "row_patch")
        dialog = strips.change_menu.dialog
        dialog.setTextValue("你爱上海外滩")
        dialog.accept()
        journey.settle(window)
        (change,) = window.session.frame.trace.changes
        assert (change.kind, change.rows, change.text) == ("patch", (3,), "你爱上海外滩")
        assert "你爱上海外滩" in window.page_stack.above.changes.chips[0].name.accessibleName()

    journey.run(script, "--text", "我爱北京天安门和长城")


def test_the_page_compares_before_and_after(journey: Journey) -> None:
    """One click hides a word: the translation, its differences and three maps come. A switch of the model is a knob."""

    def script(window: Window) -> None:
        window.go("change")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, ChangePage) and not page.suggestions.isHidden() and page.compared.isHidden()
        QTest.mouseClick(page.list.hide_words.buttons[0], LEFT)
        journey.settle(window)
        picture = page.words_card.picture
        assert isinstance(picture, Rewording)
        assert picture.words[0].before == "She" != picture.words[0].after and picture.words[0].difference < -4
        assert all(card.picture is not None and card.isVisible() for card in page.maps)
        assert len(page.list.rows.rows) == 1 and len(window.session.state.wish.changes) == 3

        QTest.mouseClick(page.list.rows.rows[0].switch, LEFT)
        journey.settle(window)
        assert page.compared.isHidden() and len(page.list.rows.rows) == 1
        QTest.mouseClick(page.list.breaks["position"].switch, LEFT)
        journey.settle(window)
        assert window.session.state.wish.config.position == "none"
        assert window.session.frame.trace.target == "I gave her a book."
        differ = [(word.before, word.after) for word in page.words_card.picture.words if word.before != word.after]
        assert differ == [("She", "I"), ("me", "her")]
        for _ in range(3):
            window.actions_.by_name["undo"].trigger()
        journey.settle(window)
        assert window.session.state.wish.changes == () and window.session.frame.trace.target == "She gave me a book."

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


def test_a_change_without_a_place_waits_greyed_for_its_text(journey: Journey) -> None:
    """It says why, nothing is refused, and it is made again when the longer sentence comes back."""

    def script(window: Window) -> None:
        window.go("change")
        window.session.ask(AddChanges((Change("encoder.embedding.output", "scale", rows=(3,), value=0.0),)))
        journey.settle(window)
        assert not window.session.frame.trace["encoder.embedding.output"][3].any()
        window.session.ask(SetText("我爱"))
        journey.settle(window)
        (row,) = window.page_stack.page.list.rows.rows
        assert row.name.property("lacks") and "3" in row.name.text() and row.switch.isChecked()
        assert not window.page_stack.is_stale and window.session.frame.trace.source == "我爱"
        window.session.ask(SetText("我爱北京天安门和长城"))
        journey.settle(window)
        assert not window.session.frame.trace["encoder.embedding.output"][3].any()
        assert not window.page_stack.page.list.rows.rows[0].name.property("lacks")

    journey.run(script, "--text", "我爱北京天安门和长城")


def test_what_is_exported_says_that_it_was_changed(journey: Journey, tmp_path: Path) -> None:
    """In the figure in words, and in the file beside it as data."""

    def script(window: Window) -> None:
        attention_page(journey, window)
        off = Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
        window.session.ask(AddChanges((off,)))
        journey.settle(window)
        window.saving.export()
        (dialog,) = window.findChildren(ExportDialog)
        dialog.format.setCurrentIndex(dialog.format.findText("svg"))
        out = tmp_path / "a.svg"
        dialog.path.setText(str(out))
        dialog.start()
        journey.wait(dialog.begin.isEnabled)
        told = window.appearance.words("change.badge_about", count=1)
        assert told in out.read_text(encoding="utf-8")
        assert json.loads(out.with_name("a.svg.json").read_text(encoding="utf-8"))["changes"] == [off.to_dict()]
        dialog.reject()

    journey.run(script)


def test_the_strip_comes_and_goes_with_the_answer_unless_that_takes_long(journey: Journey) -> None:
    """A page that moves down before there is anything new on it would be painted twice, while the pass is made."""
    off = Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0.0)

    def script(window: Window) -> None:
        journey.settle(window)
        strip, session, stack = window.page_stack.above.changes, window.session, window.page_stack
        answered: list[bool] = []
        stack.drawn.connect(lambda _ms: answered.append(strip.isVisible()))
        session.ask(AddChanges((off,)))
        assert strip.isHidden()
        journey.settle(window)
        assert answered[0] and strip.isVisible()
        answered.clear()
        session.undo()
        assert strip.isVisible()
        journey.settle(window)
        assert not answered[0] and strip.isHidden()
        stack.put(attrs.evolve(session.state.wish, changes=(off,)))  # Nobody has asked for it, so there is no answer.
        journey.wait(strip.isVisible)

    journey.run(script)
