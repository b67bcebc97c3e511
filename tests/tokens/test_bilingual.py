"""The two vocabularies of a translator."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.config import Config
from explorer.errors import BadVocabulary, DiskFull
from explorer.lang import LANGUAGES, Words
from explorer.tokens.bilingual import SOURCE_FILE, TARGET_FILE, Bilingual
from explorer.tokens.bpe import BYTES, Encoder
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.vocabulary import BEGIN, SPECIALS, UNKNOWN, Vocabulary
from tests.tokens.texts import unhurried

ENGLISH = ("␣", *"abcdeghilnov", "␣I", "␣a", "lo", "␣lo", "␣love", "ve", "in", "ing")
SMALL = Bilingual(
    Vocabulary((*SPECIALS, "我", "爱", "图书馆", "图", "书", "馆", "干")), Vocabulary((*SPECIALS, *BYTES, *ENGLISH))
)


def ids(*symbols: str) -> tuple[int, ...]:
    return tuple(SMALL.target.symbols.index(symbol) for symbol in symbols)


def of(character: str) -> tuple[str, ...]:
    """The byte symbols of a character."""
    return tuple(f"<0x{byte:02X}>" for byte in character.encode())


# Learning


def test_words_seen_five_times_and_characters_seen_twice_are_symbols(segmenter: Segmenter) -> None:
    """Most frequent first; rarer ones are not."""
    pairs = [*[("北京", "a")] * 5, *[("天安门", "a")] * 4, ("龘", "a")]
    learned = Bilingual.learn(pairs, segmenter, 300)

    assert set(learned.source.symbols) == {*SPECIALS, "北京", "北", "京", "天", "安", "门"}
    assert learned.source.symbols[4:7] == ("京", "北", "北京")
    assert learned.source.symbols[7:] == ("天", "安", "门")


def test_learning_twice_gives_the_same(segmenter: Segmenter) -> None:
    """Ties too: a resumed training must find the same ids."""
    pairs = [("我爱北京", "I love Beijing"), ("你爱上海", "you love Shanghai")] * 6

    assert Bilingual.learn(pairs, segmenter, 320) == Bilingual.learn(pairs, segmenter, 320)


@pytest.mark.parametrize("size", [260, 270, 290])
def test_the_target_has_at_most_as_many_symbols_as_asked(segmenter: Segmenter, size: int) -> None:
    """The special ones, all bytes, then what byte-pair encoding learned."""
    learned = Bilingual.learn([("我", "love live leave glove")] * 3, segmenter, size)

    assert len(learned.target) <= size
    assert learned.target.symbols[:260] == (*SPECIALS, *BYTES)


def test_any_target_sentence_comes_back(segmenter: Segmenter) -> None:
    """What was never seen is written in bytes."""
    learned = Bilingual.learn([("我", "I love you.")] * 3, segmenter, 280)
    for text in ("I love you.", "Ünïcödé 我 😀!", "a  b"):
        assert learned.target_text(learned.target_ids(text)) == " ".join(text.split())


# Files


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """And has the same fingerprint, which another order of the symbols has not."""
    SMALL.write(tmp_path)
    again = Bilingual.read(tmp_path)

    assert again == SMALL
    assert again.sha256 == SMALL.sha256
    assert Bilingual(Vocabulary((*SPECIALS, "爱", "我")), SMALL.target).sha256 != SMALL.sha256
    assert Bilingual(SMALL.source.capped(6), SMALL.target).sha256 != SMALL.sha256


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"a\nb\n", "\n".join((*SPECIALS, "我", "我")).encode()])
@pytest.mark.parametrize("name", [SOURCE_FILE, TARGET_FILE])
def test_a_bad_file_is_told_by_its_path(tmp_path: Path, name: str, content: bytes | None, language: str) -> None:
    """Missing, empty, no UTF-8, without the special symbols, a symbol twice."""
    SMALL.write(tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadVocabulary) as caught:
        Bilingual.read(tmp_path)

    assert str(tmp_path / name) in Words.load(language).error(caught.value)


def test_a_full_disk_leaves_the_older_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a vocabulary would be a smaller one, and nobody would notice."""
    SMALL.write(tmp_path)

    def full(self: Vocabulary, path: Path) -> None:
        path.write_text("<pad>\n")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Vocabulary, "write", full)
    with pytest.raises(DiskFull):
        Bilingual(SMALL.target, SMALL.source).write(tmp_path)

    assert Bilingual.read(tmp_path) == SMALL
    assert sorted(path.name for path in tmp_path.iterdir()) == [SOURCE_FILE, TARGET_FILE]


