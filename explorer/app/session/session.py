"""The session behind the window: turns what happens into events, has `step` say what follows, and carries that out.

It holds one value and decides nothing. Widgets send intents; one signal tells what came of them.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QBasicTimer, QObject, QTimer, QTimerEvent, Signal

from explorer.app.session import effects as do
from explorer.app.session import events
from explorer.app.session.history import Instant, Past
from explorer.app.session.session_state import SessionState
from explorer.app.session.step import step
from explorer.engine.errand import Errand
from explorer.engine.request import Frame
from explorer.engine.worker import Compute, Worker, load_compute
from explorer.errors import ExplorerError, bare
from explorer.presets import DEFAULT
from explorer.state.focus import NOWHERE, Focus
from explorer.state.intents import Intent
from explorer.state.look import Look
from explorer.state.state import State
from explorer.trace.trace import Trace

LOOK_MS = 1000
"""How often it is looked whether the compute thread gives signs of life."""


def _leave(_trace: Trace, _look: Look) -> None:
    """Do nothing: the default until a window sets `prepare`."""


def _now() -> Instant:
    return Instant(time.monotonic(), time.time())


class Session(QObject):
    """Signals: told(value) for everything the window must know: Frames, `Brought`, and the values of `app.session.told`;
    paints() when the window shall paint what it has put off.
    """

    told = Signal(object)
    paints = Signal()
    _crossed = Signal(object)  # an event from another thread, queued

    def __init__(
        self, state: State, load: Callable[[], Compute] = load_compute, *, restored: bool = False, usual: str = DEFAULT
    ) -> None:
        """`restored` says that the user has left the State so, and its Look with it. `usual` is the preset that takes the place
        of a model that cannot be opened.
        """
        super().__init__()
        # Called on the compute thread with each answer, before the window gets it.
        self.prepare: Callable[[Trace, Look], None] = _leave
        self._knows = SessionState.beginning(state, _now(), restored=restored, usual=usual)
        self._due = deque[do.Effect]()
        self._carries_out = False
        self._crossed.connect(self.take)
        self._worker = Worker(self._crossed.emit, load, prepare=self._prepare)
        self._timers = {timer: QBasicTimer() for timer in do.Timer}
        self._watch = QTimer(self, interval=LOOK_MS)
        self._watch.timeout.connect(self._look)

    @property
    def state(self) -> State:
        """What is set up."""
        return self._knows.state

    @property
    def frame(self) -> Frame | None:
        """The answer on screen."""
        return self._knows.frame

    @property
    def past(self) -> tuple[Past, ...]:
        """The last States that were set up, newest first."""
        return self._knows.history.past

    @property
    def serial(self) -> int:
        """The serial number of the newest request."""
        return self._knows.asking.serial

    @property
    def experiments(self) -> frozenset[str]:
        """The experiments that the page in front and the open lesson show."""
        return self._knows.asking.experiments

    @property
    def waiting(self) -> bool:
        """Whether the worker has something to do, such as the rest behind an answer, or a search that was not begun yet."""
        return self._worker.busy or self._knows.wider is not None

    @property
    def computes(self) -> bool:
        """Whether an answer is still to be heard: what `stop` ends, and behind which is asked for all that is missing."""
        return self._knows.computes

    @property
    def opens(self) -> bool:
        """Whether a folder is being opened, and its model is not on screen yet."""
        return self._knows.opens

    def is_answered(self) -> bool:
        """Whether the frame on screen answers the present wish."""
        return self._knows.is_answered

    @property
    def shows_recalled(self) -> bool:
        """Whether the frame on screen is one that an earlier run of the program has kept."""
        return self.frame is not None and not self.frame.serial

    def start(self) -> None:
        self._worker.start()
        self._watch.start()
        self.take(events.WindowSeen())

    def recall(self, frame: Frame) -> None:
        """Show an answer that an earlier run of the program has kept, until there is a new one."""
        self.take(events.Recalled(frame))

    def close(self) -> None:
        self._watch.stop()
        self.take(events.WindowClosed())
        self._worker.close()

    # What a person does

    def ask(self, intent: Intent) -> None:
        """Apply an intent to the State, and request what it needs."""
        self.take(events.Intended(intent, _now()))

    def undo(self) -> None:
        self.take(events.Undone())

    def redo(self) -> None:
        self.take(events.Redone())

    def stop(self) -> None:
        """Give up what is computed."""
        self.take(events.Escaped())

    def restart(self) -> None:
        """Go on with a new compute thread. The request that the old one was at is refused with EngineRestarted."""
        self.take(events.RestartWanted())

    # What the window needs

    def look_into(self, experiments: frozenset[str], focus: Focus = NOWHERE) -> None:
        """Set the experiments that the page in front and the open lesson show, and the place that they look at."""
        self.take(events.PageShown(experiments, focus))

    def want(self, places: tuple[tuple[str, int], ...]) -> None:
        """Ask for taps and heads of a long text that pictures need and that were not kept."""
        self.take(events.PlacesWanted(places))

    def send(self, errand: Errand) -> None:
        """Have an errand done behind the frames; each piece comes back as `Brought`."""
        self._worker.send(errand)

    def pictures_made(self) -> None:
        """What was made in this turn of the event loop is painted in the next one."""
        self.take(events.PicturesMade())

    def puts_painting_off(self) -> bool:
        """Whether the window shall not paint now; `paints` says when."""
        self.take(events.PaintAsked())
        return self.painting_waits

    @property
    def painting_waits(self) -> bool:
        """Whether something is still to be painted in a turn of its own."""
        return self._knows.put_off

    def painted(self) -> None:
        """Let the worker go on: what it had been held for is on screen."""
        self.take(events.Painted())

    # Events and effects

    def take(self, event: events.Event) -> None:
        """Take an event, and carry out what follows of it.

        What is carried out may lead to another event at once. The session takes it at once too, but its effects are
        carried out behind all that are due already: nobody gets the next value while handling one.
        """
        self._knows, effects = step(self._knows, event)
        self._due.extend(effects)
        if self._carries_out:
            return
        self._carries_out = True
        try:
            while self._due:
                self._carry_out(self._due.popleft())
        finally:
            self._carries_out = False

    def _carry_out(self, effect: do.Effect) -> None:
        match effect:
            case do.Tell(value):
                self.told.emit(value)
            case do.Show(frame):
                self.told.emit(frame)
                self.take(events.FrameShown(frame.serial))
            case do.Paint():
                self.paints.emit()
            case do.StartTimer(timer, ms):
                self._timers[timer].start(ms, self)
            case do.EndTimer(timer):
                self._timers[timer].stop()
            case do.CheckFolder(path):
                threading.Thread(target=self._check, args=(path,), name="folder check", daemon=True).start()
            case _:
                self._order(effect)

    def _order(self, effect: do.OfWorker) -> None:
        match effect:
            case do.Submit(request):
                self._worker.submit(request)
            case do.StopWork():
                self._worker.stop()
            case do.Hold():
                self._worker.hold()
            case do.Release():
                self._worker.release()
            case do.Restart():
                self._worker.restart()
                self._look()
            case _:
                assert_never(effect)

    def timerEvent(self, event: QTimerEvent) -> None:
        for kind, timer in self._timers.items():
            if event.timerId() == timer.timerId():
                timer.stop()
                self.take(events.TimerFired(kind))

    def _look(self) -> None:
        self.take(events.Silence(self._worker.silent_s))

    # On other threads

    def _prepare(self, frame: Frame) -> None:
        """Called on the compute thread: what the screen needs of an answer is made there too."""
        self.prepare(frame.trace, self._knows.look_for(frame))

    def _check(self, path: str) -> None:
        """Check a folder on a thread of its own, as disks can be slow. This needs no torch, which may still be loading."""
        from explorer.foreign.folder import check_folder  # The window is on screen before this is needed.

        try:
            check_folder(Path(path))
        except ExplorerError as error:
            with contextlib.suppress(RuntimeError):  # The window has been closed meanwhile.
                self._crossed.emit(events.FolderRefused(path, bare(error)))
