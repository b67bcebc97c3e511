"""Which tokens are one word, for tokens of every tokenizer; and folded attention, against loops in floats."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from explorer.config import Config
from explorer.errors import UnknownTap
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.bpe import BYTES
from explorer.tokens.foreign_tokenizer import ForeignTokenizer
from explorer.tokens.token import Token
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.vocabulary import SPECIALS, Vocabulary
from explorer.trace.word_groups import Groups, before, folded, folded_closed, folds, singles, word_groups, word_text, word_texts
from tests.picture.examples import begun, example
from tests.trace.measures.test_head_measures import random_weights


def words_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The words that the tokens are folded into."""
    groups = word_groups(tokens)
    assert sorted(place for group in groups for place in group) == list(range(len(tokens)))
    return word_texts(tokens, groups)


def in_a_row(*texts: str, gap_before: str = "␣␣") -> tuple[Token, ...]:
    """Tokens that stand one after the other, with a gap before those that have a mark."""
    made: list[Token] = []
    for text in texts:
        end = made[-1].end if made else 0
        start = end + (bool(made) and text[0] in gap_before)
        made.append(Token(text, 9, start, start + len(text), known=True))
    return tuple(made)


@pytest.fixture(scope="module")
def tokenizers() -> Tokenizers:
    return Tokenizers()


@pytest.mark.parametrize("name", ["bpe", "characters", "jieba", "jieba-search", "spaces"])
def test_english_words_are_folded_whatever_cut_them(tokenizers: Tokenizers, name: str) -> None:
    """Letters and digits without a space between them are a word; punctuation is not part of it."""
    tokens = tokenizers.tokenize("I love Tiananmen, in 2024!", Config(tokenizer=name))
    assert ("I", "love", "Tiananmen", ",", "in", "2024", "!") == words_of(tokens)


@pytest.mark.parametrize("name", ["jieba", "jieba-full", "jieba-search", "characters"])
def test_chinese_words_are_those_that_were_cut(tokenizers: Tokenizers, name: str) -> None:
    """Chinese has no spaces that would tell of further words, and in two modes jieba's words overlap."""
    tokens = tokenizers.tokenize("南京市长江大桥", Config(tokenizer=name))
    assert tuple(token.text for token in tokens) == words_of(tokens)


def test_bytes_are_folded_into_their_character_and_its_word(tokenizers: Tokenizers) -> None:
    """龘 and 𠮷 stand beside each other and stay two; the ï of naïve belongs to a word."""
    tokens = tokenizers.tokenize("龘𠮷 naïve", Config(tokenizer="bpe"))
    assert words_of(tokens)[-3:] == ("龘", "𠮷", "naïve")
    assert len(tokens) > 8


def test_bytes_that_a_translator_wrote_are_folded() -> None:
    """Their text is the name of a byte, so the place says which of them are one character."""
    vocabulary = Vocabulary((*SPECIALS, *BYTES, "␣a", "n"))
    ids = [
        vocabulary.symbols.index(s) for s in ("␣a", *(BYTES[b] for b in "é".encode()), "n", *(BYTES[b] for b in "龘".encode()))
    ]
    tokens = Bilingual(vocabulary, vocabulary).target_tokens(ids)
    assert words_of(tokens) == ("<bos>", "a", "é", "n", "龘")
    lonely = Bilingual(vocabulary, vocabulary).target_tokens([vocabulary.symbols.index(BYTES[0xE9])])
    assert words_of(lonely) == ("<bos>", "<0xE9>")


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (("␣T", "ian", "an", "men", "␣is", "."), ("Tiananmen", "is", ".")),  # GPT-2, Llama
        (
            ("␣Didn", "'", "t", "␣the", "␣well", "-", "known", "␣O", "'", "Bri", "en"),
            ("Didn't", "the", "well-known", "O'Brien"),
        ),
        (("␣don", "’t", "␣rock", "'n", "'", "roll", "␣I", "'d", "'ve"), ("don’t", "rock'n'roll", "I'd've")),
        (("␣'", "no", "'", "␣dogs", "'", "␣-", "x", "-", "-", "y"), ("'", "no", "'", "dogs", "'", "-", "x", "-", "-", "y")),
        (("我", "-", "你", "␣a", "-"), ("我", "-", "你", "a", "-")),
        (("tian", "##an", "##men", "is"), ("tiananmen", "is")),  # BERT, whose second "is" stands behind a space
        (("一⟨1/3⟩ E4", "一⟨2/3⟩ B8", "一⟨3/3⟩ 80", "丁⟨1/2⟩ E4 B8", "丁⟨2/2⟩ 81"), ("一", "丁")),  # bytes of others
        (("␣我", "爱", "北京"), ("我", "爱", "北京")),
        (("␣", "T", "ian", "␣", ",", "␣", "我"), ("Tian", "␣", ",", "␣", "我")),  # a mark by itself
        (("パ", "ン"), ("パ", "ン")),
    ],
)
def test_marks_of_others_are_understood(pieces: tuple[str, ...], words: tuple[str, ...]) -> None:
    """␣ begins a word and ## goes on with one; parts of a character say which part they are."""
    tokens = list(in_a_row(*pieces))
    if pieces[-1] == "is":
        tokens[-1] = Token("is", 9, 99, 101, known=True)
    assert words == words_of(tokens)


