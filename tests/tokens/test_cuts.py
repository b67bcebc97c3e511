"""Cuts made by hand."""

import pytest

from explorer.errors import BadCut
from explorer.tokens.cuts import check_cuts, merged, split, trimmed
from explorer.tokens.graphemes import Spans

WORDS = ((0, 1), (1, 2), (2, 4), (4, 7))


def test_merging_joins_a_token_with_the_next() -> None:
    """北京 and 天安门 become one; the others stay."""
    assert merged(WORDS, 2) == ((0, 1), (1, 2), (2, 7))


def test_merging_covers_what_lies_between() -> None:
    """White space between two tokens belongs to the merged one."""
    assert merged(((0, 1), (2, 6)), 0) == ((0, 6),)


def test_splitting_cuts_at_an_offset_of_the_text() -> None:
    """天安门 cut before 门."""
    assert split(WORDS, 3, 6) == ((0, 1), (1, 2), (2, 4), (4, 6), (6, 7))


def test_splitting_undoes_merging() -> None:
    """Nothing is lost on the way."""
    assert split(merged(WORDS, 1), 1, 2) == WORDS


def test_overlapping_words_are_replaced_and_never_stand_twice() -> None:
    """In full mode the merged or split words may be there already."""
    full = ((0, 2), (0, 4), (1, 3), (2, 4))

    assert merged(full, 0) == ((0, 4), (1, 3), (2, 4))
    assert split(full, 1, 2) == ((0, 2), (2, 4), (1, 3))


@pytest.mark.parametrize("index", [-1, 3, 4])
def test_merging_without_a_next_token_is_refused(index: int) -> None:
    """The last token has nothing to merge with."""
    with pytest.raises(BadCut):
        merged(WORDS, index)


@pytest.mark.parametrize(("index", "at"), [(-1, 0), (4, 5), (3, 4), (3, 7), (3, 1), (0, 1)])
def test_splitting_outside_a_token_is_refused(index: int, at: int) -> None:
    """Both halves must hold something."""
    with pytest.raises(BadCut):
        split(WORDS, index, at)


def test_good_cuts_come_back_as_they_are() -> None:
    """Overlapping and unordered ones too, and white space may be left out."""
    for spans, text in ((WORDS, "我爱北京天安门"), (((1, 3), (0, 2)), "清华大"), (((0, 1), (2, 3)), "a b")):
        assert check_cuts(spans, text) is spans


@pytest.mark.parametrize(
    ("spans", "text", "start", "end"),
    [
        (((0, 3),), "我爱", 0, 3),
        (((-1, 2),), "我爱", -1, 2),
        (((0, 0), (0, 2)), "我爱", 0, 0),
        (((2, 0),), "我爱", 2, 0),
        ((), "我爱", 0, 1),
        (((0, 1),), "我爱", 1, 2),
        (((0, 1), (1, 5)), "👨‍👩‍👧", 0, 1),
    ],
)
def test_a_bad_cut_is_named_with_its_numbers(spans: Spans, text: str, start: int, end: int) -> None:
    """Outside the text, empty, backwards, through a character, or leaving text uncovered."""
    with pytest.raises(BadCut) as caught:
        check_cuts(spans, text)

    assert caught.value.values == {"start": start, "end": end, "length": len(text)}


def test_trimming_takes_white_space_off() -> None:
    """What is only white space goes, what is double stays once."""
    assert trimmed(((0, 2), (1, 2), (1, 5), (1, 5)), "a  b ") == ((0, 1), (3, 4))
