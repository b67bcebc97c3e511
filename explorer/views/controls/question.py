"""The box of a lesson's question: numbers to type or choices to click, and the verdict."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.lessons.check import LONGEST_ANSWER
from explorer.views.controls.wrapped_button import WrappedButton


class QuestionBox(QWidget):
    """Signals: answered(text) after typing numbers, picked(place) after a choice, another() for a new question."""

    answered = Signal(str)
    picked = Signal(int)
    another = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.text, self.verdict = QLabel(), QLabel()
        for label in (self.text, self.verdict):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)  # Mark-up in a stranger's lesson could open files.
        self.edit = QLineEdit()
        self.edit.setMaxLength(LONGEST_ANSWER)
        self.edit.returnPressed.connect(self._enter)
        self.check, self.more = QPushButton(), QPushButton()
        self.check.clicked.connect(self._enter)
        self.more.clicked.connect(self.another)
        self.choices: list[WrappedButton] = []
        self._texts: dict[WrappedButton, str] = {}  # of the choices, without the signs of right and wrong
        self._row = QHBoxLayout()
        self._row.addWidget(self.edit, 1)
        self._row.addWidget(self.check)
        self._row.addWidget(self.more)
        self._column = QVBoxLayout()
        self._column.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.text)
        layout.addLayout(self._column)
        layout.addLayout(self._row)
        layout.addWidget(self.verdict)

    def speak(self, words: Words) -> None:
        self.check.setText(words("lesson.check"))
        self.more.setText(words("lesson.another"))
        self.edit.setPlaceholderText(words("lesson.type"))
        self.edit.setAccessibleName(words("lesson.type"))

    def put(self, text: str, choices: tuple[str, ...] = (), *, renewable: bool = False) -> None:
        """Show a question with an empty answer; `renewable` offers a button for another one."""
        self.text.setText(text)
        self.tell("", right=True)
        self.edit.clear()
        for widget in (self.edit, self.check):
            widget.setVisible(not choices)
        self.more.setVisible(renewable)
        for button in self.choices:
            self._column.removeWidget(button)
            button.deleteLater()
        self.choices = [WrappedButton(choice) for choice in choices]
        self._texts = dict(zip(self.choices, choices, strict=True))
        for button in self.choices:
            button.setObjectName("choice")
            button.clicked.connect(self._pick)
            self._column.addWidget(button)

    def mark(self, place: int, *, right: bool) -> None:
        """Put the sign of right or wrong beside a choice that was picked. Beside the right one no wrong one stays marked."""
        for other in self.choices if right else ():
            self._sign(other, "", "choice")
        self._sign(self.choices[place], "✓ " if right else "× ", "choice_right" if right else "choice_wrong")

    def _sign(self, button: WrappedButton, sign: str, style: str) -> None:
        button.setText(f"{sign}{self._texts[button]}")
        button.setObjectName(style)
        button.style().polish(button)

    def tell(self, verdict: str, *, right: bool) -> None:
        """Show whether the answer was right, and why."""
        self.verdict.setObjectName("right" if right else "warning")
        self.verdict.style().polish(self.verdict)
        self.verdict.setText(verdict)
        self.verdict.setVisible(bool(verdict))

    def _enter(self) -> None:
        if self.edit.text().strip():
            self.answered.emit(self.edit.text())

    def _pick(self) -> None:
        self.picked.emit(self.choices.index(self.sender()))  # type: ignore[arg-type]  # Only these buttons are connected.
