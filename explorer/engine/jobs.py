"""The work of the compute thread as values: its jobs, their results, and the messages about these.

All work goes through `tried`, so that nothing it raises can end the thread.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import attrs

from explorer.engine.errand import Brought, Errand
from explorer.engine.request import Frame, Request
from explorer.errors import EngineRestarted, ExplorerError, WorkFailed, bare
from explorer.stops import Superseded

if TYPE_CHECKING:
    from explorer.stops import Progress, Stop

T = TypeVar("T")


@attrs.frozen
class Started:
    """torch has been loaded."""


@attrs.frozen(eq=False)
class Failed:
    """A request raised an error: an ExplorerError is one that the user can mend, any other is a bug."""

    serial: int
    error: BaseException


@attrs.frozen(eq=False)
class Broken:
    """A bug ended work that belongs to no request: the rest behind an answer, or an errand."""

    error: BaseException


@attrs.frozen
class Stopped:
    """A request was ended before it had an answer, or before it had begun."""

    serial: int


@attrs.frozen
class Progressed:
    """The share of a long request that is done, 0 to 1."""

    serial: int
    share: float


Told = Started | Frame | Failed | Broken | Stopped | Progressed | Brought
Tell = Callable[[Told], object]
"""A function that takes each of these values, on the compute thread or in `restart`, and returns at once."""


@attrs.frozen(eq=False)
class Piece:
    """A piece of an errand, as work of the thread."""

    errand: Errand
    number: int


class Rest:
    """The idle moment behind an answer, as work of the thread."""


Job = Request | Piece | Rest


class Unloaded:
    """Stands in for a Compute that could not be loaded: every request is answered by the reason."""

    def __init__(self, why: BaseException) -> None:
        self._why = why

    def __call__(self, request: Request, stop: "Stop", progress: "Progress") -> Frame:
        """Raises what kept it from being loaded."""
        raise self._why

    def rest(self, stop: "Stop") -> None:
        """Prepare nothing."""

    def piece(self, errand: Errand, number: int, stop: "Stop") -> Brought:
        """Raises what kept it from being loaded."""
        raise self._why


def tried(work: Callable[[], T]) -> T | BaseException:
    """What comes of work, or what it raised. All work of the thread goes through here.

    A panic of a library in Rust, SystemExit and KeyboardInterrupt are no Exceptions. Any of them would end the thread, and
    no request would be answered any more.
    """
    try:
        return work()
    except BaseException as error:
        return error


def told_of(job: Job, came: Frame | Brought | BaseException | None) -> Iterator[Told]:
    """The messages about the end of a job. A bug that ends an errand ends all its pieces, so that the window waits for none."""
    if isinstance(came, Frame | Brought):
        yield came
    elif isinstance(job, Request) and isinstance(came, BaseException):
        # The receiver tells the two kinds of errors apart: it shows an ExplorerError and reports a bug.
        error = bare(came) if isinstance(came, ExplorerError) else came
        yield Stopped(job.serial) if isinstance(came, Superseded) else Failed(job.serial, error)
    elif isinstance(job, Piece) and isinstance(came, ExplorerError):
        last = job.errand.n_pieces if isinstance(came, EngineRestarted) else job.number + 1
        yield from (Brought(job.errand, number, bare(came)) for number in range(job.number, last))
    elif isinstance(came, BaseException) and not isinstance(came, Superseded | EngineRestarted):
        yield Broken(came)
        if isinstance(job, Piece):
            failed = WorkFailed(kind=type(came).__name__)
            yield from (Brought(job.errand, number, failed) for number in range(job.number, job.errand.n_pieces))
