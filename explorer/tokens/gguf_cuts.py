"""Pre-tokenizers of GGUF: how a text is split before pairs are merged, by the name in `tokenizer.ggml.pre`.

The names and the patterns are those that llama.cpp reads (`src/llama-vocab.cpp`). Each pattern of a row splits the pieces of
the one before it. A name that is not here is refused: another pre-tokenizer would give other tokens without an error.
"""

from collections.abc import Mapping

import attrs

_ENDINGS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_DIGIT = r"\p{N}"


def _words(digits: str, *, endings: str = _ENDINGS + "|", letters: str = r"\p{L}", breaks: str = r"[\r\n]*") -> str:
    """Words with a preceding sign or space, numbers, signs, and spaces."""
    others = letters if letters == r"\p{L}" else r"\p{L}\p{M}"
    return rf"{endings}[^\r\n\p{{L}}\p{{N}}]?[{letters}]+|{digits}| ?[^\s{others}\p{{N}}]+{breaks}|{_SPACES}"


_CAPITAL, _SMALL = r"(?:(?=\p{L})[^a-z])", r"(?:(?=\p{L})[^A-Z])"  # as llama.cpp writes them for most of its names
_CAPITAL_OR_MARK, _SMALL_OR_MARK = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def _cased(digits: str, endings: str = "", *, high: str = _CAPITAL, low: str = _SMALL, breaks: str = r"[\r\n/]*") -> str:
    """Words that are split where a capital follows a small letter."""
    lead = r"[^\r\n\p{L}\p{N}]?"
    return rf"{lead}{high}*{low}+{endings}|{lead}{high}+{low}*{endings}|{digits}| ?[^\s\p{{L}}\p{{N}}]+{breaks}|{_SPACES}"


_LLAMA3, _QWEN2 = _words(r"\p{N}{1,3}"), _words(_DIGIT)
_SIGNS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
_DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-\u309f\u30a0-\u30ff]+",  # Chinese, and both scripts of Japanese
    rf"{_SIGNS}|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}",
)
_ASIAN = "[一-龥\u0800-一가-\ud7ff]+"
# Letters with case, without the alphabets and the signs of mathematics that DeepSeek's list of ranges leaves out.
_LISTED = (
    r"(?![\x{560}-\x{588}\x{10c7}-\x{10ff}\x{1c80}-\x{1c8a}\x{2d00}-\x{2d2d}\x{a790}-\x{ab6f}\x{10570}-\x{105bc}"
    r"\x{10d50}-\x{10d85}\x{16e40}-\x{16e7f}\x{1d400}-\x{1d7cb}\x{1df00}-\x{1df2a}])[\p{Lu}\p{Ll}\p{Lt}]"
)
_DEEPSEEK = (r"[\r\n]", rf"\s?(?:{_LISTED})+", r"\s?[!-/:-~！-／：-～‘-‟\u3000-\u3002]+", r"\s+$", _ASIAN, r"\p{N}+")
_YOUTU = (
    "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥\u3040-\u309f\u30a0-\u30ff]+",
    _cased(_DIGIT, _ENDINGS + "?", high=_CAPITAL_OR_MARK, low=_SMALL_OR_MARK),
)
_NOT_CHINESE = r"(?:(?!\p{Han})%s)"
_KIMI = r"\p{Han}+|" + _cased(
    r"\p{N}{1,3}", _ENDINGS + "?", high=_NOT_CHINESE % _CAPITAL_OR_MARK, low=_NOT_CHINESE % _SMALL_OR_MARK, breaks=r"[\r\n]*"
)
_THREES_FROM_THE_END = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
_SCRIPTS = (  # those that write no spaces between words, and Korean
    "[一-鿿㐀-䶿豈-\ufaff\u3040-\u309f\u30a0-\u30ff･-ﾟ⼀-⿟เ-๿\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f"
    "\uaa60-\uaa7f\ua9e0-\ua9ff가-\ud7af\u1100-\u11ff]+"
)
_DEEPSEEK_CODER = (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _ASIAN, _DIGIT)
_BLOOM = r" ?[^(\s|.,!?…。，、।۔،)]+"


@attrs.frozen
class Cut:
    """The patterns of a name. `whole`: a word that is a piece is taken as it is; `begins`: a text begins with a symbol."""

    patterns: tuple[str, ...]
    whole: bool = False
    begins: bool = False


_ROWS: tuple[tuple[str, Cut], ...] = (
    ("llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano", Cut((_LLAMA3,), True, True)),
    ("dbrx smaug-bpe glm4 chatglm-bpe", Cut((_LLAMA3,))),
    ("qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2", Cut((_QWEN2,))),
    ("qwen35", Cut((_words(_DIGIT, letters=r"\p{L}\p{M}"),))),
    ("ufakzeka", Cut((_words(_DIGIT, endings=""),))),
    ("minicpm5", Cut((r"\p{N}{1,3}", _words(r"\p{N}+")), whole=True)),
    ("seed-coder", Cut((_words(_DIGIT, breaks="").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{N}\r\n]"),))),
    ("gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert exaone4", Cut((_GPT2,))),
    ("mpt olmo jais trillion granite-docling", Cut((_GPT2,))),
    ("smollm starcoder refact command-r codeshell exaone minerva-7b mellum2", Cut((_DIGIT, _GPT2))),
    ("falcon", Cut((r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]"))),
    ("tekken", Cut((_cased(_DIGIT),), True, True)),
    ("gpt-4o llama4 kanana2 talkie minimax-m2", Cut((_cased(r"\p{N}{1,3}", _ENDINGS + "?"),))),
    ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", Cut(_DEEPSEEK3)),
    ("deepseek-llm", Cut(_DEEPSEEK)),
    ("youtu", Cut(_YOUTU, whole=True)),
    ("kimi-k2", Cut((_KIMI,))),
    ("afmoe", Cut((_THREES_FROM_THE_END, _SCRIPTS, _DEEPSEEK3[2]))),
    ("superbpe", Cut((r"\p{N}+", r"(?=(\d{3})+(?!\d))"))),
    ("deepseek-coder", Cut(_DEEPSEEK_CODER)),
    ("bloom poro-chat gpt3-finnish", Cut((_BLOOM,))),
    ("viking", Cut((_BLOOM, _DIGIT))),
    ("default", Cut((r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"))),
)
CUTS: Mapping[str, Cut] = {name: cut for names, cut in _ROWS for name in names.split()}
"""By name; "default" is that of files that name none."""
