"""The boxes say what kind of text a model reads."""

import attrs
import pytest
from pytestqt.qtbot import QtBot

from explorer.app.shell.sentences import Sentences
from explorer.lang import Words
from explorer.state.wish import Wish


@pytest.mark.parametrize(
    ("preset", "knobs", "label"),
    [
        ("translator", {}, "Source (Chinese)"),
        ("tiny", {}, "Source"),
        ("language-model", {}, "Text"),
        ("tiny", {"architecture": "encoder-only"}, "Text"),
    ],
)
def test_only_a_translator_reads_a_chinese_source(qtbot: QtBot, preset: str, knobs: dict[str, str], label: str) -> None:
    """A language model continues a text, and an encoder alone has no other side either."""
    sentences = Sentences()
    qtbot.addWidget(sentences)
    sentences.speak(Words.load("en"))
    sentences.put(Wish.from_preset(preset, **knobs), None)

    assert sentences.source_label.text() == label
    assert sentences.source_edit.accessibleName() == label.removesuffix(" (Chinese)")
    assert sentences.target_label.isHidden() == (label == "Text")


def test_random_weights_read_no_language(qtbot: QtBot) -> None:
    """The translator's shape with random weights knows no Chinese, in either language of the program."""
    sentences = Sentences()
    qtbot.addWidget(sentences)
    wish = Wish.from_preset("translator")
    sentences.put(wish, None)
    sentences.speak(Words.load("zh"))
    assert sentences.source_label.text() == "源句（中文）"
    sentences.put(attrs.evolve(wish, trained=False), None)
    assert sentences.source_label.text() == "源句"