def test_the_source_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a source vocabulary has both."""
    names: list[str] = []

    def noted(self: Vocabulary, path: Path) -> None:
        names.append("source" if self == SMALL.source else "target")
        path.write_text("x")

    monkeypatch.setattr(Vocabulary, "write", noted)
    SMALL.write(tmp_path)

    assert names == ["target", "source"]


# The source


def words_of(text: str, *spans: tuple[int, int], simplifier: Simplifier | None = None) -> list[str]:
    found = SMALL.source_spans(text, spans, simplifier or Simplifier())
    return [text[start:end] for start, end in found]


def test_an_unknown_word_falls_apart_into_characters() -> None:
    """A known one stays whole, an unknown character stands alone."""
    assert words_of("图书馆书图龘", (0, 3), (3, 6)) == ["图书馆", "书", "图", "龘"]


def test_a_character_knows_the_word_that_fell_apart(tokenizers: Tokenizers) -> None:
    """The span of the word as it was cut first; a word that stays whole, and one of a single character, have none."""
    tokens = tokenizers.source("我爱书图馆龘", Config(), SMALL, words=("书图馆",))

    assert [(token.text, token.word) for token in tokens] == [
        ("我", None), ("爱", None), ("书", (2, 5)), ("图", (2, 5)), ("馆", (2, 5)), ("龘", None),
    ]  # fmt: skip


def test_traditional_words_are_looked_up_in_simplified_form(tokenizers: Tokenizers) -> None:
    """圖書館 has the id of 图书馆 and keeps its own look."""
    tokens = tokenizers.source("我愛圖書館", Config(), SMALL)
    simplified = tokenizers.source("我爱图书馆", Config(), SMALL)

    assert [token.text for token in tokens] == ["我", "愛", "圖書館"]
    assert [token.id for token in tokens] == [token.id for token in simplified] == [4, 5, 6]
    assert all(token.known for token in tokens)


def test_a_character_that_falls_off_a_traditional_word_is_looked_up_too(tokenizers: Tokenizers) -> None:
    """書館 is no symbol; 书 and 馆 are."""
    assert [token.id for token in tokenizers.source("書館", Config(), SMALL, cuts=None)] == [8, 9]


def test_a_word_that_is_kept_whole_is_one_that_will_be_found() -> None:
    """A character may have one simplified form in its sentence and another by itself; only the latter is looked up."""
    in_context = Simplifier(lambda text: {"圖書館x": "图书馆x", "圖": "图"}.get(text, text))

    assert words_of("圖書館x", (0, 3), (3, 4), simplifier=in_context) == ["圖", "書", "館", "x"]
    assert words_of("圖書館x", (0, 3), (3, 4)) == ["圖書館", "x"]


def test_an_unknown_source_character_is_unknown(tokenizers: Tokenizers) -> None:
    """It has the id of <unk> and says so."""
    (token,) = tokenizers.source("龘", Config(), SMALL)

    assert (token.id, token.known) == (UNKNOWN, False)


# The target


def test_target_tokens_begin_with_the_begin_symbol_and_stand_where_they_are_read() -> None:
    """Blanks stand outside words, as when a typed text is cut."""
    tokens = SMALL.target_tokens(ids("␣I", "␣lo", "ve", "␣", *of("龘"), "␣a"))
    text = "I love 龘 a"

    assert (tokens[0].id, tokens[0].start, tokens[0].end) == (BEGIN, 0, 0)
    assert [text[token.start : token.end] for token in tokens[1:]] == ["I", "lo", "ve", " ", "龘", "龘", "龘", "a"]
    assert SMALL.target_text([token.id for token in tokens[1:]]) == text


@pytest.mark.parametrize("text", ["I love 龘 a", "love loving 我 😀é, a", "龘龘 I", "in", "我"])
def test_target_tokens_stand_where_the_encoder_puts_them(text: str) -> None:
    """Encoding the text and reading ids back are two ways to the same places."""
    encoded = Encoder(SMALL.target).encode(text)
    read = SMALL.target_tokens(SMALL.target_ids(text))[1:]

    assert [(each.id, each.start, each.end) for each in read] == [(each.id, each.start, each.end) for each in encoded]


def test_broken_bytes_are_named_where_they_stand() -> None:
    """A model may write half a character."""
    row = ids("␣I", of("龘")[0], "␣a")
    tokens = SMALL.target_tokens(row)

    assert SMALL.target_text(row) == "I<0xE9> a"
    assert [(token.start, token.end) for token in tokens[1:]] == [(0, 1), (1, 7), (8, 9)]


def test_special_symbols_take_no_room() -> None:
    """Only the unknown one is seen."""
    tokens = SMALL.target_tokens(ids("<pad>", "␣I", "<unk>", "<bos>", "␣a"))

    assert SMALL.target_text(token.id for token in tokens[1:]) == "I<unk> a"
    assert [(token.start, token.end) for token in tokens] == [(0, 0), (0, 0), (0, 1), (1, 6), (6, 6), (7, 8)]
    assert [token.known for token in tokens] == [True, True, True, False, True, True]


def _rows() -> Iterator[st.SearchStrategy[list[int]]]:
    yield st.lists(st.integers(0, len(SMALL.target) - 1), max_size=12)
    yield st.lists(st.sampled_from(ids(*of("龘"), *of("é"), "␣", "␣a", "a")), max_size=12)


@unhurried
@given(st.one_of(*_rows()))
def test_target_tokens_cover_the_text_in_order_whatever_the_model_says(row: list[int]) -> None:
    """No span leaves the text, none goes back, and what no token covers is a blank."""
    text = SMALL.target_text(row)
    spans = [(token.start, token.end) for token in SMALL.target_tokens(row)]
    covered = {place for start, end in spans for place in range(start, end)}

    assert len(spans) == len(row) + 1
    assert spans == sorted(spans)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(text[place] == " " for place in set(range(len(text))) - covered)


def test_a_cap_reaches_both_sides() -> None:
    """And a large one changes nothing."""
    assert (len(SMALL.capped(6, 300).source), len(SMALL.capped(6, 265).target)) == (6, 265)
    assert SMALL.capped(1000, 1000) is SMALL


def test_punctuation_of_another_keyboard_is_the_same_mark(tokenizers: Tokenizers) -> None:
    """A half-width question mark is looked up as the full-width one; what is shown is what was typed."""
    bilingual = Bilingual(Vocabulary((*SPECIALS, "？", "我", "！")), SMALL.target)
    found = tokenizers.source("我?!;", Config(), bilingual)

    assert ["我", "?", "!", ";"] == [token.text for token in found]
    assert [5, 4, 6, UNKNOWN] == [token.id for token in found]
    assert [True, True, True, False] == [token.known for token in found]
