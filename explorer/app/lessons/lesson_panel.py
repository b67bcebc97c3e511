"""The lesson panel: the list of lessons, and the step that is open."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from explorer.app.lessons.lesson_list import LessonList, titled
from explorer.app.lessons.quiz import Quiz
from explorer.app.lessons.reckoner import Reckoner
from explorer.app.lessons.stop_parts import StopParts
from explorer.app.lessons.ticks import Ticks
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.lessons.check import findings
from explorer.lessons.lesson import Cells, Lesson, Step
from explorer.picture.makers.lesson import claims_html
from explorer.picture.theme import LIGHT, Theme
from explorer.state.look import Look
from explorer.stops import Stop
from explorer.trace.trace import Trace
from explorer.views.controls.explanation import TermLabel
from explorer.views.controls.fitting_labels import TableLabel
from explorer.views.controls.layouts import filled
from explorer.views.controls.matrix import MatrixEdit
from explorer.views.controls.question import QuestionBox


class LessonPanel(QWidget):
    """Signals: opened(Step or None) when a step is to be set up or was left; resumed(Step) when one is shown that is set up
    already; closed() when the user hides the panel; ticked(Ticks) when the user has come further in a lesson."""

    opened = Signal(object)
    resumed = Signal(object)
    closed = Signal()
    ticked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lessons")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.lesson: Lesson | None = None
        self.place = 0
        self.earlier: tuple[Step, ...] = ()  # the steps that the open one builds on and that were not gone through just now
        self.given: dict[str, Cells] = {}
        self.reckoner = Reckoner(self)
        self._words: Words | None = None
        self._theme = LIGHT
        self._stack = QStackedWidget()
        self.list = LessonList()
        self.list.chosen.connect(self.open)
        self.list.closed.connect(self.closed)
        self._stack.addWidget(self.list)
        self._make_step()
        filled(QVBoxLayout(self), self._stack, margins_px=(0, 0, 0, 0))

    # Parts

    def _make_step(self) -> None:
        self.title, self.say, self.numbers, self.counter = QLabel(), TermLabel(), TableLabel(), QLabel()
        self.title.setObjectName("title")
        self.counter.setObjectName("faint")
        self.title.setWordWrap(True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)  # Mark-up in a stranger's lesson could open files.
        self.numbers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.parts = StopParts(self.reckoner)
        self.question = QuestionBox()
        self.quiz = Quiz(self.question, self.reckoner)
        self.quiz.solved.connect(self._done)
        self.back, self.previous, self.next = QToolButton(), QPushButton(), QPushButton()
        self.back.clicked.connect(self.leave)
        self.previous.clicked.connect(self._previous)
        self.next.clicked.connect(self._next)
        self._matrices = QVBoxLayout()
        inside = QWidget()
        inside.setObjectName("lesson")
        filled(
            QVBoxLayout(inside),
            self.title,
            self.say,
            self._matrices,
            self.numbers,
            self.parts,
            self.question,
            None,
            gap_px=8,
            margins_px=(12, 2, 12, 4),
        )
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        self._bar = area.verticalScrollBar()
        self._bar.rangeChanged.connect(self._show_verdict)
        above = filled(QHBoxLayout(), self.back, None, self.counter, margins_px=(8, 0, 12, 0))
        below = filled(QHBoxLayout(), (self.previous, 1), (self.next, 1), margins_px=(12, 0, 12, 0))
        page = QWidget()
        page.setObjectName("lessonpage")
        filled(QVBoxLayout(page), above, (area, 1), below, margins_px=(0, 8, 0, 8))
        self._stack.addWidget(page)

    # What it shows

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons in the order of the list."""
        return self.list.lessons

    def offer(self, lessons: Sequence[Lesson], errors: Sequence[ExplorerError]) -> None:
        """List these lessons, and the errors of files that are no lessons."""
        self.list.offer(lessons, errors)

    def tick(self, ticks: Ticks) -> None:
        """Show how far somebody has come."""
        self.list.tick(ticks)

    def add(self, lesson: Lesson) -> None:
        """Add a lesson, in place of one with the same key, and open it."""
        self.put(lesson)
        self.open(lesson.key)

    def put(self, lesson: Lesson) -> None:
        """Add a lesson to the list, in place of one with the same key."""
        self.offer((*(each for each in self.lessons if each.key != lesson.key), lesson), self.list.listed_errors)

    def speak(self, words: Words) -> None:
        self._words = words
        self.list.speak(words)
        self.back.setText(f"‹ {words('lesson.title')}")
        self.previous.setText(words("lesson.previous"))
        self.question.speak(words)
        if self.lesson is not None:
            self._tell()
            self.parts.speak(words)
            if self.quiz.shown is not None:
                self.parts.draw(*self.quiz.shown, words)
            self.quiz.ask(words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.list.set_theme(theme)
        self.say.again()
        self._tell()

    @property
    def step(self) -> Step | None:
        """The step that is open."""
        return None if self.lesson is None else self.lesson.steps[self.place]

    @property
    def without(self) -> str:
        """The part of the model without which the open step has the sentence translated; "" for none."""
        return "" if self.step is None else self.step.without

    @property
    def experiments(self) -> frozenset[str]:
        """The experiments that the open step's formulas and its fact need."""
        return frozenset() if self.step is None else self.step.experiments

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Check the step's claims on a newer pass."""
        asks = self.quiz.show(trace, look)
        self.parts.draw(trace, look, words)
        self._tell()
        if asks and self.step is not None:
            self.quiz.ask(words)

    def refuse(self, error: ExplorerError) -> None:
        """Show an error in place of the step's numbers, which would belong to another state."""
        if self.step is not None and self._words is not None:
            self.quiz.shown = None
            self.reckoner.forget("claims")
            self.numbers.setText(escape(self._words.error(error)))
            self.numbers.show()

    def open(self, key: str) -> None:
        """Open the lesson with this key, which is the name of its file, where somebody left it, if it is not done."""
        if self.lesson is not None:
            self._end()
        self.lesson = next(lesson for lesson in self.lessons if lesson.key == key)
        visits, n_steps = self.list.ticks.of(key), len(self.lesson.steps)
        self._go(visits.place if visits.place < n_steps and len(visits.done) < n_steps else 0, anew=True)
        self._stack.setCurrentIndex(1)

    def resume(self, key: str, place: int) -> None:
        """Show a step of a lesson over what is set up already; the last one, where the lesson has become shorter."""
        self.lesson = next(lesson for lesson in self.lessons if lesson.key == key)
        place = min(place, len(self.lesson.steps) - 1)
        self._show_step(place, self.lesson.steps[:place])
        self._stack.setCurrentIndex(1)
        self.resumed.emit(self.lesson.steps[place])

    def leave(self) -> None:
        """Close the step and go back to the list."""
        self._end()
        self._stack.setCurrentIndex(0)

    def _show_verdict(self, _least: int, most: int) -> None:
        """Scroll to a verdict, which stands at the end; it is told when the answer is given, not before."""
        if not self.question.verdict.isHidden():
            self._bar.setValue(most)

    def _end(self) -> None:
        self.lesson = None
        self.quiz.end()
        self.parts.begin(None, self._words)
        self.reckoner.forget("claims")
        self.opened.emit(None)

    def _go(self, place: int, *, anew: bool = False) -> None:
        """Open a step; `anew` where the one before it is not what is set up."""
        assert self.lesson is not None  # Steps are only changed while a lesson is open.
        self._show_step(place, self.lesson.steps[:place] if anew else ())
        self.opened.emit(self.step)

    def _show_step(self, place: int, earlier: tuple[Step, ...]) -> None:
        assert self.lesson is not None  # Steps are only shown while a lesson is open.
        self.place, self.earlier = place, earlier
        step = self.lesson.steps[place]
        self.given = dict(step.given)
        while self._matrices.count():
            self._matrices.takeAt(0).widget().deleteLater()
        for name, cells in step.given.items():
            edit = MatrixEdit(name, cells)
            edit.changed.connect(self._changed)
            self._matrices.addWidget(edit)
        self.quiz.begin(step, self.given)
        self.parts.begin(step, self._words)
        self._tell()  # Replace the numbers of the step before.
        if self._words is not None:
            self.quiz.ask(self._words)
        self.ticked.emit(self.list.ticks.opened(self.lesson.key, place))
        if step.question is None:
            self._done()

    def _done(self) -> None:
        """Tick the open step."""
        if self.lesson is not None:
            self.ticked.emit(self.list.ticks.did(self.lesson.key, self.place))

    def _tell(self) -> None:
        """Show the step's title, sentence and claims."""
        if self.lesson is None or self._words is None:
            return
        words, step = self._words, self.lesson.steps[self.place]
        self.title.setText(step.title.of(words.language) or titled(self.lesson, words))
        self.say.tell(step.say.of(words.language), words.language)
        self.counter.setText(words("lesson.step", step=self.place + 1, steps=len(self.lesson.steps)))
        self.previous.setEnabled(self.place > 0)
        self._name_next(words)
        self.numbers.setVisible(bool(step.claims))
        if not step.claims or self.quiz.shown is None or not step.experiments <= self.quiz.shown[0].experiments.keys():
            self.reckoner.forget("claims")
            self.numbers.setText(words("status.computing") if step.claims else "")
        else:  # The old claims stay visible until the new ones are computed.
            work = partial(_claims, step, self.quiz.shown[0], dict(self.given), words, self._theme)
            self.reckoner.ask("claims", work, self._show_claims)

    def _name_next(self, words: Words) -> None:
        """After the last step comes the next lesson, and after the last lesson the list."""
        if self.lesson is None:
            return
        last, after = self.place + 1 == len(self.lesson.steps), self.list.after(self.lesson.key)
        self.next.setText(words("lesson.next" if not last else "lesson.end" if after is None else "lesson.next_lesson"))
        self.next.setToolTip(titled(after, words) if last and after is not None else "")

    def _show_claims(self, told: str | ExplorerError) -> None:
        if isinstance(told, str):
            self.numbers.setText(told)
        elif self._words is not None:
            self.numbers.setText(escape(self._words.error(told)))

    # The reader

    def _changed(self, name: str, cells: Cells) -> None:
        self.given[name] = cells
        self._tell()

    def _previous(self) -> None:
        self._go(self.place - 1, anew=True)

    def _next(self) -> None:
        assert self.lesson is not None  # The button is only there while a lesson is open.
        after = self.list.after(self.lesson.key)
        if self.place + 1 < len(self.lesson.steps):
            self._go(self.place + 1)
        elif after is None:
            self.leave()
        else:
            self.open(after.key)


def _claims(step: Step, trace: Trace, given: Mapping[str, Cells], words: Words, theme: Theme, stop: Stop) -> str:
    """The claims as rich text; runs on the lessons' thread."""
    changed = any(not np.array_equal(given[name], cells) for name, cells in step.given.items())
    return claims_html(findings(step, trace, given, stop), words, theme, changed=changed)
