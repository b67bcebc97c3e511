"""Following one number, as a user does it."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.pages.follow_page import FollowPage
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.picture.kinds import Follow
from explorer.state.intents import SetKnob, SetText, look_at
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from tests.journeys.conftest import Journey
from tests.picture.figure.test_png import played
from tests.pointing import cell_on_wall
from tests.sweeps import sweep

KEYS = Qt.Key
PRESETS = ("translator", "tiny", "tutorial-b", "tutorial-c", "tutorial-e")


def following(window: Window) -> FollowPage:
    page = window.page_stack.page
    assert isinstance(page, FollowPage)
    return page


def followed(window: Window) -> Follow:
    picture = following(window).shown.picture
    assert isinstance(picture, Follow)
    return picture


def test_a_cell_of_a_map_is_followed_by_keyboard_and_left_again(journey: Journey) -> None:
    """Arrow keys walk, Enter follows, Esc comes back to the page where one was, twice from a beat."""

    def script(window: Window) -> None:
        window.go("attention")
        window.session.ask(look_at(attention="decoder.self_attn", layer=1, head=2))
        journey.settle(window)
        serial = window.session.serial
        view = next(c.view for c in window.page_stack.page.cards if isinstance(c.view, HeatmapView))
        view.setFocus()
        for key in (KEYS.Key_Down, KEYS.Key_Down, KEYS.Key_Down, KEYS.Key_Right):
            QTest.keyClick(view, key)  # type: ignore[call-overload]
        assert "北京" in window.status.readout.text() and "e^" in window.status.readout.text()
        QTest.keyClick(view, KEYS.Key_Return)
        page, look = following(window), window.session.state.look
        assert (look.layer, look.head, look.cell_query, look.cell_key) == (1, 2, 2, 1)
        made = followed(window).followed
        weight = window.session.frame.trace["decoder.layers.1.self_attn.weights"][2, 2, 1]
        assert made.weights[1] == weight and f"{weight:.3f}" in page.shown.title.text()
        assert page.map.cell_cursor.place == (2, 1)
        assert page.focusWidget() is page.view  # keys work at once
        page.view.setFocus()
        for _ in range(4):
            QTest.keyClick(page.view, KEYS.Key_Right)
        assert "masked[2, 2, 1]" in repr(page.view.sketch().marks)
        QTest.keyClick(page.view, KEYS.Key_Escape)
        assert window.page_stack.page is page
        QTest.keyClick(page.view, KEYS.Key_Escape)
        assert window.page_stack.page.key == "attention"
        assert serial == window.session.serial  # nothing was computed for it

    journey.run(script)


def test_a_cell_of_the_wall_is_followed(journey: Journey) -> None:
    """In the thumbnail that was clicked, whichever head was chosen before."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        wall = next(c.view for c in window.page_stack.page.cards if isinstance(c.view, HeadGridView))
        place = wall.cell_rect(*cell_on_wall(wall, 1, 3, 3, 1))
        QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=place.center().toPoint())
        QTest.keyClick(wall, KEYS.Key_Return)
        cell = followed(window).followed.cell
        assert (cell.layer, cell.head, cell.query, cell.key) == (1, 3, 3, 1)

    journey.run(script)


@pytest.mark.parametrize(
    "preset", sweep(["translator", "tiny", "tutorial-b", "tutorial-c", "tutorial-e"], telling=["translator"])
)
def test_from_the_header_a_telling_cell_is_followed(journey: Journey, preset: str) -> None:
    """Of any model; attention, layer, head and cell are chosen on the page, and what is shown is what was recorded."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("follow")
        journey.settle(window)
        page, trace = following(window), window.session.frame.trace
        for attention in trace.card.attentions:
            window.session.ask(look_at(attention=attention))
            page.layer.setValue(trace.card.side(attention).n_layers - 1)
            page.head.setValue(1)
            made = followed(window).followed
            assert (made.cell.attention, made.cell.layer, made.cell.head) == (attention, page.layer.value(), page.head.value())
            assert made.differs == frozenset()
            np.testing.assert_array_equal(made.weights, trace[made.cell.tap("weights")][made.cell.head, made.cell.query])
        place = page.map.cell_rect(0, 0).center().toPoint()
        QTest.mouseClick(page.map, Qt.MouseButton.LeftButton, pos=place)
        assert (followed(window).followed.cell.query, followed(window).followed.cell.key) == (0, 0)

    journey.run(script, "--preset", preset)


def test_a_keystroke_and_a_knob_change_what_is_followed(journey: Journey) -> None:
    """The chosen cell stays while there is such a cell; the temperature is in the division."""

    def script(window: Window) -> None:
        window.go("follow")
        window.session.ask(look_at(attention="encoder.self_attn", cell_query=3, cell_key=2))
        journey.settle(window)
        following(window).view.open_beat(2)
        window.session.ask(SetKnob("temperature", 0.5))
        journey.settle(window)
        assert followed(window).followed.temperature == 0.5
        assert "÷ 0.5" in repr(following(window).view.sketch().marks)
        window.session.ask(SetText("我爱"))
        journey.settle(window)
        assert window.session.state.look.cell_query == -1
        assert followed(window).followed.n_keys == 2

    journey.run(script)


def test_the_page_plays_and_is_saved(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """The transport follows the view; the export dialog offers the film besides the sheet and the tables."""

    def script(window: Window) -> None:
        window.go("follow")
        journey.settle(window)
        page = following(window)
        page.transport.play.click()
        assert page.view.playing and page.transport.play.sign == "pause"
        journey.wait(lambda: page.transport.bar.time > 0.05)
        page.transport.play.click()
        assert not page.view.playing and page.transport.play.sign == "play"
        window.actions_.by_name["export"].trigger()
        (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog) and w.isVisible()]
        dialog.what.setCurrentIndex(dialog.what.findData("film"))
        dialog.format.setCurrentIndex(dialog.format.findText("apng"))
        dialog.path.setText(str(tmp_path / "run.apng"))
        dialog.width_px.setValue(120)
        dialog.start()
        qtbot.waitUntil(lambda: dialog.begin.isEnabled(), timeout=60_000)
        assert str(tmp_path / "run.apng") in dialog.message.text()
        dialog.reject()

    journey.run(script)
    assert len(played((tmp_path / "run.apng").read_bytes())) > 20


def test_a_row_of_a_long_text_is_followed(journey: Journey) -> None:
    """Its maps were not kept whole: the row is computed again and says so."""

    def script(window: Window) -> None:
        window.session.ask(SetKnob("memory_budget", 16))
        window.session.ask(SetKnob("n_layers", 12))
        window.session.ask(SetKnob("tokenizer", "characters"))
        window.session.ask(SetText("我爱北京天安门" * 60))
        journey.settle(window)
        window.go("follow")
        window.session.ask(look_at(attention="decoder.self_attn", layer=3, cell_query=100, cell_key=99))
        journey.settle(window)
        made = followed(window).followed
        assert not window.session.frame.trace.whole
        assert made.cell.query == 100 and "scores" in made.remade and made.differs == frozenset()

    journey.run(script)
