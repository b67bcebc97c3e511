"""Hands each value that the session sends to the parts of the window that show it."""

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.session import told
from explorer.app.shell.parts import WindowParts
from explorer.config import Config
from explorer.engine.errand import Brought
from explorer.engine.request import Frame
from explorer.errors import BadFile, ExplorerError
from explorer.picture.theme import THEMES
from explorer.presets import load_preset
from explorer.state.intents import Intent, LookAt, OpenPage, look_at
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.views.painting.pointed import NOTHING, Pointed

_PATIENCE_MS = 80  # ms; a model that is there sooner is no reason to flicker


class Pending(QObject):
    """Whether the picture on screen belongs to a model that is no more: the window dims it while the next one is built.

    Signals: changed(bool): True a moment after another model was asked for, False when it has answered. A new text or a knob of
    the pass dims nothing: its answer comes within a blink, and dimming at each key would flicker.
    """

    changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.dimmed = False
        self._late = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._late.timeout.connect(self._dim)

    @property
    def waits(self) -> bool:
        """Whether the picture will be dimmed in a moment, unless the model answers before."""
        return self._late.isActive()

    def asked(self, wish: Wish, shown: Wish | None) -> None:
        """Take a wish; `shown` is the one that is answered on screen."""
        if shown is None or _model(wish) == _model(shown):
            self._late.stop()
            self._clear()
        elif not self.dimmed and not self._late.isActive():
            self._late.start()

    def answered(self, wish: Wish, asked: Wish) -> None:
        """Take an answer to `wish`, which may be older than what is asked for now."""
        self.asked(asked, wish)

    def refused(self) -> None:
        """Take that there will be no answer; other parts say that the picture is old."""
        self._late.stop()
        self.dimmed = False

    def _dim(self) -> None:
        self.dimmed = True
        self.changed.emit(True)

    def _clear(self) -> None:
        if self.dimmed:
            self.dimmed = False
            self.changed.emit(False)


def _model(wish: Wish) -> tuple[object, ...]:
    """What decides the model that answers."""
    return wish.preset, wish.uses_trained, wish.config.shape


