"""Tokenizers of strangers, asked through the fence: whatever they are, there are tokens or a sentence that says why not."""

import collections
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
import regex
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from explorer.errors import (
    BadVocabulary,
    ControlCharacter,
    ExplorerError,
    NoTokenizer,
    TokenizerFailed,
    TokenizerTooLarge,
    TokenizerTooSlow,
    VocabularyTooLarge,
    VocabularyTooSlow,
)
from explorer.lang import LANGUAGES, Words
from explorer.tokens import behind_fence
from explorer.tokens.behind_fence import read_tokenizer
from explorer.tokens.fence import Limits
from explorer.tokens.fenced_tokenizer import LIMITS, FencedTokenizer, open_tokenizer
from tests.sweeps import sweep
from tests.tokens.strange import TEXTS, strange_tokenizer
from tests.tokens.test_behind_fence import ODD, by_bytes, with_fallback, word_pieces

TIGHT = Limits(opening_s=5, seconds=0.3, memory_bytes=2**28)
PIECES = {"a": 0, "b": 1, "<unk>": 2}


def words(**parts: Any) -> Tokenizer:
    """A tokenizer of three words, with these parts."""
    made = Tokenizer(models.WordLevel(PIECES, unk_token="<unk>"))
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def opened(folder: Path, made: Tokenizer | dict[str, Any], limits: Limits = TIGHT) -> FencedTokenizer:
    content = made.to_str() if isinstance(made, Tokenizer) else json.dumps(made)
    (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    return open_tokenizer(folder, "any", limits=limits)


@pytest.mark.parametrize("make", [by_bytes, with_fallback, word_pieces])
def test_tokens_are_those_of_the_tokenizer_itself(make: Any, tmp_path: Path) -> None:
    """To the last field, with and without special tokens; so is the text of ids, and what there is for each id."""
    fenced = opened(tmp_path, make())
    itself = read_tokenizer(tmp_path, "any")

    for special in (True, False):
        assert fenced.tokenize(ODD, special=special) == itself.tokenize(ODD, special=special)
    ids = tuple(token.id for token in itself.tokenize(ODD))
    assert fenced.decode(ids) == itself.decode(ids)
    assert fenced.size == itself.size
    assert [fenced.id_of(piece) for piece in ("我", "none")] == [itself.id_of(piece) for piece in ("我", "none")]
    assert fenced.symbols(400) == tuple(itself.names.get(number, "") for number in range(400))


def test_tokens_of_ids_and_how_many_characters_fit(tmp_path: Path) -> None:
    """An id without a piece has an empty text; a text of a great many characters fits no model."""
    fenced = opened(tmp_path, with_fallback())

    assert [fenced.token(number).text for number in (1, 259, 2 + 0xE4, 999)] == ["<s>", "我", "E4", ""]
    assert [fenced.token(number).special for number in (1, 259, 999)] == [True, False, False]
    assert fenced.symbols(3) == ("<unk>", "<s>", "U+0000")
    assert (fenced.most_letters(512), fenced.most_letters(100_000)) == (65_536, 600_000)


def test_a_folder_without_a_vocabulary_and_a_forbidden_text_are_refused(tmp_path: Path) -> None:
    """As they are without a fence."""
    with pytest.raises(NoTokenizer):
        open_tokenizer(tmp_path, "any")
    with pytest.raises(ControlCharacter):
        opened(tmp_path, words()).tokenize("a\x00b")


def test_a_pattern_that_backtracks_for_ever_is_refused_for_the_text_alone(tmp_path: Path) -> None:
    """The library panics where one word takes long, and goes on for ever where there are many."""
    fenced = opened(tmp_path, words(pre_tokenizer=pre_tokenizers.Split(Regex("(a+)+$"), "isolated")))

    assert [token.id for token in fenced.tokenize("a")] == [0]
    with pytest.raises(TokenizerFailed, match="PanicException"):
        fenced.tokenize("a" * 40 + "!")
    assert [token.id for token in fenced.tokenize("b")] == [1]
    with pytest.raises(TokenizerTooSlow, match=r"0\.3"):
        fenced.tokenize(("a" * 20 + "! ") * 10_000)
    assert [token.id for token in fenced.tokenize("b")] == [1]


def test_replacements_that_double_a_text_again_and_again_are_refused(tmp_path: Path) -> None:
    """22 of them took 90 s; the trial at opening has one "a"."""
    made = Tokenizer(models.BPE({"a": 0}, []))
    made.normalizer = normalizers.Sequence([normalizers.Replace("a", "aa")] * 22)
    with pytest.raises((VocabularyTooLarge, VocabularyTooSlow)):
        opened(tmp_path, made)
    made.normalizer = normalizers.Sequence([normalizers.Replace("b", "bb"), *[normalizers.Replace("b", "aab")] * 1000])
    fenced = opened(tmp_path, made)
    assert len(fenced.tokenize("a")) == 1
    with pytest.raises(TokenizerTooSlow):
        fenced.tokenize("b" * 1000)


def test_a_very_long_prefix_is_refused_or_one_unknown_word(tmp_path: Path) -> None:
    """Ten million letters before each text take 400 MB, and the file itself 10."""
    made = words(normalizer=normalizers.Prepend("x" * 10**7))

    assert [(token.id, token.known) for token in opened(tmp_path, made, LIMITS).tokenize("a")] == [(2, False)]
    with pytest.raises(VocabularyTooLarge, match=r"2\d\d MB"):
        opened(tmp_path, made, attrs.evolve(TIGHT, memory_bytes=2**26))


def test_an_id_far_away_is_refused_at_once(tmp_path: Path) -> None:
    """To write such a vocabulary took the library 4 GB, and so did the names of all ids below 10⁹."""
    near = words().to_str()
    with pytest.raises(BadVocabulary, match="1,000,000,000"):
        opened(tmp_path, json.loads(near.replace('"b":1', f'"far":{10**9}')))
    apart = opened(tmp_path, json.loads(near.replace('"b":1', '"b":16000000')))
    assert (apart.size, apart.token(16_000_000).text, apart.symbols(3)) == (16_000_001, "b", ("a", "", "<unk>"))


def test_a_million_letters_are_one_token_or_take_too_long(tmp_path: Path) -> None:
    """One word of a million letters that the vocabulary lacks took 16 s."""
    slow = Tokenizer(models.WordPiece(PIECES, unk_token="<unk>", max_input_chars_per_word=10**9))
    with pytest.raises(TokenizerTooSlow):
        opened(tmp_path, slow).tokenize("a" * 10**6)
    assert [token.id for token in opened(tmp_path, words(), LIMITS).tokenize("a" * 10**6)] == [2]


def test_a_text_of_which_much_is_made_is_refused(tmp_path: Path) -> None:
    """A million tokens are more than an answer may have; so is a text that a decoder makes longer and longer."""
    many = words(pre_tokenizer=pre_tokenizers.Split("a", "isolated"))
    with pytest.raises(TokenizerTooLarge, match="1 MB"):
        opened(tmp_path, many, Limits(opening_s=9, seconds=9, memory_bytes=2**30, answer_bytes=2**20)).tokenize("a" * 10**5)
    longer = words(decoder=decoders.Sequence([decoders.Replace("a", "aa")] * 21))
    with pytest.raises(TokenizerFailed, match="1,048,576"):
        opened(tmp_path, longer, LIMITS).decode((0,))


def test_the_text_of_a_token_is_not_endless(tmp_path: Path) -> None:
    """A picture would be as wide as its label."""
    long = "ab" * 5000
    fenced = opened(tmp_path, Tokenizer(models.WordLevel({long: 0, "b": 1}, unk_token="b")))

    assert len(fenced.tokenize(long)[0].text) == len(fenced.symbols(1)[0]) == 256
    assert fenced.most_letters(10) == 100_000


def test_an_id_that_a_frame_adds_is_given_as_it_is(tmp_path: Path) -> None:
    """Whether a model has a vector for it is the model's affair."""
    frame = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 10**6)])
    assert opened(tmp_path, words(post_processor=frame)).tokenize("a b")[0].id == 10**6


