"""The Worker: one thread that computes, and one slot in which the next request waits.

A newer request replaces the waiting one. The running request runs to its end, unless it has taken longer than `patience_s`
and a newer one waits. If each new request stopped the running one, nothing would reach the screen while somebody types. One
that opens a model gives way to a request for another model alone.
Each request that was not replaced gets one answer: done, failed or stopped.

Errands are done behind the requests: one piece after the other, and each gives way to a request that comes.
"""

import importlib
import math
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import attrs

from explorer.engine.errand import Agenda, Brought, Errand
from explorer.engine.load_torch import load_library, without_collecting
from explorer.engine.request import Frame, Request
from explorer.errors import ExplorerError, bare
from explorer.stops import Superseded

_REST_S = 0.1  # A window that nobody sees is not painted, and then nobody releases the worker.
_TOLD_EVERY_S = 0.05

if TYPE_CHECKING:
    from explorer.stops import Progress, Stop


class Compute(Protocol):
    """What the thread calls for each request."""

    def __call__(self, request: Request, stop: "Stop", progress: "Progress") -> Frame:
        """The Frame of a Request."""

    def rest(self, stop: "Stop") -> None:
        """Use an idle moment to prepare the next pass, until `stop` says that a request has come."""

    def piece(self, errand: Errand, number: int, stop: "Stop") -> Brought:
        """Do a piece of an errand. Raises Superseded as soon as `stop` says so."""


@attrs.frozen
class Started:
    """torch has been loaded."""


@attrs.frozen(eq=False)
class Failed:
    """A request raised an error: an ExplorerError is one that the user can mend, any other is a bug."""

    serial: int
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


Told = Started | Frame | Failed | Stopped | Progressed | Brought
Tell = Callable[[Told], object]
"""A function that is called on the compute thread with each of these values."""


def load_compute() -> Compute:
    """The Computer. This imports torch and jieba, which takes a second or two; the import of this file alone does not."""
    with without_collecting():
        load_library()
        computer: Compute = importlib.import_module("explorer.engine.compute").Computer()
    return computer


class Worker:
    """Owns the thread. `submit` and `stop` return at once; `close` waits for the thread to end."""

    def __init__(self, tell: Tell, load: Callable[[], Compute] = load_compute, patience_s: float = 0.3) -> None:
        self._tell = tell
        self._load = load
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._waiting: Request | None = None
        self._running: Request | None = None
        self._began_s = 0.0
        self._answered_serial = 0
        self._agenda = Agenda()
        self._stopped_serial = -1  # Requests up to this serial number shall not be answered.
        self._closing = False
        self._free = threading.Event()
        self._free.set()
        self._thread = threading.Thread(target=self._run, name="compute", daemon=True)

    def start(self) -> None:
        """Start the thread; it loads torch first."""
        self._thread.start()

    def submit(self, request: Request) -> None:
        """Answer this request next, in place of one that still waits."""
        with self._changed:
            self._waiting = request
            self._changed.notify()

    def send(self, errand: Errand) -> None:
        """Do this errand when no request waits, in place of an older one of its kind; `Brought` is told for each piece."""
        with self._changed:
            self._agenda.put(errand)
            self._changed.notify()

    def stop(self) -> None:
        """End the running request and the waiting one; `Stopped` is told for each of them when it has ended."""
        with self._changed:
            newest = self._waiting or self._running
            if newest is not None:
                self._stopped_serial = newest.serial

    def hold(self) -> None:
        """Let the worker pause at the running request's next tap until `release`, for at most `_REST_S` seconds.

        The worker holds itself after each answer. Both threads share Python's lock: painting a screen during a pass takes six
        times as long, and so does the pass.
        """
        self._free.clear()

    def release(self) -> None:
        """End the pause that `hold` began."""
        self._free.set()

    @property
    def busy(self) -> bool:
        """Whether a request runs or waits."""
        with self._changed:
            return self._running is not None or self._waiting is not None

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self.release()  # Nothing more will be painted.
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            compute = self._load()
        except Exception as error:
            self._refuse_all(error)
            return
        self._tell(Started())
        while (job := self._next()) is not None:
            if isinstance(job, Request):
                self._answer(compute, job)
                self._answered_serial = job.serial
                self._rest(compute, job)
            else:
                self._do(compute, *job)

    def _do(self, compute: Compute, errand: Errand, number: int) -> None:
        """Do a piece of an errand. One that gives way to a request is begun again after it."""

        def stop() -> bool:
            return self._wanted() or not self._agenda.has(errand)

        try:
            if stop():
                return
            brought = compute.piece(errand, number, stop)
        except Superseded:
            return
        except Exception as error:  # This is a bug.
            with self._changed:
                self._agenda.drop(errand)
            self._tell(Failed(self._answered_serial, error))
            return
        with self._changed:
            wanted = self._agenda.has(errand)
            self._agenda.did(errand)
        if wanted:
            self._tell(brought)

    def _rest(self, compute: Compute, answered: Request) -> None:
        try:
            if not self._wanted():
                compute.rest(self._wanted)
        except Exception as error:  # This is a bug, and it must not end the thread.
            self._tell(Failed(answered.serial, error))

    def _wanted(self) -> bool:
        self._pause()
        return self._waiting is not None or self._closing

    def _refuse_all(self, error: Exception) -> None:
        """Answer every request with the error that kept torch from being loaded, so that nobody waits for ever."""
        while (job := self._next()) is not None:
            if isinstance(job, Request):
                self._tell(Failed(job.serial, error))
            else:
                with self._changed:
                    self._agenda.drop(job[0])

    def _next(self) -> Request | tuple[Errand, int] | None:
        """The request that waits, else the next piece of an errand; None when the thread shall end."""
        with self._changed:
            self._running = None
            self._changed.wait_for(lambda: self._closing or self._waiting is not None or self._agenda.next() is not None)
            if self._closing:
                return None
            if self._waiting is None:
                return self._agenda.next()
            self._running, self._waiting = self._waiting, None
            self._began_s = time.monotonic()
            return self._running

    def _answer(self, compute: Compute, request: Request) -> None:
        def stop() -> bool:
            return self._asked_to_stop(request)

        told_s = -math.inf

        def progress(share: float) -> None:
            nonlocal told_s
            now_s = time.monotonic()
            # A model tells its share hundreds of times, and the GUI thread draws each share that it gets.
            if now_s - told_s >= _TOLD_EVERY_S:
                told_s = now_s
                self._tell(Progressed(request.serial, share))

        try:
            if stop():
                raise Superseded
            frame = compute(request, stop, progress)
        except Superseded:
            self._tell(Stopped(request.serial))
        except Exception as error:
            # The receiver tells the two kinds of errors apart: it shows an ExplorerError and reports a bug.
            self._tell(Failed(request.serial, bare(error) if isinstance(error, ExplorerError) else error))
        else:
            self.hold()  # Now it is drawn and painted.
            self._tell(frame)

    def _pause(self) -> None:
        # More than a hundred taps ask for this in each pass, so `wait` is called only while `hold` is in force.
        if not self._free.is_set() and not self._free.wait(_REST_S):
            self._free.set()

    def _asked_to_stop(self, request: Request) -> bool:
        self._pause()
        if self._gives_way(request, self._waiting):
            return True
        return self._closing or request.serial <= self._stopped_serial

    def _gives_way(self, request: Request, waiting: Request | None) -> bool:
        """Whether a running request shall end, so that the one that waits is answered."""
        if waiting is None or (request.detail.opens and waiting.wish.preset == request.wish.preset):
            return False
        return request.detail.refines or time.monotonic() - self._began_s > self._patience_s
