"""Words instead of tokens, as a user has them: by a key, by buttons, at the next start, and in files."""

import json
from pathlib import Path

import attrs
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from explorer.app.shell.window import Window
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Heatmap
from explorer.picture.river.river import River
from explorer.state.intents import SetText
from explorer.trace.tap_names import Cell
from explorer.views.pictures.river import RiverView
from explorer.views.pictures.timeline import TimelineView
from tests.journeys.conftest import Journey

TRANSLATION = ("I", "love", "Tiananmen", "in", "Beijing", ".", "<eos>")


def river_of(window: Window) -> River:
    picture = window.page_stack.page.cards[0].picture
    assert isinstance(picture, River)
    return picture


def press(journey: Journey, window: Window) -> None:
    """The key, while the sentence has the keys."""
    window.activateWindow()
    journey.wait(window.isActiveWindow)
    window.sentences.source_edit.setFocus()
    QTest.keySequence(window.sentences.source_edit, "Ctrl+J")


def label_at(view: RiverView, lane: int) -> QPoint:
    """A point on the word of one of the lower lanes."""
    assert view.grid is not None
    place = view.grid.half("decoder")
    return QPoint(int(place.label.right - 12), int(place.y(lane)))


def test_one_key_folds_and_unfolds(journey: Journey) -> None:
    """In the river, at the steps and in the map, without a new pass; the menu and each button say which it is."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("我爱北京天安门"))
        journey.settle(window)
        serial, action = window.session.serial, window.actions_.by_name["words"]
        assert river_of(window).written.labels[2] == "␣T" and not action.isChecked()
        press(journey, window)
        journey.wait(lambda: river_of(window).written.labels == TRANSLATION)
        assert action.isChecked() and river_of(window).halves[1].labels[1:] == TRANSLATION[:-1]
        window.go("output")
        journey.settle(window)
        page = window.page_stack.page
        steps = page.cards[0]
        assert isinstance(steps.picture, Timeline) and steps.picture.labels == TRANSLATION
        assert page.unit.isChecked() and serial == window.session.serial  # type: ignore[attr-defined]  # the output page
        view = steps.view
        assert isinstance(view, TimelineView)
        QTest.keyClick(view, Qt.Key.Key_End)
        for _word in TRANSLATION[3:]:
            QTest.keyClick(view, Qt.Key.Key_Left)
        journey.wait(lambda: window.session.state.look.position == 2)  # the first of four steps
        page.unit.click()  # type: ignore[attr-defined]  # the output page
        journey.wait(lambda: isinstance(steps.picture, Timeline) and len(steps.picture.labels) == 10)
        assert not action.isChecked() and window.session.state.look.unit == "tokens"

    journey.run(script, "--preset", "translator", "--text", "我爱北京")


def test_the_river_is_gone_about_by_words(journey: Journey) -> None:
    """Up and down go from word to word; a click on a word looks at it; F follows tokens."""

    def script(window: Window) -> None:
        journey.settle(window)
        press(journey, window)
        journey.wait(lambda: bool(river_of(window).halves[1].groups))
        view = window.page_stack.page.cards[0].view
        assert isinstance(view, RiverView)
        QTest.keyClick(view, Qt.Key.Key_Home)
        for lane in (1, 2, 3):
            QTest.keyClick(view, Qt.Key.Key_Down)
            journey.wait(lambda lane=lane: river_of(window).step_lane == lane)  # type: ignore[misc]
        assert river_of(window).written.step == 6
        QTest.keyClick(view, Qt.Key.Key_Up)
        journey.wait(lambda: river_of(window).step_lane == 2)
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=label_at(view, 3))
        journey.wait(lambda: river_of(window).step_lane == 3)
        followed: list[Cell] = []
        view.followed.connect(followed.append)
        written = river_of(window).halves[1].writes(3)
        QTest.keyClick(view, Qt.Key.Key_F)
        assert followed and followed[0].query in written

    journey.run(script, "--preset", "translator", "--text", "我爱北京天安门")


def test_it_comes_back_at_the_next_start_and_stands_in_the_file(journey: Journey, tmp_path: Path) -> None:
    """The numbers and labels of the file are those of words, and the JSON beside it says how they were folded."""

    def begin(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        press(journey, window)
        journey.settle(window)

    def again(window: Window) -> None:
        journey.settle(window)
        assert window.session.state.look.unit == "words" and window.actions_.by_name["words"].isChecked()
        trace, look = window.session.frame.trace, attrs.evolve(window.session.state.look, attention="decoder.cross_attn")
        card = window.page_stack.page.grid  # type: ignore[attr-defined]  # the attention page
        picture = card.in_english(trace, look)
        assert isinstance(picture, Heatmap) and "→Tiananmen" in picture.rows.labels
        path = tmp_path / "map.csv"
        list(Export(trace=trace, out=path, format="csv", words=Words.load("en"), look=look, picture=picture).run())
        assert "→Tiananmen" in path.read_text(encoding="utf-8")
        about = json.loads((tmp_path / "map.csv.json").read_text(encoding="utf-8"))
        assert Words.load("en")("heads.folded_note") in about["note"] and about["origin"] == "computed"

    journey.run(begin, "--preset", "translator", "--text", "我爱北京天安门")
    journey.run_as_left(again)