def test_a_folder_that_somebody_wrote_to_is_not_read_again(tmp_path: Path) -> None:
    """After a process was ended, the next one may find another vocabulary, whose ids mean other pieces."""
    fenced = opened(tmp_path, words())
    fenced.end()
    assert fenced.tokenize("a")[0].id == 0
    fenced.end()
    (tmp_path / "tokenizer.json").write_text(Tokenizer(models.WordLevel({"b": 0}, unk_token="b")).to_str())
    with pytest.raises(TokenizerFailed, match="changed"):
        fenced.tokenize("a")


ODD_LETTERS = regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}]")


def outcomes(fenced: FencedTokenizer) -> Iterator[str]:
    """What becomes of each text and of its ids: checked tokens, or the name of an error whose sentence is checked."""
    for text in TEXTS:
        try:
            tokens = fenced.tokenize(text)
            assert all(0 <= token.start <= token.end <= len(text) and token.id >= 0 for token in tokens)
            assert all(len(token.text) <= 256 and not ODD_LETTERS.search(token.text) for token in tokens)
            assert len(fenced.decode(tuple(token.id for token in tokens))) <= 2**20
            yield "tokens"
        except ExplorerError as error:
            yield told(error)


def told(error: ExplorerError) -> str:
    for language in LANGUAGES:
        sentence = Words.load(language).error(error)
        assert len(sentence) < 600
        assert not ODD_LETTERS.search(sentence)
    return type(error).__name__


