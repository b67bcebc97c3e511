"""The session behind the window: the State, the newest Frame, and the thread that makes Frames.

Widgets send intents. The session makes a new State from each and tells the window the results; it draws nothing.
"""

from collections.abc import Callable

import attrs
from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.session import told
from explorer.app.session.asking import Asking, widens_alone
from explorer.app.session.bridge import Bridge
from explorer.app.session.first_state import default_state
from explorer.app.session.folder_check import FolderCheck
from explorer.app.session.history import History
from explorer.app.session.opening import Opening
from explorer.app.session.past import Past
from explorer.app.session.watch import Watch
from explorer.engine import jobs
from explorer.engine.errand import Brought, Errand
from explorer.engine.request import Frame, Request
from explorer.engine.worker import Compute, Worker, load_compute
from explorer.errors import BadFile, EngineRestarted, ExplorerError, WorkFailed
from explorer.presets import load_preset
from explorer.state.change_intents import newly_on
from explorer.state.focus import NOWHERE, Focus
from explorer.state.intents import Intent, SetKnob, SetSampling, SetText
from explorer.state.look import Look
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.tokens.check import check_text
from explorer.trace.changes import Change
from explorer.trace.own_card import parameter_bytes
from explorer.trace.trace import Trace

PAUSE_MS = 400
"""So long nothing else is asked before the wide search begins. Somebody who types makes shorter pauses between two keys."""
_LARGE_BYTES = 500_000_000


def _leave(_trace: Trace, _look: Look) -> None:
    """Nobody shows an answer."""


def _model(wish: Wish) -> tuple[object, ...]:
    """What it takes long to have another one of; to draw one's own weights from another seed takes less."""
    return wish.preset, wish.trained, wish.worn, wish.config.shape


