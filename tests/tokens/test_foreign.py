"""Tokenizers of others: what they cut, where, and how it is shown. Real libraries make the files that are read here."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from explorer.errors import BadVocabulary, ControlCharacter, NotInstalled, NoTokenizer
from explorer.tokens.foreign import ForeignTokenizer, read_tokenizer

TEXTS = ["the quick brown fox jumps over the lazy dog 爱是", "我爱北京 the fox"] * 30
ODD = "the fox 爱是一种😀 x\n你好 \ufffd naïve"


def by_bytes() -> Tokenizer:
    """A byte-pair encoding as GPT-2 has it, learned here."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, special_tokens=["<|endoftext|>"], show_progress=False),
    )
    return made


def with_fallback() -> Tokenizer:
    """Llama's kind: pieces of text, and bytes for what they lack."""
    pieces = (
        {"<unk>": 0, "<s>": 1}
        | {f"<0x{byte:02X}>": 2 + byte for byte in range(256)}
        | {"▁": 258, "我": 259, "a": 260, "▁a": 261}
    )
    made = Tokenizer(models.BPE(vocab=pieces, merges=[("▁", "a")], unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens(["<unk>", "<s>"])
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return made


PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "un", "##believ", "##able", "cafe", "我", "爱", "!"]


def word_pieces() -> Tokenizer:
    made = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    made.add_special_tokens(PIECES[:5])
    made.enable_truncation(4)
    made.enable_padding(length=16)
    return made


def written(folder: Path, made: Tokenizer) -> ForeignTokenizer:
    made.save(str(folder / "tokenizer.json"))
    return read_tokenizer(folder, "any")


@pytest.mark.parametrize("make", [by_bytes, with_fallback, word_pieces])
def test_ids_are_those_of_the_library_and_every_text_is_legible(make: Any, tmp_path: Path) -> None:
    """Also for characters that the vocabulary lacks."""
    tokenizer = written(tmp_path, make())
    plain = make()
    plain.no_truncation()
    plain.no_padding()

    tokens = tokenizer.tokenize(ODD)

    assert [token.id for token in tokens] == plain.encode(ODD).ids
    assert all(token.text and "\ufffd" not in token.text for token in tokens)
    assert all(0 <= token.start <= token.end <= len(ODD) for token in tokens)


@pytest.mark.parametrize("make", [by_bytes, with_fallback])
def test_the_spans_cover_every_character_but_spaces(make: Any, tmp_path: Path) -> None:
    """Each piece of a character has the span of the whole one."""
    tokens = written(tmp_path, make()).tokenize(ODD)
    covered = {place for token in tokens for place in range(token.start, token.end)}
    assert {place for place, letter in enumerate(ODD) if not letter.isspace()} <= covered


def test_a_character_in_bytes_is_shown_in_parts(tmp_path: Path) -> None:
    """Llama's kind has 爱 in three bytes, and 我 whole."""
    tokens = written(tmp_path, with_fallback()).tokenize("a我爱")

    assert [token.text for token in tokens] == ["<s>", "␣a", "我", "爱⟨1/3⟩ E7", "爱⟨2/3⟩ 88", "爱⟨3/3⟩ B1"]
    assert [token.special for token in tokens] == [True] + [False] * 5
    assert {(token.start, token.end) for token in tokens[3:]} == {(2, 3)}


def test_truncation_and_padding_are_switched_off(tmp_path: Path) -> None:
    """A file that cuts off at 4 and fills up to 16 gives the text as it is; unknown words say so."""
    tokens = written(tmp_path, word_pieces()).tokenize("The unbelievable 我門 Café!")

    assert [token.text for token in tokens] == ["[CLS]", "the", "un", "##believ", "##able", "我", "[UNK]", "cafe", "!", "[SEP]"]
    assert [token.text for token in tokens if token.special] == ["[CLS]", "[SEP]"]
    assert [token.known for token in tokens].index(False) == 6
    assert (tokens[6].start, tokens[6].end) == (18, 19)


def test_text_without_special_tokens(tmp_path: Path) -> None:
    """As the target of a translation has it."""
    assert [token.text for token in written(tmp_path, word_pieces()).tokenize("我", special=False)] == ["我"]


def test_names_and_text_of_ids(tmp_path: Path) -> None:
    """A name for each id that has a piece."""
    tokenizer = written(tmp_path, with_fallback())

    assert [tokenizer.names[number] for number in (2 + 0xE4, 258, 259, 260, 261)] == ["E4", "␣", "我", "a", "␣a"]
    assert [tokenizer.names[number] for number in range(3)] == ["<unk>", "<s>", "U+0000"]
    assert len(tokenizer.names) == 262 == tokenizer.size
    assert tokenizer.special_ids == {0, 1}
    assert tokenizer.longest == len("<0xE4>")
    assert tokenizer.decode((1, 261, 259, 2 + 0xE4)) == "a我"
    assert tokenizer.id_of("我") == 259
    assert tokenizer.id_of("你") is None


def test_a_forbidden_text_is_refused(tmp_path: Path) -> None:
    """As everywhere."""
    with pytest.raises(ControlCharacter):
        written(tmp_path, word_pieces()).tokenize("a\x00b")


def test_word_pieces_from_the_older_file(tmp_path: Path) -> None:
    """vocab.txt gives the same ids and spans as tokenizer.json; case is kept where the settings say so."""
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    new = tmp_path / "new"
    new.mkdir()
    text = "The unbelievable 我門 Café!"
    older = read_tokenizer(tmp_path, "bert")
    assert older.tokenize(text) == written(new, word_pieces()).tokenize(text)
    assert older.decode((5, 6, 7, 8)) == "the unbelievable"

    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert read_tokenizer(tmp_path, "bert").tokenize("The")[1].known is False


@pytest.mark.parametrize("family", ["gpt2", "roberta", "qwen2"])
def test_byte_pairs_from_the_older_files(family: str, tmp_path: Path) -> None:
    """vocab.json and merges.txt give what the library itself makes of them, with each family's frame and way of cutting."""
    told = json.loads(by_bytes().to_str())["model"]
    vocabulary = dict(told["vocab"])
    for piece in ("<s>", "</s>"):
        vocabulary[piece] = len(vocabulary)
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    merges = "\n".join(" ".join(pair) if isinstance(pair, list) else pair for pair in told["merges"])
    (tmp_path / "merges.txt").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"added_tokens_decoder": {"400": {"content": "<|im_start|>", "special": True}, "x": 1}})
    )

    tokens = read_tokenizer(tmp_path, family).tokenize("the fox 2024 爱")
    inner = [token for token in tokens if not token.special]

    assert ([token.text for token in tokens[:1] + tokens[-1:]] == ["<s>", "</s>"]) == (family == "roberta")
    if family != "qwen2":  # It cuts digits one by one, and here they are single pieces anyway.
        assert [token.id for token in inner] == by_bytes().encode("the fox 2024 爱").ids
    assert "".join(dict.fromkeys(token.text for token in inner if "⟨" not in token.text)).startswith("the␣fox")


