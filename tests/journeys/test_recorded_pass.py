"""A pass that was recorded elsewhere, in the window: looked at, marked, and not to be typed into."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from explorer.app.shell.window import Window
from explorer.lang import Words
from explorer.state.change_intents import AddChanges
from explorer.state.intents import OpenFolder, SetPreset, look_at
from explorer.state.offers import ChangePlace
from explorer.trace.changes import Change
from tests.journeys.conftest import Journey
from tests.sweeps import exhaustive
from tests.trace.files.test_recorded_file import MAP, WORDS, tensors, written

ENGINE = "an engine 1.2"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path, "safetensors")


def test_it_is_opened_by_the_flag_and_looked_at(journey: Journey, file: Path) -> None:
    """Its texts are in the boxes, its maps on the pages, every card and the status line say who recorded it."""

    def script(window: Window) -> None:
        journey.settle(window)
        words, frame = window.appearance.words, window.session.frame
        assert frame is not None
        assert frame.trace.recorded_by == ENGINE
        assert window.sentences.source_edit.text() == "我爱北京"
        assert ENGINE in window.status.facts.text()
        assert window.session.state.page == "attention"  # The overview has nothing of it.
        assert window.page_stack.page.key == "attention"
        window.session.ask(look_at(attention="decoder.self_attn", layer=0, head=1))
        journey.settle(window)
        cards = [card for card in window.page_stack.page.cards if card.picture is not None]
        assert {card.badge.text() for card in cards} == {words("recorded.badge")}
        shown = next(card.picture for card in cards if card.picture.caption.tap == MAP and hasattr(card.picture, "rows"))
        np.testing.assert_array_equal(shown.values, tensors()[MAP][0, 1])
        assert all(ENGINE in card.badge.toolTip() for card in cards)
        absent = [card for card in window.page_stack.page.cards if card.picture is None and card.isVisible()]
        assert absent
        assert all(words("card.not_recorded", tap="self_attn.query") in told(card) for card in absent)
        window.go("follow")
        journey.settle(window)
        (card,) = window.page_stack.page.cards
        assert words("card.not_recorded", tap="self_attn.scaled") in told(card)  # No memory was short.

    journey.run(script, "--trace", str(file))


@exhaustive  # test_refused_cards.py draws every page of such a pass.
def test_no_page_is_blank_and_none_breaks(journey: Journey, file: Path) -> None:
    """On every page each visible card has a picture, or a sentence that says why it has none."""
    from explorer import page_list

    def script(window: Window) -> None:
        journey.settle(window)
        for key in page_list.KEYS:
            window.go(key)
            journey.settle(window)
            for card in window.page_stack.page.cards:
                if card.isVisible():
                    assert card.picture is not None or told(card), key
        window.appearance.switch_language()
        journey.settle(window)

    journey.run(script, "--trace", str(file))


def test_nobody_types_into_it_and_it_says_why(journey: Journey, file: Path) -> None:
    """Keys change nothing, a change springs back with a sentence, and another preset takes typing again."""

    def script(window: Window) -> None:
        journey.settle(window)
        words, edit = window.appearance.words, window.sentences.source_edit
        frame = window.session.frame
        QTest.keyClicks(edit, "abc")
        assert (edit.text(), edit.toolTip(), window.session.frame) == ("我爱北京", words("recorded.fixed"), frame)
        assert window.status.message.text() == words("recorded.fixed")

        window.session.ask(AddChanges((Change(MAP.replace("weights", "residual1"), "scale", value=0.0),)))
        assert window.session.state.wish.changes
        journey.wait(lambda: not window.session.state.wish.changes)  # The thread is idle before its answer is heard.
        assert str(file.name) in window.refusals.text.text()

        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert not edit.isReadOnly()
        assert edit.text() == window.session.state.wish.text != ""
        QTest.keyClicks(edit, "x")
        journey.settle(window)
        assert window.session.frame is not None
        assert "x" in window.session.frame.trace.source
        window.session.undo()
        window.session.undo()
        journey.settle(window)
        assert edit.text() == "我爱北京"
        assert edit.isReadOnly()

    journey.run(script, "--trace", str(file))


def test_it_is_chosen_in_the_menu(journey: Journey, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dialog offers its two kinds of files; leaving the dialog changes nothing."""
    asked: list[str] = []

    def choose(_parent: object, _title: str, _folder: str, kinds: str) -> tuple[str, str]:
        asked.append(kinds)
        return ("" if len(asked) == 1 else str(file)), kinds

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["open_file"].trigger()
        assert window.session.state.wish.preset == "tiny"
        window.actions_.by_name["open_file"].trigger()
        journey.wait(lambda: window.session.state.wish.preset == str(file))
        journey.settle(window)
        assert window.session.state.wish.preset == str(file)
        assert [token.text for token in window.session.frame.trace.tokens.target] == WORDS
        assert len(asked) == 2 and all("(*.npz *.safetensors)" in kinds for kinds in asked)

    journey.run(script)