def tried(seed: int, folder: Path) -> list[str]:
    try:
        fenced = opened(folder, strange_tokenizer(random.Random(seed)), attrs.evolve(TIGHT, opening_s=1))
    except ExplorerError as error:
        return [told(error)]
    found = list(outcomes(fenced))
    fenced.end()
    return found


@pytest.mark.slow  # It starts a process for each of them, and some of these run until their time is over.
@pytest.mark.parametrize("tens", sweep(range(6), telling=[0]))
def test_whatever_a_tokenizer_is_made_of_there_are_tokens_or_a_sentence(tens: int, tmp_path: Path) -> None:
    """Of strange parts put together by chance; every call comes back, since time and memory are limited."""
    found = collections.Counter(each for seed in range(10 * tens, 10 * tens + 10) for each in tried(seed, tmp_path))
    assert "tokens" in found and any(each.startswith(("BadVocabulary", "Vocabulary")) for each in found)


def test_what_runs_behind_the_fence(tmp_path: Path) -> None:
    """Asked without a process: what there is to know at once, and an answer to each kind of question."""
    with_fallback().save(str(tmp_path / "tokenizer.json"))
    about, answer = behind_fence.KINDS["tokenizer"]({"folder": str(tmp_path), "family": "any", "told": {}})

    assert (about["ids"], len(about["names"])) == (list(range(262)), 262)
    assert (about["special"], about["longest"]) == ([0, 1], 6)
    assert answer({"what": "tokenize", "text": "a我", "special": True}) == [
        ["<s>", 1, 0, 0, True, True],
        ["␣a", 261, 0, 1, True, False],
        ["我", 259, 1, 2, True, False],
    ]
    assert answer({"what": "decode", "ids": [1, 261, 259]}) == "a我"
    assert answer({"what": "id_of", "piece": "我"}) == 259
    with pytest.raises(ValueError, match="1,048,576"):
        answer({"what": "decode", "ids": [259] * (behind_fence.MOST_LETTERS + 1)})