def test_qwens_way_of_cutting_is_that_of_its_own_class(tmp_path: Path) -> None:
    """The pattern stands here as well; a digit never joins another."""
    pytest.importorskip("transformers")
    from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

    from explorer.tokens import foreign

    assert foreign._QWEN == PRETOKENIZE_REGEX


def test_a_folder_without_a_vocabulary_is_refused(tmp_path: Path) -> None:
    """Also one whose older files are not known, or incomplete."""
    for family in ("bert", "gpt2", "t5"):
        with pytest.raises(NoTokenizer) as caught:
            read_tokenizer(tmp_path, family)
        assert "tokenizer.json" in str(caught.value)


@pytest.mark.parametrize("content", ["", "{}", "[" * 100_000, '{"model": {"type": "Evil"}}', "\xff"])
def test_a_broken_vocabulary_is_refused(content: str, tmp_path: Path) -> None:
    """Whatever is in the file."""
    (tmp_path / "tokenizer.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(BadVocabulary):
        read_tokenizer(tmp_path, "any")


def test_a_panic_of_the_library_is_a_broken_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes as no Exception; a person's interruption stays one."""
    word_pieces().save(str(tmp_path / "tokenizer.json"))
    panic = type("PanicException", (BaseException,), {})
    for kind, raised in ((panic, BadVocabulary), (KeyboardInterrupt, KeyboardInterrupt)):

        def tokenize(*_given: object, kind: type[BaseException] = kind) -> None:
            raise kind("index out of bounds")

        monkeypatch.setattr(ForeignTokenizer, "tokenize", tokenize)
        with pytest.raises(raised):
            read_tokenizer(tmp_path, "any")


def test_a_library_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(NotInstalled, match="transformer-explorer"):
        read_tokenizer(tmp_path, "any")
