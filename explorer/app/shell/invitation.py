"""The line that invites somebody who is here for the first time to the tour. It is gone for good once it was answered."""

from PySide6.QtCore import Signal

from explorer.app.shell.notice_line import NoticeLine
from explorer.lang import Words


class Invitation(NoticeLine):
    """Signals: accepted() for the tour; answered() when the line is not needed any more."""

    accepted = Signal()
    answered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.begin = self.offer_button
        self.begin.clicked.connect(self._accept)
        self.dismiss.clicked.connect(self._answer)

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
