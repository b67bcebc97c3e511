"""The vocabulary that a GGUF file has in its header, written as tokenizer.json, which the library `tokenizers` reads.

Two kinds are known: byte pairs of bytes ("gpt2"), and pieces of sentencepiece with scores ("llama").
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_CONTROL, _BY_USER = 3, 4  # kinds of tokens that stand outside the pairs
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN = _LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_BYTES_ALONE = {**_BYTES, "use_regex": False}


def _cut(pattern: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _BYTES_ALONE]}


_WAYS: Mapping[str, dict[str, Any]] = {
    "gpt-2": _BYTES,
    "gpt2": _BYTES,
    "llama-bpe": _cut(_LLAMA3),
    "llama3": _cut(_LLAMA3),
    "qwen2": _cut(_QWEN),
    "smollm": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, _BYTES]},
}
"""How a text is cut before pieces are looked up, by `tokenizer.ggml.pre`."""


def tokenizer_json(told: Mapping[str, Any]) -> str:
    """The tokenizer.json of what a header tells under "tokenizer.ggml.". Raises ValueError for a vocabulary of another kind."""
    pieces = told.get("tokenizer.ggml.tokens")
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces) or len(set(pieces)) != len(pieces):
        raise ValueError("tokenizer.ggml.tokens")
    kind = told.get("tokenizer.ggml.model")
    if kind == "gpt2":
        parts = _byte_pairs(told, pieces)
    elif kind == "llama":
        parts = _scored_pieces(told, pieces)
    else:
        raise ValueError(f"tokenizer.ggml.model: {str(kind)[:40]}")
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": _added(told, pieces)}
    return json.dumps(whole | {"post_processor": _framed(told, pieces)} | parts)


def _byte_pairs(told: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, Any]:
    """GPT-2's kind, with the pairs in their order."""
    way, pairs = told.get("tokenizer.ggml.pre", "gpt-2"), told.get("tokenizer.ggml.merges")
    if way not in _WAYS:  # Another way to cut would give other tokens, and nobody would notice.
        raise ValueError(f"tokenizer.ggml.pre: {str(way)[:40]}")
    if not isinstance(pairs, list) or not all(isinstance(pair, str) and pair.count(" ") == 1 for pair in pairs):
        raise ValueError("tokenizer.ggml.merges")
    model = {
        "type": "BPE",
        "vocab": {piece: number for number, piece in enumerate(pieces)},
        "merges": [pair.split(" ") for pair in pairs],
        "ignore_merges": way in ("llama-bpe", "llama3"),
    }
    normalizer = {"type": "NFC"} if way == "qwen2" else None
    return {"model": model, "pre_tokenizer": _WAYS[way], "normalizer": normalizer, "decoder": _BYTES}


def _scored_pieces(told: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, Any]:
    """Sentencepiece's kind: every piece that two others make is a pair, those of high scores first."""
    scores = told.get("tokenizer.ggml.scores")
    if not isinstance(scores, list) or len(scores) != len(pieces) or not all(isinstance(each, float) for each in scores):
        raise ValueError("tokenizer.ggml.scores")
    ids = {piece: number for number, piece in enumerate(pieces)}
    pairs = [
        (score, piece[:at], piece[at:])
        for piece, score in zip(pieces, scores, strict=True)
        for at in range(1, len(piece))
        if piece[:at] in ids and piece[at:] in ids
    ]
    pairs.sort(key=lambda pair: (-pair[0], ids[pair[1]], ids[pair[2]]))
    unknown = told.get("tokenizer.ggml.unknown_token_id")
    model = {
        "type": "BPE",
        "vocab": ids,
        "merges": [[first, second] for _score, first, second in pairs],
        "byte_fallback": True,
        "fuse_unk": True,
        "unk_token": pieces[unknown] if type(unknown) is int and 0 <= unknown < len(pieces) else None,
    }
    spaces: list[dict[str, Any]] = [{"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    leads = told.get("tokenizer.ggml.add_space_prefix", True) is not False
    before: list[dict[str, Any]] = [{"type": "Prepend", "prepend": "▁"}] if leads else []
    strip: list[dict[str, Any]] = [{"type": "Strip", "content": " ", "start": 1, "stop": 0}] if leads else []
    back = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}, *strip]
    return {
        "model": model,
        "pre_tokenizer": None,
        "normalizer": {"type": "Sequence", "normalizers": before + spaces},
        "decoder": {"type": "Sequence", "decoders": back},
    }


def _added(told: Mapping[str, Any], pieces: Sequence[str]) -> list[dict[str, Any]]:
    """The pieces that stand outside the pairs: those that control, and those that a user has added."""
    kinds = told.get("tokenizer.ggml.token_type")
    kinds = kinds if isinstance(kinds, list) and len(kinds) == len(pieces) else []
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return [
        {"id": number, "content": pieces[number], "special": kind == _CONTROL, **plain}
        for number, kind in enumerate(kinds)
        if kind in (_CONTROL, _BY_USER) and pieces[number]
    ]


def _framed(told: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, Any] | None:
    """The symbols that are put around each text; None where there are none."""
    ends: dict[str, str] = {}
    for name, usual in (("bos", told.get("tokenizer.ggml.model") == "llama"), ("eos", False)):
        number = told.get(f"tokenizer.ggml.{name}_token_id")
        wanted = told.get(f"tokenizer.ggml.add_{name}_token", usual)
        if wanted is True and type(number) is int and 0 <= number < len(pieces):
            ends[name] = pieces[number]
    if not ends:
        return None
    ids = {piece: pieces.index(piece) for piece in ends.values()}

    def symbol(name: str) -> list[dict[str, Any]]:
        return [{"SpecialToken": {"id": ends[name], "type_id": 0}}] if name in ends else []

    row = [*symbol("bos"), {"Sequence": {"id": "A", "type_id": 0}}, *symbol("eos")]
    second = [{"Sequence": {"id": "B", "type_id": 1}}]
    tokens = {piece: {"id": piece, "ids": [number], "tokens": [piece]} for piece, number in ids.items()}
    return {"type": "TemplateProcessing", "single": row, "pair": row + second, "special_tokens": tokens}
