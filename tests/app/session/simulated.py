"""A session with a compute thread, a window and timers that are plain values: whatever can happen may happen next."""

from collections import deque
from collections.abc import Callable

import attrs

from explorer.app.session import effects as do
from explorer.app.session import events as ev
from explorer.app.session.effects import Effect, Timer
from explorer.app.session.events import Event
from explorer.app.session.history import Instant
from explorer.app.session.session_state import SessionState
from explorer.app.session.step import step
from explorer.engine import jobs
from explorer.engine.request import Frame, Request
from explorer.errors import EngineRestarted
from explorer.state.intents import Intent
from explorer.state.state import State
from tests.app.session.driving import frame

Places = tuple[tuple[str, int], ...]
_MOST = 200  # steps until everything must have come to an end


@attrs.define
class Worker:
    """As `engine.worker` behaves: one request runs, a newer one waits in the only slot, and the others get an answer each."""

    waiting: Request | None = None
    running: Request | None = None
    stopped: int = -1
    heard: deque[Event] = attrs.field(factory=deque)  # what was told and has not reached the window yet

    @property
    def is_idle(self) -> bool:
        return self.waiting is None and self.running is None

    def begin(self) -> None:
        if self.running is None:
            self.running, self.waiting = self.waiting, None

    def stop(self) -> None:
        newest = self.waiting or self.running
        if newest is not None:
            self.stopped = newest.serial

    def end(self, came: Callable[[Request], Event]) -> None:
        """The running request ends: as asked, or stopped, or because it gives way to the one that waits."""
        request, self.running = self.running, None
        if request is None:
            return
        waits = self.waiting is not None and not (request.detail.opens and self.waiting.wish.preset == request.wish.preset)
        gives_way = request.serial <= self.stopped or (waits and request.detail.refines)
        self.heard.append(jobs.Stopped(request.serial) if gives_way else came(request))


@attrs.define
class Simulated:
    """Takes events as `Session` does. What it did is in `submitted`, `shown` and `told`, in order."""

    session: SessionState
    folder: str = ""  # of somebody's model
    worker: Worker = attrs.field(factory=Worker)
    timers: set[Timer] = attrs.field(factory=set)
    submitted: list[Request] = attrs.field(factory=list)
    added: list[tuple[Request, Request]] = attrs.field(factory=list)  # what adds to an answer, and what that answers
    shown: list[Frame] = attrs.field(factory=list)
    told: list[object] = attrs.field(factory=list)
    done: list[Effect] = attrs.field(factory=list)
    wants: Places = ()  # what the window asks for with each picture
    paints: bool = False  # whether Qt is to paint the window
    spoiled: bool = False  # whether the newest request has no answer: it failed, died or was given up
    asked_since_act: list[Request] = attrs.field(factory=list)
    _due: deque[Effect] = attrs.field(factory=deque)
    _carries_out: bool = False
    _now_s: float = 0.0

    @classmethod
    def of(cls, state: State, folder: str = "") -> "Simulated":
        """A window that has just been painted."""
        made = cls(SessionState.beginning(state, Instant(0.0, 0.0)), folder)
        made.act(ev.WindowSeen())
        return made

    # What a person and the window do

    def ask(self, intent: Intent, pause_s: float = 5.0) -> None:
        self._now_s += pause_s
        self.act(ev.Intended(intent, Instant(self._now_s, self._now_s)))

    def act(self, event: Event) -> None:
        """An event by which a person may ask for the same again."""
        self.asked_since_act.clear()
        self.take(event)

    def take(self, event: Event) -> None:
        """As `Session.take`."""
        self.session, effects = step(self.session, event)
        self._due.extend(effects)
        if self._carries_out:
            return
        self._carries_out = True
        while self._due:
            self._carry_out(self._due.popleft())
        self._carries_out = False

    def _carry_out(self, effect: Effect) -> None:
        self.done.append(effect)
        match effect:
            case do.Submit(request):
                self.submitted.append(request)
                self.asked_since_act.append(request)
                if request.detail.refines and self.session.shown is not None:
                    self.added.append((request, self.session.shown))
                self.worker.waiting, self.spoiled = request, False
            case do.StopWork():
                self.worker.stop()
            case do.Restart() if self.worker.running is not None:
                serial, self.worker.running = self.worker.running.serial, None
                self._spoil(serial)
                self.take(jobs.Failed(serial, EngineRestarted()))
            case do.StartTimer(timer):
                self.timers.add(timer)
            case do.EndTimer(timer):
                self.timers.discard(timer)
            case do.Show(shown):
                self.shown.append(shown)
                self.take(ev.PicturesMade())
                self.paints = True
                if self.wants:
                    self.take(ev.PlacesWanted(self.wants))
                self.take(ev.FrameShown(shown.serial))
            case do.Paint():
                self.paints = True
                self.paint()
            case do.Tell(value):
                self.told.append(value)

    # What the machine does

    def deliver(self) -> None:
        """The oldest value that was told reaches the window."""
        if self.worker.heard:
            value = self.worker.heard.popleft()
            if isinstance(value, jobs.Failed | jobs.Stopped):
                self._spoil(value.serial)
            self.take(value)

    def _spoil(self, serial: int) -> None:
        self.spoiled = self.spoiled or serial == self.session.submitted

    def fire(self, timer: Timer) -> None:
        if timer in self.timers:
            self.timers.discard(timer)
            self.take(ev.TimerFired(timer))

    def paint(self) -> None:
        """Qt asks the window to paint itself, which it does, or puts off."""
        if self.paints:
            self.take(ev.PaintAsked())
            if not self.session.put_off:
                self.paints = False
                self.take(ev.Painted())

    def settle(self) -> None:
        """Nobody does anything more: everything that is under way comes to its end, with an answer for each request."""
        for _ in range(_MOST):
            if self.is_at_rest:
                return
            self.deliver()
            self.worker.begin()
            self.worker.end(frame)
            self.paint()
            for timer in Timer:
                self.fire(timer)
        raise AssertionError("it never comes to an end")

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is under way any more."""
        return self.worker.is_idle and not self.worker.heard and not self.timers and not self.paints
