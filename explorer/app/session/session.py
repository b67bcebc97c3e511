"""The state behind the window: what is set up, the newest Frame, and the thread that makes Frames.

Widgets ask for something by intents, the session makes a new State of it and tells what came of it; nothing here draws.
"""

from collections.abc import Callable

import attrs
from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.session import told
from explorer.app.session.asking import Asking
from explorer.app.session.bridge import Bridge
from explorer.app.session.history import History
from explorer.engine import worker
from explorer.engine.request import Frame, Request
from explorer.engine.worker import Compute, Worker, load_compute
from explorer.errors import ExplorerError
from explorer.state.intents import Intent, SetKnob
from explorer.state.state import State
from explorer.tokens.check import check_text
from explorer.trace.own_card import parameter_bytes

_LARGE_BYTES = 500_000_000


class Session(QObject):
    """`told` carries Frames and the values of `app.session.told`: everything that comes of what was asked."""

    told = Signal(object)

    def __init__(self, state: State, load: Callable[[], Compute] = load_compute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.frame: Frame | None = None
        self._history = History(state)
        self._asking = Asking()
        self._submitted = 0  # the newest request that the thread was asked; a text refused at once never gets there
        self._bridge = Bridge(self)
        self._bridge.crossed.connect(self._hear)
        self._worker = Worker(self._bridge.crossed.emit, load)

    @property
    def state(self) -> State:
        """All that is set up."""
        return self._history.now

    @property
    def serial(self) -> int:
        """The number of the newest request."""
        return self._asking.serial

    @property
    def waiting(self) -> bool:
        """Whether an answer to the newest request is still to come."""
        return self._worker.busy

    def is_answered(self) -> bool:
        """Whether the frame on screen answers what is set up now, and no older wish."""
        return self.frame is not None and self.frame.serial >= self._asking.first_serial

    def start(self) -> None:
        self._worker.start()
        self._submit()

    def close(self) -> None:
        self._worker.close()

    def stop(self) -> None:
        self._worker.stop()

    # What is asked for

    def ask(self, intent: Intent) -> None:
        """Set up what an intent says."""
        before = self.state
        try:
            state = intent.applied(before, self.frame)
        except ExplorerError as error:
            self.told.emit(told.Refused(error))
            return
        settled = isinstance(intent, SetKnob) and intent.settles(before, state)
        if intent.is_step and state.wish != before.wish:
            self._history.add(state, intent.gesture)
            self._changed(before, None if settled else intent)
        elif state != before or settled or not intent.is_step:
            self._look(state, before, None if settled else intent)
        if settled:
            self.told.emit(told.Settled(state.wish.config))

    def undo(self) -> None:
        before = self.state
        self._history.undo()
        self._changed(before)

    def redo(self) -> None:
        before = self.state
        self._history.redo()
        self._changed(before)

    def look_into(self, experiments: frozenset[str]) -> None:
        """What shall be found out beside the pass, because a page or a lesson shows it."""
        shown = None if self.frame is None else self.frame.request
        self._submit_also(self._asking.look_into(experiments, self.state.wish, shown, self._worker.busy))

    def want(self, places: tuple[tuple[str, int], ...]) -> None:
        """Taps and heads of a long text that pictures lack."""
        shown = None if self.frame is None else self.frame.request
        self._submit_also(self._asking.want(places, self.state.wish, shown, self._worker.busy))

    # What comes of it

    def _hear(self, value: object) -> None:
        match value:
            case Frame():
                self._done(value)
            case worker.Failed(serial, error):
                self._failed(serial, error)
            case worker.Stopped(serial):
                self.told.emit(told.Busy(serial < self._submitted))
                if serial == self.serial:
                    self.told.emit(told.Stopped())
            case worker.Progressed(serial, share) if serial == self.serial:
                self.told.emit(told.Progressed(share))
            case worker.Started():
                self.told.emit(told.Loaded())

    def _done(self, frame: Frame) -> None:
        if self.frame is not None and frame.serial <= self.frame.serial:
            return
        self.frame = frame
        self._worker.hold()
        before = self.state
        self._history.look(attrs.evolve(before, look=before.look.fitted(frame.trace)))
        self.told.emit(frame)
        self._submit_also(self._asking.rest(self.state.wish, frame.request))
        self.told.emit(told.Busy(frame.serial < self._submitted))
        QTimer.singleShot(0, self._worker.release)  # after the paint events that the frame has asked for

    def _failed(self, serial: int, error: BaseException) -> None:
        self.told.emit(told.Busy(serial < self._submitted))
        if not isinstance(error, ExplorerError):
            self.told.emit(told.Broke(error))
        elif serial == self.serial:
            self.told.emit(told.Refused(error))

    # Inside

    def _look(self, state: State, before: State, by: Intent | None) -> None:
        """What is computed stays as it is, so that the answer on screen is looked at."""
        self._asking.looked_anew()
        if self.frame is not None:
            state = attrs.evolve(state, look=state.look.fitted(self.frame.trace))
        self._history.look(state)
        self.told.emit(told.Set(state, before, by))

    def _changed(self, before: State, by: Intent | None = None) -> None:
        state = self.state
        need = parameter_bytes(state.wish.config)
        if need > _LARGE_BYTES and (self.frame is None or self.frame.wish.config.shape != state.wish.config.shape):
            self.told.emit(told.Large(need))
        self.told.emit(told.Set(state, before, by))
        self.told.emit(told.Undoable(self._history.can_undo, self._history.can_redo))
        self._submit()

    def _submit(self) -> None:
        wish = self.state.wish
        try:
            check_text(wish.text)
        except ExplorerError as error:
            # Known to fail before any thread is asked: the picture on screen stays, and whatever runs is out of date.
            self._asking.refused()
            self._submitted = 0
            self._worker.stop()
            self.told.emit(told.Busy(False))
            self.told.emit(told.Refused(error))
            return
        request = self._asking.first(wish, None if self.frame is None else self.frame.request)
        self._submitted = request.serial
        self._worker.hold()
        QTimer.singleShot(0, self._worker.release)  # after the box and the knobs are painted
        self._worker.submit(request)
        self.told.emit(told.Busy(True))

    def _submit_also(self, request: Request | None) -> None:
        """A request that adds to the answer on screen."""
        if request is not None:
            self._submitted = request.serial
            self._worker.submit(request)
