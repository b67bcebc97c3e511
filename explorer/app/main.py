"""Opening the window with its preferences, session and bug reports, and closing all of it again."""

import contextlib
import gc
import os
import sys
import threading
from functools import partial

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication

from explorer.app.appearance import Appearance
from explorer.app.application import ExplorerApplication
from explorer.app.bug_report import BugReports
from explorer.app.display import WINDOW_PX, choose_input_method, make_application
from explorer.app.endings import WRITING_THREAD, Endings
from explorer.app.imports import Imports, LaterImports, of_all_classes, of_first_page
from explorer.app.session import recalled, told
from explorer.app.session.first_state import First, first_state
from explorer.app.session.preferences import Preferences, SharedEntries, read_json, read_line, written_json, written_line
from explorer.app.session.remembered import Remembered
from explorer.app.session.session import Session
from explorer.app.shell.notices import NOT_KEPT
from explorer.app.shell.window import Window
from explorer.engine.request import Frame
from explorer.engine.worker import Compute, load_compute
from explorer.errors import ExplorerError
from explorer.presets import first_preset
from explorer.state.intents import SetSampling
from explorer.state.saved import Saved
from explorer.tokens.language import language_of

_QUIET_MS = 500  # ms after the start before background imports begin
_PATIENCE_S = 5.0  # seconds that torch waits for the window's imports at most
_LAST_S = 1.5  # seconds from a signal to the end of the process, even if a pass still runs
_HIDDEN = "hidden_cards"  # the preference that says which cards are hidden


