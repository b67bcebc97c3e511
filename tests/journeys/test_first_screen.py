"""Opening the program and typing."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.shell.window import Window
from explorer.engine.request import Frame
from explorer.picture.kinds import Heatmap
from explorer.picture.river.river import River
from explorer.state.intents import SetKnob, look_at
from tests.journeys.conftest import Journey
from tests.pointing import hover
from tests.sweeps import exhaustive

pytestmark = pytest.mark.slow  # each starts the whole program


def _texts(window: Window) -> list[str]:
    picture = window.sentences.source_row.picture
    return [] if picture is None else [chip.text for chip in picture.chips]


def _river(window: Window) -> River:
    (card,) = window.page_stack.page.cards
    assert isinstance(card.picture, River)
    return card.picture


def test_the_first_screen_shows_everything_at_once(journey: Journey) -> None:
    """The river holds the default sentence with its vectors, waves, heads and masks, and the status line has its facts."""

    def script(window: Window) -> None:
        journey.settle(window)

        assert ["我", "爱", "北京", "天安门"] == _texts(window)
        river = _river(window)
        assert ["encoder", "decoder"] == [half.side for half in river.halves]
        assert ("我", "爱", "北京", "天安门") == river.halves[0].labels
        assert all(np.any(values) for half in river.halves for values in (half.scaled, half.positions, half.output))
        assert (2 + 2 + 2, 2 + 2) == tuple(
            sum((block.weights is not None) == attention for block in river.blocks()) for attention in (True, False)
        )
        assert all(block.closed is not None for block in river.blocks() if block.attention == "decoder.self_attn")
        assert river.map is not None and len(river.waves)
        for fact in ("4 + 4", "1,777,728", "种子 0", "CPU"):
            assert fact in window.status.facts.text()

    journey.run(script)


@pytest.mark.parametrize("start", ["first", "later"])
def test_a_recorded_pass_stands_there_until_it_is_computed_anew(journey: Journey, start: str) -> None:
    """Whole pictures and a line that says so; the same numbers take its place. At a later start it is what was left."""
    text = "我爱北京天安门。" if start == "first" else "他在图书馆看书。"

    def leave(window: Window) -> None:
        journey.settle(window)

    def script(window: Window) -> None:
        frames: list[Frame] = []
        window.session.told.connect(lambda value: frames.append(value) if isinstance(value, Frame) else None)
        journey.wait(lambda: window.page_stack.page.key == "overview" and bool(frames))
        recorded = frames[0]
        assert recorded.serial == 0 and recorded.wish.text == text
        assert _river(window).written.labels and not window.page_stack.is_stale
        assert window.status.message.text() == window.appearance.words("status.recalled")
        journey.settle(window)
        assert frames[-1].serial and window.status.message.text() == "" and "9,190,256" in window.status.facts.text()
        for tap in recorded.trace.names():
            np.testing.assert_allclose(recorded.trace[tap], frames[-1].trace[tap], rtol=1e-4, atol=1e-4)
        if start == "later":
            assert all(np.array_equal(recorded.trace[tap], frames[-1].trace[tap]) for tap in recorded.trace.names())

    if start == "later":
        journey.run_as_left(leave, "--preset", "translator", "--text", text)
    journey.run_as_left(script)


def test_what_is_on_screen_is_what_explore_returns(journey: Journey) -> None:
    """The river's weights are the recorded tensors, to the bit."""

    def script(window: Window) -> None:
        journey.settle(window)
        trace = explorer.explore("我爱北京天安门", preset="tiny")

        attentions = [block for block in _river(window).blocks() if block.recorded is not None]
        assert 6 == len(attentions)
        for block in attentions:
            assert np.array_equal(trace[block.tap], block.recorded)

    journey.run(script)


