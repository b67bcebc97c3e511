"""The vocabulary in the header of a GGUF file, against the same vocabulary made by the library itself."""

from pathlib import Path
from typing import Any

import pytest

from explorer.errors import BadVocabulary
from explorer.tokens.chat import told_template
from explorer.tokens.foreign import read_tokenizer

tokenizers = pytest.importorskip("tokenizers")
TEXTS = ("the fox", " the  fox\n\nthe", "我爱 fox 1234!", "x don't <|end|> y", "")


def byte_pairs(way: str = "gpt-2", **more: Any) -> dict[str, Any]:
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("f", "o"), ("fo", "x"), ("Ġ", "fox"), ("1", "2")]
    pieces = [*letters, *("".join(pair) for pair in merges), "<|end|>", "<|user|>"]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": way,
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.merges": [" ".join(pair) for pair in merges],
        "tokenizer.ggml.token_type": [1] * (len(pieces) - 2) + [3, 4],
        **more,
    }


def test_byte_pairs_are_cut_as_the_library_cuts_them(tmp_path: Path) -> None:
    """Every text, with the control pieces as one token each."""
    told = byte_pairs()
    made = read_tokenizer(tmp_path, "gpt2", told)
    pieces = told["tokenizer.ggml.tokens"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    own = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocabulary, merges=[tuple(pair.split(" ")) for pair in told["tokenizer.ggml.merges"]])
    )
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.add_special_tokens(["<|end|>"])
    own.add_tokens(["<|user|>"])
    for text in TEXTS[:-1]:
        assert [token.id for token in made.tokenize(text)] == own.encode(text).ids, text
    (end,) = (token for token in made.tokenize("x <|end|>") if token.id == vocabulary["<|end|>"])
    assert end.special


@pytest.mark.parametrize(("way", "digits"), [("smollm", 4), ("qwen2", 4), ("llama-bpe", 3), ("gpt-2", 3)])
def test_digits_are_cut_as_the_kind_says(way: str, digits: int, tmp_path: Path) -> None:
    """One by one, in threes, or as they come: 12 is one piece only where the two may stand together."""
    made = read_tokenizer(tmp_path, "llama", byte_pairs(way))
    assert len(made.tokenize("1234", special=False)) == digits


def test_a_begin_symbol_is_put_before_a_text_if_the_header_says_so(tmp_path: Path) -> None:
    told = byte_pairs(**{"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.bos_token_id": 263})
    made = read_tokenizer(tmp_path, "llama", told)
    assert [token.text for token in made.tokenize("the")][-1] == "the"
    assert made.tokenize("the")[0].id == 263 and made.tokenize("the")[0].special


def scored() -> dict[str, Any]:
    pieces = [
        "<unk>",
        "<s>",
        "</s>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        "▁the",
        "▁th",
        "▁t",
        "he",
        "▁",
        "t",
        "h",
        "e",
    ]
    scores = [0.0] * 259 + [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256, *[1] * 8],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.unknown_token_id": 0,
    }


def test_scored_pieces_are_joined_by_their_scores_and_fall_back_to_bytes(tmp_path: Path) -> None:
    """Sentencepiece's kind: ▁t, ▁th and ▁the join, and what has no piece is its bytes in UTF-8."""
    told = scored()
    made = read_tokenizer(tmp_path, "llama", told)
    ids = {piece: number for number, piece in enumerate(told["tokenizer.ggml.tokens"])}
    assert [token.id for token in made.tokenize("the")] == [1, ids["▁the"]]
    assert [token.id for token in made.tokenize("the the")] == [1, ids["▁the"], ids["▁the"]]
    assert [token.id for token in made.tokenize("我")][-3:] == [ids[f"<0x{byte:02X}>"] for byte in "我".encode()]
    assert made.decode((ids["▁the"], ids["▁the"])) == "the the"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (byte_pairs("somebody's"), "tokenizer.ggml.pre"),
        ({**byte_pairs(), "tokenizer.ggml.model": "t5"}, "tokenizer.ggml.model"),
        ({**byte_pairs(), "tokenizer.ggml.merges": ["a"]}, "merges"),
        ({**byte_pairs(), "tokenizer.ggml.tokens": ["a", "a"]}, "tokens"),
        ({**scored(), "tokenizer.ggml.scores": [1.0]}, "scores"),
        ({"general.architecture": "llama"}, "tokens"),
    ],
)
def test_a_vocabulary_that_is_not_known_is_refused(told: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Another way to cut would give other tokens, and nobody would notice."""
    with pytest.raises(BadVocabulary) as caught:
        read_tokenizer(tmp_path, "llama", told)
    assert said in str(caught.value)


def test_a_tokenizer_beside_the_file_comes_first(tmp_path: Path) -> None:
    """Whoever puts one there means it."""
    own = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    own.save(str(tmp_path / "tokenizer.json"))
    assert read_tokenizer(tmp_path, "llama", byte_pairs("somebody's")).size == 2


def test_the_template_of_the_header_has_its_special_pieces() -> None:
    """As a folder's own; a header without one has none."""
    told = byte_pairs(
        **{"tokenizer.chat_template": "{{ bos_token }}{{ messages[0].content }}", "tokenizer.ggml.bos_token_id": 263}
    )
    made = told_template("x", told)
    assert made is not None and made.prompt("hi").text == "<|end|>hi"
    assert told_template("x", byte_pairs()) is None
