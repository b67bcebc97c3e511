"""Tokenizers of others: what they cut, where, and how it is shown. Real libraries make the files that are read here."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from explorer.errors import BadVocabulary, ControlCharacter, NotInstalled, NoTokenizer, UnknownTokenizer
from explorer.tokens.behind_fence import read_tokenizer
from explorer.tokens.foreign_tokenizer import ForeignTokenizer

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


@pytest.mark.parametrize("family", ["gpt2", "bart", "electra", "ernie", "distilbert", "albert"])
@pytest.mark.parametrize("about", [{}, {"do_lower_case": False, "strip_accents": True, "tokenizer_class": "BertTokenizer"}])
def test_chinese_models_of_other_families_have_berts_vocabulary(family: str, about: dict[str, Any], tmp_path: Path) -> None:
    """Their vocab.txt is read as transformers' own class for it reads it."""
    transformers = pytest.importorskip("transformers")
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(about))
    text = "The unbelievable 我門 Café!"
    known = {name: each for name, each in about.items() if name != "tokenizer_class"}
    own = transformers.BertTokenizer(vocab=str(tmp_path / "vocab.txt"), **known)

    assert [token.id for token in read_tokenizer(tmp_path, family).tokenize(text)] == own(text)["input_ids"]


@pytest.mark.parametrize(
    ("about", "pieces", "named"),
    [({"tokenizer_class": "BertJapaneseTokenizer"}, PIECES, "BertJapaneseTokenizer"), ({}, ["<pad>", "<unk>", "a"], "esm")],
)
def test_a_vocabulary_of_another_kind_is_not_taken_for_berts(
    about: dict[str, str], pieces: list[str], named: str, tmp_path: Path
) -> None:
    """The refusal names the file that is there and the kind, and no tokenizer.json that is missing."""
    (tmp_path / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(about))

    with pytest.raises(UnknownTokenizer, match=rf"vocab\.txt.*{named}"):
        read_tokenizer(tmp_path, "esm")


@pytest.mark.parametrize(("name", "content"), [("vocab.txt", b"[UNK]\n[CLS]\n[SEP]\n\xff"), ("vocab.json", b"{")])
def test_a_broken_older_file_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    """It is the file that was read; there is no tokenizer.json."""
    (tmp_path / "merges.txt" if name == "vocab.json" else tmp_path / "unused").write_bytes(b"")
    (tmp_path / name).write_bytes(content)

    with pytest.raises(BadVocabulary) as caught:
        read_tokenizer(tmp_path, "gpt2")
    assert caught.value.values["path"] == str(tmp_path / name)


def unigrams() -> Tokenizer:
    """T5's kind: the unknown piece is named by its place."""
    scored = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁the", -1.0), ("▁", -2.0), ("我", -2.0), ("爱", -3.0)]
    made = Tokenizer(models.Unigram(scored, unk_id=2))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.add_special_tokens(["<pad>", "</s>", "<unk>"])
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return made


def whole_words() -> Tokenizer:
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "我": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens(["[UNK]"])
    return made


def pairs_that_lack() -> Tokenizer:
    """Byte pairs without bytes to fall back to."""
    made = Tokenizer(
        models.BPE(vocab={"<unk>": 0, "<s>": 1, "t": 2, "h": 3, "th": 4, "我": 5}, merges=[("t", "h")], unk_token="<unk>")
    )
    made.add_special_tokens(["<unk>"])
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])  # Not among the added.
    return made


UNKNOWN = {"unigrams": (unigrams, "<unk>"), "word pieces": (word_pieces, "[UNK]"), "words": (whole_words, "[UNK]")}
UNKNOWN["byte pairs"] = pairs_that_lack, "<unk>"


@pytest.mark.parametrize("name", UNKNOWN)
def test_every_kind_of_vocabulary_tells_known_from_unknown_and_special_from_plain(name: str, tmp_path: Path) -> None:
    """What it lacks is unknown and plain; its own unknown piece, typed as such, is known and special."""
    make, unknown = UNKNOWN[name]
    made = make()
    made.add_tokens(["<think>"])
    tokens = written(tmp_path, made).tokenize(f"我 門 {unknown} <think>")
    marked = {token.text.strip("␣"): token for token in tokens}
    lacking = [token for token in tokens if not token.known]

    assert any(token.start <= 2 < token.end for token in lacking)
    assert not any(token.start == 0 for token in lacking)
    assert all(not token.special and token.id == made.token_to_id(unknown) for token in lacking)
    assert (marked["我"].known, marked["我"].special) == (True, False)
    typed = next(token for token in tokens if token.known and token.id == made.token_to_id(unknown))
    assert typed.special
    assert (marked["<think>"].known, marked["<think>"].special) == (True, False)
    for token in tokens:
        assert token.special == ((token.known and token.start == token.end) or token is typed)


def test_a_plain_addition_stands_for_its_own_text(tmp_path: Path) -> None:
    """And not for bytes: GPT-2's alphabet reads é as the byte E9."""
    made = by_bytes()
    made.add_tokens(["né"])
    tokenizer = written(tmp_path, made)

    assert [token.text for token in tokenizer.tokenize("né")] == ["né"]
    assert tokenizer.names[tokenizer.size - 1] == "né"


@pytest.mark.parametrize("processor", ["Bert", "Roberta", "Sequence"])
def test_what_stands_around_a_text_is_special_whichever_way_it_is_put_there(processor: str, tmp_path: Path) -> None:
    """Also where the file does not list it among the added pieces."""
    made = whole_words()
    ends = ("我", 2), ("the", 1)
    made.post_processor = {
        "Bert": processors.BertProcessing(*ends),
        "Roberta": processors.RobertaProcessing(*ends),
        "Sequence": processors.Sequence([processors.ByteLevel(), processors.BertProcessing(*ends)]),
    }[processor]

    assert [token.special for token in written(tmp_path, made).tokenize("x y")] == [True, False, False, True]


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
        json.dumps({"added_tokens_decoder": {str(len(vocabulary)): {"content": "<|im_start|>", "special": True}, "x": 1}})
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

    from explorer.tokens import older_files

    assert older_files.QWEN_PATTERN == PRETOKENIZE_REGEX


def test_a_folder_without_a_vocabulary_is_refused(tmp_path: Path) -> None:
    """Also one whose older files are incomplete."""
    (tmp_path / "merges.txt").write_bytes(b"")
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
