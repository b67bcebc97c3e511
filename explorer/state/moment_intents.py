"""Intents about a training: the model as it was after a step."""

import attrs

from explorer.presets import load_preset
from explorer.runs.snapshots import moment_in, moment_name
from explorer.state.intents import Intent, OnScreen, SetPreset, wishing
from explorer.state.state import State


@attrs.frozen
class OpenMoment(Intent):
    """Open the model of a training as it was after a step. Its sentence stays, unless another model's sentence is there."""

    run: str
    moment: int

    @property
    def gesture(self) -> str:
        """The gesture of scrubbing through a training."""
        return "moment"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this model. Raises UnknownPreset, UnknownMoment, BadPreset."""
        opened = SetPreset(moment_name(self.run, self.moment)).applied(state, shown)
        if self.run in (state.wish.preset, moment_in(state.wish.preset)[0]):
            return opened
        return wishing(opened, text=load_preset(self.run).text, target=None, target_cuts=None, source_cuts=None, prefix=())
