"""The Intent to open a session file."""

import attrs

from explorer import page_list
from explorer.state.intents import Intent, OnScreen
from explorer.state.state import State


@attrs.frozen
class OpenState(Intent):
    """Set up all that a State holds, as one step of undo.

    `own` is what was set up before the lesson that is open in it, if that is known.
    """

    state: State
    own: State | None = None

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State of the file. A page that this version does not have, or that no file names, stays the one in front."""
        known = self.state.page in page_list.KEYS
        return self.state if known else attrs.evolve(self.state, page=state.page)