def test_a_tokenizer_of_others_is_understood() -> None:
    """Byte pairs as GPT-2 has them, with the places that the library gives, whether these have the space or not."""
    for trims in (True, False):
        made = Tokenizer(
            models.BPE(vocab={each: n for n, each in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}, merges=[])
        )
        made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        made.post_processor = processors.ByteLevel(trim_offsets=trims)
        tokens = ForeignTokenizer(made).tokenize("I love, 我爱 naïve 2024.")
        assert words_of(tokens) == ("I", "love", ",", "␣", "我", "爱", "naïve", "2024", ".")


def test_a_word_that_fell_apart_is_put_together() -> None:
    """What the vocabulary of a translator lacks comes in characters, each of which knows the word that jieba had cut."""
    pieces = (("我", None), ("甲", (1, 3)), ("乙", (1, 3)), ("丙", (3, 5)), ("丁", (3, 5)))
    tokens = [Token(text, 9, place, place + 1, known=True, word=word) for place, (text, word) in enumerate(pieces)]
    assert words_of(tokens) == ("我", "甲乙", "丙丁")


def test_special_tokens_belong_to_no_word() -> None:
    """[CLS] and what somebody else's model has in its place stand at the same empty span as others."""
    special = Token("a", 1, 0, 0, known=True, special=True)
    assert words_of((special, Token("b", 2, 0, 1, known=True), Token("c", 2, 1, 2, known=True))) == ("a", "bc")
    assert word_text((special,)) == "a"


def test_tokens_without_places_are_folded_by_their_marks() -> None:
    """What a model goes on with has no place in a typed text."""
    tokens = [Token(text, 5, 0, 0, known=True) for text in ("␣T", "ian", "␣is", "<0xE9>", "<0xE9>")]
    assert words_of(tokens) == ("Tian", "is", "<0xE9>", "<0xE9>")


