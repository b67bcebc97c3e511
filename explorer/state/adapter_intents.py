"""Intents about a LoRA adapter of somebody's model: to add one, to switch it off and on, and to compare with the base."""

from pathlib import Path

import attrs

from explorer.errors import AdapterNeedsModel, FolderIsGone
from explorer.presets import load_preset
from explorer.state.intents import Intent, Shown, wishing
from explorer.state.state import State


@attrs.frozen
class OpenAdapter(Intent):
    """Add the adapter in a folder to the model on screen; "" takes it away."""

    path: str

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State with this adapter; it is read by the next pass. Raises FolderIsGone, AdapterNeedsModel."""
        if not self.path:
            return wishing(state, adapter="", adapted=True)
        folder = Path(self.path).absolute()
        if not folder.is_dir():
            raise FolderIsGone(path=str(folder))
        if load_preset(state.wish.preset).foreign is None:
            raise AdapterNeedsModel(path=str(folder))
        return wishing(state, adapter=str(folder), adapted=True)


@attrs.frozen
class WearAdapter(Intent):
    """Switch the adapter on or off."""

    on: bool

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State with the adapter on or off."""
        return wishing(state, adapted=self.on)


@attrs.frozen
class CompareAdapter(Intent):
    """Put the present state aside with the adapter the other way: off where it is on."""

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State with this comparison."""
        here = attrs.evolve(state.wish, compared_with=None)
        return wishing(state, compared_with=attrs.evolve(here, adapted=not here.adapted))
