"""Intents about another state: one that is pinned to compare with, or an earlier one to go back to."""

import attrs

from explorer.config import as_paper
from explorer.knobs import Value
from explorer.presets import load_preset
from explorer.state.intents import Intent, OnScreen, wishing
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
