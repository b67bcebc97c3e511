"""Intents about a LoRA adapter of a foreign model: add one, switch it off and on, compare with the base."""

from pathlib import Path

import attrs

from explorer.errors import AdapterNeedsBase, AdapterNeedsModel
from explorer.model_places import base_of
from explorer.presets import titles
from explorer.state.intents import Intent, OnScreen, SetPreset, wishing
from explorer.state.state import State


@attrs.frozen
class OpenAdapter(Intent):
    """Add the adapter in a folder to the model on screen, or to its own `base` where that is at hand; "" takes it away."""

    path: str
    base: str = ""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this adapter. Another model on screen stays only if nothing better is known.

        Raises FolderIsGone, AdapterNeedsBase, and like `SetPreset`.
        """
        asked = base_of(Path(self.path)) if self.path else ""
        if self.base and not _is_called(state.wish.preset, asked):
            state = SetPreset(self.base).applied(state, shown)
        try:
            return state.with_adapter(self.path)
        except AdapterNeedsModel as error:
            raise AdapterNeedsBase(path=self.path, base=asked) from error


def _is_called(preset: str, asked: str) -> bool:
    """Whether a model on screen is the one of this name: by its folder, or by its title in the Hugging Face cache."""
    return titles((preset,))[0].rpartition("/")[2].lower() == asked.rpartition("/")[2].lower()


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
