"""The values that the session sends to the window besides Frames; all are small and frozen."""

import attrs

from explorer.config import Config
from explorer.errors import ExplorerError
from explorer.state.intents import Intent
from explorer.state.state import State


@attrs.frozen
class Set:
    """The State has changed from `before` to `state`; `by` is the intent that did it, None for undo, redo and the start.

    A box whose own input made the intent already shows it and ignores the value.
    """

    state: State
    before: State
    by: Intent | None = None


@attrs.frozen
class Settled:
    """The number of heads was adapted so that it divides d_model."""

    config: Config


@attrs.frozen
class Large:
    """A model of `n_bytes` is about to be built, which takes long."""

    n_bytes: int


@attrs.frozen(eq=False)
class Refused:
    """An intent or request was refused for a reason that the user can correct."""

    error: ExplorerError


@attrs.frozen(eq=False)
class SprungBack:
    """A change could not be made; the State is what it was before, and so is the picture."""

    error: ExplorerError


@attrs.frozen(eq=False)
class Broke:
    """A bug was found; the bug report shows it."""

    error: BaseException


@attrs.frozen
class Busy:
    """Whether the newest wish is still unanswered."""

    busy: bool


@attrs.frozen
class ShareDone:
    """The running pass has done this `share` of its work, 0 to 1."""

    share: float


@attrs.frozen
class GivenUp:
    """The newest wish was cancelled by the user."""


@attrs.frozen
class OpeningGivenUp:
    """The user has stopped the opening of a model; the one before is there again."""


@attrs.frozen
class Undoable:
    """Whether there is a step to undo, and one to redo."""

    undo: bool
    redo: bool


@attrs.frozen
class Loaded:
    """torch is loaded and the compute thread is ready."""


@attrs.frozen
class Hangs:
    """The work has given no sign for so many `seconds`, and may hang; sent each second, and with 0 when it goes on."""

    seconds: int


OfState = Set | Settled | Large | Undoable
OfAnswer = Refused | SprungBack | Broke | Busy | ShareDone | GivenUp | OpeningGivenUp | Loaded | Hangs
Message = OfState | OfAnswer
