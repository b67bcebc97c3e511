"""The line that offers a model for another language."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.shell.reader_offer import ReaderOffer
from explorer.lang import Words
from explorer.presets import load_preset
from explorer.state.change_intents import TakeSentence
from explorer.state.intents import Intent
from explorer.state.reader_intents import OpenReader
from explorer.state.wish import Wish
from tests.translators import bundle_english

ENGLISH = "The cat sleeps."


@pytest.fixture
def line(qtbot: QtBot) -> ReaderOffer:
    made = ReaderOffer()
    qtbot.addWidget(made)
    made.speak(Words.load("zh"))
    return made


def read(line: ReaderOffer, preset: str, text: str) -> None:
    """As the window does with an answer."""
    line.put(Wish.from_preset(preset, text))
    line.draw(explorer.explore(text, preset=preset))


def offered(line: ReaderOffer) -> Intent:
    """What the button asks for."""
    asked: list[Intent] = []
    line.wished.connect(asked.append)
    line.offer_button.click()
    (intent,) = asked
    return intent


@pytest.mark.parametrize("preset", ["translator", "language-model"])
def test_without_a_model_for_a_text_a_sentence_is_offered(line: ReaderOffer, preset: str) -> None:
    """No model reads Greek. Of a text that the model reads nothing is said, also where some words are foreign."""
    for text in ("我爱猫。", "他用 Python 写程序。"):
        read(line, preset, text)
        assert line.isHidden()
    read(line, preset, "Η γάτα κοιμάται στο σπίτι.")
    assert not line.isHidden() and line.text.text() == Words.load("zh")("reader.zh")
    assert offered(line) == TakeSentence(load_preset(preset).text)


def test_the_model_that_reads_a_text_is_offered(line: ReaderOffer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Until another text, or another model, is there; whoever has closed it for a model is told no more."""
    english = bundle_english(monkeypatch, tmp_path)
    read(line, "translator", ENGLISH)
    assert not line.isHidden() and offered(line) == OpenReader(english)
    read(line, "translator", "我爱猫。")
    assert line.isHidden()

    read(line, "translator", ENGLISH)
    line.put(Wish.from_preset(english, ENGLISH))
    assert line.isHidden()
    read(line, english, "我爱猫。")
    assert not line.isHidden() and offered(line) == OpenReader("translator")

    line.dismiss.click()
    assert line.isHidden()
    read(line, english, "我爱北京。")
    assert line.isHidden()
    read(line, "translator", ENGLISH)
    assert not line.isHidden()


def test_random_weights_read_every_language_alike(line: ReaderOffer) -> None:
    """There is nothing to offer, also after the language was switched."""
    read(line, "tiny", ENGLISH)
    line.speak(Words.load("en"))
    assert line.isHidden()