class Listener(QObject):
    """Listens to the session of a window, and shows what it sends in the window's parts. Signals: undoable(told.Undoable)."""

    undoable = Signal(object)

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window, self._session, self._appearance = window, window.session, window.appearance
        self._refusal: ExplorerError | None = None  # why the newest wish has no answer
        self._pending = Pending(self)
        self._pending.changed.connect(self._set_stale)
        self._session.told.connect(self._hear)

    def begin(self) -> None:
        """Show what is set up before anything was computed."""
        window, state = self._window, self._session.state
        self._set_wish(state.wish, None)
        window.knobs.writing.put_look(state.look)
        window.page_stack.first = state.page
        window.header.put_page(state.page)
        window.invitation.put_page(state.page)
        window.status.inform(self._appearance.words("status.loading"))
        window.sentences.source_edit.setFocus()

    def speak(self) -> None:
        """Show the answer on screen, or why there is none, in the present language."""
        if self._session.frame is not None:
            self._show(self._session.frame)
            self._window.status.clear()
        if self._refusal is not None:  # What is on screen is still not what was asked for.
            self._refused(self._refusal)

    def keep_colours(self) -> None:
        """Colours that the user has chosen stay; only a theme's own colours are those of the present theme."""
        colours, own = self._session.state.look.signed_colours, self._appearance.theme.signed_colours
        if colours != own and colours in {each.signed_colours for each in THEMES.values()}:
            self._session.ask(look_at(signed_colours=own))

    def _hear(self, value: object) -> None:
        window, words = self._window, self._appearance.words
        match value:
            case told.Set():
                self._set(value)
            case Frame() if not value.serial:
                self._show(value)
                window.status.inform(words("status.recalled"))
            case Frame():
                self._framed(value)
            case Brought():
                window.page_stack.bring(value)
                window.scans.bring(value)
            case told.Refused(error):
                self._refused(error)
            case told.SprungBack(error):
                window.folders.failed(error)
                window.refusals.tell(error, of_edit=not isinstance(error, BadFile))
            case told.OpeningGivenUp():
                window.status.notice(words("status.opening_stopped"))
            case told.Settled(config):
                self._settled(config)
            case told.Large(n_bytes):
                window.status.notice(words("status.large", gb=n_bytes / 1e9))
            case told.GivenUp():
                self._stopped()
            case told.Busy(busy):
                window.status.set_busy(busy)
                window.page_stack.set_busy(busy)
            case told.ShareDone(share):
                window.status.set_progress(share)
            case told.Hangs(seconds):
                window.hanging.tell(seconds, words)
            case told.Undoable():
                self.undoable.emit(value)
            case told.Broke(error):
                window.broke.emit(error)

    def _set(self, value: told.Set) -> None:
        window = self._window
        state, before = value.state, value.before
        if state.wish != before.wish or value.by is None:
            self._set_wish(state.wish, value.by)
        if state.page != before.page or isinstance(value.by, OpenPage):
            self._open(state.page)
        for key, action in window.actions_.colours.items():
            action.setChecked(key in (state.look.unit_colours, state.look.signed_colours))
        window.actions_.by_name["words"].setChecked(state.look.unit == "words")
        if state.look != before.look:
            window.knobs.writing.put_look(state.look)
        window.step_opener.follow(value)
        window.refusals.follow(value)
        if value.by is None:  # Undo brings back how an earlier preset was looked at, perhaps in another theme.
            QTimer.singleShot(0, self, self.keep_colours)
        # With another wish the answer on screen may lack what is looked at: it is drawn when the new one is there.
        if state.wish == before.wish and (state.look != before.look or isinstance(value.by, LookAt)):
            self._looked(state.look)

    def _set_wish(self, wish: Wish, by: Intent | None) -> None:
        window = self._window
        window.session.pictures_made()
        window.page_stack.let_go()  # A hidden window was not painted.
        window.sentences.put(wish, by)
        window.notices.reader.put(wish)
        window.status.tell_work(wish.title if self._session.opens else "")
        window.header.put(wish)
        put = window.knobs.put if isinstance(by, Intent) else window.knobs.put_all
        put(wish.config, load_preset(wish.preset).config)
        window.knobs.put_wish(wish)
        self._pending.asked(wish, None if self._session.frame is None else self._session.frame.wish)
        window.weights.put(wish, self._appearance.words)
        window.side.adapter.put(wish, self._appearance.words)
        window.page_stack.put(wish)
        window.scans.put(wish)
        window.past.put(self._session.past, wish)

    def _open(self, page: str) -> None:
        window = self._window
        window.header.put_page(page)
        window.invitation.put_page(page)
        if page != window.page_stack.page.key:
            self.point(NOTHING)  # What was pointed at is no longer in front.
        window.page_stack.go(page)
        window.step_opener.look_into()

    def _framed(self, frame: Frame) -> None:
        window = self._window
        if frame.serial == self._session.serial:
            self._refusal = None
            window.status.clear()
        if self._session.is_answered():
            window.refusals.answered()
        window.folders.opened(frame.wish)
        window.status.tell_work(self._session.state.wish.title if self._session.opens else "")
        self._pending.answered(frame.wish, self._session.state.wish)
        self._set_stale(self._pending.dimmed)
        window.knobs.offer("device", frame.devices)
        self._show(frame)

    def _show(self, frame: Frame) -> None:
        window = self._window
        window.page_stack.draw(frame.trace, self._session.state.look, self._appearance.words)
        provisional = frame.request.is_provisional
        window.sentences.draw(frame.trace, self._session.state.look, self._appearance.words, provisional=provisional)
        if not provisional:
            window.notices.reader.draw(frame.trace)
        window.header.draw(frame.trace)
        window.knobs.draw(frame.trace)
        window.step_opener.draw(frame)

    def _looked(self, look: Look) -> None:
        window = self._window
        if self._session.frame is not None:
            window.page_stack.draw(self._session.frame.trace, look, self._appearance.words)

    def _refused(self, error: ExplorerError) -> None:
        window = self._window
        window.lessons.refuse(error)
        self._refusal = error
        self._pending.refused()
        why, old = self._appearance.words.error(error), self._session.frame is not None and not self._session.is_answered()
        window.status.warn(f"{why}  {self._appearance.words('status.old_picture')}" if old else why)
        self._set_stale(old)
        window.page_stack.wait_no_more(self._appearance.words("card.refused", reason=why))

    def _set_stale(self, stale: bool) -> None:
        window = self._window
        window.page_stack.set_stale(stale)
        window.sentences.set_stale(stale, self._appearance.words)

    def _settled(self, config: Config) -> None:
        window = self._window
        words = self._appearance.words
        window.status.notice(words("status.heads_settled", d_model=config.d_model, n_heads=config.n_heads))

    def _stopped(self) -> None:
        window = self._window
        self._pending.refused()
        window.status.warn(self._appearance.words("status.stopped"))
        self._set_stale(self._session.frame is not None)
        window.page_stack.wait_no_more(self._appearance.words("card.stopped"))

    def point(self, pointed: Pointed) -> None:
        """Show what is pointed at in the status line, and light its tokens everywhere."""
        window = self._window
        window.status.point(pointed.text)
        window.page_stack.light(pointed.tokens)
        window.sentences.light(pointed.tokens)
