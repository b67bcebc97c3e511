"""Characters as a reader sees them, and white-space cutting."""

from itertools import pairwise

import regex
from hypothesis import given
from hypothesis import strategies as st

from explorer.tokens.graphemes import borders, characters, clusters, joined, widened
from explorer.tokens.spaces import words
from tests.tokens.texts import anything, unhurried


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


def test_an_emoji_family_is_one_character() -> None:
    """Joiners and combining marks belong to what they follow."""
    assert characters("a👨‍👩‍👧 e\u0301") == ((0, 1), (1, 6), (7, 9))


@unhurried
@given(st.text(st.sampled_from("🇨🇳🇩a我\u0301\u200d👨\u0600\u0903\ufe0f\r\n "), max_size=12))
def test_flags_are_found_as_the_standard_has_them(text: str) -> None:
    """The quick way gives the clusters of the slow one."""
    assert clusters(text) == tuple(found.span() for found in regex.finditer(r"\X", text))


def test_joining_closes_a_cut_through_a_character() -> None:
    """Pieces are put together across a border that is none."""
    assert joined(((0, 1), (1, 2), (2, 3)), borders("ae\u0301")) == ((0, 1), (1, 3))


def test_widening_grows_to_whole_characters() -> None:
    """Overlapping spans grow, and those that become equal are one."""
    assert widened(((0, 2), (1, 2), (2, 3)), borders("ae\u0301")) == ((0, 3), (1, 3))


def test_punctuation_at_word_ends_stands_alone() -> None:
    """Inside a word it stays; symbols belong to the word."""
    assert cut('"Don\'t," he said... C++ costs $5.') == [
        '"',
        "Don't",
        ",",
        '"',
        "he",
        "said",
        ".",
        ".",
        ".",
        "C++",
        "costs",
        "$5",
        ".",
    ]


def test_punctuation_alone_is_cut_into_its_marks() -> None:
    """There is no word to keep together."""
    assert cut("a ?! 我爱。") == ["a", "?", "!", "我爱", "。"]


@unhurried
@given(anything)
def test_words_cover_all_that_can_be_seen(text: str) -> None:
    """Spans increase, never overlap, and leave out white space only."""
    spans = words(text)

    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert "".join(cut(text)) == "".join(text[start:end] for start, end in characters(text))
