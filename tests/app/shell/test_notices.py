"""The line that offers what a program has left that was not closed."""

from pathlib import Path

import attrs
import pytest
from pytestqt.qtbot import QtBot

from explorer.app.shell.notices import LeftOpen
from explorer.lang import LANGUAGES, Words
from explorer.state.saved import Saved
from explorer.state.state import State


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("was_shown", [True, False])
def test_it_names_the_sentence_and_its_model(qtbot: QtBot, language: str, was_shown: bool) -> None:
    """Either may be what ended the program."""
    line, words = LeftOpen(), Words.load(language)
    qtbot.addWidget(line)
    line.speak(words)
    for preset, title in (("tiny", words("preset.tiny.title")), ("/models/gpt2", "gpt2")):
        state = State.from_preset("tiny", "句子")
        state = attrs.evolve(state, wish=attrs.evolve(state.wish, preset=preset))
        line.offer({Path("/a"): Saved(state=state, was_shown=was_shown)})
        assert "句子" in line.text.text() and title in line.text.text()
