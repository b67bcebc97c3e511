"""Intents about a State that was set up before: going back to it, and comparing the present one with it."""

import attrs

from explorer.presets import load_preset
from explorer.state.intents import Intent, OnScreen, wishing
from explorer.state.state import State
from explorer.state.wish import Wish


@attrs.frozen
class GoBackTo(Intent):
    """Wish for what was wished for before. Look and page stay, as they do when a step is undone."""

    wish: Wish

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with that Wish. Raises UnknownPreset, BadPreset where its model is gone."""
        load_preset(self.wish.preset)
        return attrs.evolve(state, wish=self.wish)


@attrs.frozen
class CompareWithPast(Intent):
    """Put what was wished for before beside the present State, and open the page that compares them."""

    wish: Wish

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this comparison. Raises like `GoBackTo`."""
        load_preset(self.wish.preset)
        there = wishing(state, compared_with=attrs.evolve(self.wish, compared_with=None))
        return attrs.evolve(there, page="compare")
