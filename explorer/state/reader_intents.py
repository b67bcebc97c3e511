"""Opening a model that reads another language than the present one."""

import attrs

from explorer.presets import load_preset
from explorer.state.intents import Intent, OnScreen, SetPreset, wishing
from explorer.state.state import State
from explorer.tokens.language import language_of


@attrs.frozen
class OpenReader(Intent):
    """Open a preset for the language that it reads. A sentence in another language gives way to the preset's own."""

    name: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this preset, without the typed target of the model before. Raises UnknownPreset, BadPreset."""
        there, preset = SetPreset(self.name).applied(state, shown), load_preset(self.name)
        text = there.wish.text if language_of(there.wish.text) == preset.reads else preset.text
        same = text == state.wish.text
        cuts = there.wish.source_cuts if same else None
        return wishing(there, text=text, source_cuts=cuts, target=None, target_cuts=None)
