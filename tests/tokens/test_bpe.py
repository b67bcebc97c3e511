"""Byte-pair encoding: reversible, legible, its merges told."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.resources import asset
from explorer.tokens.bpe import BYTES, Encoder
from explorer.tokens.graphemes import borders
from explorer.tokens.pieces import MARK
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import SPECIALS, Vocabulary
from tests.tokens.texts import anything, unhurried

BUNDLED = Vocabulary.read(asset("vocabulary/bpe.txt"))
FULL = Encoder(BUNDLED)


def encoder(*symbols: str) -> Encoder:
    return Encoder(Vocabulary((*SPECIALS, *BYTES, *symbols)))


def texts(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]


@unhurried
@given(anything, st.sampled_from([260, 261, 400, 2000, 8000]))
def test_decoding_gives_the_text_back(text: str, size: int) -> None:
    """In every size that holds the bytes; all white space is one blank."""
    encoding = Encoder(BUNDLED.capped(size))

    decoded = encoding.decode(token.id for token in encoding.encode(text))

    assert decoded.split() == text.split()


@unhurried
@given(anything)
def test_spans_lie_in_order_and_cover_all_that_can_be_seen(text: str) -> None:
    """Bytes of a character share its span; no span ends inside a character."""
    tokens = FULL.encode(text)
    covered = {at for token in tokens for at in range(token.start, token.end)}

    for left, right in pairwise(tokens):
        assert left.end <= right.start or (left.start, left.end) == (right.start, right.end)
    assert {at for token in tokens for at in (token.start, token.end)} <= set(borders(text))
    assert all(each.isspace() for at, each in enumerate(text) if at not in covered)


@unhurried
@given(anything)
def test_no_token_is_a_broken_character(text: str) -> None:
    """What is shown is text of the sentence, the mark, or a numbered byte of a whole character."""
    for token in FULL.encode(text):
        shown = text[token.start : token.end]
        assert token.text.removeprefix(MARK) in ("", shown) or token.text.startswith(f"{shown} ")
        assert "\ufffd" not in token.text or "\ufffd" in text


def test_bytes_of_a_character_stay_legible() -> None:
    """龘 is in no vocabulary: three bytes, each with the whole character."""
    tokens = FULL.encode("我龘")

    assert texts(tokens) == ["我", "龘 1/3", "龘 2/3", "龘 3/3"]
    assert [(token.start, token.end) for token in tokens[1:]] == [(1, 2)] * 3
    assert [BUNDLED.symbols[token.id] for token in tokens[1:]] == ["<0xE9>", "<0xBE>", "<0x98>"]
    assert all(token.known for token in tokens)


def test_a_character_of_one_byte_needs_no_number() -> None:
    """Without an alphabet letters are bytes as well."""
    assert texts(encoder().encode("a b")) == ["a", MARK, "b"]


def test_a_character_of_many_marks_is_shown_in_part() -> None:
    """A hundred thousand marks on one letter must not be repeated for each byte."""
    assert {len(text) for text in texts(FULL.encode("e" + "\u0301" * 999))} < set(range(50))


def test_merges_are_told_in_the_order_applied() -> None:
    """Smallest id first."""
    (token,) = encoder("t", "h", "e", "th", "the").encode("我the")[3:]

    assert token == Token("the", 264, 1, 4, True, ("t h", "th e"))


def test_the_smallest_id_merges_first_then_the_leftmost() -> None:
    """aaa is aa a; with bc before ab, abc is a bc."""
    assert texts(encoder("a", "aa").encode("。aaa")[3:]) == ["aa", "a"]
    assert texts(encoder("a", "b", "c", "bc", "ab").encode("。abc")[3:]) == ["a", "bc"]


def test_a_smaller_vocabulary_has_fewer_merges() -> None:
    """The words fall apart as the list is cut shorter."""
    lengths = [len(Encoder(BUNDLED.capped(size)).encode("the wonderful weather")) for size in (300, 500, 2000, 8000)]

    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


def test_every_merge_of_a_capped_vocabulary_is_in_it() -> None:
    """No history speaks of a symbol that has been cut off."""
    capped = BUNDLED.capped(1000)

    for token in Encoder(capped).encode("the wonderful weather 我们喜欢图书馆"):
        assert all(capped.id_of(part) is not None for merge in token.merges for part in merge.split(" "))


def test_a_vocabulary_without_room_for_bytes_knows_nothing() -> None:
    """Sixteen symbols are the least the knob allows."""
    assert [(token.id, token.known) for token in Encoder(BUNDLED.capped(16)).encode("我")] == [(1, False)] * 3


def test_a_word_is_the_same_symbol_first_and_later() -> None:
    """A text begins as if after white space; the span leaves the white space out."""
    first, later = FULL.encode("time time")

    assert (first.text, first.id) == (later.text, later.id) == (f"{MARK}time", first.id)
    assert (first.start, first.end, later.start, later.end) == (0, 4, 5, 9)


def test_white_space_before_chinese_stands_alone() -> None:
    """So that 爱 is the same symbol with and without it."""
    mark = FULL.encode("我  爱")[1]

    assert (mark.text, mark.start, mark.end) == (MARK, 1, 3)
    assert FULL.encode("我  爱")[2].id == FULL.encode("爱")[0].id


def test_a_typed_mark_is_a_character_like_others() -> None:
    """It falls back to its bytes and never stands for white space."""
    tokens = FULL.encode(f"我{MARK}爱")

    assert texts(tokens)[1:4] == [f"{MARK} 1/3", f"{MARK} 2/3", f"{MARK} 3/3"]
    assert FULL.decode(token.id for token in tokens) == f"我{MARK}爱"


@pytest.mark.parametrize("text", ["我,爱", "a1", "aж", "我a", "a。"])
def test_merges_never_cross_a_border(text: str) -> None:
    """Neither script nor punctuation, whatever the vocabulary offers."""
    assert text not in texts(encoder(*sorted(set(text)), text, MARK + text).encode(f"我{text}"))


def test_half_a_character_decodes_to_the_names_of_its_bytes() -> None:
    """A model may write bytes that make no character."""
    ids = [BUNDLED.id_of(symbol) or 0 for symbol in ("<bos>", "我", "<0xE9>", "<0xBE>", "<unk>", "<eos>", "<pad>")]

    assert FULL.decode(ids) == "我<0xE9><0xBE><unk>"


def test_a_piece_cut_by_hand_is_looked_up_whole() -> None:
    """As the word it is at its place; unknown if it is no symbol."""
    text = "the 我们龘\uff3f"

    assert texts(FULL.whole(text, 0, 3)) == [f"{MARK}the"]
    assert texts(FULL.whole(text, 1, 3)) == ["he"]
    assert texts(FULL.whole(text, 4, 6)) == ["我们"]
    assert texts(FULL.whole(text, 6, 7)) == ["龘 1/3", "龘 2/3", "龘 3/3"]
    assert FULL.whole(text, 5, 7) == (Token("们龘", 1, 5, 7, False),)
    assert len(FULL.whole(text, 7, 8)) == 3


def test_a_very_long_run_is_encoded() -> None:
    """Merging takes n log n."""
    assert sum(token.end - token.start for token in FULL.encode("我们" * 20_000)) == 40_000
