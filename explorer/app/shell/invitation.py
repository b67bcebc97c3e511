"""The line that invites somebody who is here for the first time to the tour. It is gone for good once it was answered."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from explorer.lang import Words


class Invitation(QWidget):
    """Signals: accepted() for the tour; answered() when the line is not needed any more."""

    accepted = Signal()
    answered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text, self.begin, self.dismiss = QLabel(), QPushButton(), QToolButton()
        self.begin.setObjectName("slim")
        self.dismiss.setText("×")
        self.begin.clicked.connect(self._accept)
        self.dismiss.clicked.connect(self._answer)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(12)
        row.addWidget(self.text)
        row.addWidget(self.begin)
        row.addStretch(1)
        row.addWidget(self.dismiss)
        self.hide()

    def speak(self, words: Words) -> None:
        self.text.setText(words("tour.invitation"))
        self.begin.setText(words("tour.begin"))
        self.dismiss.setToolTip(words("tour.later"))
        self.dismiss.setAccessibleName(words("tour.later"))

    def _accept(self) -> None:
        self._answer()
        self.accepted.emit()

    def _answer(self) -> None:
        self.hide()
        self.answered.emit()
