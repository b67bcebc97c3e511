"""What the session tells the window, beside Frames: small frozen values, by one signal."""

import attrs

from explorer.config import Config
from explorer.errors import ExplorerError
from explorer.state.intents import Intent
from explorer.state.state import State


@attrs.frozen
class Set:
    """This is set up now; `before` was, and `by` is the intent that changed it, None for undo, redo and the start.

    Whoever said it needs not be told.
    """

    state: State
    before: State
    by: Intent | None = None


@attrs.frozen
class Settled:
    """Nobody asked for so many heads: they were adapted."""

    config: Config


@attrs.frozen
class Large:
    """A model of so many bytes is about to be built, which takes long."""

    n_bytes: int


@attrs.frozen(eq=False)
class Refused:
    """What was asked for cannot be done, for a reason that the user can mend."""

    error: ExplorerError


@attrs.frozen(eq=False)
class Broke:
    """A bug."""

    error: BaseException


@attrs.frozen
class Busy:
    """Whether an answer to the newest wish is still to come."""

    busy: bool


@attrs.frozen
class Progressed:
    """What runs is so far, 0 to 1."""

    share: float


@attrs.frozen
class Stopped:
    """The newest wish was given up, as the user asked."""


@attrs.frozen
class Undoable:
    """Whether there is something to undo, and something to redo."""

    undo: bool
    redo: bool


@attrs.frozen
class Loaded:
    """torch is loaded."""
