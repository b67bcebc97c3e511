"""English that is read: byte pairs of small letters; spans, ids and words of whatever was typed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.config import Config
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.graphemes import characters
from explorer.tokens.segment import Segmenter
from explorer.tokens.token import Token
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.vocabulary import BEGIN, SPECIALS, UNKNOWN
from explorer.trace.word_groups import word_groups, word_texts
from tests.tokens.texts import anything, unhurried

PAIRS = [
    ("The well-known café doesn't open.", "那家有名的咖啡馆不开门。"),
    ("Tom didn't cross the street, did he?", "汤姆没有过马路，对吗？"),
] * 6
WAYS = ("bpe", "characters", "spaces", "jieba", "jieba-full", "jieba-search")


@pytest.fixture(scope="module")
def learned(segmenter: Segmenter) -> Bilingual:
    return Bilingual.learn_from_english(PAIRS, segmenter, 400, 60)


@pytest.fixture
def read(tokenizers: Tokenizers, learned: Bilingual):  # type: ignore[no-untyped-def]
    def tokens(text: str, way: str = "bpe", **given: object) -> tuple[Token, ...]:
        return tokenizers.source(text, Config(tokenizer=way), learned, **given)  # type: ignore[arg-type]

    return tokens


def test_a_vocabulary_tells_what_it_is_of(learned: Bilingual) -> None:
    """Byte pairs have all bytes; the source has no capitals, and every character of the target is a symbol."""
    assert learned.reads_english and not learned.writes_english
    assert not learned.turned().reads_english and learned.turned().writes_english
    assert len(learned.source) <= 400 and len(learned.target) <= 60
    assert not any(symbol[-1].isupper() for symbol in learned.source.symbols[260:])
    assert set("那家有名的咖啡馆不开门汤姆没过马路对吗。，？") <= set(learned.target.symbols)


def test_characters_come_first_where_words_have_no_room(segmenter: Segmenter) -> None:
    """A word can be spelled in characters, but a character cannot be split."""
    small = Bilingual.learn_from_english(PAIRS, segmenter, 300, 26)

    assert {len(symbol) for symbol in small.target.symbols[len(SPECIALS) :]} == {1}


def test_a_capital_is_looked_up_as_its_small_letter(read) -> None:  # type: ignore[no-untyped-def]
    """The token keeps what was typed."""
    small, large, all_large = read("the street"), read("The street"), read("THE STREET")

    assert [token.id for token in small] == [token.id for token in large] == [token.id for token in all_large]
    assert [token.text for token in large] == ["␣The", "␣street"]
    assert [token.text for token in all_large] == ["␣THE", "␣STREET"]


@pytest.mark.parametrize(
    ("typed", "usual"),
    [("didn’t", "didn't"), ("cafe\u0301", "café"), ("Tóm", "tom"), ("the street，did he？", "the street,did he?")],
)
def test_other_ways_to_type_the_same_have_the_same_ids(read, typed: str, usual: str) -> None:  # type: ignore[no-untyped-def]
    """Typographic apostrophes, accents in two code points, unknown accents, full-width marks."""
    assert [token.id for token in read(typed)] == [token.id for token in read(usual)]
    assert "".join(typed[token.start : token.end] for token in read(typed)) == "".join(typed.split())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "text", ["Tom's well-known café 🙂🙂!", "don’t", "  THE\tstreet ", "我 love 龘", "a🇨🇳b", "e\u0301\u0302"]
)
def test_every_character_has_a_token(read, text: str, way: str) -> None:  # type: ignore[no-untyped-def]
    """In each way of cutting; nothing is unknown, as bytes spell what no pair has."""
    tokens = read(text, way)
    covered = {at for token in tokens for at in range(token.start, token.end)}

    assert {at for start, end in characters(text) for at in range(start, end)} <= covered
    assert all(token.known and token.id != UNKNOWN for token in tokens)


@unhurried
@given(text=anything, way=st.sampled_from(("bpe", "characters", "spaces")))
def test_any_text_is_read_in_order(tokenizers: Tokenizers, learned: Bilingual, text: str, way: str) -> None:
    """Bytes share the span of their character; a token's text is what stands there."""
    tokens = tokenizers.source(text, Config(tokenizer=way), learned)

    for left, right in pairwise(tokens):
        assert left.end <= right.start or (left.start, left.end) == (right.start, right.end)
    for token in tokens:
        shown = text[token.start : token.end]
        assert token.text.removeprefix("␣") in ("", shown) or token.text.startswith(f"{shown} ") or "…" in token.text


def test_white_space_cuts_words_whole_or_in_byte_pairs(read) -> None:  # type: ignore[no-untyped-def]
    """A word that is no symbol knows the word that it is a part of."""
    tokens = read("The streets", "spaces")

    assert [(token.text, token.word) for token in tokens] == [("␣The", None), ("␣street", (4, 11)), ("s", (4, 11))]
    assert [token.id for token in read("streets", "spaces")] == [token.id for token in read("streets")]


def test_characters_are_read_one_by_one(read) -> None:  # type: ignore[no-untyped-def]
    """With the space before it, where the vocabulary has that."""
    tokens = read("the street", "characters")

    assert [token.text for token in tokens] == ["␣t", "h", "e", "s", "t", "r", "e", "e", "t"]


def test_cuts_by_hand_are_looked_up_whole(read) -> None:  # type: ignore[no-untyped-def]
    """Capitals as small letters; what is no symbol is unknown."""
    tokens = read("The street", cuts=((0, 3), (4, 7), (7, 10)))

    assert [(token.text, token.known) for token in tokens[:1]] == [("␣The", True)]
    assert tokens[0].id == read("the")[0].id
    assert read("Thestreet", cuts=((0, 9),))[0].known is False


def test_byte_pairs_fold_into_words(read) -> None:  # type: ignore[no-untyped-def]
    """With the capitals that were typed."""
    tokens = read("Streets of Tiananmen")

    assert word_texts(tokens, word_groups(tokens)) == ("Streets", "of", "Tiananmen")


@pytest.mark.parametrize("way", ["bpe", "characters", "spaces"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tom didn't cross", ("Tom", "didn't", "cross")),
        ("THE WELL-KNOWN café", ("THE", "WELL-KNOWN", "café")),
        ("doesn’t he?", ("doesn’t", "he", "?")),
        ("cafe\u0301s' street", ("cafe\u0301s", "'", "street")),
    ],
)
def test_contractions_hyphens_and_accents_are_in_one_word(  # type: ignore[no-untyped-def]
    read, text: str, words: tuple[str, ...], way: str
) -> None:
    """However they were cut; the tokens of a word stand where it was typed."""
    tokens = read(text, way)
    groups = word_groups(tokens)

    assert [text[tokens[places[0]].start : tokens[places[-1]].end] for places in groups] == list(words)


def test_a_chinese_target_is_cut_into_words_and_characters(tokenizers: Tokenizers, learned: Bilingual) -> None:
    """As a Chinese source is; and its ids are text again."""
    tokens = tokenizers.target("汤姆沒有开门。", learned)

    assert tokens[0].id == BEGIN
    assert [(token.text, token.start, token.end) for token in tokens[1:]] == [
        ("汤姆", 0, 2), ("沒有", 2, 4), ("开门", 4, 6), ("。", 6, 7),
    ]  # fmt: skip
    assert learned.target_text(token.id for token in tokens[1:]) == "汤姆没有开门。"
    again = learned.target_tokens([token.id for token in tokens[1:]])
    assert [(token.start, token.end) for token in again] == [(token.start, token.end) for token in tokens]
