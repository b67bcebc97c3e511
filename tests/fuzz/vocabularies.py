"""Files tokenizer.json of others: patterns that take for ever, normalizers that make much of little, ids that no model has."""

import json
from random import Random
from typing import Any

from tests.fuzz import documents, writing

_PATTERNS = (
    "(a+)+$",
    "(a|aa)+$",
    "(.*)*x",
    "([a-z]+)*[0-9]",
    r"(?=(a+))a*b\1",
    "a{1,1000}{1,1000}",
    "(",
    "",
    r"\p{L}+",
    "(?i)[",
    ".",
)
_LARGE = (11, 40, 10**6, 10**9, 2**31, 2**32 - 1, 2**32, 10**30, -1)


def spoiled(told: dict[str, Any], chance: Random) -> bytes:
    """The file with one or two parts that are anybody's."""
    for _ in range(chance.choice((1, 1, 2))):
        part = chance.choice((_normalizer, _splitter, _ids, _frame, _decoder, _model))
        part(told, chance)
    return documents.written(told, chance) if chance.random() < 0.3 else json.dumps(told).encode()


def text(chance: Random) -> str:
    """What makes such patterns slow, or any sentence."""
    n = chance.choice((1, 10, 40, 400, 10_000, 100_000))
    return chance.choice(("a" * n + "!", "a" * n, "ab" * n, "a b " * n, writing.sentence(chance), writing.sentence(chance)))


def _pattern(chance: Random) -> dict[str, str]:
    return chance.choice(({"Regex": chance.choice(_PATTERNS)}, {"String": chance.choice(("a", "", " ", writing.word(chance)))}))


def _normalizer(told: dict[str, Any], chance: Random) -> None:
    """One, or many in a row: each may double what it is given."""
    one = (
        lambda: {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * chance.choice((0, 2, 2, 1000))},
        lambda: {
            "type": "Replace",
            "pattern": _pattern(chance),
            "content": chance.choice(("", "aa", "b", writing.word(chance))),
        },
        lambda: {"type": "Prepend", "prepend": "a" * chance.choice((1, 1000, 10**6, 10**7))},
        lambda: {"type": chance.choice(("NFC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel", "Nothing"))},
        lambda: {"type": "Strip", "strip_left": True, "strip_right": True},
        lambda: {"type": "Precompiled", "precompiled_charsmap": chance.choice(("", "AAAA", "////" * 100))},
    )
    many = [chance.choice(one)() for _ in range(chance.choice((1, 1, 3)))]
    if chance.random() < 0.3:
        many = [one[0]()] * chance.choice((5, 22, 60))
    told["normalizer"] = many[0] if len(many) == 1 else {"type": "Sequence", "normalizers": many}


def _splitter(told: dict[str, Any], chance: Random) -> None:
    behavior = chance.choice(("Isolated", "Removed", "MergedWithPrevious", "Contiguous", "Nothing"))
    told["pre_tokenizer"] = chance.choice(
        (
            {"type": "Split", "pattern": _pattern(chance), "behavior": behavior, "invert": chance.random() < 0.3},
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            {"type": "Digits", "individual_digits": True},
            {"type": "FixedLength", "length": chance.choice((0, 1, 5))},
            {"type": "WhitespaceSplit"},
            None,
        )
    )


def _ids(told: dict[str, Any], chance: Random) -> None:
    """A piece with an id that no model has, or one that another has."""
    number = chance.choice(_LARGE)
    vocabulary = told["model"].get("vocab") if isinstance(told.get("model"), dict) else None
    if isinstance(vocabulary, dict) and vocabulary and chance.random() < 0.5:
        vocabulary[chance.choice((*vocabulary, writing.word(chance)))] = number
        return
    row = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": chance.random() < 0.5}
    row |= {
        "id": number,
        "content": chance.choice(("a", " ", "fox", "", writing.word(chance))),
        "special": chance.random() < 0.5,
    }
    told["added_tokens"] = [*(told.get("added_tokens") or []), row]


def _frame(told: dict[str, Any], chance: Random) -> None:
    """Pieces around a text, whose ids need not be there."""
    name, number = chance.choice(("[CLS]", "[SEP]", "x")), chance.choice(_LARGE)
    many = [{"SpecialToken": {"id": name, "type_id": 0}}] * chance.choice((1, 2, 10_000))
    told["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [*many, *chance.choice(([{"Sequence": {"id": "A", "type_id": 0}}], []))],
        "pair": [],
        "special_tokens": {
            name: {"id": name, "ids": [number] * chance.choice((1, 3)), "tokens": [name] * chance.choice((1, 3))}
        },
    }


def _decoder(told: dict[str, Any], chance: Random) -> None:
    told["decoder"] = chance.choice(
        ({"type": "Replace", "pattern": _pattern(chance), "content": "aa"}, {"type": "ByteFallback"}, {"type": "Fuse"}, None)
    )


def _model(told: dict[str, Any], chance: Random) -> None:
    """Another model over other pieces."""
    told["model"] = chance.choice(
        (
            {"type": "WordLevel", "vocab": {"a": 0, "fox": 1}, "unk_token": chance.choice(("a", "nothing"))},
            {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": chance.choice((["a b"], [["a", "b"]], ["b c"], []))},
            {
                "type": "Unigram",
                "vocab": [["a", chance.choice((-1.0, 0.0, 1e308))], ["", 0.0]],
                "unk_id": chance.choice((0, 9)),
            },
            {
                "type": "WordPiece",
                "vocab": {"a": 0},
                "unk_token": "?",
                "continuing_subword_prefix": "",
                "max_input_chars_per_word": 9,
            },
            {"type": "Nothing"},
        )
    )
