"""The opening head: which head is looked at first, until a person chooses one.

After opening, and after another model came, the first answer of a trained model decides: its trace is measured, and the Look
goes to the head that is most worth a look. No later answer of that model changes it.

Decision: it is measured here, once, when the answer is there and before it is painted. Rejected: a head declared in each
preset, because somebody else's model has none; a measure at each answer, because the picture would jump while one types.
Decision: with random weights the Look stays where it is, since none of their heads is worth more than another.
"""

import attrs

from explorer.engine.request import Frame
from explorer.presets import HEAD_FIELDS, load_preset
from explorer.state.intents import Intent, LookAt, OpenStep
from explorer.state.look import Look
from explorer.state.session_intents import OpenState
from explorer.state.state import State
from explorer.state.state_link import OpenLink
from explorer.state.wish import Wish
from explorer.trace.measures.opening_head import opening_head


@attrs.frozen
class Opening:
    """Whether the head was chosen by a person, a preset's file or a lesson, and whether it was measured with this model."""

    is_chosen: bool
    is_measured: bool = False

    @classmethod
    def beginning(cls, state: State, *, restored: bool) -> "Opening":
        """The Opening of the first State. `restored` says that it was left so by somebody: then its head was chosen."""
        return cls(is_chosen=restored or load_preset(state.wish.preset).names_head)

    def followed(self, before: State, after: State, by: Intent | None) -> "Opening":
        """After a change of the State; `by` is None for undo and redo, which bring the Look of another preset back."""
        chosen = self.is_chosen
        if after.wish.preset != before.wish.preset:
            chosen = by is None or _names_head(by) or load_preset(after.wish.preset).names_head
        elif by is not None and _names_head(by):
            chosen = True
        return Opening(chosen, self.is_measured and _model(after.wish) == _model(before.wish))

    def looked(self, look: Look, frame: Frame, wish: Wish) -> tuple["Opening", Look]:
        """The Look for an answer that is about to be shown: with a measured head if it is time for one, else `look` itself."""
        if self.is_chosen or self.is_measured or not frame.trace.trained or _model(frame.wish) != _model(wish):
            return self, look
        found = opening_head(frame.trace)
        if found is not None:
            look = attrs.evolve(look, attention=found.attention, layer=found.layer, head=found.head)
        return Opening(is_chosen=False, is_measured=True), look


def _model(wish: Wish) -> tuple[object, ...]:
    """What decides which weights a wish is computed with."""
    return wish.preset, wish.trained, wish.config.shape


def _names_head(by: Intent) -> bool:
    """Whether an intent says which attention, layer or head to look at."""
    if isinstance(by, (OpenState, OpenLink)):  # Somebody has left the State so.
        return True
    fields = by.fields if isinstance(by, LookAt) else by.settings.look if isinstance(by, OpenStep) else ()
    return not HEAD_FIELDS.isdisjoint(fields)
