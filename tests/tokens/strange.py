"""Tokenizers as strangers could make them: what each part may be, put together by chance, and texts to try them with."""

import random
from typing import Any

Part = dict[str, Any] | None
PATTERNS = ("(a+)+$", "(x+x+)+y", "(?:a|aa)+$", "(?:.*a){25}", "a{0,999}{0,999}", "", ".", r"\s+", "(?<=a)b", "(?=a)", "[")
WORDS = ("<unk>", "a", "b", "aa", "x", "the", "我", "!", "▁", "##a", "<0x61>", "Ġ", "<s>", "</s>")
TEXTS = (
    "a",
    "a" * 40 + "!",
    ("a" * 24 + "! ") * 200,
    "x" * 60,
    "the fox 我爱 naïve 😀",
    "\u202eab\u0301\u200d",
    "a" * 20_000,
    " a\n",
)


def strange_tokenizer(chance: random.Random) -> dict[str, Any]:
    """The content of a tokenizer.json; the library may refuse it."""
    return {
        "version": "1.0",
        "truncation": chance.choice([None, {"max_length": 2, "strategy": "LongestFirst", "stride": 1, "direction": "Right"}]),
        "padding": None,
        "added_tokens": [_added(chance) for _ in range(chance.choice([0, 0, 1, 3]))],
        "normalizer": _in_turn(chance, _normalizer, "Sequence", "normalizers"),
        "pre_tokenizer": _in_turn(chance, _pre_tokenizer, "Sequence", "pretokenizers"),
        "post_processor": _in_turn(chance, _post_processor, "Sequence", "processors"),
        "decoder": _in_turn(chance, _decoder, "Sequence", "decoders"),
        "model": _model(chance),
    }


def _in_turn(chance: random.Random, make: Any, kind: str, name: str) -> Part:
    """Nothing, one part, several, or the same one many times."""
    n = chance.choice([0, 1, 1, 3, 24])
    if n < 2:
        return make(chance) if n else None
    same = make(chance)
    return {"type": kind, name: [same if n == 24 else make(chance) for _ in range(n)]}


def _pattern(chance: random.Random) -> dict[str, str]:
    return chance.choice([{"String": chance.choice(["a", " ", "", "我"])}, {"Regex": chance.choice(PATTERNS)}])


def _replace(chance: random.Random) -> dict[str, Any]:
    return {"type": "Replace", "pattern": _pattern(chance), "content": chance.choice(["", "aa", "aaa ", "\u0000", "▁"])}


def _normalizer(chance: random.Random) -> dict[str, Any]:
    return chance.choice(
        [
            _replace(chance),
            _replace(chance),
            {"type": "Prepend", "prepend": chance.choice(["▁", "", "x" * 10**6])},
            {"type": "Strip", "strip_left": True, "strip_right": chance.random() < 0.5},
            {"type": chance.choice(["NFC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"])},
            {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": True,
            },
        ]
    )


def _pre_tokenizer(chance: random.Random) -> dict[str, Any]:
    behavior = chance.choice(["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"])
    return chance.choice(
        [
            {"type": "Split", "pattern": _pattern(chance), "behavior": behavior, "invert": chance.random() < 0.5},
            {"type": "Split", "pattern": _pattern(chance), "behavior": behavior, "invert": chance.random() < 0.5},
            {"type": chance.choice(["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"])},
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": chance.random() < 0.5},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            {"type": "Digits", "individual_digits": True},
            {"type": "Punctuation", "behavior": behavior},
            {"type": "CharDelimiterSplit", "delimiter": "a"},
        ]
    )


def _vocabulary(chance: random.Random) -> dict[str, int]:
    far = chance.choice([0] * 8 + [50, 10**7, 10**9])
    n = chance.choice([0, 1, 5, 8, len(WORDS), len(WORDS)])
    found = {piece: number for number, piece in enumerate(WORDS[:n])}
    return found | ({"far": far} if far else {})


def _model(chance: random.Random) -> dict[str, Any]:
    pieces, unknown = _vocabulary(chance), chance.choice(["<unk>"] * 6 + ["a", "none"])
    return chance.choice(
        [
            {"type": "WordLevel", "vocab": pieces, "unk_token": unknown},
            {
                "type": "WordPiece",
                "vocab": pieces,
                "unk_token": unknown,
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": chance.choice([0, 100, 10**9]),
            },
            {
                "type": "BPE",
                "vocab": pieces,
                "merges": chance.choice([[], [["a", "a"]], [["a", "none"]]]),
                "unk_token": chance.choice([None, unknown]),
                "byte_fallback": chance.random() < 0.5,
                "fuse_unk": chance.random() < 0.5,
                "dropout": chance.choice([None, None, 0.5]),
            },
            {
                "type": "Unigram",
                "vocab": [[piece, -float(number)] for piece, number in pieces.items()],
                "unk_id": chance.choice([None, 0, 0, 0, 999]),
                "byte_fallback": chance.random() < 0.5,
            },
        ]
    )


def _post_processor(chance: random.Random) -> dict[str, Any]:
    number = chance.choice([0, 1, 10**6, 2**32 - 1])
    symbol: list[dict[str, Any]] = [{"SpecialToken": {"id": "<s>", "type_id": 0}}]
    text: list[dict[str, Any]] = [{"Sequence": {"id": chance.choice(["A", "A", "B"]), "type_id": 0}}]
    return chance.choice(
        [
            {
                "type": "TemplateProcessing",
                "single": symbol * chance.choice([0, 1, 1000]) + text * chance.choice([0, 1, 2]),
                "pair": [],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [number] * chance.choice([1, 1, 2]), "tokens": ["<s>"]}},
            },
            {"type": "BertProcessing", "sep": ["</s>", number], "cls": ["<s>", number]},
            {
                "type": "RobertaProcessing",
                "sep": ["</s>", 1],
                "cls": ["<s>", number],
                "trim_offsets": True,
                "add_prefix_space": True,
            },
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        ]
    )


def _decoder(chance: random.Random) -> dict[str, Any]:
    return chance.choice(
        [
            _replace(chance),
            _replace(chance),
            {"type": "Strip", "content": "a", "start": chance.choice([0, 10**6]), "stop": 1},
            {"type": chance.choice(["Fuse", "ByteFallback"])},
            {"type": "WordPiece", "prefix": "##", "cleanup": True},
            {"type": "CTC", "pad_token": "a", "word_delimiter_token": "b", "cleanup": True},
            {"type": "BPEDecoder", "suffix": "a"},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        ]
    )


def _added(chance: random.Random) -> dict[str, Any]:
    flags = {name: chance.random() < 0.5 for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
    return {"id": chance.choice([0, 5, 10**9]), "content": chance.choice(["<s>", "a", "", "the fox"]), **flags}
