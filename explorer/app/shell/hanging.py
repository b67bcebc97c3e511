"""The line that offers to restart the engine, while its work gives no sign of life."""

from PySide6.QtCore import Signal

from explorer.app.shell.notice_line import NoticeLine
from explorer.lang import Words


class Hanging(NoticeLine):
    """Signals: accepted() to restart the engine."""

    accepted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.restart = self.offer_button
        self.restart.clicked.connect(self.accepted)
        self.dismiss.clicked.connect(self.hide)
        self._seconds = 0

    def tell(self, seconds: int, words: Words) -> None:
        """Offer it after so many silent seconds; 0 takes the offer back."""
        self._seconds = seconds
        self.speak(words)
        self.setVisible(seconds > 0)

    def speak(self, words: Words) -> None:
        self.text.setText(words("engine.hangs", seconds=self._seconds))
        self.restart.setText(words("engine.restart"))
        self.dismiss.setToolTip(words("engine.wait"))
        self.dismiss.setAccessibleName(words("engine.wait"))
