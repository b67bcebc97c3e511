"""Compares two recorded passes: how far their taps, heads and words are apart."""

from collections.abc import Iterable

import numpy as np

from explorer.stops import Stop
from explorer.tokens.token import Token
from explorer.trace.found.difference import Difference, HeadDifferences, TapDifference, VocabularyPair, WordDifferences
from explorer.trace.found.effects import measured_in
from explorer.trace.measures.apart import TOLERANCE, apart
from explorer.trace.measures.head_distance import attention_taps, head_distance, in_both
from explorer.trace.measures.measures import log_p
from explorer.trace.model_card import LOGITS
from explorer.trace.recorded_pass import THIS_PROGRAM, RecordedPass

_OUTPUT = "generator.logits"


def difference_of(
    one: RecordedPass,
    other: RecordedPass,
    names: tuple[str, str] = ("A", "B"),
    tolerance: float = TOLERANCE,
    stop: Stop | None = None,
) -> Difference:
    """Where two passes differ. Raises Superseded as soon as `stop` says so."""
    attentions = [each for each in one.card.attentions if each in other.card.attentions]
    return Difference(
        names=names,
        tolerance=tolerance,
        tokens=(one.tokens, other.tokens),
        taps=tuple(_tap(one, other, tap, tolerance, stop) for tap in _in_order(one, other)),
        recorded_whole=not any(each.taps or each.recorded_by not in ("", THIS_PROGRAM) for each in (one, other)),
        heads={each: head_differences(one, other, each, stop) for each in attentions},
        words=word_differences(one, other),
        vocabularies=vocabulary_pair(one, other),
    )


def _in_order(one: RecordedPass, other: RecordedPass) -> list[str]:
    """The taps of both in the order of computation; a tap that only the second one has follows the one before it there."""
    order = list(one.names())
    there, after = set(order), 0
    for tap in other.names():
        if tap in there:
            after = order.index(tap) + 1
        else:
            order.insert(after, tap)
            after += 1
    return order


def _tap(one: RecordedPass, other: RecordedPass, tap: str, tolerance: float, stop: Stop | None) -> TapDifference:
    shapes = tuple(each.shape(tap) if tap in each else () for each in (one, other))
    found = apart(one[tap], other[tap], tolerance, stop) if in_both(one, other, tap) else None
    return TapDifference(tap, (shapes[0], shapes[1]), found)


def head_differences(one: RecordedPass, other: RecordedPass, attention: str, stop: Stop | None = None) -> HeadDifferences:
    """How far the maps of each head of an attention are apart. Raises Superseded as soon as `stop` says so."""
    side = one.card.side(attention)
    distance, entropy = (np.full((side.n_layers, side.n_heads), np.nan) for _ in range(2))
    for layer, tap in attention_taps(one, other, attention).items():
        distance[layer], entropy[layer] = head_distance(one[tap], other[tap], stop)
    return HeadDifferences(attention, distance, entropy)


def word_differences(one: RecordedPass, other: RecordedPass) -> WordDifferences | None:
    """log p of each word in both passes; None where one of them has no output, or another kind of it.

    The words are those that A predicts. B's log p of a word counts where B predicts the same word after the same tokens; its id
    may be another one.
    """
    tap = LOGITS if one.card.classes is not None else _OUTPUT
    if any(tap not in each.arrays for each in (one, other)) or (one.card.classes is None) != (other.card.classes is None):
        return None
    (first, kind), (second, other_kind) = measured_in(one), measured_in(other)
    words, theirs = _named(one, first), _named(other, second)
    n = _alike(one, other, words, theirs) if kind == other_kind else 0
    log_ps = [np.full(len(first), np.nan) for _ in range(2)]
    log_ps[0][:] = log_p(one[tap][: len(first)], np.array(first, int))
    if kind == "class" and n:  # The class is that which A predicts, whatever B predicts.
        log_ps[1][:n] = log_p(other[tap][:n], np.array(first[:n], int))
    elif n:
        log_ps[1][:n] = log_p(other[tap][:n], np.array(second[:n], int))
    return WordDifferences(words, *log_ps)


def _named(one: RecordedPass, ids: tuple[int, ...]) -> tuple[str, ...]:
    labels = one.symbols if one.card.classes is None else one.card.classes.labels
    return tuple(labels[each] if each < len(labels) else f"#{each}" for each in ids)


def _alike(one: RecordedPass, other: RecordedPass, words: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    """How many of the first words both models predict after the same tokens."""
    if _texts(one.tokens.source) != _texts(other.tokens.source):
        return 0
    if one.card.classes is not None:
        return min(len(words), len(theirs)) if one.card.classes.labels == _labels(other) else 0
    n = _shared_start(words, theirs)
    # The word at a position is predicted from all tokens up to it.
    return min(n, _shared_start(_texts(one.tokens.target), _texts(other.tokens.target))) if one.tokens.target else n


def _labels(one: RecordedPass) -> tuple[str, ...]:
    return () if one.card.classes is None else one.card.classes.labels


def _texts(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(token.text for token in tokens)


def _shared_start(some: tuple[str, ...], others: tuple[str, ...]) -> int:
    return next((n for n, (a, b) in enumerate(zip(some, others, strict=False)) if a != b), min(len(some), len(others)))


def vocabulary_pair(one: RecordedPass, other: RecordedPass) -> VocabularyPair | None:
    """The vocabularies of the output of both models, and the tokens of the text there; None where one of them is not known."""
    return vocabularies_beside(one.symbols, other.symbols, *map(_symbols, (one, other)))


def _symbols(one: RecordedPass) -> tuple[str, ...]:
    """The tokens of the text as the vocabulary has them; bytes of a letter have other names in the text."""
    row = one.tokens.target or one.tokens.source
    return tuple(one.symbols[each.id] if each.id < len(one.symbols) else each.text for each in row)


def vocabularies_beside(
    first: tuple[str, ...], second: tuple[str, ...], some: Iterable[str] = (), others: Iterable[str] = ()
) -> VocabularyPair | None:
    """Two vocabularies, each with tokens of a text that it was cut into; None where one of them is empty."""
    a, b = set(first), set(second)
    if not a or not b:
        return None
    only = (
        tuple(dict.fromkeys(each for each in some if each not in b)),
        tuple(dict.fromkeys(each for each in others if each not in a)),
    )
    return VocabularyPair((len(a), len(b)), len(a & b), only)
