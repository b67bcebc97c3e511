"""From text to tokens as the Config says."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import resources
from explorer.config import Config, find_knob
from explorer.errors import BadCut, ControlCharacter, EmptyText, LoneSurrogate
from explorer.tokens.cuts import merged, split
from explorer.tokens.graphemes import Spans
from explorer.tokens.token import Token
from explorer.tokens.tokenizer import Tokenizers
from tests.tokens.texts import anything, unhurried

KINDS = find_knob("tokenizer").choices
SENTENCE = "我爱北京天安门"


def config(kind: str = "jieba", **knobs: object) -> Config:
    return Config().changed(tokenizer=kind, **knobs)


def texts(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]


def spans(tokens: tuple[Token, ...]) -> Spans:
    return tuple((token.start, token.end) for token in tokens)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("jieba", SENTENCE, ["我", "爱", "北京", "天安门"]),
        ("jieba-full", SENTENCE, ["我", "爱", "北京", "天安", "天安门"]),
        ("jieba-search", SENTENCE, ["我", "爱", "北京", "天安", "天安门"]),
        ("characters", SENTENCE, list(SENTENCE)),
        ("spaces", "The cat, 我爱", ["The", "cat", ",", "我爱"]),
        ("bpe", "我们 the", ["我们", "␣the"]),
    ],
)
def test_each_kind_cuts_its_own_way(tokenizers: Tokenizers, kind: str, text: str, expected: list[str]) -> None:
    """One knob chooses among all of them."""
    assert texts(tokenizers.tokenize(text, config(kind))) == expected


def test_the_hidden_markov_model_is_a_knob(tokenizers: Tokenizers) -> None:
    """Without it 杭研 falls into characters."""
    assert "杭研" in texts(tokenizers.tokenize("网易杭研大厦", config()))
    assert "杭研" not in texts(tokenizers.tokenize("网易杭研大厦", config(jieba_hmm=False)))


@unhurried
@given(anything, st.sampled_from([kind for kind in KINDS if kind != "bpe"]))
def test_a_token_is_the_text_at_its_span(tokenizers: Tokenizers, text: str, kind: str) -> None:
    """Whatever was typed, right-to-left and emoji too."""
    tokens = tokenizers.tokenize(text, config(kind))

    assert tokens
    assert all(token.text == text[token.start : token.end] for token in tokens)
    assert all(not token.text.isspace() for token in tokens)


@unhurried
@given(anything, st.sampled_from(KINDS), st.sampled_from([16, 300, 8000, 50000]))
def test_an_id_is_that_of_a_symbol(tokenizers: Tokenizers, text: str, kind: str, size: int) -> None:
    """Every id is below the number of symbols, and unknown means <unk>."""
    knobs = config(kind, vocab_size=size)
    symbols = tokenizers.symbols(knobs)

    for token in tokenizers.tokenize(text, knobs):
        assert 0 <= token.id < len(symbols) <= size
        assert token.known == (symbols[token.id] != "<unk>")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_word_has_the_same_id_in_every_sentence(tokenizers: Tokenizers, kind: str) -> None:
    """Ids come from the vocabulary, not from the sentence."""
    ids: dict[str, int] = {}
    for text in (SENTENCE, "北京 的 天安门", "我们爱北京", "I love Beijing", "They love 北京 "):
        for token in tokenizers.tokenize(text, config(kind)):
            assert ids.setdefault(token.text, token.id) == token.id


def test_a_traditional_word_has_the_id_of_its_simplified_form(tokenizers: Tokenizers) -> None:
    """What is shown stays as it was typed."""
    (traditional,) = tokenizers.tokenize("圖書館", config())
    (simplified,) = tokenizers.tokenize("图书馆", config())

    assert (traditional.text, traditional.id, traditional.known) == ("圖書館", simplified.id, True)


def test_a_word_outside_the_vocabulary_is_marked(tokenizers: Tokenizers) -> None:
    """It gets the id of <unk>."""
    assert tokenizers.tokenize("龘", config()) == (Token("龘", 1, 0, 1, False),)


def test_a_smaller_vocabulary_knows_fewer_words(tokenizers: Tokenizers) -> None:
    """And has exactly as many symbols as asked for, or all there are."""
    few = tokenizers.tokenize(SENTENCE, config(vocab_size=16))
    many = tokenizers.tokenize(SENTENCE, config(vocab_size=8000))

    assert sum(token.known for token in few) < sum(token.known for token in many) == 4
    assert len(tokenizers.symbols(config(vocab_size=100))) == 100
    assert 10_000 < len(tokenizers.symbols(config(vocab_size=50000))) < 50_000


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_text_is_refused(tokenizers: Tokenizers, kind: str) -> None:
    """Before anything is cut."""
    for text, error in ((" \n", EmptyText), ("我\0", ControlCharacter), ("\udc00", LoneSurrogate)):
        with pytest.raises(error):
            tokenizers.tokenize(text, config(kind))


def test_added_words_hold_for_one_call(tokenizers: Tokenizers) -> None:
    """The next text knows nothing of them."""
    assert texts(tokenizers.tokenize("石墨烯片", config(), words=("石墨烯片",))) == ["石墨烯片"]
    assert texts(tokenizers.tokenize("石墨烯片", config())) != ["石墨烯片"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bpe"])
def test_cuts_by_hand_are_taken_as_they_are(tokenizers: Tokenizers, kind: str) -> None:
    """In every kind, with the white space around them left out."""
    tokens = tokenizers.tokenize("我爱 北京", config(kind), cuts=((0, 3), (3, 5)))

    assert [(token.text, token.start, token.end) for token in tokens] == [("我爱", 0, 2), ("北京", 3, 5)]
    assert tokens[1].known


def test_cutting_by_hand_and_back(tokenizers: Tokenizers) -> None:
    """Merge and split start from the spans of the tokens shown."""
    before = spans(tokenizers.tokenize(SENTENCE, config()))

    joined = merged(before, 2)

    assert texts(tokenizers.tokenize(SENTENCE, config(), cuts=joined)) == ["我", "爱", "北京天安门"]
    assert split(joined, 2, 4) == before


def test_cuts_by_hand_under_byte_pairs(tokenizers: Tokenizers) -> None:
    """Each is one token, unknown if it is no symbol; a character in bytes stays in bytes."""
    text = "我龘 the cat"
    before = tokenizers.tokenize(text, config("bpe"))

    same = tokenizers.tokenize(text, config("bpe"), cuts=spans(before))
    joined = tokenizers.tokenize(text, config("bpe"), cuts=merged(spans(before), len(before) - 2))

    assert [(token.text, token.id) for token in same] == [(token.text, token.id) for token in before]
    assert (joined[-1].text, joined[-1].known) == ("the cat", False)


def test_cuts_that_do_not_fit_are_refused(tokenizers: Tokenizers) -> None:
    """Such as those of a longer text."""
    with pytest.raises(BadCut):
        tokenizers.tokenize("我爱", config(), cuts=((0, 1), (1, 3)))


def test_a_row_of_ids_is_text_again(tokenizers: Tokenizers) -> None:
    """What a model writes can be read."""
    tokens = tokenizers.tokenize("我爱 Beijing.", config("bpe"))

    assert tokenizers.decode(tuple(token.id for token in tokens), config("bpe")) == "我爱 Beijing."


def test_the_users_cache_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never the shared temp folder."""
    monkeypatch.setattr(resources, "cache_folder", lambda: tmp_path)

    Tokenizers().tokenize(SENTENCE, config())

    assert [path.name for path in tmp_path.iterdir()] == ["jieba.words"]
