"""The language decides what opens first, and a model for another language is one click away; no choice is overridden."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from explorer.app.shell.window import Window
from explorer.lang import LANGUAGES
from explorer.picture.doubt_text import is_foreign_language
from explorer.presets import load_preset
from explorer.state.intents import SetPreset, SetText
from explorer.tokens.language import language_of
from tests.journeys.conftest import Journey
from tests.translators import bundle_english

CHINESE = "我爱北京天安门。"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    return bundle_english(monkeypatch, tmp_path)


def speak(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """As the system's settings would."""
    monkeypatch.setenv("LC_ALL", {"zh": "zh_CN.UTF-8", "en": "en_US.UTF-8"}[language])


def click(button: QAbstractButton) -> None:
    """As the mouse does."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_first_start_is_in_ones_own_language(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, english: str, language: str
) -> None:
    """From an empty home: the first sentence, the first stop of the tour and the first example, and the model reads them."""

    def reads(window: Window) -> bool:
        trace = window.session.frame.trace
        here = trace.preset == {"zh": "translator", "en": english}[language] and language_of(trace.source) == language
        return here and all(token.known for token in trace.tokens.source) and not is_foreign_language(trace)

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.sentences.source_edit.text() == load_preset(window.session.state.wish.preset).text
        assert language == "en" or window.sentences.source_edit.text() == CHINESE
        assert reads(window) and window.notices.reader.isHidden()

        click(window.invitation.begin)
        journey.wait(lambda: window.lessons.lesson is not None)
        journey.settle(window)
        assert reads(window) and window.lessons.parts.unread.isHidden()
        count = len(window.session.frame.trace.tokens.source)
        journey.wait(lambda: f"<b>{count}</b>" in window.lessons.parts.facts.text())
        window.lessons.back.click()

        examples = window.sentences.examples
        assert examples.isVisible()
        examples.examples.actions()[0].trigger()
        journey.settle(window)
        assert reads(window) and window.session.frame.trace.source in examples.examples.actions()[0].text()

    speak(monkeypatch, language)
    journey.run_as_left(script)


def test_what_was_set_up_stays_in_another_language(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who worked in Chinese starts in English: the model and the sentence are still theirs, also in the tour."""

    def first(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("小猫追老鼠。"))
        journey.settle(window)

    def second(window: Window) -> None:
        journey.settle(window)
        wish = window.session.state.wish
        assert (wish.preset, wish.text) == ("translator", "小猫追老鼠。") and window.notices.reader.isHidden()
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        journey.settle(window)
        assert window.session.state.wish == wish

    speak(monkeypatch, "zh")
    journey.run_as_left(first)
    speak(monkeypatch, "en")
    journey.run_as_left(second)


def test_a_model_that_cannot_be_opened_gives_way_to_one_of_the_language(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, english: str
) -> None:
    """As at a first start."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text('{"model_type": "gpt2"}', "utf-8")

    def script(window: Window) -> None:
        journey.wait(lambda: "broken" in window.refusals.text.text())
        journey.settle(window)
        wish = window.session.state.wish
        assert (wish.preset, wish.text) == (english, load_preset(english).text)

    speak(monkeypatch, "en")
    journey.run_as_left(script, "--preset", str(tmp_path / "broken"))


def test_the_tour_comes_to_another_model_with_the_language(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, english: str
) -> None:
    """It opens the translator that reads the interface's language, with a sentence that this one reads; leaving gives back."""

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.state
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        journey.settle(window)
        wish = window.session.state.wish
        assert (wish.preset, wish.text) == (english, load_preset(english).text)
        for _ in range(3):
            click(window.lessons.next)
        look = window.session.state.look
        heads = dict(load_preset(english).heads)
        assert (look.layer, look.head) == heads["encoder.self_attn"]
        window.lessons.back.click()
        assert window.session.state.wish == before.wish

    speak(monkeypatch, "en")
    journey.run_as_left(script, "--preset", "tiny")


def test_another_language_offers_its_translator_once(journey: Journey, monkeypatch: pytest.MonkeyPatch, english: str) -> None:
    """One line, one click; after × it is not offered again."""

    def script(window: Window) -> None:
        journey.settle(window)
        line = window.notices.reader
        assert line.isHidden()
        window.appearance.switch_language()
        assert line.isVisible() and "Chinese" in line.text.text()
        click(line.offer_button)
        journey.settle(window)
        wish = window.session.state.wish
        assert (wish.preset, wish.text) == (english, load_preset(english).text) and line.isHidden()
        window.session.undo()
        journey.settle(window)
        assert window.session.state.wish.text == CHINESE

        window.appearance.switch_language()
        window.appearance.switch_language()
        assert line.isVisible()
        click(line.dismiss)
        window.appearance.switch_language()
        window.appearance.switch_language()
        assert line.isHidden()

    speak(monkeypatch, "zh")
    journey.run_as_left(script)


def test_a_text_that_cannot_be_read_is_told_above_the_picture(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, english: str
) -> None:
    """The button opens the model that reads it, with the text; where there is none, the model's own sentence is offered."""
    text = "The animal did not cross the street."

    def script(window: Window) -> None:
        journey.settle(window)
        line = window.notices.reader
        window.session.ask(SetText(text))
        journey.wait(line.isVisible)
        assert "读中文" in line.text.text()
        click(line.offer_button)
        journey.settle(window)
        wish = window.session.state.wish
        assert (wish.preset, wish.text) == (english, text) and line.isHidden()

        window.session.ask(SetText("Я люблю кошек и собак."))
        journey.wait(line.isVisible)
        assert "读英文" in line.text.text()
        click(line.offer_button)
        journey.settle(window)
        assert window.session.state.wish.text == load_preset(english).text and line.isHidden()

        window.session.ask(SetPreset("tiny"))
        window.session.ask(SetText(text))
        journey.settle(window)
        assert line.isHidden()  # Random weights read every language alike.

    speak(monkeypatch, "zh")
    journey.run_as_left(script)
