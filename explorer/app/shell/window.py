"""The main window. It connects its parts and does nothing else."""

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QDialog

from explorer.app.appearance import Appearance
from explorer.app.session.session import Session
from explorer.app.shell.commands import Commands
from explorer.app.shell.listener import Listener
from explorer.app.shell.opener import dropped_path
from explorer.app.shell.parts import ROOMY_PX, WindowParts
from explorer.lang import Words
from explorer.picture.theme import Theme


class Window(WindowParts):
    """The parts, connected with each other, with the session, and with Qt."""

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__(session, appearance)
        self._was_seen = False
        self.listener = Listener(self)
        self._connect_session()
        self._connect_parts()
        self.commands = Commands(self)
        self.listener.undoable.connect(self.commands.tell_undoable)
        self.setAcceptDrops(True)
        appearance.spoke.connect(self._speak)
        appearance.themed.connect(self._set_theme)
        appearance.apply()
        self.listener.begin()

    def _connect_session(self) -> None:
        session = self.session
        asking = (self.header, self.sentences, self.knobs, self.weights, self.side.adapter, self.page_stack)
        for part in (*asking, self.folders, self.scans, self.sessions, self.past, self.notices.reader):
            part.wished.connect(session.ask)
        session.paints.connect(self._paint)
        session.prepare = self.page_stack.prepared.prepare
        self.page_stack.wanted.connect(session.want)
        for sending in (self.page_stack, self.scans):
            sending.sent.connect(session.send)
        self.status.stop.connect(session.stop)
        self.hanging.accepted.connect(session.restart)

    def _connect_parts(self) -> None:
        lookers = self.open_box.cataloguer, self.files_window.files
        self.files_window.matrices.broke.connect(self.broke)  # What it refuses, it tells itself.
        for asked in (self.saving, self.scans, self.step_opener, self.opener, *lookers):
            asked.broke.connect(self.broke)
            asked.refused.connect(self.refusals.tell)
        self.sessions.file.broke.connect(self.broke)
        self.sessions.refused.connect(self.refusals.tell)
        for done in (self.saving.settled, self.scans.opened, self.sessions.settled):
            done.connect(self.refusals.settle)
        for noticed in (self.saving.noticed, self.sessions.noticed, self.sentences.noted, self.scans.noticed):
            noticed.connect(self.status.notice)
        for pointed in (self.sentences.pointed, self.page_stack.pointed):
            pointed.connect(self.listener.point)
        self.sentences.fixed.connect(self._tell_fixed)
        self.page_stack.saves.connect(self.saving.save)
        self.page_stack.acts.connect(self._act)
        self.page_stack.drawn.connect(self._drawn)
        self.page_stack.looked_into.connect(self.step_opener.look_into)
        self.status.progressed.connect(self.page_stack.above.strip.set_progress)
        self.left_open.accepted.connect(self.sessions.restore)
        self.invitation.accepted.connect(self.step_opener.tour)
        self.step_opener.quiet.connect(self.drawer.set_quiet)
        self.sessions.preset_made.connect(self._offer_presets)
        self.open_box.chosen.connect(self.opener.take)
        self.folders.several.connect(self.open_box.show_below)
        self.open_box.looked.connect(self.files_window.look_into)
        self.refusals.looked.connect(self.files_window.look_into)
        self.open_box.browses_file.connect(self.opener.choose_file)
        self.open_box.browses_folder.connect(self.opener.choose_folder)

    def begin(self) -> None:
        """Show the first page, after its imports."""
        self.page_stack.begin()
        if not self.sentences.source_edit.isModified():  # The user has not typed yet.
            self.page_stack.enter()  # Its keys work, and none of them replaces the sentence.
        self.step_opener.look_into()

    def _offer_presets(self) -> None:
        self.header.offer(self.folders.recents.paths)

    def _act(self, name: str) -> None:
        self.actions_.by_name[name].trigger()

    def _tell_fixed(self) -> None:
        self.status.notice(self.appearance.words("recorded.fixed"))

    def _drawn(self, picture_ms: float) -> None:
        self.session.pictures_made()
        if self.session.frame is not None:
            self.status.tell(self.session.frame, picture_ms, self.appearance.words)

    def _speak(self, words: Words) -> None:
        around = (self.header, self.sentences, self.drawer, self.status, self.actions_, self.lessons, self.notices, self.panels)
        opening = (self.scans, self.sessions, self.opener, self.open_box, self.files_window)
        for part in (*around, *opening, self.past, self.page_stack):
            part.speak(words)
        self.weights.put(self.session.state.wish, words)
        self.side.adapter.put(self.session.state.wish, words)
        self.listener.speak()

    def _set_theme(self, theme: Theme) -> None:
        self.session.pictures_made()
        for part in (self.page_stack, self.sentences, self.lessons, self.scans, self.files_window):
            part.set_theme(theme)
        self.actions_.themes[self.appearance.choice].setChecked(True)
        self.listener.keep_colours()

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
        self.panels.fit(self.width())
        self.sentences.fold(low=self.height() < ROOMY_PX)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_path(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.opener.take(dropped_path(event.mimeData()))
        event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        for dialog in self.findChildren(QDialog):
            dialog.close()  # An export must end before the window that receives its signals is deleted.
        self.closing.emit(self.saveGeometry())
        super().closeEvent(event)
