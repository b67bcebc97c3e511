"""The box of a lesson's question: numbers to type or choices to click, and the verdict."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from explorer.lang import Words
from explorer.lessons.check import LONGEST_ANSWER
from explorer.views.controls.layouts import filled

_FLAGS = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_PROBE_PX = 1000  # as wide and high as a button from which the margins of the style are read


class WrappedButton(QPushButton):
    """A button as wide as its place and as high as its text needs then. Qt's own is at least as wide as its text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        margins = self._margins()
        return self._text_size(width - margins.width()).height() + margins.height()

    def minimumSizeHint(self) -> QSize:
        """As wide as the longest word, and as high as one line: the height in a place is asked of `heightForWidth`."""
        return QSize(self._text_size(1).width() + self._margins().width(), self.sizeHint().height())

    def sizeHint(self) -> QSize:
        return self._text_size(_PROBE_PX) + self._margins()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = self._option(self.rect())
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        contents = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self)
        painter.setPen(self.palette().buttonText().color())
        painter.drawText(contents, _FLAGS, self.text())
        painter.end()

    def _option(self, rect: QRect) -> QStyleOptionButton:
        """What the style draws: the button without its text."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text, option.rect = "", rect  # type: ignore[attr-defined]  # Qt's stubs lack these fields.
        return option

    def _margins(self) -> QSize:
        """What the style takes around the text, both sides together."""
        option = self._option(QRect(0, 0, _PROBE_PX, _PROBE_PX))
        contents = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self)
        return QSize(_PROBE_PX - contents.width(), _PROBE_PX - contents.height())

    def _text_size(self, width: int) -> QSize:
        return self.fontMetrics().boundingRect(QRect(0, 0, max(1, width), _PROBE_PX), _FLAGS, self.text()).size()


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
        self._row = filled(QHBoxLayout(), (self.edit, 1), self.check, self.more)
        self._column = QVBoxLayout()
        self._column.setSpacing(4)
        filled(QVBoxLayout(self), self.text, self._column, self._row, self.verdict, gap_px=6, margins_px=(0, 0, 0, 0))

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
