"""The main window. It connects its parts and does nothing else."""

from PySide6.QtCore import QByteArray, QEvent, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from explorer import page_list
from explorer.app.lessons.lesson_panel import LessonPanel
from explorer.app.lessons.step_opener import StepOpener
from explorer.app.pages.page_stack import PageStack
from explorer.app.session import told
from explorer.app.session.session import Session
from explorer.app.shell.actions import make_actions
from explorer.app.shell.appearance import Appearance
from explorer.app.shell.areas import Areas
from explorer.app.shell.commands import Commands
from explorer.app.shell.drops import Drops, dropped_path
from explorer.app.shell.folders import Folders
from explorer.app.shell.hanging import Hanging
from explorer.app.shell.header import Header
from explorer.app.shell.help import Help
from explorer.app.shell.invitation import Invitation
from explorer.app.shell.left_open import LeftOpen
from explorer.app.shell.notice_line import Notices
from explorer.app.shell.past_box import PastBox
from explorer.app.shell.pending import Pending
from explorer.app.shell.presenter import Presenter
from explorer.app.shell.recordings import Recordings
from explorer.app.shell.refusals import Refusals
from explorer.app.shell.saving import Saving
from explorer.app.shell.scans import Scans
from explorer.app.shell.sentences import Sentences
from explorer.app.shell.session_menu import SessionMenu
from explorer.app.shell.shortcuts import Shortcuts
from explorer.app.shell.side import Drawer, Side
from explorer.app.shell.status import Status
from explorer.config import Config
from explorer.engine.errand import Brought
from explorer.engine.request import Frame
from explorer.errors import BadFile, ExplorerError
from explorer.lang import Words
from explorer.picture.theme import THEMES, Theme
from explorer.presets import load_preset
from explorer.state.intents import Intent, LookAt, OpenPage, look_at
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.views.painting.pointed import NOTHING, Pointed

_NARROW_PX = 1200  # px; in a narrower window the knobs are folded
_LEAST = (880, 480)  # px; fits a laptop screen of 1366 × 768 at 125 %


