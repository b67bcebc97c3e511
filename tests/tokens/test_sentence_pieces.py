"""Vocabularies in sentencepiece's own files: with a stand-in for the library, and with the library itself where it is there."""

import importlib.util
import io
import json
import random
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import BadVocabulary, ControlCharacter, NeedsSentencepiece, NoTokenizer
from explorer.lang import LANGUAGES, Words
from explorer.tokens.behind_fence import read_tokenizer
from explorer.tokens.sentence_pieces import RULES, message_fields

PIECES = ["<unk>", "<s>", "</s>", "▁the", "▁fox", "▁", "我爱", "s", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]
real = pytest.mark.skipif(importlib.util.find_spec("sentencepiece") is None, reason="sentencepiece is not installed")


def number(value: int) -> bytes:
    """Seven bits a byte, the lowest first, as Protocol Buffers have it."""
    more, out = value, bytearray()
    while more > 0x7F:
        out.append(more & 0x7F | 0x80)
        more >>= 7
    return bytes([*out, more])


def row(field: int, value: bytes) -> bytes:
    return number(field << 3 | 2) + number(len(value)) + value


class Processor:
    """Cuts off the longest piece again and again, and says where as the library does; its file is a list in JSON."""

    def __init__(self, model_proto: bytes) -> None:
        try:
            self.pieces: list[str] = json.loads(model_proto)
        except ValueError as error:
            raise RuntimeError("could not parse ModelProto") from error

    def get_piece_size(self) -> int:
        return len(self.pieces)

    def unk_id(self) -> int:
        return 0

    def id_to_piece(self, place: int) -> str:
        return self.pieces[place]

    def is_control(self, place: int) -> bool:
        return self.pieces[place] in ("<s>", "</s>")

    def is_unknown(self, place: int) -> bool:
        return place == 0

    def decode(self, pieces: list[str]) -> str:
        return "".join(pieces).replace("▁", " ")

    def encode(self, text: str, out_type: str) -> bytes:
        assert out_type == "serialized_proto"
        rest, at, found = "▁" + text.replace(" ", "▁"), 0, row(1, text.encode())
        first = True
        while rest:
            piece = max((each for each in self.pieces[3:] if rest.startswith(each)), key=len, default=rest[0])
            n_bytes = len(text[at : at + len(piece) - first].encode())
            begin = len(text[:at].encode())
            if piece == "😀":
                raw = piece.encode()
                for place, byte in enumerate(raw):
                    last = place == len(raw) - 1
                    span = number(4 << 3) + number(begin) + number(5 << 3) + number(begin + n_bytes * last)
                    found += row(2, row(1, f"<0x{byte:02X}>".encode()) + number(2 << 3) + number(0) + span)
            else:
                span = number(4 << 3) + number(begin) + number(5 << 3) + number(begin + n_bytes)
                found += row(2, row(1, piece.encode()) + number(2 << 3) + number(3) + span)
            rest, at, first = rest[len(piece) :], at + len(piece) - first, False
        return found


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in."""
    made = types.ModuleType("sentencepiece")
    made.SentencePieceProcessor = Processor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentencepiece", made)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with the files of every family that is known."""
    for name in ("spiece.model", "tokenizer.model", "sentencepiece.bpe.model", "source.spm"):
        (tmp_path / name).write_text(json.dumps(PIECES))
    (tmp_path / "target.spm").write_text(json.dumps([*PIECES[:3], "▁der", "▁Fuchs", "▁"]))
    ids = {piece: number for number, piece in enumerate(["</s>", "<unk>", *PIECES[3:], "▁der", "▁Fuchs", "<pad>"])}
    (tmp_path / "vocab.json").write_text(json.dumps(ids))
    yield tmp_path


FOUND = {"t5": [3, 4, 6, 2], "llama": [1, 3, 4, 6], "xlm-roberta": [0, 4, 5, 7, 2], "marian": [2, 3, 5, 0]}


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("family", FOUND)
def test_ids_are_those_of_the_family(family: str, folder: Path) -> None:
    """Its places, moved behind special ones, or those of a list of its own; with what it wants around a text."""
    made = read_tokenizer(folder, family)
    tokens = made.tokenize("the fox我爱")

    assert [token.id for token in tokens] == FOUND[family]
    assert [token.text for token in tokens if not token.special] == ["␣the", "␣fox", "我爱"]
    assert [(token.start, token.end) for token in tokens if not token.special] == [(0, 3), (3, 7), (7, 9)]
    assert all(made.names[token.id] == token.text for token in tokens)
    assert made.decode(tuple(token.id for token in tokens)) == "the fox我爱"
    assert made.id_of("▁fox") == FOUND[family][1 + (family in ("llama", "xlm-roberta"))]


