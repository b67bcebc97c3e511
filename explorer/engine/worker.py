"""The Worker: one thread that computes, and one slot in which the next request waits.

A newer request replaces the waiting one. The running request runs to its end, unless it has taken longer than `patience_s`
and a newer one waits. If each new request stopped the running one, nothing would reach the screen while somebody types. One
that opens a model gives way to a request for another model alone.
Each request that was not replaced gets one answer: done, failed or stopped.

Errands are done behind the requests: one piece after the other, and each gives way to a request that comes.

The thread cannot be lost. All its work goes through `tried`, which reports what it raises, and the thread goes on. What hangs
in native code cannot be stopped: `restart` leaves that thread alone and goes on with a new one.

Decision: a thread that hangs is left. Rejected: a process for the engine, which could be killed, but which would have to copy
every recorded array into the window's process, some megabytes with each key.

Decision: the thread sleeps between requests and runs on any core. Rejected: one that stays awake or reads the weights ahead (a
key 63.3 to 70.6 ms in place of 65.3), and cores of its own (34.2 to 44.4 in place of 34.1 to 41.4), because what follows is as
cold in the caches; a lower priority, because the thread would wait with Python's lock in its hands.
"""

import importlib
import math
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from explorer.engine.agenda import Agenda
from explorer.engine.errand import Brought, Errand
from explorer.engine.jobs import Job, Piece, Progressed, Rest, Started, Tell, Told, Unloaded, told_of, tried
from explorer.engine.load_torch import load_library, without_collecting
from explorer.engine.request import Frame, Request
from explorer.errors import EngineRestarted, ExplorerError
from explorer.stops import Superseded

_REST_S = 0.1  # A hidden window is not painted, and so never releases the worker.
_TOLD_EVERY_S = 0.05
_END_S = 1.0  # seconds that `close` waits for the thread at most

if TYPE_CHECKING:
    from explorer.stops import Progress, Stop

NAME = "compute"
"""The name of each thread that computes."""


class Compute(Protocol):
    """What the thread calls for each request."""

    def __call__(self, request: Request, stop: "Stop", progress: "Progress") -> Frame:
        """The Frame of a Request."""

    def rest(self, stop: "Stop") -> None:
        """Use an idle moment, until `stop` says that a request has come."""

    def piece(self, errand: Errand, number: int, stop: "Stop") -> Brought:
        """Do a piece of an errand. Raises Superseded as soon as `stop` says so."""


def load_compute() -> Compute:
    """The Computer. This imports torch and jieba, which takes a second or two; the import of this file alone does not."""
    with without_collecting():
        load_library()
        computer: Compute = importlib.import_module("explorer.engine.compute").Computer()
    return computer


def _look_at(_frame: Frame) -> None:
    """Do nothing: the default where nobody shows an answer."""