class Window(QMainWindow):
    """Signals: seen() once, after the first paint; closing(geometry) before the window closes; broke(error) for a bug."""

    seen = Signal()
    closing = Signal(QByteArray)
    broke = Signal(object)

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self.session, self.appearance = session, appearance
        self._was_seen = False
        self._refusal: ExplorerError | None = None  # why the newest wish has no answer
        self.header, self.sentences, self.page_stack = Header(page_list.KEYS), Sentences(), PageStack()
        self.side, self.status, self.lessons = Side(), Status(), LessonPanel()
        self.invitation, self.left_open, self.refusals, self.hanging = Invitation(), LeftOpen(), Refusals(), Hanging()
        self.knobs, self.weights, self.drawer = self.side.knobs, self.side.weights, Drawer(self.side)
        self.areas = Areas((self.header, self.sentences, self.lessons, self.page_stack, self.drawer, self.status), self)
        self.pending = Pending(self)
        self.step_opener = StepOpener(self.lessons, session, self.page_stack, self.knobs, appearance)
        self.actions_ = make_actions(self.menuBar(), self)
        self.shortcuts = Shortcuts(self.actions_, self)
        self.help, self.saving = Help(self, appearance, self.shortcuts), Saving(self)
        self.recordings, self.scans, self.past = Recordings(self), Scans(self), PastBox(self)
        self.saving.broke.connect(self.broke)
        self.scans.broke.connect(self.broke)
        self.scans.refused.connect(self.refusals.tell)
        self.scans.opened.connect(self.refusals.settle)
        self.notices = Notices((self.invitation, self.left_open, self.hanging, self.refusals))
        around = (self.header, self.drawer, self.lessons, self.status, self.notices, self.page_stack.strip)
        self.presenter = Presenter(self, session, self.page_stack, around)
        self.folders = Folders(self, self.actions_.menus["recent"])
        self.sessions = SessionMenu(self, self.actions_.menus["recent_sessions"])
        self._lay_out()
        self._connect_parts()
        self.commands = Commands(self)
        openers = {
            "session": self.sessions.open,
            "lesson": self.step_opener.add,
            "scan": self.scans.open,
            "model": self.folders.open,
        }
        self.drops = Drops(openers, self)
        self.drops.refused.connect(self.refusals.tell)
        self.drops.broke.connect(self.broke)
        self.setAcceptDrops(True)
        appearance.spoke.connect(self._speak)
        appearance.themed.connect(self._set_theme)
        appearance.apply()
        self._set_wish(session.state.wish, None)
        self.knobs.writing.put_look(session.state.look)
        self.page_stack.first = session.state.page
        self.header.put_page(session.state.page)
        self.status.inform(appearance.words("status.loading"))
        self.sentences.source_edit.setFocus()

    def _lay_out(self) -> None:
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.lessons)
        body.addWidget(self.page_stack, 1)
        body.addWidget(self.drawer)
        middle = QWidget()
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.sentences)
        layout.addWidget(self.notices)
        layout.addLayout(body, 1)
        self.setCentralWidget(middle)
        self.setStatusBar(self.status)
        self.setMinimumSize(*_LEAST)

    def _connect_parts(self) -> None:
        session = self.session
        asking = (self.header, self.sentences, self.knobs, self.weights, self.side.adapter, self.page_stack)
        for part in (*asking, self.folders, self.recordings, self.scans, self.sessions, self.past):
            part.wished.connect(session.ask)
        session.told.connect(self._hear)
        session.paints.connect(self._paint)
        session.prepare = self.page_stack.prepared.prepare
        self.sentences.fixed.connect(self._tell_fixed)
        for part in (self.sentences, self.page_stack):
            part.pointed.connect(self._pointed)
        self.page_stack.wanted.connect(session.want)
        self.page_stack.sent.connect(session.send)
        self.page_stack.saves.connect(self.saving.save)
        self.page_stack.drawn.connect(self._drawn)
        self.page_stack.looked_into.connect(self.step_opener.look_into)
        self.status.stop.connect(session.stop)
        self.hanging.accepted.connect(session.restart)
        self.status.progressed.connect(self.page_stack.strip.set_progress)
        self.pending.changed.connect(self._set_stale)
        self.sentences.noted.connect(self.status.notice)
        self.left_open.accepted.connect(self.sessions.restore)
        self.sessions.file.broke.connect(self.broke)
        self.invitation.accepted.connect(self.step_opener.tour)
        self.step_opener.refused.connect(self.refusals.tell)
        self.step_opener.broke.connect(self.broke)

    def go(self, page: str) -> None:
        """Open a page."""
        self.session.ask(OpenPage(page))

    # Values that the session sends

    def _hear(self, value: object) -> None:
        match value:
            case told.Set():
                self._set(value)
            case Frame():
                self._framed(value)
            case Brought():
                self.page_stack.bring(value)
            case told.Refused(error):
                self._refused(error)
            case told.SprungBack(error):
                self.folders.failed(error)
                self.refusals.tell(error, of_edit=not isinstance(error, BadFile))
            case told.OpeningGivenUp():
                self.status.notice(self.appearance.words("status.opening_stopped"))
            case told.Settled(config):
                self._settled(config)
            case told.Large(n_bytes):
                self.status.notice(self.appearance.words("status.large", gb=n_bytes / 1e9))
            case told.GivenUp():
                self._stopped()
            case told.Busy(busy):
                self.status.set_busy(busy)
                self.page_stack.set_busy(busy)
            case told.ShareDone(share):
                self.status.set_progress(share)
            case told.Hangs(seconds):
                self.hanging.tell(seconds, self.appearance.words)
            case told.Undoable():
                self.commands.tell_undoable(value)
            case told.Broke(error):
                self.broke.emit(error)

    def _set(self, value: told.Set) -> None:
        state, before = value.state, value.before
        if state.wish != before.wish or value.by is None:
            self._set_wish(state.wish, value.by)
        if state.page != before.page or isinstance(value.by, OpenPage):
            self._open(state.page)
        for key, action in self.actions_.colours.items():
            action.setChecked(key in (state.look.unit_colours, state.look.signed_colours))
        self.actions_.by_name["words"].setChecked(state.look.unit == "words")
        if state.look != before.look:
            self.knobs.writing.put_look(state.look)
        self.step_opener.follow(value)
        self.refusals.follow(value)
        if value.by is None:  # Undo brings back how an earlier preset was looked at, perhaps in another theme.
            QTimer.singleShot(0, self, self._keep_colours)
        # With another wish the answer on screen may lack what is looked at: it is drawn when the new one is there.
        if state.wish == before.wish and (state.look != before.look or isinstance(value.by, LookAt)):
            self._looked(state.look)

    def _set_wish(self, wish: Wish, by: Intent | None) -> None:
        self.session.pictures_made()
        self.page_stack.let_go()  # A window that nobody sees was not painted.
        self.sentences.put(wish, by)
        self.status.tell_work(wish.title if self.session.opens else "")
        self.header.put(wish)
        put = self.knobs.put if isinstance(by, Intent) else self.knobs.put_all
        put(wish.config, load_preset(wish.preset).config)
        self.knobs.put_wish(wish)
        self.pending.asked(wish, None if self.session.frame is None else self.session.frame.wish)
        self.weights.put(wish, self.appearance.words)
        self.side.adapter.put(wish, self.appearance.words)
        self.page_stack.put(wish)
        self.past.put(self.session.past, wish)

    def begin(self) -> None:
        """Show the first page, after its imports."""
        self.page_stack.begin()
        if not self.sentences.source_edit.isModified():  # Nobody has typed yet.
            self.page_stack.enter()  # Its keys work, and none of them replaces the sentence.
        self.step_opener.look_into()

    def _open(self, page: str) -> None:
        self.header.put_page(page)
        if page != self.page_stack.page.key:
            self._pointed(NOTHING)  # What was pointed at is no longer in front.
        self.page_stack.go(page)
        self.step_opener.look_into()

    def _framed(self, frame: Frame) -> None:
        if frame.serial == self.session.serial:
            self._refusal = None
            self.status.clear()
        if self.session.is_answered():
            self.refusals.answered()
        self.folders.opened(frame.wish)
        self.status.tell_work(self.session.state.wish.title if self.session.opens else "")
        self.pending.answered(frame.wish, self.session.state.wish)
        self._set_stale(self.pending.dimmed)
        self.knobs.offer("device", frame.devices)
        self._show(frame)

    def _show(self, frame: Frame) -> None:
        self.page_stack.draw(frame.trace, self.session.state.look, self.appearance.words)
        provisional = frame.request.is_provisional
        self.sentences.draw(frame.trace, self.session.state.look, self.appearance.words, provisional=provisional)
        self.header.draw(frame.trace)
        self.knobs.draw(frame.trace)
        self.step_opener.draw(frame)

    def _looked(self, look: Look) -> None:
        if self.session.frame is not None:
            self.page_stack.draw(self.session.frame.trace, look, self.appearance.words)

    def _refused(self, error: ExplorerError) -> None:
        self.lessons.refuse(error)
        self._refusal = error
        self.pending.refused()
        why, old = self.appearance.words.error(error), self.session.frame is not None and not self.session.is_answered()
        self.status.warn(f"{why}  {self.appearance.words('status.old_picture')}" if old else why)
        self._set_stale(old)
        self.page_stack.wait_no_more(self.appearance.words("card.refused", reason=why))

    def _set_stale(self, stale: bool) -> None:
        self.page_stack.set_stale(stale)
        self.sentences.set_stale(stale, self.appearance.words)

    def _settled(self, config: Config) -> None:
        words = self.appearance.words
        self.status.notice(words("status.heads_settled", d_model=config.d_model, n_heads=config.n_heads))

    def _stopped(self) -> None:
        self.pending.refused()
        self.status.warn(self.appearance.words("status.stopped"))
        self._set_stale(self.session.frame is not None)
        self.page_stack.wait_no_more(self.appearance.words("card.stopped"))

    def _tell_fixed(self) -> None:
        self.status.notice(self.appearance.words("recorded.fixed"))

    def _pointed(self, pointed: Pointed) -> None:
        self.status.point(pointed.text)
        self.page_stack.light(pointed.tokens)
        self.sentences.light(pointed.tokens)

    def _drawn(self, picture_ms: float) -> None:
        self.session.pictures_made()
        if self.session.frame is not None:
            self.status.tell(self.session.frame, picture_ms, self.appearance.words)

    # Appearance

    def _speak(self, words: Words) -> None:
        around = (self.header, self.sentences, self.drawer, self.status, self.actions_, self.lessons, self.invitation)
        asking = (
            self.left_open,
            self.refusals,
            self.hanging,
            self.folders,
            self.recordings,
            self.scans,
            self.sessions,
            self.past,
        )
        for part in (*around, *asking):
            part.speak(words)
        self.page_stack.speak(words)
        self.weights.put(self.session.state.wish, words)
        self.side.adapter.put(self.session.state.wish, words)
        if self.session.frame is not None:
            self._show(self.session.frame)
            self.status.clear()
        if self._refusal is not None:  # What is on screen is still not what was asked for.
            self._refused(self._refusal)

    def _set_theme(self, theme: Theme) -> None:
        self.session.pictures_made()
        self.page_stack.set_theme(theme)
        self.sentences.set_theme(theme)
        self.lessons.set_theme(theme)
        self.scans.set_theme(theme)
        self.actions_.themes[self.appearance.choice].setChecked(True)
        self._keep_colours()

    def _keep_colours(self) -> None:
        """Colours that the user has chosen stay; only a theme's own colours are those of the present theme."""
        colours, own = self.session.state.look.signed_colours, self.appearance.theme.signed_colours
        if colours != own and colours in {each.signed_colours for each in THEMES.values()}:
            self.session.ask(look_at(signed_colours=own))

    # Events of Qt

    def event(self, event: QEvent) -> bool:
        """Handle the row of digits before Qt looks for shortcuts, so that it works on every keyboard."""
        shortcut = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if shortcut and self.actions_.trigger_by_place(event):  # type: ignore[arg-type]  # It is a QKeyEvent.
            event.accept()
            return True
        paints = event.type() == QEvent.Type.UpdateRequest
        if paints and self.session.puts_painting_off():
            return True
        done = super().event(event)
        if paints:
            self.session.painted()
            QTimer.singleShot(0, self.page_stack, self.page_stack.let_go)
        return done

    def _paint(self) -> None:
        QApplication.sendEvent(self, QEvent(QEvent.Type.UpdateRequest))

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self.areas.tab(forward) or super().focusNextPrevChild(forward)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_seen:
            self._was_seen = True
            QTimer.singleShot(0, self.seen.emit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.drawer.set_narrow(self.width() < _NARROW_PX)
        self.lessons.set_narrow(self.width() < _NARROW_PX)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_path(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drops.take(dropped_path(event.mimeData()))
        event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        for dialog in self.findChildren(QDialog):
            dialog.close()  # An export must end before the window that receives its signals is deleted.
        self.closing.emit(self.saveGeometry())
        super().closeEvent(event)