def a_partition(n: int, seed: int) -> Groups:
    """Some partition of n places, whose words need not stand in a row."""
    rng = np.random.default_rng(seed)
    word_of = rng.integers(0, max(1, n // 2 + 1), n)
    return tuple(tuple(np.flatnonzero(word_of == word).tolist()) for word in rng.permutation(np.unique(word_of)))


def by_loops(weights: np.ndarray, queries: Groups, keys: Groups, closed: np.ndarray, *, sums: bool = True) -> list[list[float]]:
    """Sums over keys and averages over queries of [query, key], cell by cell; without `sums`, means over keys: a wrong fold."""

    def cell(rows: tuple[int, ...], columns: tuple[int, ...]) -> float:
        with_numbers = [q for q in rows if any(not closed[q, k] for k in range(weights.shape[1]))]
        found = [float(weights[q, k]) for q in with_numbers for k in columns if not closed[q, k]]
        if not found:
            return math.nan
        total = math.fsum(found) / len(with_numbers)
        return total if sums else total / len(columns)

    return [[cell(rows, columns) for columns in keys] for rows in queries]


@given(n=st.integers(1, 9), seed=st.integers(0, 99), causal=st.booleans())
def test_folded_weights_are_those_of_loops(n: int, seed: int, causal: bool) -> None:
    """For any partition of queries and of keys, with a mask and without."""
    weights = random_weights(3, n, n, seed, causal=causal)
    closed = np.triu(np.ones((n, n), bool), 1) if causal else np.zeros((n, n), bool)
    queries, keys = a_partition(n, seed), a_partition(n, seed + 1)
    found = folded(weights, queries, keys, closed)
    for head in range(3):
        np.testing.assert_allclose(found[head], by_loops(weights[head], queries, keys, closed), atol=1e-6)
    np.testing.assert_array_equal(folded_closed(closed, queries, keys), np.isnan(found[0]))


@given(n=st.integers(2, 9), seed=st.integers(0, 99), causal=st.booleans())
def test_folded_rows_still_sum_to_1(n: int, seed: int, causal: bool) -> None:
    """A row of a word is shared out among words, as those of tokens are among tokens."""
    weights = random_weights(2, n, n, seed, causal=causal)
    found = folded(weights, a_partition(n, seed), a_partition(n, seed + 1))
    np.testing.assert_allclose(found.sum(axis=-1, dtype=np.float64), 1, atol=1e-6)


def test_a_mean_over_keys_is_told_from_the_sum() -> None:
    """The checker of the two tests above can fail: a mean over keys has other cells, and its rows are less than 1."""
    weights, groups = random_weights(1, 5, 5, 3, causal=False), ((0,), (1, 2, 3), (4,))
    wrong = by_loops(weights[0], groups, groups, np.zeros((5, 5), bool), sums=False)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(folded(weights, groups, groups)[0], wrong, atol=1e-6)
    assert all(math.fsum(row) < 0.9999 for row in wrong)


def test_a_query_without_numbers_is_left_out_of_the_average() -> None:
    """A mask can leave a query no key at all; its word has the rows of the other tokens, and still sums to 1."""
    weights = np.array([[np.nan, np.nan], [0.25, 0.75]], np.float32)
    np.testing.assert_array_equal(folded(weights, ((0, 1),), ((0,), (1,))), [[0.25, 0.75]])
    closed = np.array([[True, True], [False, False]])
    np.testing.assert_array_equal(folded(np.nan_to_num(weights, nan=0.5), ((0, 1),), ((0,), (1,)), closed), [[0.25, 0.75]])
    np.testing.assert_array_equal(folded(weights[:1], ((0,),), ((0, 1),)), [[np.nan]])


def test_tokens_by_themselves_stay_as_they_are() -> None:
    """Without words of several tokens nothing is computed."""
    weights = random_weights(2, 4, 4, 0, causal=False)
    np.testing.assert_array_equal(folded(weights, singles(4), singles(4)), weights)
    assert not folds(singles(4))
    assert folds(((0, 1),))


@pytest.mark.parametrize("keys", [((0, 1),), ((0, 1), (1, 2)), ((0, 1, 2), ()), ((0, 1, 2, 3),)])
def test_words_that_leave_out_or_repeat_a_token_are_refused(keys: Groups) -> None:
    """Sums over them would not be shares."""
    with pytest.raises(ValueError, match="3 places once"):
        folded(np.full((3, 3), 1 / 3, np.float32), singles(3), keys)


def test_rows_that_write_the_next_token_belong_to_the_word_that_they_write() -> None:
    """<bos> I T·ian·an: the row of I writes T, so the word Tianan is rows 1 to 3; row 4 writes the end symbol."""
    assert before(((0,), (1,), (2, 3, 4)), 5) == ((0,), (1, 2, 3), (4,))
    assert before(((0,),), 1) == ((0,),)


def test_a_trace_folds_its_weights() -> None:
    """`trace.folded` has rows of the words that cross-attention writes, keeps what it made, and takes weights alone."""
    trace = begun(example(text="I love Tiananmen", target="x Tiananmen.", tokenizer="bpe"))
    tap = "decoder.layers.0.cross_attn.weights"
    own, source = trace.word_groups["target"], trace.word_groups["source"]
    rows = (*(tuple(place - 1 for place in group) for group in own[1:]), (len(trace.tokens.target) - 1,))
    assert trace.words_of(tap) == (rows, source)
    found = trace.folded(tap)
    np.testing.assert_allclose(found[1], by_loops(trace[tap][1], rows, source, np.zeros(trace.shape(tap)[1:], bool)), atol=1e-6)
    assert trace.folded(tap) is found and not found.flags.writeable
    own_tap = "decoder.layers.0.self_attn.weights"
    assert np.isnan(trace.folded(own_tap)[0, 0, 1:]).all()
    for wrong in ("decoder.layers.0.cross_attn.scores", "encoder.norm", "nothing"):
        with pytest.raises(UnknownTap):
            trace.folded(wrong)
