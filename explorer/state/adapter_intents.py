"""Intents about a LoRA adapter of somebody's model: to add one, to switch it off and on, and to compare with the base."""

import attrs

from explorer.state.intents import Intent, OnScreen, wishing
from explorer.state.state import State


@attrs.frozen
class OpenAdapter(Intent):
    """Add the adapter in a folder to the model on screen; "" takes it away."""

    path: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this adapter. Raises like `State.with_adapter`."""
        return state.with_adapter(self.path)


@attrs.frozen
class WearAdapter(Intent):
    """Switch the adapter on or off."""

    on: bool

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with the adapter on or off."""
        return wishing(state, adapted=self.on)


@attrs.frozen
class CompareAdapter(Intent):
    """Put the present state aside with the adapter the other way: off where it is on."""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this comparison."""
        here = attrs.evolve(state.wish, compared_with=None)
        return wishing(state, compared_with=attrs.evolve(here, adapted=not here.adapted))
