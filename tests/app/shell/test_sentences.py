"""The boxes say what kind of text a model reads."""

from pathlib import Path

import attrs
import pytest
from pytestqt.qtbot import QtBot

from explorer.api.lending import alone
from explorer.app.shell.sentences import Sentences
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.state.look import Look
from explorer.state.wish import Wish
from tests.engine.sources.bundles import an_english_preset


@pytest.mark.parametrize(
    ("preset", "knobs", "label"),
    [
        ("translator", {}, "Source (Chinese)"),
        ("tiny", {}, "Source"),
        ("sort", {}, "Source"),
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


def test_a_translator_from_english_says_so(qtbot: QtBot, tmp_path: Path) -> None:
    """In both languages; another translator takes the place at once."""
    sentences = Sentences()
    qtbot.addWidget(sentences)
    for language, english, chinese in (("en", "Source (English)", "Source (Chinese)"), ("zh", "源句（英文）", "源句（中文）")):
        sentences.speak(Words.load(language))
        sentences.put(Wish.from_preset(an_english_preset(tmp_path)), None)
        assert sentences.source_label.text() == english and "（" not in sentences.source_edit.accessibleName()
        assert sentences.examples.isHidden()  # Its folder has none.
        sentences.put(Wish.from_preset("translator"), None)
        assert sentences.source_label.text() == chinese and not sentences.examples.isHidden()


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


def drawn(sentences: Sentences, text: str, **fields: object) -> None:
    """Show an answer of the translator; `fields` are those of the Wish and whether it is provisional."""
    provisional = bool(fields.pop("provisional", False))
    wish = attrs.evolve(Wish.from_preset("translator", text), **fields)
    with alone() as computer:
        trace = computer(Request(wish=wish)).trace
    sentences.draw(trace, Look(), Words.load("en"), provisional=provisional)


def test_a_provisional_translation_says_that_it_is_searched_on(qtbot: QtBot) -> None:
    """Its tooltip and its line change when the mark appears, and again when the search's answer is there."""
    sentences = Sentences()
    qtbot.addWidget(sentences)
    sentences.put(Wish.from_preset("translator"), None)
    sentences.speak(Words.load("en"))
    drawn(sentences, "我爱你。", provisional=True)
    qtbot.waitUntil(lambda: sentences.target_edit.provisional)
    assert "beam search" in sentences.target_edit.toolTip()
    drawn(sentences, "我爱你。", beam=4)
    assert not sentences.target_edit.provisional and "beam search" not in sentences.target_edit.toolTip()


def test_what_is_doubted_stays_while_a_better_answer_is_searched(qtbot: QtBot) -> None:
    """So that it does not flicker; it goes with the next whole answer, and where the picture is out of date."""
    sentences = Sentences()
    qtbot.addWidget(sentences)
    sentences.speak(Words.load("en"))
    drawn(sentences, "南京市长江大桥", beam=4)
    assert "0.27" in sentences.doubt.line
    assert "!" in sentences.tokens.text(), "where a low window has folded the tokens"
    assert sentences.tokens.toolTip() == sentences.doubt.toolTip() == sentences.tokens.accessibleDescription()
    drawn(sentences, "我爱你。", provisional=True)
    assert not sentences.doubt.isHidden()
    drawn(sentences, "我爱你。", beam=4)
    assert sentences.doubt.isHidden() and sentences.doubt.toolTip() == "" and "!" not in sentences.tokens.text()
    drawn(sentences, "龘", beam=4)
    sentences.set_stale(True, Words.load("en"))
    assert sentences.doubt.isHidden()
