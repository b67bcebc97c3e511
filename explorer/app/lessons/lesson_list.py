"""The list of lessons: first steps, tutorials and the user's own, each with a tick where it is done."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from explorer.app.lessons.ticks import Ticks
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.lessons.lesson import Lesson
from explorer.picture.theme import LIGHT, Theme
from explorer.views.controls.layouts import filled

_MOST_ERRORS = 8  # errors listed; a folder may hold thousands of files that are no lessons


class LessonList(QWidget):
    """Signals: chosen(key) of a lesson; closed() when the user hides the panel."""

    chosen = Signal(str)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lessonpage")
        self.lessons: tuple[Lesson, ...] = ()
        self.ticks = Ticks()
        self._errors: tuple[ExplorerError, ...] = ()
        self._words: Words | None = None
        self._theme = LIGHT
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
        above = filled(QHBoxLayout(), (self.heading, 1), self.hide_button)
        filled(QVBoxLayout(self), above, self.errors, (self.tree, 1), margins_px=(12, 8, 4, 8))

    def offer(self, lessons: Sequence[Lesson], errors: Sequence[ExplorerError]) -> None:
        """List these lessons, and the errors of files that are no lessons."""
        self.lessons, self._errors = tuple(sorted(lessons, key=lambda lesson: lesson.group != FIRST)), tuple(errors)
        self._list()

    @property
    def listed_errors(self) -> tuple[ExplorerError, ...]:
        """The errors of files that are no lessons."""
        return self._errors

    def tick(self, ticks: Ticks) -> None:
        """Show what is done."""
        if ticks != self.ticks:
            self.ticks = ticks
            self._list()

    def speak(self, words: Words) -> None:
        self._words = words
        self.heading.setText(words("lesson.title"))
        self.hide_button.setToolTip(words("export.close"))
        self.hide_button.setAccessibleName(words("export.close"))
        self.tree.setAccessibleName(words("lesson.title"))
        self._list()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._list()

    def after(self, key: str) -> Lesson | None:
        """The next lesson of the group of the one with this key: the first steps do not lead into a tutorial's bug."""
        keys = [lesson.key for lesson in self.lessons]
        place = keys.index(key) + 1 if key in keys else len(keys)
        after = self.lessons[place] if 0 < place < len(keys) else None
        return after if after is not None and after.group == self.lessons[place - 1].group else None

    def _list(self) -> None:
        if self._words is None:
            return
        words, groups = self._words, dict[str, QTreeWidgetItem]()
        self.tree.clear()
        for place, lesson in enumerate(self.lessons):
            if lesson.group not in groups:
                key = f"lesson.group.{lesson.group}"
                groups[lesson.group] = QTreeWidgetItem([words(key) if key in words else lesson.group])
                self.tree.addTopLevelItem(groups[lesson.group])
            groups[lesson.group].addChild(self._item(place, lesson, words))
        self.tree.expandAll()
        told = [words.error(error) for error in self._errors[:_MOST_ERRORS]]
        self.errors.setText("\n".join([*told, "…"] if len(self._errors) > _MOST_ERRORS else told))
        self.errors.setVisible(bool(self._errors))

    def _item(self, place: int, lesson: Lesson, words: Words) -> QTreeWidgetItem:
        title, done = titled(lesson, words), len(self.ticks.of(lesson.key).done)
        whole = done >= len(lesson.steps)
        sign = "✓ " if whole else f"{done}/{len(lesson.steps)} " if done else ""
        item = QTreeWidgetItem([sign + title])
        item.setData(0, Qt.ItemDataRole.UserRole, place)
        item.setToolTip(0, f"<p>{escape(title)}</p>")
        if whole:
            item.setForeground(0, QBrush(QColor(self._theme.faint)))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, words("lesson.is_done", title=title))
        return item

    def _activated(self, item: QTreeWidgetItem) -> None:
        place = item.data(0, Qt.ItemDataRole.UserRole)
        if place is not None:
            self.chosen.emit(self.lessons[place].key)


FIRST = "first"
"""The group of the lessons for beginners, which stands above the others."""


def titled(lesson: Lesson, words: Words) -> str:
    """A lesson's title; that of a tutorial's row with its number."""
    title = lesson.title.of(words.language)
    return title if lesson.group == FIRST else f"{lesson.key.upper()} · {title}"
