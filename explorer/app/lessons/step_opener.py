"""The link from lessons to the rest of the window: a step sets up the session and the page, and outlines cards."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from explorer.app.display import native_dialog
from explorer.app.lessons.lesson_panel import LessonPanel
from explorer.app.lessons.ticks import Ticks, load_ticks, save_ticks
from explorer.app.pages.page_stack import PageStack
from explorer.app.session.session import Session
from explorer.app.shell.appearance import Appearance
from explorer.engine.request import Frame
from explorer.errors import ExplorerError
from explorer.lessons.lesson import Lesson, Step
from explorer.lessons.read import all_lessons, read_lesson
from explorer.state.give_back import GiveBack
from explorer.state.intents import OpenStep
from explorer.state.state import State
from explorer.stops import Stop
from explorer.views.controls.knobs import KnobPanel

_TOUR = "tour"  # the key of the lesson for somebody who is here for the first time


class StepOpener(QObject):
    """Signals: shown(bool) when the panel shall open or close; refused(error) for a file that is no lesson; broke(error)."""

    shown = Signal(bool)
    refused = Signal(object)
    broke = Signal(object)

    def __init__(
        self, panel: LessonPanel, session: Session, page_stack: PageStack, knobs: KnobPanel, appearance: Appearance
    ) -> None:
        super().__init__(panel)
        self._panel, self._session, self._page_stack = panel, session, page_stack
        self._wanted = ""  # the key of a lesson to open as soon as the list is read
        self._knobs, self._appearance = knobs, appearance
        self._reckoner = panel.reckoner
        self._reckoner.broke.connect(self.broke)
        self._before: State | None = None  # what was set up before the open lesson
        self._left: State | None = None  # what its last step set up
        panel.hide()
        panel.opened.connect(self._open)
        panel.ticked.connect(self._keep)
        panel.closed.connect(self._hide)

    def show(self, on: bool) -> None:
        """Open or close the panel. Lessons are read when it is opened first."""
        if on:
            self._read_list()
        self._panel.setVisible(on)
        self._mark(self._panel.step if on else None)

    def open(self, key: str) -> None:
        """Open a lesson by its key, where somebody left it."""
        self.shown.emit(True)
        self._wanted = key
        if self._panel.lessons:
            self._open_wanted()
        else:
            self._read_list()

    def tour(self) -> None:
        """Open the tour, where somebody left it."""
        self.open(_TOUR)

    def draw(self, frame: Frame) -> None:
        """Give a frame to the open step, unless it answers an older wish: then its numbers are not the step's."""
        if self._session.is_answered():
            self._panel.draw(frame.trace, self._session.state.look, self._appearance.words)

    def look_into(self) -> None:
        """Ask for the experiments that the page in front and the open step need."""
        page = self._page_stack.page
        self._session.look_into(page.experiments | self._panel.experiments, page.focus)

    def choose(self) -> None:
        """Let the user choose a lesson's file."""
        with native_dialog():
            path, _filter = QFileDialog.getOpenFileName(self._panel, self._appearance.words("action.open_lesson"), "", "*.toml")
        if path:
            self.add(path)

    def add(self, path: str) -> None:
        """Open a lesson from a user's file. A mistake in the file is shown as an error."""
        self.shown.emit(True)
        self._reckoner.ask("file", partial(_read, Path(path)), self._add)

    def close(self) -> None:
        """End the lessons' thread."""
        self._reckoner.close()

    def _offer(self, found: tuple[Sequence[Lesson], Sequence[ExplorerError]] | ExplorerError) -> None:
        if isinstance(found, ExplorerError):
            self.refused.emit(found)
        else:
            self._panel.tick(load_ticks())
            self._panel.offer(*found)
            self._open_wanted()

    def _open_wanted(self) -> None:
        if self._wanted in {lesson.key for lesson in self._panel.lessons}:
            self._panel.open(self._wanted)
        self._wanted = ""

    def _keep(self, ticks: Ticks) -> None:
        """Show and write how far somebody has come."""
        if ticks != self._panel.list.ticks:
            self._panel.tick(ticks)
            self._reckoner.ask("ticks", partial(_save, ticks), _nothing)

    def _add(self, found: Lesson | ExplorerError) -> None:
        if isinstance(found, ExplorerError):
            self.refused.emit(found)
        else:
            self._panel.add(found)

    def _read_list(self) -> None:
        if not self._panel.lessons:
            self._reckoner.ask("list", all_lessons, self._offer)

    def _hide(self) -> None:
        self.shown.emit(False)

    def _open(self, step: Step | None) -> None:
        if step is None:
            self._give_back()
        else:
            self._before = self._before or self._session.state
            earlier = tuple(each.settings for each in self._panel.earlier)
            self._session.ask(OpenStep(step.settings, earlier))
            self._left = self._session.state
        self.look_into()
        self._mark(step)
        if self._session.frame is not None:  # If the step changed nothing, the frame on screen has its numbers.
            self.draw(self._session.frame)

    def _give_back(self) -> None:
        """Put the reader's own sentence, preset, knobs and page in the place of the lesson's."""
        if self._before is not None and self._left is not None:
            self._session.ask(GiveBack(self._before, self._left))
        self._before = self._left = None

    def _mark(self, step: Step | None) -> None:
        marks = step.highlight if step is not None else ()
        self._knobs.mark(frozenset(mark.removeprefix("knob:") for mark in marks if mark.startswith("knob:")))
        self._page_stack.mark(tuple(mark.removeprefix("tap:") for mark in marks if mark.startswith("tap:")))


def _read(path: Path, stop: Stop) -> Lesson:
    return read_lesson(path)


def _save(ticks: Ticks, stop: Stop) -> None:
    save_ticks(ticks)


def _nothing(_none: None) -> None:
    """Nobody waits for a file of ticks."""