class Session(QObject):
    """Signals: told(value) for everything the window must know: Frames, `Brought`, and the values of `app.session.told`."""

    told = Signal(object)

    def __init__(
        self, state: State, load: Callable[[], Compute] = load_compute, parent: QObject | None = None, *, restored: bool = False
    ) -> None:
        """`restored` says that somebody has left the State so, and its Look with it."""
        super().__init__(parent)
        self.frame: Frame | None = None
        self.prepare: Callable[[Trace, Look], None] = _leave  # called on the compute thread with each answer, before it is told
        self._history = History(state)
        self._opening = Opening(state, restored=restored)
        self._asking = Asking()
        self._broken: set[tuple[str, str]] = set()  # experiments whose bugs were reported, with the bug
        self._tried: tuple[Change, ...] = ()  # changes that the last step switched on and that no pass has made yet
        self._submitted = 0  # serial of the newest request sent to the thread; a refused text is never sent
        self._heard_serial = 0  # of the newest request of which it was heard what came of it
        self._wider: Request | None = None  # the wide search that is made when nothing else was asked for a moment
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._widen)
        self._folder_check = FolderCheck(self)
        self._folder_check.refused.connect(self._folder_refused)
        self._bridge = Bridge(self)
        self._bridge.crossed.connect(self._hear)
        self._worker = Worker(self._bridge.crossed.emit, load, prepare=self._prepare)
        self.watch = Watch(self._worker, self)
        self.watch.changed.connect(self.told)

    @property
    def state(self) -> State:
        """The present State."""
        return self._history.now

    @property
    def past(self) -> tuple[Past, ...]:
        """The last States that were set up, newest first."""
        return self._history.past

    @property
    def serial(self) -> int:
        """The serial number of the newest request."""
        return self._asking.serial

    @property
    def waiting(self) -> bool:
        """Whether the worker has something to do, be it the rest behind an answer, or a search that was not begun yet."""
        return self._worker.busy or self._wider is not None

    @property
    def computes(self) -> bool:
        """Whether an answer is still to be heard: what `stop` ends, and behind which is asked for all that is missing."""
        return self._heard_serial < self._submitted

    @property
    def opens(self) -> bool:
        """Whether a folder is being opened, whose model nobody has seen yet."""
        wish = self.state.wish
        return wish.foreign and (self.frame is None or self.frame.wish.preset != wish.preset)

    def is_answered(self) -> bool:
        """Whether the frame on screen answers the present wish."""
        return self.frame is not None and self.frame.serial >= self._asking.first_serial

    def start(self) -> None:
        self._worker.start()
        self.watch.start()
        self._submit()

    def close(self) -> None:
        self._drop_wider()
        self.watch.stop()
        self._worker.close()

    def stop(self) -> None:
        self._worker.stop()

    def painted(self) -> None:
        """Let the worker go on: what it had been held for is on screen, unless the layout asks for more in the next turn."""
        QTimer.singleShot(0, self._worker.release)

    # Intents of the user

    def ask(self, intent: Intent) -> None:
        """Apply an intent to the State, and request what it needs."""
        before = self.state
        try:
            state = intent.applied(before, self.frame)
        except BadFile as error:  # Nothing has changed, but a box may show what was chosen.
            self.told.emit(told.Set(before, before))
            self.told.emit(told.SprungBack(error))
            return
        except ExplorerError as error:
            self.told.emit(told.Refused(error))
            return
        self._opening.follow(before, state, intent)
        settled = isinstance(intent, SetKnob) and intent.settles(before, state)
        if intent.is_step and state.wish != before.wish:
            self._tried = newly_on(before, state)
            self._history.add(state, intent.gesture)
            self._changed(before, None if settled else intent)
        elif isinstance(intent, SetSampling):
            if state.look != before.look:
                self._history.add(state, intent.gesture)
            self._look(state, before, intent)
            self._tell_undoable()
        elif state != before or settled or not intent.is_step:
            self._look(state, before, None if settled else intent)
        if settled:
            self.told.emit(told.Settled(state.wish.config))

    def undo(self) -> None:
        before, self._tried = self.state, ()
        self._history.undo()
        self._opening.follow(before, self.state, None)
        self._changed(before)

    def redo(self) -> None:
        before, self._tried = self.state, ()
        self._history.redo()
        self._opening.follow(before, self.state, None)
        self._changed(before)

    def look_into(self, experiments: frozenset[str], focus: Focus = NOWHERE) -> None:
        """Set the experiments that the page in front and the open lesson show, and the place that they look at."""
        shown = None if self.frame is None else self.frame.request
        self._submit_also(self._asking.look_into(experiments, self.state.wish, shown, self.computes, focus))

    def want(self, places: tuple[tuple[str, int], ...]) -> None:
        """Ask for taps and heads of a long text that pictures need and that were not kept."""
        shown = None if self.frame is None else self.frame.request
        self._submit_also(self._asking.want(places, self.state.wish, shown, self.computes))

    def send(self, errand: Errand) -> None:
        """Have something found out behind the frames; each piece is told as `Brought`."""
        self._worker.send(errand)

    def _prepare(self, frame: Frame) -> None:
        """Called on the compute thread: what the screen needs of an answer is made there too."""
        self.prepare(frame.trace, self.state.look.fitted(frame.trace))

    # Answers of the compute thread

    def _hear(self, value: object) -> None:
        try:
            self._take(value)
        finally:  # It is heard when all that it asks for has been sent.
            if isinstance(value, Frame | jobs.Failed | jobs.Stopped):
                self._heard_serial = max(self._heard_serial, value.serial)

    def _take(self, value: object) -> None:
        match value:
            case Frame():
                self._done(value)
            case jobs.Failed(serial, error):
                self._failed(serial, error)
            case jobs.Broken(error):
                self.told.emit(told.Broke(error))
            case jobs.Stopped(serial):
                self.told.emit(told.Busy(serial < self._submitted))
                if serial == self.serial and self.opens:
                    self._give_back()
                    self.told.emit(told.OpeningStopped())
                elif serial == self.serial:
                    self.told.emit(told.Stopped())
            case jobs.Progressed(serial, share) if serial == self.serial or self.opens:
                self.told.emit(told.Progressed(share))
            case jobs.Started():
                self.told.emit(told.Loaded())
            case Brought():
                self.told.emit(value)

    def _done(self, frame: Frame) -> None:
        if self.frame is not None and frame.serial <= self.frame.serial:
            return
        if frame.serial >= self._asking.first_serial:
            refused = [frame.trace.left_out[change] for change in self._tried if change in frame.trace.left_out]
            self._tried = ()
            if refused:  # The picture stays, and the switch springs back.
                self._spring_back(refused[0])
                return
        self.frame = frame
        before = self.state
        look = self._opening.look(before.look.fitted(frame.trace), frame, before.wish)
        self._history.look(attrs.evolve(before, look=look))
        self.told.emit(frame)
        self._tell_broken(frame)
        rest = self._asking.rest(self.state.wish, frame.request)
        if rest is not None and widens_alone(rest, frame.request):
            self._wider = rest
            self._pause.start()
        else:
            self._submit_also(rest)
        self.told.emit(told.Busy(frame.serial < self._submitted))

    def _tell_broken(self, frame: Frame) -> None:
        """Report what broke experiments, once: each answer meets it again."""
        for name, error in frame.broken.items():
            if (told_before := (name, repr(error))) not in self._broken:
                self._broken.add(told_before)
                self.told.emit(told.Broke(error))

    def _failed(self, serial: int, error: BaseException) -> None:
        self.told.emit(told.Busy(serial < self._submitted))
        if not isinstance(error, ExplorerError):
            self.told.emit(told.Broke(error))
            error = WorkFailed(kind=type(error).__name__)
        if serial == self.serial and self._history.can_undo and (self._tried or self._adapts_in_vain(error)):
            self._spring_back(error)
        elif serial == self.serial and self.opens and isinstance(error, BadFile | EngineRestarted | WorkFailed):
            self._cannot_open(error)
        elif serial == self.serial:
            self.told.emit(told.Refused(error))

    def _cannot_open(self, error: ExplorerError) -> None:
        self._give_back()
        self.told.emit(told.SprungBack(error))

    def _folder_refused(self, path: str, error: ExplorerError) -> None:
        """Hear why a folder cannot be opened, which the compute thread would find out when it comes to it."""
        if self.opens and path == self._opening_folder() and isinstance(error, BadFile):
            self._worker.stop()
            self._cannot_open(error)

    def _opening_folder(self) -> str:
        """The folder whose model is being opened, "" for none."""
        folder = load_preset(self.state.wish.preset).foreign if self.opens else None
        return "" if folder is None else str(folder)

    def _adapts_in_vain(self, error: ExplorerError) -> bool:
        """Whether an error is about the files of an adapter of which there is no answer yet."""
        shown, wish = self.frame, self.state.wish
        return bool(wish.adapter) and shown is not None and shown.wish.adapter != wish.adapter and isinstance(error, BadFile)

    def _give_back(self) -> None:
        """Go back to the model before, because another one cannot be opened or is not waited for.

        A text that was typed meanwhile stays. Where the program began with that model, the default preset takes its place.
        """
        before, preset = self.state, self.state.wish.preset
        first = self._history.leave(preset)
        if self.state.wish.preset == preset:
            self._history = History(default_state(first))
        self._opening.follow(before, self.state, None)
        if before.wish.text != first.wish.text:
            self._history.add(SetText(before.wish.text).applied(self.state, None), "")
        self._changed(before)

    def _spring_back(self, error: ExplorerError) -> None:
        """Take the last step back, because a change that it switched on cannot be made; say why.

        A change that was made before and has no place in a new text is no reason for this: the pass leaves it out.
        """
        before, self._tried = self.state, ()
        self._history.take_back()
        self._changed(before)
        self.told.emit(told.SprungBack(error))

    # Steps in between

    def _look(self, state: State, before: State, by: Intent | None) -> None:
        """Take a State with another Look or page, for which nothing is computed: the Look is fitted to the answer on screen."""
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
        self._tell_undoable()
        self._submit()

    def _tell_undoable(self) -> None:
        self.told.emit(told.Undoable(self._history.can_undo, self._history.can_redo))

    def _submit(self) -> None:
        wish = self.state.wish
        self._drop_wider()
        try:
            if not wish.recorded:
                check_text(wish.text)
        except ExplorerError as error:
            # The text is refused without asking the thread. The picture stays, and a running pass is out of date.
            self._asking.refused()
            self._submitted = 0
            if not self.opens:
                self._worker.stop()
            self.told.emit(told.Busy(False))
            self.told.emit(told.Refused(error))
            return
        self._folder_check.ask(self._opening_folder())
        request = self._asking.first(wish, None if self.frame is None else self.frame.request)
        self._submitted = request.serial
        self._worker.hold()
        shown = None if self.frame is None else self.frame.wish
        if shown is None or _model(shown) == _model(wish):
            QTimer.singleShot(0, self._worker.release)  # The worker goes on after the box and the knobs have been told.
        # Before another model is built, which takes all cores, the window is painted: all its knobs are others.
        self._worker.submit(request)
        self.told.emit(told.Busy(True))

    def _submit_also(self, request: Request | None) -> None:
        """Send a request that adds to the answer on screen, if there is one."""
        if request is not None:
            self._drop_wider()
            self._submitted = request.serial
            self._worker.submit(request)
            self.told.emit(told.Busy(True))

    def _widen(self) -> None:
        """Send the wide search. Without the pause each key would begin it, and the next key would wait until it gave way."""
        self._submit_also(self._wider)

    def _drop_wider(self) -> None:
        self._pause.stop()
        self._wider = None
