"""Intents about another state: one that is pinned to compare with, an earlier one, or the one before a lesson."""

from typing import Any

import attrs

from explorer.config import Config, as_paper
from explorer.errors import ExplorerError
from explorer.knobs import Value
from explorer.presets import load_preset
from explorer.state.intents import Intent, OnScreen, wishing
from explorer.state.look import Look
from explorer.state.state import State
from explorer.state.wish import Wish


@attrs.frozen
class Compare(Intent):
    """Pin a state to compare with: "now" the present one, "paper" the present one with the paper's knobs.

    "swap" exchanges the two states; "" drops the pinned one.
    """

    what: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with another comparison; the same State where there is nothing to swap with."""
        here, other = attrs.evolve(state.wish, compared_with=None), state.wish.compared_with
        if self.what == "swap":
            return state if other is None else attrs.evolve(state, wish=attrs.evolve(other, compared_with=here))
        if self.what == "paper":
            return wishing(state, compared_with=attrs.evolve(here, config=as_paper(here.config)))
        return wishing(state, compared_with=here if self.what == "now" else None)


@attrs.frozen
class CompareWith(Intent):
    """Pin the present state with some knobs turned, or with random weights: one click shows what they do."""

    knobs: tuple[tuple[str, Value], ...] = ()
    trained: bool = True

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this comparison. Raises BadKnob."""
        here = attrs.evolve(state.wish, compared_with=None)
        config = here.config.nearest_valid(**dict(self.knobs))
        return wishing(state, compared_with=attrs.evolve(here, config=config, trained=here.trained and self.trained))

    def changes(self, wish: Wish) -> bool:
        """Whether the pinned state would differ from a wish."""
        knobs = wish.config.values()
        turned = any(knobs[name] != value for name, value in self.knobs)
        return turned or (wish.uses_trained and not self.trained)


@attrs.frozen
class GoBackTo(Intent):
    """Go back to an earlier Wish. Look and page stay, as they do when a step is undone."""

    wish: Wish

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with that Wish. Raises UnknownPreset, BadPreset where its model is gone."""
        load_preset(self.wish.preset)
        return attrs.evolve(state, wish=self.wish)


@attrs.frozen
class CompareWithPast(Intent):
    """Pin an earlier Wish beside the present State, and open the page that compares them."""

    wish: Wish

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this comparison. Raises like `GoBackTo`."""
        load_preset(self.wish.preset)
        there = wishing(state, compared_with=attrs.evolve(self.wish, compared_with=None))
        return attrs.evolve(there, page="compare")


@attrs.frozen(eq=False)
class GiveBack(Intent):
    """Leave a lesson: go back to what was set up `before` it; `left` is what its last step set up.

    What the reader has changed since, such as the sentence, stays. If one of the two is unknown, everything stays.
    """

    before: State | None = None
    left: State | None = None

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with the fields of `before` that the reader has not changed since."""
        before, left = self.before, self.left
        if before is None or left is None or state.wish.preset != left.wish.preset:  # Another model that was chosen stays.
            return attrs.evolve(state, lesson=None)
        config = _config(before.wish.config, left.wish.config, state.wish.config)
        wish = attrs.evolve(_given_back(before.wish, left.wish, state.wish, Wish), config=config)
        look = _given_back(before.look, left.look, state.look, Look)
        return State(wish=wish, look=look, page=before.page if state.page == left.page else state.page)


def _config(before: Config, left: Config, now: Config) -> Config:
    """The knobs of before, with those that the reader has moved since if they go with them."""
    then = left.values()
    try:
        return before.changed(**{name: value for name, value in now.values().items() if value != then[name]})
    except ExplorerError:
        return before


def _given_back(before: Any, left: Any, now: Any, kind: type) -> Any:
    """`before`, with the fields in which `now` differs from `left`."""
    names = [field.name for field in attrs.fields(kind) if field.name != "config"]
    return attrs.evolve(before, **{name: getattr(now, name) for name in names if getattr(now, name) != getattr(left, name)})
