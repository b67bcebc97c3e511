"""Steering vectors: passes over two sets of sentences, of which the vectors that steer are made."""

import attrs

from explorer.engine.experiments.bench import streams
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.model_version import model_version
from explorer.errors import CannotSteer, ExplorerError, NoStreamToSteer, SentenceOfSet, TooManySentences
from explorer.state.suggested_sentences import MOST_SENTENCES, with_suggested
from explorer.state.wish import Wish
from explorer.trace.found.findings import NotMade
from explorer.trace.found.steering import Steering, steering_of
from explorer.trace.trace import Trace

_Sets = tuple[tuple[Wish, ...], tuple[Wish, ...]]


def steering(inquiry: Inquiry) -> Steering | NotMade:
    """What tells the sets of a Wish from each other in the model; targets are written greedily. Raises Superseded.

    The sets stay while one types, and are some twelve passes.
    """
    toward, away = with_suggested(inquiry.wish.toward, inquiry.wish.away)
    sets = (_alone(inquiry.wish, toward), _alone(inquiry.wish, away))
    return inquiry.kept.last(inquiry.key, (sets, model_version(inquiry.model)), lambda: _made(sets, inquiry))


def _made(sets: _Sets, inquiry: Inquiry) -> Steering | NotMade:
    try:
        return _vectors(sets, inquiry)
    except CannotSteer as error:  # The sentence on screen is answered all the same.
        return NotMade(error)


def _vectors(sets: _Sets, inquiry: Inquiry) -> Steering:
    for some in sets:
        if len(some) > MOST_SENTENCES:
            raise TooManySentences(limit=MOST_SENTENCES, got=len(some))
    card = inquiry.card
    why = card.why_absent("residual2")
    if why:
        raise NoStreamToSteer(why=why)
    taps = tuple(tap for side in card.sides for tap in streams(card, side.name)[1:])  # Behind every layer.
    traces = [[_pass(each, taps, inquiry) for each in some] for some in sets]
    return steering_of(([each.text for each in sets[0]], [each.text for each in sets[1]]), traces, taps)


def _pass(wish: Wish, taps: tuple[str, ...], inquiry: Inquiry) -> Trace:
    try:
        return inquiry.lender.make_pass(wish, frozenset(taps), inquiry.stop, inquiry.progress)
    except ExplorerError as error:
        raise SentenceOfSet(text=wish.text, reason=error) from error


def _alone(wish: Wish, texts: tuple[str, ...]) -> tuple[Wish, ...]:
    """The wishes for the same model's passes over each sentence alone, as the library makes them for `explorer.steering`."""
    bare = attrs.evolve(wish, target=None, target_cuts=None, source_cuts=None, words=(), beam=1)
    return tuple(bare.of_text(text.strip()) for text in texts if text.strip())


MAKE = steering
