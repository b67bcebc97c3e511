"""The vocabulary that a GGUF file has in its header, written as tokenizer.json, which the library `tokenizers` reads.

Two kinds are known: byte pairs of bytes ("gpt2"), and pieces of sentencepiece with scores ("llama"). Where a
header leaves something out, the defaults are those of llama.cpp (`src/llama-vocab.cpp`): these files are made for it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.tokens.gguf_cuts import CUTS

_UNKNOWN, _CONTROL, _BY_USER = 2, 3, 4  # kinds of tokens that stand outside the pairs
_BYTES_ALONE = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
_USUAL: Mapping[str, Mapping[str, int]] = {"llama": {"bos": 1, "eos": 2, "unknown": 0}, "gpt2": {"bos": 11, "eos": 11}}
"""The ids that llama.cpp uses where a header names none, by the kind of the vocabulary."""
_NO_BEGIN = ("glm4", "chatglm-bpe")
_ENDS = (
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> <EOT> "
    "_<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> [e~["
)
_ENDS_A_TURN = frozenset(_ENDS.split())
"""The pieces that end an answer. llama.cpp treats them as control pieces, whatever kind a header gives them."""


class UnknownWayError(ValueError):
    """A pre-tokenizer whose name is not known here; the name is its argument."""


def tokenizer_json(told: Mapping[str, Any]) -> str:
    """The tokenizer.json of a header's values under "tokenizer.ggml.". Raises ValueError for a vocabulary of another kind."""
    pieces = _pieces(told)
    if not pieces or len(set(pieces)) != len(pieces):
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
    cut, pairs = CUTS.get(_way(told)), told.get("tokenizer.ggml.merges")
    if cut is None:  # Another pre-tokenizer would give other tokens without an error.
        raise UnknownWayError(_way(told)[:40])
    if not isinstance(pairs, list) or not all(isinstance(pair, str) and pair.count(" ") == 1 for pair in pairs):
        raise ValueError("tokenizer.ggml.merges")
    model = {
        "type": "BPE",
        "vocab": {piece: number for number, piece in enumerate(pieces)},
        "merges": [pair.split(" ") for pair in pairs],
        "ignore_merges": cut.whole,
    }
    splits = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False} for pattern in cut.patterns
    ]
    before = {"type": "Sequence", "pretokenizers": [*splits, _BYTES_ALONE]}
    return {"model": model, "pre_tokenizer": before, "normalizer": None, "decoder": _BYTES_ALONE}


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
    model = {
        "type": "BPE",
        "vocab": ids,
        "merges": [[first, second] for _score, first, second in pairs],
        "byte_fallback": True,
        "fuse_unk": True,
        "unk_token": piece_of(told, "unknown") or None,
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
    """The pieces that stand outside the pairs: those that control, the unknown one, and those that a user has added."""
    kinds = told.get("tokenizer.ggml.token_type")
    kinds = kinds if isinstance(kinds, list) and len(kinds) == len(pieces) else [0] * len(pieces)
    kinds = [_CONTROL if piece in _ENDS_A_TURN else kind for piece, kind in zip(pieces, kinds, strict=True)]
    # Phi-3's own pieces swallow the spaces behind them; no header records it, and llama.cpp recognizes them by name, too.
    swallows = bool(re.search("phi-?3", str(told.get("general.name", "")).lower()))
    return [
        {
            "id": number,
            "content": pieces[number],
            "special": kind != _BY_USER,
            "single_word": False,
            "lstrip": False,
            "rstrip": swallows and pieces[number] not in ("<unk>", "<s>", "<|endoftext|>"),
            "normalized": False,
        }
        for number, kind in enumerate(kinds)
        if kind in (_UNKNOWN, _CONTROL, _BY_USER)
    ]


def piece_of(told: Mapping[str, Any], name: str) -> str:
    """The special piece of a name such as "bos"; "" where there is none."""
    pieces, number = _pieces(told), told.get(f"tokenizer.ggml.{name}_token_id")
    if type(number) is not int or not 0 <= number < len(pieces):
        number = _USUAL.get(str(told.get("tokenizer.ggml.model")), {}).get(name, len(pieces))
        if name == "bos" and _way(told) in _NO_BEGIN:
            return ""
    return pieces[number] if number < len(pieces) else ""


def ends_of_answers(told: Mapping[str, Any]) -> list[int]:
    """The ids at which an answer ends: that of the header first, and those of all pieces that end a turn."""
    pieces, end = _pieces(told), piece_of(told, "eos")
    found = [number for number, piece in enumerate(pieces) if piece == end or piece in _ENDS_A_TURN]
    return sorted(found, key=lambda number: pieces[number] != end)


def ends_of(told: Mapping[str, Any]) -> dict[str, str]:
    """The pieces that a header wants around each text, by their names "bos" and "eos"."""
    kind, cut = told.get("tokenizer.ggml.model"), CUTS.get(_way(told))
    begins = kind == "llama" or (kind == "gpt2" and cut is not None and cut.begins)
    wanted = {name: told.get(f"tokenizer.ggml.add_{name}_token", usual) for name, usual in (("bos", begins), ("eos", False))}
    return {name: piece for name, each in wanted.items() if each is True and (piece := piece_of(told, name))}


def _way(told: Mapping[str, Any]) -> str:
    return str(told.get("tokenizer.ggml.pre") or "default")


def _pieces(told: Mapping[str, Any]) -> list[str]:
    """All pieces in the order of their ids; [] where there are none. One without a text has a name instead."""
    pieces = told.get("tokenizer.ggml.tokens")
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        return []
    return [piece or f"[EMPTY_{number}]" for number, piece in enumerate(pieces)]


def _framed(told: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, Any] | None:
    """The tokens around each text; None where there are none."""
    ends = ends_of(told)
    if not ends:
        return None
    ids = {piece: pieces.index(piece) for piece in ends.values()}

    def symbol(name: str) -> list[dict[str, Any]]:
        return [{"SpecialToken": {"id": ends[name], "type_id": 0}}] if name in ends else []

    row = [*symbol("bos"), {"Sequence": {"id": "A", "type_id": 0}}, *symbol("eos")]
    second = [{"Sequence": {"id": "B", "type_id": 1}}]
    tokens = {piece: {"id": piece, "ids": [number], "tokens": [piece]} for piece, number in ids.items()}
    return {"type": "TemplateProcessing", "single": row, "pair": row + second, "special_tokens": tokens}
