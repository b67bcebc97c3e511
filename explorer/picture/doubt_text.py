"""Doubts in words: why the model is likely to fail on a sentence, in one line and in several."""

from collections.abc import Sequence
from functools import reduce

from explorer.lang import Words
from explorer.tokens.token import Token
from explorer.trace.found.doubts import LEAST_P, Doubt, broken, doubts
from explorer.trace.trace import Trace

_MOST_NAMED = 3


def doubt_line(trace: Trace, words: Words) -> str:
    """The reasons in one line; "" where there is none."""
    return " · ".join(_short(each, words) for each in doubts(trace))


def is_foreign_language(trace: Trace) -> bool:
    """Whether the text is in another language than the one that the model reads."""
    return any(each.kind in ("reads_chinese", "reads_english") for each in doubts(trace))


def doubt_text(trace: Trace, words: Words) -> str:
    """The reasons at length, with the words that the vocabulary lacks and their pieces; "" where there is none."""
    found = doubts(trace)
    if not found:
        return ""
    lines = [words("doubt.title"), *(_long(each, words) for each in found)]
    tokens, text = (trace.tokens.source, trace.source) if trace.tokens.source else (trace.tokens.target, trace.target)
    apart = [pieces_of(text, tokens, word) for word in broken(tokens)]
    if apart:
        lines.append(words("doubt.fell_apart", words=listed(apart, words)))
    return "\n".join((*lines, words("doubt.more")))


def pieces_of(text: str, tokens: tuple[Token, ...], word: tuple[int, int]) -> str:
    """A word with the pieces that it fell into: 长江 → 长·江."""
    pieces = dict.fromkeys((token.start, token.end) for token in tokens if token.word == word)
    return f"{text[slice(*word)]} → {'·'.join(text[slice(*piece)] for piece in pieces)}"


def _short(doubt: Doubt, words: Words) -> str:
    return words(f"doubt.{doubt.kind}", texts=listed(doubt.texts, words), p=f"{doubt.p:.2f}")


def _long(doubt: Doubt, words: Words) -> str:
    return words(f"doubt.{doubt.kind}_long", texts=listed(doubt.texts, words), p=f"{doubt.p:.2f}", least=f"{LEAST_P:.2f}")


def listed(texts: Sequence[str], words: Words) -> str:
    """The first few texts in one line."""
    if not texts:
        return ""
    said = reduce(lambda first, second: words("cuts.listed", first=first, second=second), texts[:_MOST_NAMED])
    return f"{said}…" if len(texts) > _MOST_NAMED else said