class Worker:
    """Owns the thread. `submit`, `stop` and `restart` return at once; `close` waits for the thread to end, but not for ever."""

    def __init__(
        self,
        tell: Tell,
        load: Callable[[], Compute] = load_compute,
        patience_s: float = 0.3,
        prepare: Callable[[Frame], None] = _look_at,
    ) -> None:
        """`prepare` is called on the compute thread with each Frame before it is sent: it is part of the request's work."""
        self._tell = tell
        self._load = load
        self._patience_s = patience_s
        self._prepare = prepare
        self._changed = threading.Condition()
        self._waiting: Request | None = None
        self._job: Job | None = None
        self._began_s = 0.0
        self._sign_s = 0.0  # when the job last asked whether it shall stop, or reported its share
        self._agenda = Agenda()
        self._stopped_serial = -1  # Requests up to this serial number shall not be answered.
        self._closing = False
        self._free = threading.Event()
        self._free.set()
        self._left: list[threading.Thread] = []  # threads that hung
        self._thread = self._made()

    def _made(self) -> threading.Thread:
        # The thread identifies itself: one that is no longer `_thread` gets no more work and reports nothing.
        thread = threading.Thread(target=lambda: self._run(thread), name=NAME, daemon=True)
        return thread

    def start(self) -> None:
        """Start the thread; it loads torch first."""
        self._thread.start()

    def submit(self, request: Request) -> None:
        """Answer this request next, in place of one that still waits."""
        with self._changed:
            self._waiting = request
            self._changed.notify_all()

    def send(self, errand: Errand) -> None:
        """Do this errand when no request waits, in place of an older one of its kind; each piece is answered by a `Brought`."""
        with self._changed:
            self._agenda.put(errand)
            self._changed.notify_all()

    def stop(self) -> None:
        """End the running request and the waiting one; each is answered by a `Stopped` when it has ended."""
        with self._changed:
            newest = self._waiting or self._job
            if isinstance(newest, Request):
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
        """Whether a request runs or waits, or the rest behind an answer is not over."""
        with self._changed:
            return isinstance(self._job, Request | Rest) or self._waiting is not None

    @property
    def silent_s(self) -> float:
        """The seconds since the work last reached a tap or reported its share; 0 without work, and while torch loads."""
        with self._changed:
            return 0.0 if self._job is None else time.monotonic() - self._sign_s

    def restart(self) -> None:
        """Leave the thread to itself, and go on with a new one, which has nothing in common with it.

        What the old thread was at ends with EngineRestarted. What it still finds out is dropped.
        """
        with self._changed:
            job, old = self._job, self._thread
            self._left = [each for each in (*self._left, old) if each.is_alive()]
            self._thread = self._made()
            if job is not None:
                self._end(job, EngineRestarted())
            self._job = None
            self._changed.notify_all()
            self._thread.start()
        self.release()

    def close(self, patience_s: float = _END_S) -> None:
        """End the thread. One that hangs is left to itself after `patience_s` seconds and reports nothing any more."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self.release()  # Nothing more will be painted.
        if self._thread.is_alive():
            self._thread.join(patience_s)
        with self._changed:
            self._tell = _leave

    # On the compute thread

    def _run(self, me: threading.Thread) -> None:
        loaded = tried(self._load)
        compute = Unloaded(loaded) if isinstance(loaded, BaseException) else loaded
        if compute is loaded and not self._left:
            self._say(me, Started())
        while (job := self._next(me)) is not None:
            came = tried(partial(self._do, me, compute, job))
            with self._changed:
                if me is self._thread:
                    self._end(job, came)

    def _next(self, me: threading.Thread) -> Job | None:
        """The request that waits, else the rest behind an answer, else a piece of an errand; None when the thread shall end."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over(me) or self._waiting or self._job or self._agenda.next())
            if self._is_over(me):
                return None
            if self._waiting is not None:
                self._job, self._waiting = self._waiting, None
            elif self._job is None and (piece := self._agenda.next()) is not None:
                self._job = Piece(*piece)
            self._began_s = self._sign_s = time.monotonic()
            return self._job

    def _do(self, me: threading.Thread, compute: Compute, job: Job) -> Frame | Brought | None:
        """What comes of a job. Raises Superseded where it was stopped, and whatever else there is."""
        stop = partial(self._asked_to_stop, me, job)
        if isinstance(job, Rest):
            if not stop():
                compute.rest(stop)
            return None
        if stop():
            raise Superseded
        if isinstance(job, Piece):
            return compute.piece(job.errand, job.number, stop)
        frame = compute(job, stop, self._progress(me, job))
        self._prepare(frame)
        return frame

    def _end(self, job: Job, came: Frame | Brought | BaseException | None) -> None:
        """Send what came of a job, and let go of it. The lock is held, so that each job ends once."""
        if isinstance(came, Frame):
            self.hold()  # Now it is drawn and painted.
        told = list(told_of(job, came))
        if isinstance(job, Piece):
            told = told if self._agenda.has(job.errand) else []
            if isinstance(came, Brought | ExplorerError) and not isinstance(came, EngineRestarted):
                self._agenda.did(job.errand)
            elif not isinstance(came, Superseded):
                self._agenda.drop(job.errand)
        self._job = Rest() if isinstance(job, Request) else None
        for value in told:
            self._tell(value)

    def _say(self, me: threading.Thread, value: Told) -> None:
        with self._changed:
            if me is self._thread:
                self._tell(value)

    def _progress(self, me: threading.Thread, request: Request) -> "Progress":
        told_s = -math.inf

        def progress(share: float) -> None:
            nonlocal told_s
            now_s = time.monotonic()
            # A model reports its share hundreds of times, and the GUI thread draws each share that it gets.
            if now_s - told_s >= _TOLD_EVERY_S and me is self._thread:
                told_s = self._sign_s = now_s
                self._say(me, Progressed(request.serial, share))

        return progress

    def _asked_to_stop(self, me: threading.Thread, job: Job) -> bool:
        if self._is_over(me):
            return True
        self._pause()
        self._sign_s = time.monotonic()
        if isinstance(job, Request):
            return job.serial <= self._stopped_serial or self._gives_way(job, self._waiting)
        return self._waiting is not None or (isinstance(job, Piece) and not self._agenda.has(job.errand))

    def _is_over(self, me: threading.Thread) -> bool:
        """Whether a thread shall end: the worker is closed, or another thread has taken over."""
        return self._closing or me is not self._thread

    def _pause(self) -> None:
        # More than a hundred taps ask for this in each pass, so `wait` is called only while `hold` is in force.
        if not self._free.is_set() and not self._free.wait(_REST_S):
            self._free.set()

    def _gives_way(self, request: Request, waiting: Request | None) -> bool:
        """Whether a running request shall end, so that the one that waits is answered."""
        if waiting is None or (request.detail.opens and waiting.wish.preset == request.wish.preset):
            return False
        return request.detail.refines or time.monotonic() - self._began_s > self._patience_s


def _leave(_value: Told) -> None:
    """Ignore a value: the window is gone."""