def test_every_keystroke_updates_everything(journey: Journey) -> None:
    """After each key the tokens, the pictures and the target follow."""

    def script(window: Window) -> None:
        journey.settle(window)
        edit = window.sentences.source_edit
        QTest.keyClick(edit, Qt.Key.Key_End)
        for key in "abc":
            QTest.keyClick(edit, key)
            journey.settle(window)
            assert window.session.frame is not None
            assert edit.text() == window.session.frame.trace.source

        assert ["我", "爱", "北京", "天安门", "abc"] == _texts(window)
        assert ("我", "爱", "北京", "天安门", "abc") == _river(window).halves[0].labels

    journey.run(script)


def test_text_in_composition_is_no_text_yet(journey: Journey) -> None:
    """An input method's preedit changes nothing; what it commits does."""

    def script(window: Window) -> None:
        journey.settle(window)
        edit = window.sentences.source_edit
        serial = window.session.serial
        edit.selectAll()
        for preedit in ("shang", "shang'hai"):
            QApplication.sendEvent(edit, QInputMethodEvent(preedit, []))
            assert serial == window.session.serial

        committed = QInputMethodEvent("", [])
        committed.setCommitString("上海")
        QApplication.sendEvent(edit, committed)
        journey.settle(window)

        assert serial + 1 == window.session.serial
        assert ["上海"] == _texts(window)

    journey.run(script)


def test_a_target_of_ones_own_gives_its_own_rows(journey: Journey) -> None:
    """Cross-attention has the target's tokens as rows and the source's as columns."""

    def script(window: Window) -> None:
        window.sentences.target_edit.setText("I love Beijing")
        window.session.ask(look_at(attention="decoder.cross_attn"))
        journey.settle(window)
        river = _river(window)

        assert river.map is not None
        assert ("I", "love", "Beijing") == river.map.rows.labels == river.halves[1].labels
        assert ("我", "爱", "北京", "天安门") == river.map.columns.labels

    journey.run(script, "gui", "--text", "我爱北京天安门")


def test_hovering_lights_the_token_up_in_every_view(journey: Journey, qtbot: QtBot) -> None:
    """The cell under the mouse says value, tokens, tap and shape; its tokens light up in chips and maps."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        card = next(
            c
            for c in window.page_stack.page.cards
            if isinstance(c.picture, Heatmap)
            and c.picture.rows.labels
            and c.picture.columns.labels
            and c.picture.closed is None
        )
        view = card.view
        assert isinstance(card.picture, Heatmap)
        centre = view.cell_rect(1, 2).center().toPoint()  # type: ignore[attr-defined]
        hover(view, centre + QPoint(1, 1))
        qtbot.waitUntil(lambda: "encoder.layers.0.self_attn.weights" in window.status.readout.text())

        assert "爱" in window.status.readout.text() and "北京" in window.status.readout.text()
        assert "[head 4, query 4, key 4]" in window.status.readout.text()
        assert frozenset({("source", 1), ("source", 2)}) == view.lit  # type: ignore[attr-defined]
        lit = [c.view.lit for c in window.page_stack.page.cards if hasattr(c.view, "lit")]
        assert len(lit) == 5 and all(each == lit[0] for each in lit)
        window.go("tokens")
        journey.settle(window)
        assert window.status.readout.text() == ""  # It is no longer in front.

    journey.run(script)


@exhaustive  # test_walk.py sees every page of the first architecture.
@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["encoder-only", "decoder-only", "encoder-decoder"])
def test_every_page_shows_every_architecture(journey: Journey, architecture: str) -> None:
    """Each page draws, in each architecture, in both languages and themes, without a word to stderr."""

    def script(window: Window) -> None:
        window.session.ask(SetKnob("architecture", architecture))
        journey.settle(window)
        for key in window.actions_.pages:
            window.actions_.pages[key].trigger()
            assert key == window.page_stack.page.key
            journey.settle(window)  # a laboratory has something computed for it
            page = window.page_stack.page
            shown = [card for card in page.cards if card.isVisibleTo(page)]
            empty = [(key, card.title.text(), card.note.text()) for card in shown if card.picture is None]
            assert shown and empty == []
        window.actions_.by_name["language"].trigger()
        window.header.theme_button.click()
        for key in window.actions_.pages:
            window.go(key)
            window.grab()
        assert "Transformer Explorer" == window.windowTitle()

    journey.run(script)