def test_a_wrong_file_keeps_the_picture(journey: Journey, tmp_path: Path) -> None:
    """One sentence in the status line, with the file and what is wrong; the model before goes on."""
    wrong = written(tmp_path, "npz", told={"tokens": 7})

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.frame
        window.session.ask(OpenFolder(str(wrong)))
        journey.wait(lambda: "tokens" in window.refusals.text.text())
        assert "x.npz" in window.refusals.text.text()
        journey.settle(window)
        assert window.session.state.wish.preset == "tiny"
        assert before is not None
        assert not window.sentences.source_edit.isReadOnly()

    journey.run(script)


def test_what_is_exported_says_who_recorded_it(journey: Journey, file: Path, tmp_path: Path) -> None:
    """The figure in a line of its own, and the JSON beside it; no version of a library that computed nothing."""
    from explorer.export.choice import Choice
    from explorer.export.job import Export

    def script(window: Window) -> None:
        journey.settle(window)
        frame = window.session.frame
        assert frame is not None
        out = tmp_path / "map.svg"
        job = Export(trace=frame.trace, out=out, format="svg", words=Words.load("en"), choice=Choice(MAP, head=0))
        for _done in job.run():
            pass
        assert f"Recorded elsewhere, by {ENGINE}" in out.read_text(encoding="utf-8")
        about = json.loads(next(tmp_path.glob("map*.json")).read_text(encoding="utf-8"))
        assert ENGINE in json.dumps(about)
        assert "torch" not in about["versions"]

    journey.run(script, "--trace", str(file))


def told(card: object) -> str:
    """All that a card says."""
    return " ".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())  # type: ignore[attr-defined]


def test_what_only_a_running_model_can_do_is_not_offered(journey: Journey, file: Path) -> None:
    """Pages about changes are one sentence, without empty cards; the pencil is not there, and its key does nothing."""

    def script(window: Window) -> None:
        journey.settle(window)
        words = window.appearance.words
        stack = window.page_stack
        for key in ("effects", "change", "patching", "saliency", "steering"):
            window.go(key)
            journey.settle(window)
            assert words("recorded.no_model") in stack.lack.text() and stack.lack.isVisible(), key
            assert not any(card.isVisible() for card in stack.page.cards), key
        window.go("attention")
        journey.settle(window)
        page = stack.page
        assert not stack.lack.isVisible() and page.map.isVisible()  # type: ignore[attr-defined]  # The attention page.
        QTest.keyClick(page.map, Qt.Key.Key_P)  # type: ignore[attr-defined]  # The attention page.
        assert not page.pencil.isVisible() and not page.pencil.isChecked()  # type: ignore[attr-defined]  # The attention page.
        cell = ChangePlace("encoder.layers.0.self_attn.weights", 0, 0, 0)
        offered = page.map.menu(None, cell).actions()  # type: ignore[attr-defined]  # The attention page.
        assert [(each.text(), each.isEnabled()) for each in offered] == [(words("recorded.no_change"), False)]
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert all(each.isEnabled() for each in page.map.menu(None, cell).actions())  # type: ignore[attr-defined]
        assert page.pencil.isVisible()  # type: ignore[attr-defined]  # The attention page.
        window.go("effects")
        journey.settle(window)
        assert not stack.lack.isVisible()

    journey.run(script, "--trace", str(file))
