"""The main window. It connects its parts and does nothing else."""

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMainWindow, QMessageBox, QVBoxLayout, QWidget

from explorer import page_list
from explorer.app.lessons.lesson_panel import LessonPanel
from explorer.app.lessons.step_opener import StepOpener
from explorer.app.pages.page_stack import PageStack
from explorer.app.session.session import Session
from explorer.app.shell.actions import make_actions, told_page_shortcuts
from explorer.app.shell.appearance import Appearance
from explorer.app.shell.header import Header
from explorer.app.shell.keyboard import in_digit_row, native_names
from explorer.app.shell.sentences import Sentences
from explorer.app.shell.status import Status
from explorer.app.shell.weights_bar import WeightsBar
from explorer.config import Config
from explorer.engine.request import Frame, Request
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.look import Look
from explorer.picture.scales import SEQUENTIAL
from explorer.picture.theme import Theme
from explorer.presets import load_preset
from explorer.version import __version__
from explorer.views.controls.knobs import KnobPanel
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.token_row import Cut

_KNOBS_PX, _KNOBS_NARROW_PX = 268, 220
_NARROW_PX = 1200
_LEAST = (880, 480)  # fits a laptop of 1366 × 768 at 125 %, with title bar and task bar; pages scroll


class Window(QMainWindow):
    """Signals: seen() once, after the first paint; closing(geometry) before the window goes; broke(error) for a bug."""

    seen = Signal()
    closing = Signal(QByteArray)
    broke = Signal(object)

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self.session, self.appearance = session, appearance
        self._devices: tuple[str, ...] = ()
        self._was_seen = False
        self.header, self.sentences, self.page_stack = Header(page_list.KEYS), Sentences(), PageStack()
        self.knobs, self.weights, self.status = KnobPanel(), WeightsBar(), Status()
        self.lessons = LessonPanel()
        self.step_opener = StepOpener(self.lessons, session, self.page_stack, self.knobs, appearance)
        self.actions_ = make_actions(self.menuBar(), self)
        self._lay_out()
        self._connect_wishes()
        self._connect_answers()
        self._connect_actions()
        appearance.spoke.connect(self._speak)
        appearance.themed.connect(self._set_theme)
        appearance.apply()
        self._requested(session.request)
        self.status.inform(appearance.words("status.loading"))
        self.sentences.focus()

    def _lay_out(self) -> None:
        side = QWidget()
        side.setObjectName("side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.side = side
        within = QVBoxLayout(side)
        within.setContentsMargins(1, 0, 0, 0)
        within.addWidget(self.weights)
        within.addWidget(self.knobs, 1)
        within.addWidget(self.weights.note)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.lessons)
        body.addWidget(self.page_stack, 1)
        body.addWidget(side)
        middle = QWidget()
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.sentences)
        layout.addLayout(body, 1)
        self.setCentralWidget(middle)
        self.setStatusBar(self.status)
        self.setMinimumSize(*_LEAST)

    def _connect_wishes(self) -> None:
        session = self.session
        self.sentences.source.connect(session.set_text)
        self.sentences.target.connect(session.set_target)
        self.sentences.cut.connect(self._cut)
        self.sentences.word.connect(session.add_word)
        self.knobs.turned.connect(session.set_knob)
        self.weights.trained.connect(session.set_trained)
        self.page_stack.branched.connect(session.set_prefix)
        self.page_stack.beamed.connect(session.set_beam)
        self.page_stack.batched.connect(session.set_batch)
        self.page_stack.kept.connect(session.keep)
        self.page_stack.wanted.connect(session.want)
        self.header.preset.connect(session.set_preset)
        self.header.architecture.connect(session.set_knob)
        self.page_stack.looked.connect(self._look)
        self.step_opener.went.connect(self.go)
        self.step_opener.refused.connect(self._refused_lesson)
        self.step_opener.broke.connect(self.broke)
        self.status.stop.connect(session.stop)

    def _connect_answers(self) -> None:
        session = self.session
        session.requested.connect(self._requested)
        session.framed.connect(self._framed)
        session.looked.connect(self._looked)
        session.refused.connect(self._refused)
        session.settled.connect(self._settled)
        session.large.connect(self._large)
        session.stopped.connect(self._stopped)
        session.busy.connect(self.status.set_busy)
        session.progressed.connect(self.status.set_progress)
        session.remembered.connect(self._remembered)
        session.broke.connect(self.broke)
        self.page_stack.pointed.connect(self._pointed)
        self.sentences.pointed.connect(self._pointed)
        self.page_stack.drawn.connect(self._drawn)

    def _connect_actions(self) -> None:
        named = self.actions_.by_name
        for name, slot in (
            ("export", self.export),
            ("copy", self.copy_picture),
            ("quit", self.close),
            ("undo", self.session.undo),
            ("redo", self.session.redo),
            ("reset", self.session.reset),
            ("sentence", self.sentences.focus),
            ("stop", self.session.stop),
            ("fit", self.page_stack.fit),
            ("language", self.appearance.switch_language),
            ("keys", self._tell_keys),
            ("about", self._tell_about),
        ):
            named[name].triggered.connect(slot)
        named["knobs"].toggled.connect(self.side.setVisible)
        named["lessons"].toggled.connect(self.step_opener.show)
        self.step_opener.shown.connect(named["lessons"].setChecked)
        named["open_lesson"].triggered.connect(self.step_opener.choose)
        self.header.lessons.connect(named["lessons"].toggle)
        named["full_screen"].toggled.connect(self._full_screen)
        for key, action in self.actions_.pages.items():
            action.setData(key)
            action.triggered.connect(self._go_by_action)
        for action in self.actions_.themes.values():
            action.triggered.connect(self._theme_by_action)
        for action in self.actions_.colours.values():
            action.triggered.connect(self._colours_by_action)
        self.header.page.connect(self.go)
        self.page_stack.opened.connect(self.go)
        self.sentences.opened.connect(self.go)
        self.header.language.connect(self.appearance.switch_language)
        self.header.theme.connect(self.appearance.switch_theme)
        self.header.export.connect(self.export)
        self._remembered(False, False)

    # Wishes that need a word of translation

    def _cut(self, cut: Cut) -> None:
        self.session.cut(cut.side, cut.action, cut.index, cut.at)

    def _look(self, changes: dict[str, object]) -> None:
        self.session.set_look(**changes)

    def _go_by_action(self) -> None:
        self.go(self.sender().data())  # type: ignore[attr-defined]  # the sender is a QAction

    def _theme_by_action(self) -> None:
        self.appearance.choose_theme(self.sender().data())  # type: ignore[attr-defined]  # the sender is a QAction

    def _colours_by_action(self) -> None:
        key = self.sender().data()  # type: ignore[attr-defined]  # the sender is a QAction
        self.session.set_look(**{"unit_colours" if key in SEQUENTIAL else "signed_colours": key})

    def go(self, page: str) -> None:
        """Open a page."""
        self.header.put_page(page)
        self.page_stack.go(page)
        self.step_opener.look_into()

    # Answers

    def _requested(self, request: Request) -> None:
        self.sentences.put(request)
        self.header.put(request)
        self.knobs.put(request.config, load_preset(request.preset).config)
        self.weights.put(request, self.appearance.words)
        self.page_stack.put(request)

    def _framed(self, frame: Frame) -> None:
        if frame.serial == self.session.serial:
            self.status.clear()
        self._set_stale(False)
        if frame.devices != self._devices:
            self._devices = frame.devices
            self.knobs.offer("device", frame.devices)
        self._show(frame)

    def _show(self, frame: Frame) -> None:
        self.page_stack.draw(frame.trace, self.session.look, self.appearance.words)
        self.sentences.draw(frame.trace, self.session.look, self.appearance.words)
        self.step_opener.draw(frame)

    def _looked(self, look: Look) -> None:
        for key, action in self.actions_.colours.items():
            action.setChecked(key in (look.unit_colours, look.signed_colours))
        if self.session.frame is not None:
            self.page_stack.draw(self.session.frame.trace, look, self.appearance.words)

    def _refused(self, error: ExplorerError) -> None:
        self.lessons.refuse(error)
        kept = f"  {self.appearance.words('status.old_picture')}" if self.session.frame is not None else ""
        self.status.warn(self.appearance.words.error(error) + kept)
        self._set_stale(self.session.frame is not None)

    def _set_stale(self, stale: bool) -> None:
        self.page_stack.set_stale(stale)
        self.sentences.set_stale(stale, self.appearance.words)

    def _refused_lesson(self, error: ExplorerError) -> None:
        self.status.warn(self.appearance.words.error(error))

    def _settled(self, config: Config) -> None:
        words = self.appearance.words
        self.status.notice(words("status.heads_settled", d_model=config.d_model, n_heads=config.n_heads))

    def _large(self, n_bytes: int) -> None:
        self.status.notice(self.appearance.words("status.large", gb=n_bytes / 1e9))

    def _stopped(self) -> None:
        self.status.warn(self.appearance.words("status.stopped"))
        self._set_stale(self.session.frame is not None)

    def _remembered(self, can_undo: bool, can_redo: bool) -> None:
        self.actions_.by_name["undo"].setEnabled(can_undo)
        self.actions_.by_name["redo"].setEnabled(can_redo)

    def _pointed(self, pointed: Pointed) -> None:
        self.status.point(pointed.text)
        self.page_stack.light(pointed.tokens)
        self.sentences.light(pointed.tokens)

    def _drawn(self, picture_ms: float) -> None:
        if self.session.frame is not None:
            self.status.tell(self.session.frame, picture_ms, self.appearance.words)

    # Appearance

    def _speak(self, words: Words) -> None:
        self.setWindowTitle(words("app"))
        for part in (self.header, self.sentences, self.knobs, self.status, self.actions_, self.lessons):
            part.speak(words)
        self.page_stack.speak(words)
        self.weights.put(self.session.request, words)
        if self.session.frame is not None:
            self._show(self.session.frame)
            self.status.clear()

    def _set_theme(self, theme: Theme) -> None:
        self.page_stack.set_theme(theme)
        self.sentences.set_theme(theme)
        self.lessons.set_theme(theme)
        self.actions_.themes[self.appearance.choice].setChecked(True)
        self.session.set_look(signed_colours=theme.signed_colours)

    def _full_screen(self, on: bool) -> None:
        if on:
            self.showFullScreen()
        else:
            self.showNormal()

    # Pictures out of the window

    def export(self) -> None:
        """Open the export dialog for the picture that was touched last."""
        card = self.page_stack.main_card()
        if card is None or card.picture is None or self.session.frame is None:
            return
        from explorer.app.shell.export_dialog import ExportDialog  # figures need fontTools, a tenth of a second at the start

        trace, look = self.session.frame.trace, self.session.look
        dialog = ExportDialog(trace, look, card.picture, self.appearance.words, self, numbers=card.in_english(trace, look))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.broke.connect(self.broke)
        dialog.open()

    def copy_picture(self) -> None:
        """Put the picture that was touched last onto the clipboard."""
        card = self.page_stack.main_card()
        if card is not None and card.picture is not None:
            from explorer.export.raster import image
            from explorer.picture.figure.svg import render  # figures need fontTools, a tenth of a second at the start

            QGuiApplication.clipboard().setImage(image(render(card.picture, self.appearance.words, self.appearance.theme)))
            self.status.inform(self.appearance.words("status.copied"))

    def _tell_keys(self) -> None:
        self._tell("action.keys", native_names(self.appearance.words("about.keys", pages=told_page_shortcuts())))

    def _tell_about(self) -> None:
        self._tell("action.about", self.appearance.words("about.text", version=__version__))

    def _tell(self, title: str, text: str) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.appearance.words(title), text, parent=self)
        box.addButton(self.appearance.words("export.close"), QMessageBox.ButtonRole.RejectRole)
        box.setTextFormat(Qt.TextFormat.RichText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def event(self, event: QEvent) -> bool:
        """Before a key becomes a shortcut the window may take it: the row of digits works on every keyboard."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            place = in_digit_row(event)
            action = None if place is None else self.actions_.in_digit_row(place)
            if action is not None:
                action.trigger()
                event.accept()
                return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_seen:
            self._was_seen = True
            QTimer.singleShot(0, self.seen.emit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.side.setFixedWidth(_KNOBS_PX if self.width() >= _NARROW_PX else _KNOBS_NARROW_PX)
        self.lessons.set_narrow(self.width() < _NARROW_PX)

    def closeEvent(self, event: QCloseEvent) -> None:
        for dialog in self.findChildren(QDialog):
            dialog.close()  # an export ends before what it tells goes
        self.closing.emit(self.saveGeometry())
        super().closeEvent(event)