@pytest.mark.usefixtures("library")
def test_bytes_are_legible_and_unknown_pieces_are_marked(folder: Path) -> None:
    """A character of four bytes is four tokens, each with its part; never a broken character."""
    tokens = read_tokenizer(folder, "t5").tokenize("fox 😀猫")

    assert [token.text for token in tokens if "⟨" in token.text] == [
        f"😀⟨{part}/4⟩ {byte}" for part, byte in enumerate(("F0", "9F", "98", "80"), start=1)
    ]
    assert [token.text for token in tokens if not token.known] == ["猫"]
    assert max(token.end for token in tokens) == 6


@pytest.mark.usefixtures("library")
def test_the_other_side_has_its_own_file(folder: Path) -> None:
    """Marian's target is cut with its own pieces, and nothing stands around it."""
    made = read_tokenizer(folder, "marian")

    assert [token.text for token in made.tokenize("der Fuchs", special=False)] == ["␣der", "␣Fuchs"]
    assert [token.special for token in made.tokenize("the")] == [False, True]
    with pytest.raises(ControlCharacter):
        made.tokenize("a\0b")


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_the_library_it_is_told_how_to_install_it(language: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And how to do without it."""
    monkeypatch.setitem(sys.modules, "sentencepiece", None)

    with pytest.raises(NeedsSentencepiece) as caught:
        read_tokenizer(folder, "t5")
    sentence = Words.load(language).error(caught.value)
    assert "pip install sentencepiece" in sentence
    assert "tokenizer.json" in sentence
    assert str(folder) in sentence
    assert issubclass(NeedsSentencepiece, NoTokenizer)


@pytest.mark.usefixtures("library")
def test_a_family_that_is_not_known_needs_tokenizer_json(folder: Path) -> None:
    """Nobody can tell which ids its pieces have."""
    with pytest.raises(NoTokenizer) as caught:
        read_tokenizer(folder, "pegasus")
    assert type(caught.value) is NoTokenizer


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("source.spm", b"\xff\x00"),
        ("source.spm", b"[]"),
        ("vocab.json", b"[1]"),
        ("vocab.json", b'{"a": -1}'),
        ("vocab.json", b'{"a": 1e9}'),
        ("vocab.json", b'{"a": 99999999999}'),
        ("vocab.json", b'{"a": 1}'),
        ("vocab.json", b"{" * 100_000),
        ("target.spm", b""),
    ],
)
def test_files_that_are_none_are_refused(name: str, content: bytes, folder: Path) -> None:
    """In one sentence."""
    (folder / name).write_bytes(content)

    with pytest.raises(BadVocabulary):
        read_tokenizer(folder, "marian")


def test_any_bytes_are_a_message_or_none() -> None:
    """The reader of messages ends for all of them."""
    generator = random.Random(5)
    for _again in range(2000):
        message = generator.randbytes(generator.randrange(40))
        for field, value in message_fields(message):
            assert field >= 0
            assert isinstance(value, int | bytes)


@pytest.fixture(scope="module")
def trained() -> bytes:
    """A file of the library itself, learned from a few sentences."""
    library: Any = pytest.importorskip("sentencepiece")
    out = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(["the quick brown fox jumps", "我爱北京天安门", "the fox 北京"] * 30),
        model_writer=out,
        vocab_size=330,
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return out.getvalue()


@real
@pytest.mark.parametrize("text", ["the fox 我爱😀  ﬁx", "北京", " a  b ", "é\u0301 猫\tx"])
def test_the_library_itself_is_read_as_it_cuts(text: str, trained: bytes, tmp_path: Path) -> None:
    """Its own ids, and spans that cover the text."""
    library: Any = pytest.importorskip("sentencepiece")
    (tmp_path / "spiece.model").write_bytes(trained)
    made = read_tokenizer(tmp_path, "t5")
    tokens = made.tokenize(text)
    processor = library.SentencePieceProcessor(model_proto=trained)

    assert [token.id for token in tokens] == [*processor.encode(text), processor.eos_id()]
    covered = {place for token in tokens for place in range(token.start, token.end)}
    assert {place for place, letter in enumerate(text) if not letter.isspace()} <= covered
    assert not any("\ufffd" in token.text for token in tokens)
    assert made.decode(tuple(token.id for token in tokens)) == processor.decode(processor.encode(text)).strip()


@real
def test_spoiled_files_of_the_library_are_refused_or_read(trained: bytes, tmp_path: Path) -> None:
    """Two hundred of them, cut short or with other bytes; nothing else than a BadVocabulary is raised."""
    generator, refused = random.Random(3), 0
    for _again in range(200):
        spoiled = bytearray(trained)
        for _byte in range(generator.randrange(1, 40)):
            spoiled[generator.randrange(len(spoiled))] = generator.randrange(256)
        end = generator.randrange(len(spoiled)) if generator.random() < 0.3 else None
        (tmp_path / "spiece.model").write_bytes(bytes(spoiled[:end]))
        try:
            read_tokenizer(tmp_path, "t5").tokenize("the fox 我")
        except BadVocabulary:
            refused += 1
    assert refused > 0
    assert set(RULES) >= {"t5", "marian"}
