"""The Steerer: passes over two sets of sentences, of which the vectors that steer are made.

A slider asks for the same vectors many times a second, so they are kept until the sets or the model change.
"""

import attrs

from explorer.engine.experiments.patching import streams
from explorer.engine.lender import MakePass
from explorer.errors import CannotSteer, ExplorerError, NoStreamToSteer, SentenceOfSet, TooManySentences
from explorer.state.steering_sets import MOST_SENTENCES, with_suggested
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.found.steering import NotSteered, Steering, steering_of
from explorer.trace.model_card import ModelCard
from explorer.trace.trace import Trace

_Sets = tuple[tuple[Wish, ...], tuple[Wish, ...]]


class Steerer:
    """Makes the Steering of a Wish. It keeps the last one."""

    def __init__(self, make_pass: MakePass) -> None:
        self._make_pass = make_pass
        self._last: tuple[_Sets, Steering | NotSteered] | None = None

    def steering(self, wish: Wish, card: ModelCard, stop: Stop, progress: Progress) -> Steering | NotSteered:
        """What tells the sets of a Wish from each other in the model of a card; targets are written greedily.

        Raises Superseded.
        """
        toward, away = with_suggested(wish.toward, wish.away)
        sets = (_alone(wish, toward), _alone(wish, away))
        if self._last is None or self._last[0] != sets:
            try:
                made: Steering | NotSteered = self._made(sets, card, stop, progress)
            except CannotSteer as error:
                made = NotSteered(error)
            self._last = sets, made
        return self._last[1]

    def _made(self, sets: _Sets, card: ModelCard, stop: Stop, progress: Progress) -> Steering:
        for some in sets:
            if len(some) > MOST_SENTENCES:
                raise TooManySentences(limit=MOST_SENTENCES, got=len(some))
        why = card.why_absent("residual2")
        if why:
            raise NoStreamToSteer(why=why)
        taps = tuple(tap for side in card.sides for tap in streams(card, side.name)[1:])  # Behind every layer.
        traces = [[self._pass(each, taps, stop, progress) for each in some] for some in sets]
        return steering_of(([each.text for each in sets[0]], [each.text for each in sets[1]]), traces, taps)

    def _pass(self, wish: Wish, taps: tuple[str, ...], stop: Stop, progress: Progress) -> Trace:
        try:
            return self._make_pass(wish, frozenset(taps), stop, progress)
        except ExplorerError as error:  # The sentence on screen is answered all the same.
            raise SentenceOfSet(text=wish.text, reason=error) from error


def _alone(wish: Wish, texts: tuple[str, ...]) -> tuple[Wish, ...]:
    """The wishes for the same model's passes over each sentence alone, as the library makes them for `explorer.steering`."""
    bare = attrs.evolve(wish, target=None, target_cuts=None, source_cuts=None, words=(), beam=1)
    return tuple(bare.of_text(text.strip()) for text in texts if text.strip())
