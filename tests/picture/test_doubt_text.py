"""Reasons to doubt a sentence, in one line and at length."""

import attrs
import pytest

import explorer
from explorer.api.lending import alone
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.doubt_text import doubt_line, doubt_text, listed, pieces_of
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES


def searched(text: str) -> Trace:
    with alone() as computer:
        return computer(Request(wish=attrs.evolve(Wish.from_preset("translator", text), beam=4))).trace


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_is_told_with_its_words_and_numbers(language: str) -> None:
    """The unseen character, the letters, the mean probability and its threshold, and what became of jieba's words."""
    words, trace = Words.load(language), searched("ChatGPT和龘坐在南京市长江大桥上")
    line, text = doubt_line(trace, words), doubt_text(trace, words)

    assert "龘" in line and "ChatGPT" in line and "0." in line and "\n" not in line
    assert "0.35" in text and "南京市 → 南·京·市" in text and text.startswith(words("doubt.title"))


@pytest.mark.parametrize(("language", "named"), [("en", "Chinese"), ("zh", "中文")])
def test_a_text_in_another_language_is_told_in_one_line(language: str, named: str) -> None:
    """What the model reads stands first; its letters are not listed."""
    words, trace = Words.load(language), searched("The animal did not cross the street.")

    assert doubt_line(trace, words).split(" · ")[0] == words("doubt.reads_chinese") and named in doubt_line(trace, words)
    assert named in doubt_text(trace, words) and "animal" not in doubt_line(trace, words)


def test_nothing_is_said_of_a_usual_sentence() -> None:
    """Not even an empty line."""
    trace = searched("我爱北京天安门。")

    assert doubt_line(trace, Words.load("en")) == doubt_text(trace, Words.load("en")) == ""


def test_a_known_word_is_not_said_to_have_fallen_apart() -> None:
    """龘 alone is unknown, and every other word is whole."""
    assert "→" not in doubt_text(searched("龘爱我。"), Words.load("en"))


def test_pieces_of_overlapping_words_are_told_once() -> None:
    """In full mode the same characters belong to several words."""
    trace = explorer.explore("南京市长江大桥", preset="translator", tokenizer="jieba-full")

    assert pieces_of(trace.source, trace.tokens.source, (0, 3)) == "南京市 → 南·京·市"


def test_long_lists_end_after_three() -> None:
    """The line must stay a line."""
    words = Words.load("en")

    assert [listed(tuple("abcd")[:n], words) for n in (0, 1, 3, 4)] == ["", "a", "a, b, c", "a, b, c…"]
