"""Intents about a LoRA adapter of a foreign model: add one, switch it off and on, compare with the base."""

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
    """Pin the present state with the adapter switched the other way, to compare with."""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this comparison."""
        here = attrs.evolve(state.wish, compared_with=None)
        return wishing(state, compared_with=attrs.evolve(here, adapted=not here.adapted))
