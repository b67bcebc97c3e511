"""Intents about the state that is put aside to compare with."""

import attrs

from explorer.config import as_paper
from explorer.knobs import Value
from explorer.state.intents import Intent, OnScreen, wishing
from explorer.state.state import State
from explorer.state.wish import Wish


@attrs.frozen
class Compare(Intent):
    """Put a state aside to compare with: "now" the present one, "paper" the present one with the paper's knobs.

    "swap" exchanges the two states; "" drops the one put aside.
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
    """Put the present state aside with some knobs turned, or with random weights: one click shows what they do."""

    knobs: tuple[tuple[str, Value], ...] = ()
    trained: bool = True

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this comparison. Raises BadKnob."""
        here = attrs.evolve(state.wish, compared_with=None)
        config = here.config.nearest_valid(**dict(self.knobs))
        return wishing(state, compared_with=attrs.evolve(here, config=config, trained=here.trained and self.trained))

    def changes(self, wish: Wish) -> bool:
        """Whether what would be put aside differs from a wish."""
        knobs = wish.config.values()
        turned = any(knobs[name] != value for name, value in self.knobs)
        return turned or (wish.uses_trained and not self.trained)
