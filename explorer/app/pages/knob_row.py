"""The switch of a knob that breaks the model; the panel of knobs shows the same value."""

from PySide6.QtCore import Signal

from explorer.config import find_knob
from explorer.lang import Words
from explorer.picture.change_text import told_knob
from explorer.presets import load_preset
from explorer.state.breaks import BREAKS
from explorer.state.intents import SetKnob
from explorer.state.wish import Wish
from explorer.views.controls.outcome_row import OutcomeRow


class KnobSwitchRow(OutcomeRow):
    """Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self, knob: str) -> None:
        super().__init__()
        self.knob = knob
        self.switch.toggled.connect(self._switched)
        self._own: object = None

    def put(self, wish: Wish, *, on: bool, words: Words) -> None:
        """Show whether the knob is turned away from the preset's value."""
        self._own = load_preset(wish.preset).config.values()[self.knob]
        here = wish.config.values()[self.knob]
        usual = here in (BREAKS[self.knob], self._own)
        told = told_knob(self.knob, BREAKS[self.knob] if usual else here, words)
        self.put_row(told, on=on, about=words(f"knob.{find_knob(self.knob).name}.hint"))

    def _switched(self, on: bool) -> None:
        self.wished.emit(SetKnob(self.knob, BREAKS[self.knob] if on else self._own))
