"""The lesson panel: the list of lessons, and the step that is open."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.app.lessons.quiz import Quiz
from explorer.app.lessons.reckoner import Reckoner
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.lessons.check import findings
from explorer.lessons.lesson import Cells, Lesson, Step
from explorer.picture.makers.lesson import claims_html
from explorer.picture.theme import LIGHT, Theme
from explorer.state.look import Look
from explorer.stops import Stop
from explorer.trace.trace import Trace
from explorer.views.controls.matrix import MatrixEdit
from explorer.views.controls.question import QuestionBox
from explorer.views.controls.table_label import TableLabel

_WIDTH_PX, _NARROW_PX = 330, 280
_MOST_ERRORS = 8  # errors listed; a folder may hold thousands of files that are no lessons


class LessonPanel(QWidget):
    """Signals: opened(Step or None) when a step is to be set up or was left; closed() when the user hides the panel."""

    opened = Signal(object)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lessons")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(_WIDTH_PX)
        self.lesson: Lesson | None = None
        self.place = 0
        self.given: dict[str, Cells] = {}
        self.lessons: tuple[Lesson, ...] = ()
        self.reckoner = Reckoner(self)
        self._errors: tuple[ExplorerError, ...] = ()
        self._words: Words | None = None
        self._theme = LIGHT
        self._stack = QStackedWidget()
        self._make_list()
        self._make_step()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    # Parts

    def _make_list(self) -> None:
        page = QWidget()
        page.setObjectName("lessonpage")
        self.heading, self.errors = QLabel(), QLabel()
        self.heading.setObjectName("title")
        self.errors.setObjectName("warning")
        self.errors.setWordWrap(True)
        self.errors.setTextFormat(Qt.TextFormat.PlainText)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(12)
        self.tree.itemActivated.connect(self._activated)
        self.tree.itemClicked.connect(self._activated)
        self.hide_button = QToolButton()
        self.hide_button.setText("×")
        self.hide_button.clicked.connect(self.closed)
        above = QHBoxLayout()
        above.addWidget(self.heading, 1)
        above.addWidget(self.hide_button)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(12, 8, 4, 8)
        layout.addLayout(above)
        layout.addWidget(self.errors)
        layout.addWidget(self.tree, 1)
        self._stack.addWidget(page)

    def _make_step(self) -> None:
        self.title, self.say, self.numbers, self.counter = QLabel(), QLabel(), TableLabel(), QLabel()
        self.title.setObjectName("title")
        self.counter.setObjectName("faint")
        for label in (self.title, self.say):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)  # Mark-up in a stranger's lesson could open files.
        self.numbers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.question = QuestionBox()
        self.quiz = Quiz(self.question, self.reckoner)
        self.back, self.previous, self.next = QToolButton(), QPushButton(), QPushButton()
        self.back.clicked.connect(self.leave)
        self.previous.clicked.connect(self._previous)
        self.next.clicked.connect(self._next)
        self._matrices = QVBoxLayout()
        inside = QWidget()
        inside.setObjectName("lesson")
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 4, 12, 8)
        column.setSpacing(10)
        for widget in (self.title, self.say):
            column.addWidget(widget)
        column.addLayout(self._matrices)
        column.addWidget(self.numbers)
        column.addWidget(self.question)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(self.back)
        above.addStretch(1)
        above.addWidget(self.counter)
        below.addWidget(self.previous, 1)
        below.addWidget(self.next, 1)
        page = QWidget()
        page.setObjectName("lessonpage")
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 8, 0, 8)
        above.setContentsMargins(8, 0, 12, 0)
        below.setContentsMargins(12, 0, 12, 0)
        layout.addLayout(above)
        layout.addWidget(area, 1)
        layout.addLayout(below)
        self._stack.addWidget(page)

    # What it shows

    def offer(self, lessons: Sequence[Lesson], errors: Sequence[ExplorerError]) -> None:
        """List these lessons, and the errors of files that are no lessons."""
        self.lessons, self._errors = tuple(lessons), tuple(errors)
        if self._words is not None:
            self._list(self._words)

    def add(self, lesson: Lesson) -> None:
        """Add a lesson, in place of one with the same key, and open it."""
        self.offer((*(each for each in self.lessons if each.key != lesson.key), lesson), self._errors)
        self.open(lesson.key)

    def speak(self, words: Words) -> None:
        self._words = words
        self.heading.setText(words("lesson.title"))
        self.hide_button.setToolTip(words("export.close"))
        self.hide_button.setAccessibleName(words("export.close"))
        self.tree.setAccessibleName(words("lesson.title"))
        self.back.setText(f"‹ {words('lesson.title')}")
        self.previous.setText(words("lesson.previous"))
        self.next.setText(words("lesson.next"))
        self.question.speak(words)
        self._list(words)
        if self.lesson is not None:
            self._tell()
            self.quiz.ask(words)

    def _list(self, words: Words) -> None:
        self.tree.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for place, lesson in enumerate(self.lessons):
            if lesson.group not in groups:
                key = f"lesson.group.{lesson.group}"
                groups[lesson.group] = QTreeWidgetItem([words(key) if key in words else lesson.group])
                self.tree.addTopLevelItem(groups[lesson.group])
            item = QTreeWidgetItem([f"{lesson.key.upper()}  {lesson.title.of(words.language)}"])
            item.setData(0, Qt.ItemDataRole.UserRole, place)
            item.setToolTip(0, f"<p>{escape(lesson.title.of(words.language))}</p>")
            groups[lesson.group].addChild(item)
        self.tree.expandAll()
        told = [words.error(error) for error in self._errors[:_MOST_ERRORS]]
        self.errors.setText("\n".join([*told, "…"] if len(self._errors) > _MOST_ERRORS else told))
        self.errors.setVisible(bool(self._errors))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._tell()

    def set_narrow(self, narrow: bool) -> None:
        self.setFixedWidth(_NARROW_PX if narrow else _WIDTH_PX)

    @property
    def step(self) -> Step | None:
        """The step that is open."""
        return None if self.lesson is None else self.lesson.steps[self.place]

    @property
    def experiments(self) -> frozenset[str]:
        """The experiments that the open step's formulas need."""
        return frozenset() if self.step is None else self.step.experiments

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Check the step's claims on a newer pass."""
        first = self.quiz.shown is None
        self.quiz.shown = (trace, look)
        self._tell()
        if first and self.step is not None:
            self.quiz.ask(words)

    def refuse(self, error: ExplorerError) -> None:
        """Show an error in place of the step's numbers, which would belong to another state."""
        if self.step is not None and self._words is not None:
            self.quiz.shown = None
            self.reckoner.forget("claims")
            self.numbers.setText(escape(self._words.error(error)))
            self.numbers.show()

    def open(self, key: str) -> None:
        """Open the first step of the lesson with this key, which is the name of its file."""
        self.lesson = next(lesson for lesson in self.lessons if lesson.key == key)
        self._go(0)
        self._stack.setCurrentIndex(1)

    def leave(self) -> None:
        """Close the step and go back to the list."""
        self.lesson = None
        self.quiz.end()
        self.reckoner.forget("claims")
        self._stack.setCurrentIndex(0)
        self.opened.emit(None)

    def _go(self, place: int) -> None:
        assert self.lesson is not None  # Steps are only changed while a lesson is open.
        self.place = place
        step = self.lesson.steps[place]
        self.given = dict(step.given)
        while self._matrices.count():
            self._matrices.takeAt(0).widget().deleteLater()
        for name, cells in step.given.items():
            edit = MatrixEdit(name, cells)
            edit.changed.connect(self._changed)
            self._matrices.addWidget(edit)
        self.quiz.begin(step, self.given)
        self._tell()  # Replace the numbers of the step before.
        if self._words is not None:
            self.quiz.ask(self._words)
        self.opened.emit(step)

    def _tell(self) -> None:
        """Show the step's title, sentence and claims."""
        if self.lesson is None or self._words is None:
            return
        words, step = self._words, self.lesson.steps[self.place]
        self.title.setText(f"{self.lesson.key.upper()} · {self.lesson.title.of(words.language)}")
        self.say.setText(step.say.of(words.language))
        self.counter.setText(words("lesson.step", step=self.place + 1, steps=len(self.lesson.steps)))
        self.previous.setEnabled(self.place > 0)
        self.next.setEnabled(self.place + 1 < len(self.lesson.steps))
        self.numbers.setVisible(bool(step.claims))
        if not step.claims or self.quiz.shown is None or not step.experiments <= self.quiz.shown[0].experiments.keys():
            self.reckoner.forget("claims")
            self.numbers.setText(words("status.computing") if step.claims else "")
        else:  # The old claims stay visible until the new ones are computed.
            work = partial(_claims, step, self.quiz.shown[0], dict(self.given), words, self._theme)
            self.reckoner.ask("claims", work, self._show_claims)

    def _show_claims(self, told: str | ExplorerError) -> None:
        if isinstance(told, str):
            self.numbers.setText(told)
        elif self._words is not None:
            self.numbers.setText(escape(self._words.error(told)))

    # The reader

    def _changed(self, name: str, cells: Cells) -> None:
        self.given[name] = cells
        self._tell()

    def _activated(self, item: QTreeWidgetItem) -> None:
        place = item.data(0, Qt.ItemDataRole.UserRole)
        if place is not None:
            self.open(self.lessons[place].key)

    def _previous(self) -> None:
        self._go(self.place - 1)

    def _next(self) -> None:
        self._go(self.place + 1)


def _claims(step: Step, trace: Trace, given: Mapping[str, Cells], words: Words, theme: Theme, stop: Stop) -> str:
    """The claims as rich text; runs on the lessons' thread."""
    changed = any(not np.array_equal(given[name], cells) for name, cells in step.given.items())
    return claims_html(findings(step, trace, given, stop), words, theme, changed=changed)
