"""All that can happen to the session, as frozen values, from a person, the window, timers and threads.

What the compute thread tells (`engine.jobs.Told`) is an event as it is.
"""

import attrs

from explorer.app.session.asking import Places
from explorer.app.session.effects import Timer
from explorer.app.session.history import Instant
from explorer.engine import jobs
from explorer.engine.request import Frame
from explorer.errors import ExplorerError
from explorer.state.focus import NOWHERE, Focus
from explorer.state.intents import Intent


@attrs.frozen
class WindowSeen:
    """The window was painted for the first time: what is set up can be computed."""


@attrs.frozen(eq=False)
class Recalled:
    """An answer to what is set up was kept by an earlier run of the program; its serial number is 0."""

    frame: Frame


@attrs.frozen
class Intended:
    """A person has typed, turned a knob, opened a page …: an Intent, and when."""

    intent: Intent
    at: Instant


@attrs.frozen
class Undone:
    """A person goes one step back."""


@attrs.frozen
class Redone:
    """A person goes one step forward."""


@attrs.frozen
class Escaped:
    """A person gives up what is computed."""


@attrs.frozen
class RestartWanted:
    """A person no longer waits for a compute thread that hangs."""


@attrs.frozen
class PageShown:
    """The page in front and the open lesson show these experiments, which look at this place."""

    experiments: frozenset[str]
    focus: Focus = NOWHERE


@attrs.frozen
class PlacesWanted:
    """Pictures of a long text need taps and heads that were not kept."""

    places: Places


@attrs.frozen
class FrameShown:
    """The window has taken over an answer, and said what else it needs."""

    serial: int


@attrs.frozen
class PicturesMade:
    """Pictures were made in this turn of the event loop."""


@attrs.frozen
class PaintAsked:
    """Qt asks the window to paint itself."""


@attrs.frozen
class Painted:
    """The window has painted itself."""


@attrs.frozen
class TimerFired:
    """The time is up for which `StartTimer` asked."""

    timer: Timer


@attrs.frozen
class Silence:
    """The work on the compute thread has given no sign for this long; 0 where it has none."""

    seconds: float


@attrs.frozen(eq=False)
class FolderRefused:
    """The check of a folder has found that no model can be opened from it."""

    path: str
    error: ExplorerError


@attrs.frozen
class WindowClosed:
    """The window closes."""


OfPerson = WindowSeen | Intended | Undone | Redone | Escaped | RestartWanted | WindowClosed
OfWindow = PageShown | PlacesWanted | FrameShown | PicturesMade | PaintAsked | Painted
OfMachine = TimerFired | Silence | FolderRefused | Recalled | jobs.Told
Event = OfPerson | OfWindow | OfMachine