class Program:
    """All objects that exist while the window is open."""

    def __init__(
        self,
        text: str | None = None,
        preset: str | None = None,
        language: str | None = None,
        lacking: str = "",
        preferences: Preferences | None = None,
        session: str | None = None,
        trace: str | None = None,
        lesson: str | None = None,
        other: str | None = None,
        *,
        chat: bool = False,
    ) -> None:
        """`chat` has the text written in the model's chat template. `lacking` names an input
        method for which Qt has no plugin. `preferences` are given where they were read already.
        `session`, `trace` and `lesson` are files to open, `other` is any path or name, which is opened as a drop is.
        The window says what cannot be opened.
        """
        self.preferences = Preferences() if preferences is None else preferences
        self.appearance = Appearance(self.preferences, language)
        usual = first_preset(language_of(text or "") or self.appearance.words.language)
        first = first_state(self.preferences, text, preset, session, trace, chat=chat, usual=usual)
        self.remembered = Remembered()
        self.remembered.keep_now(first.begun)
        self._lacking = lacking
        self._imported = threading.Event()
        self._is_shown = False  # whether the State has been on screen; one that has not may crash the program
        self.session = Session(first.state, self._load, restored=first.restored, usual=usual)
        self.window = Window(self.session, self.appearance)
        self.window.drawer.recall(self.preferences.text("knobs"))
        self.window.page_stack.invites = not self.preferences.text("opened_layer")
        self._hidden = SharedEntries(partial(self.preferences.change, _HIDDEN), read_line, written_line)
        self._widths = SharedEntries(partial(self.preferences.change, "widths"), read_line, written_line)
        self._keys = SharedEntries(partial(self.preferences.change, "shortcuts"), read_json, written_json)
        self.window.page_stack.recall(self._hidden.begin())
        self.window.page_stack.rearranged.connect(self._keep_hidden)
        self.window.page_stack.widths.recall(self._widths.begin())
        self.window.page_stack.widths.changed.connect(self._keep_widths)
        self.window.shortcuts.recall(self._keys.begin())
        self.window.folders.recents.keep(partial(self.preferences.change, "folders"))
        self.window.sessions.recents.keep(partial(self.preferences.change, "sessions"))
        self.window.saving.memory = self.preferences.text("export")
        self.window.saving.remembered.connect(self._keep_export)
        self._begin_session(first)
        self._begin_refusals(first)
        self.window.shortcuts.changed.connect(self._keep_shortcuts)
        # A person who names a text or a preset needs no invitation.
        if not (text or preset or trace or lesson or other or first.restored or first.left or self.preferences.text("invited")):
            self.window.invitation.offer()
        self.window.invitation.answered.connect(self._invited)
        self.bug_reports = BugReports(self.appearance.words, self.window)
        self.appearance.spoke.connect(self._speak)
        self.window.broke.connect(self.bug_reports.report)
        self.window.closing.connect(self._save)
        self.window.seen.connect(self.session.start)
        self.window.seen.connect(self.appearance.ask_desktop)
        self._page_imports, self._imports = Imports(of_first_page()), Imports(of_all_classes())
        self._later_imports = LaterImports()
        self.window.seen.connect(self._page_imports.start)
        self._lesson, self._other, self._own = lesson, other, None if first.saved is None else first.saved.own
        self._page_imports.done.connect(self._recall)
        self._page_imports.done.connect(self.window.begin)
        self._page_imports.done.connect(self._imports.start)
        self._imports.done.connect(self._imported.set)
        self._imports.done.connect(self._begin_others)
        self.session.told.connect(self._hear)
        self.window.sessions.file.changed.connect(self._keep)

    def _begin_session(self, first: First) -> None:
        """Show which file the session is in, and offer what programs left that were not closed."""
        sessions = self.window.sessions
        sessions.file.follow(self.session.state)
        if first.path is not None and first.saved is not None:
            sessions.begin(first.path, first.saved)
        elif first.saved is not None:
            sessions.file.resume(first.saved)
        self.window.left_open.offer(dict(first.left))

    def _begin_refusals(self, first: First) -> None:
        """Say why the program does not begin with what was left or asked for, and later when the State cannot be written."""
        refusals = self.window.refusals
        if first.refused is not None:
            refusals.tell(first.refused, "status.last_refused")
        if first.unopened is not None:
            refusals.tell(first.unopened)
        self.remembered.failed.connect(partial(refusals.tell, key=NOT_KEPT))
        self.remembered.kept.connect(partial(refusals.settle, NOT_KEPT))
        self.preferences.failed = refusals.tell

    def _recall(self) -> None:
        """Show the last pass of what is set up, or the bundled first one, while torch is loaded."""
        frame = recalled.recalled(self.session.state.wish)
        if frame is not None:
            self.session.recall(frame)

    def _begin_others(self) -> None:
        """Show the step of a lesson that was open when the program ended, or open what was asked for."""
        self.window.step_opener.begin(self._own)
        if self._lesson is not None:
            self.window.step_opener.add(self._lesson)
        if self._other is not None:
            self.window.opener.take(self._other)

    def take(self, path: str) -> None:
        """Open a file that the system asks for, as a drop is opened; a program that is starting does so when it can."""
        if self._imported.is_set():
            self.window.opener.take(path)
        else:
            self._other = path

    def open(self) -> None:
        """Show the window. torch is loaded after it has been painted, since each would slow down the other."""
        self.bug_reports.install()
        room = self.window.screen().availableGeometry()
        self.window.resize(min(WINDOW_PX[0], room.width()), min(WINDOW_PX[1], room.height()))
        known = not self.preferences.geometry.isEmpty() and self.window.restoreGeometry(self.preferences.geometry)
        if not known and (room.width() <= WINDOW_PX[0] or room.height() <= WINDOW_PX[1]):
            self.window.showMaximized()  # Otherwise the window's frame would not fit on the screen.
        else:
            self.window.show()

    def _load(self) -> Compute:
        """Load torch on the compute thread, after the window's imports, which it would slow down."""
        self._imported.wait(_PATIENCE_S)
        return load_compute()

    def end(self, number: int) -> None:
        """End after a signal: save as closing does. A running computation gets a moment to stop, then the process ends."""
        last = threading.Timer(_LAST_S, os._exit, (128 + number,))
        last.daemon = True
        last.start()
        self.window.close()
        QApplication.exit(128 + number)

    def close(self) -> None:
        """End the threads and give the hooks back."""
        self._imported.set()  # The compute thread may still wait for it.
        self._later_imports.stop()
        self._say(self.window.step_opener.close())
        self.session.close()
        for thread in threading.enumerate():
            if thread.name == WRITING_THREAD:  # Closing its dialog has told it to end.
                thread.join()
        self.bug_reports.remove()
        self.appearance.close()
        gc.unfreeze()  # Objects made while torch was loaded belong to this window too, and may be freed with it.

    def _invited(self) -> None:
        self.preferences.put(invited="yes")

    def _speak(self, words: object) -> None:
        self.bug_reports.words = self.appearance.words

    def _loaded(self) -> None:
        if not self.session.shows_recalled:
            self.window.status.uncover()
        if self._lacking:
            self.window.status.notice(self.appearance.words("status.input_method", name=self._lacking))
        self._later_imports.start(_QUIET_MS)

    def _hear(self, value: object) -> None:
        if isinstance(value, told.Loaded):
            self._loaded()
        elif isinstance(value, told.Set):
            if value.state.look.opened and self.window.page_stack.invites:
                self.window.page_stack.invites = False
                self.preferences.put(opened_layer="yes")
            if value.state.wish != value.before.wish and not isinstance(value.by, SetSampling):
                self._is_shown = False
            self.window.sessions.file.follow(value.state)
            self._keep()
        elif isinstance(value, Frame):
            self.window.sessions.file.fitted(self.session.state)
            self._is_shown = self.session.is_answered()
            self._keep()

    @property
    def _saved(self) -> Saved:
        """What is set up, as it comes back."""
        file = self.window.sessions.file
        own = self.window.step_opener.own
        return Saved(state=self.session.state, session=file.kept, changed=file.is_changed, was_shown=self._is_shown, own=own)

    def _keep(self) -> None:
        self.remembered.keep(self._saved)

    def _keep_hidden(self) -> None:
        self._hidden.put(self.window.page_stack.memory)

    def _keep_widths(self) -> None:
        self._widths.put(self.window.page_stack.widths.memory)

    def _keep_export(self) -> None:
        self.preferences.put(export=self.window.saving.memory)

    def _keep_shortcuts(self) -> None:
        self._keys.put(self.window.shortcuts.memory)

    def _save(self, geometry: QByteArray) -> None:
        placed = geometry.toBase64().toStdString()
        self.preferences.put(geometry=placed, knobs=self.window.drawer.memory)
        self._say(self.preferences.failure)
        self.window.sessions.file.failed.connect(self._say)
        self.window.sessions.file.close()
        self._keep()
        if self.session.frame is not None and self.session.is_answered():
            recalled.keep(self.session.frame)
        self._say(self.remembered.close())

    def _say(self, error: ExplorerError | None) -> None:
        """Print on the terminal what could not be written at the end: the window that could show it is closing."""
        if error is not None and sys.stderr is not None:  # A program without a terminal may have none.
            with contextlib.suppress(OSError, ValueError):
                print(self.appearance.words.error(error), file=sys.stderr)


def open_window(
    text: str | None = None,
    preset: str | None = None,
    language: str | None = None,
    session: str | None = None,
    trace: str | None = None,
    lesson: str | None = None,
    other: str | None = None,
    *,
    chat: bool = False,
) -> int:
    """Run the window until it is closed; returns the exit status. Raises ExplorerError where no window can be opened."""
    lacking = choose_input_method(os.environ)
    preferences = Preferences()
    application = make_application(preferences.size)
    program = Program(text, preset, language, lacking, preferences, session, trace, lesson, other, chat=chat)
    endings = Endings()
    endings.came.connect(program.end)
    endings.install()
    if isinstance(application, ExplorerApplication):
        application.open_files_by(program.take)
    program.open()
    try:
        status = application.exec()
        return endings.status or status
    finally:
        if isinstance(application, ExplorerApplication):
            application.open_files_by(None)
        program.close()
        endings.remove()
