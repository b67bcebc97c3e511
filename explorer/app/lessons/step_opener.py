"""The link from lessons to the rest of the window: a step sets up the session and the page, and outlines cards."""

import contextlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import attrs
from PySide6.QtCore import QObject, Signal

from explorer.app.appearance import Appearance
from explorer.app.lessons.lesson_list import FIRST
from explorer.app.lessons.lesson_panel import LessonPanel
from explorer.app.lessons.ticks import Ticks, load_ticks, save_ticks
from explorer.app.pages.page_stack import PageStack
from explorer.app.session import told
from explorer.app.session.session import Session
from explorer.engine.request import Frame
from explorer.errors import ExplorerError, NoSuchLesson
from explorer.lessons.followed import settings_of
from explorer.lessons.lesson import Lesson, Step
from explorer.lessons.read import all_lessons, read_lesson
from explorer.state.comparing_intents import GiveBack
from explorer.state.intents import OpenStep, SetText
from explorer.state.state import LessonPlace, State
from explorer.state.state_link import OpenLink, OpenState
from explorer.stops import Stop
from explorer.views.controls.knobs import KnobPanel

_TOUR = "tour"  # the key of the lesson for a first visit


class StepOpener(QObject):
    """Signals: shown(bool) when the panel shall open or close; quiet(bool) when a lesson for beginners begins, which needs the
    room of the knobs, or ends; refused(error) for a file that is no lesson; broke(error)."""

    shown = Signal(bool)
    quiet = Signal(bool)
    refused = Signal(object)
    broke = Signal(object)

    def __init__(
        self, panel: LessonPanel, session: Session, page_stack: PageStack, knobs: KnobPanel, appearance: Appearance
    ) -> None:
        super().__init__(panel)
        self._panel, self._session, self._page_stack = panel, session, page_stack
        self._wanted: str | LessonPlace = ""  # the lesson to open, or the place to show, as soon as the list is read
        self._place: LessonPlace | None = None  # what the panel shows
        self._files: dict[str, str] = {}  # of lessons that were opened from a file of the user's, by key
        self._knobs, self._appearance = knobs, appearance
        self._reckoner = panel.reckoner
        self._reckoner.broke.connect(self.broke)
        self._before: State | None = None  # what was set up before the open lesson
        self._left: State | None = None  # what its last step set up
        self._unwritten: Ticks | None = None
        panel.hide()
        panel.opened.connect(self._open)
        panel.resumed.connect(self._resumed)
        panel.ticked.connect(self._keep)
        panel.closed.connect(self._hide)
        panel.parts.sentence.connect(self._say)

    def show(self, on: bool) -> None:
        """Open or close the panel. Lessons are read when it is opened first."""
        if on:
            self._read_list()
        self._panel.setVisible(on)
        self._mark(self._panel.step if on else None)
        self._calm()

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

    @property
    def own(self) -> State | None:
        """What was set up before the open lesson; None where none is open or it is not known."""
        return self._before

    def begin(self, own: State | None) -> None:
        """Show the step that is open in what the program begins with; `own` is what was set up before that lesson."""
        if self._session.state.lesson not in (None, self._place):
            self._show_place(self._session.state.lesson, own)

    def follow(self, news: told.Set) -> None:
        """Show the step that is open in what is set up now: in a session or a link that was opened, or after undo and redo."""
        place, opened = news.state.lesson, isinstance(news.by, (OpenState, OpenLink))
        if opened:
            self._show_place(place, news.by.own if isinstance(news.by, OpenState) else None)
        elif place not in (news.before.lesson, self._place):
            self._show_place(place, news.before if news.before.lesson is None else self._before)

    def draw(self, frame: Frame) -> None:
        """Give a frame to the open step, unless it answers an older wish: then its numbers are not the step's."""
        if self._session.is_answered():
            self._panel.draw(frame.trace, self._session.state.look, self._appearance.words)

    def look_into(self) -> None:
        """Ask for the experiments that the page in front and the open step need."""
        page = self._page_stack.page
        focus = attrs.evolve(page.focus, without=self._panel.without)
        self._session.look_into(page.experiments | self._panel.experiments, focus)

    def add(self, path: str) -> None:
        """Open a lesson from a user's file. A mistake in the file is shown as an error."""
        self.shown.emit(True)
        self._reckoner.ask("file", partial(_read, Path(path).absolute()), partial(self._add, str(Path(path).absolute())))

    def close(self) -> ExplorerError | None:
        """End the lessons' thread, and write the ticks that it has not written; returns the error if they cannot be."""
        self._reckoner.close()
        try:
            if self._unwritten is not None:
                save_ticks(self._unwritten)
        except ExplorerError as error:
            return error
        return None

    def _offer(self, found: tuple[Sequence[Lesson], Sequence[ExplorerError]] | ExplorerError) -> None:
        if isinstance(found, ExplorerError):
            self.refused.emit(found)
        else:
            self._panel.tick(load_ticks())
            self._panel.offer(*found)
            self._open_wanted()

    def _open_wanted(self) -> None:
        wanted, self._wanted = self._wanted, ""
        if isinstance(wanted, LessonPlace):
            self._resume(wanted)
        elif wanted in {lesson.key for lesson in self._panel.lessons}:
            self._panel.open(wanted)

    def _show_place(self, place: LessonPlace | None, own: State | None) -> None:
        """Show a place over what is set up already, or the list. Leaving it then gives back what `own` holds."""
        self._before = self._left = None
        if place is None:
            self._wanted = ""
            if self._panel.lesson is not None:
                self._panel.leave()
            return
        self._before, self._wanted = own, place
        self.shown.emit(True)
        if self._panel.lessons:
            self._open_wanted()
        else:
            self._read_list()

    def _resume(self, place: LessonPlace) -> None:
        """Show a place; a lesson in a file of the user's is read first."""
        if place.file and self._files.get(place.key) != place.file:
            self._reckoner.ask("file", partial(_read, Path(place.file)), partial(self._take, place))
        elif place.key in {lesson.key for lesson in self._panel.lessons}:
            self._panel.resume(place.key, place.step)
        else:
            self._is_gone(NoSuchLesson(lesson=place.key))

    def _is_gone(self, error: ExplorerError) -> None:
        """Say why the lesson that should be open is not; all else that is set up stays."""
        self._before = None
        self._session.ask(GiveBack())
        self.refused.emit(error)

    def _take(self, place: LessonPlace, found: Lesson | ExplorerError) -> None:
        """Take the lesson of a place from its file, unless something else was opened meanwhile."""
        if self._session.state.lesson != place:
            return
        if isinstance(found, ExplorerError):
            self._is_gone(found)
        else:
            self._files[found.key] = place.file
            self._panel.put(found)
            self._resume(attrs.evolve(place, key=found.key))

    def _resumed(self, step: Step) -> None:
        """A step is on show that is set up already: outline what it speaks of, and find out what it has set up."""
        self._place = self._session.state.lesson
        if self._before is not None:
            with contextlib.suppress(ExplorerError):  # Without what the lesson set up, nothing is given back.
                self._left = self._opening(step, self._before).applied(self._before, None)
        self._shown_now(step)

    def _keep(self, ticks: Ticks) -> None:
        """Show and write how far somebody has come."""
        if ticks != self._panel.list.ticks:
            self._panel.tick(ticks)
            self._unwritten = ticks
            self._reckoner.ask("ticks", partial(_save, ticks), self._kept)

    def _kept(self, error: ExplorerError | None) -> None:
        if error is None:
            self._unwritten = None
        else:
            self.refused.emit(error)

    def _add(self, path: str, found: Lesson | ExplorerError) -> None:
        if isinstance(found, ExplorerError):
            self.refused.emit(found)
        else:
            self._files[found.key] = path
            self._panel.add(found)

    def _read_list(self) -> None:
        if not self._panel.lessons:
            self._reckoner.ask("list", all_lessons, self._offer)

    def _hide(self) -> None:
        self.shown.emit(False)

    def _say(self, text: str) -> None:
        """Take the sentence that the tour offers."""
        self._session.ask(SetText(text))

    def _open(self, step: Step | None) -> None:
        if step is None:
            self._give_back()
        else:
            self._before = self._before or self._session.state
            key = "" if self._panel.lesson is None else self._panel.lesson.key
            self._place = LessonPlace(key=key, step=self._panel.place, file=self._files.get(key, ""))
            self._session.ask(self._opening(step, self._session.state))
            self._left = self._session.state
        self._shown_now(step)

    def _opening(self, step: Step, state: State) -> OpenStep:
        """The intent that sets up a step, and those that it builds on, where a State is set up."""
        language = self._appearance.words.language
        *earlier, settings = (settings_of(each, state.wish, language) for each in (*self._panel.earlier, step))
        return OpenStep(settings, tuple(earlier), self._place)

    def _calm(self) -> None:
        """Say whether a lesson for beginners is open."""
        lesson = self._panel.lesson
        self.quiet.emit(lesson is not None and lesson.group == FIRST and not self._panel.isHidden())

    def _shown_now(self, step: Step | None) -> None:
        self._calm()
        self.look_into()
        self._mark(step)
        if self._session.frame is not None:  # If the step changed nothing, the frame on screen has its numbers.
            self.draw(self._session.frame)

    def _give_back(self) -> None:
        """Put the reader's own sentence, preset, knobs and page in the place of the lesson's."""
        before, left = self._before, self._left
        self._before = self._left = self._place = None
        if self._session.state.lesson is not None or before is not None:
            self._session.ask(GiveBack(before, left))

    def _mark(self, step: Step | None) -> None:
        marks = step.highlight if step is not None else ()
        self._knobs.mark(frozenset(mark.removeprefix("knob:") for mark in marks if mark.startswith("knob:")))
        named = {kind: tuple(m.removeprefix(kind) for m in marks if m.startswith(kind)) for kind in ("tap:", "river:", "card:")}
        self._page_stack.mark(named["tap:"], named["river:"], *named["card:"][:1])


def _read(path: Path, stop: Stop) -> Lesson:
    return read_lesson(path)


def _save(ticks: Ticks, stop: Stop) -> None:
    save_ticks(ticks)
