"""What the session does in answer to an event, as frozen values: `step.py` decides, `session.py` carries out, in this order."""

from enum import Enum, auto

import attrs

from explorer.app.session import told
from explorer.engine.errand import Brought
from explorer.engine.request import Frame, Request


class Timer(Enum):
    """What is waited for."""

    WIDEN = auto()  # a pause in typing, behind which the wide search begins
    RELEASE = auto()  # the end of this turn of the event loop, after which the compute thread goes on
    PAINT = auto()  # the end of this turn of the event loop, in which pictures were made


@attrs.frozen
class Submit:
    """Have the compute thread answer this request next, in place of one that still waits."""

    request: Request


@attrs.frozen
class StopWork:
    """Have the compute thread end the running request and the waiting one."""


@attrs.frozen
class Restart:
    """Leave a compute thread that hangs to itself, and go on with a new one."""


@attrs.frozen
class Hold:
    """Let the compute thread pause until `Release`: both threads share Python's lock, and the window is to be painted."""


@attrs.frozen
class Release:
    """Let the compute thread go on."""


@attrs.frozen
class StartTimer:
    """Send `TimerFired(timer)` in `ms` milliseconds, counted anew where it runs already."""

    timer: Timer
    ms: int


@attrs.frozen
class EndTimer:
    """Wait no more."""

    timer: Timer


@attrs.frozen
class CheckFolder:
    """Check on a thread of its own whether a model can be opened from this folder; `FolderRefused` where it cannot."""

    path: str


@attrs.frozen
class Paint:
    """Have the window paint what it has put off."""


@attrs.frozen(eq=False)
class Show:
    """Show an answer in the window, then send `FrameShown`."""

    frame: Frame


@attrs.frozen
class Tell:
    """Tell the window."""

    value: told.Message | Brought


OfWorker = Submit | StopWork | Restart | Hold | Release
Effect = OfWorker | StartTimer | EndTimer | CheckFolder | Paint | Show | Tell
