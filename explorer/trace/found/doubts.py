"""Doubts: reasons why a model can hardly handle a sentence, shown beside its translation.

Measured on the bundled translator with every fourth validation row and every second test row of `held-out.tsv` (444 and 471
different sentences, which nothing was trained on; beam 4) and with 30 sentences that are strange to it, such as English,
classical verse, and the words of medicine, finance and physics:

| | validation | test | strange |
|---|---|---|---|
| the translation's words have less than `LEAST_P` on average | 3.8 % | 3.8 % | 83 % |
| a character is not in the vocabulary | 2.0 % | 2.5 % | 37 % |
| a word in Latin letters falls apart | 0.5 % | 1.3 % | 13 % |
| any word falls apart, which is therefore no doubt | 40 % | 43 % | |

The average is the geometric one, exp(Σ log p / n) over all n written words and the end symbol; its median was 0.67 on the
validation rows, and 0.28 on the strange sentences. The threshold was set on the validation rows alone. A greedy
translation has lower averages (7.2 % lie below), so that it is not judged.

A text in another language than the one that the model reads is told as that: more than half of its words are unknown or
spelled out, English ones in letters where Chinese is read, and Chinese characters in bytes where English is.
"""

import math
import re
from itertools import pairwise
from typing import Literal

import attrs

from explorer.tokens.bpe import BYTES
from explorer.tokens.language import language_of
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import SPECIALS
from explorer.trace.recorded_pass import RecordedPass

LEAST_P = 0.35
_LETTERS = re.compile(r"[A-Za-z\u00c0-\u024f]")

Kind = Literal["reads_chinese", "reads_english", "unknown", "letters", "unsure"]


@attrs.frozen
class Doubt:
    """One reason: a text in another language than the one that the model reads, characters that the vocabulary lacks, Latin
    words that fell apart, or a translation of small probability.

    `texts` are the characters or words. `p` is the geometric mean of the probabilities of the written words.
    """

    kind: Kind
    texts: tuple[str, ...] = ()
    p: float = 0.0


def doubts(trace: RecordedPass) -> tuple[Doubt, ...]:
    """All reasons, in the order of Kind. Untrained weights have none.

    For foreign models there are unknown tokens alone, since thresholds and alphabets are those of our own training.
    """
    if not trace.trained:
        return ()
    tokens = trace.tokens.source or trace.tokens.target
    unknown = tuple(dict.fromkeys(token.text for token in tokens if not token.known))
    found = [Doubt("unknown", unknown)] if unknown else []
    if trace.of_others:
        return tuple(found)
    text = trace.source or trace.target
    reads = language_read(trace)
    english = reads == "en"
    letters = () if english else tuple(each for each in broken(tokens) if _LETTERS.search(text[slice(*each)]))
    units = {(token.start, token.end) if english else _span(token) for token in tokens}
    spelled = _in_bytes(tokens, text) if english else {*letters, *(_span(token) for token in tokens if not token.known)}
    if reads and language_of(text) != reads and len(spelled) > len(units) / 2:
        found = [Doubt("reads_english" if english else "reads_chinese")]
    elif letters:
        found.append(Doubt("letters", tuple(dict.fromkeys(text[slice(*each)] for each in letters))))
    p = mean_p(trace)
    if p < LEAST_P:
        found.append(Doubt("unsure", p=p))
    return tuple(found)


def language_read(trace: RecordedPass) -> str:
    """The language that a model which was trained here reads, "zh" or "en"; "" for one of digits and for all other models.

    What it writes is told by its symbols: byte pairs are for English. A translator reads the other language.
    """
    if not trace.trained:
        return ""
    written = "en" if BYTES[0] in trace.symbols else next(filter(None, map(language_of, trace.symbols[len(SPECIALS) :])), "")
    translates = trace.card.architecture == "encoder-decoder"
    return {"en": "zh", "zh": "en"}.get(written, "") if translates else written


def _span(token: Token) -> tuple[int, int]:
    """The span of the word that a token is a part of, or its own."""
    return token.word or (token.start, token.end)


def _in_bytes(tokens: tuple[Token, ...], text: str) -> set[tuple[int, int]]:
    """The spans of the letters that became several bytes, which stand at the same place."""
    spans = [(token.start, token.end) for token in tokens]
    return {left for left, right in pairwise(spans) if left == right and text[slice(*left)].isalpha()}


def broken(tokens: tuple[Token, ...]) -> tuple[tuple[int, int], ...]:
    """The spans of the words that were cut first and that fell apart because the vocabulary lacks them."""
    return tuple(dict.fromkeys(token.word for token in tokens if token.word is not None))


def mean_p(trace: RecordedPass) -> float:
    """The geometric mean of the probabilities of the words of a translation by wide search; NaN where there is none.

    A typed target says nothing about the model, and a greedy one may differ from what the search will find.
    """
    search = trace.search
    if search is None or search.beam == 1 or not search.ends:
        return math.nan
    chosen = [search.nodes[node].log_p for node in search.path(search.ends[0]) if not search.nodes[node].forced]
    # exp(1/n · Σ log p)
    return math.exp(sum(chosen) / len(chosen)) if chosen else math.nan
