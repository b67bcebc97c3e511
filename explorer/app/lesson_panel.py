"""The lessons at the left: a list of them, and the step that is open, beside whatever page it is about."""

from collections.abc import Sequence

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

from explorer.app.quiz import Quiz
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.lessons.check import findings
from explorer.lessons.lesson import Cells, Lesson, Step
from explorer.picture.lesson import claims_html
from explorer.picture.look import Look
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.trace import Trace
from explorer.views.matrix import MatrixEdit
from explorer.views.question import QuestionBox

_WIDTH_PX, _NARROW_PX = 330, 280


class LessonPanel(QWidget):
    """Signals: opened(Step) a step shall be set up; closed() the user goes back to the list or hides the panel."""

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
        self.title, self.say, self.numbers, self.counter = QLabel(), QLabel(), QLabel(), QLabel()
        self.title.setObjectName("title")
        self.counter.setObjectName("faint")
        for label in (self.title, self.say, self.numbers):
            label.setWordWrap(True)
        self.numbers.setTextFormat(Qt.TextFormat.RichText)
        self.numbers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.question = QuestionBox()
        self.quiz = Quiz(self.question)
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
        """These lessons, and files that are none."""
        self.lessons, self._errors = tuple(lessons), tuple(errors)
        if self._words is not None:
            self._list(self._words)

    def add(self, lesson: Lesson) -> None:
        """One more lesson, in place of one of the same name, and open it."""
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
            item.setToolTip(0, lesson.title.of(words.language))
            groups[lesson.group].addChild(item)
        self.tree.expandAll()
        self.errors.setText("\n".join(words.error(error) for error in self._errors))
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
        """What the open step's formulas ask for beside the pass."""
        return frozenset() if self.step is None else self.step.experiments

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """A newer pass: the same claims, on its numbers."""
        first = self.quiz.shown is None
        self.quiz.shown = (trace, look)
        self._tell()
        if first and self.step is not None:
            self.quiz.ask(words)

    def refuse(self, error: ExplorerError) -> None:
        """What the step asks for, or what was typed since, cannot be: its numbers would be those of another state."""
        if self.step is not None and self._words is not None:
            self.quiz.shown = None
            self.numbers.setText(self._words.error(error))
            self.numbers.show()

    def open(self, key: str) -> None:
        """A lesson by the name of its file."""
        self.lesson = next(lesson for lesson in self.lessons if lesson.key == key)
        self._go(0)
        self._stack.setCurrentIndex(1)

    def leave(self) -> None:
        """Back to the list."""
        self.lesson = None
        self._stack.setCurrentIndex(0)
        self.opened.emit(None)

    def _go(self, place: int) -> None:
        assert self.lesson is not None  # a lesson is open
        self.place = place
        step = self.lesson.steps[place]
        self.given = dict(step.given)
        while self._matrices.count():
            self._matrices.takeAt(0).widget().deleteLater()
        for name, cells in step.given.items():
            edit = MatrixEdit(name, cells)
            edit.changed.connect(self._changed)
            self._matrices.addWidget(edit)
        self.quiz.begin(step, self.given)  # the numbers on screen are of another step
        self.opened.emit(step)
        self._tell()
        if self._words is not None:
            self.quiz.ask(self._words)

    def _tell(self) -> None:
        """Title, sentence and claims."""
        if self.lesson is None or self._words is None:
            return
        words, step = self._words, self.lesson.steps[self.place]
        self.title.setText(f"{self.lesson.key.upper()} · {self.lesson.title.of(words.language)}")
        self.say.setText(step.say.of(words.language))
        self.counter.setText(words("lesson.step", step=self.place + 1, steps=len(self.lesson.steps)))
        self.previous.setEnabled(self.place > 0)
        self.next.setEnabled(self.place + 1 < len(self.lesson.steps))
        self.numbers.setText(self._claims(step, words))
        self.numbers.setVisible(bool(step.claims))

    def _claims(self, step: Step, words: Words) -> str:
        if self.quiz.shown is None or not step.experiments <= self.quiz.shown[0].experiments.keys():
            return words("status.computing")
        try:
            changed = any(not np.array_equal(self.given[name], cells) for name, cells in step.given.items())
            return claims_html(findings(step, self.quiz.shown[0], self.given), words, self._theme, changed=changed)
        except ExplorerError as error:  # a tap that this model lacks, or a sentence too short for it
            return words.error(error)

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
