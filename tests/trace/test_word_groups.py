"""Which tokens are one word, for tokens of every tokenizer of ours and for those of others."""

from collections.abc import Sequence

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from explorer.config import Config
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.bpe import BYTES
from explorer.tokens.foreign_tokenizer import ForeignTokenizer
from explorer.tokens.token import Token
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.vocabulary import SPECIALS, Vocabulary
from explorer.trace.word_groups import word_groups, word_text, word_texts


def words_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The words that the tokens are folded into."""
    groups = word_groups(tokens)
    assert sorted(place for group in groups for place in group) == list(range(len(tokens)))
    return word_texts(tokens, groups)


def in_a_row(*texts: str, gap_before: str = "␣＿") -> tuple[Token, ...]:
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
    vocabulary = Vocabulary((*SPECIALS, *BYTES, "＿a", "n"))
    ids = [
        vocabulary.symbols.index(s) for s in ("＿a", *(BYTES[b] for b in "é".encode()), "n", *(BYTES[b] for b in "龘".encode()))
    ]
    tokens = Bilingual(vocabulary, vocabulary).target_tokens(ids)
    assert words_of(tokens) == ("<bos>", "a", "é", "n", "龘")
    lonely = Bilingual(vocabulary, vocabulary).target_tokens([vocabulary.symbols.index(BYTES[0xE9])])
    assert words_of(lonely) == ("<bos>", "<0xE9>")


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (("␣T", "ian", "an", "men", "␣is", "."), ("Tiananmen", "is", ".")),  # GPT-2, Llama
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
