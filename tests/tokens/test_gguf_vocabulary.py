"""The vocabulary in the header of a GGUF file, against the same vocabulary made by the library itself."""

import json
from pathlib import Path
from typing import Any

import pytest
import regex

from explorer.errors import BadVocabulary
from explorer.tokens.behind_fence import read_tokenizer
from explorer.tokens.chat import told_template
from explorer.tokens.gguf_cuts import CUTS
from explorer.tokens.gguf_vocabulary import tokenizer_json

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


ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
HIGH, LOW = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
LEAD = r"[^\r\n\p{L}\p{N}]?"
LLAMA3 = rf"{ENDINGS}|{LEAD}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{SPACES}"
QWEN2 = LLAMA3.replace("{1,3}", "")
TEKKEN = rf"{LEAD}{HIGH}*{LOW}+|{LEAD}{HIGH}+{LOW}*|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{SPACES}"
GPT4O = rf"{LEAD}{HIGH}*{LOW}+{ENDINGS}?|{LEAD}{HIGH}+{LOW}*{ENDINGS}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{SPACES}"
LISTED = (  # the letters in the list of ranges that DeepSeek's first tokenizer has
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376"
    "\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-"
    "\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a"
    "\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4"
    "\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc"
    "\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f"
    "\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b"
    "\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a"
    "\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
    "\U000118a0-\U000118df\U0001e900-\U0001e943"
)
NO_HAN_HIGH, NO_HAN_LOW = (f"{each[:-1]}&&[^\\p{{Han}}]]" for each in (HIGH, LOW))
KIMI = (
    rf"(?V1)\p{{Han}}+|{LEAD}{NO_HAN_HIGH}*{NO_HAN_LOW}+{ENDINGS}?|{LEAD}{NO_HAN_HIGH}+{NO_HAN_LOW}*{ENDINGS}?|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{SPACES}"
)
YOUTU = rf"{LEAD}{HIGH}*{LOW}+{ENDINGS}?|{LEAD}{HIGH}+{LOW}*{ENDINGS}?|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{SPACES}"
ORIGINAL = {
    "llama3": [LLAMA3],
    "llama-v3": [LLAMA3],
    "llama-bpe": [LLAMA3],
    "smaug-bpe": [LLAMA3],
    "qwen2": [QWEN2],
    "deepseek-r1-qwen": [QWEN2],
    "megrez": [QWEN2],
    "gpt-2": [GPT2],
    "smollm": [r"\p{N}", GPT2],
    "refact": [r"\p{N}", GPT2],
    "tekken": [TEKKEN],
    "gpt-4o": [GPT4O],
    "default": [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
    "deepseek-coder": [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"],
    "deepseek-v3": [
        r"\p{N}{1,3}",
        "[一-龥\u3040-\u309f\u30a0-\u30ff]+",
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{SPACES}",
    ],
    "deepseek-llm": [
        r"[\r\n]",
        rf"\s?[{LISTED}]+",
        r"\s?[!-/:-~！-／：-～‘-‟\u3000-\u3002]+",
        r"\s+$",
        "[一-龥\u0800-一가-\ud7ff]+",
        r"\p{N}+",
    ],
    "youtu": ["[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥\u3040-\u309f\u30a0-\u30ff]+", YOUTU],
    "kimi-k2": [KIMI],
    "superbpe": [r"\p{N}+", r"(?=(\d{3})+(?!\d))"],
    "qwen35": [QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")],
    "seed-coder": [QWEN2.replace(r"[^\s\p{L}\p{N}]+[\r\n]*", r"[^\s\p{L}\p{N}\r\n]+")],
    "viking": [r" ?[^(\s|.,!?…。，、।۔،)]+", r"\p{N}"],
}
"""The patterns of the models' own tokenizers, as their makers publish them."""
ODD = (
    "I'LL pay 12345.678 CNY, don't you?!\r\n\n  x_y = f(a)+1;\t\t你好，世界 123元 (见下文)…  ",
    "snake_case camelCase HTTPServer's iPhone15 $20+3 <b>/path/to\n\n\n   indented\n",
    "e\u0301te\u0301",
    "Հայերեն ქართული ღ ΣΊΣΥΦΟΣ σίσυφος Straße ǅ 𝐱𝒚 ๑๒๓ ภาษาไทย 東京タワー ㄅㄆ…！",
    "’quotes“ ÉTÉ été 한국어 ١٢٣ 🙂🙂 `code` a--b",
)


def cut_by(patterns: list[str], text: str) -> list[str]:
    """The pieces of a text: each pattern cuts what the one before has left, and what lies between its finds stays a piece."""
    pieces = [text]
    for pattern in patterns:
        found = []
        for piece in pieces:
            at = 0
            for each in regex.finditer(pattern, piece):
                found += [piece[at : each.start()], each[0]]
                at = each.end()
            found.append(piece[at:])
        pieces = [piece for piece in found if piece]
    return pieces


@pytest.mark.parametrize("way", ORIGINAL)
def test_a_text_is_cut_as_the_models_own_tokenizer_cuts_it(way: str) -> None:
    """By each name, with another library of patterns: letters of every kind, numbers, signs, line ends."""
    made = tokenizers.Tokenizer.from_str(tokenizer_json(byte_pairs(way)))
    # llama.cpp's own form of the cased patterns leaves a mark that stands by itself out of the word.
    for text in (each for each in ODD if way not in ("tekken", "gpt-4o") or "\u0301" not in each):
        spans = [span for _piece, span in made.pre_tokenizer.pre_tokenize_str(text)]
        assert [text[start:end] for start, end in spans] == cut_by(ORIGINAL[way], text)


@pytest.mark.parametrize("way", CUTS)
def test_every_way_to_cut_loses_nothing(way: str, tmp_path: Path) -> None:
    """The pieces of a text make the text, for all names that are known."""
    made = read_tokenizer(tmp_path, "llama", byte_pairs(way))
    for text in ODD:
        assert made.decode(tuple(token.id for token in made.tokenize(text, special=False))) == text.strip()


@pytest.mark.parametrize(
    ("way", "digits"), [("smollm", 4), ("deepseek-r1-qwen", 4), ("llama-v3", 3), ("gpt-2", 3), ("afmoe", 4), ("superbpe", 4)]
)
def test_digits_are_cut_as_the_kind_says(way: str, digits: int, tmp_path: Path) -> None:
    """One by one, in threes, or as they come: 12 is one piece only where the two may stand together."""
    made = read_tokenizer(tmp_path, "llama", byte_pairs(way))
    assert len(made.tokenize("1234", special=False)) == digits


def test_a_header_without_a_name_is_cut_in_the_usual_way(tmp_path: Path) -> None:
    """llama.cpp takes "default" for it: three digits at most stand together."""
    told = byte_pairs()
    del told["tokenizer.ggml.pre"]
    assert json.loads(tokenizer_json(told)) == json.loads(tokenizer_json(byte_pairs("default")))


def test_a_begin_symbol_is_put_before_a_text_if_the_header_says_so(tmp_path: Path) -> None:
    told = byte_pairs(**{"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.bos_token_id": 263})
    made = read_tokenizer(tmp_path, "llama", told)
    assert [token.text for token in made.tokenize("the")][-1] == "the"
    assert made.tokenize("the")[0].id == 263 and made.tokenize("the")[0].special


@pytest.mark.parametrize(
    ("told", "begin", "end"),
    [
        ({}, None, None),
        ({"tokenizer.ggml.add_bos_token": True}, 263, None),
        ({"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.add_eos_token": True}, 263, 264),
        ({"tokenizer.ggml.pre": "llama-v3"}, 263, None),
        ({"tokenizer.ggml.pre": "tekken"}, 263, None),
        ({"tokenizer.ggml.pre": "llama-v3", "tokenizer.ggml.add_bos_token": False}, None, None),
        ({"tokenizer.ggml.pre": "llama-v3", "tokenizer.ggml.bos_token_id": 10**6}, 11, None),
        (
            {"tokenizer.ggml.pre": "chatglm-bpe", "tokenizer.ggml.bos_token_id": -1, "tokenizer.ggml.add_bos_token": True},
            None,
            None,
        ),
    ],
)
def test_the_flags_of_a_header_say_what_stands_around_a_text(
    told: dict[str, Any], begin: int | None, end: int | None, tmp_path: Path
) -> None:
    """And where they say nothing, the name of the way to cut does; an id that is none stands for the usual one."""
    ids = {"tokenizer.ggml.bos_token_id": 263, "tokenizer.ggml.eos_token_id": 264}
    made = [token.id for token in read_tokenizer(tmp_path, "llama", byte_pairs(**ids | told)).tokenize("the")]
    the = byte_pairs()["tokenizer.ggml.tokens"].index("the")
    assert made == [each for each in (begin, the, end) if each is not None]


def test_pieces_that_control_are_told_from_text(tmp_path: Path) -> None:
    """What ends a turn controls, whatever the header says; the unknown piece does, and one without a text has a name."""
    told = byte_pairs()
    more = ["<|im_end|>", "<unk>", "", "plain"]
    told["tokenizer.ggml.tokens"] += more
    told["tokenizer.ggml.token_type"] += [1, 2, 3, 1]
    made = read_tokenizer(tmp_path, "llama", told)
    n = len(told["tokenizer.ggml.tokens"])
    assert [token.id for token in made.tokenize("<|im_end|><unk><|user|>")] == [n - 4, n - 3, 264]
    assert [token.special for token in made.tokenize("<|im_end|><unk><|user|>")] == [True, True, False]
    assert made.id_of("[EMPTY_267]") == 267
    assert len(made.tokenize("plain")) == 5


@pytest.mark.parametrize(("name", "n_tokens"), [("Phi-3 mini", 2), ("Llama 3", 3)])
def test_pieces_of_phi_3_swallow_the_spaces_behind_them(name: str, n_tokens: int, tmp_path: Path) -> None:
    """As llama.cpp has it, by the name of the model."""
    made = read_tokenizer(tmp_path, "llama", byte_pairs(**{"general.name": name}))
    assert len(made.tokenize("<|end|> a")) == n_tokens


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
        (byte_pairs("somebody's"), "somebody's"),
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


def test_a_space_stands_before_each_text_and_behind_each_special_piece(tmp_path: Path) -> None:
    """As llama.cpp puts it, where the header does not say otherwise."""
    told = scored()
    ids = {piece: number for number, piece in enumerate(told["tokenizer.ggml.tokens"])}
    made = read_tokenizer(tmp_path, "llama", told)
    assert [token.id for token in made.tokenize("the</s>the")] == [1, ids["▁the"], 2, ids["▁the"]]
    told["tokenizer.ggml.add_space_prefix"] = False
    apart = [ids["t"], ids["he"]]
    made = read_tokenizer(tmp_path, "llama", told)
    assert [token.id for token in made.tokenize("the</s>the")] == [1, *apart, 2, *apart]


@pytest.mark.parametrize("template", ["{{ bos_token }}[{{ messages[0].content }}]", "[{{ messages[0].content }}]"])
def test_a_prompt_begins_with_the_symbol_of_the_header_once(template: str) -> None:
    """Be it in the template or not; where the header wants none, the template alone says it."""
    ids = {"tokenizer.chat_template": template, "tokenizer.ggml.bos_token_id": 263}
    made = told_template("x", byte_pairs("llama-v3", **ids))
    assert made is not None and made.prompt("hi").text == "<|end|>[hi]"
    plain = told_template("x", byte_pairs("qwen2", **ids))
    assert plain is not None and plain.prompt("hi").text == template.replace("{{ bos_token }}", "<|end|>").replace(
        "{{ messages[0].content }}", "hi"
    )


def test_the_template_of_the_header_has_its_special_pieces() -> None:
    """As a folder's own; a header without one has none."""
    told = byte_pairs(
        **{"tokenizer.chat_template": "{{ bos_token }}{{ messages[0].content }}", "tokenizer.ggml.bos_token_id": 263}
    )
    made = told_template("x", told)
    assert made is not None and made.prompt("hi").text == "<|end|>hi"
    assert told_template("x", byte_pairs()) is None
